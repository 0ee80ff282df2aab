//! Golden stores in `fixtures/`: what was once written is read for ever, and what a newer version writes is kept.
//!
//! Never edit them by hand. Each is made anew here and compared to the byte; `UPDATE_FIXTURES=1` writes a store that is meant to change,
//! which a released version's never is.
#![allow(clippy::disallowed_methods, reason = "golden stores are files")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use expect_test::{Expect, expect};
use ken_core::decide::{self, Authority, Change, Context};
use ken_core::entry::{Entry, fold};
use ken_core::event::{Event, Intent, Line, Seal, read_line};
use ken_core::kinds::{Type, TypeName};
use ken_core::{EntryKey, Fields, Memory, ReplicaId, canonical, place};
use serde_json::{Map, Value, json};

use crate::stage::{Raw, Writer, clock, read, replica};

/// A store being made: the text of every file below its folder.
struct Golden {
    writer: Writer,
    files: BTreeMap<String, String>,
    second: i64,
}

/// An entry being made.
#[derive(Clone)]
struct Made {
    key: EntryKey,
    kind: TypeName,
    file: String,
}

impl Golden {
    fn new(version: &str) -> Golden {
        let files = [("VERSION".to_owned(), format!("{version}\n"))].into_iter().collect();
        Golden { writer: Writer::default(), files, second: 0 }
    }

    fn line(&mut self, file: &str, line: &str) {
        let text = self.files.entry(file.to_owned()).or_default();
        text.push_str(line);
        text.push('\n');
    }

    fn say(&mut self, who: ReplicaId, file: &str, entry: Option<EntryKey>, raw: Raw) -> Event {
        self.second += 1;
        let event = self.writer.raw(who, clock(self.second), entry, raw);
        self.line(file, event.line());
        event
    }

    /// One more thing about an entry, in its own file.
    fn about(&mut self, who: ReplicaId, made: &Made, type_name: &str, data: Value) -> Event {
        self.say(who, &made.file, Some(made.key), Raw::new(type_name, data))
    }

    /// An entry and the lines of its citations. `data` is what the added event says: `type`, `fields` and whatever else.
    fn add(&mut self, who: ReplicaId, kind: &str, folder: Option<&str>, data: Value) -> Made {
        let kind: TypeName = serde_json::from_value(json!(kind)).unwrap();
        let fields = Fields::read(&data["fields"]);
        let claim = kind.known().map_or_else(|| fields.statement().into_owned(), |known| fields.claim(known));
        let key = EntryKey::derive(kind.word(), &fields.scope_key(), &claim);
        let id = data["id"].as_str().map_or_else(|| format!("{kind}.{key}"), str::to_owned);
        let mut file = place::entry_file(&kind, &id, who, clock(self.second).millis());
        if let Some(folder) = folder {
            file = format!("{folder}/{}", file.rsplit('/').next().unwrap());
        }
        let mut data = data;
        data["type"] = json!(kind);
        // As these stores were written: only lessons and spikes had one.
        if let Some(known @ (Type::Lesson | Type::Spike)) = kind.known() {
            data["handle"] = json!(format!("{}-{}", known.handle_letter(), &key.to_string()[..6]));
        }
        let evidence = data["evidence"].clone();
        self.say(who, &file, Some(key), Raw::new("entry.added", data));
        for citation in evidence.as_array().into_iter().flatten() {
            let ledger = place::provenance_file(kind.memory(), who, clock(self.second).millis());
            self.say(who, &ledger, Some(key), Raw::new("entry.cited", json!({ "citation": citation })));
        }
        Made { key, kind, file }
    }

    /// Names the events of an entry as purged and leaves stubs in their place (STO-13).
    fn purge(&mut self, who: ReplicaId, made: &Made) {
        let key = made.key.to_string();
        let mut hashes = Vec::new();
        for text in self.files.values_mut() {
            let lines = text.lines().map(|line| match read_line(line) {
                Ok(Line::Event(event)) if event.entry.is_some_and(|entry| entry.to_string() == key) => {
                    hashes.push(event.hash.to_string());
                    event.stub().line() + "\n"
                }
                _ => format!("{line}\n"),
            });
            *text = lines.collect();
        }
        hashes.sort();
        let file = format!("{}/purged.{key}.jsonl", place::folder(&made.kind));
        let data = json!({"hashes": hashes, "reason": "held a secret"});
        self.say(who, &file, Some(made.key), Raw::new("entry.purged", data));
    }
}

