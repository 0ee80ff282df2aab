//! The suite `norms`: whether norms that cannot both be kept are told from those that can, over labelled pairs.
//!
//! It fails when too much of what is found is wrong: the gate blocks on it, and a person would have to find out why.

use std::time::{Duration, Instant};

use ken_core::contradiction::{Contradiction, How, Norm, among, between};
use ken_core::kinds::Type;
use serde_json::Value;

use super::pairs::{Count, need, percent, read_file, splits};
use crate::context::Failure;
use crate::harness::Suite;
use crate::harness::arguments::{Flag, Takes};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::page;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/governance-quality.md"),
    flags: &[Flag { name: "--reasons", takes: Takes::Nothing }],
    optimised: false,
    ..Suite::evaluation("norms", run)
};

const PAIRS: &str = "evals/norms/pairs.jsonl";
/// How many norms are compared with one another for the time it takes.
const MANY: usize = 2_000;

struct Pair {
    split: String,
    /// In what they contradict each other, if they do.
    kind: Option<How>,
    why: String,
    a: Written,
    b: Written,
}

/// A norm as the pairs write it.
#[derive(Clone)]
struct Written {
    kind: Option<Type>,
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
            kind: self.kind,
            rule: &self.rule,
            subject: self.subject.as_deref(),
            merge_key: self.merge_key.as_deref(),
            enforcement: self.enforcement.as_ref(),
            exceptions: &self.exceptions,
            scope: &self.scope,
        }
    }
}

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let pairs = read_file(&session.context.root, PAIRS, pair)?;
    let found: Vec<Option<Contradiction>> =
        pairs.iter().map(|pair| between(&pair.a.norm(), &pair.b.norm())).collect();
    print!("{}", list(&pairs, &found, session.flags.has("--reasons")));
    let count = |split: &str| {
        let of = pairs.iter().zip(&found).filter(|(pair, _)| split == "all" || pair.split == split);
        Count::new(of.map(|(pair, found)| (pair.kind.is_some(), found.is_some())))
    };
    let rows: Vec<[String; 7]> = splits(pairs.iter().map(|pair| pair.split.as_str()))
        .iter()
        .map(|split| row(split, &count(split)))
        .collect();
    let kinds = How::ALL.map(|how| kind_row(how, &pairs, &found));
    println!("{}", strangers(&pairs));
    let all = count("all");
    let mut figures = vec![
        Figure::new("norms.precision", all.precision()).at(all.pairs),
        Figure::new("norms.recall", all.recall()).at(all.pairs),
    ];
    let clock = clock(&pairs);
    if !cfg!(debug_assertions) {
        figures.push(Figure::new("norms.clock", clock.as_secs_f64()).at(MANY));
    }
    let tables = format!(
        "{}\n{}",
        page::table(["Pairs of", "Pairs", "Contradict", "Found", "Wrong", "Precision", "Recall"], &rows),
        page::table(["In what", "Contradict", "Recall", "Called so", "Wrong"], &kinds),
    );
    Ok(Report { tables, ..Report::new(figures) })
}

fn row(split: &str, count: &Count) -> [String; 7] {
    [
        split.to_owned(),
        count.pairs.to_string(),
        (count.right + count.missed).to_string(),
        count.right.to_string(),
        count.wrong.to_string(),
        format!("{:.1} %", count.precision()),
        format!("{:.1} %", count.recall()),
    ]
}

/// One way to contradict.
fn kind_row(how: How, pairs: &[Pair], found: &[Option<Contradiction>]) -> [String; 5] {
    let asked = pairs.iter().filter(|pair| pair.kind == Some(how)).count();
    let both = || pairs.iter().zip(found);
    let right = both().filter(|(pair, found)| pair.kind == Some(how) && found.is_some()).count();
    let named = found.iter().flatten().filter(|found| found.how == how).count();
    let wrong = both()
        .filter(|(pair, found)| pair.kind.is_none() && found.as_ref().is_some_and(|found| found.how == how));
    [
        how.word().to_owned(),
        asked.to_string(),
        format!("{:.1} %", percent(right, asked)),
        named.to_string(),
        wrong.count().to_string(),
    ]
}

