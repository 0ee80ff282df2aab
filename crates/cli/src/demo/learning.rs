//! The chapters about what happens to an entry later: the code changes, tasks use it, reviewers report it.

use super::code::CLIENT;
use super::stage::{ADA, Expect, Play, Stage};

pub(super) fn still_true(stage: &mut Stage) -> Play {
    let retry = stage.retry.clone();
    let rest = ["--evidence", "docs/outage.md", "--anchor", "docs/outage.md:3", "--verify", "read it"];
    let claim = "Bookings show a spinner for eight seconds before they fail.";
    let says = ["add", "experience", claim, "--id", "decision.spinner", "--depends-on", &retry];
    stage.ken(&[&says[..], &rest[..]].concat())?;
    stage.ken(&["check", &retry, "decision.spinner"])?;

    stage.say("Somebody moves the client, and puts comments into it:\n")?;
    stage.git(&["mv", "src/client.py", "src/transport.py"])?;
    let commented =
        CLIENT.replace("def send", "# Every request goes through here.\n# Callers must not retry.\ndef send");
    stage.write(&format!("{ADA}/src/transport.py"), &commented)?;
    stage.ken(&["check", &retry, "decision.spinner"])?;

    stage.say("Somebody else takes the retries out:\n")?;
    stage.write(&format!("{ADA}/src/transport.py"), "def get(request):\n    return open(request)\n")?;
    stage.show(ADA, "ken", &["check", "--diff", "HEAD"], Expect::Refusal)?;
    stage.ken(&["search", "how long do bookings take to fail"])?;
    let broken = stage.ask_ken(&["search", "spinner before bookings fail"])?;
    let found = broken["results"].as_array().into_iter().flatten();
    let broken = found.filter(|result| result["validity"] == "broken").count();

    stage.git(&["rm", "-qf", "src/transport.py"])?;
    stage.git(&["checkout", "-q", "HEAD", "--", "src"])?;
    stage.ken(&["check", &retry, "decision.spinner"])?;
    stage.numbers.push(format!("{broken} result marked broken because an entry it depends on is broken"));
    Ok(())
}

pub(super) fn learn(stage: &mut Stage) -> Play {
    let retry = stage.retry.clone();
    stage.ken(&[
        "task",
        "start",
        "--goal",
        "make bookings survive a slow upstream",
        "--run",
        "task-upstream",
    ])?;
    stage.ken(&["search", "upstream is slow", "-n", "1", "--run", "task-upstream"])?;
    let finish = ["task", "finish", "--run", "task-upstream", "--outcome", "success", "--quality", "0.9"];
    stage.ken(&[&finish[..], &["--used", &retry]].concat())?;
    stage.ken(&["feedback", &retry, "--helpful", "--reason", "the third attempt always got through"])?;
    stage.ken(&["why", "--belief", &retry])?;
    let belief = stage.ask_ken(&["why", "--belief", &retry])?;
    let mean = belief["mean"].as_f64().unwrap_or_default() * 100.0;
    stage.numbers.push(format!("{mean:.0} % belief in a lesson that was used twice and helped"));
    Ok(())
}

pub(super) fn review(stage: &mut Stage) -> Play {
    let retry = stage.retry.clone();
    let entry = stage.ask_ken(&["show", &retry])?;
    let claim = entry["statement"].as_str().unwrap_or_default().to_owned();
    let found = serde_json::json!([{ "title": claim, "places": ["src/client.py#send"], "severity": "P1" }]);
    stage.write(&format!("{ADA}/findings.json"), &found.to_string())?;
    let report = |run: &str, agent: &str| -> Vec<String> {
        let words = ["review", "report", "--run", run, "--agent", agent, "--findings", "findings.json"];
        words.map(str::to_owned).to_vec()
    };
    let ken = |stage: &mut Stage, words: Vec<String>| {
        stage.ken(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let start = ["review", "start", "--agents", "reliability", "--summary", &claim, "--run", "review-1"];
    stage.ken(&start)?;
    ken(stage, report("review-1", "reliability"))?;
    stage.ken(&["review", "complete", "--run", "review-1"])?;
    stage.say("This reviewer had seen the entry, so its report does not count. The next one had not:\n")?;
    let start = [
        "review",
        "start",
        "--agents",
        "stranger",
        "--summary",
        "colours of the booking page",
        "--run",
        "review-2",
    ];
    stage.ask_ken(&start)?;
    ken(stage, report("review-2", "stranger"))?;
    stage.ken(&["review", "complete", "--run", "review-2"])?;
    let confirmed = stage.ask_ken(&["show", &retry])?;
    let kind = confirmed["confirmation"].as_str().unwrap_or("not").to_owned();
    stage
        .numbers
        .push(format!("1 finding repeated by an agent that had seen the entry, 1 {kind} confirmation"));
    stage.ask("", "rm", &[&format!("{ADA}/findings.json")])?;
    Ok(())
}
