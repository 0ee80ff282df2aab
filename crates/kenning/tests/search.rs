//! What is handed over from a project and its global store, and what becomes of answers that were no good.

use crate::verbs::Verbs as _;
use std::fs;

use kenning::core::Millis;
use kenning::ops::surface::{Policy, Role, SurfaceInput};
use kenning::{AddInput, Caller, Channel, OnAbsent, Options, Reach, SearchInput, SetUp};
use serde_json::{Map, Value, json};

use crate::git;

const NOW: i64 = 1_767_323_045_000;

/// A project with one file of code, and a global store.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        let desk = Desk { folder: tempfile::tempdir().unwrap() };
        let project = desk.project();
        fs::create_dir_all(project.join("src")).unwrap();
        fs::write(
            project.join("src/retry.rs"),
            "pub fn retry() -> u32 {\n    let times = 3;\n    times\n}\n",
        )
        .unwrap();
        git(&project, &["init", "-q", "-b", "main"]);
        git(&project, &["add", "-A"]);
        git(&project, &["commit", "-q", "-m", "begin"]);
        kenning::init_with(&desk.options(false), SetUp::default()).unwrap();
        kenning::init_with(&desk.options(true), SetUp::default()).unwrap();
        desk
    }

    fn project(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    fn options(&self, global: bool) -> Options {
        let global_folder = Some(self.folder.path().join("global"));
        Options { global, global_folder, no_model: true, ..Options::at(self.project()) }
    }

    fn open(&self, global: bool) -> Reach {
        let caller = Caller::new("human:Ada", Millis(NOW), Channel::Library);
        kenning::open_for(self.options(global), caller).unwrap()
    }
}

fn add(ken: &mut Reach, kind: &str, content: Value) -> String {
    let mut whole = json!({"anchors": ["src/retry.rs#retry"], "verification": ["look"]});
    let Value::Object(content) = content else { panic!("an object") };
    let fields: &mut Map<String, Value> = whole.as_object_mut().unwrap();
    fields.extend(content);
    let input = AddInput {
        kind: Some(kind.to_owned()),
        content: fields.clone(),
        evidence: vec!["pr:1".to_owned()],
        on_absent: OnAbsent::Gap,
        ..AddInput::default()
    };
    ken.add(input).unwrap().id
}

fn question(query: &str) -> SearchInput {
    SearchInput { query: query.to_owned(), steady: true, ..SearchInput::default() }
}

// A prompt was answered with nothing where ten drafts of harvest answered it as well as what somebody had reviewed.
#[test]
fn cor_26_drafts_that_nobody_reviewed_take_no_places_of_answers_to_a_prompt() {
    let desk = Desk::new();
    let caller = Caller::new("agent:codex", Millis(NOW), Channel::Library);
    let mut agent = kenning::open_for(desk.options(false), caller).unwrap();
    let things = [
        "pools", "sockets", "queues", "ports", "locks", "clocks", "caches", "pipes", "proxies", "streams",
        "timers", "threads",
    ];
    for (at, thing) in things.iter().enumerate() {
        let content =
            json!({"statement": format!("Retry with jitter when {thing} fail; retry with jitter again.")});
        let input = AddInput {
            kind: Some("lesson".to_owned()),
            content: content.as_object().unwrap().clone(),
            evidence: vec![format!("transcript:session-1#L{at}-L{}", at + 1)],
            extracted: true,
            on_absent: OnAbsent::Gap,
            ..AddInput::default()
        };
        agent.add(input).unwrap();
    }
    drop(agent);
    let mut ken = desk.open(false);
    let statement = json!({"statement": "The booking client waits with jitter before it asks again, and gives up after three tries."});
    let reviewed = add(&mut ken, "lesson", statement);
    let tokens = ken_engine::RuleOfThumb;
    let means = ken_engine::ops::search::Means {
        embedder: Err("no model here".to_owned()),
        tokens: &tokens,
        now: Millis(NOW),
        ground: None,
    };
    let found = |unasked_in: Option<Vec<String>>| {
        let input = SearchInput { limit: 10, plain: true, unasked_in, ..question("retry with jitter") };
        let answer = kenning::ops::search::search(ken.ledger.projection(), &input, &means).unwrap();
        answer.results.into_iter().map(|result| result.head.id).collect::<Vec<_>>()
    };
    assert!(found(None).len() == 10 && !found(None).contains(&reviewed), "who asks is told of drafts");
    for session in ["session-2", "session-1"] {
        assert_eq!(found(Some(vec![session.to_owned()])), [reviewed.as_str()], "{session}");
    }
}

