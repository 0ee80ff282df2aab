//! What is looked for in texts: lines that are marked as knowledge (COR-15), and entries that are named.

use ken_core::event::{Line as LedgerLine, read_line};
use ken_core::{Body, EntryEvent, EntryKey};
use ken_language::{WordList, flat, split};

use super::markdown::{Kind, Line, lines};
use super::report;

use crate::limits::session_words::{
    CLAIM_IDEOGRAPHS_MIN, CLAIM_WORDS_MIN, FULL_LINE_CHARS, PLACEHOLDER_WORDS_MAX,
};

/// A statement that its author wants to be kept.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Marked {
    /// The type it is stated as.
    pub(crate) kind: &'static str,
    /// The finer kind.
    pub(crate) subtype: Option<&'static str>,
    pub(crate) tag: Option<&'static str>,
    /// What it says.
    pub(crate) statement: String,
}

/// What such a line begins with, and what becomes of it.
struct Mark {
    label: &'static str,
    kind: &'static str,
    subtype: Option<&'static str>,
    tag: Option<&'static str>,
}

/// A root cause is a bug that somebody lived through. A dead end is an experience too, a `learning`: it is one attempt that failed, and
/// `anti_pattern`, which is a skill, would call it a habit. Tags keep both apart from other experiences of their subtype.
const MARKS: &[Mark] = &[
    Mark { label: "lesson", kind: "lesson", subtype: None, tag: None },
    Mark { label: "decision", kind: "experience", subtype: Some("decision"), tag: None },
    Mark { label: "root cause", kind: "experience", subtype: Some("bug"), tag: Some("root_cause") },
    Mark { label: "gotcha", kind: "lesson", subtype: None, tag: Some("gotcha") },
    Mark { label: "dead end", kind: "experience", subtype: Some("learning"), tag: Some("dead_end") },
];
/// The mark without a word of its own.
const KEN: &str = "[ken]";
/// Where the rest of a longer label is left out: `Lesson learned:`.
const LABEL_ENDS: &[&str] = &[" learned"];
/// Labels that nobody agreed on, and that say the same: read in whole transcripts, where a person looks at what comes of them.
const LOOSE_MARKS: &[Mark] = &[
    Mark { label: "til", kind: "lesson", subtype: None, tag: None },
    Mark { label: "takeaway", kind: "lesson", subtype: None, tag: None },
    Mark { label: "key takeaway", kind: "lesson", subtype: None, tag: None },
    Mark { label: "keep in mind", kind: "lesson", subtype: None, tag: None },
    Mark { label: "note for next time", kind: "lesson", subtype: None, tag: None },
    Mark { label: "note for later", kind: "lesson", subtype: None, tag: None },
    Mark { label: "for next time", kind: "lesson", subtype: None, tag: None },
    Mark { label: "note to self", kind: "lesson", subtype: None, tag: None },
    Mark { label: "worth remembering", kind: "lesson", subtype: None, tag: None },
    Mark { label: "pitfall", kind: "lesson", subtype: None, tag: Some("gotcha") },
];
/// The same for the rest of a label: `Gotcha to remember:`.
const LOOSE_ENDS: &[&str] =
    &[" to remember", " to keep", " for next time", " for later", " for the future", " for others"];

/// How strictly labels are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Labels {
    /// Those that agents are told of.
    Agreed,
    /// Also those that mean the same.
    Loose,
}

impl Labels {
    fn marks(self) -> impl Iterator<Item = &'static Mark> {
        let more: &[Mark] = if self == Labels::Loose { LOOSE_MARKS } else { &[] };
        MARKS.iter().chain(more)
    }

    fn ends(self) -> impl Iterator<Item = &'static &'static str> {
        let more: &[&str] = if self == Labels::Loose { LOOSE_ENDS } else { &[] };
        LABEL_ENDS.iter().chain(more)
    }
}

/// Statements that are marked as knowledge, each once, in their order.
///
/// A mark counts at the beginning of a line, of a list item or of a heading, plain or emphasised. Plain marks are capitalised: in small
/// letters they are fields of some form (`decision: pending`) more often than not.
pub(crate) fn marked(text: &str) -> Vec<Marked> {
    marked_by(text, Labels::Agreed)
}

