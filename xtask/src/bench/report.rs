//! The table a suite ends with, on the terminal and on its page.

use std::path::Path;
use std::time::Duration;

use super::measure::Series;
use crate::context::Outcome;
use crate::page;

/// What a suite found.
pub(super) struct Table {
    /// The command that makes it.
    pub(super) command: String,
    /// What it ran on, a line each.
    pub(super) machine: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// One number and what to hold it against.
#[derive(Default)]
pub(super) struct Row {
    what: String,
    entries: Option<usize>,
    measured: String,
    best: String,
    cpu: String,
    floor: String,
    ratio: String,
    target: String,
    met: Option<bool>,
}

impl Row {
    pub(super) fn new(what: &str, entries: Option<usize>) -> Row {
        Row { what: what.to_owned(), entries, ..Row::default() }
    }

    /// The same under another name.
    pub(super) fn named(mut self, what: &str) -> Row {
        self.what = what.to_owned();
        self
    }

    /// Median, best and processor time of a series.
    pub(super) fn time(mut self, series: &Series) -> Row {
        self.measured = duration(series.wall());
        self.best = duration(series.best());
        self.cpu = series.cpu().map(duration).unwrap_or_default();
        self
    }

    pub(super) fn measured(mut self, text: impl Into<String>) -> Row {
        self.measured = text.into();
        self
    }

    pub(super) fn best(mut self, text: impl Into<String>) -> Row {
        self.best = text.into();
        self
    }

    /// The least the machine could do, and how much more the measured thing takes.
    pub(super) fn floor(mut self, name: &str, floor: Duration, measured: Duration) -> Row {
        self.floor = format!("{} {name}", duration(floor));
        self.ratio = format!("{:.2}", ratio(measured, floor));
        self
    }

    pub(super) fn target(mut self, target: &str, met: bool) -> Row {
        self.target = target.to_owned();
        self.met = Some(met);
        self
    }

    fn cells(&self) -> [String; 9] {
        let met = match self.met {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "",
        };
        [
            self.what.clone(),
            self.entries.map(|count| grouped(count as u64)).unwrap_or_default(),
            self.measured.clone(),
            self.best.clone(),
            self.cpu.clone(),
            self.floor.clone(),
            self.ratio.clone(),
            self.target.clone(),
            met.to_owned(),
        ]
    }
}

const HEAD: [&str; 9] = ["What", "Entries", "Median", "Best", "CPU", "Floor", "Ratio", "Target", "Met"];

impl Table {
    /// The same words as on the page: its columns are padded, so that it can be read as it is.
    pub(super) fn for_terminal(&self) -> String {
        let missed = self.rows.iter().filter(|row| row.met == Some(false)).count();
        let with_target = self.rows.iter().filter(|row| row.met.is_some()).count();
        format!("{}\ntargets met: {} of {with_target}", self.for_page(), with_target - missed)
    }

    fn for_page(&self) -> String {
        let mut text = format!("```sh\n{}\n```\n\n", self.command);
        for line in &self.machine {
            text.push_str(&format!("- {line}\n"));
        }
        text.push('\n');
        let rows: Vec<[String; 9]> = self.rows.iter().map(Row::cells).collect();
        text.push_str(&page::table(HEAD, &rows));
        text
    }
}

/// Puts a table between a suite's two marks on a page.
pub(super) fn write(file: &Path, suite: &str, table: &Table) -> Outcome {
    page::put(file, &format!("bench {suite}"), &table.for_page())
}

/// How many times longer.
pub(super) fn ratio(measured: Duration, floor: Duration) -> f64 {
    measured.as_secs_f64() / floor.as_secs_f64().max(1e-9)
}

/// `850 µs`, `12.3 ms`, `4.56 s`.
pub(super) fn duration(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    match micros {
        ..1e3 => format!("{micros:.0} µs"),
        ..1e6 => format!("{:.1} ms", micros / 1e3),
        _ => format!("{:.2} s", micros / 1e6),
    }
}

/// `4,560/s`.
pub(super) fn per_second(count: usize, time: Duration) -> String {
    format!("{}/s", grouped((count as f64 / time.as_secs_f64()) as u64))
}

/// Bytes of one, rounded up.
pub(super) fn per_entry(bytes: u64, entries: usize) -> String {
    grouped(bytes.div_ceil(entries as u64))
}

/// `12,345`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1234567), "1,234,567");
        assert_eq!(duration(Duration::from_micros(850)), "850 µs");
        assert_eq!(duration(Duration::from_micros(12_340)), "12.3 ms");
        assert_eq!(duration(Duration::from_millis(4_560)), "4.56 s");
    }
}
