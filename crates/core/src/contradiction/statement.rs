//! What one sentence of a norm demands, allows or forbids, and of what.

use std::collections::BTreeSet;

use ken_language::{Shape, Token, WordList, tokens};

use super::lexicon::{self, Modal};

/// How binding a sentence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Force {
    Must,
    Never,
    May,
    NeedNot,
}

impl Force {
    /// The same of the opposite: not to skip is to do.
    fn turned(self) -> Force {
        match self {
            Force::Must => Force::Never,
            Force::Never => Force::Must,
            Force::May => Force::NeedNot,
            Force::NeedNot => Force::May,
        }
    }

    /// Whether nobody can live by both.
    pub fn excludes(self, other: Force) -> bool {
        use Force::*;
        match (self, other) {
            (Must, Never | NeedNot) | (Never | NeedNot, Must) | (May, Never) | (Never, May) => true,
            (Must, Must | May)
            | (May, Must | May | NeedNot)
            | (Never, Never | NeedNot)
            | (NeedNot, Never | May | NeedNot) => false,
        }
    }

    /// For the sentence that explains.
    pub fn words(self) -> &'static str {
        match self {
            Force::Must => "must",
            Force::Never => "must never",
            Force::May => "may",
            Force::NeedNot => "need not",
        }
    }
}

/// A word that counts.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub key: String,
    pub text: String,
    /// The small word or verb before it, articles and numbers left out.
    pub before: String,
    /// Code, a name, a path.
    pub hard: bool,
    /// A verb that says little.
    pub light: bool,
}

/// A number with its bounds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantity {
    pub text: String,
    /// What stands for the number where it is none, as in `09:00`; and the unit.
    pub unit: String,
    pub low: f64,
    pub high: f64,
    pub low_open: bool,
    pub high_open: bool,
    /// Whether it is what the rule sets, and not a part of what it speaks of.
    pub set: bool,
    /// In a condition: two rules for two cases.
    pub condition: bool,
    /// Not a size: a version, a time of day.
    pub name: bool,
    /// `Not more than`: the negation is part of the bound.
    pub denied: bool,
}

impl Quantity {
    /// Whether no number is within both.
    pub fn excludes(&self, other: &Quantity) -> bool {
        let below = |one: &Quantity, two: &Quantity| {
            one.high < two.low || (one.high == two.low && (one.high_open || two.low_open))
        };
        match (self.name, other.name) {
            (true, true) => self.unit != other.unit,
            (false, false) => self.unit == other.unit && (below(self, other) || below(other, self)),
            (true, false) | (false, true) => false,
        }
    }

    pub fn same(&self, other: &Quantity) -> bool {
        self.unit == other.unit
            && self.low == other.low
            && self.high == other.high
            && self.low_open == other.low_open
            && self.high_open == other.high_open
            && self.name == other.name
    }
}

/// One sentence, taken apart.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub force: Force,
    pub words: Vec<Word>,
    pub numbers: Vec<Quantity>,
    /// Whether `with` is said somewhere.
    pub has_with: bool,
    /// Whether one thing does something to another with a verb that is not among the words: `models use views`.
    pub active: bool,
    /// What verbs there are that take several things at once.
    pub gathers: bool,
    /// Whether it speaks of one of many: `an example is`.
    pub indefinite: bool,
    /// What the sentences around it say that may narrow it: all that goes before, and the names of what follows.
    scene: BTreeSet<String>,
}

impl Statement {
    pub fn word_keys(&self) -> impl Iterator<Item = &String> {
        self.words.iter().map(|word| &word.key)
    }

    pub fn has(&self, key: &str) -> bool {
        self.words.iter().any(|word| word.key == key)
    }

    /// The same sentence with the words of the norm's subject in front, where it does not have them.
    pub fn with(&self, subject: &BTreeSet<String>) -> Statement {
        let mut words: Vec<Word> = Vec::new();
        for key in subject.iter().filter(|key| !self.has(key)) {
            words.push(Word {
                key: key.clone(),
                text: key.clone(),
                before: String::new(),
                hard: false,
                light: false,
            });
        }
        words.extend(self.words.iter().cloned());
        Statement { words, ..self.clone() }
    }

