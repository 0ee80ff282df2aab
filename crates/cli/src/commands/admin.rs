//! `admin`: what whoever owns a PostgreSQL database of workspaces does with it.

use kenning::Result;
use kenning::postgres::{Address, create_workspace, migrate};
use serde_json::json;

use super::local::{AdminMigrate, AdminWorkspace};
use super::{Session, Shown};
use crate::args::{AdminMigrateArgs, AdminWorkspaceArgs, WorkspaceAction};
use crate::output::{exit, println};

impl Shown for AdminMigrate {
    fn execute(session: &Session, request: AdminMigrateArgs) -> Result<u8> {
        let done = migrate(Address::find(request.postgres.as_deref())?, request.dry_run)?;
        if session.output.json {
            println!("{:#}", json!({ "dry_run": request.dry_run, "migrations": done }));
            return Ok(exit::OK);
        }
        for name in &done {
            println!("{}{name}", if request.dry_run { "would apply " } else { "applied " });
        }
        if done.is_empty() {
            println!("Nothing to do: the database has this version.");
        }
        Ok(exit::OK)
    }
}

impl Shown for AdminWorkspace {
    fn execute(session: &Session, request: AdminWorkspaceArgs) -> Result<u8> {
        let WorkspaceAction::Create { name, from, postgres } = request.action;
        let created = create_workspace(Address::find(postgres.as_deref())?, &name, from.as_deref())?;
        if session.output.json {
            println!("{:#}", json!({ "workspace": name, "created": created.is_some(), "events": created }));
            return Ok(exit::OK);
        }
        match (created, from) {
            (None, _) => println!("There is a workspace {name} already; nothing was changed."),
            (Some(events), Some(from)) => {
                println!("Created {name} with {events} events of {}.", from.display())
            }
            (Some(_), None) => println!("Created {name}."),
        }
        Ok(exit::OK)
    }
}
