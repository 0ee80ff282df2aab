//! Small state as rows: the nodes of a workspace share it, but for what is known of one worktree's files.

use ken_core::Millis;
use ken_engine::state::{CloneState, Named, Record};
use ken_engine::{Error, MemoryState, RecordForm, RecordKind, RecordScope, Result};
use postgres::types::Type;

use crate::database::{Transaction, Trouble, Workspace, until_connected};

/// The records of a workspace.
pub(crate) struct RecordRows {
    workspace: Workspace,
    /// What is known of this node's worktree; and the locks that its own threads wait for.
    here: MemoryState,
}

impl RecordRows {
    pub(crate) fn new(workspace: Workspace) -> RecordRows {
        RecordRows { workspace, here: MemoryState::default() }
    }
}

/// The bytes that hexadecimal digits stand for.
fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let pairs =
        digits.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    pairs.collect()
}

fn is_here(kind: RecordKind) -> bool {
    kind.rules().scope == RecordScope::Worktree
}

impl CloneState for RecordRows {
    fn read(&self, record: &Record) -> Result<Option<Vec<u8>>> {
        if is_here(record.kind()) {
            return self.here.read(record);
        }
        // In one round trip, since every call reads some: what stands in the text of a query is digits.
        let path = record.path();
        let digits: String = path.bytes().map(|byte| format!("{byte:02x}")).collect();
        let query = include_str!("../sql/record_read.sql").replace("$1", &digits);
        let row = self.workspace.ask(&format!("reading {path}"), &query)?;
        let written = row.into_iter().next().flatten();
        written
            .map(|written| bytes_of(&written).ok_or_else(|| Error::failed("reading small state")("no bytes")))
            .transpose()
    }

    fn write(&self, record: &Record, bytes: &[u8]) -> Result<()> {
        if is_here(record.kind()) {
            return self.here.write(record, bytes);
        }
        if record.kind().rules().form != RecordForm::RollingList {
            record.check_size(bytes.len())?;
        }
        let path = record.path();
        self.workspace.patiently(&format!("writing {path}"), |client| {
            let given: [(&(dyn postgres::types::ToSql + Sync), Type); 2] =
                [(&path, Type::TEXT), (&bytes, Type::BYTEA)];
            Ok(client.execute_typed(include_str!("../sql/record_write.sql"), &given).map(drop)?)
        })
    }

    fn append(&self, record: &Record, line: &[u8]) -> Result<()> {
        if is_here(record.kind()) {
            return self.here.append(record, line);
        }
        let (path, rules) = (record.path(), record.kind().rules());
        let most = i64::try_from(rules.bytes_max).unwrap_or(i64::MAX);
        let rolls_at = (rules.form == RecordForm::RollingList)
            .then(|| i32::try_from(most.saturating_mul(2)).unwrap_or(i32::MAX));
        let line = [line, b"\n"].concat();
        if rolls_at.is_none() {
            record.check_size(line.len())?;
        }
        // A connection that breaks during the commit may leave a line behind that comes twice; none is lost.
        let written = self.workspace.patiently(&format!("writing {path}"), |client| {
            let written = client.execute_typed(
                include_str!("../sql/record_append.sql"),
                &[(&path, Type::TEXT), (&line, Type::BYTEA), (&most, Type::INT8), (&rolls_at, Type::INT4)],
            );
            Ok(written?)
        })?;
        match written {
            0 => record.check_size(self.read(record)?.map_or(0, |bytes| bytes.len()) + line.len()),
            _ => Ok(()),
        }
    }

    fn remove(&self, record: &Record) -> Result<bool> {
        if is_here(record.kind()) {
            return self.here.remove(record);
        }
        let path = record.path();
        self.workspace.patiently(&format!("removing {path}"), |client| {
            let removed =
                client.execute_typed("DELETE FROM kenning.records WHERE path = $1", &[(&path, Type::TEXT)]);
            Ok(removed? > 0)
        })
    }

    fn names(&self, kind: RecordKind) -> Result<Vec<Named>> {
        if is_here(kind) {
            return self.here.names(kind);
        }
        let pattern = kind.rules().pattern;
        let (start, end) = pattern.split_once('*').unwrap_or((pattern, ""));
        let rows = self.workspace.patiently("listing records", |client| {
            Ok(client.query_typed(include_str!("../sql/record_names.sql"), &[(&start, Type::TEXT)])?)
        })?;
        let named = rows.iter().filter_map(|row| {
            let name = row.get::<_, &str>(0).strip_prefix(start)?.strip_suffix(end)?;
            let is_its = pattern.contains('*') || name.is_empty();
            is_its.then(|| Named { name: name.to_owned(), written: Millis(row.get(1)) })
        });
        Ok(named.collect())
    }

    fn lock(&self, record: &Record) -> Result<Box<dyn Send>> {
        let mine = self.here.lock(record)?;
        if is_here(record.kind()) {
            return Ok(mine);
        }
        let (transaction, _) = self.held(record, "pg_advisory_xact_lock")?;
        Ok(Box::new(Held { transaction: Some(transaction), _mine: mine }))
    }

    fn try_lock(&self, record: &Record) -> Result<Option<Box<dyn Send>>> {
        let Some(mine) = self.here.try_lock(record)? else { return Ok(None) };
        if is_here(record.kind()) {
            return Ok(Some(mine));
        }
        let (transaction, is_held) = self.held(record, "pg_try_advisory_xact_lock")?;
        let held = Held { transaction: Some(transaction), _mine: mine };
        Ok(is_held.then(|| Box::new(held) as Box<dyn Send>))
    }
}

/// A lock among all nodes, and one among the threads of this one.
struct Held {
    transaction: Option<Transaction>,
    _mine: Box<dyn Send>,
}

impl Drop for Held {
    /// The transaction goes first: the next thread of this node must not find the lock held by its own node.
    fn drop(&mut self) {
        if let Some(transaction) = self.transaction.take() {
            transaction.abandon();
        }
    }
}

impl RecordRows {
    /// A transaction that holds a lock among all nodes, with whether it does. It ends with the connection, so no node that died holds one.
    fn held(&self, record: &Record, function: &str) -> Result<(Transaction, bool)> {
        let path = record.path();
        until_connected(&format!("waiting for the lock of {path}"), || {
            let (mut transaction, _) = self
                .workspace
                .begin("SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")?;
            let query = format!("SELECT {function}(hashtextextended($1, kenning.current_workspace()))::text");
            let row =
                transaction.client.query_typed_one(&query, &[(&path, Type::TEXT)]).map_err(Trouble::from)?;
            let is_held = row.try_get::<_, &str>(0)? != "false";
            Ok((transaction, is_held))
        })
    }
}
