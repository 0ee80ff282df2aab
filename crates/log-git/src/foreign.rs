//! Databases of other systems, read and never touched.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ken_core::limits::LINE_BYTES_MAX;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error as SqlError, ErrorCode, OpenFlags, Row};
use serde_json::{Map, Value};

/// Rows of one table that are read; a store of this size is no knowledge any more.
const ROWS_MAX: usize = 50_000;
/// Bytes that are read, of one value and of all rows together: as many as of any other file.
const BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes of a database that are copied, where a copy is read.
const COPY_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Steps of SQLite for one database. The most rows that are read take a tenth of them, and all of them a few seconds.
const STEPS_MAX: u64 = 100_000_000;
/// After how many steps it is asked whether there were too many.
const STEPS_COUNTED: u16 = 10_000;
/// Characters of an id that are given of a row that is left out.
const ID_CHARS_MAX: usize = 200;
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
    /// What goes by the name of the table is a view or a virtual table: a program, and no rows.
    NotRows(PathBuf, &'static str),
    /// There are more rows than we read.
    ManyRows(PathBuf),
    /// There is more in it than we read.
    ManyBytes(PathBuf),
    /// Reading it takes longer than any table does.
    Endless(PathBuf),
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
                "{} is not a SQLite database, or it is encrypted; give the `knowledge.db` of a Decapod store",
                name(path)
            ),
            ForeignError::Damaged(path, why) => {
                write!(out, "{} is damaged or truncated ({why}); restore it and import again", name(path))
            }
            ForeignError::NoTable(path, tables) if tables.is_empty() => {
                write!(out, "{} has no tables", name(path))
            }
            ForeignError::NoTable(path, tables) => write!(
                out,
                "{} has no table `{TABLE}`; it has `{}`, so it is another database",
                name(path),
                tables.join("`, `")
            ),
            ForeignError::NotRows(path, what) => write!(
                out,
                "in {}, `{TABLE}` is {what} and not a table; only rows that are stored are read, so write them into a table",
                name(path)
            ),
            ForeignError::ManyRows(path) => {
                write!(out, "{} has more than {ROWS_MAX} rows; split it and import the pieces", name(path))
            }
            ForeignError::ManyBytes(path) => {
                write!(out, "{} has more than {BYTES_MAX} bytes; split it and import the pieces", name(path))
            }
            ForeignError::Endless(path) => {
                write!(
                    out,
                    "reading {} was stopped after {STEPS_MAX} steps; copy its rows into a plain table",
                    name(path)
                )
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
            ForeignError::NoDatabase(_)
            | ForeignError::NoTable(..)
            | ForeignError::NotRows(..)
            | ForeignError::ManyRows(_)
            | ForeignError::ManyBytes(_)
            | ForeignError::Endless(_) => None,
        }
    }
}

/// The rows of Decapod's `knowledge.db` as JSON lines, sorted by id. Columns that a version lacks are missing, and those of
/// another version are there. Of a row that is longer than a line may be, only `id` and `left_out`, which says why, are given.
///
/// The database may be anybody's, so nothing that it says is run: no view, no virtual table, no column that is computed on reading.
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
    let ahead = std::fs::metadata(&log).map_or(0, |about| about.len());
    if ahead == 0 {
        return rows(path, path);
    }
    if std::fs::metadata(path).map_err(unreadable)?.len().saturating_add(ahead) > COPY_BYTES_MAX {
        return Err(ForeignError::ManyBytes(path.to_owned()));
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
    let mut connection = Connection::open_with_flags(address, flags).map_err(told)?;
    restrain(&mut connection).map_err(told)?;
    let all = tables(&connection).map_err(told)?;
    match all.iter().find(|(name, _)| name == TABLE) {
        Some((_, Rows::Stored)) => (),
        Some((_, Rows::Made(what))) => return Err(ForeignError::NotRows(asked.to_owned(), what)),
        None => {
            let names = all.into_iter().map(|(name, _)| name).collect();
            return Err(ForeignError::NoTable(asked.to_owned(), names));
        }
    }
    let columns = columns(&connection).map_err(told)?;
    let quoted: Vec<String> =
        columns.iter().map(|column| format!("\"{}\"", column.replace('"', "\"\""))).collect();
    let mut statement =
        connection.prepare(&format!("SELECT {} FROM {TABLE}", quoted.join(", "))).map_err(told)?;
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut read = 0;
    let mut rows = statement.query([]).map_err(told)?;
    while let Some(row) = rows.next().map_err(told)? {
        if lines.len() == ROWS_MAX {
            return Err(ForeignError::ManyRows(asked.to_owned()));
        }
        let len = (0..columns.len()).map(|at| row.get_ref(at).map(size)).sum::<rusqlite::Result<usize>>();
        let len = len.map_err(told)?;
        read += len;
        if read > BYTES_MAX {
            return Err(ForeignError::ManyBytes(asked.to_owned()));
        }
        lines.push(line(row, &columns, len).map_err(told)?);
    }
    lines.sort();
    Ok(lines.into_iter().map(|(_, line)| line + "\n").collect())
}

