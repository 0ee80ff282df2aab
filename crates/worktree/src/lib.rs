//! The repository around a store: git, the files of a tree, what manifests and settings in it say.

mod commit;
pub mod git;
mod history;
pub mod limits;
mod tree;
mod working;

pub use commit::CommitTree;
pub use limits::Limits;
pub use tree::{Look, MemoryTree, Tree, Unjudged, blob_id};
pub use working::{Known, Stamp, WorkingTree};
