//! `drift`: what nobody keeps up, and putting it away as a person confirms.

use std::io::IsTerminal;

use kenning::core::drift::{Drift as Drifted, Report};
use kenning::table::Drift;
use kenning::table::drift::{DriftRequest, DriftedAnswer, Pruned};
use kenning::{DriftAnswer, Error, Kept, Prunable, Result, Summary};

use super::{Session, Shown, render};
use crate::output::{bold, cut, dim, exit, plain, println, tell_question, width, wrap};

impl Shown for Drift {
    fn execute(session: &Session, request: DriftRequest) -> Result<u8> {
        let asks = request.prune && !request.yes && std::io::stdin().is_terminal();
        if asks { prune(session, &request) } else { render::<Self>(session, request, Self::say) }
    }

    fn say(answer: &DriftedAnswer) {
        match answer {
            DriftedAnswer::Found(answer) => say(&answer.drift, &answer.check, answer.prunable.len()),
            DriftedAnswer::Pruned(pruned) => {
                say(&pruned.drift, &pruned.check, pruned.prunable);
                say_pruned(pruned);
            }
        }
    }
}

/// Puts entries away as a person confirms.
fn prune(session: &Session, request: &DriftRequest) -> Result<u8> {
    let mut ken = session.open()?;
    kenning::drift::may_prune(&ken.ledger, &ken.caller)?;
    let DriftAnswer { drift, check, prunable, mut kept } =
        kenning::drift::drift(&ken.ledger, &ken.site, &ken.caller, request.reviewer.as_deref())?;
    if !session.output.json {
        say(&drift, &check, prunable.len());
    }
    let chosen = ask(&prunable, &mut kept)?;
    let archived = kenning::drift::prune(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, &chosen)?;
    session.notes(&mut ken);
    let pruned = Pruned { archived, kept, drift, check, prunable: prunable.len() };
    session.output.answer(&pruned, || say_pruned(&pruned))?;
    Ok(exit::OK)
}

fn say_pruned(pruned: &Pruned) {
    let archived = &pruned.archived;
    println!();
    match archived.len() {
        0 => println!("nothing was archived"),
        1 => println!("archived {}; `ken restore` undoes this", archived[0]),
        n => println!("archived {n}; `ken restore ID` restores one"),
    }
    archived.iter().filter(|_| archived.len() > 1).for_each(|id| println!("  {}", plain(id)));
    pruned.kept.iter().for_each(|one| println!("kept {}: {}", plain(&one.head.id), plain(&one.why)));
}

/// Asks for each entry, or for all that are left.
fn ask(prunable: &[Prunable], kept: &mut Vec<Kept>) -> Result<Vec<Prunable>> {
    let mut chosen = Vec::new();
    let mut left = prunable.iter();
    while let Some(one) = left.next() {
        let head = &one.head;
        let (id, title, why) = (plain(&head.id), cut(&head.title, width()), plain(&one.why));
        tell_question(&format!(
            "\n{id}  {title}\n  {why}\nArchive it? [y] yes  [n] no  [a] all remaining  [q] quit: "
        ));
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
                kept.extend(rest.map(|one| Kept { head: one.head.clone(), why: "not confirmed".to_owned() }));
            }
            _ => kept.push(Kept { head: one.head.clone(), why: "not confirmed".to_owned() }),
        }
    }
    Ok(chosen)
}

fn say(drift: &Drifted, check: &Summary, prunable: usize) {
    for one in &drift.reviewers {
        say_report(&one.reviewer, &one.report);
    }
    if let Some(store) = &drift.store {
        say_report("the whole store", store);
    }
    if check.drifted + check.broken > 0 {
        println!("\n`ken check` verdicts: {}", check.counts());
    }
    if prunable > 0 {
        let what = if prunable == 1 { "1 entry" } else { &format!("{prunable} entries") };
        println!("\n{what} could be archived: `ken drift --prune` asks for each");
    }
}

fn say_report(name: &str, report: &Report) {
    let entries =
        if report.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", report.entries) };
    println!("{}  {entries}  {}", bold(name), report.recommendation.word());
    for (signal, signs) in report.signals.each() {
        for sign in signs {
            let text = format!("{}: {}", sign.head.id, sign.why);
            println!("  {} {}", dim(&format!("{signal:<13}")), wrap(&text, 16, width()).trim_start());
        }
    }
}
