//! Any bytes as a solution of WFC.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::wfc_solutions(bytes));
