//! `stats`, shown.

use kenning::table::Stats;
use kenning::{Calls, StatsAnswer};

use super::Shown;
use crate::output::{bold, count, cut, plain, print_hanging, print_wrapped, println};

impl Shown for Stats {
    fn say(answer: &StatsAnswer) {
        let period =
            if answer.period == "all" { "ever".to_owned() } else { format!("last {}", answer.period) };
        println!("{}", bold(&format!("Delivered to agents, {period}")));
        match &answer.total {
            Some(total) => {
                print_wrapped(&format!("  {}", told(total)));
                for calls in &answer.deliveries {
                    let host = if calls.host.is_empty() { "unknown" } else { calls.host.as_str() };
                    let place = format!("{} {host} {}", calls.door, calls.what);
                    print_wrapped(&format!("  {}: {}", plain(&place), told(calls)));
                }
            }
            None => {
                let text =
                    "Nothing was delivered by hooks or the MCP server. `ken setup HOST` connects an agent.";
                print_hanging(&format!("  {text}"), 2);
            }
        }
        let usage = &answer.usage;
        println!("{}", bold(&format!("Unanswered queries, {period}")));
        let questions = &usage.questions;
        print_wrapped(&format!(
            "  {} without results, {} with only a weak result",
            count(questions.unanswered, "query", "queries"),
            questions.missed
        ));
        questions
            .latest
            .iter()
            .for_each(|query| print_hanging(&format!("  - {}", cut(query, usize::MAX)), 4));
        println!("{}", bold("Entries"));
        let never = match usage.never_delivered {
            0 => String::new(),
            never => format!("; {never} never shown to anybody"),
        };
        print_wrapped(&format!("  {} in use{never}", count(usage.entries, "entry is", "entries are")));
        if usage.unearned_count > 0 {
            print_wrapped(&format!(
                "  {} delivered repeatedly for over a month, never used with success, never confirmed:",
                count(usage.unearned_count, "was", "were")
            ));
        }
        for one in &usage.unearned {
            let line = format!(
                "{}  {} times, at least {} tokens  {}",
                one.handle, one.delivered, one.tokens, one.title
            );
            print_hanging(&format!("  - {}", cut(&line, usize::MAX)), 4);
        }
    }
}

fn told(calls: &Calls) -> String {
    let mut parts = vec![count(calls.calls, "call", "calls")];
    if calls.done < calls.calls {
        parts.push(count(calls.hits, "hit", "hits"));
        parts.push(format!("{} empty", calls.empties));
    }
    let rare = [
        (calls.done, "done"),
        (calls.errors, "failed"),
        (calls.late, "too late"),
        (calls.skipped, "skipped"),
    ];
    parts.extend(
        rare.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}")),
    );
    parts.push(format!("{} tokens", calls.tokens));
    parts.push(format!("median {} ms, 95 % within {} ms", calls.median_ms, calls.p95_ms));
    parts.join(", ")
}
