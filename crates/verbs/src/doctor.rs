//! `doctor`: what is well and what is not, and what to do about it.

use ken_core::Millis;
use ken_engine::wrong_clock::wrong_clocks;
use ken_engine::{Caller, CloneState, Ledger, RecordKind};
use ken_worktree::git::Git;
use serde::Serialize;
use std::sync::Arc;

use crate::limits::doctor::EVENTS_READ_MAX;
use crate::{Access, Error, Layout, ModelsInUse, Report, Result, Site};

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum State {
    Ok,
    /// Somebody should look at it.
    Warn,
    /// Something does not work.
    Fail,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    /// What was checked.
    pub name: std::borrow::Cow<'static, str>,
    /// How it ended.
    pub state: State,
    /// What was found.
    pub found: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

fn check(name: &'static str, state: State, found: impl Into<String>, hint: Option<&str>) -> Check {
    Check { name: name.into(), state, found: found.into(), hint: hint.map(str::to_owned) }
}

/// `1 event`, `2 events`.
fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// When every line of the ledger was last read here, and how many errors that found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LastVerify {
    at: Millis,
    errors: usize,
}

impl LastVerify {
    fn read(state: &dyn CloneState) -> Option<LastVerify> {
        let text = state.text(&RecordKind::LastVerify.record())?;
        let (at, errors) = text.trim().split_once(' ')?;
        Some(LastVerify { at: Millis(at.parse().ok()?), errors: errors.parse().ok()? })
    }

    /// Where it cannot be kept, nobody is told of it.
    fn keep(self, state: &dyn CloneState) {
        let text = format!("{} {}\n", self.at.0, self.errors);
        drop(state.write(&RecordKind::LastVerify.record(), text.as_bytes()));
    }
}

/// How far a check of the ledger went.
enum Depth {
    /// Every line was read.
    Whole,
    /// The index was asked; with when every line was last read.
    Quick(Option<LastVerify>),
}

/// A ledger file as git would be asked about any of them.
const PROBE: &str = ".kenning/semantic/v1/entities/x.jsonl";

/// Whether meanings can be taken, and how many entries lack theirs.
fn meaning_check(ledger: &mut Ledger, models: &mut ModelsInUse) -> Result<Check> {
    let name = match crate::embedding::embedder(ledger, models) {
        Ok(embedder) => embedder.card().name.clone(),
        Err(why) => {
            return Ok(check("embeddings", State::Warn, format!("keyword search only: {why}"), None));
        }
    };
    let damaged = ledger.vectors().check()?;
    let waiting = crate::embedding::backlog(ledger, models)?;
    Ok(match (damaged, waiting) {
        (0, 0) => check("embeddings", State::Ok, format!("every entry has an embedding by {name}"), None),
        (0, waiting) => {
            let found =
                format!("{} for an embedding by {name}", count(waiting, "entry waits", "entries wait"));
            check(
                "embeddings",
                State::Warn,
                found,
                Some("`ken rebuild --embeddings` computes the missing ones"),
            )
        }
        (damaged, _) => {
            let found = format!("{} damaged", count(damaged, "vector is", "vectors are"));
            check("embeddings", State::Warn, found, Some("`ken rebuild --embeddings` recomputes them"))
        }
    })
}

/// Checks every line; with `fix`, mends what can be mended. Clocks that are wrong are named.
pub fn verify(
    ledger: &mut Ledger,
    state: &Arc<dyn CloneState>,
    caller: &Caller,
    fix: bool,
) -> Result<Report> {
    let mut report = ledger.snapshot_mut().verify(fix)?;
    if ledger.access() == Access::Write {
        LastVerify { at: caller.now(), errors: report.errors.len() }.keep(&**state);
    }
    report.notices.extend(wrong_clocks(&**ledger, caller.now())?);
    Ok(report)
}

