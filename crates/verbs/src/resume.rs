//! Going on with a bulk add that was stopped: which lines of a file are acknowledged.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ken_core::{Code, EventHash, Refusal};
use ken_engine::{CloneState, Error, Record, RecordKind, Result};
use serde::{Deserialize, Serialize};

/// What this clone remembers of a bulk add, to go on after it was stopped.
pub(crate) struct Resume {
    file: PathBuf,
    state: Arc<dyn CloneState>,
    note: Record,
    /// How far the file was read to write the note.
    read: RefCell<Reading>,
}

/// A file being followed line by line.
struct Reading {
    reader: BufReader<File>,
    last: Vec<u8>,
    so_far: Acknowledged,
}

/// Where an acknowledged part of a file ends. A file that changed there cannot be resumed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Acknowledged {
    lines: usize,
    bytes: u64,
    /// The hash of the last acknowledged line.
    last_line: String,
}

impl Reading {
    fn open(file: &Path) -> Result<Reading> {
        let file = File::open(file).map_err(Error::failed("reading the file again"))?;
        Ok(Reading {
            reader: BufReader::with_capacity(1 << 20, file),
            last: Vec::new(),
            so_far: Acknowledged::default(),
        })
    }

    /// Reads on to a line and says what stands there.
    fn follow(&mut self, lines: usize) -> Result<Acknowledged> {
        while self.so_far.lines < lines {
            self.last.clear();
            let read = self
                .reader
                .read_until(b'\n', &mut self.last)
                .map_err(Error::failed("reading the file again"))?;
            if read == 0 {
                break;
            }
            self.so_far.lines += 1;
            self.so_far.bytes += read as u64;
        }
        self.so_far.last_line = EventHash::from_parts(&[&self.last]).to_string();
        Ok(self.so_far.clone())
    }
}

impl Resume {
    /// What is remembered of a file; nothing where it is a pipe, which cannot be read again.
    pub(crate) fn new(state: &Arc<dyn CloneState>, file: &Path, name: &str) -> Result<Option<Resume>> {
        if !file.is_file() {
            return Ok(None);
        }
        let file = file.canonicalize().map_err(Error::failed(format!("reading {name}")))?;
        let word = EventHash::from_parts(&[file.to_string_lossy().as_bytes()]).to_string();
        let read = RefCell::new(Reading::open(&file)?);
        Ok(Some(Resume { state: state.clone(), note: RecordKind::BulkAdds.named(&word), read, file }))
    }

    /// The lines that an earlier add of the same file had acknowledged.
    pub(crate) fn acknowledged_lines(&self) -> Result<usize> {
        let Some(note) = self.state.value::<Acknowledged>(&self.note) else { return Ok(0) };
        if Reading::open(&self.file)?.follow(note.lines)? != note {
            return Err(Refusal::new(
                Code::NotAllowed,
                format!("the first {} lines of the file changed since they were added", note.lines),
            )
            .hint("run it without --resume; existing entries are not added twice")
            .into());
        }
        Ok(note.lines)
    }

    /// Writes down that the lines up to one are acknowledged.
    pub(crate) fn remember(&self, lines: usize) {
        // Only a convenience: without the note, adding the file again adds nothing twice.
        let Ok(note) = self.read.borrow_mut().follow(lines) else { return };
        drop(self.state.set_value(&self.note, &note));
    }

    /// The file is done.
    pub(crate) fn forget(&self) {
        drop(self.state.remove(&self.note));
    }
}
