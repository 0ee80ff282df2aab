//! Norms as they are checked: what the `enforcement` of one says, and which changes it speaks of (GAT-3).
//!
//! Reading is here, and what a change is. Patterns are compiled, and changes are judged, in the engine.

pub mod change;
mod read;
mod rules;
#[cfg(test)]
mod tests;
mod told;

use crate::action::Rule as ActionRule;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use read::{read, unknown_enforcement};
pub use rules::{RULES, Rule};
pub use told::told;

/// How a norm is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// A machine can tell. A change that fails is blocked.
    Mechanical(Check),
    /// A person says so. A change that nobody vouched for is blocked.
    Attested {
        /// Who may say so; whoever may approve where nobody is named.
        by: Vec<String>,
        /// Whether it may be somebody who made the change.
        who: Who,
    },
    /// It is shown, and blocks nothing.
    Advisory {
        /// What is shown beside the rule.
        text: Option<String>,
    },
    /// It says how risky a change is, and so which other norms apply.
    Tier(Classifier),
}

impl Enforcement {
    /// What a norm says of an action that is about to happen; nothing for most norms.
    pub fn action_rules(&self) -> Vec<ActionRule> {
        match self {
            Enforcement::Mechanical(Check::Actions { rules, .. }) => rules.clone(),
            Enforcement::Mechanical(Check::Paths { forbid }) => {
                forbid.iter().filter_map(|glob| ActionRule::parse(&format!("edit: {glob}")).ok()).collect()
            }
            Enforcement::Mechanical(_)
            | Enforcement::Attested { .. }
            | Enforcement::Advisory { .. }
            | Enforcement::Tier(_) => Vec::new(),
        }
    }

    /// Whether a commit can be held against it before it is made, by its message alone.
    pub fn judges_messages(&self) -> bool {
        matches!(
            self,
            Enforcement::Mechanical(Check::CommitMessage { .. } | Check::ConventionalCommits { .. })
        )
    }

    /// What a norm says is to be done instead.
    pub fn instead(&self) -> Option<&str> {
        match self {
            Enforcement::Mechanical(Check::Actions { instead, .. }) => instead.as_deref(),
            _ => None,
        }
    }

    /// Globs of the files that a norm is about; none for a norm that is about every change.
    pub fn globs(&self) -> Vec<&str> {
        let globs: Vec<&String> = match self {
            Enforcement::Mechanical(check) => match check {
                Check::Paths { forbid } => forbid.iter().collect(),
                Check::Content { files, .. } | Check::MaxLines { files, .. } => files.iter().collect(),
                Check::RequiredFile(required) => required.when.iter().collect(),
                // A rule about commands holds wherever they run.
                Check::Actions { rules, .. } if rules.iter().all(|rule| !rule.globs().is_empty()) => {
                    rules.iter().flat_map(ActionRule::globs).collect()
                }
                Check::Actions { .. } => Vec::new(),
                Check::CommitMessage { .. }
                | Check::ConventionalCommits { .. }
                | Check::NoMergeCommits
                | Check::SignedOff
                | Check::Command { .. } => Vec::new(),
                Check::BeforeCommit { files, .. } => files.iter().collect(),
            },
            Enforcement::Tier(classifier) => classifier.paths.iter().collect(),
            Enforcement::Attested { .. } | Enforcement::Advisory { .. } => Vec::new(),
        };
        globs.into_iter().map(String::as_str).collect()
    }

    /// The word used in files and answers.
    pub fn word(&self) -> &'static str {
        match self {
            Enforcement::Mechanical(_) => "mechanical",
            Enforcement::Attested { .. } => "attested",
            Enforcement::Advisory { .. } => "advisory",
            Enforcement::Tier(_) => "tier",
        }
    }
}

/// Who may vouch for a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Who {
    /// Anyone who is named.
    #[default]
    Anyone,
    /// Nobody who made one of its commits.
    Another,
}

