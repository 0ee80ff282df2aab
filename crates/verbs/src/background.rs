//! Work that nobody waits for, in a process of its own.

use std::process::{Command, Stdio};

use crate::{Options, Parser};

/// Who services are that run by themselves. A person takes back what they did with `ken undo --by agent:maintain`.
pub const MAINTAINER: &str = "agent:maintain";

/// Runs the services that are due and allowed.
pub(crate) fn maintain(options: &Options) {
    if let Some(mut command) = command(options, &["maintain"]) {
        command.env("KEN_ACTOR", MAINTAINER).env_remove("KEN_RUN").env_remove("KEN_AGENT");
        start(command);
    }
}

/// Makes the vectors that are missing.
pub(crate) fn embed(options: &Options) {
    command(options, &["rebuild", "--embeddings"]).into_iter().for_each(start);
}

/// A verb of this program on the same store. None where a person forbids it, or where code is read in this process: then this is no
/// program that has the verb.
fn command(options: &Options, verb: &[&str]) -> Option<Command> {
    let Parser::Apart(program, _) = &options.parser else { return None };
    if !options.background || options.read_only {
        return None;
    }
    let mut command = Command::new(program);
    command.args(verb).arg("--quiet").current_dir(&options.from);
    if let Some(store) = &options.store {
        command.arg("--store").arg(store);
    }
    if options.global {
        command.arg("--global");
    }
    Some(command)
}

/// What cannot be started is done by the next one, or by hand.
fn start(mut command: Command) {
    #[cfg(unix)]
    {
        // A host that ends the group of its hook does not end this.
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    let started = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Ok(mut child) = started {
        // A process that stays open must collect its children.
        std::thread::spawn(move || child.wait());
    }
}
