//! What Kenning asks of git: where its folders are, what is checked out, who works here, and what other commits hold.
//!
//! Finding the folders reads two small files; everything else starts `git` itself, without a shell. The repository may be a stranger's: what
//! its settings name (monitors, pagers, converters for diffs) is not started, and nothing is asked of the terminal.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::limits::SECRET_IN_BRANCH_BYTES_MIN;

/// A git repository with a working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Git {
    /// The top of the working tree.
    pub work_tree: PathBuf,
    /// The git folder of this worktree.
    pub git_dir: PathBuf,
    /// The git folder that all worktrees share.
    pub common_dir: PathBuf,
}

/// What holds whatever the repository's own settings say: paths as they are, and no programs of its choice.
const SETTINGS: &[&str] = &[
    "core.quotepath=off",
    "core.fsmonitor=false",
    "log.showSignature=false",
    // Nothing is ever fetched: what is not here is not here.
    "protocol.allow=never",
    // Longer files have no lines: see `limits::FILE_BYTES_MAX`.
    "core.bigFileThreshold=32m",
];

/// What git printed; its own words when it failed.
fn printed(output: Output, args: &[&str]) -> io::Result<Vec<u8>> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(io::Error::other(format!("git {}: {said}", args.first().unwrap_or(&""))))
}

/// Verbs of git that would start the programs that settings and attributes name for diffs.
const MAKES_DIFFS: &[&str] = &["diff", "diff-files", "diff-index", "diff-tree", "log", "show"];

/// What the environment may say about one repository, and about no other.
const OF_ONE_REPOSITORY: &[&str] = &[
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// A branch, by its short name. It may have no commit yet.
    Branch(String),
    Detached(String),
}

impl Git {
    /// The repository that contains a folder, found by walking up.
    pub fn discover(from: &Path) -> Option<Git> {
        from.ancestors().find_map(Git::at)
    }

    /// The repository whose working tree begins at a folder.
    pub fn at(work_tree: &Path) -> Option<Git> {
        let dot_git = work_tree.join(".git");
        let looks = fs::metadata(&dot_git).ok()?;
        let git_dir = if looks.is_dir() {
            dot_git
        } else {
            let text = fs::read_to_string(&dot_git).ok()?;
            work_tree.join(text.strip_prefix("gitdir:")?.trim())
        };
        if !git_dir.join("HEAD").exists() {
            return None;
        }
        let common_dir = match fs::read_to_string(git_dir.join("commondir")) {
            Ok(text) => git_dir.join(text.trim()),
            Err(_) => git_dir.clone(),
        };
        let tidy = |path: PathBuf| path.canonicalize().unwrap_or(path);
        Some(Git { work_tree: work_tree.to_owned(), git_dir: tidy(git_dir), common_dir: tidy(common_dir) })
    }

    /// The name of this worktree; empty for the main one.
    pub fn tree_name(&self) -> String {
        if self.git_dir == self.common_dir {
            return String::new();
        }
        self.git_dir.file_name().and_then(|name| name.to_str()).unwrap_or("worktree").to_owned()
    }

    /// What is checked out.
    pub fn head(&self) -> Head {
        let text = fs::read_to_string(self.git_dir.join("HEAD")).unwrap_or_default();
        let text = text.trim();
        match text.strip_prefix("ref:").map(str::trim) {
            // Repositories with another ref storage keep a placeholder there.
            Some("refs/heads/.invalid") => match self.text(&["symbolic-ref", "--short", "HEAD"]) {
                Ok(name) => Head::Branch(name.trim().to_owned()),
                Err(_) => Head::Detached(String::new()),
            },
            Some(name) => Head::Branch(name.trim().trim_start_matches("refs/heads/").to_owned()),
            None => Head::Detached(text.to_owned()),
        }
    }

    /// The branch that is checked out, as it is shown and kept; empty when none is. A secret in its name is taken out: the journal says on
    /// which branch a line was written.
    pub fn branch(&self) -> String {
        match self.head() {
            Head::Branch(name) if name.len() < SECRET_IN_BRANCH_BYTES_MIN => name,
            Head::Branch(name) => ken_guard::redact(&name).into_owned(),
            Head::Detached(_) => String::new(),
        }
    }

    /// The name of whoever works here, as git knows it.
    pub fn user_name(&self) -> Option<String> {
        self.configured_name().or_else(|| {
            let name = self.text(&["config", "user.name"]).ok()?;
            Some(name.trim().to_owned()).filter(|name| !name.is_empty())
        })
    }

