//! What was found out about code, kept per worktree: how files looked, and what became of places and conditions.
//!
//! It is never a source. What is here was true of certain contents of certain files; who asks compares those first.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ken_core::answer::ConditionVerdict;
use ken_core::validity::Answer;
use ken_core::{PlaceVerdict, Verdict};
use rusqlite::{
    Connection, Error as SqlError, ErrorCode, OpenFlags, OptionalExtension, Result as SqlResult, params,
};

/// Raised whenever the tables, or how code is judged, change: a file of another number is thrown away.
const SCHEMA: i64 = 3;

const TABLES: &str = "
CREATE TABLE files(path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL, inode INTEGER NOT NULL,
  seen INTEGER NOT NULL, blob TEXT NOT NULL, generation INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE judgements(mark INTEGER PRIMARY KEY, kind TEXT NOT NULL, verdict TEXT NOT NULL, place TEXT, why TEXT NOT NULL, looked TEXT NOT NULL,
  lost INTEGER NOT NULL, listing INTEGER, generation INTEGER, words TEXT NOT NULL);
CREATE TABLE changes(mark INTEGER PRIMARY KEY, seconds INTEGER NOT NULL);
";

/// A file as it was last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenFile {
    /// Bytes.
    pub size: u64,
    /// When its content changed, in nanoseconds.
    pub mtime: i64,
    /// When anything about it changed.
    pub ctime: i64,
    /// Which file it is.
    pub inode: u64,
    /// When it was looked at, in nanoseconds.
    pub seen: i64,
    /// Its content.
    pub blob: String,
    /// The look at the whole tree in which it was found changed.
    pub generation: i64,
}

/// What was found out about a place or a condition, and what that rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What was found out.
    pub judged: Judged,
    /// The files that were read, with their contents then; an empty one was not there.
    pub looked: Vec<(String, String)>,
    /// It is not in its own file; where else it is was searched for.
    pub lost: bool,
    /// It depends on which files there are: a name of that list.
    pub listing: Option<u64>,
    /// It depends on everything that is in them: the look at the tree it was judged by.
    pub generation: Option<i64>,
    /// Words without which no file changes it.
    pub words: Vec<String>,
}

/// What a judgement is about, and what it came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// A place.
    Place(PlaceVerdict),
    /// A condition.
    Condition(Answer),
}

impl Judgement {
    /// What became of the place it is about; none where it is about a condition.
    pub fn place(&self) -> Option<&PlaceVerdict> {
        match &self.judged {
            Judged::Place(found) => Some(found),
            Judged::Condition(_) => None,
        }
    }
}

/// What the column `kind` says.
const PLACE: &str = "place";
const CONDITION: &str = "condition";

/// The judgements of one worktree.
pub struct Judgements {
    connection: Connection,
    path: PathBuf,
}

impl Judgements {
    /// Opens them, or begins anew where they are damaged. None where nothing can be kept, or somebody else is busy with them.
    pub fn open(path: &Path) -> Option<Judgements> {
        match Judgements::try_open(path) {
            Ok(kept) => Some(kept),
            Err(error) if is_damage(&error) => {
                discard(path);
                Judgements::try_open(path).ok()
            }
            Err(_) => None,
        }
    }

