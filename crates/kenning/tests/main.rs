//! Tests of the library as a whole, a module per subject.

#![allow(missing_docs, clippy::unwrap_used)]

mod ages;
mod authority;
mod briefing;
mod cascade;
mod change_set;
mod checking;
mod conditions;
mod dedup;
mod health;
mod imports;
mod lifecycle;
mod parser;
mod reads;
mod recall_floor;
mod search;
mod verbs;
mod whoever;

use std::path::Path;
use std::process::Command;

/// Runs git in a folder as Ada, without the settings of whoever runs the tests, and gives what it prints.
fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"]);
    let output = command.args(args).current_dir(folder).env("GIT_CONFIG_GLOBAL", "").output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
