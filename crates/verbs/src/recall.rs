//! The verbs that find: `search`, `surface`, `inject`, `menu`, `applied`, and `embed`, which prepares them.

use crate::embedding::embedder;
use std::cell::RefCell;
use std::collections::BTreeSet;

use ken_core::run::{INJECTED, PULLED, UPSTREAM};
use ken_core::weights::{Signals, Weights};
use ken_core::{Body, EntryKey, Intent, RunEvent, SettingEvent};
use ken_engine::ops::applied::{self, AppliedAnswer};
use ken_engine::ops::menu;
pub use ken_engine::ops::menu::Menu;
use ken_engine::ops::pack::{self, PackAnswer, PackInput};
use ken_engine::ops::run::{InjectionCap, Receiver, injected_before, own_run};
use ken_engine::ops::search::{self, AnswerStatus, Means, SearchAnswer, SearchInput};
use ken_engine::ops::surface::{self, Policy, SurfaceAnswer, SurfaceInput};
use ken_engine::{Caller, Hit, JoinedStores, Ledger, Projection, Reader, read_mending};
use serde_json::Value;

use crate::{Access, Config, ModelsInUse, Reach, Result, Site, ops};

fn surfaced(answer: &SurfaceAnswer) -> Vec<EntryKey> {
    answer.search.as_ref().map(|found| keys(&found.hits)).unwrap_or_default()
}

pub(crate) fn keys(hits: &[Hit]) -> Vec<EntryKey> {
    hits.iter().map(|hit| hit.stored.entry.key).collect()
}

/// The tokens of a text, by the tokenizer in use.
pub fn tokens_of(models: &ModelsInUse, text: &str) -> usize {
    models.all.tokens().count(text)
}

/// The entries that matter for a question, best first, and why.
pub fn search(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: &SearchInput,
) -> Result<SearchAnswer> {
    let input = &SearchInput {
        thread: crate::thread::thread_or(ledger, caller, input.thread.clone())?,
        ..input.clone()
    };
    let answer = ask_twice(
        ledger,
        site,
        models,
        caller,
        |store, means| search::search(store, input, means),
        |answer| keys(&answer.hits),
    )?;
    remember(ledger, site, caller, &answer, &input.query, PULLED, None)?;
    Ok(answer)
}

/// The same of the past: the entries of a time or a commit, judged by the tree of that commit, at its age. Nothing is recorded
/// (STO-11).
pub fn search_as_of(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    when: &str,
    input: &SearchInput,
) -> Result<SearchAnswer> {
    let embedder = self::embedder(ledger, models);
    let snapshot = crate::past::past(ledger, when, embedder.as_ref().ok().map(|embedder| embedder.card()))?;
    let tokens = models.all.tokens();
    let ground = std::cell::RefCell::new(crate::ground::ground_of(site, when)?);
    let means = Means {
        embedder: embedder.as_ref().map(|embedder| &**embedder).map_err(Clone::clone),
        tokens: &*tokens,
        now: crate::ground::time_of(&site.layout, caller, when)?,
        ground: Some(&ground),
    };
    search::search(&*snapshot, input, &means)
}

/// Knowledge for a role, within its budget: what it asks for.
pub fn surface(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: &SurfaceInput,
) -> Result<SurfaceAnswer> {
    let input = &SurfaceInput {
        thread: crate::thread::thread_or(ledger, caller, input.thread.clone())?,
        ..input.clone()
    };
    let answer = ask_twice(
        ledger,
        site,
        models,
        caller,
        |store, means| surface::surface(store, input, means),
        surfaced,
    )?;
    remember_surfaced(ledger, site, caller, &answer, input, PULLED)?;
    Ok(answer)
}

/// Knowledge that a host puts before an agent unasked: never more than five entries in one run (REV-5).
pub fn inject(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    mut input: SurfaceInput,
) -> Result<SurfaceAnswer> {
    input.thread = crate::thread::thread_or(ledger, caller, input.thread)?;
    let (answer, _alone) = ask_within_cap(ledger, &site.config, models, caller, |ledger, models, cap| {
        input.injecting = Some(cap);
        ask_twice(
            ledger,
            site,
            models,
            caller,
            |store, means| surface::surface(store, &input, means),
            surfaced,
        )
    })?;
    remember_surfaced(ledger, site, caller, &answer, &input, INJECTED)?;
    Ok(answer)
}

/// Asks with what the cap leaves. Whoever injects meanwhile is waited for, and where that left less room, the question is asked
/// again. As long as the file is held, nobody else injects: until then it must be recorded.
fn ask_within_cap<T>(
    ledger: &mut Ledger,
    config: &Config,
    models: &mut ModelsInUse,
    caller: &Caller,
    mut ask: impl FnMut(&mut Ledger, &mut ModelsInUse, InjectionCap) -> Result<T>,
) -> Result<(T, Option<Box<dyn Send>>)> {
    let before = injecting(ledger, config, caller)?;
    let answer = ask(ledger, models, before.clone())?;
    let alone = alone_to_inject(ledger, config)?;
    let cap = injecting(ledger, config, caller)?;
    let answer = if cap == before { answer } else { ask(ledger, models, cap)? };
    Ok((answer, alone))
}

