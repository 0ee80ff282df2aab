//! Scenarios through the real binary: one test binary, one module per subject.

#![allow(missing_docs, clippy::unwrap_used)]

mod actions;
mod around;
mod attacks;
mod brief;
mod check;
mod completion;
mod dedup;
mod demo;
mod digest;
mod disks;
mod doors;
mod drift;
#[cfg(unix)]
mod five_systems;
mod forage;
mod foreign;
#[cfg(unix)]
mod forged;
mod former;
mod gates;
mod git_histories;
#[cfg(unix)]
#[path = "../src/grammar.rs"]
mod grammar;
mod harvest;
mod health;
mod hooks;
mod index_page;
mod intake;
mod judging;
#[cfg(unix)]
mod laundering;
mod learning;
mod limits;
mod maintain;
mod mcp;
mod memory_ci;
mod modules;
mod overlays;
#[cfg(unix)]
mod pager;
mod processes;
#[cfg(unix)]
mod promote;
#[cfg(unix)]
mod pty;
#[cfg(unix)]
mod queue;
mod reach;
mod reference;
mod rest;
mod rules;
mod search;
mod seeds;
mod sent;
mod setup;
mod shapes;
mod spelling;
#[cfg(unix)]
mod supersession;
mod table;
#[cfg(unix)]
mod team;
mod torture;
mod transcript;
#[path = "../../kenning/tests/verbs.rs"]
mod verbs;
mod world;
