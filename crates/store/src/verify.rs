//! `verify`: reads every line there is and says what is wrong with it, with file and line; and what is missing, with who has it.

use ken_engine::Erasure;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::mpsc::{SyncSender, sync_channel};

use ken_core::entry::{KeyCheck, is_about_words};
use ken_core::event::Line;
use ken_core::limits::CLOCK_WRONG_MILLIS;
use ken_core::{Body, Clock, EntryEvent, EntryKey, Event, EventHash, Millis, Relation, ReplicaId};
use ken_engine::log::hash_of;

use ken_engine::{
    Access, Arrival, Arrived, Care, Entries, Error, Finding, OpenStore, Problem, ProblemKind, Recovered,
    Report, Result, Stored,
};

use ken_index::{Base, Projected};

use crate::catalogue::{Catalogue, IndexUpdate, Seen};
use crate::disk::Looks;
use crate::git::is_marker;
use crate::index_page;
use crate::journal::{Journal, Position};
use crate::limits::FILES_AHEAD_MAX;
use crate::lines::{FileLines, read_lines};
use crate::store::{Store, events_word, index_error};

/// An event that something in the tree builds on and that the tree does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) hash: EventHash,
    /// Where it can be had; none if nowhere here.
    pub(crate) found: Option<EventHolder>,
}

/// Who has a missing event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EventHolder {
    /// This clone's journal; written on that branch.
    Journal { branch: String },
    /// The history of this branch: a commit took it out of that file.
    Removed { commit: String, file: String, line: String },
    /// A branch, remote branch or commit, with the file and the line.
    Git { name: String, file: String, line: String },
}

/// The file that stands in the clone's folder while bytes are being taken out.
const PURGING: &str = "purging";

/// Events with a wrong clock that are named; of more, it is said how many.
const WRONG_CLOCKS_NAMED_MAX: usize = 50;

/// How often a check begins anew because files that it was about to read were replaced, by git for example.
const SNAPSHOTS_MAX: usize = 5;

/// An index made of the ledger again, and whether it holds what the one that answers does.
struct IndexComparison {
    rebuilt: Catalogue,
    is_same: bool,
}

impl Store {
    /// Brings the index up to one moment of journal and files, and holds it there until `end_read`. What a crash tore is mended first.
    pub(crate) fn hold_still(&mut self) -> Result<()> {
        // What takes long is done while others write; under the lock only what they did meanwhile is left.
        self.catch_up(true)?;
        let held = match self.access() {
            Access::Write => Some(self.lock_tree()?),
            Access::Read => None,
        };
        // A file that cannot be written is no reason not to look: what it lacks is on its way, and said.
        if held.is_some() {
            self.try_to(|store| store.write_out_held(Vec::new()));
        }
        self.catch_up_once(false)?;
        self.settle_index()?;
        self.index().begin_whole_read().map_err(index_error)
    }

    /// Checks the moment that the index is held at; nothing if files of it are no longer there. Every file is read once: what it says is
    /// checked here, while another thread makes an index of it to compare.
    fn check(&self) -> Result<Option<Report>> {
        let mut report = Report::default();
        let Some(journals) = self.journals_as_told()? else { return Ok(None) };
        let files = self.index().files().map_err(index_error)?;
        let mut fresh = Catalogue::unnamed().map_err(index_error)?;
        fresh.set_own(self.index().own().map_err(index_error)?).map_err(index_error)?;
        let reader = self.reader();
        let (sender, receiver) = sync_channel::<FileLines>(FILES_AHEAD_MAX);
        let comparison = std::thread::scope(|scope| -> Result<Option<IndexComparison>> {
            let rebuilding = scope.spawn(move || {
                let files = Some(Box::new(receiver.into_iter()) as Box<dyn Iterator<Item = FileLines>>);
                let news = IndexUpdate { files, journals, ..IndexUpdate::default() };
                fresh.take(news, &reader)?;
                let hashes = fresh.hashes_of_rows()?;
                Ok((fresh, hashes))
            });
            let is_whole = self.check_ledger(files, &sender, &mut report)?;
            drop(sender);
            let known =
                if is_whole { Some(self.index().hashes_of_rows().map_err(index_error)?) } else { None };
            let rebuilt = rebuilding.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let Some(known) = known else { return Ok(None) };
            let (rebuilt, hashes) = rebuilt.map_err(index_error)?;
            Ok(Some(IndexComparison { rebuilt, is_same: known == hashes }))
        })?;
        let Some(comparison) = comparison else { return Ok(None) };
        self.report_differences(&comparison, &mut report)?;
        report.pass = report.errors.is_empty();
        Ok(Some(report))
    }

