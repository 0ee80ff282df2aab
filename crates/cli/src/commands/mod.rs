//! One function per verb: parse, call one operation, render.

mod add;
mod brief;
mod change;
mod check;
mod diff;
mod digest;
mod doctor;
mod doors;
mod drift;
mod edit;
mod eval;
mod foreign;
mod gate;
mod health;
mod help;
mod hook;
mod keep;
mod knowledge;
mod learn;
mod list;
mod local;
mod norms;
mod overlay;
mod promote;
mod sarif;
mod scan;
mod search;
mod setup;
mod show;
mod stats;
mod stores;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kenning::core::{Code, Refusal};
use kenning::verb::{Call, InRun};
pub(crate) use kenning::verb::{read_bounded, read_word as word};
use kenning::verbs::{
    Annotate, Check, Drift, EvalCalibration, Export, FrictionExport, FrictionRecord, FrictionReport,
    HealthReport, HealthReview, Import, Invalidate, Mute, Note, Pin, Reduce, Reflect, Reinstate, Reweave,
    Scan, Signals, StagingAccept, StagingDrop, StagingList, StagingRestore, StagingShow, Sync, Unmute, Unpin,
};
use kenning::{Caller, Channel, Identity, Kenning, Options, Person, Place, Result, Workspace};

use self::eval::EvalRetrieval;
use self::knowledge::{KnowledgeAdd, KnowledgeReduce, KnowledgeReflect, KnowledgeReweave};
use self::local::{
    Completions, Demo, Help, Hook, KnowledgeArchive, KnowledgeList, KnowledgePromote, KnowledgeShow,
    KnowledgeVerify, Mcp, ParseWorker, Serve, Setup,
};
use crate::args::{Cli, EvalVerb, FrictionVerb, HealthVerb, KnowledgeVerb, StagingVerb, Verb};
use crate::output::{Output, exit};
use crate::terminal;

/// What a command works with.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) options: Options,
    pub(crate) identity: Identity,
    /// The person who confirmed this command.
    pub(crate) person: Option<Person>,
    pub(crate) output: Output,
}

impl Session {
    /// Opens the store and says what somebody should know.
    pub(crate) fn open(&self) -> Result<Kenning> {
        let mut ken = self.open_quietly()?;
        self.notes(&mut ken);
        Ok(ken)
    }

    /// A call by whoever runs this command, in the run that is named.
    pub(crate) fn call(&self, in_run: Option<&InRun>) -> Result<Call> {
        let mut identity = self.identity.clone();
        if let Some(named) = in_run {
            identity.run = named.run.clone().or(identity.run);
            identity.agent = named.agent.clone().or(identity.agent);
        }
        let git = Workspace::find(&self.options).and_then(|layout| layout.git);
        let place = Place { git: git.as_ref(), from: &self.options.from };
        let caller = identity.caller(&place, Channel::Cli)?;
        let caller = match &self.person {
            Some(person) => caller.confirmed_by(person.clone()),
            None => caller,
        };
        Ok(Call::new(self.options.clone(), caller))
    }

    /// Says what came up while a call was worked on.
    pub(crate) fn notes_of(&self, call: &mut Call) {
        if let Some(ken) = call.opened() {
            self.notes(ken);
        }
    }

    /// Who runs this command.
    pub(crate) fn caller(&self, workspace: &Workspace) -> Result<Caller> {
        let caller = workspace.caller(&self.identity, Channel::Cli)?;
        Ok(match &self.person {
            Some(person) => caller.confirmed_by(person.clone()),
            None => caller,
        })
    }

    /// Has the person at the terminal type a word to confirm what comes next.
    pub(crate) fn confirm(&self, ken: &Kenning, word: &str, question: &str) -> Result<Person> {
        let place = Place { git: ken.layout().git.as_ref(), from: &self.options.from };
        terminal::confirm(&self.identity, &place, word, question)
    }

    /// Opens the store without saying anything.
    pub(crate) fn open_quietly(&self) -> Result<Kenning> {
        let workspace = Workspace::open(self.options.clone())?;
        workspace.on_behalf_of(self.caller(&workspace)?)
    }

    /// Says what came up since the store was opened.
    pub(crate) fn notes(&self, ken: &mut Kenning) {
        for notice in ken.take_notices() {
            self.output.note(&notice);
        }
    }
}

