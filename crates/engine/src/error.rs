//! Two ways a request can end badly: a refusal of the domain, and a failure of the world.

use std::fmt;

use ken_core::Refusal;

/// Why an operation did not happen.
#[derive(Debug)]
pub enum Error {
    /// The domain says no; nothing was written.
    Refused(Refusal),
    /// The world failed while something was attempted.
    Failed {
        /// What was being attempted, and on what.
        doing: String,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// A failure of the world while doing something.
    pub fn failed<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        doing: impl Into<String>,
    ) -> impl FnOnce(E) -> Error {
        let doing = doing.into();
        move |source| Error::Failed { doing, source: source.into() }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error::Refused(refusal)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Refused(refusal) => refusal.fmt(out),
            Error::Failed { doing, source } => write!(out, "{doing}: {source}"),
        }
    }
}

impl std::error::Error for Error {}

/// The answer of an operation.
pub type Result<T> = std::result::Result<T, Error>;
