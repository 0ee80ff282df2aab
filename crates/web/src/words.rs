//! Which words of two texts differ.

use crate::limits::WORDS_MAX;

/// A stretch of a text that the other has as well, or has not.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) text: String,
    pub(crate) differs: bool,
}

/// Both texts, in stretches that are the same and stretches that differ.
pub(crate) fn compare(left: &str, right: &str) -> (Vec<Stretch>, Vec<Stretch>) {
    let (left, right): (Vec<&str>, Vec<&str>) =
        (left.split_whitespace().collect(), right.split_whitespace().collect());
    if left.len() > WORDS_MAX || right.len() > WORDS_MAX {
        return (joined(&left, |_| false), joined(&right, |_| false));
    }
    let common = common(&left, &right);
    let of_left = joined(&left, |at| !common.iter().any(|(here, _)| *here == at));
    let of_right = joined(&right, |at| !common.iter().any(|(_, here)| *here == at));
    (of_left, of_right)
}

/// The longest common subsequence: pairs of places.
fn common(left: &[&str], right: &[&str]) -> Vec<(usize, usize)> {
    let width = right.len() + 1;
    let mut lengths = vec![0u32; (left.len() + 1) * width];
    let same = |i: usize, j: usize| left[i].eq_ignore_ascii_case(right[j]);
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            lengths[i * width + j] = match same(i, j) {
                true => lengths[(i + 1) * width + j + 1] + 1,
                false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < left.len() && j < right.len() {
        if same(i, j) {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

fn joined(words: &[&str], differs: impl Fn(usize) -> bool) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let differs = differs(at);
        match stretches.last_mut().filter(|last| last.differs == differs) {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(word);
            }
            None => stretches.push(Stretch { text: (*word).to_owned(), differs }),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(stretches: &[Stretch]) -> String {
        let one = |stretch: &Stretch| match stretch.differs {
            true => format!("[{}]", stretch.text),
            false => stretch.text.clone(),
        };
        stretches.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_two_texts_do_not_share_is_marked_on_both_sides() {
        let (left, right) = compare("Cache the timetable for a day", "Never cache the timetable for an hour");
        assert_eq!(told(&left), "Cache the timetable for [a day]");
        assert_eq!(told(&right), "[Never] cache the timetable for [an hour]");
    }

    #[test]
    fn very_long_texts_are_shown_and_not_compared() {
        let long = "word ".repeat(WORDS_MAX + 1);
        assert!(compare(&long, "word").0.iter().all(|stretch| !stretch.differs));
    }
}
