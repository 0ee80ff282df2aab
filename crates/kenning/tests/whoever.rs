//! Whoever calls, by whatever verb: a verified entry is not hidden or reworded, nothing rises to verified, no norm is moved and no guard is
//! weakened by who may not (COR-21). No verb is listed here: every one that writes is played, with requests made up of its fields.

use crate::verbs::Verbs as _;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ken_testkit::Dice;
use kenning::config::{SETTINGS, WhoSets};
use kenning::core::Millis;
use kenning::verb::{Call, Effect, Field, FieldKind, Row};
use kenning::{AddInput, Caller, Channel, Options, Origin, Reach};
use serde_json::{Map, Value, json};

const DAY: i64 = 86_400_000;
const NOW: i64 = 1_750_000_000_000;
/// Requests of each verb for each caller.
const TURNS: usize = 10;
const MIRRORED: &str = "k/one.md";

/// Somebody who calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Agent,
    /// An agent that has a terminal of its own.
    AgentAtTerminal,
    /// A person's name, under an agent host.
    UnderHost,
    /// A person's script.
    Script,
    /// A person at a terminal who is no approver, and was not asked.
    Eve,
    /// An approver at a terminal who was not asked.
    Approver,
}

impl Who {
    const ALL: [Who; 6] =
        [Who::Agent, Who::AgentAtTerminal, Who::UnderHost, Who::Script, Who::Eve, Who::Approver];

    fn caller(self) -> Caller {
        let caller = |actor| Caller::new(actor, Millis(NOW + 10 * DAY), Channel::Cli);
        match self {
            Who::Agent => Caller::new("agent:codex", Millis(NOW + 10 * DAY), Channel::Mcp),
            Who::AgentAtTerminal => caller("agent:codex").at_terminal(true),
            Who::UnderHost => caller("human:Ada")
                .from_origin(Origin { host: Some("claude-code".to_owned()), ..Origin::default() })
                .at_terminal(true),
            Who::Script => caller("human:Ada"),
            Who::Eve => caller("human:Eve").at_terminal(true),
            Who::Approver => caller("human:Ada").at_terminal(true),
        }
    }

    /// Whether a person at a terminal decides, who may put a verified entry away and reword it.
    fn is_attended(self) -> bool {
        matches!(self, Who::Eve | Who::Approver)
    }

    fn may_set(self, who: WhoSets) -> bool {
        match who {
            WhoSets::Anybody => true,
            WhoSets::NoAgent => self.is_attended() || self == Who::Script,
            WhoSets::Asked => self.is_attended(),
            WhoSets::Person => false,
        }
    }
}

/// What is guarded, as the store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Guarded {
    /// Whether each entry is handed out, its status, and what it says.
    entries: BTreeMap<String, (bool, String, String)>,
    hidden: Vec<String>,
    settings: BTreeMap<String, String>,
    approvals: usize,
}

