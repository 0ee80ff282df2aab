//! Runs the rules that are regular expressions: one pass for their words, then each expression only where a word of it stands.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::bytes::{Regex, RegexBuilder};

use crate::rule::{Look, Rule};
use crate::text::Text;
use crate::verdict::{Axis, Tier};

/// How far a rule looks on each side of its word, within the line. Bytes; longer than a command anybody types.
const LINE_REACH: usize = 400;
/// How far a rule that begins with `(?s)` looks on each side, across lines. Bytes; about a screen of code.
const WIDE_REACH: usize = 900;
/// Bytes that all expressions together may read in one text. What is above was made to be slow.
const READ_MAX: usize = 6 << 20;
/// Words that may be noticed in one text, counted once for each rule that asked for them.
const NOTICED_MAX: usize = 400_000;
/// Matches of one rule that are told one by one.
const MATCHES_MAX: usize = 64;

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
    words: AhoCorasick,
    /// For each word, the entries of `slots` that asked for it.
    asked: Vec<Vec<u16>>,
    slots: Vec<Slot>,
}

struct Slot {
    rule: usize,
    regex: &'static str,
    wide: bool,
    compiled: OnceLock<Option<Expression>>,
}

struct Expression {
    regex: Regex,
    has_value: bool,
}

impl Patterns {
    /// Takes the pattern rules out of a list; the others are left to others.
    pub fn new(rules: impl IntoIterator<Item = &'static Rule>) -> Patterns {
        let rules: Vec<&'static Rule> = rules.into_iter().collect();
        let mut slots = Vec::new();
        let mut words: Vec<(&'static str, u16)> = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            if let Look::Pattern { near, regex } = &rule.look {
                let slot = u16::try_from(slots.len()).expect("there are far fewer rules than 65536");
                words.extend(near.iter().map(|word| (*word, slot)));
                let wide = regex.starts_with("(?s)");
                slots.push(Slot { rule: index, regex, wide, compiled: OnceLock::new() });
            }
        }
        words.sort_unstable();
        let mut literals: Vec<&'static str> = Vec::with_capacity(words.len());
        let mut asked: Vec<Vec<u16>> = Vec::with_capacity(words.len());
        for (word, slot) in words {
            if literals.last() != Some(&word) {
                literals.push(word);
                asked.push(Vec::new());
            }
            asked.last_mut().expect("a list was pushed with the word").push(slot);
        }
        let words = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::NoncontiguousNFA))
            .build(&literals)
            .expect("a few hundred short words make a small automaton");
        Patterns { rules, words, asked, slots }
    }

    /// The rule of an index that [`Patterns::find`] gave.
    pub fn rule(&self, index: usize) -> &'static Rule {
        self.rules.get(index).copied().unwrap_or(&UNREADABLE)
    }

    /// What was found: index of the rule and span in bytes of `text.plain`. An index past the list is [`UNREADABLE`].
    pub fn find(&self, text: &Text<'_>) -> Vec<(usize, usize, usize)> {
        let plain: &str = &text.plain;
        let mut found = Vec::new();
        let (windows, mut complete) = self.windows(plain);
        let mut read = 0;
        for (slot, windows) in self.slots.iter().zip(windows) {
            if windows.is_empty() {
                continue;
            }
            read += windows.iter().map(Range::len).sum::<usize>();
            if read > READ_MAX {
                complete = false;
                break;
            }
            let Some(expression) = slot.compiled.get_or_init(|| compile(slot.regex)) else { continue };
            let spans = expression.spans(plain, &windows);
            // Too many to look at each: what is bad enough alone is then bad as a whole.
            complete &= spans.len() <= MATCHES_MAX || !self.rules[slot.rule].severity.is_rejected();
            found.extend(spans.into_iter().take(MATCHES_MAX).map(|(start, end)| (slot.rule, start, end)));
        }
        if !complete {
            found.push((self.rules.len(), 0, plain.len()));
        }
        found
    }

    /// Where each expression has to look, and whether all words could be noticed.
    fn windows(&self, plain: &str) -> (Vec<Vec<Range<usize>>>, bool) {
        let bytes = plain.as_bytes();
        let mut windows: Vec<Vec<Range<usize>>> = vec![Vec::new(); self.slots.len()];
        let mut line = 0..end_of_line(bytes, 0);
        let mut noticed = 0;
        for hit in self.words.find_overlapping_iter(bytes) {
            while hit.end() > line.end {
                // Words have no line breaks in them, so a word is in one line.
                line = line.end + 1..end_of_line(bytes, line.end + 1);
            }
            let asked = &self.asked[hit.pattern().as_usize()];
            noticed += asked.len();
            if noticed > NOTICED_MAX {
                return (windows, false);
            }
            for &index in asked {
                let window = if self.slots[usize::from(index)].wide {
                    hit.start().saturating_sub(WIDE_REACH)..(hit.end() + WIDE_REACH).min(bytes.len())
                } else {
                    hit.start().saturating_sub(LINE_REACH).max(line.start)
                        ..(hit.end() + LINE_REACH).min(line.end)
                };
                let list = &mut windows[usize::from(index)];
                match list.last_mut() {
                    Some(last) if window.start <= last.end => {
                        last.start = last.start.min(window.start);
                        last.end = last.end.max(window.end);
                    }
                    _ => list.push(window),
                }
            }
        }
        (windows, true)
    }
}

