//! Labelled samples: how they are read, and how answers about them are counted.

use std::path::Path;

use serde_json::Value;

use crate::context::Failure;

/// Reads a file of the repository that has one JSON object a line.
pub(super) fn read_file<T>(
    root: &Path,
    name: &str,
    row: impl FnMut(&Value) -> Result<T, String>,
) -> Result<Vec<T>, Failure> {
    let text = std::fs::read_to_string(root.join(name))
        .map_err(|error| Failure::Failed(format!("cannot read {name}: {error}")))?;
    read(name, &text, row)
}

/// Reads one JSON object a line. A line that cannot be read is named.
pub(super) fn read<T>(
    name: &str,
    text: &str,
    mut row: impl FnMut(&Value) -> Result<T, String>,
) -> Result<Vec<T>, Failure> {
    let lines = text.lines().enumerate();
    lines
        .map(|(at, line)| {
            serde_json::from_str(line)
                .map_err(|error| error.to_string())
                .and_then(|value| row(&value))
                .map_err(|problem| Failure::Failed(format!("{name}, line {}: {problem}", at + 1)))
        })
        .collect()
}

/// A text that a row has to have.
pub(super) fn need(value: &Value, name: &str) -> Result<String, String> {
    value[name].as_str().map(str::to_owned).ok_or_else(|| format!("`{name}` is missing"))
}

/// The splits of some pairs, each once, and `all`.
pub(super) fn splits<'a>(of: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut splits: Vec<&str> = of.collect();
    splits.sort_unstable();
    splits.dedup();
    splits.push("all");
    splits
}

/// What was said of pairs whose answer is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Count {
    pub(super) pairs: usize,
    pub(super) right: usize,
    pub(super) wrong: usize,
    pub(super) missed: usize,
}

impl Count {
    /// Counts pairs of what is so and what was said.
    pub(super) fn new(answers: impl Iterator<Item = (bool, bool)>) -> Count {
        let mut count = Count::default();
        for (is_so, said) in answers {
            count.pairs += 1;
            match (is_so, said) {
                (true, true) => count.right += 1,
                (false, true) => count.wrong += 1,
                (true, false) => count.missed += 1,
                (false, false) => {}
            }
        }
        count
    }

    /// Of what was said, the share that is so, in percent.
    pub(super) fn precision(&self) -> f64 {
        percent(self.right, self.right + self.wrong)
    }

    /// Of what is so, the share that was said, in percent.
    pub(super) fn recall(&self) -> f64 {
        percent(self.right, self.right + self.missed)
    }
}

/// A part of a whole, in percent; nothing of nothing is nothing.
pub(super) fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        let failure = read("pairs.jsonl", "{\"a\":\"x\"}\n{\"b\":1}\n", |row| need(row, "a")).unwrap_err();
        assert_eq!(failure.to_string(), "pairs.jsonl, line 2: `a` is missing");
    }

    #[test]
    fn precision_is_about_what_was_said_and_recall_about_what_is_so() {
        let count = Count::new([(true, true), (true, true), (false, true), (true, false)].into_iter());
        assert_eq!((count.pairs, count.right, count.wrong, count.missed), (4, 2, 1, 1));
        assert_eq!(count.precision(), count.recall());
    }
}