/// A repository with a verified entry, which is mirrored, a norm that Ada approved, a candidate and a file of another system.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> World {
        let world = World { folder: tempfile::tempdir().unwrap() };
        world.write("src/net.rs", "fn retry() {\n    jitter();\n}\n\nfn close() {\n    drop(socket);\n}\n");
        world.write("CLAUDE.md", "# Rules\n\n- Never edit files below `vendor/` by hand.\n");
        world.write(
            MIRRORED,
            "---\nlastConfirmed: 2025-12-01\nprovenance: independent\n---\nEvery retry waits with jitter.\n\nTwo reviews found it on their own.\n\nEvidence: `src/net.rs:2`, retry() calls jitter.\nVerify: grep -n jitter src/net.rs\n",
        );
        crate::git(world.path(), &["init", "-q", "-b", "main"]);
        kenning::init(world.path(), Default::default()).unwrap();
        for (key, value) in [("approvers.Ada", "yes"), ("approvals.solo", "true")] {
            world.ada(0).set_setting(key, value).unwrap();
        }
        world.ada(0).set_setting("mirrors.own", "flux-drive:k").unwrap();
        world.ada(0).sync(&Default::default()).unwrap();
        world.add("lesson", "Sockets are closed once, by whoever opened them.");
        let norm = world.add("commit_norm", "Never edit files below vendor by hand.");
        world.ada(1).accept_stated(&norm).unwrap();
        for day in 1..3 {
            world
                .open(caller("human:Bob", day).confirmed_by(ken_testkit::person("human:Bob")))
                .confirm("one", "again")
                .unwrap();
        }
        let mut bob = world.open(caller("human:Bob", 3).confirmed_by(ken_testkit::person("human:Bob")));
        let key = kenning::ops::find(bob.ledger.projection(), "one").unwrap().entry.key;
        bob.prove(&[key], true).unwrap();
        drop(bob);
        crate::git(world.path(), &["add", "-A"]);
        crate::git(world.path(), &["commit", "-q", "-m", "begin"]);
        let guarded = world.guarded();
        assert!(guarded.entries.values().any(|(_, status, _)| status == "verified"), "{guarded:?}");
        assert!(guarded.approvals > 0, "{guarded:?}");
        world
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn options(&self) -> Options {
        Options { from: self.path().to_owned(), no_model: true, background: false, ..Options::default() }
    }

    fn open(&self, caller: Caller) -> Reach {
        kenning::open_for(self.options(), caller).unwrap()
    }

    /// Ada, who confirms what she is asked.
    fn ada(&self, day: i64) -> Reach {
        self.open(caller("human:Ada", day).confirmed_by(ken_testkit::person("human:Ada")))
    }

    fn add(&self, kind: &str, statement: &str) -> String {
        let content = json!({
            "statement": statement,
            "anchors": ["src/net.rs#close"],
            "verification": ["look"],
            "domains": ["net"],
        });
        let input = AddInput {
            kind: Some(kind.to_owned()),
            content: content.as_object().cloned().unwrap(),
            evidence: vec!["pr:1".to_owned()],
            ..AddInput::default()
        };
        self.ada(0).add(input).unwrap().id
    }

    fn ids(&self) -> Vec<String> {
        let ken = self.ada(20);
        let every = kenning::Query { all: true, ..Default::default() };
        ken.ledger.list(&every).unwrap().entries.into_iter().map(|stored| stored.id).collect()
    }

    fn guarded(&self) -> Guarded {
        let ken = self.ada(20);
        let every = kenning::Query { all: true, overlaid: kenning::Overlaid::Any, ..Default::default() };
        let listed = ken.ledger.list(&every).unwrap().entries;
        let mut guarded = Guarded {
            entries: BTreeMap::new(),
            hidden: Vec::new(),
            settings: ken.site.config.all().into_iter().map(|view| (view.key, view.value)).collect(),
            approvals: listed.iter().map(|stored| stored.entry.approvals.len()).sum(),
        };
        for stored in listed {
            let entry = &stored.entry;
            if stored.overlay.hides() {
                guarded.hidden.push(stored.id.clone());
            }
            let told = (entry.status.is_retrieved(), entry.status.word().to_owned(), said(entry));
            guarded.entries.insert(stored.id.clone(), told);
        }
        guarded
    }
}

/// What an entry says, in one text.
fn said(entry: &kenning::core::Entry) -> String {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(&entry.fields) else { return String::new() };
    fields.retain(|field, _| kenning::core::decide::is_said(field));
    Value::Object(fields).to_string()
}

fn caller(actor: &str, day: i64) -> Caller {
    Caller::new(actor, Millis(NOW + day * DAY), Channel::Cli).at_terminal(true)
}

/// Makes up requests.
struct Requests {
    dice: Dice,
    ids: Vec<String>,
}

impl Requests {
    fn of(&mut self, row: &Row) -> Map<String, Value> {
        let mut request = Map::new();
        for field in row.fields() {
            // What is required is said, and of the rest about a third.
            if field.required || field.is_place() || self.dice.below(3) == 0 {
                let count = if field.many { 1 + self.dice.below(2) } else { 1 };
                let mut values: Vec<Value> = (0..count).map(|_| self.value(&field)).collect();
                let value = if field.many { Value::Array(values) } else { values.remove(0) };
                request.insert(field.name.to_owned(), value);
            }
        }
        request
    }

