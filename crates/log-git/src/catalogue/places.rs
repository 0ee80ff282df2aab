//! Where each event lies.

use super::*;

/// Where each event lies: in which file and in which frame of the journal.
#[derive(Clone, Copy)]
pub struct Places<'a>(pub(super) &'a Index);

impl Places<'_> {
    /// This clone's newest events in this tree: the parents of its next one.
    pub fn heads(self) -> SqlResult<Vec<EventHash>> {
        if let Some(text) = self.0.meta("heads")? {
            return Ok(text.split_whitespace().filter_map(|word| word.parse().ok()).collect());
        }
        // Nobody may add an event between counting and remembering.
        let held = Transaction::new_unchecked(self.0.connection(), rusqlite::TransactionBehavior::Immediate)?;
        let (all, named) = own_lines(&held, "flags & 9 = 8")?;
        let heads: BTreeSet<EventHash> = all.into_iter().filter(|hash| !named.contains(hash)).collect();
        self.0.set_meta("heads", &heads_text(&heads))?;
        held.commit()?;
        Ok(heads.into_iter().collect())
    }

    /// Events of ledger files of which nothing but a stub is left, without a purge that says why.
    pub fn unexplained_stubs(self) -> SqlResult<Vec<EventHash>> {
        self.hashes(
            "SELECT hash FROM lines l WHERE flags & 2 AND file IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM purges p WHERE p.hash = l.hash)",
        )
    }

    /// Events of ledger files that are whole although some purge names them.
    pub fn purged_in_files(self) -> SqlResult<Vec<EventHash>> {
        self.hashes(
            "SELECT DISTINCT p.hash FROM purges p JOIN lines l ON l.hash = p.hash
             WHERE l.flags & 2 = 0 AND l.file IS NOT NULL",
        )
    }

    /// What events that this clone wrote build on, as far as no ledger file holds it.
    pub fn missing_parents(self) -> SqlResult<BTreeSet<EventHash>> {
        let (held, named) = own_lines(self.0.connection(), "flags & 8")?;
        let mut elsewhere =
            self.0.connection().prepare_cached("SELECT 1 FROM lines WHERE hash = ? AND file IS NOT NULL")?;
        let mut missing = BTreeSet::new();
        for parent in named.iter().filter(|parent| !held.contains(parent)) {
            if !elsewhere.exists([&parent.0[..]])? {
                missing.insert(*parent);
            }
        }
        Ok(missing)
    }

    fn hashes(self, sql: &str) -> SqlResult<Vec<EventHash>> {
        let mut statement = self.0.connection().prepare_cached(sql)?;
        statement.query_map([], |row| Ok(hash(row.get_ref(0)?.as_blob()?)))?.collect()
    }

    /// An entry's events with the ledger file and the branch of each.
    pub fn history(self, key: EntryKey, lines: &dyn Lines) -> SqlResult<Vec<Placed>> {
        let mut found = Vec::new();
        for row in rows_of(self.0.connection(), key)? {
            if row.flags & STUB != 0 {
                continue;
            }
            let Some(event) = load(self.0.connection(), lines, &row)? else { continue };
            if self.0.purge_counts(&event)? {
                continue;
            }
            let file = row.file.map(|id| path_of(self.0.connection(), id)).transpose()?.flatten();
            let sql = "SELECT branch FROM frames WHERE id = ?";
            let written_on = match row.frame {
                Some(frame) => self
                    .0
                    .connection()
                    .prepare_cached(sql)?
                    .query_row([frame], |row| row.get(0))
                    .optional()?,
                None => None,
            };
            found.push(Placed { event, line: Some(LedgerLine { file, written_on }) });
        }
        found.sort_by_key(|placed| placed.event.order());
        Ok(found)
    }

    /// Events of the journal that are not in this tree, oldest first. Deferred ones are not meant to be there.
    pub fn absent(self) -> SqlResult<Vec<Absent>> {
        let sql = "SELECT e.hash, f.branch, f.tree, f.segment, f.start, f.journal FROM lines e INDEXED BY lines_absent JOIN frames f ON f.id = e.frame
                   WHERE e.file IS NULL AND e.flags & 3 = 0 ORDER BY e.frame";
        let mut statement = self.0.connection().prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(Absent {
                hash: hash(row.get_ref(0)?.as_blob()?),
                branch: row.get(1)?,
                tree: row.get(2)?,
                journal: row.get(5)?,
                at: Position { segment: row.get::<_, i64>(3)? as u64, offset: row.get::<_, i64>(4)? as u64 },
            })
        })?;
        let absent: Vec<Absent> = rows.collect::<SqlResult<_>>()?;
        let purged = self.0.purged()?;
        Ok(absent.into_iter().filter(|absent| !purged.contains(&absent.hash)).collect())
    }

    /// Events that wait in the journal to be flushed. What was found to stand in a summary is left out.
    pub fn deferred(self) -> SqlResult<Vec<EventHash>> {
        let sql = "SELECT hash FROM lines INDEXED BY lines_deferred
                   WHERE file IS NULL AND flags & 3 = 1 AND flags & 16 = 0 AND frame IS NOT NULL ORDER BY frame";
        let mut statement = self.0.connection().prepare_cached(sql)?;
        statement.query_map([], |row| Ok(hash(row.get_ref(0)?.as_blob()?)))?.collect()
    }

    /// The entries about which something waits in the journal alone that changes how they stand: all but what was shown.
    pub fn keys_of_deferred(self) -> SqlResult<Vec<EntryKey>> {
        let sql = "SELECT DISTINCT e.entry FROM lines l INDEXED BY lines_deferred JOIN events e ON e.hash = l.hash
                   WHERE l.file IS NULL AND l.flags & 3 = 1 AND e.entry IS NOT NULL AND l.hash NOT IN (SELECT hash FROM exposures)";
        let mut statement = self.0.connection().prepare_cached(sql)?;
        statement.query_map([], |row| ken_index::key_column(row, 0))?.collect()
    }

    /// Remembers that exposures stand in a summary, and no longer wait. An index that is made anew finds that out again.
    pub fn set_summed_up(self, events: &HashSet<EventHash>) -> SqlResult<()> {
        let sql = "UPDATE lines SET flags = flags | ?2 WHERE hash = ?1 AND flags & ?2 = 0";
        let mut statement = self.0.connection().prepare_cached(sql)?;
        for hash in events {
            statement.execute(params![&hash.0[..], SUMMED_UP])?;
        }
        Ok(())
    }

    /// The journal record of an event: its ledger file and its line.
    pub fn frame_of(self, event: &EventHash) -> SqlResult<Option<(i64, Position, u64)>> {
        let sql = "SELECT f.journal, f.segment, f.start, f.length FROM lines e JOIN frames f ON f.id = e.frame WHERE e.hash = ?";
        self.0
            .connection()
            .prepare_cached(sql)?
            .query_row([&event.0[..]], |row| {
                let start =
                    Position { segment: row.get::<_, i64>(1)? as u64, offset: row.get::<_, i64>(2)? as u64 };
                Ok((row.get(0)?, start, row.get::<_, i64>(3)? as u64))
            })
            .optional()
    }

    /// The branch an event was written on, where the journal has it.
    pub fn branch_of(self, event: &EventHash) -> SqlResult<Option<String>> {
        let sql = "SELECT f.branch FROM lines e JOIN frames f ON f.id = e.frame WHERE e.hash = ?";
        self.0.connection().prepare_cached(sql)?.query_row([&event.0[..]], |row| row.get(0)).optional()
    }

    /// Lines that were found in ledger files and are in no journal, as they were noticed, behind a number.
    pub fn noticed_since(self, number: u64) -> SqlResult<Vec<(u64, EventHash)>> {
        let sql = "SELECT noticed, hash FROM lines INDEXED BY lines_noticed
                   WHERE frame IS NULL AND noticed > ? ORDER BY noticed, hash";
        let mut statement = self.0.connection().prepare_cached(sql)?;
        let rows = statement.query_map([number as i64], |row| {
            Ok((row.get::<_, i64>(0)? as u64, hash(row.get_ref(1)?.as_blob()?)))
        })?;
        rows.collect()
    }

    /// Hands over the same lines from the last one on, until `each` answers no.
    pub fn each_noticed_backwards(
        self,
        each: &mut dyn FnMut(u64, EventHash) -> SqlResult<bool>,
    ) -> SqlResult<()> {
        let sql = "SELECT noticed, hash FROM lines INDEXED BY lines_noticed
                   WHERE frame IS NULL AND noticed > 0 ORDER BY noticed DESC, hash DESC";
        let mut statement = self.0.connection().prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()?
            && each(row.get::<_, i64>(0)? as u64, hash(row.get_ref(1)?.as_blob()?))?
        {}
        Ok(())
    }

    /// The number of the last batch of lines that was noticed; 0 where none was.
    pub fn last_noticed(self) -> SqlResult<u64> {
        let sql = "SELECT noticed FROM lines INDEXED BY lines_noticed
                   WHERE frame IS NULL AND noticed > 0 ORDER BY noticed DESC LIMIT 1";
        let last =
            self.0.connection().prepare_cached(sql)?.query_row([], |row| row.get::<_, i64>(0)).optional()?;
        Ok(last.map_or(0, |last| last as u64))
    }

    /// A line by its hash: from its file, else from the journal.
    pub fn line(self, wanted: &EventHash, lines: &dyn Lines) -> SqlResult<Option<Line>> {
        let sql = "SELECT hash, file, at, length, frame, flags FROM lines WHERE hash = ?";
        let row = self.0.connection().prepare_cached(sql)?.query_row([&wanted.0[..]], row_of).optional()?;
        let Some(row) = row else { return Ok(None) };
        if let Some(event) = load(self.0.connection(), lines, &row)? {
            return Ok(Some(Line::Event(Box::new(event))));
        }
        if let Some(file) = row.file
            && let Some(path) = path_of(self.0.connection(), file)?
            && let Some(line @ Line::Stub(_)) = lines.line_of_file(&path, row.at as u64, row.length as u64)
        {
            return Ok(Some(line));
        }
        let Some((journal, start, length)) = self.frame_of(wanted)? else { return Ok(None) };
        let all = lines.lines_of_frame(journal, start, length);
        Ok(all.into_iter().find(|line| ken_engine::log::hash_of(line) == *wanted))
    }

    /// The latest frames of this clone's journal, newest first.
    pub fn latest_frames(self, limit: usize) -> SqlResult<Vec<(i64, Position, u64)>> {
        let mut statement = self
            .0
            .connection()
            .prepare_cached("SELECT journal, segment, start, length FROM frames ORDER BY id DESC LIMIT ?")?;
        let rows = statement.query_map([limit as i64], |row| {
            let start =
                Position { segment: row.get::<_, i64>(1)? as u64, offset: row.get::<_, i64>(2)? as u64 };
            Ok((row.get(0)?, start, row.get::<_, i64>(3)? as u64))
        })?;
        rows.collect()
    }

    /// Whether an event is in this tree, or known at all.
    pub fn knows(self, event: &EventHash) -> SqlResult<Option<bool>> {
        let sql = "SELECT file IS NOT NULL FROM lines WHERE hash = ?";
        self.0.connection().prepare_cached(sql)?.query_row([&event.0[..]], |row| row.get(0)).optional()
    }

    /// Every event of this tree's ledger files, with its entry. What a purge left is none.
    pub fn each_event_here(self, each: &mut dyn FnMut(EventHash, Option<EntryKey>)) -> SqlResult<()> {
        let sql = "SELECT l.hash, e.entry FROM lines l LEFT JOIN events e ON e.hash = l.hash
                   WHERE l.file IS NOT NULL AND l.flags & ? = 0";
        let mut statement = self.0.connection().prepare_cached(sql)?;
        let mut rows = statement.query([STUB])?;
        while let Some(row) = rows.next()? {
            let entry = row.get_ref(1)?.as_blob_or_null()?.and_then(|key| key.try_into().ok());
            each(hash(row.get_ref(0)?.as_blob()?), entry.map(EntryKey));
        }
        Ok(())
    }

    /// Whether several ledger files hold an event.
    pub fn is_doubled(self, event: &EventHash) -> SqlResult<bool> {
        let sql = "SELECT 1 FROM doubles WHERE hash = ?";
        self.0.connection().prepare_cached(sql)?.exists([&event.0[..]])
    }
}
