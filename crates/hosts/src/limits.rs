//! Bounds of this crate, with their units and reasons, by the file that keeps them.

/// `transcript.rs` and its folder: Transcripts as agent hosts keep them on disk, read into turns.
pub(crate) mod transcript {
    /// Bytes kept of what one command printed: half from its beginning, half from its end.
    pub const OUTPUT_BYTES_MAX: usize = 16 * 1024;
    /// Bytes kept of one side of an edit. A longer text is no edit whose lines anybody would compare.
    pub const EDIT_BYTES_MAX: usize = 128 * 1024;
    /// Bytes kept of one message.
    pub const TEXT_BYTES_MAX: usize = 64 * 1024;
    /// Turns of one transcript. A session of a long day has some thousands.
    pub const TURNS_MAX: usize = 100_000;
    /// Bytes of all turns together: what one transcript may take in memory.
    pub const KEPT_BYTES_MAX: usize = 96 * 1024 * 1024;
    /// Bytes of a turn beside its texts.
    pub const TURN_BYTES: usize = 64;
    /// Lines that are kept until one tells the host.
    pub const WAITING_MAX: usize = 50;
    /// Lines at the top of an answer in which a host tells the exit code.
    pub const HEAD_LINES: usize = 8;
}

/// Limits of `spoken`.
pub mod spoken {
    /// Turns before a message that tell what it is about.
    pub const BEFORE_TURNS: usize = 8;
}
