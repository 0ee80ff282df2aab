//! What hosts' files become: one test binary, one module per subject.

#![allow(missing_docs, clippy::unwrap_used)]

mod setup;
