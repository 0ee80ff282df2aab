//! `scan`: what the scanner says of a file, of lines, or of everything in the store.

use std::io::{BufRead, BufReader, Write};

use kenning::core::{Code, Refusal, Scope, Tier};
use kenning::guard::{self, Finding, Verdict};
use kenning::{Error, Result, Workspace};
use serde_json::{Value, json};

use super::{Session, read_bounded, word};
use crate::args::ScanArgs;
use crate::output::{bold, dim, exit, plain, println};

/// Findings shown of one text; a log full of keys is one problem, not a thousand.
const SHOWN_MAX: usize = 50;
/// Bytes of a line shown around a finding.
const AROUND: usize = 60;

pub(super) fn scan(session: &Session, args: &ScanArgs) -> Result<u8> {
    let fail_on = args.fail_on.as_deref().map(read_tier).transpose()?;
    if let Some(folder) =
        session.options.store.as_ref().filter(|_| Workspace::find(&session.options).is_none())
    {
        let message = format!("{} is no store; `--store` names the folder of one", folder.display());
        return Err(Refusal::new(Code::NoStore, message)
            .hint("`ken scan FILE` scans a file; `ken scan --store` without a word scans every entry")
            .field("store")
            .into());
    }
    match (&args.jsonl, args.stored) {
        (Some(file), _) => scan_lines(session, file, fail_on),
        (None, true) => scan_store(session, fail_on),
        (None, false) => scan_files(session, args, fail_on.unwrap_or(Tier::High)),
    }
}

fn read_tier(text: &str) -> Result<Tier> {
    let words = Tier::ALL.map(Tier::word);
    word("fail-on", "tier", text, &words[1..], |word| Tier::from_word(word).filter(|tier| *tier > Tier::Safe))
}

fn scan_files(session: &Session, args: &ScanArgs, fail_on: Tier) -> Result<u8> {
    let standard_input = ["-".to_owned()];
    let names = if args.files.is_empty() { &standard_input[..] } else { &args.files[..] };
    let scope = args.scope.as_deref().map(|scope| {
        word("scope", "scope", scope, &["project", "global"], |word| match word {
            "project" => Some(Scope::Project),
            "global" => Some(Scope::Global),
            _ => None,
        })
    });
    let scope = scope.transpose()?;
    let mut answers = Vec::new();
    let mut bad = false;
    for name in names {
        let text = read_whole(session, name)?;
        let verdict = guard::scan(&text);
        // Without a word, an explanation is about how far a text may reach; only what was asked for counts.
        let judged = scope.or(args.explain.then_some(Scope::Global));
        let objections = match judged {
            Some(scope) => kenning::scope_objections(&session.options, &text, scope)?,
            None => Vec::new(),
        };
        bad |= kenning::tier(verdict.tier) >= fail_on || (scope.is_some() && !objections.is_empty());
        let mut answer = verdict_json(&text, &verdict, args.explain);
        if let Some(scope) = judged {
            answer["scope"] =
                json!({"scope": scope.word(), "fits": objections.is_empty(), "objections": objections});
        }
        if names.len() > 1 {
            answer["file"] = json!(name);
        }
        answers.push(answer);
        if !session.output.json {
            say_verdict(name, &text, &verdict);
            say_scope(judged, &objections);
        }
    }
    if session.output.json {
        match answers.as_slice() {
            [one] => session.output.answer(one, || {})?,
            all => session.output.answer(&json!({ "files": all }), || {})?,
        }
    }
    Ok(if bad { exit::FOUND } else { exit::OK })
}

fn say_scope(scope: Option<Scope>, objections: &[kenning::Objection]) {
    match (scope, objections.is_empty()) {
        (None, _) => {}
        (Some(scope), true) => println!("{scope}: it may be said at this scope"),
        (Some(scope), false) => println!("{scope}: it may not be said at this scope"),
    }
    for objection in objections {
        println!("  {}: {}", bold(objection.rule), plain(&objection.why));
        println!("    {}", plain(&objection.ask));
    }
}

fn read_whole(session: &Session, name: &str) -> Result<String> {
    let bytes = if name == "-" {
        read_bounded(std::io::stdin()).map_err(Error::failed("reading standard input"))?
    } else {
        let file = std::fs::File::open(session.options.from.join(name));
        file.and_then(read_bounded).map_err(|error| unreadable(name, error))?
    };
    // A scanner that stops at the first odd byte could be stopped with one.
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

fn unreadable(name: &str, error: std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            Refusal::new(Code::NotFound, format!("{name} does not exist")).field("file").into()
        }
        std::io::ErrorKind::IsADirectory => {
            Refusal::new(Code::Invalid, format!("{name} is a folder; name the files in it"))
                .hint("git ls-files -z | xargs -0 ken scan")
                .field("file")
                .into()
        }
        _ => Error::failed(format!("reading {name}"))(error),
    }
}

