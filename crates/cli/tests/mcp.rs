//! The MCP door through the real binary: transcripts, lists, errors, approvals, HTTP, and the same answers as every other door.

mod approvals;
mod client;
mod http;
mod lists;
mod no_store;
mod same_answers;
mod transcripts;
mod words;
