//! Histories in a few lines of text, and the questions that are put to them.

use ken_core::decide::{Authority, Outcome};
use ken_core::event::EntryEvent;
use ken_core::{Body, Intent, Millis, ReplicaId, Status, place};
use ken_engine::intake::Intake;
use ken_engine::memory::MemoryRepository;
use ken_engine::ops::add::{AddInput, add};
use ken_engine::ops::pack::{PackAnswer, PackInput, SECTIONS, pack};
use ken_engine::ops::search::{Means, SearchAnswer, SearchInput, search};
use ken_engine::ops::surface::{Policy, Role, SurfaceAnswer, SurfaceInput, surface};
use ken_engine::ops::{change, find};
use ken_engine::{Calibration, Embedder, Ledger, ModelCard, Result, RuleOfThumb, Writer};
use ken_recall::rank::ANSWER_MIN;
use ken_recall::{Term, terms};
use serde_json::{Map, Value, json};

/// 2026-03-01, noon.
const BEGIN: i64 = 1_772_366_400_000;
const DAY: i64 = 86_400_000;

/// A ledger that was told a history.
pub struct Told {
    pub ledger: Ledger,
    repository: MemoryRepository,
    pub writer: Writer,
    /// Takes the meaning of texts.
    pub model: Option<Box<dyn Embedder>>,
}

impl Told {
    /// A ledger that was told some lines, and answers by words alone.
    pub fn of(history: &str) -> Told {
        let mut told = Told {
            ledger: ken_log_memory::ledger(ReplicaId([1; 6])).unwrap(),
            repository: MemoryRepository::default(),
            writer: Writer {
                actor: "human:Ada".into(),
                now: Millis(BEGIN),
                authority: Authority::attended("human:Ada", false),
            },
            model: None,
        };
        history.lines().map(str::trim).filter(|line| !line.is_empty()).for_each(|line| told.tell(line));
        told
    }

    /// The same, with a model that knows words by their letters and a few by their meaning.
    pub fn with_model(history: &str) -> Told {
        Told { model: Some(Box::new(Toy::default())), ..Told::of(history) }
    }

    /// One line: `day 3`, `by agent:x`, `a contradicts b`, `retract a`, `archive a`, `verified a`, `active a`, or an entry:
    /// `lesson a: What it says. | tag net | severity 9 | run task-1`.
    pub fn tell(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        // No write happens at the instant of another.
        self.writer.now.0 += 1;
        match words.as_slice() {
            ["day", day] => self.writer.now = Millis(BEGIN + day.parse::<i64>().unwrap() * DAY),
            ["by", actor] => self.writer.actor = (*actor).to_owned(),
            [from, relation @ "contradicts", to] => {
                change::link(&mut self.ledger, from, relation, to, false, &self.writer).unwrap();
            }
            ["retract", id] => {
                change::retract(&mut self.ledger, id, "wrong".into(), &self.writer).unwrap();
            }
            ["archive", id] => {
                change::archive(&mut self.ledger, id, "old".into(), &self.writer).unwrap();
            }
            ["verified", id] => self.stands(id, Status::Verified),
            ["active", id] => self.stands(id, Status::Active),
            _ => self.add(line),
        }
    }

    fn stands(&mut self, id: &str, status: Status) {
        let stored = find(self.ledger.projection(), id).unwrap();
        // COR-19: a promotion is worth what it rests on.
        let proved = EntryEvent::Proved { steps: vec!["look".to_owned()], accepted: true };
        let reason = "a test says so".into();
        let promoted = EntryEvent::Promoted { status, reason, rests_on: Vec::new() };
        let _file = place::runs_file(ReplicaId([1; 6]), self.writer.now);
        let intent = |event| Intent { entry: Some(stored.entry.key), body: Body::Entry(event) };
        self.ledger.append(vec![intent(proved), intent(promoted)], &self.writer).unwrap();
    }

    fn add(&mut self, line: &str) {
        let mut parts = line.split(" | ");
        let (head, statement) = parts.next().unwrap().split_once(": ").expect("`KIND ID: TEXT`");
        let (kind, id) = head.split_once(' ').expect("`KIND ID: TEXT`");
        let mut content = Map::new();
        let claim = match kind {
            "spike" => "hypothesis",
            "entity" => "name",
            "commit_norm" => "rule",
            _ => "statement",
        };
        content.insert(claim.into(), statement.into());
        content.insert("id".into(), id.into());
        if !matches!(kind, "entity" | "commit_norm" | "signal" | "observation") {
            content.insert("anchors".into(), json!(["src/a.rs"]));
            content.insert("verification".into(), json!(["look"]));
        }
        for part in parts {
            let (name, value) = part.split_once(' ').expect("`name value`");
            match name {
                "tags" | "domains" => {
                    content.insert(name.into(), json!(value.split(' ').collect::<Vec<_>>()));
                }
                "severity" => drop(content.insert(name.into(), json!(value.parse::<f64>().unwrap()))),
                "run" => drop(content.insert("source".into(), json!({ "run": value }))),
                "thread" => {
                    content.insert(name.into(), value.into());
                    content.insert("scope".into(), "thread".into());
                }
                _ => drop(content.insert(name.into(), value.into())),
            }
        }
        let evidence =
            if matches!(kind, "signal" | "observation") { vec![] } else { vec!["pr:1".to_owned()] };
        let input = AddInput { kind: Some(kind.into()), content, evidence, ..AddInput::default() };
        let answer = add(&mut self.ledger, &self.repository, input, &Intake::default(), &self.writer);
        assert_eq!(
            answer.unwrap_or_else(|error| panic!("{line}: {error}")).outcome,
            Outcome::Added,
            "{line}"
        );
    }

