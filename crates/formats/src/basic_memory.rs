//! Notes of Basic Memory: Markdown with front matter, observations (`- [category] text`) and relations (`- type [[Target]]`).

use std::sync::LazyLock;

use ken_core::Type;
use ken_core::kinds::{Relation, Status};
use ken_core::limits::LIST_LEN_MAX;
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::content::{self, Body, claim_field, claim_of};
use crate::front::{self, Front};
use crate::{Document, Format, Item, Outgoing, Place, Rewritten, Role, StoreFacts, plain, prose};

pub(crate) struct BasicMemory;

impl Format for BasicMemory {
    fn word(&self) -> &'static str {
        "basic-memory"
    }

    fn about(&self) -> &'static str {
        "notes of Basic Memory (Markdown with observations and relations)"
    }

    fn claims(&self, path: &str, head: &str) -> u8 {
        if !path.ends_with(".md") || crate::decapod::is_home(path) {
            return 0;
        }
        let front = Front::parse(head);
        let has = |key: &str| front.as_ref().is_some_and(|front| front.values.contains_key(key));
        let body = front.as_ref().map_or(head, |front| front.body());
        let (observed, related) = (observations(body).count(), relations(body).count());
        match (has("permalink"), has("title") && has("type")) {
            (true, _) => 95,
            (false, true) if observed + related > 0 => 85,
            (false, false) if has("title") && observed > 0 && related > 0 => 80,
            (false, _) => 0,
        }
    }

    fn read(&self, path: &str, text: &str) -> Document {
        let mut notes = Vec::new();
        if !path.ends_with(".md") {
            return Document::opaque(Role::Other, text, None);
        }
        match item(path, text, &mut notes) {
            Some(item) => Document::new(item, notes),
            None => {
                notes.push(format!("{path} has no title and no content; it is kept unchanged"));
                Document { notes, ..Document::opaque(Role::Other, text, None) }
            }
        }
    }

    fn rewrite(&self, place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
        let said = [content::CLAIMS, &["title", "name", "detail", "tags", "attributes", "subtype"]].concat();
        let mut unsaid = content::unsaid(now, &said);
        let text = place.text;
        let mut new = text.to_owned();
        let claim = content::new_claim(now);
        let detail = now.has_changed("detail").then(|| now.fields.detail.clone().unwrap_or_default());
        if claim.is_some() || detail.is_some() {
            new = said_in(text, claim.as_deref(), detail.as_deref(), now);
        }
        if now.has_changed("attributes") {
            new = with_attributes(&new, &now.fields.attributes, &mut unsaid);
        }
        if now.has_changed("title") || now.has_changed("name") {
            new = front::set(&new, "title", &Value::from(prose::title(&now.fields.title())));
        }
        if now.has_changed("tags") {
            let before = Front::parse(text).map(|front| front.words("tags")).unwrap_or_default();
            let words = content::respelt(&before, &now.fields.tags, ToString::to_string);
            let is_none = words.as_array().is_some_and(Vec::is_empty);
            new = front::set(&new, "tags", if is_none { &Value::Null } else { &words });
        }
        if now.has_changed("subtype") {
            unsaid.push("subtype".to_owned());
        }
        Rewritten { unsaid, ..Rewritten::in_place(new) }
    }

    fn path_for(&self, now: &Outgoing<'_>, known: &StoreFacts<'_>) -> Option<String> {
        let is_current = match now.status {
            Status::Candidate | Status::Active | Status::Verified | Status::Stale => true,
            Status::Rejected | Status::Archived | Status::Retracted | Status::Superseded => false,
        };
        if claim_of(now.fields).is_empty() || !is_current {
            return None;
        }
        let slug = prose::slug(&now.fields.title(), 60);
        let name = prose::free(&slug, |slug| known.paths.contains(&format!("{slug}.md")));
        Some(format!("{name}.md"))
    }

    fn insert(&self, path: &str, text: Option<&str>, now: &Outgoing<'_>) -> String {
        // A note is a file: one that is there already is not written over.
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            return text.to_owned();
        }
        let fields = now.fields;
        let title = prose::title(&fields.title());
        let is_entity = now.kind.known() == Some(Type::Entity);
        let own = fields.attributes.get("type").and_then(Value::as_str);
        let kind = own.filter(|_| is_entity).unwrap_or(if is_entity { "note" } else { now.kind.word() });
        let word = fields
            .subtype
            .as_deref()
            .filter(|subtype| content::kind_of(subtype).map(|(kind, _)| kind) == now.kind.known());
        let mut new = "---\n---\n".to_owned();
        let mut put = |key: &str, value: &Value| new = front::set(&new, key, value);
        put("title", &Value::from(title.as_str()));
        put("type", &Value::from(word.unwrap_or(kind)));
        put("permalink", &Value::from(path.strip_suffix(".md").unwrap_or(path)));
        if !fields.tags.is_empty() {
            put("tags", &content::respelt(&[], &fields.tags, ToString::to_string));
        }
        let text = format!("{new}\n# {title}\n\n");
        let detail = fields.detail.clone().unwrap_or_default();
        let text = said_in(&text, own_claim(now).as_deref(), Some(&detail), now);
        let own: Map<String, Value> = ["observations", "relations"]
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), fields.attributes.get(name)?.clone())))
            .collect();
        let mut unsaid = Vec::new();
        let text = with_lists(&text, &own, &mut unsaid);
        let missing: Vec<Value> = now
            .ties
            .iter()
            .filter(|(_, name)| !relations(&text).any(|(_, relation)| relation.name() == *name))
            .map(|(relation, name)| json!({"type": relation.word(), "target": name}))
            .collect();
        if missing.is_empty() {
            text
        } else {
            appended(&text, "Relations", &missing.iter().filter_map(relation_line).collect::<Vec<_>>())
        }
    }
}

