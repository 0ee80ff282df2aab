//! Which store commands work on: the one of a folder, or a workspace in PostgreSQL that the environment names.

use std::sync::Arc;

use ken_server::SharedStore;
use kenning::{Adapters, Options, Result, Workspace};
#[cfg(feature = "postgres")]
use kenning::{Caller, Channel};

use super::{CommandLine, Session};
use crate::args::ServeArgs;
#[cfg(feature = "postgres")]
use crate::output::exit;

/// The variable that names a workspace of the database of `KEN_POSTGRES_URL`.
const WORKSPACE: &str = "KEN_WORKSPACE";

/// The workspace that the environment names.
pub(crate) fn workspace_name() -> Option<String> {
    std::env::var(WORKSPACE).ok().filter(|name| !name.trim().is_empty())
}

/// What opens the store that commands work on. A workspace is opened once for a process.
pub(crate) fn adapters() -> Result<&'static dyn Adapters> {
    match workspace_name() {
        None => Ok(&kenning::Product),
        Some(name) => opened(&name),
    }
}

/// The workspace that a server is to serve, and what it asks of the database itself; none where it serves the store of a folder.
pub(crate) fn served(
    session: &Session,
    options: &Options,
    args: &ServeArgs,
) -> Result<Option<(Workspace, Arc<dyn SharedStore>)>> {
    let Some((address, name)) = asked(args) else { return Ok(None) };
    node(session, options, address, &name).map(Some)
}

/// The workspace that the environment names, open for many callers.
pub(crate) fn of_environment(options: &Options) -> Result<Option<Workspace>> {
    let Some(name) = workspace_name() else { return Ok(None) };
    in_postgres(options, &name).map(Some)
}

#[cfg(feature = "postgres")]
fn asked(args: &ServeArgs) -> Option<(Option<&str>, String)> {
    let named = args.database.workspace.clone().or_else(workspace_name);
    match (&args.database.postgres, named) {
        (None, None) => None,
        (address, named) => Some((address.as_deref(), named.unwrap_or_else(|| "main".to_owned()))),
    }
}

#[cfg(not(feature = "postgres"))]
fn asked(_: &ServeArgs) -> Option<(Option<&str>, String)> {
    Some((None, workspace_name()?))
}

#[cfg(feature = "postgres")]
fn in_postgres(options: &Options, name: &str) -> Result<Workspace> {
    use kenning::postgres::{Address, in_postgres};
    in_postgres(options.clone(), Address::find(None)?, name)
}

#[cfg(feature = "postgres")]
fn node(
    session: &Session,
    options: &Options,
    address: Option<&str>,
    name: &str,
) -> Result<(Workspace, Arc<dyn SharedStore>)> {
    let node = kenning::postgres::node(options.clone(), kenning::postgres::Address::find(address)?, name)?;
    // Its vectors lie with its copy of the log, which it has just made.
    let caller = Caller::new(kenning::MAINTAINER, session.identity.time(), Channel::Http);
    kenning::embedding::embed_missing(&node.workspace, &caller);
    Ok((node.workspace.clone(), Arc::new(Shared { node, output: session.output })))
}

/// A node, as its server sees it.
#[cfg(feature = "postgres")]
struct Shared {
    node: kenning::postgres::Node,
    output: crate::output::Output,
}

#[cfg(feature = "postgres")]
impl SharedStore for Shared {
    fn record(&self, deed: &ken_server::Deed) {
        let ken_server::Deed { who, token, door, verb, entry, outcome, address } = deed.clone();
        let door = door.to_owned();
        let record = kenning::postgres::AuditRecord { who, token, door, verb, entry, outcome, address };
        if let Err(error) = self.node.audit(&record) {
            let told = format!("{} by {}", deed.verb, deed.who.as_deref().unwrap_or("nobody known"));
            self.output.note(&format!("the audit log lacks {told} ({}): {error}", deed.outcome));
        }
    }

    fn progress(&self) -> Result<(i64, i64)> {
        self.node.progress()
    }
}

/// The workspace that the environment names, where a command opened it.
#[cfg(feature = "postgres")]
static OPENED: std::sync::Mutex<Option<&'static kenning::postgres::InPostgres>> = std::sync::Mutex::new(None);

#[cfg(feature = "postgres")]
fn opened(name: &str) -> Result<&'static dyn Adapters> {
    use kenning::postgres::{Address, adapters};
    let mut opened = OPENED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(adapters) = *opened {
        return Ok(adapters);
    }
    Ok(*opened.insert(adapters(Address::find(None)?, name)?))
}

/// Writes down a command that may have written to a workspace, as nodes write down their calls.
#[cfg(feature = "postgres")]
pub(crate) fn record(line: &CommandLine, verb: &str, done: &Result<u8>) {
    let opened = *OPENED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let Some(opened) = opened else { return };
    let call = line.session().and_then(|session| session.call(None));
    let outcome = match done {
        Ok(exit::REFUSED) => "rejected",
        Ok(_) => "done",
        Err(kenning::Error::Refused(refusal)) => refusal.code.word(),
        Err(_) => "failed",
    };
    let record = kenning::postgres::AuditRecord {
        who: call.ok().map(|call| call.caller().actor().to_owned()),
        door: "cli".to_owned(),
        verb: verb.to_owned(),
        outcome: outcome.to_owned(),
        ..kenning::postgres::AuditRecord::default()
    };
    if let Err(error) = opened.audit(&record) {
        line.output.note(&format!("the audit log lacks this command: {error}"));
    }
}

#[cfg(not(feature = "postgres"))]
pub(crate) fn record(_: &CommandLine, _: &str, _: &Result<u8>) {}

#[cfg(not(feature = "postgres"))]
fn in_postgres(_: &Options, name: &str) -> Result<Workspace> {
    Err(not_built(name).into())
}

#[cfg(not(feature = "postgres"))]
fn node(_: &Session, _: &Options, _: Option<&str>, name: &str) -> Result<(Workspace, Arc<dyn SharedStore>)> {
    Err(not_built(name).into())
}

#[cfg(not(feature = "postgres"))]
fn opened(name: &str) -> Result<&'static dyn Adapters> {
    Err(not_built(name).into())
}

#[cfg(not(feature = "postgres"))]
fn not_built(name: &str) -> kenning::core::Refusal {
    let message =
        format!("{WORKSPACE} names the workspace {name}, and this `ken` was built without PostgreSQL");
    kenning::core::Refusal::new(kenning::core::Code::NotAllowed, message)
        .hint(format!("unset {WORKSPACE}, or install a `ken` with the feature `postgres`"))
        .field(WORKSPACE)
}
