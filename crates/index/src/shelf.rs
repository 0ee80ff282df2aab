//! The searchable side of the projection: the terms of every entry in segments, and which vector speaks for it.
//!
//! A text gets a number and first waits in the tail, its terms written beside it. From some length on the tail becomes a segment:
//! a list of texts per term. Segments of one level are merged into one of the next, and what was revised or purged meanwhile is
//! left out then. All of it is written in the transaction that takes the news in, so it is never behind the entries.

use std::cell::OnceCell;

use ken_engine::text;
use ken_recall::postings::{self, Postings};
use ken_recall::shelf::{Terms, terms_of};
use ken_recall::vectors::{Vectors, encode};
use ken_recall::{Term, TextIndex, terms};

use super::*;
use crate::vectors::{TextHash, VectorFile, text_hash};

/// Tables of the searchable side.
pub(super) const TABLES: &str = "
CREATE TABLE docs(doc INTEGER PRIMARY KEY, n INTEGER NOT NULL UNIQUE, words BLOB NOT NULL, text BLOB NOT NULL, slot INTEGER,
  length INTEGER NOT NULL, place INTEGER, position INTEGER, terms BLOB);
CREATE INDEX docs_by_place ON docs(place, position) WHERE place IS NOT NULL;
CREATE INDEX docs_without_vector ON docs(doc) WHERE slot IS NULL;
CREATE TABLE segments(id INTEGER PRIMARY KEY, level INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  lengths BLOB NOT NULL, slots BLOB NOT NULL);
CREATE TABLE postings(segment INTEGER NOT NULL, term INTEGER NOT NULL, docs BLOB NOT NULL, PRIMARY KEY(segment, term)) WITHOUT ROWID;
";

/// From this many texts on, the tail becomes a segment.
const TAIL_LEN_MAX: usize = 1_000;
/// So many segments of one level are merged into one of the next.
const SEGMENTS_PER_LEVEL_MAX: usize = 8;
/// Stands for a text without a vector in a segment's slots.
const NO_SLOT: u32 = u32::MAX;

/// A text that is to be put on the shelf at the end of a transaction.
pub(super) struct IndexedText {
    words: [u8; 8],
    text: TextHash,
    terms: Vec<(Term, u32)>,
    length: u32,
    place: Option<(i64, i64)>,
}

impl IndexedText {
    /// The text of an entry, taken apart.
    pub(super) fn of(entry: &Entry) -> IndexedText {
        let words = text::words_of(entry);
        let subject = entry.fields.subject.as_deref();
        let place = text::place_of(&entry.fields);
        let names = text::names_of(entry);
        let words_hash = short_hash(&format!("{words}\u{1}{names:?}\u{1}{subject:?}\u{1}{place:?}"));
        let found = entry_terms(entry, &words);
        let mut terms: Vec<(Term, u32)> = found.counts.into_iter().collect();
        terms.sort_unstable();
        let place =
            place.map(|(document, position)| (i64::from_le_bytes(short_hash(document)), i64::from(position)));
        let text = text_hash(&text::meaning_of(&entry.fields));
        IndexedText { words: words_hash, text, terms, length: found.length, place }
    }
}

fn entry_terms(entry: &Entry, words: &str) -> Terms {
    let mut found = terms_of(words, &text::meaning_of(&entry.fields), entry.fields.subject.as_deref());
    found.counts.extend(text::names_of(entry).iter().map(|name| (Term::from_form(name), 1)));
    found
}

fn short_hash(text: &str) -> [u8; 8] {
    let mut short = [0; 8];
    short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
    short
}

