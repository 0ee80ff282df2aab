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
pub(crate) use kenning::verb::word;
use kenning::verb::{Call, InRun};
use kenning::verbs::{
    Add, Adopt, Annotate, Archive, Commit, Config, Diff, Doctor, Edit, Flush, Init, Invalidate, Link, List,
    Log, Migrate, Mute, NoFields, Pin, Purge, Rebuild, Recover, Reinstate, Release, Restore, Retract, Revise,
    Show, Supersede, Tag, Undo, Unmute, Unpin, Verify, Where, Why,
};
use kenning::{
    Caller, Channel, Error, Identity, Kenning, Options, Part, Person, Place, Result, SetUp, Workspace,
};

use crate::args::{Cli, Verb};
use crate::demo;
use crate::output::{Output, exit, println};
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

    /// Opens the store, and makes it first where there is none: the doors that ask no questions write on first use.
    pub(crate) fn open_or_make(&self) -> Result<Kenning> {
        if Workspace::find(&self.options).is_none() {
            Workspace::init(&self.options, SetUp::default())?;
        }
        self.open()
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
        let mut call = session.call(Self::in_run(&request))?;
        let answer = Self::run_noting(session, &mut call, request)?;
        session.output.answer(&answer, || Self::say(&answer))?;
        Ok(Self::exit_code(&answer))
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
}

