//! What the formats promise, in one binary.
#![allow(clippy::unwrap_used)]

#[path = "main/adr.rs"]
mod adr;
#[path = "main/agents_md.rs"]
mod agents_md;
#[path = "main/basic_memory.rs"]
mod basic_memory;
#[path = "main/decapod.rs"]
mod decapod;
#[path = "main/every.rs"]
mod every;
#[path = "main/flux_drive.rs"]
mod flux_drive;
#[path = "main/formicos.rs"]
mod formicos;
#[path = "main/gsd.rs"]
mod gsd;
#[path = "main/mem0.rs"]
mod mem0;
#[path = "main/okf.rs"]
mod okf;
#[path = "main/pace.rs"]
mod pace;
#[path = "main/promises.rs"]
mod promises;
#[path = "main/server_memory.rs"]
mod server_memory;
#[path = "main/wfc.rs"]
mod wfc;
#[path = "main/wfc_solutions.rs"]
mod wfc_solutions;
