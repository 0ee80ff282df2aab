//! Stories of the engine's verbs on a ledger in memory.

#![allow(missing_docs, clippy::unwrap_used)]

mod brief;
mod dedup;
mod failing_reads;
mod governance;
mod guarded;
mod learning;
mod overlays;
mod recall;
mod redacted;
mod services;
mod signals;
mod surface;
mod told;

use expect_test::{Expect, expect};
use ken_core::decide::{Authority, Change, Outcome};
use ken_core::promotion::Policy;
use ken_core::{Millis, ReplicaId};
use ken_engine::intake::Intake;
use ken_engine::memory::MemoryRepository;
use ken_engine::ops::add::{AddInput, add, add_all};
use ken_engine::ops::change::Citing;
use ken_engine::ops::gate::Look;
use ken_engine::ops::{change, history, note, read};
use ken_engine::{Attendance, Ledger, Query, Writer};
use serde_json::{Value, json};

/// When the stories happen.
const NOW: Millis = Millis(1_700_000_000_000);

/// The gates as they look at a whole store.
fn look(policy: &Policy, now: Millis) -> Look<'_> {
    Look {
        policy,
        verify: &|_, _, _| false,
        changed: None,
        lines: &[],
        moved: &[],
        places: None,
        is_missing: &|_| false,
        unjudged: false,
        now,
    }
}

struct Story {
    ledger: Ledger,
    repository: MemoryRepository,
    writer: Writer,
}

impl Story {
    /// The id of the entry that a list begins with.
    fn first_id(&self) -> String {
        let listed = read::list(self.ledger.projection(), &Query::default(), crate::NOW).unwrap();
        listed.items[0].head.id.clone()
    }

    fn new() -> Story {
        Story {
            ledger: ken_log_memory::ledger(ReplicaId([1; 6])).unwrap(),
            repository: MemoryRepository {
                commits: vec!["abcdef0123".into()],
                paths: vec!["docs/a.md".into()],
                is_shallow: false,
            },
            writer: Writer {
                actor: "human:Ada".into(),
                now: NOW,
                authority: Authority::attended("human:Ada", false),
            },
        }
    }

    fn input(kind: &str, content: Value, evidence: &[&str]) -> AddInput {
        AddInput {
            kind: Some(kind.to_owned()),
            content: content.as_object().unwrap().clone(),
            evidence: evidence.iter().map(|text| (*text).to_owned()).collect(),
            ..AddInput::default()
        }
    }

    fn lesson(statement: &str, evidence: &[&str]) -> AddInput {
        Story::input(
            "lesson",
            json!({"statement": statement, "anchors": ["src/a.rs"], "verification": ["look"]}),
            evidence,
        )
    }

    fn add(&mut self, input: AddInput) -> String {
        match add(&mut self.ledger, &self.repository, input, &Intake::default(), &self.writer) {
            Ok(answer) => format!("{} {}: {}", answer.outcome, answer.id, answer.reasons.join("; ")),
            Err(error) => format!("refused: {error}"),
        }
    }
}

fn check(actual: &str, expected: Expect) {
    expected.assert_eq(actual);
}

// IN-6 step 1: the same claim makes no new entry; the existing one is cited.
#[test]
fn saying_the_same_twice_cites_the_entry_that_is_there() {
    let mut story = Story::new();
    let first = story.add(Story::lesson("Retry with jitter.", &["commit:abcdef0"]));
    check(&first, expect!["added lesson.7b9baa8856474b00: "]);
    let again = story.add(Story::lesson("retry  with jitter", &["commit:abcdef0"]));
    check(
        &again,
        expect![
            "reinforced lesson.7b9baa8856474b00: lesson.7b9baa8856474b00 already says this, with the same evidence; nothing was written"
        ],
    );
    let more = story.add(Story::lesson("Retry with jitter!", &["doc:docs/a.md"]));
    check(
        &more,
        expect![
            "reinforced lesson.7b9baa8856474b00: lesson.7b9baa8856474b00 already says this; 1 citation added to it"
        ],
    );
    assert_eq!(read::list(story.ledger.projection(), &Query::default(), crate::NOW).unwrap().total, 1);
}

// ENT-4, ENT-5: what is missing is named, all of it.
#[test]
fn an_entry_without_evidence_is_refused_and_told_how_to_pass() {
    let mut story = Story::new();
    let bare = story.add(Story::input("lesson", json!({"statement": "x y"}), &[]));
    check(
        &bare,
        expect![
            "refused: provenance required: a lesson needs evidence; it also needs an anchor in the code (--anchor) and a verification step (--verify)"
        ],
    );
    let missing = story.add(Story::lesson("a", &["doc:docs/none.md"]));
    check(
        &missing,
        expect![[
            r#"refused: evidence: doc "docs/none.md" is not in this repository; cite something that exists"#
        ]],
    );
    assert!(story.ledger.event_count().unwrap() == 0);
}

#[test]
fn a_commit_that_a_shallow_clone_does_not_have_is_cited_as_unverified() {
    let mut story = Story::new();
    story.repository.is_shallow = true;
    story.add(Story::lesson("a", &["commit:1234567"]));
    let entry = read::list(story.ledger.projection(), &Query::default(), crate::NOW).unwrap().items.remove(0);
    assert!(entry.unverified);
}

