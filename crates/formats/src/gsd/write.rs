//! An entry of ours in a file of GSD that is there: a key at a time.

use ken_core::Status;
use ken_core::fields::Fields;
use ken_core::kinds::{Relation, Scope};
use serde_json::{Map, Value, json};

use super::body::{self, Body};
use super::read::{lines, names, read, severity};
use super::spelling::{confidence, durability, folder, is_plain_key, kebab, line, list, word_for};
use super::{GLOBAL, Kind, located, moment};
use crate::front::{self, Front};
use crate::plain::{plain, restored, restored_lines};
use crate::{Item, Outgoing, Place, Rewritten, Standing, content, prose};

/// Attributes that follow from other fields: what an entry says in those counts.
pub(super) const FOLLOWING: &[&str] = &["durability", "status", "type"];
/// Texts that a file may say in its body and, where the body cannot, in a key of the same name.
const TEXTS: &[&str] = &["title", "statement", "hypothesis", "decision"];

pub(super) fn rewrite(place: Place<'_>, now: &Outgoing<'_>) -> Rewritten {
    if now.changed.is_empty() {
        return Rewritten::in_place(place.text);
    }
    let Some(before) = item(place.path, place.text) else {
        let unsaid = now.changed.iter().cloned().collect();
        return Rewritten { unsaid, ..Rewritten::in_place(place.text) };
    };
    let Some(kind) = Kind::for_type(before.kind) else { return Rewritten::in_place(place.text) };
    let mut edit = Edit { path: place.path, text: place.text.to_owned(), kind, before: &before, now };
    edit.body();
    for field in &now.changed {
        edit.field(field);
    }
    if edit.text != place.text && Front::parse(&edit.text).is_some() {
        edit.set("updated", json!(moment(now.updated)));
    }
    let unsaid = edit.unsaid();
    Rewritten { unsaid, ..Rewritten::in_place(edit.text) }
}

pub(super) fn item(path: &str, text: &str) -> Option<Item> {
    read(path, text).items().next().cloned()
}

/// What an item says, in the form in which entries keep it.
fn said(item: &Item) -> Map<String, Value> {
    let mut content = item.content.clone();
    content.remove("id");
    fields(&Fields::read(&Value::Object(content)))
}

fn fields(fields: &Fields) -> Map<String, Value> {
    match serde_json::to_value(fields) {
        Ok(Value::Object(map)) => map,
        Ok(_) | Err(_) => Map::new(),
    }
}

struct Edit<'a> {
    path: &'a str,
    text: String,
    kind: Kind,
    before: &'a Item,
    now: &'a Outgoing<'a>,
}

