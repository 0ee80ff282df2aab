//! `surface` and `inject`: knowledge handed to an agent by its role, within a budget (SUR-1 to SUR-9).

mod marks;
mod plan;

use std::collections::BTreeSet;

use ken_core::Verdict;
use ken_core::limits::{EXECUTOR_TOKENS, SURFACE_TOKENS};
use ken_core::{Code, EntryHead, EntryKey, Memory, Refusal, Type};
use ken_recall::delivery::{
    Likeness, SURFACE_SHARE_MIN, SURFACE_SIMILARITY_MIN, WORDS_ALONE_SIMILARITY_MIN, by_words_alone,
};
use serde::Serialize;

use self::marks::{asked_for, marks};
use self::plan::Plan;
use super::pack::BUDGET_MIN;
use super::run::InjectionCap;
use super::search::{self, AnswerStatus, LeftOut, Means, SearchAnswer, SearchInput, TokenCount};
use crate::deliver;
use crate::error::Result;
use crate::limits::ops_surface::{CONSIDERED_MAX, SPIKE_SHARE_MIN};
use crate::ports::{Hit, Stored};
use crate::projection::Projection;
use crate::query::Query;
use crate::tokens::Tokens;
use crate::view;

/// Who is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Looks before anything is done: must ask at the start, and again on errors.
    Researcher,
    /// Plans; may ask.
    Planner,
    /// Finds faults; may ask.
    Debugger,
    /// Does what was planned; is served when it has to deviate, and then briefly.
    Executor,
}

impl Role {
    pub const ALL: [Role; 4] = [Role::Researcher, Role::Planner, Role::Debugger, Role::Executor];

    /// Every word, in the same order.
    pub const WORDS: [&'static str; 4] = {
        let mut words = [""; 4];
        let mut at = 0;
        while at < words.len() {
            words[at] = Role::ALL[at].word();
            at += 1;
        }
        words
    };

    pub const fn word(self) -> &'static str {
        match self {
            Role::Researcher => "researcher",
            Role::Planner => "planner",
            Role::Debugger => "debugger",
            Role::Executor => "executor",
        }
    }

    /// What is handed to it, in tokens.
    fn budget(self) -> usize {
        if self == Role::Executor { EXECUTOR_TOKENS } else { SURFACE_TOKENS }
    }

    /// Entries that it gets whole while the budget allows (SUR-8).
    fn full(self) -> usize {
        usize::from(self == Role::Researcher)
    }

    /// What it would rather read. Breaks ties, and nothing else (SUR-1).
    fn prefers(self, kind: Option<Type>) -> u8 {
        let wanted = match self {
            Role::Researcher => kind == Some(Type::Spike),
            Role::Planner => kind == Some(Type::Lesson),
            Role::Debugger | Role::Executor => matches!(kind, Some(Type::Spike | Type::Lesson)),
        };
        u8::from(!wanted)
    }
}

/// Why an executor had to leave its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Deviation {
    /// Something is broken.
    Bug,
    /// Something that must be there is not.
    MissingCritical,
    /// It cannot go on.
    Blocking,
    /// The plan itself would have to change: a person's question.
    Architectural,
}

impl Deviation {
    pub const ALL: [Deviation; 4] =
        [Deviation::Bug, Deviation::MissingCritical, Deviation::Blocking, Deviation::Architectural];

    /// Every word, in the same order.
    pub const WORDS: [&'static str; 4] = {
        let mut words = [""; 4];
        let mut at = 0;
        while at < words.len() {
            words[at] = Deviation::ALL[at].word();
            at += 1;
        }
        words
    };

    pub const fn word(self) -> &'static str {
        match self {
            Deviation::Bug => "bug",
            Deviation::MissingCritical => "missing_critical",
            Deviation::Blocking => "blocking",
            Deviation::Architectural => "architectural",
        }
    }
}

/// How knowledge reaches a role (SUR-2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// It asks; the host may inject when it decides to.
    #[default]
    Pull,
    /// The host injects.
    Inject,
    /// Nothing is delivered.
    Off,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct SurfaceInput {
    pub role: Role,
    /// What it is about to do, or what went wrong.
    pub task: String,
    /// The plan was left, and why.
    pub deviation: Option<Deviation>,
    /// The most tokens; the role's own when left out.
    pub budget: Option<usize>,
    /// Entries shown whole; the role's own number when left out.
    pub full: Option<usize>,
    /// What an agent before this one was given: its text, or its own answer.
    pub upstream: Option<String>,
    /// Include raw records.
    pub episodic: bool,
    /// The thread that asks.
    pub thread: Option<String>,
    /// Say of everything that was considered why it was left out.
    pub debug: bool,
    /// How knowledge reaches this role.
    pub policy: Policy,
    /// It is injected, and the run already got these: the hard cap of REV-5 counts them.
    pub injecting: Option<InjectionCap>,
}

