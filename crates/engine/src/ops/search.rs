//! `search`: the entries that matter for a question, best first, and why.

use std::cell::RefCell;
use std::cmp::Ordering;

use ken_core::limits::{
    ANSWER_SIMILARITY_MIN, RECORDED_QUERY_CHARS_MAX, STANDARD_SCORE_MIN, SUMMARY_SCORE_MIN,
};
use ken_core::score::{self, Measured, Part, Score, Signal, Weights};
use ken_core::together::signal;
use ken_core::weights::Signals;
use ken_core::words::one_line;
use ken_core::{Code, EntryHead, EntryKey, Gap, Intent, Millis, Overlay, Refusal, Status, Verdict};
use ken_recall::question::Condition;
use ken_recall::rank::{ANSWER_MIN, ANSWER_SHARE_MIN, ECHO_SHARE_MIN};
use ken_recall::{Mode, Question};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::budget::{self, Item};
use crate::conditions::{can_be, narrowed};
use crate::deliver::{self, Caveats, Competing, Failures, Tier};
use crate::error::Result;
use crate::exposure::Reader;
use crate::limits::ops_search::{HISTORY_EVENTS_MAX, SIMILARITY_SHARE_MIN, TROUBLE_CHARS_MAX};
pub use crate::limits::ops_search::{LIMIT, LIMIT_MAX};
use crate::ports::{Asked, CodeTree, Effort, Embedder, Hit, Relevant, Stored};
use crate::projection::Projection;
use crate::query::Query;
use crate::together;
use crate::tokens::Tokens;
use crate::validity;
use crate::view::{self, Belief};

/// The setting that holds the weights of the score.
pub const SCORING: &str = "scoring";

/// What is asked.
#[derive(Clone, Debug)]
pub struct SearchInput {
    /// The question, as typed.
    pub query: String,
    /// At most so many answers.
    pub limit: usize,
    /// How much of each is shown; chosen by what was found when left out.
    pub tier: Option<Tier>,
    /// All answers together have at most so many tokens: one-liners first, then the best grow (COR-6). Without it each is shown in its tier.
    pub budget_tokens: Option<usize>,
    /// Which side answers.
    pub mode: Mode,
    /// Order by relevance alone, without belief, age and standing.
    pub by_relevance: bool,
    /// Take the mean of a belief instead of a draw from it.
    pub steady: bool,
    /// The thread that asks.
    pub thread: Option<String>,
    /// Which entries may answer, beyond what the question itself says.
    pub among: Query,
    /// Say of everything that was considered why it was left out.
    pub debug: bool,
    /// Answers below this are none; the model's own limit when left out.
    pub similarity_min: Option<f64>,
    /// Take the question as plain text, without quotes, exclusions and conditions.
    pub plain: bool,
    /// Nobody asked: what is found is put before an agent in these runs (COR-26).
    pub unasked_in: Option<Vec<String>>,
}

impl Default for SearchInput {
    fn default() -> Self {
        SearchInput {
            query: String::new(),
            limit: LIMIT,
            tier: None,
            budget_tokens: None,
            mode: Mode::Hybrid,
            by_relevance: false,
            steady: false,
            thread: None,
            among: Query::default(),
            debug: false,
            similarity_min: None,
            plain: false,
            unasked_in: None,
        }
    }
}

/// What is at hand for answering.
pub struct Means<'a> {
    /// Takes the meaning of texts; or why it cannot be done.
    pub embedder: std::result::Result<&'a dyn Embedder, String>,
    pub tokens: &'a dyn Tokens,
    /// The time it is.
    pub now: Millis,
    /// The code around the store; without it nobody can tell what still holds.
    pub ground: Option<&'a RefCell<dyn CodeTree>>,
}

/// How an answer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AnswerStatus {
    /// There are answers.
    Ok,
    /// Nothing relevant is known.
    Empty,
    /// There are answers, and there may be better ones: a part of the search could not run.
    Degraded,
}

