//! Folding entries anew, many at a time: what is known of each is gathered, all of them are folded on every core, and their rows are
//! written.

use std::thread::JoinHandle;

use ken_core::decide::merge_name;
use ken_core::event::read_line;
use ken_engine::cores;
use ken_engine::intake::{Trust, look_again};
use ken_engine::view::{shown_title, title};

use super::intake::{Folded, Intake, state_text};
use super::limits::{FOLDED_ALONE_MAX, FOLDED_TOGETHER, KEPT_EVENTS_MAX, KEPT_LINE_BYTES_MAX};
use super::shelf::IndexedText;
use super::*;

/// Events that were told in a transaction, until their entries are folded.
#[derive(Default)]
pub(super) struct Told {
    by_entry: HashMap<EntryKey, Vec<ToldEvent>>,
    /// How many events are held, and how many bytes of lines.
    events: usize,
    line_bytes: usize,
    /// Whether some were not held, since there were too many.
    is_partial: bool,
}

/// One of them.
struct ToldEvent {
    what: ToldLine,
    /// Whether this clone wrote it.
    written_here: bool,
}

/// Shared files are read first and speak of every entry: of many events, only their lines are held.
enum ToldLine {
    Event(Box<Event>),
    Line(Box<str>),
}

impl ToldLine {
    fn read(self) -> Option<Event> {
        match self {
            ToldLine::Event(event) => Some(*event),
            ToldLine::Line(line) => match read_line(&line) {
                Ok(Line::Event(event)) => Some(*event),
                Ok(Line::Stub(_)) | Err(_) => None,
            },
        }
    }
}

impl Told {
    pub(super) fn insert(&mut self, key: EntryKey, event: Box<Event>, written_here: bool) {
        let what = if self.events < KEPT_EVENTS_MAX {
            self.events += 1;
            ToldLine::Event(event)
        } else if self.line_bytes < KEPT_LINE_BYTES_MAX {
            self.line_bytes += event.line().len();
            ToldLine::Line(event.line().into())
        } else {
            // It is read again when its entry is folded.
            self.is_partial = true;
            return;
        };
        let told = self.by_entry.entry(key).or_default();
        if told.is_empty() {
            // Most entries have one event in a shared file, and a list that grows begins with room for four.
            told.reserve_exact(1);
        }
        told.push(ToldEvent { what, written_here });
    }

    /// Whether some were not held: whoever folds their entries asks the log.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    fn remove(&mut self, key: EntryKey) -> Vec<ToldEvent> {
        let told = self.by_entry.remove(&key).unwrap_or_default();
        for one in &told {
            match &one.what {
                ToldLine::Event(_) => self.events -= 1,
                ToldLine::Line(line) => self.line_bytes -= line.len(),
            }
        }
        told
    }
}

/// An entry that is to be folded, and everything that must be known for it.
struct Gathered {
    key: EntryKey,
    told: Vec<ToldEvent>,
    /// The others.
    events: Vec<Event>,
    /// Which of all of them this clone wrote.
    here: HashSet<EventHash>,
    /// Those of them that were purged.
    gone: HashSet<EventHash>,
    /// Whether somebody asked to purge one of them.
    asked: bool,
    /// The entry as another index folded it from the same events.
    known: Option<Entry>,
    /// Whether all its events are in the place that is looked at.
    is_all_here: bool,
}

/// An entry that was folded.
pub(super) struct Made {
    key: EntryKey,
    events: Vec<Event>,
    gone: HashSet<EventHash>,
    asked: bool,
    trust: Trust,
    is_all_here: bool,
    /// None where nothing states it.
    made: Option<(Entry, EntryText)>,
}

/// What takes long to make of an entry for its row: it is made on every core, while one writes.
pub(super) struct EntryText {
    pub(super) state: String,
    pub(super) digest: u64,
    pub(super) merge_name: Option<String>,
    pub(super) ground: String,
    pub(super) belief: String,
    pub(super) title: String,
    pub(super) glance: String,
    pub(super) has_gaps: bool,
    /// Its text, taken apart, where texts are searched.
    pub(super) shelved: Option<IndexedText>,
}

impl EntryText {
    pub(super) fn of(entry: &Entry, is_searched: bool) -> EntryText {
        let state = state_text(entry);
        let title = shown_title(&title(entry));
        EntryText {
            digest: digest_of(&state),
            state,
            merge_name: merge_name(&entry.kind, &entry.fields),
            ground: super::ground::written(entry),
            belief: super::runs::believed(entry),
            glance: super::glance::written(entry, &title),
            title,
            has_gaps: !entry.gaps().is_empty(),
            shelved: is_searched.then(|| IndexedText::of(entry)),
        }
    }
}

impl Gathered {
    fn fold(self, is_searched: bool) -> Made {
        let Gathered { key, told, mut events, mut here, gone, asked, known, is_all_here } = self;
        for ToldEvent { what, written_here } in told {
            let Some(event) = what.read() else { continue };
            if written_here {
                here.insert(event.hash);
            }
            events.push(event);
        }
        let trust = super::intake::trust(&here, &events);
        let entry = known.or_else(|| {
            let mut entry = fold(&events, &|hash| gone.contains(hash))?;
            look_again(&mut entry, &trust);
            Some(entry)
        });
        let made = entry.map(|entry| {
            let text = EntryText::of(&entry, is_searched);
            (entry, text)
        });
        Made { key, events, gone, asked, trust, is_all_here, made }
    }
}

