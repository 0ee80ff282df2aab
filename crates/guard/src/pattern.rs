//! Runs the rules that are regular expressions: one pass for their words, then each expression only where a word of it stands.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;
use regex_automata::{Input, PatternID};

use crate::limits::pattern::{
    FAST_BYTES_MIN, FAST_READ_BYTES_MIN, LINE_REACH_BYTES, MATCHES_MAX, NOTICED_MAX, READ_BYTES_MAX,
    WIDE_REACH_BYTES,
};
use crate::rule::{Look, Rule};
use crate::secrets::literals::Literals;
use crate::text::Text;
use crate::verdict::{Axis, Tier};

/// A text that cannot be judged within bounds. A finding of this rule is not from the list that was given.
pub static UNREADABLE: Rule = Rule {
    id: "unreadable",
    axis: Axis::UnsafeCode,
    severity: Tier::High,
    why: "The text is built so that it cannot be judged in reasonable time.",
    look: Look::Phrases(&[]),
    hits: &[],
    misses: &[],
};

/// Pattern rules, ready to run. Building it compiles no expression: most texts have none of the words.
pub struct Patterns {
    rules: Vec<&'static Rule>,
    /// The words of all rules.
    words: Literals,
    /// For each word, the rule it stands for, and its bit there.
    stands_for: Vec<(usize, u64)>,
    slots: Vec<Slot>,
}

/// A rule among the pattern rules.
struct Slot {
    rule: usize,
    near: &'static [&'static str],
    regex: &'static str,
    wide: bool,
    parts: OnceLock<Vec<Part>>,
}

/// One alternative of an expression: compiled only when one of its own words was seen.
struct Part {
    regex: String,
    /// A bit for each word of the rule that may stand for this part.
    words: u64,
    /// Bytes that it was run over so far.
    read: AtomicUsize,
    /// For little to read: quickly compiled.
    plain: OnceLock<Option<Expression>>,
    /// For much to read: quickly run.
    fast: OnceLock<Option<Expression>>,
}

/// What the words of a rule told: which of them were seen, and where to look.
#[derive(Clone, Default)]
struct Noticed {
    words: u64,
    windows: Vec<Range<usize>>,
}

struct Expression {
    regex: Regex,
    /// The number of the group `value`.
    value: Option<usize>,
    /// Whether letter case matters, so that the text must be read as it is.
    is_exact: bool,
}

impl Patterns {
    /// Takes the pattern rules out of a list; the others are left to others.
    pub fn new(rules: impl IntoIterator<Item = &'static Rule>) -> Patterns {
        let rules: Vec<&'static Rule> = rules.into_iter().collect();
        let mut slots = Vec::new();
        let (mut words, mut stands_for) = (Vec::new(), Vec::new());
        for (index, rule) in rules.iter().enumerate() {
            if let Look::Pattern { near, regex } = &rule.look {
                words.extend_from_slice(near);
                stands_for.extend((0..near.len()).map(|bit| (slots.len(), bit_of(bit))));
                let wide = regex.starts_with("(?s)");
                slots.push(Slot { rule: index, near, regex, wide, parts: OnceLock::new() });
            }
        }
        Patterns { rules, words: Literals::new(words), stands_for, slots }
    }

    /// The rule of an index that [`Patterns::find`] gave.
    pub fn rule(&self, index: usize) -> &'static Rule {
        self.rules.get(index).copied().unwrap_or(&UNREADABLE)
    }

    /// What was found: index of the rule and span in bytes of `text.plain`. An index past the list is [`UNREADABLE`].
    pub fn find(&self, text: &Text<'_>) -> Vec<(usize, usize, usize)> {
        let plain: &str = &text.plain;
        let lower = plain.as_bytes().to_ascii_lowercase();
        let mut found = Vec::new();
        let (noticed, mut complete) = self.notice(&lower);
        let mut read = 0;
        for (slot, noticed) in self.slots.iter().zip(noticed).filter(|(_, noticed)| noticed.words != 0) {
            let size = noticed.windows.iter().map(Range::len).sum::<usize>();
            let mut spans = Vec::new();
            for part in
                slot.parts.get_or_init(|| parts(slot)).iter().filter(|part| part.words & noticed.words != 0)
            {
                read += size;
                if read > READ_BYTES_MAX {
                    complete = false;
                    break;
                }
                if let Some(expression) = part.compiled(size) {
                    expression.add_spans(plain, &lower, &noticed.windows, &mut spans);
                }
            }
            // Too many to look at each: what is bad enough alone is then bad as a whole.
            complete &= spans.len() <= MATCHES_MAX || !self.rules[slot.rule].severity.is_rejected();
            found.extend(spans.into_iter().take(MATCHES_MAX).map(|(start, end)| (slot.rule, start, end)));
        }
        if !complete {
            found.push((self.rules.len(), 0, plain.len()));
        }
        found
    }

    /// What there is to look at for each rule, and whether all words could be noticed.
    fn notice(&self, lower: &[u8]) -> (Vec<Noticed>, bool) {
        let mut noticed: Vec<Noticed> = vec![Noticed::default(); self.slots.len()];
        let mut line = 0..end_of_line(lower, 0);
        let mut count = 0;
        self.words.each(lower, |word, start, end| {
            count += 1;
            if count > NOTICED_MAX {
                return;
            }
            let (slot, bit) = self.stands_for[word];
            while start > line.end {
                // Words have no line breaks in them, so a word is in one line.
                line = line.end + 1..end_of_line(lower, line.end + 1);
            }
            let window = if self.slots[slot].wide {
                start.saturating_sub(WIDE_REACH_BYTES)..(end + WIDE_REACH_BYTES).min(lower.len())
            } else {
                start.saturating_sub(LINE_REACH_BYTES).max(line.start)..(end + LINE_REACH_BYTES).min(line.end)
            };
            let noticed = &mut noticed[slot];
            noticed.words |= bit;
            match noticed.windows.last_mut() {
                // Hits come in the order of the text, so only the end can move.
                Some(last) if window.start <= last.end => last.end = last.end.max(window.end),
                _ => noticed.windows.push(window),
            }
        });
        (noticed, count <= NOTICED_MAX)
    }
}

