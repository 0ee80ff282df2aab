//! What is kept of a transcript between two harvests: how much of it was read, and which drafts were handled.
//!
//! A small file in the clone's folder. It is no part of the ledger: without it a transcript is read again, and entries that are there are not
//! added again.

use std::fs;
use std::path::{Path, PathBuf};

use ken_worktree::disk::{Disk, RealDisk};
use serde::{Deserialize, Serialize};

use crate::limits::harvest::{HANDLED_MAX, PROGRESS_BYTES_MAX, VERSION};

const FOLDER: &str = "harvest";

/// How far a transcript was harvested.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Progress {
    #[serde(skip)]
    path: PathBuf,
    version: u32,
    /// The hash of what was read to its end.
    print: String,
    /// The hashes of statements that were added or kept out.
    handled: Vec<String>,
}

impl Progress {
    /// The progress of a transcript, by its path; none of the path is written anywhere.
    pub(crate) fn open(home: &Path, transcript: &Path) -> Progress {
        let name = transcript.canonicalize().unwrap_or_else(|_| transcript.to_owned());
        let name = blake3::hash(name.to_string_lossy().as_bytes()).to_hex();
        let path = home.join(FOLDER).join(format!("{}.json", &name[..24]));
        let is_ours =
            fs::metadata(&path).is_ok_and(|looks| looks.is_file() && looks.len() <= PROGRESS_BYTES_MAX);
        let text = if is_ours { fs::read(&path).ok() } else { None };
        let known: Progress = text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
        Progress { path, ..known }
    }

    /// Whether exactly this was read to its end by this extractor.
    pub(crate) fn is_done(&self, print: &str) -> bool {
        self.version == VERSION && self.print == print
    }

    pub(crate) fn has(&self, statement: &str) -> bool {
        self.handled.contains(&hash(statement))
    }

    /// Notes that a draft was added or kept out, at once: whoever is interrupted continues behind it.
    pub(crate) fn handled(&mut self, statement: &str) {
        let hash = hash(statement);
        if self.handled.contains(&hash) {
            return;
        }
        self.handled.push(hash);
        let beyond = self.handled.len().saturating_sub(HANDLED_MAX);
        self.handled.drain(..beyond);
        self.keep();
    }

    /// Notes that everything was handled.
    pub(crate) fn done(&mut self, print: &str) {
        (self.version, self.print) = (VERSION, print.to_owned());
        self.keep();
    }

    fn keep(&self) {
        // Without it the transcript is read again, and nothing is added twice.
        drop(serde_json::to_vec(self).map(|text| RealDisk.replace(&self.path, &text)));
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
        let home = tempfile::tempdir().unwrap();
        let path = Path::new("some/transcript.jsonl");
        let mut progress = Progress::open(home.path(), path);
        assert!(!progress.has("Retry with jitter.") && !progress.is_done("a"));
        progress.handled("Retry with jitter.");
        // Whoever is interrupted here finds the draft and reads the transcript again.
        let mut again = Progress::open(home.path(), path);
        assert!(again.has("Retry with jitter.") && !again.is_done("a"));
        again.done("a");
        let again = Progress::open(home.path(), path);
        assert!(again.is_done("a") && !again.is_done("b"));
        assert!(!Progress::open(home.path(), Path::new("other.jsonl")).has("Retry with jitter."));
    }
}
