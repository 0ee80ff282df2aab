//! What only a ledger in git can do: commits, branches and ledger files. Other logs lack it, and verbs that need it are refused there.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use ken_core::event::Line;
use ken_core::{Body, EntryEvent, EntryKey, Event, EventHash, Millis};
use serde::Serialize;

use crate::error::Result;
use crate::ports::ModelCard;
use crate::projection::Projection;
use crate::query::Subset;

/// What the ledger files of the checked-out branch hold.
pub const BRANCH: Subset = Subset("branch");

/// What only a ledger in git has: commits, branches and ledger files.
pub trait GitHistory {
    /// The store in a commit (STO-11): exactly the ledger lines of its tree. What was purged since is left out here too (STO-13).
    fn as_of_commit(&self, name: &str, model: Option<&ModelCard>) -> Result<Box<dyn Projection>>;
    /// What differs between a commit and another one, or with none the working tree: only what differs is read. None where that is no
    /// shorter way, or where it cannot be told apart; then the two are folded whole.
    fn between(&self, base: &str, head: Option<&str>) -> Result<Option<Between>>;
    /// The ledger files of some commits, and where one is none those of the working tree. What they have alike is read once.
    fn ledgers_at(&self, trees: &[Option<&str>]) -> Result<Vec<Rc<LedgerAt>>>;
    /// The fold of such a ledger, to be listed and compared. Releases of this clone count.
    fn snapshot_of(&self, ledger: &Rc<LedgerAt>) -> Result<Box<dyn Projection + '_>>;
    /// The same as [`as_of_commit`](Self::as_of_commit) for who lists and compares and asks no questions: what the working tree has alike
    /// is not folded again.
    fn tree_at(&self, name: &str) -> Result<Box<dyn Projection + '_>>;
    /// An event as this clone wrote or received it.
    fn journal_event(&self, hash: &EventHash) -> Option<Event>;
    /// Looks again at entries that are about to be shown: an edit in place changes no folder. Says whether anything was edited.
    fn look_again(&mut self, keys: &[EntryKey]) -> Result<bool>;
    /// Puts what waits in the journal into this tree's ledger files, exposures in summaries (STO-14), and says how many events that were.
    fn flush(&mut self, now: Millis) -> Result<usize>;
    /// How many events wait in the journal.
    fn waiting(&self) -> Result<usize>;
    /// Brings INDEX.md in step, if this is a moment at which it is written. Where it cannot be written, somebody is told, and nothing fails.
    fn write_index_page(&mut self, moment: IndexPageMoment, now: Millis);
    /// Whether INDEX.md is this clone's own: git ignores it.
    fn owns_index_page(&self) -> bool;
    /// Puts back what this branch's files lost and what they build on; with `all`, everything the journal has.
    fn recover(&mut self, all: bool) -> Result<Recovered>;
    /// What could not be read in the ledger files, by file.
    fn problems(&self) -> Result<Vec<(String, Problem)>>;
    /// Lines of ledger files that could not be read.
    fn problem_count(&self) -> Result<usize>;
    /// Takes temporary files out that hold a text, whoever left them, and says how many there were.
    fn remove_temporaries_holding(&mut self, text: &str) -> Result<usize>;
    /// The files of a mirror as they were last seen on the disk, and what the entries were then (DOO-6).
    fn mirrored(&self, root: &str) -> Result<(Vec<Mirrored>, Option<String>)>;
    /// Remembers how the files of a mirror look. This is a note for the next time: it may be lost.
    fn set_mirrored(&mut self, root: &str, files: &[Mirrored], digest: Option<&str>) -> Result<()>;
}

/// The entries about which two trees hold different lines.
pub struct Between {
    pub keys: BTreeSet<EntryKey>,
    /// They and nothing else, as they are before.
    pub before: Box<dyn Projection>,
    /// The same after; none for the working tree, whose state the store itself has.
    pub after: Option<Box<dyn Projection>>,
}

/// A file as the store last saw it on the disk: enough to tell without reading whether it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirrored {
    /// Its path below the mirror.
    pub path: String,
    pub size: u64,
    /// When it changed, in nanoseconds.
    pub mtime: i64,
    /// Which file it was.
    pub inode: u64,
    /// The hash of its bytes.
    pub content: String,
}

/// When INDEX.md is written (COR-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexPageMoment {
    /// Somebody reads: a list, a briefing, the start of a session. A page that git tracks is left alone.
    Reading,
    /// What was written becomes part of a commit.
    Commit,
    /// Something was purged, and must not be on it.
    Purge,
}

/// The ledger of one tree, line by line. What gates and reviews compare.
#[derive(Default)]
pub struct LedgerAt {
    /// Every event with its file and line.
    pub events: Vec<(Event, String, u64)>,
    /// What purges left.
    pub stubs: Vec<Line>,
    /// Lines that are not what they should be, with their file.
    pub problems: Vec<(String, Problem)>,
    /// Entries of which something was purged here since: they count as they did, and what they say is not shown (STO-13).
    pub purged: BTreeSet<EntryKey>,
    /// Its `config.toml`.
    pub config: Option<String>,
}

impl LedgerAt {
    /// The hashes of everything it holds. What a purge of its own took out is still accounted for.
    pub fn hashes(&self) -> HashSet<EventHash> {
        let mut hashes: HashSet<EventHash> = self.events.iter().map(|(event, _, _)| event.hash).collect();
        for (event, _, _) in &self.events {
            if let Some(Body::Entry(EntryEvent::Purged { hashes: purged, .. })) = &event.body {
                hashes.extend(purged.iter().copied());
            }
        }
        hashes
    }

    /// The file and line in which each entry is first told of.
    pub fn places(&self) -> BTreeMap<EntryKey, (String, u64)> {
        let mut places: HashMap<EntryKey, (String, u64)> = HashMap::new();
        for (event, file, line) in &self.events {
            let Some(key) = event.entry else { continue };
            if matches!(event.body, Some(Body::Entry(EntryEvent::Added(_)))) || !places.contains_key(&key) {
                places.insert(key, (file.clone(), *line));
            }
        }
        places.into_iter().collect()
    }
}

/// A line that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// What kind of problem.
    pub kind: ProblemKind,
    /// What is wrong, as a sentence without a subject.
    pub problem: String,
}

/// What can be wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// A conflict marker: the file is read as the union of both sides.
    Marker,
    /// Changed after it was written.
    Changed,
    /// The beginning of a line, at the end of the file.
    Torn,
    Damaged,
    /// An `entry.added` that claims something else than its key says: it is not applied (COR-18).
    Key,
}

impl ProblemKind {
    /// The word used in answers.
    pub fn word(self) -> &'static str {
        match self {
            ProblemKind::Marker => "conflict_marker",
            ProblemKind::Changed => "hash_mismatch",
            ProblemKind::Torn => "torn_line",
            ProblemKind::Damaged => "damaged_line",
            ProblemKind::Key => "key_mismatch",
        }
    }

    /// The kind for a word.
    pub fn from_word(word: &str) -> Self {
        match word {
            "conflict_marker" => ProblemKind::Marker,
            "hash_mismatch" => ProblemKind::Changed,
            "torn_line" => ProblemKind::Torn,
            "key_mismatch" => ProblemKind::Key,
            _ => ProblemKind::Damaged,
        }
    }
}

/// What `recover` answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recovered {
    /// Events that are back in this branch's files.
    pub put_back: usize,
    /// Where they came from, in words.
    pub from: Vec<String>,
    /// Events that something builds on and that nothing in this clone has.
    pub still_missing: Vec<String>,
}
