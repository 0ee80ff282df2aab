//! `forage`, shown.

use kenning::forage::{ForageAnswer, RecheckAnswer, RunAnswer};
use kenning::table::forage_override::OverrideAnswer;
use kenning::table::forage_status::StatusAnswer;
use kenning::table::forage_strategies::StrategiesAnswer;
use kenning::table::{
    ForageFind, ForageGap, ForageOverride, ForageRead, ForageRecheck, ForageRun, ForageStatus,
    ForageStrategies,
};

use super::Shown;
use crate::output::{bold, count, dim, flat, println};

impl Shown for ForageFind {
    fn say(answer: &ForageAnswer) {
        say(answer);
    }
}

impl Shown for ForageRead {
    fn say(answer: &ForageAnswer) {
        say(answer);
    }
}

impl Shown for ForageGap {
    fn say(answer: &ForageAnswer) {
        say(answer);
    }
}

impl Shown for ForageRun {
    fn say(answer: &RunAnswer) {
        answer.cycles.iter().for_each(say);
        for why in &answer.skipped {
            println!("skipped: {}", flat(why));
        }
        if let Some(why) = &answer.stopped {
            println!("stopped: {}", flat(why));
        }
        match answer.waiting {
            0 if answer.cycles.is_empty() => println!("nothing waits to be looked up"),
            0 => {}
            waiting => println!("{} still waiting", count(waiting, "request is", "requests are")),
        }
    }
}

impl Shown for ForageStatus {
    fn say(answer: &StatusAnswer) {
        match answer.on {
            true => println!("the forager is {}, and searches with {}", bold("on"), flat(&answer.provider)),
            false => println!(
                "the forager is {}: `ken config forage.on true` turns it on for this clone",
                bold("off")
            ),
        }
        println!("  {} of {} pages used today", answer.pages, answer.pages_max);
        if answer.on && !answer.agents {
            println!("  {}", dim("agents may request pages, but not read them (forage.agents)"));
        }
        for waiting in &answer.waiting {
            println!("waiting  {}  {} ({})", waiting.request, flat(&waiting.query), waiting.trigger);
        }
        for cycle in &answer.cycles {
            let ended = cycle.ended.as_deref().unwrap_or("not ended");
            let numbers = format!(
                "{}, {}, {} kept out",
                count(cycle.pages as usize, "page", "pages"),
                count(cycle.entries as usize, "entry", "entries"),
                cycle.rejected
            );
            println!("{}  {}  {}: {ended}", cycle.at, cycle.request, flat(&cycle.query));
            println!("  {}", dim(&numbers));
        }
        for decided in &answer.overrides {
            let why = if decided.reason.is_empty() {
                String::new()
            } else {
                format!(": {}", flat(&decided.reason))
            };
            println!("{}  {}, by {}{why}", decided.action, bold(&decided.domain), decided.by);
        }
    }
}

impl Shown for ForageStrategies {
    fn say(answer: &StrategiesAnswer) {
        if answer.domains.is_empty() {
            println!("no page was read yet");
        }
        for one in &answer.domains {
            let how = match one.level {
                0 => "plain text",
                1 => "the article",
                _ => "whatever is no navigation",
            };
            println!(
                "{}  {how} {}",
                bold(&one.domain),
                dim(&format!("({} worked, {} did not)", one.successes, one.failures))
            );
        }
    }
}

impl Shown for ForageRecheck {
    fn say(answer: &RecheckAnswer) {
        for entry in &answer.entries {
            println!("{}  {}  {}", bold(&entry.handle), flat(&entry.found), dim(&flat(&entry.page)));
        }
        if let Some(why) = &answer.stopped {
            println!("stopped: {}", flat(why));
        }
        match (answer.entries.is_empty(), answer.left) {
            (true, 0) => println!("no entry came from a page"),
            (_, 0) => {}
            (_, left) => println!("{} not looked at", count(left, "entry was", "entries were")),
        }
    }
}

impl Shown for ForageOverride {
    fn say(done: &OverrideAnswer) {
        let already = if done.unchanged { " already" } else { "" };
        match done.action {
            "trust" => println!("{} is{already} trusted: its pages count for more", bold(&done.domain)),
            "distrust" => println!("{} is{already} distrusted: nothing of it is read", bold(&done.domain)),
            _ => println!(
                "nothing is decided about {}{}",
                bold(&done.domain),
                if done.unchanged { ", as before" } else { " any more" }
            ),
        }
    }
}

fn say(answer: &ForageAnswer) {
    match answer.state {
        "dry_run" => {
            println!("nothing was sent; this would be:");
            answer.sends.iter().for_each(|sent| println!("  {}", flat(sent)));
            println!(
                "  {}",
                dim(&format!("{} left today", count(answer.pages_left as usize, "page", "pages")))
            );
            return;
        }
        "waiting" => {
            match &answer.request {
                Some(request) => {
                    println!("{} waits for `ken forage run`: {}", bold(request), flat(&answer.query))
                }
                None => println!(
                    "it was asked or looked up lately, or too many requests wait: {}",
                    flat(&answer.query)
                ),
            }
            return;
        }
        _ => {}
    }
    for entry in &answer.entries {
        let also = match entry.also.len() {
            0 => String::new(),
            others => format!(", also claimed by {}", count(others, "independent site", "independent sites")),
        };
        match &entry.reason {
            None => println!("{} {}: {}", entry.outcome, bold(&entry.handle), flat(&entry.text)),
            Some(reason) => println!("{}: {}", entry.outcome, flat(reason)),
        }
        println!("  {}", dim(&format!("{}{also}", flat(&entry.page))));
    }
    let is_found = !answer.entries.is_empty();
    for line in
        answer.log.iter().filter(|line| line.outcome != "read" && (!is_found || line.outcome != "searched"))
    {
        println!("{}", dim(&format!("{}  {}", flat(&line.address), flat(&line.detail))));
    }
    if !is_found && answer.log.iter().any(|line| line.outcome == "read") {
        println!("no claim was found for {}", flat(&answer.query));
    }
    println!(
        "{}",
        dim(&format!(
            "{} used, {} left today",
            count(answer.pages as usize, "page", "pages"),
            answer.pages_left
        ))
    );
}
