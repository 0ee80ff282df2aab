//! `add`: an entry, or many from a file.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use kenning::core::{Code, EventHash, Memory, Refusal, Type};
use kenning::ops::add::unknown_type;
use kenning::{AddAnswer, AddInput, BulkOptions, BulkReport, Error, Kenning, Result, Suggestion, Unit};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Session;
use crate::args::AddArgs;
use crate::output::{bold, dim, eprintln, exit, println};

pub(super) fn add(session: &Session, args: AddArgs) -> Result<u8> {
    let (kind, text) = read_what(&args.what)?;
    let mut content = args.content;
    if let Some(text) = text {
        if content.statement.is_some() {
            return Err(Refusal::new(
                Code::Invalid,
                "the claim is given twice, as text and with --statement",
            )
            .field("statement")
            .into());
        }
        content.statement = Some(text);
    }
    let from_file = args.file.clone().or_else(|| args.what.last().filter(|word| *word == "-").cloned());
    let asks = from_file.is_none()
        && content.content.is_none()
        && std::io::stdin().is_terminal()
        && crate::output::on_terminal();
    let mut input = content.into_input(kind.clone())?;
    input.extracted = args.extracted;
    let mut ken = session.open()?;
    if let Some(name) = from_file {
        let bulk = BulkOptions {
            base: input,
            atomic: args.atomic,
            keep_going: args.keep_going,
            ..BulkOptions::default()
        };
        return add_file(session, &mut ken, &name, bulk, args.resume);
    }
    if input.kind.is_none() && !input.content.contains_key("type") && input.content.contains_key("statement")
    {
        input.kind = Some(Type::Lesson.word().to_owned());
    }
    if asks && !session.output.json && !input.draft {
        ask_for_missing(&ken, &mut input)?;
    }
    let stated = input.kind.as_deref().or(input.content.get("type").and_then(Value::as_str));
    let is_norm = stated.and_then(Type::from_word).is_some_and(|kind| kind.memory() == Memory::Procedural);
    let mut suggested = if args.suggest_deps { ken.suggest_dependencies(&input) } else { Vec::new() };
    if asks && !session.output.json {
        accept_suggested(&mut input, &mut suggested)?;
    }
    // `revise` takes the whole list: what was said already is part of it.
    let stated = input.content.get("depends_on").and_then(Value::as_array).cloned().unwrap_or_default();
    let stated: Vec<String> = stated.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let answer = if args.explain { ken.would_add(input)? } else { ken.add(input)? };
    session.notes(&mut ken);
    let mut whole = serde_json::to_value(&answer).unwrap_or_default();
    if args.suggest_deps {
        whole["suggested"] = serde_json::json!(suggested);
    }
    session.output.answer(&whole, || {
        if args.explain {
            explain(&answer)
        } else {
            say_one(&answer)
        }
        say_suggested(&suggested, &stated, &answer, args.explain);
    })?;
    if asks && is_norm && answer.outcome == "added" && !args.explain {
        super::promote::accept_now(session, ken, &answer.id)?;
    }
    Ok(if answer.is_rejected() { exit::REFUSED } else { exit::OK })
}

/// On a terminal each proposal is asked about; what is accepted becomes a condition of the entry.
fn accept_suggested(input: &mut AddInput, suggested: &mut Vec<Suggestion>) -> Result<()> {
    let mut accepted = Vec::new();
    for suggestion in suggested.drain(..) {
        let question = format!("Depends on `{}` ({})", suggestion.condition, suggestion.why);
        let answer = ask(&question, Some("y"))?.unwrap_or_default();
        if answer.to_lowercase().starts_with('y') {
            accepted.push(Value::from(suggestion.condition));
        }
    }
    if !accepted.is_empty() {
        let conditions = input.content.entry("depends_on").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(conditions) = conditions {
            conditions.extend(accepted);
        }
    }
    Ok(())
}

fn say_suggested(suggested: &[Suggestion], stated: &[String], answer: &AddAnswer, explained: bool) {
    if suggested.is_empty() {
        return;
    }
    println!("It seems to depend on:");
    for suggestion in suggested {
        println!("  {}  {}", suggestion.condition, dim(&suggestion.why));
    }
    let kept = stated.iter().filter(|_| !explained);
    let all = kept.chain(suggested.iter().map(|suggestion| &suggestion.condition));
    let flags: Vec<String> =
        all.map(|text| format!("--depends-on '{}'", text.replace('\'', r"'\''"))).collect();
    let flags = flags.join(" ");
    match explained {
        true => println!("To accept: the same command with {flags}"),
        false => println!("To accept: ken revise {} {flags}", answer.handle),
    }
}

