//! Names of things: events by content, entries by what they claim, replicas by chance, and the ids people give.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::limits::GIVEN_ID_CHARS_MAX;
use crate::words::normalise_statement;

/// Text forms shared by the fixed-width hexadecimal names below.
macro_rules! hex_name {
    ($(#[$doc:meta])* $name:ident, $bytes:literal, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; $bytes]);

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                let mut text = [0_u8; $bytes * 2];
                for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
                    pair[0] = DIGITS[usize::from(byte >> 4)];
                    pair[1] = DIGITS[usize::from(byte & 15)];
                }
                out.write_str(std::str::from_utf8(&text).expect("hexadecimal digits are ASCII"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, out)
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let wrong = || format!("{text:?} is not {}: {} lower-case hexadecimal digits", $what, $bytes * 2);
                let digit = |byte: u8| match byte {
                    b'0'..=b'9' => Some(byte - b'0'),
                    b'a'..=b'f' => Some(byte - b'a' + 10),
                    _ => None,
                };
                if text.len() != $bytes * 2 {
                    return Err(wrong());
                }
                let mut bytes = [0_u8; $bytes];
                for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
                    let (high, low) = digit(pair[0]).zip(digit(pair[1])).ok_or_else(wrong)?;
                    *byte = high << 4 | low;
                }
                Ok($name(bytes))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

hex_name!(
    /// The content hash of an event: its name everywhere (STO-4).
    EventHash, 20, "an event hash"
);
hex_name!(
    /// The name of an entry: 16 digits from what it first claimed (STO-8). Events refer to entries by this alone.
    EntryKey, 8, "an entry key"
);
hex_name!(
    /// One clone's name, chosen by chance when it first writes.
    ReplicaId, 6, "a replica id"
);

impl EventHash {
    /// The hash of the canonical event without its hash and signature.
    pub fn from_parts(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(part);
        }
        let mut bytes = [0; 20];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..20]);
        EventHash(bytes)
    }
}

impl EntryKey {
    /// The key of a claim of some type within some scope. Two clones that add the same thing make one entry.
    pub fn derive(type_name: &str, scope: &str, claim: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [type_name, scope, &normalise_statement(claim)] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        EntryKey(bytes)
    }
}

/// An id that a caller chose: `norm.commit.001`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GivenId(String);

impl GivenId {
    /// Accepts ASCII letters, digits, `.`, `_` and `-`, beginning with a letter or digit.
    ///
    /// Nothing that could be a path, and no letters with two Unicode spellings: such ids would be one to a person and two to a
    /// computer.
    pub fn parse(text: &str) -> Result<Self, String> {
        let allowed = format!(
            "ids have 1 to {GIVEN_ID_CHARS_MAX} characters: ASCII letters, digits, `.`, `_` and `-`, starting with a letter or digit"
        );
        if text.is_empty() {
            return Err(format!("is empty; {allowed}"));
        }
        if text.len() > GIVEN_ID_CHARS_MAX {
            return Err(format!("has {} bytes; {allowed}", text.len()));
        }
        if let Some(odd) = text.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')))
        {
            return Err(format!("{text:?} contains {odd:?}; {allowed}"));
        }
        if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) || text.contains("..") {
            return Err(format!("{text:?} looks like a path or a flag; {allowed}"));
        }
        Ok(GivenId(text.to_owned()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GivenId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for GivenId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        GivenId::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clones_that_say_the_same_make_one_key() {
        let one = EntryKey::derive("lesson", "project", "Retry  with backoff.");
        assert_eq!(one, EntryKey::derive("lesson", "project", "retry with backoff"));
        assert_ne!(one, EntryKey::derive("pattern", "project", "retry with backoff"));
        assert_ne!(one, EntryKey::derive("lesson", "global", "retry with backoff"));
        assert_eq!(one.to_string().parse::<EntryKey>().unwrap(), one);
        assert_eq!(one.to_string().len(), 16);
    }

    #[test]
    fn ids_that_could_be_paths_are_refused() {
        for text in
            ["../../x", "a/b", ".hidden", "-rf", "", "a..b", "caf\u{e9}", "a\u{0}b", "a b", &"x".repeat(121)]
        {
            assert!(GivenId::parse(text).is_err(), "{text}");
        }
        for text in ["norm.commit.001", "A", "CON", "L-abc", "a_b-c.D"] {
            assert_eq!(GivenId::parse(text).unwrap().as_str(), text);
        }
    }
}
