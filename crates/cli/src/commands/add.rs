//! `add`: what is asked at a terminal, and how the answer is shown.

use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kenning::core::Type;
use kenning::core::decide::Outcome;
use kenning::entry_content::path_from_root;
use kenning::table::Add;
use kenning::table::add::{AddRequest, Added, Attendant, Many, Stated};
use kenning::verb::{Content, Verb};
use kenning::{AddAnswer, AddInput, BulkProgress, Error, Reach, Result, Suggestion, Unit};
use serde_json::Value;

use super::{Session, Shown};
use crate::output::{bold, dim, eprintln, exit, println};

impl Shown for Add {
    fn execute(session: &Session, mut request: AddRequest) -> Result<u8> {
        if request.file.is_none() && request.what.last().is_some_and(|word| word == "-") {
            request.file = Some(Content::File("-".into()));
        }
        let asks = request.file.is_none()
            && request.content.content.is_none()
            && std::io::stdin().is_terminal()
            && crate::output::on_terminal();
        let mut call = session.call(Self::in_run(&request))?;
        let lines = lines_of(request.file.as_ref(), &session.options.from);
        let asks_now = asks && !session.output.json;
        let mut person = AtTerminal { session, asks: asks_now, lines, bar: None, stopped: Arc::default() };
        let answer = Add::attended(&mut call, request, &mut person);
        person.finish();
        session.notes_of(&mut call);
        let answer = answer?;
        session.output.answer(&answer, || Self::say(&answer))?;
        if let (Added::Stated(stated), true, Some(ken)) = (&answer, asks, call.into_reach())
            && stated.is_norm
            && stated.answer.outcome == Outcome::Added
            && !stated.is_explained
        {
            super::promote::accept_now(session, ken, &stated.answer.id)?;
        }
        Ok(Self::exit_code(&answer))
    }

    fn say(answer: &Added) {
        match answer {
            Added::Stated(stated) => {
                match stated.is_explained {
                    true => explain(&stated.answer),
                    false => say_one(&stated.answer),
                }
                say_suggested(stated);
            }
            Added::Read(answer) => say_one(answer),
            Added::Many(many) => say_many(many),
        }
    }

    fn exit_code(answer: &Added) -> u8 {
        match answer {
            Added::Many(many) if !many.report.complete => exit::INTERRUPTED,
            _ if Self::rejects(answer) => exit::REFUSED,
            _ if Self::finds(answer) => exit::FOUND,
            _ => exit::OK,
        }
    }
}

/// Whoever sits at the terminal: asked where that can be, shown how far it is, and able to stop it.
struct AtTerminal<'a> {
    session: &'a Session,
    asks: bool,
    /// How many lines there are, where that can be told before.
    lines: Option<u64>,
    bar: Option<indicatif::ProgressBar>,
    stopped: Arc<AtomicBool>,
}

/// How many lines a file of JSON Lines has. Of standard input nobody knows, and of a list the members count, not the lines.
fn lines_of(file: Option<&Content>, from: &Path) -> Option<u64> {
    let Some(Content::File(path)) = file.filter(|_| std::io::stderr().is_terminal()) else { return None };
    let path = from.join(path);
    if !path.is_file() {
        return None;
    }
    let mut lines = 0;
    let mut is_first = true;
    for line in std::io::BufReader::new(std::fs::File::open(path).ok()?).split(b'\n') {
        let line = line.ok()?;
        let first = line.iter().find(|byte| !byte.is_ascii_whitespace());
        if is_first && first != Some(&b'{') {
            return None;
        }
        is_first = false;
        lines += 1;
    }
    Some(lines)
}

