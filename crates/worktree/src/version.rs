//! Versions of any ecosystem and the ranges that requirements and conditions allow, so that one can be asked about the other.

use std::cmp::Ordering;
use std::fmt;

use ken_core::condition::{Order, VersionOp};

/// A version: numbers, and how far from being final it is. Build metadata and local parts change nothing.
#[derive(Clone, Debug)]
pub struct Version {
    epoch: u64,
    numbers: Vec<u64>,
    stage: Stage,
}

/// Where a version stands among those with its numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Before every version with these numbers: only the end of a range is here.
    Floor,
    /// Python's `.dev1`.
    Development(u64),
    /// `-alpha.1`, `rc2`.
    Before(Vec<Part>, Last),
    Final,
    /// Python's `.post1`.
    After(u64, Last),
    /// After every version with these numbers: only the end of a range is here.
    Ceiling,
}

/// A part of a pre-release; numbers come before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Word(String),
}

/// A development release comes before the one it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Last {
    Development(u64),
    Done,
}

impl Version {
    /// Reads a version: semantic versions, Python's, Go's with their `v`. None where it is none.
    pub fn parse(text: &str) -> Option<Version> {
        let text = text.trim().trim_start_matches('=').trim_start();
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let text = text.split('+').next().unwrap_or_default();
        let (epoch, text) = match text.split_once('!') {
            Some((epoch, rest)) => (epoch.parse().ok()?, rest),
            None => (0, text),
        };
        let mut numbers = Vec::new();
        let mut rest = text;
        loop {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            numbers.push(rest[..end].parse().ok()?);
            rest = &rest[end..];
            match rest.strip_prefix('.') {
                Some(after) if after.starts_with(|c: char| c.is_ascii_digit()) => rest = after,
                _ => break,
            }
        }
        Some(Version { epoch, numbers, stage: stage(rest)? })
    }

    /// Whether it is no pre-release.
    pub fn is_final(&self) -> bool {
        matches!(self.stage, Stage::Final | Stage::After(..))
    }

    /// The first numbers.
    pub(crate) fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    fn number(&self, at: usize) -> u64 {
        self.numbers.get(at).copied().unwrap_or(0)
    }

    /// The same numbers at another stage.
    fn at(&self, stage: Stage) -> Version {
        Version { epoch: self.epoch, numbers: self.numbers.clone(), stage }
    }

    /// Where the versions end that agree with it in all places before one, and in that place, too: `1.38` at 1 gives the floor of `1.39`.
    fn next(&self, place: usize) -> Version {
        let mut numbers: Vec<u64> = (0..=place).map(|at| self.number(at)).collect();
        if let Some(last) = numbers.last_mut() {
            *last = last.saturating_add(1);
        }
        Version { epoch: self.epoch, numbers, stage: Stage::Floor }
    }
}

/// What follows the numbers.
fn stage(rest: &str) -> Option<Stage> {
    if rest.is_empty() {
        return Some(Stage::Final);
    }
    let lower = rest.to_ascii_lowercase();
    if let Some(stage) = python_stage(&lower) {
        return Some(stage);
    }
    let words = lower.strip_prefix(['-', '_', '.']).unwrap_or(&lower);
    let parts: Vec<Part> = words
        .split(['.', '-', '_'])
        .map(|word| word.parse().map_or_else(|_| Part::Word(word.to_owned()), Part::Number))
        .collect();
    let fits = words.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    (fits && !words.is_empty()).then_some(Stage::Before(parts, Last::Done))
}

