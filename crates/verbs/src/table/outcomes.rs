//! `ken stats --outcomes`.

use std::collections::BTreeMap;

use ken_engine::ops::outcomes::{Outcome, OutcomesAnswer, Totals};
use ken_engine::{Listing, Result};
use serde::Serialize;

use crate::Reach;
use crate::page::PageRequest;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Show the outcomes of tasks and reviews.
pub struct Outcomes;

impl Verb for Outcomes {
    const NAME: &'static str = "stats --outcomes";
    const FORMER: &'static [&'static str] = &["outcomes"];
    const ABOUT: &'static str = "Show the outcomes of tasks and reviews";
    const EXAMPLE: &'static str = "ken stats --outcomes --period 7d";
    const GROUP: Group = Group::Learn;
    const NATURE: Nature = Nature::READS;
    type Request = OutcomesRequest;
    type Answer = OutcomesPage;

    fn run(call: &mut Call, request: OutcomesRequest) -> Result<OutcomesPage> {
        let Reach { ledger, caller, .. } = call.reach()?;
        let OutcomesAnswer { totals, strategies, runs } =
            crate::learn::outcomes(ledger, caller, &request.period)?;
        let runs = request.page.of(runs, |run| run.line.run.clone())?;
        Ok(OutcomesPage { totals, strategies, runs })
    }
}

/// What `stats --outcomes` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomesPage {
    /// All of them together.
    pub totals: Totals,
    /// By how they were gone about.
    pub strategies: BTreeMap<String, Totals>,
    /// Each of them, newest first.
    #[serde(flatten)]
    pub runs: Listing<Outcome>,
}

/// What `outcomes` takes.
#[derive(Clone, Debug, Request)]
pub struct OutcomesRequest {
    /// Period: 24h, 7d, 4w or all
    #[field(long, default = "7d")]
    pub period: String,
    /// Which of them.
    #[field(flatten)]
    pub page: PageRequest,
}