impl Part {
    /// The expression for so many bytes: fast where they are many, or became many over the texts of this process.
    fn compiled(&self, size: usize) -> Option<&Expression> {
        if let Some(fast) = self.fast.get() {
            return fast.as_ref();
        }
        let read = self.read.fetch_add(size, Relaxed).saturating_add(size);
        let is_much = size > FAST_BYTES_MIN || read > FAST_READ_BYTES_MIN;
        let expression = if is_much { &self.fast } else { &self.plain };
        expression.get_or_init(|| compile(&self.regex, is_much)).as_ref()
    }
}

impl Expression {
    /// Adds the spans of matches in the windows, up to one more than is told.
    fn add_spans(
        &self,
        plain: &str,
        lower: &[u8],
        windows: &[Range<usize>],
        spans: &mut Vec<(usize, usize)>,
    ) {
        for window in windows {
            let haystack = if self.is_exact { plain.as_bytes() } else { lower };
            let mut at = window.start;
            while let Some((span, next)) = self.next(haystack, at..window.end) {
                if let Some(span) = span {
                    spans.push(whole_characters(plain, span));
                }
                if spans.len() > MATCHES_MAX {
                    return;
                }
                at = next;
            }
        }
    }

    /// The next match and where to go on. A match in which the group `value` took no part is a look-alike that the
    /// expression names in order to step over it.
    fn next(&self, haystack: &[u8], span: Range<usize>) -> Option<(Option<Range<usize>>, usize)> {
        if span.start > span.end {
            return None;
        }
        // What is around the span stays visible, so that a word cut by it is not taken for a whole one.
        let input = Input::new(haystack).span(span);
        let whole = self.regex.search(&input)?.range();
        let next = if whole.is_empty() { whole.end + 1 } else { whole.end };
        let Some(value) = self.value else { return Some((Some(whole), next)) };
        let mut captures = self.regex.create_captures();
        self.regex.search_captures(&input.span(whole.start..whole.end), &mut captures);
        Some((captures.get_group(value).map(|group| group.range()), next))
    }
}

/// The span, widened to the borders of characters: expressions work on bytes.
fn whole_characters(plain: &str, span: Range<usize>) -> (usize, usize) {
    let (mut start, mut end) = (span.start, span.end);
    while !plain.is_char_boundary(start) {
        start -= 1;
    }
    while !plain.is_char_boundary(end) {
        end += 1;
    }
    (start, end)
}

fn end_of_line(bytes: &[u8], from: usize) -> usize {
    bytes
        .get(from..)
        .and_then(|rest| rest.iter().position(|&byte| byte == b'\n'))
        .map_or(bytes.len(), |at| from + at)
}

/// The bit of a word; beyond the last they share one.
fn bit_of(index: usize) -> u64 {
    1 << index.min(63)
}

