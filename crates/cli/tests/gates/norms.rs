//! Norms hold against changes (GAT-3): ready-made rules, tiers, people's word, advice, exceptions, releases and programs.

use serde_json::Value;

use super::Team;
use crate::team::{AGENT, forged};
use crate::world::Answer;

/// How one norm came out over a change, and the exit code.
fn seen(answer: &Answer, norm: &str) -> (String, Value) {
    let whole = answer.json();
    let one = whole["norms"].as_array().unwrap().iter().find(|one| one["norm"] == norm);
    let one = one.unwrap_or_else(|| panic!("{norm}: {whole:#}")).clone();
    (one["state"].as_str().unwrap().to_owned(), one)
}

fn holds(team: &Team, norm: &str, range: &str, state: &str, code: i32, message: &str) {
    let answer = team.gate(&["--diff", range]);
    let (found, one) = seen(&answer, norm);
    assert_eq!((found.as_str(), answer.code), (state, code), "{one:#}\n{}", answer.out);
    assert!(one.to_string().contains(message), "{message}: {one:#}");
}

/// A rule, and changes that keep it and that do not: a commit's message and its files.
struct Rule {
    enforcement: &'static str,
    kept: &'static [(&'static str, &'static [&'static str])],
    broken: &'static [(&'static str, &'static [&'static str], &'static str)],
}

const RULES: &[Rule] = &[
    Rule {
        enforcement: r#"{"kind":"mechanical","rule":"conventional_commits","max_subject":40}"#,
        kept: &[
            ("fix: count the last page", &["src/a.rs"]),
            ("feat(parser)!: drop version 1", &["src/b.rs"]),
            ("docs: say so", &["docs/a.md"]),
        ],
        broken: &[
            ("Count the last page", &["src/a.rs"], "it has no type"),
            ("wibble: count", &["src/a.rs"], "wibble"),
            ("fix: count the last page, and the first, and the others too", &["src/a.rs"], "40"),
        ],
    },
    Rule {
        enforcement: r#"{"kind":"mechanical","rule":"tests_required"}"#,
        kept: &[
            ("fix: count", &["src/a.rs", "tests/a.rs"]),
            ("docs: say so", &["docs/a.md"]),
            ("test: more", &["tests/b.rs"]),
        ],
        broken: &[
            ("fix: count", &["src/a.rs"], "src/a.rs"),
            ("fix: count", &["src/a.rs", "docs/a.md"], "tests"),
            ("feat: more", &["lib/page.py"], "lib/page.py"),
        ],
    },
    Rule {
        enforcement: r#"{"kind":"mechanical","rule":"forbidden_paths","forbid":["vendor/**","*.lock"]}"#,
        kept: &[
            ("fix: count", &["src/a.rs"]),
            ("docs: say so", &["vendor.md"]),
            ("chore: x", &["src/vendor.rs"]),
        ],
        broken: &[
            ("fix: count", &["vendor/left/pad.js"], "vendor/left/pad.js"),
            ("chore: x", &["src/a.rs", "vendor/b.js"], "`vendor/**` forbids"),
            ("chore: lock", &["app.lock"], "app.lock"),
        ],
    },
    Rule {
        enforcement: r#"{"kind":"mechanical","rule":"required_files","when":["src/**"],"need":["CHANGELOG.md"]}"#,
        kept: &[
            ("fix: count", &["src/a.rs", "CHANGELOG.md"]),
            ("docs: say so", &["docs/a.md"]),
            ("docs: log", &["CHANGELOG.md"]),
        ],
        broken: &[
            ("fix: count", &["src/a.rs"], "CHANGELOG.md"),
            ("fix: count", &["src/a.rs", "docs/CHANGELOG.md"], "CHANGELOG.md"),
            ("fix: count", &["src/deep/a.rs", "tests/a.rs"], "CHANGELOG.md"),
        ],
    },
];

#[test]
fn ready_made_rules_let_pass_and_block() {
    for rule in RULES {
        let team = Team::new();
        let norm = team.checked("norm.rule", "Keep to the rule of this story.", rule.enforcement);
        let base = team.commit("chore: a norm");
        let make = |message: &str, files: &[&str]| {
            team.world.git(&format!("checkout -q -B change {base}"));
            files.iter().for_each(|file| team.world.write(file, "one more line\n"));
            team.commit(message);
        };
        for (message, files) in rule.kept {
            make(message, files);
            let answer = team.gate(&["--diff", &format!("{base}..change")]);
            let (state, one) = seen(&answer, &norm);
            assert!(matches!(state.as_str(), "pass" | "skip"), "{message}: {one:#}");
            assert_eq!(answer.code, 0, "{}", answer.out);
        }
        for (message, files, why) in rule.broken {
            make(message, files);
            holds(&team, &norm, &format!("{base}..change"), "fail", 1, why);
        }
    }
}

