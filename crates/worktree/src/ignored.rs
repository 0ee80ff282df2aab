//! Which files git ignores: nothing of them is recorded.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::git::Git;

/// The ignore rules of a repository, read when they are first needed.
///
/// The rules are read here to save a process for every file: what none of them names is not ignored. What one names git itself
/// answers, since it also knows what is tracked and which rule takes another back.
pub(crate) struct IgnoreRules {
    /// The top of the working tree, or of the folder without git.
    top: PathBuf,
    git: Option<Git>,
    /// Rules for the whole tree that lie outside of it. None where only git can say which there are.
    outside: Option<Vec<Gitignore>>,
    /// The rules of each folder.
    folders: HashMap<String, Gitignore>,
    answers: HashMap<String, bool>,
}

impl IgnoreRules {
    pub(crate) fn new(root: &Path, git: Option<&Git>) -> IgnoreRules {
        let top = git.map_or(root, |git| &git.work_tree).to_owned();
        let outside = match git {
            None => Some(Vec::new()),
            // Its file may be anywhere.
            Some(git) if names_a_file_of_rules(git) => None,
            Some(git) => {
                let mut own = GitignoreBuilder::new(&top);
                own.add(git.common_dir.join("info/exclude"));
                let own = own.build().unwrap_or_else(|_| Gitignore::empty());
                Some(vec![own, Gitignore::global().0])
            }
        };
        IgnoreRules { top, git: git.cloned(), outside, folders: HashMap::new(), answers: HashMap::new() }
    }

    /// Whether git ignores a file, by its path below the top. One that it tracks is never ignored.
    pub(crate) fn is_ignored(&mut self, path: &str) -> bool {
        if let Some(answer) = self.answers.get(path) {
            return *answer;
        }
        let answer = self.is_named(path) && self.is_unlisted(path);
        self.answers.insert(path.to_owned(), answer);
        answer
    }

    /// Whether a rule names the file or a folder above it, even if another takes that back.
    fn is_named(&mut self, path: &str) -> bool {
        let Some(outside) = &self.outside else { return true };
        // Each folder on the way with the rest of the path, and each beginning of that rest.
        let ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).chain([path.len()]).collect();
        let names = |rules: &Gitignore, from: usize| {
            ends.iter()
                .filter(|end| **end > from)
                .any(|end| rules.matched(&path[from..*end], *end < path.len()).is_ignore())
        };
        if outside.iter().any(|rules| names(rules, 0)) {
            return true;
        }
        let starts = [0].into_iter().chain(ends.iter().filter(|end| **end < path.len()).map(|end| end + 1));
        for from in starts {
            let folder = &path[..from];
            let rules = self
                .folders
                .entry(folder.to_owned())
                .or_insert_with(|| Gitignore::new(self.top.join(folder).join(".gitignore")).0);
            if names(rules, from) {
                return true;
            }
        }
        false
    }

    /// Whether git lists the file neither as tracked nor as new. What it cannot answer is ignored.
    fn is_unlisted(&self, path: &str) -> bool {
        let Some(git) = &self.git else { return true };
        let exactly = format!(":(top,literal){path}");
        git.bytes(&["ls-files", "-c", "-o", "--exclude-standard", "-z", "--", &exactly])
            .map_or(true, |listed| listed.is_empty())
    }
}

/// Whether the repository's own settings name a file of rules.
fn names_a_file_of_rules(git: &Git) -> bool {
    let own = [git.common_dir.join("config"), git.git_dir.join("config.worktree")];
    own.iter().filter_map(|file| std::fs::read_to_string(file).ok()).any(|text| {
        let text = text.to_ascii_lowercase();
        // What is included may name one, too.
        text.contains("excludesfile") || text.contains("[include")
    })
}
