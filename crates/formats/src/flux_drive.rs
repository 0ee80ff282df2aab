//! Flux-drive: a Markdown file for each finding, confirmed by a day and a word, with its evidence and how to verify it.

mod body;

use std::sync::LazyLock;

use ken_core::kinds::{Confirmation, Memory, Status, Type};
use ken_core::limits::{DETAIL_CHARS_MAX, STATEMENT_CHARS_MAX, VERIFICATION_STEPS_MAX, WORD_CHARS_MAX};
use regex::Regex;
use serde_json::{Map, Value, json};

use self::body::{Body, Label};
use crate::front::{self, Front};
use crate::plain::plain;
use crate::{Document, Format, Item, Outgoing, Place, Rewritten, Role, Standing, StoreFacts, content, prose};

/// A file's name, in characters.
const SLUG_CHARS_MAX: usize = 60;
/// The evidence of one entry, in characters.
const EVIDENCE_CHARS_MAX: usize = 20_000;

const CONFIRMED: &str = "lastConfirmed";
const PROVENANCE: &str = "provenance";
const EVIDENCE: &str = "evidence";

/// Findings that reviews of flux-drive have kept.
pub(crate) struct FluxDrive;

impl Format for FluxDrive {
    fn word(&self) -> &'static str {
        "flux-drive"
    }

    fn about(&self) -> &'static str {
        "Interflux flux-drive: a Markdown file for each finding, and an archive folder"
    }

    fn claims(&self, path: &str, head: &str) -> u8 {
        let is_home = path.contains("flux-drive/");
        if !is_entry(path) {
            let is_about =
                path.ends_with("README.md") && head.contains(CONFIRMED) && head.contains(PROVENANCE);
            return if is_about {
                85
            } else if is_home {
                30
            } else {
                0
            };
        }
        let front = Front::parse(head);
        let has = |key: &str| front::says(front.as_ref(), head, key);
        let body = Body::parse(head);
        let is_labelled = body.text(Label::Evidence).is_some() && body.text(Label::Verify).is_some();
        match (has(CONFIRMED), has(PROVENANCE)) {
            (true, true) => 95,
            (true, false) => 85,
            (false, _) if is_home && is_labelled => 80,
            (false, true) if is_labelled => 60,
            (false, false) if is_labelled => 40,
            (false, _) if is_home => 30,
            (false, _) => 0,
        }
    }

    fn read(&self, path: &str, text: &str) -> Document {
        if !is_entry(path) {
            return Document::opaque(Role::Other, text, None);
        }
        let front = Front::parse(text);
        let body = Body::parse(text);
        if body.is_blank() {
            return Document::opaque(
                Role::Entries,
                text,
                Some("it is empty; it is kept unchanged".to_owned()),
            );
        }
        let mut notes = Vec::new();
        let mut item = Item::new(Type::Lesson, prose::stem(path), text);
        describe(&mut item, path, &body, &mut notes);
        confirm(&mut item, front.as_ref(), &mut notes);
        let mut attributes = front.as_ref().map(|front| own_keys(front, &mut notes)).unwrap_or_default();
        if let Some(evidence) = body.text(Label::Evidence) {
            let cut: String = evidence.chars().take(EVIDENCE_CHARS_MAX).collect();
            let is_free = attributes.entry(EVIDENCE).or_insert_with(|| json!(cut)) == cut.as_str();
            if !is_free {
                notes.push("`evidence` is a key and a paragraph; the key is kept as such".to_owned());
            }
        }
        content::keep(&mut item.content, attributes, &mut notes);
        if is_archived(path) {
            item.standing = Standing::Archived("it is in the archive".to_owned());
        }
        Document::new(item, notes)
    }

    fn rewrite(&self, item: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
        let mut text = item.text.to_owned();
        let mut unsaid: Vec<String> =
            now.changed.iter().filter(|field| !SAID.contains(&field.as_str())).cloned().collect();
        // Where there is no description, a detail alone would be taken for the claim.
        let is_claimed = now.has_changed("detail") && Body::parse(&text).said().0.is_empty();
        let statement = (now.has_changed("statement") || is_claimed).then(|| now.fields.statement());
        let detail = now.has_changed("detail").then(|| now.fields.detail.as_deref().unwrap_or_default());
        if statement.is_some() || detail.is_some() {
            text = body::described(&text, statement.as_deref(), detail);
        }
        if now.has_changed("attributes") {
            text = with_attributes(text, now, &mut unsaid);
        }
        if now.has_changed("anchors") || now.has_changed("citations") {
            text = with_evidence(text, item.path, now);
        }
        if now.has_changed("verification") {
            text = body::with(&text, Label::Verify, &body::in_steps(&now.fields.verification));
        }
        if now.has_changed("last_confirmed") || now.has_changed("confirmation") {
            text = confirmed(text, now);
        }
        let mut rewritten = Rewritten::in_place(text);
        if now.has_changed("status") {
            match now.status {
                Status::Retracted => rewritten.text = None,
                Status::Archived | Status::Superseded if !is_archived(item.path) => {
                    rewritten.moved_to = Some(archived(item.path));
                }
                Status::Archived | Status::Superseded => {}
                Status::Candidate | Status::Active | Status::Verified | Status::Stale
                    if is_archived(item.path) =>
                {
                    rewritten.moved_to = Some(restored(item.path));
                }
                Status::Candidate | Status::Active | Status::Verified => {}
                Status::Stale | Status::Rejected => unsaid.push("status".to_owned()),
            }
        }
        rewritten.unsaid = unsaid;
        rewritten
    }

    fn path_for(&self, now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
        let is_held = now.kind.memory() == Memory::Semantic
            && !matches!(
                now.kind.known(),
                Some(Type::Entity | Type::Relationship | Type::FalsePositive) | None
            );
        if !is_held {
            return None;
        }
        let folder = known.paths.iter().find(|path| path.ends_with(".md")).map(|path| restored(path));
        let folder =
            folder.as_deref().and_then(|path| path.rsplit_once('/')).map(|(folder, _)| format!("{folder}/"));
        let folder = folder.unwrap_or_default();
        let taken = |path: &str| known.paths.iter().any(|known| known.eq_ignore_ascii_case(path));
        let slug = prose::slug(&now.fields.title(), SLUG_CHARS_MAX);
        let slug = if slug == "readme" { "readme-entry".to_owned() } else { slug };
        let name = prose::free(&slug, |name| {
            let path = format!("{folder}{name}.md");
            taken(&path) || taken(&archived(&path))
        });
        let path = format!("{folder}{name}.md");
        Some(if matches!(now.status, Status::Archived | Status::Superseded) { archived(&path) } else { path })
    }

    fn insert(&self, path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        // A file is one entry: what is there is not written over.
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            return text.to_owned();
        }
        let day = now.last_confirmed.unwrap_or(now.created).date();
        let mut file = format!("---\n{CONFIRMED}: {day}\n{PROVENANCE}: {}\n---\n", word(now).word());
        for (name, value) in &now.fields.attributes {
            if is_own_key(name) && front::is_key(name) {
                file = front::set(&file, name, value);
            }
        }
        file = body::described(
            &file,
            Some(&now.fields.statement()),
            Some(now.fields.detail.as_deref().unwrap_or("")),
        );
        if let Some(evidence) = now.fields.attributes.get(EVIDENCE).and_then(Value::as_str) {
            file = body::with(&file, Label::Evidence, evidence);
        }
        file = with_evidence(file, path, now);
        body::with(&file, Label::Verify, &body::in_steps(&now.fields.verification))
    }
}

