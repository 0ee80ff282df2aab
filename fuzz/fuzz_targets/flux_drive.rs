//! Any bytes as a finding of flux-drive.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::flux_drive(bytes));
