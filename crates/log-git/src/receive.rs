//! Taking in what others wrote: out of a branch or a commit, from another clone, or from a folder.

use std::collections::{BTreeMap, HashSet};
use std::io;

use ken_core::Event;
use ken_core::event::Line;
use ken_engine::log::{check_arrived, hash_of};
use ken_engine::{Arrival, Error, Received, Result};
use ken_index::index_error;

use crate::append::files_of;
use crate::journal::{Record, Written};
use crate::work::{Look, Work};
use crate::{follow, purge, write_out};

/// See [`EventLog::receive`].
///
/// What comes out of a branch or a commit goes to the ledger files alone, whose history keeps it. Everything else goes to the journal
/// first, as one frame; except lines that claim to be this clone's own, since what its journal has is trusted as that.
pub(crate) fn receive(work: &mut Work<'_>, lines: Vec<Line>, from: Arrival) -> Result<Received> {
    work.log.home.may_write()?;
    check_arrived(&lines)?;
    follow::catch_up(work, false)?;
    write_out::complete_the_store(&work.log.home)?;
    let mut received = Received::default();
    let mut seen = HashSet::new();
    let mut fresh = Vec::new();
    for line in lines {
        let hash = hash_of(&line);
        let is_known = match work.index.places().knows(&hash).map_err(index_error)? {
            // The tree may lack what the journal has: another branch, or a file that was deleted.
            Some(here) => here || from != Arrival::Merge,
            None => false,
        };
        if is_known || !seen.insert(hash) || is_erased(work.look(), &line)? {
            received.known += 1;
        } else {
            fresh.push(line);
        }
    }
    received.new = fresh.len();
    let own = work.log.replica();
    let (tree, journal): (Vec<Line>, Vec<Line>) = fresh.into_iter().partition(|line| {
        let replica = match line {
            Line::Event(event) => event.replica,
            Line::Stub(stub) => stub.replica,
        };
        from == Arrival::Merge || own == Some(replica)
    });
    if !journal.is_empty() {
        let events = events_of(&journal);
        let files = files_of(work.look(), events.iter().copied())?;
        let told = files.into_iter().zip(events);
        let mut records: Vec<Record> =
            told.map(|(file, event)| Record { file, text: event.line().to_owned() }).collect();
        // Stubs need no file, as where a purge left them.
        records.extend(journal.iter().filter_map(|line| match line {
            Line::Stub(stub) => Some(Record { file: String::new(), text: stub.line() }),
            Line::Event(_) => None,
        }));
        let origin = work.log.home.origin();
        let own_journal = work.log.home.journals[0].clone();
        // Somebody else's clock and numbers are not ours.
        own_journal
            .append::<io::Error>(|tail| {
                Ok(vec![(origin, Written { records, seq: tail.seq, clock: tail.clock })])
            })
            .map_err(Error::failed("appending to the journal; nothing was received"))?;
        if let Err(error) = follow::follow(work, &[]) {
            work.log.notice(format!("received, but {error}; the next command completes it"));
        }
    }
    let events = events_of(&tree);
    let mut by_file: BTreeMap<String, Vec<&Event>> = BTreeMap::new();
    for (file, event) in files_of(work.look(), events.iter().copied())?.into_iter().zip(events) {
        by_file.entry(file).or_default().push(event);
    }
    for (file, events) in by_file {
        write_out::add_events(work, &file, &events)?;
    }
    purge::stub_what_came_back(work)?;
    Ok(received)
}

fn is_erased(look: Look<'_>, line: &Line) -> Result<bool> {
    match line {
        Line::Event(event) => look.index.purge_counts(event).map_err(index_error),
        Line::Stub(_) => Ok(false),
    }
}

fn events_of(lines: &[Line]) -> Vec<&Event> {
    let events = lines.iter().filter_map(|line| match line {
        Line::Event(event) => Some(&**event),
        Line::Stub(_) => None,
    });
    events.collect()
}
