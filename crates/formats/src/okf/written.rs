//! Concepts as they are written: again with a change in them, anew, and the line of the index that leads to them.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::kinds::{Confirmation, Status};
use ken_core::{EvidenceType, Type};
use serde_json::{Map, Value, json};

use super::{OURS, concept, is_odd, listed, resolved, resources};
use crate::content::{self, Body, claim_of};
use crate::front::{self, Front};
use crate::{File, Outgoing, Place, Rewritten, Source, StoreFacts, plain, prose};

/// Who wrote what we write, as a bundle names actors.
const ACTOR: &str = "process:kenning";
/// Characters of a file's name, at most.
const SLUG_CHARS_MAX: usize = 60;

/// The keys that can be of a shape we do not know, and the fields that are said there.
const KEYS: &[(&str, &[&str])] = &[
    ("title", &["title", "name"]),
    ("description", &["summary"]),
    ("tags", &["tags"]),
    ("anchors", &["anchors"]),
    ("related", &["links"]),
];

/// A concept with the changes of its entry.
pub(super) fn again(place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
    let text = place.text;
    let Some(front) = Front::parse(text) else {
        return Rewritten { unsaid: content::unsaid(now, &[]), ..Rewritten::in_place(text) };
    };
    let end = front::line_end(text);
    let fields = now.fields;
    let mut said: Vec<&str> =
        ["title", "name", "summary", "detail", "tags", "anchors", "attributes", "status"]
            .into_iter()
            .chain(["last_confirmed", "confirmation", "citations", "links"])
            .chain(content::CLAIMS.iter().copied())
            .collect();
    said.extend(OURS);
    for (_, names) in KEYS.iter().filter(|(key, _)| is_odd(&front, key)) {
        said.retain(|name| !names.contains(name));
    }

    let claim = content::new_claim(now);
    let detail = now.has_changed("detail").then(|| fields.detail.clone().unwrap_or_default());
    let mut new = text.to_owned();
    if claim.is_some() || detail.is_some() {
        new = said_in(&front, claim.as_deref(), detail.as_deref(), own_claim(now).as_deref(), end);
    }
    let mut put = |key: &str, value: &Value| {
        if !is_odd(&front, key) || now.has_changed("attributes") {
            new = front::set(&new, key, value);
        }
    };
    if now.has_changed("title") || now.has_changed("name") {
        put("title", &Value::from(prose::title(&fields.title())));
    }
    if now.has_changed("summary") {
        put("description", &fields.summary.clone().map_or(Value::Null, Value::from));
    }
    if now.has_changed("tags") {
        put("tags", &listing(content::respelt(&front.words("tags"), &fields.tags, ToString::to_string)));
    }
    if now.has_changed("anchors") {
        put("anchors", &fields.anchors.iter().map(|anchor| Value::from(anchor.at.as_str())).collect());
    }
    for name in OURS.iter().filter(|name| now.has_changed(name)) {
        put(name, &field(now, name));
    }
    if now.has_changed("attributes") {
        let mut before = front.values.clone();
        let told = own_before(place);
        before.retain(|name, _| told.contains_key(&*plain::plain(name)));
        for (name, value) in content::changes(&before, &fields.attributes) {
            // A key with nothing after it cannot be written by a value that takes keys out.
            if value != Some(Value::Null) {
                put(&name, &value.unwrap_or_default());
            }
        }
    }
    if now.has_changed("status") {
        let word = front.str("status").unwrap_or("stable").to_lowercase();
        if !means(&word).contains(&now.status) {
            put("status", &Value::from(word_of(now.status)));
        }
        let other = now.superseded_by.as_deref().filter(|_| now.status == Status::Superseded);
        if let Some(other) = other {
            put("superseded_by", &Value::from(other));
        }
    }
    if (now.has_changed("last_confirmed") || now.has_changed("confirmation"))
        && let Some(event) = confirmation(now)
    {
        let mut events = match front.values.get("verified") {
            Some(Value::Array(events)) => events.clone(),
            None | Some(Value::Null) => Vec::new(),
            Some(one) => vec![one.clone()],
        };
        events.push(event);
        put("verified", &Value::Array(events));
    }
    if now.has_changed("citations") {
        let known = resources(&front);
        let new: Vec<Value> = cited(now)
            .into_iter()
            .filter(|cited| !known.contains(cited))
            .map(|r| json!({"resource": r}))
            .collect();
        if !new.is_empty() {
            let mut sources =
                front.values.get("sources").and_then(Value::as_array).cloned().unwrap_or_default();
            sources.extend(new);
            put("sources", &Value::Array(sources));
        }
    }
    if now.has_changed("links") {
        let linked: Vec<String> =
            listed(front.body()).filter_map(|target| resolved(place.path, target)).collect();
        let names = now.ties.iter().map(|(_, name)| name.as_str());
        let names: Vec<Value> =
            names.filter(|name| !linked.iter().any(|known| known == name)).map(Value::from).collect();
        put("related", &listing(Value::Array(names)));
    }
    Rewritten { unsaid: content::unsaid(now, &said), ..Rewritten::in_place(new) }
}