/// The same with other labels.
pub(crate) fn marked_by(text: &str, labels: Labels) -> Vec<Marked> {
    let lines = lines(text);
    let mut found: Vec<Marked> = Vec::new();
    let mut shown_section: Option<usize> = None;
    let mut introduced = Introduced::No;
    for (at, line) in lines.iter().enumerate() {
        introduced = introduced.before(line);
        if let Kind::Heading(level) = line.kind {
            if shown_section.is_some_and(|above| level <= above) {
                shown_section = None;
            }
            if shown_section.is_none() && is_shown_section(line.text) {
                shown_section = Some(level);
            }
        }
        let says = matches!(line.kind, Kind::Heading(_) | Kind::Item | Kind::Text);
        let Some(labelled) = labelled(line, labels).filter(|_| says) else {
            if says && introduces(line.text) {
                introduced = Introduced::Next;
            }
            continue;
        };
        if shown_section.is_some() || introduced == Introduced::Here {
            continue;
        }
        let open = if labelled.is_open { labelled.emphasis } else { "" };
        let statement = clean(&whole(&labelled, line, &lines[at + 1..], labels), open);
        if !says_something(&statement) {
            continue;
        }
        let statement = match labelled.place {
            Some(place) => format!("{place}: {statement}"),
            None => statement,
        };
        if !found.iter().any(|known| known.statement == statement) {
            let Mark { kind, subtype, tag, .. } = labelled.mark;
            found.push(Marked { kind, subtype: *subtype, tag: *tag, statement });
        }
    }
    found
}

/// Whether a line stands in a block that another one introduced as an example, or as somebody's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Introduced {
    No,
    /// The next block is.
    Next,
    /// This block is.
    Here,
}

impl Introduced {
    fn before(self, line: &Line<'_>) -> Introduced {
        match (self, line.kind) {
            (Introduced::Next, Kind::Blank) => Introduced::Next,
            (_, Kind::Heading(_)) | (Introduced::Here, Kind::Blank) => Introduced::No,
            (Introduced::Next, _) => Introduced::Here,
            (other, _) => other,
        }
    }
}

/// Words in a line that ends with a colon and says that what follows is not the author's own statement.
static INTRODUCING: WordList = WordList::new(include_str!("../../words/session/introducing.txt"));

fn introduces(text: &str) -> bool {
    let bare = text.trim_end_matches(['*', '_', ' ']);
    let from =
        ["From ", "Aus ", "De "].iter().any(|word| bare.trim_start_matches(['*', '_']).starts_with(word));
    bare.ends_with([':', '：']) && (from || has_phrase(bare, &INTRODUCING))
}

/// Headings of sections that show lines, list what is still to be done, or tell of changes.
static SHOWN_SECTIONS: WordList = WordList::new(include_str!("../../words/session/shown_sections.txt"));

fn is_shown_section(heading: &str) -> bool {
    let bare: String =
        heading.chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect::<String>().to_lowercase();
    SHOWN_SECTIONS.contains(bare.trim())
}

/// Whether some phrase stands in a text, as whole words.
fn has_phrase(text: &str, phrases: &[&str]) -> bool {
    let lower = text.to_lowercase();
    let words = split::words(&lower, &['.']).map(|word| word.trim_end_matches('.'));
    let spaced = split::spaced(words);
    phrases.iter().any(|phrase| split::has_phrase(&spaced, phrase))
}

/// A line that begins with a mark.
struct Labelled<'a> {
    mark: &'static Mark,
    /// The signs of emphasis in front of it.
    emphasis: &'a str,
    /// Whether the emphasis goes on after the mark: `**Lesson: retry**`.
    is_open: bool,
    /// Where it was learned: `Lesson (src/net.py):`.
    place: Option<&'a str>,
    /// What follows the mark in its line.
    rest: &'a str,
}

