//! `check`: whether entries still hold, and what a change does to them.

use kenning::core::Verdict;
use kenning::{Touched, Which};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::one_or_many;
use crate::tool::{Answer, Nature, Tool};

#[derive(Deserialize, JsonSchema)]
struct Check {
    #[serde(default, deserialize_with = "one_or_many")]
    ids: Vec<String>,
    /// About these files
    #[serde(default, deserialize_with = "one_or_many")]
    paths: Vec<String>,
    /// About files with uncommitted changes
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
        "Whether entries still hold against the code, and what a change breaks. Use it before you rely on one and after a change.",
        "summary:object",
        |door, asker, input: Check| {
            door.ask(asker, true, |room| {
                if let Some(range) = &input.diff {
                    let answer = room.ken.check_diff(range)?;
                    let mut answer = Answer::of(String::new(), &answer)?;
                    answer.text = summed_up(&answer.value);
                    return Ok(answer);
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
                lines.extend(troubled.take(LINES_MAX).map(|entry| {
                    let why = entry
                        .cause
                        .clone()
                        .or_else(|| {
                            let seen =
                                entry.anchors.iter().find(|anchor| anchor.found.verdict == entry.verdict)?;
                            Some(seen.found.why.clone())
                        })
                        .unwrap_or_default();
                    let title = entry.title.as_deref().unwrap_or_default();
                    format!("{} {}: {title} {why}", entry.handle, entry.verdict.word())
                }));
                let entries = answer.entries.iter().take(LINES_MAX).map(|entry| entry.id.clone()).collect();
                Ok(Answer::of(lines.join("\n"), &answer)?.with_entries(entries).told_global(room.is_global))
            })
        },
    )
}

/// The counts of a summary, in a line.
fn summed_up(value: &Value) -> String {
    let counts = value["summary"].as_object().into_iter().flatten();
    let counts: Vec<String> = counts
        .filter(|(_, count)| count.as_u64().is_some_and(|count| count > 0))
        .map(|(name, count)| format!("{count} {}", name.replace('_', " ")))
        .collect();
    if counts.is_empty() { "the change touches no entry".to_owned() } else { counts.join(", ") }
}
