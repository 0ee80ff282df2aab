//! The life of entries, told in short text: who saw what, who found what, and what became of it (REV-1 to REV-8, BEL-3 to BEL-8).
//!
//! The stories lie in `lifecycle/*.txt`. Each begins with a line `story: TITLE` and goes on with a step on each line; `--` begins a
//! comment. A word that is none of the following is a fault. A step may end in `!! WORDS`: then it must be refused, with these words.
//!
//! ```text
//! day 3                  from here on it is noon of the third day; `day +1` is the next one
//! hour 18                from here on it is this hour of the day
//! limit 3                reviews before an entry is archived; `cap 2`: entries that one agent is given; `project NAME`
//! model                  from here on the bundled model takes the meaning of texts; else words alone answer
//! entry X: WORDS         states X; parts: type T, reviewer R, at PLACE, thread T, decay C, gap, from RUN, page
//! state X                says once more what X says, as an entry of its own
//! review R: a b=role     begins a review of these agents; parts: touches PATH, summary WORDS, thread T. `a@family` is of a family
//! given R a: X Y         what review R put before agent a at its start, and nothing else; `nothing`; `5 entries`; `warning WORDS`
//! show X                 reads X; so do `search WORDS`, `list` and `upstream X` (another agent's summary that cites it)
//! inject WORDS           puts what answers these words before an agent, who asked for nothing
//! found R a: X; WORDS    agent a reports these findings: X is said in X's words, at its place; or `nothing`
//!                        parts of each: at PLACE, severity N, confidence N, check STEP, dismissed, primed, durable, fleeting,
//!                        text WORDS, by AGENT, project P
//! echo R a               agent a reports exactly what it was given at the start: somebody who believes what they are told
//! many R a: 500 of 20    agent a reports so many findings at once, of which so many are different
//! complete R: X primed   ends a review, and what it did: `X independent`, `X primed`, `X archived`, `X restored`, `X created TYPE`
//!                        (from here on the new entry is X), or `nothing`. Without a colon nobody looks at what it did.
//! task T: GOAL           begins a task; part: thread T
//! finish T: success 0.5 used X Y      or failure, killed, abandoned; `used nothing`; without `used` everything it was shown counts
//! confirm X: primed      says that X was found again, and what that counted as
//! accept X               a person runs its verification step, which passes, and accepts it as a proof (COR-19)
//! helpful X              a word of feedback; `unhelpful X`
//! archive X              also: restore X, retract X, reset X, promote X (to the project), close THREAD
//! told WORDS             the answer to the last step has these words in it (as JSON, with X for X's id); `untold WORDS`
//! expect X: candidate, debt 1, confirmed never, belief 50.0, errors 0, latest primed, gaps 1, type T, scope S
//!                        `confirmed day 3`: the day of its latest independent confirmation; `latest`: the kind of the latest one
//! run R: open            how run R stands
//! together X Y: 0.451    the signal that X and Y belong together: 1 - e^(-0.6 weight)
//! repeat 30 ... end      does the steps between so often; `#` is the number of the time
//! every 7: STEP          does a step only when `#` can be divided by 7
//! pending WORDS          the story tells what should be, and why it may not be true yet: it is run and may fail
//! ```
//!
//! Steps that somebody takes may have the parts `as ACTOR` (human:ada where nobody says), `run R` and `agent A`.

use crate::verbs::Verbs as _;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use kenning::core::Millis;
use kenning::core::decide::Outcome;
use kenning::core::kinds::Confirmation;
use kenning::core::run::{Agent, RunKind, RunOutcome};
use kenning::ops::surface::{Policy, Role, SurfaceInput};
use kenning::{
    AddInput, Caller, Channel, CompleteAnswer, FinishInput, Options, Query, Reach, ReviewStarted,
    ReviewSubject, SearchInput,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// How many stories there must be at least, all files together.
const STORIES_MIN: usize = 85;

#[test]
fn runs_are_started_and_ended() {
    run_all("runs.txt");
}

#[test]
fn who_was_told_repeats_and_who_was_not_confirms() {
    run_all("primed.txt");
}

#[test]
fn debts_grow_with_reviews_and_nothing_else() {
    run_all("debt.txt");
}

#[test]
fn reviews_give_each_agent_what_is_its_own() {
    run_all("served.txt");
}

#[test]
fn findings_become_entries() {
    run_all("created.txt");
}

#[test]
fn outcomes_and_feedback_move_belief() {
    run_all("belief.txt");
}

#[test]
fn entries_climb_the_ladder() {
    run_all("ladder.txt");
}

#[test]
fn bad_input_is_told_and_counted_never() {
    run_all("bad_input.txt");
}

#[test]
fn there_are_enough_stories_and_every_file_is_run() {
    let me = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lifecycle.rs")).unwrap();
    let mut count = 0;
    for file in fs::read_dir(folder()).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(me.contains(&format!("run_all(\"{name}\")")), "{name} is not run");
        count += stories(&name).len();
    }
    assert!(count >= STORIES_MIN, "{count} stories, at least {STORIES_MIN} are wanted");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lifecycle")
}

