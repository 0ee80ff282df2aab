//! WFC solution documents: a solved problem to a file, with its cause at the head and its story below.

use std::collections::BTreeSet;

use ken_core::Tag;
use ken_core::kinds::{Status, Type};
use ken_core::limits::{DETAIL_CHARS_MAX, STATEMENT_CHARS_MAX};
use serde_json::{Map, Value, json};

use crate::front::{self, Front};
use crate::plain::{plain, restored_lines};
use crate::words::{severity, severity_word};
use crate::{Document, Format, Item, Outgoing, Place, Rewritten, Role, StoreFacts, content, prose};

/// A file's name, in characters.
const SLUG_CHARS_MAX: usize = 60;

/// The folders of solutions, with words that tell them, the first that fits first.
const CATEGORIES: &[(&str, &[&str])] = &[
    ("security-issues", &["security", "injection", "credential", "secret", "permission", "xss"]),
    ("database-issues", &["database", "sql", "migration", "transaction", "schema"]),
    ("performance-issues", &["performance", "slow", "latency", "memory", "timeout", "cache"]),
    ("runtime-errors", &["runtime", "crash", "exception", "panic", "traceback"]),
    ("test-failures", &["test", "fixture", "flaky", "assertion"]),
    ("build-errors", &["build", "compile", "linker", "dependency", "import"]),
    ("integration-issues", &["integration", "api", "webhook", "endpoint", "protocol"]),
    ("logic-errors", &["logic", "wrong", "incorrect", "order", "race"]),
    ("ui-bugs", &["ui", "layout", "render", "button", "css"]),
    ("configuration", &[]),
];

/// What the head of a file says that is a field of ours.
const FIELDS: &[&str] = &["title", "tags", "date", "severity", "root_cause"];
/// What else WFC has there.
const OTHERS: &[&str] = &["module", "component", "category", "status"];

/// Problems that WFC has solved.
pub(crate) struct WfcSolutions;

