//! What a tree was like before some code left its file: code that stands elsewhere, and always stood there, did not go there.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::git::Git;
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
        let args = ["log", "-1", "--format=%H", "--end-of-options", &self.from, "--", path];
        let commits = self.git.text(&args).ok();
        self.spent += begun.elapsed();
        match commits?.trim().is_empty() {
            false => Some(true),
            true => self.git.has_full_history().ok().filter(|is_full| *is_full).map(|_| false),
        }
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
