//! `verify`: reads every line there is and says what is wrong with it, with file and line; and what is missing, with who has it.

use std::collections::HashMap;
use std::sync::mpsc::{SyncSender, sync_channel};

use ken_core::entry::KeyCheck;
use ken_core::event::Line;
use ken_core::{EventHash, ReplicaId};
use ken_engine::{Access, Error, Finding, Problem, ProblemKind, Report, Result};
use ken_index::checking::{Pins, check_entries};
use ken_index::{Projected, index_error};

use crate::base::GitBase;
use crate::catalogue::{Catalogue, IndexUpdate, Seen};
use crate::journal::{Journal, Position};
use crate::limits::FILES_AHEAD_MAX;
use crate::lines::FileLines;
use crate::recover::{self, EventHolder, Missing};
use crate::snapshot::GitSnapshot;
use crate::work::{Look, Work};
use crate::{follow, opening, purge, write_out};

/// How often a check begins anew because files that it was about to read were replaced, by git for example.
const SNAPSHOTS_MAX: usize = 5;

/// An index made of the ledger again, and whether it holds what the one that answers does.
struct IndexComparison {
    rebuilt: Catalogue,
    is_same: bool,
}

/// Brings the index up to one moment of journal and files, and holds it there until `end_read`. What a crash tore is mended first.
pub(crate) fn hold_still(work: &mut Work<'_>) -> Result<()> {
    // What takes long is done while others write; under the lock only what they did meanwhile is left.
    follow::catch_up(work, true)?;
    let held = match work.log.home.access {
        Access::Write => Some(write_out::lock_tree(&work.log.home)?),
        Access::Read => None,
    };
    // A file that cannot be written is no reason not to look: what it lacks is on its way, and said.
    if held.is_some() {
        opening::try_to(work, |work| write_out::write_out_held(work, Vec::new()));
    }
    follow::catch_up_once(work, false)?;
    work.index.settle().map_err(index_error)?;
    work.index.begin_read().map_err(index_error)
}

/// Checks the moment that the index is held at; nothing if files of it are no longer there. Every file is read once: what it says is
/// checked here, while another thread makes an index of it to compare.
fn check(projection: &Projected<GitBase>) -> Result<Option<Report>> {
    let look = projection.look();
    let mut report = Report::default();
    let Some(journals) = journals_as_told(look)? else { return Ok(None) };
    let files = look.index.files().files().map_err(index_error)?;
    let mut fresh = Catalogue::unnamed().map_err(index_error)?;
    fresh.set_own(look.index.own().map_err(index_error)?).map_err(index_error)?;
    let reader = look.log.home.reader();
    let (sender, receiver) = sync_channel::<FileLines>(FILES_AHEAD_MAX);
    let comparison = std::thread::scope(|scope| -> Result<Option<IndexComparison>> {
        let rebuilding = scope.spawn(move || {
            let files = Some(Box::new(receiver.into_iter()) as Box<dyn Iterator<Item = FileLines>>);
            let news = IndexUpdate { files, journals, ..IndexUpdate::default() };
            fresh.take(news, &reader)?;
            let hashes = fresh.hashes_of_rows()?;
            Ok((fresh, hashes))
        });
        let is_whole = check_ledger(projection, files, &sender, &mut report)?;
        drop(sender);
        let known = if is_whole { Some(look.index.hashes_of_rows().map_err(index_error)?) } else { None };
        let rebuilt = rebuilding.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let Some(known) = known else { return Ok(None) };
        let (rebuilt, hashes) = rebuilt.map_err(index_error)?;
        Ok(Some(IndexComparison { rebuilt, is_same: known == hashes }))
    })?;
    let Some(comparison) = comparison else { return Ok(None) };
    report_differences(look, &comparison, &mut report)?;
    report.pass = report.errors.is_empty();
    Ok(Some(report))
}

/// Checks files, journal and entries, and hands on what was read. Whether every file was still there.
fn check_ledger(
    projection: &Projected<GitBase>,
    files: Vec<(String, Seen)>,
    read: &SyncSender<FileLines>,
    report: &mut Report,
) -> Result<bool> {
    let look = projection.look();
    let mut known: HashMap<EventHash, Vec<EventHash>> = HashMap::new();
    let mut sequences: HashMap<(ReplicaId, u64), EventHash> = HashMap::new();
    let mut pins = Pins::default();
    for file in look.log.home.tree.read_back(files) {
        let Ok(file) = file else { return Ok(false) };
        check_file(look, &file, report, &mut known, &mut sequences)?;
        file.lines.iter().for_each(|(line, _, _)| pins.take(line));
        // Whoever takes them in may have failed, and says so when it is joined.
        let _ = read.send(file);
    }
    report.notices.extend(pins.finding());
    report.events = known.len();
    // What this branch lost is told as that, whatever builds on it.
    let lost = write_out::lost_here(look)?;
    let missing = recover::missing(look, &known)?;
    report.notices.extend(missing.iter().filter(|one| !lost.contains(&one.hash)).map(missing_finding));
    check_journal(look, &lost, report)?;
    check_entries(projection, report)?;
    Ok(true)
}