/// What `search` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchAnswer {
    /// How it stands.
    pub status: AnswerStatus,
    /// Why words answered alone.
    pub fallback: Option<String>,
    /// The answers, best first.
    pub results: Vec<SearchResult>,
    /// Names the answer: the same store, question and day give the same one.
    pub digest: String,
    /// How much of each is shown.
    pub tier: Tier,
    /// How the question was taken.
    pub understood: Understood,
    /// Entries that wait for a vector; they are found by their words until then.
    pub backlog: usize,
    /// Tokens of the rendered answer, and what counted them.
    pub tokens: TokenCount,
    /// What somebody should know: a value that is none, a query that was cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Everything that was considered and left out, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Vec<LeftOut>>,
    #[serde(skip)]
    /// The entries behind the results.
    pub hits: Vec<Hit>,
}

impl SearchAnswer {
    /// Whether meanings could not be taken, so that words answered for want of anything else.
    pub fn is_degraded(&self) -> bool {
        self.status == AnswerStatus::Degraded
    }
}

/// A number of tokens.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenCount {
    pub count: usize,
    /// Counted with what.
    pub by: String,
}

/// How a question was taken.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Understood {
    /// What is looked for.
    pub text: String,
    /// What must occur as it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phrases: Vec<String>,
    /// What must not occur.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
    /// What the entries must be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// Words that name what entries are about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
    /// How much words counted.
    pub words_weight: f64,
    /// How much meaning counted.
    pub meaning_weight: f64,
    /// How likely the best answer is one.
    pub confidence: f64,
}

/// An entry that was considered and left out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    pub id: String,
    pub why: String,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchResult {
    /// The fields that every answer has.
    #[serde(flatten)]
    pub head: EntryHead,
    /// The sum of the parts.
    pub score: f64,
    /// How well it answers the question, 0 to 1.
    pub similarity: f64,
    /// Each signal's value.
    pub signals: Map<String, Value>,
    /// Each signal's weight.
    pub weights: Map<String, Value>,
    /// Value times weight, and how each value came about.
    pub parts: Vec<Part>,
    /// Why it comes after an answer with a lower score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_back: Option<String>,
    /// What its relevance is made of.
    pub relevance: Relevance,
    /// Whether it still holds.
    pub validity: Verdict,
    /// What speaks against it, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// How far it can be believed.
    pub belief: Belief,
    /// The same in a word.
    pub confidence: &'static str,
    /// What it was found by: words, meaning, neighbours, subject.
    pub via: Vec<&'static str>,
    /// The beginning of its claim.
    pub preview: String,
    /// What this clone lays over it; left out where that is nothing.
    #[serde(skip_serializing_if = "Overlay::is_empty")]
    pub overlay: Overlay,
    /// How far it reaches.
    pub scope: &'static str,
    /// Who stated it.
    pub source: String,
    /// When it last changed.
    pub date: String,
    /// Its ledger file.
    pub file: Option<String>,
    /// None of its evidence could be found here.
    pub unverified: bool,
    /// Parts it lacks.
    pub gaps: Vec<Gap>,
    /// Entries that say the opposite.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub competing_with: Vec<Competing>,
    #[serde(flatten)]
    pub failures: Failures,
    /// Whether it is in this branch's ledger files.
    pub on_this_branch: bool,
    /// It as text, in the answer's tier.
    pub text: String,
}

/// A result is read like the head that it begins with.
impl std::ops::Deref for SearchResult {
    type Target = EntryHead;

    fn deref(&self) -> &EntryHead {
        &self.head
    }
}

/// Why an answer has no cosine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NoCosine {
    /// Its embedding is not computed yet.
    NoVector,
    /// Embeddings took no part in the answer.
    NotCompared,
}

impl NoCosine {
    /// The reason in words.
    pub fn told(self) -> &'static str {
        match self {
            NoCosine::NoVector => "no embedding yet",
            NoCosine::NotCompared => "not compared",
        }
    }
}

