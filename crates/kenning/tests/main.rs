//! Tests of the library as a whole, a module per subject.

mod dedup;
mod recall_floor;