const NO_VENDOR: &str = r#"{"kind":"mechanical","rule":"forbidden_paths","forbid":["vendor/**"]}"#;

#[test]
fn a_candidate_blocks_nothing_and_an_accepted_norm_does() {
    let team = Team::new();
    team.candidate("norm.vendor", "Leave vendored code alone.", &["--enforcement", NO_VENDOR]);
    let base = team.commit("chore: a candidate");
    team.world.write("vendor/a.js", "x\n");
    team.commit("chore: vendor");
    let seen = team.gate(&["--diff", &format!("{base}..HEAD")]).ok().json();
    assert_eq!(seen["norms"], serde_json::json!([]), "{seen:#}");
    let proposal = team.proposal("norm.vendor", &[]);
    team.approve("Bo", &proposal).ok();
    team.commit("chore: approved");
    holds(&team, "norm.vendor", &format!("{base}..HEAD"), "fail", 1, "vendor/a.js");
}

#[test]
fn advice_is_shown_and_blocks_nothing() {
    let team = Team::new();
    let norm = team.norm("norm.advice", "Prefer short functions.", &["--enforcement", "advisory"]);
    let words =
        team.norm("norm.words", "Write for the reader.", &["--enforcement", "look at the names twice"]);
    let base = team.commit("chore: advice");
    team.world.write("src/a.rs", "fn long() {}\n");
    team.commit("feat: long");
    let range = format!("{base}..HEAD");
    holds(&team, &norm, &range, "advisory", 0, "advisory: blocks nothing");
    holds(&team, &words, &range, "advisory", 0, "look at the names twice");
}

#[test]
fn exceptions_are_named() {
    let team = Team::new();
    let enforcement = r#"{"kind":"mechanical","rule":"forbidden_paths","forbid":["vendor/**"],"except":{"paths":["vendor/ours/**"]}}"#;
    let more = ["--enforcement", enforcement, "--exception", "What we vendored ourselves."];
    let norm = team.norm("norm.vendor", "Leave vendored code alone.", &more);
    let base = team.commit("chore: a norm");
    team.world.write("vendor/ours/a.js", "x\n");
    team.world.write("src/a.rs", "fn a() {}\n");
    team.commit("chore: ours");
    let range = format!("{base}..HEAD");
    holds(&team, &norm, &range, "pass", 0, "skipped: vendor/ours/a.js");
    team.world.write("vendor/theirs/a.js", "x\n");
    team.commit("chore: theirs");
    holds(&team, &norm, &range, "fail", 1, "What we vendored ourselves.");
    let read = team.ken(&["gate", "--diff", &range]).fails_with(1).out;
    for piece in [
        "fail  norm.vendor (mechanical)",
        "vendor/theirs/a.js: it is new",
        "except: What we vendored ourselves.",
    ] {
        assert!(read.contains(piece), "{piece}: {read}");
    }
    let sarif = team.ken(&["gate", "--diff", &range, "--format", "sarif"]).fails_with(1).out;
    assert!(sarif.contains("norm-broken") && sarif.contains("vendor/theirs/a.js"), "{sarif}");
}

#[test]
fn a_tier_selects_which_norms_apply() {
    let team = Team::new();
    let tier = r#"{"kind":"tier","tier":"high","paths":["migrations/**"]}"#;
    team.norm_of("risk_tier", "risk.data", "Migrations are hard to take back.", &["--enforcement", tier]);
    let enforcement = r#"{"kind":"mechanical","rule":"required_files","need":["docs/rollback.md"],"tiers":["high","critical"]}"#;
    let norm = team.checked("norm.rollback", "Say how a risky change is taken back.", enforcement);
    let base = team.commit("chore: norms");
    team.world.write("src/a.rs", "fn a() {}\n");
    team.commit("feat: small");
    let range = format!("{base}..HEAD");
    holds(
        &team,
        &norm,
        &range,
        "skip",
        0,
        "it applies to changes of tier high or critical, and this one is low",
    );
    team.world.write("migrations/1.sql", "drop table users;\n");
    team.commit("feat: large");
    holds(&team, &norm, &range, "fail", 1, "docs/rollback.md");
    let whole = team.gate(&["--diff", &range]).json();
    assert_eq!(whole["tier"], "high");
    assert!(whole["tier_why"].to_string().contains("risk.data: "), "{whole:#}");
    team.world.write("docs/rollback.md", "Restore the table.\n");
    team.commit("docs: the way back");
    holds(&team, &norm, &range, "pass", 0, "");
}

