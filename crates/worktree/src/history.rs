//! When paths were last changed: one pass through git's log, as far as it is needed.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Stdio};
use std::time::Instant;

use crate::git::Git;
use crate::limits::{HISTORY_COMMITS_MAX, HISTORY_TIME};

/// The log of one commit, newest first, read as far as somebody asked.
pub(crate) struct History {
    child: Option<Child>,
    log: Option<BufReader<ChildStdout>>,
    /// The latest change of every path read so far, in seconds.
    seen: HashMap<String, i64>,
    at: i64,
    commits: usize,
    spent: std::time::Duration,
}

impl History {
    /// Begins at a commit. Without git, or where there is no commit, nothing was ever changed.
    pub fn new(git: &Git, commit: &str) -> History {
        let args = [
            "log",
            "--no-renames",
            "--name-only",
            "-z",
            "--format=%x01%ct",
            "--end-of-options",
            commit,
            "--",
        ];
        let mut command = git.command(&args);
        command
            .env("GIT_NO_LAZY_FETCH", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().ok();
        let log = child.as_mut().and_then(|child| child.stdout.take()).map(BufReader::new);
        History { child, log, seen: HashMap::new(), at: 0, commits: 0, spent: Default::default() }
    }

    /// When a path, relative to git's working tree, was last changed.
    pub fn since(&mut self, path: &str) -> Option<i64> {
        let began = Instant::now();
        let mut item = Vec::new();
        while !self.seen.contains_key(path) {
            let is_spent = self.spent + began.elapsed() > HISTORY_TIME || self.commits > HISTORY_COMMITS_MAX;
            let Some(log) = self.log.as_mut().filter(|_| !is_spent) else { break };
            item.clear();
            if !log.read_until(0, &mut item).is_ok_and(|length| length > 0) {
                self.end();
                break;
            }
            if item.last() == Some(&0) {
                item.pop();
            }
            self.take(&item);
        }
        self.spent += began.elapsed();
        self.seen.get(path).copied()
    }

    /// Takes one item of the log: a commit with its time, or a path. The first path of a commit comes after a line break.
    fn take(&mut self, item: &[u8]) {
        let text = String::from_utf8_lossy(item);
        let text = text.trim_start_matches('\n');
        if let Some(time) = text.strip_prefix('\u{1}') {
            let (time, path) = time.split_once('\n').unwrap_or((time, ""));
            self.at = time.trim().parse().unwrap_or(self.at);
            self.commits += 1;
            self.note(path.trim_start_matches('\n'));
        } else {
            self.note(text);
        }
    }

    fn note(&mut self, path: &str) {
        if !path.is_empty() {
            self.seen.entry(path.to_owned()).or_insert(self.at);
        }
    }

    fn end(&mut self) {
        self.log = None;
        if let Some(mut child) = self.child.take() {
            // It may still be writing; nobody reads it any more.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for History {
    fn drop(&mut self) {
        self.end();
    }
}
