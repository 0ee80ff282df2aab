//! `check`: which entries still hold, and what a change of the code does to them.

use ken_core::{Code, Refusal, Verdict};
use ken_engine::Result;
use ken_engine::ops::check::{Accept, Accepted, CheckAnswer, DiffAnswer, Effect, Which};
use serde::Serialize;

use crate::foreign::{ChangedSource, SourcesAsked};
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb, read_word};
use crate::{Proof, Reach, StepOutcome};

/// Check entries against the code: which still hold, and what a change affects.
pub struct Check;

/// How an answer of `check` can be written.
pub const FORMATS: &[&str] = &["text", "sarif"];

/// What `check` takes.
#[derive(Clone, Debug, Request)]
pub struct CheckRequest {
    /// Entries, files or folders to check; all that are shown to agents if omitted
    pub ids: Vec<String>,
    /// Only entries about files that differ from the last commit
    #[field(long, conflicts("ids"))]
    pub changed: bool,
    /// Show which entries a change affects: BASE..HEAD, BASE...HEAD or BASE
    #[field(long, value_name = "BASE..HEAD")]
    pub diff: Option<String>,
    /// Check the entries and code of this commit
    #[field(long, value_name = "COMMIT", conflicts("changed", "accept", "execute"))]
    pub as_of: Option<String>,
    /// Update the anchors of code that moved
    #[field(long)]
    pub accept: bool,
    /// With --accept: also accept code that changed, because the entry still holds
    #[field(long, requires("accept"), requires("ids"))]
    pub drifted: bool,
    /// Run the automatic verification steps; commands must be allowed in this clone
    #[field(long, alias = "run")]
    pub execute: bool,
    /// With --execute: accept the steps of these entries as a proof; for a person
    #[field(long, requires("execute"), requires("ids"))]
    pub accept_steps: bool,
    /// Output format: text or sarif
    #[field(long, value_name = "FORMAT", words = FORMATS)]
    pub format: Option<String>,
    /// Exit with 1 at this verdict or worse: broken (default), drifted, moved or never
    #[field(long, value_name = "VERDICT", words = FailOn::WORDS)]
    pub fail_on: Option<String>,
}

/// What `check` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckedAnswer {
    /// What was seen.
    #[serde(flatten)]
    pub seen: Seen,
    /// It is bad enough to fail on.
    #[serde(skip)]
    pub is_bad: bool,
}

/// What a check saw.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Seen {
    /// Entries, with what was done besides looking.
    Entries(Looked),
    /// What a change does to entries.
    Change(DiffAnswer),
}

/// Entries that were looked at, with what was done besides.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Looked {
    /// What was seen.
    #[serde(flatten)]
    pub answer: CheckAnswer,
    /// Places that were recorded anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Vec<Accepted>>,
    /// Verification steps that were run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proofs: Option<Vec<Proof>>,
    /// Where everything was looked at, the imported files that no longer say what was imported from them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_sources: Vec<ChangedSource>,
}

/// From which verdict on a check fails.
#[derive(Clone, Copy, PartialEq)]
enum FailOn {
    Broken,
    Drifted,
    Moved,
    Never,
}

impl FailOn {
    const WORDS: &'static [&'static str] = &["broken", "drifted", "moved", "never"];

    fn from_word(word: &str) -> Option<FailOn> {
        match word {
            "broken" => Some(FailOn::Broken),
            "drifted" => Some(FailOn::Drifted),
            "moved" => Some(FailOn::Moved),
            "never" => Some(FailOn::Never),
            _ => None,
        }
    }

    fn is_met(self, verdict: Verdict) -> bool {
        match self {
            FailOn::Never => false,
            FailOn::Broken => verdict == Verdict::Broken,
            FailOn::Drifted => matches!(verdict, Verdict::Broken | Verdict::Drifted),
            FailOn::Moved => matches!(verdict, Verdict::Broken | Verdict::Drifted | Verdict::Moved),
        }
    }
}

