//! The gate where git asks: a pre-commit hook, and a check before a push.

use super::Team;

const HOOK: &str = "#!/bin/sh\nexec ken gate --diff HEAD\n";
const PUSH: &str = "#!/bin/sh\nwhile read -r _ here _ there; do\n  case $there in *[!0]*) ken gate --diff \"$there..$here\" || exit 1 ;; esac\ndone\n";

fn install(team: &Team, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = team.world.path().join(".git/hooks").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// `git` with `ken` on its path; whether it worked, and what was said.
fn git(team: &Team, args: &[&str]) -> (bool, String) {
    let ken = crate::world::World::binary().parent().unwrap();
    let path = format!("{}:{}", ken.display(), std::env::var("PATH").unwrap());
    let done = team.world.command("git").env("PATH", path).args(args).output().unwrap();
    let said = [done.stdout, done.stderr].concat();
    (done.status.success(), String::from_utf8_lossy(&said).into_owned())
}

fn team() -> Team {
    let team = Team::new();
    let enforcement = r#"{"kind":"mechanical","rule":"forbidden_paths","forbid":["vendor/**"]}"#;
    team.checked("norm.vendor", "Leave vendored code alone.", enforcement);
    team.commit("chore: a norm");
    team
}

/// GAT-1: the hook stops a commit that a norm forbids, and lets the next one through.
#[test]
fn a_pre_commit_hook_stops_what_a_norm_forbids() {
    let team = team();
    install(&team, "pre-commit", HOOK);
    team.world.write("vendor/a.js", "x\n");
    team.world.git("add -A");
    let (worked, said) = git(&team, &["commit", "-q", "-m", "chore: vendor"]);
    assert!(!worked && said.contains("vendor/a.js: it is new, and `vendor/**` is forbidden"), "{said}");
    team.world.git("rm -q -f vendor/a.js");
    team.world.write("src/a.rs", "fn a() {}\n");
    team.world.git("add -A");
    let (worked, said) = git(&team, &["commit", "-q", "-m", "feat: fine"]);
    assert!(worked, "{said}");
}

/// The same hook stops a ledger that was edited by hand, and lets knowledge through that `ken` wrote.
#[test]
fn a_pre_commit_hook_stops_a_ledger_edited_by_hand() {
    let team = team();
    install(&team, "pre-commit", HOOK);
    let file = team.ledger("norm.vendor");
    team.edit(&file, |text| text.replacen("vendored", "foreign", 1));
    team.world.git("add -A");
    let (worked, said) = git(&team, &["commit", "-q", "-m", "chore: wording"]);
    assert!(!worked && said.contains("fail  knowledge.schema"), "{said}");
    team.world.git("reset -q --hard");
    team.lesson("Retry with jitter.");
    team.world.git("add -A");
    let (worked, said) = git(&team, &["commit", "-q", "-m", "docs: a lesson"]);
    assert!(worked, "{said}");
}

/// A check before a push judges what the push brings.
#[test]
fn a_pre_push_check_stops_what_a_norm_forbids() {
    let team = team();
    team.world.git("init -q --bare ../hub");
    team.world.git("remote add hub ../hub");
    team.world.git("push -q hub main");
    install(&team, "pre-push", PUSH);
    team.world.write("src/a.rs", "fn a() {}\n");
    team.commit("feat: fine");
    let (worked, said) = git(&team, &["push", "-q", "hub", "main"]);
    assert!(worked, "{said}");
    team.world.write("vendor/a.js", "x\n");
    team.commit("chore: vendor");
    let (worked, said) = git(&team, &["push", "-q", "hub", "main"]);
    assert!(!worked && said.contains("blocked by 1 finding"), "{said}");
    let there = team.world.git("ls-remote hub refs/heads/main");
    assert!(there.starts_with(&team.world.git("rev-parse HEAD~1")), "{there}");
}

/// A merge is judged before it is made.
#[test]
fn a_merge_check_judges_the_branch_that_is_merged() {
    let team = team();
    install(&team, "pre-merge-commit", HOOK);
    team.world.git("checkout -q -b side");
    team.world.write("vendor/a.js", "x\n");
    team.commit("chore: vendor");
    team.world.git("checkout -q main");
    team.commit("chore: meanwhile");
    let (worked, said) = git(&team, &["merge", "-q", "--no-edit", "side"]);
    assert!(!worked && said.contains("`vendor/**` is forbidden"), "{said}");
    team.world.git("merge --abort");
    team.world.git("checkout -q -b good");
    team.world.write("src/b.rs", "fn b() {}\n");
    team.commit("feat: fine");
    team.world.git("checkout -q main");
    team.commit("chore: meanwhile again");
    let (worked, said) = git(&team, &["merge", "-q", "--no-edit", "good"]);
    assert!(worked, "{said}");
}
