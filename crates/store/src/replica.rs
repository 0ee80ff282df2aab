//! Which clone this is. A copied clone notices and takes a new name (STO-6).

use std::io;
use std::path::Path;

use ken_core::ReplicaId;
use serde::{Deserialize, Serialize};

use crate::disk::Disk;

#[derive(Serialize, Deserialize)]
struct Known {
    id: ReplicaId,
    /// The folder's number on its file system: a copy has another one.
    folder: u64,
}

/// The name of this clone, if it has written before and was not copied since.
pub fn read(disk: &dyn Disk, home: &Path) -> Option<ReplicaId> {
    let known: Known = serde_json::from_slice(&disk.read(&home.join("replica"), 0).ok()?).ok()?;
    (known.folder == disk.looks(home).ok()?.inode).then_some(known.id)
}

/// Whether there is a name that belongs to the clone this one was copied from.
pub fn was_copied(disk: &dyn Disk, home: &Path) -> bool {
    disk.looks(&home.join("replica")).is_ok() && read(disk, home).is_none()
}

/// The name of this clone, chosen now if it has none.
pub fn read_or_choose(disk: &dyn Disk, home: &Path) -> io::Result<ReplicaId> {
    if let Some(id) = read(disk, home) {
        return Ok(id);
    }
    let _held = disk.lock(&home.join("replica.lock"))?;
    if let Some(id) = read(disk, home) {
        return Ok(id);
    }
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    let known = Known { id: ReplicaId(bytes), folder: disk.looks(home)?.inode };
    // Once in the life of a clone: a name that a power loss empties would look like a copied clone's.
    disk.replace_synced(&home.join("replica"), ken_core::canonical::to_string(&known).as_bytes())?;
    Ok(known.id)
}
