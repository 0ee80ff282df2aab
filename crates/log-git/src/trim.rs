//! What a commit holds leaves the journal (STO-5), as far as it is about runs: that is the bulk of it, and grows with every day of use.
//!
//! Entries stay: the journal is what makes them visible on every branch (STO-12), and what makes a release count that a person gave here.

use std::collections::HashSet;
use std::path::PathBuf;

use ken_core::event::Line;
use ken_core::exposed::{Exposed, is_summable};
use ken_core::{Body, Clock, EntryKey, Event, EventHash, Millis};
use ken_engine::{Error, Result};
use ken_index::index_error;

use crate::follow;
use crate::home::Home;
use crate::journal::{Moves, Record};
use crate::limits::trim::{AGE_MILLIS_MIN, GROWN_SEGMENTS_MIN, LOOKED_THROUGH_MILLIS_MIN};
use crate::work::{Look, Work};
use crate::write_out::Mark;

/// What was attempted, for who reads an error.
const DOING: &str = "removing committed events from the journal";

/// The folder of runs, as git names it.
const RUNS: &str = ".kenning/episodic/v1/runs";

/// What the last commit says about runs of this clone.
#[derive(Default)]
struct Committed {
    lines: HashSet<EventHash>,
    /// What its summaries say: the run or day, agent, actor and way, with entry and time.
    shown: HashSet<(String, EntryKey, Clock)>,
}

impl Committed {
    fn take(&mut self, event: &Event) {
        self.lines.insert(event.hash);
        if let Some(exposed) = Exposed::read(event).filter(|exposed| exposed.is_summary) {
            let whose = whose(&exposed);
            self.shown.extend(exposed.shown.iter().map(|(key, clock)| (whose.clone(), *key, *clock)));
        }
    }

    /// Whether nothing is lost without an event.
    fn says(&self, event: &Event) -> bool {
        if self.lines.contains(&event.hash) {
            return true;
        }
        let Some(exposed) = Exposed::read(event).filter(|_| is_summable(event)) else { return false };
        let whose = whose(&exposed);
        exposed.shown.iter().all(|(key, clock)| self.shown.contains(&(whose.clone(), *key, *clock)))
    }
}

fn whose(exposed: &Exposed<'_>) -> String {
    [&exposed.place, exposed.agent, exposed.actor, exposed.how].join("\0")
}

/// Looks through the journal when it has grown, and takes out what the last commit holds.
pub(crate) fn trim_journal(work: &mut Work<'_>, now: Millis) -> Result<()> {
    let journal = work.log.home.journals[0].clone();
    let closed = journal.closed_bytes().map_err(Error::failed(DOING))?;
    let path = work.log.home.own.join("journal").join("looked-through");
    let before = work.log.home.disk.read(&path, 0).unwrap_or_default();
    let before = String::from_utf8_lossy(&before).into_owned();
    let mut numbers = before.split_whitespace().filter_map(|word| word.parse::<i64>().ok());
    let (known, at) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let grown = GROWN_SEGMENTS_MIN * journal.segment_bytes();
    // What was too new then, or in no commit, may leave by now.
    let is_due = closed >= grown.saturating_add(known.unsigned_abs())
        || closed >= grown && now.0.saturating_sub(at) > LOOKED_THROUGH_MILLIS_MIN;
    if !is_due {
        return Ok(());
    }
    let freed = trim(work, now)?;
    let left = format!("{} {}", closed.saturating_sub(freed), now.0);
    work.log.home.disk.replace(&path, left.as_bytes()).map_err(Error::failed(DOING))
}

/// Takes out of the journal what the last commit holds, and says how many bytes that were.
fn trim(work: &mut Work<'_>, now: Millis) -> Result<u64> {
    let Some(committed) = committed_runs(work.look())? else { return Ok(0) };
    let recent = recent_runs(&work.log.home, now)?;
    let leaves = |record: &Record| match record.line() {
        Ok(Line::Event(event)) => match &event.body {
            Some(Body::Run(said)) => {
                is_old(event.clock, now)
                    && said.run().is_none_or(|run| !recent.contains(run))
                    && committed.says(&event)
            }
            _ => false,
        },
        Ok(Line::Stub(_)) | Err(_) => false,
    };
    let marks: Vec<PathBuf> = tree_homes(&work.log.home);
    let locks: Vec<_> =
        marks.iter().filter_map(|home| work.log.home.disk.lock(&home.join("tree.lock")).ok()).collect();
    let disk = work.log.home.disk.clone();
    let freed = work.log.home.journals[0].take_out(&leaves, &mut |moves: &Moves| {
        for home in &marks {
            Mark::shift(&*disk, home, moves)?;
        }
        Ok(())
    });
    drop(locks);
    let freed = freed.map_err(Error::failed(DOING))?;
    if freed > 0 {
        follow::catch_up(work, true)?;
        work.index.settle().map_err(index_error)?;
    }
    Ok(freed)
}

/// What the last commit of this branch says about runs; none where there is no commit.
fn committed_runs(look: Look<'_>) -> Result<Option<Committed>> {
    let (Some(git), Some(own)) = (look.log.home.git(), look.log.replica()) else { return Ok(None) };
    let ending = format!(".{own}.jsonl");
    let Ok(files) = git.some_files_at("HEAD", RUNS, &|path| path.ends_with(&ending)) else {
        return Ok(None);
    };
    let mut committed = Committed::default();
    for (_, bytes) in files {
        for line in bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok()) {
            if let Ok(Line::Event(event)) = ken_core::event::read_line(line) {
                committed.take(&event);
            }
        }
    }
    Ok(Some(committed))
}

/// Runs in which something happened of late: who goes on in one must find what it was shown.
fn recent_runs(home: &Home, now: Millis) -> Result<HashSet<String>> {
    let mut recent = HashSet::new();
    let damage = home.journals[0].each(&mut |frame| {
        for record in frame.records.iter().filter(|record| record.text.contains("\"type\":\"run.")) {
            if let Ok(Line::Event(event)) = record.line()
                && let Some(Body::Run(said)) = &event.body
                && let Some(run) = said.run().filter(|_| !is_old(event.clock, now))
            {
                recent.insert(run.to_owned());
            }
        }
    });
    damage.map_err(Error::failed(DOING))?;
    Ok(recent)
}

/// Where each worktree of this clone keeps what is its own.
pub(crate) fn tree_homes(home: &Home) -> Vec<PathBuf> {
    let mut homes = vec![home.tree_home.clone()];
    if let Some(git) = home.git() {
        homes.push(git.common_dir.join("kenning"));
        let worktrees = git.common_dir.join("worktrees");
        let names = home.disk.names(&worktrees).unwrap_or_default();
        homes.extend(names.into_iter().map(|(name, _)| worktrees.join(name).join("kenning")));
    }
    homes.sort_unstable();
    homes.dedup();
    homes.retain(|of| home.disk.looks(&of.join("mark")).is_ok());
    homes
}

fn is_old(clock: Clock, now: Millis) -> bool {
    now.0 - clock.millis().0 > AGE_MILLIS_MIN
}
