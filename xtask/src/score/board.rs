//! The last figure of everything, and what changed since the one before.

use serde_json::{Value, json};

use crate::context::{Failure, failed};
use crate::harness::Effort;
use crate::harness::figure::{Better, Figure, Floor, Noise, Spec, Unit};

/// Times that differ by less are the same.
const SECONDS_APART_MIN: f64 = 200e-6;

/// What one suite gave.
#[derive(Clone, Debug, Default)]
pub(super) struct SuiteRun {
    pub(super) suite: String,
    pub(super) command: String,
    pub(super) commit: String,
    pub(super) effort: Effort,
    pub(super) seconds: f64,
    /// The load average of the last minute, before and after.
    pub(super) load: (String, String),
    pub(super) notes: Vec<String>,
    pub(super) skipped: Vec<String>,
    pub(super) failed: Option<String>,
    pub(super) figures: Vec<Figure>,
}

/// A figure with where it comes from, and the one before it.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) suite: String,
    pub(super) figure: Figure,
    pub(super) commit: String,
    pub(super) effort: Effort,
    /// The value that was measured before, and at which commit.
    pub(super) last: Option<(f64, String)>,
}

/// Everything that is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    pub(super) commit: String,
    pub(super) effort: Effort,
    pub(super) machine: Vec<String>,
    /// Without figures: those are below.
    pub(super) runs: Vec<SuiteRun>,
    pub(super) figures: Vec<Known>,
}

/// What became of a figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    Worse {
        key: String,
        from: String,
        to: String,
    },
    Better {
        key: String,
        from: String,
        to: String,
    },
    /// It was measured by the same kind of run before, and is not any more.
    Gone {
        key: String,
    },
}

impl Change {
    pub(super) fn is_worse(&self) -> bool {
        matches!(self, Change::Worse { .. } | Change::Gone { .. })
    }
}

impl Board {
    /// Puts what a suite gave in place of what it gave before.
    pub(super) fn take(&mut self, run: &SuiteRun) {
        let summary = SuiteRun { figures: Vec::new(), ..run.clone() };
        match self.runs.iter_mut().find(|known| known.suite == run.suite) {
            Some(known) => *known = summary,
            None => self.runs.push(summary),
        }
        self.figures.retain(|known| !is_gone(known, run));
        for figure in &run.figures {
            let at = self.figures.iter().position(|known| known.figure.key() == figure.key());
            let last = at.map(|at| (self.figures[at].figure.value, self.figures[at].commit.clone()));
            let known = Known {
                suite: run.suite.clone(),
                figure: figure.clone(),
                commit: run.commit.clone(),
                effort: run.effort,
                last,
            };
            match at {
                Some(at) => self.figures[at] = known,
                None => self.figures.push(known),
            }
        }
    }

    /// What got worse or better than the last time, beyond noise, among what was measured now.
    pub(super) fn changes(&self, last: &Board, runs: &[SuiteRun]) -> Vec<Change> {
        let mut changes = Vec::new();
        for run in runs {
            for figure in &run.figures {
                let before = last.figures.iter().find(|known| known.figure.key() == figure.key());
                changes.extend(before.and_then(|before| change(&before.figure, figure)));
            }
            let gone = last.figures.iter().filter(|known| is_gone(known, run));
            changes.extend(gone.map(|known| Change::Gone { key: known.figure.key() }));
        }
        changes
    }

    pub(super) fn to_json(&self) -> String {
        let runs: Vec<Value> = self
            .runs
            .iter()
            .map(|run| {
                json!({"suite": run.suite, "command": run.command, "commit": run.commit, "effort": word(run.effort),
                       "seconds": (run.seconds * 10.0).round() / 10.0, "load": [run.load.0, run.load.1],
                       "notes": run.notes, "skipped": run.skipped, "failed": run.failed})
            })
            .collect();
        // A line for each figure, so that a difference can be read.
        let figures: Vec<String> =
            self.figures.iter().map(|known| format!("    {}", known.to_json())).collect();
        format!(
            "{{\n  \"commit\": {},\n  \"effort\": {},\n  \"machine\": {},\n  \"runs\": {},\n  \"figures\": [\n{}\n  ]\n}}\n",
            json!(self.commit),
            json!(word(self.effort)),
            json!(self.machine),
            json!(runs),
            figures.join(",\n")
        )
    }

