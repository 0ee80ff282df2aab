//! How a norm is checked, in words for a person who has to say yes to it.

use serde_json::Value;

use super::{
    Applies, Check, Classifier, Counts, Each, Enforcement, Except, Needed, On, RequiredFile, Who, read,
    rules::{CODE, COMMIT_TYPES, TESTS},
};
use crate::kinds::Type;
use crate::limits::norm_told::{LISTED_MAX, PATTERN_CHARS_MAX};
use crate::words::one_line;

/// How a norm is checked, in a sentence without a full stop. What cannot be read is told as such.
///
/// Names and patterns are those of whoever wrote the norm: a terminal shows them without their control characters.
pub fn told(kind: Type, enforcement: Option<&Value>) -> String {
    match read(kind, enforcement) {
        Ok((enforcement, applies)) => enforcement.told() + &narrowed(&applies),
        Err(faults) => {
            let faults = faults.iter().map(|fault| format!("{}: {}", fault.field, fault.problem));
            format!("not checked, because it cannot be parsed: {}", faults.collect::<Vec<_>>().join("; "))
        }
    }
}

impl Enforcement {
    /// What it asks of a change, and who looks.
    pub fn told(&self) -> String {
        match self {
            Enforcement::Mechanical(check) => format!("checked: {}", check.told()),
            Enforcement::Attested { by, who } => {
                let somebody = match by.is_empty() {
                    true => "an approver".to_owned(),
                    false => plainly(by, "or"),
                };
                let other = match who {
                    Who::Anyone => "",
                    Who::Another => ", who made none of its commits,",
                };
                format!("attested: {somebody}{other} confirms for each change that it follows the norm")
            }
            Enforcement::Advisory { text: None } => {
                "advisory: shown with a change, blocks nothing".to_owned()
            }
            Enforcement::Advisory { text: Some(text) } => {
                format!("advisory: shown with a change, blocks nothing: {}", one_line(text, 200))
            }
            Enforcement::Tier(classifier) => classifier.told(),
        }
    }
}

impl Check {
    /// What is so in a change that passes.
    fn told(&self) -> String {
        match self {
            Check::CommitMessage { pattern, forbid } => {
                let matches = pattern.iter().map(|it| format!("every commit message matches {}", quoted(it)));
                let lacks = forbid.iter().map(|it| format!("no commit message matches {}", quoted(it)));
                matches.chain(lacks).collect::<Vec<_>>().join(", and ")
            }
            Check::ConventionalCommits { types, max_subject } => {
                let types = match types.iter().eq(COMMIT_TYPES) {
                    true => String::new(),
                    false => format!(" with the types {}", plainly(types, "and")),
                };
                let length = max_subject.map(|max| format!(", at most {max} characters")).unwrap_or_default();
                format!("commit subjects follow Conventional Commits{types}{length}")
            }
            Check::NoMergeCommits => "no commit is a merge".to_owned(),
            Check::SignedOff => "every commit is signed off by its author".to_owned(),
            Check::Paths { forbid } => format!("no file under {} is changed", listed(forbid, "or")),
            Check::Content { files, forbid, require } => {
                let of = match files.is_empty() {
                    true => String::new(),
                    false => format!(" of {}", listed(files, "or")),
                };
                let lacks = forbid.iter().map(|it| format!("no added line{of} matches {}", quoted(it)));
                let has = require.iter().map(|it| format!("every changed file{of} matches {}", quoted(it)));
                lacks.chain(has).collect::<Vec<_>>().join(", and ")
            }
            Check::RequiredFile(required) => required.told(),
            Check::MaxLines { lines, files } => {
                let of = match files.is_empty() {
                    true => String::new(),
                    false => format!(" in {}", listed(files, "or")),
                };
                format!("at most {lines} lines are added and removed{of} in total")
            }
            Check::Actions { rules, .. } => {
                let rules: Vec<String> = rules.iter().map(|rule| quoted(rule.as_str())).collect();
                format!("no agent does {}", rules.join(", or "))
            }
            Check::BeforeCommit { run, files } => {
                let since = match files.is_empty() {
                    true => "an edit".to_owned(),
                    false => format!("an edit of {}", listed(files, "or")),
                };
                format!("{} succeeds after {since}, before an agent commits", quoted(run))
            }
            Check::Command { words } => format!("{} ends well", quoted(&words.join(" "))),
        }
    }
}

