//! `ken quarantine list`.

use ken_core::Status;
use ken_engine::ops::read::ListAnswer;
use ken_engine::{Overlaid, Query, Result};

use crate::Reach;
use crate::request::Request;
use crate::requests::read_cursor;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// List what the scanner kept out.
pub struct QuarantineList;

/// What `quarantine list` takes.
#[derive(Clone, Debug, Request)]
pub struct QuarantineListRequest {
    /// Entries per page; 0 lists all
    #[field(long, short = 'n', value_name = "N", default = 50)]
    pub limit: usize,
    /// Cursor of the previous page
    #[field(long, alias = "after", value_name = "CURSOR", hyphens)]
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
