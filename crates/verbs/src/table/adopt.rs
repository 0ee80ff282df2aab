//! `ken recover --adopt`.

use std::path::PathBuf;

use ken_engine::Result;

use crate::request::Request;
use crate::verb::{Call, ForAdmins, Group, Nature, Verb};
use crate::{Adopted, Reach};

/// Convert a manual edit of a ledger file into events.
pub struct Adopt;

/// What `adopt` takes.
#[derive(Clone, Debug, Request)]
pub struct AdoptRequest {
    /// Ledger file that was edited
    pub file: PathBuf,
}

impl Verb for Adopt {
    const NAME: &'static str = "recover --adopt";
    const FORMER: &'static [&'static str] = &["adopt"];
    const ABOUT: &'static str = "Convert a manual edit of a ledger file into events";
    const EXAMPLE: &'static str =
        "ken recover --adopt .kenning/semantic/v1/entities/lesson.e71631b1b36420a1.jsonl";
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Share;
    const NATURE: Nature = Nature::REMOVES;
    type Request = AdoptRequest;
    type Answer = Adopted;

    fn run(call: &mut Call, request: AdoptRequest) -> Result<Adopted> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::adopt::adopt(ledger, site, models, caller, &request.file)
    }

    fn finds(answer: &Adopted) -> bool {
        !answer.left.is_empty()
    }
}
