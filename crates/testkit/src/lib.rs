//! What tests share: worlds that can be broken on purpose. Never part of a release.

pub mod conformance;
mod dice;
mod forged_lines;
pub mod fuzz_targets;
mod limits;
mod postgres;
mod sim_disk;
mod torture;

pub use dice::Dice;
pub use forged_lines::forged_lines;
pub use postgres::{PostgresServer, shared_postgres};
pub use sim_disk::{Fault, Image, Moment, SimDisk};
pub use torture::{is_at_volume, torture};

/// The key of what an `entry.added` with this data claims (COR-18): a line with any other is not applied. A type that this version does not
/// know has none that could be checked; it gets one all the same.
pub fn key_of(data: &serde_json::Value) -> String {
    let added: ken_core::event::Added =
        serde_json::from_value(data.clone()).expect("it is the data of an entry.added");
    let statement = || ken_core::Fields::read(&added.fields).statement().into_owned();
    let key = ken_core::entry::claimed_key(&added);
    key.unwrap_or_else(|| ken_core::EntryKey::derive(added.kind.word(), "project", &statement())).to_string()
}

/// A person who confirmed a call, for tests: nothing else outside the edges can make one.
#[allow(clippy::disallowed_methods, reason = "tests play the person")]
pub fn person(name: &str) -> ken_engine::Person {
    ken_engine::Person::confirmed_at_terminal(name)
}
