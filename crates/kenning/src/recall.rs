//! The verbs that find: `search`, `surface`, `inject`, `menu`, `applied`, and `embed`, which prepares them.

use std::sync::Arc;

use ken_core::score::Weights;
use ken_core::{Body, EntryKey, Intent, Memory, RunEvent, SettingEvent, place};
use ken_engine::ops::applied::{self, AppliedAnswer};
use ken_engine::ops::pack::{self, PackAnswer, PackInput};
use ken_engine::ops::search::{self, Means, SCORING, SearchAnswer, SearchInput, TokenCount};
use ken_engine::ops::surface::{self, Policy, SurfaceAnswer, SurfaceInput};
use ken_engine::{Embedder, Recall, deliver};
use serde::Serialize;
use serde_json::Value;

use crate::{Access, Error, Kenning, Ledger, Query, Result, ops};

/// A single add takes its own text and so many that were left; more are queued.
const EMBEDDED_AT_WRITE_MAX: usize = 8;

/// Lines of a menu, at most.
const MENU_LINES_MAX: usize = 100;

/// How many vectors there are and how many are missing.
#[derive(Clone, Debug, Serialize)]
pub struct EmbedReport {
    /// The model.
    pub model: String,
    /// Vectors made by this call.
    pub made: usize,
    /// Entries that still wait.
    pub backlog: usize,
    /// Vectors that were damaged and are made anew.
    pub damaged: usize,
}

/// One-liners to choose from.
#[derive(Clone, Debug, Serialize)]
pub struct Menu {
    /// The lines, by kind.
    pub lines: Vec<String>,
    /// The entries behind them.
    pub ids: Vec<String>,
    /// Entries that found no room.
    pub more: usize,
    /// Tokens of the lines, and what counted them.
    pub tokens: TokenCount,
}

impl Kenning {
    /// The model in use, or why there is none. Vectors of another model are not asked from here on.
    pub fn embedder(&mut self) -> std::result::Result<Arc<dyn Embedder>, String> {
        let known = |model: &str| self.store.known_dimensions(model);
        let embedder = self.choice.embedder(&self.options, &self.config, &known)?;
        if !self.model_in_use {
            self.store.use_model(embedder.card()).map_err(|error| error.to_string())?;
            self.model_in_use = true;
        }
        Ok(embedder)
    }

    /// The entries that matter for a question, best first, and why.
    pub fn search(&mut self, input: &SearchInput) -> Result<SearchAnswer> {
        let answer = self.ask(|store, means| search::search(store, input, means))?;
        let keys: Vec<EntryKey> = answer.hits.iter().map(|hit| hit.stored.entry.key).collect();
        // An edit in place changes no folder: what is about to be shown is looked at once more.
        let answer = if self.store.look_again(&keys)? {
            self.ask(|store, means| search::search(store, input, means))?
        } else {
            answer
        };
        self.remember(&answer, &input.query, "pulled", None)?;
        Ok(answer)
    }

    /// Knowledge for a role, within its budget: what it asks for.
    pub fn surface(&mut self, input: &SurfaceInput) -> Result<SurfaceAnswer> {
        let answer = self.ask(|store, means| surface::surface(store, input, means))?;
        self.remember_surfaced(&answer, input, "pulled")?;
        Ok(answer)
    }

    /// Knowledge that a host puts before an agent unasked: never more than five entries in one run (REV-5).
    pub fn inject(&mut self, mut input: SurfaceInput) -> Result<SurfaceAnswer> {
        input.injected_before = Some(self.injected_in_this_run()?);
        let answer = self.ask(|store, means| surface::surface(store, &input, means))?;
        self.remember_surfaced(&answer, &input, "injected")?;
        Ok(answer)
    }

