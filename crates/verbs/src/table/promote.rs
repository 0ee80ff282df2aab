//! `promote`: further reach, or authority; and the answers to proposals (GAT-2).

use std::collections::BTreeMap;

use crate::request::Request;
use ken_core::answer::PromotionState;
use ken_core::{Memory, Type, flow};
use ken_engine::ops::change::ChangeAnswer;
use ken_engine::ops::promote::{PromotionView, ProposeInput};
use ken_engine::{Error, Listing, Result};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::entry_content::{read_enforcement, read_stated};
use crate::page::PageRequest;
use crate::verb::{Call, Group, HttpPath, Nature, Verb, read_word};
use crate::{PromotionPlan, Reach};

/// Where `promote` leads: a further reach, or another memory.
const REACHES: &[&str] = &["project", "global", "semantic", "procedural"];
/// The memories that a proposal can lead into.
const MEMORIES: &[&str] = &["semantic", "procedural"];

/// Promote an entry to a wider scope, or propose it as a norm.
pub struct Promote;

impl Verb for Promote {
    const NAME: &'static str = "promote";
    const ABOUT: &'static str = "Promote an entry to a wider scope, or propose it as a norm";
    const EXAMPLE: &'static str = "ken promote L-e71631 --to global";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/entries/{id}/promote")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::WRITES;
    const AT_TERMINAL: &'static [&'static str] = &["seen_in"];
    type Request = PromoteRequest;
    type Answer = PromoteAnswer;

    fn run(call: &mut Call, request: PromoteRequest) -> Result<PromoteAnswer> {
        enum Ladder {
            Project,
            Global,
            Memory,
        }
        let to = request.to.unwrap_or_default();
        if let Some(from) = &request.from {
            return Err(refused_wholesale(from, &to)?);
        }
        let ladder = read_word("to", "reach", &to, REACHES, |word| match word {
            "project" => Some(Ladder::Project),
            "global" => Some(Ladder::Global),
            "semantic" | "procedural" => Some(Ladder::Memory),
            _ => None,
        })?;
        let (id, ken) = (request.id.unwrap_or_default(), call.reach()?);
        match ladder {
            Ladder::Project if request.dry_run => {
                crate::learn::plan_promote_to_project(&mut ken.ledger, &id, &request.reason)
                    .map(PromoteAnswer::Planned)
            }
            Ladder::Global if request.dry_run => {
                let statement = request.statement.as_deref();
                crate::global::plan_promote_to_global(
                    &ken.ledger,
                    &ken.site,
                    &ken.caller,
                    &id,
                    &request.seen_in,
                    statement,
                    &request.reason,
                )
                .map(PromoteAnswer::Planned)
            }
            Ladder::Project => crate::learn::promote_to_project(
                &mut ken.ledger,
                &ken.site,
                &mut ken.models,
                &ken.caller,
                &id,
                &request.reason,
            )
            .map(PromoteAnswer::Reached),
            Ladder::Global => {
                let statement = request.statement.as_deref();
                crate::global::promote_to_global(
                    &ken.ledger,
                    &ken.site,
                    &ken.caller,
                    &id,
                    &request.seen_in,
                    statement,
                    &request.reason,
                )
                .map(PromoteAnswer::Reached)
            }
            Ladder::Memory => {
                let mut content = Map::new();
                content.extend(request.statement.map(|text| ("statement".to_owned(), Value::from(text))));
                let input = ProposeInput {
                    sources: vec![id],
                    to,
                    kind: request.kind,
                    content,
                    evidence: request.evidence,
                    unverified: false,
                    reason: request.reason,
                };
                if request.dry_run {
                    return crate::promote::plan_proposal(
                        &mut ken.ledger,
                        &ken.site,
                        &mut ken.models,
                        &ken.caller,
                        input,
                    )
                    .map(PromoteAnswer::Planned);
                }
                Ok(PromoteAnswer::Proposed(Box::new(crate::promote::propose(
                    &mut ken.ledger,
                    &ken.site,
                    &mut ken.models,
                    &ken.caller,
                    input,
                )?)))
            }
        }
    }
}

