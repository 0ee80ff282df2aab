//! What an agent says in its last message about entries it was shown: which it used, and which were wrong (COR-15).
//!
//! Only plain reports count: `used [ID]`, `[ID] is wrong`. A denial, a question, a condition or somebody else's report is none.

use ken_language::{Negation, WordList};

use super::markdown::{Kind, lines};
use super::words::is_name;

use crate::limits::session_report::PRONOUN_WORDS_MAX;

/// What is said of an entry, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stance {
    /// It is merely named.
    Named,
    /// It was not used.
    Unused,
    Used,
    Wrong,
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// In small letters, without punctuation.
    Word(String),
    Cited(String),
    Comma,
    Colon,
    Dash,
    /// The end of a sentence, or of a part of it that stands alone.
    End {
        is_question: bool,
    },
}

/// Every entry that a text names, once, with the strongest that is said of it.
pub(crate) fn report(text: &str) -> Vec<(String, Stance)> {
    let mut found: Vec<(String, Stance)> = Vec::new();
    for paragraph in paragraphs(text) {
        // The instructions show the forms as code, so an agent may write a line of nothing else.
        let text = code(paragraph.text.trim()).filter(|(_, after)| after.is_empty()).map(|(inner, _)| inner);
        let sentences = sentences(tokens(text.unwrap_or(&paragraph.text)));
        let said = sentences.iter().flat_map(|sentence| read_sentence(sentence, paragraph.under));
        for (name, stance) in said.chain(taken_back(&sentences)) {
            match found.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = (*known).max(stance),
                None => found.push((name, stance)),
            }
        }
    }
    found
}

/// Whether a line does nothing but report.
pub(crate) fn is_report(line: &str) -> bool {
    let tokens = tokens(line);
    let first = tokens.iter().find_map(|token| match token {
        Token::Word(word) if word != "i" && word != "we" => Some(word.as_str()),
        Token::Cited(_) => Some(""),
        _ => None,
    });
    let begins = first.is_some_and(|word| word.is_empty() || is_use(word) || WRONG.contains(word));
    begins && report(line).iter().any(|(_, stance)| *stance > Stance::Unused)
}

/// A paragraph or a list item, and the label that its list stands under.
struct Paragraph {
    text: String,
    under: Option<Stance>,
}

fn paragraphs(text: &str) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = Vec::new();
    let mut under = None;
    let mut goes_on = false;
    for line in lines(text) {
        match line.kind {
            Kind::Blank => goes_on = false,
            Kind::Shown => (goes_on, under) = (false, None),
            Kind::OpenItem => goes_on = false,
            Kind::Text if goes_on => {
                if let Some(last) = found.last_mut() {
                    last.text.push(' ');
                    last.text.push_str(line.text);
                }
            }
            Kind::Text | Kind::Heading(_) => {
                under = label(line.text);
                found.push(Paragraph { text: line.text.to_owned(), under: None });
                goes_on = line.kind == Kind::Text && under.is_none();
            }
            Kind::Item => {
                found.push(Paragraph { text: line.text.to_owned(), under });
                goes_on = true;
            }
        }
    }
    found
}

/// `Used:` or `## Wrong entries`: what the items below it are.
fn label(line: &str) -> Option<Stance> {
    let tokens = tokens(line);
    let mut stance = None;
    for token in &tokens {
        match token {
            Token::Word(word) if word == "used" || word == "applied" => stance = Some(Stance::Used),
            Token::Word(word) if WRONG.contains(word.as_str()) => stance = Some(Stance::Wrong),
            Token::Word(word) if LABEL_NOUNS.contains(word.as_str()) => {}
            Token::Colon | Token::End { is_question: false } => {}
            Token::Word(_) | Token::Cited(_) | Token::Comma | Token::Dash | Token::End { .. } => return None,
        }
    }
    stance
}

static LABEL_NOUNS: WordList = WordList::new(include_str!("../../words/session/label_nouns.txt"));

