//! The store on disks that fail, lose power or are edited behind its back.

#![allow(missing_docs, clippy::unwrap_used)]

mod conformance;
mod crash;
mod faults;
mod git_store;
mod lost_journal;
mod moving;
mod overlays;
mod readers;
mod reboot;
mod rebuild;
mod says;
mod seeds;
mod state;
mod summaries;
mod world;