/// The id of a row of so many bytes, and the row.
fn line(row: &Row<'_>, columns: &[String], len: usize) -> rusqlite::Result<(String, String)> {
    let id = match columns.iter().position(|column| column == "id") {
        Some(at) => match value(row.get_ref(at)?) {
            Value::String(id) => id,
            other => other.to_string(),
        },
        None => String::new(),
    };
    // One row of that length does not keep the others out.
    let left_out = |len: usize| {
        let why = format!("the row has {len} bytes; at most {LINE_BYTES_MAX} are read");
        let id: String = id.chars().take(ID_CHARS_MAX).collect();
        serde_json::json!({"id": id, "left_out": why}).to_string()
    };
    if len > LINE_BYTES_MAX {
        return Ok((id.clone(), left_out(len)));
    }
    let mut object = Map::new();
    for (at, column) in columns.iter().enumerate() {
        object.insert(column.clone(), value(row.get_ref(at)?));
    }
    let line = ordered(columns, &object);
    let line = if line.len() > LINE_BYTES_MAX { left_out(line.len()) } else { line };
    Ok((id, line))
}

/// Takes from a database of somebody else what it could do on being read.
fn restrain(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, BYTES_MAX as i32)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    let mut steps = 0;
    let is_over = move || {
        steps += u64::from(STEPS_COUNTED);
        steps > STEPS_MAX
    };
    connection.progress_handler(i32::from(STEPS_COUNTED), Some(is_over))
}

/// Whether what is read of a table was written there.
enum Rows {
    Stored,
    /// It is made while it is read, by what this says.
    Made(&'static str),
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<(String, Rows)>> {
    let sql = "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let mut statement = connection.prepare(sql)?;
    let tables = statement.query_map([], |row| {
        let (kind, sql): (String, Option<String>) = (row.get(1)?, row.get(2)?);
        // A schema can be edited by hand, so the words count as well.
        let rows = match sql {
            Some(sql) if kind == "table" && sql.starts_with("CREATE TABLE") => Rows::Stored,
            Some(sql) if sql.starts_with("CREATE VIRTUAL") => Rows::Made("a virtual table"),
            Some(_) | None => Rows::Made("a view"),
        };
        Ok((row.get(0)?, rows))
    })?;
    tables.collect()
}

/// The columns that are stored; one that is computed from others says nothing more than they do.
fn columns(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden IN (0, 3) ORDER BY cid";
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([TABLE], |row| row.get(0))?;
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
            let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
            let digits: String = halves.filter_map(|half| char::from_digit(half.into(), 16)).collect();
            Value::from(format!("hex:{digits}"))
        }
    }
}

/// The bytes that a value has at least when it is written.
fn size(column: ValueRef<'_>) -> usize {
    match column {
        ValueRef::Null => 0,
        ValueRef::Integer(_) | ValueRef::Real(_) => 1,
        ValueRef::Text(bytes) => bytes.len(),
        ValueRef::Blob(bytes) => 2 * bytes.len(),
    }
}

