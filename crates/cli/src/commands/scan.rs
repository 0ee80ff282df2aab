//! `scan`: what the scanner says of a file, of lines, or of everything in the store.

use std::io::{BufRead, BufReader, Write};

use kenning::core::{Code, Refusal, Tier};
use kenning::guard::{self, Finding, Verdict};
use kenning::table::Scan;
use kenning::table::scan::{
    ScanAnswer, ScanRequest, Scanned, ScannedText, ScopeFit, check_store, read_text, unreadable,
};
use kenning::verb::{Content, is_too_long, read_line_bounded};
use kenning::{Error, Result, StoreScan};
use serde::Serialize;
use serde_json::Value;

use super::{Session, Shown, render};
use crate::output::{bold, dim, exit, plain, println};

/// Findings shown of one text; a log full of keys is one problem, not a thousand.
const SHOWN_MAX: usize = 50;
/// Bytes of a line shown around a finding.
const AROUND: usize = 60;

impl Shown for Scan {
    fn execute(session: &Session, mut request: ScanRequest) -> Result<u8> {
        let fail_on = request.fail_on()?;
        check_store(&session.options)?;
        if let Some(file) = &request.jsonl {
            return scan_lines(session, file, fail_on);
        }
        if !request.stored {
            if request.files.is_empty() {
                request.files.push(Content::standard_input());
            }
            if !session.output.json {
                return scan_files(session, &request);
            }
        }
        render::<Self>(session, request, Self::say)
    }

    fn say(answer: &ScanAnswer) {
        if let Scanned::Store(report) = &answer.scanned {
            say_store(report);
        }
    }
}

/// What the scanner says of files, each as soon as it was read.
fn scan_files(session: &Session, request: &ScanRequest) -> Result<u8> {
    let rules = request.rules()?;
    let mut bad = false;
    for content in &request.files {
        let text = read_text(content, &session.options)?;
        let judged = rules.judge(&session.options, &text)?;
        bad |= judged.is_bad;
        say_verdict(&content.name(), &text, &judged.verdict);
        if let Some(fit) = &judged.fit {
            say_fit(fit);
        }
    }
    Ok(if bad { exit::FOUND } else { exit::OK })
}

fn say_fit(fit: &ScopeFit) {
    match fit.fits {
        true => println!("{}: allowed at this scope", fit.scope),
        false => println!("{}: not allowed at this scope", fit.scope),
    }
    for objection in &fit.objections {
        println!("  {}: {}", bold(objection.rule), plain(&objection.why));
        println!("    {}", plain(&objection.ask));
    }
}

fn say_verdict(name: &str, text: &str, verdict: &Verdict) {
    let name = if name == "-" { "standard input" } else { name };
    for finding in verdict.findings.iter().take(SHOWN_MAX) {
        say_finding(text, verdict, finding);
    }
    if verdict.findings.len() > SHOWN_MAX {
        println!("... and {} more findings", verdict.findings.len() - SHOWN_MAX);
    }
    match verdict.findings.len() {
        0 => println!("{name}: safe"),
        1 => println!("{name}: {}, 1 finding", bold(verdict.tier.word())),
        n => println!("{name}: {}, {n} findings", bold(verdict.tier.word())),
    }
}

