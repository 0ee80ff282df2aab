//! Any bytes as a file with a block at its head.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::front_matter(bytes));
