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
use crate::ports::{Injected, Ledger, Placed, Stored};
use crate::query::{Overlaid, Query, Threads};
use crate::view::head;

/// A store that tells about all of its entries at once.
///
/// What is given here is right and slow; a store overrides it with what its index knows. Nothing here looks at code, and entries whose
/// purge was asked for are left out everywhere.
pub trait Upkeep: Ledger {
    /// Every semantic and procedural entry, whatever its status, by key.
    fn tended(&self) -> Result<Vec<Tended>> {
        slowly::tended(self)
    }

    /// Names every norm with everything it says: it is another one as soon as one of them changes. None where nobody keeps that.
    fn norms_print(&self) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Completed reviews in which each entry was injected (REV-4), by entry.
    fn injections(&self) -> Result<Vec<(EntryKey, Injected)>> {
        slowly::injections(self)
    }

    /// Every file that an entry has an anchor in, with the entry, by path.
    fn places(&self) -> Result<Vec<(String, EntryKey)>> {
        slowly::places(self)
    }

    /// Records of one type that can be seen here, from a thread if one is named, and that changed since a time; oldest first.
    fn episodes(&self, kind: Type, since: Option<Millis>, thread: Option<&str>) -> Result<Vec<Episode>> {
        slowly::episodes(self, kind, since, thread)
    }

    /// When each entry was last put before somebody or used, and how often, by entry; those that never were are left out.
    fn delivered(&self) -> Result<Vec<(EntryKey, Delivered)>> {
        slowly::delivered(self)
    }

    /// How near the meanings of two entries are, for each pair; none where a vector is missing.
    fn alike(&self, pairs: &[(EntryKey, EntryKey)]) -> Result<Vec<Option<f64>>> {
        Ok(vec![None; pairs.len()])
    }

    /// Every semantic and procedural entry that is handed out here, one reviewer's if one is named, as far as drift is concerned. In no order.
    fn drifting(&self, reviewer: Option<&str>) -> Result<Vec<Subject>> {
        slowly::drifting(self, reviewer)
    }

    /// When every entry that changed since a time was stated, and when it last changed.
    fn changes(&self, since: Millis) -> Result<Vec<(Clock, Clock)>> {
        slowly::changes(self, since)
    }
}

/// The same for every ledger, from whole entries: what an index says must agree with it.
pub mod slowly {
    use super::*;

    /// See [`Upkeep::tended`].
    pub fn tended<L: Ledger + ?Sized>(ledger: &L) -> Result<Vec<Tended>> {
        let memories = vec![Memory::Semantic, Memory::Procedural];
        let every = Query { memories, all: true, overlaid: Overlaid::Any, ..Query::default() };
        let mut all: Vec<Tended> = ledger.list(&every)?.entries.iter().map(Tended::new).collect();
        all.sort_by_key(|one| one.key);
        Ok(all)
    }

    /// See [`Upkeep::injections`].
    pub fn injections<L: Ledger + ?Sized>(ledger: &L) -> Result<Vec<(EntryKey, Injected)>> {
        let mut all = Vec::new();
        for one in tended(ledger)? {
            all.extend(ledger.injected(one.key)?.into_iter().map(|injected| (one.key, injected)));
        }
        Ok(all)
    }

    /// See [`Upkeep::delivered`].
    pub fn delivered<L: Ledger + ?Sized>(ledger: &L) -> Result<Vec<(EntryKey, Delivered)>> {
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

    /// See [`Upkeep::places`].
    pub fn places<L: Ledger + ?Sized>(ledger: &L) -> Result<Vec<(String, EntryKey)>> {
        let every = Query { all: true, overlaid: Overlaid::Any, ..Query::default() };
        let mut places = BTreeSet::new();
        for stored in ledger.list(&every)?.entries {
            let paths = stored.entry.fields.anchors.iter().map(|anchor| anchor.path().to_owned());
            places.extend(paths.filter(|path| !path.is_empty()).map(|path| (path, stored.entry.key)));
        }
        Ok(places.into_iter().collect())
    }

    /// See [`Upkeep::episodes`].
    pub fn episodes<L: Ledger + ?Sized>(
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

    /// See [`Upkeep::drifting`].
    pub fn drifting<L: Ledger + ?Sized>(ledger: &L, reviewer: Option<&str>) -> Result<Vec<Subject>> {
        let memories = vec![Memory::Semantic, Memory::Procedural];
        let query = Query { memories, reviewer: reviewer.map(str::to_owned), ..Query::default() };
        let mut all = Vec::new();
        ledger.each(&query, &mut |stored| {
            all.push(Subject::new(head(&stored), &stored.entry));
            Ok(())
        })?;
        Ok(all)
    }

    /// See [`Upkeep::changes`].
    pub fn changes<L: Ledger + ?Sized>(ledger: &L, since: Millis) -> Result<Vec<(Clock, Clock)>> {
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
pub struct Tended {
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

impl Tended {
    /// What matters of an entry that was read whole.
    pub fn new(stored: &Stored) -> Tended {
        let entry = &stored.entry;
        Tended {
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
