//! The suite `norms`: whether norms that cannot both be kept are told from those that can, over labelled pairs.
//!
//! It fails when too much of what is found is wrong: the gate blocks on it, and a person would have to find out why.

use std::time::Instant;

use ken_core::contradiction::{Contradiction, How, Norm, among, between};
use ken_core::kinds::Type;
use serde_json::Value;

use crate::context::{Context, Failure, Outcome, failed};
use crate::page;

/// Where the table is kept.
const PAGE: &str = "docs/internals/governance-quality.md";
/// The pairs.
const PAIRS: &str = "evals/norms/pairs.jsonl";

const USAGE: &str = "usage: cargo xtask eval norms [--reasons] [--write]";

/// Of what is called a contradiction, the share that is one, in percent.
const PRECISION_MIN: f64 = 98.0;
/// How many norms are compared with one another for the time it takes.
const MANY: usize = 2_000;

/// One pair.
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

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Request {
    reasons: bool,
    write: bool,
}

pub(super) fn run(context: &Context, arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    let text = std::fs::read_to_string(context.root.join(PAIRS))
        .map_err(|error| Failure::Failed(format!("cannot read {PAIRS}: {error}")))?;
    let pairs = read(&text)?;
    let found: Vec<Option<Contradiction>> =
        pairs.iter().map(|pair| between(&pair.a.norm(), &pair.b.norm())).collect();
    print!("{}", list(&pairs, &found, request.reasons));

    let mut splits: Vec<&str> = pairs.iter().map(|pair| pair.split.as_str()).collect();
    splits.sort_unstable();
    splits.dedup();
    splits.push("all");
    let mut rows = Vec::new();
    for split in splits {
        let of = |pair: &Pair| split == "all" || pair.split == split;
        rows.push(Count::of(&pairs, &found, of).row(split));
    }
    let mut kinds = Vec::new();
    for how in How::ALL {
        let asked = pairs.iter().filter(|pair| pair.kind == Some(how)).count();
        let told = pairs
            .iter()
            .zip(&found)
            .filter(|(pair, found)| pair.kind == Some(how) && found.is_some())
            .count();
        let named = found.iter().flatten().filter(|found| found.how == how).count();
        let wrong = pairs.iter().zip(&found).filter(|(pair, found)| {
            pair.kind.is_none() && found.as_ref().is_some_and(|found| found.how == how)
        });
        kinds.push([
            how.word().to_owned(),
            asked.to_string(),
            percent(told, asked),
            named.to_string(),
            wrong.count().to_string(),
        ]);
    }
    let text = format!(
        "```sh\ncargo xtask eval norms --write\n```\n\n{}\n{}",
        page::table(["Pairs of", "Pairs", "Contradict", "Found", "Wrong", "Precision", "Recall"], &rows),
        page::table(["In what", "Contradict", "Recall", "Called so", "Wrong"], &kinds),
    );
    println!("\n{text}");
    println!("{}", strangers(&pairs));
    println!("{}", clock(&pairs));
    if request.write {
        page::put(&context.root.join(PAGE), "eval norms", &text)?;
        println!("wrote {PAGE}");
    }
    let all = Count::of(&pairs, &found, |_| true);
    if all.right * 100 < (all.right + all.wrong) * PRECISION_MIN as usize {
        return failed(format!(
            "{} of {} contradictions are none: precision has to be at least {PRECISION_MIN} %",
            all.wrong,
            all.right + all.wrong
        ));
    }
    Ok(())
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
fn clock(pairs: &[Pair]) -> String {
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
    let build = if cfg!(debug_assertions) { "not optimised" } else { "optimised" };
    format!("{MANY} norms: {found} contradictions in {} ms ({build})", start.elapsed().as_millis())
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

#[derive(Default)]
struct Count {
    pairs: usize,
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Count {
    fn of(pairs: &[Pair], found: &[Option<Contradiction>], of: impl Fn(&Pair) -> bool) -> Count {
        let mut count = Count::default();
        for (pair, found) in pairs.iter().zip(found).filter(|(pair, _)| of(pair)) {
            count.pairs += 1;
            match (pair.kind.is_some(), found.is_some()) {
                (true, true) => count.right += 1,
                (false, true) => count.wrong += 1,
                (true, false) => count.missed += 1,
                (false, false) => {}
            }
        }
        count
    }

    fn row(&self, split: &str) -> [String; 7] {
        [
            split.to_owned(),
            self.pairs.to_string(),
            (self.right + self.missed).to_string(),
            self.right.to_string(),
            self.wrong.to_string(),
            percent(self.right, self.right + self.wrong),
            percent(self.right, self.right + self.missed),
        ]
    }
}

fn percent(part: usize, whole: usize) -> String {
    match whole {
        0 => "-".to_owned(),
        whole => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
    }
}

fn read(text: &str) -> Result<Vec<Pair>, Failure> {
    text.lines()
        .enumerate()
        .map(|(at, line)| {
            pair(line).map_err(|problem| Failure::Failed(format!("{PAIRS}, line {}: {problem}", at + 1)))
        })
        .collect()
}

fn pair(line: &str) -> Result<Pair, String> {
    let row: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
    let need = |value: &Value, name: &str| text(value, name).ok_or_else(|| format!("`{name}` is missing"));
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
    let kind = match (row["contradicts"].as_bool(), text(&row, "kind")) {
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
        split: need(&row, "split")?,
        kind,
        why: need(&row, "why")?,
        a: norm(&row["a"])?,
        b: norm(&row["b"])?,
    })
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let mut request = Request::default();
    for argument in arguments {
        match argument.as_str() {
            "--reasons" => request.reasons = true,
            "--write" => request.write = true,
            other => return Err(Failure::Usage(format!("`eval norms` does not know `{other}`\n{USAGE}"))),
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_can_be_read_and_nearly_half_contradict() {
        let pairs = read(include_str!("../../../evals/norms/pairs.jsonl")).unwrap();
        let contradict = pairs.iter().filter(|pair| pair.kind.is_some()).count();
        assert!(
            pairs.len() >= 160 && contradict * 100 >= pairs.len() * 40,
            "{contradict} of {}",
            pairs.len()
        );
        assert_eq!(parse(&["--wrong".to_owned()]).unwrap_err().exit_code(), 2);
    }
}
