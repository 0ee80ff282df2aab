//! What was handed to agents by hooks and servers, in this clone: the counts behind `ken stats` (DOO-8).
//!
//! A line per delivery in a file of the clone's folder, appended without sync: it is a tally, not the ledger. Nothing of what was
//! asked or said is in it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use ken_core::Millis;
use serde::{Deserialize, Serialize};

use crate::limits::deliveries::BYTES_MAX;

/// The file, in the clone's folder; the other is what it was before it grew too long.
const FILE: &str = "deliveries.jsonl";
const OLDER: &str = "deliveries.old.jsonl";

/// How a delivery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Delivered {
    /// Entries were handed over.
    Hit,
    /// There was nothing that matters.
    Empty,
    /// It did its work; it is not there to hand anything over.
    Done,
    /// It went wrong; the host went on without.
    Error,
    /// The time limit passed; the host went on without.
    Late,
    /// Not tried: it had gone wrong too often.
    Skipped,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Delivery {
    pub at: i64,
    /// The door: `hook`, `mcp`.
    pub door: String,
    /// The host, as far as it is known.
    pub host: String,
    /// The hook's event, or the tool.
    pub what: String,
    /// How it ended.
    pub how: Delivered,
    /// Tokens handed over.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// Entries handed over, by their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<String>,
    /// How long it took, in thousandths of a second.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub millis: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The tally of a clone.
pub struct Deliveries {
    folder: PathBuf,
}

impl Deliveries {
    /// The tally in a clone's folder.
    pub fn open(clone_home: &Path) -> Deliveries {
        Deliveries { folder: clone_home.to_owned() }
    }

    /// Counts a delivery. A tally that cannot be kept stops nobody.
    pub fn count(&self, delivery: &Delivery) {
        drop(self.append(delivery));
    }

    fn append(&self, delivery: &Delivery) -> io::Result<()> {
        let mut line = serde_json::to_vec(delivery)?;
        line.push(b'\n');
        append(&self.folder, [FILE, OLDER], BYTES_MAX, &line)
    }

    /// Every delivery since a time, oldest first. Lines that cannot be read are left out.
    pub fn since(&self, from: Millis) -> Vec<Delivery> {
        let mut all = Vec::new();
        for name in [OLDER, FILE] {
            let path = self.folder.join(name);
            if !fs::metadata(&path).is_ok_and(|looks| looks.is_file()) {
                continue;
            }
            let Ok(file) = File::open(path) else { continue };
            let lines = BufReader::new(file).lines().map_while(Result::ok);
            let read = lines.filter_map(|line| serde_json::from_str::<Delivery>(&line).ok());
            all.extend(read.filter(|delivery| delivery.at >= from.0));
        }
        all
    }
}

/// Adds a line to a file of a clone's folder; one that grew too long becomes the older one. What is no plain file is left alone:
/// whoever opens a pipe waits for somebody at its other end.
pub(crate) fn append(folder: &Path, [file, older]: [&str; 2], bytes_max: u64, line: &[u8]) -> io::Result<()> {
    let path = folder.join(file);
    match fs::metadata(&path) {
        Ok(looks) if !looks.is_file() => {
            return Err(io::Error::other(format!("{file} is not a regular file")));
        }
        Ok(looks) if looks.len() > bytes_max => fs::rename(&path, folder.join(older))?,
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir_all(folder)?,
        Err(error) => return Err(error),
    }
    OpenOptions::new().create(true).append(true).open(path)?.write_all(line)
}