/// What a file has words for.
const SAID: &[&str] = &[
    "statement",
    "detail",
    "attributes",
    "anchors",
    "citations",
    "verification",
    "last_confirmed",
    "confirmation",
    "status",
];

/// Whether a file of that name is an entry: the README is about the folder.
fn is_entry(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with(".md") && !name.eq_ignore_ascii_case("readme.md")
}

fn is_archived(path: &str) -> bool {
    path.rsplit('/').nth(1) == Some("archive")
}

fn archived(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/archive/{name}"),
        None => format!("archive/{path}"),
    }
}

fn restored(path: &str) -> String {
    if !is_archived(path) {
        return path.to_owned();
    }
    match path.strip_prefix("archive/") {
        Some(name) if !name.contains('/') => name.to_owned(),
        _ => {
            let (folder, name) = path.rsplit_once("/archive/").unwrap_or(("", path));
            format!("{folder}/{name}")
        }
    }
}

/// What it claims, how to verify it, where it can be seen.
fn describe(item: &mut Item, path: &str, body: &Body<'_>, notes: &mut Vec<String>) {
    let content = &mut item.content;
    content::identify(content, prose::stem(path));
    let title = prose::title(&plain(&prose::title_of(path)));
    let title = if title.trim().is_empty() { "Entry".to_owned() } else { title };
    let (statement, detail) = body.said();
    let statement = plain(&statement);
    let detail = plain(&detail);
    if statement.trim().is_empty() {
        notes.push("it has evidence and no description; its name stands for one".to_owned());
        content.insert("statement".to_owned(), json!(title));
    } else if statement.chars().count() > STATEMENT_CHARS_MAX {
        notes.push("its description is longer than a claim; all of it is in `detail`".to_owned());
        prose::state(content, &plain(&body.description()));
    } else {
        content.insert("statement".to_owned(), json!(statement));
    }
    if !detail.trim().is_empty() {
        if detail.chars().count() > DETAIL_CHARS_MAX {
            notes.push(format!(
                "its description is cut at {DETAIL_CHARS_MAX} characters; the file has all of it"
            ));
        }
        let cut: String = detail.chars().take(DETAIL_CHARS_MAX).collect();
        content.entry("detail").or_insert_with(|| json!(cut));
    }
    content.insert("title".to_owned(), json!(title));
    let evidence = body.text(Label::Evidence).unwrap_or_default();
    let mut anchors = bare_places(&evidence);
    for place in prose::anchors(&body.description()) {
        if !anchors.contains(&place) {
            anchors.push(place);
        }
    }
    content::anchor(content, anchors);
    let verify = body.text(Label::Verify).unwrap_or_default();
    let mut steps = body::steps(&plain(&verify));
    if steps.len() > VERIFICATION_STEPS_MAX {
        notes.push(format!(
            "`Verify:` has {} steps; the last ones are one here, since an entry has at most {VERIFICATION_STEPS_MAX}",
            steps.len()
        ));
        let rest = steps.split_off(VERIFICATION_STEPS_MAX - 1).join(" ");
        steps.push(rest);
    }
    if steps.iter().any(|step| step.chars().count() > WORD_CHARS_MAX) {
        notes.push(format!(
            "a step of `Verify:` is cut at {WORD_CHARS_MAX} characters; the file has all of it"
        ));
        steps = steps.iter().map(|step| prose::short(step)).collect();
    }
    if !steps.is_empty() {
        content.insert("verification".to_owned(), json!(steps));
    }
    item.evidence = cited(&evidence);
}

