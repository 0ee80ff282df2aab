//! What documents, commits and pull requests ask of people: texts in, candidates out (DIG-1).
//!
//! [`reduce`] reads one [`Source`] and answers with atomic candidates, each with the place it came from and the words that made it one. There is
//! no model in it, no file, no clock: the same text gives the same candidates. What becomes of them is decided elsewhere.

pub mod commits;
pub mod conversation;
mod cue;
mod document;
mod enforcement;
mod kind;
pub mod limits;
mod marked;
mod norms;
mod plain;
pub mod proposal;
pub mod pulls;
mod sentence;
mod tier;

use ken_core::Type;
use ken_core::kinds::Polarity;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use commits::Commit;
pub use cue::is_any_verb as is_verb;
pub use proposal::is_program;
pub use pulls::Pull;

/// Something to read.
#[derive(Clone, Debug)]
pub enum Source<'a> {
    /// A file of words.
    Document {
        /// Its path inside the repository.
        path: &'a str,
        /// All of it.
        text: &'a str,
        /// How it is to be read.
        form: Form,
    },
    /// A range of commits, newest first.
    Commits(&'a [Commit]),
    /// Pull requests with what was said in them.
    Pulls(&'a [Pull]),
}

/// How a document is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// How it is written.
    pub markup: Markup,
    /// How it speaks.
    pub voice: Voice,
}

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    Markdown,
    /// Words and points, nothing else.
    Plain,
}

/// How a document speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// It tells people or agents what to do: an order is a norm there.
    Instructions,
    /// It tells how things are: only what is plainly asked of people is a norm.
    Reference,
    /// Somebody says it in a conversation: only what is meant for always is a norm.
    Talk,
}

impl Form {
    /// How a file should be read: by its name, by its first heading, and else by whether it mostly says what is to be done.
    pub fn detect(path: &str, text: &str) -> Form {
        const NAMES: &[&str] = &[
            "agents",
            "checklist",
            "claude",
            "codestyle",
            "contributing",
            "contributor",
            "conventions",
            "gemini",
            "guideline",
            "guidelines",
            "hacking",
            "handbook",
            "instructions",
            "norms",
            "policies",
            "policy",
            "rules",
            "style",
            "styleguide",
        ];
        const FOLDERS: &[&str] = &[".cursor/rules/", "pull_request_template", "definition-of-done"];
        const TITLES: &[&str] = &[
            "contribut",
            "convention",
            "guideline",
            "handbook",
            "how we work",
            "instructions",
            "policy",
            "rules for",
            "style guide",
        ];
        let lower = path.to_lowercase();
        let file = lower.rsplit('/').next().unwrap_or(&lower);
        let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
        let markup = match extension {
            "md" | "markdown" | "mdx" | "mdc" | "mkd" => Markup::Markdown,
            _ => Markup::Plain,
        };
        let named = stem.split(['-', '_', ' ', '.']).any(|part| NAMES.contains(&part));
        let title = text
            .lines()
            .map(str::trim)
            .find(|line| line.chars().any(char::is_alphanumeric))
            .unwrap_or_default()
            .to_lowercase();
        let instructs = named
            || FOLDERS.iter().any(|folder| lower.contains(folder))
            || TITLES.iter().any(|word| title.contains(word) && title.len() < 80)
            || norms::asks_mostly(&passages(text, markup));
        Form { markup, voice: if instructs { Voice::Instructions } else { Voice::Reference } }
    }
}

/// One norm or lesson that a source states, not yet an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Candidate {
    /// What it would be.
    #[serde(rename = "type")]
    pub kind: Type,
    /// What it says, on its own, without markup.
    pub statement: String,
    /// Whether it asks for something or forbids it.
    pub polarity: Polarity,
    /// Where it stands.
    pub place: Place,
    /// The words there.
    pub quote: String,
    /// What made it one: `must`, `never`, `imperative`, `checklist`, `definition of done`.
    pub cue: String,
    /// The headings above it, as labels.
    pub tags: Vec<String>,
    /// How sure it is that this is a norm, in percent.
    pub confidence: u8,
    /// How it could be checked, where that is plain.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub enforcement: Option<Value>,
}

/// Where a candidate stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In a document.
    Lines {
        /// Its path inside the repository.
        path: String,
        /// The first line, from 1.
        first: u32,
        /// The last line.
        last: u32,
    },
    /// In a commit's message.
    Commit {
        /// Its full hash.
        hash: String,
    },
    /// In a pull request.
    Pull {
        number: u64,
        /// Which part of it: `title`, `body`, `review 2`, `comment 1`.
        part: String,
    },
}

impl Place {
    /// The citation of the place, as evidence is written (ENT-4).
    pub fn evidence(&self) -> String {
        match self {
            Place::Lines { path, first, last } if first == last => format!("doc:{path}#L{first}"),
            Place::Lines { path, first, last } => format!("doc:{path}#L{first}-L{last}"),
            Place::Commit { hash } => format!("commit:{hash}"),
            Place::Pull { number, .. } => format!("pr:{number}"),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Lines { path, first, last } if first == last => write!(out, "{path}:{first}"),
            Place::Lines { path, first, last } => write!(out, "{path}:{first}-{last}"),
            Place::Commit { hash } => write!(out, "commit {}", hash.get(..12).unwrap_or(hash)),
            Place::Pull { number, part } => write!(out, "pull request {number}, {part}"),
        }
    }
}

/// Every candidate of a source, in the order in which they stand there, the same statement once.
pub fn reduce(source: &Source<'_>) -> Vec<Candidate> {
    let found = match source {
        Source::Document { path, text, form } => document(path, text, *form),
        Source::Commits(commits) => commits::reduce(commits),
        Source::Pulls(pulls) => pulls.iter().flat_map(pulls::reduce).collect(),
    };
    let mut seen = std::collections::BTreeSet::new();
    let is_new = |candidate: &Candidate| {
        seen.insert((candidate.kind, ken_core::words::normalise_statement(&candidate.statement)))
    };
    found.into_iter().filter(is_new).collect()
}

/// Sentences that rules take for no candidate and that may be one all the same, what speaks of a duty first: for a judge to decide. Nothing that
/// [`reduce`] finds is among them.
pub fn undecided(source: &Source<'_>) -> Vec<Candidate> {
    let mut found = match source {
        Source::Document { path, text, form } => {
            norms::undecided(&passages(text, form.markup), form.voice, &lines_of(path))
        }
        // In a message nearly all duties are those of the code that it describes.
        Source::Commits(_) => Vec::new(),
        Source::Pulls(pulls) => pulls.iter().flat_map(pulls::undecided).collect(),
    };
    found.sort_by_key(|candidate| std::cmp::Reverse(candidate.confidence));
    let mut seen: std::collections::BTreeSet<String> =
        reduce(source).iter().map(|known| ken_core::words::normalise_statement(&known.statement)).collect();
    found.retain(|one| seen.insert(ken_core::words::normalise_statement(&one.statement)));
    found
}

fn document(path: &str, text: &str, form: Form) -> Vec<Candidate> {
    norms::norms(&passages(text, form.markup), form.voice, &lines_of(path))
}

fn passages(text: &str, markup: Markup) -> Vec<document::Passage> {
    match markup {
        Markup::Plain => plain::passages(text),
        Markup::Markdown => document::passages(text),
    }
}

/// Makes places of the lines of a document.
fn lines_of(path: &str) -> impl Fn(u32, u32) -> Place {
    move |first, last| Place::Lines { path: path.to_owned(), first, last }
}