fn check_file(
    look: Look<'_>,
    file: &FileLines,
    report: &mut Report,
    known: &mut HashMap<EventHash, Vec<EventHash>>,
    sequences: &mut HashMap<(ReplicaId, u64), EventHash>,
) -> Result<()> {
    report.files += 1;
    let unread = file.problems.iter().filter(|problem| problem.kind != ProblemKind::Key).count();
    report.lines += file.lines.len() + unread;
    file.problems.iter().for_each(|problem| tell_problem(&file.path, problem, report));
    for (number, (line, _, _)) in file.lines.iter().enumerate() {
        let (hash, parents, replica, seq) = match line {
            Line::Event(event) => (event.hash, &event.parents, event.replica, event.seq),
            Line::Stub(stub) => (stub.hash, &stub.parents, stub.replica, stub.seq),
        };
        if let Line::Event(event) = line
            && event.key_check() == Some(KeyCheck::Exempt)
        {
            report.notices.push(Finding {
                code: "key_unchecked",
                file: Some(file.path.clone()),
                line: Some(number + 1),
                message: format!(
                    "{}:{} states an entry in a form of a newer version; its key cannot be checked",
                    file.path,
                    number + 1
                ),
                hint: Some("update ken to check it".to_owned()),
            });
        }
        known.insert(hash, parents.clone());
        if let Some(other) = sequences.insert((replica, seq), hash).filter(|other| *other != hash) {
            report.errors.push(Finding {
                code: "sequence_twice",
                file: Some(file.path.clone()),
                line: Some(number + 1),
                message: format!("{}: two events of replica {replica} have number {seq}: {hash} and {other}; both are applied", file.path),
                hint: Some("the clone was probably copied; each copy takes its own replica id from now on".to_owned()),
            });
        }
        if matches!(line, Line::Stub(_)) && !look.index.has_purge_of(&hash).map_err(index_error)? {
            report.errors.push(Finding {
                code: "stub_unexplained",
                file: Some(file.path.clone()),
                line: Some(number + 1),
                message: format!("{}:{} lost its text, and no purge explains that", file.path, number + 1),
                hint: Some(format!(
                    "`git log -p -- .kenning/{}` shows who did it; restore the line from there",
                    file.path
                )),
            });
        }
        if let Line::Event(event) = line
            && look.index.purge_counts(event).map_err(index_error)?
        {
            report.errors.push(Finding {
                code: "purged_bytes",
                file: Some(file.path.clone()),
                line: Some(number + 1),
                message: format!("{}:{} still holds the bytes of a purged event", file.path, number + 1),
                hint: Some("`ken verify --fix` replaces the line by a stub".to_owned()),
            });
        }
    }
    Ok(())
}

pub(crate) fn check_journal(look: Look<'_>, lost: &[EventHash], report: &mut Report) -> Result<()> {
    for journal in &look.log.home.journals {
        let damage = journal.each(&mut drop).map_err(Error::failed("reading the journal"))?;
        for damage in damage {
            report.errors.push(Finding {
                code: "journal_damaged",
                file: Some(format!("journal/{:08}.log", damage.at.segment)),
                line: None,
                message: format!(
                    "the journal's segment {} is damaged at byte {}: {}",
                    damage.at.segment, damage.at.offset, damage.problem
                ),
                hint: Some(
                    "events that are also in the ledger files are not affected; commit them".to_owned(),
                ),
            });
        }
    }
    for hash in lost {
        report.notices.push(Finding {
            code: "not_in_tree",
            file: None,
            line: None,
            message: format!("event {hash} was written on this branch and is missing from its ledger files; the journal has it"),
            hint: Some("`ken recover` restores it".to_owned()),
        });
    }
    Ok(())
}

/// The journals, each up to where the index knows it; none if one was changed behind it.
fn journals_as_told(look: Look<'_>) -> Result<Option<Vec<(i64, Journal, Position)>>> {
    let mut journals = Vec::new();
    for (number, journal) in look.log.home.journals.iter().enumerate() {
        let (end, generation) = look.index.journal_end(number as i64).map_err(index_error)?;
        // A purge changes bytes that were read before.
        let is_read = end > Position { segment: 1, offset: 0 };
        if is_read && generation != journal.generation() {
            return Ok(None);
        }
        journals.push((number as i64, journal.clone(), end));
    }
    Ok(Some(journals))
}