fn labelled<'a>(line: &Line<'a>, labels: Labels) -> Option<Labelled<'a>> {
    let text = without_signs(line.text);
    let bare = text.trim_start_matches(['*', '_']);
    let emphasis = &text[..text.len() - bare.len()];
    let bare = without_number(without_signs(bare));
    if let Some(rest) = bare.strip_prefix(KEN) {
        return Some(Labelled {
            mark: &MARKS[0],
            emphasis,
            is_open: !emphasis.is_empty() && !rest.starts_with(['*', '_']),
            place: None,
            rest: rest.trim_start_matches(['*', '_', ':', ' ']),
        });
    }
    let is_heading = matches!(line.kind, Kind::Heading(_));
    let mark = labels.marks().find(|mark| {
        bare.get(..mark.label.len()).is_some_and(|word| {
            word.replace('-', " ").eq_ignore_ascii_case(mark.label)
                && (is_heading || !emphasis.is_empty() || word.starts_with(char::is_uppercase))
        })
    })?;
    let mut after = &bare[mark.label.len()..];
    for end in labels.ends() {
        if after.get(..end.len()).is_some_and(|word| word.eq_ignore_ascii_case(end)) {
            after = &after[end.len()..];
        }
    }
    // `**Lesson 1:**`. Without emphasis it is a chapter more often than not.
    let unnumbered = if emphasis.is_empty() || is_heading { after } else { without_ordinal(after) };
    let is_numbered = unnumbered.len() < after.len();
    // `Lesson:`, `**Lesson:**`, `**Lesson**:`, and where it is emphasised `**Lesson** - `; each with a path in parentheses.
    let closing: String = emphasis.chars().rev().collect();
    let close = |text: &'a str| text.strip_prefix(closing.as_str()).filter(|_| !emphasis.is_empty());
    let (inner_place, after) = place(unnumbered);
    let (outer_place, closed) = close(after).map(place).unzip();
    let place = inner_place.or(outer_place.flatten());
    let colon = |text: &'a str| text.trim_start().strip_prefix([':', '：']);
    let labelled = |rest: &'a str, is_closed: bool| {
        let is_open = !emphasis.is_empty() && !is_closed;
        Labelled { mark, emphasis, is_open, place, rest: rest.trim() }
    };
    if let Some(rest) = colon(after) {
        let inside = close(rest);
        return Some(labelled(inside.unwrap_or(rest), inside.is_some()));
    }
    if let Some(rest) = closed.and_then(colon) {
        return Some(labelled(rest, true));
    }
    if emphasis.is_empty() && !is_heading {
        return None;
    }
    let end = closed.unwrap_or(after);
    let dash = [" - ", " – ", " — ", "—"].iter().find_map(|dash| end.strip_prefix(dash));
    let rest = if end.trim().is_empty() && !is_numbered { Some("") } else { dash };
    rest.map(|rest| labelled(rest, closed.is_some()))
}

/// Leaves out the number behind a label: `Lesson 1`, `Lesson #1`.
fn without_ordinal(after: &str) -> &str {
    let Some(number) = after.strip_prefix(' ') else { return after };
    let number = number.strip_prefix('#').unwrap_or(number);
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() < number.len() { rest } else { after }
}

/// The path in parentheses behind a label, and what follows it.
fn place(after: &str) -> (Option<&str>, &str) {
    let inner = after.trim_start().strip_prefix('(').and_then(|rest| rest.split_once(')'));
    match inner {
        Some((place, rest)) if paths(place).next().is_some() => (Some(place.trim()), rest),
        Some(_) | None => (None, after),
    }
}

/// Leaves out the number in front of a label: `**1. Root cause:**`.
fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = rest.len() < text.len();
    rest.strip_prefix(['.', ')']).filter(|_| is_number).map_or(text, str::trim_start)
}

/// Leaves out pictures in front of a label. A quotation mark is none: what follows it is quoted.
fn without_signs(text: &str) -> &str {
    let is_sign = |c: char| !c.is_ascii() && !c.is_alphanumeric() && !"“”„«»‹›‘’‚「」『』".contains(c);
    let bare = text.trim_start_matches(is_sign);
    if bare.len() == text.len() { text } else { bare.trim_start() }
}