    fn value(&mut self, field: &Field) -> Value {
        let words: Vec<String> = (field.words)().iter().map(|word| (*word).to_owned()).collect();
        if !words.is_empty() {
            return Value::from(self.one(&words));
        }
        match field.kind {
            FieldKind::Switch => Value::from(true),
            FieldKind::Integer => Value::from(self.dice.below(3)),
            FieldKind::Number => Value::from(0.5),
            FieldKind::Content => Value::from(r#"{"statement": "Retries need no jitter at all."}"#),
            FieldKind::Text => Value::from(self.text(field.name)),
        }
    }

    fn text(&mut self, name: &str) -> String {
        let ids = self.ids.clone();
        let settings: Vec<String> = SETTINGS.iter().map(|setting| setting.key.to_owned()).collect();
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let pool = match name {
            "key" => settings,
            "value" => texts(&["true", "false", "yes", "off", "none", "0", "1", "api.example.com"]),
            "actor" | "by" | "who" => texts(&["human:Ada", "human:Eve", "agent:maintain", "agent:codex"]),
            "type" | "kind" => texts(&["lesson", "commit_norm", "experience", "pattern"]),
            "evidence" => texts(&["pr:2", "file:src/net.rs:2", "commit:HEAD"]),
            "anchor" | "anchors" => texts(&["src/net.rs", "src/net.rs#retry"]),
            "path" | "paths" | "file" | "files" | "folder" | "source" | "sources" => {
                texts(&["src/net.rs", "k", MIRRORED, "CLAUDE.md", "."])
            }
            "answer" | "answers" | "verdict" => texts(&["no_longer_true", "same", "both_hold", "still_true"]),
            "clear" | "field" => texts(&["anchors", "verification", "detail", "statement=Retries are free."]),
            "statement" | "text" | "title" => {
                texts(&["Retries need no jitter at all.", "Nothing is closed."])
            }
            "format" => texts(&["agents-md", "flux-drive", "adr"]),
            "as_of" | "base" | "head" | "diff" => texts(&["HEAD"]),
            _ => {
                let mut pool = ids;
                pool.extend(texts(&["own", "k", "over", "HEAD"]));
                pool
            }
        };
        self.one(&pool)
    }

    fn one(&mut self, pool: &[String]) -> String {
        pool[self.dice.below(pool.len())].clone()
    }
}

/// What of a store became otherwise than whoever called may make it.
fn broken(before: &Guarded, after: &Guarded, who: Who) -> Vec<String> {
    let mut told = Vec::new();
    for (id, (was, status, words)) in &before.entries {
        let is_norm = id.starts_with("never-edit") || words.contains("vendor");
        let (is, now, says) = after.entries.get(id).cloned().unwrap_or_default();
        let is_guarded = status == "verified" && !who.is_attended();
        if (is_guarded || is_norm) && *was && !is {
            told.push(format!("{id} was {status} and is {now}"));
        }
        if (is_guarded || is_norm) && *words != says {
            told.push(format!("{id} says {says} and said {words}"));
        }
        if status != "verified" && now == "verified" {
            told.push(format!("{id} was {status} and is verified"));
        }
        if (is_guarded || is_norm)
            && after.hidden.contains(id)
            && !before.hidden.contains(id)
            && !who.is_attended()
        {
            told.push(format!("{id} is hidden in this clone"));
        }
    }
    if after.approvals > before.approvals {
        told.push("something was approved".to_owned());
    }
    for (key, value) in &after.settings {
        let was = before.settings.get(key).cloned().unwrap_or_default();
        let setting = SETTINGS.iter().find(|setting| setting.key == key);
        let set_by = setting.map_or(WhoSets::NoAgent, |setting| setting.who);
        if *value != was && !who.may_set(set_by) {
            told.push(format!("{key} was {was:?} and is {value:?}"));
        }
    }
    for key in before.settings.keys().filter(|key| !after.settings.contains_key(*key)) {
        if !who.may_set(WhoSets::NoAgent) || key.starts_with("approvers.") {
            told.push(format!("{key} is gone"));
        }
    }
    told
}

/// Plays a verb for every caller: first for those who may change nothing that is guarded.
fn played(row: &'static Row, seed: u64) -> (Vec<String>, usize) {
    let mut world = World::new();
    let mut requests = Requests { dice: Dice::new(seed), ids: world.ids() };
    let (mut told, mut done) = (Vec::new(), 0);
    let mut before = world.guarded();
    for who in Who::ALL {
        for _ in 0..TURNS {
            let request = requests.of(row);
            let shown = Value::Object(request.clone()).to_string();
            let Ok(ready) = row.read(request) else { continue };
            let options = world.options();
            let mut open = |_: Option<&kenning::verb::InRun>| {
                Ok(Call::on(kenning::open_for(options.clone(), who.caller())?))
            };
            done += usize::from(ready.run(&mut open).is_ok());
            let after = world.guarded();
            let broken = broken(&before, &after, who);
            before = after;
            if !broken.is_empty() {
                told.push(format!("{who:?}: {} {shown}: {}", row.name, broken.join("; ")));
                world = World::new();
                before = world.guarded();
            }
        }
    }
    (told, done)
}

#[test]
fn nobody_does_by_any_verb_what_they_may_not() {
    let writes = |row: &&Row| row.nature.effect != Effect::Reads;
    let rows: Vec<&Row> = kenning::table::TABLE.iter().filter(writes).collect();
    let played: Vec<(Vec<String>, usize)> = std::thread::scope(|scope| {
        let threads = [0, 1].map(|half| {
            let rows = rows.iter().enumerate().skip(half).step_by(2);
            scope.spawn(move || rows.map(|(seed, row)| played(row, seed as u64)).collect::<Vec<_>>())
        });
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let told: Vec<String> = played.iter().flat_map(|(told, _)| told.clone()).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
    let done: usize = played.iter().map(|(_, done)| done).sum();
    assert!(done > 500, "only {done} of the requests did anything");
}
