//! Databases of other systems, read and never touched.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ken_core::limits::LINE_BYTES_MAX;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error as SqlError, ErrorCode, OpenFlags};
use serde_json::{Map, Value};

/// Rows of one table that are read; a store of this size is no knowledge any more.
const ROWS_MAX: usize = 1_000_000;
/// How every database of this kind begins.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// The table of Decapod.
const TABLE: &str = "knowledge";

/// What became of reading a database.
pub type Result<T> = std::result::Result<T, ForeignError>;

/// Why a database of another system cannot be read.
#[derive(Debug)]
pub enum ForeignError {
    /// There is no such file, or it cannot be opened.
    Unreadable(PathBuf, std::io::Error),
    /// It is something else, or is encrypted.
    NoDatabase(PathBuf),
    /// It breaks off or is damaged.
    Damaged(PathBuf, SqlError),
    /// It is a database without the table.
    NoTable(PathBuf, Vec<String>),
    /// There are more rows than we read.
    ManyRows(PathBuf),
    /// SQLite refused for another reason.
    Refused(PathBuf, SqlError),
}

impl fmt::Display for ForeignError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |path: &Path| path.display().to_string();
        match self {
            ForeignError::Unreadable(path, why) => write!(out, "{} cannot be read: {why}", name(path)),
            ForeignError::NoDatabase(path) => write!(
                out,
                "{} is no SQLite database, or it is encrypted; give the `knowledge.db` of a Decapod store",
                name(path)
            ),
            ForeignError::Damaged(path, why) => {
                write!(out, "{} is damaged or breaks off ({why}); restore it and import again", name(path))
            }
            ForeignError::NoTable(path, tables) if tables.is_empty() => {
                write!(out, "{} has no table `{TABLE}`, nor any other", name(path))
            }
            ForeignError::NoTable(path, tables) => write!(
                out,
                "{} has no table `{TABLE}`; it has `{}`, so it is another database",
                name(path),
                tables.join("`, `")
            ),
            ForeignError::ManyRows(path) => {
                write!(out, "{} has more than {ROWS_MAX} rows; split it and import the pieces", name(path))
            }
            ForeignError::Refused(path, why) => write!(out, "{} cannot be read: {why}", name(path)),
        }
    }
}

impl std::error::Error for ForeignError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ForeignError::Unreadable(_, why) => Some(why),
            ForeignError::Damaged(_, why) | ForeignError::Refused(_, why) => Some(why),
            ForeignError::NoDatabase(_) | ForeignError::NoTable(..) | ForeignError::ManyRows(_) => None,
        }
    }
}

/// The rows of Decapod's `knowledge.db` as JSON lines, sorted by id. Columns that a version lacks are missing, and those of
/// another version are there. Of a row that is longer than a line may be, only `id` and `left_out`, which says why, are given.
///
/// Nothing is written, and no file is made beside it. Where its program has not yet carried over what it wrote last, a copy is read.
pub fn decapod_rows(path: &Path) -> Result<String> {
    let mut magic = [0_u8; 16];
    let unreadable = |why| ForeignError::Unreadable(path.to_owned(), why);
    let mut file = File::open(path).map_err(unreadable)?;
    match file.read_exact(&mut magic) {
        Ok(()) if &magic == MAGIC => (),
        Ok(()) => return Err(ForeignError::NoDatabase(path.to_owned())),
        Err(why) if why.kind() == std::io::ErrorKind::UnexpectedEof => {
            return Err(ForeignError::NoDatabase(path.to_owned()));
        }
        Err(why) => return Err(unreadable(why)),
    }
    drop(file);
    let log = beside(path, "-wal");
    let is_ahead = std::fs::metadata(&log).is_ok_and(|about| about.len() > 0);
    if !is_ahead {
        return rows(path, path);
    }
    let folder = tempfile::tempdir().map_err(unreadable)?;
    let copy = folder.path().join("knowledge.db");
    std::fs::copy(path, &copy).map_err(unreadable)?;
    std::fs::copy(&log, beside(&copy, "-wal")).map_err(unreadable)?;
    let connection = Connection::open(&copy).map_err(|why| told(path, why))?;
    let pages = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    pages.map_err(|why| told(path, why))?;
    drop(connection);
    rows(&copy, path)
}

