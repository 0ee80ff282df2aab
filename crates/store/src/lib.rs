//! The store on disk: journal and ledger files, the catalogue of where everything lies, and the projection beside it; behind the
//! engine's ports.

mod appending;
mod at;
pub mod catalogue;
pub mod foreign;
mod index_page;
pub mod journal;
pub mod judgements;
mod latest;
mod left_over;
mod limits;
pub mod lines;
mod log;
mod memory;
mod overlays;
mod purged;
mod quick_check;
mod recorder;
mod replica;
mod set_up;
mod shared;
mod snapshot;
mod state;
mod store;
mod tree;
mod tree_view;
pub mod verify;

pub use ken_index as index;
pub use ken_index::vectors;
pub use ken_worktree::layout::{self, Layout, STORE_FOLDER, STORE_VERSION};
pub use ken_worktree::{disk, git};
pub use log::GitLog;
pub use memory::{MemoryBase, MemoryLog, MemoryRecorder, MemoryStore};
pub use recorder::GroupRecorder;
pub use set_up::{remove, set_up};
pub use shared::Shared;
pub use snapshot::{PastBase, Snapshot};
pub use state::FileState;
pub use store::{GitBase, OpenOptions, Store};
