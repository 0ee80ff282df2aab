use std::collections::BTreeMap;

use ken_core::norm::change::Print;
use serde_json::json;

use super::*;

// The hook before a tool was silent at `git commit -m 'did things'`.
#[test]
fn a_commit_message_is_held_against_the_norms_that_speak_of_messages() {
    let fault = |enforcement: serde_json::Value, message: &str| {
        let norm =
            Norm::read("n", Type::CommitNorm, Some(&enforcement)).unwrap_or_else(|_| panic!("{enforcement}"));
        // Of one that ends with an ellipsis the rest is not known.
        let (text, extent) = match message.strip_suffix(" ...") {
            Some(beginning) => (beginning, MessageExtent::Beginning),
            None => (message, MessageExtent::Whole),
        };
        message_fault(&norm, &CommitMessage { text: text.to_owned(), extent })
    };
    let conventional = || json!({"kind": "mechanical", "rule": "conventional_commits"});
    let why = fault(conventional(), "did things").unwrap();
    assert!(why.contains("\"did things\"") && why.contains("it has no type"), "{why}");
    assert_eq!(fault(conventional(), "fix(net): did things\n\nBecause."), None);
    assert!(fault(conventional(), "did things ...").is_some(), "the subject is known");
    assert!(fault(conventional(), "").is_some());
    let issue = || json!({"check": "commit_message", "pattern": "Refs: #[0-9]+"});
    assert_eq!(fault(issue(), "did things ..."), None, "the rest may have it");
    assert!(fault(issue(), "did things").is_some());
    assert_eq!(fault(issue(), "did things\n\nRefs: #12"), None);
    // What a message alone does not tell is for the gate.
    let excepted = json!({"rule": "conventional_commits", "except": {"authors": ["bot"]}});
    assert_eq!(fault(excepted, "did things"), None);
    let excepted = json!({"rule": "conventional_commits", "except": {"commits": "^wip"}});
    assert_eq!(fault(excepted, "wip"), None);
    assert_eq!(fault(json!({"rule": "no_merge_commits"}), "did things"), None);
}

/// A change and the tree after it, told in steps with `|` between them.
///
/// ```text
/// commit SUBJECT // BODY     merge SUBJECT     by NAME <MAIL>       whoever makes the commits that follow
/// new PATH: LINE / LINE      edit PATH: ...    move OLD -> NEW: ... link PATH: TARGET
/// gone PATH                  cut PATH 5        binary PATH          submodule PATH          mode PATH
/// store PATH: LINE           a file of the store's own
/// there PATH: TEXT           a file of the tree that the change does not touch
/// unread PATH                a file that cannot be read
/// ```
fn told(story: &str) -> (Change, Told) {
    let (mut commits, mut files, mut tree) = (Vec::new(), Vec::new(), Told::default());
    let mut author = "Ada <ada@example.org>".to_owned();
    for step in story.split(" | ").map(|step| step.trim_matches(' ')).filter(|step| !step.is_empty()) {
        let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
        let (path, text) = rest.split_once(": ").unwrap_or((rest, ""));
        let lines: Vec<(u32, &str)> =
            (1..).zip(text.split(" / ")).filter(|(_, line)| !line.is_empty()).collect();
        let mut file = |what, path: &str| {
            let file = Changed::text(path, what, &lines, 0);
            let whole: Vec<&str> = lines.iter().map(|(_, line)| *line).collect();
            if what != What::Deleted {
                tree.files.insert(path.to_owned(), Ok(whole.join("\n")));
            }
            file
        };
        match verb {
            "commit" | "merge" => {
                let (subject, body) = rest.split_once(" // ").unwrap_or((rest, ""));
                commits.push(Commit {
                    hash: format!("{:040x}", commits.len() + 1),
                    subject: subject.to_owned(),
                    body: body.replace(" / ", "\n"),
                    author: author.clone(),
                    is_merge: verb == "merge",
                });
            }
            "by" => author = rest.to_owned(),
            "new" => files.push(file(What::Added, path)),
            "edit" => files.push(file(What::Modified, path)),
            "mode" => files.push(file(What::Modified, path)),
            "gone" => files.push(file(What::Deleted, path)),
            "store" => files.push(Changed { is_stores: true, ..file(What::Modified, path) }),
            "binary" => files.push(Changed { binary: true, ..file(What::Modified, path) }),
            "link" => files.push(Changed { form: Form::Link, ..file(What::Added, path) }),
            "submodule" => files.push(Changed { form: Form::Submodule, ..file(What::Modified, path) }),
            "move" => {
                let (was, now) = path.split_once(" -> ").expect("a move has two places");
                files.push(Changed { was: Some(was.to_owned()), ..file(What::Renamed, now) });
            }
            "cut" => {
                let (path, count) = rest.rsplit_once(' ').expect("a cut has a number");
                let count = count.parse().expect("a number of lines");
                files.push(Changed { removed: count, ..Changed::text(path, What::Modified, &[], 0) });
            }
            "there" => drop(tree.files.insert(path.to_owned(), Ok(text.replace(" / ", "\n")))),
            "unread" => {
                files.push(file(What::Modified, path));
                tree.files.insert(path.to_owned(), Err(format!("{path} cannot be read")));
            }
            other => panic!("{other} is no step: {story}"),
        }
    }
    (Change::new(commits, files), tree)
}

