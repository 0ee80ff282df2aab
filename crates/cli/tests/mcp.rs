//! The MCP door through the real binary: transcripts, lists, errors, approvals, HTTP, and the same answers as every other door.

mod agents;
mod approvals;
pub(crate) mod client;
mod http;
mod lists;
mod no_store;
// It gives each clone the same name, which is tied to the number of a folder.
#[cfg(unix)]
mod same_answers;
mod strangers;
mod transcripts;
mod words;
