//! The log in PostgreSQL. Without a server these tests are skipped, which is said aloud.

#![allow(missing_docs, clippy::unwrap_used)]

mod conformance;
mod isolation;
mod migrations;
mod nodes;
mod world;
