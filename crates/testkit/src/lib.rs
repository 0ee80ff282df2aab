//! What tests share: worlds that can be broken on purpose. Never part of a release.

mod dice;
pub mod fuzz_targets;
mod sim_disk;

pub use dice::Dice;
pub use sim_disk::{Fault, Image, Moment, SimDisk};
