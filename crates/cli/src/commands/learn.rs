//! The verbs that learn: `task`, `review`, `confirm`, `feedback`, `thread`, `belief`, `outcomes`, `reset`.

use kenning::core::run::{Agent, RunKind, RunOutcome};
use kenning::core::{Code, Confirmation, Refusal};
use kenning::{BeliefAnswer, ChangeAnswer, FinishInput, Result, ReviewSubject, RunLine};
use serde_json::json;

use super::{Session, read_bounded, word};
use crate::args::{
    ConfirmArgs, FeedbackArgs, NameArgs, OutcomesArgs, QueueArgs, ReasonArgs, ReviewArgs, ReviewReportArgs,
    ReviewStartArgs, ReviewVerb, RunNameArgs, TaskArgs, TaskFinishArgs, TaskStartArgs, TaskVerb, ThreadArgs,
    ThreadVerb,
};
use crate::chart::{self, Believed, Strokes};
use crate::output::{bold, count, exit, println, table};

pub(super) fn task(session: &Session, args: TaskArgs) -> Result<u8> {
    match args.verb {
        TaskVerb::Start(args) => task_start(session, args),
        TaskVerb::Finish(args) => task_finish(session, args),
        TaskVerb::List(args) => list(session, &[RunKind::Task, RunKind::Session], args.open),
        TaskVerb::Show(args) => show(session, &args),
    }
}

pub(super) fn review(session: &Session, args: ReviewArgs) -> Result<u8> {
    match args.verb {
        ReviewVerb::Start(args) => review_start(session, args),
        ReviewVerb::Report(args) => review_report(session, &args),
        ReviewVerb::Complete(args) => review_complete(session, &args),
        ReviewVerb::Show(args) => show(session, &args),
        ReviewVerb::List(args) => list(session, &[RunKind::Review], args.open),
    }
}

/// The run that is meant: as the words say, else as the environment does.
fn run_of(session: &Session, named: Option<&String>) -> Result<String> {
    named.or(session.identity.run.as_ref()).cloned().ok_or_else(|| {
        Refusal::new(Code::Invalid, "no run is named")
            .hint("--run RUN, or set KEN_RUN; `ken task start` and `ken review start` print its name")
            .field("run")
            .into()
    })
}

fn task_start(session: &Session, args: TaskStartArgs) -> Result<u8> {
    let mut session = session.clone();
    // A run of the environment is the one around, not this one.
    session.identity.run = args.run;
    let kind = if args.session { RunKind::Session } else { RunKind::Task };
    let mut ken = session.open()?;
    let answer = ken.task_start(&args.goal, kind, args.thread, args.strategy)?;
    session.notes(&mut ken);
    session.output.answer(&answer, || {
        println!("{}", bold(&answer.run));
        println!("  export KEN_RUN={} so that what is read belongs to it", answer.run);
        println!("  ken task finish --run {} --outcome success --quality 0.8 --used ID", answer.run);
        abandoned(&answer.abandoned);
    })?;
    Ok(exit::OK)
}

fn abandoned(runs: &[String]) {
    if !runs.is_empty() {
        println!("  nobody came back to {}: closed as abandoned", runs.join(", "));
    }
}

fn task_finish(session: &Session, args: TaskFinishArgs) -> Result<u8> {
    let words: Vec<&str> = RunOutcome::WORDS.iter().take(4).map(|(word, _)| *word).collect();
    let outcome = word("outcome", "outcome", &args.outcome, &words, RunOutcome::from_word)?;
    let used = if args.used_none || !args.used.is_empty() { Some(args.used) } else { None };
    let input = FinishInput {
        run: run_of(session, args.run.as_ref())?,
        outcome,
        quality: args.quality,
        used,
        cost: args.cost,
        rounds: args.rounds,
        strategy: args.strategy,
    };
    let mut ken = session.open()?;
    let answer = ken.task_finish(input)?;
    session.notes(&mut ken);
    session.output.answer(&answer, || {
        println!("{} {}", bold(&answer.run), answer.outcome.word());
        for earned in &answer.observed {
            let side = match earned.side {
                kenning::core::belief::Side::For => "for",
                kenning::core::belief::Side::Against => "against",
            };
            let status = earned.status.map(|status| format!(", now {status}")).unwrap_or_default();
            println!("  {:.2} {side} {}{status}", earned.weight, earned.handle);
        }
        for id in &answer.verified {
            println!("  {id} came out of it, and is verified");
        }
        answer.notes.iter().for_each(|note| println!("  {note}"));
    })?;
    Ok(exit::OK)
}

