//! The lists of rules, one for each axis.

pub mod exfiltration;
pub mod unsafe_code;

#[cfg(test)]
mod table;
