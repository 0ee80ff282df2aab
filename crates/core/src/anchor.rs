//! A place in the repository that an entry speaks of, and what was seen there when it was stated (VAL-3).

use serde::{Deserialize, Serialize};

/// Where an anchor points: its text form, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// The file, repository-relative; none for a symbol alone.
    pub path: Option<String>,
    /// First and last line, counted from one.
    pub lines: Option<(u32, u32)>,
    /// The symbol: `retry`, `Client.retry` or `Client::retry`.
    pub symbol: Option<String>,
}

impl Spot {
    /// Takes the text form of a valid anchor apart.
    pub fn parse(at: &str) -> Spot {
        let (place, symbol) = match at.split_once('#') {
            Some((place, symbol)) => (place, Some(symbol.trim().to_owned())),
            None => (at, None),
        };
        let (path, lines) = match place.rsplit_once(':') {
            Some((path, lines)) if lines.starts_with(|c: char| c.is_ascii_digit()) => {
                let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
                (path, from.parse().ok().zip(to.parse().ok()))
            }
            _ => (place, None),
        };
        Spot { path: Some(path.to_owned()).filter(|path| !path.is_empty()), lines, symbol }
    }

    /// The text form.
    pub fn text(&self) -> String {
        let mut text = self.path.clone().unwrap_or_default();
        match self.lines {
            Some((from, to)) if from == to => text.push_str(&format!(":{from}")),
            Some((from, to)) => text.push_str(&format!(":{from}-{to}")),
            None => {}
        }
        if let Some(symbol) = &self.symbol {
            text.push('#');
            text.push_str(symbol);
        }
        text
    }
}

/// What was seen at an anchor. No code is kept but a short excerpt that the scanner found clean: prints are enough to find it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Captured {
    /// What took the prints, and its version: `rust.1`, `text.1`. Prints of different takers are never compared.
    pub by: String,
    /// The git blob id of the file as it was.
    pub blob: String,
    /// The file it was found in, where the anchor is a symbol alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// First and last line of what was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    /// The named or the enclosing symbol, with the names around it: `Client.retry`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The print of everything that was seen: its tokens without comments and layout.
    pub print: String,
    /// How many tokens that is.
    pub tokens: u32,
    /// Prints of the parts of a file or of a type, run together, each of [`PART_DIGITS`]: what was added beside them is no change of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub parts: String,
    /// How many more places of its file looked the same: finding one of them proves nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub twins: u32,
    /// Words to look for where it is no longer in its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needles: Vec<String>,
    /// The lines themselves, with single spaces, where they are few and clean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Digits of the print of one part.
pub const PART_DIGITS: usize = 8;

/// What became of the code an anchor speaks of, or of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As it was.
    Fresh,
    /// As it was, in another place.
    Moved,
    /// Nobody can tell.
    Unverifiable,
    /// Its text changed; the symbol is still there.
    Drifted,
    /// Gone, or a condition does not hold.
    Broken,
}

impl Verdict {
    /// From the best to the worst.
    pub const ALL: [Verdict; 5] =
        [Verdict::Fresh, Verdict::Moved, Verdict::Unverifiable, Verdict::Drifted, Verdict::Broken];

    /// The word used in answers.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Fresh => "fresh",
            Verdict::Moved => "moved",
            Verdict::Unverifiable => "unverifiable",
            Verdict::Drifted => "drifted",
            Verdict::Broken => "broken",
        }
    }

    /// The verdict of a word.
    pub fn from_word(word: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.word() == word)
    }

    /// Whether what was said still holds: fresh, or found again.
    pub fn holds(self) -> bool {
        matches!(self, Verdict::Fresh | Verdict::Moved)
    }
}

/// What became of a place: the one type for it, from the look at the code to the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlaceVerdict {
    /// What became of it.
    pub verdict: Verdict,
    /// Where it is now, as the text of an anchor, if that is elsewhere.
    pub now: Option<String>,
    /// Why that is said, as a sentence without its full stop.
    pub why: String,
}

impl PlaceVerdict {
    /// Nobody can tell.
    pub fn unverifiable(why: impl Into<String>) -> PlaceVerdict {
        PlaceVerdict { verdict: Verdict::Unverifiable, now: None, why: why.into() }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spot_is_taken_apart_and_put_together() {
        for text in [
            "src/net.rs",
            "src/net.rs:47",
            "src/net.rs:47-52",
            "src/net.rs#Client.retry",
            "#retry",
            "a:b.txt",
        ] {
            assert_eq!(Spot::parse(text).text(), text);
        }
        let spot = Spot::parse("src/net.rs:47-52");
        assert_eq!(
            (spot.path.as_deref(), spot.lines, spot.symbol),
            (Some("src/net.rs"), Some((47, 52)), None)
        );
        assert_eq!(Spot::parse("#retry").path, None);
    }
}
