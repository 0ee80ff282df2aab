//! `note`, `friction`, `signals` and `health`: what was noticed, what gets in the way, and how the whole store stands.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::request::Request;
use ken_core::cluster::{Confidence, Severity};
use ken_core::kinds::Polarity;
use ken_core::{Code, Refusal, Type};
use ken_engine::ops::add::AddAnswer;
use ken_engine::ops::friction::{self, ExportFormat, FrictionInput};
use ken_engine::ops::health;
use ken_engine::ops::signals::{ClusterView, SignalInput, SignalsAnswer};
use ken_engine::{Error, Listing, Result};
use ken_worktree::disk::{Disk, RealDisk};
use serde::Serialize;

use crate::page::PageRequest;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb, read_word};
use crate::{Reach, read_content};

/// Record an observation without any required fields.
pub struct Note;

/// The sides that a signal can take.
const SIDES: &[&str] = &["positive", "negative"];

/// What `note` takes.
#[derive(Clone, Debug, Request)]
pub struct NoteRequest {
    /// Text of the note
    #[field(required)]
    pub text: Vec<String>,
    /// Tag; `/` nests, as in auth/jwt
    #[field(long)]
    pub tag: Vec<String>,
    /// Kind: deviation, struggle, config_mismatch, good_pattern or your own
    #[field(long, value_name = "TYPE")]
    pub kind: Option<String>,
    /// Severity: critical, notable or minor
    #[field(long, value_name = "WORD", words = Severity::WORDS)]
    pub severity: Option<String>,
    /// Confidence: high, medium or low
    #[field(long, value_name = "WORD", words = Confidence::WORDS)]
    pub confidence: Option<String>,
    /// Polarity: positive or negative
    #[field(long, value_name = "SIDE", words = SIDES)]
    pub polarity: Option<String>,
}

impl Verb for Note {
    const NAME: &'static str = "note";
    const ABOUT: &'static str = "Record an observation without any required fields";
    const EXAMPLE: &'static str = "ken note 'The staging database was slow again.' --tag db";
    const GROUP: Group = Group::WriteDown;
    const NATURE: Nature = Nature::WRITES;
    type Request = NoteRequest;
    type Answer = AddAnswer;

    fn run(call: &mut Call, request: NoteRequest) -> Result<AddAnswer> {
        let NoteRequest { text, tag, kind, severity, confidence, polarity } = request;
        let said = SignalInput {
            tags: tag,
            kind,
            severity: chosen("severity", &severity, Severity::WORDS, Severity::from_word)?,
            confidence: chosen("confidence", &confidence, Confidence::WORDS, Confidence::from_word)?,
            polarity: chosen("polarity", &polarity, SIDES, Polarity::from_word)?,
        };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::health::note_signal(ledger, site, models, caller, text.join(" ").trim(), &said)
    }

    fn rejects(answer: &AddAnswer) -> bool {
        answer.is_rejected()
    }
}

fn chosen<T>(
    field: &str,
    said: &Option<String>,
    words: &[&str],
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>> {
    let known = |word: &str| words.contains(&word).then(|| read(word)).flatten();
    said.as_deref().map(|said| read_word(field, field, said, words, known)).transpose()
}

/// Record a friction event.
pub struct FrictionRecord;

/// What `friction record` takes.
#[derive(Clone, Debug, Request)]
pub struct FrictionRecordRequest {
    /// Type: tool_error, redo or validation_fail
    #[field(long = "type", value_name = "TYPE", words = Type::Friction.subtypes())]
    pub kind: String,
    /// Cause
    #[field(long, value_name = "TEXT")]
    pub cause: Option<String>,
    /// Tool that caused it
    #[field(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// Minutes lost
    #[field(long, value_name = "N", signed)]
    pub minutes: Option<f64>,
    /// Tag; `/` nests, as in auth/jwt
    #[field(long, value_name = "T")]
    pub tag: Vec<String>,
    /// Context as a JSON object; may hold cause, tool, minutes and cost
    #[field(long, value_name = "JSON", default = "{}")]
    pub context: String,
}

impl Verb for FrictionRecord {
    const NAME: &'static str = "friction record";
    const ABOUT: &'static str = "Record a friction event";
    const EXAMPLE: &'static str =
        "ken friction record --type tool_error --tool cargo --cause 'the lock file was stale'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/friction")];
    const GROUP: Group = Group::WriteDown;
    const NATURE: Nature = Nature::WRITES;
    type Request = FrictionRecordRequest;
    type Answer = AddAnswer;

    fn run(call: &mut Call, request: FrictionRecordRequest) -> Result<AddAnswer> {
        let context = read_content(&request.context).map_err(|refusal| {
            let message = refusal.message.replace("the content", "it");
            Refusal::new(Code::Invalid, format!("--context: {message}"))
                .field("context")
                .hint("write an object: --context '{\"command\": \"...\"}'")
        })?;
        let kinds = Type::Friction.subtypes();
        let kind = read_word("type", "kind of friction", &request.kind, kinds, |word| {
            kinds.iter().find(|known| **known == word).copied()
        })?;
        let FrictionRecordRequest { cause, tool, minutes, tag, .. } = request;
        let input = FrictionInput { kind: kind.to_owned(), cause, tool, minutes, tags: tag, context };
        let Reach { ledger, site, models, caller, .. } = call.reach_or_make()?;
        crate::health::record_friction(ledger, site, models, caller, input)
    }

    fn rejects(answer: &AddAnswer) -> bool {
        answer.is_rejected()
    }
}

