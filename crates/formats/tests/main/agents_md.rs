//! Files of instructions for agents.

use expect_test::expect;
use ken_core::kinds::{Status, Type};
use proptest::prelude::*;
use serde_json::json;

use crate::promises::{self, Entry, ODD};

const WORD: &str = "agents-md";
const FILE: &str = include_str!("../samples/agents_md/CLAUDE.md");
const RULE: &str = include_str!("../samples/agents_md/rust.mdc");

#[test]
fn a_point_or_a_paragraph_is_an_entry() {
    let document = promises::read(promises::format(WORD), "CLAUDE.md", FILE);
    let said: String = document
        .items()
        .map(|item| {
            let words = item.content.get("rule").or(item.content.get("statement")).unwrap();
            let section = &item.content["attributes"]["section"];
            let detail = item.content.get("detail").map(|detail| format!(" + {detail}")).unwrap_or_default();
            format!("{} {section} {words}{detail}\n", item.kind)
        })
        .collect();
    expect![[r#"
        experience "Shop" "This is the shop's server. It keeps its state in `src/store/mod.rs`."
        commit_norm "Shop > Commits" "Commit messages must begin with the name of the crate."
        commit_norm "Shop > Commits" "Never commit to `main` directly."
        user_expectation "Shop > Code style" "Code style: Rules for Rust: Prefer `?` to `unwrap`. It keeps the reason."
        user_expectation "Shop > Code style" "Code style: Rules for Rust: The cache is filled lazily." + "- Only the first request waits.\n\n```rust\ncache.get(&key);\n```"
        experience "Shop > Code style" "Code style: crate: core; owner: Ada"
        user_expectation "Shop > Setext heading" "Setext heading: Ask before you add a dependency."
    "#]].assert_eq(&said);
    assert!(document.notes.is_empty());
    let document = promises::read(promises::format(WORD), ".cursor/rules/rust.mdc", RULE);
    let item = document.items().next().unwrap();
    assert_eq!(item.content["attributes"]["globs"], json!(["**/*.rs"]));
    assert_eq!(item.content["attributes"]["alwaysApply"], json!(false));
}

#[test]
fn what_kenning_wrote_is_not_read_back() {
    let text = "<!-- BEGIN KENNING full hash:12345678 -->\n## Knowledge of this project\n\n- Before you work, recall.\n<!-- END KENNING -->\n\n- Own point.\n";
    assert_eq!(promises::read(promises::format(WORD), "AGENTS.md", text).items().count(), 1);
}

#[test]
fn the_same_point_twice_has_two_names() {
    let document =
        promises::read(promises::format(WORD), "AGENTS.md", "- Be kind.\n- be  kind\n- Be quick.\n");
    let names: Vec<_> = document.items().map(|item| item.name.as_str()).collect();
    assert_eq!(names[1], format!("{}-2", names[0]));
    assert_ne!(names[0], names[2]);
}

#[test]
fn changes_keep_mark_and_indentation() {
    let text = "# A\r\n\r\n  * [ ] The cache is cold at start.\r\n    More words.\r\n\r\n    - below\r\n\r\nA paragraph\r\ngoes over lines.";
    let new = reworded(text, 0, "The cache is warm at start.");
    assert_eq!(
        new,
        text.replace("The cache is cold at start.\r\n    More words.", "The cache is warm at start.")
    );
    let new = promises::change(WORD, "AGENTS.md", text, 0, "detail", json!("Two.\n\nThree."));
    assert_eq!(new, text.replace("\r\n\r\n    - below", "\r\n\r\n    Two.\r\n\r\n    Three."));
    let new = reworded(text, 1, "Another one goes over one line.");
    assert_eq!(new, text.replace("A paragraph\r\ngoes over lines.", "Another one goes over one line."));
}

/// A file in which the words of one item are others, with what introduces it before them as an entry has it.
fn reworded(text: &str, which: usize, words: &str) -> String {
    let document = promises::read(promises::format(WORD), "AGENTS.md", text);
    let item = document.items().nth(which).unwrap();
    let lead = item.content.get("attributes").and_then(|all| all["lead"].as_str());
    let said = lead.map_or(words.to_owned(), |lead| format!("{lead}: {words}"));
    promises::change(WORD, "AGENTS.md", text, which, "statement", json!(said))
}

fn claims(path: &str, text: &str) -> String {
    let document = promises::read(promises::format(WORD), path, text);
    let said = document.items().map(|item| {
        let words = item.content.get("rule").or(item.content.get("statement")).unwrap();
        let detail = if item.content.contains_key("detail") { " + more" } else { "" };
        let enforcement =
            item.content.get("enforcement").map(|check| format!(" {check}")).unwrap_or_default();
        format!("{}{detail}{enforcement}\n", words.as_str().unwrap())
    });
    said.collect()
}

// COR-25: what introduces a rule goes with it, so that the entry stands alone.
#[test]
fn an_entry_says_what_introduces_it() {
    let text = r#"# Agents

Welcome to the shop!

- [Commands](#commands)
- [Testing](#testing)

## Commands

```sh
# Run from web/
npm run start   # local server
npm run build
```

```
src/
├── store   # keeps the state
└── web     # pages
```

## Testing

**Unit tests:**
- One file for each module
- Use the fake clock in `tests/clock.rs`

Before a release, check:

- the changelog
- the version
- open reports

When a test fails at random:

1. Run it again with `SEED=1`, and write down what it printed before it stopped in the report.
2. Do not mark it as ignored without a report that says who looks at it and until when they do.

Tests of the server start a database. Never share one between tests.
Fixtures live in `tests/data`. They are made by `make data`.

| Folder | Holds |
|---|---|
| `tests/e2e` | Tests with a browser |
| `tests/fuzz` | Targets for fuzzing |

**Note:**

## Never

- Pages with inline scripts
- Large files:
  - pictures above 1 MB
  - recordings
"#;
    expect![[r#"
        Commands: Run from web/: `npm run start` (local server)
        Commands: Run from web/: `npm run build`
        Commands: `src/store`: keeps the state
        Commands: `src/web`: pages
        Unit tests: One file for each module
        Use the fake clock in `tests/clock.rs`
        Unit tests: Before a release, check: the changelog; the version; open reports
        When a test fails at random: Run it again with `SEED=1`, and write down what it printed before it stopped in the report.
        When a test fails at random: Do not mark it as ignored without a report that says who looks at it and until when they do.
        Unit tests: Tests of the server start a database. Never share one between tests.
        Unit tests: Fixtures live in `tests/data`. They are made by `make data`.
        Unit tests: Folder: `tests/e2e`; Holds: Tests with a browser
        Unit tests: Folder: `tests/fuzz`; Holds: Targets for fuzzing
        Never: Pages with inline scripts
        Never: Large files: pictures above 1 MB; recordings
    "#]].assert_eq(&claims("AGENTS.md", text));
}

// COR-26: an enforcement is proposed with what it is about; nothing is in force before somebody approves the norm.
#[test]
fn rules_that_can_be_enforced_say_how() {
    let text = "# Shop\n\n- Use `pnpm`, never `npm`.\n- Do not edit `api.json` by hand, run `make api`.\n- Never modify files in `vendor/`.\n- Run `make lint` before you commit.\n- If you change `schema.sql`, run `make migrate`.\n- Keep functions short and names long.\n";
    expect![[r#"
        Use `pnpm`, never `npm`. {"check":"instead_of","instead":"pnpm","kind":"mechanical","rules":["command: npm"]}
        Do not edit `api.json` by hand, run `make api`. {"check":"actions","instead":"make api","kind":"mechanical","rules":["edit: web/**/api.json"]}
        Never modify files in `vendor/`. {"check":"protected_paths","forbid":["web/vendor/**"],"kind":"mechanical"}
        Run `make lint` before you commit. {"check":"before_commit","files":["web/**"],"kind":"mechanical","run":"make lint"}
        If you change `schema.sql`, run `make migrate`. {"check":"before_commit","files":["web/**/schema.sql"],"kind":"mechanical","run":"make migrate"}
        Keep functions short and names long.
    "#]].assert_eq(&claims("web/AGENTS.md", text));
}

// A claim that is made of more than its words is edited in its file; what does not count any more is taken out all the same.
#[test]
fn a_row_keeps_its_words_and_can_go() {
    let text = "| Folder | Holds |\n|---|---|\n| `a` | things |\n| `b` | other things |\n";
    let mut entry =
        Entry::of(promises::read(promises::format(WORD), "AGENTS.md", text).items().next().unwrap());
    entry.fields.statement = Some("Folder: `a`; Holds: nothing".to_owned());
    let (new, unsaid) = promises::rewritten(WORD, "AGENTS.md", text, 0, &entry, &["statement"]);
    assert_eq!((new.as_str(), unsaid), (text, vec!["statement".to_owned()]));
    entry.status = Status::Retracted;
    let (new, _) = promises::rewritten(WORD, "AGENTS.md", text, 0, &entry, &["status"]);
    assert_eq!(new, text.replace("| `a` | things |\n", ""));
}

// Whoever rewords an entry without its heading gets these words into the file, and no others.
#[test]
fn a_claim_is_written_without_what_introduces_it() {
    let text = "# Shop\n\n## Cache\n\nAt the start:\n\n- the disk is read in one go, and the rest waits for it\n- all of the pages are read one by one, when somebody asks\n";
    let new = reworded(text, 0, "the disk is not read before somebody asks for a page of it");
    assert!(new.contains("\n- the disk is not read before somebody asks for a page of it\n"), "{new}");
    let mut entry =
        Entry::of(promises::read(promises::format(WORD), "AGENTS.md", text).items().next().unwrap());
    entry.fields.statement = Some("Nothing is read at the start of the server.".to_owned());
    let (new, _) = promises::rewritten(WORD, "AGENTS.md", text, 0, &entry, &["statement"]);
    assert!(new.contains("\n- Nothing is read at the start of the server.\n"), "{new}");
}

// COR-1: a date that only dates a line is when it was stated. One that a sentence is about is words.
#[test]
fn a_line_is_as_old_as_its_date() {
    let dated = |text: &str| {
        let document = promises::read(promises::format(WORD), "AGENTS.md", text);
        let item = document.items().next().unwrap();
        let words = item.content.get("rule").or(item.content.get("statement")).unwrap();
        let day = item.stated.map(|at| at.date().to_string()).unwrap_or_default();
        let detail = item.content.get("detail").and_then(|detail| detail.as_str()).unwrap_or_default();
        (day, words.as_str().unwrap().to_owned(), detail.to_owned())
    };
    let table = [
        ("- 2026-02-03: The cache is cold.\n", "2026-02-03", "The cache is cold.", ""),
        ("- 2026-02-03 – The cache is cold.\n", "2026-02-03", "The cache is cold.", ""),
        ("* **2026-02-04** The cache is cold.\n", "2026-02-04", "The cache is cold.", ""),
        ("* **2026-02-04:** The cache is cold.\n", "2026-02-04", "The cache is cold.", ""),
        ("1. [2026-02-05] The cache is cold.\r\n", "2026-02-05", "The cache is cold.", ""),
        ("The cache is\ncold (2026-02-06).\n", "2026-02-06", "The cache is cold.", ""),
        ("- The cache is cold. (2026-02-06)\n", "2026-02-06", "The cache is cold.", ""),
        ("- One. Two. Three. (2026-02-06)\n  More.\n", "2026-02-06", "One. Two. Three.", "More."),
        ("- One. Two. Three. Four (2026-02-06).\n", "2026-02-06", "One. Two. Three.", "Four (2026-02-06)."),
        ("- The cache (2026-02-06) is cold.\n", "", "The cache (2026-02-06) is cold.", ""),
        ("- Since 2026-02-06 the cache is cold.\n", "", "Since 2026-02-06 the cache is cold.", ""),
        ("- **2026-02-06** is a holiday.\n", "", "**2026-02-06** is a holiday.", ""),
        ("- 2026-02-31: The cache is cold.\n", "", "2026-02-31: The cache is cold.", ""),
    ];
    for (text, day, words, detail) in table {
        assert_eq!(dated(text), (day.to_owned(), words.to_owned(), detail.to_owned()), "{text:?}");
    }
}

#[test]
fn a_new_claim_keeps_the_date_of_its_line() {
    let table = [
        ("- 2026-02-03: The cache is cold.\n", "The disk is slow.", "- 2026-02-03: The disk is slow.\n"),
        ("- The cache is cold (2026-02-06).\n", "The disk is slow.", "- The disk is slow (2026-02-06).\n"),
        ("- The cache is cold (2026-02-06).\n", "The disk is slow", "- The disk is slow (2026-02-06)\n"),
        ("- The cache is cold. (2026-02-06)\n", "The disk is slow.", "- The disk is slow. (2026-02-06)\n"),
    ];
    for (text, words, new) in table {
        assert_eq!(promises::change(WORD, "AGENTS.md", text, 0, "statement", json!(words)), new);
    }
    // An entry that was imported with the date in its words has it once all the same.
    for (text, words) in [
        ("- 2026-02-03: The cache is cold.\n", "2026-02-03: The disk is slow."),
        ("- The cache is cold (2026-02-06).\n", "The disk is slow (2026-02-06)."),
    ] {
        let mut entry =
            Entry::of(promises::read(promises::format(WORD), "AGENTS.md", text).items().next().unwrap());
        entry.fields.statement = Some(words.to_owned());
        let (new, _) = promises::rewritten(WORD, "AGENTS.md", text, 0, &entry, &["statement"]);
        assert_eq!(new, format!("- {words}\n"));
    }
}

#[test]
fn what_does_not_count_any_more_is_taken_out() {
    let text = "- The cache is cold.\n- The disk is slow.\n";
    let mut entry =
        Entry::of(promises::read(promises::format(WORD), "AGENTS.md", text).items().next().unwrap());
    entry.status = Status::Superseded;
    let (new, unsaid) = promises::rewritten(WORD, "AGENTS.md", text, 0, &entry, &["status", "tags"]);
    assert_eq!((new.as_str(), unsaid), ("- The disk is slow.\n", vec!["tags".to_owned()]));
    entry.status = Status::Rejected;
    let (new, unsaid) = promises::rewritten(WORD, "AGENTS.md", text, 0, &entry, &["status"]);
    assert_eq!((new.as_str(), unsaid), (text, vec!["status".to_owned()]));
}

#[test]
fn norms_and_conventions_have_a_section() {
    let norm = Entry::new(
        Type::CommitNorm,
        json!({"rule": "Commit messages begin with the crate.", "detail": "So:\n\n    core: fix it"}),
    );
    let lesson = Entry::new(Type::Lesson, json!({"statement": "x"}));
    assert_eq!(promises::path_for(promises::format(WORD), &norm, &[]).as_deref(), Some("AGENTS.md"));
    assert_eq!(
        promises::path_for(promises::format(WORD), &norm, &["CLAUDE.md"]).as_deref(),
        Some("CLAUDE.md")
    );
    assert_eq!(
        promises::path_for(promises::format(WORD), &norm, &["CLAUDE.md", "AGENTS.md"]).as_deref(),
        Some("AGENTS.md")
    );
    assert_eq!(promises::path_for(promises::format(WORD), &lesson, &[]), None);
    let first = promises::insert(WORD, "AGENTS.md", None, &norm);
    assert_eq!(
        first,
        "## Knowledge\n\n- Commit messages begin with the crate.\n\n  So:\n\n      core: fix it\n"
    );
    let other = Entry::new(Type::UserExpectation, json!({"rule": "Answers are short."}));
    let text = format!("# Shop\n\nWords.\n\n{first}\n## After\n\n- Last.\n");
    let new = promises::insert(WORD, "AGENTS.md", Some(&text), &other);
    assert_eq!(new, text.replace("fix it\n", "fix it\n- Answers are short.\n"));
    promises::insert(WORD, "AGENTS.md", Some(FILE), &other);
    promises::insert(WORD, "AGENTS.md", Some("```\nnever closed"), &other);
    promises::insert(WORD, "AGENTS.md", Some("## Knowledge"), &other);
}

fn instructions() -> impl Strategy<Value = String> {
    let line = "(# Head|## Knowledge|- the cache is cold|  - below it|    more of it|1\\. first thing|plain words|```|<!-- note -->|\\| a \\||@docs/x\\.md|---||The end:|> quoted)";
    (prop::collection::vec(line, 0..14), any::<bool>())
        .prop_map(|(lines, crlf)| lines.join(if crlf { "\r\n" } else { "\n" }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_kept(text in r"(?s)[a-z`<!>|*#:\x00\r\n -]{0,80}|.{0,200}") {
        promises::read(promises::format(WORD), "CLAUDE.md", &text);
    }

    #[test]
    fn any_instructions_can_change(text in instructions(), new in "the [a-z]{3,9} is [a-z]{3,9}") {
        let document = promises::read(promises::format(WORD), "CLAUDE.md", &text);
        for (which, item) in document.items().enumerate() {
            if item.content.contains_key("statement") && !item.name.starts_with("made.") {
                let lead = item.content.get("attributes").and_then(|all| all["lead"].as_str());
                let said = lead.map_or(new.clone(), |lead| format!("{lead}: {new}"));
                promises::change(WORD, "CLAUDE.md", &text, which, "statement", json!(said));
                let is_point = item.text.trim_start().starts_with(['-', '1']);
                if is_point && !item.content["statement"].as_str().unwrap().ends_with(':') {
                    promises::change(WORD, "CLAUDE.md", &text, which, "detail", json!("More.\n\n- a\n  - b"));
                }
            }
        }
        let entry = Entry::new(Type::CommitNorm, json!({"rule": new}));
        promises::insert(WORD, "CLAUDE.md", Some(&text), &entry);
    }
}

#[test]
fn odd_texts() {
    ODD.iter().for_each(|text| drop(promises::read(promises::format(WORD), "CLAUDE.md", text)));
}
