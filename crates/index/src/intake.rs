//! Taking events in: entries that they touch are folded anew, in the transaction that the log began.

use ken_core::{Clock, SettingEvent};
use ken_engine::intake::{Trust, look_again, redacted, redacted_text};

use super::limits::{FOLDED_TOGETHER, ROWS_WAITING_MAX};
use super::refold::{EntryText, Folding, Told};
use super::rows::{Binder, insert_many};
use super::runs::is_briefed;
use super::shelf::IndexedText;
use super::*;

/// The kind of a label that is another id of its entry. Tags are 0, domains 1, source runs 2.
pub(super) const ALIAS: i64 = 3;
/// The kind of a label that is a sub-type.
pub(super) const SUBTYPE: i64 = 4;

/// The log that an index is made from, as far as single events and what only it knows are asked for.
pub trait Source {
    /// An event as the log has it; none where its bytes are gone.
    fn event(&self, hash: &EventHash) -> SqlResult<Option<Event>>;
    /// Which events of an entry this clone wrote itself. That an event says so is not enough: anybody can write our name.
    fn written_here(&self, key: EntryKey) -> SqlResult<HashSet<EventHash>>;
    /// The entry that another index of this clone folded from exactly these events, where there is one: it was judged by the same rules.
    fn folded(&self, _key: EntryKey, _events: &[EventHash]) -> SqlResult<Option<Entry>> {
        Ok(None)
    }
    /// Whether an event is in the place that is looked at, such as a branch.
    fn is_here(&self, _hash: &EventHash) -> SqlResult<bool> {
        Ok(true)
    }
    /// Where an entry stands that was folded just now; none for one that is here with all its events.
    fn standing(&self, _folded: &Folded<'_>) -> SqlResult<Option<Standing>> {
        Ok(None)
    }
}

impl<S: Source + ?Sized> Source for &S {
    fn event(&self, hash: &EventHash) -> SqlResult<Option<Event>> {
        (**self).event(hash)
    }

    fn written_here(&self, key: EntryKey) -> SqlResult<HashSet<EventHash>> {
        (**self).written_here(key)
    }

    fn folded(&self, key: EntryKey, events: &[EventHash]) -> SqlResult<Option<Entry>> {
        (**self).folded(key, events)
    }

    fn is_here(&self, hash: &EventHash) -> SqlResult<bool> {
        (**self).is_here(hash)
    }

    fn standing(&self, folded: &Folded<'_>) -> SqlResult<Option<Standing>> {
        (**self).standing(folded)
    }
}

/// Asked for nothing: whoever reads only names needs no log.
pub(super) struct Anywhere;

impl Source for Anywhere {
    fn event(&self, _: &EventHash) -> SqlResult<Option<Event>> {
        Ok(None)
    }

    fn written_here(&self, _: EntryKey) -> SqlResult<HashSet<EventHash>> {
        Ok(HashSet::new())
    }
}

/// An entry that was folded, and what from.
pub struct Folded<'a> {
    pub key: EntryKey,
    pub events: &'a [Event],
    /// Those of them that were purged.
    pub gone: &'a HashSet<EventHash>,
    pub(super) trust: &'a Trust,
}

impl Folded<'_> {
    /// The entry as it is without some of its events.
    pub fn without(&self, left_out: &dyn Fn(&EventHash) -> bool) -> Option<Entry> {
        let mut entry = fold(self.events, &|hash| self.gone.contains(hash) || left_out(hash))?;
        look_again(&mut entry, self.trust);
        Some(entry)
    }
}

/// Where an entry stands, for a log that has more than one place.
pub struct Standing {
    /// Whether it is stated in the place that is looked at.
    pub here: bool,
    /// How many of its events are elsewhere.
    pub elsewhere: usize,
    /// How it reads in that place, where that is otherwise.
    pub entry: Option<Entry>,
}

