//! Stories as text: who does what, one step to a line, told to every kind of store. All that stories know of the engine's calls
//! is in this file.
//!
//! ```text
//! ada adds lesson one "Retry with jitter." citing pr:1 tags=net
//! ada archives one because "not used"
//! show one
//! ```
//!
//! A step is answered by one line or a few. What is `given` goes without saying: it must not be refused, and is not written down.
//! The same story must be answered in the same words by each store.

use expect_test::Expect;
use ken_core::decide::Change;
use ken_core::{Memory, Millis, OverlayChange, ReplicaId, Scope, Status, Type, TypeName};
use ken_engine::memory::{MemoryLedger, MemoryRepository};
use ken_engine::ops::add::{AddAnswer, AddInput, add, add_all};
use ken_engine::ops::change::{self, ChangeAnswer, Citing};
use ken_engine::ops::confirm::Speaker;
use ken_engine::ops::read::{self, ListAnswer};
use ken_engine::ops::search::{Means, SearchInput, search};
use ken_engine::ops::{confirm, find, history, note, overlay};
use ken_engine::way_in::WayIn;
use ken_engine::{Overlaid, Query, Recall, Result, RuleOfThumb, Sort, Threads, Writer};
use ken_store::{Layout, OpenOptions, SetUp, Store, set_up};
use serde_json::{Map, Value};

/// When stories begin.
const BEGINNING: &str = "2026-01-02T03:04:05Z";

/// Tells a story to every store and compares what each answers.
pub fn check(story: &str, expected: Expect) {
    check_each(Told::all(), story, expected);
}

/// The same without the ledger in memory, which does not take purged events out of what it answers from.
/// TODO: when it does, tell these stories with [`check`].
pub fn check_on_disk(story: &str, expected: Expect) {
    let on_disk = Told::all().into_iter().filter(|told| !matches!(told.kept, Kept::Memory(_)));
    check_each(on_disk.collect(), story, expected);
}

fn check_each(all: Vec<Told>, story: &str, expected: Expect) {
    let mut told = all.into_iter().map(|mut told| (told.name, told.play(story)));
    let (first_name, first) = told.next().expect("there is a store");
    for (name, answers) in told {
        assert_eq!(first, answers, "the {name} answers otherwise than the {first_name}");
    }
    expected.assert_eq(&first);
}

/// Each store after a story, for what a line of text cannot say.
pub fn after(story: &str) -> Vec<Told> {
    let mut all = Told::all();
    all.iter_mut().for_each(|told| drop(told.play(story)));
    all
}

/// Where a story is kept.
enum Kept {
    Memory(Box<MemoryLedger>),
    /// A store in a folder of its own; and whether it is closed and opened again before every step, as commands do.
    Folder {
        folder: tempfile::TempDir,
        store: Option<Box<Store>>,
        reopened: bool,
    },
}

/// A store, the repository around it, and the time it is there.
pub struct Told {
    pub name: &'static str,
    kept: Kept,
    repository: MemoryRepository,
    now: Millis,
}

impl Told {
    fn all() -> Vec<Told> {
        let on_disk = |reopened| {
            let folder = tempfile::tempdir().unwrap();
            set_up(&Layout::at(folder.path()), SetUp::default()).unwrap();
            Kept::Folder { folder, store: None, reopened }
        };
        let told = |name, kept| Told {
            name,
            kept,
            repository: MemoryRepository {
                commits: vec!["abcdef0123".into()],
                paths: vec!["docs/a.md".into(), "src/net.rs".into()],
            },
            now: Millis::parse(BEGINNING).unwrap(),
        };
        vec![
            told("ledger in memory", Kept::Memory(Box::new(MemoryLedger::new(ReplicaId([1; 6]))))),
            told("store in a folder", on_disk(false)),
            told("store that is opened again for every step", on_disk(true)),
        ]
    }

    fn ledger(&mut self) -> &mut dyn Recall {
        match &mut self.kept {
            Kept::Memory(ledger) => ledger.as_mut(),
            Kept::Folder { folder, store, reopened } => {
                if *reopened {
                    *store = None;
                }
                let open =
                    || Box::new(Store::open(Layout::at(folder.path()), OpenOptions::default()).unwrap());
                store.get_or_insert_with(open).as_mut()
            }
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
        let words = split(step);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["on", time] => {
                self.now = Millis::parse(time).unwrap();
                String::new()
            }
            ["show", name] => told(self.show(name)),
            ["log", name] => told(history::log(self.ledger(), name).map(|happenings| {
                let line = |told: history::Happening| format!("{}: {}", told.actor, told.summary);
                happenings.into_iter().map(line).collect::<Vec<_>>().join("\n")
            })),
            // The words of a search, and what it finds, the best first. No model takes part.
            ["asks", question, filters @ ..] => told(self.asks(question, &query(filters))),
            ["list", filters @ ..] => {
                let ids = |page: ListAnswer| page.entries.into_iter().map(|line| line.id).collect::<Vec<_>>();
                told(self.list(&query(filters)).map(|page| format!("[{}]", ids(page).join(" "))))
            }
            [actor, verb, rest @ ..] => {
                let writer = self.writer(actor);
                told(self.act(verb, rest, &writer))
            }
            _ => panic!("a story has no step {step:?}"),
        }
    }

