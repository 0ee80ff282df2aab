//! What one call sees of a store: its projection at one moment, which the call may bring up to date, and what is kept in order through it.

use ken_core::{Code, EntryKey, Millis, Refusal, ReplicaId};
use serde::Serialize;

use crate::error::Result;
use crate::git_history::{GitHistory, Problem, ProblemKind};
use crate::ports::{Embedder, ModelCard};
use crate::projection::Projection;

/// Whether a store may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Write,
    /// Nothing is recorded, healed or rebuilt on disk.
    Read,
}

/// A store as one call sees it. A log gives one to each call; calls side by side have one each.
pub trait Snapshot: Send {
    /// Everything that can be read.
    fn projection(&self) -> &(dyn Projection + 'static);
    /// Whether the store may be written.
    fn access(&self) -> Access;
    /// A refusal where nothing may be written.
    fn may_write(&self) -> Result<()>;
    /// The clone that writes. It gets its name when it is first asked for.
    fn replica(&mut self) -> Result<ReplicaId>;
    /// Catches up before a call reads. It never waits for a writer: who finds the projection being written reads the last whole state,
    /// which has everything that was acknowledged in this worktree, and catches up the next time.
    fn refresh(&mut self) -> Result<()>;
    /// Gets ready for an append of this call: nothing is read until [`follow`](Self::follow).
    fn prepare_append(&mut self) {}
    /// Takes in what this call appended, whatever became of it.
    fn follow(&mut self) -> Result<()>;
    /// The store as it was at a time (STO-11): the events held now whose clock is not later. Purges count whenever they were made. The
    /// vectors of a model can be asked there, too, if it is named.
    fn as_of_time(&self, time: Millis, model: Option<&ModelCard>) -> Result<Box<dyn Projection>>;
    /// The vectors of its entries.
    fn vectors(&mut self) -> &mut dyn Vectors;
    /// Makes the projection anew from the ledger alone, and says how many entries it has.
    fn rebuild(&mut self) -> Result<usize>;
    /// Checks everything. `fix` mends what can be mended without losing a word.
    fn verify(&mut self, fix: bool) -> Result<Report>;
    /// What is wrong as far as the projection knows. No event is read again, and nobody looks whether it is what a rebuild gives.
    fn quick_check(&mut self) -> Result<Report>;
    /// What only git knows of the store; none from another log.
    fn git_history(&self) -> Option<&dyn GitHistory>;
    /// The same, to change ledger files.
    fn git_history_mut(&mut self) -> Option<&mut dyn GitHistory>;
    /// Rows of the projection in a stable order: two with the same rows answer the same.
    fn dump(&self, rows: Rows) -> Result<Vec<String>>;
    /// Sentences that somebody should read, each told once.
    fn take_notices(&mut self) -> Vec<String>;
}

/// What a store in git has, as it is asked of any store.
impl dyn Snapshot + '_ {
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

/// Which rows of a projection are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Those that events alone make: every log that holds the same events has the same.
    OfEvents,
    /// Those besides that say where this log has them.
    All,
}

/// The vectors of a store: they can be made again from its texts.
pub trait Vectors {
    /// Uses the vectors of a model from now on. Those of another one are left where they are and never asked.
    fn use_model(&mut self, card: &ModelCard) -> Result<()>;
    /// Whether the vectors of a model are in use.
    fn uses(&self, model: &str) -> bool;
    /// Looks at the vectors that other processes made since. A store that stays open would find their texts by words alone.
    fn catch_up(&mut self);
    /// The dimensions of the vectors that this clone keeps for a model, where it has any.
    fn known_dimensions(&self, model: &str) -> Option<usize>;
    /// Makes vectors for at most so many entries that have none, a few at a time, and says for which: they can be asked by meaning from
    /// now on. None where every entry has one.
    fn embed(&mut self, embedder: &dyn Embedder, at_most: usize) -> Result<Vec<EntryKey>>;
    /// Whether a read met vectors that are not as they were written, since this was last asked.
    fn take_damage(&mut self) -> bool;
    /// How many vectors are damaged. They are taken out, so that they are made anew.
    fn check(&mut self) -> Result<usize>;
    /// Takes the vectors of everything that a purged entry ever said out, whichever model made them (STO-13).
    fn forget(&mut self, key: EntryKey) -> Result<()>;
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
