//! Small state: named records that a clone keeps beside the ledger, and that nobody else ever sees; and the few that lie in the store's own
//! folder, where everybody has them.
//!
//! [`CloneState`] says what a place for them must do: files of a git clone are one, a map in memory is another, rows of a database may be
//! a third. [`RecordKind`] lists every kind of record there is, with its size, its age and what a purge does to it, so that no kind can
//! be forgotten by a purge. Without any of these records less is known and nothing is wrong, tokens apart.

mod memory;

use std::time::Duration;

use ken_core::{Code, Millis, Refusal, canonical};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::limits::state::{
    ANSWER_BYTES_MAX, DROPPED_BYTES_MAX, LARGE_BYTES_MAX, LINES_BYTES_MAX, PLAIN_BYTES_MAX, REPLAYS_KEPT,
    REPLAYS_MAX, RESTED, UNANSWERED_MAX,
};
pub use memory::MemoryState;

/// A place for records.
///
/// Every method may be called from many threads and processes. What `write`, `append` and `remove` did is seen by every call that begins
/// later.
pub trait CloneState: Send + Sync {
    /// What a record holds; none where there is none. One that is larger than its kind allows is none, too: a list is read as far as it may go,
    /// and a rolling list with its older half first.
    fn read(&self, record: &Record) -> Result<Option<Vec<u8>>>;

    /// Replaces a record as a whole: readers see the old or the new bytes. Refused where they are more than its kind allows.
    fn write(&self, record: &Record, bytes: &[u8]) -> Result<()>;

    /// Adds a line, without its end, to a list. Several who append at once lose nothing. Refused where a list would grow longer than its kind
    /// allows; a rolling one lets its older half go.
    fn append(&self, record: &Record, line: &[u8]) -> Result<()>;

    /// Removes a record, and says whether it was there. Of several who try at once, one is told so.
    fn remove(&self, record: &Record) -> Result<bool>;

    /// The records of a kind with when each was last written, by name.
    fn names(&self, kind: RecordKind) -> Result<Vec<Named>>;

    /// Waits until nobody else holds the lock of a record, and holds it until the answer is dropped. It says nothing about who reads and writes.
    fn lock(&self, record: &Record) -> Result<Box<dyn Send>>;

    /// The same where nobody holds it; none where somebody does.
    fn try_lock(&self, record: &Record) -> Result<Option<Box<dyn Send>>>;
}

/// A record of a kind, as a list of them tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// What follows the kind in its name; nothing where a kind has but one record.
    pub name: String,
    /// When it was last written.
    pub written: Millis,
}

/// The name of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    kind: RecordKind,
    name: String,
}

impl Record {
    pub fn kind(&self) -> RecordKind {
        self.kind
    }

    /// Its path among the records of its scope, with `/` between the parts.
    pub fn path(&self) -> String {
        self.kind.rules().pattern.replace('*', &self.name)
    }

    /// Whether so many bytes are more than its kind allows.
    pub fn check_size(&self, bytes: usize) -> Result<()> {
        let most = self.kind.rules().bytes_max;
        if bytes as u64 <= most {
            return Ok(());
        }
        let path = self.path();
        let message =
            format!("{path} would have {bytes} bytes, and at most {most} are allowed; it was not written");
        Err(Refusal::new(Code::NotAllowed, message).into())
    }
}

/// Who shares the records of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordScope {
    /// All worktrees of a clone.
    Clone,
    /// One worktree: what is known of its files.
    Worktree,
    /// Everybody who has the files of the store: what is committed and merged beside the ledger.
    Store,
}

/// How the records of a kind grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordForm {
    /// Each is written as a whole.
    Whole,
    /// The same, and it survives a power loss when that is acknowledged.
    DurableWhole,
    /// Lines are added to it.
    List,
    /// Lines are added to it, and it survives a power loss when that is acknowledged.
    DurableList,
    /// Lines are added to it, and the oldest are let go.
    RollingList,
}

/// What a purge does to the records of a kind.
#[derive(Clone, Copy, Debug)]
pub enum OnPurge {
    /// Nothing: they hold hashes, numbers and names that no entry has.
    Stays,
    /// Those that hold a purged text are removed.
    Removed,
    /// The same; and all of them where an entry is purged, since they may say the same in other words.
    Reworded,
    /// Lines that hold one are taken out.
    Lines,
    /// What stays of a record that holds one.
    Edited(fn(&[u8]) -> Vec<u8>),
}