    pub(super) fn from_json(text: &str) -> Result<Board, Failure> {
        let board: Value = match serde_json::from_str(text) {
            Ok(board) => board,
            Err(error) => return failed(format!("the scoreboard cannot be read: {error}")),
        };
        let list = |name: &str| board[name].as_array().cloned().unwrap_or_default();
        Ok(Board {
            commit: string(&board["commit"]),
            effort: effort(&board["effort"]),
            machine: strings(&board["machine"]),
            runs: list("runs")
                .iter()
                .map(|run| SuiteRun {
                    suite: string(&run["suite"]),
                    command: string(&run["command"]),
                    commit: string(&run["commit"]),
                    effort: effort(&run["effort"]),
                    seconds: run["seconds"].as_f64().unwrap_or(0.0),
                    load: (string(&run["load"][0]), string(&run["load"][1])),
                    notes: strings(&run["notes"]),
                    skipped: strings(&run["skipped"]),
                    failed: run["failed"].as_str().map(str::to_owned),
                    figures: Vec::new(),
                })
                .collect(),
            // A figure that the table no longer has is forgotten.
            figures: list("figures").iter().filter_map(Known::from_json).collect(),
        })
    }
}

/// Whether a run that went to its end, of the same kind, no longer has a figure.
fn is_gone(known: &Known, run: &SuiteRun) -> bool {
    known.suite == run.suite
        && known.effort == run.effort
        && run.failed.is_none()
        && run.skipped.is_empty()
        && run.figures.iter().all(|figure| figure.key() != known.figure.key())
}

impl Known {
    fn to_json(&self) -> Value {
        let figure = &self.figure;
        json!({
            "figure": figure.spec.name, "size": figure.size, "value": figure.value, "unit": figure.spec.unit.word(),
            "better": figure.spec.better.word(), "goal": figure.goal(), "met": figure.met(),
            "floor": figure.floor.as_ref().map(|floor| json!({"what": floor.what, "value": floor.value})),
            "ratio": figure.ratio(), "best": figure.best, "cpu": figure.cpu, "spread": figure.spread,
            "note": figure.note, "suite": self.suite, "commit": self.commit, "effort": word(self.effort),
            "last": self.last.as_ref().map(|(value, commit)| json!({"value": value, "commit": commit})),
        })
    }

    fn from_json(known: &Value) -> Option<Known> {
        let spec = Spec::find(known["figure"].as_str()?)?;
        let floor = &known["floor"];
        let last = &known["last"];
        Some(Known {
            suite: string(&known["suite"]),
            figure: Figure {
                spec,
                size: known["size"].as_u64().map(|size| size as usize),
                value: known["value"].as_f64()?,
                best: known["best"].as_f64(),
                cpu: known["cpu"].as_f64(),
                floor: floor["value"].as_f64().map(|value| Floor { what: string(&floor["what"]), value }),
                spread: known["spread"].as_f64(),
                note: string(&known["note"]),
            },
            commit: string(&known["commit"]),
            effort: effort(&known["effort"]),
            last: last["value"].as_f64().map(|value| (value, string(&last["commit"]))),
        })
    }
}

/// Compares two measurements of the same figure; none if they are the same but for noise.
///
/// Machines are busy with other things at times. Where both have a floor, which was measured in the same loop, a value counts as changed
/// only as far as it changed beside its floor, too.
fn change(before: &Figure, now: &Figure) -> Option<Change> {
    let (from, to) =
        (format!("{}{}", before.shown(), beside(before)), format!("{}{}", now.shown(), beside(now)));
    let by = worsening(now.spec, before.value, now.value);
    let by_ratio =
        before.ratio().zip(now.ratio()).map(|(before, now)| (now - before) / before.abs().max(1e-12));
    let (worse, better) = match now.spec.noise() {
        Noise::Absolute(noise) => {
            let apart = match now.spec.better {
                Better::Lower => now.value - before.value,
                Better::Higher => before.value - now.value,
            };
            // What was read from a file may differ in its last digit.
            (apart > noise + 1e-9, apart < -noise - 1e-9)
        }
        Noise::Relative(noise) => {
            let spread = before.spread.unwrap_or(0.0).max(now.spread.unwrap_or(0.0));
            let tolerated = noise + 2.0 * spread;
            let far = now.spec.unit != Unit::Seconds || (now.value - before.value).abs() > SECONDS_APART_MIN;
            let timed = matches!(now.spec.unit, Unit::Seconds | Unit::PerSecond);
            let by_ratio = by_ratio.filter(|_| timed).unwrap_or(by);
            (far && by.min(by_ratio) > tolerated, far && by.max(by_ratio) < -tolerated)
        }
    };
    let key = now.key();
    match (worse, better) {
        (true, _) => Some(Change::Worse { key, from, to }),
        (_, true) => Some(Change::Better { key, from, to }),
        (false, false) => None,
    }
}

