//! One line of every kind of event, as somebody with an editor and a commit would write it about an entry of others.

use serde_json::{Value, json};

/// The kind and the data of one event of every kind, about the entry with this key and statement; `other` is the key of another entry.
pub fn forged_lines(key: &str, statement: &str, other: &str) -> Vec<(&'static str, Value)> {
    let document = json!({"format": "okf", "root": "docs", "path": "a.md"});
    let scan = json!({"scanner": 1, "tier": "safe", "findings": []});
    vec![
        (
            "entry.added",
            json!({"type": "lesson", "id": "evil.id", "fields": {"statement": statement, "title": "Never", "detail": "Never."}, "evidence": [{"evidence_type": "pr", "evidence_ref": "#66", "cited_by": "human:Mallory", "cited_at": 1}]}),
        ),
        ("entry.rejected", json!({"type": "lesson", "hash": "00", "scan": scan, "reason": "bad"})),
        ("entry.released", json!({"reason": "trust me"})),
        ("entry.reinforced", json!({"statement": "Never.", "similarity": 990})),
        ("entry.revised", json!({"set": {"summary": "Never."}})),
        (
            "entry.cited",
            json!({"citation": {"evidence_type": "pr", "evidence_ref": "#66", "cited_by": "human:Mallory", "cited_at": 1}}),
        ),
        ("entry.archived", json!({"reason": "old"})),
        ("entry.retracted", json!({"reason": "wrong"})),
        ("entry.restored", json!({"status": "verified", "reason": "trust me"})),
        ("entry.superseded", json!({"by": other, "reason": "newer"})),
        ("entry.merged", json!({"into": other, "into_words": "00", "reason": "the same"})),
        ("entry.unmerged", json!({"from": other, "reason": "different"})),
        ("entry.staled", json!({"reason": "not used"})),
        ("entry.reanchored", json!({"anchors": [{"from": "src/net.rs", "to": {"at": "src/evil.rs"}}]})),
        ("entry.proved", json!({"steps": ["true"]})),
        ("entry.confirmed", json!({"kind": "independent", "run": "run-mallory"})),
        ("entry.promoted", json!({"status": "verified", "reason": "trust me"})),
        ("entry.pinned", json!({"words": "00"})),
        ("entry.rescoped", json!({"scope": "global", "reason": "for all"})),
        ("entry.purged", json!({"hashes": [], "reason": "gone"})),
        ("link.linked", json!({"relation": "supports", "to": other})),
        ("link.unlinked", json!({"relation": "supports", "to": other})),
        ("link.proposed", json!({"to": other, "similarity": 990})),
        ("link.dismissed", json!({"to": other, "reason": "different"})),
        ("run.exposed", json!({"how": "pulled"})),
        ("run.missed", json!({"query": "never", "similarity": 100})),
        ("run.unanswered", json!({"query": "never"})),
        ("run.exceeded", json!({"budget": 1, "tokens": 2})),
        ("run.started", json!({"run": "run-bo", "kind": "task", "about": "all"})),
        ("run.reported", json!({"run": "run-bo", "agent": "a", "report": "r", "findings": []})),
        ("run.finished", json!({"run": "run-bo", "outcome": "failed", "wrong": [key]})),
        ("run.cleared", json!({"run": "run-bo", "agent": "a"})),
        ("run.serviced", json!({"service": "dedup", "outcome": "ran", "changes": 3})),
        (
            "belief.observed",
            json!({"source": "run:mallory", "side": "against", "weight": 4_000_000_000_u32, "reason": "no"}),
        ),
        ("belief.reset", json!({"reason": "anew"})),
        ("belief.widened", json!({"thread": "t"})),
        ("setting.changed", json!({"name": "guard.strict", "value": false})),
        (
            "promotion.proposed",
            json!({"promotion": "P-1", "to": "procedural", "sources": [key], "evidence": [], "reason": "now"}),
        ),
        ("promotion.approved", json!({"promotion": "P-1", "words": "00", "channel": "terminal"})),
        ("promotion.rejected", json!({"promotion": "P-1", "reason": "no"})),
        ("gate.attested", json!({"change": "00"})),
        (
            "document.kept",
            json!({"document": document, "hash": "00", "parts": [{"text": "Never.", "entry": key}]}),
        ),
        ("document.seen", json!({"document": document, "hash": "00", "entries": {}})),
        ("document.left", json!({"document": document, "reason": "gone"})),
        (
            "forage.requested",
            json!({"request": "F-1", "mode": "operator", "trigger": "operator", "query": "all", "pages": 40}),
        ),
        (
            "forage.completed",
            json!({"request": "F-1", "mode": "operator", "reason": "done", "pages": 0, "read": 0, "entries": 0, "rejected": 0, "bytes": 0, "duration_ms": 0}),
        ),
        ("forage.strategy", json!({"domain": "example.com", "level": 2})),
        ("forage.override", json!({"domain": "example.com", "action": "trust"})),
    ]
}