/// What `promote` takes.
#[derive(Clone, Debug, Default, Request)]
pub struct PromoteRequest {
    /// Entry: an id, a handle or a unique prefix of either
    #[field(unless("from"))]
    pub id: Option<String>,
    /// Target: project, global, semantic or procedural
    #[field(long, required, words = REACHES)]
    pub to: Option<String>,
    /// Promote a whole memory (Decapod); always refused
    #[field(long, value_name = "MEMORY[/TYPE]", conflicts("id"))]
    pub from: Option<String>,
    /// For global: another project that learned the same
    #[field(long, value_name = "DIR")]
    pub seen_in: Vec<std::path::PathBuf>,
    /// New wording: general for global, the norm's text for procedural
    #[field(long, value_name = "TEXT")]
    pub statement: Option<String>,
    /// Norm type: commit_norm, pr_expectation, user_expectation or risk_tier
    #[field(long = "type", value_name = "TYPE", words = Type::WORDS)]
    pub kind: Option<String>,
    /// For procedural: evidence (default: that of the entry)
    #[field(long, value_name = "KIND:REF")]
    pub evidence: Vec<String>,
    /// Dry run: say what would be done, and write nothing
    #[field(long)]
    pub dry_run: bool,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
}

/// What `promote` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum PromoteAnswer {
    /// The entry reaches further.
    Reached(ChangeAnswer),
    /// It was proposed that it counts.
    Proposed(Box<PromotionView>),
    /// What would be done.
    Planned(PromotionPlan),
}

/// Why everything of a memory cannot be promoted at once: what has no artifact does not flow. Fails where a word is no memory.
fn refused_wholesale(from: &str, to: &str) -> Result<Error> {
    let read = |text: &str| read_word("type", "memory", text, Memory::WORDS, Memory::from_word);
    let (memory, _) = from.split_once('/').unwrap_or((from, ""));
    let (from_memory, to_memory) = (read(memory)?, read(to)?);
    let message = match (from_memory, to_memory) {
        (Memory::Episodic, _) => format!("{from} cannot enter {to} without an approved promotion"),
        (_, Memory::Procedural) => format!("{from} gains authority in {to} only by an approved promotion"),
        _ => format!("knowledge does not move from {from} to {to}"),
    };
    let to = match to_memory {
        Memory::Procedural => "procedural",
        Memory::Semantic | Memory::Episodic => "semantic",
    };
    let hint = format!(
        "propose a single entry, which a person may approve: ken promote propose ID --to {to} --evidence REF --reason '...'"
    );
    Ok(flow::violation(message).hint(hint).into())
}

/// Propose that entries become a norm, or that records become knowledge.
pub struct PromotePropose;

impl Verb for PromotePropose {
    const NAME: &'static str = "promote propose";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Propose that entries become a norm, or that records become knowledge";
    const EXAMPLE: &'static str =
        "ken promote propose L-e71631 --to procedural --type commit_norm --reason 'twice in reviews'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/promotions")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::WRITES;
    type Request = ProposeRequest;
    type Answer = PromotionView;

    fn run(call: &mut Call, request: ProposeRequest) -> Result<PromotionView> {
        let content = request.content()?;
        let input = ProposeInput {
            sources: request.sources,
            to: request.to,
            kind: request.kind,
            content,
            evidence: request.evidence,
            unverified: request.unverified,
            reason: request.reason,
        };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::promote::propose(ledger, site, models, caller, input)
    }
}

