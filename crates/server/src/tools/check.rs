//! `check`: whether entries still hold, and what a change does to them.

use kenning::core::words::one_line;
use kenning::core::{Code, Refusal, Verdict};
use kenning::{Checked, DiffAnswer, Result, Which};
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
    /// `next` of the last answer
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
                if let Some(range) = &input.diff {
                    let mut change = room.ken.check_diff(range)?;
                    let text = told(&change);
                    let norms = std::mem::take(&mut change.norms);
                    let (entries, norms, next) = page(std::mem::take(&mut change.entries), norms, from);
                    let ids = entries.iter().map(|one| one.entry.head.id.clone()).collect();
                    change.entries = entries;
                    change.norms = norms;
                    return Ok(paged(text, &change, next)?.with_entries(ids));
                }
                let named: Vec<String> = input.ids.iter().chain(&input.paths).cloned().collect();
                let which = match (named.is_empty(), input.changed) {
                    (false, _) => room.ken.which(&named)?,
                    (true, true) => Which::Touching(room.ken.changed_files()?, Vec::new()),
                    (true, false) => Which::All,
                };
                let mut answer = room.ken.check(&which)?;
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
                let (entries, _, next) = page(std::mem::take(&mut answer.entries), Vec::<()>::new(), from);
                let troubled = entries
                    .iter()
                    .filter(|entry| matches!(entry.verdict, Verdict::Drifted | Verdict::Broken));
                lines.extend(troubled.map(|entry| named_line(entry, entry.verdict.word())));
                let ids = entries.iter().map(|entry| entry.head.id.clone()).collect();
                answer.entries = entries;
                let answer = paged(fitting(lines), &answer, next)?;
                Ok(answer.with_entries(ids).told_global(room.is_global))
            })
        },
    )
}

/// The number of entries that earlier answers gave.
fn page_start(cursor: Option<&str>) -> Result<usize> {
    let Some(cursor) = cursor else { return Ok(0) };
    cursor.parse().map_err(|_| {
        Refusal::new(Code::Invalid, format!("unknown cursor {cursor:?}"))
            .hint("give `next` of the last answer, or leave `cursor` out")
            .field("cursor")
            .into()
    })
}

/// Entries from a place on, as many as an answer has room for, at least one; what else there is room for; and where the next page begins.
fn page<T: Serialize, N: Serialize>(
    entries: Vec<T>,
    rest: Vec<N>,
    from: usize,
) -> (Vec<T>, Vec<N>, Option<usize>) {
    let total = entries.len();
    let mut left = CHECK_CHARS_MAX;
    let mut fits = |value: serde_json::Result<String>| {
        let size = value.map_or(0, |text| text.len());
        let is_first = left == CHECK_CHARS_MAX;
        let fits = is_first || size <= left;
        left = if fits { left.saturating_sub(size) } else { 0 };
        fits
    };
    let entries: Vec<T> =
        entries.into_iter().skip(from).take_while(|entry| fits(serde_json::to_string(entry))).collect();
    let rest = rest.into_iter().take_while(|one| fits(serde_json::to_string(one))).collect();
    let end = from + entries.len();
    (entries, rest, (end < total).then_some(end))
}

/// As many lines as a text has room for, and how many were left out.
fn fitting(lines: Vec<String>) -> String {
    let mut left = CHECK_TEXT_CHARS_MAX;
    let kept = lines.iter().take_while(|line| {
        let fits = line.len() < left;
        left = left.saturating_sub(line.len() + 1);
        fits
    });
    let kept = kept.count().max(1);
    let more = match lines.len() - kept {
        0 => String::new(),
        more => format!("\n{more} more"),
    };
    lines[..kept].join("\n") + &more
}

/// An answer with the cursor of the next page.
fn paged<T: Serialize>(mut text: String, answer: &T, next: Option<usize>) -> Result<Answer> {
    if let Some(next) = next {
        text = format!("{text}\nMore entries: call again with cursor {next}");
    }
    let mut answer = Answer::new(text, answer)?;
    if let (Some(next), Value::Object(fields)) = (next, &mut answer.value) {
        fields.insert("next".to_owned(), next.to_string().into());
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

/// What a change does, by entry.
fn told(change: &DiffAnswer) -> String {
    if change.entries.is_empty() && change.norms.is_empty() {
        return format!("{} to {}: no entry is affected", change.base, change.head);
    }
    let summary = change.summary;
    let mut lines = vec![
        format!("{} to {}: {} affected", change.base, change.head, change.entries.len()),
        format!(
            "after it, of all entries: {} fresh, {} moved, {} drifted, {} broken, {} unverifiable",
            summary.fresh, summary.moved, summary.drifted, summary.broken, summary.unverifiable
        ),
    ];
    lines.extend(change.entries.iter().map(|affected| named_line(&affected.entry, affected.effect.word())));
    let norms = change.norms.iter();
    lines.extend(norms.map(|norm| kenning::deliver::safe(&format!("norm {}: {}", norm.head.id, norm.rule))));
    fitting(lines)
}
