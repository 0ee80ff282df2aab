//! Any bytes as a file in a knowledge folder of GSD.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::gsd(bytes));
