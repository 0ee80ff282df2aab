//! A secret in every string of every kind of event, of the actor and of the file: none gets through the gate (IN-2).

use std::collections::BTreeSet;

use ken_core::decide::Authority;
use ken_core::event::{
    BeliefEvent, DocumentEvent, EntryEvent, GateEvent, LinkEvent, PromotionEvent, RunEvent, SettingEvent,
};
use ken_core::{Body, EntryKey, ForageEvent, Intent, Millis};
use ken_engine::{Redacted, Writer};
use serde_json::{Value, json};

/// The part of the planted token that may be nowhere.
const CORE: &str = "Zqumpm08hsE8JNpjJOQGa2rb19FlY01xVVzU";

/// How a secret may lie in a text.
fn planted() -> Vec<String> {
    let token = format!("{}{CORE}", concat!("gh", "p_"));
    vec![
        token.clone(),
        format!("run-{token}"),
        format!("a.{token}"),
        format!("docs/{token}.md"),
        format!("The bot pushes with {token} since May."),
        format!("{}\u{200b}{}", &token[..20], &token[20..]),
    ]
}

/// One event of each kind, with every field that it can have.
fn samples() -> Vec<(&'static str, Value)> {
    let key = "00112233445566aa";
    let when = Millis(1_767_225_600_000);
    let hash = "0011223344556677889900112233445566778899";
    let citation = json!({"evidence_type": "doc", "evidence_ref": "notes.md", "cited_by": "agent:a", "cited_at": 1, "unverified": true});
    let scan = json!({"scanner": 1, "tier": "low", "findings": [{"axis": "unsafe_code", "rule": "weak-hash", "severity": "low", "field": "detail", "start": 0, "end": 4}]});
    let admission =
        json!({"outcome": "demoted", "score": 500, "signals": [1, 2, 3, 4, 5, 6, 7], "flags": ["few words"]});
    let captured = json!({"by": "rust.1", "blob": hash, "path": "src/a.rs", "lines": [1, 2], "symbol": "a", "print": "00aa", "tokens": 3, "parts": "00aa", "twins": 1, "needles": ["retry"], "text": "fn a() {}"});
    let anchor = json!({"at": "src/a.rs", "captured": captured, "newer": {"inner": ["later"]}});
    let fields = json!({"statement": "Retry.", "title": "Retry", "tags": ["net"], "anchors": [anchor], "attributes": {"deep": [{"er": "value"}]}, "db_password": "none"});
    let document = json!({"format": "okf", "root": "notes", "path": "a.md"});
    let finding = json!({"id": "SA-1", "title": "A", "text": "B", "places": ["src/a.rs"], "section": "C", "severity": 1.0, "severity_word": "low", "confidence": 2.0, "category": "D", "dismissed": true, "primed": true, "durable": true, "verification": ["E"], "evidence": ["F"]});
    let part = json!({"text": "one", "bytes": "b25l", "entry": key, "name": "two", "seen": {"title": "00aa"}, "redacted": ["three"], "withheld": "four", "continued": true});
    let draft = json!({"type": "rule", "id": "some-rule", "fields": fields});
    vec![
        (
            "entry.added",
            json!({"type": "lesson", "id": "net-1", "handle": "L-00aa", "fields": fields, "evidence": [citation], "not_run": ["similar"], "scan": scan, "admission": admission, "since": when}),
        ),
        (
            "entry.rejected",
            json!({"type": "lesson", "handle": "L-00aa", "hash": hash, "scan": scan, "admission": admission, "reason": "why"}),
        ),
        ("entry.released", json!({"reason": "why", "words": "00aa"})),
        ("entry.reinforced", json!({"statement": "Retry again.", "similarity": 950})),
        (
            "entry.revised",
            json!({"set": {"detail": "more", "attributes": {"a": "b"}}, "add": {"tags": ["net"]}, "remove": {"tags": ["old"]}, "reason": "why", "scan": scan}),
        ),
        ("entry.cited", json!({"citation": citation})),
        ("entry.pinned", json!({"words": hash})),
        ("entry.archived", json!({"reason": "why"})),
        ("entry.retracted", json!({"reason": "why"})),
        ("entry.restored", json!({"status": "candidate", "reason": "why"})),
        ("entry.superseded", json!({"by": key, "reason": "why"})),
        (
            "entry.merged",
            json!({"into": key, "into_words": "0011223344556677", "similarity": 990, "reason": "why"}),
        ),
        ("entry.unmerged", json!({"from": key, "reason": "why"})),
        ("entry.staled", json!({"reason": "why"})),
        ("entry.reanchored", json!({"anchors": [{"from": "src/a.rs", "to": anchor}]})),
        ("entry.proved", json!({"steps": ["cargo test"]})),
        (
            "entry.confirmed",
            json!({"kind": "independent", "run": "run-1", "agents": ["alpha"], "reason": "why", "at": when}),
        ),
        ("entry.promoted", json!({"status": "verified", "reason": "why"})),
        ("entry.rescoped", json!({"scope": "project", "reason": "why"})),
        ("entry.purged", json!({"hashes": [hash], "reason": "why"})),
        ("link.linked", json!({"relation": "relates_to", "to": key})),
        ("link.unlinked", json!({"relation": "relates_to", "to": key})),
        ("link.proposed", json!({"to": key, "similarity": 900})),
        ("link.dismissed", json!({"to": key, "reason": "why"})),
        ("run.exposed", json!({"run": "run-1", "agent": "alpha", "how": "pulled", "entries": [key]})),
        ("run.missed", json!({"run": "run-1", "query": "how", "similarity": 100})),
        ("run.unanswered", json!({"run": "run-1", "query": "how", "role": "reviewer"})),
        ("run.exceeded", json!({"run": "run-1", "budget": 1, "tokens": 2})),
        (
            "run.started",
            json!({"run": "run-1", "kind": "task", "about": "net", "project": "shop", "thread": "t", "agents": [{"name": "alpha", "role": "reviewer", "family": "f"}], "strategy": "s", "paths": ["src/a.rs"]}),
        ),
        (
            "run.reported",
            json!({"run": "run-1", "agent": "alpha", "report": "00aa", "findings": [finding], "failed": true}),
        ),
        (
            "run.finished",
            json!({"run": "run-1", "outcome": "succeeded", "quality": 1, "used": [key], "cost": 1, "rounds": 1, "strategy": "s", "extracted": 1, "wrong": [key], "ended": true}),
        ),
        ("run.cleared", json!({"run": "run-1", "agent": "alpha"})),
        ("run.serviced", json!({"service": "dedup", "outcome": "ran", "changes": 1, "reason": "why"})),
        (
            "belief.observed",
            json!({"source": "run:run-1", "side": "for", "weight": 1, "reason": "why", "at": when}),
        ),
        ("belief.reset", json!({"reason": "why"})),
        ("belief.widened", json!({"thread": "t"})),
        ("setting.changed", json!({"name": "scoring", "value": {"deep": ["text"]}})),
        (
            "promotion.proposed",
            json!({"promotion": "P-1", "to": "procedural", "sources": [key], "evidence": [citation], "reason": "why", "draft": draft}),
        ),
        (
            "promotion.approved",
            json!({"promotion": "P-1", "words": "00aa", "channel": "terminal", "solo": true, "signature": "sealed"}),
        ),
        ("promotion.rejected", json!({"promotion": "P-1", "reason": "why"})),
        ("gate.attested", json!({"change": "00aa", "note": "fine", "signature": "sealed"})),
        (
            "document.kept",
            json!({"document": document, "hash": hash, "derived": true, "piece": 1, "more": 1, "parts": [part]}),
        ),
        ("document.seen", json!({"document": document, "hash": hash, "entries": {key: {"title": "00aa"}}})),
        ("document.left", json!({"document": document, "reason": "why"})),
        (
            "forage.requested",
            json!({"request": "F-1", "mode": "reactive", "trigger": "reactive", "query": "how", "pages": 5, "answers": "F-0"}),
        ),
        (
            "forage.completed",
            json!({"request": "F-1", "mode": "reactive", "reason": "done", "pages": 3, "read": 2, "entries": 1, "rejected": 1, "bytes": 9, "duration_ms": 9}),
        ),
        ("forage.strategy", json!({"domain": "example.com", "level": 1, "successes": 1, "failures": 1})),
        ("forage.override", json!({"domain": "example.com", "action": "trust", "reason": "why"})),
    ]
}

