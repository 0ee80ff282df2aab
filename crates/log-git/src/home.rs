//! Where the parts of a store in git lie, and what is known of them without an index.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ken_core::event::{Line, read_line};
use ken_core::{Code, Event, EventHash, Refusal};
use ken_engine::{Access, Error, Result};

use crate::catalogue::Lines;
use crate::disk::{Disk, RealDisk};
use crate::git::Git;
use crate::journal::{Journal, Origin, Position, SEGMENT_BYTES_MAX};
use crate::layout::{Layout, STORE_VERSION};
use crate::limits::FRAMES_BYTES_MAX;
use crate::tree::Tree;

/// How to open a store.
#[derive(Clone)]
pub struct OpenOptions {
    /// Whether it may be written.
    pub access: Access,
    pub disk: Arc<dyn Disk>,
    /// Keep the index in memory, for tests on simulated disks.
    pub index_in_memory: bool,
    /// The size at which the journal begins a new segment, in bytes; tests make it small.
    pub segment_bytes_max: u64,
}

impl Default for OpenOptions {
    fn default() -> Self {
        OpenOptions {
            access: Access::Write,
            disk: Arc::new(RealDisk),
            index_in_memory: false,
            segment_bytes_max: SEGMENT_BYTES_MAX,
        }
    }
}

/// The parts of a store in git, for one worktree.
pub(crate) struct Home {
    pub(crate) layout: Layout,
    pub(crate) disk: Arc<dyn Disk>,
    /// Whether anything may be written; what was asked for may be more.
    pub(crate) access: Access,
    pub(crate) asked: Access,
    /// Where this clone keeps what is its own.
    pub(crate) own: PathBuf,
    /// Where this worktree does.
    pub(crate) tree_home: PathBuf,
    /// This clone's journal, and one that a sandbox kept, or that the sandbox cannot write.
    pub(crate) journals: Vec<Journal>,
    pub(crate) tree: Tree,
    /// The folder of the index; none where it is kept in memory.
    pub(crate) index_folder: Option<PathBuf>,
    pub(crate) version_refusal: Option<Refusal>,
}

impl Home {
    /// Looks where everything lies, and what may be written.
    pub(crate) fn find(layout: Layout, options: OpenOptions) -> Result<Home> {
        let OpenOptions { access: asked, disk, index_in_memory, segment_bytes_max } = options;
        layout.refuse_links()?;
        let version_refusal = check_version(&*disk, &layout)?;
        let writable = |home: &Path| disk.lock(&home.join("lock")).is_ok();
        let clone_home = layout.clone_home();
        // Sandboxes often protect the git folder; then this clone's part lies beside the ledger for a while.
        let sandboxed = asked == Access::Write
            && layout.git.is_some()
            && !writable(&clone_home)
            && writable(&layout.sandbox_home());
        let own = if sandboxed { layout.sandbox_home() } else { clone_home.clone() };
        let tree_home = if sandboxed { layout.sandbox_tree_home() } else { layout.tree_home() };
        let journal = |home: &Path| {
            Journal::new(disk.clone(), home.join("journal")).with_segments_of(segment_bytes_max)
        };
        let mut journals = vec![journal(&own)];
        let other = if sandboxed { clone_home } else { layout.sandbox_home() };
        if other != own {
            journals.push(journal(&other));
        }
        let access = if asked == Access::Write && !writable(&own) { Access::Read } else { asked };
        let index_folder = (!index_in_memory).then(|| tree_home.join("index"));
        let tree = Tree::new(disk.clone(), layout.store.clone());
        Ok(Home {
            layout,
            disk,
            access,
            asked,
            own,
            tree_home,
            journals,
            tree,
            index_folder,
            version_refusal,
        })
    }

    /// The repository around the store.
    pub(crate) fn git(&self) -> Option<&Git> {
        self.layout.git.as_ref()
    }

    /// A refusal where nothing may be written.
    pub(crate) fn may_write(&self) -> Result<()> {
        if let Some(refusal) = &self.version_refusal {
            return Err(refusal.clone().into());
        }
        match self.access {
            Access::Write => Ok(()),
            Access::Read => Err(Refusal::new(Code::ReadOnly, "the store is read-only; nothing was written")
                .hint("unset KEN_READONLY, or make .kenning and the git folder writable")
                .into()),
        }
    }

    /// Where something is written from now.
    pub(crate) fn origin(&self) -> Origin {
        let git = self.git();
        Origin {
            branch: git.map(Git::branch).unwrap_or_default(),
            tree: git.map(Git::tree_name).unwrap_or_default(),
            boot: self.disk.boot(),
            continues: None,
        }
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader {
            disk: self.disk.clone(),
            store: self.layout.store.clone(),
            journals: self.journals.clone(),
            frames: RefCell::default(),
        }
    }
}

