//! Code that entries speak of: read by its grammar, remembered by its prints, found again after it moved (VAL-3).
//!
//! Everything here is text in, facts out: who reads files, and which, is decided elsewhere.

pub mod capture;
pub mod code;
mod definitions;
mod grammar;
pub mod judge;
pub mod language;
pub mod limits;
pub mod outline;
mod parts;
mod prints;
mod prose;
pub mod worker;

pub use capture::capture;
pub use code::{Code, blob_id};
pub use judge::{Candidate, Files, Here, elsewhere, here, judge, settle};
pub use language::Language;
pub use outline::{Limits, Outline, Symbol, Token, Unread};
pub use worker::{InProcess, Reader, Worker};
