//! The log in git: journal and ledger files, the catalogue of where everything lies, and the projection beside it.
//!
//! [`GitLog`] is the log of a worktree, [`GitSnapshot`] what one call sees of it. Inside, `work::Work` is a store through one connection
//! to its index, and each module does one thing to it.

mod append;
mod at;
mod base;
pub mod catalogue;
mod flush;
mod follow;
pub mod foreign;
mod home;
mod index_page;
pub mod journal;
mod left_over;
mod limits;
pub mod lines;
mod log;
mod opening;
mod purge;
mod quick_check;
mod receive;
mod recover;
mod replica;
mod segment_files;
mod set_up;
mod snapshot;
mod state;
mod timeline;
mod tree;
mod tree_view;
mod trees;
mod trim;
mod verify;
mod work;
mod write_out;

pub use base::GitBase;
pub use home::OpenOptions;
pub use ken_worktree::layout::{self, Layout, STORE_FOLDER, STORE_VERSION};
pub use ken_worktree::{disk, git};
pub use log::GitLog;
pub use opening::discard_index;
pub use set_up::{remove, set_up};
pub use snapshot::GitSnapshot;
pub use state::FileState;
