//! What is wrong with a ledger as far as the index knows: no file is read again. `ken verify` reads every line.

use ken_core::event::Line;
use ken_engine::{Finding, Report, Result};
use ken_index::index_error;

use crate::verify::{self, tell_problem};
use crate::work::{Look, Work};
use crate::{timeline, write_out};

/// Lines that could not be read when they were taken in, damage of the journal, events that this clone wrote and that its files lack,
/// and texts that lack their purge or outlived it.
pub(crate) fn check_known(work: &mut Work<'_>) -> Result<Report> {
    verify::hold_still(work)?;
    let report = known_faults(work.look());
    work.index.end_read();
    report
}

pub(crate) fn known_faults(look: Look<'_>) -> Result<Report> {
    let mut report = Report::default();
    for (path, problem) in look.index.files().problems().map_err(index_error)? {
        tell_problem(&path, &problem, &mut report);
    }
    let index = look.index;
    (report.files, report.lines) = index.files().files_and_lines().map_err(index_error)?;
    report.events = report.lines;
    let counts = index.counts().map_err(index_error)?;
    report.entries = counts.iter().map(|(.., count)| usize::try_from(*count).unwrap_or(0)).sum();
    for hash in index.places().unexplained_stubs().map_err(index_error)? {
        report.errors.push(text_finding(
            "stub_unexplained",
            format!("event {hash} lost its text, and no purge explains that"),
        ));
    }
    for hash in index.places().purged_in_files().map_err(index_error)? {
        let Some(Line::Event(event)) = timeline::line(look, &hash)? else { continue };
        if look.index.purge_counts(&event).map_err(index_error)? {
            report.errors.push(text_finding(
                "purged_bytes",
                format!("a ledger file still holds the bytes of the purged event {hash}"),
            ));
        }
    }
    // Of what others wrote the index does not know what it builds on.
    let purged = look.index.purged().map_err(index_error)?;
    let lost = write_out::lost_here(look)?;
    for hash in look.index.places().missing_parents().map_err(index_error)? {
        let is_on_its_way = match look.index.places().frame_of(&hash).map_err(index_error)? {
            Some((journal, start, _)) => write_out::is_pending(look, journal, start),
            None => false,
        };
        if !is_on_its_way && !purged.contains(&hash) && !lost.contains(&hash) {
            report.notices.push(Finding {
                code: "missing_parent",
                file: None,
                line: None,
                message: format!("event {hash} is not in the ledger files of this branch"),
                hint: Some("`ken recover` restores it".to_owned()),
            });
        }
    }
    verify::check_journal(look, &lost, &mut report)?;
    report.pass = report.errors.is_empty();
    Ok(report)
}

fn text_finding(code: &'static str, message: String) -> Finding {
    let hint = Some("`ken verify` names the file and the line".to_owned());
    Finding { code, file: None, line: None, message, hint }
}
