//! The agent hosts of this machine: where their files are, and how each is connected.

use std::path::{Path, PathBuf};

use ken_core::words::nearest;
use ken_core::{Code, Refusal};
use ken_engine::{Error, Result};
use ken_hosts::setup::{self, HOST_NAMES, HOSTS, Host, Part, Places, Scope, Standing, State};
use serde::Serialize;

use crate::Options;

/// A host that is connected, and how it stands.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Connected {
    /// The name of the host.
    pub host: &'static str,
    /// `project` or `global`.
    pub scope: &'static str,
    /// One word for all its parts.
    pub state: &'static str,
}

/// The hosts that are connected here, for this project or for the user.
pub fn connected(options: &Options) -> Vec<Connected> {
    let Ok(places) = places(options, false) else { return Vec::new() };
    let mut all = Vec::new();
    for host in HOSTS {
        for scope in [Scope::Project, Scope::Global].into_iter().filter(|scope| host.scope(*scope) == *scope)
        {
            let state = match setup::state(host, scope, &places) {
                Ok(standings) => is_connected(&standings).then(|| overall(&standings)),
                Err(_) => Some("unreadable"),
            };
            all.extend(state.map(|state| Connected { host: host.name, scope: word(scope), state }));
        }
    }
    all
}

/// Whether something of ours is there. Instructions that another host has there as well do not count alone.
pub fn is_connected(standings: &[Standing]) -> bool {
    standings.iter().any(|standing| {
        standing.part != Part::Instructions && matches!(standing.state, State::Stale | State::Current)
    })
}

/// One word for all parts.
pub fn overall(standings: &[Standing]) -> &'static str {
    let is = |state: State| move |standing: &Standing| standing.state == state;
    if standings.iter().all(is(State::Current)) {
        State::Current.word()
    } else if standings.iter().any(is(State::Taken)) {
        State::Taken.word()
    } else if is_connected(standings) {
        State::Stale.word()
    } else {
        State::Missing.word()
    }
}

/// The host of a name, or the names there are.
pub fn named(name: &str) -> Result<&'static Host> {
    let plain = name.trim().to_lowercase().replace('_', "-");
    Host::named(&plain).ok_or_else(|| {
        let near = nearest(&plain, HOST_NAMES.iter().copied()).map(|near| format!("did you mean `{near}`? "));
        let near = near.unwrap_or_default();
        Refusal::new(
            Code::Invalid,
            format!("unknown host {name:?}; {near}allowed: {}", HOST_NAMES.join(", ")),
        )
        .field("host")
        .into()
    })
}

/// The options for this project, whatever `--global` says about hosts.
fn here(options: &Options) -> Options {
    Options { global: false, ..options.clone() }
}

/// Where the files of hosts are, for this project and for the user, and how they name this program.
pub fn places(options: &Options, absolute: bool) -> Result<Places> {
    let options = here(options);
    let project = options.find().unwrap_or_else(|| options.place_for_new()).root;
    let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
        Refusal::new(Code::NotAllowed, "your home directory is unknown; set HOME").hint("set HOME")
    })?;
    let running = std::env::current_exe().map_err(Error::failed("finding the running program"))?;
    let found = on_path().filter(|found| same(found, &running));
    // What PATH finds may be a link that stays where it is while versions come and go.
    let path = found.clone().unwrap_or(running).display().to_string();
    let program = if found.is_some() && !absolute { "ken".to_owned() } else { path.clone() };
    Ok(Places::new(project, home, program, path, |name| std::env::var(name).ok()))
}

/// The `ken` that a shell would start.
pub fn on_path() -> Option<PathBuf> {
    found_on_path(&format!("ken{}", std::env::consts::EXE_SUFFIX))
}

/// The file that a shell would start by that name.
pub fn found_on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Whether two paths are one file.
pub fn same(one: &Path, other: &Path) -> bool {
    match (std::fs::canonicalize(one), std::fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        (Ok(_) | Err(_), _) => false,
    }
}

/// The word for a scope.
pub fn word(scope: Scope) -> &'static str {
    match scope {
        Scope::Project => "project",
        Scope::Global => "global",
    }
}
