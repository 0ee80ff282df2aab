//! A disk in memory whose plug can be pulled: whatever was not synced may then vanish, be torn or turn into zeroes.
//!
//! It is stricter than file systems are. A file's bytes are durable after `sync` and a name after `sync_folder` of its folder, and each
//! by that alone; of everything else any subset survives a power loss, in any combination.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use ken_log_git::disk::{Disk, Looks};

use crate::dice::Dice;

const ROOT: u64 = 1;

/// Everything on a disk at one moment: what programs see, and what of it would survive.
#[derive(Clone)]
pub struct Image {
    nodes: BTreeMap<u64, Arc<Node>>,
    next: u64,
    time: i64,
    boot: u64,
}

#[derive(Clone)]
struct Node {
    mtime: i64,
    content: Content,
}

#[derive(Clone, Hash)]
enum Content {
    File { durable: Vec<u8>, bytes: Vec<u8>, pending: Vec<Change> },
    Folder { durable: BTreeMap<String, u64>, names: BTreeMap<String, u64>, pending: Vec<Naming> },
}

/// A change of a file's bytes that was not synced yet.
#[derive(Clone, Hash)]
enum Change {
    Append { at: usize, bytes: Vec<u8> },
    Truncate { length: usize },
}

/// A change of a folder's names that was not synced yet.
#[derive(Clone, Hash)]
enum Naming {
    Add { name: String, node: u64 },
    Rename { from: String, to: String, node: u64 },
    Remove { name: String },
}

impl Content {
    fn new_file() -> Content {
        Content::File { durable: Vec::new(), bytes: Vec::new(), pending: Vec::new() }
    }

    fn new_folder() -> Content {
        Content::Folder { durable: BTreeMap::new(), names: BTreeMap::new(), pending: Vec::new() }
    }
}

/// One thing that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Writing fails once this many more bytes are written; what still fits is written.
    FullAfter { bytes: usize },
    /// One of the next syncs fails, of a file or a folder; 0 is the very next one.
    Sync { number: usize },
    /// One of the next changes fails without effect; 0 is the very next one.
    Operation { number: usize, kind: io::ErrorKind },
}

/// The disk after one of its operations: a process may have died, or the power failed, right then.
#[derive(Clone)]
pub struct Moment {
    /// What was done last.
    pub what: String,
    /// The disk after it.
    pub image: Image,
    /// Set in the middle of a write: a process can be killed there, but no call has returned.
    pub within: bool,
}

/// The simulated disk. Clones share it.
#[derive(Clone)]
pub struct SimDisk {
    machine: Arc<Mutex<Machine>>,
}

struct Machine {
    image: Image,
    moments: Option<Vec<Moment>>,
    operations: usize,
    syncs: usize,
    faults: Vec<Fault>,
    protected: Vec<PathBuf>,
    held: BTreeSet<PathBuf>,
}

impl Default for Image {
    fn default() -> Self {
        let root = Node { mtime: 1, content: Content::new_folder() };
        Image { nodes: [(ROOT, Arc::new(root))].into(), next: ROOT + 1, time: 1, boot: 1 }
    }
}

