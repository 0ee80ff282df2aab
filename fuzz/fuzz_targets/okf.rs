//! Any bytes as a file of the Open Knowledge Format.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::okf(bytes));
