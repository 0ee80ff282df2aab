//! The hooks of a host: which are ours, which are missing, and how they come and go without touching others.

use std::ops::Range;

use serde_json::Value;

use super::entry::is_ken;
use super::hosts::{Form, Hooks};
use super::json::{self, Addition, Json, Node, Step};
use super::{Fault, State};

/// The time a host gives a hook. It has a shorter limit of its own; this is for the day it fails to keep it. Codex gives the last hook of a
/// session no more than this.
const LIMIT_SECONDS: u64 = 3;
/// What Cursor calls the format of its hooks.
const VERSION: u64 = 1;

/// A hook of ours that was found.
struct Place {
    /// The host's name for the event.
    event: String,
    /// Ours: a host may have one event for two of them.
    ours: String,
    item: usize,
    /// Where it shares a group with others: its place among them.
    inner: Option<usize>,
    value: Value,
    range: Range<usize>,
}

/// A hook as it is written.
struct Wanted {
    event: &'static str,
    ours: &'static str,
    hook: Json,
}

impl Wanted {
    /// Whether a hook that was found is this one, right or stale.
    fn is(&self, place: &Place) -> bool {
        self.event == place.event && self.ours == place.ours
    }
}

/// What is written.
fn wanted(hooks: &Hooks, host: &str, program: &str) -> Vec<Wanted> {
    let one = |event: &super::hosts::Event| {
        let command = Json::text(guarded(program, &format!("hook {} --host {host}", event.ours)));
        let matcher = event.matcher.map(|matcher| ("matcher", Json::text(matcher)));
        let hook = match hooks.form {
            Form::Groups { per_second } => {
                let command = Json::Object(vec![
                    ("type", Json::text("command")),
                    ("command", command),
                    ("timeout", Json::Number(LIMIT_SECONDS * per_second)),
                ]);
                matcher.into_iter().chain([("hooks", Json::List(vec![command]))]).collect()
            }
            Form::Flat => [("command", command)]
                .into_iter()
                .chain(matcher)
                .chain([("timeout", Json::Number(LIMIT_SECONDS))])
                .collect(),
        };
        Wanted { event: event.theirs, ours: event.ours, hook: Json::Object(hook) }
    };
    hooks.events.iter().map(one).collect()
}

/// A command line that starts a program and ends as that program ends; where there is no such program, it succeeds without a word: a
/// shared file of settings also reaches who has no `ken`. Understood by every POSIX shell.
fn guarded(program: &str, arguments: &str) -> String {
    let program = quoted(program);
    match cfg!(windows) {
        true => format!("{program} {arguments}"),
        false => format!("! command -v {program} >/dev/null 2>&1 || {program} {arguments}"),
    }
}

/// The command lines of our hooks, each once, in the order of the file.
pub(super) fn commands(text: &str, hooks: &Hooks, host: &str) -> Result<Vec<String>, Fault> {
    let Some(root) = json::parse(text)? else { return Ok(Vec::new()) };
    let mut commands = Vec::new();
    for place in places(text, &root, hooks, host)? {
        let inner = place.value.get("hooks").and_then(Value::as_array);
        let one = match (inner, place.inner) {
            (Some(group), Some(inner)) => group.get(inner),
            (Some(group), None) => group.first(),
            (None, _) => Some(&place.value),
        };
        let command = one.and_then(|hook| hook.get("command")).and_then(Value::as_str).map(str::to_owned);
        commands.extend(command.filter(|command| !commands.contains(command)));
    }
    Ok(commands)
}

/// How the hooks stand.
pub(super) fn state(text: &str, hooks: &Hooks, host: &str, program: &str) -> Result<State, Fault> {
    let Some(root) = json::parse(text)? else { return Ok(State::Missing) };
    let places = places(text, &root, hooks, host)?;
    let wanted = wanted(hooks, host, program);
    let whole = wanted.len() == places.len()
        && places.iter().all(|place| {
            let right = |want: &&Wanted| want.is(place) && want.hook.value() == place.value;
            place.inner.is_none() && wanted.iter().filter(right).count() == 1
        });
    let once = wanted.iter().all(|want| places.iter().filter(|place| want.is(place)).count() == 1);
    Ok(match (places.is_empty(), whole && once) {
        (true, _) => State::Missing,
        (false, true) => State::Current,
        (false, false) => State::Stale,
    })
}

