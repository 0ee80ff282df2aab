//! What is seen at an anchor when it is stated.

use ken_core::anchor::{Captured, Spot};

use crate::code::{Code, View, last_name};
use crate::limits::{CONTEXT_TOKENS, NEEDLE_CHARS, NEEDLES_MAX, TEXT_CHARS_MAX, TEXT_LINES_MAX};
use crate::parts;
use crate::prints::{self, Part};
use crate::{Token, prose};

/// Other places that are offered where a name means several.
const OFFERED_MAX: usize = 3;

/// Looks at an anchor in the file it points to. The error says what is not there.
pub fn capture(spot: &Spot, path: &str, code: &Code) -> Result<Captured, String> {
    let mut captured = match (spot.lines, &spot.symbol) {
        (Some(lines), _) => capture_lines(path, lines, code)?,
        (None, Some(symbol)) => capture_symbol(path, symbol, code)?,
        (None, None) => capture_file(code),
    };
    captured.blob = code.blob.clone();
    if spot.path.is_none() {
        captured.path = Some(path.to_owned());
    }
    Ok(captured)
}

fn capture_file(code: &Code) -> Captured {
    let view = code.view();
    let (from, to) = view.whole();
    let mut parts = parts::units(view, &[view.whole()]);
    if parts.total > parts.kept.len() && view.by == prose::BY {
        parts = parts::paragraphs(view);
    }
    Captured {
        by: view.by.to_owned(),
        print: prints::text(view.index.sums.window(from, to)),
        tokens: (to - from) as u32,
        // One part more than there may be says that some were left out.
        parts: if parts.total > parts.kept.len() { parts.text() + &Part::NONE.text() } else { parts.text() },
        needles: needles(&code.text, (1, u32::MAX), None),
        text: excerpt(&code.text, (1, u32::MAX)),
        ..Captured::default()
    }
}

fn capture_symbol(path: &str, name: &str, code: &Code) -> Result<Captured, String> {
    let (view, found) = find(name, code);
    let symbols = view.outline.taken_for(&found);
    let Some(first) = symbols.first().map(|at| view.symbol(*at)) else {
        return Err(missing(path, name, code));
    };
    let (print, tokens) = view.print(&symbols);
    let ranges: Vec<_> = symbols.iter().map(|at| view.range(*at)).collect();
    let set = symbols.len() > 1 || first.holds_others;
    let lines = (first.lines.0, if symbols.len() == 1 { first.lines.1 } else { first.lines.0 });
    let own = symbol_needle(code, view, symbols[0]);
    let mut wanted = needles(&code.text, first.lines, Some(&own));
    wanted.insert(0, own);
    wanted.truncate(NEEDLES_MAX);
    let same_print = view.index.by_print.get(&print).map_or(0, Vec::len);
    Ok(Captured {
        by: view.by.to_owned(),
        lines: Some(if symbols.len() == 1 { first.lines } else { lines }),
        symbol: Some(first.name.clone()),
        print: prints::text(print),
        tokens,
        parts: if set { parts::units(view, &ranges).text() } else { parts::runs(view, ranges[0]).text() },
        twins: same_print.saturating_sub(1) as u32,
        needles: wanted,
        text: if symbols.len() == 1 { excerpt(&code.text, first.lines) } else { None },
        ..Captured::default()
    })
}

/// Everything that a name may mean: what the grammar sees, else what the text defines.
fn find<'a>(name: &str, code: &'a Code) -> (View<'a>, Vec<usize>) {
    let view = code.view();
    let found = view.find(name);
    match code.definitions().filter(|_| found.is_empty()) {
        Some(text) => (text, text.find(name)),
        None => (view, found),
    }
}

/// Whether a file defines a name.
pub fn defines(code: &Code, name: &str) -> bool {
    !find(name, code).1.is_empty()
}

/// What an anchor was taken for, where its name may mean several things; and how to mean another.
pub fn ambiguity(spot: &Spot, path: &str, code: &Code) -> Option<String> {
    let name = spot.symbol.as_deref().filter(|_| spot.lines.is_none())?;
    let (view, found) = find(name, code);
    let taken = view.outline.taken_for(&found);
    let meant = view.symbol(*taken.first()?);
    let mut others: Vec<&str> = Vec::new();
    for at in &found {
        let other = view.symbol(*at).name.as_str();
        if other != meant.name && !others.contains(&other) {
            others.push(other);
        }
    }
    if !others.is_empty() {
        let shown: Vec<String> =
            others.iter().take(OFFERED_MAX).map(|other| format!("{path}#{other}")).collect();
        let rest = others.len().saturating_sub(shown.len());
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        return Some(format!("was resolved to `{}`; other matches: {}{more}", meant.name, shown.join(", ")));
    }
    if taken.len() < 2 || taken.iter().any(|at| view.symbol(*at).holds_others) {
        return None;
    }
    let lines: Vec<String> =
        taken.iter().take(OFFERED_MAX).map(|at| lines_text(path, view.symbol(*at).lines)).collect();
    Some(format!(
        "was resolved to all {} definitions of `{}`; one of them alone: {}",
        taken.len(),
        meant.name,
        lines.join(", ")
    ))
}

