//! `eval retrieval`: questions with known answers, put to a store that was made for them.
//!
//! Texts are added, embedded and searched the way everybody's are; only the measuring is special.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use ken_core::{Code, Refusal};
use ken_engine::ops::search::AnswerStatus;
use ken_recall::Mode;
use ken_recall::metrics;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{AddInput, Error, OnAbsent, Reach, Result, SearchInput};

/// Texts and the questions about them: what one store is made for.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    /// What it is called.
    pub name: String,
    /// The texts: how questions name each, and what it says.
    pub texts: Vec<(String, Map<String, Value>)>,
    pub questions: Vec<Asking>,
}

impl Collection {
    /// Keeps at most `most` questions, spread evenly: the first ones of a file are often of one kind.
    pub fn sample_questions(&mut self, most: usize) {
        let count = self.questions.len();
        if count <= most {
            return;
        }
        let mut at = 0;
        self.questions.retain(|_| {
            let kept = at * most / count != (at + 1) * most / count;
            at += 1;
            kept
        });
    }
}

/// A question with its answers.
#[derive(Clone, Debug)]
pub struct Asking {
    /// What is asked.
    pub query: String,
    /// The texts that answer it; none when nothing does.
    pub relevant: Vec<String>,
    /// The kind of question.
    pub category: String,
}

/// A way to answer that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Lexical,
    Semantic,
    /// Both, by relevance alone.
    Hybrid,
    /// As `search` answers: relevance chooses, the composite orders.
    Composite,
}

impl Way {
    pub const ALL: [Way; 4] = [Way::Lexical, Way::Semantic, Way::Hybrid, Way::Composite];

    pub fn word(self) -> &'static str {
        match self {
            Way::Lexical => "lexical",
            Way::Semantic => "semantic",
            Way::Hybrid => "hybrid",
            Way::Composite => "composite",
        }
    }

    fn mode(self) -> Mode {
        match self {
            Way::Lexical => Mode::Lexical,
            Way::Semantic => Mode::Semantic,
            Way::Hybrid | Way::Composite => Mode::Hybrid,
        }
    }
}

/// How well some questions were answered.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measures {
    /// Questions that have an answer.
    pub questions: usize,
    /// The share of the right texts among the first 5.
    pub recall_5: f64,
    /// Among the first 10.
    pub recall_10: f64,
    /// Among the first 20.
    pub recall_20: f64,
    /// How high they stand among the first 10.
    pub ndcg_10: f64,
    /// One over the place of the first right one, on average.
    pub mrr: f64,
    /// Questions that nothing answers.
    pub unanswerable: usize,
    /// The share of those that were answered `empty`.
    pub empty_right: f64,
    /// The share of answerable ones that were answered `empty` all the same.
    pub empty_wrong: f64,
}

/// The measures of one way, over all questions and by kind.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outcome {
    pub mode: &'static str,
    /// Over all questions.
    #[serde(flatten)]
    pub all: Measures,
    /// By kind of question.
    pub by_category: BTreeMap<String, Measures>,
    /// Why the meaning took no part, where it should have.
    pub fallback: Option<String>,
    /// Each question by itself.
    #[serde(skip)]
    pub each: Vec<Answered>,
}

/// One question, answered.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answered {
    /// The collection it belongs to.
    pub collection: String,
    /// What was asked.
    pub query: String,
    /// The kind of question.
    pub category: String,
    /// What was right.
    pub relevant: Vec<String>,
    /// What was answered, best first.
    pub ranked: Vec<String>,
    /// How sure the best answer was.
    pub similarity: f64,
    /// The measures of this question alone: recall at 5, 10 and 20, nDCG at 10, reciprocal rank.
    pub measures: [f64; 5],
}

/// What became of a collection's texts.
#[derive(Clone, Debug, Default)]
pub struct Filled {
    /// Which entry each text became.
    pub became: HashMap<String, String>,
    /// Texts that the store refused, and why. A question about one of them cannot be answered, and counts.
    pub refused: Vec<RefusedText>,
}

/// A text that the store refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefusedText {
    /// How questions name it.
    pub text: String,
    pub why: String,
}