fn citation(kind: &str, text: &str, who: ReplicaId) -> Value {
    let cited_at = clock(0).millis().seconds();
    json!({"evidence_type": kind, "evidence_ref": text, "cited_by": format!("agent:{who}"), "cited_at": cited_at})
}

fn beside(envelope: Value) -> Map<String, Value> {
    let Value::Object(map) = envelope else { unreachable!("envelope fields are an object") };
    map
}

/// A small store of version 1.0, by two clones.
fn v1_0() -> Golden {
    let mut store = Golden::new("1.0.0");
    let (ada, bob) = (replica(1), replica(2));
    let not_run = json!(["scan", "sanitize", "admission", "similarity"]);

    let lesson = store.add(
        ada,
        "lesson",
        None,
        json!({
            "fields": {
                "statement": "Retry with backoff, never in a tight loop.",
                "tags": ["error_handling/retry"],
                "anchors": [{"at": "src/retry.rs:10-24"}, {"at": "src/client.rs#Client::send"}],
                "verification": ["cargo test retry"],
                "severity": 6.5,
            },
            "evidence": [citation("commit", "a1b2c3d", ada), citation("test", "tests/retry.rs", ada)],
            "not_run": not_run,
        }),
    );
    let revision = json!({
        "set": {"title": "Back off \u{2014} always", "summary": "Wait longer each time."},
        "add": {"tags": ["http"]}, "remove": {"tags": ["error_handling/retry"]}, "reason": "a better title",
    });
    store.about(ada, &lesson, "entry.revised", revision);

    let service = store.add(
        ada,
        "entity",
        None,
        json!({
            "id": "entity.billing.001",
            "fields": {
                "name": "Billing", "description": "Charges cards at night.",
                "attributes": {"owner": "team-a", "ports": [8080, 8081]},
            },
            "evidence": [citation("doc", "docs/billing.md", ada)],
            "not_run": not_run,
        }),
    );
    let tie = store.add(
        bob,
        "relationship",
        None,
        json!({
            "fields": {"from": "entity.billing.001", "relation": "calls", "to": "the card gateway"},
            "evidence": [citation("doc", "docs/billing.md:3-9", bob)],
            "not_run": not_run,
        }),
    );
    store.about(bob, &tie, "link.linked", json!({"relation": "relates_to", "to": service.key.to_string()}));
    store.add(
        bob,
        "commit_norm",
        None,
        json!({
            "id": "norm.commit.001",
            "fields": {
                "rule": "Use conventional commits.", "examples": ["fix: close the file"],
                "enforcement": {"kind": "regex", "pattern": "^(feat|fix)(\\(.+\\))?: "},
            },
            "evidence": [citation("pr", "42", bob)],
            "not_run": not_run,
        }),
    );
    let spike = |hypothesis: &str, outcome: &str| {
        json!({
            "fields": {
                "hypothesis": hypothesis, "outcome": outcome, "rounds": 2,
                "anchors": [{"at": "bench/pool.rs"}], "verification": ["cargo bench pool"],
            },
            "evidence": [citation("transcript", "run-17", ada)],
            "not_run": not_run,
        })
    };
    let old = store.add(ada, "spike", None, spike("A pool of 8 is enough.", "confirmed"));
    let new = store.add(ada, "spike", None, spike("A pool of 8 is enough below 100 users.", "partial"));
    store.about(
        ada,
        &old,
        "entry.superseded",
        json!({"by": new.key.to_string(), "reason": "measured again"}),
    );
    store.about(ada, &new, "link.linked", json!({"relation": "supersedes", "to": old.key.to_string()}));

    let skill = store.add(
        bob,
        "skill",
        None,
        json!({
            "fields": {
                "statement": "Bisect with the failing test alone.", "subtype": "technique", "polarity": "positive",
                "anchors": [{"at": "#bisect"}], "verification": ["git bisect run"], "decay_class": "permanent",
            },
            "evidence": [citation("commit", "00ff00ff", bob)],
            "not_run": not_run,
        }),
    );
    store.about(bob, &skill, "entry.archived", json!({"reason": "everybody knows"}));
    // The other clone says the same as the first one did, with evidence of its own.
    store.add(
        bob,
        "lesson",
        None,
        json!({
            "fields": {
                "statement": "retry with backoff, never in a tight loop",
                "anchors": [{"at": "src/retry.rs"}], "verification": ["read it"],
            },
            "evidence": [citation("commit", "beef", bob)],
            "not_run": not_run,
        }),
    );
    store.add(
        bob,
        "friction",
        None,
        json!({
            "fields": {"subtype": "tool_error", "statement": "The linter crashed.", "context": {"tool": "lint", "exit": 101}},
            "not_run": not_run,
        }),
    );
    let runs = place::runs_file(bob, clock(store.second).millis());
    store.say(
        bob,
        &runs,
        Some(lesson.key),
        Raw::new("run.exposed", json!({"run": "run-18", "how": "pulled"})),
    );

    let secret = store.add(
        ada,
        "lesson",
        None,
        json!({
            "fields": {
                "statement": "The password is swordfish.", "anchors": [{"at": "src/x.rs"}], "verification": ["try it"],
            },
            "evidence": [citation("commit", "dead", ada)],
            "not_run": not_run,
        }),
    );
    store.purge(ada, &secret);
    store
}

