//! `drift`: what nobody keeps up, and putting it away as a person confirms.

use std::io::{IsTerminal, Write};

use kenning::core::drift::Report;
use kenning::core::{Code, Refusal};
use kenning::{DriftAnswer, Error, Kept, Prunable, Result};
use serde_json::json;

use super::Session;
use crate::args::DriftArgs;
use crate::output::{bold, cut, dim, exit, plain, println, width, wrap};

pub(super) fn drift(session: &Session, args: &DriftArgs) -> Result<u8> {
    let mut ken = session.open()?;
    if args.prune {
        ken.may_prune()?;
        if !args.yes && !std::io::stdin().is_terminal() {
            return Err(Refusal::new(
                Code::NotAllowed,
                "pruning puts entries away as a person confirms, and nobody is here to ask",
            )
            .hint("look with `ken drift`, then put all of it away with `ken drift --prune --yes`")
            .into());
        }
    }
    let answer = ken.drift(args.reviewer.as_deref())?;
    if !args.prune {
        session.notes(&mut ken);
        session.output.answer(&answer, || say(&answer))?;
        return Ok(exit::OK);
    }
    if !session.output.json {
        say(&answer);
    }
    let mut kept = answer.kept.clone();
    let chosen = if args.yes { answer.prunable.clone() } else { ask(&answer.prunable, &mut kept)? };
    let archived = ken.prune(&chosen)?;
    session.notes(&mut ken);
    let mut told = json!(answer);
    told["archived"] = json!(archived);
    told["kept"] = json!(kept);
    session.output.answer(&told, || {
        println!();
        match archived.len() {
            0 => println!("nothing was put away"),
            1 => println!("archived {}; `ken restore` brings it back", archived[0]),
            n => println!("archived {n}; `ken restore ID` brings one back"),
        }
        archived.iter().filter(|_| archived.len() > 1).for_each(|id| println!("  {}", plain(id)));
        kept.iter().for_each(|one| println!("kept {}: {}", plain(&one.id), plain(&one.why)));
    })?;
    Ok(exit::OK)
}

/// Asks for each entry, or for all that are left.
fn ask(prunable: &[Prunable], kept: &mut Vec<Kept>) -> Result<Vec<Prunable>> {
    let mut chosen = Vec::new();
    let mut left = prunable.iter();
    while let Some(one) = left.next() {
        anstream::eprintln!("\n{}  {}\n  {}", plain(&one.id), cut(&one.headline, width()), plain(&one.why));
        anstream::eprint!("Put it away? y yes, n no, a all that are left, q no more: ");
        let _ = std::io::stderr().flush();
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map_err(Error::failed("asking"))?;
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => chosen.push(one.clone()),
            "a" | "all" => {
                chosen.push(one.clone());
                chosen.extend(left.by_ref().cloned());
            }
            "q" | "quit" => {
                let rest = std::iter::once(one).chain(left.by_ref());
                kept.extend(rest.map(|one| Kept { id: one.id.clone(), why: "not confirmed".to_owned() }));
            }
            _ => kept.push(Kept { id: one.id.clone(), why: "not confirmed".to_owned() }),
        }
    }
    Ok(chosen)
}

fn say(answer: &DriftAnswer) {
    let drift = &answer.drift;
    for one in &drift.reviewers {
        say_report(&one.reviewer, &one.report);
    }
    if let Some(store) = &drift.store {
        say_report("the whole store", store);
    }
    if !answer.prunable.is_empty() {
        let count = answer.prunable.len();
        let what = if count == 1 { "1 entry" } else { &format!("{count} entries") };
        println!("\n{what} could be put away: `ken drift --prune` asks for each");
    }
}

fn say_report(name: &str, report: &Report) {
    let entries =
        if report.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", report.entries) };
    println!("{}  {entries}  {}", bold(name), report.recommendation.word());
    for (signal, signs) in report.signals.each() {
        for sign in signs {
            let text = format!("{}: {}", sign.id, sign.why);
            println!("  {} {}", dim(&format!("{signal:<13}")), wrap(&text, 16, width()).trim_start());
        }
    }
}