/// What would become of an entry, and what that rests on.
fn explain(answer: &AddAnswer) {
    println!("would be {} as {}; nothing was written", answer.outcome, bold(&answer.handle));
    answer.reasons.iter().for_each(|reason| println!("  {reason}"));
    println!("  scan: {}", answer.scan.tier.word());
    for found in &answer.scan.findings {
        println!("    {} {}/{} in {}", found.severity.word(), found.axis, found.rule, found.field);
    }
    if let Some(admission) = &answer.admission {
        println!("  admission: {:.3}", admission.score);
        for (signal, value) in &admission.signals {
            println!("    {signal:<17} {value:.3}");
        }
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
            .hint("a claim of one word goes behind --statement")
            .into()),
        [word, dash] if dash == "-" && Type::from_word(&type_word(word)).is_some() => {
            Ok((Some(type_word(word)), None))
        }
        [word, rest @ ..] => match Type::from_word(&type_word(word)) {
            Some(kind) => Ok((Some(kind.word().to_owned()), Some(rest.join(" ")))),
            None => Err(Refusal::new(Code::Invalid, unknown_type(word))
                .field("type")
                .hint("put a claim into quotes: ken add 'Retry with jitter.'")
                .into()),
        },
    }
}

fn type_word(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

pub(super) fn one(session: &Session, ken: &mut Kenning, input: AddInput) -> Result<u8> {
    let answer = ken.add(input)?;
    session.notes(ken);
    say(session, &answer)
}

pub(super) fn say_one(answer: &AddAnswer) {
    let id = if answer.handle == answer.id { String::new() } else { format!("  {}", answer.id) };
    println!("{} {}{id}", answer.outcome, bold(&answer.handle));
    for reason in &answer.reasons {
        println!("  {reason}");
    }
}

pub(super) fn say(session: &Session, answer: &AddAnswer) -> Result<u8> {
    session.output.answer(answer, || say_one(answer))?;
    Ok(if answer.is_rejected() { exit::REFUSED } else { exit::OK })
}

/// ENT-4: on a terminal, asks for what is missing: evidence, a place, a step.
fn ask_for_missing(ken: &Kenning, input: &mut AddInput) -> Result<()> {
    let kind =
        input.kind.as_deref().or(input.content.get("type").and_then(Value::as_str)).and_then(Type::from_word);
    let Some(kind) = kind.filter(|kind| kind.needs_provenance()) else { return Ok(()) };
    let missing = |input: &AddInput, name: &str| !input.content.contains_key(name);
    if input.evidence.is_empty() && missing(input, "provenance") {
        let head = ken
            .layout()
            .git
            .as_ref()
            .and_then(|git| git.commit("HEAD"))
            .map(|hash| format!("commit:{}", &hash[..12]));
        let evidence = ask("Evidence (commit:HASH, pr:#N, doc:PATH, test:PATH)", head.as_deref())?;
        input.evidence.extend(evidence);
    }
    if kind.needs_anchor() && missing(input, "anchors") {
        let statement = input.content.get("statement").and_then(Value::as_str).unwrap_or_default();
        let offered = backticked_path(statement, &ken.layout().root);
        if let Some(anchor) = ask("Where can it be seen (PATH, PATH:A-B, PATH#SYMBOL)", offered.as_deref())? {
            input.content.insert("anchors".into(), Value::from(vec![anchor]));
        }
    }
    if kind.needs_anchor()
        && missing(input, "verification")
        && let Some(step) = ask("How to check that it still holds", None)?
    {
        input.content.insert("verification".into(), Value::from(vec![step]));
    }
    Ok(())
}

fn ask(question: &str, offered: Option<&str>) -> Result<Option<String>> {
    let doing = "asking";
    match offered {
        Some(offered) => eprint_flush(&format!("{question} [{offered}]: ")),
        None => eprint_flush(&format!("{question}: ")),
    }
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).map_err(Error::failed(doing))?;
    let line = line.trim();
    Ok(if line.is_empty() { offered.map(str::to_owned) } else { Some(line.to_owned()) })
}

fn eprint_flush(text: &str) {
    anstream::eprint!("{text}");
    let _ = std::io::stderr().flush();
}

/// The first backticked word of a text that is a file here.
fn backticked_path(text: &str, root: &Path) -> Option<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .find(|word| root.join(word.split(['#', ':']).next().unwrap_or(word)).is_file())
        .map(str::to_owned)
}

