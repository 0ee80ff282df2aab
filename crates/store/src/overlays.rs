//! The overlays of this clone: an append-only log beside the journal, folded when it is read (BEL-9).
//!
//! A line counts when it is whole and is acknowledged when it is synced. A torn line at the end is cut off by the next writer. Nothing
//! here is in the tree, so nothing here is flushed, committed or shared.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ken_core::{EntryKey, OverlayEvent};
use ken_index::Overlays;

use crate::disk::{Disk, Looks};

/// The name of the log.
const LOG: &str = "overlays.jsonl";

/// What a clone lays over its entries.
pub struct OverlayLog {
    disk: Arc<dyn Disk>,
    /// Where this process writes.
    path: PathBuf,
    /// Every log that counts, in the order in which they count: a sandbox's after the clone's own.
    paths: Vec<PathBuf>,
    looks: Vec<Option<Looks>>,
    folded: Overlays,
    /// Lines that could not be read.
    pub odd_lines: usize,
}

impl OverlayLog {
    /// The overlays of a clone. `home` is written; `homes` are read, in order.
    pub fn open(disk: Arc<dyn Disk>, home: &Path, homes: &[&Path]) -> OverlayLog {
        let paths: Vec<PathBuf> = homes.iter().map(|home| home.join(LOG)).collect();
        let looks = vec![None; paths.len()];
        OverlayLog { disk, path: home.join(LOG), paths, looks, folded: Overlays::default(), odd_lines: 0 }
    }

    /// What is laid over entries, as the logs said when they were last read.
    pub fn folded(&self) -> &Overlays {
        &self.folded
    }

    /// Reads the logs again where they look different.
    pub fn refresh(&mut self) -> io::Result<()> {
        let looks: Vec<Option<Looks>> = self.paths.iter().map(|path| self.disk.looks(path).ok()).collect();
        if looks == self.looks {
            return Ok(());
        }
        let (mut events, mut odd_lines) = (Vec::new(), 0);
        for path in &self.paths {
            let lines = read(&*self.disk, path)?;
            odd_lines += lines.iter().filter(|line| line.event.is_none()).count();
            events.extend(lines.into_iter().filter_map(|line| line.event));
        }
        self.folded = Overlays::new(&events);
        (self.looks, self.odd_lines) = (looks, odd_lines);
        Ok(())
    }

    /// Keeps a change unless it is so already, durably, and says whether it was not.
    pub fn lay(&mut self, event: &OverlayEvent) -> io::Result<bool> {
        let _held = self.disk.lock(&self.path.with_extension("lock"))?;
        self.refresh()?;
        if !self.folded.overlay(event.entry).apply(event) {
            return Ok(false);
        }
        let mut line = serde_json::to_string(event).map_err(io::Error::other)?;
        line.push('\n');
        self.append(&line)?;
        self.refresh()?;
        Ok(true)
    }

    /// Adds whole lines, durably: all of them or none. What a killed writer left at the end is cut off first.
    fn append(&self, lines: &str) -> io::Result<()> {
        let bytes = match self.disk.read(&self.path, 0) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let is_new = bytes.is_none();
        let bytes = bytes.unwrap_or_default();
        let whole = whole(&bytes);
        if whole < bytes.len() {
            self.disk.truncate(&self.path, whole as u64)?;
        }
        let folder = self.path.parent().filter(|_| is_new);
        let written = self
            .disk
            .append(&self.path, lines.as_bytes())
            .and_then(|()| self.disk.sync(&self.path))
            .and_then(|()| folder.map_or(Ok(()), |folder| self.disk.sync_folder(folder)));
        if written.is_err() {
            // Nobody was told that it is there, so it must not be. Where not even that works, the next writer cuts what is torn.
            drop(self.disk.truncate(&self.path, whole as u64));
        }
        written
    }

    /// Takes lines out, for a purge: those of an entry, or those that hold a text. Says how many there were.
    pub fn take_out(&mut self, goes: &dyn Fn(Option<EntryKey>, &str) -> bool) -> io::Result<usize> {
        let mut count = 0;
        for path in &self.paths {
            if self.disk.looks(path).is_err() {
                continue;
            }
            let _held = self.disk.lock(&path.with_extension("lock"))?;
            let lines = read(&*self.disk, path)?;
            let stays = |line: &&LogLine| !goes(line.event.as_ref().map(|event| event.entry), &line.text);
            let kept: Vec<&str> = lines.iter().filter(stays).map(|line| line.text.as_str()).collect();
            if kept.len() < lines.len() {
                count += lines.len() - kept.len();
                let mut text = kept.join("\n");
                text.push_str(if text.is_empty() { "" } else { "\n" });
                self.disk.replace_synced(path, text.as_bytes())?;
            }
        }
        self.refresh()?;
        Ok(count)
    }

    /// Takes over what a sandbox kept beside the ledger, and says how many changes that were.
    pub fn take_over(&mut self, sandbox: &Path) -> io::Result<usize> {
        let theirs = sandbox.join(LOG);
        if theirs == self.path || self.disk.looks(&theirs).is_err() {
            return Ok(0);
        }
        let _held = self.disk.lock(&self.path.with_extension("lock"))?;
        let _theirs = self.disk.lock(&theirs.with_extension("lock"))?;
        let lines = read(&*self.disk, &theirs)?;
        if !lines.is_empty() {
            // They must be durable here before they go there. What a crash in between leaves in both says the same twice.
            self.append(&lines.iter().map(|line| format!("{}\n", line.text)).collect::<String>())?;
        }
        self.disk.remove(&theirs)?;
        self.refresh()?;
        Ok(lines.len())
    }
}

/// How many bytes are whole lines.
fn whole(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}

/// A whole line of a log.
struct LogLine {
    /// What it says; none where this version cannot read it.
    event: Option<OverlayEvent>,
    /// As it was written.
    text: String,
}

/// The whole lines of a log; none where there is no log.
fn read(disk: &dyn Disk, path: &Path) -> io::Result<Vec<LogLine>> {
    let bytes = match disk.read(path, 0) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&bytes[..whole(&bytes)]);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    Ok(lines.map(|line| LogLine { event: serde_json::from_str(line).ok(), text: line.to_owned() }).collect())
}
