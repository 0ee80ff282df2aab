//! Globs over paths and words: `*` stays within a segment, `**` crosses `/`, `?` is one character, `[a-c]` one of several.

use crate::limits::action_glob::{BRACES_MAX, CELLS_MAX, TELLING_CHARS_MIN};

/// How the text is read that a pattern is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// Every character stands for itself.
    Plain,
    /// `*` and `?` in the text stand for whatever the shell finds: the two patterns only have to overlap.
    ShellGlob,
    /// An unknown part of the text (see [`super::UNKNOWN`]) stands for anything.
    Guess,
}

/// Whether a glob matches a path or a word.
pub(super) fn matches(glob: &str, text: &str, read: Text) -> bool {
    match read {
        Text::ShellGlob if text.contains(['*', '?']) => {
            matches_as(glob, text, Text::Plain)
                || (may_overlap(glob, text) && matches_as(glob, text, Text::ShellGlob))
        }
        Text::ShellGlob => matches_as(glob, text, Text::Plain),
        Text::Plain | Text::Guess => matches_as(glob, text, read),
    }
}

/// Nearly any two globs have a name in common (`a*` and `*b`). It counts where both begin with the same folder, or where the shell's
/// glob has enough of a name that the rule spells out.
fn may_overlap(glob: &str, text: &str) -> bool {
    let is_plain = |part: &str| !part.contains(['*', '?', '[']);
    let ends = |of: &str| {
        let last = of.rsplit('/').next().unwrap_or_default();
        (of.split('/').next().unwrap_or_default().to_owned(), last.to_owned())
    };
    let ((glob_first, glob_last), (text_first, text_last)) = (ends(glob), ends(text));
    let shares_folder = glob.contains('/') && is_plain(&glob_first) && glob_first == text_first;
    let told = text_last.chars().filter(|char| !matches!(char, '*' | '?')).count();
    shares_folder || (is_plain(&glob_last) && told >= TELLING_CHARS_MIN)
}

fn matches_as(glob: &str, text: &str, read: Text) -> bool {
    let pattern: Vec<&str> = glob.split('/').collect();
    let parts: Vec<&str> = text.split('/').collect();
    // Row by row: `reached[at]` says whether the pattern so far can end before part `at`.
    let mut reached = vec![false; parts.len() + 1];
    reached[0] = true;
    for segment in pattern {
        let mut next = vec![false; parts.len() + 1];
        if segment == "**" {
            let mut any = false;
            for at in 0..=parts.len() {
                any |= reached[at];
                next[at] = any;
            }
        } else {
            for at in 0..parts.len() {
                next[at + 1] = reached[at] && segment_matches(segment, parts[at], read);
            }
        }
        reached = next;
    }
    reached[parts.len()]
}

/// Whether a pattern matches a word. Without a `/` of its own, its `*` crosses those of the word: `*prod*` is `admin@prod:/tmp`.
pub(super) fn matches_word(pattern: &str, text: &str, read: Text) -> bool {
    if pattern.contains('/') { matches(pattern, text, read) } else { segment_matches(pattern, text, read) }
}

/// The segments before the first wildcard.
pub(super) fn literal_prefix(glob: &str) -> Option<String> {
    let literal: Vec<&str> =
        glob.split('/').take_while(|segment| !segment.contains(['*', '?', '['])).collect();
    (!literal.is_empty()).then(|| literal.join("/"))
}

/// The patterns that braces stand for: `a.{b,c}` is `a.b` and `a.c`.
pub(super) fn braces(pattern: &str) -> Vec<String> {
    let mut open = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(pattern) = open.pop() {
        let group = pattern
            .find('{')
            .and_then(|from| pattern[from..].find('}').map(|length| (from, from + length)))
            .filter(|(from, to)| pattern[*from..*to].contains(','));
        match group {
            Some((from, to)) if open.len() + done.len() < BRACES_MAX => {
                for part in pattern[from + 1..to].split(',').rev() {
                    open.push(format!("{}{part}{}", &pattern[..from], &pattern[to + 1..]));
                }
            }
            Some(_) | None => done.push(pattern),
        }
    }
    done
}

/// One element of a segment.
enum Element {
    One(char),
    AnyOne,
    Set { negated: bool, ranges: Vec<(char, char)> },
    Many,
}

fn elements(segment: &str) -> Vec<Element> {
    let chars: Vec<char> = segment.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '*' => found.push(Element::Many),
            '?' => found.push(Element::AnyOne),
            '[' => match set(&chars[at + 1..]) {
                Some((element, length)) => {
                    found.push(element);
                    at += length;
                }
                None => found.push(Element::One('[')),
            },
            other => found.push(Element::One(other)),
        }
        at += 1;
    }
    found
}

