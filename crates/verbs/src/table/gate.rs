//! `ken gate`.

use ken_engine::Result;
use ken_engine::ops::gate::GateAnswer;

use crate::gate::{Of, Programs};
use crate::request::Request;
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
