//! The verbs that find: `search`, `surface`, `inject`, `menu`, `applied`, and `embed`, which prepares them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use ken_core::run::{INJECTED, PULLED, UPSTREAM};
use ken_core::weights::{Signals, Weights};
use ken_core::{Body, EntryKey, Intent, RunEvent, SettingEvent};
use ken_engine::ops::applied::{self, AppliedAnswer};
use ken_engine::ops::menu;
pub use ken_engine::ops::menu::Menu;
use ken_engine::ops::pack::{self, PackAnswer, PackInput};
use ken_engine::ops::run::{InjectionCap, Receiver, injected_before, own_run};
use ken_engine::ops::search::{self, AnswerStatus, Means, SearchAnswer, SearchInput};
use ken_engine::ops::similar::{self, Compared};
use ken_engine::ops::surface::{self, Policy, SurfaceAnswer, SurfaceInput};
use ken_engine::{Caller, Embedder, Hit, Ledger, Projection, Reach, Reader, read_mending};
use serde::Serialize;
use serde_json::Value;

use crate::limits::recall::{EMBEDDED_AT_WRITE_MAX, EMBEDDED_BEHIND_AT_ONCE};
use crate::{Access, Config, Error, Kenning, Result, ops};

/// How many vectors there are and how many are missing.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EmbedReport {
    pub model: String,
    /// Vectors made by this call.
    pub made: usize,
    /// Entries that still wait.
    pub backlog: usize,
    /// Vectors that were damaged and are made anew.
    pub damaged: usize,
    /// Pairs of entries that turned out to say the same in other words (IN-6); left out where there are none.
    #[serde(skip_serializing_if = "is_none_at_all")]
    pub proposed: usize,
}

fn is_none_at_all(count: &usize) -> bool {
    *count == 0
}

fn surfaced(answer: &SurfaceAnswer) -> Vec<EntryKey> {
    answer.search.as_ref().map(|found| keys(&found.hits)).unwrap_or_default()
}

fn keys(hits: &[Hit]) -> Vec<EntryKey> {
    hits.iter().map(|hit| hit.stored.entry.key).collect()
}

impl Kenning {
    /// The model in use, or why there is none. Vectors of another model are not asked from here on.
    pub fn embedder(&mut self) -> std::result::Result<Arc<dyn Embedder>, String> {
        let vectors = self.store.vectors();
        let embedder = self.models.embedder(&|model| vectors.known_dimensions(model))?;
        if !self.model_in_use {
            vectors.use_model(embedder.card()).map_err(|error| error.to_string())?;
            self.model_in_use = true;
        } else {
            vectors.catch_up();
        }
        Ok(embedder)
    }

    /// The tokens of a text, by the tokenizer in use.
    pub fn tokens_of(&self, text: &str) -> usize {
        self.models.tokens().count(text)
    }

    /// The entries that matter for a question, best first, and why.
    pub fn search(&mut self, input: &SearchInput) -> Result<SearchAnswer> {
        let input = &SearchInput {
            thread: crate::learn::thread_or(&self.store, &self.caller, input.thread.clone())?,
            ..input.clone()
        };
        let answer =
            self.ask_twice(|store, means| search::search(store, input, means), |answer| keys(&answer.hits))?;
        self.remember(&answer, &input.query, PULLED, None)?;
        Ok(answer)
    }

    /// The same of the past: the entries of a time or a commit, judged by the tree of that commit, at its age. Nothing is recorded
    /// (STO-11).
    pub fn search_as_of(&mut self, when: &str, input: &SearchInput) -> Result<SearchAnswer> {
        let embedder = self.embedder();
        let snapshot =
            crate::past(&self.store, when, embedder.as_ref().ok().map(|embedder| embedder.card()))?;
        let tokens = self.models.tokens();
        let ground = std::cell::RefCell::new(self.ground_of(when)?);
        let means = Means {
            embedder: embedder.as_ref().map(|embedder| &**embedder).map_err(Clone::clone),
            tokens: &*tokens,
            now: crate::check::time_of(&self.layout, &self.caller, when)?,
            ground: Some(&ground),
        };
        search::search(&*snapshot, input, &means)
    }

