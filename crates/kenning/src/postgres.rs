//! Workspaces in PostgreSQL: every verb that is not git's runs on them, and any number of nodes serve one.

use std::path::Path;
use std::sync::Arc;

use ken_core::{Code, Refusal};
use ken_engine::RecordKind;
/// Where a database is; bringing its tables to this version; its workspaces; and an empty one that writes under a name of one's own.
pub use ken_log_postgres::{
    Address, AuditLine, AuditRecord, WorkspaceLine, audit_lines, create_workspace as create_workspace_as,
    migrate, workspaces,
};
use ken_log_postgres::{PostgresLog, new_replica};
use ken_verbs::{
    Access, Adapters, CloneState, JudgementStore, Layout, Ledger, Opener, Options, Result, Runtime, SetUp,
    SetUpReport, Workspace,
};

use crate::Product;

/// Opens a workspace of a database for the code of some folder. What it needs of the process stays until the process ends.
pub fn in_postgres(options: Options, address: Address, workspace: &str) -> Result<Workspace> {
    node(options, address, workspace).map(|node| node.workspace)
}

/// A node: a workspace of a database, open for many callers, with what its server asks of the database itself.
pub struct Node {
    /// The workspace, for its verbs.
    pub workspace: Workspace,
    log: Arc<PostgresLog>,
}

/// Opens a workspace as a node that serves it.
pub fn node(options: Options, address: Address, workspace: &str) -> Result<Node> {
    let log = PostgresLog::open(address, workspace)?;
    let adapters: &'static InPostgres = Box::leak(Box::new(InPostgres(log.clone())));
    // A process of its own would find another store, or none.
    let workspace = Workspace::open(adapters, Options { background: false, ..options })?;
    Ok(Node { workspace, log })
}

impl Node {
    /// Writes down a call in the audit log of the workspace.
    pub fn audit(&self, record: &AuditRecord) -> Result<()> {
        self.log.audit(record)
    }

    /// How many batches the log has, and how many of them this node has taken in. Fails where the database does not answer.
    pub fn progress(&self) -> Result<(i64, i64)> {
        self.log.progress()
    }
}

/// What opens a workspace of a database, whichever store the options mean. It stays until the process ends.
pub fn adapters(address: Address, workspace: &str) -> Result<&'static InPostgres> {
    Ok(Box::leak(Box::new(InPostgres(PostgresLog::open(address, workspace)?))))
}

/// What creating a workspace did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Created {
    /// There was none of that name.
    pub is_new: bool,
    /// Events that were taken over from a store.
    pub events: usize,
}

/// Creates a workspace, with what the store of a folder has, if one is named: its lines, and the settings that its users share. An interrupted copy
/// goes on when it is asked for again, as long as nobody has written to the workspace.
///
/// Lines come as from a folder that was handed over: this workspace did not write them, and trusts them no further.
pub fn create_workspace(address: Address, name: &str, from: Option<&Path>) -> Result<Created> {
    let source = match from {
        None => None,
        Some(from) => {
            let layout = store_of(from)?;
            Some((Product.opener(&layout).open(Access::Read)?, layout))
        }
    };
    let is_new = ken_log_postgres::create_workspace(address.clone(), name, new_replica()?)?;
    let Some((source, layout)) = source else { return Ok(Created { is_new, events: 0 }) };
    let log = PostgresLog::open(address, name)?;
    if log.has_appended()? {
        let message = format!("the workspace {name} exists, and somebody has written to it");
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint("give the new workspace another name")
            .field("name")
            .into());
    }
    let events = crate::copy::lines(&**source.log(), &*log)?;
    if let Ok(settings) = std::fs::read(layout.store.join("config.toml")) {
        log.state().write(&RecordKind::Settings.record(), &settings)?;
    }
    Ok(Created { is_new, events })
}

/// The store of a project.
fn store_of(from: &Path) -> Result<Layout> {
    let no_store =
        || Refusal::new(Code::NoStore, format!("there is no knowledge store in {}", from.display()));
    Ok(Options::at(from).find().ok_or_else(no_store)?)
}

/// The adapters of one workspace. There is no global one beside it.
pub struct InPostgres(Arc<PostgresLog>);

impl InPostgres {
    /// Writes down a call in the audit log of the workspace.
    pub fn audit(&self, record: &AuditRecord) -> Result<()> {
        self.0.audit(record)
    }
}

/// Opens the one workspace.
struct Opening(Arc<PostgresLog>);

impl Opener for Opening {
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
        Box::new(Opening(self.0.clone()))
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

    fn runtime(&self) -> &dyn Runtime {
        &Product
    }
}
