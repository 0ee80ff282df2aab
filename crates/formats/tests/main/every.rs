//! What is asked of all formats alike: the promises for every file of every one of them, and which files are whose.

use ken_formats::ALL;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::promises::{self, Entry, ODD, format, read};

/// Where our own files of each format would lie: a word, a folder of samples, what goes before their paths.
const SAMPLES: &[(&str, &str, &str)] = &[
    ("flux-drive", "flux-drive", "config/flux-drive/knowledge/"),
    ("wfc", "wfc", "wfc/"),
    ("wfc-solutions", "wfc-solutions", "docs/solutions/"),
    ("gsd", "gsd/native", ".planning/knowledge/"),
    ("gsd", "gsd/few", ""),
    ("gsd", "gsd/odd", ""),
    ("decapod", "decapod/seed", ".decapod/knowledge/"),
    ("decapod", "decapod/data", ".decapod/data/"),
    ("formicos", "formicos", "export/"),
    ("okf", "okf", "bundle/"),
    ("agents-md", "agents_md", ""),
    ("server-memory", "server_memory", ""),
    ("basic-memory", "basic_memory", "notes/"),
    ("mem0", "mem0", "export/"),
    ("adr", "adr", "docs/adr/"),
];

/// Whether a sample is a file of its system: some are about the samples, and two say nothing that would tell whose they are.
fn is_own(folder: &str, path: &str) -> bool {
    !path.contains("README")
        && !path.ends_with("signals/demo/bare.md")
        && (folder, path) != ("okf", "index.md")
}

/// Every file there is: whose it is, its path, its text.
fn files() -> Vec<(&'static str, String, String)> {
    let mut files: Vec<_> =
        FILES.iter().map(|(word, path, text)| (*word, (*path).to_owned(), (*text).to_owned())).collect();
    for (word, folder, above) in SAMPLES {
        let samples = promises::samples(folder).into_iter().filter(|(path, _)| is_own(folder, path));
        files.extend(samples.map(|(path, text)| (*word, format!("{above}{path}"), text)));
    }
    files
}

#[test]
fn every_file_is_claimed_by_its_own_format_alone() {
    let mut fights = Vec::new();
    for (word, path, text) in files() {
        let beginning: String = text.chars().take(4096).collect();
        for format in ALL {
            let claim = format.claims(&path, &beginning);
            let is_right = if format.word() == word { claim >= 80 } else { claim <= 40 };
            if !is_right {
                fights.push(format!("{path} of {word}: {} claims it by {claim}", format.word()));
            }
        }
    }
    assert!(fights.is_empty(), "{}", fights.join("\n"));
}

#[test]
fn real_files_are_left_to_their_own_format_and_read_without_harm() {
    let corpora =
        [("flux-drive", &["flux-drive"][..]), ("gsd", &["gsd"]), ("wfc", &["wfc", "wfc-solutions"])];
    for (folder, own) in corpora {
        for (number, (path, text)) in promises::corpus(folder).into_iter().enumerate() {
            let path = format!("{folder}/{path}");
            for format in ALL.iter().filter(|format| !own.contains(&format.word())) {
                let claim = format.claims(&path, &text);
                assert!(claim <= 40, "{} claims {path} by {claim}", format.word());
                // Each paragraph of such a file is digested, which takes its time; every tenth file is enough.
                if format.word() != "agents-md" || number % 10 == 0 {
                    read(*format, &path, &text);
                }
            }
        }
    }
}

// DOO-6: whatever a file is, whoever reads it, nothing of it is lost.
#[test]
fn every_format_keeps_every_file() {
    for format in ALL {
        for (_, path, text) in files() {
            read(*format, &path, &text);
            read(*format, &path, &text.replace("\r\n", "\n").replace('\n', "\r\n"));
            read(*format, &path, &format!("\u{feff}{}", text.trim_end()));
        }
        for text in ODD {
            for (_, path) in PATHS {
                read(*format, path, text);
            }
        }
    }
}

