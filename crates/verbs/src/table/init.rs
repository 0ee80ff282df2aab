//! `ken init`.

use ken_engine::{Result, SetUp, SetUpReport};

use crate::Workspace;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Create a store in this repository.
pub struct Init;

/// What `init` takes.
#[derive(Clone, Debug, Request)]
pub struct InitRequest {
    /// Keep the store out of git
    #[field(long)]
    pub private: bool,
    /// Install a pre-commit hook that flushes the journal
    #[field(long)]
    pub hooks: bool,
    /// Offer example norms, accepted one by one in a terminal
    #[field(long)]
    pub with_norms: bool,
    /// Remove what init created; entries are never deleted
    #[field(long, conflicts("private", "hooks", "with_norms"))]
    pub remove: bool,
}

impl Verb for Init {
    const NAME: &'static str = "init";
    const ABOUT: &'static str = "Create a store in this repository";
    const EXAMPLE: &'static str = "ken init --hooks";
    const GROUP: Group = Group::Begin;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    const EVERYDAY: bool = true;
    type Request = InitRequest;
    type Answer = SetUpReport;

    /// Makes or removes the store. Example norms are offered by the terminal, one by one, once there is a store.
    fn run(call: &mut Call, request: InitRequest) -> Result<SetUpReport> {
        match request.remove {
            true => Workspace::remove(call.adapters(), call.options()),
            false => Workspace::init(
                call.adapters(),
                call.options(),
                SetUp { private: request.private, hooks: request.hooks },
            ),
        }
    }
}