/// What a relevance is made of.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Relevance {
    /// The share of its words.
    pub words: f64,
    /// The share of its meaning.
    pub meaning: f64,
    /// What its neighbours in the same document lend it.
    pub neighbours: f64,
    /// What being about a subject of the question adds.
    pub subject: f64,
    /// How near its meaning is.
    pub cosine: Option<f64>,
    /// Why that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_cosine: Option<NoCosine>,
    /// The share of the sum of the four that counts: 1, unless it repeats the question and nobody but its writer speaks for it.
    #[serde(skip_serializing_if = "is_whole")]
    pub counted: f64,
    /// What counts of the sum of the four, as a share of the best answer's.
    pub of_best: f64,
    /// How likely the best answer of its store is one. The similarity is this times the fourth power of the share.
    pub confidence: f64,
}

/// Answers a question.
pub fn search(recall: &dyn Projection, input: &SearchInput, means: &Means<'_>) -> Result<SearchAnswer> {
    if input.limit == 0 || input.limit > LIMIT_MAX {
        let message = format!("the limit is {}; expected 1 to {LIMIT_MAX}", input.limit);
        return Err(Refusal::new(Code::Invalid, message).field("limit").into());
    }
    // A question is told back, recorded, and may go to a server that takes its meaning: none of them hears a secret (IN-2).
    let query = crate::intake::redacted_text(&input.query);
    let mut question = if input.plain { Question::plain(&query) } else { Question::parse(&query, &can_be) };
    if question.is_empty() {
        return Err(Refusal::new(Code::Invalid, "the query is empty")
            .hint("give a few words: ken search 'retry network calls'; `ken list` lists the entries")
            .field("query")
            .into());
    }
    let among = narrowed(&input.among, &question);
    let mut notes: Vec<String> = question
        .unfit
        .iter()
        .map(|odd| format!("{odd} is no filter with a known value; it is searched as text"))
        .collect();
    if question.cut {
        notes.push("the query was too long; only its beginning was searched".to_owned());
    }
    // Where relevance alone orders, relevance alone is the score.
    let weights = if input.by_relevance { Weights::only(Signal::Semantic) } else { weights(recall)? };
    let (embedder, missing) = match &means.embedder {
        Ok(embedder) => (Some(*embedder), None),
        Err(why) => (None, Some(why.clone())),
    };
    let ask = |recall: &dyn Projection, question: &Question| {
        recall.relevant(&Asked {
            question,
            among: &among,
            mode: input.mode,
            wanted: input.limit,
            thread: input.thread.as_deref(),
            embedder,
            by_standing: true,
            debug: input.debug,
            unasked_in: input.unasked_in.as_deref(),
        })
    };
    let mut relevant = ask(recall, &question)?;
    if relevant.hits.is_empty() && !question.phrases.is_empty() {
        // Quotes in a pasted message are no wish; and whoever meant them is told.
        let phrases = std::mem::take(&mut question.phrases);
        notes.push(format!("no entry contains {}; these are the closest", quoted(&phrases)));
        relevant = ask(recall, &question)?;
    }
    let fallback = relevant.fallback.clone().or(missing.filter(|_| input.mode != Mode::Lexical));
    let degraded = fallback.is_some();
    let by_words_alone =
        relevant.ranked.by_words && !relevant.ranked.by_meaning && input.mode != Mode::Lexical;
    let fallback = fallback.or_else(|| by_words_alone.then(|| "no embedding is close enough".to_owned()));
    let store_digest = recall.digest()?;
    // What was kept out is never handed out, whatever else may be asked for (IN-1).
    relevant.hits.retain(|hit| hit.stored.entry.status != Status::Rejected);
    let mut hits = answers(input, relevant.hits.clone());
    judge(recall, hits.iter_mut().map(|hit| &mut hit.stored).collect(), means)?;
    let keys: Vec<EntryKey> = hits.iter().map(|hit| hit.stored.entry.key).collect();
    let ties = together::strongest(recall, &keys, means.now)?;
    let mut scored = Vec::with_capacity(hits.len());
    for hit in hits {
        let tie = ties.get(&hit.stored.entry.key).map(|(tie, _)| *tie);
        let score = composite(&hit, tie, input, &weights, &store_digest, means.now);
        scored.push(Scored { hit, score, held_back: None });
    }
    // Equals come in the order of their ids: two clones number the same entries differently.
    let by_relevance = |a: &Hit, b: &Hit| {
        b.found.similarity.total_cmp(&a.found.similarity).then_with(|| a.stored.id.cmp(&b.stored.id))
    };
    scored.sort_by(|a, b| {
        let by_score =
            if input.by_relevance { Ordering::Equal } else { b.score.total.total_cmp(&a.score.total) };
        by_score.then_with(|| by_relevance(&a.hit, &b.hit))
    });
    // BEL-9: of what answers, the pinned come first.
    let (pinned, rest): (Vec<Scored>, Vec<Scored>) =
        scored.into_iter().partition(|one| one.hit.stored.overlay.pinned.is_some());
    let scored: Vec<Scored> =
        [pinned, rest].into_iter().flat_map(|some| behind_near(in_order_of_relevance(some))).collect();
    let tier = input.tier.unwrap_or_else(|| auto_tier(&scored));
    let mut results = Vec::with_capacity(scored.len());
    let mut kept = Vec::with_capacity(scored.len());
    let together: Vec<&Stored> = scored.iter().map(|one| &one.hit.stored).collect();
    let shown = Shown { weights: &weights, tier, now: means.now };
    let caveats = deliver::caveats(recall, &together, means.now)?;
    for (one, caveats) in scored.iter().zip(&caveats) {
        results.push(result(recall, one, caveats, &shown)?);
    }
    kept.extend(scored.into_iter().map(|one| one.hit));
    if let Some(budget) = input.budget_tokens {
        shorten(&mut results, &kept, &caveats, budget, tier, means);
    }
    let status = match (results.is_empty(), degraded) {
        (true, _) => AnswerStatus::Empty,
        (false, true) => AnswerStatus::Degraded,
        (false, false) => AnswerStatus::Ok,
    };
    let best = results.iter().map(|result| result.similarity).fold(0.0, f64::max);
    if !results.is_empty() && best < ANSWER_SIMILARITY_MIN {
        notes.push(format!("no strong answer: the best has a similarity of {best:.2}"));
    }
    let text: Vec<&str> = results.iter().map(|result| result.text.as_str()).collect();
    let tokens = TokenCount {
        count: text.iter().map(|text| means.tokens.count(text)).sum(),
        by: means.tokens.counted_by().to_owned(),
    };
    let digest = digest_of(&input.query, &results);
    let left_out = input.debug.then(|| left_out(&relevant, &results));
    Ok(SearchAnswer {
        status,
        fallback,
        results,
        digest,
        tier,
        understood: understood(&question, &relevant),
        backlog: recall.backlog()?,
        tokens,
        notes,
        left_out,
        hits: kept,
    })
}

