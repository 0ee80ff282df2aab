//! Conditions: every kind of them, what is wrong with one that nobody can answer, and what follows through entries (VAL-1, VAL-1b).

use expect_test::expect;

use super::{lesson, standing, world};
use crate::transcript::play;
use crate::world::World;

/// A repository with manifests, locks, settings and a Dockerfile.
fn furnished() -> World {
    let world = world();
    world.write("Cargo.toml", "[package]\nname = \"net\"\n\n[dependencies]\ntokio = \"1.38\"\n");
    world.write("Cargo.lock", "version = 3\n\n[[package]]\nname = \"tokio\"\nversion = \"1.40.2\"\n");
    world.write("web/package.json", "{\"dependencies\": {\"react\": \"18.2.0\"}}\n");
    world.write("requirements.txt", "flask==2.3.1\n");
    world.write("go.mod", "module example.org/net\n\ngo 1.22\n\nrequire github.com/pkg/errors v0.9.1\n");
    world.write("config/app.toml", "[net]\nretries = 3\n");
    world.write("config/app.yaml", "net:\n  host: example.org\n");
    world.write("config/app.json", "{\"net\": {\"tls\": true}}\n");
    world.write("config/app.ini", "[net]\nport = 8080\n");
    world.write(".env", "MODE=fast\n");
    world.write("Dockerfile", "FROM scratch\n");
    world
}

fn depending(world: &World, id: &str, conditions: &[&str]) {
    let flags: Vec<&str> = conditions.iter().flat_map(|condition| ["--depends-on", *condition]).collect();
    lesson(world, id, &[&["--anchor", "src/net.rs"], &flags[..]].concat());
}

