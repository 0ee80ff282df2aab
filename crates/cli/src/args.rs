//! The words of the command line that are no verb's: flags that stand everywhere, and what the verbs of this program alone take.

use std::path::PathBuf;

mod doors;
mod hook;
mod setup;

use clap::Parser;
use kenning::request::Request;

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

#[derive(Clone, Debug, Request)]
pub struct RetrievalArgs {
    /// Dataset format: locomo (one file) or pairs (documents and queries as JSON Lines)
    #[field(long)]
    pub format: String,
    /// Dataset files
    #[field(required)]
    pub files: Vec<PathBuf>,
    /// Search modes, comma-separated: lexical, semantic, hybrid, composite
    #[field(long, default = "hybrid", split)]
    pub mode: Vec<String>,
    /// Run only N questions of each collection, spread evenly
    #[field(long, value_name = "N")]
    pub questions: Option<usize>,
    /// Cache embeddings in this directory
    #[field(long, value_name = "DIR")]
    pub vectors: Option<PathBuf>,
    /// Also write one JSON line per question: query, results, metrics
    #[field(long, value_name = "FILE")]
    pub each: Option<PathBuf>,
}

#[derive(Clone, Debug, Request)]
pub struct DemoArgs {
    /// The chapter to play; `all` plays every chapter
    #[field(value_name = "CHAPTER", default = "story", words = crate::demo::chapter_names(), only_words)]
    pub chapter: String,
    /// Keep the scratch repository and print its path
    #[field(long)]
    pub keep: bool,
}

#[derive(Clone, Debug, Request)]
pub struct CompletionArgs {
    /// Shell to print completions for
    #[field(words = SHELLS, only_words)]
    pub shell: String,
}

#[derive(Clone, Debug, Request)]
pub struct ManArgs {
    /// The folder to write to, such as ~/.local/share/man/man1
    #[field(value_name = "DIR")]
    pub folder: PathBuf,
}

#[derive(Clone, Debug, Request)]
pub struct HelpArgs {
    /// A command such as `task start`, or a section such as find; `ken help` lists them
    #[field(value_name = "VERB|SECTION")]
    pub words: Vec<String>,
    /// List every verb
    #[field(long, conflicts("words"))]
    pub all: bool,
}

#[derive(Clone, Debug, Request)]
pub struct KnowledgeAddArgs {
    /// Memory: semantic, procedural or episodic
    #[field(long = "type", value_name = "MEMORY")]
    pub memory: String,
    /// Kind of norm: commit, pr, expectation or risk
    #[field(long, value_name = "KIND")]
    pub norm_type: Option<String>,
    /// Evidence: commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[field(long, value_name = "REF")]
    pub evidence: Vec<String>,
    /// The entry as a JSON object
    #[field(long, value_name = "JSON")]
    pub content: String,
}

#[derive(Clone, Debug, Request)]
pub struct KnowledgeListArgs {
    /// Memory: semantic, procedural or episodic
    #[field(long = "type", value_name = "MEMORY")]
    pub memory: Option<String>,
    /// Kind of norm: commit, pr, expectation or risk
    #[field(long, value_name = "KIND")]
    pub norm_type: Option<String>,
    /// Maximum number of entries
    #[field(long)]
    pub limit: Option<usize>,
}

#[derive(Clone, Debug, Request)]
pub struct KnowledgeShowArgs {
    /// Entry id
    pub id: String,
}

#[derive(Clone, Debug, Request)]
pub struct KnowledgePromoteArgs {
    /// Source: a memory, or memory/type
    #[field(long)]
    pub from: String,
    /// Target memory
    #[field(long)]
    pub to: String,
}

#[derive(Clone, Debug, Request)]
pub struct KnowledgeReduceArgs {
    /// Sources: paths, glob patterns or git:RANGE
    #[field(long, value_name = "SOURCE", several, required)]
    pub sources: Vec<String>,
}

#[derive(Clone, Debug, Request)]
pub struct KnowledgeReweaveArgs {
    /// Entry id
    #[field(long, value_name = "ID")]
    pub entry: String,
    /// Evidence: commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[field(long, value_name = "REF", required)]
    pub evidence: Vec<String>,
}

#[derive(Clone, Debug, Request)]
pub struct KnowledgeArchiveArgs {
    /// Archive entries unchanged for this many days
    #[field(long, value_name = "DAYS")]
    pub older_than: String,
}

/// The shells that completions are printed for.
const SHELLS: &[&str] = &["bash", "elvish", "fish", "powershell", "zsh"];

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
