//! Any bytes as what reviewers of WFC know.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::wfc(bytes));
