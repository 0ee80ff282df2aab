//! Files without a grammar: their words are the tokens, their headings and keys the symbols.

use crate::prints;
use crate::{Outline, Symbol, Token};

/// Who takes prints of words, and the version of how.
pub(crate) const BY: &str = "text.1";

/// What counts as a symbol in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Markdown,
    /// `[section]` and `key =`.
    Sections,
    /// `key:`, by indentation.
    Keys,
    Plain,
}

impl Kind {
    pub(crate) fn from_path(path: &str) -> Kind {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "md" | "markdown" | "mdx" | "qmd" => Kind::Markdown,
            "toml" | "ini" | "cfg" | "conf" | "properties" | "env" | "editorconfig" | "gitconfig" => {
                Kind::Sections
            }
            "lock" if name == "cargo.lock" || name == "poetry.lock" || name == "uv.lock" => Kind::Sections,
            "yaml" | "yml" | "json" | "jsonc" | "json5" => Kind::Keys,
            _ if name.starts_with(".env") => Kind::Sections,
            _ => Kind::Plain,
        }
    }
}

/// Reads a text. Where the file has a grammar as well, the symbols are those of its outline.
pub(crate) fn read(text: &str, kind: Kind, outline: Option<&Outline>) -> Outline {
    let mut tokens = Vec::new();
    // Where the tokens of each line begin, with one more for the end.
    let mut starts = vec![0_u32; 2];
    for (line, number) in text.lines().zip(1..) {
        for word in words(without_marker(line, kind, outline.is_some())) {
            tokens.push(Token { print: word_print(word), line: number, last: number });
        }
        starts.push(tokens.len() as u32);
    }
    let last_line = starts.len() as u32 - 2;
    let spans = match outline {
        Some(outline) => outline
            .symbols
            .iter()
            .map(|symbol| Span {
                name: symbol.name.clone(),
                lines: symbol.lines,
                holds_others: symbol.holds_others,
            })
            .collect(),
        None => match kind {
            Kind::Markdown => headings(text, last_line),
            Kind::Sections => sections(text, last_line),
            Kind::Keys => keys(text, last_line),
            Kind::Plain => Vec::new(),
        },
    };
    let start = |line: u32| starts[(line.min(last_line + 1)) as usize];
    let symbols = spans.into_iter().map(|span| Symbol {
        tokens: (start(span.lines.0), start(span.lines.1 + 1)),
        name: span.name,
        holds_others: span.holds_others,
        lines: span.lines,
        faulty: false,
    });
    Outline { symbols: symbols.collect(), tokens, fault: None }
}

/// A symbol that was only renamed keeps its print: the words of its name do not count where it is introduced.
pub(crate) fn symbol_print(outline: &Outline, kind: Kind, symbol: &Symbol) -> (u64, u32) {
    let own: Vec<u32> = words(last_name(&symbol.name)).map(word_print).collect();
    let tokens = &outline.tokens[symbol.tokens.0 as usize..symbol.tokens.1 as usize];
    let first = tokens.first().map_or(0, |token| token.line);
    let heading = kind == Kind::Markdown;
    let kept: Vec<u32> = tokens
        .iter()
        .filter(|token| token.line != first || !(heading || own.contains(&token.print)))
        .map(|token| token.print)
        .collect();
    let count = kept.len() as u32;
    (prints::fingerprint(kept), count)
}

/// The symbols somebody may mean: by the whole name, by its end, or as a heading is linked to.
pub(crate) fn find(outline: &Outline, name: &str) -> Vec<usize> {
    let matching = |accept: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..outline.symbols.len()).filter(|at| accept(&outline.symbols[*at].name)).collect()
    };
    let name = name.trim();
    let ending = format!(".{name}");
    let slug = slug(name);
    let ways: [&dyn Fn(&str) -> bool; 3] =
        [&|found| found == name, &|found| found.ends_with(&ending), &|found| {
            !slug.is_empty() && (found == slug || self::slug(found) == slug)
        }];
    ways.into_iter().map(matching).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Runs of letters, digits and `_`, and every other character by itself.
pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        rest = after;
        Some(word)
    })
}

pub(crate) fn word_print(word: &str) -> u32 {
    let hash = blake3::hash(word.as_bytes());
    u32::from_le_bytes(hash.as_bytes()[..4].try_into().expect("a hash has more than four bytes"))
}

/// Marks that only lead a line say nothing: a reflowed comment has them elsewhere.
fn without_marker(line: &str, kind: Kind, code: bool) -> &str {
    let line = line.trim();
    let markers: &[&str] = match (code, kind) {
        (true, _) => &["///", "//!", "//", "/**", "/*", "*/", "*", "#!", "#", "--"],
        (false, Kind::Markdown) => &[">", "* ", "+ ", "- "],
        (false, Kind::Sections | Kind::Keys | Kind::Plain) => &[],
    };
    markers.iter().find_map(|marker| line.strip_prefix(marker)).unwrap_or(line)
}

fn last_name(name: &str) -> &str {
    crate::code::last_name(name)
}

