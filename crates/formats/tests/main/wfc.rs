//! WFC's KNOWLEDGE.md (DOO-6, 7.2): a line to an entry, and every other byte as it was.

use std::collections::BTreeSet;

use expect_test::expect;
use ken_core::Millis;
use ken_core::kinds::{Status, Type};
use ken_formats::plain::plain;
use ken_formats::{Format, Standing, StoreFacts, named};
use proptest::prelude::*;
use serde_json::json;

use crate::promises::{Entry, corpus, differ_in, path_for, read, replaced, rewrite, store_facts};

const SAMPLE: &str = include_str!("../samples/wfc/reviewers/security/KNOWLEDGE.md");
const PATH: &str = "reviewers/security/KNOWLEDGE.md";

fn wfc() -> &'static dyn Format {
    named("wfc").unwrap()
}

#[test]
fn a_line_is_an_entry_of_its_section() {
    let document = read(wfc(), PATH, SAMPLE);
    let first = document.items().next().unwrap();
    expect![[r#"
        {
          "anchors": [
            "src/run.rs"
          ],
          "attributes": {
            "dev": "mira",
            "source": "PR #12"
          },
          "reviewer": "security",
          "statement": "Shell commands are built in `src/run.rs` from user input -- quote them"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&first.content).unwrap());
    assert_eq!(first.evidence, ["pr:12"]);
    assert_eq!(first.stated.unwrap().date(), "2026-02-16");

    let lines: Vec<String> = document
        .items()
        .map(|item| {
            let subtype = item.content.get("subtype").and_then(|word| word.as_str()).unwrap_or("-");
            format!("{} {subtype} {} {:?}", item.kind, item.content["statement"], item.evidence)
        })
        .collect();
    expect![[r###"
        pattern - "Shell commands are built in `src/run.rs` from user input -- quote them" ["pr:12"]
        pattern - "Shell commands" []
        pattern - "## is kept" []
        pattern - "no date here, Source unknown" []
        false_positive - "eval() in security.json -> a pattern, not a call" []
        experience convention "Never log tokens" ["doc:docs/rules.md"]
        experience convention "Never log tokens" ["doc:docs/rules.md"]
        experience learning "Hooks run in [path]" []"###]]
    .assert_eq(&lines.join("\n"));
    expect![[r#"
        line 7: 2026-02-30 is not a date
        line 8: has no date; WFC itself does not read it
        line 13: is no entry; it is kept unchanged
        line 17: WFC has no section of this name; its lines are kept unchanged"#]]
    .assert_eq(&document.notes.join("\n"));
}

// The name is what WFC's own index calls the line, worked out with Python's hashlib.
#[test]
fn a_name_is_the_one_of_its_index() {
    let text = "## Patterns Found\n- [2026-02-16] Shell  commands (Source: initial-seed)\n";
    let document = read(wfc(), PATH, text);
    assert_eq!(document.items().next().unwrap().name, "8e5d173236bb5d00");
}

// Trap 11: WFC refuses a fact whose words are part of another line, or of a header.
#[test]
fn a_fact_within_another_is_a_fact_of_its_own() {
    let document = read(wfc(), PATH, SAMPLE);
    let names: Vec<&str> = document.items().map(|item| item.name.as_str()).collect();
    assert_ne!(names[0], names[1]);
    assert_eq!(names[6], format!("{}-2", names[5]), "a line that comes twice is two items");
    let entry = Entry::new(Type::Pattern, json!({"statement": "Patterns Found", "reviewer": "security"}));
    let more = wfc().insert(PATH, Some(SAMPLE), &entry.out(&[]));
    assert_eq!(read(wfc(), PATH, &more).items().count(), 9);
}

// Trap 12: WFC's index keeps lines that are gone. What a file does not say is no item.
#[test]
fn a_line_that_is_gone_is_gone() {
    let line = "- [2026-02-16] Shell commands (Source: initial-seed)\n";
    let before = read(wfc(), PATH, SAMPLE);
    let after = read(wfc(), PATH, &SAMPLE.replace(line, ""));
    let name = &before.items().nth(1).unwrap().name;
    assert!(after.items().all(|item| item.name != *name));
    assert_eq!(after.items().count(), before.items().count() - 1);
}

// Trap 16: WFC's archive forgets the section. The entry's type remembers it, and the line finds its way back.
#[test]
fn an_archived_line_keeps_its_section_in_the_entry() {
    let document = read(wfc(), PATH, SAMPLE);
    let item = document.items().nth(4).unwrap();
    let mut entry = Entry::of(item);
    entry.status = Status::Archived;
    let away = rewrite(wfc(), PATH, item, &entry.out(&["status"]));
    assert_eq!((away.text.as_deref(), away.unsaid.len()), (None, 0));
    let added = &away.appended[0];
    assert_eq!(added.path, "reviewers/security/KNOWLEDGE-ARCHIVE.md");
    assert_eq!(added.text, item.text);
    let archive = format!("{}{}", added.header, added.text);
    let put = read(wfc(), &added.path, &archive);
    let there = put.items().next().unwrap();
    assert!(matches!(there.standing, Standing::Archived(_)));
    assert_eq!(there.kind, Type::Experience);

    entry.status = Status::Active;
    let back = rewrite(wfc(), &added.path, there, &entry.out(&["status"]));
    assert_eq!(back.text, None);
    let home = format!("{}{}", SAMPLE.replace(&item.text, ""), back.appended[0].text);
    let home = read(wfc(), &back.appended[0].path, &home);
    let home = home.items().last().unwrap();
    assert_eq!((home.kind, &home.content), (item.kind, &item.content));
    assert_eq!(home.name, item.name);
}

#[test]
fn a_status_is_said_where_wfc_has_a_place_for_it() {
    let document = read(wfc(), PATH, SAMPLE);
    let item = document.items().next().unwrap();
    let cases = [
        (Status::Candidate, true, 0, ""),
        (Status::Active, true, 0, ""),
        (Status::Verified, true, 0, ""),
        (Status::Rejected, true, 0, "status"),
        (Status::Stale, true, 0, "status"),
        (Status::Archived, false, 1, ""),
        (Status::Retracted, false, 0, ""),
        (Status::Superseded, false, 1, ""),
    ];
    for (status, stays, appended, unsaid) in cases {
        let mut entry = Entry::of(item);
        entry.status = status;
        let done = rewrite(wfc(), PATH, item, &entry.out(&["status"]));
        assert_eq!((done.text.is_some(), done.appended.len()), (stays, appended), "{status}");
        assert_eq!(done.unsaid.join(" "), unsaid, "{status}");
    }
}

#[test]
fn a_change_touches_its_words() {
    let document = read(wfc(), PATH, SAMPLE);
    let cases = [
        (
            0,
            "statement",
            json!("Quote\nshell words"),
            "- [2026-02-16] Quote shell words (Source: PR #12, Dev: mira)\n",
        ),
        (2, "statement", json!("- [x] done"), "-   [2026-02-30]   \\- [x] done   (Source: a (b) c)  \n"),
        (3, "statement", json!("[2026-01-01] x (Source: y)"), "- \\[2026-01-01] x (source: y)\n"),
        (
            1,
            "attributes",
            json!({"source": "audit", "dev": "jo"}),
            "- [2026-02-16] Shell commands (Source: audit, Dev: jo)\n",
        ),
        (1, "attributes", json!({}), "- [2026-02-16] Shell commands\n"),
    ];
    for (at, field, value, line) in cases {
        let item = document.items().nth(at).unwrap();
        let mut content = item.content.clone();
        content.insert(field.to_owned(), value);
        let entry = Entry::new(item.kind, content.into());
        let done = rewrite(wfc(), PATH, item, &entry.out(&[field]));
        assert_eq!(done.text.as_deref(), Some(line));
        assert!(done.unsaid.is_empty());
    }
    let item = document.items().next().unwrap();
    let mut entry = Entry::of(item);
    entry.fields.statement = Some("word ".repeat(120));
    let done = rewrite(wfc(), PATH, item, &entry.out(&["statement", "tags"]));
    assert_eq!(done.unsaid, ["tags", "statement"], "what is cut off is not said");
    assert!(done.text.unwrap().chars().count() < 560);
}

// ENT-3: what is longer than a field may be is cut in the entry, told, and whole in the file.
#[test]
fn what_is_too_long_is_told() {
    let long = "word ".repeat(60_000);
    for line in [format!("- [2026-02-16] {long}"), format!("- [2026-02-16] x (Source: {long}y)")] {
        assert!(!read(wfc(), PATH, &format!("## Patterns Found\n{line}\n")).notes.is_empty());
    }
}

#[test]
fn a_new_line_goes_where_it_belongs() {
    let of = |kind, subtype: Option<&str>| {
        Entry::new(kind, json!({"statement": "New fact", "subtype": subtype, "reviewer": "security"}))
            .citing("pr:7")
    };
    let line = "- [2026-03-02] New fact (Source: pr:7)\n";
    let pattern = Entry::new(Type::Pattern, json!({"statement": "New fact"})).citing("pr:7");
    let incident = Entry::new(Type::Incident, json!({"statement": "New fact"})).citing("pr:7");
    let cases = [
        (pattern, SAMPLE.replace("Source unknown\n", &format!("Source unknown\n{line}"))),
        (incident, SAMPLE.replace("Incidents Prevented\n", &format!("Incidents Prevented\n\n{line}"))),
        (of(Type::Experience, Some("learning")), format!("{SAMPLE}{line}")),
    ];
    for (entry, expected) in cases {
        assert_eq!(wfc().insert(PATH, Some(SAMPLE), &entry.out(&[])), expected);
    }
    let rule = of(Type::Experience, Some("convention"));
    let cases = [
        (
            "# KNOWLEDGE.md\n\n## Codebase Context\n",
            "# KNOWLEDGE.md\n\n## Repository-Specific Rules\n\nLINE\n## Codebase Context\n",
        ),
        (
            "## Patterns Found\n\n- [2026-01-01] x",
            "## Patterns Found\n\n- [2026-01-01] x\n\n## Repository-Specific Rules\n\nLINE",
        ),
        (
            "## Repository-Specific Rules\r\n- [2026-01-01] x",
            "## Repository-Specific Rules\r\n- [2026-01-01] x\r\nOPEN",
        ),
        ("## Repository-Specific Rules\nprose\n", "## Repository-Specific Rules\n\nLINE\nprose\n"),
    ];
    for (text, expected) in cases {
        let expected = expected.replace("LINE", line).replace("OPEN", line.trim_end());
        assert_eq!(wfc().insert(PATH, Some(text), &rule.out(&[])), expected);
    }
    expect![[r##"
        # KNOWLEDGE.md -- Security Reviewer

        ## Patterns Found

        ## False Positives to Avoid

        ## Incidents Prevented

        ## Repository-Specific Rules

        - [2026-03-02] New fact (Source: pr:7)

        ## Codebase Context
    "##]]
    .assert_eq(&wfc().insert(PATH, None, &rule.out(&[])));
}

// WFC's folder for every project was nested in itself.
#[test]
fn in_the_folder_for_every_project_a_reviewer_lies_where_wfc_looks() {
    let entry =
        |scope| Entry::new(Type::Pattern, json!({"statement": "x", "reviewer": "security", "scope": scope}));
    let (global, project, paths) = (entry("global"), entry("project"), BTreeSet::new());
    for (folder, is_global, entry, path) in [
        ("/home/ada/.wfc", false, &global, Some("knowledge/global/reviewers/security/KNOWLEDGE.md")),
        ("~/.wfc/knowledge", false, &global, Some("global/reviewers/security/KNOWLEDGE.md")),
        ("~/.wfc/knowledge/global/reviewers/", false, &global, Some("security/KNOWLEDGE.md")),
        ("~/.wfc/elsewhere", false, &global, Some("security/KNOWLEDGE.md")),
        ("~/.wfc", false, &project, None),
        ("~/.wfc", true, &project, Some("knowledge/global/reviewers/security/KNOWLEDGE.md")),
        ("wfc", false, &global, Some("global/reviewers/security/KNOWLEDGE.md")),
        ("wfc/reviewers", false, &global, Some("security/KNOWLEDGE.md")),
        ("wfc", false, &project, Some("security/KNOWLEDGE.md")),
    ] {
        let known = StoreFacts { folder, is_global, ..store_facts(&paths, "shop", Millis(0)) };
        let found = wfc().path_for(&entry.out(&[]), &known);
        assert_eq!(found.as_deref(), path, "{folder}, {is_global}");
    }
}

// Trap 13: WFC writes to one folder and reads another. What is there is used.
#[test]
fn a_reviewer_has_one_folder() {
    let entry = |content| Entry::new(Type::Pattern, content);
    let security = entry(json!({"statement": "x", "reviewer": "Security"}));
    let there = ["wfc/references/reviewers/security/KNOWLEDGE.md", "wfc/reviewers/security/KNOWLEDGE.md"];
    assert_eq!(path_for(wfc(), &security, &there).as_deref(), Some(there[0]));
    assert_eq!(path_for(wfc(), &security, &[]).as_deref(), Some("security/KNOWLEDGE.md"));
    let beside = path_for(wfc(), &security, &["r/speed/KNOWLEDGE.md"]);
    assert_eq!(beside.as_deref(), Some("r/security/KNOWLEDGE.md"));
    assert_eq!(path_for(wfc(), &entry(json!({"statement": "x"})), &there), None, "no reviewer");
    let lesson = Entry::new(Type::Lesson, json!({"statement": "x", "reviewer": "security"}));
    assert_eq!(path_for(wfc(), &lesson, &there), None, "no section");
    let mut old = security.clone();
    old.status = Status::Archived;
    assert_eq!(path_for(wfc(), &old, &[]).as_deref(), Some("security/KNOWLEDGE-ARCHIVE.md"));
    let global = read(wfc(), "global/reviewers/security/KNOWLEDGE.md", SAMPLE);
    assert_eq!(global.items().next().unwrap().content["scope"], "global");
    let alone = read(wfc(), "KNOWLEDGE.md", SAMPLE);
    assert_eq!(alone.items().next().unwrap().content["reviewer"], "security", "from the title");
}

#[test]
fn the_corpus_comes_back_to_the_byte() {
    for (path, text) in corpus("wfc/reviewers") {
        let document = read(wfc(), &path, &text);
        let count = document.items().count();
        match path.as_str() {
            "security/KNOWLEDGE.md" | "reliability/KNOWLEDGE.md" => assert_eq!(count, 18),
            "performance/KNOWLEDGE.md" => assert_eq!(count, 16),
            _ => {}
        }
        if path.ends_with("/KNOWLEDGE.md") {
            assert!(wfc().claims(&path, &text) >= 80);
            assert_eq!(document.notes, [""; 0]);
        }
    }
}

fn a_line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("# KNOWLEDGE.md -- X".to_owned()),
        prop::sample::select(vec![
            "## Patterns Found",
            "## False Positives to Avoid",
            "## Incidents Prevented",
            "## Repository-Specific Rules",
            "## Codebase Context",
            "## Something else",
        ])
        .prop_map(str::to_owned),
        ("[ ]{0,2}", "[0-9]{4}-[0-9]{2}-[0-9]{2}", "\\PC{1,40}", prop::option::of("\\PC{1,12}")).prop_map(
            |(blank, date, fact, source)| {
                let source = source.map(|source| format!(" (Source: {source})")).unwrap_or_default();
                format!("{blank}- [{date}] {fact}{source}")
            }
        ),
        "- \\PC{0,20}",
        "\\PC{0,30}",
    ]
}

fn a_file() -> impl Strategy<Value = String> {
    let end = prop::sample::select(vec!["\n", "\r\n"]);
    (prop::collection::vec(a_line(), 0..12), end, any::<bool>()).prop_map(|(lines, end, closed)| {
        let text = format!("## Patterns Found{end}{}", lines.join(end));
        if closed { format!("{text}{end}") } else { text }
    })
}

/// Whether WFC and we write a text as it is.
fn is_plain(text: &str) -> bool {
    !text.contains("(Source:") && plain(text) == text
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_kept(text in "(?s).{0,300}", kept in any::<bool>()) {
        let text = if kept { format!("## Patterns Found\n- {text}") } else { text };
        read(wfc(), PATH, &text);
        read(wfc(), "KNOWLEDGE-ARCHIVE.md", &text);
        wfc().claims(PATH, &text);
    }

    #[test]
    fn any_change_is_that_change(text in a_file(), new in "[ -~é\n]{0,80}[a-z]", which in any::<prop::sample::Index>()) {
        let document = read(wfc(), PATH, &text);
        let items: Vec<_> = document.items().collect();
        prop_assume!(!items.is_empty() && is_plain(&new));
        let item = items[which.index(items.len())];
        let mut entry = Entry::of(item);
        entry.fields.statement = Some(new.clone());
        let done = rewrite(wfc(), PATH, item, &entry.out(&["statement"]));
        let after = read(wfc(), PATH, &replaced(&document, item, &done.text.unwrap()));
        let at = items.iter().position(|one| one.name == item.name).unwrap();
        let changed = after.items().nth(at).unwrap();
        differ_in(item, changed, &["statement", "anchors", "detail"]);
        let line = new.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(changed.content["statement"].as_str().unwrap(), line);
        prop_assert_eq!(after.items().count(), items.len());
    }

    #[test]
    fn a_new_entry_is_one_more(text in a_file(), new in "[ -~é]{0,80}[a-z]", kind in 0..5_usize) {
        prop_assume!(is_plain(&new));
        let (kind, subtype) = [
            (Type::Pattern, None),
            (Type::FalsePositive, None),
            (Type::Incident, None),
            (Type::Experience, Some("convention")),
            (Type::Experience, Some("learning")),
        ][kind];
        let mut content = json!({"statement": new});
        if let Some(subtype) = subtype {
            content["subtype"] = json!(subtype);
        }
        let entry = Entry::new(kind, content);
        let more = wfc().insert(PATH, Some(&text), &entry.out(&[]));
        let (before, after) = (read(wfc(), PATH, &text), read(wfc(), PATH, &more));
        prop_assert_eq!(after.items().count(), before.items().count() + 1);
        let all = |document: &ken_formats::Document| {
            let mut all: Vec<_> =
                document.items().map(|item| (item.kind, item.content["statement"].to_string())).collect();
            all.sort();
            all
        };
        let mut expected = all(&before);
        expected.push((kind, json!(new.trim()).to_string()));
        expected.sort();
        prop_assert_eq!(all(&after), expected);
    }
}
