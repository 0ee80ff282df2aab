//! The repository around a store: git, the files of a tree, what manifests and settings in it say.

pub mod git;
