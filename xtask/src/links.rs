//! `cargo xtask links`: do the links of our Markdown pages lead anywhere?
//!
//! Relative links must name a file or folder that git tracks, and an anchor must be a heading there. Links
//! to the web are read for their form only: a check must not need a network. Code is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::context::{Context, Failure, Outcome, capture, failed, no_arguments};

/// Pages under these folders are samples of other people's writing; their links are not ours to mend.
const FOREIGN: &[&str] = &["fixtures/", "crates/formats/tests/samples/"];

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    no_arguments("links", arguments)?;
    check_repository(context)
}

/// Checks every Markdown file that is tracked, or new and not ignored.
pub(crate) fn check_repository(context: &Context) -> Outcome {
    let listing = capture(
        &mut context.program("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]),
    )?;
    let paths: BTreeSet<String> = listing
        .split('\0')
        .filter(|path| !path.is_empty() && context.root.join(path).exists())
        .map(str::to_owned)
        .collect();
    let mut pages = BTreeMap::new();
    for path in paths.iter().filter(|path| path.ends_with(".md")) {
        if FOREIGN.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        let text = std::fs::read_to_string(context.root.join(path))
            .map_err(|error| Failure::Failed(format!("cannot read {path}: {error}")))?;
        pages.insert(path.clone(), Page::parse(&text));
    }

    let faults = check(&pages, &paths);
    for fault in &faults {
        eprintln!("{fault}");
    }
    let links: usize = pages.values().map(|page| page.links.len()).sum();
    if !faults.is_empty() {
        return failed(format!("{} of {links} links are broken (listed above)", faults.len()));
    }
    println!("links: {links} in {} pages, all good", pages.len());
    Ok(())
}

/// A link that leads nowhere.
#[derive(Debug)]
struct Fault {
    page: String,
    line: usize,
    target: String,
    why: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: `{}`: {}", self.page, self.line, self.target, self.why)
    }
}

/// Judges all links of all pages. `paths` are the files that exist, with `/`, relative to the root.
fn check(pages: &BTreeMap<String, Page>, paths: &BTreeSet<String>) -> Vec<Fault> {
    let mut folders = BTreeSet::from([String::new()]);
    for path in paths {
        folders.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
    }
    let mut faults = Vec::new();
    for (name, page) in pages {
        for link in &page.links {
            let verdict = match &link.to {
                To::Target(target) => judge(name, target, pages, paths, &folders),
                To::Label(label) if page.labels.contains(label) => Ok(()),
                To::Label(_) => Err("no line defines this label".to_owned()),
            };
            if let Err(why) = verdict {
                let target = match &link.to {
                    To::Target(text) | To::Label(text) => text.clone(),
                };
                faults.push(Fault { page: name.clone(), line: link.line, target, why });
            }
        }
    }
    faults
}

fn judge(
    page: &str,
    target: &str,
    pages: &BTreeMap<String, Page>,
    paths: &BTreeSet<String>,
    folders: &BTreeSet<String>,
) -> Result<(), String> {
    if let Some(scheme) = scheme(target) {
        return judge_url(scheme, &target[scheme.len() + 1..]);
    }
    if target.starts_with('/') {
        return Err("it begins with `/`; links are relative to their page".to_owned());
    }
    let (place, anchor) = match target.split_once('#') {
        Some((place, anchor)) => (place, Some(anchor)),
        None => (target, None),
    };
    let place = decode(place.split('?').next().unwrap_or(place));
    if place.is_empty() && anchor.is_none() {
        return Err("it is empty".to_owned());
    }
    let path = if place.is_empty() { page.to_owned() } else { resolve(page, &place)? };
    if !paths.contains(&path) && !folders.contains(&path) {
        return Err(format!("there is no `{path}` in the repository"));
    }
    match anchor {
        None => Ok(()),
        Some(anchor) => judge_anchor(&path, &decode(anchor), pages),
    }
}

fn judge_anchor(path: &str, anchor: &str, pages: &BTreeMap<String, Page>) -> Result<(), String> {
    match pages.get(path) {
        Some(page) if page.anchors.contains(anchor) => Ok(()),
        Some(_) => Err(format!("`{path}` has no heading `#{anchor}`")),
        None if is_line_range(anchor) => Ok(()),
        None => Err(format!("`{path}` is not a page with headings")),
    }
}

