//! The suite `maintain`: what each service and a briefing cost in a large store, in time and in memory (UPK-5, UPK-8).

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::context::{Failure, capture, failed};
use crate::harness::corpus;
use crate::harness::figure::{Figure, grouped};
use crate::harness::measure::{self, Series, progress};
use crate::harness::memory;
use crate::harness::report::Report;
use crate::harness::session::{Session, text};
use crate::harness::{Suite, Tool};

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/upkeep-quality.md"),
    sizes: [&[10_000], &[10_000, 100_000]],
    needs: &[Tool::Ken, Tool::Probe],
    ..Suite::bench("maintain", run)
};

/// Services with their figures.
const SERVICES: &[(&str, &str)] = &[
    ("maintain.dedup", "dedup"),
    ("maintain.stale_sweep", "stale_sweep"),
    ("maintain.contradiction", "contradiction"),
    ("maintain.cooccurrence", "cooccurrence"),
    ("maintain.distill", "distill"),
    ("maintain.confidence_reset", "confidence_reset"),
];
/// Tasks that used entries together.
const TASKS: usize = 500;

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let mut figures = Vec::new();
    for size in &session.sizes {
        figures.extend(of_size(session, *size)?.into_iter().map(|figure| figure.at(*size)));
    }
    Ok(Report::new(figures)
        .note(format!("each is a process of its own and a dry run; {TASKS} tasks used entries together; vectors point in no particular direction"))
        .note("a briefing is made anew each time: each is of another day"))
}

fn of_size(session: &Session<'_>, entries: usize) -> Result<Vec<Figure>, Failure> {
    progress(&format!("a store of {} entries", grouped(entries as u64)));
    let root = session.scratch.repository(&format!("maintain-{entries}"))?;
    capture(&mut session.ken(&root, &["init"]))?;
    let source = session.write(&format!("maintain-{entries}.jsonl"), lines(entries)?)?;
    session.add_lines(&root, &source, entries)?;
    session.probe().ask(&["synthetic-vectors", &text(&root)])?;
    session.probe().ask(&["used", &text(&root), &TASKS.to_string()])?;
    let mut figures = Vec::new();
    let mut most = 0;
    for (name, service) in SERVICES {
        progress(&format!("`ken maintain {service}`"));
        let words = ["maintain", service, "--dry-run"];
        let (mut times, mut empty) = (Series::default(), Series::default());
        for round in 0..=session.effort.long_rounds() {
            let sample = measure::command(&mut session.ken(&root, &words))?.0;
            let least = measure::command(&mut session.empty(&root)?)?.0;
            if round > 0 {
                times.push(sample);
                empty.push(least);
            }
        }
        most = most.max(memory::anonymous_peak(&mut session.ken(&root, &words))?.unwrap_or(0));
        figures.push(Figure::time(name, &times).floor_time("start of an empty program", &empty));
    }
    figures.push(Figure::new("maintain.memory", most as f64));
    progress("`ken brief`");
    let mut times = Series::default();
    for round in 0..=session.effort.short_rounds() {
        let mut brief = session.ken(&root, &["brief"]);
        brief.env("KEN_NOW", format!("2031-01-{:02}T00:00:00Z", round + 1));
        let sample = measure::command(&mut brief)?.0;
        if round > 0 {
            times.push(sample);
        }
    }
    figures.push(Figure::time("maintain.brief", &times));
    Ok(figures)
}

/// Lessons of the corpus, each with a domain, and a side that it takes.
fn lines(entries: usize) -> Result<String, Failure> {
    let sides = ["positive", "negative", "neutral"];
    let mut lines = String::new();
    for (at, line) in corpus::lines(entries).lines().enumerate() {
        let Ok(mut lesson) = serde_json::from_str::<Value>(line) else {
            return failed(format!("line {at} of the corpus is no JSON"));
        };
        lesson["domains"] = json!([format!("area{}", at % 40)]);
        lesson["polarity"] = sides[at % 3].into();
        let _ = writeln!(lines, "{lesson}");
    }
    Ok(lines)
}
