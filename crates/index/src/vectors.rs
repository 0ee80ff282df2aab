//! Vectors by the hash of their text, in the clone's folder: made once, kept through every rebuild, shared by all worktrees.
//!
//! One folder per model, so that vectors of different models never meet. Three files grow together: `keys` (hash of the text,
//! scale, checksum), `codes` (a byte a dimension) and `signs` (a bit a dimension). A vector counts when its key is whole and its
//! checksum is right; whatever a crash left behind is made anew. All of it can be deleted: `id` tells a list that was begun anew, and
//! `verified` how the files looked when all checksums were last looked at.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::limits::VECTORS_TOGETHER;
use ken_recall::vectors::{Code, Vectors, encode, sign_bytes};

/// The hash of a text whose vector is kept.
pub type TextHash = [u8; 16];

/// Hash, scale, checksum.
const KEY_BYTES: usize = 16 + 4 + 4;

/// The vectors of one model.
pub struct VectorFile {
    folder: PathBuf,
    dimensions: usize,
    keys: Vec<u8>,
    /// The slots by hash, of as many keys as were looked at.
    by_hash: HashMap<TextHash, u32>,
    hashed: usize,
    /// All signs, once they were asked for.
    signs: OnceCell<Vec<u8>>,
    /// How the files looked when every vector was as it was written.
    verified: RefCell<Option<[FileState; 3]>>,
    /// A vector that is not as it was written was compared.
    met_damage: Cell<bool>,
}

/// How a file looks: what changes when somebody writes to it.
type FileState = Option<(u64, SystemTime)>;

/// The file that says how the others looked when every vector was as it was written.
const VERIFIED: &str = "verified";

/// How the files look, as that file says it.
fn state_text(state: [FileState; 3]) -> String {
    let file = |state: FileState| {
        let (bytes, changed) = state.unwrap_or((0, SystemTime::UNIX_EPOCH));
        let since = changed.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        format!("{bytes} {}\n", since.as_nanos())
    };
    state.map(file).concat()
}

/// The hash of a text.
pub fn text_hash(text: &str) -> TextHash {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    short
}

impl VectorFile {
    /// The vectors of a model below a clone's folder. A missing folder is an empty list.
    pub fn open(home: &Path, model: &str, dimensions: usize) -> VectorFile {
        let mut file = VectorFile {
            folder: home.join("vectors").join(format!("{}.{dimensions}", folder_name(model))),
            dimensions,
            keys: Vec::new(),
            by_hash: HashMap::new(),
            hashed: 0,
            signs: OnceCell::new(),
            verified: RefCell::new(None),
            met_damage: Cell::new(false),
        };
        file.refresh();
        file
    }

    /// The dimensions of the vectors that are kept for a model; none where there are none, or of more than one length.
    pub fn known_dimensions(home: &Path, model: &str) -> Option<usize> {
        let folders = fs::read_dir(home.join("vectors")).ok()?;
        let names = folders.flatten().filter_map(|folder| folder.file_name().into_string().ok());
        let model = folder_name(model);
        let mut known = names.filter_map(|name| name.strip_prefix(&model)?.strip_prefix('.')?.parse().ok());
        let first = known.next()?;
        known.next().is_none().then_some(first)
    }

    /// Looks at what other processes added.
    pub fn refresh(&mut self) {
        let whole = self.len_on_disk();
        if whole == self.len() {
            return;
        }
        if whole < self.len() {
            self.keys.clear();
            self.by_hash.clear();
            self.hashed = 0;
        }
        // A list only grows: what was read stays as it is.
        let known = self.keys.len();
        let mut more = vec![0; whole * KEY_BYTES - known];
        let read =
            File::open(self.folder.join("keys")).and_then(|file| read_at(&file, &mut more, known as u64));
        if read.is_ok() {
            self.keys.append(&mut more);
        }
        self.signs = OnceCell::new();
    }

    /// How many whole vectors the files hold now.
    pub fn len_on_disk(&self) -> usize {
        let length =
            |name: &str| fs::metadata(self.folder.join(name)).map_or(0, |looks| looks.len() as usize);
        (length("keys") / KEY_BYTES)
            .min(length("codes") / self.dimensions.max(1))
            .min(length("signs") / sign_bytes(self.dimensions).max(1))
    }

    fn key(&self, slot: usize) -> &[u8] {
        &self.keys[slot * KEY_BYTES..(slot + 1) * KEY_BYTES]
    }

