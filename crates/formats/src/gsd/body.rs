//! The Markdown below the block: its title, its sections, and the paragraph that makes the claim.

use std::ops::Range;

use super::Kind;
use crate::{front, prose};

/// A body, with the places that matter in it.
pub(super) struct Body<'a> {
    pub text: &'a str,
    headings: Vec<Heading<'a>>,
}

struct Heading<'a> {
    level: usize,
    title: &'a str,
    line: Range<usize>,
}

impl<'a> Body<'a> {
    pub fn parse(text: &'a str) -> Body<'a> {
        let mut headings = Vec::new();
        let mut fence: Option<&str> = None;
        let mut at = 0;
        for whole in text.split_inclusive('\n') {
            let line = at..at + whole.len();
            at = line.end;
            let trimmed = whole.trim();
            let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark => fence = None,
                (Some(_), _) => {}
                (None, None) => {
                    let level = whole.bytes().take_while(|byte| *byte == b'#').count();
                    let rest = &whole[level..];
                    if (1..=6).contains(&level) && rest.starts_with([' ', '\t']) {
                        headings.push(Heading { level, title: rest.trim(), line });
                    }
                }
            }
        }
        Body { text, headings }
    }

    /// The title at its top, and its line.
    pub fn title(&self) -> Option<(&'a str, Range<usize>)> {
        let first =
            self.headings.first().filter(|heading| heading.level == 1 && !heading.title.is_empty())?;
        Some((first.title, first.line.clone()))
    }

    /// The text of a section up to the next heading of its level.
    pub fn section(&self, is_it: impl Fn(&str) -> bool) -> Option<Range<usize>> {
        let at = self
            .headings
            .iter()
            .position(|heading| heading.level > 1 && is_it(&heading.title.to_lowercase()))?;
        let level = self.headings[at].level;
        let next = self.headings[at + 1..].iter().find(|heading| heading.level <= level);
        Some(self.headings[at].line.end..next.map_or(self.text.len(), |heading| heading.line.start))
    }

    /// Where the claim of an entry of this kind is made.
    pub fn lead(&self, kind: Kind) -> Range<usize> {
        let words: &[&str] = match kind {
            Kind::Signal => &[
                "what happened",
                "signal",
                "observation",
                "the pattern",
                "pattern",
                "description",
                "summary",
                "problem",
            ],
            Kind::Spike => &["hypothesis", "question"],
            Kind::Lesson => &["lesson"],
            Kind::Reflection => &["summary", "executive summary", "overview", "key findings"],
        };
        let named = |word: &&&str| {
            self.section(|title| title == **word).filter(|range| makes_claim(&self.text[range.clone()]))
        };
        let found = words
            .iter()
            .filter(|word| named(word).is_some())
            .find_map(|word| self.section(|title| title == *word));
        found.unwrap_or_else(|| self.title().map_or(0, |(_, line)| line.end)..self.text.len())
    }
}

fn makes_claim(text: &str) -> bool {
    text.lines().any(|line| is_prose(line.trim()))
}

fn is_prose(line: &str) -> bool {
    !line.is_empty() && !["#", "---", "<!--", "```", "~~~"].iter().any(|mark| line.starts_with(mark))
}

/// A body in which the claim of a region says something else. What came after it in its paragraph becomes a paragraph of its own.
pub(super) fn with_claim(text: &str, region: Range<usize>, claim: &str) -> String {
    let end = front::line_end(text);
    let claim = claim.replace('\n', end);
    let Some(span) = span(&text[region.clone()]) else {
        let before = &text[..region.start];
        let gap = if before.is_empty() || before.ends_with('\n') { "" } else { end };
        let after = &text[region.start..];
        return format!(
            "{before}{gap}{end}{claim}{end}{}{after}",
            if after.trim().is_empty() { "" } else { end }
        );
    };
    let (from, to) = (region.start + span.start, region.start + span.end);
    let rest = &text[to..];
    let more = rest.split('\n').next().unwrap_or_default().trim();
    let is_over = more.is_empty()
        && rest.split('\n').nth(1).is_none_or(|line| line.trim().is_empty() || line.starts_with('#'));
    if is_over {
        format!("{}{claim}{rest}", &text[..from])
    } else {
        format!("{}{claim}{end}{end}{}", &text[..from], rest.trim_start())
    }
}

/// The bytes of a text that its claim was made of.
fn span(text: &str) -> Option<Range<usize>> {
    let (claim, _) = prose::claim(text);
    let mut wanted = claim.chars().filter(|c| !c.is_whitespace()).peekable();
    wanted.peek()?;
    let mut is_fenced = false;
    let mut from = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_fenced = !is_fenced;
            continue;
        }
        if from.is_none() && (is_fenced || !is_prose(trimmed)) {
            continue;
        }
        let inner = line.trim_start().trim_start_matches(['-', '*', '>']);
        let inner_at = start + line.len() - inner.len();
        for (offset, c) in inner.char_indices().filter(|(_, c)| !c.is_whitespace()) {
            if wanted.next() != Some(c) {
                return None;
            }
            from.get_or_insert(inner_at + offset);
            if wanted.peek().is_none() {
                return from.map(|from| from..inner_at + offset + c.len_utf8());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_changed_in_its_place() {
        let table = [
            ("\n## Lesson\n\nOld one.\n\n## More\n", "\n## Lesson\n\nNew.\n\n## More\n"),
            ("## Lesson\nA. B. C. D.\nE.\n", "## Lesson\nNew.\n\nD.\nE.\n"),
            ("## Lesson\n- A\n- B\n", "## Lesson\n- New.\n"),
            ("\r\n## Lesson\r\n\r\nOld\r\ntwo.\r\n", "\r\n## Lesson\r\n\r\nNew.\r\n"),
        ];
        for (text, expected) in table {
            assert_eq!(with_claim(text, Body::parse(text).lead(Kind::Lesson), "New."), expected);
        }
    }

    #[test]
    fn sections_end_where_the_next_begins() {
        let body = Body::parse("# T\n\n## Decision\n\nA\n\n### Why\n\nB\n\n```\n## no\n```\n## Next\n");
        let range = body.section(|title| title == "decision").unwrap();
        assert_eq!(&body.text[range], "\nA\n\n### Why\n\nB\n\n```\n## no\n```\n");
        assert_eq!(body.title().map(|(title, _)| title), Some("T"));
    }
}
