//! Any bytes as something that norms are read from.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::digest(bytes));
