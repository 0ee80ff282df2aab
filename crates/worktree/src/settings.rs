//! Values in configuration files: TOML, JSON, YAML, INI, .env and .properties.

use serde_json::{Map, Value};

use crate::limits::YAML_NODES_MAX;

/// How a file's settings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Toml,
    Json,
    Yaml,
    Ini,
    Lines,
}

/// The settings of a file. None where it is not one of those that can be read; the error says what is wrong with it.
pub fn settings(path: &str, text: &str) -> Result<Option<Settings>, String> {
    let Some(form) = form_of(path) else { return Ok(None) };
    let text = text.trim_start_matches('\u{feff}');
    let documents = match form {
        Form::Toml => vec![toml(text)?],
        Form::Json => vec![json(text)?],
        Form::Yaml => yaml(text)?,
        Form::Ini => vec![ini(text)?],
        Form::Lines => vec![lines(text)],
    };
    Ok(Some(Settings { documents }))
}

/// What one file sets. YAML may have several documents in one file.
pub struct Settings {
    documents: Vec<Value>,
}

impl Settings {
    /// The value that some names lead to; names with dots in them are found, too.
    pub fn get(&self, key: &[String]) -> Option<&Value> {
        self.documents.iter().find_map(|document| get(document, key))
    }
}

fn get<'a>(value: &'a Value, key: &[String]) -> Option<&'a Value> {
    let Some((first, rest)) = key.split_first() else { return Some(value) };
    match value {
        Value::Array(items) => get(items.get(first.parse::<usize>().ok()?)?, rest),
        Value::Object(members) => {
            let direct = members.get(first).and_then(|value| get(value, rest));
            direct.or_else(|| {
                let joined = |length: usize| get(members.get(&key[..length].join("."))?, &key[length..]);
                (2..=key.len()).find_map(joined)
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Files whose settings can be read, for messages.
pub const FORMS: &str = "TOML, JSON, YAML, INI, .env and .properties";

fn form_of(path: &str) -> Option<Form> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    if name == ".env" || name.starts_with(".env.") || name.ends_with(".env") {
        return Some(Form::Lines);
    }
    match name.as_str() {
        "pipfile" | "cargo.lock" | "poetry.lock" | "uv.lock" | "pdm.lock" => return Some(Form::Toml),
        "pipfile.lock" | "composer.lock" | "flake.lock" | "bun.lock" | ".babelrc" | ".swcrc" => {
            return Some(Form::Json);
        }
        ".clang-format" | ".clang-tidy" | ".clangd" | ".prettierrc" | ".eslintrc" | ".yarnrc.yml" => {
            return Some(Form::Yaml);
        }
        ".editorconfig" | ".npmrc" | ".gitmodules" | ".flake8" | ".pylintrc" | ".coveragerc" => {
            return Some(Form::Ini);
        }
        _ => {}
    }
    match name.rsplit_once('.')?.1 {
        "toml" => Some(Form::Toml),
        "json" | "jsonc" | "json5" | "webmanifest" | "code-workspace" => Some(Form::Json),
        "yaml" | "yml" => Some(Form::Yaml),
        "ini" | "cfg" | "conf" | "desktop" | "service" => Some(Form::Ini),
        "properties" => Some(Form::Lines),
        _ => None,
    }
}

pub(crate) fn toml(text: &str) -> Result<Value, String> {
    let document = toml_edit::Document::parse(text).map_err(|error| {
        let line = error
            .span()
            .map_or(0, |span| text.get(..span.start).map_or(0, |before| before.lines().count().max(1)));
        format!("line {line}: {}", error.message())
    })?;
    Ok(toml_table(document.as_table()))
}

fn toml_table(table: &dyn toml_edit::TableLike) -> Value {
    let members = table.iter().map(|(name, item)| (name.to_owned(), toml_item(item)));
    Value::Object(members.collect())
}

fn toml_item(item: &toml_edit::Item) -> Value {
    match item {
        toml_edit::Item::None => Value::Null,
        toml_edit::Item::Value(value) => toml_value(value),
        toml_edit::Item::Table(table) => toml_table(table),
        toml_edit::Item::ArrayOfTables(tables) => {
            Value::Array(tables.iter().map(|table| toml_table(table)).collect())
        }
    }
}

fn toml_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(truth) => Value::from(*truth.value()),
        toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
        toml_edit::Value::Array(items) => Value::Array(items.iter().map(toml_value).collect()),
        toml_edit::Value::InlineTable(table) => toml_table(table),
    }
}

/// Reads JSON, with comments and commas at the end of lists, as many tools allow them.
pub(crate) fn json(text: &str) -> Result<Value, String> {
    let strictly = serde_json::from_str(text);
    strictly.or_else(|_| serde_json::from_str(&without_comments(text))).map_err(|error| error.to_string())
}

/// Puts spaces in the place of comments and of commas before a closing bracket, so that lines and columns stay.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut comma = None;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                comma = None;
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    bytes[at] = b' ';
                    at += 1;
                }
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = text
                    .get(at + 2..)
                    .and_then(|rest| rest.find("*/"))
                    .map_or(bytes.len(), |end| at + end + 4);
                for byte in &mut bytes[at..end] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
                at = end;
                continue;
            }
            b',' => comma = Some(at),
            b']' | b'}' => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += 1;
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Reads YAML, every document of it, within a budget: aliases can make a few lines into gigabytes.
fn yaml(text: &str) -> Result<Vec<Value>, String> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_events: YAML_NODES_MAX, max_nodes: YAML_NODES_MAX, max_depth: 128 },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: YAML_NODES_MAX / 4 },
        strict_booleans: true,
    };
    serde_saphyr::from_multiple_with_options(text, options)
        .map_err(|error| error.to_string().trim_start_matches("error: ").to_owned())
}

