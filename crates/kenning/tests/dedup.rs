//! What is one lesson in two wordings and what only looks like it, with the bundled model, on the pairs of `evals/dedup` (IN-6).

use crate::verbs::Verbs as _;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use ken_core::decide::Authority;
use ken_core::{Millis, ReplicaId};
use ken_embed::Model;
use ken_engine::intake::Intake;
use ken_engine::memory::MemoryRepository;
use ken_engine::ops::add::{AddInput, add};
use ken_engine::{Calibration, Embedder, ModelCard, Result, Writer};

use kenning::foreign::ImportInput;
use kenning::{BulkOptions, BulkReport, OnAbsent, Options, Reach, SetUp};
use serde_json::{Value, json};

/// The least share of pairs that are the same and found to be: a little under what was measured.
const FOUND_MIN: f64 = 0.6;

/// A pair of statements, each with what is recorded beside it.
struct Pair {
    sides: [AddInput; 2],
    same: bool,
}

fn pairs() -> Vec<Pair> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evals/dedup/pairs.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    let read = |line: &str| {
        let pair: Value = serde_json::from_str(line).unwrap();
        let side = |at: usize| {
            let beside =
                |name: &str| pair.get(name).map(|both| both[at].clone()).filter(|one| !one.is_null());
            let mut content = json!({"statement": pair[["a", "b"][at]], "verification": ["look"]});
            content["anchors"] = beside("anchors").unwrap_or_else(|| json!(["src/lib.rs"]));
            if let Some(polarity) = beside("polarity") {
                content["polarity"] = polarity;
            }
            lesson(content)
        };
        Pair { sides: [side(0), side(1)], same: pair["same"] == true }
    };
    text.lines().map(read).collect()
}

fn lesson(content: Value) -> AddInput {
    let content = content.as_object().unwrap().clone();
    AddInput {
        kind: Some("lesson".into()),
        content,
        evidence: vec!["pr:1".into()],
        on_absent: OnAbsent::Gap,
        ..AddInput::default()
    }
}

/// The bundled model, which takes the meaning of a text once.
struct Once {
    model: Model,
    card: ModelCard,
    known: Mutex<HashMap<String, Vec<f32>>>,
}

impl Embedder for Once {
    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut known = self.known.lock().unwrap();
        let take = |text: &&str| {
            let made = || self.model.embed(text).to_vec();
            known.entry((*text).to_owned()).or_insert_with(made).clone()
        };
        Ok(texts.iter().map(take).collect())
    }
}

#[test]
fn no_pair_that_differs_is_merged_and_most_that_are_one_are() {
    let card = ModelCard {
        name: "bundled".into(),
        dimensions: ken_embed::DIMENSIONS,
        calibration: Calibration::MINILM,
    };
    let model = Once { model: Model::bundled().unwrap(), card, known: Mutex::default() };
    let writer = Writer {
        actor: "agent:test".into(),
        now: Millis(1_772_366_400_000),
        authority: Authority::attended("human:Ada", false),
    };
    let intake = Intake { embedder: Some(&model), ..Intake::default() };
    let (mut found, mut found_extracted, mut same, mut apart) = (0_u32, 0, 0, 0);
    let mut merged = Vec::new();
    for pair in pairs() {
        for extracted in [false, true] {
            let mut ledger = ken_log_memory::ledger(ReplicaId([1; 6])).unwrap();
            ledger.vectors().use_model(model.card()).unwrap();
            let mut add = |side: &AddInput, extracted: bool| {
                let side = AddInput { extracted, ..side.clone() };
                let added = add(&mut ledger, &MemoryRepository::default(), side, &intake, &writer);
                ledger.embed(&model, usize::MAX, &mut |_, _| Ok(true)).unwrap();
                added
            };
            let [one, other] = &pair.sides;
            add(one, false).unwrap();
            let outcome = add(other, extracted).map_or("refused", |answer| answer.outcome.word());
            // The same words at two places are one entry by IN-6, step 1, which says that it keeps its own places.
            let same_words = one.content["statement"] == other.content["statement"]
                && one.content["anchors"] != other.content["anchors"];
            match (pair.same, extracted) {
                (true, false) => (same, found) = (same + 1, found + u32::from(outcome == "reinforced")),
                (true, true) => found_extracted += u32::from(outcome == "reinforced"),
                (false, _) if same_words => assert_eq!(outcome, "reinforced"),
                (false, _) => {
                    apart += 1;
                    if outcome == "reinforced" {
                        merged.push(format!("{} | {}", one.content["statement"], other.content["statement"]));
                    }
                }
            }
        }
    }
    println!("the same: {same}, found at write {found}, when extracted {found_extracted}");
    println!("different: {apart} tries, merged {}", merged.len());
    assert!(merged.is_empty(), "{}", merged.join("\n"));
    assert!(f64::from(found) >= FOUND_MIN * f64::from(same), "{found} of {same}");
    assert!(
        found_extracted >= found,
        "{found_extracted} of {same}, and {found} where it is compared more strictly"
    );
}

