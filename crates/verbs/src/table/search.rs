//! `search`, `surface`, `inject`, `menu`, `applied` and `embed`: finding entries, and handing them over.

use crate::Reach;
use std::io;
use std::path::Path;

use clap::Args;
use ken_core::kinds::SUBTYPES;
use ken_core::{Code, Memory, Refusal, Type, TypeName};
use ken_engine::ops::applied::AppliedAnswer;
use ken_engine::ops::menu::Menu as MenuAnswer;
use ken_engine::ops::pack::PackAnswer;
use ken_engine::ops::search::{LIMIT_MAX, SearchAnswer, SearchInput};
use ken_engine::ops::surface::{Deviation, Role, SurfaceAnswer, SurfaceInput};
use ken_engine::{BRANCH, Error, Query, Result, Tier};
use ken_recall::Mode;
use serde::Serialize;

use super::list::read_subtypes;
use crate::forage::ask_the_web;
use crate::limits::table_search::UPSTREAM_BYTES_MAX;
use crate::recall::EmbedReport;
use crate::verb::{Call, Content, Group, HttpPath, InRun, Nature, Verb, Words, read_word, whole};

/// How much of each answer is shown.
const TIERS: &[&str] = &["auto", "summary", "standard", "full"];
/// Which side answers, and by what the answers are ordered.
const MODES: &[&str] = &["lexical", "semantic", "hybrid", "composite"];

/// Search for entries relevant to a question.
pub struct Search;

impl Verb for Search {
    const NAME: &'static str = "search";
    const ABOUT: &'static str = "Search for entries relevant to a question";
    const EXAMPLE: &'static str = "ken search 'how should a client try again?' --explain";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/search")];
    const GROUP: Group = Group::Find;
    const NATURE: Nature = Nature::READS;
    const EVERYDAY: bool = true;
    type Request = SearchRequest;
    type Answer = SearchOrPack;

    fn run(call: &mut Call, request: SearchRequest) -> Result<SearchOrPack> {
        let mut input = input(&request)?;
        let ken = call.reach()?;
        if let Some(budget) = request.pack {
            return Ok(SearchOrPack::Pack(Box::new(crate::recall::pack(
                &mut ken.ledger,
                &ken.site,
                &mut ken.models,
                &ken.caller,
                &input.query,
                budget,
                input.thread,
            )?)));
        }
        input.limit = match request.limit {
            Some(0) => LIMIT_MAX,
            Some(limit) => limit,
            None => ken.site.config.number("search.limit"),
        };
        let answer = match &request.as_of {
            Some(when) => crate::recall::search_as_of(
                &mut ken.ledger,
                &ken.site,
                &mut ken.models,
                &ken.caller,
                when,
                &input,
            )?,
            None => {
                let Reach { ledger, site, models, caller, .. } = ken;
                let answer = crate::recall::search(ledger, site, models, caller, &input)?;
                ask_the_web(ledger, site, caller, &answer);
                answer
            }
        };
        Ok(SearchOrPack::Search(Box::new(answer)))
    }

    fn in_run(request: &SearchRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

/// What `search` takes.
#[derive(Clone, Debug, Args)]
pub struct SearchRequest {
    /// Query: words, "a phrase", -excluded, tag:auth, type:lesson, path:src/
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Maximum number of results; 0 lists all
    #[arg(long, short = 'n', value_name = "N", value_parser = whole::<usize>)]
    pub limit: Option<usize>,
    /// Detail of each result: summary, standard, full or auto
    #[arg(long, default_value = "auto", value_parser = Words(TIERS), hide_possible_values = true)]
    pub tier: String,
    /// Ranking: lexical, semantic, hybrid (relevance only) or composite
    #[arg(long, default_value = "composite", value_parser = Words(MODES), hide_possible_values = true)]
    pub mode: String,
    /// Print the score breakdown
    #[arg(long)]
    pub explain: bool,
    /// Rank by mean belief, without random exploration
    #[arg(long)]
    pub no_explore: bool,
    /// Search every status, thread and memory
    #[arg(long, short)]
    pub all: bool,
    /// Memory: semantic, procedural or episodic
    #[arg(long, value_parser = Words(Memory::WORDS), hide_possible_values = true)]
    pub memory: Vec<String>,
    /// Only entries of this type: lesson, entity, commit_norm ...
    #[arg(long = "type", value_name = "TYPE", value_parser = Words(Type::WORDS), hide_possible_values = true)]
    pub kind: Vec<String>,
    /// Only entries of this sub-type: decision, convention, bug, technique ...
    #[arg(long, value_parser = Words(SUBTYPES), hide_possible_values = true)]
    pub subtype: Vec<String>,
    /// Only entries with this tag or a tag nested in it
    #[arg(long)]
    pub tag: Vec<String>,
    /// Include the private entries of this thread
    #[arg(long)]
    pub thread: Option<String>,
    /// Only entries in the ledger files of this branch
    #[arg(long)]
    pub this_branch: bool,
    /// Fill this token budget, with deterministic output
    #[arg(long, value_name = "TOKENS", value_parser = whole::<usize>,
        conflicts_with_all = ["limit", "tier", "mode", "explain", "no_explore", "all", "memory", "kind", "subtype", "tag", "this_branch", "debug"])]
    pub pack: Option<usize>,
    /// List every candidate and why it was left out
    #[arg(long)]
    pub debug: bool,
    /// Search the state at a time or in a commit
    #[arg(long, value_name = "TIME|COMMIT", conflicts_with = "pack")]
    pub as_of: Option<String>,
    /// The run it belongs to.
    #[command(flatten)]
    pub in_run: InRun,
}