fn lines_text(path: &str, lines: (u32, u32)) -> String {
    Spot { path: Some(path.to_owned()), lines: Some(lines), symbol: None }.text()
}

fn capture_lines(path: &str, lines: (u32, u32), code: &Code) -> Result<Captured, String> {
    let (first, last) = (lines.0.min(lines.1).max(1), lines.0.max(lines.1).max(1));
    let count = code.line_count();
    if last > count {
        return Err(format!("line {last} is past the end of {path} ({count} lines)"));
    }
    let view = code.view();
    let (view, (from, to)) = match tokens_at(view, (first, last)) {
        Some(range) => (view, range),
        None => match tokens_at(code.prose(), (first, last)) {
            Some(range) => (code.prose(), range),
            None => return Err(format!("{path} has nothing but blank lines there ({first}-{last})")),
        },
    };
    let print = view.index.sums.window(from, to);
    let tight = view.lines(from, to);
    let twins = view.index.sums.windows(view.whole(), to - from, |found| found == print).len() - 1;
    let symbol = view.outline.enclosing(tight.0, tight.1).filter(|at| {
        let range = view.range(*at);
        range.0 <= from && to <= range.1
    });
    let mut wanted: Vec<String> = symbol.iter().map(|at| symbol_needle(code, view, *at)).collect();
    wanted.extend(needles(&code.text, tight, wanted.first().map(String::as_str)));
    wanted.truncate(NEEDLES_MAX);
    Ok(Captured {
        by: view.by.to_owned(),
        lines: Some(tight),
        symbol: symbol.map(|at| view.symbol(at).name.clone()),
        print: prints::text(print),
        tokens: (to - from) as u32,
        parts: Surroundings::around(view, from, to, symbol).text() + &parts::runs(view, (from, to)).text(),
        twins: twins as u32,
        needles: wanted,
        text: excerpt(&code.text, tight),
        ..Captured::default()
    })
}

/// The word by which the place of a symbol is looked for: its name, or of a heading the longest word.
fn symbol_needle(code: &Code, view: View<'_>, at: usize) -> String {
    let symbol = view.symbol(at);
    if view.by == prose::BY
        && code.outline.is_none()
        && let Some(word) = needles(&code.text, (symbol.lines.0, symbol.lines.0), None).into_iter().next()
    {
        return word;
    }
    last_name(&symbol.name).to_owned()
}

/// What is around some lines: it tells them from their twins.
pub(crate) struct Surroundings {
    /// The tokens right before and right after.
    pub(crate) neighbours: (Part, Part),
    /// The print of the symbol around them.
    pub(crate) symbol: Part,
    /// How many tokens of the symbol come before them.
    pub(crate) offset: u32,
    /// Another symbol of the file looks like the one around them.
    pub(crate) symbol_has_twin: bool,
    /// A statement or block ends with them, which no text says.
    pub(crate) ends: bool,
}

impl Surroundings {
    /// How many parts it takes.
    pub(crate) const PARTS: usize = 4;

    fn around(view: View<'_>, from: usize, to: usize, symbol: Option<usize>) -> Surroundings {
        let (mut print, mut offset, mut symbol_has_twin) = (Part::NONE, 0, false);
        if let Some(at) = symbol {
            let whole = view.print(&[at]).0;
            print = Part::whole(whole);
            let twins = (0..view.outline.symbols.len()).filter(|other| view.print(&[*other]).0 == whole);
            symbol_has_twin = twins.count() > 1;
            offset = (from - view.range(at).0) as u32 & 0xff_ffff;
        }
        let ends = view.outline.tokens.get(to).is_some_and(Token::is_layout);
        Surroundings { neighbours: context(view, from, to), symbol: print, offset, symbol_has_twin, ends }
    }

    /// Reads it back, with the runs that follow it.
    pub(crate) fn read(parts: &str) -> Option<(Surroundings, Vec<Part>)> {
        let mut parts = Part::all(parts);
        let runs = parts.split_off(parts.len().min(Self::PARTS));
        let [before, after, symbol, rest] = parts[..] else { return None };
        let around = Surroundings {
            neighbours: (before, after),
            symbol,
            offset: rest.print,
            symbol_has_twin: rest.run & 1 > 0,
            ends: rest.run & 2 > 0,
        };
        Some((around, runs))
    }

