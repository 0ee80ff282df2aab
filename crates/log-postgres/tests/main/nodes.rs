//! Several nodes on one workspace: nothing that was acknowledged is lost or doubled, and all of them come to the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ken_core::event::Line;
use ken_core::{EventHash, Intent};
use ken_engine::{AppendError, ReadSet};
use ken_log_postgres::{Address, migrate};
use ken_testkit::conformance::{Log, OTHER, added, archived, exposed, key, linked, purged, tagged};
use ken_testkit::{Dice, PostgresServer};

use crate::or_skip;
use crate::world::Place;

/// What must hold of a workspace whatever happened to it.
fn examine(place: &Place, nodes: &[Log], acknowledged: &[EventHash]) {
    let hashes = nodes[0].hashes();
    let distinct: BTreeSet<&EventHash> = hashes.iter().collect();
    assert_eq!(distinct.len(), hashes.len(), "nothing is there twice");
    let lost: Vec<&EventHash> = acknowledged.iter().filter(|hash| !distinct.contains(hash)).collect();
    assert!(lost.is_empty(), "{} of {} acknowledged events are lost", lost.len(), acknowledged.len());
    let told = nodes[0].told();
    let positions: Vec<u64> = told.iter().map(|batch| batch.end.at).collect();
    assert_eq!(positions, (1..=told.len() as u64).collect::<Vec<_>>(), "positions have no gaps");
    let own = nodes[0].replica();
    let numbers: Vec<u64> = told
        .iter()
        .flat_map(|batch| &batch.lines)
        .filter_map(|line| match line {
            Line::Event(event) => (event.replica == own).then_some(event.seq),
            Line::Stub(stub) => (stub.replica == own).then_some(stub.seq),
        })
        .collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "nor have running numbers");
    let rows = place.log().rows();
    for node in nodes {
        assert_eq!(node.rows(), rows, "a node is what a new one makes of the log");
    }
}

