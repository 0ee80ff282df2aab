//! The doors that stay open: MCP over standard input and output; MCP, the HTTP API and the browser's pages over HTTP.
//!
//! What an agent can ask for every day is written here, on the library. Every other verb is a row of the table and is called in this
//! process, so that a verb is defined once and answers the same through every door (DOO-1).

mod approval;
mod door;
mod http;
mod limits;
mod mcp;
mod prompts;
mod resources;
mod rest;
mod shared;
mod tool;
mod tools;
mod verb;
mod wire;

pub use door::Settings;
pub use http::{Listen, Notify, Serving, Sessions, serve};
pub use mcp::stdio;
pub use shared::{Deed, SharedStore};
pub use tool::{Profile, listing};
