//! A flat list of vectors, searched exactly while it is short, and through one bit a dimension when it is long.
//!
//! Each vector is kept as one signed byte a dimension with a scale, and as the signs of its dimensions. No graph, no training:
//! adding one is appending it, and the answer never depends on the order in which they came.

pub use crate::limits::vectors::{COMPARED_AFTER_SIGNS, COMPARED_ALL_MAX};

/// A vector as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// One signed byte a dimension.
    pub bytes: Vec<i8>,
    /// What a step of a byte is worth.
    pub scale: f32,
    /// The signs, a bit a dimension, in whole groups of 64.
    pub signs: Vec<u8>,
}

/// Bytes that the signs of a vector take.
pub fn sign_bytes(dimensions: usize) -> usize {
    dimensions.div_ceil(64) * 8
}

/// A vector as it is kept, its length made one. A vector of nothing is kept as zeros.
pub fn encode(vector: &[f32]) -> Code {
    let norm = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt() as f32;
    let largest = vector.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
    let mut signs = vec![0; sign_bytes(vector.len())];
    for (at, _) in vector.iter().enumerate().filter(|(_, value)| **value > 0.0) {
        signs[at / 8] |= 1 << (at % 8);
    }
    let usable = norm.is_finite() && norm > 0.0;
    if !usable {
        return Code { bytes: vec![0; vector.len()], scale: 0.0, signs };
    }
    let bytes = vector.iter().map(|value| (value / largest * 127.0).round() as i8).collect();
    Code { bytes, scale: largest / 127.0 / norm, signs }
}

/// Vectors, wherever they are kept.
pub trait Vectors {
    /// How many there are.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The bytes of one vector.
    fn bytes(&self, slot: u32) -> Option<Vec<i8>>;
    /// Hands over the bytes of all of them in a row, a piece after the other. Answers whether they could be read.
    fn each_piece(&self, take: &mut dyn FnMut(&[i8])) -> bool;
    /// The signs of all of them, in a row.
    fn all_signs(&self) -> Option<std::borrow::Cow<'_, [u8]>>;
    /// What a step of a byte is worth in one.
    fn scale(&self, slot: u32) -> f32;

    /// How near one is to a meaning: the cosine of the angle between them.
    fn cosine(&self, meaning: &[f32], slot: u32) -> f32 {
        self.cosine_of(&encode(meaning), slot)
    }

    /// The same for a meaning that is encoded already: whoever asks for many does that once.
    fn cosine_of(&self, code: &Code, slot: u32) -> f32 {
        match self.bytes(slot) {
            Some(bytes) if bytes.len() == code.bytes.len() => {
                ken_embed::dot_i8(&code.bytes, &bytes) as f32 * code.scale * self.scale(slot)
            }
            _ => f32::NAN,
        }
    }

    /// How near two of them are.
    fn cosine_between(&self, one: u32, other: u32) -> f32 {
        match (self.bytes(one), self.bytes(other)) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                ken_embed::dot_i8(&a, &b) as f32 * self.scale(one) * self.scale(other)
            }
            _ => f32::NAN,
        }
    }

    /// How near they all are, by slot. In a long list, NaN for those whose signs are far off.
    fn cosines(&self, meaning: &[f32]) -> Vec<f32> {
        let code = encode(meaning);
        let mut near = vec![f32::NAN; self.len()];
        let step = meaning.len();
        if self.len() <= COMPARED_ALL_MAX {
            let mut all = Vec::with_capacity(self.len());
            if self.each_piece(&mut |rows| all.append(&mut dots(&code.bytes, rows))) {
                for (slot, (near, dot)) in near.iter_mut().zip(all).enumerate() {
                    *near = dot as f32 * code.scale * self.scale(slot as u32);
                }
            }
            return near;
        }
        let Some(signs) = self.all_signs() else { return near };
        for slot in nearest_by_signs(&code.signs, &signs, COMPARED_AFTER_SIGNS) {
            if let Some(bytes) = self.bytes(slot).filter(|bytes| bytes.len() == step) {
                let dot = ken_embed::dot_i8(&code.bytes, &bytes);
                near[slot as usize] = dot as f32 * code.scale * self.scale(slot);
            }
        }
        near
    }
}

fn dots(query: &[i8], rows: &[i8]) -> Vec<i32> {
    let mut out = Vec::with_capacity(rows.len() / query.len().max(1));
    match <&[i8; ken_embed::DIMENSIONS]>::try_from(query) {
        Ok(query) => ken_embed::scan_i8(query, rows, &mut out),
        Err(_) => out.extend(rows.chunks_exact(query.len()).map(|row| ken_embed::dot_i8(query, row))),
    }
    out
}

