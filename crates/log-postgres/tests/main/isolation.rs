//! What a node can do in the database, and what it sees of other workspaces: nothing.

use ken_core::Millis;
use ken_core::event::Line;
use ken_engine::{RecordKind, Result};
use ken_log_postgres::{Address, AuditRecord, PostgresLog, audit_lines};
use ken_testkit::conformance::{added, key, purged};
use postgres::error::SqlState;
use postgres::{Client, NoTls};

use crate::or_skip;
use crate::world::Place;

/// Text that would do something if it were ever read as SQL.
const HOSTILE: &str = "'); DROP TABLE kenning.events; --\u{1}$$ \\' \" ; SET ROLE postgres; %s $1";

/// A connection as a node's, within a transaction of a workspace, or of none.
fn as_node(place: &Place, workspace: &str) -> Client {
    let mut client = Client::connect(&place.address, NoTls).unwrap();
    client.batch_execute("SET ROLE kenning_node; BEGIN").unwrap();
    client.execute("SELECT set_config('kenning.workspace', $1, true)", &[&workspace]).unwrap();
    client
}

fn id_of(place: &Place) -> String {
    let mut client = Client::connect(&place.address, NoTls).unwrap();
    let found = client.query_one("SELECT kenning.workspace_of($1)::text", &[&place.name]).unwrap();
    found.get(0)
}

/// Why a statement is not carried out.
fn refused(client: &mut Client, sql: &str) -> SqlState {
    client.batch_execute("SAVEPOINT before").unwrap();
    let error = client.batch_execute(sql).err().unwrap_or_else(|| panic!("it was done: {sql}"));
    client.batch_execute("ROLLBACK TO before").unwrap();
    error.code().unwrap_or_else(|| panic!("{error}")).clone()
}

#[test]
fn a_workspace_sees_nothing_of_another_one() {
    let (one, two) = (or_skip!(Place::shared()), or_skip!(Place::shared()));
    let said = one.log().say(&[added("Ours alone.")]);
    one.node().state().write(&RecordKind::Overrides.named("norm"), b"ours").unwrap();
    let other = two.log();
    assert_eq!(other.told(), []);
    assert_eq!(other.log().event(&said[0].hash).unwrap(), None);
    assert_eq!(two.node().state().names(RecordKind::Overrides).unwrap(), []);
    // And whoever speaks to the database as a node of that one.
    let tables = ["heads", "batches", "events", "purges", "records"];
    let mut client = as_node(&one, &id_of(&two));
    for table in tables {
        let sql =
            format!("SELECT count(*) FROM kenning.{table} WHERE workspace <> kenning.current_workspace()");
        assert_eq!(client.query_one(&sql, &[]).unwrap().get::<_, i64>(0), 0, "{table}");
    }
    let theirs = id_of(&one);
    for sql in [
        format!("INSERT INTO kenning.records VALUES ({theirs}, 'x', '', now())"),
        format!("INSERT INTO kenning.batches VALUES ({theirs}, 9, NULL, NULL, 0)"),
        format!(
            "INSERT INTO kenning.audit (workspace, door, verb, outcome) VALUES ({theirs}, 'api', 'add', 'done')"
        ),
    ] {
        assert_eq!(refused(&mut client, &sql), SqlState::INSUFFICIENT_PRIVILEGE, "{sql}");
    }
    let moved = format!("UPDATE kenning.heads SET position = 0 WHERE workspace = {theirs}");
    assert_eq!(client.execute(&moved, &[]).unwrap(), 0);
    let erased = client.query_one("SELECT kenning.erase($1, '')", &[&&said[0].hash.0[..]]);
    assert_eq!(erased.unwrap_err().code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE));
}

#[test]
fn who_names_no_workspace_sees_no_rows() {
    let place = or_skip!(Place::shared());
    place.log().say(&[added("One.")]);
    for workspace in ["", "0", "-1"] {
        let mut client = as_node(&place, workspace);
        for table in ["heads", "batches", "events", "purges", "records"] {
            let count = client.query_one(&format!("SELECT count(*) FROM kenning.{table}"), &[]).unwrap();
            assert_eq!(count.get::<_, i64>(0), 0, "{table} {workspace:?}");
        }
    }
    let mut client = as_node(&place, "no number");
    assert!(client.query("SELECT * FROM kenning.events", &[]).is_err());
}

