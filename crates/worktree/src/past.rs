//! What a tree was like before some code left its file: code that stands elsewhere, and always stood there, did not go there.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::git::Git;
use crate::limits::RENAMES_MAX;
use crate::{CommitTree, Look, Tree};

/// What is spent on looking into the history in one go. What is not found out by then is believed.
const TIME_MAX: Duration = Duration::from_secs(2);

/// The trees of earlier commits.
pub struct Past {
    git: Git,
    /// The commit whose past it is.
    from: String,
    trees: HashMap<String, CommitTree>,
    /// For a content at a path, the latest commit that had it.
    known: HashMap<(String, String), Option<String>>,
    /// Whether some commit had a file.
    had: HashMap<String, Option<bool>>,
    spent: Duration,
}

impl Past {
    /// The past of a commit.
    pub fn new(git: &Git, from: &str) -> Past {
        Past {
            git: git.clone(),
            from: from.to_owned(),
            trees: HashMap::new(),
            known: HashMap::new(),
            had: HashMap::new(),
            spent: Duration::ZERO,
        }
    }

    pub fn git(&self) -> &Git {
        &self.git
    }

    /// What a file was when another file last had some content.
    pub fn beside(&mut self, path: &str, blob: &str, other: &str) -> Option<Look> {
        let begun = Instant::now();
        if self.spent > TIME_MAX {
            return None;
        }
        let commit = self.with(path, blob);
        let look = commit.map(|commit| self.tree(&commit).look(other));
        self.spent += begun.elapsed();
        look
    }

    /// The latest commit that had some content at a path, if it can be told.
    pub fn when(&mut self, path: &str, blob: &str) -> Option<String> {
        let begun = Instant::now();
        if self.spent > TIME_MAX {
            return None;
        }
        let commit = self.with(path, blob);
        self.spent += begun.elapsed();
        commit
    }

    /// Whether some commit had a file, if that can be found out in time.
    pub fn had_file(&mut self, path: &str) -> Option<bool> {
        let begun = Instant::now();
        // To git a colon at the beginning is no part of a name.
        if self.spent > TIME_MAX || path.starts_with(':') {
            return None;
        }
        if let Some(known) = self.had.get(path) {
            return *known;
        }
        let args = ["log", "-1", "--format=%H", "--end-of-options", &self.from, "--", path];
        let commits = self.git.text(&args).ok();
        let had = commits.and_then(|commits| match commits.trim().is_empty() {
            false => Some(true),
            true => self.git.has_full_history().ok().filter(|is_full| *is_full).map(|_| false),
        });
        self.had.insert(path.to_owned(), had);
        self.spent += begun.elapsed();
        had
    }

    /// The latest commit that had a file which is no longer there, and what the file was then.
    pub fn last_content(&mut self, path: &str) -> Option<(String, String)> {
        let begun = Instant::now();
        if self.spent > TIME_MAX || path.starts_with(':') {
            return None;
        }
        let found = self.last_commit_with(path);
        self.spent += begun.elapsed();
        found
    }

    fn last_commit_with(&mut self, path: &str) -> Option<(String, String)> {
        let from = self.from.clone();
        if let Look::File { blob, .. } = self.tree(&from).look(path) {
            return Some((from, blob));
        }
        let before = format!("{}^", self.latest_commit_about(path)?);
        match self.tree(&before).look(path) {
            Look::File { blob, .. } => Some((before, blob)),
            Look::Absent | Look::Folder | Look::Unknown(_) => None,
        }
    }

    /// The latest commit that changed a file.
    fn latest_commit_about(&self, path: &str) -> Option<String> {
        let args = ["log", "-1", "--format=%H", "--end-of-options", &self.from, "--", path];
        let commit = self.git.text(&args).ok()?.trim().to_owned();
        (!commit.is_empty()).then_some(commit)
    }

    /// Where git has a file now that is no longer at its path: as a commit renamed it, or as it was renamed since the last one and staged.
    pub fn renamed(&mut self, path: &str) -> Option<String> {
        let begun = Instant::now();
        let mut at = path.to_owned();
        let mut found = None;
        for _ in 0..RENAMES_MAX {
            if self.spent + begun.elapsed() > TIME_MAX || at.starts_with(':') {
                break;
            }
            let Some(next) = self.renamed_once(&at) else { break };
            at = next;
            found = Some(at.clone());
        }
        self.spent += begun.elapsed();
        found
    }

    fn renamed_once(&mut self, path: &str) -> Option<String> {
        let from = self.from.clone();
        let options = ["-M", "--name-status", "-z", "--diff-filter=R"];
        let listed = match self.tree(&from).look(path) {
            Look::File { .. } => self.git.bytes(&[&["diff"], &options[..], &[from.as_str(), "--"]].concat()),
            Look::Absent | Look::Folder | Look::Unknown(_) => {
                let commit = self.latest_commit_about(path)?;
                self.git.bytes(&[&["show", "--format="], &options[..], &[commit.as_str(), "--"]].concat())
            }
        };
        let listed = String::from_utf8(listed.ok()?).ok()?;
        let mut fields = listed.split('\0').map(str::trim_start);
        while let (Some(_), Some(before), Some(after)) = (fields.next(), fields.next(), fields.next()) {
            if before == path {
                return Some(after.to_owned());
            }
        }
        None
    }

    /// Whether a file had some content in a commit.
    pub fn had(&mut self, commit: &str, path: &str, blob: &str) -> bool {
        self.has(commit, path, blob)
    }

    fn tree(&mut self, commit: &str) -> &mut CommitTree {
        let git = &self.git;
        self.trees.entry(commit.to_owned()).or_insert_with(|| CommitTree::new(git, commit))
    }

    /// The latest commit in which a file has some content.
    fn with(&mut self, path: &str, blob: &str) -> Option<String> {
        let asked = (path.to_owned(), blob.to_owned());
        if let Some(known) = self.known.get(&asked) {
            return known.clone();
        }
        let from = self.from.clone();
        let found = match self.has(&from, path, blob) {
            true => Some(from),
            false => self.left(path, blob).filter(|commit| self.has(commit, path, blob)),
        };
        self.known.insert(asked, found.clone());
        found
    }

    fn has(&mut self, commit: &str, path: &str, blob: &str) -> bool {
        matches!(self.tree(commit).look(path), Look::File { blob: found, .. } if found == blob)
    }

    /// The commit before the one in which a content left a file.
    fn left(&self, path: &str, blob: &str) -> Option<String> {
        let is_blob = matches!(blob.len(), 40 | 64) && blob.bytes().all(|byte| byte.is_ascii_hexdigit());
        // To git a colon at the beginning is no part of a name.
        if !is_blob || path.starts_with(':') {
            return None;
        }
        let object = format!("--find-object={blob}");
        let args = ["log", "-1", "--format=%H", &object, "--end-of-options", &self.from, "--", path];
        let commit = self.git.text(&args).ok()?;
        let commit = commit.trim();
        (!commit.is_empty()).then(|| format!("{commit}^"))
    }
}
