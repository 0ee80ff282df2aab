//! What the person and the agent say to each other, with what happens around it.

use super::{Act, Look, Turn};
use crate::limits::spoken::BEFORE_TURNS;

/// A message of the person or of the agent that the person talks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spoken<'a> {
    /// The turn that it is.
    pub at: usize,
    pub is_person: bool,
    pub text: &'a str,
    /// The agent says or does nothing after it before the person speaks again.
    pub closes: bool,
    /// It is the first message of the person.
    pub opens: bool,
    /// Calls of tools among the last turns before it that failed, edited a file, or read one.
    pub failures: usize,
    pub edits: usize,
    pub lookups: usize,
}

/// The messages of some turns, in their order. Sub-agents report to another agent, and what a host says in a person's name is nobody's word.
pub fn spoken(turns: &[Turn]) -> Vec<Spoken<'_>> {
    let mut has_asked = false;
    let mut found = Vec::new();
    for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.agent.is_none()) {
        let (is_person, text) = match &turn.act {
            Act::Asked(text) => (true, text.as_str()),
            Act::Said(text) => (false, text.as_str()),
            _ => continue,
        };
        let next = turns[at + 1..].iter().find(|turn| turn.agent.is_none());
        let before = &turns[at.saturating_sub(BEFORE_TURNS)..at];
        let count = |is_one: &dyn Fn(&Act) -> bool| before.iter().filter(|turn| is_one(&turn.act)).count();
        found.push(Spoken {
            at,
            is_person,
            text,
            closes: next.is_none_or(|turn| matches!(turn.act, Act::Asked(_) | Act::Tasked(_))),
            opens: is_person && !has_asked,
            failures: count(&has_failed),
            edits: count(&|act| matches!(act, Act::Edited { .. } | Act::Wrote { .. })),
            lookups: count(&|act| {
                matches!(act, Act::Looked { how: Look::File | Look::Search | Look::Names | Look::Web, .. })
            }),
        });
        has_asked |= is_person;
    }
    found
}

fn has_failed(act: &Act) -> bool {
    match act {
        Act::Ran { succeeded, .. } | Act::Used { succeeded, .. } => *succeeded == Some(false),
        Act::Edited { done, .. } | Act::Wrote { done, .. } => !done,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_know_what_happened_around_them() {
        let turn = |agent: Option<&str>, act| Turn { lines: (1, 1), agent: agent.map(str::to_owned), act };
        let said = |text: &str| Act::Said(text.to_owned());
        let turns = [
            turn(None, Act::Asked("fix it".to_owned())),
            turn(
                None,
                Act::Ran { command: "make".to_owned(), succeeded: Some(false), output: String::new() },
            ),
            turn(Some("a1"), said("a report")),
            turn(None, said("The pool leaks.")),
            turn(
                None,
                Act::Edited { path: "a".to_owned(), old: String::new(), new: String::new(), done: true },
            ),
            turn(None, said("Done.")),
            turn(None, Act::Asked("thanks".to_owned())),
        ];
        let told: Vec<(usize, bool, bool, bool, usize, usize)> = spoken(&turns)
            .iter()
            .map(|one| (one.at, one.is_person, one.closes, one.opens, one.failures, one.edits))
            .collect();
        assert_eq!(
            told,
            [
                (0, true, false, true, 0, 0),
                (3, false, false, false, 1, 0),
                (5, false, true, false, 1, 1),
                (6, true, true, false, 1, 1),
            ]
        );
    }
}