impl AtTerminal<'_> {
    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Attendant for AtTerminal<'_> {
    fn fill_gaps(&mut self, ken: &mut Reach, input: &mut AddInput) -> Result<()> {
        self.session.notes(ken);
        let from = &self.session.options.from;
        if self.asks && !input.draft { ask_for_missing(ken, from, input) } else { Ok(()) }
    }

    fn choose(&mut self, input: &mut AddInput, suggested: &mut Vec<Suggestion>) -> Result<()> {
        if self.asks { accept_suggested(input, suggested) } else { Ok(()) }
    }

    fn many_follow(&mut self, ken: &mut Reach) {
        self.session.notes(ken);
        self.stopped = super::interrupt();
        let output = &self.session.output;
        let shows_progress = !output.json && !output.quiet && std::io::stderr().is_terminal();
        self.bar = shows_progress.then(|| {
            let (bar, template) = match self.lines {
                Some(lines) => {
                    (indicatif::ProgressBar::new(lines), "{bar:30} {pos} of {len} lines, {elapsed}")
                }
                None => (indicatif::ProgressBar::new_spinner(), "{spinner} {pos} lines, {elapsed}"),
            };
            bar.set_style(
                indicatif::ProgressStyle::with_template(template)
                    .unwrap_or_else(|_| indicatif::ProgressStyle::default_spinner()),
            );
            bar
        });
    }

    fn goes_on(&mut self, progress: &BulkProgress) -> bool {
        if let Some(bar) = &self.bar {
            bar.set_position(progress.acknowledged as u64);
        }
        !self.stopped.load(Ordering::SeqCst)
    }
}

