//! The store on disk: journal, ledger files and SQLite projection, behind the engine's ports.

mod at;
pub mod disk;
pub mod foreign;
pub mod index;
mod index_page;
pub mod journal;
pub mod judgements;
pub mod layout;
pub mod lines;
mod overlays;
mod replica;
mod set_up;
mod snapshot;
mod store;
mod tree;
pub mod vectors;
pub mod verify;

pub use at::LedgerAt;
pub use index::Mirrored;
pub use ken_worktree::git;
pub use layout::{Layout, STORE_FOLDER, STORE_VERSION};
pub use set_up::{SetUp, SetUpReport, remove, set_up};
pub use snapshot::Snapshot;
pub use store::{Access, OpenOptions, Store};
