//! The line of an output that names an error: what somebody would search for when it happens again.

use crate::limits::harvest::{SIGNATURE_CHARS_MAX, SIGNATURE_LINES_MAX};

/// How a line that names an error looks, the most telling first. Each is a class of programs and not one program.
fn weight(line: &str) -> u32 {
    let lower = line.to_lowercase();
    let starts = |heads: &[&str]| heads.iter().any(|head| line.starts_with(head));
    // Summaries count failures; they name none.
    let counts =
        lower.contains(" failed,") || lower.contains(" passed") || starts(&["test result:", "BUILD "]);
    if counts || line.chars().filter(|c| c.is_alphabetic()).count() < 8 {
        return 0;
    }
    // `FAILED tests/test_a.py::test_b - assert 1 == 2`, `error[E0308]: mismatched types`.
    if starts(&["FAILED "]) && line.contains(" - ") || starts(&["error[", "error TS", "E   "]) {
        return 9;
    }
    // `java.lang.IllegalStateException: x`, `TypeError: y`, `panic: z`.
    let named = line.split([':', ' ']).any(|word| {
        let word = word.rsplit('.').next().unwrap_or(word);
        let is_class =
            word.starts_with(char::is_uppercase) && word.chars().all(|c| c.is_alphanumeric() || c == '_');
        is_class
            && ["Error", "Exception", "Panic", "Fault"]
                .iter()
                .any(|end| word.ends_with(end) && word.len() > end.len())
    });
    if named && line.contains(':') {
        return 8;
    }
    if starts(&["error:", "Error:", "ERROR:", "fatal:", "panic:", "thread '"]) || lower.contains(": error ") {
        return 7;
    }
    if lower.contains("error:") || lower.contains("error ts") || lower.contains("assertion") {
        return 6;
    }
    if starts(&["FAILED ", "--- FAIL", "FAIL ", "✗", "×", "→"])
        || lower.contains("expected") && lower.contains("got")
    {
        return 5;
    }
    const TROUBLE: &[&str] = &[
        "error",
        "cannot",
        "can't",
        "could not",
        "failed",
        "undefined",
        "not found",
        "no such",
        "missing",
        "denied",
        "refused",
        "timed out",
        "invalid",
        "unexpected",
        "no required",
        "unable",
        "mismatch",
        "expected",
        "conflict",
    ];
    u32::from(TROUBLE.iter().any(|word| lower.contains(word))) * 3
}

/// The signature of a failure: the most telling line of what was printed, in one line and cut. None where no line tells.
pub(super) fn signature(output: &str) -> Option<String> {
    let mut best: Option<(u32, String)> = None;
    for line in output.lines().take(SIGNATURE_LINES_MAX) {
        let line = without_colour(line);
        let line = line.trim();
        let weight = weight(line);
        if weight > 0 && best.as_ref().is_none_or(|(known, _)| weight > *known) {
            best = Some((weight, line.to_owned()));
        }
    }
    let (_, line) = best?;
    let line = line.strip_prefix("E   ").unwrap_or(&line).trim();
    Some(line.chars().take(SIGNATURE_CHARS_MAX).collect())
}

/// A line without the escape sequences of terminals.
fn without_colour(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.chars();
    while let Some(sign) = rest.next() {
        if sign == '\u{1b}' {
            for sign in rest.by_ref() {
                if sign.is_ascii_alphabetic() {
                    break;
                }
            }
        } else {
            text.push(sign);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_names_the_error_is_found() {
        for (output, wanted) in [
            (
                "..F..\n>  assert f() == 13\nE       assert 12 == 13\nFAILED tests/t.py::test_x - assert 12 == 13\n1 failed, 5 passed",
                Some("FAILED tests/t.py::test_x - assert 12 == 13"),
            ),
            (
                "warning: x\nerror[E0609]: no field `map`\nerror: could not compile",
                Some("error[E0609]: no field `map`"),
            ),
            (
                "> Task FAILED\n    org.x.PSQLException: ERROR: column \"a\" does not exist\n1 test completed, 1 failed",
                Some("org.x.PSQLException: ERROR: column \"a\" does not exist"),
            ),
            (
                "src/a.ts(7,1): error TS2304: Cannot find name 'A'.",
                Some("src/a.ts(7,1): error TS2304: Cannot find name 'A'."),
            ),
            ("\u{1b}[31mpanic: nil map\u{1b}[0m", Some("panic: nil map")),
            ("all fine", None),
        ] {
            assert_eq!(signature(output).as_deref(), wanted, "{output}");
        }
    }
}
