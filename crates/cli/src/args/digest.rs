//! The words of `reduce`, `staging`, `reflect` and `reweave`.

use clap::{Args, Subcommand};

#[derive(Clone, Debug, Args)]
pub struct ReduceArgs {
    /// Paths, patterns like 'docs/**/*.md', folders, git:RANGE, exports of pull requests (.json)
    #[arg(long, value_name = "SOURCE", num_args = 1..)]
    pub sources: Vec<String>,
    /// The same, without the flag
    #[arg(value_name = "SOURCE")]
    pub named: Vec<String>,
    /// Say what would be staged, and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Clone, Debug, Args)]
pub struct StagingArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: StagingVerb,
}

#[derive(Clone, Debug, Subcommand)]
pub enum StagingVerb {
    /// What waits, and what was dropped
    List,
    /// One candidate, whole
    Show {
        /// Its id, or the beginning of it
        id: String,
    },
    /// Make entries of candidates; each goes the whole way in
    Accept {
        /// Their ids, or the beginnings of them
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Take candidates out, so that `reduce` does not bring them back
    Drop {
        /// Their ids, or the beginnings of them
        #[arg(required = true)]
        ids: Vec<String>,
        /// Why
        #[arg(long)]
        reason: String,
    },
    /// Bring back a candidate that was dropped
    Restore {
        /// Its id, or the beginning of it
        id: String,
    },
}

#[derive(Clone, Debug, Args)]
pub struct ReflectArgs {
    /// Tie entries that belong together (relates_to)
    #[arg(long)]
    pub link: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ReweaveArgs {
    /// The entry: an id, a handle, or the beginning of one
    #[arg(long, value_name = "ID")]
    pub entry: String,
    /// commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[arg(long, value_name = "REF", required = true)]
    pub evidence: Vec<String>,
    /// What it should say now
    #[arg(long, value_name = "TEXT")]
    pub statement: Option<String>,
    /// Why
    #[arg(long, default_value = "")]
    pub reason: String,
    /// Cite a file that is not there
    #[arg(long)]
    pub unverified: bool,
}