impl SurfaceInput {
    /// A task for a role, with what goes for that role.
    pub fn new(role: Role, task: &str, policy: Policy) -> SurfaceInput {
        SurfaceInput {
            role,
            task: task.to_owned(),
            deviation: None,
            budget: None,
            full: None,
            upstream: None,
            episodic: false,
            thread: None,
            debug: false,
            policy,
            injecting: None,
        }
    }
}

/// How an entry was handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    Full,
    /// Conclusion, place and guidance.
    Entry,
    Line,
    /// Title and id.
    Title,
}

/// An entry that was handed over.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Surfaced {
    /// The fields that every answer has.
    #[serde(flatten)]
    pub head: EntryHead,
    /// What it comes to.
    pub conclusion: String,
    /// Its ledger file.
    pub path: Option<String>,
    /// Whether it still holds.
    pub verdict: Verdict,
    /// How it was found.
    pub similarity: f64,
    /// How much of it is shown.
    pub shown: Shown,
    /// What a reader must know: how it ended, what it does not cover, that it comes from failed work.
    pub marks: Vec<String>,
    /// It is critical, and may exceed the budget.
    pub critical: bool,
}

/// What `surface` and `inject` answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurfaceAnswer {
    pub role: Role,
    /// How it stands.
    pub status: AnswerStatus,
    /// Why words answered alone.
    pub fallback: Option<String>,
    /// The text to hand over.
    pub text: String,
    /// What is in it.
    pub entries: Vec<Surfaced>,
    /// Conclusions that came from upstream; nobody looks them up twice.
    pub upstream: Vec<String>,
    /// Entries that answer and found no room; `ken search` shows them.
    pub more: usize,
    /// Its tokens, and what counted them.
    pub tokens: TokenCount,
    /// The most tokens it should have.
    pub budget: usize,
    /// Critical entries took it beyond the budget.
    pub exceeded: bool,
    /// Names the answer: the same store, task and budget give the same bytes.
    pub digest: String,
    /// Everything that was considered and left out, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Vec<LeftOut>>,
    #[serde(skip)]
    /// What is to be remembered.
    pub search: Option<SearchAnswer>,
    #[serde(skip)]
    /// Entries that came from upstream.
    pub upstream_keys: Vec<EntryKey>,
}

/// SUR-6: what is said when there is nothing to say.
pub const NOTHING: &str = "checked knowledge base, no relevant entries found";

