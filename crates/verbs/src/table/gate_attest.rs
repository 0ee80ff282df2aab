//! `ken gate attest`.

use ken_engine::Result;

use crate::gate::{Attestation, Of};
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

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
