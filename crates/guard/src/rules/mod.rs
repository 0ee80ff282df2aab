//! The lists of rules, one for each subject.

pub mod injection;
