//! The chapter about two people who work on two branches.

use super::stage::{ADA, BEN, Expect, Play, Stage};

pub(super) fn merge(stage: &mut Stage) -> Play {
    stage.base = stage.ask(ADA, "git", &["rev-parse", "--short", "HEAD"])?;
    stage.ask("", "git", &["clone", "-q", ADA, BEN])?;
    stage.ask(BEN, "git", &["config", "user.name", "Ben"])?;
    stage.ask(BEN, "git", &["config", "user.email", "ben@example.org"])?;
    let retry = stage.retry.clone();

    stage.prompt = "ada";
    stage.git(&["switch", "-q", "-c", "timeouts"])?;
    let claim = "Give every request a deadline; one without can hold a worker for good.";
    let said_by_ada = ["add", "lesson", claim, "--evidence", "tests/test_client.py"];
    let seen = ["--anchor", "src/client.py#send", "--verify", "grep -n timeout src/client.py"];
    stage.ken(&[&said_by_ada[..], &seen].concat())?;
    stage.ken(&["edit", &retry, "--tag", "timeouts", "--evidence", "pr:#31"])?;
    stage.ken(&["commit", "-m", "knowledge: deadlines"])?;

    stage.prompt = "ben";
    let ben = |program: &str, args: &[&str]| stage.show(BEN, program, args, Expect::Success);
    ben("git", &["switch", "-q", "-c", "pooling"])?;
    let claim = "give every request a deadline;  one without can hold a worker for good";
    let said_by_ben = ["add", "lesson", claim, "--evidence", "docs/outage.md"];
    ben("ken", &[&said_by_ben[..], &seen].concat())?;
    ben("ken", &["edit", &retry, "--tag", "pooling", "--evidence", "pr:#32"])?;
    ben("ken", &["commit", "-m", "knowledge: pools"])?;

    stage.prompt = "ada";
    stage.git(&["switch", "-q", "main"])?;
    stage.git(&["merge", "-q", "timeouts"])?;
    stage.git(&["pull", "--no-rebase", "--no-edit", &format!("../{BEN}"), "pooling"])?;
    stage.say("No conflict. One lesson that both stated, with both of their citations:\n")?;
    let deadline = stage.ask_ken(&["list", "--type", "lesson", "--text", "deadline"])?;
    let deadlines = deadline["total"].as_u64().unwrap_or(0);
    let deadline = deadline["items"][0]["handle"].as_str().unwrap_or_default().to_owned();
    stage.ken(&["show", &deadline])?;
    stage.say("And the older lesson, with what each branch did to it:\n")?;
    stage.ken(&["log", &retry])?;
    stage.prompt = "";
    stage
        .numbers
        .push(format!("2 branches merged without a conflict; the lesson both stated is {deadlines} entry"));
    Ok(())
}

pub(super) fn diff(stage: &mut Stage) -> Play {
    let range = format!("{}..HEAD", stage.base);
    stage.ken(&["diff", &range])
}
