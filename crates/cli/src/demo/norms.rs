//! The scene in which a rule of a document comes into force, and a change is held against it.

use std::fs;

use kenning::{Caller, Channel, Identity, Options, Person, Reach};

use super::stage::{ADA, Expect, Play, Stage, failed};
use crate::output::{bold, dim};

/// The person whom the demo plays.
const ADA_ACTOR: &str = "human:Ada";

const GUIDE: &str = "# Contributing\n\nFerry is small, and we like it that way.\n\n## Commits\n\n- Commits must follow Conventional Commits.\n- Never edit files below `vendor/` by hand.\n\n## Thanks\n\nTo everybody who ever waited for a boat.\n";

pub(super) fn play(stage: &mut Stage) -> Play {
    let folder = stage.folder.join(ADA);
    fs::write(folder.join("CONTRIBUTING.md"), GUIDE).map_err(failed("writing a guide"))?;
    stage.ask(ADA, "git", &["add", "CONTRIBUTING.md"])?;
    stage.ask(ADA, "git", &["commit", "--quiet", "-m", "docs: how to contribute"])?;
    stage.ken(&["digest", "reduce", "CONTRIBUTING.md"])?;
    stage.ken(&["digest", "list"])?;

    let staged = stage.ask_ken(&["digest", "list"])?;
    let about = |word: &str| {
        let all = staged["items"].as_array().into_iter().flatten();
        let mut found = all.filter(|one| one["statement"].as_str().is_some_and(|text| text.contains(word)));
        found.next().and_then(|one| one["id"].as_str()).unwrap_or_default().to_owned()
    };
    stage.ken(&["digest", "accept", &about("Conventional")])?;
    at_terminal(stage, "ken config approvers.Ada yes")?;
    let mut reach = ada(&folder)?;
    kenning::config::set_setting(
        &reach.ledger,
        &mut reach.site.config,
        &reach.caller,
        "approvers.Ada",
        "yes",
    )
    .map_err(failed("changing the approvers"))?;
    stage.say(
        "changing the approvers requires a person. Type `yes` to continue: yes\napprovers.Ada = yes\n",
    )?;
    let norm = stage.ask_ken(&["list", "--type", "commit_norm"])?["items"][0]["id"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    stage.ken(&[
        "promote",
        &norm,
        "--to",
        "procedural",
        "--reason",
        "release notes are made from commits",
    ])?;

    stage.say("Without a terminal nobody can approve it:\n")?;
    let waits = stage.ask_ken(&["promote", "list"])?;
    let proposal = waits["items"][0]["id"].as_str().unwrap_or_default().to_owned();
    stage.show(ADA, "ken", &["promote", "approve", &proposal], Expect::Refusal)?;
    at_terminal(stage, &format!("ken promote approve {proposal}"))?;
    approve(&folder, &proposal)?;
    stage.say(&format!("Type `yes` to approve {proposal}: yes\n"))?;
    stage.ask_ken(&["commit", "-m", "docs: what we agreed on"])?;

    stage.say("From now on every change is checked against this norm; its approvers are those of the base commit:\n")?;
    fs::write(folder.join("NOTES.md"), "The pier is closed in winter.\n")
        .map_err(failed("writing a note"))?;
    stage.ask(ADA, "git", &["add", "NOTES.md"])?;
    stage.git(&["commit", "--quiet", "-m", "some stuff"])?;
    stage.show(ADA, "ken", &["gate", "--diff", "HEAD~1..HEAD"], Expect::Refusal)?;
    stage.git(&["commit", "--quiet", "--amend", "-m", "docs: the pier in winter"])?;
    stage.ken(&["gate", "--diff", "HEAD~1..HEAD"])?;
    stage.numbers.push("1 norm in force, 1 commit stopped by it".to_owned());
    Ok(())
}

/// A command that somebody types in a terminal of their own.
fn at_terminal(stage: &mut Stage, command: &str) -> Play {
    stage.say(&format!("{}{}", dim("Ada, in a terminal of her own$ "), bold(command)))
}

/// The verbs, as Ada's terminal has them once she typed the word.
fn ada(folder: &std::path::Path) -> Play<Reach> {
    #[allow(clippy::disallowed_methods, reason = "the demo plays Ada, in a store of its own")]
    let person = Person::confirmed_at_terminal(ADA_ACTOR);
    let caller = Caller::new(ADA_ACTOR, Identity::default().time(), Channel::Cli).confirmed_by(person);
    kenning::open_for(Options::at(folder), caller).map_err(failed("opening the store"))
}

/// What Ada's terminal does when she types the word.
fn approve(folder: &std::path::Path, proposal: &str) -> Play {
    let doing = "approving a promotion";
    let mut ken = ada(folder)?;
    let shown =
        kenning::promote::approvable(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, proposal)
            .map_err(failed(doing))?;
    kenning::promote::approve_promotion(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, &shown)
        .map_err(failed(doing))?;
    Ok(())
}
