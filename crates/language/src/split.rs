//! The words of a text without anything else of a reading: for phrases that are looked up, and for counting.

/// The runs of letters, digits and some other characters of a text, in their order.
///
/// ```
/// # use ken_language::split::words;
/// assert_eq!(words("don't: stop!", &['\'']).collect::<Vec<_>>(), ["don't", "stop"]);
/// ```
pub fn words<'a>(text: &'a str, also: &'a [char]) -> impl Iterator<Item = &'a str> {
    words_of(text, move |c| c.is_alphanumeric() || also.contains(&c))
}

/// The runs of characters of a kind, in their order.
pub fn words_of(text: &str, is_part: impl Fn(char) -> bool) -> impl Iterator<Item = &str> {
    text.split(move |c: char| !is_part(c)).filter(|word| !word.is_empty())
}

/// Words with single blanks between and around them, in which [`has_phrase`] finds whole words only.
pub fn spaced<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut spaced = String::from(" ");
    for word in words {
        spaced.push_str(word);
        spaced.push(' ');
    }
    spaced
}

/// Whether a phrase stands in words that [`spaced`] wrote.
pub fn has_phrase(spaced: &str, phrase: &str) -> bool {
    phrases_at(spaced, phrase).next().is_some()
}

/// Where a phrase stands in words that [`spaced`] wrote: the byte of the blank before it.
pub fn phrases_at<'a>(spaced: &'a str, phrase: &str) -> impl Iterator<Item = usize> + use<'a> {
    let found: Vec<usize> = spaced.match_indices(&format!(" {phrase} ")).map(|(at, _)| at).collect();
    found.into_iter()
}

/// A word in small letters, and the punctuation that stood before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedWord {
    /// Letters, digits, `_`, and apostrophes inside of it.
    pub text: String,
    /// The last sign of punctuation since the word before; a semicolon stays.
    pub mark: Option<char>,
}

/// The words of a text with the punctuation between them. `also` are signs that are words themselves, such as `❌`.
pub fn marked_words(text: &str, also: &[char]) -> Vec<MarkedWord> {
    let mut words: Vec<MarkedWord> = Vec::new();
    let mut mark = None;
    let mut current = String::new();
    for character in text.chars() {
        if character.is_alphanumeric() || matches!(character, '\'' | '’' | '_') || also.contains(&character)
        {
            current.extend(character.to_lowercase());
            continue;
        }
        if !current.is_empty() {
            words.push(MarkedWord { text: std::mem::take(&mut current), mark: mark.take() });
        }
        if matches!(character, ',' | ';' | ':' | '!' | '?' | '—' | '`' | '.') && mark != Some(';') {
            mark = Some(character);
        }
    }
    if !current.is_empty() {
        words.push(MarkedWord { text: current, mark });
    }
    for word in &mut words {
        let trimmed = word.text.trim_matches(['\'', '’']);
        if trimmed.len() != word.text.len() {
            word.text = trimmed.to_owned();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_whole_words() {
        let said = spaced(words("It's no issue: none.", &['\'']));
        assert_eq!(said, " It's no issue none ");
        assert!(has_phrase(&said, "no issue") && !has_phrase(&said, "no iss"));
        assert_eq!(phrases_at(&said, "no issue").collect::<Vec<_>>(), [5]);
    }

    #[test]
    fn a_word_knows_the_sign_before_it() {
        let words = marked_words("Don't; 'run' it, ever", &[]);
        let said: Vec<(&str, Option<char>)> =
            words.iter().map(|word| (word.text.as_str(), word.mark)).collect();
        assert_eq!(said, [("don't", None), ("run", Some(';')), ("it", None), ("ever", Some(','))]);
    }
}
