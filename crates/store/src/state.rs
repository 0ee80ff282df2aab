//! Small state in files of a clone.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use ken_core::Millis;
use ken_engine::{CloneState, Error, Named, Record, RecordForm, RecordKind, RecordScope, Result};
use ken_worktree::Layout;

use crate::disk::{Disk, RealDisk};

/// Records as files: those of a clone in its folder beside the journal, those of a worktree beside its index.
///
/// Where a sandbox protects the git folder, what may be lost goes beside the ledger, as the journal does. Tokens, and what a person
/// lifted, are never read from there: whoever is in the sandbox writes there as he likes.
pub struct FileState {
    layout: Layout,
}

impl FileState {
    pub fn new(layout: Layout) -> FileState {
        FileState { layout }
    }

    /// The folders in which the records of a kind may lie: the first that can be written is the one they are written in.
    fn homes(&self, kind: RecordKind) -> Vec<PathBuf> {
        let layout = &self.layout;
        let mut homes = match (kind.rules().scope, kind.rules().form) {
            (RecordScope::Clone, RecordForm::RollingList) => vec![layout.clone_home(), layout.sandbox_home()],
            (RecordScope::Clone, RecordForm::Whole | RecordForm::List | RecordForm::DurableList) => {
                vec![layout.clone_home()]
            }
            (RecordScope::Worktree, _) => vec![layout.tree_home(), layout.sandbox_tree_home()],
        };
        homes.dedup();
        homes
    }

    fn files(&self, record: &Record) -> Vec<PathBuf> {
        self.homes(record.kind()).iter().map(|home| home.join(record.path())).collect()
    }

    /// Does something with the first file of a record that allows it.
    fn first<T>(&self, record: &Record, work: impl Fn(&Path) -> io::Result<T>) -> Result<T> {
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

/// Reads a file up to some length, and says whether it is longer. Whoever opens a pipe waits for somebody at its other end, so that what is no
/// ordinary file is none.
fn read_plain(path: &Path, bytes_max: u64) -> io::Result<Option<(Vec<u8>, bool)>> {
    match fs::metadata(path) {
        Ok(looks) if looks.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    }
    let mut bytes = Vec::new();
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    let is_longer = bytes.len() as u64 > bytes_max;
    bytes.truncate(usize::try_from(bytes_max).unwrap_or(usize::MAX));
    Ok(Some((bytes, is_longer)))
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

impl CloneState for FileState {
    fn read(&self, record: &Record) -> Result<Option<Vec<u8>>> {
        let rules = record.kind().rules();
        let read = |file: &Path| read_plain(file, rules.bytes_max).map_err(reading(record));
        let files = self.files(record);
        match rules.form {
            RecordForm::Whole => match newest(files) {
                Some(file) => Ok(read(&file)?.filter(|(_, is_longer)| !is_longer).map(|(bytes, _)| bytes)),
                None => Ok(None),
            },
            RecordForm::List | RecordForm::DurableList => match files.first() {
                Some(file) => Ok(read(file)?.map(|(bytes, _)| bytes)),
                None => Ok(None),
            },
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
        if rules.form == RecordForm::RollingList {
            self.remove(record)?;
        } else {
            record.check_size(bytes.len())?;
        }
        self.first(record, |file| match rules.is_private {
            true => RealDisk::replace_private(file, bytes),
            false => RealDisk.replace(file, bytes),
        })
    }

    fn append(&self, record: &Record, line: &[u8]) -> Result<()> {
        let rules = record.kind().rules();
        if rules.form != RecordForm::RollingList {
            let length = self
                .files(record)
                .first()
                .and_then(|file| fs::metadata(file).ok())
                .map_or(0, |looks| looks.len());
            record
                .check_size(usize::try_from(length).unwrap_or(usize::MAX).saturating_add(line.len() + 1))?;
        }
        self.first(record, |file| {
            match fs::metadata(file) {
                Ok(looks) if !looks.is_file() => return Err(io::Error::other("it is not a regular file")),
                Ok(looks) if rules.form == RecordForm::RollingList && looks.len() > rules.bytes_max => {
                    fs::rename(file, older(file))?;
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            add_line(file, line, rules.is_private, rules.form == RecordForm::DurableList)
        })
    }

    fn remove(&self, record: &Record) -> Result<bool> {
        let mut was_there = false;
        for file in self.files(record) {
            was_there |= remove_file(&file).map_err(writing(record))?;
            if record.kind().rules().form == RecordForm::RollingList {
                was_there |= remove_file(&older(&file)).map_err(writing(record))?;
            }
        }
        Ok(was_there)
    }

    fn names(&self, kind: RecordKind) -> Result<Vec<Named>> {
        let listing = || Error::failed(format!("listing {}", kind.rules().pattern));
        let Some((folder, end)) = kind.rules().pattern.split_once('*') else {
            let files = self.files(&kind.record());
            let files =
                files.iter().flat_map(|file| [older(file), file.clone()]).filter_map(|file| written(&file));
            return Ok(files
                .max()
                .map(|written| Named { name: String::new(), written })
                .into_iter()
                .collect());
        };
        let mut all = Vec::new();
        for home in self.homes(kind) {
            for (_, file) in FORMER.iter().filter(|(of, _)| *of == kind) {
                remove_file(&home.join(file)).map_err(listing())?;
            }
            let files = RealDisk.names(&home.join(folder)).map_err(listing())?;
            all.extend(files.into_iter().filter(|(_, looks)| looks.is_file).filter_map(|(name, looks)| {
                let name = name.strip_suffix(end)?.to_owned();
                // What is being written has no name yet.
                (!name.starts_with('.')).then_some(Named { name, written: Millis(looks.mtime / 1_000_000) })
            }));
        }
        Ok(all)
    }

    fn lock(&self, record: &Record) -> Result<Box<dyn Send>> {
        self.first(record, |file| RealDisk.lock(&file.with_extension("lock")))
    }
}

/// The file that was written last; none where there is none.
fn newest(files: Vec<PathBuf>) -> Option<PathBuf> {
    files.into_iter().filter_map(|file| Some((written(&file)?, file))).max().map(|(_, file)| file)
}

fn written(file: &Path) -> Option<Millis> {
    fs::metadata(file).ok().filter(fs::Metadata::is_file)?.modified().ok().map(millis)
}

fn millis(at: SystemTime) -> Millis {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

fn remove_file(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(error),
    }
}

fn add_line(path: &Path, line: &[u8], is_private: bool, is_durable: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = options.open(path)?;
    file.write_all(&[line, b"\n"].concat())?;
    if is_durable { file.sync_data() } else { Ok(()) }
}