/// Hands a role the few entries that matter.
pub fn surface(recall: &dyn Projection, input: &SurfaceInput, means: &Means<'_>) -> Result<SurfaceAnswer> {
    let budget = input.budget.unwrap_or(input.role.budget());
    if budget < BUDGET_MIN {
        let message = format!("a budget of {budget} tokens is too small; at least {BUDGET_MIN} are needed");
        return Err(Refusal::new(Code::Invalid, message)
            .hint("omit --tokens, or give a number of tokens such as 500")
            .field("budget")
            .into());
    }
    if let Some(why) = not_served(input) {
        return Ok(nothing(input, budget, why, means.tokens, None));
    }
    let (upstream, upstream_keys) = conclusions_of(recall, input.upstream.as_deref(), means)?;
    let among = Query {
        memories: if input.episodic {
            vec![Memory::Semantic, Memory::Procedural, Memory::Episodic]
        } else {
            Vec::new()
        },
        ..Query::default()
    };
    let ask = SearchInput {
        query: input.task.clone(),
        plain: true,
        limit: CONSIDERED_MAX,
        steady: true,
        thread: input.thread.clone(),
        among,
        similarity_min: Some(SURFACE_SIMILARITY_MIN),
        // Only what was found matters here: the texts are made below.
        tier: Some(deliver::Tier::Summary),
        debug: input.debug,
        ..SearchInput::default()
    };
    let mut found = search::search(recall, &ask, means)?;
    let mut left_out: Vec<LeftOut> = found.left_out.take().unwrap_or_default();
    let best = found.hits.iter().map(|hit| hit.found.similarity).fold(0.0, f64::max);
    let likeness: Vec<Likeness> = found.hits.iter().map(|hit| (&hit.found).into()).collect();
    let by_words_alone = by_words_alone(&likeness, means.embedder.is_ok() && !found.is_degraded());
    found.hits.retain(|hit| {
        // A search shows what else came up; nobody needs to be handed that.
        let why = if upstream_keys.contains(&hit.stored.entry.key) {
            "came from upstream".to_owned()
        } else if input.injecting.as_ref().is_some_and(|cap| cap.before.contains(&hit.stored.entry.key)) {
            "was already injected in this run".to_owned()
        } else if by_words_alone && hit.found.similarity < WORDS_ALONE_SIMILARITY_MIN {
            format!("similarity {:.4}, only by very common words", hit.found.similarity)
        } else if hit.found.similarity < share_min(hit) * best {
            format!("similarity {:.4}: not related to the task", hit.found.similarity)
        } else {
            return true;
        };
        left_out.push(LeftOut { id: hit.stored.id.clone(), why });
        false
    });
    let upstream_text = upstream_block(&upstream, budget / 2, means.tokens);
    if found.hits.is_empty() {
        found.left_out = input.debug.then_some(left_out);
        let mut answer = nothing(input, budget, NOTHING.to_owned(), means.tokens, Some(found));
        if !upstream.is_empty() {
            answer.text = format!("{}\n{}", deliver::block(&upstream_text), answer.text);
            answer.tokens = count(&answer.text, means.tokens);
            answer.upstream = upstream;
        }
        answer.upstream_keys = upstream_keys;
        return Ok(answer);
    }
    let mut order = in_turn(input.role, found.hits.clone());
    let total = order.len();
    if let Some(cap) = &input.injecting {
        let room = cap.room();
        for hit in order.drain(room.min(order.len())..) {
            let why = cap.told();
            left_out.push(LeftOut { id: hit.stored.id.clone(), why });
        }
    }
    let note = input.injecting.as_ref().filter(|_| order.len() < total).map(InjectionCap::told);
    let wanted = asked_for(&input.task);
    let mut marks = marks(&order, &wanted);
    let together: Vec<&Stored> = order.iter().map(|hit| &hit.stored).collect();
    for (marks, caveats) in marks.iter_mut().zip(deliver::caveats(recall, &together, means.now)?) {
        marks.extend(caveats.lines());
    }
    let full = input.full.unwrap_or(input.role.full());
    let mut plan = Plan {
        hits: order,
        marks,
        shown: Vec::new(),
        placed: Vec::new(),
        upstream: upstream_text,
        note,
        total,
        task: &input.task,
        now: means.now,
    };
    let exceeded = plan.fit(full, budget, means.tokens, &mut left_out);
    let text = plan.text();
    let entries = plan.entries();
    found.hits = plan.hits.clone();
    let digest = blake3::hash(format!("{}\u{1f}{budget}\u{1f}{text}", input.task).as_bytes()).to_hex()[..16]
        .to_owned();
    Ok(SurfaceAnswer {
        role: input.role,
        status: found.status,
        fallback: found.fallback.clone(),
        tokens: count(&text, means.tokens),
        text,
        more: total - entries.len(),
        entries,
        upstream,
        budget,
        exceeded,
        digest,
        left_out: input.debug.then_some(left_out),
        search: Some(found),
        upstream_keys,
    })
}

/// What an entry needs of the best one's similarity. Experiments that answer a part of the task answer it together (SUR-8).
fn share_min(hit: &Hit) -> f64 {
    match hit.stored.entry.kind.known() {
        Some(Type::Spike) => SPIKE_SHARE_MIN,
        _ => SURFACE_SHARE_MIN,
    }
}

fn count(text: &str, tokens: &dyn Tokens) -> TokenCount {
    TokenCount { count: tokens.count(text), by: tokens.counted_by().to_owned() }
}

/// Why a role is not served at all.
fn not_served(input: &SurfaceInput) -> Option<String> {
    let role = input.role.word();
    if input.policy == Policy::Off {
        return Some(format!("delivery to the {role} is off (setting surface.{role})"));
    }
    match (input.role, input.deviation) {
        (Role::Executor, None) => Some(
            "an executor follows its plan and is given entries only for a deviation (bug, missing_critical or blocking)"
                .to_owned(),
        ),
        (Role::Executor, Some(Deviation::Architectural)) => {
            Some("an architectural deviation needs a person's decision: stop and ask".to_owned())
        }
        _ => None,
    }
}

