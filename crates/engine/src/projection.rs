//! Every read: what a projection of a log answers. All of it is one moment, and nothing of it writes.
//!
//! `ken-index` answers it once, for every log. What is here besides looks at less of it: two projections as one ([`crate::reach`]), or
//! a tree that differs from the one that is checked out.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use ken_core::decide::View;
use ken_core::promotion::Promotion;
use ken_core::run::{Exposure, Run, RunKind};
use ken_core::{
    Clock, DocumentName, EntryKey, Event, EventHash, Kept, Memory, Millis, Overlay, Relation, Serviced, Type,
    drift,
};
use ken_recall::{Mode, Question};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::glance::Glance;
use crate::log::{Cursor, LogEnd, LoggedBatch, Topic, Version};
use crate::ops::queue::Agenda;
use crate::ports::{Asked, DocumentLine, Injected, Placed, Questions, Relevant, Stored, Use};
use crate::query::{Overlaid, Page, Query};
use crate::upkeep::{Delivered, Episode, UpkeepEntry, slowly};
use crate::validity::{Footing, Subject};

/// Everything that can be read of a log.
pub trait Projection:
    Entries + Links + Search + Runs + Deliveries + Documents + Upkeep + Settings + Timeline
{
}

impl<T: Entries + Links + Search + Runs + Deliveries + Documents + Upkeep + Settings + Timeline + ?Sized>
    Projection for T
{
}

/// Entries, by name and by what they are.
pub trait Entries: View<Error = Error> {
    /// Begins a read transaction: until [`end_read`](Self::end_read) everything is read at one moment, with one lock for thousands of
    /// lookups. Says whether it did. Nothing is appended meanwhile.
    fn begin_read(&self) -> bool {
        false
    }
    /// Ends the read transaction.
    fn end_read(&self) {}
    /// The version of an entry, for what is read before a decision.
    fn version(&self, key: EntryKey) -> Result<Version>;
    /// The entries that answer to a name: an id, a handle, a key, or the beginning of one. An exact match is the only one.
    fn resolve(&self, name: &str) -> Result<Vec<EntryKey>>;
    /// Asked before a person or an agent is told that no entry has a name: fails where [`resolve`](Self::resolve) missed one because an
    /// index is damaged. It reads every entry; what looks up many names, such as citations, does without it.
    fn confirm_absent(&self, name: &str) -> Result<()> {
        let _ = name;
        Ok(())
    }
    /// An entry with where it is.
    fn stored(&self, key: EntryKey) -> Result<Option<Stored>>;
    /// Entries by what they are, a page at a time, in a stable order.
    fn list(&self, query: &Query) -> Result<Page>;
    /// The keys of every entry that a query means, in its order and without its limits.
    fn keys(&self, query: &Query) -> Result<Vec<EntryKey>> {
        let whole = Query { after: None, limit: 0, ..query.clone() };
        Ok(self.list(&whole)?.entries.iter().map(|stored| stored.entry.key).collect())
    }
    /// Every entry that a query means, one after the other in its order: whoever looks at all of a large store need not hold it. What
    /// `each` asks meanwhile is answered from the same moment.
    fn each(&self, query: &Query, each: &mut dyn FnMut(Stored) -> Result<()>) -> Result<()> {
        self.list(query)?.entries.into_iter().try_for_each(each)
    }
    /// Every semantic and procedural entry in short, whatever its status, by key; those whose purge was asked for are left out.
    fn glances(&self) -> Result<Arc<Vec<Glance>>> {
        let memories = vec![Memory::Semantic, Memory::Procedural];
        let every = Query { memories, all: true, overlaid: Overlaid::Any, ..Query::default() };
        let mut all: Vec<Glance> = self.list(&every)?.entries.iter().map(Glance::new).collect();
        all.sort_by_key(|glance| glance.key);
        Ok(Arc::new(all))
    }
    /// The events of an entry in the order they apply.
    fn history(&self, key: EntryKey) -> Result<Vec<Placed>>;
}

