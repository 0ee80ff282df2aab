//! The verbs that learn: runs, reviews, confirmations, feedback; and what that comes to: belief, outcomes.

use crate::global_store::{global_store, in_global, is_in, is_missing};
use crate::repository::project;
use std::cell::RefCell;

use ken_core::answer::ChangeOutcome;
use ken_core::decide::Outcome;
use ken_core::patch::Patch;
use ken_core::run::{Agent, RunKind};
use ken_core::{BeliefEvent, Body, Code, Fault, Refusal, finding};
use ken_engine::ops::authority::for_a_person;
pub use ken_engine::ops::belief::{BeliefAnswer, CalibrationAnswer};
pub use ken_engine::ops::confirm::ConfirmAnswer;
use ken_engine::ops::confirm::{Speaker, Voice};
pub use ken_engine::ops::outcomes::{OutcomesAnswer, Period};
pub use ken_engine::ops::reach::{ThreadAnswer, ThreadLine};
pub use ken_engine::ops::review::{Cited, CompleteAnswer, ReportAnswer, ReviewStarted, ReviewView};
use ken_engine::ops::review::{Completing, GlobalAnswer, Profile, ReviewInput};
use ken_engine::ops::run::GlobalLedger;
pub use ken_engine::ops::run::{FinishAnswer, FinishInput, RunLine, SessionEnd, StartAnswer, StartInput};
use ken_engine::ops::search::Means;
use ken_engine::ops::{belief, confirm, outcomes, reach, review, run};
use ken_engine::{Attendance, Caller, Ledger, Projection, Stored};

use crate::{
    Access, ChangeAnswer, Config, Error, Layout, ModelsInUse, PromotionPlan, Reach, Result, Site, Workspace,
};

/// What a review looks at.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A document, summed up.
    Summary(String),
    /// A change, as a unified diff.
    Diff(String),
}

/// Begins a task or a session.
pub fn task_start(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    goal: &str,
    kind: RunKind,
    thread: Option<String>,
    strategy: Option<String>,
) -> Result<StartAnswer> {
    run_start(ledger, site, caller, caller.run().map(str::to_owned), goal, kind, thread, strategy)
}

/// Begins a task or a session under a name, or under one that is made up.
fn run_start(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    run: Option<String>,
    goal: &str,
    kind: RunKind,
    thread: Option<String>,
    strategy: Option<String>,
) -> Result<StartAnswer> {
    ledger.may_write()?;
    let agent = |name: &str| Agent { name: name.to_owned(), role: None, family: None };
    let input = StartInput {
        kind,
        run,
        about: goal.to_owned(),
        project: project(site),
        thread,
        agents: caller.agent().map(agent).into_iter().collect(),
        strategy,
        paths: Vec::new(),
    };
    let writer = crate::writer::writer(&site.config, caller);
    run::start(ledger, input, &writer)
}

