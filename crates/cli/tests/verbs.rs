//! Every verb through the binary, as a person reads it and as a program does.

use std::collections::BTreeSet;

use expect_test::{Expect, expect, expect_file};

use crate::transcript::{play, shell, skip, steady};
use crate::world::World;

/// Plays a script in a repository with a store and compares what came back.
fn check(script: &str, expected: Expect) {
    expected.assert_eq(&play(&World::with_store(), script));
}

/// What every lesson here rests on.
const REST: &str = "--evidence pr:1 --anchor src/net.rs --verify look";

/// A store with three lessons: `one`, `two` and `three`, committed.
fn three() -> World {
    let world = World::with_store();
    for (id, statement) in
        [("one", "Retry with jitter."), ("two", "Close what you open."), ("three", "Name the unit.")]
    {
        let line = format!("ken add lesson '{statement}' --id {id} {REST}");
        assert_eq!(shell(&world, &line).code, 0);
    }
    world.git("add -A");
    world.git("commit -q -m three");
    world
}

fn check_three(script: &str, expected: Expect) {
    expected.assert_eq(&play(&three(), script));
}

#[test]
fn init_makes_a_store_and_a_second_time_nothing() {
    let world = World::repository();
    expect![[r#"
        $ ken list
        ! error: there is no knowledge store here or in any folder above
        ! hint: `ken init` makes one at the top of this repository
        [exit 3]
        $ ken init
        made .kenning/VERSION
        made .kenning/config.toml
        made .kenning/.gitattributes
        made .kenning/.gitignore
        made .kenning/INDEX.md

        A store is ready. Next:
          ken add lesson 'What you learned.' --evidence commit:HASH --anchor PATH --verify 'how to check it'
          ken commit
        $ ken init
        the store is there already; nothing was changed
        $ ken init --json
        {
          "store": ".kenning",
          "changed": false,
          "done": []
        }
        $ ken init --hooks
        installed the pre-commit hook (ken flush --stage)
        $ cat .git/hooks/pre-commit
        #!/bin/sh
        # >>> kenning: write out what waits in the journal >>>
        if command -v ken >/dev/null 2>&1; then ken flush --stage --quiet || true; fi
        # <<< kenning <<<
        $ ken init --private
        added /.kenning/ to this clone's info/exclude
        $ cat .kenning/.gitattributes .kenning/.gitignore .kenning/VERSION
        *.jsonl -text merge=union
        INDEX.md -text merge=union
        .local/
        .index/
        .health/
        .review/
        .*.tmp
        1.0.0
        $ git status --short
        $ ken init --remove
        removed the pre-commit hook
        removed .kenning
        removed the store from this clone's info/exclude
        removed this clone's journal and index
        $ ken init --remove
        ! error: there is no knowledge store here or in any folder above
        ! hint: `ken init` makes one at the top of this repository
        [exit 3]
        $ git status --short
    "#]]
    .assert_eq(&play(
        &world,
        "ken list
ken init
ken init
ken init --json
ken init --hooks
cat .git/hooks/pre-commit
ken init --private
cat .kenning/.gitattributes .kenning/.gitignore .kenning/VERSION
git status --short
ken init --remove
ken init --remove
git status --short",
    ));
}

#[test]
fn a_store_that_holds_knowledge_is_not_removed() {
    check_three(
        "ken init --remove\nken list --json | grep -c '\"id\"'",
        expect![[r#"
        $ ken init --remove
        .kenning holds knowledge and was left as it is; to delete it: git rm -r .kenning
        $ ken list --json | grep -c '"id"'
        3
    "#]],
    );
}

#[test]
fn a_store_outside_git_works_too() {
    let world = World::bare();
    expect![[r#"
        $ ken init
        made .kenning/VERSION
        made .kenning/config.toml
        made .kenning/.gitattributes
        made .kenning/.gitignore
        made .kenning/INDEX.md

        A store is ready. Next:
          ken add lesson 'What you learned.' --evidence commit:HASH --anchor PATH --verify 'how to check it'
        $ KEN_ACTOR=human:Ada ken note 'No git here.'
        added signal.36a7e269d551c4f7
        $ ken list
        signal.36a7e269d551c4f7	signal	candidate	No git here.		2026-01-02	50 %
        $ ken commit
        ! error: this store is not in a git repository; there is nothing to commit to
        [exit 4]
        $ ken doctor
        ok    writing the store can be written
        ok    ledger  every line can be read
        ok    meaning every entry has its vector of all-MiniLM-L6-v2-int8-f4a341cf
        ok    scanner all five axes fire (rules 1); 0 kept out
        ok    verify  1 event, 1 entry, no errors
        ok    journal nothing waits to be written out
        ok    git     not in a git repository; the journal is in .kenning/.local
        warn  actor   neither git nor the environment says who you are
                      git config user.name 'Your Name', or set KEN_ACTOR
        ok    hosts   no agent host is connected
                      `ken setup` lists the hosts there are
        $ ken where
        project  /scratch/repo/.kenning  (found by walking up from here)
        journal  /scratch/repo/.kenning/.local/journal
        index    /scratch/repo/.kenning/.index/index
        global   none yet; `ken --global init` makes one in /scratch/home/data/kenning
        actor    human:unknown
        hosts    none connected; `ken setup` lists them
        agents   see 0 entries; `ken brief` is what they begin with, `ken stats` what they got
        $ ls -A .kenning
        .gitattributes
        .gitignore
        .index
        .local
        INDEX.md
        VERSION
        config.toml
        episodic
    "#]]
    .assert_eq(&play(
        &world,
        "ken init
KEN_ACTOR=human:Ada ken note 'No git here.'
ken list
ken commit
ken doctor
ken where
ls -A .kenning",
    ));
}

/// ENT-1: one entry of every type, each with what its type needs.
const EVERY_TYPE: &[(&str, &str)] = &[
    ("entity", "--name Gateway --description 'The front door.' --attribute port=80 --attribute owner=ops"),
    ("relationship", "--from Gateway --relation calls --to Billing"),
    ("skill", "'Bisect before you guess.' --subtype technique --anchor src/net.rs --verify look"),
    ("experience", "'We chose SQLite.' --subtype decision --anchor src/net.rs --verify look"),
    ("lesson", "'Retry with jitter.' --anchor src/net.rs:1-3 --verify 'grep jitter src/net.rs'"),
    (
        "spike",
        "--hypothesis 'WAL is faster.' --outcome confirmed --decision 'Use it.' --rounds 2 --anchor src/net.rs --verify look",
    ),
    (
        "pattern",
        "'Locks held across awaits.' --severity 7 --confidence 8.5 --reviewer rita --anchor src/net.rs --verify look",
    ),
    ("incident", "'The queue filled up.' --anchor src/net.rs#retry --verify look"),
    ("false_positive", "'The unwrap in main is safe.' --anchor src/net.rs --verify look"),
    (
        "commit_norm",
        "--rule 'Use conventional commits.' --id norm.commit.001 --example 'feat: x' --exception merges --enforcement '{\"kind\":\"mechanical\",\"rule\":\"conventional_commits\"}'",
    ),
    ("pr_expectation", "--rule 'A pull request has tests.'"),
    ("user_expectation", "--rule 'Done means deployed.'"),
    ("risk_tier", "--rule 'Migrations are high risk.'"),
    ("friction", "'cargo test hung' --subtype tool_error"),
    ("signal", "'Builds are slow on Mondays.'"),
    ("run", "'Review of pull request 7.'"),
    ("observation", "'The lesson on jitter helped.'"),
];

#[test]
fn every_type_can_be_added_shown_and_listed() {
    let world = World::with_store();
    let mut script = String::new();
    for (kind, flags) in EVERY_TYPE {
        let evidence = if ["friction", "signal", "run", "observation"].contains(kind) {
            ""
        } else {
            " --evidence '#12'"
        };
        script += &format!("ken add {kind} {flags}{evidence}\n");
    }
    script += "ken list --sort created --limit 0\nken verify\nfind .kenning -name '*.jsonl' | sort\ncat .kenning/INDEX.md\n";
    expect![[r#"
        $ ken add entity --name Gateway --description 'The front door.' --attribute port=80 --attribute owner=ops --evidence '#12'
        added entity.6446294ceb34d9d0
        $ ken add relationship --from Gateway --relation calls --to Billing --evidence '#12'
        added relationship.262cd2837c0831a0
        $ ken add skill 'Bisect before you guess.' --subtype technique --anchor src/net.rs --verify look --evidence '#12'
        added skill.6535baf2426285e0
        $ ken add experience 'We chose SQLite.' --subtype decision --anchor src/net.rs --verify look --evidence '#12'
        added experience.9c102df1706e84e5
        $ ken add lesson 'Retry with jitter.' --anchor src/net.rs:1-3 --verify 'grep jitter src/net.rs' --evidence '#12'
        added L-7b9baa  lesson.7b9baa8856474b00
        $ ken add spike --hypothesis 'WAL is faster.' --outcome confirmed --decision 'Use it.' --rounds 2 --anchor src/net.rs --verify look --evidence '#12'
        added S-6bd321  spike.6bd3217123e65891
        $ ken add pattern 'Locks held across awaits.' --severity 7 --confidence 8.5 --reviewer rita --anchor src/net.rs --verify look --evidence '#12'
        added pattern.e1c2c3b7251f2ae6
        $ ken add incident 'The queue filled up.' --anchor src/net.rs#retry --verify look --evidence '#12'
        added incident.05dec86dad0cfd61
        $ ken add false_positive 'The unwrap in main is safe.' --anchor src/net.rs --verify look --evidence '#12'
        added false_positive.59e172c682ff24e9
        $ ken add commit_norm --rule 'Use conventional commits.' --id norm.commit.001 --example 'feat: x' --exception merges --enforcement '{"kind":"mechanical","rule":"conventional_commits"}' --evidence '#12'
        added norm.commit.001
          it blocks nothing until an approver accepts it: ken promote norm.commit.001 --to procedural --reason '...'
        $ ken add pr_expectation --rule 'A pull request has tests.' --evidence '#12'
        added pr_expectation.71e76e73cd7c5eff
          it blocks nothing until an approver accepts it: ken promote pr_expectation.71e76e73cd7c5eff --to procedural --reason '...'
        $ ken add user_expectation --rule 'Done means deployed.' --evidence '#12'
        added user_expectation.04f735227e4f97c2
          it blocks nothing until an approver accepts it: ken promote user_expectation.04f735227e4f97c2 --to procedural --reason '...'
        $ ken add risk_tier --rule 'Migrations are high risk.' --evidence '#12'
        added risk_tier.b81ce3b9679b89ed
          it blocks nothing until an approver accepts it: ken promote risk_tier.b81ce3b9679b89ed --to procedural --reason '...'
        $ ken add friction 'cargo test hung' --subtype tool_error
        added friction.9f962fae2beda206
        $ ken add signal 'Builds are slow on Mondays.'
        added signal.d2f3958f3d98a6c4
        $ ken add run 'Review of pull request 7.'
        added run.dd1e50203473c299
        $ ken add observation 'The lesson on jitter helped.'
        added observation.4cdacb4193f1bd76
        $ ken list --sort created --limit 0
        observation.4cdacb4193f1bd76	observation	candidate	The lesson on jitter helped.		2026-01-02	50 %
        run.dd1e50203473c299	run	candidate	Review of pull request 7.		2026-01-02	50 %
        signal.d2f3958f3d98a6c4	signal	candidate	Builds are slow on Mondays.		2026-01-02	50 %
        friction.9f962fae2beda206	friction	candidate	cargo test hung		2026-01-02	50 %
        risk_tier.b81ce3b9679b89ed	risk_tier	candidate	Migrations are high risk. (unverified)		2026-01-02	50 %
        user_expectation.04f735227e4f97c2	user_expectation	candidate	Done means deployed. (unverified)		2026-01-02	50 %
        pr_expectation.71e76e73cd7c5eff	pr_expectation	candidate	A pull request has tests. (unverified)		2026-01-02	50 %
        norm.commit.001	commit_norm	candidate	Use conventional commits. (unverified)		2026-01-02	50 %
        false_positive.59e172c682ff24e9	false_positive	candidate	The unwrap in main is safe. (unverified)		2026-01-02	50 %
        incident.05dec86dad0cfd61	incident	candidate	The queue filled up. (unverified)		2026-01-02	50 %
        pattern.e1c2c3b7251f2ae6	pattern	candidate	Locks held across awaits. (unverified)		2026-01-02	50 %
        S-6bd321	spike	candidate	WAL is faster. (unverified)		2026-01-02	50 %
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)		2026-01-02	50 %
        experience.9c102df1706e84e5	experience	candidate	We chose SQLite. (unverified)		2026-01-02	50 %
        skill.6535baf2426285e0	skill	candidate	Bisect before you guess. (unverified)		2026-01-02	50 %
        relationship.262cd2837c0831a0	relationship	candidate	Gateway calls Billing (unverified)		2026-01-02	50 %
        entity.6446294ceb34d9d0	entity	candidate	Gateway (unverified)		2026-01-02	50 %
        $ ken verify
        pass: 19 files, 30 lines, 30 events, 17 entries; 0 errors, 0 notices
        $ find .kenning -name '*.jsonl' | sort
        .kenning/episodic/v1/calibration/2026-01.REPLICA.jsonl
        .kenning/episodic/v1/friction_ledger.jsonl
        .kenning/episodic/v1/runs/2026-01.REPLICA.jsonl
        .kenning/episodic/v1/signals/2026-01.REPLICA.jsonl
        .kenning/procedural/provenance/2026-01.REPLICA.jsonl
        .kenning/procedural/v1/commit_norms/norm.commit.001.jsonl
        .kenning/procedural/v1/pr_expectations/pr_expectation.71e76e73cd7c5eff.jsonl
        .kenning/procedural/v1/risk_tiers/risk_tier.b81ce3b9679b89ed.jsonl
        .kenning/procedural/v1/user_expectations/user_expectation.04f735227e4f97c2.jsonl
        .kenning/semantic/v1/entities/entity.6446294ceb34d9d0.jsonl
        .kenning/semantic/v1/entities/experience.9c102df1706e84e5.jsonl
        .kenning/semantic/v1/entities/false_positive.59e172c682ff24e9.jsonl
        .kenning/semantic/v1/entities/incident.05dec86dad0cfd61.jsonl
        .kenning/semantic/v1/entities/lesson.7b9baa8856474b00.jsonl
        .kenning/semantic/v1/entities/pattern.e1c2c3b7251f2ae6.jsonl
        .kenning/semantic/v1/entities/skill.6535baf2426285e0.jsonl
        .kenning/semantic/v1/entities/spike.6bd3217123e65891.jsonl
        .kenning/semantic/v1/provenance/2026-01.REPLICA.jsonl
        .kenning/semantic/v1/relationships/relationship.262cd2837c0831a0.jsonl
        $ cat .kenning/INDEX.md
        # Knowledge index

        - `L-7b9baa` lesson semantic/v1/entities/lesson.7b9baa8856474b00.jsonl: Retry with jitter. <!--7b9baa8856474b00-->
        - `S-6bd321` spike semantic/v1/entities/spike.6bd3217123e65891.jsonl: WAL is faster. <!--6bd3217123e65891-->
        - `entity.6446294ceb34d9d0` entity semantic/v1/entities/entity.6446294ceb34d9d0.jsonl: Gateway <!--6446294ceb34d9d0-->
        - `experience.9c102df1706e84e5` experience semantic/v1/entities/experience.9c102df1706e84e5.jsonl: We chose SQLite. <!--9c102df1706e84e5-->
        - `false_positive.59e172c682ff24e9` false_positive semantic/v1/entities/false_positive.59e172c682ff24e9.jsonl: The unwrap in main is safe. <!--59e172c682ff24e9-->
        - `incident.05dec86dad0cfd61` incident semantic/v1/entities/incident.05dec86dad0cfd61.jsonl: The queue filled up. <!--05dec86dad0cfd61-->
        - `norm.commit.001` commit_norm procedural/v1/commit_norms/norm.commit.001.jsonl: Use conventional commits. <!--3b0e63ddbd414263-->
        - `pattern.e1c2c3b7251f2ae6` pattern semantic/v1/entities/pattern.e1c2c3b7251f2ae6.jsonl: Locks held across awaits. <!--e1c2c3b7251f2ae6-->
        - `pr_expectation.71e76e73cd7c5eff` pr_expectation procedural/v1/pr_expectations/pr_expectation.71e76e73cd7c5eff.jsonl: A pull request has tests. <!--71e76e73cd7c5eff-->
        - `relationship.262cd2837c0831a0` relationship semantic/v1/relationships/relationship.262cd2837c0831a0.jsonl: Gateway calls Billing <!--262cd2837c0831a0-->
        - `risk_tier.b81ce3b9679b89ed` risk_tier procedural/v1/risk_tiers/risk_tier.b81ce3b9679b89ed.jsonl: Migrations are high risk. <!--b81ce3b9679b89ed-->
        - `skill.6535baf2426285e0` skill semantic/v1/entities/skill.6535baf2426285e0.jsonl: Bisect before you guess. <!--6535baf2426285e0-->
        - `user_expectation.04f735227e4f97c2` user_expectation procedural/v1/user_expectations/user_expectation.04f735227e4f97c2.jsonl: Done means deployed. <!--04f735227e4f97c2-->
    "#]].assert_eq(&play(&world, &script));
    let types: BTreeSet<&str> = EVERY_TYPE.iter().map(|(kind, _)| *kind).collect();
    let schemas = world.ken("schema").ok().json();
    assert_eq!(types, schemas.as_object().unwrap().keys().map(String::as_str).collect());
}

#[test]
fn add_takes_flags_content_a_file_and_standard_input() {
    check(
        r#"ken add 'Retry with jitter.' --evidence pr:1 --anchor src/net.rs --verify look --tag Net/Retry --domain back-end
ken add 'retry  with jitter' --evidence pr:2 --anchor src/net.rs --verify look
ken add 'retry with jitter' --evidence pr:2 --anchor src/net.rs --verify look --json
ken add lesson --content '{"statement":"From content.","anchors":["src/net.rs"],"verification":["look"],"provenance":["pr:3"]}' --title 'A flag wins'
printf '{"type":"lesson","statement":"From a file.","anchors":["src/net.rs"],"verification":["look"],\n"provenance":["pr:3"]}' > entry.json
ken add --file entry.json
printf '{"statement":"From standard input."}' | ken add lesson --file - --evidence pr:4 --anchor src/net.rs --verify look
printf '{"statement":"Line one."}\n{"statement":"Line two."}\n' | ken add lesson --file - --evidence pr:4 --anchor src/net.rs --verify look
printf '[{"statement":"Line one."},{"statement":"Member two."}]' > list.json
ken add lesson --file list.json --evidence pr:4 --anchor src/net.rs --verify look --json
ken add lesson 'Not finished.' --draft
ken add lesson 'Not finished.' --draft --json
ken list"#,
        expect![[r#"
            $ ken add 'Retry with jitter.' --evidence pr:1 --anchor src/net.rs --verify look --tag Net/Retry --domain back-end
            added L-7b9baa  lesson.7b9baa8856474b00
            $ ken add 'retry  with jitter' --evidence pr:2 --anchor src/net.rs --verify look
            reinforced L-7b9baa  lesson.7b9baa8856474b00
              lesson.7b9baa8856474b00 already says this; 1 citation added to it
            $ ken add 'retry with jitter' --evidence pr:2 --anchor src/net.rs --verify look --json
            {
              "handle": "L-7b9baa",
              "id": "lesson.7b9baa8856474b00",
              "outcome": "reinforced",
              "reasons": [
                "lesson.7b9baa8856474b00 already says this, with the same evidence; nothing was written"
              ],
              "scan": {
                "scanner": 1,
                "tier": "safe"
              }
            }
            $ ken add lesson --content '{"statement":"From content.","anchors":["src/net.rs"],"verification":["look"],"provenance":["pr:3"]}' --title 'A flag wins'
            added L-dd6a38  lesson.dd6a38c87b1464c9
            $ printf '{"type":"lesson","statement":"From a file.","anchors":["src/net.rs"],"verification":["look"],\n"provenance":["pr:3"]}' > entry.json
            $ ken add --file entry.json
            added L-c3fd8e  lesson.c3fd8ecb754ebd03
            $ printf '{"statement":"From standard input."}' | ken add lesson --file - --evidence pr:4 --anchor src/net.rs --verify look
            added L-2acd65  lesson.2acd658fbb66e8f6
            $ printf '{"statement":"Line one."}\n{"statement":"Line two."}\n' | ken add lesson --file - --evidence pr:4 --anchor src/net.rs --verify look
            added 2, reinforced 0, held 0, refused 0
            last acknowledged line: 2
            $ printf '[{"statement":"Line one."},{"statement":"Member two."}]' > list.json
            $ ken add lesson --file list.json --evidence pr:4 --anchor src/net.rs --verify look --json
            {
              "acknowledged": 2,
              "added": 1,
              "reinforced": 1,
              "held": 0,
              "merged": 0,
              "rejected": 0,
              "refused": 0,
              "complete": true,
              "faults": [],
              "kept_out": []
            }
            $ ken add lesson 'Not finished.' --draft
            held L-3d12ba  lesson.3d12ba20d9f3e648
              gap: provenance; fill it and the entry can be verified
              gap: anchor; fill it and the entry can be verified
              gap: verification; fill it and the entry can be verified
            $ ken add lesson 'Not finished.' --draft --json
            {
              "handle": "L-3d12ba",
              "id": "lesson.3d12ba20d9f3e648",
              "outcome": "reinforced",
              "reasons": [
                "lesson.3d12ba20d9f3e648 already says this; nothing was written"
              ],
              "scan": {
                "scanner": 1,
                "tier": "safe"
              }
            }
            $ ken list
            L-3d12ba	lesson	candidate	Not finished. (gaps)		2026-01-02	50 %
            L-8ebe4c	lesson	candidate	Member two. (unverified)		2026-01-02	50 %
            L-54183c	lesson	candidate	Line two. (unverified)		2026-01-02	50 %
            L-a44563	lesson	candidate	Line one. (unverified)		2026-01-02	50 %
            L-2acd65	lesson	candidate	From standard input. (unverified)		2026-01-02	50 %
            L-c3fd8e	lesson	candidate	From a file. (unverified)		2026-01-02	50 %
            L-dd6a38	lesson	candidate	A flag wins (unverified)		2026-01-02	50 %
            L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	net/retry	2026-01-02	50 %
        "#]],
    );
}

#[test]
fn what_is_missing_is_named_with_the_command_that_would_pass() {
    check(
        "ken add lesson 'Retry with jitter.'
ken add lesson 'Retry with jitter.' --evidence pr:1
ken add lesson 'Retry with jitter.' --evidence pr:1 --anchor src/net.rs
ken add commit_norm --rule 'Sign your commits.'
ken add lesson",
        expect![[r#"
            $ ken add lesson 'Retry with jitter.'
            ! error: provenance required: a lesson must say where it comes from; it also needs a place where it can be seen (--anchor) and a step that shows whether it holds (--verify)
            ! hint: add what is missing: ken add lesson ... --evidence commit:HASH --anchor src/FILE:10-20 --verify 'how to check it'; or enter it with gaps: --draft
            [exit 2]
            $ ken add lesson 'Retry with jitter.' --evidence pr:1
            ! error: 2 things are wrong
            !   - anchors: at least one place where it can be seen, --anchor PATH[:A-B|#SYMBOL]
            !   - verification: one to three steps that show whether it holds, --verify TEXT
            ! hint: add what is missing: ken add lesson ... --anchor src/FILE:10-20 --verify 'how to check it'; or enter it with gaps: --draft
            [exit 2]
            $ ken add lesson 'Retry with jitter.' --evidence pr:1 --anchor src/net.rs
            ! error: verification: one to three steps that show whether it holds, --verify TEXT
            ! hint: add what is missing: ken add lesson ... --verify 'how to check it'; or enter it with gaps: --draft
            [exit 2]
            $ ken add commit_norm --rule 'Sign your commits.'
            ! error: provenance required: a commit_norm must say where it comes from
            ! hint: add what is missing: ken add commit_norm ... --evidence commit:HASH; or enter it with gaps: --draft
            [exit 2]
            $ ken add lesson
            ! error: 2 things are wrong
            !   - statement: is missing or empty; a lesson needs `statement`
            !   - provenance: provenance required: at least one citation, --evidence KIND:REF
            [exit 2]
        "#]],
    );
}

#[test]
fn note_and_friction_ask_no_questions() {
    check(
        r#"ken note The build is slow --tag build/speed
ken note 'The build is slow' --json
ken friction record --type tool_error --context '{"command":"cargo test"}'
ken friction record --type validation-fail --json
ken list --memory episodic"#,
        expect![[r#"
            $ ken note The build is slow --tag build/speed
            added signal.4125c5f9a235b275
            $ ken note 'The build is slow' --json
            {
              "outcome": "reinforced",
              "id": "signal.4125c5f9a235b275",
              "handle": "signal.4125c5f9a235b275",
              "reasons": [
                "signal.4125c5f9a235b275 already says this; nothing was written",
                "no second signal was added; say what was different this time to add another"
              ],
              "scan": {
                "scanner": 1,
                "tier": "safe"
              }
            }
            $ ken friction record --type tool_error --context '{"command":"cargo test"}'
            added friction.758db2d8ae670d50
            $ ken friction record --type validation-fail --json
            {
              "outcome": "added",
              "id": "friction.1a5334af3c7cc9d9",
              "handle": "friction.1a5334af3c7cc9d9",
              "reasons": [],
              "scan": {
                "scanner": 1,
                "tier": "safe"
              },
              "admission": {
                "outcome": "as_proposed",
                "score": 0.729,
                "signals": {
                  "confidence": 0.5,
                  "content_type": 0.5,
                  "federation": 1.0,
                  "observation_mass": 0.393,
                  "provenance": 0.6,
                  "recency": 1.0,
                  "scanner": 1.0
                },
                "flags": []
              }
            }
            $ ken list --memory episodic
            friction.1a5334af3c7cc9d9	friction	candidate	validation fail		2026-01-02	50 %
            friction.758db2d8ae670d50	friction	candidate	tool error		2026-01-02	50 %
            signal.4125c5f9a235b275	signal	candidate	The build is slow	build/speed	2026-01-02	50 %
        "#]],
    );
}

#[test]
fn show_tells_everything() {
    check_three(
        "ken show one
ken revise one --detail 'A longer story about thundering herds.' --depends-on 'src/net.rs exists' --tag net --domain backend --severity 7 --reason 'to show it'
ken link one supports two
ken show one
ken show L-7a
ken show one two --json | grep '\"id\"'
ken show one --json",
        expect![[r#"
            $ ken show one
            L-7b9baa  lesson  candidate  one
            Retry with jitter.

              evidence      pr:1 by human:Ada (unverified)
              anchors       src/net.rs
              decay class   stable
              scope         project
              verification  look
              validity      fresh
              belief        50 % ▕██░░░░░░▏ nobody used it yet
              created       2026-01-02 by human:Ada
              file          semantic/v1/entities/lesson.one.jsonl
            $ ken revise one --detail 'A longer story about thundering herds.' --depends-on 'src/net.rs exists' --tag net --domain backend --severity 7 --reason 'to show it'
            changed L-7b9baa: set depends_on, detail, severity; added domains backend; added tags net (to show it)
            $ ken link one supports two
            changed L-7b9baa: supports two
            $ ken show one
            L-7b9baa  lesson  candidate  one
            Retry with jitter.

              A longer story about thundering herds.

              evidence      pr:1 by human:Ada (unverified)
              anchors       src/net.rs
              decay class   stable
              depends on    src/net.rs exists
              domains       backend
              scope         project
              severity      7.0
              tags          net
              verification  look
              validity      fresh
              belief        50 % ▕██░░░░░░▏ nobody used it yet
              supports      two Close what you open.
              created       2026-01-02 by human:Ada
              file          semantic/v1/entities/lesson.one.jsonl
            $ ken show L-7a
            ! error: no entry answers to "L-7a"
            ! hint: `ken list --all` shows every entry; an id, a handle or the beginning of one will do
            [exit 3]
            $ ken show one two --json | grep '"id"'
                  "id": "one",
                  "id": "two",
            $ ken show one --json
            {
              "id": "one",
              "handle": "L-7b9baa",
              "key": "7b9baa8856474b00",
              "memory": "semantic",
              "type": "lesson",
              "schema_version": "1.0.0",
              "status": "candidate",
              "anchors": [
                {
                  "at": "src/net.rs",
                  "captured": {
                    "blob": "HASH",
                    "by": "rust.1",
                    "needles": [
                      "jitter",
                      "retry"
                    ],
                    "parts": "0040a3e6",
                    "print": "0e323cfc34b6c11a",
                    "text": "fn retry() {\njitter();\n}",
                    "tokens": 10
                  }
                }
              ],
              "decay_class": "stable",
              "depends_on": [
                "src/net.rs exists"
              ],
              "detail": "A longer story about thundering herds.",
              "domains": [
                "backend"
              ],
              "scope": "project",
              "severity": 7.0,
              "statement": "Retry with jitter.",
              "tags": [
                "net"
              ],
              "title": "Retry with jitter.",
              "verification": [
                "look"
              ],
              "provenance": [
                {
                  "evidence_type": "pr",
                  "evidence_ref": "1",
                  "cited_by": "human:Ada",
                  "cited_at": 1767323045,
                  "unverified": true
                }
              ],
              "validity": {
                "verdict": "fresh",
                "because": [],
                "conditions": [
                  {
                    "text": "src/net.rs exists",
                    "verdict": "holds",
                    "why": "src/net.rs is there"
                  }
                ],
                "anchors": [
                  {
                    "at": "src/net.rs",
                    "verdict": "fresh",
                    "now": null,
                    "why": "as it was"
                  }
                ]
              },
              "belief": {
                "alpha": 5.0,
                "beta": 5.0,
                "mean": 0.5,
                "certainty": 0.2,
                "observations": 0.0
              },
              "last_confirmed": null,
              "confirmation": null,
              "review_debt": 0,
              "prediction_errors": 0,
              "gaps": [],
              "unverified": true,
              "links": [
                {
                  "relation": "supports",
                  "to": "two",
                  "title": "Close what you open."
                }
              ],
              "not_run": [],
              "scan": {
                "scanner": 1,
                "tier": "safe"
              },
              "admission": {
                "outcome": "as_proposed",
                "score": 0.744,
                "signals": {
                  "confidence": 0.5,
                  "content_type": 0.5,
                  "federation": 1.0,
                  "observation_mass": 0.393,
                  "provenance": 0.7,
                  "recency": 1.0,
                  "scanner": 1.0
                },
                "flags": []
              },
              "on_this_branch": true,
              "file": "semantic/v1/entities/lesson.one.jsonl",
              "created": "2026-01-02T03:04:05.000Z",
              "created_by": "human:Ada",
              "updated": "2026-01-02T03:04:05.000Z"
            }
        "#]],
    );
}

#[test]
fn show_and_list_look_back_in_time() {
    check_three(
        "KEN_NOW=2026-02-01T00:00:00Z ken revise one --title 'Retry, but with jitter'
ken show one --as-of 2026-01-15 --json | grep title
ken show one --as-of HEAD --json | grep title
ken show one --json | grep title
ken list --as-of HEAD~1
ken list --as-of 2026-01-03
ken log one --as-of 2026-01-15
ken why one --as-of HEAD",
        expect![[r#"
            $ KEN_NOW=2026-02-01T00:00:00Z ken revise one --title 'Retry, but with jitter'
            changed L-7b9baa: set title
            $ ken show one --as-of 2026-01-15 --json | grep title
              "title": "Retry with jitter.",
            $ ken show one --as-of HEAD --json | grep title
              "title": "Retry with jitter.",
            $ ken show one --json | grep title
              "title": "Retry, but with jitter",
            $ ken list --as-of HEAD~1
            $ ken list --as-of 2026-01-03
            L-1b3838	lesson	candidate	Name the unit. (unverified)		2026-01-02	50 %
            L-5b93eb	lesson	candidate	Close what you open. (unverified)		2026-01-02	50 %
            L-7b9baa	lesson	candidate	Retry with jitter. (unverified)		2026-01-02	50 %
            $ ken log one --as-of 2026-01-15
              EVENT 2026-01-02 03:04  human:Ada  stated as a lesson, with 1 citation
              EVENT 2026-01-02 03:04  human:Ada  cited pr:1 by human:Ada, unverified
            $ ken why one --as-of HEAD
            L-7b9baa  Retry with jitter.
              - human:Ada stated it on 2026-01-02
              - it rests on pr:1, which was not found here (unverified)
              - it is a candidate: nobody has used or confirmed it yet
              - what it speaks of is fresh
              - src/net.rs is fresh: as it was
              - belief is the prior, 50 %: no use of it was recorded
              - the scan (rules 1) found nothing
              - admission 0.74: confidence 0.50, content_type 0.50, federation 1.00, observation_mass 0.39,
                provenance 0.70, recency 1.00, scanner 1.00

              EVENT 2026-01-02 03:04  human:Ada  stated as a lesson, with 1 citation
              EVENT 2026-01-02 03:04  human:Ada  cited pr:1 by human:Ada, unverified
        "#]],
    );
}

/// A small world with something for every filter of `list`.
fn varied() -> World {
    let world = World::with_store();
    let script = format!(
        " ken add lesson 'Retry with jitter.' --id one --tag net/retry --domain backend/http {REST}
 KEN_NOW=2026-01-05T00:00:00Z KEN_ACTOR=agent:bot ken add lesson 'Close sockets.' --id two --tag net --domain backend --reviewer rita {REST}
 KEN_NOW=2026-01-06T00:00:00Z ken add pattern 'Names without units.' --id three --tag names --domain frontend {REST}
 KEN_NOW=2026-01-07T00:00:00Z ken add lesson 'Only here.' --id four --scope thread --thread login {REST}
 KEN_NOW=2026-01-08T00:00:00Z ken add commit_norm --rule 'Sign commits.' --id five --scope global --evidence pr:9
 KEN_NOW=2026-01-09T00:00:00Z ken note 'Mondays are slow.'
 ken add lesson 'Gone.' --id six {REST}
 KEN_NOW=2026-01-10T00:00:00Z ken retract six"
    );
    play(&world, &script);
    world
}

#[test]
fn list_has_a_filter_for_every_question() {
    let world = varied();
    let script = "ken list
ken list --memory procedural --memory episodic
ken list --type pattern --type commit-norm
ken list --status retracted
ken list --all --sort id
ken list --domain backend
ken list --domain Backend/HTTP
ken list --tag net
ken list --tag net --tag net/retry
ken list --scope thread
ken list --scope global
ken list --reviewer rita
ken list --text 'JITTER retry'
ken list --text nothing-like-it
ken list --since 2026-01-06
KEN_NOW=2026-01-10T00:00:00Z ken list --since 3d
ken list --mine
KEN_ACTOR=agent:bot ken list --mine
ken list --tag net --json";
    expect![[r#"
        $ ken list
        signal.932393750e7649eb	signal	candidate	Mondays are slow.		2026-01-09	50 %
        five	commit_norm	candidate	Sign commits. (unverified)		2026-01-08	50 %
        three	pattern	candidate	Names without units. (unverified)	names	2026-01-06	50 %
        L-9b9781	lesson	candidate	Close sockets. (unverified)	net	2026-01-05	50 %
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	net/retry	2026-01-02	50 %
        $ ken list --memory procedural --memory episodic
        signal.932393750e7649eb	signal	candidate	Mondays are slow.		2026-01-09	50 %
        five	commit_norm	candidate	Sign commits. (unverified)		2026-01-08	50 %
        $ ken list --type pattern --type commit-norm
        five	commit_norm	candidate	Sign commits. (unverified)		2026-01-08	50 %
        three	pattern	candidate	Names without units. (unverified)	names	2026-01-06	50 %
        $ ken list --status retracted
        L-442adc	lesson	retracted	Gone. (unverified)		2026-01-10	50 %
        $ ken list --all --sort id
        five	commit_norm	candidate	Sign commits. (unverified)		2026-01-08	50 %
        L-ea9cca	lesson	candidate	Only here. (unverified)		2026-01-07	50 %
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	net/retry	2026-01-02	50 %
        signal.932393750e7649eb	signal	candidate	Mondays are slow.		2026-01-09	50 %
        L-442adc	lesson	retracted	Gone. (unverified)		2026-01-10	50 %
        three	pattern	candidate	Names without units. (unverified)	names	2026-01-06	50 %
        L-9b9781	lesson	candidate	Close sockets. (unverified)	net	2026-01-05	50 %
        $ ken list --domain backend
        L-9b9781	lesson	candidate	Close sockets. (unverified)	net	2026-01-05	50 %
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	net/retry	2026-01-02	50 %
        $ ken list --domain Backend/HTTP
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	net/retry	2026-01-02	50 %
        $ ken list --tag net
        L-9b9781	lesson	candidate	Close sockets. (unverified)	net	2026-01-05	50 %
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	net/retry	2026-01-02	50 %
        $ ken list --tag net --tag net/retry
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	net/retry	2026-01-02	50 %
        $ ken list --scope thread
        L-ea9cca	lesson	candidate	Only here. (unverified)		2026-01-07	50 %
        $ ken list --scope global
        five	commit_norm	candidate	Sign commits. (unverified)		2026-01-08	50 %
        $ ken list --reviewer rita
        L-9b9781	lesson	candidate	Close sockets. (unverified)	net	2026-01-05	50 %
        $ ken list --text 'JITTER retry'
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	net/retry	2026-01-02	50 %
        $ ken list --text nothing-like-it
        $ ken list --since 2026-01-06
        signal.932393750e7649eb	signal	candidate	Mondays are slow.		2026-01-09	50 %
        five	commit_norm	candidate	Sign commits. (unverified)		2026-01-08	50 %
        three	pattern	candidate	Names without units. (unverified)	names	2026-01-06	50 %
        $ KEN_NOW=2026-01-10T00:00:00Z ken list --since 3d
        signal.932393750e7649eb	signal	candidate	Mondays are slow.		2026-01-09	50 %
        five	commit_norm	candidate	Sign commits. (unverified)		2026-01-08	50 %
        $ ken list --mine
        signal.932393750e7649eb	signal	candidate	Mondays are slow.		2026-01-09	50 %
        five	commit_norm	candidate	Sign commits. (unverified)		2026-01-08	50 %
        three	pattern	candidate	Names without units. (unverified)	names	2026-01-06	50 %
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	net/retry	2026-01-02	50 %
        $ KEN_ACTOR=agent:bot ken list --mine
        L-9b9781	lesson	candidate	Close sockets. (unverified)	net	2026-01-05	50 %
        ! note: an event of this entry is dated 2026-01-05T00:00:00.000Z, 2 days ahead of this machine's clock; one of the two clocks is wrong
        ! note: this machine's clock went back: the last write here is dated 2026-01-10T00:00:00.000Z
        $ ken list --tag net --json
        {
          "entries": [
            {
              "id": "two",
              "handle": "L-9b9781",
              "memory": "semantic",
              "type": "lesson",
              "status": "candidate",
              "title": "Close sockets.",
              "statement": "Close sockets.",
              "tags": [
                "net"
              ],
              "domains": [
                "backend"
              ],
              "scope": "project",
              "reviewer": "rita",
              "belief": {
                "alpha": 5.0,
                "beta": 5.0,
                "mean": 0.5,
                "certainty": 0.2,
                "observations": 0.0
              },
              "gaps": [],
              "unverified": true,
              "on_this_branch": true,
              "created": "2026-01-05T00:00:00.000Z",
              "created_by": "agent:bot",
              "updated": "2026-01-05T00:00:00.000Z"
            },
            {
              "id": "one",
              "handle": "L-7b9baa",
              "memory": "semantic",
              "type": "lesson",
              "status": "candidate",
              "title": "Retry with jitter.",
              "statement": "Retry with jitter.",
              "tags": [
                "net/retry"
              ],
              "domains": [
                "backend/http"
              ],
              "scope": "project",
              "belief": {
                "alpha": 5.0,
                "beta": 5.0,
                "mean": 0.5,
                "certainty": 0.2,
                "observations": 0.0
              },
              "gaps": [],
              "unverified": true,
              "on_this_branch": true,
              "created": "2026-01-02T03:04:05.000Z",
              "created_by": "human:Ada",
              "updated": "2026-01-02T03:04:05.000Z"
            }
          ],
          "next": null,
          "total": 2
        }
    "#]]
    .assert_eq(&play(&world, script));
}

#[test]
fn pages_go_to_the_end_and_never_overlap() {
    let world = varied();
    for sort in ["updated", "created", "id"] {
        let whole = ids(&world, &format!("list --all --limit 0 --sort {sort}"));
        assert_eq!(whole.len(), 7, "{sort}");
        let mut paged = Vec::new();
        let mut after = String::new();
        loop {
            let page = world.ken(&format!("list --all --limit 2 --sort {sort} {after} --json")).ok().json();
            assert_eq!(page["total"], 7);
            paged.extend(
                page["entries"].as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap().to_owned()),
            );
            match page["next"].as_str() {
                Some(next) => after = format!("--after {next}"),
                None => break,
            }
        }
        assert_eq!(paged, whole, "{sort}");
    }
}

fn ids(world: &World, words: &str) -> Vec<String> {
    let page = world.ken(&format!("{words} --json")).ok().json();
    page["entries"].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_page_says_how_to_get_the_next_one() {
    check_three(
        "ken list --limit 2 2>&1 | sed 's/after [^,]*/after NEXT/'
ken list --limit 2 --quiet
ken config list.limit 1
ken list 2>&1 | sed 's/after [^,]*/after NEXT/'
ken list --limit 0",
        expect![[r#"
            $ ken list --limit 2 2>&1 | sed 's/after [^,]*/after NEXT/'
            L-1b3838	lesson	candidate	Name the unit. (unverified)		2026-01-02	50 %
            L-5b93eb	lesson	candidate	Close what you open. (unverified)		2026-01-02	50 %
            note: 2 of 3; more: --after NEXT, or --limit 0 for all
            $ ken list --limit 2 --quiet
            L-1b3838	lesson	candidate	Name the unit. (unverified)		2026-01-02	50 %
            L-5b93eb	lesson	candidate	Close what you open. (unverified)		2026-01-02	50 %
            $ ken config list.limit 1
            list.limit = 1
            $ ken list 2>&1 | sed 's/after [^,]*/after NEXT/'
            L-1b3838	lesson	candidate	Name the unit. (unverified)		2026-01-02	50 %
            note: 1 of 3; more: --after NEXT, or --limit 0 for all
            $ ken list --limit 0
            L-1b3838	lesson	candidate	Name the unit. (unverified)		2026-01-02	50 %
            L-5b93eb	lesson	candidate	Close what you open. (unverified)		2026-01-02	50 %
            L-7b9baa	lesson	candidate	Retry with jitter. (unverified)		2026-01-02	50 %
        "#]],
    );
}

#[test]
fn log_and_why_tell_the_story() {
    check_three(
        "ken tag one net
ken archive one --reason 'no longer used'
ken restore one
ken log one
ken log --limit 1
ken why one
ken why one --json | head -3
ken log one --json | head -16",
        expect![[r#"
            $ ken tag one net
            changed L-7b9baa: added tags net
            $ ken archive one --reason 'no longer used'
            changed L-7b9baa: archived; `ken restore one` brings it back
            $ ken restore one
            changed L-7b9baa: restored to candidate
            $ ken log one
              EVENT 2026-01-02 03:04  human:Ada  stated as a lesson, with 1 citation
              EVENT 2026-01-02 03:04  human:Ada  cited pr:1 by human:Ada, unverified
              EVENT 2026-01-02 03:04  human:Ada  added tags net
              EVENT 2026-01-02 03:04  human:Ada  archived: no longer used
              EVENT 2026-01-02 03:04  human:Ada  restored to candidate
            $ ken log --limit 1
            L-7b9baa  Retry with jitter.
              EVENT 2026-01-02 03:04  human:Ada  stated as a lesson, with 1 citation
              EVENT 2026-01-02 03:04  human:Ada  cited pr:1 by human:Ada, unverified
              EVENT 2026-01-02 03:04  human:Ada  added tags net
              EVENT 2026-01-02 03:04  human:Ada  archived: no longer used
              EVENT 2026-01-02 03:04  human:Ada  restored to candidate
            $ ken why one
            L-7b9baa  Retry with jitter.
              - human:Ada stated it on 2026-01-02
              - it rests on pr:1, which was not found here (unverified)
              - it is a candidate: nobody has used or confirmed it yet
              - what it speaks of is fresh
              - src/net.rs is fresh: as it was
              - belief is the prior, 50 %: no use of it was recorded
              - the scan (rules 1) found nothing
              - admission 0.74: confidence 0.50, content_type 0.50, federation 1.00, observation_mass 0.39,
                provenance 0.70, recency 1.00, scanner 1.00

              EVENT 2026-01-02 03:04  human:Ada  stated as a lesson, with 1 citation
              EVENT 2026-01-02 03:04  human:Ada  cited pr:1 by human:Ada, unverified
              EVENT 2026-01-02 03:04  human:Ada  added tags net
              EVENT 2026-01-02 03:04  human:Ada  archived: no longer used
              EVENT 2026-01-02 03:04  human:Ada  restored to candidate
            $ ken why one --json | head -3
            {
              "entry": {
                "id": "one",
            $ ken log one --json | head -16
            {
              "events": [
                {
                  "actor": "human:Ada",
                  "at": "2026-01-02T03:04:05.000Z",
                  "branch": "main",
                  "data": {
                    "admission": {
                      "outcome": "as_proposed",
                      "score": 744,
                      "signals": [
                        1000,
                        500,
                        700,
                        1000,
                        393,
        "#]],
    );
}

#[test]
fn revise_changes_fields_and_says_which() {
    check_three(
        r#"ken revise one --title 'Jitter' --tag net --domain backend --evidence pr:2 --reason 'clearer'
ken revise one --title 'Jitter' --tag net --domain backend --evidence pr:2
ken revise one --untag net --clear title
ken revise one --content '{"summary":"In one line."}' --json
ken revise one --id other
ken revise one --statment x
ken revise one --scope global
ken show one"#,
        expect![[r#"
            $ ken revise one --title 'Jitter' --tag net --domain backend --evidence pr:2 --reason 'clearer'
            changed L-7b9baa: set title; added domains backend; added tags net (clearer); cited pr:2 by human:Ada, unverified
            $ ken revise one --title 'Jitter' --tag net --domain backend --evidence pr:2
            unchanged L-7b9baa: it is so already; nothing was written
            $ ken revise one --untag net --clear title
            changed L-7b9baa: took away title; removed tags net
            $ ken revise one --content '{"summary":"In one line."}' --json
            {
              "outcome": "changed",
              "id": "one",
              "handle": "L-7b9baa",
              "status": "candidate",
              "reasons": [
                "set summary"
              ]
            }
            $ ken revise one --id other
            ! error: an id is fixed when an entry is added
            ! hint: supersede the entry to give it another id
            [exit 4]
            $ ken revise one --statment x
            ! error: there is no flag `--statment` here; did you mean `--statement`?
            ! hint: `ken revise --help` lists what it takes
            [exit 2]
            $ ken revise one --scope global
            ! error: scope: is fixed when an entry is added; supersede the entry instead
            [exit 2]
            $ ken show one
            L-7b9baa  lesson  candidate  one
            In one line.

              Retry with jitter.

              evidence      pr:1 by human:Ada (unverified)
              evidence      pr:2 by human:Ada (unverified)
              anchors       src/net.rs
              decay class   stable
              domains       backend
              scope         project
              summary       In one line.
              verification  look
              validity      fresh
              belief        50 % ▕██░░░░░░▏ nobody used it yet
              created       2026-01-02 by human:Ada
              file          semantic/v1/entities/lesson.one.jsonl
        "#]],
    );
}

#[test]
fn norms_and_spikes_change_only_by_supersession() {
    check(
        "ken add commit_norm --rule 'Sign commits.' --id norm.sign --evidence pr:1
ken revise norm.sign --rule 'Sign all commits.'
ken tag norm.sign security
ken supersede norm.sign --rule 'Sign all commits.' --evidence pr:2 --id norm.sign.2 --reason 'clearer'
ken show norm.sign
ken show norm.sign.2
ken list",
        expect![[r#"
            $ ken add commit_norm --rule 'Sign commits.' --id norm.sign --evidence pr:1
            added norm.sign
              it blocks nothing until an approver accepts it: ken promote norm.sign --to procedural --reason '...'
            $ ken revise norm.sign --rule 'Sign all commits.'
            ! error: norm.sign is a commit_norm, which changes only by supersession
            ! hint: ken supersede norm.sign --rule '...' --evidence ...
            [exit 4]
            $ ken tag norm.sign security
            changed norm.sign: added tags security
            $ ken supersede norm.sign --rule 'Sign all commits.' --evidence pr:2 --id norm.sign.2 --reason 'clearer'
            changed norm.sign: superseded by norm.sign.2; norm.sign.2 blocks nothing until an approver accepts it: ken promote norm.sign.2 --to procedural --reason '...'
            $ ken show norm.sign
            norm.sign  commit_norm  superseded
            Sign commits.

              because       clearer
              evidence      pr:1 by human:Ada (unverified)
              decay class   stable
              rule          Sign commits.
              scope         project
              tags          security
              validity      unverifiable: it names no place and no condition
              belief        50 % ▕██░░░░░░▏ nobody used it yet
              superseded by norm.sign.2
              created       2026-01-02 by human:Ada
              file          procedural/v1/commit_norms/norm.sign.jsonl
            $ ken show norm.sign.2
            norm.sign.2  commit_norm  candidate
            Sign all commits.

              authority     a candidate: nobody has accepted it, so it blocks nothing
              evidence      pr:2 by human:Ada (unverified)
              decay class   stable
              rule          Sign all commits.
              scope         project
              tags          security
              validity      unverifiable: it names no place and no condition
              belief        50 % ▕██░░░░░░▏ nobody used it yet
              supersedes    norm.sign Sign commits.
              created       2026-01-02 by human:Ada
              file          procedural/v1/commit_norms/norm.sign.2.jsonl
            $ ken list
            norm.sign.2	commit_norm	candidate	Sign all commits. (unverified)	security	2026-01-02	50 %
        "#]],
    );
}

#[test]
fn supersede_takes_an_entry_that_is_there() {
    check_three(
        "ken supersede one two --reason 'two says it better'
ken supersede one two
ken supersede two one
ken supersede one one
ken supersede one
ken show one --json | grep -A1 superseded
ken show two --json | grep -A6 '\"links\"'",
        expect![[r#"
            $ ken supersede one two --reason 'two says it better'
            changed L-7b9baa: superseded by two
            $ ken supersede one two
            unchanged L-7b9baa: it is so already; nothing was written
            $ ken supersede two one
            ! error: one is already superseded by two
            ! hint: ken restore one first
            [exit 4]
            $ ken supersede one one
            ! error: one cannot supersede itself
            ! hint: say something else: the statement decides which entry it is
            [exit 4]
            $ ken supersede one
            ! error: nothing is said that could take the place of one
            ! hint: name an entry, or say the new one: --statement '...' --evidence ...
            [exit 2]
            $ ken show one --json | grep -A1 superseded
              "status": "superseded",
              "status_reason": "two says it better",
            --
              "superseded_by": "two",
              "not_run": [],
            $ ken show two --json | grep -A6 '"links"'
              "links": [
                {
                  "relation": "supersedes",
                  "to": "one",
                  "title": "Retry with jitter."
                }
              ],
        "#]],
    );
}

#[test]
fn edit_opens_the_editor() {
    let world = three();
    world.write("editor.sh", "sed -i 's/with jitter/with jitter, always/' \"$1\"\n");
    world.write("spoil.sh", "echo '{\"statement\": ' > \"$1\"\n");
    let script = "EDITOR='sh editor.sh' ken edit one
EDITOR='sh editor.sh' ken edit nobody
EDITOR=true ken edit one
EDITOR=false ken edit one
EDITOR=no-such-editor ken edit one
VISUAL='sh editor.sh' EDITOR=false ken edit two
ken show one --json | grep statement";
    expect![[r#"
        $ EDITOR='sh editor.sh' ken edit one
        changed L-7b9baa: set statement
        $ EDITOR='sh editor.sh' ken edit nobody
        ! error: no entry answers to "nobody"
        ! hint: `ken list --all` shows every entry; an id, a handle or the beginning of one will do
        [exit 3]
        $ EDITOR=true ken edit one
        unchanged L-7b9baa: it is so already; nothing was written
        $ EDITOR=false ken edit one
        ! error: the editor false ended with exit status: 1; nothing was changed
        ! hint: set EDITOR to the editor you want, for example EDITOR=nano
        [exit 4]
        $ EDITOR=no-such-editor ken edit one
        ! error: starting the editor no-such-editor, which VISUAL or EDITOR names: No such file or directory (os error 2)
        [exit 6]
        $ VISUAL='sh editor.sh' EDITOR=false ken edit two
        unchanged L-5b93eb: it is so already; nothing was written
        $ ken show one --json | grep statement
          "statement": "Retry with jitter, always.",
    "#]]
    .assert_eq(&play(&world, script));
    // What somebody wrote is not thrown away because it was refused.
    let answer = shell(&world, "EDITOR='sh spoil.sh' ken edit one");
    assert_eq!(answer.code, 2);
    let kept = answer.err.split("what you wrote is kept in ").nth(1).unwrap().trim().to_owned();
    assert!(std::fs::read_to_string(&kept).unwrap().contains("statement"));
    std::fs::remove_file(kept).unwrap();
}

#[test]
fn an_entry_can_be_put_away_and_brought_back() {
    check_three(
        "ken archive one --reason 'not used'
ken archive one
ken list
ken list --status archived
ken restore one --reason 'used again'
ken restore one
ken retract two --reason 'it is wrong'
ken retract two --json
ken restore two --json
ken archive --older-than 5
KEN_NOW=2026-03-01T00:00:00Z ken archive --older-than 30d
KEN_NOW=2026-03-01T00:00:00Z ken archive --older-than 30 --json
ken archive --older-than soon",
        expect![[r#"
            $ ken archive one --reason 'not used'
            changed L-7b9baa: archived; `ken restore one` brings it back
            $ ken archive one
            unchanged L-7b9baa: it is so already; nothing was written
            $ ken list
            L-1b3838	lesson	candidate	Name the unit. (unverified)		2026-01-02	50 %
            L-5b93eb	lesson	candidate	Close what you open. (unverified)		2026-01-02	50 %
            $ ken list --status archived
            L-7b9baa	lesson	archived	Retry with jitter. (unverified)		2026-01-02	50 %
            $ ken restore one --reason 'used again'
            changed L-7b9baa: restored to candidate
            $ ken restore one
            unchanged L-7b9baa: it is so already; nothing was written
            $ ken retract two --reason 'it is wrong'
            changed L-5b93eb: retracted; `ken restore two` brings it back
            $ ken retract two --json
            {
              "outcome": "unchanged",
              "id": "two",
              "handle": "L-5b93eb",
              "status": "retracted",
              "reasons": [
                "it is so already; nothing was written"
              ]
            }
            $ ken restore two --json
            {
              "outcome": "changed",
              "id": "two",
              "handle": "L-5b93eb",
              "status": "candidate",
              "reasons": [
                "restored to candidate"
              ]
            }
            $ ken archive --older-than 5
            archived 0
            $ KEN_NOW=2026-03-01T00:00:00Z ken archive --older-than 30d
            archived 3
              two
              one
              three
            $ KEN_NOW=2026-03-01T00:00:00Z ken archive --older-than 30 --json
            {
              "archived": []
            }
            $ ken archive --older-than soon
            ! error: "soon" is not a number of days; write 90
            [exit 2]
        "#]],
    );
}

#[test]
fn entries_are_linked_and_unlinked() {
    check_three(
        "ken link one supports two
ken link one supports two
ken link one relates-to three --json
ken link one likes two
ken link one supports one
ken link one supports two --remove
ken link one supports two --remove
ken show one --json | grep -A6 '\"links\"'",
        expect![[r#"
            $ ken link one supports two
            changed L-7b9baa: supports two
            $ ken link one supports two
            unchanged L-7b9baa: it is so already; nothing was written
            $ ken link one relates-to three --json
            {
              "outcome": "changed",
              "id": "one",
              "handle": "L-7b9baa",
              "status": "candidate",
              "reasons": [
                "relates_to three"
              ]
            }
            $ ken link one likes two
            ! error: "likes" is no relation; allowed: relates_to, depends_on, supports, contradicts, supersedes, derived_from, example_of, part_of
            [exit 2]
            $ ken link one supports one
            ! error: one cannot be linked to itself
            [exit 4]
            $ ken link one supports two --remove
            changed L-7b9baa: no longer supports two
            $ ken link one supports two --remove
            unchanged L-7b9baa: it is so already; nothing was written
            $ ken show one --json | grep -A6 '"links"'
              "links": [
                {
                  "relation": "relates_to",
                  "to": "three",
                  "title": "Name the unit."
                }
              ],
        "#]],
    );
}

#[test]
fn tags_come_and_go() {
    check_three(
        "ken tag one Error-Handling 'Retry Policy' net/http
ken tag one --remove error_handling
ken tag one
ken tag one 'a//b'
ken show one --json | grep -A4 '\"tags\"'",
        expect![[r#"
            $ ken tag one Error-Handling 'Retry Policy' net/http
            changed L-7b9baa: added tags error_handling, net/http, retry_policy
            $ ken tag one --remove error_handling
            changed L-7b9baa: removed tags error_handling
            $ ken tag one
            ! error: no tag is named
            ! hint: ken tag one TAG..., or --remove TAG
            [exit 2]
            $ ken tag one 'a//b'
            ! error: tags: "a//b" has an empty part; write words, with `/` between levels
            [exit 2]
            $ ken show one --json | grep -A4 '"tags"'
              "tags": [
                "net/http",
                "retry_policy"
              ],
              "title": "Retry with jitter.",
        "#]],
    );
}

#[test]
fn undo_says_the_opposite_of_every_kind_of_change() {
    let world = three();
    let script = format!(
        "KEN_ACTOR=human:Bea ken undo
ken add lesson 'Four.' --id four {REST}
ken undo
ken undo
ken revise one --title T --evidence pr:7
ken undo
ken tag one a b
ken undo
ken archive one
ken undo
ken retract one
ken undo
ken archive two
ken restore two
ken undo
ken restore two
ken link one supports two
ken undo
ken link one supports two
ken link one supports two --remove
ken undo
ken supersede one two
ken undo
ken supersede one --statement 'Retry with much jitter.' --evidence pr:2
ken undo
ken add lesson 'Retry with jitter.' --evidence pr:99 --anchor src/net.rs --verify look
ken undo
KEN_ACTOR=human:Bea ken tag two bea
ken tag two ada
KEN_ACTOR=human:Bea ken undo
ken undo --json
ken list --all"
    );
    expect![[r#"
        $ KEN_ACTOR=human:Bea ken undo
        ! error: human:Bea has not written anything here that could be undone
        [exit 3]
        $ ken add lesson 'Four.' --id four --evidence pr:1 --anchor src/net.rs --verify look
        added L-47e4f5  four
        $ ken undo
        changed L-47e4f5: undid the addition; now retracted
        $ ken undo
        changed L-47e4f5: undid the retraction; now candidate
        $ ken revise one --title T --evidence pr:7
        changed L-7b9baa: set title; cited pr:7 by human:Ada, unverified
        $ ken undo
        changed L-7b9baa: the new citation stays: citations are only ever added; undid the revision; now candidate
        $ ken tag one a b
        changed L-7b9baa: added tags a, b
        $ ken undo
        changed L-7b9baa: undid the revision; now candidate
        $ ken archive one
        changed L-7b9baa: archived; `ken restore one` brings it back
        $ ken undo
        changed L-7b9baa: undid the archiving; now candidate
        $ ken retract one
        changed L-7b9baa: retracted; `ken restore one` brings it back
        $ ken undo
        changed L-7b9baa: undid the retraction; now candidate
        $ ken archive two
        changed L-5b93eb: archived; `ken restore two` brings it back
        $ ken restore two
        changed L-5b93eb: restored to candidate
        $ ken undo
        changed L-5b93eb: undid the restoration; now archived
        $ ken restore two
        changed L-5b93eb: restored to candidate
        $ ken link one supports two
        changed L-7b9baa: supports two
        $ ken undo
        changed L-7b9baa: undid the link; now candidate
        $ ken link one supports two
        changed L-7b9baa: supports two
        $ ken link one supports two --remove
        changed L-7b9baa: no longer supports two
        $ ken undo
        changed L-7b9baa: undid the removal of a link; now candidate
        $ ken supersede one two
        changed L-7b9baa: superseded by two
        $ ken undo
        changed L-5b93eb: undid the link; now candidate
        changed L-7b9baa: undid the supersession; now candidate
        $ ken supersede one --statement 'Retry with much jitter.' --evidence pr:2
        changed L-7b9baa: superseded by lesson.9dd6043ac62db5d3
        $ ken undo
        changed L-9dd604: undid the link; undid the addition; now retracted
        changed L-7b9baa: undid the supersession; now candidate
        $ ken add lesson 'Retry with jitter.' --evidence pr:99 --anchor src/net.rs --verify look
        reinforced L-7b9baa  one
          one already says this; 1 citation added to it
        $ ken undo
        ! error: the last change cannot be undone: citations are only ever added
        [exit 4]
        $ KEN_ACTOR=human:Bea ken tag two bea
        changed L-5b93eb: added tags bea
        $ ken tag two ada
        changed L-5b93eb: added tags ada
        $ KEN_ACTOR=human:Bea ken undo
        ! error: the last change cannot be undone: two was changed again since; revise it instead
        [exit 4]
        $ ken undo --json
        {
          "undone": [
            {
              "handle": "L-5b93eb",
              "id": "two",
              "outcome": "changed",
              "reasons": [
                "undid the revision",
                "now candidate"
              ],
              "status": "candidate"
            }
          ]
        }
        $ ken list --all
        L-5b93eb	lesson	candidate	Close what you open. (unverified)	bea	2026-01-02	50 %
        L-9dd604	lesson	retracted	Retry with much jitter. (unverified)		2026-01-02	50 %
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)		2026-01-02	50 %
        L-47e4f5	lesson	candidate	Four. (unverified)		2026-01-02	50 %
        L-1b3838	lesson	candidate	Name the unit. (unverified)		2026-01-02	50 %
    "#]].assert_eq(&play(&world, &script));
}

#[test]
fn diff_shows_the_knowledge_of_a_change() {
    check_three(
        "git switch -q -c topic
ken add lesson 'Beware of <b>*bold*</b> @people.' --id four --evidence pr:4 --anchor src/net.rs --verify look
ken revise one --title 'Jitter'
ken retract two
ken diff
ken commit -m 'topic: knowledge'
ken diff
ken diff main..topic
ken diff main...
ken diff topic..main
ken diff main..topic --format markdown
ken diff --format markdown
ken diff main..topic --json
ken diff main..topic --format yaml
ken diff nowhere..topic",
        expect![[r#"
            $ git switch -q -c topic
            $ ken add lesson 'Beware of <b>*bold*</b> @people.' --id four --evidence pr:4 --anchor src/net.rs --verify look
            added L-4d9a2a  four
            $ ken revise one --title 'Jitter'
            changed L-7b9baa: set title
            $ ken retract two
            changed L-5b93eb: retracted; `ken restore two` brings it back
            $ ken diff
            + L-4d9a2a lesson Beware of <b>*bold*</b> @people.
                pr:4
            ~ L-5b93eb lesson Close what you open.
                status: candidate -> retracted
            ~ L-7b9baa lesson Jitter
                title: nothing -> Jitter
            $ ken commit -m 'topic: knowledge'
            committed COMMIT topic: knowledge
            $ ken diff
            no knowledge was added, changed or taken away
            $ ken diff main..topic
            + L-4d9a2a lesson Beware of <b>*bold*</b> @people.
                pr:4
            ~ L-5b93eb lesson Close what you open.
                status: candidate -> retracted
            ~ L-7b9baa lesson Jitter
                title: nothing -> Jitter
            $ ken diff main...
            + L-4d9a2a lesson Beware of <b>*bold*</b> @people.
                pr:4
            ~ L-5b93eb lesson Close what you open.
                status: candidate -> retracted
            ~ L-7b9baa lesson Jitter
                title: nothing -> Jitter
            $ ken diff topic..main
            ~ L-5b93eb lesson Close what you open.
                status: retracted -> candidate
            ~ L-7b9baa lesson Retry with jitter.
                title: Jitter -> nothing
            - L-4d9a2a lesson Beware of <b>*bold*</b> @people.
            $ ken diff main..topic --format markdown
            ### Knowledge in this change

            **Added**

            - `L-4d9a2a` lesson: Beware of &lt;b&gt;\*bold\*&lt;/b&gt; &#64;people. (pr:4)

            **Changed**

            - `L-5b93eb` lesson: Close what you open. (pr:1)
              - status: candidate → retracted
            - `L-7b9baa` lesson: Retry with jitter. (pr:1)
              - title: nothing → Jitter

            $ ken diff --format markdown
            ### Knowledge in this change

            None was added, changed or taken away.
            $ ken diff main..topic --json
            {
              "added": [
                {
                  "id": "four",
                  "handle": "L-4d9a2a",
                  "memory": "semantic",
                  "type": "lesson",
                  "status": "candidate",
                  "title": "Beware of <b>*bold*</b> @people.",
                  "statement": "Beware of <b>*bold*</b> @people.",
                  "tags": [],
                  "domains": [],
                  "scope": "project",
                  "belief": {
                    "alpha": 5.0,
                    "beta": 5.0,
                    "mean": 0.5,
                    "certainty": 0.2,
                    "observations": 0.0
                  },
                  "gaps": [],
                  "unverified": true,
                  "on_this_branch": true,
                  "created": "2026-01-02T03:04:05.000Z",
                  "created_by": "human:Ada",
                  "updated": "2026-01-02T03:04:05.000Z",
                  "evidence": [
                    "pr:4"
                  ],
                  "changes": []
                }
              ],
              "changed": [
                {
                  "id": "two",
                  "handle": "L-5b93eb",
                  "memory": "semantic",
                  "type": "lesson",
                  "status": "retracted",
                  "title": "Close what you open.",
                  "statement": "Close what you open.",
                  "tags": [],
                  "domains": [],
                  "scope": "project",
                  "belief": {
                    "alpha": 5.0,
                    "beta": 5.0,
                    "mean": 0.5,
                    "certainty": 0.2,
                    "observations": 0.0
                  },
                  "gaps": [],
                  "unverified": true,
                  "on_this_branch": true,
                  "created": "2026-01-02T03:04:05.000Z",
                  "created_by": "human:Ada",
                  "updated": "2026-01-02T03:04:05.000Z",
                  "evidence": [
                    "pr:1"
                  ],
                  "changes": [
                    {
                      "field": "status",
                      "before": "candidate",
                      "after": "retracted"
                    }
                  ]
                },
                {
                  "id": "one",
                  "handle": "L-7b9baa",
                  "memory": "semantic",
                  "type": "lesson",
                  "status": "candidate",
                  "title": "Jitter",
                  "statement": "Retry with jitter.",
                  "tags": [],
                  "domains": [],
                  "scope": "project",
                  "belief": {
                    "alpha": 5.0,
                    "beta": 5.0,
                    "mean": 0.5,
                    "certainty": 0.2,
                    "observations": 0.0
                  },
                  "gaps": [],
                  "unverified": true,
                  "on_this_branch": true,
                  "created": "2026-01-02T03:04:05.000Z",
                  "created_by": "human:Ada",
                  "updated": "2026-01-02T03:04:05.000Z",
                  "evidence": [
                    "pr:1"
                  ],
                  "changes": [
                    {
                      "field": "title",
                      "before": "",
                      "after": "Jitter"
                    }
                  ]
                }
              ],
              "removed": []
            }
            $ ken diff main..topic --format yaml
            ! error: "yaml" is no format; allowed: text, json, markdown
            [exit 2]
            $ ken diff nowhere..topic
            ! error: "nowhere" is neither a commit of this repository nor a time
            ! hint: write a commit, branch or tag, or a time like 2026-11-15 or 2026-11-15T02:04:26Z
            [exit 3]
        "#]],
    );
}

#[test]
fn commit_takes_the_store_alone() {
    check_three(
        "echo unrelated > other.txt
ken tag one net
ken commit -m 'knowledge: net'
ken commit
ken commit --json
git status --short
git log --format=%s -2",
        expect![[r#"
            $ echo unrelated > other.txt
            $ ken tag one net
            changed L-7b9baa: added tags net
            $ ken commit -m 'knowledge: net'
            committed COMMIT knowledge: net
            $ ken commit
            nothing to commit
            $ ken commit --json
            {
              "committed": null
            }
            $ git status --short
            ?? other.txt
            $ git log --format=%s -2
            knowledge: net
            three
        "#]],
    );
}

#[test]
fn what_a_run_reads_waits_for_flush() {
    check_three(
        "KEN_RUN=run-7 KEN_ACTOR=agent:bot ken show one --json | grep '\"id\"'
git status --short
ken doctor | grep journal
ken log one
ken flush
ken flush --json
ken flush --stage --quiet
git status --short | sed 's/[0-9a-f]*.jsonl/R.jsonl/'",
        expect![[r#"
            $ KEN_RUN=run-7 KEN_ACTOR=agent:bot ken show one --json | grep '"id"'
              "id": "one",
            ! note: run run-7 was never started; what it reads is recorded under that name
            $ git status --short
            $ ken doctor | grep journal
            ok    journal 1 event waits for `ken flush` or the pre-commit hook
            $ ken log one
              EVENT 2026-01-02 03:04  human:Ada  stated as a lesson, with 1 citation
              EVENT 2026-01-02 03:04  human:Ada  cited pr:1 by human:Ada, unverified
              EVENT 2026-01-02 03:04  agent:bot  pulled in run run-7 (waits in the journal)
            $ ken flush
            wrote out 1 event that waited in the journal
            $ ken flush --json
            {
              "flushed": 0,
              "staged": false
            }
            $ ken flush --stage --quiet
            $ git status --short | sed 's/[0-9a-f]*.jsonl/R.jsonl/'
            A  .kenning/episodic/v1/runs/2026-01.R.jsonl
        "#]],
    );
}

#[test]
fn recover_puts_back_what_git_took_away() {
    check_three(
        "ken tag one net
git checkout -q -- .kenning
ken show one --json | grep -A1 '\"tags\"'
ken verify
ken recover
ken recover --json
ken verify",
        expect![[r#"
            $ ken tag one net
            changed L-7b9baa: added tags net
            $ git checkout -q -- .kenning
            $ ken show one --json | grep -A1 '"tags"'
              "tags": [
                "net"
            ! note: 1 event written on this branch is no longer in its files; nothing is lost: `ken recover` puts it back
            $ ken verify
            notice  event HASH was written on this branch and is no longer in its files; the journal has it
                    `ken recover` puts it back
            pass: 4 files, 6 lines, 6 events, 3 entries; 0 errors, 1 notice
            $ ken recover
            put back 1 event from the journal
            $ ken recover --json
            {
              "put_back": 0,
              "from": [],
              "still_missing": []
            }
            $ ken verify
            pass: 4 files, 7 lines, 7 events, 3 entries; 0 errors, 0 notices
        "#]],
    );
}

#[test]
fn adopt_turns_hand_edits_into_events() {
    let world = three();
    let script = r#"sed -i 's/Retry with jitter/Retry with more jitter/' .kenning/semantic/v1/entities/lesson.one.jsonl
ken verify
ken adopt .kenning/semantic/v1/entities/lesson.one.jsonl
ken show one --json | grep statement
ken log one
echo '{"type":"lesson","id":"four","statement":"By hand.","anchors":["src/net.rs"],"verification":["look"],"provenance":["pr:3"]}' >> .kenning/semantic/v1/entities/lesson.one.jsonl
echo '{"type":"lesson","statement":"No evidence."}' >> .kenning/semantic/v1/entities/lesson.one.jsonl
echo 'not json' >> .kenning/semantic/v1/entities/lesson.one.jsonl
ken adopt semantic/v1/entities/lesson.one.jsonl
tail -n 2 .kenning/semantic/v1/entities/lesson.one.jsonl
ken list
ken verify
ken adopt .kenning/semantic/v1/entities/lesson.two.jsonl
ken adopt src/net.rs
ken adopt nowhere.jsonl --json"#;
    expect![[r#"
        $ sed -i 's/Retry with jitter/Retry with more jitter/' .kenning/semantic/v1/entities/lesson.one.jsonl
        $ ken verify
        error   semantic/v1/entities/lesson.one.jsonl:1 was changed after it was written: its hash says HASH, its content HASH
                keep the change: ken adopt .kenning/semantic/v1/entities/lesson.one.jsonl; drop it: git checkout -- .kenning/semantic/v1/entities/lesson.one.jsonl
        notice  event HASH is not in this branch's files; the journal has it, written on branch main
                `ken recover` brings it back
        notice  event HASH was written on this branch and is no longer in its files; the journal has it
                `ken recover` puts it back
        FAIL: 4 files, 6 lines, 5 events, 3 entries; 1 error, 2 notices
        ! note: 1 event written on this branch is no longer in its files; nothing is lost: `ken recover` puts it back
        [exit 1]
        $ ken adopt .kenning/semantic/v1/entities/lesson.one.jsonl
        line 1: revised one
        $ ken show one --json | grep statement
          "statement": "Retry with more jitter.",
        $ ken log one
          EVENT 2026-01-02 03:04  human:Ada  stated as a lesson, with 1 citation
          EVENT 2026-01-02 03:04  human:Ada  cited pr:1 by human:Ada, unverified
          EVENT 2026-01-02 03:04  human:Ada  set statement (edited by hand)
        $ echo '{"type":"lesson","id":"four","statement":"By hand.","anchors":["src/net.rs"],"verification":["look"],"provenance":["pr:3"]}' >> .kenning/semantic/v1/entities/lesson.one.jsonl
        $ echo '{"type":"lesson","statement":"No evidence."}' >> .kenning/semantic/v1/entities/lesson.one.jsonl
        $ echo 'not json' >> .kenning/semantic/v1/entities/lesson.one.jsonl
        $ ken adopt semantic/v1/entities/lesson.one.jsonl
        line 3: added four
        left as it is: line 4: provenance required: a lesson must say where it comes from; it also needs a place where it can be seen (--anchor) and a step that shows whether it holds (--verify)
        left as it is: line 5: is not JSON (expected ident, column 2); mend it or delete it
        [exit 1]
        $ tail -n 2 .kenning/semantic/v1/entities/lesson.one.jsonl
        {"type":"lesson","statement":"No evidence."}
        not json
        $ ken list
        L-ad8964	lesson	candidate	By hand. (unverified)		2026-01-02	50 %
        L-7b9baa	lesson	candidate	Retry with more jitter. (unverified)		2026-01-02	50 %
        L-1b3838	lesson	candidate	Name the unit. (unverified)		2026-01-02	50 %
        L-5b93eb	lesson	candidate	Close what you open. (unverified)		2026-01-02	50 %
        $ ken verify
        error   semantic/v1/entities/lesson.one.jsonl:3 is not an event (no `hash`)
                keep what it says: ken adopt .kenning/semantic/v1/entities/lesson.one.jsonl; or delete the line
        error   semantic/v1/entities/lesson.one.jsonl:4 is not JSON (expected ident, column 2)
                keep what it says: ken adopt .kenning/semantic/v1/entities/lesson.one.jsonl; or delete the line
        FAIL: 5 files, 11 lines, 9 events, 4 entries; 2 errors, 0 notices
        [exit 1]
        $ ken adopt .kenning/semantic/v1/entities/lesson.two.jsonl
        nothing in .kenning/semantic/v1/entities/lesson.two.jsonl was edited by hand
        $ ken adopt src/net.rs
        ! error: src/net.rs is not a ledger file of this store
        ! hint: name a .jsonl file below .kenning; `ken verify` lists the edited ones
        [exit 3]
        $ ken adopt nowhere.jsonl --json
        {
          "error": {
            "code": "not_found",
            "field": "file",
            "hint": "name a .jsonl file below .kenning; `ken verify` lists the edited ones",
            "message": "nowhere.jsonl is not a ledger file of this store"
          }
        }
        ! error: nowhere.jsonl is not a ledger file of this store
        ! hint: name a .jsonl file below .kenning; `ken verify` lists the edited ones
        [exit 3]
    "#]].assert_eq(&play(&world, script));
}

#[test]
fn verify_finds_and_mends() {
    check_three(
        r#"ken verify
ken verify --json
(echo '<<<<<<< ours'; cat .kenning/semantic/v1/entities/lesson.one.jsonl; echo '======='; cat .kenning/semantic/v1/entities/lesson.one.jsonl; echo '>>>>>>> theirs') > x && mv x .kenning/semantic/v1/entities/lesson.one.jsonl
ken list
ken verify
ken verify --fix
ken verify
git status --short
ken add lesson 'Gaps.' --draft
ken verify"#,
        expect![[r#"
            $ ken verify
            pass: 4 files, 6 lines, 6 events, 3 entries; 0 errors, 0 notices
            $ ken verify --json
            {
              "pass": true,
              "errors": [],
              "notices": [],
              "fixed": [],
              "files": 4,
              "lines": 6,
              "events": 6,
              "entries": 3
            }
            $ (echo '<<<<<<< ours'; cat .kenning/semantic/v1/entities/lesson.one.jsonl; echo '======='; cat .kenning/semantic/v1/entities/lesson.one.jsonl; echo '>>>>>>> theirs') > x && mv x .kenning/semantic/v1/entities/lesson.one.jsonl
            $ ken list
            L-1b3838	lesson	candidate	Name the unit. (unverified)		2026-01-02	50 %
            L-5b93eb	lesson	candidate	Close what you open. (unverified)		2026-01-02	50 %
            L-7b9baa	lesson	candidate	Retry with jitter. (unverified)		2026-01-02	50 %
            $ ken verify
            notice  semantic/v1/entities/lesson.one.jsonl:1 is a conflict marker; both sides are read
                    `ken verify --fix` removes it
            notice  semantic/v1/entities/lesson.one.jsonl:3 is a conflict marker; both sides are read
                    `ken verify --fix` removes it
            notice  semantic/v1/entities/lesson.one.jsonl:5 is a conflict marker; both sides are read
                    `ken verify --fix` removes it
            pass: 4 files, 10 lines, 6 events, 3 entries; 0 errors, 3 notices
            $ ken verify --fix
            fixed   semantic/v1/entities/lesson.one.jsonl: removed conflict markers, removed duplicate lines
            pass: 4 files, 6 lines, 6 events, 3 entries; 0 errors, 0 notices
            $ ken verify
            pass: 4 files, 6 lines, 6 events, 3 entries; 0 errors, 0 notices
            $ git status --short
            $ ken add lesson 'Gaps.' --draft
            held L-5f3c5a  lesson.5f3c5a546f0120b4
              gap: provenance; fill it and the entry can be verified
              gap: anchor; fill it and the entry can be verified
              gap: verification; fill it and the entry can be verified
            $ ken verify
            notice  lesson.5f3c5a546f0120b4: provenance required: it cites no evidence
                    ken revise lesson.5f3c5a546f0120b4 --evidence ...
            notice  lesson.5f3c5a546f0120b4 has no anchor
                    ken revise lesson.5f3c5a546f0120b4 --anchor ...
            notice  lesson.5f3c5a546f0120b4 has no verification
                    ken revise lesson.5f3c5a546f0120b4 --verify ...
            pass: 5 files, 7 lines, 7 events, 4 entries; 0 errors, 3 notices
        "#]],
    );
}

#[test]
fn rebuild_where_and_migrate() {
    check_three(
        "ken rebuild
ken rebuild --json
ken where
ken where --json
cd src && ken where | head -1
cd / && ken where
ken migrate
ken migrate --json
git checkout -q --detach && ken where | grep branch",
        expect![[r#"
            $ ken rebuild
            the index is made anew: 3 entries
            $ ken rebuild --json
            {
              "entries": 3
            }
            $ ken where
            project  /scratch/repo/.kenning  (found by walking up from here)
            journal  /scratch/repo/.git/kenning/journal
            index    /scratch/repo/.git/kenning/index
            branch   main
            global   none yet; `ken --global init` makes one in /scratch/home/data/kenning
            actor    human:Ada
            hosts    none connected; `ken setup` lists them
            agents   see 3 entries; `ken brief` is what they begin with, `ken stats` what they got
            $ ken where --json
            {
              "actor": "human:Ada",
              "global": null,
              "global_folder": "/scratch/home/data/kenning",
              "handed_out": 3,
              "hosts": [],
              "project": {
                "branch": "main",
                "index": "/scratch/repo/.git/kenning/index",
                "journal": "/scratch/repo/.git/kenning/journal",
                "store": "/scratch/repo/.kenning",
                "worktree": ""
              },
              "read_only": false,
              "why": "found by walking up from here"
            }
            $ cd src && ken where | head -1
            project  /scratch/repo/.kenning  (found by walking up from here)
            $ cd / && ken where
            project  none here or in any folder above; `ken init` makes one
            global   none yet; `ken --global init` makes one in /scratch/home/data/kenning
            actor    human:unknown
            hosts    none connected; `ken setup` lists them
            $ ken migrate
            the store is of version 1.0.0, the newest this ken knows; nothing to move
            $ ken migrate --json
            {
              "migrated": false,
              "version": "1.0.0"
            }
            $ git checkout -q --detach && ken where | grep branch
            branch   none (detached)
        "#]],
    );
}

#[test]
fn config_reads_and_changes_settings() {
    check(
        "ken config
ken config --json
ken config list.limit
ken config list.limit 3
cat .kenning/config.toml
ken config list.limit
ken config list.limit --json
ken config show.exposures false
ken config list.limit many
ken config index_page.write yes
ken config list.limt
ken config nothing.like.it 3
ken config
cat .kenning/config.toml",
        expect![[r#"
            $ ken config
            approvals.mcp             false (default)    a client of the MCP server may ask a person on an agent's behalf; kept in this clone, never shared
            approvals.signed          false (default)    only approvals that are signed with the key of their approver count
            approvals.solo            false (default)    an approver may approve what they proposed themselves: for a team of one, and shown everywhere
            check.allow                (default)         commands that `ken check --run` may start, with commas between; `cargo test *` lets names follow; kept in this clone, never shared
            check.fail_on             broken (default)   from which verdict on `ken check` exits with 1
            check.seconds             60 (default)       how long a program that `ken check --run` starts may take
            drift.entries_max         50 (default)       more entries than this for one reviewer are bloated
            drift.stale_days          90 (default)       what was not confirmed for more days than this is stale
            embedder.background       true (default)     after a bulk add, make the missing vectors in a process of its own that ends when it is done
            embedder.kind             bundled (default)  what takes the meaning of texts: the bundled model, a server, or nothing
            embedder.model             (default)         the server's name for its model, for openai and ollama
            embedder.url               (default)         the server, for openai and ollama; beyond this machine it must be confirmed by KEN_EMBEDDER_URL
            embedder.weights           (default)         a packed model file to use instead of the bundled one, below the repository
            guard.customers            (default)         names and identifiers of customers that no entry may hold, with commas between; ACME-* is every word that begins so
            guard.hosts                (default)         hosts that entries may name although they look internal, with commas between
            guard.organisations        (default)         names of organisations that no entry may hold, with commas between
            health.backlog            500 (default)      the most that `ken health review` lets pass: entries that wait for a vector
            health.broken_percent     10 (default)       the most that `ken health review` lets pass: entries in a hundred that no longer hold, as far as is remembered
            health.contradictions     0 (default)        the most that `ken health review` lets pass: pairs of norms that contradict each other
            health.debt_over          10 (default)       the most that `ken health review` lets pass: entries at the limit of review debt, or close to it
            health.friction_week      10 (default)       the most that `ken health review` lets pass: things that got in the way in the last seven days
            health.gaps_percent       20 (default)       the most that `ken health review` lets pass: entries in a hundred that lack evidence, a place or a step
            health.orphaned_percent   10 (default)       the most that `ken health review` lets pass: entries in a hundred that cite a file that is gone
            health.problems           0 (default)        the most that `ken health review` lets pass: lines of ledger files that cannot be read
            health.stale_norms        0 (default)        the most that `ken health review` lets pass: norms that nobody confirmed for 90 days
            health.waiting            5000 (default)     the most that `ken health review` lets pass: events of the journal that are not written out
            hooks.off                 false (default)    `ken hook` does nothing, whatever a host tells it
            hooks.timeout_ms          0 (default)        how long a hook may take, in thousandths of a second; 0 is each event's own limit
            index_page.write          true (default)     write INDEX.md after each change
            list.limit                50 (default)       entries on one page of `ken list`
            pack.facts                15 (default)       share of a pack's budget for structured facts
            pack.history              15 (default)       share of a pack's budget for what used to hold
            pack.observations         20 (default)       share of a pack's budget for raw records and false positives
            pack.scratch              15 (default)       share of a pack's budget for the agent's own notes
            pack.task                 35 (default)       share of a pack's budget for task knowledge
            project.name               (default)         the project that runs belong to; the name of the repository's folder when empty
            review.entries            5 (default)        entries that are injected into one agent in one run, at most
            review.limit              10 (default)       reviews in which an entry is injected and nobody finds it independently, before it is archived
            reviewers.correctness     correctness logic edge cases invariants error handling races data integrity (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-architecture architecture boundaries coupling patterns complexity (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-correctness  data integrity transactions races concurrency async (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-game-design  game balance pacing player psychology feedback loops emergent behavior (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-performance  performance bottlenecks rendering memory scaling (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-quality      naming conventions testing code quality style idioms (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-safety       security threats credentials deployment rollback trust (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-user-product user experience flows UX value proposition scope (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.maintainability maintainability naming duplication coupling readability complexity dead code tests (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.performance     performance latency memory allocation complexity queries caching hot path (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.reliability     reliability timeouts retries idempotency recovery observability resource leaks (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.security        security injection authentication authorization secrets credentials input validation (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            search.exposures          true (default)     record in the journal what searches and surfacing showed, and what they could not answer
            search.limit              10 (default)       answers of one `ken search`
            show.exposures            true (default)     record in the journal what a run, or an agent outside of one, was shown by show, list, why and log
            surface.debugger          pull (default)     how knowledge reaches a debugger
            surface.executor          pull (default)     how knowledge reaches an executor that has to deviate
            surface.planner           pull (default)     how knowledge reaches a planner
            surface.researcher        pull (default)     how knowledge reaches a researcher
            $ ken config --json
            {
              "settings": [
                {
                  "about": "a client of the MCP server may ask a person on an agent's behalf; kept in this clone, never shared",
                  "is_default": true,
                  "key": "approvals.mcp",
                  "value": "false"
                },
                {
                  "about": "only approvals that are signed with the key of their approver count",
                  "is_default": true,
                  "key": "approvals.signed",
                  "value": "false"
                },
                {
                  "about": "an approver may approve what they proposed themselves: for a team of one, and shown everywhere",
                  "is_default": true,
                  "key": "approvals.solo",
                  "value": "false"
                },
                {
                  "about": "commands that `ken check --run` may start, with commas between; `cargo test *` lets names follow; kept in this clone, never shared",
                  "is_default": true,
                  "key": "check.allow",
                  "value": ""
                },
                {
                  "about": "from which verdict on `ken check` exits with 1",
                  "is_default": true,
                  "key": "check.fail_on",
                  "value": "broken"
                },
                {
                  "about": "how long a program that `ken check --run` starts may take",
                  "is_default": true,
                  "key": "check.seconds",
                  "value": "60"
                },
                {
                  "about": "more entries than this for one reviewer are bloated",
                  "is_default": true,
                  "key": "drift.entries_max",
                  "value": "50"
                },
                {
                  "about": "what was not confirmed for more days than this is stale",
                  "is_default": true,
                  "key": "drift.stale_days",
                  "value": "90"
                },
                {
                  "about": "after a bulk add, make the missing vectors in a process of its own that ends when it is done",
                  "is_default": true,
                  "key": "embedder.background",
                  "value": "true"
                },
                {
                  "about": "what takes the meaning of texts: the bundled model, a server, or nothing",
                  "is_default": true,
                  "key": "embedder.kind",
                  "value": "bundled"
                },
                {
                  "about": "the server's name for its model, for openai and ollama",
                  "is_default": true,
                  "key": "embedder.model",
                  "value": ""
                },
                {
                  "about": "the server, for openai and ollama; beyond this machine it must be confirmed by KEN_EMBEDDER_URL",
                  "is_default": true,
                  "key": "embedder.url",
                  "value": ""
                },
                {
                  "about": "a packed model file to use instead of the bundled one, below the repository",
                  "is_default": true,
                  "key": "embedder.weights",
                  "value": ""
                },
                {
                  "about": "names and identifiers of customers that no entry may hold, with commas between; ACME-* is every word that begins so",
                  "is_default": true,
                  "key": "guard.customers",
                  "value": ""
                },
                {
                  "about": "hosts that entries may name although they look internal, with commas between",
                  "is_default": true,
                  "key": "guard.hosts",
                  "value": ""
                },
                {
                  "about": "names of organisations that no entry may hold, with commas between",
                  "is_default": true,
                  "key": "guard.organisations",
                  "value": ""
                },
                {
                  "about": "the most that `ken health review` lets pass: entries that wait for a vector",
                  "is_default": true,
                  "key": "health.backlog",
                  "value": "500"
                },
                {
                  "about": "the most that `ken health review` lets pass: entries in a hundred that no longer hold, as far as is remembered",
                  "is_default": true,
                  "key": "health.broken_percent",
                  "value": "10"
                },
                {
                  "about": "the most that `ken health review` lets pass: pairs of norms that contradict each other",
                  "is_default": true,
                  "key": "health.contradictions",
                  "value": "0"
                },
                {
                  "about": "the most that `ken health review` lets pass: entries at the limit of review debt, or close to it",
                  "is_default": true,
                  "key": "health.debt_over",
                  "value": "10"
                },
                {
                  "about": "the most that `ken health review` lets pass: things that got in the way in the last seven days",
                  "is_default": true,
                  "key": "health.friction_week",
                  "value": "10"
                },
                {
                  "about": "the most that `ken health review` lets pass: entries in a hundred that lack evidence, a place or a step",
                  "is_default": true,
                  "key": "health.gaps_percent",
                  "value": "20"
                },
                {
                  "about": "the most that `ken health review` lets pass: entries in a hundred that cite a file that is gone",
                  "is_default": true,
                  "key": "health.orphaned_percent",
                  "value": "10"
                },
                {
                  "about": "the most that `ken health review` lets pass: lines of ledger files that cannot be read",
                  "is_default": true,
                  "key": "health.problems",
                  "value": "0"
                },
                {
                  "about": "the most that `ken health review` lets pass: norms that nobody confirmed for 90 days",
                  "is_default": true,
                  "key": "health.stale_norms",
                  "value": "0"
                },
                {
                  "about": "the most that `ken health review` lets pass: events of the journal that are not written out",
                  "is_default": true,
                  "key": "health.waiting",
                  "value": "5000"
                },
                {
                  "about": "`ken hook` does nothing, whatever a host tells it",
                  "is_default": true,
                  "key": "hooks.off",
                  "value": "false"
                },
                {
                  "about": "how long a hook may take, in thousandths of a second; 0 is each event's own limit",
                  "is_default": true,
                  "key": "hooks.timeout_ms",
                  "value": "0"
                },
                {
                  "about": "write INDEX.md after each change",
                  "is_default": true,
                  "key": "index_page.write",
                  "value": "true"
                },
                {
                  "about": "entries on one page of `ken list`",
                  "is_default": true,
                  "key": "list.limit",
                  "value": "50"
                },
                {
                  "about": "share of a pack's budget for structured facts",
                  "is_default": true,
                  "key": "pack.facts",
                  "value": "15"
                },
                {
                  "about": "share of a pack's budget for what used to hold",
                  "is_default": true,
                  "key": "pack.history",
                  "value": "15"
                },
                {
                  "about": "share of a pack's budget for raw records and false positives",
                  "is_default": true,
                  "key": "pack.observations",
                  "value": "20"
                },
                {
                  "about": "share of a pack's budget for the agent's own notes",
                  "is_default": true,
                  "key": "pack.scratch",
                  "value": "15"
                },
                {
                  "about": "share of a pack's budget for task knowledge",
                  "is_default": true,
                  "key": "pack.task",
                  "value": "35"
                },
                {
                  "about": "the project that runs belong to; the name of the repository's folder when empty",
                  "is_default": true,
                  "key": "project.name",
                  "value": ""
                },
                {
                  "about": "entries that are injected into one agent in one run, at most",
                  "is_default": true,
                  "key": "review.entries",
                  "value": "5"
                },
                {
                  "about": "reviews in which an entry is injected and nobody finds it independently, before it is archived",
                  "is_default": true,
                  "key": "review.limit",
                  "value": "10"
                },
                {
                  "about": "the words that this reviewer's knowledge is asked with, beside what is reviewed",
                  "is_default": true,
                  "key": "reviewers.correctness",
                  "value": "correctness logic edge cases invariants error handling races data integrity"
                },
                {
                  "about": "the words that this reviewer's knowledge is asked with, beside what is reviewed",
                  "is_default": true,
                  "key": "reviewers.fd-architecture",
                  "value": "architecture boundaries coupling patterns complexity"
                },
                {
                  "about": "the words that this reviewer's knowledge is asked with, beside what is reviewed",
                  "is_default": true,
                  "key": "reviewers.fd-correctness",
                  "value": "data integrity transactions races concurrency async"
                },
                {
                  "about": "the words that this reviewer's knowledge is asked with, beside what is reviewed",
                  "is_default": true,
                  "key": "reviewers.fd-game-design",
                  "value": "game balance pacing player psychology feedback loops emergent behavior"
                },
                {
                  "about": "the words that this reviewer's knowledge is asked with, beside what is reviewed",
                  "is_default": true,
                  "key": "reviewers.fd-performance",
                  "value": "performance bottlenecks rendering memory scaling"
                },
                {
                  "about": "the words that this reviewer's knowledge is asked with, beside what is reviewed",
                  "is_default": true,
                  "key": "reviewers.fd-quality",
                  "value": "naming conventions testing code quality style idioms"
                },
                {
                  "about": "the words that this reviewer's knowledge is asked with, beside what is reviewed",
                  "is_default": true,
                  "key": "reviewers.fd-safety",
                  "value": "security threats credentials deployment rollback trust"
                },
                {
                  "about": "the words that this reviewer's knowledge is asked with, beside what is reviewed",
                  "is_default": true,
                  "key": "reviewers.fd-user-product",
                  "value": "user experience flows UX value proposition scope"
                },
                {
                  "about": "the words that this reviewer's knowledge is asked with, beside what is reviewed",
                  "is_default": true,
                  "key": "reviewers.maintainability",
                  "value": "maintainability naming duplication coupling readability complexity dead code tests"
                },
                {
                  "about": "the words that this reviewer's knowledge is asked with, beside what is reviewed",
                  "is_default": true,
                  "key": "reviewers.performance",
                  "value": "performance latency memory allocation complexity queries caching hot path"
                },
                {
                  "about": "the words that this reviewer's knowledge is asked with, beside what is reviewed",
                  "is_default": true,
                  "key": "reviewers.reliability",
                  "value": "reliability timeouts retries idempotency recovery observability resource leaks"
                },
                {
                  "about": "the words that this reviewer's knowledge is asked with, beside what is reviewed",
                  "is_default": true,
                  "key": "reviewers.security",
                  "value": "security injection authentication authorization secrets credentials input validation"
                },
                {
                  "about": "record in the journal what searches and surfacing showed, and what they could not answer",
                  "is_default": true,
                  "key": "search.exposures",
                  "value": "true"
                },
                {
                  "about": "answers of one `ken search`",
                  "is_default": true,
                  "key": "search.limit",
                  "value": "10"
                },
                {
                  "about": "record in the journal what a run, or an agent outside of one, was shown by show, list, why and log",
                  "is_default": true,
                  "key": "show.exposures",
                  "value": "true"
                },
                {
                  "about": "how knowledge reaches a debugger",
                  "is_default": true,
                  "key": "surface.debugger",
                  "value": "pull"
                },
                {
                  "about": "how knowledge reaches an executor that has to deviate",
                  "is_default": true,
                  "key": "surface.executor",
                  "value": "pull"
                },
                {
                  "about": "how knowledge reaches a planner",
                  "is_default": true,
                  "key": "surface.planner",
                  "value": "pull"
                },
                {
                  "about": "how knowledge reaches a researcher",
                  "is_default": true,
                  "key": "surface.researcher",
                  "value": "pull"
                }
              ]
            }
            $ ken config list.limit
            50
            $ ken config list.limit 3
            list.limit = 3
            $ cat .kenning/config.toml
            # Settings of this store, shared by everybody who uses the repository. `ken config` lists every key with its default.
            [list]
            limit = 3
            $ ken config list.limit
            3
            $ ken config list.limit --json
            {
              "key": "list.limit",
              "value": "3"
            }
            $ ken config show.exposures false
            show.exposures = false
            $ ken config list.limit many
            ! error: list.limit cannot be "many"; a whole number from 1 to 10000 is wanted
            [exit 2]
            $ ken config index_page.write yes
            ! error: index_page.write cannot be "yes"; true or false is wanted
            [exit 2]
            $ ken config list.limt
            ! error: there is no setting "list.limt"; did you mean `list.limit`? known: approvals.mcp, approvals.signed, approvals.solo, check.allow, check.fail_on, check.seconds, drift.entries_max, drift.stale_days, embedder.background, embedder.kind, embedder.model, embedder.url, embedder.weights, guard.customers, guard.hosts, guard.organisations, health.backlog, health.broken_percent, health.contradictions, health.debt_over, health.friction_week, health.gaps_percent, health.orphaned_percent, health.problems, health.stale_norms, health.waiting, hooks.off, hooks.timeout_ms, index_page.write, list.limit, pack.facts, pack.history, pack.observations, pack.scratch, pack.task, project.name, review.entries, review.limit, search.exposures, search.limit, show.exposures, surface.debugger, surface.executor, surface.planner, surface.researcher, approvers.NAME, mirrors.NAME, reviewers.NAME
            [exit 2]
            $ ken config nothing.like.it 3
            ! error: there is no setting "nothing.like.it"; known: approvals.mcp, approvals.signed, approvals.solo, check.allow, check.fail_on, check.seconds, drift.entries_max, drift.stale_days, embedder.background, embedder.kind, embedder.model, embedder.url, embedder.weights, guard.customers, guard.hosts, guard.organisations, health.backlog, health.broken_percent, health.contradictions, health.debt_over, health.friction_week, health.gaps_percent, health.orphaned_percent, health.problems, health.stale_norms, health.waiting, hooks.off, hooks.timeout_ms, index_page.write, list.limit, pack.facts, pack.history, pack.observations, pack.scratch, pack.task, project.name, review.entries, review.limit, search.exposures, search.limit, show.exposures, surface.debugger, surface.executor, surface.planner, surface.researcher, approvers.NAME, mirrors.NAME, reviewers.NAME
            [exit 2]
            $ ken config
            approvals.mcp             false (default)    a client of the MCP server may ask a person on an agent's behalf; kept in this clone, never shared
            approvals.signed          false (default)    only approvals that are signed with the key of their approver count
            approvals.solo            false (default)    an approver may approve what they proposed themselves: for a team of one, and shown everywhere
            check.allow                (default)         commands that `ken check --run` may start, with commas between; `cargo test *` lets names follow; kept in this clone, never shared
            check.fail_on             broken (default)   from which verdict on `ken check` exits with 1
            check.seconds             60 (default)       how long a program that `ken check --run` starts may take
            drift.entries_max         50 (default)       more entries than this for one reviewer are bloated
            drift.stale_days          90 (default)       what was not confirmed for more days than this is stale
            embedder.background       true (default)     after a bulk add, make the missing vectors in a process of its own that ends when it is done
            embedder.kind             bundled (default)  what takes the meaning of texts: the bundled model, a server, or nothing
            embedder.model             (default)         the server's name for its model, for openai and ollama
            embedder.url               (default)         the server, for openai and ollama; beyond this machine it must be confirmed by KEN_EMBEDDER_URL
            embedder.weights           (default)         a packed model file to use instead of the bundled one, below the repository
            guard.customers            (default)         names and identifiers of customers that no entry may hold, with commas between; ACME-* is every word that begins so
            guard.hosts                (default)         hosts that entries may name although they look internal, with commas between
            guard.organisations        (default)         names of organisations that no entry may hold, with commas between
            health.backlog            500 (default)      the most that `ken health review` lets pass: entries that wait for a vector
            health.broken_percent     10 (default)       the most that `ken health review` lets pass: entries in a hundred that no longer hold, as far as is remembered
            health.contradictions     0 (default)        the most that `ken health review` lets pass: pairs of norms that contradict each other
            health.debt_over          10 (default)       the most that `ken health review` lets pass: entries at the limit of review debt, or close to it
            health.friction_week      10 (default)       the most that `ken health review` lets pass: things that got in the way in the last seven days
            health.gaps_percent       20 (default)       the most that `ken health review` lets pass: entries in a hundred that lack evidence, a place or a step
            health.orphaned_percent   10 (default)       the most that `ken health review` lets pass: entries in a hundred that cite a file that is gone
            health.problems           0 (default)        the most that `ken health review` lets pass: lines of ledger files that cannot be read
            health.stale_norms        0 (default)        the most that `ken health review` lets pass: norms that nobody confirmed for 90 days
            health.waiting            5000 (default)     the most that `ken health review` lets pass: events of the journal that are not written out
            hooks.off                 false (default)    `ken hook` does nothing, whatever a host tells it
            hooks.timeout_ms          0 (default)        how long a hook may take, in thousandths of a second; 0 is each event's own limit
            index_page.write          true (default)     write INDEX.md after each change
            list.limit                3                  entries on one page of `ken list`
            pack.facts                15 (default)       share of a pack's budget for structured facts
            pack.history              15 (default)       share of a pack's budget for what used to hold
            pack.observations         20 (default)       share of a pack's budget for raw records and false positives
            pack.scratch              15 (default)       share of a pack's budget for the agent's own notes
            pack.task                 35 (default)       share of a pack's budget for task knowledge
            project.name               (default)         the project that runs belong to; the name of the repository's folder when empty
            review.entries            5 (default)        entries that are injected into one agent in one run, at most
            review.limit              10 (default)       reviews in which an entry is injected and nobody finds it independently, before it is archived
            reviewers.correctness     correctness logic edge cases invariants error handling races data integrity (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-architecture architecture boundaries coupling patterns complexity (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-correctness  data integrity transactions races concurrency async (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-game-design  game balance pacing player psychology feedback loops emergent behavior (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-performance  performance bottlenecks rendering memory scaling (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-quality      naming conventions testing code quality style idioms (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-safety       security threats credentials deployment rollback trust (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.fd-user-product user experience flows UX value proposition scope (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.maintainability maintainability naming duplication coupling readability complexity dead code tests (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.performance     performance latency memory allocation complexity queries caching hot path (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.reliability     reliability timeouts retries idempotency recovery observability resource leaks (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            reviewers.security        security injection authentication authorization secrets credentials input validation (default) the words that this reviewer's knowledge is asked with, beside what is reviewed
            search.exposures          true (default)     record in the journal what searches and surfacing showed, and what they could not answer
            search.limit              10 (default)       answers of one `ken search`
            show.exposures            false              record in the journal what a run, or an agent outside of one, was shown by show, list, why and log
            surface.debugger          pull (default)     how knowledge reaches a debugger
            surface.executor          pull (default)     how knowledge reaches an executor that has to deviate
            surface.planner           pull (default)     how knowledge reaches a planner
            surface.researcher        pull (default)     how knowledge reaches a researcher
            $ cat .kenning/config.toml
            # Settings of this store, shared by everybody who uses the repository. `ken config` lists every key with its default.
            [list]
            limit = 3

            [show]
            exposures = false
        "#]],
    );
}

#[test]
fn index_page_can_be_left_alone() {
    check(
        "ken config index_page.write false
ken note 'Loud.'
ken add lesson 'Quiet.' --evidence pr:1 --anchor src/net.rs --verify look
cat .kenning/INDEX.md",
        expect![[r#"
            $ ken config index_page.write false
            index_page.write = false
            $ ken note 'Loud.'
            added signal.a6140178d1b5b748
            $ ken add lesson 'Quiet.' --evidence pr:1 --anchor src/net.rs --verify look
            added L-b0a645  lesson.b0a645a13b92fb82
            $ cat .kenning/INDEX.md
            # Knowledge index

        "#]],
    );
}

#[test]
fn purge_takes_the_bytes_out() {
    let world = three();
    let script = "ken revise two --detail 'The password is hunter2.'
ken purge two
ken purge two --yes --reason 'a password'
ken show two
ken list --all
ken verify
ken purge two --yes
ken log --json | grep -c hunter2
grep -r hunter2 .kenning .git/kenning | wc -l
ken purge one --yes --json";
    expect![[r#"
        $ ken revise two --detail 'The password is hunter2.'
        ! error: the change is kept out, the scan says critical: credential_leakage in detail (password-in-prose)
        ! hint: say it differently; `ken scan` shows what was found and why
        [exit 4]
        $ ken purge two
        ! error: a purge takes bytes out for good, and nobody is here to confirm it
        ! hint: ken purge two --yes
        [exit 4]
        $ ken purge two --yes --reason 'a password'
        purged 5b93ebfa177a0ca8
          semantic/v1/provenance/2026-01.REPLICA.jsonl: replaced purged lines by stubs
          semantic/v1/entities/lesson.two.jsonl: replaced purged lines by stubs
        Commits made before still hold the bytes. To find and to rewrite them:
          git log --all --oneline -- .kenning/semantic/v1/provenance/2026-01.REPLICA.jsonl .kenning/semantic/v1/entities/lesson.two.jsonl
          git filter-repo --replace-text FILE   # FILE holds the words that must go, one on each line
        $ ken show two
        ! error: no entry answers to "two"
        ! hint: `ken list --all` shows every entry; an id, a handle or the beginning of one will do
        [exit 3]
        $ ken list --all
        L-1b3838	lesson	candidate	Name the unit. (unverified)		2026-01-02	50 %
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)		2026-01-02	50 %
        $ ken verify
        pass: 5 files, 7 lines, 7 events, 2 entries; 0 errors, 0 notices
        $ ken purge two --yes
        ! error: no entry answers to "two"
        ! hint: `ken list --all` shows every entry; an id, a handle or the beginning of one will do
        [exit 3]
        $ ken log --json | grep -c hunter2
        0
        [exit 1]
        $ grep -r hunter2 .kenning .git/kenning | wc -l
        0
        $ ken purge one --yes --json
        {
          "files": [
            "semantic/v1/provenance/2026-01.REPLICA.jsonl: replaced purged lines by stubs",
            "semantic/v1/entities/lesson.one.jsonl: replaced purged lines by stubs"
          ],
          "history": [
            "git log --all --oneline -- .kenning/semantic/v1/provenance/2026-01.REPLICA.jsonl .kenning/semantic/v1/entities/lesson.one.jsonl",
            "git filter-repo --replace-text FILE   # FILE holds the words that must go, one on each line"
          ],
          "purged": "7b9baa8856474b00"
        }
    "#]].assert_eq(&play(&world, script));
}

#[test]
fn doctor_says_what_is_well_and_what_is_not() {
    check(
        "ken doctor
ken doctor --json | head -8
rm .kenning/.gitattributes
git config --unset user.name
ken init --hooks
rm .kenning/.gitattributes
echo garbage > .kenning/semantic.jsonl
mkdir -p .kenning/semantic/v1/entities && echo garbage > .kenning/semantic/v1/entities/lesson.x.jsonl
KEN_READONLY=1 ken doctor
ken doctor",
        expect![[r#"
            $ ken doctor
            ok    writing the store can be written
            ok    ledger  every line can be read
            ok    meaning every entry has its vector of all-MiniLM-L6-v2-int8-f4a341cf
            ok    scanner all five axes fire (rules 1); 0 kept out
            ok    verify  0 events, 0 entries, no errors
            ok    journal nothing waits to be written out
            ok    merging git merges ledgers by union
            ok    sharing the store is shared: commit it with `ken commit`
            ok    hook    no pre-commit hook; `ken init --hooks` installs one
            ok    actor   you act as human:Ada
            ok    hosts   no agent host is connected
                          `ken setup` lists the hosts there are
            $ ken doctor --json | head -8
            {
              "checks": [
                {
                  "found": "the store can be written",
                  "name": "writing",
                  "state": "ok"
                },
                {
            $ rm .kenning/.gitattributes
            $ git config --unset user.name
            $ ken init --hooks
            made .kenning/.gitattributes
            installed the pre-commit hook (ken flush --stage)
            $ rm .kenning/.gitattributes
            $ echo garbage > .kenning/semantic.jsonl
            $ mkdir -p .kenning/semantic/v1/entities && echo garbage > .kenning/semantic/v1/entities/lesson.x.jsonl
            $ KEN_READONLY=1 ken doctor
            warn  writing the store can only be read
                          check KEN_READONLY and the folder's permissions
            FAIL  ledger  1 line cannot be read
                          `ken verify` names each with file and line
            ok    meaning every entry has its vector of all-MiniLM-L6-v2-int8-f4a341cf
            ok    scanner all five axes fire (rules 1); 0 kept out
            FAIL  verify  1 error found
                          `ken verify` lists what is wrong and what to do
            ok    journal nothing waits to be written out
            ok    merging git merges ledgers by union
            ok    sharing the store is shared: commit it with `ken commit`
            ok    hook    the pre-commit hook writes out what waits
            warn  actor   neither git nor the environment says who you are
                          git config user.name 'Your Name', or set KEN_ACTOR
            ok    hosts   no agent host is connected
                          `ken setup` lists the hosts there are
            [exit 1]
            $ ken doctor
            ok    writing the store can be written
            FAIL  ledger  1 line cannot be read
                          `ken verify` names each with file and line
            ok    meaning every entry has its vector of all-MiniLM-L6-v2-int8-f4a341cf
            ok    scanner all five axes fire (rules 1); 0 kept out
            FAIL  verify  1 error found
                          `ken verify` lists what is wrong and what to do
            ok    journal nothing waits to be written out
            ok    merging git merges ledgers by union
            ok    sharing the store is shared: commit it with `ken commit`
            ok    hook    the pre-commit hook writes out what waits
            warn  actor   neither git nor the environment says who you are
                          git config user.name 'Your Name', or set KEN_ACTOR
            ok    hosts   no agent host is connected
                          `ken setup` lists the hosts there are
            [exit 1]
        "#]],
    );
}

#[test]
fn the_alias_group_speaks_json_and_makes_the_store() {
    let world = World::repository();
    let script = r#"ken knowledge list
ken knowledge add --type semantic --content '{"name":"Gateway","colour":"red","provenance":["pr:1"]}'
ken knowledge add --type procedural --norm-type commit --evidence abc1234 --content '{"rule":"Sign commits.","id":"norm.commit.001"}'
ken knowledge add --type procedural --norm-type risk --evidence pr:2 --content '{"rule":"Migrations are risky."}'
ken knowledge add --type episodic --content '{"type":"signal","statement":"Slow."}'
ken knowledge add --type semantic --norm-type commit --content '{"rule":"x"}' --evidence pr:1
ken knowledge add --type sematic --content '{}'
ken knowledge add --type procedural --norm-type comit --content '{}'
ken knowledge add --type procedural --content '{"rule":"x"}' --evidence pr:1
ken knowledge list --type procedural --norm-type commit
ken knowledge show norm.commit.001
ken knowledge promote --from semantic/lesson --to procedural
ken knowledge promote --from procedural --to episodic
ken knowledge verify
KEN_NOW=2027-01-01T00:00:00Z ken knowledge archive --older-than 90"#;
    expect![[r#"
        $ ken knowledge list
        {
          "error": {
            "code": "no_store",
            "field": null,
            "hint": "`ken init` makes one at the top of this repository",
            "message": "there is no knowledge store here or in any folder above"
          }
        }
        ! error: there is no knowledge store here or in any folder above
        ! hint: `ken init` makes one at the top of this repository
        [exit 3]
        $ ken knowledge add --type semantic --content '{"name":"Gateway","colour":"red","provenance":["pr:1"]}'
        {
          "outcome": "added",
          "id": "entity.903d0e4ef45fc01a",
          "handle": "entity.903d0e4ef45fc01a",
          "reasons": [],
          "scan": {
            "scanner": 1,
            "tier": "safe"
          },
          "admission": {
            "outcome": "as_proposed",
            "score": 0.789,
            "signals": {
              "confidence": 0.5,
              "content_type": 0.5,
              "federation": 1.0,
              "observation_mass": 0.393,
              "provenance": 1.0,
              "recency": 1.0,
              "scanner": 1.0
            },
            "flags": []
          }
        }
        $ ken knowledge add --type procedural --norm-type commit --evidence abc1234 --content '{"rule":"Sign commits.","id":"norm.commit.001"}'
        {
          "outcome": "added",
          "id": "norm.commit.001",
          "handle": "norm.commit.001",
          "reasons": [
            "it blocks nothing until an approver accepts it: ken promote norm.commit.001 --to procedural --reason '...'"
          ],
          "scan": {
            "scanner": 1,
            "tier": "safe"
          },
          "admission": {
            "outcome": "as_proposed",
            "score": 0.744,
            "signals": {
              "confidence": 0.5,
              "content_type": 0.5,
              "federation": 1.0,
              "observation_mass": 0.393,
              "provenance": 0.7,
              "recency": 1.0,
              "scanner": 1.0
            },
            "flags": []
          }
        }
        $ ken knowledge add --type procedural --norm-type risk --evidence pr:2 --content '{"rule":"Migrations are risky."}'
        {
          "outcome": "added",
          "id": "risk_tier.6fbdb7c3c2df218f",
          "handle": "risk_tier.6fbdb7c3c2df218f",
          "reasons": [
            "it blocks nothing until an approver accepts it: ken promote risk_tier.6fbdb7c3c2df218f --to procedural --reason '...'"
          ],
          "scan": {
            "scanner": 1,
            "tier": "safe"
          },
          "admission": {
            "outcome": "as_proposed",
            "score": 0.744,
            "signals": {
              "confidence": 0.5,
              "content_type": 0.5,
              "federation": 1.0,
              "observation_mass": 0.393,
              "provenance": 0.7,
              "recency": 1.0,
              "scanner": 1.0
            },
            "flags": []
          }
        }
        $ ken knowledge add --type episodic --content '{"type":"signal","statement":"Slow."}'
        {
          "outcome": "added",
          "id": "signal.69a7a7e93f80ee61",
          "handle": "signal.69a7a7e93f80ee61",
          "reasons": [],
          "scan": {
            "scanner": 1,
            "tier": "safe"
          },
          "admission": {
            "outcome": "as_proposed",
            "score": 0.684,
            "signals": {
              "confidence": 0.5,
              "content_type": 0.5,
              "federation": 1.0,
              "observation_mass": 0.393,
              "provenance": 0.3,
              "recency": 1.0,
              "scanner": 1.0
            },
            "flags": []
          }
        }
        $ ken knowledge add --type semantic --norm-type commit --content '{"rule":"x"}' --evidence pr:1
        {
          "error": {
            "code": "invalid",
            "field": "type",
            "hint": null,
            "message": "type: a commit_norm belongs to procedural memory, not to semantic"
          }
        }
        ! error: type: a commit_norm belongs to procedural memory, not to semantic
        [exit 2]
        $ ken knowledge add --type sematic --content '{}'
        {
          "error": {
            "code": "invalid",
            "field": "type",
            "hint": null,
            "message": "\"sematic\" is no memory; did you mean `semantic`? allowed: semantic, procedural, episodic"
          }
        }
        ! error: "sematic" is no memory; did you mean `semantic`? allowed: semantic, procedural, episodic
        [exit 2]
        $ ken knowledge add --type procedural --norm-type comit --content '{}'
        {
          "error": {
            "code": "invalid",
            "field": "norm-type",
            "hint": null,
            "message": "\"comit\" is no kind of norm; did you mean `commit`? allowed: commit, pr, expectation, risk"
          }
        }
        ! error: "comit" is no kind of norm; did you mean `commit`? allowed: commit, pr, expectation, risk
        [exit 2]
        $ ken knowledge add --type procedural --content '{"rule":"x"}' --evidence pr:1
        {
          "error": {
            "code": "invalid",
            "field": "type",
            "hint": null,
            "message": "type: is missing; one of commit_norm, pr_expectation, user_expectation, risk_tier"
          }
        }
        ! error: type: is missing; one of commit_norm, pr_expectation, user_expectation, risk_tier
        [exit 2]
        $ ken knowledge list --type procedural --norm-type commit
        {
          "entries": [
            {
              "id": "norm.commit.001",
              "handle": "norm.commit.001",
              "memory": "procedural",
              "type": "commit_norm",
              "status": "candidate",
              "title": "Sign commits.",
              "statement": "Sign commits.",
              "tags": [],
              "domains": [],
              "scope": "project",
              "belief": {
                "alpha": 5.0,
                "beta": 5.0,
                "mean": 0.5,
                "certainty": 0.2,
                "observations": 0.0
              },
              "gaps": [],
              "unverified": true,
              "on_this_branch": true,
              "created": "2026-01-02T03:04:05.000Z",
              "created_by": "human:Ada",
              "updated": "2026-01-02T03:04:05.000Z"
            }
          ],
          "next": null,
          "total": 1
        }
        $ ken knowledge show norm.commit.001
        {
          "id": "norm.commit.001",
          "handle": "norm.commit.001",
          "key": "2a2f5af351bc9930",
          "memory": "procedural",
          "type": "commit_norm",
          "schema_version": "1.0.0",
          "status": "candidate",
          "anchors": [],
          "decay_class": "stable",
          "depends_on": [],
          "domains": [],
          "rule": "Sign commits.",
          "scope": "project",
          "statement": "Sign commits.",
          "tags": [],
          "title": "Sign commits.",
          "verification": [],
          "authority": {
            "state": "none",
            "solo": false,
            "why": "a candidate: nobody has accepted it, so it blocks nothing"
          },
          "provenance": [
            {
              "evidence_type": "commit",
              "evidence_ref": "abc1234",
              "cited_by": "human:Ada",
              "cited_at": 1767323045,
              "unverified": true
            }
          ],
          "validity": {
            "verdict": "unverifiable",
            "because": [],
            "conditions": [],
            "anchors": []
          },
          "belief": {
            "alpha": 5.0,
            "beta": 5.0,
            "mean": 0.5,
            "certainty": 0.2,
            "observations": 0.0
          },
          "last_confirmed": null,
          "confirmation": null,
          "review_debt": 0,
          "prediction_errors": 0,
          "gaps": [],
          "unverified": true,
          "links": [],
          "not_run": [],
          "scan": {
            "scanner": 1,
            "tier": "safe"
          },
          "admission": {
            "outcome": "as_proposed",
            "score": 0.744,
            "signals": {
              "confidence": 0.5,
              "content_type": 0.5,
              "federation": 1.0,
              "observation_mass": 0.393,
              "provenance": 0.7,
              "recency": 1.0,
              "scanner": 1.0
            },
            "flags": []
          },
          "on_this_branch": true,
          "file": "procedural/v1/commit_norms/norm.commit.001.jsonl",
          "created": "2026-01-02T03:04:05.000Z",
          "created_by": "human:Ada",
          "updated": "2026-01-02T03:04:05.000Z"
        }
        $ ken knowledge promote --from semantic/lesson --to procedural
        {
          "error": {
            "code": "directional_flow",
            "field": null,
            "hint": "name what should be promoted, and a person may approve it: ken promote propose ID --to procedural --evidence REF --reason '...'",
            "message": "directional flow violation: semantic/lesson gains authority in procedural only by an approved promotion"
          }
        }
        ! error: directional flow violation: semantic/lesson gains authority in procedural only by an approved promotion
        ! hint: name what should be promoted, and a person may approve it: ken promote propose ID --to procedural --evidence REF --reason '...'
        [exit 4]
        $ ken knowledge promote --from procedural --to episodic
        {
          "error": {
            "code": "directional_flow",
            "field": null,
            "hint": "name what should be promoted, and a person may approve it: ken promote propose ID --to semantic --evidence REF --reason '...'",
            "message": "directional flow violation: knowledge does not move from procedural to episodic"
          }
        }
        ! error: directional flow violation: knowledge does not move from procedural to episodic
        ! hint: name what should be promoted, and a person may approve it: ken promote propose ID --to semantic --evidence REF --reason '...'
        [exit 4]
        $ ken knowledge verify
        {
          "pass": true,
          "errors": [],
          "notices": [],
          "fixed": [],
          "files": 6,
          "lines": 7,
          "events": 7,
          "entries": 4
        }
        $ KEN_NOW=2027-01-01T00:00:00Z ken knowledge archive --older-than 90
        {
          "archived": [
            "signal.69a7a7e93f80ee61",
            "entity.903d0e4ef45fc01a"
          ]
        }
    "#]].assert_eq(&play(&world, script));
}

#[test]
fn every_type_has_a_schema() {
    let world = World::bare();
    let all = world.ken("schema").ok().json();
    for (kind, schema) in all.as_object().unwrap() {
        assert_eq!(schema["title"], kind.as_str());
        assert_eq!(&world.ken(&format!("schema {kind} --json")).ok().json(), schema);
        assert!(schema["properties"]["statement"]["description"].is_string(), "{kind}");
    }
    expect![[r#"
        $ ken schema leson
        ! error: "leson" is no type of entry; did you mean `lesson`? allowed: entity, relationship, skill, experience, lesson, spike, pattern, incident, false_positive, commit_norm, pr_expectation, user_expectation, risk_tier, friction, signal, run, observation
        [exit 2]
        $ ken schema Commit-Norm | grep '"title"'
              "title": "Citation",
            "title": {
          "title": "commit_norm",
    "#]].assert_eq(&play(&world, "ken schema leson\nken schema Commit-Norm | grep '\"title\"'"));
}

#[test]
fn every_help_text_reads_well() {
    let world = World::bare();
    let mut text = play(&world, "ken\nken help\nken help all\nken help nothing\nken --version");
    for verb in verbs(&world) {
        text += &play(&world, &format!("ken {verb} --help"));
    }
    for verb in [
        "friction record",
        "knowledge add",
        "knowledge list",
        "knowledge show",
        "knowledge promote",
        "knowledge archive",
    ] {
        text += &play(&world, &format!("ken {verb} --help"));
    }
    expect_file!["help.txt"].assert_eq(&text);
}

/// The verbs that `ken help all` names.
fn verbs(world: &World) -> Vec<String> {
    let help = world.ken("help all").ok().out;
    let named = help.lines().filter_map(|line| line.strip_prefix("  "));
    named.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn help_names_every_verb_and_no_other() {
    let world = World::bare();
    let named = verbs(&world);
    let distinct: BTreeSet<&str> = named.iter().map(String::as_str).collect();
    assert_eq!(named.len(), distinct.len(), "a verb stands in two groups");
    // The completions are generated from the parser itself.
    let script = world.ken("completions bash").ok().out;
    let known = script.lines().filter_map(|line| line.trim().strip_prefix("ken,")?.strip_suffix(')'));
    // `ken` starts this one by itself, to read code; nobody types it.
    let known: BTreeSet<&str> = known.filter(|verb| *verb != "parse-worker").collect();
    assert_eq!(distinct, known);
    for verb in &named {
        world.ken(&format!("{verb} --help")).ok();
    }
}

#[test]
fn completions_come_for_every_shell() {
    let world = World::bare();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = world.ken(&format!("completions {shell}")).ok().out;
        assert!(script.contains("supersede"), "{shell}");
    }
}

#[test]
fn the_reference_names_every_verb_and_every_flag() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/cli.md")).unwrap();
    let world = World::bare();
    for verb in verbs(&world) {
        assert!(page.contains(&format!("`ken {verb}")), "docs/reference/cli.md does not name `ken {verb}`");
        let help = world.ken(&format!("{verb} --help")).ok().out;
        for flag in help.split_whitespace().filter(|word| word.starts_with("--")) {
            let flag = flag.trim_end_matches(|c: char| !c.is_alphanumeric());
            assert!(
                page.contains(&format!("`{flag}")),
                "docs/reference/cli.md does not name {flag} of {verb}"
            );
        }
    }
}

#[test]
fn the_reference_names_every_setting_and_every_kind_of_refusal() {
    let page = |name: &str| {
        std::fs::read_to_string(format!("{}/../../docs/reference/{name}", env!("CARGO_MANIFEST_DIR")))
            .unwrap()
    };
    let settings = World::with_store().ken("config --json").ok().json();
    for setting in settings["settings"].as_array().unwrap() {
        let row = format!("| `{}` |", setting["key"].as_str().unwrap());
        assert!(page("environment.md").contains(&row), "docs/reference/environment.md has no row {row}");
    }
    let codes = include_str!("../../core/src/refusal.rs");
    let codes: Vec<&str> =
        codes.lines().filter_map(|line| line.trim().strip_prefix("Code::")?.split('"').nth(1)).collect();
    assert!(codes.len() > 8, "{codes:?}");
    for code in codes {
        assert!(
            page("json.md").contains(&format!("| `{code}` |")),
            "docs/reference/json.md does not name {code}"
        );
    }
}

/// Runs a line on a terminal of some width, with something typed into it. Nothing where there is no `script` to make one.
pub(super) fn on_terminal(world: &World, columns: usize, line: &str, typed: &str) -> Option<String> {
    let probe = world.command("script").arg("--version").output();
    if !probe.is_ok_and(|output| {
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("util-linux")
    }) {
        skip("terminal tests: no `script` of util-linux here");
        return None;
    }
    world.write("terminal.sh", &format!("stty cols {columns} rows 40\n{line}\n"));
    world.write("typed.txt", typed);
    let answer = shell(world, "TERM=xterm-256color script -qec 'sh terminal.sh' /dev/null < typed.txt");
    Some(steady(world, &answer.out.replace('\r', "")))
}

#[test]
fn on_a_terminal_add_asks_for_what_is_missing() {
    let world = World::with_store();
    let head = world.git("rev-parse --short=12 HEAD");
    let Some(seen) = on_terminal(
        &world,
        100,
        "ken add 'Retry in `src/net.rs` with jitter.'",
        "\n\ngrep jitter src/net.rs\n",
    ) else {
        return;
    };
    for question in [
        &format!("Evidence (commit:HASH, pr:#N, doc:PATH, test:PATH) [commit:{head}]: "),
        "Where can it be seen (PATH, PATH:A-B, PATH#SYMBOL) [src/net.rs]: ",
        "How to check that it still holds: ",
        "added L-",
    ] {
        assert!(seen.contains(question), "{question}\n{seen}");
    }
    let entry = world.ken("show lesson --json").ok().json();
    assert_eq!(entry["provenance"][0]["evidence_ref"], head.as_str());
    assert_eq!(entry["provenance"][0].get("unverified"), None);
    assert_eq!(entry["anchors"][0]["at"], "src/net.rs");
    assert_eq!(entry["verification"][0], "grep jitter src/net.rs");
    // Programs are never asked.
    world.ken_args(&["add", "No questions here."]).fails_with(2);
}

#[test]
fn on_a_terminal_a_purge_asks_for_the_id() {
    let world = three();
    let Some(seen) = on_terminal(&world, 100, "ken purge two; echo code $?", "one\n") else { return };
    assert!(
        seen.contains("Type its id to confirm")
            && seen.contains("nothing was purged")
            && seen.contains("code 4"),
        "{seen}"
    );
    let seen = on_terminal(&world, 100, "ken purge two; echo code $?", "two\n").unwrap();
    assert!(seen.contains("code 0"), "{seen}");
    world.ken("show two").fails_with(3);
}

#[test]
fn on_a_terminal_tables_fit_and_colour_can_be_turned_off() {
    let world = three();
    play(
        &world,
        &format!(
            " ken add lesson 'A statement that is much longer than any terminal is wide, so that something has to give way, and it is the title.' --id four --tag a/b --tag c {REST}"
        ),
    );
    for columns in [80, 120] {
        let Some(seen) =
            on_terminal(&world, columns, "ken list; ken show four; ken why four; ken log four", "")
        else {
            return;
        };
        let widest = seen.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= columns, "{widest} > {columns}\n{seen}");
        assert!(!seen.contains('\u{1b}'), "NO_COLOR is set\n{seen}");
    }
    expect![[r#"
         ID        TYPE    STATUS     TITLE           TAGS   UPDATED     BELIEF
         L-d195c6  lesson  candidate  A statement     a/b c  2026-01-02  50 %
                                      tha…
                                      (unverified)
         L-1b3838  lesson  candidate  Name the unit.         2026-01-02  50 %
                                      (unverified)
         L-5b93eb  lesson  candidate  Close what you         2026-01-02  50 %
                                      …
                                      (unverified)
         L-7b9baa  lesson  candidate  Retry with             2026-01-02  50 %
                                      jitt…
                                      (unverified)
        4 of 4
        no entries; `ken add` makes one, `ken list --all` shows every status
         ID        TYPE    STATUS     TITLE           TAGS   UPDATED     BELIEF
         L-d195c6  lesson  candidate  A statement     a/b c  2026-01-02  50 %
                                      tha…
                                      (unverified)
         L-1b3838  lesson  candidate  Name the unit.         2026-01-02  50 %
                                      (unverified)
         L-5b93eb  lesson  candidate  Close what you         2026-01-02  50 %
                                      …
                                      (unverified)
         L-7b9baa  lesson  candidate  Retry with             2026-01-02  50 %
                                      jitt…
                                      (unverified)
        4 of 4
    "#]]
    .assert_eq(
        &on_terminal(&world, 72, "ken list; ken list --text nothing; ken knowledge list", "").unwrap(),
    );
    let colour = on_terminal(&world, 100, "unset NO_COLOR; ken show four", "").unwrap();
    assert!(colour.contains("\u{1b}[1m"), "{colour:?}");
}

#[test]
fn nothing_is_coloured_when_piped() {
    let mut world = three();
    world.env.retain(|(name, _)| name != "NO_COLOR");
    for line in
        ["ken list", "ken show one", "ken why one", "ken log", "ken help all", "ken diff HEAD~1", "ken frob"]
    {
        let answer = shell(&world, &format!("CLICOLOR=1 TERM=xterm-256color {line}"));
        assert!(!answer.out.contains('\u{1b}') && !answer.err.contains('\u{1b}'), "{line}");
    }
}

// `ken list | head -1` once ended in a panic and a backtrace.
#[test]
fn a_reader_that_goes_away_ends_nothing_badly() {
    let world = three();
    for line in [
        "list",
        "log",
        "show one two three",
        "schema",
        "help all",
        "completions bash",
        "--help",
        "verify",
        "doctor",
        "list --json",
    ] {
        let answer = shell(
            &world,
            &format!("ken {line} | true; ken {line} 2>err.txt | head -c 1 >/dev/null; cat err.txt"),
        );
        assert!(
            !answer.out.contains("panicked") && !answer.err.contains("panicked"),
            "{line}\n{}{}",
            answer.out,
            answer.err
        );
    }
}

#[test]
fn an_answer_that_cannot_be_written_is_an_error() {
    if !std::path::Path::new("/dev/full").exists() {
        return skip("a full standard output: no /dev/full here");
    }
    expect![[r#"
        $ ken list > /dev/full
        ! error: the answer could not be written to standard output: No space left on device (os error 28)
        ! hint: the command itself ended; ask again for its answer
        [exit 6]
        $ ken list --json > /dev/full
        ! error: the answer could not be written to standard output: No space left on device (os error 28)
        ! hint: the command itself ended; ask again for its answer
        [exit 6]
        $ ken tag one net > /dev/full
        ! error: the answer could not be written to standard output: No space left on device (os error 28)
        ! hint: the command itself ended; ask again for its answer
        [exit 6]
        $ ken show one --json | grep -A1 tags
          "tags": [
            "net"
    "#]].assert_eq(&play(&three(), "ken list > /dev/full\nken list --json > /dev/full\nken tag one net > /dev/full\nken show one --json | grep -A1 tags"));
}
