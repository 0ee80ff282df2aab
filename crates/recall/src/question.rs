//! What a person types into a search box, understood.
//!
//! `"quoted words"` must occur as they are, `-word` and `-"quoted words"` must not, `tag:auth` and the like narrow by what an
//! entry is. Whatever fits none of these is plain text: nothing that can be typed is an error.

use crate::limits::question::EXCLUDED_CHARS_MIN;
pub use crate::limits::question::QUERY_BYTES_MAX;
use crate::terms::{self, TEXT_BYTES_MAX, Word};

/// A query, understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// What was typed, without exclusions and conditions: what its meaning is taken from.
    pub text: String,
    /// Its words, in order; names among them are marked.
    pub words: Vec<Word>,
    /// Phrases that must occur, lower case, blanks collapsed.
    pub phrases: Vec<String>,
    /// Words and phrases that must not.
    pub excluded: Vec<String>,
    /// Conditions on what an entry is.
    pub conditions: Vec<Condition>,
    /// What looked like a condition and cannot be one: it is looked for as text.
    pub unfit: Vec<String>,
    /// The query was longer than is looked at.
    pub cut: bool,
}

/// A condition such as `tag:auth`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What is compared.
    pub field: Field,
    /// With what, as typed.
    pub value: String,
    /// It must not hold.
    pub negated: bool,
}

/// What a condition can compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// A tag, or what it nests in.
    Tag,
    /// A domain, or what it nests in.
    Domain,
    Type,
    /// Its sub-type.
    Subtype,
    /// Where a place that it cites lies.
    Path,
    /// Where it stands.
    Status,
    /// How far it reaches.
    Scope,
    /// Whose knowledge it is.
    Reviewer,
    /// Who stated it.
    By,
    /// What it is about.
    Subject,
}

impl Field {
    /// Every field with the words that name it.
    pub const ALL: &[(Field, &[&str])] = &[
        (Field::Tag, &["tag", "tags"]),
        (Field::Domain, &["domain", "domains"]),
        (Field::Type, &["type", "kind"]),
        (Field::Subtype, &["subtype"]),
        (Field::Path, &["path", "file"]),
        (Field::Status, &["status"]),
        (Field::Scope, &["scope"]),
        (Field::Reviewer, &["reviewer"]),
        (Field::By, &["by", "actor"]),
        (Field::Subject, &["subject"]),
    ];

    /// The word that names it.
    pub fn word(self) -> &'static str {
        Field::ALL.iter().find(|(field, _)| *field == self).map_or("", |(_, words)| words[0])
    }

    fn named(word: &str) -> Option<Field> {
        let word = word.to_ascii_lowercase();
        Field::ALL.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(field, _)| *field)
    }
}

const _: () = assert!(QUERY_BYTES_MAX <= TEXT_BYTES_MAX);

impl Question {
    /// Understands what was typed. A condition whose value cannot be one (`fits` says so) is text: error messages have colons, too.
    pub fn parse(typed: &str, fits: &dyn Fn(Field, &str) -> bool) -> Question {
        let mut end = typed.len().min(QUERY_BYTES_MAX);
        while !typed.is_char_boundary(end) {
            end -= 1;
        }
        let mut question = Question { cut: end < typed.len(), ..Question::default() };
        let clean: String = typed[..end].chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut kept: Vec<&str> = Vec::new();
        let mut rest = clean.trim();
        while !rest.is_empty() {
            let (piece, after) = next_piece(rest);
            rest = after.trim_start();
            match question.understand(piece, fits) {
                Kept::Nothing => {}
                Kept::As(text) => kept.push(text),
            }
        }
        question.text = kept.join(" ");
        question.words = terms::words(&question.text);
        question
    }

    /// Plain text, taken as it is: for questions that a program asks.
    pub fn plain(text: &str) -> Question {
        let mut question = Question::default();
        let mut end = text.len().min(QUERY_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        question.cut = end < text.len();
        question.text = text[..end].split_whitespace().collect::<Vec<_>>().join(" ");
        question.words = terms::words(&question.text);
        question
    }

    /// Nothing is left to look for or to narrow by.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.conditions.is_empty() && self.excluded.is_empty()
    }

