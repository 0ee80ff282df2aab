//! What became of the code an anchor speaks of (VAL-3).
//!
//! Found again with the same print it is fresh or moved, whatever happened around it. It is said to be drifted or broken only where
//! the grammar could read what is there now.

use std::rc::Rc;

use ken_core::anchor::{Captured, PlaceVerdict, Spot, Verdict};

use crate::Token;
use crate::capture::{Surroundings, context};
use crate::code::{Code, View, last_name};
use crate::limits::{
    BODY_SHARE_MIN, FILE_SHARE_MIN, FRAGMENT_TOKENS_MIN, LINES_ELSEWHERE_TOKENS_MIN, PARTS_MAX,
    SUBSTANTIAL_TOKENS_MIN, SYMBOL_ELSEWHERE_TOKENS_MIN,
};
use crate::parts::present;
use crate::prints::{self, Part};

/// What its own file says of an anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Here {
    /// This is the answer.
    Settled(PlaceVerdict),
    /// It is not in its file. This is the answer unless it is found elsewhere.
    Lost(PlaceVerdict),
}

/// A place in another file where it may be now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What is to be said if this is the place.
    pub judged: PlaceVerdict,
    /// How sure that is: of two places the stronger is taken.
    pub strength: u32,
    /// It is known by so little that a second place like it leaves both open.
    pub only_if_alone: bool,
}

/// The files among which code is looked for.
pub trait Files {
    /// A file; none if it is not there. The error says why it cannot be read.
    fn code(&mut self, path: &str) -> Result<Option<Rc<Code>>, String>;

    /// Files that hold at least one of these words, those that hold the most first. May leave some out where there are many,
    /// and should leave out those that are as they were when the anchor was captured: nothing was moved into them.
    fn holding(&mut self, needles: &[String]) -> Vec<String>;
}

/// Says what became of an anchor: in its own file, else in those that hold its words.
pub fn judge(spot: &Spot, captured: &Captured, files: &mut dyn Files) -> PlaceVerdict {
    let Some(path) = spot.path.as_deref().or(captured.path.as_deref()) else {
        return judged(Verdict::Unverifiable, None, "it was never found in a file");
    };
    let own = match files.code(path) {
        Ok(own) => own,
        Err(why) => return judged(Verdict::Unverifiable, None, why),
    };
    let lost = match here(spot, captured, path, own.as_deref()) {
        Here::Settled(judged) => return judged,
        Here::Lost(lost) => lost,
    };
    let mut candidates = Vec::new();
    for other in files.holding(&captured.needles) {
        if other == path {
            continue;
        }
        // What cannot be read is no candidate; it says nothing about the rest.
        if let Ok(Some(code)) = files.code(&other) {
            candidates.extend(elsewhere(spot, captured, &other, &code));
        }
    }
    settle(lost, candidates)
}

/// Looks for an anchor in its own file; none if the file is gone.
pub fn here(spot: &Spot, captured: &Captured, path: &str, code: Option<&Code>) -> Here {
    let Some(code) = code else {
        return Here::Lost(judged(Verdict::Broken, None, format!("{path} is gone")));
    };
    if code.blob == captured.blob {
        return Here::Settled(judged(Verdict::Fresh, None, format!("{path} is as it was")));
    }
    let Some(view) = code.seen_by(&captured.by) else {
        let why = code.why_unseen(path, &captured.by);
        return Here::Settled(by_excerpt(spot, captured, path, code, why));
    };
    let place = Place { spot, captured, path, view };
    match (spot.lines, &spot.symbol) {
        (Some(_), _) => place.lines_here(),
        (None, Some(_)) => place.symbol_here(code),
        (None, None) => place.file_here(),
    }
}

