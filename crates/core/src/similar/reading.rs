//! A text taken apart for comparison: its words in one form each, its numbers in one unit each, its names and code as they are.

use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::UnicodeNormalization;

use super::Aspect;
use super::lexicon::{self, lexicon};
use crate::words::normalise_statement;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A word of the language.
    Word,
    /// A word too common to carry the claim.
    Small,
    /// A capitalised word, an acronym, a product.
    Name,
    /// Something that was written to be copied: code, a flag, a setting, an address.
    Code,
    /// A path.
    Path,
    /// A quantity.
    Number,
    /// A version or a date.
    Version,
}

/// One word of a text.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// As it was written, for quoting.
    pub text: String,
    /// The form in which it is compared.
    pub key: String,
    pub shape: Shape,
    /// The clause it stands in.
    pub clause: usize,
    /// Whether a new clause or sentence begins with it, and which word brings it in.
    pub sentence: usize,
    pub negates: bool,
    /// Counts only against another of its kind.
    pub vague: bool,
    /// A verb that says little: `put`, `keep`, `have`.
    pub light: bool,
}

impl Said {
    /// The aspect in which two texts differ, if this is on one side only.
    pub fn aspect(&self) -> Option<Aspect> {
        match self.shape {
            Shape::Word | Shape::Small => None,
            Shape::Name | Shape::Code => Some(Aspect::Identifier),
            Shape::Path => Some(Aspect::Path),
            Shape::Number => Some(Aspect::Number),
            Shape::Version => Some(Aspect::Version),
        }
    }

    /// A word of extent: `all`, `only`.
    fn is_scope(&self) -> bool {
        lexicon::SCOPES.contains(&self.key.as_str())
    }

    pub fn is_content(&self) -> bool {
        self.shape != Shape::Small && !self.negates && !self.vague
    }
}

/// A text, taken apart.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The form in which equal texts are equal.
    pub normal: String,
    pub said: Vec<Said>,
    /// All keys, of small words too.
    pub keys: BTreeSet<String>,
    /// Code as it was written, letter case and all.
    pub exact: BTreeSet<String>,
    exact_lower: BTreeSet<String>,
    /// Commands of several words, with their words sorted.
    pub spans: BTreeMap<String, Vec<String>>,
    /// The words that stand under a negation.
    pub denied: BTreeSet<String>,
    /// The first word under each negation.
    pub first_denied: BTreeSet<String>,
    /// How often the small words of direction and connection occur.
    pub small: BTreeMap<String, usize>,
    /// Mostly in a script whose words are not known here.
    pub foreign: bool,
}

impl Reading {
    pub fn of(text: &str) -> Reading {
        let text = even(text);
        let reader = Reader::of(&text);
        let mut reading = Reading {
            normal: normalise_statement(&text.replace('`', "")),
            said: reader.said,
            spans: reader.spans,
            exact_lower: reader.exact.iter().map(|word| word.to_lowercase()).collect(),
            exact: reader.exact,
            ..Reading::default()
        };
        reading.keys = reading.said.iter().map(|said| said.key.clone()).collect();
        for said in &reading.said {
            if lexicon::COUNTED_SMALL_WORDS.contains(&said.key.as_str()) {
                *reading.small.entry(said.key.clone()).or_default() += 1;
            }
        }
        reading.deny();
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        let known = text.chars().filter(|c| c.is_alphabetic() && (*c as u32) < 0x250).count();
        reading.foreign = known * 2 < letters;
        reading
    }

    pub fn content(&self) -> impl Iterator<Item = &Said> {
        self.said.iter().filter(|said| said.is_content())
    }

    /// Whether this text says the same somewhere.
    pub fn has(&self, said: &Said) -> bool {
        if said.shape == Shape::Code && said.text.chars().any(char::is_alphabetic) {
            // Letter case counts between two pieces of code, not between code and prose.
            if self.exact.contains(&said.text) {
                return true;
            }
            let lower = said.text.to_lowercase();
            if self.exact_lower.contains(&lower) {
                return false;
            }
        }
        self.keys.contains(&said.key)
    }

    /// Which words stand under a negation: the rest of the clause, or what is before when nothing follows.
    fn deny(&mut self) {
        let mut at = 0;
        while at < self.said.len() {
            if !self.said[at].negates {
                at += 1;
                continue;
            }
            let clause = self.said[at].clause;
            let mut first = true;
            let mut next = at + 1;
            // `x must not be used for y` denies x.
            let behind =
                self.said[next..].iter().take_while(|said| said.clause == clause && !said.is_content());
            if behind.into_iter().any(|said| said.key == "used")
                && let Some(said) = self.said[..at].iter().rev().find(|said| said.is_content())
                && said.clause == clause
            {
                self.first_denied.insert(said.key.clone());
                first = false;
            }
            while next < self.said.len() && self.said[next].clause == clause && !self.said[next].negates {
                if self.said[next].is_content() {
                    let key = self.said[next].key.clone();
                    if first {
                        self.first_denied.insert(key.clone());
                    }
                    self.denied.insert(key);
                    first = false;
                }
                next += 1;
            }
            if first {
                let before = self.said[..at].iter().rev().take_while(|said| said.clause == clause);
                if let Some(said) = before.into_iter().find(|said| said.is_content()) {
                    self.first_denied.insert(said.key.clone());
                    self.denied.insert(said.key.clone());
                }
            }
            at = next.max(at + 1);
        }
    }