const KNOWN: &[&str] = &["title", "tags", "permalink", "statement"];

static OBSERVATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*[-*]\s+\[([^\[\]()]+)\]\s+(\S.*)$").expect("the pattern is right"));
static CONTEXT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(.*\S)\s+\(([^()]*)\)$").expect("the pattern is right"));
static HASHTAG: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|\s)#([\w/-]+)").expect("the pattern is right"));
static RELATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*[-*]\s+(?:([^\[\]]*\S)\s+)?\[\[([^\[\]]+)\]\](?:\s+\(([^()]*)\))?\s*$")
        .expect("the pattern is right")
});

/// A link in running text.
static INLINE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[\[([^\[\]]+)\]\]").expect("the pattern is right"));

/// A relation of a note.
struct Related<'a> {
    kind: &'a str,
    target: &'a str,
    context: Option<&'a str>,
}

impl Related<'_> {
    /// The other note as Basic Memory would call it: its permalink.
    fn name(&self) -> String {
        let target = self.target.split(['|', '#']).next().unwrap_or_default();
        let parts: Vec<String> = target.split('/').map(|part| prose::slug(&unaccented(part), 200)).collect();
        parts.join("/")
    }

    /// What the other note may be called: as the link says, and, where that says no folder, beside the note that links to it. A name
    /// that nobody has ties nothing.
    fn names(&self, from: &str) -> Vec<String> {
        let name = self.name();
        let beside = from
            .rsplit_once('/')
            .filter(|_| !name.contains('/'))
            .map(|(folder, _)| format!("{folder}/{name}"));
        [name].into_iter().chain(beside).collect()
    }

    fn relation(&self) -> Relation {
        let word = self.kind.trim().to_lowercase().replace([' ', '-'], "_");
        Relation::from_word(&word).unwrap_or(Relation::RelatesTo)
    }
}