/// The statement of a mark: what follows it in its line, and how it goes on.
fn whole(labelled: &Labelled<'_>, line: &Line<'_>, below: &[Line<'_>], labels: Labels) -> String {
    let is_heading = matches!(line.kind, Kind::Heading(_));
    let mut parts = vec![labelled.rest];
    let ends = |next: &Line<'_>| {
        let is_html = next.text.starts_with('<');
        next.kind != Kind::Text
            || is_html
            || self::labelled(next, labels).is_some()
            || report::is_report(next.text)
    };
    if labelled.rest.is_empty() {
        // A label alone is a heading, and the paragraph below it is what it says; a plain one needs it right below.
        let blanks = below.iter().take_while(|next| next.kind == Kind::Blank).count();
        let may_skip = is_heading || labelled.emphasis.len() > 1 && line.kind == Kind::Text;
        let below = if may_skip { &below[blanks..] } else { below };
        let deeper = |next: &Line<'_>| line.kind != Kind::Item || next.indent > line.indent;
        parts.extend(below.iter().take_while(|next| !ends(next) && deeper(next)).map(|next| next.text));
    } else if !is_heading {
        for next in below {
            let last = parts.last().copied().unwrap_or_default();
            let inside = line.kind == Kind::Item && next.indent > line.indent;
            if ends(next) || !(inside || goes_on(last, next.text)) {
                break;
            }
            parts.push(next.text);
        }
    }
    parts.join(" ")
}

/// Whether a sentence that a line does not end goes on in the next one.
fn goes_on(line: &str, next: &str) -> bool {
    let end = line.trim_end_matches(['*', '_', '"', '\'', ')', '”', ' ']);
    let is_over = end.ends_with(['.', '!', '?', '。', '！', '？', ':', '…']) || line.ends_with('\\');
    let begins_anew = next.chars().next().is_some_and(char::is_uppercase);
    !is_over && (!begins_anew || line.chars().count() >= FULL_LINE_CHARS)
}

/// A statement without what Markdown adds to it. `open` is the emphasis that began in front of its mark and ends in it.
fn clean(statement: &str, open: &str) -> String {
    let mut parts = statement.split("<!--");
    let mut text = parts.next().unwrap_or_default().to_owned();
    // What follows the end of a comment is said again.
    parts.for_each(|part| text.push_str(part.split_once("-->").map_or("", |(_, rest)| rest)));
    let text = flat(&text);
    let text = text.trim_end_matches(['\\', '|', ' ']);
    without_bold(&without_close(text, open)).trim().to_owned()
}

/// Takes away the end of an emphasis that began in front of a text: `keep retries:** We do`.
fn without_close(text: &str, open: &str) -> String {
    let close: String = open.chars().rev().collect();
    let (mut ticks, mut seen) = (0, 0);
    for (at, _) in text.match_indices(close.as_str()).filter(|_| !close.is_empty()) {
        let (front, back) = (&text[..at], &text[at + close.len()..]);
        ticks += text[seen..at].matches('`').count();
        seen = at;
        let in_code = ticks % 2 == 1;
        let is_whole = front.chars().next_back() != close.chars().next()
            && back.chars().next() != close.chars().next_back();
        let is_word = back.starts_with(char::is_alphanumeric) && (close.len() == 1 || close.contains('_'));
        if is_whole && !is_word && !in_code && front.ends_with(|c: char| !c.is_whitespace()) {
            return format!("{front}{back}");
        }
    }
    text.to_owned()
}

/// Takes `**` away where it comes in pairs and outside of code.
fn without_bold(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let outside = |at: usize| at.is_multiple_of(2);
    let count: usize = parts
        .iter()
        .enumerate()
        .filter(|(at, _)| outside(*at))
        .map(|(_, part)| part.matches("**").count())
        .sum();
    if count == 0 || !count.is_multiple_of(2) {
        return text.to_owned();
    }
    let plain: Vec<String> = parts
        .iter()
        .enumerate()
        .map(|(at, part)| if outside(at) { part.replace("**", "") } else { (*part).to_owned() })
        .collect();
    plain.join("`")
}

