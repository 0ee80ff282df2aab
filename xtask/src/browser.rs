//! The step `browser`: Chromium drives the pages of the `ken serve` that was just built, by the stories in `tests/browser`.
//!
//! What drives it is installed below `target/browser`, in the versions that the lock file names; Chromium is the distribution's. Where one of them
//! cannot be had the step says so and is skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::clients;
use crate::context::{Context, Failure, Outcome, failed, no_arguments, show};
use crate::test::SkipLog;

/// The scripts and the lock file.
pub(crate) const SCRIPTS: &str = "tests/browser";
/// What Chromium is called by those who package it.
const CHROMIUMS: &[&str] = &["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    no_arguments("browser", arguments)?;
    drive(context, &SkipLog::create()?)
}

pub(crate) fn drive(context: &Context, skip_log: &SkipLog) -> Outcome {
    let ken = clients::build(context)?;
    match script(context, &ken, "story.ts") {
        Ok(mut command) => show(&mut command),
        Err(Failure::Failed(why) | Failure::Usage(why)) => {
            skip_log.note(&format!("the pages of the browser were not looked at: {why}"))
        }
    }
}

/// A script of `tests/browser`, with `ken` and Chromium for its first arguments; or what is missing.
pub(crate) fn script(context: &Context, ken: &Path, name: &str) -> Result<Command, Failure> {
    if cfg!(windows) {
        return failed("the server is started at a pseudo terminal, which `script` gives");
    }
    let chromium = chromium()?;
    let to = clients::target_folder(context)?.join("browser");
    let node = clients::node(context, SCRIPTS, &to)?;
    let mut command = Command::new(node);
    command.arg(to.join(name)).arg(ken).arg(chromium).stdin(Stdio::null());
    Ok(command)
}

/// The distribution's Chromium.
fn chromium() -> Result<PathBuf, Failure> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders)
        .flat_map(|folder| CHROMIUMS.iter().map(move |name| folder.join(name)))
        .find(|path| path.is_file());
    found.map_or_else(|| failed("Chromium is missing; install the package `chromium`"), Ok)
}
