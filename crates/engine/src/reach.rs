//! The project's store and the global one, read as if they were one (COR-2).

use std::collections::{BTreeMap, HashMap, HashSet};

use ken_core::decide::View;
use ken_core::promotion::Promotion;
use ken_core::run::{Exposure, Run, RunKind};
use ken_core::words::normalise_statement;
use ken_core::{
    Clock, DocumentName, Entry, EntryKey, Event, EventHash, GivenId, Kept, Millis, Overlay, Relation, Scope,
    Serviced,
};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::log::{Cursor, LogEnd, LoggedBatch, Topic, Version};
use crate::ports::{Asked, DocumentLine, Hit, Injected, Placed, Questions, Relevant, Stored, Use};
use crate::projection::{
    Counts, Deliveries, Documents, Entries, Links, Projection, Runs, Search, Settings, Timeline, Upkeep,
};
use crate::query::{Page, Query};
use crate::validity::Subject;

/// Both stores. An entry that both have is the project's, and so is everything that is not about single entries.
pub struct JoinedStores<'a> {
    pub project: &'a dyn Projection,
    pub global: &'a dyn Projection,
}

/// An answer of the global store: it reaches that far, and its file is not in this project.
fn from_the_global_store(mut hit: Hit) -> Hit {
    hit.stored.entry.fields.scope = Some(Scope::Global);
    hit.stored.checkout = None;
    hit
}

/// What an entry says, whatever its scope: the same statement has another key in each store.
fn said(hit: &Hit) -> (String, String) {
    let Entry { kind, fields, .. } = &hit.stored.entry;
    let claim = kind.known().map_or_else(|| fields.statement().into_owned(), |known| fields.claim(known));
    (kind.word().to_owned(), normalise_statement(&claim))
}

/// Methods that only the project's store answers.
macro_rules! of_the_project {
    ($(fn $name:ident(&self $(, $argument:ident: $kind:ty)*) -> $answer:ty;)*) => {
        $(fn $name(&self $(, $argument: $kind)*) -> Result<$answer> {
            self.project.$name($($argument),*)
        })*
    };
}

impl View for JoinedStores<'_> {
    type Error = Error;

    fn entry(&self, key: EntryKey) -> Result<Option<Entry>> {
        match self.project.entry(key)? {
            Some(entry) => Ok(Some(entry)),
            None => self.global.entry(key),
        }
    }

    of_the_project! {
        fn holder(&self, id: &GivenId) -> Option<EntryKey>;
        fn handle_taken(&self, handle: &str) -> bool;
        fn merged(&self, name: &str) -> Option<EntryKey>;
    }
}

impl Documents for JoinedStores<'_> {
    of_the_project! {
        fn documents(&self, format: Option<&str>, root: Option<&str>) -> Vec<DocumentLine>;
        fn document(&self, name: &DocumentName) -> Option<Kept>;
        fn quoting(&self, key: EntryKey) -> Vec<Event>;
        fn was_purged(&self, key: EntryKey) -> bool;
        fn homes(&self) -> BTreeMap<EntryKey, Vec<DocumentName>>;
        fn former_homes(&self) -> BTreeMap<EntryKey, Vec<DocumentName>>;
    }
}

impl Runs for JoinedStores<'_> {
    of_the_project! {
        fn run(&self, name: &str) -> Option<Run>;
        fn runs(&self) -> Vec<Run>;
        fn runs_since(&self, since: Millis) -> Vec<Run>;
        fn runs_of(&self, kinds: &[RunKind]) -> Vec<Run>;
        fn run_names(&self) -> Vec<String>;
        fn runs_with_uses(&self) -> Vec<String>;
        fn serviced(&self, since: Millis) -> Vec<Serviced>;
        fn foraged(&self) -> Vec<Event>;
        fn promotions(&self) -> Vec<Promotion>;
    }
}

impl Deliveries for JoinedStores<'_> {
    of_the_project! {
        fn exposures(&self, run: &str) -> Vec<Exposure>;
        fn shown_to(&self, run: &str, agent: &str) -> HashSet<EntryKey>;
        fn shown(&self, key: EntryKey, since: Millis) -> Vec<(String, Exposure)>;
        fn injected_by(&self, actor: &str, since: Millis) -> Vec<(String, Exposure)>;
        fn injected(&self, key: EntryKey) -> Vec<Injected>;
        fn uses(&self, key: EntryKey) -> Vec<Use>;
        fn times_shown(&self) -> BTreeMap<EntryKey, usize>;
        fn questions(&self, since: Millis, latest: usize) -> Questions;
    }
}

