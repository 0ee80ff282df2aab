//! The suite `review`: whether a finding is matched with the entry that says the same, and with no other, over labelled pairs.
//!
//! It fails when a target is missed: a wrong match confirms what nobody found, and nothing shows that it did.

use ken_core::finding::{Finding, KnownEntry, Match, Sought};
use ken_core::kinds::{Polarity, Type};
use ken_embed::Model;
use serde_json::Value;

use super::pairs::{Count, need, read_file, splits};
use crate::context::{Failure, failed};
use crate::harness::Suite;
use crate::harness::arguments::{Flag, Takes};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::page;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/review-quality.md"),
    flags: &[Flag { name: "--reasons", takes: Takes::Nothing }],
    ..Suite::evaluation("review", run)
};

const PAIRS: &str = "evals/review/pairs.jsonl";

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
    fn known(&self) -> KnownEntry {
        let places = self.anchors.clone();
        KnownEntry::new(&self.title, &self.statement, places, self.kind, self.polarity, None)
    }
}

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let pairs = read_file(&session.context.root, PAIRS, pair)?;
    let Some(model) = Model::bundled() else { return failed("this was built without the bundled model") };
    let embedded = |text: String| model.embed(&text);
    let found: Vec<_> = pairs.iter().map(|pair| embedded(pair.finding.meaning())).collect();
    let known: Vec<_> = pairs
        .iter()
        .map(|pair| embedded(format!("{}. {}", pair.entry.title, pair.entry.statement)))
        .collect();
    let cosine = |one: usize, other: usize| -> f64 {
        found[one].iter().zip(&known[other]).map(|(a, b)| f64::from(a * b)).sum()
    };
    let (mut rows, mut figures) = (Vec::new(), Vec::new());
    for (word, with_model, names) in [
        ("bundled model", true, ["review.precision", "review.recall"]),
        ("words alone", false, ["review.precision_words", "review.recall_words"]),
    ] {
        let cosine = |one: usize, other: usize| with_model.then(|| cosine(one, other));
        let answers: Vec<Match> = (0..pairs.len())
            .map(|at| {
                Sought::from_finding(&pairs[at].finding).matching(&pairs[at].entry.known(), cosine(at, at))
            })
            .collect();
        for split in splits(pairs.iter().map(|pair| pair.split.as_str())) {
            let of = |at: &usize| split == "all" || pairs[*at].split == split;
            let count =
                Count::new((0..pairs.len()).filter(of).map(|at| (pairs[at].same, answers[at].is_same)));
            let (strangers, asked) = strangers(&pairs, &of, &cosine);
            if split == "all" {
                figures.push(Figure::new(names[0], count.precision()).at(count.pairs));
                figures.push(Figure::new(names[1], count.recall()).at(count.pairs));
            }
            rows.push([
                word.to_owned(),
                split.to_owned(),
                count.pairs.to_string(),
                format!("{:.1} %", count.precision()),
                format!("{:.1} %", count.recall()),
                count.wrong.to_string(),
                format!("{strangers} of {asked}"),
            ]);
        }
        print!("{}", list(word, &pairs, &answers, session.flags.has("--reasons")));
    }
    // Words alone are what the model is held against.
    if let [precision, recall, words_precision, words_recall] = &mut figures[..] {
        for (with, without) in [(precision, words_precision), (recall, words_recall)] {
            *with = with.clone().floor("words alone", without.value);
        }
    }
    let head = ["With", "Pairs of", "Pairs", "Precision", "Recall", "Wrong", "Strangers matched"];
    Ok(Report { tables: page::table(head, &rows), ..Report::new(figures) })
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
    let known: Vec<(usize, KnownEntry)> = entries.iter().map(|at| (*at, pairs[*at].entry.known())).collect();
    let (mut matched, mut asked) = (0, 0);
    for at in (0..pairs.len()).filter(of) {
        let sought = Sought::from_finding(&pairs[at].finding);
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

fn pair(row: &Value) -> Result<Pair, String> {
    let word =
        |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| "a text is missing".to_owned());
    let report = ken_core::finding::read::read_value(&Value::Array(vec![row["finding"].clone()]));
    let finding = report.map_err(|refusal| refusal.message)?.findings.remove(0);
    let entry = &row["entry"];
    let anchors = entry["anchors"].as_array().into_iter().flatten().map(word);
    Ok(Pair {
        id: need(row, "id")?,
        split: need(row, "split")?,
        same: row["same"].as_bool().ok_or("`same` is missing")?,
        why: need(row, "why")?,
        finding,
        entry: Entry {
            title: need(entry, "title")?,
            statement: need(entry, "statement")?,
            anchors: anchors.collect::<Result<_, _>>()?,
            kind: Type::from_word(&need(entry, "type")?),
            polarity: entry["polarity"].as_str().and_then(Polarity::from_word),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::pairs::read;

    #[test]
    fn every_pair_can_be_read_and_nearly_half_are_the_same() {
        let pairs = read(PAIRS, include_str!("../../../evals/review/pairs.jsonl"), pair).unwrap();
        let same = pairs.iter().filter(|pair| pair.same).count();
        assert!(pairs.len() >= 240 && same * 100 >= pairs.len() * 45, "{same} of {}", pairs.len());
    }
}
