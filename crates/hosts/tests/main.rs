//! Tests of the crate as a whole, a module per subject.

#![allow(missing_docs, clippy::unwrap_used)]

mod hook;
mod setup;
mod transcript;
