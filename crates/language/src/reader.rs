//! From a text to its tokens: what is prose and what code, where clauses and sentences end, which words are said as one.

use std::collections::{BTreeMap, BTreeSet};

use crate::lexicon;
use crate::normal::one_spelling;
use crate::quantity;
use crate::token::{Shape, Token};
use crate::word_list::WordList;

static ABBREVIATIONS: WordList = WordList::new(include_str!("../words/abbreviations_claim.txt"));
static FILE_ENDINGS: WordList = WordList::new(include_str!("../words/file_endings.txt"));
static SIGNS: WordList = WordList::new(include_str!("../words/signs.txt"));

/// Joins words that are said as one: `prior to`, `instead of`, `at least`.
fn phrases(said: &mut Vec<Token>) {
    let old = std::mem::take(said);
    let lower: Vec<String> = old.iter().map(|said| said.key.to_lowercase()).collect();
    let mut at = 0;
    while at < old.len() {
        let hit = lexicon::phrases_from(&lower[at])
            .iter()
            .filter(|(words, _)| {
                words.len() <= old.len() - at
                    && words.iter().zip(&lower[at..]).all(|(word, lower)| word == lower)
                    && old[at].clause == old[at + words.len() - 1].clause
            })
            .max_by_key(|(words, _)| words.len());
        match hit {
            Some((words, key)) => {
                let text =
                    old[at..at + words.len()].iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join(" ");
                if !key.is_empty() {
                    said.push(Token { text, key: (*key).to_owned(), shape: Shape::Word, ..old[at].clone() });
                }
                at += words.len();
            }
            None => {
                said.push(old[at].clone());
                at += 1;
            }
        }
    }
}

/// `Prefer x over y` and `prefer x to y` deny the second.
fn preferences(said: &mut [Token]) {
    let mut preferred: Option<usize> = None;
    for at in 0..said.len() {
        let lower = said[at].text.to_lowercase();
        if matches!(lower.as_str(), "prefer" | "prefers" | "preferred" | "favor" | "favour") {
            preferred = Some(at);
        } else if let Some(first) = preferred
            && (lower == "over" || (lower == "to" && at > first + 1))
            && said[first].sentence == said[at].sentence
        {
            said[at].key = "instead_of".to_owned();
            preferred = None;
        }
    }
}

/// How far a text is read.
#[derive(Default)]
pub(crate) struct Reader {
    pub tokens: Vec<Token>,
    pub spans: BTreeMap<String, Vec<String>>,
    pub exact: BTreeSet<String>,
    clause: usize,
    sentence: usize,
    begins: bool,
}

impl Reader {
    pub fn new(text: &str) -> Reader {
        let mut reader = Reader::default();
        reader.read(text);
        phrases(&mut reader.tokens);
        preferences(&mut reader.tokens);
        for said in &mut reader.tokens {
            said.settle();
        }
        reader
    }

    fn read(&mut self, text: &str) {
        self.begins = true;
        for (index, part) in text.split('`').enumerate() {
            if index % 2 == 1 && !part.trim().is_empty() {
                self.code(part);
            } else {
                for chunk in part.split_whitespace() {
                    self.chunk(chunk);
                }
                if part.contains("\n\n") || part.contains("\n-") || part.contains("\n*") {
                    self.end_sentence();
                }
            }
        }
        self.join_quantities();
    }

    fn push(&mut self, text: &str, key: String, shape: Shape) {
        self.tokens.push(Token {
            text: text.to_owned(),
            key,
            shape,
            clause: self.clause,
            sentence: self.sentence,
            negates: false,
            vague: false,
            light: false,
        });
        self.begins = false;
    }

    fn end_sentence(&mut self) {
        self.clause += 1;
        self.sentence += 1;
        self.begins = true;
    }

    /// What stands between backticks: word for word, each one hard.
    fn code(&mut self, span: &str) {
        let words: Vec<&str> = span.split_whitespace().collect();
        for word in &words {
            let word = word.trim_end_matches([',', ';']).trim_end_matches("()");
            if word.is_empty() {
                continue;
            }
            if let Some((key, shape)) = quantity::number(word) {
                self.push(word, key, shape);
                continue;
            }
            self.exact.insert(word.to_owned());
            let shape = if is_path(word) { Shape::Path } else { Shape::Code };
            let key = if shape == Shape::Path { path_key(word) } else { plain_key(word) };
            self.push(word, key, shape);
        }
        if words.len() > 1 {
            let mut sorted: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            sorted.sort();
            self.spans.insert(words.join(" "), sorted);
        }
    }

