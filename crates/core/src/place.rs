//! Where a line lives: the ledger file of an entry, of a month's citations, of an episodic record (STO-2, STO-3).

use crate::clock::Millis;
use crate::event::{BeliefEvent, Body, EntryEvent, Event, PromotionEvent};
use crate::forage::ForageEvent;
use crate::ids::{EntryKey, ReplicaId};
use crate::kinds::{Memory, Type, TypeName};
use crate::limits::place::NAME_BYTES_MAX;

/// The folder below the store in which entries of a type have their ledger files.
pub fn folder(kind: &TypeName) -> &'static str {
    match kind.known() {
        Some(Type::Relationship) => "semantic/v1/relationships",
        Some(Type::CommitNorm) => "procedural/v1/commit_norms",
        Some(Type::PrExpectation) => "procedural/v1/pr_expectations",
        Some(Type::UserExpectation) => "procedural/v1/user_expectations",
        Some(Type::RiskTier) => "procedural/v1/risk_tiers",
        Some(Type::Signal) => "episodic/v1/signals",
        Some(Type::Run) => "episodic/v1/runs",
        Some(Type::Observation) => "episodic/v1/calibration",
        Some(Type::Friction) => "episodic/v1",
        Some(_) | None => "semantic/v1/entities",
    }
}

/// The folder of entries whose type nobody here knows.
const UNKNOWN: &str = "semantic/v1/entities";

/// Every folder that can hold ledger files, for set-up and for readers that walk.
pub const FOLDERS: &[&str] = &[
    "semantic/v1/entities",
    "semantic/v1/relationships",
    "semantic/v1/provenance",
    "semantic/staging",
    "procedural/v1/commit_norms",
    "procedural/v1/pr_expectations",
    "procedural/v1/user_expectations",
    "procedural/v1/risk_tiers",
    "procedural/v1/promotions",
    "procedural/provenance",
    "procedural/staging",
    "episodic/v1/signals",
    "episodic/v1/runs",
    "episodic/v1/calibration",
    "episodic/v1/provenance",
    DOCUMENTS,
    SETTINGS,
];

/// The folder of the files of other systems, as they were when they were read (DOO-6).
pub const DOCUMENTS: &str = "documents/v1";

/// The folder of settings that everybody shares.
pub const SETTINGS: &str = "settings";

/// What an entry was stated as: its file goes by that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedAs {
    pub kind: TypeName,
    /// Its own id, without the suffix that tells it from another entry with the same one.
    pub id: String,
}

impl StatedAs {
    /// What an event states an entry as; none where it states none.
    pub fn of(event: &Event) -> Option<StatedAs> {
        let key = event.entry?;
        let (kind, id) = match &event.body {
            Some(Body::Entry(EntryEvent::Added(said))) => (&said.kind, said.id.as_ref()),
            Some(Body::Entry(EntryEvent::Rejected(said))) => (&said.kind, None),
            Some(_) | None => return None,
        };
        let id = id.map_or_else(|| format!("{kind}.{key}"), ToString::to_string);
        Some(StatedAs { kind: kind.clone(), id })
    }
}

