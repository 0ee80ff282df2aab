//! `reduce`, `staging`, `reflect` and `reweave`.

use kenning::{ReduceAnswer, ReflectAnswer, Result, ReweaveInput, Staged, StagedLine, StagingAnswer};
use serde_json::json;

use super::Session;
use crate::args::{ReduceArgs, ReweaveArgs, StagingVerb};
use crate::output::{bold, count, dim, exit, plain, println, width, wrap};

pub(super) fn reduce(session: &Session, args: &ReduceArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let sources: Vec<String> = args.sources.iter().chain(&args.named).cloned().collect();
    let answer = ken.reduce(&sources, args.dry_run)?;
    session.notes(&mut ken);
    session.output.answer(&answer, || say_reduced(&answer))?;
    Ok(exit::OK)
}

fn say_reduced(answer: &ReduceAnswer) {
    for source in &answer.sources {
        println!("{}  {}", bold(&plain(&source.source)), count(source.candidates, "candidate", "candidates"));
    }
    answer.staged.iter().for_each(say_line);
    let known = answer.known;
    let parts = [
        (known.staged, "in staging already"),
        (known.entries, "said by entries"),
        (known.dropped, "dropped before"),
    ];
    let known: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if !known.is_empty() {
        println!("left out: {}", known.join(", "));
    }
    for one in &answer.kept_out {
        println!(
            "kept out: {}, the scan says {} ({})",
            plain(&one.place),
            one.tier.word(),
            one.rules.join(", ")
        );
    }
    for one in &answer.left_out {
        println!("left out: {}: {}", plain(&one.place), plain(&one.why));
    }
    match (answer.staged.len(), answer.dry_run) {
        (0, _) => println!("nothing new to stage"),
        (n, true) => println!("{} would be staged; nothing was written", count(n, "candidate", "candidates")),
        (n, false) => println!(
            "{} staged: `ken staging accept ID` makes an entry of one, `ken staging drop ID --reason ...` forgets it",
            count(n, "candidate", "candidates")
        ),
    }
}

fn say_line(line: &StagedLine) {
    let about = format!("{} {} {}, {} %", line.kind, plain(&line.place), line.cue, line.confidence);
    println!("{}  {}", bold(&line.id), dim(&about));
    println!("  {}", wrap(&plain(&line.statement), 2, width()).trim_start());
}

pub(super) fn staging(session: &Session, verb: StagingVerb) -> Result<u8> {
    let mut ken = session.open()?;
    match verb {
        StagingVerb::List => {
            let answer = ken.staging()?;
            session.notes(&mut ken);
            session.output.answer(&answer, || say_staging(&answer))?;
        }
        StagingVerb::Show { id } => {
            let staged = ken.staged(&id)?;
            session.output.answer(&staged, || say_staged(&staged))?;
        }
        StagingVerb::Accept { ids } => {
            let answers = ken.accept_staged(&ids)?;
            session.notes(&mut ken);
            let rejected = answers.iter().any(|answer| answer.added.is_rejected());
            session.output.answer(&json!({ "accepted": answers }), || {
                for answer in &answers {
                    let why = answer.added.reasons.join("; ");
                    let colon = if why.is_empty() { "" } else { ": " };
                    println!("{} {}{colon}{why}", answer.added.outcome, bold(&answer.added.id));
                }
            })?;
            return Ok(if rejected { exit::REFUSED } else { exit::OK });
        }
        StagingVerb::Drop { ids, reason } => {
            let answers = ken.drop_staged(&ids, &reason)?;
            session.output.answer(&json!({ "dropped": answers }), || {
                for answer in &answers {
                    println!("dropped {}: {}", bold(&answer.id), plain(&answer.statement));
                }
                println!("`ken staging restore ID` brings one back");
            })?;
        }
        StagingVerb::Restore { id } => {
            let staged = ken.restore_staged(&id)?;
            session.output.answer(&staged, || {
                println!("{} waits again: {}", bold(&staged.id), plain(&staged.candidate.statement))
            })?;
        }
    }
    Ok(exit::OK)
}

fn say_staging(answer: &StagingAnswer) {
    answer.staged.iter().for_each(say_line);
    if answer.staged.is_empty() {
        println!("nothing waits; `ken reduce --sources PATH` reads a document");
    }
    for one in &answer.dropped {
        println!(
            "{}",
            dim(&format!(
                "dropped {}: {} ({}, {})",
                one.id,
                plain(&one.statement),
                plain(&one.reason),
                plain(&one.by)
            ))
        );
    }
}

fn say_staged(staged: &Staged) {
    let candidate = &staged.candidate;
    println!("{}  {}", bold(&staged.id), candidate.kind);
    println!("  {}", wrap(&plain(&candidate.statement), 2, width()).trim_start());
    for place in &staged.places {
        println!("  at {} ({})", plain(&place.to_string()), plain(&place.evidence()));
    }
    println!("  quote: {}", plain(&candidate.quote));
    println!("  cue: {}, {} % sure, {}", candidate.cue, candidate.confidence, candidate.polarity);
    if !candidate.tags.is_empty() {
        println!("  tags: {}", candidate.tags.join(", "));
    }
    match &candidate.enforcement {
        Some(enforcement) => println!("  enforcement: {enforcement}"),
        None => println!("  enforcement: none; it would be advice"),
    }
}

pub(super) fn reflect(session: &Session, link: bool) -> Result<u8> {
    let mut ken = session.open()?;
    let answer = ken.reflect(link)?;
    session.notes(&mut ken);
    session.output.answer(&answer, || say_reflected(&answer))?;
    Ok(exit::OK)
}

fn say_reflected(answer: &ReflectAnswer) {
    println!(
        "{} and {}, compared by {}",
        count(answer.staged, "candidate", "candidates"),
        count(answer.entries, "entry", "entries"),
        answer.compared_by
    );
    for one in &answer.duplicates {
        println!("{} {} {}: {}", bold(one.how), one.pair[0], one.pair[1], plain(&one.statements[1]));
    }
    for one in &answer.contradictions {
        println!("{} {} {}: {}", bold("contradiction"), one.pair[0], one.pair[1], plain(&one.why));
    }
    for one in &answer.related {
        println!("{} {} {}: {}", bold("related"), one.pair[0], one.pair[1], plain(&one.why));
    }
    for one in &answer.gaps {
        println!("{} {}: {}", bold("gap"), one.id, plain(&one.missing.join(", ")));
    }
    if let Some(linked) = &answer.linked {
        println!("{} made", count(linked.len(), "tie", "ties"));
    }
}

pub(super) fn reweave(session: &Session, args: ReweaveArgs) -> Result<u8> {
    let ReweaveArgs { entry, evidence, statement, reason, unverified } = args;
    let mut ken = session.open()?;
    let answer = ken.reweave(ReweaveInput { entry, evidence, statement, reason, unverified })?;
    session.notes(&mut ken);
    session.output.answer(&answer, || {
        println!("{} {}: {}", answer.did, bold(&answer.entry), answer.reasons.join("; "))
    })?;
    Ok(exit::OK)
}
