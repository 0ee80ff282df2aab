//! The states of signals, and ties that show at both ends (COR-14).

use ken_core::decide::Change;
use ken_engine::intake::Intake;
use ken_engine::memory::MemoryRepository;
use ken_engine::ops::change::{self, Citing};
use ken_engine::ops::{find, signals};
use ken_engine::view;
use serde_json::json;

use crate::told::Told;

/// Moves a signal, or says why it cannot be.
fn moves(told: &mut Told, id: &str, state: &str) -> String {
    told.writer.now.0 += 1000;
    let set = [("lifecycle_state".to_owned(), json!(state))].into_iter().collect();
    let change = Change { set, ..Change::default() };
    let (ledger, writer) = (&mut told.ledger, &told.writer);
    let done = change::revise(
        ledger,
        &MemoryRepository::default(),
        id,
        change,
        Citing::default(),
        &Intake::default(),
        writer,
    );
    match done {
        Ok(_) => {
            let stored = find(told.ledger.projection(), id).unwrap();
            let view = view::view(told.ledger.projection(), &stored, told.writer.now).unwrap();
            view.state.map_or("none", |state| state.as_str()).to_owned()
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_signal_goes_from_state_to_state_and_never_past_one() {
    let mut told = Told::of(
        "signal slow: The importer is slow on Mondays. | tags ci cache
        lesson jitter: Retry network calls with jitter.",
    );
    assert!(moves(&mut told, "slow", "remediated").contains("is detected and cannot become remediated"));
    for state in ["triaged", "blocked", "remediated", "verified", "detected", "detected", "invalidated"] {
        assert_eq!(moves(&mut told, "slow", state), state);
    }
    assert!(moves(&mut told, "slow", "detected").contains("cannot become detected"));
    assert!(moves(&mut told, "slow", "mended").contains("unknown state"));
    assert!(moves(&mut told, "jitter", "triaged").contains("is not a signal"));
}

#[test]
fn what_was_none_weighs_nothing_and_the_others_say_how_far_they_are() {
    let mut told = Told::of(
        "signal slow: The importer is slow on Mondays. | tags ci cache | severity 9.5
        signal cold: The importer begins with a cold cache. | tags ci cache | severity 9.5
        signal late: The importer is late when the cache is full. | tags ci cache | severity 9.5",
    );
    moves(&mut told, "slow", "triaged");
    moves(&mut told, "cold", "invalidated");
    let answer = signals::signals(told.ledger.projection(), None).unwrap();
    let line = |line: &signals::SignalLine| format!("{} {}", line.id, line.state.as_str());
    let told: Vec<String> = answer.clusters[0].signals.iter().map(line).collect();
    assert_eq!((answer.signals, told), (2, vec!["late detected".to_owned(), "slow triaged".to_owned()]));
}

#[test]
fn a_tie_is_shown_from_both_ends() {
    let told = Told::of(
        "lesson jitter: Retry network calls with jitter.
        lesson plain: Never retry network calls.
        jitter contradicts plain",
    );
    let shown = |id: &str| {
        let stored = find(told.ledger.projection(), id).unwrap();
        let view = view::view(told.ledger.projection(), &stored, told.writer.now).unwrap();
        let line = |link: &view::LinkView| format!("{} {}", link.relation.word(), link.to);
        let lines = |links: &[view::LinkView]| links.iter().map(line).collect::<Vec<_>>().join(", ");
        (lines(&view.links), lines(&view.linked_from))
    };
    assert_eq!(shown("jitter"), ("contradicts plain".to_owned(), String::new()));
    assert_eq!(shown("plain"), (String::new(), "contradicts jitter".to_owned()));
}

#[test]
fn what_was_restored_is_superseded_no_longer() {
    let mut told = Told::of(
        "lesson one: Retry network calls with jitter.
        lesson two: Retry network calls with full jitter and a cap.",
    );
    told.writer.now.0 += 1000;
    change::supersede(&mut told.ledger, "one", "two", "better".to_owned(), &told.writer).unwrap();
    let ties = |told: &Told| {
        let stored = find(told.ledger.projection(), "two").unwrap();
        view::view(told.ledger.projection(), &stored, told.writer.now).unwrap().links.len()
    };
    assert_eq!(ties(&told), 1);
    told.writer.now.0 += 1000;
    let answer = change::restore(&mut told.ledger, "one", "it was right".to_owned(), &told.writer).unwrap();
    assert_eq!(answer.reasons, ["restored to candidate", "two no longer supersedes it"]);
    assert_eq!(ties(&told), 0);
}
