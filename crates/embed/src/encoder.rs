//! The model itself: tokens in, one vector for each text out.
//!
//! All of it is plain Rust that the compiler turns into vector instructions, once for each path. Sums run over sixteen lanes and
//! nothing is fused, so every path rounds alike. Only the 8-bit products, where the time goes, are written by hand.

use crate::packed::{LAYERS, WIDE};
use crate::product::{self, products};
use crate::simd::{Path, compiled_for_each_path};
use crate::{DIMENSIONS, TOKENS_MAX};

const HEADS: usize = 12;
const HEAD: usize = DIMENSIONS / HEADS;
/// Query, key and value of all heads side by side.
const HEADS_WIDTH: usize = 3 * DIMENSIONS;

/// Numbers that are added side by side, whatever the width of the machine.
const LANES: usize = 16;

/// Rows that go through the matrices together: enough to read each weight seldom, few enough to stay in the cache.
const BAND_ROWS_MAX: usize = 64;

/// A linear layer in 8 bits, one scale for each output.
pub(crate) struct Matrix<'a> {
    pub(crate) weights: &'a [i8],
    pub(crate) scales: &'a [f32],
    /// The sum of each output's weights, to undo the zero point of the inputs.
    pub(crate) sums: &'a [i32],
    pub(crate) biases: &'a [f32],
}

/// A layer norm's gains and biases.
pub(crate) struct Norm<'a> {
    pub(crate) gains: &'a [f32],
    pub(crate) biases: &'a [f32],
}

/// One layer of the encoder.
pub(crate) struct Layer<'a> {
    pub(crate) heads: Matrix<'a>,
    pub(crate) mix: Matrix<'a>,
    pub(crate) mix_norm: Norm<'a>,
    pub(crate) widen: Matrix<'a>,
    pub(crate) narrow: Matrix<'a>,
    pub(crate) narrow_norm: Norm<'a>,
}

/// The whole model, read in place.
pub(crate) struct Weights<'a> {
    pub(crate) words: &'a [i8],
    pub(crate) word_scales: &'a [f32],
    pub(crate) positions: &'a [f32],
    pub(crate) words_norm: Norm<'a>,
    pub(crate) layers: [Layer<'a>; LAYERS],
}

/// The vectors of some texts, given as tokens. Texts share the passes over the weights, and nothing else.
pub(crate) fn encode(path: Path, weights: &Weights, texts: &[Vec<u32>]) -> Vec<[f32; DIMENSIONS]> {
    encode_compiled(path, path, weights, texts)
}

compiled_for_each_path! {
    fn encode_compiled(products: Path, weights: &Weights, texts: &[Vec<u32>]) -> Vec<[f32; DIMENSIONS]> = encode_portable
}

#[inline(always)]
fn encode_portable(path: Path, weights: &Weights, texts: &[Vec<u32>]) -> Vec<[f32; DIMENSIONS]> {
    let rows = texts.iter().map(Vec::len).sum::<usize>();
    let mut states = vec![[0.0; DIMENSIONS]; rows];
    let mut heads = vec![[0.0; HEADS_WIDTH]; rows];
    let mut mixed = vec![[0.0; DIMENSIONS]; rows];
    let mut band = Band::default();
    let mut attention = Attention::default();
    let band_rows = rows.div_ceil(rows.div_ceil(BAND_ROWS_MAX).max(1)).max(1);

    let mut state = states.iter_mut();
    for text in texts {
        assert!(text.len() <= TOKENS_MAX, "texts are cut before they are encoded");
        for ((position, &token), state) in text.iter().enumerate().zip(&mut state) {
            look_up(weights, token as usize, position, state);
        }
    }
    for layer in &weights.layers {
        for (states, heads) in states.chunks(band_rows).zip(heads.chunks_mut(band_rows)) {
            band.read(states);
            band.multiply(path, &layer.heads);
            for (row, heads) in heads.iter_mut().enumerate() {
                band.row(&layer.heads, row, heads);
            }
        }
        let mut begin = 0;
        for text in texts {
            let rows = begin..begin + text.len();
            attention.attend(&heads[rows.clone()], &mut mixed[rows]);
            begin += text.len();
        }
        for (states, mixed) in states.chunks_mut(band_rows).zip(mixed.chunks(band_rows)) {
            band.read(mixed);
            band.multiply(path, &layer.mix);
            band.add_to(states, &layer.mix, &layer.mix_norm);
            band.read(states);
            band.multiply(path, &layer.widen);
            band.activate(&layer.widen);
            band.multiply(path, &layer.narrow);
            band.add_to(states, &layer.narrow, &layer.narrow_norm);
        }
    }
    let mut states = states.as_slice();
    let mut vectors = Vec::with_capacity(texts.len());
    for text in texts {
        let (rows, rest) = states.split_at(text.len());
        vectors.push(pool(rows));
        states = rest;
    }
    vectors
}

