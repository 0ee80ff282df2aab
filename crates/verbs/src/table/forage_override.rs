//! `ken forage override`.

use ken_core::forage::{DomainAction, ForageEvent};
use ken_core::{Code, Refusal};
use ken_engine::Result;
use ken_forage::Address;
use serde::Serialize;

use crate::Reach;
use crate::forage::{foraging, said};
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb, read_word};
use crate::writer::writer;

/// Decide what a domain is worth.
pub struct ForageOverride;

/// What `forage override` takes.
#[derive(Clone, Debug, Request)]
pub struct OverrideRequest {
    /// Domain; all names below it are covered
    #[field(value_name = "DOMAIN")]
    pub domain: String,
    /// Action: trust, distrust or reset
    #[field(value_name = "ACTION", words = DomainAction::WORDS)]
    pub action: String,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
}

/// What `forage override` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverrideAnswer {
    pub domain: String,
    pub action: &'static str,
    /// Nothing was written, since it was so before.
    pub unchanged: bool,
}

impl Verb for ForageOverride {
    const NAME: &'static str = "forage override";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Trust a domain, distrust it, or take that back; a person confirms";
    const EXAMPLE: &'static str = "ken forage override example.com distrust --reason 'copies other sites'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/forage/override")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES.for_a_person();
    type Request = OverrideRequest;
    type Answer = OverrideAnswer;

    fn run(call: &mut Call, request: OverrideRequest) -> Result<OverrideAnswer> {
        let Reach { ledger, site, caller, .. } = call.reach()?;
        ledger.may_write()?;
        let action =
            read_word("action", "action", &request.action, DomainAction::WORDS, DomainAction::from_word)?;
        let domain = Address::parse(&format!("https://{}/", request.domain.trim()))
            .map(|address| address.host_name())
            .map_err(|why| {
                Refusal::new(Code::Invalid, format!("{:?} is not a domain: {why}", request.domain))
                    .field("domain")
            })?;
        let known = foraging(ledger)?.overrides.get(&domain).map(|decided| decided.action);
        let unchanged = known == Some(action) || (known.is_none() && action == DomainAction::Reset);
        if !unchanged {
            caller.require_person(&format!("`ken forage override {domain} {}`", action.word()))?;
            let event = ForageEvent::Override { domain: domain.clone(), action, reason: request.reason };
            ledger.append(vec![said(event)], &writer(&site.config, caller))?;
        }
        Ok(OverrideAnswer { domain, action: action.word(), unchanged })
    }
}
