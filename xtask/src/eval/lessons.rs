//! The suite `lessons`: whether one lesson among very many is found, by its name, by its words and by its meaning.
//!
//! The texts are generated, so that there can be as many as a busy team writes in years. Their vectors are the model's; it makes them once,
//! for all runs to come.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::context::{Failure, capture, failed};
use crate::dist;
use crate::harness::corpus::{AREAS, Dice, REASONS, RULES};
use crate::harness::figure::{Figure, grouped};
use crate::harness::measure::progress;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::harness::{Suite, Tool};
use crate::page;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/recall-quality.md"),
    sizes: [&[2_000], &[100_000]],
    needs: &[Tool::Ken],
    strict: false,
    ..Suite::evaluation("lessons", run)
};

/// Questions of all kinds together.
const QUESTIONS: usize = 300;

const QUALITIES: [&str; 40] = [
    "atomic",
    "batched",
    "binary",
    "buffered",
    "chunked",
    "cold",
    "compressed",
    "cyclic",
    "deferred",
    "delayed",
    "dense",
    "durable",
    "eager",
    "encrypted",
    "expired",
    "fallback",
    "flat",
    "frozen",
    "global",
    "hashed",
    "hot",
    "idle",
    "inverted",
    "lazy",
    "local",
    "mapped",
    "mirrored",
    "nested",
    "ordered",
    "packed",
    "paged",
    "partial",
    "pinned",
    "pooled",
    "private",
    "remote",
    "rolling",
    "shared",
    "sparse",
    "striped",
];

const THINGS: [&str; 40] = [
    "allocator",
    "archive",
    "backlog",
    "bitmap",
    "broker",
    "bucket",
    "channel",
    "checksum",
    "cluster",
    "column",
    "counter",
    "cursor",
    "digest",
    "envelope",
    "filter",
    "fragment",
    "handle",
    "heap",
    "journal",
    "lease",
    "listener",
    "manifest",
    "mapping",
    "migration",
    "mutex",
    "partition",
    "payload",
    "permit",
    "pipeline",
    "quota",
    "registry",
    "replica",
    "roster",
    "sampler",
    "segment",
    "snapshot",
    "socket",
    "timer",
    "tombstone",
    "tracker",
];

const DEEDS: [&str; 10] =
    ["open", "close", "merge", "split", "drain", "load", "store", "resize", "expire", "rotate"];

/// What went wrong, as the lesson says it and as somebody asks who does not know those words.
const FAULTS: [(&str, &str); 24] = [
    ("loses the last record when the input has no final newline", "drops data at the end of a file"),
    ("keeps its lock during a network call", "makes everybody else wait on a slow request"),
    ("counts cancelled requests as failures", "reports errors when users abort"),
    ("compares two readings of the wall clock", "misbehaves after the time was adjusted"),
    ("serves the old value until a restart", "ignores a changed setting while it is running"),
    ("treats an empty list as a missing one", "confuses nothing found with nothing given"),
    ("overwrites the file in place", "lets readers see a half-written file"),
    ("starts a second run while the first is slow", "does the same job twice at once"),
    ("rounds before adding up", "is a few cents off in the totals"),
    ("relies on the order of a directory listing", "gives different results on another machine"),
    ("forgets the authorization header on a redirect", "is refused after being sent to another address"),
    ("reads from a lagging replica after a write", "does not see what was just saved"),
    ("gives up after one refused connection", "does not try again when the server is briefly away"),
    ("leaks a descriptor on every early return", "runs out of open files after a few days"),
    ("escapes markup twice", "shows ampersand codes to the reader"),
    ("shares one cache entry between tenants", "shows one customer the data of another"),
    ("parses numbers with the system locale", "fails for users with a decimal comma"),
    ("splits a string in the middle of a character", "breaks on accents and emoji"),
    ("retries without any pause", "floods a server that is already struggling"),
    ("trusts the length field of the sender", "can be made to reserve huge amounts of memory"),
    ("logs the whole request body", "writes customer secrets to disk"),
    ("ignores the result of flushing", "says it is saved although the disk was full"),
    ("sorts with an unstable comparison", "swaps equal rows between two pages"),
    ("holds every row in memory", "gets killed on large exports"),
];

/// One lesson: no other has the same part, the same fault and the same area.
struct Lesson {
    area: &'static str,
    part: String,
    fault: (&'static str, &'static str),
    symbol: String,
    text: String,
}

