//! Which store commands work on: the one of a folder, or a workspace in PostgreSQL that the environment names.

use kenning::{Adapters, Options, Result, Workspace};

use crate::args::ServeArgs;

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

/// The workspace that a server is to serve; none where it serves the store of a folder.
pub(crate) fn served(options: &Options, args: &ServeArgs) -> Result<Option<Workspace>> {
    let Some((address, name)) = asked(args) else { return Ok(None) };
    in_postgres(options, address, &name).map(Some)
}

/// The workspace that the environment names, open for many callers.
pub(crate) fn of_environment(options: &Options) -> Result<Option<Workspace>> {
    let Some(name) = workspace_name() else { return Ok(None) };
    in_postgres(options, None, &name).map(Some)
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
fn in_postgres(options: &Options, address: Option<&str>, name: &str) -> Result<Workspace> {
    use kenning::postgres::{Address, in_postgres};
    in_postgres(options.clone(), Address::find(address)?, name)
}

#[cfg(feature = "postgres")]
fn opened(name: &str) -> Result<&'static dyn Adapters> {
    use std::sync::Mutex;
    static OPENED: Mutex<Option<&'static dyn Adapters>> = Mutex::new(None);
    let mut opened = OPENED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(adapters) = *opened {
        return Ok(adapters);
    }
    use kenning::postgres::{Address, adapters};
    Ok(*opened.insert(adapters(Address::find(None)?, name)?))
}

#[cfg(not(feature = "postgres"))]
fn in_postgres(_: &Options, _: Option<&str>, name: &str) -> Result<Workspace> {
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
