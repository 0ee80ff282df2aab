//! A store as a busy team leaves it after five years: entries whose code moved, and what twenty clones recorded of their sessions.
//!
//! Entries are added by `ken`. What happened to them since is written as clones would have: sealed events, appended to ledger files. The same
//! size gives the same store.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use ken_core::event::{Basis, Line, Reanchored, Seal, read_line};
use ken_core::exposed::{Numbers, Times};
use ken_core::run::{Finished, INJECTED, PULLED, RunKind, RunOutcome, Started};
use ken_core::{
    Anchor, Body, Clock, EntryEvent, EntryKey, Event, EventHash, Intent, Millis, ReplicaId, RunEvent, place,
};

use super::corpus::Dice;
use crate::context::Failure;

/// Clones that write.
pub(crate) const CLONES: u8 = 20;
/// Sessions for each two entries.
const SESSIONS_PER_TWO: usize = 5;
/// Entries that one session is shown: by hooks, and by its own questions in several answers.
const INJECTED_EACH: usize = 5;
const ANSWERS_EACH: usize = 4;
const PULLED_EACH: usize = 13;
/// How often the code below an entry moved.
const MOVES_EACH: usize = 2;
/// Five years, and when they began.
const YEARS_MILLIS: i64 = 5 * 365 * 24 * 3_600_000;
const BEGAN: Millis = Millis(1_620_000_000_000);

/// What was written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Aged {
    pub(crate) sessions: usize,
    pub(crate) exposures: usize,
    pub(crate) moves: usize,
}

/// A clone that writes: its name, and its last number.
struct Writer {
    replica: ReplicaId,
    seq: u64,
}

impl Writer {
    fn seal(&mut self, intent: &Intent, at: i64, basis: Basis) -> Event {
        self.seq += 1;
        let clock = Clock::at(Millis(at));
        let actor = "agent:claude-code".to_owned();
        Event::seal(
            intent,
            Seal { replica: self.replica, seq: self.seq, parents: Vec::new(), clock, actor, basis },
        )
    }
}

/// An entry as its ledger file states it.
struct Stated {
    file: PathBuf,
    key: EntryKey,
    hash: EventHash,
    anchor: Option<Anchor>,
}

/// Ages the store of a repository.
pub(crate) fn age(root: &Path) -> Result<Aged, Failure> {
    age_store(&root.join(".kenning")).map_err(|error| Failure::Failed(format!("cannot age a store: {error}")))
}

fn age_store(store: &Path) -> io::Result<Aged> {
    let mut entries = Vec::new();
    find_entries(&store.join("semantic/v1/entities"), &mut entries)?;
    entries.sort_by(|a, b| a.file.cmp(&b.file));
    let mut writers: Vec<Writer> =
        (1..=CLONES).map(|number| Writer { replica: ReplicaId([0xa0 + number; 6]), seq: 0 }).collect();
    let mut dice = Dice(7);
    let mut aged = Aged::default();
    for stated in &entries {
        aged.moves += move_anchor(stated, &mut writers, &mut dice)?;
    }
    let sessions = entries.len() * SESSIONS_PER_TWO / 2;
    let mut files: BTreeMap<String, BufWriter<File>> = BTreeMap::new();
    for number in 0..sessions {
        let begun = BEGAN.0 + YEARS_MILLIS / sessions as i64 * number as i64;
        let writer = &mut writers[number % usize::from(CLONES)];
        let file = place::runs_file(writer.replica, Millis(begun));
        let events = session(number, begun, writer, &entries, &mut dice);
        if !files.contains_key(&file) {
            // Months end.
            if files.len() > 2 * usize::from(CLONES) {
                files.clear();
            }
            let path = store.join(&file);
            fs::create_dir_all(path.parent().unwrap_or(store))?;
            let opened = OpenOptions::new().create(true).append(true).open(path)?;
            files.insert(file.clone(), BufWriter::new(opened));
        }
        let Some(out) = files.get_mut(&file) else { continue };
        for event in events {
            writeln!(out, "{}", event.line())?;
        }
        aged.sessions += 1;
        aged.exposures += INJECTED_EACH + PULLED_EACH;
    }
    files.into_values().try_for_each(|mut file| file.flush())?;
    Ok(aged)
}

