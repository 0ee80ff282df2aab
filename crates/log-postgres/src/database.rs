//! Connections, and transactions that see one workspace and may do what a node may do.

use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Instant;

use ken_core::{Code, Refusal};
use ken_engine::{Error, Failure, Result};
use postgres::error::SqlState;
use postgres::{Client, Config, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::Address;
use crate::admin;
use crate::limits::{
    CONNECT_WAIT, IDLE_CONNECTIONS_MAX, LOCK_WAIT_MILLIS, RECONNECT_PAUSE, RECONNECT_WAIT,
    UNACKNOWLEDGED_WAIT,
};
use crate::locked;

/// The connections of a node to one database.
pub(crate) struct Database {
    config: Config,
    tls: MakeRustlsConnect,
    idle: Mutex<Vec<Client>>,
}

/// One workspace of a database.
#[derive(Clone)]
pub(crate) struct Workspace {
    pub(crate) database: Arc<Database>,
    pub(crate) id: i64,
}

/// What ends a transaction.
pub(crate) enum Trouble {
    /// The connection broke: the same may work on another one.
    Lost(postgres::Error),
    /// The connection broke while the transaction was committed: nobody knows yet whether it was.
    Unclear(postgres::Error),
    Failed(Error),
}

impl Trouble {
    /// What a caller is told once nobody tries again.
    pub(crate) fn failure(self, doing: &str) -> Error {
        match self {
            Trouble::Failed(error) => error,
            Trouble::Lost(error) | Trouble::Unclear(error) => {
                let source = format!("the database does not answer: {}", with_causes(&error));
                Error::Busy(Failure { doing: doing.to_owned(), source: source.into() })
            }
        }
    }
}

impl From<postgres::Error> for Trouble {
    fn from(error: postgres::Error) -> Trouble {
        if is_lost(&error) {
            Trouble::Lost(error)
        } else {
            Trouble::Failed(failure("using PostgreSQL", error))
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        Trouble::Failed(error)
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Trouble {
        Trouble::Failed(ken_index::index_error(error))
    }
}

/// Whether the connection is gone, or the server is about to be: what was asked was not refused.
fn is_lost(error: &postgres::Error) -> bool {
    match error.code() {
        None => true,
        Some(code) => {
            let is_over = [
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
                SqlState::CANNOT_CONNECT_NOW,
                SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            ];
            is_over.contains(code) || code.code().starts_with("08")
        }
    }
}

/// A failure of the database with the variant that says what to do about it.
pub(crate) fn failure(doing: &str, error: postgres::Error) -> Error {
    let Some(code) = error.code() else { return Error::failed(doing)(with_causes(&error)) };
    let told = error.as_db_error().map_or_else(|| with_causes(&error), |told| told.message().to_owned());
    let is_refused = [
        SqlState::INSUFFICIENT_PRIVILEGE,
        SqlState::INVALID_PASSWORD,
        SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
    ];
    if is_refused.contains(code) {
        return Refusal::new(Code::NotAllowed, format!("{doing}: {told}"))
            .hint("check the user and password of the address; `ken admin` needs the owner of the database, a node a member of kenning_node")
            .into();
    }
    let variant: fn(Failure) -> Error = match code.clone() {
        SqlState::LOCK_NOT_AVAILABLE
        | SqlState::QUERY_CANCELED
        | SqlState::TOO_MANY_CONNECTIONS
        | SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::T_R_SERIALIZATION_FAILURE => Error::Busy,
        SqlState::DISK_FULL => Error::Full,
        SqlState::READ_ONLY_SQL_TRANSACTION => Error::Denied,
        _ => Error::Failed,
    };
    variant(Failure { doing: doing.to_owned(), source: told.into() })
}

/// What an error says, with what caused it: by itself it says no more than that connecting failed.
fn with_causes(error: &postgres::Error) -> String {
    let mut told = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let text = error.to_string();
        if !told.contains(&text) {
            told = format!("{told}: {text}");
        }
        cause = error.source();
    }
    told
}

impl Database {
    pub(crate) fn new(address: Address) -> Result<Database> {
        let Address(mut config) = address;
        config.application_name("ken").connect_timeout(CONNECT_WAIT).tcp_user_timeout(UNACKNOWLEDGED_WAIT);
        let (tls, _) = MakeRustlsConnect::with_native_certs().map_err(|errors| {
            let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
            Error::failed("reading the certificates that this machine trusts")(told.join("; "))
        })?;
        Ok(Database { config, tls, idle: Mutex::default() })
    }

    /// A new connection.
    pub(crate) fn connect(&self) -> std::result::Result<Client, postgres::Error> {
        self.config.connect(self.tls.clone())
    }

    /// Finds a workspace in a database of this program's version.
    pub(crate) fn workspace(self: Arc<Self>, name: &str) -> Result<Workspace> {
        let doing = "opening a workspace in PostgreSQL";
        let mut client = self.connect().map_err(|error| failure(doing, error))?;
        admin::check_version(&mut client)?;
        client.batch_execute("SET ROLE kenning_node").map_err(|error| failure(doing, error))?;
        let found = client.query_one("SELECT kenning.workspace_of($1)", &[&name]);
        let found: Option<i64> =
            found.and_then(|row| row.try_get(0)).map_err(|error| failure(doing, error))?;
        match found {
            Some(id) => Ok(Workspace { database: self, id }),
            None => {
                Err(Refusal::new(Code::NoStore, format!("there is no workspace {name:?} in this database"))
                    .hint("`ken admin workspace create NAME` creates one")
                    .into())
            }
        }
    }
}

/// A transaction that is under way. Dropped, it takes its connection with it: nothing of it stays.
pub(crate) struct Transaction {
    pub(crate) client: Client,
    database: Arc<Database>,
}

impl Workspace {
    /// What every transaction begins with: the rights of a node, and the one workspace whose rows there are. All of it ends with the transaction,
    /// so that a pooler may hand each transaction another connection.
    fn beginning(&self) -> String {
        format!(
            "BEGIN; SET LOCAL ROLE kenning_node; SET LOCAL kenning.workspace = '{}'; \
             SET LOCAL idle_in_transaction_session_timeout = {LOCK_WAIT_MILLIS}; SET LOCAL lock_timeout = {LOCK_WAIT_MILLIS};",
            self.id
        )
    }

    /// Begins a transaction, and runs a first query on the way, which gives at most one row.
    pub(crate) fn begin(
        &self,
        first: &str,
    ) -> std::result::Result<(Transaction, Vec<Option<String>>), Trouble> {
        loop {
            let idle = locked(&self.database.idle).pop();
            let was_idle = idle.is_some();
            let mut client = match idle {
                Some(client) => client,
                None => self.database.connect()?,
            };
            let begun = client.simple_query(&(self.beginning() + first));
            let messages = match begun {
                // It broke while nobody used it, and so did the others.
                Err(error) if was_idle && is_lost(&error) => continue,
                begun => begun?,
            };
            let row = messages.iter().find_map(|message| match message {
                SimpleQueryMessage::Row(row) => {
                    Some((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect())
                }
                _ => None,
            });
            let transaction = Transaction { client, database: self.database.clone() };
            return Ok((transaction, row.unwrap_or_default()));
        }
    }

    /// Does something in a transaction, again if the connection breaks: what is done twice must be as done once.
    pub(crate) fn patiently<T>(
        &self,
        doing: &str,
        mut work: impl FnMut(&mut Client) -> std::result::Result<T, Trouble>,
    ) -> Result<T> {
        until_connected(doing, || {
            let (mut transaction, _) = self.begin("")?;
            let done = work(&mut transaction.client)?;
            transaction.commit().map(|()| done)
        })
    }

    /// Asks one query that gives at most one row, in one round trip.
    pub(crate) fn ask(&self, doing: &str, query: &str) -> Result<Vec<Option<String>>> {
        let query = format!("{query}; COMMIT");
        until_connected(doing, || {
            let (transaction, row) = self.begin(&query)?;
            transaction.put_back();
            Ok(row)
        })
    }
}

impl Workspace {
    /// The same at once, for whoever wants to know whether the database answers now.
    pub(crate) fn ask_once(&self, doing: &str, query: &str) -> Result<Vec<Option<String>>> {
        let asked = self.begin(&format!("{query}; COMMIT"));
        let (transaction, row) = asked.map_err(|trouble| trouble.failure(doing))?;
        transaction.put_back();
        Ok(row)
    }
}

/// Does something again as long as the connection breaks, for as long as a server needs to come back.
pub(crate) fn until_connected<T>(
    doing: &str,
    mut attempt: impl FnMut() -> std::result::Result<T, Trouble>,
) -> Result<T> {
    let mut until = None;
    loop {
        match attempt() {
            Ok(done) => return Ok(done),
            Err(Trouble::Failed(error)) => return Err(error),
            Err(trouble) => {
                // What was lost after a long time is tried once more, too.
                let until = *until.get_or_insert_with(|| Instant::now() + RECONNECT_WAIT);
                if Instant::now() > until {
                    return Err(trouble.failure(doing));
                }
                sleep(RECONNECT_PAUSE);
            }
        }
    }
}

impl Transaction {
    /// Keeps what was written.
    pub(crate) fn commit(mut self) -> std::result::Result<(), Trouble> {
        match self.client.batch_execute("COMMIT") {
            Ok(()) => {
                self.put_back();
                Ok(())
            }
            Err(error) if is_lost(&error) => Err(Trouble::Unclear(error)),
            Err(error) => Err(error.into()),
        }
    }

    /// Leaves everything as it was.
    pub(crate) fn abandon(mut self) {
        if self.client.batch_execute("ROLLBACK").is_ok() {
            self.put_back();
        }
    }

    fn put_back(self) {
        let mut idle = locked(&self.database.idle);
        if idle.len() < IDLE_CONNECTIONS_MAX {
            idle.push(self.client);
        }
    }
}
