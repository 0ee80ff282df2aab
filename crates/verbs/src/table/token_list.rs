//! `ken token list`.

use ken_engine::{Listing, Result};

use crate::access::TokenView;
use crate::page::PageRequest;
use crate::request::Request;
use crate::tokens::access;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb};

/// List the tokens of this clone.
pub struct TokenList;

/// What `token list` answers: the tokens in the order in which they were made.
pub type TokenListAnswer = Listing<TokenView>;

/// What `token list` takes.
#[derive(Clone, Debug, Request)]
pub struct TokenListRequest {
    /// Which of them.
    #[field(flatten)]
    pub page: PageRequest,
}

impl Verb for TokenList {
    const NAME: &'static str = "token list";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "List the tokens of this clone: name, role, expiry";
    const EXAMPLE: &'static str = "ken token list";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/tokens")];
    const FOR_ADMINS: ForAdmins = ForAdmins::Always;
    const GROUP: Group = Group::ForAgents;
    const NATURE: Nature = Nature::READS.in_person();
    type Request = TokenListRequest;
    type Answer = TokenListAnswer;

    fn run(call: &mut Call, request: TokenListRequest) -> Result<TokenListAnswer> {
        let now = call.caller().now();
        request.page.of(access(call)?.list(now)?, |token| format!("{} {}", token.name, token.added))
    }
}
