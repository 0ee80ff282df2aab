//! What is kept of a conversation between two hooks: which commands failed, which lines were heard, which entries were named.
//!
//! A record of the clone, written without sync. It is no part of the ledger: without it less is known, and nothing wrong.

use ken_engine::{CloneState, Record, RecordKind};
use serde::{Deserialize, Serialize};

use crate::conversation::report::Stance;

use crate::limits::session_notes::{COMMANDS_MAX, LINES_MAX, NAMED_MAX};

/// The notes of one conversation.
#[derive(Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Notes {
    /// Commands that failed and did not pass since, by their names.
    #[serde(default)]
    failed: Vec<String>,
    /// How many failed and passed later.
    #[serde(default)]
    mended: u32,
    /// Lines that were heard, by their hashes.
    #[serde(default)]
    lines: Vec<String>,
    /// Entries that the agent named, by their keys.
    #[serde(default)]
    named: Vec<String>,
    /// Entries that it reported as used.
    #[serde(default)]
    used: Vec<String>,
    /// Entries that it reported as wrong.
    #[serde(default)]
    wrong: Vec<String>,
    /// Files of which was said that there is more to know, by the hashes of their paths.
    #[serde(default)]
    offered: Vec<String>,
    /// Norms whose command before a commit has not succeeded since a file of theirs was edited, by their keys.
    #[serde(default)]
    owed: Vec<String>,
    /// The agent started the hook itself, so what was heard may be its own invention.
    #[serde(default)]
    pub(super) is_forged: bool,
}

impl Notes {
    /// The notes of a run; empty ones where there are none.
    pub(super) fn read(state: &dyn CloneState, run: &str) -> Notes {
        state.value(&record(run)).unwrap_or_default()
    }

    /// Writes them down, whole or not at all.
    pub(super) fn keep(&self, state: &dyn CloneState, run: &str) {
        drop(state.set_value(&record(run), self));
    }

    /// Forgets what was kept of a run.
    pub(super) fn forget(state: &dyn CloneState, run: &str) {
        drop(state.remove(&record(run)));
    }

    /// Takes down how a command ended, and says what that means.
    pub(super) fn ran(&mut self, name: &str, succeeded: bool) -> &'static str {
        let before = self.failed.len();
        self.failed.retain(|failed| failed != name);
        let had_failed = self.failed.len() < before;
        match (succeeded, had_failed) {
            (true, true) => {
                self.mended = self.mended.saturating_add(1);
                "the command failed before and passes now"
            }
            (true, false) => "the command passes and had not failed before",
            (false, _) => {
                push(&mut self.failed, name.to_owned(), COMMANDS_MAX);
                "the command failed; if it passes later, that counts as a fix"
            }
        }
    }

    /// Whether something failed, and everything that failed passes now.
    pub(super) fn is_mended(&self) -> bool {
        self.mended > 0 && self.failed.is_empty()
    }

    /// Whether a line was not heard before.
    pub(super) fn hears(&mut self, line: &str) -> bool {
        let hash = blake3::hash(line.as_bytes()).to_hex()[..16].to_owned();
        let is_new = !self.lines.contains(&hash);
        if is_new {
            push(&mut self.lines, hash, LINES_MAX);
        }
        is_new
    }

    /// Whether more about a file was not offered before.
    pub(super) fn offers(&mut self, path: &str) -> bool {
        let hash = blake3::hash(path.as_bytes()).to_hex()[..16].to_owned();
        let is_new = !self.offered.contains(&hash);
        if is_new {
            push(&mut self.offered, hash, LINES_MAX);
        }
        is_new
    }

    /// What was offered is no longer in the context.
    pub(super) fn offers_anew(&mut self) {
        self.offered.clear();
    }

    /// Takes down what the agent says of an entry. The latest report counts; naming one again takes nothing back.
    pub(super) fn reports(&mut self, key: String, stance: Stance) {
        if stance == Stance::Named {
            let known = [&self.named, &self.used, &self.wrong].iter().any(|list| list.contains(&key));
            if !known {
                push(&mut self.named, key, NAMED_MAX);
            }
            return;
        }
        for list in [&mut self.named, &mut self.used, &mut self.wrong] {
            list.retain(|known| *known != key);
        }
        match stance {
            Stance::Used => push(&mut self.used, key, NAMED_MAX),
            Stance::Wrong => push(&mut self.wrong, key, NAMED_MAX),
            Stance::Named | Stance::Unused => {}
        }
    }

    /// Takes down that a file of a norm was edited, and says whether that is news.
    pub(super) fn owes(&mut self, norm: &str) -> bool {
        let is_new = !self.owed.iter().any(|owed| owed == norm);
        if is_new {
            push(&mut self.owed, norm.to_owned(), COMMANDS_MAX);
        }
        is_new
    }

    /// Takes down that the command of a norm succeeded, and says whether it was owed.
    pub(super) fn did_what_it_owed(&mut self, norm: &str) -> bool {
        let before = self.owed.len();
        self.owed.retain(|owed| owed != norm);
        self.owed.len() < before
    }

    /// Norms whose command has to succeed before the next commit.
    pub(super) fn owed(&self) -> &[String] {
        &self.owed
    }

    /// Entries that the agent named, and said nothing of.
    pub(super) fn named(&self) -> &[String] {
        &self.named
    }

    /// Entries that it reported as used.
    pub(super) fn used(&self) -> &[String] {
        &self.used
    }

    /// Entries that it reported as wrong.
    pub(super) fn wrong(&self) -> &[String] {
        &self.wrong
    }

    /// Whether there is nothing that the end of a conversation would tell.
    pub(super) fn is_silent(&self) -> bool {
        self.used.is_empty() && self.wrong.is_empty() && (self.named.is_empty() || !self.is_mended())
    }
}

