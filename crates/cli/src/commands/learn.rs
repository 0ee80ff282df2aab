//! The verbs that learn, shown: `task`, `review`, `confirm`, `feedback`, `thread`, `belief`, `outcomes`, `reset`.

use kenning::core::Confirmation;
use kenning::core::run::RunKind;
use kenning::requests::RunsAnswer;
use kenning::table::outcomes::OutcomesPage;
use kenning::table::review_start::ReviewStartRequest;
use kenning::table::thread_list::ThreadsAnswer;
use kenning::table::{
    Belief, Confirm, Feedback, Outcomes, Reset, ReviewComplete, ReviewList, ReviewReport, ReviewShow,
    ReviewStart, TaskFinish, TaskList, TaskShow, TaskStart, ThreadArchive, ThreadList,
};
use kenning::{
    BeliefAnswer, ChangeAnswer, CompleteAnswer, ConfirmAnswer, FinishAnswer, ReportAnswer, Result,
    ReviewStarted, ReviewView, RunLine, StartAnswer, ThreadAnswer,
};

use super::{Session, Shown};
use crate::chart::{self, Believed, Strokes};
use crate::output::{bold, count, exit, flat, plain, println, say_more, table};

impl Shown for TaskStart {
    fn say(answer: &StartAnswer) {
        println!("{}", bold(&answer.run));
        println!("  export KEN_RUN={} so that exposures are recorded for this run", answer.run);
        println!("  ken task finish --run {} --outcome success --quality 0.8 --used ID", answer.run);
        abandoned(&answer.abandoned);
    }
}

fn abandoned(runs: &[String]) {
    if !runs.is_empty() {
        println!("  {} was left open: closed as abandoned", runs.join(", "));
    }
}

impl Shown for TaskFinish {
    fn say(answer: &FinishAnswer) {
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
            println!("  {id} was created in it and is now verified");
        }
        answer.notes.iter().for_each(|note| println!("  {note}"));
    }
}

impl Shown for TaskList {
    fn say(answer: &RunsAnswer) {
        say_runs(answer);
    }
}

impl Shown for ReviewList {
    fn say(answer: &RunsAnswer) {
        say_runs(answer);
    }
}

fn say_runs(answer: &RunsAnswer) {
    let runs = &answer.items;
    if runs.is_empty() {
        println!("no such run yet");
        return;
    }
    let row = |run: &RunLine| {
        let agents: Vec<&str> = run.agents.iter().map(|agent| agent.name.as_str()).collect();
        let cells = vec![
            plain(&run.run),
            run.state.to_string(),
            run.wrong_clock.clone().unwrap_or_else(|| run.started.chars().take(10).collect()),
            plain(&agents.join(" ")),
            plain(&run.about.chars().take(80).collect::<String>()),
        ];
        (cells, String::new())
    };
    table(&["run", "state", "since", "agents", "about"], runs.iter().map(row).collect(), 4);
    say_more(answer);
}

impl Shown for TaskShow {
    fn say(view: &ReviewView) {
        say_run(view);
    }
}

impl Shown for ReviewShow {
    fn say(view: &ReviewView) {
        say_run(view);
    }
}

fn say_run(view: &ReviewView) {
    let line = &view.line;
    println!("{} {} {}: {}", bold(&flat(&line.run)), line.kind.word(), line.state, flat(&line.about));
    for (agent, shown) in &view.exposures {
        let shown: Vec<String> = shown.iter().map(|seen| format!("{} ({})", seen.handle, seen.how)).collect();
        println!("  {} was shown {}", flat(agent), flat(&shown.join(", ")));
    }
    if line.kind == RunKind::Review {
        println!(
            "  reported: {}",
            if view.reported.is_empty() { "nobody yet".to_owned() } else { flat(&view.reported.join(", ")) }
        );
    }
    for found in &view.findings {
        let name = if found.finding == found.title { String::new() } else { format!("{} ", found.finding) };
        let (name, agents) = (flat(&name), flat(&found.agents.join(", ")));
        println!("  {:.1} {name}{} · {agents}", found.severity, flat(&found.title));
    }
    if !view.created.is_empty() {
        println!("  created: {}", flat(&view.created.join(", ")));
    }
}

impl Shown for ReviewStart {
    fn execute(session: &Session, request: ReviewStartRequest) -> Result<u8> {
        let mut call = session.call(None)?;
        let answer = Self::run_noting(session, &mut call, request)?;
        for warning in &answer.warnings {
            session.output.note(warning);
        }
        session.output.answer(&answer, || Self::say(&answer))?;
        Ok(exit::OK)
    }

    fn say(answer: &ReviewStarted) {
        println!("{}", bold(&answer.run));
        for (agent, served) in &answer.agents {
            println!();
            println!(
                "entries for {}: {}",
                bold(&flat(agent)),
                if served.entries.is_empty() { "none".to_owned() } else { served.entries.join(", ") }
            );
            if !served.block.is_empty() {
                println!("{}", served.block);
            }
        }
        println!();
        println!("  ken review report --run {} --agent NAME --findings FILE", answer.run);
        println!("  ken review complete --run {}", answer.run);
        abandoned(&answer.abandoned);
    }
}

