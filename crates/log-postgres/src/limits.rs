//! Bounds of the log in PostgreSQL, with their unit and their reason.

use std::time::Duration;

/// Appends of one node that become one transaction; more wait for the next one, so that nobody waits for all.
pub(crate) const GROUP_MAX: usize = 64;

/// How long the first of several who append waits for the others: a part of what a sync of a disk takes, which they then share.
pub(crate) const GATHERED: Duration = Duration::from_millis(1);
/// Batches that a node takes in while others wait for the lock; more are taken in before it asks for it again.
pub(crate) const BEHIND_MAX: i64 = 1_000;

/// How long a call waits for a server that went away: a restart takes a few seconds.
pub(crate) const RECONNECT_WAIT: Duration = Duration::from_secs(20);
/// Between two tries to connect again.
pub(crate) const RECONNECT_PAUSE: Duration = Duration::from_millis(100);
/// A connection that takes longer to open is none.
pub(crate) const CONNECT_WAIT: Duration = Duration::from_secs(5);
/// Bytes that nobody acknowledges for so long were sent into a broken network.
pub(crate) const UNACKNOWLEDGED_WAIT: Duration = Duration::from_secs(15);
/// Nobody holds the head of a log for longer than a write takes: who does has stopped, and the server ends its transaction. In milliseconds.
pub(crate) const LOCK_WAIT_MILLIS: u64 = 10_000;

/// Connections that wait for the next call; more are closed.
pub(crate) const IDLE_CONNECTIONS_MAX: usize = 8;

/// Batches whose sizes are looked at together.
pub(crate) const BATCHES_TOGETHER: i64 = 4_096;
/// Bytes of lines that a node takes in with one transaction of its cache.
pub(crate) const FOLLOWED_BYTES: u64 = 16 << 20;

/// Longer names are nobody's; in bytes.
pub(crate) const WORKSPACE_NAME_BYTES_MAX: usize = 100;

/// The oldest server that has what is used here, as it writes its own version: PostgreSQL 16.
pub(crate) const SERVER_MIN: i32 = 160_000;
