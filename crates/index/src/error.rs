//! What a failure of SQLite means for who asked.

use ken_engine::{Error, Failure, Part};

/// A failure of the index, see [`classified`].
pub fn index_error(error: rusqlite::Error) -> Error {
    classified("querying the index (`ken rebuild` rebuilds it)", error)
}

/// A failure of SQLite with the variant that says what to do about it.
pub fn classified(doing: &str, error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode as Sqlite;
    let variant: fn(Failure) -> Error = match error.sqlite_error_code() {
        Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked | Sqlite::FileLockingProtocolFailed) => {
            Error::Busy
        }
        Some(Sqlite::DiskFull) => Error::Full,
        // SQLite tells a file that may not grow (`ulimit -f`) from a full disk; whoever reads can do without either.
        _ if is_unwritten(&error) => Error::Full,
        Some(Sqlite::ReadOnly | Sqlite::PermissionDenied) => Error::Denied,
        _ if is_cut_off(&error) => |failure| Error::Damaged(Part::Index, failure),
        // What is asked of an index is fixed: if it cannot be asked that, its tables are not the ones it was made with.
        Some(
            Sqlite::DatabaseCorrupt
            | Sqlite::NotADatabase
            | Sqlite::Unknown
            | Sqlite::TypeMismatch
            | Sqlite::ConstraintViolation,
        ) => |failure| Error::Damaged(Part::Index, failure),
        // Rows that do not hold what was written to them.
        None if is_misread(&error) => |failure| Error::Damaged(Part::Index, failure),
        Some(_) | None => Error::Failed,
    };
    variant(Failure { doing: doing.to_owned(), source: error.into() })
}

/// Whether the system took no more bytes.
fn is_unwritten(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_WRITE)
}

/// Whether a page of the file is not there.
fn is_cut_off(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ)
}

fn is_misread(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as Sql;
    matches!(
        error,
        Sql::FromSqlConversionFailure(..)
            | Sql::IntegralValueOutOfRange(..)
            | Sql::Utf8Error(..)
            | Sql::InvalidColumnType(..)
            | Sql::QueryReturnedNoRows
    )
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, ErrorCode, ffi};

    use super::*;

    fn code(number: i32) -> &'static str {
        index_error(rusqlite::Error::SqliteFailure(ffi::Error::new(number), None)).code()
    }

    #[test]
    fn a_failure_of_sqlite_says_what_can_be_done_about_it() {
        for (number, expected) in [
            (ffi::SQLITE_BUSY, "busy"),
            (ffi::SQLITE_BUSY_SNAPSHOT, "busy"),
            (ffi::SQLITE_LOCKED, "busy"),
            (ffi::SQLITE_FULL, "full"),
            (ffi::SQLITE_READONLY, "denied"),
            (ffi::SQLITE_PERM, "denied"),
            (ffi::SQLITE_CORRUPT, "damaged"),
            (ffi::SQLITE_NOTADB, "damaged"),
            (ffi::SQLITE_IOERR_SHORT_READ, "damaged"),
            (ffi::SQLITE_IOERR, "failed"),
            (ffi::SQLITE_NOMEM, "failed"),
        ] {
            assert_eq!(code(number), expected, "{number}");
        }
    }

    #[test]
    fn tables_and_rows_that_are_not_ours_are_damage() {
        let db = Connection::open_in_memory().unwrap();
        let missing = db.query_row("SELECT 1 FROM entries", [], |_| Ok(())).unwrap_err();
        assert_eq!(missing.sqlite_error_code(), Some(ErrorCode::Unknown));
        assert!(matches!(index_error(missing), Error::Damaged(Part::Index, _)));
        let other = db.query_row("SELECT 'text'", [], |row| row.get::<_, i64>(0)).unwrap_err();
        assert!(matches!(index_error(other), Error::Damaged(Part::Index, _)));
    }

    #[test]
    fn a_held_lock_is_busy_and_names_what_was_attempted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let (one, two) = (Connection::open(&path).unwrap(), Connection::open(&path).unwrap());
        two.busy_timeout(std::time::Duration::ZERO).unwrap();
        one.execute_batch("CREATE TABLE a(b); BEGIN EXCLUSIVE").unwrap();
        let error = index_error(two.execute_batch("INSERT INTO a VALUES(1)").unwrap_err());
        assert!(matches!(error, Error::Busy(_)), "{error:?}");
        assert!(error.to_string().starts_with("querying the index"), "{error}");
    }
}
