//! `friction`, `signals` and `health`: what gets in the way, what signals add up to, and how the whole store stands (FRI-1, DIG-2, HEA-1).

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use ken_core::drift::Limits;
use ken_engine::ops::brief::{Briefing, Insight, Severity};
use ken_engine::ops::friction::{self, ExportFormat, FrictionExport, FrictionInput, FrictionReport};
use ken_engine::ops::health::{self, Clashes, Count, HealthReport, HealthReview, IndexState, Surroundings};
use ken_engine::ops::signals::{self, ClusterView, SignalInput, SignalsAnswer};
use ken_worktree::disk::{Disk, RealDisk};
use serde::Serialize;

use crate::{Access, AddAnswer, Config, Error, Layout, ModelsInUse, Repository, Result, STORE_FOLDER, Site};
use ken_engine::{Caller, Ledger, RecordKind};

/// The folder of the latest report, and its file.
const REPORT: (&str, &str) = (".health", "latest.json");
/// The folder of what should be done, and its file. It is there while a figure is over its limit.
const PROPOSAL: (&str, &str) = (".review", "proposal.json");

/// Records something in the way.
pub fn record_friction(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: FrictionInput,
) -> Result<AddAnswer> {
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        crate::intake_rules::rules(ledger, site, models, caller)?,
    );
    let answer = friction::record(ledger, &around, input, &rules.intake(), &writer)?;
    crate::writer::finish(ledger, site, models, caller, answer)
}

/// Adds up what got in the way in some period (`24h`, `30d`, `all`).
pub fn friction_report(ledger: &Ledger, caller: &Caller, period: &str) -> Result<FrictionReport> {
    let thread = crate::thread::thread_or(ledger, caller, None)?;
    friction::report(&**ledger, period, thread.as_deref(), caller.now())
}

/// Everything that got in the way, written out.
pub fn friction_export(ledger: &Ledger, caller: &Caller, format: ExportFormat) -> Result<FrictionExport> {
    let thread = crate::thread::thread_or(ledger, caller, None)?;
    friction::export(&**ledger, format, thread.as_deref())
}

/// Records an observation worth a line, with what it says about itself.
pub fn note_signal(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    text: &str,
    said: &SignalInput,
) -> Result<AddAnswer> {
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        crate::intake_rules::rules(ledger, site, models, caller)?,
    );
    let answer = signals::note(ledger, &around, text, said, &rules.intake(), &writer)?;
    crate::writer::finish(ledger, site, models, caller, answer)
}

/// Signals that speak of the same thing, with what each cluster lacks to be proposed. Nothing is written.
pub fn signals(ledger: &Ledger, caller: &Caller) -> Result<SignalsAnswer> {
    let thread = crate::thread::thread_or(ledger, caller, None)?;
    signals::signals(&**ledger, thread.as_deref())
}

/// The clusters of signals alone.
pub fn signal_clusters(ledger: &Ledger, caller: &Caller) -> Result<Vec<ClusterView>> {
    Ok(signals(ledger, caller)?.clusters)
}

/// How the store stands, kept in `.health/latest.json`. Where that cannot be written, a notice says so.
pub fn health_report(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
) -> Result<HealthReport> {
    let report = health(ledger, site, models, caller)?;
    keep_generated(ledger, site, REPORT, Some(&report))?;
    Ok(report)
}

/// Which figures are over their limits. While any is, `.review/proposal.json` says what to do.
pub fn health_review(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
) -> Result<HealthReview> {
    let report = health(ledger, site, models, caller)?;
    let review = health::review(&report, &|setting| site.config.number(setting));
    keep_generated(ledger, site, REPORT, Some(&report))?;
    let proposal = Proposal { made_at: review.made_at.to_string(), tripped: review.over().collect() };
    keep_generated(ledger, site, PROPOSAL, Some(&proposal).filter(|proposal| !proposal.tripped.is_empty()))?;
    Ok(review)
}

fn health(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
) -> Result<HealthReport> {
    let thread = crate::thread::thread_or(ledger, caller, None)?;
    let around = (!site.options.global).then(|| crate::repository::repository(site));
    let number = |count: i64| usize::try_from(count).unwrap_or(0);
    let counts = ledger.counts()?.into_iter();
    let counted =
        counts.map(|(memory, kind, status, count)| Count { memory, kind, status, count: number(count) });
    let counted: Vec<Count> = counted.collect();
    let remembered: Option<Clashes> = site.state().value(&RecordKind::Clashes.record());
    let surroundings = Surroundings {
        repository: around.as_ref().map(|around| around as &dyn Repository),
        judged: crate::verdicts::known_verdicts(ledger, site)?,
        clashes: remembered.clone(),
        index: IndexState {
            backlog: vectors_missing(ledger, &site.config, models)?,
            problems: ledger.snapshot().problem_count()?,
            waiting: ledger.snapshot().waiting()?,
        },
        drift: Limits {
            stale_days: i64::try_from(site.config.number("drift.stale_days")).unwrap_or(i64::MAX),
            entries_max: site.config.number("drift.entries_max"),
        },
        debt_limit: u32::try_from(site.config.number("review.limit")).unwrap_or(u32::MAX),
        thread: thread.as_deref(),
        now: caller.now(),
    };
    let report = health::report(&**ledger, counted, &surroundings)?;
    let clashes = &report.contradictions.clashes;
    if remembered.as_ref() != Some(clashes) && ledger.access() == Access::Write {
        // It is found out again where it cannot be kept.
        drop(site.state().set_value(&RecordKind::Clashes.record(), clashes));
    }
    Ok(report)
}

