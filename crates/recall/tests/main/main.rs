//! The ranker against the prototype it was ported from, and its laws.

#![allow(missing_docs, clippy::unwrap_used)]

mod laws;
mod prototype;
