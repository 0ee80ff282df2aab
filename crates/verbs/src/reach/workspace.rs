//! A workspace: the store of a project and the global one beside it, open for many callers at once.
//!
//! Each call works on a store handle of its own, with its own snapshot of the index. Readers run side by side; writers take turns on the
//! lock of the journal, as processes do.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use ken_core::{Code, Intent, Refusal};
use ken_engine::{
    Access, Caller, Channel, CloneState, Error, GroupRecorder, JudgementStore, Ledger, RecordKind, Result,
    SetUp, SetUpReport, Writer,
};
use ken_worktree::{Layout, STORE_FOLDER};

use crate::identity::{Identity, Place};
use crate::limits::workspace::{GLOBAL_LOCK_WAIT, IDLE_HANDLES_MAX};
use crate::reach::adapters::{Adapters, Models, Opener};
use crate::{Config, ModelsInUse, Options, Reach, Site};

/// Whether somebody holds a lock of a store for longer than a write takes: whoever opened it then would wait as long.
fn is_held(layout: &Layout) -> bool {
    let (home, tree) = (layout.clone_home(), layout.tree_home());
    let files =
        [home.join("lock"), home.join("journal/lock"), tree.join("tree.lock"), tree.join("index.lock")];
    let begun = Instant::now();
    files.iter().any(|file| {
        loop {
            // What cannot be opened is not locked; the store itself says what is wrong with it.
            let Ok(file) = std::fs::OpenOptions::new().read(true).write(true).open(file) else {
                return false;
            };
            match file.try_lock() {
                Err(std::fs::TryLockError::WouldBlock) if begun.elapsed() > GLOBAL_LOCK_WAIT => return true,
                Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
                Ok(()) | Err(std::fs::TryLockError::Error(_)) => return false,
            }
        }
    })
}

/// The store of a project and the global one, open for many callers at once. Cloning it gives the same workspace.
#[derive(Clone)]
pub struct Workspace {
    adapters: &'static dyn Adapters,
    project: Arc<Pool>,
    /// Found when it is first asked for: it may be made later.
    global: Arc<Mutex<Option<Arc<Pool>>>>,
}

/// One store of a workspace, with the handles that nobody uses.
pub(crate) struct Pool {
    options: Options,
    layout: Layout,
    opener: Box<dyn Opener>,
    state: Arc<dyn CloneState>,
    idle: Mutex<Vec<Handle>>,
    /// How many calls are under way.
    calls: AtomicUsize,
    /// How many entries are being added.
    adds: AtomicUsize,
    /// Pairs that were found behind those who wrote, and that nobody was told of.
    found: AtomicUsize,
    /// Records what they are shown, once there are several.
    recorder: Mutex<Option<Arc<GroupRecorder>>>,
    /// Whether vectors are made behind those who write.
    embedding: Mutex<Behind>,
    /// The models that the settings of some time choose.
    models: Mutex<Option<(Written, Arc<dyn Models>)>>,
}

/// The thread that makes vectors behind those who write.
#[derive(Default)]
struct Behind {
    runs: bool,
    /// Somebody wrote since it last found nothing to do.
    wanted: bool,
}

/// The settings that something was made with: others are read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// When those of the store and of this clone were last written.
    Files([Option<SystemTime>; 2]),
    /// What they say, where the store lies in no folder.
    Records([Option<String>; 2]),
}

/// An open store with the settings it was opened with.
pub(crate) struct Handle {
    pub(crate) store: Ledger,
    pub(crate) config: Config,
    pub(crate) models: Arc<dyn Models>,
    /// The store knows which model's vectors to ask.
    pub(crate) model_in_use: bool,
    /// When the settings were written: others are read again.
    pub(crate) written: Written,
    /// It served a call before, so it may be behind.
    pub(crate) is_used: bool,
}

/// Makes the next few vectors that are missing, and says how many still are.
pub(crate) type EmbedSome = fn(&mut Ledger, &Site, &mut ModelsInUse, &Caller) -> Result<usize>;

impl Workspace {
    /// Opens the store that some options mean.
    pub fn open(adapters: &'static dyn Adapters, options: Options) -> Result<Workspace> {
        let Some(layout) = adapters.find(&options) else {
            return Err(no_store(&options).into());
        };
        let project = Pool::new(adapters, options, layout);
        let first = project.open(adapters)?;
        project.idle().push(first);
        Ok(Workspace { adapters, project: Arc::new(project), global: Arc::default() })
    }