    fn text(&self) -> String {
        let marks = u8::from(self.symbol_has_twin) | u8::from(self.ends) << 1;
        let rest = Part { run: marks, print: self.offset };
        [self.neighbours.0, self.neighbours.1, self.symbol, rest].map(Part::text).concat()
    }
}

/// The tokens of some lines, if there are any and none of them reaches beyond.
fn tokens_at(view: View<'_>, (first, last): (u32, u32)) -> Option<(usize, usize)> {
    let tokens = &view.outline.tokens;
    let mut from = tokens.partition_point(|token| token.line < first);
    let mut to = tokens.partition_point(|token| token.line <= last);
    if tokens[..from].last().is_some_and(|token| token.last >= first)
        || tokens[from..to].last().is_some_and(|token| token.last > last)
    {
        return None;
    }
    // Where a block begins or ends has no text of its own, and whatever comes next to these lines may move it.
    while from < to && tokens[from].is_layout() {
        from += 1;
    }
    while from < to && tokens[to - 1].is_layout() {
        to -= 1;
    }
    (from < to).then_some((from, to))
}

/// What stands before and after a window.
pub(crate) fn context(view: View<'_>, from: usize, to: usize) -> (Part, Part) {
    let part = |from: usize, to: usize| match to - from {
        0 => Part::NONE,
        length => Part::run(view.index.sums.window(from, to), length),
    };
    let end = view.outline.tokens.len();
    (part(from.saturating_sub(CONTEXT_TOKENS), from), part(to, end.min(to + CONTEXT_TOKENS)))
}

fn missing(path: &str, name: &str, code: &Code) -> String {
    if let (Some(language), None) = (code.language, &code.outline) {
        let why = code.why_unseen(path, &language.by());
        return format!("{why}, so no symbol can be found in it; anchor lines or the whole file");
    }
    let wanted = last_name(name).to_lowercase();
    let mut near: Vec<&str> = Vec::new();
    for group in &code.view().index.groups {
        let found = last_name(&group.name).to_lowercase();
        let alike =
            found.len() >= 3 && wanted.len() >= 3 && (found.contains(&wanted) || wanted.contains(&found));
        if (alike || common_start(&found, &wanted) * 2 > wanted.len()) && near.len() < 3 {
            near.push(&group.name);
        }
    }
    match near.is_empty() {
        true => format!("no symbol `{name}` in {path}"),
        false => format!("no symbol `{name}` in {path}; near: {}", near.join(", ")),
    }
}

fn common_start(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// The lines with single spaces, where they are few.
fn excerpt(text: &str, (first, last): (u32, u32)) -> Option<String> {
    let mut excerpt = String::new();
    let lines = text.lines().skip(first as usize - 1).take((last - first) as usize + 1);
    for (number, line) in lines.enumerate() {
        if number >= TEXT_LINES_MAX {
            return None;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if !excerpt.is_empty() {
            excerpt.push('\n');
        }
        excerpt.push_str(&words.join(" "));
        if excerpt.chars().count() > TEXT_CHARS_MAX {
            return None;
        }
    }
    Some(excerpt).filter(|excerpt| !excerpt.trim().is_empty())
}

/// The longest plain words of some lines. None from inside of quotes, and none that looks like a secret: they are stored.
fn needles(text: &str, (first, last): (u32, u32), but: Option<&str>) -> Vec<String> {
    let mut found: Vec<&str> = Vec::new();
    let lines = text.lines().skip(first as usize - 1).take((last - first) as usize + 1);
    for line in lines.take(2000) {
        for piece in outside_quotes(line) {
            for word in prose::words(piece).filter(|word| is_needle(word) && Some(*word) != but) {
                if !found.contains(&word) {
                    found.push(word);
                }
            }
        }
        if found.len() > 400 {
            break;
        }
    }
    found.sort_by_key(|word| std::cmp::Reverse(word.len()));
    found.into_iter().take(NEEDLES_MAX).map(str::to_owned).collect()
}

fn outside_quotes(line: &str) -> impl Iterator<Item = &str> {
    // What follows a quote without a partner may be inside of it.
    line.split(['"', '\'', '`']).step_by(2)
}

fn is_needle(word: &str) -> bool {
    let vowels = |c: char| matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let (mut consonants, mut longest, mut turns) = (0, 0, 0);
    let mut before = ' ';
    for c in word.chars() {
        consonants = if c.is_alphabetic() && !vowels(c) { consonants + 1 } else { 0 };
        longest = longest.max(consonants);
        turns += usize::from(before.is_lowercase() && (c.is_uppercase() || c.is_ascii_digit()));
        before = c;
    }
    NEEDLE_CHARS.contains(&word.chars().count())
        && word.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && digits <= 2
        && longest <= 5
        && turns * 3 <= letters
        && word.split('_').all(|piece| piece.len() <= 24)
        && word.split('_').all(|piece| piece.len() <= 12 || piece.chars().any(char::is_lowercase))
}
