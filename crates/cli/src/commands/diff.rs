//! `diff`: as text, as JSON, or as Markdown for a pull-request comment.

use kenning::table::Diff as Verb;
use kenning::table::diff::{DiffFormat, DiffRequest};
use kenning::{Diff, DiffEntry, Result};

use super::{Session, Shown};
use crate::output::{bold, cut, exit, println};

impl Shown for Verb {
    fn execute(session: &Session, request: DiffRequest) -> Result<u8> {
        let format = request.format()?;
        let mut call = session.call(None)?;
        let diff = Self::run_noting(session, &mut call, request)?;
        let mut output = session.output;
        output.json |= format == DiffFormat::Json;
        output
            .answer(&diff, || if format == DiffFormat::Markdown { markdown(&diff) } else { text(&diff) })?;
        Ok(exit::OK)
    }
}

/// Entries of one kind, with how many more there are.
struct Section<'a> {
    mark: &'static str,
    title: &'static str,
    entries: &'a [DiffEntry],
    more: usize,
}

fn sections(diff: &Diff) -> [Section<'_>; 3] {
    let totals = diff.totals.unwrap_or_default();
    [
        ("+", "Added", &diff.added, totals.added),
        ("~", "Changed", &diff.changed, totals.changed),
        ("-", "Removed", &diff.removed, totals.removed),
    ]
    .map(|(mark, title, entries, total)| Section {
        mark,
        title,
        entries,
        more: total.saturating_sub(entries.len()),
    })
}

fn text(diff: &Diff) {
    if diff.is_empty() {
        println!("no entries were added, changed or removed");
    }
    for Section { mark, entries, more, .. } in sections(diff) {
        for entry in entries {
            println!(
                "{mark} {} {} {}",
                bold(&entry.entry.handle),
                entry.entry.kind,
                cut(&entry.entry.title, 90)
            );
            if mark == "+" && !entry.evidence.is_empty() {
                println!("    {}", entry.evidence.join(", "));
            }
            for change in &entry.changes {
                println!("    {}: {} -> {}", change.field, quoted(&change.before), quoted(&change.after));
            }
        }
        if more > 0 {
            println!("{mark} and {more} more");
        }
    }
}

fn quoted(text: &str) -> String {
    if text.is_empty() { "nothing".to_owned() } else { cut(text, 70) }
}

fn markdown(diff: &Diff) {
    println!("### Knowledge in this change\n");
    if diff.is_empty() {
        println!("No entries were added, changed or removed.");
    }
    let sections = sections(diff).into_iter().filter(|section| !section.entries.is_empty());
    for Section { title, entries, more, .. } in sections {
        println!("**{title}**\n");
        for entry in entries {
            let evidence = if entry.evidence.is_empty() {
                String::new()
            } else {
                format!(" ({})", entry.evidence.join(", "))
            };
            println!(
                "- `{}` {}: {}{}",
                entry.entry.handle,
                entry.entry.kind,
                escaped(&cut(&entry.entry.statement, 200)),
                escaped(&evidence)
            );
            for change in &entry.changes {
                let (before, after) = (quoted(&change.before), quoted(&change.after));
                println!("  - {}: {} → {}", change.field, escaped(&before), escaped(&after));
            }
        }
        if more > 0 {
            println!("- and {more} more");
        }
        println!();
    }
}

/// Keeps an entry's words from being read as Markdown or HTML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '*' | '_' | '`' | '[' | ']' | '|' | '\\' | '#' | '!' => out.extend(['\\', letter]),
            '@' => out.push_str("&#64;"),
            _ => out.push(letter),
        }
    }
    out
}
