//! A rule: one small thing to look for, why it matters, and examples that are its tests.

use crate::text::Text;
use crate::verdict::{Axis, Tier};

/// One thing to look for. Rules are values in a list per axis; `rules/mod.rs` has the list of lists.
pub struct Rule {
    /// Its name: short, lower case, hyphens. Unique over all axes.
    pub id: &'static str,
    /// The kind of harm.
    pub axis: Axis,
    /// How bad a hit is.
    pub severity: Tier,
    /// One sentence for the person whose text was stopped.
    pub why: &'static str,
    /// How it looks.
    pub look: Look,
    /// Texts that only this rule catches: taking the rule away fails a test.
    pub hits: &'static [&'static str],
    /// Innocent texts that come near.
    pub misses: &'static [&'static str],
}

/// How a rule looks at a text. Every way takes linear time.
pub enum Look {
    /// Words in order with bounded gaps, in the language of [`crate::phrase`]: any one of these.
    Phrases(&'static [&'static str]),
    /// A regular expression, tried on the surroundings of one of the (lower-case) words of `near`.
    Pattern {
        /// Literals of which one must be there.
        near: &'static [&'static str],
        /// What must match; group `value`, if there is one, is the span.
        regex: &'static str,
    },
    /// Code, where neither is enough. Spans are bytes of `Text::plain`.
    Code(fn(&Text<'_>) -> Vec<(usize, usize)>),
}
