//! What a change is about, read from its diff: files, the functions its hunks are in, and the words of the lines it adds (REV-5).

use std::collections::{BTreeMap, BTreeSet};

use ken_language::{WordList, split};

use crate::fields::relative_path;
use crate::limits::patch::{PATHS_MAX, SECTIONS_MAX, WORDS_MAX};

/// A change, as far as knowledge about it can be looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// Files it touches, repository-relative.
    pub paths: Vec<String>,
    /// What git says its hunks are in.
    pub sections: Vec<String>,
    /// Words of the lines that come and go, the most frequent first.
    pub words: Vec<String>,
}

impl Patch {
    /// Reads a unified diff.
    pub fn parse(text: &str) -> Result<Patch, String> {
        let mut paths = BTreeSet::new();
        let mut sections: Vec<String> = Vec::new();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let (mut old, mut new) = (0_usize, 0_usize);
        for line in text.lines() {
            if line.starts_with("diff ") {
                (old, new) = (0, 0);
            } else if let Some(hunk) = line.strip_prefix("@@") {
                (old, new) = hunk_lines(hunk);
                let section = hunk.split_once("@@").map_or("", |(_, rest)| rest).trim();
                if !section.is_empty() && !sections.iter().any(|known| known == section) {
                    sections.push(section.to_owned());
                }
            } else if old + new > 0 {
                old = old.saturating_sub(usize::from(!line.starts_with(['+', '\\'])));
                new = new.saturating_sub(usize::from(!line.starts_with(['-', '\\'])));
                if line.starts_with(['+', '-']) {
                    for word in words(&line[1..]) {
                        *counts.entry(word).or_default() += 1;
                    }
                }
            } else if let Some(path) = changed_path(line).filter(|path| relative_path(path).is_ok()) {
                paths.insert(path.to_owned());
            }
        }
        if paths.is_empty() {
            return Err(
                "it contains no changed file; expected a unified diff as printed by `git diff`".to_owned()
            );
        }
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        sections.truncate(SECTIONS_MAX);
        Ok(Patch {
            paths: paths.into_iter().take(PATHS_MAX).collect(),
            sections,
            words: counts.into_iter().take(WORDS_MAX).map(|(word, _)| word).collect(),
        })
    }

    /// What it is about, in a line.
    pub fn about(&self) -> String {
        let shown: Vec<&str> = self.paths.iter().take(8).map(String::as_str).collect();
        match self.paths.len() - shown.len() {
            0 => format!("a change of {}", shown.join(", ")),
            more => format!("a change of {} and {more} more files", shown.join(", ")),
        }
    }

    /// What is looked for.
    pub fn question(&self) -> String {
        let files = self.paths.iter().take(10).map(|path| path.rsplit('/').next().unwrap_or(path));
        let parts = files.chain(self.sections.iter().map(String::as_str));
        parts.chain(self.words.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }
}

/// Lines of a hunk before and after: ` -10,7 +10,9 @@`.
fn hunk_lines(header: &str) -> (usize, usize) {
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().unwrap_or(0),
        None => 1_usize,
    };
    let mut ranges = header.split_whitespace().filter(|word| word.starts_with(['-', '+']));
    (ranges.next().map_or(0, count), ranges.next().map_or(0, count))
}

/// The file that a line of a diff's header names.
fn changed_path(line: &str) -> Option<&str> {
    let named = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "))?;
    let named = named.split('\t').next().unwrap_or(named).trim().trim_matches('"');
    if named == "/dev/null" {
        return None;
    }
    let bare = ["a/", "b/", "i/", "w/", "c/", "o/"].iter().find_map(|prefix| named.strip_prefix(prefix));
    Some(bare.unwrap_or(named)).filter(|path| !path.is_empty())
}

/// Words of a line of code: identifiers, whole and in parts.
fn words(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in split::words(line, &['_']) {
        if word.chars().count() >= 4 && word.chars().any(char::is_alphabetic) && !COMMON.contains(word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// Words of programming languages that say nothing about a change.
static COMMON: WordList = WordList::new(include_str!("../words/patch/common_words.txt"));

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/src/auth.rs b/src/auth.rs
index 1..2 100644
--- a/src/auth.rs
+++ b/src/auth.rs
@@ -10,2 +10,3 @@ fn refresh_token(session: &Session) {
 let token = session.token();
-    retry(token);
+    retry_with_backoff(token);
+++ jitter;
diff --git a/old.py b/old.py
--- a/old.py
+++ /dev/null
@@ -1 +0,0 @@
-print('gone')
";

    #[test]
    fn a_diff_yields_files_functions_and_words() {
        let patch = Patch::parse(DIFF).unwrap();
        assert_eq!(patch.paths, ["old.py", "src/auth.rs"]);
        assert_eq!(patch.sections, ["fn refresh_token(session: &Session) {"]);
        for word in ["retry_with_backoff", "token", "jitter", "print"] {
            assert!(patch.words.iter().any(|known| known == word), "{word}: {:?}", patch.words);
        }
        assert_eq!(patch.about(), "a change of old.py, src/auth.rs");
        assert!(patch.question().starts_with("old.py auth.rs fn refresh_token"));
    }

    #[test]
    fn what_is_no_diff_says_so() {
        for text in ["", "hello", "+++ /dev/null", "--- ../../etc/passwd\n+++ /etc/passwd"] {
            assert!(Patch::parse(text).is_err(), "{text:?}");
        }
    }
}
