//! Trees and conditions over real folders and repositories.

#![allow(clippy::unwrap_used)]

mod captures;
mod conditions;
mod trees;
mod world;