#[derive(Default)]
struct Told {
    files: BTreeMap<String, Result<String, String>>,
}

impl Tree for Told {
    fn has(&mut self, path: &str) -> Result<bool, String> {
        Ok(self.files.contains_key(path))
    }

    fn files(&mut self) -> Result<Rc<[String]>, String> {
        Ok(self.files.keys().cloned().collect())
    }

    fn text(&mut self, path: &str) -> Result<Option<String>, String> {
        self.files.get(path).cloned().transpose()
    }

    fn run(&mut self, words: &[String]) -> Ran {
        match words[0].as_str() {
            "true" => Ran::Passed,
            "false" => Ran::Failed("exit status: 1".to_owned()),
            _ => Ran::NotRun("this clone does not allow it".to_owned()),
        }
    }
}

fn norm(kind: Type, enforcement: &Value) -> Norm {
    Norm::read("norm.x", kind, Some(enforcement)).unwrap_or_else(|faults| panic!("{enforcement}: {faults:?}"))
}

fn judgement(enforcement: &Value, story: &str) -> Judgement {
    let (change, mut tree) = told(story);
    judge(&norm(Type::CommitNorm, enforcement), &change, &mut tree, Occasion::Merge, Tier::Low)
}

/// Places as `SPOT: why`, and other verdicts in a line.
fn line(judgement: &Judgement) -> String {
    let spot = |spot: &Spot| match spot {
        Spot::Commit { commit, .. } => format!("commit {}", commit.trim_start_matches('0')),
        Spot::File { path, line: Some(line) } => format!("{path}:{line}"),
        Spot::File { path, line: None } => path.clone(),
        Spot::Change {} => "change".to_owned(),
    };
    match &judgement.verdict {
        Verdict::Failed { places, more } => {
            let mut told: Vec<String> =
                places.iter().map(|place| format!("{}: {}", spot(&place.spot), place.why)).collect();
            told.extend((*more > 0).then(|| format!("and {more} more")));
            told.join(" + ")
        }
        Verdict::Passed { how } => format!("passed: {how}"),
        Verdict::NotApplicable { why } => format!("not applicable: {why}"),
        Verdict::Missing { by, not_by } if not_by.is_empty() => format!("missing: {}", by.join(", ")),
        Verdict::Missing { by, not_by } => format!("missing: {}, not {}", by.join(", "), not_by.join(", ")),
        Verdict::Advised { text } => format!("advised: {}", text.as_deref().unwrap_or_default()),
        Verdict::CannotTell { why } => format!("cannot tell: {why}"),
    }
}

