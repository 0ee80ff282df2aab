//! Being built.

pub mod fuzz_targets;
