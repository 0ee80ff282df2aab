//! What one call reaches: a store that is open, who calls, and how other stores are found.
//!
//! These are values without verbs of their own. A verb takes of them what it needs.

pub(crate) mod adapters;
pub(crate) mod workspace;

use std::sync::Arc;

use ken_engine::{Caller, CloneState, Ledger, Person, Result};
use ken_worktree::Layout;

use crate::reach::workspace::{Handle, Pool, UnderWay, Written};
use crate::{Adapters, Config, Models, Options, Workspace};

/// A store that is open for one call.
pub struct Reach {
    pub ledger: Ledger,
    pub site: Site,
    pub models: ModelsInUse,
    pub caller: Caller,
    written: Written,
}

/// What a call knows of a store beside its ledger: where it lies, its settings, and how others are opened.
pub struct Site {
    pub options: Options,
    pub layout: Layout,
    pub config: Config,
    pub workspace: Workspace,
    under_way: UnderWay,
}

/// The models that the settings choose.
pub struct ModelsInUse {
    pub(crate) all: Arc<dyn Models>,
    /// The store knows which model's vectors to ask.
    pub(crate) in_use: bool,
}

impl Reach {
    /// Opens the store that some options mean, for one caller.
    pub fn open(adapters: &'static dyn Adapters, options: Options, caller: Caller) -> Result<Reach> {
        Workspace::open(adapters, options)?.on_behalf_of(caller)
    }

    pub(crate) fn new(workspace: Workspace, pool: Arc<Pool>, handle: Handle, caller: Caller) -> Reach {
        let Handle { store: ledger, config, models, model_in_use, written, is_used: _ } = handle;
        let (options, layout) = (pool.options().clone(), pool.layout().clone());
        let site = Site { options, layout, config, workspace, under_way: UnderWay::new(pool) };
        Reach { ledger, site, models: ModelsInUse { all: models, in_use: model_in_use }, caller, written }
    }

    /// The handle of a call that is over, and where it belongs.
    pub(crate) fn into_handle(self) -> (Arc<Pool>, Handle) {
        let Reach {
            ledger: store,
            site,
            models: ModelsInUse { all: models, in_use: model_in_use },
            written,
            ..
        } = self;
        let pool = site.pool().clone();
        (pool, Handle { store, config: site.config, models, model_in_use, written, is_used: true })
    }

    /// The same, confirmed by a person.
    pub fn confirmed_by(self, person: Person) -> Reach {
        Reach { caller: self.caller.clone().confirmed_by(person), ..self }
    }
}

impl Site {
    /// The small state of this clone.
    pub fn state(&self) -> &Arc<dyn CloneState> {
        self.pool().state()
    }

    /// What calls on this store share.
    pub(crate) fn pool(&self) -> &Arc<Pool> {
        self.under_way.pool()
    }
}