/// One-liners within a budget: what answers a task, or everything there is (SUR-8).
pub fn menu(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    task: &str,
    budget: usize,
) -> Result<Menu> {
    let menu = ask(ledger, site, models, caller, |store, means| menu::menu(store, task, budget, means))?;
    if let Some(answer) = &menu.search {
        remember(ledger, site, caller, answer, task, PULLED, None)?;
    }
    Ok(menu)
}

/// A token budget filled with what an agent needs (OUT-7). It is delivered, so it counts as shown; and in a run it is put before
/// an agent, so the cap of REV-5 holds.
pub fn pack(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    task: &str,
    budget: usize,
    thread: Option<String>,
) -> Result<PackAnswer> {
    let thread = crate::thread::thread_or(ledger, caller, thread)?;
    let how = if caller.run().is_some() { INJECTED } else { PULLED };
    let shares = shares(&site.config);
    let mut input = PackInput { task: task.to_owned(), budget, shares, thread, injecting: None };
    let fill = |ledger: &mut Ledger, models: &mut ModelsInUse, input: &PackInput| {
        ask_twice(
            ledger,
            site,
            models,
            caller,
            |store, means| pack::pack(store, input, means),
            |answer| keys(&answer.hits),
        )
    };
    let (answer, _alone) = match how {
        INJECTED => ask_within_cap(ledger, &site.config, models, caller, |ledger, models, cap| {
            input.injecting = Some(cap);
            fill(ledger, models, &input)
        })?,
        _ => (fill(ledger, models, &input)?, None),
    };
    if records(ledger, &site.config) {
        let exposures = Reader::from_caller(caller);
        let intents = match answer.status {
            AnswerStatus::Empty => vec![exposures.unanswered(search::recorded(task), None)],
            _ => exposures.shown(how, keys(&answer.hits)),
        };
        note_quietly(ledger, site, caller, intents);
        remember_globally(ledger, site, caller, how, &keys(&answer.hits))?;
    }
    Ok(answer)
}

/// What was used and what was dismissed, as a section for a plan or a report.
pub fn applied(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    used: &[String],
    dismissed: &[(String, String)],
) -> Result<AppliedAnswer> {
    ops::few_names("used", used.len())?;
    ops::few_names("dismissed", dismissed.len())?;
    let names = used.iter().chain(dismissed.iter().map(|(name, _)| name));
    let mut keys: Vec<EntryKey> = Vec::new();
    for name in names {
        keys.extend(ops::find_any(&**ledger, name)?.map(|stored| stored.entry.key));
    }
    crate::exposures::remember_pulled(ledger, site, caller, keys)?;
    let now = caller.now();
    let (mut ground, mut global) = (crate::ground::ground(ledger, site), global_to_ask(ledger, site, caller));
    let answer = match &mut global {
        Some(global) => {
            let both = JoinedStores { project: ledger.projection(), global: global.ledger.projection() };
            applied::applied(&both, Some(&mut ground), used, dismissed, now)
        }
        None => applied::applied(&**ledger, Some(&mut ground), used, dismissed, now),
    };
    global.into_iter().for_each(|global| site.workspace.take_back(global));
    answer
}

/// How a role is served, as the settings say.
pub fn policy(config: &Config, role: surface::Role) -> Policy {
    let key = format!("surface.{}", role.word());
    match config.get(&key).as_deref() {
        Ok("inject") => Policy::Inject,
        Ok("off") => Policy::Off,
        _ => Policy::Pull,
    }
}

