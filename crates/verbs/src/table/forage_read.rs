//! `ken forage read`.

use ken_core::forage::ForageMode;
use ken_core::{Code, Refusal};
use ken_engine::Result;
use ken_forage::{Address, Trigger};

use crate::Reach;
use crate::forage::serve::asked;
use crate::forage::{ForageAnswer, Task, What};
use crate::request::Request;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb};

/// Read one page.
pub struct ForageRead;

/// What `forage read` takes.
#[derive(Clone, Debug, Request)]
pub struct ReadRequest {
    /// Address of the page
    #[field(value_name = "URL")]
    pub url: String,
    /// Dry run: say whether it may be read; nothing is sent
    #[field(long)]
    pub dry_run: bool,
}

impl Verb for ForageRead {
    const NAME: &'static str = "forage read";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Read one page of the web and add what it claims, as candidates";
    const EXAMPLE: &'static str = "ken forage read https://docs.rs/tokio/latest/tokio/signal/";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/forage/read")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReadRequest;
    type Answer = ForageAnswer;

    fn run(call: &mut Call, request: ReadRequest) -> Result<ForageAnswer> {
        let address = Address::parse(&request.url).map_err(|why| {
            Refusal::new(Code::Invalid, format!("this address cannot be used: {why}")).field("url")
        })?;
        let task = Task {
            mode: ForageMode::Operator,
            trigger: Trigger::Operator,
            what: What::Page(address),
            answers: None,
        };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        asked(ledger, site, models, caller, &task, request.dry_run)
    }

    fn only_reads(request: &ReadRequest) -> bool {
        request.dry_run
    }
}