impl RequiredFile {
    fn told(&self) -> String {
        let code = match self.when.iter().eq(CODE) {
            true => "code".to_owned(),
            false => listed(&self.when, "or"),
        };
        let cause = match (self.when.is_empty(), self.counts) {
            (true, Counts::Touched) => "every change".to_owned(),
            (false, Counts::Touched) => format!("a change of {code}"),
            (true, Counts::Grown) => "a change that adds lines".to_owned(),
            (false, Counts::Grown) => format!("a change that adds lines to {code}"),
        };
        let needed = match (self.each, self.need.as_slice()) {
            (Each::Some, need) if need.iter().eq(TESTS) => "tests".to_owned(),
            (Each::Some | Each::All, [one]) => quoted(one),
            (Each::Some, need) => format!("one of {}", listed(need, "or")),
            (Each::All, need) => format!("all of {}", listed(need, "and")),
        };
        match self.place {
            Needed::InTheChange => format!("{cause} also changes {needed}"),
            Needed::InTheTree => format!("{cause} needs {needed} in the tree"),
        }
    }
}

impl Classifier {
    fn told(&self) -> String {
        let mut causes = Vec::new();
        if !self.paths.is_empty() {
            causes.push(format!("it touches {}", listed(&self.paths, "or")));
        }
        causes.extend(self.content.iter().map(|it| format!("an added line matches {}", quoted(it))));
        causes.extend(self.lines.map(|lines| format!("at least {lines} lines are added and removed")));
        causes.extend(self.commits.iter().map(|it| format!("a commit message matches {}", quoted(it))));
        format!("a change is {} if {}", self.tier, causes.join(", or "))
    }
}

/// Which changes are meant; nothing where all are.
fn narrowed(applies: &Applies) -> String {
    let mut told = String::new();
    if !applies.tiers.is_empty() {
        let tiers: Vec<String> = applies.tiers.iter().map(ToString::to_string).collect();
        told += &format!("; for changes of tier {}", plainly(&tiers, "or"));
    }
    told += match applies.on {
        On::Merge => "; before a merge only",
        On::Release => "; before a release only",
        On::Both => "",
    };
    let Except { paths, commits, authors } = &applies.except;
    let mut left_out = Vec::new();
    if !paths.is_empty() {
        left_out.push(format!("files of {}", listed(paths, "or")));
    }
    left_out.extend(commits.iter().map(|it| format!("commits whose message matches {}", quoted(it))));
    if !authors.is_empty() {
        left_out.push(format!("commits of {}", plainly(authors, "or")));
    }
    if !left_out.is_empty() {
        told += &format!("; leaving out {}", left_out.join(", and "));
    }
    told
}

/// A pattern as it was written, blanks and all, on one line.
fn quoted(text: &str) -> String {
    let mut signs = text.chars();
    let shown: String = signs.by_ref().take(PATTERN_CHARS_MAX).collect();
    let more = if signs.next().is_some() { "…" } else { "" };
    format!("`{}{more}`", shown.replace('\n', "\\n").replace('\r', "\\r"))
}

fn listed(texts: &[String], word: &str) -> String {
    plainly(&texts.iter().map(|text| quoted(text)).collect::<Vec<_>>(), word)
}

/// `a`; `a or b`; `a, b or c`; and of many the first.
fn plainly(texts: &[String], word: &str) -> String {
    match texts {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        many if many.len() > LISTED_MAX => {
            format!("{} {word} {} more", many[..LISTED_MAX].join(", "), many.len() - LISTED_MAX)
        }
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}
