//! The sets of texts and questions: ours, and two that are found outside of the repository where somebody has them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ken_guard::sanitize::{self, Here, Lists, Scope};

use super::pairs;
use crate::context::{Context, Failure, describe, failed};

/// Names the folder whose subfolder `corpora` has the sets that are not ours to hand out.
pub(super) const VARIABLE: &str = "KEN_CORPORA";

/// A set that can be asked.
pub(super) struct Set {
    pub(super) name: Name,
    /// As `ken eval retrieval --format` takes it.
    pub(super) format: &'static str,
    pub(super) files: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Name {
    Fixture,
    Locomo,
    Cosqa,
}

impl Name {
    pub(super) fn word(self) -> &'static str {
        match self {
            Name::Fixture => "fixture",
            Name::Locomo => "LoCoMo",
            Name::Cosqa => "CoSQA",
        }
    }
}

/// What there is to ask.
#[derive(Default)]
pub(super) struct Found {
    pub(super) sets: Vec<Set>,
    /// What was done to some of them.
    pub(super) notes: Vec<String>,
    /// A sentence for each that is not here.
    pub(super) skipped: Vec<String>,
}

/// The sets that are here, and a sentence for each that is not.
pub(super) fn find(context: &Context, scratch: &Path) -> Result<Found, Failure> {
    let ours = context.root.join("evals/recall");
    let files = vec![ours.join("entries.jsonl"), ours.join("queries.jsonl")];
    let mut sets = vec![Set { name: Name::Fixture, format: "pairs", files }];
    let (mut notes, mut skipped) = (Vec::new(), Vec::new());
    let Some(folder) = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) else {
        skipped.push(format!("LoCoMo and CoSQA were SKIPPED: {VARIABLE} is not set"));
        return Ok(Found { sets, notes, skipped });
    };
    let corpora = PathBuf::from(folder).join("corpora");
    let locomo = corpora.join("locomo/locomo_dev4.json");
    if locomo.is_file() {
        sets.push(Set { name: Name::Locomo, format: "locomo", files: vec![locomo] });
    } else {
        skipped.push(format!("LoCoMo was SKIPPED: {VARIABLE} has no corpora/locomo/locomo_dev4.json"));
    }
    let (packed, queries) = (corpora.join("cosqa/docs.jsonl.gz"), corpora.join("cosqa/queries_dev.jsonl"));
    if packed.is_file() && queries.is_file() {
        let docs = scratch.join("cosqa.jsonl");
        unpack(&packed, &docs)?;
        let changed = leave_out_places(&docs)?;
        notes.push(format!(
            "CoSQA: {changed} texts name places that a store refuses; these words are left out"
        ));
        sets.push(Set { name: Name::Cosqa, format: "pairs", files: vec![docs, queries] });
    } else {
        let wanted = "corpora/cosqa/docs.jsonl.gz and queries_dev.jsonl";
        skipped.push(format!("CoSQA was SKIPPED: {VARIABLE} lacks {wanted}"));
    }
    Ok(Found { sets, notes, skipped })
}

/// Leaves out the words for which a store would refuse a text (IN-4), and tells how many texts have some. Code of others is full of paths and
/// hosts, and one refused text ends the evaluation.
fn leave_out_places(docs: &Path) -> Result<usize, Failure> {
    let trouble = |error: std::io::Error| Failure::Failed(format!("cannot prepare CoSQA: {error}"));
    let text = fs::read_to_string(docs).map_err(trouble)?;
    let mut changed = 0;
    let rows = pairs::read("CoSQA", &text, |row| {
        let mut row = row.clone();
        let text = pairs::need(&row, "text")?;
        let kept = without_places(&text);
        changed += usize::from(kept != text);
        row["text"] = kept.into();
        Ok(row.to_string())
    })?;
    fs::write(docs, rows.join("\n") + "\n").map_err(trouble)?;
    Ok(changed)
}

fn without_places(text: &str) -> String {
    let here = Here { is_path: &|_| false, is_symbol: &|_| false };
    let mut kept = text.to_owned();
    for objection in sanitize::check(text, Scope::Project, &Lists::default(), &here).iter().rev() {
        // A text that is nothing else stays as it is.
        if objection.end - objection.start < text.len() && objection.end <= kept.len() {
            kept.replace_range(objection.start..objection.end, " ");
        }
    }
    kept
}

/// Gunzips with the program that every system has.
fn unpack(packed: &Path, to: &Path) -> Result<(), Failure> {
    let trouble = |error: std::io::Error| Failure::Failed(format!("cannot unpack CoSQA: {error}"));
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(trouble)?;
    }
    let mut gzip = Command::new("gzip");
    gzip.arg("-dc").arg(packed).stdin(Stdio::null()).stdout(File::create(to).map_err(trouble)?);
    match gzip.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => failed(format!("`{}` failed ({status})", describe(&gzip))),
        Err(error) => failed(format!("cannot start `gzip`: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_words_that_a_store_refuses_are_left_out() {
        assert_eq!(without_places("Look at /Users/jonas/dev/app.py first"), "Look at   first");
        assert_eq!(without_places("def add(a, b): return a + b"), "def add(a, b): return a + b");
    }
}