/// `a1`, `.rc2`, `-beta.3`, `.post1`, `.dev4` and their pairs. None where it is something else.
fn python_stage(text: &str) -> Option<Stage> {
    let mut rest = text;
    let mut take = |names: &[(&'static str, &'static str)]| {
        let start = rest.trim_start_matches(['.', '-', '_']);
        let (name, after) =
            names.iter().find_map(|(name, short)| Some((*short, start.strip_prefix(name)?)))?;
        let after = after.trim_start_matches(['.', '-', '_']);
        let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let number = if end == 0 { 0 } else { after[..end].parse().ok()? };
        rest = &after[end..];
        Some((name, number))
    };
    let before = take(&[
        ("alpha", "alpha"),
        ("beta", "beta"),
        ("preview", "rc"),
        ("pre", "rc"),
        ("rc", "rc"),
        ("a", "alpha"),
        ("b", "beta"),
        ("c", "rc"),
    ]);
    let after = take(&[("post", "post"), ("rev", "post")]);
    let development = take(&[("dev", "dev")]);
    if !rest.is_empty() {
        return None;
    }
    let last = development.map_or(Last::Done, |(_, number)| Last::Development(number));
    match (before, after, development) {
        (Some((name, number)), _, _) => {
            Some(Stage::Before(vec![Part::Word(name.to_owned()), Part::Number(number)], last))
        }
        (None, Some((_, number)), _) => Some(Stage::After(number, last)),
        (None, None, Some((_, number))) => Some(Stage::Development(number)),
        (None, None, None) => None,
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let places = self.numbers.len().max(other.numbers.len());
        let numbers = (0..places).map(|at| self.number(at).cmp(&other.number(at)));
        let by_number = self
            .epoch
            .cmp(&other.epoch)
            .then_with(|| numbers.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal));
        by_number.then_with(|| self.stage.cmp(&other.stage))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Some versions: those in one of several spans. The low end is in, the high end is not; either may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges(Vec<Span>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    low: Option<Version>,
    high: Option<Version>,
}

impl Span {
    /// What is in both; none where nothing is.
    fn and(&self, other: &Span) -> Option<Span> {
        let low = match (&self.low, &other.low) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.as_ref().or(b.as_ref()),
        };
        let high = match (&self.high, &other.high) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.as_ref().or(b.as_ref()),
        };
        let is_empty = low.zip(high).is_some_and(|(low, high)| low >= high);
        (!is_empty).then(|| Span { low: low.cloned(), high: high.cloned() })
    }

    fn is_within(&self, other: &Span) -> bool {
        let low = match (&self.low, &other.low) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(low), Some(other)) => low >= other,
        };
        let high = match (&self.high, &other.high) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(high), Some(other)) => high <= other,
        };
        low && high
    }
}

/// How what is allowed relates to what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Every allowed version is asked for.
    All,
    None,
    Some,
}

impl Ranges {
    pub fn any() -> Ranges {
        Ranges(vec![Span { low: None, high: None }])
    }

    /// This version and no other.
    pub fn only(version: &Version) -> Ranges {
        let high = match &version.stage {
            Stage::Final => version.at(Stage::After(0, Last::Development(0))),
            Stage::After(number, _) => {
                version.at(Stage::After(number.saturating_add(1), Last::Development(0)))
            }
            Stage::Before(parts, _) => {
                let mut parts = parts.clone();
                parts.push(Part::Number(0));
                version.at(Stage::Before(parts, Last::Development(0)))
            }
            Stage::Development(number) => version.at(Stage::Development(number.saturating_add(1))),
            Stage::Floor | Stage::Ceiling => version.at(Stage::Ceiling),
        };
        Ranges(vec![Span { low: Some(version.clone()), high: Some(high) }])
    }

