//! Parts of the torture programme that use the binary or the library: a few tries in an everyday run, thousands with `cargo xtask torture`.
//!
//! Each part is one test that calls `ken_testkit::torture`; what the parts mean is in docs/internals/reliability.md.

mod bits;
mod gradual;
mod kills;
#[cfg(unix)]
mod peers;
mod poison;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

/// Prepared stores that tries take turns with; one is made when none is free, and one whose try failed is dropped.
struct Pool<T> {
    free: Mutex<Vec<T>>,
    make: fn() -> T,
}

impl<T> Pool<T> {
    fn new(make: fn() -> T) -> Pool<T> {
        Pool { free: Mutex::new(Vec::new()), make }
    }

    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let free = self.free.lock().unwrap().pop();
        let mut item = free.unwrap_or_else(self.make);
        let done = work(&mut item);
        self.free.lock().unwrap().push(item);
        done
    }
}

/// The bytes and times of all files below some folders, to go back to.
struct Snapshot {
    folders: Vec<PathBuf>,
    files: BTreeMap<PathBuf, (Vec<u8>, SystemTime)>,
}

impl Snapshot {
    fn take(folders: Vec<PathBuf>) -> Snapshot {
        let read = |path: PathBuf| {
            let changed = path.metadata().unwrap().modified().unwrap();
            (path.clone(), (std::fs::read(&path).unwrap(), changed))
        };
        let files = folders.iter().flat_map(|folder| files_below(folder)).map(read).collect();
        Snapshot { folders, files }
    }

    fn restore(&self) {
        for path in self.folders.iter().flat_map(|folder| files_below(folder)) {
            // SQLite makes its shared memory again from the other two files.
            if !self.files.contains_key(&path) || path.to_string_lossy().ends_with("-shm") {
                std::fs::remove_file(&path).unwrap();
            }
        }
        for (path, (bytes, changed)) in &self.files {
            if path.to_string_lossy().ends_with("-shm") {
                continue;
            }
            if std::fs::read(path).ok().as_ref() != Some(bytes) {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, bytes).unwrap();
            }
            set_changed(path, *changed);
        }
    }
}

/// Sets the time at which a file was changed.
fn set_changed(path: &Path, time: SystemTime) {
    std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// All files below a folder, in the order of their paths.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for item in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match item.file_type().unwrap().is_dir() {
                true => pending.push(item.path()),
                false => files.push(item.path()),
            }
        }
    }
    files.sort();
    files
}
