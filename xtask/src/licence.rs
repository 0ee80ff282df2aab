//! Licence expressions as crates state them: names joined by `OR`, `AND` and `WITH`, with brackets.

use std::fmt;

/// A parsed expression.
#[derive(Debug, PartialEq)]
pub(crate) enum Licence {
    /// One licence, with its exception if it has one: `Apache-2.0 WITH LLVM-exception`.
    Named(String),
    /// All of them apply.
    All(Vec<Licence>),
    /// The user may choose.
    Any(Vec<Licence>),
}

/// The expression cannot be read.
#[derive(Debug, PartialEq)]
pub(crate) struct Unreadable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Licence {
    /// Reads an expression. `AND` binds tighter than `OR`; the old `MIT/Apache-2.0` means `OR`.
    pub(crate) fn parse(text: &str) -> Result<Licence, Unreadable> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
        let mut words = Words { words: spaced.split_whitespace().collect(), next: 0 };
        let licence = any(&mut words)?;
        match words.peek() {
            None => Ok(licence),
            Some(word) => Err(Unreadable(format!("`{word}` is not expected there"))),
        }
    }

    /// May a crate with this licence be used when only `allowed` licences are?
    pub(crate) fn is_allowed(&self, allowed: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Licence::Named(name) => allowed(name),
            Licence::All(parts) => parts.iter().all(|part| part.is_allowed(allowed)),
            Licence::Any(parts) => parts.iter().any(|part| part.is_allowed(allowed)),
        }
    }
}

struct Words<'a> {
    words: Vec<&'a str>,
    next: usize,
}

impl<'a> Words<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.next).copied()
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.next += usize::from(found);
        found
    }

    fn name(&mut self) -> Result<&'a str, Unreadable> {
        match self.peek() {
            Some(word) if !["(", ")", "OR", "AND", "WITH"].contains(&word) => {
                self.next += 1;
                Ok(word)
            }
            Some(word) => Err(Unreadable(format!("a licence name is expected, not `{word}`"))),
            None => Err(Unreadable("a licence name is expected at the end".to_owned())),
        }
    }
}

fn any(words: &mut Words<'_>) -> Result<Licence, Unreadable> {
    let mut parts = vec![all(words)?];
    while words.take("OR") {
        parts.push(all(words)?);
    }
    Ok(single_or(parts, Licence::Any))
}

fn all(words: &mut Words<'_>) -> Result<Licence, Unreadable> {
    let mut parts = vec![one(words)?];
    while words.take("AND") {
        parts.push(one(words)?);
    }
    Ok(single_or(parts, Licence::All))
}

fn one(words: &mut Words<'_>) -> Result<Licence, Unreadable> {
    if words.take("(") {
        let inner = any(words)?;
        return if words.take(")") { Ok(inner) } else { Err(Unreadable("a `)` is missing".to_owned())) };
    }
    let name = words.name()?;
    if words.take("WITH") {
        let exception = words.name()?;
        return Ok(Licence::Named(format!("{name} WITH {exception}")));
    }
    Ok(Licence::Named(name.to_owned()))
}

fn single_or(mut parts: Vec<Licence>, many: fn(Vec<Licence>) -> Licence) -> Licence {
    if parts.len() == 1 { parts.remove(0) } else { many(parts) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(expression: &str) -> bool {
        let names = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"];
        Licence::parse(expression).unwrap().is_allowed(&|name| names.contains(&name))
    }

    #[test]
    fn a_choice_needs_one_allowed_licence_and_a_sum_needs_all() {
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("GPL-3.0 OR MIT", true),
            ("MIT/Apache-2.0", true),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("(MIT OR Apache-2.0) AND GPL-2.0", false),
            ("GPL-2.0 OR MIT AND Apache-2.0", true),
            ("(GPL-2.0 OR MIT) AND (GPL-2.0)", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("MIT WITH LLVM-exception", false),
        ] {
            assert_eq!(allowed(expression), expected, "{expression}");
        }
    }

    #[test]
    fn an_expression_that_makes_no_sense_is_refused() {
        for expression in ["", "MIT OR", "AND MIT", "(MIT", "MIT)", "MIT Apache-2.0", "MIT WITH", "()"] {
            assert!(Licence::parse(expression).is_err(), "{expression}");
        }
    }
}