/// When and how it was last confirmed.
fn confirm(item: &mut Item, front: Option<&Front<'_>>, notes: &mut Vec<String>) {
    let Some(front) = front else {
        notes.push("it has no front matter; nobody has confirmed it".to_owned());
        return;
    };
    notes.extend(front.faults.iter().cloned());
    let day = front.word(CONFIRMED);
    item.stated = day.as_deref().and_then(prose::time);
    match (&day, item.stated) {
        (None, _) => {
            notes.push(format!("`{CONFIRMED}` is missing or empty; when it was confirmed is not known"))
        }
        (Some(day), None) => {
            notes.push(format!("`{CONFIRMED}` says {:?}, which is not a date; it is kept", prose::short(day)))
        }
        (Some(_), Some(_)) => {}
    }
    let word = front.word(PROVENANCE);
    match word.as_deref() {
        Some("independent" | "primed") => {}
        Some(odd) => notes.push(format!(
            "`{PROVENANCE}` says {:?}; flux-drive knows `independent` and `primed`. It is kept, and counts as primed",
            prose::short(odd)
        )),
        None => notes.push(format!("`{PROVENANCE}` is missing or empty; it counts as primed")),
    }
    item.confirmed = item.stated.map(|day| (meaning(word.as_deref()), day));
}

/// What a word of `provenance` is to us: only the word itself is independent.
fn meaning(word: Option<&str>) -> Confirmation {
    if word == Some("independent") { Confirmation::Independent } else { Confirmation::Primed }
}

/// Keys that flux-drive does not have, and values of its own that it does not know.
fn own_keys(front: &Front<'_>, notes: &mut Vec<String>) -> Map<String, Value> {
    let mut keys = Map::new();
    for (name, value) in &front.values {
        let is_read = match name.as_str() {
            CONFIRMED => front.word(name).as_deref().and_then(prose::time).is_some(),
            PROVENANCE => matches!(front.word(name).as_deref(), Some("independent" | "primed")),
            _ => {
                notes.push(format!(
                    "`{}` is a key that flux-drive does not have; it is kept",
                    prose::short(name)
                ));
                false
            }
        };
        if !is_read {
            keys.insert(name.clone(), value.clone());
        }
    }
    keys
}

fn is_own_key(name: &str) -> bool {
    !matches!(name, CONFIRMED | PROVENANCE | EVIDENCE)
}

/// The word that is true now (7.1): a primed confirmation refreshes nothing, so what came before it still counts.
fn word(now: &Outgoing<'_>) -> Confirmation {
    match (now.last_confirmed, now.confirmation) {
        (None, Some(Confirmation::Primed)) => Confirmation::Primed,
        (Some(_), _) | (None, Some(Confirmation::Independent) | None) => Confirmation::Independent,
    }
}

/// The block with the day and the word of the latest confirmation that counts. What says the same already stays as it is written.
fn confirmed(text: String, now: &Outgoing<'_>) -> String {
    let said = |text: &str, key: &str| Front::parse(text).and_then(|front| front.word(key));
    let mut text = text;
    if let Some(day) = now.last_confirmed.filter(|_| now.has_changed("last_confirmed")) {
        let was = said(&text, CONFIRMED).as_deref().and_then(prose::time);
        if was.map(|was| was.date()) != Some(day.date()) {
            text = front::set(&text, CONFIRMED, &json!(day.date()));
        }
    }
    let was = said(&text, PROVENANCE);
    if was.is_none() || meaning(was.as_deref()) != word(now) {
        text = front::set(&text, PROVENANCE, &json!(word(now).word()));
    }
    text
}

