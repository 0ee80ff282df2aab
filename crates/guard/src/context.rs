//! Whether a text warns against what a rule found in it.
/// Whether.
pub fn is_warned_against(_plain: &str, _start: usize, _end: usize) -> bool {
    false
}