/// A store of version 1.9, which nobody has written yet: everything that a minor version may add.
fn future_1_9() -> Golden {
    let mut store = Golden::new("1.9.0");
    let who = replica(9);

    let lesson = store.add(
        who,
        "lesson",
        None,
        json!({
            "lineage": {"of": ["a", "b"], "depth": 2},
            "fields": {
                "statement": "Known words in a new frame.",
                "title": "From the future",
                "mood": {"word": "calm", "shades": [0.5, 1, {"deep": null}]},
                "zeta": 12345678901234567_u64,
                "severity": {"scale": "cvss", "score": 7.1},
                "tags": ["plain"],
                "domains": [{"word": "weighted", "weight": 0.5}, "plain"],
                "polarity": "mixed",
                "anchors": [
                    {"at": "src/a.rs:1-2", "captured": {"blob": "00ff", "lines": [1, 2]}, "moved": true},
                    {"at": "src/b.rs"},
                ],
                "verification": ["look"],
                "source": {"agent": "nova", "orbit": 3},
                "document": {"path": "docs/a.md", "position": "p. 4", "edition": 2},
            },
            "evidence": [citation("commit", "a1b2c3d", who)],
        }),
    );
    let raw = Raw {
        type_name: "entry.revised".into(),
        data: json!({"set": {"mood": {"word": "calmer"}, "aura": "blue"}, "weave": [{"op": "knot"}]}),
        beside: beside(json!({"v": 2, "weight": 1.5, "witness": ["x", {"y": 1}], "sig": "not checked yet"})),
    };
    store.say(who, &lesson.file, Some(lesson.key), raw);
    store.about(who, &lesson, "entry.dreamt", json!({"of": {"sheep": ["electric"]}}));
    store.about(who, &lesson, "entry.restored", json!({"status": "hibernating", "reason": "winter"}));
    store.about(who, &lesson, "link.linked", json!({"relation": "rhymes_with", "to": "0011223344556677"}));
    store.about(
        who,
        &lesson,
        "link.linked",
        json!({"relation": "supports", "to": "0011223344556677", "strength": 0.25}),
    );
    let ledger = place::provenance_file(Memory::Semantic, who, clock(0).millis());
    let mut film = citation("commit", "beef", who);
    film["frame"] = json!(1024);
    store.say(who, &ledger, Some(lesson.key), Raw::new("entry.cited", json!({ "citation": film })));
    let film = citation("film", "reel-7", who);
    store.say(who, &ledger, Some(lesson.key), Raw::new("entry.cited", json!({ "citation": film })));

    let omen = json!({
        "id": "omen.001",
        "fields": {"statement": "A type nobody knows yet.", "portent": "good", "tags": ["sky/north"]},
        "evidence": [citation("doc", "docs/omens.md", who)],
    });
    let omen = store.add(who, "omen", Some("semantic/v1/omens"), omen);
    store.about(who, &omen, "entry.archived", json!({"reason": "it came true", "witness": "many"}));

    let norm = json!({
        "id": "norm.commit.900",
        "fields": {
            "rule": "Sign every commit.",
            "examples": [{"good": "git commit -S", "bad": "git commit"}],
            "enforcement": {"kind": "wasm", "module": "sha256:00ff"},
            "rollout": {"percent": 50},
        },
        "evidence": [citation("pr", "900", who)],
    });
    store.add(who, "commit_norm", None, norm);

    // Evidence of a kind that nobody knows yet, beside some that everybody does.
    let mut shown = json!({
        "fields": {"statement": "Seen on film.", "anchors": [{"at": "src/c.rs"}], "verification": ["watch"]},
        "evidence": [citation("film", "reel-8", who), citation("doc", "docs/film.md", who)],
    });
    shown["evidence"][1]["minute"] = json!(12);
    store.add(who, "lesson", None, shown);

    let calibration = format!("episodic/v1/calibration/{}.{who}.jsonl", clock(0).millis().month());
    let raw = Raw::new("belief.observed", json!({"outcome": "helped", "weight": 0.75}));
    store.say(who, &calibration, Some(lesson.key), raw);
    // An event about the store itself: no entry at all.
    store.say(who, &calibration, None, Raw::new("store.tuned", json!({"dial": 11})));
    store
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

fn read_folder(top: &Path, folder: &Path, into: &mut BTreeMap<String, String>) {
    for item in std::fs::read_dir(folder).unwrap() {
        let path = item.unwrap().path();
        if path.is_dir() {
            read_folder(top, &path, into);
        } else {
            let below: Vec<_> =
                path.strip_prefix(top).unwrap().iter().map(|part| part.to_str().unwrap()).collect();
            into.insert(below.join("/"), std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// The golden store of that name, which must be what is made anew.
fn golden(name: &str, made: Golden) -> BTreeMap<String, String> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _held = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = fixture(name);
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        let _ = std::fs::remove_dir_all(&folder);
        for (path, text) in &made.files {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
    let mut files = BTreeMap::new();
    read_folder(&folder, &folder, &mut files);
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&files), names(&made.files), "fixtures/{name} has other files");
    for (path, text) in &files {
        assert_eq!(text, &made.files[path], "fixtures/{name}/{path} is not what its maker makes");
    }
    files
}

/// Every line of every ledger, read; the path comes with it.
fn lines(files: &BTreeMap<String, String>) -> Vec<(String, Line)> {
    let ledgers = files.iter().filter(|(path, _)| path.ends_with(".jsonl"));
    let all = ledgers.flat_map(|(path, text)| text.lines().map(move |line| (path.clone(), line)));
    all.map(|(path, line)| {
        let read = read_line(line).unwrap_or_else(|fault| panic!("{path}: {line} {fault}"));
        let again = match &read {
            Line::Event(event) => event.line().to_owned(),
            Line::Stub(stub) => stub.line(),
        };
        assert_eq!(again, line, "{path}: the bytes of a line are kept");
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(canonical::value_to_string(&value), line, "{path}: lines are canonical");
        (path, read)
    })
    .collect()
}

fn events(files: &BTreeMap<String, String>) -> Vec<(String, Event)> {
    let all = lines(files).into_iter();
    all.filter_map(|(path, line)| match line {
        Line::Event(event) => Some((path, *event)),
        Line::Stub(_) => None,
    })
    .collect()
}

fn entries(events: &[(String, Event)]) -> Vec<Entry> {
    let mut of: BTreeMap<EntryKey, Vec<&Event>> = BTreeMap::new();
    for (_, event) in events {
        of.entry(event.entry.unwrap_or(EntryKey([0; 8]))).or_default().push(event);
    }
    of.into_values().filter_map(|events| fold(events, &|_| false)).collect()
}

fn check(entries: &[Entry], expected: Expect) {
    let mut shown: Vec<String> = entries
        .iter()
        .map(|entry| {
            format!(
                "{} · {} · {:?} · {} citations, {} links, {} events",
                entry.id(),
                entry.status,
                entry.fields.title(),
                entry.citations.len(),
                entry.links.len(),
                entry.events
            )
        })
        .collect();
    shown.sort();
    expected.assert_eq(&shown.join("\n"));
}

#[test]
fn the_first_version_is_read_for_ever() {
    let files = golden("v1.0", v1_0());
    check(
        &entries(&events(&files)),
        expect![[r#"
            entity.billing.001 · candidate · "Billing" · 1 citations, 0 links, 2 events
            friction.fb10126cc571c818 · candidate · "The linter crashed." · 0 citations, 0 links, 1 events
            lesson.8d9bf03b31397c2f · candidate · "Back off — always" · 3 citations, 0 links, 7 events
            norm.commit.001 · candidate · "Use conventional commits." · 1 citations, 0 links, 2 events
            relationship.37b600e54e135ed4 · candidate · "entity.billing.001 calls the card gateway" · 1 citations, 1 links, 3 events
            skill.c7349cb0e6b11ae6 · archived · "Bisect with the failing test alone." · 1 citations, 0 links, 3 events
            spike.2f186cfc59e939ab · candidate · "A pool of 8 is enough below 100 users." · 1 citations, 1 links, 3 events
            spike.f8002ea4834b561d · superseded · "A pool of 8 is enough." · 1 citations, 0 links, 3 events"#]],
    );
    let stubs = lines(&files).iter().filter(|(_, line)| matches!(line, Line::Stub(_))).count();
    assert_eq!(stubs, 2, "a purged entry and its citation");
    assert!(files.values().all(|text| !text.contains("swordfish")), "purged bytes are gone");
}

// The bytes of an event never change: today's code would write every line of the first version again.
#[test]
fn the_first_version_is_still_written() {
    for (path, event) in events(&golden("v1.0", v1_0())) {
        let Some(body) = event.body.clone() else { panic!("{path}: {} is not understood", event.line()) };
        let intent = Intent { entry: event.entry, body };
        let seal = Seal {
            replica: event.replica,
            seq: event.seq,
            parents: event.parents.clone(),
            clock: event.clock,
            actor: event.actor.clone(),
            basis: ken_core::event::Basis::default(),
        };
        assert_eq!(Event::seal(&intent, seal), event, "{path}");
    }
}

// STO-3, STO-8: where an entry lives and what it is called follow from what it says, for ever.
#[test]
fn entries_of_the_first_version_keep_their_names_and_places() {
    let files = golden("v1.0", v1_0());
    for entry in entries(&events(&files)) {
        let kind = entry.kind.known().unwrap();
        let key = EntryKey::derive(kind.word(), &entry.fields.scope_key(), &entry.fields.claim(kind));
        assert_eq!(key, entry.key, "{}", entry.id());
        let file = place::entry_file(&entry.kind, &entry.id(), entry.origin, entry.created.millis());
        assert!(files.contains_key(&file), "{file}");
    }
}

// STO-10: a newer minor version is read; what is unknown is kept.
#[test]
fn a_newer_version_is_read() {
    let files = golden("future-1.9", future_1_9());
    check(
        &entries(&events(&files)),
        expect![[r#"
            lesson.d693f91f425d5539 · candidate · "Seen on film." · 1 citations, 0 links, 3 events
            lesson.dabdb8472c6c87e6 · candidate · "From the future" · 2 citations, 1 links, 10 events
            norm.commit.900 · candidate · "Sign every commit." · 1 citations, 0 links, 2 events
            omen.001 · archived · "A type nobody knows yet." · 1 citations, 0 links, 3 events"#]],
    );
    let mut unknown: Vec<String> = Vec::new();
    for (_, event) in events(&files).into_iter().filter(|(_, event)| event.body.is_none()) {
        unknown.push(format!("{} {}", event.type_name, event.data()));
    }
    unknown.sort();
    expect![[r#"
        belief.observed {"outcome":"helped","weight":0.75}
        entry.cited {"citation":{"cited_at":1794708240,"cited_by":"agent:a9a9a9a9a9a9","evidence_ref":"reel-7","evidence_type":"film"}}
        entry.cited {"citation":{"cited_at":1794708240,"cited_by":"agent:a9a9a9a9a9a9","evidence_ref":"reel-8","evidence_type":"film"}}
        entry.dreamt {"of":{"sheep":["electric"]}}
        entry.restored {"reason":"winter","status":"hibernating"}
        link.linked {"relation":"rhymes_with","to":"0011223344556677"}
        store.tuned {"dial":11}"#]].assert_eq(&unknown.join("\n"));
}

fn from_the_future(id: &str) -> (Entry, Vec<Event>) {
    let events = events(&golden("future-1.9", future_1_9()));
    let entry = entries(&events).into_iter().find(|entry| entry.id().starts_with(id)).unwrap();
    let about =
        events.into_iter().map(|(_, event)| event).filter(|event| event.entry == Some(entry.key)).collect();
    (entry, about)
}

// Invariant 9.
#[test]
fn unknown_fields_survive_a_revision_by_this_version() {
    let (entry, mut events) = from_the_future("lesson.dabdb8472c6c87e6");
    let _context = Context {
        now: clock(99).millis(),
        replica: replica(1),
        actor: "ada".into(),
        authority: Authority::default(),
    };
    let change =
        Change { tags_add: vec!["today".into()], domains_add: vec!["today".into()], ..Change::default() };
    let intents = decide::revise(&entry, change).unwrap();
    let mut writer = Writer::default();
    for intent in intents {
        events.push(writer.seal(replica(1), clock(99), intent.entry, intent.body));
    }
    let revised = fold(&events, &|_| false).unwrap();

    let mut before = json!(entry.fields);
    before["tags"] = json!(["plain", "today"]);
    before["domains"] = json!([{"word": "weighted", "weight": 0.5}, "plain", "today"]);
    assert_eq!(json!(revised.fields), before);
    let extra: Vec<&str> = revised.fields.extra.keys().map(String::as_str).collect();
    assert_eq!(extra, ["aura", "domains", "mood", "polarity", "severity", "zeta"]);
    expect![[r#"{"aura":"blue","domains":[{"weight":0.5,"word":"weighted"},"plain","today"],"mood":{"word":"calmer"},"polarity":"mixed","severity":{"scale":"cvss","score":7.1},"zeta":12345678901234567}"#]].assert_eq(&canonical::to_string(&revised.fields.extra));
    expect![[r#"[[{"at":"src/a.rs:1-2","captured":{"blob":"00ff","lines":[1,2]},"moved":true},{"at":"src/b.rs"}],{"agent":"nova","orbit":3},{"edition":2,"path":"docs/a.md","position":"p. 4"}]"#]].assert_eq(&canonical::to_string(&(
        &revised.fields.anchors,
        &revised.fields.source,
        &revised.fields.document,
    )));
}

#[test]
fn an_unknown_type_is_an_entry_like_others() {
    let (omen, _) = from_the_future("omen.001");
    assert_eq!(omen.kind, TypeName::Unknown("omen".into()));
    assert_eq!((omen.memory(), omen.gaps(), omen.is_immutable()), (Memory::Semantic, vec![], false));
    assert_eq!(omen.fields.extra["portent"], "good");
    let _context = Context {
        now: clock(99).millis(),
        replica: replica(1),
        actor: "ada".into(),
        authority: Authority::default(),
    };
    let change = Change { set: beside(json!({"portent": "bad", "title": "t"})), ..Change::default() };
    assert_eq!(decide::revise(&omen, change).unwrap().len(), 1);

    let (norm, _) = from_the_future("norm.commit.900");
    assert_eq!((norm.kind.known(), norm.is_immutable()), (Some(Type::CommitNorm), true));
    assert_eq!(norm.fields.extra["examples"], json!([{"good": "git commit -S", "bad": "git commit"}]));
}

// Invariant 2: an index that keeps entries as text loses nothing of them.
#[test]
fn entries_of_every_version_read_back_from_their_text() {
    for (name, made) in [("v1.0", v1_0()), ("future-1.9", future_1_9())] {
        for entry in entries(&events(&golden(name, made))) {
            let text = canonical::to_string(&entry);
            let read: Entry = serde_json::from_str(&text).unwrap();
            assert_eq!((&read, canonical::to_string(&read)), (&entry, text));
        }
    }
}

#[test]
fn the_secret_bytes_of_an_event_are_not_in_its_stub() {
    let event = read(
        Writer::default()
            .raw(replica(1), clock(1), None, Raw::new("x.y", json!({"word": "swordfish"})))
            .line(),
    );
    let stub = event.stub().line();
    assert!(!stub.contains("swordfish"));
    assert_eq!(read_line(&stub), Ok(Line::Stub(event.stub())));
}
