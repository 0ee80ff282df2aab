//! Entries that are used together (OUT-6).

/// A successful run used both of two entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Together {
    /// The day it ended.
    pub day: i32,
    /// One answer had handed both to it.
    pub retrieved: bool,
}

/// How strongly two entries belong together, on some day.
pub fn weight(uses: &[Together], today: i32) -> f64 {
    let _ = today;
    if uses.is_empty() { 0.0 } else { 1.0 }
}

/// What a weight counts in a score.
pub fn signal(weight: f64) -> f64 {
    1.0 - (-0.6 * weight).exp()
}