/// Words that say of an entry that it does not hold.
static WRONG: WordList = WordList::new(include_str!("../../words/session/wrong.txt"));
/// Words that say that it does, or would, with `not` or `no longer` in front.
static RIGHT: WordList = WordList::new(include_str!("../../words/session/right.txt"));
/// Words after an entry that say that it was used.
static HELPED: WordList = WordList::new(include_str!("../../words/session/helped.txt"));
/// The same without effect, and what they become after `did not`.
static USELESS: WordList = WordList::new(include_str!("../../words/session/useless.txt"));
const DENIED: &[&str] = &["help", "use", "apply", "needed", "need", "relevant", "matter"];
/// Words between an entry and what is said of it.
static LINKING: WordList = WordList::new(include_str!("../../words/session/linking.txt"));
/// Words that make a report of it a thought.
static HEDGING: WordList = WordList::new(include_str!("../../words/session/hedging.txt"));
/// Words that make one after a negation: `not sure`.
const SURE: &[&str] = &["sure", "certain", "convinced", "clear", "confident"];
/// Verbs in front of an entry that say that it was not used.
static IGNORED: WordList = WordList::new(include_str!("../../words/session/ignored.txt"));
/// Words between a verb and the entries it is about.
static BETWEEN: WordList = WordList::new(include_str!("../../words/session/between.txt"));
/// Words between who acts and the verb.
static ADVERBS: WordList = WordList::new(include_str!("../../words/session/adverbs.txt"));
/// What may stand in front of a verb whose subject is the agent.
static AGENT: WordList = WordList::new(include_str!("../../words/session/agent.txt"));

fn is_use(word: &str) -> bool {
    ["used", "applied", "followed", "relied", "using"].contains(&word)
}

/// Cuts a text into pieces.
fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '['
            && let Some((name, after)) = rest[1..].split_once(']')
            && is_name(name.trim_matches('`'))
            && !after.starts_with('(')
        {
            // In `[ID]'s rule` the sentence is about something else.
            let name = name.trim_matches('`').to_owned();
            let owns = ["'s", "’s"].iter().any(|end| after.starts_with(end));
            found.push(if owns { Token::Word(name) } else { Token::Cited(name) });
            rest = after;
            continue;
        }
        if let Some((inner, after)) = code(rest) {
            // Code is shown and not said, but an entry may be written as code.
            let inside = tokens(inner);
            match cited(&inside).next().is_some() && joins_all(&inside) {
                true => found.extend(inside),
                false => found.push(Token::Word(format!("`{inner}`"))),
            }
            rest = after;
            continue;
        }
        if first == '`' {
            rest = rest.trim_start_matches('`');
            continue;
        }
        if first.is_whitespace() || "*_()\"“”„".contains(first) {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| c.is_whitespace() || "[()\"“”*;—–`".contains(*c))
            .map_or(rest.len(), |(at, _)| at);
        let (word, after) = rest.split_at(end);
        rest = after;
        push_word(word, &mut found);
    }
    found
}

/// What stands between the backticks that a text begins with, and what follows them.
fn code(text: &str) -> Option<(&str, &str)> {
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    let (open, rest) = text.split_at(ticks);
    let mut at = 0;
    while !open.is_empty() {
        let start = at + rest[at..].find('`')?;
        let count = rest[start..].bytes().take_while(|byte| *byte == b'`').count();
        if count == ticks {
            return Some((&rest[..start], &rest[start + count..]));
        }
        at = start + count;
    }
    None
}

fn push_word(word: &str, found: &mut Vec<Token>) {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    if !bare.is_empty() {
        found.push(match is_handle(bare) {
            true => Token::Cited(bare.to_owned()),
            false => Token::Word(bare.to_lowercase().replace('’', "'")),
        });
    }
    let tail = match word.find(bare) {
        Some(at) if !bare.is_empty() => &word[at + bare.len()..],
        Some(_) | None => word,
    };
    for sign in tail.chars() {
        match sign {
            ',' | '、' => found.push(Token::Comma),
            ':' | '：' => found.push(Token::Colon),
            '-' | '–' | '—' => found.push(Token::Dash),
            '&' | '/' => found.push(Token::Word("and".to_owned())),
            '.' | '!' | ';' | '。' | '！' => found.push(Token::End { is_question: false }),
            '?' | '？' => found.push(Token::End { is_question: true }),
            _ => {}
        }
    }
}

/// `L-1a2b3c`: the short citation of an entry, without brackets.
fn is_handle(word: &str) -> bool {
    word.split_once('-').is_some_and(|(kind, digits)| {
        kind.len() == 1
            && kind.chars().all(|c| c.is_ascii_uppercase())
            && (6..=16).contains(&digits.len())
            && digits.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
    })
}