/// Looks whether what is about to be handed over still holds.
pub(super) fn judge(recall: &dyn Projection, mut stored: Vec<&mut Stored>, means: &Means<'_>) -> Result<()> {
    let Some(ground) = means.ground else { return Ok(()) };
    validity::judge_stored(recall, &mut *ground.borrow_mut(), &mut stored, Effort::Quick)?;
    for stored in stored {
        let from = stored.entry.age_from().millis();
        stored.validity.age_days = Some(score::days_between(from, means.now));
    }
    Ok(())
}

fn quoted(phrases: &[String]) -> String {
    phrases.iter().map(|phrase| format!("{phrase:?}")).collect::<Vec<_>>().join(" and ")
}

/// The weights of the score, as everybody's setting says.
pub fn weights(recall: &dyn Projection) -> Result<Weights> {
    let set = recall.setting(SCORING)?;
    // What another version wrote and this one cannot read must not stop an answer.
    Ok(set.and_then(|value| Weights::read(&value).ok()).unwrap_or_default())
}

/// Those that answer: none where even the best is no answer, else all that are not altogether unlike it.
fn answers(input: &SearchInput, hits: Vec<Hit>) -> Vec<Hit> {
    let limit = input.similarity_min.unwrap_or(ANSWER_MIN);
    let best = hits.iter().map(|hit| hit.found.similarity).fold(0.0, f64::max);
    if best < limit {
        return Vec::new();
    }
    hits.into_iter().filter(|hit| hit.found.similarity >= ANSWER_SHARE_MIN * best).collect()
}