/// A text whose accented letters are plain ones, as permalinks have them.
fn unaccented(text: &str) -> String {
    const LETTERS: &[(&str, &str)] = &[
        ("àáâãäåā", "a"),
        ("æ", "ae"),
        ("çćč", "c"),
        ("èéêëē", "e"),
        ("ìíîïī", "i"),
        ("ñń", "n"),
        ("òóôõöøō", "o"),
        ("œ", "oe"),
        ("śš", "s"),
        ("ß", "ss"),
        ("ùúûüū", "u"),
        ("ýÿ", "y"),
        ("źżž", "z"),
    ];
    let mut lower = String::new();
    let mut before = ' ';
    for c in text.chars() {
        // `CamelCase` is two words.
        if c.is_uppercase() && before.is_lowercase() {
            lower.push('-');
        }
        lower.extend(c.to_lowercase());
        before = c;
    }
    let plain = |c: char| LETTERS.iter().find(|(accented, _)| accented.contains(c)).map(|(_, plain)| *plain);
    lower.chars().map(|c| plain(c).map_or_else(|| c.to_string(), str::to_owned)).collect()
}

/// Lines outside fences of code, with where they begin. A fence without an end is none: what comes after it has to be found again.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    let all: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .map(|line| {
            at += line.len();
            (at - line.len(), line)
        })
        .collect();
    let mark = |line: &str| ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
    let mut kept = Vec::new();
    let mut number = 0;
    while number < all.len() {
        let close = mark(all[number].1).and_then(|open| {
            all[number + 1..]
                .iter()
                .position(|(_, line)| mark(line) == Some(open))
                .map(|gap| number + 1 + gap)
        });
        if close.is_none() && mark(all[number].1).is_none() {
            kept.push(all[number]);
        }
        number = close.unwrap_or(number) + 1;
    }
    kept.into_iter()
}

fn is_observation(line: &str) -> bool {
    let line = line.trim_end();
    let is_task =
        OBSERVATION.captures(line).is_some_and(|found| matches!(found[1].trim(), "" | "x" | "X" | "-"));
    OBSERVATION.is_match(line) && !is_task && !RELATION.is_match(line)
}

/// The observations of a text, with the place of their lines.
fn observations(text: &str) -> impl Iterator<Item = (std::ops::Range<usize>, Value)> {
    lines(text).filter(|(_, line)| is_observation(line)).filter_map(|(at, line)| {
        let found = OBSERVATION.captures(line.trim_end())?;
        let whole = found.get(2)?.as_str();
        let (said, context) = match CONTEXT.captures(whole) {
            Some(found) => (found[1].to_owned(), Some(found[2].to_owned())),
            None => (whole.to_owned(), None),
        };
        let mut observation = Map::new();
        observation.insert("category".to_owned(), Value::from(found[1].trim()));
        let tags: Vec<Value> = HASHTAG.captures_iter(&said).map(|tag| Value::from(&tag[1])).collect();
        observation.insert("text".to_owned(), Value::from(said));
        if !tags.is_empty() {
            observation.insert("tags".to_owned(), Value::Array(tags));
        }
        if let Some(context) = context {
            observation.insert("context".to_owned(), Value::from(context));
        }
        Some((at..at + line.len(), Value::Object(observation)))
    })
}

/// The relations of a text, with the place of their lines.
fn relations(text: &str) -> impl Iterator<Item = (std::ops::Range<usize>, Related<'_>)> {
    lines(text).filter_map(|(at, line)| {
        let found = RELATION.captures(line.trim_end())?;
        let related = Related {
            kind: found.get(1).map_or("relates_to", |kind| kind.as_str()),
            target: found.get(2)?.as_str().trim(),
            context: found.get(3).map(|context| context.as_str()),
        };
        Some((at..at + line.len(), related))
    })
}

fn relation_value(related: &Related<'_>) -> Value {
    let mut relation = Map::new();
    relation.insert("type".to_owned(), Value::from(related.kind));
    relation.insert("target".to_owned(), Value::from(related.target));
    if let Some(context) = related.context {
        relation.insert("context".to_owned(), Value::from(context));
    }
    Value::Object(relation)
}

