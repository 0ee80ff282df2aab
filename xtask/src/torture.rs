//! `cargo xtask torture`: the reliability programme. Every part tries as much as its share of the time allows, and what was tried is counted over all runs.
//!
//! A part is a row of [`parts::PARTS`]. Most are tests of the workspace that take a seed and a time from the environment (`ken_testkit::torture`); the
//! same tests run a few seeds in an everyday `cargo test`.

mod fuzz;
mod mcp;
mod page;
mod parts;
mod record;
mod request;
mod seeded;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use self::parts::Part;
use self::record::Record;
use self::request::Request;
use crate::context::{Context, Failure, Outcome, failed, show};
use crate::dist;

/// Frames of a run with every change.
const SMOKE_FRAMES: usize = 1_000;
/// Characters of a failure that are shown; the repeated try tells the rest.
const SHOWN_CHARS_MAX: usize = 300;

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    let of_frames = |argument: &String| argument.starts_with("--frames") || argument.starts_with("--ken");
    if arguments.first().is_some_and(|first| first == "mcp") && arguments.iter().any(of_frames) {
        return mcp::run(context, &arguments[1..]);
    }
    let request = Request::parse(arguments)?;
    let mut record = Record::read(context)?;
    let bench = Bench::prepare(context, &request.parts)?;
    let end = Instant::now() + request.time;
    let mut failing = Vec::new();
    for (number, part) in request.parts.iter().enumerate() {
        let share = share_of(&request.parts[number..], end.saturating_duration_since(Instant::now()));
        let entry = record.part(part.name);
        let budget = Budget {
            time: share,
            tries_max: part.target,
            first_seed: request.seed.unwrap_or(entry.next_seed),
            again: entry.open.clone(),
        };
        println!("\n== {}: up to {} {}, {:.0} s", part.name, part.target, part.unit, share.as_secs_f64());
        let begun = Instant::now();
        let mut figures = part.run.run(&bench, part, &budget)?;
        figures.seconds = begun.elapsed().as_secs_f64();
        println!("{}", figures.told(part));
        if !figures.failures.is_empty() {
            failing.push(part.name);
        }
        entry.take(&figures, &record::commit(context)?, request.seed.is_none());
        // Kept after every part: a programme that is stopped has still counted.
        if request.write {
            record.write(context)?;
            page::write(context, &record)?;
        }
    }
    if failing.is_empty() { Ok(()) } else { failed(format!("failures in {}", failing.join(", "))) }
}

/// Enough frames to notice a server that cannot stand them, few enough to run with every change.
pub(crate) fn smoke(context: &Context) -> Outcome {
    show(&mut context.cargo(["build", "--quiet", "-p", "ken-cli"]))?;
    let ken = dist::target_folder(context)?.join(format!("debug/ken{}", std::env::consts::EXE_SUFFIX));
    mcp::run(context, &[format!("--frames={SMOKE_FRAMES}"), format!("--ken={}", ken.display())])
}

/// The share of the first of some parts in the time that is left: what one part does not use goes to those behind it.
fn share_of(parts: &[&Part], left: Duration) -> Duration {
    let all: u32 = parts.iter().map(|part| part.share).sum();
    parts.first().map_or(Duration::ZERO, |part| left * part.share / all.max(1))
}

/// What the parts run on: built once, before the time begins.
struct Bench<'a> {
    context: &'a Context,
    /// The release binary.
    ken: PathBuf,
    tests: seeded::Tests,
}

impl Bench<'_> {
    fn prepare<'a>(context: &'a Context, parts: &[&Part]) -> Result<Bench<'a>, Failure> {
        let (ken, tests) = seeded::build(context)?;
        let bench = Bench { context, ken, tests };
        for part in parts {
            part.run.prepare(&bench)?;
        }
        Ok(bench)
    }
}

/// How far one part goes.
struct Budget {
    time: Duration,
    tries_max: u64,
    first_seed: u64,
    /// Seeds that failed in an earlier run; they are tried first.
    again: Vec<String>,
}

/// How a part is run.
trait Run: Sync {
    /// Builds what it needs beyond the release binary and the tests.
    fn prepare(&self, _bench: &Bench<'_>) -> Outcome {
        Ok(())
    }

    /// Tries until the time or the tries are used up. A failed try is a figure; a failure is a part that could not run.
    fn run(&self, bench: &Bench<'_>, part: &Part, budget: &Budget) -> Result<Figures, Failure>;

    /// The command that repeats a failed try.
    fn repeat(&self, failed: &str) -> String;
}

/// What a part did in one run.
#[derive(Debug, Default)]
struct Figures {
    tries: u64,
    seconds: f64,
    next_seed: u64,
    failures: Vec<FailedTry>,
}

/// A try that broke a promise.
#[derive(Debug)]
struct FailedTry {
    /// What names it: its seed, or the file of the input.
    name: String,
    message: String,
}

impl Figures {
    fn told(&self, part: &Part) -> String {
        let mut text = format!(
            "{}: {} {} in {:.0} s, {} failures",
            part.name,
            self.tries,
            part.unit,
            self.seconds,
            self.failures.len()
        );
        for failure in &self.failures {
            let message: String = failure.message.chars().take(SHOWN_CHARS_MAX).collect();
            text.push_str(&format!(
                "\n  {}: {}\n    repeat: {}",
                failure.name,
                message.trim().replace('\n', "\n    "),
                part.run.repeat(&failure.name)
            ));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::parts::PARTS;
    use super::*;

    #[test]
    fn what_a_part_does_not_use_goes_to_those_behind_it() {
        let parts: Vec<&Part> = PARTS.iter().collect();
        let hour = Duration::from_secs(3600);
        let first = share_of(&parts, hour);
        assert!(first < hour / 4, "{first:?}");
        assert!(share_of(&parts[1..], hour) > share_of(&parts[1..], hour - first));
        assert_eq!(share_of(&parts[parts.len() - 1..], hour), hour);
    }

    #[test]
    fn a_failed_try_is_told_with_the_command_that_repeats_it() {
        let failures = vec![FailedTry { name: "17".to_owned(), message: "lost: k.3\nmore".to_owned() }];
        let figures = Figures { tries: 40, seconds: 3.2, next_seed: 57, failures };
        let part = PARTS.iter().find(|part| part.name == "kills").unwrap();
        let told = figures.told(part);
        assert!(told.starts_with("kills: 40 kills in 3 s, 1 failures\n  17: lost: k.3"), "{told}");
        assert!(told.contains("KEN_SEED=17 cargo test --release -p ken-cli --test scenarios"), "{told}");
    }
}
