//! `ken tag`.

use ken_core::decide::Change;
use ken_core::{Code, Refusal};
use ken_engine::Result;
use ken_engine::ops::change::ChangeAnswer;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Add or remove tags of an entry.
pub struct Tag;

/// What `tag` takes.
#[derive(Clone, Debug, Request)]
pub struct TagRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// Tags to add
    pub tags: Vec<String>,
    /// Tags to remove
    #[field(long, value_name = "T")]
    pub remove: Vec<String>,
}

impl Verb for Tag {
    const NAME: &'static str = "tag";
    const ABOUT: &'static str = "Add or remove tags of an entry";
    const EXAMPLE: &'static str = "ken tag L-e71631 http/retry";
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::WRITES;
    type Request = TagRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: TagRequest) -> Result<ChangeAnswer> {
        if request.tags.is_empty() && request.remove.is_empty() {
            return Err(Refusal::new(Code::Invalid, "no tag was given")
                .hint(format!("ken tag {} TAG..., or --remove TAG", request.id))
                .field("tags")
                .into());
        }
        let change = Change { tags_add: request.tags, tags_remove: request.remove, ..Change::default() };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::edit::revise(ledger, site, models, caller, &request.id, change, &[], false)
    }
}