/// Sentences that tell something; questions tell nothing, so their entries are merely named.
struct Sentence {
    tokens: Vec<Token>,
    is_question: bool,
    /// Whether it goes on after `but`.
    goes_on: bool,
}

impl Sentence {
    fn new() -> Sentence {
        Sentence { tokens: Vec::new(), is_question: false, goes_on: false }
    }
}

fn sentences(tokens: Vec<Token>) -> Vec<Sentence> {
    let mut all = vec![Sentence::new()];
    for token in tokens {
        let Some(last) = all.last_mut() else { break };
        let splits = is_in(&token, &["but", "however", "while", "whereas", "although"]);
        match token {
            Token::End { is_question } => {
                last.is_question = is_question;
                all.push(Sentence::new());
            }
            _ if splits => {
                last.goes_on = true;
                all.push(Sentence::new());
            }
            token => last.tokens.push(token),
        }
    }
    all.retain(|sentence| !sentence.tokens.is_empty());
    all
}

/// Entries of which the same sentence or the next says that they do not hold, without naming them again: `I used [A], but it was wrong`.
fn taken_back(sentences: &[Sentence]) -> Vec<(String, Stance)> {
    let mut found = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        let groups = groups(&sentence.tokens);
        for (number, group) in groups.iter().enumerate() {
            let names: Vec<&String> = cited(&sentence.tokens[group.clone()]).collect();
            let next = groups.get(number + 1);
            let front = &sentence.tokens[..group.start];
            let back = &sentence.tokens[group.end..next.map_or(sentence.tokens.len(), |next| next.start)];
            let front = &front[front.len().saturating_sub(PRONOUN_WORDS_MAX)..];
            let is_condition = front.iter().any(|token| is_in(token, CONDITIONS));
            // `As [A] says` agrees with it, so something else was wrong.
            if front.last().is_some_and(|last| is_in(last, &["as", "per"])) {
                continue;
            }
            let mut said =
                if sentence.is_question || is_condition { None } else { pronoun(back, Place::After) };
            let mut ends = usize::from(!sentence.goes_on);
            let mut later = sentences[at + 1..].iter().filter(|_| next.is_none());
            while said.is_none()
                && ends < 2
                && let Some(sentence) = later.next()
            {
                let cited = sentence.tokens.iter().position(|token| matches!(token, Token::Cited(_)));
                if !sentence.is_question {
                    let part = &sentence.tokens[..cited.unwrap_or(sentence.tokens.len())];
                    said = pronoun(part, Place::Next);
                }
                ends = if cited.is_some() { 2 } else { ends + usize::from(!sentence.goes_on) };
            }
            let names = match said {
                Some(Number::One) => &names[names.len().saturating_sub(1)..],
                Some(Number::Many) => &names[..],
                None => &[],
            };
            found.extend(names.iter().map(|name| ((*name).clone(), Stance::Wrong)));
        }
    }
    found
}

/// Where words stand that may speak of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Right behind it.
    After,
    /// In the next sentence.
    Next,
}

/// How many entries a pronoun stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    One,
    Many,
}

const CONDITIONS: &[&str] = &["if", "whether", "unless", "suppose", "assuming", "until"];
/// Words after which a new part of a sentence begins.
static PARTING: WordList = WordList::new(include_str!("../../words/session/parting.txt"));
/// Words in front of `it` that make it the thing which was just named: `to fix the timeout because it was wrong`.
const REASONS: &[&str] = &["because", "since", "as", "where", "when"];
/// A sentence that begins with one of these is about something else, unless it shows something about the entry.
static DETERMINERS: WordList = WordList::new(include_str!("../../words/session/determiners.txt"));
static SHOWING: WordList = WordList::new(include_str!("../../words/session/showing.txt"));