    /// What a condition asks for. A version stands for everything that begins with it: `= 1.38` is met by 1.38.5, and so is `<= 1.38`.
    pub fn asked(op: VersionOp, version: &Version) -> Ranges {
        let last = version.numbers.len().saturating_sub(1);
        let after = match version.is_final() {
            true => version.next(last),
            // A pre-release has nothing that begins with it.
            false => Ranges::only(version).0.remove(0).high.unwrap_or_else(|| version.clone()),
        };
        let start = version.clone();
        let below = if version.is_final() { version.at(Stage::Floor) } else { version.clone() };
        let span = |low: Option<Version>, high: Option<Version>| Ranges(vec![Span { low, high }]);
        match op {
            VersionOp::Order(Order::Equal) => span(Some(start), Some(after)),
            VersionOp::Order(Order::NotEqual) => {
                Ranges(vec![Span { low: None, high: Some(start) }, Span { low: Some(after), high: None }])
            }
            VersionOp::Order(Order::Less) => span(None, Some(below)),
            VersionOp::Order(Order::AtMost) => span(None, Some(after)),
            VersionOp::Order(Order::Greater) => span(Some(after), None),
            VersionOp::Order(Order::AtLeast) => span(Some(start), None),
            VersionOp::Caret => {
                let place = version.numbers.iter().position(|number| *number > 0).unwrap_or(last);
                span(Some(start), Some(version.next(place)))
            }
            VersionOp::Tilde => span(Some(start), Some(version.next(last.min(1)))),
            VersionOp::Compatible => span(Some(start), Some(version.next(last.saturating_sub(1)))),
        }
    }

    /// What is in both.
    pub fn and(&self, other: &Ranges) -> Ranges {
        Ranges(self.0.iter().flat_map(|span| other.0.iter().filter_map(|other| span.and(other))).collect())
    }

    /// What is in either.
    pub fn or(mut self, other: Ranges) -> Ranges {
        self.0.extend(other.0);
        self
    }

    /// Whether no version is in.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How these, which are allowed, relate to others, which are asked for.
    pub fn fit(&self, asked: &Ranges) -> Fit {
        if self.and(asked).0.is_empty() {
            return Fit::None;
        }
        match self.0.iter().all(|span| asked.0.iter().any(|asked| span.is_within(asked))) {
            true => Fit::All,
            false => Fit::Some,
        }
    }

    /// Whether a version is in.
    pub fn has(&self, version: &Version) -> bool {
        self.0.iter().any(|span| {
            span.low.as_ref().is_none_or(|low| version >= low)
                && span.high.as_ref().is_none_or(|high| version < high)
        })
    }
}

/// Whose rules a requirement follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// A version alone is `^`.
    Cargo,
    /// A version alone is itself; `||`, `-` and `x` are possible.
    Npm,
    /// As in PEP 440, with what Poetry adds.
    Python,
}

impl Ranges {
    /// The versions that a requirement allows. None where it does not speak of versions: tags, paths, URLs.
    pub fn required(text: &str, rules: Rules) -> Option<Ranges> {
        let mut either: Option<Ranges> = None;
        for choice in text.split("||").flat_map(|part| match rules {
            Rules::Python => part.split('|').collect::<Vec<_>>(),
            Rules::Cargo | Rules::Npm => vec![part],
        }) {
            let ranges = choice_of(choice.trim(), rules)?;
            either = Some(match either {
                Some(either) => either.or(ranges),
                None => ranges,
            });
        }
        either
    }
}

fn choice_of(text: &str, rules: Rules) -> Option<Ranges> {
    if let (Rules::Npm, Some((from, to))) = (rules, text.split_once(" - ")) {
        let from = comparison(">=", from.trim(), rules)?;
        return Some(from.and(&comparison("<=", to.trim(), rules)?));
    }
    let mut all = Ranges::any();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let sign = rest.find(|c: char| !"^~<>=!".contains(c)).unwrap_or(rest.len());
        let (sign, after) = rest.split_at(sign);
        let after = after.trim_start();
        let end = after.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(after.len());
        all = all.and(&comparison(sign, &after[..end], rules)?);
        rest = after[end..].trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    }
    Some(all)
}

