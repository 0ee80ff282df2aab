//! `stats`, shown.

use kenning::table::Stats;
use kenning::{Calls, StatsAnswer};

use super::Shown;
use crate::output::{bold, count, cut, plain, println, width, wrap};

impl Shown for Stats {
    fn say(answer: &StatsAnswer) {
        let period =
            if answer.period == "all" { "ever".to_owned() } else { format!("last {}", answer.period) };
        println!("{}", bold(&format!("Delivered to agents, {period}")));
        match &answer.total {
            Some(total) => {
                println!("  {}", told(total));
                for calls in &answer.deliveries {
                    let host = if calls.host.is_empty() { "unknown" } else { calls.host.as_str() };
                    let place = format!("{} {host} {}", calls.door, calls.what);
                    println!("  {}: {}", plain(&place), told(calls));
                }
            }
            None => {
                let text = "Nothing was delivered. Hooks and the MCP server record deliveries; `ken setup HOST` connects an agent.";
                println!("{}", wrap(text, 2, width()));
            }
        }
        let usage = &answer.usage;
        println!("{}", bold(&format!("Unanswered queries, {period}")));
        let questions = &usage.questions;
        println!(
            "  {} without results, {} with only a weak result",
            count(questions.unanswered, "query", "queries"),
            questions.missed
        );
        questions.latest.iter().for_each(|query| println!("  - {}", cut(query, width() - 4)));
        println!("{}", bold("Entries"));
        println!(
            "  {} in use; {} never delivered",
            count(usage.entries, "entry is", "entries are"),
            usage.never_delivered
        );
        if usage.unearned_count > 0 {
            println!(
                "  {} delivered repeatedly for over a month, never used with success, never confirmed:",
                count(usage.unearned_count, "was", "were")
            );
        }
        for one in &usage.unearned {
            let line = format!(
                "{}  {} times, at least {} tokens  {}",
                one.handle, one.delivered, one.tokens, one.title
            );
            println!("  - {}", cut(&line, width() - 4));
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