/// Adds a collection's texts to an empty store. One that is refused is recorded, and the others go on.
pub fn fill(ken: &mut Reach, collection: &Collection) -> Result<Filled> {
    let mut filled = Filled::default();
    for batch in collection.texts.chunks(1_000) {
        fill_batch(ken, batch, &mut filled)?;
    }
    Ok(filled)
}

/// Adds texts in one write; where one of them is refused, each half by itself.
fn fill_batch(ken: &mut Reach, batch: &[(String, Map<String, Value>)], filled: &mut Filled) -> Result<()> {
    let inputs = batch.iter().map(|(_, content)| AddInput {
        content: content.clone(),
        draft: true,
        evidence: vec!["transcript:sha256:e7a1".to_owned()],
        // The code that a collection speaks of is not in its store.
        on_absent: OnAbsent::Gap,
        ..AddInput::default()
    });
    match (
        crate::add::add_all(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, inputs.collect()),
        batch,
    ) {
        (Ok(answers), _) => {
            let ids = answers.into_iter().map(|answer| answer.id);
            filled.became.extend(batch.iter().map(|(name, _)| name.clone()).zip(ids));
            Ok(())
        }
        (Err(Error::Refused(refusal)), [(name, _)]) => {
            filled.refused.push(RefusedText { text: name.clone(), why: refusal.message });
            Ok(())
        }
        (Err(Error::Refused(_)), [_, _, ..]) => {
            let (one, other) = batch.split_at(batch.len() / 2);
            fill_batch(ken, one, filled)?;
            fill_batch(ken, other, filled)
        }
        (Err(failed), _) => Err(failed),
    }
}

