//! What a message says, sentence by sentence: which give a cause, which guess, which only announce what comes next.

use std::collections::BTreeSet;

use ken_language::{Style, WordList, flat, in_backticks, sentence_ends, split};

use crate::conversation::markdown::{Kind, lines};
use crate::limits::harvest::{SENTENCE_CHARS_MAX, TOKEN_CHARS_MIN};

static CAUSAL: WordList = WordList::new(include_str!("../../words/harvest/causal.txt"));
static HEDGED: WordList = WordList::new(include_str!("../../words/harvest/hedged.txt"));

/// A sentence that somebody said; code, quotations and tables are not said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) text: String,
    /// In small letters, with single blanks between words.
    spaced: String,
}

impl Sentence {
    pub(super) fn new(text: &str) -> Sentence {
        let lower = text.to_lowercase().replace('\u{2019}', "'");
        let words = split::words(&lower, &['\'', '_']);
        Sentence { text: text.to_owned(), spaced: split::spaced(words) }
    }

    pub(super) fn has(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| split::has_phrase(&self.spaced, phrase))
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.spaced.split_whitespace()
    }

    pub(super) fn first(&self) -> &str {
        self.words().next().unwrap_or_default()
    }

    /// Whether it asks; many do without the sign.
    pub(super) fn is_question(&self) -> bool {
        const ASKING: &[&str] = &[
            "why", "what", "how", "where", "who", "which", "is", "are", "does", "do", "did", "can", "could",
            "should", "would", "shall", "was", "were", "when",
        ];
        const BEFORE: &[&str] =
            &["then", "so", "and", "but", "ok", "okay", "hm", "hmm", "ah", "oh", "well", "also", "wait"];
        let marked = self.text.trim_end_matches(['"', ')', '*', '_', ' ']).ends_with('?');
        let mut words = self.words().skip_while(|word| BEFORE.contains(word));
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        // `do not` orders, and `which means` goes on.
        let asks =
            ASKING.contains(&first) && !["not", "means", "is"].contains(&second) && !self.text.ends_with('.');
        marked || asks
    }

    /// Whether it gives a cause. `, so` and a label such as `Cause:` count as well.
    pub(super) fn is_causal(&self) -> bool {
        let lower = self.text.to_lowercase();
        self.has(&CAUSAL) || lower.contains(", so ") || lower.contains("; so ") || lower.starts_with("cause:")
    }

    pub(super) fn is_hedged(&self) -> bool {
        self.has(&HEDGED)
    }

    /// Whether it only says what its author does next: `I'll pass it explicitly`, `Let me look`, `Now the view`.
    pub(super) fn is_plan(&self) -> bool {
        const HEADS: &[&str] = &["i'll", "let", "now", "next", "running", "time", "then", "first"];
        let first = self.first();
        let second = self.words().nth(1).unwrap_or_default();
        let third = self.words().nth(2).unwrap_or_default();
        let announces = first == "i" && !TELLING.contains(&second);
        let progresses = first == "i'm" && (second.ends_with("ing") || third.ends_with("ing"));
        announces || progresses || HEADS.contains(&first)
    }
}

/// Verbs after `I` with which a sentence tells what was found, and not what is done next.
const TELLING: &[&str] = &["found", "learned", "noticed", "saw", "see", "confirmed", "measured", "verified"];

/// The sentences of a message, in their order.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    cut(text, Style::Document)
}

/// The same of what a person types: there a sentence may begin with a small letter.
pub(super) fn typed(text: &str) -> Vec<Sentence> {
    cut(text, Style::Plain)
}

fn cut(text: &str, style: Style) -> Vec<Sentence> {
    let mut found = Vec::new();
    for paragraph in paragraphs(text) {
        let mut start = 0;
        let mut ends = sentence_ends(&paragraph, style, &in_backticks(&paragraph));
        ends.push(paragraph.len());
        for end in ends {
            let one = paragraph[start..end].trim();
            start = end;
            if one.chars().any(char::is_alphabetic) && one.chars().count() <= SENTENCE_CHARS_MAX {
                found.push(Sentence::new(one));
            }
        }
    }
    found
}