    /// One-liners within a budget: what answers a task, or everything there is, the best or latest of each kind first (SUR-8).
    pub fn menu(&mut self, task: &str, budget: usize) -> Result<Menu> {
        let (mut found, total) = if task.trim().is_empty() {
            let query = Query {
                limit: MENU_LINES_MAX,
                memories: vec![Memory::Semantic, Memory::Procedural],
                ..Query::default()
            };
            let mut page = self.store.list(&query)?;
            let listed = page.entries.len();
            // ENT-8: a menu that nobody in particular asked for shows no thread's own entries.
            page.entries.retain(|stored| stored.entry.fields.scope() != ken_core::Scope::Thread);
            let total = page.total - (listed - page.entries.len());
            (page.entries, total)
        } else {
            let input = SearchInput {
                query: task.to_owned(),
                plain: true,
                limit: MENU_LINES_MAX,
                steady: true,
                ..SearchInput::default()
            };
            let answer = self.search(&input)?;
            let total = answer.hits.len();
            (answer.hits.into_iter().map(|hit| hit.stored).collect::<Vec<_>>(), total)
        };
        // Stable: within a kind the order stays, and kinds come in the order of their first entry.
        let order: Vec<String> = found.iter().map(|stored| stored.entry.kind.word().to_owned()).collect();
        found.sort_by_key(|stored| order.iter().position(|kind| kind == stored.entry.kind.word()));
        let tokens = self.choice.tokens(&self.options);
        let mut menu = Menu {
            lines: Vec::new(),
            ids: Vec::new(),
            more: 0,
            tokens: TokenCount { count: 0, by: tokens.counted_by().to_owned() },
        };
        for stored in found {
            let line = format!("{:<14} {}", stored.entry.kind.word(), deliver::headline(&stored, 80));
            let count = tokens.count(&line);
            if menu.tokens.count + count > budget {
                break;
            }
            menu.tokens.count += count;
            menu.lines.push(line);
            menu.ids.push(stored.id);
        }
        menu.more = total - menu.lines.len();
        Ok(menu)
    }

    /// A token budget filled with what an agent needs (OUT-7). It is delivered, so it counts as shown.
    pub fn pack(&mut self, task: &str, budget: usize, thread: Option<String>) -> Result<PackAnswer> {
        let input = PackInput { task: task.to_owned(), budget, shares: self.shares(), thread };
        let answer = self.ask(|store, means| pack::pack(store, &input, means))?;
        if self.records() && !answer.hits.is_empty() {
            let (writer, run) = (self.writer(), self.options.run.clone());
            let file = place::runs_file(self.store.replica()?, writer.now);
            let entries = answer.hits.iter().map(|hit| hit.stored.entry.key).collect();
            let body = Body::Run(RunEvent::Exposed { run, how: "pulled".to_owned(), entries });
            self.note_quietly(vec![Intent { entry: None, body, file }], &writer);
        }
        Ok(answer)
    }

    /// How a pack's budget is split, as the settings say.
    fn shares(&self) -> [usize; 5] {
        ["pack.task", "pack.observations", "pack.facts", "pack.history", "pack.scratch"]
            .map(|key| self.config.number(key))
    }

    /// What was used and what was dismissed, as a section for a plan or a report.
    pub fn applied(&mut self, used: &[String], dismissed: &[(String, String)]) -> Result<AppliedAnswer> {
        applied::applied(&self.store, used, dismissed)
    }

    /// How a role is served, as the settings say.
    pub fn policy(&self, role: surface::Role) -> Policy {
        let key = format!("surface.{}", role.word());
        match self.config.get(&key).as_deref() {
            Ok("inject") => Policy::Inject,
            Ok("off") => Policy::Off,
            _ => Policy::Pull,
        }
    }

