//! Our answers beside those of plainer ways, question by question.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use ken_recall::metrics;
use kenning::evaluate::{self, Collection};
use serde_json::{Value, json};

use crate::Outcome;
use crate::baselines::{Bm25, Fts, Texts};

/// What the place of an answer counts at most in a fusion by rank.
const FUSION_K: f64 = 60.0;
/// Draws of the interval, and where they begin.
const RESAMPLES: usize = 2_000;
const SEED: u64 = 2_026;
/// Where recall at 10 is among a question's measures.
const RECALL_10: usize = 1;

/// The measures of each question, by way: recall at 5, 10 and 20, nDCG at 10, reciprocal rank.
type Measures = BTreeMap<String, Vec<[f64; 5]>>;

/// Measures FTS5, BM25 and a fusion by rank over the questions that `ken eval` answered (`each` is what it wrote).
pub fn compare(format: &str, each: &str, questions: usize, files: &[&str]) -> Outcome {
    let mut collections = match (format, files) {
        ("locomo", [file]) => evaluate::read_locomo(Path::new(file))?,
        ("pairs", [docs, queries]) => vec![evaluate::read_pairs(Path::new(docs), Path::new(queries))?],
        _ => return Err(format!("no collection is read from {format} {files:?}").into()),
    };
    collections.iter_mut().for_each(|collection| collection.sample_questions(questions));
    let mut measures = read_ours(each)?;
    for collection in &collections {
        plain(collection, &mut measures)?;
    }
    let differences = |one: &str, other: &str| -> Vec<f64> {
        let (one, other) = (&measures[one], &measures[other]);
        one.iter().zip(other).map(|(one, other)| one[RECALL_10] - other[RECALL_10]).collect()
    };
    let mean = |way: &str, at: usize| {
        let all = &measures[way];
        all.iter().map(|each| each[at]).sum::<f64>() / all.len().max(1) as f64
    };
    let better =
        if mean("lexical", RECALL_10) >= mean("semantic", RECALL_10) { "lexical" } else { "semantic" };
    let lower =
        |one: &str, other: &str| 100.0 * metrics::bootstrap_lower(&differences(one, other), RESAMPLES, SEED);
    let ways: Vec<Value> = measures
        .iter()
        .map(|(way, all)| {
            let means: Vec<f64> = (0..5).map(|at| mean(way, at)).collect();
            json!({"way": way, "questions": all.len(), "means": means})
        })
        .collect();
    Ok(json!({
        "ways": ways,
        "better_half": better,
        "hybrid_over_better_half_points": 100.0 * (mean("hybrid", RECALL_10) - mean(better, RECALL_10)),
        "hybrid_over_better_half_lower": lower("hybrid", better),
        "hybrid_over_fusion_points": 100.0 * (mean("hybrid", RECALL_10) - mean("fusion", RECALL_10)),
        "hybrid_over_fusion_lower": lower("hybrid", "fusion"),
        "composite_over_hybrid_points": 100.0 * (mean("composite", RECALL_10) - mean("hybrid", RECALL_10)),
    }))
}

/// What `ken eval retrieval --each` wrote, and the fusion of its lexical and its semantic list. Questions without an answer
/// have no measures.
fn read_ours(path: &str) -> Result<Measures, Box<dyn std::error::Error>> {
    let mut measures = Measures::new();
    let mut lists: HashMap<String, Vec<Answered>> = HashMap::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let line: Value = serde_json::from_str(line)?;
        let way = line["mode"].as_str().unwrap_or_default().to_owned();
        let answered = Answered {
            ranked: strings(&line["answered"]["ranked"]),
            relevant: strings(&line["answered"]["relevant"]),
        };
        if answered.relevant.is_empty() {
            continue;
        }
        let mut own = [0.0; 5];
        for (own, value) in own.iter_mut().zip(line["answered"]["measures"].as_array().into_iter().flatten())
        {
            *own = value.as_f64().unwrap_or(0.0);
        }
        measures.entry(way.clone()).or_default().push(own);
        lists.entry(way).or_default().push(answered);
    }
    let (Some(lexical), Some(semantic)) = (lists.get("lexical"), lists.get("semantic")) else {
        return Err("the modes lexical and semantic are both wanted".into());
    };
    let fused = lexical
        .iter()
        .zip(semantic)
        .map(|(one, other)| measured(&fuse(&[&one.ranked, &other.ranked]), &one.relevant));
    measures.insert("fusion".to_owned(), fused.collect());
    Ok(measures)
}

struct Answered {
    ranked: Vec<String>,
    relevant: Vec<String>,
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Reciprocal rank fusion.
fn fuse(lists: &[&[String]]) -> Vec<String> {
    let mut scores: BTreeMap<&str, f64> = BTreeMap::new();
    for list in lists {
        for (at, id) in list.iter().enumerate() {
            *scores.entry(id).or_default() += 1.0 / (FUSION_K + (at + 1) as f64);
        }
    }
    let mut ordered: Vec<(&str, f64)> = scores.into_iter().collect();
    // Stable, and ids come in order: equal ones stay in it.
    ordered.sort_by(|a, b| b.1.total_cmp(&a.1));
    ordered.into_iter().map(|(id, _)| id.to_owned()).collect()
}

fn plain(collection: &Collection, measures: &mut Measures) -> Result<(), Box<dyn std::error::Error>> {
    let texts = Texts::of(collection);
    let (fts, bm25) = (Fts::over(&texts)?, Bm25::over(&texts));
    for asking in &collection.questions {
        let relevant = texts.numbers(&asking.relevant);
        if relevant.is_empty() {
            continue;
        }
        for (way, ranked) in [("fts5", fts.ask(&asking.query)?), ("bm25", bm25.ask(&asking.query))] {
            measures.entry(way.to_owned()).or_default().push(measured(&ranked, &relevant));
        }
    }
    Ok(())
}

fn measured(ranked: &[String], relevant: &[String]) -> [f64; 5] {
    [
        metrics::recall(ranked, relevant, 5),
        metrics::recall(ranked, relevant, 10),
        metrics::recall(ranked, relevant, 20),
        metrics::ndcg(ranked, relevant, 10),
        metrics::reciprocal_rank(ranked, relevant),
    ]
}