impl Edit<'_> {
    fn set(&mut self, key: &str, value: Value) {
        self.text = front::set(&self.text, key, &value);
    }

    fn front(&self) -> Map<String, Value> {
        Front::parse(&self.text).map(|front| front.values).unwrap_or_default()
    }

    /// What the file says now, of one of our fields.
    fn says(&self, field: &str) -> Option<String> {
        let content = item(self.path, &self.text)?.content;
        content.get(field).and_then(Value::as_str).map(str::to_owned)
    }

    /// What is said in running text: the longer text first, since it holds the others.
    fn body(&mut self) {
        let was = |field: &str| self.before.content.get(field).and_then(Value::as_str).map(str::to_owned);
        let wanted = fields(self.now.fields);
        let wanted = |field: &str| match self.now.has_changed(field) {
            true => wanted.get(field).and_then(Value::as_str).map(str::to_owned),
            false => was(field),
        };
        let texts: Vec<(&str, Option<String>)> = TEXTS.iter().map(|field| (*field, wanted(field))).collect();
        if !TEXTS.iter().chain(&["detail"]).any(|field| self.now.has_changed(field)) {
            return;
        }
        let is_whole = self.now.has_changed("detail");
        if is_whole {
            let detail = self.now.fields.detail.clone().or_else(|| wanted("statement")).unwrap_or_default();
            self.text = with_body(&self.text, &detail);
        }
        for (field, text) in texts {
            let Some(text) = text else { continue };
            let has_key = self.front().get(field).is_some_and(Value::is_string);
            if !is_whole && self.now.has_changed(field) && !has_key {
                self.in_body(field, &text);
            }
            if self.says(field).as_deref() != Some(&text) {
                self.set(field, json!(text));
            }
        }
    }

    /// Says a text in its place in the body, where it has one.
    fn in_body(&mut self, field: &str, text: &str) {
        let Some(at) = Front::parse(&self.text).map(|front| front.body).or(Some(0)) else { return };
        let (head, old) = self.text.split_at(at);
        let end = front::line_end(&self.text);
        let body = Body::parse(old);
        let new = match field {
            "title" => match body.title() {
                Some((_, line)) => {
                    let rest = &old[line.clone()];
                    let ending = &rest[rest.trim_end_matches(['\r', '\n']).len()..];
                    format!("{}# {text}{ending}{}", &old[..line.start], &old[line.end..])
                }
                None => {
                    let rest = old.trim_start_matches(['\r', '\n']);
                    let gap = &old[..old.len() - rest.len()];
                    format!("{gap}# {text}{end}{end}{rest}")
                }
            },
            "statement" => body::with_claim(old, body.lead(self.kind), text),
            "decision" => match body.section(|title| title == "decision") {
                Some(range) => {
                    let rest = &old[range.end..];
                    let gap = if rest.is_empty() { "" } else { end };
                    format!("{}{end}{}{end}{gap}{rest}", &old[..range.start], lines(text).replace('\n', end))
                }
                None => return,
            },
            _ => return,
        };
        self.text = format!("{head}{new}");
    }

    fn field(&mut self, field: &str) {
        let fields = self.now.fields;
        match field {
            "tags" => self.tags(),
            "severity" | "severity_word" => {
                let word = fields
                    .severity_word
                    .as_deref()
                    .filter(|word| severity(word) == fields.severity || fields.severity.is_none());
                match (word, fields.severity) {
                    (Some(word), _) => self.set("severity", json!(word)),
                    (None, Some(number)) => self.set("severity", json!(word_for(number))),
                    (None, None) => self.set("severity", Value::Null),
                }
            }
            "confidence" => self.set("confidence", fields.confidence.map_or(Value::Null, confidence)),
            "polarity" => {
                self.set("polarity", fields.polarity.map_or(Value::Null, |polarity| json!(polarity.word())))
            }
            "subtype" if self.kind == Kind::Signal => self
                .set("signal_type", fields.subtype.as_deref().map_or(Value::Null, |word| json!(kebab(word)))),
            "scope" => {
                let was_global = self.front().get("project").and_then(Value::as_str) == Some(GLOBAL);
                match (
                    fields.scope(),
                    located(self.path).and_then(|(root, kind)| folder(self.path, root, kind)),
                ) {
                    (Scope::Global, _) => self.set("project", json!(GLOBAL)),
                    (Scope::Project, Some(folder))
                        if was_global && folder != GLOBAL && self.kind != Kind::Lesson =>
                    {
                        self.set("project", json!(folder));
                    }
                    (Scope::Project | Scope::Thread, _) => {}
                }
            }
            "decay_class" => self
                .set("durability", fields.decay_class.map_or(Value::Null, |class| json!(durability(class)))),
            "depends_on" => self.set("depends_on", list(&fields.depends_on)),
            "verification" if matches!(self.kind, Kind::Lesson | Kind::Spike) => {
                self.set("verification", list(&fields.verification))
            }
            "outcome" if self.kind == Kind::Spike => {
                self.set("outcome", fields.outcome.map_or(Value::Null, |outcome| json!(outcome.word())))
            }
            "rounds" if self.kind == Kind::Spike => {
                self.set("rounds", fields.rounds.map_or(Value::Null, |rounds| json!(rounds)))
            }
            "attributes" => self.attributes(),
            "status" => self.status(),
            "links" => self.links(),
            // What running text says is written already, and for the rest there are no words.
            _ => {}
        }
    }

    /// Tags that stay keep their spelling and their place, and what is no tag to us stays as well.
    fn tags(&mut self) {
        let written = Front::parse(&self.text).map(|front| front.words("tags")).unwrap_or_default();
        let words = content::respelt(&written, &self.now.fields.tags, |tag| kebab(tag.as_str()));
        if words != json!(written) {
            self.set("tags", words);
        }
    }

    fn attributes(&mut self) {
        let none = Map::new();
        let before = self.before.content.get("attributes").and_then(Value::as_object).unwrap_or(&none);
        let wanted = &self.now.fields.attributes;
        let is_own = |key: &str| is_plain_key(key) && !FOLLOWING.contains(&key);
        let written = self.front();
        for key in before.keys().chain(wanted.keys().filter(|key| !before.contains_key(*key))) {
            // What the file says there is a field by now, and an attribute no more.
            let is_field = !before.contains_key(key) && written.contains_key(key);
            if !is_own(key) || is_field || before.get(key) == wanted.get(key) {
                continue;
            }
            if self.kind == Kind::Signal && matches!(key.as_str(), "lifecycle_state" | "lifecycle") {
                if let (Some(to), false) =
                    (wanted.get(key).and_then(Value::as_str), self.now.status == Status::Retracted)
                {
                    let is_logged = before.get("lifecycle_log") != wanted.get("lifecycle_log");
                    self.lifecycle(key, to, !is_logged);
                }
                continue;
            }
            let value = wanted.get(key).map(|value| restored(written.get(key), value));
            self.set(key, value.unwrap_or_default());
        }
    }

    /// Moves a signal to another state, and writes that into its log (7.4).
    fn lifecycle(&mut self, key: &str, to: &str, is_logged: bool) {
        let values = self.front();
        let from = values.get(key).and_then(Value::as_str).unwrap_or("detected").to_owned();
        if from == to && values.contains_key(key) {
            return;
        }
        self.set(key, json!(to));
        if is_logged {
            let reason = self
                .now
                .reason
                .map(|reason| plain(&prose::title(reason)).into_owned())
                .filter(|reason| !reason.is_empty());
            let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            let line = format!("{from}->{to} by ken at {}{reason}", moment(self.now.updated));
            self.text = appended(&self.text, "lifecycle_log", &line);
        }
    }

    fn status(&mut self) {
        let is_signal = self.kind == Kind::Signal;
        let state = if self.front().contains_key("lifecycle") && !self.front().contains_key("lifecycle_state")
        {
            "lifecycle"
        } else {
            "lifecycle_state"
        };
        match self.now.status {
            Status::Archived => self.set("status", json!("archived")),
            // Nothing is deleted: what was taken back is put away, and a signal says that it was wrong.
            Status::Retracted => {
                self.set("status", json!("archived"));
                if is_signal {
                    self.lifecycle(state, "invalidated", true);
                }
            }
            Status::Superseded => {
                self.set("status", json!("archived"));
                if let Some(by) = &self.now.superseded_by {
                    self.set("superseded_by", json!(by));
                }
            }
            Status::Candidate | Status::Active | Status::Verified => match self.before.standing {
                Standing::Current => {}
                Standing::Archived(_) | Standing::Retracted(_) | Standing::SupersededBy(_) => {
                    self.set("status", json!("active"));
                    self.set("superseded_by", Value::Null);
                    if self.front().get(state).and_then(Value::as_str) == Some("invalidated") {
                        self.lifecycle(state, "detected", true);
                    }
                }
            },
            Status::Rejected | Status::Stale => {}
        }
    }

    /// Ties that are new. One that the store does not know may lead to a file that it has not read, so none is taken out.
    fn links(&mut self) {
        let key = self.tie_key();
        let known = self.front().get(key).and_then(names).unwrap_or_default();
        let is_new =
            |name: &&String| !known.contains(name) && !self.before.ties.iter().any(|(_, tied)| tied == *name);
        let ties = self
            .now
            .ties
            .iter()
            .filter(|(relation, _)| *relation == Relation::RelatesTo)
            .map(|(_, name)| name);
        let new: Vec<String> = ties.filter(is_new).cloned().collect();
        for name in new {
            self.text = appended(&self.text, key, &name);
        }
    }

    fn tie_key(&self) -> &'static str {
        if self.kind == Kind::Lesson { "evidence" } else { "related_signals" }
    }

    /// What changed and is not in the file.
    fn unsaid(&self) -> Vec<String> {
        let Some(after) = item(self.path, &self.text) else {
            return self.now.changed.iter().cloned().collect();
        };
        let (is, wanted) = (said(&after), fields(self.now.fields));
        let is_said = |field: &String| match field.as_str() {
            "status" => match self.now.status {
                Status::Archived | Status::Retracted => matches!(after.standing, Standing::Archived(_)),
                Status::Superseded => {
                    matches!(&after.standing, Standing::SupersededBy(by) if Some(by) == self.now.superseded_by.as_ref())
                }
                Status::Candidate | Status::Active | Status::Verified => after.standing == Standing::Current,
                Status::Rejected | Status::Stale => false,
            },
            "links" => {
                let tied = |name: &String| after.ties.iter().any(|(_, known)| known == name);
                self.now.ties.iter().all(|(_, name)| tied(name))
            }
            "attributes" => {
                let own = |map: &Map<String, Value>| -> Map<String, Value> {
                    let of = map.get("attributes").and_then(Value::as_object).cloned().unwrap_or_default();
                    of.into_iter()
                        .filter(|(key, value)| {
                            !FOLLOWING.contains(&key.as_str()) && key != "lifecycle_log" && !value.is_null()
                        })
                        .collect()
                };
                own(&is) == own(&wanted)
            }
            // It holds the claim and the title, which have their own words for a change.
            "detail" if self.now.fields.detail.is_some() => is.get("detail") == wanted.get("detail"),
            "detail" => true,
            other => is.get(other) == wanted.get(other),
        };
        self.now.changed.iter().filter(|field| !is_said(field)).cloned().collect()
    }
}

