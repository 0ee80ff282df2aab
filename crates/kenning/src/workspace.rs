//! A workspace: the store of a project, open for many callers at once.
//!
//! Each call works on a store handle of its own, with its own snapshot of the index. Readers run side by side; writers take turns on the
//! lock of the journal, as processes do.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use ken_core::{Code, Refusal};
use ken_engine::{Caller, Channel, Error, Result};
use ken_store::git::Git;
use ken_store::{Access, Layout, SetUp, SetUpReport, Store};

use crate::environment::{Identity, Options, Place};
use crate::{Config, Kenning, STORE_FOLDER, model, named};

/// Handles that wait for the next call; more are closed when their call ends.
const IDLE_HANDLES_MAX: usize = 16;

/// The store of a project, open for many callers at once. Cloning it gives the same workspace.
#[derive(Clone)]
pub struct Workspace {
    shared: Arc<Shared>,
}

struct Shared {
    options: Options,
    layout: Layout,
    idle: Mutex<Vec<Handle>>,
    /// The embedding model that the settings of some time choose.
    choice: Mutex<(Written, Arc<model::Choice>)>,
}

/// When the settings of a store and of this clone were last written.
pub(crate) type Written = [Option<SystemTime>; 2];

/// An open store with the settings it was opened with.
struct Handle {
    store: Store,
    config: Config,
    /// When the settings were written: others are read again.
    written: Written,
    choice: Arc<model::Choice>,
    model_in_use: bool,
    /// It served a call before, so it may be behind.
    is_used: bool,
}

impl Workspace {
    /// Opens the store that some options mean.
    pub fn open(options: Options) -> Result<Workspace> {
        let Some(layout) = Workspace::find(&options) else {
            return Err(no_store(&options).into());
        };
        if let Err(axis) = ken_guard::self_test() {
            let what = format!("the scanner finds nothing on the axis {}, where it must", axis.word());
            return Err(Error::failed("testing the scanner; nothing was opened")(what));
        }
        let shared = Shared { options, layout, idle: Mutex::default(), choice: Mutex::default() };
        let first = Handle::open(&shared)?;
        shared.idle.lock().unwrap_or_else(PoisonError::into_inner).push(first);
        Ok(Workspace { shared: Arc::new(shared) })
    }

    /// The places of the store that some options mean; none where there is no store.
    pub fn find(options: &Options) -> Option<Layout> {
        if options.global {
            let layout = Layout::at(&options.global_root());
            return layout.store.join("VERSION").is_file().then_some(layout);
        }
        match &options.store {
            Some(folder) => {
                let layout = named(folder);
                layout.store.join("VERSION").is_file().then_some(layout)
            }
            None => Layout::find(&options.from),
        }
    }

    /// The places where a new store would be.
    pub fn place_for_new(options: &Options) -> Layout {
        match (&options.store, options.global) {
            (_, true) => Layout::at(&options.global_root()),
            (Some(folder), false) => named(folder),
            (None, false) => Layout::for_new(&options.from),
        }
    }

    /// Makes a store. Doing it twice is doing it once.
    pub fn init(options: &Options, set_up: SetUp) -> Result<SetUpReport> {
        let layout = Workspace::place_for_new(options);
        if options.read_only {
            return Err(Refusal::new(Code::ReadOnly, "KEN_READONLY is set; nothing was made").into());
        }
        if layout.store.exists() && !layout.store.is_dir() {
            return Err(Refusal::new(
                Code::NotAllowed,
                format!("{STORE_FOLDER} is a file here; a folder is wanted"),
            )
            .hint("move the file away first")
            .into());
        }
        ken_store::set_up(&layout, set_up).map_err(Error::failed(format!("making {STORE_FOLDER}")))
    }

    /// Takes away what `init` made. Knowledge is never deleted.
    pub fn remove(options: &Options) -> Result<SetUpReport> {
        let handle = {
            let workspace = Workspace::open(options.clone())?;
            workspace.handle()?
        };
        handle.store.may_write()?;
        let holds = handle.store.counts()?.iter().any(|(_, _, _, count)| *count > 0);
        let layout = handle.store.layout().clone();
        drop(handle);
        ken_store::remove(&layout, holds).map_err(Error::failed(format!("removing {STORE_FOLDER}")))
    }

