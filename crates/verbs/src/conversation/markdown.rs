//! The lines of a Markdown text that its author says, told from those that are only shown: code, quotations, tables, comments.

use crate::limits::session_markdown::NUMBER_DIGITS_MAX;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Blank,
    /// `## text`, with its level.
    Heading(usize),
    /// `- text`, `1. text`.
    Item,
    /// `- [ ] text`: something that is still to be done.
    OpenItem,
    /// Text of a paragraph.
    Text,
    /// Shown, and not said.
    Shown,
}

/// A line, without what makes it a heading or a list item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) kind: Kind,
    /// Blanks in front of it.
    pub(crate) indent: usize,
    pub(crate) text: &'a str,
}

/// So many blanks in front of a line make it code, outside of lists.
const CODE_BLANKS: usize = 4;
const TAB_BLANKS: usize = 4;
const HEADING_LEVEL_MAX: usize = 6;
const FENCE_MIN: usize = 3;

/// Tells what each line of a text is.
pub(crate) fn lines(text: &str) -> Vec<Line<'_>> {
    let rows = table_rows(text);
    let mut found = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut hidden: Option<&'static str> = None;
    let mut in_list = false;
    for (line, in_table) in text.lines().zip(rows) {
        let bare = line.trim_start_matches([' ', '\t']);
        let indent = blanks(&line[..line.len() - bare.len()]);
        let bare = bare.trim_end();
        let is_hidden = hidden.is_some();
        if fence.is_none() {
            hidden = hidden_after(line, hidden);
        }
        let is_code = indent >= CODE_BLANKS && !in_list;
        let fences = fence_of(bare).filter(|_| !is_code && !is_hidden);
        let kind = match (fence, fences) {
            _ if is_hidden => Kind::Shown,
            (Some((open, count)), Some((mark, ticks, rest)))
                if mark == open && ticks >= count && rest.is_empty() =>
            {
                fence = None;
                Kind::Shown
            }
            (Some(_), _) => Kind::Shown,
            (None, Some((mark, ticks, _))) => {
                fence = Some((mark, ticks));
                in_list &= indent > 0;
                Kind::Shown
            }
            (None, None) if bare.is_empty() => Kind::Blank,
            (None, None) if is_rule(bare) => Kind::Blank,
            (None, None) if is_code || in_table || bare.starts_with(['|', '>']) => Kind::Shown,
            (None, None) => Kind::Text,
        };
        if kind != Kind::Text {
            in_list &= kind == Kind::Blank || indent > 0 || fence.is_some();
            found.push(Line { kind, indent, text: bare });
            continue;
        }
        let line = said(bare, indent);
        in_list = match line.kind {
            Kind::Item | Kind::OpenItem => true,
            Kind::Heading(_) => false,
            Kind::Text | Kind::Shown | Kind::Blank => {
                let after_blank = found.last().is_none_or(|line: &Line<'_>| line.kind == Kind::Blank);
                in_list && (indent > 0 || !after_blank)
            }
        };
        found.push(line);
    }
    found
}

/// A line outside of code: a heading, a list item, or text.
fn said(bare: &str, indent: usize) -> Line<'_> {
    let level = bare.chars().take_while(|c| *c == '#').count();
    if (1..=HEADING_LEVEL_MAX).contains(&level)
        && let Some(text) = bare[level..].strip_prefix(' ')
    {
        return Line {
            kind: Kind::Heading(level),
            indent,
            text: text.trim().trim_end_matches('#').trim_end(),
        };
    }
    let Some(text) = item(bare) else { return Line { kind: Kind::Text, indent, text: bare } };
    let boxed = ["[x] ", "[X] "].iter().find_map(|sign| text.strip_prefix(sign));
    if text.starts_with("[ ] ") {
        return Line { kind: Kind::OpenItem, indent, text };
    }
    let text = boxed.unwrap_or(text).trim();
    let kind = if text.starts_with('>') { Kind::Shown } else { Kind::Item };
    Line { kind, indent, text }
}