#[test]
fn a_draft_is_held_with_its_gaps() {
    let mut story = Story::new();
    let input = AddInput { draft: true, ..Story::input("lesson", json!({"statement": "x y"}), &[]) };
    let held = story.add(input);
    assert!(held.starts_with("held"), "{held}");
    let entry = read::list(story.ledger.projection(), &Query::default(), crate::NOW).unwrap().items.remove(0);
    assert_eq!(entry.gaps.len(), 3);
}

#[test]
fn a_batch_is_all_or_nothing_and_knows_itself() {
    let mut story = Story::new();
    let twice = vec![Story::lesson("one", &["pr:1"]), Story::lesson("One.", &["pr:2"])];
    let answers =
        add_all(&mut story.ledger, &story.repository, twice, &Intake::default(), &story.writer).unwrap();
    assert_eq!((answers[0].outcome, answers[1].outcome), (Outcome::Added, Outcome::Reinforced));
    let faulty = vec![Story::lesson("two", &["pr:1"]), Story::lesson("three", &[])];
    assert!(
        add_all(&mut story.ledger, &story.repository, faulty, &Intake::default(), &story.writer).is_err()
    );
    assert_eq!(read::list(story.ledger.projection(), &Query::default(), crate::NOW).unwrap().total, 1);
}

// ENT-6: decisions, spikes and norms change by supersession only, and nothing is lost on the way.
#[test]
fn a_spike_is_superseded_and_keeps_its_back_link() {
    let mut story = Story::new();
    let spike = json!({"hypothesis": "SQLite is fast enough", "outcome": "confirmed", "anchors": ["src/a.rs"], "verification": ["run"]});
    story.add(Story::input("spike", spike, &["pr:1"]));
    let id = story.first_id();
    let edit =
        Change { set: json!({"outcome": "rejected"}).as_object().unwrap().clone(), ..Change::default() };
    let refused = change::revise(
        &mut story.ledger,
        &story.repository,
        &id,
        edit,
        Citing::default(),
        &Intake::default(),
        &story.writer,
    )
    .unwrap_err();
    assert!(refused.to_string().contains("supersession"), "{refused}");
    let successor = Story::input(
        "spike",
        json!({"hypothesis": "SQLite is fast enough up to 1 GB", "outcome": "partial"}),
        &["pr:2"],
    );
    let successor = AddInput { kind: None, ..successor };
    change::supersede_by_new(
        &mut story.ledger,
        &story.repository,
        &id,
        successor,
        "measured again".into(),
        &Intake::default(),
        &story.writer,
    )
    .unwrap();
    let old = read::show(story.ledger.projection(), &id, NOW).unwrap();
    let new = read::show(story.ledger.projection(), old.superseded_by.as_deref().unwrap(), NOW).unwrap();
    assert_eq!((old.status.word(), new.links[0].to.as_str()), ("superseded", id.as_str()));
    change::restore(&mut story.ledger, &id, "no".into(), &story.writer).unwrap();
    assert_eq!(read::show(story.ledger.projection(), &id, NOW).unwrap().superseded_by, None);
}

#[test]
fn undo_takes_back_what_was_said_last() {
    let mut story = Story::new();
    story.add(Story::lesson("one", &["pr:1"]));
    let id = story.first_id();
    let tag = Change { tags_add: vec!["net".into()], ..Change::default() };
    change::revise(
        &mut story.ledger,
        &story.repository,
        &id,
        tag,
        Citing::default(),
        &Intake::default(),
        &story.writer,
    )
    .unwrap();
    change::undo(&mut story.ledger, &story.writer.actor, Attendance::Attended, &story.writer).unwrap();
    assert!(
        read::list(story.ledger.projection(), &Query::default(), crate::NOW).unwrap().items[0]
            .tags
            .is_empty()
    );
    let told: Vec<String> = history::log(story.ledger.projection(), &id)
        .unwrap()
        .into_iter()
        .map(|event| event.summary)
        .collect();
    check(
        &told.join("\n"),
        expect![[r#"
            added as a lesson, with 1 citation
            cited pr:1 by human:Ada, unverified
            added tags net
            removed tags net (undone)"#]],
    );
}

#[test]
fn the_same_friction_met_twice_is_two_records() {
    let mut story = Story::new();
    for second in 0..2 {
        story.writer.now = Millis(1_700_000_000_000 + second * 1000);
        note::friction(
            &mut story.ledger,
            &story.repository,
            "redo",
            json!({"file": "a"}),
            &Intake::default(),
            &story.writer,
        )
        .unwrap();
    }
    assert_eq!(read::list(story.ledger.projection(), &Query::default(), crate::NOW).unwrap().total, 2);
}

#[test]
fn why_says_what_an_entry_rests_on_and_what_nobody_looked_at() {
    let mut story = Story::new();
    story.repository.is_shallow = true;
    story.add(Story::lesson("one", &["commit:1234567"]));
    let key = story.ledger.events_holding("").unwrap()[0].entry.unwrap();
    let id = story.ledger.stored(key).unwrap().unwrap().id;
    let why = history::why(story.ledger.projection(), &id, None, NOW).unwrap();
    check(
        &why.because.join("\n"),
        expect![[r#"
            added by human:Ada on 2023-11-14
            evidence: commit:1234567, which was not found (unverified)
            it is a candidate: not used or confirmed yet
            the code it describes is unverifiable
            belief is the prior, 50 %: no use was recorded
            the scan (rules 4) found nothing
            admission 0.74: confidence 0.50, content_type 0.50, federation 1.00, observation_mass 0.39, provenance 0.70, recency 1.00, scanner 1.00
            checks not run when it was added: similarity"#]],
    );
}
