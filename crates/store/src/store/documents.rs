//! What the store knows of the files of other systems (DOO-6).

use std::collections::BTreeMap;

use ken_core::{DocumentName, EntryKey, Event, Kept};
use ken_engine::{DocumentLine, Documents, Result};

use super::{Store, index_error};
use crate::catalogue::Mirrored;

impl Documents for Store {
    fn documents(&self, format: Option<&str>, root: Option<&str>) -> Result<Vec<DocumentLine>> {
        self.index.documents(format, root, &self.reader()).map_err(index_error)
    }

    fn document(&self, name: &DocumentName) -> Result<Option<Kept>> {
        self.index.document(name, &self.reader()).map_err(index_error)
    }

    fn quoting(&self, key: EntryKey) -> Result<Vec<Event>> {
        self.index.quoting(key, &self.reader()).map_err(index_error)
    }

    fn was_purged(&self, key: EntryKey) -> Result<bool> {
        self.index.was_purged(key).map_err(index_error)
    }

    fn homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>> {
        self.index.homes().map_err(index_error)
    }
}

impl Store {
    /// The files of a mirror as they were last seen on the disk, and what the entries were then.
    pub fn mirrored(&self, root: &str) -> Result<(Vec<Mirrored>, Option<String>)> {
        let files = self.index.mirrored(root).map_err(index_error)?;
        Ok((files, self.index.mirrored_digest(root).map_err(index_error)?))
    }

    /// Remembers how the files of a mirror look. This is a note for the next time: it may be lost.
    pub fn set_mirrored(&mut self, root: &str, files: &[Mirrored], digest: Option<&str>) -> Result<()> {
        self.index.set_mirrored(root, files, digest).map_err(index_error)
    }
}
