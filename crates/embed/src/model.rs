//! A model to embed texts with: the bundled one, or the same from a file.

use crate::encoder::encode;
use crate::packed::{Aligned, Layout};
use crate::simd::{Path as SimdPath, Simd};
use crate::tokenizer::{BEGIN, END};
use crate::{DIMENSIONS, TOKENS_MAX};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// BLAKE3 of `models/all-MiniLM-L6-v2.ken`. Vectors of another model must never be compared with ours.
const DIGEST: &str = "f4a341cfcdd40782ca44ec93649d016c4259d4692265ac303f61820a91cd7ea3";
const NAME: &str = "all-MiniLM-L6-v2-int8";

/// Tokens of several texts that are encoded together: short texts share the passes over the weights.
const BATCH_TOKENS_MAX: usize = TOKENS_MAX;

#[cfg(feature = "bundled")]
static BUNDLED: &Aligned<[u8]> = &Aligned(*include_bytes!("../../../models/all-MiniLM-L6-v2.ken"));

/// The sentence model. Cheap to create and to clone; its weights are read in place.
#[derive(Clone)]
pub struct Model {
    file: File,
    layout: Layout,
    path: SimdPath,
}

impl Model {
    /// The model inside this binary, or `None` where it was built without.
    pub fn bundled() -> Option<Model> {
        #[cfg(feature = "bundled")]
        {
            let layout =
                Layout::read(&BUNDLED.0).expect("the bundled model is whole: a test compares its digest");
            Some(Model { file: File::Bundled(&BUNDLED.0), layout, path: SimdPath::chosen() })
        }
        #[cfg(not(feature = "bundled"))]
        None
    }

    /// Reads a packed file, which has to be exactly the one that this program knows.
    pub fn open(path: &Path) -> Result<Model, ModelError> {
        let unreadable = |source| ModelError::Unreadable { path: path.to_owned(), source };
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let file = File::Read(lines(&bytes).into(), bytes.len());
        drop(bytes);
        let layout = Layout::read(file.bytes())
            .map_err(|fault| ModelError::Malformed { path: path.to_owned(), fault })?;
        let digest = blake3::hash(file.bytes()).to_hex();
        if digest.as_str() != DIGEST {
            return Err(ModelError::Different { path: path.to_owned(), digest: digest.to_string() });
        }
        Ok(Model { file, layout, path: SimdPath::chosen() })
    }

    /// The same model on another path, or on the same one where this machine lacks it.
    pub fn with_simd(mut self, simd: Simd) -> Model {
        self.path = SimdPath::for_simd(simd).unwrap_or(self.path);
        self
    }

    /// What the model is called where vectors are kept.
    pub fn name(&self) -> &str {
        NAME
    }

    /// BLAKE3 of the packed file, in hexadecimal: vectors can be compared if this is the same.
    pub fn digest(&self) -> &str {
        DIGEST
    }

    /// The path that is taken.
    pub fn simd(&self) -> Simd {
        self.path.simd()
    }

    /// The tokens that the model reads of a text, from `[CLS]` to `[SEP]`, at most [`TOKENS_MAX`].
    pub fn tokenize(&self, text: &str) -> Vec<u32> {
        let vocabulary = self.layout.vocabulary(self.file.bytes());
        let mut tokens = vec![BEGIN];
        tokens.extend(vocabulary.pieces(text, TOKENS_MAX - 2));
        tokens.push(END);
        tokens
    }

    /// The tokens of the whole text, without those that begin and end it.
    pub fn token_count(&self, text: &str) -> usize {
        self.layout.vocabulary(self.file.bytes()).pieces(text, usize::MAX).len()
    }

    /// The vector of a text, of length one. Texts about the same thing have a dot product near one.
    pub fn embed(&self, text: &str) -> [f32; DIMENSIONS] {
        self.embed_all(&[text])[0]
    }

    /// The vectors of some texts: the same as one by one, and faster.
    pub fn embed_all(&self, texts: &[&str]) -> Vec<[f32; DIMENSIONS]> {
        let weights = self.layout.weights(self.file.bytes());
        let mut vectors = Vec::with_capacity(texts.len());
        let mut batch = Vec::new();
        let mut batch_tokens = 0;
        for text in texts {
            let tokens = self.tokenize(text);
            if batch_tokens + tokens.len() > BATCH_TOKENS_MAX {
                vectors.append(&mut encode(self.path, &weights, &batch));
                batch.clear();
                batch_tokens = 0;
            }
            batch_tokens += tokens.len();
            batch.push(tokens);
        }
        vectors.append(&mut encode(self.path, &weights, &batch));
        vectors
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("name", &NAME).field("simd", &self.simd()).finish_non_exhaustive()
    }
}

/// The bytes of a packed file, which begin at a multiple of 64.
#[derive(Clone)]
enum File {
    #[cfg(feature = "bundled")]
    Bundled(&'static [u8]),
    /// The lines that hold it, and its length.
    Read(Arc<[Aligned<[u8; LINE]>]>, usize),
}

const LINE: usize = 64;

impl File {
    fn bytes(&self) -> &[u8] {
        match self {
            #[cfg(feature = "bundled")]
            File::Bundled(bytes) => bytes,
            File::Read(lines, length) => {
                // SAFETY: an aligned line is its 64 bytes and nothing else, so lines in a row are bytes in a row.
                let bytes =
                    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast::<u8>(), lines.len() * LINE) };
                &bytes[..*length]
            }
        }
    }
}

fn lines(bytes: &[u8]) -> Vec<Aligned<[u8; LINE]>> {
    let line = |chunk: &[u8]| {
        let mut line = [0; LINE];
        line[..chunk.len()].copy_from_slice(chunk);
        Aligned(line)
    };
    bytes.chunks(LINE).map(line).collect()
}

/// Why a file could not be opened as a model.
#[derive(Debug)]
pub enum ModelError {
    /// The file could not be read.
    Unreadable {
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not a packed model, or not a whole one.
    Malformed {
        path: PathBuf,
        /// What is wrong with it.
        fault: String,
    },
    /// The file has the right form and other contents.
    Different {
        path: PathBuf,
        /// The digest of what it holds.
        digest: String,
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Unreadable { path, source } => {
                write!(f, "cannot read the model {}: {source}; check that the file is there", path.display())
            }
            ModelError::Malformed { path, fault } => {
                write!(f, "{} is not a usable model: {fault}; copy or pack it again", path.display())
            }
            ModelError::Different { path, digest } => write!(
                f,
                "{} is not the model this program knows: its digest is {digest}, not {DIGEST}; use the file of this version",
                path.display()
            ),
        }
    }
}

impl std::error::Error for ModelError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ModelError::Unreadable { source, .. } => Some(source),
            ModelError::Malformed { .. } | ModelError::Different { .. } => None,
        }
    }
}