    /// The slots of some texts, where their vectors are kept and sound.
    pub fn find(&mut self, texts: &[TextHash]) -> Vec<Option<u32>> {
        const SEARCHED_ONE_BY_ONE_MAX: usize = 8;
        let found: Vec<Option<u32>> = if texts.len() <= SEARCHED_ONE_BY_ONE_MAX {
            // The latest is the likeliest.
            let slot = |text: &TextHash| {
                (0..self.len()).rev().find(|slot| self.key(*slot)[..16] == text[..]).map(|slot| slot as u32)
            };
            texts.iter().map(slot).collect()
        } else {
            for slot in self.hashed..self.len() {
                let mut text = TextHash::default();
                text.copy_from_slice(&self.key(slot)[..16]);
                self.by_hash.insert(text, slot as u32);
            }
            self.hashed = self.len();
            // A slot may have been taken out since it was looked at.
            let is_there = |text: &TextHash, slot: u32| self.key(slot as usize)[..16] == text[..];
            let slot = |text: &TextHash| self.by_hash.get(text).copied().filter(|slot| is_there(text, *slot));
            texts.iter().map(slot).collect()
        };
        found.into_iter().map(|slot| slot.filter(|slot| self.is_sound(*slot))).collect()
    }

    /// Whether a vector is as it was written.
    pub fn is_sound(&self, slot: u32) -> bool {
        let at = slot as usize;
        if at >= self.len() {
            return false;
        }
        let key = self.key(at);
        let Some((bytes, signs)) = self.bytes(slot).zip(self.signs_of(at)) else { return false };
        checksum(&key[..20], &bytes, &signs)[..] == key[20..]
    }

    fn signs_of(&self, slot: usize) -> Option<Vec<u8>> {
        let mut signs = vec![0; sign_bytes(self.dimensions)];
        let file = File::open(self.folder.join("signs")).ok()?;
        read_at(&file, &mut signs, (slot * sign_bytes(self.dimensions)) as u64).ok()?;
        Some(signs)
    }

    /// Slots that are not as they were written. What was taken out is no damage.
    pub fn damaged(&self) -> Vec<u32> {
        let before = self.state();
        // What was read earlier may have been sound then.
        let Some((all, signs)) = self.read_codes().zip(self.read_signs()) else {
            return (0..self.len() as u32).collect();
        };
        let damaged = self.damaged_rows(&all, &signs);
        match damaged.is_empty() {
            true => self.set_verified(before),
            false => {
                *self.verified.borrow_mut() = None;
                // Where it cannot be deleted, who compares all of them is not told; who reads one is.
                let _ = fs::remove_file(self.folder.join(VERIFIED));
            }
        }
        damaged
    }

    /// Whether every vector was as it was written when the files looked so: found out by this process, or by one before it.
    fn is_verified(&self, state: [FileState; 3]) -> bool {
        *self.verified.borrow() == Some(state)
            || fs::read_to_string(self.folder.join(VERIFIED)).is_ok_and(|known| known == state_text(state))
    }

    /// Remembers that, also for the next process. Where that cannot be written, the next one looks again.
    fn set_verified(&self, state: [FileState; 3]) {
        *self.verified.borrow_mut() = Some(state);
        let _ = fs::write(self.folder.join(VERIFIED), state_text(state));
    }

    fn damaged_rows(&self, codes: &[i8], signs: &[u8]) -> Vec<u32> {
        let rows = codes.chunks_exact(self.dimensions).zip(signs.chunks_exact(sign_bytes(self.dimensions)));
        let is_damaged =
            |(slot, (row, signs)): &(usize, (&[i8], &[u8]))| !self.is_as_written(*slot, row, signs);
        rows.enumerate().filter(is_damaged).map(|(slot, _)| slot as u32).collect()
    }

    /// Whether the parts of a vector belong together. What was taken out is none.
    fn is_as_written(&self, slot: usize, code: &[i8], signs: &[u8]) -> bool {
        let key = self.key(slot);
        checksum(&key[..20], code, signs)[..] == key[20..] || key.iter().all(|byte| *byte == 0)
    }

    /// Whether a vector was compared that is not as it was written, since this was asked last.
    pub fn take_damage(&self) -> bool {
        self.met_damage.take()
    }

    /// The same, without forgetting it.
    pub fn has_met_damage(&self) -> bool {
        self.met_damage.get()
    }

    /// Notes that a vector was found damaged.
    pub fn note_damage(&self) {
        self.met_damage.set(true);
    }