/// What ties entries to code, to runs and to each other.
pub trait Links: Entries {
    /// Entries tied to this one from their side: how, and which.
    fn tied_to(&self, key: EntryKey) -> Result<Vec<(Relation, EntryKey)>>;
    /// Every entry as far as its validity is concerned, what is no longer handed out included, episodic records left out.
    fn subjects(&self) -> Result<Vec<Subject>>;
    /// The same, one after the other: whoever looks at all of a large store need not hold it.
    fn each_subject(&self, each: &mut dyn FnMut(Subject) -> Result<()>) -> Result<()> {
        self.subjects()?.into_iter().try_for_each(each)
    }
    /// What the entries that are in use rest on.
    fn footing(&self) -> Result<Arc<Footing>> {
        Ok(Arc::new(Footing::new(&self.subjects()?)))
    }
    /// What waits for a judgement by what entries say; `make` finds it, unless it is known for this very state of the store.
    fn agenda(&self, make: &dyn Fn() -> Result<Agenda>) -> Result<Arc<Agenda>> {
        make().map(Arc::new)
    }
    /// Entries that name a run as their source.
    fn made_in(&self, run: &str) -> Result<Vec<EntryKey>>;
    /// Entries with an anchor in a file: verified ones first, then active ones, the newest first.
    fn at_path(&self, path: &str) -> Result<Vec<EntryKey>>;
    /// Every file that an entry has an anchor in, with the entry, by path.
    fn places(&self) -> Result<Vec<(String, EntryKey)>> {
        slowly::places(self)
    }
}