/// Writes every hook: a stale one in its place, a missing one after those of others.
pub(super) fn install(text: Option<&str>, hooks: &Hooks, host: &str, program: &str) -> Result<String, Fault> {
    let wanted = wanted(hooks, host, program);
    let mut new = text.map(str::to_owned);
    if hooks.form == Form::Flat {
        let root = text.map(json::parse).transpose()?.flatten();
        let has = |key| root.as_ref().and_then(|root| root.get(key));
        match (has("hooks"), has("version")) {
            (Some(node), None) => {
                let what = "hooks without \"version\": 1; add it first";
                return Err(Fault::at(text.unwrap_or_default(), node.start, what));
            }
            (_, Some(version)) if version.value() != VERSION => {
                let what = "unsupported version of the hooks format; supported: 1";
                return Err(Fault::at(text.unwrap_or_default(), version.start, what));
            }
            (_, Some(_)) | (None, None) => {}
        }
    }
    // One thing at a time, since every change moves what follows it.
    while let Mended::To(step) = mend(new.as_deref(), hooks, host, &wanted)? {
        new = step;
    }
    for want in &wanted {
        let there = match new.as_deref() {
            Some(text) => match json::parse(text)? {
                Some(root) => places(text, &root, hooks, host)?.iter().any(|place| want.is(place)),
                None => false,
            },
            None => false,
        };
        if !there {
            new = Some(json::add(new.as_deref(), &["hooks", want.event], &Addition::Item(&want.hook))?);
        }
    }
    let new = new.unwrap_or_default();
    let versioned = json::parse(&new)?.is_some_and(|root| root.get("version").is_some());
    // After the hooks, which says that it was made with them.
    match hooks.form == Form::Flat && !versioned {
        true => json::add(Some(&new), &[], &Addition::Member("version", &Json::Number(VERSION))),
        false => Ok(new),
    }
}

/// Takes every hook of ours away. None when the file was made for them.
pub(super) fn remove(text: &str, hooks: &Hooks, host: &str) -> Result<Option<String>, Fault> {
    let rest = without_ours(text, hooks, host)?;
    let Some(root) = json::parse(text)? else { return Ok(rest) };
    let place = |key: &str| root.slots().iter().position(|slot| slot.key == key);
    let (Some(at), Some(version)) = (place("hooks"), place("version")) else { return Ok(rest) };
    let gone = match &rest {
        Some(rest) => json::parse(rest)?.is_none_or(|root| root.get("hooks").is_none()),
        None => true,
    };
    if hooks.form == Form::Flat && gone && version == at + 1 {
        return match json::cut(text, &[], version)? {
            Some(text) => without_ours(&text, hooks, host),
            None => Ok(None),
        };
    }
    Ok(rest)
}

/// From the last on, so that what was there first is looked at last.
fn without_ours(text: &str, hooks: &Hooks, host: &str) -> Result<Option<String>, Fault> {
    let mut text = text.to_owned();
    loop {
        let Some(root) = json::parse(&text)? else { return Ok(Some(text)) };
        let Some(place) = places(&text, &root, hooks, host)?.pop() else { return Ok(Some(text)) };
        match cut(&text, &place)? {
            Some(rest) => text = rest,
            None => return Ok(None),
        }
    }
}

/// What came of looking for something wrong.
enum Mended {
    Nothing,
    /// One thing was put right; none where no file is left.
    To(Option<String>),
}

/// Puts the first thing right that is wrong.
fn mend(text: Option<&str>, hooks: &Hooks, host: &str, wanted: &[Wanted]) -> Result<Mended, Fault> {
    let Some(text) = text else { return Ok(Mended::Nothing) };
    let Some(root) = json::parse(text)? else { return Ok(Mended::Nothing) };
    let places = places(text, &root, hooks, host)?;
    for (index, place) in places.iter().enumerate() {
        let want = wanted.iter().find(|want| want.is(place)).map(|want| &want.hook);
        let again =
            places[..index].iter().any(|before| before.event == place.event && before.ours == place.ours);
        match want {
            Some(want) if place.inner.is_none() && !again && want.value() == place.value => {}
            Some(want) if place.inner.is_none() && !again => {
                return json::replace(text, place.range.clone(), want).map(|new| Mended::To(Some(new)));
            }
            Some(_) | None => return cut(text, place).map(Mended::To),
        }
    }
    Ok(Mended::Nothing)
}

fn cut(text: &str, place: &Place) -> Result<Option<String>, Fault> {
    let event = [Step::Key("hooks"), Step::Key(&place.event)];
    match place.inner {
        None => json::cut(text, &event, place.item),
        Some(inner) => {
            let group = [event[0], event[1], Step::Index(place.item), Step::Key("hooks")];
            json::cut(text, &group, inner)
        }
    }
}

