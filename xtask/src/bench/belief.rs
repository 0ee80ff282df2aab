//! The suite `belief`: what the belief in every entry of a large store costs, added up from what is known of their use.

use std::hint::black_box;
use std::time::Instant;

use ken_core::belief::{self, Beta, Mark, Moved, Record, Side};
use ken_core::kinds::DecayClass;

use crate::context::Failure;
use crate::harness::figure::Figure;
use crate::harness::measure::{Series, progress};
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::harness::{Effort, Suite};

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/benchmarks.md"),
    sizes: [&[100_000], &[100_000]],
    needs: &[],
    ..Suite::bench("belief", run)
};

/// Observations of each entry.
const OBSERVATIONS: usize = 10;
/// Observations of an entry that is used all the time.
const MANY: usize = 20_000;
const TODAY: i32 = 20_500;
const PRIOR: Beta = Beta { alpha: 5.0, beta: 5.0 };

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let effort = session.effort;
    let mut figures = Vec::new();
    for size in &session.sizes {
        progress(&format!("{size} records"));
        let records: Vec<Record> = (0..*size).map(record).collect();
        let folded = series(effort, || {
            for (at, record) in records.iter().enumerate() {
                black_box(belief::fold(record, PRIOR, class(at), TODAY));
            }
        });
        // The least there is to do: every mark is looked at once.
        let summed = series(effort, || {
            black_box(
                records.iter().flat_map(|record| &record.0).map(|mark| i64::from(mark.day)).sum::<i64>(),
            );
        });
        let texts: Vec<String> = records.iter().map(Record::to_string).collect();
        let read = series(effort, || {
            for text in &texts {
                black_box(text.parse::<Record>().expect("a record that was written can be read"));
            }
        });
        let interval = series(effort, || {
            for (at, record) in records.iter().take(1_000).enumerate() {
                black_box(belief::fold(record, PRIOR, class(at), TODAY).now.interval());
            }
        });
        let floor = "looking at every observation";
        figures.extend([
            Figure::time("belief.fold", &folded).at(*size).floor_time(floor, &summed),
            Figure::time("belief.read", &read).at(*size),
            Figure::time("belief.intervals", &interval).at(*size),
        ]);
    }
    let mark = |at: usize| Mark { day: TODAY - MANY as i32 + at as i32, what: observed(at) };
    let long = Record((0..MANY).map(mark).collect());
    let folded = series(effort, || {
        black_box(belief::fold(&long, PRIOR, DecayClass::Stable, TODAY));
    });
    let drawn = series(effort, || {
        black_box(belief::history(&long, PRIOR, DecayClass::Stable, TODAY));
    });
    figures.extend([Figure::time("belief.long", &folded), Figure::time("belief.history", &drawn)]);
    Ok(Report::new(figures).note(format!(
        "one core, in this program; {OBSERVATIONS} observations to an entry, on different days of two years"
    )))
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
