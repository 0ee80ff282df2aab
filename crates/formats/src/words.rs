//! Words for how bad something is and how long it lasts: many systems, one meaning each.

use ken_core::finding::scale;
use ken_core::kinds::DecayClass;

/// How bad a word or a number is, from 0 to 10 (C22).
pub(crate) fn severity(word: &str) -> Option<f64> {
    scale::severity(word).ok().map(|(number, _)| number)
}

/// Of these words, the one nearest to a number; the first of two that are as near.
pub(crate) fn severity_word(number: f64, words: &[&'static str]) -> Option<&'static str> {
    let away = |word: &str| severity(word).map_or(f64::MAX, |known| (known - number).abs());
    words.iter().copied().min_by(|one, other| away(one).total_cmp(&away(other)))
}

/// The class that a word means (ENT-7, C21): those of GSD, of Decapod, and our own.
pub(crate) fn decay_class(word: &str) -> Option<DecayClass> {
    match word {
        "workaround" => Some(DecayClass::Ephemeral),
        "convention" | "decay" => Some(DecayClass::Stable),
        "principle" | "persistent" => Some(DecayClass::Permanent),
        own => DecayClass::from_word(own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c22_the_word_for_a_number() {
        let gsd = ["critical", "notable", "minor", "trace"];
        let table = [
            (10.0, "critical"),
            (8.25, "critical"),
            (8.0, "notable"),
            (5.5, "notable"),
            (5.0, "minor"),
            (0.0, "trace"),
        ];
        for (number, word) in table {
            assert_eq!(severity_word(number, &gsd), Some(word), "{number}");
        }
        assert_eq!(severity_word(6.4, &["low", "medium", "high"]), Some("medium"));
    }

    #[test]
    fn c21_how_long_a_word_lasts() {
        for (word, class) in
            [("convention", "stable"), ("persistent", "permanent"), ("ephemeral", "ephemeral")]
        {
            assert_eq!(decay_class(word).map(DecayClass::word), Some(class));
        }
        assert_eq!(decay_class("forever"), None);
    }
}
