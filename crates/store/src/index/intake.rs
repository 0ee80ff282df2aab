//! Taking news in: lines get their places, entries that they touch are folded anew, all in one transaction.

use ken_core::SettingEvent;
use ken_core::decide::merge_name;
use ken_engine::way_in::{Trust, look_again, redacted, redacted_text};

use super::shelf::Shelved;
use super::*;

/// One transaction's worth of taking news in.
pub(super) struct Intake<'a> {
    pub(super) tx: &'a Connection,
    pub(super) own: Option<ReplicaId>,
    pub(super) lines: &'a dyn Lines,
    pub(super) dirty: BTreeSet<EntryKey>,
    pub(super) seen: HashMap<EntryKey, Vec<Event>>,
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
    /// Entries that were folded as soon as their file was read.
    pub(super) folded: Vec<EntryKey>,
    /// Texts that are to be made searchable, by their entry's number.
    pub(super) shelved: BTreeMap<i64, Shelved>,
    /// By how much the digest of all entries moved.
    pub(super) digest_moved: u64,
    /// Events that this clone wrote itself, where no frame says so.
    pub(super) own_events: HashSet<EventHash>,
}

/// An entry as the index had it.
struct Known {
    n: i64,
    given: Option<String>,
    digest: u64,
}

enum Place {
    File { id: i64, at: u64, length: u64 },
    Frame(i64),
}

