//! The words of `friction`, `note`, `signals` and `health`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::number;

#[derive(Clone, Debug, Args)]
pub struct NoteArgs {
    /// What you noticed
    #[arg(required = true)]
    pub text: Vec<String>,
    /// A label; `/` nests
    #[arg(long)]
    pub tag: Vec<String>,
    /// What kind of signal it is: deviation, struggle, config_mismatch, good_pattern, or a word of your own
    #[arg(long, value_name = "TYPE")]
    pub kind: Option<String>,
    /// critical, notable or minor
    #[arg(long, value_name = "WORD")]
    pub severity: Option<String>,
    /// high, medium or low
    #[arg(long, value_name = "WORD")]
    pub confidence: Option<String>,
    /// positive or negative
    #[arg(long, value_name = "SIDE")]
    pub polarity: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct FrictionArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: FrictionVerb,
}

#[derive(Clone, Debug, Subcommand)]
pub enum FrictionVerb {
    /// Record something in the way
    Record(FrictionRecordArgs),
    /// Add up what got in the way: by type, by cause, against the time before, and what cost the most
    Report {
        /// How far back: 24h, 30d, 4w or all
        #[arg(long, value_name = "PERIOD", default_value = "30d")]
        since: String,
    },
    /// Write the friction ledger out
    Export {
        /// jsonl or csv
        #[arg(long, default_value = "jsonl")]
        format: String,
        /// The file to write; without one, standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Replace the file where there is one
        #[arg(long, requires = "out")]
        force: bool,
    },
}

#[derive(Clone, Debug, Args)]
pub struct FrictionRecordArgs {
    /// tool_error, redo or validation_fail
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: String,
    /// Why it happened
    #[arg(long, value_name = "TEXT")]
    pub cause: Option<String>,
    /// The tool it happened with
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// How long it took
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub minutes: Option<f64>,
    /// A label; `/` nests
    #[arg(long, value_name = "T")]
    pub tag: Vec<String>,
    /// What was going on, as a JSON object; cause, tool, minutes and cost are understood in it
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub context: String,
}

#[derive(Clone, Debug, Args)]
pub struct HealthArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: HealthVerb,
}

#[derive(Clone, Debug, Subcommand)]
pub enum HealthVerb {
    /// Say how the store stands, and keep it in .kenning/.health/latest.json
    Report,
    /// Say what is over its limit, and keep what to do in .kenning/.review/proposal.json; exits with 1 if anything is
    Review {
        /// Show every limit, also of what is within it
        #[arg(long)]
        thresholds: bool,
    },
}
