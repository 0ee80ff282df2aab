//! `gate`: what blocks a merge or a release, and a person's word where no machine can tell.

use crate::request::Request;
use ken_engine::Result;
use ken_engine::ops::gate::GateAnswer;

use crate::gate::{Attestation, Of, Programs};
use crate::verb::{Call, Group, Nature, Verb, read_word};

/// How the command line writes the answer.
const FORMATS: &[&str] = &["text", "sarif"];

/// Run the gates: show what blocks a merge or a release, and why.
pub struct Gate;

impl Verb for Gate {
    const NAME: &'static str = "gate";
    const ABOUT: &'static str = "Run the gates: show what blocks a merge or a release, and why";
    const EXAMPLE: &'static str = "ken gate --diff main..HEAD";
    const GROUP: Group = Group::Govern;
    const NATURE: Nature = Nature::READS;
    // It only reads, and programs do more than that; the format is that of what is printed.
    const AT_TERMINAL: &'static [&'static str] = &["execute", "format"];
    type Request = GateRequest;
    type Answer = GateAnswer;

    fn run(call: &mut Call, request: GateRequest) -> Result<GateAnswer> {
        request.is_sarif()?;
        let programs = if request.execute { Programs::Started } else { Programs::Left };
        let ken = call.reach()?;
        match (&request.diff, &request.release) {
            (Some(range), _) => {
                crate::gate::gate_of(&ken.ledger, &ken.site, &ken.caller, Of::Change(range), programs)
            }
            (None, Some(reference)) => {
                crate::gate::gate_of(&ken.ledger, &ken.site, &ken.caller, Of::Release(reference), programs)
            }
            (None, None) => crate::gate::gate(&ken.ledger, &ken.site, &ken.caller),
        }
    }

    fn finds(answer: &GateAnswer) -> bool {
        !answer.passed
    }
}

/// What `gate` takes.
#[derive(Clone, Debug, Request)]
pub struct GateRequest {
    /// Check a change: BASE..HEAD, BASE...HEAD, or BASE against the working tree
    #[field(long, value_name = "RANGE", conflicts("release"))]
    pub diff: Option<String>,
    /// Check a release: all changes since the previous tag
    #[field(long, value_name = "REF")]
    pub release: Option<String>,
    /// Run the commands that norms name, if allowed in this clone
    #[field(long, alias = "run")]
    pub execute: bool,
    /// Output format: text or sarif
    #[field(long, default = "text", words = FORMATS)]
    pub format: String,
}

impl GateRequest {
    /// Whether the answer is written as SARIF.
    pub fn is_sarif(&self) -> Result<bool> {
        read_word("format", "format", &self.format, FORMATS, |word| match word {
            "text" => Some(false),
            "sarif" => Some(true),
            _ => None,
        })
    }
}

/// Attest that a change follows a norm that no program can check, in a terminal.
pub struct GateAttest;

impl Verb for GateAttest {
    const NAME: &'static str = "gate attest";
    const ABOUT: &'static str =
        "Attest that a change follows a norm that no program can check, in a terminal";
    const EXAMPLE: &'static str =
        "ken gate attest norm.commit.001 --diff main..HEAD --note 'read by two people'";
    const GROUP: Group = Group::Govern;
    const NATURE: Nature = Nature::WRITES.in_person();
    type Request = AttestRequest;
    type Answer = Attestation;

    fn run(call: &mut Call, request: AttestRequest) -> Result<Attestation> {
        let ken = call.reach()?;
        let asked =
            crate::gate::attestable(&ken.ledger, &ken.site.layout, &ken.caller, &request.norm, request.of())?;
        crate::gate::attest(
            &mut ken.ledger,
            &ken.site,
            &mut ken.models,
            &ken.caller,
            &request.norm,
            request.of(),
            &asked.change,
            &request.note,
        )
    }
}

/// What `gate attest` takes.
#[derive(Clone, Debug, Request)]
pub struct AttestRequest {
    /// Norm to attest
    pub norm: String,
    /// Change: BASE..HEAD, BASE...HEAD, or BASE against the working tree
    #[field(long, value_name = "RANGE", unless("release"), conflicts("release"))]
    pub diff: Option<String>,
    /// Release: all changes since the previous tag
    #[field(long, value_name = "REF")]
    pub release: Option<String>,
    /// Note to record with the attestation
    #[field(long, default = "")]
    pub note: String,
}

impl AttestRequest {
    /// What is vouched for.
    pub fn of(&self) -> Of<'_> {
        match (&self.diff, &self.release) {
            (Some(range), _) => Of::Change(range),
            (None, reference) => Of::Release(reference.as_deref().unwrap_or("HEAD")),
        }
    }
}
