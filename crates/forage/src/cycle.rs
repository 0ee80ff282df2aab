//! A cycle: a few pages, read within its bounds, and what they claim.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use crate::address::Address;
use crate::article::{Level, PageKind, chars, extract, wants_more};
use crate::claims::{Claim, claims, is_order, is_same};
use crate::domains::{Domains, owner};
use crate::feed;
use crate::fetch::{Answer, Fault, Fetcher, Format};
use crate::html::{self, Block, Kind, Page};
use crate::limits::{FEED_ITEMS_MAX, PAGES_A_CYCLE_MAX, QUALITY_MIN, TITLE_CHARS_MAX};
use crate::quality::Quality;
use crate::strategy::{Learned, first_level, next_level};
use crate::windows::{content_hash, windows};

/// A page that was read, and what it claims.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reading {
    /// Where it was found in the end.
    pub address: String,
    pub domain: String,
    pub title: String,
    /// 0 plain text, 1 the article, 2 whatever is no navigation.
    pub level: u8,
    /// `article`, `documentation`, `issue` or `changelog`.
    pub kind: &'static str,
    pub quality: Quality,
    /// How credible its site is, from 0 to 1; never by what it says of itself.
    pub credibility: f64,
    pub claims: Vec<Claim>,
    /// Elements that a reader does not see, and letters without width.
    pub hidden: usize,
    /// Sentences that give orders; they were left out.
    pub orders: usize,
    /// The SHA-256 of its text.
    pub hash: String,
    /// There was more of it than is read.
    pub is_cut: bool,
    /// What was read, as Markdown.
    #[serde(skip)]
    pub text: String,
}

/// What became of one page: a line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line {
    pub address: String,
    /// `read`, or why it was not.
    pub outcome: &'static str,
    pub detail: String,
}

/// How reading went on a domain in this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The level to prefer from now on.
    pub level: u8,
    pub successes: u32,
    pub failures: u32,
}

/// A cycle under way.
#[derive(Debug)]
pub struct Cycle {
    fetcher: Fetcher,
    domains: Domains,
    learned: BTreeMap<String, Learned>,
    pages_left: u32,
    seen: HashSet<String>,
    pub readings: Vec<Reading>,
    pub lines: Vec<Line>,
    pub tried: BTreeMap<String, Tried>,
    /// Pages that were asked for: those count, read or not.
    pub pages: u32,
}

impl Cycle {
    /// A cycle of so many pages, at most five.
    pub fn new(fetcher: Fetcher, domains: Domains, learned: BTreeMap<String, Learned>, pages: u32) -> Cycle {
        Cycle {
            fetcher,
            domains,
            learned,
            pages_left: pages.min(PAGES_A_CYCLE_MAX),
            seen: HashSet::new(),
            readings: Vec::new(),
            lines: Vec::new(),
            tried: BTreeMap::new(),
            pages: 0,
        }
    }

    /// Looks for pages, and reads them as far as they fit.
    pub fn find(&mut self, provider: &crate::Provider, query: &str) {
        match provider.search(query, &mut self.fetcher, &self.domains) {
            Ok(hits) => {
                let detail = format!("{} results for {query:?}", hits.len());
                self.lines.push(Line { address: provider.word().to_owned(), outcome: "searched", detail });
                for hit in hits {
                    self.read(&hit.address);
                }
            }
            Err(fault) => self.note(provider.word(), &fault),
        }
    }

    /// Reads one page, if the cycle has room for it.
    pub fn read(&mut self, address: &Address) {
        if self.pages_left == 0 {
            return;
        }
        (self.pages_left, self.pages) = (self.pages_left - 1, self.pages + 1);
        match self.fetcher.page(address, &self.domains) {
            Ok(answer) => self.take(answer),
            Err(fault) => self.note(&address.to_string(), &fault),
        }
    }

    /// Bytes that came over the wire.
    pub fn bytes(&self) -> u64 {
        self.fetcher.bytes()
    }

    fn note(&mut self, address: &str, fault: &Fault) {
        self.lines.push(Line {
            address: address.to_owned(),
            outcome: fault.word(),
            detail: fault.to_string(),
        });
    }

    fn take(&mut self, answer: Answer) {
        let (outcome, detail) = match self.understand(answer.clone()) {
            Ok(reading) => {
                let detail = format!("{} claims, quality {:.2}", reading.claims.len(), reading.quality.score);
                self.readings.push(reading);
                ("read", detail)
            }
            Err((outcome, detail)) => (outcome, detail),
        };
        self.lines.push(Line { address: answer.address.to_string(), outcome, detail });
    }