fn ini(text: &str) -> Result<Value, String> {
    let mut root = Map::new();
    let mut section: Option<String> = None;
    for (at, line) in text.lines().enumerate() {
        let is_indented = line.starts_with(char::is_whitespace);
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            let Some((name, _)) = name.split_once(']') else {
                return Err(format!("line {} has no closing bracket", at + 1));
            };
            let name = name.trim().to_owned();
            root.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()));
            section = Some(name);
            continue;
        }
        let split = line.find(['=', ':']).map(|at| (line[..at].trim(), line[at + 1..].trim()));
        let home = match &section {
            Some(name) => root.get_mut(name).and_then(Value::as_object_mut),
            None => Some(&mut root),
        };
        let Some(home) = home else { continue };
        match split {
            Some((key, value)) => {
                home.insert(key.to_owned(), Value::from(unquoted(value)));
            }
            // A value may go on below; only its first line is compared.
            None if is_indented => {}
            None => {
                home.insert(line.to_owned(), Value::from(""));
            }
        }
    }
    Ok(Value::Object(root))
}

/// Reads `.env` and `.properties`: a key and a value to a line.
fn lines(text: &str) -> Value {
    let mut root = Map::new();
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    for line in joined.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let at = line.find(['=', ':']).or_else(|| line.find(char::is_whitespace));
        let (key, value) = at.map_or((line, ""), |at| (&line[..at], &line[at + 1..]));
        root.insert(key.trim().to_owned(), Value::from(unquoted(value.trim())));
    }
    Value::Object(root)
}

/// Takes quotes off, or a comment.
fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some((inner, _)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return inner;
        }
    }
    value.split(" #").next().unwrap_or_default().trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str, key: &str) -> String {
        let key: Vec<String> = key.split('.').map(str::to_owned).collect();
        match settings(path, text) {
            Ok(Some(settings)) => settings.get(&key).map_or("none".to_owned(), Value::to_string),
            Ok(None) => "cannot be read".to_owned(),
            Err(why) => format!("damaged: {why}"),
        }
    }

    /// VAL-1.
    #[test]
    fn settings_of_every_form() {
        for (path, text, key, value) in [
            (
                "a.toml",
                "[net]\nretries = 3\nat = 2024-01-02\n[[list]]\nx = {y = [1, 2.5]}\n",
                "net.retries",
                "3",
            ),
            ("a.toml", "[[list]]\nx = {y = [1, 2.5]}\n", "list.0.x.y.1", "2.5"),
            ("a.toml", "at = 2024-01-02\n", "at", "\"2024-01-02\""),
            ("a.toml", "\"a.b\" = true\n", "a.b", "true"),
            ("a.toml", "x = 3\n", "x.y", "none"),
            (
                "tsconfig.json",
                "{ // why\n \"a\": {\"strict\": true, /* x */ }, \"u\": \"http://x\",\n}",
                "a.strict",
                "true",
            ),
            ("tsconfig.json", "{\"u\": \"http://x\", /* é */}", "u", "\"http://x\""),
            ("a.yml", "on:\n  push:\n    branches: [main]\n", "on.push.branches.0", "\"main\""),
            ("a.yml", "a: 1\n---\nb: yes\n---\nc: !Ref x\n", "b", "\"yes\""),
            ("a.yml", "base: &b {x: 1}\nmore:\n  <<: *b\n  y: 2\n", "more.x", "1"),
            ("a.yml", "8080: open\nv: 3.10\nn: null\n", "8080", "\"open\""),
            ("setup.cfg", "top = 1\n[tool:pytest]\naddopts = -q\n  more\n", "tool:pytest.addopts", "\"-q\""),
            ("a.ini", "[a.b]\nc: 1 # why\n", "a.b.c", "\"1\""),
            (".env", "export A=\"x y\" # why\nB=2\n", "A", "\"x y\""),
            (".env.local", "B = 2\n", "B", "\"2\""),
            ("a.properties", "spring.url = jdbc:x\n", "spring.url", "\"jdbc:x\""),
            ("a.rs", "x", "x", "cannot be read"),
        ] {
            assert_eq!(found(path, text, key), value, "{path} {key}");
        }
    }

    #[test]
    fn damaged_files_say_where() {
        for (path, text) in [
            ("a.toml", "x = [1,\n"),
            ("a.json", "{\"a\": "),
            ("a.json", "\"open"),
            ("a.json", "/* open"),
            ("a.yaml", "a: [1\nb: }"),
            ("a.ini", "[open\n"),
        ] {
            assert!(
                found(path, text, "a").starts_with("damaged: "),
                "{path} {text:?}: {}",
                found(path, text, "a")
            );
        }
        let deep = "[".repeat(100_000);
        for (path, before) in [("a.toml", "a = "), ("a.json", ""), ("a.yaml", "a: "), ("a.yaml", "")] {
            assert!(found(path, &format!("{before}{deep}"), "a").starts_with("damaged: "), "{path}");
        }
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..12 {
            let above = vec![format!("*a{}", level - 1); 10].join(",");
            bomb.push_str(&format!("a{level}: &a{level} [{above}]\n"));
        }
        assert!(found("a.yaml", &bomb, "a").starts_with("damaged: "));
    }
}