/// How the command line runs a verb and shows its answer.
pub(crate) trait Shown: kenning::verb::Verb {
    /// Runs it, and shows the answer. Most verbs need nothing but words for it.
    fn execute(session: &Session, request: Self::Request) -> Result<u8> {
        render::<Self>(session, request, Self::say)
    }

    /// Runs it, and says what came up meanwhile.
    fn run_noting(session: &Session, call: &mut Call, request: Self::Request) -> Result<Self::Answer> {
        let answer = Self::run(call, request);
        session.notes_of(call);
        answer
    }

    /// The exit code of an answer.
    fn exit_code(answer: &Self::Answer) -> u8 {
        match (Self::rejects(answer), Self::finds(answer)) {
            (true, _) => exit::REFUSED,
            (false, true) => exit::FOUND,
            (false, false) => exit::OK,
        }
    }

    /// Prints an answer for a person.
    fn say(_: &Self::Answer) {}

    /// Runs it from the bare command line. Most verbs want to know where they are; those that do not work in any environment.
    fn start(line: &CommandLine, request: Self::Request) -> Result<u8> {
        Self::execute(&line.session()?, request)
    }
}

/// Runs a verb and shows its answer; `say` prints it for a person.
pub(crate) fn render<V: Shown + ?Sized>(
    session: &Session,
    request: V::Request,
    say: impl FnOnce(&V::Answer),
) -> Result<u8> {
    let mut call = session.call(V::in_run(&request))?;
    let answer = V::run_noting(session, &mut call, request)?;
    session.output.answer(&answer, || say(&answer))?;
    Ok(V::exit_code(&answer))
}

/// What was typed, before anybody asked the environment where this is.
pub(crate) struct CommandLine {
    pub(crate) cli: Cli,
    pub(crate) output: Output,
    /// The person who confirmed this command.
    pub(crate) person: Option<Person>,
}

impl CommandLine {
    /// Which store is meant: what the environment says, and the command line over it.
    pub(crate) fn options(&self) -> Result<Options> {
        options(&self.cli)
    }

    /// What a command works with here.
    pub(crate) fn session(&self) -> Result<Session> {
        let (options, identity) = (self.options()?, Identity::from_environment()?);
        Ok(Session { options, identity, person: self.person.clone(), output: self.output })
    }
}

/// Runs a command. What only a person may do is put to the person at the terminal, and then done in their name.
pub(crate) fn run(cli: Cli, output: Output) -> Result<u8> {
    let reads = cli.verb.as_ref().is_some_and(Verb::reads);
    match run_for(cli.clone(), output, None) {
        Err(error) if kenning::is_damaged_index(&error) && reads => {
            output.note("the index was damaged and is rebuilt");
            Workspace::discard_index(&options(&cli)?);
            run_for(cli, output, None)
        }
        Err(error) => {
            let (options, identity) = (options(&cli)?, Identity::from_environment()?);
            let layout = Workspace::find(&options);
            let git = layout.as_ref().and_then(|layout| layout.git.as_ref());
            let place = Place { git, from: &options.from };
            match terminal::confirm_refused(&identity, &place, &error)? {
                Some(person) => run_for(cli, output, Some(person)),
                None => Err(error),
            }
        }
        answer => answer,
    }
}

/// What the environment says, and the command line over it.
fn options(cli: &Cli) -> Result<Options> {
    let mut options = Options::from_environment()?;
    options.store = cli.store.clone().or(options.store);
    options.global = cli.global;
    options.no_model |= cli.no_model;
    // A grammar that aborts must not take the answer with it.
    if let Ok(program) = std::env::current_exe() {
        options.parser = kenning::Parser::Apart(program, vec!["parse-worker".to_owned()]);
    }
    Ok(options)
}

