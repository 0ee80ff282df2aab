//! Which blocks of a page are its text, what kind of page it is, and how hard to look (seed 8.2).

use crate::address::Address;
use crate::html::{Block, Kind, Page, Region};
use crate::limits::{LONG_BLOCK_CHARS, NEAR_BLOCKS, SCRIPT_MARKERS_MIN, TEXT_CHARS_MIN, TEXT_SHARE_MIN};

/// How a page is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it is: it has no markup.
    Plain = 0,
    /// The article alone.
    Article = 1,
    /// The article, or else whatever is no navigation.
    Fallback = 2,
}

impl Level {
    pub fn from_number(number: u8) -> Level {
        match number {
            0 => Level::Plain,
            1 => Level::Article,
            _ => Level::Fallback,
        }
    }

    pub fn number(self) -> u8 {
        self as u8
    }
}

/// What kind of page it is: each has rules of its own for what a claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    Article,
    /// A reference or guide: sentences are rather statements than stories.
    Documentation,
    /// A report with answers: quotes are of somebody else.
    Issue,
    /// Points under headings that are versions.
    Changelog,
}

impl PageKind {
    pub fn word(self) -> &'static str {
        match self {
            PageKind::Article => "article",
            PageKind::Documentation => "documentation",
            PageKind::Issue => "issue",
            PageKind::Changelog => "changelog",
        }
    }

    /// Told from the address, and from headings that are versions.
    pub fn of(address: &Address, blocks: &[&Block]) -> PageKind {
        let path = address.path().to_lowercase();
        let host = address.host_name();
        let has = |words: &[&str]| {
            path.split(['/', '.', '-', '_']).any(|part| words.contains(&part.trim_end_matches(".html")))
        };
        let headings = blocks.iter().filter(|block| block.kind == Kind::Heading);
        let versions = headings.filter(|block| heading_version(&block.text).is_some()).count();
        if has(&["changelog", "changes", "releases", "news", "history"]) && versions > 0 || versions >= 3 {
            PageKind::Changelog
        } else if has(&["issues", "issue", "pull", "discussions", "questions", "bug"]) {
            PageKind::Issue
        } else if has(&["docs", "doc", "documentation", "reference", "manual", "guide", "api", "book"])
            || host.starts_with("docs.")
            || host.starts_with("doc.")
        {
            PageKind::Documentation
        } else {
            PageKind::Article
        }
    }
}

/// The version that a heading names: `2.3.0`, `[2.3.0] - 2026-01-02`, `Version 2.3`, `v2.3.0 (January)`, `tokio 1.38.0`.
pub fn heading_version(heading: &str) -> Option<&str> {
    let words =
        heading.split(|c: char| c.is_whitespace() || "[]()".contains(c)).filter(|word| !word.is_empty());
    words.take(3).find_map(|word| {
        let digits = word.strip_prefix(['v', 'V']).unwrap_or(word).trim_end_matches([',', ':']);
        let mut parts = digits.split('.');
        let is_number =
            |part: &str| !part.is_empty() && part.len() < 5 && part.bytes().all(|b| b.is_ascii_digit());
        let is_version = digits.contains('.')
            && parts.next().is_some_and(is_number)
            && parts.next().is_some_and(is_number)
            && !digits.ends_with('.');
        is_version.then_some(digits)
    })
}

/// The blocks of a page that are its text.
pub fn extract(page: &Page, level: Level) -> Vec<&Block> {
    let all = || page.blocks.iter();
    match level {
        Level::Plain => all().collect(),
        Level::Article => {
            let main: Vec<&Block> = all().filter(|block| block.region == Region::Main).collect();
            let open: Vec<&Block> = all().filter(|block| block.region != Region::Around).collect();
            let main = article(&main);
            if chars(&main) >= TEXT_CHARS_MIN { main } else { article(&open) }
        }
        Level::Fallback => {
            let is_text = |block: &&Block| link_share(block) < 0.5;
            let open: Vec<&Block> =
                all().filter(|block| block.region != Region::Around).filter(is_text).collect();
            if chars(&open) >= TEXT_CHARS_MIN { open } else { all().filter(is_text).collect() }
        }
    }
}

/// Whether the next level should be tried: little text, little of it in much markup, or a page that wants JavaScript.
pub fn wants_more(page: &Page, blocks: &[&Block], html_chars: usize) -> bool {
    let text = chars(blocks);
    text < TEXT_CHARS_MIN
        || (text as f64) < TEXT_SHARE_MIN * html_chars as f64 && text < page.text_chars / 2
        || page.script_markers >= SCRIPT_MARKERS_MIN
}

/// How many letters some blocks have.
pub fn chars(blocks: &[&Block]) -> usize {
    blocks.iter().map(|block| block.text.chars().count()).sum()
}

fn link_share(block: &Block) -> f64 {
    let letters = block.text.chars().filter(|c| !c.is_whitespace()).count();
    block.link_chars as f64 / letters.max(1) as f64
}

/// Blocks that read like an article, with the short ones between and beside them: headings, points, code, rows.
fn article<'a>(blocks: &[&'a Block]) -> Vec<&'a Block> {
    let is_text = |block: &Block| {
        let chars = block.text.chars().count();
        let is_sentence = block.text.ends_with(['.', ':', '!', '?', '`']) && chars >= LONG_BLOCK_CHARS / 3;
        link_share(block) < 0.33 && block.kind != Kind::Heading && (chars >= LONG_BLOCK_CHARS || is_sentence)
    };
    let long: Vec<bool> = blocks.iter().map(|block| is_text(block)).collect();
    let is_near = |at: usize| {
        long[at.saturating_sub(NEAR_BLOCKS)..(at + NEAR_BLOCKS + 1).min(long.len())].contains(&true)
    };
    let kept = blocks
        .iter()
        .enumerate()
        .filter(|(at, block)| long[*at] || (link_share(block) < 0.5 && is_near(*at)));
    kept.map(|(_, block)| *block).collect()
}
