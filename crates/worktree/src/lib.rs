//! The repository around a store: git, the files of a tree, what manifests and settings in it say, and whether conditions hold there.

mod commit;
mod evaluate;
mod facts;
pub mod git;
mod history;
pub mod limits;
pub mod manifests;
pub mod settings;
mod suggest;
mod tree;
pub mod version;
mod working;

pub use commit::CommitTree;
pub use evaluate::{Answer, Evaluator, Needs, NoSymbols, Symbols, check, evaluate, needs};
pub use facts::facts;
pub use limits::Limits;
pub use suggest::{Suggestion, suggest};
pub use tree::{Look, MemoryTree, Tree, Unjudged, blob_id};
pub use working::{Known, Stamp, WorkingTree};