/// Summarise friction by type and cause, compared with the previous period.
pub struct FrictionReport;

/// What `friction report` takes.
#[derive(Clone, Debug, Request)]
pub struct FrictionReportRequest {
    /// Period: 24h, 30d, 4w or all
    #[field(long, value_name = "PERIOD", default = "30d")]
    pub since: String,
}

impl Verb for FrictionReport {
    const NAME: &'static str = "friction report";
    const ABOUT: &'static str = "Summarise friction by type and cause, compared with the previous period";
    const EXAMPLE: &'static str = "ken friction report --since 30d";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/friction")];
    const GROUP: Group = Group::WriteDown;
    const NATURE: Nature = Nature::READS;
    type Request = FrictionReportRequest;
    type Answer = friction::FrictionReport;

    fn run(call: &mut Call, request: FrictionReportRequest) -> Result<friction::FrictionReport> {
        let Reach { ledger, caller, .. } = call.reach()?;
        crate::health::friction_report(ledger, caller, &request.since)
    }
}

/// Export the friction events.
pub struct FrictionExport;

/// What `friction export` takes.
#[derive(Clone, Debug, Request)]
pub struct FrictionExportRequest {
    /// Format: jsonl or csv
    #[field(long, default = "jsonl", words = ExportFormat::WORDS)]
    pub format: String,
    /// File to write (default: standard output)
    #[field(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing file
    #[field(long, requires("out"))]
    pub force: bool,
}

/// What `friction export` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum FrictionExportAnswer {
    /// The records themselves.
    Text(friction::FrictionExport),
    /// They are in a file.
    File(FrictionFile),
}

/// A file that the friction ledger was written to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrictionFile {
    /// The file, as it was named.
    pub file: String,
    /// How it is written.
    pub format: ExportFormat,
    /// How many records it holds.
    pub records: usize,
}

impl Verb for FrictionExport {
    const NAME: &'static str = "friction export";
    const ABOUT: &'static str = "Export the friction events";
    const EXAMPLE: &'static str = "ken friction export --format csv --out friction.csv";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/friction/export")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::WriteDown;
    const NATURE: Nature = Nature::WRITES;
    const AT_TERMINAL: &'static [&'static str] = &["out", "force"];
    type Request = FrictionExportRequest;
    type Answer = FrictionExportAnswer;

    fn run(call: &mut Call, request: FrictionExportRequest) -> Result<FrictionExportAnswer> {
        let format =
            read_word("format", "format", &request.format, ExportFormat::WORDS, ExportFormat::from_word)?;
        let Reach { ledger, caller, .. } = call.reach()?;
        let export = crate::health::friction_export(ledger, caller, format)?;
        let Some(file) = &request.out else { return Ok(FrictionExportAnswer::Text(export)) };
        write_out(&call.options().from, file, &export.content, request.force)?;
        let friction::FrictionExport { format, records, .. } = export;
        let file = file.display().to_string();
        Ok(FrictionExportAnswer::File(FrictionFile { file, format, records }))
    }
}

