//! The repository around a store: git, the files of a tree, what manifests and settings in it say, whether conditions hold there, and
//! the code that entries describe.

mod commit;
pub mod disk;
mod evaluate;
mod facts;
pub mod git;
mod ground;
mod history;
mod ignored;
pub mod layout;
pub mod limits;
pub mod links;
pub mod manifests;
mod past;
pub mod settings;
mod suggest;
mod tree;
pub mod version;
mod working;

pub use commit::CommitTree;
pub use evaluate::{Answer, Evaluator, Needs, NoSymbols, Symbols, check, evaluate, needs};
pub use facts::facts;
pub use ground::{CodeGround, Parser};
pub use layout::{Layout, STORE_FOLDER, STORE_VERSION};
pub use limits::Limits;
pub use suggest::{Suggestion, suggest};
pub use tree::{Look, MemoryTree, Tree, Unjudged, blob_id};
pub use working::{KnownBlob, Stamp, WorkingTree};
