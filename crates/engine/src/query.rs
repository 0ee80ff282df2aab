//! Which entries to list, in which order, a page at a time.

use ken_core::{EntryKey, Memory, Millis, Overlay, Scope, Status, TypeName};

use crate::ports::Stored;

/// A selection of entries. Every condition that is set must hold; lists hold when one of their members does.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub memories: Vec<Memory>,
    pub types: Vec<TypeName>,
    /// Sub-types, such as `decision`.
    pub subtypes: Vec<String>,
    /// Statuses; when empty, those that are handed to agents, and every one when `all`.
    pub statuses: Vec<Status>,
    pub all: bool,
    /// A domain, or what it nests in.
    pub domain: Option<String>,
    /// Tags, or what they nest in; all must be there.
    pub tags: Vec<String>,
    pub scope: Option<Scope>,
    /// Whose lines of work.
    pub threads: Threads,
    pub reviewer: Option<String>,
    /// Words that occur in it, whatever their case; all must.
    pub text: Option<String>,
    /// Changed at or after.
    pub since: Option<Millis>,
    /// First stated by.
    pub actor: Option<String>,
    /// Only what some of the events say, as they say it. A log that keeps no such subset has everything in it.
    pub subset: Option<Subset>,
    /// What this clone sees of them (BEL-9).
    pub overlaid: Overlaid,
    /// Pinned ones come first, whatever the order.
    pub pinned_first: bool,
    /// Also those whose purge a peer asked for: nobody is shown them, and what was made from them still was.
    pub purge_asked: bool,
    pub only: Option<Vec<EntryKey>>,
    /// None of these.
    pub without: Vec<EntryKey>,
    pub sort: Sort,
    /// At most this many; 0 is no limit.
    pub limit: usize,
    /// After this one: the `next` of the page before.
    pub after: Option<String>,
}

/// Which entries of threads are meant: they appear only to their own line of work (ENT-8).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// All there are.
    #[default]
    Any,
    /// Those of one thread, and nothing else.
    Only(String),
    /// What somebody in this thread, or in none, gets to see.
    SeenFrom(Option<String>),
}

/// Which entries are meant, by what this clone lays over them. About the past nothing is laid over anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlaid {
    /// What can be seen here: all but the muted and the invalidated.
    #[default]
    Visible,
    Hidden,
    /// What is pinned, and can be seen.
    Pinned,
    /// Everything: for those who keep the store in order.
    Any,
}

impl Overlaid {
    /// Whether an entry with some overlay is meant.
    pub fn admits(self, overlay: &Overlay) -> bool {
        match self {
            Overlaid::Visible => !overlay.hides(),
            Overlaid::Hidden => overlay.hides(),
            Overlaid::Pinned => overlay.pinned.is_some() && !overlay.hides(),
            Overlaid::Any => true,
        }
    }
}

impl Threads {
    /// The thread somebody looks from.
    pub fn seen_from(&self) -> Option<&str> {
        match self {
            Threads::SeenFrom(thread) => thread.as_deref(),
            Threads::Any | Threads::Only(_) => None,
        }
    }
}

/// The order of a list. Ties are broken by key, so that pages never overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Latest change first.
    #[default]
    Updated,
    /// Newest first.
    Created,
    Id,
    /// The order that is fastest to read, for callers that need none.
    Any,
}

impl Sort {
    /// Every word for an order.
    pub const WORDS: &'static [&'static str] = &["updated", "created", "id"];

    /// The order for a word, if it is one of [`Self::WORDS`].
    pub fn from_word(word: &str) -> Option<Sort> {
        match word {
            "updated" => Some(Sort::Updated),
            "created" => Some(Sort::Created),
            "id" => Some(Sort::Id),
            _ => None,
        }
    }
}

/// A page of entries.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub entries: Vec<Stored>,
    /// Where the next page begins; none when this was the last.
    pub next: Option<String>,
    /// How many entries answer in all.
    pub total: usize,
}

/// Some of the events of a log, by a name that the log gives them. What they say is folded by itself; what the name means, the log knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subset(pub &'static str);