/// Writes a file that a person named: a new one, or in place of the one that is there if that was said. A link is replaced, not followed.
fn write_out(from: &Path, named: &Path, text: &str, force: bool) -> Result<()> {
    let (file, shown) = (from.join(named), named.display());
    let doing = format!("writing {shown}");
    let created = OpenOptions::new().write(true).create_new(true).open(&file);
    match created.and_then(|mut file| file.write_all(text.as_bytes())) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !force => {
            Err(Refusal::new(Code::NotAllowed, format!("{shown} already exists and was not changed"))
                .hint("choose another file, or overwrite it with --force")
                .field("out")
                .into())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            RealDisk.replace(&file, text.as_bytes()).map_err(Error::failed(doing))
        }
        done => done.map_err(Error::failed(doing)),
    }
}

/// Show groups of similar signals and what each needs before it is proposed.
pub struct Signals;

impl Verb for Signals {
    const NAME: &'static str = "digest list --signals";
    const FORMER: &'static [&'static str] = &["signals"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Show groups of similar signals and what each needs before it is proposed";
    const EXAMPLE: &'static str = "ken digest list --signals";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/health/signals")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::READS;
    type Request = SignalsRequest;
    type Answer = SignalsPage;

    fn run(call: &mut Call, request: SignalsRequest) -> Result<SignalsPage> {
        let Reach { ledger, caller, .. } = call.reach()?;
        let SignalsAnswer { signals, alone, clusters } = crate::health::signals(ledger, caller)?;
        // No signal is in two clusters.
        let first = |cluster: &ClusterView| cluster.signals.first().map(|signal| signal.id.clone());
        let clusters = request.page.of(clusters, |cluster| first(cluster).unwrap_or_default())?;
        Ok(SignalsPage { signals, alone, clusters })
    }
}

/// What `digest list --signals` takes.
#[derive(Clone, Debug, Request)]
pub struct SignalsRequest {
    /// Which of them.
    #[field(flatten)]
    pub page: PageRequest,
}

/// What `digest list --signals` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalsPage {
    /// How many signals there are.
    pub signals: usize,
    /// How many of them are alone and weigh too little by themselves.
    pub alone: usize,
    /// The others: what qualifies first, then by how little it lacks.
    #[serde(flatten)]
    pub clusters: Listing<ClusterView>,
}

/// Report the health of the store and save it to .kenning/.health/latest.json.
pub struct HealthReport;

impl Verb for HealthReport {
    const NAME: &'static str = "health report";
    const ABOUT: &'static str = "Report the health of the store and save it to .kenning/.health/latest.json";
    const EXAMPLE: &'static str = "ken health report";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/health")];
    const GROUP: Group = Group::KeepTrue;
    const NATURE: Nature = Nature::WRITES;
    type Request = ();
    type Answer = health::HealthReport;

    fn run(call: &mut Call, (): ()) -> Result<health::HealthReport> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::health::health_report(ledger, site, models, caller)
    }

    // The file that it keeps is made from the store: making it twice is making it once.
    fn only_reads((): &()) -> bool {
        true
    }
}

/// Say what is over its limit, and keep what to do in .kenning/.review/proposal.json.
pub struct HealthReview;

/// What `health review` takes.
#[derive(Clone, Debug, Request)]
pub struct HealthReviewRequest {
    /// Show every threshold, including those that are met
    #[field(long)]
    pub thresholds: bool,
}

impl Verb for HealthReview {
    const NAME: &'static str = "health review";
    const ABOUT: &'static str =
        "List exceeded thresholds and what to do about them; exit code 1 if there are any";
    const EXAMPLE: &'static str = "ken health review --thresholds";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/health/review")];
    const GROUP: Group = Group::KeepTrue;
    const NATURE: Nature = Nature::WRITES;
    type Request = HealthReviewRequest;
    type Answer = health::HealthReview;

    fn run(call: &mut Call, _: HealthReviewRequest) -> Result<health::HealthReview> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::health::health_review(ledger, site, models, caller)
    }

    // The files that it keeps are made from the store: making them twice is making them once.
    fn only_reads(_: &HealthReviewRequest) -> bool {
        true
    }

    fn finds(review: &health::HealthReview) -> bool {
        review.tripped > 0
    }
}