    fn act(&mut self, verb: &str, rest: &[&str], writer: &Writer) -> Result<String> {
        let repository = self.repository.clone();
        let way_in = WayIn::default();
        let said = Said::read(rest);
        let because = said.because.clone();
        let ledger = self.ledger();
        let changed = match (verb, said.words.as_slice()) {
            ("adds", [kind, words @ ..]) => {
                let input = said.input(Some(kind), words);
                return add(ledger, &repository, input, &way_in, writer).map(added);
            }
            // Several entries in one write: their statements.
            ("adds-all", statements) => {
                let inputs = statements.iter().map(|statement| said.input(Some("lesson"), &[statement]));
                let answers = add_all(ledger, &repository, inputs.collect(), &way_in, writer)?;
                return Ok(answers.into_iter().map(added).collect::<Vec<_>>().join("\n"));
            }
            ("notes", [text]) => {
                return note::note(ledger, &repository, text, &said.tags, &way_in, writer).map(added);
            }
            ("meets", [kind]) => {
                let context = Value::Object(said.fields.clone());
                return note::friction(ledger, &repository, kind, context, &way_in, writer).map(added);
            }
            ("tags", [name, tags @ ..]) => {
                let tags_add = tags.iter().map(|tag| (*tag).to_owned()).collect();
                let change = Change { tags_add, ..Change::default() };
                change::revise(ledger, &repository, name, change, Citing::default(), &way_in, writer)
            }
            ("untags", [name, tags @ ..]) => {
                let tags_remove = tags.iter().map(|tag| (*tag).to_owned()).collect();
                let change = Change { tags_remove, ..Change::default() };
                change::revise(ledger, &repository, name, change, Citing::default(), &way_in, writer)
            }
            ("revises", [name]) => {
                let change = Change {
                    set: said.fields.clone(),
                    tags_add: said.tags.clone(),
                    domains_add: said.domains.clone(),
                    reason: Some(because).filter(|because| !because.is_empty()),
                    ..Change::default()
                };
                let citing = Citing { evidence: &said.evidence, unverified: said.unverified };
                change::revise(ledger, &repository, name, change, citing, &way_in, writer)
            }
            ("archives", [name]) => change::archive(ledger, name, because, writer),
            ("archives-older-than", [time]) => {
                let before = Millis::parse(time).unwrap();
                let ids = change::archive_older(ledger, before, because, writer)?;
                return Ok(format!("archived [{}]", ids.join(" ")));
            }
            ("retracts", [name]) => change::retract(ledger, name, because, writer),
            ("restores", [name]) => change::restore(ledger, name, because, writer),
            ("supersedes", [old, new]) => change::supersede(ledger, old, new, because, writer),
            // The successor is stated in the same breath.
            ("restates", [old, words @ ..]) => {
                let input = said.successor(words);
                change::supersede_by_new(ledger, &repository, old, input, because, &way_in, writer)
            }
            ("links", [from, relation, to]) => change::link(ledger, from, relation, to, false, writer),
            ("unlinks", [from, relation, to]) => change::link(ledger, from, relation, to, true, writer),
            ("confirms", [name]) => {
                let agent = writer.actor.strip_prefix("agent:");
                let is_person = agent.is_none();
                let speaker = Speaker { run: None, agent: agent.unwrap_or_default(), is_person, at: None };
                confirm::confirm(ledger, name, speaker, because, writer).map(|answer| answer.change)
            }
            ("pins" | "unpins" | "mutes" | "unmutes" | "doubts" | "trusts", [name]) => {
                let reason = because;
                let change = match verb {
                    "pins" => OverlayChange::Pinned { reason },
                    "unpins" => OverlayChange::Unpinned { reason },
                    "mutes" => OverlayChange::Muted { reason },
                    "unmutes" => OverlayChange::Unmuted { reason },
                    "doubts" => OverlayChange::Invalidated { reason },
                    _ => OverlayChange::Reinstated { reason },
                };
                let answer = overlay::lay(ledger, name, change, writer)?;
                return Ok(format!("{} {}: {}", answer.outcome, answer.id, answer.reasons.join("; ")));
            }
            ("purges", [name]) => {
                let stored = find(ledger, name)?;
                let events = change::purge(ledger, &stored, because, writer)?;
                return Ok(format!("purged {events} events of {}", stored.id));
            }
            ("undoes", []) => {
                let answers = change::undo(ledger, writer)?;
                return Ok(answers.into_iter().map(changed_line).collect::<Vec<_>>().join("\n"));
            }
            _ => panic!("nobody {verb} {rest:?} in a story"),
        };
        changed.map(changed_line)
    }

