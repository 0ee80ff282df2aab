//! Runs: `task start`, `task finish`, and what an entry earns when a run that used it ends (REV-1, BEL-3).

use std::collections::{BTreeMap, BTreeSet};

use ken_core::answer::RunState;
use ken_core::belief::{FEEDBACK_WEIGHT, Side, outcome_weight, ranked_weight};
use ken_core::decide::{self, Context, Observation, Support};
use ken_core::entry::FEEDBACK;
use ken_core::limits::{RUN_ABANDONED_HOURS, RUN_AGENTS_MAX, RUN_NAME_CHARS_MAX, RUN_SWEPT_DAYS};
use ken_core::run::{
    Agent, Exposure, Finished, INJECTED, Run, RunKind, RunOutcome, Started, UPSTREAM, agent_of, folded,
};
use ken_core::words::{nearest, one_line};
use ken_core::{
    BeliefEvent, Body, Code, Entry, EntryEvent, EntryKey, Fault, Intent, Memory, Millis, Refusal, RunEvent,
    Status,
};
use serde::Serialize;

use super::merge::standing_for;
use super::{context, few_names, find, find_any, support};
use crate::error::{Error, Result};
use crate::ledger::Ledger;
use crate::limits::ops_run::{ABOUT_CHARS_MAX, QUALITY_UNKNOWN};
use crate::ports::{Stored, Writer};
use crate::projection::Projection;
use crate::{intake, view};

#[derive(Clone, Debug)]
pub struct StartInput {
    /// What kind of work it is.
    pub kind: RunKind,
    /// A name for it; made when left out.
    pub run: Option<String>,
    /// What it is about.
    pub about: String,
    /// The project it belongs to.
    pub project: String,
    /// The line of work it belongs to.
    pub thread: Option<String>,
    /// Who takes part.
    pub agents: Vec<Agent>,
    /// How it is gone about.
    pub strategy: Option<String>,
    /// Files that the thing under review touches.
    pub paths: Vec<String>,
}

/// What `task start` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StartAnswer {
    pub run: String,
    /// Runs that nobody came back to, closed on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub abandoned: Vec<String>,
}

/// Begins a task or a session.
pub fn start(ledger: &mut Ledger, input: StartInput, writer: &Writer) -> Result<StartAnswer> {
    let context = context(ledger, writer)?;
    let (abandoned, mut intents) = sweep(ledger.projection(), &context)?;
    let (run, began) = begin(ledger.projection(), input, &context)?;
    intents.push(began);
    ledger.append(intents, writer)?;
    Ok(StartAnswer { run, abandoned })
}

/// What is to be written when a run begins, and its name.
pub(super) fn begin(
    ledger: &dyn Projection,
    input: StartInput,
    context: &Context,
) -> Result<(String, Intent)> {
    let StartInput { kind, run, about, project, thread, agents, strategy, paths } = input;
    let mut faults = Vec::new();
    let mut fault = |field: &str, problem: String| faults.push(Fault { field: field.to_owned(), problem });
    if about.trim().is_empty() && kind != RunKind::Session {
        fault("goal", "is empty; describe the goal of the run".to_owned());
    }
    if agents.len() > RUN_AGENTS_MAX {
        fault("agents", format!("are {}; a run has at most {RUN_AGENTS_MAX} agents", agents.len()));
    }
    let mut names = BTreeSet::new();
    for agent in &agents {
        if let Err(problem) = check_name(&agent.name) {
            fault("agents", problem);
        } else if !names.insert(folded(&agent.name)) {
            fault("agents", format!("{:?} is given twice; agents of a run need different names", agent.name));
        }
    }
    if let Some(run) = &run
        && let Err(problem) = check_name(run)
    {
        fault("run", problem);
    }
    if let Some(refusal) = Refusal::from_faults(Code::Invalid, faults) {
        return Err(refusal.into());
    }
    let about = one_line(&intake::recordable(&about), ABOUT_CHARS_MAX);
    let (mut thread, mut strategy) = (thread, strategy);
    for (name, text) in [("thread", &mut thread), ("strategy", &mut strategy)] {
        if let Some(text) = text {
            intake::clean_word(name, text)?;
        }
    }
    let run = match run {
        Some(run) if ledger.run(&run)?.is_some() => {
            return Err(Refusal::new(Code::IdTaken, format!("run {run} already exists"))
                .hint("use another name, or omit --run to generate one")
                .field("run")
                .into());
        }
        Some(run) => run,
        None => fresh_name(ledger, &about, context)?,
    };
    let started = Started { run: run.clone(), kind, about, project, thread, agents, strategy, paths };
    let body = Body::Run(RunEvent::Started(Box::new(started)));
    Ok((run, Intent { entry: None, body }))
}