/// An answer with its score.
struct Scored {
    hit: Hit,
    score: Score,
    /// Why an answer with a lower score comes first.
    held_back: Option<String>,
}

/// COR-33: the order in which answers are taken, where these are the similarities of answers in the order of their scores: each time the
/// best score among those left that are at least half as similar as the most similar one left. With each comes the answer it was held
/// back behind, if its score is higher than that one's.
pub(super) fn relevance_first(similarities: &[f64]) -> Vec<(usize, Option<usize>)> {
    let mut left: Vec<usize> = (0..similarities.len()).collect();
    let mut held_back = vec![None; similarities.len()];
    let mut order = Vec::with_capacity(similarities.len());
    while !left.is_empty() {
        let highest = left.iter().map(|at| similarities[*at]).fold(0.0, f64::max);
        let enough = SIMILARITY_SHARE_MIN * highest;
        let place = left.iter().position(|at| similarities[*at] >= enough).unwrap_or(0);
        let next = left.remove(place);
        for waiting in &left[..place] {
            held_back[*waiting].get_or_insert(next);
        }
        order.push((next, held_back[next]));
    }
    order
}

/// Puts answers, best score first, into that order, and says of each why it was held back.
fn in_order_of_relevance(scored: Vec<Scored>) -> Vec<Scored> {
    let similarities: Vec<f64> = scored.iter().map(|one| one.hit.found.similarity).collect();
    let handles: Vec<String> = scored.iter().map(|one| view::handle(&one.hit.stored)).collect();
    let mut scored: Vec<Option<Scored>> = scored.into_iter().map(Some).collect();
    let taken = relevance_first(&similarities).into_iter().filter_map(|(at, behind)| {
        let held_back = behind.map(|behind| {
            format!(
                "comes after [{}] despite its higher score: its similarity is less than half of the best",
                handles[behind]
            )
        });
        Some(Scored { held_back, ..scored[at].take()? })
    });
    taken.collect()
}

/// Puts what repeats the question and is held back (decision 0039) behind every answer that is near to it, whatever was drawn for either.
fn behind_near(scored: Vec<Scored>) -> Vec<Scored> {
    let is_held_back = |hit: &Hit| hit.found.counted < 1.0;
    let others: Vec<(usize, f64)> = scored
        .iter()
        .enumerate()
        .filter(|(_, one)| !is_held_back(&one.hit))
        .map(|(at, one)| (at, one.hit.found.raw()))
        .collect();
    let last_near = |hit: &Hit| {
        let is_near = |(_, raw): &&(usize, f64)| *raw >= ECHO_SHARE_MIN * hit.found.raw();
        others.iter().rfind(is_near).map_or(0, |(at, _)| *at)
    };
    let place = |(at, one): (usize, Scored)| {
        let is_held_back = is_held_back(&one.hit);
        ((if is_held_back { at.max(last_near(&one.hit)) } else { at }, is_held_back), one)
    };
    let mut placed: Vec<((usize, bool), Scored)> = scored.into_iter().enumerate().map(place).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, one)| one).collect()
}