fn comparison(sign: &str, text: &str, rules: Rules) -> Option<Ranges> {
    let text = text.trim_matches(['(', ')']);
    if matches!(text, "" | "*" | "x" | "X") {
        return (sign.is_empty() || !text.is_empty()).then(Ranges::any);
    }
    let stars = [".*", ".x", ".X"];
    let mut shorter = text;
    while let Some(rest) = stars.iter().find_map(|star| shorter.strip_suffix(star)) {
        shorter = rest;
    }
    let is_open = shorter.len() < text.len();
    let version = Version::parse(shorter)?;
    let begins = |order: Order| Ranges::asked(VersionOp::Order(order), &version);
    let is_short = is_open || version.numbers.len() < 3;
    let exactly = || Ranges::only(&version);
    let through = || {
        let high = exactly().0.remove(0).high;
        Ranges(vec![Span { low: None, high }])
    };
    Some(match (sign, rules) {
        ("" | "=", Rules::Npm) if is_short => begins(Order::Equal),
        ("" | "=" | "==" | "===", _) if is_open => begins(Order::Equal),
        ("", Rules::Cargo) | ("^", _) => Ranges::asked(VersionOp::Caret, &version),
        ("=", Rules::Cargo) => begins(Order::Equal),
        ("" | "=" | "==" | "===", _) => exactly(),
        ("!=", _) if is_open => begins(Order::NotEqual),
        ("!=", _) => {
            let span = exactly().0.remove(0);
            Ranges(vec![Span { low: None, high: span.low }, Span { low: span.high, high: None }])
        }
        ("~", _) | ("~>", _) => Ranges::asked(VersionOp::Tilde, &version),
        ("~=", _) => Ranges::asked(VersionOp::Compatible, &version),
        (">=", _) => begins(Order::AtLeast),
        ("<", _) => begins(Order::Less),
        ("<=", Rules::Python) => through(),
        ("<=", _) => begins(Order::AtMost),
        (">", Rules::Python) => Ranges(vec![Span { low: exactly().0.remove(0).high, high: None }]),
        (">", _) => begins(Order::Greater),
        _ => return None,
    })
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.numbers.iter().map(u64::to_string).collect();
        out.write_str(&numbers.join("."))
    }
}

