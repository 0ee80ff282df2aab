//! `status`, and `ken` alone: where one stands (COR-17).

use kenning::requests::NoFields;
use kenning::table::Status;
use kenning::{Attention, Result, Standing, StatusAnswer, Uncommitted};

use super::{CommandLine, Shown, help};
use crate::limits::SOURCES_SHOWN_MAX;
use crate::output::{Colour, bold, coloured, count, cut, dim, flat, print_hanging, println, width};

/// What `ken` is, for somebody who has no store yet.
const WHAT_IT_IS: &str =
    "Kenning keeps what you learn about your code next to it, and says when it no longer holds.";

impl Shown for Status {
    fn say(answer: &StatusAnswer) {
        match &answer.standing {
            Some(standing) => say(standing),
            None => {
                help::wrapped(WHAT_IT_IS, 0, width()).iter().for_each(|line| println!("{line}"));
                println!("There is no store here yet.");
            }
        }
        line("Next", &bold(&answer.next));
    }
}

/// `ken` alone: the status, and the verbs of every day.
pub(crate) fn alone(line: &CommandLine) -> Result<u8> {
    let code = Status::start(line, NoFields {})?;
    if !line.output.json {
        println!("\n{}", help::everyday(width()));
    }
    Ok(code)
}

/// A line of the status: a label, and what is to be said under it.
fn line(label: &str, text: &str) {
    print_hanging(&format!("{}  {text}", dim(&format!("{label:<8}"))), 10);
}

fn say(standing: &Standing) {
    let holds = &standing.holds;
    let mut entries = holds.entries.to_string();
    if holds.entries > 0 {
        entries += &format!(": {}", holds.by_status());
    }
    if holds.global > 0 {
        entries += &format!("; {} more in the global store", holds.global);
    }
    line("Entries", &entries);
    if let Some(changes) = &standing.uncommitted {
        line("Changed", &changed(changes));
    }
    broken(standing);
    for source in standing.changed_sources.iter().take(SOURCES_SHOWN_MAX) {
        line("Imports", &format!("{} {} (ken check)", flat(&source.path), super::foreign::in_words(source)));
    }
    if standing.changed_sources.len() > SOURCES_SHOWN_MAX {
        let more = standing.changed_sources.len() - SOURCES_SHOWN_MAX;
        line("Imports", &format!("{} changed as well (ken check)", count(more, "other file", "other files")));
    }
    line("Waiting", &waiting(&standing.waiting));
}

fn changed(changes: &Uncommitted) -> String {
    let parts = [
        (changes.added, "new entry", "new entries"),
        (changes.changed, "changed entry", "changed entries"),
        (changes.removed, "removed entry", "removed entries"),
        (changes.other_files, "other file", "other files"),
    ];
    match counted(&parts) {
        None => "nothing since the last commit".to_owned(),
        Some(parts) => format!("{parts}; not committed"),
    }
}

/// `1 new entry, 2 other files`: what there is any of.
fn counted(parts: &[(usize, &str, &str)]) -> Option<String> {
    let parts: Vec<String> = parts
        .iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| count(*number, one, many))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What is broken, and how old that knowledge is.
fn broken(standing: &Standing) {
    let checked = match &standing.checked_at {
        Some(at) => format!("last check {}", cut(at, usize::MAX).replace('T', " ").get(..16).unwrap_or(at)),
        None => "never checked here".to_owned(),
    };
    let mut found = Vec::new();
    if standing.broken > 0 {
        found.push(count(standing.broken, "entry no longer holds", "entries no longer hold"));
    }
    if standing.drifted > 0 {
        found.push(count(
            standing.drifted,
            "entry may not hold: its code changed",
            "entries may not hold: their code changed",
        ));
    }
    if standing.damaged_lines > 0 {
        found.push(count(standing.damaged_lines, "damaged line", "damaged lines"));
    }
    match found.is_empty() {
        true if standing.holds.entries == 0 => line("Broken", "nothing"),
        true => line("Broken", &format!("nothing known ({checked})")),
        false => line(
            "Broken",
            &format!("{} ({checked})", coloured(&format!("! {}", found.join(", ")), Colour::Yellow)),
        ),
    }
}

fn waiting(waiting: &Attention) -> String {
    let parts = [
        (waiting.approvals, "approval", "approvals"),
        (waiting.contradictions, "contradiction", "contradictions"),
        (waiting.held, "edited or deleted file", "edited or deleted files"),
        (waiting.queue.drafts, "incomplete entry", "incomplete entries"),
        (waiting.queue.duplicates, "likely duplicate", "likely duplicates"),
        (waiting.queue.rejected, "entry quarantined", "entries quarantined"),
    ];
    counted(&parts).unwrap_or_else(|| "nothing".to_owned())
}