/// What follows the sign of a list item.
fn item(bare: &str) -> Option<&str> {
    let digits = bare.chars().take_while(char::is_ascii_digit).count();
    let rest = match digits {
        0 => bare.strip_prefix(['-', '*', '+', '•'])?,
        1..=NUMBER_DIGITS_MAX => bare[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let text = rest.trim_start();
    (text.len() < rest.len() && !text.is_empty()).then_some(text)
}

fn blanks(front: &str) -> usize {
    front.chars().map(|c| if c == '\t' { TAB_BLANKS } else { 1 }).sum()
}

/// The sign, length and rest of a line that opens or closes a block of code.
fn fence_of(bare: &str) -> Option<(char, usize, &str)> {
    let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let ticks = bare.chars().take_while(|c| *c == mark).count();
    (ticks >= FENCE_MIN).then(|| (mark, ticks, bare[ticks..].trim()))
}

/// `---`, `***`: a line across the page.
fn is_rule(bare: &str) -> bool {
    let signs = bare.chars().filter(|c| !c.is_whitespace()).collect::<Vec<_>>();
    signs.len() >= 3 && matches!(signs[0], '-' | '*' | '_' | '=') && signs.iter().all(|c| *c == signs[0])
}

/// Which lines are rows of a table: those around a line such as `|---|---|`. A row need not begin with `|`.
fn table_rows(text: &str) -> Vec<bool> {
    let lines: Vec<&str> = text.lines().collect();
    let mut rows = vec![false; lines.len()];
    for at in 0..lines.len() {
        let rule = lines[at].trim();
        let divides = rule.contains('|') && rule.contains('-') && rule.chars().all(|c| "|-: ".contains(c));
        // A row below another divider was looked at with that one.
        if !divides || rows[at] {
            continue;
        }
        rows[at] = true;
        if let Some(head) = at.checked_sub(1).filter(|head| lines[*head].contains('|')) {
            rows[head] = true;
        }
        let body = lines[at + 1..].iter().take_while(|line| line.contains('|')).count();
        rows[at + 1..=at + body].fill(true);
    }
    rows
}

/// What HTML holds back: code as it is, quotations, and what its author wants nobody to see.
const HIDDEN: &[(&str, &str)] = &[("<pre", "</pre>"), ("<!--", "-->"), ("<blockquote", "</blockquote>")];

/// The word that ends what is hidden after a line; none where nothing is.
fn hidden_after(line: &str, before: Option<&'static str>) -> Option<&'static str> {
    let line = line.to_ascii_lowercase();
    let (mut at, mut hidden) = (0, before);
    loop {
        let rest = &line[at..];
        match hidden {
            Some(end) => match rest.find(end) {
                Some(found) => {
                    at += found + end.len();
                    hidden = None;
                }
                None => return hidden,
            },
            None => {
                let next =
                    HIDDEN.iter().filter_map(|(open, end)| Some((rest.find(open)?, *open, *end))).min();
                let (found, open, end) = next?;
                // Between backticks it is merely spoken of.
                let spoken_of = line[..at + found].matches('`').count() % 2 == 1;
                at += found + open.len();
                hidden = (!spoken_of).then_some(end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_told_for_what_it_is() {
        let text = "# T\n\ntext\n- a\n  - b\n    c\n1. d\n- [x] e\n- [ ] f\n- > g\n> h\n```\ni\n```\n\nx\n\n    j\n\n| k |\n|---|\n| l |\n\nm | n\n--|--\no | p\n\n---\nq";
        let found: String = lines(text)
            .iter()
            .map(|line| match line.kind {
                Kind::Blank => '.',
                Kind::Heading(_) => '#',
                Kind::Item => '-',
                Kind::OpenItem => 'o',
                Kind::Text => 't',
                Kind::Shown => 's',
            })
            .collect();
        assert_eq!(found, "#.t--t--ossss s.t.s.sss.sss..t".replace(' ', ""));
    }

    #[test]
    fn a_fence_inside_a_list_is_a_fence() {
        let text = "- a\n    ```\n    Lesson: x\n    ```\n- b\n~~~~\n~~~\nstill\n~~~~\nafter";
        let said: Vec<&str> =
            lines(text).into_iter().filter(|line| line.kind != Kind::Shown).map(|line| line.text).collect();
        assert_eq!(said, ["a", "b", "after"]);
    }

    #[test]
    fn what_html_hides_is_shown_and_not_said() {
        let text = "<pre>\na\n</pre>\nb\n<!-- one line -->\nc\ntext <!--\nd\n--> \ne\nwrite `<pre>` then\nf\n\
            <PRE class=x>\ng\n</PRE> <!-- a --> <pre>\nh\n";
        let said: Vec<&str> = lines(text)
            .into_iter()
            .filter(|line| line.kind == Kind::Text && line.text.len() == 1)
            .map(|line| line.text)
            .collect();
        assert_eq!(said, ["b", "c", "e", "f"]);
    }
}
