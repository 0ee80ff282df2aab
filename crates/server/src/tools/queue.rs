//! `queue`: what waits for a judgement, as a worksheet; and the worksheet filled in.

use kenning::ops::queue::Verdict as Ruling;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::tool::{Answer, Nature, Tool};

#[derive(Deserialize, JsonSchema)]
struct Queue {
    limit: Option<usize>,
    cursor: Option<String>,
    #[serde(default)]
    answers: Vec<Filled>,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Filled {
    item: String,
    /// One of the answers the item allows
    answer: String,
    reason: String,
}

/// Items, when nobody says how many.
const ITEMS: usize = 10;

pub(super) fn queue() -> Tool {
    Tool::new(
        "queue",
        "Queue",
        Nature::Adds,
        "The review queue: duplicates, broken or incomplete entries. Fix them, or call again with `answers`.",
        "items:array",
        |door, asker, input: Queue| {
            let limit = input.limit.unwrap_or(ITEMS);
            if input.answers.is_empty() {
                return door.ask(asker, true, |room| {
                    let sheet = kenning::queue::queue_page(
                        &mut room.ken.ledger,
                        &room.ken.site,
                        &mut room.ken.models,
                        &room.ken.caller,
                        limit,
                        input.cursor.as_deref(),
                    )?;
                    let mut lines = Vec::new();
                    for item in &sheet.items {
                        lines.push(format!(
                            "{}: {} ({})",
                            item.item,
                            item.question,
                            item.answers.join(" | ")
                        ));
                        for entry in &item.entries {
                            let says = kenning::deliver::safe(&entry.statement);
                            lines.push(format!("  [{}] {}", entry.head.id, says.replace('\n', " ")));
                        }
                        for fix in &item.fixes {
                            lines.push(format!("  {}: {}", fix.does, fix.tool));
                        }
                    }
                    lines.push(match sheet.total {
                        0 => "the review queue is empty".to_owned(),
                        total => {
                            format!("{total} in all; call again with answers: [{{item, answer, reason}}]")
                        }
                    });
                    if let Some(cursor) = &sheet.cursor {
                        lines.push(format!("More items: call again with cursor {cursor:?}"));
                    }
                    let text = kenning::guard::fence::block("Kenning", &lines.join("\n"));
                    Ok(Answer::new(text, &sheet)?.told_global(room.is_global))
                });
            }
            let rulings: Vec<Ruling> = input
                .answers
                .iter()
                .map(|filled| Ruling {
                    item: filled.item.clone(),
                    answer: filled.answer.clone(),
                    reason: filled.reason.clone(),
                })
                .collect();
            door.ask(asker, false, |room| {
                let judged = kenning::queue::judge(
                    &mut room.ken.ledger,
                    &room.ken.site,
                    &mut room.ken.models,
                    &room.ken.caller,
                    &rulings,
                    limit,
                    None,
                )?;
                let lines: Vec<String> =
                    judged.results.iter().map(|result| format!("{}: {}", result.item, result.done)).collect();
                let is_error = judged.results.iter().all(|result| !result.accepted);
                Ok(Answer { is_error, ..Answer::new(lines.join("\n"), &judged)? })
            })
        },
    )
}