/// Looks for an anchor in another file.
pub fn elsewhere(spot: &Spot, captured: &Captured, path: &str, code: &Code) -> Option<Candidate> {
    let place = Place { spot, captured, path, view: code.seen_by(&captured.by)? };
    let found = match (spot.lines, &spot.symbol) {
        (Some(_), _) if code.blob == captured.blob => place.lines_of_same_file(),
        (Some(_), _) => place.lines_elsewhere(),
        (None, Some(_)) => place.symbol_elsewhere(),
        (None, None) => place.file_elsewhere(code),
    }?;
    let own = spot.path.as_deref().or(captured.path.as_deref()).unwrap_or_default();
    let strength = found.rank as u32 * 1000 + nearness(own, path);
    Some(Candidate { judged: found.judged, strength, only_if_alone: found.only_if_alone })
}

/// The answer, given where else it may be.
pub fn settle(lost: PlaceVerdict, mut candidates: Vec<Candidate>) -> PlaceVerdict {
    candidates.sort_by(|a, b| b.strength.cmp(&a.strength).then_with(|| a.judged.now.cmp(&b.judged.now)));
    let Some(best) = candidates.first() else { return lost };
    let rank = best.strength / 1000;
    let alike = candidates.iter().filter(|other| other.strength / 1000 == rank).count();
    if best.only_if_alone && alike > 1 {
        return lost;
    }
    // That something like it has changed elsewhere says nothing where nobody could look here.
    if best.judged.verdict == Verdict::Drifted && lost.verdict != Verdict::Broken {
        return lost;
    }
    best.judged.clone()
}

/// How sure a place elsewhere is, from the weakest.
#[derive(Clone, Copy)]
enum Rank {
    Share = 1,
    Content,
    Name,
    NameAndContent,
    Blob,
}

struct CandidatePlace {
    judged: PlaceVerdict,
    rank: Rank,
    only_if_alone: bool,
}

/// An anchor and a file that it may be in.
#[derive(Clone, Copy)]
struct Place<'a> {
    spot: &'a Spot,
    captured: &'a Captured,
    path: &'a str,
    view: View<'a>,
}

/// A window with the print that is looked for.
struct Match {
    from: usize,
    inside: bool,
    /// How many of the two neighbours are as they were.
    neighbours: usize,
    distance: u32,
}

