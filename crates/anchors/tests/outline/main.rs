//! Outlines: what is the same text, what has a name, what is refused.

mod limits;
mod names;
mod same;
mod worker;

use ken_anchors::outline::{self, Limits};
use ken_anchors::{Language, Outline};

fn outline(language: Language, text: &str) -> Outline {
    outline::read(language, text, &Limits::default()).expect("the text can be read")
}

fn prints(outline: &Outline) -> Vec<u32> {
    outline.tokens.iter().map(|token| token.print).collect()
}