/// The alternatives of a rule's expression, each with the words that may stand for it. An expression that steps over look-alikes
/// is one part: there the order of the alternatives matters.
fn parts(slot: &Slot) -> Vec<Part> {
    let whole = slot.regex.strip_prefix("(?s)").unwrap_or(slot.regex);
    let sources = if whole.contains("(?P<value>") { vec![whole] } else { alternatives(whole) };
    let small: Vec<String> = sources.iter().map(|source| source.to_ascii_lowercase()).collect();
    let keys: Vec<&str> = slot.near.iter().map(|word| key_of(word)).collect();
    sources
        .iter()
        .zip(&small)
        .map(|(source, text)| {
            let bits = |is_meant: &dyn Fn(&str) -> bool| {
                keys.iter()
                    .enumerate()
                    .filter(|(_, key)| is_meant(key))
                    .fold(0, |bits, (index, _)| bits | bit_of(index))
            };
            let named = bits(&|key| names(text, key));
            let nowhere = bits(&|key| !small.iter().any(|text| names(text, key)));
            // A part that names no word, and a word that no part names, are taken with everything.
            let words = if named == 0 { u64::MAX } else { named | nowhere };
            let flags = if slot.wide { "(?s)" } else { "" };
            Part {
                regex: format!("{flags}{source}"),
                words,
                read: AtomicUsize::new(0),
                plain: OnceLock::new(),
                fast: OnceLock::new(),
            }
        })
        .collect()
}

/// Whether an expression has the beginning or the end of a word in it; the middle may be spread over a group.
fn names(expression: &str, key: &str) -> bool {
    let part = key.len().min(4);
    expression.contains(&key[..part]) || expression.contains(&key[key.len() - part..])
}

