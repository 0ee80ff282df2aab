//! What people and machines get wrong: a clear refusal or an honest notice each time, and the store as it was.

use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::{Expect, expect};

use crate::transcript::{files, play, refusals, shell, skip};
use crate::world::World;

/// What every lesson here rests on.
const REST: &str = "--evidence pr:1 --anchor src/net.rs --verify look";
/// The same, as JSON.
const REST_JSON: &str =
    r#""type":"lesson","anchors":["src/net.rs"],"verification":["look"],"provenance":["pr:1"]"#;

fn one() -> World {
    let world = World::with_store();
    assert_eq!(shell(&world, &format!("ken add lesson 'Retry with jitter.' --id one {REST}")).code, 0);
    world
}

/// Every line must be refused, with these words, and change nothing.
fn check_refused(script: &str, expected: Expect) {
    expected.assert_eq(&refusals(&one(), script));
}

fn lines(statements: &[&str]) -> String {
    statements.iter().map(|statement| format!("{{\"statement\":\"{statement}\",{REST_JSON}}}\n")).collect()
}

#[test]
fn unknown_words_are_answered_with_the_nearest_known_one() {
    check_refused(
        "ken lst
ken frobnicate --json
ken list --limt 3
ken add leson 'x y'
ken add 'x y' z
ken add word
ken add
ken list --type leson
ken list --status archved
ken list --memory sematic
ken list --scope projct
ken list --sort size
ken link one suports one
ken config list.limt
ken config list.limt 3
ken schema leson
ken completions basch
ken diff --format markdwn
ken friction record --type tool-eror
ken knowledge add --type procedual --content '{}'
ken knowledge prmote
ken help lst
ken add lesson 'x y' --statement z
ken add skill 'x y' --subtype tecnique --evidence pr:1 --anchor src/net.rs --verify look
ken add lesson --content '{\"sumary\":\"x\",\"statement\":\"y\"}' --evidence pr:1",
        expect![[r#"
            $ ken lst
            ! error: there is no verb `lst`; did you mean `list`?
            ! hint: `ken help all` lists every verb
            [exit 2]
            $ ken frobnicate --json
            {
              "error": {
                "code": "usage",
                "field": "frobnicate",
                "hint": "`ken help all` lists every verb",
                "message": "there is no verb `frobnicate`; did you mean `friction`?"
              }
            }
            ! error: there is no verb `frobnicate`; did you mean `friction`?
            ! hint: `ken help all` lists every verb
            [exit 2]
            $ ken list --limt 3
            ! error: there is no flag `--limt` here; did you mean `--limit`?
            ! hint: `ken list --help` lists what it takes
            [exit 2]
            $ ken add leson 'x y'
            ! error: "leson" is no type of entry; did you mean `lesson`? allowed: entity, relationship, skill, experience, lesson, spike, pattern, incident, false_positive, commit_norm, pr_expectation, user_expectation, risk_tier, friction, signal, run, observation
            ! hint: put a claim into quotes: ken add 'Retry with jitter.'
            [exit 2]
            $ ken add 'x y' z
            ! error: "x y" is no type of entry; allowed: entity, relationship, skill, experience, lesson, spike, pattern, incident, false_positive, commit_norm, pr_expectation, user_expectation, risk_tier, friction, signal, run, observation
            ! hint: put a claim into quotes: ken add 'Retry with jitter.'
            [exit 2]
            $ ken add word
            ! error: "word" is no type of entry; allowed: entity, relationship, skill, experience, lesson, spike, pattern, incident, false_positive, commit_norm, pr_expectation, user_expectation, risk_tier, friction, signal, run, observation
            ! hint: a claim of one word goes behind --statement
            [exit 2]
            $ ken add
            ! error: type: is missing; one of entity, relationship, skill, experience, lesson, spike, pattern, incident, false_positive, commit_norm, pr_expectation, user_expectation, risk_tier, friction, signal, run, observation
            [exit 2]
            $ ken list --type leson
            ! error: "leson" is no type of entry; did you mean `lesson`? allowed: entity, relationship, skill, experience, lesson, spike, pattern, incident, false_positive, commit_norm, pr_expectation, user_expectation, risk_tier, friction, signal, run, observation
            [exit 2]
            $ ken list --status archved
            ! error: "archved" is no status; did you mean `archived`? allowed: candidate, active, verified, rejected, stale, archived, retracted, superseded
            [exit 2]
            $ ken list --memory sematic
            ! error: "sematic" is no memory; did you mean `semantic`? allowed: semantic, procedural, episodic
            [exit 2]
            $ ken list --scope projct
            ! error: "projct" is no scope; did you mean `project`? allowed: thread, project, global
            [exit 2]
            $ ken list --sort size
            ! error: "size" is no order; allowed: updated, created, id
            [exit 2]
            $ ken link one suports one
            ! error: "suports" is no relation; did you mean `supports`? allowed: relates_to, depends_on, supports, contradicts, supersedes, derived_from, example_of, part_of
            [exit 2]
            $ ken config list.limt
            ! error: there is no setting "list.limt"; did you mean `list.limit`? known: approvals.mcp, approvals.signed, approvals.solo, check.allow, check.fail_on, check.seconds, drift.entries_max, drift.stale_days, embedder.background, embedder.kind, embedder.model, embedder.url, embedder.weights, guard.customers, guard.hosts, guard.organisations, health.backlog, health.broken_percent, health.contradictions, health.debt_over, health.friction_week, health.gaps_percent, health.orphaned_percent, health.problems, health.stale_norms, health.waiting, hooks.off, hooks.timeout_ms, index_page.write, list.limit, pack.facts, pack.history, pack.observations, pack.scratch, pack.task, project.name, review.entries, review.limit, search.exposures, search.limit, show.exposures, surface.debugger, surface.executor, surface.planner, surface.researcher, approvers.NAME, mirrors.NAME, reviewers.NAME
            [exit 2]
            $ ken config list.limt 3
            ! error: there is no setting "list.limt"; did you mean `list.limit`? known: approvals.mcp, approvals.signed, approvals.solo, check.allow, check.fail_on, check.seconds, drift.entries_max, drift.stale_days, embedder.background, embedder.kind, embedder.model, embedder.url, embedder.weights, guard.customers, guard.hosts, guard.organisations, health.backlog, health.broken_percent, health.contradictions, health.debt_over, health.friction_week, health.gaps_percent, health.orphaned_percent, health.problems, health.stale_norms, health.waiting, hooks.off, hooks.timeout_ms, index_page.write, list.limit, pack.facts, pack.history, pack.observations, pack.scratch, pack.task, project.name, review.entries, review.limit, search.exposures, search.limit, show.exposures, surface.debugger, surface.executor, surface.planner, surface.researcher, approvers.NAME, mirrors.NAME, reviewers.NAME
            [exit 2]
            $ ken schema leson
            ! error: "leson" is no type of entry; did you mean `lesson`? allowed: entity, relationship, skill, experience, lesson, spike, pattern, incident, false_positive, commit_norm, pr_expectation, user_expectation, risk_tier, friction, signal, run, observation
            [exit 2]
            $ ken completions basch
            ! error: invalid value 'basch' for '<SHELL>' [possible values: bash, elvish, fish, powershell, zsh]
            ! hint: `ken completions --help` lists what it takes
            [exit 2]
            $ ken diff --format markdwn
            ! error: "markdwn" is no format; did you mean `markdown`? allowed: text, json, markdown
            [exit 2]
            $ ken friction record --type tool-eror
            ! error: "tool-eror" is no kind of friction; did you mean `tool_error`? allowed: tool_error, redo, validation_fail
            [exit 2]
            $ ken knowledge add --type procedual --content '{}'
            {
              "error": {
                "code": "invalid",
                "field": "type",
                "hint": null,
                "message": "\"procedual\" is no memory; did you mean `procedural`? allowed: semantic, procedural, episodic"
              }
            }
            ! error: "procedual" is no memory; did you mean `procedural`? allowed: semantic, procedural, episodic
            [exit 2]
            $ ken knowledge prmote
            ! error: there is no verb `prmote`; did you mean `promote`?
            ! hint: `ken knowledge --help` lists what it takes
            [exit 2]
            $ ken help lst
            ! error: there is no verb "lst"; did you mean `list`? `ken help all` lists every one
            [exit 2]
            $ ken add lesson 'x y' --statement z
            ! error: the claim is given twice, as text and with --statement
            [exit 2]
            $ ken add skill 'x y' --subtype tecnique --evidence pr:1 --anchor src/net.rs --verify look
            ! error: subtype: "tecnique" is no sub-type of a skill; did you mean `technique`? allowed: technique, pattern, anti_pattern, trajectory
            [exit 2]
            $ ken add lesson --content '{"sumary":"x","statement":"y"}' --evidence pr:1
            ! error: sumary: a lesson has no such field; did you mean `summary`? your own fields go under `attributes` or begin with `x_` (see `ken schema lesson`)
            [exit 2]
        "#]],
    );
}

#[test]
fn wrong_values_and_doubled_flags_are_refused() {
    check_refused(
        "ken add lesson 'x y' --title a --title b
ken list --json --json
ken list --limit many
ken list --limit -1
ken log --limit x
ken list --after nonsense
ken list --since soon
ken list --since ''
ken list --tag ''
ken list --domain 'a//b'
ken list --text ''
ken list --reviewer ' '
ken list --as-of nowhen
ken show one --as-of nowhen
ken add lesson 'x y' --severity high
ken add lesson 'x y' --severity 11 --evidence pr:1
ken add lesson 'x y' --polarity up --scope universe --decay-class slow --evidence pr:1
ken add lesson 'x y' --scope thread --evidence pr:1 --anchor src/net.rs --verify look
ken add entity --name N --attribute novalue --evidence pr:1
ken add spike --hypothesis h --outcome maybe --evidence pr:1
ken archive one --older-than 3
ken archive --older-than never
ken add --file x.jsonl --atomic --resume
ken show
ken init --private --remove",
        expect![[r#"
            $ ken add lesson 'x y' --title a --title b
            ! error: the argument '--title <TITLE>' cannot be used multiple times
            ! hint: `ken add --help` lists what it takes
            [exit 2]
            $ ken list --json --json
            {
              "error": {
                "code": "usage",
                "field": "json",
                "hint": "`ken list --help` lists what it takes",
                "message": "the argument '--json' cannot be used multiple times"
              }
            }
            ! error: the argument '--json' cannot be used multiple times
            ! hint: `ken list --help` lists what it takes
            [exit 2]
            $ ken list --limit many
            ! error: invalid value 'many' for '--limit <LIMIT>': a whole number is wanted
            ! hint: `ken list --help` lists what it takes
            [exit 2]
            $ ken list --limit -1
            ! error: invalid value '-1' for '--limit <LIMIT>': a whole number is wanted
            ! hint: `ken list --help` lists what it takes
            [exit 2]
            $ ken log --limit x
            ! error: invalid value 'x' for '--limit <LIMIT>': a whole number is wanted
            ! hint: `ken log --help` lists what it takes
            [exit 2]
            $ ken list --after nonsense
            ! error: "nonsense" is not the `next` of a page
            [exit 2]
            $ ken list --since soon
            ! error: --since: "soon" is not a time from 1970 to 9999; write 2026-11-15 or 2026-11-15T02:04:26Z, or an age like 7d
            [exit 2]
            $ ken list --since ''
            ! error: --since: "" is not a time from 1970 to 9999; write 2026-11-15 or 2026-11-15T02:04:26Z, or an age like 7d
            [exit 2]
            $ ken list --tag ''
            ! error: --tag: "" has an empty part; write words, with `/` between levels
            [exit 2]
            $ ken list --domain 'a//b'
            ! error: --domain: "a//b" has an empty part; write words, with `/` between levels
            [exit 2]
            $ ken list --text ''
            ! error: --text is empty; say what to look for, or leave it out
            [exit 2]
            $ ken list --reviewer ' '
            ! error: --reviewer is empty; say what to look for, or leave it out
            [exit 2]
            $ ken list --as-of nowhen
            ! error: "nowhen" is neither a commit of this repository nor a time
            ! hint: write a commit, branch or tag, or a time like 2026-11-15 or 2026-11-15T02:04:26Z
            [exit 3]
            $ ken show one --as-of nowhen
            ! error: "nowhen" is neither a commit of this repository nor a time
            ! hint: write a commit, branch or tag, or a time like 2026-11-15 or 2026-11-15T02:04:26Z
            [exit 3]
            $ ken add lesson 'x y' --severity high
            ! error: invalid value 'high' for '--severity <0..10>': a number is wanted
            ! hint: `ken add --help` lists what it takes
            [exit 2]
            $ ken add lesson 'x y' --severity 11 --evidence pr:1
            ! error: severity: is outside 0 to 10
            [exit 2]
            $ ken add lesson 'x y' --polarity up --scope universe --decay-class slow --evidence pr:1
            ! error: 3 things are wrong
            !   - decay_class: unknown word `slow`, allowed: `ephemeral`, `stable`, `permanent`
            !   - polarity: unknown word `up`, allowed: `positive`, `negative`, `neutral`
            !   - scope: unknown word `universe`, allowed: `thread`, `project`, `global`
            [exit 2]
            $ ken add lesson 'x y' --scope thread --evidence pr:1 --anchor src/net.rs --verify look
            ! error: thread: scope `thread` needs the name of its thread
            [exit 2]
            $ ken add entity --name N --attribute novalue --evidence pr:1
            ! error: --attribute "novalue" has no `=`; write KEY=VALUE
            [exit 2]
            $ ken add spike --hypothesis h --outcome maybe --evidence pr:1
            ! error: outcome: unknown word `maybe`, allowed: `confirmed`, `rejected`, `partial`, `inconclusive`
            [exit 2]
            $ ken archive one --older-than 3
            ! error: the argument '[ID]' cannot be used with '--older-than <DAYS>'
            ! hint: `ken archive --help` lists what it takes
            [exit 2]
            $ ken archive --older-than never
            ! error: "never" is not a number of days; write 90
            [exit 2]
            $ ken add --file x.jsonl --atomic --resume
            ! error: the argument '--atomic' cannot be used with '--resume'
            ! hint: `ken add --help` lists what it takes
            [exit 2]
            $ ken show
            ! error: the following required arguments were not provided: <IDS>...
            ! hint: `ken show --help` lists what it takes
            [exit 2]
            $ ken init --private --remove
            ! error: the argument '--private' cannot be used with '--remove'
            ! hint: `ken init --help` lists what it takes
            [exit 2]
        "#]],
    );
}

#[test]
fn empty_and_blank_texts_are_refused() {
    check_refused(
        "ken add lesson '' --evidence pr:1
ken add lesson '   ' --evidence pr:1
ken add lesson --statement '' --evidence pr:1
ken add lesson 'x y' --title ' ' --evidence pr:1 --anchor src/net.rs --verify look
ken add lesson 'x y' --verify '' --evidence pr:1 --anchor src/net.rs
ken add entity --name '' --evidence pr:1
ken note ''
ken note
ken revise one --statement ''
ken tag one ''
ken show ''
ken retract ''",
        expect![[r#"
            $ ken add lesson '' --evidence pr:1
            ! error: statement: is missing or empty; a lesson needs `statement`
            [exit 2]
            $ ken add lesson '   ' --evidence pr:1
            ! error: statement: is missing or empty; a lesson needs `statement`
            [exit 2]
            $ ken add lesson --statement '' --evidence pr:1
            ! error: statement: is missing or empty; a lesson needs `statement`
            [exit 2]
            $ ken add lesson 'x y' --title ' ' --evidence pr:1 --anchor src/net.rs --verify look
            ! error: title: is empty; say something or leave it out
            [exit 2]
            $ ken add lesson 'x y' --verify '' --evidence pr:1 --anchor src/net.rs
            ! error: verification: is empty; say something or leave it out
            [exit 2]
            $ ken add entity --name '' --evidence pr:1
            ! error: name: is missing or empty; an entity needs `name` or `title`
            [exit 2]
            $ ken note ''
            ! error: statement: is missing or empty; a signal needs `statement`
            [exit 2]
            $ ken note
            ! error: the following required arguments were not provided: <TEXT>...
            ! hint: `ken note --help` lists what it takes
            [exit 2]
            $ ken revise one --statement ''
            ! error: statement: is missing or empty; a lesson needs `statement`
            [exit 2]
            $ ken tag one ''
            ! error: tags: "" has an empty part; write words, with `/` between levels
            [exit 2]
            $ ken show ''
            ! error: no id was given
            ! hint: `ken list` shows the ids; a handle or the beginning of an id will do
            [exit 2]
            $ ken retract ''
            ! error: no id was given
            ! hint: `ken list` shows the ids; a handle or the beginning of an id will do
            [exit 2]
        "#]],
    );
}

#[test]
fn ids_that_are_paths_or_cannot_be_told_apart_are_refused() {
    check_refused(
        "ken add lesson 'x y' --id ../../x --evidence pr:1 --anchor src/net.rs --verify look
ken add lesson 'x y' --id /etc/passwd --evidence pr:1 --anchor src/net.rs --verify look
ken add lesson 'x y' --id a..b --evidence pr:1 --anchor src/net.rs --verify look
ken add lesson 'x y' --id .hidden --evidence pr:1 --anchor src/net.rs --verify look
ken add lesson 'x y' --id=-rf --evidence pr:1 --anchor src/net.rs --verify look
ken add lesson 'x y' --id '' --evidence pr:1 --anchor src/net.rs --verify look
ken add lesson 'x y' --id 'two words' --evidence pr:1 --anchor src/net.rs --verify look
ken add lesson 'x y' --id caf\u{e9} --evidence pr:1 --anchor src/net.rs --verify look
ken add lesson 'x y' --id cafe\u{301} --evidence pr:1 --anchor src/net.rs --verify look
ken add lesson 'x y' --id xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx --evidence pr:1 --anchor src/net.rs --verify look
ken add lesson 'x y' --id one --evidence pr:1 --anchor src/net.rs --verify look
ken show ../../etc/passwd
ken show o",
        expect![[r#"
            $ ken add lesson 'x y' --id ../../x --evidence pr:1 --anchor src/net.rs --verify look
            ! error: id: "../../x" contains '/'; ids have 1 to 120 characters, ASCII letters, digits, `.`, `_` and `-`, and begin with a letter or digit
            [exit 2]
            $ ken add lesson 'x y' --id /etc/passwd --evidence pr:1 --anchor src/net.rs --verify look
            ! error: id: "/etc/passwd" contains '/'; ids have 1 to 120 characters, ASCII letters, digits, `.`, `_` and `-`, and begin with a letter or digit
            [exit 2]
            $ ken add lesson 'x y' --id a..b --evidence pr:1 --anchor src/net.rs --verify look
            ! error: id: "a..b" looks like a path or a flag; ids have 1 to 120 characters, ASCII letters, digits, `.`, `_` and `-`, and begin with a letter or digit
            [exit 2]
            $ ken add lesson 'x y' --id .hidden --evidence pr:1 --anchor src/net.rs --verify look
            ! error: id: ".hidden" looks like a path or a flag; ids have 1 to 120 characters, ASCII letters, digits, `.`, `_` and `-`, and begin with a letter or digit
            [exit 2]
            $ ken add lesson 'x y' --id=-rf --evidence pr:1 --anchor src/net.rs --verify look
            ! error: id: "-rf" looks like a path or a flag; ids have 1 to 120 characters, ASCII letters, digits, `.`, `_` and `-`, and begin with a letter or digit
            [exit 2]
            $ ken add lesson 'x y' --id '' --evidence pr:1 --anchor src/net.rs --verify look
            ! error: id: is empty; ids have 1 to 120 characters, ASCII letters, digits, `.`, `_` and `-`, and begin with a letter or digit
            [exit 2]
            $ ken add lesson 'x y' --id 'two words' --evidence pr:1 --anchor src/net.rs --verify look
            ! error: id: "two words" contains ' '; ids have 1 to 120 characters, ASCII letters, digits, `.`, `_` and `-`, and begin with a letter or digit
            [exit 2]
            $ ken add lesson 'x y' --id café --evidence pr:1 --anchor src/net.rs --verify look
            ! error: id: "café" contains 'é'; ids have 1 to 120 characters, ASCII letters, digits, `.`, `_` and `-`, and begin with a letter or digit
            [exit 2]
            $ ken add lesson 'x y' --id café --evidence pr:1 --anchor src/net.rs --verify look
            ! error: id: "cafe\u{301}" contains '\u{301}'; ids have 1 to 120 characters, ASCII letters, digits, `.`, `_` and `-`, and begin with a letter or digit
            [exit 2]
            $ ken add lesson 'x y' --id xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx --evidence pr:1 --anchor src/net.rs --verify look
            ! error: id: has 121 bytes; ids have 1 to 120 characters, ASCII letters, digits, `.`, `_` and `-`, and begin with a letter or digit
            [exit 2]
            $ ken add lesson 'x y' --id one --evidence pr:1 --anchor src/net.rs --verify look
            ! error: the id one belongs to another entry: "Retry with jitter."
            ! hint: choose another id, or replace it: ken supersede one ...
            [exit 4]
            $ ken show ../../etc/passwd
            ! error: no entry answers to "../../etc/passwd"
            ! hint: `ken list --all` shows every entry; an id, a handle or the beginning of one will do
            [exit 3]
            $ ken show o
            ! error: no entry has the id "o", and as the beginning of one it is too short
            ! hint: write at least 3 characters of the id or handle
            [exit 3]
        "#]],
    );
}

#[test]
fn evidence_is_checked_before_anything_is_written() {
    check_refused(
        "ken add lesson 'x y' --anchor src/net.rs --verify look --evidence 1234
ken add lesson 'x y' --anchor src/net.rs --verify look --evidence hello
ken add lesson 'x y' --anchor src/net.rs --verify look --evidence comit:abcd
ken add lesson 'x y' --anchor src/net.rs --verify look --evidence commit:xyz
ken add lesson 'x y' --anchor src/net.rs --verify look --evidence pr:none
ken add lesson 'x y' --anchor src/net.rs --verify look --evidence ''
ken add lesson 'x y' --anchor src/net.rs --verify look --evidence doc:
ken add lesson 'x y' --anchor src/net.rs --verify look --evidence /etc/passwd
ken add lesson 'x y' --anchor src/net.rs --verify look --evidence doc:../../secret.md
ken add lesson 'x y' --anchor src/net.rs --verify look --evidence docs/missing.md
ken add lesson 'x y' --anchor src/net.rs --verify look --evidence tests/missing.rs
ken add lesson 'x y' --anchor src/net.rs --verify look --evidence 'C:\\x.md'
ken add lesson 'x y' --anchor /etc/passwd --verify look --evidence pr:1
ken add lesson 'x y' --anchor ../x --verify look --evidence pr:1
ken add lesson 'x y' --anchor src/net.rs:9-3 --verify look --evidence pr:1
ken add lesson 'x y' --anchor 'src/net.rs#' --verify look --evidence pr:1
ken add lesson 'x y' --anchor src/net.rs --verify a --verify b --verify c --verify d --evidence pr:1
ken revise one --evidence docs/missing.md
ken add entity --content '{\"name\":\"N\",\"provenance\":[{\"evidence_type\":\"rumour\",\"evidence_ref\":\"x\"}]}'
ken add entity --content '{\"name\":\"N\",\"provenance\":[{\"evidence_ref\":\"x\",\"odd\":1}]}'
ken add entity --content '{\"name\":\"N\",\"provenance\":\"pr:1\"}'",
        expect![[r#"
            $ ken add lesson 'x y' --anchor src/net.rs --verify look --evidence 1234
            ! error: evidence: "1234" could be a pull request or a commit; write pr:#1234 or commit:1234
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs --verify look --evidence hello
            ! error: evidence: "hello" could be many things; write commit:hello, pr:hello, doc:hello, test:hello or transcript:hello
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs --verify look --evidence comit:abcd
            ! error: evidence: "comit:abcd" names no known kind of evidence; did you mean `commit:abcd`? allowed: commit:, pr:, doc:, test:, transcript:
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs --verify look --evidence commit:xyz
            ! error: evidence: "xyz" is not a commit: 4 to 64 hexadecimal digits
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs --verify look --evidence pr:none
            ! error: evidence: "none" is not a pull request: a number like #42, or its URL
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs --verify look --evidence ''
            ! error: evidence: is empty; write commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs --verify look --evidence doc:
            ! error: evidence: `doc:` names nothing; write doc:REF
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs --verify look --evidence /etc/passwd
            ! error: evidence: "/etc/passwd" is an absolute path; write it relative to the repository
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs --verify look --evidence doc:../../secret.md
            ! error: evidence: "../../secret.md" leaves the repository; write a path inside it
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs --verify look --evidence docs/missing.md
            ! error: evidence: doc "docs/missing.md" is not in this repository; cite one that is, or say --unverified
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs --verify look --evidence tests/missing.rs
            ! error: evidence: test "tests/missing.rs" is not in this repository; cite one that is, or say --unverified
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs --verify look --evidence 'C:\x.md'
            ! error: evidence: "C:\\x.md" names no known kind of evidence; allowed: commit:, pr:, doc:, test:, transcript:
            [exit 2]
            $ ken add lesson 'x y' --anchor /etc/passwd --verify look --evidence pr:1
            ! error: anchors: "/etc/passwd" is an absolute path; write it relative to the repository
            [exit 2]
            $ ken add lesson 'x y' --anchor ../x --verify look --evidence pr:1
            ! error: anchors: "../x" leaves the repository; write a path inside it
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs:9-3 --verify look --evidence pr:1
            ! error: anchors: "src/net.rs:9-3" has no valid lines; write path:47 or path:47-52
            [exit 2]
            $ ken add lesson 'x y' --anchor 'src/net.rs#' --verify look --evidence pr:1
            ! error: anchors: "src/net.rs#" names no symbol after `#`; write path#symbol
            [exit 2]
            $ ken add lesson 'x y' --anchor src/net.rs --verify a --verify b --verify c --verify d --evidence pr:1
            ! error: verification: has 4 members; at most 3 are allowed
            [exit 2]
            $ ken revise one --evidence docs/missing.md
            ! error: evidence: "docs/missing.md" is not in this repository; cite one that is, or say --unverified
            [exit 2]
            $ ken add entity --content '{"name":"N","provenance":[{"evidence_type":"rumour","evidence_ref":"x"}]}'
            ! error: 2 things are wrong
            !   - provenance[0]: evidence_type "rumour" is unknown; allowed: commit, pr, doc, test, transcript
            !   - provenance: provenance required: at least one citation, --evidence KIND:REF
            [exit 2]
            $ ken add entity --content '{"name":"N","provenance":[{"evidence_ref":"x","odd":1}]}'
            ! error: 2 things are wrong
            !   - provenance[0]: has an unknown field "odd"; allowed: evidence_type, evidence_ref, cited_by, cited_at, unverified
            !   - provenance: provenance required: at least one citation, --evidence KIND:REF
            [exit 2]
            $ ken add entity --content '{"name":"N","provenance":"pr:1"}'
            ! error: 2 things are wrong
            !   - provenance: is not a list of citations
            !   - provenance: provenance required: at least one citation, --evidence KIND:REF
            [exit 2]
        "#]],
    );
}

#[test]
fn evidence_that_cannot_be_checked_here_is_marked() {
    let world = World::with_store();
    let script = "ken add lesson 'A missing file.' --evidence docs/missing.md --unverified --anchor src/net.rs --verify look
ken add lesson 'A page.' --evidence https://example.org/x --anchor src/net.rs --verify look
ken add lesson 'A page, said so.' --evidence doc:https://example.org/x --anchor src/net.rs --verify look
ken add lesson 'A commit of elsewhere.' --evidence commit:abcdef0 --anchor src/net.rs --verify look
ken add lesson 'A transcript.' --evidence sha256:00ff --anchor src/net.rs --verify look
ken add lesson 'A commit of here.' --evidence $(git rev-parse --short=10 HEAD) --anchor src/net.rs --verify look
ken add lesson 'A file of here.' --evidence src/net.rs:1-2 --anchor src/net.rs --verify look
ken list";
    expect![[r#"
        $ ken add lesson 'A missing file.' --evidence docs/missing.md --unverified --anchor src/net.rs --verify look
        added L-1bb42b  lesson.1bb42b4a5266e099
        $ ken add lesson 'A page.' --evidence https://example.org/x --anchor src/net.rs --verify look
        added L-270250  lesson.27025022809fd8b1
        $ ken add lesson 'A page, said so.' --evidence doc:https://example.org/x --anchor src/net.rs --verify look
        added L-069da2  lesson.069da2f2a4c5a016
        $ ken add lesson 'A commit of elsewhere.' --evidence commit:abcdef0 --anchor src/net.rs --verify look
        added L-64f4a6  lesson.64f4a6cd0dc18bae
        $ ken add lesson 'A transcript.' --evidence sha256:00ff --anchor src/net.rs --verify look
        added L-18feee  lesson.18feee1371b01681
        $ ken add lesson 'A commit of here.' --evidence $(git rev-parse --short=10 HEAD) --anchor src/net.rs --verify look
        added L-4127e8  lesson.4127e86a1bca6c6c
        $ ken add lesson 'A file of here.' --evidence src/net.rs:1-2 --anchor src/net.rs --verify look
        added L-808fae  lesson.808fae5794ec0e4d
        $ ken list
        L-808fae	lesson	candidate	A file of here.		2026-01-02	50 %
        L-4127e8	lesson	candidate	A commit of here.		2026-01-02	50 %
        L-18feee	lesson	candidate	A transcript. (unverified)		2026-01-02	50 %
        L-64f4a6	lesson	candidate	A commit of elsewhere. (unverified)		2026-01-02	50 %
        L-069da2	lesson	candidate	A page, said so. (unverified)		2026-01-02	50 %
        L-270250	lesson	candidate	A page. (unverified)		2026-01-02	50 %
        L-1bb42b	lesson	candidate	A missing file. (unverified)		2026-01-02	50 %
    "#]].assert_eq(&play(&world, script));
}

#[test]
fn invalid_json_is_named_with_line_and_column() {
    let world = one();
    world.write("object.json", "{\n  \"statement\": \"x\",\n  \"tags\": [\"a\" \"b\"]\n}\n");
    world.write("list.json", "[{\"statement\": \"x\"},\n {\"statement\": \"y\",}]\n");
    world.write("number.json", "7\n");
    world.write("empty.json", "");
    world.write("torn.jsonl", &format!("{}{{\"statement\": \n", lines(&["Fine."])));
    world.write("blob.jsonl", "\u{0}\u{1}\u{2}\n");
    std::fs::write(world.path().join("latin.jsonl"), b"{\"statement\":\"caf\xe9\"}\n").unwrap();
    let script = "ken add lesson --content '{\"statement\": \"x\", }'
ken add lesson --content 'not json'
ken add lesson --content '[1]'
ken add lesson --content ''
ken add lesson --content '{\"statement\": 7, \"tags\": \"a\"}' --evidence pr:1
ken revise one --content '{'
ken friction record --type redo --context '{\"a\":'
ken friction record --type redo --context '[]'
ken add lesson --file object.json
ken add lesson --file list.json
ken add lesson --file number.json
ken add lesson --file empty.json
ken add --file torn.jsonl
ken add --file torn.jsonl --json
ken add --file blob.jsonl
ken add --file latin.jsonl
ken add --file missing.jsonl
ken add --file src
ken add lesson --file - < empty.json";
    expect![[r#"
        $ ken add lesson --content '{"statement": "x", }'
        ! error: invalid JSON at line 1 column 20: trailing comma
        [exit 2]
        $ ken add lesson --content 'not json'
        ! error: invalid JSON at line 1 column 2: expected ident
        [exit 2]
        $ ken add lesson --content '[1]'
        ! error: the content is JSON, but not an object
        ! hint: write an object: {"statement": "..."}
        [exit 2]
        $ ken add lesson --content ''
        ! error: the content is empty
        ! hint: write an object: {"statement": "..."}
        [exit 2]
        $ ken add lesson --content '{"statement": 7, "tags": "a"}' --evidence pr:1
        ! error: 2 things are wrong
        !   - statement: is a number; a text is wanted
        !   - tags: is a text; a list is wanted
        [exit 2]
        $ ken revise one --content '{'
        ! error: invalid JSON at line 1 column 1: EOF while parsing an object
        [exit 2]
        $ ken friction record --type redo --context '{"a":'
        ! error: --context: invalid JSON at line 1 column 5: EOF while parsing a value
        ! hint: write an object: --context '{"command": "..."}'
        [exit 2]
        $ ken friction record --type redo --context '[]'
        ! error: --context: it is JSON, but not an object
        ! hint: write an object: --context '{"command": "..."}'
        [exit 2]
        $ ken add lesson --file object.json
        ! error: invalid JSON at line 3 column 16: expected `,` or `]`
        [exit 2]
        $ ken add lesson --file list.json
        ! error: invalid JSON at line 2 column 20: trailing comma
        [exit 2]
        $ ken add lesson --file number.json
        ! error: the content is JSON, but not an object
        ! hint: write an object: {"statement": "..."}
        [exit 2]
        $ ken add lesson --file empty.json
        ! error: the content is empty
        ! hint: write an object: {"statement": "..."}
        [exit 2]
        $ ken add --file torn.jsonl
        ! error: line 2: invalid JSON at column 14: EOF while parsing a value
        ! nothing was written
        ! hint: mend that line and run the same command again: nothing is added twice; or leave faulty ones out with --keep-going
        [exit 2]
        $ ken add --file torn.jsonl --json
        {
          "error": {
            "code": "invalid",
            "field": "content",
            "hint": "mend that line and run the same command again: nothing is added twice; or leave faulty ones out with --keep-going",
            "message": "line 2: invalid JSON at column 14: EOF while parsing a value\nnothing was written"
          }
        }
        ! error: line 2: invalid JSON at column 14: EOF while parsing a value
        ! nothing was written
        ! hint: mend that line and run the same command again: nothing is added twice; or leave faulty ones out with --keep-going
        [exit 2]
        $ ken add --file blob.jsonl
        ! error: line 1: invalid JSON at column 1: expected value
        ! nothing was written
        ! hint: mend that line and run the same command again: nothing is added twice; or leave faulty ones out with --keep-going
        [exit 2]
        $ ken add --file latin.jsonl
        ! error: latin.jsonl is not UTF-8 text
        [exit 2]
        $ ken add --file missing.jsonl
        ! error: missing.jsonl does not exist
        [exit 3]
        $ ken add --file src
        ! error: src is not a file
        [exit 3]
        $ ken add lesson --file - < empty.json
        ! error: the content is empty
        ! hint: write an object: {"statement": "..."}
        [exit 2]
    "#]].assert_eq(&refusals(&world, script));
}

#[test]
fn nothing_unprintable_and_nothing_endless_gets_in() {
    let world = one();
    let long = "x".repeat(10_000_000);
    world.write("long.json", &format!("{{\"statement\":\"{long}\",{REST_JSON}}}"));
    world.write("long.jsonl", &format!("{}{{\"statement\":\"{long}\",{REST_JSON}}}\n", lines(&["Fine."])));
    world.write(
        "title.json",
        &format!("{{\"statement\":\"x\",\"title\":\"{}\",{REST_JSON}}}", "t".repeat(1000)),
    );
    let tags: Vec<String> = (0..300).map(|n| format!("\"tag{n}\"")).collect();
    world.write("tags.json", &format!("{{\"statement\":\"x\",\"tags\":[{}],{REST_JSON}}}", tags.join(",")));
    let script = r#"ken add --file long.json
ken add --file long.jsonl
ken add --file title.json
ken add --file tags.json
ken add lesson --content '{"statement":"a\u0000b"}' --evidence pr:1
ken add lesson --content '{"statement":"a\u001b[31mb"}' --evidence pr:1
ken add lesson --content '{"statement":"x","tags":["a\u0000b"]}' --evidence pr:1
ken add lesson --content '{"statement":"a\ud800b"}' --evidence pr:1
ken add lesson --content '{"statement":"a\udc00\ud800"}' --evidence pr:1
ken add lesson 'x y' --evidence "$(printf 'doc:a\001b')" --anchor src/net.rs --verify look
ken add lesson 'x y' --evidence pr:1 --anchor "$(printf 'a\001b')" --verify look"#;
    expect![[r#"
        $ ken add --file long.json
        ! error: statement: has 10000000 characters; at most 4000 are allowed; say the claim in one to three sentences and put the rest into `detail`
        [exit 2]
        $ ken add --file long.jsonl
        ! error: line 2: has 10000104 bytes; at most 1048576 are allowed
        ! nothing was written
        ! hint: mend that line and run the same command again: nothing is added twice; or leave faulty ones out with --keep-going
        [exit 2]
        $ ken add --file title.json
        ! error: title: has 1000 characters; at most 300 are allowed
        [exit 2]
        $ ken add --file tags.json
        ! error: tags: has 300 members; at most 200 are allowed
        [exit 2]
        $ ken add lesson --content '{"statement":"a\u0000b"}' --evidence pr:1
        ! error: statement: contains the control character U+0000; only line breaks and tabs are allowed
        [exit 2]
        $ ken add lesson --content '{"statement":"a\u001b[31mb"}' --evidence pr:1
        ! error: statement: contains the control character U+001B; only line breaks and tabs are allowed
        [exit 2]
        $ ken add lesson --content '{"statement":"x","tags":["a\u0000b"]}' --evidence pr:1
        ! error: tags: "a\0b" contains '\0'; a tag has letters, digits, `_ . + # @ :` and `/` to nest
        [exit 2]
        $ ken add lesson --content '{"statement":"a\ud800b"}' --evidence pr:1
        ! error: invalid JSON at line 1 column 22: unexpected end of hex escape
        [exit 2]
        $ ken add lesson --content '{"statement":"a\udc00\ud800"}' --evidence pr:1
        ! error: invalid JSON at line 1 column 21: lone leading surrogate in hex escape
        [exit 2]
        $ ken add lesson 'x y' --evidence "$(printf 'doc:a\001b')" --anchor src/net.rs --verify look
        ! error: evidence: a reference has at most 1000 characters and no control characters
        [exit 2]
        $ ken add lesson 'x y' --evidence pr:1 --anchor "$(printf 'a\001b')" --verify look
        ! error: anchors: "a\u{1}b" contains '\u{1}', which no path should
        [exit 2]
    "#]].assert_eq(&refusals(&world, script));
    let answer = world.ken_stdin(&["add", "lesson", "--file", "-"], "\u{0}\u{7}");
    assert!(answer.code == 2 && answer.err.contains("invalid JSON at line 1 column 1"), "{}", answer.err);
    // Bytes that are no text at all cannot even be an argument.
    let answer = shell(&world, "ken add lesson \"$(printf 'a\\377b')\" --evidence pr:1");
    assert_ne!(answer.code, 0);
    assert!(!answer.err.contains("panicked"), "{}", answer.err);
}

#[test]
fn unicode_is_kept_everywhere() {
    let world = World::with_store();
    let statement = "Prüfe 数据库 🦀 عربى — «ναι».";
    let script = format!(
        "ken add lesson '{statement}' --title 'Größe' --tag 'Überblick/データ' --domain 'سلام' --reviewer Zoë --detail '🧵🪡' --evidence pr:1 --anchor 'src/ünï.rs' --verify 'schau nach'
ken list
ken list --tag überblick
ken list --text 数据库
ken list --reviewer Zoë
ken show lesson
ken show lesson --json | grep -e statement -e title
KEN_ACTOR='human:Zoë 🦀' ken note 'Добрый день'
ken log --limit 1
ken verify
ken commit -m 'знание: первый'"
    );
    expect![[r#"
        $ ken add lesson 'Prüfe 数据库 🦀 عربى — «ναι».' --title 'Größe' --tag 'Überblick/データ' --domain 'سلام' --reviewer Zoë --detail '🧵🪡' --evidence pr:1 --anchor 'src/ünï.rs' --verify 'schau nach'
        added L-3c1373  lesson.3c1373b1f3b35281
          src/ünï.rs is not watched: there is no src/ünï.rs
        $ ken list
        L-3c1373	lesson	candidate	Größe (unverified)	überblick/データ	2026-01-02	50 %
        $ ken list --tag überblick
        L-3c1373	lesson	candidate	Größe (unverified)	überblick/データ	2026-01-02	50 %
        $ ken list --text 数据库
        L-3c1373	lesson	candidate	Größe (unverified)	überblick/データ	2026-01-02	50 %
        $ ken list --reviewer Zoë
        L-3c1373	lesson	candidate	Größe (unverified)	überblick/データ	2026-01-02	50 %
        $ ken show lesson
        L-3c1373  lesson  candidate  lesson.3c1373b1f3b35281
        Größe

          Prüfe 数据库 🦀 عربى — «ναι».

          🧵🪡

          evidence      pr:1 by human:Ada (unverified)
          anchors       src/ünï.rs
          decay class   stable
          domains       سلام
          reviewer      Zoë
          scope         project
          tags          überblick/データ
          verification  schau nach
          validity      broken: src/ünï.rs broken: there is no src/ünï.rs
          belief        50 % ▕██░░░░░░▏ nobody used it yet
          created       2026-01-02 by human:Ada
          file          semantic/v1/entities/lesson.3c1373b1f3b35281.jsonl
        $ ken show lesson --json | grep -e statement -e title
          "statement": "Prüfe 数据库 🦀 عربى — «ναι».",
          "title": "Größe",
        $ KEN_ACTOR='human:Zoë 🦀' ken note 'Добрый день'
        added signal.8bc1dc76bd04e6d2
        $ ken log --limit 1
        signal.8bc1dc76bd04e6d2  Добрый день
          EVENT 2026-01-02 03:04  human:Zoë 🦀  stated as a signal
        $ ken verify
        pass: 3 files, 3 lines, 3 events, 2 entries; 0 errors, 0 notices
        $ ken commit -m 'знание: первый'
        committed COMMIT знание: первый
    "#]].assert_eq(&play(&world, &script));
}

#[test]
fn statements_that_differ_only_in_form_are_one_entry() {
    let world = World::with_store();
    let script = format!(
        "ken add lesson 'Order a caf\u{e9}.' {REST}
ken add lesson 'Order a cafe\u{301}' {REST} --evidence pr:2
ken add lesson 'ORDER  a CAF\u{c9}!' {REST}
ken list"
    );
    expect![[r#"
        $ ken add lesson 'Order a café.' --evidence pr:1 --anchor src/net.rs --verify look
        added L-ec9a60  lesson.ec9a60d36def6ea4
        $ ken add lesson 'Order a café' --evidence pr:1 --anchor src/net.rs --verify look --evidence pr:2
        reinforced L-ec9a60  lesson.ec9a60d36def6ea4
          lesson.ec9a60d36def6ea4 already says this; 1 citation added to it
        $ ken add lesson 'ORDER  a CAFÉ!' --evidence pr:1 --anchor src/net.rs --verify look
        reinforced L-ec9a60  lesson.ec9a60d36def6ea4
          lesson.ec9a60d36def6ea4 already says this, with the same evidence; nothing was written
        $ ken list
        L-ec9a60	lesson	candidate	Order a café. (unverified)		2026-01-02	50 %
    "#]]
    .assert_eq(&play(&world, &script));
}

#[test]
fn ids_that_differ_only_in_case_live_in_two_files() {
    let world = World::with_store();
    let script = format!(
        "ken add lesson 'Upper.' --id Case {REST}
ken add lesson 'Lower.' --id case {REST}
ken show Case --json | grep -e '\"file\"' -e statement
ken show case --json | grep -e '\"file\"' -e statement
ken add lesson 'A device.' --id con {REST}
ken add lesson 'Another.' --id NUL.txt {REST}
ken add entity --name N --id com1.x --evidence pr:1
ls .kenning/semantic/v1/entities
ken verify"
    );
    expect![[r#"
        $ ken add lesson 'Upper.' --id Case --evidence pr:1 --anchor src/net.rs --verify look
        added L-23cac2  Case
        $ ken add lesson 'Lower.' --id case --evidence pr:1 --anchor src/net.rs --verify look
        added L-214e28  case
        $ ken show Case --json | grep -e '"file"' -e statement
          "statement": "Upper.",
          "file": "semantic/v1/entities/lesson.=43ase.jsonl",
        $ ken show case --json | grep -e '"file"' -e statement
          "statement": "Lower.",
          "file": "semantic/v1/entities/lesson.case.jsonl",
        $ ken add lesson 'A device.' --id con --evidence pr:1 --anchor src/net.rs --verify look
        added L-235b6e  con
        $ ken add lesson 'Another.' --id NUL.txt --evidence pr:1 --anchor src/net.rs --verify look
        added L-058ba4  NUL.txt
        $ ken add entity --name N --id com1.x --evidence pr:1
        added com1.x
        $ ls .kenning/semantic/v1/entities
        entity.=63om1.x.jsonl
        lesson.=43ase.jsonl
        lesson.=4e=55=4c.txt.jsonl
        lesson.=63on.jsonl
        lesson.case.jsonl
        $ ken verify
        pass: 6 files, 10 lines, 10 events, 5 entries; 0 errors, 0 notices
    "#]]
    .assert_eq(&play(&world, &script));
}

#[test]
fn an_ambiguous_beginning_lists_the_choices() {
    let world = World::with_store();
    let script = format!(
        " ken add lesson 'First of all.' --id net.one {REST}
 ken add lesson 'Second.' --id net.two {REST}
ken show net
ken retract net
ken show net.o
ken show ne
ken show '[net.one]'"
    );
    expect![[r#"
        $ ken show net
        ! error: "net" could be 2 entries: net.one (First of all.), net.two (Second.)
        ! hint: write more of the id
        [exit 2]
        $ ken retract net
        ! error: "net" could be 2 entries: net.one (First of all.), net.two (Second.)
        ! hint: write more of the id
        [exit 2]
        $ ken show net.o
        L-270c95  lesson  candidate  net.one
        First of all.

          evidence      pr:1 by human:Ada (unverified)
          anchors       src/net.rs
          decay class   stable
          scope         project
          verification  look
          validity      fresh
          belief        50 % ▕██░░░░░░▏ nobody used it yet
          created       2026-01-02 by human:Ada
          file          semantic/v1/entities/lesson.net.one.jsonl
        $ ken show ne
        ! error: no entry has the id "ne", and as the beginning of one it is too short
        ! hint: write at least 3 characters of the id or handle
        [exit 3]
        $ ken show '[net.one]'
        L-270c95  lesson  candidate  net.one
        First of all.

          evidence      pr:1 by human:Ada (unverified)
          anchors       src/net.rs
          decay class   stable
          scope         project
          verification  look
          validity      fresh
          belief        50 % ▕██░░░░░░▏ nobody used it yet
          created       2026-01-02 by human:Ada
          file          semantic/v1/entities/lesson.net.one.jsonl
    "#]]
    .assert_eq(&play(&world, &script));
}

#[test]
fn a_bad_line_in_the_middle_says_what_is_safe() {
    let world = World::with_store();
    world.write("bad.jsonl", &(lines(&["One.", "Two."]) + "{\"statement\": oops}\n" + &lines(&["Three."])));
    world.write(
        "faulty.jsonl",
        &(lines(&["Four."]) + "{\"type\":\"lesson\",\"statement\":\"No evidence.\"}\n" + &lines(&["Five."])),
    );
    let script = "ken add --file bad.jsonl
ken list
ken add --file bad.jsonl --atomic
ken add --file faulty.jsonl --json
ken list
ken add --file bad.jsonl --keep-going
ken add --file faulty.jsonl --keep-going --json
ken list --sort id
ken add --file bad.jsonl --keep-going
ken list --json | grep total";
    expect![[r#"
        $ ken add --file bad.jsonl
        ! error: line 3: invalid JSON at column 15: expected value
        ! nothing was written
        ! hint: mend that line and run the same command again: nothing is added twice; or leave faulty ones out with --keep-going
        [exit 2]
        $ ken list
        $ ken add --file bad.jsonl --atomic
        ! error: line 3: invalid JSON at column 15: expected value
        ! nothing was written
        ! hint: mend that line and run the same command again: nothing is added twice
        [exit 2]
        $ ken add --file faulty.jsonl --json
        {
          "error": {
            "code": "provenance_required",
            "faults": [
              {
                "field": "provenance",
                "problem": "provenance required: a lesson must say where it comes from; it also needs a place where it can be seen (--anchor) and a step that shows whether it holds (--verify)"
              },
              {
                "field": "anchors",
                "problem": "at least one place where it can be seen, --anchor PATH[:A-B|#SYMBOL]"
              },
              {
                "field": "verification",
                "problem": "one to three steps that show whether it holds, --verify TEXT"
              }
            ],
            "field": "provenance",
            "hint": "mend that line and run the same command again: nothing is added twice; or leave faulty ones out with --keep-going",
            "message": "line 2: provenance required: a lesson must say where it comes from; it also needs a place where it can be seen (--anchor) and a step that shows whether it holds (--verify)\nnothing was written"
          }
        }
        ! error: line 2: provenance required: a lesson must say where it comes from; it also needs a place where it can be seen (--anchor) and a step that shows whether it holds (--verify)
        ! nothing was written
        ! hint: mend that line and run the same command again: nothing is added twice; or leave faulty ones out with --keep-going
        [exit 2]
        $ ken list
        $ ken add --file bad.jsonl --keep-going
        added 3, reinforced 0, held 0, refused 1
          line 3: invalid JSON at column 15: expected value
        last acknowledged line: 4
        [exit 1]
        $ ken add --file faulty.jsonl --keep-going --json
        {
          "acknowledged": 3,
          "added": 2,
          "reinforced": 0,
          "held": 0,
          "merged": 0,
          "rejected": 0,
          "refused": 1,
          "complete": true,
          "faults": [
            "line 2: provenance required: a lesson must say where it comes from; it also needs a place where it can be seen (--anchor) and a step that shows whether it holds (--verify)"
          ],
          "kept_out": []
        }
        [exit 1]
        $ ken list --sort id
        L-14af05	lesson	candidate	Five. (unverified)		2026-01-02	50 %
        L-47e4f5	lesson	candidate	Four. (unverified)		2026-01-02	50 %
        L-922079	lesson	candidate	Two. (unverified)		2026-01-02	50 %
        L-ccd250	lesson	candidate	One. (unverified)		2026-01-02	50 %
        L-d43ede	lesson	candidate	Three. (unverified)		2026-01-02	50 %
        $ ken add --file bad.jsonl --keep-going
        added 0, reinforced 3, held 0, refused 1
          line 3: invalid JSON at column 15: expected value
        last acknowledged line: 4
        [exit 1]
        $ ken list --json | grep total
          "total": 5
    "#]].assert_eq(&play(&world, script));
}

#[test]
fn a_long_file_goes_in_by_batches_and_can_be_resumed() {
    let world = World::with_store();
    let many: Vec<String> = (1..=1300).map(|n| format!("Lesson number {n}.")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let good = lines(&many);
    let mut bad: Vec<&str> = good.lines().collect();
    bad[1199] = "{\"statement\": oops}";
    world.write("many.jsonl", &(bad.join("\n") + "\n"));
    let script = "ken add --file many.jsonl
ken list --json | grep total";
    expect![[r#"
        $ ken add --file many.jsonl
        ! error: line 1200: invalid JSON at column 15: expected value
        ! lines 1 to 1000 are written and safe
        ! hint: mend that line and run the same command again (--resume skips what is safe): nothing is added twice; or leave faulty ones out with --keep-going
        [exit 2]
        $ ken list --json | grep total
          "total": 1000
    "#]].assert_eq(&play(&world, script));
    world.write("many.jsonl", &good);
    let script = "ken add --file many.jsonl --resume
ken list --json | grep total
ken add --file many.jsonl --resume
ken add --file many.jsonl
ken list --json | grep total
ken verify";
    expect![[r#"
        $ ken add --file many.jsonl --resume
        added 300, reinforced 0, held 0, refused 0
        last acknowledged line: 1300
        $ ken list --json | grep total
          "total": 1300
        $ ken add --file many.jsonl --resume
        added 0, reinforced 1300, held 0, refused 0
        last acknowledged line: 1300
        ! note: nothing of many.jsonl was acknowledged before; starting at its first line
        $ ken add --file many.jsonl
        added 0, reinforced 1300, held 0, refused 0
        last acknowledged line: 1300
        $ ken list --json | grep total
          "total": 1300
        $ ken verify
        pass: 1301 files, 2600 lines, 2600 events, 1300 entries; 0 errors, 0 notices
    "#]]
    .assert_eq(&play(&world, script));
}

#[test]
fn resume_notices_that_the_beginning_changed() {
    let world = World::with_store();
    let many: Vec<String> = (1..=1100).map(|n| format!("Lesson number {n}.")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    world.write("many.jsonl", &(lines(&many) + "oops\n"));
    shell(&world, "ken add --file many.jsonl").fails_with(2);
    world.write("many.jsonl", &lines(&many[1..]));
    let script = "ken add --file many.jsonl --resume
ken add - --resume < many.jsonl
ken add --file many.jsonl
ken list --json | grep total";
    expect![[r#"
        $ ken add --file many.jsonl --resume
        ! error: the first 1000 lines of the file changed since they were acknowledged
        ! hint: run it without --resume: entries that are there already are not added twice
        [exit 4]
        $ ken add - --resume < many.jsonl
        ! error: --resume needs a file: standard input cannot be read again
        [exit 2]
        $ ken add --file many.jsonl
        added 100, reinforced 999, held 0, refused 0
        last acknowledged line: 1099
        $ ken list --json | grep total
          "total": 1100
    "#]]
    .assert_eq(&play(&world, script));
}

#[test]
fn files_of_every_editor_are_read() {
    let world = World::with_store();
    world.write("empty.jsonl", "");
    world.write("blank.jsonl", "\n  \n\n");
    world.write(
        "windows.jsonl",
        &format!("\u{feff}{}", lines(&["Windows one.", "Windows two."]).replace('\n', "\r\n")),
    );
    world.write("gaps.jsonl", &format!("\n{}\n\n{}", lines(&["Gap one."]), lines(&["Gap two."]).trim_end()));
    world.write("mark.json", &format!("\u{feff}{}", lines(&["One object."])));
    let script = "ken add --file empty.jsonl
ken add --file blank.jsonl
ken add --file windows.jsonl
ken add --file gaps.jsonl
ken add --file mark.json
ken list";
    expect![[r#"
        $ ken add --file empty.jsonl
        there is no entry in it; nothing was added
        $ ken add --file blank.jsonl
        there is no entry in it; nothing was added
        $ ken add --file windows.jsonl
        added 2, reinforced 0, held 0, refused 0
        last acknowledged line: 2
        $ ken add --file gaps.jsonl
        added 2, reinforced 0, held 0, refused 0
        last acknowledged line: 5
        $ ken add --file mark.json
        added L-e5faa6  lesson.e5faa69d0c97319a
        $ ken list
        L-e5faa6	lesson	candidate	One object. (unverified)		2026-01-02	50 %
        L-df9b26	lesson	candidate	Gap two. (unverified)		2026-01-02	50 %
        L-773403	lesson	candidate	Gap one. (unverified)		2026-01-02	50 %
        L-18edf8	lesson	candidate	Windows two. (unverified)		2026-01-02	50 %
        L-e70034	lesson	candidate	Windows one. (unverified)		2026-01-02	50 %
    "#]]
    .assert_eq(&play(&world, script));
}

#[test]
fn a_clock_that_went_back_is_said_and_order_stays_right() {
    let world = one();
    let script = "KEN_NOW=2020-01-01T00:00:00Z ken revise one --title 'Said later'
KEN_NOW=2020-01-01T00:00:00Z ken note 'In the past.'
ken show one --json | grep title
ken log one
KEN_NOW=2031-01-01T00:00:00Z ken tag one future
ken tag one now
ken show one --json | grep -A3 '\"tags\"'
ken verify
KEN_NOW=garbage ken list
KEN_NOW=99999-01-01 ken list";
    expect![[r#"
        $ KEN_NOW=2020-01-01T00:00:00Z ken revise one --title 'Said later'
        changed L-7b9baa: set title
        ! note: an event of this entry is dated 2026-01-02T03:04:05.000Z, 2193 days ahead of this machine's clock; one of the two clocks is wrong
        ! note: this machine's clock went back: the last write here is dated 2026-01-02T03:04:05.000Z
        $ KEN_NOW=2020-01-01T00:00:00Z ken note 'In the past.'
        added signal.254e306b2027decf
        ! note: this machine's clock went back: the last write here is dated 2026-01-02T03:04:05.000Z
        $ ken show one --json | grep title
          "title": "Said later",
        $ ken log one
          EVENT 2026-01-02 03:04  human:Ada  stated as a lesson, with 1 citation
          EVENT 2026-01-02 03:04  human:Ada  cited pr:1 by human:Ada, unverified
          EVENT 2026-01-02 03:04  human:Ada  set title
        $ KEN_NOW=2031-01-01T00:00:00Z ken tag one future
        changed L-7b9baa: added tags future
        $ ken tag one now
        changed L-7b9baa: added tags now
        ! note: an event of this entry is dated 2031-01-01T00:00:00.000Z, 1824 days ahead of this machine's clock; one of the two clocks is wrong
        ! note: this machine's clock went back: the last write here is dated 2031-01-01T00:00:00.000Z
        $ ken show one --json | grep -A3 '"tags"'
          "tags": [
            "future",
            "now"
          ],
        $ ken verify
        pass: 3 files, 6 lines, 6 events, 2 entries; 0 errors, 0 notices
        $ KEN_NOW=garbage ken list
        ! error: KEN_NOW: "garbage" is not a time from 1970 to 9999; write 2026-11-15 or 2026-11-15T02:04:26Z
        [exit 2]
        $ KEN_NOW=99999-01-01 ken list
        ! error: KEN_NOW: "99999-01-01" is not a time from 1970 to 9999; write 2026-11-15 or 2026-11-15T02:04:26Z
        [exit 2]
    "#]].assert_eq(&play(&world, script));
}

#[test]
fn a_file_where_a_folder_should_be() {
    let world = World::repository();
    world.write(".kenning", "a file\n");
    let script = "ken list
ken init
ken note x
ken friction record --type redo";
    expect![[r#"
        $ ken list
        ! error: there is no knowledge store here or in any folder above
        ! hint: `ken init` makes one at the top of this repository
        [exit 3]
        $ ken init
        ! error: .kenning is a file here; a folder is wanted
        ! hint: move the file away first
        [exit 4]
        $ ken note x
        ! error: there is no knowledge store here or in any folder above
        ! hint: `ken init` makes one at the top of this repository
        [exit 3]
        $ ken friction record --type redo
        ! error: .kenning is a file here; a folder is wanted
        ! hint: move the file away first
        [exit 4]
    "#]]
    .assert_eq(&refusals(&world, script));
    let world = World::with_store();
    world.write(".kenning/semantic/v1/entities", "a file\n");
    let script = format!(
        "ken add lesson 'Safe anyway.' --id safe {REST}
ken show safe --json | grep statement
ken list
ken verify
rm .kenning/semantic/v1/entities
ken list
ken verify
ken tag safe kept
cat .kenning/INDEX.md"
    );
    expect![[r#"
        $ ken add lesson 'Safe anyway.' --id safe --evidence pr:1 --anchor src/net.rs --verify look
        added L-d423c5  safe
        ! note: written, but writing ledger files: semantic/v1/entities/lesson.safe.jsonl: semantic/v1/entities is not a folder, and ken follows no links; the next command makes up for it
        $ ken show safe --json | grep statement
          "statement": "Safe anyway.",
        ! note: writing ledger files: semantic/v1/entities/lesson.safe.jsonl: semantic/v1/entities is not a folder, and ken follows no links; nothing is lost, the next command tries again
        ! note: 2 events written on this branch are no longer in its files; nothing is lost: `ken recover` puts them back
        $ ken list
        L-d423c5	lesson	candidate	Safe anyway. (unverified, not on this branch)		2026-01-02	50 %
        ! note: writing ledger files: semantic/v1/entities/lesson.safe.jsonl: semantic/v1/entities is not a folder, and ken follows no links; nothing is lost, the next command tries again
        $ ken verify
        notice  event HASH was written on this branch and is no longer in its files; the journal has it
                `ken recover` puts it back
        notice  event HASH was written on this branch and is no longer in its files; the journal has it
                `ken recover` puts it back
        pass: 0 files, 0 lines, 0 events, 1 entry; 0 errors, 2 notices
        ! note: writing ledger files: semantic/v1/entities/lesson.safe.jsonl: semantic/v1/entities is not a folder, and ken follows no links; nothing is lost, the next command tries again
        $ rm .kenning/semantic/v1/entities
        $ ken list
        L-d423c5	lesson	candidate	Safe anyway. (unverified)		2026-01-02	50 %
        $ ken verify
        pass: 2 files, 2 lines, 2 events, 1 entry; 0 errors, 0 notices
        $ ken tag safe kept
        changed L-d423c5: added tags kept
        $ cat .kenning/INDEX.md
        # Knowledge index

        - `L-d423c5` lesson (kept) semantic/v1/entities/lesson.safe.jsonl: Safe anyway. <!--d423c50cc0b31867-->
    "#]].assert_eq(&play(&world, &script));
}

#[test]
fn stores_of_other_versions() {
    let world = one();
    let script = "echo 1.9.0 > .kenning/VERSION
ken list
ken tag one minor
echo 2.0.0 > .kenning/VERSION
ken list
ken show one --json | grep '\"id\"'
ken tag one major
ken doctor | head -1
ken migrate
rm -r .kenning/semantic .kenning/procedural 2>/dev/null; true
ken list
echo garbage > .kenning/VERSION
ken list
ken note x
true > .kenning/VERSION
ken list
cat .kenning/VERSION";
    expect![[r#"
        $ echo 1.9.0 > .kenning/VERSION
        $ ken list
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)		2026-01-02	50 %
        $ ken tag one minor
        changed L-7b9baa: added tags minor
        $ echo 2.0.0 > .kenning/VERSION
        $ ken list
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	minor	2026-01-02	50 %
        ! note: the store was moved up to version 2: there may be newer knowledge than is shown here
        $ ken show one --json | grep '"id"'
          "id": "one",
        ! note: the store was moved up to version 2: there may be newer knowledge than is shown here
        $ ken tag one major
        ! note: the store was moved up to version 2: there may be newer knowledge than is shown here
        ! error: the store was moved up to version 2; this ken knows version 1, reads what it knows and writes nothing
        ! hint: install a newer ken; this one leaves the store as it is
        [exit 5]
        $ ken doctor | head -1
        warn  writing the store was moved up to version 2; this ken knows version 1, reads what it knows and writes nothing
        ! note: the store was moved up to version 2: there may be newer knowledge than is shown here
        $ ken migrate
        ! note: the store was moved up to version 2: there may be newer knowledge than is shown here
        ! error: the store was moved up to version 2; this ken knows version 1, reads what it knows and writes nothing
        ! hint: install a newer ken; this one leaves the store as it is
        [exit 5]
        $ rm -r .kenning/semantic .kenning/procedural 2>/dev/null; true
        $ ken list
        ! error: the store is of version 2; this ken knows version 1 only
        ! hint: install a newer ken; this one leaves the store as it is
        [exit 5]
        $ echo garbage > .kenning/VERSION
        $ ken list
        ! error: .kenning/VERSION says "garbage", which is no version like 1.0.0
        ! hint: restore it with git: git checkout -- .kenning/VERSION
        [exit 5]
        $ ken note x
        ! error: .kenning/VERSION says "garbage", which is no version like 1.0.0
        ! hint: restore it with git: git checkout -- .kenning/VERSION
        [exit 5]
        $ true > .kenning/VERSION
        $ ken list
        ! error: .kenning/VERSION says "", which is no version like 1.0.0
        ! hint: restore it with git: git checkout -- .kenning/VERSION
        [exit 5]
        $ cat .kenning/VERSION
    "#]].assert_eq(&play(&world, script));
    // Refusals leave a store of a newer major as it was.
    let world = one();
    world.write(".kenning/VERSION", "2.0.0\n");
    refusals(
        &world,
        "ken note x\nken tag one x\nken undo\nken config list.limit 3\nken purge one --yes\nken verify --fix\nken flush\nken recover",
    );
}

#[test]
fn damaged_settings_are_named() {
    let world = one();
    for (text, expected) in [
        (
            "a = [",
            expect![[r#"
            $ ken list
            ! error: .kenning/config.toml is not valid TOML: TOML parse error at line 1, column 6
            !   |
            ! 1 | a = [
            !   |      ^
            ! unclosed array, expected `]`
            ! hint: mend the file by hand, or restore it with git
            [exit 2]
        "#]],
        ),
        (
            "[list]\nlimt = 3\n",
            expect![[r#"
                $ ken list
                ! error: .kenning/config.toml: there is no setting "list.limt"; did you mean `list.limit`? known: approvals.mcp, approvals.signed, approvals.solo, check.allow, check.fail_on, check.seconds, drift.entries_max, drift.stale_days, embedder.background, embedder.kind, embedder.model, embedder.url, embedder.weights, guard.customers, guard.hosts, guard.organisations, health.backlog, health.broken_percent, health.contradictions, health.debt_over, health.friction_week, health.gaps_percent, health.orphaned_percent, health.problems, health.stale_norms, health.waiting, hooks.off, hooks.timeout_ms, index_page.write, list.limit, pack.facts, pack.history, pack.observations, pack.scratch, pack.task, project.name, review.entries, review.limit, search.exposures, search.limit, show.exposures, surface.debugger, surface.executor, surface.planner, surface.researcher, approvers.NAME, mirrors.NAME, reviewers.NAME
                ! hint: mend the file by hand, or restore it with git
                [exit 2]
            "#]],
        ),
        (
            "[list]\nlimit = \"many\"\n",
            expect![[r#"
            $ ken list
            ! error: .kenning/config.toml: list.limit cannot be "many"; a whole number from 1 to 10000 is wanted
            ! hint: mend the file by hand, or restore it with git
            [exit 2]
        "#]],
        ),
        (
            "[list]\nlimit = 0\n",
            expect![[r#"
            $ ken list
            ! error: .kenning/config.toml: list.limit cannot be "0"; a whole number from 1 to 10000 is wanted
            ! hint: mend the file by hand, or restore it with git
            [exit 2]
        "#]],
        ),
        (
            "list = 3\n",
            expect![[r#"
                $ ken list
                ! error: .kenning/config.toml: there is no setting "list"; did you mean `list.limit`? known: approvals.mcp, approvals.signed, approvals.solo, check.allow, check.fail_on, check.seconds, drift.entries_max, drift.stale_days, embedder.background, embedder.kind, embedder.model, embedder.url, embedder.weights, guard.customers, guard.hosts, guard.organisations, health.backlog, health.broken_percent, health.contradictions, health.debt_over, health.friction_week, health.gaps_percent, health.orphaned_percent, health.problems, health.stale_norms, health.waiting, hooks.off, hooks.timeout_ms, index_page.write, list.limit, pack.facts, pack.history, pack.observations, pack.scratch, pack.task, project.name, review.entries, review.limit, search.exposures, search.limit, show.exposures, surface.debugger, surface.executor, surface.planner, surface.researcher, approvers.NAME, mirrors.NAME, reviewers.NAME
                ! hint: mend the file by hand, or restore it with git
                [exit 2]
            "#]],
        ),
        (
            "[show]\nexposures = 1\n",
            expect![[r#"
            $ ken list
            ! error: .kenning/config.toml: show.exposures cannot be "1"; true or false is wanted
            ! hint: mend the file by hand, or restore it with git
            [exit 2]
        "#]],
        ),
        (
            "[list]\nlimit = 1\nlimit = 2\n",
            expect![[r#"
            $ ken list
            ! error: .kenning/config.toml is not valid TOML: TOML parse error at line 3, column 1
            !   |
            ! 3 | limit = 2
            !   | ^^^^^
            ! duplicate key
            ! hint: mend the file by hand, or restore it with git
            [exit 2]
        "#]],
        ),
    ] {
        world.write(".kenning/config.toml", text);
        expected.assert_eq(&refusals(&world, "ken list"));
    }
    std::fs::write(world.path().join(".kenning/config.toml"), b"\xff\xfe").unwrap();
    expect![[r#"
        $ ken list
        ! error: .kenning/config.toml is not UTF-8 text
        ! hint: mend the file by hand, or restore it with git
        [exit 2]
    "#]]
    .assert_eq(&refusals(&world, "ken list"));
}

#[test]
fn a_damaged_line_is_reported_and_harms_nothing_else() {
    let world = one();
    let script = format!(
        " ken add lesson 'Close what you open.' --id two {REST}
 ken tag two x
printf '{{\"half\": ' >> .kenning/semantic/v1/entities/lesson.one.jsonl
sed -i '1s/Close/Open/' .kenning/semantic/v1/entities/lesson.two.jsonl
printf 'garbage\\n\\377\\376\\n' > .kenning/semantic/v1/entities/lesson.three.jsonl
ken list
ken verify
ken verify --json | grep -c '\"line\"'
ken add lesson 'Still works.' {REST}
ken tag one still
ken show two --json | grep -A2 -e statement -e '\"tags\"'
ken verify --fix | tail -n 1
ken show one --json | grep -A1 '\"tags\"'"
    );
    expect![[r#"
        $ printf '{"half": ' >> .kenning/semantic/v1/entities/lesson.one.jsonl
        $ sed -i '1s/Close/Open/' .kenning/semantic/v1/entities/lesson.two.jsonl
        $ printf 'garbage\n\377\376\n' > .kenning/semantic/v1/entities/lesson.three.jsonl
        $ ken list
        L-5b93eb	lesson	candidate	Close what you open. (unverified, not on this branch)	x	2026-01-02	50 %
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)		2026-01-02	50 %
        ! note: 1 event written on this branch is no longer in its files; nothing is lost: `ken recover` puts it back
        $ ken verify
        error   semantic/v1/entities/lesson.one.jsonl:2 is not JSON (EOF while parsing a value, column 9)
                `ken verify --fix` completes it if this clone has the whole line
        error   semantic/v1/entities/lesson.three.jsonl:1 is not JSON (expected value, column 1)
                keep what it says: ken adopt .kenning/semantic/v1/entities/lesson.three.jsonl; or delete the line
        error   semantic/v1/entities/lesson.three.jsonl:2 is not JSON (not UTF-8)
                keep what it says: ken adopt .kenning/semantic/v1/entities/lesson.three.jsonl; or delete the line
        error   semantic/v1/entities/lesson.two.jsonl:1 was changed after it was written: its hash says HASH, its content HASH
                keep the change: ken adopt .kenning/semantic/v1/entities/lesson.two.jsonl; drop it: git checkout -- .kenning/semantic/v1/entities/lesson.two.jsonl
        notice  event HASH is not in this branch's files; the journal has it, written on branch main
                `ken recover` brings it back
        notice  event HASH was written on this branch and is no longer in its files; the journal has it
                `ken recover` puts it back
        FAIL: 4 files, 8 lines, 4 events, 2 entries; 4 errors, 2 notices
        [exit 1]
        $ ken verify --json | grep -c '"line"'
        4
        $ ken add lesson 'Still works.' --evidence pr:1 --anchor src/net.rs --verify look
        added L-cfe76e  lesson.cfe76e5ac3606f80
        $ ken tag one still
        changed L-7b9baa: added tags still
        $ ken show two --json | grep -A2 -e statement -e '"tags"'
          "statement": "Close what you open.",
          "tags": [
            "x"
          ],
        $ ken verify --fix | tail -n 1
        FAIL: 5 files, 11 lines, 7 events, 3 entries; 4 errors, 2 notices
        $ ken show one --json | grep -A1 '"tags"'
          "tags": [
            "still"
        ! note: 1 event written on this branch is no longer in its files; nothing is lost: `ken recover` puts it back
    "#]].assert_eq(&play(&world, &script));
}

#[test]
fn a_damaged_or_missing_index_costs_only_time() {
    let world = one();
    let index = world.path().join(".git/kenning/index");
    let healthy = world.ken("list --json").ok().out;
    let spoil: [(&str, &dyn Fn()); 4] = [
        ("garbage", &|| std::fs::write(index.join("knowledge.db"), b"garbage garbage garbage").unwrap()),
        ("gone", &|| std::fs::remove_dir_all(&index).unwrap()),
        ("empty", &|| std::fs::write(index.join("knowledge.db"), b"").unwrap()),
        ("a file", &|| {
            std::fs::remove_dir_all(&index).unwrap();
            std::fs::write(&index, b"file").unwrap();
        }),
    ];
    for (what, spoil) in spoil {
        spoil();
        for name in ["knowledge.db-wal", "knowledge.db-shm"] {
            let _ = std::fs::remove_file(index.join(name));
        }
        assert_eq!(world.ken("list --json").ok().out, healthy, "{what}");
        world.ken("tag one again").ok();
        world.ken("tag one --remove again").ok();
        world.ken("verify").ok();
    }
}

#[test]
fn a_store_that_cannot_be_written_is_read() {
    let world = one();
    let store = world.path().join(".kenning");
    let clone = world.path().join(".git/kenning");
    let frozen = |path: &Path, on: &str| {
        Command::new("chattr").args(["-R", on]).arg(path).output().is_ok_and(|output| output.status.success())
    };
    if !frozen(&store, "+i") {
        return skip(
            "a store on a read-only disk: chattr +i does not work here (not root, or another file system)",
        );
    }
    // Whatever happens below, the folder must be deletable afterwards.
    struct Thaw(Vec<PathBuf>);
    impl Drop for Thaw {
        fn drop(&mut self) {
            for path in &self.0 {
                let _ = Command::new("chattr").args(["-R", "-i"]).arg(path).output();
            }
        }
    }
    let _thaw = Thaw(vec![store.clone(), clone.clone()]);
    let ledger = play(&world, "ken tag one kept\nken list\nken show one --json | grep -A1 '\"tags\"'");
    frozen(&clone, "+i");
    let both = play(&world, "ken list\nken tag one lost\nken doctor | head -2");
    frozen(&clone, "-i");
    frozen(&store, "-i");
    let after = play(&world, "ken list\nken verify");
    frozen(&clone, "+i");
    let sandbox = play(&world, "ken note 'From a sandbox.'\nken list --memory episodic");
    frozen(&clone, "-i");
    let home = play(&world, "ken list --memory episodic\nken verify");
    expect![[r#"
        $ ken tag one kept
        changed L-7b9baa: added tags kept
        ! note: written, but writing ledger files: semantic/v1/entities/lesson.one.jsonl: Operation not permitted (os error 1); the next command makes up for it
        $ ken list
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	kept	2026-01-02	50 %
        ! note: writing ledger files: semantic/v1/entities/lesson.one.jsonl: Operation not permitted (os error 1); nothing is lost, the next command tries again
        ! note: 1 event written on this branch is no longer in its files; nothing is lost: `ken recover` puts it back
        $ ken show one --json | grep -A1 '"tags"'
          "tags": [
            "kept"
        ! note: writing ledger files: semantic/v1/entities/lesson.one.jsonl: Operation not permitted (os error 1); nothing is lost, the next command tries again
        $ ken list
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	kept	2026-01-02	50 %
        ! note: the store cannot be written here; reading only
        $ ken tag one lost
        ! note: the store cannot be written here; reading only
        ! error: the store is read-only here; nothing was written
        ! hint: unset KEN_READONLY, or make .kenning and the git folder writable
        [exit 5]
        $ ken doctor | head -2
        warn  writing the store can only be read
                      check KEN_READONLY and the folder's permissions
        ! note: the store cannot be written here; reading only
        $ ken list
        L-7b9baa	lesson	candidate	Retry with jitter. (unverified)	kept	2026-01-02	50 %
        $ ken verify
        pass: 2 files, 3 lines, 3 events, 1 entry; 0 errors, 0 notices
        $ ken note 'From a sandbox.'
        added signal.203e0021ab0fa1c8
        $ ken list --memory episodic
        signal.203e0021ab0fa1c8	signal	candidate	From a sandbox.		2026-01-02	50 %
        $ ken list --memory episodic
        signal.203e0021ab0fa1c8	signal	candidate	From a sandbox.		2026-01-02	50 %
        ! note: moved 1 event that a sandbox had kept in .kenning/.local
        $ ken verify
        pass: 3 files, 4 lines, 4 events, 2 entries; 0 errors, 0 notices
    "#]].assert_eq(&[ledger, both, after, sandbox, home].concat());
}

#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mounted =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(folder.path()).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return skip("a full disk: no tmpfs can be mounted here (not root)");
    }
    struct Unmount(PathBuf);
    impl Drop for Unmount {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg("-l").arg(&self.0).output();
        }
    }
    let _unmount = Unmount(folder.path().to_owned());
    let world = World::bare();
    let there = folder.path().display().to_string();
    let at = |line: &str| {
        let answer = shell(&world, &format!("cd {there} && {line}"));
        assert!(!answer.err.contains("panicked"), "{}", answer.err);
        answer
    };
    at("mkdir src && echo x > src/net.rs && ken init").ok();
    at(&format!("ken add lesson 'Before.' --id before {REST}")).ok();
    at("dd if=/dev/zero of=fill bs=1k 2>/dev/null; true").ok();
    let mut acknowledged = vec!["before".to_owned()];
    let mut refused = 0;
    for n in 0..20 {
        let answer = at(&format!("ken add lesson 'During {n}.' --id during.{n} {REST} --json"));
        match answer.code {
            0 => acknowledged.push(format!("during.{n}")),
            6 => {
                refused += 1;
                assert!(answer.err.contains("the disk is full; free some space"), "{}", answer.err);
            }
            code => panic!("exit {code}: {}", answer.err),
        }
        at("ken show before").ok();
    }
    assert!(refused > 0, "2 MiB took 20 entries");
    at("rm fill").ok();
    let kept = at("ken list --limit 0 --json").ok().json();
    let mut ids: Vec<String> =
        kept["entries"].as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    acknowledged.sort();
    assert_eq!(ids, acknowledged);
    at("ken verify").ok();
    at(&format!("ken add lesson 'After.' {REST}")).ok();
}

#[test]
fn nothing_is_half_written_when_a_line_is_refused() {
    let world = one();
    world.write(
        "mixed.jsonl",
        &(lines(&["Good."]) + "{\"type\":\"lesson\",\"statement\":\"No evidence.\"}\n"),
    );
    let before = files(&world);
    shell(&world, "ken add --file mixed.jsonl --atomic").fails_with(2);
    shell(&world, "ken supersede one --statement 'Newer.'").fails_with(2);
    shell(&world, "ken revise one --title T --evidence docs/missing.md").fails_with(2);
    assert!(files(&world) == before);
}
