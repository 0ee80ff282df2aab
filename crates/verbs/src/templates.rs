//! Example norms for a team to begin with: each is offered, and none is in force before a person accepts it.

use ken_core::entry::Entry;
use ken_core::kinds::{Memory, Status, Type};
use ken_core::norm::Tier;
use ken_core::words::normalise_statement;
use ken_engine::{Ledger, Overlaid, Query};
use serde_json::{Map, Value, json};
use ssh_key::sha2::{Digest as _, Sha256};

/// A norm that can be taken over.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// The id it gets.
    pub id: &'static str,
    /// The type it has.
    pub kind: Type,
    /// A few words for a list.
    pub title: &'static str,
    /// What to do.
    pub rule: &'static str,
    /// What following it looks like.
    pub examples: &'static [&'static str],
    /// When it does not apply.
    pub exceptions: &'static [&'static str],
    /// The changes it is for; every change where none is named.
    pub tiers: &'static [Tier],
    check: &'static str,
}

impl Template {
    /// How it is checked.
    pub fn enforcement(&self) -> Value {
        let mut check: Value =
            serde_json::from_str(self.check).expect("every check here is JSON, as a test says");
        if !self.tiers.is_empty() {
            check["tiers"] = json!(self.tiers);
        }
        check
    }

    /// The content of the entry that it becomes.
    pub fn content(&self) -> Map<String, Value> {
        let mut content = Map::new();
        content.insert("title".into(), self.title.into());
        content.insert("rule".into(), self.rule.into());
        content.insert("examples".into(), json!(self.examples));
        if !self.exceptions.is_empty() {
            content.insert("exceptions".into(), json!(self.exceptions));
        }
        content.insert("enforcement".into(), self.enforcement());
        content
    }
}

impl Template {
    /// What it rests on once a person accepts it: the words they were shown.
    pub fn evidence(&self) -> String {
        let shown = serde_json::to_string(&self.content()).unwrap_or_default();
        let hash = Sha256::digest(shown.as_bytes());
        let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("transcript:sha256:{hex}")
    }
}

/// The norm that says already what a template says, by its id or in the same words, and how it stands.
pub fn norm_like(ledger: &Ledger, template: &Template) -> crate::Result<Option<(String, Status)>> {
    let query = Query {
        memories: vec![Memory::Procedural],
        statuses: vec![Status::Candidate, Status::Active, Status::Verified],
        overlaid: Overlaid::Any,
        ..Query::default()
    };
    let words = normalise_statement(template.rule);
    let is_it =
        |entry: &Entry| entry.id() == template.id || normalise_statement(&entry.fields.statement()) == words;
    let found = ledger.list(&query)?.entries.into_iter().map(|stored| stored.entry).find(is_it);
    Ok(found.map(|entry| (entry.id(), entry.status)))
}

/// What a commit of knowledge says where nobody says otherwise. It keeps to every template.
pub const COMMIT_MESSAGE: &str = "chore(knowledge): update";

/// Every template, those about commits first.
pub fn templates() -> &'static [Template] {
    TEMPLATES
}

