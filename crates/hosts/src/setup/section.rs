//! The marked section in a file of instructions.

use std::ops::Range;

use super::{Fault, Level, State, block};

/// How a section begins; what follows says which one it is.
const BEGIN: &str = "<!-- BEGIN KENNING";
/// How it ends.
const END: &str = "<!-- END KENNING -->";

/// The marks that a fence of code has at least.
const FENCE_MIN: usize = 3;

/// What an agent is told that has to do everything by itself.
pub(super) const FULL: &str = "\
## Knowledge of this project

Kenning (`ken`) keeps what was learned here: lessons, decisions, facts, each with its evidence and whether it still holds.

- Before you work, `recall` with what you are about to do; before you edit a file you do not know, with its path.
- An answer is a claim with a verdict, not an order. Where the code says otherwise, the code is right: say so.
- When you learned something that cost effort and will come up again, `remember` it: one claim, with evidence (a commit, a test, a \
document), the place in the code it is about, and how to check it. No guesses, no secrets, nothing that the code already says.
- End with lines that report: `used [L-xxxxxx]` for each entry that changed what you did, `wrong [L-xxxxxx]` for each that does not hold.
- A line `Lesson: ...`, `Decision: ...`, `Root cause: ...`, `Gotcha: ...` or `Dead end: ...` in your last message, with the path it is about, is kept.

`recall` and `remember` are tools of the MCP server `kenning`; in a shell, use `ken search` and `ken add`.
";

/// What an agent is told whose host hands entries over by hooks.
pub(super) const SHORT: &str = "\
## Knowledge of this project

Kenning (`ken`) injects entries about this project when they are relevant; call its tool `recall` to search for more. An entry is a \
claim with a verdict, not an order. When you learned something that will come up again, `remember` it with its evidence and the place it is about, or end with a \
line `Lesson: ...`, `Decision: ...`, `Root cause: ...`, `Gotcha: ...` or `Dead end: ...` that names the path. Report with lines `used \
[L-xxxxxx]` and `wrong [L-xxxxxx]`.
";

/// A section that was found.
struct FoundSection {
    lines: Range<usize>,
    level: Option<Level>,
    /// The hash it says it has.
    said: String,
    body: String,
}

/// How the section of a text stands.
pub(super) fn state(text: &str, level: Level) -> Result<State, Fault> {
    let Some(found) = find(text)? else { return Ok(State::Missing) };
    // The full section says all that the short one says.
    let enough = found.level.is_some_and(|there| there >= level);
    let current =
        found.level.is_some_and(|level| found.said == hash(words(level)) && found.body == words(level));
    Ok(if enough && current { State::Current } else { State::Stale })
}

/// Whether a person changed it since it was written.
pub(super) fn edited(text: &str) -> Result<bool, Fault> {
    Ok(find(text)?.is_some_and(|found| hash(&found.body) != found.said))
}

/// Writes the section, in its place if it has one.
pub(super) fn install(text: Option<&str>, level: Level) -> Result<String, Fault> {
    let found = text.map(find).transpose()?.flatten();
    let (Some(text), Some(found)) = (text, found) else { return Ok(block::append(text, &section(level))) };
    let level = found.level.map_or(level, |there| there.max(level));
    let new = section(level).replace('\n', super::json::newline(text));
    let new = match text[found.lines.clone()].ends_with('\n') {
        true => new.as_str(),
        false => new.trim_end(),
    };
    Ok(format!("{}{new}{}", &text[..found.lines.start], &text[found.lines.end..]))
}

/// Takes the section away. None when the file was made for it.
pub(super) fn remove(text: &str) -> Result<Option<String>, Fault> {
    Ok(match find(text)? {
        Some(found) => block::cut(text, found.lines),
        None => Some(text.to_owned()),
    })
}

fn section(level: Level) -> String {
    let (words, name) = (words(level), level.name());
    format!("{BEGIN} {name} hash:{} -->\n{words}{END}\n", hash(words))
}

fn words(level: Level) -> &'static str {
    match level {
        Level::Short => SHORT,
        Level::Full => FULL,
    }
}

fn hash(words: &str) -> String {
    blake3::hash(words.as_bytes()).to_hex()[..8].to_owned()
}

fn find(text: &str) -> Result<Option<FoundSection>, Fault> {
    let fences = fences(text);
    let shown = |at: &usize| fences.iter().any(|fence| fence.contains(at));
    let mut begins = text.match_indices(BEGIN).map(|(at, _)| at).filter(|at| !shown(at));
    let mut ends = text.match_indices(END).map(|(at, _)| at).filter(|at| !shown(at));
    let (begin, end) = match (begins.next(), ends.next()) {
        (None, None) => return Ok(None),
        (Some(begin), Some(end)) if begin < end => (begin, end),
        (Some(begin), _) => {
            return Err(Fault::at(text, begin, &format!("this section has no closing `{END}`")));
        }
        (None, Some(end)) => return Err(Fault::at(text, end, &format!("this has no opening `{BEGIN} ...`"))),
    };
    if let Some(more) = begins.next().or(ends.next()) {
        return Err(Fault::at(text, more, "a second Kenning section; remove one of them"));
    }
    let lines = block::lines_around(text, begin..end);
    let head = text[begin..].lines().next().unwrap_or_default();
    let said = head.split_whitespace().find_map(|word| word.strip_prefix("hash:")).unwrap_or_default();
    let level = Level::ALL.into_iter().find(|level| head.split_whitespace().any(|word| word == level.name()));
    let first = text[begin..end].find('\n').map_or(end, |newline| begin + newline + 1);
    let last = text[..end].rfind('\n').map_or(end, |newline| newline + 1).max(first);
    let body = text[first..last].replace("\r\n", "\n");
    Ok(Some(FoundSection { lines, level, said: said.to_owned(), body }))
}

/// What stands between fences of code. One without an end is none: what is put after it has to be found again.
fn fences(text: &str) -> Vec<Range<usize>> {
    let mut fences = Vec::new();
    let mut open: Option<(usize, char, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        let mark = words.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| words.chars().take_while(|letter| *letter == mark).count());
        match (open, mark) {
            (None, Some(mark)) if length >= FENCE_MIN => open = Some((at, mark, length)),
            (Some((start, opener, least)), Some(mark))
                if mark == opener && length >= least && words.len() == length =>
            {
                fences.push(start..at + line.len());
                open = None;
            }
            (None | Some(_), _) => {}
        }
        at += line.len();
    }
    fences
}
