//! The lists of rules, one for each axis.

pub mod exfiltration;
pub mod injection;
pub mod unsafe_code;

use crate::rule::Rule;

/// Every rule of every list. Secrets have a table of their own.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    injection::RULES.iter().chain(exfiltration::RULES).chain(unsafe_code::RULES)
}

#[cfg(test)]
mod table;
