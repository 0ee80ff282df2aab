//! The known word nearest to a mistyped one.

/// A suggestion further away than this helps nobody.
const EDITS_MAX: usize = 3;

/// The known word with the fewest edits to `word`, if that is few enough to be a likely slip.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|candidate| (edits(word, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= EDITS_MAX && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance, one row at a time.
fn edits(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, r) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(l != *r);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word() {
        let known = ["test", "torture", "fuzz", "deny", "links"];
        assert_eq!(nearest("tset", &known), Some("test"));
        assert_eq!(nearest("link", &known), Some("links"));
        assert_eq!(nearest("fuz", &known), Some("fuzz"));
        assert_eq!(nearest("publish-all", &known), None);
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("same", "same"), 0);
    }
}
