//! `ken surface --applied`.

use ken_core::{Code, Refusal};
use ken_engine::Result;
use ken_engine::ops::applied::AppliedAnswer;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Record which entries were used or dismissed, and print a report section.
pub struct Applied;

impl Verb for Applied {
    const NAME: &'static str = "surface --applied";
    const FORMER: &'static [&'static str] = &["applied"];
    const ABOUT: &'static str = "Record which entries were used or dismissed, and print a report section";
    const EXAMPLE: &'static str =
        "ken surface --applied L-e71631 --dismissed 'L-5ce285=about another client'";
    const GROUP: Group = Group::Find;
    const NATURE: Nature = Nature::READS;
    type Request = AppliedRequest;
    type Answer = AppliedAnswer;

    fn run(call: &mut Call, request: AppliedRequest) -> Result<AppliedAnswer> {
        let mut dismissed = Vec::new();
        for text in &request.dismissed {
            let Some((id, why)) = text.split_once('=').filter(|(_, why)| !why.trim().is_empty()) else {
                let message = format!("{text:?} has no reason; expected ID=REASON");
                return Err(Refusal::new(Code::Invalid, message).field("dismissed").into());
            };
            dismissed.push((id.trim().to_owned(), why.trim().to_owned()));
        }
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::recall::applied(ledger, site, caller, &request.used, &dismissed)
    }
}

/// What `applied` takes.
#[derive(Clone, Debug, Request)]
pub struct AppliedRequest {
    /// Entries that were used: ids, handles or unique prefixes of either
    pub used: Vec<String>,
    /// Entry that was dismissed, and why: ID=REASON
    #[field(long, value_name = "ID=REASON")]
    pub dismissed: Vec<String>,
}