/// The slots whose signs differ least, ascending.
fn nearest_by_signs(query: &[u8], rows: &[u8], wanted: usize) -> Vec<u32> {
    let words: Vec<u64> = query.chunks_exact(8).map(word).collect();
    let mut distances: Vec<u16> = Vec::with_capacity(rows.len() / query.len().max(1));
    match <&[u64; 6]>::try_from(words.as_slice()) {
        Ok(query) => ken_embed::scan_bits(query, rows, &mut distances),
        Err(_) => distances.extend(rows.chunks_exact(query.len()).map(|row| {
            let pairs = row.chunks_exact(8).map(word).zip(&words);
            pairs.map(|(a, b)| (a ^ b).count_ones() as u16).sum::<u16>()
        })),
    }
    // Distances are small numbers: counting how many there are of each finds the limit without sorting.
    let mut counts = vec![0_usize; query.len() * 8 + 1];
    distances.iter().for_each(|distance| counts[usize::from(*distance)] += 1);
    let mut room = wanted;
    let mut limit = counts.len();
    for (distance, count) in counts.iter().enumerate() {
        if *count > room {
            limit = distance;
            break;
        }
        room -= count;
    }
    let mut found = Vec::with_capacity(wanted);
    for (slot, distance) in distances.iter().enumerate() {
        let distance = usize::from(*distance);
        if distance < limit {
            found.push(slot as u32);
        } else if distance == limit && room > 0 {
            room -= 1;
            found.push(slot as u32);
        }
    }
    found
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("groups have eight bytes"))
}

/// Vectors in memory.
pub struct Flat {
    dimensions: usize,
    bytes: Vec<i8>,
    signs: Vec<u8>,
    scales: Vec<f32>,
}

impl Flat {
    /// An empty list of vectors with so many dimensions.
    pub fn new(dimensions: usize) -> Flat {
        Flat { dimensions, bytes: Vec::new(), signs: Vec::new(), scales: Vec::new() }
    }

    /// Adds one. Vectors of another length have no place here and are kept as nothing.
    pub fn push(&mut self, vector: &[f32]) {
        let code = encode(vector);
        let fits = vector.len() == self.dimensions;
        let nothing =
            Code { bytes: vec![0; self.dimensions], scale: 0.0, signs: vec![0; sign_bytes(self.dimensions)] };
        let code = if fits { code } else { nothing };
        self.bytes.extend(code.bytes);
        self.signs.extend(code.signs);
        self.scales.push(code.scale);
    }
}

impl Vectors for Flat {
    fn len(&self) -> usize {
        self.scales.len()
    }

    fn bytes(&self, slot: u32) -> Option<Vec<i8>> {
        let from = slot as usize * self.dimensions;
        self.bytes.get(from..from + self.dimensions).map(<[i8]>::to_vec)
    }

    fn each_piece(&self, take: &mut dyn FnMut(&[i8])) -> bool {
        take(&self.bytes);
        true
    }

    fn all_signs(&self) -> Option<std::borrow::Cow<'_, [u8]>> {
        Some(self.signs.as_slice().into())
    }

    fn scale(&self, slot: u32) -> f32 {
        self.scales.get(slot as usize).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(seed: u32, dimensions: usize) -> Vec<f32> {
        let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        (0..dimensions).map(|_| next()).collect()
    }

    fn exact(a: &[f32], b: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    #[test]
    fn kept_vectors_are_as_near_as_the_real_ones() {
        for dimensions in [384, 768, 100] {
            let mut flat = Flat::new(dimensions);
            let all: Vec<Vec<f32>> = (0..50).map(|seed| vector(seed, dimensions)).collect();
            all.iter().for_each(|vector| flat.push(vector));
            let query = vector(7, dimensions);
            for (slot, near) in flat.cosines(&query).into_iter().enumerate() {
                assert!((near - exact(&query, &all[slot])).abs() < 0.01);
                assert!((near - flat.cosine(&query, slot as u32)).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_kept_number_is_off_by_half_a_step_at_most() {
        let vector = vector(3, 384);
        let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        let code = encode(&vector);
        for (at, (value, byte)) in vector.iter().zip(&code.bytes).enumerate() {
            let kept = f32::from(*byte) * code.scale;
            assert!((value / norm - kept).abs() <= code.scale * 0.5001, "{at}");
            assert_eq!(code.signs[at / 8] >> (at % 8) & 1 == 1, *value > 0.0, "{at}");
        }
    }

    #[test]
    fn signs_keep_what_is_nearest() {
        let rows: Vec<u8> = (0..100_u8).flat_map(|seed| encode(&vector(seed.into(), 384)).signs).collect();
        let query = encode(&vector(42, 384)).signs;
        let found = nearest_by_signs(&query, &rows, 5);
        assert_eq!(found.len(), 5);
        assert!(found.contains(&42));
    }

    #[test]
    fn nothing_and_the_endless_are_kept_as_nothing() {
        for odd in [vec![0.0; 384], vec![f32::NAN; 384], vec![f32::INFINITY; 384]] {
            assert_eq!(encode(&odd).scale, 0.0);
        }
    }
}