    /// Opens them without changing anything. None where there are none that can be read, or somebody is writing them.
    pub fn read_only(path: &Path) -> Option<Judgements> {
        if beside(path, "-wal").exists() {
            return None;
        }
        // Whoever only reads leaves files beside it otherwise.
        let address = format!("file:{}?immutable=1", in_address(path.to_str()?));
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(address, flags).ok()?;
        let schema: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).ok()?;
        (schema == number(path)).then(|| Judgements { connection, path: path.to_owned() })
    }

    fn try_open(path: &Path) -> SqlResult<Judgements> {
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(std::time::Duration::from_millis(500))?;
        // It can be found out again: losing it costs time alone.
        connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL;")?;
        let schema: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if schema != number(path) {
            let tx = connection.transaction()?;
            tx.execute_batch(
                "DROP TABLE IF EXISTS files; DROP TABLE IF EXISTS judgements; DROP TABLE IF EXISTS changes;",
            )?;
            tx.execute_batch(TABLES)?;
            tx.pragma_update(None, "user_version", number(path))?;
            tx.commit()?;
        }
        Ok(Judgements { connection, path: path.to_owned() })
    }

    /// Every file that was seen.
    pub fn files(&self) -> SqlResult<HashMap<String, SeenFile>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT path, size, mtime, ctime, inode, seen, blob, generation FROM files")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, seen_file(row)?)))?;
        rows.collect()
    }

    /// One file.
    pub fn file(&self, path: &str) -> SqlResult<Option<SeenFile>> {
        let sql = "SELECT path, size, mtime, ctime, inode, seen, blob, generation FROM files WHERE path = ?";
        self.connection.prepare_cached(sql)?.query_row([path], seen_file).optional()
    }

    /// One judgement.
    pub fn get(&self, mark: u64) -> SqlResult<Option<Judgement>> {
        let sql = "SELECT mark, kind, verdict, place, why, looked, lost, listing, generation, words FROM judgements WHERE mark = ?";
        self.connection.prepare_cached(sql)?.query_row([mark as i64], judgement).optional()
    }

    /// Places that are not where or not as they were captured: the mark of each with its verdict.
    pub fn not_fresh(&self) -> SqlResult<Vec<(u64, Verdict)>> {
        let sql = "SELECT mark, verdict FROM judgements WHERE kind = 'place' AND verdict IN ('broken', 'drifted', 'moved')";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            let word = row.get_ref(1)?.as_str()?;
            Ok((row.get::<_, i64>(0)? as u64, Verdict::from_word(word).ok_or_else(|| unknown(1, word))?))
        })?;
        rows.collect()
    }

    /// When a content of a file came to be, in seconds.
    pub fn changed_at(&self, mark: u64) -> SqlResult<Option<i64>> {
        let sql = "SELECT seconds FROM changes WHERE mark = ?";
        self.connection.prepare_cached(sql)?.query_row([mark as i64], |row| row.get(0)).optional()
    }

    /// Every judgement.
    pub fn all(&self) -> SqlResult<HashMap<u64, Judgement>> {
        let sql = "SELECT mark, kind, verdict, place, why, looked, lost, listing, generation, words FROM judgements";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)? as u64, judgement(row)?)))?;
        rows.collect()
    }

    /// The latest look at the whole tree that anything here speaks of; files that are gone may have been the only ones it changed.
    pub fn latest(&self) -> SqlResult<i64> {
        let sql = "SELECT MAX(generation) FROM (SELECT generation FROM files UNION ALL SELECT generation FROM judgements)";
        let latest: Option<i64> = self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        Ok(latest.unwrap_or(0))
    }

    /// Keeps what was found out, all of it or nothing. If the file turns out to be damaged, the next one begins anew.
    pub fn keep(&mut self, news: &News) -> SqlResult<()> {
        let kept = self.write(news);
        if kept.as_ref().is_err_and(is_damage) {
            discard(&self.path);
        }
        kept
    }

    fn write(&mut self, news: &News) -> SqlResult<()> {
        let tx = self.connection.transaction()?;
        {
            let mut file =
                tx.prepare_cached("INSERT OR REPLACE INTO files VALUES(?, ?, ?, ?, ?, ?, ?, ?)")?;
            for (path, seen) in &news.files {
                file.execute(params![
                    path,
                    seen.size as i64,
                    seen.mtime,
                    seen.ctime,
                    seen.inode as i64,
                    seen.seen,
                    seen.blob,
                    seen.generation
                ])?;
            }
            let mut gone = tx.prepare_cached("DELETE FROM files WHERE path = ?")?;
            for path in &news.gone {
                gone.execute([path])?;
            }
            let mut judged =
                tx.prepare_cached("INSERT OR REPLACE INTO judgements VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
            for (mark, found) in &news.judgements {
                let looked = serde_json::to_string(&found.looked).unwrap_or_default();
                let (kind, verdict, place, why) = match &found.judged {
                    Judged::Place(found) => (PLACE, found.verdict.word(), found.now.as_deref(), &*found.why),
                    Judged::Condition(answer) => (CONDITION, answer.verdict().word(), None, answer.why()),
                };
                judged.execute(params![
                    *mark as i64,
                    kind,
                    verdict,
                    place,
                    why,
                    looked,
                    found.lost,
                    found.listing.map(|listing| listing as i64),
                    found.generation,
                    found.words.join(" "),
                ])?;
            }
            let mut change = tx.prepare_cached("INSERT OR REPLACE INTO changes VALUES(?, ?)")?;
            for (mark, seconds) in &news.changes {
                change.execute(params![*mark as i64, seconds])?;
            }
            let mut stale = tx.prepare_cached("DELETE FROM judgements WHERE mark = ?")?;
            for mark in &news.forgotten {
                stale.execute([*mark as i64])?;
            }
        }
        tx.commit()
    }
}

/// The number of judgements of this kind, in this folder: a file that was copied along with a store is somebody else's word.
fn number(path: &Path) -> i64 {
    let folder = path.parent().unwrap_or(path);
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let hash = blake3::hash(folder.to_string_lossy().as_bytes());
    let bytes: [u8; 4] = hash.as_bytes()[..4].try_into().expect("a hash has four bytes");
    i64::from(u32::from_le_bytes(bytes) & 0x3fff_ffff) ^ SCHEMA
}

