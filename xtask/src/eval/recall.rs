//! The suite `recall`: the release binary answers every question in every mode; a probe answers them in plainer ways.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::Request;
use super::sets::{self, Set};
use super::table::{self, Outcome, Report};
use crate::context::{Context, Failure, capture, failed};
use crate::dist;
use crate::probe::Probe;

/// Ways in which `ken` answers.
const MODES: &str = "lexical,semantic,hybrid,composite";
/// Questions of each collection in a quick run, and in a whole one.
const QUESTIONS_QUICK: usize = 60;
const QUESTIONS_ALL: usize = 1_000_000;

pub(super) fn run(context: &Context, request: Request) -> Result<Report, Failure> {
    println!("building ken as `cargo xtask dist` does, and the probe that measures the plainer ways");
    let ken = dist::build(context)?.path;
    let probe = Probe::build(context)?;
    let target = dist::target_folder(context)?;
    let scratch = target.join("eval-scratch");
    fs::create_dir_all(&scratch)
        .map_err(|error| Failure::Failed(format!("cannot make a scratch folder: {error}")))?;
    let (found, skipped) = sets::find(context, &scratch)?;
    skipped.iter().for_each(|sentence| println!("{sentence}"));
    let questions = if request.quick { QUESTIONS_QUICK } else { QUESTIONS_ALL };
    let mut results = Vec::new();
    for set in &found {
        println!("asking: {}", set.name.word());
        let vectors = target.join("eval-vectors").join(set.name.word().to_lowercase());
        let each = scratch.join(format!("answered-{}.jsonl", set.name.word().to_lowercase()));
        let ours = ask_ken(&ken, set, &vectors, &each, questions)?;
        let mut arguments =
            vec!["compare".to_owned(), set.format.to_owned(), text(&each), questions.to_string()];
        arguments.extend(set.files.iter().map(|file| text(file)));
        let plainer = probe.ask(&arguments.iter().map(String::as_str).collect::<Vec<_>>())?;
        results.push(Outcome { name: set.name, ours, plainer });
    }
    let flags = if request.quick { "--quick --write" } else { "--write" };
    let command = format!("{}=FOLDER cargo xtask eval recall {flags}", sets::VARIABLE);
    Ok(table::report(&command, &skipped, &results))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Puts a set's questions to the release binary.
fn ask_ken(ken: &Path, set: &Set, vectors: &Path, each: &Path, questions: usize) -> Result<Value, Failure> {
    let mut command = Command::new(ken);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("KEN_")) {
        command.env_remove(name);
    }
    command.args(["--json", "eval", "retrieval", "--format", set.format]).args(&set.files);
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