/// A set after its `[`, with how many characters it takes, its `]` included.
fn set(chars: &[char]) -> Option<(Element, usize)> {
    let negated = matches!(chars.first(), Some('!' | '^'));
    let from = usize::from(negated);
    let end = from + chars.get(from..)?.iter().position(|char| *char == ']').filter(|at| *at > 0)?;
    let mut ranges = Vec::new();
    let mut at = from;
    while at < end {
        if at + 2 < end && chars[at + 1] == '-' {
            ranges.push((chars[at], chars[at + 2]));
            at += 3;
        } else {
            ranges.push((chars[at], chars[at]));
            at += 1;
        }
    }
    Some((Element::Set { negated, ranges }, end + 1))
}

fn segment_matches(pattern: &str, text: &str, read: Text) -> bool {
    if pattern == "*" {
        return true;
    }
    let wild = |char: char| match read {
        Text::Plain => false,
        Text::ShellGlob => char == '*',
        Text::Guess => char == super::UNKNOWN,
    };
    // Most segments are names, and most names differ.
    if !pattern.contains(['*', '?', '[']) && !text.chars().any(|char| wild(char) || char == '?') {
        return pattern == text;
    }
    let pattern = elements(pattern);
    let text: Vec<char> = text.chars().collect();
    if pattern.len().saturating_mul(text.len()) > CELLS_MAX {
        return false;
    }
    // `reached[at]`: the pattern so far can end before character `at`.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    close(&mut reached, &text, wild);
    for element in pattern {
        let mut next = vec![false; text.len() + 1];
        match element {
            Element::Many => {
                let mut any = false;
                for at in 0..=text.len() {
                    any |= reached[at];
                    next[at] = any;
                }
            }
            Element::One(_) | Element::AnyOne | Element::Set { .. } => {
                for at in 0..text.len() {
                    if !reached[at] {
                        continue;
                    }
                    if wild(text[at]) {
                        // What the shell fills in may be this element, and more.
                        next[at] = true;
                    } else if (read == Text::ShellGlob && text[at] == '?') || is_one(&element, text[at]) {
                        next[at + 1] = true;
                    }
                }
            }
        }
        close(&mut next, &text, wild);
        reached = next;
    }
    reached[text.len()]
}

/// A wildcard of the text may stand for nothing.
fn close(reached: &mut [bool], text: &[char], wild: impl Fn(char) -> bool) {
    for at in 0..text.len() {
        if reached[at] && wild(text[at]) {
            reached[at + 1] = true;
        }
    }
}

fn is_one(element: &Element, char: char) -> bool {
    match element {
        Element::One(wanted) => *wanted == char,
        Element::AnyOne => true,
        Element::Set { negated, ranges } => {
            ranges.iter().any(|(low, high)| (*low..=*high).contains(&char)) != *negated
        }
        Element::Many => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stays_within_a_segment_and_two_do_not() {
        for (glob, text, expected) in [
            ("src/generated/**", "src/generated/a/b.ts", true),
            ("src/generated/**", "src/generated", true),
            ("src/generated/**", "src/generated.ts", false),
            ("**/*.pb.go", "a.pb.go", true),
            ("**/*.pb.go", "api/v1/a.pb.go", true),
            ("**/*.pb.go", "api/v1/pb.go", false),
            ("../*", "../a/b", false),
            ("~/*", "~/*", true),
            ("v*", "v1.2", true),
            ("00[0-3]*.sql", "0012_a.sql", true),
            ("00[0-3]*.sql", "0040_a.sql", false),
            ("[!a]b", "cb", true),
            ("[", "[", true),
            ("", "", true),
        ] {
            assert_eq!(matches(glob, text, Text::Plain), expected, "{glob} {text}");
        }
    }

    #[test]
    fn a_glob_of_the_shell_overlaps_with_what_it_could_name() {
        for (glob, text, expected) in [
            ("Cargo.lock", "*.lock", true),
            ("Cargo.lock", "*.log", false),
            ("vendor/**", "*", false),
            ("vendor/**", "vendor/*", true),
            ("src/generated/**", "src/gen*", true),
            ("**/yarn.lock", "docs/*", false),
            (".env.*", "*.txt", false),
            ("db/00[0-3]*.sql", "db/*.sql", true),
            ("**/*.pb.go", "*.c", false),
        ] {
            assert_eq!(matches(glob, text, Text::ShellGlob), expected, "{glob} {text}");
        }
    }

    #[test]
    fn braces_are_several_patterns() {
        assert_eq!(braces("a.{b,c}"), ["a.b", "a.c"]);
        assert_eq!(braces("{a}"), ["{a}"]);
        assert!(braces(&"{a,b}".repeat(40)).len() <= 2 * BRACES_MAX);
    }
}
