//! What an entry can be: its memory, type, status, scope and the other closed vocabularies of the domain.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A closed vocabulary whose words are its serialised names.
macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal $(labelled $label:literal)?),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every value, in the order of the specification.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// Every word, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word of files and programs.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            /// What people read of every value, in the same order.
            pub const LABELS: &'static [&'static str] = &[$($crate::kinds::label!($word $($label)?)),+];

            /// What people read: the word of files and programs, but where another one is said to people.
            pub fn label(self) -> &'static str {
                match self { $($name::$variant => $crate::kinds::label!($word $($label)?)),+ }
            }

            /// The value for a word or a label.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word $(| $label)? => Some($name::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.label())
            }
        }
    };
}

macro_rules! label {
    ($word:literal) => {
        $word
    };
    ($word:literal $label:literal) => {
        $label
    };
}

pub(crate) use label;

pub(crate) use vocabulary;

vocabulary!(
    /// ENT-1: what kind of remembering an entry is.
    Memory {
        /// Durable facts and lessons; advisory.
        Semantic = "semantic",
        /// How the team works; the only memory that can block.
        Procedural = "procedural",
        /// What happened; advisory, never surfaced raw.
        Episodic = "episodic",
    }
);

vocabulary!(
    /// ENT-1: every type of entry.
    Type {
        /// A thing with a name: a service, a module, a table.
        Entity = "entity",
        /// How two things relate.
        Relationship = "relationship",
        /// A way of doing something.
        Skill = "skill",
        /// Something lived through: a decision, a convention, a bug.
        Experience = "experience",
        /// A general heuristic that was learned.
        Lesson = "lesson",
        /// An experiment with a hypothesis and an outcome.
        Spike = "spike",
        /// A recurring finding of a reviewer.
        Pattern = "pattern",
        /// Something that went badly wrong.
        Incident = "incident",
        /// A finding that was examined and is not a fault.
        FalsePositive = "false_positive",
        /// A rule for commits.
        CommitNorm = "commit_norm",
        /// What a pull request must bring.
        PrExpectation = "pr_expectation",
        /// What a user means by done.
        UserExpectation = "user_expectation",
        /// How risky a kind of change is.
        RiskTier = "risk_tier",
        /// Something in the way: a tool error, a redo, a failed validation.
        Friction = "friction",
        /// An observation worth a line, not yet knowledge.
        Signal = "signal",
        /// One review, task or agent session.
        Run = "run",
        /// How one use of one entry went.
        Observation = "observation",
    }
);

/// Every sub-type of [`Type::subtypes`]. Signals have words of their own.
pub const SUBTYPES: &[&str] = &[
    "technique",
    "pattern",
    "anti_pattern",
    "trajectory",
    "decision",
    "convention",
    "learning",
    "bug",
    "tool_error",
    "redo",
    "validation_fail",
];

impl Type {
    /// The memory a type belongs to.
    pub fn memory(self) -> Memory {
        use Type::*;
        match self {
            Entity | Relationship | Skill | Experience | Lesson | Spike | Pattern | Incident
            | FalsePositive => Memory::Semantic,
            CommitNorm | PrExpectation | UserExpectation | RiskTier => Memory::Procedural,
            Friction | Signal | Run | Observation => Memory::Episodic,
        }
    }

    /// Words an id of this type may begin with, so that its file needs no further prefix (STO-3).
    pub fn id_kinds(self) -> &'static [&'static str] {
        match self {
            Type::CommitNorm => &["commit_norm", "norm"],
            Type::PrExpectation => &["pr_expectation", "norm", "pr", "expectation"],
            Type::UserExpectation => &["user_expectation", "norm", "expectation"],
            Type::RiskTier => &["risk_tier", "norm", "risk"],
            other => {
                let at = Type::ALL.iter().position(|t| *t == other).expect("ALL holds every type");
                std::slice::from_ref(&Type::WORDS[at])
            }
        }
    }

    /// The letter of its short citation (STO-8). The four types of norms share one.
    pub fn handle_letter(self) -> char {
        match self {
            Type::Entity => 'E',
            Type::Relationship => 'R',
            Type::Skill => 'K',
            Type::Experience => 'X',
            Type::Lesson => 'L',
            Type::Spike => 'S',
            Type::Pattern => 'P',
            Type::Incident => 'I',
            Type::FalsePositive => 'F',
            Type::CommitNorm | Type::PrExpectation | Type::UserExpectation | Type::RiskTier => 'N',
            Type::Friction => 'T',
            Type::Signal => 'G',
            Type::Run => 'U',
            Type::Observation => 'O',
        }
    }

    /// The sub-types it may state.
    pub fn subtypes(self) -> &'static [&'static str] {
        match self {
            Type::Skill => &["technique", "pattern", "anti_pattern", "trajectory"],
            Type::Experience => &["decision", "convention", "learning", "bug"],
            Type::Friction => &["tool_error", "redo", "validation_fail"],
            _ => &[],
        }
    }

    /// ENT-5: whether a native entry of this type needs an anchor and verification steps beside its provenance.
    pub fn needs_anchor(self) -> bool {
        self.memory() == Memory::Semantic && !matches!(self, Type::Entity | Type::Relationship)
    }

    /// ENT-4: whether it must cite evidence.
    pub fn needs_provenance(self) -> bool {
        self.memory() != Memory::Episodic
    }
}

