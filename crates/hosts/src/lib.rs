//! Agent hosts: the files they are configured by, the words their hooks speak, and the transcripts they keep.
//!
//! Nothing here knows a store. What a hook does is decided in `kenning`; this crate knows how each host says what happened, and how
//! it wants to be answered.

pub mod hook;
mod limits;
pub mod prove;
pub mod setup;
pub mod transcript;