impl Shown for ReviewReport {
    fn say(answer: &ReportAnswer) {
        println!(
            "{} {} of {} ({}) in {}",
            answer.outcome,
            count(answer.findings, "finding", "findings"),
            flat(&answer.agents.join(", ")),
            answer.format,
            bold(&answer.run)
        );
        answer.notes.iter().for_each(|note| println!("  {note}"));
    }
}

impl Shown for ReviewComplete {
    fn say(answer: &CompleteAnswer) {
        match answer.verdict {
            Some(verdict) => println!("{} is complete: {}", bold(&answer.run), bold(verdict.as_str())),
            None => println!("{} is complete", bold(&answer.run)),
        }
        answer.created.iter().for_each(|id| println!("  created {id}"));
        for confirmed in &answer.confirmed {
            let (kind, who) = match confirmed.kind {
                Confirmation::Independent => ("confirmed independently", &confirmed.independent),
                Confirmation::Primed => ("repeated by agents that had seen the entry", &confirmed.primed),
            };
            let (who, why) = (flat(&who.join(", ")), flat(&confirmed.why.join("; ")));
            println!("  {} {kind} ({who}): {why}", confirmed.id);
        }
        answer.restored.iter().for_each(|id| println!("  restored {id}"));
        answer
            .archived
            .iter()
            .for_each(|id| println!("  archived {id}: not confirmed independently for too long"));
        for skipped in &answer.skipped {
            println!("  left out {}: {}", flat(&skipped.finding), flat(&skipped.why));
        }
        answer.warnings.iter().for_each(|warning| println!("  warning: {warning}"));
    }
}

impl Shown for Confirm {
    fn say(answer: &ConfirmAnswer) {
        say(&answer.change);
    }
}

impl Shown for Feedback {
    fn say(answer: &ChangeAnswer) {
        say(answer);
    }
}

impl Shown for Reset {
    fn say(answer: &ChangeAnswer) {
        say(answer);
    }
}

/// An entry that was changed, and why.
pub(super) fn say(answer: &ChangeAnswer) {
    println!("{} {}: {}", answer.outcome, bold(&answer.handle), answer.reasons.join("; "));
}

impl Shown for ThreadArchive {
    fn say(answer: &ThreadAnswer) {
        println!(
            "{}: belief in {} widened",
            bold(&answer.thread),
            count(answer.widened.len(), "entry", "entries")
        );
        answer.widened.iter().for_each(|id| println!("  {id}"));
        answer.notes.iter().for_each(|note| println!("  {note}"));
    }
}

impl Shown for ThreadList {
    fn say(answer: &ThreadsAnswer) {
        if answer.items.is_empty() {
            println!("no thread has entries");
        }
        for line in &answer.items {
            let archived = if line.archived { ", archived" } else { "" };
            println!("{}: {}{archived}", bold(&flat(&line.thread)), count(line.entries, "entry", "entries"));
        }
        say_more(answer);
    }
}

impl Shown for Belief {
    fn say(answer: &BeliefAnswer) {
        draw(answer);
    }
}

/// Columns of the chart.
const CHART_WIDTH: usize = 60;

fn draw(answer: &BeliefAnswer) {
    println!("{} {}", bold(&answer.handle), flat(&answer.title));
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
            "  not used yet: `ken task finish --used {}` and `ken feedback {}` record how well it works",
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

impl Shown for Outcomes {
    fn say(answer: &OutcomesPage) {
        let totals = &answer.totals;
        let percent =
            |rate: Option<f64>| rate.map_or("unknown".to_owned(), |rate| format!("{:.0} %", rate * 100.0));
        let success = |rate: Option<f64>, rated: usize| match rated {
            0 => "unknown".to_owned(),
            _ => format!("{} of {}", percent(rate), count(rated, "task or session", "tasks and sessions")),
        };
        println!(
            "{}: {} succeeded, {} failed, {} killed, {} abandoned, {} ended, {} open; success {}, quality {}",
            count(totals.runs, "run", "runs"),
            totals.succeeded,
            totals.failed,
            totals.killed,
            totals.abandoned,
            totals.ended,
            totals.open,
            success(totals.success_rate, totals.rated),
            percent(totals.quality)
        );
        if totals.rated < totals.runs {
            println!(
                "  the success rate counts tasks and sessions that succeeded or failed; \
                 not those killed, abandoned, ended or open, and no reviews"
            );
        }
        for (strategy, totals) in &answer.strategies {
            let cost = totals.cost.map(|cost| format!(", cost {cost}")).unwrap_or_default();
            let rounds = totals.rounds.map(|rounds| format!(", {rounds:.1} rounds")).unwrap_or_default();
            println!(
                "  {}: {}, success {}, quality {}{rounds}{cost}",
                flat(strategy),
                count(totals.runs, "run", "runs"),
                success(totals.success_rate, totals.rated),
                percent(totals.quality)
            );
        }
        for run in &answer.runs.items {
            println!(
                "  {} {} {} · shown {}, used {}, made {} · {}",
                flat(&run.line.run),
                run.line.kind.word(),
                run.line.state,
                run.accessed,
                run.used.map_or("unsaid".to_owned(), |used| used.to_string()),
                run.extracted,
                flat(&run.line.about.chars().take(60).collect::<String>())
            );
        }
        say_more(&answer.runs);
    }
}
