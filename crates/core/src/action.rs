//! Actions of an agent held against the norms in force: a command line that is about to run, a file that is about to change.
//!
//! What a norm forbids is a [`Rule`]; [`decide`] says whether an action does it. A text that only mentions a command is no action: a
//! commit message, a `grep`, a heredoc into a Markdown file. Nothing here looks at a file system; the hook says where the action happens.
//! It is a seat belt, no wall: who hides a command in a script file gets past it.

mod code;
mod decide;
mod dependency;
mod glob;
mod invocation;
mod messages;
mod path;
mod rule;
#[cfg(test)]
mod tests;
mod writes;

pub use decide::{Decision, decide, decide_following};
pub use messages::{CommitMessage, MessageExtent, commit_messages, makes_commit, starts};
pub use rule::{Rule, RuleFault, Verdict};

/// Stands in a word for what only running the line would tell. The shell allows it in no word.
const UNKNOWN: char = '\0';

/// Whether a part of a word is not known.
fn is_unknown(word: &str) -> bool {
    word.contains(UNKNOWN)
}

/// What an agent is about to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action<'a> {
    /// Run a line in a shell.
    Command {
        /// The line, or several.
        line: &'a str,
    },
    /// Change a part of a file.
    Edit {
        /// The file, from the folder of the action or absolute.
        path: &'a str,
        /// The part as it is.
        old: Option<&'a str>,
        /// The part as it will be.
        new: Option<&'a str>,
    },
    /// Write a whole file.
    Write {
        /// The file, from the folder of the action or absolute.
        path: &'a str,
        /// What it will hold.
        content: &'a str,
        /// What it holds; nothing for a new file.
        before: Option<&'a str>,
    },
}

/// Where an action happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Place<'a> {
    /// The top of the repository, absolute.
    pub root: &'a str,
    /// The folder of the action, from there or absolute.
    pub folder: &'a str,
    /// What is checked out in the repository, wherever the folder is.
    pub branch: Branch,
}

/// What is checked out where a command runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Branch {
    Known(String),
    /// Nobody said, or none is.
    #[default]
    Unknown,
    /// The command runs outside the repository.
    Elsewhere,
}
