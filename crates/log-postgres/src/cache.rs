//! What a node keeps of a log: the index, and beside it the lines, in one SQLite file that is fed from the database and can go at any time.

use std::collections::HashSet;

use ken_core::event::{Event, Line, read_line};
use ken_core::{EntryKey, EventHash, ReplicaId};
use ken_engine::log::hash_of;
use ken_index::{Extension, Index, Source};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::head::Batch;

type SqlResult<T> = rusqlite::Result<T>;

/// Tables beside those of the index. Raise the number whenever they change.
pub(crate) const EXTENSION: Extension = Extension {
    schema: 1,
    tables: include_str!("../sql/cache.sql"),
    indexes: include_str!("../sql/cache_indexes.sql"),
};

/// The lines of a log, as the cache has them.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a>(pub(crate) &'a Connection);

/// A batch as the cache has it, without what was received.
pub(crate) struct OwnBatch {
    pub(crate) events: Vec<Event>,
    pub(crate) continues: Option<i64>,
}

impl Lines<'_> {
    pub(crate) fn line(self, hash: &EventHash) -> SqlResult<Option<Line>> {
        let mut statement = self.0.prepare_cached("SELECT line FROM lines WHERE hash = ?")?;
        Ok(statement.query_row([&hash.0[..]], line_of).optional()?.flatten())
    }

    /// The events of an entry, in no order.
    pub(crate) fn of_entry(self, key: EntryKey) -> SqlResult<Vec<Event>> {
        let mut statement = self.0.prepare_cached("SELECT line FROM lines WHERE entry = ?")?;
        let lines = statement.query_map([&key.0[..]], line_of)?;
        lines.filter_map(|line| line.map(|line| line.and_then(event_of)).transpose()).collect()
    }

    /// Every line in the order of the log, with whether it was appended here.
    pub(crate) fn each(self, mut each: impl FnMut(Line, bool)) -> SqlResult<()> {
        let mut statement = self.0.prepare("SELECT line, own FROM lines ORDER BY at, number")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if let Some(line) = line_of(row)? {
                each(line, row.get(1)?);
            }
        }
        Ok(())
    }

    /// The positions of all batches, from the last one on.
    pub(crate) fn positions_backwards(self, mut each: impl FnMut(i64) -> SqlResult<bool>) -> SqlResult<()> {
        let mut statement = self.0.prepare_cached("SELECT at FROM batches ORDER BY at DESC")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if !each(row.get(0)?)? {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn batch(self, at: i64) -> SqlResult<Vec<Line>> {
        let mut statement = self.0.prepare_cached("SELECT line FROM lines WHERE at = ? ORDER BY number")?;
        let lines = statement.query_map([at], line_of)?;
        lines.filter_map(Result::transpose).collect()
    }

    /// A batch that was appended here; nothing in it where it was received.
    pub(crate) fn own_batch(self, at: i64) -> SqlResult<OwnBatch> {
        let sql = "SELECT own, continues FROM batches WHERE at = ?";
        let (is_own, continues): (bool, Option<i64>) =
            self.0.prepare_cached(sql)?.query_row([at], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let lines = if is_own { self.batch(at)? } else { Vec::new() };
        Ok(OwnBatch { events: lines.into_iter().filter_map(event_of).collect(), continues })
    }

    pub(crate) fn count(self) -> SqlResult<usize> {
        let count: i64 =
            self.0.prepare_cached("SELECT count(*) FROM lines")?.query_row([], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// The position of the last batch.
    pub(crate) fn end(self) -> SqlResult<i64> {
        self.0.prepare_cached("SELECT coalesce(max(at), 0) FROM batches")?.query_row([], |row| row.get(0))
    }
}

impl Source for Lines<'_> {
    fn event(&self, hash: &EventHash) -> SqlResult<Option<Event>> {
        Ok(self.line(hash)?.and_then(event_of))
    }

    fn written_here(&self, key: EntryKey) -> SqlResult<HashSet<EventHash>> {
        let mut statement = self.0.prepare_cached("SELECT hash FROM lines WHERE entry = ? AND own")?;
        let hashes =
            statement.query_map([&key.0[..]], |row| Ok(ken_index::hash(row.get_ref(0)?.as_blob()?)))?;
        hashes.collect()
    }
}

/// Its bytes were checked against their hash when they came.
fn line_of(row: &Row<'_>) -> SqlResult<Option<Line>> {
    Ok(read_line(row.get_ref(0)?.as_str()?).ok())
}

pub(crate) fn event_of(line: Line) -> Option<Event> {
    match line {
        Line::Event(event) => Some(*event),
        Line::Stub(_) => None,
    }
}

/// The text of a line.
pub(crate) fn text_of(line: &Line) -> String {
    match line {
        Line::Event(event) => event.line().to_owned(),
        Line::Stub(stub) => stub.line(),
    }
}

/// Tells the index of batches, within a transaction that has begun.
pub(crate) fn tell(index: &Index, batches: &[Batch]) -> SqlResult<()> {
    let lines = Lines(index.connection());
    let mut intake = index.intake(&lines);
    for Batch { position, replica, continues, lines: told } in batches {
        let is_own = replica.is_some();
        let sql = "INSERT INTO batches VALUES(?, ?, ?)";
        lines.0.prepare_cached(sql)?.execute(params![position, is_own, continues])?;
        for (number, line) in (0_i64..).zip(told) {
            let entry = match line {
                Line::Event(event) => event.entry,
                Line::Stub(_) => None,
            };
            let sql = "INSERT INTO lines VALUES(?, ?, ?, ?, ?, ?)";
            let entry = entry.as_ref().map(|key| &key.0[..]);
            let row = params![&hash_of(line).0[..], position, number, entry, is_own, text_of(line)];
            lines.0.prepare_cached(sql)?.execute(row)?;
            intake.line(line.clone(), is_own, is_own)?;
        }
    }
    intake.finish().map(drop)
}

/// Counts the names that batches were appended under as this log's own. Before they are told.
pub(crate) fn own(index: &mut Index, batches: &[Batch]) -> SqlResult<()> {
    let names: HashSet<ReplicaId> = batches.iter().filter_map(|batch| batch.replica).collect();
    names.into_iter().try_for_each(|name| index.add_own(name))
}
