//! The lists of rules, one for each subject.

pub mod exfiltration;
pub mod injection;
pub mod unsafe_code;

#[cfg(test)]
mod table;