fn nothing(
    input: &SurfaceInput,
    budget: usize,
    text: String,
    tokens: &dyn Tokens,
    search: Option<SearchAnswer>,
) -> SurfaceAnswer {
    let left_out = search.as_ref().and_then(|search| search.left_out.clone());
    SurfaceAnswer {
        role: input.role,
        status: AnswerStatus::Empty,
        fallback: search.as_ref().and_then(|search| search.fallback.clone()),
        tokens: count(&text, tokens),
        digest: blake3::hash(text.as_bytes()).to_hex()[..16].to_owned(),
        text,
        entries: Vec::new(),
        upstream: Vec::new(),
        more: 0,
        budget,
        exceeded: false,
        left_out: if input.debug { Some(left_out.unwrap_or_default()) } else { None },
        search,
        upstream_keys: Vec::new(),
    }
}

/// The best of each kind first, then the rest by relevance (SUR-3). What a role prefers breaks ties (SUR-1).
fn in_turn(role: Role, hits: Vec<Hit>) -> Vec<Hit> {
    let mut hits = hits;
    hits.sort_by(|a, b| {
        let close = |hit: &Hit| (hit.found.similarity * 100.0).round() as i64;
        close(b)
            .cmp(&close(a))
            .then_with(|| {
                role.prefers(a.stored.entry.kind.known()).cmp(&role.prefers(b.stored.entry.kind.known()))
            })
            .then_with(|| b.found.similarity.total_cmp(&a.found.similarity))
            .then_with(|| a.stored.id.cmp(&b.stored.id))
    });
    let mut kinds = BTreeSet::new();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for hit in hits {
        if kinds.insert(hit.stored.entry.kind.word().to_owned()) { first.push(hit) } else { rest.push(hit) }
    }
    // Only what is nearly as relevant as the best may go ahead for the sake of its kind.
    let best = first.first().map_or(0.0, |hit| hit.found.similarity);
    let (near, far): (Vec<Hit>, Vec<Hit>) =
        first.into_iter().partition(|hit| hit.found.similarity >= best / 2.0);
    rest.extend(far);
    rest.sort_by(|a, b| {
        b.found.similarity.total_cmp(&a.found.similarity).then_with(|| a.stored.id.cmp(&b.stored.id))
    });
    let mut order: Vec<Hit> = near.into_iter().chain(rest).collect();
    order.sort_by_key(|hit| hit.stored.overlay.pinned.is_none());
    order
}

/// SUR-7: the entries that an upstream text cites, as conclusions.
fn conclusions_of(
    recall: &dyn Projection,
    upstream: Option<&str>,
    means: &Means<'_>,
) -> Result<(Vec<String>, Vec<EntryKey>)> {
    let mut keys: Vec<EntryKey> = Vec::new();
    let mut lines = Vec::new();
    for word in upstream.unwrap_or_default().split(|c: char| c.is_whitespace() || "[](){}\",;'`".contains(c))
    {
        let word = word.trim_matches(|c: char| ".:!?".contains(c));
        let looks_like_one = word.contains(['-', '.']) && word.len() >= 4 && word.len() <= 200;
        if !looks_like_one {
            continue;
        }
        if let [key] = recall.resolve(word)?.as_slice()
            && !keys.contains(key)
            && let Some(mut stored) = recall
                .stored(*key)?
                .filter(|stored| !stored.purge_asked && stored.entry.status != ken_core::Status::Rejected)
                .filter(|stored| !stored.overlay.hides())
            && (stored.id == word || view::handle(&stored) == word)
        {
            keys.push(*key);
            search::judge(recall, vec![&mut stored], means)?;
            let failures = deliver::failures(recall, &[&stored])?.pop().unwrap_or_default();
            lines.push(format!(
                "[{}] {} · {}",
                view::handle(&stored),
                deliver::conclusion(&stored, 160),
                deliver::standing_with(&failures, &stored, means.now)
            ));
        }
    }
    Ok((lines, keys))
}

/// What came from upstream, as far as it fits some tokens: there must be room for what is new.
fn upstream_block(upstream: &[String], room: usize, tokens: &dyn Tokens) -> String {
    if upstream.is_empty() {
        return String::new();
    }
    let mut text = "From upstream, already searched:".to_owned();
    for (at, line) in upstream.iter().enumerate() {
        let with = format!("{text}\n- {line}");
        if tokens.count(&with) > room {
            let ids: Vec<&str> =
                upstream[at..].iter().filter_map(|line| line.split(['[', ']']).nth(1)).collect();
            text.push_str(&format!("\n- and {}", ids.join(", ")));
            break;
        }
        text = with;
    }
    text
}