/// What `search` answers: entries by their score, or a token budget filled with them.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SearchOrPack {
    /// Entries, best first.
    Search(Box<SearchAnswer>),
    /// A filled token budget, for `--pack`.
    Pack(Box<PackAnswer>),
}

fn input(request: &SearchRequest) -> Result<SearchInput> {
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

/// Select the most relevant entries for a role, within a token budget.
pub struct Surface;

impl Verb for Surface {
    const NAME: &'static str = "surface";
    const ABOUT: &'static str = "Select the most relevant entries for a role, within a token budget";
    const EXAMPLE: &'static str = "ken surface --role planner 'make the client try again after an error'";
    const GROUP: Group = Group::Find;
    const NATURE: Nature = Nature::READS;
    type Request = SurfaceRequest;
    type Answer = SurfaceAnswer;

    fn run(call: &mut Call, request: SurfaceRequest) -> Result<SurfaceAnswer> {
        let input = surface_input(call, request)?;
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::recall::surface(ledger, site, models, caller, &input)
    }

    fn in_run(request: &SurfaceRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

/// Like `surface`, for hosts that inject entries into a prompt: at most five.
pub struct Inject;

impl Verb for Inject {
    const NAME: &'static str = "surface --inject";
    const FORMER: &'static [&'static str] = &["inject"];
    const ABOUT: &'static str = "Like `surface`, for hosts that inject entries into a prompt: at most five";
    const EXAMPLE: &'static str =
        "ken surface --inject --role planner 'make the client try again after an error'";
    const GROUP: Group = Group::Find;
    const NATURE: Nature = Nature::READS;
    type Request = SurfaceRequest;
    type Answer = SurfaceAnswer;

    fn run(call: &mut Call, request: SurfaceRequest) -> Result<SurfaceAnswer> {
        let input = surface_input(call, request)?;
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::recall::inject(ledger, site, models, caller, input)
    }

    fn in_run(request: &SurfaceRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

/// What `surface` and `inject` take.
#[derive(Clone, Debug, Args)]
pub struct SurfaceRequest {
    /// Task to do, or problem to solve
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,
    /// Role: researcher, planner, debugger or executor
    #[arg(long, value_parser = Words(&Role::WORDS), hide_possible_values = true)]
    pub role: String,
    /// Executors: deviation: bug, missing_critical, blocking or architectural
    #[arg(long, value_name = "KIND", value_parser = Words(&Deviation::WORDS), hide_possible_values = true)]
    pub deviation: Option<String>,
    /// Token budget (default: 500; 200 for an executor)
    #[arg(long = "tokens", alias = "budget", value_name = "N", value_parser = whole::<usize>)]
    pub budget: Option<usize>,
    /// Show the best N in full, if the budget allows
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    pub full: Option<usize>,
    /// What the previous agent was given, to avoid repeats; `-` is stdin
    #[arg(long, value_name = "FILE")]
    pub upstream: Option<Content>,
    /// Include raw records (episodic memory)
    #[arg(long)]
    pub episodic: bool,
    /// Include the private entries of this thread
    #[arg(long)]
    pub thread: Option<String>,
    /// List every candidate and why it was left out
    #[arg(long)]
    pub debug: bool,
    /// The run it belongs to.
    #[command(flatten)]
    pub in_run: InRun,
}

fn surface_input(call: &mut Call, request: SurfaceRequest) -> Result<SurfaceInput> {
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

/// List entries as one-liners to choose from.
pub struct Menu;

impl Verb for Menu {
    const NAME: &'static str = "surface --menu";
    const FORMER: &'static [&'static str] = &["menu"];
    const ABOUT: &'static str = "List entries as one-liners to choose from";
    const EXAMPLE: &'static str = "ken surface --menu 'the HTTP client'";
    const GROUP: Group = Group::Find;
    const NATURE: Nature = Nature::READS;
    type Request = MenuRequest;
    type Answer = MenuAnswer;

    fn run(call: &mut Call, request: MenuRequest) -> Result<MenuAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::recall::menu(ledger, site, models, caller, &request.task.join(" "), request.budget)
    }

    fn in_run(request: &MenuRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

/// What `menu` takes.
#[derive(Clone, Debug, Args)]
pub struct MenuRequest {
    /// Topic (default: everything)
    #[arg(value_name = "TASK")]
    pub task: Vec<String>,
    /// Token budget
    #[arg(long = "tokens", alias = "budget", value_name = "N", default_value_t = 500, value_parser = whole::<usize>)]
    pub budget: usize,
    /// The run it belongs to.
    #[command(flatten)]
    pub in_run: InRun,
}

/// Record which entries were used or dismissed, and print a report section.
pub struct Applied;

impl Verb for Applied {
    const NAME: &'static str = "surface --applied";
    const FORMER: &'static [&'static str] = &["applied"];
    const ABOUT: &'static str = "Record which entries were used or dismissed, and print a report section";
    const EXAMPLE: &'static str =
        "ken surface --applied L-e71631 --dismissed 'L-5ce285=about another client'";
    const GROUP: Group = Group::Find;
    const NATURE: Nature = Nature::READS;
    type Request = AppliedRequest;
    type Answer = AppliedAnswer;

    fn run(call: &mut Call, request: AppliedRequest) -> Result<AppliedAnswer> {
        let mut dismissed = Vec::new();
        for text in &request.dismissed {
            let Some((id, why)) = text.split_once('=').filter(|(_, why)| !why.trim().is_empty()) else {
                let message = format!("{text:?} has no reason; expected ID=REASON");
                return Err(Refusal::new(Code::Invalid, message).field("dismissed").into());
            };
            dismissed.push((id.trim().to_owned(), why.trim().to_owned()));
        }
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::recall::applied(ledger, site, caller, &request.used, &dismissed)
    }
}

/// What `applied` takes.
#[derive(Clone, Debug, Args)]
pub struct AppliedRequest {
    /// Entries that were used: ids, handles or unique prefixes of either
    pub used: Vec<String>,
    /// Entry that was dismissed, and why: ID=REASON
    #[arg(long, value_name = "ID=REASON")]
    pub dismissed: Vec<String>,
}

/// Compute missing embeddings.
pub struct Embed;

impl Verb for Embed {
    const NAME: &'static str = "rebuild --embeddings";
    const FORMER: &'static [&'static str] = &["embed"];
    const ABOUT: &'static str = "Compute missing embeddings";
    const EXAMPLE: &'static str = "ken rebuild --embeddings --status";
    const GROUP: Group = Group::KeepInOrder;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = EmbedRequest;
    type Answer = EmbedAnswer;

    fn run(call: &mut Call, request: EmbedRequest) -> Result<EmbedAnswer> {
        let ken = call.reach()?;
        if request.status {
            let model = crate::recall::embedder(&mut ken.ledger, &mut ken.models)
                .map(|embedder| embedder.card().name.clone());
            let backlog = crate::recall::backlog(&mut ken.ledger, &mut ken.models)?;
            let (model, fallback) = match model {
                Ok(name) => (Some(name), None),
                Err(why) => (None, Some(why)),
            };
            return Ok(EmbedAnswer::Status(EmbedStatus { backlog, fallback, model }));
        }
        crate::recall::embed(&mut ken.ledger, &ken.site.config, &mut ken.models, &ken.caller, &mut |_| true)
            .map(EmbedAnswer::Made)
    }
}

/// What `embed` takes.
#[derive(Clone, Debug, Args)]
pub struct EmbedRequest {
    /// Only print how many entries lack an embedding
    #[arg(long)]
    pub status: bool,
}

/// What `embed` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum EmbedAnswer {
    /// How many entries wait.
    Status(EmbedStatus),
    /// Which vectors were made.
    Made(EmbedReport),
}

/// How many entries wait for a vector.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EmbedStatus {
    /// Entries without a vector.
    pub backlog: usize,
    /// Why no vectors are made, where there is no model.
    pub fallback: Option<String>,
    /// The model that makes them.
    pub model: Option<String>,
}
