//! `ken link`.

use ken_core::Relation;
use ken_engine::Result;
use ken_engine::ops::change::ChangeAnswer;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Link one entry to another.
pub struct Link;

/// What `link` takes.
#[derive(Clone, Debug, Request)]
pub struct LinkRequest {
    /// Source entry
    pub from: String,
    /// Relation, such as relates_to, depends_on, supports, contradicts or part_of
    #[field(words = Relation::WORDS)]
    pub relation: String,
    /// Target entry
    pub to: String,
    /// Remove the link
    #[field(long)]
    pub remove: bool,
}

impl Verb for Link {
    const NAME: &'static str = "link";
    const ABOUT: &'static str = "Link one entry to another";
    const EXAMPLE: &'static str = "ken link L-e71631 supports L-5ce285";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/links")];
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::WRITES;
    type Request = LinkRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: LinkRequest) -> Result<ChangeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::link::link(
            ledger,
            site,
            models,
            caller,
            &request.from,
            &request.relation,
            &request.to,
            request.remove,
        )
    }
}