/// The same for who waits for an answer: a large ledger is not read again, unless the last look at all of it found something. With
/// when that was.
fn checked_ledger(
    ledger: &mut Ledger,
    state: &Arc<dyn CloneState>,
    caller: &Caller,
) -> Result<(Report, Depth)> {
    let last = LastVerify::read(&**state);
    let is_sound = last.is_none_or(|last| last.errors == 0);
    if !is_sound || ledger.event_count()? <= EVENTS_READ_MAX {
        return Ok((verify(ledger, state, caller, false)?, Depth::Whole));
    }
    let mut report = ledger.snapshot_mut().quick_check()?;
    report.notices.extend(wrong_clocks(&**ledger, caller.now())?);
    Ok((report, Depth::Quick(last)))
}

/// Looks at everything that could keep a store from working.
pub fn doctor(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    checks.push(match (ledger.may_write(), ledger.access()) {
        (Ok(()), _) => check("writing", State::Ok, "the store can be written", None),
        (Err(error), Access::Write) => check("writing", State::Warn, error.to_string(), None),
        (Err(_), Access::Read) => check(
            "writing",
            State::Warn,
            "the store can only be read",
            Some("check KEN_READONLY and the folder's permissions"),
        ),
    });
    for (key, value) in site.config.unconfirmed() {
        let found =
            format!("{key} = {value} in config.toml has no effect: nobody confirmed it in this clone");
        let hint = format!("`ken config {key} {value}` confirms it, `ken config {key} default` removes it");
        checks.push(check("settings", State::Warn, found, Some(&hint)));
    }
    // One look at one moment: a second one may find a ledger that others wrote to.
    let (report, depth) = checked_ledger(ledger, site.state(), caller)?;
    checks.push(match (report.unreadable_lines(), &depth) {
        (0, Depth::Whole) => check("ledger", State::Ok, "every ledger line is readable", None),
        (0, Depth::Quick(_)) => check("ledger", State::Ok, "no ledger line is known to be unreadable", None),
        (n, _) => check(
            "ledger",
            State::Fail,
            format!("{} unreadable", count(n, "line", "lines")),
            Some("`ken verify` lists each with file and line"),
        ),
    });
    checks.push(meaning_check(ledger, models)?);
    checks.push(scanner_check(ledger)?);
    checks.push(match report.errors.len() {
        0 => {
            let found = format!(
                "{}, {}, no errors",
                count(report.events, "event", "events"),
                count(report.entries, "entry", "entries")
            );
            let hint = match depth {
                Depth::Whole => None,
                Depth::Quick(Some(last)) => Some(format!(
                    "quick check; `ken verify` reads every line (last run on {})",
                    last.at.date()
                )),
                Depth::Quick(None) => {
                    Some("quick check; `ken verify` reads every line (not run in this clone yet)".to_owned())
                }
            };
            check("verify", State::Ok, found, hint.as_deref())
        }
        n => check(
            "verify",
            State::Fail,
            format!("{} found", count(n, "error", "errors")),
            Some("`ken verify` lists the errors and how to fix them"),
        ),
    });
    let absent = report
        .notices
        .iter()
        .filter(|notice| matches!(notice.code, "missing_parent" | "not_in_tree"))
        .count();
    if absent > 0 {
        checks.push(check(
            "branch",
            State::Warn,
            format!("{} not in this branch's files", count(absent, "event is", "events are")),
            Some("`ken recover` restores them"),
        ));
    }
    let wrong: Vec<_> = report.notices.iter().filter(|notice| notice.code == "wrong_clock").collect();
    if let Some(first) = wrong.first() {
        let more = match wrong.len() - 1 {
            0 => String::new(),
            n => format!("; {} as well", count(n, "other event is", "other events are")),
        };
        checks.push(check(
            "clocks",
            State::Warn,
            format!("{}{more}", first.message),
            Some("they are ignored for dates; fix the clock of that machine; `ken verify` lists them"),
        ));
    }
    checks.push(match ledger.snapshot().waiting()? {
        0 => check("journal", State::Ok, "the journal has no pending events", None),
        n => check(
            "journal",
            State::Ok,
            format!(
                "{} for `ken commit --no-commit` or the pre-commit hook",
                count(n, "event waits", "events wait")
            ),
            None,
        ),
    });
    match site.layout.git.clone() {
        _ if !site.pool().is_in_folder() => {
            checks.push(check(
                "git",
                State::Ok,
                "the store lies in no folder, and git keeps nothing of it",
                None,
            ));
        }
        None => checks.push(check(
            "git",
            State::Ok,
            "not in a git repository; the journal is in .kenning/.local",
            None,
        )),
        Some(git) => checks.extend(check_git(&site.layout, &git)),
    }
    let actor = caller.actor().to_owned();
    checks.push(match actor.as_str() {
        "human:unknown" => check(
            "actor",
            State::Warn,
            "your identity is unknown: git has no usable user.name and KEN_ACTOR is not set",
            Some("run git config user.name 'Your Name', or set KEN_ACTOR"),
        ),
        _ => check("actor", State::Ok, format!("you are {actor}"), None),
    });
    Ok(checks)
}

