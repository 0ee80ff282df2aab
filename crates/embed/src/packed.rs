//! The packed model file: a table of named sections, checked once and then read in place.
//!
//! `models/pack.py` writes it and describes the format.

use crate::encoder::{Layer, Matrix, Norm, Weights};
use crate::tokenizer::Vocabulary;
use crate::{DIMENSIONS, TOKENS_MAX};
use std::ops::Range;

/// The words the model knows.
pub(crate) const WORDS: usize = 30522;
/// The layers of the encoder.
pub(crate) const LAYERS: usize = 6;
/// The width of a layer's inner rows.
pub(crate) const WIDE: usize = 4 * DIMENSIONS;

const MAGIC: &[u8; 8] = b"KENMODEL";
const VERSION: u32 = 1;
const HEADER: usize = 24;
const ENTRY: usize = 40;
const NAME: usize = 24;
const ALIGNMENT: usize = 64;

/// Bytes that begin at a multiple of 64, as the numbers among them must.
#[repr(C, align(64))]
pub(crate) struct Aligned<B: ?Sized>(pub(crate) B);

/// Where everything is in a file that was found to be whole.
#[derive(Clone)]
pub(crate) struct Layout {
    words: Range<usize>,
    positions: Range<usize>,
    words_norm: Range<usize>,
    layers: [LayerLayout; LAYERS],
    slots: Range<usize>,
    offsets: Range<usize>,
    spelling: Range<usize>,
    characters: Range<usize>,
}

#[derive(Clone)]
struct LayerLayout {
    heads: Range<usize>,
    mix: Range<usize>,
    mix_norm: Range<usize>,
    widen: Range<usize>,
    narrow: Range<usize>,
    narrow_norm: Range<usize>,
}

impl Layout {
    /// Finds the sections of a file, or says what is wrong with it.
    pub(crate) fn read(file: &[u8]) -> Result<Layout, String> {
        if file.get(..8) != Some(MAGIC) {
            return Err("it does not begin as a packed model does".into());
        }
        let cut = || format!("it ends early, after {} bytes", file.len());
        let version = u32_at(file, 8).ok_or_else(cut)?;
        if version != VERSION {
            return Err(format!("it has format version {version}, and this program reads version {VERSION}"));
        }
        let count = u32_at(file, 12).ok_or_else(cut)? as usize;
        let length = u64_at(file, 16).ok_or_else(cut)?;
        if length != file.len() as u64 {
            return Err(format!("it should have {length} bytes and has {}", file.len()));
        }
        let table = count.checked_mul(ENTRY).and_then(|size| file.get(HEADER..HEADER.checked_add(size)?));
        let sections = Sections { file, table: table.ok_or_else(cut)? };

        let matrix = |outputs: usize, inputs: usize| outputs * inputs + outputs * 12;
        let norm = DIMENSIONS * 8;
        let layer = |n: usize| -> Result<LayerLayout, String> {
            let find = |part: &str, length: usize| sections.find(&format!("layer{n}.{part}"), Some(length));
            Ok(LayerLayout {
                heads: find("heads", matrix(3 * DIMENSIONS, DIMENSIONS))?,
                mix: find("mix", matrix(DIMENSIONS, DIMENSIONS))?,
                mix_norm: find("mix.norm", norm)?,
                widen: find("widen", matrix(WIDE, DIMENSIONS))?,
                narrow: find("narrow", matrix(DIMENSIONS, WIDE))?,
                narrow_norm: find("narrow.norm", norm)?,
            })
        };
        let layout = Layout {
            words: sections.find("words", Some(WORDS * (DIMENSIONS + 4)))?,
            positions: sections.find("positions", Some(TOKENS_MAX * DIMENSIONS * 4))?,
            words_norm: sections.find("words.norm", Some(norm))?,
            layers: [layer(0)?, layer(1)?, layer(2)?, layer(3)?, layer(4)?, layer(5)?],
            slots: sections.find("vocabulary.slots", Some(Vocabulary::SLOTS * 2))?,
            offsets: sections.find("vocabulary.offsets", Some((WORDS + 1) * 4))?,
            spelling: sections.find("vocabulary.spelling", None)?,
            characters: sections.find("characters", None)?,
        };
        layout.vocabulary(file).check()?;
        Ok(layout)
    }