fn list(session: &Session, kinds: &[RunKind], open: bool) -> Result<u8> {
    let mut ken = session.open()?;
    let runs = ken.runs(kinds, open)?;
    session.notes(&mut ken);
    session.output.answer(&json!({ "runs": runs }), || {
        if runs.is_empty() {
            println!("no such run yet");
            return;
        }
        let row = |run: &RunLine| {
            let agents: Vec<&str> = run.agents.iter().map(|agent| agent.name.as_str()).collect();
            let cells = vec![
                run.run.clone(),
                run.state.to_string(),
                run.started.get(..10).unwrap_or(&run.started).to_owned(),
                agents.join(" "),
                run.about.chars().take(80).collect(),
            ];
            (cells, String::new())
        };
        table(&["run", "state", "since", "agents", "about"], runs.iter().map(row).collect(), 4);
    })?;
    Ok(exit::OK)
}

fn show(session: &Session, args: &RunNameArgs) -> Result<u8> {
    let name = run_of(session, args.name.as_ref().or(args.run.as_ref()))?;
    let mut ken = session.open()?;
    let view = ken.review_show(&name)?;
    session.notes(&mut ken);
    session.output.answer(&view, || {
        let line = &view.line;
        println!("{} {} {}: {}", bold(&line.run), line.kind.word(), line.state, line.about);
        for (agent, shown) in &view.exposures {
            let shown: Vec<String> =
                shown.iter().map(|seen| format!("{} ({})", seen.handle, seen.how)).collect();
            println!("  {agent} was shown {}", shown.join(", "));
        }
        if line.kind == RunKind::Review {
            println!(
                "  reported: {}",
                if view.reported.is_empty() { "nobody yet".to_owned() } else { view.reported.join(", ") }
            );
        }
        for found in &view.findings {
            let name =
                if found.finding == found.title { String::new() } else { format!("{} ", found.finding) };
            println!("  {:.1} {name}{} · {}", found.severity, found.title, found.agents.join(", "));
        }
        if !view.created.is_empty() {
            println!("  came out of it: {}", view.created.join(", "));
        }
    })?;
    Ok(exit::OK)
}

/// `NAME[=ROLE][@FAMILY]`.
fn agent(text: &str) -> Agent {
    let (rest, family) = match text.trim().rsplit_once('@') {
        Some((rest, family)) => (rest, Some(family.trim().to_owned())),
        None => (text.trim(), None),
    };
    let (name, role) = match rest.split_once('=') {
        Some((name, role)) => (name, Some(role.trim().to_owned())),
        None => (rest, None),
    };
    let role = role.or_else(|| kenning::core::reviewers::keywords(name).map(|_| name.to_owned()));
    Agent { name: name.trim().to_owned(), role, family }
}

fn read_text(field: &str, from: &str) -> Result<String> {
    let read = match from {
        "-" => read_bounded(std::io::stdin()),
        path => std::fs::File::open(path).and_then(read_bounded),
    };
    let read = read.and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other));
    read.map_err(|error| {
        let hint = "name a file with UTF-8 text, or - for standard input";
        Refusal::new(Code::Invalid, format!("{from}: {error}")).hint(hint).field(field).into()
    })
}

fn review_start(session: &Session, args: ReviewStartArgs) -> Result<u8> {
    let mut session = session.clone();
    session.identity.run = args.run;
    let subject = match (args.summary, args.diff) {
        (_, Some(file)) => ReviewSubject::Diff(read_text("diff", &file)?),
        (summary, None) => ReviewSubject::Summary(summary.unwrap_or_default()),
    };
    let agents = args.agents.iter().map(|text| agent(text)).collect();
    let mut ken = session.open()?;
    let answer = ken.review_start(agents, &subject, args.thread, args.strategy)?;
    session.notes(&mut ken);
    for warning in &answer.warnings {
        session.output.note(warning);
    }
    session.output.answer(&answer, || {
        println!("{}", bold(&answer.run));
        for (agent, served) in &answer.agents {
            println!();
            println!(
                "{} is told {}",
                bold(agent),
                if served.entries.is_empty() { "nothing".to_owned() } else { served.entries.join(", ") }
            );
            if !served.block.is_empty() {
                println!("{}", served.block);
            }
        }
        println!();
        println!("  ken review report --run {} --agent NAME --findings FILE", answer.run);
        println!("  ken review complete --run {}", answer.run);
        abandoned(&answer.abandoned);
    })?;
    Ok(exit::OK)
}