    /// What a page says; or why nothing of it is kept.
    fn understand(&mut self, answer: Answer) -> Result<Reading, (&'static str, String)> {
        let domain = answer.address.host_name();
        let page = match answer.format {
            Format::Html => html::read(&answer.text),
            Format::Plain => html::read_plain(&answer.text),
            Format::Xml => feed_page(&answer.text).ok_or(("type", "XML that is no feed".to_owned()))?,
            Format::Json => return Err(("type", "JSON has no sentences".to_owned())),
        };
        // A page that hides an order from people was made for programs such as this one.
        if is_order(&page.hidden) {
            return Err(("hostile", "hidden text on it gives orders".to_owned()));
        }
        let html_chars = (answer.format == Format::Html).then(|| answer.text.chars().count());
        let (level, blocks) = self.choose(&domain, &page, html_chars);
        let text = plain_text(&blocks);
        let quality = Quality::of(&text, html_chars);
        if quality.flags.contains(&"very_short") || quality.score < QUALITY_MIN {
            let flags = quality.flags.join(", ");
            return Err(("poor", format!("{} words, quality {:.2} ({flags})", quality.words, quality.score)));
        }
        let mut is_new = false;
        for window in windows(&text) {
            is_new |= self.seen.insert(content_hash(window));
        }
        if !is_new {
            return Err(("duplicate", "its text was read on another page".to_owned()));
        }
        let kind = PageKind::of(&answer.address, &blocks);
        let found = claims(&blocks, kind);
        Ok(Reading {
            address: answer.address.to_string(),
            title: page.title.chars().take(TITLE_CHARS_MAX).collect(),
            level: level.number(),
            kind: kind.word(),
            quality,
            credibility: self.domains.credibility(&domain),
            claims: found.claims,
            hidden: page.hidden_elements + page.invisible_chars,
            orders: found.orders,
            hash: content_hash(&text),
            is_cut: answer.is_cut || page.is_cut,
            text,
            domain,
        })
    }

    /// The blocks of a page, at the level that its domain is read at, or the next one if that finds too little.
    fn choose<'a>(
        &mut self,
        domain: &str,
        page: &'a Page,
        html_chars: Option<usize>,
    ) -> (Level, Vec<&'a Block>) {
        let Some(html_chars) = html_chars else { return (Level::Plain, extract(page, Level::Plain)) };
        let mut level = first_level(domain, self.learned.get(domain).copied());
        let mut blocks = extract(page, level);
        let mut failed = 0;
        if wants_more(page, &blocks, html_chars) && level < Level::Fallback {
            failed = 1;
            level = next_level(level, false);
            blocks = extract(page, level);
        }
        let worked = chars(&blocks) >= crate::limits::TEXT_CHARS_MIN;
        let tried =
            self.tried.entry(domain.to_owned()).or_insert(Tried { level: 0, successes: 0, failures: 0 });
        tried.level = next_level(level, worked).number();
        tried.successes += u32::from(worked);
        tried.failures += failed + u32::from(!worked);
        (level, blocks)
    }
}

/// Says of each claim which pages of other owners make it, too, and keeps it once.
pub fn join_same(readings: &mut [Reading]) {
    for at in 1..readings.len() {
        let (before, rest) = readings.split_at_mut(at);
        let here = &mut rest[0];
        here.claims.retain(|claim| {
            let said_before = before.iter_mut().find_map(|page| {
                let address_owner = owner(&page.domain);
                let same = page.claims.iter_mut().find(|other| is_same(&other.text, &claim.text))?;
                Some((same, address_owner))
            });
            let Some((same, other_owner)) = said_before else { return true };
            if other_owner != owner(&here.domain) && !same.also.contains(&here.address) {
                same.also.push(here.address.clone());
            }
            false
        });
    }
}

/// The items of a feed, as if each were a section of one page.
fn feed_page(xml: &str) -> Option<Page> {
    let links = feed::read(xml)?;
    let mut page = Page::default();
    for link in links.into_iter().filter(|link| !link.summary.is_empty()).take(FEED_ITEMS_MAX) {
        let item = html::read(&link.summary);
        let heading =
            Block { kind: Kind::Heading, region: html::Region::Main, text: link.title, link_chars: 0 };
        page.blocks.push(heading);
        page.text_chars += item.text_chars;
        page.hidden.push_str(&item.hidden);
        page.hidden_elements += item.hidden_elements;
        page.invisible_chars += item.invisible_chars;
        page.blocks.extend(item.blocks);
    }
    Some(page)
}

/// Blocks as Markdown: what quality is judged of, and copies are known by.
pub fn plain_text(blocks: &[&Block]) -> String {
    let block = |block: &&Block| match block.kind {
        Kind::Heading => format!("## {}", block.text),
        Kind::Paragraph => block.text.clone(),
        Kind::Item => format!("- {}", block.text),
        Kind::Quote => format!("> {}", block.text),
        Kind::Row => format!("| {} |", block.text),
        Kind::Code => format!("```\n{}\n```", block.text),
    };
    blocks.iter().map(block).collect::<Vec<_>>().join("\n\n")
}