/// Stories that block nothing, and stories that do with words of what is said about them.
fn table(enforcement: Value, passing: &[&str], failing: &[(&str, &str)]) {
    assert!(passing.len() >= 6 && failing.len() >= 6, "{enforcement}: six of each at least");
    for story in passing {
        let found = judgement(&enforcement, story);
        assert!(!found.verdict.blocks(), "{enforcement}\n{story}\n{}", line(&found));
    }
    let mut wrong = Vec::new();
    for (story, words) in failing {
        let found = judgement(&enforcement, story);
        assert!(matches!(found.verdict, Verdict::Failed { .. }), "{enforcement}\n{story}\n{}", line(&found));
        let said = line(&found);
        if !said.contains(words) {
            wrong.push(format!("{story}: {words:?} is not in {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{enforcement}\n{}", wrong.join("\n"));
}

#[test]
fn gat_3_commit_messages_match() {
    table(
        json!({"kind": "mechanical", "check": "commit_message", "pattern": "^[A-Z]+-[0-9]+ ", "forbid": "(?i)\\bwip\\b"}),
        &[
            "commit KEN-1 add a gate",
            "commit KEN-1 a | commit KEN-22 b",
            "merge Merge branch 'x'",
            "commit KEN-1 a | merge Merge branch 'x'",
            "commit KEN-1 wiping is fine",
            "commit KEN-1 über Größe 日本",
            "new src/a.rs: nothing is committed yet",
            "commit KEN-1 a // with a body / of two lines",
        ],
        &[
            ("commit add a gate", "commit 1: its message does not match `^[A-Z]+-[0-9]+ `"),
            ("commit KEN-1 a | commit b", "commit 2: its message does not match"),
            ("commit KEN-1 wip", "commit 1: its message matches `(?i)\\bwip\\b`, which is forbidden"),
            ("commit KEN-1 a // still WIP here", "is forbidden"),
            ("commit  KEN-1 blank first", "does not match"),
            ("commit ken-1 small letters", "does not match"),
            (
                "commit wip",
                "commit 1: its message does not match `^[A-Z]+-[0-9]+ `, and matches `(?i)\\bwip\\b`, which is forbidden",
            ),
            (
                "commit a | commit b | commit c",
                "commit 1: its message does not match `^[A-Z]+-[0-9]+ ` + commit 2",
            ),
        ],
    );
}

#[test]
fn gat_3_conventional_commits() {
    let rule = json!({"kind": "mechanical", "rule": "conventional_commits", "max_subject": 40});
    table(
        rule,
        &[
            "commit feat: add a gate",
            "commit fix(cli): name the place",
            "commit feat!: drop the old form",
            "commit refactor(core/norm)!: two files",
            "commit Fix: types are the same in capitals",
            "commit docs: a: b: c",
            "merge Merge branch 'main' into feature",
            "commit feat: ünïcödé zählt nach Zeichen 日本語",
        ],
        &[
            ("commit add a gate", "it has no type; write `type: what was done`"),
            (
                "commit wip: a gate",
                "commit 1: unknown type \"wip\"; expected one of build, chore, ci, docs, feat, fix, perf, refactor, revert, style, test",
            ),
            ("commit feat:add a gate", "a space is missing after the colon"),
            ("commit feat(cli: add", "the scope after \"feat\" is not closed"),
            ("commit feat(): add", "its scope is empty"),
            ("commit feat: ", "commit 1: the description after the colon is missing"),
            (
                "commit feat : add",
                "commit 1: unknown type \"feat \"; expected one of build, chore, ci, docs, feat, fix, perf, refactor, revert, style, test",
            ),
            (
                "commit feat: a subject that goes on for longer than anybody reads",
                "commit 1: its subject has 58 characters; at most 40 are allowed",
            ),
            (
                "commit fixup! feat: add a gate",
                "commit 1: unknown type \"fixup! feat\"; expected one of build, chore, ci, docs, feat, fix, perf, refactor, revert, style, test",
            ),
        ],
    );
    let own = json!({"rule": "conventional_commits", "types": ["core", "cli"]});
    assert_eq!(
        line(&judgement(&own, "commit core: x | commit cli(add): y")),
        "passed: 2 commit messages looked at"
    );
    assert!(
        line(&judgement(&own, "commit feat: x"))
            .ends_with("unknown type \"feat\"; expected one of core, cli")
    );
}

#[test]
fn gat_3_histories_are_lines() {
    table(
        json!({"rule": "no_merge_commits", "except": {"commits": "^Merge pull request"}}),
        &[
            "commit a",
            "commit a | commit b",
            "new a: b",
            "merge Merge pull request 7 | commit a",
            "commit Merge two lists",
            "merge Merge pull request 8",
        ],
        &[
            ("merge Merge branch", "commit 1: it is a merge; rebase the change instead"),
            ("commit a | merge Merge branch", "commit 2: it is a merge"),
            ("merge a | merge b", "commit 1: it is a merge; rebase the change instead + commit 2"),
            ("merge Merge pull request | merge b", "commit 2"),
            ("merge a | commit b | new c: d", "commit 1"),
            ("merge merge pull request", "commit 1"),
        ],
    );
}

#[test]
fn gat_3_commits_are_signed_off() {
    table(
        json!({"rule": "signed_off"}),
        &[
            "commit a // Signed-off-by: Ada <ada@example.org>",
            "commit a // Why. / Signed-off-by: Ada L. <ADA@example.org>",
            "commit a // signed-off-by: Ada <ada@example.org> / Signed-off-by: Bo <bo@example.org>",
            "merge Merge branch",
            "by Bo <bo@example.org> | commit b // Signed-off-by: Bo <bo@example.org>",
            "new a: b",
        ],
        &[
            ("commit a", "no Signed-off-by line of its author, Ada <ada@example.org>"),
            ("commit a // Signed-off-by: Bo <bo@example.org>", "commit 1"),
            ("commit a // Signed-off-by:", "commit 1"),
            ("commit a // Signed off by Ada <ada@example.org>", "commit 1"),
            ("commit a // Signed-off-by: Ada <ada@example.org> | commit b", "commit 2"),
            (
                "by Bo <bo@example.org> | commit b // Signed-off-by: Ada <ada@example.org>",
                "Bo <bo@example.org>",
            ),
            ("commit a // Co-authored-by: Ada <ada@example.org>", "commit 1"),
        ],
    );
}

#[test]
fn gat_3_forbidden_paths() {
    let globs = ["vendor/", "**/*.min.js", "secrets.env"];
    for enforcement in [
        json!({"check": "paths", "forbid": globs, "except": {"paths": ["vendor/README.md"]}}),
        json!({"rule": "forbidden_paths", "forbid": globs, "except": {"paths": ["vendor/README.md"]}}),
    ] {
        table(
            enforcement,
            &[
                "edit src/a.rs: x",
                "edit vendor/README.md: x",
                "edit src/vendor/a.rs: x",
                "new a/secrets.env: x",
                "edit vendored.rs: x",
                "store .kenning/vendor/x: y",
                "commit only a message",
                "move a b.rs -> ä/日本.rs: x",
            ],
            &[
                ("edit vendor/a.c: x", "vendor/a.c: it is changed, which `vendor/**` forbids"),
                ("gone vendor/a.c", "it is deleted"),
                ("new web/app.min.js: x", "it is new, which `**/*.min.js` forbids"),
                ("move vendor/a.c -> src/a.c", "src/a.c: it was vendor/a.c, which `vendor/**` forbids"),
                ("move src/a.c -> vendor/a.c", "it is moved"),
                ("binary vendor/logo.png", "vendor/logo.png"),
                ("submodule vendor/lib", "vendor/lib"),
                ("submodule vendor", "vendor: it is changed, which `vendor/**` forbids"),
                ("link vendor: ../elsewhere", "vendor: it is new, which `vendor/**` forbids"),
                ("new vendor: x", "vendor: it is new, which `vendor/**` forbids"),
                ("move vendor -> lib", "lib: it was vendor, which `vendor/**` forbids"),
                ("mode vendor/run.sh", "vendor/run.sh"),
                (
                    "edit vendor/a: x | edit vendor/README.md: x | edit secrets.env: x",
                    "secrets.env: it is changed, which `secrets.env` forbids + vendor/a: it is changed, which `vendor/**` forbids",
                ),
                ("move vendor/README.md -> vendor/b: x", "vendor/b"),
            ],
        );
    }
}

#[test]
fn gat_3_what_added_lines_may_not_say() {
    table(
        json!({"check": "content", "files": ["src/**"], "forbid": "\\b(dbg!|console\\.log)\\s*\\($", "except": {"paths": ["src/debug/**"]}}),
        &[
            "edit src/a.rs: let x = 1;",
            "edit docs/a.md: dbg!(",
            "edit src/debug/a.rs: dbg!(",
            "gone src/a.rs",
            "binary src/logo.png: dbg!(",
            "cut src/a.rs 5",
            "link src/l: dbg!(",
            "store .kenning/src/a: dbg!(",
            "edit src/a.rs: undbg!( | edit src/b.rs: ✓ fine",
        ],
        &[
            (
                "edit src/a.rs: dbg!(",
                "src/a.rs:1: the line matches `\\b(dbg!|console\\.log)\\s*\\($`, which is forbidden",
            ),
            ("new src/deep/a.ts: ok / console.log(", "src/deep/a.ts:2"),
            ("edit src/a.rs: dbg!(\r", "src/a.rs:1"),
            ("move lib/a.rs -> src/a.rs: dbg!(", "src/a.rs:1"),
            ("edit src/a.rs: ✓ dbg!(", "src/a.rs:1"),
            ("edit src/a.rs: dbg!( / x / dbg!(", "src/a.rs:3"),
            ("edit src/debug/a.rs: dbg!( | edit src/b.rs: dbg!(", "src/b.rs:1"),
        ],
    );
    let returns = json!({"check": "content", "forbid": "\\r$"});
    assert_eq!(line(&judgement(&returns, "edit a.txt: x")), "passed: 1 file looked at");
    assert!(line(&judgement(&returns, "edit a.txt: x\r")).starts_with("a.txt:1: the line matches"));
    let secret =
        line(&judgement(&json!({"check": "content", "forbid": "hunter[0-9]"}), "edit a.txt: pass hunter2"));
    assert!(!secret.contains("hunter2"), "what is found may be a secret: {secret}");
    let binary = line(&judgement(&returns, "edit a.txt: x | binary b.png"));
    assert_eq!(binary, "passed: 1 file looked at; binary files, not checked: b.png");
}

#[test]
fn gat_3_what_files_have_to_say() {
    table(
        json!({"check": "content", "files": ["**/*.rs"], "require": "^// Licence: .+\n", "except": {"paths": ["**/generated.rs"]}}),
        &[
            "new a.rs: // Licence: MIT / x",
            "new a.rs: // Licence: MIT\r / x",
            "new a.rs: \u{feff}// Licence: MIT / x",
            "new src/generated.rs: x",
            "gone a.rs",
            "new a.py: x",
            "binary a.rs",
            "move b.rs -> a.rs: // Licence: MIT / x",
        ],
        &[
            ("new a.rs: x", "a.rs: no line matches `^// Licence: .+\n`"),
            (
                "edit src/b.rs: x | new a.rs: // Licence: MIT / x",
                "src/b.rs: no line matches `^// Licence: .+\n`",
            ),
            ("new a.rs: x / // Licence: MIT / y", "a.rs: no line matches `^// Licence: .+\n`"),
            ("move a.py -> a.rs: x", "a.rs: no line matches `^// Licence: .+\n`"),
            ("new a.rs: // Licence: / x", "a.rs"),
            ("new a.rs: x | unread b.rs", "a.rs: no line matches `^// Licence: .+\n`"),
            ("new a.rs: x | new b.rs: y", "a.rs: no line matches `^// Licence: .+\n` + b.rs"),
        ],
    );
    let found = judgement(&json!({"check": "content", "require": "x"}), "unread a.rs | new b.rs: x");
    assert_eq!(line(&found), "cannot tell: a.rs cannot be read");
    assert!(found.verdict.blocks(), "what nobody could find out is not passed");
}

#[test]
fn gat_3_tests_come_with_code() {
    table(
        json!({"rule": "tests_required", "except": {"paths": ["src/generated/**"], "commits": "^(docs|chore)[(:]"}}),
        &[
            "edit src/a.rs: x | new tests/a.rs: y",
            "edit src/a.py: x | edit src/test_a.py: y",
            "edit src/a.ts: x | edit src/a.spec.ts: y",
            "edit src/a.go: x | edit src/a_test.go: y",
            "edit docs/a.md: x",
            "gone src/a.rs",
            "cut src/a.rs 40",
            "move src/a.rs -> src/b.rs",
            "mode src/run.sh",
            "edit src/generated/a.rs: x",
            "commit docs: comments | edit src/a.rs: x",
            "edit src/tests/a.rs: x",
            "edit crates/core/src/norms/tests.rs: x",
        ],
        &[
            ("edit src/a.rs: x", "src/a.rs: it is changed, and the change adds nothing that matches"),
            ("new lib/b.py: x | edit docs/a.md: y", "lib/b.py: it is new"),
            ("edit src/a.rs: x | gone tests/a.rs", "src/a.rs"),
            ("edit crates/core/src/a.rs: x | edit contest.md: y", "crates/core/src/a.rs"),
            ("move src/a.rs -> src/b.rs: x", "src/b.rs: it is moved"),
            ("binary app/model.bin", "app/model.bin"),
            ("commit docs: a | commit feat: b | edit src/a.rs: x", "src/a.rs"),
            ("edit src/a.rs: x | store .kenning/tests/a: y", "src/a.rs"),
        ],
    );
    let own = json!({"rule": "tests_required", "when": ["server/**"], "need": ["checks/**"]});
    assert!(
        line(&judgement(&own, "edit src/a.rs: x"))
            .starts_with("not applicable: the change touches no file that matches `server/**`")
    );
    assert!(line(&judgement(&own, "edit server/a.rs: x | edit tests/a.rs: y")).starts_with("server/a.rs"));
}

#[test]
fn gat_3_files_that_a_change_brings() {
    table(
        json!({"check": "required_file", "when": ["src/**", "api.yaml"], "need": ["CHANGELOG.md", "changes/*.md"]}),
        &[
            "edit src/a.rs: x | edit CHANGELOG.md: y",
            "edit src/a.rs: x | new changes/12.md: y",
            "edit README.md: x",
            "store .kenning/src/a: x",
            "commit a",
            "gone src/a.rs | edit CHANGELOG.md: x",
            "edit api.yaml: x | move notes.md -> changes/1.md",
        ],
        &[
            (
                "edit src/a.rs: x",
                "src/a.rs: it is changed, and the change adds nothing that matches `CHANGELOG.md` or `changes/*.md`",
            ),
            ("gone src/a.rs", "it is deleted"),
            ("edit api.yaml: x | edit changelog.md: y", "api.yaml"),
            ("edit src/a.rs: x | gone CHANGELOG.md", "src/a.rs"),
            ("edit src/a.rs: x | new changes/old/1.md: y", "src/a.rs"),
            ("move src/a.rs -> lib/a.rs", "lib/a.rs: it is moved"),
            ("edit src/a.rs: x | there CHANGELOG.md: y", "src/a.rs"),
        ],
    );
    table(
        json!({"rule": "required_files", "need": ["CHANGELOG.md", "docs/**"], "when": ["src/**"]}),
        &[
            "edit src/a.rs: x | edit CHANGELOG.md: y | edit docs/a/b.md: z",
            "edit README.md: x",
            "edit docs/a.md: x",
            "edit CHANGELOG.md: x",
            "new src/a: x | new CHANGELOG.md: y | binary docs/logo.png",
            "store .kenning/x: y",
        ],
        &[
            ("edit src/a.rs: x | edit CHANGELOG.md: y", "nothing that matches `docs/**`"),
            ("edit src/a.rs: x | edit docs/a.md: y", "nothing that matches `CHANGELOG.md`"),
            ("edit src/a.rs: x", "`CHANGELOG.md` + src/a.rs"),
            ("gone src/a.rs", "src/a.rs"),
            ("edit src/a.rs: x | gone docs/a.md | edit CHANGELOG.md: y", "`docs/**`"),
            ("edit src/a.rs: x | edit lib/docs/a.md: y | edit CHANGELOG.md: y", "`docs/**`"),
        ],
    );
}

#[test]
fn gat_3_files_that_are_there_after_a_change() {
    table(
        json!({"check": "required_file", "need": ["LICENSE", "COPYING*"], "exists": true}),
        &[
            "edit a: x | there LICENSE: y",
            "edit a: x | there COPYING.md: y",
            "new LICENSE: y",
            "edit LICENSE: x",
            "commit only a message",
            "store .kenning/x: y",
        ],
        &[
            ("edit a: x", "a: it is changed, and nothing matches `LICENSE` or `COPYING*` after the change"),
            ("gone LICENSE", "LICENSE: it is deleted"),
            ("move LICENSE -> docs/LICENSE", "docs/LICENSE"),
            ("edit a: x | there docs/COPYING: y", "a: it is changed"),
            ("edit a: x | there license: y", "a: it is changed"),
            ("binary logo.png", "logo.png"),
        ],
    );
    let literal = json!({"check": "required_file", "need": "LICENSE", "exists": true});
    assert_eq!(
        line(&judgement(&literal, "edit a: x | there LICENSE: y")),
        "passed: `LICENSE` exists after the change"
    );
}

#[test]
fn gat_3_changes_stay_small() {
    table(
        json!({"rule": "max_lines", "lines": 4, "except": {"paths": ["*.lock"]}}),
        &[
            "edit a: 1 / 2 / 3 / 4",
            "edit a: 1 / 2 | cut b 2",
            "edit Cargo.lock: 1 / 2 / 3 / 4 / 5 / 6 | edit a: 1",
            "store .kenning/x: 1 / 2 / 3 / 4 / 5",
            "binary logo.png",
            "commit nothing",
            "move a -> b: 1",
        ],
        &[
            (
                "edit a: 1 / 2 / 3 / 4 / 5",
                "change: 5 lines changed; at most 4 are allowed; most of them in a (5)",
            ),
            ("edit a: 1 / 2 / 3 | cut b 2", "a (3), b (2)"),
            ("cut b 4000000000", "4000000000 lines"),
            ("new a: 1 / 2 / 3 | new b: 1 / 2 / 3", "6 lines"),
            ("edit x/Cargo.lock: 1 / 2 / 3 / 4 / 5", "5 lines"),
            ("cut b 5 | edit Cargo.lock: 1", "5 lines"),
        ],
    );
    let some = json!({"rule": "max_lines", "lines": 1, "files": ["src/**"]});
    assert_eq!(line(&judgement(&some, "edit src/a: 1 | edit b: 1 / 2 / 3")), "passed: 1 of 1 lines changed");
}

#[test]
fn gat_3_commands_people_and_advice() {
    let table = [
        (json!({"check": "command", "run": "true"}), "passed: `true` ended well"),
        (
            json!({"check": "command", "run": "false -v 'a b'"}),
            "change: `false -v a b` failed: exit status: 1",
        ),
        (
            json!({"check": "command", "run": "cargo test"}),
            "cannot tell: `cargo test` was not run: this clone does not allow it",
        ),
        (json!({"kind": "attested", "by": ["ada", "bo"]}), "missing: ada, bo"),
        (
            json!({"kind": "attested", "another": true, "by": ["bo"]}),
            "missing: bo, not Ada <ada@example.org>",
        ),
        (json!("attested"), "missing: "),
        (json!({"kind": "advisory"}), "advised: "),
        (json!("Read the guide first."), "advised: Read the guide first."),
    ];
    for (enforcement, expected) in table {
        assert_eq!(line(&judgement(&enforcement, "commit a | edit a: x")), expected, "{enforcement}");
    }
}

#[test]
fn gat_3_a_norm_says_when_it_is_asked() {
    let asked = |enforcement: Value, occasion, tier| {
        let (change, mut tree) = told("edit a: x");
        line(&judge(&norm(Type::PrExpectation, &enforcement), &change, &mut tree, occasion, tier))
    };
    use {Occasion::*, Tier::*};
    let release = json!({"kind": "attested", "on": "release"});
    assert_eq!(asked(release.clone(), Merge, Low), "not applicable: it applies only before a release");
    assert_eq!(asked(release, Release, Low), "missing: ");
    let merge = json!({"kind": "attested", "on": "merge"});
    assert_eq!(asked(merge, Release, Low), "not applicable: it applies only before a merge");
    let risky = json!({"kind": "attested", "tiers": ["high", "critical"], "on": "both"});
    assert_eq!(
        asked(risky.clone(), Merge, Medium),
        "not applicable: it applies to changes of tier high or critical, and this one is medium"
    );
    assert_eq!(asked(risky.clone(), Merge, High), "missing: ");
    assert_eq!(asked(risky, Release, Critical), "missing: ");
}

#[test]
fn gat_3_exceptions_are_named() {
    let bots = json!({"rule": "conventional_commits", "except": {"authors": ["Dep Bot", "ci@example.org"], "commits": "^Revert "}});
    let found = judgement(
        &bots,
        "by dep bot <b@x> | commit Bump a | by Ada <a@x> | commit feat: b | commit Revert c",
    );
    assert_eq!(line(&found), "passed: 1 commit message looked at");
    assert_eq!(
        found.left_out,
        ["commit 0000000000: Dep Bot made it", "commit 0000000000: its message matches `^Revert `"]
    );
    let found = judgement(&bots, "by CI <ci@example.org> | commit Bump a | merge Merge b");
    assert_eq!(line(&found), "not applicable: every commit of the change is an exception");
    let paths = json!({"kind": "attested", "except": {"paths": ["docs/**"]}});
    let found = judgement(&paths, "edit docs/a.md: x | edit docs/b.md: y | store .kenning/z: z");
    assert_eq!(line(&found), "not applicable: every file of the change is an exception");
    assert_eq!(found.left_out, ["docs/a.md: exception `docs/**`", "docs/b.md: exception `docs/**`"]);
    assert_eq!(line(&judgement(&paths, "edit docs/a.md: x | edit src/b: y")), "missing: ");
    let many: String = (0..50).map(|n| format!("edit docs/{n}.md: x | ")).collect();
    assert_eq!(judgement(&paths, &many).left_out.len(), PLACES_MAX + 1);
}

#[test]
fn gat_3_the_store_is_left_out_unless_it_is_named() {
    let story = "store .kenning/config.toml: approvers = []";
    assert_eq!(
        line(&judgement(&json!({"check": "paths", "forbid": ["**"]}), story)),
        "passed: 0 changed files, none below `**`"
    );
    let named = json!({"check": "paths", "forbid": [".kenning/config.toml"]});
    assert_eq!(
        line(&judgement(&named, story)),
        ".kenning/config.toml: it is changed, which `.kenning/config.toml` forbids"
    );
    let says = json!({"check": "content", "files": [".kenning/**"], "forbid": "approvers"});
    assert!(line(&judgement(&says, story)).starts_with(".kenning/config.toml:1: "));
}

// A link, and another repository, are seen as one path: what a folder held is below it all the same.
#[test]
fn gat_3_what_stands_in_place_of_a_folder_is_below_it() {
    let forbid = |globs: &[&str]| json!({"check": "paths", "forbid": globs});
    let need = json!({"check": "required_file", "when": ["src/"], "need": ["tests/"]});
    let lines = json!({"rule": "max_lines", "lines": 1, "files": ["vendor/"]});
    let table = [
        (forbid(&["**/node_modules/**"]), "link web/node_modules: ../x", true),
        (forbid(&["vendor/**/*"]), "submodule vendor", true),
        (forbid(&["{vendor,third_party}/**"]), "new third_party: x", true),
        (forbid(&["crates/*/**"]), "submodule crates/one", true),
        (forbid(&["crates/*/**"]), "new crates/README.md: x", false),
        (forbid(&["vendor/*"]), "submodule vendor", false),
        (forbid(&["vendor/**"]), "submodule src/vendor", false),
        (json!({"check": "paths", "forbid": ["a"], "except": {"paths": ["a/"]}}), "submodule a", false),
        (json!({"check": "paths", "forbid": ["a"], "except": {"paths": ["a/"]}}), "new a: x", true),
        (need.clone(), "submodule src", true),
        (need.clone(), "edit src/a: x | submodule tests", false),
        (need, "edit src/a: x | new tests: no test at all", true),
        (lines, "new vendor: x / y", true),
        (json!({"check": "content", "files": ["vendor/"], "forbid": "x"}), "new vendor: x", true),
    ];
    for (enforcement, story, fails) in table {
        let found = judgement(&enforcement, story);
        assert_eq!(found.verdict.blocks(), fails, "{enforcement}\n{story}\n{}", line(&found));
    }
    let risk = json!({"kind": "tier", "tier": "high", "paths": ["migrations/"]});
    let (change, _) = told("submodule migrations");
    assert_eq!(tier(&change, &[norm(Type::RiskTier, &risk)], Occasion::Merge).tier, Tier::High);
}

#[test]
fn places_are_capped() {
    let lines: Vec<String> = (0..100_000).map(|n| format!("todo {n}")).collect();
    let added: Vec<(u32, &str)> = (1..).zip(lines.iter().map(String::as_str)).collect();
    let change = Change::new(Vec::new(), vec![Changed::text("a", What::Added, &added, 0)]);
    let norm = norm(Type::CommitNorm, &json!({"check": "content", "forbid": "todo"}));
    let found = judge(&norm, &change, &mut Told::default(), Occasion::Merge, Tier::Low);
    let Verdict::Failed { places, more } = &found.verdict else { panic!("{found:?}") };
    assert_eq!((places.len(), *more), (PLACES_MAX, 100_000 - PLACES_MAX));
}

#[test]
fn gat_3_risk_tiers_classify() {
    let norms = [
        (
            "risk.data",
            json!({"kind": "tier", "tier": "high", "paths": ["migrations/**"], "content": "(?i)drop table"}),
        ),
        ("risk.size", json!({"kind": "tier", "tier": "medium", "lines": 3, "except": {"paths": ["*.lock"]}})),
        (
            "risk.keys",
            json!({"kind": "tier", "tier": "critical", "commits": "(?i)\\brotate keys\\b", "on": "release"}),
        ),
        ("risk.text", json!("Anything that touches money is risky.")),
    ];
    let norms: Vec<Norm> = norms
        .iter()
        .map(|(id, text)| {
            Norm::read(id, Type::RiskTier, Some(text)).unwrap_or_else(|faults| panic!("{faults:?}"))
        })
        .collect();
    let table = [
        ("edit a: x", Occasion::Merge, "low"),
        ("edit migrations/1.sql: x", Occasion::Merge, "high risk.data it touches migrations/1.sql"),
        ("move migrations/1.sql -> old/1.sql", Occasion::Merge, "high risk.data it touches old/1.sql"),
        ("gone migrations/1.sql", Occasion::Merge, "high risk.data it touches migrations/1.sql"),
        ("edit a.py: DROP TABLE x", Occasion::Merge, "high risk.data lines of a.py match `(?i)drop table`"),
        ("edit a: 1 / 2 / 3", Occasion::Merge, "medium risk.size 3 lines changed"),
        ("edit a.lock: 1 / 2 / 3", Occasion::Merge, "low"),
        ("edit a: 1 / 2", Occasion::Merge, "low"),
        ("commit fix: rotate keys | edit a: x", Occasion::Merge, "low"),
        (
            "commit fix: rotate keys | edit a: x",
            Occasion::Release,
            "critical risk.keys messages of 0000000000 match `(?i)\\brotate keys\\b`",
        ),
        (
            "edit a: 1 / 2 / 3 | edit migrations/2: x",
            Occasion::Merge,
            "high risk.data it touches migrations/2; medium risk.size 4 lines changed",
        ),
        ("store .kenning/migrations/a: drop table / 2 / 3", Occasion::Merge, "low"),
    ];
    for (story, occasion, expected) in table {
        let found = tier(&told(story).0, &norms, occasion);
        let why: Vec<String> =
            found.why.iter().map(|why| format!("{} {} {}", why.tier, why.norm, why.why)).collect();
        let said = if why.is_empty() { found.tier.to_string() } else { why.join("; ") };
        assert_eq!(said, expected, "{story}");
        assert_eq!(found.why.first().map_or(Tier::Low, |why| why.tier), found.tier);
    }
}

#[test]
fn patterns_that_do_not_compile_are_faults() {
    let table = [
        (
            json!({"check": "commit_message", "pattern": "("}),
            "enforcement.pattern: `(` is not a valid regular expression: unclosed group",
        ),
        (
            json!({"check": "commit_message", "pattern": "a", "forbid": "(?<=x)y"}),
            "enforcement.forbid: `(?<=x)y` is not a valid regular expression: look-around",
        ),
        (
            json!({"check": "content", "forbid": "(\\w{500}){500}"}),
            "enforcement.forbid: `(\\w{500}){500}` is too large when compiled",
        ),
        (
            json!({"check": "content", "require": "[z-a]", "files": ["{a"]}),
            "enforcement.files: `{a` is not a valid glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)\nenforcement.require: `[z-a]` is not a valid regular expression: invalid character class range, the start must be <= the end",
        ),
        (
            json!({"check": "paths", "forbid": ["a/**", "a[b"]}),
            "enforcement.forbid: `a[b` is not a valid glob: unclosed character class; missing ']'",
        ),
        (
            json!({"rule": "required_files", "need": ["ok", "{a"]}),
            "enforcement.need: `{a` is not a valid glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
        ),
        (
            json!({"kind": "attested", "except": {"paths": ["[a"], "commits": "*"}}),
            "enforcement.except.paths: `[a` is not a valid glob: unclosed character class; missing ']'\nenforcement.except.commits: `*` is not a valid regular expression: repetition operator missing expression",
        ),
    ];
    let mut wrong = Vec::new();
    for (enforcement, expected) in table {
        let found = faults(Type::CommitNorm, Some(&enforcement));
        let said: Vec<String> =
            found.iter().map(|fault| format!("{}: {}", fault.field, fault.problem)).collect();
        if !said.join("\n").contains(expected) {
            wrong.push(format!("{enforcement}: {expected:?} is not in {:?}", said.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let both =
        faults(Type::CommitNorm, Some(&json!({"check": "commit_message", "pattern": "(", "forbid": ")"})));
    assert_eq!(both.len(), 2);
    let found = faults(
        Type::RiskTier,
        Some(&json!({"kind": "tier", "tier": "low", "content": "(", "paths": "[", "commits": ")"})),
    );
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(faults(Type::CommitNorm, None), []);
}

#[test]
fn judgements_are_told_as_json() {
    let found = judgement(
        &json!({"check": "content", "forbid": "x", "except": {"paths": ["b"]}}),
        "edit a: x | edit b: x",
    );
    let expected = json!({
        "verdict": "failed",
        "places": [{"path": "a", "line": 1, "why": "the line matches `x`, which is forbidden"}],
        "more": 0,
        "left_out": ["b: exception `b`"],
    });
    assert_eq!(serde_json::to_value(&found).ok(), Some(expected));
    let found = judgement(&json!({"rule": "conventional_commits"}), "commit a\u{1b}[2J");
    let said = serde_json::to_value(&found).unwrap_or_default();
    assert_eq!(said["places"][0]["subject"], "a\\u{1b}[2J");
    assert_eq!(serde_json::to_value(Spot::Change {}).ok(), Some(json!({})));
}

#[test]
fn the_name_of_a_change_leaves_the_store_out() {
    let file = |path: &str, lines: u8| Changed {
        print: Print { lines: Some([lines; 32]), ..Print::default() },
        ..Changed::text(path, What::Modified, &[], 0)
    };
    let name = |files: Vec<Changed>| Change::new(Vec::new(), files).id;
    let alone = name(vec![file("a", 1)]);
    assert_eq!(alone.len(), 32);
    assert_eq!(alone, name(vec![Changed { is_stores: true, ..file(".kenning/x", 1) }, file("a", 1)]));
    assert_eq!(name(vec![file("b", 2), file("a", 1)]), name(vec![file("a", 1), file("b", 2)]));
    let others = [
        vec![file("a", 2)],
        vec![file("b", 1)],
        vec![],
        vec![Changed { was: Some("b".into()), what: What::Renamed, ..file("a", 1) }],
        vec![Changed { what: What::Added, ..file("a", 1) }],
    ];
    for other in others {
        assert_ne!(alone, name(other));
    }
}

#[test]
fn every_example_of_the_manual_can_be_read() {
    let manual = include_str!("../../../../docs/reference/norms.md").replace("\r\n", "\n");
    let examples: Vec<&str> =
        manual.split("```json\n").skip(1).filter_map(|rest| Some(rest.split_once("\n```")?.0)).collect();
    assert!(examples.len() >= 16, "{}", examples.len());
    for example in examples {
        let enforcement: Value =
            serde_json::from_str(example).unwrap_or_else(|error| panic!("{example}: {error}"));
        let kind = if enforcement["kind"] == "tier" { Type::RiskTier } else { Type::PrExpectation };
        assert_eq!(faults(kind, Some(&enforcement)), [], "{example}");
    }
    for rule in ken_core::norm::RULES {
        assert!(manual.contains(&format!("\"rule\": \"{}\"", rule.name)), "{} has no example", rule.name);
    }
}
