//! `ken log`.

use ken_core::Overlay;
use ken_engine::ops::history::Happening;
use ken_engine::{Error, Query, Result, ops};
use serde::Serialize;

use crate::around::ActiveDay;
use crate::request::Request;
use crate::requests::read_cursor;
use crate::verb::{Call, Group, HttpPath, Nature, Verb, sorted};

/// Show the history of an entry.
pub struct Log;

/// What `log` takes.
#[derive(Clone, Debug, Request)]
pub struct LogRequest {
    /// Entry (default: the latest changes of the store)
    pub id: Option<String>,
    /// Show the state at a time or in a commit
    #[field(long, value_name = "TIME|COMMIT")]
    pub as_of: Option<String>,
    /// Maximum number of changes if no entry is named; 0 lists all
    #[field(long, short = 'n', value_name = "N", default = 20)]
    pub limit: usize,
    /// Cursor of the previous page, if no entry is named
    #[field(long, value_name = "CURSOR", conflicts("id"), hyphens)]
    pub cursor: Option<String>,
    /// Only count what happened on each of the last N days
    #[field(long, value_name = "N", conflicts("id", "as_of"))]
    pub daily: Option<usize>,
}

/// What `log` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogAnswer {
    /// What happened, entry by entry.
    #[serde(serialize_with = "sorted")]
    pub items: Vec<Happening>,
    /// Where the next page begins: give it back as `cursor`. Absent on the last page, and where one entry was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// What this clone lays over the entry that was named.
    #[serde(serialize_with = "sorted", skip_serializing_if = "Overlay::is_empty")]
    pub overlay: Overlay,
    /// What happened on each day, oldest first, where that was asked for.
    #[serde(serialize_with = "sorted", skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<ActiveDay>,
    /// The entries of the events, in their order; none where one entry was named.
    #[serde(skip)]
    pub entries: Vec<LoggedEntry>,
}

/// An entry of a log, and how many of its events are the entry's.
#[derive(Clone, Debug)]
pub struct LoggedEntry {
    /// Its short citation.
    pub handle: String,
    /// Its line for lists.
    pub title: String,
    /// How many events are its own.
    pub events: usize,
}

impl Verb for Log {
    const NAME: &'static str = "log";
    const ABOUT: &'static str = "Show the history of an entry";
    const EXAMPLE: &'static str = "ken log L-e71631";
    const PATHS: &'static [HttpPath] =
        &[HttpPath::new("GET", "/entries/{id}/log"), HttpPath::new("GET", "/log")];
    const GROUP: Group = Group::Read;
    const NATURE: Nature = Nature::READS;
    type Request = LogRequest;
    type Answer = LogAnswer;

    fn run(call: &mut Call, request: LogRequest) -> Result<LogAnswer> {
        let ken = call.reach()?;
        let mut answer = LogAnswer {
            items: Vec::new(),
            cursor: None,
            overlay: Overlay::default(),
            days: Vec::new(),
            entries: Vec::new(),
        };
        if let Some(days) = request.daily {
            answer.days = crate::around::daily(&ken.ledger, &ken.caller, days)?;
            return Ok(answer);
        }
        let snapshot =
            request.as_of.as_deref().map(|when| crate::past::as_of(&ken.ledger, when)).transpose()?;
        if let Some(id) = &request.id {
            match &snapshot {
                Some(snapshot) => answer.items = ops::history::log(&**snapshot, id)?,
                None => {
                    answer.items = crate::why::log(&mut ken.ledger, &ken.site, &ken.caller, id)?;
                    answer.overlay = match crate::overlay::overlay(&ken.ledger, id) {
                        // An entry of the global store: nothing lies over it here.
                        Err(Error::Refused(_)) => Overlay::default(),
                        overlay => overlay?,
                    };
                }
            }
            ops::history::name_wrong_clocks(&mut answer.items, ken.caller.now());
            return Ok(answer);
        }
        let after = read_cursor(request.cursor.as_deref())?;
        let query = Query { all: true, limit: request.limit, after, ..Query::default() };
        let page = match &snapshot {
            Some(snapshot) => ops::read::list(&**snapshot, &query, ken.caller.now())?,
            None => crate::list::list(&mut ken.ledger, &ken.site, &ken.caller, &query)?,
        };
        answer.cursor = page.cursor;
        for entry in page.items {
            let history = match &snapshot {
                Some(snapshot) => ops::history::log(&**snapshot, &entry.id)?,
                None => crate::why::log(&mut ken.ledger, &ken.site, &ken.caller, &entry.id)?,
            };
            let (handle, title) = (entry.head.handle, entry.head.title);
            answer.entries.push(LoggedEntry { handle, title, events: history.len() });
            answer.items.extend(history);
        }
        ops::history::name_wrong_clocks(&mut answer.items, ken.caller.now());
        Ok(answer)
    }
}
