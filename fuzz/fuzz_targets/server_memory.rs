//! Any bytes as a memory of the MCP server.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ken_testkit::fuzz_targets::server_memory(bytes));
