//! The gate where git asks: a pre-commit hook, and a check before a push.

use super::Team;

/// What people are told to install; the stories below install it as it is written.
const GUIDE: &str = include_str!("../../../../docs/guide/gates.md");

/// The scripts of the guide: the hook before a commit or a merge, and the one before a push.
fn scripts() -> [&'static str; 2] {
    let blocks = GUIDE.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let scripts: Vec<&str> = blocks.filter(|block| block.starts_with("#!")).collect();
    scripts.try_into().expect("the guide has two scripts")
}

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
    install(&team, "pre-commit", scripts()[0]);
    team.world.write("vendor/a.js", "x\n");
    team.world.git("add -A");
    let (worked, said) = git(&team, &["commit", "-q", "-m", "chore: vendor"]);
    assert!(!worked && said.contains("vendor/a.js: it is new, which `vendor/**` forbids"), "{said}");
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
    install(&team, "pre-commit", scripts()[0]);
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
    team.world.git("init -q --bare -b main ../hub");
    team.world.git("remote add origin ../hub");
    team.world.git("push -q origin main");
    install(&team, "pre-push", scripts()[1]);
    team.world.write("src/a.rs", "fn a() {}\n");
    team.commit("feat: fine");
    let (worked, said) = git(&team, &["push", "-q", "origin", "main"]);
    assert!(worked, "{said}");
    team.world.write("vendor/a.js", "x\n");
    team.commit("chore: vendor");
    let (worked, said) = git(&team, &["push", "-q", "origin", "main"]);
    assert!(!worked && said.contains("blocked by 1 finding"), "{said}");
    let there = team.world.git("ls-remote origin refs/heads/main");
    assert!(there.starts_with(&team.world.git("rev-parse HEAD~1")), "{there}");
}

/// A merge is judged before it is made.
#[test]
fn a_merge_check_judges_the_branch_that_is_merged() {
    let team = team();
    install(&team, "pre-merge-commit", scripts()[0]);
    team.world.git("checkout -q -b side");
    team.world.write("vendor/a.js", "x\n");
    team.commit("chore: vendor");
    team.world.git("checkout -q main");
    team.commit("chore: meanwhile");
    let (worked, said) = git(&team, &["merge", "-q", "--no-edit", "side"]);
    assert!(!worked && said.contains("`vendor/**` forbids"), "{said}");
    team.world.git("merge --abort");
    team.world.git("checkout -q -b good");
    team.world.write("src/b.rs", "fn b() {}\n");
    team.commit("feat: fine");
    team.world.git("checkout -q main");
    team.commit("chore: meanwhile again");
    let (worked, said) = git(&team, &["merge", "-q", "--no-edit", "good"]);
    assert!(worked, "{said}");
}

/// The step of the workflow, in a checkout such as a runner has: what the pull request would become, with no branch.
#[test]
fn the_workflow_stops_a_pull_request_that_a_norm_forbids() {
    let step = GUIDE.lines().find_map(|line| line.trim().strip_prefix("- run: ken gate")).unwrap();
    let team = team();
    team.world.git("checkout -q -b good");
    team.world.write("src/a.rs", "fn a() {}\n");
    team.commit("feat: fine");
    team.world.git("checkout -q -b bad main");
    team.world.write("vendor/a.js", "x\n");
    team.commit("chore: vendor");
    team.world.git("checkout -q main");
    let runner = team.clone_by("Runner");
    for (branch, code) in [("good", 0), ("bad", 1)] {
        team.git_in(&runner, "checkout -q --detach origin/main");
        team.git_in(&runner, &format!("merge -q --no-ff --no-edit origin/{branch}"));
        let mut shell = team.world.command("sh");
        let ken = crate::world::World::binary().parent().unwrap();
        shell.env("PATH", format!("{}:{}", ken.display(), std::env::var("PATH").unwrap()));
        shell.env("GITHUB_BASE_REF", "main").current_dir(&runner).args(["-c", &format!("ken gate{step}")]);
        let done = shell.output().unwrap();
        assert_eq!(done.status.code(), Some(code), "{branch}: {}", String::from_utf8_lossy(&done.stderr));
        let report = std::fs::read_to_string(runner.join("gate.sarif")).unwrap();
        assert_eq!(report.contains(r#""ruleId": "norm-broken""#), code == 1, "{report}");
        std::fs::remove_file(runner.join("gate.sarif")).unwrap();
    }
}

/// Where merges are forbidden, the branch is asked for: the merge that a forge makes to try it is one.
#[test]
fn a_norm_against_merges_is_held_against_the_branch_itself() {
    let team = Team::new();
    let enforcement = r#"{"kind":"mechanical","rule":"no_merge_commits"}"#;
    team.checked("norm.linear", "Rebase; do not merge.", enforcement);
    team.commit("chore: norms");
    team.world.git("checkout -q -b good");
    team.world.write("src/a.rs", "fn a() {}\n");
    team.commit("feat: fine");
    team.world.git("checkout -q --detach main");
    team.world.git("merge -q --no-ff --no-edit good");
    let tried = team.gate(&["--diff", "main..HEAD"]).fails_with(1).out;
    assert!(tried.contains("it is a merge; rebase the change instead"), "{tried}");
    team.gate(&["--diff", "main..HEAD^2"]).ok();
}

/// A runner that fetched one commit cannot tell what a change is, and says how it could.
#[test]
fn a_shallow_checkout_says_what_it_lacks() {
    let team = team();
    team.world.git("checkout -q -b change");
    for at in 0..3 {
        team.world.write("src/a.rs", &format!("fn a{at}() {{}}\n"));
        team.commit("feat: more");
    }
    let from = format!("file://{}", team.world.path().display());
    let shallow = team.world.path().parent().unwrap().join("shallow");
    team.world.git(&format!("clone -q --depth 1 --no-single-branch {from} ../shallow"));
    let answer = team.ken_in(&shallow, "Cy", &["gate", "--diff", "origin/main..HEAD"]).fails_with(3);
    assert!(answer.err.contains("this clone is shallow"), "{}", answer.err);
    assert!(answer.err.contains("fetch-depth: 0"), "{}", answer.err);
    let nowhere = team.gate(&["--diff", "nowhere..HEAD"]).fails_with(3);
    assert!(nowhere.err.contains("nowhere"), "{}", nowhere.err);
}
