//! What a norm says about actions, one rule a line: a command, files, or dependencies that an agent has to leave alone or ask about.
//!
//! ```text
//! deny command: git push --force main|master
//! ask dependency: any
//! deny edit: src/generated/** **/*.pb.go except src/generated/README.md
//! ```

use std::fmt;

use super::glob;
use crate::limits::action_rule::{RULE_CHARS_MAX, WORDS_MAX};
use crate::words::nearest;

const KINDS: &[&str] = &["command", "edit", "dependency"];

/// What happens to an action that a rule speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// A person is asked first.
    Ask,
    /// It does not happen.
    Deny,
}

impl Verdict {
    /// The word used in rules and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Ask => "ask",
            Verdict::Deny => "deny",
        }
    }
}

/// One rule of a norm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    verdict: Verdict,
    pub(super) form: Form,
    text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The stages of a pipeline; most rules have one.
    Command(Vec<CommandPattern>),
    Edit(Names),
    Dependency(Names),
}

/// Patterns, and what is left out of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) any_of: Vec<String>,
    pub(super) except: Vec<String>,
}

/// One program with what it has to be given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CommandPattern {
    /// Variables that are set for it.
    pub(super) environment: Vec<(String, String)>,
    pub(super) programs: Vec<String>,
    /// Subcommands and operands in order, each with its alternatives.
    pub(super) words: Vec<Vec<String>>,
    /// Options in any order, each with its alternatives.
    pub(super) options: Vec<Vec<OptionPattern>>,
    /// Texts that its words or its input hold, each with its alternatives.
    pub(super) texts: Vec<Vec<String>>,
    /// What is checked out.
    pub(super) branches: Vec<String>,
    pub(super) except: Vec<String>,
}

/// An option with the value that it has to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OptionPattern {
    pub(super) name: String,
    pub(super) value: Option<String>,
}

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleFault {
    /// It does not begin with `command:`, `edit:` or `dependency:`.
    Kind {
        /// What it begins with.
        given: String,
        /// The kind that was probably meant.
        meant: Option<&'static str>,
    },
    /// Nothing follows the kind.
    Empty { kind: &'static str },
    /// `except`, `on` or `|` has nothing on one of its sides.
    Dangling { word: String },
    /// A command that names no program.
    NoProgram,
    /// A glob or a pattern that matches everything.
    Everything {
        /// What was written.
        pattern: String,
    },
    /// A quote or a bracket that is not closed.
    Unclosed {
        /// The word with the quote.
        word: String,
    },
    /// A glob that leaves the repository by `..`.
    Outside { glob: String },
    /// It is longer than a rule can be.
    TooLong,
}

impl fmt::Display for RuleFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleFault::Kind { given, meant } => {
                write!(
                    out,
                    "a rule starts with `command:`, `edit:` or `dependency:`, but this one starts with `{given}`"
                )?;
                match meant {
                    Some(meant) => write!(out, "; did you mean `{meant}:`?"),
                    None => Ok(()),
                }
            }
            RuleFault::Empty { kind: "command" } => out.write_str(
                "nothing follows `command:`; name a program, such as `command: git push --force main`",
            ),
            RuleFault::Empty { kind: "edit" } => {
                out.write_str("nothing follows `edit:`; name files, such as `edit: src/generated/**`")
            }
            RuleFault::Empty { .. } => {
                out.write_str("nothing follows `dependency:`; name some, or write `dependency: any`")
            }
            RuleFault::Dangling { word } => write!(out, "`{word}` needs an operand on both sides"),
            RuleFault::NoProgram => out.write_str(
                "a command starts with the name of a program, but this one starts with an option or a string",
            ),
            RuleFault::Everything { pattern } => {
                write!(out, "`{pattern}` matches everything; be more specific")
            }
            RuleFault::Unclosed { word } => write!(out, "`{word}` has an unclosed bracket or quote"),
            RuleFault::Outside { glob } => {
                write!(
                    out,
                    "`{glob}` points outside the repository; globs start at its root, at `/` or at `~/`"
                )
            }
            RuleFault::TooLong => write!(
                out,
                "a rule has at most {RULE_CHARS_MAX} characters and {WORDS_MAX} words; write several"
            ),
        }
    }
}

impl std::error::Error for RuleFault {}

impl Rule {
    /// Reads a rule: `[deny|ask] KIND: ...`. Without a verdict it denies.
    pub fn parse(text: &str) -> Result<Rule, RuleFault> {
        let text = text.trim();
        if text.chars().count() > RULE_CHARS_MAX {
            return Err(RuleFault::TooLong);
        }
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (verdict, rest) = match first {
            "deny" => (Verdict::Deny, rest.trim()),
            "ask" => (Verdict::Ask, rest.trim()),
            _ => (Verdict::Deny, text),
        };
        let unknown = |given: &str| RuleFault::Kind {
            given: given.to_owned(),
            meant: nearest(given, KINDS.iter().copied()),
        };
        let Some((kind, said)) = rest.split_once(':') else {
            return Err(unknown(rest.split_whitespace().next().unwrap_or_default()));
        };
        let words = split(said)?;
        if words.len() > WORDS_MAX {
            return Err(RuleFault::TooLong);
        }
        let form = match kind.trim() {
            "command" => Form::Command(command(&words)?),
            "edit" => Form::Edit(globs(&words)?),
            "dependency" => Form::Dependency(dependencies(&words)?),
            other => return Err(unknown(other)),
        };
        Ok(Rule { verdict, form, text: text.to_owned() })
    }

