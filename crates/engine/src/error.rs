//! How a request can end badly: a refusal of the domain, or a failure of the world, with a variant for what a caller can do about it.

use std::error::Error as StdError;
use std::{fmt, io};

use ken_core::Refusal;

/// Why an operation did not happen.
#[derive(Debug)]
pub enum Error {
    /// The domain says no; nothing was written.
    Refused(Refusal),
    /// Somebody else holds a lock: the same request may work in a moment.
    Busy(Failure),
    /// There is no space left.
    Full(Failure),
    /// The bytes of an index or a file are not what they should be.
    Damaged(Part, Failure),
    /// The permissions, or a read-only file system, do not allow it.
    Denied(Failure),
    /// The world failed in another way.
    Failed(Failure),
}

#[derive(Debug)]
pub struct Failure {
    /// What was being attempted, and on what.
    pub doing: String,
    /// What went wrong.
    pub source: Box<dyn StdError + Send + Sync>,
}

/// What can be damaged, and so what mends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The index of a worktree.
    Index,
    /// This clone's quarantine.
    Quarantine,
}

impl Part {
    /// How it is mended.
    pub fn mend(self) -> &'static str {
        match self {
            Part::Index => "the index is damaged; `ken rebuild` rebuilds it from the ledger without loss",
            Part::Quarantine => "the ledger is not affected; add the quarantined text again from its source",
        }
    }
}

impl Failure {
    fn repeated(&self) -> Failure {
        let said = self.source.to_string();
        let source = match io_kind(&*self.source) {
            Some(kind) => io::Error::new(kind, said).into(),
            None => said.into(),
        };
        Failure { doing: self.doing.clone(), source }
    }
}

impl Error {
    /// The same for somebody else whom it concerns as well.
    pub fn repeated(&self) -> Error {
        match self {
            Error::Refused(refusal) => Error::Refused(refusal.clone()),
            Error::Busy(failure) => Error::Busy(failure.repeated()),
            Error::Full(failure) => Error::Full(failure.repeated()),
            Error::Damaged(part, failure) => Error::Damaged(*part, failure.repeated()),
            Error::Denied(failure) => Error::Denied(failure.repeated()),
            Error::Failed(failure) => Error::Failed(failure.repeated()),
        }
    }

    /// Whether somebody changed what a decision rests on: the same request is decided anew.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Error::Busy(failure) if failure.source.is::<crate::log::Conflict>())
    }

    /// A failure of the world while doing something. This is where an error of the system is given its variant.
    pub fn failed<E: Into<Box<dyn StdError + Send + Sync>>>(
        doing: impl Into<String>,
    ) -> impl FnOnce(E) -> Error {
        let doing = doing.into();
        move |source| {
            let source = source.into();
            let variant = variant_of(&*source);
            variant(Failure { doing, source })
        }
    }

    /// Bytes that are not what they should be, found while doing something.
    pub fn damaged<E: Into<Box<dyn StdError + Send + Sync>>>(
        part: Part,
        doing: impl Into<String>,
    ) -> impl FnOnce(E) -> Error {
        let doing = doing.into();
        move |source| Error::Damaged(part, Failure { doing, source: source.into() })
    }

    /// The word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Refused(refusal) => refusal.code.word(),
            Error::Busy(_) => "busy",
            Error::Full(_) => "full",
            Error::Damaged(..) => "damaged",
            Error::Denied(_) => "denied",
            Error::Failed(_) => "failed",
        }
    }

    /// What to do next, if that is known.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Error::Refused(refusal) => refusal.hint.as_deref(),
            Error::Busy(_) => Some("another process is using it; run the same command again"),
            Error::Full(failure) if io_kind(&*failure.source) == Some(io::ErrorKind::FileTooLarge) => Some(
                "files may not grow further here; raise the limit (`ulimit -f`) and run the same command again; nothing was lost",
            ),
            Error::Full(_) => {
                Some("the disk is full; free some space and run the same command again; nothing was lost")
            }
            Error::Damaged(part, _) => Some(part.mend()),
            Error::Denied(_) => Some(
                "check the permissions of that file or folder; in a store, make .kenning and the git folder writable, or set KEN_READONLY=1 to read only",
            ),
            Error::Failed(failure) => matches!(
                io_kind(&*failure.source),
                Some(io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory)
            )
            .then_some("a file is where a folder should be, or the reverse; move it away"),
        }
    }

    /// What failed; nothing of a refusal.
    pub fn failure_mut(&mut self) -> Option<&mut Failure> {
        match self {
            Error::Refused(_) => None,
            Error::Busy(failure)
            | Error::Full(failure)
            | Error::Damaged(_, failure)
            | Error::Denied(failure)
            | Error::Failed(failure) => Some(failure),
        }
    }

    fn failure(&self) -> Option<&Failure> {
        match self {
            Error::Refused(_) => None,
            Error::Busy(failure)
            | Error::Full(failure)
            | Error::Damaged(_, failure)
            | Error::Denied(failure)
            | Error::Failed(failure) => Some(failure),
        }
    }
}

