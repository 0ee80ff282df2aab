//! The YAML block at the head of a Markdown file: read with a real parser, changed a key at a time, every other byte left alone.

use serde_json::{Map, Value};

/// Nodes of one block, at most: more is an attack, not a heading.
const NODES_MAX: usize = 20_000;

/// A file with a block at its head.
#[derive(Clone, Debug, PartialEq)]
pub struct Front<'a> {
    /// All of the file.
    pub text: &'a str,
    /// The top-level keys in order, with the bytes of the file that each takes up, its line break included.
    pub keys: Vec<Key<'a>>,
    /// What the keys say. A bare key is null, and never a text.
    pub values: Map<String, Value>,
    /// Where the line of the closing fence begins.
    pub close: usize,
    /// Where the text after the block begins.
    pub body: usize,
    /// What the parser did not understand. The keys that it did are there all the same.
    pub faults: Vec<String>,
}

/// A top-level key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    pub name: &'a str,
    /// Where its first line begins.
    pub from: usize,
    /// Where the next key, or the fence, begins.
    pub to: usize,
}

impl<'a> Front<'a> {
    /// Reads the block of a file; none where it has none.
    pub fn parse(text: &'a str) -> Option<Front<'a>> {
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut lines = lines(text, start);
        let (_, first) = lines.next()?;
        if first.trim_end() != "---" {
            return None;
        }
        let open = start + first.len();
        let (close, fence) = lines.find(|(_, line)| matches!(line.trim_end(), "---" | "..."))?;
        let keys = keys(text, open, close);
        let (values, faults) = values(&text[open..close], text, &keys);
        Some(Front { text, keys, values, close, body: close + fence.len(), faults })
    }

    /// What follows the block.
    pub fn body(&self) -> &'a str {
        &self.text[self.body..]
    }

    /// A text value, trimmed; none where it is missing, empty or something else.
    pub fn str(&self, key: &str) -> Option<&str> {
        self.values.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }

