//! What whoever owns the database does: bring its tables to this version, and make workspaces.

use std::sync::Arc;

use ken_core::{Clock, Code, Millis, Refusal, ReplicaId};
use ken_engine::{Error, Result};
use postgres::{Client, Row};

use crate::address::Address;
use crate::database::{Database, failure};
use crate::limits::{SERVER_MIN, WORKSPACE_NAME_BYTES_MAX};

/// Every change of the tables there ever was, in order. One that was released is never edited.
const MIGRATIONS: &[(&str, &str)] = &[
    ("log, heads and small state", include_str!("../sql/migrations/0001_log.sql")),
    ("audit log", include_str!("../sql/migrations/0002_audit.sql")),
];

/// Brings the tables to this version, and says what was done; or, in a dry run, what would be. Nodes may go on meanwhile. Doing it twice is doing
/// it once.
pub fn migrate(address: Address, dry_run: bool) -> Result<Vec<String>> {
    let doing = "migrating the database";
    let failed = |error| failure(doing, error);
    let mut client = Database::new(address)?.connect().map_err(failed)?;
    let server: String =
        client.query_one("SHOW server_version_num", &[]).and_then(|row| row.try_get(0)).map_err(failed)?;
    if server.parse::<i32>().is_ok_and(|server| server < SERVER_MIN) {
        let message = format!("the server is PostgreSQL {server}; 16 or newer is needed");
        return Err(Refusal::new(Code::NotAllowed, message).into());
    }
    let applied = version(&mut client)?.unwrap_or(0);
    refuse_newer(applied)?;
    let missing: Vec<(usize, &str, &str)> =
        (1..).zip(MIGRATIONS).map(|(n, (name, sql))| (n, *name, *sql)).collect();
    let missing: Vec<_> = missing.into_iter().filter(|(number, ..)| *number > applied).collect();
    if !dry_run {
        for (number, _, sql) in &missing {
            let mut all = client.transaction().map_err(failed)?;
            // Two who migrate at once take turns; the second finds it done.
            all.batch_execute("SELECT pg_advisory_xact_lock(hashtext('kenning.migrations'))")
                .map_err(failed)?;
            all.batch_execute(include_str!("../sql/prepare.sql")).map_err(failed)?;
            let number = i32::try_from(*number).unwrap_or(i32::MAX);
            let insert = "INSERT INTO kenning.migrations (version) VALUES ($1) ON CONFLICT DO NOTHING";
            if all.execute(insert, &[&number]).map_err(failed)? > 0 {
                all.batch_execute(sql).map_err(failed)?;
            }
            all.commit().map_err(failed)?;
        }
    }
    Ok(missing.into_iter().map(|(number, name, _)| format!("{number}: {name}")).collect())
}

/// Creates a workspace that writes under a name of its own, and says whether it was not there.
pub fn create_workspace(address: Address, name: &str, replica: ReplicaId) -> Result<bool> {
    let is_plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_.".contains(letter);
    if name.is_empty() || name.len() > WORKSPACE_NAME_BYTES_MAX || !name.chars().all(is_plain) {
        let message = format!("{name:?} is not the name of a workspace");
        return Err(Refusal::new(Code::Invalid, message)
            .hint("use small letters, digits, `-`, `_` and `.`")
            .into());
    }
    let mut client =
        Database::new(address)?.connect().map_err(|error| failure("creating a workspace", error))?;
    check_version(&mut client)?;
    let made = client.execute(
        include_str!("../sql/create_workspace.sql"),
        &[&name, &&replica.0[..], &Clock::ZERO.packed()],
    );
    made.map(|count| count > 0).map_err(|error| failure("creating a workspace", error))
}

/// A workspace as whoever owns the database sees it.
#[derive(Clone, Debug)]
pub struct WorkspaceLine {
    pub name: String,
    pub created: Millis,
    /// Batches of its log.
    pub batches: i64,
    /// How long their lines were together.
    pub bytes: i64,
}

/// Every workspace of a database, by name.
pub fn workspaces(address: Address) -> Result<Vec<WorkspaceLine>> {
    let failed = |error| failure("listing workspaces", error);
    let mut client = Database::new(address)?.connect().map_err(failed)?;
    check_version(&mut client)?;
    let rows = client.query(include_str!("../sql/workspaces.sql"), &[]).map_err(failed)?;
    let line = |row: &Row| {
        Ok(WorkspaceLine {
            name: row.try_get(0)?,
            created: Millis(row.try_get(1)?),
            batches: row.try_get(2)?,
            bytes: row.try_get(3)?,
        })
    };
    rows.iter().map(line).collect::<std::result::Result<_, _>>().map_err(failed)
}

/// A name that no other log has.
pub fn new_replica() -> Result<ReplicaId> {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).map_err(|error| Error::failed("choosing a replica id")(error.to_string()))?;
    Ok(ReplicaId(bytes))
}

/// Refuses a database whose tables are not those of this version.
pub(crate) fn check_version(client: &mut Client) -> Result<()> {
    let applied = version(client)?.unwrap_or(0);
    refuse_newer(applied)?;
    if applied == MIGRATIONS.len() {
        return Ok(());
    }
    let message = format!(
        "the database has version {applied} of the tables, and this `ken` needs {}",
        MIGRATIONS.len()
    );
    Err(Refusal::new(Code::NotAllowed, message)
        .hint("run `ken admin migrate` as the owner of the database")
        .into())
}

fn refuse_newer(applied: usize) -> Result<()> {
    if applied <= MIGRATIONS.len() {
        return Ok(());
    }
    let message = format!("the database has version {applied} of the tables, made by a newer `ken`");
    Err(Refusal::new(Code::NotAllowed, message).hint("install that version").into())
}

/// The version of the tables; none where there are none.
fn version(client: &mut Client) -> Result<Option<usize>> {
    let failed = |error| failure("reading the version of the database", error);
    let is_there =
        client.query_one("SELECT to_regclass('kenning.migrations') IS NOT NULL", &[]).map_err(failed)?;
    if !is_there.get::<_, bool>(0) {
        return Ok(None);
    }
    // A node may read this as itself.
    let latest: Option<i32> = client
        .query_one("SELECT max(version) FROM kenning.migrations", &[])
        .and_then(|row| row.try_get(0))
        .map_err(failed)?;
    Ok(latest.and_then(|latest| usize::try_from(latest).ok()))
}

/// The log of a workspace, for all calls of this process.
pub(crate) fn database(address: Address) -> Result<Arc<Database>> {
    Database::new(address).map(Arc::new)
}
