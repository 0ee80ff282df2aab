//! `drift` and the reviewers it speaks of (DRI-1).

use std::collections::HashMap;

use ken_core::drift::Limits;
use ken_core::{Code, Refusal, reviewers};
use ken_engine::ops::drift::{self, DriftAnswer, Prunable};

use crate::{Kenning, Repository, Result};

impl Kenning {
    /// What nobody keeps up: in the whole store, or among one reviewer's entries.
    pub fn drift(&mut self, reviewer: Option<&str>) -> Result<DriftAnswer> {
        if let Some(name) = reviewer
            && let Some(refusal) = self.unknown_reviewer(name)?
        {
            return Err(refusal.into());
        }
        let limits = Limits {
            stale_days: i64::try_from(self.config.number("drift.stale_days")).unwrap_or(i64::MAX),
            entries_max: self.config.number("drift.entries_max"),
        };
        // A global entry describes no one repository: none of its paths can be gone, and no code can have drifted.
        let around = (!self.options.global).then(|| self.repository());
        let around = around.as_ref().map(|around| around as &dyn Repository);
        let by_code = if self.options.global { HashMap::new() } else { self.check_by_code()? };
        drift::drift(&*self.store, around, &by_code, reviewer, limits, self.caller.now())
    }

    /// Refuses where nothing may be pruned: by an agent, or where nothing may be written.
    pub fn may_prune(&mut self) -> Result<()> {
        self.store.may_write()?;
        let actor = self.caller.actor().to_owned();
        self.caller.require_human("pruning").map_err(|error| match error {
            crate::Error::Refused(refusal) => Refusal::new(Code::NotAllowed, refusal.message)
                .hint(format!(
                    "{actor} can run `ken drift`; only a person can run `ken drift --prune`, in their own terminal"
                ))
                .into(),
            failed => failed,
        })
    }

    /// Puts away what a person chose, in one write. `restore` brings each back.
    pub fn prune(&mut self, chosen: &[Prunable]) -> Result<Vec<String>> {
        self.may_prune()?;
        let writer = crate::writer(&self.config, &self.caller);
        let ids = drift::prune(&mut self.store, chosen, &writer)?;
        self.finish_standing(ids)
    }

    /// What to say of a reviewer that nobody knows; nothing of one that has entries, ships or is in the settings.
    pub fn unknown_reviewer(&self, name: &str) -> Result<Option<Refusal>> {
        drift::unknown_reviewer(&*self.store, name, &self.config.members("reviewers"))
    }

    /// The words that a reviewer's knowledge is asked with: the setting's, else those that ship.
    pub fn reviewer_keywords(&self, name: &str) -> Option<String> {
        self.config.member("reviewers", name).or_else(|| reviewers::keywords(name).map(str::to_owned))
    }

    /// Every reviewer that ships or is in the settings, by name.
    pub fn reviewers(&self) -> Vec<String> {
        let shipped = reviewers::SHIPPED.iter().map(|reviewer| reviewer.name.to_owned());
        let mut names: Vec<String> = shipped.chain(self.config.members("reviewers")).collect();
        names.sort();
        names.dedup();
        names
    }
}