/// A name fit for a run or an agent: something that a person can type and a program can pass on.
pub fn check_name(name: &str) -> std::result::Result<(), String> {
    if name.trim().is_empty() {
        return Err("has an empty name".to_owned());
    }
    // Names are written into every event of a run; the message must not repeat this one.
    if ken_guard::contains_secret(name) {
        return Err("has a name that holds a secret; choose another one".to_owned());
    }
    if name.chars().count() > RUN_NAME_CHARS_MAX {
        return Err(format!(
            "{:?} is too long; at most {RUN_NAME_CHARS_MAX} characters are allowed",
            one_line(name, 40)
        ));
    }
    let odd = name.chars().find(|c| c.is_control() || c.is_whitespace() || ",=@\"'`".contains(*c));
    match odd {
        Some(odd) => {
            Err(format!("{name:?} contains {odd:?}; allowed are letters, digits, `-`, `_`, `.`, `:` and `/`"))
        }
        None => Ok(()),
    }
}

fn fresh_name(ledger: &dyn Projection, about: &str, context: &Context) -> Result<String> {
    for count in 0_u32.. {
        let seed = format!(
            "{}\u{1f}{}\u{1f}{}\u{1f}{about}\u{1f}{count}",
            context.replica, context.now.0, context.actor
        );
        let name = format!("run-{}", &blake3::hash(seed.as_bytes()).to_hex()[..12]);
        if ledger.run(&name)?.is_none() {
            return Ok(name);
        }
    }
    unreachable!("some number has no run yet")
}

/// Closes runs of this actor that nobody came back to. A later word about one of them still counts.
pub(super) fn sweep(ledger: &dyn Projection, context: &Context) -> Result<(Vec<String>, Vec<Intent>)> {
    let before = context.now.0 - RUN_ABANDONED_HOURS * 3_600_000;
    let mut names = Vec::new();
    let mut intents = Vec::new();
    let left =
        |run: &Run| run.finished.is_none() && run.by == context.actor && run.latest.millis().0 < before;
    let since = Millis(context.now.0 - RUN_SWEPT_DAYS * DAY_MILLIS);
    for run in ledger.runs_since(since)?.into_iter().filter(left) {
        let shown = ledger.exposures(&run.started.run)?.iter().map(|seen| seen.clock).max();
        if shown.is_none_or(|shown| shown.millis().0 < before) {
            names.push(run.started.run.clone());
            intents.push(ended(Finished {
                run: run.started.run,
                outcome: RunOutcome::Abandoned,
                quality: None,
                used: None,
                cost: None,
                rounds: None,
                strategy: None,
                extracted: 0,
                wrong: Vec::new(),
                ended: false,
            }));
        }
    }
    Ok((names, intents))
}

pub(super) fn ended(finished: Finished) -> Intent {
    Intent { entry: None, body: Body::Run(RunEvent::Finished(Box::new(finished))) }
}

/// The run of some name, or why there is none.
pub fn find_run(runs: &dyn Projection, name: &str) -> Result<Run> {
    let name = name.trim();
    if let Some(run) = runs.run(name)? {
        return Ok(run);
    }
    let names = runs.run_names()?;
    let hint = match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => {
            format!("did you mean {near}? `ken task list` and `ken review list` list the runs")
        }
        None => "`ken task list` and `ken review list` list the runs; `ken task start` starts one".to_owned(),
    };
    Err(Refusal::new(Code::NotFound, format!("unknown run {name:?}")).hint(hint).field("run").into())
}

/// The same, if it is still open. One that was merely left lying counts as open.
pub fn open_run(runs: &dyn Projection, name: &str) -> Result<Run> {
    let run = find_run(runs, name)?;
    match &run.finished {
        Some((end, at)) if end.outcome != RunOutcome::Abandoned => Err(Refusal::new(
            Code::NotAllowed,
            format!("run {} has ended: it {} on {}", run.started.run, end.outcome.word(), at.millis().date()),
        )
        .hint("a run ends once; start another one")
        .field("run")
        .into()),
        _ => Ok(run),
    }
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct FinishInput {
    pub run: String,
    pub outcome: RunOutcome,
    /// How well, 0 to 1.
    pub quality: Option<f64>,
    /// Entries that it used, what helped most first; nothing said means everything it was shown.
    pub used: Option<Vec<String>>,
    /// Entries that turned out to be wrong, whatever the outcome.
    pub wrong: Vec<String>,
    /// What it cost.
    pub cost: Option<f64>,
    /// How many rounds it took.
    pub rounds: Option<u32>,
    /// How it was gone about.
    pub strategy: Option<String>,
}

/// What an entry earned.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Earned {
    pub id: String,
    /// Its short citation.
    pub handle: String,
    /// What the observation speaks for.
    pub side: Side,
    pub weight: f64,
    /// Where it stands now, if that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
}

