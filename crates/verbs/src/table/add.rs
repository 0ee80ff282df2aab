//! `add`: an entry, or many from a file.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use ken_core::{Code, Memory, Refusal, Type};
use ken_engine::ops::add::{AddAnswer, AddInput, unknown_type};
use ken_engine::{Error, Result};
use ken_worktree::Suggestion;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::content::{is_too_long, read_at_most, read_line_bounded};
use crate::entry_content::{ContentRequest, read_stated};
use crate::limits::content::LIST_BYTES_MAX;
use crate::request::Request;
use crate::resume::Resume;
use crate::verb::{Call, Content, Group, HttpPath, InRun, Nature, Verb};
use crate::{BulkOptions, BulkProgress, BulkReport, Reach, Unit, invalid_json};

/// Add an entry, or many from a file.
pub struct Add;

/// What `add` takes.
#[derive(Clone, Debug, Request)]
pub struct AddRequest {
    /// Entry type, statement, or both; a statement alone is a lesson
    #[field(value_name = "TYPE|TEXT")]
    pub what: Vec<String>,
    /// Entry type; the same as the first word
    #[field(long = "type", value_name = "TYPE", hidden)]
    pub kind: Option<String>,
    /// What the entry says.
    #[field(flatten)]
    pub content: ContentRequest,
    /// Read entries from a file (JSON object, JSON array or JSON Lines); `-` is stdin
    #[field(long, value_name = "FILE")]
    pub file: Option<Content>,
    /// Mark as extracted by a machine: incomplete entries are accepted, noise is refused
    #[field(long, hidden)]
    pub extracted: bool,
    /// Dry run: explain whether it would be admitted and why
    #[field(long, conflicts("file"))]
    pub explain: bool,
    /// Suggest dependencies from its anchors and the package manifests
    #[field(long)]
    pub suggest_deps: bool,
    /// JSON Lines: add all lines or none
    #[field(long, hidden)]
    pub atomic: bool,
    /// JSON Lines: resume after the last line of this file that was added
    #[field(long, conflicts("atomic"))]
    pub resume: bool,
    /// JSON Lines: skip invalid lines and report them
    #[field(long, conflicts("atomic"))]
    pub keep_going: bool,
    /// In which run it happens.
    #[field(flatten)]
    pub in_run: InRun,
}

/// What `add` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Added {
    /// An entry that the request itself says.
    Stated(Box<Stated>),
    /// The one entry of a file.
    Read(Box<AddAnswer>),
    /// The entries of a file.
    Many(Many),
}

/// What became of an entry that the request itself says.
#[derive(Clone, Debug)]
pub struct Stated {
    /// What became of it, or would.
    pub answer: AddAnswer,
    /// Conditions that it seems to depend on, where they were asked for and nobody chose among them.
    pub suggested: Option<Vec<Suggestion>>,
    /// Nothing was written: that was to be explained.
    pub is_explained: bool,
    /// It is a norm.
    pub is_norm: bool,
    /// The conditions that it was stated with.
    pub depends_on: Vec<String>,
}

impl Serialize for Stated {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut whole = serde_json::to_value(&self.answer).map_err(serde::ser::Error::custom)?;
        if let Some(suggested) = &self.suggested {
            whole["suggested"] = serde_json::to_value(suggested).map_err(serde::ser::Error::custom)?;
        }
        whole.serialize(serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Stated {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Stated".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let suggested = generator.subschema_for::<Vec<Suggestion>>().to_value();
        let mut schema = AddAnswer::json_schema(generator);
        if let Some(properties) = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut) {
            properties.insert("suggested".to_owned(), suggested);
        }
        schema
    }
}

/// What became of many entries.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Many {
    /// The counts, and what was left out.
    #[serde(flatten)]
    pub report: BulkReport,
    /// What the counts are of.
    #[serde(skip)]
    pub unit: Unit,
}

