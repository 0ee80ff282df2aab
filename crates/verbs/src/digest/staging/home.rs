//! Where candidates wait: in folders of a store that lies in a folder, else in the small state of the clone.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ken_core::Memory;
use ken_engine::{CloneState, Record, RecordKind};

use super::{DROPPED, MEMORIES};
use crate::limits::digest_staging::{DROPPED_BYTES_MAX, FILE_BYTES_MAX, FILES_MAX, LEFT_AFTER};
use crate::{Error, Result, STORE_FOLDER};

/// The place of the staging folders.
#[derive(Clone)]
pub(in crate::digest) enum Home {
    /// Below the folder of the store.
    Folder(PathBuf),
    Records(Arc<dyn CloneState>),
}

/// The record of a candidate.
fn staged(memory: Memory, name: &str) -> Record {
    RecordKind::Staged.named(&format!("{memory}-{name}"))
}

fn reading() -> impl FnOnce(io::Error) -> Error {
    Error::failed("reading the staging folder")
}

impl Home {
    /// The names of the files of a memory's candidates, in order.
    pub fn names(&self, memory: Memory) -> Result<Vec<String>> {
        let mut names: Vec<String> = match self {
            Home::Folder(store) => {
                let folder = folder(store, memory);
                if !is_plain_folder(store, &folder) {
                    return Ok(Vec::new());
                }
                let entries = fs::read_dir(&folder).map_err(reading())?.take(FILES_MAX);
                entries
                    .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                    .filter(|name| name.ends_with(".json") && !name.starts_with('.'))
                    .collect()
            }
            Home::Records(state) => {
                let prefix = format!("{memory}-");
                let records = state.names(RecordKind::Staged)?;
                records.iter().filter_map(|one| one.name.strip_prefix(&prefix).map(str::to_owned)).collect()
            }
        };
        names.sort();
        Ok(names)
    }

    /// What a file says; none where it cannot be read.
    pub fn text(&self, memory: Memory, name: &str) -> Option<String> {
        match self {
            Home::Folder(store) => plain_text(&folder(store, memory).join(name), FILE_BYTES_MAX).ok()?,
            Home::Records(state) => state.text(&staged(memory, name)),
        }
    }

    /// Writes the file of a candidate, at once or not at all.
    pub fn put(&self, memory: Memory, name: &str, text: &str, id: &str) -> Result<()> {
        match self {
            Home::Folder(store) => {
                replace(&made(store, memory)?, name, text).map_err(Error::failed(format!("staging {id}")))
            }
            Home::Records(state) => state.write(&staged(memory, name), text.as_bytes()),
        }
    }

    /// Takes the file of a candidate away.
    pub fn take_away(&self, memory: Memory, name: &str, id: &str) -> Result<()> {
        match self {
            Home::Folder(store) => match fs::remove_file(folder(store, memory).join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(Error::failed(format!("taking {id} out of staging"))(error))
                }
                Ok(()) | Err(_) => Ok(()),
            },
            Home::Records(state) => state.remove(&staged(memory, name)).map(drop),
        }
    }

    /// The list of what was dropped of a memory.
    pub fn dropped(&self, memory: Memory) -> Result<String> {
        let text = match self {
            Home::Folder(store) => {
                let folder = folder(store, memory);
                match is_plain_folder(store, &folder) {
                    true => plain_text(&folder.join(DROPPED), DROPPED_BYTES_MAX).map_err(reading())?,
                    false => None,
                }
            }
            Home::Records(state) => state.text(&RecordKind::Dropped.named(memory.word())),
        };
        Ok(text.unwrap_or_default())
    }

    /// Adds a line to that list.
    pub fn add_dropped(&self, memory: Memory, line: &str) -> Result<()> {
        let store = match self {
            Home::Folder(store) => store,
            Home::Records(state) => {
                return state.append(&RecordKind::Dropped.named(memory.word()), line.as_bytes());
            }
        };
        let path = made(store, memory)?.join(DROPPED);
        let doing = "noting what was dropped";
        if fs::symlink_metadata(&path).is_ok_and(|looks| !looks.is_file()) {
            return Err(Error::failed(doing)(format!("{DROPPED} is not a regular file")));
        }
        // Whatever cut the last line short must not spoil this one.
        let text = plain_text(&path, DROPPED_BYTES_MAX).map_err(Error::failed(doing))?.unwrap_or_default();
        let begin = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let file = fs::OpenOptions::new().create(true).append(true).open(&path);
        file.and_then(|mut file| file.write_all(format!("{begin}{line}\n").as_bytes()))
            .map_err(Error::failed(doing))
    }

    /// Removes files that a killed process left half-written, beside their places. What a running one is about to move stays.
    pub fn remove_leftovers(&self) {
        if let Home::Folder(store) = self {
            remove_leftovers(store);
        }
    }
}