    /// Makes a store. Doing it twice is doing it once.
    pub fn init(adapters: &dyn Adapters, options: &Options, set_up: SetUp) -> Result<SetUpReport> {
        let layout = options.place_for_new();
        if options.read_only {
            return Err(Refusal::new(Code::ReadOnly, "KEN_READONLY is set; nothing was created").into());
        }
        layout.refuse_links()?;
        if layout.store.exists() && !layout.store.is_dir() {
            return Err(Refusal::new(
                Code::NotAllowed,
                format!("{STORE_FOLDER} is a file, but must be a folder"),
            )
            .hint("move or delete the file first")
            .into());
        }
        adapters.set_up(&layout, set_up)
    }

    /// Makes what its store lacks, which is there already.
    pub fn set_up(&self, set_up: SetUp) -> Result<SetUpReport> {
        Workspace::init(self.adapters, &self.project.options, set_up)
    }

    /// Takes away what `init` made. Knowledge is never deleted.
    pub fn remove(adapters: &'static dyn Adapters, options: &Options) -> Result<SetUpReport> {
        let workspace = Workspace::open(adapters, options.clone())?;
        let handle = workspace.project.take(adapters)?;
        handle.store.may_write()?;
        let holds = handle.store.counts()?.iter().any(|(_, _, _, count)| *count > 0);
        drop(handle);
        adapters.remove(&workspace.project.layout, holds)
    }

    /// Does something for a caller, on a store handle of its own.
    pub fn call<T>(&self, caller: &Caller, work: impl FnOnce(&mut Reach) -> Result<T>) -> Result<T> {
        let mut ken = self.on_behalf_of(caller.clone())?;
        let answer = work(&mut ken);
        self.take_back(ken);
        answer
    }

    /// Keeps the store handle of a call that is over for the next one.
    pub fn take_back(&self, ken: Reach) {
        let (pool, handle) = ken.into_handle();
        pool.take_back(handle);
    }

    /// The verbs for one caller, for as long as the value lives. What others were shown is recorded before: who writes depends on it.
    pub fn on_behalf_of(&self, caller: Caller) -> Result<Reach> {
        self.project.settle();
        self.reading_for(caller)
    }

    /// The same for who only reads, and waits for nobody.
    pub fn reading_for(&self, caller: Caller) -> Result<Reach> {
        let handle = self.project.take(self.adapters)?;
        Ok(Reach::new(self.clone(), self.project.clone(), handle, caller))
    }

    /// The verbs of the global store for one caller. None where there is no such store, or where this is it.
    ///
    /// A store that is only to be read is opened by itself: nothing is recorded, healed or rebuilt in it.
    pub(crate) fn global_on_behalf_of(&self, caller: Caller, access: Access) -> Result<Option<Reach>> {
        let Some(pool) = self.global_pool() else { return Ok(None) };
        if is_held(&pool.layout) {
            let doing = "searching the global store";
            return Err(Error::failed(doing)(std::io::Error::new(
                std::io::ErrorKind::WouldBlock,
                "another process holds its lock",
            )));
        }
        let (pool, handle) = match access {
            Access::Read if !pool.options.read_only => {
                let options = Options { read_only: true, ..pool.options.clone() };
                let pool = Arc::new(Pool::new(self.adapters, options, pool.layout.clone()));
                let handle = pool.open(self.adapters)?;
                (pool, handle)
            }
            Access::Read | Access::Write => {
                let handle = pool.take(self.adapters)?;
                (pool, handle)
            }
        };
        Ok(Some(Reach::new(self.clone(), pool, handle, caller)))
    }

    /// The same, with a store that is made where there is none.
    pub(crate) fn global_or_make(&self, caller: Caller) -> Result<Option<Reach>> {
        let options = self.global_options();
        if !self.project.options.global && self.adapters.find(&options).is_none() {
            Workspace::init(self.adapters, &options, SetUp::default())?;
        }
        self.global_on_behalf_of(caller, Access::Write)
    }

    /// What calls on the project's store share.
    pub(crate) fn project_pool(&self) -> &Arc<Pool> {
        &self.project
    }

    /// Has the vectors of what was written made by a thread of its own: nobody waits for them, and whoever reads goes first.
    pub(crate) fn embed_behind(&self, pool: &Arc<Pool>, caller: &Caller, embed: EmbedSome) {
        {
            let mut behind = pool.behind();
            behind.wanted = true;
            if std::mem::replace(&mut behind.runs, true) {
                return;
            }
        }
        let (workspace, pool, caller) = (self.clone(), pool.clone(), caller.clone());
        std::thread::spawn(move || {
            // Without a vector an entry is found by its words, and the next write or `ken rebuild --embeddings` makes it.
            drop(workspace.embed_all(&pool, &caller, embed));
            pool.behind().runs = false;
        });
    }

