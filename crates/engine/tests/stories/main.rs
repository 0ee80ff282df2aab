//! What the verbs do, as stories that run on every kind of store: in memory, in a folder, and reopened for every step.

#![allow(missing_docs, clippy::unwrap_used)]

mod add;
mod archive;
mod confirm;
mod list;
mod merge;
mod overlay;
mod purge;
mod reject;
mod resolve;
mod revise;
mod search;
mod story;
mod undo;
