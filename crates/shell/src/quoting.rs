//! Commands that stand in other text: in a sentence, in code, in a template. Only quotes and substitutions are read there, because `<file>` is
//! as often a placeholder as a redirection, and the text around is no command at all.

/// A byte of a text that is neither escaped nor the `(` of a substitution.
#[derive(Clone, Copy, Debug)]
struct Sign {
    at: usize,
    byte: u8,
    /// Outside of quotes and substitutions.
    is_bare: bool,
}

/// Walks over the bytes of a text.
struct Quoting<'a> {
    bytes: &'a [u8],
    at: usize,
    quote: Option<u8>,
    /// `$(` that are open.
    depth: usize,
}

impl Iterator for Quoting<'_> {
    type Item = Sign;

    fn next(&mut self) -> Option<Sign> {
        let at = self.at;
        let byte = *self.bytes.get(at)?;
        let is_bare = self.quote.is_none() && self.depth == 0;
        self.at += 1;
        match (self.quote, byte) {
            // Also in single quotes: in code, the command is a string.
            (_, b'\\') => self.at += 1,
            (_, b'$') if self.bytes.get(at + 1) == Some(&b'(') => {
                self.depth += 1;
                self.at += 1;
            }
            (_, b')') if self.depth > 0 => self.depth -= 1,
            _ if self.depth > 0 => {}
            (Some(open), _) if byte == open => self.quote = None,
            (None, b'"' | b'\'') if !is_apostrophe(self.bytes, at) => self.quote = Some(byte),
            _ => {}
        }
        Some(Sign { at, byte, is_bare })
    }
}

fn signs(text: &str) -> Quoting<'_> {
    Quoting { bytes: text.as_bytes(), at: 0, quote: None, depth: 0 }
}

/// Between two letters it is no quote.
fn is_apostrophe(bytes: &[u8], at: usize) -> bool {
    let is_letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphabetic);
    bytes[at] == b'\'' && is_letter(at.checked_sub(1)) && is_letter(Some(at + 1))
}

/// Where the words of a command begin and end, in bytes: blanks and `separators` part them, quotes and substitutions hold together.
pub fn spans(text: &str, separators: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = None;
    for sign in signs(text) {
        if sign.is_bare && (sign.byte.is_ascii_whitespace() || separators.contains(&sign.byte)) {
            found.extend(from.take().map(|from| (from, sign.at)));
        } else {
            from.get_or_insert(sign.at);
        }
    }
    found.extend(from.map(|from| (from, text.len())));
    // A line that goes on below.
    found.retain(|&(from, to)| text[from..to].trim_end() != "\\");
    found
}

/// The words of a command, with their quotes.
pub fn words(text: &str) -> Vec<&str> {
    spans(text, &[]).into_iter().map(|(from, to)| &text[from..to]).collect()
}

/// How many bytes of a text belong to the command that it begins with. `in_code`: it stands between backticks.
pub fn command_length(text: &str, in_code: bool) -> usize {
    let mut brackets = 0_usize;
    for sign in signs(text) {
        match sign.byte {
            b'`' if in_code => return sign.at,
            _ if !sign.is_bare => {}
            b'(' => brackets += 1,
            b')' => brackets = brackets.saturating_sub(1),
            b';' | b'|' if brackets == 0 => return sign.at,
            b'&' if brackets == 0 && text[sign.at..].starts_with("&&") => return sign.at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_substitutions_hold_words_together() {
        for (text, wanted) in [
            (" -d \"a b\" 'c d'e f\\ g ", "-d|\"a b\"|'c d'e|f\\ g"),
            ("\"$(cat \"x y\")\" $(a b) é", "\"$(cat \"x y\")\"|$(a b)|é"),
            ("don't <file> 'open x", "don't|<file>|'open x"),
            ("a \\\n  b \\", "a|b"),
        ] {
            assert_eq!(words(text).join("|"), wanted, "{text}");
        }
        assert_eq!(spans("a `b c`", b"`"), [(0, 1), (3, 4), (5, 6)]);
    }

    #[test]
    fn a_command_ends_at_an_operator_outside_of_quotes() {
        for (text, in_code, wanted) in [
            ("a 'b;c' $(d|e) && f", false, "a 'b;c' $(d|e) "),
            ("a & b | c", false, "a & b "),
            ("(a; b); c", false, "(a; b)"),
            ("a \\; b; c", false, "a \\; b"),
            ("a 'b` c", true, "a 'b"),
            ("a `b` c", false, "a `b` c"),
        ] {
            assert_eq!(&text[..command_length(text, in_code)], wanted, "{text}");
        }
    }
}
