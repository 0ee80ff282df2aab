//! Any bytes as a file of Decapod.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::decapod(bytes));
