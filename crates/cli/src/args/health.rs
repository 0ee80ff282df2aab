//! The words of `friction` and `health`.

use clap::{Args, Subcommand};
pub use kenning::verbs::health::{
    FrictionExportRequest as FrictionExportArgs, FrictionRecordRequest as FrictionRecordArgs,
    FrictionReportRequest as FrictionReportArgs, HealthReviewRequest as HealthReviewArgs,
    NoteRequest as NoteArgs,
};

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
    Report(FrictionReportArgs),
    /// Write the friction ledger out
    Export(FrictionExportArgs),
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
    Review(HealthReviewArgs),
}