/// Invariant 2: the projection that answers is the one a rebuild gives.
fn report_differences(look: Look<'_>, comparison: &IndexComparison, report: &mut Report) -> Result<()> {
    if comparison.is_same {
        return Ok(());
    }
    let different = look.index.apart_from(&comparison.rebuilt).map_err(index_error)?;
    if different > 0 {
        report.errors.push(Finding {
            code: "index",
            file: None,
            line: None,
            message: match different {
                1 => "the index disagrees with the ledger in 1 row".to_owned(),
                many => format!("the index disagrees with the ledger in {many} rows"),
            },
            hint: Some("`ken rebuild` rebuilds it".to_owned()),
        });
    }
    Ok(())
}

/// Checks everything; with `fix`, mends what can be mended.
pub(crate) fn verify_ledger(snapshot: &mut GitSnapshot, fix: bool) -> Result<Report> {
    let mut fixed = Vec::new();
    let mut work = snapshot.projection.work();
    if fix {
        work.log.home.may_write()?;
        let files = work.log.home.tree.all_files();
        fixed = purge::mend(&mut work, files)?;
        opening::rebuild(&mut work)?;
    }
    for _ in 0..SNAPSHOTS_MAX {
        hold_still(&mut snapshot.projection.work())?;
        let checked = check(&snapshot.projection);
        snapshot.projection.catalogue().end_read();
        if let Some(report) = checked? {
            return Ok(Report { fixed, ..report });
        }
    }
    // Nothing is said of what changed under every look: it would be as likely wrong as right.
    Err(Error::failed("reading the ledger files")(
        "they kept changing while they were read; retry when git or the editor has finished",
    ))
}

fn missing_finding(missing: &Missing) -> Finding {
    let hash = missing.hash;
    let (message, hint) = match &missing.found {
        Some(EventHolder::Journal { branch }) if branch.is_empty() => (
            format!("event {hash} is not in the ledger files of this branch; the journal has it"),
            Some("`ken recover` restores it".to_owned()),
        ),
        Some(EventHolder::Journal { branch }) => (
            format!(
                "event {hash} is not in the ledger files of this branch; the journal has it, written on branch {branch}"
            ),
            Some("`ken recover` restores it".to_owned()),
        ),
        Some(EventHolder::Removed { commit, .. }) => (
            format!(
                "event {hash} was removed by commit {commit} of this branch, and a merge does not restore it"
            ),
            Some("`ken recover` restores it; to remove it permanently, retract the entry".to_owned()),
        ),
        Some(EventHolder::Git { name, .. }) => (
            format!("event {hash} is not in the ledger files of this branch; {name} has it"),
            Some("`ken recover` restores it".to_owned()),
        ),
        None => (
            format!("event {hash} is missing from this clone"),
            Some("fetch the branch it was written on, or ask the clone that wrote it".to_owned()),
        ),
    };
    let code = match missing.found {
        Some(EventHolder::Removed { .. }) => "removed_by_commit",
        _ => "missing_parent",
    };
    Finding { code, file: None, line: None, message, hint }
}

/// Says what is wrong with a line of a ledger file, and what to do about it.
pub(crate) fn tell_problem(path: &str, problem: &Problem, report: &mut Report) {
    let hint = match problem.kind {
        ProblemKind::Marker => "`ken verify --fix` removes it".to_owned(),
        ProblemKind::Torn => "`ken verify --fix` completes it if this clone has the whole line".to_owned(),
        ProblemKind::Changed => {
            format!(
                "keep the change: ken recover --adopt .kenning/{path}; drop it: git checkout -- .kenning/{path}"
            )
        }
        ProblemKind::Key => {
            format!("ken did not write this line; `git log -p -- .kenning/{path}` shows who did; delete it")
        }
        ProblemKind::Damaged => {
            format!("keep what it says: ken recover --adopt .kenning/{path}; or delete the line")
        }
    };
    let findings = match problem.kind {
        ProblemKind::Marker => &mut report.notices,
        ProblemKind::Torn | ProblemKind::Changed | ProblemKind::Key | ProblemKind::Damaged => {
            &mut report.errors
        }
    };
    findings.push(Finding {
        code: problem.kind.word(),
        file: Some(path.to_owned()),
        line: Some(problem.line),
        message: format!("{path}:{} {}", problem.line, problem.problem),
        hint: Some(hint),
    });
}