#[test]
fn a_node_may_add_events_and_change_none() {
    let place = or_skip!(Place::shared());
    let said = place.log().say(&[added("One."), added("Two.")]);
    let mut client = as_node(&place, &id_of(&place));
    for sql in [
        "UPDATE kenning.events SET line = ''",
        "DELETE FROM kenning.events",
        "TRUNCATE kenning.events CASCADE",
        "UPDATE kenning.batches SET replica = NULL",
        "DELETE FROM kenning.purges",
        "UPDATE kenning.heads SET erasures = 7",
        "DELETE FROM kenning.heads",
        "INSERT INTO kenning.migrations VALUES (99)",
        "ALTER TABLE kenning.events DISABLE ROW LEVEL SECURITY",
        "CREATE TABLE kenning.mine (x int)",
        "SELECT * FROM kenning.workspaces",
        "SELECT * FROM kenning.audit",
        "UPDATE kenning.audit SET outcome = 'done'",
        "DELETE FROM kenning.audit",
    ] {
        assert_eq!(refused(&mut client, sql), SqlState::INSUFFICIENT_PRIVILEGE, "{sql}");
    }
    // What no purge names is not erased, whoever asks; and what is left has no room for words.
    let erase = |hash: &str, stub: &str| format!("SELECT kenning.erase('\\x{hash}', '{stub}')");
    let hash = said[0].hash.to_string();
    let stub = said[0].stub().line();
    assert_eq!(refused(&mut client, &erase(&hash, &stub)), SqlState::INSUFFICIENT_PRIVILEGE);
    place.log().say(&[purged("One.", &said[..1])]);
    for forged in
        [stub.replace("true", "false"), stub.replace('}', ",\"text\":\"x\"}"), said[1].line().to_owned()]
    {
        assert_eq!(
            refused(&mut client, &erase(&hash, &forged.replace('\'', "''"))),
            SqlState::INSUFFICIENT_PRIVILEGE
        );
    }
    client.batch_execute(&(erase(&hash, &stub) + "; COMMIT")).unwrap();
    assert!(matches!(place.log().log().event(&said[0].hash).unwrap(), Some(Line::Stub(_))));
}

#[test]
fn sql_in_any_text_is_only_text() {
    let place = or_skip!(Place::shared());
    let log = place.log();
    log.say(&[added(HOSTILE)]);
    assert_ne!(log.version(key(HOSTILE)), Default::default());
    assert_eq!(place.log().hashes().len(), 1);
    let state = place.node().state();
    for kind in [RecordKind::Overrides, RecordKind::JudgeSpent, RecordKind::Brief] {
        state.write(&kind.named(HOSTILE), HOSTILE.as_bytes()).unwrap();
        assert_eq!(state.read(&kind.named(HOSTILE)).unwrap().as_deref(), Some(HOSTILE.as_bytes()));
        assert!(state.try_lock(&kind.named(HOSTILE)).unwrap().is_some());
    }
    let open = |name: &str| -> Result<_> { PostgresLog::open(Address::parse(&place.address)?, name) };
    for name in [HOSTILE, "", "nobody's", "%"] {
        let refused = open(name).err().unwrap().to_string();
        assert!(refused.contains("there is no workspace"), "{refused}");
        let address = Address::parse(&place.address).unwrap();
        let replica = ken_log_postgres::new_replica().unwrap();
        assert!(ken_log_postgres::create_workspace(address, name, replica).is_err(), "{name}");
    }
    assert_eq!(log.hashes().len(), 1);
}

#[test]
fn a_record_of_the_audit_log_is_kept_as_it_was_said_and_for_its_workspace_alone() {
    let (one, two) = (or_skip!(Place::shared()), or_skip!(Place::shared()));
    let record = AuditRecord {
        who: Some(HOSTILE.replace('\u{1}', "")),
        token: Some("ci".to_owned()),
        door: "api".to_owned(),
        verb: "add".to_owned(),
        entry: Some("L-1a2b3c".to_owned()),
        outcome: "done".to_owned(),
        address: Some("2001:db8::1".parse().unwrap()),
    };
    one.node().audit(&record).unwrap();
    one.node().audit(&AuditRecord { outcome: "forbidden".to_owned(), ..AuditRecord::default() }).unwrap();
    let read = |place: &Place, behind: i64| {
        let address = Address::parse(&place.address).unwrap();
        audit_lines(address, &place.name, behind, Millis(0), 10).unwrap()
    };
    let told = read(&one, 0);
    assert_eq!(told.len(), 2);
    assert_eq!(told[0].record, record);
    assert_eq!(told[1].record.address, None);
    assert_eq!(read(&one, told[0].number), told[1..]);
    assert_eq!(read(&two, 0), []);
}
