//! A folder to measure in: on the disk of the build, with a home of its own, and gone afterwards.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::corpus;
use super::measure;
use crate::context::{Failure, capture, failed};

/// Fewer entries than this give the catch-up nothing to choose from.
pub(crate) const ENTRIES_MIN: usize = 100;

const PREFIX: &str = "bench-scratch-";

/// The scratch folder.
pub(crate) struct Scratch {
    pub(crate) folder: PathBuf,
    /// A part of another one goes with the whole.
    is_whole: bool,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.is_whole {
            return;
        }
        println!("removing the scratch folder");
        // Nothing is lost by a folder that stays: the next run takes it away.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Scratch {
    /// A new one below a folder. What an interrupted run left there is removed first.
    pub(crate) fn below(parent: &Path) -> Result<Scratch, Failure> {
        for item in fs::read_dir(parent).into_iter().flatten().flatten() {
            let name = item.file_name().to_string_lossy().into_owned();
            let left_over = name.strip_prefix(PREFIX).is_some_and(|process| {
                Path::new("/proc/self").exists() && !Path::new("/proc").join(process).exists()
            });
            if left_over {
                let _ = fs::remove_dir_all(item.path());
            }
        }
        let folder = parent.join(format!("{PREFIX}{}", std::process::id()));
        match fs::create_dir_all(folder.join("home")) {
            Ok(()) => Ok(Scratch { folder, is_whole: true }),
            Err(error) => failed(format!("cannot make a scratch folder: {error}")),
        }
    }

    /// A folder inside, with a home of its own.
    pub(crate) fn part(&self, name: &str) -> Result<Scratch, Failure> {
        let folder = self.folder.join(name);
        match fs::create_dir_all(folder.join("home")) {
            Ok(()) => Ok(Scratch { folder, is_whole: false }),
            Err(error) => failed(format!("cannot make a scratch folder: {error}")),
        }
    }

    /// A program without the caller's settings: no other store, no git configuration, no agent.
    pub(crate) fn program(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("KEN_") || text.starts_with("GIT_") {
                command.env_remove(&name);
            }
        }
        let home = self.folder.join("home");
        command.current_dir(folder).env("HOME", &home).env("XDG_DATA_HOME", home.join("data"));
        command.env("XDG_CONFIG_HOME", home.join("config")).env("GIT_CONFIG_NOSYSTEM", "1");
        // Whoever measures may be an agent; what is measured is not.
        command.env_remove("CLAUDECODE").env_remove("CLAUDE_CODE_SESSION_ID");
        // Vectors that are made meanwhile would be measured, too.
        command.env("NO_COLOR", "1").env("KEN_BACKGROUND", "0");
        command
    }

    pub(crate) fn git(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = self.program(Path::new("git"), folder);
        command.args(arguments);
        command
    }

    /// A git repository with the code base that the entries speak of, committed.
    pub(crate) fn repository(&self, name: &str) -> Result<PathBuf, Failure> {
        let root = self.folder.join(name);
        let made = fs::create_dir_all(&root).and_then(|()| corpus::write_code_base(&root));
        made.map_err(|error| Failure::Failed(format!("cannot write a scratch code base: {error}")))?;
        let git = |arguments: &[&str]| capture(&mut self.git(&root, arguments));
        git(&["init", "-q", "-b", "main"])?;
        self.name_the_author(&root)?;
        git(&["add", "-A"])?;
        git(&["commit", "-q", "-m", "code"])?;
        Ok(root)
    }

    /// Settings of a scratch clone. Git's own housekeeping would get in the way of what is measured.
    pub(crate) fn name_the_author(&self, root: &Path) -> Result<(), Failure> {
        for (key, value) in [
            ("user.name", "Ada"),
            ("user.email", "ada@example.org"),
            ("gc.auto", "0"),
            ("maintenance.auto", "false"),
        ] {
            capture(&mut self.git(root, &["config", key, value]))?;
        }
        Ok(())
    }

    /// The smallest program there is, static: what it takes to start anything at all.
    pub(crate) fn empty_program(&self) -> Result<PathBuf, Failure> {
        let (source, binary) = (self.folder.join("empty.rs"), self.folder.join("empty"));
        fs::write(&source, "fn main() {}\n")
            .map_err(|error| Failure::Failed(format!("cannot write an empty program: {error}")))?;
        let mut compiler = self.program(Path::new("rustc"), &self.folder);
        // Without the home of the caller, rustup would not find its compiler.
        compiler.env_remove("HOME").envs(std::env::var_os("HOME").map(|home| ("HOME", home)));
        compiler.args(["-O", "-C", "strip=symbols", "-C", "panic=abort"]);
        if cfg!(target_os = "linux") {
            compiler.args(["-C", "target-feature=+crt-static"]);
        }
        capture(compiler.arg("-o").arg(&binary).arg(&source))?;
        Ok(binary)
    }
}