fn composite(
    hit: &Hit,
    tie: Option<f64>,
    input: &SearchInput,
    weights: &Weights,
    store_digest: &str,
    now: Millis,
) -> Score {
    let entry = &hit.stored.entry;
    let belief = view::belief(entry, now);
    let untested = if belief.observations < 0.5 { ", not yet measured" } else { "" };
    let spread = format!("Beta({:.1}, {:.1}){untested}", belief.alpha, belief.beta);
    let thompson = if input.steady {
        Measured::new(belief.mean, format!("mean of {spread}"))
    } else {
        let seed = format!("{}\u{1f}{}\u{1f}{store_digest}\u{1f}{}", input.query, now.date(), entry.key);
        Measured::new(score::draw(belief.alpha, belief.beta, seed.as_bytes()), format!("draw from {spread}"))
    };
    let (fresh, why) = hit.stored.validity.freshness(entry, now);
    let freshness = Measured::new(fresh, why);
    let status = Measured::new(score::status_value(entry.status), entry.status.word());
    let thread = match (&input.thread, &entry.fields.thread) {
        (Some(asked), Some(own)) if asked == own => Measured::new(1.0, format!("in thread {own}")),
        (Some(asked), _) => Measured::new(0.0, format!("not of thread {asked}")),
        (None, _) => Measured::new(0.0, "no thread given"),
    };
    let together = match tie {
        Some(tie) => {
            Measured::new(signal(tie), format!("used together with another result (weight {tie:.2})"))
        }
        None => Measured::new(0.0, "no run used it together with another result"),
    };
    let compared = hit.found.raw() > 0.0;
    let why = match (compared, hit.found.counted < 1.0) {
        (true, false) => "calibrated similarity".to_owned(),
        (true, true) => format!(
            "calibrated similarity; {:.0} % of its relevance counts: it repeats the question, and nothing that {} stated is vouched for",
            hit.found.counted * 100.0,
            deliver::credited(&entry.created_by)
        ),
        (false, _) => "no query text: neutral, not measured".to_owned(),
    };
    let semantic = Measured::new(hit.found.similarity, why);
    score::score(weights, [semantic, thompson, freshness, status, thread, together])
}

/// How the results of an answer are shown.
struct Shown<'a> {
    weights: &'a Weights,
    tier: Tier,
    now: Millis,
}

fn result(
    recall: &dyn Projection,
    scored: &Scored,
    caveats: &Caveats,
    shown: &Shown<'_>,
) -> Result<SearchResult> {
    let Shown { weights, tier, now } = shown;
    let (tier, now) = (*tier, *now);
    let Scored { hit, score, held_back } = scored;
    let stored = &hit.stored;
    let entry = &stored.entry;
    let found = &hit.found;
    let mut via = Vec::new();
    for (name, share) in [
        ("words", found.words),
        ("meaning", found.meaning),
        ("neighbours", found.neighbours),
        ("subject", found.subject),
    ] {
        if share > 0.0 {
            via.push(name);
        }
    }
    let mut text = deliver::render(tier, stored, caveats, now);
    if tier == Tier::Full {
        text.push_str(&format!("\n  score: {}", sum_line(score)));
        let history = recall.history(entry.key)?;
        // Who read it is no part of what it says: an answer must not change by being given.
        let told: Vec<_> = history.iter().filter(|placed| !placed.event.is_deferred()).collect();
        for placed in &told[told.len().saturating_sub(HISTORY_EVENTS_MAX)..] {
            let said = crate::ops::history::tell(placed);
            text.push_str(&format!(
                "\n  {} {}",
                placed.event.clock.shown_date(now),
                deliver::safe(&said.summary)
            ));
        }
    }
    Ok(SearchResult {
        head: view::head(stored),
        score: score.total,
        similarity: rounded(found.similarity),
        signals: score.parts.iter().map(|part| (part.signal.word().to_owned(), part.value.into())).collect(),
        weights: weights.written(),
        parts: score.parts.clone(),
        held_back: held_back.clone(),
        relevance: Relevance {
            words: rounded(found.words),
            meaning: rounded(found.meaning),
            neighbours: rounded(found.neighbours),
            subject: rounded(found.subject),
            cosine: found.cosine.map(rounded),
            no_cosine: match (found.cosine, found.by_meaning) {
                (Some(_), _) => None,
                (None, true) => Some(NoCosine::NoVector),
                (None, false) => Some(NoCosine::NotCompared),
            },
            counted: rounded(found.counted),
            of_best: rounded(found.of_best),
            confidence: rounded(found.confidence),
        },
        validity: stored.validity.verdict,
        trouble: stored.validity.trouble().map(|why| one_line(&deliver::safe(&why), TROUBLE_CHARS_MAX)),
        belief: view::belief(entry, now),
        confidence: deliver::confidence(stored, now),
        via,
        preview: deliver::conclusion(stored, 200),
        overlay: stored.overlay.clone(),
        scope: entry.fields.scope().word(),
        source: deliver::credited(&entry.created_by),
        date: entry.changed_at().shown_date(now),
        file: stored.file().map(str::to_owned),
        unverified: entry.is_unverified(),
        gaps: entry.gaps(),
        competing_with: caveats.competing.clone(),
        failures: caveats.failures.clone(),
        on_this_branch: stored.is_on_branch(),
        text,
    })
}

