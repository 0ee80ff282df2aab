//! The gates (GAT-1): six looks at what a store holds, or at what a change does to it. Only procedural failures block.

mod backflow;
mod contradictions;
mod links;
mod provenance;
mod schema;
mod staleness;

pub use backflow::backflow;
pub use contradictions::among as contradictions;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::clock::Millis;
use crate::entry::Entry;
use crate::fields::Citation;
use crate::head::EntryHead;
use crate::ids::EntryKey;
use crate::kinds::{Memory, Status};
use crate::promotion::{Authority, Standing};
use crate::refusal::Fault;

pub struct Gate {
    pub name: &'static str,
    /// What it looks at.
    pub checks: &'static str,
    /// What follows from a failure.
    pub on_failure: &'static str,
    look: fn(&GateFacts<'_>) -> Vec<Sight>,
}

/// Every gate, in the order of the specification.
pub const GATES: &[Gate] = &[
    Gate {
        name: "knowledge.schema",
        checks: "every entry matches its schema, every line its hash, and every statement its key",
        on_failure: "a write is refused",
        look: schema::look,
    },
    Gate {
        name: "knowledge.provenance",
        checks: "every entry cites evidence that can be found",
        on_failure: "a write is refused",
        look: provenance::look,
    },
    Gate {
        name: "knowledge.links",
        checks: "links lead somewhere",
        on_failure: "a warning",
        look: links::look,
    },
    Gate {
        name: "knowledge.staleness",
        checks: "norms were confirmed within 90 days",
        on_failure: "a warning, and flagged for review",
        look: staleness::look,
    },
    Gate {
        name: "knowledge.contradictions",
        checks: "no two norms contradict each other",
        on_failure: "a promotion is blocked",
        look: contradictions::look,
    },
    Gate {
        name: "episodic.no_backflow",
        checks: "norms and promoted records have an approved promotion",
        on_failure: "blocked and refused",
        look: backflow::look,
    },
];

/// What the gates look at.
pub struct GateFacts<'a> {
    /// Entries, whatever their status: all of them, or as many as are looked at together. Norms are always together.
    pub entries: &'a [Entry],
    /// The id and the status of every entry there is.
    pub standing: &'a BTreeMap<EntryKey, (String, Status)>,
    /// The ledger file of each, where it has one.
    pub files: &'a BTreeMap<EntryKey, (String, u64)>,
    /// What a change touches; everything where no change is judged.
    pub changed: Option<&'a BTreeSet<EntryKey>>,
    /// Lines that are not as they were written.
    pub lines: &'a [BadLine],
    /// Norms in force that a change takes out of it, or puts back.
    pub moved: &'a [Moved],
    /// Whether and why norms, and what came from episodic records, have authority.
    pub authority: &'a BTreeMap<EntryKey, Authority>,
    /// What flowed the wrong way, each with why; see [`backflow`].
    pub backflow: BTreeMap<EntryKey, String>,
    /// What is wrong with how an entry would be enforced.
    pub faults: &'a dyn Fn(&Entry) -> Vec<Fault>,
    /// Whether cited evidence is known to be missing.
    pub is_missing: &'a dyn Fn(&Citation) -> bool,
    /// Whether approvals cannot be judged, since nobody may approve where they are judged from.
    pub unjudged: bool,
    /// The time it is.
    pub now: Millis,
}

impl<'a> GateFacts<'a> {
    /// Entries that are handed out and belong to what is judged.
    fn judged(&self) -> impl Iterator<Item = &'a Entry> {
        let changed = self.changed;
        self.entries.iter().filter(move |entry| {
            entry.status.is_retrieved() && changed.is_none_or(|changed| changed.contains(&entry.key))
        })
    }

    fn is_in_force(&self, entry: &Entry) -> bool {
        self.authority.get(&entry.key).is_some_and(|authority| authority.state == Standing::InForce)
    }

    fn is_changed(&self, entry: &Entry) -> bool {
        self.changed.is_none_or(|changed| changed.contains(&entry.key))
    }
}

/// A line of a ledger that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// The file, below the store's folder.
    pub file: String,
    /// The line; 0 where it is gone.
    pub line: u64,
    /// What is wrong with it.
    pub problem: String,
    pub fault: LineFault,
}

/// What a reviewer has to do about a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// It is not as `ken` wrote it, or gone.
    Edited,
    /// It puts words into an entry that somebody else stated, or trust (COR-18, COR-19). Such a line blocks, whatever it is about.
    Forged,
    /// `ken` may have written it; nothing in it shows who did.
    Doubtful,
}

impl BadLine {
    /// Whether it belongs to what can block: norms, promotions, and the settings that everybody shares.
    fn is_binding(&self) -> bool {
        self.fault == LineFault::Forged
            || self.file.starts_with("procedural/")
            || self.file.starts_with("settings/")
    }
}

/// A norm that a change takes out of force, or puts back into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    pub entry: EntryKey,
    /// Its id: the change may have left nothing else of it.
    pub id: String,
    /// What happens to it, and by whom: `retracted by agent:eve, who is no approver at the base`.
    pub how: String,
    /// Whether it is done by right, so that somebody should merely know.
    pub by_right: bool,
}

/// What follows from what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Somebody should look.
    Warns,
    /// Nothing passes until it is mended.
    Blocks,
}

impl Level {
    /// GAT-1: what binds can block.
    fn for_memory(memory: Memory) -> Level {
        match memory {
            Memory::Procedural => Level::Blocks,
            Memory::Semantic | Memory::Episodic => Level::Warns,
        }
    }
}

/// What one gate saw, before its name and place are known.
struct Sight {
    level: Level,
    entry: Option<EntryKey>,
    at: Option<(String, u64)>,
    message: String,
    hint: String,
}

impl Sight {
    fn new(entry: &Entry, level: Level, message: String, hint: String) -> Sight {
        Sight { level, entry: Some(entry.key), at: None, message, hint }
    }
}

/// What a gate found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    pub gate: &'static str,
    pub level: Level,
    /// The id of the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// The entry, by the fields that every answer has.
    #[serde(flatten)]
    pub head: Option<EntryHead>,
    /// The file, below the store's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// Looks through one gate.
pub fn look(gate: &Gate, known: &GateFacts<'_>) -> Vec<Found> {
    let sights = (gate.look)(known);
    let about: BTreeSet<EntryKey> = sights.iter().filter_map(|sight| sight.entry).collect();
    let named = known.entries.iter().filter(|entry| about.contains(&entry.key));
    let heads: BTreeMap<EntryKey, EntryHead> =
        named.map(|entry| (entry.key, EntryHead::new(entry, entry.id()))).collect();
    let mut found: Vec<Found> = sights
        .into_iter()
        .map(|sight| {
            let of_entry = || known.files.get(&sight.entry?).cloned();
            let (file, line) = sight.at.clone().or_else(of_entry).unzip();
            let head = sight.entry.and_then(|key| heads.get(&key).cloned());
            Found {
                gate: gate.name,
                level: sight.level,
                entry: head.as_ref().map(|head| head.id.clone()),
                head,
                file,
                line: line.filter(|line| *line > 0),
                message: sight.message,
                hint: sight.hint,
            }
        })
        .collect();
    in_order(&mut found);
    found
}

/// Puts what a gate found in order: what blocks first. What was found twice is told once.
pub fn in_order(found: &mut Vec<Found>) {
    found.sort_by(|a, b| (b.level, &a.file, a.line, &a.message).cmp(&(a.level, &b.file, b.line, &b.message)));
    found.dedup();
}