/// Puts a collection's questions to the store that was filled with it.
pub fn ask(
    ken: &mut Reach,
    collection: &Collection,
    filled: &Filled,
    way: Way,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<(Vec<Answered>, Option<String>)> {
    let mut answered = Vec::with_capacity(collection.questions.len());
    let mut fallback = None;
    for asking in &collection.questions {
        // What was refused is an answer that nobody can find.
        let id = |name: &String| filled.became.get(name).unwrap_or(name).clone();
        let relevant: Vec<String> = asking.relevant.iter().map(id).collect();
        let mut asked = |limit: usize| -> Result<(Vec<String>, f64)> {
            let input = SearchInput {
                query: asking.query.clone(),
                limit,
                mode: way.mode(),
                by_relevance: way != Way::Composite,
                tier: Some(ken_engine::Tier::Summary),
                ..SearchInput::default()
            };
            let answer =
                match crate::recall::search(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, &input)
                {
                    Err(Error::Refused(_)) => return Ok((Vec::new(), 0.0)),
                    answer => answer?,
                };
            if answer.status == AnswerStatus::Degraded {
                fallback = answer.fallback.or(fallback.take());
            }
            let best = answer.results.iter().map(|result| result.similarity).fold(0.0, f64::max);
            Ok((answer.results.into_iter().map(|result| result.head.id).collect(), best))
        };
        let (ranked, similarity) = asked(20)?;
        // Whoever asks for ten gets the ten most relevant in the composite's order: each length is a question of its own.
        let (five, ten) = match way {
            Way::Composite => (asked(5)?.0, asked(10)?.0),
            Way::Lexical | Way::Semantic | Way::Hybrid => (ranked.clone(), ranked.clone()),
        };
        let measures = [
            metrics::recall(&five, &relevant, 5),
            metrics::recall(&ten, &relevant, 10),
            metrics::recall(&ranked, &relevant, 20),
            metrics::ndcg(&ten, &relevant, 10),
            metrics::reciprocal_rank(&ranked, &relevant),
        ];
        answered.push(Answered {
            collection: collection.name.clone(),
            query: asking.query.clone(),
            category: asking.category.clone(),
            relevant,
            ranked,
            similarity,
            measures,
        });
        if !go_on() {
            break;
        }
    }
    Ok((answered, fallback))
}

/// The measures of many answered questions.
pub fn outcome(way: Way, each: Vec<Answered>, fallback: Option<String>) -> Outcome {
    let mut categories: BTreeMap<String, Vec<&Answered>> = BTreeMap::new();
    for answered in &each {
        categories.entry(answered.category.clone()).or_default().push(answered);
    }
    let by_category = categories.into_iter().map(|(name, some)| (name, measured(&some))).collect();
    let all = measured(&each.iter().collect::<Vec<_>>());
    Outcome { mode: way.word(), all, by_category, fallback, each }
}

fn measured(answered: &[&Answered]) -> Measures {
    let (right, none): (Vec<&&Answered>, Vec<&&Answered>) =
        answered.iter().partition(|answered| !answered.relevant.is_empty());
    let mean = |at: usize| {
        let sum: f64 = right.iter().map(|answered| answered.measures[at]).sum();
        if right.is_empty() { 0.0 } else { sum / right.len() as f64 }
    };
    let empty = |some: &[&&Answered]| {
        let count = some.iter().filter(|answered| answered.ranked.is_empty()).count();
        if some.is_empty() { 0.0 } else { count as f64 / some.len() as f64 }
    };
    Measures {
        questions: right.len(),
        recall_5: mean(0),
        recall_10: mean(1),
        recall_20: mean(2),
        ndcg_10: mean(3),
        mrr: mean(4),
        unanswerable: none.len(),
        empty_right: empty(&none),
        empty_wrong: empty(&right),
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(Error::failed(format!("reading {}", path.display())))
}

fn faulty(path: &Path, problem: impl std::fmt::Display) -> Error {
    Refusal::new(Code::Invalid, format!("{}: {problem}", path.display())).field("files").into()
}

/// LoCoMo: a collection per conversation, a text per turn, the questions of categories 1 to 4 whose evidence is there.
pub fn read_locomo(path: &Path) -> Result<Vec<Collection>> {
    let value: Value = serde_json::from_str(&read(path)?).map_err(|error| faulty(path, error))?;
    let conversations = value.as_array().ok_or_else(|| faulty(path, "expected a list of conversations"))?;
    conversations.iter().enumerate().map(|(at, one)| locomo_conversation(path, at, one)).collect()
}

fn locomo_conversation(path: &Path, at: usize, one: &Value) -> Result<Collection> {
    let name = one["sample_id"].as_str().map_or_else(|| format!("conversation {}", at + 1), str::to_owned);
    let talk = one["conversation"]
        .as_object()
        .ok_or_else(|| faulty(path, format!("{name} contains no conversation")))?;
    let mut collection = Collection { name, ..Collection::default() };
    for number in 1.. {
        let session = format!("session_{number}");
        let Some(turns) = talk.get(&session) else {
            if talk.keys().any(|key| session_number(key).is_some_and(|other| other > number)) {
                continue;
            }
            break;
        };
        let date = talk.get(&format!("{session}_date_time")).and_then(Value::as_str).unwrap_or_default();
        for (position, turn) in turns.as_array().into_iter().flatten().enumerate() {
            let (Some(id), Some(text)) = (turn["dia_id"].as_str(), turn["text"].as_str()) else { continue };
            let caption = turn["blip_caption"]
                .as_str()
                .map(|caption| format!(" [shares {caption}]"))
                .unwrap_or_default();
            let statement = format!("{text}{caption}");
            if statement.trim().is_empty() {
                continue;
            }
            let content = json!({
                "type": "experience",
                "statement": statement,
                "subject": turn["speaker"],
                "document": {"path": format!("{}/{session}", collection.name), "position": (position + 1).to_string()},
                "attributes": {"date": date},
            });
            collection.texts.push((id.to_owned(), content.as_object().cloned().unwrap_or_default()));
        }
    }
    for question in one["qa"].as_array().into_iter().flatten() {
        let category = question["category"].as_i64().unwrap_or(0);
        let Some(query) = question["question"].as_str().filter(|_| (1..=4).contains(&category)) else {
            continue;
        };
        let known = |name: &str| collection.texts.iter().any(|(id, _)| id == name);
        let mut relevant: Vec<String> = Vec::new();
        let cited = question["evidence"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for name in cited.flat_map(|text| text.split(|c: char| c == ';' || c == ',' || c.is_whitespace())) {
            if known(name) && !relevant.iter().any(|other| other == name) {
                relevant.push(name.to_owned());
            }
        }
        if !relevant.is_empty() {
            let category = category.to_string();
            collection.questions.push(Asking { query: query.to_owned(), relevant, category });
        }
    }
    Ok(collection)
}

fn session_number(key: &str) -> Option<u32> {
    key.strip_prefix("session_")?.parse().ok()
}

/// Pairs: a line of JSON for each text, and one for each question.
pub fn read_pairs(docs: &Path, queries: &Path) -> Result<Collection> {
    let mut collection = Collection {
        name: docs.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        ..Collection::default()
    };
    let mut known = HashSet::new();
    for (number, line) in lines(docs)? {
        let id = name_of(&line["id"]).ok_or_else(|| faulty(docs, format!("line {number} has no id")))?;
        let text = line["text"].as_str().filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| faulty(docs, format!("line {number} has no text")))?;
        if !known.insert(id.clone()) {
            return Err(faulty(docs, format!("line {number} repeats the id {id:?}")));
        }
        collection.texts.push((id, pair_content(text, &line)));
    }
    for (number, line) in lines(queries)? {
        let query =
            line["query"].as_str().ok_or_else(|| faulty(queries, format!("line {number} has no query")))?;
        let relevant = line["relevant"].as_array();
        let relevant =
            relevant.ok_or_else(|| faulty(queries, format!("line {number} has no list `relevant`")))?;
        let relevant: Vec<String> = relevant.iter().filter_map(name_of).collect();
        if let Some(odd) = relevant.iter().find(|name| !known.contains(*name)) {
            return Err(faulty(queries, format!("line {number}: no text has the id {odd:?}")));
        }
        let category = line["category"].as_str().unwrap_or("all").to_owned();
        collection.questions.push(Asking { query: query.to_owned(), relevant, category });
    }
    Ok(collection)
}

fn name_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn lines(path: &Path) -> Result<Vec<(usize, Value)>> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            let value = serde_json::from_str(line)
                .map_err(|error| faulty(path, format!("line {}: {error}", at + 1)))?;
            Ok((at + 1, value))
        })
        .collect()
}

