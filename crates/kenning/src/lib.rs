//! Kenning as a library: open a store, and every verb is a function over what a call reaches.
//!
//! ```
//! # fn main() -> kenning::Result<()> {
//! # let folder = std::env::temp_dir().join(format!("kenning-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(folder.join("src")).unwrap();
//! # std::fs::write(folder.join("src/net.rs"), "fn retry() {}").unwrap();
//! kenning::init(&folder, Default::default())?;
//! let mut reach = kenning::open(&folder)?.on_behalf_of(kenning::caller("agent:example"))?;
//! let kenning::Reach { ledger, site, models, caller, .. } = &mut reach;
//! let mut lesson = kenning::AddInput { kind: Some("lesson".into()), ..Default::default() };
//! lesson.content.insert("statement".into(), "Retry network calls with jitter.".into());
//! lesson.content.insert("anchors".into(), serde_json::json!(["src/net.rs#retry"]));
//! lesson.content.insert("verification".into(), serde_json::json!(["grep -n jitter src/net.rs"]));
//! lesson.evidence.push("pr:42".into());
//! let added = kenning::add::add(ledger, site, models, caller, lesson)?;
//! assert_eq!(added.outcome, kenning::core::decide::Outcome::Added);
//! assert_eq!(kenning::show::show(ledger, site, caller, &added.handle)?.provenance.len(), 1);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(())
//! # }
//! ```
//!
//! The verbs are those of `ken-verbs`. What is here opens them on real adapters: the git log with its index, the bundled model, servers
//! that take meanings, and what the environment says.

#![warn(missing_docs)]

mod copy;
pub mod environment;
mod memory;
mod model;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "http")]
mod server;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ken_core::Millis;
use ken_engine::EventLog;
use ken_log_git::{FileState, GitLog, OpenOptions};
pub use ken_verbs::*;
pub use memory::in_memory;

/// Opens the store of the project that a folder belongs to.
pub fn open(from: impl AsRef<Path>) -> Result<Workspace> {
    open_with(Options::at(from))
}

/// Opens the store that some options mean.
pub fn open_with(options: Options) -> Result<Workspace> {
    Workspace::open(&Product, options)
}

/// Opens the store that some options mean, for one caller.
pub fn open_for(options: Options, caller: Caller) -> Result<Reach> {
    Reach::open(&Product, options, caller)
}

/// Makes a store for the project that a folder belongs to. Doing it twice is doing it once.
pub fn init(from: impl AsRef<Path>, set_up: SetUp) -> Result<SetUpReport> {
    init_with(&Options::at(from), set_up)
}

/// Makes the store that some options mean.
pub fn init_with(options: &Options, set_up: SetUp) -> Result<SetUpReport> {
    Workspace::init(&Product, options, set_up)
}

/// Deletes the index of a store; whoever opens it next makes it anew.
pub fn discard_index(options: &Options) {
    if let Some(layout) = options.find() {
        Product.discard_index(&layout);
    }
}

/// The small state of the clone that some options mean; none where there is no store.
pub fn state(options: &Options) -> Option<Arc<dyn CloneState>> {
    options.find().map(|layout| Product.state(&layout))
}

/// Posts a text somewhere; the problem is a clause.
pub type Post = Box<dyn Fn(&str) -> std::result::Result<(), String> + Send + Sync>;

/// An address that takes notices about what waits for a person, as `ken serve --webhook` posts them. It is the user's own choice: no
/// setting of a repository names one.
pub fn webhook(url: &str) -> Result<Post> {
    #[cfg(feature = "http")]
    let opened = ken_providers::Webhook::open(url);
    #[cfg(not(feature = "http"))]
    let opened = Err::<std::convert::Infallible, _>(format!(
        "this ken was built without HTTP, so {url:?} cannot be told"
    ));
    let webhook = opened.map_err(|problem| {
        let hint = "give an https address without a query, or one of this machine";
        ken_core::Refusal::new(ken_core::Code::Invalid, format!("webhook: {problem}"))
            .field("webhook")
            .hint(hint)
    })?;
    #[cfg(feature = "http")]
    return Ok(Box::new(move |notice: &str| webhook.post(notice)));
    #[cfg(not(feature = "http"))]
    match webhook {}
}

/// A program that calls in some actor's name, now.
pub fn caller(actor: &str) -> Caller {
    Caller::new(actor, Identity::default().time(), Channel::Library)
}

/// Reads code for another process, from standard input to standard output, until that ends: a grammar that aborts aborts here.
pub fn parse_worker() -> std::io::Result<()> {
    ken_anchors::worker::serve(std::io::stdin().lock(), std::io::stdout().lock())
}

/// The adapters of the product: the git log and its index, the bundled model, and servers that take meanings.
pub struct Product;

/// The git log of one worktree, opened when it is first asked for.
struct InGit {
    layout: Layout,
    /// What only reads has a log of its own, which heals and writes nothing.
    reading: OnceLog,
    writing: OnceLog,
}

/// A log that is opened once.
type OnceLog = Mutex<Option<Arc<GitLog>>>;

impl InGit {
    fn log(&self, access: Access) -> Result<Arc<GitLog>> {
        let log = match access {
            Access::Read => &self.reading,
            Access::Write => &self.writing,
        };
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(log) = &*log {
            return Ok(log.clone());
        }
        let opened = GitLog::open(self.layout.clone(), OpenOptions { access, ..OpenOptions::default() })?;
        Ok(log.insert(opened).clone())
    }
}

impl Opener for InGit {
    fn open(&self, access: Access) -> Result<Ledger> {
        self.log(access)?.ledger()
    }

    fn judgements(&self, access: Access) -> Option<Arc<dyn JudgementStore>> {
        Some(self.log(access).ok()?.judgements())
    }
}

impl Adapters for Product {
    fn opener(&self, layout: &Layout) -> Box<dyn Opener> {
        Box::new(InGit { layout: layout.clone(), reading: Mutex::default(), writing: Mutex::default() })
    }

    fn state(&self, layout: &Layout) -> Arc<dyn CloneState> {
        Arc::new(FileState::new(layout.clone()))
    }

    fn set_up(&self, layout: &Layout, set_up: SetUp) -> Result<SetUpReport> {
        ken_log_git::set_up(layout, set_up).map_err(Error::failed(format!("creating {STORE_FOLDER}")))
    }

    fn remove(&self, layout: &Layout, holds_knowledge: bool) -> Result<SetUpReport> {
        ken_log_git::remove(layout, holds_knowledge)
            .map_err(Error::failed(format!("removing {STORE_FOLDER}")))
    }

    fn discard_index(&self, layout: &Layout) {
        ken_log_git::discard_index(layout);
    }

    fn runtime(&self) -> &dyn Runtime {
        self
    }
}

impl Runtime for Product {
    fn models(&self, options: &Options, config: &Config, layout: &Layout) -> Arc<dyn Models> {
        Arc::new(model::Choice::new(options, config, &layout.root))
    }

    fn copy_to_folder(
        &self,
        log: &dyn EventLog,
        layout: &Layout,
        now: Millis,
        dry_run: bool,
    ) -> Result<usize> {
        copy::to_folder(self, log, layout, now, dry_run)
    }

    fn foreign_rows(&self, database: &Path) -> std::result::Result<String, String> {
        ken_log_git::foreign::decapod_rows(database).map_err(|error| error.to_string())
    }

    fn after_write(&self, ledger: &mut Ledger, site: &Site, models: &mut ModelsInUse, caller: &Caller) {
        after_write::after_write(ledger, site, models, caller);
    }
}