impl Format for WfcSolutions {
    fn word(&self) -> &'static str {
        "wfc-solutions"
    }

    fn about(&self) -> &'static str {
        "WFC solution documents: a solved problem to a file, in a folder for each category"
    }

    fn claims(&self, path: &str, head: &str) -> u8 {
        if !is_entry(path) {
            return 0;
        }
        let front = Front::parse(head);
        let has = |key: &str| front::says(front.as_ref(), head, key);
        let marks = OTHERS.iter().chain(["severity"].iter()).filter(|key| has(key)).count();
        let is_home = path.contains("solutions/");
        match (has("title"), has("root_cause")) {
            (true, true) if marks > 1 => 95,
            (true, false) if has("component") && has("category") => 85,
            (true, _) if is_home && marks > 0 => 82,
            (false, true) if marks > 1 => 80,
            (true, true) => 50,
            (_, _) if is_home => 20,
            (_, _) => 0,
        }
    }

    fn read(&self, path: &str, text: &str) -> Document {
        if !is_entry(path) {
            return Document::opaque(Role::Other, text, None);
        }
        let front = Front::parse(text);
        if front.is_none() && text.trim_start_matches('\u{feff}').trim().is_empty() {
            return Document::opaque(
                Role::Entries,
                text,
                Some("it is empty; it is kept unchanged".to_owned()),
            );
        }
        let (item, notes) = item(path, text, front.as_ref());
        Document::new(item, notes)
    }

    fn rewrite(&self, item: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
        let mut text = item.text.to_owned();
        let mut unsaid: Vec<String> =
            now.changed.iter().filter(|field| !SAID.contains(&field.as_str())).cloned().collect();
        if now.has_changed("title") {
            let title = now.fields.title.as_deref().map_or(Value::Null, |title| json!(one_line(title)));
            text = front::set(&text, "title", &title);
        }
        if now.has_changed("statement") {
            text = front::set(&text, "root_cause", &json!(one_line(&now.fields.statement())));
        }
        if now.has_changed("tags") {
            text = with_tags(text, &now.fields.tags);
        }
        if now.has_changed("severity") || now.has_changed("severity_word") {
            text = with_severity(text, now, &mut unsaid);
        }
        if now.has_changed("attributes") {
            text = with_attributes(text, &now.fields.attributes, &mut unsaid);
        }
        if now.has_changed("detail") {
            text = with_detail(&text, now.fields.detail.as_deref().unwrap_or_default());
        }
        let mut rewritten = Rewritten::in_place(pinned(item.path, item.text, text, now));
        if now.has_changed("status") {
            match now.status {
                Status::Retracted => rewritten.text = None,
                Status::Candidate | Status::Active | Status::Verified => {}
                Status::Archived | Status::Superseded | Status::Stale | Status::Rejected => {
                    unsaid.push("status".to_owned());
                }
            }
        }
        rewritten.unsaid = unsaid;
        rewritten
    }

    fn path_for(&self, now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
        if now.kind.known() != Some(Type::Experience) || now.fields.subtype.as_deref() != Some("bug") {
            return None;
        }
        let home = known
            .paths
            .iter()
            .find_map(|path| path.find("solutions/").map(|at| path[..at + "solutions/".len()].to_owned()));
        let folder = format!("{}{}", home.unwrap_or_default(), category(now));
        let taken = |path: &str| known.paths.iter().any(|known| known.eq_ignore_ascii_case(path));
        let slug = prose::slug(&now.fields.title(), SLUG_CHARS_MAX);
        if !taken(&format!("{folder}/{slug}.md")) {
            return Some(format!("{folder}/{slug}.md"));
        }
        // 2026-03-02T10:11:12.000Z becomes 20260302-101112.
        let digits: String = known.now.to_string().chars().filter(char::is_ascii_digit).collect();
        let slug = format!("{slug}-{}-{}", &digits[..8], &digits[8..14]);
        let name = prose::free(&slug, |name| taken(&format!("{folder}/{name}.md")));
        Some(format!("{folder}/{name}.md"))
    }

    fn insert(&self, path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        // A file is one entry: what is there is not written over.
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            return text.to_owned();
        }
        let own = &now.fields.attributes;
        let component = own.get("component").cloned().unwrap_or_else(|| {
            let place = now.fields.anchors.first().map(|anchor| anchor.path().to_owned());
            json!(place.filter(|path| !path.is_empty()).unwrap_or_else(|| "unknown".to_owned()))
        });
        let folder =
            path.rsplit('/').nth(1).filter(|folder| CATEGORIES.iter().any(|(name, _)| name == folder));
        let tags: Vec<String> = now.fields.tags.iter().map(spelled).collect();
        let mut keys = vec![("title", json!(one_line(&now.fields.title())))];
        keys.extend(own.get("module").map(|module| ("module", module.clone())));
        keys.extend([
            ("component", component),
            ("tags", json!(tags)),
            (
                "category",
                own.get("category").cloned().unwrap_or_else(|| json!(folder.unwrap_or(category(now)))),
            ),
            ("date", json!(now.created.date())),
            ("severity", json!(how_bad(now).0)),
            ("status", own.get("status").cloned().unwrap_or_else(|| json!("resolved"))),
            ("root_cause", json!(one_line(&now.fields.statement()))),
        ]);
        let mut file = "---\n---\n".to_owned();
        for (name, value) in keys {
            file = front::set(&file, name, &value);
        }
        for (name, value) in own {
            if front::is_key(name) && !FIELDS.contains(&name.as_str()) && !OTHERS.contains(&name.as_str()) {
                file = front::set(&file, name, value);
            }
        }
        format!("{file}\n{}", told(now))
    }
}

/// What a file has words for.
const SAID: &[&str] =
    &["title", "statement", "tags", "severity", "severity_word", "attributes", "detail", "status"];

fn is_entry(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with(".md") && !matches!(name.to_ascii_lowercase().as_str(), "readme.md" | "index.md")
}