/// What `promote propose` takes.
#[derive(Clone, Debug, Request)]
pub struct ProposeRequest {
    /// Source entries: ids, handles or unique prefixes of either
    #[field(required)]
    pub sources: Vec<String>,
    /// Target memory: semantic or procedural
    #[field(long, value_name = "MEMORY", words = MEMORIES)]
    pub to: String,
    /// Type of the new entry: lesson, commit_norm, pr_expectation ...
    #[field(long = "type", value_name = "TYPE", words = Type::WORDS)]
    pub kind: Option<String>,
    /// Statement (default: that of the source, if there is only one)
    #[field(long)]
    pub statement: Option<String>,
    /// Title, one line for lists
    #[field(long)]
    pub title: Option<String>,
    /// Id to use instead of a generated one
    #[field(long)]
    pub id: Option<String>,
    /// Evidence, such as commit:HASH or pr:#N (default: that of the sources)
    #[field(long, value_name = "KIND:REF")]
    pub evidence: Vec<String>,
    /// Code it describes: a path, lines of it or a symbol
    #[field(long, value_name = "PATH[:A-B|#SYMBOL]")]
    pub anchor: Vec<String>,
    /// Verification step, a command or an instruction
    #[field(long, value_name = "TEXT")]
    pub verify: Vec<String>,
    /// Tag; `/` nests, as in auth/jwt
    #[field(long, value_name = "T")]
    pub tag: Vec<String>,
    /// Norms: how it is enforced, as JSON or a keyword
    #[field(long)]
    pub enforcement: Option<String>,
    /// Norms: an example of following it
    #[field(long)]
    pub example: Vec<String>,
    /// Norms: when it does not apply
    #[field(long)]
    pub exception: Vec<String>,
    /// The entry as a JSON object
    #[field(long, value_name = "JSON")]
    pub content: Option<String>,
    /// Accept evidence that cannot be found in this repository
    #[field(long)]
    pub unverified: bool,
    /// Why it should be promoted
    #[field(long, default = "")]
    pub reason: String,
}

impl ProposeRequest {
    /// What the new entry will say. A field of its own wins over the same word in `content`.
    fn content(&self) -> Result<Map<String, Value>> {
        let mut content = match &self.content {
            Some(text) => read_stated(text)?,
            None => Map::new(),
        };
        let mut set = |name: &str, value: Value| drop(content.insert(name.to_owned(), value));
        let texts = [("title", &self.title), ("statement", &self.statement), ("id", &self.id)];
        for (name, text) in texts {
            if let Some(text) = text {
                set(name, Value::from(text.as_str()));
            }
        }
        let lists = [
            ("tags", &self.tag),
            ("anchors", &self.anchor),
            ("verification", &self.verify),
            ("examples", &self.example),
            ("exceptions", &self.exception),
        ];
        for (name, list) in lists {
            if !list.is_empty() {
                set(name, Value::from(list.clone()));
            }
        }
        if let Some(text) = &self.enforcement {
            set("enforcement", read_enforcement(text)?);
        }
        Ok(content)
    }
}

/// List open proposals.
pub struct PromoteList;

impl Verb for PromoteList {
    const NAME: &'static str = "promote list";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "List open proposals";
    const EXAMPLE: &'static str = "ken promote list --all";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/promotions")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::READS;
    type Request = PromotionListRequest;
    type Answer = PromotionsAnswer;

    fn run(call: &mut Call, request: PromotionListRequest) -> Result<PromotionsAnswer> {
        let ken = call.reach()?;
        let promotions = crate::promote::promotions(&ken.ledger, request.all)?;
        let policy = crate::promote::who_approves(&ken.site.config);
        let approvers = policy.approvers.iter().map(|one| one.name.clone()).collect();
        let cannot_answer =
            refused(crate::promote::approver(&ken.site.config, &ken.caller, "answering a proposal"))?;
        let mut cannot_approve = BTreeMap::new();
        let actor = ken.caller.actor().to_owned();
        let is_own = |view: &&PromotionView| view.state == PromotionState::Open && view.proposer == actor;
        for own in promotions.iter().filter(is_own).filter(|_| cannot_answer.is_none()) {
            cannot_approve.extend(
                refused(crate::promote::approvable(
                    &mut ken.ledger,
                    &ken.site,
                    &mut ken.models,
                    &ken.caller,
                    &own.id,
                ))?
                .map(|why| (own.id.clone(), why)),
            );
        }
        let promotions = request.page.of(promotions, |view| view.id.clone())?;
        Ok(PromotionsAnswer { approvers, promotions, solo: policy.solo, cannot_answer, cannot_approve })
    }
}

/// What `promote list` takes.
#[derive(Clone, Debug, Request)]
pub struct PromotionListRequest {
    /// Include answered proposals
    #[field(long)]
    pub all: bool,
    /// Which of them.
    #[field(flatten)]
    pub page: PageRequest,
}

