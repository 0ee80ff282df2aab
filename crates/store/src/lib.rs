//! The store on disk: journal, ledger files and SQLite projection, behind the engine's ports.

pub mod disk;
pub mod git;
pub mod index;
mod index_page;
pub mod journal;
pub mod layout;
pub mod lines;
mod replica;
mod store;
mod tree;

pub use layout::{Layout, STORE_FOLDER, STORE_VERSION};
pub use store::{Access, OpenOptions, Store};
