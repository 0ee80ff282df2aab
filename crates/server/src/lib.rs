//! The doors that stay open: MCP over standard input and output, and over HTTP.
//!
//! What an agent can ask for every day is written here, on the library. Every other verb is the command line's own: the server
//! starts the same program with `--json`, so that a verb is defined once and answers the same through every door (DOO-1).

mod approval;
mod door;
mod http;
mod limits;
mod mcp;
mod prompts;
mod resources;
mod tool;
mod tools;
mod verb;
mod wire;

pub use door::Settings;
pub use http::{Listen, serve};
pub use mcp::stdio;
pub use tool::{Profile, listing};
