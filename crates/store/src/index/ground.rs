//! What of every entry matters for its validity, in short: a check of the whole store reads this, and not the entries.

use ken_core::{Entry, Status};
use ken_engine::validity::retired;
use ken_engine::{Brief, Subject};
use rusqlite::Result as SqlResult;

use super::{Index, key_column};

/// Places as (as written, file, content, mark), then conditions.
type Row = (Vec<(String, String, String, u64)>, Vec<String>);

/// The column of an entry.
pub(super) fn written(entry: &Entry) -> String {
    let briefs = entry.fields.anchors.iter().map(Brief::of);
    let anchors = briefs.map(|brief| (brief.at, brief.path, brief.blob, brief.mark)).collect();
    let row: Row = (anchors, entry.fields.depends_on.clone());
    serde_json::to_string(&row).expect("texts and numbers can be written")
}

impl Index {
    /// Every entry as far as its validity is concerned; episodic records are left out.
    pub fn subjects(&self) -> SqlResult<Vec<Subject>> {
        let sql = "SELECT key, coalesce(handle, id), status, ground, id,
                   CASE WHEN status IN ('candidate', 'active', 'verified') THEN NULL ELSE json_extract(state, '$.status_reason') END
                   FROM entries WHERE memory <> 'episodic' AND NOT asked ORDER BY n";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut subjects = Vec::new();
        while let Some(row) = rows.next()? {
            let (anchors, depends_on): Row =
                serde_json::from_str(row.get_ref(3)?.as_str()?).unwrap_or_default();
            let status = Status::from_word(row.get_ref(2)?.as_str()?).unwrap_or(Status::Candidate);
            let reason: Option<String> = row.get(5)?;
            let brief = |(at, path, blob, mark)| Brief { at, path, blob, mark };
            subjects.push(Subject {
                key: key_column(row, 0)?,
                id: row.get(4)?,
                name: row.get(1)?,
                retired: retired(status, reason.as_deref()),
                anchors: anchors.into_iter().map(brief).collect(),
                depends_on,
            });
        }
        Ok(subjects)
    }
}
