//! `events`: what happened in the store, for who follows it.

use ken_core::event::Line;
use ken_core::{Body, Code, Event, Refusal, RunEvent};
use ken_engine::Result;
use ken_engine::log::Cursor;
use ken_engine::ops::history;
use serde::Serialize;

use crate::limits::table_events::READ_AT_ONCE;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// List what happened in the store, from a cursor on.
pub struct Events;

/// What `events` takes.
#[derive(Clone, Debug, Request)]
pub struct EventsRequest {
    /// Cursor or position of an earlier answer, or `now` (default: the newest events)
    #[field(long, alias = "since", value_name = "CURSOR")]
    pub cursor: Option<String>,
    /// Maximum number of events; 0 lists all
    #[field(long, short = 'n', value_name = "N", default = 20)]
    pub limit: usize,
}

/// What `events` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventsAnswer {
    /// In the order in which this clone heard of them.
    pub items: Vec<StoreEvent>,
    /// Where the next page begins: give it back as `cursor`. Absent where nothing more happened yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Where this answer ends, on the last page too: as `cursor` of a later request it gives what happened since.
    pub position: String,
}

/// An event without its text, which the entry has.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoreEvent {
    pub actor: String,
    pub at: String,
    /// Where to go on behind this event; events of one batch share it with the last of them.
    pub cursor: String,
    /// The key of the entry it is about; any verb takes it for an id.
    pub entry: Option<String>,
    /// Its content hash.
    pub hash: String,
    /// Its family and name, such as `entry.added`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What a service did or proposes, and what a judge cost (`run.serviced`); other events are told by what they are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

impl Verb for Events {
    const NAME: &'static str = "events";
    const ABOUT: &'static str = "List what happened in the store, from a cursor on";
    const EXAMPLE: &'static str = "ken events --cursor now --json";
    const GROUP: Group = Group::ForPrograms;
    const NATURE: Nature = Nature::READS;
    type Request = EventsRequest;
    type Answer = EventsAnswer;

    fn run(call: &mut Call, request: EventsRequest) -> Result<EventsAnswer> {
        let store = &mut call.reach()?.ledger;
        if request.cursor.as_deref() == Some("now") {
            return Ok(EventsAnswer { items: Vec::new(), cursor: None, position: written(store.end()?) });
        }
        let from = request.cursor.as_deref().map(read).transpose()?;
        if let (Some(from), Some(said)) = (from, &request.cursor)
            && from.at > store.end()?.at
        {
            return Err(Refusal::new(
                Code::Invalid,
                format!("the cursor {said:?} is beyond the end of this store"),
            )
            .hint("it is of another store or of one that was made anew; begin again with `now`")
            .field("cursor")
            .into());
        }
        let mut cursor = from.unwrap_or_default();
        let mut events = Vec::new();
        let mut more = false;
        'all: loop {
            let batches = match from {
                None if request.limit > 0 && cursor == Cursor::default() => store.latest(request.limit)?,
                Some(_) | None => store.log().since(cursor, READ_AT_ONCE)?,
            };
            if batches.is_empty() {
                break;
            }
            for batch in batches {
                // A batch is one act: it is listed whole, or with the next answer.
                if from.is_some() && request.limit > 0 && events.len() >= request.limit {
                    more = true;
                    break 'all;
                }
                cursor = batch.end;
                let at = written(batch.end);
                events.extend(batch.lines.iter().filter_map(|line| match line {
                    Line::Event(event) => Some(StoreEvent {
                        actor: ken_guard::redact(&event.actor).into_owned(),
                        at: event.clock.millis().to_string(),
                        cursor: at.clone(),
                        entry: event.entry.map(|key| key.to_string()),
                        hash: event.hash.to_string(),
                        kind: ken_guard::redact(&event.type_name).into_owned(),
                        summary: serviced(event),
                    }),
                    Line::Stub(_) => None,
                }));
            }
            if from.is_none() && request.limit > 0 && events.len() > request.limit {
                events.drain(..events.len() - request.limit);
            }
        }
        let position = written(cursor);
        Ok(EventsAnswer { items: events, cursor: more.then(|| position.clone()), position })
    }
}

fn serviced(event: &Event) -> Option<String> {
    let is_one = matches!(event.body, Some(Body::Run(RunEvent::Serviced(_))));
    let told = || history::summary(event.body.as_ref(), &event.type_name);
    is_one.then(|| ken_guard::redact(&told()).into_owned())
}

fn written(cursor: Cursor) -> String {
    format!("{:x}.{:x}", cursor.at, cursor.noticed)
}

fn read(text: &str) -> Result<Cursor> {
    let parts = text.split_once('.');
    let number = |part: &str| u64::from_str_radix(part, 16).ok();
    match parts.map(|(at, noticed)| (number(at), number(noticed))) {
        Some((Some(at), Some(noticed))) => Ok(Cursor { at, noticed }),
        _ => Err(Refusal::new(Code::Invalid, format!("{text:?} is not a cursor"))
            .hint("use the `cursor` or `position` of an earlier answer, or `now`")
            .field("cursor")
            .into()),
    }
}