/// What holds for the records of a kind.
#[derive(Debug)]
pub struct RecordRules {
    /// What they are called: `*` stands for the name of each.
    pub pattern: &'static str,
    pub scope: RecordScope,
    pub form: RecordForm,
    /// A longer one is not ours.
    pub bytes_max: u64,
    /// At most so many; a sweep removes the oldest.
    pub records_max: Option<usize>,
    /// A sweep removes those that were not written for so long.
    pub kept: Option<Duration>,
    /// Nobody but the user may read it.
    pub is_private: bool,
    /// It may lie beside the ledger where a sandbox protects the place of the others: who is in the sandbox may write there as he likes.
    pub in_sandbox: bool,
    pub on_purge: OnPurge,
}

/// Lists the kinds once: as values, and each with its rules.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $rules:expr;)*) => {
        /// A kind of record.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum RecordKind {
            $($(#[$doc])* $kind,)*
        }

        impl RecordKind {
            /// Every kind there is.
            pub const ALL: &[RecordKind] = &[$(RecordKind::$kind,)*];

            /// What holds for its records.
            pub fn rules(self) -> &'static RecordRules {
                match self {
                    $(RecordKind::$kind => const { &$rules },)*
                }
            }
        }
    };
}

/// One record of the clone, written as a whole; what differs is said beside it.
const PLAIN: RecordRules = RecordRules {
    pattern: "",
    scope: RecordScope::Clone,
    form: RecordForm::Whole,
    bytes_max: PLAIN_BYTES_MAX,
    records_max: None,
    kept: None,
    is_private: false,
    in_sandbox: false,
    on_purge: OnPurge::Stays,
};

/// What waits to be accepted or dropped.
const STAGED: RecordRules = RecordRules {
    scope: RecordScope::Store,
    form: RecordForm::DurableWhole,
    on_purge: OnPurge::Removed,
    ..PLAIN
};

/// What was dropped of it, a line each.
const DROPPED: RecordRules = RecordRules {
    scope: RecordScope::Store,
    form: RecordForm::List,
    bytes_max: DROPPED_BYTES_MAX,
    on_purge: OnPurge::Lines,
    ..PLAIN
};

