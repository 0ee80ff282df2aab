//! Finds which of many short literals stand where in a text, whatever their letter case, in one pass.
//!
//! A table over three letters rather than an automaton: it is put together in a few microseconds, and a short-lived program
//! spends more time on that than on looking.

/// Literals to be found. Put together once.
pub struct Literals {
    literals: Vec<Literal>,
    /// The bytes of all of them, in small letters.
    bytes: Vec<u8>,
    /// For a hash of three letters, bits for the fourth ones, by their last five bits: most places stop here.
    fourth: Vec<u32>,
    /// For the same hash, the first literal of a chain, plus one.
    heads: Vec<u16>,
    /// Literals of two letters.
    pairs: Vec<(u8, u8, u16)>,
    /// For a first letter, bits for the second ones, by their last five bits.
    begins_pair: [u32; 256],
}

struct Literal {
    beginning: Beginning,
    start: u32,
    length: u32,
    /// The next one of the chain, plus one.
    next: u16,
}

/// The first eight bytes of a literal as a number, so that most comparisons are one of two numbers.
#[derive(Clone, Copy)]
struct Beginning {
    bytes: u64,
    mask: u64,
}

impl Beginning {
    /// Of a literal, which may be shorter.
    fn new(literal: &[u8]) -> Beginning {
        let mask = if literal.len() >= 8 { u64::MAX } else { (1 << (8 * literal.len())) - 1 };
        Beginning { bytes: eight(literal, 0), mask }
    }

    /// Whether what [`eight`] read begins so.
    fn is_in(self, eight: u64) -> bool {
        eight & self.mask == self.bytes
    }
}

/// The eight bytes from a place on, with zeros where there are none.
fn eight(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk::<8>() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => rest.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
    }
}

/// Slots of the table; a power of two, many more than literals, so that chains are short.
const SLOTS: usize = 1 << SLOTS_BITS;
const SLOTS_BITS: u32 = 13;

impl Literals {
    /// Takes literals of at least two bytes; letters count in either case.
    pub fn new<'a>(all: impl IntoIterator<Item = &'a str>) -> Literals {
        let mut made = Literals {
            literals: Vec::with_capacity(1024),
            bytes: Vec::with_capacity(8192),
            fourth: vec![0; SLOTS],
            heads: vec![0; SLOTS],
            pairs: Vec::new(),
            begins_pair: [0; 256],
        };
        all.into_iter().for_each(|literal| made.add(literal));
        made
    }

    fn add(&mut self, literal: &str) {
        let start = self.bytes.len();
        self.bytes.extend(literal.bytes().map(|byte| byte.to_ascii_lowercase()));
        let literal = &self.bytes[start..];
        let mut next = 0;
        match *literal {
            [first, second] => {
                self.pairs.push((first, second, self.literals.len() as u16));
                self.begins_pair[first as usize] |= 1 << (second & 31);
            }
            [a, b, c, ref rest @ ..] => {
                let slot = slot(u32::from_le_bytes([a, b, c, 0]));
                self.fourth[slot] |= rest.first().map_or(u32::MAX, |fourth| 1 << (fourth & 31));
                next = std::mem::replace(&mut self.heads[slot], self.literals.len() as u16 + 1);
            }
            _ => {}
        }
        let (beginning, length) = (Beginning::new(literal), literal.len() as u32);
        self.literals.push(Literal { beginning, start: start as u32, length, next });
    }

    /// Calls with the index and the place of every literal in a text, in the order of their beginnings.
    pub fn each(&self, lower: &[u8], mut found: impl FnMut(usize, usize, usize)) {
        let has_pairs = !self.pairs.is_empty();
        for (at, four) in lower.windows(4).enumerate() {
            let &[a, b, c, d] = four else { continue };
            if has_pairs && self.begins_pair[a as usize] >> (b & 31) & 1 == 1 {
                self.each_pair(lower, at, &mut found);
            }
            let slot = slot(u32::from_le_bytes([a, b, c, d]));
            if self.fourth[slot] >> (d & 31) & 1 == 1 {
                self.each_longer(lower, at, slot, &mut found);
            }
        }
        for at in lower.len().saturating_sub(3)..lower.len() {
            self.each_pair(lower, at, &mut found);
            if let Some(&[a, b, c]) = lower.get(at..at + 3) {
                self.each_longer(lower, at, slot(u32::from_le_bytes([a, b, c, 0])), &mut found);
            }
        }
    }

    /// Those of two letters that are at a place.
    fn each_pair(&self, lower: &[u8], at: usize, found: &mut impl FnMut(usize, usize, usize)) {
        for &(first, second, index) in &self.pairs {
            if lower[at..].starts_with(&[first, second]) {
                found(index as usize, at, at + 2);
            }
        }
    }

    /// Those of three letters or more that are at a place whose first three letters have a slot.
    fn each_longer(&self, lower: &[u8], at: usize, slot: usize, found: &mut impl FnMut(usize, usize, usize)) {
        let mut entry = self.heads[slot];
        let eight = eight(lower, at);
        while entry != 0 {
            let index = entry as usize - 1;
            let literal = &self.literals[index];
            entry = literal.next;
            if !literal.beginning.is_in(eight) {
                continue;
            }
            let (start, length) = (literal.start as usize, literal.length as usize);
            let is_here = length <= lower.len() - at
                && (length <= 8 || lower[at..].starts_with(&self.bytes[start..start + length]));
            if is_here {
                found(index, at, at + length);
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

/// The slot of three letters, given as the low bytes of a number.
fn slot(letters: u32) -> usize {
    ((letters << 8).wrapping_mul(0x9e37_79b1) >> (32 - SLOTS_BITS)) as usize
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