    /// Deletes the index of a store; the next command rebuilds it.
    pub fn discard_index(options: &Options) {
        if let Some(layout) = Workspace::find(options) {
            for home in [layout.tree_home(), layout.sandbox_tree_home()] {
                ken_store::index::Index::discard(&home.join("index"));
            }
        }
    }

    /// Does something for a caller, on a store handle of its own.
    pub fn call<T>(&self, caller: &Caller, work: impl FnOnce(&mut Kenning) -> Result<T>) -> Result<T> {
        let mut ken = self.on_behalf_of(caller.clone())?;
        let answer = work(&mut ken);
        self.take_back(ken);
        answer
    }

    /// Keeps the store handle of a call that is over for the next one.
    pub fn take_back(&self, ken: Kenning) {
        let Kenning { mut store, config, written, choice, model_in_use, .. } = ken;
        // Whoever wanted to hear them has; the next caller is somebody else.
        drop(store.take_notices());
        let mut idle = self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_HANDLES_MAX {
            idle.push(Handle { store, config, written, choice, model_in_use, is_used: true });
        }
    }

    /// The verbs for one caller, for as long as the value lives.
    pub fn on_behalf_of(&self, caller: Caller) -> Result<Kenning> {
        let Handle { store, config, written, choice, model_in_use, is_used: _ } = self.handle()?;
        Ok(Kenning {
            store,
            config,
            written,
            model_in_use,
            options: self.shared.options.clone(),
            choice,
            caller,
        })
    }

    /// The caller that an edge knows, in the repository of this store.
    pub fn caller(&self, identity: &Identity, channel: Channel) -> Result<Caller> {
        identity.caller(&self.place(), channel)
    }

    /// Where git is asked for the name of its user.
    pub fn place(&self) -> Place<'_> {
        Place { git: self.git(), from: &self.shared.options.from }
    }

    /// Where everything lies.
    pub fn layout(&self) -> &Layout {
        &self.shared.layout
    }

    fn git(&self) -> Option<&Git> {
        self.shared.layout.git.as_ref()
    }

    /// A handle that sees the store and its settings as they are now.
    fn handle(&self) -> Result<Handle> {
        let Shared { layout, idle, .. } = &*self.shared;
        let idle = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(mut handle) if handle.written == written(layout) && handle.is_used => {
                handle.store.refresh()?;
                Ok(handle)
            }
            Some(handle) if handle.written == written(layout) => Ok(handle),
            _ => Handle::open(&self.shared),
        }
    }
}

impl Handle {
    fn open(shared: &Shared) -> Result<Handle> {
        let Shared { options, layout, choice, .. } = shared;
        let own = layout.git.as_ref().map(|_| layout.clone_home());
        let written = written(layout);
        let config = Config::read(&layout.store, own.as_deref())?;
        let access = if options.read_only { Access::Read } else { Access::Write };
        let store = Store::open(layout.clone(), ken_store::OpenOptions { access, ..Default::default() })?;
        let mut chosen = choice.lock().unwrap_or_else(PoisonError::into_inner);
        if chosen.0 != written {
            *chosen = (written, Arc::default());
        }
        let choice = chosen.1.clone();
        Ok(Handle { store, config, written, choice, model_in_use: false, is_used: false })
    }
}

/// A server hands one workspace to all its threads.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Workspace>();
};

fn written(layout: &Layout) -> Written {
    let changed =
        |folder: &Path| std::fs::metadata(folder.join("config.toml")).and_then(|file| file.modified()).ok();
    [changed(&layout.store), changed(&layout.clone_home())]
}

/// What to say where there is no store, and how to get one.
fn no_store(options: &Options) -> Refusal {
    let (message, hint) = match (&options.store, options.global) {
        (_, true) => (
            format!("there is no global store in {} yet", options.global_root().display()),
            "`ken --global init` makes one".to_owned(),
        ),
        (Some(folder), false) => (
            format!("there is no knowledge store in {}", folder.display()),
            "check --store and KEN_STORE; `ken init` with the same setting makes one there".to_owned(),
        ),
        (None, false) => (
            "there is no knowledge store here or in any folder above".to_owned(),
            "`ken init` makes one at the top of this repository".to_owned(),
        ),
    };
    Refusal::new(Code::NoStore, message).hint(hint)
}
