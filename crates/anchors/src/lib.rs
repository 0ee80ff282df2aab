//! Code that entries speak of: read by its grammar, remembered by its prints, found again after it moved (VAL-3).
//!
//! Everything here is text in, facts out: who reads files, and which, is decided elsewhere.

mod grammar;
pub mod language;
pub mod outline;
pub mod worker;

pub use language::Language;
pub use outline::{Limits, Outline, Symbol, Token, Unread};
pub use worker::{InProcess, Reader, Worker};
