//! A store as verbs hold it: beyond recording and answering it tells what happened, embeds, forgets, and looks after itself. What only a
//! ledger in git can do is a port of its own, and optional.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Deref;
use std::rc::Rc;

use ken_core::event::Line;
use ken_core::{Body, Code, EntryEvent, EntryKey, Event, EventHash, Intent, Millis, Refusal};
use serde::Serialize;

use crate::error::Result;
use crate::judgements::Judgements;
use crate::log::{Bytes, Cursor, LoggedBatch, Version};
use crate::ports::{Embedder, Ledger, ModelCard, Writer};
use crate::projection::Projection;

/// Whether a store may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Write,
    /// Nothing is recorded, healed or rebuilt on disk.
    Read,
}

/// An open store, for one call at a time: its ledger, with what a call needs besides.
pub trait OpenStore: Ledger + History + Embedding + Erasure + Care {
    /// Whether it may be written.
    fn access(&self) -> Access;
    /// A refusal where nothing may be written.
    fn may_write(&self) -> Result<()>;
    /// From now on the next change is kept only if the entry is still of this version: it is refused otherwise ([`ken_core::Code::Changed`]).
    fn expect(&mut self, entry: Option<(EntryKey, Version)>);
    /// Catches up for a handle that was idle, before it reads. It never waits for a writer: who finds the index being written reads the
    /// last whole state, which has everything that was acknowledged in this worktree, and catches up the next time.
    fn refresh(&mut self) -> Result<()>;
    /// What this handle writes from now on belongs together, until `end_command`: `undo` takes back all of it.
    fn begin_command(&mut self);
    /// What is written from now on belongs to nothing that was written before.
    fn end_command(&mut self);
    /// Entries that this handle said something about since it was last asked; what waits in the journal is left out.
    fn take_written(&mut self) -> Vec<EntryKey>;
    /// Waits until nobody else in this clone does some thing, then catches up with what they wrote. Held as long as the value lives.
    fn alone(&mut self, doing: &str) -> Result<Box<dyn Send>>;
    /// Tells somebody something, once.
    fn notice(&mut self, text: String);
    /// Sentences that somebody should read, each said once.
    fn take_notices(&mut self) -> Vec<String>;
    /// What was found out about code; none where nothing can be kept.
    fn judgements(&self) -> Option<Box<dyn Judgements>>;
    /// Names what was found out about code until now; none where nobody looked.
    fn judged(&self) -> Option<String>;
    /// What only git knows of it; none from another log.
    fn git_history(&self) -> Option<&dyn GitHistory>;
    /// The same, to change ledger files.
    fn git_history_mut(&mut self) -> Option<&mut dyn GitHistory>;
}

impl Deref for dyn OpenStore + '_ {
    type Target = dyn Projection;

    fn deref(&self) -> &Self::Target {
        self.projection()
    }
}

impl dyn OpenStore + '_ {
    /// What only git knows; refused for a store that is kept elsewhere.
    pub fn git(&self) -> Result<&dyn GitHistory> {
        self.git_history().ok_or_else(|| not_in_git().into())
    }

    /// The same, to change ledger files.
    pub fn git_mut(&mut self) -> Result<&mut dyn GitHistory> {
        self.git_history_mut().ok_or_else(|| not_in_git().into())
    }

    /// How many events wait in the journal; none where there is no other place for them.
    pub fn waiting(&self) -> Result<usize> {
        self.git_history().map_or(Ok(0), |git| git.waiting())
    }

    /// What could not be read in the ledger files, by file.
    pub fn problems(&self) -> Result<Vec<(String, Problem)>> {
        self.git_history().map_or(Ok(Vec::new()), |git| git.problems())
    }

    /// How many lines of ledger files could not be read.
    pub fn problem_count(&self) -> Result<usize> {
        self.git_history().map_or(Ok(0), |git| git.problem_count())
    }

    /// Whether INDEX.md is this clone's own: git ignores it.
    pub fn owns_index_page(&self) -> bool {
        self.git_history().is_some_and(|git| git.owns_index_page())
    }

    /// Looks again at entries that are about to be shown, where they lie in files ([`GitHistory::look_again`]).
    pub fn look_again(&mut self, keys: &[EntryKey]) -> Result<bool> {
        self.git_history_mut().map_or(Ok(false), |git| git.look_again(keys))
    }
}

fn not_in_git() -> Refusal {
    Refusal::new(
        Code::NotAllowed,
        "this store is not kept in git; it has no commits, branches or ledger files",
    )
    .hint("run this in a repository whose store `ken init` made")
}

/// What happened, in the order of the log.
pub trait History {
    /// The end of what happened, as this handle knows it.
    fn end(&mut self) -> Result<Cursor>;
    /// What happened since, batch by batch and not much longer than a limit ([`crate::log::EventLog::since`]).
    fn since(&mut self, at: Cursor, limit: Bytes) -> Result<Vec<LoggedBatch>>;
    /// The last batches of all that happened, with at least so many events where there are as many. The first of them may lack its
    /// beginning; at least one is told where there is any, for its cursor.
    fn latest(&mut self, events: usize) -> Result<Vec<LoggedBatch>>;
    /// The store as it was at a time (STO-11): the events held now whose clock is not later. Purges count whenever they were made. The
    /// vectors of a model can be asked there, too, if it is named.
    fn as_of_time(&self, time: Millis, model: Option<&ModelCard>) -> Result<Box<dyn Projection>>;
    /// Names everything that a briefing looks at: entries, runs, unanswered questions and overlays, but not what was read.
    fn position(&self) -> Result<String>;
}