impl Verb for Check {
    const NAME: &'static str = "check";
    const ABOUT: &'static str = "Check entries against the code: which still hold, and what a change affects";
    const EXAMPLE: &'static str = "ken check --diff main..HEAD";
    const GROUP: Group = Group::KeepTrue;
    const NATURE: Nature = Nature::WRITES;
    const EVERYDAY: bool = true;
    // Another door answers in JSON.
    const AT_TERMINAL: &'static [&'static str] = &["format", "accept_steps"];
    type Request = CheckRequest;
    type Answer = CheckedAnswer;

    fn run(call: &mut Call, request: CheckRequest) -> Result<CheckedAnswer> {
        let ken = call.reach()?;
        let set = ken.site.config.get("check.fail_on")?;
        let said = request.fail_on.as_deref().unwrap_or(&set);
        let fail_on = read_word("fail-on", "verdict to fail on", said, FailOn::WORDS, FailOn::from_word)?;
        match &request.diff {
            Some(range) => of_change(ken, range, &request, fail_on),
            None => of_entries(ken, &request, fail_on),
        }
    }

    fn finds(answer: &CheckedAnswer) -> bool {
        answer.is_bad
    }
}

fn of_entries(ken: &mut Reach, request: &CheckRequest, fail_on: FailOn) -> Result<CheckedAnswer> {
    let which = match (request.changed, request.ids.is_empty()) {
        (true, _) => Which::Touching(crate::check::changed_files(&ken.site.layout)?, Vec::new()),
        (false, true) => Which::All,
        (false, false) => crate::check::which(&ken.ledger, &ken.site, &request.ids)?,
    };
    let answer = match &request.as_of {
        Some(when) => crate::check::check_as_of(&ken.ledger, &ken.site, when, &which)?,
        None => crate::check::check(&mut ken.ledger, &ken.site, &ken.caller, &which)?,
    };
    let accepted = match (request.accept, request.drifted) {
        (false, _) => None,
        (true, false) => Some(crate::check::accept(
            &mut ken.ledger,
            &ken.site,
            &mut ken.models,
            &ken.caller,
            &answer.entries,
            Accept::Found,
        )?),
        (true, true) => Some(crate::check::accept(
            &mut ken.ledger,
            &ken.site,
            &mut ken.models,
            &ken.caller,
            &answer.entries,
            Accept::Drifted,
        )?),
    };
    let answer = match &accepted {
        Some(accepted) if !accepted.is_empty() => {
            crate::check::check(&mut ken.ledger, &ken.site, &ken.caller, &which)?
        }
        _ => answer,
    };
    let keys: Vec<_> = answer.entries.iter().map(|entry| entry.key).collect();
    let proofs = if request.execute {
        Some(crate::check::prove(
            &mut ken.ledger,
            &ken.site,
            &mut ken.models,
            &ken.caller,
            &keys,
            request.accept_steps,
        )?)
    } else {
        None
    };
    let mut steps = proofs.iter().flatten().flat_map(|proof| &proof.steps);
    let failed = steps.any(|step| step.outcome == StepOutcome::Failed);
    let is_bad = failed || answer.entries.iter().any(|entry| fail_on.is_met(entry.verdict));
    let changed_sources = match (&which, &request.as_of) {
        (Which::All, None) => {
            crate::foreign::sources::outdated_imports(&ken.ledger, &ken.site, SourcesAsked::default())?
        }
        (Which::All, Some(_)) | (Which::Named(_) | Which::Touching(..), _) => Vec::new(),
    };
    Ok(CheckedAnswer { seen: Seen::Entries(Looked { answer, accepted, proofs, changed_sources }), is_bad })
}

fn of_change(ken: &mut Reach, range: &str, request: &CheckRequest, fail_on: FailOn) -> Result<CheckedAnswer> {
    let CheckRequest { ids, changed, as_of, accept, execute, .. } = request;
    if *changed || *accept || *execute || as_of.is_some() || !ids.is_empty() {
        return Err(Refusal::new(
            Code::Invalid,
            "--diff checks every entry and records nothing, so it cannot be combined with other flags",
        )
        .hint("run `ken check --diff main..HEAD`, then `ken check --accept`")
        .field("diff")
        .into());
    }
    let answer = crate::check::check_diff(&ken.ledger, &ken.site, range)?;
    let mut worse = answer.entries.iter().filter(|affected| affected.effect != Effect::Mends);
    let is_bad = worse.any(|affected| fail_on.is_met(affected.entry.verdict));
    Ok(CheckedAnswer { seen: Seen::Change(answer), is_bad })
}