    fn state(&self) -> [FileState; 3] {
        ["keys", "codes", "signs"].map(|name| {
            let looks = fs::metadata(self.folder.join(name)).ok()?;
            Some((looks.len(), looks.modified().ok()?))
        })
    }

    /// Looks at the checksum of every vector.
    fn verify(&self, state: [FileState; 3], codes: &[i8]) {
        let is_sound = self.read_signs().is_some_and(|signs| self.damaged_rows(codes, &signs).is_empty());
        if is_sound {
            self.set_verified(state);
        } else {
            self.met_damage.set(true);
        }
    }

    fn read_codes(&self) -> Option<Vec<i8>> {
        let mut bytes = vec![0; self.len() * self.dimensions];
        File::open(self.folder.join("codes")).ok()?.read_exact(&mut bytes).ok()?;
        Some(signed(bytes))
    }

    /// Reads the codes into memory that is used again for every piece: fresh memory for all of them takes longer than comparing them.
    fn read_pieces(&self, take: &mut dyn FnMut(&[i8])) -> io::Result<()> {
        let mut file = File::open(self.folder.join("codes"))?;
        let mut bytes = vec![0; VECTORS_TOGETHER.min(self.len()) * self.dimensions];
        let mut left = self.len() * self.dimensions;
        while left > 0 {
            bytes.truncate(left);
            file.read_exact(&mut bytes)?;
            let codes = signed(bytes);
            take(&codes);
            left -= codes.len();
            bytes = unsigned(codes);
        }
        Ok(())
    }

    fn read_signs(&self) -> Option<Vec<u8>> {
        let mut bytes = vec![0; self.len() * sign_bytes(self.dimensions)];
        File::open(self.folder.join("signs")).ok()?.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Keeps vectors and answers their slots. Those of another length are refused as a whole.
    pub fn append(&mut self, vectors: &[(TextHash, Vec<f32>)]) -> io::Result<Vec<u32>> {
        if let Some((_, odd)) = vectors.iter().find(|(_, vector)| vector.len() != self.dimensions) {
            let problem = format!("a vector has {} dimensions; {} are wanted", odd.len(), self.dimensions);
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        fs::create_dir_all(&self.folder)?;
        let lock = File::create(self.folder.join("lock"))?;
        fs4::FileExt::lock(&lock)?;
        self.refresh();
        let was_verified = self.is_verified(self.state());
        let first = self.len();
        if first == 0 {
            let mut nonce = [0; 8];
            getrandom::fill(&mut nonce).map_err(io::Error::other)?;
            fs::write(self.folder.join("id"), format!("{:016x}", u64::from_le_bytes(nonce)))?;
        }
        let codes: Vec<Code> = vectors.iter().map(|(_, vector)| encode(vector)).collect();
        let bytes: Vec<u8> =
            codes.iter().flat_map(|code| code.bytes.iter().map(|byte| *byte as u8)).collect();
        let signs: Vec<u8> = codes.iter().flat_map(|code| code.signs.iter().copied()).collect();
        let mut keys = Vec::with_capacity(vectors.len() * KEY_BYTES);
        for ((text, _), code) in vectors.iter().zip(&codes) {
            let start = keys.len();
            keys.extend_from_slice(text);
            keys.extend_from_slice(&code.scale.to_le_bytes());
            let sum = checksum(&keys[start..], &code.bytes, &code.signs);
            keys.extend_from_slice(&sum);
        }
        // The keys come last: what has no key was never there, and is written over.
        self.write_at("codes", first * self.dimensions, &bytes)?;
        self.write_at("signs", first * sign_bytes(self.dimensions), &signs)?;
        self.write_at("keys", first * KEY_BYTES, &keys)?;
        self.keys.extend_from_slice(&keys);
        self.signs = OnceCell::new();
        if was_verified {
            self.set_verified(self.state());
        }
        Ok((first as u32..self.len() as u32).collect())
    }

    /// The vectors of every model below a clone's folder.
    pub fn all(home: &Path) -> Vec<VectorFile> {
        let folders = fs::read_dir(home.join("vectors")).into_iter().flatten().flatten();
        folders
            .filter_map(|folder| {
                let name = folder.file_name().into_string().ok()?;
                let (model, dimensions) = name.rsplit_once('.')?;
                Some(VectorFile::open(home, model, dimensions.parse().ok()?))
            })
            .collect()
    }

    /// Takes the bytes of some texts' vectors out (STO-13).
    pub fn forget(&mut self, texts: &[TextHash]) -> io::Result<()> {
        let known = |slot: &usize| texts.iter().any(|text| self.key(*slot)[..16] == text[..]);
        let slots: Vec<usize> = (0..self.len()).filter(known).collect();
        slots.into_iter().try_for_each(|slot| self.take_out(slot))
    }

    /// Takes the bytes of one vector out.
    pub fn take_out(&mut self, slot: usize) -> io::Result<()> {
        if slot >= self.len() {
            return Ok(());
        }
        let signs = sign_bytes(self.dimensions);
        self.overwrite("codes", slot * self.dimensions, &vec![0; self.dimensions])?;
        self.overwrite("signs", slot * signs, &vec![0; signs])?;
        self.overwrite("keys", slot * KEY_BYTES, &[0; KEY_BYTES])?;
        self.keys[slot * KEY_BYTES..(slot + 1) * KEY_BYTES].fill(0);
        self.signs = OnceCell::new();
        Ok(())
    }

    fn write_at(&self, name: &str, offset: usize, bytes: &[u8]) -> io::Result<()> {
        let mut file =
            OpenOptions::new().create(true).write(true).truncate(false).open(self.folder.join(name))?;
        file.set_len(offset as u64)?;
        file.seek(SeekFrom::Start(offset as u64))?;
        file.write_all(bytes)
    }

    fn overwrite(&self, name: &str, offset: usize, bytes: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).open(self.folder.join(name))?;
        file.seek(SeekFrom::Start(offset as u64))?;
        file.write_all(bytes)
    }

    /// Names this list: one that was deleted and begun anew has another name, and slots of the old one mean nothing in it.
    pub fn identity(&self) -> String {
        let id = fs::read_to_string(self.folder.join("id")).unwrap_or_default();
        format!("{} {id}", self.dimensions)
    }

    /// Copies the files to the place of another list, which has none yet.
    pub fn copy_to(&self, other: &VectorFile) -> io::Result<()> {
        fs::create_dir_all(&other.folder)?;
        for name in ["id", "codes", "signs", "keys"] {
            fs::copy(self.folder.join(name), other.folder.join(name))?;
        }
        Ok(())
    }

    /// How many numbers each has.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The folder that holds them.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens the codes for many reads of single vectors.
    pub fn codes(&self) -> Option<Codes<'_>> {
        Some(Codes { vectors: self, file: File::open(self.folder.join("codes")).ok()? })
    }
}

