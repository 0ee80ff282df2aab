//! What the store knows of the files of other systems (DOO-6).

use std::collections::BTreeMap;

use ken_core::{DocumentName, EntryKey, Event, Kept};
use ken_engine::{DocumentLine, Documents, Result};

use super::{Store, index_error};

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

    fn former_homes(&self) -> Result<BTreeMap<EntryKey, Vec<DocumentName>>> {
        self.index.former_homes().map_err(index_error)
    }
}
