//! What the formats promise, in one binary.
#![allow(clippy::unwrap_used)]

#[path = "main/adr.rs"]
mod adr;
#[path = "main/agents_md.rs"]
mod agents_md;
#[path = "main/basic_memory.rs"]
mod basic_memory;
#[path = "main/mem0.rs"]
mod mem0;
#[path = "main/okf.rs"]
mod okf;
#[path = "main/promises.rs"]
mod promises;
#[path = "main/server_memory.rs"]
mod server_memory;
#[path = "main/strangers.rs"]
mod strangers;
