//! Decapod: the layout of its specification, the stores it ships, and their ledgers.

mod federation;
mod rows;
mod seed;

use ken_core::{Citation, EvidenceType};
use serde_json::{Value, json};

use crate::json_lines::{LineContent, Saying, lines};
use crate::{Document, Format, Outgoing, Place, Rewritten, Role, StoreFacts};

pub(crate) struct Decapod;

/// Ledgers that are kept unchanged.
const LEDGERS: &[&str] = &[
    "knowledge.promotions.jsonl",
    "knowledge.retrieval.events.jsonl",
    "knowledge.decay.events.jsonl",
    "broker.events.jsonl",
];

/// What a file of this system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// Rows of `knowledge.db`.
    Rows,
    /// The events of the memory graph.
    Federation,
    /// What went wrong, a line each.
    Friction,
    /// One entry of the seed layout.
    Entry,
    /// A ledger about the entries.
    Ledger,
    /// Something made from the others.
    Derived,
    Other,
}

impl Holds {
    fn from_path(path: &str) -> Holds {
        let path = path.replace('\\', "/");
        let mut folders: Vec<&str> = path.split('/').collect();
        let name = folders.pop().unwrap_or_default();
        match name {
            "knowledge.db.jsonl" => Holds::Rows,
            "federation.events.jsonl" => Holds::Federation,
            "friction_ledger.jsonl" => Holds::Friction,
            name if LEDGERS.contains(&name) => Holds::Ledger,
            "_index.md" | "_graph.json" => Holds::Derived,
            name if name.ends_with(".md") && folders.contains(&"vault") => Holds::Derived,
            name if name.ends_with(".events.jsonl") => Holds::Ledger,
            name if name.ends_with(".jsonl") && folders.last() == Some(&"provenance") => Holds::Ledger,
            name if name.ends_with(".jsonl") => Holds::Entry,
            _ => Holds::Other,
        }
    }
}

impl Format for Decapod {
    fn word(&self) -> &'static str {
        "decapod"
    }

    fn about(&self) -> &'static str {
        "Decapod: seed layout, knowledge.db, federation events and ledgers"
    }

    fn claims(&self, path: &str, head: &str) -> u8 {
        let folders = format!("/{}", path.replace('\\', "/"));
        let is_home = is_home(path);
        let has = |words: &[&str]| words.iter().all(|word| head.contains(word));
        match Holds::from_path(path) {
            Holds::Rows | Holds::Federation | Holds::Friction => 98,
            Holds::Ledger if folders.contains("/knowledge.") => 95,
            Holds::Ledger if is_home || has(&["\"event_id\"", "\"op\"", "\"db_id\""]) => 92,
            Holds::Ledger if has(&["\"evidence_type\"", "\"cited_by\""]) => 85,
            Holds::Entry if is_home && folders.contains("/knowledge/") => 96,
            Holds::Entry if has(&["\"schema_version\"", "\"type\"", "\"evidence_type\""]) => 90,
            Holds::Entry if has(&["\"schema_version\"", "\"type\"", "\"provenance\""]) => 85,
            Holds::Entry if has(&["\"event_type\"", "\"node_id\"", "\"payload\""]) => 60,
            Holds::Derived if folders.contains("/federation/") => 97,
            Holds::Derived if head.starts_with("# Federation Vault Index") => 88,
            Holds::Ledger | Holds::Entry | Holds::Derived | Holds::Other if is_home => 55,
            Holds::Ledger | Holds::Entry | Holds::Derived | Holds::Other => 0,
        }
    }

    fn read(&self, path: &str, text: &str) -> Document {
        match Holds::from_path(path) {
            Holds::Rows => rows::read(text),
            Holds::Federation => federation::read(text),
            Holds::Friction => seed::friction(path, text),
            Holds::Entry => seed::read(path, text),
            Holds::Ledger => ledger(path, text),
            Holds::Derived => Document::opaque(Role::Derived, text, None),
            Holds::Other => Document::opaque(Role::Other, text, None),
        }
    }

    fn rewrite(&self, item: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
        if now.changed.is_empty() {
            return Rewritten::in_place(item.text);
        }
        match Holds::from_path(item.path) {
            Holds::Rows => rows::rewrite(item, now),
            Holds::Federation => federation::rewrite(item, now),
            Holds::Friction => seed::rewrite_friction(item, now),
            Holds::Entry => seed::rewrite(item, now),
            Holds::Ledger | Holds::Derived | Holds::Other => {
                Rewritten { unsaid: now.changed.iter().cloned().collect(), ..Rewritten::in_place(item.text) }
            }
        }
    }

    fn path_for(&self, now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
        Some(seed::path_for(now, known))
    }

    fn insert(&self, path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        match Holds::from_path(path) {
            Holds::Federation => federation::insert(text, now),
            Holds::Friction => seed::insert_friction(text, now),
            Holds::Rows | Holds::Entry | Holds::Ledger | Holds::Derived | Holds::Other => {
                seed::insert(path, text, now)
            }
        }
    }
}