/// The name of a model as part of a folder's name.
fn folder_name(model: &str) -> String {
    model.chars().map(|c| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '_' }).collect()
}

fn checksum(key: &[u8], code: &[i8], signs: &[u8]) -> [u8; 4] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(key);
    let mut bytes = [0; 512];
    for part in code.chunks(bytes.len()) {
        bytes.iter_mut().zip(part).for_each(|(byte, code)| *byte = *code as u8);
        hasher.update(&bytes[..part.len()]);
    }
    hasher.update(signs);
    let mut short = [0; 4];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..4]);
    short
}

fn signed(bytes: Vec<u8>) -> Vec<i8> {
    bytes.into_iter().map(|byte| byte as i8).collect()
}

fn unsigned(codes: Vec<i8>) -> Vec<u8> {
    codes.into_iter().map(|code| code as u8).collect()
}

/// The vectors with their file held open.
pub struct Codes<'a> {
    vectors: &'a VectorFile,
    file: File,
}

/// Reads some bytes of a file from a place on.
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

/// Reads some bytes of a file from a place on.
#[cfg(not(unix))]
fn read_at(mut file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(bytes)
}

impl Vectors for Codes<'_> {
    fn len(&self) -> usize {
        self.vectors.len()
    }

    fn bytes(&self, slot: u32) -> Option<Vec<i8>> {
        let mut bytes = vec![0; self.vectors.dimensions];
        read_at(&self.file, &mut bytes, u64::from(slot) * self.vectors.dimensions as u64).ok()?;
        let bytes = signed(bytes);
        let width = sign_bytes(self.vectors.dimensions);
        let signs = self.vectors.all_signs()?;
        let own = signs.get(slot as usize * width..(slot as usize + 1) * width)?;
        if !self.vectors.is_as_written(slot as usize, &bytes, own) {
            self.vectors.met_damage.set(true);
        }
        Some(bytes)
    }

    fn each_piece(&self, take: &mut dyn FnMut(&[i8])) -> bool {
        self.vectors.each_piece(take)
    }

    fn all_signs(&self) -> Option<Cow<'_, [u8]>> {
        self.vectors.all_signs()
    }

    fn scale(&self, slot: u32) -> f32 {
        self.vectors.scale(slot)
    }
}

