//! `token` and `approver`: who may use a server of this clone.

use crate::request::Request;
use ken_core::{Code, Millis, Refusal};
use ken_engine::{Listing, Result};
use serde::Serialize;

use crate::access::{Access, TokenAdded, TokenView};
use crate::page::PageRequest;
use crate::role::Role;
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

/// Make a one-time code that confirms an approver's session in the browser.
pub struct ApproverInvite;

/// What `approver invite` takes.
#[derive(Clone, Debug, Request)]
pub struct ApproverInviteRequest {
    /// Name of the approver's token
    pub name: String,
}

/// What `approver invite` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApproverInvited {
    pub code: String,
    pub expires: String,
    pub name: String,
}

impl Verb for ApproverInvite {
    const NAME: &'static str = "gate approver";
    const FORMER: &'static [&'static str] = &["approver invite"];
    const ABOUT: &'static str = "Make a one-time code that confirms an approver's session in the browser";
    const EXAMPLE: &'static str = "ken gate approver grace";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/approvers/{name}/invite")];
    const FOR_ADMINS: ForAdmins = ForAdmins::Always;
    const GROUP: Group = Group::Govern;
    const NATURE: Nature = Nature::WRITES.for_a_person().in_person();
    type Request = ApproverInviteRequest;
    type Answer = ApproverInvited;

    fn run(call: &mut Call, request: ApproverInviteRequest) -> Result<ApproverInvited> {
        let name = checked(&request.name)?.to_owned();
        let (by, now) = (call.caller().actor().to_owned(), call.caller().now());
        if call.caller().person().is_none() {
            return Err(Refusal::new(Code::NotAllowed, "a person must invite an approver")
                .hint("run it in a terminal")
                .confirm(format!("Inviting {name} to approve in the browser"))
                .into());
        }
        let access = access(call)?;
        let tokens = access.list(now)?;
        let is_approver = |token: &TokenView| {
            token.name == name
                && token.state == "valid"
                && Role::from_word(&token.role).is_some_and(|role| role >= Role::Approver)
        };
        if !tokens.iter().any(is_approver) {
            return Err(Refusal::new(
                Code::NotFound,
                format!("there is no valid approver's token named {name}"),
            )
            .hint(format!("make one: ken token add {name} --role approver"))
            .field("name")
            .into());
        }
        let (code, until) = access.invite(&name, &by, now)?;
        Ok(ApproverInvited { code, expires: until.to_string(), name })
    }
}

fn access(call: &mut Call) -> Result<Access> {
    // There is no store to serve without one.
    Ok(Access::of(call.reach()?.site.state().clone()))
}

/// A name that is written into every event its holder makes.
fn checked(name: &str) -> Result<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 40 || !name.chars().all(is_plain) || ken_guard::contains_secret(name) {
        return Err(Refusal::new(Code::Invalid, "the name is not allowed")
            .hint("use 1 to 40 letters, digits, `-`, `_` or `.`")
            .field("name")
            .into());
    }
    Ok(name)
}

/// A time from now on: `90d`, a date, or never.
fn until(text: &str, now: Millis) -> Result<Option<Millis>> {
    let refused = |problem: &str| -> ken_engine::Error {
        Refusal::new(Code::Invalid, format!("--expires: {problem}"))
            .hint("write an age such as 90d, 12h or 2w, a date such as 2027-01-31, or never")
            .field("expires")
            .into()
    };
    let text = text.trim();
    if text == "never" {
        return Ok(None);
    }
    let unit = match text.chars().last() {
        Some('h') => Some(3_600_000),
        Some('d') => Some(86_400_000),
        Some('w') => Some(7 * 86_400_000),
        _ => None,
    };
    let until = match unit
        .zip(text.get(..text.len().saturating_sub(1)).and_then(|count| count.parse::<u16>().ok()))
    {
        Some((unit, count)) => Millis(now.0 + i64::from(count) * unit),
        None => Millis::parse(text).map_err(|problem| refused(&problem.to_string()))?,
    };
    if until <= now {
        return Err(refused("that time is over"));
    }
    Ok(Some(until))
}