fn observation_line(value: &Value) -> Option<String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(content::one_line);
    let context = text("context").map(|context| format!(" ({context})")).unwrap_or_default();
    let line = format!("- [{}] {}{context}", text("category")?, text("text")?);
    is_observation(&line).then_some(line)
}

fn relation_line(value: &Value) -> Option<String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(content::one_line);
    let context = text("context").map(|context| format!(" ({context})")).unwrap_or_default();
    let line = format!("- {} [[{}]]{context}", text("type")?, text("target")?);
    RELATION.is_match(&line).then_some(line)
}

/// Whether a line belongs to the lists: an observation, a relation, or the heading of either.
fn is_listed(line: &str) -> bool {
    let words = line.trim();
    let heading = words.trim_start_matches('#').trim();
    let is_title = content::is_heading(words) && matches!(heading, "Observations" | "Relations");
    is_title || is_observation(line) || RELATION.is_match(line.trim_end())
}

/// A body without its lists, and its lists.
fn parted(text: &str) -> (String, String) {
    let listed: std::collections::BTreeSet<usize> =
        lines(text).filter(|(_, line)| is_listed(line)).map(|(at, _)| at).collect();
    let mut words = String::new();
    let mut lists = String::new();
    let mut at = 0;
    let mut is_gap = true;
    for line in text.split_inclusive('\n') {
        if listed.contains(&at) {
            lists.push_str(line);
            is_gap = true;
        } else if !(line.trim().is_empty() && is_gap && !words.trim().is_empty()) {
            words.push_str(line);
            is_gap = line.trim().is_empty();
        }
        at += line.len();
    }
    (words, lists)
}

fn item(path: &str, text: &str, notes: &mut Vec<String>) -> Option<Item> {
    let front = Front::parse(text);
    if let Some(front) = &front {
        notes.extend(front.faults.iter().map(|fault| format!("{path}: {fault}")));
    }
    let word = |key: &str| front.as_ref().and_then(|front| front.word(key));
    let body = front.as_ref().map_or(text, |front| front.body());
    let title = word("title").unwrap_or_else(|| prose::title_of(path));
    let (kind, subtype) =
        word("type").and_then(|word| content::kind_of(&word)).unwrap_or((Type::Entity, None));
    let name = word("permalink").unwrap_or_else(|| path.strip_suffix(".md").unwrap_or(path).to_owned());
    let mut item = Item::new(kind, &name, text);
    content::identify(&mut item.content, &name);
    content::put(&mut item.content, if kind == Type::Entity { "name" } else { "title" }, &title);
    if let Some(subtype) = subtype {
        content::put(&mut item.content, "subtype", subtype);
    }
    let (words, _) = parted(body);
    let said = Body::parse(&words);
    let keyed = front.as_ref().and_then(|front| front.values.get("statement")).and_then(Value::as_str);
    let (statement, detail) = match keyed {
        Some(statement) => {
            let says = !plain::trimmed(statement).is_empty();
            (says.then(|| statement.to_owned()), Some(words.trim().replace("\r\n", "\n")))
        }
        None => (said.statement(), said.detail()),
    };
    content::put(&mut item.content, "detail", &detail.unwrap_or_default());
    match statement {
        Some(statement) => content::put(&mut item.content, claim_field(kind), &statement),
        None if kind == Type::Entity => {}
        None => content::put(&mut item.content, claim_field(kind), &content::one_line(&title)),
    }
    if let Some(front) = &front {
        content::tag(&mut item.content, &front.words("tags"), notes);
        content::keep(&mut item.content, front.others(KNOWN), notes);
    }
    let mut own = Map::new();
    let observed: Vec<Value> = observations(body).map(|(_, observation)| observation).collect();
    if !observed.is_empty() {
        own.insert("observations".to_owned(), Value::Array(observed));
    }
    let related: Vec<Value> = relations(body).map(|(_, related)| relation_value(&related)).collect();
    if !related.is_empty() {
        own.insert("relations".to_owned(), Value::Array(related));
    }
    content::keep(&mut item.content, own, notes);
    content::anchor(&mut item.content, prose::places(body));
    item.stated = ["created", "created_at", "date"].into_iter().find_map(|key| prose::time(&word(key)?));
    let inline =
        lines(&words).flat_map(|(_, line)| INLINE.captures_iter(line)).filter_map(|found| found.get(1));
    let inline =
        inline.map(|target| Related { kind: "links to", target: target.as_str().trim(), context: None });
    for related in relations(body).map(|(_, related)| related).chain(inline).take(LIST_LEN_MAX) {
        for target in related.names(&name) {
            let tie = (related.relation(), target);
            if tie.1 != name && !item.ties.contains(&tie) {
                item.ties.push(tie);
            }
        }
    }
    content::settled(item, notes)
}

