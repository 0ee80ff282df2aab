//! Events for tests: sealed as a clone of today would, or built from JSON as a newer version would.

use ken_core::canonical;
use ken_core::event::{Basis, Body, Event, Intent, Line, Seal, read_line};
use ken_core::{Clock, EntryKey, EventHash, Millis, ReplicaId};
use serde_json::{Map, Value};

/// The moment at which every test story begins: 2026-11-15T02:04:00Z.
pub const BEGIN_MILLIS: i64 = 1_794_708_240_000;

/// A clone by number.
pub fn replica(number: u8) -> ReplicaId {
    ReplicaId([0xa0 | number; 6])
}

/// The clock a number of seconds into the story.
pub fn clock(second: i64) -> Clock {
    Clock::at(Millis(BEGIN_MILLIS + second * 1000))
}

/// The key of what a lesson of the project states.
pub fn lesson_key(statement: &str) -> EntryKey {
    EntryKey::derive("lesson", "project", statement)
}

/// Writes events one after another, each clone with its own running number and parents.
#[derive(Default)]
pub struct Writer {
    written: std::collections::BTreeMap<ReplicaId, (u64, Option<EventHash>)>,
}

impl Writer {
    /// Seals an event as versions did that did not name what they saw.
    pub fn seal(&mut self, replica: ReplicaId, clock: Clock, entry: Option<EntryKey>, body: Body) -> Event {
        self.seal_upon(replica, clock, entry, body, Basis::default())
    }

    /// Seals an event as this version does.
    pub fn seal_upon(
        &mut self,
        replica: ReplicaId,
        clock: Clock,
        entry: Option<EntryKey>,
        body: Body,
        basis: Basis,
    ) -> Event {
        let (seq, parents) = self.next(replica);
        let intent = Intent { entry, body };
        let seal = Seal { replica, seq, parents, clock, actor: format!("agent:{replica}"), basis };
        let event = Event::seal(&intent, seal);
        self.written.insert(replica, (seq, Some(event.hash)));
        event
    }

    /// Builds an event from its type and data alone, whether or not this version knows them. Members of `beside` join the envelope.
    pub fn raw(&mut self, replica: ReplicaId, clock: Clock, entry: Option<EntryKey>, raw: Raw) -> Event {
        let (seq, parents) = self.next(replica);
        let mut envelope = raw.beside;
        envelope.insert("actor".into(), Value::from(format!("agent:{replica}")));
        envelope.insert("clock".into(), Value::from(clock.to_string()));
        envelope.insert("data".into(), raw.data);
        if let Some(entry) = entry {
            envelope.insert("entry".into(), Value::from(entry.to_string()));
        }
        if !parents.is_empty() {
            envelope
                .insert("parents".into(), parents.iter().map(|hash| Value::from(hash.to_string())).collect());
        }
        envelope.insert("replica".into(), Value::from(replica.to_string()));
        envelope.insert("seq".into(), Value::from(seq));
        envelope.insert("type".into(), Value::from(raw.type_name));
        envelope.entry("v").or_insert(Value::from(1));
        let event = read(&hashed(envelope));
        self.written.insert(replica, (seq, Some(event.hash)));
        event
    }

    fn next(&self, replica: ReplicaId) -> (u64, Vec<EventHash>) {
        let (seq, parent) = self.written.get(&replica).copied().unwrap_or((0, None));
        (seq + 1, parent.into_iter().collect())
    }
}

/// What makes an event of any version.
pub struct Raw {
    /// Its family and name.
    pub type_name: String,
    /// Its data.
    pub data: Value,
    /// Envelope fields beside the known ones.
    pub beside: Map<String, Value>,
}

impl Raw {
    /// An event with nothing unknown in its envelope.
    pub fn new(type_name: &str, data: Value) -> Raw {
        Raw { type_name: type_name.to_owned(), data, beside: Map::new() }
    }
}

/// The canonical line of an envelope, with the hash its content gives it. A signature is no content.
pub fn hashed(mut envelope: Map<String, Value>) -> String {
    let mut content = envelope.clone();
    content.remove("sig");
    let text = canonical::to_string(&content);
    envelope.insert("hash".into(), Value::from(EventHash::from_parts(&[text.as_bytes()]).to_string()));
    canonical::to_string(&envelope)
}

/// Reads a line that must be an event.
pub fn read(line: &str) -> Event {
    match read_line(line) {
        Ok(Line::Event(event)) => *event,
        other => panic!("{line} is not an event: {other:?}"),
    }
}
