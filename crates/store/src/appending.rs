//! What is alike in every append of this crate's logs: a change is made of what holds no secret, rests on what the caller read, and may
//! belong to a command.

use ken_core::entry::Bases;
use ken_core::{Code, EntryKey, Event, Intent, Refusal};
use ken_engine::log;
use ken_engine::{
    AppendError, Appended, Conflict, Error, Floors, ReadSet, Redacted, Result, Sealer, Topic, Version, Writer,
};
use ken_index::{Index, index_error};

/// The changes that a handle makes for its caller.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    /// How the caller of this call wants to find an entry, until that is changed.
    pub(crate) expected: Option<(EntryKey, Version)>,
    command: Command,
}

/// The command that a handle writes for, where its writes belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Command {
    #[default]
    None,
    /// It wrote nothing yet.
    Begun,
    /// The running number of the first event that it wrote.
    Wrote(u64),
}

impl Change {
    pub(crate) fn begin_command(&mut self) {
        self.command = Command::Begun;
    }

    pub(crate) fn end_command(&mut self) {
        self.command = Command::None;
    }

    /// The first running number of the command that a write now goes on with.
    pub(crate) fn continued(&self) -> Option<u64> {
        match self.command {
            Command::None | Command::Begun => None,
            Command::Wrote(first) => Some(first),
        }
    }

    pub(crate) fn wrote(&mut self, first: Option<&Event>) {
        if let (Command::Begun, Some(first)) = (self.command, first) {
            self.command = Command::Wrote(first.seq);
        }
    }

    /// What became of an append: one that failed for what the caller expected says so.
    pub(crate) fn finished(
        &mut self,
        appended: std::result::Result<Appended, AppendError>,
    ) -> std::result::Result<Appended, AppendError> {
        match (appended, self.expected) {
            (Err(AppendError::Conflict(Conflict::Entry(changed))), Some((key, _))) if changed == key => {
                let refusal =
                    Refusal::new(Code::Changed, "the entry changed since it was read; nothing was written")
                        .hint("read the entry again, and decide again");
                Err(AppendError::Failed(refusal.into()))
            }
            (Ok(appended), _) => {
                if appended.events.iter().any(|event| !event.is_deferred()) {
                    self.expected = None;
                }
                self.wrote(appended.events.first());
                Ok(appended)
            }
            (failed, _) => failed,
        }
    }
}

/// What an append rests on, with what the caller expects, and the batch it makes at the end of a log.
pub(crate) fn sealed(
    index: &Index,
    read: &ReadSet,
    intents: Vec<Intent>,
    writer: &Writer,
    change: &Change,
) -> Result<(ReadSet, Sealer)> {
    let redacted = Redacted::new(intents, writer)?;
    let is_begun = index.begin_read().is_ok();
    let looked_up = floors(index, redacted.intents())
        .and_then(|floors| Ok::<_, Error>((floors, bases(index, redacted.intents())?)));
    if is_begun {
        index.end_read();
    }
    let (floors, bases) = looked_up?;
    let is_change = redacted.intents().iter().any(|intent| !intent.body.is_deferred());
    let mut read = read.clone();
    if let Some((key, version)) = change.expected.filter(|_| is_change) {
        // What the caller read is older than the grounds of the decision: where the log ended then says nothing of it.
        read.log_end = None;
        read.entries.insert(key, version);
    }
    Ok((read, Box::new(move |tail| Ok(log::seal(&redacted, &floors, &bases, tail)))))
}

/// What events must come after, as the projection knows it.
pub(crate) fn floors(index: &Index, intents: &[Intent]) -> Result<Floors> {
    let mut floors = Floors::default();
    for topic in intents.iter().flat_map(Topic::all_of) {
        if !floors.0.contains_key(&topic)
            && let Some(clock) = index.latest_clock(&topic).map_err(index_error)?
        {
            floors.0.insert(topic, clock);
        }
    }
    Ok(floors)
}

/// What events are about, as the projection has it (COR-18).
pub(crate) fn bases(index: &Index, intents: &[Intent]) -> Result<Bases> {
    let mut bases = Bases::default();
    for key in Bases::needed(intents) {
        if let Some(stored) = index.stored(key).map_err(index_error)? {
            bases.insert(&stored.entry);
        }
    }
    Ok(bases)
}
