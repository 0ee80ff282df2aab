//! What figures about a whole store look at, read off indexes: the entries themselves, which are long, are not read.

use std::collections::BTreeMap;

use ken_core::drift::{Columns, Subject};
use ken_core::{Clock, Entry, EntryHead, EntryKey, Memory, Millis, Scope, Status, Type, TypeName};
use ken_engine::{Delivered, Episode, UpkeepEntry};
use rusqlite::{Result as SqlResult, params};

use super::runs::What;
use super::{Index, key_column};

impl Index {
    /// Every semantic and procedural entry as far as its upkeep is concerned, by key. Nothing is known of overlays here.
    pub fn tended(&self) -> SqlResult<Vec<UpkeepEntry>> {
        let sql = "SELECT key, type, memory, status, scope, reviewer, stated, confirmed, gaps FROM entries
                   WHERE asked = 0 AND memory IN ('semantic', 'procedural')";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let kind = row.get_ref(1)?.as_str()?;
            all.push(UpkeepEntry {
                key: key_column(row, 0)?,
                kind: Type::from_word(kind)
                    .map_or_else(|| TypeName::Unknown(kind.to_owned()), TypeName::Known),
                memory: Memory::from_word(row.get_ref(2)?.as_str()?).unwrap_or(Memory::Semantic),
                status: Status::from_word(row.get_ref(3)?.as_str()?).unwrap_or(Status::Candidate),
                scope: Scope::from_word(row.get_ref(4)?.as_str()?).unwrap_or(Scope::Project),
                reviewer: row.get(5)?,
                stated: Clock::unpacked(row.get(6)?),
                confirmed: row.get::<_, Option<i64>>(7)?.map(Clock::unpacked),
                has_gaps: row.get(8)?,
                hidden: false,
            });
        }
        all.sort_unstable_by_key(|one| one.key);
        Ok(all)
    }

    /// Every semantic and procedural entry that is handed out, as far as drift is concerned. Nothing is known of overlays here.
    pub fn drifting(&self, reviewer: Option<&str>) -> SqlResult<Vec<Subject>> {
        let sql = "SELECT e.key, e.id, e.handle, e.memory, e.type, e.status, e.title, e.reviewer, e.stated, e.confirmed, s.state
                   FROM entries e NOT INDEXED JOIN states s ON s.n = e.n
                   WHERE e.asked = 0 AND e.memory IN ('semantic', 'procedural') AND e.status IN ('candidate', 'active', 'verified')
                   AND (?1 IS NULL OR e.reviewer = ?1)";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([reviewer])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let word = row.get_ref(4)?.as_str()?;
            let kind =
                Type::from_word(word).map_or_else(|| TypeName::Unknown(word.to_owned()), TypeName::Known);
            let id: String = row.get(1)?;
            let columns = Columns {
                key: key_column(row, 0)?,
                head: EntryHead {
                    handle: row.get::<_, Option<String>>(2)?.unwrap_or_else(|| id.clone()),
                    id,
                    memory: Memory::from_word(row.get_ref(3)?.as_str()?).unwrap_or(Memory::Semantic),
                    kind: word.to_owned(),
                    status: Status::from_word(row.get_ref(5)?.as_str()?).unwrap_or(Status::Candidate),
                    title: row.get(6)?,
                },
                kind,
                reviewer: row.get(7)?,
                stated: Clock::unpacked(row.get(8)?),
                confirmed: row.get::<_, Option<i64>>(9)?.map(Clock::unpacked),
            };
            let written = row.get_ref(10)?.as_str()?;
            all.push(match Subject::read(columns.clone(), written) {
                Some(subject) => subject,
                None => {
                    let entry: Entry = serde_json::from_str(written).map_err(|error| {
                        rusqlite::Error::FromSqlConversionFailure(
                            10,
                            rusqlite::types::Type::Text,
                            error.into(),
                        )
                    })?;
                    Subject::new(columns.head, &entry)
                }
            });
        }
        Ok(all)
    }

    /// A sum over the digests of all norms: no order matters.
    pub fn norms_print(&self) -> SqlResult<u64> {
        let sql = "SELECT key, digest FROM entries WHERE asked = 0 AND memory = 'procedural'";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut print = 0_u64;
        while let Some(row) = rows.next()? {
            let mut hasher = blake3::Hasher::new();
            hasher.update(row.get_ref(0)?.as_blob()?);
            hasher.update(&row.get::<_, i64>(1)?.to_le_bytes());
            let hash = hasher.finalize();
            let first: [u8; 8] = hash.as_bytes()[..8].try_into().expect("a hash has eight bytes");
            print = print.wrapping_add(u64::from_le_bytes(first));
        }
        Ok(print)
    }

    /// When each entry was last put before somebody or used, and how often the former. A weak answer was put before somebody, too, and does
    /// not count.
    pub fn delivered(&self) -> SqlResult<Vec<(EntryKey, Delivered)>> {
        let mut found: BTreeMap<EntryKey, Delivered> = BTreeMap::new();
        let mut take = |entry: EntryKey, clock: Clock, times: usize| {
            let delivered = found.entry(entry).or_insert(Delivered { last: clock, times: 0 });
            delivered.last = delivered.last.max(clock);
            delivered.times += times;
        };
        self.each_exposed(&mut |entry, clock| take(entry, clock, 1))?;
        let sql =
            "SELECT u.entry, max(u.clock) FROM uses u JOIN events e ON e.hash = u.hash GROUP BY u.entry";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(key_column(row, 0)?, Clock::unpacked(row.get(1)?), 0);
        }
        let sql = "SELECT e.entry, count(*) FROM runs r JOIN events e ON e.hash = r.hash
                   WHERE r.what = ? AND e.entry IS NOT NULL GROUP BY e.entry";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([What::Missed as i64])?;
        while let Some(row) = rows.next()? {
            if let Some(delivered) = found.get_mut(&key_column(row, 0)?) {
                let missed = usize::try_from(row.get::<_, i64>(1)?).unwrap_or(usize::MAX);
                delivered.times = delivered.times.saturating_sub(missed);
            }
        }
        Ok(found.into_iter().collect())
    }

    /// Every file that an entry has an anchor in, with the entry, by path.
    pub fn places(&self) -> SqlResult<Vec<(String, EntryKey)>> {
        let mut statement = self.connection.prepare_cached("SELECT path, key FROM places ORDER BY 1, 2")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, key_column(row, 1)?)))?;
        rows.collect()
    }

    /// When every entry that changed since a time was stated, and when it last changed.
    pub fn changes(&self, since: Millis) -> SqlResult<Vec<(Clock, Clock)>> {
        let sql = "SELECT stated, changed FROM entries INDEXED BY entries_by_changed WHERE asked = 0 AND changed >= ? ORDER BY 1, 2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([Clock::at(since).packed()], |row| {
            Ok((Clock::unpacked(row.get(0)?), Clock::unpacked(row.get(1)?)))
        })?;
        rows.collect()
    }

    /// Records of one type that are handed out and changed since a time, oldest first.
    pub fn episodes(
        &self,
        kind: Type,
        since: Option<Millis>,
        thread: Option<&str>,
    ) -> SqlResult<Vec<Episode>> {
        let sql = "SELECT e.id, s.state FROM entries e JOIN states s ON s.n = e.n WHERE asked = 0 AND memory = ?1 AND type = ?2
                   AND status IN ('candidate', 'active', 'verified') AND changed >= ?3 AND (scope <> 'thread' OR thread = ?4)";
        let mut statement = self.connection.prepare_cached(sql)?;
        let since = since.map_or(i64::MIN, |since| Clock::at(since).packed());
        let mut rows = statement.query(params![kind.memory().word(), kind.word(), since, thread])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let read = Episode::read(row.get(0)?, row.get_ref(1)?.as_str()?);
            all.push(read.map_err(|error| {
                rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, error.into())
            })?);
        }
        all.sort_unstable_by_key(|one| (one.created, one.key));
        Ok(all)
    }
}