impl Image {
    fn parts(path: &Path) -> Vec<String> {
        path.components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
                _ => None,
            })
            .collect()
    }

    fn find(&self, path: &Path) -> Option<u64> {
        Image::parts(path).iter().try_fold(ROOT, |node, name| match &self.nodes[&node].content {
            Content::Folder { names, .. } => names.get(name).copied(),
            Content::File { .. } => None,
        })
    }

    fn node(&mut self, number: u64) -> &mut Node {
        Arc::make_mut(self.nodes.get_mut(&number).expect("names lead to nodes"))
    }

    fn file(&self, path: &Path) -> io::Result<u64> {
        let node = self.find(path).ok_or_else(|| missing(path))?;
        match self.nodes[&node].content {
            Content::File { .. } => Ok(node),
            Content::Folder { .. } => Err(io::Error::new(io::ErrorKind::IsADirectory, display(path))),
        }
    }

    fn folder(&self, path: &Path) -> io::Result<u64> {
        let node = self.find(path).ok_or_else(|| missing(path))?;
        match self.nodes[&node].content {
            Content::Folder { .. } => Ok(node),
            Content::File { .. } => Err(io::Error::new(io::ErrorKind::NotADirectory, display(path))),
        }
    }

    fn make(&mut self, content: Content) -> u64 {
        let number = self.next;
        self.next += 1;
        self.time += 1;
        self.nodes.insert(number, Arc::new(Node { mtime: self.time, content }));
        number
    }

    fn rename_in(&mut self, folder: u64, naming: Naming) {
        self.time += 1;
        let time = self.time;
        let node = self.node(folder);
        node.mtime = time;
        if let Content::Folder { names, pending, .. } = &mut node.content {
            apply_naming(names, &naming);
            pending.push(naming);
        }
    }

    fn change(&mut self, file: u64, change: Change) {
        self.time += 1;
        let time = self.time;
        let node = self.node(file);
        node.mtime = time;
        if let Content::File { bytes, pending, .. } = &mut node.content {
            apply_change(bytes, &change);
            pending.push(change);
        }
    }

    fn sync(&mut self, number: u64) {
        match &mut self.node(number).content {
            Content::File { durable, bytes, pending } => {
                durable.clone_from(bytes);
                pending.clear();
            }
            Content::Folder { durable, names, pending } => {
                durable.clone_from(names);
                pending.clear();
            }
        }
    }

    fn looks(&self, number: u64) -> Looks {
        let node = &self.nodes[&number];
        let (size, is_folder) = match &node.content {
            Content::File { bytes, .. } => (bytes.len() as u64, false),
            Content::Folder { .. } => (0, true),
        };
        Looks { size, mtime: node.mtime, inode: number, is_folder, is_file: !is_folder }
    }

    /// The disk as it comes up after a power loss. Seed 0 keeps nothing that was not synced and seed 1 everything; others roll dice.
    pub fn after_power_loss(&self, seed: u64) -> Image {
        let mut dice = Dice::new(seed);
        let mut image = self.clone();
        for node in image.nodes.values_mut() {
            let node = Arc::make_mut(node);
            match &mut node.content {
                Content::File { durable, bytes, pending } => {
                    for change in pending.drain(..) {
                        if let Some(survivor) = survivor(change, seed, &mut dice) {
                            apply_change(durable, &survivor);
                        }
                    }
                    bytes.clone_from(durable);
                }
                Content::Folder { durable, names, pending } => {
                    for naming in pending.drain(..) {
                        if seed == 1 || (seed != 0 && dice.flip()) {
                            apply_naming(durable, &naming);
                        }
                    }
                    names.clone_from(durable);
                }
            }
        }
        image.forget_unreachable();
        image.boot += 1;
        image
    }

    fn forget_unreachable(&mut self) {
        let mut reached = BTreeSet::new();
        let mut next = vec![ROOT];
        while let Some(number) = next.pop() {
            if reached.insert(number)
                && let Content::Folder { names, .. } = &self.nodes[&number].content
            {
                next.extend(names.values());
            }
        }
        self.nodes.retain(|number, _| reached.contains(number));
    }

    /// A number that is the same for two disks that hold the same, whatever their clocks say.
    pub fn content_hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.boot.hash(&mut hasher);
        for (number, node) in &self.nodes {
            number.hash(&mut hasher);
            node.content.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Every file with its bytes, by path.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut found = Vec::new();
        let mut next = vec![(String::new(), ROOT)];
        while let Some((path, number)) = next.pop() {
            match &self.nodes[&number].content {
                Content::File { bytes, .. } => found.push((path, bytes.clone())),
                Content::Folder { names, .. } => {
                    next.extend(names.iter().map(|(name, node)| (format!("{path}/{name}"), *node)));
                }
            }
        }
        found.sort();
        found
    }

    /// How many changes a power loss could take.
    pub fn unsynced(&self) -> usize {
        let pending = |node: &Arc<Node>| match &node.content {
            Content::File { pending, .. } => pending.len(),
            Content::Folder { pending, .. } => pending.len(),
        };
        self.nodes.values().map(pending).sum()
    }
}