impl Intake<'_> {
    /// An entry was folded: it is searchable by what it says now. What says the same as before stays where it is.
    pub(super) fn shelve(&mut self, n: i64, shelved: IndexedText, is_new: bool) -> SqlResult<()> {
        if !is_new {
            self.shelved.remove(&n);
            let known: Option<(Vec<u8>, Vec<u8>)> = self
                .tx
                .prepare_cached("SELECT words, text FROM docs WHERE n = ?")?
                .query_row([n], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            if known.is_some_and(|(words, text)| words == shelved.words && text == shelved.text) {
                return Ok(());
            }
            self.unshelve(n)?;
        }
        self.shelved.insert(n, shelved);
        Ok(())
    }

    /// An entry is gone, or is about to say something else. In its segment it gets the length of nothing, so that it counts no more.
    pub(super) fn unshelve(&mut self, n: i64) -> SqlResult<()> {
        self.shelved.remove(&n);
        let sql = "SELECT d.doc, s.id, s.first FROM docs d LEFT JOIN segments s ON s.first <= d.doc AND s.last >= d.doc WHERE d.n = ?";
        let known: Option<(u32, Option<i64>, Option<u32>)> = self
            .tx
            .prepare_cached(sql)?
            .query_row([n], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        if let Some((doc, Some(segment), Some(first))) = known {
            let mut lengths = self.tx.blob_open("main", "segments", "lengths", segment, false)?;
            lengths.write_all_at(&0_u16.to_le_bytes(), (doc - first) as usize * 2)?;
        }
        self.tx.prepare_cached("DELETE FROM docs WHERE n = ?")?.execute([n]).map(drop)
    }

    /// Writes what was shelved, and makes the tail a segment when it has grown.
    pub(super) fn settle_shelf(&mut self) -> SqlResult<()> {
        if self.shelved.is_empty() {
            return Ok(());
        }
        let shelved = std::mem::take(&mut self.shelved);
        let sealed: i64 = self
            .tx
            .prepare_cached("SELECT ifnull(max(last), -1) FROM segments")?
            .query_row([], |row| row.get(0))?;
        let highest: i64 = self
            .tx
            .prepare_cached("SELECT ifnull(max(doc), -1) FROM docs")?
            .query_row([], |row| row.get(0))?;
        let waiting: i64 = self
            .tx
            .prepare_cached("SELECT count(*) FROM docs WHERE doc > ?")?
            .query_row([sealed], |row| row.get(0))?;
        let first = sealed.max(highest) + 1;
        let seals = waiting as usize + shelved.len() > TAIL_LEN_MAX;
        for (doc, (n, text)) in (first..).zip(&shelved) {
            let terms = if seals { None } else { Some(write_terms(&text.terms)) };
            self.tx
                .prepare_cached("INSERT INTO docs(doc, n, words, text, length, place, position, terms) VALUES(?, ?, ?, ?, ?, ?, ?, ?)")?
                .execute(params![
                    doc,
                    n,
                    &text.words[..],
                    &text.text[..],
                    text.length,
                    text.place.map(|(place, _)| place),
                    text.place.map(|(_, position)| position),
                    terms
                ])?;
        }
        if seals {
            let new = (first..).zip(shelved.into_values());
            self.seal_tail(sealed, new.map(|(doc, text)| (doc as u32, text)))?;
            self.merge_segments()?;
        }
        Ok(())
    }

    fn seal_tail(&mut self, sealed: i64, new: impl Iterator<Item = (u32, IndexedText)>) -> SqlResult<()> {
        let mut lists: HashMap<Term, Postings> = HashMap::new();
        let mut lengths: Vec<(u32, u16, u32)> = Vec::new();
        {
            let sql =
                "SELECT doc, length, slot, terms FROM docs WHERE doc > ? AND terms IS NOT NULL ORDER BY doc";
            let mut statement = self.tx.prepare_cached(sql)?;
            let mut rows = statement.query([sealed])?;
            while let Some(row) = rows.next()? {
                let doc: u32 = row.get(0)?;
                read_terms(row.get_ref(3)?.as_blob()?, |term, times| {
                    lists.entry(term).or_default().push(doc, times);
                });
                lengths.push((doc, short(row.get(1)?), row.get::<_, Option<u32>>(2)?.unwrap_or(NO_SLOT)));
            }
        }
        for (doc, text) in new {
            lengths.push((doc, short(text.length), NO_SLOT));
            for (term, times) in text.terms {
                lists.entry(term).or_default().push(doc, times);
            }
        }
        self.tx
            .prepare_cached("UPDATE docs SET terms = NULL WHERE doc > ? AND terms IS NOT NULL")?
            .execute([sealed])?;
        self.write_segment(0, &lengths, lists)
    }

    fn write_segment(
        &mut self,
        level: i64,
        texts: &[(u32, u16, u32)],
        lists: HashMap<Term, Postings>,
    ) -> SqlResult<()> {
        let (Some((first, _, _)), Some((last, _, _))) = (texts.first(), texts.last()) else { return Ok(()) };
        let span = (last - first + 1) as usize;
        let (mut lengths, mut slots) = (vec![0_u16; span], vec![NO_SLOT; span]);
        for (doc, length, slot) in texts {
            lengths[(doc - first) as usize] = *length;
            slots[(doc - first) as usize] = *slot;
        }
        let lengths: Vec<u8> = lengths.into_iter().flat_map(u16::to_le_bytes).collect();
        let slots: Vec<u8> = slots.into_iter().flat_map(u32::to_le_bytes).collect();
        self.tx
            .prepare_cached("INSERT INTO segments(level, first, last, lengths, slots) VALUES(?, ?, ?, ?, ?)")?
            .execute(params![level, first, last, lengths, slots])?;
        let id = self.tx.last_insert_rowid();
        let mut lists: Vec<(Term, Postings)> = lists.into_iter().collect();
        lists.sort_unstable_by_key(|(term, _)| *term);
        let mut insert = self.tx.prepare_cached("INSERT INTO postings VALUES(?, ?, ?)")?;
        for (term, list) in lists {
            insert.execute(params![id, term.0, list.written()])?;
        }
        Ok(())
    }

    fn merge_segments(&mut self) -> SqlResult<()> {
        for level in 0.. {
            let ids: Vec<i64> = {
                let mut statement =
                    self.tx.prepare_cached("SELECT id FROM segments WHERE level = ? ORDER BY first")?;
                statement.query_map([level], |row| row.get(0))?.collect::<SqlResult<_>>()?
            };
            if ids.len() < SEGMENTS_PER_LEVEL_MAX {
                return Ok(());
            }
            self.merge(level + 1, &ids)?;
        }
        Ok(())
    }

    /// Puts segments that follow each other into one.
    fn merge(&mut self, level: i64, ids: &[i64]) -> SqlResult<()> {
        let bounds = "SELECT min(first), max(last) FROM segments WHERE id BETWEEN ? AND ?";
        let (low, high) = (ids.iter().min().copied(), ids.iter().max().copied());
        let (first, last): (u32, u32) = self
            .tx
            .prepare_cached(bounds)?
            .query_row(params![low, high], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut texts = Vec::new();
        {
            let sql = "SELECT doc, length, slot FROM docs WHERE doc BETWEEN ? AND ? ORDER BY doc";
            let mut statement = self.tx.prepare_cached(sql)?;
            let mut rows = statement.query([first, last])?;
            while let Some(row) = rows.next()? {
                let slot = row.get::<_, Option<u32>>(2)?.unwrap_or(NO_SLOT);
                texts.push((row.get::<_, u32>(0)?, short(row.get(1)?), slot));
            }
        }
        let mut lives = vec![false; (last - first + 1) as usize];
        texts.iter().for_each(|(doc, _, _)| lives[(doc - first) as usize] = true);
        let mut lists: HashMap<Term, Postings> = HashMap::new();
        for id in ids {
            let mut statement =
                self.tx.prepare_cached("SELECT term, docs FROM postings WHERE segment = ?")?;
            let mut rows = statement.query([id])?;
            while let Some(row) = rows.next()? {
                let list = lists.entry(Term(row.get(0)?)).or_default();
                postings::read(row.get_ref(1)?.as_blob()?, |doc, times| {
                    if doc.checked_sub(first).and_then(|at| lives.get(at as usize)) == Some(&true) {
                        list.push(doc, times);
                    }
                });
            }
        }
        lists.retain(|_, list| !list.is_empty());
        for id in ids {
            self.tx.prepare_cached("DELETE FROM postings WHERE segment = ?")?.execute([id])?;
            self.tx.prepare_cached("DELETE FROM segments WHERE id = ?")?.execute([id])?;
        }
        self.write_segment(level, &texts, lists)
    }
}

fn text_column(row: &rusqlite::Row<'_>, at: usize) -> SqlResult<TextHash> {
    let mut text = TextHash::default();
    text.copy_from_slice(&row.get_ref(at)?.as_blob()?[..16]);
    Ok(text)
}

fn short(length: u32) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

fn write_terms(terms: &[(Term, u32)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(terms.len() * 5);
    for (term, times) in terms {
        out.extend_from_slice(&term.0.to_le_bytes());
        out.push(u8::try_from(*times).unwrap_or(u8::MAX));
    }
    out
}

fn read_terms(bytes: &[u8], mut each: impl FnMut(Term, u32)) {
    for term in bytes.chunks_exact(5) {
        each(Term(u32::from_le_bytes([term[0], term[1], term[2], term[3]])), u32::from(term[4]));
    }
}

/// A text that has no vector yet.
pub struct Unembedded {
    doc: u32,
    /// The entry that says it.
    pub key: EntryKey,
    /// The hash of the text.
    pub text: TextHash,
    /// The text itself.
    pub meaning: String,
}

impl Index {
    /// How many entries have no vector.
    pub fn unembedded_count(&self) -> SqlResult<usize> {
        let sql = "SELECT count(*) FROM docs WHERE slot IS NULL";
        self.connection
            .prepare_cached(sql)?
            .query_row([], |row| row.get::<_, i64>(0))
            .map(|count| count as usize)
    }

    /// Some entries that have no vector, oldest first.
    pub fn unembedded(&self, limit: usize) -> SqlResult<Vec<Unembedded>> {
        let sql = "SELECT d.doc, d.text, s.state, e.key FROM docs d JOIN entries e ON e.n = d.n JOIN states s ON s.n = d.n WHERE d.slot IS NULL ORDER BY d.doc LIMIT ?";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([limit as i64], |row| {
            let state: String = row.get(2)?;
            let entry: Option<Entry> = serde_json::from_str(&state).ok();
            let text = text_column(row, 1)?;
            let meaning = entry.map(|entry| text::meaning_of(&entry.fields)).unwrap_or_default();
            Ok(Unembedded { doc: row.get(0)?, key: key_column(row, 3)?, text, meaning })
        })?;
        rows.collect()
    }

    /// Notes which vectors speak for some entries.
    pub fn embedded(&self, texts: &[Unembedded], slots: &[u32]) -> SqlResult<()> {
        self.at_once(|| {
            for (text, slot) in texts.iter().zip(slots) {
                self.set_slot(text.doc, &text.text, *slot)?;
            }
            let counted = slots.iter().map(|slot| *slot as usize + 1).max().unwrap_or(0);
            if counted > self.vectors_counted()? {
                self.set_meta("vectors.counted", &counted.to_string())?;
            }
            Ok(())
        })
    }

    /// How many vectors there were when entries were last told which speak for them.
    fn vectors_counted(&self) -> SqlResult<usize> {
        Ok(self.meta("vectors.counted")?.and_then(|count| count.parse().ok()).unwrap_or(0))
    }

    fn set_slot(&self, doc: u32, text: &TextHash, slot: u32) -> SqlResult<()> {
        let changed = self
            .connection
            .prepare_cached("UPDATE docs SET slot = ?3 WHERE doc = ?1 AND text = ?2")?
            .execute(params![doc, &text[..], slot])?;
        if changed == 0 {
            return Ok(());
        }
        let sql = "SELECT id, first FROM segments WHERE first <= ?1 AND last >= ?1";
        let segment: Option<(i64, u32)> = self
            .connection
            .prepare_cached(sql)?
            .query_row([doc], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        if let Some((id, first)) = segment {
            let mut slots = self.connection.blob_open("main", "segments", "slots", id, false)?;
            slots.write_all_at(&slot.to_le_bytes(), (doc - first) as usize * 4)?;
        }
        Ok(())
    }

    /// Makes the entries be spoken for by vectors of this model: finds those that are kept, forgets those of another.
    pub fn use_vectors(&self, model: &str, vectors: &mut VectorFile) -> SqlResult<()> {
        let list = format!("{model} {}", vectors.identity());
        // Fewer than there were: somebody cut the files, and a slot may mean another text by now.
        let counted = self.vectors_counted()?;
        let shrunk = vectors.len_on_disk() < counted;
        if shrunk || self.meta("vectors.list")?.as_deref() != Some(list.as_str()) {
            self.at_once(|| self.forget_slots(&list))?;
        }
        // Looking again pays only when there are new vectors or new texts.
        let newest: Option<i64> = self
            .connection
            .prepare_cached("SELECT max(doc) FROM docs WHERE slot IS NULL")?
            .query_row([], |row| row.get(0))?;
        let Some(newest) = newest else { return Ok(()) };
        let looked = format!("{newest} {}", vectors.len());
        if vectors.is_empty() || self.meta("vectors.looked")?.as_deref() == Some(looked.as_str()) {
            return Ok(());
        }
        let mut waiting: Vec<(u32, TextHash)> = Vec::new();
        {
            let mut statement = self
                .connection
                .prepare_cached("SELECT doc, text FROM docs WHERE slot IS NULL ORDER BY doc")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                waiting.push((row.get(0)?, text_column(row, 1)?));
            }
        }
        let hashes: Vec<TextHash> = waiting.iter().map(|(_, text)| *text).collect();
        let found = vectors.find(&hashes);
        self.at_once(|| {
            for ((doc, text), slot) in waiting.iter().zip(found) {
                if let Some(slot) = slot {
                    self.set_slot(*doc, text, slot)?;
                }
            }
            self.set_meta("vectors.looked", &looked)?;
            self.set_meta("vectors.counted", &vectors.len().to_string())
        })
    }

    /// No text has a vector of the list that counts from now on.
    fn forget_slots(&self, list: &str) -> SqlResult<()> {
        self.connection.execute("UPDATE docs SET slot = NULL WHERE slot IS NOT NULL", [])?;
        let spans: Vec<(i64, usize)> = {
            let mut statement = self.connection.prepare("SELECT id, last - first + 1 FROM segments")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as usize)))?;
            rows.collect::<SqlResult<_>>()?
        };
        for (id, span) in spans {
            let nothing = vec![0xff_u8; span * 4];
            self.connection.execute("UPDATE segments SET slots = ? WHERE id = ?", params![nothing, id])?;
        }
        self.set_meta("vectors.list", list)?;
        self.set_meta("vectors.looked", "")?;
        self.set_meta("vectors.counted", "0")
    }

    /// Vectors that turned out to be damaged speak for nobody; their texts wait for new ones.
    pub fn distrust_slots(&self, slots: &[u32]) -> SqlResult<()> {
        self.at_once(|| {
            for slot in slots {
                let docs: Vec<(u32, Vec<u8>)> = {
                    let mut statement =
                        self.connection.prepare_cached("SELECT doc, text FROM docs WHERE slot = ?")?;
                    statement
                        .query_map([slot], |row| Ok((row.get(0)?, row.get(1)?)))?
                        .collect::<SqlResult<_>>()?
                };
                for (doc, text) in docs {
                    let text = TextHash::try_from(text.as_slice()).unwrap_or_default();
                    self.set_slot(doc, &text, NO_SLOT)?;
                    self.connection
                        .prepare_cached("UPDATE docs SET slot = NULL WHERE doc = ?")?
                        .execute([doc])?;
                }
            }
            self.set_meta("vectors.looked", "")
        })
    }

    /// The slot of an entry's vector.
    pub fn slot_of(&self, key: EntryKey) -> SqlResult<Option<u32>> {
        let sql = "SELECT d.slot FROM docs d JOIN entries e ON e.n = d.n WHERE e.key = ?";
        let slot: Option<Option<u32>> =
            self.connection.prepare_cached(sql)?.query_row([&key.0[..]], |row| row.get(0)).optional()?;
        Ok(slot.flatten())
    }

    /// The numbers of the entries that answer to a query.
    pub fn docs_of(&self, query: &Query) -> SqlResult<HashSet<u32>> {
        let (conditions, values) = list::conditions(query);
        let sql = format!(
            "SELECT d.doc FROM entries JOIN docs d ON d.n = entries.n WHERE {}",
            conditions.join(" AND ")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query_map(rusqlite::params_from_iter(&values), |row| row.get(0))?.collect()
    }

    /// The entry that a number stands for, if it still does.
    pub fn stored_by_doc(&self, doc: u32, in_subset: bool) -> SqlResult<Option<Stored>> {
        let sql = format!("SELECT {COLUMNS} FROM entries WHERE n = (SELECT n FROM docs WHERE doc = ?)");
        self.connection.prepare_cached(&sql)?.query_row([doc], |row| stored(row, in_subset)).optional()
    }

    /// The searchable side, with the vectors that go with it.
    pub fn shelf<'a>(&'a self, vectors: Option<&'a VectorFile>) -> SqlResult<SqlTextIndex<'a>> {
        // One look for the whole answer: another process may be merging segments this very moment, and hundreds of small
        // transactions would spend their time on locks.
        let held = if self.connection.is_autocommit() {
            Some(self.connection.unchecked_transaction()?)
        } else {
            None
        };
        let mut statement =
            self.connection.prepare_cached("SELECT id, first, last FROM segments ORDER BY first")?;
        let segments: Vec<Segment> = statement
            .query_map([], |row| Ok(Segment { id: row.get(0)?, first: row.get(1)?, last: row.get(2)? }))?
            .collect::<SqlResult<_>>()?;
        let sealed = segments.iter().map(|segment| i64::from(segment.last)).max().unwrap_or(-1);
        let mut tail = Vec::new();
        let mut statement = self
            .connection
            .prepare_cached("SELECT doc, length, slot, terms FROM docs WHERE doc > ? ORDER BY doc")?;
        let mut rows = statement.query([sealed])?;
        let mut terms = Vec::new();
        while let Some(row) = rows.next()? {
            let doc: u32 = row.get(0)?;
            read_terms(row.get_ref(3)?.as_blob_or_null()?.unwrap_or_default(), |term, times| {
                terms.push((term, doc, times));
            });
            tail.push((doc, short(row.get(1)?), row.get::<_, Option<u32>>(2)?));
        }
        let bound = tail.last().map_or((sealed + 1) as u32, |(doc, _, _)| doc + 1);
        Ok(SqlTextIndex {
            _held: held,
            index: self,
            vectors,
            segments,
            tail,
            terms,
            bound,
            slots: OnceCell::new(),
        })
    }
}

struct Segment {
    id: i64,
    first: u32,
    last: u32,
}

/// The searchable side of the projection, as it was when it was opened.
pub struct SqlTextIndex<'a> {
    _held: Option<rusqlite::Transaction<'a>>,
    index: &'a Index,
    vectors: Option<&'a VectorFile>,
    segments: Vec<Segment>,
    tail: Vec<(u32, u16, Option<u32>)>,
    terms: Vec<(Term, u32, u32)>,
    bound: u32,
    slots: OnceCell<Vec<u32>>,
}