/// Runs every story of a file and names all that fail.
fn run_all(file: &str) {
    let failed: Vec<String> = stories(file).iter().filter_map(|story| run(story).err()).collect();
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

/// A title and what happens.
struct Story {
    /// `debt.txt: Never injected, never in debt`.
    name: String,
    pending: Option<String>,
    steps: Vec<Step>,
}

/// One line.
#[derive(Clone)]
struct Step {
    line: usize,
    text: String,
}

fn stories(file: &str) -> Vec<Story> {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    let mut stories: Vec<Story> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.split_once("--").map_or(line, |(said, _)| said).trim();
        if line.is_empty() {
            continue;
        }
        if let Some(title) = line.strip_prefix("story: ") {
            let name = format!("{file}: {title}");
            assert!(stories.iter().all(|story| story.name != name), "{name} is there twice");
            stories.push(Story { name, pending: None, steps: Vec::new() });
            continue;
        }
        let story = stories.last_mut().unwrap_or_else(|| panic!("{file}:{}: no title yet", at + 1));
        match line.strip_prefix("pending ") {
            Some(why) => story.pending = Some(why.to_owned()),
            None => story.steps.push(Step { line: at + 1, text: line.to_owned() }),
        }
    }
    stories
}

fn run(story: &Story) -> Result<(), String> {
    let mut stage = Stage::new();
    let told = stage
        .all(&story.steps, None)
        .map_err(|(step, why)| format!("{}\n  line {}: {}\n  {why}", story.name, step.line, step.text));
    match (&story.pending, told) {
        (None, told) => told,
        (Some(why), Err(told)) => {
            println!("pending, {why}: {told}");
            Ok(())
        }
        (Some(_), Ok(())) => Ok(()),
    }
}

/// The first day of every story is 2026-03-01, and day 0 the one before.
const DAY_ZERO: i64 = 1_772_236_800_000;

/// A folder with a store, and what the story calls the things in it.
struct Stage {
    folder: tempfile::TempDir,
    day: i64,
    hour: i64,
    model: bool,
    /// The store as somebody has it open.
    open: Option<(Who, Reach)>,
    /// The full id of each entry.
    ids: BTreeMap<String, String>,
    /// The short citation of each entry.
    handles: BTreeMap<String, String>,
    /// The claim and the place of each entry.
    said: BTreeMap<String, (String, String)>,
    started: BTreeMap<String, ReviewStarted>,
    answer: String,
}

/// On whose behalf a step is taken, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Who {
    actor: String,
    run: Option<String>,
    agent: Option<String>,
    now: i64,
}

type Told<T = ()> = Result<T, String>;