/// The longest run of letters and digits of a word: it looks the same in an expression.
fn key_of(word: &'static str) -> &'static str {
    word.split(|character: char| !character.is_ascii_alphanumeric())
        .max_by_key(|run| run.len())
        .unwrap_or(word)
}

/// Cuts an expression at the bars that are in no group and no class.
fn alternatives(regex: &str) -> Vec<&str> {
    let (mut found, mut from, mut depth, mut in_class) = (Vec::new(), 0, 0_usize, false);
    let mut characters = regex.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '[' if !in_class => {
                in_class = true;
                // A bracket right at the start of a class is itself.
                let rest = regex[at + 1..].trim_start_matches('^');
                if rest.starts_with(']') {
                    characters.by_ref().find(|(_, character)| *character == ']');
                }
            }
            ']' => in_class = false,
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth = depth.saturating_sub(1),
            '|' if !in_class && depth == 0 => {
                found.push(&regex[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&regex[from..]);
    found
}

/// Letter case does not matter: the expression is put into small letters like the text, which compiles to much less than both cases
/// of each letter. One with `(?-i` in it is left as it is and reads the text as it is.
fn compile(regex: &str, is_fast: bool) -> Option<Expression> {
    let is_exact = regex.contains("(?-i");
    let small = if is_exact { regex.to_owned() } else { in_small_letters(regex) };
    let config = Config::new().utf8_empty(false).nfa_size_limit(Some(1 << 20));
    // Automata and searches for literals pay only where there is much to read.
    let config =
        if is_fast { config } else { config.hybrid(false).dfa(false).onepass(false).auto_prefilter(false) };
    let build = |unicode: bool| {
        let syntax =
            syntax::Config::new().case_insensitive(is_exact).multi_line(true).unicode(unicode).utf8(false);
        Regex::builder().configure(config.clone()).syntax(syntax).build(&small).ok()
    };
    let regex = build(false).or_else(|| build(true))?;
    let value = regex.group_info().to_index(PatternID::ZERO, "value");
    Some(Expression { regex, value, is_exact })
}

/// An expression in small letters, but for those that are part of its language: `\S`, `(?P<value>`.
fn in_small_letters(regex: &str) -> String {
    let mut small = String::with_capacity(regex.len());
    let mut previous = ['\0'; 2];
    for character in regex.chars() {
        let is_language =
            (previous[1] == '\\' && previous[0] != '\\') || (previous == ['(', '?'] && character == 'P');
        small.push(if is_language { character } else { character.to_ascii_lowercase() });
        // After an escaped backslash a letter is a letter again.
        let seen =
            if previous[1] == '\\' && previous[0] != '\\' && character == '\\' { '\0' } else { character };
        previous = [previous[1], seen];
    }
    small
}

/// The ids of rules whose expression does not compile or whose words are missing: for tests of rule lists.
pub fn broken(rules: &[Rule]) -> Vec<&'static str> {
    rules
        .iter()
        .filter(|rule| match &rule.look {
            Look::Pattern { near, regex } => {
                near.is_empty()
                    || near.iter().any(|word| word.len() < 3 || *word != word.to_ascii_lowercase())
                    || compile(regex, true).is_none()
                    || alternatives(regex).iter().any(|part| compile(part, true).is_none())
            }
            Look::Phrases(_) | Look::Code(_) => false,
        })
        .map(|rule| rule.id)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn rule(severity: Tier, near: &'static [&'static str], regex: &'static str) -> Rule {
        Rule {
            id: "a-rule",
            axis: Axis::UnsafeCode,
            severity,
            why: "Made up.",
            look: Look::Pattern { near, regex },
            hits: &[],
            misses: &[],
        }
    }

    static ONE_LINE: Rule = rule(Tier::Medium, &["gate"], r"\bgate\b.*\bopen\b");
    static WIDE: Rule = rule(Tier::Medium, &["gate"], r"(?s)\bgate\b.*\bopen\b");
    static VALUE: Rule = rule(Tier::Medium, &["gate"], r"gate (?P<value>\w+)");
    static STEPS_OVER: Rule = rule(Tier::Medium, &["gate"], r"gate closed|gate (?P<value>\w+)");
    static HIGH: Rule = rule(Tier::High, &["gate"], r"gate");

    fn found<'a>(rule: &'static Rule, text: &'a str) -> Vec<&'a str> {
        let patterns = Patterns::new([rule]);
        patterns.find(&Text::new(text)).into_iter().map(|(_, start, end)| &text[start..end]).collect()
    }

    #[test]
    fn a_pattern_looks_at_the_line_of_its_word() {
        assert_eq!(found(&ONE_LINE, "a GATE that is Open here"), ["GATE that is Open"]);
        assert!(found(&ONE_LINE, "a gate\nthat is open").is_empty());
        assert!(found(&ONE_LINE, "the door is open").is_empty());
    }

    #[test]
    fn a_wide_pattern_looks_across_lines() {
        assert_eq!(found(&WIDE, "a gate\nthat is open"), ["gate\nthat is open"]);
        assert!(found(&WIDE, &format!("a gate{}open", " - ".repeat(WIDE_REACH_BYTES))).is_empty());
    }

    #[test]
    fn the_span_is_the_value_where_there_is_one() {
        assert_eq!(found(&VALUE, "gate one, gate two\ngate three"), ["one", "two", "three"]);
    }

    #[test]
    fn what_an_expression_steps_over_is_not_found() {
        assert_eq!(found(&STEPS_OVER, "gate closed, gate open"), ["open"]);
    }

    #[test]
    fn many_small_texts_are_read_by_the_fast_expression_and_give_the_same() {
        let rules: [&'static Rule; 4] = [&ONE_LINE, &WIDE, &VALUE, &STEPS_OVER];
        let patterns = Patterns::new(rules);
        let text = format!("a gate närby that is open\n{}gate closed, gate open", "it waits. ".repeat(20));
        let first = patterns.find(&Text::new(&text));
        assert!(first.len() >= rules.len());
        let compiled = |fast: bool| {
            let parts = || patterns.slots.iter().flat_map(|slot| slot.parts.get().unwrap());
            parts().filter(|part| if fast { &part.fast } else { &part.plain }.get().is_some()).count()
        };
        assert_eq!(compiled(true), 0);
        for _ in 0..=FAST_READ_BYTES_MIN / 20 {
            assert_eq!(patterns.find(&Text::new(&text)), first);
        }
        assert_eq!(compiled(true), compiled(false));
    }

    #[test]
    fn an_expression_is_cut_at_its_outer_bars_only() {
        assert_eq!(alternatives(r"a|(b|c)|[|]d\||[^]|]e"), ["a", "(b|c)", r"[|]d\|", "[^]|]e"]);
    }

    #[test]
    fn only_the_letters_of_an_expression_become_small() {
        assert_eq!(in_small_letters(r"\S+A\\B\W(?P<value>[A-Z]\x22)"), r"\S+a\\b\W(?P<value>[a-z]\x22)");
    }

    #[test]
    fn spans_never_cut_a_character() {
        for text in ["gate é", "é gate openü", "gate öopen open→"] {
            assert!(found(&WIDE, text).len() <= 1);
            assert!(found(&ONE_LINE, text).len() <= 1);
        }
    }

    #[test]
    fn more_matches_than_can_be_told_are_unreadable_only_where_one_is_rejected() {
        let text = "gate ".repeat(MATCHES_MAX + 1);
        let patterns = Patterns::new([&HIGH]);
        let last = patterns.find(&Text::new(&text)).pop().map(|(index, ..)| patterns.rule(index).id);
        assert_eq!(last, Some("unreadable"));
        let text = "gate open\n".repeat(MATCHES_MAX + 1);
        assert_eq!(found(&ONE_LINE, &text).len(), MATCHES_MAX);
    }

    #[test]
    fn a_text_that_costs_too_much_is_unreadable() {
        let text = "gate".repeat(NOTICED_MAX + 1);
        let patterns = Patterns::new([&ONE_LINE]);
        let found = patterns.find(&Text::new(&text));
        assert!(found.iter().any(|&(index, ..)| patterns.rule(index).id == "unreadable"));
    }
}