impl Expression {
    /// Spans of matches in the windows, at most one more than is told.
    fn spans(&self, plain: &str, windows: &[Range<usize>]) -> Vec<(usize, usize)> {
        let mut spans = Vec::new();
        for window in windows {
            // The left side stays visible, so that a word cut by the window is not taken for a whole one.
            let haystack = &plain.as_bytes()[..window.end];
            let mut at = window.start;
            while let Some((span, next)) = self.next(haystack, at) {
                if let Some(span) = span {
                    spans.push(whole_characters(plain, span));
                }
                if spans.len() > MATCHES_MAX {
                    return spans;
                }
                at = next;
            }
        }
        spans
    }

    /// The next match and where to go on. A match in which the group `value` took no part is a look-alike that the
    /// expression names in order to step over it.
    fn next(&self, haystack: &[u8], at: usize) -> Option<(Option<Range<usize>>, usize)> {
        if at > haystack.len() {
            return None;
        }
        let whole;
        let span = if self.has_value {
            let captures = self.regex.captures_at(haystack, at)?;
            whole = captures.get(0)?.range();
            captures.name("value").map(|value| value.range())
        } else {
            whole = self.regex.find_at(haystack, at)?.range();
            Some(whole.clone())
        };
        let next = if whole.is_empty() { whole.end + 1 } else { whole.end };
        Some((span, next))
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

/// Letter case does not matter unless a rule says `(?-i)`; Unicode classes are there if a rule needs them.
fn compile(regex: &str) -> Option<Expression> {
    let build = |unicode: bool| {
        RegexBuilder::new(regex)
            .case_insensitive(true)
            .multi_line(true)
            .unicode(unicode)
            .size_limit(1 << 20)
            .dfa_size_limit(1 << 20)
            .build()
    };
    let regex = build(false).or_else(|_| build(true)).ok()?;
    let has_value = regex.capture_names().flatten().any(|name| name == "value");
    Some(Expression { regex, has_value })
}

/// The ids of rules whose expression does not compile or whose words are missing: for tests of rule lists.
pub fn broken(rules: &[Rule]) -> Vec<&'static str> {
    rules
        .iter()
        .filter(|rule| match &rule.look {
            Look::Pattern { near, regex } => {
                near.is_empty()
                    || near.iter().any(|word| word.len() < 2 || *word != word.to_ascii_lowercase())
                    || compile(regex).is_none()
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
        assert!(found(&WIDE, &format!("a gate{}open", " - ".repeat(WIDE_REACH))).is_empty());
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