/// What was found out since the last time.
#[derive(Debug, Default)]
pub struct News {
    /// Files as they look now.
    pub files: Vec<(String, SeenFile)>,
    /// Files that are gone.
    pub gone: Vec<String>,
    /// Judgements.
    pub judgements: Vec<(u64, Judgement)>,
    /// When contents of files came to be, in seconds.
    pub changes: Vec<(u64, i64)>,
    /// Judgements that nobody asks for any more.
    pub forgotten: Vec<u64>,
}

impl News {
    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.gone.is_empty()
            && self.judgements.is_empty()
            && self.changes.is_empty()
            && self.forgotten.is_empty()
    }
}

fn is_damage(error: &SqlError) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

fn discard(path: &Path) {
    for path in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
        let _ = std::fs::remove_file(path);
    }
}

/// A path as SQLite reads it in an address.
fn in_address(path: &str) -> String {
    let plain = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    if cfg!(windows) { format!("/{}", plain.replace('\\', "/")) } else { plain }
}

/// A file that SQLite keeps beside another.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn seen_file(row: &rusqlite::Row<'_>) -> SqlResult<SeenFile> {
    Ok(SeenFile {
        size: row.get::<_, i64>(1)? as u64,
        mtime: row.get(2)?,
        ctime: row.get(3)?,
        inode: row.get::<_, i64>(4)? as u64,
        seen: row.get(5)?,
        blob: row.get(6)?,
        generation: row.get(7)?,
    })
}

fn judgement(row: &rusqlite::Row<'_>) -> SqlResult<Judgement> {
    let (kind, word, why) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?, row.get(4)?);
    let judged = match kind {
        PLACE => {
            let verdict = Verdict::from_word(word).ok_or_else(|| unknown(2, word))?;
            Judged::Place(PlaceVerdict { verdict, now: row.get(3)?, why })
        }
        CONDITION => {
            let verdict = ConditionVerdict::from_word(word).ok_or_else(|| unknown(2, word))?;
            Judged::Condition(Answer::of(verdict, why))
        }
        kind => return Err(unknown(1, kind)),
    };
    Ok(Judgement {
        judged,
        // One that rests on nothing would count for ever.
        looked: serde_json::from_str(row.get_ref(5)?.as_str()?).map_err(|error| {
            SqlError::FromSqlConversionFailure(5, rusqlite::types::Type::Text, Box::new(error))
        })?,
        lost: row.get(6)?,
        listing: row.get::<_, Option<i64>>(7)?.map(|listing| listing as u64),
        generation: row.get(8)?,
        words: row.get_ref(9)?.as_str()?.split_whitespace().map(str::to_owned).collect(),
    })
}

/// A word that this version never writes.
fn unknown(column: usize, word: &str) -> SqlError {
    let problem = format!("unknown word {word:?}");
    SqlError::FromSqlConversionFailure(column, rusqlite::types::Type::Text, problem.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgement(judged: Judged) -> Judgement {
        let looked = vec![("src/a.rs".to_owned(), "b10b".to_owned())];
        Judgement { judged, looked, lost: false, listing: Some(7), generation: None, words: Vec::new() }
    }

    #[test]
    fn places_conditions_and_times_are_kept_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judgements");
        let moved = PlaceVerdict {
            verdict: Verdict::Moved,
            now: Some("src/b.rs:3-9".to_owned()),
            why: "it went".to_owned(),
        };
        let place = judgement(Judged::Place(moved));
        let condition = judgement(Judged::Condition(Answer::Broken("version 3".to_owned())));
        let mut kept = Judgements::open(&path).unwrap();
        let judgements = vec![(1, place.clone()), (2, condition.clone())];
        kept.keep(&News { judgements, changes: vec![(3, 1_700_000_000)], ..News::default() }).unwrap();
        drop(kept);
        let kept = Judgements::open(&path).unwrap();
        assert_eq!(kept.get(1).unwrap(), Some(place));
        assert_eq!(kept.get(2).unwrap(), Some(condition));
        assert_eq!((kept.get(3).unwrap(), kept.changed_at(3).unwrap()), (None, Some(1_700_000_000)));
        assert_eq!(kept.changed_at(1).unwrap(), None);
        // A broken condition is no broken place.
        assert_eq!(kept.not_fresh().unwrap(), [(1, Verdict::Moved)]);
        assert_eq!(kept.all().unwrap().len(), 2);
    }

    #[test]
    fn a_word_that_nobody_writes_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Judgements::open(&folder.path().join("judgements")).unwrap();
        kept.connection
            .execute_batch("INSERT INTO judgements VALUES(1, 'place', 'since', NULL, '1700000000', '[]', 0, NULL, NULL, '')")
            .unwrap();
        assert!(kept.get(1).is_err());
    }
}