impl Stage {
    fn new() -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop");
        fs::create_dir_all(root.join("src")).unwrap();
        for name in ["w", "x", "y", "z"] {
            fs::write(root.join(format!("src/{name}.rs")), format!("fn {name}() {{}}\n")).unwrap();
        }
        kenning::init_with(&Options::at(&root), kenning::SetUp::default()).unwrap();
        Stage {
            folder,
            day: 1,
            hour: 12,
            model: false,
            open: None,
            ids: BTreeMap::new(),
            handles: BTreeMap::new(),
            said: BTreeMap::new(),
            started: BTreeMap::new(),
            answer: String::new(),
        }
    }

    /// Takes every step; `time` counts the times of a repetition.
    fn all(&mut self, steps: &[Step], time: Option<usize>) -> Result<(), (Step, String)> {
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            let fault = |why: String| (step.clone(), why);
            if let Some(count) = step.text.strip_prefix("repeat ") {
                let count: usize = number(count).map_err(fault)?;
                let end = steps[at..].iter().position(|step| step.text == "end");
                let end = at + end.ok_or_else(|| fault("`end` is missing".to_owned()))?;
                for time in 1..=count {
                    self.all(&steps[at + 1..end], Some(time))?;
                }
                at = end + 1;
                continue;
            }
            let text = match time {
                Some(time) => step.text.replace('#', &time.to_string()),
                None => step.text.clone(),
            };
            self.step_or_refusal(&text, time).map_err(fault)?;
            at += 1;
        }
        Ok(())
    }

    fn step_or_refusal(&mut self, text: &str, time: Option<usize>) -> Told {
        if let Some(rest) = text.strip_prefix("every ") {
            let (count, step) = rest.split_once(": ").ok_or("write `every N: STEP`")?;
            let count: usize = number(count)?;
            let time = time.ok_or("`every` is for `repeat`")?;
            return if time.is_multiple_of(count) { self.step_or_refusal(step, Some(time)) } else { Ok(()) };
        }
        match text.split_once(" !! ") {
            None => self.step(text),
            Some((step, words)) => match self.step(step) {
                Ok(()) => Err(format!("it was not refused: {}", self.answer)),
                Err(why) if why.contains(words.trim()) => Ok(()),
                Err(why) => Err(format!("it was refused in other words: {why}")),
            },
        }
    }

    fn step(&mut self, text: &str) -> Told {
        let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
        let mut parts = Parts::of(rest);
        let head = parts.head.clone();
        match verb {
            "day" => {
                self.day = match head.strip_prefix('+') {
                    Some(more) => self.day + number::<i64>(more)?,
                    None => number(&head)?,
                };
                self.hour = 12;
            }
            "model" => {
                self.model = true;
                self.open = None;
            }
            "hour" => self.hour = number(&head)?,
            "limit" => self.setting("review.limit", &head)?,
            "cap" => self.setting("review.entries", &head)?,
            "project" => self.setting("project.name", &head)?,
            "entry" => {
                let (name, statement) = colon(&head)?;
                self.entry(name, statement, &mut parts)?;
            }
            "state" => {
                let (statement, place) =
                    self.said.get(&head).cloned().ok_or(format!("{head} is no entry"))?;
                parts.named.insert("at".to_owned(), place);
                self.entry(&head, &statement, &mut parts)?;
            }
            "review" => self.review(&head, &mut parts)?,
            "given" => self.given(&head)?,
            "show" => {
                let id = self.id(&head)?;
                let answer = self.open(&mut parts)?.show(&id);
                self.keep(answer)?;
            }
            "search" => {
                let input = SearchInput { query: head, ..SearchInput::default() };
                let answer = self.open(&mut parts)?.search(&input);
                self.keep(answer)?;
            }
            "list" => {
                let answer = self.open(&mut parts)?.list(&Query::default());
                self.keep(answer)?;
            }
            "upstream" => {
                let id = self.id(&head)?;
                let input = surface(&format!("words that nothing answers {}", self.day), Some(id));
                let answer = self.open(&mut parts)?.surface(&input);
                self.keep(answer)?;
            }
            "inject" => {
                let answer = self.open(&mut parts)?.inject(surface(&head, None));
                self.keep(answer)?;
            }
            "found" | "many" => return self.found(verb, rest),
            "echo" => {
                let (run, agent) = head.split_once(' ').ok_or("write `echo RUN AGENT`")?;
                let started = self.started.get(run).ok_or(format!("no review is called {run}"))?;
                let given = started.agents.get(agent).ok_or(format!("{agent} takes no part in {run}"))?;
                let named = self.ids.iter().filter(|(_, id)| given.entries.contains(id));
                let names: Vec<&str> = named.map(|(name, _)| name.as_str()).collect();
                let said = if names.is_empty() { "nothing".to_owned() } else { names.join("; ") };
                return self.found("found", &format!("{head}: {said}"));
            }
            "complete" => self.complete(&head, &mut parts)?,
            "task" => {
                let (run, goal) = colon(&head)?;
                parts.named.insert("run".to_owned(), run.to_owned());
                let thread = parts.named.remove("thread");
                let ken = self.open(&mut parts)?;
                let answer = ken.task_start(goal, RunKind::Task, thread, None);
                self.keep(answer)?;
            }
            "finish" => self.finish(&head, &mut parts)?,
            "confirm" => {
                let (name, kind) = head.split_once(": ").map_or((&*head, None), |(a, b)| (a, Some(b)));
                let id = self.id(name)?;
                let answer = self.open(&mut parts)?.confirm(&id, "a story says so");
                let answer = self.keep(answer)?;
                same("it counts as", kind, kind.map(|_| word_of(answer.kind)))?;
            }
            "accept" => {
                let id = self.id(&head)?;
                let ken = self.open(&mut parts)?;
                let key = kenning::ops::find(ken.ledger.projection(), &id)
                    .map_err(|error| error.to_string())?
                    .entry
                    .key;
                let answer = ken.prove(&[key], true);
                self.keep(answer)?;
            }
            "helpful" | "unhelpful" => {
                let id = self.id(&head)?;
                let answer = self.open(&mut parts)?.feedback(&id, verb == "helpful", "");
                self.keep(answer)?;
            }
            "archive" | "restore" | "retract" | "reset" | "promote" => {
                let id = self.id(&head)?;
                let ken = self.open(&mut parts)?;
                let answer = match verb {
                    "archive" => ken.archive(&id, "a story says so"),
                    "restore" => ken.restore(&id, "a story says so"),
                    "retract" => ken.retract(&id, "a story says so"),
                    "reset" => ken.reset_belief(&id, "a story says so"),
                    _ => ken.promote_to_project(&id, "a story says so"),
                };
                self.keep(answer)?;
            }
            "close" => {
                let answer = self.open(&mut parts)?.archive_thread(&head);
                self.keep(answer)?;
            }
            "told" if self.answer.contains(rest) => return Ok(()),
            "untold" if !self.answer.contains(rest) => return Ok(()),
            "told" | "untold" => return Err(format!("the answer was {}", self.answer)),
            "expect" => self.expect(&head)?,
            "run" => {
                let (run, state) = colon(&head)?;
                let ken = self.reader()?;
                let kinds = [RunKind::Review, RunKind::Task, RunKind::Session];
                let runs = ken.runs(&kinds, false).map_err(|error| error.to_string())?;
                let found = runs.iter().find(|line| line.run == run).map(|line| line.state.word());
                same("it is", Some(state), found)?;
            }
            "together" => {
                let (names, right) = colon(&head)?;
                let found = self.together(names)?;
                same("they weigh", Some(right), Some(&*format!("{found:.3}")))?;
            }
            _ => return Err(format!("{verb:?} is no step")),
        }
        parts.all_used()
    }

    fn setting(&mut self, key: &str, value: &str) -> Told {
        let ken = self.reader()?;
        ken.set_setting(key, value).map_err(|error| error.to_string())
    }

    fn now(&self) -> i64 {
        DAY_ZERO + self.day * 86_400_000 + self.hour * 3_600_000
    }

    /// The store, for whoever the parts of a step name.
    fn open(&mut self, parts: &mut Parts) -> Told<&mut Reach> {
        let who = Who {
            actor: parts.named.remove("as").unwrap_or_else(|| "human:ada".to_owned()),
            run: parts.named.remove("run"),
            agent: parts.named.remove("agent"),
            now: self.now(),
        };
        if self.open.as_ref().is_none_or(|(known, _)| *known != who) {
            self.open = None;
            let caller = Caller::new(who.actor.clone(), Millis(self.now()), Channel::Library);
            let caller = caller.in_run(who.run.clone(), who.agent.clone());
            let mut caller = caller.map_err(|refusal| refusal.to_string())?;
            // Whoever the stories call a person, in no run, has confirmed what they do.
            if who.run.is_none() && who.agent.is_none() && who.actor.starts_with("human:") {
                caller = caller.confirmed_by(ken_testkit::person(&who.actor));
            }
            let ken = kenning::open_for(self.options(), caller).map_err(|error| error.to_string())?;
            self.open = Some((who, ken));
        }
        Ok(&mut self.open.as_mut().expect("it was just opened").1)
    }

    fn options(&self) -> Options {
        Options { no_model: !self.model, ..Options::at(self.folder.path().join("shop")) }
    }

    fn reader(&mut self) -> Told<&mut Reach> {
        self.open(&mut Parts::default())
    }

    fn id(&self, name: &str) -> Told<String> {
        self.ids.get(name).cloned().ok_or(format!("no entry is called {name:?} here"))
    }

    /// Keeps an answer for `told`.
    fn keep<T: Serialize>(&mut self, answer: kenning::Result<T>) -> Told<T> {
        let answer = answer.map_err(|error| error.to_string())?;
        self.answer = serde_json::to_string(&answer).unwrap();
        self.rename();
        Ok(answer)
    }

    /// Puts the names of the story for ids.
    fn rename(&mut self) {
        for (name, id) in self.ids.iter().chain(&self.handles) {
            self.answer = self.answer.replace(id, name);
        }
    }

    fn entry(&mut self, name: &str, statement: &str, parts: &mut Parts) -> Told {
        let kind = parts.named.remove("type").unwrap_or_else(|| "lesson".to_owned());
        let place = parts.named.remove("at").unwrap_or_else(|| format!("src/{}.rs", name.to_lowercase()));
        let mut content = Map::new();
        let mut say = |field: &str, value: Value| content.insert(field.to_owned(), value);
        if kind == "commit_norm" {
            say("rule", json!(statement));
            say("examples", json!(["as here"]));
            say("enforcement", json!({"kind": "advisory"}));
        } else {
            say("statement", json!(statement));
        }
        say("anchors", json!([place]));
        for field in ["reviewer", "thread"] {
            if let Some(value) = parts.named.remove(field) {
                say(field, json!(value));
                if field == "thread" {
                    say("scope", json!("thread"));
                }
            }
        }
        if let Some(class) = parts.named.remove("decay") {
            say("decay_class", json!(class));
        }
        if let Some(scope) = parts.named.remove("scope") {
            say("scope", json!(scope));
        }
        if let Some(run) = parts.named.remove("from") {
            say("source", json!({"run": run}));
        }
        if parts.flags.remove("page") {
            say("source", json!({"page": {"url": "https://example.com/a", "quote": statement}}));
        }
        let gap = parts.flags.remove("gap");
        if !gap && kind != "commit_norm" {
            say(
                "verification",
                json!([format!("exists {}", place.split([':', '#']).next().unwrap_or_default())]),
            );
        }
        let input = AddInput {
            kind: Some(kind),
            content,
            evidence: vec!["pr:1".to_owned()],
            draft: gap,
            ..AddInput::default()
        };
        let answer = self.open(parts)?.add(input);
        let answer = self.keep(answer)?;
        let right = if self.said.contains_key(name) {
            vec![Outcome::Reinforced]
        } else {
            vec![Outcome::Added, Outcome::Held]
        };
        if !right.contains(&answer.outcome) {
            return Err(self.answer.clone());
        }
        self.ids.insert(name.to_owned(), answer.id);
        self.handles.insert(name.to_owned(), answer.handle);
        self.said.insert(name.to_owned(), (statement.to_owned(), place));
        Ok(())
    }

    fn review(&mut self, head: &str, parts: &mut Parts) -> Told {
        let (run, agents) = colon(head)?;
        let agent = |word: &str| {
            let (word, family) = word.split_once('@').map_or((word, None), |(a, b)| (a, Some(b)));
            let (name, role) = word.split_once('=').map_or((word, None), |(a, b)| (a, Some(b)));
            Agent { name: name.to_owned(), role: role.map(str::to_owned), family: family.map(str::to_owned) }
        };
        let agents = agents.split_whitespace().filter(|word| *word != "nobody").map(agent).collect();
        let subject = match (parts.named.remove("touches"), parts.named.remove("summary")) {
            (Some(path), None) => ReviewSubject::Diff(format!(
                "--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-something old\n+something new\n"
            )),
            (None, summary) => {
                ReviewSubject::Summary(summary.unwrap_or_else(|| "zebras in the meadow".to_owned()))
            }
            (Some(_), Some(_)) => return Err("a review touches files or has a summary".to_owned()),
        };
        let thread = parts.named.remove("thread");
        parts.named.insert("run".to_owned(), run.to_owned());
        let answer = self.open(parts)?.review_start(agents, &subject, thread, None);
        let answer = self.keep(answer)?;
        self.started.insert(run.to_owned(), answer);
        Ok(())
    }

    fn given(&mut self, head: &str) -> Told {
        let (who, right) = colon(head)?;
        let (run, agent) = who.split_once(' ').ok_or("write `given RUN AGENT: ...`")?;
        let started = self.started.get(run).ok_or(format!("no review is called {run}"))?;
        let given = started.agents.get(agent).ok_or(format!("{agent} takes no part in {run}"))?;
        if let Some(count) = right.strip_suffix(" entries") {
            return same("entries", Some(count), Some(&given.entries.len().to_string()));
        }
        if let Some(words) = right.strip_prefix("warning ") {
            let warned = started.warnings.iter().any(|warning| warning.contains(words));
            return if warned { Ok(()) } else { Err(format!("{:?}", started.warnings)) };
        }
        if let Some(words) = right.strip_prefix("block ") {
            return if given.block.contains(words) { Ok(()) } else { Err(given.block.clone()) };
        }
        let right: BTreeSet<&str> = right.split_whitespace().filter(|word| *word != "nothing").collect();
        let name =
            |id: &String| self.ids.iter().find(|(_, known)| *known == id).map_or("?", |(name, _)| name);
        let found: BTreeSet<&str> = given.entries.iter().map(name).collect();
        if right == found { Ok(()) } else { Err(format!("it was given {found:?}")) }
    }

    fn found(&mut self, verb: &str, rest: &str) -> Told {
        let (who, rest) = colon(rest)?;
        let (run, agent) = who.split_once(' ').map_or((who, None), |(run, agent)| (run, Some(agent)));
        let findings: Vec<Value> = match verb {
            "many" => {
                let (count, different) = rest.split_once(" of ").ok_or("write `many R a: 500 of 20`")?;
                let (count, different): (usize, usize) = (number(count)?, number(different)?);
                let titled = |at: usize| json!({"title": format!("Finding number {}", at % different), "severity": 3.0});
                (0..count).map(titled).collect()
            }
            _ if rest == "nothing" => Vec::new(),
            _ => rest.split("; ").map(|text| self.finding(text)).collect::<Told<_>>()?,
        };
        let text = serde_json::to_string(&findings).unwrap();
        let ken = self.open(&mut Parts::default())?;
        let answer = ken.review_report(run, agent, &text);
        self.keep(answer).map(drop)
    }

    /// A finding as JSON.
    fn finding(&self, text: &str) -> Told<Value> {
        let mut parts = Parts::of(text);
        let mut finding = Map::new();
        let mut say = |field: &str, value: Value| finding.insert(field.to_owned(), value);
        let place = match self.said.get(&parts.head) {
            Some((statement, place)) => {
                say("title", json!(statement));
                Some(place.clone())
            }
            None => {
                say("title", json!(parts.head));
                None
            }
        };
        let place = parts.named.remove("at").or(place).filter(|place| place != "nowhere");
        if let Some(place) = place {
            say("places", json!([place]));
        }
        if let Some(step) = parts.named.remove("check") {
            say("verification", json!([step]));
        }
        let severity = parts.named.remove("severity").unwrap_or_else(|| "3".to_owned());
        say("severity", json!(number::<f64>(&severity)?));
        if let Some(confidence) = parts.named.remove("confidence") {
            say("confidence", json!(number::<f64>(&confidence)?));
        }
        for (part, field) in [("by", "agent"), ("project", "project"), ("text", "text")] {
            if let Some(value) = parts.named.remove(part) {
                say(field, json!(value));
            }
        }
        for (flag, field, value) in [
            ("dismissed", "dismissed", true),
            ("primed", "primed", true),
            ("durable", "durable", true),
            ("fleeting", "durable", false),
        ] {
            if parts.flags.remove(flag) {
                say(field, json!(value));
            }
        }
        parts.all_used()?;
        Ok(Value::Object(finding))
    }

    fn complete(&mut self, head: &str, parts: &mut Parts) -> Told {
        let (run, right) = head.split_once(": ").map_or((head, None), |(run, right)| (run, Some(right)));
        let answer = self.open(parts)?.review_complete(run);
        let answer = self.keep(answer)?;
        let Some(right) = right else { return Ok(()) };
        let mut created = answer.created.iter();
        let mut wanted = BTreeSet::new();
        for change in right.split(", ").filter(|change| *change != "nothing") {
            let (name, what) = change.split_once(' ').ok_or(format!("{change:?} is no change"))?;
            if let Some(kind) = what.strip_prefix("created ") {
                let id = created.next().ok_or_else(|| format!("{name} was not created: {}", self.answer))?;
                self.ids.insert(name.to_owned(), id.clone());
                let ken = self.reader()?;
                let view = view(ken, id)?;
                let field = |name: &str| view[name].as_str().unwrap_or_default().to_owned();
                let place = view["anchors"][0]["at"].as_str().or(view["anchors"][0].as_str());
                let place = place.unwrap_or("nowhere").to_owned();
                same("its type is", Some(kind), Some(&field("type")))?;
                self.handles.insert(name.to_owned(), field("handle"));
                self.said.insert(name.to_owned(), (field("statement"), place));
            }
            wanted.insert(format!("{} {what}", self.id(name)?));
        }
        let found = changes(&answer, &wanted);
        if found == wanted {
            return Ok(());
        }
        let told = |all: &BTreeSet<String>| {
            let mut text = all.iter().cloned().collect::<Vec<_>>().join(", ");
            self.ids.iter().for_each(|(name, id)| text = text.replace(id, name));
            text
        };
        Err(format!("it did: {}\n  not: {}\n  {}", told(&found), told(&wanted), self.answer))
    }

    fn finish(&mut self, head: &str, parts: &mut Parts) -> Told {
        let (run, how) = colon(head)?;
        let (how, used) = how.split_once(" used ").map_or((how, None), |(how, used)| (how, Some(used)));
        let (outcome, quality) = how.split_once(' ').map_or((how, None), |(a, b)| (a, Some(b)));
        let ids = |used: &str| {
            let names = used.split_whitespace().filter(|name| *name != "nothing");
            names.map(|name| self.id(name).or(Ok(name.to_owned()))).collect::<Told<Vec<String>>>()
        };
        let input = FinishInput {
            run: run.to_owned(),
            outcome: RunOutcome::from_word(outcome).ok_or(format!("{outcome:?} is no outcome"))?,
            quality: quality.map(number).transpose()?,
            used: used.map(ids).transpose()?,
            wrong: Vec::new(),
            cost: None,
            rounds: None,
            strategy: None,
        };
        let answer = self.open(parts)?.task_finish(input);
        self.keep(answer).map(drop)
    }

    fn expect(&mut self, head: &str) -> Told {
        let (name, right) = colon(head)?;
        let id = self.id(name)?;
        let day_of = |day: i64| Millis(DAY_ZERO + day * 86_400_000).date();
        let ken = self.reader()?;
        let view = view(ken, &id)?;
        let mut wrong = Vec::new();
        for each in right.split(", ") {
            let (what, value) = each.split_once(' ').unwrap_or(("status", each));
            let (value, found) = match what {
                "status" => (value.to_owned(), view["status"].clone()),
                "debt" => (value.to_owned(), view["review_debt"].clone()),
                "confirmed" => match value.strip_prefix("day ") {
                    Some(day) => (day_of(number(day)?), view["last_confirmed"].clone()),
                    None if value == "never" => ("null".to_owned(), view["last_confirmed"].clone()),
                    None => return Err(format!("{each:?}: write `confirmed never` or `confirmed day N`")),
                },
                "belief" => {
                    let mean = view["belief"]["mean"].as_f64().unwrap_or(f64::NAN);
                    (value.to_owned(), json!(format!("{:.1}", mean * 100.0)))
                }
                "errors" => (value.to_owned(), view["prediction_errors"].clone()),
                "latest" => (value.replace("never", "null"), view["confirmation"].clone()),
                "gaps" => {
                    (value.to_owned(), json!(view["gaps"].as_array().map(Vec::len).unwrap_or_default()))
                }
                "type" | "scope" | "thread" | "severity" => (value.to_owned(), view[what].clone()),
                _ => return Err(format!("{each:?} is nothing to expect")),
            };
            let found = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
            if value != found {
                wrong.push(format!("{what} is {found}, not {value}"));
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
    }

    /// The signal of one entry when both answer a question.
    fn together(&mut self, names: &str) -> Told<f64> {
        let (one, other) = names.split_once(' ').ok_or("write `together X Y: 0.451`")?;
        let words = |name| self.said.get(name).map_or("", |(statement, _)| statement.as_str());
        let input =
            SearchInput { query: format!("{} {}", words(one), words(other)), ..SearchInput::default() };
        let id = self.id(one)?;
        self.open = None;
        let options = Options { read_only: true, ..self.options() };
        let answer =
            kenning::open_for(options, Caller::new("human:ada", Millis(self.now()), Channel::Library))
                .and_then(|mut ken| ken.search(&input));
        let answer = answer.map_err(|error| error.to_string())?;
        let found = answer.results.iter().find(|result| result.id == id).ok_or("it does not answer")?;
        found.signals["cooccurrence"].as_f64().ok_or(format!("{:?}", found.signals))
    }
}

/// What a completion did, with created entries as the story calls them: what it calls nothing is told by its id.
fn changes(answer: &CompleteAnswer, wanted: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for id in &answer.created {
        let known = wanted.iter().find(|change| change.starts_with(&format!("{id} created ")));
        found.insert(known.cloned().unwrap_or_else(|| format!("{id} created")));
    }
    found.extend(answer.confirmed.iter().map(|each| format!("{} {}", each.id, word_of(each.kind))));
    found.extend(answer.archived.iter().map(|id| format!("{id} archived")));
    found.extend(answer.restored.iter().map(|id| format!("{id} restored")));
    found
}

fn word_of(kind: Confirmation) -> &'static str {
    match kind {
        Confirmation::Independent => "independent",
        Confirmation::Primed => "primed",
    }
}

