//! Finds which of many short literals stand where in a text, whatever their letter case, in one pass.
//!
//! A table over three letters rather than an automaton: it is put together in a few microseconds, and a short-lived program
//! spends more time on that than on looking.

/// Literals to be found. Put together once.
pub struct Literals {
    literals: Vec<Vec<u8>>,
    beginnings: Vec<Beginning>,
    /// For a hash of three letters, the first entry of a chain in `next`, plus one.
    heads: Vec<u16>,
    next: Vec<u16>,
    /// Literals of two letters.
    pairs: Vec<(u8, u8, u16)>,
    /// For a first letter, bits for the second ones, by their last five bits.
    begins_pair: [u32; 256],
}

/// The first eight bytes of a literal as a number, so that most comparisons are one of two numbers.
#[derive(Clone, Copy)]
pub(crate) struct Beginning {
    bytes: u64,
    mask: u64,
}

impl Beginning {
    /// Of a literal, which may be shorter.
    pub(crate) fn new(literal: &[u8]) -> Beginning {
        let mask = if literal.len() >= 8 { u64::MAX } else { (1 << (8 * literal.len())) - 1 };
        Beginning { bytes: eight(literal, 0), mask }
    }

    /// Whether what [`eight`] read begins so.
    pub(crate) fn is_in(self, eight: u64) -> bool {
        eight & self.mask == self.bytes
    }
}

/// The eight bytes from a place on, with zeros where there are none.
pub(crate) fn eight(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk::<8>() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => rest.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
    }
}

/// Slots of the table; a power of two, many more than literals, so that chains are short.
const SLOTS_BITS: u32 = 13;

impl Literals {
    /// Takes literals of at least two bytes; letters count in either case.
    pub fn new<'a>(all: impl IntoIterator<Item = &'a str>) -> Literals {
        let literals: Vec<Vec<u8>> =
            all.into_iter().map(|literal| literal.as_bytes().to_ascii_lowercase()).collect();
        let mut heads = vec![0u16; 1 << SLOTS_BITS];
        let mut next = vec![0u16; literals.len()];
        let mut pairs = Vec::new();
        let mut begins_pair = [0u32; 256];
        for (index, literal) in literals.iter().enumerate() {
            match literal[..] {
                [first, second] => {
                    pairs.push((first, second, index as u16));
                    begins_pair[first as usize] |= 1 << (second & 31);
                }
                [a, b, c, ..] => {
                    let slot = slot(a, b, c);
                    next[index] = heads[slot];
                    heads[slot] = index as u16 + 1;
                }
                _ => {}
            }
        }
        let beginnings = literals.iter().map(|literal| Beginning::new(literal)).collect();
        Literals { literals, beginnings, heads, next, pairs, begins_pair }
    }

    /// Calls with the index and the place of every literal in a text, in the order of their beginnings.
    pub fn each(&self, lower: &[u8], mut found: impl FnMut(usize, usize, usize)) {
        for at in 0..lower.len().saturating_sub(1) {
            let (a, b) = (lower[at], lower[at + 1]);
            if self.begins_pair[a as usize] >> (b & 31) & 1 == 1 {
                for &(first, second, index) in &self.pairs {
                    if (first, second) == (a, b) {
                        found(index as usize, at, at + 2);
                    }
                }
            }
            let Some(&c) = lower.get(at + 2) else { continue };
            let mut entry = self.heads[slot(a, b, c)];
            if entry == 0 {
                continue;
            }
            let eight = eight(lower, at);
            while entry != 0 {
                let index = entry as usize - 1;
                if self.beginnings[index].is_in(eight) {
                    let literal = &self.literals[index];
                    if literal.len() <= lower.len() - at
                        && (literal.len() <= 8 || lower[at..].starts_with(literal))
                    {
                        found(index, at, at + literal.len());
                    }
                }
                entry = self.next[index];
            }
        }
    }

    /// Whether any of them is in a text.
    pub fn any_in(&self, lower: &[u8]) -> bool {
        let mut any = false;
        self.each(lower, |_, _, _| any = true);
        any
    }
}

fn slot(a: u8, b: u8, c: u8) -> usize {
    let letters = u32::from(a) | u32::from(b) << 8 | u32::from(c) << 16;
    (letters.wrapping_mul(0x9e37_79b1) >> (32 - SLOTS_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_of_them_are_found_where_they_are() {
        let literals = Literals::new(["key", "Q~", "monkey", "keyring", "ring"]);
        let mut found = Vec::new();
        literals.each(b"a monkeyring q~ key", |index, start, _| found.push((index, start)));
        assert_eq!(found, [(2, 2), (3, 5), (0, 5), (4, 8), (1, 13), (0, 16)]);
        assert!(!literals.any_in(b"ke"));
    }

    proptest! {
        #[test]
        fn comparing_by_numbers_finds_what_comparing_by_bytes_does(
            text in "[ab\0]{0,24}",
            words in prop::collection::vec("[ab]{2,10}", 1..6),
        ) {
            let mut found = Vec::new();
            let literals = Literals::new(words.iter().map(String::as_str));
            literals.each(text.as_bytes(), |index, start, end| found.push((index, start, end)));
            found.sort_unstable();
            let slow = words.iter().enumerate().flat_map(|(index, word)| {
                let starts = (0..text.len()).filter(|at| text[*at..].starts_with(word.as_str()));
                starts.map(move |at| (index, at, at + word.len())).collect::<Vec<_>>()
            });
            prop_assert_eq!(found, slow.collect::<Vec<_>>());
        }
    }
}
