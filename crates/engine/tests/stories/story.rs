//! Runs stories: text with one step per line, who does what, on every kind of store. Only this file calls the engine, so a change of
//! its API is a change of this file.
//!
//! ```text
//! ada adds lesson one "Retry with jitter." citing pr:1 tags=net
//! ada archives one because "not used"
//! show one
//! ```
//!
//! Each step is followed by its answer. A step behind `given` prepares the story: it must not be refused, and is not printed. All
//! stores must give the same answers.

use expect_test::Expect;
use ken_core::decide::{Authority, Change, OnConflict};
use ken_core::{Memory, Millis, OverlayChange, ReplicaId, Scope, Status, Type, TypeName};
use ken_engine::SetUp;
use ken_engine::intake::Intake;
use ken_engine::memory::MemoryRepository;
use ken_engine::ops::add::{AddAnswer, AddInput, OnAbsent, add, add_all};
use ken_engine::ops::change::{self, ChangeAnswer, Citing};
use ken_engine::ops::confirm::{Speaker, Voice};
use ken_engine::ops::read::{self, ListAnswer};
use ken_engine::ops::search::{Means, SearchInput, search};
use ken_engine::ops::{confirm, find, history, merge, note, overlay};
use ken_engine::{Attendance, Ledger, Overlaid, Query, Result, RuleOfThumb, Sort, Threads, Writer};
use ken_log_git::{GitLog, Layout, OpenOptions, set_up};
use ken_log_postgres::{Address, PostgresLog, create_workspace, migrate, new_replica};
use serde_json::{Map, Value};

/// The time at the first step.
const START: &str = "2026-01-02T03:04:05Z";

/// Runs a story on every store and compares the answers.
pub fn check(story: &str, expected: Expect) {
    check_each(StoryRun::all(), story, expected);
}

fn check_each(runs: Vec<StoryRun>, story: &str, expected: Expect) {
    let mut outputs = runs.into_iter().map(|mut run| (run.store_name, run.play(story)));
    let (first_name, first) = outputs.next().expect("there is a store");
    for (name, output) in outputs {
        assert_eq!(first, output, "the {name} and the {first_name} give different answers");
    }
    expected.assert_eq(&first);
}

/// Every store after a story, for assertions that need more than text.
pub fn after(story: &str) -> Vec<StoryRun> {
    let mut runs = StoryRun::all();
    runs.iter_mut().for_each(|run| drop(run.play(story)));
    runs
}

/// The store that a story runs on.
enum Backend {
    Memory(Box<Ledger>),
    /// A store in a temporary folder. `reopened`: it is closed and opened again before every step, as commands do.
    Folder {
        folder: tempfile::TempDir,
        store: Option<Box<Ledger>>,
        reopened: bool,
    },
    /// A workspace in PostgreSQL. Each step is made at the other one of two nodes.
    Postgres {
        nodes: [Box<Ledger>; 2],
        steps: usize,
    },
}

/// A new workspace at two nodes; none where there is no server, which is said aloud.
fn two_nodes() -> Option<Backend> {
    static MIGRATED: std::sync::Once = std::sync::Once::new();
    let address = || Some(Address::parse(ken_testkit::shared_postgres()?).unwrap());
    let (first, second) = (address()?, address()?);
    MIGRATED.call_once(|| drop(migrate(first.clone(), false).unwrap()));
    let replica = new_replica().unwrap();
    let name = format!("story-{replica}");
    assert!(create_workspace(first.clone(), &name, replica).unwrap());
    let node = |address| {
        Box::new(PostgresLog::open(address, &name).unwrap().ledger(ken_engine::Access::Write).unwrap())
    };
    Some(Backend::Postgres { nodes: [node(first), node(second)], steps: 0 })
}

/// One run of a story: a store, the repository around it, and the current time.
pub struct StoryRun {
    pub store_name: &'static str,
    backend: Backend,
    repository: MemoryRepository,
    now: Millis,
}

impl StoryRun {
    fn all() -> Vec<StoryRun> {
        let on_disk = |reopened| {
            let folder = tempfile::tempdir().unwrap();
            set_up(&Layout::at(folder.path()), SetUp::default()).unwrap();
            Backend::Folder { folder, store: None, reopened }
        };
        let run = |store_name, backend| StoryRun {
            store_name,
            backend,
            repository: MemoryRepository {
                commits: vec!["abcdef0123".into()],
                paths: vec!["docs/a.md".into(), "src/net.rs".into()],
                is_shallow: false,
            },
            now: Millis::parse(START).unwrap(),
        };
        let mut runs = vec![
            run(
                "in-memory ledger",
                Backend::Memory(Box::new(ken_log_memory::ledger(ReplicaId([1; 6])).unwrap())),
            ),
            run("store in a folder", on_disk(false)),
            run("store that is reopened for every step", on_disk(true)),
        ];
        runs.extend(two_nodes().map(|nodes| run("workspace at two nodes", nodes)));
        runs
    }