fn review_report(session: &Session, args: &ReviewReportArgs) -> Result<u8> {
    let run = run_of(session, args.run.as_ref())?;
    let findings = read_text("findings", &args.findings)?;
    let agent = args.agent.clone().or(session.identity.agent.clone());
    let mut ken = session.open()?;
    let answer = ken.review_report(&run, agent.as_deref(), &findings)?;
    session.notes(&mut ken);
    session.output.answer(&answer, || {
        println!(
            "{} {} of {} ({}) in {}",
            answer.outcome,
            count(answer.findings, "finding", "findings"),
            answer.agents.join(", "),
            answer.format,
            bold(&answer.run)
        );
        answer.notes.iter().for_each(|note| println!("  {note}"));
    })?;
    Ok(exit::OK)
}

fn review_complete(session: &Session, args: &RunNameArgs) -> Result<u8> {
    let run = run_of(session, args.name.as_ref().or(args.run.as_ref()))?;
    let mut ken = session.open()?;
    let answer = ken.review_complete(&run)?;
    session.notes(&mut ken);
    session.output.answer(&answer, || {
        println!("{} is complete", bold(&answer.run));
        answer.created.iter().for_each(|id| println!("  created {id}"));
        for confirmed in &answer.confirmed {
            let (kind, who) = match confirmed.kind {
                Confirmation::Independent => ("confirmed independently", &confirmed.independent),
                Confirmation::Primed => ("repeated by who had been told", &confirmed.primed),
            };
            println!("  {} {kind} ({}): {}", confirmed.id, who.join(", "), confirmed.why.join("; "));
        }
        answer.restored.iter().for_each(|id| println!("  {id} is back"));
        answer.archived.iter().for_each(|id| println!("  archived {id}: nobody found it for too long"));
        for skipped in &answer.skipped {
            println!("  left out {}: {}", skipped.finding, skipped.why);
        }
        answer.warnings.iter().for_each(|warning| println!("  warning: {warning}"));
    })?;
    Ok(exit::OK)
}

pub(super) fn confirm(session: &Session, args: &ConfirmArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let answer = ken.confirm(&args.id, &args.reason)?;
    session.notes(&mut ken);
    session.output.answer(&answer, || say(&answer.change))?;
    Ok(exit::OK)
}

pub(super) fn feedback(session: &Session, args: &FeedbackArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let answer = ken.feedback(&args.id, args.helpful, &args.reason)?;
    session.notes(&mut ken);
    session.output.answer(&answer, || say(&answer))?;
    Ok(exit::OK)
}

fn say(answer: &ChangeAnswer) {
    println!("{} {}: {}", answer.outcome, bold(&answer.handle), answer.reasons.join("; "));
}

pub(super) fn reset(session: &Session, args: &ReasonArgs) -> Result<u8> {
    super::change::simple(session, |ken| ken.reset_belief(&args.id, &args.reason))
}

pub(super) fn thread(session: &Session, args: &ThreadArgs) -> Result<u8> {
    let mut ken = session.open()?;
    match &args.verb {
        ThreadVerb::Archive { thread } => {
            let answer = ken.archive_thread(thread)?;
            session.notes(&mut ken);
            session.output.answer(&answer, || {
                println!(
                    "{}: belief in {} widened",
                    bold(&answer.thread),
                    count(answer.widened.len(), "entry", "entries")
                );
                answer.widened.iter().for_each(|id| println!("  {id}"));
                answer.notes.iter().for_each(|note| println!("  {note}"));
            })?;
        }
        ThreadVerb::List => {
            let threads = ken.threads()?;
            session.notes(&mut ken);
            session.output.answer(&json!({ "threads": threads }), || {
                if threads.is_empty() {
                    println!("no entry belongs to a thread");
                }
                for line in &threads {
                    let archived = if line.archived { ", put away" } else { "" };
                    println!("{}: {}{archived}", bold(&line.thread), count(line.entries, "entry", "entries"));
                }
            })?;
        }
    }
    Ok(exit::OK)
}

pub(super) fn belief(session: &Session, args: &NameArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let answer = match &args.as_of {
        Some(when) => ken.belief_as_of(when, &args.id)?,
        None => ken.belief(&args.id)?,
    };
    session.notes(&mut ken);
    session.output.answer(&answer, || draw(&answer))?;
    Ok(exit::OK)
}

/// Columns of the chart.
const CHART_WIDTH: usize = 60;

