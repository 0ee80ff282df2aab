//! `check`: which entries still hold, and what a change of the code does to them.

mod report;

use std::collections::BTreeMap;

use kenning::core::answer::ConditionVerdict;
use kenning::core::{EntryHead, Verdict};
use kenning::table::Check;
use kenning::table::check::{CheckRequest, FORMATS, Looked, Seen};
use kenning::verb::read_word;
use kenning::{Accepted, Affected, CheckAnswer, Checked, DiffAnswer, Proof, Result, Summary};
use serde_json::Value;

use super::{Session, Shown};
use crate::output::{Colour, bold, coloured, cut_columns, dim, print_wrapped, println, width};

/// Entries shown of each verdict; the rest are counted.
const SHOWN_MAX: usize = 40;

impl Shown for Check {
    fn execute(session: &Session, request: CheckRequest) -> Result<u8> {
        let all = request.ids.is_empty();
        let said = request.format.clone();
        let mut call = session.call(None)?;
        let answer = Self::run_noting(session, &mut call, request)?;
        let format = said.as_deref().unwrap_or("text");
        match read_word("format", "format", format, FORMATS, read_format)? {
            Format::Sarif => say_sarif(&match &answer.seen {
                Seen::Entries(looked) => report::of_check(&looked.answer),
                Seen::Change(change) => report::of_diff(change),
            }),
            Format::Plain => session.output.answer(&answer, || match &answer.seen {
                Seen::Entries(looked) => say_looked(looked, all),
                Seen::Change(change) => say_diff(change),
            })?,
        }
        let code = Self::exit_code(&answer);
        // The process ends here: taking ten thousand entries apart would cost more than telling about them.
        std::mem::forget(answer);
        Ok(code)
    }
}

enum Format {
    Plain,
    Sarif,
}

fn read_format(word: &str) -> Option<Format> {
    match word {
        "text" => Some(Format::Plain),
        "sarif" => Some(Format::Sarif),
        _ => None,
    }
}

fn say_looked(looked: &Looked, all: bool) {
    looked.accepted.iter().flatten().for_each(say_accepted);
    looked.proofs.iter().flatten().for_each(say_proof);
    say(&looked.answer, all);
    super::foreign::say_changed_sources(&looked.changed_sources);
}

pub(super) fn say_sarif(document: &Value) {
    println!("{document:#}");
}

fn say(answer: &CheckAnswer, brief: bool) {
    let mut shown: BTreeMap<Verdict, usize> = BTreeMap::new();
    for entry in &answer.entries {
        // Of everything, only what somebody could do something about is told.
        let open =
            entry.verdict == Verdict::Unverifiable && entry.anchors.is_empty() && entry.conditions.is_empty();
        if brief && (entry.verdict == Verdict::Fresh || open) {
            continue;
        }
        let count = shown.entry(entry.verdict).or_default();
        *count += 1;
        if *count <= SHOWN_MAX {
            say_entry(entry, entry.verdict.word());
        }
    }
    for (verdict, count) in shown.iter().filter(|(_, count)| **count > SHOWN_MAX) {
        println!("{} more {verdict}: ken check --json lists them", count - SHOWN_MAX);
    }
    say_summary(&answer.summary);
    say_hints(&answer.summary);
}

fn say_entry(entry: &Checked, mark: &str) {
    let EntryHead { handle, title, .. } = &entry.head;
    let colour = match entry.verdict {
        Verdict::Fresh => Colour::Green,
        Verdict::Moved | Verdict::Drifted => Colour::Yellow,
        Verdict::Broken => Colour::Red,
        Verdict::Unverifiable => Colour::Dim,
    };
    let mark = coloured(&format!("{mark:<12}"), colour);
    println!("{mark} {}  {}", bold(handle), cut_columns(title, width().saturating_sub(26)));
    if let Some(inactive) = &entry.inactive {
        print_wrapped(&format!("    it is {inactive}"));
    }
    if !entry.chain.is_empty() {
        let cause = entry.cause.as_ref().map(|cause| format!(": {}", dim(cause))).unwrap_or_default();
        print_wrapped(&format!("    because of {}{cause}", entry.chain.join(", which depends on ")));
    }
    for condition in entry.conditions.iter().filter(|condition| condition.verdict != ConditionVerdict::Holds)
    {
        print_wrapped(&format!("    {} {}: {}", condition.text, condition.verdict, dim(&condition.why)));
    }
    for anchor in entry.anchors.iter().filter(|anchor| anchor.found.verdict != Verdict::Fresh) {
        match &anchor.found.now {
            Some(now) if anchor.found.verdict == Verdict::Moved => {
                print_wrapped(&format!("    {} moved to {now}", anchor.at))
            }
            Some(now) => print_wrapped(&format!(
                "    {} {}, now {now}: {}",
                anchor.at,
                anchor.found.verdict,
                dim(&anchor.found.why)
            )),
            None => print_wrapped(&format!(
                "    {} {}: {}",
                anchor.at,
                anchor.found.verdict,
                dim(&anchor.found.why)
            )),
        }
    }
}

fn say_summary(summary: &Summary) {
    if summary.entries == 0 {
        println!("There are no entries to check.");
        return;
    }
    let entries = if summary.entries == 1 { "entry" } else { "entries" };
    println!("{} {entries}: {}", summary.entries, summary.counts());
}

fn say_hints(summary: &Summary) {
    if summary.to_accept > 0 {
        println!("{}", dim("`ken check --accept` updates the anchors"));
    }
    if summary.drifted > 0 {
        print_wrapped(&dim(
            "if a drifted entry still holds: `ken check ID --accept --drifted`; otherwise revise, supersede or retract it",
        ));
    }
}

fn say_accepted(accepted: &Accepted) {
    let was =
        if accepted.from == accepted.to { "updated".to_owned() } else { format!("is now {}", accepted.to) };
    println!("{}  {} {was}", bold(&accepted.head.handle), accepted.from);
}

fn say_proof(proof: &Proof) {
    for step in &proof.steps {
        println!("{:<12} {}  {}: {}", step.outcome.word(), bold(&proof.handle), step.step, dim(&step.why));
    }
}

fn say_diff(answer: &DiffAnswer) {
    let files = if answer.files == 1 { "file" } else { "files" };
    println!("{} to {}: {} {files} changed", bold(&answer.base), bold(&answer.head), answer.files);
    for Affected { effect, entry, .. } in answer.entries.iter().take(SHOWN_MAX) {
        say_entry(entry, effect.word());
    }
    if answer.entries.len() > SHOWN_MAX {
        println!("{} more: --json lists them", answer.entries.len() - SHOWN_MAX);
    }
    if answer.entries.is_empty() {
        println!("No entry is affected.");
    }
    for norm in answer.norms.iter().take(SHOWN_MAX) {
        println!("{:<12} {}  {}", "norm", bold(&norm.head.id), norm.rule);
        println!("    about {}", norm.files.iter().take(5).cloned().collect::<Vec<_>>().join(", "));
    }
    if answer.summary.entries > 0 {
        println!("All entries after the change:");
    }
    say_summary(&answer.summary);
}
