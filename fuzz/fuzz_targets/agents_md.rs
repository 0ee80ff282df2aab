//! Any bytes as rules for agents.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::agents_md(bytes));
