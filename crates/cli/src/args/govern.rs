//! The words of `promote` and `gate`.

use clap::{Args, Subcommand};

#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct PromoteArgs {
    /// What to do with a proposal
    #[command(subcommand)]
    pub verb: Option<PromoteVerb>,
    /// An id, a handle, or the beginning of one
    #[arg(required_unless_present = "from")]
    pub id: Option<String>,
    /// project, global, semantic or procedural
    #[arg(long, required = true)]
    pub to: Option<String>,
    /// Everything of a memory at once, as Decapod has it; always refused
    #[arg(long, value_name = "MEMORY[/TYPE]", conflicts_with = "id")]
    pub from: Option<String>,
    /// Another project that learned the same, for global
    #[arg(long, value_name = "DIR")]
    pub seen_in: Vec<std::path::PathBuf>,
    /// A general wording, for global; the words of the norm, for procedural
    #[arg(long, value_name = "TEXT")]
    pub statement: Option<String>,
    /// For procedural: commit_norm, pr_expectation, user_expectation or risk_tier
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// For procedural: what speaks for it; that of the entry where there is none
    #[arg(long, value_name = "KIND:REF")]
    pub evidence: Vec<String>,
    /// Why
    #[arg(long, default_value = "")]
    pub reason: String,
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
pub struct ProposeArgs {
    /// What it is made from: ids, handles, or beginnings of them
    #[arg(required = true)]
    pub sources: Vec<String>,
    /// semantic or procedural
    #[arg(long, value_name = "MEMORY")]
    pub to: String,
    /// What the new entry will be: lesson, commit_norm, pr_expectation ...
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// What it says; the words of the source where there is one alone
    #[arg(long)]
    pub statement: Option<String>,
    /// A line for lists
    #[arg(long)]
    pub title: Option<String>,
    /// Your own id for it
    #[arg(long)]
    pub id: Option<String>,
    /// commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF; what the sources rest on where there is none
    #[arg(long, value_name = "KIND:REF")]
    pub evidence: Vec<String>,
    /// Where it can be seen
    #[arg(long, value_name = "PATH[:A-B|#SYMBOL]")]
    pub anchor: Vec<String>,
    /// A step that shows whether it holds
    #[arg(long, value_name = "TEXT")]
    pub verify: Vec<String>,
    /// A label; `/` nests
    #[arg(long, value_name = "T")]
    pub tag: Vec<String>,
    /// Norms: how it is checked, as JSON or a word
    #[arg(long)]
    pub enforcement: Option<String>,
    /// Norms: what following it looks like
    #[arg(long)]
    pub example: Vec<String>,
    /// Norms: when it does not apply
    #[arg(long)]
    pub exception: Vec<String>,
    /// The whole entry as a JSON object
    #[arg(long, value_name = "JSON")]
    pub content: Option<String>,
    /// Accept evidence that is not in this repository
    #[arg(long)]
    pub unverified: bool,
    /// Why it should count
    #[arg(long, default_value = "")]
    pub reason: String,
}

#[derive(Clone, Debug, Args)]
pub struct PromotionListArgs {
    /// Those that were answered, too
    #[arg(long)]
    pub all: bool,
}

#[derive(Clone, Debug, Args)]
pub struct PromotionArgs {
    /// The proposal, or the beginning of its name: P-...
    pub promotion: String,
}

#[derive(Clone, Debug, Args)]
pub struct PromotionReasonArgs {
    /// The proposal, or the beginning of its name: P-...
    pub promotion: String,
    /// Why not
    #[arg(long, default_value = "")]
    pub reason: String,
}

#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct GateArgs {
    /// What else to do
    #[command(subcommand)]
    pub verb: Option<GateVerb>,
    /// Judge a change: BASE..HEAD, BASE...HEAD, or BASE for the working tree
    #[arg(long, value_name = "RANGE", conflicts_with = "release")]
    pub diff: Option<String>,
    /// Judge a release: what came since the tag before it
    #[arg(long, value_name = "REF")]
    pub release: Option<String>,
    /// Start the programs that norms name, as far as this clone allows them
    #[arg(long)]
    pub run: bool,
    /// text or sarif
    #[arg(long, default_value = "text")]
    pub format: String,
}

#[derive(Clone, Debug, Subcommand)]
pub enum GateVerb {
    /// Vouch for a change, where no machine can tell: in a terminal, for the people whom the norm names
    Attest(AttestArgs),
}

#[derive(Clone, Debug, Args)]
pub struct AttestArgs {
    /// The norm
    pub norm: String,
    /// The change: BASE..HEAD, BASE...HEAD, or BASE for the working tree
    #[arg(long, value_name = "RANGE", required_unless_present = "release", conflicts_with = "release")]
    pub diff: Option<String>,
    /// The release: what came since the tag before it
    #[arg(long, value_name = "REF")]
    pub release: Option<String>,
    /// What you have to say about it
    #[arg(long, default_value = "")]
    pub note: String,
}
