//! Many entries at once, from lines of JSON, in atomic batches.

use std::collections::BTreeMap;
use std::io::BufRead;

use ken_core::decide::Outcome;
use ken_core::limits::{BATCH_ENTRIES_MAX, LINE_BYTES_MAX};
use ken_core::{Code, EntryKey, Refusal};
use ken_engine::intake::Intake;
use ken_engine::ops::add::{AddAnswer, ScannedBatch};
use ken_engine::{Caller, Ledger, ops};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::content::{is_too_long, read_line_bounded};
use crate::entry_content::read_stated;
use crate::limits::recall::EMBEDDED_AT_WRITE_MAX;
use crate::{AddInput, Error, ModelsInUse, Result, Site};

/// How a bulk add behaves.
#[derive(Clone, Debug, Default)]
pub struct BulkOptions {
    /// Said of every line: type, evidence, draft and so on.
    pub base: AddInput,
    /// All lines or none.
    pub atomic: bool,
    /// Leave faulty lines out and go on.
    pub keep_going: bool,
    /// Lines that an earlier call has already had acknowledged.
    pub skip_lines: usize,
    /// What the numbers in messages count.
    pub unit: Unit,
}

/// What a bulk add is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Lines of a file or of standard input.
    #[default]
    Line,
    /// Members of one JSON list.
    Member,
}

impl Unit {
    fn word(self) -> &'static str {
        match self {
            Unit::Line => "line",
            Unit::Member => "member",
        }
    }
}

/// How far a bulk add is.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BulkProgress {
    /// The last line that is acknowledged.
    pub acknowledged: usize,
    pub added: usize,
    /// Entries that were there and were cited.
    pub reinforced: usize,
    /// Entries that were there with the same evidence: nothing was written.
    pub unchanged: usize,
    /// New entries with gaps.
    pub held: usize,
    /// Entries that took new words by their merge key.
    pub merged: usize,
    /// Entries whose addition their author had undone: they are back.
    pub restored: usize,
    /// What the scanner or its admission kept out; it is in the quarantine.
    pub rejected: usize,
    /// Faulty lines that were left out.
    pub refused: usize,
}

/// How a bulk add ended.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BulkReport {
    #[serde(flatten)]
    pub progress: BulkProgress,
    /// Every line was looked at.
    pub complete: bool,
    /// Faulty lines, with what is wrong.
    pub faults: Vec<String>,
    /// Lines that were kept out, and why.
    pub kept_out: Vec<String>,
    /// Lines with something to know, such as an anchor that cannot be tracked, or an entry that says it and is retracted.
    pub remarks: Vec<String>,
    /// The same of lines with nothing to mend: they come last.
    #[serde(skip)]
    notes: Vec<String>,
    /// The first new entries, each with its line and its id.
    #[serde(skip)]
    new: Vec<(String, String)>,
}

/// Lines that are written together: as they were read, or scanned.
struct LineBatch<T> {
    /// The line of each entry.
    numbers: Vec<usize>,
    entries: T,
    /// How far the input is read.
    end: usize,
    /// Lines that were left out before its end.
    refused: Vec<(usize, Refusal)>,
    is_last: bool,
}

impl LineBatch<Vec<AddInput>> {
    fn scan(self, scan: impl FnOnce(Vec<AddInput>) -> ScannedBatch) -> LineBatch<ScannedBatch> {
        let LineBatch { numbers, entries, end, refused, is_last } = self;
        LineBatch { numbers, entries: scan(entries), end, refused, is_last }
    }
}

/// Reads batches of lines.
struct Lines<'a, R> {
    input: R,
    options: &'a BulkOptions,
    number: usize,
}

impl<R: BufRead> Lines<'_, R> {
    fn next_batch(&mut self) -> Result<LineBatch<Vec<AddInput>>> {
        let options = self.options;
        let mut batch = LineBatch {
            numbers: Vec::new(),
            entries: Vec::new(),
            end: self.number,
            refused: Vec::new(),
            is_last: true,
        };
        let mut line = Vec::new();
        let batch_max = if options.atomic { usize::MAX } else { BATCH_ENTRIES_MAX };
        while batch.entries.len() < batch_max {
            let next = self.number + 1;
            let wrong =
                |why: String| at_line(options, next, Refusal::new(Code::Invalid, why).field("content"));
            let length = match read_line_bounded(&mut self.input, &mut line) {
                Ok(length) => length,
                Err(error) if is_too_long(&error) => return Err(wrong(error.to_string())),
                Err(error) => return Err(Error::failed(format!("reading line {next}"))(error)),
            };
            if length == 0 {
                return Ok(batch);
            }
            (self.number, batch.end) = (next, next);
            if next <= options.skip_lines || line.trim_ascii().is_empty() {
                continue;
            }
            match read_object(&line) {
                Ok(content) => {
                    batch.numbers.push(next);
                    batch.entries.push(with_base(&options.base, content));
                }
                Err(refusal) if options.keep_going => batch.refused.push((next, refusal)),
                Err(refusal) => return Err(at_line(options, next, refusal)),
            }
        }
        batch.is_last = false;
        Ok(batch)
    }
}

