//! Scenarios through the real binary: one test binary, one module per subject.

#![allow(missing_docs, clippy::unwrap_used)]

mod attacks;
mod bad_input;
mod brief;
mod check;
mod dedup;
mod demo;
mod digest;
mod doors;
mod drift;
mod git_histories;
mod health;
mod hooks;
mod learning;
mod mcp;
mod memory_ci;
mod overlays;
mod processes;
mod search;
mod seeds;
mod setup;
mod shapes;
mod transcript;
mod verbs;
mod way_in;
mod world;
