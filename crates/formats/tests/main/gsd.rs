//! The knowledge folder of GSD: read, written and indexed (DOO-6).

use std::collections::{BTreeMap, BTreeSet};

use expect_test::expect;
use ken_core::cluster::{self, Confidence, Severity};
use ken_core::kinds::{DecayClass, Polarity, Relation, SpikeOutcome};
use ken_core::schema::read_content;
use ken_core::words::normalise_tag;
use ken_core::{Fields, GivenId, Millis, Scope, Status, Tag, Type, TypeName};
use ken_formats::front::Front;
use ken_formats::{Document, Format, Item, Outgoing, Place, Role, Source, Standing};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::promises::{self, store_facts};

fn gsd() -> &'static dyn Format {
    ken_formats::named("gsd").unwrap()
}

fn samples(folder: &str) -> BTreeMap<String, String> {
    promises::samples(&format!("gsd/{folder}")).into_iter().collect()
}

fn sample(folder: &str, path: &str) -> String {
    samples(folder)[path].clone()
}

fn item(path: &str, text: &str) -> Item {
    let document = gsd().read(path, text);
    document.items().next().unwrap_or_else(|| panic!("{path}: {:?}", document.notes)).clone()
}

fn sound(path: &str, text: &str) -> Document {
    promises::read(gsd(), path, text)
}

fn fields(item: &Item) -> Fields {
    let mut content = item.content.clone();
    if let Some(id) = content.remove("id") {
        GivenId::parse(id.as_str().unwrap()).unwrap();
    }
    read_content(item.kind, content).unwrap_or_else(|faults| panic!("{}: {faults:?}", item.name))
}

/// An entry on its way out.
#[derive(Clone)]
struct Now {
    id: String,
    kind: TypeName,
    fields: Fields,
    status: Status,
    reason: Option<String>,
    superseded_by: Option<String>,
    ties: Vec<(Relation, String)>,
}

impl Now {
    fn of(item: &Item) -> Now {
        Now { id: item.name.clone(), ties: item.ties.clone(), ..Now::new(item.kind, fields(item)) }
    }

    fn new(kind: Type, fields: Fields) -> Now {
        Now {
            id: "01J".to_owned(),
            kind: TypeName::Known(kind),
            fields,
            status: Status::Active,
            reason: None,
            superseded_by: None,
            ties: Vec::new(),
        }
    }

    fn outgoing(&self, changed: &[&str]) -> Outgoing<'_> {
        Outgoing {
            id: &self.id,
            handle: "S-1",
            kind: &self.kind,
            fields: &self.fields,
            citations: Vec::new(),
            status: self.status,
            reason: self.reason.as_deref(),
            created: Millis::parse("2026-05-01T10:00:00Z").unwrap(),
            updated: Millis::parse("2026-06-02T11:12:13.456Z").unwrap(),
            created_by: "ann",
            last_confirmed: None,
            confirmation: None,
            belief: (5.0, 5.0),
            ties: self.ties.clone(),
            superseded_by: self.superseded_by.clone(),
            changed: changed.iter().map(|field| (*field).to_owned()).collect(),
        }
    }
}

fn rewrite(path: &str, text: &str, now: &Now, changed: &[&str]) -> (String, Vec<String>) {
    let name = item(path, text).name;
    let written = gsd().rewrite(Place { path, text, name: &name }, &now.outgoing(changed));
    assert_eq!(written.moved_to, None);
    (written.text.unwrap(), written.unsaid)
}

/// The lines that two texts do not share, `-` before and `+` after.
fn diff(before: &str, after: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let gone = old.iter().filter(|line| !new.contains(line)).map(|line| format!("-{line}\n"));
    let come = new.iter().filter(|line| !old.contains(line)).map(|line| format!("+{line}\n"));
    gone.chain(come).collect()
}

const CLOCK: &str = "signals/demo/2026-03-01-flaky-clock-in-tests.md";
const QUEUE: &str = "spikes/demo/queue-in-sqlite.md";
const TIME: &str = "lessons/testing/pass-time-in.md";