/// How many entries wait for a vector; none where no model is in use. No server is asked.
fn vectors_missing(ledger: &mut Ledger, config: &Config, models: &mut ModelsInUse) -> Result<Option<usize>> {
    match config.get("embedder.kind")?.as_str() {
        "openai" | "ollama" => ledger.backlog().map(Some),
        _ if crate::embedding::embedder(ledger, models).is_err() => Ok(None),
        _ => ledger.backlog().map(Some),
    }
}

/// Writes a file that is made from the store, or takes it away. It is never a source: what goes wrong is a notice.
fn keep_generated<T: Serialize>(
    ledger: &mut Ledger,
    site: &Site,
    (folder, name): (&str, &str),
    content: Option<&T>,
) -> Result<()> {
    if !site.pool().is_in_folder() {
        return Ok(());
    }
    let file = format!("{STORE_FOLDER}/{folder}/{name}");
    if ledger.access() == Access::Read {
        ledger.notice(format!("the store is read-only; {file} was not changed"));
        return Ok(());
    }
    let home = site.layout.store.join(folder);
    let done = match content {
        Some(content) => {
            let text =
                serde_json::to_string_pretty(content).map_err(Error::failed(format!("writing {file}")))?;
            put(&home, name, &format!("{text}\n"))
        }
        None => take_away(&home, name),
    };
    if let Err(error) = done {
        ledger.notice(format!("{file} could not be written: {error}; nothing else depends on it"));
    }
    Ok(())
}

/// Adds a line to a briefing while a review proposal lies there. Nothing of the file is quoted: anybody can write one.
pub(crate) fn with_proposal(layout: &Layout, mut briefing: Briefing) -> Briefing {
    let (folder, name) = PROPOSAL;
    let path = layout.store.join(folder).join(name);
    let lies_there = fs::symlink_metadata(&path).is_ok_and(|looks| looks.is_file());
    if lies_there {
        briefing.insights.push(Insight {
            rule: "health".to_owned(),
            category: "health".to_owned(),
            severity: Severity::Attention,
            text: format!("figures of this store were over their limits: {STORE_FOLDER}/{folder}/{name}"),
            entries: Vec::new(),
            affected: 0,
            action: "ken health review".to_owned(),
            task: None,
        });
        briefing.insights.sort_by_key(|insight| insight.severity);
    }
    briefing
}

/// What should be done.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Proposal<'a> {
    made_at: String,
    tripped: Vec<&'a health::Compared>,
}

/// Writes a file of a folder of the store, whole or not at all. A link leads nowhere: the folder must be one, and a link in it is
/// replaced.
fn put(home: &Path, name: &str, text: &str) -> io::Result<()> {
    match fs::create_dir(home) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => is_folder(home)?,
    }
    // Stores that are older than this folder do not ignore it.
    match OpenOptions::new().write(true).create_new(true).open(home.join(".gitignore")) {
        Ok(mut file) => file.write_all(b"*\n")?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    RealDisk.replace(&home.join(name), text.as_bytes())
}

fn take_away(home: &Path, name: &str) -> io::Result<()> {
    if fs::symlink_metadata(home).is_err() {
        return Ok(());
    }
    is_folder(home)?;
    match fs::remove_file(home.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn is_folder(home: &Path) -> io::Result<()> {
    match fs::symlink_metadata(home)?.is_dir() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::NotADirectory, "its folder does not belong to the store")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Kind, SETTINGS};

    #[test]
    fn hea_1_every_threshold_has_its_setting_with_the_same_default_and_words() {
        for one in health::THRESHOLDS {
            let setting = SETTINGS.iter().find(|setting| setting.key == one.setting).expect(one.setting);
            assert_eq!(setting.default, one.default, "{}", one.setting);
            assert!(setting.about.ends_with(one.about), "{}", one.setting);
            assert!(matches!(setting.kind, Kind::Number(0, most) if most == one.most), "{}", one.setting);
        }
        let known = SETTINGS.iter().filter(|setting| setting.key.starts_with("health.")).count();
        assert_eq!(known, health::THRESHOLDS.len());
    }
}
