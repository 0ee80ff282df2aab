//! Who stated an entry, and what became of the other entries of that author (decision 0039).

use std::collections::HashSet;

use ken_core::ReplicaId;
use ken_engine::AuthorRecord;
use rusqlite::{OptionalExtension, Result as SqlResult, params};

use super::Index;

/// An actor in a clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Author {
    pub actor: String,
    pub replica: ReplicaId,
}

/// Who stated a text, and whether it is verified itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub author: Author,
    pub is_verified: bool,
}

impl Index {
    /// Whether anything is verified here.
    pub fn has_verified(&self) -> SqlResult<bool> {
        self.connection.prepare_cached("SELECT 1 FROM entries WHERE status = 'verified' LIMIT 1")?.exists([])
    }

    /// Who stated the text of a number, if there still is one.
    pub fn statement_of(&self, doc: u32) -> SqlResult<Option<Statement>> {
        let sql = "SELECT actor, origin, status = 'verified' FROM entries WHERE n = (SELECT n FROM docs WHERE doc = ?)";
        let statement = |row: &rusqlite::Row<'_>| {
            let author = Author { actor: row.get(0)?, replica: replica_column(row, 1)? };
            Ok(Statement { author, is_verified: row.get(2)? })
        };
        self.connection.prepare_cached(sql)?.query_row([doc], statement).optional()
    }

    /// What became of the entries of an author. They are counted up to where it no longer matters.
    pub fn author_record(&self, author: &Author) -> SqlResult<AuthorRecord> {
        let count = |statuses: &str, most: u32| -> SqlResult<u32> {
            let sql = format!(
                "SELECT count(*) FROM (SELECT 1 FROM entries WHERE actor = ? AND origin = ? AND status IN ({statuses}) LIMIT ?)"
            );
            let values = params![author.actor, &author.replica.0[..], most];
            self.connection.prepare_cached(&sql)?.query_row(values, |row| row.get(0))
        };
        let verified = count("'verified'", u32::MAX)?;
        if verified == 0 {
            return Ok(AuthorRecord::default());
        }
        let others = count("'candidate', 'active'", AuthorRecord::entries_max(verified).saturating_add(1))?;
        Ok(AuthorRecord { verified, entries: verified + others })
    }

    /// The numbers of what is verified, or stated by an author whose record speaks for it.
    pub fn proven_docs(&self) -> SqlResult<HashSet<u32>> {
        let sql = "SELECT actor, origin, sum(status = 'verified'), count(*) FROM entries INDEXED BY entries_by_author
                   WHERE status IN ('candidate', 'active', 'verified') GROUP BY actor, origin";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut established = Vec::new();
        while let Some(row) = rows.next()? {
            if (AuthorRecord { verified: row.get(2)?, entries: row.get(3)? }).is_established() {
                established.push(Author { actor: row.get(0)?, replica: replica_column(row, 1)? });
            }
        }
        let sql = "SELECT d.doc FROM entries e JOIN docs d ON d.n = e.n WHERE e.status = 'verified'";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut docs: HashSet<u32> = statement.query_map([], |row| row.get(0))?.collect::<SqlResult<_>>()?;
        for author in established {
            let sql = "SELECT d.doc FROM entries e JOIN docs d ON d.n = e.n
                       WHERE e.actor = ? AND e.origin = ? AND e.status IN ('candidate', 'active')";
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![author.actor, &author.replica.0[..]])?;
            while let Some(row) = rows.next()? {
                docs.insert(row.get(0)?);
            }
        }
        Ok(docs)
    }
}

fn replica_column(row: &rusqlite::Row<'_>, at: usize) -> SqlResult<ReplicaId> {
    let bytes = row.get_ref(at)?.as_blob()?;
    bytes.try_into().map(ReplicaId).map_err(|_| super::damaged(at))
}