    fn ledger(&mut self) -> &mut Ledger {
        match &mut self.backend {
            Backend::Memory(ledger) => ledger.as_mut(),
            Backend::Folder { folder, store, reopened } => {
                if *reopened {
                    *store = None;
                }
                let open = || {
                    let log = GitLog::open(Layout::at(folder.path()), OpenOptions::default()).unwrap();
                    Box::new(log.ledger().unwrap())
                };
                store.get_or_insert_with(open).as_mut()
            }
            Backend::Postgres { nodes, steps } => nodes[*steps % 2].as_mut(),
        }
    }

    fn play(&mut self, story: &str) -> String {
        let steps = story.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut answers = String::new();
        for step in steps {
            if let Some(given) = step.strip_prefix("given ") {
                let answer = self.step(given);
                assert!(!answer.starts_with("refused"), "{given}: {answer}");
            } else {
                answers += &format!("{step}\n{}", indented(&self.step(step)));
            }
        }
        answers
    }

    fn step(&mut self, step: &str) -> String {
        if let Backend::Postgres { nodes, steps } = &mut self.backend {
            *steps += 1;
            // As each call begins.
            nodes[*steps % 2].refresh().unwrap();
        }
        let words = split(step);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["on", time] => {
                self.now = Millis::parse(time).unwrap();
                String::new()
            }
            ["the", "clone", "is", "shallow"] => {
                self.repository.is_shallow = true;
                String::new()
            }
            ["show", name] => render(self.show(name)),
            ["log", name] => render(history::log(self.ledger().projection(), name).map(|happenings| {
                let line = |event: history::Happening| format!("{}: {}", event.actor, event.summary);
                happenings.into_iter().map(line).collect::<Vec<_>>().join("\n")
            })),
            // A keyword search, best match first.
            ["search", question, filters @ ..] => render(self.search(question, &query(filters))),
            ["list", filters @ ..] => {
                let ids =
                    |page: ListAnswer| page.items.into_iter().map(|line| line.head.id).collect::<Vec<_>>();
                render(self.list(&query(filters)).map(|page| format!("[{}]", ids(page).join(" "))))
            }
            [actor, verb, rest @ ..] => {
                let writer = self.writer(actor);
                render(self.act(verb, rest, &writer))
            }
            _ => panic!("unknown step in a story: {step:?}"),
        }
    }

    fn act(&mut self, verb: &str, rest: &[&str], writer: &Writer) -> Result<String> {
        let repository = self.repository.clone();
        // A person in a story sits at a terminal, an agent does not.
        let attendance = match writer.actor.starts_with("human:") {
            true => Attendance::Attended,
            false => Attendance::Unattended,
        };
        let intake = Intake { attendance, ..Intake::default() };
        let arguments = Arguments::read(rest);
        let because = arguments.because.clone();
        let ledger = self.ledger();
        let changed = match (verb, arguments.words.as_slice()) {
            ("adds", [kind, words @ ..]) => {
                let input = arguments.input(Some(kind), words);
                return add(ledger, &repository, input, &intake, writer).map(render_add);
            }
            // Several entries in one write, by their statements.
            ("adds-all", statements) => {
                let inputs = statements.iter().map(|statement| arguments.input(Some("lesson"), &[statement]));
                let answers = add_all(ledger, &repository, inputs.collect(), &intake, writer)?;
                return Ok(answers.into_iter().map(render_add).collect::<Vec<_>>().join("\n"));
            }
            ("notes", [text]) => {
                return note::note(ledger, &repository, text, &arguments.tags, &intake, writer)
                    .map(render_add);
            }
            ("records-friction", [kind]) => {
                let context = Value::Object(arguments.fields.clone());
                return note::friction(ledger, &repository, kind, context, &intake, writer).map(render_add);
            }
            ("tags", [name, tags @ ..]) => {
                let tags_add = tags.iter().map(|tag| (*tag).to_owned()).collect();
                let change = Change { tags_add, ..Change::default() };
                change::revise(ledger, &repository, name, change, Citing::default(), &intake, writer)
            }
            ("untags", [name, tags @ ..]) => {
                let tags_remove = tags.iter().map(|tag| (*tag).to_owned()).collect();
                let change = Change { tags_remove, ..Change::default() };
                change::revise(ledger, &repository, name, change, Citing::default(), &intake, writer)
            }
            ("revises", [name]) => {
                let change = Change {
                    set: arguments.fields.clone(),
                    tags_add: arguments.tags.clone(),
                    domains_add: arguments.domains.clone(),
                    reason: Some(because).filter(|because| !because.is_empty()),
                    ..Change::default()
                };
                let citing = Citing {
                    evidence: &arguments.evidence,
                    on_absent: OnAbsent::for_flag(arguments.unverified),
                };
                change::revise(ledger, &repository, name, change, citing, &intake, writer)
            }
            ("archives", [name]) => change::archive(ledger, name, because, writer),
            ("archives-older-than", [time]) => {
                let before = Millis::parse(time).unwrap();
                let spared = change::Spared::Nothing;
                let sweep = change::Sweep { before, spared, reason: because, dry_run: false };
                let ids = change::archive_older(ledger, sweep, writer)?.archived;
                return Ok(format!("archived [{}]", ids.join(" ")));
            }
            ("retracts", [name]) => change::retract(ledger, name, because, writer),
            ("restores", [name]) => change::restore(ledger, name, because, writer),
            ("supersedes", [old, new]) => change::supersede(ledger, old, new, because, writer),
            ("merges", [one, other]) => {
                let answer = merge::merge(ledger, one, other, because, writer)?;
                return Ok(format!("{} {}: {}", answer.outcome, answer.merged.id, answer.reasons.join("; ")));
            }
            ("unmerges", [name]) => {
                let answer = merge::unmerge(ledger, name, because, writer)?;
                return Ok(format!("{} {}: {}", answer.outcome, answer.entry.id, answer.reasons.join("; ")));
            }
            ("finds-helpful", [name]) => {
                let speaker = Speaker { run: None, agent: "", voice: Voice::Person, at: None };
                confirm::feedback(ledger, name, true, speaker, because, writer)
            }
            // The successor is added in the same write.
            ("replaces", [old, words @ ..]) => {
                let input = arguments.successor(words);
                change::supersede_by_new(ledger, &repository, old, input, because, &intake, writer)
            }
            ("links", [from, relation, to]) => change::link(ledger, from, relation, to, false, writer),
            ("unlinks", [from, relation, to]) => change::link(ledger, from, relation, to, true, writer),
            ("confirms" | "confirms-without-a-terminal", [name]) => {
                let agent = writer.actor.strip_prefix("agent:");
                let voice = match agent {
                    Some(_) => Voice::Agent,
                    None if verb == "confirms" => Voice::Person,
                    None => Voice::Unattended,
                };
                let agent = agent.unwrap_or(&writer.actor);
                let speaker = Speaker { run: None, agent, voice, at: None };
                confirm::confirm(ledger, name, speaker, because, writer).map(|answer| answer.change)
            }
            ("pins" | "unpins" | "mutes" | "unmutes" | "invalidates" | "reinstates", [name]) => {
                let reason = because;
                let change = match verb {
                    "pins" => OverlayChange::Pinned { reason },
                    "unpins" => OverlayChange::Unpinned { reason },
                    "mutes" => OverlayChange::Muted { reason },
                    "unmutes" => OverlayChange::Unmuted { reason },
                    "invalidates" => OverlayChange::Invalidated { reason },
                    _ => OverlayChange::Reinstated { reason },
                };
                let answer = overlay::lay(ledger, name, change, writer)?;
                return Ok(format!("{} {}: {}", answer.outcome, answer.id, answer.reasons.join("; ")));
            }
            ("purges", [name]) => {
                let stored = find(ledger.projection(), name)?;
                let events = change::purge(ledger, &stored, because, writer)?;
                return Ok(format!("purged {events} events of {}", stored.id));
            }
            ("undoes", []) => {
                let answers = change::undo(ledger, &writer.actor, attendance, writer)?;
                return Ok(answers.into_iter().map(render_change).collect::<Vec<_>>().join("\n"));
            }
            _ => panic!("unknown verb in a story: {verb} {rest:?}"),
        };
        changed.map(render_change)
    }

    fn show(&mut self, name: &str) -> Result<String> {
        let now = self.now;
        let view = read::show(self.ledger().projection(), name, now)?;
        let mut parts = vec![format!("{} {} {}", view.id, view.kind, view.status)];
        parts.extend(view.status_reason.map(|reason| format!("because {reason}")));
        parts.extend(view.superseded_by.map(|id| format!("superseded by {id}")));
        if !view.merged_from.is_empty() {
            parts.push(format!("merged from {}", view.merged_from.join(" ")));
        }
        parts.extend(view.links.iter().map(|link| format!("{} {}", link.relation, link.to)));
        let citations = view.provenance.iter().map(|citation| {
            let unverified = if citation.unverified { "?" } else { "" };
            let withdrawn = if citation.withdrawn { " (withdrawn)" } else { "" };
            format!("{}:{}{unverified}{withdrawn}", citation.evidence_type.word(), citation.evidence_ref)
        });
        parts.push(format!("rests on {}", citations.collect::<Vec<_>>().join(" ")));
        let statement = &view.fields["statement"];
        for (name, value) in &view.fields {
            let usual = ["anchors", "verification", "decay_class", "scope"].contains(&name.as_str());
            let empty = value.as_array().is_some_and(Vec::is_empty);
            let again = name != "statement" && value == statement;
            parts.extend((!usual && !empty && !again).then(|| format!("{name} {value}")));
        }
        parts.extend((!view.gaps.is_empty()).then(|| format!("{} gaps", view.gaps.len())));
        Ok(parts.join("; "))
    }

    fn search(&mut self, question: &str, among: &Query) -> Result<String> {
        let means = Means {
            embedder: Err("no model here".into()),
            tokens: &RuleOfThumb,
            now: self.now,
            ground: None,
        };
        let input = SearchInput {
            query: question.into(),
            among: among.clone(),
            steady: true,
            ..SearchInput::default()
        };
        let answer = search(self.ledger().projection(), &input, &means)?;
        let ids: Vec<&str> = answer.results.iter().map(|result| result.id.as_str()).collect();
        Ok(format!("[{}]", ids.join(" ")))
    }

    fn list(&mut self, query: &Query) -> Result<ListAnswer> {
        let now = self.now;
        read::list(self.ledger().projection(), query, now)
    }

    /// The ids of a list, read page by page; a limit of 0 is one page with all. Checks that every page but the last is full and that the
    /// last one ends at `total`.
    pub fn pages(&mut self, filters: &[&str], limit: usize) -> Vec<String> {
        let mut query = Query { limit, ..query(filters) };
        let mut ids = Vec::new();
        loop {
            let page = self.list(&query).unwrap();
            let more = page.cursor.is_some();
            assert!(
                !more || page.items.len() == limit,
                "the {}: a page of {}",
                self.store_name,
                page.items.len()
            );
            ids.extend(page.items.into_iter().map(|line| line.head.id));
            assert!(page.total == ids.len() || more, "the {} ends early", self.store_name);
            query.after = page.cursor;
            if !more {
                return ids;
            }
        }
    }

    /// A bare name is a person; an agent is written `agent:NAME`.
    fn writer(&self, name: &str) -> Writer {
        let actor = if name.contains(':') { name.to_owned() } else { format!("human:{name}") };
        Writer { actor, now: self.now, authority: Authority::attended("human:Ada", false) }
    }
}