/// The ledger file of an event. `entry` is what the entry it is about was stated as; none where it is about none, or nobody knows.
pub fn file_of(event: &Event, entry: Option<&StatedAs>) -> String {
    let (replica, now) = (event.replica, event.clock.millis());
    let of_entry = |key: EntryKey| match entry {
        Some(stated) => entry_file(&stated.kind, &stated.id, replica, now),
        None => format!("{UNKNOWN}/{key}.jsonl"),
    };
    match (&event.body, event.entry) {
        (Some(Body::Forage(ForageEvent::Override { .. })), _) => settings_file(replica, now),
        (Some(Body::Run(_) | Body::Forage(_)), _) => runs_file(replica, now),
        (Some(Body::Document(_)), _) => documents_file(replica, now),
        (Some(Body::Belief(BeliefEvent::Observed { .. })), _) => calibration_file(replica, now),
        (Some(Body::Promotion(PromotionEvent::Proposed(_) | PromotionEvent::Rejected { .. })), _) => {
            promotions_file(replica, now)
        }
        (Some(Body::Entry(EntryEvent::Cited { .. })), _) => {
            let memory = entry.map_or(Memory::Semantic, |stated| stated.kind.memory());
            provenance_file(memory, replica, now)
        }
        // The id may itself be what must go, so such a file is named by the key alone.
        (Some(Body::Entry(EntryEvent::Purged { .. })), Some(key)) => {
            format!("{}/purged.{key}.jsonl", entry.map_or(UNKNOWN, |stated| folder(&stated.kind)))
        }
        (Some(Body::Setting(_) | Body::Entry(EntryEvent::Purged { .. })), _) => settings_file(replica, now),
        (
            Some(Body::Entry(_) | Body::Link(_) | Body::Belief(_) | Body::Promotion(_) | Body::Gate(_))
            | None,
            Some(key),
        ) => of_entry(key),
        (
            Some(Body::Entry(_) | Body::Link(_) | Body::Belief(_) | Body::Promotion(_) | Body::Gate(_))
            | None,
            None,
        ) => runs_file(replica, now),
    }
}

/// The file of an entry. Episodic records share files: friction has one, the others one per replica and month.
pub fn entry_file(kind: &TypeName, id: &str, replica: ReplicaId, now: Millis) -> String {
    let folder = folder(kind);
    match kind.known() {
        Some(Type::Friction) => format!("{folder}/friction_ledger.jsonl"),
        Some(known) if known.memory() == Memory::Episodic => {
            format!("{folder}/{}.{replica}.jsonl", now.month())
        }
        _ => format!("{folder}/{}.jsonl", file_stem(kind, id)),
    }
}

/// The ledger of a memory's citations, one per replica and month.
pub fn provenance_file(memory: Memory, replica: ReplicaId, now: Millis) -> String {
    let folder = match memory {
        Memory::Semantic => "semantic/v1/provenance",
        Memory::Procedural => "procedural/provenance",
        Memory::Episodic => "episodic/v1/provenance",
    };
    format!("{folder}/{}.{replica}.jsonl", now.month())
}

/// The ledger of what was proposed and turned down, one per replica and month. A yes is in the file of the entry it made.
pub fn promotions_file(replica: ReplicaId, now: Millis) -> String {
    format!("procedural/v1/promotions/{}.{replica}.jsonl", now.month())
}

/// The ledger of events that waited in the journal, one per replica and month.
pub fn runs_file(replica: ReplicaId, now: Millis) -> String {
    format!("episodic/v1/runs/{}.{replica}.jsonl", now.month())
}

/// The ledger of how entries did when they were used, one per replica and month.
pub fn calibration_file(replica: ReplicaId, now: Millis) -> String {
    format!("episodic/v1/calibration/{}.{replica}.jsonl", now.month())
}

/// The ledger of settings that everybody shares, one per replica and month.
pub fn settings_file(replica: ReplicaId, now: Millis) -> String {
    format!("{SETTINGS}/{}.{replica}.jsonl", now.month())
}

/// The ledger of the files of other systems, one per replica and month.
pub fn documents_file(replica: ReplicaId, now: Millis) -> String {
    format!("{DOCUMENTS}/{}.{replica}.jsonl", now.month())
}

/// The file name of an entry without its ending: its id, with the type in front when the id does not begin with its kind.
fn file_stem(kind: &TypeName, id: &str) -> String {
    let begins = |word: &str| id.strip_prefix(word).is_some_and(|rest| rest.starts_with('.'));
    let named = match kind.known() {
        Some(known) => known.id_kinds().iter().any(|word| begins(word)),
        None => begins(kind.word()),
    };
    let encoded = encode_name(id);
    if named { encoded } else { format!("{}.{encoded}", encode_name(kind.word())) }
}

