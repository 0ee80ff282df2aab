//! Files as they are: read with care, written whole or not at all.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::{Change, Fault, Problem};

/// A configuration file larger than this is none.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// A file that was read, or that is not there.
#[derive(Clone, Debug)]
pub(super) struct Original {
    /// The file behind whatever links lead to it.
    pub(super) target: PathBuf,
    pub(super) text: Option<String>,
    pub(super) read_only: bool,
}

/// Reads a file that has to lie within one of the roots, links followed.
pub(super) fn read(file: &Path, roots: &[PathBuf]) -> Result<Original, Problem> {
    let failed = |source| Problem::Failed { doing: "reading", file: file.to_owned(), source };
    let odd = |what: &'static str| Problem::NotAFile { file: file.to_owned(), what };
    let target = match fs::symlink_metadata(file) {
        Ok(_) => match fs::canonicalize(file) {
            Ok(target) => target,
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(odd("a broken link")),
            Err(error) => return Err(failed(error)),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => absent(file).map_err(failed)?,
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(odd("under a file, expected a folder"));
        }
        Err(error) => return Err(failed(error)),
    };
    let roots: Vec<PathBuf> = roots.iter().filter_map(|root| real(root).ok()).collect();
    let mut below = roots.iter().filter_map(|root| target.strip_prefix(root).ok()).peekable();
    if below.peek().is_none() {
        return Err(Problem::Outside { file: file.to_owned(), target });
    }
    // What lies there, git reads or runs.
    if below.any(|path| path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))) {
        return Err(Problem::GitsOwn { file: file.to_owned(), target });
    }
    let about = match fs::metadata(&target) {
        Ok(about) => about,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Original { target, text: None, read_only: false });
        }
        Err(error) => return Err(failed(error)),
    };
    if !about.is_file() {
        return Err(odd(if about.is_dir() { "a folder" } else { "not a regular file" }));
    }
    if about.len() > FILE_BYTES_MAX {
        return Err(odd("too large for a configuration file"));
    }
    let bytes = fs::read(&target).map_err(failed)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let line =
            error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
        Problem::Malformed {
            file: file.to_owned(),
            fault: Fault { line, what: "this is not UTF-8".to_owned() },
        }
    })?;
    Ok(Original { target, text: Some(text), read_only: about.permissions().readonly() })
}

/// A path without links, whether or not there is something.
pub(super) fn real(path: &Path) -> std::io::Result<PathBuf> {
    fs::canonicalize(path).or_else(|_| absent(path))
}

/// Where a file that is not there would lie.
fn absent(file: &Path) -> std::io::Result<PathBuf> {
    let there = file.ancestors().skip(1).find(|folder| folder.symlink_metadata().is_ok());
    let Some(there) = there else { return Ok(file.to_owned()) };
    let rest = file.strip_prefix(there).unwrap_or(file);
    let folder = fs::canonicalize(there)?;
    match folder.is_dir() {
        true => Ok(folder.join(rest)),
        false => Err(ErrorKind::NotADirectory.into()),
    }
}

/// Writes every change, or none: all new texts lie ready beside their files before the first one is put in place.
pub(super) fn write(changes: &[Change]) -> Result<(), Problem> {
    let mut made = Made::default();
    let staged = stage(changes, &mut made).and_then(|staged| unchanged(changes).map(|()| staged));
    let staged = match staged {
        Ok(staged) => staged,
        Err(problem) => {
            made.undo();
            return Err(problem);
        }
    };
    for (index, (change, new)) in changes.iter().zip(&staged).enumerate() {
        let done = match new {
            Some(new) => fs::rename(new, &change.target),
            None => fs::remove_file(&change.target),
        };
        if let Err(source) = done {
            changes[..index].iter().for_each(put_back);
            made.undo();
            return Err(Problem::Failed { doing: "writing", file: change.file.clone(), source });
        }
    }
    for change in changes.iter().filter(|change| change.after.is_none()) {
        remove_empty_folders(&change.file, &change.root);
    }
    Ok(())
}

/// What was made on the way, to be taken away if it comes to nothing.
#[derive(Default)]
struct Made {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Made {
    fn undo(&self) {
        self.files.iter().for_each(|file| drop(fs::remove_file(file)));
        self.folders.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

fn stage(changes: &[Change], made: &mut Made) -> Result<Vec<Option<PathBuf>>, Problem> {
    let mut staged = Vec::new();
    for change in changes {
        let failed = |source| Problem::Failed { doing: "writing", file: change.file.clone(), source };
        let Some(text) = &change.after else {
            staged.push(None);
            continue;
        };
        let folder = change.target.parent().unwrap_or(Path::new("."));
        let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder).map_err(failed)?;
            made.folders.push(folder.to_owned());
        }
        let name = change.target.file_name().unwrap_or_default().to_string_lossy();
        let new = folder.join(format!(".{name}.ken-{}", std::process::id()));
        let mut file = fs::File::create_new(&new).map_err(failed)?;
        made.files.push(new.clone());
        file.write_all(text.as_bytes()).map_err(failed)?;
        if let Ok(about) = fs::metadata(&change.target) {
            file.set_permissions(about.permissions()).map_err(failed)?;
        }
        file.sync_all().map_err(failed)?;
        staged.push(Some(new));
    }
    Ok(staged)
}

/// Insists that every file is still what was read.
fn unchanged(changes: &[Change]) -> Result<(), Problem> {
    for change in changes {
        let now = match fs::read(&change.target) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(source) => {
                return Err(Problem::Failed { doing: "reading", file: change.file.clone(), source });
            }
        };
        if now.as_deref() != change.before.as_ref().map(|text| text.as_bytes()) {
            return Err(Problem::Changed { file: change.file.clone() });
        }
    }
    Ok(())
}

/// Best effort, after a failure that left some files written.
fn put_back(change: &Change) {
    drop(match &change.before {
        Some(text) => fs::write(&change.target, text),
        None => fs::remove_file(&change.target),
    });
}

fn remove_empty_folders(file: &Path, root: &Path) {
    let folders = file.ancestors().skip(1).take_while(|folder| *folder != root && folder.starts_with(root));
    for folder in folders {
        // One that holds something, or is a link, stays.
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}