/// What follows a verb: bare words, `key=value` for fields, `citing REF`, `because REASON`, and the words `bare`, `draft`, `unverified`, and, of a
/// merge key that another entry has, `superseding` and `rejecting`.
#[derive(Default)]
struct Arguments {
    words: Vec<String>,
    fields: Map<String, Value>,
    tags: Vec<String>,
    domains: Vec<String>,
    evidence: Vec<String>,
    because: String,
    /// No defaults for evidence, anchors and verification.
    bare: bool,
    draft: bool,
    unverified: bool,
    on_conflict: OnConflict,
}

impl Arguments {
    fn read(rest: &[&str]) -> Arguments {
        let mut arguments = Arguments::default();
        let mut rest = rest.iter();
        while let Some(word) = rest.next() {
            let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
            match (*word, word.split_once('=')) {
                ("citing", _) => arguments.evidence.extend(rest.next().map(|word| (*word).to_owned())),
                ("because", _) => arguments.because = (*rest.next().expect("a reason")).to_owned(),
                ("bare", _) => arguments.bare = true,
                ("draft", _) => arguments.draft = true,
                ("unverified", _) => arguments.unverified = true,
                ("superseding", _) => arguments.on_conflict = OnConflict::Supersede,
                ("rejecting", _) => arguments.on_conflict = OnConflict::Reject,
                (_, Some(("tags", value))) => arguments.tags = list(value),
                (_, Some(("domains", value))) => arguments.domains = list(value),
                (_, Some((name, value)))
                    if name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_') =>
                {
                    let value = if value == "null" { Value::Null } else { Value::from(value) };
                    arguments.fields.insert(name.to_owned(), value);
                }
                _ => arguments.words.push((*word).to_owned()),
            }
        }
        arguments
    }