/// A file below some folder, as a walk over it finds it.
pub(crate) struct Seen {
    /// Its path below that folder.
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
    /// What it takes on the disk.
    pub(crate) allocated: u64,
}

/// Every file below a folder: one listing per folder and one stat per file. With the room that the folders themselves take.
pub(crate) fn walk(top: &Path) -> io::Result<(Vec<Seen>, u64)> {
    let mut seen = Vec::new();
    let mut folder_bytes = 0;
    let mut pending = vec![PathBuf::new()];
    while let Some(folder) = pending.pop() {
        let full = top.join(&folder);
        folder_bytes += allocated(&fs::symlink_metadata(&full)?);
        for item in fs::read_dir(&full)? {
            let item = item?;
            let looks = item.metadata()?;
            let path = folder.join(item.file_name());
            if looks.is_dir() {
                pending.push(path);
            } else {
                seen.push(Seen { path, size: looks.len(), allocated: allocated(&looks) });
            }
        }
    }
    Ok((seen, folder_bytes))
}

#[cfg(unix)]
fn allocated(looks: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(looks) * 512
}

#[cfg(not(unix))]
fn allocated(looks: &fs::Metadata) -> u64 {
    looks.len()
}

/// Creates, writes and closes files of the same names and sizes below another folder: the least a store of files can do.
pub(crate) fn write_bare(top: &Path, files: &[Seen]) -> io::Result<()> {
    let longest = files.iter().map(|file| file.size).max().unwrap_or(0);
    let bytes = vec![b'x'; usize::try_from(longest).map_err(io::Error::other)?];
    let mut folders = std::collections::HashSet::new();
    for file in files {
        if let Some(folder) = file.path.parent()
            && folders.insert(folder)
        {
            fs::create_dir_all(top.join(folder))?;
        }
        fs::File::create_new(top.join(&file.path))?.write_all(&bytes[..file.size as usize])?;
    }
    Ok(())
}

/// Opens and reads files to the end: the least that making an index from them can do.
pub(crate) fn read_bare(top: &Path, files: &[Seen]) -> io::Result<u64> {
    let mut total = 0;
    for file in files {
        total += fs::read(top.join(&file.path))?.len() as u64;
    }
    Ok(total)
}

/// Writes out what the system still holds back, so that no measurement pays for the one before.
pub(crate) fn settle() {
    #[cfg(unix)]
    nix::unistd::sync();
}

/// How often a command asks the disk to make something durable, counted by strace. `None` where there is no strace.
pub(crate) fn count_syncs(scratch: &Scratch, command: &Command) -> Result<Option<usize>, Failure> {
    const CALLS: [&str; 5] = ["fsync", "fdatasync", "sync_file_range", "syncfs", "sync"];
    let available = Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success());
    if !available {
        return Ok(None);
    }
    let log = scratch.folder.join("syncs");
    let folder = command.get_current_dir().unwrap_or(&scratch.folder);
    let mut traced = scratch.program(Path::new("strace"), folder);
    traced.args(["-f", "-qq", "-e", &format!("trace={}", CALLS.join(",")), "-o"]).arg(&log);
    traced.arg(command.get_program()).args(command.get_args());
    measure::command(&mut traced)?;
    let text = fs::read_to_string(&log)
        .map_err(|error| Failure::Failed(format!("cannot read what strace wrote: {error}")))?;
    Ok(Some(syncs_in(&text)))
}

/// Calls in a log of `strace -f -o`; the second half of an interrupted one does not count again.
pub(crate) fn syncs_in(log: &str) -> usize {
    let called = |line: &&str| {
        let call = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        call.split_once('(').is_some_and(|(name, _)| name.contains("sync") && !name.contains(' '))
    };
    log.lines().filter(called).count()
}

/// The type of the file system that holds a folder, where the system tells.
pub(crate) fn file_system(folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    mounts
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ').skip(1);
            Some((words.next()?, words.next()?))
        })
        .filter(|(place, _)| folder.starts_with(place))
        .max_by_key(|(place, _)| place.len())
        .map(|(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_call_counts_once() {
        let log = "12 fdatasync(3) = 0\n12 fsync(4 <unfinished ...>\n13 fdatasync(9) = 0\n12 <... fsync resumed>) = 0\n13 +++ exited with 0 +++\n";
        assert_eq!(syncs_in(log), 3);
        assert_eq!(syncs_in(""), 0);
        assert_eq!(syncs_in("fsync(3) = 0\n"), 1);
    }
}