/// What `task finish` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FinishAnswer {
    pub run: String,
    /// How it ended.
    pub outcome: RunOutcome,
    /// What the entries earned.
    pub observed: Vec<Earned>,
    /// Entries that came out of it, and are verified by its success.
    pub verified: Vec<String>,
    /// What somebody should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The global store beside the project whose run ends: what is seen of its entries is written there (COR-2).
pub struct GlobalLedger<'a> {
    pub ledger: &'a mut Ledger,
    /// Who writes there.
    pub writer: &'a Writer,
    /// The project that the run belongs to.
    pub project: &'a str,
}

impl GlobalLedger<'_> {
    /// A name without the word that it is one of the global store.
    pub fn bare(name: &str) -> &str {
        let name = name.trim().trim_start_matches('[').trim_end_matches(']');
        name.strip_prefix("global:").unwrap_or(name)
    }

    /// What there is to write of an observation; nothing where the same run said the same before.
    fn seen(&mut self, entry: &Entry, mut seen: Observation, decided: Decided) -> Result<Vec<Intent>> {
        // No name of a run has an `@` in it.
        seen.source = format!("{}@{}", seen.source, self.project);
        let before = self.ledger.history(entry.key)?;
        let same = before.iter().rev().find_map(|placed| match &placed.event.body {
            Some(Body::Belief(BeliefEvent::Observed { source, side, weight, .. }))
                if *source == seen.source =>
            {
                Some((*side, *weight) == (seen.side, seen.weight))
            }
            _ => None,
        });
        if same == Some(true) {
            return Ok(Vec::new());
        }
        let support = Support::of(entry, before.iter().map(|placed| &placed.event));
        Ok(decided(entry, seen, &support, &context(self.ledger, self.writer)?))
    }
}

/// How an observation becomes what is written.
type Decided = fn(&Entry, Observation, &Support, &Context) -> Vec<Intent>;

/// The entry that a name means, and whether it is one of the global store: the project comes first (COR-2).
fn find_in_either(
    ledger: &dyn Projection,
    beyond: Option<&GlobalLedger<'_>>,
    name: &str,
) -> Result<(Stored, bool)> {
    match (find(ledger, name), beyond) {
        (Err(Error::Refused(refusal)), Some(beyond)) if refusal.code == Code::NotFound => {
            match find_any(beyond.ledger.projection(), GlobalLedger::bare(name))? {
                Some(stored) => Ok((standing_for(beyond.ledger.projection(), stored)?, true)),
                None => Err(refusal.into()),
            }
        }
        (found, _) => Ok((standing_for(ledger, found?)?, false)),
    }
}

/// What is to be written when a run ends: here, and in the global store.
#[derive(Default)]
struct Learned {
    here: Vec<Intent>,
    beyond: Vec<Intent>,
    observed: Vec<Earned>,
}

impl Learned {
    fn take(
        &mut self,
        ledger: &dyn Projection,
        stored: &Stored,
        seen: Observation,
        decided: Decided,
        beyond: Option<&mut GlobalLedger<'_>>,
        context: &Context,
    ) -> Result<()> {
        let (side, weight) = (seen.side, f64::from(seen.weight) / 1000.0);
        let (said, to) = match beyond {
            Some(beyond) => (beyond.seen(&stored.entry, seen, decided)?, &mut self.beyond),
            None => {
                let support = support(ledger, &stored.entry)?;
                (decided(&stored.entry, seen, &support, context), &mut self.here)
            }
        };
        let status = said.iter().find_map(risen);
        to.extend(said);
        self.observed.push(Earned {
            id: stored.id.clone(),
            handle: view::handle(stored),
            side,
            weight,
            status,
        });
        Ok(())
    }