/// Adds one entry per line of JSON. `go_on` is called after each acknowledged batch; when it answers no, the rest is left.
///
/// A faulty line stops everything from its batch on, unless `keep_going` is set; the answer then says which lines were left out.
/// While a batch is written, the next one is scanned on another core.
pub fn add_lines(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: impl BufRead,
    options: &BulkOptions,
    go_on: &mut dyn FnMut(&BulkProgress) -> bool,
) -> Result<BulkReport> {
    ledger.may_write()?;
    let mut report = BulkReport::default();
    report.progress.acknowledged = options.skip_lines;
    // Files that many entries speak of are read once.
    let rules = crate::intake_rules::rules(ledger, site, models, caller)?;
    let mut lines = Lines { input, options, number: 0 };
    let around = crate::repository::repository(site);
    let intake = rules.for_many();
    let names = intake.names;
    let mut read_batch = || {
        let batch = lines.next_batch()?;
        ops::add::prefetch_anchors(&batch.entries, &intake);
        Ok(batch)
    };
    let mut next = read_batch().map(|batch| batch.scan(|inputs| ScannedBatch::now(inputs, names, &around)));
    loop {
        let batch = match next {
            Ok(batch) => batch,
            Err(error) => return stop(ledger, site, models, caller, report, options, error),
        };
        let is_last = batch.is_last;
        // What is wrong with a later line is said after what comes before it is written.
        let following = if is_last { None } else { Some(read_batch()) };
        let (written, following) = std::thread::scope(|scope| {
            let scan = |inputs| ScannedBatch::aside(inputs, names, &around);
            let ahead = following.map(|batch| batch.map(|batch| scope.spawn(move || batch.scan(scan))));
            let written = write_batch(ledger, site, caller, batch, options, &intake, &mut report);
            let join = |scan: std::thread::ScopedJoinHandle<'_, LineBatch<ScannedBatch>>| {
                scan.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            (written, ahead.map(|batch| batch.map(join)))
        });
        if let Err(error) = written {
            return stop(ledger, site, models, caller, report, options, error);
        }
        report.complete = is_last;
        let wanted = go_on(&report.progress);
        match following {
            Some(following) if wanted => next = following,
            Some(_) | None => {
                report.remarks.append(&mut report.notes);
                let mut report = crate::writer::finish(ledger, site, models, caller, report)?;
                tell_pairs_of_lines(ledger, models, &mut report)?;
                return Ok(report);
            }
        }
    }
}

/// Tells which new entries may contradict or repeat others; that comes first.
fn tell_pairs_of_lines(ledger: &mut Ledger, models: &mut ModelsInUse, report: &mut BulkReport) -> Result<()> {
    let mut lines = BTreeMap::new();
    for (line, id) in std::mem::take(&mut report.new) {
        lines.insert(ops::find(&**ledger, &id)?.entry.key, line);
    }
    let keys: Vec<EntryKey> = lines.keys().copied().collect();
    let compared =
        crate::compared::compared(ledger, models, &keys, report.progress.added + report.progress.held)?;
    let told = compared.remarks.into_iter().map(|(key, remark)| format!("{} {remark}", lines[&key]));
    let mut told: Vec<String> = told.chain(compared.later).collect();
    told.append(&mut report.remarks);
    report.remarks = told;
    Ok(())
}

/// Ends with an error that says what is safe and how to go on.
fn stop(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    report: BulkReport,
    options: &BulkOptions,
    error: Error,
) -> Result<BulkReport> {
    let acknowledged = report.progress.acknowledged;
    crate::writer::finish(ledger, site, models, caller, ())?;
    let unit = options.unit.word();
    let told = if acknowledged == 0 {
        "nothing was written".to_owned()
    } else {
        format!("{unit}s 1 to {acknowledged} were added")
    };
    Err(match error {
        Error::Refused(mut refusal) => {
            refusal.message = format!("{}\n{told}", refusal.message);
            let or = if options.atomic { "" } else { "; or skip invalid ones with --keep-going" };
            let resume = if acknowledged == 0 { "" } else { " (--resume skips what was added)" };
            refusal.hint = Some(format!(
                "fix that {unit} and run the same command again{resume}; nothing is added twice{or}"
            ));
            Error::Refused(refusal)
        }
        mut failed => {
            if let Some(failure) = failed.failure_mut() {
                failure.doing = format!("{told}; {}", failure.doing);
            }
            failed
        }
    })
}

