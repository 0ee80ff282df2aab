//! A rough lexer: which bytes of a source are code, text or comment. The mutations must not break what they only move.

use ken_anchors::Language;

/// What a byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Byte {
    Code,
    Text,
    Comment,
}

/// One line, as far as a mutation has to know it.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// What each of its bytes belongs to.
    pub(super) bytes: Vec<Byte>,
    /// It begins inside of a text or a comment, or is a directive, or goes on after a backslash: nothing may be done to its layout.
    pub(super) frozen: bool,
    /// The next line begins frozen: nothing may be put between.
    pub(super) goes_on: bool,
    /// It has code on it.
    pub(super) code: bool,
    /// How many brackets are open where it begins.
    pub(super) depth: i32,
}

/// How comments begin in a language.
pub(super) fn comment(language: Option<Language>) -> &'static str {
    match language {
        Some(Language::Python | Language::Ruby | Language::Shell) => "#",
        Some(_) => "//",
        None => "",
    }
}

/// Takes a source apart by lines.
pub(super) fn lines(language: Option<Language>, text: &str) -> Vec<Line> {
    let bytes = match language {
        Some(language) => classes(language, text.as_bytes()),
        None => vec![Byte::Code; text.len()],
    };
    let mut lines: Vec<Line> = Vec::new();
    let (mut at, mut depth, mut continued) = (0, 0, false);
    for line in text.split('\n') {
        let own = &bytes[at..at + line.len()];
        let begins = at > 0 && at < bytes.len() && bytes[at - 1] != Byte::Code;
        let trimmed = line.trim_start();
        let lead = line.len() - trimmed.len();
        let code =
            line.bytes().zip(own).any(|(byte, class)| !byte.is_ascii_whitespace() && *class != Byte::Comment);
        // A text that begins a statement is a docstring.
        let docstring = language == Some(Language::Python)
            && depth == 0
            && own.get(lead) == Some(&Byte::Text)
            && !continued;
        let directive = matches!(language, Some(Language::C | Language::Cpp)) && trimmed.starts_with('#');
        lines.push(Line {
            bytes: own.to_vec(),
            frozen: begins || continued || directive,
            goes_on: false,
            code: code && !docstring,
            depth,
        });
        for (byte, class) in line.bytes().zip(own) {
            match (class, byte) {
                (Byte::Code, b'(' | b'[' | b'{') => depth += 1,
                (Byte::Code, b')' | b']' | b'}') => depth -= 1,
                _ => {}
            }
        }
        continued = line.trim_end().ends_with('\\');
        at += line.len() + 1;
    }
    for number in 1..lines.len() {
        lines[number - 1].goes_on = lines[number].frozen;
    }
    lines
}

fn classes(language: Language, text: &[u8]) -> Vec<Byte> {
    let mut classes = vec![Byte::Code; text.len()];
    let hash = matches!(language, Language::Python | Language::Ruby | Language::Shell);
    let mut at = 0;
    // The last byte of code that is no space: a slash after some of them begins a pattern.
    let mut before = b'\n';
    while at < text.len() {
        let rest = &text[at..];
        let mark: &[u8] = if hash { b"#" } else { b"//" };
        let begins = language != Language::Shell || is_gap(text, at);
        let (class, length) = if rest.starts_with(mark) && begins {
            (Byte::Comment, until(rest, b"\n", 0))
        } else if !hash && rest.starts_with(b"/*") {
            (Byte::Comment, block(rest, language == Language::Rust))
        } else if let Some(length) = quoted(language, text, at, before) {
            (Byte::Text, length)
        } else {
            if !rest[0].is_ascii_whitespace() {
                before = rest[0];
            }
            at += 1;
            continue;
        };
        let end = (at + length.max(1)).min(text.len());
        classes[at..end].fill(class);
        if class == Byte::Text {
            before = b'"';
        }
        at = end;
    }
    classes
}

fn is_gap(text: &[u8], at: usize) -> bool {
    at == 0 || text[at - 1].is_ascii_whitespace() || matches!(text[at - 1], b';' | b'(')
}

/// How far it is to an end, which belongs to it if it has `own` bytes.
fn until(rest: &[u8], end: &[u8], own: usize) -> usize {
    rest.windows(end.len()).position(|window| window == end).map_or(rest.len(), |at| at + own)
}

fn block(rest: &[u8], nested: bool) -> usize {
    let (mut at, mut depth) = (2, 1);
    while at < rest.len() && depth > 0 {
        if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
        } else if nested && rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else {
            at += 1;
        }
    }
    at
}