/// The names of all events of a family, as its own reader lists them.
fn kinds<Family: serde::de::DeserializeOwned>() -> Vec<String> {
    let refused =
        serde_json::from_value::<Family>(json!({"type": "?", "data": {}})).err().unwrap().to_string();
    refused.split('`').skip(1).step_by(2).filter(|name| *name != "?").map(str::to_owned).collect()
}

#[test]
fn there_is_a_sample_of_every_kind_of_event() {
    // A new family does not compile until it is listed here and below.
    fn family(body: &Body) -> &'static str {
        match body {
            Body::Entry(_) => "entry",
            Body::Link(_) => "link",
            Body::Run(_) => "run",
            Body::Belief(_) => "belief",
            Body::Setting(_) => "setting",
            Body::Promotion(_) => "promotion",
            Body::Gate(_) => "gate",
            Body::Document(_) => "document",
            Body::Forage(_) => "forage",
        }
    }
    let all: BTreeSet<String> = [
        kinds::<EntryEvent>(),
        kinds::<LinkEvent>(),
        kinds::<RunEvent>(),
        kinds::<BeliefEvent>(),
        kinds::<SettingEvent>(),
        kinds::<PromotionEvent>(),
        kinds::<GateEvent>(),
        kinds::<DocumentEvent>(),
        kinds::<ForageEvent>(),
    ]
    .concat()
    .into_iter()
    .collect();
    assert!(all.len() > 30, "{all:?}");
    assert_eq!(samples().iter().map(|(name, _)| (*name).to_owned()).collect::<BTreeSet<_>>(), all);
    for (name, data) in samples() {
        let body = Body::from_data(name, &data).unwrap_or_else(|| panic!("{name} cannot be read: {data}"));
        assert_eq!(body.data(), data, "{name}: every field of the sample is one of the event");
        assert!(name.starts_with(family(&body)));
        // What holds no secret is written as it is.
        let gone_through = Redacted::new(vec![intent(body.clone())], &writer("human:Ada")).unwrap();
        assert_eq!(gone_through.intents(), [intent(body)]);
    }
}

