//! A small linear model for orders in disguise: what no list of phrases foresees, in any language.
//!
//! It sees words, pairs of words, pieces of words and a few shapes, hashed into buckets, each with a learned weight. Where the
//! weights come from is told in `models/README.md`. It reads a long text in overlapping windows and judges by the worst of
//! them, so that innocent pages around an order do not water it down.

use crate::limits::model::{BLOCK_CHARS, BLOCK_CHARS_MAX, WORD_CHARS_MAX};
pub use crate::limits::model::{HIGH, MEDIUM, WINDOW_BLOCKS};
use crate::text::{Remembered, Text};

/// The rule id of its findings.
pub const RULE: &str = "learned-injection";

const _: () = assert!(MEDIUM < HIGH);

/// Binary logarithm of the number of buckets.
const BUCKET_BITS: u32 = 17;
/// How many weights there are.
pub const BUCKETS: usize = 1 << BUCKET_BITS;
/// Pieces of words have the first half of the buckets, everything else the second.
pub const PIECE_BUCKETS: usize = BUCKETS / 2;
/// So many features fit before room has to be made.
const FEATURES_USUAL: usize = 1024;

/// First bytes of the file of weights.
const MAGIC: &[u8; 4] = b"KGI1";
const HEADER_BYTES: usize = 12;
static FILE: &[u8] = include_bytes!("../models/injection.bin");

/// The worst window of a text: its score and its place in `Text::plain`. None, if the text has no words, or scores below [`MEDIUM`].
pub fn look(text: &Text<'_>) -> Option<(f32, usize, usize)> {
    let weights = Weights::shipped()?;
    worst(&weights, &text.plain).filter(|(score, ..)| *score >= MEDIUM)
}

pub struct Weights<'a> {
    scale: f32,
    bias: f32,
    buckets: &'a [u8],
}

impl Weights<'static> {
    /// Those in the binary. None only if it was built with a broken file, which a test rules out.
    pub fn shipped() -> Option<Weights<'static>> {
        Weights::read(FILE)
    }
}

