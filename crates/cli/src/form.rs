//! An entry as a form for an editor: short fields between two `---` lines, longer texts below. Texts in, texts out.
//!
//! ```text
//! ---
//! # a comment
//! title: Retry with jitter
//! tags: net, retry
//! anchors:
//!   - src/net.rs#retry
//! ---
//! # statement
//! Retry network calls with jitter.
//! ```

use std::collections::BTreeMap;

use kenning::core::words::nearest;
use serde_json::{Map, Value};

use crate::commands::help::wrapped;
use crate::limits::COMMENT_COLUMNS;

/// Texts that may be longer than a line, in the order of the form.
const TEXTS: [&str; 6] = ["statement", "rule", "description", "hypothesis", "decision", "detail"];
/// Fields that the form always shows first, also empty.
const FIRST: [&str; 6] = ["title", "summary", "tags", "domains", "anchors", "verification"];
/// Labels that are written on one line, with commas.
const LABELS: [&str; 2] = ["tags", "domains"];
/// Fields that are fixed when an entry is added, or that another verb changes.
const FIXED: [&str; 6] = ["type", "id", "scope", "thread", "schema_version", "provenance"];
/// The line before and after the short fields.
const FENCE: &str = "---";

/// What is wrong with a form, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FormError {
    /// The line, from 1.
    pub(crate) line: usize,
    /// What is wrong there.
    pub(crate) problem: String,
}

/// How a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One line of words.
    Line,
    /// A number.
    Number,
    /// A list, one item on each line.
    List,
    /// Anything else, as JSON.
    Json,
}

/// The fields that an entry of some type may have: the form knows them from the type's JSON schema.
pub(crate) struct Form {
    kinds: BTreeMap<String, Kind>,
}

impl Form {
    /// The form of entries with this JSON schema.
    pub(crate) fn new(schema: &Value) -> Form {
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let kinds = properties
            .iter()
            .filter(|(name, _)| !FIXED.contains(&name.as_str()))
            .map(|(name, property)| (name.clone(), kind(property)))
            .collect();
        Form { kinds }
    }

    /// The form with what an entry says. The head is written as comments.
    pub(crate) fn write(&self, head: &[String], fields: &Map<String, Value>) -> String {
        let mut text = format!("{FENCE}\n");
        head.iter().for_each(|line| text.push_str(&format!("# {line}\n")));
        for name in FIRST.into_iter().filter(|name| self.kinds.contains_key(*name)) {
            text.push_str(&written(name, self.kinds[name], fields.get(name)));
        }
        let others = fields.iter().filter(|(name, _)| {
            let name = name.as_str();
            !FIRST.contains(&name) && !TEXTS.contains(&name) && !FIXED.contains(&name)
        });
        for (name, value) in others {
            let kind = self.kinds.get(name).copied().unwrap_or(Kind::Json);
            text.push_str(&written(name, kind, Some(value)));
        }
        let more: Vec<&str> = self
            .kinds
            .keys()
            .map(String::as_str)
            .filter(|name| !FIRST.contains(name) && !TEXTS.contains(name) && !fields.contains_key(*name))
            .collect();
        let more = format!("More fields: {}", more.join(", "));
        wrapped(&more, 0, COMMENT_COLUMNS).iter().for_each(|line| text.push_str(&format!("# {line}\n")));
        text.push_str(&format!("{FENCE}\n"));
        for name in TEXTS.into_iter().filter(|name| self.kinds.contains_key(*name)) {
            if name != "detail" && !fields.contains_key(name) {
                continue;
            }
            let said = fields.get(name).and_then(Value::as_str).unwrap_or_default();
            text.push_str(&format!("# {name}\n"));
            said.lines().for_each(|line| text.push_str(&format!("{}\n", escaped(line))));
            text.push('\n');
        }
        text
    }