kinds! {
    /// Who may use a server: tokens, by their hashes, and invitations of approvers.
    Access: RecordRules {
        pattern: "access.jsonl", form: RecordForm::DurableList, bytes_max: LINES_BYTES_MAX, is_private: true, ..PLAIN
    };
    /// Answers to requests with an idempotency key, by the hash of the key.
    Replays: RecordRules {
        pattern: "replays/*.json", bytes_max: LARGE_BYTES_MAX, records_max: Some(REPLAYS_MAX), kept: Some(REPLAYS_KEPT), is_private: true,
        on_purge: OnPurge::Edited(crate::replays::emptied), ..PLAIN
    };
    /// What was handed to agents: counts, and the ids of entries.
    Deliveries: RecordRules {
        pattern: "deliveries.jsonl", form: RecordForm::RollingList, in_sandbox: true, bytes_max: LINES_BYTES_MAX, on_purge: OnPurge::Lines, ..PLAIN
    };
    /// What went wrong in hooks.
    HookLog: RecordRules {
        pattern: "hooks.log", form: RecordForm::RollingList, in_sandbox: true, on_purge: OnPurge::Lines, ..PLAIN
    };
    /// Which hooks failed lately.
    HookTroubles: RecordRules { pattern: "hooks.json", ..PLAIN };
    /// Norms in force that block actions, for a hook that cannot ask the store.
    HookNorms: RecordRules { pattern: "norms.json", bytes_max: LINES_BYTES_MAX, on_purge: OnPurge::Removed, ..PLAIN };
    /// What the secrets of sessions are made of.
    SessionKey: RecordRules { pattern: "session.key", is_private: true, ..PLAIN };
    /// What is known of a conversation between two hooks.
    Sessions: RecordRules {
        pattern: "sessions/*.json", bytes_max: ANSWER_BYTES_MAX, kept: Some(RESTED), on_purge: OnPurge::Removed, ..PLAIN
    };
    /// How far a transcript was harvested, by hashes.
    Harvests: RecordRules { pattern: "harvest/*.json", ..PLAIN };
    /// How far a bulk add got.
    BulkAdds: RecordRules { pattern: "bulk/*", kept: Some(RESTED), ..PLAIN };
    /// Answers of judges.
    JudgeAnswers: RecordRules {
        pattern: "judge/answers/*.json", bytes_max: ANSWER_BYTES_MAX, on_purge: OnPurge::Reworded, ..PLAIN
    };
    /// Questions to which a judge had no usable answer, by their hashes.
    JudgeUnanswered: RecordRules { pattern: "judge/unanswered/*", records_max: Some(UNANSWERED_MAX), ..PLAIN };
    /// What a day of judging cost.
    JudgeSpent: RecordRules {
        pattern: "judge/spent/*.jsonl", kept: Some(RESTED), form: RecordForm::List, bytes_max: LARGE_BYTES_MAX, ..PLAIN
    };
    /// Norms that a person lifts once, by the keys of their entries.
    Overrides: RecordRules { pattern: "overrides/*", ..PLAIN };
    /// What this clone lays over its entries, in the order it was laid.
    Overlays: RecordRules {
        pattern: "overlays.jsonl", form: RecordForm::DurableList, bytes_max: LINES_BYTES_MAX, in_sandbox: true, on_purge: OnPurge::Lines, ..PLAIN
    };
    /// The words of entries that were kept out, by their keys: where no agent greps.
    Quarantine: RecordRules {
        pattern: "quarantine/*.json", form: RecordForm::DurableWhole, bytes_max: LINES_BYTES_MAX, in_sandbox: true, on_purge: OnPurge::Removed,
        ..PLAIN
    };
    /// Purged texts, as far as one is known when it comes again: salted hashes.
    PurgedTexts: RecordRules {
        pattern: "purged", form: RecordForm::DurableList, bytes_max: LINES_BYTES_MAX, in_sandbox: true, ..PLAIN
    };
    /// Nothing is written in it: who does what one does at a time holds its lock.
    Turns: RecordRules { pattern: "turns/*", ..PLAIN };
    /// The settings that everybody shares, where the store lies in no folder.
    Settings: RecordRules { pattern: "settings.toml", bytes_max: LINES_BYTES_MAX, ..PLAIN };
    /// Those of this clone alone, where the store lies in no folder.
    OwnSettings: RecordRules { pattern: "own-settings.toml", bytes_max: LINES_BYTES_MAX, is_private: true, ..PLAIN };
    /// Candidates of facts that wait in staging.
    StagedSemantic: RecordRules { pattern: "semantic/staging/*.json", ..STAGED };
    /// Candidates of norms that do so.
    StagedProcedural: RecordRules { pattern: "procedural/staging/*.json", ..STAGED };
    /// Candidates of facts that were dropped. Hidden, so that no reader of ledgers takes it for one; its ending has git merge it line by line.
    DroppedSemantic: RecordRules { pattern: "semantic/staging/.dropped.jsonl", ..DROPPED };
    /// Candidates of norms that were.
    DroppedProcedural: RecordRules { pattern: "procedural/staging/.dropped.jsonl", ..DROPPED };
    /// Nothing is written in it: who brings mirrors in step holds its lock.
    MirrorSync: RecordRules { pattern: "sync", scope: RecordScope::Worktree, ..PLAIN };
    /// The briefing that was made last, and for which state of the store.
    Brief: RecordRules {
        pattern: "brief.json", scope: RecordScope::Worktree, bytes_max: LINES_BYTES_MAX, on_purge: OnPurge::Removed, ..PLAIN
    };
    /// When entries were last compared with the code.
    LastCheck: RecordRules { pattern: "last-check", scope: RecordScope::Worktree, ..PLAIN };
    /// When the ledger was last read whole, and what that found.
    LastVerify: RecordRules { pattern: "last-verify", scope: RecordScope::Worktree, ..PLAIN };
    /// What maintenance last looked at and did.
    LastMaintained: RecordRules {
        pattern: "maintained.json", scope: RecordScope::Worktree, bytes_max: LINES_BYTES_MAX, on_purge: OnPurge::Removed, ..PLAIN
    };
    /// Which norms contradict each other.
    Clashes: RecordRules {
        pattern: "clashes.json", scope: RecordScope::Worktree, bytes_max: LARGE_BYTES_MAX, on_purge: OnPurge::Removed, ..PLAIN
    };
}

impl RecordKind {
    /// The record of a kind that has but one.
    pub fn record(self) -> Record {
        self.named("")
    }

    /// A record of a kind by its name: letters, digits, `-`, `_` and, but for the first sign, `.`. Any other sign becomes `_`.
    pub fn named(self, name: &str) -> Record {
        let is_plain = |at: usize, sign: char| {
            sign.is_ascii_alphanumeric() || sign == '-' || sign == '_' || (sign == '.' && at > 0)
        };
        let name =
            name.char_indices().map(|(at, sign)| if is_plain(at, sign) { sign } else { '_' }).collect();
        Record { kind: self, name }
    }
}

