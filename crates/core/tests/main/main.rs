//! The core from outside: laws that hold for every history, small histories told as text, and golden stores.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod belief;
mod documents;
mod fixtures;
mod forage;
mod forged;
mod histories;
mod keys;
mod laws;
mod merges;
mod stage;
