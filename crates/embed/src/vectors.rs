//! The arithmetic of a flat vector index: scanning many vectors that are kept in 8 bits, or in one.

use crate::DIMENSIONS;
use crate::simd::{Path, compiled_for_each_path};

/// Bytes of a vector of which only the signs are kept.
const SIGN_BYTES: usize = DIMENSIONS / 8;

/// The dot product of two rows of equal length.
///
/// # Panics
/// If the lengths differ.
pub fn dot_i8(a: &[i8], b: &[i8]) -> i32 {
    assert_eq!(a.len(), b.len(), "both rows of a dot product have one length");
    dot(Path::chosen(), a, b)
}

/// The dot products of a query with each of the rows, which follow each other without a gap. Replaces what is in `out`.
///
/// # Panics
/// If the last row is not whole.
pub fn scan_i8(query: &[i8; DIMENSIONS], rows: &[i8], out: &mut Vec<i32>) {
    assert!(rows.len().is_multiple_of(DIMENSIONS), "rows are whole");
    scan(Path::chosen(), query, rows, out);
}

/// The number of signs in which a query differs from each of the rows, of 48 bytes each, little endian. Replaces what is in `out`.
///
/// # Panics
/// If the last row is not whole.
pub fn scan_bits(query: &[u64; 6], rows: &[u8], out: &mut Vec<u16>) {
    assert!(rows.len().is_multiple_of(SIGN_BYTES), "rows are whole");
    scan_signs(Path::chosen(), query, rows, out);
}

compiled_for_each_path! { fn dot(a: &[i8], b: &[i8]) -> i32 = dot_portable }
compiled_for_each_path! { fn scan(query: &[i8; DIMENSIONS], rows: &[i8], out: &mut Vec<i32>) = scan_portable }
compiled_for_each_path! { fn scan_signs(query: &[u64; 6], rows: &[u8], out: &mut Vec<u16>) = scan_signs_portable }

#[inline(always)]
fn dot_portable(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
}

#[inline(always)]
fn scan_portable(query: &[i8; DIMENSIONS], rows: &[i8], out: &mut Vec<i32>) {
    out.clear();
    // Widened once for all rows.
    let query = query.map(i16::from);
    out.extend(rows.as_chunks::<DIMENSIONS>().0.iter().map(|row| {
        row.iter().zip(&query).map(|(&a, &b)| i32::from(i16::from(a)) * i32::from(b)).sum::<i32>()
    }));
}

#[inline(always)]
fn scan_signs_portable(query: &[u64; 6], rows: &[u8], out: &mut Vec<u16>) {
    out.clear();
    out.extend(rows.as_chunks::<SIGN_BYTES>().0.iter().map(|row| {
        let words = row.as_chunks::<8>().0;
        words
            .iter()
            .zip(query)
            .map(|(word, query)| (u64::from_le_bytes(*word) ^ query).count_ones() as u16)
            .sum::<u16>()
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Simd;

    /// Bytes that look random and are the same every time.
    fn bytes(count: usize, mut seed: u32) -> Vec<u8> {
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        };
        (0..count).map(|_| next()).collect()
    }

    fn signed(count: usize, seed: u32) -> Vec<i8> {
        bytes(count, seed).into_iter().map(|byte| byte as i8).collect()
    }

    fn paths() -> impl Iterator<Item = Path> {
        Simd::available().into_iter().filter_map(Path::for_simd)
    }

    fn naive(a: &[i8], b: &[i8]) -> i32 {
        let mut sum = 0;
        for i in 0..a.len() {
            sum += i32::from(a[i]) * i32::from(b[i]);
        }
        sum
    }

    #[test]
    fn dot_products_are_exact_at_every_length() {
        for length in (0..130).chain([384, 383, 385, 1000]) {
            let (a, b) = (signed(length, 1), signed(length, 2));
            for path in paths() {
                assert_eq!(dot(path, &a, &b), naive(&a, &b), "{path:?}, length {length}");
            }
        }
        let low = [-128; 1000];
        for path in paths() {
            assert_eq!(dot(path, &low, &low), 16_384_000);
        }
    }

    #[test]
    fn scans_give_one_answer_a_row() {
        for count in [0, 1, 2, 3, 17, 100] {
            let query: [i8; DIMENSIONS] = signed(DIMENSIONS, 3).try_into().unwrap();
            let rows = signed(count * DIMENSIONS, 4);
            let expected: Vec<i32> = rows.chunks(DIMENSIONS).map(|row| naive(&query, row)).collect();
            let signs: [u64; 6] =
                std::array::from_fn(|i| 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i as u64 + 1));
            let sign_rows = bytes(count * SIGN_BYTES, 5);
            let sign_query: Vec<u8> = signs.iter().flat_map(|word| word.to_le_bytes()).collect();
            let differing =
                |row: &[u8]| row.iter().zip(&sign_query).map(|(a, b)| (a ^ b).count_ones() as u16).sum();
            let expected_signs: Vec<u16> = sign_rows.chunks(SIGN_BYTES).map(differing).collect();
            for path in paths() {
                let (mut out, mut out_signs) = (vec![9; 5], vec![9; 5]);
                scan(path, &query, &rows, &mut out);
                scan_signs(path, &signs, &sign_rows, &mut out_signs);
                assert_eq!(out, expected, "{path:?}, {count} rows");
                assert_eq!(out_signs, expected_signs, "{path:?}, {count} rows");
            }
        }
    }

    #[test]
    #[should_panic(expected = "rows are whole")]
    fn half_a_row_is_refused() {
        scan_i8(&[0; DIMENSIONS], &[0; DIMENSIONS + 1], &mut Vec::new());
    }

    #[test]
    #[should_panic(expected = "one length")]
    fn rows_of_different_length_are_refused() {
        dot_i8(&[0; 3], &[0; 4]);
    }
}