impl Vectors for VectorFile {
    fn len(&self) -> usize {
        self.keys.len() / KEY_BYTES
    }

    fn bytes(&self, slot: u32) -> Option<Vec<i8>> {
        self.codes()?.bytes(slot)
    }

    fn each_piece(&self, take: &mut dyn FnMut(&[i8])) -> bool {
        let state = self.state();
        if self.is_verified(state) {
            return self.read_pieces(take).is_ok();
        }
        let Some(codes) = self.read_codes() else { return false };
        self.verify(state, &codes);
        take(&codes);
        true
    }

    fn all_signs(&self) -> Option<Cow<'_, [u8]>> {
        if self.signs.get().is_none() {
            let mut bytes = fs::read(self.folder.join("signs")).ok()?;
            let wanted = self.len() * sign_bytes(self.dimensions);
            if bytes.len() < wanted {
                return None;
            }
            bytes.truncate(wanted);
            drop(self.signs.set(bytes));
        }
        self.signs.get().map(|signs| signs.as_slice().into())
    }

    fn scale(&self, slot: u32) -> f32 {
        let key = self.key(slot as usize);
        f32::from_le_bytes(key[16..20].try_into().expect("a scale has four bytes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(seed: f32) -> Vec<f32> {
        (0..384).map(|at| (at as f32 * seed).sin()).collect()
    }

    #[test]
    fn vectors_are_found_by_the_hash_of_their_text_after_reopening() {
        let home = tempfile::tempdir().unwrap();
        let mut file = VectorFile::open(home.path(), "model", 384);
        let texts: Vec<TextHash> = ["a", "b", "c"].map(text_hash).to_vec();
        let slots = file.append(&[(texts[0], vector(0.1)), (texts[1], vector(0.2))]).unwrap();
        assert_eq!(slots, [0, 1]);
        let mut again = VectorFile::open(home.path(), "model", 384);
        assert_eq!(again.find(&texts), [Some(0), Some(1), None]);
        assert!(again.cosine(&vector(0.2), 1) > 0.999);
        assert_eq!(VectorFile::open(home.path(), "other", 384).len(), 0, "models never meet");
        assert_eq!(VectorFile::open(home.path(), "model", 768).len(), 0, "nor do dimensions");
        assert!(file.append(&[(texts[2], vec![1.0; 3])]).is_err());
    }

    #[test]
    fn the_dimensions_of_a_model_are_known_from_what_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let known = |model: &str| VectorFile::known_dimensions(home.path(), model);
        assert_eq!(known("a:b"), None);
        VectorFile::open(home.path(), "a:b", 384).append(&[(text_hash("a"), vector(0.1))]).unwrap();
        VectorFile::open(home.path(), "a:b.1", 3).append(&[(text_hash("a"), vec![0.1; 3])]).unwrap();
        assert_eq!((known("a:b"), known("a:b.1"), known("a")), (Some(384), Some(3), None));
        let known_as = VectorFile::open(home.path(), "a:b", 384).identity();
        assert_eq!(VectorFile::open(home.path(), "a:b", 384).identity(), known_as);
        fs::remove_dir_all(VectorFile::open(home.path(), "a:b", 384).folder()).unwrap();
        VectorFile::open(home.path(), "a:b", 384).append(&[(text_hash("a"), vector(0.1))]).unwrap();
        assert_ne!(VectorFile::open(home.path(), "a:b", 384).identity(), known_as, "begun anew");
        VectorFile::open(home.path(), "a:b", 2).append(&[(text_hash("a"), vec![0.1; 2])]).unwrap();
        assert_eq!(known("a:b"), None, "neither is more right than the other");
    }

    #[test]
    fn damage_and_torn_ends_are_seen_and_written_over() {
        let home = tempfile::tempdir().unwrap();
        let mut file = VectorFile::open(home.path(), "model", 384);
        let texts: Vec<TextHash> = ["a", "b"].map(text_hash).to_vec();
        file.append(&[(texts[0], vector(0.1)), (texts[1], vector(0.2))]).unwrap();
        let codes = file.folder().join("codes");
        let mut bytes = fs::read(&codes).unwrap();
        bytes[10] ^= 0x40;
        fs::write(&codes, &bytes).unwrap();
        assert_eq!(file.find(&texts), [None, Some(1)]);
        assert_eq!(file.damaged(), [0]);
        fs::write(&codes, &bytes[..500]).unwrap();
        let mut torn = VectorFile::open(home.path(), "model", 384);
        assert_eq!(torn.len(), 1);
        assert_eq!(torn.append(&[(texts[1], vector(0.2))]).unwrap(), [1]);
        assert_eq!(torn.find(&texts), [None, Some(1)]);
    }

    #[test]
    fn comparing_notices_damage_once_the_files_changed() {
        let home = tempfile::tempdir().unwrap();
        let mut file = VectorFile::open(home.path(), "model", 384);
        let some: Vec<_> = (0..3).map(|at| (text_hash(&at.to_string()), vector(at as f32 + 0.1))).collect();
        file.append(&some).unwrap();
        file.codes().unwrap().cosines(&vector(0.2));
        assert!(!file.take_damage());
        for (name, at) in [("keys", 24 + 17), ("codes", 384 + 3), ("signs", 48 + 5)] {
            let path = file.folder().join(name);
            let whole = fs::read(&path).unwrap();
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(&path, &bytes).unwrap();
            let again = VectorFile::open(home.path(), "model", 384);
            again.codes().unwrap().cosines(&vector(0.2));
            assert!(again.take_damage(), "{name}");
            assert!(!again.take_damage(), "it is told once");
            assert_eq!(again.damaged(), [1], "{name}");
            // In a long list single vectors are read.
            again.codes().unwrap().cosine(&vector(0.2), 1);
            assert!(again.take_damage(), "{name}");
            again.codes().unwrap().cosine(&vector(0.2), 2);
            assert!(!again.take_damage(), "{name}");
            fs::write(&path, &whole).unwrap();
        }
        let again = VectorFile::open(home.path(), "model", 384);
        again.codes().unwrap().cosines(&vector(0.2));
        assert!(!again.take_damage());
    }

    #[test]
    fn vectors_that_are_read_in_pieces_are_compared_like_one_by_one() {
        let home = tempfile::tempdir().unwrap();
        for count in [VECTORS_TOGETHER - 1, VECTORS_TOGETHER, 2 * VECTORS_TOGETHER + 3] {
            let mut file = VectorFile::open(home.path(), &format!("model{count}"), 384);
            let hash = |at: usize| text_hash(&at.to_string());
            let some: Vec<_> = (0..count).map(|at| (hash(at), vector(at as f32 / 100.0 + 0.1))).collect();
            file.append(&some).unwrap();
            assert_eq!(file.damaged(), [0_u32; 0], "from now on they are not looked at again");
            let (codes, meaning) = (file.codes().unwrap(), vector(0.2));
            let alone: Vec<f32> = (0..count as u32).map(|slot| codes.cosine(&meaning, slot)).collect();
            assert_eq!(codes.cosines(&meaning), alone, "{count}");
        }
    }

    #[test]
    fn a_forgotten_vector_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let mut file = VectorFile::open(home.path(), "model", 384);
        let text = text_hash("secret");
        file.append(&[(text, vector(0.3))]).unwrap();
        file.forget(&[text]).unwrap();
        assert_eq!(VectorFile::open(home.path(), "model", 384).find(&[text]), [None]);
        assert!(fs::read(file.folder().join("codes")).unwrap().iter().all(|byte| *byte == 0));
        assert_eq!(file.damaged(), [] as [u32; 0], "what was taken out is no damage");
    }

    #[test]
    fn a_text_is_forgotten_by_every_model() {
        let home = tempfile::tempdir().unwrap();
        let texts = ["secret", "other"].map(text_hash);
        for model in ["one", "two"] {
            let mut file = VectorFile::open(home.path(), model, 384);
            file.append(&[(texts[0], vector(0.3)), (texts[1], vector(0.4)), (texts[0], vector(0.3))])
                .unwrap();
        }
        VectorFile::all(home.path()).iter_mut().for_each(|file| file.forget(&texts[..1]).unwrap());
        for model in ["one", "two"] {
            let mut file = VectorFile::open(home.path(), model, 384);
            assert_eq!(file.find(&texts), [None, Some(1)]);
            assert_eq!(file.damaged(), [] as [u32; 0]);
        }
    }
}