/// An entry as `show` tells it, without anybody having read it.
fn view(ken: &mut Reach, id: &str) -> Told<Value> {
    let now = ken.caller.now();
    let view = kenning::ops::find(ken.ledger.projection(), id)
        .and_then(|stored| ken_engine::view::view(ken.ledger.projection(), &stored, now));
    Ok(serde_json::to_value(view.map_err(|error| error.to_string())?).unwrap())
}

fn surface(task: &str, upstream: Option<String>) -> SurfaceInput {
    SurfaceInput {
        role: Role::Researcher,
        task: task.to_owned(),
        deviation: None,
        budget: None,
        full: None,
        upstream,
        episodic: false,
        thread: None,
        debug: false,
        policy: Policy::Pull,
        injecting: None,
    }
}

/// `WORDS | NAME VALUE | FLAG`.
#[derive(Default)]
struct Parts {
    head: String,
    named: BTreeMap<String, String>,
    flags: BTreeSet<String>,
}

impl Parts {
    fn of(text: &str) -> Parts {
        // A step may begin with its parts: `list | run R`.
        let text = format!(" {text}");
        let mut pieces = text.split(" | ").map(str::trim);
        let mut parts = Parts { head: pieces.next().unwrap_or_default().to_owned(), ..Parts::default() };
        for piece in pieces {
            match piece.split_once(' ') {
                Some((name, value)) => drop(parts.named.insert(name.to_owned(), value.to_owned())),
                None => drop(parts.flags.insert(piece.to_owned())),
            }
        }
        parts
    }

    /// Refuses what no step understood.
    fn all_used(&self) -> Told {
        match self.named.keys().chain(&self.flags).next() {
            None => Ok(()),
            Some(part) => Err(format!("the part {part:?} means nothing here")),
        }
    }
}

fn colon(text: &str) -> Told<(&str, &str)> {
    text.split_once(": ").ok_or(format!("{text:?} has no `: `"))
}

fn number<T: std::str::FromStr>(text: &str) -> Told<T> {
    text.trim().parse().map_err(|_| format!("{text:?} is no number"))
}

fn same(what: &str, right: Option<&str>, found: Option<&str>) -> Told {
    if right == found { Ok(()) } else { Err(format!("{what} {}", found.unwrap_or("nothing"))) }
}