    fn embed_all(&self, pool: &Arc<Pool>, caller: &Caller, embed: EmbedSome) -> Result<()> {
        let handle = pool.take(self.adapters)?;
        let mut ken = Reach::new(self.clone(), pool.clone(), handle, caller.clone());
        loop {
            pool.behind().wanted = false;
            loop {
                let begun = Instant::now();
                if embed(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller)? == 0 {
                    break;
                }
                if pool.is_busy() {
                    std::thread::sleep(3 * begun.elapsed());
                }
            }
            let mut behind = pool.behind();
            if !behind.wanted {
                behind.runs = false;
                break;
            }
        }
        self.take_back(ken);
        Ok(())
    }

    /// Whether there is a global store beside the project's.
    pub(crate) fn has_global(&self) -> bool {
        self.global_pool().is_some()
    }

    /// The folder of the global store where that has events and no VERSION: somebody lost a file, and it must not be passed over in silence.
    pub(crate) fn global_without_version(&self) -> Option<String> {
        if self.project.options.global || self.has_global() {
            return None;
        }
        let store = self.global_options().global_root().join(STORE_FOLDER);
        let has_entries =
            ["semantic", "procedural", "episodic"].iter().any(|folder| store.join(folder).is_dir());
        (has_entries && !store.join("VERSION").is_file()).then(|| store.display().to_string())
    }

    fn global_options(&self) -> Options {
        Options { global: true, store: None, ..self.project.options.clone() }
    }

    fn global_pool(&self) -> Option<Arc<Pool>> {
        if self.project.options.global {
            return None;
        }
        let mut known = self.global.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            let options = self.global_options();
            let layout =
                self.adapters.find(&options).filter(|there| there.store != self.project.layout.store)?;
            *known = Some(Arc::new(Pool::new(self.adapters, options, layout)));
        }
        known.clone()
    }

    /// The caller that an edge knows, in the repository of this store.
    pub fn caller(&self, identity: &Identity, channel: Channel) -> Result<Caller> {
        identity.caller(&self.place(), channel)
    }

    /// Where git is asked for the name of its user.
    pub fn place(&self) -> Place<'_> {
        Place { git: self.project.layout.git.as_ref(), from: &self.project.options.from }
    }

    /// Where everything lies.
    pub fn layout(&self) -> &Layout {
        &self.project.layout
    }

    /// The small state of the clone.
    pub fn state(&self) -> Arc<dyn CloneState> {
        self.project.state.clone()
    }

    /// What opens stores here.
    pub(crate) fn adapters(&self) -> &'static dyn Adapters {
        self.adapters
    }
}

impl Pool {
    fn new(adapters: &dyn Adapters, options: Options, layout: Layout) -> Pool {
        Pool {
            opener: adapters.opener(&layout),
            options,
            state: adapters.state(&layout),
            layout,
            idle: Mutex::default(),
            calls: AtomicUsize::new(0),
            adds: AtomicUsize::new(0),
            found: AtomicUsize::new(0),
            recorder: Mutex::default(),
            embedding: Mutex::default(),
            models: Mutex::default(),
        }
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The small state of the clone.
    pub(crate) fn state(&self) -> &Arc<dyn CloneState> {
        &self.state
    }

    /// What was found out about code in this worktree; none where that is not kept.
    pub(crate) fn judgements(&self) -> Option<Arc<dyn JudgementStore>> {
        self.opener.judgements(access_of(&self.options))
    }

    /// Records observations: together with those of other calls that are under way, or else through the handle of the one call. Callers
    /// of the HTTP API are many, and none of them waits for somebody who writes.
    pub(crate) fn record(
        &self,
        store: &mut Ledger,
        intents: Vec<Intent>,
        writer: &Writer,
        channel: Channel,
    ) -> Result<()> {
        let all_deferred = intents.iter().all(|intent| intent.body.is_deferred());
        if channel == Channel::Http && all_deferred {
            return self.recorder()?.note(intents, writer.clone());
        }
        if self.calls.load(Ordering::Relaxed) < 2 || !all_deferred {
            return store.append(intents, writer).map(drop);
        }
        self.recorder()?.record(intents, writer.clone())
    }

    fn recorder(&self) -> Result<Arc<GroupRecorder>> {
        let mut known = self.recorder.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(recorder) => Ok(recorder.clone()),
            None => {
                let recorder = GroupRecorder::new(self.opener.open(Access::Write)?);
                Ok(known.insert(Arc::new(recorder)).clone())
            }
        }
    }

    /// Notes how many pairs were found behind those who wrote.
    pub(crate) fn found_behind(&self, pairs: usize) {
        self.found.fetch_add(pairs, Ordering::Relaxed);
    }

