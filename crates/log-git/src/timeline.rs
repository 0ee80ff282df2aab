//! What happened, in the order of journal and ledger files.

use std::collections::{HashMap, HashSet};

use ken_core::event::Line;
use ken_core::{Event, EventHash};
use ken_engine::log::{last_lines, line_bytes};
use ken_engine::{Bytes, Cursor, Error, LogEnd, LoggedBatch, Result};
use ken_index::{index_error, past};

use crate::follow;
use crate::journal::Position;
use crate::limits::{FRAMES_LOOKED_BACK_MAX, FRAMES_OF_A_COMMAND_MAX};
use crate::work::{Look, Work};

/// See [`ken_engine::Timeline::latest`].
pub(crate) fn latest_batches(look: Look<'_>, events: usize) -> Result<Vec<LoggedBatch>> {
    let mut left = events;
    // What git brought stands behind what this clone wrote.
    let mut noticed = latest_noticed(look, &mut left)?;
    let mut told = Vec::new();
    let mut end = Cursor::default();
    let (known, _) = look.index.journal_end(0).map_err(index_error)?;
    let reading = || Error::failed("reading the journal");
    let journal = &look.log.home.journals[0];
    for segment in journal.segments().map_err(reading())?.into_iter().rev() {
        let (mut frames, mut damage) = (Vec::new(), Vec::new());
        let from = Position { segment, offset: 0 };
        journal.read_segment(from, &mut frames, &mut damage).map_err(reading())?;
        // As in `since`: what the index was not told yet is for the next time.
        frames.retain(|frame| frame.start < known);
        for frame in frames.iter().rev() {
            let at = packed(frame.end);
            end.at = end.at.max(at);
            told.push(LoggedBatch {
                lines: last_lines(
                    frame.records.iter().rev().filter_map(|record| record.line().ok()),
                    &mut left,
                ),
                end: Cursor { at, noticed: 0 },
            });
            if left == 0 {
                break;
            }
        }
        if left == 0 && end.at > 0 {
            break;
        }
    }
    told.reverse();
    noticed.reverse();
    told.extend(
        noticed
            .into_iter()
            .map(|(number, lines)| LoggedBatch { lines, end: Cursor { noticed: number, ..end } }),
    );
    Ok(told)
}

/// The last lines that were noticed in ledger files, the last batch first.
pub(crate) fn latest_noticed(look: Look<'_>, left: &mut usize) -> Result<Vec<(u64, Vec<Line>)>> {
    let mut noticed: Vec<(u64, Vec<Line>)> = Vec::new();
    let reader = look.log.home.reader();
    let mut take = |number: u64, hash: EventHash| {
        let Some(line) = look.index.places().line(&hash, &reader)? else { return Ok(true) };
        *left -= usize::from(matches!(line, Line::Event(_)));
        match noticed.last_mut() {
            Some((last, lines)) if *last == number => lines.push(line),
            _ => noticed.push((number, vec![line])),
        }
        Ok(*left > 0)
    };
    look.index.places().each_noticed_backwards(&mut take).map_err(index_error)?;
    noticed.iter_mut().for_each(|(_, lines)| lines.reverse());
    Ok(noticed)
}

/// A line by its hash, as the index knows it now.
pub(crate) fn line(look: Look<'_>, hash: &EventHash) -> Result<Option<Line>> {
    look.index.places().line(hash, &look.log.home.reader()).map_err(index_error)
}

/// The cursor behind everything that [`since`] would tell.
pub(crate) fn end(look: Look<'_>) -> Result<Cursor> {
    let (end, _) = look.index.journal_end(0).map_err(index_error)?;
    let noticed = look.index.places().last_noticed().map_err(index_error)?;
    Ok(Cursor { at: packed(end), noticed })
}

/// See [`EventLog::since`]. Lines that git brought are told when this worktree's index notices them, and again by one that was made
/// anew. A journal that a sandbox keeps is told when it moves home.
pub(crate) fn since(work: &mut Work<'_>, at: Cursor, limit: Bytes) -> Result<Vec<LoggedBatch>> {
    follow::catch_up(work, false)?;
    let from = position(at.at);
    // What another process appended after the index was told is for the next time: its own index knows it by then.
    let (end, _) = work.index.journal_end(0).map_err(index_error)?;
    let read = work.log.home.journals[0].read_some(from, limit.0);
    let (frames, _) = read.map_err(Error::failed("reading the journal"))?;
    let mut told = Vec::new();
    let mut cursor = at;
    let mut bytes = 0;
    for frame in frames.into_iter().filter(|frame| frame.start < end) {
        bytes += frame.records.iter().map(|record| record.text.len() as u64).sum::<u64>();
        if bytes > limit.0 && !told.is_empty() {
            return Ok(told);
        }
        cursor.at = packed(frame.end);
        let lines = frame.records.iter().filter_map(|record| record.line().ok()).collect();
        told.push(LoggedBatch { lines, end: cursor });
    }
    if position(cursor.at) < end && !told.is_empty() {
        return Ok(told);
    }
    let mut noticed: Vec<(u64, Vec<Line>)> = Vec::new();
    let reader = work.log.home.reader();
    for (number, hash) in work.index.places().noticed_since(at.noticed).map_err(index_error)? {
        let Some(line) = work.index.places().line(&hash, &reader).map_err(index_error)? else { continue };
        bytes += line_bytes(&line);
        let is_first = told.is_empty() && noticed.is_empty();
        match noticed.last_mut() {
            Some((last, lines)) if *last == number => lines.push(line),
            _ if bytes > limit.0 && !is_first => break,
            _ => noticed.push((number, vec![line])),
        }
    }
    for (number, lines) in noticed {
        cursor.noticed = number;
        told.push(LoggedBatch { lines, end: cursor });
    }
    Ok(told)
}

