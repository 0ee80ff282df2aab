//! The working tree: the files as they lie there now, whether git knows them or not.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha1::Digest;

use crate::commit::{too_large, too_many};
use crate::git::Git;
use crate::history::History;
use crate::ignored::IgnoreRules;
use crate::limits::{FILE_BYTES_MAX, LISTED_FILES_MAX, RACY_NANOS};
use crate::links::{self, Way};
use crate::tree::{Look, Tree, blob_hasher, hex, is_gits_own, is_inside, is_stores};

/// The files below a folder. Nothing outside of it is ever read; every part of a path is looked at before it is followed.
pub struct WorkingTree {
    /// Without symbolic links.
    root: PathBuf,
    git: Option<Git>,
    /// Where the root lies below git's working tree: empty, or with a `/` at its end.
    below_git: String,
    known: HashMap<String, KnownBlob>,
    learned: bool,
    looks: HashMap<String, Look>,
    folders: HashMap<String, Place>,
    listing: Option<Rc<[String]>>,
    unlisted: usize,
    elsewhere: Option<Elsewhere>,
    /// What git was asked for already.
    listed: Option<Asked>,
    staged: Option<Asked>,
    changed: Option<HashSet<String>>,
    history: Option<History>,
    ignored: Option<IgnoreRules>,
}

/// What git answers, once it does.
type Asked = std::thread::JoinHandle<Option<Vec<u8>>>;

/// How a file looks from outside. If it looks the same, it is the same, unless it was changed just before (see [`RACY_NANOS`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// When its bytes were last written, in nanoseconds since the epoch.
    pub modified: i64,
    /// When anything about it last changed, in nanoseconds since the epoch; 0 where the system does not say.
    pub changed: i64,
    /// Its number on the disk; 0 where the system does not say.
    pub inode: u64,
}

/// The blob id of a file, and how the file looked when it was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KnownBlob {
    /// How it looked.
    pub stamp: Stamp,
    /// The git blob id of its bytes.
    pub blob: String,
    /// When it was taken, in nanoseconds since the epoch.
    pub at: i64,
}

impl KnownBlob {
    /// Whether the file cannot have changed since without looking different.
    fn is_settled(&self) -> bool {
        self.stamp.modified.max(self.stamp.changed) <= self.at.saturating_sub(RACY_NANOS)
    }
}

/// Where a path leads, on the disk.
#[derive(Clone)]
enum Place {
    /// To something real inside the root.
    At(PathBuf),
    Nowhere,
    /// To something that is not followed, and why.
    Closed(String),
    /// Below such a thing: nobody knows whether anything is there.
    Beyond(String),
}

/// What git's index has and the disk lacks.
#[derive(Default)]
struct Elsewhere {
    sparse: BTreeSet<String>,
    submodules: Vec<String>,
}

impl WorkingTree {
    /// The tree below a folder, with the blob ids that an earlier one knew.
    pub fn new(root: &Path, git: Option<&Git>, known: HashMap<String, KnownBlob>) -> WorkingTree {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let top = git.map(|git| git.work_tree.canonicalize().unwrap_or_else(|_| git.work_tree.clone()));
        let below = top.and_then(|top| Some(root.strip_prefix(top).ok()?.to_str()?.replace('\\', "/")));
        WorkingTree {
            root,
            // A root outside of git's tree is a folder like any other.
            git: git.filter(|_| below.is_some()).cloned(),
            below_git: below.filter(|below| !below.is_empty()).map_or_else(String::new, |below| below + "/"),
            known,
            learned: false,
            looks: HashMap::new(),
            folders: HashMap::new(),
            listing: None,
            unlisted: 0,
            elsewhere: None,
            listed: None,
            staged: None,
            changed: None,
            history: None,
            ignored: None,
        }
    }

    /// Tells it a blob id that an earlier tree knew. What it found out itself counts more.
    pub fn know(&mut self, path: &str, known: KnownBlob) {
        self.known.entry(path.to_owned()).or_insert(known);
    }

    /// Whether a file has some content.
    pub fn has(&mut self, path: &str, blob: &str) -> bool {
        if !self.looks.contains_key(path) {
            self.look(path);
        }
        matches!(self.looks.get(path), Some(Look::File { blob: found, .. }) if found == blob)
    }