/// What stands where nothing is said.
static PLACEHOLDERS: WordList = WordList::new(include_str!("../../words/session/placeholders.txt"));

/// The same, however long the rest is.
const UNDECIDED: &[&str] =
    &["to be determined", "to be decided", "to be defined", "to be confirmed", "not yet", "tbd"];

/// Whether a statement can be kept: no placeholder, no question, and long enough to be checked.
fn says_something(statement: &str) -> bool {
    let bare = statement.trim_end_matches(['.', '!', '…', ' ']);
    if bare.is_empty() || statement.ends_with(['?', '？', ':', '：']) {
        return false;
    }
    let is_blank = [('<', '>'), ('{', '}'), ('[', ']')]
        .iter()
        .any(|(open, close)| bare.starts_with(*open) && bare.ends_with(*close));
    let lower = bare.to_lowercase();
    let words = bare.split_whitespace().count();
    let is_placeholder = PLACEHOLDERS.iter().any(|word| {
        lower.strip_prefix(word).is_some_and(|rest| {
            let apart = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
            apart && words <= PLACEHOLDER_WORDS_MAX && !rest.trim_start().starts_with("of ")
        })
    });
    let is_undecided = UNDECIDED.iter().any(|words| lower.starts_with(words));
    // One that begins with a question leaves the answer open, whatever follows.
    let asks = bare.find(['?', '？']).is_some_and(|question| {
        let end = bare.find(". ").unwrap_or(bare.len());
        question < end && bare[question..].chars().nth(1).is_none_or(char::is_whitespace)
    });
    let ideographs = bare.chars().filter(|c| is_ideograph(*c)).count();
    !is_blank
        && !is_placeholder
        && !is_undecided
        && !asks
        && (words >= CLAIM_WORDS_MIN || ideographs >= CLAIM_IDEOGRAPHS_MIN)
}

/// Letters of scripts that are written without blanks between words.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{0e00}'..='\u{0e7f}' | '\u{f900}'..='\u{faff}')
}

/// Words of a statement that could be paths of files, without lines and symbols: `src/a.rs:12`, `src/a.rs#name`.
pub(crate) fn paths(statement: &str) -> impl Iterator<Item = &str> {
    statement
        .split(|c: char| c.is_whitespace() || "`\"'()[]{}<>,;*".contains(c))
        .filter(|word| !word.contains("://"))
        .map(|word| word.split(['#', ':']).next().unwrap_or(word))
        .map(|word| word.trim_end_matches(['.', '!', '?']))
        .filter(|word| word.len() > 2 && word.contains(['/', '.']) && !word.starts_with(['/', '-', '~']))
}

/// Citations, as in `[L-1a2b3c]`.
pub(crate) fn cited(text: &str) -> impl Iterator<Item = &str> {
    text.split('[')
        .skip(1)
        .filter_map(|rest| rest.split_once(']'))
        .map(|(name, _)| name)
        .filter(|name| is_name(name))
}

/// Names between backticks, as the index page has them.
pub(crate) fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("- `")?.split_once('`'))
        .map(|(name, _)| name)
        .filter(|name| is_name(name))
}

pub(crate) fn is_name(word: &str) -> bool {
    word.contains(['-', '.']) && (4..=200).contains(&word.len()) && !word.contains(char::is_whitespace)
}