impl Lesson {
    fn number(number: usize) -> Lesson {
        // A prime step visits every combination once before any comes again.
        const STEP: usize = 611_953;
        let all = AREAS.len() * QUALITIES.len() * THINGS.len() * FAULTS.len();
        let mut rest = number.wrapping_mul(STEP) % all;
        let mut pick = |count: usize| {
            let at = rest % count;
            rest /= count;
            at
        };
        let (fault, area) = (FAULTS[pick(FAULTS.len())], AREAS[pick(AREAS.len())]);
        let (quality, thing) = (QUALITIES[pick(QUALITIES.len())], THINGS[pick(THINGS.len())]);
        let mut dice = Dice(number as u64);
        let symbol = format!("{}_{quality}_{thing}_{number}", DEEDS[dice.below(DEEDS.len())]);
        let part = format!("{quality} {thing}");
        let (rule, reason) = (RULES[dice.below(RULES.len())], REASONS[dice.below(REASONS.len())]);
        let text = format!("In {area}, `{symbol}` of the {part} {}. {rule}. {reason}", fault.0);
        Lesson { area, part, fault, symbol, text }
    }

    /// A question that this lesson answers, and its kind.
    fn question(&self, kind: usize) -> (&'static str, String) {
        match kind % 3 {
            0 => ("by name", format!("{} fails after the upgrade", self.symbol)),
            1 => ("by words", format!("{} {} {}", self.area, self.part, self.fault.0)),
            _ => {
                ("by meaning", format!("why is it that the {} in {} {}?", self.part, self.area, self.fault.1))
            }
        }
    }
}

fn texts(size: usize) -> String {
    let mut text = String::with_capacity(size * 400);
    for number in 0..size {
        let row = json!({ "id": number.to_string(), "type": "lesson", "text": Lesson::number(number).text });
        let _ = writeln!(text, "{row}");
    }
    text
}

fn questions(size: usize) -> String {
    let mut dice = Dice(7);
    let mut text = String::new();
    for kind in 0..QUESTIONS {
        let number = dice.below(size);
        let (category, query) = Lesson::number(number).question(kind);
        let row = json!({ "query": query, "relevant": [number.to_string()], "category": category });
        let _ = writeln!(text, "{row}");
    }
    text
}

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let target = dist::target_folder(session.context)?;
    let mut report = Report::new(Vec::new());
    let mut rows = Vec::new();
    for size in &session.sizes {
        progress(&format!("{size} lessons, {QUESTIONS} questions"));
        let lessons = session.write(&format!("lessons-{size}.jsonl"), texts(*size))?;
        let asked = session.write(&format!("questions-{size}.jsonl"), questions(*size))?;
        let words = ["--json", "eval", "retrieval", "--format", "pairs", "--mode", "lexical,hybrid"];
        let mut command = session.ken(&session.scratch.folder, &words);
        command.arg("--vectors").arg(target.join("eval-vectors").join(format!("lessons-{size}")));
        let answer: Value = match serde_json::from_str(&capture(command.args([lessons, asked]))?) {
            Ok(answer) => answer,
            Err(error) => return failed(format!("`ken eval retrieval` did not answer in JSON: {error}")),
        };
        let hybrid = mode(&answer, "hybrid")?;
        let lexical = mode(&answer, "lexical")?;
        let found = |mode: &Value| mode["recall_10"].as_f64().unwrap_or(0.0);
        report.figures.push(
            Figure::new("lessons.hybrid", found(hybrid)).floor("keyword search", found(lexical)).at(*size),
        );
        for (kind, measures) in hybrid["by_category"].as_object().into_iter().flatten() {
            let share = |mode: &Value| format!("{:.3}", found(&mode["by_category"][kind.as_str()]));
            let count = measures["questions"].to_string();
            rows.push([grouped(*size as u64), kind.clone(), count, share(lexical), share(hybrid)]);
        }
    }
    report.tables.push_str("### One lesson among many, by kind of question: R@10\n\n");
    report.tables.push_str(&page::table(["Lessons", "Kind", "Questions", "lexical", "hybrid"], &rows));
    Ok(report)
}

fn mode<'a>(answer: &'a Value, name: &str) -> Result<&'a Value, Failure> {
    let modes = answer["modes"].as_array();
    match modes.into_iter().flatten().find(|mode| mode["mode"] == name) {
        Some(mode) if mode["fallback"].is_string() => {
            failed(format!("meaning took no part: {}", mode["fallback"]))
        }
        Some(mode) => Ok(mode),
        None => failed(format!("`ken eval retrieval` does not tell of the mode {name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_lessons_say_the_same() {
        let all: std::collections::BTreeSet<(String, &str, &str)> = (0..100_000)
            .map(Lesson::number)
            .map(|lesson| (lesson.part, lesson.area, lesson.fault.0))
            .collect();
        assert_eq!(all.len(), 100_000);
    }
}