/// What a row says of a line: its hash, its entry and its flags.
pub fn flags_of(line: &Line, own: &[ReplicaId]) -> (EventHash, Option<EntryKey>, i64) {
    match line {
        Line::Event(event) => {
            let added =
                matches!(event.body, Some(Body::Entry(EntryEvent::Added(_) | EntryEvent::Rejected(_))));
            let flags = if event.is_deferred() { DEFERRED } else { 0 }
                | if own.contains(&event.replica) { OWN } else { 0 }
                | if added { ADDED } else { 0 };
            (event.hash, event.entry, flags)
        }
        Line::Stub(Stub { hash, replica, .. }) => {
            (*hash, None, STUB | if own.contains(replica) { OWN } else { 0 })
        }
    }
}

/// One transaction's worth of taking events in, between [`Index::begin_write`] and [`Index::end_write`].
pub struct Intake<'a> {
    pub(super) tx: &'a Connection,
    pub(super) own: &'a [ReplicaId],
    pub(super) source: &'a dyn Source,
    dirty: BTreeSet<EntryKey>,
    pub(super) told: Told,
    /// Entries that are folded as soon as there are enough of them.
    ready: BTreeSet<EntryKey>,
    /// What is being folded, and has no rows yet.
    pub(super) folding: Option<Folding>,
    /// Entries that were folded before the end.
    pub(super) folded: HashSet<EntryKey>,
    /// Whether the index was empty before this transaction.
    pub(super) is_first: bool,
    /// Whether anything was purged, once somebody asked.
    pub(super) any_purge: Option<bool>,
    /// Texts that are to be made searchable, by their entry's number.
    pub(super) shelved: BTreeMap<i64, IndexedText>,
    /// Whether texts are made searchable at all.
    pub(super) is_searched: bool,
    /// By how much the digest of all entries moved.
    digest_moved: u64,
    /// Run events of which a briefing tells that came or went.
    runs_moved: i64,
    /// Rows of `events` that wait to be written in order, as long as the index is made anew.
    waiting: Vec<EventRow>,
    /// Rows of `labels` and `places` that do so.
    labels: Vec<(String, i64, EntryKey)>,
    places: Vec<(String, EntryKey)>,
    /// Whether the index by which an entry's events are found is there.
    is_by_entry: bool,
    /// Entries that others were merged into, or no longer are.
    pub(super) merge_moved: BTreeSet<EntryKey>,
}

/// A row of `events`.
type EventRow = (EventHash, Option<EntryKey>, i64);

/// An entry as the index had it.
pub(super) struct IndexedEntry {
    n: i64,
    given: Option<String>,
    digest: u64,
}

impl Index {
    /// Begins to take events in.
    pub fn intake<'a>(&'a self, source: &'a dyn Source) -> Intake<'a> {
        Intake {
            tx: &self.connection,
            own: &self.own,
            source,
            dirty: BTreeSet::new(),
            told: Told::default(),
            ready: BTreeSet::new(),
            folding: None,
            folded: HashSet::new(),
            is_first: self.fresh,
            any_purge: None,
            shelved: BTreeMap::new(),
            is_searched: self.is_searched,
            digest_moved: 0,
            runs_moved: 0,
            waiting: Vec::new(),
            labels: Vec::new(),
            places: Vec::new(),
            is_by_entry: !self.fresh,
            merge_moved: BTreeSet::new(),
        }
    }
}

impl<'a> Intake<'a> {
    /// The replicas whose events are its own.
    pub fn own(&self) -> &'a [ReplicaId] {
        self.own
    }
}