    /// The fields of an entry after somebody edited its form: what they left alone is as it was, to the byte.
    pub(crate) fn read(
        &self,
        before: &Map<String, Value>,
        edited: &str,
    ) -> Result<Map<String, Value>, FormError> {
        if edited.trim().is_empty() {
            return Ok(before.clone());
        }
        let given = self.write(&[], before);
        let was = self.parse(&given, before)?;
        let now = self.parse(edited, before)?;
        let mut after = before.clone();
        for name in was.keys().filter(|name| !now.contains_key(*name)) {
            after.remove(name);
        }
        for (name, value) in now.iter().filter(|(name, value)| was.get(*name) != Some(*value)) {
            after.insert(name.clone(), value.clone());
        }
        Ok(after)
    }

    /// What a form says, field by field. Empty fields are left out.
    fn parse(&self, text: &str, before: &Map<String, Value>) -> Result<Map<String, Value>, FormError> {
        let mut found = Map::new();
        let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line)).peekable();
        while lines.next_if(|(_, line)| line.trim().is_empty()).is_some() {}
        match lines.next() {
            Some((_, line)) if line.trim_end() == FENCE => {}
            other => return fault(other.map_or(1, |(at, _)| at), "the form begins with a line `---`"),
        }
        let mut list: Option<String> = None;
        let mut closed = false;
        let mut named: Vec<String> = Vec::new();
        let mut last = 1;
        for (at, line) in lines.by_ref() {
            last = at;
            if line.trim_end() == FENCE {
                closed = true;
                break;
            }
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(item) = line.trim_start().strip_prefix("- ").or(line.trim().strip_prefix('-')) {
                let Some(name) = &list else {
                    return fault(
                        at,
                        "an item of a list stands below the name of the list, such as `anchors:`",
                    );
                };
                let items = found.entry(name.clone()).or_insert_with(|| Value::Array(Vec::new()));
                if let (Value::Array(items), false) = (items, item.trim().is_empty()) {
                    items.push(item_of(item.trim(), at)?);
                }
                continue;
            }
            let Some((name, value)) = line.split_once(':') else {
                return fault(at, "write `name: value`, `  - item`, or a comment after #");
            };
            let name = name.trim();
            let kind = self.kind_of(name, before, at)?;
            if named.iter().any(|known| known == name) {
                return fault(at, format!("`{name}` is there twice"));
            }
            named.push(name.to_owned());
            list = (kind == Kind::List).then(|| name.to_owned());
            if let Some(value) = value_of(kind, value.trim(), at)? {
                found.insert(name.to_owned(), value);
            }
        }
        if !closed {
            return fault(last, "the short fields end with a line `---`, and there is none");
        }
        self.parse_texts(lines, &mut found)?;
        found.retain(|_, value| value.as_array().is_none_or(|items| !items.is_empty()));
        Ok(found)
    }

    fn parse_texts<'a>(
        &self,
        lines: impl Iterator<Item = (usize, &'a str)>,
        found: &mut Map<String, Value>,
    ) -> Result<(), FormError> {
        let mut section: Option<(&str, Vec<String>)> = None;
        let mut texts: Vec<(&str, Vec<String>)> = Vec::new();
        for (at, line) in lines {
            let heading = line.strip_prefix("# ").map(str::trim);
            let heading = heading.and_then(|name| TEXTS.into_iter().find(|text| *text == name));
            match (heading, &mut section) {
                (Some(name), _) if !self.kinds.contains_key(name) => {
                    return fault(at, format!("entries of this type have no `{name}`"));
                }
                (Some(name), open) => {
                    texts.extend(open.take());
                    if texts.iter().any(|(known, _)| *known == name) {
                        return fault(at, format!("`# {name}` is there twice"));
                    }
                    *open = Some((name, Vec::new()));
                }
                (None, Some((_, said))) => said.push(unescaped(line)),
                (None, None) if line.trim().is_empty() => {}
                (None, None) => {
                    return fault(at, "a text stands below its name, such as `# statement`");
                }
            }
        }
        texts.extend(section);
        for (name, said) in texts {
            let said = said.join("\n");
            let said = said.trim_matches('\n').trim_end();
            if !said.trim().is_empty() {
                found.insert(name.to_owned(), Value::from(said));
            }
        }
        Ok(())
    }

    fn kind_of(&self, name: &str, before: &Map<String, Value>, at: usize) -> Result<Kind, FormError> {
        if FIXED.contains(&name) {
            return fault(
                at,
                format!("`{name}` is fixed when an entry is added; supersede the entry instead"),
            );
        }
        if TEXTS.contains(&name) {
            return fault(at, format!("`{name}` stands below the second `---`, after a line `# {name}`"));
        }
        if let Some(kind) = self.kinds.get(name) {
            return Ok(*kind);
        }
        // A field of the project's own, or of a newer version.
        if name.starts_with("x_") || before.contains_key(name) {
            return Ok(Kind::Json);
        }
        let near = nearest(name, self.kinds.keys().map(String::as_str));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        fault(at, format!("there is no field `{name}`{near}"))
    }
}

