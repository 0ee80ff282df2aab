//! One table of steps through every door: the library, the command line, MCP over pipes and over HTTP, the HTTP API (DOO-1, invariant 15).

use crate::verbs::Verbs as _;
use std::collections::BTreeMap;
use std::path::Path;

use kenning::core::Millis;
use kenning::core::decide::Change;
use kenning::core::run::{Agent, RunKind, RunOutcome};
use kenning::ops::queue::Verdict;
use kenning::{AddInput, Error, FinishInput, Options, Query, Reach, Result, ReviewSubject};
use kenning::{Caller, Channel, SearchInput, Which};
use serde_json::{Map, Value, json};

use super::client::{Called, Client, NEWEST, Site};
use crate::grammar;
use crate::rest::Api;
use crate::world::World;

const ACTOR: &str = "agent:tester";

/// What was named earlier: `{jitter}` stands for its id.
type Names = BTreeMap<&'static str, String>;

/// One step, in the words of each door.
struct Step {
    /// What its answer is called afterwards.
    keeps: Option<&'static str>,
    library: fn(&mut Reach, &Names) -> Result<Value>,
    shell: &'static [&'static str],
    tool: &'static str,
    arguments: fn() -> Value,
    /// Where the tool's answer lies in its value, and how much of the others' it has.
    shape: Shape,
}

/// How the answer of a tool relates to that of the verb.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// It is the same.
    Same,
    /// It is the field `metadata`.
    Metadata,
    /// Its results have addresses, too.
    Addressed,
    /// It leaves fields out; those it has are the same.
    Lean,
}

const fn step(
    library: fn(&mut Reach, &Names) -> Result<Value>,
    shell: &'static [&'static str],
    tool: &'static str,
    arguments: fn() -> Value,
) -> Step {
    Step { keeps: None, library, shell, tool, arguments, shape: Shape::Same }
}

const fn named(name: &'static str, step: Step) -> Step {
    Step { keeps: Some(name), ..step }
}

const fn shaped(shape: Shape, step: Step) -> Step {
    Step { shape, ..step }
}

const JITTER: &str = "Retry network calls with jitter, or all clients come back at once.";
const CONSTANT: &str = "Compare session tokens in constant time because == leaks the prefix by timing.";
const BACKOFF: &str = "Retries back off for at most thirty seconds, then the caller is told.";

fn value<T: serde::Serialize>(answer: &T) -> Result<Value> {
    Ok(serde_json::to_value(answer).unwrap())
}

fn lesson(statement: &str, evidence: &str) -> AddInput {
    let content = json!({"statement": statement, "anchors": ["src/net.rs"], "verification": ["look"]});
    let Value::Object(content) = content else { unreachable!("it is written as one") };
    AddInput {
        kind: Some("lesson".into()),
        content,
        evidence: vec![evidence.to_owned()],
        ..AddInput::default()
    }
}

fn question(query: &str) -> SearchInput {
    SearchInput { query: query.to_owned(), limit: 5, ..SearchInput::default() }
}

/// A run goes by its own name, as `--run` says it.
fn in_run(ken: &mut Reach, run: Option<&str>) -> Result<()> {
    *ken = opened(&ken.site.layout.root.clone(), run);
    Ok(())
}

fn opened(root: &Path, run: Option<&str>) -> Reach {
    let mut options = Options::at(root);
    options.global_folder = Some(root.join("no-global-store"));
    let now = Millis::parse("2026-01-02T03:04:05Z").unwrap();
    let caller = Caller::new(ACTOR, now, Channel::Library).in_run(run.map(str::to_owned), None).unwrap();
    kenning::open_for(options, caller).unwrap()
}

const FINDINGS: &str = r#"[{"title": "Compare session tokens in constant time because == leaks the prefix by timing.", "places": ["src/net.rs"], "severity": "P1"}]"#;

