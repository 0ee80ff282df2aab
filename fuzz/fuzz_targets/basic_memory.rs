//! Any bytes as a note of Basic Memory.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::basic_memory(bytes));
