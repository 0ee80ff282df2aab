//! Words people type: finding the nearest known one, and normalising texts and tags for comparison.

use ken_language::{Style, flat, in_backticks};
use unicode_normalization::UnicodeNormalization;

use crate::limits::words::SENTENCE_CHARS_MAX;

/// The known word nearest to a mistyped one, if any is near enough to be worth offering.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    known
        .into_iter()
        .map(|word| {
            let begins = typed.len() >= 3 && word.starts_with(typed.as_str());
            let score = strsim::jaro_winkler(&typed, &word.to_lowercase());
            (if begins { score.max(0.95) } else { score }, word)
        })
        .filter(|(score, _)| *score >= 0.78)
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, word)| word)
}

/// A noun with its article: `a lesson`, `an entity`.
pub fn with_article(noun: impl std::fmt::Display) -> String {
    let noun = noun.to_string();
    let article = if noun.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {noun}")
}

/// IN-6: the form in which two statements are the same one: NFKC, case-folded, blanks collapsed, final
/// punctuation dropped.
pub fn normalise_statement(text: &str) -> String {
    ken_language::normalise(text)
}

/// A text on one line, cut to some characters.
pub fn one_line(text: &str, chars_max: usize) -> String {
    let flat = flat(text);
    if flat.chars().count() <= chars_max {
        return flat;
    }
    flat.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect()
}

/// The sentences that begin a text, on one line, as far as they fit some characters, and whether that is all of it.
///
/// A sentence is never cut: the first one is given whole even where it is longer. None where no sentence ends within reason.
pub fn first_sentences(text: &str, chars_max: usize) -> Option<(String, bool)> {
    let flat = flat(text);
    if flat.chars().count() <= chars_max {
        return Some((flat, true));
    }
    let ends = sentence_ends(&flat);
    let chars_until = |end: usize| flat[..end].chars().count();
    let last = ends.iter().rev().find(|end| chars_until(**end) <= chars_max);
    let end = *last.or(ends.first())?;
    (chars_until(end) <= SENTENCE_CHARS_MAX.max(chars_max))
        .then(|| (flat[..end].to_owned(), end == flat.len()))
}

/// Where sentences end in a text on one line: the bytes after them. The end of the text is one.
fn sentence_ends(flat: &str) -> Vec<usize> {
    let mut ends = ken_language::sentence_ends(flat, Style::Preview, &in_backticks(flat));
    if ends.last() != Some(&flat.len()) {
        ends.push(flat.len());
    }
    ends
}

/// ENT-2: tags are trimmed, lower case, inner blanks and hyphens become `_`, and `/` nests.
pub fn normalise_tag(text: &str) -> Result<String, String> {
    let lower = if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        text.nfkc().collect::<String>().to_lowercase()
    };
    let mut parts = Vec::new();
    for part in lower.split('/') {
        let words: Vec<&str> =
            part.split(|c: char| c.is_whitespace() || c == '-').filter(|w| !w.is_empty()).collect();
        let part = words.join("_");
        if part.is_empty() {
            return Err(format!("{text:?} has an empty part; write words, with `/` between levels"));
        }
        if let Some(odd) =
            part.chars().find(|c| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '+' | '#' | '@' | ':')))
        {
            return Err(format!(
                "{text:?} contains {odd:?}; a tag has letters, digits, `_ . + # @ :` and `/` to nest"
            ));
        }
        parts.push(part);
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_ends_at_a_sentence() {
        let text = "Retry with jitter, e.g. 100 ms. Never more than `a.b. C` times! It overloads the pool.";
        for (chars, expected, whole) in [
            (10, "Retry with jitter, e.g. 100 ms.", false),
            (40, "Retry with jitter, e.g. 100 ms.", false),
            (70, "Retry with jitter, e.g. 100 ms. Never more than `a.b. C` times!", false),
            (200, text, true),
        ] {
            assert_eq!(first_sentences(text, chars), Some((expected.to_owned(), whole)), "{chars}");
        }
        assert_eq!(
            first_sentences("接続プールを閉じる。次に再試行する。", 12).unwrap().0,
            "接続プールを閉じる。"
        );
        assert_eq!(first_sentences(&"word ".repeat(200), 100), None);
    }

    #[test]
    fn near_words_are_offered_and_far_ones_are_not() {
        let known = ["lesson", "entity", "relationship", "commit_norm"];
        assert_eq!(nearest("leson", known), Some("lesson"));
        assert_eq!(nearest("Entitty", known), Some("entity"));
        assert_eq!(nearest("commit-norm", known), Some("commit_norm"));
        assert_eq!(nearest("zzz", known), None);
    }

    #[test]
    fn statements_that_differ_in_form_only_are_the_same() {
        let same =
            ["Use  conventional\ncommits.", "use conventional commits", "ＵＳＥ conventional commits!"];
        for text in same {
            assert_eq!(normalise_statement(text), "use conventional commits", "{text}");
        }
        assert_eq!(normalise_statement("caf\u{e9}"), normalise_statement("cafe\u{301}"));
        assert_ne!(normalise_statement("version 1.2"), normalise_statement("version 1.3"));
        assert_eq!(normalise_statement("..."), "...");
    }

    #[test]
    fn tags_have_one_spelling() {
        assert_eq!(normalise_tag(" Error Handling/retry-Policy ").unwrap(), "error_handling/retry_policy");
        assert!(normalise_tag("a//b").is_err());
        assert!(normalise_tag("a\u{0}b").unwrap_err().contains("tag"));
    }
}
