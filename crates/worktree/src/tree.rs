//! A tree of files as conditions and anchors see it: the port, and the one in memory.

use std::collections::BTreeMap;
use std::rc::Rc;

use sha1::{Digest, Sha1};

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    Absent,
    Folder,
    File {
        /// Its git blob id.
        blob: String,
        size: u64,
    },
    /// There is something, and this is why it cannot be judged.
    Unknown(Unjudged),
}

/// Why something cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unjudged {
    /// It is there: too large, no plain file, unreadable.
    There(String),
    /// It belongs to the repository, and this tree lacks it: sparse checkout, submodule, partial clone.
    Elsewhere(String),
}

impl Look {
    /// Whether something is there for sure, readable or not.
    pub fn is_there(&self) -> bool {
        match self {
            Look::Folder | Look::File { .. } | Look::Unknown(Unjudged::There(_)) => true,
            Look::Absent | Look::Unknown(Unjudged::Elsewhere(_)) => false,
        }
    }

    pub(crate) fn there(why: String) -> Look {
        Look::Unknown(Unjudged::There(why))
    }

    pub(crate) fn elsewhere(why: String) -> Look {
        Look::Unknown(Unjudged::Elsewhere(why))
    }
}

impl Unjudged {
    /// Why, as a sentence about the path.
    pub fn why(&self) -> &str {
        match self {
            Unjudged::There(why) | Unjudged::Elsewhere(why) => why,
        }
    }
}

impl std::fmt::Display for Unjudged {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.why())
    }
}

/// A tree of files. Paths are relative to its root, with `/` between their parts; a path that leaves it is never followed.
///
/// A tree may remember what it saw: one that is asked twice may give the first answer again. Nothing is promised about files that change
/// meanwhile.
pub trait Tree {
    /// What is at a path.
    fn look(&mut self, path: &str) -> Look;

    /// The bytes of a file; none where there is no file. The error says why it cannot be read, as a sentence about the path.
    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, String>;

    /// The files of the tree, sorted, without those that git ignores and those of the store.
    fn list(&mut self) -> Result<Rc<[String]>, String>;

    /// Why the listing lacks files that the repository has; none where it lacks none. What is not found in it may then still be there.
    fn unlisted(&mut self) -> Option<String> {
        None
    }

    /// When a path was last changed, in seconds since the epoch; none where nobody can tell.
    fn since(&mut self, path: &str) -> Option<i64>;
}

/// The id that git gives to some bytes in a repository with SHA-1 names.
pub fn blob_id(bytes: &[u8]) -> String {
    let mut hasher = blob_hasher(bytes.len() as u64);
    hasher.update(bytes);
    hex(&hasher.finalize())
}

/// A hasher that has been told how long the bytes will be.
pub(crate) fn blob_hasher(size: u64) -> Sha1 {
    let mut hasher = Sha1::new();
    hasher.update(format!("blob {size}\0").as_bytes());
    hasher
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

/// Whether a path can be followed at all: relative, no empty parts, no way up.
pub(crate) fn is_inside(path: &str) -> bool {
    ken_core::fields::relative_path(path).is_ok()
        && !path.contains('\\')
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Whether some part of a path is git's own folder.
pub(crate) fn is_gits_own(path: &str) -> bool {
    path.split('/').any(|part| part.eq_ignore_ascii_case(".git"))
}

/// Whether a path belongs to the store.
pub(crate) fn is_stores(path: &str) -> bool {
    path == ".kenning" || path.starts_with(".kenning/")
}

/// How large something is, for messages.
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

/// A tree in memory, for tests and for texts that lie nowhere.
#[derive(Clone, Debug, Default)]
pub struct MemoryTree {
    files: BTreeMap<String, Vec<u8>>,
    unknown: BTreeMap<String, Unjudged>,
    since: BTreeMap<String, i64>,
    listing: Option<Rc<[String]>>,
}

impl MemoryTree {
    /// A tree with some files.
    pub fn new(files: &[(&str, &str)]) -> MemoryTree {
        let mut tree = MemoryTree::default();
        for (path, text) in files {
            tree.put(path, text.as_bytes());
        }
        tree
    }

    /// Writes a file.
    pub fn put(&mut self, path: &str, bytes: &[u8]) {
        self.files.insert(path.to_owned(), bytes.to_vec());
        self.listing = None;
    }

    /// Deletes a file.
    pub fn remove(&mut self, path: &str) {
        self.files.remove(path);
        self.listing = None;
    }

    /// Says that something at a path cannot be judged.
    pub fn hide(&mut self, path: &str, why: Unjudged) {
        self.unknown.insert(path.to_owned(), why);
    }

    /// Says when a path was last changed, in seconds.
    pub fn changed_at(&mut self, path: &str, seconds: i64) {
        self.since.insert(path.to_owned(), seconds);
    }
}

impl Tree for MemoryTree {
    fn look(&mut self, path: &str) -> Look {
        if let Some(why) = self.unknown.get(path) {
            return Look::Unknown(why.clone());
        }
        if let Some(bytes) = self.files.get(path) {
            return Look::File { blob: blob_id(bytes), size: bytes.len() as u64 };
        }
        let below = format!("{path}/");
        let mut next = self.files.range(below.clone()..);
        match next.next().is_some_and(|(found, _)| found.starts_with(&below)) {
            true => Look::Folder,
            false => Look::Absent,
        }
    }

    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, String> {
        match self.unknown.get(path) {
            Some(why) => Err(why.why().to_owned()),
            None => Ok(self.files.get(path).cloned()),
        }
    }

    fn list(&mut self) -> Result<Rc<[String]>, String> {
        let files = &self.files;
        let listing = self
            .listing
            .get_or_insert_with(|| files.keys().filter(|path| !is_stores(path)).cloned().collect());
        Ok(Rc::clone(listing))
    }

    fn since(&mut self, path: &str) -> Option<i64> {
        self.since.get(path).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blob_ids_are_those_of_git() {
        assert_eq!(blob_id(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(blob_id(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
    }

    #[test]
    fn paths_stay_inside() {
        for path in ["a", "a/b.rs", ".github/x", "a b/c"] {
            assert!(is_inside(path), "{path}");
        }
        for path in ["", "/a", "../a", "a/../b", "a//b", "./a", "a\\b", "a/"] {
            assert!(!is_inside(path), "{path}");
        }
        assert!(is_gits_own("a/.GIT/config") && !is_gits_own(".github/x"));
    }

    #[test]
    fn a_tree_in_memory_has_folders() {
        let mut tree = MemoryTree::new(&[("src/a.rs", "x"), ("src-b/a.rs", "y")]);
        assert_eq!(tree.look("src"), Look::Folder);
        assert_eq!(tree.look("sr"), Look::Absent);
        assert!(tree.look("src/a.rs").is_there());
        assert_eq!(tree.list().unwrap().len(), 2);
    }
}
