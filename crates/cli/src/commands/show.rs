//! `show`, `why` and `log`, shown.

use kenning::core::Status;
use kenning::core::promotion::Standing;
use kenning::table::log::LogAnswer;
use kenning::table::show::ShowAnswer;
use kenning::table::{Log, Show, Why};
use kenning::{EntryView, Excerpt, Happening, WhyAnswer, guard};
use serde_json::Value;

use super::Shown;
use crate::output::{bold, cut, dim, flat, print_hanging, print_wrapped, println, width, wrap};

impl Shown for Show {
    fn say(answer: &ShowAnswer) {
        match answer {
            ShowAnswer::One(view) => say(view),
            ShowAnswer::Many { entries } => entries.iter().for_each(say),
            // The words of what was kept out are for a person, and stand in a fence all the same.
            ShowAnswer::Held { entries } => {
                for entry in entries {
                    let text = match &entry.held {
                        None | Some(Value::Null) => "this clone's quarantine has nothing of it".to_owned(),
                        Some(held) => format!("{:#}", held["fields"]),
                    };
                    println!("{}", guard::fence::block(&format!("quarantined: {}", entry.id), &text));
                }
            }
        }
    }
}

impl Shown for Why {
    fn say(answer: &WhyAnswer) {
        let title = match answer.entry.status {
            Status::Rejected => "(quarantined)",
            _ => answer.entry.fields.get("title").and_then(Value::as_str).unwrap_or_default(),
        };
        print_wrapped(&format!("{}  {}", bold(&answer.entry.handle), cut(title, usize::MAX)));
        for sentence in &answer.because {
            print_hanging(&format!("  - {}", cut(sentence, usize::MAX)), 4);
        }
        println!();
        answer.history.iter().for_each(tell);
    }
}

impl Shown for Log {
    fn say(answer: &LogAnswer) {
        for sentence in answer.overlay.told() {
            print_hanging(&format!("  {}", cut(&sentence, usize::MAX)), 2);
        }
        if answer.entries.is_empty() {
            answer.items.iter().for_each(tell);
        }
        for day in &answer.days {
            println!(
                "{}  {:>3} added  {:>3} changed  {:>3} runs",
                day.date, day.added, day.changed, day.runs
            );
        }
        let mut events = answer.items.iter();
        for entry in &answer.entries {
            print_wrapped(&bold(&format!("{}  {}", entry.handle, cut(&entry.title, usize::MAX))));
            events.by_ref().take(entry.events).for_each(tell);
        }
        if let Some(cursor) = &answer.cursor {
            println!("{}", dim(&format!("more: --cursor {cursor}")));
        }
    }
}

