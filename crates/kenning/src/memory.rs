//! Workspaces in memory: every verb that is not git's runs on them, and what they know is gone with the process.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ken_core::{Code, Refusal, ReplicaId};
use ken_engine::MemoryState;
use ken_log_memory::MemoryLog;
use ken_verbs::{
    Access, Adapters, CloneState, JudgementStore, Layout, Ledger, Opener, Options, Result, Runtime, SetUp,
    SetUpReport, Workspace,
};

use crate::Product;

/// A workspace in memory for the code of some folder. It begins empty; clones of it are the same workspace. What it needs of the process
/// stays until the process ends.
pub fn in_memory(options: Options) -> Result<Workspace> {
    let adapters: &'static InMemory = Box::leak(Box::default());
    // A process of its own would find another store, or none.
    Workspace::open(adapters, Options { background: false, ..options })
}

/// The adapters of such a workspace and of the global one beside it.
#[derive(Default)]
struct InMemory(Mutex<HashMap<PathBuf, Kept>>);

/// A store.
#[derive(Clone)]
struct Kept {
    log: Arc<MemoryLog>,
    state: Arc<MemoryState>,
}

impl InMemory {
    fn stores(&self) -> MutexGuard<'_, HashMap<PathBuf, Kept>> {
        // A store is put in whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self, layout: &Layout) -> Result<Kept> {
        let mut stores = self.stores();
        if let Some(kept) = stores.get(&layout.store) {
            return Ok(kept.clone());
        }
        let number = u8::try_from(stores.len()).unwrap_or(u8::MAX);
        let log = MemoryLog::new(ReplicaId([number; 6]))?;
        let kept = Kept { log: Arc::new(log), state: Arc::default() };
        stores.insert(layout.store.clone(), kept.clone());
        Ok(kept)
    }
}

/// Opens one store, or says why there is none.
struct InProcess(std::result::Result<Kept, String>);

impl Opener for InProcess {
    fn open(&self, access: Access) -> Result<Ledger> {
        match &self.0 {
            Ok(kept) => kept.log.ledger(kept.state.clone(), access),
            Err(why) => Err(ken_verbs::Error::failed("making a store in memory")(why.clone())),
        }
    }

    fn judgements(&self, _: Access) -> Option<Arc<dyn JudgementStore>> {
        Some(self.0.as_ref().ok()?.log.judgements())
    }

    fn is_in_folder(&self) -> bool {
        false
    }
}

fn in_no_folder() -> Refusal {
    Refusal::new(Code::NotAllowed, "this store is kept in memory and lies in no folder")
        .hint("run this where a store lies in a folder, as `ken init` makes one")
}

impl Adapters for InMemory {
    fn find(&self, options: &Options) -> Option<Layout> {
        match options.global {
            true => {
                let layout = Layout::at(&options.global_root());
                self.stores().contains_key(&layout.store).then_some(layout)
            }
            false => Some(Layout::for_new(&options.from)),
        }
    }

    fn opener(&self, layout: &Layout) -> Box<dyn Opener> {
        Box::new(InProcess(self.kept(layout).map_err(|error| error.to_string())))
    }

    fn state(&self, layout: &Layout) -> Arc<dyn CloneState> {
        match self.kept(layout) {
            Ok(kept) => kept.state,
            // Whoever opens the store hears why.
            Err(_) => Arc::new(MemoryState::default()),
        }
    }

    fn set_up(&self, layout: &Layout, _: SetUp) -> Result<SetUpReport> {
        self.kept(layout)?;
        Ok(SetUpReport::default())
    }

    fn remove(&self, _: &Layout, _: bool) -> Result<SetUpReport> {
        Err(in_no_folder().into())
    }

    fn discard_index(&self, _: &Layout) {}

    fn runtime(&self) -> &dyn Runtime {
        &Product
    }
}
