//! The disk, as little of it as the ledger needs, so that tests can put a simulated one in its place and pull its plug.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// What a file or folder looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looks {
    /// Bytes.
    pub size: u64,
    /// Last change, in nanoseconds since the epoch.
    pub mtime: i64,
    /// The file's number on its file system; 0 where there is none.
    pub inode: u64,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Whether it is an ordinary file; links are neither.
    pub is_file: bool,
}

/// File operations. Nothing is durable until `sync` (for a file's bytes) and `sync_folder` (for names in a folder) return.
///
/// Operations on missing files fail with [`io::ErrorKind::NotFound`]. Writers create the folders they need.
pub trait Disk: Send + Sync {
    /// The bytes of a file from some offset on.
    fn read(&self, path: &Path, offset: u64) -> io::Result<Vec<u8>>;
    /// Some bytes of a file.
    fn read_exact(&self, path: &Path, offset: u64, length: u64) -> io::Result<Vec<u8>>;
    /// Adds bytes to the end of a file, creating it if needed.
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Replaces a file as a whole: readers see the old or the new bytes. After a power loss it may be neither.
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Replaces a file as a whole and durably: after a power loss it has the old or the new bytes, and the new ones once this returned.
    fn replace_synced(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Cuts a file.
    fn truncate(&self, path: &Path, length: u64) -> io::Result<()>;
    /// Makes a file's bytes durable.
    fn sync(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a folder durable.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// Deletes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// How a file or folder looks.
    fn looks(&self, path: &Path) -> io::Result<Looks>;
    /// The names in a folder; none for a missing one.
    fn names(&self, path: &Path) -> io::Result<Vec<(String, Looks)>>;
    /// Waits for and holds a lock until the answer is dropped. A dead holder's lock is free.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send>>;
    /// The same where nobody holds it; none where somebody does.
    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn Send>>>;
    /// Replaces a file as a whole by one that only the user may read.
    fn replace_private(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.replace(path, bytes)
    }
    /// A name for the time since the machine last started: after a power loss it is another one.
    fn boot(&self) -> String;
}

/// Whether a name is that of a file which is to be renamed to another: `.NAME.01234567.tmp`.
pub fn is_temporary(name: &str) -> bool {
    let number = name.strip_prefix('.').and_then(|rest| rest.strip_suffix(".tmp"));
    let number = number.and_then(|rest| rest.rsplit_once('.')).map(|(_, number)| number);
    number.is_some_and(|number| number.len() == 8 && number.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The disk of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl RealDisk {
    /// Opens for writing, creating the folders on the way when they are missing.
    fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
        match options.open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)?;
                }
                options.open(path)
            }
            other => other,
        }
    }

    /// Writes a file beside another and renames it to it; see [`is_temporary`].
    fn write_beside(path: &Path, bytes: &[u8], options: &mut OpenOptions, sync: bool) -> io::Result<()> {
        let mut nonce = [0_u8; 4];
        getrandom::fill(&mut nonce).map_err(io::Error::other)?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("file");
        let temporary = path.with_file_name(format!(".{name}.{:08x}.tmp", u32::from_ne_bytes(nonce)));
        let written = Self::open(&temporary, options.write(true).create_new(true))
            .and_then(|mut file| {
                file.write_all(bytes)?;
                if sync { file.sync_all() } else { Ok(()) }
            })
            .and_then(|()| fs::rename(&temporary, path));
        if written.is_err() {
            // The first error is the one worth telling; a left-over temporary file is only untidy.
            let _ = fs::remove_file(&temporary);
        }
        written
    }
}

impl From<fs::Metadata> for Looks {
    fn from(data: fs::Metadata) -> Looks {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&data);
        #[cfg(not(unix))]
        let inode = 0;
        let since =
            data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        Looks {
            size: data.len(),
            mtime: i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
            inode,
            is_folder: data.is_dir(),
            is_file: data.is_file(),
        }
    }
}

impl Disk for RealDisk {
    fn read(&self, path: &Path, offset: u64) -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        if offset > 0 {
            file.seek(SeekFrom::Start(offset))?;
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn read_exact(&self, path: &Path, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        Self::open(path, OpenOptions::new().append(true).create(true))?.write_all(bytes)
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        Self::write_beside(path, bytes, &mut OpenOptions::new(), false)
    }

    fn replace_synced(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        // The bytes must be there before the name is, or a power loss between the two leaves an empty file.
        Self::write_beside(path, bytes, &mut OpenOptions::new(), true)?;
        path.parent().map_or(Ok(()), |folder| self.sync_folder(folder))
    }

    fn truncate(&self, path: &Path, length: u64) -> io::Result<()> {
        OpenOptions::new().write(true).open(path)?.set_len(length)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        OpenOptions::new().write(true).open(path)?.sync_data()
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn looks(&self, path: &Path) -> io::Result<Looks> {
        fs::symlink_metadata(path).map(Looks::from)
    }

    fn names(&self, path: &Path) -> io::Result<Vec<(String, Looks)>> {
        let listing = match fs::read_dir(path) {
            Ok(listing) => listing,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        for item in listing {
            let item = item?;
            // A file may vanish between being listed and being looked at.
            let Ok(data) = item.metadata() else { continue };
            if let Ok(name) = item.file_name().into_string() {
                names.push((name, data.into()));
            }
        }
        names.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(names)
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send>> {
        let file = Self::open(path, OpenOptions::new().append(true).create(true))?;
        fs4::FileExt::lock(&file)?;
        Ok(Box::new(file))
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn Send>>> {
        let file = Self::open(path, OpenOptions::new().append(true).create(true))?;
        Ok(fs4::FileExt::try_lock(&file).is_ok().then(|| Box::new(file) as _))
    }

    fn replace_private(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Self::write_beside(path, bytes, &mut options, false)
    }

    fn boot(&self) -> String {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        id.trim().chars().filter(char::is_ascii_hexdigit).take(8).collect()
    }
}