/// "Each answers holds | broken(why) | unverifiable(why)": `holds` holds, `broken` has one value changed, `wrong` one word.
#[test]
fn val_1_every_kind_of_condition_holds_breaks_or_says_why_nobody_can_tell() {
    let world = furnished();
    let blob = &world.git("hash-object src/net.rs")[..10];
    depending(&world, "other", &[]);
    let unchanged = format!("src/net.rs@{blob}");
    let holding = [
        "tokio ^1.38",
        "react >= 18",
        "flask = 2.3.1",
        "github.com/pkg/errors >= 0.9",
        "src/net.rs exists",
        "src/net.rs",
        "src/net.rs#Client.retry",
        &unchanged,
        "src/**/*.rs =~ /jitter\\(attempt\\)/",
        "config/app.toml:net.retries = 3",
        "config/app.yaml:net.host = example.org",
        "config/app.json:net.tls = true",
        "config/app.ini:net.port > 8000",
        ".env:MODE =~ /^fa/",
        "docker",
        "other",
        "NOT tokio < 1",
        "NOT src/old.rs exists",
        "NOT src/net.rs =~ /unsafe/",
    ];
    depending(&world, "holds", &holding);
    let broken = [
        "tokio ^2",
        "left-pad >= 1",
        "src/old.rs exists",
        "src/net.rs#Client.abort",
        "src/net.rs@0123456789",
        "src/**/*.rs =~ /unsafe/",
        "config/app.toml:net.retries = 4",
        "config/app.toml:net.pause = 4",
        "config/app.ini:net.port < 8000",
        ".env:MODE = slow",
        "monorepo",
        "NOT docker",
        "NOT src/net.rs",
    ];
    depending(&world, "broken", &broken);
    let wrong = [
        "tokio 1.38",
        "tokio ^one",
        "src/net.rs exits",
        "src/net.rs#",
        "src/net.rs@xyz",
        "src/net.rs =~ /(/",
        "src/net.rs =~ jitter",
        "config/app.toml:net.retries ~ 3",
        "config/app.toml:net.retries < many",
        "src/net.rs:12",
        "no-such-entry",
        "NOT NOT docker",
        "../outside exists",
    ];
    depending(&world, "wrong", &wrong);
    assert_eq!(standing(&world, &["holds"]), "holds: fresh\n");
    expect![[r#"
        broken: broken
          tokio ^2 broken: tokio is 1.40.2 (Cargo.lock), not ^2
          left-pad >= 1 unverifiable: no manifest names left-pad
          src/old.rs exists broken: src/old.rs does not exist
          src/net.rs#Client.abort broken: src/net.rs has no Client.abort
          src/net.rs@0123456789 broken: src/net.rs changed
          src/**/*.rs =~ /unsafe/ broken: /unsafe/ is in none of the 1 files of src/**/*.rs
          config/app.toml:net.retries = 4 broken: net.retries is 3 in config/app.toml, not 4
          config/app.toml:net.pause = 4 broken: config/app.toml has no net.pause
          config/app.ini:net.port < 8000 broken: net.port is "8080" in config/app.ini, not < 8000
          .env:MODE = slow broken: MODE is a value that is not shown in .env, not slow
          monorepo broken: no evidence of monorepo: there is no workspace, nx.json, turbo.json or second package
          NOT docker broken: docker follows from Dockerfile
          NOT src/net.rs broken: src/net.rs exists
        wrong: unverifiable
          tokio 1.38 unverifiable: `tokio 1.38` does not say how to compare; write `tokio ^1.38` (compatible) or `tokio = 1.38`
          tokio ^one unverifiable: `tokio ^one` has no version after its operator; write one such as 1.38 or 2.0.0-rc1
          src/net.rs exits unverifiable: `src/net.rs exits` is not a condition; write `tokio ^1.38`, `src/net.rs exists`, `src/net.rs#retry`, `src/net.rs@1a2b3c4`, `src/**/*.rs =~ /regex/`, `config/app.toml:net.retries = 3`, an entry's id or a fact such as `docker`, each with or without NOT before it
          src/net.rs# unverifiable: `src/net.rs#` names no symbol; write `src/net.rs#symbol`, or `src/net.rs` alone
          src/net.rs@xyz unverifiable: `xyz` in `src/net.rs@xyz` is not a blob id; `git hash-object src/net.rs` prints one; quote the path if the `@` belongs to it
          src/net.rs =~ /(/ unverifiable: the pattern /(/ is invalid: unclosed group
          src/net.rs =~ jitter unverifiable: `jitter` is not a pattern; write it between slashes: `/regex/`
          config/app.toml:net.retries ~ 3 unverifiable: `config/app.toml:net.retries ~ 3` does not say how to compare the setting; allowed are = == != < <= > >= and =~
          config/app.toml:net.retries < many unverifiable: net.retries is 3 in config/app.toml, which cannot be compared with many by size
          src/net.rs:12 unverifiable: `src/net.rs:12` names lines, and lines move; write `src/net.rs#symbol` or `src/net.rs =~ /regex/`
          no-such-entry unverifiable: no-such-entry is not a known entry, file or fact
          NOT NOT docker unverifiable: `NOT NOT docker` says NOT twice; write it once or not at all
          ../outside exists unverifiable: "../outside" points outside the repository; write a path inside it
    "#]].assert_eq(&standing(&world, &["broken", "wrong"]));
}

/// The same conditions in one entry: the worst counts (VAL-2).
#[test]
fn val_2_one_broken_condition_breaks_an_entry_and_one_that_nobody_can_answer_does_not() {
    let world = furnished();
    depending(&world, "both", &["docker", "tokio 1.38", "tokio ^2"]);
    depending(&world, "open", &["docker", "tokio 1.38"]);
    expect![[r#"
        both: broken
          tokio 1.38 unverifiable: `tokio 1.38` does not say how to compare; write `tokio ^1.38` (compatible) or `tokio = 1.38`
          tokio ^2 broken: tokio is 1.40.2 (Cargo.lock), not ^2
        open: unverifiable
          tokio 1.38 unverifiable: `tokio 1.38` does not say how to compare; write `tokio ^1.38` (compatible) or `tokio = 1.38`
    "#]].assert_eq(&standing(&world, &[]));
}

/// "Propagation through entries with the chain shown, cycles reported, recovery when the cause is mended (VAL-1b)."
#[test]
fn val_1b_a_chain_breaks_and_recovers_with_its_cause() {
    let world = furnished();
    depending(&world, "a", &["config/app.toml:net.retries = 3"]);
    depending(&world, "b", &["a"]);
    depending(&world, "c", &["b"]);
    depending(&world, "against", &["NOT a"]);
    let script = "
ken check c against
 sed -i s/3/4/ config/app.toml
ken check
ken check c --json
 sed -i s/4/3/ config/app.toml
ken check c against
";
    expect![[r#"
        $ ken check c against
        broken       L-d58d37  What against says about the client.
            because of L-e4d33f
            NOT a broken: L-e4d33f stands
        fresh        L-95375b  What c says about the client.
        2 entries: 1 fresh, 1 broken
        [exit 1]
        $ ken check
        broken       L-e4d33f  What a says about the client.
            config/app.toml:net.retries = 3 broken: net.retries is 4 in config/app.toml, not 3
        broken       L-89b8a6  What b says about the client.
            because of L-e4d33f: config/app.toml:net.retries = 3: net.retries is 4 in config/app.toml, not 3
            a broken: L-e4d33f is broken
        broken       L-95375b  What c says about the client.
            because of L-89b8a6, which depends on L-e4d33f: config/app.toml:net.retries = 3: net.retries is 4 in config/app.toml, not 3
            b broken: L-89b8a6 is broken
        4 entries: 1 fresh, 3 broken
        [exit 1]
        $ ken check c --json
        {
          "entries": [
            {
              "id": "c",
              "handle": "L-95375b",
              "memory": "semantic",
              "type": "lesson",
              "status": "candidate",
              "title": "What c says about the client.",
              "verdict": "broken",
              "because": [
                "b",
                "a"
              ],
              "cause": "config/app.toml:net.retries = 3: net.retries is 4 in config/app.toml, not 3",
              "conditions": [
                {
                  "text": "b",
                  "verdict": "broken",
                  "why": "L-89b8a6 is broken"
                }
              ],
              "anchors": [
                {
                  "at": "src/net.rs",
                  "verdict": "fresh",
                  "now": null,
                  "why": "unchanged"
                }
              ]
            }
          ],
          "summary": {
            "entries": 1,
            "fresh": 0,
            "moved": 0,
            "drifted": 0,
            "broken": 1,
            "unverifiable": 0,
            "to_accept": 0
          }
        }
        [exit 1]
        $ ken check c against
        broken       L-d58d37  What against says about the client.
            because of L-e4d33f
            NOT a broken: L-e4d33f stands
        fresh        L-95375b  What c says about the client.
        2 entries: 1 fresh, 1 broken
        [exit 1]
    "#]]
    .assert_eq(&play(&world, script));
}

#[test]
fn val_1b_what_is_retracted_or_superseded_carries_nothing_and_what_is_restored_does() {
    let world = furnished();
    depending(&world, "a", &[]);
    depending(&world, "b", &["a"]);
    depending(&world, "c", &["b"]);
    let script = "
ken check
 ken retract a --reason 'it was wrong'
ken check
 ken restore a --reason 'it was right'
ken check
 ken archive a --reason 'nobody asks'
ken check
 ken undo
 ken supersede a --statement 'Another thing about the client.' --id a2 --evidence pr:2 --anchor src/net.rs --verify look --reason 'clearer'
ken check
 ken edit b --depends-on a2
ken check
";
    expect![[r#"
        $ ken check
        3 entries: 3 fresh
        $ ken check
        broken       L-89b8a6  What b says about the client.
            because of L-e4d33f: retracted: it was wrong
            a broken: L-e4d33f is retracted: it was wrong
        broken       L-95375b  What c says about the client.
            because of L-89b8a6, which depends on L-e4d33f: retracted: it was wrong
            b broken: L-89b8a6 is broken
        2 entries: 2 broken
        [exit 1]
        $ ken check
        3 entries: 3 fresh
        $ ken check
        broken       L-89b8a6  What b says about the client.
            because of L-e4d33f: archived: nobody asks
            a broken: L-e4d33f is archived: nobody asks
        broken       L-95375b  What c says about the client.
            because of L-89b8a6, which depends on L-e4d33f: archived: nobody asks
            b broken: L-89b8a6 is broken
        2 entries: 2 broken
        [exit 1]
        $ ken check
        broken       L-89b8a6  What b says about the client.
            because of L-e4d33f: superseded: clearer
            a broken: L-e4d33f is superseded: clearer
        broken       L-95375b  What c says about the client.
            because of L-89b8a6, which depends on L-e4d33f: superseded: clearer
            b broken: L-89b8a6 is broken
        3 entries: 1 fresh, 2 broken
        [exit 1]
        $ ken check
        3 entries: 3 fresh
    "#]]
    .assert_eq(&play(&world, script));
}

#[test]
fn val_1b_a_circle_is_reported_and_breaks_nothing_by_itself() {
    let world = furnished();
    depending(&world, "a", &[]);
    depending(&world, "b", &["a"]);
    depending(&world, "c", &["b"]);
    depending(&world, "self", &[]);
    world.ken("edit a --depends-on c").ok();
    world.ken("edit self --depends-on self").ok();
    let circle = standing(&world, &[]);
    world.ken_args(&["edit", "b", "--depends-on", "a", "--depends-on", "tokio ^2"]).ok();
    let broken = standing(&world, &[]);
    world.ken_args(&["edit", "a", "--clear", "depends_on"]).ok();
    let opened = standing(&world, &["a", "b", "c"]);
    expect![[r#"
        a: unverifiable
          c unverifiable: a circle: L-89b8a6, L-95375b, L-e4d33f depend on each other
        b: unverifiable
          a unverifiable: a circle: L-89b8a6, L-95375b, L-e4d33f depend on each other
        c: unverifiable
          b unverifiable: a circle: L-89b8a6, L-95375b, L-e4d33f depend on each other
        self: unverifiable
          self unverifiable: a circle: L-6dc0b7 depends on itself
        -- and one of them broken
        a: broken, because of c <- b
          c broken: L-95375b is broken
        b: broken
          a unverifiable: a circle: L-89b8a6, L-95375b, L-e4d33f depend on each other
          tokio ^2 broken: tokio is 1.40.2 (Cargo.lock), not ^2
        c: broken, because of b
          b broken: L-89b8a6 is broken
        self: unverifiable
          self unverifiable: a circle: L-6dc0b7 depends on itself
        -- the circle opened
        a: fresh
        b: broken
          tokio ^2 broken: tokio is 1.40.2 (Cargo.lock), not ^2
        c: broken, because of b
          b broken: L-89b8a6 is broken
    "#]]
    .assert_eq(&format!("{circle}-- and one of them broken\n{broken}-- the circle opened\n{opened}"));
}

/// Two entries that say NOT to each other cannot both hold; nobody goes round in them for ever.
#[test]
fn val_1b_two_that_deny_each_other_are_a_circle_too() {
    let world = furnished();
    depending(&world, "a", &[]);
    depending(&world, "b", &["NOT a"]);
    world.ken_args(&["edit", "a", "--depends-on", "NOT b"]).ok();
    expect![[r#"
        a: unverifiable
          NOT b unverifiable: a circle: L-89b8a6, L-e4d33f depend on each other
        b: unverifiable
          NOT a unverifiable: a circle: L-89b8a6, L-e4d33f depend on each other
    "#]]
    .assert_eq(&standing(&world, &[]));
}