/// The rows of a file that nobody writes to; errors speak of the path it was asked for.
fn rows(path: &Path, asked: &Path) -> Result<String> {
    let told = |why| told(asked, why);
    let address = path.to_str().ok_or_else(|| ForeignError::NoDatabase(asked.to_owned()))?;
    let address = format!("file:{}?immutable=1", in_address(address));
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(address, flags).map_err(told)?;
    let tables = tables(&connection).map_err(told)?;
    if !tables.iter().any(|table| table == TABLE) {
        return Err(ForeignError::NoTable(asked.to_owned(), tables));
    }
    let mut statement = connection.prepare(&format!("SELECT * FROM {TABLE}")).map_err(told)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut rows = statement.query([]).map_err(told)?;
    while let Some(row) = rows.next().map_err(told)? {
        let mut object = Map::new();
        for (at, column) in columns.iter().enumerate() {
            object.insert(column.clone(), value(row.get_ref(at).map_err(told)?));
        }
        let id = match object.get("id") {
            Some(Value::String(id)) => id.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let mut line = ordered(&columns, &object);
        if line.len() > LINE_BYTES_MAX {
            // One row of that length does not keep the others out.
            let why = format!("the row has {} bytes; at most {LINE_BYTES_MAX} are read", line.len());
            line = serde_json::json!({"id": id, "left_out": why}).to_string();
        }
        if lines.len() == ROWS_MAX {
            return Err(ForeignError::ManyRows(asked.to_owned()));
        }
        lines.push((id, line));
    }
    lines.sort();
    Ok(lines.into_iter().map(|(_, line)| line + "\n").collect())
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([], |row| row.get(0))?;
    names.collect()
}

/// The columns in the order of the table.
fn ordered(columns: &[String], row: &Map<String, Value>) -> String {
    let members: Vec<String> = columns
        .iter()
        .map(|column| {
            let value = row.get(column).unwrap_or(&Value::Null);
            format!("{}:{value}", Value::from(column.as_str()))
        })
        .collect();
    format!("{{{}}}", members.join(","))
}

fn value(column: ValueRef<'_>) -> Value {
    match column {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::from(number),
        ValueRef::Real(number) => Value::from(number),
        ValueRef::Text(bytes) => Value::from(String::from_utf8_lossy(bytes)),
        ValueRef::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            Value::from(format!("hex:{digits}"))
        }
    }
}

fn told(path: &Path, why: SqlError) -> ForeignError {
    match why.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => ForeignError::NoDatabase(path.to_owned()),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::SystemIoFailure) => {
            ForeignError::Damaged(path.to_owned(), why)
        }
        Some(_) | None => ForeignError::Refused(path.to_owned(), why),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A path as it is written in an address.
fn in_address(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const SAMPLE: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/tests/samples/decapod/data/knowledge.db");

    fn files(folder: &Path) -> BTreeSet<(String, Vec<u8>)> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        entries
            .map(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                (name, std::fs::read(entry.path()).unwrap())
            })
            .collect()
    }

    // DOO-6: what another system wrote is read, and not a byte of it changes.
    #[test]
    fn a_store_of_decapod_is_read_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("know#ledge?.db");
        std::fs::copy(SAMPLE, &path).unwrap();
        let before = files(folder.path());
        let text = decapod_rows(&path).unwrap();
        assert_eq!(files(folder.path()), before);
        let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["decision/sqlite", "odd-one", "procedural/commit-atomic", "retry-jitter"]);
        assert_eq!(rows[0]["expires_ts"], Value::Null);
        let lines = include_str!("../../formats/tests/samples/decapod/data/knowledge.db.jsonl");
        assert_eq!(text, lines, "this is what the reader of the format is tested with");
    }

    #[test]
    fn what_was_written_last_is_read_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("knowledge.db");
        std::fs::copy(SAMPLE, &path).unwrap();
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; ALTER TABLE knowledge ADD COLUMN mood BLOB; UPDATE knowledge SET mood = x'00ff' WHERE id = 'odd-one'").unwrap();
        let names = |folder: &Path| files(folder).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        let before = names(folder.path());
        assert!(before.contains(&"knowledge.db-wal".to_owned()));
        let text = decapod_rows(&path).unwrap();
        assert!(text.contains("\"mood\":\"hex:00ff\""), "{text}");
        assert_eq!(names(folder.path()), before);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let whole = std::fs::read(SAMPLE).unwrap();
        std::fs::write(at("text.db"), "not a database, though long enough to be one").unwrap();
        std::fs::write(at("short.db"), "SQLite").unwrap();
        std::fs::write(at("cut.db"), &whole[..6000]).unwrap();
        let mut noise = whole.clone();
        noise[16..].iter_mut().enumerate().for_each(|(at, byte)| *byte ^= (at % 251) as u8 | 1);
        std::fs::write(at("noise.db"), &noise).unwrap();
        let other = Connection::open(at("other.db")).unwrap();
        other.execute_batch("CREATE TABLE nodes (id TEXT)").unwrap();
        drop(other);
        let cases = [
            ("missing.db", "cannot be read"),
            ("text.db", "is no SQLite database, or it is encrypted"),
            ("short.db", "is no SQLite database, or it is encrypted"),
            ("noise.db", "is no SQLite database, or it is encrypted"),
            ("cut.db", "is damaged or breaks off"),
            ("other.db", "has no table `knowledge`; it has `nodes`"),
        ];
        for (name, words) in cases {
            let error = decapod_rows(&at(name)).unwrap_err().to_string();
            assert!(error.contains(words), "{name}: {error}");
            assert!(error.contains(name), "{name}: {error}");
        }
    }

    #[test]
    fn older_and_newer_tables_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("knowledge.db");
        let writer = Connection::open(&path).unwrap();
        writer
            .execute_batch(
                "CREATE TABLE knowledge (id TEXT, title TEXT, weight REAL);
                 INSERT INTO knowledge VALUES ('b', NULL, 0.5), ('a', 'A', NULL), ('c', printf('%2000000d', 1), 1);",
            )
            .unwrap();
        drop(writer);
        let text = decapod_rows(&path).unwrap();
        let (short, long) = text.split_at(text.find("{\"id\":\"c\"").unwrap());
        assert!(long.contains("\"left_out\":\"the row has 2000"), "{long}");
        let expected =
            "{\"id\":\"a\",\"title\":\"A\",\"weight\":null}\n{\"id\":\"b\",\"title\":null,\"weight\":0.5}\n";
        assert_eq!(short, expected);
    }
}