fn item(path: &str, text: &str, front: Option<&Front<'_>>) -> (Item, Vec<String>) {
    let mut notes = Vec::new();
    let mut item = Item::new(Type::Experience, prose::stem(path), text);
    let raw = front.map_or_else(|| text.trim_start_matches('\u{feff}'), Front::body);
    let body = plain(&raw.trim().replace("\r\n", "\n")).into_owned();
    let content = &mut item.content;
    content.insert("subtype".to_owned(), json!("bug"));
    content::identify(content, prose::stem(path));
    match front {
        Some(front) => notes.extend(front.faults.iter().cloned()),
        None => notes.push("it has no front matter".to_owned()),
    }
    let said = |key: &str| front.and_then(|front| front.word(key));
    let title = said("title").or_else(|| h1(&body)).unwrap_or_else(|| prose::title_of(path));
    let title = prose::title(&plain(&title));
    let title = if title.trim().is_empty() { "Solution".to_owned() } else { title };
    let mut attributes = front.map(|front| attributes(front, &mut notes)).unwrap_or_default();
    let cause = front.and_then(|front| front.str("root_cause")).map(|cause| one_line(&plain(cause)));
    let cause = cause.filter(|cause| !cause.is_empty() && cause.chars().count() <= STATEMENT_CHARS_MAX);
    let statement = match cause {
        Some(cause) => {
            attributes.remove("root_cause");
            cause
        }
        None => {
            notes.push("`root_cause` does not say it in a few words; its problem stands for it".to_owned());
            problem(&body).unwrap_or_else(|| title.clone())
        }
    };
    content.insert("statement".to_owned(), json!(statement));
    content.insert("title".to_owned(), json!(title));
    if !body.is_empty() {
        if body.chars().count() > DETAIL_CHARS_MAX {
            notes.push(format!("it is cut at {DETAIL_CHARS_MAX} characters; the file has all of it"));
        }
        content.insert("detail".to_owned(), json!(body.chars().take(DETAIL_CHARS_MAX).collect::<String>()));
    }
    content::tag(content, &front.map(|front| front.words("tags")).unwrap_or_default(), &mut notes);
    if let Some(word) = said("severity") {
        match severity(&word) {
            Some(severity) => {
                content.insert("severity".to_owned(), json!(severity));
            }
            None => notes.push(format!(
                "`severity` says {:?}; WFC knows `low`, `medium` and `high`. The word is kept",
                prose::short(&word)
            )),
        }
        content.insert("severity_word".to_owned(), json!(prose::short(&plain(&word))));
    }
    content::anchor(content, prose::places(&format!("{statement}\n{body}")));
    item.stated = said("date").as_deref().and_then(prose::time);
    if item.stated.is_none() {
        notes.push("`date` is missing, or is no day".to_owned());
    }
    content::keep(&mut item.content, attributes, &mut notes);
    (item, notes)
}

/// What the head says that no field of ours holds, as it is.
fn attributes(front: &Front<'_>, notes: &mut Vec<String>) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in &front.values {
        let is_read = match name.as_str() {
            "title" => front.word(name).is_some(),
            "tags" => {
                matches!(value, Value::String(_))
                    || value
                        .as_array()
                        .is_some_and(|list| list.iter().all(|tag| !tag.is_array() && !tag.is_object()))
            }
            "date" => front.word(name).as_deref().and_then(prose::time).is_some(),
            "severity" => front.word(name).is_some(),
            _ => false,
        };
        if !FIELDS.contains(&name.as_str()) && !OTHERS.contains(&name.as_str()) {
            notes.push(format!("`{}` is a key that solutions do not have; it is kept", prose::short(name)));
        }
        if !is_read {
            kept.insert(name.clone(), value.clone());
        }
    }
    kept
}

/// The first heading of a text, whatever its level is called.
fn h1(body: &str) -> Option<String> {
    body.lines()
        .find_map(|line| line.strip_prefix("# "))
        .map(str::trim)
        .filter(|title| !title.is_empty())
        .map(str::to_owned)
}

/// What the section `Problem`, or the text where there is none, says first. Lines that only label what follows say nothing.
fn problem(body: &str) -> Option<String> {
    let from =
        body.lines().position(|line| line.trim().eq_ignore_ascii_case("## Problem")).map_or(0, |at| at + 1);
    let own = body.lines().skip(from).take_while(|line| from == 0 || !line.starts_with("## "));
    let text: Vec<&str> = own
        .filter(|line| {
            let line = line.trim();
            !(line.starts_with("**") && (line.ends_with(":**") || line.ends_with("**:")))
        })
        .collect();
    let (claim, _) = prose::claim(text.join("\n").trim());
    Some(claim).filter(|claim| !claim.trim().is_empty())
}

/// The word for how bad an entry is, and whether it says exactly that.
fn how_bad(now: &Outgoing<'_>) -> (String, bool) {
    let word = now.fields.severity_word.as_deref().map(|word| word.trim().to_lowercase());
    let number = now.fields.severity;
    if let Some(word) = word.filter(|word| matches!(word.as_str(), "low" | "medium" | "high" | "critical")) {
        let is_meant = number.is_none() || severity(&word) == number || !now.has_changed("severity");
        if is_meant {
            let is_exact = number.is_none() || severity(&word) == number;
            return (word, is_exact);
        }
    }
    let word =
        number.and_then(|number| severity_word(number, &["high", "medium", "low"])).unwrap_or("medium");
    (word.to_owned(), severity(word) == number)
}

fn with_severity(text: String, now: &Outgoing<'_>, unsaid: &mut Vec<String>) -> String {
    if now.fields.severity.is_none() && now.fields.severity_word.is_none() {
        return front::set(&text, "severity", &Value::Null);
    }
    let (word, is_exact) = how_bad(now);
    if !is_exact && now.has_changed("severity") {
        unsaid.push("severity".to_owned());
    }
    front::set(&text, "severity", &json!(word))
}

