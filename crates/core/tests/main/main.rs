//! The core from outside: laws that hold for every history, small histories told as text, and golden stores.

mod fixtures;
mod histories;
mod laws;
mod stage;
