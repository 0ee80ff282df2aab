//! What is kept of a transcript between two harvests: how much of it was read, and which drafts were handled.
//!
//! A record of the clone. It is no part of the ledger: without it a transcript is read again, and entries that are there are not
//! added again.

use std::path::Path;
use std::sync::Arc;

use ken_engine::{CloneState, Record, RecordKind};
use serde::{Deserialize, Serialize};

use crate::limits::harvest::{HANDLED_MAX, VERSION};

/// How far a transcript was harvested.
pub(crate) struct Progress {
    state: Arc<dyn CloneState>,
    record: Record,
    known: Known,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Known {
    version: u32,
    /// The hash of what was read to its end.
    print: String,
    /// The hashes of statements that were added or kept out.
    handled: Vec<String>,
}

impl Progress {
    /// The progress of a transcript, by its path; none of the path is written anywhere.
    pub(crate) fn open(state: &Arc<dyn CloneState>, transcript: &Path) -> Progress {
        let name = transcript.canonicalize().unwrap_or_else(|_| transcript.to_owned());
        let name = blake3::hash(name.to_string_lossy().as_bytes()).to_hex();
        let record = RecordKind::Harvests.named(&name[..24]);
        let known = state.value(&record).unwrap_or_default();
        Progress { state: state.clone(), record, known }
    }

    /// Whether exactly this was read to its end by this extractor.
    pub(crate) fn is_done(&self, print: &str) -> bool {
        self.known.version == VERSION && self.known.print == print
    }

    pub(crate) fn has(&self, statement: &str) -> bool {
        self.known.handled.contains(&hash(statement))
    }

    /// Notes that a draft was added or kept out, at once: whoever is interrupted continues behind it.
    pub(crate) fn handled(&mut self, statement: &str) {
        let hash = hash(statement);
        let handled = &mut self.known.handled;
        if handled.contains(&hash) {
            return;
        }
        handled.push(hash);
        let beyond = handled.len().saturating_sub(HANDLED_MAX);
        handled.drain(..beyond);
        self.keep();
    }

    /// Notes that everything was handled.
    pub(crate) fn done(&mut self, print: &str) {
        (self.known.version, self.known.print) = (VERSION, print.to_owned());
        self.keep();
    }

    fn keep(&self) {
        // Without it the transcript is read again, and nothing is added twice.
        drop(self.state.set_value(&self.record, &self.known));
    }
}

fn hash(statement: &str) -> String {
    blake3::hash(ken_core::words::normalise_statement(statement).as_bytes()).to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_handled_is_remembered_and_a_longer_transcript_is_read_again() {
        let state: Arc<dyn CloneState> = Arc::new(ken_engine::MemoryState::default());
        let path = Path::new("some/transcript.jsonl");
        let mut progress = Progress::open(&state, path);
        assert!(!progress.has("Retry with jitter.") && !progress.is_done("a"));
        progress.handled("Retry with jitter.");
        // Whoever is interrupted here finds the draft and reads the transcript again.
        let mut again = Progress::open(&state, path);
        assert!(again.has("Retry with jitter.") && !again.is_done("a"));
        again.done("a");
        let again = Progress::open(&state, path);
        assert!(again.is_done("a") && !again.is_done("b"));
        assert!(!Progress::open(&state, Path::new("other.jsonl")).has("Retry with jitter."));
    }
}