fn fault<T>(line: usize, problem: impl Into<String>) -> Result<T, FormError> {
    Err(FormError { line, problem: problem.into() })
}

fn kind(property: &Value) -> Kind {
    let types: Vec<&str> = match &property["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    match types.first() {
        Some(&"array") => Kind::List,
        Some(&"number" | &"integer") => Kind::Number,
        Some(&"object" | &"boolean") => Kind::Json,
        Some(&"string") => Kind::Line,
        // Words of a closed list have no type of their own.
        _ => Kind::Line,
    }
}

/// A field as it is written between the `---` lines.
fn written(name: &str, kind: Kind, value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => format!("{name}:\n"),
        Some(Value::Array(items)) if LABELS.contains(&name) => {
            let words: Vec<String> = items.iter().map(item_text).collect();
            match words.iter().any(|word| word.contains(',')) {
                false => format!("{name}: {}\n", words.join(", ")),
                true => list(name, items),
            }
        }
        Some(Value::Array(items)) if kind == Kind::List => list(name, items),
        Some(Value::String(text)) => format!("{name}: {}\n", line_of(text)),
        Some(other) => format!("{name}: {other}\n"),
    }
}

fn list(name: &str, items: &[Value]) -> String {
    let lines = items.iter().map(|item| format!("  - {}\n", item_text(item)));
    format!("{name}:\n{}", lines.collect::<String>())
}

/// An item of a list. A place that says nothing but where it is, is written as that.
fn item_text(item: &Value) -> String {
    match item {
        Value::String(text) => line_of(text),
        Value::Object(map) if map.len() == 1 => match map.get("at").and_then(Value::as_str) {
            Some(at) => line_of(at),
            None => item.to_string(),
        },
        other => other.to_string(),
    }
}

/// Words on one line; in quotes where they could be taken for something else.
fn line_of(text: &str) -> String {
    let is_plain = !text.is_empty()
        && !text.contains(['\n', '\r'])
        && text.trim() == text
        && !text.starts_with(['"', '{', '[']);
    if is_plain { text.to_owned() } else { Value::from(text).to_string() }
}

fn value_of(kind: Kind, text: &str, at: usize) -> Result<Option<Value>, FormError> {
    if text.is_empty() {
        return Ok(None);
    }
    Ok(Some(match kind {
        Kind::List if text.starts_with('[') => json(text, at)?,
        Kind::List => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            Value::Array(items.map(|item| item_of(item, at)).collect::<Result<_, _>>()?)
        }
        Kind::Line if text.starts_with(['"', '{', '[']) => json(text, at)?,
        Kind::Line => Value::from(text),
        Kind::Number => match json(text, at) {
            Ok(Value::Number(number)) => Value::Number(number),
            _ => return fault(at, format!("{text:?} is not a number")),
        },
        // Words need no quotes.
        Kind::Json => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
    }))
}

fn item_of(text: &str, at: usize) -> Result<Value, FormError> {
    if text.starts_with(['"', '{', '[']) { json(text, at) } else { Ok(Value::from(text)) }
}

fn json(text: &str, at: usize) -> Result<Value, FormError> {
    serde_json::from_str(text).or_else(|error| {
        fault(at, format!("what begins with a quote or a bracket is read as JSON, and this is not: {error}"))
    })
}

/// A line of a text that would be read as a heading gets a backslash.
fn escaped(line: &str) -> String {
    let bare = line.trim_start_matches('\\');
    let is_heading = bare.strip_prefix("# ").is_some_and(|name| TEXTS.contains(&name.trim()));
    if is_heading { format!("\\{line}") } else { line.to_owned() }
}

