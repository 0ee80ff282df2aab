//! What the git log gives its projection: its catalogue, single events from journal and ledger files, and what this clone keeps beside.

use super::*;
use crate::catalogue::GitSource;
use crate::log::packed;

/// The parts of a store that reads need.
pub struct GitBase {
    pub(crate) index: Catalogue,
    pub(crate) disk: Arc<dyn Disk>,
    /// Where this clone keeps what is its own.
    pub(crate) home: PathBuf,
    /// The folder of the ledger files.
    pub(crate) store: PathBuf,
    pub(crate) journals: Vec<Journal>,
    /// What this clone lays over its entries.
    pub(crate) overlays: OverlayLog,
    /// The vectors of the model in use, and its name.
    pub(crate) vectors: Option<(String, VectorFile)>,
    pub(crate) shared: Arc<Shared>,
}

impl GitBase {
    pub(crate) fn reader(&self) -> Reader {
        Reader {
            disk: self.disk.clone(),
            store: self.store.clone(),
            journals: self.journals.clone(),
            frames: RefCell::default(),
        }
    }

    /// Where the words of an entry that was kept out lie: in git's own folder, where no agent greps.
    pub(crate) fn quarantine(&self, key: EntryKey) -> PathBuf {
        self.home.join("quarantine").join(format!("{key}.json"))
    }
}

impl Base for GitBase {
    fn index(&self) -> &Index {
        &self.index
    }

    fn source(&self) -> Box<dyn Source + '_> {
        let source: GitSource<'_, Reader> = self.index.source(self.reader());
        Box::new(source)
    }

    fn overlays(&self) -> Option<&Overlays> {
        Some(self.overlays.folded())
    }

    fn vectors(&self) -> Option<&(String, VectorFile)> {
        self.vectors.as_ref()
    }

    fn stored(&self, key: EntryKey) -> rusqlite::Result<Option<Stored>> {
        self.index.stored(key)
    }

    fn file_of(&self, key: EntryKey) -> rusqlite::Result<Option<String>> {
        self.index.file_of(key)
    }

    fn history(&self, key: EntryKey) -> Result<Vec<Placed>> {
        self.index.history(key, &self.reader()).map_err(index_error)
    }

    fn latest_by(&self, actor: &str) -> Result<Vec<Event>> {
        let mut found: Vec<Vec<Event>> = Vec::new();
        // The running number with which the command begins that is gathered.
        let mut command: Option<u64> = None;
        let frames = self.index.latest_frames(FRAMES_OF_A_COMMAND_MAX).map_err(index_error)?;
        for (at, (journal, start, length)) in frames.into_iter().enumerate() {
            if command.is_none() && at >= FRAMES_LOOKED_BACK_MAX {
                break;
            }
            let (origin, records) = self.journals[journal as usize]
                .read_frame_and_origin(start, length)
                .map_err(Error::failed("reading the journal"))?;
            let lines = records.iter().filter_map(|record| record.line().ok());
            let all: Vec<Event> = lines
                .filter_map(|line| match line {
                    Line::Event(event) => Some(*event),
                    Line::Stub(_) => None,
                })
                .collect();
            let first = all.first().map_or(u64::MAX, |event| event.seq);
            let is_its = command.is_none_or(|begun| origin.continues == Some(begun) || first == begun);
            let own = all.into_iter().filter(|event| event.actor == actor && !event.is_record());
            let own: Vec<Event> = own.filter(|_| is_its).collect();
            if !own.is_empty() {
                found.push(own);
            }
            command = command.or(origin.continues).filter(|_| !found.is_empty());
            if !found.is_empty() && command.is_none_or(|begun| first <= begun) {
                break;
            }
        }
        Ok(found.into_iter().rev().flatten().collect())
    }

    fn log_end(&self) -> Result<Option<LogEnd>> {
        let (end, generation) = self.index.journal_end(0).map_err(index_error)?;
        let entries = self.index.digest().map_err(index_error)?;
        Ok(Some(LogEnd { at: packed(end), generation, entries }))
    }

    fn held(&self, key: EntryKey) -> Result<Option<Value>> {
        match self.disk.read(&self.quarantine(key), 0) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(Error::damaged(Part::Quarantine, "reading the quarantine")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::failed("reading the quarantine")(error)),
        }
    }

    fn shared(&self) -> Option<&Caches> {
        Some(&self.shared.made)
    }
}
