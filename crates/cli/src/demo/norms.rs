//! The scene in which a rule of a document comes into force, and a change is held against it.

use std::fs;

use kenning::{Caller, Channel, Identity, Kenning, Options, Person};

/// The person whom the demo plays.
const ADA_ACTOR: &str = "human:Ada";

use super::{ADA, Expect, Play, Stage, failed};
use crate::output::{bold, dim};

const GUIDE: &str = "# Contributing\n\nFerry is small, and we like it that way.\n\n## Commits\n\n- Commits must follow Conventional Commits.\n- Never edit files below `vendor/` by hand.\n\n## Thanks\n\nTo everybody who ever waited for a boat.\n";

pub(super) fn play(stage: &mut Stage) -> Play {
    let folder = stage.folder.join(ADA);
    fs::write(folder.join("CONTRIBUTING.md"), GUIDE).map_err(failed("writing a guide"))?;
    stage.ask(ADA, "git", &["add", "CONTRIBUTING.md"])?;
    stage.ask(ADA, "git", &["commit", "--quiet", "-m", "docs: how to contribute"])?;
    stage.ken(&["reduce", "CONTRIBUTING.md"])?;
    stage.ken(&["staging", "list"])?;

    let staged = stage.ask_ken(&["staging", "list"])?;
    let about = |word: &str| {
        let all = staged["staged"].as_array().into_iter().flatten();
        let mut found = all.filter(|one| one["statement"].as_str().is_some_and(|text| text.contains(word)));
        found.next().and_then(|one| one["id"].as_str()).unwrap_or_default().to_owned()
    };
    stage.ken(&["staging", "accept", &about("Conventional")])?;
    stage.ken(&["config", "approvers.Ada", "yes"])?;
    let norm = stage.ask_ken(&["list", "--type", "commit_norm"])?["entries"][0]["id"]
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

    stage.say("Whoever has no terminal cannot put it in force:\n")?;
    let waits = stage.ask_ken(&["promote", "list"])?;
    let proposal = waits["promotions"][0]["id"].as_str().unwrap_or_default().to_owned();
    stage.show(ADA, "ken", &["promote", "approve", &proposal], Expect::Refusal)?;
    stage.say(&format!(
        "{}{}",
        dim("Ada, in a terminal of her own$ "),
        bold(&format!("ken promote approve {proposal}"))
    ))?;
    approve(&folder, &proposal)?;
    stage.say(&format!("Type `approve` to approve {proposal}: approve\n"))?;
    stage.ask_ken(&["commit", "-m", "docs: what we agreed on"])?;

    stage.say("From here on a change is held against it, by who may approve at its base:\n")?;
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

/// What Ada's terminal does when she types the word.
fn approve(folder: &std::path::Path, proposal: &str) -> Play {
    let doing = "approving a promotion";
    let identity = Identity { actor: Some(ADA_ACTOR.to_owned()), ..Identity::default() };
    #[allow(clippy::disallowed_methods, reason = "the demo plays Ada, in a store of its own")]
    let ada = Person::confirmed_at_terminal(ADA_ACTOR);
    let caller = Caller::new(ADA_ACTOR, identity.time(), Channel::Cli).confirmed_by(ada);
    let mut ken = Kenning::open(Options::at(folder), caller).map_err(failed(doing))?;
    let shown = ken.approvable(proposal).map_err(failed(doing))?;
    ken.approve_promotion(&shown).map_err(failed(doing))?;
    Ok(())
}
