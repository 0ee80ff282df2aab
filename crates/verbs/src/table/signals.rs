//! `ken digest list --signals`.

use ken_engine::ops::signals::{ClusterView, SignalsAnswer};
use ken_engine::{Listing, Result};
use serde::Serialize;

use crate::Reach;
use crate::page::PageRequest;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// Show groups of similar signals and what each needs before it is proposed.
pub struct Signals;

impl Verb for Signals {
    const NAME: &'static str = "digest list --signals";
    const FORMER: &'static [&'static str] = &["signals"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Show groups of similar signals and what each needs before it is proposed";
    const EXAMPLE: &'static str = "ken digest list --signals";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/health/signals")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::READS;
    type Request = SignalsRequest;
    type Answer = SignalsPage;

    fn run(call: &mut Call, request: SignalsRequest) -> Result<SignalsPage> {
        let Reach { ledger, caller, .. } = call.reach()?;
        let SignalsAnswer { signals, alone, clusters } = crate::health::signals(ledger, caller)?;
        // No signal is in two clusters.
        let first = |cluster: &ClusterView| cluster.signals.first().map(|signal| signal.id.clone());
        let clusters = request.page.of(clusters, |cluster| first(cluster).unwrap_or_default())?;
        Ok(SignalsPage { signals, alone, clusters })
    }
}

/// What `digest list --signals` takes.
#[derive(Clone, Debug, Request)]
pub struct SignalsRequest {
    /// Which of them.
    #[field(flatten)]
    pub page: PageRequest,
}

/// What `digest list --signals` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalsPage {
    /// How many signals there are.
    pub signals: usize,
    /// How many of them are alone and weigh too little by themselves.
    pub alone: usize,
    /// The others: what qualifies first, then by how little it lacks.
    #[serde(flatten)]
    pub clusters: Listing<ClusterView>,
}