fn write_batch(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    batch: LineBatch<ScannedBatch>,
    options: &BulkOptions,
    intake: &Intake<'_>,
    report: &mut BulkReport,
) -> Result<()> {
    let LineBatch { numbers, entries, end, refused, is_last: _ } = batch;
    let (writer, around) = (crate::writer::writer(&site.config, caller), crate::repository::repository(site));
    let answers = entries.add(ledger, &around, intake, &writer, |answers| {
        numbers.iter().zip(answers).try_for_each(|(number, answer)| match answer {
            Ok(answer) if answer.is_rejected() && options.atomic => {
                let refusal = Refusal::new(Code::Rejected, format!("was quarantined: {}", why(answer)))
                    .hint("reword it, or omit --atomic to add the others");
                Err(at_line(options, *number, refusal))
            }
            Err(refusal) if !options.keep_going => Err(at_line(options, *number, refusal.clone())),
            Ok(_) | Err(_) => Ok(()),
        })
    })?;
    let mut refused: Vec<(usize, &Refusal)> =
        refused.iter().map(|(number, refusal)| (*number, refusal)).collect();
    let mut outcomes = Vec::with_capacity(numbers.len());
    for (number, answer) in numbers.iter().zip(&answers) {
        match answer {
            Ok(answer) => {
                let line = format!("{} {number}: {}", options.unit.word(), answer.handle);
                let line_note = |why: &str| format!("{line} {why}");
                if matches!(answer.outcome, Outcome::Added | Outcome::Held)
                    && report.new.len() < EMBEDDED_AT_WRITE_MAX
                {
                    report.new.push((line.clone(), answer.id.clone()));
                }
                if answer.is_rejected() {
                    report.kept_out.push(line_note(why(answer)));
                } else if (answer.outcome == Outcome::Added || answer.is_retired)
                    && !answer.reasons.is_empty()
                {
                    let is_note = !answer.is_doubtful && !answer.is_retired;
                    let lines = if is_note { &mut report.notes } else { &mut report.remarks };
                    lines.push(line_note(&answer.reasons.join("; ")));
                }
                outcomes.push((answer.outcome, answer.is_unchanged));
            }
            Err(refusal) => refused.push((*number, refusal)),
        }
    }
    refused.sort_by_key(|(number, _)| *number);
    refused.into_iter().for_each(|(number, refusal)| refuse(report, options, number, refusal));
    let progress = &mut report.progress;
    for (outcome, is_unchanged) in outcomes {
        *match outcome {
            Outcome::Merged | Outcome::Reinforced if is_unchanged => &mut progress.unchanged,
            Outcome::Added => &mut progress.added,
            Outcome::Held => &mut progress.held,
            Outcome::Rejected => &mut progress.rejected,
            Outcome::Merged => &mut progress.merged,
            Outcome::Reinforced => &mut progress.reinforced,
            Outcome::Restored => &mut progress.restored,
        } += 1;
    }
    report.progress.acknowledged = end.max(report.progress.acknowledged);
    Ok(())
}

/// Why an entry was kept out.
fn why(answer: &AddAnswer) -> &str {
    answer.reasons.first().map(String::as_str).unwrap_or_default()
}

fn refuse(report: &mut BulkReport, options: &BulkOptions, number: usize, refusal: &Refusal) {
    report.progress.refused += 1;
    report.faults.push(format!("{} {number}: {}", options.unit.word(), refusal.message));
}

fn at_line(options: &BulkOptions, number: usize, mut refusal: Refusal) -> Error {
    refusal.message = format!("{} {number}: {}", options.unit.word(), refusal.message);
    Error::Refused(refusal)
}

fn read_object(line: &[u8]) -> std::result::Result<Map<String, Value>, Refusal> {
    let wrong = |why: String| Refusal::new(Code::Invalid, why).field("content");
    if line.len() > LINE_BYTES_MAX {
        return Err(wrong(format!("has {} bytes; at most {LINE_BYTES_MAX} are allowed", line.len())));
    }
    let text = std::str::from_utf8(line).map_err(|_| wrong("is not UTF-8 text".to_owned()))?;
    // The number of the line is said already.
    read_stated(text.trim_end_matches(['\n', '\r'])).map_err(|refusal| Refusal {
        message: refusal.message.replace("invalid JSON at line 1 column", "invalid JSON at column"),
        ..refusal
    })
}

/// What a line says, on top of what is said of all of them.
fn with_base(base: &AddInput, content: Map<String, Value>) -> AddInput {
    let mut whole = base.content.clone();
    whole.extend(content);
    let kind = if whole.contains_key("type") { None } else { base.kind.clone() };
    AddInput { kind, content: whole, ..base.clone() }
}