/// Runs a command. What only a person may do is put to the person at the terminal, and then done in their name.
pub(crate) fn run(cli: Cli, output: Output) -> Result<u8> {
    let reads = cli.verb.as_ref().is_some_and(Verb::reads);
    match run_for(cli.clone(), output, None) {
        Err(Error::Damaged(Part::Index, _)) if reads => {
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
    let Some(verb) = cli.verb.clone() else {
        help::short();
        return Ok(exit::OK);
    };
    match verb {
        Verb::Help(args) => return help::help(args.verb.as_deref(), output),
        Verb::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut crate::command(), "ken", &mut script);
            println!("{}", String::from_utf8_lossy(&script).trim_end());
            return Ok(exit::OK);
        }
        Verb::Schema(args) => return keep::schema(&args),
        Verb::Demo(args) => return demo::run(args.keep),
        Verb::Hook(args) => return Ok(hook::hook(&args, options(&cli), Identity::from_environment())),
        Verb::ParseWorker => {
            return kenning::parse_worker()
                .map(|()| exit::OK)
                .map_err(kenning::Error::failed("reading code"));
        }
        _ => {}
    }
    let (options, identity) = (options(&cli)?, Identity::from_environment()?);
    let mut session = Session { options, identity, person, output };
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
        Verb::Init(args) => Init::execute(&session, args),
        Verb::Setup(args) => setup::setup(&session, &args),
        Verb::Where => Where::execute(&session, NoFields {}),
        Verb::Doctor(args) => Doctor::execute(&session, args),
        Verb::Config(args) => Config::execute(&session, args),
        Verb::Migrate => Migrate::execute(&session, NoFields {}),
        Verb::Add(args) => Add::execute(&session, args),
        Verb::Note(args) => health::note(&session, &args),
        Verb::Friction(args) => health::friction(&session, args.verb),
        Verb::Signals => health::signals(&session),
        Verb::Health(args) => health::health(&session, args.verb),
        Verb::Check(args) => check::check(&session, &args),
        Verb::Reduce(args) => digest::reduce(&session, &args),
        Verb::Staging(args) => digest::staging(&session, args.verb),
        Verb::Reflect(args) => digest::reflect(&session, args.link),
        Verb::Reweave(args) => digest::reweave(&session, args),
        Verb::Import(args) => foreign::import(&session, &args),
        Verb::Export(args) => foreign::export(&session, &args),
        Verb::Sync(args) => foreign::sync(&session, &args),
        Verb::Show(args) => Show::execute(&session, args),
        Verb::Why(args) => Why::execute(&session, args),
        Verb::Log(args) => Log::execute(&session, args),
        Verb::List(args) => List::execute(&session, args),
        Verb::Search(args) => search::search(&session, &args),
        Verb::Surface(args) => search::surface(&session, &args, false),
        Verb::Inject(args) => search::surface(&session, &args, true),
        Verb::Menu(args) => search::menu(&session, &args),
        Verb::Applied(args) => search::applied(&session, &args),
        Verb::Brief(args) => brief::brief(&session, &args),
        Verb::Stats(args) => stats::stats(&session, &args),
        Verb::Embed(args) => search::embed(&session, &args),
        Verb::Eval(args) => eval::eval(&session, &args),
        Verb::Revise(args) => Revise::execute(&session, args),
        Verb::Edit(args) => Edit::execute(&session, args),
        Verb::Supersede(args) => Supersede::execute(&session, args),
        Verb::Retract(args) => Retract::execute(&session, args),
        Verb::Archive(args) => Archive::execute(&session, args),
        Verb::Restore(args) => Restore::execute(&session, args),
        Verb::Release(args) => Release::execute(&session, args),
        Verb::Scan(args) => scan::scan(&session, &args),
        Verb::Link(args) => Link::execute(&session, args),
        Verb::Confirm(args) => learn::confirm(&session, &args),
        Verb::Feedback(args) => learn::feedback(&session, &args),
        Verb::Belief(args) => learn::belief(&session, &args),
        Verb::Task(args) => learn::task(&session, args),
        Verb::Review(args) => learn::review(&session, args),
        Verb::Outcomes(args) => Outcomes::execute(&session, args),
        Verb::Promote(args) => promote::promote(&session, args),
        Verb::Gate(args) => gate::gate(&session, args),
        Verb::Thread(args) => learn::thread(&session, &args),
        Verb::Reset(args) => learn::reset(&session, &args),
        Verb::Tag(args) => Tag::execute(&session, args),
        Verb::Pin(args) => Pin::execute(&session, args),
        Verb::Unpin(args) => Unpin::execute(&session, args),
        Verb::Mute(args) => Mute::execute(&session, args),
        Verb::Unmute(args) => Unmute::execute(&session, args),
        Verb::Invalidate(args) => Invalidate::execute(&session, args),
        Verb::Reinstate(args) => Reinstate::execute(&session, args),
        Verb::Annotate(args) => Annotate::execute(&session, args),
        Verb::Drift(args) => drift::drift(&session, &args),
        Verb::Queue(args) => Queue::execute(&session, args),
        Verb::Mcp(args) => doors::mcp(&session, &args),
        Verb::Serve(args) => doors::serve(&session, &args),
        Verb::Undo => Undo::execute(&session, NoFields {}),
        Verb::Diff(args) => Diff::execute(&session, args),
        Verb::Commit(args) => Commit::execute(&session, args),
        Verb::Flush(args) => Flush::execute(&session, args),
        Verb::Recover(args) => Recover::execute(&session, args),
        Verb::Adopt(args) => Adopt::execute(&session, args),
        Verb::Verify(args) => Verify::execute(&session, args),
        Verb::Rebuild => Rebuild::execute(&session, NoFields {}),
        Verb::Purge(args) => Purge::execute(&session, args),
        Verb::Knowledge(args) => knowledge::knowledge(&session, args.verb),
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

/// Leaves the making of vectors to a process of its own.
pub(crate) fn embed_in_background(_: &Session, ken: &mut Kenning) {
    ken.embed_in_background();
}

/// The most that is read of a text that somebody names: a device has no end.
const TEXT_BYTES_MAX: u64 = 64 << 20;

/// Reads all of it, or says that it is too much.
pub(crate) fn read_bounded(source: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > TEXT_BYTES_MAX {
        let told = format!("it is longer than {} MiB", TEXT_BYTES_MAX >> 20);
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, told));
    }
    Ok(bytes)
}