/// Names that Windows keeps for devices, with or without an ending.
const DEVICES: &[&str] = &[
    "con", "prn", "aux", "nul", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// One injective, case-safe and path-safe encoding of any text as a file name.
///
/// Lower-case ASCII letters, digits, `-`, `_` and inner dots stand for themselves; every other byte is `=` and two digits. So ids that
/// differ only in case never meet in one file on a file system that does not see case.
pub fn encode_name(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let device = DEVICES.contains(&text.split('.').next().unwrap_or(""));
    for (at, byte) in bytes.iter().enumerate() {
        let edge = at == 0 || at + 1 == bytes.len();
        let plain = match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => !(device && at == 0),
            b'.' => !edge && bytes[at - 1] != b'.',
            _ => false,
        };
        if plain {
            out.push(char::from(*byte));
        } else {
            out.push_str(&format!("={byte:02x}"));
        }
    }
    if out.len() <= NAME_BYTES_MAX {
        return out;
    }
    // `=+` cannot come from the encoding above, so a shortened name never meets a whole one.
    let hash = blake3::hash(bytes).to_hex();
    let mut end = NAME_BYTES_MAX - 42;
    while out.as_bytes()[end - 1] == b'=' || out.as_bytes()[end - 2] == b'=' {
        end -= 1;
    }
    format!("{}=+{}", &out[..end], &hash[..40])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stem(kind: Type, id: &str) -> String {
        file_stem(&TypeName::Known(kind), id)
    }

    // STO-3, in the words of the specification.
    #[test]
    fn the_type_goes_in_front_when_the_id_does_not_say_it() {
        let replica = ReplicaId([1; 6]);
        assert_eq!(
            entry_file(&TypeName::Known(Type::CommitNorm), "norm.commit.001", replica, Millis(0)),
            "procedural/v1/commit_norms/norm.commit.001.jsonl"
        );
        assert_eq!(stem(Type::Entity, "entity.test.001"), "entity.test.001");
        assert_eq!(stem(Type::Lesson, "retry"), "lesson.retry");
        assert_eq!(stem(Type::Lesson, "lessons"), "lesson.lessons");
        assert_eq!(
            entry_file(&TypeName::Known(Type::Signal), "x", replica, Millis(1_700_000_000_000)),
            "episodic/v1/signals/2023-11.010101010101.jsonl"
        );
    }

    #[test]
    fn names_are_safe_everywhere() {
        assert_eq!(encode_name("CON"), "=43=4f=4e");
        assert_eq!(encode_name("con.x"), "=63on.x");
        assert_eq!(encode_name("../../x"), "=2e=2e=2f.=2e=2fx");
        assert_eq!(encode_name("a..b."), "a.=2eb=2e");
        assert_ne!(encode_name("caf\u{e9}"), encode_name("cafe\u{301}"));
    }

    proptest! {
        // STO-3: the encoding is injective, also where case is not seen, and never leaves its folder.
        #[test]
        fn encoding_is_injective_and_safe(a in ".{0,300}", b in ".{0,300}", flips in prop::collection::vec(any::<bool>(), 0..40)) {
            let name = encode_name(&a);
            prop_assert!(name.len() <= NAME_BYTES_MAX);
            prop_assert!(!name.contains(['/', '\\', ':', ' ']) && !name.starts_with('.') && !name.ends_with('.'));
            prop_assert_eq!(name.to_lowercase(), name.clone());
            prop_assert!(!DEVICES.contains(&name.split('.').next().unwrap()));
            if a != b {
                prop_assert_ne!(encode_name(&b), name.clone());
            }
            let flipped: String = a.chars().enumerate().map(|(i, c)| {
                if flips.get(i).copied().unwrap_or(false) { c.to_uppercase().next().unwrap_or(c) } else { c }
            }).collect();
            prop_assert_eq!(flipped == a, encode_name(&flipped) == name);
        }
    }
}
