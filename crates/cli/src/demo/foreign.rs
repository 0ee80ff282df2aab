//! The scene in which files of two other systems come in, and stay in step with the ledger in both directions.

use std::fs;

use super::stage::{ADA, Expect, Play, Stage, failed};

const LOCK: &str = "---\nlastConfirmed: 2026-09-30\nprovenance: independent\n---\nA lock that is held while a request waits stops every other booking.\n\nEvidence: `src/booking.py`, read after the outage.\nVerify: grep -n Lock src/booking.py\n";
const KEY: &str = "---\nlastConfirmed: 2026-09-12\nprovenance: primed\nreviewer: fd-correctness\n---\nA booking without a key of its own is made twice when the answer is lost.\n\nEvidence: `src/booking.py`, where the key is set.\nVerify: grep -n Idempotency-Key src/booking.py\n";
const KNOWLEDGE: &str = "# KNOWLEDGE.md -- Security Reviewer\n\n## Patterns Found\n\n- [2026-09-14] A passenger's name reached the log through an exception. (Source: review-41)\n\n## False Positives to Avoid\n\n- [2026-09-20] The address of the booking service is no secret. (Source: developer-feedback)\n";

/// Where the findings of flux-drive are in Ada's clone.
const FINDINGS: &str = "reviews/findings";
/// Where WFC's reviewers are.
const REVIEWERS: &str = "reviews/reviewers";

pub(super) fn play(stage: &mut Stage) -> Play {
    let lock = format!("{FINDINGS}/lock-over-a-request.md");
    let knowledge = format!("{REVIEWERS}/security/KNOWLEDGE.md");
    stage.write(&format!("{ADA}/{lock}"), LOCK)?;
    stage.write(&format!("{ADA}/{FINDINGS}/key-per-booking.md"), KEY)?;
    stage.write(&format!("{ADA}/{knowledge}"), KNOWLEDGE)?;
    stage.ask(ADA, "git", &["add", "reviews"])?;
    stage.ask(ADA, "git", &["commit", "--quiet", "-m", "reviews: what they found so far"])?;
    stage.ken(&["import", "auto", "reviews", "--dry-run"])?;

    stage.say("In sync from here on; existing entries are written to their files as well:\n")?;
    stage.ken(&["config", "mirrors.findings", &format!("flux-drive:{FINDINGS}")])?;
    stage.ken(&["config", "mirrors.reviewers", &format!("wfc:{REVIEWERS}")])?;
    stage.ken(&["mirror", "sync"])?;
    stage.ask_ken(&["commit", "-m", "knowledge: what reviews found"])?;
    stage.ask(ADA, "git", &["add", "reviews"])?;
    stage.ask(ADA, "git", &["commit", "--quiet", "-m", "reviews: what was known here"])?;

    stage.say("A line that is edited by hand is a revision, by whoever edited it:\n")?;
    edit(stage, &knowledge, "reached the log", "reached the log, twice,")?;
    stage.show(ADA, "ken", &["mirror", "sync", "--check"], Expect::Refusal)?;
    stage.ken(&["mirror", "sync"])?;

    stage.say("Revising an entry changes only its text in the file:\n")?;
    let statement = "A lock that is held while a request waits stops every other booking of that ship.";
    stage.ken(&["edit", "lock-over-a-request", "--statement", statement])?;
    stage.git(&["diff", "-U1", "--", "reviews"])?;
    stage.ken(&["mirror", "sync", "--check"])?;

    let changed = stage.ask(ADA, "git", &["diff", "--numstat", "--", "reviews"])?;
    let lines: usize =
        changed.lines().filter_map(|line| line.split('\t').next()?.parse::<usize>().ok()).sum();
    stage
        .numbers
        .push(format!("2 systems in sync; 2 changes, one from each side, are {lines} lines of their files"));
    stage.ask_ken(&["commit", "-m", "knowledge: locks and logs"])?;
    stage.ask(ADA, "git", &["commit", "--quiet", "-a", "-m", "reviews: locks and logs"]).map(drop)
}

/// What somebody does with an editor.
fn edit(stage: &Stage, path: &str, from: &str, to: &str) -> Play {
    let path = stage.folder.join(ADA).join(path);
    let text = fs::read_to_string(&path).map_err(failed("reading a file to edit"))?;
    fs::write(&path, text.replace(from, to)).map_err(failed("editing a file"))
}