/// Runs a command and gives its exit code.
fn run_for(cli: Cli, output: Output, person: Option<Person>) -> Result<u8> {
    let line = CommandLine { cli, output, person };
    let Some(verb) = line.cli.verb.clone() else {
        help::short();
        return Ok(exit::OK);
    };
    match verb {
        Verb::Help(args) => return Help::start(&line, args),
        Verb::Completions(args) => return Completions::start(&line, args),
        Verb::Schema(args) => return keep::schema(args.kind.as_deref(), output),
        Verb::Demo(args) => return Demo::start(&line, args),
        Verb::Hook(args) => return Hook::start(&line, args),
        Verb::ParseWorker => return ParseWorker::start(&line, ()),
        _ => {}
    }
    let mut session = line.session()?;
    if let Some(in_run) = verb.in_run() {
        for (field, said, kept) in [
            ("run", &in_run.run, &mut session.identity.run),
            ("agent", &in_run.agent, &mut session.identity.agent),
        ] {
            if let Some(name) = said {
                kenning::check_name(name).map_err(|problem| {
                    Refusal::new(Code::Invalid, format!("{field} {problem}")).field(field)
                })?;
                *kept = Some(name.clone());
            }
        }
    }
    match verb {
        Verb::Init(args) => stores::init(&session, &args),
        Verb::Setup(args) => Setup::execute(&session, args),
        Verb::Where => stores::whereabouts(&session),
        Verb::Doctor(args) => doctor::doctor(&session, &args),
        Verb::Config(args) => stores::config(&session, &args),
        Verb::Migrate => stores::migrate(&session),
        Verb::Add(args) => add::add(&session, args),
        Verb::Note(args) => Note::execute(&session, args),
        Verb::Friction(args) => match args.verb {
            FrictionVerb::Record(args) => FrictionRecord::execute(&session, args),
            FrictionVerb::Report(args) => FrictionReport::execute(&session, args),
            FrictionVerb::Export(args) => FrictionExport::execute(&session, args),
        },
        Verb::Signals => Signals::execute(&session, ()),
        Verb::Health(args) => match args.verb {
            HealthVerb::Report => HealthReport::execute(&session, ()),
            HealthVerb::Review(args) => HealthReview::execute(&session, args),
        },
        Verb::Check(args) => Check::execute(&session, args),
        Verb::Reduce(args) => Reduce::execute(&session, args),
        Verb::Staging(args) => match args.verb {
            StagingVerb::List => StagingList::execute(&session, ()),
            StagingVerb::Show(args) => StagingShow::execute(&session, args),
            StagingVerb::Accept(args) => StagingAccept::execute(&session, args),
            StagingVerb::Drop(args) => StagingDrop::execute(&session, args),
            StagingVerb::Restore(args) => StagingRestore::execute(&session, args),
        },
        Verb::Reflect(args) => Reflect::execute(&session, args),
        Verb::Reweave(args) => Reweave::execute(&session, args),
        Verb::Import(args) => Import::execute(&session, args),
        Verb::Export(args) => Export::execute(&session, args),
        Verb::Sync(args) => Sync::execute(&session, args),
        Verb::Show(args) => show::show(&session, &args),
        Verb::Why(args) => show::why(&session, &args),
        Verb::Log(args) => show::log(&session, &args),
        Verb::List(args) => list::list(&session, &args),
        Verb::Search(args) => search::search(&session, &args),
        Verb::Surface(args) => search::surface(&session, &args, false),
        Verb::Inject(args) => search::surface(&session, &args, true),
        Verb::Menu(args) => search::menu(&session, &args),
        Verb::Applied(args) => search::applied(&session, &args),
        Verb::Brief(args) => brief::brief(&session, &args),
        Verb::Stats(args) => stats::stats(&session, &args),
        Verb::Embed(args) => search::embed(&session, &args),
        Verb::Eval(args) => match args.verb {
            EvalVerb::Retrieval(args) => EvalRetrieval::execute(&session, args),
            EvalVerb::Calibration => EvalCalibration::execute(&session, ()),
        },
        Verb::Revise(args) => change::revise(&session, args),
        Verb::Edit(args) => edit::edit(&session, &args.id),
        Verb::Supersede(args) => change::supersede(&session, args),
        Verb::Retract(args) => change::simple(&session, |ken| ken.retract(&args.id, &args.reason)),
        Verb::Archive(args) => change::archive(&session, &args),
        Verb::Restore(args) => change::simple(&session, |ken| ken.restore(&args.id, &args.reason)),
        Verb::Release(args) => change::simple(&session, |ken| ken.release(&args.id, &args.reason)),
        Verb::Scan(args) => Scan::execute(&session, args),
        Verb::Link(args) => {
            change::simple(&session, |ken| ken.link(&args.from, &args.relation, &args.to, args.remove))
        }
        Verb::Confirm(args) => learn::confirm(&session, &args),
        Verb::Feedback(args) => learn::feedback(&session, &args),
        Verb::Belief(args) => learn::belief(&session, &args),
        Verb::Task(args) => learn::task(&session, args),
        Verb::Review(args) => learn::review(&session, args),
        Verb::Outcomes(args) => learn::outcomes(&session, &args),
        Verb::Promote(args) => promote::promote(&session, args),
        Verb::Gate(args) => gate::gate(&session, args),
        Verb::Thread(args) => learn::thread(&session, &args),
        Verb::Reset(args) => learn::reset(&session, &args),
        Verb::Tag(args) => change::tag(&session, args),
        Verb::Pin(args) => Pin::execute(&session, args),
        Verb::Unpin(args) => Unpin::execute(&session, args),
        Verb::Mute(args) => Mute::execute(&session, args),
        Verb::Unmute(args) => Unmute::execute(&session, args),
        Verb::Invalidate(args) => Invalidate::execute(&session, args),
        Verb::Reinstate(args) => Reinstate::execute(&session, args),
        Verb::Annotate(args) => Annotate::execute(&session, args),
        Verb::Drift(args) => Drift::execute(&session, args),
        Verb::Queue(args) => learn::queue(&session, &args),
        Verb::Mcp(args) => Mcp::execute(&session, args),
        Verb::Serve(args) => Serve::execute(&session, args),
        Verb::Undo => change::undo(&session),
        Verb::Diff(args) => diff::diff(&session, &args),
        Verb::Commit(args) => keep::commit(&session, &args.message),
        Verb::Flush(args) => keep::flush(&session, args.stage),
        Verb::Recover(args) => keep::recover(&session, args.all),
        Verb::Adopt(args) => keep::adopt(&session, &args.file),
        Verb::Verify(args) => keep::verify(&session, args.fix),
        Verb::Rebuild => keep::rebuild(&session),
        Verb::Purge(args) => keep::purge(&session, &args),
        Verb::Knowledge(args) => match args.verb {
            KnowledgeVerb::Add(args) => KnowledgeAdd::execute(&session, args),
            KnowledgeVerb::List(args) => KnowledgeList::execute(&session, args),
            KnowledgeVerb::Show(args) => KnowledgeShow::execute(&session, args),
            KnowledgeVerb::Promote(args) => KnowledgePromote::execute(&session, args),
            KnowledgeVerb::Verify => KnowledgeVerify::execute(&session, ()),
            KnowledgeVerb::Reduce(args) => KnowledgeReduce::execute(&session, args),
            KnowledgeVerb::Reflect => KnowledgeReflect::execute(&session, ()),
            KnowledgeVerb::Reweave(args) => KnowledgeReweave::execute(&session, args),
            KnowledgeVerb::Archive(args) => KnowledgeArchive::execute(&session, args),
        },
        Verb::Help(_)
        | Verb::Completions(_)
        | Verb::Schema(_)
        | Verb::Demo(_)
        | Verb::Hook(_)
        | Verb::ParseWorker => Ok(exit::OK),
    }
}

/// Set once somebody pressed Ctrl-C: what is being written is finished first.
pub(crate) fn interrupt() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let flag = stopped.clone();
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst));
    stopped
}

/// Leaves the making of vectors to a process of its own, which ends when it is done. Nothing waits for it, and nothing needs it.
pub(crate) fn embed_in_background(session: &Session, ken: &mut Kenning) {
    let wanted = ken.config().switch("embedder.background") && session.options.background;
    if !wanted || session.options.read_only || ken.embedder().is_err() || ken.backlog().unwrap_or(0) == 0 {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = std::process::Command::new(program);
    command.args(["embed", "--quiet"]).current_dir(&session.options.from);
    if let Some(store) = &session.options.store {
        command.arg("--store").arg(store);
    }
    if session.options.global {
        command.arg("--global");
    }
    let nothing = std::process::Stdio::null;
    // Without it `ken embed` does the same by hand; recall answers by words meanwhile.
    drop(command.stdin(nothing()).stdout(nothing()).stderr(nothing()).spawn());
}