/// A store in a scratch folder.
struct Scratch {
    ken: RefCell<Reach>,
    _folder: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::at(folder.path());
        kenning::init_with(&options, SetUp::default()).unwrap();
        Scratch {
            ken: RefCell::new(kenning::open_for(options, kenning::caller("agent:test")).unwrap()),
            _folder: folder,
        }
    }

    /// Adds many lessons at once.
    fn bulk(&self, statements: &[(&str, &str)]) -> BulkReport {
        let lines: Vec<String> = statements
            .iter()
            .map(|(id, statement)| {
                json!({"id": id, "statement": statement, "anchors": ["src/lib.rs"], "verification": ["look"]})
                    .to_string()
            })
            .collect();
        let options = BulkOptions { base: lesson(json!({})), ..BulkOptions::default() };
        let report =
            self.ken.borrow_mut().add_lines(lines.join("\n").as_bytes(), &options, &mut |_| true).unwrap();
        assert_eq!(report.progress.added, statements.len());
        report
    }

    fn similar(&self, id: &str) -> Vec<String> {
        let view = self.ken.borrow_mut().show(id).unwrap();
        view.similar_to.iter().map(|similar| similar.id.clone()).collect()
    }
}

const ONE: [(&str, &str); 4] = [
    ("jitter", "Use exponential backoff with jitter for retries."),
    ("timeout", "Set the timeout to 30 seconds."),
    ("backoff", "For retries, use exponential backoff with jitter."),
    ("longer", "Set the timeout to 60 seconds."),
];

#[test]
fn a_few_at_once_are_compared_at_once() {
    let scratch = Scratch::new();
    let report = scratch.bulk(&ONE);
    // Whoever adds them is told, as of a single one.
    let [one, other, ..] = &report.remarks[..] else { panic!("{report:?}") };
    let mut told = [one, other];
    told.sort();
    assert!(told[0].starts_with("line 3: L-") && told[0].contains(" may say the same as L-"), "{told:?}");
    assert!(told[1].starts_with("line 4: L-") && told[1].contains(" may contradict L-"), "{told:?}");
    assert_eq!(scratch.similar("backoff"), ["jitter"]);
    // Two values of one setting are not the same: one may contradict the other (COR-27).
    assert_eq!(scratch.similar("longer"), ["timeout"]);
    for id in ["jitter", "timeout"] {
        assert!(scratch.similar(id).is_empty(), "{id}");
    }
}

#[test]
fn many_are_compared_when_their_vectors_are_made() {
    let scratch = Scratch::new();
    let names: Vec<(String, String)> = (0..40)
        .map(|at| (format!("n{at}"), format!("Shard {at} of the archive is kept in room {}.", at * 7)))
        .collect();
    let mut many: Vec<(&str, &str)> = names.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
    // One at each end: their vectors are made in different batches.
    many.insert(0, ONE[0]);
    many.push(ONE[2]);
    let report = scratch.bulk(&many);
    assert!(scratch.similar("backoff").is_empty(), "nobody has looked yet");
    assert!(report.remarks.iter().any(|line| line.starts_with("42 new entries are compared")), "{report:?}");
    let report = scratch.ken.borrow_mut().embed(&mut |_| true).unwrap();
    assert_eq!((report.made, report.backlog, report.proposed), (42, 0, 1));
    assert_eq!(scratch.similar("backoff"), ["jitter"]);
    let again = scratch.ken.borrow_mut().embed(&mut |_| true).unwrap();
    assert_eq!((again.made, again.proposed), (0, 0));
    // What was added with a look of its own has nothing to wait for, and undo means the adding.
    scratch.ken.borrow_mut().undo(None).unwrap();
    assert_eq!(scratch.ken.borrow_mut().show("backoff").unwrap().status.word(), "retracted");
}

