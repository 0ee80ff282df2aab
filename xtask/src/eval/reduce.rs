//! The suite `reduce`: which norms of three labelled guides are found, and what is taken for one and is none.
//!
//! It fails when a target is missed. With `--docs` it prints what is found in any document instead.

use std::collections::BTreeSet;

use ken_digest::{Candidate, Form, Markup, Place, Source, Voice, reduce};
use serde_json::Value;

use super::pairs::{percent, read_file};
use crate::context::{Failure, Outcome};
use crate::harness::Suite;
use crate::harness::arguments::{Flag, Takes};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::page;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/reduce-quality.md"),
    flags: &[
        Flag { name: "--wrong", takes: Takes::Nothing },
        Flag { name: "--docs", takes: Takes::Rest("PATH...") },
    ],
    optimised: false,
    ..Suite::evaluation("reduce", run)
};

/// Guides and labels.
const FOLDER: &str = "evals/reduce";
/// The guides; the last one was not looked at while rules were written.
const GUIDES: [&str; 3] = ["terse.md", "policy.md", "prose.md"];

/// The share of a gist's words that a candidate has to hold.
const SHARED_MIN: f64 = 0.6;

/// A line of a guide that is a norm, or looks like one.
struct Label {
    guide: String,
    lines: (u32, u32),
    /// Type and gist of a norm; none for what only looks like one.
    norm: Option<(String, String)>,
    quote: String,
}

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    if session.flags.has("--docs") {
        session.flags.values("--docs").try_for_each(print)?;
        return Ok(Report::default());
    }
    let root = &session.context.root;
    let labels = read_file(root, &format!("{FOLDER}/labels.jsonl"), |row| Ok(label(row)))?;
    let mut all = Count::default();
    let mut rows = Vec::new();
    for guide in GUIDES {
        let text = std::fs::read_to_string(root.join(FOLDER).join(guide))
            .map_err(|error| Failure::Failed(format!("cannot read {FOLDER}/{guide}: {error}")))?;
        let found = reduce(&Source::Document {
            path: guide,
            text: &text,
            form: Form { markup: Markup::Markdown, voice: Voice::Instructions },
        });
        let here: Vec<&Label> = labels.iter().filter(|label| label.guide == guide).collect();
        let (count, told) = judge(&here, &found);
        if session.flags.has("--wrong") {
            print!("{told}");
        }
        rows.push(count.row(guide));
        all.add(&count);
    }
    rows.push(all.row("all"));
    let figures = vec![
        Figure::new("reduce.precision", all.precision()).at(all.norms),
        Figure::new("reduce.recall", all.recall()).at(all.norms),
        Figure::new("reduce.typed", percent(all.typed, all.right)).at(all.norms),
    ];
    let head = ["Guide", "Norms", "Found", "Right", "Precision", "Recall", "Right type", "Look-alikes taken"];
    Ok(Report { tables: page::table(head, &rows), ..Report::new(figures) })
}

/// Prints what is found in a document.
fn print(path: &str) -> Outcome {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Failed(format!("cannot read {path}: {error}")))?;
    let form = Form::detect(path, &text);
    let found = reduce(&Source::Document { path, text: &text, form });
    println!("{path}: {} candidates, read as {:?}", found.len(), form.voice);
    for candidate in &found {
        println!(
            "  {}  {} [{}, {} %] {}",
            candidate.place, candidate.kind, candidate.cue, candidate.confidence, candidate.statement
        );
        if let Some(enforcement) = &candidate.enforcement {
            println!("      {enforcement}");
        }
    }
    Ok(())
}

#[derive(Default)]
struct Count {
    norms: usize,
    found: usize,
    right: usize,
    typed: usize,
    alike: usize,
    taken: usize,
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.norms += other.norms;
        self.found += other.found;
        self.right += other.right;
        self.typed += other.typed;
        self.alike += other.alike;
        self.taken += other.taken;
    }

    fn precision(&self) -> f64 {
        percent(self.right, self.found)
    }

    fn recall(&self) -> f64 {
        percent(self.right, self.norms)
    }

    fn row(&self, name: &str) -> [String; 8] {
        [
            name.to_owned(),
            self.norms.to_string(),
            self.found.to_string(),
            self.right.to_string(),
            format!("{:.1} %", self.precision()),
            format!("{:.1} %", self.recall()),
            format!("{:.1} %", percent(self.typed, self.right)),
            format!("{} of {}", self.taken, self.alike),
        ]
    }
}

