//! Temporary files that a killed process left beside their places: swept away, since they may hold what was purged meanwhile.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::disk::{Disk, Looks, is_temporary};
use crate::limits::LEFT_OVER_NANOS;

/// Whether a file is a temporary one whose writer must be gone: writing and renaming one takes moments.
pub(crate) fn is_left_over(name: &str, looks: &Looks, now_nanos: i64) -> bool {
    looks.is_file && is_temporary(name) && now_nanos.saturating_sub(looks.mtime) > LEFT_OVER_NANOS
}

/// Removes what was left in some folders, not below them. Whoever was quicker has done it, and what cannot be removed is for the next time.
pub(crate) fn sweep(disk: &dyn Disk, folders: &[&Path]) {
    let now = now_nanos();
    for folder in folders {
        for (name, looks) in disk.names(folder).unwrap_or_default() {
            if is_left_over(&name, &looks, now) {
                drop(disk.remove(&folder.join(name)));
            }
        }
    }
}

/// Removes temporary files in and below some folders: those that were left, and those that hold bytes which must go, however new they
/// are. Says how many there were.
pub(crate) fn sweep_all(disk: &dyn Disk, folders: &[&Path], must_go: &dyn Fn(&[u8]) -> bool) -> usize {
    let now = now_nanos();
    let mut count = 0;
    let mut pending: Vec<PathBuf> = folders.iter().map(|folder| (*folder).to_owned()).collect();
    while let Some(folder) = pending.pop() {
        for (name, looks) in disk.names(&folder).unwrap_or_default() {
            let path = folder.join(&name);
            if looks.is_folder {
                pending.push(path);
            } else if looks.is_file && is_temporary(&name) {
                let goes = is_left_over(&name, &looks, now)
                    || disk.read(&path, 0).is_ok_and(|bytes| must_go(&bytes));
                count += usize::from(goes && disk.remove(&path).is_ok());
            }
        }
    }
    count
}

fn now_nanos() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    i64::try_from(now).unwrap_or(i64::MAX)
}
