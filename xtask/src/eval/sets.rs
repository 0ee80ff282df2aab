//! The sets of texts and questions: ours, and two that are found outside of the repository where somebody has them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// Which set.
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

/// The sets that are here, and a sentence for each that is not.
pub(super) fn find(context: &Context, scratch: &Path) -> Result<(Vec<Set>, Vec<String>), Failure> {
    let ours = context.root.join("evals/recall");
    let files = vec![ours.join("entries.jsonl"), ours.join("queries.jsonl")];
    let mut sets = vec![Set { name: Name::Fixture, format: "pairs", files }];
    let mut skipped = Vec::new();
    let Some(folder) = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) else {
        skipped.push(format!("LoCoMo and CoSQA were SKIPPED: {VARIABLE} is not set"));
        return Ok((sets, skipped));
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
        sets.push(Set { name: Name::Cosqa, format: "pairs", files: vec![docs, queries] });
    } else {
        let wanted = "corpora/cosqa/docs.jsonl.gz and queries_dev.jsonl";
        skipped.push(format!("CoSQA was SKIPPED: {VARIABLE} lacks {wanted}"));
    }
    Ok((sets, skipped))
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