fn say(view: &EntryView) {
    let width = width();
    for sentence in view.overlay.told() {
        println!("{}", wrap(&sentence, 0, width));
    }
    let mark = if view.on_this_branch { "" } else { "  (not on this branch)" };
    let id = if view.handle == view.id { String::new() } else { format!("  {}", dim(&view.id)) };
    println!("{}  {}  {}{mark}{id}", bold(&view.handle), view.kind, view.status);
    let text = |name: &str| view.fields.get(name).and_then(Value::as_str);
    let title = text("title").unwrap_or_default();
    if view.status == Status::Rejected {
        println!("Its text is in quarantine. A person may read and release it:");
        println!("  ken show {0} --quarantined\n  ken quarantine release {0} --reason '...'", view.id);
    } else {
        println!("{}", wrap(title, 0, width));
    }
    if let Some(statement) = text("statement").filter(|statement| *statement != title) {
        println!("\n{}", wrap(statement, 2, width));
    }
    if let Some(detail) = text("detail") {
        println!("\n{}", wrap(detail, 2, width));
    }
    println!();
    let row = |name: &str, value: &str| {
        if !value.is_empty() {
            println!("  {:<13} {}", name, wrap(value, 16, width).trim_start());
        }
    };
    if let Some(reason) = &view.status_reason {
        row("because", reason);
    }
    view.failures.lines().for_each(|line| row("caution", line));
    if let Some(authority) = &view.authority {
        let state = match authority.state {
            Standing::InForce if view.memory == "procedural" => "in force: ",
            Standing::InForce => "",
            Standing::Void => "not in force: ",
            Standing::None => "",
        };
        row("authority", &format!("{state}{}", authority.why));
    }
    for citation in &view.provenance {
        let (kind, reference, by) = (citation.evidence_type, &citation.evidence_ref, &citation.cited_by);
        row("evidence", &format!("{kind}:{reference} by {}{}", flat(by), citation.mark()));
    }
    let shown = ["title", "statement", "detail"];
    for (name, value) in view.fields.iter().filter(|(name, _)| !shown.contains(&name.as_str())) {
        row(&name.replace('_', " "), &words(value));
    }
    let trouble = view.validity.trouble().map(|why| format!(": {why}")).unwrap_or_default();
    row("validity", &format!("{}{trouble}", view.validity.verdict));
    for anchor in view.validity.anchors.iter().filter(|anchor| anchor.found.now.is_some()) {
        row("now at", anchor.found.now.as_deref().unwrap_or_default());
    }
    row("proved", view.proved.as_deref().unwrap_or_default());
    let belief = &view.belief;
    let seen = match belief.observations {
        none if none < 0.005 => "not used yet".to_owned(),
        some => format!("{some:.1} observations"),
    };
    row("belief", &format!("{}  {seen}", crate::chart::bar(belief.mean, belief.certainty)));
    let told = match view.confirmation {
        Some(kenning::core::Confirmation::Primed) => ", then by its author or by agents that had seen it",
        Some(kenning::core::Confirmation::Independent) | None => "",
    };
    row("confirmed", &view.last_confirmed.as_ref().map(|date| format!("{date}{told}")).unwrap_or_default());
    if view.review_debt > 0 {
        row(
            "review debt",
            &format!(
                "{}: reviews in which it was injected but not confirmed independently",
                view.review_debt
            ),
        );
    }
    if view.prediction_errors > 0 {
        row("prediction errors", &view.prediction_errors.to_string());
    }
    if !view.gaps.is_empty() {
        row("gaps", &view.gaps.iter().map(|gap| gap.word()).collect::<Vec<_>>().join(", "));
    }
    row("state", view.state.map(|state| state.as_str()).unwrap_or_default());
    for link in &view.links {
        row(link.relation.word(), &format!("{} {}", link.to, link.title.as_deref().unwrap_or("(not here)")));
    }
    for link in &view.linked_from {
        let title = link.title.as_deref().unwrap_or("(not here)");
        row("linked from", &format!("{} {title} ({})", link.to, link.relation.word()));
    }
    match (&view.merged_into, &view.superseded_by) {
        (Some(into), _) => row("merged into", into),
        (None, Some(by)) => row("superseded by", by),
        (None, None) => {}
    }
    row("merged from", &view.merged_from.join(", "));
    if let Some(scan) = view.scan.as_ref().filter(|scan| !scan.findings.is_empty()) {
        row("scan", &format!("{}: {}", scan.tier.word(), scan.worst()));
    }
    for taint in &view.taint {
        row("tainted by", &format!("{} ({})", taint.from, taint.tier.word()));
    }
    for similar in &view.similar_to {
        row("similar to", &format!("{} ({:.2})", similar.id, similar.similarity));
    }
    for wording in &view.wordings {
        row("also stated as", wording);
    }
    let imported = view.imported.as_ref().map(|at| format!(", imported {}", &at[..10])).unwrap_or_default();
    // Both are cut to now where a wrong clock dated both: then the beginning is said in the words of a list.
    let wrong_since = view.wrong_clock.as_deref().filter(|_| view.updated == view.created);
    let created = wrong_since.unwrap_or(&view.created[..10]);
    row("created", &format!("{created} by {}{imported}", flat(&view.created_by)));
    match &view.wrong_clock {
        Some(_) if wrong_since.is_some() => {}
        Some(wrong) => row("updated", wrong),
        None if view.updated != view.created => row("updated", &view.updated[..10]),
        None => {}
    }
    row("file", view.file.as_deref().unwrap_or(""));
    for used in &view.used_with {
        row("used with", &format!("{} {}", used.id, used.title.as_deref().unwrap_or_default()));
    }
    for shown in &view.exposures {
        let at = shown.at.get(..10).unwrap_or(&shown.at);
        let run = if shown.run.starts_with('@') { String::new() } else { format!(" in {}", shown.run) };
        row("shown to", &format!("{} on {at}{run}, {}", shown.agent, shown.how));
    }
    for code in &view.code {
        for (when, side) in [("as captured", &code.captured), ("now", &code.now)] {
            match side {
                Some(side) => say_code(&format!("{when}, {}:{}", side.path, side.line), side),
                None => println!("\n  {}", dim(&format!("{when}: {} cannot be shown", code.at))),
            }
        }
        if let Some(why) = &code.why {
            println!("  {}", wrap(why, 2, width));
        }
    }
}

/// Lines of code below their title.
fn say_code(title: &str, side: &Excerpt) {
    println!("\n  {}", dim(title));
    for line in side.text.lines() {
        let indent: String = line.chars().take_while(|letter| letter.is_whitespace()).collect();
        println!("  | {}{}", indent.replace('\t', "    "), cut(line, usize::MAX));
    }
    if side.cut {
        println!("  | ...");
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(words).collect::<Vec<_>>().join("; "),
        Value::Object(map) => match map.get("at").and_then(Value::as_str) {
            Some(at) => at.to_owned(),
            None => map
                .iter()
                .map(|(name, value)| format!("{name}: {}", words(value)))
                .collect::<Vec<_>>()
                .join(", "),
        },
        other => other.to_string(),
    }
}

fn tell(happening: &Happening) {
    let mark = match (happening.on_this_branch, happening.deferred) {
        (true, _) => "",
        (false, true) => " (only in the journal)",
        (false, false) => " (not on this branch)",
    };
    let at = match &happening.wrong_clock {
        Some(wrong) => wrong.clone(),
        None => happening.at.get(..16).unwrap_or(&happening.at).replace('T', " "),
    };
    let summary = cut(&happening.summary, usize::MAX);
    let line = format!("  {} {at}  {}  {summary}{mark}", dim(&happening.hash[..10]), flat(&happening.actor));
    // What continues stands below the time, so that the hashes remain a column of their own.
    print_hanging(&line, 13);
}
