//! `ken token add`.

use ken_core::{Code, Refusal};
use ken_engine::Result;

use crate::access::TokenAdded;
use crate::request::Request;
use crate::role::Role;
use crate::tokens::{access, checked, until};
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb, read_word};

/// Make a token with which a program uses `ken serve`.
pub struct TokenAdd;

/// What `token add` takes.
#[derive(Clone, Debug, Request)]
pub struct TokenAddRequest {
    /// Name of who holds it; what it writes is credited to `agent:NAME`
    pub name: String,
    /// Role: reader, writer, approver or admin
    #[field(long, default = "reader")]
    pub role: String,
    /// When it ends: 90d, 12h, 2w, a date, or never
    #[field(long, value_name = "WHEN", default = "90d")]
    pub expires: String,
}

impl Verb for TokenAdd {
    const NAME: &'static str = "token add";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Make a token with which a program uses `ken serve`; it is shown once";
    const EXAMPLE: &'static str = "ken token add ci --role reader --expires 90d";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/tokens")];
    const FOR_ADMINS: ForAdmins = ForAdmins::Always;
    const GROUP: Group = Group::ForAgents;
    const NATURE: Nature = Nature::WRITES.in_person();
    type Request = TokenAddRequest;
    type Answer = TokenAdded;

    fn run(call: &mut Call, request: TokenAddRequest) -> Result<TokenAdded> {
        let words = Role::ALL.map(Role::word);
        let role = read_word("role", "role", &request.role, &words, Role::from_word)?;
        let name = checked(&request.name)?;
        let now = call.caller().now();
        let expires = until(&request.expires, now)?;
        // An agent in this shell is a writer anyhow. What reaches further is a person's to give.
        if role >= Role::Approver && call.caller().person().is_none() {
            let message = format!("a person must make a token of the role {}", role.word());
            return Err(Refusal::new(Code::NotAllowed, message)
                .hint("run it in a terminal, or choose --role reader or writer")
                .confirm(format!("Making the token {name} of the role {}", role.word()))
                .into());
        }
        let by = call.caller().actor().to_owned();
        call.reach()?.ledger.may_write()?;
        access(call)?.add(name, role, expires, &by, now)
    }
}
