//! `note`, `friction`, `signals` and `health`.

use kenning::core::friction::{OfCause, Tally, Thousandths};
use kenning::core::kinds::Polarity;
use kenning::core::signal::SignalState;
use kenning::table::friction_export::FrictionExportAnswer;
use kenning::table::health_review::HealthReviewRequest;
use kenning::table::note::NoteRequest;
use kenning::table::signals::SignalsPage;
use kenning::table::{self, FrictionRecord, Note, Signals};
use kenning::verb::Content;
use kenning::{AddAnswer, ClusterView, Compared, FrictionReport, HealthReport, HealthReview, Result};

use super::{Session, Shown, add, render};
use crate::output::{bold, count, cut, dim, plain, println, say_more, width, wrap};

impl Shown for Note {
    fn execute(session: &Session, mut request: NoteRequest) -> Result<u8> {
        if request.text == ["-"] {
            let text = Content::standard_input().text("text", &session.options.from)?;
            request.text = vec![text];
        }
        render::<Self>(session, request, Self::say)
    }

    fn say(answer: &AddAnswer) {
        add::say_one(answer);
    }
}

impl Shown for FrictionRecord {
    fn say(answer: &AddAnswer) {
        add::say_one(answer);
    }
}

impl Shown for table::FrictionReport {
    fn say(answer: &FrictionReport) {
        say_friction(answer);
    }
}

impl Shown for table::FrictionExport {
    fn say(answer: &FrictionExportAnswer) {
        match answer {
            FrictionExportAnswer::Text(export) => {
                export.content.lines().for_each(|line| println!("{}", plain(line)));
            }
            FrictionExportAnswer::File(written) => {
                let what = count(written.records, "record", "records");
                println!("wrote {what} to {}", plain(&written.file));
            }
        }
    }
}

impl Shown for Signals {
    fn say(answer: &SignalsPage) {
        say_signals(answer);
    }
}

impl Shown for table::HealthReport {
    fn say(answer: &HealthReport) {
        say_report(answer);
    }
}

impl Shown for table::HealthReview {
    fn execute(session: &Session, request: HealthReviewRequest) -> Result<u8> {
        let all = request.thresholds;
        render::<Self>(session, request, |answer| say_review(answer, all))
    }
}

fn say_friction(answer: &FrictionReport) {
    let (report, period) = (&answer.report, &answer.period);
    let when = if period == "all" { "ever".to_owned() } else { format!("last {period}") };
    println!("{}", bold(&format!("Friction, {when}")));
    if report.total.records == 0 && report.total.before.unwrap_or(0) == 0 {
        let text = "No friction was recorded. Record one: `ken friction record --type tool_error --cause '...' --minutes 10`.";
        println!("{}", wrap(text, 2, width()));
        return;
    }
    println!("  {}", tallied(&report.total));
    println!("{}", bold("By type"));
    for one in &report.types {
        println!("  {:<16} {}", one.kind, tallied(&one.tally));
    }
    println!("{}", bold("By cause"));
    for one in &report.causes {
        println!("  {} {}", cut(&one.cause, width() - 14), dim(&format!("(by {})", one.by.word())));
        println!("    {}", tallied(&one.tally));
        println!("{}", wrap(&named(one), 4, width()));
    }
    if let Some(costliest) = &report.costliest {
        let what = format!("Costliest, by {}", costliest.by);
        println!("{}", bold(&what));
        println!("{}", wrap(&costliest.causes.join("; "), 2, width()));
        println!("{}", wrap(&costliest.told, 2, width()));
    }
}

fn named(one: &OfCause) -> String {
    let types = one.types.join(", ");
    match one.examples.is_empty() {
        true => types,
        false => format!("{types}; such as {}", one.examples.join(", ")),
    }
}

fn tallied(tally: &Tally) -> String {
    let mut parts = vec![count(tally.records, "record", "records")];
    if let (Some(before), Some(trend)) = (tally.before, tally.trend) {
        parts.push(format!("{before} before, {}", trend.word()));
    }
    if tally.timed > 0 {
        parts.push(format!("{} in {} of them", minutes(tally.minutes), tally.timed));
    }
    if tally.priced > 0 {
        parts.push(format!("cost {} in {} of them", tally.cost, tally.priced));
    }
    parts.join(", ")
}

fn minutes(minutes: Thousandths) -> String {
    if minutes == Thousandths(1_000) { "1 minute".to_owned() } else { format!("{minutes} minutes") }
}

fn say_signals(answer: &SignalsPage) {
    let alone = match answer.alone {
        0 => String::new(),
        n => format!("; {n} alone, with no two tags in common with any other"),
    };
    println!("{}{alone}", count(answer.signals, "signal", "signals"));
    answer.clusters.items.iter().for_each(say_cluster);
    say_more(&answer.clusters);
}