/// Fits the texts of all answers into a budget (COR-6).
fn shorten(
    results: &mut [SearchResult],
    hits: &[Hit],
    caveats: &[Caveats],
    budget: usize,
    tier: Tier,
    means: &Means<'_>,
) {
    let tiers = [Tier::Summary, Tier::Standard];
    let forms: Vec<Vec<String>> = results
        .iter()
        .zip(hits.iter().zip(caveats))
        .map(|(result, (hit, caveats))| {
            let mut forms = vec![deliver::named(&hit.stored)];
            let rendered = |tier| deliver::render(tier, &hit.stored, caveats, means.now);
            forms.extend(tiers.map(rendered));
            forms.extend((tier == Tier::Full).then(|| result.text.clone()));
            forms
        })
        .collect();
    let items: Vec<Item> = forms.iter().map(|forms| Item { forms: forms.len(), must_stay: false }).collect();
    let tokens: Vec<Vec<usize>> =
        forms.iter().map(|forms| forms.iter().map(|form| means.tokens.count(form)).collect()).collect();
    let chosen = budget::fill(&items, &mut |chosen| {
        let taken = chosen.iter().zip(&tokens).filter_map(|(form, tokens)| Some(tokens[(*form)?]));
        taken.sum::<usize>() <= budget
    });
    for ((result, form), forms) in results.iter_mut().zip(chosen).zip(forms) {
        // Whoever asked for so many is told of each: an id takes little.
        result.text = forms[form.unwrap_or(budget::TITLE)].clone();
    }
}

/// A number with four digits after the point, as everything is shown.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// Whether a share is all of it.
fn is_whole(share: &f64) -> bool {
    *share >= 1.0
}

/// The sum, written out: `0.6120 = semantic 0.3420 + thompson 0.1250 + ...`.
pub fn sum_line(score: &Score) -> String {
    let parts: Vec<String> =
        score.parts.iter().map(|part| format!("{} {:.4}", part.signal.word(), part.part)).collect();
    format!("{:.4} = {}", score.total, parts.join(" + "))
}

