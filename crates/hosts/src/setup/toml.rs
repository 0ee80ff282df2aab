//! The table of a server in a TOML file: written at the end, found by its spans, cut out by whole lines.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, Item, Key, Table};

use super::{Fault, SERVER, TAKEN, block, entry};

/// The table that holds servers.
const SERVERS: &str = "mcp_servers";

/// What a server's table says.
pub(super) struct Entry {
    pub(super) program: String,
    pub(super) args: Vec<String>,
}

impl Entry {
    fn table(&self) -> String {
        // A JSON text is a basic string of TOML, but for DEL, which no path has.
        let quote = |text: &String| Value::from(text.as_str()).to_string();
        let args: Vec<String> = self.args.iter().map(quote).collect();
        format!("[{SERVERS}.{SERVER}]\ncommand = {}\nargs = [{}]\n", quote(&self.program), args.join(", "))
    }

    /// Whether an entry says this. What a person added to it is theirs.
    pub(super) fn is_said_by(&self, there: &Value) -> bool {
        self.fields().iter().all(|(key, value)| there.get(key) == Some(value))
    }

    fn fields(&self) -> [(&'static str, Value); 2] {
        [("command", Value::from(self.program.as_str())), ("args", Value::from(self.args.clone()))]
    }
}

/// What the file says of our server: program, arguments and environment.
pub(super) fn read(text: &str) -> Result<Option<Value>, Fault> {
    let document = parse(text)?;
    let Some(item) = ours(&document, text)? else { return Ok(None) };
    Ok(Some(value(item)))
}

/// Writes the table; where there is one, only what differs.
pub(super) fn install(text: Option<&str>, wanted: &Entry) -> Result<String, Fault> {
    let source = text.unwrap_or_default();
    let document = parse(source)?;
    if let Some(item) = ours(&document, source)?
        && !entry::is_ours(&value(item))
    {
        return Err(Fault::at(source, start(&document, item) + bom(source), TAKEN));
    }
    let new = match tables(source)?.first() {
        None => block::append(text, &wanted.table()),
        Some(first) => {
            let mut new = source.to_owned();
            for (key, value) in wanted.fields() {
                new = set(&new, first.start, key, &value)?;
            }
            new
        }
    };
    match read(&new) {
        Ok(Some(there)) if wanted.is_said_by(&there) => Ok(new),
        Ok(_) | Err(_) => {
            let form =
                format!("`{SERVERS}` has a form that cannot be added to; write `[{SERVERS}.NAME]` tables");
            Err(Fault::at(source, 0, &form))
        }
    }
}

/// Takes variables out of our table.
pub(super) fn without_variables(text: &str, names: &[String]) -> Result<String, Fault> {
    let mut new = text.to_owned();
    for (name, key) in names.iter().flat_map(|name| entry::VARIABLES.map(|key| (name, key))) {
        let document = parse(&new)?;
        let shift = bom(&new);
        let Some(variables) = ours(&document, &new)?.and_then(|item| item.get(key)) else { continue };
        let Some(table) = variables.as_table_like() else { continue };
        let Some((word, item)) = table.get_key_value(name) else { continue };
        let place = |word: &Key, item: &Item| Some(word.span()?.start + shift..item.span()?.end + shift);
        let rest = match (variables.as_inline_table(), variables.span(), place(word, item)) {
            (Some(inline), Some(whole), Some(_)) => {
                let kept = inline.iter().filter(|(other, _)| *other != name.as_str());
                let kept = kept.filter_map(|(other, _)| {
                    let (word, item) = inline.get_key_value(other)?;
                    new.get(place(word, item)?)
                });
                let kept: Vec<&str> = kept.collect();
                let kept =
                    if kept.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", kept.join(", ")) };
                format!("{}{kept}{}", &new[..whole.start + shift], &new[whole.end + shift..])
            }
            (None, _, Some(place)) => {
                let lines = block::lines_around(&new, place);
                format!("{}{}", &new[..lines.start], &new[lines.end..])
            }
            (Some(_) | None, _, _) => {
                let what = format!("`{name}` must be removed by hand");
                return Err(Fault::at(&new, variables.span().map_or(0, |span| span.start + shift), &what));
            }
        };
        new = rest;
    }
    Ok(new)
}

/// Gives a key of our table, whose head is at `head`, another value.
fn set(text: &str, head: usize, key: &str, value: &Value) -> Result<String, Fault> {
    let document = parse(text)?;
    let shift = bom(text);
    let there = ours(&document, text)?.and_then(|item| item.get(key)).and_then(Item::span);
    // Lists of texts are written alike in JSON and TOML.
    let written = value.to_string().replace("\",\"", "\", \"");
    Ok(match there {
        Some(span) => format!("{}{written}{}", &text[..span.start + shift], &text[span.end + shift..]),
        None => {
            let line = block::lines_around(text, head..head).end;
            let newline = super::json::newline(text);
            format!("{}{key} = {written}{newline}{}", &text[..line], &text[line..])
        }
    })
}

/// Takes the table away. None when the file was made for it.
pub(super) fn remove(text: &str) -> Result<Option<String>, Fault> {
    let mut rest = Some(text.to_owned());
    for range in tables(text)?.into_iter().rev() {
        rest = rest.and_then(|rest| block::cut(&rest, range));
    }
    Ok(rest)
}

fn parse(text: &str) -> Result<Document<&str>, Fault> {
    let shift = bom(text);
    Document::parse(&text[shift..]).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start + shift);
        Fault::at(text, at, error.message())
    })
}