    /// What happens to an action that it speaks of.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Globs of the files that it is about; none for a rule about commands or dependencies.
    pub fn globs(&self) -> &[String] {
        match &self.form {
            Form::Edit(names) => &names.any_of,
            Form::Command(_) | Form::Dependency(_) => &[],
        }
    }

    /// The rule as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// The words of a rule. Text in double quotes is part of one word, quotes included.
fn split(said: &str) -> Result<Vec<String>, RuleFault> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_quoted = false;
    for char in said.chars() {
        match char {
            '"' => {
                is_quoted = !is_quoted;
                word.push(char);
            }
            char if char.is_whitespace() && !is_quoted => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            other => word.push(other),
        }
    }
    if is_quoted {
        return Err(RuleFault::Unclosed { word });
    }
    if !word.is_empty() {
        words.push(word);
    }
    Ok(words)
}

/// `main|master` and `[main|master]`.
fn alternatives(word: &str) -> Result<Vec<String>, RuleFault> {
    let bare = match (word.strip_prefix('['), word.strip_suffix(']')) {
        (Some(_), Some(_)) if word.contains('|') => &word[1..word.len() - 1],
        _ => word,
    };
    let parts: Vec<String> = bare.split('|').map(str::to_owned).collect();
    if parts.iter().any(String::is_empty) {
        return Err(RuleFault::Dangling { word: word.to_owned() });
    }
    Ok(parts)
}

fn command(words: &[String]) -> Result<Vec<CommandPattern>, RuleFault> {
    if words.is_empty() {
        return Err(RuleFault::Empty { kind: "command" });
    }
    let stages: Vec<&[String]> = words.split(|word| word == "|").collect();
    if stages.iter().any(|stage| stage.is_empty()) {
        return Err(RuleFault::Dangling { word: "|".to_owned() });
    }
    stages.into_iter().map(stage).collect()
}

fn stage(words: &[String]) -> Result<CommandPattern, RuleFault> {
    let mut pattern = CommandPattern::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let dangling = || RuleFault::Dangling { word: word.clone() };
        if word == "except" {
            for word in words.by_ref() {
                pattern.except.extend(alternatives(word)?);
            }
            if pattern.except.is_empty() || pattern.programs.is_empty() {
                return Err(dangling());
            }
        } else if word == "on" && !pattern.programs.is_empty() {
            pattern.branches = alternatives(words.next().ok_or_else(dangling)?)?;
        } else if word.starts_with('"') {
            if pattern.programs.is_empty() {
                return Err(RuleFault::NoProgram);
            }
            let texts: Vec<String> = word
                .split('"')
                .enumerate()
                .filter(|(at, _)| at % 2 == 1)
                .map(|(_, text)| folded(text))
                .collect();
            if texts.iter().any(String::is_empty) {
                return Err(RuleFault::Everything { pattern: word.clone() });
            }
            pattern.texts.push(texts);
        } else if word.starts_with('-') {
            if pattern.programs.is_empty() {
                return Err(RuleFault::NoProgram);
            }
            pattern.options.push(options(word)?);
        } else if let (true, Some((name, value))) = (pattern.programs.is_empty(), word.split_once('=')) {
            pattern.environment.push((name.to_owned(), value.to_owned()));
        } else if pattern.programs.is_empty() {
            pattern.programs = alternatives(word)?;
        } else {
            pattern.words.push(alternatives(word)?);
        }
    }
    if pattern.programs.is_empty() {
        return Err(RuleFault::NoProgram);
    }
    let says_nothing = pattern.words.iter().flatten().all(|word| word == "*" || word == "**")
        && pattern.options.is_empty()
        && pattern.texts.is_empty()
        && pattern.environment.is_empty();
    if says_nothing && pattern.programs.iter().any(|program| program == "*") {
        return Err(RuleFault::Everything { pattern: "*".to_owned() });
    }
    Ok(pattern)
}

/// `--force|--delete`, `--context=prod|staging`.
fn options(word: &str) -> Result<Vec<OptionPattern>, RuleFault> {
    let mut found: Vec<OptionPattern> = Vec::new();
    for part in alternatives(word)? {
        match (part.starts_with('-'), part.split_once('=')) {
            (true, Some((name, value))) => {
                found.push(OptionPattern { name: name.to_owned(), value: Some(value.to_owned()) });
            }
            (true, None) => found.push(OptionPattern { name: part, value: None }),
            // Another value of the option before it.
            (false, _) => match found.last().map(|before| before.name.clone()) {
                Some(name) => found.push(OptionPattern { name, value: Some(part) }),
                None => return Err(RuleFault::Dangling { word: word.to_owned() }),
            },
        }
    }
    Ok(found)
}