/// On a terminal each proposal is asked about; what is accepted becomes a condition of the entry.
fn accept_suggested(input: &mut AddInput, suggested: &mut Vec<Suggestion>) -> Result<()> {
    let mut accepted = Vec::new();
    for suggestion in suggested.drain(..) {
        let question = format!("Depends on `{}` ({})", suggestion.condition, suggestion.why);
        if let Typed::Answer(answer) = ask(&question, Some("y"))?
            && answer.to_lowercase().starts_with('y')
        {
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

fn say_suggested(stated: &Stated) {
    let (suggested, explained) = (stated.suggested.as_deref().unwrap_or_default(), stated.is_explained);
    if suggested.is_empty() {
        return;
    }
    println!("It seems to depend on:");
    for suggestion in suggested {
        println!("  {}  {}", suggestion.condition, dim(&suggestion.why));
    }
    // `revise` takes the whole list: what was said already is part of it.
    let kept = stated.depends_on.iter().filter(|_| !explained);
    let all = kept.chain(suggested.iter().map(|suggestion| &suggestion.condition));
    let flags: Vec<String> =
        all.map(|text| format!("--depends-on '{}'", text.replace('\'', r"'\''"))).collect();
    let flags = flags.join(" ");
    match explained {
        true => println!("To accept them, run the same command with {flags}"),
        false => println!("To accept them: ken edit {} {flags}", stated.answer.handle),
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

pub(super) fn say_one(answer: &AddAnswer) {
    let id = if answer.handle == answer.id { String::new() } else { format!("  {}", answer.id) };
    // Nothing was reinforced where nothing was written.
    let outcome = if answer.is_unchanged { "unchanged" } else { answer.outcome.label() };
    println!("{outcome} {}{id}", bold(&answer.handle));
    for reason in &answer.reasons {
        println!("  {reason}");
    }
}

fn say_many(Many { report, unit }: &Many) {
    let progress = report.progress;
    let looked_at = [
        progress.added,
        progress.reinforced,
        progress.unchanged,
        progress.held,
        progress.merged,
        progress.restored,
        progress.rejected,
        progress.refused,
    ];
    if report.complete && looked_at.iter().sum::<usize>() == 0 {
        println!("the file contains no entries; nothing was added");
        return;
    }
    println!(
        "added {}, reinforced {}, held {}, refused {}{}{}{}{}",
        progress.added,
        progress.reinforced,
        progress.held,
        progress.refused,
        if progress.unchanged > 0 { format!(", unchanged {}", progress.unchanged) } else { String::new() },
        if progress.merged > 0 { format!(", merged {}", progress.merged) } else { String::new() },
        match progress.restored {
            0 => String::new(),
            restored => format!(", restored {restored} whose addition was undone"),
        },
        if progress.rejected > 0 { format!(", quarantined {}", progress.rejected) } else { String::new() },
    );
    for list in [&report.faults, &report.kept_out, &report.remarks] {
        list.iter().take(20).for_each(|line| println!("  {line}"));
        if list.len() > 20 {
            println!("  ... and {} more", list.len() - 20);
        }
    }
    if progress.rejected > 0 {
        println!(
            "  `ken quarantine list` lists the quarantined entries; a person may `ken quarantine release` them"
        );
    }
    let unit = if *unit == Unit::Member { "member of the list" } else { "line" };
    println!("last {unit} added: {}", progress.acknowledged);
    if !report.complete {
        println!("stopped; run the same command with --resume to continue");
    }
}

/// ENT-4: on a terminal, asks for what is missing: evidence, a place, a step. Whoever answers with Enter gets a draft, so that nothing
/// that was typed is lost; the answer says what it lacks.
fn ask_for_missing(ken: &Reach, from: &Path, input: &mut AddInput) -> Result<()> {
    let kind =
        input.kind.as_deref().or(input.content.get("type").and_then(Value::as_str)).and_then(Type::from_word);
    let Some(kind) = kind.filter(|kind| kind.needs_provenance()) else { return Ok(()) };
    let missing = |input: &AddInput, name: &str| !input.content.contains_key(name);
    if input.evidence.is_empty() && missing(input, "provenance") {
        let head = ken
            .site
            .layout
            .git
            .as_ref()
            // Only an offer: where git cannot say, nothing is offered.
            .and_then(|git| git.commit("HEAD").ok()?)
            .map(|hash| format!("commit:{}", &hash[..12]));
        match ask("Evidence (commit:HASH, pr:#N, doc:PATH, test:PATH)", head.as_deref())? {
            Typed::Answer(evidence) => input.evidence.push(from_root(evidence, from, ken)),
            Typed::Nothing => input.draft = true,
            Typed::End => return Ok(()),
        }
    }
    if kind.needs_anchor() && missing(input, "anchors") {
        let statement = input.content.get("statement").and_then(Value::as_str).unwrap_or_default();
        let offered = backticked_path(statement, &ken.site.layout.root);
        match ask("Which code is it about (PATH, PATH:A-B, PATH#SYMBOL)", offered.as_deref())? {
            Typed::Answer(anchor) => {
                let anchor = from_root(anchor, from, ken);
                drop(input.content.insert("anchors".into(), Value::from(vec![anchor])));
            }
            Typed::Nothing => input.draft = true,
            Typed::End => return Ok(()),
        }
    }
    if kind.needs_anchor() && missing(input, "verification") {
        match ask("How to check that it still holds", None)? {
            Typed::Answer(step) => drop(input.content.insert("verification".into(), Value::from(vec![step]))),
            Typed::Nothing => input.draft = true,
            Typed::End => {}
        }
    }
    Ok(())
}

/// What was typed, with a path from this folder as the path from the root that is stored.
fn from_root(typed: String, from: &Path, ken: &Reach) -> String {
    let Some(stored) = path_from_root(&typed, from, &ken.site.layout.root) else { return typed };
    eprintln!("  {typed} is stored as {stored}");
    stored
}

/// What came of a question.
enum Typed {
    Answer(String),
    /// Enter alone, and nothing was offered.
    Nothing,
    /// The end of input.
    End,
}

fn ask(question: &str, offered: Option<&str>) -> Result<Typed> {
    let doing = "asking";
    match offered {
        Some(offered) => eprint_flush(&format!("{question} [{offered}]: ")),
        None => eprint_flush(&format!("{question}: ")),
    }
    let mut line = String::new();
    let count = std::io::stdin().read_line(&mut line).map_err(Error::failed(doing))?;
    Ok(match (line.trim(), offered) {
        ("", Some(offered)) => Typed::Answer(offered.to_owned()),
        ("", None) if count == 0 => Typed::End,
        ("", None) => Typed::Nothing,
        (line, _) => Typed::Answer(line.to_owned()),
    })
}

fn eprint_flush(text: &str) {
    crate::output::tell_question(text);
}

/// The first backticked word of a text that is a file here.
fn backticked_path(text: &str, root: &Path) -> Option<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .find(|word| root.join(word.split(['#', ':']).next().unwrap_or(word)).is_file())
        .map(str::to_owned)
}
