//! `eval judge`: how well a judge tells pairs apart that people labelled, and what that costs.

use ken_core::contradiction::{Norm, between};
use ken_core::similar::{Claim, differences};
use ken_core::{Code, Refusal};
use ken_engine::Caller;
use ken_engine::judge::{Relate, Relation};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::judge::{JudgeUse, Unanswered, no_judge};
use crate::{ModelsInUse, Result, Site};

const DEDUP: &str = include_str!("../../../evals/dedup/pairs.jsonl");
const NORMS: &str = include_str!("../../../evals/norms/pairs.jsonl");
const REVIEW: &str = include_str!("../../../evals/review/pairs.jsonl");

/// The judge that needs no model.
pub const RULES: &str = "rules";

/// Two texts and what a person says of them.
struct Pair {
    first: String,
    second: String,
    holds: bool,
}

/// Pairs of one kind: what is asked of each, and how rules answer.
struct Set {
    name: &'static str,
    sought: Relation,
    pairs: Vec<Pair>,
    rules: fn(&Pair) -> bool,
}

/// How a judge did on one set.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgedSet {
    pub set: &'static str,
    /// What was sought: pairs that are `same`, or that `contradicts`.
    pub sought: Relation,
    pub pairs: usize,
    /// Of those that the judge named, the share that is one; none where it named none.
    pub precision: Option<f64>,
    /// Of those that are one, the share that the judge named.
    pub recall: Option<f64>,
    /// Pairs that it gave no answer to.
    pub unanswered: usize,
}

/// What `eval judge` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvalJudgeAnswer {
    pub judge: String,
    pub sets: Vec<JudgedSet>,
    /// What it cost; none for rules, and where every answer was kept from before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<JudgeUse>,
    /// Why it stopped before the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// Asks a judge about labelled pairs, so many of each set, evenly spread.
pub fn eval_judge(
    site: &Site,
    models: &ModelsInUse,
    caller: &Caller,
    judge: &str,
    limit: usize,
) -> Result<EvalJudgeAnswer> {
    let sets = sets();
    if judge == RULES {
        let judged = sets.iter().map(|set| {
            let answers = set.spread(limit).map(|pair| (pair.holds, Some((set.rules)(pair))));
            set.judged(answers.collect())
        });
        let sets = judged.collect();
        return Ok(EvalJudgeAnswer { judge: RULES.to_owned(), sets, cost: None, stopped: None });
    }
    if judge != "model" {
        return Err(Refusal::new(Code::Invalid, format!("there is no judge {judge:?}"))
            .hint("judges: rules, model (the one of judge.kind and judge.model)")
            .field("judge")
            .into());
    }
    let mut judge =
        crate::judge::judge_within_budget(site, models, caller).map_err(|why| no_judge(why.text()))?;
    let (mut judged, mut stopped) = (Vec::new(), None);
    for set in &sets {
        let mut answers = Vec::new();
        for pair in set.spread(limit) {
            if stopped.is_some() {
                break;
            }
            match judge.ask(&Relate { first: &pair.first, second: &pair.second }) {
                Ok(ruling) => answers.push((pair.holds, Some(ruling.answer == set.sought))),
                Err(Unanswered::Unusable(_)) => answers.push((pair.holds, None)),
                Err(why) => stopped = Some(why.text().to_owned()),
            }
        }
        judged.push(set.judged(answers));
    }
    let (name, cost) = (judge.name().to_owned(), JudgeUse::of(&judge.used));
    Ok(EvalJudgeAnswer { judge: name, sets: judged, cost, stopped })
}

impl Set {
    /// So many pairs, evenly spread; 0 for all.
    fn spread(&self, limit: usize) -> impl Iterator<Item = &Pair> {
        let wanted = if limit == 0 { self.pairs.len() } else { limit.min(self.pairs.len()) };
        (0..wanted).map(move |at| &self.pairs[at * self.pairs.len() / wanted])
    }

    fn judged(&self, answers: Vec<(bool, Option<bool>)>) -> JudgedSet {
        let count = |wanted: &dyn Fn(bool, Option<bool>) -> bool| {
            answers.iter().filter(|(holds, said)| wanted(*holds, *said)).count()
        };
        let right = count(&|holds, said| holds && said == Some(true));
        let named = count(&|_, said| said == Some(true));
        let there = count(&|holds, _| holds);
        let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        JudgedSet {
            set: self.name,
            sought: self.sought,
            pairs: answers.len(),
            precision: share(right, named),
            recall: share(right, there),
            unanswered: count(&|_, said| said.is_none()),
        }
    }
}

fn sets() -> [Set; 3] {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let read = |lines: &str, pair: &dyn Fn(&Value) -> Pair| -> Vec<Pair> {
        lines
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .map(|row: Value| pair(&row))
            .collect()
    };
    [
        Set {
            name: "dedup",
            sought: Relation::Same,
            pairs: read(DEDUP, &|row| Pair {
                first: text(&row["a"]),
                second: text(&row["b"]),
                holds: row["same"] == true,
            }),
            rules: is_same,
        },
        Set {
            name: "norms",
            sought: Relation::Contradicts,
            pairs: read(NORMS, &|row| Pair {
                first: row["a"].to_string(),
                second: row["b"].to_string(),
                holds: row["contradicts"] == true,
            }),
            rules: contradicts,
        },
        Set {
            name: "review",
            sought: Relation::Same,
            pairs: read(REVIEW, &|row| {
                let joined = |value: &Value, rest: &str| {
                    format!("{}. {}", text(&value["title"]), text(&value[rest])).trim().to_owned()
                };
                Pair {
                    first: joined(&row["finding"], "text"),
                    second: joined(&row["entry"], "statement"),
                    holds: row["same"] == true,
                }
            }),
            rules: is_same,
        },
    ]
}

/// By the words alone: nothing that matters is different.
fn is_same(pair: &Pair) -> bool {
    differences(&Claim::plain(&pair.first), &Claim::plain(&pair.second)).is_empty()
}

/// By what rules read of two norms.
fn contradicts(pair: &Pair) -> bool {
    let written = |text: &str| serde_json::from_str::<Written>(text).unwrap_or_default();
    let (one, other) = (written(&pair.first), written(&pair.second));
    between(&one.norm(), &other.norm()).is_some()
}

/// A norm as the pairs write it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Written {
    rule: String,
    subject: Option<String>,
    merge_key: Option<String>,
    enforcement: Option<Value>,
    exceptions: Vec<String>,
    scope: String,
}

impl Written {
    fn norm(&self) -> Norm<'_> {
        Norm {
            id: "",
            kind: None,
            rule: &self.rule,
            subject: self.subject.as_deref(),
            merge_key: self.merge_key.as_deref(),
            enforcement: self.enforcement.as_ref(),
            exceptions: &self.exceptions,
            scope: &self.scope,
        }
    }
}