/// The entry whose words a line of a ledger holds.
pub(crate) fn stated(line: &str) -> Option<EntryKey> {
    let Ok(LedgerLine::Event(event)) = read_line(line) else { return None };
    match &event.body {
        Some(Body::Entry(EntryEvent::Added(_) | EntryEvent::Revised(_) | EntryEvent::Reinforced { .. })) => {
            event.entry
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> String {
        let one = |line: Marked| {
            let more = [line.subtype, line.tag].into_iter().flatten().collect::<Vec<_>>().join("+");
            format!("{}{}{more}: {}", line.kind, if more.is_empty() { "" } else { "/" }, line.statement)
        };
        marked(text).into_iter().map(one).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn a_mark_counts_in_each_form() {
        for (text, wanted) in [
            ("Lesson: retry with jitter", "lesson: retry with jitter"),
            ("Done.\n  Gotcha: the clock is local", "lesson/gotcha: the clock is local"),
            ("Decision:  use one file ", "experience/decision: use one file"),
            ("Root cause: the lock was held", "experience/bug+root_cause: the lock was held"),
            ("Dead end: threads made it slower", "experience/learning+dead_end: threads made it slower"),
            ("[ken] keep it small", "lesson: keep it small"),
            ("**Lesson:** retry with jitter", "lesson: retry with jitter"),
            ("**Lesson**: retry with jitter", "lesson: retry with jitter"),
            ("**lesson:** retry with jitter", "lesson: retry with jitter"),
            ("__Lesson:__ retry with jitter", "lesson: retry with jitter"),
            ("*Lesson:* retry with jitter", "lesson: retry with jitter"),
            ("**Lesson** - retry with jitter", "lesson: retry with jitter"),
            ("**Lesson: retry with jitter**", "lesson: retry with jitter"),
            ("**Lesson:** do **not** retry", "lesson: do not retry"),
            ("Lesson: do <!-- x --> not retry <!-- y -->", "lesson: do not retry"),
            ("- Lesson: retry with jitter", "lesson: retry with jitter"),
            ("* **Lesson:** retry with jitter", "lesson: retry with jitter"),
            ("3. Lesson: retry with jitter", "lesson: retry with jitter"),
            ("- [x] Lesson: retry with jitter", "lesson: retry with jitter"),
            ("- a\n    - Lesson: retry with jitter", "lesson: retry with jitter"),
            ("💡 **Lesson:** retry with jitter", "lesson: retry with jitter"),
            ("**1. Lesson:** retry with jitter", "lesson: retry with jitter"),
            ("### 2. Lesson\n\nRetry with jitter.", "lesson: Retry with jitter."),
            ("LESSON: retry with jitter", "lesson: retry with jitter"),
            ("Root Cause: the lock was held", "experience/bug+root_cause: the lock was held"),
            ("Lesson learned: retry with jitter", "lesson: retry with jitter"),
            ("## Lesson: retry with jitter\n\nAnd more.", "lesson: retry with jitter"),
            ("## Lesson\n\nRetry with jitter.\nAlways.\n\nMore.", "lesson: Retry with jitter. Always."),
            ("**Lesson:**\n\nRetry with jitter.\n\nMore.", "lesson: Retry with jitter."),
            ("Lesson: retry calls\nwith jitter.\nDone.", "lesson: retry calls with jitter."),
            ("- Lesson: One thing.\n  And another.\n- x", "lesson: One thing. And another."),
            ("Lesson: a b c\nGotcha: d e f", "lesson: a b c | lesson/gotcha: d e f"),
            ("Lesson: a b c\nLesson: a b c", "lesson: a b c"),
            ("Lesson: a b c\nused [L-1a2b3c]", "lesson: a b c"),
            (
                "**Decision — keep retries:** We need them.",
                "experience/decision: keep retries: We need them.",
            ),
            ("**Decision - keep the retries.** We do.", "experience/decision: keep the retries. We do."),
            ("**Decision — keep the retries**", "experience/decision: keep the retries"),
            ("**Decision — keep\nretries:** we need them", "experience/decision: keep retries: we need them"),
            ("**Lesson: retry** with jitter", "lesson: retry with jitter"),
            ("**Lesson: retry** with **jitter** only", "lesson: retry with jitter only"),
            ("**Lesson: exclude `src/**` here**", "lesson: exclude `src/**` here"),
            ("_Lesson: use foo_bar always_", "lesson: use foo_bar always"),
            ("**_Lesson:_** retry with jitter", "lesson: retry with jitter"),
            ("**[ken] keep it** small", "lesson: keep it small"),
            ("**Lesson (src/net.py):** retry with jitter", "lesson: src/net.py: retry with jitter"),
            ("**Lesson** (src/net.py): retry with jitter", "lesson: src/net.py: retry with jitter"),
            ("Lesson (`src/net.py:12`): retry with jitter", "lesson: `src/net.py:12`: retry with jitter"),
            ("## Gotcha (src/a.rs)\n\nThe clock is local.", "lesson/gotcha: src/a.rs: The clock is local."),
            ("**Lesson 1:** retry with jitter", "lesson: retry with jitter"),
            ("- **Lesson #2**: retry with jitter", "lesson: retry with jitter"),
            ("**Lesson 1 (src/net.py)** - retry with jitter", "lesson: src/net.py: retry with jitter"),
            ("Lesson：在庫の更新は注文の後に行う", "lesson: 在庫の更新は注文の後に行う"),
        ] {
            assert_eq!(found(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_no_statement_of_the_author_does_not_count() {
        for text in [
            "lesson: in small letters",
            "A Lesson: in the middle of it",
            "> Lesson: quoted by the author",
            "- > Lesson: quoted in a list",
            "- [ ] Lesson: to be written down",
            "```md\nLesson: an example of it\n```",
            "    Lesson: indented as code is",
            "| Lesson: a row of it |",
            "a | b\n--|--\nLesson: c d e | f",
            "<!-- \nLesson: in a comment here\n-->",
            "`Lesson: in inline code`",
            "\"Lesson: in quotation marks\"",
            "“Lesson: in quotation marks”",
            "Lesson:",
            "**Lesson:**",
            "## Lesson",
            "## Lesson\n\n- a list of things",
            "# Lesson 3\n\nHow to add fractions.",
            "**Lesson 3**\n\nHow to add fractions.",
            "Lesson 3: how to add fractions",
            "**Decision (pending):** keep the old retries",
            "**Lesson (src/net.py):** TBD",
            "**Lesson (src/net.py):** too short",
            "## Lessons learned\n\nThere are many of them.",
            "Lesson: TBD",
            "Lesson: ...",
            "Lesson: too short",
            "Lesson: too short\n<pre>\nx\n</pre>",
            "Lesson: none so far.",
            "Decision: pending until the next meeting",
            "Root cause: <one sentence about it>",
            "Decision: shall we keep it?",
            "Lesson: what do we learn? That is left to the reader.",
            "Root cause: to be determined by the platform team next week",
            "For example:\n\nLesson: retry with jitter always",
            "The wiki says:\n- Lesson: retry with jitter always\n- Decision: use one queue only",
            "From the ticket:\n\nRoot cause: an expired voucher was used",
            "## Example\n\n**Lesson:** retry with jitter always",
            "## Changelog\n\n### 2.0\n- Lesson: the page shows its pupils",
        ] {
            assert_eq!(found(text), "", "{text}");
        }
        let after = "For example:\n\nLesson: an example of it\n\nLesson: none of the retries are logged";
        assert_eq!(found(after), "lesson: none of the retries are logged");
    }

    #[test]
    fn paths_are_found_without_lines_and_symbols() {
        let text =
            "`src/a.rs:12` and web/b.ts#name, see Cargo.toml. Not https://x.example/y.md, e.g. /etc/passwd";
        assert_eq!(paths(text).collect::<Vec<_>>(), ["src/a.rs", "web/b.ts", "Cargo.toml", "e.g"]);
        for label in
            ["**Lesson (src/net.py):**", "**Lesson (`src/net.py:12`):**", "Lesson (src/net.py#retry):"]
        {
            let found = marked(&format!("{label} retry with jitter"));
            assert_eq!(paths(&found[0].statement).collect::<Vec<_>>(), ["src/net.py"], "{label}");
        }
    }

    #[test]
    fn names_are_told_from_other_brackets() {
        let text = "As [L-1a2b3c] and [norm.commit.001] say; [x], [a link](there.md), [not a-name]\n- `L-9f` lesson\n`L-00`";
        assert_eq!(cited(text).collect::<Vec<_>>(), ["L-1a2b3c", "norm.commit.001"]);
        assert_eq!(quoted(text).collect::<Vec<_>>(), ["L-9f"]);
    }
}