    /// Whether git ignores a file, or the one that a link leads to.
    pub fn is_ignored(&mut self, path: &str) -> bool {
        let real = match self.place(path) {
            Place::At(at) => at.strip_prefix(&self.root).ok().and_then(Path::to_str).map(str::to_owned),
            Place::Nowhere | Place::Closed(_) | Place::Beyond(_) => None,
        };
        let rules = self.ignored.get_or_insert_with(|| IgnoreRules::new(&self.root, self.git.as_ref()));
        let below_git = &self.below_git;
        let mut is_ignored =
            |path: &str| rules.is_ignored(&format!("{below_git}{}", path.replace('\\', "/")));
        is_ignored(path) || real.filter(|real| real != path).is_some_and(|real| is_ignored(&real))
    }

    /// The blob ids to keep for the next tree.
    pub fn known(&self) -> &HashMap<String, KnownBlob> {
        &self.known
    }

    /// Whether [`WorkingTree::known`] differs from what it began with.
    pub fn has_learned(&self) -> bool {
        self.learned
    }

    /// The blob ids to keep for the next tree.
    pub fn into_known(self) -> HashMap<String, KnownBlob> {
        self.known
    }

    /// Follows a path part by part. Folders are followed once.
    fn place(&mut self, path: &str) -> Place {
        let (folder, name) = match path.rsplit_once('/') {
            Some((folder, name)) => (self.folder(folder), name),
            None => (Place::At(self.root.clone()), path),
        };
        match folder {
            Place::At(folder) => self.step(&folder, name, path),
            Place::Nowhere => Place::Nowhere,
            Place::Closed(why) | Place::Beyond(why) => Place::Beyond(why),
        }
    }

    fn folder(&mut self, path: &str) -> Place {
        if let Some(place) = self.folders.get(path) {
            return place.clone();
        }
        let place = self.place(path);
        self.folders.insert(path.to_owned(), place.clone());
        place
    }

    fn step(&self, folder: &Path, name: &str, path: &str) -> Place {
        let at = folder.join(name);
        let looks = match fs::symlink_metadata(&at) {
            Ok(looks) => looks,
            Err(error) => return closed_by(path, &error),
        };
        if !looks.file_type().is_symlink() {
            // Disks that take `A` for `a` would find what a commit does not have.
            let differs = cfg!(any(windows, target_os = "macos"))
                && at.canonicalize().is_ok_and(|real| real.file_name().is_some_and(|real| real != name));
            return if differs { Place::Nowhere } else { Place::At(at) };
        }
        let real = match links::follow(&self.root, folder, Path::new(name)) {
            Ok(Way::At(real)) => real,
            Ok(Way::Nowhere) => return Place::Nowhere,
            Ok(Way::Outside) => {
                return Place::Closed(format!("{path} is a symbolic link that leaves the repository"));
            }
            Err(error) => return closed_by(path, &error),
        };
        let inside = real.strip_prefix(&self.root).unwrap_or(&real);
        match is_gits_own(&inside.to_string_lossy().replace('\\', "/")) {
            true => Place::Closed(format!("{path} is a symbolic link into the .git folder")),
            false => Place::At(real),
        }
    }

    /// Looks at the disk.
    fn look_anew(&mut self, path: &str) -> Look {
        if !is_inside(path) {
            return Look::Absent;
        }
        if is_gits_own(path) {
            return match self.root.join(path).symlink_metadata() {
                Ok(_) => Look::there(format!("{path} is inside the .git folder")),
                Err(_) => Look::Absent,
            };
        }
        let at = match self.place(path) {
            Place::At(at) => at,
            Place::Nowhere => return self.absent(path),
            Place::Closed(why) => return Look::there(why),
            Place::Beyond(why) => return Look::elsewhere(why),
        };
        let looks = match fs::symlink_metadata(&at) {
            Ok(looks) => looks,
            Err(error) => {
                return match closed_by(path, &error) {
                    Place::Closed(why) => Look::there(why),
                    Place::Beyond(why) => Look::elsewhere(why),
                    Place::At(_) | Place::Nowhere => self.absent(path),
                };
            }
        };
        if looks.is_dir() {
            return Look::Folder;
        }
        if !looks.is_file() {
            return Look::there(format!("{path} is not a regular file"));
        }
        if looks.len() > FILE_BYTES_MAX {
            return too_large(path, looks.len());
        }
        let stamp = stamp(&looks);
        if let Some(known) = self.known.get(path).filter(|known| known.stamp == stamp && known.is_settled()) {
            return Look::File { blob: known.blob.clone(), size: stamp.size };
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64);
        let hashed = open(&at, &looks).and_then(|file| {
            let mut hasher = blob_hasher(looks.len());
            let length = std::io::copy(&mut file.take(looks.len() + 1), &mut Into(&mut hasher))?;
            match length == looks.len() {
                true => Ok(hex(&hasher.finalize())),
                false => Err(std::io::Error::other("it changed while it was read")),
            }
        });
        match hashed {
            Ok(blob) => {
                self.learned = true;
                self.known.insert(path.to_owned(), KnownBlob { stamp, blob: blob.clone(), at: now });
                Look::File { blob, size: stamp.size }
            }
            Err(error) => Look::there(format!("{path} cannot be read: {error}")),
        }
    }

