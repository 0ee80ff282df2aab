//! Who calls, as far as an edge knows before a store is open.

use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use ken_core::Millis;
use ken_engine::{Caller, Channel, Origin, Result};
use ken_worktree::git::Git;

/// What an edge knows about who calls, before a store is open. [`Identity::caller`] makes the caller of it.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Who is credited (`KEN_ACTOR`); the agent host or git's user when left out.
    pub actor: Option<String>,
    /// The run that the call belongs to (`KEN_RUN`).
    pub run: Option<String>,
    /// The agent's name in that run (`KEN_AGENT`).
    pub agent: Option<String>,
    /// The agent host that started this process.
    pub host: Option<String>,
    /// The name that git credits commits to (`GIT_AUTHOR_NAME`), before the one in its settings.
    pub git_author: Option<String>,
    /// A person at a controlling terminal makes the call, and can be asked.
    pub at_terminal: bool,
    /// The time it is (`KEN_NOW`); the machine's clock when left out.
    pub now: Option<Millis>,
}

/// Where git is asked for the name of its user.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The repository of the store, where it is in one.
    pub git: Option<&'a Git>,
    /// The folder that was looked from.
    pub from: &'a Path,
}

impl Identity {
    /// The caller in a place: the actor as said, else the agent host that runs this process, else git's user.
    pub fn caller(&self, place: &Place<'_>, channel: Channel) -> Result<Caller> {
        let actor = match (&self.actor, &self.host) {
            (Some(actor), _) => actor.clone(),
            (None, Some(host)) => format!("agent:{host}"),
            (None, None) => self.git_person(place),
        };
        let origin = Origin { host: self.host.clone(), ..Origin::default() };
        let caller =
            Caller::new(actor, self.time(), channel).from_origin(origin).at_terminal(self.at_terminal);
        Ok(caller.in_run(self.run.clone(), self.agent.clone())?)
    }

    /// The person at this machine, whoever's process this is.
    pub fn person(&self, place: &Place<'_>) -> String {
        match &self.actor {
            Some(actor) if actor.starts_with("human:") => actor.clone(),
            _ => self.git_person(place),
        }
    }

    /// The time it is.
    pub fn time(&self) -> Millis {
        self.now.unwrap_or_else(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Millis(i64::try_from(since.as_millis()).unwrap_or(0))
        })
    }

    /// The name that git knows here: a store outside git is still written by whoever works in the repository around, or on this machine.
    fn git_person(&self, place: &Place<'_>) -> String {
        let around = || Git::discover(place.from).as_ref().and_then(Git::user_name);
        let author = self.git_author.clone().or_else(|| place.git.and_then(Git::user_name));
        match author.or_else(around).or_else(git_user) {
            Some(name) => format!("human:{}", ken_guard::redact(&name)),
            None => "human:unknown".to_owned(),
        }
    }
}

/// The name that git knows on this machine, outside of any repository.
fn git_user() -> Option<String> {
    let output = Command::new("git").args(["config", "--global", "user.name"]).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()).filter(|name| !name.is_empty())
}