    /// Writes it. The global store comes first: a run that ended here ends once, and what is written there twice counts once.
    fn write(
        self,
        ledger: &mut Ledger,
        beyond: Option<GlobalLedger<'_>>,
        writer: &Writer,
    ) -> Result<Vec<Earned>> {
        if let Some(beyond) = beyond.filter(|_| !self.beyond.is_empty()) {
            beyond.ledger.append(self.beyond, beyond.writer)?;
        }
        ledger.append(self.here, writer)?;
        Ok(self.observed)
    }
}

/// Ends a task or a session: every entry it used learns from it, once.
pub fn finish(ledger: &mut Ledger, input: FinishInput, writer: &Writer) -> Result<FinishAnswer> {
    finish_with(ledger, None, input, writer)
}

/// The same, where entries of the global store may have been used as well.
pub fn finish_with(
    ledger: &mut Ledger,
    mut beyond: Option<GlobalLedger<'_>>,
    input: FinishInput,
    writer: &Writer,
) -> Result<FinishAnswer> {
    let run = open_run(ledger.projection(), &input.run)?;
    let name = run.started.run.clone();
    if run.started.kind == RunKind::Review && input.outcome == RunOutcome::Succeeded {
        return Err(Refusal::new(Code::NotAllowed, format!("run {name} is a review"))
            .hint(format!("finish it with `ken review complete --run {name}`"))
            .field("run")
            .into());
    }
    let mut faults = Vec::new();
    let quality = within(input.quality, "quality", 0.0, 1.0, &mut faults);
    let cost = within(input.cost, "cost", 0.0, 1e12, &mut faults);
    few_names("used", input.used.iter().flatten().count())?;
    few_names("wrong", input.wrong.len())?;
    let mut used = Vec::new();
    let mut theirs: BTreeSet<EntryKey> = BTreeSet::new();
    for id in input.used.iter().flatten() {
        match find_in_either(ledger.projection(), beyond.as_ref(), id) {
            Ok((stored, is_global)) => {
                theirs.extend(is_global.then_some(stored.entry.key));
                used.push(stored);
            }
            Err(error) => faults.push(Fault { field: "used".to_owned(), problem: error.to_string() }),
        }
    }
    let mut wrong: BTreeMap<EntryKey, Stored> = BTreeMap::new();
    for id in &input.wrong {
        let problem = match find_in_either(ledger.projection(), beyond.as_ref(), id) {
            Ok((stored, _)) if used.iter().any(|used| used.entry.key == stored.entry.key) => {
                format!("{} is given both as used and as wrong", stored.id)
            }
            Ok((stored, is_global)) => {
                theirs.extend(is_global.then_some(stored.entry.key));
                wrong.insert(stored.entry.key, stored);
                continue;
            }
            Err(error) => error.to_string(),
        };
        faults.push(Fault { field: "wrong".to_owned(), problem });
    }
    if let Some(refusal) = Refusal::from_faults(Code::Invalid, faults) {
        return Err(refusal.into());
    }
    let mut strategy = input.strategy.clone().or(run.started.strategy.clone());
    if let Some(strategy) = &mut strategy {
        intake::clean_word("strategy", strategy)?;
    }
    let context = context(ledger, writer)?;
    let said = input.used.is_some();
    let mut used_keys: Vec<EntryKey> = Vec::new();
    let mut entries: BTreeMap<EntryKey, Stored> = BTreeMap::new();
    for stored in used {
        if entries.insert(stored.entry.key, stored.clone()).is_none() {
            used_keys.push(stored.entry.key);
        }
    }
    if !said {
        for seen in ledger.exposures(&name)? {
            if let Some(stored) = ledger.stored(seen.entry)?.filter(|stored| !stored.purge_asked) {
                let stored = standing_for(ledger.projection(), stored)?;
                entries.insert(stored.entry.key, stored);
            }
        }
        entries.retain(|key, _| !wrong.contains_key(key));
    }
    let side = match input.outcome {
        RunOutcome::Succeeded => Some(Side::For),
        RunOutcome::Failed => Some(Side::Against),
        // Nobody knows how it would have ended.
        RunOutcome::Killed | RunOutcome::Abandoned => None,
    };
    let mut notes = Vec::new();
    let mut learned = Learned::default();
    if let Some(side) = side {
        let whole = outcome_weight(side, quality.unwrap_or(QUALITY_UNKNOWN));
        let how = quality.map(|quality| format!(" with quality {quality:.2}")).unwrap_or_default();
        let reason = format!("{name} {}{how}", input.outcome.word());
        let keys: Vec<EntryKey> = if said { used_keys.clone() } else { entries.keys().copied().collect() };
        let known = keys.iter().filter_map(|key| entries.get(key));
        for (at, stored) in known.filter(|stored| stored.entry.memory() != Memory::Episodic).enumerate() {
            // What was only shown has no order.
            let rank = if said && side == Side::For { at } else { 0 };
            let (weight, reason) = (ranked_weight(whole, rank), ranked_reason(&reason, rank));
            let seen = Observation {
                source: format!("run:{name}"),
                side,
                weight,
                reason,
                at: None,
                witnessed: false,
            };
            let beyond = beyond.as_mut().filter(|_| theirs.contains(&stored.entry.key));
            learned.take(ledger.projection(), stored, seen, decide::observe, beyond, &context)?;
        }
    }
    for stored in wrong.values().filter(|stored| stored.entry.memory() != Memory::Episodic) {
        let (source, side) = (format!("run:{name}"), Side::Against);
        let reason = format!("{name} found it wrong");
        let seen = Observation { source, side, weight: FEEDBACK_WEIGHT, reason, at: None, witnessed: false };
        let beyond = beyond.as_mut().filter(|_| theirs.contains(&stored.entry.key));
        learned.take(ledger.projection(), stored, seen, decide::observe, beyond, &context)?;
    }
    if learned.observed.is_empty() && side.is_some() {
        notes.push("it used no entry of this store, so no belief changed".to_owned());
    } else if !said && side.is_some() {
        notes.push("no --used ID was given, so every entry it was shown counts as used".to_owned());
    }
    let made = ledger.made_in(&name)?;
    let mut verified = Vec::new();
    if input.outcome == RunOutcome::Succeeded {
        for key in &made {
            let Some(stored) = ledger.stored(*key)? else { continue };
            let support = support(ledger.projection(), &stored.entry)?;
            if let Some(intent) = decide::source_succeeded(&stored.entry, &name, &support) {
                learned.here.push(intent);
                verified.push(view::handle(&stored));
            }
        }
    }
    used_keys.retain(|key| !theirs.contains(key));
    learned.here.push(ended(Finished {
        run: name.clone(),
        outcome: input.outcome,
        quality: quality.map(|quality| (quality * 1000.0).round() as u32),
        used: said.then_some(used_keys),
        cost: cost.map(|cost| (cost * 1000.0).round() as u64),
        rounds: input.rounds,
        strategy,
        extracted: u32::try_from(made.len()).unwrap_or(u32::MAX),
        wrong: wrong.into_keys().filter(|key| !theirs.contains(key)).collect(),
        ended: false,
    }));
    let observed = learned.write(ledger, beyond, writer)?;
    Ok(FinishAnswer { run: name, outcome: input.outcome, observed, verified, notes })
}