/// What `promote list` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromotionsAnswer {
    /// Who may approve here.
    pub approvers: Vec<String>,
    /// The proposals.
    #[serde(flatten)]
    pub promotions: Listing<PromotionView>,
    /// Whether one person may propose and approve.
    pub solo: bool,
    /// Why whoever asks may answer none of them; absent where they may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cannot_answer: Option<String>,
    /// Their own proposals that they may not approve, by id, with the reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cannot_approve: BTreeMap<String, String>,
}

/// Why something is refused; none where it is not.
fn refused<T>(answer: Result<T>) -> Result<Option<String>> {
    match answer {
        Ok(_) => Ok(None),
        Err(Error::Refused(refusal)) => Ok(Some(refusal.message)),
        Err(other) => Err(other),
    }
}

/// Show a proposal.
pub struct PromoteShow;

impl Verb for PromoteShow {
    const NAME: &'static str = "promote show";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Show a proposal";
    const EXAMPLE: &'static str = "ken promote show P-3f2a91c0";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/promotions/{promotion}")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::READS;
    type Request = PromotionRequest;
    type Answer = PromotionView;

    fn run(call: &mut Call, request: PromotionRequest) -> Result<PromotionView> {
        crate::promote::promotion(&call.reach()?.ledger, &request.promotion)
    }
}

/// What `promote show` takes.
#[derive(Clone, Debug, Request)]
pub struct PromotionRequest {
    /// Proposal: P-... or a unique prefix
    pub promotion: String,
}

/// Approve a proposal, in a terminal; for approvers.
pub struct PromoteApprove;

impl Verb for PromoteApprove {
    const NAME: &'static str = "promote approve";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Approve a proposal, in a terminal; for approvers";
    const EXAMPLE: &'static str = "ken promote approve P-3f2a91c0";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/promotions/{promotion}/approve")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::WRITES.in_person();
    type Request = ApproveRequest;
    type Answer = PromotionView;

    fn run(call: &mut Call, request: ApproveRequest) -> Result<PromotionView> {
        let ken = call.reach()?;
        let view = PromoteApprove::approvable(ken, &request)?;
        crate::promote::approve_promotion(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, &view)
    }
}

/// What `promote approve` takes.
#[derive(Clone, Debug, Request)]
pub struct ApproveRequest {
    /// Proposal: P-... or a unique prefix
    pub promotion: String,
    /// Approve only if its words still have this hash: the `words` of `promote show`
    #[field(long, value_name = "HASH")]
    pub words: Option<String>,
}

impl PromoteApprove {
    /// What an approver is about to say yes to; or why they cannot.
    pub fn approvable(ken: &mut Reach, request: &ApproveRequest) -> Result<PromotionView> {
        let view = crate::promote::promotion(&ken.ledger, &request.promotion)?;
        crate::promote::approver(&ken.site.config, &ken.caller, &format!("approving {}", view.id))?;
        let view =
            crate::promote::approvable(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, &view.id)?;
        Ok(PromotionView { words: request.words.clone().or(view.words.clone()), ..view })
    }
}

/// Reject a proposal; for approvers.
pub struct PromoteReject;

impl Verb for PromoteReject {
    const NAME: &'static str = "promote reject";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Reject a proposal; for approvers";
    const EXAMPLE: &'static str = "ken promote reject P-3f2a91c0 --reason 'too narrow'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/promotions/{promotion}/reject")];
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::WRITES.in_person();
    type Request = PromotionReasonRequest;
    type Answer = PromotionView;

    fn run(call: &mut Call, request: PromotionReasonRequest) -> Result<PromotionView> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::promote::reject_promotion(ledger, site, models, caller, &request.promotion, &request.reason)
    }
}

/// What `promote reject` takes.
#[derive(Clone, Debug, Request)]
pub struct PromotionReasonRequest {
    /// Proposal: P-... or a unique prefix
    pub promotion: String,
    /// Reason for the rejection
    #[field(long, default = "")]
    pub reason: String,
}