/// A file whose keys say what the entry's own fields say.
fn with_attributes(text: String, now: &Outgoing<'_>, unsaid: &mut Vec<String>) -> String {
    let mut text = text;
    let was = match Front::parse(&text) {
        Some(front) => own_keys(&front, &mut Vec::new()),
        None => Map::new(),
    };
    let is_key_evidence = was.contains_key(EVIDENCE);
    let mut keys = now.fields.attributes.clone();
    if let Some(value) = keys.get(EVIDENCE).cloned().filter(|_| !is_key_evidence) {
        keys.remove(EVIDENCE);
        let old = Body::parse(&text).text(Label::Evidence).map(|old| plain(&old).into_owned());
        match value.as_str() {
            Some(new) if old.as_deref() == Some(new) => {}
            Some(new) => text = body::with(&text, Label::Evidence, new),
            None => unsaid.push("attributes".to_owned()),
        }
    }
    for (name, value) in content::changes(&was, &keys) {
        if value.is_none() || front::is_key(&name) {
            text = front::set(&text, &name, &value.unwrap_or_default());
        } else {
            unsaid.push("attributes".to_owned());
        }
    }
    if !now.fields.attributes.contains_key(EVIDENCE) && !is_key_evidence {
        text = body::with(&text, Label::Evidence, "");
    }
    unsaid.dedup();
    text
}

/// A file whose evidence also names the places and citations that it does not name yet.
fn with_evidence(text: String, path: &str, now: &Outgoing<'_>) -> String {
    let body = Body::parse(&text);
    let evidence = body.text(Label::Evidence).unwrap_or_default();
    let places = bare_places(&evidence);
    let elsewhere = prose::anchors(&body.description());
    let mut more: Vec<String> = Vec::new();
    for anchor in &now.fields.anchors {
        if !places.contains(&anchor.at) && !elsewhere.contains(&anchor.at) {
            more.push(format!("`{}`", anchor.at));
        }
    }
    let citations = cited(&evidence);
    for one in &now.citations {
        let text = format!("{}:{}", one.evidence_type, one.evidence_ref);
        // An import cites the file itself; that is no evidence in it.
        let is_itself = one.evidence_ref == path || one.evidence_ref.ends_with(&format!("/{path}"));
        if !is_itself && !one.evidence_ref.contains(char::is_whitespace) && !citations.contains(&text) {
            more.push(text);
        }
    }
    if more.is_empty() {
        return text;
    }
    let more = more.join(", ");
    let evidence = if evidence.is_empty() { more } else { format!("{evidence} See also {more}") };
    body::with(&text, Label::Evidence, &evidence)
}

static CITED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|[\s(`,;])((?:commit|pr|doc|test|transcript):[^\s`,;)]+)").expect("the pattern is right")
});

/// What a text cites as `type:reference`.
fn cited(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for found in CITED.captures_iter(text) {
        let one = found[1].trim_end_matches('.');
        content::cite(&mut all, one);
        if all.len() == CITED_MAX {
            break;
        }
    }
    all
}

/// Citations that are read off one text.
const CITED_MAX: usize = 20;

static BARE: LazyLock<Regex> = LazyLock::new(|| {
    let path = r"[A-Za-z0-9_.@+-]+(?:/[A-Za-z0-9_.@+-]+)*\.[A-Za-z0-9]+";
    let lines = r":([0-9]+(?:-[0-9]+)?)|`?,? +\(?(?:at +)?lines? +([0-9]+(?:-[0-9]+)?)";
    let symbol = r"#[A-Za-z_][A-Za-z0-9_.:]*";
    Regex::new(&format!(r#"(?:^|[\s(\[,;`"'])({path})(?:{lines}|({symbol}))?"#))
        .expect("the pattern is right")
});

/// Files that a text names, with or without backticks: `path`, `path:47-52`, `path at line 3`, `path#symbol`.
fn bare_places(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for found in BARE.captures_iter(text) {
        let lines = found.get(2).or(found.get(3)).map(|lines| format!(":{}", lines.as_str()));
        let rest =
            lines.or(found.get(4).map(|symbol| symbol.as_str().trim_end_matches([':', '.']).to_owned()));
        let place = format!("`{}{}`", &found[1], rest.unwrap_or_default());
        for place in prose::anchors(&place) {
            if !all.contains(&place) {
                all.push(place);
            }
        }
        if all.len() == CITED_MAX {
            break;
        }
    }
    all
}