#[inline(always)]
fn look_up(weights: &Weights, token: usize, position: usize, state: &mut [f32; DIMENSIONS]) {
    let word = &weights.words[token * DIMENSIONS..][..DIMENSIONS];
    let place = &weights.positions[position * DIMENSIONS..][..DIMENSIONS];
    let scale = weights.word_scales[token];
    for i in 0..DIMENSIONS {
        state[i] = f32::from(word[i]) * scale + place[i];
    }
    normalise(state, &weights.words_norm);
}

/// Rows on their way through a matrix: in 8 bits, and as exact sums.
#[derive(Default)]
struct Band {
    inputs: Vec<u8>,
    /// For each row, what one step of its 8 bits is worth, and which step is zero.
    scales: Vec<f32>,
    zeros: Vec<i32>,
    sums: Vec<i32>,
    scratch: product::Scratch,
}

impl Band {
    /// Takes rows in, each rounded to 8 bits between its own least and greatest number.
    #[inline(always)]
    fn read<const WIDTH: usize>(&mut self, rows: &[[f32; WIDTH]]) {
        self.clear(rows.len() * WIDTH);
        for (row, inputs) in rows.iter().zip(self.inputs.chunks_exact_mut(WIDTH)) {
            let (scale, zero) = round_row(row, inputs);
            self.scales.push(scale);
            self.zeros.push(zero);
        }
    }

    #[inline(always)]
    fn clear(&mut self, inputs: usize) {
        self.inputs.resize(inputs, 0);
        self.scales.clear();
        self.zeros.clear();
    }

    #[inline(always)]
    fn multiply(&mut self, path: Path, matrix: &Matrix) {
        self.sums.resize(self.scales.len() * matrix.scales.len(), 0);
        products(path, &self.inputs, matrix.weights, matrix.scales.len(), &mut self.sums, &mut self.scratch);
    }

    /// One row of the product, as numbers again.
    #[inline(always)]
    fn row(&self, matrix: &Matrix, row: usize, out: &mut [f32]) {
        let outputs = out.len();
        let sums = &self.sums[row * outputs..][..outputs];
        let (scales, offsets) = (&matrix.scales[..outputs], &matrix.sums[..outputs]);
        let biases = &matrix.biases[..outputs];
        let (scale, zero) = (self.scales[row], self.zeros[row]);
        for i in 0..outputs {
            out[i] = (sums[i] - zero * offsets[i]) as f32 * (scale * scales[i]) + biases[i];
        }
    }

    #[inline(always)]
    fn add_to(&self, states: &mut [[f32; DIMENSIONS]], matrix: &Matrix, norm: &Norm) {
        let mut out = [0.0; DIMENSIONS];
        for (row, state) in states.iter_mut().enumerate() {
            self.row(matrix, row, &mut out);
            for i in 0..DIMENSIONS {
                state[i] += out[i];
            }
            normalise(state, norm);
        }
    }

    /// Puts the product through the activation and takes it in again.
    #[inline(always)]
    fn activate(&mut self, matrix: &Matrix) {
        let rows = self.scales.len();
        let mut wide = [0.0; WIDE];
        self.inputs.resize(rows * WIDE, 0);
        for row in 0..rows {
            self.row(matrix, row, &mut wide);
            for number in &mut wide {
                *number = gelu(*number);
            }
            let (scale, zero) = round_row(&wide, &mut self.inputs[row * WIDE..][..WIDE]);
            self.scales[row] = scale;
            self.zeros[row] = zero;
        }
    }
}

/// What attention needs of one head, laid out for it.
#[derive(Default)]
struct Attention {
    /// Sixteen keys at a time, the same number of each side by side.
    keys: Vec<[[f32; LANES]; HEAD]>,
    /// The values, in halves.
    values: [Vec<[f32; LANES]>; HEAD / LANES],
    /// Of each row in turn, how much it looks at every other.
    scores: Vec<[f32; LANES]>,
    /// The same, of all rows of a tile side by side.
    shares: Vec<[f32; TILE]>,
}

/// Rows that read keys and values together.
const TILE: usize = 4;

