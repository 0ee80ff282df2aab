//! `override`: a person lifts a norm once.

use clap::Args;
use ken_engine::Result;

use crate::overrides::OverrideAnswer;
use crate::verb::{Call, Group, Nature, Verb};

/// Let what a norm holds back happen once.
pub struct Override;

/// What `override` takes.
#[derive(Clone, Debug, Default, Args)]
pub struct OverrideRequest {
    /// The norm: an id, a handle, or the beginning of one
    pub id: String,
    /// Why, for the record
    #[arg(long, default_value = "")]
    pub reason: String,
    /// The norm was wrong here: that costs it belief
    #[arg(long)]
    pub wrong: bool,
}

impl Verb for Override {
    const NAME: &'static str = "override";
    const ABOUT: &'static str = "Let what a norm holds back happen once; a person confirms it";
    const GROUP: Group = Group::Govern;
    const NATURE: Nature = Nature::WRITES.for_a_person().at_terminal();
    type Request = OverrideRequest;
    type Answer = OverrideAnswer;

    fn run(call: &mut Call, request: OverrideRequest) -> Result<OverrideAnswer> {
        call.ken()?.override_norm(&request.id, &request.reason, request.wrong)
    }
}
