//! What hosts tell their hooks, in one form for all of them.

use std::path::PathBuf;

/// What happened in a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The host's name: `claude-code`, `codex`, `cursor`, `gemini`.
    pub host: &'static str,
    /// What the host calls this conversation.
    pub session: String,
    /// The folder it works in.
    pub cwd: PathBuf,
    /// Where the host keeps what was said, if it says so.
    pub transcript: Option<PathBuf>,
    /// What happened.
    pub event: Event,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A conversation begins, goes on after a pause, or begins anew with an empty context.
    Started {
        /// The context was cleared or compacted: what was put there is gone.
        anew: bool,
    },
    /// A person asks for something.
    Asked {
        /// What.
        prompt: String,
    },
    /// A file is about to be read or changed.
    Touching {
        /// The file, as the host wrote it.
        path: PathBuf,
    },
    /// A command ended.
    Ran {
        /// The command line.
        command: String,
        /// Whether it succeeded; none where the host does not say.
        succeeded: Option<bool>,
    },
    /// The context is about to be compacted.
    Compacting,
    /// The agent stopped and waits.
    Stopped {
        /// Its last words, where the host hands them over.
        said: Option<String>,
    },
    /// The conversation is over.
    Ended,
    /// Something that nothing is done about.
    Other,
}

/// What a host is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// A text for the agent's context.
    pub context: Option<String>,
}
