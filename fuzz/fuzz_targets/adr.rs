//! Any bytes as a record of a decision.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::adr(bytes));
