//! What is handed over and how much of each: everything fits its budget, and what is critical stays (SUR-3, SUR-5).

use ken_core::Millis;
use ken_core::words::one_line;

use super::{Shown, Surfaced};
use crate::deliver;
use crate::ops::search::{self, LeftOut};
use crate::ports::{Hit, Stored};
use crate::tokens::Tokens;
use crate::view;

/// A task up to here is part of the command that shows the rest.
const COMMAND_CHARS_MAX: usize = 100;
/// Lines that stay beside what is shown whole, at least.
const LINES_BESIDE_FULL: usize = 3;
/// From here on an entry is critical, of ten.
const CRITICAL_SEVERITY_MIN: f64 = 9.0;

fn is_critical(stored: &Stored) -> bool {
    stored.entry.fields.severity.is_some_and(|severity| severity >= CRITICAL_SEVERITY_MIN)
}

/// What is to be handed over, and how much of each.
pub(super) struct Plan<'a> {
    pub(super) hits: Vec<Hit>,
    pub(super) marks: Vec<Vec<String>>,
    pub(super) shown: Vec<Shown>,
    pub(super) upstream: String,
    /// What must be said before the entries.
    pub(super) note: Option<String>,
    pub(super) total: usize,
    pub(super) task: &'a str,
    pub(super) now: Millis,
}

impl Plan<'_> {
    /// Makes it fit: first everything becomes a line, then the least relevant go; critical ones stay (SUR-3). Says whether it
    /// exceeds its budget even so.
    pub(super) fn fit(
        &mut self,
        full: usize,
        budget: usize,
        tokens: &dyn Tokens,
        left_out: &mut Vec<LeftOut>,
    ) -> bool {
        self.shown = self.hits.iter().map(|_| Shown::Entry).collect();
        for at in 0..full.min(self.hits.len()) {
            self.shown[at] = Shown::Full;
            if tokens.count(&self.text()) > budget {
                self.shown[at] = Shown::Entry;
            }
        }
        if tokens.count(&self.text()) <= budget {
            return false;
        }
        self.shown.iter_mut().for_each(|shown| *shown = Shown::Line);
        while tokens.count(&self.text()) > budget {
            let Some(at) = (0..self.hits.len()).rev().find(|at| !is_critical(&self.hits[*at].stored)) else {
                return tokens.count(&self.text()) > budget;
            };
            if self.hits.len() == 1 {
                // A budget that not even one line fits is a wish for nothing.
                let why = format!("does not fit {budget} tokens");
                left_out.push(LeftOut { id: self.hits[0].stored.id.clone(), why });
                self.hits.clear();
                self.marks.clear();
                self.shown.clear();
                return false;
            }
            let gone = self.hits.remove(at);
            self.marks.remove(at);
            self.shown.remove(at);
            left_out.push(LeftOut { id: gone.stored.id, why: format!("does not fit {budget} tokens") });
        }
        self.make_room_for_full(full, budget, tokens, left_out);
        // What room is left goes to the best.
        for at in 0..self.hits.len() {
            if self.shown[at] == Shown::Full {
                continue;
            }
            self.shown[at] = Shown::Entry;
            if tokens.count(&self.text()) > budget {
                self.shown[at] = Shown::Line;
                break;
            }
        }
        false
    }

    /// The best is worth more whole than the last few lines are, as long as some lines stay (SUR-8).
    fn make_room_for_full(
        &mut self,
        full: usize,
        budget: usize,
        tokens: &dyn Tokens,
        left_out: &mut Vec<LeftOut>,
    ) {
        for at in 0..full.min(self.hits.len()) {
            let (hits, marks, shown) = (self.hits.clone(), self.marks.clone(), self.shown.clone());
            let told = left_out.len();
            self.shown[at] = Shown::Full;
            while tokens.count(&self.text()) > budget {
                let last = self.hits.len() - 1;
                let critical = is_critical(&self.hits[last].stored);
                if self.hits.len() <= at + 1 + LINES_BESIDE_FULL || critical {
                    (self.hits, self.marks, self.shown) = (hits, marks, shown);
                    left_out.truncate(told);
                    return;
                }
                let gone = self.hits.remove(last);
                self.marks.remove(last);
                self.shown.remove(last);
                left_out.push(LeftOut { id: gone.stored.id, why: format!("does not fit {budget} tokens") });
            }
        }
    }

    pub(super) fn text(&self) -> String {
        let mut lines = vec![deliver::HEADER.to_owned()];
        if !self.upstream.is_empty() {
            lines.push(self.upstream.clone());
        }
        if let Some(note) = &self.note {
            lines.push(note.clone());
        }
        for ((hit, marks), shown) in self.hits.iter().zip(&self.marks).zip(&self.shown) {
            lines.push(rendered(hit, marks, *shown, self.now));
        }
        let more = self.total - self.hits.len();
        if more > 0 {
            // A command that is printed can be run: a long task is not cut, it is left out.
            let task = one_line(&crate::way_in::redacted_text(self.task), usize::MAX).replace('\'', " ");
            let fits = !self.hits.is_empty() && task.chars().count() <= COMMAND_CHARS_MAX;
            let command =
                if fits { format!("ken search '{task}'") } else { "`ken search` shows them".to_owned() };
            lines.push(format!("{more} more: {command}"));
        }
        deliver::block(&lines.join("\n"))
    }

    pub(super) fn entries(&self) -> Vec<Surfaced> {
        let parts = self.hits.iter().zip(&self.marks).zip(&self.shown);
        parts
            .map(|((hit, marks), shown)| Surfaced {
                handle: view::handle(&hit.stored),
                id: hit.stored.id.clone(),
                kind: hit.stored.entry.kind.word().to_owned(),
                conclusion: deliver::conclusion(&hit.stored, 200),
                path: hit.stored.file().map(str::to_owned),
                verdict: hit.stored.validity.verdict,
                similarity: search::rounded(hit.found.similarity),
                shown: *shown,
                marks: marks.clone(),
                critical: is_critical(&hit.stored),
            })
            .collect()
    }
}

/// The same head for every role: citation, conclusion, place and verdict (SUR-5).
fn rendered(hit: &Hit, marks: &[String], shown: Shown, now: Millis) -> String {
    let stored = &hit.stored;
    let path =
        stored.file().map(|file| format!(".kenning/{file}")).unwrap_or_else(|| "in the journal".to_owned());
    match shown {
        Shown::Line => {
            // A line keeps what changes how it is read: how it ended and what it lacks, not the advice.
            let short = |mark: &'_ String| {
                let end = if mark.starts_with("partial match") { "\n" } else { ":" };
                mark.split(end).next().unwrap_or(mark).to_owned()
            };
            let short: Vec<String> =
                marks.iter().filter(|mark| !mark.starts_with("adopt if")).map(short).collect();
            let marks = if short.is_empty() { String::new() } else { format!(" ({})", short.join("; ")) };
            format!("- {}{marks} · {}", deliver::headline(stored, 100), deliver::standing(stored, now))
        }
        Shown::Entry => {
            let mut text = format!(
                "- {}\n  {path} · {}",
                deliver::headline(stored, 240),
                deliver::standing(stored, now)
            );
            for mark in marks {
                text.push_str(&format!("\n  {mark}"));
            }
            text
        }
        Shown::Full => {
            let mut text = deliver::full(stored, &[], now).replacen('[', "- [", 1);
            text.push_str(&format!("\n  {path}"));
            for mark in marks {
                text.push_str(&format!("\n  {mark}"));
            }
            text
        }
    }
}