fn unescaped(line: &str) -> String {
    let bare = line.trim_start_matches('\\');
    let is_heading = bare.strip_prefix("# ").is_some_and(|name| TEXTS.contains(&name.trim()));
    if is_heading { line.strip_prefix('\\').unwrap_or(line).to_owned() } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning::core::{Type, schema};
    use serde_json::json;

    fn form() -> Form {
        Form::new(&schema::json_schema(Type::Lesson))
    }

    fn entry() -> Map<String, Value> {
        let fields = json!({
            "title": "Retry with jitter",
            "statement": "Retry with jitter.\n\n# detail\nis no heading here.",
            "tags": ["net", "net/retry"],
            "anchors": [{"at": "src/net.rs#retry"}, {"at": "src/a, b.rs", "note": "two"}],
            "verification": ["run: a, then b", "\"quoted\""],
            "attributes": {"k": "v"},
            "severity": 3.0,
            "detail": "  indented\n\\# detail\n\ntrailing  \n",
            "x_own": [1, 2],
            "scope": "project",
        });
        fields.as_object().unwrap().clone()
    }

    fn edited(change: impl Fn(&str) -> String) -> Result<Map<String, Value>, FormError> {
        let text = form().write(&["A comment.".to_owned()], &entry());
        form().read(&entry(), &change(&text))
    }

    #[test]
    fn what_is_left_alone_is_as_it_was() {
        assert_eq!(edited(str::to_owned).unwrap(), entry());
        assert_eq!(edited(|_| "\n \n".to_owned()).unwrap(), entry());
        assert_eq!(edited(|text| text.replace('\n', "\r\n")).unwrap(), entry());
    }

    #[test]
    fn a_form_reads_like_an_entry() {
        let fields = json!({"title": "Jitter", "statement": "Retry with jitter.", "tags": ["net"], "anchors": [{"at": "src/net.rs"}]});
        let text = form().write(&["L-1".to_owned()], fields.as_object().unwrap());
        let (head, more) = text.split_once("# More fields").unwrap();
        assert_eq!(
            head,
            "---\n# L-1\ntitle: Jitter\nsummary:\ntags: net\ndomains:\nanchors:\n  - src/net.rs\nverification:\n"
        );
        assert!(more.ends_with("\n---\n# statement\nRetry with jitter.\n\n# detail\n\n"), "{more}");
    }

    #[test]
    fn fields_change_come_and_go() {
        let after = edited(|text| {
            text.replace("title: Retry with jitter", "title: \"Jitter: always\"")
                .replace("tags: net, net/retry", "tags: http")
                .replace("severity: 3.0\n", "")
                .replace("domains:", "domains: backend")
                .replace("  - src/net.rs#retry", "  - src/http.rs#retry")
        })
        .unwrap();
        assert_eq!(after["title"], "Jitter: always");
        assert_eq!(after["tags"], json!(["http"]));
        assert_eq!(after["domains"], json!(["backend"]));
        assert_eq!(after["anchors"][0], "src/http.rs#retry");
        assert_eq!(after["anchors"][1], json!({"at": "src/a, b.rs", "note": "two"}));
        assert!(!after.contains_key("severity"));
        assert_eq!(after["detail"], entry()["detail"]);
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_line() {
        for (from, to, line, problem) in [
            ("---\n# A", "# A", 1, "begins with"),
            ("title:", "titel:", 3, "did you mean `title`?"),
            ("title: Retry", "scope: global\ntitle: Retry", 3, "fixed when"),
            ("summary:", "  - an item", 4, "below the name of the list"),
            ("summary:", "summary", 4, "write `name: value`"),
            ("severity: 3.0", "severity: high", 14, "not a number"),
            ("summary:", "title: twice", 4, "is there twice"),
            ("summary:", "statement: here", 4, "below the second"),
        ] {
            let error = edited(|text| text.replacen(from, to, 1)).unwrap_err();
            assert!(error.problem.contains(problem), "{to}: {error:?}");
            assert_eq!(error.line, line, "{to}: {error:?}");
        }
    }
}
