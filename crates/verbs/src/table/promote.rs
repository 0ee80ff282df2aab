//! `promote`: further reach, or authority; and the answers to proposals (GAT-2).

use clap::Args;
use ken_core::{Memory, Type, flow};
use ken_engine::ops::change::ChangeAnswer;
use ken_engine::ops::promote::{PromotionView, ProposeInput};
use ken_engine::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Kenning;
use crate::bulk::read_content;
use crate::verb::{Call, Group, Nature, Verb, Words, read_word, sorted};

/// Where `promote` leads: a further reach, or another memory.
const REACHES: &[&str] = &["project", "global", "semantic", "procedural"];
/// The memories that a proposal can lead into.
const MEMORIES: &[&str] = &["semantic", "procedural"];

/// Let an entry reach further, or ask that it binds: proposals, and a person's answer.
pub struct Promote;

impl Verb for Promote {
    const NAME: &'static str = "promote";
    const ABOUT: &'static str =
        "Let an entry reach further, or ask that it binds: proposals, and a person's answer";
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
        let (id, ken) = (request.id.unwrap_or_default(), call.ken()?);
        match ladder {
            Ladder::Project => ken.promote_to_project(&id, &request.reason).map(PromoteAnswer::Reached),
            Ladder::Global => {
                let statement = request.statement.as_deref();
                ken.promote_to_global(&id, &request.seen_in, statement, &request.reason)
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
                Ok(PromoteAnswer::Proposed(Box::new(ken.propose(input)?)))
            }
        }
    }
}

/// What `promote` takes.
#[derive(Clone, Debug, Default, Args)]
pub struct PromoteRequest {
    /// An id, a handle, or the beginning of one
    #[arg(required_unless_present = "from")]
    pub id: Option<String>,
    /// project, global, semantic or procedural
    #[arg(long, required = true, value_parser = Words(REACHES), hide_possible_values = true)]
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
    #[arg(long = "type", value_name = "TYPE", value_parser = Words(Type::WORDS), hide_possible_values = true)]
    pub kind: Option<String>,
    /// For procedural: what speaks for it; that of the entry where there is none
    #[arg(long, value_name = "KIND:REF")]
    pub evidence: Vec<String>,
    /// Why
    #[arg(long, default_value = "")]
    pub reason: String,
}

/// What `promote` answers.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum PromoteAnswer {
    /// The entry reaches further.
    Reached(ChangeAnswer),
    /// It was proposed that it counts.
    Proposed(Box<PromotionView>),
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
        "name what should be promoted, and a person may approve it: ken promote propose ID --to {to} --evidence REF --reason '...'"
    );
    Ok(flow::violation(message).hint(hint).into())
}

/// Ask that something becomes a norm, or that records become knowledge.
pub struct PromotePropose;

impl Verb for PromotePropose {
    const NAME: &'static str = "promote propose";
    const ABOUT: &'static str = "Ask that something becomes a norm, or that records become knowledge";
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
        call.ken()?.propose(input)
    }
}

/// What `promote propose` takes.
#[derive(Clone, Debug, Args)]
pub struct ProposeRequest {
    /// What it is made from: ids, handles, or beginnings of them
    #[arg(required = true)]
    pub sources: Vec<String>,
    /// semantic or procedural
    #[arg(long, value_name = "MEMORY", value_parser = Words(MEMORIES), hide_possible_values = true)]
    pub to: String,
    /// What the new entry will be: lesson, commit_norm, pr_expectation ...
    #[arg(long = "type", value_name = "TYPE", value_parser = Words(Type::WORDS), hide_possible_values = true)]
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

impl ProposeRequest {
    /// What the new entry will say. A field of its own wins over the same word in `content`.
    fn content(&self) -> Result<Map<String, Value>> {
        let mut content = match &self.content {
            Some(text) => read_content(text)?,
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
            set("enforcement", serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())));
        }
        Ok(content)
    }
}

/// Proposals that wait for an answer.
pub struct PromoteList;

impl Verb for PromoteList {
    const NAME: &'static str = "promote list";
    const ABOUT: &'static str = "Proposals that wait for an answer";
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::READS;
    type Request = PromotionListRequest;
    type Answer = PromotionsAnswer;

    fn run(call: &mut Call, request: PromotionListRequest) -> Result<PromotionsAnswer> {
        let ken = call.ken()?;
        let promotions = ken.promotions(request.all)?;
        let policy = ken.who_approves();
        let approvers = policy.approvers.iter().map(|one| one.name.clone()).collect();
        Ok(PromotionsAnswer { approvers, promotions, solo: policy.solo })
    }
}

/// What `promote list` takes.
#[derive(Clone, Debug, Args)]
pub struct PromotionListRequest {
    /// Those that were answered, too
    #[arg(long)]
    pub all: bool,
}

/// What `promote list` answers.
#[derive(Clone, Debug, Serialize)]
pub struct PromotionsAnswer {
    /// Who may approve here.
    pub approvers: Vec<String>,
    /// The proposals.
    #[serde(serialize_with = "sorted")]
    pub promotions: Vec<PromotionView>,
    /// Whether one person may propose and approve.
    pub solo: bool,
}

/// One proposal, whole.
pub struct PromoteShow;

impl Verb for PromoteShow {
    const NAME: &'static str = "promote show";
    const ABOUT: &'static str = "One proposal, whole";
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::READS;
    type Request = PromotionRequest;
    type Answer = PromotionView;

    fn run(call: &mut Call, request: PromotionRequest) -> Result<PromotionView> {
        call.ken()?.promotion(&request.promotion)
    }
}

/// What `promote show` and `promote approve` take.
#[derive(Clone, Debug, Args)]
pub struct PromotionRequest {
    /// The proposal, or the beginning of its name: P-...
    pub promotion: String,
}

/// Say yes, in a terminal; for an approver.
pub struct PromoteApprove;

impl Verb for PromoteApprove {
    const NAME: &'static str = "promote approve";
    const ABOUT: &'static str = "Say yes, in a terminal; for an approver";
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = PromotionRequest;
    type Answer = PromotionView;

    fn run(call: &mut Call, request: PromotionRequest) -> Result<PromotionView> {
        let ken = call.ken()?;
        let view = PromoteApprove::approvable(ken, &request.promotion)?;
        ken.approve_promotion(&view)
    }
}

impl PromoteApprove {
    /// What an approver is about to say yes to; or why they cannot.
    pub fn approvable(ken: &mut Kenning, promotion: &str) -> Result<PromotionView> {
        let view = ken.promotion(promotion)?;
        ken.approver(&format!("approving {}", view.id))?;
        ken.approvable(&view.id)
    }
}

/// Say no; for an approver.
pub struct PromoteReject;

impl Verb for PromoteReject {
    const NAME: &'static str = "promote reject";
    const ABOUT: &'static str = "Say no; for an approver";
    const GROUP: Group = Group::Reach;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = PromotionReasonRequest;
    type Answer = PromotionView;

    fn run(call: &mut Call, request: PromotionReasonRequest) -> Result<PromotionView> {
        call.ken()?.reject_promotion(&request.promotion, &request.reason)
    }
}

/// What `promote reject` takes.
#[derive(Clone, Debug, Args)]
pub struct PromotionReasonRequest {
    /// The proposal, or the beginning of its name: P-...
    pub promotion: String,
    /// Why not
    #[arg(long, default_value = "")]
    pub reason: String,
}
