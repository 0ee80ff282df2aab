//! Every other verb: the command line's own, started with `--json` (DOO-1). What a verb takes is read off its flags.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use kenning::core::words::nearest;
use kenning::core::{Code, Refusal};
use kenning::{Error, Result};
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

use crate::door::{Asker, Door};
use crate::tool::{Answer, Nature, Tool, takes};

/// A verb of the command line.
#[derive(Clone, Debug)]
pub struct Verb {
    /// What the tool is called: `task_start`.
    pub tool: String,
    /// The words of the command line: `task start`.
    pub words: Vec<String>,
    /// What it does.
    pub about: String,
    /// It only reads.
    pub reads: bool,
    /// It takes something away.
    pub takes_away: bool,
    /// It is for a person: an agent's call asks one first, where that is allowed.
    pub for_a_person: bool,
    /// What it takes.
    pub arguments: Vec<Argument>,
}

/// Something that a verb takes.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its name: that of the flag, with `_` for `-`.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// The flag; none where its place says what it is.
    pub flag: Option<String>,
    /// What it takes.
    pub takes: Takes,
    /// It must be there.
    pub required: bool,
}

/// What an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is there or not.
    Nothing,
    /// One text.
    One,
    /// Texts.
    Many,
    /// A text that the command line reads from a file: here it is the text itself, and no file is opened for a client.
    Content,
}

/// The longest answer that is handed on.
const ANSWER_BYTES_MAX: u64 = 4 << 20;
/// A verb that takes longer is ended: nobody waits for it any more.
const ANSWER_WITHIN: Duration = Duration::from_secs(120);
/// What a verb said beside its answer is there when it has ended, unless something it started holds on to it.
const NOTES_WITHIN: Duration = Duration::from_secs(2);
/// An answer that is longer is whole in the structured content alone.
const TEXT_CHARS_MAX: usize = 4_000;

/// The tool of a verb.
pub(crate) fn tool(verb: &Verb) -> Tool {
    let (shown, called) = (verb.clone(), verb.clone());
    let nature = match (verb.reads, verb.takes_away) {
        (true, _) => Nature::Reads,
        (false, true) => Nature::Takes,
        (false, false) => Nature::Adds,
    };
    Tool {
        name: verb.tool.clone(),
        title: verb.words.join(" "),
        about: verb.about.clone(),
        nature,
        input: Box::new(move || schema(&shown)),
        output: Map::from_iter([("type".to_owned(), Value::from("object"))]),
        call: Box::new(move |door, asker, arguments| call(&called, door, asker, arguments)),
    }
}