/// Whether git ignores the store. Where there is no git, nobody does.
pub fn is_private(layout: &Layout) -> Result<bool> {
    let Some(git) = layout.git.as_ref() else { return Ok(false) };
    let doing = "asking git whether it ignores the store";
    let output = git.run(&["check-ignore", "-q", "--", PROBE]).map_err(Error::failed(doing))?;
    match output.status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(Error::failed(doing)(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

fn check_git(layout: &Layout, git: &Git) -> Vec<Check> {
    let mut checks = Vec::new();
    let merges = git.text(&["check-attr", "merge", "--", PROBE]).unwrap_or_default();
    checks.push(if merges.trim().ends_with("union") {
        check("merging", State::Ok, "git merges ledger files by union", None)
    } else {
        check(
            "merging",
            State::Fail,
            "git does not merge ledger files by union",
            Some("`ken init` restores .kenning/.gitattributes"),
        )
    });
    checks.push(match is_private(layout) {
        Ok(true) => check("sharing", State::Ok, "the store is private: git ignores it", None),
        Ok(false) => check("sharing", State::Ok, "the store is shared: commit it with `ken commit`", None),
        Err(error) => check("sharing", State::Warn, error.to_string(), None),
    });
    let hook = git.text(&["rev-parse", "--git-path", "hooks/pre-commit"]).unwrap_or_default();
    let installed = std::fs::read_to_string(git.work_tree.join(hook.trim()))
        .is_ok_and(|text| ["ken commit --no-commit", "ken flush"].iter().any(|call| text.contains(call)));
    checks.push(if installed {
        check("hook", State::Ok, "the pre-commit hook flushes the journal", None)
    } else {
        check("hook", State::Ok, "no pre-commit hook; `ken init --hooks` installs one", None)
    });
    checks
}

/// Whether the scanner finds what it must, and how much it kept out.
fn scanner_check(store: &Ledger) -> Result<Check> {
    if let Err(axis) = ken_guard::self_test() {
        let found = format!("does not detect the test case for {}", axis.word());
        return Ok(check("scanner", State::Fail, found, Some("reinstall ken")));
    }
    let kept_out: i64 = store
        .counts()?
        .iter()
        .filter(|(_, _, status, _)| status == ken_core::Status::Rejected.word())
        .map(|(.., count)| *count)
        .sum();
    let found = format!("all five detectors work (rules {}); {kept_out} quarantined", ken_guard::SCANNER);
    let hint = (kept_out > 0).then_some("`ken quarantine list` lists them");
    Ok(check("scanner", State::Ok, found, hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_last_verify_found_is_kept_and_nonsense_is_nothing() {
        let state: &dyn CloneState = &ken_engine::MemoryState::default();
        assert_eq!(LastVerify::read(state), None);
        let last = LastVerify { at: Millis(1_700_000_000_000), errors: 3 };
        last.keep(state);
        assert_eq!(LastVerify::read(state), Some(last));
        for nonsense in ["", "1", "1 x", "x 1", "\0\u{fffd} 0", "1 -1"] {
            state.write(&RecordKind::LastVerify.record(), nonsense.as_bytes()).unwrap();
            assert_eq!(LastVerify::read(state), None, "{nonsense:?}");
        }
    }
}
