//! `menu`: one-liners to choose from, within a budget; `show` opens one (SUR-8).

use ken_core::{Memory, Scope};
use serde::Serialize;

use super::search::{self, Means, SearchAnswer, SearchInput, TokenCount};
use crate::budget::{self, Item};
use crate::deliver;
use crate::error::Result;
use crate::limits::ops_menu::{CLAIM_CHARS_MAX, LINES_MAX};
use crate::ports::Stored;
use crate::projection::Projection;
use crate::query::Query;

/// One-liners to choose from.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Menu {
    /// The lines, by kind.
    pub lines: Vec<String>,
    /// The entries behind them.
    pub ids: Vec<String>,
    /// Entries that found no room.
    pub more: usize,
    /// Tokens of the lines, and what counted them.
    pub tokens: TokenCount,
    #[serde(skip)]
    /// What was asked and is shown, for what is to be remembered.
    pub search: Option<SearchAnswer>,
}

/// What answers a task, or everything there is, the best or latest of each kind first.
pub fn menu(recall: &dyn Projection, task: &str, budget_tokens: usize, means: &Means<'_>) -> Result<Menu> {
    let (mut found, total, mut asked) = if task.trim().is_empty() {
        let memories = vec![Memory::Semantic, Memory::Procedural];
        let mut page =
            recall.list(&Query { limit: LINES_MAX, memories, pinned_first: true, ..Query::default() })?;
        let listed = page.entries.len();
        // ENT-8: a menu that nobody in particular asked for shows no thread's own entries.
        page.entries.retain(|stored| stored.entry.fields.scope() != Scope::Thread);
        let total = page.total - (listed - page.entries.len());
        search::judge(recall, page.entries.iter_mut().collect(), means)?;
        (page.entries, total, None)
    } else {
        let query = task.to_owned();
        let input =
            SearchInput { query, plain: true, limit: LINES_MAX, steady: true, ..SearchInput::default() };
        let answer = search::search(recall, &input, means)?;
        let found: Vec<Stored> = answer.hits.iter().map(|hit| hit.stored.clone()).collect();
        let total = found.len();
        (found, total, Some(answer))
    };
    // Stable: within a kind the order stays, and kinds come in the order of their first entry.
    let order: Vec<String> = found.iter().map(|stored| stored.entry.kind.word().to_owned()).collect();
    found.sort_by_key(|stored| {
        let at = order.iter().position(|kind| kind == stored.entry.kind.word());
        (stored.overlay.pinned.is_none(), at)
    });
    let mut menu = Menu {
        lines: Vec::new(),
        ids: Vec::new(),
        more: 0,
        tokens: TokenCount { count: 0, by: means.tokens.counted_by().to_owned() },
        search: None,
    };
    let together: Vec<&Stored> = found.iter().collect();
    let failures = deliver::failures(recall, &together)?;
    let forms: Vec<[String; 2]> = found
        .iter()
        .zip(&failures)
        .map(|(stored, failures)| {
            let kind = stored.entry.kind.word();
            let headline = deliver::headline(stored, CLAIM_CHARS_MAX);
            [
                format!("{kind:<14} {}", deliver::named(stored)),
                format!("{kind:<14} {headline} · {}", deliver::standing_with(failures, stored, means.now)),
            ]
        })
        .collect();
    let counts: Vec<[usize; 2]> =
        forms.iter().map(|forms| forms.each_ref().map(|form| means.tokens.count(form))).collect();
    let items = vec![Item { forms: 2, must_stay: false }; found.len()];
    let chosen = budget::fill(&items, &mut |chosen| {
        let taken = chosen.iter().zip(&counts).filter_map(|(form, counts)| Some(counts[(*form)?]));
        taken.sum::<usize>() <= budget_tokens
    });
    for ((stored, form), (forms, counts)) in found.into_iter().zip(chosen).zip(forms.iter().zip(&counts)) {
        if let Some(form) = form {
            menu.tokens.count += counts[form];
            menu.lines.push(forms[form].clone());
            menu.ids.push(stored.id);
        }
    }
    menu.more = total - menu.lines.len();
    if let Some(answer) = &mut asked {
        answer.hits.retain(|hit| menu.ids.contains(&hit.stored.id));
    }
    menu.search = asked;
    Ok(menu)
}