/// OUT-3: the surer the answer, the less of it is shown.
fn auto_tier(scored: &[Scored]) -> Tier {
    // A pinned answer comes first whatever its score.
    let unpinned = scored.iter().find(|one| one.hit.stored.overlay.pinned.is_none());
    let top = scored.first().into_iter().chain(unpinned).map(|one| one.score.total).fold(0.0, f64::max);
    let mut sources: Vec<&str> = scored.iter().map(|one| one.hit.stored.entry.created_by.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    match sources.len() {
        count if count >= 2 && top > SUMMARY_SCORE_MIN => Tier::Summary,
        count if count >= 1 && top > STANDARD_SCORE_MIN => Tier::Standard,
        _ => Tier::Full,
    }
}

fn digest_of(query: &str, results: &[SearchResult]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(query.as_bytes());
    for result in results {
        hasher.update(result.id.as_bytes());
        hasher.update(&result.score.to_le_bytes());
        hasher.update(result.text.as_bytes());
        if !result.overlay.is_empty() {
            hasher.update(&serde_json::to_vec(&result.overlay).unwrap_or_default());
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

fn understood(question: &Question, relevant: &Relevant) -> Understood {
    let condition = |condition: &Condition| {
        let not = if condition.negated { "-" } else { "" };
        format!("{not}{}:{}", condition.field.word(), condition.value)
    };
    Understood {
        text: one_line(&question.text, 500),
        phrases: question.phrases.clone(),
        excluded: question.excluded.clone(),
        conditions: question.conditions.iter().map(condition).collect(),
        subjects: relevant.ranked.subjects.clone(),
        words_weight: rounded(relevant.ranked.words_weight),
        meaning_weight: if relevant.ranked.by_meaning {
            rounded(1.0 - relevant.ranked.words_weight)
        } else {
            0.0
        },
        confidence: rounded(relevant.ranked.confidence),
    }
}

fn left_out(relevant: &Relevant, results: &[SearchResult]) -> Vec<LeftOut> {
    let known = |id: &str| results.iter().any(|result| result.id == id);
    let mut all: Vec<LeftOut> = relevant
        .hits
        .iter()
        .filter(|hit| !known(&hit.stored.id))
        .map(|hit| LeftOut {
            id: hit.stored.id.clone(),
            why: format!("similarity {:.3} is below the threshold", hit.found.similarity),
        })
        .collect();
    all.extend(relevant.left_out.iter().map(|(id, why)| LeftOut { id: id.clone(), why: why.clone() }));
    all
}

/// A query as it is recorded.
pub fn recorded(query: &str) -> String {
    one_line(&crate::intake::recordable(query), RECORDED_QUERY_CHARS_MAX)
}

/// What is to be remembered of an answer: who saw what, what was too weak, what was not there (REV-1, OUT-5, SUR-6).
pub fn remembered(
    answer: &SearchAnswer,
    query: &str,
    how: &str,
    role: Option<&str>,
    exposures: &Reader<'_>,
) -> Vec<Intent> {
    let query = recorded(query);
    if answer.results.is_empty() {
        return vec![exposures.unanswered(query, role)];
    }
    let mut intents = Vec::new();
    // What was found and not handed over (no room, known from upstream) was found all the same.
    let found = answer.results.iter().map(|result| result.similarity).fold(0.0, f64::max);
    let best = answer.hits.iter().max_by(|a, b| a.found.similarity.total_cmp(&b.found.similarity));
    // What somebody already had from upstream may have been the best: then nobody else is to blame.
    let is_best = |hit: &&Hit| rounded(hit.found.similarity) >= found;
    if let Some(best) = best.filter(|_| found < ANSWER_SIMILARITY_MIN).filter(is_best) {
        let similarity = (best.found.similarity * 1000.0).round() as u32;
        intents.push(exposures.missed(best.stored.entry.key, query, similarity));
    }
    let keys = answer.hits.iter().map(|hit| hit.stored.entry.key).collect();
    intents.extend(exposures.shown(how, keys));
    intents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cor_33_the_best_score_counts_among_those_half_as_similar_as_the_best() {
        type Case<'a> = (&'a [f64], &'a [(usize, Option<usize>)]);
        let table: &[Case<'_>] = &[
            (&[], &[]),
            (&[0.5, 0.9, 0.6], &[(0, None), (1, None), (2, None)]),
            (&[0.1, 0.9], &[(1, None), (0, Some(1))]),
            // What was held back is held back no longer once what it was held against is taken.
            (&[0.1, 0.5, 0.9, 0.04], &[(1, None), (2, None), (0, Some(1)), (3, None)]),
            (&[0.0, 0.0], &[(0, None), (1, None)]),
        ];
        for (similarities, order) in table {
            assert_eq!(relevance_first(similarities), *order, "{similarities:?}");
        }
    }
}