fn say_cluster(cluster: &ClusterView) {
    let kind = cluster.kind.as_deref().unwrap_or("signals without a type");
    let side = if cluster.polarity == Polarity::Neutral.word() { "" } else { cluster.polarity };
    let tags = cluster.tags.join(", ");
    println!("\n{} {side} {}", bold(&plain(kind)), plain(&tags));
    let weight = format!(
        "{} of {} ({}): {}",
        cluster.weight,
        cluster.threshold,
        cluster.severity.word(),
        cluster.told
    );
    println!("{}", wrap(&weight, 2, width()));
    for one in &cluster.signals {
        let state = match one.state {
            SignalState::Detected => String::new(),
            state => format!(", {}", state.as_str()),
        };
        let marks = dim(&format!("{}/{}{state}", one.severity.word(), one.confidence.word()));
        println!("  {}  {marks}  {}", plain(&one.id), cut(&one.title, width().saturating_sub(50).max(20)));
    }
    if let Some(proposal) = &cluster.proposal {
        println!("{}", wrap("it can be proposed:", 2, width()));
        println!("  {}", plain(proposal));
    }
}

fn say_report(report: &HealthReport) {
    let row = |name: &str, text: String| {
        println!("{} {}", dim(&format!("{name:<15}")), wrap(&text, 16, width()).trim_start())
    };
    let counts = &report.counts;
    row("entries", format!("{}, {} in use", counts.entries, counts.handed_out));
    let staleness = &report.staleness;
    let days = staleness.days;
    row(
        "norms",
        format!(
            "{}, {} of them not confirmed for {days} days{}",
            staleness.norms,
            staleness.stale,
            some(&staleness.entries)
        ),
    );
    let pairs = report.contradictions.pairs.iter().map(|pair| pair.entries.join(" and "));
    row(
        "contradictions",
        format!(
            "{}{}",
            count(report.contradictions.count, "pair of norms", "pairs of norms"),
            some(&pairs.collect::<Vec<_>>())
        ),
    );
    let drift = &report.drift;
    let orphaned = drift.orphaned.map_or("not checked".to_owned(), |count| count.to_string());
    row(
        "drift",
        format!(
            "{}: {} stale, {} bloated, {} contradictory, orphaned {orphaned}",
            drift.recommendation.word(),
            drift.stale,
            drift.bloated,
            drift.contradictory
        ),
    );
    row(
        "validity",
        match &report.validity {
            Some(validity) => {
                format!(
                    "{} broken, {} drifted in the last check{}",
                    validity.broken,
                    validity.drifted,
                    some(&validity.entries)
                )
            }
            None => "never checked".to_owned(),
        },
    );
    let friction = &report.friction;
    let trend = friction.trend.map(|trend| format!(", {}", trend.word())).unwrap_or_default();
    let took = if friction.timed == 0 {
        String::new()
    } else {
        format!(", {} in {} of them", minutes(friction.minutes), friction.timed)
    };
    let worst = friction.costliest.as_ref().map(|cause| format!("; costliest: {cause}")).unwrap_or_default();
    row(
        "friction",
        format!(
            "{} in {} days, {} before{trend}; {} this week{took}{worst}",
            count(friction.records, "record", "records"),
            friction.days,
            friction.before,
            friction.week
        ),
    );
    let debt = &report.debt;
    let owing = debt.entries.iter().map(|one| format!("{} ({})", one.id, one.debt));
    row(
        "review debt",
        format!(
            "{} at the limit of {}, {} close to it{}",
            debt.over,
            debt.limit,
            debt.near,
            some(&owing.collect::<Vec<_>>())
        ),
    );
    row(
        "gaps",
        format!(
            "{} a part{}",
            count(report.gaps.count, "entry lacks", "entries lack"),
            some(&report.gaps.entries)
        ),
    );
    let index = &report.index;
    let backlog = index.backlog.map_or("none".to_owned(), |count| count.to_string());
    row(
        "index",
        format!(
            "{backlog} without an embedding, {} unreadable, {} only in the journal",
            count(index.problems, "line", "lines"),
            count(index.waiting, "event", "events")
        ),
    );
    report.notes.iter().for_each(|note| row("left out", note.clone()));
}

/// Entries that people are shown of one figure; JSON has more.
const SHOWN: usize = 5;

/// The first few of some names.
fn some(names: &[String]) -> String {
    match names.len() {
        0 => String::new(),
        n if n <= SHOWN => format!(": {}", names.join(", ")),
        _ => format!(": {} ...", names[..SHOWN].join(", ")),
    }
}

fn say_review(review: &HealthReview, all: bool) {
    match review.tripped {
        0 => println!("every metric is within its threshold"),
        n => println!(
            "{} {} threshold",
            count(n, "metric exceeds", "metrics exceed"),
            if n == 1 { "its" } else { "their" }
        ),
    }
    for one in review.thresholds.iter().filter(|one| all || one.tripped) {
        say_compared(one);
    }
}

fn say_compared(one: &Compared) {
    let state = match one.value {
        Some(value) if one.tripped => format!("{value}, over the threshold of {}", one.limit),
        Some(value) => format!("{value}, within the threshold of {}", one.limit),
        None => format!("unknown; the threshold is {}", one.limit),
    };
    println!("{} {state} {}", bold(one.threshold), dim(&format!("({})", one.setting)));
    println!("{}", wrap(one.about, 2, width()));
    let named = &one.entries[..one.entries.len().min(SHOWN)];
    if !named.is_empty() {
        let more = one.entries.len() - named.len() + one.more;
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        println!("{}", wrap(&format!("{}{more}", named.join(", ")), 2, width()));
    }
    one.actions.iter().for_each(|action| println!("  {}", plain(action)));
}
