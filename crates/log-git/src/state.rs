//! Small state in files of a clone.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ken_core::Millis;
use ken_engine::{
    CloneState, Error, Named, Record, RecordForm, RecordKind, RecordRules, RecordScope, Result,
};
use ken_worktree::Layout;

use crate::disk::{Disk, Looks, RealDisk};
use crate::left_over;

/// Records as files: those of a clone in its folder beside the journal, those of a worktree beside its index.
///
/// Where a sandbox protects the git folder, what may be lost goes beside the ledger, as the journal does. Tokens, and what a person
/// lifted, are never read from there: whoever is in the sandbox writes there as he likes.
pub struct FileState {
    layout: Layout,
    disk: Arc<dyn Disk>,
    /// Whether what killed processes left in the folders of the store was removed.
    is_swept: AtomicBool,
}

impl FileState {
    pub fn new(layout: Layout) -> FileState {
        FileState::with(layout, Arc::new(RealDisk))
    }

    /// The same on another disk, for tests.
    pub fn with(layout: Layout, disk: Arc<dyn Disk>) -> FileState {
        FileState { layout, disk, is_swept: AtomicBool::new(false) }
    }

    /// The folders in which the records of a kind may lie: the first that can be written is the one they are written in.
    fn homes(&self, kind: RecordKind) -> Vec<PathBuf> {
        let (layout, rules) = (&self.layout, kind.rules());
        let mut homes = match rules.scope {
            RecordScope::Clone if rules.in_sandbox => vec![layout.clone_home(), layout.sandbox_home()],
            RecordScope::Clone => vec![layout.clone_home()],
            RecordScope::Worktree => vec![layout.tree_home(), layout.sandbox_tree_home()],
            RecordScope::Store => vec![layout.store.clone()],
        };
        homes.dedup();
        homes
    }

    fn files(&self, record: &Record) -> Vec<PathBuf> {
        self.homes(record.kind()).iter().map(|home| home.join(record.path())).collect()
    }

    /// Refuses to follow a link below the store: what others commit there could lead anywhere.
    fn refuse_links(&self, kind: RecordKind) -> io::Result<()> {
        if kind.rules().scope != RecordScope::Store {
            return Ok(());
        }
        let file = self.layout.store.join(kind.rules().pattern);
        for folder in file.ancestors().skip(1).take_while(|above| *above != self.layout.store) {
            let is_other = self.disk.looks(folder).is_ok_and(|looks| !looks.is_folder);
            if is_other {
                let name = folder.strip_prefix(&self.layout.store).unwrap_or(folder).display();
                let problem = format!("{}/{name} is not a plain folder of the store", crate::STORE_FOLDER);
                return Err(io::Error::other(problem));
            }
        }
        Ok(())
    }

    /// Does something with the first file of a record that allows it.
    fn first<T>(&self, record: &Record, work: impl Fn(&Path) -> io::Result<T>) -> Result<T> {
        self.refuse_links(record.kind()).map_err(writing(record))?;
        let mut denied = None;
        for file in self.files(record) {
            match work(&file) {
                Err(error) if is_denied(&error) => drop(denied.get_or_insert(error)),
                done => return done.map_err(writing(record)),
            }
        }
        Err(writing(record)(denied.unwrap_or_else(|| io::Error::from(ErrorKind::NotFound))))
    }
}