    /// Checks files, journal and entries, and hands on what was read. Whether every file was still there.
    fn check_ledger(
        &self,
        files: Vec<(String, Seen)>,
        read: &SyncSender<FileLines>,
        report: &mut Report,
    ) -> Result<bool> {
        let mut known: HashMap<EventHash, Vec<EventHash>> = HashMap::new();
        let mut sequences: HashMap<(ReplicaId, u64), EventHash> = HashMap::new();
        let mut pins = Pins::default();
        for file in self.tree().read_back(files) {
            let Ok(file) = file else { return Ok(false) };
            self.check_file(&file, report, &mut known, &mut sequences)?;
            file.lines.iter().for_each(|(line, _, _)| pins.take(line));
            // Whoever takes them in may have failed, and says so when it is joined.
            let _ = read.send(file);
        }
        report.notices.extend(pins.finding());
        report.events = known.len();
        for missing in self.missing(&known)? {
            report.notices.push(missing_finding(&missing));
        }
        self.check_journal(report)?;
        check_entries(&self.projection, report)?;
        Ok(true)
    }

    fn check_file(
        &self,
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
            if matches!(line, Line::Stub(_)) && !self.index().has_purge_of(&hash).map_err(index_error)? {
                report.errors.push(Finding {
                    code: "stub_unexplained",
                    file: Some(file.path.clone()),
                    line: Some(number + 1),
                    message: format!(
                        "{}:{} lost its text, and no purge explains that",
                        file.path,
                        number + 1
                    ),
                    hint: Some(format!(
                        "`git log -p -- .kenning/{}` shows who did it; restore the line from there",
                        file.path
                    )),
                });
            }
            if let Line::Event(event) = line
                && self.index().purge_counts(event).map_err(index_error)?
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

    /// What the tree builds on and does not hold, with everything that in turn builds on.
    pub(crate) fn missing(&self, known: &HashMap<EventHash, Vec<EventHash>>) -> Result<Vec<Missing>> {
        let mut wanted: BTreeSet<EventHash> =
            known.values().flatten().filter(|hash| !known.contains_key(*hash)).copied().collect();
        let mut found: BTreeMap<EventHash, Option<EventHolder>> = BTreeMap::new();
        let mut history: Option<HashMap<EventHash, (String, String, String)>> = None;
        while let Some(hash) = wanted.pop_first() {
            if found.contains_key(&hash) || known.contains_key(&hash) {
                continue;
            }
            let mut parents = Vec::new();
            let mut place = None;
            if let Some((journal, start, length)) = self.index().frame_of(&hash).map_err(index_error)? {
                let records = self.journals()[journal as usize]
                    .read_frame(start, length)
                    .map_err(Error::failed("reading the journal"))?;
                let record = records
                    .iter()
                    .find(|record| record.stated_hash() == Some(hash))
                    .and_then(|record| record.line().ok());
                if let Some(line) = record {
                    parents = parents_of(&line).to_vec();
                    let branch = self.index().branch_of(&hash).map_err(index_error)?.unwrap_or_default();
                    // It is on its way to its file, and everything it builds on is before it.
                    if self.is_pending(journal, start) {
                        continue;
                    }
                    place = Some(EventHolder::Journal { branch });
                }
            }
            if place.is_none() {
                let lines = match &mut history {
                    Some(lines) => lines,
                    None => history.insert(self.lines_elsewhere()?),
                };
                if let Some((name, file, line)) = lines.get(&hash) {
                    parents = ken_core::event::read_line(line)
                        .map(|line| parents_of(&line).to_vec())
                        .unwrap_or_default();
                    place =
                        Some(EventHolder::Git { name: name.clone(), file: file.clone(), line: line.clone() });
                }
            }
            wanted.extend(parents);
            found.insert(hash, place);
        }
        for (hash, place) in self.removed_by_commits() {
            if !known.contains_key(&hash) {
                found.entry(hash).or_insert(Some(place));
            }
        }
        let purged = self.index().purged().map_err(index_error)?;
        found.retain(|hash, _| !purged.contains(hash));
        Ok(found.into_iter().map(|(hash, found)| Missing { hash, found }).collect())
    }

    /// Ledger lines that a commit of this branch took out, a revert for example: merging again does not bring them back (STO-7).
    fn removed_by_commits(&self) -> Vec<(EventHash, EventHolder)> {
        let Some(git) = self.git() else { return Vec::new() };
        let args = [
            "log",
            "-p",
            "-U0",
            "--no-renames",
            "--no-color",
            "--no-ext-diff",
            "--diff-filter=MD",
            "--format=commit %H",
            "HEAD",
            "--",
            crate::STORE_FOLDER,
        ];
        let Ok(text) = git.text(&args) else { return Vec::new() };
        let mut removed = Vec::new();
        let (mut commit, mut file) = (String::new(), String::new());
        for line in text.lines() {
            if let Some(hash) = line.strip_prefix("commit ") {
                commit = hash.chars().take(10).collect();
            } else if let Some(path) = line.strip_prefix("--- a/") {
                file = path.strip_prefix(".kenning/").unwrap_or(path).to_owned();
            } else if let Some(text) = line.strip_prefix("-{")
                && let Ok(Line::Event(event)) = ken_core::event::read_line(&format!("{{{text}"))
            {
                let line = event.line().to_owned();
                let place = EventHolder::Removed { commit: commit.clone(), file: file.clone(), line };
                removed.push((event.hash, place));
            }
        }
        removed
    }

    /// Every ledger line that other branches, stashes or old commits hold: event, then who has it, in which file, and the line.
    fn lines_elsewhere(&self) -> Result<HashMap<EventHash, (String, String, String)>> {
        const COMMITS_MAX: usize = 300;
        let mut lines = HashMap::new();
        let Some(git) = self.git() else { return Ok(lines) };
        let branches = git.branches().map_err(Error::failed("asking git for its branches"))?;
        let commits = git.commits_touching(crate::STORE_FOLDER);
        let commits = commits.map_err(Error::failed("asking git which commits changed the store"))?;
        let mut blobs_seen: HashSet<(String, u64)> = HashSet::new();
        let names = branches.iter().map(|name| (name.as_str(), format!("branch {name}")));
        let names = names.chain(
            commits.iter().map(|hash| (hash.as_str(), format!("commit {}", &hash[..hash.len().min(10)]))),
        );
        for (name, shown) in names.take(COMMITS_MAX) {
            let files = git.files_at(name, crate::STORE_FOLDER);
            for (path, bytes) in files.map_err(Error::failed("reading the store of another commit"))? {
                let Some(path) =
                    path.strip_prefix(".kenning/").filter(|path| path.ends_with(".jsonl")).map(str::to_owned)
                else {
                    continue;
                };
                if !blobs_seen.insert((path.clone(), bytes.len() as u64)) && bytes.is_empty() {
                    continue;
                }
                let looks = crate::disk::Looks {
                    size: bytes.len() as u64,
                    mtime: 0,
                    inode: 0,
                    is_folder: false,
                    is_file: true,
                };
                for (line, _, _) in read_lines(&path, looks, &bytes).lines {
                    if let Line::Event(event) = line {
                        lines
                            .entry(event.hash)
                            .or_insert_with(|| (shown.clone(), path.clone(), event.line().to_owned()));
                    }
                }
            }
        }
        Ok(lines)
    }

    pub(crate) fn check_journal(&self, report: &mut Report) -> Result<()> {
        for journal in self.journals() {
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
        let lost = self.lost_here()?;
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
    fn journals_as_told(&self) -> Result<Option<Vec<(i64, Journal, Position)>>> {
        let mut journals = Vec::new();
        for (number, journal) in self.journals().iter().enumerate() {
            let (end, generation) = self.index().journal_end(number as i64).map_err(index_error)?;
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
    fn report_differences(&self, comparison: &IndexComparison, report: &mut Report) -> Result<()> {
        if comparison.is_same {
            return Ok(());
        }
        let different = self.index().apart_from(&comparison.rebuilt).map_err(index_error)?;
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

    /// Mends what can be mended without losing a word: conflict markers, duplicate lines, torn ends, purged bytes.
    fn mend(&mut self, files: Vec<(String, Looks)>) -> Result<Vec<String>> {
        let _held = self.lock_tree()?;
        let mut fixed = Vec::new();
        for (path, looks) in files {
            let Ok(bytes) = self.disk().read(&self.layout().store.join(&path), 0) else { continue };
            let read = read_lines(&path, looks, &bytes);
            let mut purged = false;
            for (line, _, _) in &read.lines {
                if let Line::Event(event) = line {
                    purged |= self.index().purge_counts(event).map_err(index_error)?;
                }
            }
            let mut seen = HashSet::new();
            let doubled = read.lines.iter().any(|(line, _, _)| !seen.insert(hash_of(line)));
            let mendable = read
                .problems
                .iter()
                .any(|problem| matches!(problem.kind, ProblemKind::Marker | ProblemKind::Torn));
            if !(mendable || doubled || purged) {
                continue;
            }
            let (text, what) = self.mended(&read, &bytes)?;
            if text != bytes {
                self.tree().replace(&path, &text).map_err(Error::failed(format!("mending {path}")))?;
                fixed.push(format!("{path}: {}", what.join(", ")));
            }
        }
        Ok(fixed)
    }

    fn mended(&self, read: &FileLines, bytes: &[u8]) -> Result<(Vec<u8>, Vec<&'static str>)> {
        let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
        let mut what: BTreeSet<&'static str> = BTreeSet::new();
        let mut seen = HashSet::new();
        let problems: HashMap<usize, ProblemKind> =
            read.problems.iter().map(|problem| (problem.line, problem.kind)).collect();
        let ends_in_break = bytes.ends_with(b"\n");
        let count = bytes.split(|byte| *byte == b'\n').count();
        for (at, raw) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if raw.is_empty() && at + 1 == count && ends_in_break {
                continue;
            }
            if is_marker(raw) {
                what.insert("removed conflict markers");
                continue;
            }
            if problems.get(&(at + 1)) == Some(&ProblemKind::Torn) && self.is_torn_copy(raw)? {
                what.insert("removed a torn line that the journal has complete");
                continue;
            }
            let text = std::str::from_utf8(raw)
                .ok()
                .map(|text| text.trim_end_matches('\r').trim_start_matches('\u{feff}'));
            if let Some(line) = text.and_then(|text| ken_core::event::read_line(text).ok()) {
                if !seen.insert(hash_of(&line)) {
                    what.insert("removed duplicate lines");
                    continue;
                }
                if let Line::Event(event) = &line
                    && self.index().purge_counts(event).map_err(index_error)?
                {
                    what.insert("replaced purged lines by stubs");
                    out.extend_from_slice(event.stub().line().as_bytes());
                    out.push(b'\n');
                    continue;
                }
            }
            out.extend_from_slice(raw);
            out.push(b'\n');
        }
        Ok((out, what.into_iter().collect()))
    }

    /// Whether the beginning of a line is the beginning of a line the journal has.
    fn is_torn_copy(&self, raw: &[u8]) -> Result<bool> {
        for journal in self.journals() {
            let (frames, _) = journal
                .read(Position { segment: 1, offset: 0 })
                .map_err(Error::failed("reading the journal"))?;
            if frames
                .iter()
                .flat_map(|frame| &frame.records)
                .any(|record| record.text.as_bytes().starts_with(raw))
            {
                return Ok(true);
            }
        }
        Ok(raw.iter().all(|byte| *byte == 0))
    }
}

/// Says what is wrong with a line of a ledger file, and what to do about it.
pub(crate) fn tell_problem(path: &str, problem: &Problem, report: &mut Report) {
    let hint = match problem.kind {
        ProblemKind::Marker => "`ken verify --fix` removes it".to_owned(),
        ProblemKind::Torn => "`ken verify --fix` completes it if this clone has the whole line".to_owned(),
        ProblemKind::Changed => {
            format!("keep the change: ken adopt .kenning/{path}; drop it: git checkout -- .kenning/{path}")
        }
        ProblemKind::Key => {
            format!("ken did not write this line; `git log -p -- .kenning/{path}` shows who did; delete it")
        }
        ProblemKind::Damaged => format!("keep what it says: ken adopt .kenning/{path}; or delete the line"),
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

/// An entry that supersedes others.
struct Successor {
    id: String,
    is_in_use: bool,
    supersedes: BTreeSet<EntryKey>,
}

impl Successor {
    fn of(stored: &Stored) -> Option<Successor> {
        let links = stored.entry.links.iter().filter(|link| link.relation == Relation::Supersedes);
        let supersedes: BTreeSet<EntryKey> = links.map(|link| link.to).collect();
        let is_in_use = stored.entry.status.is_retrieved();
        (!supersedes.is_empty()).then(|| Successor { id: stored.id.clone(), is_in_use, supersedes })
    }
}

/// Entries that supersede each other, ring by ring.
fn rings(successors: &BTreeMap<EntryKey, Successor>) -> Vec<BTreeSet<EntryKey>> {
    let reached = |from: EntryKey| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(key) = open.pop() {
            let next = successors.get(&key).into_iter().flat_map(|one| &one.supersedes);
            open.extend(next.copied().filter(|key| reached.insert(*key)));
        }
        reached
    };
    let mut rings: Vec<BTreeSet<EntryKey>> = Vec::new();
    for key in successors.keys() {
        let behind = reached(*key);
        if behind.contains(key) && !rings.iter().any(|ring| ring.contains(key)) {
            rings.push(behind.into_iter().filter(|other| reached(*other).contains(key)).collect());
        }
    }
    rings
}

fn ring_finding(ring: &BTreeSet<EntryKey>, successors: &BTreeMap<EntryKey, Successor>) -> Finding {
    let members = || ring.iter().filter_map(|key| successors.get(key).map(|one| (*key, one)));
    let names: Vec<&str> = members().map(|(_, one)| one.id.as_str()).collect();
    let names = names.join(" and ");
    let (message, hint) = match members().find(|(_, one)| one.is_in_use) {
        Some((used, kept)) => {
            let over = |(_, one): &(EntryKey, &Successor)| one.supersedes.contains(&used);
            let other = members().find(over).map_or("ID", |(_, one)| one.id.as_str());
            let message =
                format!("{names} supersede each other; {} is in use, since that was said last", kept.id);
            let hint = format!(
                "if that is right: ken link {other} supersedes {} --remove; otherwise: ken restore {other}",
                kept.id
            );
            (message, hint)
        }
        None => (
            format!("{names} supersede each other, and none of them is in use"),
            "ken restore ID brings back the one that holds".to_owned(),
        ),
    };
    Finding { code: "supersession_ring", file: None, line: None, message, hint: Some(hint) }
}

fn parents_of(line: &Line) -> &[EventHash] {
    match line {
        Line::Event(event) => &event.parents,
        Line::Stub(stub) => &stub.parents,
    }
}

/// The ledger file that states an entry.
fn file_that_says<B: Base>(projection: &Projected<B>, key: EntryKey) -> Result<Option<String>> {
    let mut history = projection.history(key)?.into_iter();
    Ok(history.find(|placed| placed.event.type_name == "entry.added").and_then(|placed| placed.line?.file))
}

/// Schema, provenance, ids and links of every entry.
pub(crate) fn check_entries<B: Base>(projection: &Projected<B>, report: &mut Report) -> Result<()> {
    let index = projection.index();
    for (given, ids) in index.clashes().map_err(index_error)? {
        report.notices.push(Finding {
            code: "id_twice",
            file: None,
            line: None,
            message: format!(
                "{} entries have the id {given}; they are shown as {}",
                ids.len(),
                ids.join(", ")
            ),
            hint: Some("supersede or retract the wrong ones".to_owned()),
        });
    }
    for id in index.purges_asked().map_err(index_error)? {
        report.notices.push(Finding {
            code: "purge_asked",
            file: None,
            line: None,
            message: format!(
                "another clone requested the purge of {id}; it is hidden until a person confirms here"
            ),
            hint: Some(format!(
                "to confirm: ken purge {id}; otherwise remove the request: git log -- .kenning"
            )),
        });
    }
    let every = ken_engine::Query { all: true, overlaid: ken_engine::Overlaid::Any, ..Default::default() };
    let mut successors: BTreeMap<EntryKey, Successor> = BTreeMap::new();
    projection.each(&every, &mut |stored| {
        report.entries += 1;
        let entry = &stored.entry;
        if let Some(successor) = Successor::of(&stored) {
            successors.insert(entry.key, successor);
        }
        let is_in_use = entry.status.is_retrieved()
            && entry.memory() != ken_core::Memory::Episodic
            && !stored.overlay.hides();
        report.in_use += usize::from(is_in_use);
        let Some(kind) = entry.kind.known() else {
            report.notices.push(Finding {
                code: "unknown_type",
                file: None,
                line: None,
                message: format!(
                    "{} is a {}, a type of a newer version; it is kept unchanged",
                    stored.id, entry.kind
                ),
                hint: None,
            });
            return Ok(());
        };
        // What was kept out says nothing here, and that is as it should be (IN-1).
        let says = entry.status != ken_core::Status::Rejected;
        if !says && let Some(file) = file_that_says(projection, entry.key)? {
            report.notices.push(Finding {
                code: "kept_out",
                message: format!("{} is rejected, but its text is in a file that agents may read", stored.id),
                hint: Some(format!(
                    "delete the text with `ken purge {0}`, or a person may `ken release {0}`",
                    stored.id
                )),
                file: Some(file),
                line: None,
            });
        }
        for fault in ken_core::schema::check(kind, &entry.fields).into_iter().filter(|_| says) {
            report.errors.push(Finding {
                code: "schema",
                file: None,
                line: None,
                message: format!("{}: {}: {}", stored.id, fault.field, fault.problem),
                hint: Some(format!("ken revise {} ...", stored.id)),
            });
        }
        for gap in entry.gaps() {
            let missing_provenance = gap == ken_core::Gap::Provenance;
            let finding = Finding {
                code: if missing_provenance { "provenance" } else { "gap" },
                file: None,
                line: None,
                message: match missing_provenance {
                    true => format!("{}: provenance required: it cites no evidence", stored.id),
                    false => format!("{} has no {}", stored.id, gap.word()),
                },
                hint: Some(format!("ken revise {} {} ...", stored.id, gap.flag())),
            };
            report.notices.push(finding);
        }
        for link in &entry.links {
            if index.has_entry(link.to).map_err(index_error)? {
                continue;
            }
            report.notices.push(Finding {
                code: "link",
                file: None,
                line: None,
                message: format!("{} {} {}, which does not exist", stored.id, link.relation, link.to),
                hint: None,
            });
        }
        Ok(())
    })?;
    report.notices.extend(rings(&successors).into_iter().map(|ring| ring_finding(&ring, &successors)));
    Ok(())
}

/// Entries whose trust is of versions that did not name the words it was earned for (COR-18).
#[derive(Default)]
pub(crate) struct Pins {
    unnamed: HashSet<EntryKey>,
    pinned: HashSet<EntryKey>,
}

impl Pins {
    pub(crate) fn take(&mut self, line: &Line) {
        let Line::Event(event) = line else { return };
        let (Some(key), Some(body)) = (event.entry, &event.body) else { return };
        if matches!(body, Body::Entry(EntryEvent::Pinned { .. })) {
            self.pinned.insert(key);
        } else if event.words.is_none() && is_about_words(body) {
            self.unnamed.insert(key);
        }
    }

    pub(crate) fn finding(&self) -> Option<Finding> {
        let count = self.unnamed.difference(&self.pinned).count();
        let entries = if count == 1 { "1 entry has".to_owned() } else { format!("{count} entries have") };
        (count > 0).then(|| Finding {
            code: "words_unnamed",
            file: None,
            line: None,
            message: format!(
                "{entries} confirmations, promotions, proofs or observations that name no words; they count for the words at their date"
            ),
            hint: Some("`ken migrate` pins them to the words shown now; read those first".to_owned()),
        })
    }
}

fn wrong_clock(event: &Event, file: Option<String>, now: Millis) -> Finding {
    let days = (event.clock.millis().0 - now.0) / 86_400_000;
    let who = ken_guard::redact(&event.actor).into_owned();
    Finding {
        code: "wrong_clock",
        file,
        line: None,
        message: format!(
            "event {} ({} by {who}, replica {}) is dated {}, {days} days ahead of this machine's clock",
            event.hash,
            event.type_name,
            event.replica,
            event.clock.millis().date(),
        ),
        hint: Some("the date is kept and still orders events; fix the clock of that machine".to_owned()),
    }
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

impl Store {
    /// Remembers that a purge has begun, so that the next command can finish it.
    pub(crate) fn purging(&self) -> Result<()> {
        self.disk()
            .replace_synced(&self.home().join(PURGING), b"")
            .map_err(Error::failed("beginning a purge; nothing was written"))
    }

    fn purged(&self) -> Result<()> {
        match self.disk().remove(&self.home().join(PURGING)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::failed("ending a purge")(error))
            }
            _ => Ok(()),
        }
    }

    /// Finishes a purge that was stopped in the middle (STO-13).
    pub(crate) fn finish_purge(&mut self) -> Result<()> {
        if self.disk().looks(&self.home().join(PURGING)).is_ok() {
            self.take_out_purged()?;
            self.notice("an interrupted purge was completed".to_owned());
        }
        Ok(())
    }

    /// STO-13: a write replaces purged lines that git brought back by stubs.
    pub(crate) fn stub_what_came_back(&mut self) -> Result<()> {
        let paths = self.index().files_with_purged().map_err(index_error)?;
        let looks = |path: &String| self.disk().looks(&self.layout().store.join(path)).ok();
        let files: Vec<(String, Looks)> =
            paths.into_iter().filter_map(|path| looks(&path).map(|looks| (path, looks))).collect();
        if !files.is_empty() && !self.mend(files)?.is_empty() {
            self.rebuild()?;
        }
        Ok(())
    }
}

impl Store {
    /// Takes the bytes of purged events out, wherever they still are.
    pub(crate) fn erase_purged(&mut self) -> Result<Vec<String>> {
        self.may_write()?;
        let mut gone: HashSet<EventHash> = HashSet::new();
        for line in self.all_lines()? {
            if let Line::Event(event) = line
                && self.index().purge_counts(&event).map_err(index_error)?
                && !matches!(event.body, Some(Body::Entry(EntryEvent::Purged { .. })))
            {
                gone.insert(event.hash);
            }
        }
        if gone.is_empty() {
            self.purged()?;
            return Ok(Vec::new());
        }
        for journal in self.journals() {
            journal
                .purge(&|hash| gone.contains(hash))
                .map_err(Error::failed("removing purged bytes from the journal"))?;
        }
        let fixed = self.mend(self.tree().all_files())?;
        let texts: Vec<String> = gone.iter().map(ToString::to_string).collect();
        self.sweep_temporaries(&|bytes| {
            let said = String::from_utf8_lossy(bytes);
            texts.iter().any(|hash| said.contains(hash))
        });
        self.forget_mark_after_purge()?;
        self.rebuild()?;
        // What was on it may be gone; whoever reads next makes it anew.
        match self.disk().remove(&self.layout().store.join(index_page::NAME)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::failed("removing INDEX.md after a purge")(error));
            }
            _ => {}
        }
        self.purged()?;
        Ok(fixed)
    }

    /// Checks everything; with `fix`, mends what can be mended.
    pub(crate) fn verify_ledger(&mut self, fix: bool) -> Result<Report> {
        let mut fixed = Vec::new();
        if fix {
            self.may_write()?;
            fixed = self.mend(self.tree().all_files())?;
            self.rebuild()?;
        }
        for _ in 0..SNAPSHOTS_MAX {
            self.hold_still()?;
            let checked = self.check();
            self.index().end_read();
            if let Some(report) = checked? {
                return Ok(Report { fixed, ..report });
            }
        }
        // Nothing is said of what changed under every look: it would be as likely wrong as right.
        Err(Error::failed("reading the ledger files")(
            "they kept changing while they were read; retry when git or the editor has finished",
        ))
    }

    /// Puts back what was lost from the files of this branch.
    pub(crate) fn recover_lost(&mut self, all: bool) -> Result<Recovered> {
        self.may_write()?;
        self.catch_up(true)?;
        let mut recovered = Recovered::default();
        let lost: Vec<EventHash> = if all {
            self.index().absent().map_err(index_error)?.into_iter().map(|absent| absent.hash).collect()
        } else {
            self.lost_here()?
        };
        if !lost.is_empty() {
            let count = self.put_back(&lost)?;
            recovered.put_back += count;
            recovered.from.push(format!("{} from the journal", events_word(count)));
        }
        let mut known = HashMap::new();
        for file in self.tree().read_all(self.tree().all_files()) {
            known.extend(file.lines.iter().map(|(line, _, _)| (hash_of(line), parents_of(line).to_vec())));
        }
        let mut from_journal = Vec::new();
        let mut from_git: BTreeMap<String, Vec<Event>> = BTreeMap::new();
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for missing in self.missing(&known)? {
            match missing.found {
                Some(EventHolder::Journal { branch }) => {
                    *names.entry(format!("the journal, written on branch {branch}")).or_default() += 1;
                    from_journal.push(missing.hash);
                }
                Some(EventHolder::Removed { commit, file, line }) => {
                    if let Ok(Line::Event(event)) = ken_core::event::read_line(&line) {
                        *names.entry(format!("before commit {commit}")).or_default() += 1;
                        from_git.entry(file).or_default().push(*event);
                    }
                }
                Some(EventHolder::Git { name, file, line }) => {
                    if let Ok(Line::Event(event)) = ken_core::event::read_line(&line) {
                        *names.entry(name).or_default() += 1;
                        from_git.entry(file).or_default().push(*event);
                    }
                }
                None => recovered.still_missing.push(missing.hash.to_string()),
            }
        }
        if !from_journal.is_empty() {
            recovered.put_back += self.put_back(&from_journal)?;
        }
        let arrived = from_git.into_iter().flat_map(|(file, events)| {
            events
                .into_iter()
                .map(move |event| Arrived { file: file.clone(), line: Line::Event(Box::new(event)) })
        });
        let arrived: Vec<Arrived> = arrived.collect();
        if !arrived.is_empty() {
            recovered.put_back += arrived.len();
            self.receive(arrived, Arrival::Merge)?;
        }
        recovered
            .from
            .extend(names.into_iter().map(|(name, count)| format!("{} from {name}", events_word(count))));
        self.catch_up(true)?;
        Ok(recovered)
    }
}

/// Events that are dated so far ahead of this machine's clock that one of the two is wrong, with who wrote them.
pub(crate) fn wrongly_dated<B: Base>(
    projection: &Projected<B>,
    line: &dyn Fn(&EventHash) -> Result<Option<Line>>,
    now: Millis,
) -> Result<Vec<Finding>> {
    let latest = Clock::end_of(Millis(now.0.saturating_add(CLOCK_WRONG_MILLIS)));
    let (keys, hashes) = projection.index().dated_after(latest).map_err(index_error)?;
    let mut found: BTreeMap<EventHash, Finding> = BTreeMap::new();
    let mut name = |event: &Event, file: Option<String>| {
        if event.clock.is_wrong_at(now) {
            found.entry(event.hash).or_insert_with(|| wrong_clock(event, file, now));
        }
    };
    for key in keys {
        for placed in Entries::history(projection, key)? {
            name(&placed.event, placed.line.and_then(|line| line.file));
        }
    }
    for hash in hashes {
        if let Some(Line::Event(event)) = line(&hash)? {
            name(&event, None);
        }
    }
    let more = found.len().saturating_sub(WRONG_CLOCKS_NAMED_MAX);
    let mut named: Vec<Finding> = found.into_values().take(WRONG_CLOCKS_NAMED_MAX).collect();
    if more > 0 {
        let message = format!("{more} more events are dated ahead of this machine's clock");
        named.push(Finding { code: "wrong_clock", file: None, line: None, message, hint: None });
    }
    Ok(named)
}