    /// How many pairs were found so, for the one who is told of them.
    pub(crate) fn take_found(&self) -> usize {
        self.found.swap(0, Ordering::Relaxed)
    }

    /// Whether several calls are under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.calls.load(Ordering::Relaxed) > 1
    }

    fn behind(&self) -> MutexGuard<'_, Behind> {
        self.embedding.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until everything is recorded that was noted in passing.
    fn settle(&self) {
        let recorder = self.recorder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(recorder) = recorder {
            recorder.settle();
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Handle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A handle that sees the store and its settings as they are now.
    fn take(&self, adapters: &dyn Adapters) -> Result<Handle> {
        let idle = self.idle().pop();
        match idle {
            Some(mut handle) if handle.written == self.settings_written() => {
                if handle.is_used {
                    handle.store.refresh()?;
                }
                Ok(handle)
            }
            _ => self.open(adapters),
        }
    }

    /// Whether the store lies in a folder of the project.
    pub(crate) fn is_in_folder(&self) -> bool {
        self.opener.is_in_folder()
    }

    fn settings_written(&self) -> Written {
        if !self.opener.is_in_folder() {
            let kinds = [RecordKind::Settings, RecordKind::OwnSettings];
            return Written::Records(kinds.map(|kind| self.state.text(&kind.record())));
        }
        let changed = |folder: &Path| {
            std::fs::metadata(folder.join("config.toml")).and_then(|file| file.modified()).ok()
        };
        Written::Files([changed(&self.layout.store), changed(&self.layout.clone_home())])
    }

    fn take_back(&self, mut handle: Handle) {
        // Whoever wanted to hear them has; the next caller is somebody else.
        drop(handle.store.take_notices());
        handle.store.expect(None);
        let mut idle = self.idle();
        if idle.len() < IDLE_HANDLES_MAX {
            idle.push(handle);
        }
    }

    fn open(&self, adapters: &dyn Adapters) -> Result<Handle> {
        let Pool { options, layout, opener, .. } = self;
        let written = self.settings_written();
        // Nobody clones or unpacks the global store: without git, its own folder keeps what is not shared.
        let own = (layout.git.is_some() || options.global).then(|| layout.clone_home());
        let config = match opener.is_in_folder() {
            true => Config::read(&layout.store, own.as_deref())?,
            false => Config::of_records(self.state.clone())?,
        };
        let store = opener.open(access_of(options))?;
        let mut chosen = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let models = match &*chosen {
            Some((of, models)) if *of == written => models.clone(),
            _ => {
                let models = adapters.runtime().models(options, &config, layout);
                *chosen = Some((written.clone(), models.clone()));
                models
            }
        };
        drop(chosen);
        Ok(Handle { store, config, models, model_in_use: false, written, is_used: false })
    }
}

/// Whether options have a store written.
fn access_of(options: &Options) -> Access {
    if options.read_only { Access::Read } else { Access::Write }
}

/// A call that is under way, as long as it lives.
pub(crate) struct UnderWay(Arc<Pool>);

impl UnderWay {
    pub(crate) fn new(pool: Arc<Pool>) -> UnderWay {
        pool.calls.fetch_add(1, Ordering::Relaxed);
        UnderWay(pool)
    }

    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.0
    }
}

/// An add that is under way.
pub(crate) struct Adding(Arc<Pool>);

impl Adding {
    pub(crate) fn new(pool: Arc<Pool>) -> Adding {
        pool.adds.fetch_add(1, Ordering::Relaxed);
        Adding(pool)
    }

    /// Whether others add at the same time. Then nobody waits for a vector: what it shows is noted when it is made.
    pub(crate) fn is_beside_others(&self) -> bool {
        self.0.adds.load(Ordering::Relaxed) > 1
    }
}

impl Drop for Adding {
    fn drop(&mut self) {
        self.0.adds.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A server hands one workspace to all its threads.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Workspace>();
};

/// What to say where there is no store, and how to get one.
fn no_store(options: &Options) -> Refusal {
    let (message, hint) = match (&options.store, options.global) {
        (_, true) => (
            format!("there is no global store in {} yet", options.global_root().display()),
            "`ken --global init` creates one".to_owned(),
        ),
        (Some(folder), false) => (
            format!("there is no knowledge store in {}", folder.display()),
            "check --store and KEN_STORE; `ken init` with the same setting creates a store there".to_owned(),
        ),
        (None, false) => (
            "there is no knowledge store in this folder or any parent".to_owned(),
            "`ken init` creates one at the root of the repository, or in this folder if there is none"
                .to_owned(),
        ),
    };
    Refusal::new(Code::NoStore, message).hint(hint)
}
