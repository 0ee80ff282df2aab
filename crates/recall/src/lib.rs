//! Finding the right texts: words, meaning, and how the two are weighed.
//!
//! Nothing here knows what an entry is, reads a file or keeps a secret: a [`TextIndex`] of numbered texts is asked, and numbers come
//! back. What is stored, and how, is the business of whoever implements the shelf.

pub mod delivery;
pub mod keyword;
mod limits;
pub mod metrics;
pub mod postings;
pub mod question;
pub mod rank;
pub mod shelf;
pub mod terms;
pub mod vectors;

pub use question::Question;
pub use rank::{Among, Calibration, Mode, Ranked, TextMatch, Wish, rank, worded_like};
pub use shelf::{MemoryShelf, TextIndex};
pub use terms::{Term, terms};