/// How the log ended when the index last heard of it.
pub(crate) fn log_end(look: Look<'_>) -> Result<LogEnd> {
    let (end, generation) = look.index.journal_end(0).map_err(index_error)?;
    let entries = look.index.digest().map_err(index_error)?;
    Ok(LogEnd { at: packed(end), generation, entries })
}

/// See [`ken_engine::Timeline::latest_by`].
pub(crate) fn latest_by(look: Look<'_>, actor: &str) -> Result<Vec<Event>> {
    let mut found: Vec<Vec<Event>> = Vec::new();
    // The running number with which the command begins that is gathered.
    let mut command: Option<u64> = None;
    let frames = look.index.places().latest_frames(FRAMES_OF_A_COMMAND_MAX).map_err(index_error)?;
    for (at, (journal, start, length)) in frames.into_iter().enumerate() {
        if command.is_none() && at >= FRAMES_LOOKED_BACK_MAX {
            break;
        }
        let (origin, records) = look.log.home.journals[journal as usize]
            .read_frame_and_origin(start, length)
            .map_err(Error::failed("reading the journal"))?;
        let lines = records.iter().filter_map(|record| record.line().ok());
        let all: Vec<Event> = lines
            .filter_map(|line| match line {
                Line::Event(event) => Some(*event),
                Line::Stub(_) => None,
            })
            .collect();
        let first = all.first().map_or(u64::MAX, |event| event.seq);
        let is_its = command.is_none_or(|begun| origin.continues == Some(begun) || first == begun);
        let own = all.into_iter().filter(|event| event.actor == actor && !event.is_record());
        let own: Vec<Event> = own.filter(|_| is_its).collect();
        if !own.is_empty() {
            found.push(own);
        }
        command = command.or(origin.continues).filter(|_| !found.is_empty());
        if !found.is_empty() && command.is_none_or(|begun| first <= begun) {
            break;
        }
    }
    Ok(found.into_iter().rev().flatten().collect())
}

/// Every line of journal and tree, once each.
pub(crate) fn all_lines(look: Look<'_>) -> Result<Vec<Line>> {
    let mut seen: HashMap<EventHash, Line> = HashMap::new();
    let mut keep = |line: Line| {
        let hash = match &line {
            Line::Event(event) => event.hash,
            Line::Stub(stub) => stub.hash,
        };
        // What is still there somewhere counts, whatever another place has left of it.
        let is_event = matches!(line, Line::Event(_));
        let known = seen.entry(hash).or_insert_with(|| line.clone());
        if is_event && matches!(known, Line::Stub(_)) {
            *known = line;
        }
    };
    for file in look.log.home.tree.read_all(look.log.home.tree.all_files()) {
        file.lines.into_iter().for_each(|(line, _, _)| keep(line));
    }
    for journal in &look.log.home.journals {
        let (frames, _) =
            journal.read(Position { segment: 1, offset: 0 }).map_err(Error::failed("reading the journal"))?;
        frames
            .iter()
            .flat_map(|frame| &frame.records)
            .filter_map(|record| record.line().ok())
            .for_each(&mut keep);
    }
    Ok(seen.into_values().collect())
}

/// The releases among some lines that this clone's journal has: a person gave them here.
pub(crate) fn released_here(look: Look<'_>, lines: &[Line]) -> Result<HashSet<EventHash>> {
    let events = lines.iter().filter_map(|line| match line {
        Line::Event(event) if event.type_name == "entry.released" => Some(event),
        Line::Event(_) | Line::Stub(_) => None,
    });
    let own = events.filter(|event| Some(event.replica) == look.log.replica());
    let mut released = HashSet::new();
    for event in own {
        if look.index.places().frame_of(&event.hash).map_err(index_error)?.is_some() {
            released.insert(event.hash);
        }
    }
    Ok(released)
}

/// Lines without those that were purged here.
pub(crate) fn unpurged(look: Look<'_>, lines: Vec<Line>) -> Result<Vec<Line>> {
    past::unpurged(look.index, lines)
}

/// Bits of a cursor for the place in a segment: segments are far smaller than a terabyte.
const OFFSET_BITS: u32 = 40;

fn packed(at: Position) -> u64 {
    at.segment << OFFSET_BITS | at.offset
}

fn position(at: u64) -> Position {
    Position { segment: (at >> OFFSET_BITS).max(1), offset: at & ((1 << OFFSET_BITS) - 1) }
}
