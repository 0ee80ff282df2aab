//! Taking news in: lines get their places, and the projection is told of their events.

use ken_engine::log::hash_of;
use ken_index::{Intake, ROWS_WAITING_MAX, flags_of, insert_many};

use super::*;
use crate::tree::is_shared;

/// One transaction's worth of taking news in.
pub(super) struct CatalogueIntake<'a> {
    pub(super) tx: &'a Connection,
    pub(super) own: &'a [ReplicaId],
    pub(super) projection: Intake<'a>,
    pub(super) lines: &'a dyn Lines,
    /// The newest events must be counted anew.
    pub(super) heads_moved: bool,
    /// Events that were just written here, with their parents: nothing builds on them yet.
    pub(super) new_heads: Vec<(EventHash, Vec<EventHash>)>,
    pub(super) sealed: HashMap<EventHash, Event>,
    pub(super) placed: HashMap<EventHash, (i64, u64, u64)>,
    /// The frames of events that no file has told yet.
    pub(super) framed: HashMap<EventHash, i64>,
    /// Everything is taken in at once: what is not among those was told.
    pub(super) all_expected: bool,
    /// The number of this look, once something was noticed that is in no journal.
    pub(super) noticed: Option<i64>,
    /// Events that this clone wrote itself, where no frame says so.
    pub(super) own_events: &'a HashSet<EventHash>,
    /// Rows of lines in files that wait to be written in order, as long as the index is made anew.
    pub(super) waiting: Vec<LineRow>,
}

/// A row of `lines`.
pub(super) struct LineRow {
    hash: EventHash,
    file: Option<i64>,
    at: Option<i64>,
    length: Option<i64>,
    frame: Option<i64>,
    flags: i64,
    parents: Option<Box<[u8]>>,
    noticed: Option<i64>,
}

enum Place {
    File { id: i64, at: u64, length: u64 },
    Frame(i64),
}

