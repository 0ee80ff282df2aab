//! Tests of the library as a whole, a module per subject.

mod recall_floor;