/// Entries that are being folded, on other cores if they are many.
pub(super) enum Folding {
    Done(Vec<Made>),
    UnderWay(JoinHandle<Vec<Made>>),
}

impl Folding {
    fn of(gathered: Vec<Gathered>, is_searched: bool) -> Folding {
        let fold = move |gathered: Vec<Gathered>| {
            let mut gathered: Vec<Option<Gathered>> = gathered.into_iter().map(Some).collect();
            let made = cores::each(&mut gathered, |one| one.take().map(|one| one.fold(is_searched)));
            made.into_iter().flatten().collect()
        };
        if gathered.len() < FOLDED_ALONE_MAX {
            return Folding::Done(fold(gathered));
        }
        Folding::UnderWay(std::thread::spawn(move || fold(gathered)))
    }

    fn made(self) -> Vec<Made> {
        match self {
            Folding::Done(made) => made,
            Folding::UnderWay(thread) => {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }
        }
    }
}

impl Intake<'_> {
    /// Folds entries and writes their rows: while some are folded, the rows of those before them are written, and more lines are taken in.
    pub(super) fn refold(&mut self, keys: &[EntryKey]) -> SqlResult<()> {
        for some in keys.chunks(FOLDED_TOGETHER) {
            let gathered = some.iter().map(|key| self.gather(*key));
            let gathered = gathered.collect::<SqlResult<Vec<_>>>()?;
            self.settle_folding()?;
            self.folding = Some(Folding::of(gathered, self.is_searched));
        }
        Ok(())
    }

    /// Writes the rows of what was folded last.
    pub(super) fn settle_folding(&mut self) -> SqlResult<()> {
        let made = self.folding.take().map(Folding::made).unwrap_or_default();
        made.into_iter().try_for_each(|made| self.put(made))
    }

    fn gather(&mut self, key: EntryKey) -> SqlResult<Gathered> {
        // Into an empty index everything is told in one transaction, and what files tell is in its place.
        let is_all_here = self.is_told_whole(key)?;
        let told = self.told.remove(key);
        let any_purge = self.any_purge()?;
        let mut gathered = Gathered {
            key,
            told,
            events: Vec::new(),
            here: HashSet::new(),
            gone: HashSet::new(),
            asked: false,
            known: None,
            is_all_here,
        };
        if is_all_here {
            return Ok(gathered);
        }
        self.find_by_entry()?;
        gathered.here = self.source.written_here(key)?;
        let hashes = self.hashes_of(key)?;
        gathered.events =
            std::mem::take(&mut gathered.told).into_iter().filter_map(|told| told.what.read()).collect();
        let have: HashSet<EventHash> = gathered.events.iter().map(|event| event.hash).collect();
        for hash in hashes.iter().filter(|hash| !have.contains(hash)) {
            gathered.events.extend(self.source.event(hash)?);
        }
        if any_purge {
            for event in &gathered.events {
                if purge_counts(self.tx, self.own, event)? {
                    gathered.gone.insert(event.hash);
                } else if self
                    .tx
                    .prepare_cached("SELECT 1 FROM purges WHERE hash = ?")?
                    .exists([&event.hash.0[..]])?
                {
                    gathered.asked = true;
                }
            }
        } else {
            gathered.known = self.source.folded(key, &hashes)?;
        }
        Ok(gathered)
    }

    fn put(&mut self, made: Made) -> SqlResult<()> {
        let Made { key, events, gone, asked, trust, is_all_here, made } = made;
        let Some((mut entry, mut text)) = made else { return self.remove(key) };
        if self.settle(&mut entry)? {
            text = EntryText::of(&entry, self.is_searched);
        }
        // That somebody was shown it is not said about it.
        let said = events.iter().filter(|event| !matches!(event.body, Some(Body::Run(_))));
        let latest = said.map(|event| event.clock).max().unwrap_or(entry.updated);
        let before = if is_all_here { None } else { self.known(key)? };
        let is_new = before.is_none();
        self.write(&entry, text, before, (asked, latest))?;
        if is_all_here {
            return Ok(());
        }
        let folded = Folded { key, events: &events, gone: &gone, trust: &trust };
        let mut standing = self.source.standing(&folded)?;
        if let Some(entry) = standing.as_mut().and_then(|standing| standing.entry.as_mut()) {
            self.settle(entry)?;
        }
        if is_new && standing.is_none() {
            return Ok(());
        }
        self.write_standing(key, standing)
    }

    pub(super) fn any_purge(&mut self) -> SqlResult<bool> {
        if let Some(any) = self.any_purge {
            return Ok(any);
        }
        let any = self.tx.prepare_cached("SELECT 1 FROM purges LIMIT 1")?.exists([])?;
        self.any_purge = Some(any);
        Ok(any)
    }

    fn hashes_of(&self, key: EntryKey) -> SqlResult<Vec<EventHash>> {
        let sql = "SELECT hash FROM events WHERE entry = ? AND flags & 2 = 0";
        let mut statement = self.tx.prepare_cached(sql)?;
        statement.query_map([&key.0[..]], |row| hash_column(row, 0))?.collect()
    }
}