fn beside(figure: &Figure) -> String {
    figure.ratio().map(|ratio| format!(" (ratio {ratio:.2})")).unwrap_or_default()
}

/// By which share of itself a cost grew. A rate is compared by the time that one thing takes.
fn worsening(spec: &Spec, before: f64, now: f64) -> f64 {
    let (before, now) = match spec.better {
        Better::Lower => (before, now),
        Better::Higher => (1.0 / before.max(1e-12), 1.0 / now.max(1e-12)),
    };
    (now - before) / before.abs().max(1e-12)
}

fn word(effort: Effort) -> &'static str {
    effort.pick("quick", "full")
}

fn effort(value: &Value) -> Effort {
    if value == "full" { Effort::Full } else { Effort::Quick }
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(figures: Vec<Figure>) -> (Board, SuiteRun) {
        let run = SuiteRun {
            suite: "bench ledger".to_owned(),
            commit: "a".to_owned(),
            figures,
            ..SuiteRun::default()
        };
        let mut board = Board::default();
        board.take(&run);
        (board, run)
    }

    fn compared(before: Figure, now: Figure) -> Vec<Change> {
        let (last, _) = board(vec![before]);
        let (next, run) = board(vec![now]);
        next.changes(&last, &[run])
    }

    fn show(millis: f64) -> Figure {
        Figure::new("ledger.show", millis / 1e3)
    }

    #[test]
    fn a_slower_machine_is_no_slower_program() {
        assert!(compared(show(4.0), show(4.5)).is_empty(), "within noise");
        assert!(matches!(compared(show(4.0), show(8.0))[..], [Change::Worse { .. }]));
        assert!(matches!(compared(show(8.0), show(4.0))[..], [Change::Better { .. }]));
        let floor = |figure: Figure, millis: f64| figure.floor("empty", millis / 1e3);
        assert!(compared(floor(show(4.0), 1.0), floor(show(8.0), 2.0)).is_empty(), "the floor doubled, too");
        assert_eq!(compared(floor(show(4.0), 1.0), floor(show(8.0), 1.0)).len(), 1);
        let spread = Figure { spread: Some(0.5), ..show(8.0) };
        assert!(compared(show(4.0), spread).is_empty(), "its runs lie that far apart");
    }

    #[test]
    fn a_rate_that_falls_is_worse_and_a_quality_has_hardly_any_noise() {
        let rate = |value| Figure::new("ledger.bulk_add", value).at(1_000);
        assert!(compared(rate(8_000.0), rate(4_000.0))[0].is_worse());
        assert!(!compared(rate(4_000.0), rate(8_000.0))[0].is_worse());
        let found = |value| Figure::new("guard.secrets_found", value);
        assert!(compared(found(90.0), found(89.8)).is_empty());
        assert!(compared(found(90.0), found(89.0))[0].is_worse());
        let syncs = |value| Figure::new("ledger.syncs", value);
        assert!(compared(syncs(1.0), syncs(2.0))[0].is_worse());
    }

    #[test]
    fn a_figure_that_is_no_longer_measured_is_told_unless_its_suite_failed() {
        let (last, _) = board(vec![show(4.0)]);
        let (_, mut run) = board(vec![]);
        let mut next = last.clone();
        next.take(&run);
        assert_eq!(next.changes(&last, &[run.clone()]), [Change::Gone { key: "ledger.show".to_owned() }]);
        assert!(next.figures.is_empty());
        run.failed = Some("no disk".to_owned());
        let mut next = last.clone();
        next.take(&run);
        assert!(next.changes(&last, &[run]).is_empty());
        assert_eq!(next.figures.len(), 1, "the last one stays");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let (mut one, run) =
            board(vec![show(4.0).floor("empty", 0.001), Figure::new("ledger.syncs", 1.0).at(1_000)]);
        one.take(&run);
        let text = one.to_json();
        let again = Board::from_json(&text).unwrap();
        assert_eq!(again.to_json(), text);
        assert_eq!(again.figures[0].last.as_ref().map(|(value, _)| *value), Some(0.004));
        assert!(Board::from_json("{").is_err());
    }
}
