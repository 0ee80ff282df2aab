//! `admin`: what whoever owns a PostgreSQL database of workspaces does with it.

use std::path::Path;

use kenning::Result;
use kenning::core::{Code, Millis, Refusal};
use kenning::postgres::{
    Address, AuditLine, AuditRecord, Created, audit_lines, create_workspace, migrate, workspaces,
};
use serde_json::json;

use super::local::{AdminAudit, AdminMigrate, AdminWorkspace};
use super::{Session, Shown};
use crate::args::{AdminAuditArgs, AdminMigrateArgs, AdminWorkspaceArgs};
use crate::output::{count, exit, flat, println, table};

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
        let AdminWorkspaceArgs { action, name, from, postgres } = request;
        match (action.as_str(), name) {
            ("create", Some(name)) => create(session, &name, from.as_deref(), postgres.as_deref()),
            ("create", None) => Err(Refusal::new(Code::Invalid, "the new workspace has no name")
                .hint("ken admin workspace create NAME [--from DIR]")
                .field("name")
                .into()),
            (_, None) => list(session, postgres.as_deref()),
            (_, Some(name)) => Err(Refusal::new(Code::Invalid, format!("the list takes no name: {name:?}"))
                .hint("ken admin workspace list")
                .field("name")
                .into()),
        }
    }
}

fn create(session: &Session, name: &str, from: Option<&Path>, postgres: Option<&str>) -> Result<u8> {
    let Created { is_new, events } = create_workspace(Address::find(postgres)?, name, from)?;
    if session.output.json {
        println!("{:#}", json!({ "workspace": name, "created": is_new, "events": events }));
        return Ok(exit::OK);
    }
    match (is_new, from) {
        (true, None) => println!("Created {name}."),
        (true, Some(from)) => {
            println!("Created {name} with {} of {}.", count(events, "event", "events"), from.display())
        }
        (false, None) => println!("There is a workspace {name} already; nothing was changed."),
        (false, Some(from)) => {
            println!(
                "{name} was there already, and lacked {} of {}.",
                count(events, "event", "events"),
                from.display()
            )
        }
    }
    Ok(exit::OK)
}

fn list(session: &Session, postgres: Option<&str>) -> Result<u8> {
    let workspaces = workspaces(Address::find(postgres)?)?;
    if session.output.json {
        let items: Vec<_> = workspaces
            .iter()
            .map(|one| json!({ "workspace": one.name, "created": one.created.to_string(), "batches": one.batches, "bytes": one.bytes }))
            .collect();
        println!("{:#}", json!({ "items": items, "total": items.len() }));
        return Ok(exit::OK);
    }
    if workspaces.is_empty() {
        println!("There are no workspaces; `ken admin workspace create NAME` creates one.");
        return Ok(exit::OK);
    }
    let rows = workspaces.iter().map(|one| {
        (vec![one.name.clone(), one.batches.to_string(), one.bytes.to_string()], one.created.to_string())
    });
    table(&["workspace", "batches", "bytes", "created"], rows.collect(), 0);
    Ok(exit::OK)
}

impl Shown for AdminAudit {
    /// Prints JSON Lines with `--json`: what another program keeps.
    fn execute(session: &Session, request: AdminAuditArgs) -> Result<u8> {
        let AdminAuditArgs { workspace, since, cursor, limit, postgres } = request;
        let since = match &since {
            None => Millis(0),
            Some(text) => Millis::parse(text)
                .map_err(|problem| Refusal::new(Code::Invalid, format!("since: {problem}")).field("since"))?,
        };
        let [cursor, limit] = [cursor, limit].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        let lines = audit_lines(Address::find(postgres.as_deref())?, &workspace, cursor, since, limit)?;
        for AuditLine { number, at, record } in lines {
            let AuditRecord { who, token, door, verb, entry, outcome, address } = record;
            if session.output.json {
                let line = json!({
                    "number": number, "at": at.to_string(), "workspace": workspace, "who": who, "token": token, "door": door,
                    "verb": verb, "entry": entry, "outcome": outcome, "address": address,
                });
                println!("{line}");
                continue;
            }
            let text = |part: &Option<String>| part.as_deref().map_or_else(|| "-".to_owned(), flat);
            let address = address.map_or_else(|| "-".to_owned(), |address| address.to_string());
            let (who, entry) = (text(&who), text(&entry));
            println!("{number}  {at}  {who}  {door}  {verb}  {entry}  {outcome}  {address}");
        }
        Ok(exit::OK)
    }
}