    fn ask<T>(&mut self, question: impl FnOnce(&mut dyn Recall, &Means<'_>) -> Result<T>) -> Result<T> {
        let embedder = self.embedder();
        let now = self.now();
        let tokens = self.choice.tokens(&self.options);
        let means = Means {
            embedder: embedder.as_ref().map(|embedder| &**embedder).map_err(Clone::clone),
            tokens: &*tokens,
            now,
        };
        question(&mut self.store, &means)
    }

    fn records(&self) -> bool {
        self.store.access() == Access::Write && self.config.switch("search.exposures")
    }

    fn remember(&mut self, answer: &SearchAnswer, query: &str, how: &str, role: Option<&str>) -> Result<()> {
        if !self.records() {
            return Ok(());
        }
        let (writer, run) = (self.writer(), self.options.run.clone());
        let replica = self.store.replica()?;
        let intents = search::remembered(answer, query, how, run.as_deref(), role, replica, &writer);
        self.note_quietly(intents, &writer);
        Ok(())
    }

    fn remember_surfaced(&mut self, answer: &SurfaceAnswer, input: &SurfaceInput, how: &str) -> Result<()> {
        let Some(found) = answer.search.as_ref().filter(|_| self.records()) else { return Ok(()) };
        let (writer, run) = (self.writer(), self.options.run.clone());
        let replica = self.store.replica()?;
        let role = Some(input.role.word());
        let mut intents = search::remembered(found, &input.task, how, run.as_deref(), role, replica, &writer);
        let file = place::runs_file(replica, writer.now);
        let mut say = |body| intents.push(Intent { entry: None, body: Body::Run(body), file: file.clone() });
        if !answer.upstream_keys.is_empty() {
            let entries = answer.upstream_keys.clone();
            say(RunEvent::Exposed { run: run.clone(), how: "upstream".to_owned(), entries });
        }
        if answer.exceeded {
            let tokens = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            say(RunEvent::Exceeded {
                run,
                budget: tokens(answer.budget),
                tokens: tokens(answer.tokens.count),
            });
        }
        self.note_quietly(intents, &writer);
        Ok(())
    }

    /// What was read is worth remembering, and not worth failing an answer for.
    fn note_quietly(&mut self, intents: Vec<Intent>, writer: &crate::Writer) {
        if let Err(error) = self.store.append(intents, writer) {
            self.store.notice(format!("what was shown could not be recorded: {error}"));
        }
    }

    /// How many entries this agent has had injected in this run.
    fn injected_in_this_run(&mut self) -> Result<usize> {
        let Some(run) = self.options.run.clone() else { return Ok(0) };
        let actor = self.actor();
        self.store.injected(&run, &actor)
    }

    /// Makes vectors for entries that have none; `go_on` hears how many were made and may say stop.
    pub fn embed(&mut self, go_on: &mut dyn FnMut(usize) -> bool) -> Result<EmbedReport> {
        let embedder = self.embedder().map_err(Error::failed("taking the meaning of texts"))?;
        let damaged = self.store.check_vectors()?;
        let before = self.store.backlog()?;
        let backlog = self.store.embed(&*embedder, usize::MAX, go_on)?;
        Ok(EmbedReport {
            model: embedder.card().name.clone(),
            made: before.saturating_sub(backlog),
            backlog,
            damaged,
        })
    }

    /// How many entries wait for a vector.
    pub fn backlog(&mut self) -> Result<usize> {
        // Vectors that are kept already count, so the model must be in use.
        drop(self.embedder());
        self.store.backlog()
    }

    /// A write takes the meaning of what it wrote at once; many are queued.
    pub(crate) fn embed_what_was_written(&mut self) {
        if self.store.access() == Access::Read {
            return;
        }
        let Ok(embedder) = self.embedder() else { return };
        let made = self.store.backlog().and_then(|waiting| {
            if waiting == 0 || waiting > EMBEDDED_AT_WRITE_MAX {
                return Ok(waiting);
            }
            self.store.embed(&*embedder, EMBEDDED_AT_WRITE_MAX, &mut |_| true)
        });
        if let Err(error) = made {
            self.store.notice(format!(
                "written, but its meaning could not be taken: {error}; `ken embed` tries again"
            ));
        }
    }

    /// The weights of the score.
    pub fn scoring(&mut self) -> Result<Weights> {
        search::weights(&self.store)
    }

    /// Changes the weights of the score, for everybody who shares this store; none is the default.
    pub fn set_scoring(&mut self, weights: Option<&Weights>) -> Result<()> {
        self.store.may_write()?;
        let writer = self.writer();
        let replica = ops::context(&mut self.store, &writer)?.replica;
        let value = weights.map_or(Value::Null, |weights| Value::Object(weights.written()));
        let body = Body::Setting(SettingEvent::Changed { name: SCORING.to_owned(), value });
        let file = place::settings_file(replica, writer.now);
        self.store.append(vec![Intent { entry: None, body, file }], &writer)?;
        Ok(())
    }
}
