//! Bringing the tables of a database to this version.

use ken_log_postgres::{Address, PostgresLog, create_workspace, migrate, new_replica};
use ken_testkit::{PostgresServer, shared_postgres};
use postgres::{Client, NoTls};

use crate::or_skip;
use crate::world::Place;

/// An empty database on the server that all tests share.
fn empty(name: &str) -> Option<String> {
    let address = shared_postgres()?;
    let mut client = Client::connect(address, NoTls).unwrap();
    client.batch_execute(&format!("DROP DATABASE IF EXISTS {name}; ")).unwrap();
    client.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
    let mut config: postgres::Config = address.parse().unwrap();
    config.dbname(name);
    let host = match &config.get_hosts()[0] {
        postgres::config::Host::Tcp(host) => host.clone(),
        postgres::config::Host::Unix(path) => path.display().to_string(),
    };
    let password = config.get_password().map(|text| format!(" password={}", String::from_utf8_lossy(text)));
    let port = config.get_ports().first().map(|port| format!(" port={port}"));
    let user = config.get_user().unwrap();
    Some(format!(
        "host={host} user={user} dbname={name}{}{}",
        password.unwrap_or_default(),
        port.unwrap_or_default()
    ))
}

#[test]
fn a_migration_is_shown_done_once_and_needed() {
    let address = or_skip!(empty("kenning_migrations"));
    let address = || Address::parse(&address).unwrap();
    let refused = || PostgresLog::open(address(), "main").err().unwrap();
    assert!(refused().hint().unwrap().contains("ken admin migrate"));
    let planned = migrate(address(), true).unwrap();
    assert_eq!(planned, ["1: log, heads and small state", "2: audit log"]);
    assert!(refused().hint().unwrap().contains("ken admin migrate"), "a dry run does nothing");
    assert_eq!(migrate(address(), false).unwrap(), planned);
    assert!(migrate(address(), false).unwrap().is_empty());
    assert!(refused().to_string().contains("there is no workspace"));
    assert!(create_workspace(address(), "main", new_replica().unwrap()).unwrap());
    assert!(!create_workspace(address(), "main", new_replica().unwrap()).unwrap(), "twice is once");
    PostgresLog::open(address(), "main").unwrap();
}

#[test]
fn tables_of_a_newer_version_are_left_alone() {
    let text = or_skip!(empty("kenning_newer"));
    let address = || Address::parse(&text).unwrap();
    migrate(address(), false).unwrap();
    create_workspace(address(), "main", new_replica().unwrap()).unwrap();
    let mut client = Client::connect(&text, NoTls).unwrap();
    client.batch_execute("INSERT INTO kenning.migrations VALUES (99)").unwrap();
    for refused in [migrate(address(), false).err(), PostgresLog::open(address(), "main").err()] {
        assert!(refused.unwrap().to_string().contains("made by a newer `ken`"));
    }
}

#[test]
fn a_copy_of_a_database_goes_on_under_another_name() {
    let server = or_skip!(PostgresServer::start());
    migrate(Address::parse(&server.address()).unwrap(), false).unwrap();
    let place = Place::on(&server.address());
    let node = place.log();
    let first = node.say(&[ken_testkit::conformance::added("One.")]);
    // As a restored dump has it: what was written later, and under which numbers, is not known there.
    let mut client = Client::connect(&place.address, NoTls).unwrap();
    client.batch_execute("UPDATE kenning.heads SET lineage = 'elsewhere/00000001'").unwrap();
    let second = node.say(&[ken_testkit::conformance::tagged("One.", "a")]);
    assert_ne!(first[0].replica, second[0].replica);
    assert_eq!(second[0].seq, 1);
    // What the first name said is still this workspace's own: the second may purge it.
    node.say(&[ken_testkit::conformance::purged("One.", &first)]);
    node.log().erase(&[first[0].hash]).unwrap();
    assert_eq!(node.rows(), place.log().rows());
}
