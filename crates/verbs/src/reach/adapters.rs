//! What the verbs need of the world and do not choose themselves: stores, models, and what they were made with.

use std::path::Path;
use std::sync::Arc;

use ken_core::Millis;
use ken_engine::{
    Access, Caller, CloneState, Embedder, EventLog, Judge, JudgementStore, Ledger, Result, SetUp,
    SetUpReport, Tokens,
};
use ken_worktree::Layout;

use crate::{Config, ModelsInUse, Options, Site};

/// Opens and makes stores, and chooses models. There is one in the product, in `kenning`; no verb knows which logs, indexes and
/// providers it has.
pub trait Adapters: Send + Sync {
    /// The places of the store that some options mean; none where there is no store.
    fn find(&self, options: &Options) -> Option<Layout> {
        options.find()
    }
    /// What opens a store. Nothing is opened yet.
    fn opener(&self, layout: &Layout) -> Box<dyn Opener>;
    /// The small state of a clone and its worktree.
    fn state(&self, layout: &Layout) -> Arc<dyn CloneState>;
    /// Makes a store. Doing it twice is doing it once.
    fn set_up(&self, layout: &Layout, set_up: SetUp) -> Result<SetUpReport>;
    /// Takes away what was made. A folder that holds knowledge stays.
    fn remove(&self, layout: &Layout, holds_knowledge: bool) -> Result<SetUpReport>;
    /// Deletes the index of a store; whoever opens it next makes it anew.
    fn discard_index(&self, layout: &Layout);
    /// What is the same whatever holds the store.
    fn runtime(&self) -> &dyn Runtime;
}

/// What calls need of the process, whatever holds their store.
pub trait Runtime: Send + Sync {
    /// The models that the settings of a store choose. None is loaded before it is needed.
    fn models(&self, options: &Options, config: &Config, layout: &Layout) -> Arc<dyn Models>;
    /// Copies every line of a log into a store in a folder, which is made where there is none, and says how many lines that store lacked; a dry run
    /// only says it. A store that has lines of its own is refused.
    fn copy_to_folder(
        &self,
        log: &dyn EventLog,
        layout: &Layout,
        now: Millis,
        dry_run: bool,
    ) -> Result<usize>;
    /// The rows of a database of another system, as JSON Lines; or why they cannot be read.
    fn foreign_rows(&self, database: &Path) -> std::result::Result<String, String>;
    /// Does what follows a write ([`crate::after_write`]): a verb that writes knows nothing of mirrors and vectors.
    fn after_write(&self, ledger: &mut Ledger, site: &Site, models: &mut ModelsInUse, caller: &Caller);
}

/// Opens one store for calls. They work side by side: what they append at the same time is one write.
pub trait Opener: Send + Sync {
    /// The store for one call.
    fn open(&self, access: Access) -> Result<Ledger>;
    /// What was found out about code in this worktree; none where that is not kept.
    fn judgements(&self, access: Access) -> Option<Arc<dyn JudgementStore>> {
        let _ = access;
        None
    }
    /// Whether the store lies in a folder of the project, with its settings and what waits in staging. Else they are small state.
    fn is_in_folder(&self) -> bool {
        true
    }
}

/// What takes the meaning of texts, and what counts their tokens.
pub trait Models: Send + Sync {
    /// The embedding model, or why there is none. What is known of a model's dimensions is asked for by its name.
    fn embedder(
        &self,
        known: &dyn Fn(&str) -> Option<usize>,
    ) -> std::result::Result<Arc<dyn Embedder>, String>;
    /// The judge that the settings choose, or why there is none.
    fn judge(&self) -> std::result::Result<Arc<dyn Judge>, String>;
    /// What counts tokens.
    fn tokens(&self) -> Box<dyn Tokens + '_>;
}
