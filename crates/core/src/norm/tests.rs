use serde_json::{Value, json};

use super::change::{self, Changed, Form, What};
use super::*;
use crate::kinds::Type;

fn faults(kind: Type, enforcement: Value) -> String {
    let found = read(kind, Some(&enforcement)).err().unwrap_or_default();
    found.iter().map(|fault| format!("{}: {}", fault.field, fault.problem)).collect::<Vec<_>>().join("\n")
}

#[test]
fn gat_3_forms_of_enforcement() {
    let advisory = |text: Option<&str>| Enforcement::Advisory { text: text.map(str::to_owned) };
    let table = [
        (Value::Null, advisory(None)),
        (json!(""), advisory(None)),
        (json!("Advisory"), advisory(None)),
        (json!("attested"), Enforcement::Attested { by: vec![], who: Who::Anyone }),
        (json!("CI runs the linter"), advisory(Some("CI runs the linter"))),
        (json!("manual"), advisory(Some("manual"))),
        (json!({"kind": "advisory", "text": "x"}), advisory(Some("x"))),
        (
            json!({"kind": "attested", "by": "ada", "another": true}),
            Enforcement::Attested { by: vec!["ada".into()], who: Who::Another },
        ),
        (json!({"kind": "mechanical", "rule": "signed_off"}), Enforcement::Mechanical(Check::SignedOff)),
        (
            json!({"check": "paths", "forbid": ["vendor/", "./a/*.rs"]}),
            Enforcement::Mechanical(Check::Paths { forbid: vec!["vendor/**".into(), "a/*.rs".into()] }),
        ),
        (
            json!({"check": "command", "run": "cargo test 'a b'"}),
            Enforcement::Mechanical(Check::Command {
                words: ["cargo", "test", "a b"].map(String::from).to_vec(),
            }),
        ),
        (
            json!({"check": "protected_paths", "forbid": ["vendor/"]}),
            Enforcement::Mechanical(Check::Paths { forbid: vec!["vendor/**".into()] }),
        ),
        (
            json!({"check": "instead_of", "rules": ["command: npm"], "instead": "pnpm"}),
            Enforcement::Mechanical(Check::Actions {
                rules: vec![ActionRule::parse("command: npm").unwrap()],
                instead: Some("pnpm".into()),
            }),
        ),
        (
            json!({"check": "before_commit", "run": "cargo  fmt", "files": ["src/"]}),
            Enforcement::Mechanical(Check::BeforeCommit {
                run: "cargo fmt".into(),
                files: vec!["src/**".into()],
            }),
        ),
    ];
    for (enforcement, expected) in table {
        let (found, applies) = read(Type::CommitNorm, Some(&enforcement)).unwrap();
        assert_eq!(found, expected, "{enforcement}");
        assert_eq!(applies, Applies::default());
    }
    assert_eq!(read(Type::RiskTier, None).unwrap().0, advisory(None));
}

#[test]
fn gat_3_which_changes_a_norm_speaks_of() {
    let said = json!({
        "kind": "attested", "tiers": ["high", "critical"], "on": "release",
        "except": {"paths": ["docs/"], "commits": "^Revert ", "authors": "bot"},
    });
    let (_, applies) = read(Type::PrExpectation, Some(&said)).unwrap();
    assert_eq!(applies.tiers, [Tier::High, Tier::Critical]);
    assert_eq!(applies.on, On::Release);
    let except = Except {
        paths: vec!["docs/**".into()],
        commits: Some("^Revert ".into()),
        authors: vec!["bot".into()],
    };
    assert_eq!(applies.except, except);
}

