//! What was found out about code, kept per worktree: how files looked, and what became of places and conditions.
//!
//! It is never a source. What is here was true of certain contents of certain files; who asks compares those first.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ken_core::answer::ConditionVerdict;
use ken_core::validity::Answer;
use ken_core::{PlaceVerdict, Verdict};
use ken_engine::judgements::{Judged, Judgement, JudgementStore, JudgementUpdate, SeenFile};
use ken_engine::{Access, Judgements, Result};
use rusqlite::{
    Connection, Error as SqlError, ErrorCode, OpenFlags, OptionalExtension, Result as SqlResult, Row, ToSql,
    params,
};

use crate::error::index_error;

/// Raised whenever the tables, or how code is judged, change: a file of another number is thrown away.
const SCHEMA: i64 = 5;

const TABLES: &str = "
CREATE TABLE files(path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL, inode INTEGER NOT NULL,
  seen INTEGER NOT NULL, blob TEXT NOT NULL, generation INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE judgements(mark INTEGER PRIMARY KEY, kind TEXT NOT NULL, verdict TEXT NOT NULL, place TEXT, why TEXT NOT NULL, looked TEXT NOT NULL,
  lost INTEGER NOT NULL, listing INTEGER, generation INTEGER, words TEXT NOT NULL);
CREATE TABLE changes(mark INTEGER PRIMARY KEY, seconds INTEGER NOT NULL);
";

/// What the column `kind` says.
const PLACE: &str = "place";
const CONDITION: &str = "condition";

/// A connection that nobody uses, with the file that it is to: opening one takes as long as a few answers.
#[derive(Clone, Default)]
struct Spare(Arc<Mutex<Option<(u64, Connection)>>>);

/// What a thread that panicked left behind is whole: it is replaced at once.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Spare {
    fn take(&self, path: &Path) -> Option<Connection> {
        let (file, connection) = locked(&self.0).take()?;
        (Some(file) == inode(path)).then_some(connection)
    }

    fn keep(&self, path: &Path, connection: Connection) {
        if let Some(file) = inode(path) {
            *locked(&self.0) = Some((file, connection));
        }
    }
}

/// Which file lies at a path: one that was deleted and made anew is another.
fn inode(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    let inode = std::fs::metadata(path).ok().map(|looks| std::os::unix::fs::MetadataExt::ino(&looks));
    #[cfg(not(unix))]
    let inode = path.is_file().then_some(0);
    inode
}

/// The file with the judgements of one worktree.
pub struct JudgementFile {
    path: PathBuf,
    access: Access,
    spare: Spare,
}

impl JudgementFile {
    pub fn new(path: PathBuf, access: Access) -> JudgementFile {
        JudgementFile { path, access, spare: Spare::default() }
    }
}

impl JudgementStore for JudgementFile {
    fn open(&self) -> Option<Box<dyn Judgements>> {
        let kept = match self.access {
            Access::Read => KeptJudgements::read_only(&self.path),
            Access::Write => KeptJudgements::with_spare(&self.path, &self.spare),
        };
        Some(Box::new(kept?))
    }

    /// How the file and what SQLite keeps beside it look. Whoever opens it makes an empty one beside it, which says nothing.
    fn mark(&self) -> Option<String> {
        let look = |path: &Path| -> Option<String> {
            let meta = std::fs::metadata(path).ok().filter(|meta| meta.len() > 0)?;
            let changed = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
            Some(format!("{}.{}", meta.len(), changed.as_nanos()))
        };
        let wal = look(&beside(&self.path, "-wal")).unwrap_or_default();
        self.path.is_file().then(|| format!("{}/{wal}", look(&self.path).unwrap_or_default()))
    }
}

/// The judgements of one worktree.
pub struct KeptJudgements {
    /// There until it is handed back.
    connection: Option<Connection>,
    path: PathBuf,
    /// Where the connection goes when nobody needs it here.
    spare: Option<Spare>,
}

impl Drop for KeptJudgements {
    fn drop(&mut self) {
        if let (Some(spare), Some(connection)) = (&self.spare, self.connection.take()) {
            spare.keep(&self.path, connection);
        }
    }
}

impl KeptJudgements {
    /// Opens them by the connection that was used last, where that still is to the same file.
    fn with_spare(path: &Path, spare: &Spare) -> Option<KeptJudgements> {
        let mut kept = match spare.take(path) {
            Some(connection) => {
                KeptJudgements { connection: Some(connection), path: path.to_owned(), spare: None }
            }
            None => KeptJudgements::open(path)?,
        };
        kept.spare = Some(spare.clone());
        Some(kept)
    }

    fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("it is handed back when this is dropped")
    }

    /// Opens them, or begins anew where they are damaged. None where nothing can be kept, or somebody else is busy with them.
    pub fn open(path: &Path) -> Option<KeptJudgements> {
        match KeptJudgements::try_open(path) {
            Ok(kept) => Some(kept),
            Err(error) if is_damage(&error) => {
                discard(path);
                KeptJudgements::try_open(path).ok()
            }
            Err(_) => None,
        }
    }

    /// Opens them without changing anything. None where there are none that can be read, or somebody is writing them.
    pub fn read_only(path: &Path) -> Option<KeptJudgements> {
        if beside(path, "-wal").exists() {
            return None;
        }
        // Whoever only reads leaves files beside it otherwise.
        let address = format!("file:{}?immutable=1", in_address(path.to_str()?));
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(address, flags).ok()?;
        let schema: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).ok()?;
        (schema == number(path)).then(|| KeptJudgements {
            connection: Some(connection),
            path: path.to_owned(),
            spare: None,
        })
    }

    fn try_open(path: &Path) -> SqlResult<KeptJudgements> {
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
        Ok(KeptJudgements { connection: Some(connection), path: path.to_owned(), spare: None })
    }

    fn rows<T>(&self, sql: &str, read: impl FnMut(&Row<'_>) -> SqlResult<T>) -> Result<Vec<T>> {
        let rows =
            || -> SqlResult<Vec<T>> { self.connection().prepare_cached(sql)?.query_map([], read)?.collect() };
        rows().map_err(index_error)
    }

    fn row<T>(
        &self,
        sql: &str,
        by: impl ToSql,
        read: impl FnOnce(&Row<'_>) -> SqlResult<T>,
    ) -> Result<Option<T>> {
        let row = || self.connection().prepare_cached(sql)?.query_row([by], read).optional();
        row().map_err(index_error)
    }

    /// Keeps all of it or nothing. If the file turns out to be damaged, the next one begins anew.
    fn write(&mut self, news: &JudgementUpdate) -> SqlResult<()> {
        let connection = self.connection.as_mut().expect("it is handed back when this is dropped");
        let tx = connection.transaction()?;
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

impl Judgements for KeptJudgements {
    fn files(&self) -> Result<HashMap<String, SeenFile>> {
        let sql = "SELECT path, size, mtime, ctime, inode, seen, blob, generation FROM files";
        self.rows(sql, |row| Ok((row.get(0)?, seen_file(row)?))).map(HashMap::from_iter)
    }

    fn file(&self, path: &str) -> Result<Option<SeenFile>> {
        let sql = "SELECT path, size, mtime, ctime, inode, seen, blob, generation FROM files WHERE path = ?";
        self.row(sql, path, seen_file)
    }

    fn get(&self, mark: u64) -> Result<Option<Judgement>> {
        let sql = "SELECT mark, kind, verdict, place, why, looked, lost, listing, generation, words FROM judgements WHERE mark = ?";
        self.row(sql, mark as i64, judgement)
    }

    fn not_fresh(&self) -> Result<Vec<(u64, Verdict)>> {
        let sql = "SELECT mark, verdict FROM judgements WHERE kind = 'place' AND verdict IN ('broken', 'drifted', 'moved')";
        self.rows(sql, |row| {
            let word = row.get_ref(1)?.as_str()?;
            Ok((row.get::<_, i64>(0)? as u64, Verdict::from_word(word).ok_or_else(|| unknown(1, word))?))
        })
    }

    fn changed_at(&self, mark: u64) -> Result<Option<i64>> {
        self.row("SELECT seconds FROM changes WHERE mark = ?", mark as i64, |row| row.get(0))
    }

    fn all(&self) -> Result<HashMap<u64, Judgement>> {
        let sql = "SELECT mark, kind, verdict, place, why, looked, lost, listing, generation, words FROM judgements";
        self.rows(sql, |row| Ok((row.get::<_, i64>(0)? as u64, judgement(row)?))).map(HashMap::from_iter)
    }

    fn latest(&self) -> Result<i64> {
        // Files that are gone may have been the only ones that a look found changed.
        let sql = "SELECT MAX(generation) FROM (SELECT generation FROM files UNION ALL SELECT generation FROM judgements)";
        let latest: Vec<Option<i64>> = self.rows(sql, |row| row.get(0))?;
        Ok(latest.into_iter().flatten().next().unwrap_or(0))
    }

    fn keep(&mut self, news: &JudgementUpdate) -> Result<()> {
        let kept = self.write(news);
        if kept.as_ref().is_err_and(is_damage) {
            self.spare = None;
            discard(&self.path);
        }
        kept.map_err(index_error)
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
            Judged::Condition(Answer::new(verdict, why))
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
        let mut kept = KeptJudgements::open(&path).unwrap();
        let judgements = vec![(1, place.clone()), (2, condition.clone())];
        kept.keep(&JudgementUpdate {
            judgements,
            changes: vec![(3, 1_700_000_000)],
            ..JudgementUpdate::default()
        })
        .unwrap();
        drop(kept);
        let kept = KeptJudgements::open(&path).unwrap();
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
        let kept = KeptJudgements::open(&folder.path().join("judgements")).unwrap();
        kept.connection()
            .execute_batch("INSERT INTO judgements VALUES(1, 'place', 'since', NULL, '1700000000', '[]', 0, NULL, NULL, '')")
            .unwrap();
        assert!(kept.get(1).is_err());
    }
}
