//! The audit log: who did what through the servers of a workspace, and what was denied (COR-31). Nodes add to it, and only the owner of the
//! database reads it.

use std::net::IpAddr;

use ken_core::{Code, Millis, Refusal};
use ken_engine::Result;
use postgres::Row;
use postgres::types::Type;

use crate::PostgresLog;
use crate::address::Address;
use crate::admin::check_version;
use crate::database::{Database, Trouble, failure, until_connected};
use crate::head::{HEAD, Head};

/// What is written down about one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditRecord {
    /// Who is credited; none where nobody is known.
    pub who: Option<String>,
    /// The name of the token that it came with.
    pub token: Option<String>,
    /// `api`, `mcp` or `page`.
    pub door: String,
    pub verb: String,
    /// The entry it was about, where it was about one.
    pub entry: Option<String>,
    /// `done`, or why not.
    pub outcome: String,
    /// The other end of the connection: a proxy, where one stands before the node.
    pub address: Option<IpAddr>,
}

/// A record as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLine {
    /// Grows from one record to the next; some numbers are never used.
    pub number: i64,
    pub at: Millis,
    pub record: AuditRecord,
}

impl PostgresLog {
    /// Writes down a call. It does not wait for the disk: a server that loses power may lose the records of its last second, and no event.
    pub fn audit(&self, record: &AuditRecord) -> Result<()> {
        let AuditRecord { who, token, door, verb, entry, outcome, address } = record;
        until_connected("writing the audit log", || {
            let (mut transaction, _) = self.workspace.begin("SET LOCAL synchronous_commit = off")?;
            let written = transaction.client.execute_typed(
                include_str!("../sql/audit_write.sql"),
                &[
                    (who, Type::TEXT),
                    (token, Type::TEXT),
                    (door, Type::TEXT),
                    (verb, Type::TEXT),
                    (entry, Type::TEXT),
                    (outcome, Type::TEXT),
                    (address, Type::INET),
                ],
            );
            written.map_err(Trouble::from)?;
            transaction.commit()
        })
    }

    /// How many batches the log has, and how many of them this node has taken in. Fails at once where the database does not answer.
    pub fn progress(&self) -> Result<(i64, i64)> {
        let known = self.known.0.load(std::sync::atomic::Ordering::Acquire);
        let head = self.workspace.ask_once("looking where the log ends", HEAD)?;
        Ok((Head::read(&head)?.position, known.max(0)))
    }
}

/// Records of a workspace behind a number and from a time on, the oldest first; for the owner of the database.
pub fn audit_lines(
    address: Address,
    workspace: &str,
    behind: i64,
    since: Millis,
    limit: i64,
) -> Result<Vec<AuditLine>> {
    let failed = |error| failure("reading the audit log", error);
    let mut client = Database::new(address)?.connect().map_err(failed)?;
    check_version(&mut client)?;
    let is_there: bool = client
        .query_one("SELECT kenning.workspace_of($1) IS NOT NULL", &[&workspace])
        .and_then(|row| row.try_get(0))
        .map_err(failed)?;
    if !is_there {
        let message = format!("there is no workspace {workspace:?} in this database");
        return Err(Refusal::new(Code::NotFound, message)
            .hint("`ken admin workspace list` lists them")
            .into());
    }
    let since = since.0 as f64;
    let rows = client
        .query(include_str!("../sql/audit_read.sql"), &[&workspace, &behind, &since, &limit])
        .map_err(failed)?;
    rows.iter().map(line).collect::<std::result::Result<_, _>>().map_err(failed)
}

fn line(row: &Row) -> std::result::Result<AuditLine, postgres::Error> {
    let address: Option<String> = row.try_get(8)?;
    Ok(AuditLine {
        number: row.try_get(0)?,
        at: Millis(row.try_get(1)?),
        record: AuditRecord {
            who: row.try_get(2)?,
            token: row.try_get(3)?,
            door: row.try_get(4)?,
            verb: row.try_get(5)?,
            entry: row.try_get(6)?,
            outcome: row.try_get(7)?,
            address: address.and_then(|text| text.parse().ok()),
        },
    })
}