#[test]
fn a_signal_says_what_clusters_look_at() {
    let item = item(CLOCK, &sample("native", CLOCK));
    expect![[r###"
        {
          "anchors": [
            "tests/scheduler.rs"
          ],
          "attributes": {
            "durability": "convention",
            "lifecycle_state": "triaged",
            "occurrence_count": 1,
            "phase": 4,
            "plan": 2,
            "project": "demo"
          },
          "confidence": 9.0,
          "decay_class": "stable",
          "detail": "## What Happened\n\nThe scheduler test in `tests/scheduler.rs` failed on two of ten runs. It reads the wall clock twice and expects the same second.\n\n## Context\n\nPhase 4, while the retry queue was being written.\n\n## Potential Cause\n\nTime is not passed in, so the test cannot hold it still.",
          "id": "sig-2026-03-01-flaky-clock-in-tests",
          "polarity": "negative",
          "severity": 7.0,
          "severity_word": "notable",
          "statement": "The scheduler test in `tests/scheduler.rs` failed on two of ten runs. It reads the wall clock twice and expects the same second.",
          "subtype": "struggle",
          "tags": [
            "flaky_tests",
            "clock"
          ],
          "title": "Flaky clock in tests"
        }"###]].assert_eq(&sorted(&item));
    assert_eq!(item.stated.map(|at| at.to_string()), Some("2026-03-01T09:00:00.000Z".to_owned()));
}

fn sorted(item: &Item) -> String {
    let map: BTreeMap<&String, &Value> = item.content.iter().collect();
    serde_json::to_string_pretty(&map).unwrap()
}

// DIG-2: what GSD collected is put together like our own notes.
#[test]
fn signals_of_gsd_cluster() {
    let signal = |(path, text): (&String, &String)| {
        let document = gsd().read(path, text);
        let item = document.items().find(|item| item.kind == Type::Signal)?.clone();
        let fields = fields(&item);
        let word = fields.severity_word.as_deref().and_then(Severity::from_word);
        Some(cluster::Signal {
            id: item.name,
            kind: fields.subtype.as_deref().and_then(|kind| normalise_tag(kind).ok()),
            tags: fields.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
            polarity: fields.polarity.unwrap_or(Polarity::Neutral),
            severity: word.unwrap_or_else(|| Severity::from_number(fields.severity)),
            confidence: Confidence::from_number(fields.confidence),
        })
    };
    let signals: Vec<_> = samples("native").iter().filter_map(signal).collect();
    let clusters = cluster::clusters(&signals);
    let first = &clusters[0];
    assert_eq!((first.members.len(), first.weight, first.qualifies()), (2, 3_500, true));
    assert_eq!(first.tags.iter().collect::<Vec<_>>(), ["clock", "flaky_tests"]);
}

#[test]
fn spikes_lessons_and_reflections() {
    let spike = item(QUEUE, &sample("native", QUEUE));
    let said = fields(&spike);
    assert_eq!(said.hypothesis.as_deref(), Some("SQLite holds a thousand queued jobs a second"));
    assert_eq!(
        said.statement.as_deref(),
        Some("SQLite holds a thousand queued jobs a second with one writer.")
    );
    assert!(said.decision.as_deref().unwrap().starts_with("The queue stays in SQLite."));
    assert_eq!((said.outcome, said.rounds), (Some(SpikeOutcome::Confirmed), Some(1)));
    assert_eq!(said.depends_on, ["rusqlite >= 0.31", "src/queue.rs exists"]);

    let lesson = item(TIME, &sample("native", TIME));
    let said = fields(&lesson);
    assert_eq!(said.statement.as_deref(), Some("Code that needs the time takes it as an argument."));
    assert_eq!(said.decay_class, Some(DecayClass::Permanent));
    assert_eq!(
        said.verification,
        ["Run `grep -rn \"now()\" src` and look at every place outside the command line."]
    );
    assert_eq!(said.attributes["category"], "testing");
    assert_eq!(
        lesson.ties,
        [
            (Relation::RelatesTo, "sig-2026-03-01-flaky-clock-in-tests".to_owned()),
            (Relation::RelatesTo, "sig-2026-03-02-flaky-clock-again".to_owned())
        ]
    );

    let path = "reflections/demo/reflect-2026-03-07.md";
    let reflection = item(path, &sample("native", path));
    assert_eq!(
        (reflection.kind, fields(&reflection).subtype.as_deref()),
        (Type::Observation, Some("reflection"))
    );
}

// Traps 7, 9 and 10, and bare keys that upstream turned into `[object Object]`.
#[test]
fn odd_files_are_understood_and_what_is_odd_is_told() {
    let mut told = String::new();
    for (path, text) in samples("odd") {
        let document = sound(&path, &text);
        let item = document.items().next().unwrap();
        let stated = item.stated.map_or("never".to_owned(), |at| at.date());
        let fields = fields(item);
        let (severity, word) =
            (fields.severity.unwrap_or(-1.0), fields.severity_word.clone().unwrap_or_default());
        told += &format!("{} = {} {} {:?} stated {stated}\n", path, item.kind, item.name, item.standing);
        told += &format!("  {} {:?} {severity} {word}\n", fields.title(), fields.subtype);
        told += &format!("  {}\n", fields.statement());
        told += &format!("  {} {:?}\n", Value::Object(fields.attributes.clone()), item.evidence);
        told.extend(document.notes.iter().map(|note| format!("  ! {note}\n")));
    }
    expect![[r#"
        signals/SIG-260223-012-raw-flag.md = signal SIG-260223-012-raw-flag Current stated 2026-02-23
          Raw output is text Some("good_pattern") 9.5 high
          The flag `--raw` of `bin/tool.cjs:12` gives text and no JSON.
          {"colour":{"red":[1,{"deep":null}]},"lifecycle":"detected","remediation":{},"status":"open","triage":null,"type":"positive-pattern"} []
          ! `colour` is a key that a signal of GSD does not have; it is kept
          ! a tag is left out, and the file keeps it: "what?!" contains '?'; a tag has letters, digits, `_ . + # @ :` and `/` to nest
        signals/demo/2026-04-22-windows.md = signal sig-2026-04-22-windows Current stated 2026-04-22
          Windows Some("config_mismatch") 7 medium
          Lines end in two characters. See [path].
          {"about_work":[{"role":"subject","source_file":"[path]"},{"source_file":"docs/plan.md"}],"lifecycle_log":["created -> detected by x at 2026-04-22T02:46:17Z"],"project":"demo","status":"resolved"} ["doc:docs/plan.md"]
          ! a tag is left out, and the file keeps it: "b|c" contains '|'; a tag has letters, digits, `_ . + # @ :` and `/` to nest
          ! a path of one machine or a control character in it is left out of the entry, as `[path]`
        signals/demo/bare.md = signal bare Current stated never
          Bare None -1 
          No block at all, and no line break at the end.
          {} []
          ! it has no front matter; its folder and its name say what it is
        signals/demo/no-dates.md = signal sig-undated Archived("its file says it was invalidated") stated never
          Undated None -1 
          Nobody knows when this was said.
          {"lifecycle_log":[{"event":"invalidated","from":"detected","timestamp":"2026-04-01T00:00:00Z"}],"lifecycle_state":"invalidated","severity":"whatever","type":"spike-ish"} []
          ! `severity` is "whatever"; GSD knows critical, notable, minor and trace; it is kept unchanged
          ! `type` is "spike-ish"; GSD knows signal, spike, lesson and reflection; it is kept unchanged
        spikes/demo/replaced.md = spike spk-2026-01-01-replaced SupersededBy("spk-2026-02-25-queue-in-sqlite") stated 2026-01-01
          Replaced None -1 
          A file per job is fast enough.
          {"outcome":"maybe","project":"_global","rounds":"two"} []
          ! `outcome` is "maybe"; GSD knows confirmed, rejected, partial and inconclusive; it is kept unchanged
          ! `rounds` is "two"; GSD knows a number; it is kept unchanged
    "#]].assert_eq(&told);
}

// Exactly what `kb-rebuild-index.sh` of the original makes of the same files.
#[test]
fn the_index_is_the_originals() {
    for folder in ["native", "few"] {
        let files = samples(folder);
        let index = &files["index.md"];
        let generated = index.lines().find_map(|line| line.strip_prefix("**Generated:** ")).unwrap();
        let others: Vec<_> = files.iter().filter(|(path, _)| *path != "index.md").collect();
        assert_eq!(derived(&others, generated), [("index.md".to_owned(), index.clone())], "{folder}");
        // Only the time would differ: nothing is written.
        let all: Vec<_> = files.iter().collect();
        assert_eq!(derived(&all, "2027-01-01T00:00:00Z"), [("index.md".to_owned(), index.clone())]);
        let below: BTreeMap<_, _> =
            files.iter().map(|(path, text)| (format!(".planning/knowledge/{path}"), text.clone())).collect();
        assert_eq!(
            derived(&below.iter().collect::<Vec<_>>(), generated)[0].0,
            ".planning/knowledge/index.md"
        );
    }
    assert_eq!(gsd().read("index.md", "# Knowledge Store Index\n").role, Role::Derived);
}

fn derived(files: &[(&String, &String)], now: &str) -> Vec<(String, String)> {
    let paths: BTreeSet<String> = files.iter().map(|(path, _)| (*path).clone()).collect();
    let sources: Vec<Source<'_>> = files.iter().map(|(path, text)| Source { path, text }).collect();
    let known = store_facts(&paths, "demo", Millis::parse(now).unwrap());
    gsd().derived(&sources, &known).into_iter().map(|file| (file.path, file.text)).collect()
}

// Trap 7: block lists, quoted dates, early words and bars in cells.
#[test]
fn the_index_reads_yaml() {
    let files = samples("odd");
    let made = derived(&files.iter().collect::<Vec<_>>(), "2026-06-01T00:00:00Z");
    expect![[r#"
        # Knowledge Store Index

        **Generated:** 2026-06-01T00:00:00Z
        **Total entries:** 4

        ## Signals (3)

        | ID | Project | Severity | Lifecycle | Tags | Date | Status |
        |----|---------|----------|-----------|------|------|--------|
        | sig-2026-04-22-windows | demo | medium | remediated | a,b\|c | 2026-04-22 | active |
        | SIG-260223-012-raw-flag |  | high | detected | cli,raw output,what?! | 2026-02-23 | active |
        | sig-undated |  | whatever | invalidated |  |  | active |

        ## Spikes (1)

        | ID | Project | Outcome | Tags | Date | Status |
        |----|---------|---------|------|------|--------|
        | spk-2026-01-01-replaced | _global | maybe |  | 2026-01-01 | active |

    "#]]
    .assert_eq(&made[0].1);
}

#[test]
fn claims_are_for_its_own() {
    let claims = |path: &str, text: &str| gsd().claims(path, text);
    for folder in ["native", "few", "odd"] {
        for (path, text) in samples(folder).iter().filter(|(path, _)| !path.ends_with("bare.md")) {
            assert!(claims(path, text) >= 80, "{path} {}", claims(path, text));
            let head: String = text.chars().take(160).collect();
            assert!(claims(path, &head) >= 80, "{path} {}", claims(path, &head));
        }
    }
    assert_eq!(gsd().read("signals/README.md", "# About signals\n").role, Role::Other);
}

#[test]
fn a_change_touches_its_own_lines() {
    let text = sample("native", CLOCK);
    let before = Now::of(&item(CLOCK, &text));
    let story = |change: &dyn Fn(&mut Now), changed: &[&str]| {
        let mut now = before.clone();
        change(&mut now);
        let (after, unsaid) = rewrite(CLOCK, &text, &now, changed);
        format!(
            "{}{}",
            diff(&text, &after),
            if unsaid.is_empty() { String::new() } else { format!("unsaid {unsaid:?}\n") }
        )
    };
    let mut told = String::new();
    told += &story(
        &|now| {
            now.fields.tags =
                ["clock", "flaky_tests", "slow_ci"].iter().map(|tag| Tag::parse(tag).unwrap()).collect()
        },
        &["tags"],
    );
    told += &story(&|now| now.fields.title = Some("A clock that flakes".to_owned()), &["title"]);
    told +=
        &story(&|now| now.fields.statement = Some("Tests read no wall clock.".to_owned()), &["statement"]);
    told += &story(
        &|now| (now.fields.severity, now.fields.severity_word) = (Some(9.5), Some("critical".to_owned())),
        &["severity", "severity_word"],
    );
    told += &story(&|now| now.fields.severity = Some(8.0), &["severity"]);
    told += &story(&|now| now.fields.confidence = Some(8.5), &["confidence"]);
    told += &story(&|now| now.fields.decay_class = Some(DecayClass::Ephemeral), &["decay_class"]);
    told += &story(&|now| now.fields.scope = Some(Scope::Global), &["scope"]);
    told += &story(&|now| now.status = Status::Archived, &["status"]);
    told += &story(
        &|now| (now.status, now.reason) = (Status::Retracted, Some("it was the disk".to_owned())),
        &["status"],
    );
    told += &story(
        &|now| {
            (now.status, now.superseded_by) =
                (Status::Superseded, Some("sig-2026-03-02-flaky-clock-again".to_owned()))
        },
        &["status"],
    );
    told += &story(
        &|now| now.ties.push((Relation::RelatesTo, "sig-2026-03-02-flaky-clock-again".to_owned())),
        &["links"],
    );
    told += &story(
        &|now| drop(now.fields.attributes.insert("lifecycle_state".to_owned(), json!("remediated"))),
        &["attributes"],
    );
    told += &story(&|now| now.fields.summary = Some("S".to_owned()), &["summary", "last_confirmed"]);
    told += &story(&|now| now.status = Status::Verified, &["status"]);
    expect![[r#"
        -tags: [flaky-tests, clock]
        -updated: 2026-03-01T09:00:00Z
        +tags: [flaky-tests, clock, slow-ci]
        +updated: 2026-06-02T11:12:13Z
        -updated: 2026-03-01T09:00:00Z
        +updated: 2026-06-02T11:12:13Z
        +# A clock that flakes
        -updated: 2026-03-01T09:00:00Z
        -The scheduler test in `tests/scheduler.rs` failed on two of ten runs. It reads the wall clock twice and expects the same second.
        +updated: 2026-06-02T11:12:13Z
        +Tests read no wall clock.
        -updated: 2026-03-01T09:00:00Z
        -severity: notable
        +updated: 2026-06-02T11:12:13Z
        +severity: critical
        unsaid ["severity"]
        -updated: 2026-03-01T09:00:00Z
        -confidence: high
        +updated: 2026-06-02T11:12:13Z
        +confidence: 0.85
        -updated: 2026-03-01T09:00:00Z
        -durability: convention
        +updated: 2026-06-02T11:12:13Z
        +durability: workaround
        -project: demo
        -updated: 2026-03-01T09:00:00Z
        +project: _global
        +updated: 2026-06-02T11:12:13Z
        -updated: 2026-03-01T09:00:00Z
        -status: active
        +updated: 2026-06-02T11:12:13Z
        +status: archived
        -updated: 2026-03-01T09:00:00Z
        -status: active
        -lifecycle_state: triaged
        +updated: 2026-06-02T11:12:13Z
        +status: archived
        +lifecycle_state: invalidated
        +lifecycle_log:
        +  - "triaged->invalidated by ken at 2026-06-02T11:12:13Z: it was the disk"
        -updated: 2026-03-01T09:00:00Z
        -status: active
        +updated: 2026-06-02T11:12:13Z
        +status: archived
        +superseded_by: sig-2026-03-02-flaky-clock-again
        -updated: 2026-03-01T09:00:00Z
        -related_signals: []
        +updated: 2026-06-02T11:12:13Z
        +related_signals: [sig-2026-03-02-flaky-clock-again]
        -updated: 2026-03-01T09:00:00Z
        -lifecycle_state: triaged
        +updated: 2026-06-02T11:12:13Z
        +lifecycle_state: remediated
        +lifecycle_log:
        +  - "triaged->remediated by ken at 2026-06-02T11:12:13Z"
        unsaid ["summary"]
    "#]].assert_eq(&told);
}

// What was put away comes back, and a log keeps its lines as they are written.
#[test]
fn a_way_back() {
    let path = "signals/demo/2026-04-22-windows.md";
    let text = sample("odd", path);
    let mut now = Now::of(&item(path, &text));
    now.status = Status::Retracted;
    let (away, unsaid) = rewrite(path, &text, &now, &["status"]);
    assert!(unsaid.is_empty());
    assert!(matches!(item(path, &away).standing, Standing::Archived(_)));
    assert_eq!(away.matches('\n').count(), away.matches("\r\n").count());
    now.status = Status::Active;
    let (back, _) = rewrite(path, &away, &now, &["status"]);
    assert_eq!(item(path, &back).standing, Standing::Current);
    expect![[r#"
        -status: resolved
        +status: active
        +  - "detected->invalidated by ken at 2026-06-02T11:12:13Z"
        +  - "invalidated->detected by ken at 2026-06-02T11:12:13Z"
        +lifecycle_state: detected
        +updated: 2026-06-02T11:12:13Z
    "#]]
    .assert_eq(&diff(&text.replace('\r', ""), &back.replace('\r', "")));
    // A path that the entry does not tell stays where nobody changed its line.
    now.fields.detail = Some(format!("{}\n\n## Context\n\nNew.", now.fields.detail.unwrap()));
    let (longer, unsaid) = rewrite(path, &text, &now, &["detail"]);
    assert!(unsaid.is_empty(), "{unsaid:?}");
    assert!(longer.contains("See /home/somebody/x.\r\n\r\n## Context\r\n\r\nNew.\r\n"), "{longer}");
}

#[test]
fn a_new_entry_has_a_file_of_its_own() {
    let mut told = String::new();
    let mut paths: BTreeSet<String> = BTreeSet::new();
    let content = json!({"title": "Locks are taken in one order", "statement": "Locks are taken in one order. Otherwise two writers wait for each other.", "tags": ["locks"], "severity": 7.0, "severity_word": "notable", "confidence": 9.0, "detail": "Seen twice.", "attributes": {"category": "debugging", "odd": null}});
    for (kind, count) in
        [(Type::Signal, 2), (Type::Lesson, 1), (Type::Spike, 1), (Type::Observation, 1), (Type::RiskTier, 1)]
    {
        let mut content = content.as_object().unwrap().clone();
        if kind == Type::Spike {
            content.retain(|key, _| !matches!(key.as_str(), "severity" | "severity_word" | "confidence"));
            content.insert("decision".to_owned(), json!("Keep it."));
        }
        if kind == Type::Observation {
            content.insert("subtype".to_owned(), json!("reflection"));
        }
        if kind == Type::RiskTier {
            content = json!({"rule": "r"}).as_object().unwrap().clone();
        }
        for _ in 0..count {
            let now = Now::new(kind, read_content(kind, content.clone()).unwrap());
            let known = store_facts(&paths, "Demo App", Millis(0));
            let Some(path) = gsd().path_for(&now.outgoing(&[]), &known) else {
                told += &format!("{kind}: no place\n");
                continue;
            };
            let text = gsd().insert(&path, None, &now.outgoing(&[]));
            let document = sound(&path, &text);
            let item = document.items().next().unwrap();
            assert_eq!(item.kind, kind);
            assert_eq!(fields(item).statement(), now.fields.statement());
            assert_eq!(fields(item).title(), now.fields.title());
            assert!(gsd().claims(&path, &text) >= 80);
            assert!(document.notes.iter().all(|note| note.starts_with("`odd`")), "{:?}", document.notes);
            told += &format!("{path}\n{text}");
            paths.insert(path);
        }
    }
    expect![[r#"
        signals/demo-app/2026-05-01-locks-are-taken-in-one-order.md
        ---
        id: sig-2026-05-01-locks-are-taken-in-one-order
        type: signal
        project: demo-app
        tags: [locks]
        created: 2026-05-01T10:00:00Z
        updated: 2026-06-02T11:12:13Z
        durability: convention
        status: active
        severity: notable
        signal_type: custom
        polarity: neutral
        occurrence_count: 1
        related_signals: []
        lifecycle_state: detected
        lifecycle_log:
          - "created->detected by ken at 2026-05-01T10:00:00Z"
        evidence:
          counter: []
          supporting: []
        confidence: high
        category: debugging
        odd:
        ---

        ## What Happened

        Locks are taken in one order. Otherwise two writers wait for each other.

        ## Context

        Seen twice.

        ## Potential Cause

        Not recorded.
        signals/demo-app/2026-05-01-locks-are-taken-in-one-order-2.md
        ---
        id: sig-2026-05-01-locks-are-taken-in-one-order-2
        type: signal
        project: demo-app
        tags: [locks]
        created: 2026-05-01T10:00:00Z
        updated: 2026-06-02T11:12:13Z
        durability: convention
        status: active
        severity: notable
        signal_type: custom
        polarity: neutral
        occurrence_count: 1
        related_signals: []
        lifecycle_state: detected
        lifecycle_log:
          - "created->detected by ken at 2026-05-01T10:00:00Z"
        evidence:
          counter: []
          supporting: []
        confidence: high
        category: debugging
        odd:
        title: Locks are taken in one order
        ---

        ## What Happened

        Locks are taken in one order. Otherwise two writers wait for each other.

        ## Context

        Seen twice.

        ## Potential Cause

        Not recorded.
        lessons/debugging/locks-are-taken-in-one-order.md
        ---
        id: les-2026-05-01-locks-are-taken-in-one-order
        type: lesson
        tags: [locks]
        created: 2026-05-01T10:00:00Z
        updated: 2026-06-02T11:12:13Z
        durability: convention
        status: active
        category: debugging
        evidence_count: 0
        evidence: []
        confidence: high
        severity: notable
        odd:
        ---

        ## Lesson

        Locks are taken in one order. Otherwise two writers wait for each other.

        ## When This Applies

        Seen twice.

        ## Recommendation

        Not recorded.

        ## Evidence

        Not recorded.
        spikes/demo-app/locks-are-taken-in-one-order.md
        ---
        id: spk-2026-05-01-locks-are-taken-in-one-order
        type: spike
        project: demo-app
        tags: [locks]
        created: 2026-05-01T10:00:00Z
        updated: 2026-06-02T11:12:13Z
        durability: convention
        status: active
        hypothesis: Locks are taken in one order. Otherwise two writers wait for each other.
        outcome: inconclusive
        rounds: 1
        category: debugging
        odd:
        ---

        ## Hypothesis

        Locks are taken in one order. Otherwise two writers wait for each other.

        ## Experiment

        Not recorded.

        ## Results

        Seen twice.

        ## Decision

        Keep it.

        ## Consequences

        Not recorded.
        reflections/demo-app/reflect-2026-05-01.md
        ---
        id: reflect-2026-05-01
        type: reflection
        project: demo-app
        tags: [locks]
        created: 2026-05-01T10:00:00Z
        updated: 2026-06-02T11:12:13Z
        durability: convention
        status: active
        scope: project
        category: debugging
        odd:
        title: Locks are taken in one order
        ---

        ## Summary

        Locks are taken in one order. Otherwise two writers wait for each other.

        ## Details

        Seen twice.
        risk_tier: no place
    "#]]
    .assert_eq(&told);
}

/// A file with the keys that GSD writes, in forms that people write.
fn documents() -> impl Strategy<Value = (String, String)> {
    let kind = prop_oneof![
        Just(("signals", "signal")),
        Just(("spikes", "spike")),
        Just(("lessons", "lesson")),
        Just(("reflections", "reflection")),
        Just(("signals", "deviation")),
        Just(("signals", "no such"))
    ];
    let key = prop_oneof![
        Just("tags: [a-b, c]".to_owned()),
        Just("tags:\n  - x y\n  - 'q'\n  - \"no!\"".to_owned()),
        Just("tags: p, q".to_owned()),
        Just("severity: critical".to_owned()),
        Just("severity: 'low'".to_owned()),
        Just("severity:".to_owned()),
        Just("confidence: 0.7".to_owned()),
        Just("confidence: high".to_owned()),
        Just("polarity: negative".to_owned()),
        Just("durability: principle".to_owned()),
        Just("status: open".to_owned()),
        Just("status: archived".to_owned()),
        Just("status: active # so far".to_owned()),
        Just("created: \"2026-04-22T02:46:17Z\"".to_owned()),
        Just("date: 2026-04-22".to_owned()),
        Just("project: _global".to_owned()),
        Just("lifecycle_state: triaged".to_owned()),
        Just(
            "lifecycle_log:\n  - \"created -> detected by x at 2026-04-22T00:00:00Z\"\n  - {event: a}"
                .to_owned()
        ),
        Just("related_signals: [sig-1, sig-2]".to_owned()),
        Just("triage:".to_owned()),
        Just("evidence:\n  supporting:\n    - see `src/a.rs:0` and `src/b.rs:4`\n  counter: []".to_owned()),
        Just("depends_on: [\"NOT monorepo\"]".to_owned()),
        Just("hypothesis: \"It: holds\"".to_owned()),
        Just("outcome: partial".to_owned()),
        Just("rounds: 2".to_owned()),
        Just("superseded_by: spk-2".to_owned()),
        Just("broken: [1,".to_owned()),
        Just("source_file: /home/x/y.md".to_owned()),
        "[a-z]{1,6}: [ -~]{0,20}",
    ];
    let body = prop_oneof![
        Just("## What Happened\n\nIt broke. Twice. On Monday. And after.\n\n## Context\n\nC\n".to_owned()),
        Just("# Title\n\nOnly this.\n".to_owned()),
        Just("## Hypothesis\n\nIt holds\nfor long.\n\n## Decision\n\nKeep it.\n\n### Why\n\nBecause.\n\n## Consequences\n".to_owned()),
        Just("## Lesson\n\n- Take `src/x.rs`\n- and y\n\n## Recommendation\n\n1. Run the tests.\n2. Be kind.\n".to_owned()),
        Just("## What Happened\n\n```\ncode\n```\n".to_owned()),
        Just("No end".to_owned()),
        Just(String::new()),
        "[ -~\n]{0,60}",
    ];
    let id = prop_oneof![
        Just("id: sig-2026-04-22-x".to_owned()),
        Just("id: 'SIG-260222-009-odd'".to_owned()),
        Just("id: \"no id!\"".to_owned()),
        Just("x: y".to_owned())
    ];
    (kind, id, prop::collection::vec(key, 0..9), body, any::<bool>(), 0..8u8).prop_map(
        |((folder, word), id, keys, body, windows, blank)| {
            let gap = if blank == 0 { "" } else { "\n" };
            let keys: String = keys.iter().map(|key| format!("{key}\n")).collect();
            let text = format!("---\n{id}\ntype: {word}\n{keys}---\n{gap}{body}");
            let text = if windows { text.replace('\n', "\r\n") } else { text };
            (format!("{folder}/demo/file.md"), text)
        },
    )
}

/// Fields that a change of another carries along, since they are read off the same words.
fn follow(changed: &str) -> &'static [&'static str] {
    match changed {
        "statement" | "title" | "decision" => &["detail", "anchors", "verification"],
        "detail" => &["anchors", "verification"],
        "severity" => &["severity_word", "attributes"],
        // A bare or an odd word is an attribute until it is a field.
        "confidence" | "polarity" | "tags" | "outcome" | "subtype" => &["attributes"],
        "decay_class" | "scope" | "status" | "depends_on" => &["attributes"],
        _ => &[],
    }
}

/// Whether the keys that no change is about, and the body where none is about it, have every byte they had.
fn outside_is_kept(before: &str, after: &str, changed: &[&str]) -> bool {
    let (Some(old), Some(new)) = (Front::parse(before), Front::parse(after)) else { return true };
    let is_text = |field: &&str| matches!(*field, "title" | "statement" | "detail" | "decision");
    let may = |key: &str| {
        let own = match key {
            "updated" => true,
            "severity" => changed.contains(&"severity"),
            "durability" => changed.contains(&"decay_class"),
            "signal_type" => changed.contains(&"subtype"),
            "status" | "lifecycle" | "lifecycle_state" | "lifecycle_log" | "superseded_by" => {
                changed.contains(&"status")
            }
            "own" => changed.contains(&"attributes"),
            "hypothesis" | "title" | "statement" | "decision" => changed.iter().any(is_text),
            other => changed.contains(&other),
        };
        own || old.values.get(key).is_none()
    };
    let lines = |front: &Front<'_>, text: &str| -> Vec<String> {
        let kept = front.keys.iter().filter(|key| !may(key.name));
        kept.map(|key| text[key.from..key.to].to_owned()).collect()
    };
    let body = changed.iter().any(is_text) || old.body() == new.body();
    body && lines(&old, before) == lines(&new, after)
}

fn value(fields: &Fields) -> Value {
    serde_json::to_value(fields).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_kept(text in "(---\n)?(\\PC|[\r\n\u{0}\u{feff}:#`-]){0,120}(---\n)?(\\PC|\n){0,60}", folder in 0..4usize) {
        sound(["signals/a.md", "spikes/p/a.md", "x/lessons/c/a.md", "other.md"][folder], &text);
    }

    #[test]
    fn any_document_is_kept((path, text) in documents()) {
        sound(&path, &text);
    }

    #[test]
    fn a_change_changes_nothing_else(
        (path, text) in documents(),
        picks in prop::collection::btree_set(0..13usize, 1..4),
        words in "[A-Za-z`:#*\"'.,! -]{1,40}[a-z.]",
        number in 0..=100u32,
    ) {
        let document = gsd().read(&path, &text);
        let Some(item) = document.items().next() else { return Ok(()) };
        let before = fields(item);
        let mut now = Now::of(item);
        now.status = match item.standing { Standing::Current => Status::Active, _ => Status::Archived };
        let mut changed = Vec::new();
        let number = f64::from(number) / 10.0;
        for pick in picks {
            let is_spike = item.kind == Type::Spike;
            let said = &mut now.fields;
            match pick {
                0 => { said.title = Some(words.split_whitespace().collect::<Vec<_>>().join(" ")); changed.push("title"); }
                1 => { said.statement = Some(words.trim().to_owned()); changed.push("statement"); }
                2 => { said.detail = Some(format!("## Some\n\n{}\n\nMore.", words.trim())); changed.push("detail"); }
                3 => { said.tags = ["a_b", "new_tag"].iter().map(|tag| Tag::parse(tag).unwrap()).collect(); changed.push("tags"); }
                4 if !is_spike => { said.severity = Some(number); changed.push("severity"); }
                5 if !is_spike => { said.confidence = Some(number); changed.push("confidence"); }
                6 => { said.polarity = Some(Polarity::Positive); changed.push("polarity"); }
                7 => { said.decay_class = Some(DecayClass::Permanent); changed.push("decay_class"); }
                8 => { said.depends_on = vec![words.trim().to_owned()]; changed.push("depends_on"); }
                9 => { said.attributes.insert("own".to_owned(), json!({"a": [1, words]})); changed.push("attributes"); }
                10 => { now.status = Status::Archived; changed.push("status"); }
                11 if is_spike => { said.decision = Some(words.trim().to_owned()); said.outcome = Some(SpikeOutcome::Rejected); changed.extend(["decision", "outcome"]); }
                12 if item.kind == Type::Signal => { said.subtype = Some("good_pattern".to_owned()); changed.push("subtype"); }
                _ => {}
            }
        }
        if changed.is_empty() { return Ok(()) }
        let (written, unsaid) = rewrite(&path, &text, &now, &changed);
        let after = sound(&path, &written);
        let after = fields(after.items().next().unwrap());
        let (was, is, wanted) = (value(&before), value(&after), value(&now.fields));
        let may: BTreeSet<&str> = changed.iter().flat_map(|field| follow(field).iter().chain([field])).copied().collect();
        for field in ken_core::schema::field_names(item.kind) {
            if changed.contains(&field) && !unsaid.iter().any(|name| name == field) && field != "attributes" && field != "detail" {
                prop_assert_eq!(is.get(field), wanted.get(field), "{} {:?}\n{}\n=>\n{}", field, changed, text, written);
            } else if !may.contains(field) {
                prop_assert_eq!(is.get(field), was.get(field), "{} {:?}\n{}\n=>\n{}", field, changed, text, written);
            }
        }
        prop_assert!(outside_is_kept(&text, &written, &changed), "{changed:?}\n{text}\n=>\n{written}");
        for field in ["statement", "title", "tags", "polarity", "depends_on", "confidence"] {
            prop_assert!(!unsaid.iter().any(|name| name == field), "{field} unsaid\n{text}\n=>\n{written}");
        }
    }

    #[test]
    fn what_is_inserted_is_read_again(statement in "[^\\p{C}/\\\\]{1,80}", title in "[^\\p{C}/\\\\]{1,40}", detail in "(\\PC|\n){0,80}", pick in 0..4usize) {
        prop_assume!(!statement.trim().is_empty() && !title.trim().is_empty());
        let statement = statement.trim();
        let kind = [Type::Signal, Type::Lesson, Type::Spike, Type::Observation][pick];
        let mut content = json!({"statement": statement, "title": title.trim()});
        if kind == Type::Observation {
            content["subtype"] = json!("reflection");
        }
        if !detail.trim().is_empty() {
            content["detail"] = json!(detail.trim());
        }
        let now = Now::new(kind, read_content(kind, content.as_object().unwrap().clone()).unwrap());
        let paths = BTreeSet::new();
        let known = store_facts(&paths, "p", Millis(0));
        let path = gsd().path_for(&now.outgoing(&[]), &known).unwrap();
        let text = gsd().insert(&path, None, &now.outgoing(&[]));
        let document = sound(&path, &text);
        prop_assert_eq!(document.items().count(), 1);
        let said = fields(document.items().next().unwrap());
        prop_assert_eq!(said.statement.as_deref(), Some(statement), "{}", text);
    }
}

// DOO-6: the real folder, to the byte.
#[test]
fn the_real_folder_is_read_and_kept() {
    let files: BTreeMap<String, String> = promises::corpus("gsd").into_iter().collect();
    if files.is_empty() {
        return;
    }
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut notes: BTreeMap<String, usize> = BTreeMap::new();
    for (path, text) in &files {
        let document = sound(path, text);
        let kind = document.items().next().map_or("no entry", |item| item.kind.word());
        *kinds.entry(kind.to_owned()).or_default() += 1;
        for note in document.notes {
            *notes.entry(note).or_default() += 1;
        }
        if !path.ends_with("index.md") {
            assert!(gsd().claims(path, text) >= 80, "{path}");
            assert_eq!(document.role, Role::Entries, "{path}");
        }
    }
    for (path, text) in &files {
        changes_are_small(path, text);
    }
    let begin = std::time::Instant::now();
    for (path, text) in &files {
        std::hint::black_box(gsd().read(path, text));
    }
    let micros = begin.elapsed().as_micros() as usize / files.len();
    eprintln!("{} files {kinds:?}, {micros} µs each to read", files.len());
    for (note, count) in notes {
        eprintln!("{count:4} {note}");
    }
}

/// A field, and what becomes of it.
type Change = (&'static str, fn(&mut Now));

/// Real files in other line ends say the same, and take every change that GSD has words for.
fn changes_are_small(path: &str, text: &str) {
    let document = gsd().read(path, text);
    let Some(item) = document.items().next() else { return };
    if !text.contains('\r') {
        let windows = text.replace('\n', "\r\n");
        let other = sound(path, &windows);
        assert_eq!(other.items().next().unwrap().content, item.content, "{path}");
        assert_eq!(other.notes, document.notes, "{path}");
    }
    let was = Now::of(item);
    let changes: &[Change] = &[
        ("title", |now| now.fields.title = Some("Another title".to_owned())),
        ("statement", |now| now.fields.statement = Some("It says something else: `now`.".to_owned())),
        ("detail", |now| {
            now.fields.detail = now.fields.detail.take().map(|detail| format!("{detail}\n\nMore."))
        }),
        ("tags", |now| now.fields.tags.extend(Tag::parse("one_more"))),
        ("decay_class", |now| now.fields.decay_class = Some(DecayClass::Permanent)),
        ("polarity", |now| now.fields.polarity = Some(Polarity::Neutral)),
        ("depends_on", |now| now.fields.depends_on.push("src/a.rs exists".to_owned())),
        ("attributes", |now| drop(now.fields.attributes.insert("own".to_owned(), json!({"a": [1, null]})))),
        ("status", |now| now.status = Status::Retracted),
    ];
    for (field, change) in changes {
        let mut now = was.clone();
        change(&mut now);
        let (written, unsaid) = rewrite(path, text, &now, &[field]);
        assert_eq!(unsaid, Vec::<String>::new(), "{path} {field}\n{written}");
        assert!(outside_is_kept(text, &written, &[field]), "{path} {field}\n{written}");
        let after = gsd().read(path, &written);
        let (is, before) = (value(&fields(after.items().next().unwrap())), value(&was.fields));
        let may: Vec<&str> = follow(field).iter().chain([field]).copied().collect();
        for name in ken_core::schema::field_names(item.kind).into_iter().filter(|name| !may.contains(name)) {
            assert_eq!(is.get(name), before.get(name), "{path} {field} -> {name}\n{written}");
        }
    }
}