/// What a machine looks at. Globs and regular expressions are as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// Every commit message has the one pattern, and none has the other.
    CommitMessage {
        /// A regular expression that each message has to match.
        pattern: Option<String>,
        /// A regular expression that none may match.
        forbid: Option<String>,
    },
    /// Subjects read `type(scope): what was done`.
    ConventionalCommits {
        /// The types that are allowed.
        types: Vec<String>,
        /// Characters of a subject.
        max_subject: Option<u32>,
    },
    /// No commit of the change is a merge.
    NoMergeCommits,
    /// Every commit is signed off by its author.
    SignedOff,
    /// No file that matches is touched.
    Paths {
        /// Globs.
        forbid: Vec<String>,
    },
    /// What files say.
    Content {
        /// Globs of the files that are looked at; every file where there are none.
        files: Vec<String>,
        /// A regular expression that no added line may match.
        forbid: Option<String>,
        /// A regular expression that each such file has to match, after the change.
        require: Option<String>,
    },
    /// A change of some files brings others.
    RequiredFile(RequiredFile),
    /// No more lines come and go than this.
    MaxLines {
        /// Lines added and removed, together.
        lines: u32,
        /// Globs of the files that are counted; every file where there are none.
        files: Vec<String>,
    },
    /// No such command is run, and no such file edited, by an agent: held against what it is about to do.
    Actions {
        /// What is denied, or put to a person first.
        rules: Vec<ActionRule>,
        /// What to do instead.
        instead: Option<String>,
    },
    /// A command has to have succeeded in an agent's session before it commits (COR-26). No change shows that.
    BeforeCommit {
        /// The command as it is written; a word such as `<crate>` stands for any.
        run: String,
        /// Globs of the files after whose edit it has to have succeeded; every file where there are none.
        files: Vec<String>,
    },
    /// A program ends well.
    Command {
        /// The program and its arguments, taken apart without a shell.
        words: Vec<String>,
    },
}

/// Files that a change has to bring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredFile {
    /// Globs: a change of one of these needs the others. Every change does where there are none.
    pub when: Vec<String>,
    /// Which changes of a file count for `when`.
    pub counts: Counts,
    /// Globs of what is needed.
    pub need: Vec<String>,
    /// How many of them.
    pub each: Each,
    /// Where it has to be.
    pub place: Needed,
}

/// Which changes of a file call for another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Any change, its deletion too.
    Touched,
    /// Lines that are added: what only goes, moves or changes its mode needs no test.
    Grown,
}

/// How many of several globs have to be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    /// One is enough.
    Some,
    /// All of them.
    All,
}

/// Where a needed file has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// The change brings it.
    InTheChange,
    /// It is in the tree after the change.
    InTheTree,
}

/// What makes a change as risky as a tier. Any of these is enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classifier {
    /// The tier of such a change.
    pub tier: Tier,
    /// Globs of files it touches.
    pub paths: Vec<String>,
    /// A regular expression that an added line matches.
    pub content: Option<String>,
    /// So many lines come and go, or more.
    pub lines: Option<u32>,
    /// A regular expression that a commit message matches.
    pub commits: Option<String>,
}

/// How risky a change is. What no risk tier speaks of is low.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Nothing says otherwise.
    #[default]
    Low,
    /// Worth a second look.
    Medium,
    /// Hard to take back.
    High,
    /// It can do lasting harm.
    Critical,
}

impl Tier {
    /// Every tier, the least risky first.
    pub const ALL: &'static [Tier] = &[Tier::Low, Tier::Medium, Tier::High, Tier::Critical];

    /// The word used in files and answers.
    pub fn word(self) -> &'static str {
        match self {
            Tier::Low => "low",
            Tier::Medium => "medium",
            Tier::High => "high",
            Tier::Critical => "critical",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

/// What a change is judged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// It is about to be merged.
    Merge,
    /// It is everything since the release before.
    Release,
}

impl Occasion {
    /// The word used in files and answers.
    pub fn word(self) -> &'static str {
        match self {
            Occasion::Merge => "merge",
            Occasion::Release => "release",
        }
    }
}

/// When a norm is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum On {
    /// Before a merge.
    Merge,
    /// Before a release.
    Release,
    #[default]
    Both,
}

impl On {
    /// Whether the norm is asked now.
    pub fn includes(self, occasion: Occasion) -> bool {
        match self {
            On::Merge => occasion == Occasion::Merge,
            On::Release => occasion == Occasion::Release,
            On::Both => true,
        }
    }
}

/// Which changes a norm speaks of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applies {
    /// Only changes of these tiers; all where there are none.
    pub tiers: Vec<Tier>,
    /// When it is asked.
    pub on: On,
    /// What is left out.
    pub except: Except,
}

/// What a norm leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Except {
    /// Globs of files.
    pub paths: Vec<String>,
    /// A regular expression that a commit message matches.
    pub commits: Option<String>,
    /// Names or mail addresses of authors.
    pub authors: Vec<String>,
}

impl Except {
    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.commits.is_none() && self.authors.is_empty()
    }
}