/// How a conversation ended, by what its agent said and by what was seen.
#[derive(Clone, Debug, Default)]
pub struct SessionEnd {
    pub run: String,
    /// The agent, as it is named in it.
    pub agent: String,
    /// Entries that it reported as used, in the order of its report.
    pub used: Vec<EntryKey>,
    /// Entries that it reported as wrong.
    pub wrong: Vec<EntryKey>,
    /// Entries that it named, where every command that had failed passes.
    pub credited: Vec<EntryKey>,
    /// What had failed passes, and the session knows the secret given at its start: the host saw that, not the agent alone (COR-19).
    pub witnessed: bool,
}

/// Ends a conversation (COR-15). Nobody says that it succeeded, so nothing that came out of it is verified; belief moves for what was
/// reported, which is feedback (BEL-4), and for what was named before a failure was mended (BEL-3).
pub fn end_session(
    ledger: &mut Ledger,
    mut beyond: Option<GlobalLedger<'_>>,
    mut end: SessionEnd,
    writer: &Writer,
) -> Result<FinishAnswer> {
    let run = open_run(ledger.projection(), &end.run)?;
    let name = run.started.run.clone();
    let context = context(ledger, writer)?;
    let feedback = format!("{FEEDBACK}{}:{name}", folded(&end.agent));
    let outcome = format!("run:{name}");
    let mended = outcome_weight(Side::For, QUALITY_UNKNOWN);
    let seen = |source: &str, side, weight, reason: String| Observation {
        source: source.to_owned(),
        side,
        weight,
        reason,
        at: None,
        witnessed: false,
    };
    let mut all: BTreeMap<EntryKey, Observation> = BTreeMap::new();
    for key in &end.credited {
        let reason = format!("{name} mended what had failed, and named it");
        all.insert(
            *key,
            Observation { witnessed: end.witnessed, ..seen(&outcome, Side::For, mended, reason) },
        );
    }
    let mut ranked: Vec<EntryKey> = Vec::new();
    for key in &end.used {
        if ranked.contains(key) {
            continue;
        }
        let rank = ranked.len();
        ranked.push(*key);
        let reason = ranked_reason(&format!("{} used it", end.agent), rank);
        let seen = seen(&feedback, Side::For, ranked_weight(FEEDBACK_WEIGHT, rank), reason);
        all.insert(*key, Observation { witnessed: end.witnessed, ..seen });
    }
    for key in &end.wrong {
        let reason = format!("{} found it wrong", end.agent);
        all.insert(*key, seen(&feedback, Side::Against, FEEDBACK_WEIGHT, reason));
    }
    let mut learned = Learned::default();
    let mut theirs: BTreeSet<EntryKey> = BTreeSet::new();
    for (key, seen) in all {
        let here = ledger.stored(key)?;
        let beyond = beyond.as_mut().filter(|_| here.is_none());
        let stored = match &beyond {
            Some(beyond) => beyond.ledger.stored(key)?,
            None => here,
        };
        let Some(stored) = stored else { continue };
        theirs.extend(beyond.is_some().then_some(key));
        let stored = match &beyond {
            Some(beyond) => standing_for(beyond.ledger.projection(), stored)?,
            None => standing_for(ledger.projection(), stored)?,
        };
        if stored.purge_asked || stored.entry.memory() == Memory::Episodic {
            continue;
        }
        learned.take(ledger.projection(), &stored, seen, decide::observe_in_session, beyond, &context)?;
    }
    for keys in [&mut end.used, &mut end.wrong, &mut end.credited] {
        keys.retain(|key| !theirs.contains(key));
    }
    // What was said before a conversation went on counts as well.
    let before = run.finished.map(|(before, _)| before).filter(|before| before.ended);
    let wrong: BTreeSet<EntryKey> = end.wrong.iter().copied().collect();
    let earlier = before.iter().flat_map(|before| before.used.iter().flatten()).copied();
    let mut used: Vec<EntryKey> = Vec::new();
    for key in earlier.chain(end.used).chain(end.credited) {
        if !wrong.contains(&key) && !used.contains(&key) {
            used.push(key);
        }
    }
    let earlier = before.iter().flat_map(|before| &before.wrong).copied();
    let wrong: BTreeSet<EntryKey> = earlier.filter(|key| !used.contains(key)).chain(wrong.clone()).collect();
    let made = ledger.made_in(&name)?;
    let outcome = RunOutcome::Abandoned;
    let finished = Finished {
        run: name.clone(),
        outcome,
        quality: None,
        // Of most conversations nobody says what they used.
        used: Some(used).filter(|used| !used.is_empty()),
        cost: None,
        rounds: None,
        strategy: run.started.strategy,
        extracted: u32::try_from(made.len()).unwrap_or(u32::MAX),
        wrong: wrong.into_iter().collect(),
        ended: true,
    };
    learned.here.push(ended(finished));
    let observed = learned.write(ledger, beyond, writer)?;
    Ok(FinishAnswer { run: name, outcome, observed, verified: Vec::new(), notes: Vec::new() })
}