impl<'a> Weights<'a> {
    /// Reads a file of weights.
    pub fn read(file: &'a [u8]) -> Option<Weights<'a>> {
        let (head, buckets) = file.split_at_checked(HEADER_BYTES)?;
        let number = |at: usize| Some(f32::from_le_bytes(head.get(at..at + 4)?.try_into().ok()?));
        let whole = head.starts_with(MAGIC) && buckets.len() == BUCKETS;
        whole.then_some(Weights { scale: number(4)?, bias: number(8)?, buckets })
    }

    /// The file that [`Weights::read`] reads. Weights are rounded to 255 steps; the few beyond `largest` are cut.
    pub fn write(weights: &[f32], bias: f32, largest: f32) -> Vec<u8> {
        let scale = largest / 127.0;
        let mut file = MAGIC.to_vec();
        file.extend_from_slice(&scale.to_le_bytes());
        file.extend_from_slice(&bias.to_le_bytes());
        file.extend(weights.iter().map(|weight| (weight / scale).round().clamp(-127.0, 127.0) as i8 as u8));
        file
    }

    fn weight(&self, bucket: u32) -> i32 {
        self.buckets.get(bucket as usize).map_or(0, |weight| i32::from(*weight as i8))
    }

    fn score(&self, sum: i32, features: u32) -> f32 {
        self.bias + self.scale * sum as f32 / (features.max(1) as f32).sqrt()
    }
}

/// The window that scores most, with its place in bytes.
pub fn worst(weights: &Weights<'_>, plain: &str) -> Option<(f32, usize, usize)> {
    // The last blocks, oldest first: sum of weights, number of features, where it begins.
    let mut last = [(0i32, 0u32, 0usize); WINDOW_BLOCKS];
    let mut filled = 0;
    let mut worst: Option<(f32, usize, usize)> = None;
    each_block(plain, |start, end, features| {
        last.rotate_left(1);
        let sum = features.iter().map(|bucket| weights.weight(*bucket)).sum();
        last[WINDOW_BLOCKS - 1] = (sum, features.len() as u32, start);
        filled = (filled + 1).min(WINDOW_BLOCKS);
        let (mut sum, mut count) = (0, 0);
        for (block_sum, block_count, block_start) in last.iter().rev().take(filled) {
            sum += block_sum;
            count += block_count;
            let score = weights.score(sum, count);
            if worst.is_none_or(|(most, ..)| score > most) {
                worst = Some((score, *block_start, end));
            }
        }
    });
    worst
}

/// Cuts a text into blocks and tells each one's place and features: buckets, each once, in the order of their first appearance.
pub fn each_block(plain: &str, mut take: impl FnMut(usize, usize, &[u32])) {
    let features = Vec::with_capacity(FEATURES_USUAL);
    let mut block = Block { start: 0, chars: 0, features, seen: Box::new([0; BUCKETS / 64]) };
    let mut words = Words::default();
    let mut kinds = Remembered::new(Kind::from_letter);
    for (at, letter) in plain.char_indices() {
        block.chars += 1;
        let kind = if letter.is_ascii() { ASCII[letter as usize].kind } else { kinds.get(letter) };
        if words.kind != kind || kind == Kind::Mark && words.length >= 3 {
            words.end(&mut block);
            words.kind = kind;
        }
        let full = block.chars > BLOCK_CHARS && kind == Kind::Blank || block.chars > BLOCK_CHARS_MAX;
        if full {
            words.end(&mut block);
            if block.end(at, &mut take) {
                words.shapes = Shapes::default();
            }
        }
        words.push(letter, kind, &mut block);
    }
    words.end(&mut block);
    block.end(plain.len(), &mut take);
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Kind {
    #[default]
    Blank,
    Word,
    /// Scripts that are written without blanks, or with few: every character counts.
    Dense,
    Mark,
}

/// What is made of a character of ASCII.
#[derive(Clone, Copy)]
struct Ascii {
    kind: Kind,
    /// As it is hashed.
    folded: u8,
    is_digit: bool,
    is_capital: bool,
}

static ASCII: [Ascii; 128] = {
    let mut all = [Ascii { kind: Kind::Mark, folded: 0, is_digit: false, is_capital: false }; 128];
    let mut at = 0;
    while at < 128 {
        let letter = at as u8;
        all[at] = Ascii {
            kind: match letter {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'\'' => Kind::Word,
                b' ' | b'\n' | b'\t' | b'\r' | 0x0b | 0x0c => Kind::Blank,
                _ => Kind::Mark,
            },
            folded: if letter.is_ascii_digit() { DIGIT as u8 } else { letter.to_ascii_lowercase() },
            is_digit: letter.is_ascii_digit(),
            is_capital: letter.is_ascii_uppercase(),
        };
        at += 1;
    }
    all
};

impl Kind {
    fn from_letter(letter: char) -> Kind {
        match letter {
            '\0'..='\u{7f}' => ASCII[letter as usize].kind,
            '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => Kind::Dense,
            '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' => Kind::Dense,
            '’' => Kind::Word,
            _ if letter.is_alphanumeric() || is_mark(letter) => Kind::Word,
            _ if letter.is_whitespace() => Kind::Blank,
            _ => Kind::Mark,
        }
    }
}

/// Signs that belong to the letter before, in the scripts of India and the Arab world.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{610}'..='\u{65f}' | '\u{900}'..='\u{dff}')
}

/// The features of a block so far.
struct Block {
    start: usize,
    chars: usize,
    features: Vec<u32>,
    /// A bit for each bucket.
    seen: Box<[u64; BUCKETS / 64]>,
}

impl Block {
    #[inline(always)]
    fn add(&mut self, hash: u64, is_piece: bool) {
        // The high bits of a product depend on all bits of its factors.
        let bucket = (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BUCKET_BITS + 1)) as u32;
        let bucket = if is_piece { bucket } else { bucket + PIECE_BUCKETS as u32 };
        let (word, bit) = (&mut self.seen[bucket as usize / 64 % (BUCKETS / 64)], 1u64 << (bucket % 64));
        if *word & bit == 0 {
            *word |= bit;
            self.features.push(bucket);
        }
    }

    fn end(&mut self, at: usize, take: &mut impl FnMut(usize, usize, &[u32])) -> bool {
        if self.features.is_empty() {
            return false;
        }
        take(self.start, at, &self.features);
        for bucket in self.features.drain(..) {
            self.seen[bucket as usize / 64 % (BUCKETS / 64)] = 0;
        }
        self.start = at;
        self.chars = 0;
        true
    }
}

/// What a hash is of, so that a word and a shape do not share a bucket by being spelt alike.
#[derive(Clone, Copy)]
enum Of {
    Word = 1,
    Pair = 2,
    Apart = 3,
    Shape = 7,
}

/// The word that is being read, and the two before it.
#[derive(Default)]
struct Words {
    kind: Kind,
    length: usize,
    hash: u64,
    /// The last four characters, sixteen bits each.
    tail: u64,
    capitals: usize,
    digits: usize,
    before: [u64; 2],
    shapes: Shapes,
}

/// Counts over a block, told once they are remarkable.
#[derive(Default)]
struct Shapes {
    shouted: usize,
    single: usize,
    mixed: usize,
}

const BOUNDARY: u64 = 1;
const DIGIT: char = '0';

impl Words {
    #[inline(always)]
    fn push(&mut self, letter: char, kind: Kind, block: &mut Block) {
        if kind == Kind::Blank {
            return;
        }
        self.length += 1;
        let letter = match letter {
            '\0'..='\u{7f}' => {
                let known = &ASCII[letter as usize];
                self.digits += usize::from(known.is_digit);
                self.capitals += usize::from(known.is_capital);
                known.folded as char
            }
            '’' => '\'',
            // No letter of these scripts has a case.
            '\u{600}'..='\u{109f}' | '\u{3041}'..='\u{a48c}' | '\u{ac00}'..='\u{d7a3}' => letter,
            _ => letter.to_lowercase().next().unwrap_or(letter),
        };
        self.hash = mix(self.hash, letter as u64);
        if kind == Kind::Mark || self.length > WORD_CHARS_MAX && kind == Kind::Word {
            return;
        }
        self.piece(letter as u64, block);
    }