    /// What stands between blanks in prose.
    fn chunk(&mut self, chunk: &str) {
        if matches!(chunk, "-" | "--" | "–" | "—" | "*" | "•") {
            self.clause += 1;
            return;
        }
        let trimmed = chunk.trim_start_matches(['(', '[', '{', '"', '\'', '“', '„', '«', '*']);
        if trimmed.len() < chunk.len() && chunk.starts_with('(') {
            self.clause += 1;
        }
        let core = trimmed.trim_end_matches([
            ',', '.', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '”', '»', '…', '*', '。', '、',
        ]);
        let tail = &trimmed[core.len()..];
        // A call keeps its own bracket.
        let core = core.strip_suffix('(').unwrap_or(core);
        for part in core.split(['—', '–']).flat_map(|part| part.split("...")) {
            if !part.is_empty() {
                self.word(part);
            }
        }
        if tail.contains(['.', '!', '?', '。', '…']) && !ABBREVIATIONS.contains(&core.to_lowercase()) {
            self.end_sentence();
        } else if tail.contains([',', ';', ':', ')', '、']) {
            self.clause += 1;
        }
    }

    fn word(&mut self, word: &str) {
        let lower = word.to_lowercase();
        if SIGNS.contains(word) {
            return self.push(word, sign(word).to_owned(), Shape::Code);
        }
        if let Some((key, shape)) = quantity::number(word) {
            return self.push(word, key, shape);
        }
        if let Some((count, vague)) = quantity::number_word(&lower) {
            self.push(word, count.to_string(), Shape::Number);
            if let Some(last) = self.tokens.last_mut() {
                last.vague = vague;
            }
            return;
        }
        if word.contains("://") || (word.contains('@') && word.len() > 1) {
            self.exact.insert(word.to_owned());
            return self.push(word, lower.trim_end_matches('/').to_owned(), Shape::Code);
        }
        if word.starts_with('-') && word.trim_start_matches('-').starts_with(|c: char| c.is_alphabetic()) {
            self.exact.insert(word.to_owned());
            return self.push(word, word.to_owned(), Shape::Code);
        }
        if word.contains(['/', '\\']) {
            let parts: Vec<&str> = word.split('/').collect();
            let plain = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_alphabetic() || c == '-');
            let loud = |part: &&str| part.chars().all(char::is_uppercase);
            let said = |part: &&str| {
                lexicon::has_opposite(&part.to_lowercase()) || lexicon::is_known(&part.to_lowercase())
            };
            if parts.iter().all(plain) && (parts.iter().all(loud) || parts.iter().all(said)) {
                for part in parts {
                    self.word(part);
                }
                return;
            }
            self.exact.insert(word.to_owned());
            let shape = if is_path(word) { Shape::Path } else { Shape::Code };
            return self.push(word, path_key(word), shape);
        }
        let inner = word.trim_end_matches("()");
        let inside = |c: char| inner.trim_matches(c).contains(c);
        let coded = inner.len() < word.len()
            || word
                .contains(['_', '=', '$', '#', '<', '>', '(', '[', '{', '|', '&', '~', '^', '%', '+', '*'])
            || word.contains("::")
            || (inside('.') && !ABBREVIATIONS.contains(&lower))
            || inside(':');
        if coded {
            self.exact.insert(inner.to_owned());
            let shape = if is_path(inner) { Shape::Path } else { Shape::Code };
            return self.push(inner, plain_key(inner), shape);
        }
        if let Some(stem) = lower.strip_suffix("n't") {
            self.push(word, "not".to_owned(), Shape::Word);
            let _ = stem;
            return;
        }
        if lower == "cannot" {
            return self.push(word, "not".to_owned(), Shape::Word);
        }
        let bare = lower.split('\'').next().unwrap_or_default();
        let bare_len = bare.len().min(word.len());
        let word = if word.is_char_boundary(bare_len) { &word[..bare_len] } else { word };
        if word.contains('-') {
            for part in word.split('-').filter(|part| !part.is_empty()) {
                if part.eq_ignore_ascii_case("re") {
                    continue;
                }
                self.word(part);
            }
            return;
        }
        if word.is_empty() {
            return;
        }
        if let Some(rest) = bare.strip_prefix("non").filter(|rest| rest.len() > 4) {
            self.push(word, "non".to_owned(), Shape::Word);
            return self.push(rest, rest.to_owned(), Shape::Word);
        }
        if bare.chars().any(|c| c as u32 >= 0x2e80) {
            // Scripts without blanks: every sign for itself.
            for c in bare.chars() {
                self.push(&c.to_string(), c.to_string(), Shape::Word);
            }
            return;
        }
        // `PRs` are several of `PR`.
        let (word, bare) = match word.strip_suffix('s') {
            Some(one) if one.len() >= 2 && one.chars().all(|c| c.is_ascii_uppercase()) => {
                (one, &bare[..one.len()])
            }
            _ => (word, bare),
        };
        let upper = word.chars().filter(|c| c.is_uppercase()).count();
        let digits = word.chars().any(|c| c.is_ascii_digit());
        let capital = word.starts_with(char::is_uppercase);
        let name =
            digits || upper >= 2 || (upper == 1 && !capital) || (capital && !self.begins && bare != "i");
        self.push(word, bare.to_owned(), if name { Shape::Name } else { Shape::Word });
    }

    /// `30` and `seconds` are one quantity; so are `two` and `hundred`.
    fn join_quantities(&mut self) {
        let old = std::mem::take(&mut self.tokens);
        let mut words = old.into_iter().peekable();
        while let Some(mut said) = words.next() {
            if said.shape == Shape::Number {
                while let Some(next) = words.peek() {
                    let (Ok(count), false) = (said.key.parse::<f64>(), next.clause != said.clause) else {
                        break;
                    };
                    let word = next.text.to_lowercase();
                    if let Some(times) = quantity::multiple(&word).filter(|_| next.shape != Shape::Code) {
                        said.key = (count * times).to_string();
                    } else if next.shape == Shape::Number
                        && !next.vague
                        && (20.0..100.0).contains(&count)
                        && count % 10.0 == 0.0
                        && said.text.chars().all(char::is_alphabetic)
                        && next.key.parse::<f64>().is_ok_and(|unit| (1.0..10.0).contains(&unit))
                    {
                        said.key = (count + next.key.parse::<f64>().unwrap_or(0.0)).to_string();
                    } else if let Some(key) = quantity::with_unit(count, &next.key) {
                        said.key = key;
                        said.vague = false;
                        said.text = format!("{} {}", said.text, next.text);
                        words.next();
                        break;
                    } else {
                        break;
                    }
                    said.vague = false;
                    said.text = format!("{} {}", said.text, next.text);
                    words.next();
                }
            }
            self.tokens.push(said);
        }
        // `Python 3`, `version 2`: a number after a product is its version.
        for at in 1..self.tokens.len() {
            let (before, after) = self.tokens.split_at_mut(at);
            let (last, said) = (&before[at - 1], &mut after[0]);
            let word = last.key.to_lowercase();
            let product = lexicon::product(&word).is_some();
            if said.shape == Shape::Number
                && said.text.starts_with(|c: char| c.is_ascii_digit())
                && (product || matches!(word.as_str(), "version" | "edition" | "release" | "es" | "api"))
            {
                said.shape = Shape::Version;
            }
        }
    }
}

