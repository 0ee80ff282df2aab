//! `list`, shown.

use kenning::core::Memory;
use kenning::table::List;
use kenning::table::list::ListRequest;
use kenning::verb::Verb;
use kenning::{EntryLine, ListAnswer, Query, Result};

use super::{Session, Shown};
use crate::listing;
use crate::output::{columns, count, dim, exit, on_terminal, println, table, wrap};

impl Shown for List {
    fn execute(session: &Session, request: ListRequest) -> Result<u8> {
        let mut call = session.call(Self::in_run(&request))?;
        let answer = Self::run_noting(session, &mut call, request)?;
        show(session, &answer)
    }
}

/// Lists what a query asks for, for the alias group.
pub(super) fn run(session: &Session, query: &Query) -> Result<u8> {
    let mut ken = session.open()?;
    let answer = ken.list_or_hint(query, None);
    session.notes(&mut ken);
    show(session, &answer?)
}

fn show(session: &Session, answer: &ListAnswer) -> Result<u8> {
    session.output.answer(answer, || say(answer))?;
    if let Some(next) = answer.next.as_ref().filter(|_| !session.output.json && !on_terminal()) {
        let (shown, total) = (answer.entries.len(), answer.total);
        session.output.note(&format!("{shown} of {total}; more: --after {next}, or --limit 0 for all"));
    }
    Ok(exit::OK)
}

fn say(answer: &ListAnswer) {
    if !on_terminal() {
        table(&[], answer.entries.iter().map(row).collect(), 3);
        return say_links(answer);
    }
    if answer.entries.is_empty() {
        return println!("no entries; add one with `ken add`; `ken list --all` lists every status");
    }
    let columns = columns();
    for line in listing::lines(&answer.entries, columns) {
        println!("{line}");
    }
    let mut said = vec![counted(answer)];
    said.extend(listing::legend(&answer.entries, columns));
    println!("{}", dim(&wrap(&said.join(" · "), 0, columns)));
    if let Some(next) = &answer.next {
        println!("{}", dim(&format!("more: --after {next}")));
    }
    say_links(answer);
}

/// How many are shown. Notes are told apart where all are shown: `status`, the briefing and checks count entries without them.
fn counted(answer: &ListAnswer) -> String {
    let shown = answer.entries.len();
    let notes = answer.entries.iter().filter(|entry| entry.memory == Memory::Episodic).count();
    let whole = format!("{shown} of {}", answer.total);
    if shown < answer.total || notes == 0 || notes == shown {
        return whole;
    }
    format!("{whole}: {}, {}", count(shown - notes, "entry", "entries"), count(notes, "note", "notes"))
}

/// The links of the entries, and which were used together, where that was asked for.
fn say_links(answer: &ListAnswer) {
    for entry in &answer.entries {
        for link in &entry.links {
            println!("{} {} {}", entry.id, link.relation.word(), link.to);
        }
        for other in entry.used_with.iter().filter(|other| entry.id < other.id) {
            println!("{} used_with {}", entry.id, other.id);
        }
    }
}

/// A line for programs that read columns.
fn row(entry: &EntryLine) -> (Vec<String>, String) {
    let row = vec![
        entry.handle.clone(),
        entry.kind.clone(),
        entry.status.to_string(),
        entry.title.clone(),
        entry.tags.join(" "),
        entry.wrong_clock.clone().unwrap_or_else(|| entry.updated[..10].to_owned()),
        format!("{:.0} %", entry.belief.mean * 100.0),
    ];
    (row, listing::marks(entry, true))
}