    pub(crate) fn vocabulary<'a>(&self, file: &'a [u8]) -> Vocabulary<'a> {
        Vocabulary {
            slots: numbers(&file[self.slots.clone()]),
            offsets: numbers(&file[self.offsets.clone()]),
            spelling: &file[self.spelling.clone()],
            characters: numbers(&file[self.characters.clone()]),
        }
    }

    pub(crate) fn weights<'a>(&self, file: &'a [u8]) -> Weights<'a> {
        let norm = |range: &Range<usize>| {
            let (gains, biases) = numbers(&file[range.clone()]).split_at(DIMENSIONS);
            Norm { gains, biases }
        };
        let matrix = |range: &Range<usize>, outputs: usize| {
            let section = &file[range.clone()];
            let (weights, rest) = section.split_at(section.len() - outputs * 12);
            let (scales, rest) = rest.split_at(outputs * 4);
            let (sums, biases) = rest.split_at(outputs * 4);
            Matrix {
                weights: numbers(weights),
                scales: numbers(scales),
                sums: numbers(sums),
                biases: numbers(biases),
            }
        };
        let (words, word_scales) = file[self.words.clone()].split_at(WORDS * DIMENSIONS);
        Weights {
            words: numbers(words),
            word_scales: numbers(word_scales),
            positions: numbers(&file[self.positions.clone()]),
            words_norm: norm(&self.words_norm),
            layers: self.layers.each_ref().map(|layer| Layer {
                heads: matrix(&layer.heads, 3 * DIMENSIONS),
                mix: matrix(&layer.mix, DIMENSIONS),
                mix_norm: norm(&layer.mix_norm),
                widen: matrix(&layer.widen, WIDE),
                narrow: matrix(&layer.narrow, DIMENSIONS),
                narrow_norm: norm(&layer.narrow_norm),
            }),
        }
    }
}

struct Sections<'a> {
    file: &'a [u8],
    table: &'a [u8],
}

impl Sections<'_> {
    fn find(&self, name: &str, length_expected: Option<usize>) -> Result<Range<usize>, String> {
        let mut padded = [0; NAME];
        padded[..name.len()].copy_from_slice(name.as_bytes());
        let entry = self.table.chunks_exact(ENTRY).find(|entry| entry[..NAME] == padded);
        let entry = entry.ok_or_else(|| format!("its section {name:?} is missing"))?;
        let place = |at| u64_at(entry, at).and_then(|number| usize::try_from(number).ok());
        let range = place(NAME).zip(place(NAME + 8)).and_then(|(begin, length)| {
            let end = begin.checked_add(length)?;
            (begin % ALIGNMENT == 0 && end <= self.file.len()).then_some(begin..end)
        });
        let range = range.ok_or_else(|| format!("its section {name:?} lies outside the file"))?;
        match length_expected {
            Some(expected) if range.len() != expected => {
                Err(format!("its section {name:?} should have {expected} bytes and has {}", range.len()))
            }
            Some(_) | None => Ok(range),
        }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Numbers for which every pattern of bits is a value.
trait Number: Copy {}
impl Number for i8 {}
impl Number for u16 {}
impl Number for u32 {}
impl Number for i32 {}
impl Number for f32 {}

/// Bytes seen as the little endian numbers that they are.
fn numbers<T: Number>(bytes: &[u8]) -> &[T] {
    // SAFETY: every pattern of bits is a `Number`, and `align_to` sees to alignment and length.
    let (before, numbers, after) = unsafe { bytes.align_to::<T>() };
    assert!(
        before.is_empty() && after.is_empty(),
        "sections begin at a multiple of 64 and hold whole numbers"
    );
    numbers
}
