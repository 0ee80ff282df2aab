//! Trees and conditions over real folders and repositories.

mod trees;
mod world;