/// Asks, and asks again if what is about to be shown was edited in place: that changes no folder.
fn ask_twice<T>(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    question: impl Fn(&dyn Projection, &Means<'_>) -> Result<T>,
    shown: impl Fn(&T) -> Vec<EntryKey>,
) -> Result<T> {
    let answer = ask(ledger, site, models, caller, &question)?;
    if ledger.snapshot_mut().look_again(&shown(&answer))? {
        ask(ledger, site, models, caller, &question)
    } else {
        Ok(answer)
    }
}

pub(crate) fn ask<T>(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    question: impl Fn(&dyn Projection, &Means<'_>) -> Result<T>,
) -> Result<T> {
    let embedder = self::embedder(ledger, models);
    let now = caller.now();
    let mut global = global_to_ask(ledger, site, caller);
    let tokens = models.all.tokens();
    let ground = std::cell::RefCell::new(crate::ground::ground(ledger, site).in_a_hurry());
    let means = Means {
        embedder: embedder.as_ref().map(|embedder| &**embedder).map_err(Clone::clone),
        tokens: &*tokens,
        now,
        ground: Some(&ground),
    };
    let answer = read_reach(ledger, global.as_mut(), |entries| question(entries, &means));
    drop(tokens);
    ground.into_inner().save();
    global.into_iter().for_each(|global| site.workspace.take_back(global));
    answer
}

/// The global store, where what it holds counts as an answer here (COR-2). One that cannot be opened is a notice.
pub(crate) fn global_to_ask(ledger: &mut Ledger, site: &Site, caller: &Caller) -> Option<Reach> {
    if !site.config.switch("search.global") {
        return None;
    }
    if let Some(folder) = site.workspace.global_without_version() {
        let what = format!("{folder} is not a store: it has no VERSION file");
        ledger.notice(format!("the global store could not be searched: {what}"));
        return None;
    }
    match crate::global_store::global_store(&site.workspace, caller, Access::Write)? {
        Ok(global) => Some(global),
        Err(error) => {
            ledger.notice(format!("the global store could not be searched: {error}"));
            None
        }
    }
}

/// Records in the global store which of its entries were shown here: in which project, and not for which question (COR-2).
pub(crate) fn remember_globally(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    how: &str,
    keys: &[EntryKey],
) -> Result<()> {
    if !site.config.switch("search.global") || !site.workspace.has_global() {
        return Ok(());
    }
    let mut theirs = Vec::new();
    for key in keys {
        if ledger.stored(*key)?.is_none() {
            theirs.push(*key);
        }
    }
    if theirs.is_empty() {
        return Ok(());
    }
    let Some(mut global) =
        global_to_ask(ledger, site, caller).filter(|global| records(&global.ledger, &global.site.config))
    else {
        return Ok(());
    };
    let project = format!("project:{}", crate::repository::project(site));
    let agent = caller.name().to_owned();
    let reader = Reader { run: Some(&project), agent: Some(&agent) };
    if let Err(error) =
        crate::exposures::record(&mut global.ledger, &global.site, &global.caller, reader.shown(how, theirs))
    {
        ledger.notice(format!("exposures could not be recorded in the global store: {error}"));
    }
    site.workspace.take_back(global);
    Ok(())
}

fn remember(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    answer: &SearchAnswer,
    query: &str,
    how: &str,
    role: Option<&str>,
) -> Result<()> {
    if !records(ledger, &site.config) {
        return Ok(());
    }
    crate::exposures::warn_of_unknown_run(ledger, caller)?;
    let mut intents = search::remembered(answer, query, how, role, &Reader::from_caller(caller));
    if caller.is_browsing() {
        // What somebody is still typing is no question: no entry is to blame for not answering it.
        intents.retain(|intent| matches!(intent.body, Body::Run(RunEvent::Exposed { .. })));
    }
    note_quietly(ledger, site, caller, intents);
    remember_globally(ledger, site, caller, how, &keys(&answer.hits))
}

fn remember_surfaced(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    answer: &SurfaceAnswer,
    input: &SurfaceInput,
    how: &str,
) -> Result<()> {
    let Some(found) = answer.search.as_ref().filter(|_| records(ledger, &site.config)) else {
        return Ok(());
    };
    let exposures = Reader::from_caller(caller);
    let mut intents = search::remembered(found, &input.task, how, Some(input.role.word()), &exposures);
    intents.extend(exposures.shown(UPSTREAM, answer.upstream_keys.clone()));
    intents.extend(answer.exceeded.then(|| exposures.exceeded(answer.budget, answer.tokens.count)));
    note_quietly(ledger, site, caller, intents);
    remember_globally(ledger, site, caller, how, &keys(&found.hits))
}

/// What was read is worth remembering, and not worth failing an answer for.
pub(crate) fn note_quietly(ledger: &mut Ledger, site: &Site, caller: &Caller, intents: Vec<Intent>) {
    if let Err(error) = crate::exposures::record(ledger, site, caller, intents) {
        ledger.notice(format!("exposures could not be recorded: {error}"));
    }
}

/// Weights that everybody who shares this store goes by: of the score, or of admission.
pub fn weights<S: Signals>(ledger: &Ledger, name: &str) -> Result<Weights<S>> {
    let setting = ledger.setting(name)?;
    Ok(setting.and_then(|value| Weights::read(&value).ok()).unwrap_or_default())
}

/// Changes weights for everybody who shares this store; none is the default.
pub fn set_weights<S: Signals>(
    ledger: &mut Ledger,
    config: &Config,
    caller: &Caller,
    name: &str,
    weights: Option<&Weights<S>>,
) -> Result<()> {
    ledger.may_write()?;
    // They decide what is let in and what comes first (COR-7).
    if caller.is_unattended() {
        caller.require_person(&format!("changing the weights of {name}"))?;
    }
    let writer = crate::writer::writer(config, caller);
    let value = weights.map_or(Value::Null, |weights| Value::Object(weights.written()));
    let body = Body::Setting(SettingEvent::Changed { name: name.to_owned(), value });
    ledger.append(vec![Intent { entry: None, body }], &writer)?;
    Ok(())
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

/// Reads of both stores where there are two, and reads again where what was found damaged is mended.
pub(crate) fn read_reach<T>(
    project: &mut Ledger,
    global: Option<&mut Reach>,
    read: impl Fn(&dyn Projection) -> Result<T>,
) -> Result<T> {
    let Some(global) = global else { return read_mending(project, read) };
    let global = RefCell::new(&mut global.ledger);
    read_mending(project, |project| {
        read_mending(&mut global.borrow_mut(), |global| read(&JoinedStores { project, global }))
    })
}