impl Attention {
    #[inline(always)]
    fn attend(&mut self, heads: &[[f32; HEADS_WIDTH]], mixed: &mut [[f32; DIMENSIONS]]) {
        self.keys.clear();
        self.keys.resize(heads.len().div_ceil(LANES), [[0.0; LANES]; HEAD]);
        for head in 0..HEADS {
            for half in &mut self.values {
                half.clear();
            }
            for (row, numbers) in heads.iter().enumerate() {
                let parts = numbers.as_chunks::<HEAD>().0;
                for (lanes, number) in self.keys[row / LANES].iter_mut().zip(&parts[HEADS + head]) {
                    lanes[row % LANES] = *number;
                }
                for (half, lanes) in self.values.iter_mut().zip(parts[2 * HEADS + head].as_chunks().0) {
                    half.push(*lanes);
                }
            }
            for row in (0..heads.len()).step_by(TILE) {
                self.attend_tile(heads, head, row, mixed);
            }
        }
    }

    /// A tile of one head. Beyond the last row, it repeats that one.
    #[inline(always)]
    fn attend_tile(
        &mut self,
        heads: &[[f32; HEADS_WIDTH]],
        head: usize,
        first: usize,
        mixed: &mut [[f32; DIMENSIONS]],
    ) {
        let blocks = self.keys.len();
        self.scores.resize(TILE * blocks, [0.0; LANES]);
        self.shares.resize(heads.len(), [0.0; TILE]);
        let rows: [usize; TILE] =
            [first, first + 1, first + 2, first + 3].map(|row| row.min(heads.len() - 1));
        let queries = rows.map(|row| heads[row].as_chunks::<HEAD>().0[head]);
        for (block, keys) in self.keys.iter().enumerate() {
            let mut sums = [[0.0; LANES]; TILE];
            for i in 0..HEAD {
                let factors = [queries[0][i], queries[1][i], queries[2][i], queries[3][i]];
                add_products(&mut sums, factors, &keys[i]);
            }
            for (row, sums) in sums.into_iter().enumerate() {
                self.scores[row * blocks + block] = sums;
            }
        }
        let mut totals = [0.0; TILE];
        for (row, scores) in self.scores.chunks_exact_mut(blocks).enumerate() {
            totals[row] = soften(scores, heads.len());
            for (shares, score) in self.shares.iter_mut().zip(scores.as_flattened()) {
                shares[row] = *score;
            }
        }
        for (half, values) in self.values.iter().enumerate() {
            let mut sums = [[0.0; LANES]; TILE];
            for (value, shares) in values.iter().zip(&self.shares) {
                add_products(&mut sums, *shares, value);
            }
            for row in 0..TILE {
                let out = &mut mixed[rows[row]].as_chunks_mut::<LANES>().0[head * HEAD / LANES + half];
                for lane in 0..LANES {
                    out[lane] = sums[row][lane] / totals[row];
                }
            }
        }
    }
}

/// Adds multiples of the same numbers to each row. Written out, for the compiler keeps the sums in registers only then.
#[inline(always)]
fn add_products(sums: &mut [[f32; LANES]; TILE], factors: [f32; TILE], numbers: &[f32; LANES]) {
    let [a, b, c, d] = sums;
    for lane in 0..LANES {
        a[lane] += factors[0] * numbers[lane];
    }
    for lane in 0..LANES {
        b[lane] += factors[1] * numbers[lane];
    }
    for lane in 0..LANES {
        c[lane] += factors[2] * numbers[lane];
    }
    for lane in 0..LANES {
        d[lane] += factors[3] * numbers[lane];
    }
}

/// The first `count` scores as shares of the total, which is returned: softmax without its division.
#[inline(always)]
fn soften(scores: &mut [[f32; LANES]], count: usize) -> f32 {
    // So far below the rest that its share is nothing.
    const NONE: f32 = -1e30;
    scores.as_flattened_mut()[count..].fill(NONE);
    let mut greatest = [NONE; LANES];
    for lanes in scores.iter() {
        for lane in 0..LANES {
            greatest[lane] = max(greatest[lane], lanes[lane]);
        }
    }
    let greatest = greatest.into_iter().fold(NONE, max);
    let mut sums = [0.0; LANES];
    for lanes in scores.iter_mut() {
        for lane in 0..LANES {
            lanes[lane] = exp(lanes[lane] - greatest);
            sums[lane] += lanes[lane];
        }
    }
    total(sums)
}

#[inline(always)]
fn normalise(row: &mut [f32; DIMENSIONS], norm: &Norm) {
    const EPSILON: f32 = 1e-12;
    let (gains, biases) = (&norm.gains[..DIMENSIONS], &norm.biases[..DIMENSIONS]);
    let mut sums = [0.0; LANES];
    for lanes in row.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            sums[lane] += lanes[lane];
        }
    }
    let mean = total(sums) / DIMENSIONS as f32;
    let mut squares = [0.0; LANES];
    for lanes in row.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            let away = lanes[lane] - mean;
            squares[lane] += away * away;
        }
    }
    let factor = 1.0 / (total(squares) / DIMENSIONS as f32 + EPSILON).sqrt();
    for i in 0..DIMENSIONS {
        row[i] = (row[i] - mean) * factor * gains[i] + biases[i];
    }
}