/// Hears which entries can be asked by meaning from now on, and says whether to go on.
pub type Embedded<'a> = dyn FnMut(&mut dyn OpenStore, &[EntryKey]) -> Result<bool> + 'a;

/// Records what many callers of a process are shown at the same time, in groups.
pub trait Recorder: Send + Sync {
    /// Records observations. They are durable when it returns, and every handle sees them at its next call.
    ///
    /// Refused for anything but observations: what changes an entry is appended by itself.
    fn record(&self, intents: Vec<Intent>, writer: Writer) -> Result<()>;
    /// Takes observations down in passing: whoever reads waits for no writer. They are written at once by a thread of the recorder, or
    /// the next call hears why not; who depends on them calls [`Recorder::settle`] first.
    fn note(&self, intents: Vec<Intent>, writer: Writer) -> Result<()>;
    /// Waits until everything that was noted is recorded.
    fn settle(&self);
}

/// The vectors of a store: they can be made again from its texts.
pub trait Embedding {
    /// Uses the vectors of a model from now on. Embedding of another one are left where they are and never asked.
    fn use_model(&mut self, card: &ModelCard) -> Result<()>;
    /// Looks at the vectors that other processes made since. A store that stays open would find their texts by words alone.
    fn catch_up_vectors(&mut self);
    /// The dimensions of the vectors that this clone keeps for a model, where it has any.
    fn known_dimensions(&self, model: &str) -> Option<usize>;
    /// Makes vectors for at most so many entries that have none, and says how many still wait. After each batch `made` is told
    /// which entries can be asked by meaning from now on, and says whether to go on.
    fn embed(&mut self, embedder: &dyn Embedder, at_most: usize, made: &mut Embedded<'_>) -> Result<usize>;
    /// How many vectors are damaged. They are taken out, so that they are made anew.
    fn check_vectors(&mut self) -> Result<usize>;
    /// Takes the vectors of everything that a purged entry ever said out, whichever model made them (STO-13).
    fn forget_vectors(&mut self, key: EntryKey) -> Result<()>;
}

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

/// Taking bytes out for good (STO-13).
pub trait Erasure {
    /// Takes the bytes out of everything that purges name, and says which files were touched.
    fn take_out_purged(&mut self) -> Result<Vec<String>>;
    /// Every event that holds a text, as it is or as JSON writes it. Words of the format are looked for only in what somebody said.
    fn events_holding(&self, text: &str) -> Result<Vec<Event>>;
    /// Remembers that a text was purged, so that this clone knows it for a secret when it comes again. It is kept nowhere.
    fn remember_purged(&mut self, text: &str) -> Result<()>;
    /// Takes temporary files out that hold a text, whoever left them, and says how many there were.
    fn remove_temporaries_holding(&mut self, text: &str) -> Result<usize>;
    /// Takes what this clone laid over an entry out, with its notes.
    fn forget_overlays(&mut self, key: EntryKey) -> Result<()>;
    /// Takes every overlay out that holds a text, and says how many there were.
    fn forget_overlays_holding(&mut self, text: &str) -> Result<usize>;
    /// Lets go of everything in the quarantine that holds a text, and says how much there was.
    fn let_go_of(&mut self, text: &str) -> Result<usize>;
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

/// How a store is kept in order.
pub trait Care {
    /// Makes the index anew from the ledger alone, and says how many entries it has.
    fn rebuild(&mut self) -> Result<usize>;
    /// Checks everything. `fix` mends what can be mended without losing a word.
    fn verify(&mut self, fix: bool) -> Result<Report>;
    /// What is wrong as far as the index knows. No event is read again, and nobody looks whether the index is what a rebuild gives.
    fn quick_check(&mut self) -> Result<Report>;
    /// How many events the ledger holds.
    fn event_count(&self) -> Result<usize>;
    /// Events whose clock is so far ahead of this machine's that one of the two is wrong (COR-4).
    fn wrong_clocks(&self, now: Millis) -> Result<Vec<Finding>>;
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

/// Something that `verify` found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    pub code: &'static str,
    /// The file, below the store's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// What `verify` answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    pub pass: bool,
    /// What is wrong.
    pub errors: Vec<Finding>,
    /// What somebody should know.
    pub notices: Vec<Finding>,
    /// What `--fix` mended.
    pub fixed: Vec<String>,
    /// Ledger files that were read.
    pub files: usize,
    /// Lines that were read.
    pub lines: usize,
    /// Distinct events in the tree.
    pub events: usize,
    /// Entries of every kind and status, notes included.
    pub entries: usize,
    /// Those in use, as `ken list` counts them.
    pub in_use: usize,
}

impl Report {
    /// How many lines of ledger files are not what they should be.
    pub fn unreadable_lines(&self) -> usize {
        let kinds = [
            ProblemKind::Marker,
            ProblemKind::Changed,
            ProblemKind::Torn,
            ProblemKind::Damaged,
            ProblemKind::Key,
        ];
        let is_one = |finding: &&Finding| kinds.iter().any(|kind| kind.word() == finding.code);
        self.errors.iter().chain(&self.notices).filter(is_one).count()
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

/// How a store is set up.
#[derive(Clone, Copy, Debug, Default)]
pub struct SetUp {
    /// Keep it out of git.
    pub private: bool,
    /// Install the pre-commit hook that flushes what waits in the journal.
    pub hooks: bool,
}

/// What was done to set a store up, in sentences.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetUpReport {
    /// The store's folder, below the project.
    pub store: String,
    /// Whether anything changed.
    pub changed: bool,
    /// What was done.
    pub done: Vec<String>,
}