/// The variant that an error of the system, or one of ours that is told on, belongs to.
fn variant_of(source: &(dyn StdError + 'static)) -> fn(Failure) -> Error {
    match find(source, |error| error.downcast_ref::<Error>()) {
        Some(Error::Busy(_)) => return Error::Busy,
        Some(Error::Full(_)) => return Error::Full,
        Some(Error::Damaged(Part::Index, _)) => return |failure| Error::Damaged(Part::Index, failure),
        Some(Error::Damaged(Part::Quarantine, _)) => {
            return |failure| Error::Damaged(Part::Quarantine, failure);
        }
        Some(Error::Denied(_)) => return Error::Denied,
        Some(Error::Refused(_) | Error::Failed(_)) | None => {}
    }
    match io_kind(source) {
        Some(io::ErrorKind::WouldBlock | io::ErrorKind::ResourceBusy | io::ErrorKind::Deadlock) => {
            Error::Busy
        }
        // A file may not grow beyond what its process is allowed (`ulimit -f`): no room, as far as anybody here can tell.
        Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge) => {
            Error::Full
        }
        Some(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => Error::Denied,
        Some(_) | None => Error::Failed,
    }
}

/// What the system says of an error, however deep it lies.
fn io_kind(source: &(dyn StdError + 'static)) -> Option<io::ErrorKind> {
    let kind = |error: &(dyn StdError + 'static)| error.downcast_ref::<io::Error>().map(io::Error::kind);
    find(source, |error| kind(error).filter(|kind| *kind != io::ErrorKind::Other))
}

/// Looks through an error and what it comes from.
fn find<'a, T>(
    source: &'a (dyn StdError + 'static),
    look: impl Fn(&'a (dyn StdError + 'static)) -> Option<T>,
) -> Option<T> {
    let mut at = Some(source);
    while let Some(error) = at {
        if let Some(found) = look(error) {
            return Some(found);
        }
        // An `io::Error` answers for the error inside it, and leaves that one out of its sources.
        let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        at = inside.map(|inside| inside as &(dyn StdError + 'static)).or_else(|| error.source());
    }
    None
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
            Error::Busy(failure)
            | Error::Full(failure)
            | Error::Damaged(_, failure)
            | Error::Denied(failure)
            | Error::Failed(failure) => write!(out, "{}: {}", failure.doing, failure.source),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.failure().map(|failure| &*failure.source as &(dyn StdError + 'static))
    }
}

/// The answer of an operation.
pub type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn an_error_of_the_system_gets_the_variant_that_says_what_to_do() {
        for (kind, code) in [
            (ErrorKind::WouldBlock, "busy"),
            (ErrorKind::ResourceBusy, "busy"),
            (ErrorKind::StorageFull, "full"),
            (ErrorKind::QuotaExceeded, "full"),
            (ErrorKind::FileTooLarge, "full"),
            (ErrorKind::PermissionDenied, "denied"),
            (ErrorKind::ReadOnlyFilesystem, "denied"),
            (ErrorKind::NotFound, "failed"),
            (ErrorKind::Other, "failed"),
            (ErrorKind::InvalidData, "failed"),
        ] {
            let error = Error::failed("writing a file")(io::Error::from(kind));
            assert_eq!(error.code(), code, "{kind:?}");
            assert!(error.to_string().starts_with("writing a file: "), "{error}");
            assert_eq!(error.hint().is_some(), code != "failed", "{kind:?}");
        }
    }

    #[test]
    fn the_words_of_a_message_choose_nothing() {
        for words in ["No space left on device", "Permission denied", "database is locked", "Not a directory"]
        {
            let error = Error::failed("asking a server")(words);
            assert_eq!((error.code(), error.hint()), ("failed", None), "{words}");
        }
    }

    #[test]
    fn what_is_told_on_keeps_its_variant() {
        let full = || Error::failed("appending")(io::Error::from(ErrorKind::StorageFull));
        assert_eq!(Error::failed("taking up an edit")(full()).code(), "full");
        // One that a library wrapped once more.
        assert_eq!(Error::failed("reading")(io::Error::other(full())).code(), "full");
        let damaged = Error::damaged(Part::Index, "asking the index")("no such table");
        assert!(matches!(Error::failed("searching")(damaged), Error::Damaged(Part::Index, _)));
    }

    #[test]
    fn a_file_in_the_place_of_a_folder_has_a_hint() {
        let error = Error::failed("writing")(io::Error::from(ErrorKind::NotADirectory));
        assert_eq!(error.code(), "failed");
        assert!(error.hint().is_some_and(|hint| hint.contains("move it away")));
    }
}
