//! What the formats promise, in one binary.
#![allow(clippy::unwrap_used)]