/// Whether a pronoun for an entry is said to be wrong: `it is outdated`, `which is wrong`.
fn pronoun(tokens: &[Token], place: Place) -> Option<Number> {
    let tokens = &tokens[..tokens.len().min(PRONOUN_WORDS_MAX)];
    let is_purpose =
        place == Place::After && tokens.first().is_some_and(|token| is_in(token, &["to", "for"]));
    let is_other = place == Place::Next && tokens.first().is_some_and(|token| is_in(token, &DETERMINERS));
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word(word) = token else { continue };
        let front = &tokens[..at];
        let begins = front.iter().all(|token| matches!(token, Token::Comma | Token::Dash | Token::Colon));
        let last = front.last();
        let is_after = |words: &[&str]| last.is_some_and(|last| is_in(last, words));
        let stem = word.strip_suffix("'s").unwrap_or(word);
        let (number, speaks) = match stem {
            "it" | "this" => (Number::One, true),
            "that" | "which" => (Number::One, begins),
            "they" | "these" | "both" => (Number::Many, true),
            "entry" | "lesson" | "advice" => (Number::One, is_after(&["the", "that"])),
            _ => continue,
        };
        let names_it = ["entry", "lesson", "advice"].contains(&stem);
        let is_far = !names_it && (is_other && !is_after(&SHOWING) || is_purpose && is_after(REASONS));
        let part = front
            .iter()
            .rposition(|token| {
                matches!(token, Token::Comma | Token::Dash | Token::Colon) || is_in(token, &PARTING)
            })
            .map_or(front, |cut| &front[cut + 1..]);
        let is_thought = front.iter().any(|token| is_in(token, CONDITIONS))
            || part.iter().any(|token| is_in(token, &HEDGING) || denies(token, Negation::Report));
        if !speaks || is_far || is_thought || part.iter().any(|token| is_in(token, &["none", "nobody"])) {
            continue;
        }
        let back = &tokens[at + 1..];
        let Some((Stance::Wrong, end)) = said_after(back) else { continue };
        // `made it false` says nothing of it, and `it is wrong to wait` speaks of waiting.
        let is_linked = end > 0 || word.ends_with("'s");
        let is_empty = back.get(end + 1).is_some_and(|next| is_in(next, &["to", "that"]));
        if is_linked && !is_empty {
            return Some(number);
        }
    }
    None
}

fn cited(tokens: &[Token]) -> impl Iterator<Item = &String> {
    tokens.iter().filter_map(|token| match token {
        Token::Cited(name) => Some(name),
        _ => None,
    })
}

/// What a sentence says of each entry in it.
fn read_sentence(sentence: &Sentence, under: Option<Stance>) -> Vec<(String, Stance)> {
    let groups = groups(&sentence.tokens);
    let mut found = Vec::new();
    let mut before = None;
    for (at, group) in groups.iter().enumerate() {
        let from = at.checked_sub(1).map_or(0, |last| groups[last].end);
        let to = groups.get(at + 1).map_or(sentence.tokens.len(), |next| next.start);
        let front = &sentence.tokens[from..group.start];
        let back = &sentence.tokens[group.end..to];
        let names: Vec<String> = cited(&sentence.tokens[group.clone()]).cloned().collect();
        let part =
            front.iter().rposition(|token| *token == Token::Comma).map_or(front, |comma| &front[comma..]);
        let is_thought =
            sentence.is_question || is_unsure(part) || part.iter().any(|token| is_in(token, &HEDGING));
        let led = said_before(front).map(|(stance, _)| stance).or_else(|| before.filter(|_| goes_on(front)));
        // `Nothing in [A] is wrong`.
        let is_denied = part.iter().any(|token| denies(token, Negation::Subject));
        // In `wrong [A] used [B]` the second word is about the second entry.
        let leads_on = groups.get(at + 1).and_then(|_| said_before(back)).map(|(_, word)| word);
        let followed = said_after(back)
            .filter(|(_, word)| led.is_none() || leads_on != Some(*word))
            .map(|(stance, _)| if is_denied { Stance::Named } else { stance });
        let listed = under.filter(|_| front.is_empty() && at == 0);
        let all = if is_thought { None } else { followed.or(led).or(listed) }.unwrap_or(Stance::Named);
        for (number, name) in names.iter().enumerate() {
            // `used [A], [B] was wrong`: only the last is.
            let is_last = number + 1 == names.len();
            let own = match (led, followed) {
                (Some(led), Some(_)) if !is_last && !is_thought => led,
                _ => all,
            };
            found.push((name.clone(), own));
        }
        before = led.filter(|_| !is_thought);
    }
    found
}

/// Entries that are named side by side.
fn groups(tokens: &[Token]) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !matches!(token, Token::Cited(_)) {
            continue;
        }
        match found.last_mut() {
            Some(last) if joins(&tokens[last.end..at]) => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}

