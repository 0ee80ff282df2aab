//! Why a server gave no usable answer, in a sentence that says what to do next.

use std::fmt;
use std::time::Duration;

/// Why a server gave no usable answer. None of them repeats a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There is no connection.
    Unreachable {
        /// Host and port.
        place: String,
        /// What its settings begin with.
        setting: &'static str,
        /// What the system says.
        why: String,
    },
    /// There was a connection, and it was closed before the answer was whole.
    Dropped {
        /// Host and port.
        place: String,
        /// What the system says.
        why: String,
    },
    /// It cannot show that it is who it should be, or speaks no TLS that we know.
    Untrusted {
        /// Host and port.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// It took too long.
    Late {
        /// Host and port.
        place: String,
        /// How long we waited.
        waited: Duration,
    },
    /// It does not know us.
    KeyWanted {
        /// Host and port.
        place: String,
        /// 401 or 403.
        status: u16,
        /// The environment variable to set.
        variable: &'static str,
        /// Whether a key was sent.
        sent: bool,
    },
    /// It answered with a status that is no answer.
    Status {
        /// Host and port.
        place: String,
        setting: &'static str,
        status: u16,
        /// What it said, cut and cleaned; may be empty.
        said: String,
        /// The model that was asked for.
        model: String,
    },
    /// It answered with something that is not what was asked for.
    Unusable {
        /// Host and port.
        place: String,
        setting: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// It answered with other dimensions than before.
    Changed {
        /// Host and port.
        place: String,
        /// The model that was asked for.
        model: String,
        /// The dimensions of the vectors that are kept.
        kept: usize,
        /// The dimensions of the answer.
        answered: usize,
        /// The folder of the vectors that are kept.
        folder: String,
    },
}

impl Fault {
    /// Whether asking once more is worth a moment.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Fault::Unreachable { .. } | Fault::Dropped { .. } => true,
            Fault::Status { status, .. } => *status == 429 || (500..600).contains(status),
            Fault::Untrusted { .. }
            | Fault::Late { .. }
            | Fault::KeyWanted { .. }
            | Fault::Unusable { .. }
            | Fault::Changed { .. } => false,
        }
    }

    /// Whether another question may be answered all the same. Servers refuse a question with a status as well, and a model can be late with one
    /// answer, or crash over it.
    pub(crate) fn is_about_the_question(&self) -> bool {
        match self {
            Fault::Late { .. } | Fault::Unusable { .. } | Fault::Dropped { .. } => true,
            Fault::Status { status, .. } => matches!(status, 400 | 413 | 422) || (500..600).contains(status),
            Fault::Unreachable { .. }
            | Fault::Untrusted { .. }
            | Fault::KeyWanted { .. }
            | Fault::Changed { .. } => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unreachable { place, setting, why } => {
                write!(out, "{place} cannot be reached ({why}); start the server, or correct {setting}.url")
            }
            Fault::Dropped { place, why } => {
                write!(out, "{place} closed the connection without an answer ({why}); retry later")
            }
            Fault::Untrusted { place, why } => write!(
                out,
                "{place} cannot be trusted ({why}); ken knows the public certificate authorities, and a server with a \
                 certificate of another one can be asked by way of a gateway on this machine"
            ),
            Fault::Late { place, waited } => {
                let seconds = waited.as_secs_f32();
                write!(
                    out,
                    "{place} did not answer within {seconds} s; it may be loading its model; retry later"
                )
            }
            Fault::KeyWanted { place, status, variable, sent: false } => {
                write!(out, "{place} answered {status}: it requires a key; set {variable}")
            }
            Fault::KeyWanted { place, status, variable, sent: true } => {
                write!(out, "{place} answered {status}: it rejected the key; set {variable} to a valid one")
            }
            Fault::Status { place, setting, status, said, model } => {
                write!(out, "{place} answered {status}")?;
                if !said.is_empty() {
                    write!(out, " ({said})")?;
                }
                match status {
                    300..400 => {
                        write!(out, "; redirects are not followed, so set {setting}.url to the final address")
                    }
                    404 => write!(
                        out,
                        "; check that it has the model {model:?} ({setting}.model) and that {setting}.url is correct"
                    ),
                    429 => write!(out, "; its rate limit is exceeded; retry later"),
                    500..600 => write!(out, "; the server has an error; retry later"),
                    _ => write!(out, "; check that {model:?} is a model for this ({setting}.model)"),
                }
            }
            Fault::Unusable { place, setting, why } => {
                write!(
                    out,
                    "{place} returned an invalid response: {why}; check {setting}.kind and {setting}.model"
                )
            }
            Fault::Changed { place, model, kept, answered, folder } => write!(
                out,
                "{place} answered with {answered} dimensions, and the vectors kept for {model:?} have {kept}: the server's model \
                 has changed, and ken never mixes the two; give embedder.model its new name, or delete the folder \
                 vectors/{folder} of this clone (in .git/kenning), then run `ken rebuild --embeddings`"
            ),
        }
    }
}

impl std::error::Error for Fault {}
