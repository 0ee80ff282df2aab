//! Products of 8-bit rows and 8-bit matrices, exact in 32 bits: where nearly all the time goes.
//!
//! Weights lie in blocks of sixteen outputs; within a block, for every four inputs, there are sixteen times four weights. So one
//! vector holds sixteen outputs, and they add up side by side without ever being added across.

use crate::Simd;
use crate::simd::Path;

/// Outputs side by side in a block of weights.
const BLOCK: usize = 16;
/// Inputs side by side in a block of weights.
const STEP: usize = 4;
/// Outputs are a multiple of this.
const OUTPUTS: usize = 4 * BLOCK;

/// Room for inputs and weights in the form that some paths want, kept between calls.
#[derive(Default)]
pub(crate) struct Scratch {
    inputs: Vec<i16>,
    weights: Vec<i16>,
}

/// Multiplies rows of inputs with the rows of a matrix: `out[row][output]`.
pub(crate) fn products(
    path: Path,
    inputs: &[u8],
    weights: &[i8],
    outputs: usize,
    out: &mut [i32],
    scratch: &mut Scratch,
) {
    let width = weights.len() / outputs;
    let rows = out.len() / outputs;
    assert!(
        outputs.is_multiple_of(OUTPUTS) && width.is_multiple_of(STEP),
        "matrices are made of whole blocks"
    );
    assert!(weights.len() == outputs * width, "a matrix is as large as its sides say");
    assert!(out.len() == rows * outputs && inputs.len() == rows * width, "as many rows come out as go in");
    let shape = Shape { width, outputs, rows };
    match path.simd() {
        // SAFETY: a `Path` of this kind proves the features; the lengths were checked above.
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512Vnni => unsafe { x86::products_avx512(shape, inputs, weights, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Simd::AvxVnni => unsafe { x86::products_avxvnni(shape, inputs, weights, out) },
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512 => {
            widen(inputs, &mut scratch.inputs);
            // SAFETY: as above, and the widened inputs are as many as the inputs.
            unsafe { x86::products_avx512bw(shape, &scratch.inputs, weights, out) }
        }
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2 => {
            widen(inputs, &mut scratch.inputs);
            // SAFETY: as above, and the widened inputs are as many as the inputs.
            unsafe { x86::products_avx2(shape, &scratch.inputs, weights, out) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Simd::Avx512Vnni | Simd::AvxVnni | Simd::Avx512 | Simd::Avx2 => {
            products_portable(shape, inputs, weights, out, scratch)
        }
        Simd::Scalar => products_portable(shape, inputs, weights, out, scratch),
    }
}

#[derive(Clone, Copy)]
struct Shape {
    /// Inputs in a row.
    width: usize,
    /// Outputs in a row.
    outputs: usize,
    rows: usize,
}

/// Takes each block apart into plain rows of 16 bits, whose dot products need nothing special.
fn products_portable(shape: Shape, inputs: &[u8], weights: &[i8], out: &mut [i32], scratch: &mut Scratch) {
    let width = shape.width;
    let Scratch { inputs: wide, weights: plain } = scratch;
    widen(inputs, wide);
    plain.resize(BLOCK * width, 0);
    for (block, weights) in weights.chunks_exact(BLOCK * width).enumerate() {
        for (step, fours) in weights.as_chunks::<{ BLOCK * STEP }>().0.iter().enumerate() {
            for (output, four) in fours.as_chunks::<STEP>().0.iter().enumerate() {
                plain[output * width + step * STEP..][..STEP].copy_from_slice(&four.map(i16::from));
            }
        }
        for (row, inputs) in wide.chunks_exact(width).enumerate().take(shape.rows) {
            let out = &mut out[row * shape.outputs + block * BLOCK..][..BLOCK];
            for (out, weights) in out.iter_mut().zip(plain.chunks_exact(width)) {
                *out = dot(inputs, weights);
            }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn dot(a: &[i16], b: &[i16]) -> i32 {
    a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
}

/// Every x86 machine of 64 bits multiplies and adds pairs, yet the compiler does not think of it.
#[cfg(target_arch = "x86_64")]
fn dot(a: &[i16], b: &[i16]) -> i32 {
    use std::arch::x86_64::*;
    const WIDTH: usize = 8;
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<WIDTH>(), b.as_chunks::<WIDTH>());
    let mut lanes = [0; 4];
    // SAFETY: SSE2 is part of the target; arrays of eight times 16 bits are read, and one of four times 32 bits is written.
    unsafe {
        let mut sums = _mm_setzero_si128();
        for (a, b) in a.iter().zip(b) {
            let (a, b) = (_mm_loadu_si128(a.as_ptr().cast()), _mm_loadu_si128(b.as_ptr().cast()));
            sums = _mm_add_epi32(sums, _mm_madd_epi16(a, b));
        }
        _mm_storeu_si128(lanes.as_mut_ptr().cast(), sums);
    }
    let rest = a_rest.iter().zip(b_rest).map(|(&a, &b)| i32::from(a) * i32::from(b));
    lanes.into_iter().sum::<i32>() + rest.sum::<i32>()
}

fn widen(inputs: &[u8], wide: &mut Vec<i16>) {
    wide.resize(inputs.len(), 0);
    for (wide, &input) in wide.iter_mut().zip(inputs) {
        *wide = i16::from(input);
    }
}

/// The same in the vector instructions of x86.
///
/// Every function here relies on what `products` checked: there are `rows * width` inputs, `outputs * width` weights in blocks,
/// and room for `rows * outputs` sums; outputs come in groups of 64 and inputs in groups of 4.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{BLOCK, OUTPUTS, STEP, Shape};
    use std::arch::x86_64::*;

    /// Rows of a tile: its sums fill most of the registers.
    const TILE: usize = 6;
    /// Rows of a tile with products of 16 bits in 256.
    const TILE_AVX2: usize = 2;

    /// # Safety
    /// The lengths are as said above.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn products_avx512(shape: Shape, inputs: &[u8], weights: &[i8], out: &mut [i32]) {
        for output in (0..shape.outputs).step_by(OUTPUTS) {
            let mut row = 0;
            while row < shape.rows {
                let rows = (shape.rows - row).min(TILE);
                // SAFETY: the tile's rows and outputs lie within the matrices.
                unsafe {
                    let inputs = inputs.as_ptr().add(row * shape.width);
                    let weights = weights.as_ptr().add(output * shape.width);
                    let out = out.as_mut_ptr().add(row * shape.outputs + output);
                    match rows {
                        1 => tile_avx512::<1>(shape, inputs, weights, out),
                        2 => tile_avx512::<2>(shape, inputs, weights, out),
                        3 => tile_avx512::<3>(shape, inputs, weights, out),
                        4 => tile_avx512::<4>(shape, inputs, weights, out),
                        5 => tile_avx512::<5>(shape, inputs, weights, out),
                        _ => tile_avx512::<TILE>(shape, inputs, weights, out),
                    }
                }
                row += rows;
            }
        }
    }

    /// # Safety
    /// `ROWS` rows of inputs and sums, and four blocks of weights, can be read and written at the pointers.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn tile_avx512<const ROWS: usize>(
        shape: Shape,
        inputs: *const u8,
        weights: *const i8,
        out: *mut i32,
    ) {
        const BLOCKS: usize = OUTPUTS / BLOCK;
        let mut sums = [[_mm512_setzero_si512(); BLOCKS]; ROWS];
        for step in 0..shape.width / STEP {
            let mut blocks = [_mm512_setzero_si512(); BLOCKS];
            for (block, vector) in blocks.iter_mut().enumerate() {
                // SAFETY: each block holds `width / STEP` vectors.
                *vector = unsafe {
                    _mm512_loadu_si512(weights.add(block * BLOCK * shape.width + step * BLOCK * STEP).cast())
                };
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                // SAFETY: each row holds `width` inputs.
                let four =
                    unsafe { inputs.add(row * shape.width + step * STEP).cast::<i32>().read_unaligned() };
                let four = _mm512_set1_epi32(four);
                for (sum, block) in sums.iter_mut().zip(blocks) {
                    *sum = _mm512_dpbusd_epi32(*sum, four, block);
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            for (block, sum) in sums.iter().enumerate() {
                // SAFETY: each row holds `outputs` sums, 64 of them from here on.
                unsafe { _mm512_storeu_si512(out.add(row * shape.outputs + block * BLOCK).cast(), *sum) };
            }
        }
    }

    /// # Safety
    /// The lengths are as said above.
    #[target_feature(enable = "avx2,avxvnni")]
    pub(super) unsafe fn products_avxvnni(shape: Shape, inputs: &[u8], weights: &[i8], out: &mut [i32]) {
        for output in (0..shape.outputs).step_by(BLOCK) {
            let mut row = 0;
            while row < shape.rows {
                let rows = (shape.rows - row).min(TILE);
                // SAFETY: the tile's rows and outputs lie within the matrices.
                unsafe {
                    let inputs = inputs.as_ptr().add(row * shape.width);
                    let weights = weights.as_ptr().add(output * shape.width);
                    let out = out.as_mut_ptr().add(row * shape.outputs + output);
                    match rows {
                        1 => tile_avxvnni::<1>(shape, inputs, weights, out),
                        2 => tile_avxvnni::<2>(shape, inputs, weights, out),
                        3 => tile_avxvnni::<3>(shape, inputs, weights, out),
                        4 => tile_avxvnni::<4>(shape, inputs, weights, out),
                        5 => tile_avxvnni::<5>(shape, inputs, weights, out),
                        _ => tile_avxvnni::<TILE>(shape, inputs, weights, out),
                    }
                }
                row += rows;
            }
        }
    }

    /// # Safety
    /// `ROWS` rows of inputs and sums, and one block of weights, can be read and written at the pointers.
    #[inline]
    #[target_feature(enable = "avx2,avxvnni")]
    unsafe fn tile_avxvnni<const ROWS: usize>(
        shape: Shape,
        inputs: *const u8,
        weights: *const i8,
        out: *mut i32,
    ) {
        let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
        for step in 0..shape.width / STEP {
            // SAFETY: a block holds `width / STEP` times 64 weights.
            let halves = unsafe {
                let at = weights.add(step * BLOCK * STEP).cast::<__m256i>();
                [_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1))]
            };
            for (row, sums) in sums.iter_mut().enumerate() {
                // SAFETY: each row holds `width` inputs.
                let four =
                    unsafe { inputs.add(row * shape.width + step * STEP).cast::<i32>().read_unaligned() };
                let four = _mm256_set1_epi32(four);
                for (sum, half) in sums.iter_mut().zip(halves) {
                    *sum = _mm256_dpbusd_avx_epi32(*sum, four, half);
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            for (half, sum) in sums.iter().enumerate() {
                // SAFETY: each row holds `outputs` sums, 16 of them from here on.
                unsafe { _mm256_storeu_si256(out.add(row * shape.outputs + half * 8).cast(), *sum) };
            }
        }
    }

    /// Inputs are widened to 16 bits: multiplying 8 bits without VNNI would saturate.
    ///
    /// # Safety
    /// The lengths are as said above.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) unsafe fn products_avx512bw(shape: Shape, inputs: &[i16], weights: &[i8], out: &mut [i32]) {
        for output in (0..shape.outputs).step_by(2 * BLOCK) {
            let mut row = 0;
            while row < shape.rows {
                let rows = (shape.rows - row).min(TILE);
                // SAFETY: the tile's rows and outputs lie within the matrices.
                unsafe {
                    let inputs = inputs.as_ptr().add(row * shape.width);
                    let weights = weights.as_ptr().add(output * shape.width);
                    let out = out.as_mut_ptr().add(row * shape.outputs + output);
                    match rows {
                        1 => tile_avx512bw::<1>(shape, inputs, weights, out),
                        2 => tile_avx512bw::<2>(shape, inputs, weights, out),
                        3 => tile_avx512bw::<3>(shape, inputs, weights, out),
                        4 => tile_avx512bw::<4>(shape, inputs, weights, out),
                        5 => tile_avx512bw::<5>(shape, inputs, weights, out),
                        _ => tile_avx512bw::<TILE>(shape, inputs, weights, out),
                    }
                }
                row += rows;
            }
        }
    }

    /// # Safety
    /// `ROWS` rows of inputs and sums, and two blocks of weights, can be read and written at the pointers.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn tile_avx512bw<const ROWS: usize>(
        shape: Shape,
        inputs: *const i16,
        weights: *const i8,
        out: *mut i32,
    ) {
        // Eight outputs to a vector, four vectors to two blocks; each output as two sums: of its even and of its odd pairs of inputs.
        let mut sums = [[_mm512_setzero_si512(); 4]; ROWS];
        for step in 0..shape.width / STEP {
            let mut eights = [_mm512_setzero_si512(); 4];
            for (eight, wide) in eights.iter_mut().enumerate() {
                let (block, half) = (eight / 2, eight % 2);
                // SAFETY: each block holds `width / STEP` times 64 weights.
                let narrow = unsafe {
                    let at = weights.add(block * BLOCK * shape.width + step * BLOCK * STEP);
                    _mm256_loadu_si256(at.add(half * 8 * STEP).cast())
                };
                *wide = _mm512_cvtepi8_epi16(narrow);
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                // SAFETY: each row holds `width` inputs.
                let four =
                    unsafe { inputs.add(row * shape.width + step * STEP).cast::<i64>().read_unaligned() };
                let four = _mm512_set1_epi64(four);
                for (sum, eight) in sums.iter_mut().zip(eights) {
                    *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(eight, four));
                }
            }
        }
        let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        let odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
        for (row, sums) in sums.iter().enumerate() {
            for block in 0..2 {
                let (first, second) = (sums[block * 2], sums[block * 2 + 1]);
                let added = _mm512_add_epi32(
                    _mm512_permutex2var_epi32(first, even, second),
                    _mm512_permutex2var_epi32(first, odd, second),
                );
                // SAFETY: each row holds `outputs` sums, 32 of them from here on.
                unsafe { _mm512_storeu_si512(out.add(row * shape.outputs + block * BLOCK).cast(), added) };
            }
        }
    }

    /// The same in 256 bits.
    ///
    /// # Safety
    /// The lengths are as said above.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn products_avx2(shape: Shape, inputs: &[i16], weights: &[i8], out: &mut [i32]) {
        for output in (0..shape.outputs).step_by(BLOCK) {
            let mut row = 0;
            while row < shape.rows {
                let rows = (shape.rows - row).min(TILE_AVX2);
                // SAFETY: the tile's rows and outputs lie within the matrices.
                unsafe {
                    let inputs = inputs.as_ptr().add(row * shape.width);
                    let weights = weights.as_ptr().add(output * shape.width);
                    let out = out.as_mut_ptr().add(row * shape.outputs + output);
                    match rows {
                        1 => tile_avx2::<1>(shape, inputs, weights, out),
                        _ => tile_avx2::<TILE_AVX2>(shape, inputs, weights, out),
                    }
                }
                row += rows;
            }
        }
    }

    /// # Safety
    /// `ROWS` rows of inputs and sums, and one block of weights, can be read and written at the pointers.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn tile_avx2<const ROWS: usize>(
        shape: Shape,
        inputs: *const i16,
        weights: *const i8,
        out: *mut i32,
    ) {
        // Four outputs to a vector, each as two sums: of its even and of its odd pairs of inputs.
        const QUARTERS: usize = 4;
        let mut sums = [[_mm256_setzero_si256(); QUARTERS]; ROWS];
        for step in 0..shape.width / STEP {
            let mut fours = [_mm256_setzero_si256(); ROWS];
            for (row, four) in fours.iter_mut().enumerate() {
                // SAFETY: each row holds `width` inputs.
                let bits =
                    unsafe { inputs.add(row * shape.width + step * STEP).cast::<i64>().read_unaligned() };
                *four = _mm256_set1_epi64x(bits);
            }
            for quarter in 0..QUARTERS {
                // SAFETY: a block holds `width / STEP` times 64 weights.
                let weights =
                    unsafe { _mm_loadu_si128(weights.add(step * BLOCK * STEP + quarter * BLOCK).cast()) };
                let weights = _mm256_cvtepi8_epi16(weights);
                for (sums, four) in sums.iter_mut().zip(fours) {
                    sums[quarter] = _mm256_add_epi32(sums[quarter], _mm256_madd_epi16(weights, four));
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            for half in 0..2 {
                let added = _mm256_hadd_epi32(sums[half * 2], sums[half * 2 + 1]);
                let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(added);
                // SAFETY: each row holds `outputs` sums, 16 of them from here on.
                unsafe { _mm256_storeu_si256(out.add(row * shape.outputs + half * 8).cast(), ordered) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_gives_the_plain_product() {
        let (width, outputs) = (28, 128);
        let mut dice = 1u32;
        let mut roll = || {
            dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (dice >> 24) as u8
        };
        // The extremes too: they are what would saturate.
        for extreme in [false, true] {
            for rows in 0..14 {
                let inputs: Vec<u8> = (0..rows * width).map(|_| if extreme { 255 } else { roll() }).collect();
                let plain: Vec<i8> = (0..outputs * width)
                    .map(|i| if extreme { [-128, 127][i % 2] } else { roll() as i8 })
                    .collect();
                let mut packed = vec![0; plain.len()];
                let mut expected = Vec::new();
                for output in 0..outputs {
                    for input in 0..width {
                        let (block, step) = (output / BLOCK * BLOCK * width, input / STEP * BLOCK * STEP);
                        packed[block + step + output % BLOCK * STEP + input % STEP] =
                            plain[output * width + input];
                    }
                }
                for row in 0..rows {
                    for output in 0..outputs {
                        let pairs = (0..width).map(|i| {
                            i32::from(inputs[row * width + i]) * i32::from(plain[output * width + i])
                        });
                        expected.push(pairs.sum::<i32>());
                    }
                }
                for simd in Simd::available() {
                    let path = Path::for_simd(simd).expect("it is available");
                    let mut out = vec![7; rows * outputs];
                    products(path, &inputs, &packed, outputs, &mut out, &mut Scratch::default());
                    assert!(out == expected, "{simd:?}, {rows} rows, extreme: {extreme}");
                }
            }
        }
    }
}