impl dyn CloneState + '_ {
    /// What a record holds, as JSON; none where it cannot be read.
    pub fn value<T: DeserializeOwned>(&self, record: &Record) -> Option<T> {
        serde_json::from_slice(&self.read(record).ok()??).ok()
    }

    /// What a record holds, as text; none where it cannot be read.
    pub fn text(&self, record: &Record) -> Option<String> {
        String::from_utf8(self.read(record).ok()??).ok()
    }

    /// Writes a value as JSON.
    pub fn set_value<T: Serialize>(&self, record: &Record, value: &T) -> Result<()> {
        let doing = || format!("writing {}", record.path());
        self.write(record, &serde_json::to_vec(value).map_err(Error::failed(doing()))?)
    }

    /// The lines of a list, each as JSON. A line that cannot be read is none.
    pub fn items<T: DeserializeOwned>(&self, record: &Record) -> Result<Vec<T>> {
        let bytes = self.read(record)?.unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Adds a value to a list, as JSON.
    pub fn add_item<T: Serialize>(&self, record: &Record, item: &T) -> Result<()> {
        let doing = || format!("writing {}", record.path());
        self.append(record, &serde_json::to_vec(item).map_err(Error::failed(doing()))?)
    }

    /// Removes the records of a kind that are too old, and the oldest where there are too many.
    pub fn sweep(&self, kind: RecordKind, now: Millis) -> Result<()> {
        let rules = kind.rules();
        let mut records = self.names(kind)?;
        records.sort_by_key(|record| record.written);
        let surplus = rules.records_max.map_or(0, |most| records.len().saturating_sub(most));
        let is_old = |record: &Named| {
            let age = u128::try_from(now.0.saturating_sub(record.written.0)).unwrap_or(0);
            rules.kept.is_some_and(|kept| age > kept.as_millis())
        };
        for (place, record) in records.iter().enumerate() {
            if place < surplus || is_old(record) {
                self.remove(&kind.named(&record.name))?;
            }
        }
        Ok(())
    }
}

/// What is taken out of small state.
#[derive(Clone, Copy, Debug)]
pub enum Purged<'a> {
    /// An entry, with what it was called and said.
    Entry(&'a [String]),
    /// Texts, wherever they stand.
    Texts(&'a [String]),
}

/// Takes what was purged out of every kind of record, and says of how many records of each.
pub fn purge(state: &dyn CloneState, purged: Purged<'_>) -> Result<Vec<(RecordKind, usize)>> {
    let (Purged::Entry(texts) | Purged::Texts(texts)) = purged;
    let forms: Vec<Vec<u8>> = texts.iter().flat_map(|text| written_forms(text)).collect();
    let holds =
        |bytes: &[u8]| forms.iter().any(|form| bytes.windows(form.len()).any(|window| window == *form));
    let mut counts = Vec::new();
    for kind in RecordKind::ALL {
        let mut count = 0;
        for Named { name, .. } in kept_texts(state, *kind)? {
            let record = kind.named(&name);
            let Some(bytes) = state.read(&record)? else { continue };
            let on_purge = kind.rules().on_purge;
            let is_reworded = matches!((on_purge, purged), (OnPurge::Reworded, Purged::Entry(_)));
            if !is_reworded && !holds(&bytes) {
                continue;
            }
            match on_purge {
                OnPurge::Stays => continue,
                OnPurge::Removed | OnPurge::Reworded => drop(state.remove(&record)?),
                OnPurge::Lines => state.write(&record, &without_lines(&bytes, holds))?,
                OnPurge::Edited(edited) => state.write(&record, &edited(&bytes))?,
            }
            count += 1;
        }
        counts.push((*kind, count));
    }
    Ok(counts)
}

/// The records of a kind that may hold texts.
fn kept_texts(state: &dyn CloneState, kind: RecordKind) -> Result<Vec<Named>> {
    match kind.rules().on_purge {
        OnPurge::Stays => Ok(Vec::new()),
        OnPurge::Removed | OnPurge::Reworded | OnPurge::Lines | OnPurge::Edited(_) => state.names(kind),
    }
}

fn without_lines(bytes: &[u8], holds: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| !holds(line)).flatten().copied().collect()
}

/// A text as it is, and as JSON writes it.
pub fn written_forms(text: &str) -> [Vec<u8>; 2] {
    let written = canonical::to_string(&text);
    [text.as_bytes().to_vec(), written.trim_matches('"').as_bytes().to_vec()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_kinds_share_a_record() {
        let mut patterns: Vec<&str> = RecordKind::ALL.iter().map(|kind| kind.rules().pattern).collect();
        patterns.sort_unstable();
        patterns.dedup();
        assert_eq!(patterns.len(), RecordKind::ALL.len());
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        assert_eq!(RecordKind::Sessions.named("../../etc/passwd").path(), "sessions/_._.._etc_passwd.json");
        assert_eq!(RecordKind::Overrides.named("a/b").path(), "overrides/a_b");
    }
}
