//! What the formats promise, in one binary.
#![allow(clippy::unwrap_used)]

#[path = "main/decapod.rs"]
mod decapod;
#[path = "main/formicos.rs"]
mod formicos;