/// Why an entry gained what it did, where others helped before it.
fn ranked_reason(reason: &str, rank: usize) -> String {
    if rank == 0 { reason.to_owned() } else { format!("{reason}, number {} of what it used", rank + 1) }
}

/// The status that an intent raises its entry to.
pub(super) fn risen(intent: &Intent) -> Option<Status> {
    match &intent.body {
        Body::Entry(EntryEvent::Promoted { status, .. }) => Some(*status),
        _ => None,
    }
}

fn within(value: Option<f64>, field: &str, least: f64, most: f64, faults: &mut Vec<Fault>) -> Option<f64> {
    let value = value?;
    if value.is_finite() && (least..=most).contains(&value) {
        return Some(value);
    }
    let problem = format!("is {value}; expected {least} to {most}");
    faults.push(Fault { field: field.to_owned(), problem });
    None
}

/// A run as it is listed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunLine {
    pub run: String,
    /// What kind of work it is.
    pub kind: RunKind,
    /// How it stands.
    pub state: RunState,
    /// What it is about.
    pub about: String,
    /// The line of work it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Who takes part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<Agent>,
    /// How it was gone about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// How well it ended, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<f64>,
    /// When it began.
    pub started: String,
    /// Who began it.
    pub by: String,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// What is said of it where a wrong clock dated its beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong_clock: Option<String>,
}