/// Reads the events whose places the index knows.
pub(crate) struct Reader {
    disk: Arc<dyn Disk>,
    store: PathBuf,
    journals: Vec<Journal>,
    frames: RefCell<Frames>,
}

/// Frames that were read, with their lines by hash: who asks for one event of a large write often asks for the next.
#[derive(Default)]
struct Frames {
    read: BTreeMap<(i64, Position), HashMap<EventHash, String>>,
    bytes: u64,
}

impl Frames {
    fn line(
        &mut self,
        reader: &Reader,
        journal: i64,
        start: Position,
        length: u64,
        wanted: &EventHash,
    ) -> Option<Line> {
        if !self.read.contains_key(&(journal, start)) {
            let records =
                reader.journals.get(usize::try_from(journal).ok()?)?.read_frame(start, length).ok()?;
            if self.bytes + length > FRAMES_BYTES_MAX {
                *self = Frames::default();
            }
            self.bytes += length;
            let by_hash = records.into_iter().filter_map(|record| Some((record.stated_hash()?, record.text)));
            self.read.insert((journal, start), by_hash.collect());
        }
        read_line(self.read.get(&(journal, start))?.get(wanted)?).ok()
    }
}

impl Lines for Reader {
    fn line_of_file(&self, path: &str, at: u64, length: u64) -> Option<Line> {
        let bytes = self.disk.read_exact(&self.store.join(path), at, length).ok()?;
        read_line(std::str::from_utf8(&bytes).ok()?).ok()
    }

    fn lines_of_frame(&self, journal: i64, start: Position, length: u64) -> Vec<Line> {
        let Some(journal) = usize::try_from(journal).ok().and_then(|number| self.journals.get(number)) else {
            return Vec::new();
        };
        let records = journal.read_frame(start, length).unwrap_or_default();
        records.into_iter().filter_map(|record| record.line().ok()).collect()
    }

    fn event_of_frame(
        &self,
        journal: i64,
        start: Position,
        length: u64,
        wanted: &EventHash,
    ) -> Option<Event> {
        match self.frames.borrow_mut().line(self, journal, start, length, wanted)? {
            Line::Event(event) if event.hash == *wanted => Some(*event),
            Line::Event(_) | Line::Stub(_) => None,
        }
    }
}

/// STO-10: what this version makes of the store's version.
fn check_version(disk: &dyn Disk, layout: &Layout) -> Result<Option<Refusal>> {
    const VERSION_BYTES_MAX: u64 = 64;
    let path = layout.store.join("VERSION");
    let failed = || Error::failed("reading .kenning/VERSION");
    let looks = match disk.looks(&path) {
        Ok(looks) => looks,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed()(error)),
    };
    if !looks.is_file || looks.size > VERSION_BYTES_MAX {
        return Err(Refusal::new(
            Code::Version,
            format!(".kenning/VERSION does not contain a version like {STORE_VERSION}"),
        )
        .hint("restore it with git: git checkout -- .kenning/VERSION")
        .into());
    }
    let bytes = disk.read(&path, 0).map_err(failed())?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    let numbers: Vec<Option<u64>> = text.split('.').map(|word| word.parse().ok()).collect();
    let major = match numbers.as_slice() {
        [Some(major), Some(_), Some(_)] if *major > 0 => Some(*major),
        _ => None,
    };
    let ours: u64 = STORE_VERSION.split('.').next().and_then(|word| word.parse().ok()).unwrap_or(1);
    let newer = |message: String| {
        Refusal::new(Code::Version, message).hint("install a newer ken; the store was not changed")
    };
    match major {
        None => Err(Refusal::new(
            Code::Version,
            format!(".kenning/VERSION contains {text:?}, expected a version like {STORE_VERSION}"),
        )
        .hint("restore it with git: git checkout -- .kenning/VERSION")
        .into()),
        Some(major) if major <= ours => Ok(None),
        Some(major) => {
            let readable = disk.looks(&layout.store.join("semantic/v1")).is_ok()
                || disk.looks(&layout.store.join("procedural/v1")).is_ok();
            if readable {
                return Ok(Some(newer(format!(
                    "the store was migrated to version {major}; this ken supports version {ours} and opens it read-only"
                ))));
            }
            Err(newer(format!("the store has version {major}; this ken supports only version {ours}")).into())
        }
    }
}
