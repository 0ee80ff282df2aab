//! What a change of the code does to entries, for people, programs and code hosts (`ken check --diff`).

use expect_test::expect;
use serde_json::Value;

use super::{NET, commit, lesson, world};
use crate::transcript::{files, play};
use crate::world::World;

const UI: &str = "fn spinner(seconds: u32) -> Frame {\n    Frame::spin(seconds, Colour::Grey)\n}\n";

/// On `main`, entries of every fate; on `work`, the change that decides it. `main` went on meanwhile.
fn forked() -> World {
    let world = world();
    world.write("src/ui.rs", UI);
    world.write(
        "src/old.rs",
        "fn legacy(frame: Frame) -> Frame {\n    frame.tint(Colour::Sepia).blur(3)\n}\n",
    );
    world.write(
        "src/pause.rs",
        "fn pause(long: bool) -> u32 {\n    if long { LONG_PAUSE } else { SHORT_PAUSE }\n}\n",
    );
    world.write("config/app.toml", "[net]\nretries = 3\nwait = 9\n");
    lesson(&world, "drifts", &["--anchor", "src/net.rs#jitter"]);
    lesson(&world, "reanchors", &["--anchor", "src/ui.rs#spinner"]);
    lesson(&world, "orphans", &["--anchor", "src/old.rs#legacy"]);
    lesson(
        &world,
        "contradicts",
        &["--anchor", "src/pause.rs", "--depends-on", "config/app.toml:net.retries = 3"],
    );
    lesson(&world, "breaks", &["--anchor", "src/pause.rs", "--depends-on", "contradicts"]);
    lesson(&world, "mends", &["--anchor", "src/pause.rs", "--depends-on", "config/app.toml:net.wait = 2"]);
    lesson(&world, "untouched", &["--anchor", "src/pause.rs#pause"]);
    let norm = [
        "add",
        "commit_norm",
        "--id",
        "norm.commit.1",
        "--rule",
        "Say why a wait is as long as it is.",
        "--evidence",
        "pr:1",
    ];
    world.ken_args(&[&norm[..], &["--anchor", "src/net.rs"]].concat()).ok();
    let norm = [
        "add",
        "commit_norm",
        "--id",
        "norm.commit.2",
        "--rule",
        "Every pause has a name.",
        "--evidence",
        "pr:1",
    ];
    world.ken_args(&[&norm[..], &["--anchor", "src/pause.rs"]].concat()).ok();
    commit(&world, "knowledge");
    world.git("checkout -q -b work");
    world.write("src/net.rs", &NET.replace("base * 100 + noise(base)", "base * 7"));
    world.git("mv src/ui.rs src/screen.rs");
    world.git("rm -q src/old.rs");
    world.write("config/app.toml", "[net]\nretries = 4\nwait = 2\n");
    commit(&world, "change");
    world.git("checkout -q main");
    world.git("rm -q src/pause.rs");
    commit(&world, "meanwhile");
    world.git("checkout -q work");
    world
}