/// The paragraphs and list items of a message, each in one line.
fn paragraphs(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in lines(text) {
        match line.kind {
            Kind::Text if goes_on => {
                if let Some(last) = found.last_mut() {
                    last.push(' ');
                    last.push_str(line.text);
                }
            }
            Kind::Text | Kind::Item => {
                found.push(line.text.to_owned());
                goes_on = true;
            }
            Kind::Heading(_) | Kind::Blank | Kind::OpenItem | Kind::Shown => goes_on = false,
        }
    }
    found.into_iter().map(|paragraph| flat(&paragraph)).collect()
}

/// Words of prose that are written as code, or look like it: in backticks, with signs or capitals inside. In small letters.
pub(super) fn identifiers(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, part) in text.split('`').enumerate() {
        let in_code = at % 2 == 1;
        for word in part.split_whitespace() {
            let looks = in_code || looks_like_code(word);
            if looks {
                found.extend(tokens(word));
            }
        }
    }
    found
}

pub(super) fn looks_like_code(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let inner =
        |sign: char| bare.char_indices().any(|(at, c)| c == sign && at > 0 && at + c.len_utf8() < bare.len());
    let mixed = bare.chars().skip(1).any(char::is_uppercase) && bare.chars().any(char::is_lowercase);
    let upper =
        bare.chars().count() >= 3 && bare.chars().all(|c| c.is_uppercase() || c == '_' || c.is_numeric());
    mixed
        || upper && bare.chars().any(char::is_alphabetic)
        || ['_', '/', '.', ':', '='].into_iter().any(inner)
}

/// The names in code, in small letters: runs of letters, digits and underscores that could be one.
pub(super) fn tokens(code: &str) -> BTreeSet<String> {
    let words = split::words(code, &['_']);
    let is_name =
        |word: &&str| word.chars().count() >= TOKEN_CHARS_MIN && word.chars().any(char::is_alphabetic);
    words.filter(is_name).map(str::to_lowercase).collect()
}

/// Sentences joined again, as many as fit.
pub(super) fn joined<'a>(sentences: impl IntoIterator<Item = &'a Sentence>, chars_max: usize) -> String {
    let mut text = String::new();
    for one in sentences {
        if !text.is_empty() && text.chars().count() + one.text.chars().count() + 1 > chars_max {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&one.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_what_is_said_and_not_what_is_shown() {
        let text = "Found it. `a.b` sets X, so Y.\n\n```\nnot said.\n```\n- One. Two?\n> quoted.";
        let found: Vec<String> = sentences(text).into_iter().map(|one| one.text).collect();
        assert_eq!(found, ["Found it.", "`a.b` sets X, so Y.", "One.", "Two?"]);
    }

    #[test]
    fn a_plan_a_guess_and_a_cause_are_told_apart() {
        for (text, wanted) in [
            ("The pool leaks because `close` is never called.", "cause"),
            ("Cause: the pin skips repeatable migrations.", "cause"),
            ("It probably leaks because of the pool.", "cause guess"),
            ("I'll move the call.", "plan"),
            ("I remove the pin and fix the column.", "plan"),
            ("I'm taking it out again.", "plan"),
            ("I found that the pool leaks.", ""),
            ("Let me look at the config.", "plan"),
            ("All 12 tests pass.", ""),
            ("hm, then why does the dashboard say v3", "question"),
            ("do not retry with a new key", ""),
        ] {
            let one = Sentence::new(text);
            let mut found = Vec::new();
            found.extend(one.is_causal().then_some("cause"));
            found.extend(one.is_hedged().then_some("guess"));
            found.extend(one.is_plan().then_some("plan"));
            found.extend(one.is_question().then_some("question"));
            assert_eq!(found.join(" "), wanted, "{text}");
        }
    }

    #[test]
    fn code_in_prose_is_found_by_its_form() {
        let found =
            identifiers("The `to_minor()` of ledger/money.py uses ROUND_DOWN and parkingLot, not a word");
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, ["ledger", "money", "parkinglot", "round_down", "to_minor"]);
    }
}