/// One finding with its line, the span underlined and secrets taken out.
fn say_finding(text: &str, verdict: &Verdict, finding: &Finding) {
    let line_start = text[..finding.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[finding.start..].find('\n').map_or(text.len(), |at| finding.start + at);
    let number = text[..finding.start].matches('\n').count() + 1;
    let whole = finding.end.min(line_end).max(finding.start);
    // Of a long span, its beginning.
    let end = near(text, (finding.start + AROUND).min(whole), whole, false);
    let to = if end < whole { end } else { near(text, end, line_end, false) };
    let from = near(text, finding.start, line_start, true);
    println!("{} {}/{} on line {number}", bold(finding.severity.word()), finding.axis.word(), finding.rule);
    let shown = |from: usize, to: usize| plain(&without_secrets(text, verdict, from, to)).replace('\t', " ");
    let (before, span, after) = (shown(from, finding.start), shown(finding.start, end), shown(end, to));
    let more = if end < whole { "…" } else { "" };
    println!("  | {before}{span}{after}{more}");
    let pad: String = before.chars().map(|_| ' ').collect();
    println!("  | {pad}{}", "^".repeat(span.chars().count().max(1)));
    println!("  {}", dim(guard::why(finding.rule)));
}

/// The edge of what is shown of a line: so many bytes away, and on a character.
fn near(text: &str, at: usize, limit: usize, before: bool) -> usize {
    let mut edge = if before { at.saturating_sub(AROUND).max(limit) } else { (at + AROUND).min(limit) };
    while !text.is_char_boundary(edge) {
        edge = if before { edge + 1 } else { edge - 1 };
    }
    edge
}

/// A stretch of the text in which every secret stands as its type.
fn without_secrets(text: &str, verdict: &Verdict, from: usize, to: usize) -> String {
    let mut out = String::new();
    let mut at = from;
    for secret in verdict.findings.iter().filter(|finding| finding.axis.is_secret()) {
        let (start, end) = (secret.start.max(at), secret.end.min(to));
        if start < end {
            out.push_str(text.get(at..start).unwrap_or_default());
            out.push_str(&format!("[REDACTED:{}]", secret.rule));
            at = end;
        }
    }
    out.push_str(text.get(at..to).unwrap_or_default());
    out
}

/// The verdict on one line.
#[derive(Serialize)]
struct LineVerdict {
    id: Value,
    #[serde(flatten)]
    scanned: ScannedText,
}

/// `--jsonl`: one verdict a line.
fn scan_lines(session: &Session, name: &str, fail_on: Option<Tier>) -> Result<u8> {
    let mut input: Box<dyn BufRead> = match name {
        "-" => Box::new(BufReader::new(std::io::stdin())),
        _ => {
            let file = std::fs::File::open(session.options.from.join(name));
            Box::new(BufReader::with_capacity(1 << 20, file.map_err(|error| unreadable(name, error))?))
        }
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut worst = Tier::Safe;
    let mut faulty: Option<Refusal> = None;
    let (mut bytes, mut number) = (Vec::new(), 0);
    loop {
        number += 1;
        let read = match read_line_bounded(&mut input, &mut bytes) {
            Ok(read) => read,
            // Nobody knows where the next line begins.
            Err(error) if is_too_long(&error) => {
                drop(out.flush());
                return Err(unreadable(&format!("line {number} of {name}"), error));
            }
            Err(error) => return Err(Error::failed(format!("reading line {number} of {name}"))(error)),
        };
        if read == 0 {
            break;
        }
        let line = std::str::from_utf8(&bytes).map_err(std::io::Error::other);
        let line = line.map_err(Error::failed(format!("reading line {number} of {name}")))?;
        if line.trim().is_empty() {
            continue;
        }
        let invalid = |problem: String| {
            Refusal::new(Code::Invalid, format!("line {number}: {problem}"))
                .field("text")
                .hint("each line must be an object with a `text` and an optional `id`")
        };
        let row = serde_json::from_str::<Value>(line)
            .map_err(|error| invalid(kenning::invalid_json(&error).message.replace("line 1 ", "")));
        let row = row.and_then(|row| match row.get("text").is_some_and(Value::is_string) {
            true => Ok(row),
            false => Err(invalid("has no `text`".to_owned())),
        });
        let row = match row {
            Ok(row) => row,
            // The others still get their verdict.
            Err(refusal) => {
                faulty.get_or_insert(refusal);
                continue;
            }
        };
        let text = row["text"].as_str().unwrap_or_default();
        let verdict = guard::scan(text);
        worst = worst.max(kenning::tier(verdict.tier));
        let id = row.get("id").cloned().unwrap_or(Value::from(number));
        if session.output.json {
            let line = LineVerdict { id, scanned: ScannedText::new(text, &verdict, false) };
            let line = serde_json::to_value(&line).map_err(Error::failed("writing a verdict"))?;
            drop(writeln!(out, "{line}"));
        } else {
            let rules: Vec<String> =
                verdict.findings.iter().map(|f| format!("{}/{}", f.axis.word(), f.rule)).collect();
            let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
            drop(writeln!(out, "{}\t{}\t{}", plain(&id), verdict.tier.word(), rules.join(", ")));
        }
    }
    drop(out.flush());
    drop(out);
    if let Some(refusal) = faulty {
        return Err(refusal.into());
    }
    Ok(if fail_on.is_some_and(|tier| worst >= tier) { exit::FOUND } else { exit::OK })
}

/// What the rules of today say of what is there.
fn say_store(report: &StoreScan) {
    for change in &report.changes {
        println!("{} {} -> {}: {}", bold(&change.id), change.before, change.now.word(), plain(&change.why));
    }
    println!(
        "scanned {} with rules {}: {}; {} would change",
        report.scanned,
        report.scanner,
        report.tiers.iter().map(|(tier, count)| format!("{count} {tier}")).collect::<Vec<_>>().join(", "),
        report.changes.len()
    );
}
