//! `ken promote`.

use ken_core::{Memory, Type, flow};
use ken_engine::ops::change::ChangeAnswer;
use ken_engine::ops::promote::{PromotionView, ProposeInput};
use ken_engine::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::PromotionPlan;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb, read_word};

/// Where `promote` leads: a further reach, or another memory.
const REACHES: &[&str] = &["project", "global", "semantic", "procedural"];

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