impl Upkeep for JoinedStores<'_> {
    of_the_project! { fn counts(&self) -> Counts; }
}

impl Settings for JoinedStores<'_> {
    fn overlay(&self, key: EntryKey) -> Overlay {
        self.project.overlay(key)
    }

    fn digest(&self) -> Result<String> {
        let both = format!("{} {}", self.project.digest()?, self.global.digest()?);
        Ok(blake3::hash(both.as_bytes()).to_hex()[..16].to_owned())
    }

    of_the_project! {
        fn setting(&self, name: &str) -> Option<Value>;
        fn held(&self, key: EntryKey) -> Option<Value>;
    }
}

impl Timeline for JoinedStores<'_> {
    of_the_project! {
        fn end(&self) -> Cursor;
        fn log_end(&self) -> Option<LogEnd>;
        fn latest_clock(&self, topic: &Topic) -> Option<Clock>;
        fn latest_by(&self, actor: &str) -> Vec<Event>;
        fn latest(&self, events: usize) -> Vec<LoggedBatch>;
        fn event_count(&self) -> usize;
        fn dated_after(&self, clock: Clock) -> Vec<Placed>;
        fn events_holding(&self, text: &str) -> Vec<Event>;
        fn purged(&self) -> Vec<EventHash>;
        fn position(&self) -> String;
    }
}

impl Search for JoinedStores<'_> {
    /// The best of both. How well a text answers is a likelihood, so answers of two stores compare.
    fn relevant(&self, asked: &Asked<'_>) -> Result<Relevant> {
        let mut here = self.project.relevant(asked)?;
        let there = self.global.relevant(asked)?;
        let known = here.hits.iter().enumerate().map(|(at, hit)| (said(hit), at));
        let known: HashMap<(String, String), usize> = known.collect();
        for hit in there.hits {
            let Some(at) = known.get(&said(&hit)) else {
                here.hits.push(from_the_global_store(hit));
                continue;
            };
            // The project's is shown, and is as relevant as the more relevant of the two.
            let own = &mut here.hits[*at];
            if hit.found.similarity > own.found.similarity {
                own.found = hit.found;
            }
            if asked.debug {
                let why = format!("the project has the same statement: {}", own.stored.id);
                here.left_out.push((hit.stored.id, why));
            }
        }
        if there.ranked.confidence > here.ranked.confidence {
            here.ranked.confidence = there.ranked.confidence;
        }
        here.hits.sort_by(|one, other| other.found.similarity.total_cmp(&one.found.similarity));
        here.hits.truncate(asked.wanted);
        here.left_out.extend(there.left_out);
        Ok(here)
    }

    of_the_project! { fn backlog(&self) -> usize; }
}

impl Entries for JoinedStores<'_> {
    fn resolve(&self, name: &str) -> Result<Vec<EntryKey>> {
        let here = self.project.resolve(name)?;
        if here.is_empty() { self.global.resolve(name) } else { Ok(here) }
    }

    fn confirm_absent(&self, name: &str) -> Result<()> {
        self.project.confirm_absent(name)?;
        self.global.confirm_absent(name)
    }

    fn stored(&self, key: EntryKey) -> Result<Option<Stored>> {
        match self.project.stored(key)? {
            Some(stored) => Ok(Some(stored)),
            None => self.global.stored(key),
        }
    }

    fn history(&self, key: EntryKey) -> Result<Vec<Placed>> {
        let here = self.project.history(key)?;
        if here.is_empty() { self.global.history(key) } else { Ok(here) }
    }

    of_the_project! {
        fn version(&self, key: EntryKey) -> Version;
        fn list(&self, query: &Query) -> Page;
    }
}

impl Links for JoinedStores<'_> {
    fn tied_to(&self, key: EntryKey) -> Result<Vec<(Relation, EntryKey)>> {
        let mut ties = self.project.tied_to(key)?;
        ties.extend(self.global.tied_to(key)?);
        ties.dedup();
        Ok(ties)
    }

    of_the_project! {
        fn subjects(&self) -> Vec<Subject>;
        fn made_in(&self, run: &str) -> Vec<EntryKey>;
        fn at_path(&self, path: &str) -> Vec<EntryKey>;
    }
}
