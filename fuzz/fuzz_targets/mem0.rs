//! Any bytes as an export of mem0.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::mem0(bytes));