/// How a run stands that is over.
fn state_of(end: &Finished) -> RunState {
    if end.ended { RunState::Ended } else { end.outcome.into() }
}

impl RunLine {
    /// What is told of a run; no date is later than now (COR-4).
    pub fn new(run: &Run, now: Millis) -> RunLine {
        let end = run.finished.as_ref();
        RunLine {
            run: run.started.run.clone(),
            kind: run.started.kind,
            state: end.map_or(RunState::Open, |(end, _)| state_of(end)),
            about: intake::redacted_text(&run.started.told(&run.by)),
            thread: run.started.thread.clone(),
            agents: run.started.agents.clone(),
            strategy: end.and_then(|(end, _)| end.strategy.clone()).or(run.started.strategy.clone()),
            quality: end.and_then(|(end, _)| end.quality).map(|quality| f64::from(quality) / 1000.0),
            started: run.at.shown(now).to_string(),
            by: run.by.clone(),
            finished: end.map(|(_, at)| at.shown(now).to_string()),
            wrong_clock: run.at.is_wrong_at(now).then(|| run.at.told_wrong()),
        }
    }
}

/// Runs of some kinds, newest first.
pub fn list(runs: &dyn Projection, kinds: &[RunKind], open: bool, now: Millis) -> Result<Vec<RunLine>> {
    let all = runs.runs_of(kinds)?;
    let wanted = |run: &&Run| !(open && run.finished.is_some());
    Ok(all.iter().rev().filter(wanted).map(|run| RunLine::new(run, now)).collect())
}

/// REV-5: how much may be put before one agent in one run, over all doors together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectionCap {
    /// What it was given before.
    pub before: BTreeSet<EntryKey>,
    /// Entries, at most.
    pub most: usize,
}

impl InjectionCap {
    /// Entries that there is room for.
    pub fn room(&self) -> usize {
        self.most.saturating_sub(self.before.len())
    }

    /// Why there is no more.
    pub fn told(&self) -> String {
        format!("at most {} entries are injected into one agent in one run", self.most)
    }
}

/// The entries that an agent has had injected in a run since its context was last cleared: the cap of REV-5 counts them.
pub fn injected_into(runs: &dyn Projection, run: &str, agent: &str) -> Result<BTreeSet<EntryKey>> {
    let begun = runs.run(run)?;
    let is_there = |seen: &Exposure| begun.as_ref().is_none_or(|run| run.is_in_context(seen));
    let mine = |seen: &&Exposure| seen.how == INJECTED && folded(&seen.agent) == folded(agent);
    Ok(runs
        .exposures(run)?
        .iter()
        .filter(mine)
        .filter(|seen| is_there(seen))
        .map(|seen| seen.entry)
        .collect())
}

/// What counts against the cap of REV-5 for somebody who is about to be given more.
///
/// In a run that began every agent has a cap of its own; those that take no part in a run that says who does share one with the
/// whole run. Outside of such runs a name costs nothing to invent: there all names of an actor share one cap a day.
pub fn injected_before(
    runs: &dyn Projection,
    receiver: &Receiver<'_>,
    now: Millis,
) -> Result<BTreeSet<EntryKey>> {
    if let Some(name) = receiver.run
        && let Some(run) = runs.run(name)?
    {
        let takes_part = run.started.agents.is_empty() || run.agent(receiver.agent).is_some();
        if takes_part {
            return injected_into(runs, name, receiver.agent);
        }
        let all = runs.exposures(name)?;
        let counts = |seen: &&Exposure| seen.how == INJECTED && run.is_in_context(seen);
        return Ok(all.iter().filter(counts).map(|seen| seen.entry).collect());
    }
    let actor = agent_of(receiver.actor);
    let is_agent = actor != receiver.actor;
    let mut began: BTreeMap<String, bool> = BTreeMap::new();
    let mut before = BTreeSet::new();
    for (place, seen) in runs.injected_by(actor, day_began(now))? {
        let is_begun = match began.get(&place) {
            Some(known) => *known,
            None => !place.starts_with('@') && runs.run(&place)?.is_some(),
        };
        // What a person tried out in no run and for no agent is in nobody's context.
        let counts = is_agent || !place.starts_with('@') || folded(&seen.agent) != folded(&seen.actor);
        began.insert(place, is_begun);
        if counts && !is_begun {
            before.insert(seen.entry);
        }
    }
    Ok(before)
}

