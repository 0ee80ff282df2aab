//! `ken friction record`.

use ken_core::{Code, Refusal, Type};
use ken_engine::Result;
use ken_engine::ops::add::AddAnswer;
use ken_engine::ops::friction::FrictionInput;

use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb, read_word};
use crate::{Reach, read_content};

/// Record a friction event.
pub struct FrictionRecord;

/// What `friction record` takes.
#[derive(Clone, Debug, Request)]
pub struct FrictionRecordRequest {
    /// Type: tool_error, redo or validation_fail
    #[field(long = "type", value_name = "TYPE", words = Type::Friction.subtypes())]
    pub kind: String,
    /// Cause
    #[field(long, value_name = "TEXT")]
    pub cause: Option<String>,
    /// Tool that caused it
    #[field(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// Minutes lost
    #[field(long, value_name = "N", signed)]
    pub minutes: Option<f64>,
    /// Tag; `/` nests, as in auth/jwt
    #[field(long, value_name = "T")]
    pub tag: Vec<String>,
    /// Context as a JSON object; may hold cause, tool, minutes and cost
    #[field(long, value_name = "JSON", default = "{}")]
    pub context: String,
}

impl Verb for FrictionRecord {
    const NAME: &'static str = "friction record";
    const ABOUT: &'static str = "Record a friction event";
    const EXAMPLE: &'static str =
        "ken friction record --type tool_error --tool cargo --cause 'the lock file was stale'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/friction")];
    const GROUP: Group = Group::WriteDown;
    const NATURE: Nature = Nature::WRITES;
    type Request = FrictionRecordRequest;
    type Answer = AddAnswer;

    fn run(call: &mut Call, request: FrictionRecordRequest) -> Result<AddAnswer> {
        let context = read_content(&request.context).map_err(|refusal| {
            let message = refusal.message.replace("the content", "it");
            Refusal::new(Code::Invalid, format!("--context: {message}"))
                .field("context")
                .hint("write an object: --context '{\"command\": \"...\"}'")
        })?;
        let kinds = Type::Friction.subtypes();
        let kind = read_word("type", "kind of friction", &request.kind, kinds, |word| {
            kinds.iter().find(|known| **known == word).copied()
        })?;
        let FrictionRecordRequest { cause, tool, minutes, tag, .. } = request;
        let input = FrictionInput { kind: kind.to_owned(), cause, tool, minutes, tags: tag, context };
        let Reach { ledger, site, models, caller, .. } = call.reach_or_make()?;
        crate::health::record_friction(ledger, site, models, caller, input)
    }

    fn rejects(answer: &AddAnswer) -> bool {
        answer.is_rejected()
    }
}