/// The file with another claim or detail. Words that a body would give back otherwise go into a key of their own. `now` is the claim of
/// the entry, where it has one.
fn said_in(
    front: &Front<'_>,
    claim: Option<&str>,
    detail: Option<&str>,
    now: Option<&str>,
    end: &str,
) -> String {
    let (head, text) = front.text.split_at(front.body);
    let native = |detail: &str| detail.trim().replace("\r\n", "\n").replace('\n', end);
    if front.values.get("statement").is_some_and(Value::is_string) {
        let new = match detail {
            Some(detail) => format!("{head}{end}{}{end}", native(detail)),
            None => front.text.to_owned(),
        };
        return claim.map_or_else(|| new.clone(), |claim| front::set(&new, "statement", &Value::from(claim)));
    }
    let body = Body::parse(text);
    // Where the body makes no claim of its own, a new rest must not become one.
    let claim = claim.or(now.filter(|_| body.claim.is_empty()));
    let new = body.with(claim, detail, end);
    let again = Body::parse(&new);
    let wanted = claim.map(plain::trimmed).or_else(|| body.statement());
    let rest =
        detail.map_or_else(|| body.detail(), |detail| Some(plain::trimmed(&detail.replace("\r\n", "\n"))));
    if again.statement() == wanted && again.detail().unwrap_or_default() == rest.unwrap_or_default() {
        return format!("{head}{new}");
    }
    let rest = detail.map_or_else(|| body.rest.trim().to_owned(), native);
    let new = format!("{head}{end}{rest}{end}");
    front::set(&new, "statement", &Value::from(wanted.unwrap_or_default()))
}

fn own_before(place: Place<'_>) -> Map<String, Value> {
    let document = crate::Format::read(&super::Okf, place.path, place.text);
    let item = document.items().next().and_then(|item| item.content.get("attributes")).cloned();
    match item {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// An empty list takes its key out.
fn listing(list: Value) -> Value {
    if list.as_array().is_some_and(Vec::is_empty) { Value::Null } else { list }
}

fn field(now: &Outgoing<'_>, name: &str) -> Value {
    let fields = serde_json::to_value(now.fields).unwrap_or_default();
    fields.get(name).cloned().unwrap_or_default()
}

fn confirmation(now: &Outgoing<'_>) -> Option<Value> {
    let kind = now.confirmation.unwrap_or(Confirmation::Independent);
    let at = now.last_confirmed?;
    Some(json!({"by": ACTOR, "at": at.to_string(), "confirmation": kind.word()}))
}

/// The statuses that a word of a bundle stands for.
fn means(word: &str) -> &'static [Status] {
    match word {
        "draft" => &[Status::Candidate],
        "deprecated" => {
            &[Status::Superseded, Status::Retracted, Status::Archived, Status::Rejected, Status::Stale]
        }
        _ => &[Status::Active, Status::Verified],
    }
}

fn word_of(status: Status) -> &'static str {
    match status {
        Status::Candidate => "draft",
        Status::Active | Status::Verified => "stable",
        Status::Rejected | Status::Stale | Status::Archived | Status::Retracted | Status::Superseded => {
            "deprecated"
        }
    }
}

