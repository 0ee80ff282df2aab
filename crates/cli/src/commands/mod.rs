//! How the command line runs each verb and shows its answer, a file for each group of like verbs.

mod access;
mod add;
#[cfg(feature = "postgres")]
mod admin;
mod brief;
mod change;
mod check;
pub(crate) mod database;
mod diff;
mod digest;
mod doctor;
mod doors;
mod drift;
mod edit;
mod eval;
mod forage;
mod foreign;
mod gate;
mod health;
pub(crate) mod help;
mod hook;
mod keep;
mod knowledge;
mod learn;
mod list;
pub(crate) mod local;
mod maintain;
mod norms;
mod overlay;
mod promote;
mod queue;
mod sarif;
mod scan;
mod search;
mod setup;
mod show;
mod stats;
pub(crate) mod status;
mod stores;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kenning::core::{Code, Refusal};
use kenning::verb::{Call, InRun};
use kenning::{Caller, Channel, Error, Identity, Options, Person, Place, Reach, Result, Workspace};

use crate::args::Cli;
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
    pub(crate) fn open(&self) -> Result<Reach> {
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
        let git = self.options.find().and_then(|layout| layout.git);
        let place = Place { git: git.as_ref(), from: &self.options.from };
        let caller = identity.caller(&place, Channel::Cli)?;
        let caller = match &self.person {
            Some(person) => caller.confirmed_by(person.clone()),
            None => caller,
        };
        Ok(Call::new(database::adapters()?, self.options.clone(), caller))
    }

    /// The same in the run that is named.
    pub(crate) fn in_run(&self, in_run: Option<&InRun>) -> Result<Session> {
        let mut session = self.clone();
        let Some(named) = in_run else { return Ok(session) };
        for (field, said, kept) in [
            ("run", &named.run, &mut session.identity.run),
            ("agent", &named.agent, &mut session.identity.agent),
        ] {
            if let Some(name) = said {
                kenning::check_name(name).map_err(|problem| {
                    Refusal::new(Code::Invalid, format!("{field} {problem}")).field(field)
                })?;
                *kept = Some(name.clone());
            }
        }
        Ok(session)
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
    pub(crate) fn confirm(&self, ken: &Reach, word: &str, question: &str) -> Result<Person> {
        let place = Place { git: ken.site.layout.git.as_ref(), from: &self.options.from };
        terminal::confirm(&self.identity, &place, word, question)
    }

    /// Has the person at the terminal confirm what an operation says only a person may do; none where nobody can be asked.
    pub(crate) fn confirm_refused(&self, ken: &Reach, error: &Error) -> Result<Option<Person>> {
        let place = Place { git: ken.site.layout.git.as_ref(), from: &self.options.from };
        terminal::confirm_refused(&self.identity, &place, error)
    }

    /// The same for something that the person may as well leave; `unchanged` says what stays as it was.
    pub(crate) fn offer(&self, ken: &Reach, question: &str, unchanged: &str) -> Result<Option<Person>> {
        let place = Place { git: ken.site.layout.git.as_ref(), from: &self.options.from };
        terminal::offer(&self.identity, &place, question, unchanged)
    }

    /// Opens the store without saying anything.
    pub(crate) fn open_quietly(&self) -> Result<Reach> {
        let workspace = Workspace::open(database::adapters()?, self.options.clone())?;
        workspace.on_behalf_of(self.caller(&workspace)?)
    }

    /// Says what came up since the store was opened.
    pub(crate) fn notes(&self, ken: &mut Reach) {
        for notice in ken.ledger.take_notices() {
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

    /// Prints an answer for a person.
    fn say(_: &Self::Answer) {}

    /// The exit code of an answer.
    fn exit_code(answer: &Self::Answer) -> u8 {
        match (Self::rejects(answer), Self::finds(answer)) {
            (true, _) => exit::REFUSED,
            (false, true) => exit::FOUND,
            (false, false) => exit::OK,
        }
    }

    /// Runs it, and says what came up meanwhile.
    fn run_noting(session: &Session, call: &mut Call, request: Self::Request) -> Result<Self::Answer> {
        let answer = Self::run(call, request);
        session.notes_of(call);
        answer
    }

    /// Runs it from the bare command line. Most verbs want to know where they are; those that do not work in any environment.
    fn start(line: &CommandLine, request: Self::Request) -> Result<u8> {
        let session = line.session()?.in_run(Self::in_run(&request))?;
        Self::execute(&session, request)
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
#[derive(Clone)]
pub(crate) struct CommandLine {
    pub(crate) cli: Cli,
    pub(crate) output: Output,
    /// The person who confirmed this command.
    pub(crate) person: Option<Person>,
}

impl CommandLine {
    /// Which store is meant: what the environment says, and the command line over it.
    pub(crate) fn options(&self) -> Result<Options> {
        let mut options = kenning::environment::options()?;
        options.store = self.cli.store.clone().or(options.store);
        options.global = self.cli.global;
        options.no_model |= self.cli.no_model;
        // A process of its own would find another store, or none.
        options.background &= database::workspace_name().is_none();
        // A grammar that aborts must not take the answer with it.
        if let Ok(program) = std::env::current_exe() {
            options.parser = kenning::Parser::Apart(program, vec!["parse-worker".to_owned()]);
        }
        Ok(options)
    }

    /// What a command works with here.
    pub(crate) fn session(&self) -> Result<Session> {
        let (options, mut identity) = (self.options()?, kenning::environment::identity()?);
        identity.at_terminal = terminal::is_there();
        Ok(Session { options, identity, person: self.person.clone(), output: self.output })
    }
}

/// Set once somebody pressed Ctrl-C: what is being written is finished first.
pub(crate) fn interrupt() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let flag = stopped.clone();
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst));
    stopped
}
