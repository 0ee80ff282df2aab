//! Any bytes as an export of FormicOS.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::formicos(bytes));
