//! `approvals.signed`: only what was signed with a key that is known counts.

use std::process::Command;

use serde_json::Value;

use super::*;
use crate::team::forged;

/// A key of somebody's in the home folder; its public half. None where there is nothing to make one with.
fn key(team: &Team, name: &str) -> Option<(String, String)> {
    let home = team.world.path().parent().unwrap().join("home");
    let file = home.join(name);
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-C", "", "-f"])
        .arg(&file)
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        eprintln!("skipped: signed approvals, since there is no ssh-keygen here");
        return None;
    }
    let public = std::fs::read_to_string(home.join(format!("{name}.pub"))).unwrap();
    Some((file.display().to_string(), public.trim().to_owned()))
}

/// A team that signs, the key of Bo, and one that nobody knows.
fn signing() -> Option<(Team, String, String)> {
    let team = Team::new();
    let (own, public) = key(&team, "bo")?;
    let (other, _) = key(&team, "other")?;
    team.settle("approvers.Bo", &public);
    team.settle("approvals.signed", "true");
    team.commit("chore: we sign");
    Some((team, own, other))
}

fn approve_with(team: &Team, key: Option<&str>, proposal: &str) -> Answer {
    let mut env = vec![("GIT_AUTHOR_NAME", "Bo")];
    env.extend(key.map(|key| ("KEN_APPROVAL_KEY", key)));
    let args = ["promote", "approve", proposal];
    ken_on_terminal(&team.world, &env, &args, &[("Type `yes`", "yes\n")])
}

#[test]
fn only_the_known_key_signs() {
    let Some((team, own, other)) = signing() else { return };
    let proposal = proposed(&team);
    says(
        &approve_with(&team, None, &proposal).fails_with(4),
        &["no signing key was found", "KEN_APPROVAL_KEY"],
    );
    says(
        &approve_with(&team, Some(&other), &proposal).fails_with(4),
        &["your signing key differs from the key in config.toml"],
    );
    // Ada has no key here, so her word cannot count.
    let ada = team.approve("Ada", &proposal).fails_with(4);
    says(&ada, &["config.toml has no key for you"]);
    assert_eq!(state(&team, &proposal), "open");
    approve_with(&team, Some(&own), &proposal).ok();
    says(&team.gate(&[]).ok(), &["approvals.signed: only signed approvals count"]);
    assert!(in_force(&team, "norm.one"));
    // A clone that never saw the key can tell, by what is committed.
    let clone = team.clone_by("Cy");
    let seen = team.ken_in(&clone, "Cy", &["gate", "--json", "--diff", "HEAD..HEAD"]).ok().json();
    assert_eq!(seen["norms"][0]["norm"], "norm.one", "{seen:#}");
}

#[test]
fn what_is_not_signed_does_not_count() {
    let team = Team::new();
    let proposal = proposed(&team);
    team.approve("Bo", &proposal).ok();
    assert!(in_force(&team, "norm.one"));
    let Some((_, public)) = key(&team, "bo") else { return };
    team.settle("approvers.Bo", &public);
    team.settle("approvals.signed", "true");
    says(
        &team.ken(&["gate"]).fails_with(1),
        &["approvals must be signed in this project, and that of Bo is not"],
    );
    assert!(!in_force(&team, "norm.one"));
}

/// The approval of one norm, as another one's or with another text, fits nothing.
#[test]
fn a_signature_is_good_for_what_it_was_made_for() {
    let Some((team, own, _)) = signing() else { return };
    let proposal = proposed(&team);
    approve_with(&team, Some(&own), &proposal).ok();
    let text = team.world.read(&team.ledger("norm.one"));
    let line = text.lines().find(|line| line.contains("promotion.approved")).unwrap();
    let approved: Value = serde_json::from_str(line).unwrap();
    // The same signature under another proposal.
    let other = team.candidate("norm.two", "Sign every tag.", &[]);
    let second = team.proposal(&other, &[]);
    let mut data = approved["data"].clone();
    data["promotion"] = Value::from(second.clone());
    let forged_line = forged("human:Bo", 1, "promotion.approved", Some(&team.key(&other)), &data);
    team.forge(&team.ledger(&other), &forged_line);
    says(&team.ken(&["gate"]).fails_with(1), &["norm.two is not in force"]);
    assert!(!in_force(&team, "norm.two"));
    // A signature that was tampered with.
    let tampered = Team::new();
    let Some((own, public)) = key(&tampered, "bo") else { return };
    tampered.settle("approvers.Bo", &public);
    tampered.settle("approvals.signed", "true");
    let proposal = proposed(&tampered);
    approve_with(&tampered, Some(&own), &proposal).ok();
    let file = tampered.ledger("norm.one");
    let text = tampered.world.read(&file);
    let line = text.lines().find(|line| line.contains("promotion.approved")).unwrap();
    let mut data = serde_json::from_str::<Value>(line).unwrap()["data"].clone();
    let signature = data["signature"].as_str().unwrap().to_owned();
    let (head, tail) = signature.split_at(signature.len() - 24);
    data["signature"] = Value::from(format!("{head}{}", tail.chars().rev().collect::<String>()));
    let bare: String = text.lines().filter(|one| *one != line).map(|one| format!("{one}\n")).collect();
    let clone = {
        tampered.world.write(&file, &bare);
        let key = serde_json::from_str::<Value>(line).unwrap()["entry"].as_str().unwrap().to_owned();
        tampered.forge(&file, &forged("human:Bo", 1, "promotion.approved", Some(&key), &data));
        tampered.commit("chore: approved");
        tampered.clone_by("Cy")
    };
    let seen = tampered.ken_in(&clone, "Cy", &["gate"]).fails_with(1);
    says(&seen, &["the signature of Bo is invalid"]);
}

/// GAT-2: keys are read from the base, never from the change.
#[test]
fn a_change_does_not_bring_the_key_that_it_is_signed_with() {
    let Some((team, _, other)) = signing() else { return };
    let base = team.world.git("rev-parse HEAD");
    let public = std::fs::read_to_string(format!("{other}.pub")).unwrap();
    team.settle("approvers.Bo", public.trim());
    let proposal = proposed(&team);
    approve_with(&team, Some(&other), &proposal).ok();
    team.commit("chore: a new key");
    team.gate(&[]).ok();
    let seen = team.gate(&["--diff", &format!("{base}..HEAD")]).fails_with(1);
    says(&seen, &["the signature of Bo is invalid", "this change edits the list of approvers"]);
}