fn draw(answer: &BeliefAnswer) {
    println!("{} {}", bold(&answer.handle), answer.title);
    println!("  {}", chart::bar(answer.belief.mean, answer.belief.certainty));
    println!(
        "  {:.0} % to {:.0} % with 95 % probability; Beta({:.2}, {:.2}), {:.1} observations count now, {}",
        answer.interval[0] * 100.0,
        answer.interval[1] * 100.0,
        answer.belief.alpha,
        answer.belief.beta,
        answer.belief.observations,
        answer.decay_class.word()
    );
    if answer.prediction_errors > 0 {
        println!("  {}", count(answer.prediction_errors as usize, "prediction error", "prediction errors"));
    }
    if answer.history.len() < 2 {
        println!(
            "  nobody has used it yet: `ken task finish --used {}` and `ken feedback {}` say how it does",
            answer.handle, answer.handle
        );
        return;
    }
    let moments: Vec<Believed> = answer
        .history
        .iter()
        .map(|step| Believed {
            date: step.date.clone(),
            low: step.interval[0],
            mean: step.mean,
            high: step.interval[1],
        })
        .collect();
    println!("{}", chart::belief(&moments, CHART_WIDTH, Strokes::Blocks));
    let told: Vec<_> = answer.history.iter().filter(|step| step.what.is_some()).collect();
    for step in &told[told.len().saturating_sub(10)..] {
        let weight = step.weight.map(|weight| format!("{weight:+.2}")).unwrap_or_default();
        println!("  {} {weight} {}", step.date, step.what.as_deref().unwrap_or_default());
    }
}

pub(super) fn outcomes(session: &Session, args: &OutcomesArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let answer = ken.outcomes(&args.period)?;
    session.notes(&mut ken);
    session.output.answer(&answer, || {
        let totals = &answer.totals;
        let percent =
            |rate: Option<f64>| rate.map_or("unknown".to_owned(), |rate| format!("{:.0} %", rate * 100.0));
        println!(
            "{}: {} succeeded, {} failed, {} killed, {} abandoned, {} open; success {}, quality {}",
            count(totals.runs, "run", "runs"),
            totals.succeeded,
            totals.failed,
            totals.killed,
            totals.abandoned,
            totals.open,
            percent(totals.success_rate),
            percent(totals.quality)
        );
        for (strategy, totals) in &answer.strategies {
            let cost = totals.cost.map(|cost| format!(", cost {cost}")).unwrap_or_default();
            let rounds = totals.rounds.map(|rounds| format!(", {rounds:.1} rounds")).unwrap_or_default();
            println!(
                "  {strategy}: {}, success {}, quality {}{rounds}{cost}",
                count(totals.runs, "run", "runs"),
                percent(totals.success_rate),
                percent(totals.quality)
            );
        }
        for run in &answer.runs {
            println!(
                "  {} {} {} · shown {}, used {}, made {} · {}",
                run.line.run,
                run.line.kind.word(),
                run.line.state,
                run.accessed,
                run.used.map_or("unsaid".to_owned(), |used| used.to_string()),
                run.extracted,
                run.line.about.chars().take(60).collect::<String>()
            );
        }
    })?;
    Ok(exit::OK)
}

pub(super) fn queue(session: &Session, args: &QueueArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let (items, open) = match (&args.item, &args.answer, &args.reason) {
        (Some(item), Some(answer), Some(reason)) => {
            let verdict = kenning::ops::queue::Verdict {
                item: item.clone(),
                answer: answer.clone(),
                reason: reason.clone(),
            };
            let ruled = ken.judge(&[verdict], args.limit)?;
            session.notes(&mut ken);
            session
                .output
                .answer(&ruled, || ruled.results.iter().for_each(|one| println!("{}", one.done)))?;
            let refused = ruled.results.iter().any(|one| !one.accepted);
            return Ok(if refused { exit::USAGE } else { exit::OK });
        }
        _ => {
            let sheet = ken.queue(args.limit)?;
            session.notes(&mut ken);
            session.output.answer(&sheet, || {
                for item in &sheet.items {
                    println!("{}  {}", bold(&item.item), item.question);
                    for entry in &item.entries {
                        println!("  {} {}", entry.id, crate::output::plain(&entry.statement));
                    }
                    let answers = item.answers.join("|");
                    println!("  ken queue --item '{}' --answer {answers} --reason TEXT", item.item);
                }
                if !sheet.for_a_person.is_empty() {
                    println!("kept out, for a person: {}", sheet.for_a_person.join(", "));
                }
            })?;
            (sheet.items.len(), sheet.open)
        }
    };
    if !session.output.json {
        match (items, open) {
            (_, 0) => println!("nothing waits for a judgement"),
            (shown, open) if shown < open => {
                session.output.note(&format!("{open} wait in all; --limit shows more"))
            }
            _ => {}
        }
    }
    Ok(exit::OK)
}
