//! `ken show`.

use ken_engine::Result;
use ken_engine::view::EntryView;
use serde::Serialize;
use serde_json::Value;

use crate::request::Request;
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