/// The same entries, question and model give the same answer, whatever was read in between.
pub trait Search: Entries {
    /// The entries that answer a question.
    fn relevant(&self, asked: &Asked<'_>) -> Result<Relevant>;
    /// The entries whose words are most like those of each question, the most alike first, for asking many at once. Meaning takes no
    /// part.
    fn worded_like(
        &self,
        questions: &[Question],
        among: &Query,
        wanted: usize,
    ) -> Result<Vec<Vec<EntryKey>>> {
        let mut all = Vec::with_capacity(questions.len());
        for question in questions {
            let asked = Asked {
                question,
                among,
                mode: Mode::Lexical,
                wanted,
                thread: among.threads.seen_from(),
                embedder: None,
                by_standing: false,
                debug: false,
                unasked_in: None,
            };
            let relevant = if question.is_empty() { Relevant::default() } else { self.relevant(&asked)? };
            all.push(relevant.hits.iter().map(|hit| hit.stored.entry.key).collect());
        }
        Ok(all)
    }
    /// How near the meanings of two entries are, for each pair; none where a vector is missing.
    fn alike(&self, pairs: &[(EntryKey, EntryKey)]) -> Result<Vec<Option<f64>>> {
        Ok(vec![None; pairs.len()])
    }
    /// How many entries wait for a vector.
    fn backlog(&self) -> Result<usize>;
}

/// What is known of runs, and what was asked for on the ladder of authority (GAT-2).
pub trait Runs {
    /// A run as it stands, with what was reported.
    fn run(&self, name: &str) -> Result<Option<Run>>;
    /// Every run as it stands, oldest first, without what was reported.
    fn runs(&self) -> Result<Vec<Run>>;
    /// The same of runs that began or ended since a time: a store has few of those, however old it is.
    fn runs_since(&self, since: Millis) -> Result<Vec<Run>> {
        let is_of_lately = |run: &Run| {
            run.at.millis() >= since || run.finished.as_ref().is_some_and(|(_, at)| at.millis() >= since)
        };
        Ok(self.runs()?.into_iter().filter(is_of_lately).collect())
    }
    /// The same of runs of some kinds.
    fn runs_of(&self, kinds: &[RunKind]) -> Result<Vec<Run>> {
        Ok(self.runs()?.into_iter().filter(|run| kinds.contains(&run.started.kind)).collect())
    }
    /// The name of every run.
    fn run_names(&self) -> Result<Vec<String>> {
        Ok(self.runs()?.into_iter().map(|run| run.started.run).collect())
    }
    /// The names of runs that succeeded, or ended, with several entries used.
    fn runs_with_uses(&self) -> Result<Vec<String>> {
        let used_several = |run: &Run| {
            run.finished.as_ref().is_some_and(|(end, _)| end.used.as_ref().is_some_and(|used| used.len() > 1))
        };
        Ok(self.runs()?.into_iter().filter(used_several).map(|run| run.started.run).collect())
    }
    /// What became of services since a time, oldest first (UPK-6).
    fn serviced(&self, since: Millis) -> Result<Vec<Serviced>>;
    /// Everything the forager was asked, did and learned, oldest first (FOR-4).
    fn foraged(&self) -> Result<Vec<Event>>;
    /// Every proposal as it stands, oldest first.
    fn promotions(&self) -> Result<Vec<Promotion>>;
}

/// What was put before whom, what was used, and what was asked in vain.
pub trait Deliveries: Entries {
    /// Who was shown what in a run, or on a day (`@2026-11-15`) in none.
    fn exposures(&self, run: &str) -> Result<Vec<Exposure>>;
    /// What an agent was shown in a run, or on a day in none.
    fn shown_to(&self, run: &str, agent: &str) -> Result<HashSet<EntryKey>> {
        let shown = self.exposures(run)?.into_iter().filter(|seen| seen.agent == agent);
        Ok(shown.map(|seen| seen.entry).collect())
    }
    /// Everybody who was shown an entry since a time, with the run, or the day (`@2026-11-15`) where there was none.
    fn shown(&self, key: EntryKey, since: Millis) -> Result<Vec<(String, Exposure)>>;
    /// What one actor had injected since a time under whichever name, with the run, or the day where there was none.
    fn injected_by(&self, actor: &str, since: Millis) -> Result<Vec<(String, Exposure)>>;
    /// Completed reviews in which an entry was injected before they ended.
    fn injected(&self, key: EntryKey) -> Result<Vec<Injected>>;
    /// The same of every entry (REV-4), by entry.
    fn injections(&self) -> Result<Vec<(EntryKey, Injected)>> {
        slowly::injections(self)
    }
    /// Successful runs that said they used an entry.
    fn uses(&self, key: EntryKey) -> Result<Vec<Use>>;
    /// How often each entry was put before somebody.
    fn times_shown(&self) -> Result<BTreeMap<EntryKey, usize>>;
    /// When each entry was last put before somebody or used, and how often, by entry; those that never were are left out.
    fn delivered(&self) -> Result<Vec<(EntryKey, Delivered)>> {
        slowly::delivered(self)
    }
    /// What was asked since a time and not answered, with at most so many questions, the latest first.
    fn questions(&self, since: Millis, latest: usize) -> Result<Questions>;
}

/// Files of other systems that the store keeps in step with (DOO-6).
pub trait Documents {
    /// Every file that is known, by its name; of one format or folder where that is asked for.
    fn documents(&self, format: Option<&str>, root: Option<&str>) -> Result<Vec<DocumentLine>>;
    /// A file with all its parts.
    fn document(&self, name: &DocumentName) -> Result<Option<Kept>>;
    /// Everything that was ever said about files with the text of an entry in it.
    fn quoting(&self, key: EntryKey) -> Result<Vec<Event>>;
    /// Whether an entry was purged and nobody stated it since.
    fn was_purged(&self, key: EntryKey) -> Result<bool>;
    /// The files that hold each entry.
    fn homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>>;
    /// Entries that no file holds any more, with the known files that held them before.
    fn former_homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>>;
}

/// What figures about a whole store look at: every entry in a few columns.
///
/// What is given here is right and slow; an index overrides it with what it knows. Nothing here looks at code, and entries whose
/// purge was asked for are left out everywhere.
pub trait Upkeep: Entries {
    /// How many entries of each memory, type and status there are.
    fn counts(&self) -> Result<Counts>;
    /// Every semantic and procedural entry, whatever its status, by key.
    fn tended(&self) -> Result<Vec<UpkeepEntry>> {
        slowly::tended(self)
    }
    /// Names every norm with everything it says: it is another one as soon as one of them changes. None where nobody keeps that.
    fn norms_print(&self) -> Result<Option<u64>> {
        Ok(None)
    }
    /// Records of one type that can be seen here, from a thread if one is named, and that changed since a time; oldest first.
    fn episodes(&self, kind: Type, since: Option<Millis>, thread: Option<&str>) -> Result<Vec<Episode>> {
        slowly::episodes(self, kind, since, thread)
    }
    /// Every semantic and procedural entry that is handed out here, one reviewer's if one is named, as far as drift is concerned. In no order.
    fn drifting(&self, reviewer: Option<&str>) -> Result<Vec<drift::Subject>> {
        slowly::drifting(self, reviewer)
    }
    /// When every entry that changed since a time was stated, and when it last changed.
    fn changes(&self, since: Millis) -> Result<Vec<(Clock, Clock)>> {
        slowly::changes(self, since)
    }
}

/// What happened, in the order of the log. About the past most of it is not known, and not asked.
pub trait Timeline {
    /// The end of what happened.
    fn end(&self) -> Result<Cursor> {
        Ok(Cursor::default())
    }
    /// How the log ended when it was last looked at, where that can be told.
    fn log_end(&self) -> Result<Option<LogEnd>> {
        Ok(None)
    }
    /// The clock of the latest event about something; none where nothing was said of it.
    fn latest_clock(&self, topic: &Topic) -> Result<Option<Clock>> {
        let _ = topic;
        Ok(None)
    }
    /// The latest write of this clone by somebody, newest event last, without what was merely noticed.
    fn latest_by(&self, actor: &str) -> Result<Vec<Event>> {
        let _ = actor;
        Ok(Vec::new())
    }
    /// The last batches of all that happened, with at least so many events where there are as many. The first of them may lack its
    /// beginning; at least one is told where there is any, for its cursor.
    fn latest(&self, events: usize) -> Result<Vec<LoggedBatch>> {
        let _ = events;
        Ok(Vec::new())
    }
    /// How many events the ledger holds.
    fn event_count(&self) -> Result<usize> {
        Ok(0)
    }
    /// Every event with a later clock, more or less: who asks looks at the clocks.
    fn dated_after(&self, clock: Clock) -> Result<Vec<Placed>> {
        let _ = clock;
        Ok(Vec::new())
    }
    /// Every event that holds a text, as it is or as JSON writes it. Words of the format are looked for only in what somebody said.
    fn events_holding(&self, text: &str) -> Result<Vec<Event>> {
        let _ = text;
        Ok(Vec::new())
    }
    /// The events that a purge which counts names.
    fn purged(&self) -> Result<Vec<EventHash>> {
        Ok(Vec::new())
    }
    /// Names everything that a briefing looks at: entries, runs, unanswered questions and overlays, but not what was read.
    fn position(&self) -> Result<String> {
        Ok(String::new())
    }
}

/// How many entries of each memory, type and status there are.
pub type Counts = Vec<(String, String, String, i64)>;

/// What holds for the whole store, and what this clone alone keeps beside it.
pub trait Settings {
    /// A setting that everybody shares.
    fn setting(&self, name: &str) -> Result<Option<Value>>;
    /// A digest of everything an answer depends on: entries, links and settings, but not what was read.
    fn digest(&self) -> Result<String>;
    /// What this clone lays over an entry (BEL-9); nothing over most.
    fn overlay(&self, key: EntryKey) -> Overlay;
    /// What an entry would have said that was kept out (IN-1).
    fn held(&self, key: EntryKey) -> Result<Option<Value>>;
}

/// Runs something that reads much in one read transaction.
pub fn in_one_read<T>(entries: &dyn Projection, read: impl FnOnce() -> T) -> T {
    struct Begun<'a>(&'a dyn Projection);
    impl Drop for Begun<'_> {
        fn drop(&mut self) {
            self.0.end_read();
        }
    }
    let _begun = entries.begin_read().then(|| Begun(entries));
    read()
}
