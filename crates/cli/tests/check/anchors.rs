//! Places: taken down at add in every form, followed through every kind of change, and put where the code is now (VAL-3).

use expect_test::expect;
use serde_json::Value;

use super::{NET, checked, commit, lesson, standing, world};
use crate::transcript::play;
use crate::world::World;

/// "Anchors captured at add (`path`, `path:47`, `path:47-52`, `path#symbol`, symbol alone)".
const FORMS: &[(&str, &str)] = &[
    ("file", "src/net.rs"),
    ("line", "src/net.rs:12"),
    ("lines", "src/net.rs:18-21"),
    ("symbol", "src/net.rs#Client.retry"),
    ("alone", "#jitter"),
];

fn anchored() -> World {
    let world = world();
    for (id, at) in FORMS {
        lesson(&world, id, &["--anchor", at]);
    }
    commit(&world, "knowledge");
    world
}

#[test]
fn val_3_every_form_is_captured_at_add() {
    let world = anchored();
    let blob = world.git("hash-object src/net.rs");
    let mut text = String::new();
    for (id, at) in FORMS {
        let shown = world.ken_args(&["show", id, "--json"]).ok().json();
        let captured = &shown["anchors"][0]["captured"];
        assert_eq!(captured["blob"], blob.as_str(), "{id}");
        let told = ["by", "path", "lines", "symbol"].map(|name| captured[name].to_string());
        text += &format!("{at}: {}\n", told.join(" "));
    }
    expect![[r#"
        src/net.rs: "rust.1" null null null
        src/net.rs:12: "rust.1" null [12,12] "Client.retry"
        src/net.rs:18-21: "rust.1" null [18,21] "jitter"
        src/net.rs#Client.retry: "rust.1" null [6,15] "Client.retry"
        #jitter: "rust.1" "src/net.rs" [18,21] "jitter"
    "#]]
    .assert_eq(&text);
}

#[test]
fn val_3_what_only_moved_is_not_stale_and_what_was_rewritten_is() {
    let world = anchored();
    let (head, jitter) = NET.split_at(NET.find("fn jitter").unwrap());
    let changes: &[(&str, &dyn Fn())] = &[
        ("a comment added", &|| {
            let commented = NET.replace("let mut waited", "// Counts up.\n        let mut waited");
            world.write(
                "src/net.rs",
                &format!(
                    "// About the net.\n\n{}",
                    commented.replace("fn jitter", "/// Some noise.\nfn jitter")
                ),
            );
        }),
        ("reformatted", &|| {
            let joined =
                NET.replace("    ", "\t").replace("u32) -> Duration {\n\t", "u32,\n) -> Duration\n{\n\t\t");
            world.write("src/net.rs", &joined);
        }),
        ("the file renamed", &|| {
            world.git("mv src/net.rs src/transport.rs");
        }),
        ("a function moved within the file", &|| world.write("src/net.rs", &format!("{jitter}\n{head}"))),
        ("a function moved to another file", &|| {
            world.write("src/net.rs", head);
            world.write("src/noise.rs", &format!("use std::time::Duration;\n\n{jitter}"));
        }),
        ("a body rewritten", &|| {
            let body =
                "    let waits = [5, 10, 30];\n    waits.get(attempt).copied().unwrap_or(LONGEST)\n}\n";
            world.write("src/net.rs", &format!("{head}fn jitter(attempt: u32) -> Duration {{\n{body}"));
        }),
        ("a function deleted", &|| world.write("src/net.rs", head)),
        ("the file deleted", &|| {
            world.git("rm -q src/net.rs");
        }),
    ];
    let mut text = String::new();
    for (what, change) in changes {
        change();
        text += &format!("-- {what}\n{}", standing(&world, &[]));
        world.git("reset -q --hard");
        world.git("clean -q -f -d src");
    }
    text += &format!("-- everything as it was\n{}", standing(&world, &[]));
    expect![[r#"
        -- a comment added
        alone: fresh
        file: fresh
        line: moved
          src/net.rs:12 moved, now src/net.rs:15
        lines: moved
          src/net.rs:18-21 moved, now src/net.rs:22-25
        symbol: fresh
        -- reformatted
        alone: fresh
        file: fresh
        line: fresh
        lines: moved
          src/net.rs:18-21 moved, now src/net.rs:18-23
        symbol: fresh
        -- the file renamed
        alone: moved
          #jitter moved, now src/transport.rs#jitter
        file: moved
          src/net.rs moved, now src/transport.rs
        line: moved
          src/net.rs:12 moved, now src/transport.rs:12
        lines: moved
          src/net.rs:18-21 moved, now src/transport.rs:18-21
        symbol: moved
          src/net.rs#Client.retry moved, now src/transport.rs#Client.retry
        -- a function moved within the file
        alone: fresh
        file: fresh
        line: moved
          src/net.rs:12 moved, now src/net.rs:17
        lines: moved
          src/net.rs:18-21 moved, now src/net.rs:1-4
        symbol: fresh
        -- a function moved to another file
        alone: moved
          #jitter moved, now src/noise.rs#jitter
        file: drifted
          src/net.rs drifted: src/net.rs has changed
        line: fresh
        lines: moved
          src/net.rs:18-21 moved, now src/noise.rs:3-6
        symbol: fresh
        -- a body rewritten
        alone: drifted
          #jitter drifted: `jitter` has changed
        file: drifted
          src/net.rs drifted: src/net.rs has changed
        line: fresh
        lines: drifted
          src/net.rs:18-21 drifted: those lines of `jitter` have changed
        symbol: fresh
        -- a function deleted
        alone: broken
          #jitter broken: `jitter` is gone from src/net.rs
        file: drifted
          src/net.rs drifted: src/net.rs has changed
        line: fresh
        lines: broken
          src/net.rs:18-21 broken: `jitter` is gone from src/net.rs
        symbol: fresh
        -- the file deleted
        alone: broken
          #jitter broken: src/net.rs is gone
        file: broken
          src/net.rs broken: src/net.rs is gone
        line: broken
          src/net.rs:12 broken: src/net.rs is gone
        lines: broken
          src/net.rs:18-21 broken: src/net.rs is gone
        symbol: broken
          src/net.rs#Client.retry broken: src/net.rs is gone
        -- everything as it was
        alone: fresh
        file: fresh
        line: fresh
        lines: fresh
        symbol: fresh
    "#]]
    .assert_eq(&text);
}

/// "Re-anchoring is computed, shown, and recorded by `ken check --accept`."
#[test]
fn val_3_a_re_anchoring_is_shown_recorded_told_and_taken_back() {
    let world = anchored();
    let script = "
 git mv src/net.rs src/transport.rs
ken check
ken check --accept
ken check
ken check --accept
ken log symbol
ken undo
ken check
";
    expect![[r#"
        $ ken check
        moved        L-3cd866  What alone says about the client.
            #jitter moved to src/transport.rs#jitter
        moved        L-8278f0  What file says about the client.
            src/net.rs moved to src/transport.rs
        moved        L-0a94f2  What line says about the client.
            src/net.rs:12 moved to src/transport.rs:12
        moved        L-3a76d3  What lines says about the client.
            src/net.rs:18-21 moved to src/transport.rs:18-21
        moved        L-e1477d  What symbol says about the client.
            src/net.rs#Client.retry moved to src/transport.rs#Client.retry
        5 entries: 5 moved
        `ken check --accept` updates the anchors
        $ ken check --accept
        L-3cd866  #jitter is now src/transport.rs#jitter
        L-8278f0  src/net.rs is now src/transport.rs
        L-0a94f2  src/net.rs:12 is now src/transport.rs:12
        L-3a76d3  src/net.rs:18-21 is now src/transport.rs:18-21
        L-e1477d  src/net.rs#Client.retry is now src/transport.rs#Client.retry
        5 entries: 5 fresh
        $ ken check
        5 entries: 5 fresh
        $ ken check --accept
        5 entries: 5 fresh
        $ ken log symbol
          EVENT 2026-01-02 03:04  human:Ada  added as a lesson, with 1 citation
          EVENT 2026-01-02 03:04  human:Ada  cited pr:1 by human:Ada, unverified
          EVENT 2026-01-02 03:04  human:Ada  src/net.rs#Client.retry is now src/transport.rs#Client.retry
        $ ken undo
        L-e1477d What symbol says about the client.
          undid the new anchors; now candidate
        L-3a76d3 What lines says about the client.
          undid the new anchors; now candidate
        L-0a94f2 What line says about the client.
          undid the new anchors; now candidate
        L-8278f0 What file says about the client.
          undid the new anchors; now candidate
        L-3cd866 What alone says about the client.
          undid the new anchors; now candidate
        `ken undo` again reverses this; it never goes further back
        $ ken check
        moved        L-3cd866  What alone says about the client.
            #jitter moved to src/transport.rs#jitter
        moved        L-8278f0  What file says about the client.
            src/net.rs moved to src/transport.rs
        moved        L-0a94f2  What line says about the client.
            src/net.rs:12 moved to src/transport.rs:12
        moved        L-3a76d3  What lines says about the client.
            src/net.rs:18-21 moved to src/transport.rs:18-21
        moved        L-e1477d  What symbol says about the client.
            src/net.rs#Client.retry moved to src/transport.rs#Client.retry
        5 entries: 5 moved
        `ken check --accept` updates the anchors
    "#]]
    .assert_eq(&play(&world, script));
}

#[test]
fn val_3_drifted_code_is_taken_down_only_for_entries_that_somebody_names() {
    let world = anchored();
    world.write(
        "src/net.rs",
        &NET.replace("waited += jitter(attempt);", "sleep(jitter(attempt) / 2); waited += SLOW;"),
    );
    let script = "
ken check --accept
ken check --accept --drifted
ken check symbol --accept --drifted
ken check symbol line
ken undo
ken check symbol
";
    expect![[r#"
        $ ken check --accept
        drifted      L-8278f0  What file says about the client.
            src/net.rs drifted: src/net.rs has changed
        drifted      L-0a94f2  What line says about the client.
            src/net.rs:12 drifted: those lines of `Client.retry` have changed
        drifted      L-e1477d  What symbol says about the client.
            src/net.rs#Client.retry drifted: `Client.retry` has changed
        5 entries: 2 fresh, 3 drifted
        if a drifted entry still holds: `ken check ID --accept --drifted`; otherwise revise, supersede or retract it
        $ ken check --accept --drifted
        ! error: the following required arguments were not provided: <IDS>...
        ! hint: `ken check --help` lists its options
        [exit 2]
        $ ken check symbol --accept --drifted
        L-e1477d  src/net.rs#Client.retry updated
        fresh        L-e1477d  What symbol says about the client.
        1 entry: 1 fresh
        $ ken check symbol line
        drifted      L-0a94f2  What line says about the client.
            src/net.rs:12 drifted: those lines of `Client.retry` have changed
        fresh        L-e1477d  What symbol says about the client.
        2 entries: 1 fresh, 1 drifted
        if a drifted entry still holds: `ken check ID --accept --drifted`; otherwise revise, supersede or retract it
        $ ken undo
        L-e1477d What symbol says about the client.
          undid the new anchors; now candidate
        `ken undo` again reverses this; it never goes further back
        $ ken check symbol
        drifted      L-e1477d  What symbol says about the client.
            src/net.rs#Client.retry drifted: `Client.retry` has changed
        1 entry: 1 drifted
        if a drifted entry still holds: `ken check ID --accept --drifted`; otherwise revise, supersede or retract it
    "#]]
    .assert_eq(&play(&world, script));
}

#[test]
fn val_3_what_is_gone_cannot_be_accepted() {
    let world = anchored();
    world.git("rm -q src/net.rs");
    let accepted = checked(&world, &["symbol", "--accept", "--drifted"]);
    assert_eq!(accepted["accepted"], Value::Array(Vec::new()));
    assert_eq!(accepted["entries"][0]["verdict"], "broken");
}

/// Norms and decisions change by supersession alone; where their code stands is not what they say.
#[test]
fn val_3_entries_that_nobody_may_revise_are_re_anchored_too() {
    let world = world();
    let rest = ["--evidence", "pr:1", "--anchor", "src/net.rs#jitter", "--verify", "look"];
    let rule =
        ["add", "commit_norm", "--id", "norm.commit.1", "--rule", "Say why a wait is as long as it is."];
    let decision =
        ["add", "experience", "We wait with noise.", "--id", "decision.noise", "--subtype", "decision"];
    for said in [&rule[..], &decision[..]] {
        world.ken_args(&[said, &rest].concat()).ok();
    }
    world.git("mv src/net.rs src/transport.rs");
    let script = "
ken edit norm.commit.1 --anchor src/transport.rs
ken check --accept
ken check
ken log decision.noise
";
    expect![[r#"
        $ ken edit norm.commit.1 --anchor src/transport.rs
        ! error: norm.commit.1 is a commit_norm, which changes only by supersession
        ! hint: ken supersede norm.commit.1 --rule '...' --evidence ...
        [exit 4]
        $ ken check --accept
        X-663da0  src/net.rs#jitter is now src/transport.rs#jitter
        N-a5d11d  src/net.rs#jitter is now src/transport.rs#jitter
        2 entries: 2 fresh
        $ ken check
        2 entries: 2 fresh
        $ ken log decision.noise
          EVENT 2026-01-02 03:04  human:Ada  added as an experience, with 1 citation
          EVENT 2026-01-02 03:04  human:Ada  cited pr:1 by human:Ada, unverified
          EVENT 2026-01-02 03:04  human:Ada  src/net.rs#jitter is now src/transport.rs#jitter
    "#]]
    .assert_eq(&play(&world, script));
}

/// Accepting twice is accepting once, and an entry that was never looked at is taken down then.
#[test]
fn val_3_a_place_that_came_later_is_taken_down_by_accept() {
    let world = world();
    let said = lesson(&world, "later", &["--anchor", "src/later.rs#wait"]);
    assert!(
        said.out.contains("src/later.rs#wait cannot be tracked: src/later.rs does not exist"),
        "{}",
        said.out
    );
    expect![[r#"
        later: unverifiable
          src/later.rs#wait unverifiable: src/later.rs does not exist, and never did in this history
    "#]]
    .assert_eq(&standing(&world, &[]));
    world.write("src/later.rs", "fn wait(long: bool) -> u32 {\n    if long { 30 } else { 3 }\n}\n");
    let script = "
ken check
ken check --accept
ken check --accept
ken check later
";
    expect![[r#"
        $ ken check
        unverifiable L-04f769  What later says about the client.
            src/later.rs#wait unverifiable: no fingerprint was stored when it was added; `ken check --accept` stores one
        1 entry: 1 unverifiable
        $ ken check --accept
        L-04f769  src/later.rs#wait updated
        1 entry: 1 fresh
        $ ken check --accept
        1 entry: 1 fresh
        $ ken check later
        fresh        L-04f769  What later says about the client.
        1 entry: 1 fresh
    "#]].assert_eq(&play(&world, script));
}