impl SqlTextIndex<'_> {
    fn blob(&self, column: &str, segment: &Segment) -> SqlResult<Vec<u8>> {
        let sql = format!("SELECT {column} FROM segments WHERE id = ?");
        self.index.connection.prepare_cached(&sql)?.query_row([segment.id], |row| row.get(0))
    }

    /// The slot of each text's vector, by number.
    fn slots(&self) -> SqlResult<&[u32]> {
        if let Some(slots) = self.slots.get() {
            return Ok(slots);
        }
        let mut slots = vec![NO_SLOT; self.bound as usize];
        for segment in &self.segments {
            let bytes = self.blob("slots", segment)?;
            for (slot, four) in
                slots[segment.first as usize..=segment.last as usize].iter_mut().zip(bytes.chunks_exact(4))
            {
                *slot = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
            }
        }
        for (doc, _, slot) in &self.tail {
            slots[*doc as usize] = slot.unwrap_or(NO_SLOT);
        }
        Ok(self.slots.get_or_init(|| slots))
    }
}

impl TextIndex for SqlTextIndex<'_> {
    type Error = rusqlite::Error;

    fn bound(&self) -> u32 {
        self.bound
    }

    fn lengths(&self) -> SqlResult<Vec<u16>> {
        let mut lengths = vec![0; self.bound as usize];
        for segment in &self.segments {
            let bytes = self.blob("lengths", segment)?;
            for (length, two) in
                lengths[segment.first as usize..=segment.last as usize].iter_mut().zip(bytes.chunks_exact(2))
            {
                *length = u16::from_le_bytes([two[0], two[1]]);
            }
        }
        for (doc, length, _) in &self.tail {
            lengths[*doc as usize] = *length;
        }
        Ok(lengths)
    }

    fn lists(&self, term: Term) -> SqlResult<Vec<Vec<u8>>> {
        let mut statement = self
            .index
            .connection
            .prepare_cached("SELECT docs FROM postings WHERE segment = ? AND term = ?")?;
        let mut lists = Vec::with_capacity(self.segments.len() + 1);
        for segment in &self.segments {
            lists.extend(statement.query_row(params![segment.id, term.0], |row| row.get(0)).optional()?);
        }
        let mut tail = Postings::default();
        for (_, doc, times) in self.terms.iter().filter(|(known, _, _)| *known == term) {
            tail.push(*doc, *times);
        }
        if !tail.is_empty() {
            lists.push(tail.written());
        }
        Ok(lists)
    }

    fn terms_of(&self, doc: u32) -> SqlResult<HashMap<Term, u32>> {
        let Some(stored) = self.index.stored_by_doc(doc, false)? else { return Ok(HashMap::new()) };
        Ok(terms(&text::words_of(&stored.entry)))
    }

    fn beside(&self, doc: u32) -> SqlResult<Vec<(u32, u32)>> {
        let sql = "SELECT o.doc, abs(o.position - d.position) FROM docs d
                   JOIN docs o ON o.place = d.place AND o.position BETWEEN d.position - 2 AND d.position + 2 AND o.doc <> d.doc
                   WHERE d.doc = ? AND d.place IS NOT NULL";
        let mut statement = self.index.connection.prepare_cached(sql)?;
        statement.query_map([doc], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    fn has_places(&self) -> SqlResult<bool> {
        self.index.connection.prepare_cached("SELECT 1 FROM docs WHERE place IS NOT NULL LIMIT 1")?.exists([])
    }

    fn cosines(&self, meaning: &[f32]) -> SqlResult<Option<Vec<f32>>> {
        let Some(codes) = self.vectors.filter(|vectors| !vectors.is_empty()).and_then(VectorFile::codes)
        else {
            return Ok(None);
        };
        let by_slot = codes.cosines(meaning);
        let of = |slot: &u32| by_slot.get(*slot as usize).copied().unwrap_or(f32::NAN);
        Ok(Some(self.slots()?.iter().map(of).collect()))
    }

    fn cosines_of(&self, meaning: &[f32], docs: &[u32]) -> SqlResult<Vec<Option<f32>>> {
        let codes = self.vectors.and_then(VectorFile::codes);
        let Some(codes) = codes else { return Ok(vec![None; docs.len()]) };
        let (slots, code) = (self.slots()?, encode(meaning));
        let near = |doc: &u32| {
            let slot = slots.get(*doc as usize).copied().filter(|slot| (*slot as usize) < codes.len())?;
            Some(codes.cosine_of(&code, slot)).filter(|near| !near.is_nan())
        };
        Ok(docs.iter().map(near).collect())
    }
}
