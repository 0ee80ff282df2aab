//! Any bytes as a reviewer's report.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::findings(bytes));
