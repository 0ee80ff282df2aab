//! Workspaces in PostgreSQL: every verb that is not git's runs on them, and any number of nodes serve one.

use std::path::Path;
use std::sync::Arc;

use ken_core::{Code, Refusal};
use ken_engine::{Arrival, Bytes, Cursor, EventLog};
/// Where a database is; bringing its tables to this version; and an empty workspace that writes under a name of one's own.
pub use ken_log_postgres::{Address, create_workspace as create_workspace_as, migrate};
use ken_log_postgres::{PostgresLog, new_replica};
use ken_verbs::{
    Access, Adapters, CloneState, Config, JudgementStore, Layout, Ledger, Models, Opener, Options, Result,
    SetUp, SetUpReport, Workspace,
};

use crate::Product;

/// Lines that are copied together.
const COPIED: Bytes = Bytes(16 << 20);

/// Opens a workspace of a database for the code of some folder. What it needs of the process stays until the process ends.
pub fn in_postgres(options: Options, address: Address, workspace: &str) -> Result<Workspace> {
    let adapters: &'static InPostgres =
        Box::leak(Box::new(InPostgres(PostgresLog::open(address, workspace)?)));
    // A process of its own would find another store, or none.
    Workspace::open(adapters, Options { background: false, ..options })
}

/// Creates a workspace, with what the store of a folder has, if one is named. Says how many events it took from there; none where there was such a
/// workspace already.
///
/// They come as from a folder that was handed over: this workspace did not write them, and trusts them no further.
pub fn create_workspace(address: Address, name: &str, from: Option<&Path>) -> Result<Option<usize>> {
    let source = match from {
        None => None,
        Some(from) => Some(Product.opener(&store_of(from)?).open(Access::Read)?),
    };
    if !ken_log_postgres::create_workspace(address.clone(), name, new_replica()?)? {
        return Ok(None);
    }
    let Some(source) = source else { return Ok(Some(0)) };
    let log = PostgresLog::open(address, name)?;
    copy(&**source.log(), &*log).map(Some)
}

/// The store of a project.
fn store_of(from: &Path) -> Result<Layout> {
    let no_store =
        || Refusal::new(Code::NoStore, format!("there is no knowledge store in {}", from.display()));
    Ok(Options::at(from).find().ok_or_else(no_store)?)
}

/// Copies all lines of a log into another one.
fn copy(from: &dyn EventLog, to: &dyn EventLog) -> Result<usize> {
    let (mut at, mut copied) = (Cursor::default(), 0);
    loop {
        let batches = from.since(at, COPIED)?;
        let Some(last) = batches.last() else { return Ok(copied) };
        at = last.end;
        let lines = batches.into_iter().flat_map(|batch| batch.lines).collect();
        copied += to.receive(lines, Arrival::Folder)?.new;
    }
}

/// The adapters of one workspace. There is no global one beside it.
struct InPostgres(Arc<PostgresLog>);

struct Node(Arc<PostgresLog>);

impl Opener for Node {
    fn open(&self, access: Access) -> Result<Ledger> {
        self.0.ledger(access)
    }

    fn judgements(&self, _: Access) -> Option<Arc<dyn JudgementStore>> {
        Some(self.0.judgements())
    }

    fn is_in_folder(&self) -> bool {
        false
    }
}

fn in_no_folder() -> Refusal {
    Refusal::new(Code::NotAllowed, "this store is kept in PostgreSQL and lies in no folder")
        .hint("run this where a store lies in a folder, as `ken init` makes one")
}

impl Adapters for InPostgres {
    fn find(&self, options: &Options) -> Option<Layout> {
        (!options.global).then(|| Layout::for_new(&options.from))
    }

    fn opener(&self, _: &Layout) -> Box<dyn Opener> {
        Box::new(Node(self.0.clone()))
    }

    fn state(&self, _: &Layout) -> Arc<dyn CloneState> {
        self.0.state()
    }

    /// The workspace is there. A global store beside it would be a folder of this node alone, and is not made.
    fn set_up(&self, _: &Layout, _: SetUp) -> Result<SetUpReport> {
        Ok(SetUpReport::default())
    }

    fn remove(&self, _: &Layout, _: bool) -> Result<SetUpReport> {
        Err(in_no_folder().into())
    }

    fn discard_index(&self, _: &Layout) {}

    fn models(&self, options: &Options, config: &Config, layout: &Layout) -> Arc<dyn Models> {
        Product.models(options, config, layout)
    }

    fn foreign_rows(&self, database: &Path) -> std::result::Result<String, String> {
        Product.foreign_rows(database)
    }
}
