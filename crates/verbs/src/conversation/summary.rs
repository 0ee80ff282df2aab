//! The lines with which well-known programs sum up how they ended.

use ken_language::WordList;

use crate::limits::session_summary::LINES_MAX;

/// Whether a program succeeded, by what it printed; none where no line tells. One failure counts for more than any success.
pub(crate) fn succeeded(output: &str) -> Option<bool> {
    let mut found = None;
    for line in output.lines().rev().take(LINES_MAX) {
        match verdict(line.trim()) {
            Some(false) => return Some(false),
            Some(true) => found = Some(true),
            None => {}
        }
    }
    found
}

/// Beginnings of lines that tell of a failure.
static FAILED: WordList = WordList::new(include_str!("../../words/session/failed.txt"));
/// Beginnings of lines that tell of a success.
static PASSED: WordList = WordList::new(include_str!("../../words/session/passed.txt"));
/// Whole lines.
const WORDS: &[(&str, bool)] = &[("FAIL", false), ("PASS", true), ("OK", true)];

fn verdict(line: &str) -> Option<bool> {
    // Maven and Gradle put a level in front.
    let line = ["[ERROR] ", "[INFO] "].iter().find_map(|level| line.strip_prefix(level)).unwrap_or(line);
    if let Some((_, passed)) = WORDS.iter().find(|(word, _)| *word == line) {
        return Some(*passed);
    }
    if FAILED.iter().any(|head| line.starts_with(head)) {
        return Some(line == "exit status 0");
    }
    if PASSED.iter().any(|head| line.starts_with(head)) {
        return Some(true);
    }
    counted(line)
}

/// Summaries with numbers: `=== 2 failed, 3 passed in 0.1s ===`, `Tests: 1 failed, 4 total`, `12 passing (40ms)`, `Failures: 0`.
fn counted(line: &str) -> Option<bool> {
    let bare = line.trim_matches(['=', '-', ' ', '✔', '✖', '×', '✓']);
    let words: Vec<&str> = bare
        .split(|c: char| c.is_whitespace() || ",;|()".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
    // `Tests run: 40, Failures: 1, Errors: 0`.
    if bare.starts_with("Tests run:") {
        let after = |label: &str| words.iter().position(|word| *word == label).and_then(|at| number(at + 1));
        return Some(after("Failures:")? + after("Errors:").unwrap_or(0) == 0);
    }
    if let Some(rest) = bare.strip_prefix("Found ")
        && let Some(count) = rest.split(' ').next().and_then(|word| word.parse::<u64>().ok())
        && rest.contains("error")
    {
        return Some(count == 0);
    }
    // The numbers come first, or after the name of what was counted; prose about numbers begins otherwise.
    let begins =
        number(0).is_some() || ["Tests", "Tests:", "Test", "Summary"].contains(words.first().unwrap_or(&""));
    if !begins {
        return None;
    }
    let mut found = None;
    for (at, word) in words.iter().enumerate().skip(1) {
        let Some(count) = number(at - 1) else { continue };
        match word.trim_end_matches('.') {
            "failed" | "failing" | "failures" | "failure" | "errors" | "error" if count > 0 => {
                return Some(false);
            }
            "failures" | "failure" => found = Some(true),
            "passed" | "passing" if count > 0 => found = Some(true),
            _ => {}
        }
    }
    // `3 passed` is a summary where a time or a total stands beside it.
    let is_sum =
        words.len() <= 3 || bare.contains(" in ") || bare.contains("total") || bare.contains(['(', '|', ',']);
    found.filter(|_| is_sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read_and_prose_is_not() {
        for (output, wanted) in [
            ("test result: FAILED. 11 passed; 1 failed; 0 ignored", Some(false)),
            ("test result: ok. 12 passed; 0 failed", Some(true)),
            ("warning: x\nerror: could not compile `net` (lib) due to 1 previous error", Some(false)),
            ("    Finished `dev` profile [unoptimized] target(s) in 2.3s", Some(true)),
            ("Ran 23 tests in 0.1s\n\nFAILED (failures=1)", Some(false)),
            ("Ran 23 tests in 0.1s\n\nOK", Some(true)),
            ("=== 2 failed, 3 passed in 0.12s ===", Some(false)),
            ("17 passed in 0.40s", Some(true)),
            ("npm ERR! code ELIFECYCLE", Some(false)),
            ("Tests:       1 failed, 8 passed, 9 total", Some(false)),
            ("Tests:       9 passed, 9 total", Some(true)),
            (" Test Files  1 failed | 6 passed (7)\n      Tests  1 failed | 40 passed (41)", Some(false)),
            ("      Tests  41 passed (41)", Some(true)),
            ("  12 passing (40ms)\n  1 failing", Some(false)),
            ("  13 passing (38ms)", Some(true)),
            ("ok  \tshop/queue\t0.1s\nFAIL\tshop/cache\t0.0s\nFAIL", Some(false)),
            ("ok  \tshop/queue\t0.1s", Some(true)),
            ("BUILD FAILED in 3s", Some(false)),
            ("BUILD SUCCESSFUL in 41s", Some(true)),
            ("[ERROR] Tests run: 40, Failures: 1, Errors: 0, Skipped: 0", Some(false)),
            ("[INFO] Tests run: 40, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS", Some(true)),
            ("make: *** [Makefile:12: generate] Error 1", Some(false)),
            ("exit status 1", Some(false)),
            ("12 examples, 0 failures", Some(true)),
            ("12 examples, 2 failures", Some(false)),
            ("Found 2 errors in 1 file", Some(false)),
            ("Found 0 errors.", Some(true)),
            ("", None),
            ("thread main panicked", None),
            ("wrote 14 lines", None),
            ("The login failed for 3 users", None),
            ("14 migrations applied", None),
        ] {
            assert_eq!(succeeded(output), wanted, "{output}");
        }
    }
}
