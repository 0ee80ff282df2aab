//! `drift` and the reviewers it speaks of (DRI-1).

use ken_engine::{Caller, Ledger};
use std::collections::HashMap;

use ken_core::drift::Limits;
use ken_core::{Code, Refusal, reviewers};
use ken_engine::ops::drift::{self, DriftAnswer, Prunable};

use crate::{Config, ModelsInUse, Repository, Result, Site};

/// What nobody keeps up: in the whole store, or among one reviewer's entries.
pub fn drift(ledger: &Ledger, site: &Site, caller: &Caller, reviewer: Option<&str>) -> Result<DriftAnswer> {
    if let Some(name) = reviewer
        && let Some(refusal) = unknown_reviewer(ledger, &site.config, name)?
    {
        return Err(refusal.into());
    }
    let limits = Limits {
        stale_days: i64::try_from(site.config.number("drift.stale_days")).unwrap_or(i64::MAX),
        entries_max: site.config.number("drift.entries_max"),
    };
    // A global entry describes no one repository: none of its paths can be gone, and no code can have drifted.
    let around = (!site.options.global).then(|| crate::repository::repository(site));
    let around = around.as_ref().map(|around| around as &dyn Repository);
    let by_code = if site.options.global {
        HashMap::new()
    } else {
        crate::verdicts::check_by_code(ledger, site, caller)?
    };
    drift::drift(&**ledger, around, &by_code, reviewer, limits, caller.now())
}

/// Refuses where nothing may be pruned: by an agent, or where nothing may be written.
pub fn may_prune(ledger: &Ledger, caller: &Caller) -> Result<()> {
    ledger.may_write()?;
    let actor = caller.actor().to_owned();
    caller.require_human("pruning").map_err(|error| match error {
        crate::Error::Refused(refusal) => Refusal::new(Code::NotAllowed, refusal.message)
            .hint(format!(
                "{actor} can run `ken drift`; only a person can run `ken drift --prune`, in their own terminal"
            ))
            .into(),
        failed => failed,
    })
}

/// Puts away what a person chose, in one write. `restore` brings each back.
pub fn prune(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    chosen: &[Prunable],
) -> Result<Vec<String>> {
    may_prune(ledger, caller)?;
    let writer = crate::writer::writer(&site.config, caller);
    let ids = drift::prune(ledger, chosen, &writer)?;
    crate::archive_pages::finish_standing(ledger, site, models, caller, ids)
}

/// What to say of a reviewer that nobody knows; nothing of one that has entries, ships or is in the settings.
pub fn unknown_reviewer(ledger: &Ledger, config: &Config, name: &str) -> Result<Option<Refusal>> {
    drift::unknown_reviewer(&**ledger, name, &config.members("reviewers"))
}

/// The words that a reviewer's knowledge is asked with: the setting's, else those that ship.
pub fn reviewer_keywords(config: &Config, name: &str) -> Option<String> {
    config.member("reviewers", name).or_else(|| reviewers::keywords(name).map(str::to_owned))
}

/// Every reviewer that ships or is in the settings, by name.
pub fn reviewers(config: &Config) -> Vec<String> {
    let shipped = reviewers::SHIPPED.iter().map(|reviewer| reviewer.name.to_owned());
    let mut names: Vec<String> = shipped.chain(config.members("reviewers")).collect();
    names.sort();
    names.dedup();
    names
}
