//! From a text to the terms it is found by.
//!
//! Words are lower-cased, stripped of accents and stemmed; words that say nothing are left out. What is more than a word (an
//! identifier, a path, a version, a code such as `TCK-1432`) is kept whole and is also taken apart, so that it is found by its
//! name and by its parts. Writing without blanks between words is cut into overlapping pairs.

use std::cell::RefCell;
use std::collections::HashMap;

use ken_language::WordList;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

pub use crate::limits::terms::TEXT_BYTES_MAX;
use crate::limits::terms::{FORM_BYTES_MAX, FORMS_MAX, WORD_CHARS_MAX};

/// A term: the hash of its letters. Two of a million different terms may share one; such a clash costs a little precision and
/// nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u32);

impl Term {
    /// The term of a form that is already lower case and stemmed.
    pub fn from_form(form: &str) -> Term {
        // FNV-1a, folded: the same on every machine and for ever, since indexes outlive processes.
        let hash = form.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Term((hash ^ (hash >> 32)) as u32)
    }

    /// The term by which the texts about a subject are found.
    pub fn of_subject(name: &str) -> Term {
        Term::from_form(&format!("\u{1}about {name}"))
    }

    /// The term of every text that is about some subject.
    pub fn of_any_subject() -> Term {
        Term::from_form("\u{1}about")
    }

    /// The term of those among them that say the subject's name themselves.
    pub fn of_spoken_subject(name: &str) -> Term {
        Term::from_form(&format!("\u{1}says {name}"))
    }
}

/// A word as it was met, with the form it is found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Lower case, stemmed.
    pub form: String,
    /// It is the whole of an identifier, a path or a code, or a part of one that stands beside the whole.
    pub named: bool,
}

/// The terms of a text with how often each occurs.
pub fn terms(text: &str) -> HashMap<Term, u32> {
    let mut counts = HashMap::new();
    for_each_word(text, &mut |form, _| *counts.entry(Term::from_form(form)).or_insert(0) += 1);
    counts
}

/// The words of a text, in order.
pub fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for_each_word(text, &mut |form, named| words.push(Word { form: form.to_owned(), named }));
    words
}

/// Calls back with every form of a text, in order, and whether it belongs to a name.
pub fn for_each_word(text: &str, each: &mut dyn FnMut(&str, bool)) {
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let folded = fold(&text[..end]);
    for chunk in folded.split(|c: char| !(is_word(c) || is_joint(c))) {
        let chunk = chunk.trim_matches(is_joint);
        if !chunk.is_empty() {
            chunk_words(chunk, each);
        }
    }
}

/// Accents go, compatibility forms become plain, the case stays: it shows where the parts of a name begin.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.nfkd().filter(|c| !is_combining_mark(*c)).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric()
}

/// What holds the parts of a name together.
fn is_joint(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | '/' | ':' | '#' | '@' | '+') || is_apostrophe(c)
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

fn chunk_words(chunk: &str, each: &mut dyn FnMut(&str, bool)) {
    if chunk.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word(chunk, false, each);
    }
    // "don't" and "Caroline's" are words; the ending is not.
    let chunk = chunk.split(is_apostrophe).next().unwrap_or(chunk).trim_matches(is_joint);
    let joined = chunk.chars().any(is_joint);
    if joined && chunk.chars().count() <= WORD_CHARS_MAX {
        each(&chunk.to_lowercase(), true);
    }
    let mut parts: Vec<&str> = Vec::new();
    for piece in chunk.split(is_joint).filter(|piece| !piece.is_empty()) {
        if piece.chars().any(is_unspaced) {
            pairs(piece, each);
            continue;
        }
        if piece.chars().count() > WORD_CHARS_MAX {
            continue;
        }
        parts.clear();
        split_case(piece, &mut parts);
        let lower = piece.to_lowercase();
        if parts.len() > 1 {
            each(&lower, true);
            parts.iter().for_each(|part| word(&part.to_lowercase(), true, each));
        } else {
            word(&lower, joined, each);
        }
    }
}

fn word(lower: &str, named: bool, each: &mut dyn FnMut(&str, bool)) {
    if lower.len() > 2 && lower.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        let known = ShortWord::new(lower).and_then(|word| FORMS.with_borrow_mut(|forms| forms.form_of(word)));
        return match known {
            Some(form) if form.is_empty() => {}
            Some(form) => each(form.text(), named),
            None if is_stop_word(lower) => {}
            None => each(&english().stem(lower), named),
        };
    }
    // A letter alone says nothing; a digit may.
    let is_letter = lower.len() == 1 && lower.as_bytes()[0].is_ascii_alphabetic();
    if !is_letter && !is_stop_word(lower) {
        each(lower, named);
    }
}

fn english() -> Stemmer {
    Stemmer::create(Algorithm::English)
}

thread_local! {
    static FORMS: RefCell<Forms> = RefCell::default();
}

/// The forms of words that a thread has met, each where its hash says: most words of a text are words of the text before it.
#[derive(Default)]
struct Forms(Vec<(ShortWord, ShortWord)>);

