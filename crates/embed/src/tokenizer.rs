//! BERT's uncased WordPiece, as exactly as the library the model was trained with: which pieces a text consists of.
//!
//! One thing is left out on purpose: a text that says `[SEP]` means the five characters, and cannot end itself.

use unicode_normalization::UnicodeNormalization;

/// What an unknown word becomes.
const UNKNOWN: u32 = 100;
/// What every text begins with.
pub(crate) const BEGIN: u32 = 101;
/// What every text ends with.
pub(crate) const END: u32 = 102;

/// Longer words are unknown, unread.
const WORD_CHARS_MAX: usize = 100;
/// How a piece that continues a word begins in the vocabulary.
const CONTINUED: &[u8] = b"##";
const EMPTY: u16 = 0xffff;

/// The known pieces, and what each character is, read in place from the packed model.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary<'a> {
    /// Piece ids, found by hash and linear probing.
    pub(crate) slots: &'a [u16],
    /// Where each piece begins in `spelling`, and where the last one ends.
    pub(crate) offsets: &'a [u32],
    pub(crate) spelling: &'a [u8],
    /// The first code point of each run of like characters, their kind in the top byte.
    pub(crate) characters: &'a [u32],
}

/// What the tokenizer does with a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Dropped,
    Blank,
    /// A word of its own.
    Ideograph,
    /// An accent, taken off.
    Mark,
    Punctuation,
}

const KIND_SHIFT: u32 = 24;
const POINT_MASK: u32 = (1 << KIND_SHIFT) - 1;

impl<'a> Vocabulary<'a> {
    pub(crate) const SLOTS: usize = 1 << 16;

    /// Finds the faults that would otherwise show up in the middle of a text.
    pub(crate) fn check(&self) -> Result<(), String> {
        let ends_well = self.offsets.last().is_some_and(|&end| end as usize == self.spelling.len());
        let begins_well = self.characters.first().is_some_and(|run| run & POINT_MASK == 0);
        if ends_well && begins_well { Ok(()) } else { Err("its vocabulary does not fit together".into()) }
    }

    /// The ids of a text's pieces, those of a word at a time, until `enough` of them.
    pub(crate) fn pieces(&self, text: &str, enough: usize) -> Vec<u32> {
        let mut pieces = Pieces {
            vocabulary: self,
            ids: Vec::new(),
            word: String::new(),
            word_chars: 0,
            hashes: Vec::new(),
        };
        // In the order of the original: clean, set ideographs apart, decompose, take marks off, lower, split.
        let cleaned = text.chars().flat_map(|c| match self.kind(c) {
            Kind::Dropped => [None, None, None],
            Kind::Blank => [Some(' '), None, None],
            Kind::Ideograph => [Some(' '), Some(c), Some(' ')],
            Kind::Letter | Kind::Mark | Kind::Punctuation => [Some(c), None, None],
        });
        let unmarked = cleaned.flatten().nfd().filter(|&c| self.kind(c) != Kind::Mark);
        for c in unmarked.flat_map(char::to_lowercase) {
            if c == ' ' {
                pieces.end_word();
            } else if self.kind(c) == Kind::Punctuation {
                pieces.end_word();
                pieces.push(c);
                pieces.end_word();
            } else {
                pieces.push(c);
            }
            if pieces.ids.len() >= enough {
                break;
            }
        }
        pieces.end_word();
        pieces.ids.truncate(enough);
        pieces.ids
    }

    fn kind(&self, c: char) -> Kind {
        if c.is_ascii_alphanumeric() {
            return Kind::Letter;
        }
        let point = u32::from(c);
        let after = self.characters.partition_point(|run| run & POINT_MASK <= point);
        match self.characters[after - 1] >> KIND_SHIFT {
            0 => Kind::Letter,
            1 => Kind::Dropped,
            2 => Kind::Blank,
            3 => Kind::Ideograph,
            4 => Kind::Mark,
            _ => Kind::Punctuation,
        }
    }

    /// The id of the piece that is spelled `first` and then `second`, whose hash is `hash`.
    fn find(&self, hash: Hash, first: &[u8], second: &[u8]) -> Option<u32> {
        let mut at = hash.slot();
        loop {
            let id = self.slots[at];
            if id == EMPTY {
                return None;
            }
            let spelled = self.spelled(id);
            if spelled.len() == first.len() + second.len()
                && spelled.starts_with(first)
                && spelled.ends_with(second)
            {
                return Some(u32::from(id));
            }
            at = (at + 1) % Self::SLOTS;
        }
    }

    fn spelled(&self, id: u16) -> &'a [u8] {
        let id = usize::from(id);
        &self.spelling[self.offsets[id] as usize..self.offsets[id + 1] as usize]
    }
}

/// The pieces found so far, and the word being read.
struct Pieces<'v, 'a> {
    vocabulary: &'v Vocabulary<'a>,
    ids: Vec<u32>,
    word: String,
    word_chars: usize,
    /// For each beginning of what is left of the word: its length and hash.
    hashes: Vec<(usize, Hash)>,
}

impl Pieces<'_, '_> {
    fn push(&mut self, c: char) {
        self.word_chars += 1;
        if self.word_chars <= WORD_CHARS_MAX {
            self.word.push(c);
        }
    }

    /// Cuts the word into the longest known pieces from the left. If that fails anywhere, all of it is unknown.
    fn end_word(&mut self) {
        let before = self.ids.len();
        let mut begin = 0;
        while begin < self.word.len() {
            let found = if self.word_chars > WORD_CHARS_MAX { None } else { self.longest_from(begin) };
            let Some((id, length)) = found else {
                self.ids.truncate(before);
                self.ids.push(UNKNOWN);
                break;
            };
            self.ids.push(id);
            begin += length;
        }
        self.word.clear();
        self.word_chars = 0;
    }

    fn longest_from(&mut self, begin: usize) -> Option<(u32, usize)> {
        let prefix = if begin == 0 { &[] } else { CONTINUED };
        let rest = &self.word[begin..];
        let mut hash = Hash::compute(prefix);
        self.hashes.clear();
        for (at, c) in rest.char_indices() {
            let end = at + c.len_utf8();
            hash = hash.then(&rest.as_bytes()[at..end]);
            self.hashes.push((end, hash));
        }
        let longest_first = self.hashes.iter().rev();
        longest_first
            .filter_map(|&(end, hash)| {
                self.vocabulary.find(hash, prefix, &rest.as_bytes()[..end]).map(|id| (id, end))
            })
            .next()
    }
}

/// FNV-1a, which can be continued.
#[derive(Clone, Copy)]
struct Hash(u32);

impl Hash {
    fn compute(bytes: &[u8]) -> Hash {
        Hash(0x811c_9dc5).then(bytes)
    }

    fn then(self, bytes: &[u8]) -> Hash {
        Hash(bytes.iter().fold(self.0, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)))
    }

    fn slot(self) -> usize {
        (self.0 ^ self.0 >> 16) as usize % Vocabulary::SLOTS
    }
}
