//! What this clone remembers of purged secrets: enough to know one when it comes again, and nothing that says what it was.

use std::io;
use std::path::Path;

use ken_guard::known::KnownValue;

use crate::disk::Disk;

/// The file in a clone's folder, one value to a line.
const FILE: &str = "purged";

/// The values that were purged here. A line that cannot be read is none.
pub(crate) fn read(disk: &dyn Disk, home: &Path) -> Vec<KnownValue> {
    let bytes = disk.read(&home.join(FILE), 0).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// A text as it is remembered.
pub(crate) fn value_of(text: &str) -> io::Result<KnownValue> {
    let mut salt = [0_u8; 16];
    getrandom::fill(&mut salt).map_err(io::Error::other)?;
    Ok(KnownValue::new(text, salt))
}

/// Remembers one more, durably.
pub(crate) fn remember(disk: &dyn Disk, home: &Path, text: &str) -> io::Result<KnownValue> {
    let value = value_of(text)?;
    let path = home.join(FILE);
    let mut bytes = match disk.read(&path, 0) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    bytes.extend(serde_json::to_vec(&value).map_err(io::Error::other)?);
    bytes.push(b'\n');
    disk.replace_synced(&path, &bytes)?;
    Ok(value)
}
