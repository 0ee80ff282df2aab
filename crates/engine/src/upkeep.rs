//! What figures about a whole store look at: every entry, tie, place and record in a few columns, without the words they are made of.

use std::collections::BTreeSet;

use ken_core::drift::Subject;
use ken_core::entry::stated_at;
use ken_core::kinds::Polarity;
use ken_core::signal::SignalState;
use ken_core::{
    Body, Clock, Entry, EntryKey, Fields, Memory, Millis, RunEvent, Scope, Status, Tag, Type, TypeName,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::Result;
use crate::ports::{Injected, Placed, Stored};
use crate::projection::{Deliveries, Entries};
use crate::query::{Overlaid, Query, Threads};
use crate::view::head;

/// Figures from whole entries, for every projection: what an index says must agree with it.
pub mod slowly {
    use super::*;

    /// See [`crate::projection::Upkeep::tended`].
    pub fn tended<L: Entries + ?Sized>(ledger: &L) -> Result<Vec<UpkeepEntry>> {
        let memories = vec![Memory::Semantic, Memory::Procedural];
        let every = Query { memories, all: true, overlaid: Overlaid::Any, ..Query::default() };
        let mut all: Vec<UpkeepEntry> = ledger.list(&every)?.entries.iter().map(UpkeepEntry::new).collect();
        all.sort_by_key(|one| one.key);
        Ok(all)
    }

    /// See [`crate::projection::Deliveries::injections`].
    pub fn injections<L: Deliveries + ?Sized>(ledger: &L) -> Result<Vec<(EntryKey, Injected)>> {
        let mut all = Vec::new();
        for one in tended(ledger)? {
            all.extend(ledger.injected(one.key)?.into_iter().map(|injected| (one.key, injected)));
        }
        Ok(all)
    }

    /// See [`crate::projection::Deliveries::delivered`].
    pub fn delivered<L: Deliveries + ?Sized>(ledger: &L) -> Result<Vec<(EntryKey, Delivered)>> {
        let mut all = Vec::new();
        for one in tended(ledger)? {
            let (shown, uses) = (ledger.shown(one.key, Millis(0))?, ledger.uses(one.key)?);
            let is_missed =
                |placed: &&Placed| matches!(placed.event.body, Some(Body::Run(RunEvent::Missed { .. })));
            let missed = ledger.history(one.key)?.iter().filter(is_missed).count();
            let times = shown.len().saturating_sub(missed);
            let clocks = shown.iter().map(|(_, seen)| seen.clock).chain(uses.iter().map(|used| used.clock));
            all.extend(clocks.max().map(|last| (one.key, Delivered { last, times })));
        }
        Ok(all)
    }

    /// See [`crate::projection::Links::places`].
    pub fn places<L: Entries + ?Sized>(ledger: &L) -> Result<Vec<(String, EntryKey)>> {
        let every = Query { all: true, overlaid: Overlaid::Any, ..Query::default() };
        let mut places = BTreeSet::new();
        for stored in ledger.list(&every)?.entries {
            let paths = stored.entry.fields.anchors.iter().map(|anchor| anchor.path().to_owned());
            places.extend(paths.filter(|path| !path.is_empty()).map(|path| (path, stored.entry.key)));
        }
        Ok(places.into_iter().collect())
    }

    /// See [`crate::projection::Upkeep::episodes`].
    pub fn episodes<L: Entries + ?Sized>(
        ledger: &L,
        kind: Type,
        since: Option<Millis>,
        thread: Option<&str>,
    ) -> Result<Vec<Episode>> {
        let threads = Threads::SeenFrom(thread.map(str::to_owned));
        let query = Query { types: vec![TypeName::Known(kind)], threads, since, ..Query::default() };
        let mut all: Vec<Episode> = ledger.list(&query)?.entries.iter().map(Episode::new).collect();
        all.sort_by_key(|one| (one.created, one.key));
        Ok(all)
    }

    /// See [`crate::projection::Upkeep::drifting`].
    pub fn drifting<L: Entries + ?Sized>(ledger: &L, reviewer: Option<&str>) -> Result<Vec<Subject>> {
        let memories = vec![Memory::Semantic, Memory::Procedural];
        let query = Query { memories, reviewer: reviewer.map(str::to_owned), ..Query::default() };
        let mut all = Vec::new();
        ledger.each(&query, &mut |stored| {
            all.push(Subject::new(head(&stored), &stored.entry));
            Ok(())
        })?;
        Ok(all)
    }

    /// See [`crate::projection::Upkeep::changes`].
    pub fn changes<L: Entries + ?Sized>(ledger: &L, since: Millis) -> Result<Vec<(Clock, Clock)>> {
        let every = Query { all: true, overlaid: Overlaid::Any, since: Some(since), ..Query::default() };
        let times = |stored: &Stored| (stored.entry.stated_at(), stored.entry.changed_at());
        let mut all: Vec<(Clock, Clock)> = ledger.list(&every)?.entries.iter().map(times).collect();
        all.sort_unstable();
        Ok(all)
    }
}

/// When an entry was last put before somebody or used, and how often it was accessed: put before somebody as more than a weak answer, which
/// is a prediction error and no access (UPK-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    pub last: Clock,
    pub times: usize,
}