/// Who is about to be given something.
#[derive(Clone, Copy, Debug)]
pub struct Receiver<'a> {
    /// The run, as it is named.
    pub run: Option<&'a str>,
    /// The agent, as it is named.
    pub agent: &'a str,
    /// Who acts for it.
    pub actor: &'a str,
}

const DAY_MILLIS: i64 = 24 * 3_600_000;

/// The first moment of a day.
pub(super) fn day_began(now: Millis) -> Millis {
    Millis(now.0 - now.0.rem_euclid(DAY_MILLIS))
}

/// The context of an agent begins anew (REV-5). Says nothing where nothing was put there: then there is nothing to forget.
pub fn clear(ledger: &mut Ledger, run: &str, agent: &str, writer: &Writer) -> Result<bool> {
    let begun = ledger.run(run)?;
    let is_there = |seen: &Exposure| begun.as_ref().is_none_or(|run| run.is_in_context(seen));
    let counts = |seen: &Exposure| seen.how != UPSTREAM && folded(&seen.agent) == folded(agent);
    if !ledger.exposures(run)?.iter().any(|seen| counts(seen) && is_there(seen)) {
        return Ok(false);
    }
    let body = Body::Run(RunEvent::Cleared { run: run.to_owned(), agent: agent.to_owned() });
    ledger.append(vec![Intent { entry: None, body }], writer)?;
    Ok(true)
}

/// Whether somebody was shown an entry today, in whichever run, or in the run they act in (REV-1, REV-2).
///
/// Outside of that run it does not matter under which name somebody asked: who invents one has read it all the same.
pub fn is_primed(
    ledger: &dyn Projection,
    run: Option<&str>,
    names: &[&str],
    key: EntryKey,
    now: Millis,
) -> Result<bool> {
    let is_one = |agent: &str| names.iter().any(|name| folded(name) == folded(agent));
    let today = now.date();
    let shown = ledger.shown(key, day_began(now))?;
    let has_seen = |(of, seen): &(String, Exposure)| {
        let elsewhere = run.is_none_or(|run| run != of);
        seen.clock.millis().date() == today && (is_one(&seen.agent) || elsewhere && is_one(&seen.actor))
    };
    if shown.iter().any(has_seen) {
        return Ok(true);
    }
    let Some(name) = run else { return Ok(false) };
    let seen: Vec<Exposure> = ledger.exposures(name)?.into_iter().filter(|seen| seen.entry == key).collect();
    Ok(match ledger.run(name)? {
        Some(run) => names.iter().any(|agent| run.was_exposed(&seen, agent, key)),
        None => seen.iter().any(|seen| is_one(&seen.agent)),
    })
}

/// Whether who reported for an agent of a review had been shown an entry meanwhile, outside of every run that began.
pub(super) fn was_shown_outside(
    ledger: &dyn Projection,
    run: &Run,
    agent: &str,
    key: EntryKey,
) -> Result<bool> {
    let heard = run.heard.get(agent);
    let mut names = vec![folded(agent)];
    // A person who hands in a report is not who found it.
    let actors = heard.into_iter().flat_map(|heard| &heard.actors);
    names.extend(actors.filter_map(|actor| actor.strip_prefix("agent:")).map(folded));
    let until = heard.map(|heard| heard.first);
    let day = run.at.millis().date();
    for (place, seen) in ledger.shown(key, day_began(run.at.millis()))? {
        let meanwhile = seen.clock.millis().date() >= day && until.is_none_or(|until| seen.clock < until);
        if meanwhile
            && names.contains(&folded(&seen.agent))
            && (place.starts_with('@') || ledger.run(&place)?.is_none())
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A run that somebody names as theirs: it must have begun, and know them.
pub fn own_run(runs: &dyn Projection, name: &str, agent: Option<&str>) -> Result<Run> {
    let run = find_run(runs, name)?;
    if let Some(agent) = agent.filter(|agent| !run.started.agents.is_empty() && run.agent(agent).is_none()) {
        let names: Vec<&str> = run.started.agents.iter().map(|agent| agent.name.as_str()).collect();
        return Err(Refusal::new(Code::NotFound, format!("{agent} is not an agent of run {name}"))
            .hint(format!("agents: {}", names.join(", ")))
            .field("agent")
            .into());
    }
    Ok(run)
}