fn schema(verb: &Verb) -> JsonObject {
    let mut properties = Map::new();
    for argument in &verb.arguments {
        let mut property = match argument.takes {
            Takes::Nothing => json!({"type": "boolean"}),
            Takes::One | Takes::Content => json!({"type": "string"}),
            Takes::Many => json!({"type": "array", "items": {"type": "string"}}),
        };
        if !argument.about.is_empty() {
            property["description"] = Value::from(argument.about.clone());
        }
        properties.insert(argument.name.clone(), property);
    }
    let required: Vec<&str> = verb
        .arguments
        .iter()
        .filter(|argument| argument.required)
        .map(|argument| argument.name.as_str())
        .collect();
    let mut schema = Map::from_iter([
        ("type".to_owned(), Value::from("object")),
        ("properties".to_owned(), properties.into()),
    ]);
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

fn call(verb: &Verb, door: &Door, asker: &mut Asker, arguments: JsonObject) -> Result<Answer> {
    let given: Map<String, Value> = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    let about = given.get("id").and_then(Value::as_str).map(str::to_owned);
    let (words, input) = command_line(verb, given)?;
    if verb.for_a_person && asker.person.is_none() {
        let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
        let about = about.and_then(|id| door.ask(asker, true, |room| room.ken.headline(&id)).ok());
        return Ok(Answer::ask(format!(
            "{}\n\n{}The agent {} wants to run this, and the reason in it is the agent's:\n\nken {} {}\n\nShall it be done in your name?",
            verb.about,
            about.map(|about| format!("About {about}\n\n")).unwrap_or_default(),
            door.agent(asker),
            verb.words.join(" "),
            quoted.join(" ")
        )));
    }
    run(verb, door, asker, &words, input)
}

/// The words after the verb, and what goes to its standard input. A value stands behind `=`, and what has no flag behind `--`: nothing
/// is taken for a flag that is none.
fn command_line(verb: &Verb, mut given: Map<String, Value>) -> Result<(Vec<String>, Option<String>)> {
    let known: Vec<&str> = verb.arguments.iter().map(|argument| argument.name.as_str()).collect();
    if let Some(unknown) = given.keys().find(|name| !known.contains(&name.as_str())) {
        let near = nearest(unknown, known.iter().copied());
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let refusal = Refusal::new(Code::Invalid, format!("{} has no field `{unknown}`{near}", verb.tool));
        return Err(refusal.hint(takes(&known)).field(unknown.clone()).into());
    }
    let (mut flags, mut places, mut input) = (Vec::new(), Vec::new(), None);
    for argument in &verb.arguments {
        let Some(value) = given.remove(&argument.name) else {
            if argument.required {
                let message = format!("{} wants `{}`: {}", verb.tool, argument.name, argument.about);
                return Err(Refusal::new(Code::Invalid, message).field(argument.name.clone()).into());
            }
            continue;
        };
        let mut texts = texts(argument, value)?;
        if argument.takes == Takes::Content {
            input = Some(texts.join("\n"));
            texts = vec!["-".to_owned()];
        }
        match &argument.flag {
            Some(flag) if argument.takes == Takes::Nothing => {
                flags.extend(texts.iter().filter(|text| *text == "true").map(|_| flag.clone()));
            }
            Some(flag) => flags.extend(texts.iter().map(|text| format!("{flag}={text}"))),
            None => places.extend(texts),
        }
    }
    if !places.is_empty() {
        flags.push("--".to_owned());
        flags.extend(places);
    }
    Ok((flags, input))
}

fn texts(argument: &Argument, value: Value) -> Result<Vec<String>> {
    let wrong = |wanted: &str| -> Error {
        let message = format!("{}: {wanted} is wanted", argument.name);
        Refusal::new(Code::Invalid, message).field(argument.name.clone()).into()
    };
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    Ok(match (argument.takes, value) {
        (Takes::Nothing, Value::Bool(set)) => vec![set.to_string()],
        (Takes::Nothing, _) => return Err(wrong("true or false")),
        (Takes::Many, Value::Array(list)) => list.into_iter().map(text).collect(),
        (Takes::One, Value::Array(_)) => return Err(wrong("one text")),
        (Takes::One | Takes::Many | Takes::Content, value) => vec![text(value)],
    })
}

/// Reads a pipe to its end in a thread of its own: neither pipe waits for the other.
fn read_apart(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before it broke off is what there is.
            let _ = pipe.take(ANSWER_BYTES_MAX).read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

/// Starts the verb and reads its answer.
fn run(verb: &Verb, door: &Door, asker: &Asker, words: &[String], input: Option<String>) -> Result<Answer> {
    let settings = &door.settings;
    if settings.session.is_some() && asker.run.is_none() {
        // The conversation's run begins with whoever comes first; a verb only looks for it.
        drop(door.ask(asker, true, |_| Ok(())));
    }
    let mut command = Command::new(&settings.program);
    command.args(&verb.words).arg("--json").args(words).current_dir(&settings.options.from);
    if let Some(store) = &settings.options.store {
        command.env("KEN_STORE", store);
    }
    // Whoever asks over this door has no business in other folders of this machine.
    command.env("KEN_INSIDE", "1");
    let caller = door.caller(asker)?;
    for (name, value) in
        [("KEN_RUN", caller.run()), ("KEN_AGENT", caller.agent()), ("KEN_ACTOR", Some(caller.actor()))]
    {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    let doing = || format!("starting `ken {}`", verb.words.join(" "));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Error::failed(doing()))?;
    let answer = read_apart(child.stdout.take());
    let notes = read_apart(child.stderr.take());
    if let Some(mut to) = child.stdin.take() {
        // A verb that does not read its input closes it, and that is no fault.
        drop(to.write_all(input.unwrap_or_default().as_bytes()));
    }
    let Ok(answer) = answer.recv_timeout(ANSWER_WITHIN) else {
        drop(child.kill());
        drop(child.wait());
        let told = format!("it took longer than {} minutes", ANSWER_WITHIN.as_secs() / 60);
        return Err(Error::failed(doing())(told));
    };
    let status = child.wait().map_err(Error::failed(doing()))?;
    let notes = notes.recv_timeout(NOTES_WITHIN).unwrap_or_default();
    let notes = String::from_utf8_lossy(&notes);
    let answer = String::from_utf8_lossy(&answer);
    let value: Value = match serde_json::from_str(answer.trim()) {
        Ok(value @ Value::Object(_)) => value,
        Ok(other) => json!({ "answer": other }),
        Err(_) => json!({ "answer": answer.trim() }),
    };
    // One is a check that found something: an answer, not a failure.
    let is_error = !matches!(status.code(), Some(0 | 1));
    let value = crate::tool::harmless(value);
    let whole = value.to_string();
    let text = match (is_error, notes.trim()) {
        (true, notes) if !notes.is_empty() => notes.to_owned(),
        _ if whole.chars().count() <= TEXT_CHARS_MAX => whole,
        _ => {
            let begin: String = whole.chars().take(TEXT_CHARS_MAX).collect();
            format!("{begin}\n... and so on; all of it is in the structured content")
        }
    };
    let entries = handed_over(&value);
    Ok(Answer { text, value, is_error, entries, ..Answer::default() })
}

/// The entries that an answer shows, by their ids.
fn handed_over(value: &Value) -> Vec<String> {
    let list = ["entries", "results", "shown"].iter().find_map(|name| value[*name].as_array());
    let id = |one: &Value| one["id"].as_str().or(one.as_str()).map(str::to_owned);
    list.into_iter().flatten().filter_map(id).collect()
}