// The keys differ by scope alone, so that the same statement was listed twice.
#[test]
fn what_the_project_and_the_global_store_both_state_is_shown_once() {
    let desk = Desk::new();
    let statement = json!({"statement": "Retry network calls with jitter."});
    let mut global = desk.open(true);
    add(&mut global, "lesson", json!({"statement": "Retry network calls with jitter", "scope": "global"}));
    let other =
        add(&mut global, "lesson", json!({"statement": "Retry network calls twice.", "scope": "global"}));
    drop(global);
    let mut ken = desk.open(false);
    let own = add(&mut ken, "lesson", statement);
    let answer =
        ken.search(&SearchInput { debug: true, ..question("retry network calls with jitter") }).unwrap();
    let shown: Vec<(&str, &str)> =
        answer.results.iter().map(|result| (result.id.as_str(), result.scope)).collect();
    assert_eq!(shown, [(own.as_str(), "project"), (other.as_str(), "global")]);
    let left_out = answer.left_out.unwrap();
    assert!(
        left_out.iter().any(|one| one.why == format!("the project has the same statement: {own}")),
        "{left_out:?}"
    );
}

// `--explain` multiplied the similarity of an answer of one store with the confidence of the other: 0.0483 = 0.9954 x 1.0000^4.
#[test]
fn the_similarity_of_each_answer_is_what_its_explanation_says() {
    let desk = Desk::new();
    let mut global = desk.open(true);
    add(&mut global, "lesson", json!({"statement": "Retry network calls with jitter.", "scope": "global"}));
    drop(global);
    let mut ken = desk.open(false);
    add(&mut ken, "lesson", json!({"statement": "The bank answers calls until noon."}));
    let input =
        SearchInput { similarity_min: Some(0.0), limit: 10, ..question("retry network calls with jitter") };
    let answer = ken.search(&input).unwrap();
    assert_eq!(answer.results.len(), 2, "one answer of each store");
    for result in &answer.results {
        let parts = &result.relevance;
        let product = parts.confidence * parts.of_best.powi(4);
        assert!((result.similarity - product).abs() < 0.001, "{} is not {parts:?}", result.similarity);
    }
    assert_ne!(answer.results[0].relevance.confidence, answer.results[1].relevance.confidence);
}

// Entries that an upstream agent cites, and dismissed ones, were said to be unverifiable without a look at their code.
#[test]
fn what_is_cited_from_upstream_or_dismissed_is_judged() {
    let desk = Desk::new();
    let mut ken = desk.open(false);
    let id = add(&mut ken, "lesson", json!({"statement": "Retry network calls with jitter."}));
    let verdicts = |ken: &mut Reach| {
        let input = SurfaceInput {
            upstream: Some(format!("We know {id} already.")),
            ..SurfaceInput::new(Role::Planner, "name the unit", Policy::Pull)
        };
        let upstream = ken.surface(&input).unwrap().upstream.concat();
        let dismissed = ken.applied(&[], &[(id.clone(), "not needed".to_owned())]).unwrap().text;
        [upstream, dismissed]
            .map(|text| ["fresh", "drifted", "unverifiable"].into_iter().find(|word| text.contains(word)))
    };
    assert_eq!(verdicts(&mut ken), [Some("fresh"); 2]);
    let changed = "pub fn retry() -> u32 {\n    let attempts = random();\n    attempts + backoff()\n}\n";
    fs::write(desk.project().join("src/retry.rs"), changed).unwrap();
    let mut ken = desk.open(false);
    assert_eq!(verdicts(&mut ken), [Some("drifted"); 2]);
}

// Each weak answer counted as an access, so that no entry was ever swept for its errors.
#[test]
fn upk_2_a_weak_answer_is_a_prediction_error_and_no_access() {
    let desk = Desk::new();
    let mut ken = desk.open(false);
    let poor = add(&mut ken, "lesson", json!({"statement": "Retry network calls with jitter."}));
    let close = json!({"statement": "Close the connection pool before the runtime stops.", "anchors": ["src/pool.rs"]});
    let good = add(&mut ken, "lesson", close);
    for _ in 0..5 {
        for word in ["retry", "connection"] {
            let answer = ken.search(&question(&format!("{word} zebra walrus"))).unwrap();
            assert!(answer.results[0].similarity < 0.38, "{}", answer.results[0].similarity);
        }
    }
    for _ in 0..3 {
        let answer = ken.search(&question("close the connection pool before the runtime stops")).unwrap();
        assert!(answer.results[0].similarity >= 0.38);
    }
    let delivered = ken.ledger.delivered().unwrap();
    assert_eq!(delivered, ken_engine::upkeep::slowly::delivered(ken.ledger.projection()).unwrap());
    let mut times: Vec<usize> = delivered.iter().map(|(_, delivered)| delivered.times).collect();
    times.sort_unstable();
    assert_eq!(times, [0, 3]);
    let errors = [&poor, &good].map(|id| ken.show(id).unwrap().prediction_errors);
    assert_eq!(errors, [5, 5], "the sweep takes the one that has no access");
}