/// What to say when a file cannot be read, or is no text.
fn unreadable(name: &str, error: std::io::Error) -> Error {
    let name = if name == "-" { "standard input" } else { name };
    match error.kind() {
        std::io::ErrorKind::InvalidData => {
            Refusal::new(Code::Invalid, format!("{name} is not UTF-8 text")).field("content").into()
        }
        _ => Error::failed(format!("reading {name}"))(error),
    }
}

/// A file or standard input: one object, a list of them, or JSON Lines.
fn add_file(
    session: &Session,
    ken: &mut Kenning,
    name: &str,
    mut bulk: BulkOptions,
    resume: bool,
) -> Result<u8> {
    let mut source: Box<dyn BufRead> = if name == "-" {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        let path = session.options.from.join(name);
        if !path.is_file() {
            let what = if path.exists() { "is not a file" } else { "does not exist" };
            return Err(Refusal::new(Code::NotFound, format!("{name} {what}")).field("file").into());
        }
        Box::new(BufReader::with_capacity(
            1 << 20,
            File::open(path).map_err(|error| unreadable(name, error))?,
        ))
    };
    let mut first = String::new();
    source.read_line(&mut first).map_err(|error| unreadable(name, error))?;
    // Some editors put a byte order mark in front.
    if let Some(rest) = first.strip_prefix('\u{feff}') {
        first = rest.to_owned();
    }
    let whole_line = serde_json::from_str::<Map<String, Value>>(&first).is_ok();
    if !whole_line && !name.ends_with(".jsonl") {
        let mut rest = String::new();
        source.read_to_string(&mut rest).map_err(|error| unreadable(name, error))?;
        let text = first + &rest;
        if text.trim_start().starts_with('[') {
            let list: Vec<Value> =
                serde_json::from_str(&text).map_err(|error| kenning::invalid_json(&error))?;
            bulk.unit = Unit::Member;
            let lines: String = list.iter().map(|item| format!("{item}\n")).collect();
            return add_lines(session, ken, Cursor::new(lines), bulk, None);
        }
        let content = kenning::read_content(&text)?;
        bulk.base.content.extend(content);
        return one(session, ken, bulk.base);
    }
    let mut second = String::new();
    source.read_line(&mut second).map_err(|error| unreadable(name, error))?;
    if second.is_empty() && whole_line {
        bulk.base.content.extend(kenning::read_content(&first)?);
        return one(session, ken, bulk.base);
    }
    let mut memory = Resume::new(ken, session, name)?;
    if resume {
        let Some(memory) = &mut memory else {
            return Err(Refusal::new(
                Code::Invalid,
                "--resume needs a file: standard input cannot be read again",
            )
            .field("resume")
            .into());
        };
        bulk.skip_lines = memory.acknowledged_lines()?;
        if bulk.skip_lines == 0 && !session.output.quiet {
            eprintln!("note: nothing of {name} was acknowledged before; starting at its first line");
        }
    }
    let input = Cursor::new(first + &second).chain(source);
    add_lines(session, ken, input, bulk, memory)
}