    /// What statements that may clash have in common.
    pub fn keys(&self, subject: &BTreeSet<String>) -> Vec<String> {
        let told: BTreeSet<&str> = self
            .words
            .iter()
            .filter(|word| !word.light && word.key != "without")
            .map(|word| word.key.as_str())
            .chain(subject.iter().map(String::as_str))
            .collect();
        if told.is_empty() {
            return Vec::new();
        }
        let join = |left_out: Option<&str>| {
            let words: Vec<&str> = told.iter().copied().filter(|key| Some(*key) != left_out).collect();
            words.join(" ")
        };
        let mut keys = vec![join(None)];
        // Many rules may differ in a number alone; those that do not are still to meet.
        if !self.numbers.is_empty() {
            let numbers: Vec<String> = self
                .numbers
                .iter()
                .map(|number| format!("{} {} {}", number.low, number.high, number.unit))
                .collect();
            keys.push(format!("{} # {}", join(None), numbers.join(" ")));
        }
        // Where a value may stand, the rest is what two rules share.
        for word in &self.words {
            if lexicon::choice(&word.key).is_some() || is_predicate(word) {
                keys.push(format!("{} _", join(Some(&word.key))));
            }
        }
        keys
    }
}

/// Whether something is said to be this.
pub(super) fn is_predicate(word: &Word) -> bool {
    matches!(word.before.as_str(), "be" | "is" | "are" | "=" | "to" | "stay" | "remain")
}

/// The content words of a text.
pub(super) fn content_words(text: &str) -> BTreeSet<String> {
    tokens(&values(text)).into_iter().filter(Token::is_content).map(|said| said.key).collect()
}

/// The sentences of a rule that oblige, allow or forbid something, as far as that is plain.
pub(super) fn read(rule: &str) -> Vec<Statement> {
    // A question asks, and what ends with a colon goes on elsewhere.
    if rule.contains('?') || rule.trim_end().ends_with(':') {
        return Vec::new();
    }
    let said = tokens(&values(rule));
    let sentences: Vec<&[Token]> = ken_language::sentences(&said).collect();
    let mut statements = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        let Some(mut statement) = Sentence::default().read(sentence) else { continue };
        let before = sentences[..at].iter().copied().flatten().filter(|said| said.shape != Shape::Small);
        let behind = sentences[at + 1..].iter().copied().flatten().filter(|said| is_hard(said));
        statement.scene = before.chain(behind).map(|said| said.key.clone()).collect();
        statements.push(statement);
    }
    statements
}

/// Whether a word names something, so that another one names something else.
fn is_hard(said: &Token) -> bool {
    matches!(said.shape, Shape::Name | Shape::Code | Shape::Path) && !said.vague
}

/// Whether two sentences are said of the same case, given what else their norms say: `Applies to Python` narrows what follows.
pub(super) fn comparable(one: &Statement, other: &Statement) -> bool {
    let known = |scene: &BTreeSet<String>, own: &Statement, there: &Statement| {
        scene.iter().all(|key| own.has(key) || there.has(key) || there.scene.contains(key))
    };
    known(&one.scene, one, other) && known(&other.scene, other, one)
}

/// A rule that is nothing but `key = value`.
pub(super) fn setting(rule: &str) -> Option<(String, String)> {
    let rule = rule.trim().trim_end_matches(['.', ';']);
    if rule.lines().count() != 1 {
        return None;
    }
    let (at, sign) = rule.char_indices().find(|(_, sign)| matches!(sign, '=' | ':'))?;
    let (key, value) = (rule[..at].trim(), rule[at + sign.len_utf8()..].trim());
    let coded = key.starts_with('`') && key.ends_with('`') && key.len() > 2;
    let key = key.trim_matches('`');
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let value = value.trim_matches(['`', '"', '\'']).to_lowercase();
    let named =
        !key.is_empty() && key.chars().all(name) && (coded || sign == '=' || key.contains(['_', '.']));
    let whole = !value.is_empty()
        && !value.starts_with(['=', ':', '>', '<'])
        && value.split_whitespace().count() == 1;
    (named && whole).then(|| (key.to_lowercase(), value))
}

