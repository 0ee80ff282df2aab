//! `maintain`, shown.

use kenning::table::Maintain;
use kenning::{Deed, MaintainAnswer, ServiceOutcome, ServiceReport};

use super::Shown;
use crate::limits::DEEDS_MAX;
use crate::output::{bold, dim, println};

impl Shown for Maintain {
    fn say(answer: &MaintainAnswer) {
        answer.services.iter().for_each(say_service);
        if let Some(judge) = &answer.judge {
            let calls = told(judge.calls as usize, "question", "questions");
            println!("{calls} to {}: {} tokens, {:.2} cents", judge.name, judge.tokens, judge.cents);
        }
        answer.notes.iter().for_each(|note| println!("{note}"));
        let proposes = answer
            .services
            .iter()
            .any(|one| one.outcome == ServiceOutcome::Proposed && !one.changes.is_empty());
        if proposes {
            println!(
                "{}",
                dim(&format!("maintain.level is {}: `ken maintain SERVICE` does it", answer.level))
            );
        }
        let resets = |one: &ServiceReport| one.service == "confidence_reset" && !one.changes.is_empty();
        match answer.services.iter().any(resets) {
            true if answer.written > 0 => println!("{}", dim("a reset of belief cannot be undone")),
            false if answer.written > 0 => println!("{}", dim("`ken undo` takes all of it back")),
            _ => {}
        }
    }
}

fn say_service(report: &ServiceReport) {
    let state = match report.outcome {
        ServiceOutcome::NotDue => "nothing changed since it last ran".to_owned(),
        ServiceOutcome::Ran => told(report.changes.len(), "change", "changes"),
        ServiceOutcome::DryRun | ServiceOutcome::Proposed | ServiceOutcome::Refused => {
            format!("would make {}", told(report.changes.len(), "change", "changes"))
        }
    };
    let left = match report.left.len() {
        0 => String::new(),
        count => format!("; {} to look at", told(count, "thing", "things")),
    };
    println!("{}  {state}{left}", bold(&format!("{:<16}", report.service)));
    say_deeds(&report.changes, "");
    say_deeds(&report.left, "look: ");
}

fn told(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

fn say_deeds(deeds: &[Deed], mark: &str) {
    for deed in deeds.iter().take(DEEDS_MAX) {
        println!("  {mark}{}", deed.text);
        if !deed.action.is_empty() {
            println!("    {}", dim(&deed.action));
        }
    }
    if deeds.len() > DEEDS_MAX {
        println!("  {}", dim(&format!("{} more; --json lists them", deeds.len() - DEEDS_MAX)));
    }
}
