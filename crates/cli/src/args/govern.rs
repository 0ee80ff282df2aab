//! The words of `promote` and `gate`.

use clap::{Args, Subcommand};
pub use kenning::verbs::gate::{AttestRequest as AttestArgs, GateRequest};
pub use kenning::verbs::promote::{
    PromoteRequest, PromotionListRequest as PromotionListArgs, PromotionReasonRequest as PromotionReasonArgs,
    PromotionRequest as PromotionArgs, ProposeRequest as ProposeArgs,
};

#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct PromoteArgs {
    /// What to do with a proposal
    #[command(subcommand)]
    pub verb: Option<PromoteVerb>,
    #[command(flatten)]
    pub request: PromoteRequest,
}

#[derive(Clone, Debug, Subcommand)]
pub enum PromoteVerb {
    /// Ask that something becomes a norm, or that records become knowledge
    Propose(Box<ProposeArgs>),
    /// Proposals that wait for an answer
    List(PromotionListArgs),
    /// One proposal, whole
    Show(PromotionArgs),
    /// Say yes, in a terminal; for an approver
    Approve(PromotionArgs),
    /// Say no; for an approver
    Reject(PromotionReasonArgs),
}

#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct GateArgs {
    /// What else to do
    #[command(subcommand)]
    pub verb: Option<GateVerb>,
    #[command(flatten)]
    pub request: GateRequest,
}

#[derive(Clone, Debug, Subcommand)]
pub enum GateVerb {
    /// Vouch for a change, where no machine can tell: in a terminal, for the people whom the norm names
    Attest(AttestArgs),
}
