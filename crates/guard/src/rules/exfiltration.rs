//! Text and code that have secrets, files or memory sent away.
use crate::rule::Rule;
/// The rules.
pub const RULES: &[Rule] = &[];