/// A verdict for programs. Places are counted in characters.
fn verdict_json(text: &str, verdict: &Verdict, explain: bool) -> Value {
    let mut chars = Vec::with_capacity(verdict.findings.len() * 2);
    let mut marks: Vec<usize> = verdict.findings.iter().flat_map(|f| [f.start, f.end]).collect();
    marks.sort_unstable();
    let (mut byte, mut count) = (0, 0);
    for mark in marks {
        count += text.get(byte..mark).unwrap_or_default().chars().count();
        byte = mark;
        chars.push((mark, count));
    }
    let at = |byte: usize| match chars.binary_search_by_key(&byte, |(mark, _)| *mark) {
        Ok(found) | Err(found) => chars.get(found).map_or(0, |(_, count)| *count),
    };
    let findings: Vec<Value> = verdict
        .findings
        .iter()
        .map(|finding| {
            let mut said = json!({
                "axis": finding.axis.word(),
                "rule": finding.rule,
                "severity": finding.severity.word(),
                "start": at(finding.start),
                "end": at(finding.end),
            });
            if explain {
                said["why"] = Value::from(guard::why(finding.rule));
            }
            said
        })
        .collect();
    json!({"tier": verdict.tier.word(), "scanner": guard::SCANNER, "findings": findings})
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
    let end = finding.end.min(line_end).max(finding.start);
    let (from, to) = (near(text, finding.start, line_start, true), near(text, end, line_end, false));
    println!("{} {}/{} on line {number}", bold(finding.severity.word()), finding.axis.word(), finding.rule);
    let shown = |from: usize, to: usize| plain(&without_secrets(text, verdict, from, to)).replace('\t', " ");
    let (before, span, after) = (shown(from, finding.start), shown(finding.start, end), shown(end, to));
    println!("  | {before}{span}{after}");
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

/// `--jsonl`: one verdict a line.
fn scan_lines(session: &Session, name: &str, fail_on: Option<Tier>) -> Result<u8> {
    let input: Box<dyn BufRead> = match name {
        "-" => Box::new(BufReader::new(std::io::stdin())),
        _ => {
            let file = std::fs::File::open(session.options.from.join(name));
            Box::new(BufReader::with_capacity(1 << 20, file.map_err(|error| unreadable(name, error))?))
        }
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut worst = Tier::Safe;
    let mut faulty: Option<Refusal> = None;
    for (at, line) in input.lines().enumerate() {
        let number = at + 1;
        let line = line.map_err(Error::failed(format!("reading line {number} of {name}")))?;
        if line.trim().is_empty() {
            continue;
        }
        let invalid = |problem: String| {
            Refusal::new(Code::Invalid, format!("line {number}: {problem}"))
                .field("text")
                .hint("every line is an object with a `text`, and an `id` if you like")
        };
        let row = serde_json::from_str::<Value>(&line)
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
            let mut answer = verdict_json(text, &verdict, false);
            answer["id"] = id;
            drop(writeln!(out, "{answer}"));
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

/// `--store`: what the rules of today say of what is there.
fn scan_store(session: &Session, fail_on: Option<Tier>) -> Result<u8> {
    let mut ken = session.open()?;
    let report = ken.scan_store()?;
    session.notes(&mut ken);
    session.output.answer(&report, || {
        for change in &report.changes {
            println!(
                "{} {} -> {}: {}",
                bold(&change.id),
                change.before,
                change.now.word(),
                plain(&change.why)
            );
        }
        println!(
            "scanned {} with rules {}: {}; {} would change",
            report.scanned,
            report.scanner,
            report.tiers.iter().map(|(tier, count)| format!("{count} {tier}")).collect::<Vec<_>>().join(", "),
            report.changes.len()
        );
    })?;
    let bad = match fail_on {
        Some(tier) => Tier::ALL.iter().any(|known| *known >= tier && report.tiers.contains_key(known.word())),
        None => report.changes.iter().any(|change| change.now >= Tier::High),
    };
    Ok(if bad { exit::FOUND } else { exit::OK })
}
