//! Which clone this is. A copied clone notices and takes a new name (STO-6).

use std::io;
use std::path::Path;

use ken_core::ReplicaId;
use serde::{Deserialize, Serialize};

use crate::disk::Disk;

#[derive(Serialize, Deserialize)]
struct KnownReplica {
    id: ReplicaId,
    /// The folder's number on its file system: a copy has another one.
    folder: u64,
}

/// The name of this clone, if it has written before and was not copied since.
pub fn read(disk: &dyn Disk, home: &Path) -> io::Result<Option<ReplicaId>> {
    Ok(match kept(disk, home)? {
        Kept::Own(id) => Some(id),
        Kept::Foreign | Kept::None => None,
    })
}

/// Whether there is a name that belongs to the clone this one was copied from.
pub fn was_copied(disk: &dyn Disk, home: &Path) -> io::Result<bool> {
    Ok(matches!(kept(disk, home)?, Kept::Foreign))
}

/// The name that a clone's folder holds.
enum Kept {
    Own(ReplicaId),
    /// That of the clone this one was copied from, or one that nobody can read.
    Foreign,
    None,
}

fn kept(disk: &dyn Disk, home: &Path) -> io::Result<Kept> {
    let bytes = match disk.read(&home.join("replica"), 0) {
        Ok(bytes) => bytes,
        // Only a clone without a name gets one: whose name cannot be read has one all the same.
        Err(error) if is_nowhere(&error) => return Ok(Kept::None),
        Err(error) => return Err(error),
    };
    Ok(match serde_json::from_slice::<KnownReplica>(&bytes) {
        Ok(known) if known.folder == disk.looks(home)?.inode => Kept::Own(known.id),
        Ok(_) | Err(_) => Kept::Foreign,
    })
}

fn is_nowhere(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The name of this clone, chosen now if it has none.
pub fn read_or_choose(disk: &dyn Disk, home: &Path) -> io::Result<ReplicaId> {
    if let Some(id) = read(disk, home)? {
        return Ok(id);
    }
    let _held = disk.lock(&home.join("replica.lock"))?;
    match read(disk, home)? {
        Some(id) => Ok(id),
        None => choose(disk, home),
    }
}

/// Gives this clone another name if `is_needed`, which is asked while nobody else gives it one.
pub fn choose_again(
    disk: &dyn Disk,
    home: &Path,
    is_needed: impl FnOnce() -> bool,
) -> io::Result<Option<ReplicaId>> {
    let _held = disk.lock(&home.join("replica.lock"))?;
    if is_needed() { choose(disk, home).map(Some) } else { Ok(None) }
}

fn choose(disk: &dyn Disk, home: &Path) -> io::Result<ReplicaId> {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    let known = KnownReplica { id: ReplicaId(bytes), folder: disk.looks(home)?.inode };
    // Rarely more than once in the life of a clone: a name that a power loss empties would look like a copied clone's.
    disk.replace_synced(&home.join("replica"), ken_core::canonical::to_string(&known).as_bytes())?;
    Ok(known.id)
}
