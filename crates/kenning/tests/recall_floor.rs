//! What is found in the fixture of `evals/recall` must not get worse unnoticed. `cargo xtask eval recall` has the numbers beside others.

use crate::verbs::Verbs as _;
use std::path::Path;

use kenning::evaluate::{self, Collection, Measures, Way};
use kenning::{Options, SetUp};

/// The least recall at 10 of a way: over all questions, then by kind.
struct Floor {
    way: Way,
    /// One of so many questions is asked: meanings take time.
    every: usize,
    all: f64,
    kinds: [f64; 5],
    /// The least share of unanswerable questions that are answered `empty`.
    empty_right: f64,
    /// The greatest share of answerable ones that are.
    empty_wrong: f64,
}

/// Kinds of questions that have an answer.
const KINDS: [&str; 5] = ["code", "error", "names", "negation", "paraphrase"];

/// A little under what was measured when the floors were last moved.
const FLOORS: [Floor; 4] = [
    Floor {
        way: Way::Lexical,
        every: 3,
        all: 0.75,
        kinds: [0.88, 0.95, 0.97, 0.97, 0.12],
        empty_right: 0.0,
        empty_wrong: 0.02,
    },
    Floor {
        way: Way::Semantic,
        every: 4,
        all: 0.86,
        kinds: [0.95, 0.95, 0.87, 0.87, 0.57],
        empty_right: 0.12,
        empty_wrong: 0.05,
    },
    Floor {
        way: Way::Hybrid,
        every: 2,
        all: 0.895,
        kinds: [0.95, 0.965, 0.98, 0.98, 0.64],
        empty_right: 0.12,
        empty_wrong: 0.04,
    },
    // The same entries as hybrid in another order: a few questions show that it is so.
    Floor {
        way: Way::Composite,
        every: 20,
        all: 0.9,
        kinds: [0.9, 0.9, 0.95, 0.95, 0.6],
        empty_right: 0.12,
        empty_wrong: 0.05,
    },
];

#[test]
fn recall_of_the_fixture_stays_above_its_floors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evals/recall");
    let collection =
        evaluate::read_pairs(&folder.join("entries.jsonl"), &folder.join("queries.jsonl")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let options = Options::at(scratch.path());
    kenning::init_with(&options, SetUp::default()).unwrap();
    let settings = "[index_page]\nwrite = false\n[search]\nexposures = false\n";
    std::fs::write(scratch.path().join(".kenning/config.toml"), settings).unwrap();
    let mut ken = kenning::open_for(options, kenning::caller("agent:test")).unwrap();
    let filled = evaluate::fill(&mut ken, &collection).unwrap();
    ken.embed(&mut |_| true).unwrap();

    let mut missed = Vec::new();
    for floor in &FLOORS {
        let mut asked = Collection { name: collection.name.clone(), ..Collection::default() };
        asked.questions = collection.questions.iter().step_by(floor.every).cloned().collect();
        let (each, fallback) = evaluate::ask(&mut ken, &asked, &filled, floor.way, &mut || true).unwrap();
        assert_eq!(fallback, None, "meaning took part");
        let outcome = evaluate::outcome(floor.way, each, fallback);
        let word = floor.way.word();
        let mut hold = |what: &str, measured: f64, least: f64| {
            println!("{word:<10} {what:<24} {measured:.3} (floor {least:.3})");
            if measured < least {
                missed.push(format!("{word}: {what} is {measured:.3}, its floor {least:.3}"));
            }
        };
        let recall = |measures: Option<&Measures>| measures.map_or(0.0, |measures| measures.recall_10);
        hold("R@10", recall(Some(&outcome.all)), floor.all);
        for (kind, least) in KINDS.iter().zip(floor.kinds) {
            hold(&format!("R@10 of {kind}"), recall(outcome.by_category.get(*kind)), least);
        }
        hold("empty, rightly", outcome.all.empty_right, floor.empty_right);
        hold("not empty, rightly", 1.0 - outcome.all.empty_wrong, 1.0 - floor.empty_wrong);
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