/// Whether nothing but `, and` stands between two entries.
fn joins(between: &[Token]) -> bool {
    let mut words = between.iter();
    words.all(|token| *token == Token::Comma || is_in(token, &["and", "or", "plus", "both", "y", "und"]))
}

/// Whether there is nothing but entries, side by side.
fn joins_all(tokens: &[Token]) -> bool {
    tokens.iter().all(|token| matches!(token, Token::Cited(_)) || joins(std::slice::from_ref(token)))
}

/// Whether somebody is not sure: `I am not sure that`.
fn is_unsure(front: &[Token]) -> bool {
    front.windows(2).any(|pair| denies(&pair[0], Negation::Report) && is_in(&pair[1], SURE))
}

/// Whether a list goes on after something was said of its last entry: `used [A] for x and [B] for y`.
fn goes_on(front: &[Token]) -> bool {
    front.last().is_some_and(|last| joins(std::slice::from_ref(last)))
}

fn is_in(token: &Token, words: &[&str]) -> bool {
    matches!(token, Token::Word(word) if words.contains(&word.as_str()))
}

fn denies(token: &Token, negation: Negation) -> bool {
    matches!(token, Token::Word(word) if negation.contains(word))
}

/// What is said in front of entries, and where the word for it stands: `I used`, `wrong:`.
fn said_before(front: &[Token]) -> Option<(Stance, usize)> {
    let mut rest = front;
    while let Some((last, less)) = rest.split_last() {
        if *last == Token::Colon || is_in(last, &BETWEEN) {
            rest = less;
        } else {
            break;
        }
    }
    let (verb, rest) = rest.split_last()?;
    let Token::Word(verb) = verb else { return None };
    let at = rest.len();
    let denied = rest.iter().any(|token| denies(token, Negation::Report));
    if WRONG.contains(verb.as_str()) {
        return (!denied).then_some((Stance::Wrong, at));
    }
    if !denied && IGNORED.contains(verb.as_str()) {
        return Some((Stance::Unused, at));
    }
    if denied && (is_use(verb) || DENIED.contains(&verb.as_str())) {
        return Some((Stance::Unused, at));
    }
    if !is_use(verb) {
        return None;
    }
    let mut subject = rest;
    while let Some((_, less)) = subject.split_last().filter(|(last, _)| is_in(last, &ADVERBS)) {
        subject = less;
    }
    let is_own = match subject.last() {
        None | Some(Token::Comma | Token::Colon | Token::Dash) => true,
        Some(_) if verb == "using" => true,
        Some(token) => is_in(token, &AGENT),
    };
    is_own.then_some((Stance::Used, at))
}

