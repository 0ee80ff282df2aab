//! What of a file may be recorded. Code is no place for secrets, and it has them all the same: none of them is captured.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use ken_anchors::Code;

use crate::limits::{SCREENED_LINES, SCREENED_MAX, WORDS_LINES_MAX};

/// Looks at code before any of it is recorded, and at the same words and lines once.
#[derive(Default)]
pub(super) struct Screen {
    /// How many purged values were known when it was looked at.
    known_values: usize,
    texts: HashMap<String, bool>,
    /// By the blob and the first and the last line.
    windows: HashMap<(String, usize, usize), Rc<Flagged>>,
}

impl Screen {
    /// Whether the scanner finds nothing in a text.
    pub(super) fn is_clean(&mut self, text: &str) -> bool {
        self.forget_if_more_is_secret();
        if let Some(known) = self.texts.get(text) {
            return *known;
        }
        let verdict = ken_guard::scan(text);
        let is_clean = verdict.findings.is_empty()
            || verdict.tier == ken_guard::Tier::Safe && ken_guard::redact(text) == text;
        if self.texts.len() >= SCREENED_MAX {
            self.texts.clear();
        }
        self.texts.insert(text.to_owned(), is_clean);
        is_clean
    }

    /// What may not be recorded of some lines, or of a whole file. Two lines of a key look like nothing; with what is around them they are
    /// one.
    pub(super) fn flagged(&mut self, code: &Code, lines: Option<(u32, u32)>) -> Rc<Flagged> {
        self.forget_if_more_is_secret();
        // In steps: places that are near each other have the same surroundings.
        let (from, to) = match lines {
            Some((first, last)) => (
                (first as usize).saturating_sub(SCREENED_LINES) / SCREENED_LINES * SCREENED_LINES,
                (last as usize + SCREENED_LINES).next_multiple_of(SCREENED_LINES),
            ),
            None => (0, WORDS_LINES_MAX),
        };
        if self.windows.len() >= SCREENED_MAX {
            self.windows.clear();
        }
        let look = || {
            let lines: Vec<&str> = code.text.lines().take(to).collect();
            let from = open_key(&lines[..from.min(lines.len())]);
            Rc::new(Flagged::new(&lines[from..].join("\n")))
        };
        self.windows.entry((code.blob.clone(), from, to)).or_insert_with(look).clone()
    }

    fn forget_if_more_is_secret(&mut self) {
        let known_values = ken_guard::known::count();
        if self.known_values != known_values {
            *self = Screen { known_values, ..Screen::default() };
        }
    }
}

/// The line at which a key begins that does not end in these lines, however long it is; where there is none, the number of lines.
fn open_key(lines: &[&str]) -> usize {
    let mark = |line: &&str| line.contains("-----BEGIN") || line.contains("-----END");
    let is_open = |line: &str| line.rfind("-----BEGIN") > line.rfind("-----END");
    lines.iter().rposition(mark).filter(|at| is_open(lines[*at])).unwrap_or(lines.len())
}

/// The words of lines in which the scanner found a secret: none of them is recorded.
pub(super) struct Flagged(HashSet<String>);

impl Flagged {
    fn new(text: &str) -> Flagged {
        let mut words = HashSet::new();
        for finding in ken_guard::secrets::find(text) {
            // The words around a value may be the rest of it.
            let start = text[..finding.start].rfind('\n').map_or(0, |at| at + 1);
            let end = text[finding.end..].find('\n').map_or(text.len(), |at| finding.end + at);
            words.extend(words_of(&text[start..end]));
        }
        Flagged(words)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has_word_of(&self, name: &str) -> bool {
        !self.is_empty() && words_of(name).any(|word| self.0.contains(&word))
    }
}

/// The words of a text in small letters, whole and in the parts that underscores join.
fn words_of(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let parts = text.split(|c: char| !c.is_alphanumeric());
    words.chain(parts).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use ken_anchors::worker::InProcess;

    use super::*;

    #[test]
    fn a_secret_within_120_lines_of_a_place_is_seen_whatever_was_looked_at_before() {
        let token = format!("token = ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
        let lines: Vec<&str> = (1..=1_000).map(|line| if line == 500 { &token } else { "plain" }).collect();
        let code = Code::read("notes.txt", lines.join("\n").as_bytes(), &mut InProcess::default()).unwrap();
        let mut screen = Screen::default();
        assert!(screen.flagged(&code, Some((1, 3))).is_empty());
        for first in 380..=619 {
            assert!(screen.flagged(&code, Some((first, first + 1))).has_word_of("token"), "line {first}");
        }
        assert!(screen.flagged(&code, Some((900, 950))).is_empty());
        assert!(screen.flagged(&code, None).has_word_of("token"));
        assert!(screen.windows.len() < 10, "places near each other share their surroundings");
    }

    #[test]
    fn a_long_key_is_seen_from_its_beginning() {
        let key = |tag: &str| format!("-----{tag} PRIVATE KEY-----");
        let code_lines = (0..80).map(|line| format!("let value_{line} = {line};"));
        // Letters and digits that look random, different in each line.
        let body = (0..400_u64).map(|line| {
            let mixed = |at: u64| (line * 64 + at).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
            let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            (0..64).map(|at| char::from(letters[mixed(at) as usize])).collect::<String>()
        });
        let lines: Vec<String> = code_lines
            .chain([key("BEGIN")])
            .chain(body)
            .chain([key("END")])
            .chain((0..300).map(|line| format!("let last_{line} = {line};")))
            .collect();
        let code = Code::read("deploy.rs", lines.join("\n").as_bytes(), &mut InProcess::default()).unwrap();
        let mut screen = Screen::default();
        for line in 82..=481 {
            assert!(!screen.flagged(&code, Some((line, line))).is_empty(), "line {line}");
        }
        assert!(screen.flagged(&code, Some((760, 770))).is_empty(), "a key that ended is not around");
    }

    #[test]
    fn a_purged_value_is_a_secret_in_what_was_clean_before() {
        let mut screen = Screen::default();
        assert!(screen.is_clean("meadow-lantern-thistle"));
        ken_guard::known::learn(vec![ken_guard::known::KnownValue::new("meadow-lantern-thistle", [3; 16])]);
        assert!(!screen.is_clean("meadow-lantern-thistle"));
    }
}
