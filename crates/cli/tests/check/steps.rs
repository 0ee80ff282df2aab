//! Verification steps that a machine takes: nothing runs that nobody allowed, and nothing runs for ever (VAL-4).

use expect_test::expect;
use serde_json::Value;

use super::{lesson, world};
use crate::transcript::{files, play};
use crate::world::World;

/// Adds entries with these steps; one has at most three.
fn verified(world: &World, id: &str, steps: &[&str]) {
    for (number, steps) in steps.chunks(3).enumerate() {
        let flags: Vec<&str> = steps.iter().flat_map(|step| ["--verify", *step]).collect();
        let id = if number == 0 { id.to_owned() } else { format!("{id}{number}") };
        lesson(world, &id, &[&["--anchor", "src/net.rs"], &flags[..]].concat());
    }
}

/// The steps of a check that runs them: what became of each, and why.
fn ran(world: &World, args: &str, code: i32) -> String {
    let answer = world.ken(&format!("check --run --json --fail-on never {args}")).fails_with(code).json();
    let mut text = String::new();
    for proof in answer["proofs"].as_array().unwrap() {
        for step in proof["steps"].as_array().unwrap() {
            let [step, outcome, why] = ["step", "outcome", "why"].map(|name| step[name].as_str().unwrap());
            text += &format!("{step}: {outcome}: {why}\n");
        }
    }
    text
}

fn proofs(world: &World) -> usize {
    files(world)
        .values()
        .map(|bytes| String::from_utf8_lossy(bytes).matches("entry.proved").count())
        .max()
        .unwrap_or(0)
}

const FAILING: [&str; 10] = [
    "grep unsafe src/net.rs",
    "! grep jitter src",
    "exists src/old.rs",
    "test -d src/net.rs",
    "grep jitter src/old.rs",
    "! grep jitter src/old.rs",
    "grep '(' src/net.rs",
    "grep x ../outside",
    "grep x",
    "read the code",
];