/// Our hooks, in the order of the file.
fn places(text: &str, root: &Node, hooks: &Hooks, host: &str) -> Result<Vec<Place>, Fault> {
    if !root.is_object() {
        return Err(Fault::at(text, root.start, "expected an object"));
    }
    let Some(all) = root.get("hooks") else { return Ok(Vec::new()) };
    if !all.is_object() {
        return Err(Fault::at(text, all.start, "`hooks` is not an object"));
    }
    let mut places = Vec::new();
    for slot in all.slots() {
        let known = hooks.events.iter().any(|event| event.theirs == slot.key);
        if known && !slot.value.is_list() {
            return Err(Fault::at(text, slot.start, &format!("the hooks of {:?} are not a list", slot.key)));
        }
        for (item, group) in slot.value.slots().iter().enumerate() {
            let node = &group.value;
            let place = |ours: String, inner: Option<usize>| Place {
                event: slot.key.clone(),
                ours,
                item,
                inner,
                value: node.value(),
                range: node.start..node.end,
            };
            match hooks.form {
                Form::Flat => places.extend(ours(node, hooks, host).map(|ours| place(ours, None))),
                Form::Groups { .. } => {
                    let commands = node.get("hooks").map(Node::slots).unwrap_or_default();
                    let mine: Vec<(usize, String)> = commands
                        .iter()
                        .enumerate()
                        .filter_map(|(inner, slot)| Some((inner, ours(&slot.value, hooks, host)?)))
                        .collect();
                    let is_shared = mine.len() < commands.len();
                    // A group of ours alone goes and comes as a whole.
                    let mine = mine.into_iter().take(if is_shared { usize::MAX } else { 1 });
                    places.extend(mine.map(|(inner, ours)| place(ours, is_shared.then_some(inner))));
                }
            }
        }
    }
    Ok(places)
}

/// The event of a hook of ours: its command starts a `ken` with `hook EVENT`, whatever a person put around that.
fn ours(hook: &Node, hooks: &Hooks, host: &str) -> Option<String> {
    let Value::String(command) = hook.get("command").map(Node::value)? else { return None };
    let started = started(&command)?;
    let is_known = hooks.events.iter().any(|event| event.ours == started.event);
    // An event of another version is known by the host that is named after it.
    let is_named = command.ends_with(&format!(" --host {host}"));
    (is_known || is_named).then_some(started.event)
}

/// What a command line of a hook starts.
pub(super) struct Started {
    pub(super) program: String,
    event: String,
}

/// Finds `ken ... hook EVENT` in a command line: a shell's, so with assignments before it, other commands around it, or all of it in quotes.
pub(super) fn started(line: &str) -> Option<Started> {
    for command in commands_of(line) {
        let Some(at) = command.iter().position(|word| is_ken(word)) else {
            match command.iter().filter(|word| word.len() < line.len()).find_map(|word| started(word)) {
                Some(started) => return Some(started),
                None => continue,
            }
        };
        let rest = &command[at + 1..];
        let event = rest.windows(2).find(|pair| pair[0] == "hook").map(|pair| pair[1].clone());
        if let Some(event) = event {
            return Some(Started { program: command[at].clone(), event });
        }
    }
    None
}

/// The words of each command of a line, without their quotes. A backslash is left as it is: on Windows it parts folders.
fn commands_of(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let (mut word, mut quote) = (String::new(), None);
    for letter in line.chars().chain([' ']) {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), letter) => word.push(letter),
            (None, '"' | '\'') => quote = Some(letter),
            (None, letter) if letter.is_whitespace() || ";&|()".contains(letter) => {
                let last = commands.len() - 1;
                if !word.is_empty() {
                    commands[last].push(std::mem::take(&mut word));
                }
                if !letter.is_whitespace() && !commands[last].is_empty() {
                    commands.push(Vec::new());
                }
            }
            (None, letter) => word.push(letter),
        }
    }
    commands
}

/// A program as a shell takes it for one word.
fn quoted(program: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/\\:._-+~@".contains(c);
    match program.chars().all(plain) {
        true => program.to_owned(),
        false if program.contains('"') || program.contains('$') || program.contains('`') => {
            format!("'{}'", program.replace('\'', "'\\''"))
        }
        false => format!("\"{program}\""),
    }
}