/// A type as a ledger states it: one we know, or one of a newer version that we keep as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum TypeName {
    /// A type of this version.
    Known(Type),
    /// A type of the future.
    Unknown(String),
}

impl<'de> Deserialize<'de> for TypeName {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        Ok(Type::from_word(&word).map_or(TypeName::Unknown(word), TypeName::Known))
    }
}

impl TypeName {
    /// The word people and files use.
    pub fn word(&self) -> &str {
        match self {
            TypeName::Known(known) => known.word(),
            TypeName::Unknown(word) => word,
        }
    }

    /// The type, if this version knows it.
    pub fn known(&self) -> Option<Type> {
        match self {
            TypeName::Known(known) => Some(*known),
            TypeName::Unknown(_) => None,
        }
    }

    /// The memory it belongs to; what we do not know is advisory.
    pub fn memory(&self) -> Memory {
        self.known().map_or(Memory::Semantic, Type::memory)
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

vocabulary!(
    /// IN-8: where an entry stands.
    Status {
        /// Entered, not yet used.
        Candidate = "candidate",
        /// Used successfully once.
        Active = "active",
        /// Proven by its run, by use or by independent confirmation.
        Verified = "verified",
        /// Kept out by the scanner or by admission.
        Rejected = "rejected" labelled "quarantined",
        /// Not used or not holding for long.
        Stale = "stale",
        /// Put away, whole.
        Archived = "archived",
        /// Taken back; the tombstone stays.
        Retracted = "retracted",
        /// Replaced by another entry.
        Superseded = "superseded",
    }
);

impl Status {
    /// Only these are handed to agents.
    pub fn is_retrieved(self) -> bool {
        matches!(self, Status::Candidate | Status::Active | Status::Verified)
    }
}

vocabulary!(
    /// How far an entry reaches.
    Scope {
        /// One line of work.
        Thread = "thread",
        Project = "project",
        /// Every repository of this person.
        Global = "global",
    }
);

vocabulary!(
    /// Whether an entry says do, do not, or neither.
    Polarity {
        Positive = "positive",
        /// Do not do this.
        Negative = "negative",
        Neutral = "neutral",
    }
);

vocabulary!(
    /// How fast belief in an entry fades.
    DecayClass {
        Ephemeral = "ephemeral",
        Stable = "stable",
        Permanent = "permanent",
    }
);

vocabulary!(
    /// What kind of thing a citation points to (ENT-4).
    EvidenceType {
        Commit = "commit",
        /// A pull request.
        Pr = "pr",
        /// A document, by path or URL.
        Doc = "doc",
        /// A test, by path.
        Test = "test",
        /// A transcript, by hash or run.
        Transcript = "transcript",
    }
);

vocabulary!(
    /// How an experiment ended.
    SpikeOutcome {
        /// The hypothesis held.
        Confirmed = "confirmed",
        /// It did not.
        Rejected = "rejected",
        Partial = "partial",
        /// Nobody can say.
        Inconclusive = "inconclusive",
    }
);

vocabulary!(
    /// The kind of the latest confirmation.
    Confirmation {
        /// By somebody who had not seen the entry.
        Independent = "independent",
        /// By somebody who had.
        Primed = "primed",
    }
);

vocabulary!(
    /// Why a confirmation does not count.
    Uncounted {
        /// It is by whoever stated the entry.
        Author = "author",
        /// It may be: another agent of this clone stated the entry on the same day.
        PossibleAuthor = "possible_author",
        /// It is by somebody who had been shown the entry.
        Shown = "shown",
        /// It is credited to a person, and no terminal shows that one was there.
        Unattended = "unattended",
    }
);

vocabulary!(
    /// How one entry relates to another.
    Relation {
        /// Bears on the same matter.
        RelatesTo = "relates_to",
        /// Rests on it.
        DependsOn = "depends_on",
        /// Gives it weight.
        Supports = "supports",
        /// Says the opposite.
        Contradicts = "contradicts",
        Supersedes = "supersedes",
        /// Was made from it.
        DerivedFrom = "derived_from",
        /// Is one example of it.
        ExampleOf = "example_of",
        /// Belongs to it.
        PartOf = "part_of",
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sub_type_is_listed() {
        let all: Vec<&str> = Type::ALL.iter().flat_map(|kind| kind.subtypes()).copied().collect();
        assert_eq!(all, SUBTYPES);
    }
}
