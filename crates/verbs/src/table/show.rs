//! `show`, `why` and `log`: one entry, whole, explained, and told.

use crate::request::Request;
use ken_core::Overlay;
use ken_engine::ops::history::{Happening, WhyAnswer};
use ken_engine::view::EntryView;
use ken_engine::{Error, Query, Result, ops};
use serde::Serialize;
use serde_json::Value;

use super::EntryRequest;
use super::list::read_cursor;
use crate::around::ActiveDay;
use crate::verb::{Call, Group, HttpPath, InRun, Nature, Verb, sorted};

/// Show an entry in full.
pub struct Show;

/// What `show` takes.
#[derive(Clone, Debug, Default, Request)]
pub struct ShowRequest {
    /// Entries: ids, handles or unique prefixes of either
    #[field(required)]
    pub ids: Vec<String>,
    /// Show what this clone's quarantine holds of it, for a person to judge
    #[field(long, alias = "held", conflicts("as_of"))]
    pub quarantined: bool,
    /// Show the state at a time or in a commit
    #[field(long, value_name = "TIME|COMMIT")]
    pub as_of: Option<String>,
    /// Add the code at its anchors, as captured and as it is now
    #[field(long, conflicts("as_of", "quarantined"))]
    pub code: bool,
    /// Add who was shown it, and which entries were used with it
    #[field(long, conflicts("as_of", "quarantined"))]
    pub exposures: bool,
    /// In which run it happens.
    #[field(flatten)]
    pub in_run: InRun,
}

/// What `show` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ShowAnswer {
    /// The one entry that was named.
    One(Box<EntryView>),
    /// The entries that were named.
    Many {
        /// In the order in which they were named.
        #[serde(serialize_with = "sorted")]
        entries: Vec<EntryView>,
    },
    /// What the quarantine holds of the entries that were named.
    Held {
        /// In the order in which they were named.
        #[serde(serialize_with = "sorted")]
        entries: Vec<HeldEntry>,
    },
}

/// What the quarantine of this clone holds of an entry.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldEntry {
    /// The entry, as it was named.
    pub id: String,
    /// What was kept out; nothing where this clone does not have it.
    pub held: Option<Value>,
}

impl Verb for Show {
    const NAME: &'static str = "show";
    const ABOUT: &'static str = "Show an entry in full";
    const EXAMPLE: &'static str = "ken show L-e71631";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/entries/{id}")];
    const GROUP: Group = Group::Read;
    const NATURE: Nature = Nature::READS;
    const EVERYDAY: bool = true;
    type Request = ShowRequest;
    type Answer = ShowAnswer;

    fn run(call: &mut Call, request: ShowRequest) -> Result<ShowAnswer> {
        let ken = call.reach()?;
        if request.quarantined {
            let held = |id: String| {
                Ok(HeldEntry { held: crate::quarantine::held(&ken.ledger, &ken.caller, &id)?, id })
            };
            let entries = request.ids.into_iter().map(held).collect::<Result<_>>()?;
            return Ok(ShowAnswer::Held { entries });
        }
        let mut entries = Vec::new();
        for id in &request.ids {
            let mut view = match &request.as_of {
                Some(when) => crate::check::show_as_of(&ken.ledger, &ken.site, &ken.caller, when, id)?,
                None => crate::show::show(&mut ken.ledger, &ken.site, &ken.caller, id)?,
            };
            if request.code {
                crate::around::add_code(&ken.ledger, &ken.site, &mut view)?;
            }
            if request.exposures {
                crate::around::add_exposures(&ken.ledger, &ken.caller, &mut view)?;
            }
            entries.push(view);
        }
        Ok(match entries.len() {
            1 => ShowAnswer::One(Box::new(entries.remove(0))),
            _ => ShowAnswer::Many { entries },
        })
    }

    fn in_run(request: &ShowRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

/// Explain why an entry is or is not reliable.
pub struct Why;

impl Verb for Why {
    const NAME: &'static str = "why";
    const ABOUT: &'static str = "Explain why an entry is or is not reliable";
    const EXAMPLE: &'static str = "ken why L-e71631";
    const GROUP: Group = Group::Read;
    const NATURE: Nature = Nature::READS;
    const EVERYDAY: bool = true;
    type Request = EntryRequest;
    type Answer = WhyAnswer;

    fn run(call: &mut Call, request: EntryRequest) -> Result<WhyAnswer> {
        let ken = call.reach()?;
        match &request.as_of {
            Some(when) => crate::check::why_as_of(&ken.ledger, &ken.site, &ken.caller, when, &request.id),
            None => crate::why::why(&mut ken.ledger, &ken.site, &ken.caller, &request.id),
        }
    }
}

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