#[test]
fn val_4_looking_into_files_needs_no_program_and_no_permission() {
    let mut world = world();
    let passing = [
        "grep -n jitter src/net.rs",
        "$ grep -qF 'waited += jitter(' src",
        "! grep unsafe src/net.rs",
        "grep -L unsafe src/*.rs",
        "rg -w retry src/**/*.rs",
        "exists src/net.rs",
        "test -d src",
        "test -f src/net.rs",
    ];
    verified(&world, "passes", &passing);
    verified(&world, "fails", &FAILING);
    // Nothing could be started if somebody tried.
    world.env.push(("PATH".to_owned(), "/nowhere".to_owned()));
    assert_eq!(ran(&world, "passes passes1 passes2", 0).matches(": passed: ").count(), passing.len());
    expect![[r#"
        grep unsafe src/net.rs: failed: the pattern was not found
        ! grep jitter src: failed: /jitter/ is in line 12 of src/net.rs
        exists src/old.rs: failed: src/old.rs does not exist
        test -d src/net.rs: failed: src/net.rs is not a folder
        grep jitter src/old.rs: failed: src/old.rs does not exist
        ! grep jitter src/old.rs: failed: src/old.rs does not exist
        grep '(' src/net.rs: not_run: the pattern /(/ is invalid: unclosed group
        grep x ../outside: not_run: "../outside" points outside the repository; write a path inside it
        grep x: not_run: grep needs a file
        read the code: not_run: a manual step; only commands in check.allow are run
    "#]]
    .assert_eq(&ran(&world, "fails fails1 fails2 fails3", 1));
}

/// "A pass is a proof event, not an independent confirmation."
#[test]
fn val_4_a_pass_is_a_proof_and_no_confirmation() {
    let world = world();
    verified(&world, "wait", &["grep jitter src/net.rs", "ask Ada"]);
    let before = files(&world);
    world.ken("check").ok();
    assert!(files(&world) == before, "a check without --run recorded something");
    expect![[r#"
        $ ken check wait --run
        passed       L-dcbb3a  grep jitter src/net.rs: /jitter/ is in line 12 of src/net.rs
        not run      L-dcbb3a  ask Ada: a manual step; only commands in check.allow are run
        fresh        L-dcbb3a  What wait says about the client.
        1 entry: 1 fresh
        $ ken log wait
          EVENT 2026-01-02 03:04  human:Ada  added as a lesson, with 1 citation
          EVENT 2026-01-02 03:04  human:Ada  cited pr:1 by human:Ada, unverified
          EVENT 2026-01-02 03:04  human:Ada  proved: grep jitter src/net.rs passed
    "#]]
    .assert_eq(&play(&world, "ken check wait --run\nken log wait"));
    let shown = world.ken("show wait --json").ok().json();
    assert_eq!(shown.get("last_confirmed").unwrap_or(&Value::Null), &Value::Null);
    assert_eq!(proofs(&world), 1);
    world.ken("undo").fails_with(4);
}

/// What one step proves and another disproves is not proved; neither is anything where nothing may be written.
#[test]
fn val_4_no_proof_where_a_step_fails_or_nothing_may_be_written() {
    let mut world = world();
    verified(&world, "half", &["grep jitter src/net.rs", "grep unsafe src/net.rs"]);
    verified(&world, "whole", &["grep jitter src/net.rs"]);
    world.ken("check half --run").fails_with(1);
    world.env.push(("KEN_READONLY".to_owned(), "1".to_owned()));
    world.ken("check whole --run").ok();
    assert_eq!(proofs(&world), 0);
}

/// "Off by default, allow-list only, no shell."
#[test]
fn val_4_a_program_runs_only_if_it_is_allowed_here_and_never_in_a_shell() {
    let mut world = world();
    world.write("tools/test.sh", "echo \"$@\" >> ran.txt\n");
    let steps = [
        "sh tools/test.sh one",
        "test two",
        "sh tools/test.sh 'a; b' \"c d\"",
        "sh tools/test.sh; touch no.txt",
        "sh tools/test.sh $(touch no.txt)",
        "sh tools/test.sh `touch no.txt`",
        "sh tools/test.sh > no.txt",
        "sh tools/test.sh && touch no.txt",
        "sh tools/test.sh | tee no.txt",
        "sh tools/test.sh --output=no.txt",
        "sh tools/test.sh ../no.txt",
        "sh -c 'touch no.txt'",
        "touch no.txt",
        "no-such-program",
    ];
    verified(&world, "steps", &steps);
    let nothing_allowed = ran(&world, "", 0);
    assert_eq!(nothing_allowed.matches(": not_run: ").count(), steps.len(), "{nothing_allowed}");
    assert!(!world.path().join("ran.txt").exists());
    world.ken_args(&["config", "check.allow", "sh tools/test.sh *, no-such-program"]).ok();
    expect![[r#"
        sh tools/test.sh one: passed: it succeeded
        test two: passed: it succeeded
        sh tools/test.sh 'a; b' "c d": passed: it succeeded
        sh tools/test.sh; touch no.txt: not_run: `;` is not supported: steps run without a shell
        sh tools/test.sh $(touch no.txt): not_run: `$` is not supported: steps run without a shell
        sh tools/test.sh `touch no.txt`: not_run: ``` is not supported: steps run without a shell
        sh tools/test.sh > no.txt: not_run: `>` is not supported: steps run without a shell
        sh tools/test.sh && touch no.txt: not_run: `&` is not supported: steps run without a shell
        sh tools/test.sh | tee no.txt: not_run: `|` is not supported: steps run without a shell
        sh tools/test.sh --output=no.txt: not_run: a manual step; only commands in check.allow are run
        sh tools/test.sh ../no.txt: not_run: a manual step; only commands in check.allow are run
        sh -c 'touch no.txt': not_run: a manual step; only commands in check.allow are run
        touch no.txt: not_run: a manual step; only commands in check.allow are run
        no-such-program: not_run: no-such-program could not be started: No such file or directory (os error 2)
    "#]]
    .assert_eq(&ran(&world, "", 0));
    assert_eq!(world.read("ran.txt"), "one\ntwo\na; b c d\n");
    assert!(!world.path().join("no.txt").exists());

    // What is allowed is not shared: another clone asks anew.
    super::commit(&world, "steps");
    assert!(!world.read(".kenning/config.toml").contains("tools"));
    world.ken_args(&["config", "check.allow", ""]).ok();
    assert!(!ran(&world, "", 0).contains("passed"));
    world.env.push(("KEN_CHECK_ALLOW".to_owned(), "sh tools/test.sh *".to_owned()));
    assert_eq!(ran(&world, "", 0).matches(": passed: ").count(), 3);
}

/// A stranger's commit cannot allow anything.
#[test]
fn val_4_a_shared_setting_that_allows_programs_is_refused() {
    let world = world();
    verified(&world, "bad", &["touch no.txt"]);
    world.write(".kenning/config.toml", "[check]\nallow = \"touch\"\n");
    expect![[r#"
        $ ken check --run
        ! error: .kenning/config.toml: check.allow is a setting of one clone and cannot be shared
        ! hint: remove it from the file, and run `ken config check.allow ...` in each clone that needs it
        [exit 2]
        $ ken list
        ! error: .kenning/config.toml: check.allow is a setting of one clone and cannot be shared
        ! hint: remove it from the file, and run `ken config check.allow ...` in each clone that needs it
        [exit 2]
    "#]]
    .assert_eq(&play(&world, "ken check --run\nken list"));
    assert!(!world.path().join("no.txt").exists());
    world.write(".kenning/config.toml", "check = { \"allow\" = \"touch\" }\n");
    world.ken("check --run").fails_with(2);
    assert!(!world.path().join("no.txt").exists());
}

/// "Time and output limits."
#[cfg(unix)]
#[test]
fn val_4_a_program_that_hangs_is_stopped_with_all_it_started() {
    let world = world();
    world.write("tools/hang.sh", "sleep 600 &\necho $! > child.txt\nwait\n");
    world.ken("config check.seconds 1").ok();
    world.ken_args(&["config", "check.allow", "sh tools/hang.sh"]).ok();
    verified(&world, "hangs", &["sh tools/hang.sh"]);
    expect![[r#"
        sh tools/hang.sh: failed: it took more than 1 s and was stopped
    "#]]
    .assert_eq(&ran(&world, "", 1));
    // It may have been stopped before it got that far.
    let child = std::fs::read_to_string(world.path().join("child.txt")).unwrap_or_default();
    let state = || std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
    // The signal is sent when `ken` answers; a busy machine delivers it a moment later. A zombie has ended.
    let ended = |state: &str| {
        state.rsplit(") ").next().is_none_or(|rest| rest.is_empty() || rest.starts_with(['Z', 'X']))
    };
    let gone = (0..200).any(|_| {
        let gone = ended(&state());
        if !gone {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        gone
    });
    let state = state();
    assert!(gone, "what it started still runs: {state}");
}

#[cfg(unix)]
#[test]
fn val_4_a_program_that_talks_without_end_is_told_in_short_and_without_secrets() {
    let world = world();
    let token = concat!("gh", "p_", "8Fq2LxV0sTnB5uKd7WjR3yHcZ1mPaE4gQoX9");
    world.write(
        "tools/loud.sh",
        "head -c 10000000 /dev/zero | tr '\\0' x\nhead -c 10000000 /dev/zero | tr '\\0' y >&2\nexit 3\n",
    );
    world.write("tools/leak.sh", &format!("echo the token is {token} >&2\nexit 4\n"));
    world.write("tools/daemon.sh", "sleep 600 &\necho $! > child.txt\nexit 0\n");
    world.ken_args(&["config", "check.allow", "sh *"]).ok();
    verified(&world, "loud", &["sh tools/loud.sh"]);
    verified(&world, "leak", &["sh tools/leak.sh"]);
    verified(&world, "stays", &["sh tools/daemon.sh"]);
    let loud = ran(&world, "loud", 1);
    assert!(loud.starts_with("sh tools/loud.sh: failed: exit status: 3: ") && loud.len() < 1000, "{loud}");
    expect![[r#"
        sh tools/leak.sh: failed: exit status: 4: the token is [REDACTED:github-token]
    "#]]
    .assert_eq(&ran(&world, "leak", 1));
    // One that leaves something behind ends when it ends.
    assert!(ran(&world, "stays", 0).contains("passed"));
    world.command("kill").arg(world.read("child.txt").trim()).status().unwrap();
}

#[cfg(unix)]
#[test]
fn val_4_a_program_hears_nothing_of_the_environment_but_what_it_needs() {
    let mut world = world();
    world.write("tools/env.sh", "env | cut -d = -f 1 | sort > seen.txt\n");
    for name in
        ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "KEN_TOKEN", "SSH_AUTH_SOCK", "LD_PRELOAD_X", "LC_TIME"]
    {
        world.env.push((name.to_owned(), "C".to_owned()));
    }
    world.ken_args(&["config", "check.allow", "sh tools/env.sh"]).ok();
    verified(&world, "env", &["sh tools/env.sh"]);
    ran(&world, "", 0);
    let seen = world.read("seen.txt");
    assert!(seen.contains("PATH\n") && seen.contains("HOME\n") && seen.contains("LC_TIME\n"), "{seen}");
    for name in ["AWS", "GITHUB", "KEN_", "SSH", "LD_", "GIT_"] {
        assert!(!seen.contains(name), "{seen}");
    }
}