/// Who sits beside an `add`: asked for what is missing, told how far it is. Whoever asks nobody leaves it as it is.
pub trait Attendant {
    /// Fills in what an entry lacks.
    fn fill_gaps(&mut self, _: &mut Reach, _: &mut AddInput) -> Result<()> {
        Ok(())
    }

    /// Chooses among suggested conditions: what is accepted becomes part of the entry, and none of them is suggested any longer.
    fn choose(&mut self, _: &mut AddInput, _: &mut Vec<Suggestion>) -> Result<()> {
        Ok(())
    }

    /// Many entries follow.
    fn many_follow(&mut self, _: &mut Reach) {}

    /// Is told how far many entries are; `false` leaves the rest.
    fn goes_on(&mut self, _: &BulkProgress) -> bool {
        true
    }
}

/// Nobody sits beside it.
pub struct Unattended;

impl Attendant for Unattended {}

impl Verb for Add {
    const NAME: &'static str = "add";
    const ABOUT: &'static str = "Add an entry, or many from a file";
    const EXAMPLE: &'static str =
        "ken add lesson 'Retry with jitter.' --evidence pr:#12 --anchor src/net.rs --verify 'cargo test net'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/entries")];
    const GROUP: Group = Group::WriteDown;
    const NATURE: Nature = Nature::WRITES;
    const EVERYDAY: bool = true;
    type Request = AddRequest;
    type Answer = Added;

    fn run(call: &mut Call, request: AddRequest) -> Result<Added> {
        Add::attended(call, request, &mut Unattended)
    }

    fn in_run(request: &AddRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }

    fn rejects(answer: &Added) -> bool {
        match answer {
            Added::Stated(stated) => stated.answer.is_rejected(),
            Added::Read(answer) => answer.is_rejected(),
            Added::Many(_) => false,
        }
    }

    fn finds(answer: &Added) -> bool {
        match answer {
            Added::Stated(_) | Added::Read(_) => false,
            Added::Many(many) => many.report.progress.refused + many.report.progress.rejected > 0,
        }
    }
}

impl Add {
    /// Does it with somebody beside it.
    pub fn attended(call: &mut Call, request: AddRequest, attendant: &mut dyn Attendant) -> Result<Added> {
        let (kind, text) = match &request.kind {
            None => read_what(&request.what)?,
            Some(word) => {
                (Some(named_type(word)?), (!request.what.is_empty()).then(|| request.what.join(" ")))
            }
        };
        let mut content = request.content;
        if let Some(text) = text {
            if content.statement.is_some() {
                return Err(Refusal::new(
                    Code::Invalid,
                    "the statement is given twice, as text and with --statement",
                )
                .field("statement")
                .into());
            }
            content.statement = Some(text);
        }
        let from = call.options().from.clone();
        let ken = call.reach()?;
        let stored_paths = content.read_paths_from(&from, &ken.site.layout.root);
        let mut input = content.into_input(kind)?;
        input.extracted = request.extracted;
        if let Some(content) = request.file {
            let bulk = BulkOptions {
                base: input,
                atomic: request.atomic,
                keep_going: request.keep_going,
                ..BulkOptions::default()
            };
            return add_content(ken, &content, &from, bulk, request.resume, attendant);
        }
        let of_files =
            [("atomic", request.atomic), ("resume", request.resume), ("keep_going", request.keep_going)];
        if let Some((name, _)) = of_files.into_iter().find(|(_, is_given)| *is_given) {
            let message =
                format!("--{} is about the lines of a file, and none is given", name.replace('_', "-"));
            let refusal = Refusal::new(Code::Invalid, message).field(name);
            return Err(refusal.hint("name the file: ken add --file FILE").into());
        }
        if input.kind.is_none()
            && !input.content.contains_key("type")
            && input.content.contains_key("statement")
        {
            input.kind = Some(Type::Lesson.word().to_owned());
        }
        attendant.fill_gaps(ken, &mut input)?;
        let stated = input.kind.as_deref().or(input.content.get("type").and_then(Value::as_str));
        let is_norm =
            stated.and_then(Type::from_word).is_some_and(|kind| kind.memory() == Memory::Procedural);
        let mut suggested = if request.suggest_deps {
            crate::check::suggest_dependencies(&ken.ledger, &ken.site, &input)
        } else {
            Vec::new()
        };
        attendant.choose(&mut input, &mut suggested)?;
        let conditions = input.content.get("depends_on").and_then(Value::as_array);
        let depends_on =
            conditions.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        let mut answer = if request.explain {
            crate::add::would_add(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, input)?
        } else {
            crate::add::add(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, input)?
        };
        answer.reasons.extend(stored_paths);
        Ok(Added::Stated(Box::new(Stated {
            answer,
            suggested: request.suggest_deps.then_some(suggested),
            is_explained: request.explain,
            is_norm,
            depends_on,
        })))
    }
}

