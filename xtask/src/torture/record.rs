//! What all runs of the programme tried together: `docs/internals/reliability.json`.

use std::path::PathBuf;

use ken_core::Millis;
use serde_json::{Map, Value, json};

use super::Figures;
use crate::context::{Context, Failure, Outcome, capture, failed};

/// Where the first run of a part begins: everyday runs have the seeds below.
const FIRST_SEED: u64 = 1_000_000;

/// The parts that were run, by name.
pub(super) struct Record {
    parts: Vec<(String, PartRecord)>,
}

/// What was tried of one part in all runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PartRecord {
    pub(super) tries: u64,
    /// Tries that ever failed.
    pub(super) failures: u64,
    /// Those that still failed in the last run.
    pub(super) open: Vec<String>,
    pub(super) seconds: f64,
    pub(super) next_seed: u64,
    /// The commit and the day of the last run.
    pub(super) commit: String,
    pub(super) date: String,
}

impl Default for PartRecord {
    fn default() -> Self {
        PartRecord {
            tries: 0,
            failures: 0,
            open: Vec::new(),
            seconds: 0.0,
            next_seed: FIRST_SEED,
            commit: String::new(),
            date: String::new(),
        }
    }
}

impl PartRecord {
    /// Adds what a run did. A failure that was open before and did not fail again is mended. Only a run that went on from the recorded seed moves it.
    pub(super) fn take(&mut self, figures: &Figures, commit: &str, goes_on: bool) {
        self.tries += figures.tries;
        self.seconds += figures.seconds;
        let failing: Vec<String> = figures.failures.iter().map(|failure| failure.name.clone()).collect();
        self.failures += failing.iter().filter(|name| !self.open.contains(name)).count() as u64;
        self.open = failing;
        if goes_on {
            self.next_seed = self.next_seed.max(figures.next_seed);
        }
        self.commit = commit.to_owned();
        self.date = today();
    }

    fn read(value: &Value) -> Option<PartRecord> {
        let text = |name: &str| Some(value[name].as_str()?.to_owned());
        let open = value["open"].as_array()?.iter();
        Some(PartRecord {
            tries: value["tries"].as_u64()?,
            failures: value["failures"].as_u64()?,
            open: open.filter_map(|name| Some(name.as_str()?.to_owned())).collect(),
            seconds: value["seconds"].as_f64()?,
            next_seed: value["next_seed"].as_u64()?,
            commit: text("commit")?,
            date: text("date")?,
        })
    }

    fn json(&self) -> Value {
        json!({
            "tries": self.tries, "failures": self.failures, "open": self.open, "seconds": self.seconds.round(),
            "next_seed": self.next_seed, "commit": self.commit, "date": self.date,
        })
    }
}

impl Record {
    pub(super) fn empty() -> Record {
        Record { parts: Vec::new() }
    }

    pub(super) fn read(context: &Context) -> Result<Record, Failure> {
        match std::fs::read_to_string(path(context)) {
            Ok(text) => Record::parse(&text).ok_or_else(|| {
                Failure::Failed(
                    "docs/internals/reliability.json is not what `torture --write` writes".to_owned(),
                )
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Record::empty()),
            Err(error) => failed(format!("cannot read docs/internals/reliability.json: {error}")),
        }
    }

    fn parse(text: &str) -> Option<Record> {
        let read: Map<String, Value> = serde_json::from_str(text).ok()?;
        let part = |(name, value): (&String, &Value)| Some((name.clone(), PartRecord::read(value)?));
        Some(Record { parts: read.iter().map(part).collect::<Option<Vec<_>>>()? })
    }

    fn text(&self) -> String {
        let parts: Map<String, Value> =
            self.parts.iter().map(|(name, part)| (name.clone(), part.json())).collect();
        let text = serde_json::to_string_pretty(&parts).expect("it is JSON");
        format!("{text}\n")
    }

    pub(super) fn write(&self, context: &Context) -> Outcome {
        std::fs::write(path(context), self.text()).map_err(|error| {
            Failure::Failed(format!("cannot write docs/internals/reliability.json: {error}"))
        })
    }

    /// A part, with nothing tried where it is new.
    pub(super) fn part(&mut self, name: &str) -> &mut PartRecord {
        let at = self.parts.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.parts.push((name.to_owned(), PartRecord::default()));
            self.parts.len() - 1
        });
        &mut self.parts[at].1
    }

    pub(super) fn known(&self, name: &str) -> Option<&PartRecord> {
        self.parts.iter().find(|(known, _)| known == name).map(|(_, part)| part)
    }
}

fn path(context: &Context) -> PathBuf {
    context.root.join("docs/internals/reliability.json")
}

/// The newest commit that changed the product, in its short form: later ones, such as that of the page itself, change nothing that was tried.
pub(super) fn commit(context: &Context) -> Result<String, Failure> {
    let product = ["crates/*/src/*", ":!crates/testkit"];
    let newest = ["log", "-1", "--format=%h", "--abbrev=12", "--"];
    let commit = capture(&mut context.program("git", newest.into_iter().chain(product)))?;
    Ok(commit.trim().to_owned())
}

pub(super) fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or_default()).date().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torture::FailedTry;

    fn figures(tries: u64, failing: &[&str]) -> Figures {
        let failures = failing
            .iter()
            .map(|name| FailedTry { name: (*name).to_owned(), message: String::new() })
            .collect();
        Figures { tries, seconds: 2.0, next_seed: FIRST_SEED + tries, failures }
    }

    #[test]
    fn counts_grow_over_runs_and_a_mended_failure_is_no_longer_open() {
        let mut record = Record::empty();
        record.part("kills").take(&figures(100, &["7", "9"]), "aaa", true);
        record.part("kills").take(&figures(50, &["9"]), "bbb", true);
        let part = record.known("kills").unwrap();
        assert_eq!((part.tries, part.failures, part.seconds), (150, 2, 4.0));
        assert_eq!((part.open.as_slice(), part.commit.as_str()), (&["9".to_owned()][..], "bbb"));
        assert_eq!(part.next_seed, FIRST_SEED + 100);
        let again = Record::parse(&record.text()).unwrap();
        assert_eq!(again.known("kills"), Some(part));
    }

    #[test]
    fn a_run_with_a_seed_of_its_own_does_not_move_the_next_one() {
        let mut part = PartRecord::default();
        part.take(&figures(100, &[]), "aaa", false);
        assert_eq!((part.next_seed, part.tries), (FIRST_SEED, 100));
        assert!(Record::parse("{\"kills\": {}}").is_none());
    }
}