/// "Which entries this change breaks, orphans, re-anchors; which procedural norms it touches. Exit code by policy."
#[test]
fn val_3_a_change_is_told_by_what_it_does_to_entries() {
    let world = forked();
    let stored = files(&world);
    let script = "
ken check --diff main...work
ken check --diff main..work --fail-on never
ken check --diff HEAD
ken check --diff HEAD~1 --fail-on drifted
ken check --diff work~1..main
";
    expect![[r#"
        $ ken check --diff main...work
        HASH to work: 5 files changed
        breaks       L-93a778  What breaks says about the client.
            because of L-48a2b9: config/app.toml:net.retries = 3: net.retries is 4 in config/app.toml, not 3
            contradicts broken: L-48a2b9 is broken
        contradicts  L-48a2b9  What contradicts says about the client.
            config/app.toml:net.retries = 3 broken: net.retries is 4 in config/app.toml, not 3
        orphans      L-0def1a  What orphans says about the client.
            src/old.rs#legacy broken: src/old.rs is gone
        drifts       L-e2f68d  What drifts says about the client.
            src/net.rs#jitter drifted: `jitter` has changed
        drifts       N-a5d11d  Say why a wait is as long as it is.
            src/net.rs drifted: src/net.rs has changed
        reanchors    L-5b55ff  What reanchors says about the client.
            src/ui.rs#spinner moved to src/screen.rs#spinner
        mends        L-e5f776  What mends says about the client.
        norm         norm.commit.1  Say why a wait is as long as it is.
            about src/net.rs
        All entries after the change:
        9 entries: 3 fresh, 1 moved, 2 drifted, 3 broken
        [exit 1]
        $ ken check --diff main..work --fail-on never
        main to work: 6 files changed
        contradicts  L-48a2b9  What contradicts says about the client.
            config/app.toml:net.retries = 3 broken: net.retries is 4 in config/app.toml, not 3
        orphans      L-0def1a  What orphans says about the client.
            src/old.rs#legacy broken: src/old.rs is gone
        drifts       L-e2f68d  What drifts says about the client.
            src/net.rs#jitter drifted: `jitter` has changed
        drifts       N-a5d11d  Say why a wait is as long as it is.
            src/net.rs drifted: src/net.rs has changed
        reanchors    L-5b55ff  What reanchors says about the client.
            src/ui.rs#spinner moved to src/screen.rs#spinner
        mends        L-e5f776  What mends says about the client.
        mends        N-ccec84  Every pause has a name.
        mends        L-ec03cc  What untouched says about the client.
        norm         norm.commit.2  Every pause has a name.
            about src/pause.rs
        norm         norm.commit.1  Say why a wait is as long as it is.
            about src/net.rs
        All entries after the change:
        9 entries: 3 fresh, 1 moved, 2 drifted, 3 broken
        $ ken check --diff HEAD
        HEAD to the working tree: 0 files changed
        No entry is affected.
        All entries after the change:
        9 entries: 3 fresh, 1 moved, 2 drifted, 3 broken
        $ ken check --diff HEAD~1 --fail-on drifted
        HEAD~1 to the working tree: 5 files changed
        breaks       L-93a778  What breaks says about the client.
            because of L-48a2b9: config/app.toml:net.retries = 3: net.retries is 4 in config/app.toml, not 3
            contradicts broken: L-48a2b9 is broken
        contradicts  L-48a2b9  What contradicts says about the client.
            config/app.toml:net.retries = 3 broken: net.retries is 4 in config/app.toml, not 3
        orphans      L-0def1a  What orphans says about the client.
            src/old.rs#legacy broken: src/old.rs is gone
        drifts       L-e2f68d  What drifts says about the client.
            src/net.rs#jitter drifted: `jitter` has changed
        drifts       N-a5d11d  Say why a wait is as long as it is.
            src/net.rs drifted: src/net.rs has changed
        reanchors    L-5b55ff  What reanchors says about the client.
            src/ui.rs#spinner moved to src/screen.rs#spinner
        mends        L-e5f776  What mends says about the client.
        norm         norm.commit.1  Say why a wait is as long as it is.
            about src/net.rs
        All entries after the change:
        9 entries: 3 fresh, 1 moved, 2 drifted, 3 broken
        [exit 1]
        $ ken check --diff work~1..main
        work~1 to main: 1 file changed
        orphans      L-93a778  What breaks says about the client.
            because of L-48a2b9: src/pause.rs broken: src/pause.rs is gone
            contradicts broken: L-48a2b9 is broken
            src/pause.rs broken: src/pause.rs is gone
        orphans      L-48a2b9  What contradicts says about the client.
            src/pause.rs broken: src/pause.rs is gone
        orphans      L-e5f776  What mends says about the client.
            config/app.toml:net.wait = 2 broken: net.wait is 9 in config/app.toml, not 2
            src/pause.rs broken: src/pause.rs is gone
        orphans      N-ccec84  Every pause has a name.
            src/pause.rs broken: src/pause.rs is gone
        orphans      L-ec03cc  What untouched says about the client.
            src/pause.rs#pause broken: src/pause.rs is gone
        norm         norm.commit.2  Every pause has a name.
            about src/pause.rs
        All entries after the change:
        9 entries: 4 fresh, 5 broken
        [exit 1]
    "#]]
    .assert_eq(&play(&world, script));
    assert!(files(&world) == stored, "looking at a change recorded something");
}

/// Without a second commit, the working tree counts: what is staged, what is not, and what git does not know yet.
#[test]
fn val_3_a_change_that_is_not_committed_is_looked_at_too() {
    let world = forked();
    world.git("checkout -q main~1");
    world.git("mv src/ui.rs src/screen.rs");
    world.write("src/screen.rs", "mod nothing;\n");
    world.write("src/new.rs", UI);
    expect![[r#"
        $ ken check --diff HEAD
        HEAD to the working tree: 3 files changed
        reanchors    L-5b55ff  What reanchors says about the client.
            src/ui.rs#spinner moved to src/new.rs#spinner
        All entries after the change:
        9 entries: 7 fresh, 1 moved, 1 broken
    "#]]
    .assert_eq(&play(&world, "ken check --diff HEAD"));
}

#[test]
fn val_3_a_change_in_json() {
    let world = forked();
    let answer = world.ken("check --diff main...work --json").fails_with(1).json();
    let told: Vec<String> = answer["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| ["effect", "id", "was", "verdict"].map(|name| entry[name].as_str().unwrap()).join(" "))
        .collect();
    expect![[r#"
        breaks breaks fresh broken
        contradicts contradicts fresh broken
        orphans orphans fresh broken
        drifts drifts fresh drifted
        drifts norm.commit.1 fresh drifted
        reanchors reanchors fresh moved
        mends mends broken fresh"#]]
    .assert_eq(&told.join("\n"));
    assert_eq!(answer["norms"].as_array().unwrap().len(), 1);
    assert_eq!(answer["norms"][0]["files"][0], "src/net.rs");
    assert_eq!((&answer["head"], &answer["files"]), (&Value::from("work"), &Value::from(5)));
    assert_eq!(answer["base"], world.git("merge-base main work").as_str());
}

/// "Exit code by policy": a table of what is changed, the policy, and the exit code.
#[test]
fn the_exit_code_follows_the_policy() {
    let world = world();
    lesson(&world, "wait", &["--anchor", "src/net.rs#jitter"]);
    commit(&world, "knowledge");
    let rewritten = NET.replace("base * 100 + noise(base)", "base * 7");
    let gone = NET.split_at(NET.find("fn jitter").unwrap()).0;
    let moved = |world: &World| world.git("mv src/net.rs src/transport.rs");
    type Row<'a> = (&'a str, &'a dyn Fn(), [i32; 4]);
    let table: [Row<'_>; 4] = [
        ("fresh", &|| (), [0, 0, 0, 0]),
        ("moved", &|| drop(moved(&world)), [0, 0, 0, 1]),
        ("drifted", &|| world.write("src/net.rs", &rewritten), [0, 0, 1, 1]),
        ("broken", &|| world.write("src/net.rs", gone), [0, 1, 1, 1]),
    ];
    for (verdict, change, codes) in table {
        change();
        for (policy, code) in ["never", "broken", "drifted", "moved"].into_iter().zip(codes) {
            let by_flag = world.ken(&format!("check --fail-on {policy}"));
            assert_eq!(by_flag.code, code, "{verdict} and {policy}: {}", by_flag.out);
        }
        for args in ["check --diff HEAD --fail-on drifted", "check --format sarif --fail-on drifted"] {
            assert_eq!(world.ken(args).code, codes[2], "{verdict} and {args}");
        }
        world.git("reset -q --hard");
    }
    world.write("src/net.rs", &rewritten);
    world.ken("config check.fail_on drifted").ok();
    world.ken("check").fails_with(1);
    world.ken("check --fail-on broken").fails_with(0);
    world.ken("config check.fail_on sometimes").fails_with(2);
}

#[test]
fn a_range_that_is_none_is_refused_with_what_to_do() {
    let world = forked();
    let script = "
ken check --diff
ken check --diff nowhere
ken check --diff nowhere..HEAD
ken check --diff HEAD..nowhere
ken check --diff ..
ken check --diff --output=x
ken check --diff HEAD --accept
ken check --diff HEAD --as-of HEAD
ken check drifts --diff HEAD
ken check --diff HEAD --format html
";
    expect![[r#"
        $ ken check --diff
        ! error: a value is required for '--diff <BASE..HEAD>' but none was supplied
        ! hint: `ken check --help` lists its options
        [exit 2]
        $ ken check --diff nowhere
        ! error: unknown commit, branch or tag "nowhere"
        ! hint: `git log --oneline` lists commits
        [exit 3]
        $ ken check --diff nowhere..HEAD
        ! error: unknown commit, branch or tag "nowhere"
        ! hint: `git log --oneline` lists commits
        [exit 3]
        $ ken check --diff HEAD..nowhere
        ! error: unknown commit, branch or tag "nowhere"
        ! hint: `git log --oneline` lists commits
        [exit 3]
        $ ken check --diff ..
        ! error: ".." has no base to compare with
        ! hint: write BASE..HEAD, or BASE for the working tree
        [exit 2]
        $ ken check --diff --output=x
        ! error: unknown flag `--output`
        ! hint: `ken check --help` lists its options
        [exit 2]
        $ ken check --diff HEAD --accept
        ! error: --diff checks every entry and records nothing, so it cannot be combined with other flags
        ! hint: run `ken check --diff main..HEAD`, then `ken check --accept`
        [exit 2]
        $ ken check --diff HEAD --as-of HEAD
        ! error: --diff checks every entry and records nothing, so it cannot be combined with other flags
        ! hint: run `ken check --diff main..HEAD`, then `ken check --accept`
        [exit 2]
        $ ken check drifts --diff HEAD
        ! error: --diff checks every entry and records nothing, so it cannot be combined with other flags
        ! hint: run `ken check --diff main..HEAD`, then `ken check --accept`
        [exit 2]
        $ ken check --diff HEAD --format html
        ! error: unknown format "html"; allowed: text, sarif
        [exit 2]
    "#]]
    .assert_eq(&play(&world, script));
    assert!(!world.path().join("x").exists());
}

/// What a code host asks of SARIF 2.1.0: the version, a tool with rules, every result with a rule it knows, relative addresses.
fn is_sarif(text: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(text).unwrap();
    assert_eq!(document["version"], "2.1.0");
    assert!(document["$schema"].as_str().unwrap().contains("sarif"));
    let runs = document["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "Kenning");
    let rules = driver["rules"].as_array().unwrap();
    let ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    for rule in rules {
        assert!(rule["shortDescription"]["text"].is_string());
    }
    let mut told = Vec::new();
    for result in runs[0]["results"].as_array().unwrap() {
        let rule = result["ruleId"].as_str().unwrap();
        assert!(ids.contains(&rule), "{rule} is not among the rules");
        let level = result["level"].as_str().unwrap();
        assert!(["none", "note", "warning", "error"].contains(&level));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let places = result["locations"].as_array().unwrap();
        assert_eq!(places.len(), 1);
        let place = &places[0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(
            !uri.is_empty()
                && !uri.starts_with('/')
                && !uri.contains("..")
                && !uri.contains("://")
                && !uri.contains(' '),
            "{uri}"
        );
        assert!(uri.is_ascii(), "{uri}");
        let [first, last] = ["startLine", "endLine"].map(|name| place["region"][name].as_u64().unwrap());
        assert!(1 <= first && first <= last, "{place}");
        told.push(format!(
            "{level} {rule} {uri}:{first}-{last}: {}",
            result["message"]["text"].as_str().unwrap()
        ));
    }
    told
}

#[test]
fn a_change_as_sarif() {
    let world = forked();
    let answer = world.ken("check --diff main...work --format sarif").fails_with(1);
    expect![[r#"
        error entry-broken config/app.toml:1-1: L-93a778 (What breaks says about the client.) is broken. contradicts broken: L-48a2b9 is broken. Because of L-48a2b9: config/app.toml:net.retries = 3: net.retries is 4 in config/app.toml, not 3.
        error entry-contradicted config/app.toml:1-1: L-48a2b9 (What contradicts says about the client.) is broken. config/app.toml:net.retries = 3 broken: net.retries is 4 in config/app.toml, not 3.
        error entry-orphaned src/old.rs:1-1: L-0def1a (What orphans says about the client.) is broken. src/old.rs#legacy broken: src/old.rs is gone.
        warning entry-drifted src/net.rs:1-1: L-e2f68d (What drifts says about the client.) is drifted. src/net.rs#jitter drifted: `jitter` has changed.
        warning entry-drifted src/net.rs:1-1: N-a5d11d (Say why a wait is as long as it is.) is drifted. src/net.rs drifted: src/net.rs has changed.
        note entry-moved src/screen.rs:1-1: L-5b55ff (What reanchors says about the client.) is moved. src/ui.rs#spinner moved, now src/screen.rs#spinner: `spinner` is now in src/screen.rs.
        note norm-touched src/net.rs:1-1: norm.commit.1: Say why a wait is as long as it is."#]].assert_eq(&is_sarif(&answer.out).join("\n"));
}

#[test]
fn a_check_as_sarif_has_relative_addresses_whatever_a_file_is_called() {
    let world = world();
    world.write("src/größe der Datei.rs", UI);
    lesson(&world, "odd", &["--anchor", "src/größe der Datei.rs:2"]);
    lesson(&world, "gone", &["--anchor", "src/net.rs:18-21"]);
    lesson(&world, "condition", &["--depends-on", "docker", "--anchor", "#spinner"]);
    world.write("src/größe der Datei.rs", &UI.replace("Grey", "Green"));
    world.write("src/net.rs", "mod nothing;\n");
    let answer = world.ken("check --format sarif").fails_with(1);
    expect![[r#"
        error entry-broken .kenning/VERSION:1-1: L-694bde (What condition says about the client.) is broken. docker broken: no evidence of docker: there is no Dockerfile or compose file. #spinner drifted: `spinner` has changed.
        error entry-broken src/net.rs:18-21: L-8c43ee (What gone says about the client.) is broken. src/net.rs:18-21 broken: `jitter` is gone from src/net.rs.
        warning entry-drifted src/gr%C3%B6%C3%9Fe%20der%20Datei.rs:2-2: L-503269 (What odd says about the client.) is drifted. src/größe der Datei.rs:2 drifted: those lines of `spinner` have changed."#]].assert_eq(&is_sarif(&answer.out).join("\n"));
    let empty = world.ken("check --changed --format sarif --fail-on never").ok();
    is_sarif(&empty.out);
}