impl Forms {
    /// The form of a word of letters; empty for one that says nothing.
    fn form_of(&mut self, word: ShortWord) -> Option<ShortWord> {
        self.0.resize(FORMS_MAX, (ShortWord::EMPTY, ShortWord::EMPTY));
        let kept = &mut self.0[Term::from_form(word.text()).0 as usize % FORMS_MAX];
        if kept.0 != word {
            let form = match is_stop_word(word.text()) {
                true => ShortWord::EMPTY,
                false => ShortWord::new(&english().stem(word.text()))?,
            };
            *kept = (word, form);
        }
        Some(kept.1)
    }
}

/// A short word in ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ShortWord {
    length: u8,
    bytes: [u8; FORM_BYTES_MAX],
}

impl ShortWord {
    const EMPTY: ShortWord = ShortWord { length: 0, bytes: [0; FORM_BYTES_MAX] };

    fn new(text: &str) -> Option<ShortWord> {
        let mut short = ShortWord { length: u8::try_from(text.len()).ok()?, ..ShortWord::EMPTY };
        short.bytes.get_mut(..text.len()).filter(|_| text.is_ascii())?.copy_from_slice(text.as_bytes());
        Some(short)
    }

    fn is_empty(&self) -> bool {
        self.length == 0
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

/// `parseHTTPResponse2` is parse, HTTP, Response, 2.
fn split_case<'a>(piece: &'a str, parts: &mut Vec<&'a str>) {
    let chars: Vec<(usize, char)> = piece.char_indices().collect();
    let mut start = 0;
    for at in 1..chars.len() {
        let (before, here) = (chars[at - 1].1, chars[at].1);
        let after = chars.get(at + 1).map(|(_, c)| *c);
        let rises = before.is_lowercase() && here.is_uppercase();
        let last_of_capitals =
            before.is_uppercase() && here.is_uppercase() && after.is_some_and(char::is_lowercase);
        let digits = before.is_numeric() != here.is_numeric();
        if rises || last_of_capitals || digits {
            parts.push(&piece[start..chars[at].0]);
            start = chars[at].0;
        }
    }
    parts.push(&piece[start..]);
}

/// Writing systems without blanks between words.
fn is_unspaced(c: char) -> bool {
    matches!(c as u32, 0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

fn pairs(part: &str, each: &mut dyn FnMut(&str, bool)) {
    let chars: Vec<char> = part.chars().collect();
    if let [only] = chars.as_slice() {
        return each(&only.to_string(), false);
    }
    for pair in chars.windows(2) {
        each(&pair.iter().flat_map(|c| c.to_lowercase()).collect::<String>(), false);
    }
}

/// Words that are in every text and every question.
static STOP_WORDS: WordList = WordList::new(include_str!("../words/stop_words.txt"));

/// Whether a lower-case word says nothing about what a text is about.
pub fn is_stop_word(lower: &str) -> bool {
    STOP_WORDS.contains(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_form_is_the_stem_of_its_word() {
        // More words than are kept, so that they take each other's place; the longest are not kept at all.
        let endings = ["ing", "ed", "ies", "ational", "ness", "ly", "s", "izationalizations"];
        let beginnings = (b'a'..=b'z').flat_map(|one| (b'a'..=b'z').map(move |two| [one, two]));
        let words: Vec<String> = beginnings
            .flat_map(|[one, two]| endings.map(|ending| format!("{}ra{}t{ending}", one as char, two as char)))
            .collect();
        assert!(words.len() > 2 * FORMS_MAX && words.iter().any(|word| word.len() > FORM_BYTES_MAX));
        for _ in 0..2 {
            for one in &words {
                let expected =
                    if is_stop_word(one) { Vec::new() } else { vec![english().stem(one).into_owned()] };
                let forms: Vec<String> = self::words(one).into_iter().map(|word| word.form).collect();
                assert_eq!(forms, expected, "{one}");
            }
        }
    }

    fn check(text: &str, expected: &str) {
        let words: Vec<String> = words(text).into_iter().map(|word| word.form).collect();
        assert_eq!(words.join(" "), expected, "{text:?}");
    }

    #[test]
    fn texts_and_their_terms() {
        check("Retrying failed connections, politely.", "retri fail connect polit");
        check("getUserById", "getuserbyid get user id");
        check("src/getUserById.rs", "src/getuserbyid.rs src getuserbyid get user id rs");
        check("MAX_RETRY_COUNT=3", "max_retry_count max retri count 3");
        check("parseHTTPResponse2", "parsehttpresponse2 pars http respons 2");
        check("see src/auth/session.rs:47", "see src/auth/session.rs:47 src auth session rs 47");
        check("TCK-1432 is E0502", "tck-1432 tck 1432 e0502 0502");
        check("Caroline's café — naïve, don’t", "carolin cafe naiv");
        check("on 2023-05-07 or 7 May, 2023", "2023-05-07 2023 05 07 7 may 2023");
        check("接続プール", "接続 続フ フー ール");
        check("to be or not to be", "");
        check("\u{0}\u{7}--- ''' ...", "");
        check("__init__ v1.2.3", "init v1.2.3 v1 1 2 3");
    }

    #[test]
    fn a_term_is_the_same_for_ever() {
        assert_eq!(Term::from_form("retri"), Term(3_524_570_043), "indexes on disks depend on it");
    }
}
