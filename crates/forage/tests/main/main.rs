//! The forager against hostile addresses, servers and pages, and its figures on labelled pages. Servers are started here, on loopback.

#![allow(missing_docs, clippy::unwrap_used)]

mod addresses;
mod cycles;
mod pages;
mod server;
mod servers;