fn is_denied(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

/// The older half of a rolling list.
fn older(file: &Path) -> PathBuf {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let end = file.extension().map(|end| format!(".{}", end.to_string_lossy())).unwrap_or_default();
    file.with_file_name(format!("{name}.old{end}"))
}

fn reading(record: &Record) -> impl FnOnce(io::Error) -> Error {
    Error::failed(format!("reading {}", record.path()))
}

fn writing(record: &Record) -> impl FnOnce(io::Error) -> Error {
    Error::failed(format!("writing {}", record.path()))
}

/// Files of earlier versions whose records are kept in another way today, and that hold texts. Purges and sweeps list the records of a kind:
/// then these go.
const FORMER: [(RecordKind, &str); 1] = [(RecordKind::Replays, "replays.jsonl")];

impl FileState {
    /// Reads a file up to some length, and says whether it is longer. Whoever opens a pipe waits for somebody at its other end, so that what
    /// is no ordinary file is none.
    fn read_plain(&self, path: &Path, bytes_max: u64) -> io::Result<Option<(Vec<u8>, bool)>> {
        let Some(looks) = self.looks(path)? else { return Ok(None) };
        let length = looks.size.min(bytes_max);
        match self.disk.read_exact(path, 0, length) {
            Ok(bytes) => Ok(Some((bytes, looks.size > bytes_max))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            // It was cut while it was read.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                let mut bytes = self.disk.read(path, 0)?;
                let is_longer = bytes.len() as u64 > bytes_max;
                bytes.truncate(usize::try_from(bytes_max).unwrap_or(usize::MAX));
                Ok(Some((bytes, is_longer)))
            }
            Err(error) => Err(error),
        }
    }

    /// How an ordinary file looks; none where there is none.
    fn looks(&self, path: &Path) -> io::Result<Option<Looks>> {
        match self.disk.looks(path) {
            Ok(looks) => Ok(Some(looks).filter(|looks| looks.is_file)),
            Err(error) if is_nowhere(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The file that was written last; none where there is none.
    fn newest(&self, files: Vec<PathBuf>) -> Option<PathBuf> {
        let written = |file: &PathBuf| self.looks(file).ok().flatten().map(|looks| looks.mtime);
        files.into_iter().filter_map(|file| Some((written(&file)?, file))).max().map(|(_, file)| file)
    }

    fn remove_file(&self, path: &Path) -> io::Result<bool> {
        match self.disk.remove(path) {
            Ok(()) => Ok(true),
            Err(error) if is_nowhere(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Adds a line, all of it or nothing. What a killed writer left at the end ends there; in a durable list, where nobody was told that it is
    /// there, it goes.
    fn add_line(&self, path: &Path, line: &[u8], rules: &RecordRules) -> io::Result<()> {
        let before = self.looks(path)?.map(|looks| looks.size);
        if before.is_none() && self.disk.looks(path).is_ok() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut before = before;
        let is_torn = match before {
            Some(size) if size > 0 => self.disk.read_exact(path, size - 1, 1)? != b"\n",
            Some(_) | None => false,
        };
        let is_durable = rules.form == RecordForm::DurableList;
        if is_torn && is_durable {
            let whole = whole_lines(&self.disk.read(path, 0)?);
            self.disk.truncate(path, whole)?;
            before = Some(whole);
        }
        let ended: &[u8] = if is_torn && !is_durable { b"\n" } else { b"" };
        if before.is_none() && rules.is_private {
            self.disk.replace_private(path, b"")?;
        }
        let folder = path.parent().filter(|_| before.is_none() && is_durable);
        let written = self
            .disk
            .append(path, &[ended, line, b"\n"].concat())
            .and_then(|()| if is_durable { self.disk.sync(path) } else { Ok(()) })
            .and_then(|()| folder.map_or(Ok(()), |folder| self.disk.sync_folder(folder)));
        if written.is_err() && is_durable {
            // Nobody was told that it is there, so it must not be. Where not even that works, the next writer ends what is torn.
            drop(self.disk.truncate(path, before.unwrap_or(0)));
        }
        written
    }

    /// Brings home what a sandbox added to lists that are to last.
    pub(crate) fn bring_lists_home(&self) -> Result<()> {
        for kind in RecordKind::ALL {
            let record = kind.record();
            let rules = kind.rules();
            if !rules.in_sandbox || rules.form != RecordForm::DurableList {
                continue;
            }
            let files = self.files(&record);
            if files.iter().skip(1).any(|file| self.disk.looks(file).is_ok()) {
                let _held = self.lock(&record)?;
                self.bring_home(&files).map_err(writing(&record))?;
            }
        }
        Ok(())
    }

    /// What a sandbox kept beside the ledger comes home before anything else is said: a list has one order. What a crash in between leaves
    /// in both says the same twice.
    fn bring_home(&self, files: &[PathBuf]) -> io::Result<()> {
        let Some((home, others)) = files.split_first() else { return Ok(()) };
        for other in others {
            if self.looks(other)?.is_none() {
                continue;
            }
            let theirs = self.disk.read(other, 0)?;
            let own = self.looks(home)?.map_or(Ok(Vec::new()), |_| self.disk.read(home, 0))?;
            self.disk.replace_synced(home, &[own, theirs].concat())?;
            self.disk.remove(other)?;
        }
        Ok(())
    }
}

/// How many bytes are whole lines.
fn whole_lines(bytes: &[u8]) -> u64 {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at as u64 + 1)
}

fn is_nowhere(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

impl CloneState for FileState {
    fn read(&self, record: &Record) -> Result<Option<Vec<u8>>> {
        let rules = record.kind().rules();
        if self.refuse_links(record.kind()).is_err() {
            return Ok(None);
        }
        let read = |file: &Path| self.read_plain(file, rules.bytes_max).map_err(reading(record));
        let files = self.files(record);
        match rules.form {
            RecordForm::Whole | RecordForm::DurableWhole => match self.newest(files) {
                Some(file) => Ok(read(&file)?.filter(|(_, is_longer)| !is_longer).map(|(bytes, _)| bytes)),
                None => Ok(None),
            },
            RecordForm::List | RecordForm::DurableList => {
                let mut all: Option<Vec<u8>> = None;
                for file in &files {
                    if let Some((bytes, _)) = read(file)? {
                        all.get_or_insert_default().extend(bytes);
                    }
                }
                Ok(all)
            }
            RecordForm::RollingList => {
                let mut all: Option<Vec<u8>> = None;
                for file in files.iter().flat_map(|file| [older(file), file.clone()]) {
                    if let Some((bytes, _)) = read(&file)? {
                        all.get_or_insert_default().extend(bytes);
                    }
                }
                Ok(all)
            }
        }
    }

    fn write(&self, record: &Record, bytes: &[u8]) -> Result<()> {
        let rules = record.kind().rules();
        if rules.form != RecordForm::RollingList {
            record.check_size(bytes.len())?;
        }
        let is_durable = matches!(rules.form, RecordForm::DurableWhole | RecordForm::DurableList);
        let sweeps = rules.scope == RecordScope::Store && !self.is_swept.swap(true, Ordering::Relaxed);
        let written = self.first(record, |file| {
            if let Some(folder) = file.parent().filter(|_| sweeps) {
                left_over::sweep(&*self.disk, &[folder]);
            }
            match (rules.is_private, is_durable) {
                (true, _) => self.disk.replace_private(file, bytes)?,
                (false, true) => self.disk.replace_synced(file, bytes)?,
                (false, false) => self.disk.replace(file, bytes)?,
            }
            Ok(file.to_owned())
        })?;
        // Of a list nothing else is left.
        if !matches!(rules.form, RecordForm::Whole | RecordForm::DurableWhole) {
            let others = self.files(record).into_iter().flat_map(|file| [older(&file), file]);
            for other in others.filter(|other| *other != written) {
                self.remove_file(&other).map_err(writing(record))?;
            }
        }
        Ok(())
    }

    fn append(&self, record: &Record, line: &[u8]) -> Result<()> {
        let rules = record.kind().rules();
        let files = self.files(record);
        if rules.form != RecordForm::RollingList {
            let lengths = files.iter().filter_map(|file| self.looks(file).ok().flatten());
            let length: u64 = lengths.map(|looks| looks.size).sum();
            record
                .check_size(usize::try_from(length).unwrap_or(usize::MAX).saturating_add(line.len() + 1))?;
        }
        self.first(record, |file| {
            if rules.form == RecordForm::RollingList {
                if self.looks(file)?.is_some_and(|looks| looks.size > rules.bytes_max) {
                    self.disk.replace(&older(file), &self.disk.read(file, 0)?)?;
                    self.remove_file(file)?;
                }
            } else if Some(file) == files.first().map(PathBuf::as_path) {
                self.bring_home(&files)?;
            }
            self.add_line(file, line, rules)
        })
    }

    fn remove(&self, record: &Record) -> Result<bool> {
        self.refuse_links(record.kind()).map_err(writing(record))?;
        let mut was_there = false;
        for file in self.files(record) {
            was_there |= self.remove_file(&file).map_err(writing(record))?;
            if record.kind().rules().form == RecordForm::RollingList {
                was_there |= self.remove_file(&older(&file)).map_err(writing(record))?;
            }
        }
        Ok(was_there)
    }

    fn names(&self, kind: RecordKind) -> Result<Vec<Named>> {
        let listing = || Error::failed(format!("listing {}", kind.rules().pattern));
        let Some((folder, end)) = kind.rules().pattern.split_once('*') else {
            let files = self.files(&kind.record()).into_iter().flat_map(|file| [older(&file), file]);
            let written = files.filter_map(|file| self.looks(&file).ok().flatten()).map(|looks| looks.mtime);
            let latest = written.max().map(|mtime| Millis(mtime / 1_000_000));
            return Ok(latest.map(|written| Named { name: String::new(), written }).into_iter().collect());
        };
        let mut all = Vec::new();
        if self.refuse_links(kind).is_err() {
            return Ok(all);
        }
        for home in self.homes(kind) {
            for (_, file) in FORMER.iter().filter(|(of, _)| *of == kind) {
                self.remove_file(&home.join(file)).map_err(listing())?;
            }
            let folder = home.join(folder);
            let files = self.disk.names(&folder).map_err(listing())?;
            all.extend(files.into_iter().filter(|(_, looks)| looks.is_file).filter_map(|(name, looks)| {
                let name = name.strip_suffix(end)?.to_owned();
                // What is being written has no name yet.
                (!name.starts_with('.')).then_some(Named { name, written: Millis(looks.mtime / 1_000_000) })
            }));
        }
        Ok(all)
    }

    fn lock(&self, record: &Record) -> Result<Box<dyn Send>> {
        self.first(record, |file| self.disk.lock(&file.with_extension("lock")))
    }

    fn try_lock(&self, record: &Record) -> Result<Option<Box<dyn Send>>> {
        self.first(record, |file| self.disk.try_lock(&file.with_extension("lock")))
    }
}