    /// Knowledge for a role, within its budget: what it asks for.
    pub fn surface(&mut self, input: &SurfaceInput) -> Result<SurfaceAnswer> {
        let input = &SurfaceInput {
            thread: crate::learn::thread_or(&self.store, &self.caller, input.thread.clone())?,
            ..input.clone()
        };
        let answer = self.ask_twice(|store, means| surface::surface(store, input, means), surfaced)?;
        self.remember_surfaced(&answer, input, PULLED)?;
        Ok(answer)
    }

    /// Knowledge that a host puts before an agent unasked: never more than five entries in one run (REV-5).
    pub fn inject(&mut self, mut input: SurfaceInput) -> Result<SurfaceAnswer> {
        input.thread = crate::learn::thread_or(&self.store, &self.caller, input.thread)?;
        let (answer, _alone) = self.ask_within_cap(|ken, cap| {
            input.injecting = Some(cap);
            ken.ask_twice(|store, means| surface::surface(store, &input, means), surfaced)
        })?;
        self.remember_surfaced(&answer, &input, INJECTED)?;
        Ok(answer)
    }

    /// Asks with what the cap leaves. Whoever injects meanwhile is waited for, and where that left less room, the question is asked
    /// again. As long as the file is held, nobody else injects: until then it must be recorded.
    fn ask_within_cap<T>(
        &mut self,
        mut ask: impl FnMut(&mut Kenning, InjectionCap) -> Result<T>,
    ) -> Result<(T, Option<Box<dyn Send>>)> {
        let before = injecting(&self.store, &self.config, &self.caller)?;
        let answer = ask(self, before.clone())?;
        let alone = alone_to_inject(&mut self.store, &self.config)?;
        let cap = injecting(&self.store, &self.config, &self.caller)?;
        let answer = if cap == before { answer } else { ask(self, cap)? };
        Ok((answer, alone))
    }

    /// One-liners within a budget: what answers a task, or everything there is (SUR-8).
    pub fn menu(&mut self, task: &str, budget: usize) -> Result<Menu> {
        let menu = self.ask(|store, means| menu::menu(store, task, budget, means))?;
        if let Some(answer) = &menu.search {
            self.remember(answer, task, PULLED, None)?;
        }
        Ok(menu)
    }

    /// A token budget filled with what an agent needs (OUT-7). It is delivered, so it counts as shown; and in a run it is put before
    /// an agent, so the cap of REV-5 holds.
    pub fn pack(&mut self, task: &str, budget: usize, thread: Option<String>) -> Result<PackAnswer> {
        let thread = crate::learn::thread_or(&self.store, &self.caller, thread)?;
        let how = if self.caller.run().is_some() { INJECTED } else { PULLED };
        let shares = shares(&self.config);
        let mut input = PackInput { task: task.to_owned(), budget, shares, thread, injecting: None };
        let fill = |ken: &mut Kenning, input: &PackInput| {
            ken.ask_twice(|store, means| pack::pack(store, input, means), |answer| keys(&answer.hits))
        };
        let (answer, _alone) = match how {
            INJECTED => self.ask_within_cap(|ken, cap| {
                input.injecting = Some(cap);
                fill(ken, &input)
            })?,
            _ => (fill(self, &input)?, None),
        };
        if records(&self.store, &self.config) {
            let exposures = Reader::from_caller(&self.caller);
            let intents = match answer.status {
                AnswerStatus::Empty => vec![exposures.unanswered(search::recorded(task), None)],
                _ => exposures.shown(how, keys(&answer.hits)),
            };
            self.note_quietly(intents);
            self.remember_globally(how, &keys(&answer.hits))?;
        }
        Ok(answer)
    }

