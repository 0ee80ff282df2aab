//! `check`: whether entries still hold, and what a change does to them.

use kenning::core::words::one_line;
use kenning::core::{Code, Refusal, Verdict};
use kenning::{Checked, DiffAnswer, Norm, Result, Which};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::one_or_many;
use crate::limits::{CHECK_CHARS_MAX, CHECK_TEXT_CHARS_MAX, TITLE_CHARS_MAX};
use crate::tool::{Answer, Nature, Tool};

#[derive(Deserialize, JsonSchema)]
struct Check {
    #[serde(default, deserialize_with = "one_or_many")]
    ids: Vec<String>,
    /// Files, folders, globs
    #[serde(default, deserialize_with = "one_or_many")]
    paths: Vec<String>,
    /// Uncommitted changes
    #[serde(default)]
    changed: bool,
    /// BASE..HEAD
    diff: Option<String>,
    cursor: Option<String>,
}

pub(super) fn check() -> Tool {
    Tool::new(
        "check",
        "Check",
        Nature::Reads,
        "Check whether entries still hold, and what a change breaks. Use it before you rely on an entry.",
        "summary:object",
        |door, asker, input: Check| {
            door.ask(asker, true, |room| {
                let from = page_start(input.cursor.as_deref())?;
                let named: Vec<String> = input.ids.iter().chain(&input.paths).cloned().collect();
                let alone = match (&input.diff, input.changed) {
                    (Some(_), true) => Some(("diff", "`changed`")),
                    (Some(_), false) if !named.is_empty() => Some(("diff", "`ids` or `paths`")),
                    (None, true) if !named.is_empty() => Some(("changed", "`ids` or `paths`")),
                    _ => None,
                };
                if let Some((field, others)) = alone {
                    return Err(stands_alone(field, others));
                }
                if let Some(range) = &input.diff {
                    let mut change = kenning::check::check_diff(&room.ken.ledger, &room.ken.site, range)?;
                    let mut lines = heading(&change);
                    let mut room_left = Space::after(&lines);
                    let all = std::mem::take(&mut change.entries);
                    let page = room_left.page(all, from, |affected| {
                        Some(named_line(&affected.entry, affected.effect.word()))
                    });
                    let norms = std::mem::take(&mut change.norms);
                    let norms = room_left.page(norms, 0, |norm: &Norm| {
                        Some(kenning::deliver::safe(&format!("norm {}: {}", norm.head.id, norm.rule)))
                    });
                    lines.extend(page.lines);
                    lines.extend(norms.lines);
                    lines.extend(
                        norms.next.map(|_| "and more norms: `ken check --diff` lists them".to_owned()),
                    );
                    let ids = page.items.iter().map(|one| one.entry.head.id.clone()).collect();
                    (change.entries, change.norms) = (page.items, norms.items);
                    return Ok(paged(&lines, &change, page.next)?.with_entries(ids));
                }
                let which = match (named.is_empty(), input.changed) {
                    (false, _) => kenning::check::which(&room.ken.ledger, &room.ken.site, &named)?,
                    (true, true) => {
                        Which::Touching(kenning::check::changed_files(&room.ken.site.layout)?, Vec::new())
                    }
                    (true, false) => Which::All,
                };
                let mut answer =
                    kenning::check::check(&mut room.ken.ledger, &room.ken.site, &room.ken.caller, &which)?;
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
                let page = Space::after(&lines).page(std::mem::take(&mut answer.entries), from, |entry| {
                    let is_troubled = matches!(entry.verdict, Verdict::Drifted | Verdict::Broken);
                    is_troubled.then(|| named_line(entry, entry.verdict.word()))
                });
                lines.extend(page.lines);
                let ids = page.items.iter().map(|entry| entry.head.id.clone()).collect();
                answer.entries = page.items;
                let answer = paged(&lines, &answer, page.next)?;
                Ok(answer.with_entries(ids).told_global(room.is_global))
            })
        },
    )
}

