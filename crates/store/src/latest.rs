//! The end of the log: its last events, without reading those before them.

use ken_core::EventHash;
use ken_core::event::Line;
use ken_engine::log::{Cursor, LoggedBatch};
use ken_engine::{Error, Result};

use crate::journal::Position;
use crate::log::packed;
use crate::store::{Store, index_error};

impl Store {
    /// See [`ken_engine::History::latest`].
    pub(crate) fn latest_batches(&mut self, events: usize) -> Result<Vec<LoggedBatch>> {
        self.catch_up(false)?;
        let mut left = events;
        // What git brought stands behind what this clone wrote.
        let mut noticed = self.latest_noticed(&mut left)?;
        let mut told = Vec::new();
        let mut end = Cursor::default();
        let (known, _) = self.index().journal_end(0).map_err(index_error)?;
        let reading = || Error::failed("reading the journal");
        let journal = &self.journals()[0];
        for segment in journal.segments().map_err(reading())?.into_iter().rev() {
            let (mut frames, mut damage) = (Vec::new(), Vec::new());
            let from = Position { segment, offset: 0 };
            journal.read_segment(from, &mut frames, &mut damage).map_err(reading())?;
            // As in `Store::since`: what the index was not told yet is for the next time.
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
    fn latest_noticed(&self, left: &mut usize) -> Result<Vec<(u64, Vec<Line>)>> {
        let mut noticed: Vec<(u64, Vec<Line>)> = Vec::new();
        let reader = self.reader();
        let mut take = |number: u64, hash: EventHash| {
            let Some(line) = self.index().line(&hash, &reader)? else { return Ok(true) };
            *left -= usize::from(matches!(line, Line::Event(_)));
            match noticed.last_mut() {
                Some((last, lines)) if *last == number => lines.push(line),
                _ => noticed.push((number, vec![line])),
            }
            Ok(*left > 0)
        };
        self.index().each_noticed_backwards(&mut take).map_err(index_error)?;
        noticed.iter_mut().for_each(|(_, lines)| lines.reverse());
        Ok(noticed)
    }
}

/// The last lines of a batch, with as many events as are left to find. They come from the end.
pub(crate) fn last_lines(backwards: impl Iterator<Item = Line>, left: &mut usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for line in backwards {
        if *left == 0 {
            break;
        }
        *left -= usize::from(matches!(line, Line::Event(_)));
        lines.push(line);
    }
    lines.reverse();
    lines
}
