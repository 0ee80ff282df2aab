//! Every bound of the doors that stay open, with its unit and its reason.

use std::time::Duration;

/// Characters of a title in a line.
pub(crate) const TITLE_CHARS_MAX: usize = 100;
/// Characters of the entries that one answer of `check` lists; the rest follows with a cursor. With its text and summary an answer stays below 8,000.
pub(crate) const CHECK_CHARS_MAX: usize = 5_500;
/// Characters of the text beside them.
pub(crate) const CHECK_TEXT_CHARS_MAX: usize = 1_800;

/// The longest request over HTTP, in bytes.
pub(crate) const BODY_BYTES_MAX: usize = 4 << 20;

/// Conversations of older revisions that are kept at a time; the newest keeps none.
pub(crate) const SESSIONS_MAX: usize = 256;

/// Connections that are open at a time. A process may have 1,024 files open on many systems, and each call opens some.
pub(crate) const CONNECTIONS_MAX: usize = 512;

/// How long a connection may take to say what it wants, and how long it may be silent between two requests.
pub(crate) const HEADER_TIME: Duration = Duration::from_secs(15);

/// How long the body of a request may take. It is at most [`BODY_BYTES_MAX`].
pub(crate) const BODY_TIME: Duration = Duration::from_secs(30);

/// How long to wait when no connection can be taken: no file is free, and one will be.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// Members of one list in a call: more are no list that somebody chose.
pub(crate) const LIST_LEN_MAX: usize = 1_000;

/// How long a one-time link waits to be followed.
pub(crate) const LINK_TIME: Duration = Duration::from_secs(15 * 60);

/// Links that wait at a time; the oldest goes.
pub(crate) const LINKS_MAX: usize = 64;

/// Sessions of browsers at a time; the one that was silent longest goes.
pub(crate) const VISITS_MAX: usize = 256;

/// How long a browser may be silent before its session ends.
pub(crate) const SESSION_IDLE_TIME: Duration = Duration::from_secs(12 * 60 * 60);

/// How long a session that was confirmed is a person's: a browser left open is not the person for ever.
pub(crate) const PERSON_TIME: Duration = Duration::from_secs(60 * 60);

/// Attempts with a wrong token or code that one address may make in a minute.
pub(crate) const ATTEMPTS_A_MINUTE: u16 = 10;

/// Requests of one token or session in a second, in the long run: more than any page or script needs.
pub(crate) const REQUESTS_A_SECOND: u16 = 2_000;

/// Requests of one token or session that may come at once.
pub(crate) const REQUESTS_AT_ONCE: u16 = 4_000;

/// Addresses, tokens and sessions that are counted at a time.
pub(crate) const PEERS_MAX: usize = 10_000;

/// Bytes of the head of a request, and how many headers it may have.
pub(crate) const HEAD_BYTES_MAX: usize = 64 << 10;
pub(crate) const HEADERS_MAX: usize = 64;

/// How long a stopping server waits for requests that it has begun to answer.
pub(crate) const STOP_TIME: Duration = Duration::from_secs(5);

/// Calls that only read and are worked on at a time; further ones wait. A few more than most machines have cores free, since some wait for the
/// disk; each has a store handle with caches of its own.
pub(crate) const READERS: usize = 4;

/// Calls that write and are worked on at a time: they take turns on the journal's lock anyhow, and reading never takes their place.
pub(crate) const WRITERS: usize = 2;

/// How long an answer is kept for its idempotency key, and how many may be kept before the oldest are swept.
pub(crate) const REPLAYS_SWEPT: usize = 500;
pub(crate) const REPLAY_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest idempotency key, in characters.
pub(crate) const REPLAY_KEY_CHARS_MAX: usize = 200;

/// How often the store is asked for what changed, while somebody listens.
pub(crate) const FEED_PAUSE: Duration = Duration::from_millis(400);

/// How often a silent stream says that it is still there.
pub(crate) const FEED_PULSE: Duration = Duration::from_secs(15);

/// Events that are told at once.
pub(crate) const FEED_EVENTS_MAX: usize = 500;

/// Messages that wait for a listener; one that is slower than that is let go.
pub(crate) const FEED_WAITING_MAX: usize = 64;

/// How often it is looked what waits for a person, where somebody is to be told. It reads a few counts.
pub(crate) const NOTICE_PAUSE: Duration = Duration::from_secs(20);

/// How often it is looked whether services are due that may run by themselves. Nothing runs where nothing changed.
pub(crate) const MAINTAIN_PAUSE: Duration = Duration::from_secs(600);

/// Listeners at a time.
pub(crate) const LISTENERS_MAX: usize = 256;

/// How long requests may take to be counted with the quick ones, for histograms of those who run a server.
pub(crate) const REQUEST_BUCKETS: [Duration; 8] = [
    Duration::from_millis(1),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(25),
    Duration::from_millis(50),
    Duration::from_millis(150),
    Duration::from_millis(500),
    Duration::from_millis(2_500),
];
