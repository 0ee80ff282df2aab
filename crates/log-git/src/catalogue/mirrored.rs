//! Files of other systems as they were last seen on the disk: a note for the next look, which may be lost.

use ken_engine::Mirrored;

use super::*;

impl Catalogue {
    /// The files of a mirror as they were last seen on the disk.
    pub fn mirrored(&self, root: &str) -> SqlResult<Vec<Mirrored>> {
        let sql = "SELECT path, size, mtime, inode, content FROM mirrored WHERE root = ?";
        let mut statement = self.connection().prepare_cached(sql)?;
        let rows = statement.query_map([root], |row| {
            Ok(Mirrored {
                path: row.get(0)?,
                size: row.get::<_, i64>(1)? as u64,
                mtime: row.get(2)?,
                inode: row.get::<_, i64>(3)? as u64,
                content: row.get(4)?,
            })
        })?;
        rows.collect()
    }

    /// Remembers how the files of a mirror look, and what the entries were when it was in step with them.
    pub fn set_mirrored(&mut self, root: &str, files: &[Mirrored], digest: Option<&str>) -> SqlResult<()> {
        let tx = self.connection().unchecked_transaction()?;
        tx.execute("DELETE FROM mirrored WHERE root = ?", [root])?;
        {
            let mut insert = tx.prepare_cached("INSERT INTO mirrored VALUES(?, ?, ?, ?, ?, ?)")?;
            for file in files {
                insert.execute(params![
                    root,
                    file.path,
                    file.size as i64,
                    file.mtime,
                    file.inode as i64,
                    file.content
                ])?;
            }
        }
        tx.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", params![format!("mirror {root}"), digest])?;
        tx.commit()
    }

    /// What the entries were when a mirror was last in step with them.
    pub fn mirrored_digest(&self, root: &str) -> SqlResult<Option<String>> {
        let found: Option<Option<String>> = self
            .connection()
            .prepare_cached("SELECT value FROM meta WHERE name = ?")?
            .query_row([format!("mirror {root}")], |row| row.get(0))
            .optional()?;
        Ok(found.flatten())
    }
}