/// An entry as far as its upkeep is concerned.
#[derive(Clone, Debug, PartialEq)]
pub struct UpkeepEntry {
    /// Its name in events.
    pub key: EntryKey,
    pub kind: TypeName,
    /// The memory it belongs to.
    pub memory: Memory,
    /// Where it stands.
    pub status: Status,
    /// How far it reaches.
    pub scope: Scope,
    /// The reviewer whose knowledge it is.
    pub reviewer: Option<String>,
    /// When it was first stated where it comes from.
    pub stated: Clock,
    /// The latest independent confirmation.
    pub confirmed: Option<Clock>,
    /// It lacks parts that its type needs.
    pub has_gaps: bool,
    /// It is muted or invalidated in this clone.
    pub hidden: bool,
}

impl UpkeepEntry {
    /// What matters of an entry that was read whole.
    pub fn new(stored: &Stored) -> UpkeepEntry {
        let entry = &stored.entry;
        UpkeepEntry {
            key: entry.key,
            kind: entry.kind.clone(),
            memory: entry.memory(),
            status: entry.status,
            scope: entry.fields.scope(),
            reviewer: entry.fields.reviewer.clone(),
            stated: entry.stated_at(),
            confirmed: entry.last_confirmed,
            has_gaps: !entry.gaps().is_empty(),
            hidden: stored.overlay.hides(),
        }
    }

    /// When it was last known to be right.
    pub fn dated(&self) -> Millis {
        self.confirmed.unwrap_or(self.stated).millis()
    }

    /// Whether it is handed out here.
    pub fn counts(&self) -> bool {
        self.status.is_retrieved() && !self.hidden
    }
}

/// A friction or a signal in short.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    /// Its name in events.
    pub key: EntryKey,
    /// The id it answers to.
    pub id: String,
    /// The finer kind.
    pub subtype: Option<String>,
    /// The title or what stands for it.
    pub title: String,
    pub tags: BTreeSet<Tag>,
    /// For, against, or neither.
    pub polarity: Option<Polarity>,
    /// How bad, 0 to 10.
    pub severity: Option<f64>,
    /// The word of the original scale.
    pub severity_word: Option<String>,
    /// How sure, 0 to 10.
    pub confidence: Option<f64>,
    /// What was going on.
    pub context: Map<String, Value>,
    /// How far somebody got with it.
    pub state: SignalState,
    /// When it was recorded where it comes from.
    pub created: Clock,
    pub created_by: String,
}

impl Episode {
    /// What matters of an entry that was read whole.
    pub fn new(stored: &Stored) -> Episode {
        Episode { id: stored.id.clone(), ..Episode::entry(&stored.entry) }
    }

    fn entry(entry: &Entry) -> Episode {
        let fields = &entry.fields;
        Episode {
            key: entry.key,
            id: entry.id(),
            subtype: fields.subtype.clone(),
            title: fields.title().into_owned(),
            tags: fields.tags.clone(),
            polarity: fields.polarity,
            severity: fields.severity,
            severity_word: fields.severity_word.clone(),
            confidence: fields.confidence,
            context: fields.context.clone(),
            state: SignalState::from_attributes(&fields.attributes),
            created: entry.stated_at(),
            created_by: entry.created_by.clone(),
        }
    }

    /// The same from an entry as it is written, without what is not looked at. What has an odd shape is read whole.
    pub fn read(id: String, text: &str) -> std::result::Result<Episode, serde_json::Error> {
        let Ok(written) = serde_json::from_str::<Written>(text) else {
            let entry: Entry = serde_json::from_str(text)?;
            return Ok(Episode { id, ..Episode::entry(&entry) });
        };
        let said = written.fields;
        let words = Fields {
            title: said.title,
            summary: said.summary,
            statement: said.statement,
            ..Fields::default()
        };
        Ok(Episode {
            key: written.key,
            id,
            subtype: said.subtype,
            title: words.title().into_owned(),
            tags: said.tags,
            polarity: said.polarity,
            severity: said.severity,
            severity_word: said.severity_word,
            confidence: said.confidence,
            context: said.context,
            state: SignalState::from_attributes(&said.attributes),
            created: stated_at(written.created, written.since),
            created_by: written.created_by,
        })
    }
}

/// The parts of a written record that are read.
#[derive(Deserialize)]
struct Written {
    key: EntryKey,
    fields: StatedFields,
    created: Clock,
    #[serde(default)]
    since: Option<Millis>,
    created_by: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StatedFields {
    title: Option<String>,
    summary: Option<String>,
    statement: Option<String>,
    subtype: Option<String>,
    tags: BTreeSet<Tag>,
    polarity: Option<Polarity>,
    severity: Option<f64>,
    severity_word: Option<String>,
    confidence: Option<f64>,
    context: Map<String, Value>,
    attributes: Map<String, Value>,
}