    /// The input of an add, from an id and a text, or a text alone.
    fn input(&self, kind: Option<&str>, words: &[impl AsRef<str>]) -> AddInput {
        let kind = kind.map(str::to_owned);
        let mut content = self.fields.clone();
        let of = kind.as_deref().and_then(Type::from_word);
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let (id, text) = match words.as_slice() {
            [] => (None, None),
            [text] => (None, Some(*text)),
            [id, text] => (Some(*id), Some(*text)),
            more => panic!("an id and a text, not {more:?}"),
        };
        let norm = of.is_some_and(|of| of.memory() == Memory::Procedural);
        let name = match of {
            Some(Type::Spike) => "hypothesis",
            Some(Type::Entity) => "name",
            _ if norm => "rule",
            _ => "statement",
        };
        content.extend(id.map(|id| ("id".to_owned(), Value::from(id))));
        content.extend(text.map(|text| (name.to_owned(), Value::from(text))));
        let needs_place = of.is_some_and(|of| {
            of.memory() == Memory::Semantic && !matches!(of, Type::Entity | Type::Relationship)
        });
        for (name, value) in [("anchors", "src/net.rs"), ("verification", "look")] {
            if needs_place && !self.bare {
                content.entry(name).or_insert_with(|| Value::from(vec![value]));
            }
        }
        for (name, labels) in [("tags", &self.tags), ("domains", &self.domains)] {
            if !labels.is_empty() {
                content.insert(name.to_owned(), Value::from(labels.clone()));
            }
        }
        let mut evidence = self.evidence.clone();
        if evidence.is_empty() && !self.bare && of.is_some_and(|of| of.memory() != Memory::Episodic) {
            evidence.push("pr:1".to_owned());
        }
        let (draft, on_absent) = (self.draft, OnAbsent::for_flag(self.unverified));
        let on_conflict = self.on_conflict;
        AddInput { kind, content, evidence, draft, on_absent, on_conflict, ..AddInput::default() }
    }