    /// A scalar as it would be written: numbers and truth values become words here, lists and objects do not.
    pub fn word(&self, key: &str) -> Option<String> {
        match self.values.get(key)? {
            Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(truth) => Some(truth.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// A list of words: a list, or one word, or several with commas between them.
    pub fn words(&self, key: &str) -> Vec<String> {
        match self.values.get(key) {
            Some(Value::Array(list)) => list
                .iter()
                .filter_map(|item| match item {
                    Value::String(text) => Some(text.trim().to_owned()),
                    Value::Number(number) => Some(number.to_string()),
                    Value::Bool(truth) => Some(truth.to_string()),
                    Value::Null | Value::Array(_) | Value::Object(_) => None,
                })
                .filter(|text| !text.is_empty())
                .collect(),
            Some(Value::String(text)) => {
                text.split(',').map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What the keys say that are not among these.
    pub fn others(&self, known: &[&str]) -> Map<String, Value> {
        let others = self.values.iter().filter(|(name, _)| !known.contains(&name.as_str()));
        others.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// A file in which one key of its block says something else, in the style it had; null takes the key out. A new key goes last, and a
/// file without a block gets one.
pub fn set(text: &str, key: &str, value: &Value) -> String {
    let Some(front) = Front::parse(text) else {
        if value.is_null() {
            return text.to_owned();
        }
        let end = line_end(text);
        let line = written(key, value, Style::default(), end);
        let bom = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
        return format!("{bom}---{end}{line}---{end}{}", &text[bom.len()..]);
    };
    let end = line_end(text);
    match front.keys.iter().find(|known| known.name == key) {
        Some(known) => {
            let old = &text[known.from..known.to];
            let (own, after) = own_lines(old);
            let new = match value {
                Value::Null => String::new(),
                value => written(key, value, Style::detect(own, end), end),
            };
            format!("{}{new}{after}{}", &text[..known.from], &text[known.to..])
        }
        None if value.is_null() => text.to_owned(),
        None => {
            let line = written(key, value, Style::default(), end);
            format!("{}{line}{}", &text[..front.close], &text[front.close..])
        }
    }
}

/// Whether the block at the beginning of a file has a key. The beginning may end before the block does, and then there is no block yet.
pub fn says(front: Option<&Front<'_>>, head: &str, key: &str) -> bool {
    match front {
        Some(front) => front.keys.iter().any(|known| known.name == key),
        None => {
            let is_key = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
            head.trim_start_matches('\u{feff}').starts_with("---") && head.lines().any(is_key)
        }
    }
}

/// Whether a name can be a key as it is.
pub fn is_key(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// A value as it is written after a colon, where there is nothing to go by.
pub fn scalar(text: &str) -> String {
    plain_or_quoted(text, Quotes::None)
}

/// How the file ends its lines.
pub fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// How a value was written.
#[derive(Clone, Copy, Debug)]
struct Style {
    quotes: Quotes,
    list: List,
}

impl Default for Style {
    fn default() -> Style {
        Style { quotes: Quotes::None, list: List::Flow }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quotes {
    None,
    Single,
    Double,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    /// `[a, b]`
    Flow,
    /// A line each, indented by so many blanks.
    Block(usize),
    /// `a, b`
    Commas,
}

impl Style {
    fn detect(lines: &str, end: &str) -> Style {
        let mut all = lines.split(end);
        let first = all.next().unwrap_or_default();
        let value = first.split_once(':').map_or("", |(_, value)| value.trim());
        let item = all.find(|line| line.trim_start().starts_with("- "));
        let quotes_of = |text: &str| match text.trim_start_matches(['[', '-', ' ']).chars().next() {
            Some('"') => Quotes::Double,
            Some('\'') => Quotes::Single,
            _ => Quotes::None,
        };
        match item {
            Some(item) if value.is_empty() => {
                let indent = item.len() - item.trim_start().len();
                Style { quotes: quotes_of(item.trim_start()), list: List::Block(indent) }
            }
            _ if value.starts_with('[') || value.is_empty() => {
                Style { quotes: quotes_of(value), list: List::Flow }
            }
            _ => Style { quotes: quotes_of(value), list: List::Commas },
        }
    }
}

fn written(key: &str, value: &Value, style: Style, end: &str) -> String {
    match value {
        Value::Array(items) => {
            let words = |quotes| items.iter().map(move |item| inline(item, quotes)).collect::<Vec<_>>();
            match style.list {
                List::Block(indent) if !items.is_empty() => {
                    let blanks = " ".repeat(indent);
                    let lines: String =
                        words(style.quotes).iter().map(|word| format!("{blanks}- {word}{end}")).collect();
                    format!("{key}:{end}{lines}")
                }
                List::Commas if !items.is_empty() => {
                    let joined = words(Quotes::None).join(", ");
                    format!("{key}: {}{end}", plain_or_quoted(&joined, style.quotes))
                }
                List::Flow | List::Block(_) | List::Commas => {
                    let one = |item: &Value| match item {
                        // A comma would part it from itself.
                        Value::String(text) if text.contains(',') && style.quotes == Quotes::None => {
                            item.to_string()
                        }
                        item => inline(item, style.quotes),
                    };
                    format!("{key}: [{}]{end}", items.iter().map(one).collect::<Vec<_>>().join(", "))
                }
            }
        }
        other => format!("{key}: {}{end}", inline(other, style.quotes)),
    }
}

fn inline(value: &Value, quotes: Quotes) -> String {
    match value {
        Value::String(text) => plain_or_quoted(text, quotes),
        // JSON is YAML.
        other => other.to_string(),
    }
}

fn plain_or_quoted(text: &str, quotes: Quotes) -> String {
    match quotes {
        Quotes::Single if !text.contains(['\n', '\r', '\t']) => format!("'{}'", text.replace('\'', "''")),
        Quotes::None if is_plain(text) => text.to_owned(),
        _ => Value::from(text).to_string(),
    }
}

/// Whether a text says the same without quotes.
fn is_plain(text: &str) -> bool {
    let safe = |c: char| c.is_alphanumeric() || " _-./()+=<>@~;!?$^,".contains(c);
    let first = text.chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '/');
    let held = text.chars().all(|c| safe(c) || c == ':' || c == '\'')
        && !text.contains(": ")
        && !text.ends_with([':', ' ']);
    // What a parser would take for a number or a truth value is quoted.
    first && held && matches!(read(text), Ok(Value::String(same)) if same == text)
}

/// The lines of a text from some place on, each with its line break and where it begins.
fn lines(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = from;
    text[from..].split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

/// The top-level keys between the fences.
fn keys(text: &str, open: usize, close: usize) -> Vec<Key<'_>> {
    let mut keys: Vec<Key<'_>> = Vec::new();
    for (at, line) in lines(&text[..close], open) {
        let Some(name) = key_of(line) else { continue };
        if let Some(before) = keys.last_mut() {
            before.to = at;
        }
        keys.push(Key { name, from: at, to: close });
    }
    keys
}

/// The name of the key that begins on a line.
fn key_of(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    let first = name.chars().next()?;
    let is_key = !first.is_whitespace() && !"#-[{\"'&*!|>%@`".contains(first) && !name.contains(" #");
    (is_key && (rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))).then(|| name.trim_end())
}

/// The lines that belong to a key, and the comments and blank lines between it and the next.
fn own_lines(lines: &str) -> (&str, &str) {
    let mut end = 0;
    let mut at = 0;
    for (number, line) in lines.split_inclusive('\n').enumerate() {
        at += line.len();
        let is_between = line.trim().is_empty() || line.starts_with('#');
        if number == 0 || !is_between {
            end = at;
        }
    }
    lines.split_at(end)
}

fn values(block: &str, text: &str, keys: &[Key<'_>]) -> (Map<String, Value>, Vec<String>) {
    match read(block) {
        Ok(Value::Object(map)) => (map, Vec::new()),
        Ok(Value::Null) => (Map::new(), Vec::new()),
        whole => {
            let mut values = Map::new();
            let mut faults = Vec::new();
            if keys.is_empty() {
                faults.push(match whole {
                    Err(why) => format!("its front matter is not YAML ({why})"),
                    Ok(_) => "its front matter has no keys".to_owned(),
                });
            }
            // One bad key must not hide the others.
            for key in keys {
                let lines = &text[key.from..key.to];
                match read(lines) {
                    Ok(Value::Object(mut map)) if map.contains_key(key.name) => {
                        let value = map.remove(key.name).unwrap_or_default();
                        if values.contains_key(key.name) {
                            faults.push(format!("`{}` occurs twice; the first counts", key.name));
                        } else {
                            values.insert(key.name.to_owned(), value);
                        }
                    }
                    _ => match read(&mended(lines)) {
                        Ok(Value::Object(mut map)) if map.contains_key(key.name) => {
                            let value = map.remove(key.name).unwrap_or_default();
                            faults.push(format!("`{}` lacks quotes; it is read as if quoted", key.name));
                            values.entry(key.name).or_insert(value);
                        }
                        _ => {
                            let raw = lines.split_once(':').map_or("", |(_, value)| value.trim());
                            faults.push(format!("`{}` is not YAML; it is kept unchanged", key.name));
                            values.entry(key.name).or_insert_with(|| Value::from(raw));
                        }
                    },
                }
            }
            (values, faults)
        }
    }
}

/// Lines in which texts have the quotes that they need: people and agents leave them out.
fn mended(lines: &str) -> String {
    let one = |line: &str| {
        let inner = line.trim_start();
        let inner = inner.strip_prefix("- ").map_or(inner, str::trim_start);
        let is_item = line.trim_start().starts_with("- ");
        let text = match key_of(inner) {
            Some(name) if !is_item || !name.contains(' ') => inner[name.len()..].trim_start_matches(':'),
            _ => inner,
        };
        let text = text.trim();
        let quote = ['"', '\''].into_iter().find(|quote| text.starts_with(*quote));
        let is_bare = match quote {
            Some(quote) => text.len() < 2 || !text.ends_with(quote),
            None => text.starts_with(['`', '@', '%', '*', '&', '!']) || text.contains(": "),
        };
        let end = &line[line.trim_end().len()..];
        let before = &line[..line.trim_end().len() - text.len()];
        if is_bare { format!("{before}{}{end}", Value::from(text)) } else { line.to_owned() }
    };
    lines.split_inclusive('\n').map(one).collect()
}

/// One YAML document.
fn read(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_events: NODES_MAX, max_nodes: NODES_MAX, max_depth: 64 },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: NODES_MAX / 4 },
        strict_booleans: true,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let whole = error.to_string();
        whole.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FILE: &str = "---\nid: sig-1\ntags:\n  - a\n  - b\n# why\ncreated: \"2026-04-22T02:46:17Z\"\nempty:\ndeep:\n  x: [1, {y: z}]\n---\n\nBody: text\n";

    #[test]
    fn keys_and_values() {
        let front = Front::parse(FILE).unwrap();
        let names: Vec<_> = front.keys.iter().map(|key| key.name).collect();
        assert_eq!(names, ["id", "tags", "created", "empty", "deep"]);
        assert_eq!(front.words("tags"), ["a", "b"]);
        assert_eq!(front.str("created"), Some("2026-04-22T02:46:17Z"));
        assert_eq!(front.values["empty"], Value::Null);
        assert_eq!(front.values["deep"], json!({"x": [1, {"y": "z"}]}));
        assert_eq!(front.body(), "\nBody: text\n");
        assert!(front.faults.is_empty());
    }

    // A change touches the lines of its key and nothing else.
    #[test]
    fn a_change_keeps_the_style() {
        let changed = set(FILE, "tags", &json!(["a", "c d", "yes: no"]));
        assert_eq!(changed, FILE.replace("  - b\n", "  - c d\n  - \"yes: no\"\n"));
        let changed = set(FILE, "created", &json!("2027-01-01"));
        assert_eq!(changed, FILE.replace("\"2026-04-22T02:46:17Z\"", "\"2027-01-01\""));
        let changed = set(FILE, "status", &json!("archived"));
        assert_eq!(changed, FILE.replace("---\n\nBody", "status: archived\n---\n\nBody"));
        assert_eq!(set(FILE, "deep", &Value::Null), FILE.replace("deep:\n  x: [1, {y: z}]\n", ""));
        let windows = FILE.replace('\n', "\r\n");
        assert_eq!(set(&windows, "id", &json!("12")), windows.replace("sig-1", "\"12\""));
        assert_eq!(set("no block\n", "a", &json!(1)), "---\na: 1\n---\nno block\n");
        assert_eq!(set("---\ntags: [x, y]\n---\n", "tags", &json!(["z"])), "---\ntags: [z]\n---\n");
        assert_eq!(set("---\ntags: x, y\n---\n", "tags", &json!(["z", "y"])), "---\ntags: z, y\n---\n");
        assert_eq!(set("---\ntags: []\n---\n", "tags", &json!(["a, b"])), "---\ntags: [\"a, b\"]\n---\n");
    }

    // Trap 7: front matter that a parser stumbles over is not read by grep, and one bad key hides no other.
    #[test]
    fn a_bad_key_hides_no_other() {
        let front = Front::parse("---\na: [1,\nb: fine\nb: again\nc: \"x: y\"\n---\n").unwrap();
        assert_eq!(front.values["b"], "fine");
        assert_eq!(front.values["c"], "x: y");
        assert_eq!(front.values["a"], "[1,");
        assert_eq!(front.faults.len(), 2, "{:?}", front.faults);
        let text = "---\nwhy:\n  for:\n    - `a.rs` says: so\n    - \"x\" and more\r\n  against: []\nat: 1: 2\n---\n";
        let front = Front::parse(text).unwrap();
        assert_eq!(front.values["why"], json!({"for": ["`a.rs` says: so", "\"x\" and more"], "against": []}));
        assert_eq!(front.values["at"], "1: 2");
        assert_eq!(Front::parse("---\nnever closed\n"), None);
        assert_eq!(Front::parse("text\n---\na: 1\n---\n"), None);
    }
}