/// What is left of a change that was under way.
fn survivor(change: Change, seed: u64, dice: &mut Dice) -> Option<Change> {
    if seed < 2 {
        return (seed == 1).then_some(change);
    }
    match change {
        Change::Truncate { .. } => dice.flip().then_some(change),
        Change::Append { at, bytes } => {
            let cut = dice.below(bytes.len() + 1);
            let bytes = match dice.below(10) {
                0..=2 => return None,
                3..=5 => bytes,
                6 | 7 => bytes[..cut].to_vec(),
                // The length arrived and the bytes did not, or not all of them.
                8 => vec![0; bytes.len()],
                _ => bytes[..cut].iter().copied().chain(std::iter::repeat_n(0, bytes.len() - cut)).collect(),
            };
            Some(Change::Append { at, bytes })
        }
    }
}

fn apply_change(bytes: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Append { at, bytes: new } => {
            if bytes.len() < at + new.len() {
                bytes.resize(at + new.len(), 0);
            }
            bytes[*at..at + new.len()].copy_from_slice(new);
        }
        Change::Truncate { length } => bytes.truncate(*length),
    }
}

fn apply_naming(names: &mut BTreeMap<String, u64>, naming: &Naming) {
    match naming {
        Naming::Add { name, node } => {
            names.insert(name.clone(), *node);
        }
        Naming::Rename { from, to, node } => {
            names.remove(from);
            names.insert(to.clone(), *node);
        }
        Naming::Remove { name } => {
            names.remove(name);
        }
    }
}

fn display(path: &Path) -> String {
    path.display().to_string()
}

fn missing(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, display(path))
}

impl Machine {
    /// One change of the disk, unless something goes wrong with it.
    fn step(&mut self, what: String, path: &Path, change: impl FnOnce(&mut Image)) -> io::Result<()> {
        if self.protected.iter().any(|protected| path.starts_with(protected)) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, display(path)));
        }
        let mut failed = None;
        for fault in &mut self.faults {
            if let Fault::Operation { number, kind } = fault {
                match number.checked_sub(1) {
                    Some(less) => *number = less,
                    None => failed = Some(*kind),
                }
            }
        }
        if let Some(kind) = failed {
            self.faults.retain(|fault| !matches!(fault, Fault::Operation { number: 0, .. }));
            return Err(io::Error::new(kind, what));
        }
        change(&mut self.image);
        self.operations += 1;
        self.record(what, false);
        Ok(())
    }

    fn record(&mut self, what: String, within: bool) {
        if let Some(moments) = &mut self.moments {
            moments.push(Moment { what, image: self.image.clone(), within });
        }
    }

    fn make_folders(&mut self, path: &Path) -> io::Result<()> {
        let mut at = PathBuf::from("/");
        for name in Image::parts(path) {
            let above = self.image.folder(&at)?;
            at.push(&name);
            if self.image.find(&at).is_none() {
                self.step(format!("make folder {}", display(&at)), &at.clone(), |image| {
                    let node = image.make(Content::new_folder());
                    image.rename_in(above, Naming::Add { name, node });
                })?;
            }
        }
        Ok(())
    }

    /// The file at a path, created if needed, with its folders.
    fn open(&mut self, path: &Path) -> io::Result<u64> {
        if let Some(node) = self.image.find(path) {
            return self.image.file(path).map(|_| node);
        }
        let (folder, name) = split(path)?;
        self.make_folders(folder)?;
        let above = self.image.folder(folder)?;
        self.step(format!("create {}", display(path)), path, |image| {
            let node = image.make(Content::new_file());
            image.rename_in(above, Naming::Add { name, node });
        })?;
        self.image.file(path)
    }

    fn write(&mut self, path: &Path, file: u64, bytes: &[u8]) -> io::Result<()> {
        let room = self.faults.iter_mut().find_map(|fault| match fault {
            Fault::FullAfter { bytes } => Some(bytes),
            Fault::Sync { .. } | Fault::Operation { .. } => None,
        });
        let fits = room.map_or(bytes.len(), |room| {
            let fits = bytes.len().min(*room);
            *room -= fits;
            fits
        });
        let at = usize::try_from(self.image.looks(file).size).map_err(io::Error::other)?;
        if self.moments.is_some() && fits > 1 {
            // A killed process may have written a part.
            let whole = self.image.clone();
            self.image.change(file, Change::Append { at, bytes: bytes[..fits / 2].to_vec() });
            self.record(format!("write half of {} bytes to {}", bytes.len(), display(path)), true);
            self.image = whole;
        }
        if fits > 0 {
            self.step(format!("write {fits} bytes to {}", display(path)), path, |image| {
                image.change(file, Change::Append { at, bytes: bytes[..fits].to_vec() });
            })?;
        }
        if fits < bytes.len() {
            return Err(io::Error::new(io::ErrorKind::StorageFull, display(path)));
        }
        Ok(())
    }

    fn sync(&mut self, path: &Path, node: u64) -> io::Result<()> {
        let mut fails = false;
        for fault in &mut self.faults {
            if let Fault::Sync { number } = fault {
                match number.checked_sub(1) {
                    Some(less) => *number = less,
                    None => fails = true,
                }
            }
        }
        if fails {
            self.faults.retain(|fault| !matches!(fault, Fault::Sync { number: 0 }));
            return Err(io::Error::other(format!("sync of {} failed", display(path))));
        }
        self.syncs += 1;
        self.step(format!("sync {}", display(path)), path, |image| image.sync(node))
    }
}