/// Splits at `except`.
fn with_exceptions(words: &[String]) -> Result<(&[String], &[String]), RuleFault> {
    match words.iter().position(|word| word == "except") {
        Some(at) if at == 0 || at + 1 == words.len() => {
            Err(RuleFault::Dangling { word: "except".to_owned() })
        }
        Some(at) => Ok((&words[..at], &words[at + 1..])),
        None => Ok((words, &[])),
    }
}

fn globs(words: &[String]) -> Result<Names, RuleFault> {
    if words.is_empty() {
        return Err(RuleFault::Empty { kind: "edit" });
    }
    let (globs, except) = with_exceptions(words)?;
    let read = |words: &[String]| -> Result<Vec<String>, RuleFault> {
        let mut found = Vec::new();
        for word in words.iter().map(|word| word.trim_matches('"')) {
            if word.matches('[').count() != word.matches(']').count()
                || word.matches('{').count() != word.matches('}').count()
            {
                return Err(RuleFault::Unclosed { word: word.to_owned() });
            }
            let bare = word.trim_start_matches("./");
            if bare == ".." || bare.starts_with("../") || bare.contains("/../") {
                return Err(RuleFault::Outside { glob: word.to_owned() });
            }
            let bare = if bare.ends_with('/') { format!("{bare}**") } else { bare.to_owned() };
            if matches!(bare.as_str(), "" | "*" | "**" | "**/*" | "**/**") {
                return Err(RuleFault::Everything { pattern: word.to_owned() });
            }
            found.extend(glob::braces(&bare));
        }
        Ok(found)
    };
    Ok(Names { any_of: read(globs)?, except: read(except)? })
}

fn dependencies(words: &[String]) -> Result<Names, RuleFault> {
    if words.is_empty() {
        return Err(RuleFault::Empty { kind: "dependency" });
    }
    let (names, except) = with_exceptions(words)?;
    let read = |words: &[String]| -> Result<Vec<String>, RuleFault> {
        let mut found = Vec::new();
        for word in words {
            for name in alternatives(word)? {
                found.push(if name == "any" { "**".to_owned() } else { name });
            }
        }
        Ok(found)
    };
    Ok(Names { any_of: read(names)?, except: read(except)? })
}

/// A text in small letters, with one space where there are several.
pub(super) fn folded(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_says_what_it_denies_and_what_it_asks_about() {
        for (text, verdict) in [
            ("command: git push --force [main|master]", Verdict::Deny),
            ("deny command: git push --force|--delete main|master except --force-with-lease", Verdict::Deny),
            ("ask command: curl|wget | sh|bash", Verdict::Ask),
            ("ask command: HUSKY=0 git commit", Verdict::Ask),
            ("deny command: psql \"drop table\"|\"truncate\"", Verdict::Deny),
            ("deny command: git commit on main", Verdict::Deny),
            ("edit: src/generated/** vendor/ except vendor/OWNERS", Verdict::Deny),
            ("ask dependency: any except serde|serde_json", Verdict::Ask),
        ] {
            let rule = Rule::parse(text).unwrap();
            assert_eq!((rule.verdict(), rule.as_str()), (verdict, text));
        }
    }

    #[test]
    fn what_is_no_rule_is_told_why() {
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("", "a rule starts with `command:`, `edit:` or `dependency:`, but this one starts with ``"),
            (
                "deny comand: git push",
                "a rule starts with `command:`, `edit:` or `dependency:`, but this one starts with `comand`; did you mean `command:`?",
            ),
            ("edit:", "nothing follows `edit:`; name files, such as `edit: src/generated/**`"),
            ("ask dependency: ", "nothing follows `dependency:`; name some, or write `dependency: any`"),
            (
                "command: ",
                "nothing follows `command:`; name a program, such as `command: git push --force main`",
            ),
            (
                "command: --force",
                "a command starts with the name of a program, but this one starts with an option or a string",
            ),
            ("command: *", "`*` matches everything; be more specific"),
            ("command: git push main|", "`main|` needs an operand on both sides"),
            ("command: curl |", "`|` needs an operand on both sides"),
            ("command: git push except", "`except` needs an operand on both sides"),
            ("command: psql \"drop", "` \"drop` has an unclosed bracket or quote"),
            ("edit: **", "`**` matches everything; be more specific"),
            (
                "edit: ../x",
                "`../x` points outside the repository; globs start at its root, at `/` or at `~/`",
            ),
            ("edit: a[b", "`a[b` has an unclosed bracket or quote"),
        ] {
            let said = Rule::parse(text).unwrap_err().to_string().replace("`\"", "` \"");
            if said != expected {
                wrong.push(format!("{text}: {expected:?} is not {said:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(Rule::parse(&format!("edit: {}", "a".repeat(2_000))), Err(RuleFault::TooLong));
    }
}