/// Tags in the words the file has for them; what is no tag to us stays.
fn with_tags(text: String, tags: &BTreeSet<Tag>) -> String {
    let old = Front::parse(&text).map(|front| front.words("tags")).unwrap_or_default();
    front::set(&text, "tags", &content::respelt(&old, tags, spelled))
}

/// A tag as WFC writes its own.
fn spelled(tag: &Tag) -> String {
    tag.as_str().replace('_', "-")
}

fn with_attributes(text: String, attributes_now: &Map<String, Value>, unsaid: &mut Vec<String>) -> String {
    let mut text = text;
    let was = match Front::parse(&text) {
        Some(front) => attributes(&front, &mut Vec::new()),
        None => Map::new(),
    };
    let is_ours = |name: &str| FIELDS.contains(&name);
    for (name, value) in content::changes(&was, attributes_now) {
        if is_ours(&name) && value.is_none() {
            continue;
        }
        if value.is_none() || (front::is_key(&name) && !is_ours(&name)) {
            text = front::set(&text, &name, &value.unwrap_or_default());
        } else if !unsaid.contains(&"attributes".to_owned()) {
            unsaid.push("attributes".to_owned());
        }
    }
    text
}

/// A file with another story.
fn with_detail(text: &str, detail: &str) -> String {
    let end = front::line_end(text);
    let from =
        Front::parse(text).map_or(if text.starts_with('\u{feff}') { 3 } else { 0 }, |front| front.body);
    let old = &text[from..];
    let detail = restored_lines(old, detail.trim()).replace('\n', end);
    let body = old.trim();
    if body.is_empty() {
        let open = if text.is_empty() || text.ends_with('\n') { "" } else { end };
        return if detail.is_empty() { text.to_owned() } else { format!("{text}{open}{end}{detail}{end}") };
    }
    let start = from + (old.len() - old.trim_start().len());
    format!("{}{detail}{}", &text[..start], &text[start + body.len()..])
}

/// A file that says what it was read as. Title and claim are taken from the text where the head has none; when the text changes, they
/// would change with it.
fn pinned(path: &str, before: &str, after: String, now: &Outgoing<'_>) -> String {
    let said =
        |text: &str, field: &str| item(path, text, Front::parse(text).as_ref()).0.content.remove(field);
    let mut text = after;
    for (field, key) in [("title", "title"), ("statement", "root_cause")] {
        let is_head = Front::parse(&text)
            .is_some_and(|front| front.values.get(key).is_some_and(|value| !value.is_null()));
        if now.changed.is_empty() || now.has_changed(field) || is_head {
            continue;
        }
        let (was, is) = (said(before, field), said(&text, field));
        if let Some(was) = was.filter(|was| Some(was) != is.as_ref()) {
            text = front::set(&text, key, &was);
        }
    }
    text
}

/// The five sections of a new file.
fn told(now: &Outgoing<'_>) -> String {
    let detail = now.fields.detail.as_deref().map(str::trim).filter(|detail| !detail.is_empty());
    if let Some(detail) = detail.filter(|detail| detail.lines().any(|line| line.trim_end() == "## Problem")) {
        return format!("{detail}\n");
    }
    let statement = now.fields.statement();
    let problem = detail.unwrap_or(&statement);
    let steps: Vec<String> = now.fields.verification.iter().map(|step| format!("- {step}")).collect();
    let places = now.fields.anchors.iter().map(|anchor| format!("- `{}`", anchor.at));
    let citations = now.citations.iter().map(|one| format!("- {}:{}", one.evidence_type, one.evidence_ref));
    let related: Vec<String> = places.chain(citations).collect();
    let none =
        |list: Vec<String>| if list.is_empty() { "None recorded.".to_owned() } else { list.join("\n") };
    format!(
        "## Problem\n\n{problem}\n\n## Root Cause\n\n{statement}\n\n## Solution\n\nNone recorded.\n\n## Prevention\n\n{}\n\n## Related\n\n{}\n",
        none(steps),
        none(related)
    )
}

/// The folder an entry belongs in: the one it names, or the first whose words it has.
fn category(now: &Outgoing<'_>) -> &'static str {
    let named = now.fields.attributes.get("category").and_then(Value::as_str).unwrap_or_default();
    if let Some((name, _)) = CATEGORIES.iter().find(|(name, _)| *name == named) {
        return name;
    }
    let text = format!("{} {}", now.fields.title(), now.fields.statement()).to_lowercase();
    let tags = now.fields.tags.iter().flat_map(|tag| tag.as_str().split(['_', '/']));
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric()).chain(tags).collect();
    let found = CATEGORIES.iter().find(|(_, marks)| marks.iter().any(|mark| words.contains(mark)));
    found.map_or("configuration", |(name, _)| name)
}

fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