    /// Whether additional words make the claim narrower, rather than explain it or say something else beside it.
    pub fn narrows(&self, extra: &[usize]) -> bool {
        let mut runs: Vec<Vec<usize>> = Vec::new();
        for index in extra {
            let joined = runs.last().and_then(|run| run.last()).is_some_and(|last| {
                self.said[*last + 1..*index].iter().all(|said| !said.is_content())
                    && self.said[*last].sentence == self.said[*index].sentence
            });
            match runs.last_mut() {
                Some(run) if joined => run.push(*index),
                _ => runs.push(vec![*index]),
            }
        }
        runs.iter().any(|run| {
            let first = run[0];
            let sentence = self.said[first].sentence;
            let own = self.said.iter().filter(|said| said.sentence == sentence && said.is_content()).count();
            if own == run.len() {
                return false;
            }
            let before: Vec<&str> = self.said[..first]
                .iter()
                .rev()
                .take_while(|said| said.sentence == sentence && !said.is_content())
                .map(|said| said.key.as_str())
                .collect();
            if before.iter().any(|key| lexicon::EXPLAINING.contains(key)) {
                return false;
            }
            run.len() <= 2 || before.iter().any(|key| lexicon::NARROWING.contains(key))
        })
    }

    /// A compared form as it was first written here.
    pub fn written<'a>(&'a self, key: &'a str) -> &'a str {
        self.said.iter().find(|said| said.key == key).map_or(key, |said| said.text.as_str())
    }

    /// Where one of the words stands, and the word that it is said of: the next that carries meaning, or the last before it.
    pub fn focus(&self, words: &[&str]) -> Vec<(usize, usize)> {
        let said_here = |said: &&Said| words.contains(&said.key.as_str());
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(at) = self.said[from..].iter().position(|said| said_here(&said)).map(|at| at + from) {
            let clause = self.said[at].clause;
            let near = |next: &usize| self.said[*next].clause == clause;
            let mut after = (at + 1..self.said.len()).take_while(near);
            let mut before = (from..at).rev().take_while(near);
            let counts = |next: &usize| self.said[*next].is_content();
            if let Some(next) = after.find(counts).or_else(|| before.find(counts)) {
                found.push((at, next));
            }
            from = at + 1;
        }
        found
    }

    /// Words of extent that stand right behind a negation: `not all`, `not only`.
    pub fn denied_scopes(&self) -> Vec<String> {
        let pairs = self.said.windows(2).filter(|pair| pair[0].negates && pair[1].is_scope());
        pairs.map(|pair| format!("{} {}", pair[0].text, pair[1].text)).collect()
    }

    /// Whether there is a word of extent.
    pub fn scoped(&self) -> bool {
        self.said.iter().any(Said::is_scope)
    }

    /// Whether the phrase that begins with this word can stand in front or behind without another meaning.
    pub fn is_movable(&self, at: usize) -> bool {
        let said = &self.said[at];
        let opens = at == 0 || self.said[at - 1].clause != said.clause;
        let led = self.said[..at]
            .iter()
            .rev()
            .take_while(|before| before.clause == said.clause && !before.is_content())
            .any(|before| lexicon::LEADING.contains(&before.key.as_str()));
        led || said.text.ends_with("ly") || (opens && at > 0)
    }

    /// The content words in their order.
    pub fn sequence(&self) -> Vec<&str> {
        self.content().map(|said| said.key.as_str()).collect()
    }

    /// The content words of each clause, in their order.
    pub fn clauses(&self) -> Vec<Vec<&str>> {
        let said: Vec<&Said> = self.content().collect();
        let clauses = said.chunk_by(|one, next| one.clause == next.clause);
        clauses.map(|clause| clause.iter().map(|said| said.key.as_str()).collect()).collect()
    }

    /// Whether something is done to somebody here: `are skipped`, `was written`.
    pub fn passive(&self) -> bool {
        self.said.windows(2).any(|pair| {
            lexicon::BEING.contains(&pair[0].key.as_str())
                && (pair[1].text.ends_with("ed")
                    || pair[1].text.ends_with("en")
                    || pair[1].text.ends_with("ght"))
        })
    }