impl Place<'_> {
    fn symbol_here(self, code: &Code) -> Here {
        let Place { captured, path, view, .. } = self;
        let name = captured.symbol.as_deref().unwrap_or_default();
        let mut symbols = view.named(name).to_vec();
        if symbols.is_empty() {
            // Several were meant by one short name, as earlier versions took it.
            let meant = view.find(name);
            if self.is_as_it_was(&meant) || self.is_left(&meant) {
                symbols = meant;
            }
        }
        if !symbols.is_empty() {
            return Here::Settled(self.symbol_judged(&symbols));
        }
        if let Some(group) = self.namesake(true) {
            let why = format!("`{name}` is now `{}`", group);
            return Here::Settled(judged(Verdict::Moved, Some(self.symbol_text(&group)), why));
        }
        if let Some(line) = view.outline.fault.filter(|_| mentions(&code.text, last_name(name))) {
            let why = format!("{path} does not parse (line {line})");
            return Here::Lost(judged(Verdict::Unverifiable, None, why));
        }
        // A macro may hide from the grammar what is still there.
        let text = code.definitions().filter(|text| text.by != view.by);
        match text.and_then(|text| text.find(name).first().map(|at| text.symbol(*at).lines.0)) {
            Some(line) => {
                let why = format!(
                    "`{name}` is still defined in {path} (line {line}), where its grammar does not see it"
                );
                Here::Settled(by_excerpt(self.spot, captured, path, code, why))
            }
            None => Here::Lost(judged(Verdict::Broken, None, format!("`{name}` is gone from {path}"))),
        }
    }

    /// What is to be said of symbols that have its name.
    fn symbol_judged(self, symbols: &[usize]) -> PlaceVerdict {
        let Place { captured, path, view, .. } = self;
        let name = captured.symbol.as_deref().unwrap_or_default();
        if self.is_as_it_was(symbols) {
            return judged(Verdict::Fresh, None, format!("`{name}` is as it was"));
        }
        if self.is_beside_others(symbols) {
            let why = format!("`{name}` is as it was, beside another of that name");
            return judged(Verdict::Fresh, None, why);
        }
        let faulty = symbols.iter().find(|at| view.symbol(**at).faulty);
        match faulty {
            Some(at) => {
                let line = view.outline.fault.unwrap_or(view.symbol(*at).lines.0);
                judged(Verdict::Unverifiable, None, format!("{path} does not parse (line {line})"))
            }
            None if self.has_more(symbols) => {
                judged(Verdict::Drifted, None, format!("`{name}` has more in it than it had"))
            }
            None => judged(Verdict::Drifted, None, format!("`{name}` has changed")),
        }
    }

    /// Whether what was seen is there as it was, and others have its name beside it: overloads, and whatever else shares a short name.
    /// A type is one thing, and what was added to it is a change of it.
    fn is_beside_others(self, symbols: &[usize]) -> bool {
        let Place { captured, view, .. } = self;
        if symbols.len() < 2 || symbols.iter().any(|at| view.symbol(*at).holds_others) {
            return false;
        }
        let parts = Part::all(&captured.parts);
        let were_several =
            !parts.is_empty() && parts.len() < PARTS_MAX && parts.iter().all(|part| part.run == 0);
        match were_several {
            true => self.has_more(symbols),
            false => symbols.iter().any(|at| self.is_as_it_was(&[*at])),
        }
    }

    /// Whether one of several things that were seen is still among these.
    fn is_left(self, symbols: &[usize]) -> bool {
        let wholes: Vec<Part> =
            Part::all(&self.captured.parts).into_iter().filter(|part| part.run == 0).collect();
        let ranges: Vec<_> = symbols.iter().map(|at| self.view.range(*at)).collect();
        present(self.view, &ranges, &wholes) > 0
    }

    /// Whether everything that was in it is still there, beside something new.
    fn has_more(self, symbols: &[usize]) -> bool {
        let parts = Part::all(&self.captured.parts);
        let ranges: Vec<_> = symbols.iter().map(|at| self.view.range(*at)).collect();
        parts.iter().any(|part| part.run == 0) && present(self.view, &ranges, &parts) == parts.len()
    }

    /// The same content, or the same parts in another order.
    fn is_as_it_was(self, symbols: &[usize]) -> bool {
        let Place { captured, view, .. } = self;
        if symbols.is_empty() {
            return false;
        }
        let (print, tokens) = view.print(symbols);
        if tokens == captured.tokens && prints::text(print) == captured.print {
            return true;
        }
        let parts = Part::all(&captured.parts);
        let ranges: Vec<_> = symbols.iter().map(|at| view.range(*at)).collect();
        // Members may come in another order. One more is a change: of two kinds there may be three now.
        tokens == captured.tokens
            && parts.iter().any(|part| part.run == 0)
            && present(view, &ranges, &parts) == parts.len()
    }

    /// The one symbol of another name that has its content, where that is enough to know it by.
    fn namesake(self, in_own_file: bool) -> Option<String> {
        let Place { captured, view, .. } = self;
        let print = u64::from_str_radix(&captured.print, 16).ok()?;
        let groups = view.index.by_print.get(&print)?;
        let groups: Vec<_> = groups
            .iter()
            .map(|at| &view.index.groups[*at])
            .filter(|group| group.tokens == captured.tokens)
            .collect();
        let own = captured.symbol.as_deref().map(last_name).unwrap_or_default();
        let same_name: Vec<_> = groups.iter().filter(|group| last_name(&group.name) == own).collect();
        let least = match in_own_file {
            true if same_name.len() == 1 => FRAGMENT_TOKENS_MIN,
            true => SUBSTANTIAL_TOKENS_MIN,
            false => SYMBOL_ELSEWHERE_TOKENS_MIN,
        };
        if captured.twins > 0 || (captured.tokens as usize) < least {
            return None;
        }
        match (same_name.as_slice(), groups.as_slice()) {
            ([one], _) => Some(one.name.clone()),
            ([], [one]) => Some(one.name.clone()),
            _ => None,
        }
    }

    fn symbol_elsewhere(self) -> Option<CandidatePlace> {
        let Place { captured, path, view, .. } = self;
        let name = captured.symbol.as_deref()?;
        let symbols = view.named(name);
        let tiny = (captured.tokens as usize) < SUBSTANTIAL_TOKENS_MIN;
        if self.is_as_it_was(symbols) {
            let now = self.symbol_text(name);
            let judged = judged(Verdict::Moved, Some(now), format!("`{name}` is now in {path}"));
            return Some(CandidatePlace { judged, rank: Rank::NameAndContent, only_if_alone: tiny });
        }
        if let Some(other) = self.namesake(false) {
            let rank = if last_name(&other) == last_name(name) { Rank::Name } else { Rank::Content };
            let why = format!("`{name}` is now `{other}` in {path}");
            let judged = judged(Verdict::Moved, Some(self.symbol_text(&other)), why);
            return Some(CandidatePlace { judged, rank, only_if_alone: true });
        }
        let parts = Part::all(&captured.parts);
        let ranges: Vec<_> = symbols.iter().map(|at| view.range(*at)).collect();
        let left = present(view, &ranges, &parts) as f64;
        if symbols.is_empty() || parts.is_empty() || left < BODY_SHARE_MIN * parts.len() as f64 {
            return None;
        }
        let why = format!("`{name}` is now in {path} and has changed");
        let judged = judged(Verdict::Drifted, Some(self.symbol_text(name)), why);
        Some(CandidatePlace { judged, rank: Rank::Share, only_if_alone: false })
    }

    fn lines_here(self) -> Here {
        let Place { captured, path, view, .. } = self;
        let (first, last) = captured.lines.unwrap_or_default();
        if let Some(found) = self.lines_found() {
            let lines = view.lines(found, found + captured.tokens as usize);
            return Here::Settled(match lines == (first, last) {
                true => judged(Verdict::Fresh, None, format!("{} is as it was", self.lines_text(lines))),
                false => {
                    let now = self.lines_text(lines);
                    judged(Verdict::Moved, Some(now.clone()), format!("it is now at {now}"))
                }
            });
        }
        let symbols = captured.symbol.as_deref().map(|name| view.named(name)).unwrap_or_default();
        let faulty = symbols.iter().any(|at| view.symbol(*at).faulty);
        if let Some(line) = view.outline.fault.filter(|_| faulty || symbols.is_empty()) {
            let why = judged(Verdict::Unverifiable, None, format!("{path} does not parse (line {line})"));
            return if faulty { Here::Settled(why) } else { Here::Lost(why) };
        }
        match &captured.symbol {
            Some(name) if !symbols.is_empty() => {
                Here::Settled(judged(Verdict::Drifted, None, format!("those lines of `{name}` have changed")))
            }
            _ if self.something_left() => {
                Here::Lost(judged(Verdict::Drifted, None, format!("those lines of {path} have changed")))
            }
            Some(name) => Here::Lost(judged(Verdict::Broken, None, format!("`{name}` is gone from {path}"))),
            None => Here::Lost(judged(Verdict::Broken, None, format!("those lines are gone from {path}"))),
        }
    }

    /// Where the lines are in their own file: inside of their symbol a little is enough.
    fn lines_found(self) -> Option<usize> {
        let Place { captured, .. } = self;
        if let Some((from, _)) = self.lines_in_same_symbol() {
            return Some(from);
        }
        let tokens = captured.tokens as usize;
        let twins = captured.twins as usize;
        let matches = self.matches();
        let all_left = matches.len() > twins;
        let best = best(&matches)?;
        let accepted = match (best.inside, tokens) {
            (true, FRAGMENT_TOKENS_MIN..) => all_left || best.neighbours > 1,
            (true, _) => best.neighbours > usize::from(!all_left) || (twins == 0 && matches.len() == 1),
            // Elsewhere in the file a twin is as good as the lines themselves, unless none is missing.
            (false, _) if twins > 0 => all_left && best.neighbours > 0,
            (false, SUBSTANTIAL_TOKENS_MIN..) => true,
            (false, FRAGMENT_TOKENS_MIN..) => best.neighbours > 0,
            (false, _) => best.neighbours > 1,
        };
        accepted.then_some(best.from)
    }

    /// Where the lines are if the symbol around them is as it was, under its name or another; and whether it is its own.
    fn lines_in_same_symbol(self) -> Option<(usize, bool)> {
        let Place { captured, view, .. } = self;
        let name = captured.symbol.as_deref()?;
        let (around, _) = Surroundings::read(&captured.parts)?;
        let is_same = |at: &usize| Part::whole(view.print(&[*at]).0) == around.symbol;
        let mut namesakes = view.named(name).iter().copied().filter(is_same);
        // Of several that look the same nobody knows which it is.
        let own = namesakes.next().filter(|_| namesakes.next().is_none());
        let renamed = || {
            let mut same = (0..view.outline.symbols.len()).filter(is_same);
            let one = same.next()?;
            let known = view.print(&[one]).1 as usize >= SUBSTANTIAL_TOKENS_MIN && !around.symbol_has_twin;
            (known && same.next().is_none()).then_some(one)
        };
        let at = own.or_else(renamed)?;
        let from = view.range(at).0 + around.offset as usize;
        let to = from + captured.tokens as usize;
        (to <= view.range(at).1 && prints::text(view.index.sums.window(from, to)) == captured.print)
            .then_some((from, own.is_some()))
    }

    /// The file has another name, and nothing else is new.
    fn lines_of_same_file(self) -> Option<CandidatePlace> {
        let now = self.lines_text(self.captured.lines?);
        let judged = judged(Verdict::Moved, Some(now.clone()), format!("it is now at {now}"));
        Some(CandidatePlace { judged, rank: Rank::Blob, only_if_alone: false })
    }

    fn lines_elsewhere(self) -> Option<CandidatePlace> {
        let Place { captured, view, .. } = self;
        let tokens = captured.tokens as usize;
        let moved = |from: usize, rank, only_if_alone| {
            let now = self.lines_text(view.lines(from, from + tokens));
            let judged = judged(Verdict::Moved, Some(now.clone()), format!("it is now at {now}"));
            Some(CandidatePlace { judged, rank, only_if_alone })
        };
        if let Some((from, own)) = self.lines_in_same_symbol() {
            let rank = if own { Rank::NameAndContent } else { Rank::Content };
            return moved(from, rank, !own);
        }
        let matches = self.matches();
        let Some(best) = best(&matches) else { return self.symbol_of_lines_elsewhere() };
        let in_symbol = best.inside && captured.symbol.is_some();
        let (rank, accepted) = match (in_symbol, best.neighbours) {
            (true, 0) => (Rank::Share, tokens >= FRAGMENT_TOKENS_MIN && matches.len() == 1),
            (true, _) => (Rank::Name, true),
            (false, 0) => (Rank::Share, false),
            (false, 1) => (Rank::Share, tokens >= LINES_ELSEWHERE_TOKENS_MIN && captured.twins == 0),
            (false, _) => (Rank::Share, tokens >= SUBSTANTIAL_TOKENS_MIN && captured.twins == 0),
        };
        if !accepted {
            return self.symbol_of_lines_elsewhere();
        }
        moved(best.from, rank, tokens < SUBSTANTIAL_TOKENS_MIN || !in_symbol)
    }

    /// The symbol around the lines is here under its whole name, and they are not in it as they were.
    fn symbol_of_lines_elsewhere(self) -> Option<CandidatePlace> {
        let name = self.captured.symbol.as_deref()?;
        let [_] = self.view.named(name) else { return None };
        let why = format!("`{name}` is now in {}, and those lines of it have changed", self.path);
        let judged = judged(Verdict::Drifted, Some(self.symbol_text(name)), why);
        Some(CandidatePlace { judged, rank: Rank::Share, only_if_alone: true })
    }

    /// Every window of this file with the print of the lines.
    fn matches(self) -> Vec<Match> {
        let Place { captured, view, .. } = self;
        let tokens = captured.tokens as usize;
        let Ok(print) = u64::from_str_radix(&captured.print, 16) else { return Vec::new() };
        let Some((around, _)) = Surroundings::read(&captured.parts) else { return Vec::new() };
        let symbols = captured.symbol.as_deref().map(|name| view.named(name)).unwrap_or_default();
        let line = captured.lines.map_or(1, |lines| lines.0);
        let known = &view.outline.tokens;
        let windows = view.index.sums.windows(view.whole(), tokens, |found| found == print);
        let matches = windows.into_iter().filter_map(|from| {
            let to = from + tokens;
            let (before, after) = context(view, from, to);
            let (before, after) = (before == around.neighbours.0, after == around.neighbours.1);
            // What shares a line with something new is not as it was: `return x` is not `return x + 1`.
            let last = from.checked_sub(1).map(|last| known[last]);
            let begins = before || last.is_none_or(|last| last.last < known[from].line || last.is_layout());
            let next = known.get(to);
            let ends = after || next.is_none_or(|next| known[to - 1].last < next.line || next.is_layout());
            if !begins || !ends || (around.ends && !next.is_none_or(Token::is_layout)) {
                return None;
            }
            let in_symbol = symbols.iter().any(|at| {
                let range = view.range(*at);
                range.0 <= from && to <= range.1
            });
            Some(Match {
                from,
                inside: captured.symbol.is_none() || in_symbol,
                neighbours: usize::from(before) + usize::from(after),
                distance: known[from].line.abs_diff(line),
            })
        });
        matches.collect()
    }

    /// Whether half of the lines, or what was beside them, is still in the file.
    fn something_left(self) -> bool {
        let Place { captured, view, .. } = self;
        let Some((around, runs)) = Surroundings::read(&captured.parts) else { return false };
        let neighbours = [around.neighbours.0, around.neighbours.1];
        let neighbours: Vec<Part> = neighbours.into_iter().filter(|part| part.run > 0).collect();
        let left = present(view, &[view.whole()], &runs) as f64;
        (captured.twins == 0 && !runs.is_empty() && left >= BODY_SHARE_MIN * runs.len() as f64)
            || (captured.symbol.is_none() && present(view, &[view.whole()], &neighbours) > 0)
    }

    fn file_here(self) -> Here {
        let Place { captured, path, view, .. } = self;
        let parts = FileParts::from_captured(captured);
        let (from, to) = view.whole();
        if prints::text(view.index.sums.window(from, to)) == captured.print {
            return Here::Settled(judged(Verdict::Fresh, None, format!("{path} says what it said")));
        }
        let left = present(view, &[view.whole()], &parts.known);
        Here::Settled(if left < parts.known.len() || parts.known.is_empty() {
            match view.outline.fault {
                Some(line) => {
                    judged(Verdict::Unverifiable, None, format!("{path} does not parse (line {line})"))
                }
                None => judged(Verdict::Drifted, None, format!("{path} has changed")),
            }
        } else if parts.some_left_out {
            judged(
                Verdict::Unverifiable,
                None,
                format!("{path} has changed; it has too many parts to say where"),
            )
        } else {
            judged(Verdict::Fresh, None, format!("all that was in {path} is still there"))
        })
    }

    fn file_elsewhere(self, code: &Code) -> Option<CandidatePlace> {
        let Place { captured, path, view, .. } = self;
        let moved = |rank, only_if_alone| {
            let why = format!("all of it is now in {path}");
            Some(CandidatePlace {
                judged: judged(Verdict::Moved, Some(path.to_owned()), why),
                rank,
                only_if_alone,
            })
        };
        let tiny = (captured.tokens as usize) < SUBSTANTIAL_TOKENS_MIN;
        if code.blob == captured.blob {
            return if captured.tokens == 0 { None } else { moved(Rank::Blob, tiny) };
        }
        let (from, to) = view.whole();
        if tiny {
            return None;
        }
        if prints::text(view.index.sums.window(from, to)) == captured.print {
            return moved(Rank::NameAndContent, false);
        }
        let parts = FileParts::from_captured(captured);
        let left = present(view, &[view.whole()], &parts.known);
        if (left as f64) < FILE_SHARE_MIN * parts.known.len() as f64 || left < 2 {
            return None;
        }
        if left == parts.known.len() && !parts.some_left_out {
            return moved(Rank::Name, false);
        }
        let why = format!("most of it is now in {path}, and some has changed");
        let judged = judged(Verdict::Drifted, Some(path.to_owned()), why);
        Some(CandidatePlace { judged, rank: Rank::Share, only_if_alone: false })
    }

    /// A symbol of this file as an anchor, in the words of the anchor where they still fit.
    fn symbol_text(self, name: &str) -> String {
        let kept = self.spot.symbol.clone().filter(|_| self.captured.symbol.as_deref() == Some(name));
        let symbol = Some(kept.unwrap_or_else(|| name.to_owned()));
        Spot { path: Some(self.path.to_owned()), lines: None, symbol }.text()
    }

    fn lines_text(self, lines: (u32, u32)) -> String {
        Spot { path: Some(self.path.to_owned()), lines: Some(lines), symbol: None }.text()
    }
}