const TEMPLATES: &[Template] = &[
    Template {
        id: "norm.commit.conventional",
        kind: Type::CommitNorm,
        title: "Conventional subjects",
        rule: "Begin the subject of a commit with its type, then a colon and what was done, in at most 72 characters.",
        examples: &["fix(parser): keep the last line of a file", "feat!: drop the version 1 format"],
        exceptions: &["Merges and reverts keep the subject that git gives them."],
        tiers: &[],
        check: r#"{"kind":"mechanical","rule":"conventional_commits","max_subject":72,"except":{"commits":"^Revert \""}}"#,
    },
    Template {
        id: "norm.commit.one_purpose",
        kind: Type::CommitNorm,
        title: "One purpose to a commit",
        rule: "Give each commit a single purpose, and name that purpose in its subject.",
        examples: &["refactor: move the reader into its own file", "fix: count the last page"],
        exceptions: &[],
        tiers: &[],
        check: r#"{"kind":"mechanical","check":"commit_message","forbid":"(?i)^[^\n]*\\b(wip|misc|various|stuff|and also|several (things|fixes|changes))\\b"}"#,
    },
    Template {
        id: "norm.commit.no_secrets",
        kind: Type::CommitNorm,
        title: "No keys in files",
        rule: "Keep keys, tokens and passwords out of the repository; read them from the environment instead.",
        examples: &["let token = env(\"SERVICE_TOKEN\")"],
        exceptions: &["Keys below a folder named fixtures that open nothing."],
        tiers: &[],
        check: r#"{"kind":"mechanical","check":"content","forbid":"-----BEGIN [A-Z ]*PRIVATE KEY|\\b(AKIA|ASIA)[0-9A-Z]{16}\\b|\\bgh[pousr]_[0-9A-Za-z]{36}\\b|(?i)\\b(password|passwd|secret|api_?key|token)\\b\\s*[:=]\\s*[\"'][^\"'\\s$<{]{12,}[\"']","except":{"paths":["**/fixtures/**"]}}"#,
    },
    Template {
        id: "norm.commit.vendored",
        kind: Type::CommitNorm,
        title: "Foreign code stays as it came",
        rule: "Leave vendored and generated files as their tool wrote them; change the source and run the tool again.",
        examples: &["chore(deps): vendor left-pad 1.3"],
        exceptions: &["Commits of type chore(deps) or build(deps), which bring a new version whole."],
        tiers: &[],
        check: r#"{"kind":"mechanical","rule":"forbidden_paths","forbid":["vendor/**","third_party/**","**/node_modules/**","**/*.generated.*"],"except":{"commits":"^(chore|build)\\(deps\\)"}}"#,
    },
    Template {
        id: "norm.pr.tests_with_code",
        kind: Type::PrExpectation,
        title: "Tests come with code",
        rule: "Bring a test that fails without the change wherever code gains lines.",
        examples: &["src/page.rs together with tests/page.rs"],
        exceptions: &["Changes whose commits are all of type docs, style, refactor or revert."],
        tiers: &[],
        check: r#"{"kind":"mechanical","rule":"tests_required","except":{"commits":"^(docs|style|refactor|revert)[(:!]"}}"#,
    },
    Template {
        id: "norm.pr.changelog",
        kind: Type::PrExpectation,
        title: "Users read what changed",
        rule: "Write a line for CHANGELOG.md when somebody who uses the program can notice the change.",
        examples: &["- `export` keeps the order of fields"],
        exceptions: &[
            "Changes whose commits are all of a type that users cannot notice, such as test or ci.",
        ],
        tiers: &[],
        check: r#"{"kind":"mechanical","rule":"required_files","need":["CHANGELOG.md"],"when":["src/**","lib/**","app/**","crates/*/src/**","packages/*/src/**"],"except":{"commits":"^(build|chore|ci|docs|refactor|style|test)[(:]"}}"#,
    },
    Template {
        id: "norm.pr.says_why",
        kind: Type::PrExpectation,
        title: "The reason is written down",
        rule: "Explain in the body of the message why a feature or a fix is needed; the diff shows only what it does.",
        examples: &[
            "fix: wait for the lock\n\nTwo writers could both see an empty queue, and one entry was lost.",
        ],
        exceptions: &["Commits of other types, whose subject is reason enough."],
        tiers: &[],
        check: r#"{"kind":"mechanical","check":"commit_message","pattern":"(?s)\\n\\n.*\\S.{18,}\\S","except":{"commits":"^(build|chore|ci|docs|refactor|revert|style|test)[(:!]|^Revert \""}}"#,
    },
    Template {
        id: "norm.pr.second_reader",
        kind: Type::PrExpectation,
        title: "A second person reads risky changes",
        rule: "Have a person who did not write it read a risky change as a whole before it is merged.",
        examples: &["Bo reads the migration that Ada wrote, and says so"],
        exceptions: &["Changes of tier low or medium."],
        tiers: &[Tier::High, Tier::Critical],
        check: r#"{"kind":"attested","another":true,"on":"merge"}"#,
    },
    Template {
        id: "norm.user.done",
        kind: Type::UserExpectation,
        title: "What done means",
        rule: "Call a piece of work done once it was tried the way its user will use it, its documentation is true, and nothing of it is left for later.",
        examples: &["The command was run on a fresh clone, and its page in the manual was read again"],
        exceptions: &[],
        tiers: &[],
        check: r#"{"kind":"attested","on":"release"}"#,
    },
    Template {
        id: "norm.risk.hard_to_undo",
        kind: Type::RiskTier,
        title: "Hard to undo",
        rule: "Treat a change as high risk if it moves data, decides who may do what, or changes how the project is built and released.",
        examples: &[
            "migrations/0007_split_names.sql",
            "src/auth/session.rs",
            ".github/workflows/release.yml",
        ],
        exceptions: &["Documentation that lies beside such files."],
        tiers: &[],
        check: r#"{"kind":"tier","tier":"high","paths":["**/migrations/**","**/{auth,authn,authz,permissions,crypto}/**","**/{auth,login,session,permissions}.*",".github/workflows/**",".gitlab-ci.yml","Jenkinsfile","**/Dockerfile"],"content":"(?i)\\b(drop|truncate|alter)\\s+table\\b","except":{"paths":["**/*.md"]}}"#,
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::rc::Rc;

    use ken_core::ids::GivenId;
    use ken_core::norm::Occasion;
    use ken_core::norm::change::{Change, Changed, Commit, What};
    use ken_core::schema;
    use ken_engine::norms::{Norm, Ran, Tree, Verdict, judge, tier};

    use super::*;

    #[test]
    fn ent_3_every_template_is_a_valid_entry() {
        let all = templates();
        assert!((9..=10).contains(&all.len()));
        let ids: BTreeSet<&str> = all.iter().map(|template| template.id).collect();
        assert_eq!(ids.len(), all.len());
        for template in all {
            let faults = ken_engine::norms::faults(template.kind, Some(&template.enforcement()));
            assert!(faults.is_empty(), "{}: {faults:?}", template.id);
            let fields = schema::read_content(template.kind, template.content());
            assert!(fields.is_ok(), "{}: {fields:?}", template.id);
            assert!(GivenId::parse(template.id).is_ok(), "{}", template.id);
            assert!(template.rule.ends_with('.') && !template.examples.is_empty(), "{}", template.id);
        }
    }

    #[test]
    fn no_two_templates_say_opposite_things() {
        let words = |text: &str| -> BTreeSet<String> {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
            words.map(str::to_lowercase).collect()
        };
        let denies =
            |rule: &str| [" not ", "never ", "no ", "out of "].iter().any(|word| rule.contains(word));
        for (index, one) in templates().iter().enumerate() {
            for other in &templates()[index + 1..] {
                let (a, b) = (words(one.rule), words(other.rule));
                let shared: BTreeSet<&String> = a.intersection(&b).collect();
                let is_near = shared.len() * 4 >= a.len().min(b.len());
                // What speaks of the same subject has to speak the same way.
                assert!(
                    !is_near || denies(one.rule) == denies(other.rule),
                    "{} and {}: {shared:?}",
                    one.id,
                    other.id
                );
            }
        }
    }

    struct Nothing;

    impl Tree for Nothing {
        fn has(&mut self, _: &str) -> Result<bool, String> {
            Ok(false)
        }
        fn files(&mut self) -> Result<Rc<[String]>, String> {
            Ok(Rc::new([]))
        }
        fn text(&mut self, _: &str) -> Result<Option<String>, String> {
            Ok(None)
        }
        fn run(&mut self, _: &[String]) -> Ran {
            Ran::NotRun("nothing is run".to_owned())
        }
    }

    fn change(message: &str, files: &[(&str, &str)]) -> Change {
        let (subject, body) = message.split_once("\n\n").unwrap_or((message, ""));
        let commit =
            Commit { hash: "1".repeat(40), subject: subject.into(), body: body.into(), ..Commit::default() };
        let files = files.iter().map(|(path, line)| Changed::text(path, What::Modified, &[(1, line)], 0));
        Change::new(vec![commit], files.collect())
    }

    // `ken commit` broke two of our own examples.
    #[test]
    fn gat_3_a_commit_of_knowledge_keeps_to_every_template() {
        let norms: Vec<Norm> = templates()
            .iter()
            .map(|template| Norm::read(template.id, template.kind, Some(&template.enforcement())).unwrap())
            .collect();
        let mut change = change(COMMIT_MESSAGE, &[(".kenning/procedural/commit_norm.jsonl", "{}")]);
        change.files.iter_mut().for_each(|file| file.is_stores = true);
        let risk = tier(&change, &norms, Occasion::Merge).tier;
        assert_eq!(risk, Tier::Low);
        for norm in &norms {
            let judged = judge(norm, &change, &mut Nothing, Occasion::Merge, risk);
            assert!(!judged.verdict.blocks(), "{}: {judged:?}", norm.id);
        }
    }

    #[test]
    fn gat_3_each_template_lets_something_through_and_stops_something() {
        let quiet = "docs: x";
        // Put together here, so that no scanner takes the test for a leak.
        let key = format!("password = \"{}\"", "correct-horse-battery");
        let table: &[(&str, Change, Change)] = &[
            ("norm.commit.conventional", change("feat: x", &[]), change("Added some x", &[])),
            (
                "norm.commit.one_purpose",
                change("fix: the miscount", &[]),
                change("fix: the count and also the page", &[]),
            ),
            (
                "norm.commit.no_secrets",
                change(
                    quiet,
                    &[
                        ("a.py", "password = os.environ[\"PASSWORD\"]"),
                        ("b.py", "token = \"$TOKEN_FROM_CI\""),
                    ],
                ),
                change(quiet, &[("a.py", &key)]),
            ),
            (
                "norm.commit.vendored",
                change("chore(deps): vendor x", &[("vendor/x.c", "y")]),
                change("fix: x", &[("vendor/x.c", "y")]),
            ),
            (
                "norm.pr.tests_with_code",
                change("fix: x", &[("src/a.rs", "y"), ("tests/a.rs", "z")]),
                change("fix: x", &[("src/a.rs", "y")]),
            ),
            (
                "norm.pr.changelog",
                change("fix: x", &[("src/a.rs", "y"), ("CHANGELOG.md", "z")]),
                change("fix: x", &[("src/a.rs", "y"), ("docs/a.md", "z")]),
            ),
            (
                "norm.pr.says_why",
                change("fix: x\n\nTwo writers could both see an empty queue.", &[]),
                change("fix: x\n\nbug", &[]),
            ),
            (
                "norm.pr.second_reader",
                change(quiet, &[("README.md", "x")]),
                change(quiet, &[("db/migrations/1.sql", "x")]),
            ),
            ("norm.user.done", change("Revert \"x\"", &[]), change(quiet, &[("a", "x")])),
            (
                "norm.risk.hard_to_undo",
                change(quiet, &[("migrations/README.md", "x"), ("src/author.rs", "y")]),
                change(quiet, &[("migrations/1.sql", "x")]),
            ),
        ];
        let norms: Vec<Norm> = templates()
            .iter()
            .map(|template| Norm::read(template.id, template.kind, Some(&template.enforcement())).unwrap())
            .collect();
        assert_eq!(table.len(), norms.len());
        for (id, kept, broken) in table {
            let norm = norms.iter().find(|norm| norm.id == *id).unwrap();
            let judged = |change: &Change, occasion| {
                let risk = tier(change, &norms, occasion).tier;
                (risk, judge(norm, change, &mut Nothing, occasion, risk).verdict)
            };
            // What done means is asked at a release, and a merge passes it by.
            let late = if *id == "norm.user.done" { Occasion::Release } else { Occasion::Merge };
            let (low, kept) = judged(kept, Occasion::Merge);
            let (high, broken) = judged(broken, late);
            if *id == "norm.risk.hard_to_undo" {
                assert_eq!((low, high), (Tier::Low, Tier::High));
                continue;
            }
            assert!(!kept.blocks(), "{id}: {kept:?}");
            assert!(matches!(broken, Verdict::Failed { .. } | Verdict::Missing { .. }), "{id}: {broken:?}");
        }
    }
}