#[test]
fn a_server_that_is_killed_in_the_middle_loses_and_doubles_nothing() {
    let server = or_skip!(PostgresServer::start());
    let address = server.address();
    migrate(Address::parse(&address).unwrap(), false).unwrap();
    let place = Place::on(&address);
    let nodes = [place.log(), place.log()];
    let (acknowledged, appended) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for (number, node) in nodes.iter().enumerate() {
            for writer in 0..3 {
                let (acknowledged, appended) = (&acknowledged, &appended);
                scope.spawn(move || {
                    for turn in 0..60 {
                        let intents =
                            [added(&format!("Node {number}, writer {writer}, turn {turn}.")), exposed("x")];
                        // What fails was not promised.
                        if let Ok(events) = node.appends(&ReadSet::default(), &intents, 1) {
                            acknowledged.lock().unwrap().extend(events.iter().map(|event| event.hash));
                        }
                        appended.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        }
        for after in [40, 120, 200] {
            while appended.load(Ordering::Relaxed) < after {
                std::thread::yield_now();
            }
            server.kill();
            server.start_again();
        }
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    assert_eq!(acknowledged.len(), 720, "whoever waits for a server that comes back is served");
    examine(&place, &nodes, &acknowledged);
    assert_eq!(nodes[0].hashes().len(), acknowledged.len(), "and nothing else was written");
}

/// One thing that a node does, on a ground that it may have read before another one moved.
fn act(node: &Log, dice: &mut Dice, acknowledged: &Mutex<Vec<EventHash>>) {
    let statement = |dice: &mut Dice| format!("Statement {}.", dice.below(5));
    let one = statement(dice);
    let intents: Vec<Intent> = match dice.below(6) {
        0 | 1 => vec![added(&one)],
        2 => vec![tagged(&one, &format!("t{}", dice.below(4))), exposed(&one)],
        3 => vec![linked(&one, &statement(dice))],
        4 => vec![archived(&one)],
        _ => {
            let theirs = Log::of(OTHER).say_at(1, &[added(&one), tagged(&one, "theirs")]);
            node.receive(&theirs);
            return;
        }
    };
    let read = if dice.flip() { node.reads_entry(key(&one)) } else { ReadSet::default() };
    match node.appends(&read, &intents, 1 + dice.below(9) as i64) {
        Ok(events) => acknowledged.lock().unwrap().extend(events.iter().map(|event| event.hash)),
        Err(AppendError::Conflict(_)) if !read.is_empty() => {}
        Err(error) => panic!("{error:?}"),
    }
    if dice.below(8) == 0 {
        let own = node.replica();
        let said: Vec<_> = node
            .told()
            .into_iter()
            .flat_map(|batch| batch.lines)
            .filter_map(|line| match line {
                Line::Event(event) if event.entry == Some(key(&one)) && event.type_name != "entry.purged" => {
                    Some(*event)
                }
                _ => None,
            })
            .filter(|event| event.replica == own)
            .collect();
        if !said.is_empty() {
            let purge = node.say(&[purged(&one, &said)]);
            acknowledged.lock().unwrap().extend(purge.iter().map(|event| event.hash));
            node.log().erase(&said.iter().map(|event| event.hash).collect::<Vec<_>>()).unwrap();
        }
    }
}

#[test]
fn nodes_that_do_anything_at_once_come_to_the_same() {
    let schedules =
        std::env::var("KEN_SCHEDULES").ok().and_then(|count| count.parse().ok()).unwrap_or(300_u64);
    for seed in 0..schedules {
        let place = or_skip!(Place::shared());
        let nodes = [place.log(), place.log()];
        let acknowledged = Mutex::new(Vec::new());
        let failed = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4_u64)
                .map(|thread| {
                    let (node, acknowledged) = (&nodes[thread as usize % 2], &acknowledged);
                    let mut dice = Dice::new(seed * 31 + thread);
                    scope.spawn(move || (0..4).for_each(|_| act(node, &mut dice, acknowledged)))
                })
                .collect();
            threads.into_iter().any(|thread| thread.join().is_err())
        });
        assert!(!failed, "seed {seed}");
        examine(&place, &nodes, &acknowledged.into_inner().unwrap());
    }
}

#[test]
fn a_purge_at_one_node_counts_at_the_other_and_takes_the_bytes_from_both() {
    let place = or_skip!(Place::shared());
    let nodes = [place.log(), place.log()];
    let said = nodes[0].say(&[added("Hollyhock."), added("Two.")]);
    assert_eq!(nodes[1].version(key("Hollyhock.")), nodes[0].version(key("Hollyhock.")));
    nodes[1].say(&[purged("Hollyhock.", &said[..1])]);
    nodes[1].log().erase(&[said[0].hash]).unwrap();
    for node in &nodes {
        let rows = node.rows().join("\n");
        assert!(!rows.contains("Hollyhock") && rows.contains("Two."), "{rows}");
        assert!(matches!(node.log().event(&said[0].hash).unwrap(), Some(Line::Stub(_))));
    }
    examine(&place, &nodes, &[]);
}

/// What is measured, and not judged: run by hand, with the disk's own time beside it.
#[test]
#[ignore = "it measures"]
fn grouped_appends_per_second() {
    let server = or_skip!(PostgresServer::start());
    migrate(Address::parse(&server.address()).unwrap(), false).unwrap();
    let mut told = BTreeMap::new();
    for writers in [1, 2, 4, 8, 16] {
        let place = Place::on(&server.address());
        let node = Place { is_apart: false, ..place }.log();
        let text = "x".repeat(760);
        let each = 1_200 / writers;
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for writer in 0..writers {
                let (node, text) = (&node, &text);
                scope.spawn(move || {
                    for turn in 0..each {
                        let said = node.say(&[tagged(&format!("{writer} {turn}"), text)]);
                        assert!(
                            turn > 0 || (900..1_200).contains(&said[0].line().len()),
                            "{}",
                            said[0].line().len()
                        );
                    }
                });
            }
        });
        told.insert(writers, f64::from(writers * each) / begun.elapsed().as_secs_f64());
    }
    println!(
        "appends of 1 kB per second, by writers: {told:.0?}; a sync takes {:?} µs",
        server.sync_micros()
    );
}

/// How long a new node takes to begin, by hand as well.
#[test]
#[ignore = "it measures"]
fn a_new_node_takes_in_ten_thousand_entries() {
    let server = or_skip!(PostgresServer::start());
    migrate(Address::parse(&server.address()).unwrap(), false).unwrap();
    let place = Place::on(&server.address());
    let node = place.log();
    let detail = "Retries of network calls wait for a random time, since clients that come back at once stall it again. ".repeat(7);
    for group in 0..100 {
        let intents: Vec<Intent> =
            (0..100).map(|number| added(&format!("Entry {number} of group {group}: {detail}"))).collect();
        node.say(&intents);
    }
    let begun = Instant::now();
    let _cold = place.node();
    println!(
        "a new node takes in 10,000 entries of {} bytes in {:.2} s",
        detail.len(),
        begun.elapsed().as_secs_f64()
    );
}
