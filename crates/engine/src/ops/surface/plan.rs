//! What is handed over and how much of each: everything fits its budget, and what is critical stays (SUR-3, SUR-5).

use ken_core::Millis;
use ken_core::words::one_line;

use super::{Shown, Surfaced};
use crate::budget::{self, Item};
use crate::deliver::{self, Caveats};
use crate::limits::ops_surface_plan::{
    CLAIM_CHARS_MAX, COMMAND_CHARS_MAX, CRITICAL_SEVERITY_MIN, LINE_CHARS_MAX,
};
use crate::ops::search::{self, LeftOut};
use crate::ports::{Hit, Stored};
use crate::tokens::Tokens;
use crate::view;

/// How an entry may be shown, the shortest form first.
const FORMS: [Shown; 4] = [Shown::Title, Shown::Line, Shown::Entry, Shown::Full];

fn is_critical(stored: &Stored) -> bool {
    stored.entry.fields.severity.is_some_and(|severity| severity >= CRITICAL_SEVERITY_MIN)
}

/// What is to be handed over, and how much of each.
pub(super) struct Plan<'a> {
    pub(super) hits: Vec<Hit>,
    pub(super) marks: Vec<Vec<String>>,
    /// How each is shown; none is left out.
    pub(super) shown: Vec<Option<Shown>>,
    /// Whether the file of each is told.
    pub(super) placed: Vec<bool>,
    pub(super) upstream: String,
    /// What must be said before the entries.
    pub(super) note: Option<String>,
    pub(super) total: usize,
    pub(super) task: &'a str,
    pub(super) now: Millis,
}

impl Plan<'_> {
    /// Makes it fit (SUR-3, COR-6): one-liners first, then the best grow; critical ones stay. Says whether it exceeds its budget even so.
    pub(super) fn fit(
        &mut self,
        full: usize,
        budget: usize,
        tokens: &dyn Tokens,
        left_out: &mut Vec<LeftOut>,
    ) -> bool {
        let items: Vec<Item> = (0..self.hits.len())
            .map(|at| {
                let forms = if at < full { FORMS.len() } else { FORMS.len() - 1 };
                Item { forms, must_stay: is_critical(&self.hits[at].stored) }
            })
            .collect();
        let forms_of = |chosen: &[Option<usize>]| -> Vec<Option<Shown>> {
            chosen.iter().map(|form| form.map(|form| FORMS[form])).collect()
        };
        let chosen = budget::fill(&items, &mut |chosen| {
            self.shown = forms_of(chosen);
            tokens.count(&self.text()) <= budget
        });
        self.shown = forms_of(&chosen);
        for at in (0..self.hits.len()).rev() {
            if self.shown[at].is_none() {
                let gone = self.hits.remove(at);
                self.marks.remove(at);
                self.shown.remove(at);
                left_out.push(LeftOut { id: gone.stored.id, why: format!("does not fit {budget} tokens") });
            }
        }
        // Where a file lies is told last: what it says comes first.
        self.placed = vec![false; self.hits.len()];
        for at in 0..self.hits.len() {
            self.placed[at] = matches!(self.shown[at], Some(Shown::Entry | Shown::Full));
            if self.placed[at] && tokens.count(&self.text()) > budget {
                self.placed[at] = false;
            }
        }
        tokens.count(&self.text()) > budget
    }

    pub(super) fn text(&self) -> String {
        let mut lines = vec![deliver::HEADER.to_owned()];
        if !self.upstream.is_empty() {
            lines.push(self.upstream.clone());
        }
        if let Some(note) = &self.note {
            lines.push(note.clone());
        }
        let mut count = 0;
        for (at, (hit, marks)) in self.hits.iter().zip(&self.marks).enumerate() {
            if let Some(shown) = self.shown[at] {
                let is_placed = self.placed.get(at).copied().unwrap_or(false);
                lines.push(rendered(hit, marks, shown, is_placed, self.now));
                count += 1;
            }
        }
        lines.extend(deliver::rest_of(&lines.join("\n")).map(str::to_owned));
        let more = self.total - count;
        if more > 0 {
            // A command that is printed can be run: a long task is not cut, it is left out.
            let task = one_line(&crate::intake::redacted_text(self.task), usize::MAX).replace('\'', " ");
            let fits = count > 0 && task.chars().count() <= COMMAND_CHARS_MAX;
            let command =
                if fits { format!("ken search '{task}'") } else { "`ken search` shows them".to_owned() };
            lines.push(format!("{more} more: {command}"));
        }
        deliver::block(&lines.join("\n"))
    }

    pub(super) fn entries(&self) -> Vec<Surfaced> {
        let parts = self.hits.iter().zip(&self.marks).zip(&self.shown);
        let parts = parts.filter_map(|((hit, marks), shown)| Some((hit, marks, (*shown)?)));
        parts
            .map(|(hit, marks, shown)| Surfaced {
                head: view::head(&hit.stored),
                conclusion: deliver::conclusion(&hit.stored, 200),
                path: hit.stored.file().map(str::to_owned),
                verdict: hit.stored.validity.verdict,
                similarity: search::rounded(hit.found.similarity),
                shown,
                marks: marks.clone(),
                critical: is_critical(&hit.stored),
            })
            .collect()
    }
}

/// The same head for every role: citation, conclusion and verdict, and its file where there is room (SUR-5).
fn rendered(hit: &Hit, marks: &[String], shown: Shown, is_placed: bool, now: Millis) -> String {
    let stored = &hit.stored;
    let path =
        stored.file().map(|file| format!(".kenning/{file}")).unwrap_or_else(|| "in the journal".to_owned());
    match shown {
        Shown::Title => format!("- {}", deliver::named(stored)),
        Shown::Line => {
            // A line keeps what changes how it is read: how it ended and what it lacks, not the advice.
            let short = |mark: &'_ String| {
                let end = if mark.starts_with("partial match") { "\n" } else { ":" };
                mark.split(end).next().unwrap_or(mark).to_owned()
            };
            let short: Vec<String> =
                marks.iter().filter(|mark| !mark.starts_with("adopt if")).map(short).collect();
            let marks = if short.is_empty() { String::new() } else { format!(" ({})", short.join("; ")) };
            format!(
                "- {}{marks} · {}",
                deliver::headline(stored, LINE_CHARS_MAX),
                deliver::standing(stored, now)
            )
        }
        Shown::Entry => {
            let place = if is_placed { format!("{path} · ") } else { String::new() };
            let mut text = format!(
                "- {}\n  {place}{}",
                deliver::headline(stored, CLAIM_CHARS_MAX),
                deliver::standing(stored, now)
            );
            for mark in marks {
                text.push_str(&format!("\n  {mark}"));
            }
            text
        }
        Shown::Full => {
            let mut text = deliver::full(stored, &Caveats::default(), now).replacen('[', "- [", 1);
            if is_placed {
                text.push_str(&format!("\n  {path}"));
            }
            for mark in marks {
                text.push_str(&format!("\n  {mark}"));
            }
            text
        }
    }
}