/// Every place of a string: the values, and the names of fields.
fn places(value: &Value, here: &str, out: &mut Vec<String>) {
    match value {
        Value::String(_) => out.push(here.to_owned()),
        Value::Array(members) => {
            for (at, member) in members.iter().enumerate() {
                places(member, &format!("{here}/{at}"), out);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                out.push(format!("{here}/{name}\0"));
                places(member, &format!("{here}/{name}"), out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn plant(data: &Value, place: &str, secret: &str) -> Value {
    let mut data = data.clone();
    match place.strip_suffix('\0') {
        None => *data.pointer_mut(place).unwrap() = Value::from(secret),
        Some(named) => {
            let (parent, name) = named.rsplit_once('/').unwrap();
            let members = data.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            let value = members.remove(name).unwrap();
            members.insert(secret.to_owned(), value);
        }
    }
    data
}

fn intent(body: Body) -> Intent {
    Intent {
        // The key of the lesson that the first sample states (COR-18).
        entry: Some(EntryKey::derive("lesson", "project", "Retry.")),
        body,
    }
}

fn writer(actor: &str) -> Writer {
    Writer { actor: actor.to_owned(), now: Millis(1), authority: Authority::attended("human:Ada", false) }
}

fn holds_core(text: &str) -> bool {
    text.replace("\\u200b", "").replace('\u{200b}', "").to_lowercase().contains(&CORE.to_lowercase())
}

#[test]
fn no_string_of_any_event_lets_a_secret_through() {
    let (mut tried, mut redacted, mut refused) = (0, 0, 0);
    for (name, data) in samples() {
        let mut all = Vec::new();
        places(&data, "", &mut all);
        for place in all {
            for secret in planted() {
                // What is no event at all is none of the gate's business.
                let Some(body) = Body::from_data(name, &plant(&data, &place, &secret)) else { continue };
                if !holds_core(&body.data().to_string()) {
                    continue;
                }
                tried += 1;
                match Redacted::new(vec![intent(body)], &writer("human:Ada")) {
                    Ok(done) => {
                        let left = done.intents()[0].body.data().to_string();
                        assert!(!holds_core(&left), "{name} {place} lets {secret:?} through: {left}");
                        redacted += 1;
                    }
                    Err(error) => {
                        assert!(!holds_core(&format!("{error} {error:?}")), "{name} {place}: {error}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(
        tried > 900 && redacted > 900 && refused > 0,
        "{tried} tried, {redacted} redacted, {refused} refused"
    );
}

#[test]
fn the_actor_lets_no_secret_through() {
    let (name, data) = samples().remove(0);
    for secret in planted() {
        let body = Body::from_data(name, &data).unwrap();
        let done = Redacted::new(vec![intent(body)], &writer(&format!("human:{secret}"))).unwrap();
        assert!(!holds_core(&done.writer().actor), "{}", done.writer().actor);
    }
}

/// What the intake found clean is not looked through again, whoever asks and however often; what it did not see is.
#[test]
fn a_text_that_was_looked_through_does_not_vouch_for_another() {
    let secret = planted().remove(4);
    let mut clean = "The bot pushes since May.".to_owned();
    ken_engine::intake::clean_word("reason", &mut clean).unwrap();
    for text in [clean.as_str(), &secret] {
        let body = Body::from_data("entry.archived", &json!({"reason": text})).unwrap();
        let done = Redacted::new(vec![intent(body)], &writer("human:Ada")).unwrap();
        assert_eq!(done.intents()[0].body.data()["reason"] == text, text == clean);
    }
    // A value that only its name gives away.
    for (name, kept) in [("colour", true), ("db_password", false)] {
        let value = concat!("wV7", "kohlrabiQ", "92x");
        let body = Body::from_data("setting.changed", &json!({"name": "x", "value": {name: value}})).unwrap();
        let done = Redacted::new(vec![intent(body)], &writer("human:Ada")).unwrap();
        assert_eq!(done.intents()[0].body.data()["value"][name] == value, kept, "{name}");
    }
}