#[test]
fn ent_3_every_fault_of_an_enforcement_is_named() {
    let table = [
        (json!("mechanical"), "enforcement: mechanical needs a check or a rule"),
        (json!("atested"), "did you mean \"attested\"?"),
        (json!("{\"kind\":"), "it looks like JSON but cannot be parsed"),
        (json!(7), "enforcement: 7 is not an enforcement; expected an object with a \"kind\", or a string"),
        (json!({}), "enforcement.kind: it is missing; expected one of mechanical, attested, advisory, tier"),
        (json!({"kind": "mechanicl"}), "did you mean \"mechanical\"?"),
        (json!({"kind": 3}), "enforcement.kind: 3 is not a string; expected one quoted string"),
        (
            json!({"kind": "mechanical"}),
            "enforcement.check: a mechanical norm needs a check (commit_message, paths",
        ),
        (
            json!({"check": "path", "forbid": ["a"]}),
            "enforcement.check: \"path\" is not one of commit_message, paths, content, required_file, command, actions, protected_paths, instead_of, before_commit; did you mean \"paths\"?",
        ),
        (json!({"check": "signed_off"}), "\"signed_off\" is a rule; write it as \"rule\""),
        (json!({"rule": "content"}), "\"content\" is a check; write it as \"check\""),
        (json!({"rule": "conventional_commit"}), "did you mean \"conventional_commits\"?"),
        (json!({"check": "paths", "rule": "signed_off"}), "a norm has a check or a rule, not both"),
        (json!({"check": "paths"}), "enforcement.forbid: it is missing; name globs"),
        (json!({"check": "paths", "forbid": []}), "enforcement.forbid: the list is empty"),
        (json!({"check": "paths", "forbid": ["/etc"]}), "\"/etc\" is an absolute path"),
        (json!({"check": "paths", "forbid": ["../a"]}), "points outside the repository"),
        (json!({"check": "paths", "forbid": [1]}), "1 is not a string; expected a list of strings"),
        (
            json!({"check": "content", "forbid": ["a"]}),
            "enforcement.forbid: a list is not a string; expected one quoted string",
        ),
        (json!({"check": "content", "files": ["a"]}), "enforcement.forbid: it is missing"),
        (json!({"check": "commit_message"}), "enforcement.pattern: it is missing"),
        (json!({"check": "command", "run": "a && b"}), "`&` is not supported: steps run without a shell"),
        (
            json!({"check": "command", "run": "grep x y"}),
            "enforcement.run: it contains no program; to check files use required_file or content",
        ),
        (
            json!({"check": "required_file", "need": ["a"], "exists": "yes"}),
            "\"yes\" is neither true nor false",
        ),
        (
            json!({"rule": "max_lines", "lines": 0}),
            "enforcement.lines: 0 is not a whole number of at least 1",
        ),
        (
            json!({"rule": "max_lines"}),
            "enforcement.lines: it is missing; give a number of lines, such as 500",
        ),
        (
            json!({"rule": "signed_off", "tier": "high"}),
            "enforcement.tier: unknown field; did you mean \"tiers\"?",
        ),
        (json!({"rule": "signed_off", "tiers": ["hihg"]}), "did you mean \"high\"?"),
        (
            json!({"rule": "signed_off", "on": "merges"}),
            "enforcement.on: \"merges\" is not one of merge, release, both; did you mean \"merge\"?",
        ),
        (
            json!({"rule": "signed_off", "except": ["a"]}),
            "enforcement.except: a list is not an object; expected {\"paths\":[...],\"commits\":\"...\",\"authors\":[...]}",
        ),
        (
            json!({"rule": "signed_off", "except": {"path": ["a"]}}),
            "enforcement.except.path: unknown field; did you mean \"paths\"?",
        ),
        (
            json!({"kind": "tier", "tier": "high", "paths": ["a"]}),
            "only a risk_tier can use tier, and this is a commit_norm",
        ),
        (json!({"kind": "attested", "by": [""]}), "enforcement.by: one of the list is empty"),
    ];
    let mut wrong = Vec::new();
    for (enforcement, expected) in table {
        let said = faults(Type::CommitNorm, enforcement.clone());
        if !said.contains(expected) {
            wrong.push(format!("{enforcement}: {expected:?} is not in {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let tiers = [
        (
            json!({"kind": "attested"}),
            "enforcement.kind: a risk_tier cannot use \"attested\"; use tier or advisory",
        ),
        (
            json!({"kind": "tier"}),
            "enforcement.tier: it is missing; expected one of low, medium, high, critical",
        ),
        (json!({"kind": "tier", "tier": "hgih", "paths": ["a"]}), "did you mean \"high\"?"),
        (
            json!({"kind": "tier", "tier": "high"}),
            "enforcement.paths: it is missing; name what makes a change risky: paths, content, lines or commits",
        ),
        (
            json!({"kind": "tier", "tier": "high", "paths": ["a"], "tiers": ["low"]}),
            "enforcement.tiers: a risk_tier defines the tier of a change and cannot depend on it",
        ),
        (json!("tier"), "tier needs what makes a change risky"),
    ];
    for (enforcement, expected) in tiers {
        let said = faults(Type::RiskTier, enforcement.clone());
        if !said.contains(expected) {
            wrong.push(format!("{enforcement}: {expected:?} is not in {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let all = faults(
        Type::CommitNorm,
        json!({"check": "paths", "forbid": ["/a"], "on": "x", "tiers": [1], "colour": "red"}),
    );
    assert_eq!(all.lines().count(), 4, "all at once: {all}");
}

// `--enforcement strict` was kept as an advisory text, and nothing said that it is never checked.
#[test]
fn a_word_that_enforces_nothing_is_refused_and_a_sentence_is_shown() {
    for word in ["strict", "manual", "BLOCK", "ci", "", "  "] {
        let said = unknown_enforcement(word).unwrap_or_default();
        assert!(said.contains("advisory, attested") && said.contains("signed_off"), "{word}: {said}");
    }
    for text in ["conventional-commits", "conventional commits", "Conventional  Commits"] {
        let rule = unknown_enforcement(text).unwrap_or_default();
        assert!(rule.contains("\"rule\":\"conventional_commits\""), "{text}: {rule}");
    }
    // A slip in a kind is told as one where the whole is read.
    for text in ["advisory", "Attested", "mechanical", "mechancal", "reviewers look for it", "{\"kind\":1}"] {
        assert_eq!(unknown_enforcement(text), None, "{text}");
    }
}

#[test]
fn every_rule_has_a_name_and_can_be_read() {
    for rule in RULES {
        let said = json!({"rule": rule.name, "forbid": ["a"], "need": ["a"], "lines": 1});
        let found = faults(Type::CommitNorm, said);
        assert!(!found.contains("enforcement.rule"), "{}: {found}", rule.name);
        assert!(rule.about.ends_with('.'));
    }
}

const LISTING: &[u8] = b":100644 100644 aaa bbb M\0src/a b.rs\0\
    :100644 100755 ccc ccc R100\0old\nname\0new \"name\"\0\
    :000000 100644 000 ddd A\0logo.png\0\
    :160000 160000 eee fff M\0lib\0\
    :100644 000000 ggg 000 D\0gone.txt\0\
    2\t1\tsrc/a b.rs\0\
    0\t0\t\0old\nname\0new \"name\"\0\
    -\t-\tlogo.png\0\
    1\t1\tlib\0\
    0\t2\tgone.txt\0";

const PATCH: &[u8] = b"diff --git a/src/a b.rs b/src/a b.rs\n\
index aaa..bbb 100644\n\
--- a/src/a b.rs\t\n\
+++ b/src/a b.rs\t\n\
@@ -3,3 +3,4 @@ fn x() {\n \
context\n\
--- a/no header\n\
+++ b/no header either\n\
+caf\xe9\r\n \
context\n\
\\ No newline at end of file\n\
diff --git \"a/old\\nname\" \"b/new \\\"name\\\"\"\n\
similarity index 100%\n\
diff --git a/logo.png b/logo.png\n\
Binary files /dev/null and b/logo.png differ\n\
diff --git a/lib b/lib\n\
--- a/lib\n\
+++ b/lib\n\
@@ -1 +1 @@\n\
-Subproject commit eee\n\
+Subproject commit fff\n\
diff --git a/gone.txt b/gone.txt\n\
--- a/gone.txt\n\
+++ /dev/null\n\
@@ -1,2 +0,0 @@\n\
-x\n\
-y\n";

#[test]
fn what_git_prints_is_read() {
    let files = change::read(LISTING, PATCH, &|path| path.starts_with("lib"));
    let find = |path: &str| -> &Changed { files.iter().find(|file| file.path == path).unwrap() };
    assert_eq!(files.len(), 5);
    let text = find("src/a b.rs");
    assert_eq!(text.added, [(4, "++ b/no header either".to_owned()), (5, "caf\u{fffd}\r".to_owned())]);
    assert_eq!((text.removed, text.what, text.form), (1, What::Modified, Form::File));
    let moved = find("new \"name\"");
    assert_eq!((moved.was.as_deref(), moved.what), (Some("old\nname"), What::Renamed));
    assert_eq!(moved.print.modes, ["100644", "100755"]);
    assert!(find("logo.png").binary && find("logo.png").what == What::Added);
    assert!(find("lib").form == Form::Submodule && find("lib").is_stores);
    assert_eq!((find("gone.txt").removed, find("gone.txt").what), (2, What::Deleted));
}

#[test]
fn what_git_never_prints_does_no_harm() {
    for cut in 0..LISTING.len() {
        change::read(&LISTING[..cut], &PATCH[..cut.min(PATCH.len())], &|_| false);
    }
    for cut in 0..PATCH.len() {
        change::read(LISTING, &PATCH[cut..], &|_| false);
    }
    change::read(
        LISTING,
        b"--- a/lib\n+++ b/lib\n@@ -99999999999 +1,4294967295 @@\n+x\n@@ x\n+++ \"b/\\",
        &|_| false,
    );
}

#[test]
fn a_new_file_is_what_git_would_tell_of_it() {
    let listing = b":000000 100755 0000000 ddd A\0a\x002\t0\ta\0";
    let patch = b"diff --git a/a b/a\nnew file mode 100755\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n";
    let told = change::read(listing, patch, &|_| false).remove(0);
    let mut made = change::untracked("a", Form::File, true, b"x\ny", false);
    made.print.blobs = told.print.blobs.clone();
    assert_eq!(made, told);
    assert!(change::untracked("b", Form::File, false, b"a\0b", false).binary);
    assert_eq!(change::untracked("b", Form::File, false, b"", false).added, []);
    assert_eq!(change::untracked("b", Form::File, false, b"\n\n", false).added.len(), 2);
}

#[test]
fn gat_3_every_enforcement_can_be_told_in_words() {
    let table = [
        (json!(null), "advisory: shown with a change, blocks nothing"),
        (
            json!("Whoever reviews\nlooks."),
            "advisory: shown with a change, blocks nothing: Whoever reviews looks.",
        ),
        (json!("attested"), "attested: an approver confirms for each change that it follows the norm"),
        (
            json!({"kind": "attested", "by": ["ada", "bo"], "another": true, "on": "merge", "tiers": ["high", "critical"]}),
            "attested: ada or bo, who made none of its commits, confirms for each change that it follows the norm; for changes of tier high or critical; before a merge only",
        ),
        (
            json!({"rule": "conventional_commits", "max_subject": 72, "except": {"commits": "^Revert "}}),
            "checked: commit subjects follow Conventional Commits, at most 72 characters; leaving out commits whose message matches `^Revert `",
        ),
        (
            json!({"rule": "conventional_commits", "types": ["feat", "fix"]}),
            "checked: commit subjects follow Conventional Commits with the types feat and fix",
        ),
        (
            json!({"check": "commit_message", "pattern": "^A", "forbid": "wip"}),
            "checked: every commit message matches `^A`, and no commit message matches `wip`",
        ),
        (
            json!({"check": "paths", "forbid": ["vendor/", "b", "c"], "except": {"paths": ["vendor/x"], "authors": ["bot"]}}),
            "checked: no file under `vendor/**`, `b` or `c` is changed; leaving out files of `vendor/x`, and commits of bot",
        ),
        (
            json!({"check": "content", "files": ["src/"], "forbid": "x", "require": "^// "}),
            "checked: no added line of `src/**` matches `x`, and every changed file of `src/**` matches `^// `",
        ),
        (json!({"rule": "tests_required"}), "checked: a change that adds lines to code also changes tests"),
        (
            json!({"rule": "required_files", "when": ["src/"], "need": ["a", "b"]}),
            "checked: a change of `src/**` also changes all of `a` and `b`",
        ),
        (
            json!({"check": "required_file", "need": ["LICENSE", "COPYING"], "exists": true, "on": "release"}),
            "checked: every change needs one of `LICENSE` or `COPYING` in the tree; before a release only",
        ),
        (
            json!({"rule": "max_lines", "lines": 500}),
            "checked: at most 500 lines are added and removed in total",
        ),
        (json!({"rule": "no_merge_commits"}), "checked: no commit is a merge"),
        (json!({"rule": "signed_off"}), "checked: every commit is signed off by its author"),
        (json!({"check": "command", "run": "cargo test"}), "checked: `cargo test` ends well"),
        (
            json!({"check": "before_commit", "run": "cargo fmt", "files": ["src/**"]}),
            "checked: `cargo fmt` succeeds after an edit of `src/**`, before an agent commits",
        ),
        (
            json!({"check": "paths", "forbid": ["a", "b", "c", "d", "e", "f", "g", "h"]}),
            "checked: no file under `a`, `b`, `c`, `d`, `e`, `f` or 2 more is changed",
        ),
        (
            json!(7),
            "not checked, because it cannot be parsed: enforcement: 7 is not an enforcement; expected an object with a \"kind\", or a string",
        ),
        (json!({"rule": "sined_off"}), "did you mean"),
    ];
    let mut wrong = Vec::new();
    for (enforcement, expected) in table {
        let said = told(Type::CommitNorm, Some(&enforcement));
        let is_part = expected.starts_with("did") || enforcement.is_number();
        if !(said == expected || is_part && said.contains(expected)) {
            wrong.push(format!("{enforcement}: {expected:?} is not {said:?}"));
        }
        assert!(!said.contains('\n'), "{said}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let risk = json!({"kind": "tier", "tier": "high", "paths": ["db/"], "content": "drop", "lines": 400, "commits": "risky"});
    assert_eq!(
        told(Type::RiskTier, Some(&risk)),
        "a change is high if it touches `db/**`, or an added line matches `drop`, or at least 400 lines are added and removed, or a commit message matches `risky`"
    );
}
