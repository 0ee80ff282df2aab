//! Counting tokens, and saying by which rule they were counted (OUT-7).

pub trait Tokens {
    /// How many tokens a text has.
    fn count(&self, text: &str) -> usize;
    /// What they are counted with: a tokenizer, or a rule of thumb that says that it is one.
    fn counted_by(&self) -> &str;
}

/// A rule of thumb for where no tokenizer is at hand: a token for every four letters of each word and every other character.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleOfThumb;

impl Tokens for RuleOfThumb {
    fn count(&self, text: &str) -> usize {
        let mut tokens = 0;
        let mut letters = 0_usize;
        for c in text.chars() {
            if c.is_ascii_alphanumeric() {
                letters += 1;
                continue;
            }
            tokens += letters.div_ceil(4);
            letters = 0;
            tokens += usize::from(!c.is_whitespace());
        }
        tokens + letters.div_ceil(4)
    }

    fn counted_by(&self) -> &str {
        "an estimate: four letters to a token"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_of_thumb() {
        let counts =
            ["", "a", "retry", "[L-1a2b3c] Retry.", "接続プール"].map(|text| RuleOfThumb.count(text));
        assert_eq!(counts, [0, 1, 2, 9, 5]);
    }
}