    /// Nothing is on the disk. Git may know why.
    fn absent(&mut self, path: &str) -> Look {
        if self.known.remove(path).is_some() {
            self.learned = true;
        }
        let in_git = format!("{}{path}", self.below_git);
        let below = format!("{in_git}/");
        let git = self.git.as_ref();
        let staged = self.staged.take();
        let elsewhere = self.elsewhere.get_or_insert_with(|| {
            let listed = match staged {
                Some(staged) => staged.join().ok().flatten(),
                None => git.and_then(|git| git.bytes(STAGED).ok()),
            };
            elsewhere(&listed.unwrap_or_default())
        });
        let mut inside = elsewhere.sparse.range(below.clone()..);
        if elsewhere.sparse.contains(&in_git) || inside.next().is_some_and(|found| found.starts_with(&below))
        {
            return Look::elsewhere(format!("{path} is outside the sparse checkout"));
        }
        let closed = elsewhere.submodules.iter().find(|folder| {
            let is_in = in_git
                .strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            is_in && git.is_some_and(|git| !git.work_tree.join(folder).join(".git").exists())
        });
        match closed {
            Some(_) => Look::elsewhere(format!("{path} is in a submodule that is not checked out")),
            None => Look::Absent,
        }
    }

    /// Asks git, while others work, for what a look at the whole tree will want to know.
    pub fn begin(&mut self) {
        let Some(git) = &self.git else { return };
        let ask = |words: &'static [&'static str]| {
            let git = git.clone();
            std::thread::spawn(move || git.bytes(words).ok())
        };
        (self.listed, self.staged) = (Some(ask(LISTED)), Some(ask(STAGED)));
    }

    fn listing(&mut self) -> Result<Vec<String>, String> {
        let listed = match self.listed.take() {
            Some(listed) => listed.join().ok().flatten(),
            None => self.git.as_ref().and_then(|git| git.bytes(LISTED).ok()),
        };
        let Some(listed) = listed else { return self.walk() };
        let mut files = Vec::new();
        for item in listed.split(|byte| *byte == 0) {
            let text = String::from_utf8_lossy(item);
            let Some((tag, path)) = text.split_once(' ') else { continue };
            let Some(path) = path.strip_prefix(&self.below_git) else { continue };
            // A folder at the end is a repository of its own.
            if path.ends_with('/') || is_stores(path) {
                continue;
            }
            match tag {
                "S" => self.unlisted += 1,
                _ => files.push(path.to_owned()),
            }
        }
        // Git knows files that are gone, and those in conflict several times.
        files.sort_unstable();
        files.dedup();
        files.retain(|path| !matches!(self.place(path), Place::Nowhere));
        if files.len() > LISTED_FILES_MAX {
            return Err(too_many());
        }
        Ok(files)
    }

    /// Lists without git, as git would.
    fn walk(&self) -> Result<Vec<String>, String> {
        let mut files = Vec::new();
        let mut walk = ignore::WalkBuilder::new(&self.root);
        walk.hidden(false).follow_links(false).require_git(false).parents(false).git_global(false);
        walk.filter_entry(|entry| !matches!(entry.file_name().to_str(), Some(".git" | ".kenning")));
        for entry in walk.build().flatten() {
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            if let Some(path) = entry.path().strip_prefix(&self.root).ok().and_then(Path::to_str) {
                files.push(path.replace('\\', "/"));
            }
            if files.len() > LISTED_FILES_MAX {
                return Err(too_many());
            }
        }
        files.sort_unstable();
        Ok(files)
    }
}

/// Everything that is not ignored, each with a letter: `S` is outside the sparse checkout.
const LISTED: &[&str] = &["ls-files", "-t", "-c", "-o", "--exclude-standard", "-z"];
/// Everything that git knows, with its kind: it tells what is not checked out.
const STAGED: &[&str] = &["ls-files", "-s", "-t", "-z"];

