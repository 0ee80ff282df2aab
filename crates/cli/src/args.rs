//! The words of the command line that are no verb's: flags that stand everywhere, and what the verbs of this program alone take.

use std::path::PathBuf;

mod doors;
mod hook;
mod setup;

use clap::{Args, Parser};
use kenning::verb::whole;

pub use doors::*;
pub use hook::*;
pub use setup::*;

/// Knowledge next to the code: where each piece came from, how far it can be believed, and whether it still holds.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "ken",
    version,
    disable_help_subcommand = true,
    max_term_width = 100,
    propagate_version = false
)]
pub struct Cli {
    /// Answer in JSON
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,
    /// The store to use, instead of the one found from here
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    pub store: Option<PathBuf>,
    /// Use the global store, for knowledge that reaches beyond this repository
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub global: bool,
    /// Leave out notes on standard error
    #[arg(long, short, global = true, help_heading = "Everywhere")]
    pub quiet: bool,
    /// Take no meanings: words alone answer
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub no_model: bool,
}

#[derive(Clone, Debug, Args)]
pub struct RetrievalArgs {
    /// locomo: one FILE; pairs: DOCS and QUERIES as JSON Lines
    #[arg(long)]
    pub format: String,
    /// The files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// lexical, semantic, hybrid or composite; several with commas
    #[arg(long, default_value = "hybrid", value_delimiter = ',')]
    pub mode: Vec<String>,
    /// Ask only so many questions of each collection, spread evenly over it
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    pub questions: Option<usize>,
    /// Keep the vectors in a folder, for the next time
    #[arg(long, value_name = "DIR")]
    pub vectors: Option<PathBuf>,
    /// One line of JSON a question as well: query, answers, measures
    #[arg(long, value_name = "FILE")]
    pub each: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct DemoArgs {
    /// The chapter to play; `all` plays every chapter
    #[arg(value_name = "CHAPTER", default_value = "story", value_parser = clap::builder::PossibleValuesParser::new(crate::demo::chapter_names()))]
    pub chapter: String,
    /// Keep the scratch repository and say where it is
    #[arg(long)]
    pub keep: bool,
}

#[derive(Clone, Debug, Args)]
pub struct CompletionArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Clone, Debug, Args)]
pub struct HelpArgs {
    /// A verb such as `add` or `task start`, or a section: start, record, find, trust, share, agents or admin
    #[arg(value_name = "VERB|SECTION")]
    pub words: Vec<String>,
    /// List every verb
    #[arg(long, conflicts_with = "words")]
    pub all: bool,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeAddArgs {
    /// semantic, procedural or episodic
    #[arg(long = "type", value_name = "MEMORY")]
    pub memory: String,
    /// commit, pr, expectation or risk
    #[arg(long, value_name = "KIND")]
    pub norm_type: Option<String>,
    /// commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[arg(long, value_name = "REF")]
    pub evidence: Vec<String>,
    /// The entry as a JSON object
    #[arg(long, value_name = "JSON")]
    pub content: String,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeListArgs {
    /// semantic, procedural or episodic
    #[arg(long = "type", value_name = "MEMORY")]
    pub memory: Option<String>,
    /// commit, pr, expectation or risk
    #[arg(long, value_name = "KIND")]
    pub norm_type: Option<String>,
    /// At most this many
    #[arg(long, value_parser = whole::<usize>)]
    pub limit: Option<usize>,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeShowArgs {
    /// Its id
    pub id: String,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgePromoteArgs {
    /// Where it comes from: a memory, or memory/type
    #[arg(long)]
    pub from: String,
    /// The memory it should go to
    #[arg(long)]
    pub to: String,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeReduceArgs {
    /// Paths, patterns of paths, git:RANGE
    #[arg(long, value_name = "SOURCE", num_args = 1.., required = true)]
    pub sources: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeReweaveArgs {
    /// The entry
    #[arg(long, value_name = "ID")]
    pub entry: String,
    /// commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[arg(long, value_name = "REF", required = true)]
    pub evidence: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeArchiveArgs {
    /// Days without a change
    #[arg(long, value_name = "DAYS")]
    pub older_than: String,
}

/// What stands before an excluded word of a search until it is read: `-redis` is no bundle of flags.
const EXCLUDED_MARK: &str = "\u{2}";

/// Keeps the excluded words of a search from being read as flags: `ken search pool -redis`.
pub fn with_excluded_words(words: impl Iterator<Item = std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    let mut searches = false;
    let mut scans = false;
    let mut words = words.peekable();
    let mut typed = Vec::new();
    // `--store` names a folder everywhere; without one, `scan --store` means the entries of the store.
    while let Some(word) = words.next() {
        scans |= word == "scan";
        let folder = words.peek().is_some_and(|next| !next.to_string_lossy().starts_with('-'));
        typed.push(if scans && word == "--store" && !folder { "--stored".into() } else { word });
    }
    let excluded = |word: &str| {
        let body = word.strip_prefix('-').unwrap_or_default();
        body.starts_with('"') || (body.chars().count() >= 3 && body.chars().take(2).all(char::is_alphabetic))
    };
    typed
        .into_iter()
        .map(|word| match word.to_str() {
            Some("search") => {
                searches = true;
                word
            }
            Some(text) if searches && excluded(text) => format!("{EXCLUDED_MARK}{text}").into(),
            // Bytes that are no text are still a question.
            None if searches => word.to_string_lossy().into_owned().into(),
            _ => word,
        })
        .collect()
}

/// The words of a search as they were typed.
pub fn as_typed(words: &[String]) -> String {
    let words: Vec<&str> =
        words.iter().map(|word| word.strip_prefix(EXCLUDED_MARK).unwrap_or(word)).collect();
    words.join(" ")
}
