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

/// A knowledge store for coding agents: lessons, their evidence, and whether they still hold
#[derive(Clone, Debug, Parser)]
#[command(
    name = "ken",
    version,
    disable_help_subcommand = true,
    max_term_width = 100,
    propagate_version = false
)]
pub struct Cli {
    /// Print JSON
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,
    /// Use the store in this directory
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub store: Option<PathBuf>,
    /// Use the global store, shared by all your repositories
    #[arg(long, global = true, help_heading = "Global options")]
    pub global: bool,
    /// Print no notes on standard error
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub quiet: bool,
    /// Keyword search only, no embeddings
    #[arg(long, global = true, help_heading = "Global options")]
    pub no_model: bool,
    /// Print long output to the terminal without a pager
    #[arg(long, global = true, help_heading = "Global options")]
    pub no_pager: bool,
}

#[derive(Clone, Debug, Args)]
pub struct RetrievalArgs {
    /// Dataset format: locomo (one file) or pairs (documents and queries as JSON Lines)
    #[arg(long)]
    pub format: String,
    /// Dataset files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Search modes, comma-separated: lexical, semantic, hybrid, composite
    #[arg(long, default_value = "hybrid", value_delimiter = ',')]
    pub mode: Vec<String>,
    /// Run only N questions of each collection, spread evenly
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    pub questions: Option<usize>,
    /// Cache embeddings in this directory
    #[arg(long, value_name = "DIR")]
    pub vectors: Option<PathBuf>,
    /// Also write one JSON line per question: query, results, metrics
    #[arg(long, value_name = "FILE")]
    pub each: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct DemoArgs {
    /// The chapter to play; `all` plays every chapter
    #[arg(value_name = "CHAPTER", default_value = "story", value_parser = clap::builder::PossibleValuesParser::new(crate::demo::chapter_names()))]
    pub chapter: String,
    /// Keep the scratch repository and print its path
    #[arg(long)]
    pub keep: bool,
}

#[derive(Clone, Debug, Args)]
pub struct CompletionArgs {
    /// Shell to print completions for
    pub shell: clap_complete::Shell,
}

#[derive(Clone, Debug, Args)]
pub struct ManArgs {
    /// The folder to write to, such as ~/.local/share/man/man1
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

#[derive(Clone, Debug, Args)]
pub struct HelpArgs {
    /// A command such as `task start`, or a section such as find; `ken help` lists them
    #[arg(value_name = "VERB|SECTION")]
    pub words: Vec<String>,
    /// List every verb
    #[arg(long, conflicts_with = "words")]
    pub all: bool,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeAddArgs {
    /// Memory: semantic, procedural or episodic
    #[arg(long = "type", value_name = "MEMORY")]
    pub memory: String,
    /// Kind of norm: commit, pr, expectation or risk
    #[arg(long, value_name = "KIND")]
    pub norm_type: Option<String>,
    /// Evidence: commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[arg(long, value_name = "REF")]
    pub evidence: Vec<String>,
    /// The entry as a JSON object
    #[arg(long, value_name = "JSON")]
    pub content: String,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeListArgs {
    /// Memory: semantic, procedural or episodic
    #[arg(long = "type", value_name = "MEMORY")]
    pub memory: Option<String>,
    /// Kind of norm: commit, pr, expectation or risk
    #[arg(long, value_name = "KIND")]
    pub norm_type: Option<String>,
    /// Maximum number of entries
    #[arg(long, value_parser = whole::<usize>)]
    pub limit: Option<usize>,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeShowArgs {
    /// Entry id
    pub id: String,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgePromoteArgs {
    /// Source: a memory, or memory/type
    #[arg(long)]
    pub from: String,
    /// Target memory
    #[arg(long)]
    pub to: String,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeReduceArgs {
    /// Sources: paths, glob patterns or git:RANGE
    #[arg(long, value_name = "SOURCE", num_args = 1.., required = true)]
    pub sources: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeReweaveArgs {
    /// Entry id
    #[arg(long, value_name = "ID")]
    pub entry: String,
    /// Evidence: commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[arg(long, value_name = "REF", required = true)]
    pub evidence: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct KnowledgeArchiveArgs {
    /// Archive entries unchanged for this many days
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
