//! What of every entry matters for its validity, in short: a check of the whole store reads this, and not the entries.

use std::collections::HashMap;

use ken_core::{Entry, EntryHead, Memory, Status};
use ken_engine::validity::{Footing, retired};
use ken_engine::{Brief, Subject};
use rusqlite::Result as SqlResult;

use super::{Index, key_column};

/// Places as (as written, file, content, mark), then conditions.
type Row = (Vec<(String, String, String, u64)>, Vec<String>);

/// The same, borrowed.
type PlainRow<'a> = (Vec<(&'a str, &'a str, &'a str, u64)>, Vec<&'a str>);

/// The column of an entry.
pub(super) fn written(entry: &Entry) -> String {
    let briefs = entry.fields.anchors.iter().map(Brief::new);
    let anchors = briefs.map(|brief| (brief.at, brief.path, brief.blob, brief.mark)).collect();
    let row: Row = (anchors, entry.fields.depends_on.clone());
    serde_json::to_string(&row).expect("texts and numbers can be written")
}

impl Index {
    /// Every entry as far as its validity is concerned, in the order they came; episodic records are left out.
    ///
    /// The entries themselves, which are long, are not read.
    pub fn subjects(&self) -> SqlResult<Vec<Subject>> {
        let mut subjects = Vec::new();
        self.each_subject(&mut |subject| {
            subjects.push(subject);
            true
        })?;
        Ok(subjects)
    }

    /// The same, one after the other, until `each` answers no.
    pub fn each_subject(&self, each: &mut dyn FnMut(Subject) -> bool) -> SqlResult<()> {
        let mut reasons = self.reasons()?;
        let sql = "SELECT n, key, handle, id, status, ground, memory, type, title FROM entries
                   WHERE asked = 0 AND memory IN ('semantic', 'procedural') ORDER BY n";
        // Not from the cache of statements: what is asked meanwhile may be the same.
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (anchors, depends_on): Row =
                serde_json::from_str(row.get_ref(5)?.as_str()?).unwrap_or_default();
            let status = Status::from_word(row.get_ref(4)?.as_str()?).unwrap_or(Status::Candidate);
            let n: i64 = row.get(0)?;
            let id: String = row.get(3)?;
            let brief = |(at, path, blob, mark)| Brief { at, path, blob, mark };
            let subject = Subject {
                key: key_column(row, 1)?,
                head: EntryHead {
                    handle: row.get::<_, Option<String>>(2)?.unwrap_or_else(|| id.clone()),
                    id,
                    memory: Memory::from_word(row.get_ref(6)?.as_str()?).unwrap_or(Memory::Semantic),
                    kind: row.get(7)?,
                    status,
                    title: row.get(8)?,
                },
                retired: retired(status, reasons.remove(&n).flatten().as_deref()),
                anchors: anchors.into_iter().map(brief).collect(),
                depends_on,
            };
            if !each(subject) {
                break;
            }
        }
        Ok(())
    }

    /// What the entries that are in use rest on.
    pub fn footing(&self) -> SqlResult<Footing> {
        let sql = "SELECT key, ground FROM entries
                   WHERE asked = 0 AND memory IN ('semantic', 'procedural') AND status IN ('candidate', 'active', 'verified')
                   ORDER BY n";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut footing = Footing::default();
        while let Some(row) = rows.next()? {
            let (key, written) = (key_column(row, 0)?, row.get_ref(1)?.as_str()?);
            // Most texts have no sign that JSON writes in another way, and need not be copied.
            if let Ok((anchors, depends_on)) = serde_json::from_str::<PlainRow<'_>>(written) {
                let places = anchors.iter().map(|(_, path, blob, _)| (*path, *blob));
                footing.take(key, places, !depends_on.is_empty());
            } else {
                let (anchors, depends_on): Row = serde_json::from_str(written).unwrap_or_default();
                let places = anchors.iter().map(|(_, path, blob, _)| (path.as_str(), blob.as_str()));
                footing.take(key, places, !depends_on.is_empty());
            }
        }
        Ok(footing)
    }

    /// Why entries that are no longer handed out are not.
    fn reasons(&self) -> SqlResult<HashMap<i64, Option<String>>> {
        let sql =
            "SELECT e.n, json_extract(s.state, '$.status_reason') FROM entries e JOIN states s ON s.n = e.n
                   WHERE status IN ('rejected', 'stale', 'archived', 'retracted', 'superseded')";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    }
}