/// The newest are kept.
fn push(list: &mut Vec<String>, item: String, most: usize) {
    list.push(item);
    let beyond = list.len().saturating_sub(most);
    list.drain(..beyond);
}

fn record(run: &str) -> Record {
    RecordKind::Sessions.named(&blake3::hash(run.as_bytes()).to_hex()[..24])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_mended_when_nothing_failed_is_left() {
        let mut notes = Notes::default();
        for (command, passes, mended) in [
            ("a", true, false),
            ("a", false, false),
            ("b", false, false),
            ("a", true, false),
            ("b", true, true),
            ("c", true, true),
            ("c", false, false),
        ] {
            notes.ran(command, passes);
            assert_eq!(notes.is_mended(), mended, "{command} {passes}");
        }
        for number in 0..1_000 {
            notes.ran(&number.to_string(), false);
        }
        assert_eq!(notes.failed.len(), COMMANDS_MAX);
    }

    #[test]
    fn the_latest_report_of_an_entry_counts() {
        let mut notes = Notes::default();
        for (stance, wanted) in [
            (Stance::Named, "a||"),
            (Stance::Used, "|a|"),
            (Stance::Named, "|a|"),
            (Stance::Wrong, "||a"),
            (Stance::Unused, "||"),
            (Stance::Named, "a||"),
        ] {
            notes.reports("a".to_owned(), stance);
            let found = [notes.named(), notes.used(), notes.wrong()].map(|list| list.join(" ")).join("|");
            assert_eq!(found, wanted, "{stance:?}");
        }
    }

    #[test]
    fn notes_are_kept_for_their_run_until_they_are_forgotten() {
        let state: &dyn CloneState = &ken_engine::MemoryState::default();
        let mut notes = Notes::read(state, "r");
        assert!(notes.hears("x"));
        notes.keep(state, "r");
        assert!(!Notes::read(state, "r").hears("x"));
        assert!(Notes::read(state, "other").hears("x"));
        state.write(&record("r"), b"{").unwrap();
        assert!(Notes::read(state, "r").hears("x"), "what cannot be read is as nothing");
        notes.keep(state, "r");
        Notes::forget(state, "r");
        assert!(Notes::read(state, "r").hears("x"));
    }
}
