//! Any bytes as a journal segment, and sound frames with any damage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::journal_tail(bytes));
