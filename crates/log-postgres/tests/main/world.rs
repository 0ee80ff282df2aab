//! Workspaces to test on: each has a name of its own in a database that all tests share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};

use ken_core::ReplicaId;
use ken_engine::{Access, EventLog, Projection, Rows, Snapshot};
use ken_log_postgres::{Address, PostgresLog, create_workspace, migrate, new_replica};
use ken_testkit::conformance::{Handle, Log};
use ken_testkit::shared_postgres;

/// Ends a test where there is no server.
#[macro_export]
macro_rules! or_skip {
    ($there:expr) => {
        match $there {
            Some(there) => there,
            None => return,
        }
    };
}

/// A workspace under test.
#[derive(Clone)]
pub struct Place {
    pub address: String,
    pub name: String,
    /// Each handle is a node of its own, as on another machine.
    pub is_apart: bool,
}

impl Place {
    /// A new workspace on a server.
    pub fn on(address: &str) -> Place {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let replica = new_replica().unwrap();
        let name = format!("test-{replica}-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        assert!(create_workspace(Address::parse(address).unwrap(), &name, replica).unwrap());
        Place { address: address.to_owned(), name, is_apart: true }
    }

    /// A new workspace on the server that all tests share.
    pub fn shared() -> Option<Place> {
        static MIGRATED: Once = Once::new();
        let address = shared_postgres()?;
        MIGRATED.call_once(|| drop(migrate(Address::parse(address).unwrap(), false).unwrap()));
        Some(Place::on(address))
    }

    /// A node.
    pub fn node(&self) -> Arc<PostgresLog> {
        PostgresLog::open(Address::parse(&self.address).unwrap(), &self.name).unwrap()
    }

    pub fn log(&self) -> Log {
        Log::new(Node(self.node(), self.clone()))
    }
}

struct Node(Arc<PostgresLog>, Place);

impl Handle for Node {
    fn log(&self) -> &dyn EventLog {
        &*self.0
    }

    fn another(&self) -> Log {
        let Node(log, place) = self;
        Log::new(Node(if place.is_apart { place.node() } else { log.clone() }, place.clone()))
    }

    fn read(&self, read: &mut dyn FnMut(&dyn Projection)) {
        read(self.0.snapshot(Access::Read).unwrap().projection());
    }

    fn rows(&self) -> Vec<String> {
        self.0.snapshot(Access::Read).unwrap().dump(Rows::OfEvents).unwrap()
    }

    fn replica(&self) -> ReplicaId {
        self.0.replica().unwrap()
    }
}