    /// The input for a successor, which has the type of the entry it replaces.
    fn successor(&self, words: &[impl AsRef<str>]) -> AddInput {
        let mut input = self.input(None, words);
        if input.evidence.is_empty() && !self.bare {
            input.evidence.push("pr:1".to_owned());
        }
        input
    }
}

/// Filters of a list or a search: `memory:procedural type:lesson tag:net all sort:id`.
fn query(filters: &[&str]) -> Query {
    let mut query = Query::default();
    for filter in filters {
        let (name, value) = filter.split_once(':').unwrap_or((filter, ""));
        let text = || value.to_owned();
        match name {
            "all" => query.all = true,
            "memory" => query.memories.push(Memory::from_word(value).unwrap()),
            "type" => query.types.push(TypeName::Known(Type::from_word(value).unwrap())),
            "status" => query.statuses.push(Status::from_word(value).unwrap()),
            "scope" => query.scope = Some(Scope::from_word(value).unwrap()),
            "domain" => query.domain = Some(text()),
            "tag" => query.tags.push(text()),
            "reviewer" => query.reviewer = Some(text()),
            "text" => query.text = Some(text()),
            "since" => query.since = Some(Millis::parse(value).unwrap()),
            "by" => query.actor = Some(text()),
            "overlaid" => {
                query.overlaid = match value {
                    "hidden" => Overlaid::Hidden,
                    "pinned" => Overlaid::Pinned,
                    "any" => Overlaid::Any,
                    other => panic!("unknown overlay {other:?}"),
                };
            }
            "pinned-first" => query.pinned_first = true,
            "thread" => query.threads = Threads::Only(text()),
            "seen-from" => query.threads = Threads::SeenFrom((value != "nowhere").then(text)),
            "sort" => {
                query.sort = match value {
                    "updated" => Sort::Updated,
                    "created" => Sort::Created,
                    "id" => Sort::Id,
                    other => panic!("unknown order {other:?}"),
                };
            }
            other => panic!("unknown filter {other:?}"),
        }
    }
    query
}

fn render_add(answer: AddAnswer) -> String {
    let because =
        if answer.reasons.is_empty() { String::new() } else { format!(": {}", answer.reasons.join("; ")) };
    format!("{} {}{because}", answer.outcome, answer.id)
}

fn render_change(answer: ChangeAnswer) -> String {
    format!("{} {}, now {}: {}", answer.outcome, answer.id, answer.status, answer.reasons.join("; "))
}

/// The answer, or the refusal.
fn render(answer: Result<String>) -> String {
    answer.unwrap_or_else(|error| format!("refused: {error}"))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// Splits a line at blanks, except inside double quotes.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    assert!(!quoted, "a quote is open in {line:?}");
    words.extend(word);
    words
}