struct Span {
    name: String,
    lines: (u32, u32),
    holds_others: bool,
}

/// The name by which a heading is linked to.
fn slug(heading: &str) -> String {
    let mut slug = String::new();
    for c in heading.trim().chars() {
        match c {
            c if c.is_alphanumeric() || c == '_' => slug.extend(c.to_lowercase()),
            ' ' | '-' => slug.push('-'),
            _ => {}
        }
    }
    slug
}

fn headings(text: &str, last_line: u32) -> Vec<Span> {
    let mut found: Vec<(usize, String, u32)> = Vec::new();
    let mut fence: Option<&str> = None;
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim_end();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                let level = line.len() - line.trim_start_matches('#').len();
                let title = &line[level..];
                if (1..=6).contains(&level) && title.starts_with(' ') {
                    found.push((level, slug(title.trim().trim_end_matches('#')), number));
                }
            }
            (Some(_), _) => {}
        }
    }
    nested(&found, last_line)
}

/// Each reaches to before the next that is not below it.
fn nested(found: &[(usize, String, u32)], last_line: u32) -> Vec<Span> {
    let spans = found.iter().enumerate().map(|(at, (level, name, line))| {
        let next = found[at + 1..].iter().find(|(other, _, _)| other <= level);
        let last = next.map_or(last_line, |(_, _, next)| next - 1);
        let holds_others = found.get(at + 1).is_some_and(|(other, _, _)| other > level);
        Span { name: name.clone(), lines: (*line, last), holds_others }
    });
    spans.collect()
}

fn sections(text: &str, last_line: u32) -> Vec<Span> {
    let mut found: Vec<(usize, String, u32)> = Vec::new();
    let mut section = String::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(name, _)| name)
        {
            section = name.trim_start_matches('[').trim().replace(['"', '\''], "");
            found.push((0, section.clone(), number));
        } else if let Some((key, _)) = line.split_once('=') {
            let key = key.trim().trim_start_matches("export ").trim_matches(['"', '\'']);
            if is_key(key) {
                let name = if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") };
                found.push((1, name, number));
            }
        }
    }
    nested(&found, last_line)
}

fn keys(text: &str, last_line: u32) -> Vec<Span> {
    let mut found: Vec<(usize, String, u32)> = Vec::new();
    let mut around: Vec<(usize, String)> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let bare = line.trim_start().trim_start_matches("- ").trim_start();
        let indent = line.len() - bare.len();
        if bare.starts_with('#') {
            continue;
        }
        let Some((key, after)) = bare.split_once(':') else { continue };
        let key = key.trim().trim_matches(['"', '\'']);
        if !is_key(key) || !(after.is_empty() || after.starts_with([' ', '\t', '{', '['])) {
            continue;
        }
        while around.last().is_some_and(|(other, _)| *other >= indent) {
            around.pop();
        }
        around.push((indent, key.to_owned()));
        let names: Vec<&str> = around.iter().map(|(_, name)| name.as_str()).collect();
        found.push((indent, names.join("."), number));
    }
    nested(&found, last_line)
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@'))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(path: &str, text: &str, expected: Expect) {
        let outline = read(text, Kind::from_path(path), None);
        let lines = outline.symbols.iter().map(|symbol| {
            let more = if symbol.holds_others { " +" } else { "" };
            format!("{} {}-{}{more}\n", symbol.name, symbol.lines.0, symbol.lines.1)
        });
        expected.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn headings_and_keys_are_symbols() {
        check(
            "a.md",
            "# Net\n\nWords.\n\n## Retry policy\n```sh\n# no heading\n```\n\n## Time-outs!\nx\n# Rest\n",
            expect![[r#"
                net 1-11 +
                retry-policy 5-9
                time-outs 10-11
                rest 12-12
            "#]],
        );
        check(
            "a.toml",
            "name = 1\n[net]\nretries = 3\nhosts = [\n  \"a\",\n]\n[[net.peer]]\nid=1\n",
            expect![[r#"
                name 1-1
                net 2-6 +
                net.retries 3-3
                net.hosts 4-6
                net.peer 7-8 +
                net.peer.id 8-8
            "#]],
        );
        check(
            "a.yaml",
            "net:\n  retries: 3\n  hosts:\n    - a\nurl: http://x\n",
            expect![[r#"
                net 1-4 +
                net.retries 2-2
                net.hosts 3-4
                url 5-5
            "#]],
        );
    }

    #[test]
    fn a_heading_is_found_by_its_link_and_by_its_words() {
        let outline = read("# Net\n## Retry policy\n", Kind::Markdown, None);
        for name in ["retry-policy", "Retry policy", "Retry Policy"] {
            assert_eq!(find(&outline, name), [1], "{name}");
        }
        let outline = read("[net]\nretries = 3\n", Kind::Sections, None);
        assert_eq!(find(&outline, "retries"), [1]);
        assert_eq!(find(&outline, "net.retries"), [1]);
        assert!(find(&outline, "tries").is_empty());
    }
}
