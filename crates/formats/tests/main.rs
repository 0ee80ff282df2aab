//! What the formats promise, in one binary.
#![allow(clippy::unwrap_used)]

#[path = "main/flux_drive.rs"]
mod flux_drive;
#[path = "main/gsd.rs"]
mod gsd;
#[path = "main/outgoing.rs"]
mod outgoing;
#[path = "main/wfc.rs"]
mod wfc;
#[path = "main/wfc_solutions.rs"]
mod wfc_solutions;
#[path = "main/decapod.rs"]
mod decapod;
#[path = "main/formicos.rs"]
mod formicos;
