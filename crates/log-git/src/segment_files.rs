//! The files of a journal: its segments by number, and the hint of where it ends.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::Disk;
use crate::journal::Tail;

/// The files of a journal in some folder.
#[derive(Clone)]
pub(crate) struct SegmentFiles {
    pub disk: Arc<dyn Disk>,
    pub folder: PathBuf,
}

impl SegmentFiles {
    pub fn segment(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:08}.log"))
    }

    /// The file of the hint.
    pub fn tail(&self) -> PathBuf {
        self.folder.join("tail")
    }

    /// The numbers of the segments, in order.
    pub fn numbers(&self) -> io::Result<Vec<u64>> {
        let names = self.disk.names(&self.folder)?;
        let stems = names.iter().filter_map(|(name, _)| name.strip_suffix(".log"));
        let mut numbers: Vec<u64> = stems.filter_map(|stem| stem.parse().ok()).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Remembers the end of what is durable. Only a hint: whoever does not find it true reads the segments instead.
    pub fn write_hint(&self, tail: &Tail) {
        let _ = self.disk.replace(&self.tail(), ken_core::canonical::to_string(tail).as_bytes());
    }

    pub fn hint(&self) -> Option<Tail> {
        self.disk.read(&self.tail(), 0).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())
    }

    /// Makes the names of the folders on the way to the segments durable.
    pub fn sync_way(&self) -> io::Result<()> {
        for folder in self.folder.ancestors().skip(1).take(2) {
            self.disk.sync_folder(folder)?;
        }
        // A store's own folder may be as new as the journal; a git folder is not. The one it lies in is not ours, and perhaps not to be read.
        let store = self.folder.ancestors().nth(2).filter(|folder| folder.ends_with(crate::STORE_FOLDER));
        match store.and_then(Path::parent).map(|folder| self.disk.sync_folder(folder)) {
            Some(Err(error)) if error.kind() != io::ErrorKind::PermissionDenied => Err(error),
            _ => Ok(()),
        }
    }
}
