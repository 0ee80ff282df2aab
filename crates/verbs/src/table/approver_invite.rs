//! `ken gate approver`.

use ken_core::{Code, Refusal};
use ken_engine::Result;
use serde::Serialize;

use crate::access::TokenView;
use crate::request::Request;
use crate::role::Role;
use crate::tokens::{access, checked};
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb};

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
