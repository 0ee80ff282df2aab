//! `check`: whether entries still hold, and what a change does to them.

use kenning::core::Verdict;
use kenning::core::words::one_line;
use kenning::{Checked, DiffAnswer, Touched, Which};
use schemars::JsonSchema;
use serde::Deserialize;

use super::one_or_many;
use crate::limits::TITLE_CHARS_MAX;
use crate::tool::{Answer, Nature, Tool};

#[derive(Deserialize, JsonSchema)]
struct Check {
    #[serde(default, deserialize_with = "one_or_many")]
    ids: Vec<String>,
    /// Only entries about these files
    #[serde(default, deserialize_with = "one_or_many")]
    paths: Vec<String>,
    /// Only entries about uncommitted changes
    #[serde(default)]
    changed: bool,
    /// BASE..HEAD
    diff: Option<String>,
}

/// So many lines, and no more, say what does not hold.
const LINES_MAX: usize = 20;

pub(super) fn check() -> Tool {
    Tool::new(
        "check",
        "Check",
        Nature::Reads,
        "Check whether entries still hold against the code, and what a change breaks. Use it before relying on an entry and after a change.",
        "summary:object",
        |door, asker, input: Check| {
            door.ask(asker, true, |room| {
                if let Some(range) = &input.diff {
                    let change = room.ken.check_diff(range)?;
                    let entries = change.entries.iter().take(LINES_MAX);
                    let entries = entries.map(|affected| affected.entry.head.id.clone()).collect();
                    return Ok(Answer::new(told(&change), &change)?.with_entries(entries));
                }
                let which = if !input.ids.is_empty() {
                    Which::Named(input.ids.clone())
                } else if !input.paths.is_empty() {
                    Which::Touching(Touched {
                        files: input.paths.iter().cloned().collect(),
                        manifests: false,
                    })
                } else if input.changed {
                    Which::Touching(room.ken.changed_files()?)
                } else {
                    Which::All
                };
                let answer = room.ken.check(&which)?;
                let summary = answer.summary;
                let mut lines = vec![format!(
                    "{} looked at: {} fresh, {} moved, {} drifted, {} broken, {} unverifiable",
                    summary.entries,
                    summary.fresh,
                    summary.moved,
                    summary.drifted,
                    summary.broken,
                    summary.unverifiable
                )];
                let troubled = answer
                    .entries
                    .iter()
                    .filter(|entry| matches!(entry.verdict, Verdict::Drifted | Verdict::Broken));
                lines.extend(troubled.take(LINES_MAX).map(|entry| named(entry, entry.verdict.word())));
                let entries =
                    answer.entries.iter().take(LINES_MAX).map(|entry| entry.head.id.clone()).collect();
                Ok(Answer::new(lines.join("\n"), &answer)?.with_entries(entries).told_global(room.is_global))
            })
        },
    )
}

/// An entry with what became of it: id, title and what changed.
fn named(entry: &Checked, became: &str) -> String {
    let seen = entry.anchors.iter().find(|anchor| anchor.found.verdict == entry.verdict);
    let why = entry.cause.clone().or_else(|| Some(format!("{}: {}", seen?.at, seen?.found.why)));
    let title = one_line(&entry.head.title, TITLE_CHARS_MAX);
    let title = title.trim_end_matches('.');
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    kenning::deliver::safe(&format!("[{}] {became}: {title}{why}", entry.head.handle))
}

/// What a change does, by entry.
fn told(change: &DiffAnswer) -> String {
    if change.entries.is_empty() && change.norms.is_empty() {
        return format!("{} to {}: no entry is affected", change.base, change.head);
    }
    let entries = change.entries.len();
    let mut lines = vec![format!("{} to {}: {entries} affected", change.base, change.head)];
    lines.extend(
        change.entries.iter().take(LINES_MAX).map(|affected| named(&affected.entry, affected.effect.word())),
    );
    if entries > LINES_MAX {
        lines.push(format!("{} more", entries - LINES_MAX));
    }
    let norms = change.norms.iter().take(LINES_MAX);
    lines.extend(norms.map(|norm| kenning::deliver::safe(&format!("norm {}: {}", norm.head.id, norm.rule))));
    let summary = change.summary;
    lines.push(format!(
        "after it, of all entries: {} fresh, {} moved, {} drifted, {} broken, {} unverifiable",
        summary.fresh, summary.moved, summary.drifted, summary.broken, summary.unverifiable
    ));
    lines.join("\n")
}