/// What stands before the flags: a type, a claim, or both.
fn read_what(what: &[String]) -> Result<(Option<String>, Option<String>)> {
    match what {
        [] => Ok((None, None)),
        [word] if word == "-" => Ok((None, None)),
        [word] if Type::from_word(&type_word(word)).is_some() => Ok((Some(type_word(word)), None)),
        [text] if text.split_whitespace().count() > 1 => Ok((None, Some(text.clone()))),
        [word] => Err(Refusal::new(Code::Invalid, unknown_type(word))
            .field("type")
            .hint("pass a one-word statement with --statement")
            .into()),
        [word, dash] if dash == "-" && Type::from_word(&type_word(word)).is_some() => {
            Ok((Some(type_word(word)), None))
        }
        [word, rest @ ..] => match Type::from_word(&type_word(word)) {
            Some(kind) => Ok((Some(kind.word().to_owned()), Some(rest.join(" ")))),
            None => Err(Refusal::new(Code::Invalid, unknown_type(word))
                .field("type")
                .hint("quote the statement: ken add 'Retry with jitter.'")
                .into()),
        },
    }
}

/// The type that `--type` names.
fn named_type(word: &str) -> Result<String> {
    let kind = Type::from_word(&type_word(word));
    let unknown = || Refusal::new(Code::Invalid, unknown_type(word)).field("type");
    kind.map(|kind| kind.word().to_owned()).ok_or_else(|| unknown().into())
}

