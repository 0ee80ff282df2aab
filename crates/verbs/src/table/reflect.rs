//! `ken digest reflect`.

use ken_engine::Result;

use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};
use crate::{Reach, ReflectAnswer};

/// Compare staged candidates with the entries: duplicates, relations, contradictions.
pub struct Reflect;

/// What `reflect` takes.
#[derive(Clone, Debug, Default, Request)]
pub struct ReflectRequest {
    /// Link related entries (relates_to)
    #[field(long)]
    pub link: bool,
}

impl Verb for Reflect {
    const NAME: &'static str = "digest reflect";
    const FORMER: &'static [&'static str] = &["reflect"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str =
        "Compare staged candidates with the entries: duplicates, relations, contradictions";
    const EXAMPLE: &'static str = "ken digest reflect --link";
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReflectRequest;
    type Answer = ReflectAnswer;

    fn run(call: &mut Call, request: ReflectRequest) -> Result<ReflectAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::digest::reflect::reflect(ledger, site, models, caller, request.link)
    }

    fn only_reads(request: &ReflectRequest) -> bool {
        !request.link
    }
}
