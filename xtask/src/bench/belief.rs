//! The suite `belief`: what the belief in every entry of a large store costs, added up from what is known of their use.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ken_core::belief::{self, Beta, Mark, Moved, Record, Side};
use ken_core::kinds::DecayClass;

use super::machine;
use super::measure::{Series, progress};
use super::report::{Row, Table, duration};
use super::scratch::Scratch;
use super::{Effort, Request};
use crate::context::{Context, Failure};
use crate::dist;

/// Observations of each entry.
const OBSERVATIONS: usize = 10;
/// Observations of an entry that is used all the time.
const MANY: usize = 20_000;
const TODAY: i32 = 20_500;
const PRIOR: Beta = Beta { alpha: 5.0, beta: 5.0 };
/// The size that has a target.
const TOLD: usize = 100_000;
const FOLDED_MAX: Duration = Duration::from_millis(100);

/// The table, and the folder that the caller lets go of when the table is safe.
pub(super) fn run(context: &Context, request: &Request) -> Result<(Table, Scratch), Failure> {
    let scratch = Scratch::below(&dist::target_folder(context)?)?;
    let mut lines = machine::describe(context, &scratch.folder)?;
    lines.push(format!("one core; {OBSERVATIONS} observations to an entry, on different days of two years"));
    let mut rows = Vec::new();
    for size in &request.sizes {
        progress(&format!("{size} records"));
        let records: Vec<Record> = (0..*size).map(record).collect();
        let folded = series(request.effort, || {
            for (at, record) in records.iter().enumerate() {
                black_box(belief::fold(record, PRIOR, class(at), TODAY));
            }
        });
        let row = Row::new("belief in every entry, from records in memory", Some(*size)).time(&folded);
        rows.push(match *size {
            TOLD => row.target(&format!("≤ {}", duration(FOLDED_MAX)), folded.wall() <= FOLDED_MAX),
            _ => row,
        });
        let texts: Vec<String> = records.iter().map(Record::to_string).collect();
        let read = series(request.effort, || {
            for text in &texts {
                black_box(text.parse::<Record>().expect("a record that was written can be read"));
            }
        });
        rows.push(Row::new("reading the records from their text", Some(*size)).time(&read));
        let interval = series(request.effort, || {
            for (at, record) in records.iter().take(1_000).enumerate() {
                black_box(belief::fold(record, PRIOR, class(at), TODAY).now.interval());
            }
        });
        rows.push(Row::new("intervals of a thousand", Some(*size)).time(&interval));
    }
    let mark = |at: usize| Mark { day: TODAY - MANY as i32 + at as i32, what: observed(at) };
    let long = Record((0..MANY).map(mark).collect());
    let folded = series(request.effort, || {
        black_box(belief::fold(&long, PRIOR, DecayClass::Stable, TODAY));
    });
    rows.push(Row::new("belief in one entry with 20,000 observations", None).time(&folded));
    let drawn = series(request.effort, || {
        black_box(belief::history(&long, PRIOR, DecayClass::Stable, TODAY));
    });
    rows.push(Row::new("its history", None).time(&drawn));
    lines.extend(machine::load().map(|load| format!("load average of the last minute at the end: {load}")));
    let sizes: Vec<String> = request.sizes.iter().map(usize::to_string).collect();
    let quick = if request.effort == Effort::Quick { " --quick" } else { "" };
    let command = format!("cargo xtask bench belief{quick} --sizes {} --write", sizes.join(","));
    Ok((Table { command, machine: lines, rows }, scratch))
}

fn series(effort: Effort, mut work: impl FnMut()) -> Series {
    let round = |_| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    };
    (0..effort.short_rounds()).map(round).collect()
}

fn class(at: usize) -> DecayClass {
    match at % 4 {
        0 => DecayClass::Ephemeral,
        1 => DecayClass::Permanent,
        _ => DecayClass::Stable,
    }
}

/// What happened to the entry of some number: as often well as not, and never twice on a day.
fn record(number: usize) -> Record {
    let mark = |at: usize| {
        let spread = (number.wrapping_mul(31) + at * 7) % 60;
        Mark { day: TODAY - 730 + (at * 70 + spread) as i32, what: observed(number + at) }
    };
    Record((0..OBSERVATIONS).map(mark).collect())
}

fn observed(at: usize) -> Moved {
    let side = if at.is_multiple_of(3) { Side::Against } else { Side::For };
    Moved::Observed(side, 500 + (at * 37 % 1001) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_of_different_days_in_order() {
        for number in [0, 1, 59, 99_999] {
            let days: Vec<i32> = record(number).0.iter().map(|mark| mark.day).collect();
            assert!(days.is_sorted() && days.len() == OBSERVATIONS && days[9] <= TODAY, "{days:?}");
        }
    }
}