/// The note with another claim or detail; its lists stay, after them. Words that a body would give back otherwise go into a key of their own.
fn said_in(text: &str, claim: Option<&str>, detail: Option<&str>, now: &Outgoing<'_>) -> String {
    let end = front::line_end(text);
    let front = Front::parse(text);
    let (head, body) = text.split_at(front.as_ref().map_or(0, |front| front.body));
    let keyed =
        front.as_ref().is_some_and(|front| front.values.get("statement").is_some_and(Value::is_string));
    if keyed && detail.is_none() {
        return claim
            .map_or_else(|| text.to_owned(), |claim| front::set(text, "statement", &Value::from(claim)));
    }
    let (words, lists) = parted(body);
    let said = Body::parse(&words);
    // A body without a claim must not get one from a new detail.
    let own = own_claim(now);
    let claim = claim.or(own.as_deref().filter(|_| said.claim.is_empty()));
    let wanted = claim.map(plain::trimmed).or_else(|| said.statement());
    // Where only the claim changes and stands before the lists, no other line moves.
    let at_once = Body::parse(body);
    if detail.is_none() && at_once.claim == said.claim && !said.claim.is_empty() {
        let new = format!("{head}{}", at_once.with(claim, None, end));
        let again = Front::parse(&new).map_or(new.as_str(), |front| front.body());
        let again = parted(again).0;
        let again = Body::parse(&again);
        if again.statement() == wanted && again.detail() == said.detail() {
            return new;
        }
    }
    let lists = lists.trim_end().replace("\r\n", "\n").replace('\n', end);
    let tail = if lists.is_empty() { String::new() } else { format!("{end}{lists}{end}") };
    let native = |detail: &str| detail.trim().replace("\r\n", "\n").replace('\n', end);
    let new = said.with(claim, detail, end);
    let again = Body::parse(&new);
    let rest = detail.map_or_else(
        || said.detail().unwrap_or_default(),
        |detail| plain::trimmed(&detail.replace("\r\n", "\n")),
    );
    if !keyed && again.statement() == wanted && again.detail().unwrap_or_default() == rest {
        return format!("{head}{}{end}{tail}", new.trim_end_matches(['\n', '\r']));
    }
    let rest = detail.map_or_else(|| said.rest.trim().to_owned(), native);
    let new = format!("{head}{end}{rest}{end}{tail}");
    let claim = if keyed { own } else { wanted };
    front::set(&new, "statement", &Value::from(claim.unwrap_or_default()))
}

/// The claim of an entry; a thing can do without.
fn own_claim(now: &Outgoing<'_>) -> Option<String> {
    let is_thing = now.kind.known() == Some(Type::Entity);
    let says = !is_thing || now.fields.description.is_some() || now.fields.statement.is_some();
    says.then(|| claim_of(now.fields))
}

