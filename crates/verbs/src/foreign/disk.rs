//! Files of other systems on the disk: found without following links, read within limits, replaced as a whole.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use ken_engine::Mirrored;
use ken_worktree::disk::{Disk, RealDisk};

use crate::STORE_FOLDER;
use crate::config::is_own_folder;
pub(crate) use crate::limits::foreign_disk::{BINARY_BYTES_MAX, FILE_BYTES_MAX};
use crate::limits::foreign_disk::{FILES_MAX, LEVELS_MAX};

/// Folders that hold what programs made.
const MADE: &[&str] = &[".git", "node_modules", "target", ".venv", "__pycache__"];

/// Why a link is left out.
const LINK: &str = "is a link; links are not followed";

/// A file that was found.
#[derive(Clone, Debug)]
pub(crate) struct FoundFile {
    /// Its path below the folder, with `/`.
    pub path: String,
    pub size: u64,
    /// When it changed, in nanoseconds.
    pub mtime: i64,
    /// Which file it is.
    pub inode: u64,
}

impl FoundFile {
    /// Whether it looks as it did.
    pub fn looks_like(&self, before: &Mirrored) -> bool {
        (self.size, self.mtime, self.inode) == (before.size, before.mtime, before.inode)
    }
}

/// What a folder holds: files in the order of their names, and what was left out, with the reason.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub files: Vec<FoundFile>,
    /// What is no plain file, or not to be read, with the reason.
    pub left_out: Vec<(String, String)>,
}

/// Lists a folder, or the one file of it that is meant. Then nothing else of the folder is looked at.
pub(crate) fn list(folder: &Path, only: Option<&str>) -> io::Result<Listing> {
    let mut listing = Listing::default();
    match only {
        None => walk(folder, "", 0, &mut listing)?,
        Some(only) => match fs::symlink_metadata(folder.join(only)) {
            Ok(looks) if looks.is_file() => listing.files.push(self::looks(folder, only)?),
            Ok(looks) if looks.is_symlink() => listing.left_out.push((only.to_owned(), LINK.to_owned())),
            Ok(_) => listing.left_out.push((only.to_owned(), "is not a regular file".to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        },
    }
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

fn walk(folder: &Path, below: &str, level: usize, listing: &mut Listing) -> io::Result<()> {
    if level > LEVELS_MAX {
        listing.left_out.push((below.to_owned(), format!("is nested more than {LEVELS_MAX} folders deep")));
        return Ok(());
    }
    // Which of many folders it was.
    let named = |error: io::Error| match below {
        "" => error,
        below => io::Error::new(error.kind(), format!("{below}: {error}")),
    };
    for entry in fs::read_dir(folder.join(below)).map_err(named)? {
        let entry = entry?;
        let name = entry.file_name();
        let path = |name: &str| if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        let Some(name) = name.to_str() else {
            listing.left_out.push((path(&name.to_string_lossy()), "its name is not UTF-8".to_owned()));
            continue;
        };
        let path = path(name);
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            listing.left_out.push((path, LINK.to_owned()));
        } else if kind.is_dir() {
            if MADE.contains(&name) || name == STORE_FOLDER {
                continue;
            }
            walk(folder, &path, level + 1, listing)?;
        } else if kind.is_file() {
            // What a killed writer left behind is nobody's file.
            if name.starts_with('.') && name.ends_with(".tmp") {
                continue;
            }
            let looks = RealDisk.looks(&entry.path())?;
            if listing.files.len() >= FILES_MAX {
                return Err(io::Error::other(format!("it contains more than {FILES_MAX} files")));
            }
            listing.files.push(FoundFile { path, size: looks.size, mtime: looks.mtime, inode: looks.inode });
        } else {
            listing.left_out.push((path, "is not a regular file".to_owned()));
        }
    }
    Ok(())
}

/// Reads a file below a folder.
pub(crate) fn read(folder: &Path, path: &str) -> io::Result<Vec<u8>> {
    let full = below(folder, path)?;
    let looks = fs::symlink_metadata(&full)?;
    if !looks.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if looks.len() > FILE_BYTES_MAX {
        return Err(io::Error::other(format!(
            "it has {} bytes; at most {FILE_BYTES_MAX} are read",
            looks.len()
        )));
    }
    fs::read(full)
}

/// Replaces a file below a folder as a whole, with the folders on the way.
pub(crate) fn replace(folder: &Path, path: &str, bytes: &[u8], sync: bool) -> io::Result<()> {
    let full = below(folder, path)?;
    if fs::symlink_metadata(&full).is_ok_and(|looks| !looks.is_file()) {
        return Err(io::Error::other("this name is taken by something that is not a file"));
    }
    if sync { RealDisk.replace_synced(&full, bytes) } else { RealDisk.replace(&full, bytes) }
}

/// Deletes a file below a folder. One that is not there is no error.
pub(crate) fn remove(folder: &Path, path: &str) -> io::Result<()> {
    match fs::remove_file(below(folder, path)?) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// How a file below a folder looks now.
pub(crate) fn looks(folder: &Path, path: &str) -> io::Result<FoundFile> {
    let looks = RealDisk.looks(&below(folder, path)?)?;
    Ok(FoundFile { path: path.to_owned(), size: looks.size, mtime: looks.mtime, inode: looks.inode })
}

/// Git's own folder and the store, however a file system spells them.
pub(crate) fn is_ours(name: &std::ffi::OsStr) -> bool {
    is_own_folder(&name.to_string_lossy())
}

/// Refuses a path that leads out of its folder, or into git's own or the store: a ledger may come from a stranger.
pub(crate) fn check(path: &str) -> io::Result<()> {
    let relative = Path::new(path);
    let plain = relative.components().all(|part| match part {
        Component::Normal(name) => !is_ours(name),
        _ => false,
    });
    if path.is_empty() || !plain || path.contains('\\') || path.contains(':') {
        return Err(io::Error::other(format!("{path:?} is not a path inside it")));
    }
    Ok(())
}

/// A path below a folder that leads nowhere else.
fn below(folder: &Path, path: &str) -> io::Result<PathBuf> {
    check(path)?;
    let relative = Path::new(path);
    let mut full = folder.to_owned();
    for part in relative.parent().into_iter().flat_map(Path::components) {
        full.push(part);
        // A link on the way would lead out.
        if fs::symlink_metadata(&full).is_ok_and(|looks| looks.is_symlink()) {
            return Err(io::Error::other(format!("{} is a link; links are not followed", full.display())));
        }
    }
    Ok(folder.join(relative))
}