impl Intake<'_> {
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
        let mut rows: Vec<(EventHash, Option<Vec<u8>>, i64, bool)> = Vec::new();
        {
            let read = |row: &rusqlite::Row<'_>| {
                Ok((hash(row.get_ref(0)?.as_blob()?), row.get(1)?, row.get(2)?, row.get(3)?))
            };
            // A file of one entry is found through that entry; the shared ones are read in one sweep.
            let sql = "SELECT hash, entry, flags, frame IS NOT NULL FROM events WHERE file = ?1";
            match entry {
                Some(entry) => {
                    let mut statement = self.tx.prepare_cached(&format!("{sql} AND entry = ?2"))?;
                    rows.extend(
                        statement.query_map(params![file, entry], read)?.collect::<SqlResult<Vec<_>>>()?,
                    );
                }
                None => {
                    let mut statement = self.tx.prepare_cached(sql)?;
                    rows.extend(statement.query_map([file], read)?.collect::<SqlResult<Vec<_>>>()?);
                }
            }
        }
        for (hash, entry, flags, in_journal) in rows {
            if let Some(key) = entry.and_then(|bytes| <[u8; 8]>::try_from(bytes).ok()) {
                self.dirty.insert(EntryKey(key));
            }
            self.heads_moved |= flags & OWN != 0;
            let other: Option<(i64, i64, i64)> = self
                .tx
                .prepare_cached("SELECT file, at, length FROM doubles WHERE hash = ? LIMIT 1")?
                .query_row([&hash.0[..]], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            if let Some((other, at, length)) = other.filter(|(other, _, _)| *other != file) {
                self.tx
                    .prepare_cached("UPDATE events SET file = ?2, at = ?3, length = ?4 WHERE hash = ?1")?
                    .execute(params![&hash.0[..], other, at, length])?;
                self.tx
                    .prepare_cached("DELETE FROM doubles WHERE hash = ? AND file = ?")?
                    .execute(params![&hash.0[..], other])?;
            } else if in_journal {
                self.tx
                    .prepare_cached("UPDATE events SET file = NULL, at = NULL, length = NULL WHERE hash = ?")?
                    .execute([&hash.0[..]])?;
                self.forget_purged(&hash)?;
            } else {
                self.tx.prepare_cached("DELETE FROM events WHERE hash = ?")?.execute([&hash.0[..]])?;
            }
        }
        self.tx.prepare_cached("DELETE FROM doubles WHERE file = ?")?.execute([file])?;
        self.tx.prepare_cached("DELETE FROM problems WHERE file = ?")?.execute([file])?;
        Ok(())
    }

    /// A purged event whose bytes left the tree is a stub again, if the journal has no more than that (STO-13).
    fn forget_purged(&mut self, hash: &EventHash) -> SqlResult<()> {
        let sql = "SELECT f.journal, f.segment, f.start, f.length FROM events e JOIN frames f ON f.id = e.frame
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
                .prepare_cached("UPDATE events SET entry = NULL, flags = ?2 | (flags & ?3) WHERE hash = ?1")?
                .execute(params![&hash.0[..], STUB, OWN])?;
        }
        Ok(())
    }

    /// A file is new or changed.
    pub(super) fn file(&mut self, file: FileLines) -> SqlResult<()> {
        let known: Option<(i64, Option<Vec<u8>>)> = self
            .tx
            .prepare_cached("SELECT id, entry FROM files WHERE path = ?")?
            .query_row([&file.path], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let mut keys = file.lines.iter().filter_map(|(line, _, _)| match line {
            Line::Event(event) => event.entry,
            Line::Stub(_) => None,
        });
        let first = keys.next();
        let only =
            first.filter(|first| file.stubs == 0 && keys.all(|key| key == *first)).map(|key| key.0.to_vec());
        let id = match known {
            Some((id, entry)) => {
                self.forget_lines(id, entry)?;
                self.tx
                    .prepare_cached(
                        "UPDATE files SET size = ?2, mtime = ?3, inode = ?4, entry = ?5 WHERE id = ?1",
                    )?
                    .execute(params![
                        id,
                        file.looks.size as i64,
                        file.looks.mtime,
                        file.looks.inode as i64,
                        only
                    ])?;
                id
            }
            None => {
                let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                self.tx
                    .prepare_cached(
                        "INSERT INTO files(path, folder, size, mtime, inode, entry) VALUES(?, ?, ?, ?, ?, ?)",
                    )?
                    .execute(params![
                        file.path,
                        folder,
                        file.looks.size as i64,
                        file.looks.mtime,
                        file.looks.inode as i64,
                        only
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
        // Folding at once keeps few events in memory, however many files there are.
        if let Some(key) = only.and_then(|bytes| <[u8; 8]>::try_from(bytes).ok()).map(EntryKey)
            && self.dirty.remove(&key)
        {
            self.refold_one(key)?;
            self.folded.push(key);
        }
        Ok(())
    }

    /// Lines that this process has just added to a file.
    pub(super) fn written(&mut self, written: Written) -> SqlResult<()> {
        let folder = written.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (size, mtime, inode) =
            (written.looks.size as i64, written.looks.mtime, written.looks.inode as i64);
        self.tx
            .prepare_cached(
                "INSERT INTO files(path, folder, size, mtime, inode, entry) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT(path) DO UPDATE SET size = ?3, mtime = ?4, inode = ?5, entry = CASE WHEN entry = ?6 THEN entry END",
            )?
            .execute(params![written.path, folder, size, mtime, inode, written.entry.map(|key| key.0.to_vec())])?;
        let id: i64 = self
            .tx
            .prepare_cached("SELECT id FROM files WHERE path = ?")?
            .query_row([&written.path], |row| row.get(0))?;
        for (hash, at, length) in written.lines {
            self.placed.insert(hash, (id, at, length));
            // Usually its frame follows and brings the rest; an event that was put back has a row already.
            let changed = self
                .tx
                .prepare_cached(
                    "UPDATE events SET file = ?2, at = ?3, length = ?4 WHERE hash = ?1 AND file IS NULL",
                )?
                .execute(params![&hash.0[..], id, at as i64, length as i64])?;
            if changed > 0 {
                self.heads_moved = true;
                let entry: Option<Vec<u8>> = self
                    .tx
                    .prepare_cached("SELECT entry FROM events WHERE hash = ?")?
                    .query_row([&hash.0[..]], |row| row.get(0))?;
                if let Some(key) = entry.and_then(|bytes| <[u8; 8]>::try_from(bytes).ok()) {
                    self.dirty.insert(EntryKey(key));
                }
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
            if let Some(stated) = stated.filter(|_| !purges) {
                if expected && !self.framed.contains_key(&stated) {
                    continue;
                }
                // What the tree already told us needs only its place in the journal.
                let known: Option<(Option<Vec<u8>>, bool, i64)> = self
                    .tx
                    .prepare_cached(
                        "SELECT entry, frame IS NULL, flags FROM events WHERE hash = ? AND flags & 2 = 0",
                    )?
                    .query_row([&stated.0[..]], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                    .optional()?;
                if let Some((entry, is_news, flags)) = known {
                    self.tx
                        .prepare_cached("UPDATE events SET frame = ?2 WHERE hash = ?1")?
                        .execute(params![&stated.0[..], id])?;
                    // That it was written here makes a difference to how far it is trusted.
                    if let (true, Some(key)) =
                        (is_news && flags & OWN != 0, entry.and_then(|bytes| bytes.try_into().ok()))
                    {
                        self.dirty.insert(EntryKey(key));
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

    fn line(&mut self, line: Line, place: &Place) -> SqlResult<()> {
        let (hash_bytes, entry, flags, parents) = match &line {
            Line::Event(event) => {
                let own = self.own == Some(event.replica);
                let added =
                    matches!(event.body, Some(Body::Entry(EntryEvent::Added(_) | EntryEvent::Rejected(_))));
                let flags = if event.is_deferred() { DEFERRED } else { 0 }
                    | if own { OWN } else { 0 }
                    | if added { ADDED } else { 0 };
                let parents: Option<Vec<u8>> =
                    own.then(|| event.parents.iter().flat_map(|parent| parent.0).collect());
                (event.hash, event.entry, flags, parents)
            }
            Line::Stub(Stub { hash, parents, replica, .. }) => {
                let own = self.own == Some(*replica);
                let parents: Option<Vec<u8>> =
                    own.then(|| parents.iter().flat_map(|parent| parent.0).collect());
                (*hash, None, STUB | if own { OWN } else { 0 }, parents)
            }
        };
        let entry_bytes = entry.map(|key| key.0.to_vec());
        let known: Option<(Option<i64>, i64)> = self
            .tx
            .prepare_cached("SELECT file, flags FROM events WHERE hash = ?")?
            .query_row([&hash_bytes.0[..]], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match (known, place) {
            (None, Place::File { id, at, length }) => {
                self.heads_moved |= flags & OWN != 0;
                // A stub says nothing about what the journal holds; its frame is looked at later.
                let frame = if flags & STUB == 0 { self.framed.remove(&hash_bytes) } else { None };
                self.tx
                    .prepare_cached("INSERT INTO events(hash, entry, file, at, length, frame, flags, parents) VALUES(?, ?, ?, ?, ?, ?, ?, ?)")?
                    .execute(params![&hash_bytes.0[..], entry_bytes, id, *at as i64, *length as i64, frame, flags, parents])?;
            }
            (None, Place::Frame(id)) => {
                let (file, at, length) = match self.placed.remove(&hash_bytes) {
                    Some((file, at, length)) => (Some(file), Some(at as i64), Some(length as i64)),
                    None => (None, None, None),
                };
                if let (true, Line::Event(event)) = (file.is_some() && flags & (OWN | DEFERRED) == OWN, &line)
                {
                    self.new_heads.push((event.hash, event.parents.clone()));
                }
                self.tx
                    .prepare_cached("INSERT INTO events(hash, entry, file, at, length, frame, flags, parents) VALUES(?, ?, ?, ?, ?, ?, ?, ?)")?
                    .execute(params![&hash_bytes.0[..], entry_bytes, file, at, length, id, flags, parents])?;
            }
            (Some((Some(other), _)), Place::File { id, at, length }) if other != *id => {
                self.tx
                    .prepare_cached("INSERT OR IGNORE INTO doubles VALUES(?, ?, ?, ?)")?
                    .execute(params![&hash_bytes.0[..], id, *at as i64, *length as i64])?;
            }
            (Some((here, have)), Place::File { id, at, length }) => {
                self.heads_moved |= here.is_none() && flags & OWN != 0;
                // A stub never hides an event of the same name, and an event fills a stub's row: the purge list decides what counts.
                let keep = if flags & STUB != 0 { have } else { flags };
                self.tx
                    .prepare_cached("UPDATE events SET file = ?2, at = ?3, length = ?4, flags = ?5, entry = coalesce(?6, entry) WHERE hash = ?1")?
                    .execute(params![&hash_bytes.0[..], id, *at as i64, *length as i64, keep, entry_bytes])?;
            }
            (Some((_, have)), Place::Frame(id)) => {
                let keep = if flags & STUB != 0 { have } else { flags };
                self.tx
                    .prepare_cached("UPDATE events SET frame = ?2, flags = ?3, entry = coalesce(?4, entry) WHERE hash = ?1")?
                    .execute(params![&hash_bytes.0[..], id, keep, entry_bytes])?;
            }
        }
        let Line::Event(event) = line else { return Ok(()) };
        if let Some(Body::Entry(EntryEvent::Purged { hashes, .. })) = &event.body {
            let in_journal = matches!(place, Place::Frame(_));
            self.purge(&event, hashes, in_journal)?;
        }
        if let Some(Body::Setting(SettingEvent::Changed { name, value })) = &event.body {
            self.tx.prepare_cached("INSERT OR IGNORE INTO settings VALUES(?, ?, ?, ?, ?)")?.execute(
                params![
                    &event.hash.0[..],
                    redacted_text(name),
                    event.clock.packed(),
                    &event.replica.0[..],
                    redacted(value.clone()).to_string()
                ],
            )?;
        }
        if let Some(promotion) = event.body.as_ref().and_then(Body::promotion) {
            self.tx.prepare_cached("INSERT OR IGNORE INTO promotions VALUES(?, ?, ?)")?.execute(params![
                redacted_text(promotion),
                &event.hash.0[..],
                event.clock.packed()
            ])?;
        }
        if let Some(Body::Run(said)) = &event.body {
            self.run(&event, said)?;
        }
        if let Some(Body::Document(said)) = &event.body {
            self.document(&event, said)?;
        }
        if let Some(key) = event.entry {
            self.dirty.insert(key);
            self.seen.entry(key).or_default().push(*event);
        }
        Ok(())
    }

    /// Records a purge and looks at the purged events' entries again.
    fn purge(&mut self, event: &Event, hashes: &[EventHash], in_journal: bool) -> SqlResult<()> {
        for purged in hashes {
            self.tx
                .prepare_cached("INSERT INTO purges VALUES(?1, ?2, ?3) ON CONFLICT DO UPDATE SET journal = max(journal, ?3)")?
                .execute(params![&purged.0[..], &event.replica.0[..], in_journal])?;
            let entry: Option<Option<Vec<u8>>> = self
                .tx
                .prepare_cached("SELECT entry FROM events WHERE hash = ?")?
                .query_row([&purged.0[..]], |row| row.get(0))
                .optional()?;
            if let Some(key) = entry.flatten().and_then(|bytes| <[u8; 8]>::try_from(bytes).ok()) {
                self.dirty.insert(EntryKey(key));
            }
        }
        Ok(())
    }

    /// Folds every touched entry anew.
    pub(super) fn refold(&mut self) -> SqlResult<Vec<EntryKey>> {
        let dirty: Vec<EntryKey> = std::mem::take(&mut self.dirty).into_iter().collect();
        for key in &dirty {
            self.refold_one(*key)?;
        }
        Ok(dirty)
    }

    fn refold_one(&mut self, key: EntryKey) -> SqlResult<()> {
        let rows: Vec<Row> = rows_of(self.tx, key)?.into_iter().filter(|row| row.flags & STUB == 0).collect();
        let mut events = self.seen.remove(&key).unwrap_or_default();
        let have: HashSet<EventHash> = events.iter().map(|event| event.hash).collect();
        for row in rows.iter().filter(|row| !have.contains(&row.hash)) {
            events.extend(load(self.tx, self.lines, row)?);
        }
        let mut gone = HashSet::new();
        let mut asked = false;
        let any_purge = self.tx.prepare_cached("SELECT 1 FROM purges LIMIT 1")?.exists([])?;
        if any_purge {
            for event in &events {
                if purge_counts(self.tx, self.own, event)? {
                    gone.insert(event.hash);
                } else if self
                    .tx
                    .prepare_cached("SELECT 1 FROM purges WHERE hash = ?")?
                    .exists([&event.hash.0[..]])?
                {
                    asked = true;
                }
            }
        }
        let Some(mut entry) = fold(&events, &|hash| gone.contains(hash)) else { return self.remove(key) };
        let trust = self.trust(&rows, &events);
        look_again(&mut entry, &trust);
        let in_tree: HashSet<EventHash> =
            rows.iter().filter(|row| row.file.is_some()).map(|row| row.hash).collect();
        let elsewhere = rows
            .iter()
            .filter(|row| row.file.is_none() && row.flags & DEFERRED == 0 && !gone.contains(&row.hash))
            .count();
        let here =
            rows.iter().any(|row| row.flags & ADDED != 0 && row.file.is_some() && !gone.contains(&row.hash));
        let state_here = if here && elsewhere > 0 {
            fold(&events, &|hash| gone.contains(hash) || !in_tree.contains(hash)).map(|mut entry| {
                look_again(&mut entry, &trust);
                entry
            })
        } else {
            None
        };
        self.write(&entry, state_here.as_ref(), here, elsewhere, asked)
    }

    /// What this clone wrote is in its journal; that an event says so is not enough, since anybody can write our name into a file.
    fn trust(&self, rows: &[Row], events: &[Event]) -> Trust {
        let own = |row: &&Row| row.frame.is_some() && row.flags & OWN != 0;
        let mut here: HashSet<EventHash> = rows.iter().filter(own).map(|row| row.hash).collect();
        here.extend(rows.iter().map(|row| row.hash).filter(|hash| self.own_events.contains(hash)));
        let speaks = |event: &&Event| !event.is_deferred() && event.type_name.starts_with("entry.");
        Trust {
            written_here: events.iter().filter(speaks).all(|event| here.contains(&event.hash)),
            released: events
                .iter()
                .filter(|event| here.contains(&event.hash))
                .filter_map(|event| match &event.body {
                    Some(Body::Entry(EntryEvent::Released { words, .. })) => words.clone(),
                    _ => None,
                })
                .collect(),
        }
    }

    fn remove(&mut self, key: EntryKey) -> SqlResult<()> {
        let known = self.known(key)?;
        self.tx.prepare_cached("DELETE FROM entries WHERE key = ?")?.execute([&key.0[..]])?;
        self.tx.prepare_cached("DELETE FROM labels WHERE key = ?")?.execute([&key.0[..]])?;
        self.tx.prepare_cached("DELETE FROM ties WHERE source = ?")?.execute([&key.0[..]])?;
        self.tx.prepare_cached("DELETE FROM places WHERE key = ?")?.execute([&key.0[..]])?;
        if let Some(known) = known {
            self.unshelve(known.n)?;
            self.digest_moved = self.digest_moved.wrapping_sub(known.digest);
            if let Some(given) = known.given {
                self.name_apart(&given)?;
            }
        }
        Ok(())
    }

    fn known(&self, key: EntryKey) -> SqlResult<Option<Known>> {
        self.tx
            .prepare_cached("SELECT n, given, digest FROM entries WHERE key = ?")?
            .query_row([&key.0[..]], |row| {
                Ok(Known { n: row.get(0)?, given: row.get(1)?, digest: row.get::<_, i64>(2)? as u64 })
            })
            .optional()
    }

    /// The digest of all entries is a sum, so that it follows each change and no order matters.
    pub(super) fn settle_digest(&mut self) -> SqlResult<()> {
        if self.digest_moved == 0 {
            return Ok(());
        }
        // It quotes entries, and what is purged must be gone from it, too.
        self.tx.prepare_cached("DELETE FROM meta WHERE name = 'brief'")?.execute([])?;
        let sql = "SELECT value FROM meta WHERE name = 'digest'";
        let before: Option<i64> = self.tx.query_row(sql, [], |row| row.get(0)).optional()?;
        let now = (before.unwrap_or(0) as u64).wrapping_add(self.digest_moved);
        if now == 0 {
            // A store that is empty again is as one that always was.
            return self.tx.execute("DELETE FROM meta WHERE name = 'digest'", []).map(drop);
        }
        self.tx.execute("INSERT OR REPLACE INTO meta VALUES('digest', ?)", [now as i64]).map(drop)
    }

    fn write(
        &mut self,
        entry: &Entry,
        here_state: Option<&Entry>,
        here: bool,
        elsewhere: usize,
        asked: bool,
    ) -> SqlResult<()> {
        let text = |entry: &Entry| {
            serde_json::to_string(entry).expect("entries have string keys and finite numbers")
        };
        let before = self.known(entry.key)?;
        let given = entry.given_id.as_ref().map(|id| id.as_str());
        let state = text(entry);
        // The count of events comes last in the text. It grows when an entry is read, and reading changes nothing.
        let said = state.rfind("\"events\":").map_or(state.as_str(), |end| &state[..end]);
        let mut digest = [0; 8];
        digest.copy_from_slice(&blake3::hash(said.as_bytes()).as_bytes()[..8]);
        let digest = u64::from_le_bytes(digest);
        let n: i64 = self
            .tx
            .prepare_cached(
                "INSERT INTO entries(key, id, given, handle, type, memory, status, scope, reviewer, created, updated, actor, here, elsewhere, asked, state, state_here, digest, merge_name, ground, thread, belief, confirmed, gaps)
                 VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)
                 ON CONFLICT(key) DO UPDATE SET id = ?2, given = ?3, handle = ?4, type = ?5, memory = ?6, status = ?7, scope = ?8, reviewer = ?9,
                 created = ?10, updated = ?11, actor = ?12, here = ?13, elsewhere = ?14, asked = ?15, state = ?16, state_here = ?17, digest = ?18, merge_name = ?19, ground = ?20, thread = ?21, belief = ?22, confirmed = ?23, gaps = ?24
                 RETURNING n",
            )?
            .query_row(params![
                &entry.key.0[..],
                entry.id(),
                given,
                entry.handle,
                entry.kind.word(),
                entry.memory().word(),
                entry.status.word(),
                entry.fields.scope().word(),
                entry.fields.reviewer,
                entry.created.packed(),
                entry.updated.packed(),
                entry.created_by,
                here,
                elsewhere as i64,
                asked,
                state,
                here_state.map(text),
                digest as i64,
                merge_name(&entry.kind, &entry.fields),
                super::ground::written(entry),
                entry.fields.thread,
                super::runs::believed(entry),
                entry.last_confirmed.map(ken_core::Clock::packed),
                !entry.gaps().is_empty(),
            ], |row| row.get(0))?;
        let old_digest = before.as_ref().map_or(0, |known| known.digest);
        self.digest_moved = self.digest_moved.wrapping_sub(old_digest).wrapping_add(digest);
        self.shelve(n, entry, before.is_none())?;
        if before.is_some() {
            self.tx.prepare_cached("DELETE FROM labels WHERE key = ?")?.execute([&entry.key.0[..]])?;
            self.tx.prepare_cached("DELETE FROM ties WHERE source = ?")?.execute([&entry.key.0[..]])?;
            self.tx.prepare_cached("DELETE FROM places WHERE key = ?")?.execute([&entry.key.0[..]])?;
        }
        for anchor in entry.fields.anchors.iter().filter(|anchor| !anchor.path().is_empty()) {
            self.tx
                .prepare_cached("INSERT OR IGNORE INTO places VALUES(?, ?)")?
                .execute(params![anchor.path(), &entry.key.0[..]])?;
        }
        for link in &entry.links {
            self.tx.prepare_cached("INSERT OR IGNORE INTO ties VALUES(?, ?, ?)")?.execute(params![
                &entry.key.0[..],
                link.relation.word(),
                &link.to.0[..]
            ])?;
        }
        let labels = entry
            .fields
            .tags
            .iter()
            .map(|tag| (0, tag))
            .chain(entry.fields.domains.iter().map(|tag| (1, tag)))
            .map(|(kind, tag)| (kind, tag.as_str()));
        let source = entry.fields.source.as_ref().and_then(|source| source.run.as_deref());
        for (kind, label) in labels.chain(source.map(|run| (2, run))) {
            self.tx.prepare_cached("INSERT OR IGNORE INTO labels VALUES(?, ?, ?)")?.execute(params![
                label,
                kind,
                &entry.key.0[..]
            ])?;
        }
        if let Some(given) = given {
            self.name_apart(given)?;
        }
        if let Some(before) = before.and_then(|known| known.given)
            && Some(before.as_str()) != given
        {
            self.name_apart(&before)?;
        }
        Ok(())
    }

    /// STO-8: of entries with one given id the earliest keeps it; the others get a suffix from their key.
    fn name_apart(&mut self, given: &str) -> SqlResult<()> {
        let keys: Vec<EntryKey> = {
            let mut statement =
                self.tx.prepare_cached("SELECT key FROM entries WHERE given = ? ORDER BY created, key")?;
            statement.query_map([given], |row| key_column(row, 0))?.collect::<SqlResult<_>>()?
        };
        for (at, key) in keys.iter().enumerate() {
            let id = if at == 0 { given.to_owned() } else { format!("{given}~{}", &key.to_string()[..4]) };
            self.tx
                .prepare_cached("UPDATE entries SET id = ?2 WHERE key = ?1 AND id <> ?2")?
                .execute(params![&key.0[..], id])?;
        }
        Ok(())
    }
}