/// The text with values of several words written as one.
fn values(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let words: Vec<&str> = line.split(' ').collect();
        let lower: Vec<String> = words
            .iter()
            .map(|word| {
                word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-' && c != '`').to_lowercase()
            })
            .collect();
        let (mut out, mut at) = (Vec::new(), 0);
        while at < words.len() {
            let stands = |(parts, _): &&(Vec<&str>, &str)| {
                lower.len() - at >= parts.len()
                    && parts.iter().zip(&lower[at..]).all(|(part, word)| part == word)
            };
            let hit = lexicon::values().iter().filter(stands).max_by_key(|(parts, _)| parts.len());
            match hit {
                Some((parts, key)) => {
                    let last = words[at + parts.len() - 1];
                    let tail = &last[last.trim_end_matches([',', '.', ';', ':', '!', ')']).len()..];
                    out.push(format!("{key}{tail}"));
                    at += parts.len();
                }
                None => {
                    out.push(words[at].to_owned());
                    at += 1;
                }
            }
        }
        lines.push(out.join(" "));
    }
    lines.join("\n")
}

/// A sentence while it is read.
#[derive(Default)]
struct Sentence {
    words: Vec<Word>,
    numbers: Vec<Quantity>,
    must: bool,
    need: bool,
    may: bool,
    bans: usize,
    optional: bool,
    negations: usize,
    turns: usize,
    /// How many words stood before a verb that is left out.
    verb_after: Option<usize>,
    /// Something was said that is no condition.
    has_main: bool,
    /// `Leave` was said, and its `out` is part of it.
    leaves: bool,
    /// What is said is not plain enough to be held against another.
    unsure: bool,
    has_with: bool,
    gathers: bool,
}

const BEING: &[&str] = &["be", "is", "are", "being", "stay", "stays", "remain", "remains", "="];
/// Words with which the place or the case of what follows is told first: `on main, never push`.
static PLACES: WordList = WordList::new(include_str!("../../words/contradiction/places.txt"));
static ARTICLES: WordList = WordList::new(include_str!("../../words/contradiction/articles.txt"));

impl Sentence {
    fn read(mut self, said: &[Token]) -> Option<Statement> {
        let lower: Vec<String> = said.iter().map(|said| said.text.to_lowercase()).collect();
        // The clause of a condition, and whether it stands in front of what it is a condition of.
        let mut condition: Option<(usize, bool)> = None;
        let mut strict = false;
        let mut at = 0;
        while at < said.len() {
            let (word, text) = (&said[at], lower[at].as_str());
            if condition.is_some_and(|(clause, leads)| leads && word.clause != clause) {
                (condition, strict) = (None, false);
            }
            if lexicon::REASONS.contains(text) || word.key == "because" {
                break;
            }
            if lexicon::CONDITIONS.contains(text) || lexicon::CONDITIONS.contains(word.key.as_str()) {
                let leads = self.words.is_empty();
                condition = condition.or(Some((word.clause, leads)));
                strict |= !matches!(text, "before" | "after" | "prior to" | "as" | "during");
            }
            let told = self.words.len();
            self.take(said, &lower, at, condition.is_some(), strict);
            let placed = word.clause == said[0].clause && PLACES.contains(lower[0].as_str());
            self.has_main |= condition.is_none() && !placed && self.words.len() > told;
            at += 1;
        }
        self.unsure |= points_elsewhere(&lower, self.words.len());
        let force = self.force()?;
        let first = lower.first().map(String::as_str).unwrap_or_default();
        let told = |word: &Word| {
            !word.light
                && !lexicon::TELLING.contains(word.key.as_str())
                && !lexicon::GENERIC.contains(word.text.to_lowercase().as_str())
        };
        let telling = self.words.iter().any(told);
        let active = self.verb_after.is_some_and(|told| told < self.words.len());
        telling.then_some(Statement {
            force,
            words: self.words,
            numbers: self.numbers,
            has_with: self.has_with,
            active,
            gathers: self.gathers,
            indefinite: matches!(first, "a" | "an" | "one" | "another"),
            scene: BTreeSet::new(),
        })
    }

    fn take(&mut self, said: &[Token], lower: &[String], at: usize, conditional: bool, strict: bool) {
        let (word, text) = (&said[at], lower[at].as_str());
        let before = at.checked_sub(1).map(|at| lower[at].as_str()).unwrap_or_default();
        if matches!(
            text,
            "use" | "uses" | "have" | "has" | "need" | "needs" | "require" | "requires" | "allow" | "allows"
        ) && !self.words.is_empty()
            && !conditional
        {
            self.verb_after = self.verb_after.or(Some(self.words.len()));
        }
        let noun = at == 0
            && lower[1..].iter().any(|text| is_finite(text) || matches!(text.as_str(), "use" | "uses"));
        self.gathers |= lexicon::GATHERING.contains(text) && self.is_verb(before) && !noun;
        if word.shape == Shape::Number || word.shape == Shape::Version {
            if let Some(quantity) = quantity(said, lower, at, strict) {
                if quantity.denied && self.negations > 0 {
                    self.negations -= 1;
                }
                self.numbers.push(quantity);
            } else if !word.vague {
                self.unsure = true;
            } else if !matches!(text, "one" | "once") {
                self.push(said, lower, at, word.key.clone());
            }
            return;
        }
        if matches!(text, "everybody" | "everyone" | "anybody" | "anyone") {
            return;
        }
        if lexicon::UNCERTAIN.contains(text) {
            self.unsure = true;
            return;
        }
        let modal = modal(said, lower, at);
        if !conditional && let Some(modal) = modal {
            match modal {
                Modal::Must => self.must = true,
                Modal::Need => self.need = true,
                Modal::May => self.may = true,
                Modal::Ban => self.bans += 1,
                Modal::Optional => self.optional = true,
            }
            return;
        }
        if word.negates
            && !matches!(word.key.as_str(), "without" | "except" | "unless" | "instead_of" | "non")
        {
            let extent = lower.get(at + 1).is_some_and(|next| lexicon::EXTENT.contains(next.as_str()));
            let contrast = at > 0 && said[at - 1].clause != word.clause && self.has_main && !conditional;
            if conditional {
                self.push(said, lower, at, "not".to_owned());
            } else if extent || contrast {
                self.unsure = true;
            } else {
                self.negations += 1;
            }
            return;
        }
        match word.key.as_str() {
            "with" => self.has_with = true,
            // Bounds are read with their numbers.
            ">=" | "<=" | ">" | "<" | "exactly" => return,
            _ => {}
        }
        if modal.is_none() && lexicon::PREDICATES.iter().any(|(word, _)| *word == text) {
            self.push(said, lower, at, word.key.clone());
            return;
        }
        if word.shape == Shape::Small || word.negates {
            let left_out = self.leaves && text == "out";
            if lexicon::TELLING.contains(word.key.as_str()) && !bounds(said, lower, at) && !left_out {
                self.push(said, lower, at, word.key.clone());
            }
            return;
        }
        if bounds(said, lower, at) {
            return;
        }
        // `80 characters long`.
        if matches!(text, "long" | "wide") && at > 1 && said[at - 2].shape == Shape::Number {
            return;
        }
        if text == "times" && at > 0 && said[at - 1].shape == Shape::Number {
            return;
        }
        if !conditional && self.is_verb(before) {
            // `Leave x out of y` is not to include it.
            if matches!(text, "leave" | "leaves" | "left") && lower[at..].iter().any(|word| word == "out") {
                self.turns += 1;
                self.leaves = true;
                self.push(said, lower, at, lexicon::include().to_owned());
                return;
            }
            if let Some(head) = lexicon::turned(&word.key) {
                self.turns += 1;
                if !head.is_empty() {
                    self.push(said, lower, at, head.to_owned());
                }
                return;
            }
        }
        self.push(said, lower, at, word.key.clone());
    }

    /// Whether what stands here is to be done: an order, or behind a word of duty.
    fn is_verb(&self, before: &str) -> bool {
        (self.words.is_empty() && !ARTICLES.contains(before))
            || BEING.contains(&before)
            || lexicon::MUST.contains(before)
            || lexicon::MAY.contains(before)
            || lexicon::NEED.contains(before)
            || matches!(
                before,
                "to" | "not"
                    | "never"
                    | "don't"
                    | "cannot"
                    | "must not"
                    | "do not"
                    | "does not"
                    | "automatically"
            )
    }

    fn push(&mut self, said: &[Token], lower: &[String], at: usize, key: String) {
        let passed = |at: &usize| {
            ARTICLES.contains(lower[*at].as_str())
                || said[*at].shape == Shape::Number
                || matches!(said[*at].key.as_str(), ">=" | "<=" | "exactly" | "always")
        };
        let before = (0..at).rev().find(|at| !passed(at)).map(|at| lower[at].clone()).unwrap_or_default();
        let light = lexicon::SAYING_LITTLE.contains(lower[at].as_str()) || key == lexicon::include();
        self.words.push(Word { key, text: said[at].text.clone(), before, hard: is_hard(&said[at]), light });
    }

    fn force(&self) -> Option<Force> {
        if self.unsure {
            return None;
        }
        let force = match (self.bans, self.optional, self.need, self.may, self.negations) {
            (1, false, false, false, 0) => Force::Never,
            (1, false, false, false, 1) => Force::May,
            (0, true, false, false, 0) => Force::NeedNot,
            (0, true, false, false, 1) => Force::Must,
            (0, false, true, false, 0) => Force::Must,
            (0, false, true, false, 1) => Force::NeedNot,
            (0, false, false, true, 0) if !self.must => Force::May,
            (0, false, false, true, 1) if !self.must => Force::Never,
            (0, false, false, false, 0) => Force::Must,
            (0, false, false, false, 1) => Force::Never,
            _ => return None,
        };
        Some(if self.turns % 2 == 1 { force.turned() } else { force })
    }
}

/// Whether a sentence cannot be understood without others: what `this` is, they say; or whether it tells what was, or a purpose.
fn points_elsewhere(lower: &[String], words: usize) -> bool {
    const FEW: usize = 2;
    let has = |words: &[&str]| lower.iter().any(|text| words.contains(&text.as_str()));
    let leads = match lower.first().map(String::as_str).unwrap_or_default() {
        "this" | "these" | "those" | "they" | "that" | "such" | "its" | "their" | "he" | "she" | "to"
        | "i" | "here" => true,
        // `It is forbidden to` is about what follows.
        "it" => !(has(&["to"]) && lexicon::PREDICATES.iter().any(|(word, _)| has(&[*word]))),
        _ => false,
    };
    leads
        || has(&["was", "were"])
        || (words <= FEW && has(&["this", "these", "those", "them", "they", "it"]) && lower[0] != "it")
}

/// Whether a verb stands here that has a subject.
fn is_finite(text: &str) -> bool {
    BEING.contains(&text) || lexicon::MUST.contains(text) || matches!(text, "have" | "has" | "need" | "needs")
}

/// What a word does to its sentence, if it is one that obliges, allows or forbids.
fn modal(said: &[Token], lower: &[String], at: usize) -> Option<Modal> {
    let text = lower[at].as_str();
    if text == "stop" && lower.get(at + 1).is_some_and(|next| next.ends_with("ing")) {
        return Some(Modal::Ban);
    }
    let lists: [(&WordList, Modal); 4] = [
        (&lexicon::NEED, Modal::Need),
        (&lexicon::MUST, Modal::Must),
        (&lexicon::MAY, Modal::May),
        (&lexicon::BAN, Modal::Ban),
    ];
    for (words, modal) in lists {
        if words.contains(text) {
            return Some(modal);
        }
    }
    let (_, modal) = lexicon::PREDICATES.iter().find(|(word, _)| *word == text)?;
    let said_to_be = (at.saturating_sub(2)..at).any(|at| BEING.contains(&lower[at].as_str()));
    let last = at + 1 == said.len() || said[at + 1].sentence != said[at].sentence;
    (said_to_be || last).then_some(*modal)
}

/// Whether a word such as `under` or `within` is the bound of the number behind it.
fn bounds(said: &[Token], lower: &[String], at: usize) -> bool {
    matches!(lower[at].as_str(), "under" | "below" | "over" | "above" | "within" | "exceed" | "exceeds")
        && said.get(at + 1).is_some_and(|next| next.shape == Shape::Number)
}

/// The number at a place, with what bounds it; nothing if it is only half one: `one of them`.
fn quantity(said: &[Token], lower: &[String], at: usize, strict: bool) -> Option<Quantity> {
    let word = &said[at];
    let mut from = at;
    let mut sign = "";
    let skipped = |text: &str| matches!(text, "a" | "the" | "about" | "of");
    while from > 0 {
        let text = lower[from - 1].as_str();
        match (said[from - 1].key.as_str(), text) {
            (key @ (">=" | "<=" | ">" | "<" | "exactly"), _) => sign = key,
            (_, "within") => sign = "<=",
            (_, "under" | "below") => sign = "<",
            (_, "over" | "above" | "exceed" | "exceeds") => sign = ">",
            (_, "maximum" | "max") => sign = "<=",
            (_, "minimum" | "min") => sign = ">=",
            (_, text) if skipped(text) && from == at => {}
            _ => break,
        }
        from -= 1;
    }
    let behind = |next: usize| said.get(at + next).map(|said| said.key.as_str()).unwrap_or_default();
    if sign.is_empty() {
        for next in 1..=2 {
            match behind(next) {
                key @ (">=" | "<=") => sign = key,
                "maximum" | "max" => sign = "<=",
                "minimum" | "min" => sign = ">=",
                _ => {}
            }
        }
    }
    let vague = word.vague && sign.is_empty();
    if vague || matches!(lower[at].as_str(), "once" | "both") {
        return None;
    }
    let before = from.checked_sub(1).map(|at| lower[at].as_str()).unwrap_or_default();
    let (count, unit) = match word.key.split_once(' ') {
        Some((count, unit)) => (count, unit),
        None => (word.key.as_str(), ""),
    };
    let (value, unit) = match count.parse::<f64>() {
        Ok(value) if word.shape == Shape::Number && value.is_finite() => (value, unit.to_owned()),
        // Times of day and versions: the same or not.
        _ => return Some(exact(word, before, strict)),
    };
    let said_before = lower[..from]
        .iter()
        .any(|text| is_finite(text) || text.as_str() == "not" || text.starts_with("must"));
    let said_behind =
        lower[at + 1..].iter().any(|text| is_finite(text) || lexicon::MAY.contains(text.as_str()));
    let keeps = matches!(lower.first().map(String::as_str), Some("keep" | "limit" | "use" | "hold"));
    let relative =
        lower[..from].iter().any(|text| matches!(text.as_str(), "that" | "which" | "who" | "whose"));
    let part = lower[at].contains('-')
        || behind(1) == "of"
        || relative
        || said_behind
        || matches!(before, "with" | "of" | "than" | "having")
        || behind(1) == "old";
    let limits = lower.iter().any(|text| matches!(text.as_str(), "limit" | "limited" | "cap" | "capped"))
        && before == "to";
    let denied = lower[..from]
        .iter()
        .any(|text| text == "not" || text == "never" || text == "must not" || text == "do not");
    let sign = match (sign, limits) {
        ("", true) => "<=",
        (sign, _) => sign,
    };
    let set = match sign {
        ">=" | "<=" => !part,
        "exactly" => !relative && !said_behind,
        ">" | "<" => !part && (said_before || keeps),
        _ => {
            let manner = before == "with"
                && lower.first().is_some_and(|verb| {
                    matches!(
                        verb.as_str(),
                        "indent" | "end" | "start" | "begin" | "pad" | "separate" | "align" | "run"
                    )
                });
            let times = lower.get(at + 1).is_some_and(|next| next == "times") || lower[at] == "twice";
            let placed = matches!(before, "be" | "is" | "are" | "=" | ":" | "at" | "every" | "use" | "to");
            !relative && !said_behind && (manner || times || placed || (!unit.is_empty() && !part))
        }
    };
    let (low, high, low_open, high_open) = match sign {
        ">=" => (value, f64::INFINITY, false, false),
        "<=" => (f64::NEG_INFINITY, value, false, false),
        ">" if denied => (f64::NEG_INFINITY, value, false, false),
        "<" if denied => (value, f64::INFINITY, false, false),
        ">" => (value, f64::INFINITY, true, false),
        "<" => (f64::NEG_INFINITY, value, false, true),
        _ => (value, value, false, false),
    };
    let text = said[from..=at].iter().map(|said| said.text.as_str()).collect::<Vec<_>>().join(" ");
    let denied = denied && matches!(sign, ">" | "<");
    Some(Quantity { text, unit, low, high, low_open, high_open, set, condition: strict, name: false, denied })
}

/// Something like a number that has no size.
fn exact(word: &Token, before: &str, strict: bool) -> Quantity {
    Quantity {
        text: word.text.clone(),
        unit: word.key.clone(),
        low: 0.0,
        high: 0.0,
        low_open: false,
        high_open: false,
        set: matches!(before, "be" | "is" | "are" | "=" | "at" | "to"),
        condition: strict,
        name: true,
        denied: false,
    }
}
