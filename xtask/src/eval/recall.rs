//! The suite `recall`: the release binary answers every question in every mode; a probe answers them in plainer ways.

use std::path::Path;

use serde_json::Value;

use super::sets::{self, Found, Set};
use super::table::{self, Outcome};
use crate::context::{Failure, capture, failed};
use crate::dist;
use crate::harness::report::Report;
use crate::harness::session::{Session, text};
use crate::harness::{Suite, Tool};

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/recall-quality.md"),
    corpora: true,
    needs: &[Tool::Ken, Tool::Probe],
    strict: false,
    ..Suite::evaluation("recall", run)
};

/// Ways in which `ken` answers.
const MODES: &str = "lexical,semantic,hybrid,composite";
/// Questions of each collection in a quick run, and in a full one.
const QUESTIONS: [usize; 2] = [60, 1_000_000];

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let target = dist::target_folder(session.context)?;
    let Found { sets, notes, skipped } = sets::find(session.context, &session.scratch.folder)?;
    let questions = session.effort.pick(QUESTIONS[0], QUESTIONS[1]);
    let mut results = Vec::new();
    for set in &sets {
        println!("asking: {}", set.name.word());
        // The model embeds a set once, for all runs to come.
        let vectors = target.join("eval-vectors").join(set.name.word().to_lowercase());
        let each = session.scratch.folder.join(format!("answered-{}.jsonl", set.name.word().to_lowercase()));
        let ours = ask_ken(session, set, &vectors, &each, questions)?;
        let mut arguments =
            vec!["compare".to_owned(), set.format.to_owned(), text(&each), questions.to_string()];
        arguments.extend(set.files.iter().map(|file| text(file)));
        let plainer = session.probe().ask(&arguments.iter().map(String::as_str).collect::<Vec<_>>())?;
        results.push(Outcome { name: set.name, ours, plainer });
    }
    let mut report = Report { skipped, ..table::report(&results) };
    report.notes.extend(notes);
    Ok(report)
}

/// Puts a set's questions to the release binary.
fn ask_ken(
    session: &Session<'_>,
    set: &Set,
    vectors: &Path,
    each: &Path,
    questions: usize,
) -> Result<Value, Failure> {
    let mut command =
        session.ken(&session.scratch.folder, &["--json", "eval", "retrieval", "--format", set.format]);
    command.args(&set.files);
    command.args(["--mode", MODES, "--questions", &questions.to_string()]);
    command.arg("--vectors").arg(vectors).arg("--each").arg(each);
    let answer: Value = match serde_json::from_str(&capture(&mut command)?) {
        Ok(answer) => answer,
        Err(error) => return failed(format!("`ken eval retrieval` did not answer in JSON: {error}")),
    };
    let fallback =
        answer["modes"].as_array().into_iter().flatten().find_map(|mode| mode["fallback"].as_str());
    match fallback {
        Some(why) => failed(format!("meaning took no part in {}: {why}", set.name.word())),
        None => Ok(answer),
    }
}