/// What is found between norms of different pairs. Nobody labelled these, so they are listed to be read.
fn strangers(pairs: &[Pair]) -> String {
    let norms: Vec<Norm<'_>> = pairs.iter().flat_map(|pair| [pair.a.norm(), pair.b.norm()]).collect();
    let found = among(&norms);
    let apart: Vec<&str> = found
        .iter()
        .filter(|(one, other, _)| one / 2 != other / 2)
        .map(|(_, _, found)| found.why.as_str())
        .collect();
    let compared = norms.len() * (norms.len() - 1) / 2 - pairs.len();
    let lines: String = apart.iter().map(|why| format!("    {why}\n")).collect();
    format!("between norms of different pairs: {} of {compared}, not labelled\n{lines}", apart.len())
}

/// How long it takes to look through many norms, all of them different.
fn clock(pairs: &[Pair]) -> Duration {
    let rules: Vec<String> = (0..MANY)
        .map(|at| {
            let pair = &pairs[at % pairs.len()];
            let rule = if (at / pairs.len()).is_multiple_of(2) { &pair.a.rule } else { &pair.b.rule };
            format!("{} in part{}", rule.trim_end_matches('.'), at / pairs.len() / 2)
        })
        .collect();
    let norms: Vec<Norm<'_>> = rules
        .iter()
        .enumerate()
        .map(|(at, rule)| Norm { rule, ..pairs[at % pairs.len()].a.norm() })
        .collect();
    let start = Instant::now();
    let found = among(&norms).len();
    let took = start.elapsed();
    let build = if cfg!(debug_assertions) { "not optimised" } else { "optimised" };
    println!("{MANY} norms: {found} contradictions in {} ms ({build})", took.as_millis());
    took
}

fn list(pairs: &[Pair], found: &[Option<Contradiction>], reasons: bool) -> String {
    let mut text = String::new();
    for (pair, found) in pairs.iter().zip(found) {
        let what = match (pair.kind, found) {
            (None, Some(_)) => "wrongly found",
            (Some(_), None) => "missed",
            (Some(_), Some(_)) if reasons => "found",
            (Some(_), Some(_)) | (None, None) => continue,
        };
        text.push_str(&format!("{what} ({}, {}): {} | {}\n", pair.split, pair.why, pair.a.rule, pair.b.rule));
        if let Some(found) = found {
            text.push_str(&format!("    {}: {}\n", found.how.word(), found.why));
        }
    }
    text
}

fn pair(row: &Value) -> Result<Pair, String> {
    let text = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
    let norm = |value: &Value| -> Result<Written, String> {
        let exceptions = value["exceptions"].as_array().into_iter().flatten();
        Ok(Written {
            kind: value["type"].as_str().and_then(Type::from_word),
            rule: need(value, "rule")?,
            subject: text(value, "subject"),
            merge_key: text(value, "merge_key"),
            enforcement: value.get("enforcement").cloned(),
            exceptions: exceptions.filter_map(Value::as_str).map(str::to_owned).collect(),
            scope: text(value, "scope").unwrap_or_default(),
        })
    };
    let kind = match (row["contradicts"].as_bool(), text(row, "kind")) {
        (Some(true), Some(word)) => Some(
            How::ALL
                .into_iter()
                .find(|how| how.word() == word)
                .ok_or(format!("there is no kind `{word}`"))?,
        ),
        (Some(false), None) => None,
        (Some(_), _) => return Err("a pair that contradicts has a `kind`, and no other has".to_owned()),
        (None, _) => return Err("`contradicts` is missing".to_owned()),
    };
    Ok(Pair {
        split: need(row, "split")?,
        kind,
        why: need(row, "why")?,
        a: norm(&row["a"])?,
        b: norm(&row["b"])?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::pairs::read;

    #[test]
    fn every_pair_can_be_read_and_nearly_half_contradict() {
        let pairs = read(PAIRS, include_str!("../../../evals/norms/pairs.jsonl"), pair).unwrap();
        let contradict = pairs.iter().filter(|pair| pair.kind.is_some()).count();
        assert!(
            pairs.len() >= 160 && contradict * 100 >= pairs.len() * 40,
            "{contradict} of {}",
            pairs.len()
        );
    }
}
