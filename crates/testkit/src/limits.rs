//! Bounds of this crate, with their reasons, by the file that keeps them.

/// `torture.rs`: seeded tries of a part of the torture programme.
pub(crate) mod torture {
    /// Seeds that failed before a part stops: more of them rarely say more.
    pub const FAILURES_MAX: usize = 5;
    /// The first seed of an everyday run; every run tries the same ones.
    pub const EVERYDAY_SEED: u64 = 1;
    /// Characters that are kept of what a failed try said.
    pub const MESSAGE_CHARS_MAX: usize = 600;
}

/// The user that a PostgreSQL server runs as where tests run as root, which it refuses: `nobody`.
pub(crate) const NOBODY: u32 = 65_534;

/// The first moment of every story.
pub const START: ken_core::Millis = ken_core::Millis(1_700_000_000_000);
