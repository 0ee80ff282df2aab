//! Trees and conditions over real folders and repositories.

mod conditions;
mod trees;
mod world;