/// The citations as resources: paths and addresses as they are, the others with their kind before them.
fn cited(now: &Outgoing<'_>) -> Vec<String> {
    let one = |citation: &&ken_core::Citation| match citation.evidence_type {
        EvidenceType::Doc => citation.evidence_ref.clone(),
        EvidenceType::Pr if citation.evidence_ref.contains("://") => citation.evidence_ref.clone(),
        kind @ (EvidenceType::Commit | EvidenceType::Pr | EvidenceType::Test | EvidenceType::Transcript) => {
            format!("{kind}:{}", citation.evidence_ref)
        }
    };
    let mut cited: Vec<String> = now.citations.iter().map(one).collect();
    cited.dedup();
    cited
}

/// The word for the type of an entry, as bundles write it: `Lesson`, `Decision`, `False Positive`.
fn type_word(now: &Outgoing<'_>) -> String {
    let subtype = now.fields.subtype.as_deref();
    let is_told = subtype.is_some_and(|subtype| {
        content::kind_of(subtype)
            == now.kind.known().map(|kind| (kind, kind.subtypes().iter().copied().find(|s| *s == subtype)))
    });
    let word = subtype.filter(|_| is_told).unwrap_or(now.kind.word());
    let capital = |part: &str| {
        let mut chars = part.chars();
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect::<String>())
    };
    word.split('_').map(capital).collect::<Vec<_>>().join(" ")
}

/// The path of a new concept: `lessons/retry-with-jitter.md`.
pub(super) fn path(now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
    if claim_of(now.fields).is_empty() {
        return None;
    }
    let word = prose::slug(&type_word(now), SLUG_CHARS_MAX);
    let folder = match word.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{word}s"),
    };
    let slug = match prose::slug(&now.fields.title(), SLUG_CHARS_MAX) {
        // They have a meaning of their own.
        slug if matches!(slug.as_str(), "index" | "log") => format!("{slug}-entry"),
        slug => slug,
    };
    let name = prose::free(&slug, |slug| known.paths.contains(&format!("{folder}/{slug}.md")));
    Some(format!("{folder}/{name}.md"))
}

/// A new concept.
pub(super) fn anew(now: &Outgoing<'_>) -> String {
    let fields = now.fields;
    let mut text = "---\n---\n".to_owned();
    let mut put = |key: &str, value: &Value| text = front::set(&text, key, value);
    let title = prose::title(&fields.title());
    put("type", &Value::from(type_word(now)));
    put("title", &Value::from(title.as_str()));
    put("description", &fields.summary.clone().map_or(Value::Null, Value::from));
    put("tags", &listing(content::respelt(&[], &fields.tags, ToString::to_string)));
    put("anchors", &listing(fields.anchors.iter().map(|anchor| Value::from(anchor.at.as_str())).collect()));
    for name in OURS {
        let is_said =
            *name == "subtype" && content::kind_of(&type_word(now)).is_some_and(|(_, said)| said.is_some());
        if !is_said {
            put(name, &field(now, name));
        }
    }
    for (name, value) in fields.attributes.iter().filter(|(name, _)| is_free(name)) {
        put(name, value);
    }
    put("sources", &listing(cited(now).into_iter().map(|resource| json!({"resource": resource})).collect()));
    put("generated", &json!({"by": ACTOR, "at": now.updated.to_string()}));
    put("verified", &listing(confirmation(now).into_iter().collect()));
    put("status", &Value::from(word_of(now.status)));
    if let Some(other) = now.superseded_by.as_deref() {
        put("superseded_by", &Value::from(other));
    }
    put("related", &listing(now.ties.iter().map(|(_, name)| Value::from(name.as_str())).collect()));
    let head = format!("\n# {title}\n\n");
    let text = format!("{text}{head}");
    let Some(front) = Front::parse(&text) else { return text };
    let claim = own_claim(now);
    let detail = fields.detail.as_deref().unwrap_or_default();
    said_in(&front, claim.as_deref(), Some(detail), claim.as_deref(), "\n")
}

