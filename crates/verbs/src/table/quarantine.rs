//! `quarantine list`: what the scanner kept out and a person may release.

use crate::Reach;
use clap::Args;
use ken_core::Status;
use ken_engine::ops::read::ListAnswer;
use ken_engine::{Overlaid, Query, Result};

use super::list::read_cursor;
use crate::verb::{Call, Group, HttpPath, Nature, Verb, whole};

/// List what the scanner kept out.
pub struct QuarantineList;

/// What `quarantine list` takes.
#[derive(Clone, Debug, Args)]
pub struct QuarantineListRequest {
    /// Entries per page; 0 lists all
    #[arg(long, short = 'n', value_name = "N", default_value = "50", value_parser = whole::<usize>)]
    pub limit: usize,
    /// Cursor of the previous page
    #[arg(long, alias = "after", value_name = "CURSOR", allow_hyphen_values = true)]
    pub cursor: Option<String>,
}

impl Verb for QuarantineList {
    const NAME: &'static str = "quarantine list";
    const ABOUT: &'static str = "List what the scanner kept out";
    const EXAMPLE: &'static str = "ken quarantine list";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/quarantine")];
    const GROUP: Group = Group::KeepClean;
    const NATURE: Nature = Nature::READS;
    type Request = QuarantineListRequest;
    type Answer = ListAnswer;

    fn run(call: &mut Call, request: QuarantineListRequest) -> Result<ListAnswer> {
        let query = Query {
            statuses: vec![Status::Rejected],
            overlaid: Overlaid::Any,
            limit: request.limit,
            after: read_cursor(request.cursor.as_deref())?,
            ..Query::default()
        };
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::list::list(ledger, site, caller, &query)
    }
}
