//! Decapod keeps its entries in a database: its rows stand for the file.

use std::path::PathBuf;

use ken_formats::Format;

use super::disk::FoundFile;
use super::{FileNote, Folder};

/// Decapod's database of entries,
const DATABASE: &str = "knowledge.db";
/// and what its rows are called.
const ROWS: &str = ".jsonl";
const DATABASE_ROWS: &str = "knowledge.db.jsonl";

/// Decapod's database, where a path means its rows: no file of ours is beside it.
pub(super) fn of_rows(folder: &Folder, path: &str) -> Option<PathBuf> {
    let database = folder.at.join(path.strip_suffix(ROWS)?);
    (path.ends_with(DATABASE_ROWS) && database.is_file() && !folder.at.join(path).exists())
        .then_some(database)
}

/// Puts the rows of Decapod's database in the place of its file. Its other databases say what its ledgers say.
pub(super) fn rows_for(
    format: &dyn Format,
    folder: &Folder,
    files: Vec<FoundFile>,
    left_out: &mut Vec<FileNote>,
) -> Vec<FoundFile> {
    if format.word() != "decapod" {
        return files;
    }
    let mut kept = Vec::with_capacity(files.len());
    for mut found in files {
        let name = found.path.rsplit('/').next().unwrap_or(&found.path);
        if name == DATABASE && folder.at.join(format!("{}{ROWS}", found.path)).exists() {
            left_out
                .push(FileNote::new(&found.path, "has JSON Lines files beside it, which are read instead"));
        } else if name == DATABASE {
            found.path.push_str(ROWS);
            kept.push(found);
        } else if [".db", ".db-wal", ".db-shm"].iter().any(|ending| name.ends_with(ending)) {
            let why = "is a database that Decapod derives from its ledgers, which are read instead";
            left_out.push(FileNote::new(
                &found.path,
                if name.starts_with(DATABASE) { "belongs to knowledge.db" } else { why },
            ));
        } else {
            kept.push(found);
        }
    }
    kept
}