// STO-9: what an entry does not tell stays in the file, whatever else of the entry changes.
#[test]
fn what_is_not_told_stays_where_it_is() {
    let table = [
        (
            "flux-drive",
            "a.md",
            "---\nlastConfirmed: 2026-02-10\nprovenance: primed\ncwd: /home/ada/x\n---\nIt is so.\n",
        ),
        (
            "wfc-solutions",
            "docs/solutions/a.md",
            "---\ntitle: T\nroot_cause: It is so.\ncwd: /home/ada/x\n---\n\n## Problem\n",
        ),
        (
            "gsd",
            "signals/shop/a.md",
            "---\nid: sig-2026-01-01-a\ntype: signal\ncwd: /home/ada/x\n---\n\nIt is so.\n",
        ),
        ("okf", "a.md", "---\ntype: Lesson\ntitle: T\ncwd: /home/ada/x\n---\n\nIt is so.\n"),
        ("basic-memory", "a.md", "---\ntitle: T\npermalink: a\ncwd: /home/ada/x\n---\n\nIt is so.\n"),
        (
            "adr",
            "docs/adr/0001-a.md",
            "---\ncwd: /home/ada/x\n---\n# 1. T\n\n## Status\n\nAccepted\n\n## Decision\n\nIt is so.\n",
        ),
        (
            "server-memory",
            "memory.jsonl",
            "{\"type\":\"entity\",\"name\":\"a\",\"entityType\":\"b\",\"observations\":[\"It is so.\",\"in /home/ada/x\"],\"cwd\":\"/home/ada/x\"}\n",
        ),
        (
            "mem0",
            "mem0.json",
            "{\"results\": [{\"id\": \"1\", \"memory\": \"It is so.\", \"cwd\": \"/home/ada/x\", \"metadata\": {\"at\": \"/home/ada/x\"}}]}",
        ),
        (
            "decapod",
            ".decapod/knowledge/semantic/v1/lessons/l.jsonl",
            "{\"id\":\"l\",\"schema_version\":\"1.0.0\",\"type\":\"lesson\",\"statement\":\"It is so.\",\"attributes\":{\"cwd\":\"/home/ada/x\"}}\n",
        ),
    ];
    for (word, path, text) in table {
        let document = read(format(word), path, text);
        let item = document.items().next().unwrap_or_else(|| panic!("{word}: {:?}", document.notes));
        let mut content = item.content.clone();
        let told = content["attributes"].to_string();
        assert!(told.contains("[path]"), "{word}: {told}");
        content["attributes"]["mood"] = json!("calm");
        let entry = Entry::new(item.kind, Value::Object(content));
        let done = promises::rewrite(format(word), path, item, &entry.out(&["attributes"]));
        let new = done.text.unwrap();
        assert!(new.contains("/home/ada/x") && !new.contains("[path]"), "{word} tells its file:\n{new}");
    }
}

/// A path that each format would read.
const PATHS: &[(&str, &str)] = &[
    ("flux-drive", "config/flux-drive/knowledge/a.md"),
    ("wfc", "reviewers/security/KNOWLEDGE.md"),
    ("wfc", "reviewers/security/KNOWLEDGE-ARCHIVE.md"),
    ("wfc-solutions", "docs/solutions/logic-errors/a.md"),
    ("gsd", "signals/shop/a.md"),
    ("gsd", "spikes/shop/a.md"),
    ("gsd", "lessons/testing/a.md"),
    ("gsd", "reflections/shop/a.md"),
    ("decapod", ".decapod/knowledge/semantic/v1/lessons/a.jsonl"),
    ("decapod", ".decapod/knowledge/episodic/v1/friction_ledger.jsonl"),
    ("decapod", ".decapod/data/federation.events.jsonl"),
    ("decapod", ".decapod/data/knowledge.db.jsonl"),
    ("formicos", "export/events.jsonl"),
    ("okf", "lessons/a.md"),
    ("agents-md", "AGENTS.md"),
    ("server-memory", "memory.jsonl"),
    ("basic-memory", "notes/a.md"),
    ("mem0", "mem0.json"),
    ("adr", "docs/adr/0001-a.md"),
];