fn add_lines(
    session: &Session,
    ken: &mut Kenning,
    input: impl BufRead,
    bulk: BulkOptions,
    memory: Option<Resume>,
) -> Result<u8> {
    let stopped = super::interrupt();
    let bar = (!session.output.json && !session.output.quiet && std::io::stderr().is_terminal()).then(|| {
        let bar = indicatif::ProgressBar::new_spinner();
        bar.set_style(
            indicatif::ProgressStyle::with_template("{spinner} {pos} lines, {per_sec}, {elapsed}")
                .unwrap_or_else(|_| indicatif::ProgressStyle::default_spinner()),
        );
        bar
    });
    let report = ken.add_lines(input, &bulk, &mut |progress| {
        if let Some(bar) = &bar {
            bar.set_position(progress.acknowledged as u64);
        }
        if let Some(memory) = &memory {
            memory.remember(progress.acknowledged);
        }
        !stopped.load(Ordering::SeqCst)
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    session.notes(ken);
    let report = report?;
    if let (Some(memory), true) = (&memory, report.complete) {
        memory.forget();
    }
    say_bulk(session, &report, bulk.unit)?;
    super::embed_in_background(session, ken);
    Ok(match (report.complete, report.progress.refused + report.progress.rejected) {
        (false, _) => exit::INTERRUPTED,
        (true, 0) => exit::OK,
        (true, _) => exit::FOUND,
    })
}

fn say_bulk(session: &Session, report: &BulkReport, bulk_unit: Unit) -> Result<()> {
    session.output.answer(report, || {
        let progress = report.progress;
        let looked_at = [
            progress.added,
            progress.reinforced,
            progress.held,
            progress.merged,
            progress.rejected,
            progress.refused,
        ];
        if report.complete && looked_at.iter().sum::<usize>() == 0 {
            println!("there is no entry in it; nothing was added");
            return;
        }
        println!(
            "added {}, reinforced {}, held {}, refused {}{}{}",
            progress.added,
            progress.reinforced,
            progress.held,
            progress.refused,
            if progress.merged > 0 { format!(", merged {}", progress.merged) } else { String::new() },
            if progress.rejected > 0 { format!(", kept out {}", progress.rejected) } else { String::new() },
        );
        for list in [&report.faults, &report.kept_out] {
            list.iter().take(20).for_each(|line| println!("  {line}"));
            if list.len() > 20 {
                println!("  ... and {} more", list.len() - 20);
            }
        }
        if progress.rejected > 0 {
            println!("  `ken list --status rejected` shows what was kept out; a person may `ken release` it");
        }
        let unit = if bulk_unit == Unit::Member { "member of the list" } else { "line" };
        println!("last acknowledged {unit}: {}", progress.acknowledged);
        if !report.complete {
            println!("stopped; the same command with --resume goes on from there");
        }
    })
}

/// What this clone remembers of a bulk add, to go on after it was stopped.
struct Resume {
    file: PathBuf,
    note: PathBuf,
    /// How far the file was read to write the note.
    read: RefCell<Reading>,
}

/// A file being followed line by line.
struct Reading {
    reader: BufReader<File>,
    last: Vec<u8>,
    so_far: Acknowledged,
}

/// Where an acknowledged part of a file ends. A file that changed there cannot be resumed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Acknowledged {
    lines: usize,
    bytes: u64,
    /// The hash of the last acknowledged line.
    last_line: String,
}

impl Reading {
    fn open(file: &Path) -> Result<Reading> {
        let file = File::open(file).map_err(Error::failed("reading the file again"))?;
        Ok(Reading {
            reader: BufReader::with_capacity(1 << 20, file),
            last: Vec::new(),
            so_far: Acknowledged::default(),
        })
    }

    /// Reads on to a line and says what stands there.
    fn follow(&mut self, lines: usize) -> Result<Acknowledged> {
        while self.so_far.lines < lines {
            self.last.clear();
            let read = self
                .reader
                .read_until(b'\n', &mut self.last)
                .map_err(Error::failed("reading the file again"))?;
            if read == 0 {
                break;
            }
            self.so_far.lines += 1;
            self.so_far.bytes += read as u64;
        }
        self.so_far.last_line = EventHash::of(&[&self.last]).to_string();
        Ok(self.so_far.clone())
    }
}

impl Resume {
    fn new(ken: &Kenning, session: &Session, name: &str) -> Result<Option<Resume>> {
        if name == "-" {
            return Ok(None);
        }
        let file = session.options.from.join(name);
        if !file.is_file() {
            // A pipe cannot be read again.
            return Ok(None);
        }
        let file = file.canonicalize().map_err(Error::failed(format!("reading {name}")))?;
        let word = EventHash::of(&[file.to_string_lossy().as_bytes()]).to_string();
        let read = RefCell::new(Reading::open(&file)?);
        Ok(Some(Resume { note: ken.layout().clone_home().join("bulk").join(word), read, file }))
    }

    fn acknowledged_lines(&self) -> Result<usize> {
        let Ok(text) = std::fs::read_to_string(&self.note) else { return Ok(0) };
        let Ok(note) = serde_json::from_str::<Acknowledged>(&text) else { return Ok(0) };
        if Reading::open(&self.file)?.follow(note.lines)? != note {
            return Err(Refusal::new(
                Code::NotAllowed,
                format!("the first {} lines of the file changed since they were acknowledged", note.lines),
            )
            .hint("run it without --resume: entries that are there already are not added twice")
            .into());
        }
        Ok(note.lines)
    }

    fn remember(&self, lines: usize) {
        // Only a convenience: without the note, adding the file again adds nothing twice.
        let Ok(note) = self.read.borrow_mut().follow(lines) else { return };
        if let Some(folder) = self.note.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let _ = std::fs::write(&self.note, serde_json::to_string(&note).unwrap_or_default());
    }

    fn forget(&self) {
        let _ = std::fs::remove_file(&self.note);
    }
}
