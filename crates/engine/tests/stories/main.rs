//! What the verbs do, told as stories to every kind of store: in memory, in a folder, and opened again for every step.

#![allow(missing_docs, clippy::unwrap_used)]

mod add;
mod list;
mod name;
mod put_away;
mod revise;
mod story;
mod undo;
