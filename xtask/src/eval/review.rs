//! The suite `review`: whether a finding is matched with the entry that says the same, and with no other, over labelled pairs.
//!
//! It fails when a target is missed: a wrong match confirms what nobody found, and nothing shows that it did.

use ken_core::finding::{Finding, Known, Match, Sought};
use ken_core::kinds::{Polarity, Type};
use ken_embed::Model;
use serde_json::Value;

use super::guard::again_in_release;
use crate::context::{Context, Failure, Outcome, failed};
use crate::page;

/// Where the tables are kept.
const PAGE: &str = "docs/internals/review-quality.md";
/// The pairs.
const PAIRS: &str = "evals/review/pairs.jsonl";

const USAGE: &str = "usage: cargo xtask eval review [--reasons] [--write]";

/// Of what is called the same, the share that is, in percent.
const PRECISION_MIN: f64 = 95.0;
/// Of what is the same, the share that is called so, in percent.
const RECALL_MIN: f64 = 80.0;

/// One pair.
struct Pair {
    id: String,
    split: String,
    same: bool,
    why: String,
    finding: Finding,
    entry: Entry,
}

/// As much of an entry as is compared.
#[derive(PartialEq)]
struct Entry {
    title: String,
    statement: String,
    anchors: Vec<String>,
    kind: Option<Type>,
    polarity: Option<Polarity>,
}

