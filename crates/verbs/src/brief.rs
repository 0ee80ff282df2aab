//! `brief`: what to know of a store at the start, kept until something changes (UPK-5).

use std::collections::BTreeSet;

use ken_core::belief::day;
use ken_core::run::INJECTED;
use ken_core::{EntryKey, Verdict};
use ken_engine::ops::brief::{
    self, Asking, Believed, Briefing, BriefingText, Fallen, Holds, Insight, Room, Waiting,
};
use ken_engine::ops::find_any;
use ken_engine::ops::search::TokenCount;
use ken_engine::{IndexPageMoment, deliver};
use serde::{Deserialize, Serialize};

use crate::{Access, Kenning, Query, RecordKind, Result};

/// What `brief` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BriefAnswer {
    /// What to hand over.
    pub text: String,
    /// Entries that it names, by their ids.
    #[serde(rename = "entries")]
    pub ids: Vec<String>,
    /// The same by their keys.
    #[serde(skip)]
    pub entries: Vec<EntryKey>,
    /// What the store hands out.
    pub holds: Holds,
    /// What no longer holds, as far as is remembered.
    pub fallen: Vec<Fallen>,
    /// What waits for a person.
    pub waiting: Waiting,
    /// What can be relied on most, as far as the text says it.
    pub believed: Vec<Believed>,
    /// What the rules say, as far as the text says it, the gravest first.
    pub insights: Vec<Insight>,
    /// Insights that found no room.
    pub more: usize,
    /// Tokens of the text, and what counted them.
    pub tokens: TokenCount,
}

/// A briefing, and the state of the store it was made from.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Kept {
    state: String,
    briefing: Briefing,
}

impl Kenning {
    /// What somebody who begins here should know, in at most so many tokens. What it names counts as read.
    pub fn brief(&mut self, tokens: usize) -> Result<BriefAnswer> {
        self.brief_for_reading(Some(tokens))
    }

    /// The same, with everything there is to say.
    pub fn brief_whole(&mut self) -> Result<BriefAnswer> {
        self.brief_for_reading(None)
    }

    fn brief_for_reading(&mut self, tokens: Option<usize>) -> Result<BriefAnswer> {
        let briefing = self.briefing(crate::learn::thread_or(&self.store, &self.caller, None)?)?;
        let answer = self.told(briefing, tokens, None)?;
        self.remember_pulled(answer.entries.clone())?;
        self.write_index_page(IndexPageMoment::Reading);
        Ok(answer)
    }

    /// The same for a host that puts it before an agent unasked, in a fence. At most so many entries are named, and never more than the
    /// cap of REV-5 leaves; what is named counts as injected. Of all others only numbers are told. Entries that are told elsewhere, by
    /// their ids, and those that the caller's own run stated are not quoted.
    pub fn brief_for_injection(
        &mut self,
        tokens: usize,
        entries_max: usize,
        elsewhere: &[String],
    ) -> Result<BriefAnswer> {
        let mut briefing = self.briefing(crate::learn::thread_or(&self.store, &self.caller, None)?)?;
        for believed in std::mem::take(&mut briefing.believed) {
            let stored = find_any(&*self.store, &believed.entry.id)?;
            let is_own =
                self.caller.run().zip(stored).is_some_and(|(run, it)| deliver::is_stated_in(&it, run));
            if !is_own && !elsewhere.contains(&believed.entry.id) {
                briefing.believed.push(believed);
            }
        }
        let _alone = crate::recall::alone_to_inject(&mut self.store, &self.config)?;
        let cap = crate::recall::injecting(&self.store, &self.config, &self.caller)?;
        let mut given = BTreeSet::new();
        for key in &cap.before {
            given.extend(self.store.stored(*key)?.map(|stored| stored.id));
        }
        let room = Room { given, left: cap.room().min(entries_max) };
        let answer = self.told(briefing, Some(tokens), Some(room))?;
        let mut entries = answer.entries.clone();
        entries.retain(|key| !cap.before.contains(key));
        if !entries.is_empty() && crate::recall::records(&self.store, &self.config) {
            let intents = ken_engine::Reader::from_caller(&self.caller).shown(INJECTED, entries);
            self.note_quietly(intents);
        }
        Ok(answer)
    }

    /// Makes the briefing that whoever begins next will want, unless it is made.
    pub(crate) fn prepare_brief(&mut self) -> Result<()> {
        self.briefing(None).map(drop)
    }

    fn told(
        &mut self,
        mut briefing: Briefing,
        budget: Option<usize>,
        room: Option<Room>,
    ) -> Result<BriefAnswer> {
        if let Some(global) = self.global_to_ask() {
            briefing.holds.global = global.store.list(&Query { limit: 1, ..Query::default() })?.total;
            self.workspace.take_back(global);
        }
        let tokens = self.models.tokens();
        let BriefingText { text, named, insights, more, tokens: count } =
            brief::tell(&briefing, budget, room.clone(), &*tokens);
        let tokens = TokenCount { count, by: tokens.counted_by().to_owned() };
        let Briefing { holds, mut fallen, waiting, mut believed, .. } = briefing;
        let is_said =
            |one: &Believed| text.contains(&one.line) || !one.claim.is_empty() && text.contains(&one.claim);
        believed.retain(|one| named.contains(&one.entry.id) && is_said(one));
        if room.is_some() {
            fallen.retain(|one| named.contains(&one.entry.id));
        }
        let mut entries = Vec::with_capacity(named.len());
        for id in &named {
            entries.extend(self.store.resolve(id)?);
        }
        Ok(BriefAnswer {
            text,
            ids: named,
            entries,
            holds,
            fallen,
            waiting,
            believed,
            insights,
            more,
            tokens,
        })
    }

    /// The briefing as it was made last, or a new one where the store is not as it was then. Reading changes nothing in it, and a day
    /// does: belief fades.
    pub(crate) fn briefing(&mut self, thread: Option<String>) -> Result<Briefing> {
        let policy = crate::maintain::maintain_policy(&self.config)?;
        let state = format!(
            "{} {} {} {} {} {policy:?}",
            env!("CARGO_PKG_VERSION"),
            self.store.position()?,
            day(self.caller.now()),
            self.judgements().and_then(|judged| judged.mark()).unwrap_or_default(),
            thread.as_deref().unwrap_or_default()
        );
        let record = RecordKind::Brief.record();
        let kept: Option<Kept> = self.clone_state().value(&record);
        if let Some(kept) = kept.filter(|kept| kept.state == state) {
            return Ok(self.with_proposal(kept.briefing));
        }
        let mut fallen = self.known_verdicts()?.unwrap_or_default();
        fallen.retain(|_, verdict| *verdict != Verdict::Moved);
        let asking =
            Asking { thread: thread.as_deref(), policy: &policy, fallen: &fallen, now: self.caller.now() };
        let briefing = brief::brief(&*self.store, &asking)?;
        let kept = Kept { state, briefing };
        if self.store.access() == Access::Write {
            // One that cannot be kept is made again.
            drop(self.clone_state().set_value(&record, &kept));
        }
        Ok(self.with_proposal(kept.briefing))
    }
}