/// A file with another body, the blank lines around it as they were.
fn with_body(text: &str, body: &str) -> String {
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let (head, old) = text.split_at(Front::parse(text).map_or(bom, |front| front.body));
    let end = front::line_end(text);
    let rest = old.trim_start();
    let before = &old[..old.len() - rest.len()];
    let before = if rest.is_empty() && head.len() > bom { end } else { before };
    let after = if rest.is_empty() { end } else { &rest[rest.trim_end().len()..] };
    format!("{head}{before}{}{after}", restored_lines(old, body.trim()).replace('\n', end))
}

/// A file in which a list has one member more, the others as they were written.
fn appended(text: &str, key: &str, member: &str) -> String {
    let Some(front) = Front::parse(text) else { return text.to_owned() };
    let value = front.values.get(key).cloned().unwrap_or_default();
    let mut members = match value {
        Value::Array(members) => members,
        Value::Null => Vec::new(),
        Value::String(one) if one.trim().is_empty() => Vec::new(),
        one => vec![one],
    };
    let lines =
        front.keys.iter().find(|known| known.name == key).map_or("", |known| &text[known.from..known.to]);
    let last = lines.split_inclusive('\n').rfind(|line| line.trim_start().starts_with("- "));
    let is_block = last.is_some() && lines.lines().next().is_some_and(|line| line.trim_end().ends_with(':'));
    let indent = last.map_or("", |line| &line[..line.len() - line.trim_start().len()]);
    let is_flat = lines.lines().skip(1).all(|line| line.starts_with(&format!("{indent}- ")));
    match front.keys.iter().find(|known| known.name == key) {
        Some(known) if is_block && is_flat => {
            let line = format!("{indent}- {}{}", json!(member), front::line_end(text));
            format!("{}{line}{}", &text[..known.to], &text[known.to..])
        }
        Some(_) | None if members.is_empty() && key == "lifecycle_log" => {
            let flow = front::set(text, key, &json!([member]));
            let line = line(key, &json!([member])).replace('\n', front::line_end(text));
            let span = Front::parse(&flow).and_then(|front| {
                let known = front.keys.iter().find(|known| known.name == key)?;
                Some((known.from, known.from + flow[known.from..].find('\n').map_or(0, |end| end + 1)))
            });
            span.map_or(flow.clone(), |(from, to)| format!("{}{line}{}", &flow[..from], &flow[to..]))
        }
        Some(_) | None => {
            members.push(json!(member));
            front::set(text, key, &Value::Array(members))
        }
    }
}