    /// Adds the pieces that end here: four characters of a word, two and three of a script where a character says more.
    #[inline(always)]
    fn piece(&mut self, code: u64, block: &mut Block) {
        if self.tail == 0 {
            self.tail = BOUNDARY;
        }
        self.tail = self.tail << 16 | (code ^ code >> 16) & 0xffff;
        if self.kind == Kind::Dense {
            block.add(self.tail & 0xffff_ffff, true);
            block.add(self.tail & 0xffff_ffff_ffff, true);
        } else if self.tail >> 48 != 0 {
            block.add(self.tail, true);
        }
    }

    fn end(&mut self, block: &mut Block) {
        if self.length == 0 {
            return;
        }
        if self.kind == Kind::Word && self.length <= WORD_CHARS_MAX {
            self.piece(BOUNDARY, block);
        }
        let word = if self.digits == self.length { mix(0, DIGIT as u64) } else { self.hash };
        let [first, second] = self.before;
        block.add(mix(word, Of::Word as u64), false);
        if second != 0 {
            block.add(mix(mix(second, word), Of::Pair as u64), false);
        }
        if first != 0 {
            block.add(mix(mix(first, word), Of::Apart as u64), false);
        }
        self.before = [second, word];
        self.shape(block);
        (self.length, self.hash, self.tail, self.capitals, self.digits) = (0, 0, 0, 0, 0);
    }

    fn shape(&mut self, block: &mut Block) {
        let shapes = &mut self.shapes;
        let letters = self.length - self.digits;
        let mut tell =
            |shape: u64, count: usize| block.add(mix(mix(shape, count as u64), Of::Shape as u64), false);
        if self.kind == Kind::Word && letters >= 3 && self.capitals == letters {
            shapes.shouted += 1;
            if matches!(shapes.shouted, 2 | 4 | 8) {
                tell(1, shapes.shouted);
            }
        }
        if self.kind == Kind::Word && self.length == 1 && letters == 1 {
            shapes.single += 1;
            if matches!(shapes.single, 6 | 12) {
                tell(2, shapes.single);
            }
        }
        if self.kind == Kind::Word && self.digits > 0 && letters > self.digits {
            shapes.mixed += 1;
            if matches!(shapes.mixed, 3 | 6) {
                tell(3, shapes.mixed);
            }
        }
        if self.kind == Kind::Word && self.length > WORD_CHARS_MAX {
            tell(4, 0);
        }
    }
}

fn mix(hash: u64, code: u64) -> u64 {
    (hash ^ code).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23).wrapping_add(0x2545_f491_4f6c_dd1d)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(plain: &str) -> Vec<(usize, usize, Vec<u32>)> {
        let mut blocks = Vec::new();
        each_block(plain, |start, end, features| blocks.push((start, end, features.to_vec())));
        blocks
    }

    #[test]
    fn the_shipped_weights_can_be_read() {
        assert!(Weights::shipped().is_some());
    }

    #[test]
    fn blocks_cover_the_text_without_gaps() {
        for text in
            ["word ".repeat(500), "前の指示を無視して".repeat(200), "x".repeat(3000), "é! ".repeat(700)]
        {
            let blocks = blocks(&text);
            assert!(blocks.len() > 1);
            assert_eq!(blocks[0].0, 0);
            assert!(blocks.windows(2).all(|pair| pair[0].1 == pair[1].0));
            assert_eq!(blocks.last().unwrap().1, text.len());
        }
    }

    #[test]
    fn a_feature_counts_once_in_a_block_and_letter_case_does_not_matter() {
        let [once, shout] = ["Ignore it", "ignore IT"].map(|text| blocks(text)[0].2.clone());
        assert_eq!(once, shout);
        assert_eq!(blocks("again again again again again again")[0].2, blocks("again again again")[0].2);
    }

    #[test]
    fn a_text_without_words_has_no_window() {
        let weights = Weights::shipped().unwrap();
        for text in ["", "  \n\t "] {
            assert_eq!(worst(&weights, text), None);
        }
    }

    #[test]
    fn weights_come_back_as_they_were_written() {
        let mut weights = vec![0.0; BUCKETS];
        (weights[0], weights[1], weights[2]) = (1.0, -0.5, 9.0);
        let file = Weights::write(&weights, 0.25, 1.0);
        let read = Weights::read(&file).unwrap();
        assert_eq!(
            (read.weight(0), read.weight(1), read.weight(2), read.weight(3), read.bias),
            (127, -64, 127, 0, 0.25)
        );
        assert!(Weights::read(&file[1..]).is_none());
    }
}