/// `L12` or `L12-L20`, as code browsers write it.
fn is_line_range(anchor: &str) -> bool {
    anchor.split('-').all(|part| {
        part.strip_prefix('L')
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// The scheme of an absolute link: letters before a colon that precedes any slash.
fn scheme(target: &str) -> Option<&str> {
    let (scheme, _) = target.split_once(':')?;
    let mut bytes = scheme.bytes();
    let good = bytes.next()?.is_ascii_alphabetic()
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    good.then_some(scheme)
}

fn judge_url(scheme: &str, rest: &str) -> Result<(), String> {
    if rest.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("a web address has no blanks".to_owned());
    }
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => {
            let rest = rest.strip_prefix("//").ok_or("`//` is missing after the scheme")?;
            let host = rest.split(['/', '?', '#']).next().unwrap_or("");
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            let (name, port) = match host.rsplit_once(':') {
                Some((name, port)) if !port.ends_with(']') => (name, port),
                _ => (host, ""),
            };
            let good = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_' | '[' | ']' | ':');
            if name.is_empty() || name.starts_with('.') || !name.chars().all(good) {
                return Err("the host name is malformed".to_owned());
            }
            if !port.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err("the port is not a number".to_owned());
            }
            Ok(())
        }
        "mailto" if rest.contains('@') => Ok(()),
        "mailto" => Err("a mail address has an `@`".to_owned()),
        other => Err(format!("links of the kind `{other}:` are not used here")),
    }
}

/// The repository path that `place` means when it stands in `page`.
fn resolve(page: &str, place: &str) -> Result<String, String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in place.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Err("it leads out of the repository".to_owned());
                }
            }
            name => parts.push(name),
        }
    }
    Ok(parts.join("/"))
}

/// Undoes `%20` and the like; what is no valid escape stays as it is.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// What we need of a page.
#[derive(Debug, Default)]
struct Page {
    links: Vec<Link>,
    /// Labels that `[label]: target` lines define, normalised.
    labels: BTreeSet<String>,
    /// Heading slugs and explicit ids.
    anchors: BTreeSet<String>,
}

#[derive(Debug)]
struct Link {
    line: usize,
    to: To,
}

#[derive(Debug)]
enum To {
    Target(String),
    Label(String),
}

impl Page {
    fn parse(text: &str) -> Page {
        let without_blocks = mask_blocks(text);
        let masked = mask_inline_code(&without_blocks);
        let mut page = Page { anchors: slugs(&headings(&without_blocks)), ..Page::default() };
        page.find_definitions(&masked);
        page.find_inline(&masked);
        page.find_html(&masked);
        page
    }

