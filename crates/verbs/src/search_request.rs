//! What searches take, and how they are asked.

use std::io;
use std::path::Path;

use ken_core::kinds::SUBTYPES;
use ken_core::{Code, Memory, Refusal, Type, TypeName};
use ken_engine::ops::search::SearchInput;
use ken_engine::ops::surface::{Deviation, Role, SurfaceInput};
use ken_engine::{BRANCH, Error, Query, Result, Tier};
use ken_recall::Mode;

use crate::limits::table_search::UPSTREAM_BYTES_MAX;
use crate::request::Request;
use crate::requests::read_subtypes;
use crate::verb::{Call, Content, InRun, read_word};

/// How much of each answer is shown.
const TIERS: &[&str] = &["auto", "summary", "standard", "full"];

/// Which side answers, and by what the answers are ordered.
const MODES: &[&str] = &["lexical", "semantic", "hybrid", "composite"];

/// What `search` takes.
#[derive(Clone, Debug, Request)]
pub struct SearchRequest {
    /// Query: words, "a phrase", -excluded, tag:auth, type:lesson, path:src/
    #[field(required, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Maximum number of results; 0 lists all
    #[field(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    /// Detail of each result: summary, standard, full or auto
    #[field(long, default = "auto", words = TIERS)]
    pub tier: String,
    /// Ranking: lexical, semantic, hybrid (relevance only) or composite
    #[field(long, default = "composite", words = MODES)]
    pub mode: String,
    /// Print the score breakdown
    #[field(long)]
    pub explain: bool,
    /// Rank by mean belief, without random exploration
    #[field(long)]
    pub no_explore: bool,
    /// Search every status, thread and memory
    #[field(long, short)]
    pub all: bool,
    /// Memory: semantic, procedural or episodic
    #[field(long, words = Memory::WORDS)]
    pub memory: Vec<String>,
    /// Only entries of this type: lesson, entity, commit_norm ...
    #[field(long = "type", value_name = "TYPE", words = Type::WORDS)]
    pub kind: Vec<String>,
    /// Only entries of this sub-type: decision, convention, bug, technique ...
    #[field(long, words = SUBTYPES)]
    pub subtype: Vec<String>,
    /// Only entries with this tag or a tag nested in it
    #[field(long)]
    pub tag: Vec<String>,
    /// Include the private entries of this thread
    #[field(long)]
    pub thread: Option<String>,
    /// Only entries in the ledger files of this branch
    #[field(long)]
    pub this_branch: bool,
    /// Fill this token budget, with deterministic output
    #[field(
        long,
        value_name = "TOKENS",
        conflicts(
            "limit",
            "tier",
            "mode",
            "explain",
            "no_explore",
            "all",
            "memory",
            "kind",
            "subtype",
            "tag",
            "this_branch",
            "debug"
        )
    )]
    pub pack: Option<usize>,
    /// List every candidate and why it was left out
    #[field(long)]
    pub debug: bool,
    /// Search the state at a time or in a commit
    #[field(long, value_name = "TIME|COMMIT", conflicts("pack"))]
    pub as_of: Option<String>,
    /// The run it belongs to.
    #[field(flatten)]
    pub in_run: InRun,
}

pub(crate) fn input(request: &SearchRequest) -> Result<SearchInput> {
    let mut input = SearchInput {
        query: request.query.join(" "),
        steady: request.no_explore,
        thread: request.thread.clone(),
        debug: request.debug,
        among: Query {
            all: request.all,
            subset: request.this_branch.then_some(BRANCH),
            tags: request.tag.clone(),
            ..Query::default()
        },
        ..SearchInput::default()
    };
    (input.mode, input.by_relevance) = read_word("mode", "mode", &request.mode, MODES, |word| match word {
        "lexical" => Some((Mode::Lexical, true)),
        "semantic" => Some((Mode::Semantic, true)),
        "hybrid" => Some((Mode::Hybrid, true)),
        "composite" => Some((Mode::Hybrid, false)),
        _ => None,
    })?;
    input.tier = read_word("tier", "tier", &request.tier, TIERS, |word| match word {
        "auto" => Some(None),
        "summary" => Some(Some(Tier::Summary)),
        "standard" => Some(Some(Tier::Standard)),
        "full" => Some(Some(Tier::Full)),
        _ => None,
    })?;
    for text in &request.memory {
        input.among.memories.push(read_word("memory", "memory", text, Memory::WORDS, Memory::from_word)?);
    }
    for text in &request.kind {
        let kind = read_word("type", "type of entry", text, Type::WORDS, Type::from_word)?;
        input.among.types.push(TypeName::Known(kind));
    }
    input.among.subtypes = read_subtypes(&request.subtype, &request.kind)?;
    Ok(input)
}

/// What `surface` and `inject` take.
#[derive(Clone, Debug, Request)]
pub struct SurfaceRequest {
    /// Task to do, or problem to solve
    #[field(required, value_name = "TASK")]
    pub task: Vec<String>,
    /// Role: researcher, planner, debugger or executor
    #[field(long, words = &Role::WORDS)]
    pub role: String,
    /// Executors: deviation: bug, missing_critical, blocking or architectural
    #[field(long, value_name = "KIND", words = &Deviation::WORDS)]
    pub deviation: Option<String>,
    /// Token budget (default: 500; 200 for an executor)
    #[field(long = "tokens", alias = "budget", value_name = "N")]
    pub budget: Option<usize>,
    /// Show the best N in full, if the budget allows
    #[field(long, value_name = "N")]
    pub full: Option<usize>,
    /// What the previous agent was given, to avoid repeats; `-` is stdin
    #[field(long, value_name = "FILE")]
    pub upstream: Option<Content>,
    /// Include raw records (episodic memory)
    #[field(long)]
    pub episodic: bool,
    /// Include the private entries of this thread
    #[field(long)]
    pub thread: Option<String>,
    /// List every candidate and why it was left out
    #[field(long)]
    pub debug: bool,
    /// The run it belongs to.
    #[field(flatten)]
    pub in_run: InRun,
}

pub(crate) fn surface_input(call: &mut Call, request: SurfaceRequest) -> Result<SurfaceInput> {
    let from = call.options().from.clone();
    let ken = call.reach()?;
    let role = read_word("role", "role", &request.role, &Role::WORDS, |word| {
        Role::ALL.into_iter().find(|role| role.word() == word)
    })?;
    let deviation = match &request.deviation {
        None => None,
        Some(text) => Some(read_word("deviation", "kind of deviation", text, &Deviation::WORDS, |word| {
            Deviation::ALL.into_iter().find(|kind| kind.word() == word)
        })?),
    };
    let task = request.task.join(" ");
    if task.trim().is_empty() {
        return Err(Refusal::new(Code::Invalid, "the task is empty; describe what is to be done")
            .field("task")
            .into());
    }
    Ok(SurfaceInput {
        role,
        task,
        deviation,
        budget: request.budget,
        full: request.full,
        upstream: request.upstream.map(|upstream| read_upstream(&upstream, &from)).transpose()?,
        episodic: request.episodic,
        thread: request.thread,
        debug: request.debug,
        policy: crate::recall::policy(&ken.site.config, role),
        injecting: None,
    })
}

fn read_upstream(upstream: &Content, from: &Path) -> Result<String> {
    match upstream.beginning(from, UPSTREAM_BYTES_MAX) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let message = format!("the upstream file {:?} does not exist", upstream.name());
            Err(Refusal::new(Code::NotFound, message).field("upstream").into())
        }
        Err(error) => Err(Error::failed(format!("reading {}", upstream.name()))(error)),
    }
}
