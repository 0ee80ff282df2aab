//! `ken archive`.

use ken_core::{Code, Refusal};
use ken_engine::Result;
use ken_engine::ops::change::{ChangeAnswer, Swept};
use serde::Serialize;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Archive an entry.
pub struct Archive;

/// What `archive` takes.
#[derive(Clone, Debug, Request)]
pub struct ArchiveRequest {
    /// Entry: an id, a handle or a unique prefix of either
    #[field(unless("older_than"))]
    pub id: Option<String>,
    /// Archive all non-procedural entries unchanged for this many days
    #[field(long, value_name = "DAYS", conflicts("id"))]
    pub older_than: Option<String>,
    /// Dry run: list what --older-than would archive
    #[field(long, requires("older_than"), conflicts("id"))]
    pub dry_run: bool,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
}

/// What `archive` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ArchiveAnswer {
    /// The entry that was named.
    One(ChangeAnswer),
    /// Whatever had not changed for some days.
    Older(Swept),
}

impl Verb for Archive {
    const NAME: &'static str = "archive";
    const ABOUT: &'static str = "Archive an entry";
    const EXAMPLE: &'static str = "ken archive L-e71631 --reason 'the client is gone'";
    const PATHS: &'static [HttpPath] =
        &[HttpPath::new("POST", "/entries/{id}/archive"), HttpPath::new("POST", "/archive")];
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::REMOVES;
    type Request = ArchiveRequest;
    type Answer = ArchiveAnswer;

    fn run(call: &mut Call, request: ArchiveRequest) -> Result<ArchiveAnswer> {
        match (&request.id, &request.older_than) {
            (_, Some(days)) => {
                let days: u32 = days.trim_end_matches('d').parse().map_err(|_| {
                    Refusal::new(Code::Invalid, format!("{days:?} is not a number of days; write 90"))
                        .field("older-than")
                })?;
                let Reach { ledger, site, models, caller, .. } = call.reach()?;
                Ok(ArchiveAnswer::Older(crate::archive::archive_older_than(
                    ledger,
                    site,
                    models,
                    caller,
                    days,
                    request.dry_run,
                )?))
            }
            (Some(id), None) => Ok(ArchiveAnswer::One({
                let Reach { ledger, site, models, caller, .. } = call.reach()?;
                crate::archive::archive(ledger, site, models, caller, id, &request.reason)
            }?)),
            (None, None) => Err(Refusal::new(Code::Invalid, "name an entry, or pass --older-than DAYS")
                .field("id")
                .into()),
        }
    }
}