/// Pairs candidates with labels, the best share of words first, each once.
fn judge(labels: &[&Label], found: &[Candidate]) -> (Count, String) {
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (at, candidate) in found.iter().enumerate() {
        for (number, label) in labels.iter().enumerate() {
            let Some((_, gist)) = &label.norm else { continue };
            let share = shared(gist, &candidate.statement);
            if overlaps(candidate, label) && share >= SHARED_MIN {
                pairs.push((share, at, number));
            }
        }
    }
    // Of two as good ones, the shorter candidate says less beside it.
    pairs.sort_by(|a, b| {
        b.0.total_cmp(&a.0).then(found[a.1].statement.len().cmp(&found[b.1].statement.len()))
    });
    let (mut right, mut taken) = (BTreeSet::new(), BTreeSet::new());
    let mut count = Count { found: found.len(), ..Count::default() };
    for (_, at, number) in pairs {
        if right.contains(&at) || taken.contains(&number) {
            continue;
        }
        right.insert(at);
        taken.insert(number);
        let same = labels[number].norm.as_ref().is_some_and(|(kind, _)| *kind == found[at].kind.word());
        count.typed += usize::from(same);
    }
    let mut told = String::new();
    for (at, candidate) in found.iter().enumerate().filter(|(at, _)| !right.contains(at)) {
        told.push_str(&format!("wrong  {} [{}] {}\n", found[at].place, candidate.cue, candidate.statement));
    }
    for (number, label) in labels.iter().enumerate() {
        match &label.norm {
            Some((_, gist)) => {
                count.norms += 1;
                if !taken.contains(&number) {
                    told.push_str(&format!("missed {}:{} {gist}\n", label.guide, label.lines.0));
                }
            }
            None => {
                count.alike += 1;
                let said = |candidate: &Candidate| {
                    overlaps(candidate, label) && plain(&candidate.quote).contains(&plain(&label.quote))
                };
                if let Some(candidate) = found.iter().find(|candidate| said(candidate)) {
                    count.taken += 1;
                    told.push_str(&format!(
                        "alike  {}:{} {}\n",
                        label.guide, label.lines.0, candidate.statement
                    ));
                }
            }
        }
    }
    count.right = right.len();
    (count, told)
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn overlaps(candidate: &Candidate, label: &Label) -> bool {
    match &candidate.place {
        Place::Lines { first, last, .. } => *first <= label.lines.1 && label.lines.0 <= *last,
        Place::Commit { .. } | Place::Pull { .. } => false,
    }
}

/// The share of a gist's content words that a statement holds.
fn shared(gist: &str, statement: &str) -> f64 {
    let (gist, statement) = (content(gist), content(statement));
    gist.iter().filter(|word| statement.contains(*word)).count() as f64 / gist.len().max(1) as f64
}

fn content(text: &str) -> BTreeSet<String> {
    // Verbs of duty say how much, and not what.
    const DUTY: [&str; 8] = ["must", "should", "shall", "need", "have", "has", "needs", "may"];
    let kept: Vec<&str> = text
        .split(|c: char| c.is_whitespace())
        .filter(|word| {
            let lower = word.to_lowercase();
            let lower = lower.trim_matches(|c: char| !c.is_alphanumeric());
            !ken_recall::terms::is_stop_word(lower) && !DUTY.contains(&lower)
        })
        .collect();
    ken_recall::terms::words(&kept.join(" ")).into_iter().map(|word| word.form).collect()
}

fn label(row: &Value) -> Label {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |value: &Value| value.as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
    Label {
        guide: word(&row["guide"]),
        lines: (line(&row["lines"][0]), line(&row["lines"][1])),
        norm: row.get("type").map(|kind| (word(kind), word(&row["gist"]))),
        quote: word(&row["quote"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_gist_are_compared_by_their_stems() {
        assert_eq!(
            shared("never edit files under vendor/ by hand", "Never edit the files under vendor/ by hand."),
            1.0
        );
        assert!(shared("sign off every commit", "Rebase on main before asking for review") < 0.5);
    }
}
