//! The entry of our MCP server in a host's JSON file.

use serde_json::Value;

use super::hosts::Shape;
use super::json::{self, Addition, Json, Node, Step};
use super::{Fault, SERVER, TAKEN, entry};

/// Written once and then left to the person: whether the server is switched on.
const SWITCH: &str = "enabled";

/// What is written for a server.
pub(super) fn entry(shape: Shape, program: &str, args: &[String]) -> Json {
    let text = |text: &String| Json::text(text.as_str());
    let command = ("command", Json::text(program));
    let words = ("args", Json::List(args.iter().map(text).collect()));
    match shape {
        Shape::Toml | Shape::Plain(_) => Json::Object(vec![command, words]),
        Shape::Typed(_) => Json::Object(vec![("type", Json::text("stdio")), command, words]),
        Shape::Custom(_) => Json::Object(vec![("source", Json::text("custom")), command, words]),
        Shape::List(..) => {
            let all = std::iter::once(Json::text(program)).chain(args.iter().map(text)).collect();
            Json::Object(vec![
                ("type", Json::text("local")),
                ("command", Json::List(all)),
                (SWITCH, Json::Bool(true)),
            ])
        }
    }
}

/// What the file says of our server.
pub(super) fn read(text: &str, shape: Shape) -> Result<Option<Value>, Fault> {
    let Some(root) = json::parse(text)? else { return Ok(None) };
    Ok(find(text, &root, shape)?.map(Node::value))
}

/// Whether an entry says what is written for it. What a person added to it is theirs.
pub(super) fn says(there: &Value, entry: &Json) -> bool {
    fields(entry).all(|(key, value)| there.get(key) == Some(&value.value()))
}

/// Writes the entry; where there is one, only what differs.
pub(super) fn install(text: Option<&str>, shape: Shape, wanted: &Json) -> Result<String, Fault> {
    let root = text.map(json::parse).transpose()?.flatten();
    let (Some(source), Some(root)) = (text, root) else {
        return json::add(text, path(None, shape), &Addition::Member(SERVER, wanted));
    };
    let path = path(Some(&root), shape);
    let Some(node) = find(source, &root, shape)? else {
        return json::add(text, path, &Addition::Member(SERVER, wanted));
    };
    if !entry::is_ours(&node.value()) {
        return Err(Fault::at(source, node.start, TAKEN));
    }
    let mut new = source.to_owned();
    for (key, value) in fields(wanted) {
        let Some(root) = json::parse(&new)? else { break };
        let Some(node) = find(&new, &root, shape)? else { break };
        match node.get(key) {
            Some(there) if there.value() == value.value() => {}
            Some(there) => new = json::replace(&new, there.start..there.end, value)?,
            None => {
                let inner: Vec<&'static str> = path.iter().copied().chain([SERVER]).collect();
                new = json::add(Some(&new), &inner, &Addition::Member(key, value))?;
            }
        }
    }
    Ok(new)
}

/// Takes variables out of the entry.
pub(super) fn without_variables(text: &str, shape: Shape, names: &[String]) -> Result<String, Fault> {
    let mut new = text.to_owned();
    for (name, key) in names.iter().flat_map(|name| entry::VARIABLES.map(|key| (name, key))) {
        let Some(root) = json::parse(&new)? else { break };
        let variables = find(&new, &root, shape)?.and_then(|node| node.get(key));
        let index = variables.and_then(|node| node.slots().iter().position(|slot| slot.key == *name));
        let Some(index) = index else { continue };
        let keys = path(Some(&root), shape).iter().copied().chain([SERVER, key]);
        let steps: Vec<Step> = keys.map(Step::Key).collect();
        new = json::cut(&new, &steps, index)?.unwrap_or_default();
    }
    Ok(new)
}

/// Takes the entry away. None when the file was made for it.
pub(super) fn remove(text: &str, shape: Shape) -> Result<Option<String>, Fault> {
    let Some(root) = json::parse(text)? else { return Ok(Some(text.to_owned())) };
    if find(text, &root, shape)?.is_none() {
        return Ok(Some(text.to_owned()));
    }
    let path = path(Some(&root), shape);
    let index = root.at(path).and_then(|node| node.slots().iter().position(|slot| slot.key == SERVER));
    let steps: Vec<Step> = path.iter().map(|key| Step::Key(key)).collect();
    json::cut(text, &steps, index.unwrap_or(usize::MAX))
}

/// What is compared.
fn fields(entry: &Json) -> impl Iterator<Item = (&'static str, &Json)> {
    let members = match entry {
        Json::Object(members) => members.as_slice(),
        Json::Text(_) | Json::Number(_) | Json::Bool(_) | Json::List(_) => &[],
    };
    members.iter().filter(|(key, _)| *key != SWITCH).map(|(key, value)| (*key, value))
}

fn find<'a>(text: &str, root: &'a Node, shape: Shape) -> Result<Option<&'a Node>, Fault> {
    let mut node = root;
    for key in path(Some(root), shape) {
        if !node.is_object() {
            return Err(Fault::at(text, node.start, "expected an object"));
        }
        match node.get(key) {
            Some(inner) => node = inner,
            None => return Ok(None),
        }
    }
    match node.is_object() {
        true => Ok(node.get(SERVER)),
        false => Err(Fault::at(text, node.start, "expected an object of servers by name")),
    }
}

/// Where servers are.
fn path(root: Option<&Node>, shape: Shape) -> &'static [&'static str] {
    match shape {
        Shape::Toml => &[],
        Shape::Plain(path) | Shape::Typed(path) | Shape::Custom(path) => path,
        Shape::List(path, deeper) => {
            // A server may be called `servers`.
            let is_server = |node: &Node| {
                ["type", "command", SWITCH]
                    .iter()
                    .any(|key| node.get(key).is_some_and(|field| !field.is_object()))
            };
            match root.and_then(|root| root.at(deeper)) {
                Some(node) if node.is_object() && !is_server(node) => deeper,
                Some(_) | None => path,
            }
        }
    }
}