fn attest(team: &Team, who: &str, norm: &str, range: &str) -> Answer {
    team.terminal(who, &["gate", "attest", norm, "--diff", range], &[("Type `yes`", "yes\n")])
}

#[test]
fn a_named_person_vouches_for_a_change() {
    let team = Team::new();
    let norm =
        team.norm("norm.read", "Have Bo read it.", &["--enforcement", r#"{"kind":"attested","by":["Bo"]}"#]);
    let base = team.commit("chore: a norm");
    team.world.git("checkout -q -b change");
    team.world.write("src/a.rs", "fn a() {}\n");
    team.commit("feat: one");
    let range = "main..change";
    holds(&team, &norm, range, "missing", 1, "Bo must attest this change");
    // The wrong person, an agent, nobody at a terminal, a wrong word.
    let wrong = team.terminal("Ada", &["gate", "attest", &norm, "--diff", range], &[]).fails_with(4);
    assert!(wrong.out.contains("needs an attestation by Bo; you are Ada"), "{}", wrong.out);
    let agent = team.terminal(AGENT, &["gate", "attest", &norm, "--diff", range], &[]).fails_with(4);
    assert!(agent.out.contains("requires a person, and you are agent:coder"), "{}", agent.out);
    let nobody = team.ken_by("Bo", &["gate", "attest", &norm, "--diff", range]).fails_with(4);
    assert!(nobody.err.contains("must confirm in a terminal"), "{}", nobody.err);
    let typed = [("Type `yes`", "attest\n")];
    let slip = team.terminal("Bo", &["gate", "attest", &norm, "--diff", range], &typed).fails_with(4);
    assert!(slip.out.contains("nothing was changed"), "{}", slip.out);
    holds(&team, &norm, range, "missing", 1, "Bo must attest");
    let done = attest(&team, "Bo", &norm, range).ok();
    assert!(done.out.contains("norm.read is attested for change"), "{}", done.out);
    holds(&team, &norm, range, "pass", 0, "Bo attested it");
    // The word is part of the ledger, and no part of what it is about.
    team.commit("chore: Bo has read it");
    holds(&team, &norm, range, "pass", 0, "Bo attested it");
    // What others did meanwhile does not change what this change does.
    team.world.git("checkout -q main");
    team.world.write("README.md", "Hello.\n");
    team.commit("docs: meanwhile");
    team.world.git("rebase -q main change");
    holds(&team, &norm, range, "pass", 0, "Bo attested it");
    // In a fresh clone, too.
    let clone = team.clone_by("Cy");
    let there = team.ken_in(&clone, "Cy", &["gate", "--json", "--diff", "origin/main..HEAD"]).ok();
    assert_eq!(seen(&there, &norm).0, "pass");
    // One more line is another change.
    team.world.write("src/a.rs", "fn a() {}\nfn b() {}\n");
    team.commit("feat: two");
    holds(&team, &norm, range, "missing", 1, "Bo must attest");
    assert_ne!(base, team.world.git("rev-parse main"));
}

#[test]
fn an_agents_word_about_a_change_is_none() {
    let team = Team::new();
    let norm = team.norm("norm.read", "Have somebody read it.", &["--enforcement", "attested"]);
    let base = team.commit("chore: a norm");
    team.world.write("src/a.rs", "fn a() {}\n");
    team.commit("feat: one");
    let range = format!("{base}..HEAD");
    let change = team.gate(&["--diff", &range]).json()["change"].clone();
    for (seq, by) in [AGENT, "human:Cy", "Bo"].into_iter().enumerate() {
        let data = serde_json::json!({"change": change});
        let line = forged(by, seq as u64 + 1, "gate.attested", Some(&team.key(&norm)), &data);
        team.forge(&team.ledger(&norm), &line);
        team.commit("chore: read");
        holds(&team, &norm, &range, "missing", 1, "an approver must attest");
    }
    attest(&team, "Ada", &norm, &range).ok();
    holds(&team, &norm, &range, "pass", 0, "Ada attested it");
}

#[test]
fn what_is_no_attested_norm_asks_for_nobodys_word() {
    let team = Team::new();
    let norm = team.norm("norm.advice", "Prefer short functions.", &["--enforcement", "advisory"]);
    team.commit("chore: advice");
    let answer =
        team.terminal("Ada", &["gate", "attest", &norm, "--diff", "HEAD~1..HEAD"], &[]).fails_with(4);
    assert!(answer.out.contains("is not a norm that needs an attestation"), "{}", answer.out);
}

#[test]
fn a_release_is_held_against_its_norms_since_the_tag_before() {
    let team = Team::new();
    let log = r#"{"kind":"mechanical","rule":"required_files","when":["src/**"],"need":["CHANGELOG.md"],"on":"release"}"#;
    let norm = team.checked("norm.log", "Every release says what changed.", log);
    let base = team.commit("chore: a norm");
    team.world.git("tag v1");
    team.world.write("src/a.rs", "fn a() {}\n");
    team.commit("feat: one");
    holds(&team, &norm, &format!("{base}..HEAD"), "skip", 0, "it applies only before a release");
    team.world.git("tag v2");
    let answer = team.gate(&["--release", "v2"]).fails_with(1);
    assert_eq!(answer.json()["judged"], "release v2, since v1");
    let (state, one) = seen(&answer, &norm);
    assert_eq!(state, "fail", "{one:#}");
    team.world.write("CHANGELOG.md", "- one\n");
    team.commit("docs: the log");
    team.world.git("tag v3");
    // Since v2 no source changed.
    assert_eq!(seen(&team.gate(&["--release", "v3"]).ok(), &norm).0, "skip");
    team.world.git("tag -d v2");
    assert_eq!(seen(&team.gate(&["--release", "v3"]).ok(), &norm).0, "pass");
    team.gate(&["--release", "v9"]).fails_with(3);
}

#[test]
fn programs_are_started_only_where_they_are_asked_for_and_allowed() {
    let team = Team::new();
    let good = team.checked(
        "norm.good",
        "The check passes.",
        r#"{"kind":"mechanical","check":"command","run":"true"}"#,
    );
    let bad = team.checked(
        "norm.bad",
        "The other check passes.",
        r#"{"kind":"mechanical","check":"command","run":"false"}"#,
    );
    let base = team.commit("chore: norms");
    team.world.write("src/a.rs", "fn a() {}\n");
    team.commit("feat: one");
    let range = format!("{base}..HEAD");
    holds(&team, &good, &range, "unknown", 1, "commands run only with --execute");
    let run = |allow: &str| {
        let mut command = team.world.command(&crate::world::World::binary().display().to_string());
        command.env("KEN_CHECK_ALLOW", allow).args(["gate", "--json", "--run", "--diff", &range]);
        Answer::from(command.output().unwrap())
    };
    let refused = run("").fails_with(1);
    assert_eq!(seen(&refused, &good).0, "unknown", "{}", refused.out);
    let allowed = run("true,false").fails_with(1);
    assert_eq!(seen(&allowed, &good).0, "pass", "{}", allowed.out);
    assert_eq!(seen(&allowed, &bad).0, "fail", "{}", allowed.out);
}

/// GAT-2: a norm that the change takes out of force is still held against it, and one that it brings counts at once.
#[test]
fn a_change_is_held_against_the_norms_of_both_its_ends() {
    let team = Team::new();
    let norm = team.checked("norm.vendor", "Leave vendored code alone.", NO_VENDOR);
    let base = team.commit("chore: a norm");
    team.world.git("checkout -q -b change");
    team.ken(&["retract", &norm, "--reason", "in my way"]).ok();
    team.world.write("vendor/a.js", "x\n");
    team.commit("chore: vendor");
    holds(&team, &norm, &format!("{base}..change"), "fail", 1, "vendor/a.js");
    team.world.git(&format!("checkout -q -b other {base}"));
    let fresh = team.checked(
        "norm.lock",
        "Leave locks alone.",
        r#"{"kind":"mechanical","rule":"forbidden_paths","forbid":["*.lock"]}"#,
    );
    team.world.write("a.lock", "x\n");
    team.commit("chore: lock");
    holds(&team, &fresh, &format!("{base}..other"), "fail", 1, "a.lock");
}

/// What was taken out of force at the base since the two parted binds a branch that is behind no more; what came since does.
#[test]
fn a_branch_that_is_behind_is_held_against_the_norms_of_its_base() {
    let team = Team::new();
    let norm = team.checked("norm.vendor", "Leave vendored code alone.", NO_VENDOR);
    team.commit("chore: a norm");
    team.world.git("checkout -q -b behind");
    team.world.write("vendor/a.js", "x\n");
    team.world.write("a.lock", "x\n");
    team.commit("chore: vendor");
    holds(&team, &norm, "main..behind", "fail", 1, "vendor/a.js");
    team.world.git("checkout -q main");
    team.ken(&["retract", &norm, "--reason", "over"]).ok();
    team.commit("chore: less");
    let seen = team.gate(&["--diff", "main..behind"]).ok().json();
    assert_eq!(seen["norms"], serde_json::json!([]), "{seen:#}");
    let locks = r#"{"kind":"mechanical","rule":"forbidden_paths","forbid":["*.lock"]}"#;
    let later = team.checked("norm.lock", "Leave locks alone.", locks);
    team.commit("chore: more");
    holds(&team, &later, "main..behind", "fail", 1, "a.lock");
}