#[cfg(test)]
mod tests {
    use ken_core::condition::{Atom, Condition};
    use proptest::prelude::*;

    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap_or_else(|| panic!("{text} is no version"))
    }

    fn asked(text: &str) -> Ranges {
        match Condition::parse(&format!("x {text}")).unwrap().atom {
            Atom::Version { op, version: text, .. } => Ranges::asked(op, &version(&text)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn versions_have_an_order() {
        for line in [
            "1.0.0-alpha < 1.0.0-alpha.1 < 1.0.0-alpha.beta < 1.0.0-beta < 1.0.0-beta.2 < 1.0.0-beta.11 < 1.0.0-rc.1 < 1.0.0",
            "1.0.dev1 < 1.0a1.dev2 < 1.0a1 < 1.0a2 < 1.0b1 < 1.0rc1 < 1.0 < 1.0.post1.dev1 < 1.0.post1 < 1.1.dev1",
            "v0.0.0-20230101000000-abcdefabcdef < v0.0.1 < v1.2.3+incompatible < v1.10.0 < 1!0.1",
            "2024.1 < 2024.10 < 2025",
        ] {
            let versions: Vec<&str> = line.split(" < ").collect();
            for pair in versions.windows(2) {
                assert!(version(pair[0]) < version(pair[1]), "{} < {}", pair[0], pair[1]);
            }
        }
        assert_eq!(version("1.0").cmp(&version("1.0.0")), Ordering::Equal);
        assert_eq!(version("1.0.0+a").cmp(&version("v1.0.0+b")), Ordering::Equal);
        for text in ["", "x", "latest", "1.0 beta", "..", "1.0.0~1"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    /// VAL-1.
    #[test]
    fn what_conditions_ask_for() {
        for (text, met, missed) in [
            ("= 1.38", "1.38.0 1.38.5 1.38", "1.37.9 1.39.0 1.38.0-rc1 1.39.0-rc1"),
            ("!= 1.38", "1.37.9 1.39.0", "1.38.0 1.38.5"),
            ("= 1.38.2", "1.38.2 1.38.2+build", "1.38.3 1.38.1"),
            ("= 2.0.0-rc1", "2.0.0-rc1 2.0.0-rc.1", "2.0.0 2.0.0-rc2"),
            ("< 2", "1.99 1.0", "2.0.0 2.0.0-rc1 2.1"),
            ("<= 1.38", "1.38.9 1.2", "1.39.0 2.0"),
            ("> 1.38", "1.39.0 2.0.0", "1.38.9 1.38"),
            (">= 1.38", "1.38.0 2.0.0-rc1 3", "1.37 1.38.0-rc1"),
            ("^1.38", "1.38.0 1.99.1", "2.0.0 2.0.0-alpha 1.37.5"),
            ("^0.3", "0.3.0 0.3.9", "0.4.0 0.2"),
            ("^0.0.3", "0.0.3", "0.0.4"),
            ("~1.38", "1.38.9", "1.39.0"),
            ("~1", "1.99", "2.0"),
            ("~=1.38", "1.99", "2.0 1.37"),
            ("~=1.38.2", "1.38.9", "1.39 1.38.1"),
        ] {
            let ranges = asked(text);
            for one in met.split(' ') {
                assert!(ranges.has(&version(one)), "{one} {text}");
                assert_eq!(Ranges::only(&version(one)).fit(&ranges), Fit::All, "only {one} {text}");
            }
            for one in missed.split(' ') {
                assert!(!ranges.has(&version(one)), "not {one} {text}");
                assert_eq!(Ranges::only(&version(one)).fit(&ranges), Fit::None, "only {one} {text}");
            }
        }
    }

    #[test]
    fn what_requirements_allow() {
        use Rules::{Cargo, Npm, Python};
        for (rules, text, condition, fit) in [
            (Cargo, "1.2", ">= 1.2", Fit::All),
            (Cargo, "1.2", "^1.2", Fit::All),
            (Cargo, "1.2", "^1.38", Fit::Some),
            (Cargo, "1.2", ">= 2", Fit::None),
            (Cargo, ">=1.2, <1.5", "< 2", Fit::All),
            (Cargo, "*", ">= 1", Fit::Some),
            (Cargo, "1.*", "= 1", Fit::All),
            (Cargo, "=1.2.3", "= 1.2", Fit::All),
            (Cargo, "~0.3.1", "^0.3", Fit::All),
            (Npm, "1.2.3", "= 1.2.3", Fit::All),
            (Npm, "^1.2.3 || ^2.0.0", ">= 1.2", Fit::All),
            (Npm, "^1.2.3 || ^2.0.0", "< 2", Fit::Some),
            (Npm, "1.2 - 2.3", "< 2.4", Fit::All),
            (Npm, ">=1.2.3 <2", "= 1", Fit::All),
            (Npm, "18.x", "= 18", Fit::All),
            (Npm, "", ">= 1", Fit::Some),
            (Python, "==1.4", "= 1.4.0", Fit::All),
            (Python, "==1.4.*", "= 1.4", Fit::All),
            (Python, ">=3.9,<4.0", ">= 3.9", Fit::All),
            (Python, ">=3.9,<4.0", ">= 3.11", Fit::Some),
            (Python, "~=2.31", "^2.31", Fit::All),
            (Python, "^3.11", "< 4", Fit::All),
            (Python, "!=1.5,>=1", "= 0", Fit::None),
            (Python, "<=1.38", "< 1.38.1", Fit::All),
        ] {
            let allowed = Ranges::required(text, rules).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(allowed.fit(&asked(condition)), fit, "{text:?} {condition}");
        }
        for text in ["latest", "workspace:^", "git+ssh://x", "file:../x", "github:a/b"] {
            assert_eq!(Ranges::required(text, Npm), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "[0-9a-z.!+*^~<>=|, -]{0,24}") {
            let _ = Version::parse(&text);
            for rules in [Rules::Cargo, Rules::Npm, Rules::Python] {
                let _ = Ranges::required(&text, rules);
            }
        }
    }
}
