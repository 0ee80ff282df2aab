//! Resources: an entry now and then, the briefing, the index and the health of the store.

use kenning::core::{Citation, Code, Refusal};
use kenning::{Error, Result};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::door::{Asker, ServedStore};

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";
/// Tokens of the briefing.
const BRIEFING_TOKENS: usize = 500;

/// The address of an entry.
pub(crate) fn entry_uri(id: &str) -> String {
    format!("ken://entry/{id}")
}

/// What can be read by name.
pub(crate) fn listed() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, about: &str, kind: &str| {
        Resource::new(uri, name).with_description(about).with_mime_type(kind)
    };
    vec![
        resource("ken://briefing", "briefing", "What an agent should know before it starts", MARKDOWN),
        resource("ken://index", "index", "All entries, one line each", MARKDOWN),
        resource("ken://health", "health", "Diagnostic checks of the store", JSON),
    ]
}

/// What can be read by a pattern.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("ken://entry/{id}", "entry")
            .with_description("An entry in full: statement, evidence, belief, whether it still holds")
            .with_mime_type(MARKDOWN),
        ResourceTemplate::new("ken://as-of/{commit}/{id}", "entry as of a commit")
            .with_description("An entry as of a commit or time, checked against the code of that time")
            .with_mime_type(MARKDOWN),
    ]
}

/// Reads one.
pub(crate) fn read(door: &ServedStore, asker: &Asker, uri: &str) -> Result<ResourceContents> {
    let Some(path) = uri.strip_prefix("ken://") else { return Err(unknown(uri).into()) };
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["briefing"] => door.ask(asker, true, |room| {
            Ok(contents(
                kenning::brief::brief(
                    &mut room.ken.ledger,
                    &room.ken.site,
                    &room.ken.models,
                    &room.ken.caller,
                    BRIEFING_TOKENS,
                )?
                .text,
                uri,
                MARKDOWN,
            ))
        }),
        ["index"] => door.ask(asker, true, |room| {
            Ok(contents(
                kenning::index_page::index_page(&mut room.ken.ledger, &room.ken.site, &room.ken.caller)?,
                uri,
                MARKDOWN,
            ))
        }),
        ["health"] => door.ask(asker, true, |room| {
            let checks = kenning::doctor::doctor(
                &mut room.ken.ledger,
                &room.ken.site,
                &mut room.ken.models,
                &room.ken.caller,
            )?;
            Ok(contents(format!("{:#}", json!({ "checks": checks })), uri, JSON))
        }),
        ["entry", id] => door.ask(asker, true, |room| {
            let view =
                kenning::show::show(&mut room.ken.ledger, &room.ken.site, &room.ken.caller, &decoded(id))?;
            Ok(contents(entry_text(&whole(&view)?), uri, MARKDOWN))
        }),
        ["as-of", commit, id] => door.ask(asker, true, |room| {
            let view = kenning::check::show_as_of(
                &room.ken.ledger,
                &room.ken.site,
                &room.ken.caller,
                &decoded(commit),
                &decoded(id),
            )?;
            Ok(contents(entry_text(&whole(&view)?), uri, MARKDOWN))
        }),
        _ => Err(unknown(uri).into()),
    }
}

fn whole(view: &kenning::EntryView) -> Result<Value> {
    serde_json::to_value(view).map_err(Error::failed("writing an entry"))
}

fn contents(text: String, uri: &str, kind: &str) -> ResourceContents {
    ResourceContents::text(text, uri).with_mime_type(kind)
}

fn unknown(uri: &str) -> Refusal {
    Refusal::new(Code::NotFound, format!("unknown resource {uri:?}"))
        .hint("ken://briefing, ken://index, ken://health, ken://entry/{id} or ken://as-of/{commit}/{id}")
}

/// `%2F` and the like, as addresses write them.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let pair = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.filter(|_| *first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An entry as a reader gets it: its words stand in a fence, since they may come from anywhere.
pub(crate) fn entry_text(view: &Value) -> String {
    let text = |name: &str| view[name].as_str().unwrap_or_default();
    let mut lines =
        vec![format!("[{}] {} ({}, {})", text("handle"), text("title"), text("type"), text("status"))];
    for name in ["statement", "detail"] {
        if let Some(said) =
            view["fields"][name].as_str().or(view[name].as_str()).filter(|said| !said.is_empty())
        {
            lines.push(said.to_owned());
        }
    }
    for citation in view["provenance"].as_array().into_iter().flatten() {
        let Ok(citation) = Citation::deserialize(citation) else { continue };
        let (kind, reference) = (citation.evidence_type, &citation.evidence_ref);
        lines.push(format!("evidence: {kind}:{reference}{}", citation.mark()));
    }
    for name in ["anchors", "verification", "depends_on", "tags"] {
        let list = view["fields"].get(name).or_else(|| view.get(name));
        let Some(Value::Array(list)) = list else { continue };
        for item in list {
            let said = match item {
                Value::String(text) => text.clone(),
                Value::Object(object) => ["at", "text", "ref", "step"]
                    .iter()
                    .find_map(|name| object.get(*name)?.as_str().map(str::to_owned))
                    .unwrap_or_else(|| item.to_string()),
                other => other.to_string(),
            };
            lines.push(format!("{name}: {said}"));
        }
    }
    for name in ["failed_source", "failed_last"] {
        lines.extend(view[name].as_str().map(str::to_owned));
    }
    let validity = &view["validity"];
    if let Some(verdict) = validity["verdict"].as_str().or(validity.as_str()) {
        lines.push(format!("still holds: {verdict}"));
    }
    kenning::guard::fence::block(&format!("entry {}", text("id")), &lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Evidence that was withdrawn looked as good as the rest.
    #[test]
    fn withdrawn_evidence_is_marked() {
        let cited = |reference: &str, mark: &str| {
            let mut citation = json!({"evidence_type": "doc", "evidence_ref": reference, "cited_by": "human:Ada", "cited_at": 1});
            citation[mark] = json!(true);
            citation
        };
        let view = json!({
            "id": "x", "handle": "L-1", "title": "T", "type": "lesson", "status": "active", "statement": "T.",
            "provenance": [cited("a.md", "withdrawn"), cited("b.md", "unverified")],
        });
        let text = entry_text(&view);
        assert!(text.contains("evidence: doc:a.md (withdrawn)\nevidence: doc:b.md (unverified)"), "{text}");
    }
}
