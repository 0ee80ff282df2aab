//! What of every entry a glance shows: rules and figures over the whole store read this, and not the entries.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use ken_core::kinds::Polarity;
use ken_core::{Clock, Entry, EntryKey, Memory, Status, Tag, Type, TypeName};
use ken_engine::{Glance, glance};
use rusqlite::Result as SqlResult;

use super::runs::read_belief;
use super::{Index, damaged, key_column};

/// What no other column has: the title where it is not shown as it is written, domains, tags, polarity, peer, misses, and the entries that
/// it is similar to, not to be held against and said to contradict.
type Row<T, L> = (
    Option<T>,
    Vec<L>,
    Vec<L>,
    Option<Polarity>,
    Option<T>,
    u32,
    Vec<EntryKey>,
    Vec<EntryKey>,
    Vec<EntryKey>,
);

/// The column of an entry, whose title is shown in some words.
pub(super) fn written(entry: &Entry, shown_title: &str) -> String {
    let title = entry.fields.title();
    let domains = entry.whole_domains();
    let row: Row<&str, &Tag> = (
        Some(title.as_ref()).filter(|title| *title != shown_title),
        domains.iter().collect(),
        entry.fields.tags.iter().collect(),
        entry.fields.polarity,
        glance::peer(entry),
        entry.missed,
        glance::similar_to(entry),
        entry.unlike.iter().copied().collect(),
        glance::contradicts(entry),
    );
    serde_json::to_string(&row).expect("texts, numbers and keys can be written")
}

impl Index {
    /// Every semantic and procedural entry in short, by key. Nothing is known of overlays here.
    ///
    /// The entries themselves, which are long, are not read.
    pub fn glances(&self) -> SqlResult<Vec<Glance>> {
        let sql = "SELECT key, id, handle, type, memory, status, title, glance, thread, scope, belief, confirmed, gaps, created, changed
                   FROM entries WHERE asked = 0 AND memory IN ('semantic', 'procedural')";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        let mut known: HashMap<Vec<String>, Arc<BTreeSet<Tag>>> = HashMap::new();
        while let Some(row) = rows.next()? {
            let kind = row.get_ref(3)?.as_str()?;
            let id: String = row.get(1)?;
            let written = serde_json::from_str::<Row<String, String>>(row.get_ref(7)?.as_str()?);
            let (title, domains, own_tags, polarity, peer, missed, similar_to, unlike, contradicts) =
                written.map_err(|_| damaged(7))?;
            let (decay_class, prior, record) =
                read_belief(row.get_ref(10)?.as_str()?).ok_or_else(|| damaged(10))?;
            let mut labels = |texts: Vec<String>| -> SqlResult<Arc<BTreeSet<Tag>>> {
                if let Some(labels) = known.get(&texts) {
                    return Ok(labels.clone());
                }
                let read = texts.iter().map(|text| Tag::parse(text).map_err(|_| damaged(7)));
                let labels = Arc::new(read.collect::<SqlResult<BTreeSet<Tag>>>()?);
                known.insert(texts, labels.clone());
                Ok(labels)
            };
            let is_of_thread = row.get_ref(9)?.as_str()? == "thread";
            let confirmed_at = row.get::<_, Option<i64>>(11)?.map(Clock::unpacked);
            all.push(Glance {
                key: key_column(row, 0)?,
                handle: row.get::<_, Option<String>>(2)?.unwrap_or_else(|| id.clone()),
                id,
                memory: Memory::from_word(row.get_ref(4)?.as_str()?).ok_or_else(|| damaged(4))?,
                kind: Type::from_word(kind)
                    .map_or_else(|| TypeName::Unknown(kind.to_owned()), TypeName::Known),
                status: Status::from_word(row.get_ref(5)?.as_str()?).ok_or_else(|| damaged(5))?,
                title: title.map_or_else(|| row.get(6), Ok)?,
                domains: labels(domains)?,
                tags: labels(own_tags)?,
                polarity,
                decay_class,
                thread: row.get::<_, Option<String>>(8)?.filter(|_| is_of_thread),
                prior,
                peer,
                record,
                missed,
                similar_to,
                unlike,
                contradicts,
                confirmed: confirmed_at.is_some(),
                confirmed_at,
                has_gaps: row.get(12)?,
                created: Clock::unpacked(row.get(13)?),
                updated: Clock::unpacked(row.get(14)?),
                pinned: false,
                hidden: false,
            });
        }
        all.sort_unstable_by_key(|glance| glance.key);
        Ok(all)
    }
}
