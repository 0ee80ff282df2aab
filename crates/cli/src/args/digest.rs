//! The words of `staging`.

use clap::{Args, Subcommand};
pub use kenning::verbs::digest::{
    CandidateRequest as CandidateArgs, ReduceRequest as ReduceArgs, ReflectRequest as ReflectArgs,
    ReweaveRequest as ReweaveArgs, StagingAcceptRequest as StagingAcceptArgs,
    StagingDropRequest as StagingDropArgs,
};

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
    Show(CandidateArgs),
    /// Make entries of candidates; each goes the whole way in
    Accept(StagingAcceptArgs),
    /// Take candidates out, so that `reduce` does not bring them back
    Drop(StagingDropArgs),
    /// Bring back a candidate that was dropped
    Restore(CandidateArgs),
}
