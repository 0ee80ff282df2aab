//! `ken surface --menu`.

use ken_engine::Result;
use ken_engine::ops::menu::Menu as MenuAnswer;

use crate::Reach;
use crate::request::Request;
use crate::verb::{Call, Group, InRun, Nature, Verb};

/// List entries as one-liners to choose from.
pub struct Menu;

impl Verb for Menu {
    const NAME: &'static str = "surface --menu";
    const FORMER: &'static [&'static str] = &["menu"];
    const ABOUT: &'static str = "List entries as one-liners to choose from";
    const EXAMPLE: &'static str = "ken surface --menu 'the HTTP client'";
    const GROUP: Group = Group::Find;
    const NATURE: Nature = Nature::READS;
    type Request = MenuRequest;
    type Answer = MenuAnswer;

    fn run(call: &mut Call, request: MenuRequest) -> Result<MenuAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::recall::menu(ledger, site, models, caller, &request.task.join(" "), request.budget)
    }

    fn in_run(request: &MenuRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

/// What `menu` takes.
#[derive(Clone, Debug, Request)]
pub struct MenuRequest {
    /// Topic (default: everything)
    #[field(value_name = "TASK")]
    pub task: Vec<String>,
    /// Token budget
    #[field(long = "tokens", alias = "budget", value_name = "N", default = 500)]
    pub budget: usize,
    /// The run it belongs to.
    #[field(flatten)]
    pub in_run: InRun,
}
