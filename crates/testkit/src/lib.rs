//! What tests share: worlds that can be broken on purpose. Never part of a release.

mod dice;
pub mod fuzz_targets;
mod sim_disk;

pub use dice::Dice;
pub use sim_disk::{Fault, Image, Moment, SimDisk};

/// A person who confirmed a call, for tests: nothing else outside the edges can make one.
#[allow(clippy::disallowed_methods, reason = "tests play the person")]
pub fn person(name: &str) -> ken_engine::Person {
    ken_engine::Person::confirmed_at_terminal(name)
}
