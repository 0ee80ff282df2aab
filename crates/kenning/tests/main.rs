//! Tests of the library as a whole, a module per subject.

#![allow(missing_docs, clippy::unwrap_used)]

mod ages;
mod authority;
mod briefing;
mod cascade;
mod change_set;
mod checking;
mod dedup;
mod health;
mod lifecycle;
mod parser;
mod recall_floor;
mod search;
