//! `list`, shown.

use std::cell::{Cell, RefCell};

use kenning::core::Memory;
use kenning::table::list::ListRequest;
use kenning::table::quarantine_list::QuarantineListRequest;
use kenning::table::{List, QuarantineList};
use kenning::verb::{Call, Verb};
use kenning::{EntryLine, Error, ListAnswer, Query, Result};
use serde::ser::{Error as _, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};

use super::{Session, Shown};
use crate::listing;
use crate::output::{Lines, columns, count, dim, exit, marked, on_terminal, println, tabbed, wrap};

impl Shown for List {
    fn execute(session: &Session, request: ListRequest) -> Result<u8> {
        let mut call = session.call(Self::in_run(&request))?;
        // A table for a terminal has columns as wide as their widest cell.
        if List::is_for_all(&request) && (session.output.json || !on_terminal()) {
            let said = say_all(session, &mut call, &request);
            session.notes_of(&mut call);
            return said.map(|()| exit::OK);
        }
        let answer = Self::run_noting(session, &mut call, request)?;
        show(session, &answer)
    }
}

impl Shown for QuarantineList {
    fn execute(session: &Session, request: QuarantineListRequest) -> Result<u8> {
        let mut call = session.call(None)?;
        let answer = Self::run_noting(session, &mut call, request)?;
        show(session, &answer)
    }
}

/// Says everything that a request asks for as it comes.
fn say_all(session: &Session, call: &mut Call, request: &ListRequest) -> Result<()> {
    let mut lines = Lines::default();
    if !session.output.json {
        List::each(call, request, &mut |entry| {
            lines.add(&row(&entry));
            Ok(())
        })?;
        lines.put();
        return Ok(());
    }
    let mut each: Box<EachEntry<'_>> = Box::new(|each| List::each(call, request, each));
    let answer =
        AllListed { each: RefCell::new(&mut *each), total: Cell::new(0), failed: RefCell::new(None) };
    let written = serde_json::to_writer_pretty(&mut lines, &answer);
    if let Some(failed) = answer.failed.into_inner() {
        return Err(failed);
    }
    written.map_err(Error::failed("writing the answer"))?;
    lines.end();
    Ok(())
}

/// Hands over entries, and says how many there were.
type EachEntry<'a> = dyn FnMut(&mut dyn FnMut(EntryLine) -> Result<()>) -> Result<usize> + 'a;

/// A [`ListAnswer`] whose entries are written as they come.
struct AllListed<'a> {
    each: RefCell<&'a mut EachEntry<'a>>,
    total: Cell<usize>,
    failed: RefCell<Option<Error>>,
}

impl Serialize for AllListed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut answer = serializer.serialize_struct("ListAnswer", 2)?;
        answer.serialize_field("items", &Entries(self))?;
        answer.serialize_field("total", &self.total.get())?;
        answer.end()
    }
}

struct Entries<'a, 'e>(&'a AllListed<'e>);

impl Serialize for Entries<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut all = serializer.serialize_seq(None)?;
        let mut odd = None;
        let told = (self.0.each.borrow_mut())(&mut |entry| {
            if odd.is_none() {
                odd = all.serialize_element(&entry).err();
            }
            Ok(())
        });
        match (told, odd) {
            (Err(error), _) => {
                let told = S::Error::custom(&error);
                *self.0.failed.borrow_mut() = Some(error);
                Err(told)
            }
            (Ok(_), Some(odd)) => Err(odd),
            (Ok(total), None) => {
                self.0.total.set(total);
                all.end()
            }
        }
    }
}

/// Lists what a query asks for, for the alias group.
pub(super) fn run(session: &Session, query: &Query) -> Result<u8> {
    let mut ken = session.open()?;
    let answer = kenning::table::list::list_or_hint(&mut ken.ledger, &ken.site, &ken.caller, query, None);
    session.notes(&mut ken);
    show(session, &answer?)
}

fn show(session: &Session, answer: &ListAnswer) -> Result<u8> {
    session.output.answer(answer, || say(answer))?;
    if let Some(cursor) = answer.cursor.as_ref().filter(|_| !session.output.json && !on_terminal()) {
        let (shown, total) = (answer.items.len(), answer.total);
        session.output.note(&format!("{shown} of {total}; more: --cursor {cursor}, or --limit 0 for all"));
    }
    Ok(exit::OK)
}

fn say(answer: &ListAnswer) {
    if !on_terminal() {
        answer.items.iter().for_each(|entry| println!("{}", row(entry)));
        return say_links(answer);
    }
    if answer.items.is_empty() {
        return println!("no entries; add one with `ken add`; `ken list --all` lists every status");
    }
    let columns = columns();
    for line in listing::lines(&answer.items, columns) {
        println!("{line}");
    }
    let mut said = vec![counted(answer)];
    said.extend(listing::legend(&answer.items, columns));
    println!("{}", dim(&wrap(&said.join(" · "), 0, columns)));
    if let Some(cursor) = &answer.cursor {
        println!("{}", dim(&format!("more: --cursor {cursor}")));
    }
    say_links(answer);
}

/// How many are shown. Notes are told apart where all are shown: `status`, the briefing and checks count entries without them.
fn counted(answer: &ListAnswer) -> String {
    let shown = answer.items.len();
    let notes = answer.items.iter().filter(|entry| entry.memory == Memory::Episodic).count();
    let whole = format!("{shown} of {}", answer.total);
    if shown < answer.total || notes == 0 || notes == shown {
        return whole;
    }
    format!("{whole}: {}, {}", count(shown - notes, "entry", "entries"), count(notes, "note", "notes"))
}

/// The links of the entries, and which were used together, where that was asked for.
fn say_links(answer: &ListAnswer) {
    for entry in &answer.items {
        for link in &entry.links {
            println!("{} {} {}", entry.id, link.relation.word(), link.to);
        }
        for other in entry.used_with.iter().filter(|other| entry.id < other.id) {
            println!("{} used_with {}", entry.id, other.id);
        }
    }
}

/// A line for programs that read columns.
fn row(entry: &EntryLine) -> String {
    let cells = vec![
        entry.handle.clone(),
        entry.kind.clone(),
        entry.status.to_string(),
        marked(entry.title.clone(), &listing::marks(entry, true)),
        entry.tags.join(" "),
        entry.wrong_clock.clone().unwrap_or_else(|| entry.updated[..10].to_owned()),
        format!("{:.0} %", entry.belief.mean * 100.0),
    ];
    tabbed(&cells)
}
