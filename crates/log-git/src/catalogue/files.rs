//! The ledger files of a worktree, as the index knows them.

use super::*;

/// The ledger files of the worktree, as the index knows them.
#[derive(Clone, Copy)]
pub struct Files<'a>(pub(super) &'a Index);

impl Files<'_> {
    /// The folders as they were listed last.
    pub fn folders(self) -> SqlResult<BTreeMap<String, (i64, bool)>> {
        let mut statement = self.0.connection().prepare_cached("SELECT path, mtime, fresh FROM folders")?;
        statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?.collect()
    }

    /// Every file as it looked when it was read.
    pub fn files(self) -> SqlResult<Vec<(String, Seen)>> {
        let mut statement =
            self.0.connection().prepare_cached("SELECT path, size, mtime, inode FROM files")?;
        statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?.collect()
    }

    /// The files of a folder as they looked when they were read: size, change time, inode.
    pub fn files_in(self, folder: &str) -> SqlResult<BTreeMap<String, Seen>> {
        let mut statement = self
            .0
            .connection()
            .prepare_cached("SELECT path, size, mtime, inode FROM files WHERE folder = ?")?;
        statement
            .query_map([folder], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?
            .collect()
    }

    /// Whether there are more ledger files than some number: cheap enough for every command.
    pub fn has_more_files_than(self, count: i64) -> SqlResult<bool> {
        self.0.connection().prepare_cached("SELECT 1 FROM files LIMIT 1 OFFSET ?")?.exists([count])
    }

    /// Whether a folder has folders in it.
    pub fn has_folders_in(self, folder: &str) -> SqlResult<bool> {
        let sql = "SELECT 1 FROM folders WHERE path > ? AND path < ?";
        self.0.connection().prepare_cached(sql)?.exists([format!("{folder}/"), format!("{folder}0")])
    }

    /// How many files a folder holds itself.
    pub fn files_in_count(self, folder: &str) -> SqlResult<i64> {
        self.0
            .connection()
            .prepare_cached("SELECT count(*) FROM files WHERE folder = ?")?
            .query_row([folder], |row| row.get(0))
    }

    /// Whether a file is known.
    pub fn has_file(self, path: &str) -> SqlResult<bool> {
        self.0.connection().prepare_cached("SELECT 1 FROM files WHERE path = ?")?.exists([path])
    }

    /// How a file looked when it was read.
    pub fn file_looks(self, path: &str) -> SqlResult<Option<Seen>> {
        let sql = "SELECT size, mtime, inode FROM files WHERE path = ?";
        self.0
            .connection()
            .prepare_cached(sql)?
            .query_row([path], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()
    }

    /// The files that hold lines of an entry.
    pub fn files_of(self, key: EntryKey) -> SqlResult<Vec<(String, Seen)>> {
        let sql = "SELECT DISTINCT f.path, f.size, f.mtime, f.inode FROM events e JOIN lines l ON l.hash = e.hash JOIN files f ON f.id = l.file WHERE e.entry = ?";
        let mut statement = self.0.connection().prepare_cached(sql)?;
        statement
            .query_map([&key.0[..]], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?
            .collect()
    }

    /// Forgets how the latest files and all folders looked: when a machine stops, a file can keep its looks and lose its bytes.
    pub fn distrust_latest_files(self) -> SqlResult<()> {
        let sql = "UPDATE files SET mtime = -1 WHERE mtime >= (SELECT max(mtime) FROM files) - ?";
        self.0.connection().execute(sql, [UNSYNCED_NANOS_MAX])?;
        self.0.connection().execute("UPDATE folders SET mtime = -1", []).map(drop)
    }

    /// How many ledger files there are, and how many events they hold.
    pub fn files_and_lines(self) -> SqlResult<(usize, usize)> {
        let sql = "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM lines WHERE file IS NOT NULL)";
        self.0.connection().query_row(sql, [], |row| {
            let (files, lines): (i64, i64) = (row.get(0)?, row.get(1)?);
            Ok((files as usize, lines as usize))
        })
    }

    /// The ledger file that states an entry.
    pub fn file_of(self, key: EntryKey) -> SqlResult<Option<String>> {
        let sql = "SELECT f.path FROM events e JOIN lines l ON l.hash = e.hash JOIN files f ON f.id = l.file WHERE e.entry = ? AND e.flags & 4 ORDER BY f.path LIMIT 1";
        self.0.connection().prepare_cached(sql)?.query_row([&key.0[..]], |row| row.get(0)).optional()
    }

    /// What could not be read in the ledger files.
    pub fn problems(self) -> SqlResult<Vec<(String, Problem)>> {
        let sql = "SELECT f.path, p.line, p.kind, p.problem FROM problems p JOIN files f ON f.id = p.file ORDER BY f.path, p.line";
        let mut statement = self.0.connection().prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            let kind: String = row.get(2)?;
            Ok((
                row.get(0)?,
                Problem {
                    line: row.get::<_, i64>(1)? as usize,
                    kind: ken_engine::ProblemKind::from_word(&kind),
                    problem: row.get(3)?,
                },
            ))
        })?;
        rows.collect()
    }

    /// How many lines could not be read: cheap enough for every command.
    pub fn problem_count(self) -> SqlResult<i64> {
        self.0.connection().prepare_cached("SELECT count(*) FROM problems")?.query_row([], |row| row.get(0))
    }

    /// Ledger files that may hold the bytes of events that some purge names: git can bring them back.
    pub fn files_with_purged(self) -> SqlResult<Vec<String>> {
        let sql = "SELECT f.path FROM purges p JOIN lines e ON e.hash = p.hash JOIN files f ON f.id = e.file WHERE e.flags & 2 = 0
                   UNION SELECT f.path FROM purges p JOIN doubles d ON d.hash = p.hash JOIN files f ON f.id = d.file";
        let mut statement = self.0.connection().prepare_cached(sql)?;
        statement.query_map([], |row| row.get(0))?.collect()
    }
}