    /// The things that a small word such as `from` is said of.
    pub fn bound(&self, word: &str) -> BTreeSet<&str> {
        let mut things = BTreeSet::new();
        for (at, said) in self.said.iter().enumerate().filter(|(_, said)| said.key == word) {
            let phrase = self.said[at + 1..].iter().take_while(|next| {
                next.clause == said.clause && !lexicon::PARTING.contains(&next.key.as_str())
            });
            things.extend(phrase.filter(|next| next.is_content()).map(|next| next.key.as_str()));
        }
        things
    }
}

impl Said {
    /// Gives a word its compared form and its standing.
    fn settle(&mut self) {
        if matches!(self.shape, Shape::Code | Shape::Path | Shape::Number | Shape::Version) {
            return;
        }
        let lower = self.key.to_lowercase();
        if lexicon::NEGATORS.contains(&lower.as_str()) {
            self.negates = true;
            self.shape = Shape::Small;
            self.key = lower;
            return;
        }
        if lexicon().small.contains(lower.as_str()) {
            self.shape = Shape::Small;
            self.key = lower;
            return;
        }
        let product = lexicon().products.get(lower.as_str());
        if let Some(product) = product {
            self.shape = Shape::Name;
            self.key = (*product).to_owned();
            return;
        }
        if self.shape == Shape::Name && lexicon().known(&lower) {
            self.shape = Shape::Word;
        }
        if self.shape == Shape::Name && lexicon::COMMON_ACRONYMS.contains(&lower.as_str()) {
            self.vague = true;
        }
        self.light = lexicon::LIGHT.contains(&lower.as_str());
        self.key = lexicon().key(&lower);
    }
}

