//! `ken list` on a terminal: one line per entry, whatever the width.
//!
//! The handle is never cut and the title has most of the room. What else is shown depends on the width: at 60 columns a bar for
//! belief, at 200 everything in words.

use kenning::EntryLine;
use kenning::core::Status;
use unicode_width::UnicodeWidthStr;

use crate::output::{Colour, coloured, cut_columns, dim};

/// Columns from which a line has the day of the last change.
const WITH_DAY: usize = 72;
/// Columns from which type and belief are written out.
const WITH_WORDS: usize = 100;
/// Columns from which a line has status and tags.
const WITH_TAGS: usize = 140;
/// Columns that a title keeps, however long the other cells are.
const TITLE_MIN: usize = 16;
/// Columns of tags at most: some entries have twenty.
const TAGS_MAX: usize = 32;
/// Blanks between two cells.
const GAP: usize = 2;

/// A cell of a line.
struct Cell {
    text: String,
    colour: Colour,
}

impl Cell {
    fn new(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), colour: Colour::Plain }
    }

    fn in_colour(text: impl Into<String>, colour: Colour) -> Cell {
        Cell { text: text.into(), colour }
    }
}

/// The lines of a list that is read on a terminal of some width, below a dim line of headings.
pub(crate) fn lines(entries: &[EntryLine], width: usize) -> Vec<String> {
    let rows: Vec<[Vec<Cell>; 2]> =
        entries.iter().map(|entry| [before(entry, width), after(entry, width)]).collect();
    let widths = |side: usize| -> Vec<usize> {
        let count = rows.first().map_or(0, |row| row[side].len());
        (0..count).map(|at| rows.iter().map(|row| row[side][at].text.width()).max().unwrap_or(0)).collect()
    };
    let (left, right) = (widths(0), widths(1));
    let others: usize = left.iter().chain(&right).map(|width| width + GAP).sum();
    let room = width.saturating_sub(others).max(TITLE_MIN);
    let mut lines = vec![heading(&left, &right, room, width)];
    for ([before, after], entry) in rows.iter().zip(entries) {
        let mut line = String::new();
        for (cell, width) in before.iter().zip(&left) {
            line.push_str(&padded(cell, *width));
            line.push_str(&" ".repeat(GAP));
        }
        line.push_str(&title(entry, room, width >= WITH_WORDS));
        for (cell, width) in after.iter().zip(&right) {
            line.push_str(&" ".repeat(GAP));
            line.push_str(&padded(cell, *width));
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// What the columns are called. A name that is wider than its column is left out, but for the last one, which reaches back over the blanks
/// before it.
fn heading(left: &[usize], right: &[usize], room: usize, width: usize) -> String {
    let named = |name: &str, width: usize| {
        let name = if name.width() <= width { name } else { "" };
        format!("{name}{}", " ".repeat(width - name.width()))
    };
    let gap = " ".repeat(GAP);
    let mut line = String::new();
    // The sign of the status stands before the handle.
    for (name, width) in ["  id", "type", "status"].iter().zip(left) {
        line.push_str(&named(name, *width));
        line.push_str(&gap);
    }
    line.push_str(&named("title", room));
    let (belief, others) = right.split_last().unwrap_or((&0, &[]));
    let day = if width >= WITH_WORDS { "updated" } else { "date" };
    let names: &[&str] = if width >= WITH_TAGS { &["tags", day] } else { &[day] };
    for (name, width) in names.iter().zip(others) {
        line.push_str(&gap);
        line.push_str(&named(name, *width));
    }
    let end = line.width() + GAP + belief;
    let line = line.trim_end();
    let blanks = end.saturating_sub(line.width() + BELIEF.width());
    dim(&format!("{line}{}{BELIEF}", " ".repeat(blanks)))
}

/// The heading of the last column.
const BELIEF: &str = "belief";

/// What the signs of a list mean, for those that are in it.
pub(crate) fn legend(entries: &[EntryLine], width: usize) -> Vec<String> {
    let mut said = Vec::new();
    if width < WITH_TAGS {
        for entry in entries {
            let Sign { sign, status, .. } = Sign::for_status(entry.status);
            let meaning = format!("{sign} {status}");
            if !said.contains(&meaning) {
                said.push(meaning);
            }
        }
    }
    if width < WITH_WORDS && entries.iter().any(|entry| entry.unverified) {
        said.push("? evidence not found".to_owned());
    }
    if width < WITH_WORDS && entries.iter().any(|entry| !entry.gaps.is_empty()) {
        said.push("… incomplete".to_owned());
    }
    said
}

/// What stands before the title.
fn before(entry: &EntryLine, width: usize) -> Vec<Cell> {
    let Sign { sign, status, colour } = Sign::for_status(entry.status);
    let mut cells = vec![Cell::in_colour(format!("{sign} {}", entry.handle), colour)];
    if width >= WITH_WORDS {
        cells.push(Cell::new(&entry.kind));
    }
    if width >= WITH_TAGS {
        cells.push(Cell::in_colour(status, colour));
    }
    cells
}

/// What stands after the title.
fn after(entry: &EntryLine, width: usize) -> Vec<Cell> {
    let mut cells = Vec::new();
    if width >= WITH_TAGS {
        cells.push(Cell::in_colour(cut_columns(&entry.tags.join(" "), TAGS_MAX), Colour::Dim));
    }
    if width >= WITH_DAY {
        cells.push(Cell::in_colour(&entry.updated[..10], Colour::Dim));
    }
    let bar = bar(entry.belief.mean);
    cells.push(match width >= WITH_WORDS {
        true => Cell::new(format!("{bar} {:>3.0} %", entry.belief.mean * 100.0)),
        false => Cell::new(bar),
    });
    cells
}

/// The title with its marks, as wide as the room for it.
fn title(entry: &EntryLine, room: usize, in_words: bool) -> String {
    let mut marks = marks(entry, in_words);
    // The day beside it is this machine's: no date is shown that lies ahead.
    if let Some(wrong) = &entry.wrong_clock {
        marks = if marks.is_empty() { wrong.clone() } else { format!("{wrong}, {marks}") };
    }
    let mut marks = cut_columns(&marks, room / 2);
    // Words are set apart from the title by more than their colour.
    if in_words && !marks.is_empty() {
        marks = format!("({marks})");
    }
    let reserved = if marks.is_empty() { 0 } else { marks.width() + 1 };
    let title = cut_columns(&entry.title, room - reserved);
    let free = room - reserved - title.width();
    match marks.is_empty() {
        true => format!("{title}{}", " ".repeat(free)),
        false => format!("{title} {}{}", dim(&marks), " ".repeat(free)),
    }
}

/// What else is to be known of an entry; the two that are common are signs where words take too much room.
pub(crate) fn marks(entry: &EntryLine, in_words: bool) -> String {
    let marks: Vec<&str> = [
        (entry.overlay.pinned.is_some(), "pinned"),
        (entry.overlay.muted.is_some(), "muted"),
        (entry.overlay.invalidated.is_some(), "invalidated"),
        (entry.unverified, if in_words { "unverified" } else { "?" }),
        (!entry.gaps.is_empty(), if in_words { "incomplete" } else { "…" }),
        (entry.failures.failed_source.is_some(), "from failed work"),
        (entry.failures.failed_last.is_some(), "failed when last used"),
        (entry.approved.as_ref().is_some_and(|told| told.ends_with("(solo)")), "approved solo"),
        (!entry.on_this_branch, "not on this branch"),
    ]
    .into_iter()
    .filter_map(|(is_set, mark)| is_set.then_some(mark))
    .collect();
    marks.join(", ")
}

fn padded(cell: &Cell, width: usize) -> String {
    format!("{}{}", coloured(&cell.text, cell.colour), " ".repeat(width.saturating_sub(cell.text.width())))
}

/// How a status is shown: by a sign and a word, and in a colour that says nothing more.
struct Sign {
    sign: char,
    status: &'static str,
    colour: Colour,
}

impl Sign {
    fn for_status(status: Status) -> Sign {
        let (sign, colour) = match status {
            Status::Candidate => ('○', Colour::Plain),
            Status::Active => ('◐', Colour::Plain),
            Status::Verified => ('●', Colour::Green),
            Status::Stale => ('◌', Colour::Yellow),
            Status::Superseded => ('→', Colour::Dim),
            Status::Archived => ('▫', Colour::Dim),
            Status::Retracted => ('✗', Colour::Red),
            Status::Rejected => ('⊘', Colour::Red),
        };
        Sign { sign, status: status.label(), colour }
    }
}

/// Belief as one character, from the lowest to the full block.
fn bar(mean: f64) -> char {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let at = (mean.clamp(0.0, 1.0) * 7.0).round();
    BARS.iter().zip(0_u32..).find(|(_, number)| f64::from(*number) >= at).map_or('█', |(bar, _)| *bar)
}