/// Whether a file lies in the folder of this system: what is there is nobody else's.
pub(crate) fn is_home(path: &str) -> bool {
    path.split(['/', '\\']).any(|folder| folder == ".decapod")
}

/// A line of the promotion ledger: somebody put an entry in force, and on what grounds.
pub fn promotion_line(
    event_id: &str,
    ts: ken_core::Millis,
    source_entry_id: &str,
    evidence_refs: &[String],
    approved_by: &str,
    actor: &str,
    reason: &str,
) -> String {
    let mut evidence: Vec<&str> =
        evidence_refs.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    evidence.sort_unstable();
    evidence.dedup();
    // The keys come in the order in which its own program writes them.
    let members = [
        ("event_id", json!(event_id)),
        ("ts", json!(crate::json_lines::stamp(ts))),
        ("source_entry_id", json!(source_entry_id)),
        ("target_class", json!("procedural")),
        ("evidence_refs", json!(evidence)),
        ("approved_by", json!(approved_by)),
        ("actor", json!(actor)),
        ("reason", json!(reason)),
    ];
    ordered(&members)
}

/// An object with its members in this order, and a line break.
fn ordered(members: &[(&str, Value)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(key, value)| format!("{}:{value}", Value::from(*key))).collect();
    format!("{{{}}}\n", members.join(","))
}

/// A ledger, kept whole.
fn ledger(path: &str, text: &str) -> Document {
    let mut count = 0;
    let mut broken = Vec::new();
    for line in lines(text) {
        match line.said {
            LineContent::Nothing => (),
            LineContent::Object(_) => count += 1,
            LineContent::Wrong(why) => broken.push(why),
        }
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let lines = if count == 1 { "line" } else { "lines" };
    let note = format!("`{name}` is a ledger of {count} {lines}; it is kept whole");
    Document { broken, ..Document::opaque(Role::Other, text, Some(note)) }
}

/// What a provenance text of this system is to us: `file:src/a.rs#L3-L9` is `doc:src/a.rs:3-9`.
fn cited(provenance: &str) -> Option<String> {
    let (scheme, rest) = provenance.trim().split_once(':')?;
    match scheme {
        "commit" => Some(format!("commit:{rest}")),
        "file" => {
            let (path, lines) = rest.split_once('#').map_or((rest, ""), |(path, lines)| (path, lines));
            let lines = lines.replace('L', "");
            let place = if lines.is_empty() { path.to_owned() } else { format!("{path}:{lines}") };
            let is_test = path.split('/').any(|part| matches!(part, "test" | "tests"));
            Some(format!("{}:{place}", if is_test { "test" } else { "doc" }))
        }
        "url" => {
            let number = rest.split_once("/pull/").map(|(_, after)| after);
            let is_pull = number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()));
            Some(format!("{}:{rest}", if is_pull { "pr" } else { "doc" }))
        }
        "cmd" => Some(format!("test:{rest}")),
        "event" => Some(format!("transcript:event:{rest}")),
        _ => None,
    }
}

/// A citation in the words of this system; none where it has no word for it.
fn cite(citation: &Citation) -> Option<String> {
    let reference = citation.evidence_ref.as_str();
    let is_url = reference.contains("://");
    match citation.evidence_type {
        EvidenceType::Commit => Some(format!("commit:{reference}")),
        EvidenceType::Doc | EvidenceType::Test | EvidenceType::Pr if is_url => {
            Some(format!("url:{reference}"))
        }
        EvidenceType::Doc | EvidenceType::Test => Some(match reference.rsplit_once(':') {
            Some((path, lines)) if lines.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("file:{path}#L{}", lines.replace('-', "-L"))
            }
            _ => format!("file:{reference}"),
        }),
        EvidenceType::Pr => None,
        EvidenceType::Transcript => {
            Some(format!("event:{}", reference.strip_prefix("event:").unwrap_or(reference)))
        }
    }
}

/// Puts a provenance text of this system under an entry: as evidence, or as it is where it is none of the known forms.
fn rest_on(saying: &mut Saying, provenance: &str, odd: &mut Vec<Value>) {
    let is_cited = cited(provenance).is_some_and(|reference| saying.rests_on(&reference));
    if !is_cited {
        odd.push(Value::from(provenance));
        saying.note("its provenance has no form that we can cite; it is kept in attributes");
    }
}

/// How bad a priority is, where it is one of this system.
fn severity(word: &str) -> Option<f64> {
    matches!(word, "critical" | "notable" | "background").then(|| crate::words::severity(word))?
}