fn best(matches: &[Match]) -> Option<&Match> {
    matches.iter().max_by_key(|found| (found.inside, found.neighbours, std::cmp::Reverse(found.distance)))
}

/// The parts of a whole file, of which some may have been left out.
struct FileParts {
    known: Vec<Part>,
    some_left_out: bool,
}

impl FileParts {
    fn from_captured(captured: &Captured) -> FileParts {
        let mut known = Part::all(&captured.parts);
        let some_left_out = known.len() > PARTS_MAX;
        known.truncate(PARTS_MAX);
        FileParts { known, some_left_out }
    }
}

/// Prints of different takers are never compared; a few lines of text can be.
fn by_excerpt(spot: &Spot, captured: &Captured, path: &str, code: &Code, why: String) -> PlaceVerdict {
    let Some(text) = &captured.text else { return judged(Verdict::Unverifiable, None, why) };
    let wanted: String = text.split_whitespace().collect();
    let (mut all, mut lines) = (String::new(), Vec::new());
    for (line, number) in code.text.lines().zip(1_u32..) {
        let bare: String = line.split_whitespace().collect();
        lines.extend(std::iter::repeat_n(number, bare.len()));
        all.push_str(&bare);
    }
    let mut found = all.match_indices(&wanted).map(|(at, _)| (lines[at], lines[at + wanted.len() - 1]));
    match (found.next(), found.next(), spot.lines) {
        (Some(one), None, Some(_)) if captured.lines != Some(one) => {
            let now = Spot { path: Some(path.to_owned()), lines: Some(one), symbol: None }.text();
            judged(Verdict::Moved, Some(now.clone()), format!("it is now at {now}"))
        }
        (Some(_), None, _) => judged(Verdict::Fresh, None, format!("its text is in {path} as it was")),
        _ => judged(Verdict::Unverifiable, None, why),
    }
}

/// The same file name, then the nearest folder.
fn nearness(from: &str, to: &str) -> u32 {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let folders = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
    let (a, b) = (folders(from), folders(to));
    let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count().min(20);
    let apart = (a.len().abs_diff(common) + b.len().abs_diff(common)).min(20);
    500 * u32::from(name(from) == name(to)) + 20 * common as u32 + (20 - apart as u32)
}

/// Whether a text has that word.
fn mentions(text: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word))
}

fn judged(verdict: Verdict, now: Option<String>, why: impl Into<String>) -> PlaceVerdict {
    PlaceVerdict { verdict, now, why: why.into() }
}