fn type_word(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

/// What to say when a file cannot be read, or is no text.
fn unreadable(name: &str, error: std::io::Error) -> Error {
    let name = if name == "-" { "standard input" } else { name };
    match error.kind() {
        _ if is_too_long(&error) => {
            Refusal::new(Code::Invalid, format!("{name}: {error}")).field("content").into()
        }
        std::io::ErrorKind::InvalidData => {
            Refusal::new(Code::Invalid, format!("{name} is not UTF-8 text")).field("content").into()
        }
        _ => Error::failed(format!("reading {name}"))(error),
    }
}

/// The next line of a source, with its end.
fn next_line(source: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut line = Vec::new();
    read_line_bounded(source, &mut line)?;
    Ok(line)
}

/// Opens a content, with the file that it is in and what that is called in messages.
fn open(content: &Content, from: &Path) -> Result<(Box<dyn BufRead>, Option<PathBuf>, String)> {
    let path = match content {
        Content::Text(text) => {
            return Ok((Box::new(Cursor::new(text.clone().into_bytes())), None, "-".to_owned()));
        }
        Content::File(path) if path.as_os_str() == "-" => {
            return Ok((Box::new(BufReader::new(std::io::stdin())), None, "-".to_owned()));
        }
        Content::File(path) => path,
    };
    let (name, path) = (path.display().to_string(), from.join(path));
    if !path.is_file() {
        let what = if path.exists() { "is not a file" } else { "does not exist" };
        return Err(Refusal::new(Code::NotFound, format!("{name} {what}")).field("file").into());
    }
    let file = File::open(&path).map_err(|error| unreadable(&name, error))?;
    Ok((Box::new(BufReader::with_capacity(1 << 20, file)), Some(path), name))
}

/// Adds what a content holds: one object, a list of them, or JSON Lines.
fn add_content(
    reach: &mut Reach,
    content: &Content,
    from: &Path,
    mut bulk: BulkOptions,
    resume: bool,
    attendant: &mut dyn Attendant,
) -> Result<Added> {
    let (mut source, file, name) = open(content, from)?;
    let mut first = next_line(&mut source)
        .and_then(|line| String::from_utf8(line).map_err(|_| std::io::ErrorKind::InvalidData.into()))
        .map_err(|error| unreadable(&name, error))?;
    // Some editors put a byte order mark in front.
    if let Some(rest) = first.strip_prefix('\u{feff}') {
        first = rest.to_owned();
    }
    let whole_line = serde_json::from_str::<Map<String, Value>>(&first).is_ok();
    if !whole_line && !name.ends_with(".jsonl") {
        let rest = read_at_most(source, LIST_BYTES_MAX)
            .and_then(|bytes| String::from_utf8(bytes).map_err(|_| std::io::ErrorKind::InvalidData.into()))
            .map_err(|error| unreadable(&name, error))?;
        let text = first + &rest;
        if text.trim_start().starts_with('[') {
            let list: Vec<Value> = serde_json::from_str(&text).map_err(|error| invalid_json(&error))?;
            bulk.unit = Unit::Member;
            let lines: String = list.iter().map(|item| format!("{item}\n")).collect();
            return add_many(reach, Cursor::new(lines), &bulk, None, attendant);
        }
        bulk.base.content.extend(read_stated(&text)?);
        return Ok(Added::Read(Box::new(crate::add::add(
            &mut reach.ledger,
            &reach.site,
            &mut reach.models,
            &reach.caller,
            bulk.base,
        )?)));
    }
    let second = next_line(&mut source).map_err(|error| unreadable(&name, error))?;
    if second.is_empty() && whole_line {
        bulk.base.content.extend(read_stated(&first)?);
        return Ok(Added::Read(Box::new(crate::add::add(
            &mut reach.ledger,
            &reach.site,
            &mut reach.models,
            &reach.caller,
            bulk.base,
        )?)));
    }
    let memory = match &file {
        Some(file) => Resume::new(reach.site.state(), file, &name)?,
        None => None,
    };
    if resume {
        let Some(memory) = &memory else {
            return Err(Refusal::new(
                Code::Invalid,
                "--resume needs a file: standard input cannot be read again",
            )
            .field("resume")
            .into());
        };
        bulk.skip_lines = memory.acknowledged_lines()?;
        if bulk.skip_lines == 0 {
            let notice = format!("no record of an earlier add of {name}; starting at the first line");
            reach.ledger.notice(notice);
        }
    }
    let input = Cursor::new([first.into_bytes(), second].concat()).chain(source);
    add_many(reach, input, &bulk, memory, attendant)
}

fn add_many(
    reach: &mut Reach,
    input: impl BufRead,
    bulk: &BulkOptions,
    memory: Option<Resume>,
    attendant: &mut dyn Attendant,
) -> Result<Added> {
    attendant.many_follow(reach);
    let report = crate::bulk::add_lines(
        &mut reach.ledger,
        &reach.site,
        &mut reach.models,
        &reach.caller,
        input,
        bulk,
        &mut |progress| {
            let goes_on = attendant.goes_on(progress);
            if let Some(memory) = &memory {
                memory.remember(progress.acknowledged);
            }
            goes_on
        },
    )?;
    if let (Some(memory), true) = (&memory, report.complete) {
        memory.forget();
    }
    crate::embedding::embed_in_background(&mut reach.ledger, &reach.site, &mut reach.models);
    Ok(Added::Many(Many { report, unit: bulk.unit }))
}