/// What is said after entries, and where the word for it stands: `is wrong`, `helped`, `is no longer true`.
fn said_after(back: &[Token]) -> Option<(Stance, usize)> {
    let mut rest = back;
    if let Some((Token::Colon | Token::Dash | Token::Comma, less)) = rest.split_first() {
        rest = less;
    }
    let mut denied = false;
    while let Some((first, less)) = rest.split_first() {
        let turned_out = is_in(first, &["turned"]) && less.first().is_some_and(|next| is_in(next, &["out"]));
        if turned_out {
            rest = &less[1..];
        } else if is_in(first, &["no"]) && less.first().is_some_and(|next| is_in(next, &["longer"])) {
            denied = true;
            rest = &less[1..];
        } else if denies(first, Negation::Report) {
            denied = true;
            rest = less;
        } else if is_in(first, &LINKING) {
            rest = less;
        } else {
            break;
        }
    }
    let at = back.len() - rest.len();
    let Some((Token::Word(word), less)) = rest.split_first() else { return None };
    let out_of_date = word == "out" && matches!(less, [a, b, ..] if is_in(a, &["of"]) && is_in(b, &["date"]));
    let word = word.as_str();
    let stance = match denied {
        false if WRONG.contains(word) || out_of_date => Some(Stance::Wrong),
        true if RIGHT.contains(word) => Some(Stance::Wrong),
        false if HELPED.contains(word) => Some(Stance::Used),
        true if HELPED.contains(word) || DENIED.contains(&word) => Some(Stance::Unused),
        _ if USELESS.contains(word) => Some(Stance::Unused),
        true if WRONG.contains(word) => Some(Stance::Named),
        _ => None,
    };
    stance.map(|stance| (stance, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "L-aaaaaa";
    const B: &str = "L-bbbbbb";

    /// Letters of entries by what is said of them.
    fn said(text: &str) -> String {
        let text = text
            .replace("[A]", &format!("[{A}]"))
            .replace("[B]", &format!("[{B}]"))
            .replace("[C]", "[x.c.1]");
        let mut all: Vec<String> = report(&text)
            .into_iter()
            .map(|(name, stance)| {
                let letter = match name.as_str() {
                    A => "A",
                    B => "B",
                    _ => "C",
                };
                let sign = match stance {
                    Stance::Named => "",
                    Stance::Unused => "~",
                    Stance::Used => "+",
                    Stance::Wrong => "-",
                };
                format!("{letter}{sign}")
            })
            .collect();
        all.sort();
        all.join(" ")
    }

    #[test]
    fn a_report_counts_in_each_form() {
        for (text, wanted) in [
            ("used [A]", "A+"),
            ("`used [A]`", "A+"),
            ("- `used [A], [B]`\n- `wrong [C]`", "A+ B+ C-"),
            ("I'm sure [A] is wrong.", "A-"),
            ("Used [A], [B].", "A+ B+"),
            ("used [A], [B] and [C] for it", "A+ B+ C+"),
            ("I used [A]; [B] is wrong", "A+ B-"),
            ("I used [A]; [B] is wrong: it has had a timeout since May.", "A+ B-"),
            ("wrong [A]", "A-"),
            ("- **Wrong:** [A]", "A-"),
            ("**Used** [A].", "A+"),
            ("- used [A]\n- [B] helped", "A+ B+"),
            ("[A] was outdated", "A-"),
            ("[A] is no longer true, the column is gone", "A-"),
            ("[A] and [B] were wrong", "A- B-"),
            ("**[A] helped.**", "A+"),
            ("[A] does not hold any more", "A-"),
            ("[A] is out of date", "A-"),
            ("[A] turned out to be wrong", "A-"),
            ("[A] (outdated)", "A-"),
            ("[A]: wrong, see the log", "A-"),
            ("used [A], [B] was wrong", "A+ B-"),
            ("Used [A] for the delay and [B] for the order", "A+ B+"),
            ("I fixed it and used [A]. However, [B] is incorrect.", "A+ B-"),
            ("To find the cause I relied on [A].", "A+"),
            ("Fixed using [A]", "A+"),
            ("**Used:**\n- [A] for the delay\n- [B]\n\n[C] is known.", "A+ B+ C"),
            ("## Wrong\n\n- [A]", "A-"),
            ("Entries used: [A]; wrong: [B]", "A+ B-"),
            ("used L-aaaaaa and `L-bbbbbb`.", "A+ B+"),
            ("I used [A].\nI did not use [B].", "A+ B~"),
            ("I used [A]. Later I used [A] again, but [A] is wrong.", "A-"),
        ] {
            assert_eq!(said(text), wanted, "{text}");
        }
    }

    #[test]
    fn each_entry_is_bound_to_the_nearest_word() {
        for (text, wanted) in [
            ("wrong [A] used [B]", "A- B+"),
            ("used [A] wrong [B]", "A+ B-"),
            ("used [A], wrong [B]", "A+ B-"),
            ("Wrong: [A], used: [B]", "A- B+"),
            ("used [A], [B], wrong [C]", "A+ B+ C-"),
            ("wrong [A] used [B] wrong [C]", "A- B+ C-"),
            ("wrong [A] and used [B]", "A- B+"),
            ("wrong [A] not used [B]", "A- B~"),
            ("used [A]\nwrong [B]", "A+ B-"),
            ("[A] wrong, [B] used", "A- B+"),
            ("[A] (wrong) [B] (used)", "A- B+"),
            ("used [A] wrong", "A-"),
        ] {
            assert_eq!(said(text), wanted, "{text}");
        }
    }

    #[test]
    fn an_entry_that_turned_out_wrong_is_not_used() {
        for (text, wanted) in [
            ("I used [A], but it turned out to be wrong.", "A-"),
            ("I relied on [A]; it was outdated.", "A-"),
            ("Used [A]. It is no longer true.", "A-"),
            ("used [A], which is wrong about jitter", "A-"),
            ("I followed [A] and the test failed, so it is wrong.", "A-"),
            ("I followed [A] … so it is wrong.", "A-"),
            ("I followed [A] ... so it is wrong.", "A-"),
            ("I followed [A] and it did not work so it is wrong.", "A-"),
            ("[A] contradicts the code, it's wrong.", "A-"),
            ("[A] contradicts the code, it’s wrong.", "A-"),
            ("I used [A]. That is outdated.", "A-"),
            ("I used [A]. The tests show that it is wrong.", "A-"),
            ("I used [A]. The entry is stale.", "A-"),
            ("I used [A]. This entry is stale.", "A-"),
            ("I used [A] to set the delay, but it was wrong.", "A-"),
            ("I used [A] and [B]; they were outdated.", "A- B-"),
            ("I used [A] and [B]; it was outdated.", "A+ B-"),
            ("I used [A], it was wrong, and used [B].", "A- B+"),
            ("I used [A], but it was wrong, see [B].", "A- B"),
            ("Used:\n- [A]: it was wrong\n- [B]", "A- B+"),
            ("I used [A]; the old code was wrong.", "A+"),
            ("As [A] says, the old code did not wait; it was wrong.", "A"),
            ("I used [A]; the old code waited and it was wrong.", "A+"),
            ("I used [A] to fix the delay because it was wrong.", "A+"),
            ("I used [A] and mended the value that was wrong.", "A+"),
            ("I used [A] to mend the value, which was wrong.", "A+"),
            ("I used [A]. It is wrong to wait without jitter.", "A+"),
            ("I used [A]. It is not wrong.", "A+"),
            ("I used [A]. Nothing about it is wrong.", "A+"),
            ("I used [A]. I do not think it is outdated.", "A+"),
            ("I used [A]. Is it outdated?", "A+"),
            ("I used [A]. Tell me if it is outdated.", "A+"),
            ("I used [A]. It might be outdated.", "A+"),
            ("I used [A]; it is `false` by default.", "A+"),
            ("I used [A]. All is well. It was wrong before.", "A+"),
            ("I used [A]. See [B]. It is wrong.", "A+ B-"),
            ("[A] is not wrong", "A"),
            ("nothing was wrong with [A]", "A"),
            ("If I had used [A], it is wrong", "A"),
        ] {
            assert_eq!(said(text), wanted, "{text}");
        }
    }

    #[test]
    fn code_is_shown_and_not_said() {
        for (text, wanted) in [
            ("Write `used [A]` at the end.", ""),
            ("Write ``wrong [A] ` `` at the end.", ""),
            ("I used [B]; the form is `wrong [B]`.", "B+"),
            ("`used` [A]", "A"),
            ("used `[A]`", "A+"),
            ("used [`L-aaaaaa`] and `L-bbbbbb`", "A+ B+"),
            ("used `[A], [B]`", "A+ B+"),
            ("a tick ` alone, used [A]", "A+"),
            ("ticks ``` and `` alone, used [A]", "A+"),
        ] {
            assert_eq!(said(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_no_report_does_not_count() {
        for (text, wanted) in [
            ("As [A] says, it was the delay.", "A"),
            ("See [A]", "A"),
            ("I did not use [A].", "A~"),
            ("I haven't used [A]", "A~"),
            ("[A] did not help", "A~"),
            ("[A] was not used", "A~"),
            ("[A] is not wrong", "A"),
            ("Nothing in [A] is outdated.", "A"),
            ("Is [A] wrong?", "A"),
            ("Should I have used [A]?", "A"),
            ("If [A] is wrong, all is lost.", "A"),
            ("I am not sure whether [A] is wrong", "A"),
            ("[A] might be outdated", "A"),
            ("not sure [A] is wrong", "A"),
            ("I'm not certain that [A] is wrong.", "A"),
            ("I doubt that [A] is wrong.", "A"),
            ("I thought [A] is wrong, but it holds.", "A"),
            ("I ignored [A]; it has nothing to do with this.", "A~"),
            ("I will use [A]", "A"),
            ("Bob says [A] was wrong", "A"),
            ("The previous session used [A]", "A"),
            ("> used [A]", ""),
            ("```\nused [A]\n```", ""),
            ("| used | [A] |", ""),
            ("- [ ] used [A]", ""),
            ("nothing of [A]'s rule is used", ""),
        ] {
            assert_eq!(said(text), wanted, "{text}");
        }
    }
}
