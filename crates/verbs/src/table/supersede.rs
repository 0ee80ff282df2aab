//! `ken supersede`.

use ken_core::{Code, Refusal};
use ken_engine::Result;
use ken_engine::ops::change::ChangeAnswer;

use crate::Reach;
use crate::entry_content::ContentRequest;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Replace an entry with another.
pub struct Supersede;

/// What `supersede` takes.
#[derive(Clone, Debug, Request)]
pub struct SupersedeRequest {
    /// Entry to replace
    pub old: String,
    /// Existing entry that replaces it; without one, describe the new entry with flags
    pub new: Option<String>,
    /// What the entry says.
    #[field(flatten)]
    pub content: ContentRequest,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
}

impl Verb for Supersede {
    const NAME: &'static str = "supersede";
    const ABOUT: &'static str = "Replace an entry with another";
    const EXAMPLE: &'static str = "ken supersede L-e71631 L-5ce285";
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::REMOVES;
    type Request = SupersedeRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: SupersedeRequest) -> Result<ChangeAnswer> {
        let SupersedeRequest { old, new, mut content, reason } = request;
        if let Some(new) = new {
            let Reach { ledger, site, models, caller, .. } = call.reach()?;
            return crate::supersede::supersede(ledger, site, models, caller, &old, &new, &reason);
        }
        let from = call.options().from.clone();
        let stored_paths = content.read_paths_from(&from, &call.reach()?.site.layout.root);
        let input = content.into_input(None)?;
        if input.content.is_empty() {
            return Err(Refusal::new(Code::Invalid, format!("there is no replacement for {old}"))
                .hint("name an existing entry, or describe a new one: --statement '...' --evidence ...")
                .into());
        }
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        let mut answer =
            crate::supersede::supersede_by_new(ledger, site, models, caller, &old, input, &reason)?;
        answer.reasons.extend(stored_paths);
        Ok(answer)
    }
}