fn split(path: &Path) -> io::Result<(&Path, String)> {
    let name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    path.parent().zip(name).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, display(path)))
}

impl Default for SimDisk {
    fn default() -> Self {
        SimDisk::from_image(Image::default())
    }
}

impl SimDisk {
    /// A disk that holds something already.
    pub fn from_image(image: Image) -> Self {
        let machine = Machine {
            image,
            moments: None,
            operations: 0,
            syncs: 0,
            faults: Vec::new(),
            protected: Vec::new(),
            held: BTreeSet::new(),
        };
        SimDisk { machine: Arc::new(Mutex::new(machine)) }
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What is on it now.
    pub fn image(&self) -> Image {
        self.machine().image.clone()
    }

    /// Pulls the plug and starts the machine again: what was not synced may be gone. Locks are free, and the disk is sound again.
    pub fn crash(&self, seed: u64) {
        let mut machine = self.machine();
        machine.image = machine.image.after_power_loss(seed);
        machine.held.clear();
        machine.faults.clear();
        machine.record(format!("power loss with seed {seed}"), false);
    }

    /// Makes everything durable, as an orderly shutdown does.
    pub fn sync_everything(&self) {
        let mut machine = self.machine();
        let all: Vec<u64> = machine.image.nodes.keys().copied().collect();
        for node in all {
            machine.image.sync(node);
        }
    }

    /// Begins to keep every moment from now on; this one is the first.
    pub fn record(&self) {
        let mut machine = self.machine();
        machine.moments = Some(Vec::new());
        machine.record("begin".to_owned(), false);
    }

    /// How many moments were kept so far.
    pub fn moments_count(&self) -> usize {
        self.machine().moments.as_ref().map_or(0, Vec::len)
    }

    /// The moments that were kept, and no more from now on.
    pub fn take_moments(&self) -> Vec<Moment> {
        self.machine().moments.take().unwrap_or_default()
    }

    /// How many changes were made.
    pub fn operations(&self) -> usize {
        self.machine().operations
    }

    /// How many times something was synced.
    pub fn syncs(&self) -> usize {
        self.machine().syncs
    }

    /// Lets something go wrong.
    pub fn inject(&self, fault: Fault) {
        self.machine().faults.push(fault);
    }

    /// Nothing goes wrong any more.
    pub fn mend(&self) {
        self.machine().faults.clear();
    }

    /// Writes a file beside another and renames it to it, as the real disk does.
    fn write_beside(&self, path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
        let mut machine = self.machine();
        let (folder, name) = split(path)?;
        let temporary_name = format!(".{name}.{:08x}.tmp", machine.operations);
        let temporary = path.with_file_name(&temporary_name);
        let file = machine.open(&temporary)?;
        let written = machine.write(&temporary, file, bytes).and_then(|()| {
            if sync {
                machine.sync(&temporary, file)?;
            }
            let above = machine.image.folder(folder)?;
            machine.step(format!("rename to {}", display(path)), path, |image| {
                image.rename_in(above, Naming::Rename { from: temporary_name, to: name, node: file });
            })
        });
        drop(machine);
        if written.is_err() {
            let _ = self.remove(&temporary);
        }
        written
    }

    /// Refuses every change at and below a path, as a sandbox does.
    pub fn protect(&self, path: &Path) {
        self.machine().protected.push(path.to_owned());
    }

    /// Allows every change again.
    pub fn unprotect(&self) {
        self.machine().protected.clear();
    }
}

/// A lock of the simulated disk; free when dropped.
struct Held {
    disk: SimDisk,
    path: PathBuf,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.disk.machine().held.remove(&self.path);
    }
}