/// The staging folder of a memory, made if need be. A link in its place is not followed: it could lead anywhere.
fn made(store: &Path, memory: Memory) -> Result<PathBuf> {
    let folder = folder(store, memory);
    fs::create_dir_all(&folder).map_err(Error::failed("making the staging folder"))?;
    match is_plain_folder(store, &folder) {
        true => Ok(folder),
        false => Err(Error::failed("writing to the staging folder")(format!(
            "{STORE_FOLDER}/{memory}/staging is not a plain folder of the store"
        ))),
    }
}

fn folder(store: &Path, memory: Memory) -> PathBuf {
    store.join(memory.word()).join("staging")
}

/// Whether a folder and those above it are folders of the store itself.
fn is_plain_folder(store: &Path, folder: &Path) -> bool {
    let above = folder.ancestors().take_while(|above| *above != store);
    above.into_iter().all(|above| fs::symlink_metadata(above).is_ok_and(|looks| looks.is_dir()))
}

/// The text of a plain file; none where it is something else, too long, or no text.
fn plain_text(path: &Path, bytes_max: u64) -> io::Result<Option<String>> {
    let looks = match fs::symlink_metadata(path) {
        Ok(looks) => looks,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !looks.is_file() || looks.len() > bytes_max {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes).ok())
}

/// Writes a file beside its place and moves it there.
fn replace(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let beside = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&beside).or_else(|error| {
        // A killed process left it; nobody else has this number.
        fs::remove_file(&beside).map_err(|_| error)?;
        fs::OpenOptions::new().write(true).create_new(true).open(&beside)
    })?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, folder.join(name))
}

fn remove_leftovers(store: &Path) {
    for folder in MEMORIES.map(|memory| folder(store, memory)) {
        if !is_plain_folder(store, &folder) {
            continue;
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().take(FILES_MAX).flatten();
        for entry in entries {
            let name = entry.file_name();
            let Some(process) = name.to_str().and_then(written_by) else { continue };
            if entry.file_type().is_ok_and(|kind| kind.is_file()) && is_left(process, &entry.path()) {
                // Whoever was quicker has done it, and one that cannot be removed harms nobody.
                drop(fs::remove_file(entry.path()));
            }
        }
    }
}

/// The number of the process that writes a file of such a name beside its place.
fn written_by(name: &str) -> Option<u32> {
    let (written, process) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    written.ends_with(".json").then(|| process.parse().ok())?
}

/// Whether the process that wrote a file is gone: it is not among those that run here or, where nobody lists them, the file is old.
fn is_left(process: u32, path: &Path) -> bool {
    let running = Path::new("/proc");
    if running.join("self").exists() {
        return process != std::process::id() && !is_running(&running.join(process.to_string()));
    }
    let modified = fs::symlink_metadata(path).and_then(|looks| looks.modified());
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age >= LEFT_AFTER))
}

/// Whether a process that is listed does anything yet. One that was killed stays listed until somebody asks how it ended.
fn is_running(listed: &Path) -> bool {
    let Ok(told) = fs::read_to_string(listed.join("stat")) else { return listed.exists() };
    // Its state is the word after its name, which is in parentheses and may hold anything.
    let state = told.rsplit_once(") ").and_then(|(_, after)| after.chars().next());
    !matches!(state, Some('Z' | 'X'))
}
