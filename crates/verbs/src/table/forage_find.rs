//! `ken forage find`.

use ken_core::forage::ForageMode;
use ken_engine::Result;
use ken_forage::Trigger;

use crate::Reach;
use crate::forage::serve::asked;
use crate::forage::{ForageAnswer, Task, What, year};
use crate::request::Request;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb};

/// Look something up on the web.
pub struct ForageFind;

/// What `forage find` takes.
#[derive(Clone, Debug, Request)]
pub struct FindRequest {
    /// Query, in general words: it leaves this machine
    #[field(required, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Dry run: show what would be sent; nothing is
    #[field(long)]
    pub dry_run: bool,
}

impl Verb for ForageFind {
    const NAME: &'static str = "forage find";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Look something up on the web and add what pages claim, as candidates";
    const EXAMPLE: &'static str = "ken forage find 'tokio graceful shutdown' --dry-run";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/forage/find")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = FindRequest;
    type Answer = ForageAnswer;

    fn run(call: &mut Call, request: FindRequest) -> Result<ForageAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        let query =
            ken_forage::query(Trigger::Operator, &request.query.join(" "), "", &[], year(caller.now()));
        let task = Task {
            mode: ForageMode::Operator,
            trigger: Trigger::Operator,
            what: What::Query(query),
            answers: None,
        };
        asked(ledger, site, models, caller, &task, request.dry_run)
    }

    fn only_reads(request: &FindRequest) -> bool {
        request.dry_run
    }
}