    fn understand<'a>(&mut self, piece: &'a str, fits: &dyn Fn(Field, &str) -> bool) -> Kept<'a> {
        let (negated, body) = match piece.strip_prefix('-') {
            Some(body) if !body.starts_with('-') => (true, body),
            _ => (false, piece),
        };
        if let Some(phrase) = quoted(body) {
            let normal = normal(phrase);
            if normal.is_empty() {
                return Kept::Nothing;
            }
            let list = if negated { &mut self.excluded } else { &mut self.phrases };
            list.push(normal);
            return if negated { Kept::Nothing } else { Kept::As(phrase) };
        }
        if let Some((name, value)) = body.split_once(':')
            && let Some(field) = Field::named(name)
            && let value = quoted(value).unwrap_or(value).trim()
            && !value.is_empty()
            && !value.starts_with(':')
        {
            if fits(field, value) {
                self.conditions.push(Condition { field, value: value.to_owned(), negated });
                return Kept::Nothing;
            }
            self.unfit.push(body.to_owned());
        }
        let excludes = body.chars().count() >= EXCLUDED_CHARS_MIN
            && body.chars().next().is_some_and(char::is_alphabetic);
        if negated && excludes {
            self.excluded.push(normal(body));
            return Kept::Nothing;
        }
        Kept::As(piece)
    }
}

enum Kept<'a> {
    Nothing,
    As(&'a str),
}

/// Up to the next blank outside of quotes. A quote that nobody closes is only a character.
fn next_piece(rest: &str) -> (&str, &str) {
    let mut open = false;
    for (at, c) in rest.char_indices() {
        if c == '"' {
            let begins = open || at == 0 || rest[..at].ends_with(['-', ':', ' ']);
            if !open && begins && rest[at + 1..].contains('"') {
                open = true;
            } else if open {
                return (&rest[..=at], &rest[at + 1..]);
            }
        } else if c.is_whitespace() && !open {
            return (&rest[..at], &rest[at..]);
        }
    }
    (rest, "")
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"').filter(|_| text.len() >= 2)
}

/// The form in which phrases are compared.
pub fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, expected: &str) {
        let question = Question::parse(typed, &|field, value| field != Field::Type || value == "lesson");
        let mut said = vec![question.text.clone()];
        said.extend(question.phrases.iter().map(|phrase| format!("must {phrase:?}")));
        said.extend(question.excluded.iter().map(|word| format!("not {word:?}")));
        said.extend(question.conditions.iter().map(|condition| {
            let not = if condition.negated { "not " } else { "" };
            format!("{not}{} is {:?}", condition.field.word(), condition.value)
        }));
        assert_eq!(said.join("; "), expected, "{typed:?}");
    }

    #[test]
    fn what_people_type() {
        check("retry with jitter", "retry with jitter");
        check("\"connection reset\" by peer", "connection reset by peer; must \"connection reset\"");
        check("pool -redis -\"read replica\"", "pool; not \"redis\"; not \"read replica\"");
        check(
            "tag:auth type:lesson path:src/ token",
            "token; tag is \"auth\"; type is \"lesson\"; path is \"src/\"",
        );
        check("-tag:legacy retry", "retry; not tag is \"legacy\"");
        check("by:\"Ada L\" locks", "locks; by is \"Ada L\"");
    }

    #[test]
    fn what_only_looks_like_syntax_is_text() {
        check("cargo build --release -v", "cargo build --release -v");
        check("std::fs::read", "std::fs::read");
        check("type::of", "type::of");
        check("error type:Foo", "error type:Foo");
        check("error: expected `;`", "error: expected `;`");
        check("say \"unbalanced", "say \"unbalanced");
        check("a OR b AND (c NEAR d) * ^", "a OR b AND (c NEAR d) * ^");
        check("tag: -", "tag: -");
        check("\"\" - \"", "- \"");
        check("it's 5\" wide", "it's 5\" wide");
        check("a\u{0}b\tc\nd", "a b c d");
        check("", "");
    }

    #[test]
    fn a_megabyte_is_cut_at_a_character() {
        let question = Question::parse(&"é".repeat(1 << 20), &|_, _| true);
        assert!(question.cut);
        assert!(question.text.len() <= QUERY_BYTES_MAX);
    }
}