    /// `[label]: target` at the start of a line. Footnotes (`[^1]:`) are no links.
    fn find_definitions(&mut self, text: &str) {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start_matches(['>', ' ']);
            if let Some(rest) = line.strip_prefix('[')
                && let Some((label, target)) = rest.split_once("]:")
                && !label.starts_with('^')
                && !label.contains(['[', ']'])
                && let Some(target) = target.split_whitespace().next()
            {
                self.labels.insert(label_key(label));
                let target = target.trim_start_matches('<').trim_end_matches('>');
                self.links.push(Link { line: number + 1, to: To::Target(target.to_owned()) });
            }
        }
    }

    /// `](target)`, `](<target> "title")`, `][label]` and `<https://...>`.
    fn find_inline(&mut self, text: &str) {
        let line_of = |at: usize| text[..at].matches('\n').count() + 1;
        for (at, _) in text.match_indices(']') {
            if is_escaped(text, at) || !has_opening(text, at) {
                continue;
            }
            let rest = &text[at + 1..];
            if let Some(rest) = rest.strip_prefix('(') {
                if let Some(target) = inline_target(rest) {
                    self.links.push(Link { line: line_of(at), to: To::Target(target) });
                }
            } else if let Some(rest) = rest.strip_prefix('[')
                && let Some((label, _)) = rest.split_once(']')
                && !label.trim().is_empty()
                && !label.contains(['[', '\n'])
            {
                self.links.push(Link { line: line_of(at), to: To::Label(label_key(label)) });
            }
        }
        for (at, _) in text.match_indices('<') {
            if let Some((inside, _)) = text[at + 1..].split_once('>')
                && let Some(scheme) = scheme(inside)
                && inside[scheme.len()..].starts_with("://")
                && !text[..at].ends_with("](")
            {
                self.links.push(Link { line: line_of(at), to: To::Target(inside.to_owned()) });
            }
        }
    }

    /// Links and anchors written as HTML: `href`, `src`, `id`, `name`.
    fn find_html(&mut self, text: &str) {
        let mut at = 0;
        while let Some(begin) = text[at..].find('<').map(|offset| at + offset) {
            at = begin + 1;
            let Some(end) = text[at..].find('>').map(|offset| at + offset) else { break };
            let tag = &text[at..end];
            if !tag.starts_with(|c: char| c.is_ascii_alphabetic()) {
                continue;
            }
            for (name, value) in attributes(tag) {
                match name {
                    "href" | "src" => {
                        let line = text[..begin].matches('\n').count() + 1;
                        self.links.push(Link { line, to: To::Target(value.to_owned()) });
                    }
                    "id" | "name" => {
                        self.anchors.insert(value.to_owned());
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The quoted attributes of a tag.
fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    tag.match_indices('=').filter_map(|(at, _)| {
        let name = tag[..at].rsplit(|c: char| c.is_whitespace()).next()?;
        let rest = &tag[at + 1..];
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, _) = rest[1..].split_once(quote)?;
        Some((name, value))
    })
}

fn is_escaped(text: &str, at: usize) -> bool {
    text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Is there a `[` in the same paragraph that this `]` closes?
fn has_opening(text: &str, closing: usize) -> bool {
    let from = text[..closing].rfind("\n\n").map_or(0, |at| at + 2);
    let mut depth = 1;
    for (at, c) in text[from..closing].char_indices().rev() {
        if is_escaped(text, from + at) {
            continue;
        }
        match c {
            ']' => depth += 1,
            '[' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return true;
        }
    }
    false
}

/// The target in `target)`, `<target>)` or `target "title")`; brackets inside it must balance.
fn inline_target(rest: &str) -> Option<String> {
    let rest = rest.trim_start();
    if let Some(angled) = rest.strip_prefix('<') {
        return angled.split_once('>').map(|(target, _)| target.to_owned());
    }
    let mut depth = 0;
    for (at, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(rest[..at].to_owned()),
            ')' => depth -= 1,
            c if c.is_whitespace() => {
                let after = rest[at..].trim_start();
                // A title, or nothing, may follow; anything else is no link at all.
                let is_link = after.starts_with(['"', '\'', '(', ')']);
                return is_link.then(|| rest[..at].to_owned());
            }
            _ => {}
        }
    }
    None
}

/// Labels match whatever their case and inner blanks are.
fn label_key(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Blanks out fenced code, HTML comments and front matter. Lines stay where they were.
fn mask_blocks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<(char, usize)> = None;
    let mut in_comment = false;
    let mut in_front_matter = false;
    for (number, line) in text.lines().enumerate() {
        if number == 0
            && line.trim_end() == "---"
            && text.lines().skip(1).any(|line| line.trim_end() == "---")
        {
            in_front_matter = true;
        } else if in_front_matter {
            in_front_matter = line.trim_end() != "---";
        } else if let Some((mark, length)) = fence {
            let (closes, rest) = fence_run(line, mark);
            if closes >= length && rest.trim().is_empty() {
                fence = None;
            }
        } else if let Some(opened) = opening_fence(line).filter(|_| !in_comment) {
            fence = Some(opened);
        } else {
            mask_comments(line, &mut in_comment, &mut out);
        }
        out.push('\n');
    }
    out
}

fn mask_comments(mut line: &str, in_comment: &mut bool, out: &mut String) {
    loop {
        let (mark, keep) = if *in_comment { ("-->", false) } else { ("<!--", true) };
        // `<!--` in inline code is text about comments.
        let found = line.find(mark).filter(|at| !keep || line[..*at].matches('`').count().is_multiple_of(2));
        let part = found.map_or(line, |at| &line[..at]);
        if keep {
            out.push_str(part);
        }
        match found {
            None => return,
            Some(at) => {
                line = &line[at + mark.len()..];
                *in_comment = !*in_comment;
            }
        }
    }
}

/// How many fence characters a line begins with, and what follows. Quote marks and list marks may stand in
/// front of a fence that opens; only blanks and quote marks in front of one that closes.
fn fence_run(line: &str, mark: char) -> (usize, &str) {
    let line = line.trim_start_matches(['>', ' ', '\t']);
    let rest = line.trim_start_matches(mark);
    (line.len() - rest.len(), rest)
}

fn opening_fence(line: &str) -> Option<(char, usize)> {
    let bare = line.trim_start_matches(['>', ' ', '\t']);
    let number = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let bare = bare
        .strip_prefix("- ")
        .or_else(|| bare.strip_prefix("* "))
        .or_else(|| number.strip_prefix(". ").filter(|_| number.len() < bare.len()))
        .unwrap_or(bare);
    ['`', '~'].into_iter().find_map(|mark| {
        let (length, rest) = fence_run(bare, mark);
        // A backtick after the marks makes it inline code.
        (length >= 3 && !(mark == '`' && rest.contains('`'))).then_some((mark, length))
    })
}

/// Blanks out inline code: a run of backticks up to the next run of the same length in its paragraph.
fn mask_inline_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('`') {
        let run = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        out.push_str(&rest[..at]);
        let after = &rest[at + run..];
        let escaped = is_escaped(rest, at);
        match closing_run(after, run).filter(|_| !escaped) {
            Some(end) => {
                let code = &rest[at..at + run + end + run];
                // One character stays, so that `[`code`](target)` is still a link.
                out.push('x');
                out.extend(code.chars().filter(|c| *c == '\n'));
                rest = &after[end + run..];
            }
            None => {
                out.extend(std::iter::repeat_n(' ', run));
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn closing_run(text: &str, run: usize) -> Option<usize> {
    let paragraph = text.find("\n\n").map_or(text, |at| &text[..at]);
    let mut at = 0;
    while let Some(begin) = paragraph[at..].find('`').map(|offset| at + offset) {
        let length = paragraph[begin..].len() - paragraph[begin..].trim_start_matches('`').len();
        if length == run {
            return Some(begin);
        }
        at = begin + length;
    }
    None
}

/// The text of every heading, in order, marks included.
fn headings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut above = "";
    for line in text.lines() {
        let bare = line.trim();
        let hashes = bare.len() - bare.trim_start_matches('#').len();
        let is_underline = |mark: char| !bare.is_empty() && bare.chars().all(|c| c == mark);
        if (1..=6).contains(&hashes) && bare[hashes..].starts_with([' ', '\t']) {
            let title = bare[hashes..].trim();
            let open = title.trim_end_matches('#');
            let title = if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { title };
            found.push(title.to_owned());
            above = "";
        } else if (is_underline('=') || is_underline('-')) && is_paragraph(above) {
            found.push(above.to_owned());
            above = "";
        } else {
            above = bare;
        }
    }
    found
}

/// Could this line be the text of an underlined heading?
fn is_paragraph(line: &str) -> bool {
    !line.is_empty() && !line.starts_with(['>', '|', '-', '*', '+', '#', '<'])
}

/// The anchors GitHub gives to headings; equal ones are numbered.
fn slugs(headings: &[String]) -> BTreeSet<String> {
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    for heading in headings {
        let base = slug(&plain(heading));
        let mut name = base.clone();
        while used.contains_key(&name) {
            let count = used.entry(base.clone()).or_default();
            *count += 1;
            name = format!("{base}-{count}");
        }
        used.insert(name, 0);
    }
    used.into_keys().collect()
}

/// Lower case; letters, digits, `_` and `-` stay; blanks become `-`; everything else goes.
fn slug(text: &str) -> String {
    text.trim()
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || matches!(c, '-' | '_') => Some(c),
            _ => None,
        })
        .collect()
}

/// A heading as it is read: links give their text, tags and emphasis marks go. Code stays as it is.
fn plain(heading: &str) -> String {
    let mut out = String::new();
    for (index, part) in heading.split('`').enumerate() {
        if index % 2 == 1 {
            out.push_str(part);
        } else {
            out.push_str(&drop_marks(part));
        }
    }
    // Only now, since the text of a link may be code.
    drop_targets(&out)
}

fn drop_marks(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let word = |index: Option<usize>| {
        index.and_then(|i| chars.get(i)).is_some_and(|c| c.is_alphanumeric() || *c == '_')
    };
    let mut out = String::new();
    let mut in_tag = false;
    for (index, c) in chars.iter().enumerate() {
        match c {
            '<' if chars.get(index + 1).is_some_and(|c| c.is_ascii_alphabetic() || *c == '/') => {
                in_tag = true
            }
            '>' if in_tag => in_tag = false,
            _ if in_tag => {}
            // An underscore inside a word is part of it; at its edge it is emphasis.
            '_' if !(word(index.checked_sub(1)) && word(Some(index + 1))) => {}
            c => out.push(*c),
        }
    }
    out
}

fn drop_targets(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        out.push_str(&rest[..at]);
        rest = rest[at..].split_once(')').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults of a small repository, one per line.
    fn faults(files: &[(&str, &str)]) -> Vec<String> {
        let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let pages = files
            .iter()
            .filter(|(path, _)| path.ends_with(".md"))
            .map(|(path, text)| ((*path).to_owned(), Page::parse(text)))
            .collect();
        check(&pages, &paths).iter().map(Fault::to_string).collect()
    }

    #[test]
    fn good_links_are_left_alone() {
        let page = "# Top\n\
            [a](docs/b.md) [b](docs/b.md#the-second-part) [c](#top) [d](docs) [e](docs/) ![i](src/x.rs)\n\
            [`code`](docs/b.md) [f](src/x.rs#L3-L9) [g](<docs/b.md> \"title\") [h][label] <https://example.org/>\n\
            [j](https://example.org:8080/a_(b)) [k](mailto:a@example.org) [l](docs/with%20blank.md)\n\
            [m](docs/b.md#here)\n\n\
            [Label]: docs/b.md#the-second-part\n";
        let b = "# B\n\n## The *second* part\n<a id=\"here\"></a>[up](../README.md)\n";
        let found =
            faults(&[("README.md", page), ("docs/b.md", b), ("docs/with blank.md", ""), ("src/x.rs", "")]);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn each_kind_of_broken_link_is_named_with_its_line() {
        for (link, expected) in [
            ("[a](gone.md)", "`gone.md`: there is no `gone.md` in the repository"),
            ("[a](b.md#gone)", "`b.md#gone`: `b.md` has no heading `#gone`"),
            ("[a](#gone)", "`#gone`: `README.md` has no heading `#gone`"),
            ("[a](../b.md)", "`../b.md`: it leads out of the repository"),
            ("[a](/b.md)", "`/b.md`: it begins with `/`; links are relative to their page"),
            ("[a]()", "``: it is empty"),
            ("[a](http:/example.org)", "`http:/example.org`: `//` is missing after the scheme"),
            ("[a](https://)", "`https://`: the host name is malformed"),
            ("[a](https://example.org:x/)", "`https://example.org:x/`: the port is not a number"),
            ("[a](file:///etc)", "`file:///etc`: links of the kind `file:` are not used here"),
            ("[a][nowhere]", "`nowhere`: no line defines this label"),
            ("[a]: gone.md", "`gone.md`: there is no `gone.md` in the repository"),
            ("<img src=\"gone.png\">", "`gone.png`: there is no `gone.png` in the repository"),
        ] {
            let found = faults(&[("README.md", &format!("text\n\n{link}\n")), ("b.md", "# B\n")]);
            assert_eq!(found, [format!("README.md:3: {expected}")], "{link}");
        }
    }

    #[test]
    fn code_and_comments_hold_no_links() {
        let page = "`[a](gone.md)` ``[a`](gone.md)`` \\[a](gone.md\n\
            ```md\n[a](gone.md)\n# no heading\n```\n\
            ~~~~\n~~~\n[a](gone.md)\n~~~~\n\
            - ```\n  [a](gone.md)\n  ```\n\
            <!-- [a](gone.md)\n[b](gone.md) -->\n\
            `two\nlines [a](gone.md)`\n\
            [x] [project|global] array[0] [^1]\n\n[^1]: a note\n";
        assert_eq!(faults(&[("README.md", page)]), Vec::<String>::new());
    }

    #[test]
    fn text_after_code_is_still_read() {
        let page = "```\ncode\n```\n[a](gone.md)\n`x` [b](gone.md)\n";
        let found = faults(&[("README.md", page)]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("README.md:4:") && found[1].starts_with("README.md:5:"), "{found:?}");
    }

    #[test]
    fn headings_get_the_anchors_that_github_gives_them() {
        for (heading, expected) in [
            ("Getting started", "getting-started"),
            ("What's new?", "whats-new"),
            ("`ken add` & friends", "ken-add--friends"),
            ("The **bold** and _slanted_ way", "the-bold-and-slanted-way"),
            ("snake_case stays", "snake_case-stays"),
            ("`_private_name`", "_private_name"),
            ("See [the page](a.md)", "see-the-page"),
            ("Über 3.5 – done", "über-35--done"),
            ("<b>Tagged</b>", "tagged"),
        ] {
            assert_eq!(slug(&plain(heading)), expected, "{heading}");
        }
    }

    #[test]
    fn equal_headings_are_numbered() {
        let text = "# One\n## One\nOne\n===\n## One-1\n## Closed ##\n## C#\n";
        let found: Vec<String> = slugs(&headings(text)).into_iter().collect();
        assert_eq!(found, ["c", "closed", "one", "one-1", "one-1-1", "one-2"]);
    }

    #[test]
    fn a_table_row_or_a_rule_is_no_underlined_heading() {
        let text = "| a | b |\n|---|---|\n\n---\n\n- item\n---\n";
        assert_eq!(headings(text), Vec::<String>::new());
    }
}
