//! Any bytes as a ledger file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::ledger_line(bytes));