impl Entry {
    fn known(&self) -> Known<'_> {
        let places = self.anchors.iter().map(String::as_str).collect();
        let (title, statement) = (self.title.as_str().into(), self.statement.as_str().into());
        Known::new(title, statement, places, self.kind, self.polarity, Vec::new())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Request {
    reasons: bool,
    write: bool,
}

pub(super) fn run(context: &Context, arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    if cfg!(debug_assertions) {
        return again_in_release(context, &["eval", "review"], arguments);
    }
    let text = std::fs::read_to_string(context.root.join(PAIRS))
        .map_err(|error| Failure::Failed(format!("cannot read {PAIRS}: {error}")))?;
    let pairs = read(&text)?;
    let Some(model) = Model::bundled() else { return failed("this was built without the bundled model") };
    let meaning = |text: String| model.embed(&text);
    let found: Vec<_> = pairs.iter().map(|pair| meaning(pair.finding.meaning())).collect();
    let known: Vec<_> =
        pairs.iter().map(|pair| meaning(format!("{}. {}", pair.entry.title, pair.entry.statement))).collect();
    let cosine = |one: usize, other: usize| -> f64 {
        found[one].iter().zip(&known[other]).map(|(a, b)| f64::from(a * b)).sum()
    };

    let mut splits: Vec<&str> = pairs.iter().map(|pair| pair.split.as_str()).collect();
    splits.dedup();
    splits.sort_unstable();
    splits.dedup();
    splits.push("all");
    let (mut rows, mut wrong, mut missed) = (Vec::new(), String::new(), Vec::new());
    for (word, with_model) in [("bundled model", true), ("words alone", false)] {
        let cosine = |one: usize, other: usize| with_model.then(|| cosine(one, other));
        let answers: Vec<Match> = (0..pairs.len())
            .map(|at| Sought::of(&pairs[at].finding).matching(&pairs[at].entry.known(), cosine(at, at)))
            .collect();
        for split in &splits {
            let of = |at: &usize| *split == "all" || pairs[*at].split == *split;
            let count =
                Count::of((0..pairs.len()).filter(of).map(|at| (pairs[at].same, answers[at].is_same)));
            let (strangers, asked) = strangers(&pairs, &of, &cosine);
            let target = *split == "all";
            let met = count.precision() >= PRECISION_MIN && count.recall() >= RECALL_MIN;
            if target && !met {
                missed.push(word);
            }
            rows.push([
                word.to_owned(),
                (*split).to_owned(),
                count.pairs.to_string(),
                format!("{:.1} %", count.precision()),
                format!("{:.1} %", count.recall()),
                count.wrong.to_string(),
                format!("{strangers} of {asked}"),
                if !target {
                    ""
                } else if met {
                    "yes"
                } else {
                    "**no**"
                }
                .to_owned(),
            ]);
        }
        wrong.push_str(&list(word, &pairs, &answers, request.reasons));
    }
    let text = format!(
        "```sh\ncargo xtask eval review --write\n```\n\n{}",
        page::table(
            ["With", "Pairs of", "Pairs", "Precision", "Recall", "Wrong", "Strangers matched", "Met"],
            &rows
        )
    );
    println!("{wrong}\n{text}");
    println!(
        "targets over all pairs: precision at least {PRECISION_MIN} % at a recall of at least {RECALL_MIN} %"
    );
    if request.write {
        page::put(&context.root.join(PAGE), "eval review", &text)?;
        println!("wrote {PAGE}");
    }
    match missed.as_slice() {
        [] => Ok(()),
        missed => failed(format!("the targets are missed with {}", missed.join(" and with "))),
    }
}

/// How often a finding is matched with an entry of another story, and how often that was asked.
fn strangers(
    pairs: &[Pair],
    of: &dyn Fn(&usize) -> bool,
    cosine: &dyn Fn(usize, usize) -> Option<f64>,
) -> (usize, usize) {
    let mut entries: Vec<usize> = Vec::new();
    for at in (0..pairs.len()).filter(of) {
        if !entries.iter().any(|known| pairs[*known].entry == pairs[at].entry) {
            entries.push(at);
        }
    }
    let known: Vec<(usize, Known<'_>)> = entries.iter().map(|at| (*at, pairs[*at].entry.known())).collect();
    let (mut matched, mut asked) = (0, 0);
    for at in (0..pairs.len()).filter(of) {
        let sought = Sought::of(&pairs[at].finding);
        for (entry, known) in known.iter().filter(|(entry, _)| pairs[*entry].entry != pairs[at].entry) {
            asked += 1;
            if sought.matching(known, cosine(at, *entry)).is_same {
                matched += 1;
            }
        }
    }
    (matched, asked)
}

fn list(word: &str, pairs: &[Pair], answers: &[Match], reasons: bool) -> String {
    let mut text = String::new();
    for (pair, answer) in pairs.iter().zip(answers).filter(|(pair, answer)| pair.same != answer.is_same) {
        let what = if answer.is_same { "wrongly matched" } else { "missed" };
        text.push_str(&format!(
            "{word}: {what} {} ({}, {}, {:.2}): {} | {}\n",
            pair.id, pair.split, pair.why, answer.score, pair.finding.title, pair.entry.title
        ));
        if reasons {
            text.push_str(&format!("    {}\n", answer.reasons.join("; ")));
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
    fn of(answers: impl Iterator<Item = (bool, bool)>) -> Count {
        let mut count = Count::default();
        for (same, told) in answers {
            count.pairs += 1;
            match (same, told) {
                (true, true) => count.right += 1,
                (false, true) => count.wrong += 1,
                (true, false) => count.missed += 1,
                (false, false) => {}
            }
        }
        count
    }

    fn precision(&self) -> f64 {
        100.0 * self.right as f64 / (self.right + self.wrong).max(1) as f64
    }

    fn recall(&self) -> f64 {
        100.0 * self.right as f64 / (self.right + self.missed).max(1) as f64
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
    let word =
        |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| "a text is missing".to_owned());
    let report = ken_core::finding::read::read_value(&Value::Array(vec![row["finding"].clone()]));
    let finding = report.map_err(|refusal| refusal.message)?.findings.remove(0);
    let entry = &row["entry"];
    let anchors = entry["anchors"].as_array().into_iter().flatten().map(word);
    Ok(Pair {
        id: word(&row["id"])?,
        split: word(&row["split"])?,
        same: row["same"].as_bool().ok_or("`same` is missing")?,
        why: word(&row["why"])?,
        finding,
        entry: Entry {
            title: word(&entry["title"])?,
            statement: word(&entry["statement"])?,
            anchors: anchors.collect::<Result<_, _>>()?,
            kind: Type::from_word(&word(&entry["type"])?),
            polarity: entry["polarity"].as_str().and_then(Polarity::from_word),
        },
    })
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let mut request = Request::default();
    for argument in arguments {
        match argument.as_str() {
            "--reasons" => request.reasons = true,
            "--write" => request.write = true,
            other => return Err(Failure::Usage(format!("`eval review` does not know `{other}`\n{USAGE}"))),
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_can_be_read_and_nearly_half_are_the_same() {
        let pairs = read(include_str!("../../../evals/review/pairs.jsonl")).unwrap();
        let same = pairs.iter().filter(|pair| pair.same).count();
        assert!(pairs.len() >= 240 && same * 100 >= pairs.len() * 45, "{same} of {}", pairs.len());
        assert_eq!(parse(&["--wrong".to_owned()]).unwrap_err().exit_code(), 2);
    }
}
