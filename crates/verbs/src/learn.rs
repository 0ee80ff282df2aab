//! The verbs that learn: runs, reviews, confirmations, feedback; and what that comes to: belief, outcomes.

use std::cell::RefCell;

use ken_core::answer::ChangeOutcome;
use ken_core::decide::Outcome;
use ken_core::finding;
use ken_core::patch::Patch;
use ken_core::run::{Agent, RunKind};
use ken_core::{BeliefEvent, Body, Code, Fault, Refusal};
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

use crate::{Access, ChangeAnswer, Config, Error, Kenning, PromotionPlan, Result};

/// What a review looks at.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A document, summed up.
    Summary(String),
    /// A change, as a unified diff.
    Diff(String),
}

impl Kenning {
    /// The project that runs belong to: as the settings say, else the folder of the repository.
    pub fn project(&self) -> String {
        if let Ok(name) = self.config.get("project.name")
            && !name.trim().is_empty()
        {
            return name.trim().to_owned();
        }
        let layout = self.layout();
        let git = layout.git.as_ref().map(|git| git.common_dir.clone());
        let main = git.and_then(|common| common.parent().map(std::path::Path::to_owned));
        let root = main.unwrap_or_else(|| layout.root.clone());
        let root = root.canonicalize().unwrap_or(root);
        root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Begins a task or a session.
    pub fn task_start(
        &mut self,
        goal: &str,
        kind: RunKind,
        thread: Option<String>,
        strategy: Option<String>,
    ) -> Result<StartAnswer> {
        self.run_start(self.caller.run().map(str::to_owned), goal, kind, thread, strategy)
    }

    /// Begins a task or a session under a name, or under one that is made up.
    fn run_start(
        &mut self,
        run: Option<String>,
        goal: &str,
        kind: RunKind,
        thread: Option<String>,
        strategy: Option<String>,
    ) -> Result<StartAnswer> {
        self.store.may_write()?;
        let agent = |name: &str| Agent { name: name.to_owned(), role: None, family: None };
        let input = StartInput {
            kind,
            run,
            about: goal.to_owned(),
            project: self.project(),
            thread,
            agents: self.caller.agent().map(agent).into_iter().collect(),
            strategy,
            paths: Vec::new(),
        };
        let writer = crate::writer(&self.config, &self.caller);
        run::start(&mut self.store, input, &writer)
    }

    /// A task that begins and ends at once, beside the run around it: what a conversation says of one of its parts.
    ///
    /// Nobody saw it begin, so only entries count that were shown to who speaks, that are not their own of today, and each once a day: else
    /// an agent could make anything verified by saying so a few times.
    pub fn task_finish_apart(&mut self, goal: &str, mut input: FinishInput) -> Result<FinishAnswer> {
        self.store.may_write()?;
        let (now, actor) = (self.caller.now(), self.caller.actor().to_owned());
        let me = ken_core::run::agent_of(&actor).to_owned();
        let prefix = format!("task-{}-{}-", ken_core::run::folded(&me), now.date());
        let mut notes = Vec::new();
        let mut counted = Vec::new();
        let mut faults = Vec::new();
        if input.quality.is_some_and(|quality| !(0.0..=1.0).contains(&quality)) {
            faults.push(Fault { field: "quality".to_owned(), problem: "is not between 0 and 1".to_owned() });
        }
        let (used, wrong) = (input.used.take().unwrap_or_default(), std::mem::take(&mut input.wrong));
        let global = self.global_of(used.iter().chain(&wrong))?;
        let named = used.iter().map(|name| ("used", name)).chain(wrong.iter().map(|name| ("wrong", name)));
        for (field, name) in named {
            let there = global.as_ref().map(|global| (&*global.store, GlobalLedger::bare(name)));
            let (stored, there) = match (ken_engine::ops::find(&*self.store, name), there) {
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
            let names = [me.clone(), self.caller.name().to_owned()];
            let names = [names[0].as_str(), names[1].as_str()];
            let mut told = run::is_primed(&*self.store, self.caller.run(), &names, entry.key, now)?;
            if let Some(store) = there.filter(|_| !told) {
                told = run::is_primed(store, None, &names, entry.key, now)?;
            }
            // For and against alike: neither may be said again and again.
            let source = format!("run:{prefix}");
            let history = match there {
                Some(store) => store.history(entry.key)?,
                None => self.store.history(entry.key)?,
            };
            let again = history.iter().any(|placed| {
                let body = placed.event.body.as_ref();
                matches!(body, Some(Body::Belief(BeliefEvent::Observed { source: of, .. })) if of.starts_with(&source))
            });
            match (own, told, again) {
                (true, ..) => {
                    notes.push(format!("{} is your own entry of today and does not count", stored.id))
                }
                (_, false, _) => notes.push(format!("{} was not shown to you and does not count", stored.id)),
                (_, _, true) => notes.push(format!("{} was already counted for you today", stored.id)),
                (false, true, false) => {
                    let list = if field == "wrong" { &mut input.wrong } else { &mut counted };
                    let id = stored.id.clone();
                    list.push(if there.is_some() { format!("global:{id}") } else { id });
                }
            }
        }
        global.into_iter().for_each(|global| self.workspace.take_back(global));
        if let Some(refusal) = Refusal::from_faults(Code::Invalid, faults) {
            return Err(refusal.into());
        }
        let mut number = now.0.rem_euclid(1 << 24);
        while self.store.run(&format!("{prefix}{number:06x}"))?.is_some() {
            number += 1;
        }
        let began = self.run_start(Some(format!("{prefix}{number:06x}")), goal, RunKind::Task, None, None)?;
        (input.run, input.used) = (began.run, Some(counted));
        let mut answer = self.task_finish(input)?;
        answer.notes.splice(0..0, notes);
        Ok(answer)
    }

    /// Ends a task or a session: every entry it used learns from it, once.
    pub fn task_finish(&mut self, input: FinishInput) -> Result<FinishAnswer> {
        self.store.may_write()?;
        let global = self.global_of(input.used.iter().flatten().chain(&input.wrong))?;
        self.learn_in_both(global, |store, beyond, writer| run::finish_with(store, beyond, input, writer))
    }

    /// The global store, where some name means nothing in the project's (COR-2).
    fn global_of<'n>(&mut self, names: impl Iterator<Item = &'n String>) -> Result<Option<Kenning>> {
        for name in names {
            if crate::ops::find(&*self.store, name).is_err_and(|error| is_missing(&error)) {
                return Ok(self.global_to_write());
            }
        }
        Ok(None)
    }

    /// The global store, for what is written there. One that cannot be opened is a notice.
    pub(crate) fn global_to_write(&mut self) -> Option<Kenning> {
        match self.global_store(Access::Write)? {
            Ok(global) => Some(global),
            Err(error) => {
                self.store.notice(format!("the global store could not be searched: {error}"));
                None
            }
        }
    }

    /// Learns from a run that ends, here and in the global store.
    fn learn_in_both(
        &mut self,
        mut global: Option<Kenning>,
        learn: impl FnOnce(&mut Ledger, Option<GlobalLedger<'_>>, &crate::Writer) -> Result<FinishAnswer>,
    ) -> Result<FinishAnswer> {
        let (writer, project) = (crate::writer(&self.config, &self.caller), self.project());
        let there = global.as_ref().map(|global| crate::writer(&global.config, &global.caller));
        let beyond = global.as_mut().zip(there.as_ref()).map(|(global, writer)| GlobalLedger {
            ledger: &mut global.store,
            writer,
            project: &project,
        });
        let answer = learn(&mut self.store, beyond, &writer);
        if let Some(mut global) = global {
            let finished = if answer.is_ok() { global.finish(()) } else { Ok(()) };
            self.workspace.take_back(global);
            finished?;
        }
        self.finish(answer?)
    }

    /// Ends a conversation: what was reported of entries, and what was mended, moves belief and verifies nothing.
    pub fn end_session(&mut self, end: SessionEnd) -> Result<FinishAnswer> {
        self.store.may_write()?;
        let mut is_elsewhere = false;
        for key in end.used.iter().chain(&end.wrong).chain(&end.credited) {
            is_elsewhere |= self.store.stored(*key)?.is_none();
        }
        let global = if is_elsewhere { self.global_to_write() } else { None };
        self.learn_in_both(global, |store, beyond, writer| run::end_session(store, beyond, end, writer))
    }

    /// Runs of some kinds, newest first.
    pub fn runs(&mut self, kinds: &[RunKind], open: bool) -> Result<Vec<RunLine>> {
        run::list(&*self.store, kinds, open, self.caller.now())
    }

    /// Begins a review, and says what each agent is told.
    pub fn review_start(
        &mut self,
        agents: Vec<Agent>,
        subject: &Subject,
        thread: Option<String>,
        strategy: Option<String>,
    ) -> Result<ReviewStarted> {
        self.store.may_write()?;
        let mut profiles: Vec<Profile> = agents.iter().map(|agent| self.profile(agent)).collect();
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
        if let Some(global) = self.global_store(Access::Read)
            && let Err(error) =
                global.and_then(|mut global| serve_globally(&mut global, &mut profiles, &words))
        {
            unheard = Some(format!("the global store could not be searched: {error}"));
        }
        let input = ReviewInput {
            start: StartInput {
                kind: RunKind::Review,
                run: self.caller.run().map(str::to_owned),
                about,
                project: self.project(),
                thread,
                agents,
                strategy,
                paths,
            },
            profiles,
            words,
            cap: self.config.number("review.entries"),
            limit: review_limit(&self.config),
        };
        let (embedder, writer) = (self.embedder(), crate::writer(&self.config, &self.caller));
        let tokens = self.models.tokens();
        let ground = RefCell::new(self.ground().in_a_hurry());
        let means = Means {
            embedder: embedder.as_ref().map(|embedder| &**embedder).map_err(Clone::clone),
            tokens: &*tokens,
            now: self.caller.now(),
            ground: Some(&ground),
        };
        let mut answer = review::start(&mut self.store, input, &means, &writer)?;
        ground.into_inner().save();
        answer.warnings.extend(unheard);
        Ok(answer)
    }

    /// What an agent looks for: the words of its role, or of its name where that is a role.
    fn profile(&self, agent: &Agent) -> Profile {
        let role = agent.role.as_deref().unwrap_or(&agent.name).to_lowercase();
        let keywords = self.reviewer_keywords(&role).filter(|words| !words.trim().is_empty());
        let is_known = keywords.is_some();
        Profile {
            // A name that is no role says nothing about what is looked for.
            keywords: keywords
                .or_else(|| agent.role.clone())
                .unwrap_or_default()
                .replace(['-', '_', '/'], " "),
            reviewer: is_known.then_some(role),
            global: Vec::new(),
        }
    }

    /// Takes in what an agent found, in whichever format.
    pub fn review_report(&mut self, run: &str, agent: Option<&str>, findings: &str) -> Result<ReportAnswer> {
        self.store.may_write()?;
        let report = finding::read::read(findings)?;
        let writer = crate::writer(&self.config, &self.caller);
        review::report(&mut self.store, run, agent, report, &writer)
    }

    /// Ends a review and learns from it. What goes wrong in that is a warning: the review's own answer does not depend on it.
    pub fn review_complete(&mut self, run: &str) -> Result<CompleteAnswer> {
        self.review_complete_with(run, None)
    }

    /// The same, if a list of findings names nothing grave that no report has (COR-13).
    pub fn review_complete_with(&mut self, run: &str, cited: Option<&Cited>) -> Result<CompleteAnswer> {
        match self.complete(run, cited) {
            Err(Error::Refused(refusal)) if refusal.code != Code::ReadOnly => Err(refusal.into()),
            // What may not be written cannot be learned; the review's own answer stands.
            Err(error) => {
                let verdict = review::verdict(&*self.store, run).ok();
                Ok(CompleteAnswer { verdict, ..review::not_completed(run, &error) })
            }
            Ok(answer) => Ok(answer),
        }
    }

    fn complete(&mut self, run: &str, cited: Option<&Cited>) -> Result<CompleteAnswer> {
        self.store.may_write()?;
        // One at a time: whoever comes second finds it done.
        let _alone = self.store.alone("completing")?;
        let (writer, around, rules) =
            (crate::writer(&self.config, &self.caller), self.repository(), self.rules()?);
        let global =
            self.global_store(Access::Write).and_then(Result::ok).map(|global| RefCell::new(global.store));
        let embedder = self.embedder();
        let tokens = self.models.tokens();
        let means = Means {
            embedder: embedder.as_ref().map(|embedder| &**embedder).map_err(Clone::clone),
            tokens: &*tokens,
            now: writer.now,
            ground: None,
        };
        let limit = review_limit(&self.config);
        let by = Completing {
            intake: &rules.for_many(),
            repository: &around,
            limit,
            means: &means,
            global: global.as_ref(),
            cited,
        };
        let answer = review::complete(&mut self.store, run, &by, &writer)?;
        drop(tokens);
        self.finish_standing(answer)
    }

    /// The global store beside this one, where there is one.
    pub(crate) fn global_store(&self, access: Access) -> Option<Result<Kenning>> {
        let global = self.workspace.global_on_behalf_of(self.caller.outside_of_runs(), access);
        // Its vectors are asked for from here on; without a model words answer.
        global.transpose().map(|global| {
            global.map(|mut global| {
                drop(global.embedder());
                global
            })
        })
    }

    /// A run, with what was shown and found in it.
    pub fn review_show(&mut self, run: &str) -> Result<ReviewView> {
        review::show(&*self.store, run, self.caller.now())
    }

    /// Says that an entry was found again. A person's word is independent; an agent's is judged by what it was shown.
    pub fn confirm(&mut self, name: &str, reason: &str) -> Result<ConfirmAnswer> {
        self.store.may_write()?;
        let (agent, run, voice, writer) = voice(&self.config, &self.caller);
        let speaker = Speaker { run: run.as_deref(), agent: &agent, voice, at: None };
        match confirm::confirm(&mut self.store, name, speaker, reason.to_owned(), &writer) {
            Ok(answer) => self.finish_standing(answer),
            Err(error) => self.in_global(name, error, |global, name| global.confirm(name, reason)),
        }
    }

    /// Does the same in the global store, where that has what is not here (COR-2). `global:ID` means that one alone.
    pub(crate) fn in_global<T>(
        &mut self,
        name: &str,
        error: Error,
        verb: impl FnOnce(&mut Kenning, &str) -> Result<T>,
    ) -> Result<T> {
        if !is_missing(&error) {
            return Err(error);
        }
        let name = GlobalLedger::bare(name);
        match self.global_store(Access::Write) {
            Some(Ok(mut global)) if crate::ops::find(&*global.store, name).is_ok() => {
                let answer = verb(&mut global, name);
                self.workspace.take_back(global);
                answer
            }
            Some(Err(unheard)) => {
                self.store.notice(format!("the global store could not be searched: {unheard}"));
                Err(error)
            }
            Some(Ok(_)) | None => Err(error),
        }
    }

    /// What a person at a terminal still has to answer before their word on an entry is independent: `script -c` types nothing (REV-3,
    /// COR-7). Every verb by which somebody confirms an entry asks this.
    pub(crate) fn asks_who_confirms(&self) -> impl Fn(&str) -> Option<Refusal> + use<> {
        let is_asked = self.caller.attendance() == Attendance::Attended;
        let who = self.caller.who();
        move |name| is_asked.then(|| for_a_person(&format!("confirming {name} independently"), &who))
    }

    /// Asks it of who is about to state what somebody else has stated, before anything is written.
    pub(crate) fn said_again_check(
        &self,
    ) -> impl Fn(&dyn Projection, &crate::AddAnswer) -> Result<()> + use<> {
        let (ask, actor) = (self.asks_who_confirms(), self.caller.actor().to_owned());
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
    pub fn feedback(&mut self, name: &str, helpful: bool, reason: &str) -> Result<ChangeAnswer> {
        self.store.may_write()?;
        let (agent, run, voice, writer) = voice(&self.config, &self.caller);
        let speaker = Speaker { run: run.as_deref(), agent: &agent, voice, at: None };
        match confirm::feedback(&mut self.store, name, helpful, speaker, reason.to_owned(), &writer) {
            Ok(answer) => self.finish(answer),
            Err(error) => self.in_global(name, error, |global, name| global.feedback(name, helpful, reason)),
        }
    }

    /// BEL-7: wipes the slate of an entry; for a person.
    pub fn reset_belief(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer> {
        self.store.may_write()?;
        self.caller.require_person("resetting a belief")?;
        let writer = crate::writer(&self.config, &self.caller);
        let answer = confirm::reset(&mut self.store, name, reason.to_owned(), &writer)?;
        self.finish(answer)
    }

    /// ENT-8: lets an entry of a thread reach the whole project.
    pub fn promote_to_project(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer> {
        self.store.may_write()?;
        let writer = crate::writer(&self.config, &self.caller);
        let answer = reach::promote_to_project(&mut self.store, name, reason.to_owned(), &writer)?;
        self.finish(answer)
    }

    /// What [`Kenning::promote_to_project`] would do.
    pub fn plan_promote_to_project(&mut self, name: &str, reason: &str) -> Result<PromotionPlan> {
        let (id, step) = reach::plan_promote_to_project(&mut self.store, name, reason.to_owned())?;
        Ok(PromotionPlan { dry_run: true, id, to: "project".to_owned(), steps: vec![step] })
    }

    /// BEL-8: puts a thread away.
    pub fn archive_thread(&mut self, thread: &str) -> Result<ThreadAnswer> {
        self.store.may_write()?;
        let writer = crate::writer(&self.config, &self.caller);
        let answer = reach::archive_thread(&mut self.store, thread, &writer)?;
        self.finish(answer)
    }

    /// Every thread that has entries.
    pub fn threads(&mut self) -> Result<Vec<ThreadLine>> {
        reach::threads(&*self.store)
    }

    /// How far an entry can be believed, and how that came about.
    pub fn belief(&mut self, name: &str) -> Result<BeliefAnswer> {
        if let Err(error) = crate::ops::find(&*self.store, name) {
            return self.in_global(name, error, |global, name| global.belief(name));
        }
        self.remember_pulled(vec![crate::ops::find(&*self.store, name)?.entry.key])?;
        belief::belief(&*self.store, name, self.caller.now())
    }

    /// The same as it was.
    pub fn belief_as_of(&mut self, when: &str, name: &str) -> Result<BeliefAnswer> {
        let snapshot = self.as_of(when)?;
        belief::belief(&*snapshot, name, crate::check::time_of(&self.layout, &self.caller, when)?)
    }

    /// BEL-11: whether what is believed at 80 % holds four times out of five.
    pub fn calibration(&mut self) -> Result<CalibrationAnswer> {
        belief::calibration(&*self.store)
    }

    /// UPK-7: what runs came to in some period.
    pub fn outcomes(&mut self, period: &str) -> Result<OutcomesAnswer> {
        let period =
            Period::parse(period).map_err(|problem| Refusal::new(Code::Invalid, problem).field("period"))?;
        outcomes::outcomes(&*self.store, period, self.caller.now())
    }
}

/// The thread that is named, else the one that the current run belongs to.
pub(crate) fn thread_or(store: &Ledger, caller: &Caller, named: Option<String>) -> Result<Option<String>> {
    let Some(name) = caller.run().filter(|_| named.is_none()) else { return Ok(named) };
    Ok(store.run(name)?.and_then(|run| run.started.thread))
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
    let writer = crate::writer(config, caller);
    let is_human = caller.is_human() && caller.agent().is_none();
    let voice = match (is_human, caller.attendance()) {
        (false, _) => Voice::Agent,
        (true, Attendance::Unattended) => Voice::Unattended,
        (true, Attendance::Attended | Attendance::Confirmed) => Voice::Person,
    };
    (caller.name().to_owned(), caller.run().map(str::to_owned), voice, writer)
}

/// Whether an error says that no entry has a name.
fn is_missing(error: &Error) -> bool {
    matches!(error, Error::Refused(refusal) if refusal.code == Code::NotFound)
}

fn is_in(store: &dyn Projection, name: &str) -> Result<bool> {
    Ok(crate::ops::find_any(store, name)?.is_some())
}

/// What the global store has for each agent.
fn serve_globally(global: &mut Kenning, profiles: &mut [Profile], words: &str) -> Result<()> {
    for profile in profiles {
        let input = profile.question(words);
        let found = global.ask(|store, means| ken_engine::ops::search::search(store, &input, means))?;
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