/// The length of the text that begins here.
fn quoted(language: Language, text: &[u8], at: usize, before: u8) -> Option<usize> {
    let rest = &text[at..];
    let word_before = at > 0 && (text[at - 1].is_ascii_alphanumeric() || text[at - 1] == b'_');
    match language {
        Language::Python => {
            let triple: Option<&[u8]> =
                [b"\"\"\"".as_slice(), b"'''"].into_iter().find(|triple| rest.starts_with(triple));
            if let Some(triple) = triple {
                return Some(closing(rest, 3, triple));
            }
            matches!(rest[0], b'"' | b'\'').then(|| closing(rest, 1, &rest[..1]))
        }
        Language::Rust => {
            if rest[0] == b'r' && !word_before {
                let hashes = rest[1..].iter().take_while(|byte| **byte == b'#').count();
                if rest.get(1 + hashes) == Some(&b'"') {
                    let mut end = vec![b'"'];
                    end.extend(std::iter::repeat_n(b'#', hashes));
                    return Some(2 + hashes + until(&rest[2 + hashes..], &end, end.len()));
                }
            }
            match rest[0] {
                b'"' => Some(closing(rest, 1, b"\"")),
                // A lifetime has no second quote.
                b'\'' if rest.get(1) == Some(&b'\\') => Some(closing(rest, 1, b"'")),
                b'\'' => {
                    let wide = rest[1..].iter().take(5).position(|byte| *byte == b'\'')?;
                    let inner = std::str::from_utf8(&rest[1..=wide]).ok()?;
                    (inner.chars().count() == 1).then_some(wide + 2)
                }
                _ => None,
            }
        }
        Language::TypeScript | Language::JavaScript => match rest[0] {
            b'"' | b'\'' | b'`' => Some(closing(rest, 1, &rest[..1])),
            b'/' if b"=([,:;!&|?{}\n".contains(&before) => pattern(rest),
            _ => None,
        },
        Language::Shell | Language::Ruby => match rest[0] {
            b'\'' if language == Language::Shell => {
                // No escapes in there.
                (at == 0 || text[at - 1] != b'\\').then(|| 1 + until(&rest[1..], b"'", 1))
            }
            b'"' | b'\'' => (at == 0 || text[at - 1] != b'\\').then(|| closing(rest, 1, &rest[..1])),
            _ => None,
        },
        Language::Go if rest[0] == b'`' => Some(1 + until(&rest[1..], b"`", 1)),
        Language::Go | Language::Java | Language::C | Language::Cpp => (matches!(rest[0], b'"' | b'\'')
            && !(rest[0] == b'\'' && word_before))
            .then(|| closing(rest, 1, &rest[..1])),
    }
}

fn closing(rest: &[u8], from: usize, end: &[u8]) -> usize {
    let mut at = from;
    while at < rest.len() {
        if rest[at] == b'\\' {
            at += 2;
        } else if rest[at..].starts_with(end) {
            return at + end.len();
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn pattern(rest: &[u8]) -> Option<usize> {
    let (mut at, mut class) = (1, false);
    while at < rest.len() && rest[at] != b'\n' {
        match rest[at] {
            b'\\' => at += 1,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(language: Language, text: &str) -> String {
        let mark = |byte: &Byte| match byte {
            Byte::Code => 'c',
            Byte::Text => 't',
            Byte::Comment => '-',
        };
        classes(language, text.as_bytes()).iter().map(mark).collect()
    }

    #[test]
    fn texts_and_comments_are_told_from_code() {
        for (language, text, expected) in [
            (Language::Rust, "a'b 'c' \"//\" // x", "cccctttcttttc----".get(..17).unwrap_or_default()),
            (Language::Rust, "r#\"\"a\"#b", "tttttttc"),
            (Language::Python, "'#'#", "ttt-"),
            (Language::JavaScript, "a/b; c=/'/", "cccccccttt"),
            (Language::Shell, "a$#b #c", "ccccc--"),
            (Language::C, "/*\"*/'\"'", "-----ttt"),
        ] {
            assert_eq!(shown(language, text), expected, "{text}");
        }
    }

    #[test]
    fn lines_know_what_they_begin_in() {
        let lines = lines(Some(Language::Python), "x = (\n  '''a\nb''')\ndef f():\n  '''doc'''\n  # no\n");
        let frozen: Vec<bool> = lines.iter().map(|line| line.frozen).collect();
        let code: Vec<bool> = lines.iter().map(|line| line.code).collect();
        assert_eq!(frozen, [false, false, true, false, false, false, false]);
        assert_eq!(code, [true, true, true, true, false, false, false]);
    }
}
