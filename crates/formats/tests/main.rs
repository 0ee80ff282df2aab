//! What the formats promise, in one binary.
#![allow(clippy::unwrap_used)]

#[path = "main/gsd.rs"]
mod gsd;