/// A text of a pair as an entry. What is longer than a claim may be goes to `detail` as well, whole.
fn pair_content(text: &str, line: &Value) -> Map<String, Value> {
    const CLAIM_CHARS: usize = ken_core::limits::STATEMENT_CHARS_MAX - 100;
    let mut content = Map::new();
    let kind = line["type"]
        .as_str()
        .filter(|kind| !matches!(*kind, "entity" | "relationship"))
        .unwrap_or("experience");
    // Facts are claims here: what makes an entity one plays no part in finding it.
    let norm = matches!(kind, "commit_norm" | "pr_expectation" | "user_expectation" | "risk_tier");
    content.insert("type".into(), kind.into());
    let claim = match text.char_indices().nth(CLAIM_CHARS) {
        Some((end, _)) => {
            content.insert("detail".into(), text.into());
            &text[..end]
        }
        None => text,
    };
    content.insert(
        if norm {
            "rule"
        } else if kind == "spike" {
            "hypothesis"
        } else {
            "statement"
        }
        .into(),
        claim.into(),
    );
    for name in ["title", "subject", "tags", "domains", "summary", "detail"] {
        if let Some(value) = line.get(name).filter(|value| !value.is_null()) {
            content.insert(name.into(), value.clone());
        }
    }
    if let Some(path) = line["path"].as_str() {
        content.insert("anchors".into(), json!([path]));
    }
    if let Some(date) = line["date"].as_str() {
        content.insert("attributes".into(), json!({ "date": date }));
    }
    if let (Some(document), Some(position)) = (line["document"].as_str(), line["position"].as_u64()) {
        content.insert("document".into(), json!({"path": document, "position": position.to_string()}));
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_questions_is_spread_over_the_collection() {
        let sampled = |count: usize, most: usize| {
            let question =
                |at: usize| Asking { query: at.to_string(), relevant: Vec::new(), category: String::new() };
            let mut collection =
                Collection { questions: (0..count).map(question).collect(), ..Collection::default() };
            collection.sample_questions(most);
            collection.questions.into_iter().map(|asking| asking.query).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(sampled(10, 3), "3 6 9");
        assert_eq!(sampled(3, 10), "0 1 2");
        assert_eq!(sampled(3, 0), "");
    }
}