/// Joins words that are said as one: `prior to`, `instead of`, `at least`.
fn phrases(said: &mut Vec<Said>) {
    let old = std::mem::take(said);
    let lower: Vec<String> = old.iter().map(|said| said.key.to_lowercase()).collect();
    let mut at = 0;
    while at < old.len() {
        let hit = lexicon()
            .phrases
            .get(lower[at].as_str())
            .into_iter()
            .flatten()
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
                    said.push(Said { text, key: (*key).to_owned(), shape: Shape::Word, ..old[at].clone() });
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
fn preferences(said: &mut [Said]) {
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

#[derive(Default)]
struct Reader {
    said: Vec<Said>,
    spans: BTreeMap<String, Vec<String>>,
    exact: BTreeSet<String>,
    clause: usize,
    sentence: usize,
    begins: bool,
}

impl Reader {
    fn of(text: &str) -> Reader {
        let mut reader = Reader::default();
        reader.read(text);
        phrases(&mut reader.said);
        preferences(&mut reader.said);
        for said in &mut reader.said {
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
        self.said.push(Said {
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
            if let Some((key, shape)) = number(word) {
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
        if tail.contains(['.', '!', '?', '。', '…'])
            && !lexicon::SHORTENED.contains(&core.to_lowercase().as_str())
        {
            self.end_sentence();
        } else if tail.contains([',', ';', ':', ')', '、']) {
            self.clause += 1;
        }
    }

    fn word(&mut self, word: &str) {
        let lower = word.to_lowercase();
        if lexicon::SIGNS.contains(&word) {
            return self.push(word, sign(word).to_owned(), Shape::Code);
        }
        if let Some((key, shape)) = number(word) {
            return self.push(word, key, shape);
        }
        if let Some((count, vague)) = lexicon::number_word(&lower) {
            self.push(word, count.to_string(), Shape::Number);
            if let Some(last) = self.said.last_mut() {
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
                lexicon().opposed(&part.to_lowercase()) || lexicon().known(&part.to_lowercase())
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
            || (inside('.') && !lexicon::SHORTENED.contains(&lower.as_str()))
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
        let old = std::mem::take(&mut self.said);
        let mut words = old.into_iter().peekable();
        while let Some(mut said) = words.next() {
            if said.shape == Shape::Number {
                while let Some(next) = words.peek() {
                    let (Ok(count), false) = (said.key.parse::<f64>(), next.clause != said.clause) else {
                        break;
                    };
                    let word = next.text.to_lowercase();
                    if let Some(times) = lexicon::multiple(&word).filter(|_| next.shape != Shape::Code) {
                        said.key = (count * times).to_string();
                    } else if next.shape == Shape::Number
                        && !next.vague
                        && (20.0..100.0).contains(&count)
                        && count % 10.0 == 0.0
                        && said.text.chars().all(char::is_alphabetic)
                        && next.key.parse::<f64>().is_ok_and(|unit| (1.0..10.0).contains(&unit))
                    {
                        said.key = (count + next.key.parse::<f64>().unwrap_or(0.0)).to_string();
                    } else if let Some(key) = lexicon::with_unit(count, &next.key) {
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
            self.said.push(said);
        }
        // `Python 3`, `version 2`: a number after a product is its version.
        for at in 1..self.said.len() {
            let (before, after) = self.said.split_at_mut(at);
            let (last, said) = (&before[at - 1], &mut after[0]);
            let word = last.key.to_lowercase();
            let product = lexicon().products.contains_key(word.as_str());
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
pub(crate) fn words(text: &str) -> Vec<Said> {
    Reader::of(&even(text)).said
}

/// One spelling for signs that look alike.
fn even(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.nfkc().collect::<String>().replace(['\u{2019}', '\u{2018}', '\u{2bc}'], "'")
}

/// The form in which a word of the language is compared.
pub(crate) fn plain_word(lower: &str) -> String {
    lexicon().key(lower)
}

/// Whether two words, in their compared form, exclude each other.
pub(crate) fn opposed(one: &str, other: &str) -> bool {
    let side = |group: &[Vec<String>], key: &str| {
        group.iter().position(|words| words.iter().any(|word| word == key))
    };
    let lexicon = lexicon();
    if ![one, other].into_iter().all(|key| lexicon.opposite_keys.contains(key)) {
        return false;
    }
    lexicon.opposites.iter().any(|group| match (side(group, one), side(group, other)) {
        (Some(one), Some(other)) => one != other,
        (None, _) | (_, None) => false,
    })
}

/// Code compared with prose: lower case, as a word of the language where it is one.
fn plain_key(word: &str) -> String {
    let lower = word.to_lowercase();
    if let Some(product) = lexicon().products.get(lower.as_str()) {
        return (*product).to_owned();
    }
    if word.chars().all(char::is_alphabetic) {
        lexicon().key(&lower)
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
    !stem.is_empty() && lexicon::FILE_ENDINGS.contains(&ending.to_lowercase().as_str())
}

/// Reads a quantity or a version, with the unit that is written to it.
fn number(word: &str) -> Option<(String, Shape)> {
    let word = word.trim_start_matches(['~', '≈', '+', '$', '€', '£']);
    let word =
        word.strip_prefix('#').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(word);
    let marked = word.len() > 1
        && (word.starts_with(['v', 'V', '^']) || word.starts_with(">=") || word.starts_with("=="))
        && word.trim_start_matches(['v', 'V', '^', '>', '=']).starts_with(|c: char| c.is_ascii_digit());
    let body = if marked { word.trim_start_matches(['v', 'V', '^', '>', '=']) } else { word };
    let negative = body.len() > 1 && body.starts_with('-');
    let body = if negative { &body[1..] } else { body };
    if !body.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let lower = body.to_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        let value = u64::from_str_radix(&hex.replace('_', ""), 16).ok()?;
        return Some((value.to_string(), Shape::Number));
    }
    let dots = body.matches('.').count();
    let dated = body.len() >= 8
        && body.matches('-').count() == 2
        && body.chars().all(|c| c.is_ascii_digit() || c == '-');
    let starred = body.ends_with(".x") || body.ends_with(".*");
    if dated
        || starred
        || (dots >= 2 && body.chars().filter(|c| *c != '.').all(|c| c.is_ascii_alphanumeric() || c == '-'))
    {
        let key = lower.trim_end_matches(".x").trim_end_matches(".*");
        return Some((key.to_owned(), Shape::Version));
    }
    let digits_end = body
        .char_indices()
        .find(|(_, c)| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_')))
        .map_or(body.len(), |(at, _)| at);
    let (digits, unit) = body.split_at(digits_end);
    if marked {
        // A version keeps its zeros: 1.2 is not 1.20.
        return Some((lower, Shape::Version));
    }
    let value: f64 = digits.replace([',', '_'], "").parse().ok()?;
    let value = if negative { -value } else { value };
    let plain = || {
        // What could be a version keeps its zeros, too.
        if dots == 1 { digits.to_owned() } else { value.to_string() }
    };
    let unit = unit.trim_start_matches('-');
    if unit.is_empty() {
        return Some((plain(), Shape::Number));
    }
    if let Some(times) = match unit {
        "k" | "K" => Some(1e3),
        "M" => Some(1e6),
        "B" => None,
        "x" | "X" => Some(1.0),
        _ => None,
    } {
        return Some(((value * times).to_string(), Shape::Number));
    }
    if let Some(key) = lexicon::with_unit(value, unit) {
        return Some((key, Shape::Number));
    }
    if matches!(unit, "st" | "nd" | "rd" | "th") {
        return Some((format!("{value} th"), Shape::Number));
    }
    // Times of day, ranges, sizes: as they are.
    if unit
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, ':' | '-' | '.' | 'x' | '/' | '%' | 'e' | '+' | ','))
    {
        return Some((lower, Shape::Number));
    }
    None
}
