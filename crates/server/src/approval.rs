//! Asking a person: by an input request where the client speaks the newest revision, by elicitation where it speaks an older one.
//!
//! It stops accidents, not malice: whoever writes the client can answer for the person. So it is off until the settings of the
//! clone say `approvals.mcp = true` (GAT-2).

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kenning::{Person, Place};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, ProtocolVersion, ServerRequest,
};
use rmcp::service::RequestContext;

use crate::door::Settings;

/// The one question of an input request, and the field that answers it.
const QUESTION: &str = "approval";
const FIELD: &str = "approve";
/// A question is answered within this time, or asked anew.
const ANSWER_WITHIN: Duration = Duration::from_secs(600);

/// How a person answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    /// Yes.
    Given,
    /// No, or not now.
    Withheld,
    /// Nobody was asked yet.
    Unasked,
}

/// The person whose answer was just read from a client.
pub(crate) fn person(settings: &Settings) -> Person {
    let found = || settings.options.find().and_then(|layout| layout.git);
    let git = settings.workspace.as_ref().map_or_else(found, |workspace| workspace.layout().git.clone());
    let place = Place { git: git.as_ref(), from: &settings.options.from };
    #[allow(clippy::disallowed_methods, reason = "a person answered the client's question just now")]
    Person::confirmed_by_approval(settings.identity.person(&place))
}

/// Makes and reads the state that a client hands back: the very request that was asked about, for a while.
pub(crate) struct Seal {
    key: [u8; 32],
    /// States that were answered with yes: one yes is one act.
    used: Mutex<HashSet<String>>,
}

impl Seal {
    /// A key of this process.
    pub(crate) fn new() -> Seal {
        let mut key = [0; 32];
        // Without dice nobody is asked: an answer to such a state is never accepted.
        let _ = getrandom::fill(&mut key);
        Seal { key, used: Mutex::default() }
    }

    fn with_used<T>(&self, work: impl FnOnce(&mut HashSet<String>) -> T) -> T {
        work(&mut self.used.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn sign(&self, request: &CallToolRequestParams, until: u64) -> String {
        let arguments = serde_json::to_string(&request.arguments).unwrap_or_default();
        let said = format!("{}\n{arguments}\n{until}", request.name);
        format!("{until}.{}", blake3::keyed_hash(&self.key, said.as_bytes()).to_hex())
    }

    fn is_mine(&self, request: &CallToolRequestParams, now: u64) -> bool {
        let Some(state) = &request.request_state else { return false };
        let until = state.split_once('.').and_then(|(until, _)| until.parse::<u64>().ok()).unwrap_or(0);
        self.key != [0; 32] && until >= now && self.sign(request, until) == *state
    }
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.as_secs()).unwrap_or(0)
}

fn form(question: &str) -> Option<ElicitRequestParams> {
    let requested_schema = ElicitationSchema::builder().required_bool(FIELD).build().ok()?;
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.to_owned(),
        requested_schema,
    })
}

fn consent(result: &ElicitResult) -> Consent {
    let yes = result.content.as_ref().and_then(|content| content.get(FIELD)?.as_bool());
    match (&result.action, yes) {
        (ElicitationAction::Accept, Some(true)) => Consent::Given,
        _ => Consent::Withheld,
    }
}

/// What a retried request says of the question it was answered with.
pub(crate) fn answered(seal: &Seal, request: &CallToolRequestParams) -> Consent {
    let Some(responses) = &request.input_responses else { return Consent::Unasked };
    if !seal.is_mine(request, seconds()) {
        return Consent::Unasked;
    }
    let answer = responses.get(QUESTION).cloned().and_then(|value| serde_json::from_value(value).ok());
    let consent = answer.map_or(Consent::Withheld, |answer: ElicitResult| consent(&answer));
    let state = request.request_state.clone().unwrap_or_default();
    match consent {
        Consent::Given if !seal.with_used(|used| used.insert(state)) => Consent::Unasked,
        consent => consent,
    }
}

/// What is sent to a client that speaks the newest revision: the question, to be answered with the request said again.
pub(crate) fn request(
    seal: &Seal,
    request: &CallToolRequestParams,
    question: &str,
) -> Option<InputRequiredResult> {
    let asked = InputRequest::Elicitation(ElicitRequest::new(form(question)?));
    let mut until = seconds() + ANSWER_WITHIN.as_secs();
    let mut state = seal.sign(request, until);
    while seal.with_used(|used| used.contains(&state)) {
        until += 1;
        state = seal.sign(request, until);
    }
    Some(InputRequiredResult::new(Some(BTreeMap::from([(QUESTION.to_owned(), asked)])), Some(state)))
}

/// Whether a client can put a question to a person at all.
pub(crate) fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    context.client_capabilities().is_some_and(|can| can.elicitation.is_some())
}

/// Whether a client takes input requests, instead of requests of the server's own.
pub(crate) fn takes_input_requests(context: &RequestContext<RoleServer>) -> bool {
    let newest = ProtocolVersion::V_2026_07_28;
    context.protocol_version().is_some_and(|version| version.as_str() >= newest.as_str())
}

/// Asks through a client that speaks an older revision, and waits.
pub(crate) async fn elicit(context: &RequestContext<RoleServer>, question: &str) -> Consent {
    let Some(form) = form(question) else { return Consent::Withheld };
    let asked = context.peer.send_request(ServerRequest::ElicitRequest(ElicitRequest::new(form)));
    match tokio::time::timeout(ANSWER_WITHIN, asked).await {
        Ok(Ok(ClientResult::ElicitResult(result))) => consent(&result),
        _ => Consent::Withheld,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(reason: &str) -> CallToolRequestParams {
        let arguments = serde_json::json!({"id": "L-1a2b3c", "reason": reason});
        CallToolRequestParams::new("release")
            .with_arguments(arguments.as_object().cloned().unwrap_or_default())
    }

    // GAT-2: a yes counts for the request that was asked about, for a while, and in the process that asked.
    #[test]
    fn a_seal_is_for_one_request_and_a_while() {
        let (mine, other) =
            (Seal { key: [7; 32], used: Mutex::default() }, Seal { key: [8; 32], used: Mutex::default() });
        let sealed = |reason: &str, state: &str| {
            let mut request = release(reason);
            request.request_state = Some(state.to_owned());
            request
        };
        let state = mine.sign(&release("fine"), 1_000);
        for (seal, request, now, wanted) in [
            (&mine, sealed("fine", &state), 999, true),
            (&mine, sealed("fine", &state), 1_000, true),
            (&mine, sealed("fine", &state), 1_001, false),
            (&mine, sealed("other", &state), 999, false),
            (&mine, sealed("fine", &state.replace("1000.", "2000.")), 1_500, false),
            (&mine, sealed("fine", ""), 0, false),
            (&mine, release("fine"), 0, false),
            (&other, sealed("fine", &state), 999, false),
        ] {
            assert_eq!(seal.is_mine(&request, now), wanted, "{:?} at {now}", request.request_state);
        }
        // Without dice there is no key, and no answer is accepted.
        let keyless = Seal { key: [0; 32], used: Mutex::default() };
        let state = keyless.sign(&release("fine"), 1_000);
        assert!(!keyless.is_mine(&sealed("fine", &state), 999));
    }
}
