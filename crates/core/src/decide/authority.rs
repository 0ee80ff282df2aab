//! What of a verified entry only a person changes: what it says, and whether it is shown (COR-21).

use serde_json::{Map, Value};

use super::link::may_be_one;
use crate::entry::Entry;
use crate::fields::Fields;
use crate::words::normalise_statement;

/// Fields beside what an entry says: labels, where it can be seen and where it came from. An agent may change them on a verified entry.
const BESIDE: [&str; 6] = ["tags", "domains", "anchors", "attributes", "source", "document"];

/// Whether a field is part of what an entry says.
pub fn is_said(field: &str) -> bool {
    !BESIDE.contains(&field)
}

/// Whether an entry says something else with other fields.
pub fn rewords(before: &Fields, after: &Fields) -> bool {
    let said = |fields: &Fields| -> Map<String, Value> {
        let Ok(Value::Object(mut all)) = serde_json::to_value(fields) else { return Map::new() };
        all.retain(|field, _| is_said(field));
        all
    };
    said(before) != said(after)
}

/// How two entries that somebody wants to merge compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// They say the same, word for word.
    Equal,
    /// Their embeddings are near.
    Near,
    /// Something in them differs, or their embeddings are not near.
    Apart,
    /// Nothing in their words keeps them apart, and there are no embeddings to compare.
    Unknown,
}

impl Likeness {
    /// Compares two entries. `is_near` says what their embeddings say, where there are any.
    pub fn of(one: &Entry, other: &Entry, is_near: Option<bool>) -> Likeness {
        let says = |entry: &Entry| normalise_statement(&entry.fields.statement());
        match is_near {
            _ if !may_be_one(one, other) => Likeness::Apart,
            _ if says(one) == says(other) => Likeness::Equal,
            Some(true) => Likeness::Near,
            Some(false) => Likeness::Apart,
            None => Likeness::Unknown,
        }
    }
}

/// A merge that somebody asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merging {
    /// The entry that stands for both is or was verified.
    pub kept_is_verified: bool,
    /// The entry that is put away is or was verified.
    pub absorbed_is_verified: bool,
    pub likeness: Likeness,
}

/// Why a merge is for a person to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeDoubt {
    /// It puts a verified entry away.
    HidesVerified,
    /// The two do not say the same.
    Apart,
    /// A verified entry would stand for words that nothing compared with its own.
    NotCompared,
}

impl Merging {
    /// Why a person decides about it; none where an agent may merge the two.
    pub fn doubt(self) -> Option<MergeDoubt> {
        match self {
            Merging { absorbed_is_verified: true, .. } => Some(MergeDoubt::HidesVerified),
            Merging { likeness: Likeness::Apart, .. } => Some(MergeDoubt::Apart),
            Merging { likeness: Likeness::Unknown, kept_is_verified: true, .. } => {
                Some(MergeDoubt::NotCompared)
            }
            Merging { likeness: Likeness::Equal | Likeness::Near | Likeness::Unknown, .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Without a model the guard had nothing to compare and let every merge through.
    #[test]
    fn an_agent_merges_with_a_verified_entry_only_what_is_known_to_say_the_same() {
        use Likeness::*;
        let table = [
            // kept is verified, absorbed is verified, likeness, doubt
            (false, false, Equal, None),
            (false, false, Near, None),
            (false, false, Apart, Some(MergeDoubt::Apart)),
            (false, false, Unknown, None),
            (true, false, Equal, None),
            (true, false, Near, None),
            (true, false, Apart, Some(MergeDoubt::Apart)),
            (true, false, Unknown, Some(MergeDoubt::NotCompared)),
            (false, true, Equal, Some(MergeDoubt::HidesVerified)),
            (false, true, Near, Some(MergeDoubt::HidesVerified)),
            (false, true, Apart, Some(MergeDoubt::HidesVerified)),
            (false, true, Unknown, Some(MergeDoubt::HidesVerified)),
            (true, true, Equal, Some(MergeDoubt::HidesVerified)),
            (true, true, Near, Some(MergeDoubt::HidesVerified)),
            (true, true, Apart, Some(MergeDoubt::HidesVerified)),
            (true, true, Unknown, Some(MergeDoubt::HidesVerified)),
        ];
        for (kept_is_verified, absorbed_is_verified, likeness, doubt) in table {
            let merging = Merging { kept_is_verified, absorbed_is_verified, likeness };
            assert_eq!(merging.doubt(), doubt, "{merging:?}");
        }
    }

    #[test]
    fn labels_places_and_sources_are_not_what_an_entry_says() {
        let read = |more: Value| {
            let mut all = serde_json::json!({"statement": "Retry with jitter.", "verification": ["look"]});
            all.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            Fields::read(&all)
        };
        let before = read(serde_json::json!({}));
        let changes = [
            (serde_json::json!({"tags": ["net"], "domains": ["backend"]}), false),
            (serde_json::json!({"anchors": ["src/net.rs"]}), false),
            (serde_json::json!({"attributes": {"lifecycle_state": "triaged"}}), false),
            (serde_json::json!({"statement": "Never retry."}), true),
            (serde_json::json!({"title": "Never retry"}), true),
            (serde_json::json!({"detail": "Only on Sundays."}), true),
            (serde_json::json!({"depends_on": ["file:gone.rs"]}), true),
            (serde_json::json!({"decay_class": "volatile"}), true),
            (serde_json::json!({"severity": 1}), true),
        ];
        for (change, expected) in changes {
            assert_eq!(rewords(&before, &read(change.clone())), expected, "{change}");
        }
    }
}
