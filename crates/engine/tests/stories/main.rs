//! What the verbs do, told as stories to every kind of store: in memory, in a folder, and opened again for every step.

#![allow(missing_docs, clippy::unwrap_used)]

mod add;
mod confirm;
mod kept_out;
mod list;
mod name;
mod overlay;
mod purge;
mod put_away;
mod revise;
mod search;
mod story;
mod undo;
