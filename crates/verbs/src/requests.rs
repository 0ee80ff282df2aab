//! What several verbs take.

use std::sync::LazyLock;

use ken_core::kinds::SUBTYPES;
use ken_core::run::Agent;
use ken_core::{Code, EntryKey, Refusal, Type};
use ken_engine::ops::run::RunLine;
use ken_engine::{Listing, Result};
use serde::Serialize;

use crate::foreign::formats;
use crate::page::PageRequest;
use crate::request::Request;
use crate::verb::{Call, read_word};

/// An entry and a reason: what many verbs take.
#[derive(Clone, Debug, Request)]
pub struct ReasonRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
}

/// An entry, now or in the past: what `why` and `belief` take.
#[derive(Clone, Debug, Request)]
pub struct EntryRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// Show the state at a time or in a commit
    #[field(long, value_name = "TIME|COMMIT")]
    pub as_of: Option<String>,
}

/// What a verb takes that takes nothing.
#[derive(Clone, Debug, Default, Request)]
pub struct NoFields {}

/// One candidate.
#[derive(Clone, Debug, Request)]
pub struct CandidateRequest {
    /// Candidate: an id or a unique prefix
    pub id: String,
}

/// The words of the formats.
pub(crate) static FORMATS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| formats::ALL.iter().map(|format| format.word()).collect());

/// Checks the cursor of a list of entries.
pub(super) fn read_cursor(given: Option<&str>) -> Result<Option<String>> {
    let Some(cursor) = given else { return Ok(None) };
    let is_one = cursor.rsplit_once('.').is_some_and(|(_, key)| key.parse::<EntryKey>().is_ok());
    if !is_one {
        let message = format!("{cursor:?} is not a cursor; pass the `cursor` of the previous page");
        return Err(Refusal::new(Code::Invalid, message).field("cursor").into());
    }
    Ok(Some(cursor.to_owned()))
}

/// Reads sub-types. Those of signals are words of their own.
pub fn read_subtypes(subtypes: &[String], types: &[String]) -> Result<Vec<String>> {
    let is_free = types.iter().any(|kind| kind.trim().eq_ignore_ascii_case(Type::Signal.word()));
    let read = |text: &String| {
        read_word("subtype", "sub-type", text, SUBTYPES, |word| {
            (is_free || SUBTYPES.contains(&word)).then(|| word.to_owned())
        })
    };
    subtypes.iter().map(read).collect()
}

/// What `mirror add` and `mirror remove` answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MirrorChanged {
    pub name: String,
    /// Whether there is such a mirror now.
    pub exists: bool,
}

/// An agent as it is written: `NAME[=ROLE][@FAMILY]`.
pub(crate) fn agent(text: &str) -> Agent {
    let (rest, family) = match text.trim().rsplit_once('@') {
        Some((rest, family)) => (rest, Some(family.trim().to_owned())),
        None => (text.trim(), None),
    };
    let (name, role) = match rest.split_once('=') {
        Some((name, role)) => (name, Some(role.trim().to_owned())),
        None => (rest, None),
    };
    let role = role.or_else(|| ken_core::reviewers::keywords(name).map(|_| name.to_owned()));
    Agent { name: name.trim().to_owned(), role, family }
}

/// What `task list` and `review list` take.
#[derive(Clone, Debug, Request)]
pub struct RunListRequest {
    /// Only open runs
    #[field(long)]
    pub open: bool,
    /// Which of them.
    #[field(flatten)]
    pub page: PageRequest,
}

/// What `task list` and `review list` answer: the runs, newest first.
pub type RunsAnswer = Listing<RunLine>;

/// A run by its name: what `task show`, `review show` and `review complete` take.
#[derive(Clone, Debug, Request)]
pub struct RunNameRequest {
    /// Run (default: KEN_RUN)
    #[field(value_name = "RUN")]
    pub name: Option<String>,
    /// Run, as a flag
    #[field(long, value_name = "RUN", conflicts("name"))]
    pub run: Option<String>,
}

impl RunNameRequest {
    /// The run that is meant.
    pub(super) fn named(&self, call: &Call) -> Result<String> {
        run_named(call, self.name.as_ref().or(self.run.as_ref()))
    }
}

/// The run that is meant: as the request says, else the one that the call belongs to.
pub(super) fn run_named(call: &Call, named: Option<&String>) -> Result<String> {
    named.map(String::as_str).or(call.caller().run()).map(str::to_owned).ok_or_else(|| {
        Refusal::new(Code::Invalid, "no run was given")
            .hint("pass --run RUN or set KEN_RUN; `ken task start` and `ken review start` print the name")
            .field("run")
            .into()
    })
}