    /// The time it is.
    pub fn now(&self) -> Millis {
        self.writer.now
    }

    fn means(&self) -> (Option<&dyn Embedder>, Millis) {
        (self.model.as_deref(), self.writer.now)
    }

    /// Asks on some day.
    pub fn asks(&mut self, input: &SearchInput) -> Result<SearchAnswer> {
        let model = self.model.take();
        if let Some(model) = &model {
            // A model that fails is told when the question is asked.
            drop(self.ledger.embed(&**model, usize::MAX, &mut |_, _| Ok(true)));
        }
        let embedder = model.as_deref().ok_or_else(|| "no model here".to_owned());
        let means = Means { embedder, tokens: &RuleOfThumb, now: self.means().1, ground: None };
        let answer = search(self.ledger.projection(), input, &means);
        self.model = model;
        answer
    }

    /// Asks a plain question, without draws.
    pub fn ask(&mut self, query: &str) -> SearchAnswer {
        self.asks(&question(query)).unwrap()
    }

    /// The ids that answer, best first.
    pub fn ids(&mut self, query: &str) -> String {
        ids(&self.ask(query))
    }

    /// Hands over.
    pub fn surfaces(&mut self, input: &SurfaceInput) -> Result<SurfaceAnswer> {
        let model = self.model.take();
        let embedder = model.as_deref().ok_or_else(|| "no model here".to_owned());
        let means = Means { embedder, tokens: &RuleOfThumb, now: self.means().1, ground: None };
        let answer = surface(self.ledger.projection(), input, &means);
        self.model = model;
        answer
    }

    /// Hands over to a role, nothing else said.
    pub fn surface(&mut self, role: Role, task: &str) -> SurfaceAnswer {
        self.surfaces(&task_of(role, task)).unwrap()
    }

    /// Packs a budget.
    pub fn packs(&mut self, task: &str, budget: usize) -> Result<PackAnswer> {
        self.packs_with(&PackInput {
            task: task.into(),
            budget,
            shares: SECTIONS.map(|(_, share)| share),
            injecting: None,
            thread: None,
        })
    }

    /// Packs.
    pub fn packs_with(&mut self, input: &PackInput) -> Result<PackAnswer> {
        let model = self.model.take();
        let embedder = model.as_deref().ok_or_else(|| "no model here".to_owned());
        let means = Means { embedder, tokens: &RuleOfThumb, now: self.means().1, ground: None };
        let answer = pack(self.ledger.projection(), input, &means);
        self.model = model;
        answer
    }
}

/// A question without draws.
pub fn question(query: &str) -> SearchInput {
    SearchInput { query: query.into(), steady: true, ..SearchInput::default() }
}

/// A task of a role, nothing else said.
pub fn task_of(role: Role, task: &str) -> SurfaceInput {
    SurfaceInput {
        role,
        task: task.into(),
        deviation: None,
        budget: None,
        full: None,
        upstream: None,
        episodic: false,
        thread: None,
        debug: false,
        policy: Policy::Pull,
        injecting: None,
    }
}

/// The ids of an answer, best first: those that would be an answer alone. What comes behind them fills the limit.
pub fn ids(answer: &SearchAnswer) -> String {
    let likely = answer.results.iter().filter(|result| result.similarity >= ANSWER_MIN);
    likely.map(|result| result.id.as_str()).collect::<Vec<_>>().join(" ")
}

/// The ids of what was handed over.
pub fn handed(answer: &SurfaceAnswer) -> String {
    answer.entries.iter().map(|entry| entry.head.id.as_str()).collect::<Vec<_>>().join(" ")
}

/// Words that mean the same to the toy model.
const SAME: &[(&str, &str)] = &[("paus", "wait"), ("sleep", "wait"), ("car", "vehicl")];
const DIMENSIONS: usize = 1024;

/// A model that puts each word on an axis of its own, as far as they go.
pub struct Toy(ModelCard);

impl Default for Toy {
    fn default() -> Self {
        Toy(ModelCard { name: "toy".into(), dimensions: DIMENSIONS, calibration: Calibration::MINILM })
    }
}

impl Embedder for Toy {
    fn card(&self) -> &ModelCard {
        &self.0
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let meaning = |text: &&str| {
            let mut vector = vec![0.0; DIMENSIONS];
            for word in terms::words(text) {
                let same = SAME.iter().find(|(form, _)| *form == word.form).map(|(_, same)| *same);
                vector[Term::from_form(same.unwrap_or(&word.form)).0 as usize % DIMENSIONS] += 1.0;
            }
            vector
        };
        Ok(texts.iter().map(meaning).collect())
    }
}

/// The value of a field of an answer's first result, as JSON.
pub fn first(answer: &SearchAnswer) -> Value {
    serde_json::to_value(&answer.results[0]).unwrap()
}
