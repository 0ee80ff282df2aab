//! What formats of running text share: a claim and what is longer, places that are named, names from titles.

use std::sync::LazyLock;

use ken_core::limits::{DETAIL_CHARS_MAX, STATEMENT_CHARS_MAX, TITLE_CHARS_MAX, WORD_CHARS_MAX};
use ken_core::{Anchor, Millis};
use ken_language::{Style, flat, sentence_ends};
use regex::Regex;
use serde_json::{Map, Value};

/// A claim is one to three sentences (ENT-2).
const SENTENCES_MAX: usize = 3;
/// Places that one text names, at most.
const PLACES_MAX: usize = 20;

/// Puts a text into `statement`, and all of it into `detail` where it is longer than a claim.
pub fn state(content: &mut Map<String, Value>, text: &str) {
    let (statement, rest) = claim(text);
    if statement.is_empty() {
        return;
    }
    content.insert("statement".to_owned(), Value::from(statement));
    if rest {
        let whole: String = text.trim().chars().take(DETAIL_CHARS_MAX).collect();
        content.insert("detail".to_owned(), Value::from(whole));
    }
}

/// The first one to three sentences of running text, on one line, and whether there is more. Headings, fences and rules make no claim;
/// where there is nothing else, they do.
pub fn claim(text: &str) -> (String, bool) {
    let mut words: Vec<&str> = Vec::new();
    let mut is_fenced = false;
    let mut more = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_fenced = !is_fenced;
            more = true;
            if words.is_empty() { continue } else { break }
        }
        if is_fenced || line.starts_with('#') || line.starts_with("---") || line.starts_with("<!--") {
            more = true;
            if words.is_empty() || is_fenced { continue } else { break }
        }
        if line.is_empty() {
            if words.is_empty() { continue } else { break }
        }
        words.push(line.trim_start_matches(['-', '*', '>']).trim());
    }
    if words.is_empty() {
        words = text
            .lines()
            .map(|line| line.trim().trim_matches(['#', '-', '`', '~', '*', ' ']))
            .filter(|line| !line.is_empty())
            .take(3)
            .collect();
        more = true;
    }
    let paragraph = words.join(" ");
    let cut = sentences(&paragraph).min(STATEMENT_CHARS_MAX);
    let statement: String = paragraph.chars().take(cut).collect();
    let statement = statement.trim().to_owned();
    let said = text.split_whitespace().count();
    more |= statement.split_whitespace().count() < said;
    (statement, more)
}

/// How many characters the first sentences take.
fn sentences(text: &str) -> usize {
    let ends = sentence_ends(text, Style::Plain, &|_| false);
    let end = ends.get(SENTENCES_MAX - 1).copied().unwrap_or(text.len());
    text[..end].chars().count()
}

/// A title that fits a line.
pub fn title(text: &str) -> String {
    flat(text).chars().take(TITLE_CHARS_MAX).collect()
}

/// A text that fits a field of one word or line.
pub fn short(text: &str) -> String {
    text.trim().chars().take(WORD_CHARS_MAX).collect()
}

/// A file's name as a title: `shell-stat-fallback.md` is `Shell stat fallback`.
pub fn title_of(path: &str) -> String {
    let words = stem(path).replace(['-', '_'], " ");
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A file's name without folders and ending.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// A name for a file: lower case, digits and single hyphens, at most so many characters.
pub fn slug(text: &str, chars_max: usize) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= chars_max {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "entry".to_owned() } else { slug.to_owned() }
}

/// A free name: the slug, or the slug with the lowest number that is not taken.
pub fn free(slug: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(slug) {
        return slug.to_owned();
    }
    let mut number = 2;
    loop {
        let name = format!("{slug}-{number}");
        if !is_taken(&name) {
            return name;
        }
        number += 1;
    }
}

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"`([A-Za-z0-9_.@+-]*[A-Za-z0-9_@+-](?:/[A-Za-z0-9_.@+-]+)*)(:\d+(?:-\d+)?)?(?:#([A-Za-z_][A-Za-z0-9_.:]*))?`").expect("the pattern is right")
});

