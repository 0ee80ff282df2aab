//! Texts as vectors, offline: the sentence model all-MiniLM-L6-v2 in 8 bits, and the arithmetic of a flat vector index.
//!
//! The model is part of the binary and is read in place, so that creating a [`Model`] costs nothing and its weights stay pages of
//! the file. All paths ([`Simd`]) give the same bits: integers are exact everywhere, and floats are added in one order and
//! never fused. There is no path of its own for ARM; the portable one is compiled to its vector instructions.
//!
//! This is the only crate with `unsafe`: in `product`, for vector instructions; in `simd`, for calling code that was compiled for
//! them; and in `packed` and `model`, for reading numbers in place.
//!
//! ```
//! # #[cfg(feature = "bundled")] {
//! let model = ken_embed::Model::bundled().expect("built with the model");
//! let near = |a: &str, b: &str| model.embed(a).iter().zip(model.embed(b)).map(|(a, b)| a * b).sum::<f32>();
//! assert!(near("retry a failed upload", "try the transfer again") > near("retry a failed upload", "bake bread"));
//! # }
//! ```

mod encoder;
mod model;
mod packed;
mod product;
mod simd;
mod tokenizer;
mod vectors;

pub use model::{Model, ModelError};
pub use simd::Simd;
pub use vectors::{dot_i8, scan_bits, scan_i8};

#[cfg(not(target_endian = "little"))]
compile_error!("the packed model is read in place and is little endian");

/// The numbers in a vector.
pub const DIMENSIONS: usize = 384;

/// The tokens of a text that the model reads, `[CLS]` and `[SEP]` among them. It was trained on fewer.
pub const TOKENS_MAX: usize = 256;
