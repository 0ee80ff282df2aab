//! What was found out about code, and what that rests on. It is never a source: who asks compares the files first.

use std::collections::HashMap;

use ken_core::validity::Answer;
use ken_core::{PlaceVerdict, Verdict};

use crate::error::Result;

/// Where the judgements of a worktree are kept.
pub trait JudgementStore: Send + Sync {
    /// Opens them; none where nothing can be kept, or somebody else is busy with them.
    fn open(&self) -> Option<Box<dyn Judgements>>;
    /// Names what was found out until now; none where nobody looked.
    fn mark(&self) -> Option<String>;
}

/// The judgements of one worktree, kept until the next question.
pub trait Judgements: Send {
    /// Every file that was seen.
    fn files(&self) -> Result<HashMap<String, SeenFile>>;
    /// A file as it was last seen.
    fn file(&self, path: &str) -> Result<Option<SeenFile>>;
    /// A judgement by its mark.
    fn get(&self, mark: u64) -> Result<Option<Judgement>>;
    /// The places and conditions that did not hold when they were last looked at.
    fn not_fresh(&self) -> Result<Vec<(u64, Verdict)>>;
    /// When a content of a file came to be, in seconds.
    fn changed_at(&self, mark: u64) -> Result<Option<i64>>;
    fn all(&self) -> Result<HashMap<u64, Judgement>>;
    /// The latest look at the whole tree.
    fn latest(&self) -> Result<i64>;
    /// Keeps what was found out.
    fn keep(&mut self, news: &JudgementUpdate) -> Result<()>;
}

/// A file as it was last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenFile {
    /// Bytes.
    pub size: u64,
    /// When its content changed, in nanoseconds.
    pub mtime: i64,
    /// When anything about it changed.
    pub ctime: i64,
    /// Which file it is.
    pub inode: u64,
    /// When it was looked at, in nanoseconds.
    pub seen: i64,
    pub blob: String,
    /// The look at the whole tree in which it was found changed.
    pub generation: i64,
}

/// What was found out about a place or a condition, and what that rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What was found out.
    pub judged: Judged,
    /// The files that were read, with their contents then; an empty one was not there.
    pub looked: Vec<(String, String)>,
    /// It is not in its own file; where else it is was searched for.
    pub lost: bool,
    /// It depends on which files there are: a name of that list.
    pub listing: Option<u64>,
    /// It depends on everything that is in them: the look at the tree it was judged by.
    pub generation: Option<i64>,
    /// Words without which no file changes it.
    pub words: Vec<String>,
}

/// What a judgement is about, and what it came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    Place(PlaceVerdict),
    Condition(Answer),
}

impl Judgement {
    /// What became of the place it is about; none where it is about a condition.
    pub fn place(&self) -> Option<&PlaceVerdict> {
        match &self.judged {
            Judged::Place(found) => Some(found),
            Judged::Condition(_) => None,
        }
    }
}

/// What was found out since the last time.
#[derive(Debug, Default)]
pub struct JudgementUpdate {
    /// Files as they look now.
    pub files: Vec<(String, SeenFile)>,
    /// Files that are gone.
    pub gone: Vec<String>,
    pub judgements: Vec<(u64, Judgement)>,
    /// When contents of files came to be, in seconds.
    pub changes: Vec<(u64, i64)>,
    /// Judgements that nobody asks for any more.
    pub forgotten: Vec<u64>,
}

impl JudgementUpdate {
    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.gone.is_empty()
            && self.judgements.is_empty()
            && self.changes.is_empty()
            && self.forgotten.is_empty()
    }
}