/// How many bytes a byte order mark takes.
fn bom(text: &str) -> usize {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}

fn ours<'a>(document: &'a Document<&str>, text: &str) -> Result<Option<&'a Item>, Fault> {
    let Some(servers) = document.get(SERVERS) else { return Ok(None) };
    if !servers.is_table_like() {
        let at = servers.span().map_or(0, |span| span.start);
        return Err(Fault::at(text, at, &format!("`{SERVERS}` is no table")));
    }
    match servers.get(SERVER) {
        Some(item) if item.is_table_like() => Ok(Some(item)),
        Some(item) => {
            let at = item.span().map_or(0, |span| span.start);
            Err(Fault::at(text, at, &format!("`{SERVERS}.{SERVER}` is no table")))
        }
        None => Ok(None),
    }
}

/// Where our entry begins: a table that has no head is where its name is.
fn start(document: &Document<&str>, item: &Item) -> usize {
    let name = document.get(SERVERS).and_then(Item::as_table_like).and_then(|all| all.get_key_value(SERVER));
    let name = name.and_then(|(name, _)| name.span());
    item.span().or(name).map_or(0, |span| span.start)
}

/// The lines of our tables, in the order of the file.
fn tables(text: &str) -> Result<Vec<Range<usize>>, Fault> {
    let document = parse(text)?;
    let Some(item) = ours(&document, text)? else { return Ok(Vec::new()) };
    let shift = bom(text);
    let mut ranges = Vec::new();
    let whole = item.as_table().is_some_and(|table| collect(table, &mut ranges));
    if !whole {
        let at = item.span().map_or(0, |span| span.start + shift);
        let form = format!("`{SERVERS}.{SERVER}` is not written as a table of its own; change it by hand");
        return Err(Fault::at(text, at, &form));
    }
    let mut lines: Vec<Range<usize>> = ranges
        .into_iter()
        .map(|range| block::lines_around(text, range.start + shift..range.end + shift))
        .collect();
    lines.sort_by_key(|range| range.start);
    Ok(lines)
}

/// From the head of each table to its last value; false where one has no head.
fn collect(table: &Table, ranges: &mut Vec<Range<usize>>) -> bool {
    if table.is_dotted() {
        return false;
    }
    let mut own = table.span();
    for (_, item) in table.iter() {
        let whole = match item {
            Item::Table(inner) => collect(inner, ranges),
            Item::Value(value) => match (&mut own, value.span()) {
                (Some(own), Some(span)) => {
                    own.end = own.end.max(span.end);
                    true
                }
                (None, _) | (_, None) => false,
            },
            Item::ArrayOfTables(_) | Item::None => false,
        };
        if !whole {
            return false;
        }
    }
    match own {
        Some(own) if !table.is_implicit() => ranges.push(own),
        Some(_) | None if table.is_implicit() => {}
        Some(_) | None => return false,
    }
    true
}

fn value(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return table.iter().map(|(key, item)| (key.to_owned(), value(item))).collect();
    }
    match item {
        Item::Value(toml_edit::Value::Array(array)) => {
            array.iter().map(|one| value(&Item::Value(one.clone()))).collect()
        }
        Item::Value(toml_edit::Value::String(text)) => Value::from(text.value().as_str()),
        Item::Value(toml_edit::Value::Integer(number)) => Value::from(*number.value()),
        Item::Value(toml_edit::Value::Boolean(bool)) => Value::from(*bool.value()),
        Item::Value(other) => Value::from(other.to_string()),
        Item::None | Item::Table(_) | Item::ArrayOfTables(_) => Value::Null,
    }
}