impl Intake<'_> {
    /// Whether the index is made anew, by this transaction alone.
    pub fn is_first(&self) -> bool {
        self.is_first
    }

    /// A line of the log: an event, or what a purge left of one. `journalled` says that this clone's own log has it, `written_here`
    /// that this clone wrote it.
    ///
    /// A stub never hides an event of the same name, and an event fills a stub's row: the purge list decides what counts.
    pub fn line(&mut self, line: Line, journalled: bool, written_here: bool) -> SqlResult<()> {
        let (hash, entry, flags) = flags_of(&line, self.own);
        let is_news = match self.is_first {
            true => {
                self.waiting.push((hash, entry, flags));
                if self.waiting.len() >= ROWS_WAITING_MAX {
                    self.write_waiting()?;
                }
                true
            }
            false => self.event_row(hash, entry, flags)?,
        };
        let Line::Event(event) = line else { return Ok(()) };
        if let Some(Body::Entry(EntryEvent::Purged { hashes, .. })) = &event.body {
            self.purge(&event, hashes, journalled)?;
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
            self.runs_moved += i64::from(is_news && is_briefed(said));
        }
        if let Some(Body::Forage(_)) = &event.body {
            self.foraged(&event)?;
        }
        if let Some(Body::Document(said)) = &event.body {
            self.document(&event, said)?;
        }
        if let Some(key) = event.entry {
            self.dirty.insert(key);
            self.told.insert(key, event, written_here);
        }
        Ok(())
    }

    /// Writes the row of an event, and says whether that changed anything.
    fn event_row(&self, hash: EventHash, entry: Option<EntryKey>, flags: i64) -> SqlResult<bool> {
        let entry = entry.map(|key| key.0.to_vec());
        let is_new = self
            .tx
            .prepare_cached("INSERT INTO events VALUES(?, ?, ?) ON CONFLICT DO NOTHING")?
            .execute(params![&hash.0[..], entry, flags])?
            > 0;
        if is_new || flags & STUB != 0 {
            return Ok(is_new);
        }
        let sql = "UPDATE events SET flags = ?2, entry = coalesce(?3, entry) WHERE hash = ?1 AND flags <> ?2";
        let filled = self.tx.prepare_cached(sql)?.execute(params![&hash.0[..], flags, entry])?;
        Ok(filled > 0)
    }

    /// Writes the rows of events that wait, in order. Whoever looks for events calls it first.
    pub fn write_waiting(&mut self) -> SqlResult<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut rows = std::mem::take(&mut self.waiting);
        // Of two rows of one event, the later one was told later.
        rows.sort_by_key(|row| row.0);
        insert_many(
            self.tx,
            ("INSERT INTO events", 3, "ON CONFLICT DO NOTHING"),
            &rows,
            |binder, (hash, entry, flags)| {
                binder.put(&hash.0[..])?;
                binder.put(entry.as_ref().map(|key| &key.0[..]))?;
                binder.put(flags)
            },
            |some| {
                some.iter()
                    .try_for_each(|(hash, entry, flags)| self.event_row(*hash, *entry, *flags).map(drop))
            },
        )?;
        rows.clear();
        self.waiting = rows;
        Ok(())
    }

    /// Makes the index ready to be asked for the events of an entry.
    pub(super) fn find_by_entry(&mut self) -> SqlResult<()> {
        self.write_waiting()?;
        if !self.is_by_entry {
            self.tx.execute_batch("CREATE INDEX IF NOT EXISTS events_by_entry ON events(entry)")?;
            self.is_by_entry = true;
        }
        Ok(())
    }

    /// Whether all that is known of an entry was told in this transaction: to fold it, nobody asks the log.
    pub fn is_told_whole(&mut self, key: EntryKey) -> SqlResult<bool> {
        let is_told = self.is_first && !self.told.is_partial() && !self.folded.contains(&key);
        Ok(is_told && !self.any_purge()?)
    }

    /// An event is no longer known: its entry is folded without it, and what it purged is no longer purged.
    pub fn forget(&mut self, hash: &EventHash) -> SqlResult<()> {
        // What is of no entry may be of a run.
        self.runs_moved += i64::from(self.touch_event(hash)?);
        let purged: Vec<EventHash> = self
            .tx
            .prepare_cached("DELETE FROM purges WHERE said_in = ? RETURNING hash")?
            .query_map([&hash.0[..]], |row| hash_column(row, 0))?
            .collect::<SqlResult<_>>()?;
        for event in &purged {
            self.runs_moved += i64::from(self.touch_event(event)?);
        }
        self.tx.prepare_cached("DELETE FROM events WHERE hash = ?")?.execute([&hash.0[..]]).map(drop)
    }

    /// Of a purged event nothing but its stub is left.
    pub fn forget_bytes(&mut self, hash: &EventHash) -> SqlResult<()> {
        self.runs_moved += i64::from(self.touch_event(hash)?);
        self.tx
            .prepare_cached("UPDATE events SET entry = NULL, flags = ?2 | (flags & ?3) WHERE hash = ?1")?
            .execute(params![&hash.0[..], STUB, OWN])
            .map(drop)
    }

    /// Something about an entry changed that the log is asked for when it is folded.
    pub fn touch(&mut self, key: EntryKey) {
        self.dirty.insert(key);
    }

    /// The same for the entry of an event; `true` if it is known and of no entry.
    pub fn touch_event(&mut self, hash: &EventHash) -> SqlResult<bool> {
        self.write_waiting()?;
        let entry: Option<Option<Vec<u8>>> = self
            .tx
            .prepare_cached("SELECT entry FROM events WHERE hash = ?")?
            .query_row([&hash.0[..]], |row| row.get(0))
            .optional()?;
        let is_of_none = matches!(entry, Some(None));
        if let Some(key) = entry.flatten().and_then(|bytes| <[u8; 8]>::try_from(bytes).ok()) {
            self.dirty.insert(EntryKey(key));
        }
        Ok(is_of_none)
    }

    /// Folds an entry soon, if it was touched: that keeps few events in memory, however many there are. A file told all that it has.
    pub fn fold_soon(&mut self, key: EntryKey) -> SqlResult<()> {
        if self.dirty.remove(&key) {
            self.ready.insert(key);
        }
        if self.ready.len() >= FOLDED_TOGETHER { self.fold_ready() } else { Ok(()) }
    }

    /// Folds what is ready: no file has more to tell.
    pub fn fold_ready(&mut self) -> SqlResult<()> {
        let ready: Vec<EntryKey> = std::mem::take(&mut self.ready).into_iter().collect();
        self.refold(&ready)?;
        self.folded.extend(ready);
        Ok(())
    }

    /// Folds what was touched, makes it searchable, and says which entries that were.
    pub fn finish(mut self) -> SqlResult<Vec<EntryKey>> {
        self.fold_ready()?;
        self.write_waiting()?;
        self.is_first = false;
        let mut changed: Vec<EntryKey> = std::mem::take(&mut self.dirty).into_iter().collect();
        self.refold(&changed)?;
        self.settle_folding()?;
        changed.extend(std::mem::take(&mut self.folded));
        let beside: Vec<EntryKey> = self.merged_with(&changed)?.into_iter().collect();
        self.refold(&beside)?;
        self.settle_folding()?;
        changed.extend(beside);
        self.write_waiting_labels()?;
        self.settle_shelf()?;
        self.settle_digest()?;
        self.settle_runs()?;
        Ok(changed)
    }

    /// Counts the changes of runs: the number is another one whenever a briefing could tell something else of them.
    fn settle_runs(&mut self) -> SqlResult<()> {
        if self.runs_moved == 0 {
            return Ok(());
        }
        let sql = "INSERT INTO meta VALUES('runs', ?1) ON CONFLICT(name) DO UPDATE SET value = value + ?1";
        self.tx.execute(sql, [self.runs_moved]).map(drop)
    }

    /// Records a purge and looks at the purged events' entries again.
    fn purge(&mut self, event: &Event, hashes: &[EventHash], in_journal: bool) -> SqlResult<()> {
        self.any_purge = None;
        for purged in hashes {
            self.tx
                .prepare_cached("INSERT INTO purges VALUES(?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET journal = max(journal, ?3)")?
                .execute(params![&purged.0[..], &event.replica.0[..], in_journal, &event.hash.0[..]])?;
            self.runs_moved += i64::from(self.touch_event(purged)?);
        }
        Ok(())
    }

    /// Where an entry stands. Most have no row.
    pub(super) fn write_standing(&mut self, key: EntryKey, standing: Option<Standing>) -> SqlResult<()> {
        let Some(standing) = standing else {
            let sql = "DELETE FROM standing WHERE key = ?";
            return self.tx.prepare_cached(sql)?.execute([&key.0[..]]).map(drop);
        };
        let sql = "INSERT OR REPLACE INTO standing VALUES(?, ?, ?, ?)";
        let state = standing.entry.as_ref().map(state_text);
        self.tx
            .prepare_cached(sql)?
            .execute(params![&key.0[..], standing.here, standing.elsewhere as i64, state])
            .map(drop)
    }

    pub(super) fn remove(&mut self, key: EntryKey) -> SqlResult<()> {
        let known = self.known(key)?;
        self.write_waiting_labels()?;
        self.tx.prepare_cached("DELETE FROM entries WHERE key = ?")?.execute([&key.0[..]])?;
        self.tx.prepare_cached("DELETE FROM labels WHERE key = ?")?.execute([&key.0[..]])?;
        self.tx.prepare_cached("DELETE FROM ties WHERE source = ?")?.execute([&key.0[..]])?;
        self.tx.prepare_cached("DELETE FROM places WHERE key = ?")?.execute([&key.0[..]])?;
        self.write_merge(key, None)?;
        self.write_standing(key, None)?;
        if let Some(known) = known {
            self.tx.prepare_cached("DELETE FROM states WHERE n = ?")?.execute([known.n])?;
            self.unshelve(known.n)?;
            self.digest_moved = self.digest_moved.wrapping_sub(known.digest);
            if let Some(given) = known.given {
                self.name_apart(&given)?;
            }
        }
        Ok(())
    }

    pub(super) fn known(&self, key: EntryKey) -> SqlResult<Option<IndexedEntry>> {
        self.tx
            .prepare_cached("SELECT n, given, digest FROM entries WHERE key = ?")?
            .query_row([&key.0[..]], |row| {
                Ok(IndexedEntry { n: row.get(0)?, given: row.get(1)?, digest: row.get::<_, i64>(2)? as u64 })
            })
            .optional()
    }

    /// The digest of all entries is a sum, so that it follows each change and no order matters.
    fn settle_digest(&mut self) -> SqlResult<()> {
        if self.digest_moved == 0 {
            return Ok(());
        }
        let sql = "SELECT value FROM meta WHERE name = 'digest'";
        let before: Option<i64> = self.tx.query_row(sql, [], |row| row.get(0)).optional()?;
        let now = (before.unwrap_or(0) as u64).wrapping_add(self.digest_moved);
        if now == 0 {
            // A store that is empty again is as one that always was.
            return self.tx.execute("DELETE FROM meta WHERE name = 'digest'", []).map(drop);
        }
        self.tx.execute("INSERT OR REPLACE INTO meta VALUES('digest', ?)", [now as i64]).map(drop)
    }

    /// Writes the rows of an entry: how it was known before, whether somebody asked to purge it, and when it was last spoken of.
    pub(super) fn write(
        &mut self,
        entry: &Entry,
        text: EntryText,
        before: Option<IndexedEntry>,
        (asked, latest): (bool, Clock),
    ) -> SqlResult<()> {
        let EntryText { state, digest, merge_name, ground, belief, title, glance, has_gaps, shelved } = text;
        let given = entry.given_id.as_ref().map(|id| id.as_str());
        let n: i64 = self
            .tx
            .prepare_cached(
                "INSERT INTO entries(key, id, given, handle, type, memory, status, scope, reviewer, created, updated, actor, asked, digest, merge_name, ground, thread, belief, confirmed, gaps, stated, changed, latest, title, origin, glance)
                 VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)
                 ON CONFLICT(key) DO UPDATE SET id = ?2, given = ?3, handle = ?4, type = ?5, memory = ?6, status = ?7, scope = ?8, reviewer = ?9, created = ?10, updated = ?11, actor = ?12, asked = ?13, digest = ?14, merge_name = ?15, ground = ?16, thread = ?17, belief = ?18, confirmed = ?19, gaps = ?20, stated = ?21, changed = ?22, latest = ?23, title = ?24, origin = ?25, glance = ?26
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
                asked,
                digest as i64,
                merge_name,
                ground,
                entry.fields.thread,
                belief,
                entry.last_confirmed.map(ken_core::Clock::packed),
                has_gaps,
                entry.stated_at().packed(),
                entry.changed_at().packed(),
                latest.packed(),
                title,
                &entry.origin.0[..],
                glance,
            ], |row| row.get(0))?;
        self.tx
            .prepare_cached("INSERT INTO states VALUES(?1, ?2) ON CONFLICT DO UPDATE SET state = ?2")?
            .execute(params![n, state])?;
        if before.is_some() || entry.merged_into.is_some() {
            self.write_merge(entry.key, entry.merged_into.as_ref().map(|merged| merged.key))?;
        }
        let old_digest = before.as_ref().map_or(0, |known| known.digest);
        self.digest_moved = self.digest_moved.wrapping_sub(old_digest).wrapping_add(digest);
        if let Some(shelved) = shelved {
            self.shelve(n, shelved, before.is_none())?;
        }
        if before.is_some() {
            self.write_waiting_labels()?;
            self.tx.prepare_cached("DELETE FROM labels WHERE key = ?")?.execute([&entry.key.0[..]])?;
            self.tx.prepare_cached("DELETE FROM ties WHERE source = ?")?.execute([&entry.key.0[..]])?;
            self.tx.prepare_cached("DELETE FROM places WHERE key = ?")?.execute([&entry.key.0[..]])?;
        }
        for anchor in entry.fields.anchors.iter().filter(|anchor| !anchor.path().is_empty()) {
            self.places.push((anchor.path().to_owned(), entry.key));
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
            .chain(entry.fields.domains.iter().chain(&entry.pool.domains).map(|tag| (1, tag)))
            .map(|(kind, tag)| (kind, tag.as_str()));
        let source = entry.fields.source.as_ref().and_then(|source| source.run.as_deref());
        let aliases = entry.aliases.iter().map(|id| (ALIAS, id.as_str()));
        let subtype = entry.fields.subtype.as_deref().map(|subtype| (SUBTYPE, subtype));
        for (kind, label) in labels.chain(source.map(|run| (2, run))).chain(aliases).chain(subtype) {
            self.labels.push((label.to_owned(), kind, entry.key));
        }
        if !self.is_first || self.labels.len() + self.places.len() >= ROWS_WAITING_MAX {
            self.write_waiting_labels()?;
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

    /// Writes the labels and places that wait, in order.
    fn write_waiting_labels(&mut self) -> SqlResult<()> {
        self.labels.sort_unstable();
        let head = ("INSERT OR IGNORE INTO labels", 3, "");
        let bind = |binder: &mut Binder<'_, '_>, (label, kind, key): &(String, i64, EntryKey)| {
            binder.put(label)?;
            binder.put(kind)?;
            binder.put(&key.0[..])
        };
        insert_many(self.tx, head, &self.labels, bind, |_| Ok(()))?;
        self.labels.clear();
        self.places.sort_unstable();
        let head = ("INSERT OR IGNORE INTO places", 2, "");
        let bind = |binder: &mut Binder<'_, '_>, (path, key): &(String, EntryKey)| {
            binder.put(path)?;
            binder.put(&key.0[..])
        };
        insert_many(self.tx, head, &self.places, bind, |_| Ok(()))?;
        self.places.clear();
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

pub(super) fn state_text(entry: &Entry) -> String {
    serde_json::to_string(entry).expect("entries have string keys and finite numbers")
}

/// How far an entry is trusted, by which of its events this clone wrote itself.
pub(super) fn trust(here: &HashSet<EventHash>, events: &[Event]) -> Trust {
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
