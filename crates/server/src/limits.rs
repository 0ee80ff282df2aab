//! Every bound of the doors that stay open, with its unit and its reason.

use std::time::Duration;

/// Characters of a title in a line.
pub(crate) const TITLE_CHARS_MAX: usize = 100;

/// The longest request over HTTP, in bytes.
pub(crate) const BODY_BYTES_MAX: usize = 4 << 20;

/// Conversations of older revisions that are kept at a time; the newest keeps none.
pub(crate) const SESSIONS_MAX: usize = 256;

/// Connections that are open at a time. A process may have 1,024 files open on many systems, and each call opens some.
pub(crate) const CONNECTIONS_MAX: usize = 256;

/// How long a connection may take to say what it wants, and how long it may be silent between two requests.
pub(crate) const HEADER_TIME: Duration = Duration::from_secs(30);

/// How long the body of a request may take. It is at most [`BODY_BYTES_MAX`].
pub(crate) const BODY_TIME: Duration = Duration::from_secs(30);

/// How long to wait when no connection can be taken: no file is free, and one will be.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// Members of one list in a call: more are no list that somebody chose.
pub(crate) const LIST_LEN_MAX: usize = 1_000;
