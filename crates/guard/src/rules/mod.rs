//! The lists of rules, one for each axis.

pub mod exfiltration;
pub mod injection;
pub mod unsafe_code;
