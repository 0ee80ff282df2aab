//! Who makes a call: an immutable value that the edge makes and hands to every operation.

pub use ken_core::decide::Attendance;
use ken_core::decide::for_a_person;
use ken_core::{Code, Millis, Refusal};

use crate::ops::run::check_name;

/// Who makes a call, where it comes from and when.
///
/// Made once per request by the edge that knows the caller (the command line, a server, a hook, a program that uses the library).
/// Nothing behind the edge reads identity from the environment.
#[derive(Clone, Debug)]
pub struct Caller {
    actor: String,
    agent: Option<String>,
    run: Option<String>,
    origin: Origin,
    person: Option<Person>,
    at_terminal: bool,
    now: Millis,
    channel: Channel,
}

/// Where a call comes from, as far as independence of evidence is concerned (COR-19).
///
/// Names of clients and connections are no part of it: they can only make two callers the same, never different.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The agent host whose process or connection makes the call, such as `claude-code`.
    pub host: Option<String>,
    /// The person on whose machine it runs, as git knows them.
    pub started_by: Option<String>,
    /// The name of the access token that authenticated the call.
    pub token: Option<String>,
}

/// The door a call came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The command line.
    Cli,
    /// A program that uses the library.
    Library,
    /// A hook of an agent host.
    Hook,
    /// The Model Context Protocol, over pipes or HTTP.
    Mcp,
    /// The HTTP API, and the pages of the browser.
    Http,
}

/// A person who confirmed this very call (COR-7).
///
/// The value is the authority: no environment variable, flag or file makes one. Its two constructors are lints (`clippy.toml`) and may be
/// called only where an answer of a person was just read: `cli/terminal.rs`, `server/approval.rs`, and the testkit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    name: String,
    confirmed: Confirmed,
}

/// How a person confirmed a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// They typed the answer on the controlling terminal.
    Terminal,
    /// They answered a question that a client put to them, in a clone that allows it.
    Approval,
}

impl Confirmed {
    /// The word that is recorded in the ledger.
    pub fn as_str(self) -> &'static str {
        match self {
            Confirmed::Terminal => "terminal",
            Confirmed::Approval => "approval",
        }
    }
}

impl Person {
    /// A person who just typed an answer on the controlling terminal.
    pub fn confirmed_at_terminal(name: impl Into<String>) -> Person {
        Person { name: name.into(), confirmed: Confirmed::Terminal }
    }

    /// A person who just answered the question of a client.
    pub fn confirmed_by_approval(name: impl Into<String>) -> Person {
        Person { name: name.into(), confirmed: Confirmed::Approval }
    }

    /// The person's name as an actor: `human:Ada`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How the call was confirmed.
    pub fn confirmed(&self) -> Confirmed {
        self.confirmed
    }
}

impl Caller {
    /// A caller without a run, a host or a person.
    pub fn new(actor: impl Into<String>, now: Millis, channel: Channel) -> Caller {
        Caller {
            actor: actor.into(),
            agent: None,
            run: None,
            origin: Origin::default(),
            person: None,
            at_terminal: false,
            now,
            channel,
        }
    }

    /// The same caller, with or without a controlling terminal.
    pub fn at_terminal(self, at_terminal: bool) -> Caller {
        Caller { at_terminal, ..self }
    }

    /// The same caller where nobody can be asked, and nobody was.
    pub fn unattended(self) -> Caller {
        Caller { at_terminal: false, person: None, ..self }
    }

    /// The same caller in a run, under a name in that run.
    pub fn in_run(self, run: Option<String>, agent: Option<String>) -> Result<Caller, Refusal> {
        for (field, name) in [("run", &run), ("agent", &agent)] {
            if let Some(name) = name {
                check_name(name).map_err(|problem| {
                    Refusal::new(Code::Invalid, format!("{field} {problem}")).field(field)
                })?;
            }
        }
        Ok(Caller { run, agent, ..self })
    }

    /// The same caller, coming from somewhere.
    pub fn from_origin(self, origin: Origin) -> Caller {
        Caller { origin, ..self }
    }

    /// The same call, confirmed by a person: it is theirs, and belongs to no run.
    pub fn confirmed_by(self, person: Person) -> Caller {
        let origin = Origin { host: None, ..self.origin };
        let actor = person.name.clone();
        Caller { actor, agent: None, run: None, origin, person: Some(person), ..self }
    }

