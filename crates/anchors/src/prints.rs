//! Prints: numbers that stand for sequences of tokens, made so that every window of a sequence has its own in constant time.

use ken_core::anchor::PART_DIGITS;

use crate::Token;

/// A Mersenne prime: remainders are a shift and a sum.
const PRIME: u64 = (1 << 61) - 1;
/// Any number will do that is not small; changing it changes every print.
const BASE: u64 = 0x0b4d_3a91_7c5e_2f63;

/// The print of a sequence.
pub(crate) fn fingerprint(tokens: impl IntoIterator<Item = u32>) -> u64 {
    tokens.into_iter().fold(0, append)
}

/// The text form of a print.
pub(crate) fn text(print: u64) -> String {
    format!("{print:016x}")
}

/// The sums of all beginnings of a sequence, from which the print of any window follows.
#[derive(Debug)]
pub(crate) struct Sums(Vec<u64>);

impl Sums {
    pub(crate) fn new(tokens: &[Token]) -> Sums {
        let mut sums = Vec::with_capacity(tokens.len() + 1);
        sums.push(0);
        let mut sum = 0;
        for token in tokens {
            sum = append(sum, token.print);
            sums.push(sum);
        }
        Sums(sums)
    }

    /// The print of the tokens from `from` to before `to`.
    pub(crate) fn window(&self, from: usize, to: usize) -> u64 {
        self.at(from, to, power(to - from))
    }

    /// Where in `within` windows of `length` begin whose print `like` accepts.
    pub(crate) fn windows(
        &self,
        within: (usize, usize),
        length: usize,
        like: impl Fn(u64) -> bool,
    ) -> Vec<usize> {
        if length == 0 || within.1 < within.0 + length {
            return Vec::new();
        }
        let power = power(length);
        (within.0..=within.1 - length).filter(|from| like(self.at(*from, from + length, power))).collect()
    }

    fn at(&self, from: usize, to: usize, power: u64) -> u64 {
        let taken = times(self.0[from], power);
        let sum = self.0[to];
        if sum >= taken { sum - taken } else { sum + PRIME - taken }
    }
}

/// The print of one part of something larger: a whole symbol, or a run of tokens that can be looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Part {
    /// How many tokens it has; none for a whole symbol, which is compared with symbols only.
    pub(crate) run: u8,
    /// Twenty-four bits.
    pub(crate) print: u32,
}

/// The longest run that is one part.
pub(crate) const RUN_TOKENS_MAX: usize = 250;

impl Part {
    /// Nothing: where a range has no neighbour.
    pub(crate) const NONE: Part = Part { run: 0, print: 0 };

    pub(crate) fn whole(print: u64) -> Part {
        Part { run: 0, print: shortened(print) }
    }

    pub(crate) fn run(print: u64, tokens: usize) -> Part {
        debug_assert!((1..=RUN_TOKENS_MAX).contains(&tokens));
        Part { run: tokens as u8, print: shortened(print) }
    }

    pub(crate) fn text(self) -> String {
        format!("{:02x}{:06x}", self.run, self.print)
    }

    /// The parts of their text form; what cannot be read is left out.
    pub(crate) fn all(text: &str) -> Vec<Part> {
        let digits = text.as_bytes().chunks(PART_DIGITS);
        digits
            .filter_map(|digits| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok())
            .map(|number| Part { run: (number >> 24) as u8, print: number & 0xff_ffff })
            .collect()
    }
}

/// The upper bits of a product depend on all bits of the print.
fn shortened(print: u64) -> u32 {
    (print.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32
}

fn append(sum: u64, token: u32) -> u64 {
    // One more than the token, so that a sequence of zeros is not the empty one.
    let sum = times(sum, BASE) + u64::from(token) + 1;
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn times(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    let sum = (wide as u64 & PRIME) + (wide >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn power(exponent: usize) -> u64 {
    let (mut result, mut base, mut rest) = (1, BASE, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        rest >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(prints: &[u32]) -> Vec<Token> {
        prints.iter().map(|print| Token { print: *print, line: 1, last: 1 }).collect()
    }

    #[test]
    fn a_window_has_the_print_of_its_tokens() {
        let numbers = [7, 0, u32::MAX, 7, 0, u32::MAX, 3];
        let sums = Sums::new(&tokens(&numbers));
        for from in 0..numbers.len() {
            for to in from..=numbers.len() {
                assert_eq!(
                    sums.window(from, to),
                    fingerprint(numbers[from..to].iter().copied()),
                    "{from}..{to}"
                );
            }
        }
        let print = fingerprint([7, 0]);
        assert_eq!(sums.windows((0, 7), 2, |found| found == print), [0, 3]);
        assert_eq!(sums.windows((1, 7), 2, |found| found == print), [3]);
        assert!(sums.windows((0, 1), 2, |_| true).is_empty());
    }

    #[test]
    fn order_and_length_count() {
        assert_ne!(fingerprint([1, 2]), fingerprint([2, 1]));
        assert_ne!(fingerprint([0]), fingerprint([0, 0]));
        assert_ne!(fingerprint([]), fingerprint([0]));
    }

    #[test]
    fn parts_survive_their_text_form() {
        let parts = [Part::whole(fingerprint([1, 2])), Part::run(fingerprint([3]), 1), Part::NONE];
        let text: String = parts.iter().map(|part| part.text()).collect();
        assert_eq!(Part::all(&text), parts);
        assert!(Part::all("zzzzzzzz").is_empty());
    }
}