impl Disk for SimDisk {
    fn read(&self, path: &Path, offset: u64) -> io::Result<Vec<u8>> {
        let machine = self.machine();
        let file = machine.image.file(path)?;
        let Content::File { bytes, .. } = &machine.image.nodes[&file].content else {
            unreachable!("checked by `file`")
        };
        Ok(bytes.get(usize::try_from(offset).map_err(io::Error::other)?..).unwrap_or_default().to_vec())
    }

    fn read_exact(&self, path: &Path, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = self.read(path, offset)?;
        let length = usize::try_from(length).map_err(io::Error::other)?;
        if bytes.len() < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.truncate(length);
        Ok(bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut machine = self.machine();
        let file = machine.open(path)?;
        machine.write(path, file, bytes)
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.write_beside(path, bytes, false)
    }

    fn replace_synced(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.write_beside(path, bytes, true)?;
        self.sync_folder(split(path)?.0)
    }

    fn truncate(&self, path: &Path, length: u64) -> io::Result<()> {
        let mut machine = self.machine();
        let file = machine.image.file(path)?;
        let length = usize::try_from(length).map_err(io::Error::other)?;
        machine.step(format!("cut {} to {length} bytes", display(path)), path, |image| {
            image.change(file, Change::Truncate { length });
        })
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        let mut machine = self.machine();
        let file = machine.image.file(path)?;
        machine.sync(path, file)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let mut machine = self.machine();
        let folder = machine.image.folder(path)?;
        machine.sync(path, folder)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut machine = self.machine();
        machine.image.file(path)?;
        let (folder, name) = split(path)?;
        let above = machine.image.folder(folder)?;
        machine.step(format!("remove {}", display(path)), path, |image| {
            image.rename_in(above, Naming::Remove { name });
        })
    }

    fn looks(&self, path: &Path) -> io::Result<Looks> {
        let machine = self.machine();
        let node = machine.image.find(path).ok_or_else(|| missing(path))?;
        Ok(machine.image.looks(node))
    }

    fn names(&self, path: &Path) -> io::Result<Vec<(String, Looks)>> {
        let machine = self.machine();
        let Some(node) = machine.image.find(path) else { return Ok(Vec::new()) };
        match &machine.image.nodes[&node].content {
            Content::Folder { names, .. } => {
                Ok(names.iter().map(|(name, node)| (name.clone(), machine.image.looks(*node))).collect())
            }
            Content::File { .. } => Err(io::Error::new(io::ErrorKind::NotADirectory, display(path))),
        }
    }

    /// Never waits: tests on this disk are single-threaded, so waiting would be for ever.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send>> {
        let mut machine = self.machine();
        if machine.protected.iter().any(|protected| path.starts_with(protected)) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, display(path)));
        }
        machine.open(path)?;
        if !machine.held.insert(path.to_owned()) {
            return Err(io::Error::new(io::ErrorKind::Deadlock, format!("{} is held", display(path))));
        }
        Ok(Box::new(Held { disk: self.clone(), path: path.to_owned() }))
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn Send>>> {
        match self.lock(path) {
            Ok(held) => Ok(Some(held)),
            Err(error) if error.kind() == io::ErrorKind::Deadlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn boot(&self) -> String {
        format!("b{:07}", self.machine().image.boot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk() -> SimDisk {
        let disk = SimDisk::default();
        disk.append(Path::new("/a/old"), b"old").unwrap();
        disk.sync_everything();
        disk
    }

    fn contents(image: &Image, path: &str) -> Option<String> {
        let files = image.files();
        files.into_iter().find(|(name, _)| name == path).map(|(_, bytes)| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_synced_file_without_a_synced_name_can_vanish() {
        let disk = disk();
        disk.append(Path::new("/a/new"), b"new").unwrap();
        disk.sync(Path::new("/a/new")).unwrap();
        assert_eq!(contents(&disk.image().after_power_loss(0), "/a/new"), None);
        disk.sync_folder(Path::new("/a")).unwrap();
        assert_eq!(contents(&disk.image().after_power_loss(0), "/a/new").as_deref(), Some("new"));
        assert_eq!(disk.syncs(), 2);
    }

    #[test]
    fn a_synced_name_of_an_unsynced_file_can_come_up_empty() {
        let disk = disk();
        disk.replace(Path::new("/a/old"), b"newer").unwrap();
        disk.sync_folder(Path::new("/a")).unwrap();
        assert_eq!(contents(&disk.image().after_power_loss(0), "/a/old").as_deref(), Some(""));
        assert_eq!(contents(&disk.image().after_power_loss(1), "/a/old").as_deref(), Some("newer"));
    }

    #[test]
    fn every_kind_of_loss_happens_to_an_append() {
        let disk = disk();
        disk.append(Path::new("/a/old"), b"+one").unwrap();
        disk.append(Path::new("/a/old"), b"+two").unwrap();
        let found: BTreeSet<String> =
            (0..400).filter_map(|seed| contents(&disk.image().after_power_loss(seed), "/a/old")).collect();
        for wanted in
            ["old", "old+one", "old+one+two", "old+o", "old\0\0\0\0+two", "old\0\0\0\0", "old+on\0+two"]
        {
            assert!(found.contains(wanted), "{wanted:?} is not in {found:?}");
        }
        assert!(found.iter().all(|text| text.starts_with("old")), "synced bytes stay: {found:?}");
    }

    #[test]
    fn an_unsynced_folder_takes_what_is_in_it_along() {
        let disk = disk();
        disk.append(Path::new("/a/b/c"), b"c").unwrap();
        disk.sync(Path::new("/a/b/c")).unwrap();
        disk.sync_folder(Path::new("/a/b")).unwrap();
        assert_eq!(disk.image().after_power_loss(0).files().len(), 1);
        disk.sync_folder(Path::new("/a")).unwrap();
        assert_eq!(disk.image().after_power_loss(0).files().len(), 2);
    }

    #[test]
    fn a_full_disk_takes_what_fits_and_locks_are_free_when_dropped() {
        let disk = disk();
        disk.inject(Fault::FullAfter { bytes: 2 });
        let error = disk.append(Path::new("/a/old"), b"1234").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(contents(&disk.image(), "/a/old").as_deref(), Some("old12"));
        assert!(disk.replace(Path::new("/a/old"), b"x").is_err());
        assert_eq!(disk.names(Path::new("/a")).unwrap().len(), 1, "no temporary file is left");
        disk.mend();
        let held = disk.lock(Path::new("/a/lock")).unwrap();
        assert!(disk.lock(Path::new("/a/lock")).is_err());
        drop(held);
        assert!(disk.lock(Path::new("/a/lock")).is_ok());
    }

    #[test]
    fn a_fault_strikes_once_and_leaves_nothing() {
        let disk = disk();
        disk.inject(Fault::Operation { number: 1, kind: io::ErrorKind::Other });
        disk.append(Path::new("/a/old"), b"1").unwrap();
        assert!(disk.append(Path::new("/a/old"), b"2").is_err());
        disk.append(Path::new("/a/old"), b"3").unwrap();
        disk.inject(Fault::Sync { number: 0 });
        assert!(disk.sync(Path::new("/a/old")).is_err());
        assert_eq!(contents(&disk.image().after_power_loss(0), "/a/old").as_deref(), Some("old"));
        disk.sync(Path::new("/a/old")).unwrap();
        assert_eq!(contents(&disk.image().after_power_loss(0), "/a/old").as_deref(), Some("old13"));
        assert_ne!(SimDisk::from_image(disk.image().after_power_loss(0)).boot(), disk.boot());
    }
}
