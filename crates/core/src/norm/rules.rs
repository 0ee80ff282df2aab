//! Ready-made rules: checks that many teams want, by name.

use super::read::Members;
use super::{Check, Counts, Each, Needed, RequiredFile};

/// A check with a name.
pub struct Rule {
    /// The name, as `enforcement` says it.
    pub name: &'static str,
    /// What it asks for, in a sentence.
    pub about: &'static str,
    pub(super) read: fn(&mut Members<'_>) -> Option<Check>,
}

/// Every ready-made rule.
pub const RULES: &[Rule] = &[
    Rule {
        name: "conventional_commits",
        about: "Subjects read `type(scope): what was done`, with a known type and a bounded length.",
        read: |members| {
            let types = members.texts("types");
            Some(Check::ConventionalCommits {
                types: if types.is_empty() { owned(COMMIT_TYPES) } else { types },
                max_subject: members.number("max_subject"),
            })
        },
    },
    Rule {
        name: "tests_required",
        about: "A change that adds code also changes tests.",
        read: |members| {
            let (when, need) = (members.globs("when"), members.globs("need"));
            Some(Check::RequiredFile(RequiredFile {
                when: if when.is_empty() { owned(CODE) } else { when },
                counts: Counts::Grown,
                need: if need.is_empty() { owned(TESTS) } else { need },
                each: Each::Some,
                place: Needed::InTheChange,
            }))
        },
    },
    Rule {
        name: "forbidden_paths",
        about: "Files under these paths are not changed.",
        read: |members| {
            let forbid = members.globs("forbid");
            members.needs("forbid", !forbid.is_empty(), "name globs, such as [\"vendor/**\"]")?;
            Some(Check::Paths { forbid })
        },
    },
    Rule {
        name: "required_files",
        about: "A change of some files also changes these.",
        read: |members| {
            let (when, need) = (members.globs("when"), members.globs("need"));
            let place = members.place();
            members.needs("need", !need.is_empty(), "name globs, such as [\"CHANGELOG.md\"]")?;
            Some(Check::RequiredFile(RequiredFile {
                when,
                counts: Counts::Touched,
                need,
                each: Each::All,
                place,
            }))
        },
    },
    Rule {
        name: "max_lines",
        about: "At most this many lines are added and removed in total.",
        read: |members| {
            let (lines, files) = (members.number("lines"), members.globs("files"));
            members.needs("lines", lines.is_some(), "give a number of lines, such as 500")?;
            Some(Check::MaxLines { lines: lines?, files })
        },
    },
    Rule {
        name: "no_merge_commits",
        about: "The history of the change is linear.",
        read: |_| Some(Check::NoMergeCommits),
    },
    Rule {
        name: "signed_off",
        about: "Every commit has a `Signed-off-by` line of its author.",
        read: |_| Some(Check::SignedOff),
    },
];

/// Types of conventional commits where a norm names none.
pub(super) const COMMIT_TYPES: &[&str] =
    &["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"];

/// Where code lies in most repositories.
pub(super) const CODE: &[&str] = &[
    "src/**",
    "lib/**",
    "app/**",
    "pkg/**",
    "cmd/**",
    "internal/**",
    "crates/*/src/**",
    "packages/*/src/**",
];

/// Where tests lie in most repositories.
pub(super) const TESTS: &[&str] = &[
    "**/{test,tests,spec,specs,__tests__}/**",
    "**/{test,tests}.*",
    "**/test_*.*",
    "**/*{_test,_tests,_spec,.test,.spec}.*",
    "**/*{Test,Tests}.{java,kt,cs,swift,php}",
];

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
