//! Code that entries speak of: read by its grammar, remembered by its prints, found again after it moved (VAL-3).
//!
//! Everything here is text in, facts out: who reads files, and which, is decided elsewhere.

pub mod language;
pub mod outline;

pub use language::Language;
pub use outline::{Outline, Symbol, Token, Unread};
