//! The answers that a server keeps for idempotency keys, in a file of the clone. A purge takes its text out of them, too (STO-13).

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use ken_core::{Entry, canonical};
use serde::{Deserialize, Serialize};

/// The file in the clone's folder, one answer to a line.
pub const FILE: &str = "replays.jsonl";

pub use crate::limits::replays::PURGED;
use crate::scan::written_forms;

/// An answer that was given to a request with an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// When it was given, in milliseconds.
    pub at: i64,
    pub key: String,
    pub fingerprint: String,
    pub status: u16,
    pub exit: u8,
    pub body: String,
}

/// The answers in a file; none where there is no file. A line that cannot be read is none.
pub fn read(path: &Path) -> io::Result<Vec<KeptAnswer>> {
    match fs::read(path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Writes a file whole.
pub fn write(path: &Path, answers: &[KeptAnswer]) -> io::Result<()> {
    let line = |answer: &KeptAnswer| Some(serde_json::to_string(answer).ok()? + "\n");
    fs::write(path, answers.iter().filter_map(line).collect::<String>())
}

/// Empties the answers that hold one of some texts, and says how many there were. Their keys stay: the same request is not carried out
/// again, which would bring the text back.
pub(crate) fn take_out(home: &Path, texts: &[String]) -> io::Result<usize> {
    let path = home.join(FILE);
    let forms: Vec<String> = texts.iter().flat_map(|text| written_forms(text)).collect();
    let mut answers = read(&path)?;
    let mut count = 0;
    for answer in answers.iter_mut().filter(|answer| !answer.body.is_empty()) {
        if forms.iter().any(|form| answer.body.contains(form.as_str())) {
            (answer.status, answer.body) = (PURGED, String::new());
            count += 1;
        }
    }
    if count > 0 {
        write(&path, &answers)?;
    }
    Ok(count)
}

/// What an answer about an entry holds: its names, and what it says.
pub(crate) fn texts_of(entry: &Entry, id: &str) -> Vec<String> {
    let fields = &entry.fields;
    let said = [Some(fields.statement().into_owned()), fields.title.clone(), fields.detail.clone()];
    let said = said.into_iter().flatten().filter(|text| !text.trim().is_empty());
    // An id may be a common word: only as a whole value it is the entry's.
    [entry.key.to_string(), canonical::to_string(&id)].into_iter().chain(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purge_empties_the_answers_that_hold_its_text_and_keeps_their_keys() {
        let home = tempfile::tempdir().unwrap();
        let answer = |key: &str, body: &str| KeptAnswer {
            at: 1,
            key: key.to_owned(),
            fingerprint: "f".to_owned(),
            status: 200,
            exit: 0,
            body: body.to_owned(),
        };
        let path = home.path().join(FILE);
        assert_eq!(take_out(home.path(), &["hollyhock".to_owned()]).unwrap(), 0);
        write(&path, &[answer("a", "{\"statement\":\"say \\\"hollyhock\\\"\"}"), answer("b", "{}")]).unwrap();
        assert_eq!(take_out(home.path(), &["say \"hollyhock\"".to_owned()]).unwrap(), 1);
        let kept = read(&path).unwrap();
        assert_eq!((kept[0].status, kept[0].body.as_str()), (PURGED, ""));
        assert_eq!((kept[0].key.as_str(), kept[0].fingerprint.as_str()), ("a", "f"));
        assert_eq!(kept[1], answer("b", "{}"));
        assert!(!fs::read_to_string(&path).unwrap().contains("hollyhock"));
    }
}
