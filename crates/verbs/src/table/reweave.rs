//! `ken digest reweave`.

use ken_engine::Result;

use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};
use crate::{Reach, ReweaveAnswer, ReweaveInput};

/// Add new evidence to an entry, and reword or replace it.
pub struct Reweave;

/// What `reweave` takes.
#[derive(Clone, Debug, Request)]
pub struct ReweaveRequest {
    /// Entry: an id, a handle or a unique prefix of either
    #[field(long, value_name = "ID")]
    pub entry: String,
    /// Evidence: commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[field(long, value_name = "REF", required)]
    pub evidence: Vec<String>,
    /// New statement
    #[field(long, value_name = "TEXT")]
    pub statement: Option<String>,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
    /// Accept evidence that cannot be found in this repository
    #[field(long)]
    pub unverified: bool,
}

impl Verb for Reweave {
    const NAME: &'static str = "digest reweave";
    const FORMER: &'static [&'static str] = &["reweave"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Add new evidence to an entry, and reword or replace it";
    const EXAMPLE: &'static str = "ken digest reweave --entry L-e71631 --evidence pr:#12";
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReweaveRequest;
    type Answer = ReweaveAnswer;

    fn run(call: &mut Call, request: ReweaveRequest) -> Result<ReweaveAnswer> {
        let ReweaveRequest { entry, evidence, statement, reason, unverified } = request;
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::digest::reweave::reweave(
            ledger,
            site,
            models,
            caller,
            ReweaveInput { entry, evidence, statement, reason, unverified },
        )
    }
}
