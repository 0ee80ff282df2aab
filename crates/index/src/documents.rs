//! Files of other systems: which are known, as of when, and which entries they hold (DOO-6).

use ken_core::{Clock, DocumentEvent, DocumentName, Kept};
use ken_engine::DocumentLine;

use super::intake::Intake;
use super::*;

pub(super) const TABLES: &str = "
CREATE TABLE documents(format TEXT NOT NULL, root TEXT NOT NULL, path TEXT NOT NULL, hash BLOB NOT NULL, clock INTEGER NOT NULL, replica BLOB NOT NULL,
  content TEXT NOT NULL, derived INTEGER NOT NULL, more INTEGER NOT NULL, gone INTEGER NOT NULL, PRIMARY KEY(format, root, path, hash)) WITHOUT ROWID;
CREATE TABLE homes(key BLOB NOT NULL, hash BLOB NOT NULL, PRIMARY KEY(key, hash)) WITHOUT ROWID;
";

/// Stands in for the number of pieces that follow: not the file itself, but a word about how its entries stood.
const SEEN: i64 = -1;

/// The newest whole word about each file that is not purged. What is asked for comes by its key: one file must not cost a look at all of them.
fn newest_sql(wanted: &str) -> String {
    format!(
        "SELECT d.format, d.root, d.path, d.content, d.derived, d.gone, max(d.clock), d.replica, d.hash
         FROM documents d CROSS JOIN events e ON e.hash = d.hash AND e.flags & 2 = 0
         WHERE d.more = 0 {wanted} AND NOT EXISTS (SELECT 1 FROM purges p WHERE p.hash = d.hash)
         GROUP BY d.format, d.root, d.path"
    )
}

impl Intake<'_> {
    pub(super) fn document(&mut self, event: &Event, said: &DocumentEvent) -> SqlResult<()> {
        let (name, content, derived, more, gone) = match said {
            DocumentEvent::Kept(kept) => {
                (&kept.document, kept.hash.as_str(), kept.derived, i64::from(kept.more), false)
            }
            DocumentEvent::Seen(seen) => (&seen.document, seen.hash.as_str(), false, SEEN, false),
            DocumentEvent::Left { document, .. } => (document, "", false, 0, true),
        };
        self.tx
            .prepare_cached("INSERT OR IGNORE INTO documents VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?
            .execute(params![
                name.format,
                name.root,
                name.path,
                &event.hash.0[..],
                event.clock.packed(),
                &event.replica.0[..],
                content,
                derived,
                more,
                gone
            ])?;
        if let DocumentEvent::Kept(kept) = said {
            for (key, _) in kept.entries() {
                self.tx
                    .prepare_cached("INSERT OR IGNORE INTO homes VALUES(?, ?)")?
                    .execute(params![&key.0[..], &event.hash.0[..]])?;
            }
        }
        Ok(())
    }
}

/// Files by the entries in them.
type Homes = BTreeMap<EntryKey, Vec<DocumentName>>;

struct Newest {
    line: DocumentLine,
    gone: bool,
    replica: Vec<u8>,
    hash: Vec<u8>,
}

impl Index {
    fn newest(
        &self,
        format: Option<&str>,
        root: Option<&str>,
        path: Option<&str>,
        source: &dyn Source,
    ) -> SqlResult<Vec<Newest>> {
        let asked = [("format", format), ("root", root), ("path", path)];
        let asked: Vec<(&str, &str)> =
            asked.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        let wanted: String = asked.iter().map(|(name, _)| format!(" AND d.{name} = ?")).collect();
        let values: Vec<&str> = asked.into_iter().map(|(_, value)| value).collect();
        let mut statement = self.connection.prepare_cached(&newest_sql(&wanted))?;
        let rows = statement.query_map(rusqlite::params_from_iter(values), |row| {
            let document = DocumentName { format: row.get(0)?, root: row.get(1)?, path: row.get(2)? };
            let line = DocumentLine {
                document,
                hash: row.get(3)?,
                derived: row.get(4)?,
                at: Clock::unpacked(row.get(6)?),
                on_branch: source.is_here(&hash(row.get_ref(8)?.as_blob()?))?,
            };
            Ok(Newest { line, gone: row.get(5)?, replica: row.get(7)?, hash: row.get(8)? })
        })?;
        rows.collect()
    }

    /// Every file that is known, by its name; of one format or folder where that is asked for.
    pub fn documents(
        &self,
        format: Option<&str>,
        root: Option<&str>,
        source: &dyn Source,
    ) -> SqlResult<Vec<DocumentLine>> {
        let newest = self.newest(format, root, None, source)?;
        Ok(newest.into_iter().filter(|newest| !newest.gone).map(|newest| newest.line).collect())
    }

    /// When something was last said of a file.
    pub fn document_clock(&self, name: &DocumentName) -> SqlResult<Option<Clock>> {
        let sql = "SELECT max(clock) FROM documents WHERE format = ? AND root = ? AND path = ?";
        let mut statement = self.connection.prepare_cached(sql)?;
        let clock: Option<i64> =
            statement.query_row(params![name.format, name.root, name.path], |row| row.get(0))?;
        Ok(clock.map(Clock::unpacked))
    }