fn told(path: &Path, why: SqlError) -> ForeignError {
    match why.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => ForeignError::NoDatabase(path.to_owned()),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::SystemIoFailure) => {
            ForeignError::Damaged(path.to_owned(), why)
        }
        Some(ErrorCode::TooBig) => ForeignError::ManyBytes(path.to_owned()),
        Some(ErrorCode::OperationInterrupted) => ForeignError::Endless(path.to_owned()),
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
            ("text.db", "is not a SQLite database, or it is encrypted"),
            ("short.db", "is not a SQLite database, or it is encrypted"),
            ("noise.db", "is not a SQLite database, or it is encrypted"),
            ("cut.db", "is damaged or truncated"),
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

    /// A database made by these words, and what became of reading it.
    fn read(sql: &str) -> Result<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("knowledge.db");
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch(sql).unwrap();
        drop(writer);
        decapod_rows(&path)
    }

    // A file came with a pull request, and its `knowledge` was a query without an end: the import never came back.
    #[test]
    fn what_makes_its_rows_while_it_is_read_is_refused() {
        const ENDLESS: &str =
            "AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n;";
        let by_hand = |set: &str| format!("PRAGMA writable_schema = ON; UPDATE sqlite_master SET {set}");
        let view = format!("CREATE VIEW knowledge {ENDLESS}");
        let hidden = format!("CREATE TABLE plain (id); CREATE VIEW other {ENDLESS}");
        let cases = [
            (view.clone(), "`knowledge` is a view and not a table"),
            (
                "CREATE VIRTUAL TABLE knowledge USING fts5(id)".to_owned(),
                "`knowledge` is a virtual table and not",
            ),
            // A schema that SQLite would not have written says what it likes.
            (view + &by_hand("type = 'table'"), "is damaged"),
            (
                "CREATE TABLE knowledge (id);".to_owned()
                    + &by_hand("sql = 'CREATE VIRTUAL TABLE knowledge USING nobody(id)', rootpage = 0"),
                "`knowledge` is a virtual table and not",
            ),
            (
                hidden
                    + &by_hand("sql = replace(sql, 'other', 'knowledge') WHERE name = 'other';")
                    + "UPDATE sqlite_master SET name = 'knowledge', tbl_name = 'knowledge' WHERE name = 'plain'",
                "knowledge.db",
            ),
        ];
        for (sql, words) in cases {
            let error = read(&sql).expect_err(&sql).to_string();
            assert!(error.contains(words), "{sql}: {error}");
        }
    }

    #[test]
    fn a_query_without_an_end_is_given_up() {
        let mut connection = Connection::open_in_memory().unwrap();
        restrain(&mut connection).unwrap();
        let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
        let error = connection.query_row(sql, [], |_| Ok(())).unwrap_err();
        let error = told(Path::new("knowledge.db"), error).to_string();
        assert!(error.contains("stopped after 100000000 steps"), "{error}");
    }

    // DOO-6: nothing in a database of somebody else is run, and columns that are computed are not columns of it.
    #[test]
    fn nothing_that_a_database_says_is_run() {
        let text = read(
            "CREATE TABLE seen (id TEXT);
             CREATE TABLE knowledge (
                 id TEXT, \"odd \"\"name\" TEXT DEFAULT (hex(zeroblob(100))),
                 dear TEXT AS (hex(zeroblob(30000000))), kept TEXT AS (id || '!') STORED);
             CREATE TRIGGER told AFTER INSERT ON knowledge BEGIN INSERT INTO seen VALUES (new.id); END;
             CREATE VIEW other AS SELECT load_extension('nothing') FROM knowledge;
             INSERT INTO knowledge VALUES ('a', 'x');",
        );
        assert_eq!(text.unwrap(), "{\"id\":\"a\",\"odd \\\"name\":\"x\",\"kept\":\"a!\"}\n");
    }

    #[test]
    fn a_table_has_a_size_up_to_which_it_is_read() {
        let table = |rows: usize, value: &str| {
            let of =
                format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})");
            read(&format!(
                "CREATE TABLE knowledge (id, body); {of} INSERT INTO knowledge SELECT i, {value} FROM n"
            ))
        };
        assert_eq!(table(ROWS_MAX, "'x'").unwrap().lines().count(), ROWS_MAX);
        let cases = [
            (ROWS_MAX + 1, "'x'", "has more than 50000 rows"),
            (70, "zeroblob(1000000)", "has more than 67108864 bytes"),
            (1, "zeroblob(70000000)", "has more than 67108864 bytes"),
        ];
        for (rows, value, words) in cases {
            let error = table(rows, value).unwrap_err().to_string();
            assert!(error.contains(words), "{rows} of {value}: {error}");
        }
        // As bytes it is short enough, and as text it is not.
        let text = table(1, "zeroblob(600000)").unwrap();
        assert!(text.starts_with("{\"id\":\"1\",\"left_out\":\"the row has 1200"), "{text}");
    }
}