    /// The same call with events credited to somebody else, such as the author of a commit. What a person confirmed stays with the
    /// person, and a person's name in a commit does not make an agent attended (COR-21).
    pub fn crediting(&self, author: impl Into<String>) -> Caller {
        Caller { actor: author.into(), at_terminal: self.at_terminal && !self.is_agent(), ..self.clone() }
    }

    /// The same caller outside of any run, for a store that runs are not recorded in.
    pub fn outside_of_runs(&self) -> Caller {
        Caller { run: None, agent: None, ..self.clone() }
    }

    /// Who is credited with what is written: `human:Ada`, `agent:codex`.
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// The name in the run, where one was given.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// The name by which runs know the caller.
    pub fn name(&self) -> &str {
        self.agent.as_deref().unwrap_or_else(|| ken_core::run::agent_of(&self.actor))
    }

    /// The run the call belongs to.
    pub fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    /// Where the call comes from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The person who confirmed this call.
    pub fn person(&self) -> Option<&Person> {
        self.person.as_ref()
    }

    /// When the call was made.
    pub fn now(&self) -> Millis {
        self.now
    }

    /// Whether somebody looks around in the browser, and no program with a token asks.
    pub fn is_browsing(&self) -> bool {
        self.channel == Channel::Http && self.origin.token.is_none()
    }

    /// The door the call came through.
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// Whether a human is credited and no agent host makes the call. Authorship, not authority: that is [`Caller::person`].
    pub fn is_human(&self) -> bool {
        self.person.is_some() || (self.origin.host.is_none() && self.actor.starts_with("human:"))
    }

    /// Who really calls, as refusals name them: whom a token names, else the agent host, whoever is credited.
    pub fn who(&self) -> String {
        let named = self.origin.token.as_ref().or(self.origin.host.as_ref());
        named.map_or_else(|| self.actor.clone(), |name| format!("agent:{name}"))
    }

    /// Whether nobody can be asked about the call.
    pub fn is_unattended(&self) -> bool {
        self.attendance() == Attendance::Unattended
    }

    /// Refuses what only a person may do, unless one confirmed this very call (COR-7).
    pub fn require_person(&self, what: &str) -> crate::error::Result<()> {
        match self.person {
            Some(_) => Ok(()),
            None => Err(for_a_person(what, &self.who()).into()),
        }
    }

    /// Refuses an agent what is for a human to do, without asking for a confirmation.
    pub fn require_human(&self, what: &str) -> crate::error::Result<()> {
        if self.is_human() {
            return Ok(());
        }
        let message = format!("{what} requires a person, and you are {}", self.who());
        Err(Refusal::new(Code::NotAllowed, message).hint("ask a person to run it in their terminal").into())
    }

    /// Who could be asked about the call. Without a controlling terminal nobody can, whoever is credited.
    pub fn attendance(&self) -> Attendance {
        match (&self.person, self.at_terminal && !self.is_agent()) {
            (Some(_), _) => Attendance::Confirmed,
            (None, true) => Attendance::Attended,
            (None, false) => Attendance::Unattended,
        }
    }

    /// Whether an agent makes the call, as far as anybody can tell.
    pub fn is_agent(&self) -> bool {
        self.agent.is_some() || !self.actor.starts_with("human:") || self.origin.host.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_human_name_under_an_agent_host_is_no_human() {
        let caller = Caller::new("human:Ada", Millis(0), Channel::Cli);
        assert!(caller.is_human());
        let origin = Origin { host: Some("claude-code".to_owned()), ..Origin::default() };
        assert!(!caller.from_origin(origin).is_human());
    }

    #[test]
    fn only_a_person_at_a_terminal_attends_a_call() {
        let caller = Caller::new("human:Ada", Millis(0), Channel::Cli);
        assert_eq!(caller.attendance(), Attendance::Unattended);
        let caller = caller.at_terminal(true);
        assert_eq!(caller.attendance(), Attendance::Attended);
        let origin = Origin { host: Some("claude-code".to_owned()), ..Origin::default() };
        assert_eq!(caller.from_origin(origin).attendance(), Attendance::Unattended);
        let agent = Caller::new("agent:codex", Millis(0), Channel::Cli).at_terminal(true);
        assert_eq!(agent.crediting("human:Ada").attendance(), Attendance::Unattended);
    }

    #[test]
    fn a_run_needs_a_name_that_can_be_kept() {
        let caller = Caller::new("agent:codex", Millis(0), Channel::Mcp);
        let refusal = caller.in_run(Some("two\nlines".to_owned()), None).unwrap_err();
        assert_eq!(refusal.faults[0].field, "run");
    }
}
