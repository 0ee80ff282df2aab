//! The chapter about crashes: a process that is killed, and a working tree that is thrown away.

use std::fs;
use std::process::Stdio;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::Value;

use super::stage::{ADA, Expect, Play, Stage, failed, spelled};
use crate::output::{bold, dim};

/// Lines of the bulk add: three batches, so that the second can be interrupted.
const CATALOGUE_LINES: usize = 2_400;
/// Ledger files that must be there before the process is killed: the second batch is being written out.
const FILES_BEFORE_KILL: usize = 1_400;
/// A machine that is busy enough may look too late; then another file is tried, this often at most.
const ROUNDS_MAX: usize = 3;

pub(super) fn crash(stage: &mut Stage) -> Play {
    let mut round = 1;
    let (add, tag, written) = loop {
        let (file, tag) = match round {
            1 => ("catalogue.jsonl".to_owned(), "catalogue".to_owned()),
            n => (format!("catalogue-{n}.jsonl"), format!("catalogue_{n}")),
        };
        stage.write(&file, &catalogue(round))?;
        let add =
            ["add", "entity", "--file", &format!("../{file}"), "--tag", &tag, "--evidence", "README.md"]
                .map(str::to_owned);
        if let Some(written) = killed_in_the_middle(stage, &add.each_ref().map(String::as_str))? {
            break (add, tag, written);
        }
        if round == ROUNDS_MAX {
            return Err(failed(stage.doing("ken", &["add"]))("it was always done before it could be killed"));
        }
        stage.say("(It was done before it could be killed. Once more, with another file.)\n")?;
        round += 1;
    };
    let add = add.each_ref().map(String::as_str);
    stage.say(&format!(
        "Killed (SIGKILL), with {written} of its ledger files on disk. A batch counts whole or not at all:\n"
    ))?;
    let there = count(stage, &tag)?;
    if there % 1_000 != 0 || there < written {
        return Err(failed(stage.doing("ken", &["list"]))(format!("{there} is no number of whole batches")));
    }
    stage.ken(&["verify"])?;
    stage.say("The same command with --resume goes on, and adds nothing twice:\n")?;
    stage.ken(&[&add[..], &["--resume"]].concat())?;
    let in_the_end = count(stage, &tag)?;
    if in_the_end != CATALOGUE_LINES {
        return Err(failed(stage.doing("ken", &["list"]))(format!("there should be {CATALOGUE_LINES}")));
    }
    stage.ken(&["commit", "-m", "knowledge: the catalogue"])?;
    stage.numbers.push(format!(
        "killed with {written} entries in files; {there} there afterwards, {in_the_end} after --resume"
    ));
    Ok(())
}

/// Starts a bulk add and kills it while it writes files; says how many were there, or nothing if it was done too early.
fn killed_in_the_middle(stage: &Stage, add: &[&str]) -> Play<Option<usize>> {
    let folder = stage.folder.join(ADA).join(".kenning/semantic/v1/entities");
    let count_files = || fs::read_dir(&folder).map_or(0, Iterator::count);
    let before = count_files();
    stage.say(&format!("{}{}", dim("$ "), bold(&spelled("ken", add))))?;
    let mut command = stage.command(ADA, "ken", add);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(failed(stage.doing("ken", add)))?;
    loop {
        if let Some(status) = child.try_wait().map_err(failed(stage.doing("ken", add)))? {
            stage.judge(status, Expect::Success, "ken", add)?;
            return Ok(None);
        }
        if count_files() >= before + FILES_BEFORE_KILL || stage.stopped.load(Ordering::SeqCst) {
            child.kill().and_then(|()| child.wait()).map_err(failed(stage.doing("ken", add)))?;
            return Ok(Some(count_files() - before));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Counts the entries of a tag, for everybody to see.
fn count(stage: &Stage, tag: &str) -> Play<usize> {
    let args = ["list", "--tag", tag, "--limit", "10000"];
    stage.say(&format!("{}{}", dim("$ "), bold(&format!("{} | wc -l", spelled("ken", &args)))))?;
    let lines = stage.ask(ADA, "ken", &args)?.lines().count();
    stage.say(&format!("{lines}\n"))?;
    Ok(lines)
}

pub(super) fn reset(stage: &mut Stage) -> Play {
    let retry = stage.retry.clone();
    stage.ken(&[
        "revise",
        &retry,
        "--detail",
        "Cap the delay at 20 s; the service sheds load after 30 s.",
    ])?;
    stage.ken(&[
        "add",
        "lesson",
        "Log the request id with every retry.",
        "--evidence",
        "docs/outage.md",
        "--anchor",
        "src/client.py#send",
        "--verify",
        "grep -n request_id src/client.py",
    ])?;
    stage.git(&["reset", "--hard"])?;
    stage.git(&["clean", "-fdq"])?;
    stage.say("The files are gone. The journal, in git's own folder, is not:\n")?;
    stage.ken(&["list", "--type", "lesson"])?;
    let lost = count_lost(&stage.ask_ken(&["verify"])?);
    stage.ken(&["recover"])?;
    stage.git(&["status", "--short"])?;
    stage.ken(&["verify"])?;
    let report = stage.ask_ken(&["verify"])?;
    let missing = count_lost(&report);
    stage.numbers.push(format!("{lost} events lost by git reset, {missing} missing after `ken recover`"));
    stage.numbers.push(format!(
        "{} entries, {} events, {} errors",
        report["entries"],
        report["events"],
        report["errors"].as_array().map_or(0, Vec::len)
    ));
    Ok(())
}

/// Events that a report of `verify` calls lost from this branch's files.
fn count_lost(report: &Value) -> usize {
    let notices = report["notices"].as_array();
    notices.map_or(0, |all| all.iter().filter(|notice| notice["code"] == "not_in_tree").count())
}

/// A service's routes, one JSON object to a line.
fn catalogue(round: usize) -> String {
    let things = ["bookings", "berths", "crossings", "fares", "harbours", "invoices", "refunds", "vessels"];
    let verbs = [("GET", "reads"), ("PUT", "replaces"), ("DELETE", "cancels")];
    let routes = (0..CATALOGUE_LINES).map(|at| {
        let (verb, does) = verbs[at % verbs.len()];
        let thing = things[at / verbs.len() % things.len()];
        let number = at / (verbs.len() * things.len()) + 1;
        let route = format!("{verb} /v{round}/{thing}/region-{number}");
        format!("{{\"name\":\"{route}\",\"description\":\"{route} {does} one of the {thing} of region {number}.\"}}\n")
    });
    routes.collect()
}