    fn show(&mut self, name: &str) -> Result<String> {
        let now = self.now;
        let view = read::show(self.ledger(), name, now)?;
        let mut parts = vec![format!("{} {} {}", view.id, view.kind, view.status)];
        parts.extend(view.status_reason.map(|reason| format!("because {reason}")));
        parts.extend(view.superseded_by.map(|id| format!("superseded by {id}")));
        parts.extend(view.links.iter().map(|link| format!("{} {}", link.relation, link.to)));
        let citations = view.provenance.iter().map(|citation| {
            let mark = if citation.unverified { "?" } else { "" };
            format!("{}:{}{mark}", citation.evidence_type.word(), citation.evidence_ref)
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

    fn asks(&mut self, question: &str, among: &Query) -> Result<String> {
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
        let answer = search(self.ledger(), &input, &means)?;
        let ids: Vec<&str> = answer.results.iter().map(|result| result.id.as_str()).collect();
        Ok(format!("[{}]", ids.join(" ")))
    }

    fn list(&mut self, query: &Query) -> Result<ListAnswer> {
        let now = self.now;
        read::list(self.ledger(), query, now)
    }

    /// The ids of what a list finds, read a page at a time; 0 is one page of all. Each page but the last is full, and says how many
    /// there are in all.
    pub fn pages(&mut self, filters: &[&str], limit: usize) -> Vec<String> {
        let mut query = Query { limit, ..query(filters) };
        let mut ids = Vec::new();
        loop {
            let page = self.list(&query).unwrap();
            let more = page.next.is_some();
            assert!(
                !more || page.entries.len() == limit,
                "the {}: a page of {}",
                self.name,
                page.entries.len()
            );
            ids.extend(page.entries.into_iter().map(|line| line.id));
            assert!(page.total == ids.len() || more, "the {} ends early", self.name);
            query.after = page.next;
            if !more {
                return ids;
            }
        }
    }

    /// People have a name; agents are called `agent:NAME`.
    fn writer(&self, name: &str) -> Writer {
        let actor = if name.contains(':') { name.to_owned() } else { format!("human:{name}") };
        Writer { actor, now: self.now, approver: false }
    }
}

/// What stands behind a verb: bare words, `key=value` for fields, `citing REF`, `because REASON`, and a few marks.
#[derive(Default)]
struct Said {
    words: Vec<String>,
    fields: Map<String, Value>,
    tags: Vec<String>,
    domains: Vec<String>,
    evidence: Vec<String>,
    because: String,
    /// Nothing that was not said is filled in.
    bare: bool,
    draft: bool,
    unverified: bool,
}

impl Said {
    fn read(rest: &[&str]) -> Said {
        let mut said = Said::default();
        let mut rest = rest.iter();
        while let Some(word) = rest.next() {
            let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
            match (*word, word.split_once('=')) {
                ("citing", _) => said.evidence.extend(rest.next().map(|word| (*word).to_owned())),
                ("because", _) => said.because = (*rest.next().expect("a reason")).to_owned(),
                ("bare", _) => said.bare = true,
                ("draft", _) => said.draft = true,
                ("unverified", _) => said.unverified = true,
                (_, Some(("tags", value))) => said.tags = list(value),
                (_, Some(("domains", value))) => said.domains = list(value),
                (_, Some((name, value)))
                    if name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_') =>
                {
                    let value = if value == "null" { Value::Null } else { Value::from(value) };
                    said.fields.insert(name.to_owned(), value);
                }
                _ => said.words.push((*word).to_owned()),
            }
        }
        said
    }

    /// What is to be added: an id and a text, or a text alone.
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
        let (draft, unverified) = (self.draft, self.unverified);
        AddInput { kind, content, evidence, draft, unverified, ..AddInput::default() }
    }

    /// A successor is of the type of what it replaces.
    fn successor(&self, words: &[impl AsRef<str>]) -> AddInput {
        let mut input = self.input(None, words);
        if input.evidence.is_empty() && !self.bare {
            input.evidence.push("pr:1".to_owned());
        }
        input
    }
}

/// `memory:procedural type:lesson tag:net all sort:id`, much as `ken list` has them.
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
                    other => panic!("nothing is overlaid {other:?}"),
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
                    other => panic!("there is no order {other:?}"),
                };
            }
            other => panic!("there is no filter {other:?}"),
        }
    }
    query
}

fn added(answer: AddAnswer) -> String {
    let because =
        if answer.reasons.is_empty() { String::new() } else { format!(": {}", answer.reasons.join("; ")) };
    format!("{} {}{because}", answer.outcome, answer.id)
}

fn changed_line(answer: ChangeAnswer) -> String {
    format!("{} {}, now {}: {}", answer.outcome, answer.id, answer.status, answer.reasons.join("; "))
}

fn told(answer: Result<String>) -> String {
    answer.unwrap_or_else(|error| format!("refused: {error}"))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// Words with blanks between; those in double quotes may hold blanks themselves.
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
