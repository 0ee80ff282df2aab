//! `ken token revoke`.

use ken_engine::Result;

use crate::access::TokenView;
use crate::request::Request;
use crate::tokens::access;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb};

/// Take a token back.
pub struct TokenRevoke;

/// What `token revoke` takes.
#[derive(Clone, Debug, Request)]
pub struct TokenRevokeRequest {
    /// Name of the token
    pub name: String,
}

impl Verb for TokenRevoke {
    const NAME: &'static str = "token revoke";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Revoke a token; it is refused from now on";
    const EXAMPLE: &'static str = "ken token revoke ci";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("DELETE", "/tokens/{name}")];
    const FOR_ADMINS: ForAdmins = ForAdmins::Always;
    const GROUP: Group = Group::ForAgents;
    const NATURE: Nature = Nature::REMOVES.in_person();
    type Request = TokenRevokeRequest;
    type Answer = TokenView;

    fn run(call: &mut Call, request: TokenRevokeRequest) -> Result<TokenView> {
        let (by, now) = (call.caller().actor().to_owned(), call.caller().now());
        call.reach()?.ledger.may_write()?;
        access(call)?.revoke(&request.name, &by, now)
    }
}
