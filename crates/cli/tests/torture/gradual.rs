//! Five hundred writes of one origin that wants an entry of its own believed: under any names, runs and days, nothing becomes verified.

use crate::verbs::Verbs as _;
use std::path::Path;

use ken_testkit::{Dice, is_at_volume, torture};
use kenning::core::decide::Change;
use kenning::core::run::{RunKind, RunOutcome};
use kenning::core::{Millis, Status};
use kenning::{AddInput, Caller, Channel, FinishInput, Options, Origin, Query, Reach, SearchInput};
use serde_json::json;

/// Writes of one campaign, at full volume and in an everyday run.
const WRITES: u64 = 500;
const WRITES_QUICK: u64 = 40;
const DAY_MILLIS: i64 = 86_400_000;

#[test]
fn whatever_one_origin_writes_nothing_becomes_verified() {
    let writes = if is_at_volume("gradual") { WRITES } else { WRITES_QUICK };
    torture("gradual", 2, |seed| campaign(seed, writes));
}

/// One origin at work on its own entries; answers how many of its writes were taken.
fn campaign(seed: u64, writes: u64) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("src/net.rs"), "fn retry() {}\n").unwrap();
    kenning::init(folder.path(), Default::default()).unwrap();
    let mut dice = Dice::new(seed);
    let mut now = Millis::parse("2026-01-02T03:04:05Z").unwrap();
    let mut entries: Vec<String> = Vec::new();
    let mut taken = 0;
    for number in 0..writes {
        now = Millis(now.0 + 60_000);
        // A day in three passes, so that nothing is refused for being of today.
        if dice.below(3) == 0 {
            now = Millis(now.0 + DAY_MILLIS);
        }
        let mut ken = open(folder.path(), caller(&mut dice, now, number));
        taken += u64::from(write(&mut ken, &mut dice, number, &mut entries));
        if number % 25 == 24 || number + 1 == writes {
            nothing_is_verified(&mut ken, number);
        }
    }
    assert!(taken > writes / 3, "most writes were refused: {taken} of {writes} were taken");
    taken
}

/// The same origin under another name, through another channel, sometimes in a run.
fn caller(dice: &mut Dice, now: Millis, number: u64) -> Caller {
    let actors = ["agent:alpha", "agent:beta", "agent:gamma", "human:Ada", "human:Mallory"];
    let invented = format!("agent:a{number}");
    let actor = actors.get(dice.below(actors.len() + 2)).copied().unwrap_or(&invented);
    let channels = [Channel::Cli, Channel::Library, Channel::Hook, Channel::Mcp];
    let caller = Caller::new(actor, now, channels[dice.below(channels.len())]);
    let run = (dice.below(2) == 0).then(|| format!("r{}", dice.below(12)));
    let agent = (dice.below(3) == 0).then(|| format!("b{}", dice.below(9)));
    let caller = caller.in_run(run, agent).unwrap();
    let hosts = ["claude-code", "cursor", "codex"];
    let host = hosts.get(dice.below(4)).map(|host| (*host).to_owned());
    caller.from_origin(Origin { host, started_by: Some("Ada".to_owned()), token: None })
}

fn open(path: &Path, caller: Caller) -> Reach {
    kenning::open_for(Options::at(path), caller).unwrap()
}

fn add_input(dice: &mut Dice, number: u64) -> AddInput {
    let mut input = AddInput { kind: Some("lesson".to_owned()), ..AddInput::default() };
    let claims = ["Retry network calls without a limit", "Clients may skip the certificate check"];
    let statement = match dice.below(3) {
        0 => format!("{}, as of release {number}.", claims[0]),
        claim => format!("{}.", claims[claim - 1]),
    };
    input.content.insert("statement".to_owned(), statement.into());
    input.content.insert("anchors".to_owned(), json!(["src/net.rs"]));
    input.content.insert("verification".to_owned(), json!(["grep retry src/net.rs"]));
    input.evidence.push(format!("pr:{number}"));
    input
}

/// One write that could raise an entry; whether it was taken.
fn write(ken: &mut Reach, dice: &mut Dice, number: u64, entries: &mut Vec<String>) -> bool {
    let any = entries.get(dice.below(entries.len())).cloned();
    let (Some(id), true) = (any, dice.below(8) > 0) else {
        let added = ken.add(add_input(dice, number));
        entries.extend(added.as_ref().ok().map(|answer| answer.id.clone()));
        entries.sort();
        entries.dedup();
        return added.is_ok();
    };
    let set = |name: &str, value: String| Change {
        set: [(name.to_owned(), value.into())].into_iter().collect(),
        ..Change::default()
    };
    match dice.below(10) {
        0..3 => ken.confirm(&id, "found again").is_ok(),
        3 => ken.feedback(&id, true, "it helped").is_ok(),
        4 | 5 => {
            let run = format!("r{}", dice.below(12));
            let started = ken.task_start("make it work", RunKind::Task, None, None);
            let run = started.map_or(run, |started| started.run);
            ken.task_finish(finish(run, &id)).is_ok()
        }
        6 => ken.task_finish_apart("a part of it", finish(String::new(), &id)).is_ok(),
        7 => ken
            .revise(&id, set("detail", format!("In {number} words.")), &[format!("pr:{number}")], false)
            .is_ok(),
        8 => ken.retract(&id, "wrong").is_ok() && ken.restore(&id, "right after all").is_ok(),
        _ => {
            let input = SearchInput { query: "retry network calls".to_owned(), ..SearchInput::default() };
            ken.search(&input).is_ok() && ken.confirm(&id, "it was shown to me, too").is_ok()
        }
    }
}

fn finish(run: String, id: &str) -> FinishInput {
    FinishInput {
        run,
        outcome: RunOutcome::Succeeded,
        quality: Some(1.0),
        used: Some(vec![id.to_owned()]),
        wrong: Vec::new(),
        cost: None,
        rounds: None,
        strategy: None,
    }
}

fn nothing_is_verified(ken: &mut Reach, number: u64) {
    let page = ken.ledger.list(&Query { all: true, ..Query::default() }).unwrap();
    for stored in page.entries {
        assert_ne!(
            stored.entry.status,
            Status::Verified,
            "{} is verified after {number} writes of one origin",
            stored.id
        );
    }
}
