//! `pack`: a token budget filled with what an agent needs, the same bytes for the same store, task and budget (OUT-7).

use ken_core::{Code, Memory, Refusal, Status, Type};
use serde::Serialize;

use super::search::{self, AnswerStatus, Means, SearchInput, TokenCount};
use crate::deliver::{self, Tier};
use crate::error::Result;
use crate::ports::{Hit, Recall};
use crate::query::Query;

/// The parts of a pack, with the share of the budget that each has when nobody says otherwise, of a hundred.
pub const SECTIONS: [(&str, usize); 5] = [
    ("Task knowledge", 35),
    ("Observations", 20),
    ("Structured facts", 15),
    ("History", 15),
    ("Scratch", 15),
];

/// What is to be packed.
#[derive(Clone, Debug)]
pub struct PackInput {
    /// What the agent is about to do.
    pub task: String,
    /// The most tokens, a hard limit.
    pub budget: usize,
    /// The share of each section, of their sum.
    pub shares: [usize; 5],
    /// The thread that asks.
    pub thread: Option<String>,
}

/// A pack.
#[derive(Clone, Debug, Serialize)]
pub struct PackAnswer {
    /// How it stands.
    pub status: AnswerStatus,
    /// The text.
    pub text: String,
    /// Names it: the same text has the same one.
    pub digest: String,
    /// Its tokens, and what counted them.
    pub tokens: TokenCount,
    /// The most it may have.
    pub budget: usize,
    /// Its parts.
    pub sections: Vec<Section>,
    /// Why words answered alone.
    pub fallback: Option<String>,
    #[serde(skip)]
    /// The entries in it.
    pub hits: Vec<Hit>,
}

/// A part of a pack.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// What it is for.
    pub name: &'static str,
    /// Tokens it was given, with what the parts before it left.
    pub given: usize,
    /// Tokens it took.
    pub taken: usize,
    /// The entries in it.
    pub entries: Vec<String>,
}

/// Entries considered for one section.
const CONSIDERED: usize = 30;
/// A budget below this holds no entry.
pub const BUDGET_MIN: usize = 50;

/// Fills a budget.
pub fn pack(recall: &mut dyn Recall, input: &PackInput, means: &Means<'_>) -> Result<PackAnswer> {
    if input.budget < BUDGET_MIN {
        let message =
            format!("a budget of {} tokens holds no entry; at least {BUDGET_MIN} are wanted", input.budget);
        return Err(Refusal::new(Code::Invalid, message).field("budget").into());
    }
    let sum: usize = input.shares.iter().sum();
    if sum == 0 {
        let message = "every share of a pack is 0; nothing can be put into it";
        return Err(Refusal::new(Code::Invalid, message)
            .field("shares")
            .hint("`ken config pack.task 35`")
            .into());
    }
    let (mut fallback, mut degraded) = (None, false);
    let mut asked = |recall: &mut dyn Recall, among: Query| -> Result<Vec<Hit>> {
        let ask = SearchInput {
            query: input.task.clone(),
            plain: true,
            limit: CONSIDERED,
            by_relevance: true,
            steady: true,
            thread: input.thread.clone(),
            tier: Some(Tier::Summary),
            among,
            ..SearchInput::default()
        };
        let answer = search::search(recall, &ask, means)?;
        degraded |= answer.status == AnswerStatus::Degraded;
        fallback = fallback.take().or(answer.fallback);
        Ok(answer.hits)
    };
    let distilled = asked(recall, Query::default())?;
    let raw = asked(recall, Query { memories: vec![Memory::Episodic], ..Query::default() })?;
    let gone = vec![Status::Superseded, Status::Archived, Status::Retracted];
    let past = asked(recall, Query { statuses: gone, ..Query::default() })?;
    let is_fact = |hit: &&Hit| {
        let kind = hit.stored.entry.kind.known();
        hit.stored.entry.memory() == Memory::Procedural
            || matches!(kind, Some(Type::Entity | Type::Relationship))
    };
    let is_observed = |hit: &&Hit| hit.stored.entry.kind.known() == Some(Type::FalsePositive);
    let task: Vec<&Hit> = distilled.iter().filter(|hit| !is_fact(hit) && !is_observed(hit)).collect();
    let observed: Vec<&Hit> = distilled.iter().filter(is_observed).chain(&raw).collect();
    let facts: Vec<&Hit> = distilled.iter().filter(is_fact).collect();
    let candidates = [task, observed, facts, past.iter().collect(), Vec::new()];

    let mut text = String::new();
    let mut sections = Vec::new();
    let mut hits = Vec::new();
    let mut carried = 0;
    for (((name, _), share), found) in SECTIONS.into_iter().zip(input.shares).zip(candidates) {
        let given = input.budget * share / sum + carried;
        let (taken, entries) = fill(recall, name, given, &found, input.budget, means, &mut text)?;
        carried = given.saturating_sub(taken);
        hits.extend(
            entries
                .iter()
                .filter_map(|id| found.iter().find(|hit| hit.stored.id == *id))
                .map(|hit| (*hit).clone()),
        );
        sections.push(Section { name, given, taken, entries });
    }
    let status = match (hits.is_empty(), degraded) {
        (true, _) => AnswerStatus::Empty,
        (false, true) => AnswerStatus::Degraded,
        (false, false) => AnswerStatus::Ok,
    };
    if hits.is_empty() {
        text = super::surface::NOTHING.to_owned();
    }
    let digest = blake3::hash(text.as_bytes()).to_hex()[..16].to_owned();
    let tokens = TokenCount { count: means.tokens.count(&text), by: means.tokens.counted_by().to_owned() };
    Ok(PackAnswer { status, text, digest, tokens, budget: input.budget, sections, fallback, hits })
}

/// Adds a section to the text: paragraphs while they fit, then lines. Never beyond what it was given, nor beyond the whole.
fn fill(
    recall: &dyn Recall,
    name: &str,
    given: usize,
    found: &[&Hit],
    budget: usize,
    means: &Means<'_>,
    text: &mut String,
) -> Result<(usize, Vec<String>)> {
    let before = means.tokens.count(text);
    let mut entries = Vec::new();
    let mut head = format!("{}## {name}\n", if text.is_empty() { "" } else { "\n" });
    for hit in found {
        let conflicts = deliver::competing(recall, &hit.stored)?;
        for tier in [Tier::Standard, Tier::Summary] {
            let with = format!("{text}{head}- {}\n", deliver::render(tier, &hit.stored, &conflicts));
            let count = means.tokens.count(&with);
            if count <= budget && count - before <= given {
                *text = with;
                head.clear();
                entries.push(hit.stored.id.clone());
                break;
            }
        }
    }
    Ok((means.tokens.count(text) - before, entries))
}