/// A task that begins and ends at once, beside the run around it: what a conversation says of one of its parts.
///
/// Nobody saw it begin, so only entries count that were shown to who speaks, that are not their own of today, and each once a day: else
/// an agent could make anything verified by saying so a few times.
pub fn task_finish_apart(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    goal: &str,
    mut input: FinishInput,
) -> Result<FinishAnswer> {
    ledger.may_write()?;
    let (now, actor) = (caller.now(), caller.actor().to_owned());
    let me = ken_core::run::agent_of(&actor).to_owned();
    let prefix = format!("task-{}-{}-", ken_core::run::folded(&me), now.date());
    let mut notes = Vec::new();
    let mut counted = Vec::new();
    let mut faults = Vec::new();
    if input.quality.is_some_and(|quality| !(0.0..=1.0).contains(&quality)) {
        faults.push(Fault { field: "quality".to_owned(), problem: "is not between 0 and 1".to_owned() });
    }
    let (used, wrong) = (input.used.take().unwrap_or_default(), std::mem::take(&mut input.wrong));
    let global = global_of(ledger, &site.workspace, caller, used.iter().chain(&wrong))?;
    let named = used.iter().map(|name| ("used", name)).chain(wrong.iter().map(|name| ("wrong", name)));
    for (field, name) in named {
        let there = global.as_ref().map(|global| (&*global.ledger, GlobalLedger::bare(name)));
        let (stored, there) = match (ken_engine::ops::find(&**ledger, name), there) {
            (Ok(stored), _) => (stored, None),
            (Err(error), Some((store, bare))) if is_missing(&error) && is_in(store, bare)? => {
                (ken_engine::ops::find(store, bare)?, Some(store))
            }
            (Err(error), _) => {
                faults.push(Fault { field: field.to_owned(), problem: error.to_string() });
                continue;
            }
        };
        let entry = &stored.entry;
        let own = entry.created_by == actor && entry.created.millis().date() == now.date();
        let names = [me.clone(), caller.name().to_owned()];
        let names = [names[0].as_str(), names[1].as_str()];
        let mut told = run::is_primed(&**ledger, caller.run(), &names, entry.key, now)?;
        if let Some(store) = there.filter(|_| !told) {
            told = run::is_primed(store, None, &names, entry.key, now)?;
        }
        // For and against alike: neither may be said again and again.
        let source = format!("run:{prefix}");
        let history = match there {
            Some(store) => store.history(entry.key)?,
            None => ledger.history(entry.key)?,
        };
        let again = history.iter().any(|placed| {
            let body = placed.event.body.as_ref();
            matches!(body, Some(Body::Belief(BeliefEvent::Observed { source: of, .. })) if of.starts_with(&source))
        });
        match (own, told, again) {
            (true, ..) => notes.push(format!("{} is your own entry of today and does not count", stored.id)),
            (_, false, _) => notes.push(format!("{} was not shown to you and does not count", stored.id)),
            (_, _, true) => notes.push(format!("{} was already counted for you today", stored.id)),
            (false, true, false) => {
                let list = if field == "wrong" { &mut input.wrong } else { &mut counted };
                let id = stored.id.clone();
                list.push(if there.is_some() { format!("global:{id}") } else { id });
            }
        }
    }
    global.into_iter().for_each(|global| site.workspace.take_back(global));
    if let Some(refusal) = Refusal::from_faults(Code::Invalid, faults) {
        return Err(refusal.into());
    }
    let mut number = now.0.rem_euclid(1 << 24);
    while ledger.run(&format!("{prefix}{number:06x}"))?.is_some() {
        number += 1;
    }
    let began = run_start(
        ledger,
        site,
        caller,
        Some(format!("{prefix}{number:06x}")),
        goal,
        RunKind::Task,
        None,
        None,
    )?;
    (input.run, input.used) = (began.run, Some(counted));
    let mut answer = task_finish(ledger, site, models, caller, input)?;
    answer.notes.splice(0..0, notes);
    Ok(answer)
}

/// Ends a task or a session: every entry it used learns from it, once.
pub fn task_finish(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: FinishInput,
) -> Result<FinishAnswer> {
    ledger.may_write()?;
    let global = global_of(ledger, &site.workspace, caller, input.used.iter().flatten().chain(&input.wrong))?;
    learn_in_both(ledger, site, models, caller, global, |store, beyond, writer| {
        run::finish_with(store, beyond, input, writer)
    })
}

/// The global store, where some name means nothing in the project's (COR-2).
fn global_of<'n>(
    ledger: &mut Ledger,
    workspace: &Workspace,
    caller: &Caller,
    names: impl Iterator<Item = &'n String>,
) -> Result<Option<Reach>> {
    for name in names {
        if crate::ops::find(&**ledger, name).is_err_and(|error| is_missing(&error)) {
            return Ok(global_to_write(ledger, workspace, caller));
        }
    }
    Ok(None)
}

/// The global store, for what is written there. One that cannot be opened is a notice.
pub(crate) fn global_to_write(ledger: &mut Ledger, workspace: &Workspace, caller: &Caller) -> Option<Reach> {
    match global_store(workspace, caller, Access::Write)? {
        Ok(global) => Some(global),
        Err(error) => {
            ledger.notice(format!("the global store could not be searched: {error}"));
            None
        }
    }
}

