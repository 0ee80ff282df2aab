//! Any JSON as the content of an entry.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::content(bytes));