impl Tree for WorkingTree {
    fn look(&mut self, path: &str) -> Look {
        if let Some(look) = self.looks.get(path) {
            return look.clone();
        }
        let look = self.look_anew(path);
        self.looks.insert(path.to_owned(), look.clone());
        look
    }

    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, String> {
        match self.look(path) {
            Look::File { .. } => {}
            Look::Absent | Look::Folder => return Ok(None),
            Look::Unknown(why) => return Err(why.to_string()),
        }
        let Place::At(at) = self.place(path) else { return Ok(None) };
        let bytes = fs::symlink_metadata(&at).and_then(|looks| open(&at, &looks)).and_then(|file| {
            let mut bytes = Vec::new();
            file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        });
        match bytes {
            Ok(bytes) if bytes.len() as u64 > FILE_BYTES_MAX => Err(format!("{path} grew while it was read")),
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) => Err(format!("{path} cannot be read: {error}")),
        }
    }

    fn list(&mut self) -> Result<Rc<[String]>, String> {
        if let Some(listing) = &self.listing {
            return Ok(Rc::clone(listing));
        }
        let listing: Rc<[String]> = self.listing()?.into();
        self.listing = Some(Rc::clone(&listing));
        Ok(listing)
    }

    fn unlisted(&mut self) -> Option<String> {
        // The listing is what counts them.
        self.list().ok()?;
        match self.unlisted {
            0 => None,
            1 => Some("one file is outside the sparse checkout".to_owned()),
            count => Some(format!("{count} files are outside the sparse checkout")),
        }
    }

    fn since(&mut self, path: &str) -> Option<i64> {
        let written = |tree: &mut Self| match tree.place(path) {
            Place::At(at) => {
                let modified = fs::symlink_metadata(at).ok()?.modified().ok()?;
                i64::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()
            }
            Place::Nowhere | Place::Closed(_) | Place::Beyond(_) => None,
        };
        let Some(git) = self.git.clone() else { return written(self) };
        let in_git = format!("{}{path}", self.below_git);
        let changed = self.changed.get_or_insert_with(|| uncommitted(&git));
        if !changed.contains(&in_git)
            && let Some(at) = self.history.get_or_insert_with(|| History::new(&git, "HEAD")).since(&in_git)
        {
            return Some(at);
        }
        written(self)
    }
}

/// Feeds a hasher.
struct Into<'a>(&'a mut sha1::Sha1);

impl std::io::Write for Into<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Opens what was looked at, and nothing that took its place meanwhile.
fn open(at: &Path, looks: &Metadata) -> std::io::Result<File> {
    let file = File::open(at)?;
    let now = file.metadata()?;
    match now.is_file() && stamp(&now).inode == stamp(looks).inode {
        true => Ok(file),
        false => Err(std::io::Error::other("it was replaced while it was opened")),
    }
}

fn closed_by(path: &str, error: &std::io::Error) -> Place {
    match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Place::Nowhere,
        _ => Place::Closed(format!("{path} cannot be read: {error}")),
    }
}

#[cfg(unix)]
fn stamp(looks: &Metadata) -> Stamp {
    use std::os::unix::fs::MetadataExt;
    let nanos = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
    Stamp {
        size: looks.len(),
        modified: nanos(looks.mtime(), looks.mtime_nsec()),
        changed: nanos(looks.ctime(), looks.ctime_nsec()),
        inode: looks.ino(),
    }
}

#[cfg(not(unix))]
fn stamp(looks: &Metadata) -> Stamp {
    let modified = looks.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Stamp {
        size: looks.len(),
        modified: modified.map_or(0, |since| since.as_nanos() as i64),
        changed: 0,
        inode: 0,
    }
}

/// Files of the index that the disk need not have.
fn elsewhere(listed: &[u8]) -> Elsewhere {
    let mut elsewhere = Elsewhere::default();
    for item in listed.split(|byte| *byte == 0) {
        let text = String::from_utf8_lossy(item);
        let Some((meta, path)) = text.split_once('\t') else { continue };
        if meta.contains(" 160000 ") || meta.starts_with("160000 ") {
            elsewhere.submodules.push(path.to_owned());
        } else if meta.starts_with("S ") {
            elsewhere.sparse.insert(path.to_owned());
        }
    }
    elsewhere
}

/// Files that differ from the commit that is checked out.
fn uncommitted(git: &Git) -> HashSet<String> {
    let listed = git
        .bytes_unfiltered(&["diff-index", "--name-only", "--no-renames", "-z", "HEAD", "--"])
        .unwrap_or_default();
    listed.split(|byte| *byte == 0).map(|path| String::from_utf8_lossy(path).into_owned()).collect()
}