/// What files are made of, and what breaks them.
fn piece() -> impl Strategy<Value = String> {
    let said = vec![
        "---\n",
        "---\r\n",
        "\n",
        "\r\n",
        "\r",
        "\u{feff}",
        "\0",
        "# Title\n",
        "## Status\n",
        "## Decision\n",
        "## Patterns Found\n",
        "## Lesson\n",
        "type: lesson\n",
        "type: signal\n",
        "id: sig-2026-01-01-a\n",
        "title: T\n",
        "title: \"a\\0b\"\n",
        "tags: [a, B c, \"/home/ada\"]\n",
        "tags:\n  - [x]\n",
        "lastConfirmed: 2026-02-30\n",
        "provenance: primed\n",
        "permalink: a/b\n",
        "severity: high\n",
        "severity: 11\n",
        "durability: stable\n",
        "root_cause: |\n  a\n  b\n",
        "x: &a [*a]\n",
        "x: {y: {z: [1, {w: ~}]}}\n",
        "status: superseded\n",
        "verification: [a, b, c, d]\n",
        "Evidence: `src/a.rs:1`, commit:abc1234\n",
        "Verify: (1) a (2) b (3) c (4) d\n",
        "- [2026-02-11] Fact. (Source: pr #12)\n",
        "- [x] `a` (b)\n",
        "- relates_to [[Other]]\n",
        "- Always run `make`.\n",
        "```\n",
        "~~~\n",
        "<!-- BEGIN KENNING -->\n",
        "Words in /home/ada/x and C:\\Users\\ada.\n",
        "One. Two. Three. Four.\n",
        "{\"type\":\"entity\",\"name\":\"a\",\"observations\":[\"b\",1]}\n",
        "{\"id\":\"a\",\"type\":\"lesson\",\"statement\":\"b\"}\n",
        "{\"type\":\"MemoryEntryCreated\",\"entry\":{\"id\":\"m\",\"content\":\"c\"}}\n",
        "{\"event_type\":\"node.create\",\"node_id\":\"F_1\",\"payload\":{\"title\":\"t\"}}\n",
        "{\"results\":[{\"id\":\"1\",\"memory\":\"m\",\"x\":null}]}",
        "{\"id\":",
        "\u{85}",
        "\u{2028}",
        "é",
    ];
    prop_oneof![
        12 => prop::sample::select(said).prop_map(str::to_owned),
        2 => any::<String>(),
        1 => ("[a-z`. ]{1,9}", 200..2000usize).prop_map(|(words, times)| words.repeat(times)),
        1 => (0..3usize, 10..300usize).prop_map(|(kind, depth)| match kind {
            0 => format!("x: {}{}\n", "[".repeat(depth), "]".repeat(depth)),
            1 => format!("{{\"id\":\"d\",\"memory\":\"m\",\"statement\":\"s\",\"x\":{}1{}}}\n", "{\"y\":[".repeat(depth), "]}".repeat(depth)),
            _ => (0..depth.min(60)).map(|level| format!("{}- a{level}:\n", "  ".repeat(level))).collect(),
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_kept_by_every_format(
        pieces in prop::collection::vec(piece(), 0..12),
        (word, path) in prop::sample::select(PATHS.to_vec()),
        is_fronted in any::<bool>(),
    ) {
        let text = pieces.concat();
        let text = if is_fronted { format!("---\n{}", text.replacen("---\n", "", 1).replacen("\n#", "\n---\n#", 1)) } else { text };
        let head: String = text.chars().take(4096).collect();
        read(format(word), path, &text);
        for format in ALL {
            format.claims(path, &head);
        }
        for (word, path) in PATHS {
            prop_assert_eq!(&format(word).read(path, &text).text(), &text);
        }
    }
}

/// A file of each format, as its own system would write it.
const FILES: &[(&str, &str, &str)] = &[
    (
        "flux-drive",
        "config/knowledge/retry.md",
        "---\nlastConfirmed: 2026-02-10\nprovenance: independent\n---\nRetry with jitter.\n\nEvidence: src/a.rs:4\nVerify: grep it\n",
    ),
    (
        "wfc",
        "reviewers/security/KNOWLEDGE.md",
        "# KNOWLEDGE.md -- security\n\n## Patterns Found\n\n- [2026-02-11] Retry with jitter. (Source: r1)\n",
    ),
    (
        "wfc-solutions",
        "docs/solutions/performance/slow.md",
        "---\ntitle: Slow start\ncomponent: core\ntags: [a]\ncategory: performance-issues\ndate: 2026-02-11\nseverity: high\n---\n\n# Slow start\n\n## Problem\n\nIt is slow.\n\n## Root Cause\n\nA loop.\n",
    ),
    (
        "gsd",
        "signals/shop/sig-2026-02-11-retry.md",
        "---\nid: sig-2026-02-11-retry\ntype: signal\nproject: shop\ntags: [a, b]\ncreated: 2026-02-11T09:00:00Z\nstatus: active\nseverity: notable\n---\n\n## What Happened\n\nIt retried.\n",
    ),
    (
        "gsd",
        "index.md",
        "# Knowledge Store Index\n\n**Generated:** 2026-02-11\n\n## Signals (1)\n\n| ID | Project |\n|---|---|\n| sig-1 | shop |\n",
    ),
    (
        "decapod",
        "knowledge/lesson.lesson.net.retry.jsonl",
        "{\"id\":\"lesson.net.retry\",\"provenance\":[],\"schema_version\":\"1.0.0\",\"type\":\"lesson\"}\n",
    ),
    (
        "formicos",
        "events.jsonl",
        "{\"seq\":1,\"type\":\"MemoryEntryCreated\",\"timestamp\":\"2026-02-11T09:00:00Z\",\"entry\":{\"id\":\"mem-1\",\"conf_alpha\":5.0}}\n",
    ),
    (
        "okf",
        "metrics/revenue.md",
        "---\ntype: Metric\ntitle: Revenue\ndescription: What came in.\ngenerated: {by: human:ada, at: 2026-02-11T09:00:00Z}\n---\n\nThe sum of all payments.\n",
    ),
    ("agents-md", "CLAUDE.md", "# Shop\n\n- Always run the tests.\n"),
    (
        "server-memory",
        "memory.jsonl",
        "{\"type\":\"entity\",\"name\":\"a\",\"entityType\":\"b\",\"observations\":[\"c\"]}\n",
    ),
    (
        "basic-memory",
        "notes/coffee.md",
        "---\ntitle: Coffee\ntype: note\npermalink: notes/coffee\n---\n\n# Coffee\n\n- [taste] It is good #warm\n- relates_to [[Tea]]\n",
    ),
    (
        "mem0",
        "mem0.json",
        "{\"results\": [{\"id\": \"1\", \"memory\": \"Likes tea\", \"user_id\": \"ada\", \"metadata\": null}]}",
    ),
    (
        "adr",
        "docs/adr/0001-retry.md",
        "# 1. Retry\n\nDate: 2026-02-11\n\n## Status\n\nAccepted\n\n## Context\n\nIt fails.\n\n## Decision\n\nWe retry.\n\n## Consequences\n\nMore calls.\n",
    ),
    ("none", "README.md", "# Shop\n\nA shop. See [the docs](docs/x.md).\n"),
    ("none", "package.json", "{\"name\": \"shop\", \"version\": \"1.0.0\"}\n"),
    ("none", ".claude/skills/x/SKILL.md", "---\nname: x\ndescription: y\n---\n\n# X\n"),
];
