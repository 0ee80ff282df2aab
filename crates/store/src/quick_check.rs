//! What is wrong with a ledger as far as the index knows: no file is read again. `ken verify` reads every line.

use ken_core::event::Line;
use ken_engine::{Finding, Report, Result};

use crate::store::{Store, index_error};
use crate::verify::tell_problem;

impl Store {
    /// Lines that could not be read when they were taken in, damage of the journal, events that this clone wrote and that its files lack,
    /// and texts that lack their purge or outlived it.
    pub(crate) fn check_known(&mut self) -> Result<Report> {
        self.hold_still()?;
        let report = self.known_faults();
        self.index().end_read();
        report
    }

    fn known_faults(&self) -> Result<Report> {
        let mut report = Report::default();
        for (path, problem) in self.index().problems().map_err(index_error)? {
            tell_problem(&path, &problem, &mut report);
        }
        let index = self.index();
        (report.files, report.lines) = index.files_and_lines().map_err(index_error)?;
        report.events = report.lines;
        let counts = index.counts().map_err(index_error)?;
        report.entries = counts.iter().map(|(.., count)| usize::try_from(*count).unwrap_or(0)).sum();
        for hash in index.unexplained_stubs().map_err(index_error)? {
            report.errors.push(text_finding(
                "stub_unexplained",
                format!("event {hash} lost its text, and no purge explains that"),
            ));
        }
        for hash in index.purged_in_files().map_err(index_error)? {
            let Some(Line::Event(event)) = self.line(&hash)? else { continue };
            if self.index().purge_counts(&event).map_err(index_error)? {
                report.errors.push(text_finding(
                    "purged_bytes",
                    format!("a ledger file still holds the bytes of the purged event {hash}"),
                ));
            }
        }
        // Of what others wrote the index does not know what it builds on.
        let purged = self.index().purged().map_err(index_error)?;
        for hash in self.index().missing_parents().map_err(index_error)? {
            let is_on_its_way = match self.index().frame_of(&hash).map_err(index_error)? {
                Some((journal, start, _)) => self.is_pending(journal, start),
                None => false,
            };
            if !is_on_its_way && !purged.contains(&hash) {
                report.notices.push(Finding {
                    code: "missing_parent",
                    file: None,
                    line: None,
                    message: format!("event {hash} is not in the ledger files of this branch"),
                    hint: Some("`ken recover` restores it".to_owned()),
                });
            }
        }
        self.check_journal(&mut report)?;
        report.pass = report.errors.is_empty();
        Ok(report)
    }
}

fn text_finding(code: &'static str, message: String) -> Finding {
    let hint = Some("`ken verify` names the file and the line".to_owned());
    Finding { code, file: None, line: None, message, hint }
}
