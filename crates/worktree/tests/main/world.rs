//! A folder with a repository in it, made by running git.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ken_worktree::git::Git;
use ken_worktree::{CommitTree, WorkingTree};

pub struct World {
    pub folder: tempfile::TempDir,
}

impl World {
    /// A folder without git.
    pub fn plain(files: &[(&str, &str)]) -> World {
        let world = World { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            world.write(path, text.as_bytes());
        }
        world
    }

    /// A repository with one commit.
    pub fn new(files: &[(&str, &str)]) -> World {
        let world = World::plain(files);
        world.git(&["init", "-q", "-b", "main"]);
        world.commit("first", 1_700_000_000);
        world
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub fn write(&self, path: &str, bytes: &[u8]) {
        let at = self.folder.path().join(path);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, bytes).unwrap();
    }

    pub fn commit(&self, message: &str, seconds: i64) {
        self.git(&["add", "-A"]);
        let date = format!("{seconds} +0000");
        run(self.folder.path(), &["commit", "-q", "--allow-empty", "-m", message], &date);
    }

    pub fn git(&self, args: &[&str]) -> String {
        run(self.folder.path(), args, "1700000000 +0000")
    }

    pub fn found(&self) -> Git {
        Git::at(self.folder.path()).unwrap()
    }

    pub fn tree(&self) -> WorkingTree {
        WorkingTree::new(self.folder.path(), Git::at(self.folder.path()).as_ref(), HashMap::new())
    }

    pub fn at(&self, commit: &str) -> CommitTree {
        CommitTree::new(&self.found(), commit)
    }
}

pub fn run(folder: &Path, args: &[&str], date: &str) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", date)
        .env("GIT_COMMITTER_DATE", date)
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