/// One spelling for each sign of comparison.
fn sign(word: &str) -> &str {
    match word {
        "≤" | "=<" => "<=",
        "≥" | "=>" => ">=",
        "≠" | "<>" => "!=",
        other => other,
    }
}

/// The words of a text alone, where nothing else of a reading is asked for.
pub fn tokens(text: &str) -> Vec<Token> {
    Reader::new(&one_spelling(text)).tokens
}

/// Code compared with prose: lower case, as a word of the language where it is one.
fn plain_key(word: &str) -> String {
    let lower = word.to_lowercase();
    if let Some(product) = lexicon::product(&lower) {
        return product.to_owned();
    }
    if word.chars().all(char::is_alphabetic) {
        lexicon::compared_form(&lower)
    } else if word.starts_with('-') {
        word.to_owned()
    } else {
        lower
    }
}

fn path_key(word: &str) -> String {
    let slashed = word.replace('\\', "/");
    let mut path = slashed.as_str();
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    path.trim_end_matches('/').to_owned()
}

fn is_path(word: &str) -> bool {
    if word.contains("://") || word.contains(['(', '<', '=', '$', '{']) {
        return false;
    }
    if word.contains(['/', '\\']) {
        return true;
    }
    let Some((stem, ending)) = word.rsplit_once('.') else { return false };
    !stem.is_empty() && FILE_ENDINGS.contains(&ending.to_lowercase())
}
