//! `ken` alone: where one stands, and the verbs of every day (COR-17).

use kenning::{BriefAnswer, Result};
use serde::Serialize;

use super::CommandLine;
use super::help;
use crate::output::{bold, count, exit, println};

/// Where one stands: what the store holds, what is broken, what waits, and what to do next.
#[derive(Serialize)]
struct Status<'a> {
    #[serde(flatten)]
    store: Option<Standing<'a>>,
    next: &'static str,
}

#[derive(Serialize)]
struct Standing<'a> {
    holds: &'a kenning::ops::brief::Holds,
    fallen: usize,
    waiting: &'a kenning::ops::brief::Waiting,
}

/// Prints the status and the verbs of every day.
pub(crate) fn status(line: &CommandLine) -> Result<u8> {
    let has_store = line.options()?.find().is_some();
    let brief = match has_store {
        true => Some(line.session()?.open_quietly()?.brief(0)?),
        false => None,
    };
    let next = next_step(brief.as_ref());
    let store = brief.as_ref().map(|brief| Standing {
        holds: &brief.holds,
        fallen: brief.fallen.len(),
        waiting: &brief.waiting,
    });
    let answer = Status { store, next };
    line.output.answer(&answer, || {
        match &brief {
            Some(brief) => say(brief),
            None => println!("There is no store here."),
        }
        println!("Next: {}", bold(next));
        println!();
        help::short();
    })?;
    Ok(exit::OK)
}

/// The one thing that is most worth doing now.
fn next_step(brief: Option<&BriefAnswer>) -> &'static str {
    let Some(brief) = brief else { return "ken init" };
    let waiting = &brief.waiting;
    match brief {
        brief if brief.holds.entries == 0 => "ken add 'what was learned' --evidence commit:HASH",
        brief if !brief.fallen.is_empty() => "ken check",
        _ if waiting.drafts + waiting.duplicates > 0 => "ken queue",
        _ if waiting.rejected > 0 => "ken list --status rejected",
        _ => "ken search 'what you are about to do'",
    }
}

fn say(brief: &BriefAnswer) {
    let holds = &brief.holds;
    let statuses = holds.by_status();
    let colon = if statuses.is_empty() { "" } else { ": " };
    println!("{}{colon}{statuses}", count(holds.entries, "entry", "entries"));
    if holds.global > 0 {
        println!("{} in the global store", count(holds.global, "entry", "entries"));
    }
    if !brief.fallen.is_empty() {
        let fallen = count(brief.fallen.len(), "entry no longer holds", "entries no longer hold");
        println!("{fallen}, as of the last look");
    }
    let waiting = &brief.waiting;
    for (number, one, many) in [
        (waiting.drafts, "entry lacks something", "entries lack something"),
        (waiting.duplicates, "pair may say the same", "pairs may say the same"),
        (waiting.rejected, "entry was kept out", "entries were kept out"),
    ] {
        if number > 0 {
            println!("{}", count(number, one, many));
        }
    }
}