/// The mean direction of a text's rows.
#[inline(always)]
fn pool(rows: &[[f32; DIMENSIONS]]) -> [f32; DIMENSIONS] {
    let mut vector = [0.0; DIMENSIONS];
    for row in rows {
        for i in 0..DIMENSIONS {
            vector[i] += row[i];
        }
    }
    let mut squares = [0.0; LANES];
    for lanes in vector.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            squares[lane] += lanes[lane] * lanes[lane];
        }
    }
    let length = total(squares).sqrt();
    for number in &mut vector {
        *number /= length;
    }
    vector
}

/// A row in 8 bits: what a step is worth, and which step is zero.
#[inline(always)]
fn round_row(row: &[f32], out: &mut [u8]) -> (f32, i32) {
    // Zero is always within, so that it is always exact.
    let mut least = [0.0; LANES];
    for lanes in row.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            least[lane] = min(least[lane], lanes[lane]);
        }
    }
    let mut greatest = [0.0; LANES];
    for lanes in row.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            greatest[lane] = max(greatest[lane], lanes[lane]);
        }
    }
    let least = least.into_iter().fold(0.0, min);
    let range = max(greatest.into_iter().fold(0.0, max) - least, f32::MIN_POSITIVE * 1e6);
    let steps = 255.0 / range;
    let zero = (ROUND - least * steps) - ROUND;
    let out = &mut out[..row.len()];
    for i in 0..row.len() {
        let step = max(min(row[i] * steps + zero, 255.0), 0.0);
        out[i] = (step + ROUND).to_bits() as u8;
    }
    (range / 255.0, zero as i32)
}

/// Added to a small number, leaves its nearest integer in the lowest bits.
const ROUND: f32 = 12_582_912.0;

#[inline(always)]
fn gelu(x: f32) -> f32 {
    // Abramowitz and Stegun 7.1.26: the error function to seven digits.
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let series =
        ((((1.061_405_4 * t - 1.453_152_1) * t + 1.421_413_8) * t - 0.284_496_72) * t + 0.254_829_6) * t;
    let error = 1.0 - series * exp(-z * z);
    0.5 * x * (1.0 + error.copysign(x))
}

/// The exponential of a number that is not above zero, to seven digits.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = max(x, -87.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let whole = rounded - ROUND;
    // ln 2 in two parts, the first of which multiplies exactly.
    let rest = x - whole * 0.693_359_4 + whole * 2.121_944_4e-4;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5
                        + rest
                            * (0.166_666_55
                                + rest * (0.041_665_796 + rest * (0.008_333_452 + rest * 0.001_398_2)))));
    series * f32::from_bits((rounded.to_bits() << 23).wrapping_add(1.0_f32.to_bits()))
}

/// Lanes added up in pairs, the same everywhere.
#[inline(always)]
fn total(mut lanes: [f32; LANES]) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// The greater of two numbers, in one instruction: `f32::max` minds a NaN, of which there are none.
#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_and_activation_are_good_to_six_digits() {
        for step in -8000..=8000 {
            let x = step as f32 / 1000.0;
            let exact = f64::from(-x.abs()).exp();
            assert!((f64::from(exp(-x.abs())) / exact - 1.0).abs() < 1e-6, "exp({})", -x.abs());
        }
        // Known values of x times the normal distribution function.
        for (x, expected) in
            [(0.0, 0.0), (1.0, 0.841_344_7), (-1.0, -0.158_655_25), (3.0, 2.995_950_3), (-9.0, 0.0)]
        {
            assert!((gelu(x) - expected).abs() < 1e-6, "gelu({x}) = {}", gelu(x));
        }
    }

    #[test]
    fn a_row_in_8_bits_is_off_by_half_a_step_at_most() {
        let rows: [[f32; 32]; 4] = [
            [0.0; 32],
            [3.5; 32],
            std::array::from_fn(|i| i as f32 - 7.0),
            std::array::from_fn(|i| -1.0 - i as f32 * 0.01),
        ];
        for row in rows {
            let mut rounded = [0; 32];
            let (scale, zero) = round_row(&row, &mut rounded);
            for (number, step) in row.iter().zip(rounded) {
                let back = (i32::from(step) - zero) as f32 * scale;
                assert!(
                    (back - number).abs() <= scale * 0.501,
                    "{number} came back as {back}, a step is {scale}"
                );
            }
        }
    }
}