/// Files named between backticks, as anchors: `src/lib.rs`, `src/lib.rs:47-52`, `src/lib.rs#name`. Whether they exist is for others to say.
pub fn places(text: &str) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for found in PLACE.captures_iter(text) {
        let path = &found[1];
        if !is_file(path) || path.split('/').any(|part| part == ".." || part == ".") {
            continue;
        }
        let place = match (found.get(2), found.get(3)) {
            (_, Some(symbol)) => format!("{path}#{}", symbol.as_str()),
            (Some(lines), None) => format!("{path}{}", lines.as_str()),
            (None, None) => path.to_owned(),
        };
        if !places.contains(&place) {
            places.push(place);
        }
        if places.len() == PLACES_MAX {
            break;
        }
    }
    places
}

/// Whether a word between backticks is the name of a file: `v1.2` and `os.path` are none.
fn is_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let is_ending = (1..=8).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_uppercase());
    let known = [
        "rs", "py", "js", "ts", "tsx", "jsx", "go", "java", "rb", "c", "h", "cc", "cpp", "hpp", "sh", "md",
        "json", "jsonl", "toml", "yaml", "yml", "sql", "html", "css", "txt", "lock", "cfg", "ini", "cs",
        "kt", "swift", "php", "lua", "mjs", "cjs", "xml", "proto", "bash", "zsh", "vue", "svelte", "ex",
        "exs", "erl", "hs", "scala", "gradle", "tf", "tmpl", "csv", "db", "env", "rst", "bats", "nix", "zig",
        "dart",
    ];
    !stem.is_empty() && is_ending && (word.contains('/') || known.contains(&ending))
}

/// The places of a text that an entry may have as anchors.
pub fn anchors(text: &str) -> Vec<String> {
    places(text).into_iter().filter(|place| Anchor::parse(place).is_ok()).collect()
}

/// Reads a date or a time; a time without a zone is read as UTC.
pub fn time(text: &str) -> Option<Millis> {
    let text = text.trim().trim_matches(['"', '\'']);
    let stamp = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let civil: jiff::civil::DateTime = text.parse().ok()?;
        civil.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    });
    Millis::parse(&stamp?.to_string()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_a_few_sentences() {
        assert_eq!(claim("# Title\n\nOne. Two. Three. Four.\n"), ("One. Two. Three.".to_owned(), true));
        assert_eq!(claim("Only this."), ("Only this.".to_owned(), false));
        assert_eq!(claim("Wrapped\nover lines.\n\nMore.").0, "Wrapped over lines.");
        assert_eq!(claim("# Heading alone\n").0, "Heading alone");
        assert_eq!(claim("   \n").0, "");
    }

    #[test]
    fn places_are_files() {
        let text = "See `src/a.rs:4-7`, `b/c.py#Client.get`, `v1.2`, `os.path`, `../x.rs`, `Makefile`, `lib.rs` and `src/a.rs:4-7`; `https://x.io/a.rs`.";
        assert_eq!(places(text), ["src/a.rs:4-7", "b/c.py#Client.get", "lib.rs"]);
    }

    #[test]
    fn names_of_files() {
        assert_eq!(title_of("a/shell-stat-fallback.md"), "Shell stat fallback");
        assert_eq!(slug("Retry: with jitter!! (always)", 12), "retry-with-j");
        assert_eq!(slug("!!!", 9), "entry");
        assert_eq!(free("a", |name| matches!(name, "a" | "a-2")), "a-3");
    }

    #[test]
    fn times() {
        assert_eq!(
            time("2026-02-11T09:00:00").map(|t| t.to_string()),
            Some("2026-02-11T09:00:00.000Z".to_owned())
        );
        assert_eq!(time("\"2026-02-11\"").map(|t| t.date()), Some("2026-02-11".to_owned()));
        assert_eq!(time("soon"), None);
    }
}
