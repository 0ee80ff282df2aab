//! The HTTP API and the sessions of the browser, through the real binary: what a program sends, what an attacker sends.

mod answers;
mod attacks;
pub(crate) mod client;
mod requests;
mod roles;
mod sessions;
mod stream;

pub use client::Api;