// A bulk add of what was undone said "reinforced 2", and the list stayed empty.
#[test]
fn a_bulk_add_after_undo_brings_the_same_entries_back() {
    let scratch = Scratch::new();
    let two = [ONE[0], ONE[1]];
    scratch.bulk(&two);
    let mut ken = scratch.ken.borrow_mut();
    ken.undo(None).unwrap();
    let line = |(id, statement): (&str, &str)| {
        json!({"id": id, "statement": statement, "anchors": ["src/lib.rs"], "verification": ["look"]})
            .to_string()
    };
    let options = BulkOptions { base: lesson(json!({})), ..BulkOptions::default() };
    let again = two.map(line).join("\n");
    let report = ken.add_lines(again.as_bytes(), &options, &mut |_| true).unwrap();
    assert_eq!((report.progress.restored, report.progress.reinforced), (2, 0), "{report:?}");
    assert_eq!(ken.list(&kenning::Query::default()).unwrap().total, 2);
    // What was retracted for a reason stays away, and each line says so.
    ken.retract(ONE[0].0, "it is wrong").unwrap();
    let report = ken.add_lines(again.as_bytes(), &options, &mut |_| true).unwrap();
    assert_eq!((report.progress.restored, report.progress.unchanged), (0, 2), "{report:?}");
    assert!(report.remarks.iter().any(|line| line.contains("it is retracted")), "{report:?}");
}

// An import said nothing of what contradicts the entries that were here, or repeats them.
#[test]
fn an_import_tells_what_may_contradict_an_entry() {
    let scratch = Scratch::new();
    let file = scratch._folder.path().join("CLAUDE.md");
    let import = |rules: &str| {
        std::fs::write(&file, rules).unwrap();
        let input = ImportInput { format: "agents-md".into(), path: file.clone(), ..ImportInput::default() };
        scratch.ken.borrow_mut().import(&input, &mut |_| true).unwrap()
    };
    let tabs = "Use tabs for indentation in all Go files.";
    assert_eq!(import(&format!("# Rules\n\n- {tabs}\n")).notes, []);
    let report = import(&format!("# Rules\n\n- {tabs}\n- Never use tabs for indentation in Go files.\n"));
    let told = report.notes.iter().find(|note| note.note.contains(" may contradict ")).unwrap();
    assert!(told.path == "CLAUDE.md" && told.note.contains("Use tabs for indentation"), "{report:?}");
}

// Another agent said a draft again with evidence, a place, a step and a tag: all but the evidence was dropped, and nobody said so.
#[test]
fn a_repeat_completes_a_draft_and_says_what_it_did_not_take() {
    let scratch = Scratch::new();
    let mut ken = scratch.ken.borrow_mut();
    let says = "Retries need jitter.";
    let draft = AddInput { evidence: Vec::new(), draft: true, ..lesson(json!({"statement": says})) };
    let id = ken.add(draft).unwrap().id;
    let whole = |step: &str, tag: &str| {
        lesson(json!({"statement": says, "anchors": ["src/lib.rs"], "verification": [step], "tags": [tag]}))
    };
    let again = ken.add(whole("run the tests", "net")).unwrap();
    assert_eq!((again.outcome.word(), &again.id), ("reinforced", &id));
    let told = again.reasons.join("; ");
    assert!(told.contains("your anchors, verification, tags were added to it"), "{told}");
    let view = ken.show(&id).unwrap();
    let stored = kenning::ops::find(ken.ledger.projection(), &id).unwrap().entry;
    assert!(stored.gaps().is_empty(), "{:?}", stored.gaps());
    assert_eq!(stored.fields.anchors[0].at, "src/lib.rs");
    assert_eq!(stored.fields.verification, ["run the tests"]);
    assert_eq!(view.provenance.len(), 1);
    // What it has now is its own.
    let other = ken.add(whole("look twice", "retry")).unwrap().reasons.join("; ");
    assert!(other.contains("it did not take your verification, tags; change it with `ken edit`"), "{other}");
    assert_eq!(
        kenning::ops::find(ken.ledger.projection(), &id).unwrap().entry.fields.verification,
        ["run the tests"]
    );
    let same = ken.add(whole("run the tests", "net")).unwrap();
    assert!(same.is_unchanged && !same.reasons.join("; ").contains("take"), "{:?}", same.reasons);
}