    /// What was used and what was dismissed, as a section for a plan or a report.
    pub fn applied(&mut self, used: &[String], dismissed: &[(String, String)]) -> Result<AppliedAnswer> {
        ops::few_names("used", used.len())?;
        ops::few_names("dismissed", dismissed.len())?;
        let names = used.iter().chain(dismissed.iter().map(|(name, _)| name));
        let mut keys: Vec<EntryKey> = Vec::new();
        for name in names {
            keys.extend(ops::find_any(&*self.store, name)?.map(|stored| stored.entry.key));
        }
        self.remember_pulled(keys)?;
        let now = self.caller.now();
        let (mut ground, mut global) = (self.ground(), self.global_to_ask());
        let answer = match &mut global {
            Some(global) => {
                let both = Reach { project: self.store.projection(), global: global.store.projection() };
                applied::applied(&both, Some(&mut ground), used, dismissed, now)
            }
            None => applied::applied(&*self.store, Some(&mut ground), used, dismissed, now),
        };
        global.into_iter().for_each(|global| self.workspace.take_back(global));
        answer
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

    /// Asks, and asks again if what is about to be shown was edited in place: that changes no folder.
    fn ask_twice<T>(
        &mut self,
        question: impl Fn(&dyn Projection, &Means<'_>) -> Result<T>,
        shown: impl Fn(&T) -> Vec<EntryKey>,
    ) -> Result<T> {
        let answer = self.ask(&question)?;
        if self.store.snapshot_mut().look_again(&shown(&answer))? { self.ask(&question) } else { Ok(answer) }
    }

    pub(crate) fn ask<T>(
        &mut self,
        question: impl Fn(&dyn Projection, &Means<'_>) -> Result<T>,
    ) -> Result<T> {
        let embedder = self.embedder();
        let now = self.caller.now();
        let mut global = self.global_to_ask();
        let tokens = self.models.tokens();
        let ground = std::cell::RefCell::new(self.ground().in_a_hurry());
        let means = Means {
            embedder: embedder.as_ref().map(|embedder| &**embedder).map_err(Clone::clone),
            tokens: &*tokens,
            now,
            ground: Some(&ground),
        };
        let answer = read_reach(&mut self.store, global.as_mut(), |entries| question(entries, &means));
        drop(tokens);
        ground.into_inner().save();
        global.into_iter().for_each(|global| self.workspace.take_back(global));
        answer
    }

    /// The global store, where what it holds counts as an answer here (COR-2). One that cannot be opened is a notice.
    pub(crate) fn global_to_ask(&mut self) -> Option<Kenning> {
        if !self.config.switch("search.global") {
            return None;
        }
        if let Some(folder) = self.workspace.global_without_version() {
            let what = format!("{folder} is not a store: it has no VERSION file");
            self.store.notice(format!("the global store could not be searched: {what}"));
            return None;
        }
        match self.global_store(Access::Write)? {
            Ok(global) => Some(global),
            Err(error) => {
                self.store.notice(format!("the global store could not be searched: {error}"));
                None
            }
        }
    }

    /// Records in the global store which of its entries were shown here: in which project, and not for which question (COR-2).
    pub(crate) fn remember_globally(&mut self, how: &str, keys: &[EntryKey]) -> Result<()> {
        if !self.config.switch("search.global") || !self.workspace.has_global() {
            return Ok(());
        }
        let mut theirs = Vec::new();
        for key in keys {
            if self.store.stored(*key)?.is_none() {
                theirs.push(*key);
            }
        }
        if theirs.is_empty() {
            return Ok(());
        }
        let Some(mut global) = self.global_to_ask().filter(|global| records(&global.store, &global.config))
        else {
            return Ok(());
        };
        let project = format!("project:{}", self.project());
        let agent = self.caller.name().to_owned();
        let reader = Reader { run: Some(&project), agent: Some(&agent) };
        if let Err(error) = global.record(reader.shown(how, theirs)) {
            self.store.notice(format!("exposures could not be recorded in the global store: {error}"));
        }
        self.workspace.take_back(global);
        Ok(())
    }

    fn remember(&mut self, answer: &SearchAnswer, query: &str, how: &str, role: Option<&str>) -> Result<()> {
        if !records(&self.store, &self.config) {
            return Ok(());
        }
        crate::warn_of_unknown_run(&mut self.store, &self.caller)?;
        let mut intents = search::remembered(answer, query, how, role, &Reader::from_caller(&self.caller));
        if self.caller.is_browsing() {
            // What somebody is still typing is no question: no entry is to blame for not answering it.
            intents.retain(|intent| matches!(intent.body, Body::Run(RunEvent::Exposed { .. })));
        }
        self.note_quietly(intents);
        self.remember_globally(how, &keys(&answer.hits))
    }

    fn remember_surfaced(&mut self, answer: &SurfaceAnswer, input: &SurfaceInput, how: &str) -> Result<()> {
        let Some(found) = answer.search.as_ref().filter(|_| records(&self.store, &self.config)) else {
            return Ok(());
        };
        let exposures = Reader::from_caller(&self.caller);
        let mut intents = search::remembered(found, &input.task, how, Some(input.role.word()), &exposures);
        intents.extend(exposures.shown(UPSTREAM, answer.upstream_keys.clone()));
        intents.extend(answer.exceeded.then(|| exposures.exceeded(answer.budget, answer.tokens.count)));
        self.note_quietly(intents);
        self.remember_globally(how, &keys(&found.hits))
    }

    /// What was read is worth remembering, and not worth failing an answer for.
    pub(crate) fn note_quietly(&mut self, intents: Vec<Intent>) {
        if let Err(error) = self.record(intents) {
            self.store.notice(format!("exposures could not be recorded: {error}"));
        }
    }

    /// Makes vectors for entries that have none; `go_on` hears how many were made and may say stop.
    pub fn embed(&mut self, go_on: &mut dyn FnMut(usize) -> bool) -> Result<EmbedReport> {
        let embedder = self.embedder().map_err(Error::failed("computing embeddings"))?;
        let damaged = self.store.vectors().check()?;
        let before = self.store.backlog()?;
        let (backlog, proposed) = embed_some(
            &mut self.store,
            &self.config,
            &self.caller,
            &*embedder,
            usize::MAX,
            Compared::Queued,
            go_on,
        )?;
        Ok(EmbedReport {
            model: embedder.card().name.clone(),
            made: before.saturating_sub(backlog),
            backlog,
            damaged,
            proposed,
        })
    }

    /// How many entries wait for a vector.
    pub fn backlog(&mut self) -> Result<usize> {
        // Vectors that are kept already count, so the model must be in use.
        drop(self.embedder());
        self.store.backlog()
    }

    /// Leaves the making of vectors to a process of its own, which ends when it is done. Nothing waits for it, and nothing needs it:
    /// `ken rebuild --embeddings` does the same by hand, and recall answers by words meanwhile.
    pub fn embed_in_background(&mut self) {
        let wanted = self.config.switch("embedder.background") && self.options.background;
        if wanted && self.embedder().is_ok() && self.backlog().unwrap_or(0) > 0 {
            crate::background::embed(&self.options);
        }
    }

    /// Makes the next few vectors that writers left behind them, and says how many still wait.
    pub(crate) fn embed_what_was_left(&mut self) -> Result<usize> {
        let embedder = self.embedder().map_err(Error::failed("computing embeddings"))?;
        let mut made = 0;
        let (waiting, pairs) = embed_some(
            &mut self.store,
            &self.config,
            &self.caller,
            &*embedder,
            EMBEDDED_BEHIND_AT_ONCE,
            Compared::Every,
            &mut |count| {
                made += count;
                true
            },
        )?;
        self.under_way.pool().found_behind(pairs);
        // What cannot be made now is left to the next write.
        Ok(if made == 0 { 0 } else { waiting })
    }

    /// A write takes the meaning of what it wrote at once; many are queued, and so are those of callers who write side by side.
    pub(crate) fn embed_what_was_written(&mut self) {
        if self.store.access() == Access::Read {
            return;
        }
        let Ok(embedder) = self.embedder() else { return };
        if self.under_way.pool().is_busy() {
            return self.workspace.embed_behind(self.under_way.pool(), &self.caller);
        }
        let made = self.store.backlog().and_then(|waiting| {
            if waiting == 0 || waiting > EMBEDDED_AT_WRITE_MAX {
                return Ok(waiting);
            }
            // What another process added meanwhile had no vector when this was compared.
            embed_some(
                &mut self.store,
                &self.config,
                &self.caller,
                &*embedder,
                EMBEDDED_AT_WRITE_MAX,
                Compared::Every,
                &mut |_| true,
            )
            .map(|(waiting, _)| waiting)
        });
        if let Err(error) = made {
            self.store.notice(format!(
                "added, but its embedding could not be computed: {error}; retry with `ken rebuild --embeddings`"
            ));
        }
    }

    /// Weights that everybody who shares this store goes by: of the score, or of admission.
    pub fn weights<S: Signals>(&self, name: &str) -> Result<Weights<S>> {
        let setting = self.store.setting(name)?;
        Ok(setting.and_then(|value| Weights::read(&value).ok()).unwrap_or_default())
    }

    /// Changes weights for everybody who shares this store; none is the default.
    pub fn set_weights<S: Signals>(&mut self, name: &str, weights: Option<&Weights<S>>) -> Result<()> {
        self.store.may_write()?;
        // They decide what is let in and what comes first (COR-7).
        if self.caller.is_unattended() {
            self.caller.require_person(&format!("changing the weights of {name}"))?;
        }
        let writer = crate::writer(&self.config, &self.caller);
        let value = weights.map_or(Value::Null, |weights| Value::Object(weights.written()));
        let body = Body::Setting(SettingEvent::Changed { name: name.to_owned(), value });
        self.store.append(vec![Intent { entry: None, body }], &writer)?;
        Ok(())
    }
}

/// From reading the cap to recording what was put before somebody, one is alone (REV-5). What is not recorded is not counted
/// either.
pub(crate) fn alone_to_inject(store: &mut Ledger, config: &Config) -> Result<Option<Box<dyn Send>>> {
    if !records(store, config) {
        return Ok(None);
    }
    store.alone("injecting").map(Some)
}

/// How a pack's budget is split, as the settings say.
fn shares(config: &Config) -> [usize; 5] {
    ["pack.task", "pack.observations", "pack.facts", "pack.history", "pack.scratch"]
        .map(|key| config.number(key))
}

pub(crate) fn records(store: &Ledger, config: &Config) -> bool {
    store.access() == Access::Write && config.switch("search.exposures")
}

/// How much may be put before this agent in this run (REV-5).
pub(crate) fn injecting(store: &Ledger, config: &Config, caller: &Caller) -> Result<InjectionCap> {
    let (agent, actor, run) =
        (caller.name().to_owned(), caller.actor().to_owned(), caller.run().map(str::to_owned));
    // In a run that began, only who takes part is given anything.
    if let Some(run) = &run
        && store.run(run)?.is_some()
    {
        own_run(&**store, run, caller.agent())?;
    }
    // A person who tries it out in no run is nobody's context.
    let counts = run.is_some() || caller.agent().is_some() || actor.starts_with("agent:");
    let receiver = Receiver { run: run.as_deref(), agent: &agent, actor: &actor };
    let before = match counts {
        true => injected_before(&**store, &receiver, caller.now())?,
        false => BTreeSet::new(),
    };
    Ok(InjectionCap { before, most: config.number("review.entries") })
}

/// Makes vectors, and looks of what had to wait for its own whether it is said already. Says how many entries still wait, and
/// how many pairs were found.
fn embed_some(
    store: &mut Ledger,
    config: &Config,
    caller: &Caller,
    embedder: &dyn Embedder,
    at_most: usize,
    compared: Compared,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Result<(usize, usize)> {
    let writer = crate::writer(config, caller);
    let mut proposed = 0;
    let backlog = store.embed(embedder, at_most, &mut |store, keys| {
        proposed += similar::propose(store, keys, compared, embedder, &writer)?;
        Ok(go_on(keys.len()))
    })?;
    Ok((backlog, proposed))
}

/// Reads of both stores where there are two, and reads again where what was found damaged is mended.
pub(crate) fn read_reach<T>(
    project: &mut Ledger,
    global: Option<&mut Kenning>,
    read: impl Fn(&dyn Projection) -> Result<T>,
) -> Result<T> {
    let Some(global) = global else { return read_mending(project, read) };
    let global = RefCell::new(&mut global.store);
    read_mending(project, |project| {
        read_mending(&mut global.borrow_mut(), |global| read(&Reach { project, global }))
    })
}