/// The note with other keys and other lists.
fn with_attributes(text: &str, now: &Map<String, Value>, unsaid: &mut Vec<String>) -> String {
    let front = Front::parse(text);
    let before = front.as_ref().map(|front| front.others(KNOWN)).unwrap_or_default();
    let lists = ["observations", "relations"];
    let mut new = text.to_owned();
    let mut own = now.clone();
    own.retain(|name, _| !lists.contains(&name.as_str()));
    for (name, value) in content::changes(&before, &own) {
        // A key with nothing after it cannot be written by a value that takes keys out.
        if value != Some(Value::Null) {
            new = front::set(&new, &name, &value.unwrap_or_default());
        }
    }
    with_lists(&new, now, unsaid)
}

/// The note with other lists: lines that stay the same are not touched.
fn with_lists(text: &str, now: &Map<String, Value>, unsaid: &mut Vec<String>) -> String {
    let list = |name: &str, old: &[(std::ops::Range<usize>, Value)]| {
        let old = old.iter().map(|(_, value)| value.clone()).collect();
        let now = plain::restored(Some(&old), now.get(name).unwrap_or(&Value::Null));
        now.as_array().cloned().unwrap_or_default()
    };
    let body = |text: &str| Front::parse(text).map_or(0, |front| front.body);
    let mut new = text.to_owned();
    let start = body(&new);
    let old: Vec<_> = observations(&new[start..]).collect();
    new = listed(&new, start, &old, &list("observations", &old), "Observations", observation_line, unsaid);
    let start = body(&new);
    let old: Vec<_> =
        relations(&new[start..]).map(|(place, related)| (place, relation_value(&related))).collect();
    listed(&new, start, &old, &list("relations", &old), "Relations", relation_line, unsaid)
}

fn listed(
    text: &str,
    start: usize,
    old: &[(std::ops::Range<usize>, Value)],
    now: &[Value],
    heading: &str,
    line_of: impl Fn(&Value) -> Option<String>,
    unsaid: &mut Vec<String>,
) -> String {
    let mut new = text[..start].to_owned();
    let mut at = start;
    for (number, (place, value)) in old.iter().enumerate() {
        let (from, to) = (start + place.start, start + place.end);
        new.push_str(&text[at..from]);
        at = to;
        let line = &text[from..to];
        match now.get(number) {
            Some(same) if same == value => new.push_str(line),
            Some(other) => match line_of(other) {
                Some(words) => {
                    let blanks = &line[..line.len() - line.trim_start().len()];
                    new.push_str(blanks);
                    new.push_str(&words);
                    new.push_str(&line[line.trim_end().len()..]);
                }
                None => {
                    unsaid.push("attributes".to_owned());
                    new.push_str(line);
                }
            },
            None => {}
        }
    }
    new.push_str(&text[at..]);
    let more: Vec<String> = now.iter().skip(old.len()).filter_map(&line_of).collect();
    if now.len() > old.len() + more.len() {
        unsaid.push("attributes".to_owned());
    }
    unsaid.dedup();
    if more.is_empty() { new } else { appended(&new, heading, &more) }
}

/// The note with lines at the end of a list, which is made where it is not there.
fn appended(text: &str, heading: &str, more: &[String]) -> String {
    let end = front::line_end(text);
    let start = Front::parse(text).map_or(0, |front| front.body);
    let is_own = |line: &str| {
        let words = line.trim();
        let is_title = content::is_heading(words) && words.trim_start_matches('#').trim() == heading;
        let is_line =
            if heading == "Relations" { RELATION.is_match(line.trim_end()) } else { is_observation(line) };
        is_title || is_line
    };
    let last = lines(&text[start..])
        .filter(|(_, line)| is_own(line))
        .last()
        .map(|(at, line)| start + at + line.len());
    let block: String = more.iter().map(|line| format!("{line}{end}")).collect();
    match last {
        Some(place) => {
            let gap = if text[..place].ends_with('\n') { "" } else { end };
            format!("{}{gap}{block}{}", &text[..place], &text[place..])
        }
        None => {
            let text = text.trim_end_matches(['\n', '\r']);
            format!("{text}{end}{end}## {heading}{end}{block}")
        }
    }
}