    /// The address of whoever works here, as git knows it.
    pub fn user_email(&self) -> Option<String> {
        let email = self.text(&["config", "user.email"]).ok()?;
        Some(email.trim().to_owned()).filter(|email| !email.is_empty())
    }

    /// Reads the plain case of `user.name` without starting git.
    fn configured_name(&self) -> Option<String> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let global = std::env::var_os("GIT_CONFIG_GLOBAL")
            .map(PathBuf::from)
            .or_else(|| home.map(|home| home.join(".gitconfig")));
        for file in [Some(self.common_dir.join("config")), global].into_iter().flatten() {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let mut section = String::new();
            for line in text.lines().map(str::trim) {
                if let Some(name) = line.strip_prefix('[') {
                    section = name.trim_end_matches(']').trim().to_ascii_lowercase();
                    // Included files and per-worktree settings are git's own business.
                    if section.starts_with("include") || section.starts_with("extensions") {
                        return None;
                    }
                } else if section == "user"
                    && let Some((key, value)) = line.split_once('=')
                    && key.trim().eq_ignore_ascii_case("name")
                {
                    let value = value.trim();
                    if value.contains(['"', '\\', '#', ';']) {
                        return None;
                    }
                    return Some(value.to_owned()).filter(|name| !name.is_empty());
                }
            }
        }
        None
    }

    /// Runs git in the working tree.
    pub fn run(&self, args: &[&str]) -> io::Result<Output> {
        self.command(args).stdin(Stdio::null()).output()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("--no-pager").arg("-C").arg(&self.work_tree);
        for setting in SETTINGS {
            command.arg("-c").arg(setting);
        }
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        command.env("GIT_NO_LAZY_FETCH", "1");
        command.env_remove("GIT_WORK_TREE");
        if self.is_not_meant() {
            for name in OF_ONE_REPOSITORY {
                command.env_remove(name);
            }
        }
        let Some((verb, rest)) = args.split_first() else { return command };
        command.arg(verb);
        if MAKES_DIFFS.contains(verb) {
            command.arg("--no-ext-diff").arg("--no-textconv");
        }
        command.args(rest);
        command
    }

    /// Whether the environment speaks of another repository, as a hook of that one would.
    fn is_not_meant(&self) -> bool {
        let Some(meant) = std::env::var_os("GIT_DIR") else { return false };
        Path::new(&meant).canonicalize().ok().is_none_or(|meant| meant != self.git_dir)
    }

    /// Runs git and gives what it printed; its own words when it failed.
    pub fn bytes(&self, args: &[&str]) -> io::Result<Vec<u8>> {
        printed(self.run(args)?, args)
    }

    /// The same for commands that compare two trees. What attributes in them say about how they want to be shown does not count: a change
    /// must not be able to call its own text binary. Git before 2.41 lets them.
    pub fn bytes_unattributed(&self, args: &[&str]) -> io::Result<Vec<u8>> {
        let mut command = self.command(args);
        command.env("GIT_ATTR_SOURCE", self.empty_tree()?);
        printed(command.stdin(Stdio::null()).output()?, args)
    }

    /// The name of the tree without files. Git knows it everywhere.
    pub fn empty_tree(&self) -> io::Result<String> {
        Ok(self.text(&["hash-object", "-t", "tree", "--stdin"])?.trim().to_owned())
    }

    /// The same for commands that read the working tree. Filters that a repository's configuration names would be programs of its
    /// choice, started because somebody looks; they are left out.
    pub fn bytes_unfiltered(&self, args: &[&str]) -> io::Result<Vec<u8>> {
        let named = self
            .bytes(&["config", "--null", "--name-only", "--get-regexp", "^filter\\."])
            .unwrap_or_default();
        let named = String::from_utf8_lossy(&named);
        let mut drivers: Vec<&str> = named
            .split('\0')
            .filter_map(|key| key.strip_prefix("filter.")?.rsplit_once('.'))
            .map(|(name, _)| name)
            .collect();
        drivers.sort_unstable();
        drivers.dedup();
        let mut command = self.command(args);
        // Settings of the environment are said last, and count most.
        let mut count = 0;
        for driver in drivers {
            for (what, value) in [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")] {
                command.env(format!("GIT_CONFIG_KEY_{count}"), format!("filter.{driver}.{what}"));
                command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
                count += 1;
            }
        }
        command.env("GIT_CONFIG_COUNT", count.to_string());
        printed(command.stdin(Stdio::null()).output()?, args)
    }

    /// The same, as text.
    pub fn text(&self, args: &[&str]) -> io::Result<String> {
        self.bytes(args).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The full name of a commit, if it exists here.
    pub fn commit(&self, name: &str) -> io::Result<Option<String>> {
        let spec = format!("{name}^{{commit}}");
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &spec];
        let output = self.run(&args)?;
        // Git answers 1 where there is no such commit, and something else where it could not look.
        if output.status.code() == Some(1) {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&printed(output, &args)?).trim().to_owned();
        Ok(Some(text).filter(|hash| !hash.is_empty()))
    }

    /// Whether a folder of the index differs from the last commit. Files are not looked at.
    pub fn has_staged(&self, folder: &str) -> io::Result<bool> {
        let compare = |base: &str| {
            let args = ["diff-index", "--cached", "--quiet", base, "--", folder];
            let output = self.run(&args)?;
            match output.status.code() {
                Some(1) => Ok(true),
                _ => printed(output, &args).map(|_| false),
            }
        };
        match compare("HEAD") {
            // Before the first commit everything is new.
            Err(_) if self.commit("HEAD")?.is_none() => compare(&self.empty_tree()?),
            compared => compared,
        }
    }

    /// Where two commits parted; none where their histories never met.
    pub fn merge_base(&self, one: &str, other: &str) -> io::Result<Option<String>> {
        let args = ["merge-base", "--", one, other];
        let output = self.run(&args)?;
        if output.status.code() == Some(1) {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&printed(output, &args)?).trim().to_owned();
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// Which of some commits exist here, asked in one go.
    pub fn commits_exist(&self, names: &[String]) -> io::Result<Vec<bool>> {
        let mut asked = String::new();
        for name in names {
            asked.push_str(name);
            asked.push_str("^{commit}\n");
        }
        let answers = self.feed(&["cat-file", "--batch-check"], asked.into_bytes())?;
        let answers = String::from_utf8_lossy(&answers);
        let found: Vec<bool> = answers.lines().map(|line| line.contains(" commit ")).collect();
        if found.len() != names.len() {
            let problem = format!("git answered {} of {} questions", found.len(), names.len());
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, problem));
        }
        Ok(found)
    }

    /// Whether every commit of the repository's branches should be here: the clone is not shallow, and takes in all branches.
    ///
    /// A commit that is not here then is proved to be absent.
    pub fn has_full_history(&self) -> io::Result<bool> {
        if self.common_dir.join("shallow").exists() {
            return Ok(false);
        }
        let output = self.run(&["config", "--get-regexp", r"^remote\..*\.fetch$"])?;
        // Git answers 1 where there is no such setting.
        if !output.status.success() && output.status.code() != Some(1) {
            return Err(io::Error::other("git could not read its settings"));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().all(|line| line.contains("refs/heads/*") || line.contains("refs/*")))
    }

    /// Whether a path that is not in the working tree is in the repository all the same: git tracks it, or it lies in a submodule that
    /// is not checked out.
    pub fn may_have(&self, path: &str) -> io::Result<bool> {
        let listed = self.bytes(&["ls-files", "-z", "--stage"])?;
        Ok(listed.split(|byte| *byte == 0).any(|line| {
            let line = String::from_utf8_lossy(line);
            let Some((meta, tracked)) = line.split_once('\t') else { return false };
            let below = |inner: &str, outer: &str| {
                inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            below(tracked, path) || (meta.starts_with("160000") && below(path, tracked))
        }))
    }

    /// Runs git with something on its standard input.
    fn feed(&self, args: &[&str], input: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut child =
            self.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut stdin = child.stdin.take().ok_or_else(|| io::Error::other("git has no standard input"))?;
        let feeder = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output()?;
        let _ = feeder.join();
        Ok(output.stdout)
    }

    /// The ledger files of a commit's tree below a folder, with their bytes.
    pub fn files_at(&self, commit: &str, folder: &str) -> io::Result<Vec<(String, Vec<u8>)>> {
        self.some_files_at(commit, folder, &|_| true)
    }

    /// The names of files below a folder that differ between two commits, or between a commit and the working tree.
    pub fn names_changed(&self, base: &str, head: Option<&str>, folder: &str) -> io::Result<Vec<String>> {
        let mut args = vec!["diff", "--name-only", "-z", "--no-renames", base];
        args.extend(head);
        args.extend(["--", folder]);
        let mut listing = match head {
            Some(_) => self.bytes(&args)?,
            None => self.bytes_unfiltered(&args)?,
        };
        if head.is_none() {
            listing.extend(self.bytes(&["ls-files", "--others", "-z", "--full-name", "--", folder])?);
        }
        let names = listing.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// The same, as far as they are wanted: what is not wanted is not read.
    pub fn some_files_at(
        &self,
        commit: &str,
        folder: &str,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> io::Result<Vec<(String, Vec<u8>)>> {
        self.files_beside(commit, folder, is_wanted, &|_, _| None)
    }

    /// The same where somebody may have the bytes of a file already, by its path and the id of its blob: git is asked for the others.
    pub fn files_beside(
        &self,
        commit: &str,
        folder: &str,
        is_wanted: &dyn Fn(&str) -> bool,
        known: &dyn Fn(&str, &str) -> Option<Vec<u8>>,
    ) -> io::Result<Vec<(String, Vec<u8>)>> {
        let listing = self.bytes(&["ls-tree", "-r", "-z", "--full-tree", commit, "--", folder])?;
        let mut files: Vec<(String, Option<Vec<u8>>)> = Vec::new();
        let mut asked = String::new();
        for item in listing.split(|byte| *byte == 0).filter(|item| !item.is_empty()) {
            let text = String::from_utf8_lossy(item);
            let Some((meta, path)) = text.split_once('\t') else { continue };
            let mut words = meta.split(' ');
            if let (Some(_), Some("blob"), Some(blob)) = (words.next(), words.next(), words.next())
                && is_wanted(path)
            {
                let bytes = known(path, blob);
                if bytes.is_none() {
                    asked.push_str(blob);
                    asked.push('\n');
                }
                files.push((path.to_owned(), bytes));
            }
        }
        let answers = match asked.is_empty() {
            true => Vec::new(),
            false => self.feed(&["cat-file", "--batch"], asked.into_bytes())?,
        };
        let mut at = 0;
        let mut all = Vec::with_capacity(files.len());
        for (name, known) in files {
            if let Some(bytes) = known {
                all.push((name, bytes));
                continue;
            }
            let Some(length) = answers[at..].iter().position(|byte| *byte == b'\n') else { break };
            let header = String::from_utf8_lossy(&answers[at..at + length]).into_owned();
            let size: usize = header.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
            let start = at + length + 1;
            let bytes = answers.get(start..start + size).unwrap_or_default().to_vec();
            all.push((name, bytes));
            at = start + size + 1;
        }
        Ok(all)
    }

    /// The names of all files of a commit, sorted.
    pub fn names_at(&self, commit: &str) -> io::Result<Vec<String>> {
        let listing = self.bytes(&["ls-tree", "-r", "-z", "--full-tree", "--name-only", commit])?;
        let names = listing.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let mut names: Vec<String> = names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        names.sort();
        Ok(names)
    }

    /// Every branch here and on remotes that are known here, newest first.
    pub fn branches(&self) -> io::Result<Vec<String>> {
        let args = [
            "for-each-ref",
            "--sort=-committerdate",
            "--format=%(refname:short)",
            "refs/heads",
            "refs/remotes",
        ];
        Ok(self.text(&args)?.lines().map(str::to_owned).collect())
    }

    /// Every commit that changed a folder, on any branch, stash or in the reflog, newest first.
    pub fn commits_touching(&self, folder: &str) -> io::Result<Vec<String>> {
        let args = ["log", "--all", "--reflog", "--format=%H", "--", folder];
        Ok(self.text(&args)?.lines().map(str::to_owned).collect())
    }

    /// When a commit was made.
    pub fn committed_at(&self, commit: &str) -> io::Result<i64> {
        self.text(&["log", "-1", "--format=%ct", commit, "--"])?.trim().parse().map_err(io::Error::other)
    }
}

/// Whether a line is one that git writes into a conflicted file.
pub fn is_marker(line: &[u8]) -> bool {
    let marks: [&[u8]; 3] = [b"<<<<<<< ", b">>>>>>> ", b"||||||| "];
    marks.iter().any(|mark| line.starts_with(mark))
        || matches!(line, b"=======" | b"<<<<<<<" | b">>>>>>>" | b"|||||||")
}
