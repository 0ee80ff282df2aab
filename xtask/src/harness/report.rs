//! What a suite found, and the text that its page keeps.

use super::figure::Figure;
use super::figure::grouped;
use super::machine;
use crate::page;

/// What a suite found.
#[derive(Default)]
pub(crate) struct Report {
    /// What the figures depend on beside the machine, a line each.
    pub(crate) notes: Vec<String>,
    pub(crate) figures: Vec<Figure>,
    /// Tables of the suite's own, in Markdown.
    pub(crate) tables: String,
    /// A sentence for each part that could not be measured.
    pub(crate) skipped: Vec<String>,
}

const HEAD: [&str; 9] = ["What", "Size", "Measured", "Best", "CPU", "Floor", "Ratio", "Goal", "Met"];

impl Report {
    pub(crate) fn new(figures: Vec<Figure>) -> Report {
        Report { figures, ..Report::default() }
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Report {
        self.notes.push(note.into());
        self
    }

    /// The command, the machine, the figures and the tables. It is padded, so that it can be read as it is.
    pub(crate) fn text(&self, command: &str, machine: &[String]) -> String {
        let mut text = format!("```sh\n{command}\n```\n\n");
        let end = machine::load().map(|load| format!("load average of the last minute at the end: {load}"));
        for line in machine.iter().chain(&end).chain(&self.notes).chain(&self.skipped) {
            text.push_str(&format!("- {line}\n"));
        }
        if !self.figures.is_empty() {
            let rows: Vec<[String; 9]> = self.figures.iter().map(cells).collect();
            text.push_str(&format!("\n{}", page::table(HEAD, &rows)));
        }
        if !self.tables.is_empty() {
            text.push_str(&format!("\n{}", self.tables.trim_start_matches('\n')));
        }
        text
    }
}

fn cells(figure: &Figure) -> [String; 9] {
    let what = match figure.note.as_str() {
        "" => figure.spec.what.to_owned(),
        note => format!("{} ({note})", figure.spec.what),
    };
    [
        what,
        figure.size.map(|size| grouped(size as u64)).unwrap_or_default(),
        figure.shown(),
        figure.best.map(|best| figure.spec.unit.show(best)).unwrap_or_default(),
        figure.cpu.map(|cpu| super::figure::Unit::Seconds.show(cpu)).unwrap_or_default(),
        figure.floor_shown(),
        figure.ratio_shown(),
        figure.goal(),
        figure.met_shown(),
    ]
}
