//! How much is asked of a server, and how long we wait for it.

use std::time::Duration;

/// Texts in one request, at most. More is slower to lose when a request fails.
pub const BATCH_TEXTS_MAX: usize = 64;

/// Bytes of one text that are sent, at most. A token has at least a byte, and the models of OpenAI refuse more than 8192 tokens.
pub const TEXT_BYTES_MAX: usize = 8_000;

/// Bytes of an answer for each text, at most: 16384 numbers of up to 32 characters.
pub const ANSWER_BYTES_PER_TEXT_MAX: u64 = 512 * 1024;

/// Bytes around the numbers of an answer, at most.
pub const ANSWER_BYTES_AROUND_MAX: u64 = 64 * 1024;

/// Bytes of a judge's answer, at most: far more than its tokens come to, and as much as is kept of one.
pub const JUDGEMENT_BYTES_MAX: u64 = 256 * 1024;

/// Bytes of a complaint that are read, at most.
pub const COMPLAINT_BYTES_MAX: u64 = 16 * 1024;

/// Numbers in one meaning, at most. The largest models in use have about 8000.
pub const DIMENSIONS_MAX: usize = 16_384;

/// Characters of a model's name, at most.
pub const MODEL_CHARS_MAX: usize = 200;

/// Characters of what a server said that are shown, at most.
pub const QUOTED_CHARS_MAX: usize = 160;

/// How long a webhook may take to be found and to take the connection.
pub const WEBHOOK_CONNECT_TIME: Duration = Duration::from_secs(5);

/// How long a webhook may take for all of a notice. Nobody waits for it, but it must not wait for ever.
pub const WEBHOOK_TIME: Duration = Duration::from_secs(15);

/// How long a server may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// To be found and to take the connection, TLS included.
    pub connect: Duration,
    /// For the meaning of one text, or a short answer, retry and all and to its last byte: somebody waits for it.
    pub one: Duration,
    /// For a batch, or for the first call ever, when a server may still be loading its model.
    pub batch: Duration,
    /// Before the first retry; it doubles with each.
    pub pause: Duration,
    /// Calls after one that failed in passing, at most.
    pub retries: u32,
}

/// What everybody gets. Tests are less patient.
pub const PATIENCE: Patience = Patience {
    connect: Duration::from_secs(2),
    one: Duration::from_secs(5),
    batch: Duration::from_secs(30),
    pause: Duration::from_millis(250),
    retries: 1,
};

/// What a language model gets: it writes its answer word by word, and a rate limit passes in seconds. `one` is for a word with a reason, the first
/// call included, for which a model may be loaded; `batch` is for an answer that is written text. Somebody waits for all of them.
pub const JUDGE_PATIENCE: Patience = Patience {
    connect: Duration::from_secs(5),
    one: Duration::from_secs(30),
    batch: Duration::from_secs(90),
    pause: Duration::from_secs(1),
    retries: 3,
};

const _: () = assert!(PATIENCE.connect.as_millis() + PATIENCE.pause.as_millis() < PATIENCE.one.as_millis());
const _: () = assert!(PATIENCE.one.as_millis() <= PATIENCE.batch.as_millis());
const _: () = assert!(JUDGE_PATIENCE.one.as_millis() <= JUDGE_PATIENCE.batch.as_millis());