/// Learns from a run that ends, here and in the global store.
fn learn_in_both(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    mut global: Option<Reach>,
    learn: impl FnOnce(&mut Ledger, Option<GlobalLedger<'_>>, &crate::Writer) -> Result<FinishAnswer>,
) -> Result<FinishAnswer> {
    let (writer, project) = (crate::writer::writer(&site.config, caller), self::project(site));
    let there = global.as_ref().map(|global| crate::writer::writer(&global.site.config, &global.caller));
    let beyond = global.as_mut().zip(there.as_ref()).map(|(global, writer)| GlobalLedger {
        ledger: &mut global.ledger,
        writer,
        project: &project,
    });
    let answer = learn(ledger, beyond, &writer);
    if let Some(mut global) = global {
        let finished = if answer.is_ok() {
            crate::writer::finish(&mut global.ledger, &global.site, &mut global.models, &global.caller, ())
        } else {
            Ok(())
        };
        site.workspace.take_back(global);
        finished?;
    }
    crate::writer::finish(ledger, site, models, caller, answer?)
}

/// Ends a conversation: what was reported of entries, and what was mended, moves belief and verifies nothing.
pub fn end_session(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    end: SessionEnd,
) -> Result<FinishAnswer> {
    ledger.may_write()?;
    let mut is_elsewhere = false;
    for key in end.used.iter().chain(&end.wrong).chain(&end.credited) {
        is_elsewhere |= ledger.stored(*key)?.is_none();
    }
    let global = if is_elsewhere { global_to_write(ledger, &site.workspace, caller) } else { None };
    learn_in_both(ledger, site, models, caller, global, |store, beyond, writer| {
        run::end_session(store, beyond, end, writer)
    })
}

/// Runs of some kinds, newest first.
pub fn runs(ledger: &Ledger, caller: &Caller, kinds: &[RunKind], open: bool) -> Result<Vec<RunLine>> {
    run::list(&**ledger, kinds, open, caller.now())
}

/// Begins a review, and says what each agent is told.
pub fn review_start(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    agents: Vec<Agent>,
    subject: &Subject,
    thread: Option<String>,
    strategy: Option<String>,
) -> Result<ReviewStarted> {
    ledger.may_write()?;
    let mut profiles: Vec<Profile> = agents.iter().map(|agent| profile(&site.config, agent)).collect();
    let (about, words, paths) = match subject {
        Subject::Summary(text) => (text.clone(), text.clone(), Vec::new()),
        Subject::Diff(text) => {
            let patch = Patch::parse(text).map_err(|problem| {
                Refusal::new(Code::Invalid, format!("the diff: {problem}")).field("diff")
            })?;
            (patch.about(), patch.question(), patch.paths)
        }
    };
    let mut unheard = None;
    if let Some(global) = global_store(&site.workspace, caller, Access::Read)
        && let Err(error) = global.and_then(|mut global| serve_globally(&mut global, &mut profiles, &words))
    {
        unheard = Some(format!("the global store could not be searched: {error}"));
    }
    let input = ReviewInput {
        start: StartInput {
            kind: RunKind::Review,
            run: caller.run().map(str::to_owned),
            about,
            project: project(site),
            thread,
            agents,
            strategy,
            paths,
        },
        profiles,
        words,
        cap: site.config.number("review.entries"),
        limit: review_limit(&site.config),
    };
    let (embedder, writer) =
        (crate::embedding::embedder(ledger, models), crate::writer::writer(&site.config, caller));
    let tokens = models.all.tokens();
    let ground = RefCell::new(crate::ground::ground(ledger, site).in_a_hurry());
    let means = Means {
        embedder: embedder.as_ref().map(|embedder| &**embedder).map_err(Clone::clone),
        tokens: &*tokens,
        now: caller.now(),
        ground: Some(&ground),
    };
    let mut answer = review::start(ledger, input, &means, &writer)?;
    ground.into_inner().save();
    answer.warnings.extend(unheard);
    Ok(answer)
}

/// What an agent looks for: the words of its role, or of its name where that is a role.
fn profile(config: &Config, agent: &Agent) -> Profile {
    let role = agent.role.as_deref().unwrap_or(&agent.name).to_lowercase();
    let keywords = crate::drift::reviewer_keywords(config, &role).filter(|words| !words.trim().is_empty());
    let is_known = keywords.is_some();
    Profile {
        // A name that is no role says nothing about what is looked for.
        keywords: keywords.or_else(|| agent.role.clone()).unwrap_or_default().replace(['-', '_', '/'], " "),
        reviewer: is_known.then_some(role),
        global: Vec::new(),
    }
}

/// Takes in what an agent found, in whichever format.
pub fn review_report(
    ledger: &mut Ledger,
    config: &Config,
    caller: &Caller,
    run: &str,
    agent: Option<&str>,
    findings: &str,
) -> Result<ReportAnswer> {
    ledger.may_write()?;
    let report = finding::read::read(findings)?;
    let writer = crate::writer::writer(config, caller);
    review::report(ledger, run, agent, report, &writer)
}

/// Ends a review and learns from it. What goes wrong in that is a warning: the review's own answer does not depend on it.
pub fn review_complete(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    run: &str,
) -> Result<CompleteAnswer> {
    review_complete_with(ledger, site, models, caller, run, None)
}

/// The same, if a list of findings names nothing grave that no report has (COR-13).
pub fn review_complete_with(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    run: &str,
    cited: Option<&Cited>,
) -> Result<CompleteAnswer> {
    match complete(ledger, site, models, caller, run, cited) {
        Err(Error::Refused(refusal)) if refusal.code != Code::ReadOnly => Err(refusal.into()),
        // What may not be written cannot be learned; the review's own answer stands.
        Err(error) => {
            let verdict = review::verdict(&**ledger, run).ok();
            Ok(CompleteAnswer { verdict, ..review::not_completed(run, &error) })
        }
        Ok(answer) => Ok(answer),
    }
}

fn complete(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    run: &str,
    cited: Option<&Cited>,
) -> Result<CompleteAnswer> {
    ledger.may_write()?;
    // One at a time: whoever comes second finds it done.
    let _alone = ledger.alone("completing")?;
    let (writer, around, rules) = (
        crate::writer::writer(&site.config, caller),
        crate::repository::repository(site),
        crate::intake_rules::rules(ledger, site, models, caller)?,
    );
    let global = global_store(&site.workspace, caller, Access::Write)
        .and_then(Result::ok)
        .map(|global| RefCell::new(global.ledger));
    let embedder = crate::embedding::embedder(ledger, models);
    let tokens = models.all.tokens();
    let means = Means {
        embedder: embedder.as_ref().map(|embedder| &**embedder).map_err(Clone::clone),
        tokens: &*tokens,
        now: writer.now,
        ground: None,
    };
    let limit = review_limit(&site.config);
    let by = Completing {
        intake: &rules.for_many(),
        repository: &around,
        limit,
        means: &means,
        global: global.as_ref(),
        cited,
    };
    let answer = review::complete(ledger, run, &by, &writer)?;
    drop(tokens);
    crate::archive_pages::finish_standing(ledger, site, models, caller, answer)
}

/// A run, with what was shown and found in it.
pub fn review_show(ledger: &Ledger, caller: &Caller, run: &str) -> Result<ReviewView> {
    review::show(&**ledger, run, caller.now())
}

/// Says that an entry was found again. A person's word is independent; an agent's is judged by what it was shown.
pub fn confirm(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    reason: &str,
) -> Result<ConfirmAnswer> {
    ledger.may_write()?;
    let (agent, run, voice, writer) = voice(&site.config, caller);
    let speaker = Speaker { run: run.as_deref(), agent: &agent, voice, at: None };
    match confirm::confirm(ledger, name, speaker, reason.to_owned(), &writer) {
        Ok(answer) => crate::archive_pages::finish_standing(ledger, site, models, caller, answer),
        Err(error) => in_global(ledger, &site.workspace, caller, name, error, |global, name| {
            confirm(&mut global.ledger, &global.site, &mut global.models, &global.caller, name, reason)
        }),
    }
}

/// What a person at a terminal still has to answer before their word on an entry is independent: `script -c` types nothing (REV-3,
/// COR-7). Every verb by which somebody confirms an entry asks this.
pub(crate) fn asks_who_confirms(caller: &Caller) -> impl Fn(&str) -> Option<Refusal> + use<> {
    let is_asked = caller.attendance() == Attendance::Attended;
    let who = caller.who();
    move |name| is_asked.then(|| for_a_person(&format!("confirming {name} independently"), &who))
}

/// Asks it of who is about to state what somebody else has stated, before anything is written.
pub(crate) fn said_again_check(
    caller: &Caller,
) -> impl Fn(&dyn Projection, &crate::AddAnswer) -> Result<()> + use<> {
    let (ask, actor) = (asks_who_confirms(caller), caller.actor().to_owned());
    move |ledger, answer| {
        if answer.outcome != Outcome::Reinforced {
            return Ok(());
        }
        let stored = crate::ops::find_any(ledger, &answer.id)?;
        let confirmed = stored.filter(|stored| confirms_by_stating(stored, &actor));
        confirmed.and_then(|stored| ask(&stored.id)).map_or(Ok(()), |refusal| Err(refusal.into()))
    }
}

/// Says whether an entry helped.
pub fn feedback(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    helpful: bool,
    reason: &str,
) -> Result<ChangeAnswer> {
    ledger.may_write()?;
    let (agent, run, voice, writer) = voice(&site.config, caller);
    let speaker = Speaker { run: run.as_deref(), agent: &agent, voice, at: None };
    match confirm::feedback(ledger, name, helpful, speaker, reason.to_owned(), &writer) {
        Ok(answer) => crate::writer::finish(ledger, site, models, caller, answer),
        Err(error) => in_global(ledger, &site.workspace, caller, name, error, |global, name| {
            feedback(
                &mut global.ledger,
                &global.site,
                &mut global.models,
                &global.caller,
                name,
                helpful,
                reason,
            )
        }),
    }
}

/// BEL-7: wipes the slate of an entry; for a person.
pub fn reset_belief(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    reason: &str,
) -> Result<ChangeAnswer> {
    ledger.may_write()?;
    caller.require_person("resetting a belief")?;
    let writer = crate::writer::writer(&site.config, caller);
    let answer = confirm::reset(ledger, name, reason.to_owned(), &writer)?;
    crate::writer::finish(ledger, site, models, caller, answer)
}

/// ENT-8: lets an entry of a thread reach the whole project.
pub fn promote_to_project(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    reason: &str,
) -> Result<ChangeAnswer> {
    ledger.may_write()?;
    let writer = crate::writer::writer(&site.config, caller);
    let answer = reach::promote_to_project(ledger, name, reason.to_owned(), &writer)?;
    crate::writer::finish(ledger, site, models, caller, answer)
}

/// What [`promote_to_project`] would do.
pub fn plan_promote_to_project(ledger: &mut Ledger, name: &str, reason: &str) -> Result<PromotionPlan> {
    let (id, step) = reach::plan_promote_to_project(ledger, name, reason.to_owned())?;
    Ok(PromotionPlan { dry_run: true, id, to: "project".to_owned(), steps: vec![step] })
}

/// BEL-8: puts a thread away.
pub fn archive_thread(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    thread: &str,
) -> Result<ThreadAnswer> {
    ledger.may_write()?;
    let writer = crate::writer::writer(&site.config, caller);
    let answer = reach::archive_thread(ledger, thread, &writer)?;
    crate::writer::finish(ledger, site, models, caller, answer)
}

/// Every thread that has entries.
pub fn threads(ledger: &Ledger) -> Result<Vec<ThreadLine>> {
    reach::threads(&**ledger)
}

/// How far an entry can be believed, and how that came about.
pub fn belief(ledger: &mut Ledger, site: &Site, caller: &Caller, name: &str) -> Result<BeliefAnswer> {
    if let Err(error) = crate::ops::find(&**ledger, name) {
        return in_global(ledger, &site.workspace, caller, name, error, |global, name| {
            belief(&mut global.ledger, &global.site, &global.caller, name)
        });
    }
    crate::exposures::remember_pulled(
        ledger,
        site,
        caller,
        vec![crate::ops::find(&**ledger, name)?.entry.key],
    )?;
    belief::belief(&**ledger, name, caller.now())
}

/// The same as it was.
pub fn belief_as_of(
    ledger: &Ledger,
    layout: &Layout,
    caller: &Caller,
    when: &str,
    name: &str,
) -> Result<BeliefAnswer> {
    let snapshot = crate::past::as_of(ledger, when)?;
    belief::belief(&*snapshot, name, crate::ground::time_of(layout, caller, when)?)
}

/// BEL-11: whether what is believed at 80 % holds four times out of five.
pub fn calibration(ledger: &Ledger) -> Result<CalibrationAnswer> {
    belief::calibration(&**ledger)
}

/// UPK-7: what runs came to in some period.
pub fn outcomes(ledger: &Ledger, caller: &Caller, period: &str) -> Result<OutcomesAnswer> {
    let period =
        Period::parse(period).map_err(|problem| Refusal::new(Code::Invalid, problem).field("period"))?;
    outcomes::outcomes(&**ledger, period, caller.now())
}

fn review_limit(config: &Config) -> u32 {
    u32::try_from(config.number("review.limit")).unwrap_or(u32::MAX)
}

/// IN-6: who states what somebody else has stated confirms it; who had been shown it repeats it.
pub(crate) fn said_again(
    store: &mut Ledger,
    config: &Config,
    caller: &Caller,
    answer: &mut crate::AddAnswer,
) -> Result<()> {
    if answer.outcome != Outcome::Reinforced {
        return Ok(());
    }
    let Some(stored) = crate::ops::find_any(&**store, &answer.id)? else { return Ok(()) };
    let (agent, run, voice, writer) = voice(config, caller);
    if !confirms_by_stating(&stored, &writer.actor) {
        return Ok(());
    }
    let speaker = Speaker { run: run.as_deref(), agent: &agent, voice, at: None };
    let reason = "stated again".to_owned();
    let confirmed = confirm::confirm(store, &answer.id, speaker, reason, &writer)?;
    if confirmed.change.outcome == ChangeOutcome::Changed {
        answer.reasons.extend(confirmed.change.reasons);
    }
    Ok(())
}

/// Who speaks, and in which run. Whoever names an agent, or is run by an agent's host, is no person; nor is a process that credits
/// one where nobody could be asked (COR-7).
fn voice(config: &Config, caller: &Caller) -> (String, Option<String>, Voice, crate::Writer) {
    let writer = crate::writer::writer(config, caller);
    let is_human = caller.is_human() && caller.agent().is_none();
    let voice = match (is_human, caller.attendance()) {
        (false, _) => Voice::Agent,
        (true, Attendance::Unattended) => Voice::Unattended,
        (true, Attendance::Attended | Attendance::Confirmed) => Voice::Person,
    };
    (caller.name().to_owned(), caller.run().map(str::to_owned), voice, writer)
}

/// What the global store has for each agent.
fn serve_globally(global: &mut Reach, profiles: &mut [Profile], words: &str) -> Result<()> {
    for profile in profiles {
        let input = profile.question(words);
        let found = crate::recall::ask(
            &mut global.ledger,
            &global.site,
            &mut global.models,
            &global.caller,
            |store, means| ken_engine::ops::search::search(store, &input, means),
        )?;
        let answers = found.results.iter().zip(found.hits);
        let answers = answers.map(|(result, hit)| GlobalAnswer {
            score: result.score,
            similarity: hit.found.similarity,
            stored: hit.stored,
        });
        profile.global = answers.collect();
    }
    Ok(())
}

/// Whether stating what an entry says confirms it: somebody else stated it, and it is handed out.
fn confirms_by_stating(stored: &Stored, actor: &str) -> bool {
    stored.entry.created_by != actor && stored.entry.status.is_retrieved()
}