    /// A file with all its parts.
    pub fn document(&self, name: &DocumentName, source: &dyn Source) -> SqlResult<Option<Kept>> {
        let newest = self.newest(Some(&name.format), Some(&name.root), Some(&name.path), source)?;
        let Some(newest) = newest.into_iter().find(|newest| !newest.gone) else { return Ok(None) };
        let sql = "SELECT e.hash FROM documents d JOIN events e ON e.hash = d.hash
                   WHERE d.format = ?1 AND d.root = ?2 AND d.path = ?3 AND d.content = ?4
                     AND (d.hash = ?6 OR (d.replica = ?5 AND d.more > 0) OR d.more = -1)
                     AND e.flags & 2 = 0 ORDER BY d.clock";
        let mut statement = self.connection.prepare_cached(sql)?;
        let hashes: Vec<EventHash> = statement
            .query_map(
                params![name.format, name.root, name.path, newest.line.hash, newest.replica, newest.hash],
                |row| hash_column(row, 0),
            )?
            .collect::<SqlResult<_>>()?;
        let mut events = Vec::with_capacity(hashes.len());
        for hash in hashes {
            events.extend(source.event(&hash)?);
        }
        Ok(Kept::fold_all(&events).remove(name).map(|(_, kept)| kept))
    }

    /// Everything that was ever said about files with the text of an entry in it.
    pub fn quoting(&self, key: EntryKey, source: &dyn Source) -> SqlResult<Vec<Event>> {
        // A long file is told in pieces, and the text of an entry may go on in the next.
        let sql = "SELECT DISTINCT e.hash FROM homes h JOIN documents d ON d.hash = h.hash
                   JOIN documents p ON p.format = d.format AND p.root = d.root AND p.path = d.path AND p.content = d.content AND p.more >= 0
                   JOIN events e ON e.hash = p.hash WHERE h.key = ? AND e.flags & 2 = 0";
        let mut statement = self.connection.prepare_cached(sql)?;
        let hashes: Vec<EventHash> =
            statement.query_map([&key.0[..]], |row| hash_column(row, 0))?.collect::<SqlResult<_>>()?;
        let mut events = Vec::with_capacity(hashes.len());
        for hash in hashes {
            events.extend(source.event(&hash)?);
        }
        Ok(events)
    }

    /// Whether an entry was purged and nobody stated it since: events speak of it, and it is not there.
    pub fn was_purged(&self, key: EntryKey) -> SqlResult<bool> {
        let any = self.connection.prepare_cached("SELECT 1 FROM purges LIMIT 1")?.exists([])?;
        let sql = "SELECT 1 FROM events e WHERE e.entry = ?1 AND NOT EXISTS (SELECT 1 FROM entries n WHERE n.key = ?1)";
        Ok(any && self.connection.prepare_cached(sql)?.exists([&key.0[..]])?)
    }

    /// The files that hold each entry.
    pub fn homes(&self) -> SqlResult<BTreeMap<EntryKey, Vec<DocumentName>>> {
        Ok(self.homes_now_and_before()?.0)
    }

    /// Entries that no file holds any more, with the known files that held them before.
    pub fn former_homes(&self) -> SqlResult<BTreeMap<EntryKey, Vec<DocumentName>>> {
        let (now, mut before) = self.homes_now_and_before()?;
        before.retain(|key, _| !now.contains_key(key));
        Ok(before)
    }

    /// The files that hold each entry, and those that an older state of held it.
    fn homes_now_and_before(&self) -> SqlResult<(Homes, Homes)> {
        let current: HashMap<DocumentName, (String, Vec<u8>, Vec<u8>)> = self
            .newest(None, None, None, &Anywhere)?
            .into_iter()
            .filter(|newest| !newest.gone)
            .map(|newest| (newest.line.document, (newest.line.hash, newest.replica, newest.hash)))
            .collect();
        let sql = "SELECT h.key, d.format, d.root, d.path, d.content, d.replica, d.hash, d.more FROM homes h JOIN documents d ON d.hash = h.hash";
        let (mut homes, mut before) = (Homes::new(), Homes::new());
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let name = DocumentName { format: row.get(1)?, root: row.get(2)?, path: row.get(3)? };
            let Some((content, replica, hash)) = current.get(&name) else { continue };
            let is_piece = row.get::<_, i64>(7)? > 0;
            let same = row.get::<_, String>(4)? == *content && row.get::<_, Vec<u8>>(5)? == *replica;
            let is_current = row.get::<_, Vec<u8>>(6)? == *hash || (is_piece && same);
            let key = <[u8; 8]>::try_from(row.get_ref(0)?.as_blob()?).unwrap_or_default();
            let all = if is_current { &mut homes } else { &mut before };
            let names = all.entry(EntryKey(key)).or_default();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok((homes, before))
    }
}