const STEPS: &[Step] = &[
    named(
        "jitter",
        step(
            |ken, _| value(&ken.add(lesson(JITTER, "pr:1"))?),
            &["add", "lesson", JITTER, "--evidence", "pr:1", "--anchor", "src/net.rs", "--verify", "look"],
            "remember",
            || json!({"statement": JITTER, "evidence": "pr:1", "anchors": ["src/net.rs"], "verify": "look"}),
        ),
    ),
    // The same again, from somewhere else, is the same entry with more behind it.
    step(
        |ken, _| value(&ken.add(lesson(JITTER, "pr:2"))?),
        &["add", "lesson", JITTER, "--evidence", "pr:2", "--anchor", "src/net.rs", "--verify", "look"],
        "remember",
        || json!({"statement": JITTER, "evidence": "pr:2", "anchors": ["src/net.rs"], "verify": "look"}),
    ),
    named(
        "constant",
        step(
            |ken, _| value(&ken.add(lesson(CONSTANT, "pr:3"))?),
            &["add", "lesson", CONSTANT, "--evidence", "pr:3", "--anchor", "src/net.rs", "--verify", "look"],
            "add",
            || json!({"what": ["lesson", CONSTANT], "evidence": ["pr:3"], "anchor": ["src/net.rs"], "verify": ["look"]}),
        ),
    ),
    // Nothing speaks for it.
    step(
        |ken, _| value(&ken.add(AddInput { evidence: Vec::new(), ..lesson(BACKOFF, "") })?),
        &["add", "lesson", BACKOFF, "--anchor", "src/net.rs", "--verify", "look"],
        "remember",
        || json!({"statement": BACKOFF, "anchors": "src/net.rs", "verify": "look"}),
    ),
    step(
        |ken, _| value(&ken.add(AddInput { kind: Some("novel".into()), ..lesson(BACKOFF, "pr:1") })?),
        &["add", "--content", r#"{"statement": "x", "type": "novel"}"#, "--evidence", "pr:1"],
        "remember",
        || json!({"statement": BACKOFF, "type": "novel", "evidence": "pr:1"}),
    ),
    shaped(
        Shape::Lean,
        step(
            |ken, _| value(&ken.search(&question("retry network calls"))?),
            &["search", "retry network calls", "--limit", "5"],
            "recall",
            || json!({"query": "retry network calls", "limit": 5}),
        ),
    ),
    shaped(
        Shape::Addressed,
        step(
            |ken, _| value(&ken.search(&question("session tokens timing"))?),
            &["search", "session tokens timing", "--limit", "5"],
            "search",
            || json!({"query": "session tokens timing", "limit": 5}),
        ),
    ),
    shaped(
        Shape::Metadata,
        step(
            |ken, names| value(&ken.show(&names["jitter"])?),
            &["show", "{jitter}"],
            "fetch",
            || json!({"id": "{jitter}"}),
        ),
    ),
    step(
        |ken, names| value(&ken.show(&names["constant"])?),
        &["show", "{constant}"],
        "show",
        || json!({"ids": ["{constant}"]}),
    ),
    step(
        |ken, _| value(&ken.show("L-zzzzzz")?),
        &["show", "L-zzzzzz"],
        "fetch",
        || json!({"id": "L-zzzzzz"}),
    ),
    step(
        |ken, _| value(&ken.list(&Query { pinned_first: true, limit: usize::MAX, ..Query::default() })?),
        &["list"],
        "list",
        || json!({}),
    ),
    step(
        |ken, names| value(&ken.why(&names["jitter"])?),
        &["why", "{jitter}"],
        "why",
        || json!({"id": "{jitter}"}),
    ),
    step(
        |ken, names| value(&json!({"items": ken.log(&names["jitter"])?})),
        &["log", "{jitter}"],
        "log",
        || json!({"id": "{jitter}"}),
    ),
    step(|ken, _| value(&ken.check(&Which::All)?), &["check"], "check", || json!({})),
    step(
        |ken, names| value(&ken.check(&Which::Named(vec![names["jitter"].clone()]))?),
        &["check", "{jitter}"],
        "check",
        || json!({"ids": "{jitter}"}),
    ),
    step(
        |ken, names| {
            let change = Change {
                set: Map::from_iter([("detail".to_owned(), json!("Full jitter, not equal."))]),
                reason: Some("said more".to_owned()),
                ..Change::default()
            };
            value(&ken.revise(&names["jitter"], change, &[], false)?)
        },
        &["edit", "{jitter}", "--detail", "Full jitter, not equal.", "--reason", "said more"],
        "revise",
        || json!({"entry": "{jitter}", "detail": "Full jitter, not equal.", "reason": "said more"}),
    ),
    step(
        |ken, names| {
            let change = Change { tags_add: vec!["net".into(), "retry".into()], ..Change::default() };
            value(&ken.revise(&names["jitter"], change, &[], false)?)
        },
        &["tag", "{jitter}", "net", "retry"],
        "tag",
        || json!({"id": "{jitter}", "tags": ["net", "retry"]}),
    ),
    step(
        |ken, names| value(&ken.link(&names["jitter"], "supports", &names["constant"], false)?),
        &["link", "{jitter}", "supports", "{constant}"],
        "link",
        || json!({"from": "{jitter}", "relation": "supports", "to": "{constant}"}),
    ),
    step(
        |ken, names| value(&ken.link(&names["jitter"], "likes", &names["constant"], false)?),
        &["link", "{jitter}", "likes", "{constant}"],
        "link",
        || json!({"from": "{jitter}", "relation": "likes", "to": "{constant}"}),
    ),
    step(
        |ken, names| value(&ken.confirm(&names["jitter"], "seen again")?),
        &["confirm", "{jitter}", "--reason", "seen again"],
        "confirm",
        || json!({"id": "{jitter}", "reason": "seen again"}),
    ),
    step(
        |ken, names| value(&ken.feedback(&names["jitter"], true, "it saved an hour")?),
        &["feedback", "{jitter}", "--helpful", "--reason", "it saved an hour"],
        "feedback",
        || json!({"id": "{jitter}", "helpful": true, "reason": "it saved an hour"}),
    ),
    step(
        |ken, _| {
            in_run(ken, Some("task-1"))?;
            let started = ken.task_start("mend the retries", RunKind::Task, None, None)?;
            in_run(ken, None)?;
            value(&started)
        },
        &["task", "start", "--goal", "mend the retries", "--run", "task-1"],
        "task_start",
        || json!({"goal": "mend the retries", "run": "task-1"}),
    ),
    step(
        |ken, names| {
            value(&ken.task_finish(FinishInput {
                run: "task-1".into(),
                outcome: RunOutcome::from_word("success").unwrap(),
                quality: Some(0.8),
                used: Some(vec![names["jitter"].clone()]),
                wrong: Vec::new(),
                cost: None,
                rounds: None,
                strategy: None,
            })?)
        },
        &[
            "task",
            "finish",
            "--run",
            "task-1",
            "--outcome",
            "success",
            "--quality",
            "0.8",
            "--used",
            "{jitter}",
        ],
        "finish",
        || json!({"run": "task-1", "outcome": "success", "quality": 0.8, "used": ["{jitter}"]}),
    ),
    // A task ends once.
    step(
        |ken, names| {
            value(&ken.task_finish(FinishInput {
                run: "task-1".into(),
                outcome: RunOutcome::from_word("failure").unwrap(),
                quality: None,
                used: Some(vec![names["jitter"].clone()]),
                wrong: Vec::new(),
                cost: None,
                rounds: None,
                strategy: None,
            })?)
        },
        &["task", "finish", "--run", "task-1", "--outcome", "failure", "--used", "{jitter}"],
        "finish",
        || json!({"run": "task-1", "outcome": "failure", "used": "{jitter}"}),
    ),
    step(
        |ken, _| {
            in_run(ken, Some("review-1"))?;
            let agents = ["ann", "bob"].map(|name| Agent { name: name.into(), role: None, family: None });
            let subject = ReviewSubject::Summary("colours of the buttons on the settings page".into());
            let started = ken.review_start(agents.to_vec(), &subject, None, None)?;
            in_run(ken, None)?;
            value(&started)
        },
        &[
            "review",
            "start",
            "--run",
            "review-1",
            "--agents",
            "ann,bob",
            "--summary",
            "colours of the buttons on the settings page",
        ],
        "review_start",
        || {
            let summary = "colours of the buttons on the settings page";
            json!({"run": "review-1", "agents": ["ann", "bob"], "summary": summary})
        },
    ),
    step(
        |ken, _| value(&ken.review_report("review-1", Some("ann"), FINDINGS)?),
        &["review", "report", "--run", "review-1", "--agent", "ann", "--findings", "-"],
        "finish",
        || json!({"run": "review-1", "agent": "ann", "findings": FINDINGS}),
    ),
    step(
        |ken, _| value(&ken.review_report("review-1", Some("bob"), "[]")?),
        &["review", "report", "--run", "review-1", "--agent", "bob", "--findings", "empty.json"],
        "review_report",
        || json!({"run": "review-1", "agent": "bob", "findings": "[]"}),
    ),
    step(
        |ken, _| value(&ken.review_complete("review-1")?),
        &["review", "complete", "--run", "review-1"],
        "review_complete",
        || json!({"run": "review-1"}),
    ),
    step(
        |ken, names| value(&ken.belief(&names["constant"])?),
        &["why", "--belief", "{constant}"],
        "belief",
        || json!({"id": "{constant}"}),
    ),
    step(
        |ken, names| value(&ken.archive(&names["constant"], "not ours")?),
        &["archive", "{constant}", "--reason", "not ours"],
        "archive",
        || json!({"id": "{constant}", "reason": "not ours"}),
    ),
    step(
        |ken, names| value(&ken.restore(&names["constant"], "ours after all")?),
        &["restore", "{constant}", "--reason", "ours after all"],
        "restore",
        || json!({"id": "{constant}", "reason": "ours after all"}),
    ),
    step(
        |ken, names| value(&ken.supersede_by_new(&names["jitter"], lesson(BACKOFF, "pr:4"), LEARNED)?),
        &[
            "supersede",
            "{jitter}",
            "--reason",
            LEARNED,
            "--statement",
            BACKOFF,
            "--evidence",
            "pr:4",
            "--anchor",
            "src/net.rs",
            "--verify",
            "look",
        ],
        "remember",
        || {
            json!({
                "supersedes": "{jitter}", "statement": BACKOFF, "evidence": "pr:4", "anchors": "src/net.rs",
                "verify": "look",
            })
        },
    ),
    step(
        |ken, names| value(&ken.retract(&names["constant"], "it was wrong")?),
        &["retract", "{constant}", "--reason", "it was wrong"],
        "retract",
        || json!({"id": "{constant}", "reason": "it was wrong"}),
    ),
    step(|ken, _| value(&json!({"undone": ken.undo(None)?})), &["undo"], "undo", || json!({})),
    named(
        "draft",
        step(
            |ken, _| {
                let content = Map::from_iter([("statement".to_owned(), json!(DRAFT))]);
                value(&ken.add(AddInput {
                    kind: Some("lesson".into()),
                    content,
                    draft: true,
                    ..AddInput::default()
                })?)
            },
            &["add", "lesson", DRAFT, "--draft"],
            "remember",
            || json!({"statement": DRAFT, "draft": true}),
        ),
    ),
    step(|ken, _| value(&ken.queue(10)?), &["queue"], "queue", || json!({})),
    step(
        |ken, _| {
            let verdict =
                Verdict { item: "nothing".into(), answer: "keep".into(), reason: "it is right".into() };
            value(&ken.judge(&[verdict], 10, None)?)
        },
        &["queue", "--item", "nothing", "--answer", "keep", "--reason", "it is right"],
        "queue",
        || json!({"answers": [{"item": "nothing", "answer": "keep", "reason": "it is right"}]}),
    ),
    step(
        |ken, _| {
            value(&ken.list(&Query {
                all: true,
                pinned_first: true,
                limit: usize::MAX,
                ..Query::default()
            })?)
        },
        &["list", "--all"],
        "list",
        || json!({"all": true}),
    ),
];

const LEARNED: &str = "replaced by what was learned since";
const DRAFT: &str = "The settings page may leak memory when it is opened twice.";

/// A repository and a store, the same for each door: even the clone goes by the same name, so that hashes and dice are the same.
fn place() -> World {
    use std::os::unix::fs::MetadataExt;
    let mut world = World::with_store();
    let home = world.path().join(".git/kenning");
    std::fs::create_dir_all(&home).unwrap();
    let folder = std::fs::metadata(&home).unwrap().ino();
    let known = json!({"id": "0123456789ab", "folder": folder});
    std::fs::write(home.join("replica"), known.to_string()).unwrap();
    world.env.push(("KEN_ACTOR".to_owned(), ACTOR.to_owned()));
    world.write("empty.json", "[]");
    world
}

fn fill(text: &str, names: &Names) -> String {
    names.iter().fold(text.to_owned(), |text, (name, id)| text.replace(&format!("{{{name}}}"), id))
}

fn fill_all(value: Value, names: &Names) -> Value {
    serde_json::from_str(&fill(&value.to_string(), names)).unwrap()
}

/// What a refusal looks like through any door.
fn refusal(error: &Error) -> Value {
    let Error::Refused(refusal) = error else { panic!("{error}") };
    let field = refusal.faults.first().map(|fault| &fault.field);
    let mut told = json!({"error": {
        "code": refusal.code.word(), "message": refusal.message, "hint": refusal.hint, "field": field,
    }});
    if refusal.faults.len() > 1 {
        let faults = refusal.faults.iter();
        told["error"]["faults"] =
            faults.map(|fault| json!({"field": fault.field, "problem": fault.problem})).collect();
    }
    told
}

/// The same with nine digits of each fraction: a number that is written and read again may end in another digit.
fn rounded(answer: Value) -> Value {
    match answer {
        Value::Number(number) if number.is_f64() => {
            json!((number.as_f64().unwrap() * 1e9).round() / 1e9)
        }
        Value::Array(list) => list.into_iter().map(rounded).collect(),
        Value::Object(object) => object.into_iter().map(|(name, value)| (name, rounded(value))).collect(),
        other => other,
    }
}

/// What one door answered to every step.
fn through(mut door: impl FnMut(&Step, &Names) -> Value) -> Vec<Value> {
    let mut names = Names::new();
    let mut answers = Vec::new();
    for step in STEPS {
        let answer = door(step, &names);
        if let Some(name) = step.keeps {
            let id = answer["id"].as_str().unwrap_or_else(|| panic!("{name}: {answer}"));
            names.insert(name, id.to_owned());
        }
        answers.push(rounded(answer));
    }
    answers
}

fn library() -> Vec<Value> {
    let world = place();
    let mut ken = opened(&world.path(), None);
    through(|step, names| (step.library)(&mut ken, names).unwrap_or_else(|error| refusal(&error)))
}

fn shell() -> Vec<Value> {
    let world = place();
    through(|step, names| {
        let mut words: Vec<String> = step.shell.iter().map(|word| fill(word, names)).collect();
        words.push("--json".to_owned());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        world.ken_stdin(&words, FINDINGS).json()
    })
}

/// The answer of a tool, as the verb would have given it.
fn as_verb(step: &Step, called: Called) -> Value {
    let mut value = called.value;
    match step.shape {
        _ if value.get("error").is_some() => assert!(called.is_error, "{value}"),
        Shape::Metadata => value = value["metadata"].take(),
        Shape::Addressed => {
            for result in value["results"].as_array_mut().unwrap() {
                let url = result.as_object_mut().unwrap().remove("url");
                assert_eq!(url, Some(json!(format!("ken://entry/{}", result["id"].as_str().unwrap()))));
            }
        }
        Shape::Same | Shape::Lean => {}
    }
    value
}

fn pipes() -> Vec<Value> {
    let world = place();
    let mut client = Client::start(&world, &[], NEWEST);
    through(|step, names| as_verb(step, client.call(step.tool, fill_all((step.arguments)(), names))))
}

fn http() -> Vec<Value> {
    let world = place();
    let site = Site::start(&world, &[]);
    through(|step, names| as_verb(step, site.call(step.tool, fill_all((step.arguments)(), names))))
}

/// The verb of some words of the command line, and its fields as a program would send them.
fn as_request(words: &[String]) -> (&'static kenning::verb::Row, Map<String, Value>) {
    let row = (1..=2).rev().find_map(|count| kenning::table::find(&words.get(..count)?.join(" ")));
    let row = row.unwrap_or_else(|| panic!("{words:?}"));
    let rest = &words[row.name.split(' ').count()..];
    let matches = grammar::command(row).no_binary_name(true).try_get_matches_from(rest).unwrap();
    let mut given = grammar::given(&matches, &row.fields());
    for field in row.fields().iter().filter(|field| field.kind == kenning::verb::FieldKind::Content) {
        // The command line reads it from a file, or from its input.
        if let Some(file) = given.get_mut(field.name) {
            let text = if file["file"] == "-" { FINDINGS.into() } else { json!("[]") };
            *file = text;
        }
    }
    (row, given)
}

fn rest() -> Vec<Value> {
    let world = place();
    let api = Api::start(&world, "writer");
    through(|step, names| {
        let words: Vec<String> = step.shell.iter().map(|word| fill(word, names)).collect();
        let (row, given) = as_request(&words);
        let reply = api.verb(row, given);
        let mut answer = reply.json();
        if answer.get("detail").is_some() {
            let told = |name: &str| answer.get(name).cloned().unwrap_or(Value::Null);
            let mut error = json!({
                "code": told("code"), "message": told("detail"), "hint": told("hint"), "field": told("field"),
            });
            if let Some(faults) = answer.get("faults") {
                error["faults"] = faults.clone();
            }
            answer = json!({ "error": error });
        }
        answer
    })
}

/// Whether everything that one answer says, the other says as well.
fn says_no_other(lean: &Value, whole: &Value) -> std::result::Result<(), String> {
    match (lean, whole) {
        (Value::Object(lean), Value::Object(whole)) => lean.iter().try_for_each(|(name, value)| {
            let other = whole.get(name).ok_or_else(|| format!("only one has `{name}`"))?;
            says_no_other(value, other).map_err(|why| format!("{name}: {why}"))
        }),
        (Value::Array(lean), Value::Array(whole)) if lean.len() == whole.len() => {
            lean.iter().zip(whole).try_for_each(|(one, other)| says_no_other(one, other))
        }
        (one, other) if one == other => Ok(()),
        (one, other) => Err(format!("{one} is not {other}")),
    }
}

#[test]
fn every_door_gives_the_same_answer() {
    let wanted = shell();
    let doors =
        [("library", library()), ("MCP over pipes", pipes()), ("MCP over HTTP", http()), ("REST", rest())];
    let mut wrong = Vec::new();
    for (door, answers) in &doors {
        for (number, (step, (answer, wanted))) in STEPS.iter().zip(answers.iter().zip(&wanted)).enumerate() {
            let is_lean = step.shape == Shape::Lean && door.starts_with("MCP");
            let verdict = match is_lean {
                true => says_no_other(answer, wanted),
                false if answer == wanted => Ok(()),
                false => Err(says_no_other(answer, wanted).err().unwrap_or("something is missing".into())),
            };
            if let Err(why) = verdict {
                wrong.push(format!(
                    "step {number}, {door} ({}): {why}\n  here:  {answer}\n  shell: {wanted}",
                    step.shell.join(" ")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