impl CatalogueIntake<'_> {
    /// A file is gone: its lines are no longer in this tree.
    pub(super) fn forget_file(&mut self, path: &str) -> SqlResult<()> {
        let found: Option<(i64, Option<Vec<u8>>)> = self
            .tx
            .prepare_cached("SELECT id, entry FROM files WHERE path = ?")?
            .query_row([path], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((file, entry)) = found else { return Ok(()) };
        self.forget_lines(file, entry)?;
        self.tx.prepare_cached("DELETE FROM files WHERE id = ?")?.execute([file])?;
        Ok(())
    }

    fn forget_lines(&mut self, file: i64, entry: Option<Vec<u8>>) -> SqlResult<()> {
        self.write_waiting()?;
        self.projection.write_waiting()?;
        let mut rows: Vec<(EventHash, Option<Vec<u8>>, i64, bool)> = Vec::new();
        {
            let read = |row: &rusqlite::Row<'_>| {
                Ok((hash(row.get_ref(0)?.as_blob()?), row.get(1)?, row.get(2)?, row.get(3)?))
            };
            // A file of one entry is found through that entry; the shared ones are read in one sweep.
            let sql = "SELECT l.hash, e.entry, l.flags, l.frame IS NOT NULL FROM";
            match entry {
                Some(entry) => {
                    let mut statement = self.tx.prepare_cached(&format!(
                        "{sql} events e JOIN lines l ON l.hash = e.hash WHERE l.file = ?1 AND e.entry = ?2"
                    ))?;
                    rows.extend(
                        statement.query_map(params![file, entry], read)?.collect::<SqlResult<Vec<_>>>()?,
                    );
                }
                None => {
                    let mut statement = self.tx.prepare_cached(&format!(
                        "{sql} lines l LEFT JOIN events e ON e.hash = l.hash WHERE l.file = ?1"
                    ))?;
                    rows.extend(statement.query_map([file], read)?.collect::<SqlResult<Vec<_>>>()?);
                }
            }
        }
        for (hash, entry, flags, in_journal) in rows {
            if let Some(key) = entry.and_then(|bytes| <[u8; 8]>::try_from(bytes).ok()) {
                self.projection.touch(EntryKey(key));
            }
            self.heads_moved |= flags & OWN != 0;
            let other: Option<(i64, i64, i64)> = self
                .tx
                .prepare_cached("SELECT file, at, length FROM doubles WHERE hash = ? LIMIT 1")?
                .query_row([&hash.0[..]], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            if let Some((other, at, length)) = other.filter(|(other, _, _)| *other != file) {
                self.tx
                    .prepare_cached("UPDATE lines SET file = ?2, at = ?3, length = ?4 WHERE hash = ?1")?
                    .execute(params![&hash.0[..], other, at, length])?;
                self.tx
                    .prepare_cached("DELETE FROM doubles WHERE hash = ? AND file = ?")?
                    .execute(params![&hash.0[..], other])?;
            } else if in_journal {
                self.tx
                    .prepare_cached("UPDATE lines SET file = NULL, at = NULL, length = NULL WHERE hash = ?")?
                    .execute([&hash.0[..]])?;
                self.forget_purged(&hash)?;
            } else {
                self.tx.prepare_cached("DELETE FROM lines WHERE hash = ?")?.execute([&hash.0[..]])?;
                self.projection.forget(&hash)?;
            }
        }
        self.tx.prepare_cached("DELETE FROM doubles WHERE file = ?")?.execute([file])?;
        self.tx.prepare_cached("DELETE FROM problems WHERE file = ?")?.execute([file])?;
        Ok(())
    }

    /// A purged event whose bytes left the tree is a stub again, if the journal has no more than that (STO-13).
    fn forget_purged(&mut self, hash: &EventHash) -> SqlResult<()> {
        let sql = "SELECT f.journal, f.segment, f.start, f.length FROM lines e JOIN frames f ON f.id = e.frame
                   WHERE e.hash = ?1 AND e.flags & 2 = 0 AND EXISTS (SELECT 1 FROM purges p WHERE p.hash = ?1)";
        let place: Option<(i64, i64, i64, i64)> = self
            .tx
            .prepare_cached(sql)?
            .query_row([&hash.0[..]], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .optional()?;
        let Some((journal, segment, start, length)) = place else { return Ok(()) };
        let start = Position { segment: segment as u64, offset: start as u64 };
        let kept = self.lines.lines_of_frame(journal, start, length as u64);
        if kept.iter().any(|line| matches!(line, Line::Stub(stub) if stub.hash == *hash)) {
            self.tx
                .prepare_cached("UPDATE lines SET flags = ?2 | (flags & ?3) WHERE hash = ?1")?
                .execute(params![&hash.0[..], STUB, OWN])?;
            self.projection.forget_bytes(hash)?;
        }
        Ok(())
    }

    /// A file is new or changed.
    pub(super) fn file(&mut self, mut file: FileLines) -> SqlResult<()> {
        let known: Option<(i64, Option<Vec<u8>>)> = self
            .tx
            .prepare_cached("SELECT id, entry FROM files WHERE path = ?")?
            .query_row([&file.path], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        if let Some((id, None)) = known
            && let Some(known_lines) = self.has_only_grown(id, &file)?
        {
            let looks = (file.looks.size as i64, file.looks.mtime, file.looks.inode as i64);
            self.tx
                .prepare_cached(
                    "UPDATE files SET size = ?2, mtime = ?3, inode = ?4, chain = ?5 WHERE id = ?1",
                )?
                .execute(params![id, looks.0, looks.1, looks.2, chain(0, &file.lines)])?;
            for (line, at, length) in file.lines.drain(known_lines..) {
                self.line(line, &Place::File { id, at, length })?;
            }
            return Ok(());
        }
        let mut keys = file.lines.iter().filter_map(|(line, _, _)| match line {
            Line::Event(event) => event.entry,
            Line::Stub(_) => None,
        });
        let first = keys.next();
        // A file of runs may have one line that names an entry.
        let is_one = file.stubs == 0 && !is_shared(&file.path);
        let only = first.filter(|first| is_one && keys.all(|key| key == *first)).map(|key| key.0.to_vec());
        // Files of one entry are short.
        let links = only.is_none().then(|| chain(0, &file.lines));
        let id = match known {
            Some((id, entry)) => {
                self.forget_lines(id, entry)?;
                self.tx
                    .prepare_cached(
                        "UPDATE files SET size = ?2, mtime = ?3, inode = ?4, entry = ?5, chain = ?6 WHERE id = ?1",
                    )?
                    .execute(params![
                        id,
                        file.looks.size as i64,
                        file.looks.mtime,
                        file.looks.inode as i64,
                        only,
                        links
                    ])?;
                id
            }
            None => {
                let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                self.tx
                    .prepare_cached(
                        "INSERT INTO files(path, folder, size, mtime, inode, entry, chain) VALUES(?, ?, ?, ?, ?, ?, ?)",
                    )?
                    .execute(params![
                        file.path,
                        folder,
                        file.looks.size as i64,
                        file.looks.mtime,
                        file.looks.inode as i64,
                        only,
                        links
                    ])?;
                self.tx.last_insert_rowid()
            }
        };
        for problem in &file.problems {
            self.tx.prepare_cached("INSERT INTO problems VALUES(?, ?, ?, ?)")?.execute(params![
                id,
                problem.line as i64,
                problem.kind.word(),
                problem.problem
            ])?;
        }
        for (line, at, length) in file.lines {
            self.line(line, &Place::File { id, at, length })?;
        }
        if let Some(key) = only.and_then(|bytes| <[u8; 8]>::try_from(bytes).ok()).map(EntryKey) {
            if !self.projection.is_told_whole(key)? {
                self.write_waiting()?;
            }
            self.projection.fold_soon(key)?;
        }
        Ok(())
    }

    /// How many lines of a shared file are known, if those stand where they stood and others follow: git appends to the ledgers of a month
    /// with every pull.
    fn has_only_grown(&self, id: i64, file: &FileLines) -> SqlResult<Option<usize>> {
        let sql = "SELECT size, chain FROM files WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM problems WHERE file = ?1)";
        let known: Option<(i64, Option<i64>)> =
            self.tx.prepare_cached(sql)?.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((size, Some(links))) = known.filter(|_| file.problems.is_empty()) else { return Ok(None) };
        let count = file.lines.partition_point(|(_, at, length)| at + length <= size as u64);
        Ok(Some(count).filter(|count| chain(0, &file.lines[..*count]) == links))
    }

    /// Lines that this process has just added to a file.
    pub(super) fn written(&mut self, written: Written) -> SqlResult<()> {
        let folder = written.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (size, mtime, inode) =
            (written.looks.size as i64, written.looks.mtime, written.looks.inode as i64);
        let before: Option<Option<i64>> = self
            .tx
            .prepare_cached("SELECT chain FROM files WHERE path = ?")?
            .query_row([&written.path], |row| row.get(0))
            .optional()?;
        // Whoever reads the file before the index is told of the next lines knows those that were there.
        let before = before.unwrap_or_else(|| written.entry.is_none().then_some(0));
        let links = before.map(|before| {
            let link = |before, (hash, at, length): &_| linked(before, hash, *at, *length, false);
            written.lines.iter().fold(before, link)
        });
        let id: i64 = self
            .tx
            .prepare_cached(
                "INSERT INTO files(path, folder, size, mtime, inode, entry, chain) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT(path) DO UPDATE SET size = ?3, mtime = ?4, inode = ?5, chain = ?7, entry = CASE WHEN entry = ?6 THEN entry END
                 RETURNING id",
            )?
            .query_row(
                params![
                    written.path,
                    folder,
                    size,
                    mtime,
                    inode,
                    written.entry.map(|key| key.0.to_vec()),
                    links
                ],
                |row| row.get(0),
            )?;
        for (hash, at, length) in written.lines {
            self.placed.insert(hash, (id, at, length));
            // Usually its frame follows and brings the rest; an event that was put back has a row already.
            if self.is_sealed_now(&hash) {
                continue;
            }
            let changed = self
                .tx
                .prepare_cached(
                    "UPDATE lines SET file = ?2, at = ?3, length = ?4 WHERE hash = ?1 AND file IS NULL",
                )?
                .execute(params![&hash.0[..], id, at as i64, length as i64])?;
            if changed > 0 {
                self.heads_moved = true;
                self.projection.touch_event(&hash)?;
            }
        }
        Ok(())
    }

    /// The row of a write of the journal.
    pub(super) fn frame_row(&mut self, journal: i64, frame: &Frame) -> SqlResult<i64> {
        self.tx
            .prepare_cached("INSERT INTO frames(journal, segment, start, length, branch, tree, boot) VALUES(?, ?, ?, ?, ?, ?, ?)")?
            .execute(params![
                journal,
                frame.start.segment as i64,
                frame.start.offset as i64,
                (frame.end.offset - frame.start.offset) as i64,
                frame.origin.branch,
                frame.origin.tree,
                frame.origin.boot
            ])?;
        Ok(self.tx.last_insert_rowid())
    }

    /// Remembers which frame each event is in, so that its row is written once, when a file tells of it.
    pub(super) fn expect_frame(&mut self, id: i64, frame: &Frame) {
        self.framed
            .extend(frame.records.iter().filter_map(|record| record.stated_hash()).map(|hash| (hash, id)));
    }

    /// The events of a write of the journal.
    pub(super) fn frame(&mut self, id: i64, frame: Frame) -> SqlResult<()> {
        let expected = self.all_expected && !self.framed.is_empty();
        for record in frame.records {
            let stated = record.stated_hash();
            let purges = record.text.contains("\"type\":\"entry.purged\"");
            if let Some(stated) = stated.filter(|stated| !purges && !self.is_sealed_now(stated)) {
                if expected && !self.framed.contains_key(&stated) {
                    continue;
                }
                // What the tree already told us needs only its place in the journal.
                let known: Option<(bool, i64)> = self
                    .tx
                    .prepare_cached(
                        "SELECT frame IS NULL, flags FROM lines WHERE hash = ? AND flags & 2 = 0",
                    )?
                    .query_row([&stated.0[..]], |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()?;
                if let Some((is_news, flags)) = known {
                    self.tx
                        .prepare_cached("UPDATE lines SET frame = ?2 WHERE hash = ?1")?
                        .execute(params![&stated.0[..], id])?;
                    // That it was written here makes a difference to how far it is trusted.
                    if is_news && flags & OWN != 0 {
                        self.projection.touch_event(&stated)?;
                    }
                    continue;
                }
            }
            let line = match stated.and_then(|hash| self.sealed.remove(&hash)) {
                Some(event) => Line::Event(Box::new(event)),
                None => match record.line() {
                    Ok(line) => line,
                    Err(_) => continue,
                },
            };
            self.line(line, &Place::Frame(id))?;
        }
        Ok(())
    }

    /// Whether this process wrote an event a moment ago, in a frame that is told now: as a rule nobody knows it yet.
    fn is_sealed_now(&self, hash: &EventHash) -> bool {
        self.sealed.contains_key(hash) && self.framed.contains_key(hash)
    }

    /// The number of this look among those that noticed something. Numbers only grow, also past an index that was made anew: what it
    /// notices again is told again, and nothing is passed over.
    fn notice_number(&mut self) -> SqlResult<i64> {
        if let Some(number) = self.noticed {
            return Ok(number);
        }
        let last: Option<i64> = self
            .tx
            .prepare_cached("SELECT value FROM meta WHERE name = 'noticed'")?
            .query_row([], |row| row.get(0))
            .optional()?;
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let number = (last.unwrap_or(0) + 1).max(i64::try_from(since.as_micros()).unwrap_or(0));
        self.tx.prepare_cached("INSERT OR REPLACE INTO meta VALUES('noticed', ?)")?.execute([number])?;
        self.noticed = Some(number);
        Ok(number)
    }

    /// A line gets its place, and the projection is told of it.
    fn line(&mut self, line: Line, place: &Place) -> SqlResult<()> {
        let (hash, _, flags) = flags_of(&line, self.own);
        let parents = match &line {
            Line::Event(event) => &event.parents,
            Line::Stub(stub) => &stub.parents,
        };
        let parents: Option<Box<[u8]>> =
            (flags & OWN != 0).then(|| parents.iter().flat_map(|parent| parent.0).collect());
        // A stub says nothing about what the journal holds; its frame is looked at later.
        let frame = match place {
            Place::File { .. } if flags & STUB != 0 => None,
            Place::File { .. } => self.framed.get(&hash).copied(),
            Place::Frame(id) => Some(*id),
        };
        let noticed = match (place, frame) {
            // What is known already is no news, and takes no number.
            (Place::File { .. }, None) if self.noticed.is_none() && self.has_line(&hash)? => None,
            (Place::File { .. }, None) => Some(self.notice_number()?),
            (Place::File { .. } | Place::Frame(_), _) => None,
        };
        let (file, at, length) = match place {
            Place::File { id, at, length } => (Some(*id), Some(*at as i64), Some(*length as i64)),
            Place::Frame(_) => match self.placed.get(&hash) {
                Some((file, at, length)) => (Some(*file), Some(*at as i64), Some(*length as i64)),
                None => (None, None, None),
            },
        };
        // Most lines are new. One that was told before and waits is found when it is written.
        let is_new = if self.projection.is_first() && matches!(place, Place::File { .. }) {
            self.waiting.push(LineRow { hash, file, at, length, frame, flags, parents, noticed });
            if self.waiting.len() >= ROWS_WAITING_MAX {
                self.write_waiting()?;
            }
            true
        } else {
            self.write_waiting()?;
            self.tx
                .prepare_cached("INSERT INTO lines VALUES(?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")?
                .execute(params![&hash.0[..], file, at, length, frame, flags, parents, noticed])?
                > 0
        };
        let is_here = match (is_new, place) {
            (true, Place::File { .. }) => {
                self.heads_moved |= flags & OWN != 0;
                if flags & STUB == 0 {
                    self.framed.remove(&hash);
                }
                frame.is_some() && flags & OWN != 0
            }
            (true, Place::Frame(_)) => {
                self.placed.remove(&hash);
                if let (true, Line::Event(event)) = (file.is_some() && flags & (OWN | DEFERRED) == OWN, &line)
                {
                    self.new_heads.push((event.hash, event.parents.clone()));
                }
                flags & OWN != 0
            }
            (false, _) => self.known_line(&hash, flags, place)?,
        };
        let is_here = is_here || self.own_events.contains(&hash);
        self.projection.line(line, matches!(place, Place::Frame(_)), is_here)
    }

    /// Writes the rows that wait, in order. Whoever looks for lines calls it first.
    pub(super) fn write_waiting(&mut self) -> SqlResult<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut rows = std::mem::take(&mut self.waiting);
        // Of two places of one event, the first one counts.
        rows.sort_by_key(|row| row.hash);
        let tx = self.tx;
        insert_many(
            tx,
            ("INSERT INTO lines", 8, "ON CONFLICT DO NOTHING"),
            &rows,
            |binder, row| {
                binder.put(&row.hash.0[..])?;
                binder.put(row.file)?;
                binder.put(row.at)?;
                binder.put(row.length)?;
                binder.put(row.frame)?;
                binder.put(row.flags)?;
                binder.put(row.parents.as_deref())?;
                binder.put(row.noticed)
            },
            |some| {
                for row in some {
                    if let (Some(id), Some(at), Some(length)) = (row.file, row.at, row.length) {
                        let place = Place::File { id, at: at as u64, length: length as u64 };
                        self.known_line(&row.hash, row.flags, &place)?;
                    }
                    // It took the frame's word for it that it is new.
                    if let Some(frame) = row.frame {
                        tx.prepare_cached("UPDATE lines SET frame = coalesce(frame, ?2) WHERE hash = ?1")?
                            .execute(params![&row.hash.0[..], frame])?;
                    }
                }
                Ok(())
            },
        )?;
        rows.clear();
        self.waiting = rows;
        Ok(())
    }

    fn has_line(&self, hash: &EventHash) -> SqlResult<bool> {
        self.tx.prepare_cached("SELECT 1 FROM lines WHERE hash = ?")?.exists([&hash.0[..]])
    }

    /// A line that has a row gets one more place. Says whether this clone wrote it.
    fn known_line(&mut self, hash: &EventHash, flags: i64, place: &Place) -> SqlResult<bool> {
        let (here, have, framed): (Option<i64>, i64, bool) = self
            .tx
            .prepare_cached("SELECT file, flags, frame IS NOT NULL FROM lines WHERE hash = ?")?
            .query_row([&hash.0[..]], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        // A stub never hides an event of the same name, and an event fills a stub's row: the purge list decides what counts.
        let keep = if flags & STUB != 0 { have } else { flags };
        match (here, place) {
            (Some(other), Place::File { id, at, length }) if other != *id => {
                self.tx
                    .prepare_cached("INSERT OR IGNORE INTO doubles VALUES(?, ?, ?, ?)")?
                    .execute(params![&hash.0[..], id, *at as i64, *length as i64])?;
            }
            (here, Place::File { id, at, length }) => {
                self.heads_moved |= here.is_none() && flags & OWN != 0;
                self.tx
                    .prepare_cached(
                        "UPDATE lines SET file = ?2, at = ?3, length = ?4, flags = ?5 WHERE hash = ?1",
                    )?
                    .execute(params![&hash.0[..], id, *at as i64, *length as i64, keep])?;
            }
            (_, Place::Frame(id)) => {
                self.tx
                    .prepare_cached("UPDATE lines SET frame = ?2, flags = ?3 WHERE hash = ?1")?
                    .execute(params![&hash.0[..], id, keep])?;
            }
        }
        Ok((framed || matches!(place, Place::Frame(_))) && flags & OWN != 0)
    }
}

/// A number for lines of a file and where they stand, from that of the lines before them. Hashes are of the content.
fn chain(before: i64, lines: &[(Line, u64, u64)]) -> i64 {
    lines.iter().fold(before, |before, (line, at, length)| {
        linked(before, &hash_of(line), *at, *length, matches!(line, Line::Stub(_)))
    })
}

/// The same with one line more.
fn linked(before: i64, hash: &EventHash, at: u64, length: u64, is_stub: bool) -> i64 {
    let place = [before.to_le_bytes(), at.to_le_bytes(), length.to_le_bytes()].concat();
    let link = EventHash::from_parts(&[&place, &hash.0, &[u8::from(is_stub)]]);
    let mut first = [0; 8];
    first.copy_from_slice(&link.0[..8]);
    i64::from_le_bytes(first)
}