/// What looks at all entries is not narrowed: an answer about everything would be taken for one about some.
fn stands_alone(field: &'static str, others: &str) -> kenning::Error {
    Refusal::new(
        Code::Invalid,
        format!("`{field}` checks every entry, so it cannot be combined with {others}"),
    )
    .hint("ask twice")
    .field(field)
    .into()
}

/// The number of entries that earlier answers gave.
fn page_start(cursor: Option<&str>) -> Result<usize> {
    let Some(cursor) = cursor else { return Ok(0) };
    cursor.parse().map_err(|_| {
        Refusal::new(Code::Invalid, format!("unknown cursor {cursor:?}"))
            .hint("give the `cursor` of the last answer, or leave `cursor` out")
            .field("cursor")
            .into()
    })
}

/// What an answer still has room for.
struct Space {
    value_chars: usize,
    text_chars: usize,
    is_empty: bool,
}

/// Some of a list, with a line for each that people should read, and where the next page begins.
struct Page<T> {
    items: Vec<T>,
    lines: Vec<String>,
    next: Option<usize>,
}

impl Space {
    /// The room that is left after some lines.
    fn after(lines: &[String]) -> Space {
        let taken: usize = lines.iter().map(|line| line.len() + 1).sum();
        Space {
            value_chars: CHECK_CHARS_MAX,
            text_chars: CHECK_TEXT_CHARS_MAX.saturating_sub(taken),
            is_empty: true,
        }
    }

    /// Items from a place on, as many as there is room for in the value and in the text, at least one of an answer.
    fn page<T: Serialize>(
        &mut self,
        all: Vec<T>,
        from: usize,
        told: impl Fn(&T) -> Option<String>,
    ) -> Page<T> {
        let mut page = Page { items: Vec::new(), lines: Vec::new(), next: None };
        for item in all.into_iter().skip(from) {
            let line = told(&item);
            let value = serde_json::to_string(&item).map_or(0, |text| text.len());
            let text = line.as_ref().map_or(0, |line| line.len() + 1);
            if !self.is_empty && (value > self.value_chars || text > self.text_chars) {
                page.next = Some(from + page.items.len());
                break;
            }
            self.is_empty = false;
            self.value_chars = self.value_chars.saturating_sub(value);
            self.text_chars = self.text_chars.saturating_sub(text);
            page.lines.extend(line);
            page.items.push(item);
        }
        page
    }
}

/// An answer with the cursor of the next page.
fn paged<T: Serialize>(lines: &[String], answer: &T, next: Option<usize>) -> Result<Answer> {
    let mut text = lines.join("\n");
    if let Some(next) = next {
        text = format!("{text}\nMore entries: call again with cursor {next}");
    }
    let mut answer = Answer::new(text, answer)?;
    if let (Some(next), Value::Object(fields)) = (next, &mut answer.value) {
        fields.insert("cursor".to_owned(), next.to_string().into());
    }
    Ok(answer)
}

/// An entry with what became of it: id, title and what changed.
fn named_line(entry: &Checked, became: &str) -> String {
    let seen = entry.anchors.iter().find(|anchor| anchor.found.verdict == entry.verdict);
    let why = entry.cause.clone().or_else(|| Some(format!("{}: {}", seen?.at, seen?.found.why)));
    let title = one_line(&entry.head.title, TITLE_CHARS_MAX);
    let title = title.trim_end_matches('.');
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    kenning::deliver::safe(&format!("[{}] {became}: {title}{why}", entry.head.handle))
}

/// What a change does to all entries together.
fn heading(change: &DiffAnswer) -> Vec<String> {
    if change.entries.is_empty() && change.norms.is_empty() {
        return vec![format!("{} to {}: no entry is affected", change.base, change.head)];
    }
    let summary = change.summary;
    vec![
        format!("{} to {}: {} affected", change.base, change.head, change.entries.len()),
        format!(
            "after it, of all entries: {} fresh, {} moved, {} drifted, {} broken, {} unverifiable",
            summary.fresh, summary.moved, summary.drifted, summary.broken, summary.unverifiable
        ),
    ]
}
