//! Running one allowed program: without a shell, within a time, and without letting it talk for ever.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::limits::run::{OUTPUT_BYTES_MAX, TOLD_CHARS_MAX};

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ran {
    Passed,
    /// Without, or not in time.
    Failed(String),
    /// It never began.
    NotStarted(String),
}

/// Runs a program in a folder. Its input is empty, and it hears of the environment only what programs need to be found and to run.
pub(crate) fn run(words: &[String], folder: &Path, limit: Duration) -> Ran {
    let Some((program, args)) = words.split_first() else {
        return Ran::NotStarted("the command is empty".to_owned());
    };
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env_clear();
    for (name, value) in std::env::vars_os() {
        let keep = name.to_str().is_some_and(|name| KEPT.contains(&name) || name.starts_with("LC_"));
        if keep {
            command.env(name, value);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ran::NotStarted(format!("{program} could not be started: {error}")),
    };
    let (said, heard) = mpsc::channel();
    for pipe in [child.stdout.take().map(boxed), child.stderr.take().map(boxed)].into_iter().flatten() {
        let said = said.clone();
        std::thread::spawn(move || {
            let _ = said.send(first_bytes(pipe));
        });
    }
    drop(said);
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begun.elapsed() > limit => {
                stop(&mut child);
                return Ran::Failed(format!("it took more than {} s and was stopped", limit.as_secs()));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(10)),
            Err(error) => {
                stop(&mut child);
                return Ran::Failed(format!("its exit status is unknown: {error}"));
            }
        }
    };
    // Something it started may hold the pipes open; what it printed is worth a moment, not more.
    let mut printed = Vec::new();
    while let Ok(bytes) = heard.recv_timeout(Duration::from_millis(200)) {
        printed.extend(bytes);
    }
    if status.success() {
        return Ran::Passed;
    }
    let printed = ken_guard::redact(String::from_utf8_lossy(&printed).trim()).into_owned();
    let last: Vec<&str> = printed.lines().rev().take(3).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    let told = ken_core::words::one_line(&last.join(" / "), TOLD_CHARS_MAX);
    Ran::Failed(if told.is_empty() { format!("{status}") } else { format!("{status}: {told}") })
}

/// What a program may hear of the environment.
const KEPT: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "TEMP",
    "TMP",
    "USER",
    "SYSTEMROOT",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "CARGO_TARGET_DIR",
    "GOPATH",
    "GOCACHE",
    "JAVA_HOME",
    "VIRTUAL_ENV",
];

fn boxed(pipe: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    Box::new(pipe)
}

/// The beginning of what comes; the rest is read and dropped, so that nobody waits for a full pipe.
fn first_bytes(mut pipe: Box<dyn Read + Send>) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut some = [0; 8192];
    while let Ok(count) = pipe.read(&mut some) {
        if count == 0 {
            break;
        }
        let room = OUTPUT_BYTES_MAX.saturating_sub(kept.len());
        kept.extend_from_slice(&some[..count.min(room)]);
    }
    kept
}

/// Stops a program and what it started.
fn stop(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    }
    let _ = child.kill();
    let _ = child.wait();
}