/// The claim of an entry; a thing can do without.
fn own_claim(now: &Outgoing<'_>) -> Option<String> {
    let is_thing = now.kind.known() == Some(Type::Entity);
    let says = !is_thing || now.fields.description.is_some() || now.fields.statement.is_some();
    says.then(|| claim_of(now.fields))
}

/// Whether a caller's own field can be a key of its own.
fn is_free(name: &str) -> bool {
    let written = [
        "type",
        "title",
        "description",
        "tags",
        "anchors",
        "sources",
        "generated",
        "verified",
        "status",
        "related",
        "statement",
        "superseded_by",
    ];
    let is_key =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    is_key && !written.contains(&name) && !OURS.contains(&name)
}

/// The index at the root, with a line for each concept that was written by us and is not listed yet.
pub(super) fn index(files: &[Source<'_>], known: &StoreFacts<'_>) -> Vec<File> {
    const PATH: &str = "index.md";
    let before = files.iter().find(|file| file.path == PATH).map(|file| file.text);
    if before.is_none() && known.paths.contains(PATH) {
        return Vec::new();
    }
    let mut text = before.unwrap_or_default().to_owned();
    let is_index = |file: &&Source<'_>| file.path.rsplit('/').next() == Some(PATH);
    let known: BTreeSet<String> = files
        .iter()
        .filter(is_index)
        .flat_map(|file| listed(file.text).filter_map(|target| resolved(file.path, target)))
        .collect();
    let end = front::line_end(&text);
    let mut lines: BTreeMap<&str, String> = BTreeMap::new();
    for file in files.iter().filter(|file| file.path.ends_with(".md") && super::reserved(file.path).is_none())
    {
        let Some(front) = Front::parse(file.text) else { continue };
        let by = front.values.get("generated").and_then(|event| event.get("by"));
        if by.and_then(Value::as_str) != Some(ACTOR) || known.contains(concept(file.path)) {
            continue;
        }
        let title = front.str("title").map_or_else(|| prose::title_of(file.path), str::to_owned);
        let about = front.str("description").map(|about| format!(" - {}", content::one_line(about)));
        let folder = file.path.split_once('/').map_or("", |(folder, _)| folder);
        let line = format!(
            "* [{}](/{}){}{end}",
            content::one_line(&title).replace(['[', ']'], ""),
            file.path,
            about.unwrap_or_default()
        );
        lines.entry(folder).or_default().push_str(&line);
    }
    if lines.is_empty() {
        return Vec::new();
    }
    for (folder, lines) in lines {
        let heading = if folder.is_empty() { "Concepts".to_owned() } else { prose::title_of(folder) };
        text = with_lines(&text, &format!("# {heading}"), &lines, end);
    }
    vec![File { path: PATH.to_owned(), text }]
}

/// A text with lines at the end of a section, which is made where it is not there.
fn with_lines(text: &str, heading: &str, lines: &str, end: &str) -> String {
    let mut at = 0;
    let mut place = None;
    for one in text.split_inclusive('\n') {
        let words = one.trim();
        let is_heading = content::is_heading(words);
        if place.is_some() && is_heading {
            break;
        }
        at += one.len();
        if words == heading || (place.is_some() && !words.is_empty()) {
            place = Some(at);
        }
    }
    match place {
        Some(place) if text[..place].ends_with('\n') => {
            let is_first = text[..place].trim_end().ends_with(heading);
            let gap = if is_first { end } else { "" };
            format!("{}{gap}{lines}{}", &text[..place], &text[place..])
        }
        Some(_) => format!("{text}{end}{lines}"),
        None => {
            let gap = match text {
                "" => String::new(),
                text if text.ends_with('\n') => end.to_owned(),
                _ => end.repeat(2),
            };
            format!("{text}{gap}{heading}{end}{end}{lines}")
        }
    }
}
