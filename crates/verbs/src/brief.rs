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
use ken_engine::{Caller, IndexPageMoment, Ledger, deliver};
use serde::{Deserialize, Serialize};

use crate::{Access, ModelsInUse, Query, RecordKind, Result, Site};

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

/// What somebody who begins here should know, in at most so many tokens. What it names counts as read.
pub fn brief(
    ledger: &mut Ledger,
    site: &Site,
    models: &ModelsInUse,
    caller: &Caller,
    tokens: usize,
) -> Result<BriefAnswer> {
    brief_for_reading(ledger, site, models, caller, Some(tokens))
}

/// The same, with everything there is to say.
pub fn brief_whole(
    ledger: &mut Ledger,
    site: &Site,
    models: &ModelsInUse,
    caller: &Caller,
) -> Result<BriefAnswer> {
    brief_for_reading(ledger, site, models, caller, None)
}

fn brief_for_reading(
    ledger: &mut Ledger,
    site: &Site,
    models: &ModelsInUse,
    caller: &Caller,
    tokens: Option<usize>,
) -> Result<BriefAnswer> {
    let briefing = self::briefing(ledger, site, caller, crate::thread::thread_or(ledger, caller, None)?)?;
    let answer = told(ledger, site, models, caller, briefing, tokens, None)?;
    crate::exposures::remember_pulled(ledger, site, caller, answer.entries.clone())?;
    crate::index_file::write_index_page(ledger, site, caller, IndexPageMoment::Reading);
    Ok(answer)
}

/// The same for a host that puts it before an agent unasked, in a fence. At most so many entries are named, and never more than the
/// cap of REV-5 leaves; what is named counts as injected. Of all others only numbers are told. Entries that are told elsewhere, by
/// their ids, and those that the caller's own run stated are not quoted.
pub fn brief_for_injection(
    ledger: &mut Ledger,
    site: &Site,
    models: &ModelsInUse,
    caller: &Caller,
    tokens: usize,
    entries_max: usize,
    elsewhere: &[String],
) -> Result<BriefAnswer> {
    let mut briefing = self::briefing(ledger, site, caller, crate::thread::thread_or(ledger, caller, None)?)?;
    for believed in std::mem::take(&mut briefing.believed) {
        let stored = find_any(&**ledger, &believed.entry.id)?;
        let is_own = caller.run().zip(stored).is_some_and(|(run, it)| deliver::is_stated_in(&it, run));
        if !is_own && !elsewhere.contains(&believed.entry.id) {
            briefing.believed.push(believed);
        }
    }
    let _alone = crate::recall::alone_to_inject(ledger, &site.config)?;
    let cap = crate::recall::injecting(ledger, &site.config, caller)?;
    let mut given = BTreeSet::new();
    for key in &cap.before {
        given.extend(ledger.stored(*key)?.map(|stored| stored.id));
    }
    let room = Room { given, left: cap.room().min(entries_max) };
    let answer = told(ledger, site, models, caller, briefing, Some(tokens), Some(room))?;
    let mut entries = answer.entries.clone();
    entries.retain(|key| !cap.before.contains(key));
    if !entries.is_empty() && crate::recall::records(ledger, &site.config) {
        let intents = ken_engine::Reader::from_caller(caller).shown(INJECTED, entries);
        crate::recall::note_quietly(ledger, site, caller, intents);
    }
    Ok(answer)
}

/// Makes the briefing that whoever begins next will want, unless it is made.
pub(crate) fn prepare_brief(ledger: &Ledger, site: &Site, caller: &Caller) -> Result<()> {
    briefing(ledger, site, caller, None).map(drop)
}

fn told(
    ledger: &mut Ledger,
    site: &Site,
    models: &ModelsInUse,
    caller: &Caller,
    mut briefing: Briefing,
    budget: Option<usize>,
    room: Option<Room>,
) -> Result<BriefAnswer> {
    if let Some(global) = crate::recall::global_to_ask(ledger, site, caller) {
        briefing.holds.global = global.ledger.list(&Query { limit: 1, ..Query::default() })?.total;
        site.workspace.take_back(global);
    }
    let tokens = models.all.tokens();
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
        entries.extend(ledger.resolve(id)?);
    }
    Ok(BriefAnswer { text, ids: named, entries, holds, fallen, waiting, believed, insights, more, tokens })
}

/// The briefing as it was made last, or a new one where the store is not as it was then. Reading changes nothing in it, and a day
/// does: belief fades.
pub(crate) fn briefing(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    thread: Option<String>,
) -> Result<Briefing> {
    let policy = crate::config::maintain_policy(&site.config)?;
    let state = format!(
        "{} {} {} {} {} {policy:?}",
        env!("CARGO_PKG_VERSION"),
        ledger.position()?,
        day(caller.now()),
        site.pool().judgements().and_then(|judged| judged.mark()).unwrap_or_default(),
        thread.as_deref().unwrap_or_default()
    );
    let record = RecordKind::Brief.record();
    let kept: Option<Kept> = site.state().value(&record);
    if let Some(kept) = kept.filter(|kept| kept.state == state) {
        return Ok(crate::health::with_proposal(&site.layout, kept.briefing));
    }
    let mut fallen = crate::verdicts::known_verdicts(ledger, site)?.unwrap_or_default();
    fallen.retain(|_, verdict| *verdict != Verdict::Moved);
    let asking = Asking { thread: thread.as_deref(), policy: &policy, fallen: &fallen, now: caller.now() };
    let briefing = brief::brief(&**ledger, &asking)?;
    let kept = Kept { state, briefing };
    if ledger.access() == Access::Write {
        // One that cannot be kept is made again.
        drop(site.state().set_value(&record, &kept));
    }
    Ok(crate::health::with_proposal(&site.layout, kept.briefing))
}