fn find_entries(folder: &Path, found: &mut Vec<Stated>) -> io::Result<()> {
    for item in fs::read_dir(folder)? {
        let path = item?.path();
        if path.is_dir() {
            find_entries(&path, found)?;
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let first = text.lines().next().and_then(|line| read_line(line).ok());
        if let Some(Line::Event(event)) = first
            && let (Some(key), Some(Body::Entry(EntryEvent::Added(added)))) = (event.entry, &event.body)
        {
            let anchor = added.fields.pointer("/anchors/0").cloned();
            let anchor = anchor.and_then(|anchor| serde_json::from_value(anchor).ok());
            found.push(Stated { file: path, key, hash: event.hash, anchor });
        }
    }
    Ok(())
}

/// Commits moved the code that an entry speaks of, and somebody's `ken check` followed it.
fn move_anchor(stated: &Stated, writers: &mut [Writer], dice: &mut Dice) -> io::Result<usize> {
    let Some(anchor) = &stated.anchor else { return Ok(0) };
    let mut out = OpenOptions::new().append(true).open(&stated.file)?;
    for number in 0..MOVES_EACH {
        let writer = &mut writers[dice.below(usize::from(CLONES))];
        let moved = Reanchored { from: anchor.at.to_string(), to: anchor.clone() };
        let body = Body::Entry(EntryEvent::Reanchored { anchors: vec![moved] });
        let intent = Intent { entry: Some(stated.key), body };
        let part = YEARS_MILLIS / MOVES_EACH as i64;
        let at = BEGAN.0 + part * number as i64 + (dice.roll() % part as u64) as i64;
        let event = writer.seal(&intent, at, Basis { upon: Some(stated.hash), words: None });
        writeln!(out, "{}", event.line())?;
    }
    Ok(MOVES_EACH)
}

/// A session of an agent, as `ken commit --no-commit` leaves it: how it began, what it was shown, how it ended.
fn session(
    number: usize,
    begun: i64,
    writer: &mut Writer,
    entries: &[Stated],
    dice: &mut Dice,
) -> Vec<Event> {
    let run = format!("claude-code-{:08x}-0000-4000-8000-{:012x}", dice.roll() as u32, number);
    let intent = |body: RunEvent| Intent { entry: None, body: Body::Run(body) };
    let started = Started {
        run: run.clone(),
        kind: if number.is_multiple_of(20) { RunKind::Review } else { RunKind::Session },
        about: "a session of claude-code".to_owned(),
        project: "shop".to_owned(),
        thread: None,
        agents: Vec::new(),
        strategy: None,
        paths: Vec::new(),
    };
    let mut events =
        vec![writer.seal(&intent(RunEvent::Started(Box::new(started))), begun, Basis::default())];
    // Single exposures have numbers, too, which stay in the clone that wrote them.
    let singles = writer.seq + 1..=writer.seq + (ANSWERS_EACH + 2) as u64;
    writer.seq = *singles.end();
    let mut last = begun;
    for (how, count, answers) in [(INJECTED, INJECTED_EACH, 2), (PULLED, PULLED_EACH, ANSWERS_EACH)] {
        let mut times: Vec<Clock> = (0..count)
            .map(|at| Clock::at(Millis(begun + 60_000 * (1 + at * answers / count) as i64)))
            .collect();
        times.sort_unstable();
        last = last.max(times.last().map_or(begun, |clock| clock.millis().0));
        let body = RunEvent::Exposed {
            run: Some(run.clone()),
            agent: None,
            how: how.to_owned(),
            entries: (0..count).map(|_| entries[dice.low(entries.len())].key).collect(),
            times: Times::new(times),
            covers: Numbers::of(singles.clone()),
        };
        events.push(writer.seal(&intent(body), last + 1_000, Basis::default()));
    }
    let is_done = number.is_multiple_of(3);
    let finished = Finished {
        run,
        outcome: if is_done { RunOutcome::Succeeded } else { RunOutcome::Abandoned },
        quality: None,
        used: is_done.then(|| vec![entries[dice.low(entries.len())].key]),
        cost: None,
        rounds: None,
        strategy: None,
        extracted: 0,
        wrong: Vec::new(),
        ended: !is_done,
    };
    events.push(writer.seal(&intent(RunEvent::Finished(Box::new(finished))), last + 2_000, Basis::default()));
    events
}
