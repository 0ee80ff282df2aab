//! `gate`: what blocks a merge or a release, and a person's word where no machine can tell.

use clap::Args;
use ken_engine::Result;
use ken_engine::ops::gate::GateAnswer;

use crate::gate::{Attestation, Of, Programs};
use crate::verb::{Call, Group, Nature, Verb, Words, read_word};

/// How the command line writes the answer.
const FORMATS: &[&str] = &["text", "sarif"];

/// Look through the gates: what blocks a merge or a release, and why.
pub struct Gate;

impl Verb for Gate {
    const NAME: &'static str = "gate";
    const ABOUT: &'static str = "Look through the gates: what blocks a merge or a release, and why";
    const GROUP: Group = Group::Govern;
    const NATURE: Nature = Nature::READS;
    // It only reads, and programs do more than that; the format is that of what is printed.
    const AT_TERMINAL: &'static [&'static str] = &["run", "format"];
    type Request = GateRequest;
    type Answer = GateAnswer;

    fn run(call: &mut Call, request: GateRequest) -> Result<GateAnswer> {
        request.is_sarif()?;
        let programs = if request.run { Programs::Started } else { Programs::Left };
        let ken = call.ken()?;
        match (&request.diff, &request.release) {
            (Some(range), _) => ken.gate_of(Of::Change(range), programs),
            (None, Some(reference)) => ken.gate_of(Of::Release(reference), programs),
            (None, None) => ken.gate(),
        }
    }

    fn finds(answer: &GateAnswer) -> bool {
        !answer.passed
    }
}

/// What `gate` takes.
#[derive(Clone, Debug, Args)]
pub struct GateRequest {
    /// Judge a change: BASE..HEAD, BASE...HEAD, or BASE for the working tree
    #[arg(long, value_name = "RANGE", conflicts_with = "release")]
    pub diff: Option<String>,
    /// Judge a release: what came since the tag before it
    #[arg(long, value_name = "REF")]
    pub release: Option<String>,
    /// Start the programs that norms name, as far as this clone allows them
    #[arg(long)]
    pub run: bool,
    /// text or sarif
    #[arg(long, default_value = "text", value_parser = Words(FORMATS), hide_possible_values = true)]
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

/// Vouch for a change, where no machine can tell: in a terminal, for the people whom the norm names.
pub struct GateAttest;

impl Verb for GateAttest {
    const NAME: &'static str = "gate attest";
    const ABOUT: &'static str =
        "Vouch for a change, where no machine can tell: in a terminal, for the people whom the norm names";
    const GROUP: Group = Group::Govern;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = AttestRequest;
    type Answer = Attestation;

    fn run(call: &mut Call, request: AttestRequest) -> Result<Attestation> {
        let ken = call.ken()?;
        let asked = ken.attestable(&request.norm, request.of())?;
        ken.attest(&request.norm, request.of(), &asked.change, &request.note)
    }
}

/// What `gate attest` takes.
#[derive(Clone, Debug, Args)]
pub struct AttestRequest {
    /// The norm
    pub norm: String,
    /// The change: BASE..HEAD, BASE...HEAD, or BASE for the working tree
    #[arg(long, value_name = "RANGE", required_unless_present = "release", conflicts_with = "release")]
    pub diff: Option<String>,
    /// The release: what came since the tag before it
    #[arg(long, value_name = "REF")]
    pub release: Option<String>,
    /// What you have to say about it
    #[arg(long, default_value = "")]
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
