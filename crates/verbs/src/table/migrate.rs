//! `ken maintain migrate`.

use ken_engine::Result;
use ken_worktree::STORE_VERSION;
use serde::Serialize;

use crate::requests::NoFields;
use crate::verb::{Call, Group, Nature, Verb};

/// Migrate a store to this version.
pub struct Migrate;

/// What `migrate` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MigrateAnswer {
    /// Whether anything was to be moved.
    pub migrated: bool,
    /// The version that the store is of.
    pub version: &'static str,
    /// Entries whose earlier trust now names the words that it was earned for.
    #[serde(skip_serializing_if = "is_zero")]
    pub pinned: usize,
    /// Whether git no longer tracks INDEX.md. A `git commit` records that.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub index_page_untracked: bool,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Verb for Migrate {
    const NAME: &'static str = "maintain migrate";
    const FORMER: &'static [&'static str] = &["migrate"];
    const ABOUT: &'static str = "Migrate a store to this version";
    const EXAMPLE: &'static str = "ken maintain migrate";
    const GROUP: Group = Group::KeepInOrder;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = NoFields;
    type Answer = MigrateAnswer;

    fn run(call: &mut Call, _: NoFields) -> Result<MigrateAnswer> {
        let ken = call.reach()?;
        ken.ledger.may_write()?;
        let pinned = crate::edit::pin_words(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller)?;
        let index_page_untracked = crate::commit::untrack_index_page(&ken.ledger, &ken.site.layout)?;
        let migrated = pinned > 0 || index_page_untracked;
        Ok(MigrateAnswer { migrated, version: STORE_VERSION, pinned, index_page_untracked })
    }
}
