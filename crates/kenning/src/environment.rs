//! What the environment says: who acts, what time it is, which store is meant. Where the files of hosts are is asked in `connection`.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ken_core::{Code, Millis, Refusal};
use ken_engine::{Caller, Channel, Origin, Result, way_in};
use ken_store::git::Git;

/// How to open a store: what the environment says, or what a program chooses.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where to start looking for a store.
    pub from: PathBuf,
    /// The store itself, when it is named (`KEN_STORE`, `--store`).
    pub store: Option<PathBuf>,
    /// Use the global store.
    pub global: bool,
    /// The folder of the global store (`KEN_GLOBAL`).
    pub global_folder: Option<PathBuf>,
    /// Read and write files of the repository alone (`KEN_INSIDE`): a door that others come through says so.
    pub inside: bool,
    /// Record nothing (`KEN_READONLY`).
    pub read_only: bool,
    /// Take no meanings: words alone answer (`KEN_NO_MODEL`, `--no-model`).
    pub no_model: bool,
    /// Ask no server for meanings, whatever the settings say: somebody waits who must not wait long.
    pub offline: bool,
    /// A process of its own may make missing vectors (`KEN_BACKGROUND=0` forbids it).
    pub background: bool,
    /// How the grammars are run that read code.
    pub parser: crate::Parser,
    /// Programs that verification steps may start, beside those of the clone's settings (`KEN_CHECK_ALLOW`).
    pub allowed_commands: Option<String>,
    /// The server that takes meanings, or the confirmation of the one in the settings (`KEN_EMBEDDER_URL`).
    pub embedder_url: Option<String>,
    /// The key of that server (`KEN_EMBEDDER_KEY`).
    pub embedder_key: Option<Secret>,
    /// The key of OpenAI (`OPENAI_API_KEY`); no other host ever sees it.
    pub openai_key: Option<Secret>,
}

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
    /// The time it is (`KEN_NOW`); the machine's clock when left out.
    pub now: Option<Millis>,
}

impl Identity {
    /// What the environment says.
    pub fn from_environment() -> Result<Identity> {
        let now = match text_of("KEN_NOW") {
            None => None,
            Some(text) => Some(Millis::parse(&text).map_err(|problem| {
                Refusal::new(Code::Invalid, format!("KEN_NOW: {problem}")).field("KEN_NOW")
            })?),
        };
        // All three end up in the ledger, and the run in what others read.
        let (mut actor, mut run, mut agent) =
            (text_of("KEN_ACTOR"), text_of("KEN_RUN"), text_of("KEN_AGENT"));
        for (name, text) in [("KEN_ACTOR", &mut actor), ("KEN_RUN", &mut run), ("KEN_AGENT", &mut agent)] {
            if let Some(text) = text {
                way_in::clean_word(name, text)?;
            }
        }
        if let Some(actor) = &actor {
            let odd = actor.chars().any(char::is_control)
                || actor.chars().count() > ken_core::limits::WORD_CHARS_MAX;
            if odd {
                let message = "KEN_ACTOR is too long or has control characters; a name on one line is wanted";
                return Err(Refusal::new(Code::Invalid, message).field("KEN_ACTOR").into());
            }
        }
        let host = agent_host().map(|agent| agent.trim_start_matches("agent:").to_owned());
        Ok(Identity { actor, run, agent, host, now })
    }

    /// The caller in a place: the actor as said, else the agent host that runs this process, else git's user.
    pub fn caller(&self, place: &Place<'_>, channel: Channel) -> Result<Caller> {
        let actor = match (&self.actor, &self.host) {
            (Some(actor), _) => actor.clone(),
            (None, Some(host)) => format!("agent:{host}"),
            (None, None) => git_person(place),
        };
        let origin = Origin { host: self.host.clone(), ..Origin::default() };
        let caller = Caller::new(actor, self.time(), channel).from_origin(origin);
        Ok(caller.in_run(self.run.clone(), self.agent.clone())?)
    }

    /// The person at this machine, whoever's process this is.
    pub fn person(&self, place: &Place<'_>) -> String {
        match &self.actor {
            Some(actor) if actor.starts_with("human:") => actor.clone(),
            _ => git_person(place),
        }
    }

    /// The time it is.
    pub fn time(&self) -> Millis {
        self.now.unwrap_or_else(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Millis(i64::try_from(since.as_millis()).unwrap_or(0))
        })
    }
}

/// Where git is asked for the name of its user.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The repository of the store, where it is in one.
    pub git: Option<&'a Git>,
    /// The folder that was looked from.
    pub from: &'a Path,
}

/// The name that git knows here: a store outside git is still written by whoever works in the repository around, or on this machine.
fn git_person(place: &Place<'_>) -> String {
    let author = env::var("GIT_AUTHOR_NAME").ok().filter(|name| !name.trim().is_empty());
    let around = || Git::discover(place.from).as_ref().and_then(Git::user_name);
    match author.or_else(|| place.git.and_then(Git::user_name)).or_else(around).or_else(git_user) {
        Some(name) => format!("human:{}", ken_guard::redact(&name)),
        None => "human:unknown".to_owned(),
    }
}

fn text_of(name: &str) -> Option<String> {
    env::var(name).ok().filter(|text| !text.trim().is_empty())
}

/// A text that is handed on and never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text from being printed.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text, for whoever needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[hidden]")
    }
}

/// The name that git knows on this machine, outside of any repository.
fn git_user() -> Option<String> {
    let output = Command::new("git").args(["config", "--global", "user.name"]).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()).filter(|name| !name.is_empty())
}

/// Environment variables that agent hosts set, with the name of the agent.
const HOSTS: &[(&str, &str)] = &[
    ("CLAUDECODE", "agent:claude-code"),
    ("CODEX_SANDBOX", "agent:codex"),
    ("CODEX_THREAD_ID", "agent:codex"),
    ("CURSOR_AGENT", "agent:cursor"),
    ("CURSOR_TRACE_ID", "agent:cursor"),
    ("GEMINI_CLI", "agent:gemini-cli"),
];

/// The same variables by name, for who starts a process on a person's behalf.
pub const HOST_VARIABLES: [&str; HOSTS.len()] = {
    let mut names = [""; HOSTS.len()];
    let mut at = 0;
    while at < HOSTS.len() {
        names[at] = HOSTS[at].0;
        at += 1;
    }
    names
};

/// The agent whose host runs this process, if one does.
fn agent_host() -> Option<&'static str> {
    let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    HOSTS.iter().find(|(name, _)| set(name)).map(|(_, agent)| *agent)
}

/// What the environment says about hooks.
pub(crate) struct HookWishes {
    /// None of them does anything (`KEN_HOOKS=0`).
    pub(crate) off: bool,
    /// What each may take (`KEN_HOOK_TIMEOUT_MS`).
    pub(crate) limit: Option<Duration>,
}

/// Reads what the environment says about hooks. What cannot be read is not said: a hook has nobody to complain to.
pub(crate) fn hook_wishes() -> HookWishes {
    let text = |name: &str| env::var(name).unwrap_or_default().trim().to_lowercase();
    let limit = text("KEN_HOOK_TIMEOUT_MS").parse().ok().filter(|millis| *millis > 0);
    HookWishes {
        off: matches!(text("KEN_HOOKS").as_str(), "0" | "off" | "false"),
        limit: limit.map(Duration::from_millis),
    }
}

impl Options {
    /// What the environment says.
    pub fn from_environment() -> Result<Options> {
        let text = text_of;
        let from = env::current_dir().map_err(ken_engine::Error::failed("finding the current folder"))?;
        Ok(Options {
            from,
            store: text("KEN_STORE").map(PathBuf::from),
            global: false,
            global_folder: text("KEN_GLOBAL").map(PathBuf::from),
            inside: text("KEN_INSIDE").is_some_and(|text| text != "0" && text != "false"),
            read_only: text("KEN_READONLY").is_some_and(|text| text != "0" && text != "false"),
            parser: crate::Parser::Here,
            allowed_commands: text("KEN_CHECK_ALLOW"),
            background: text("KEN_BACKGROUND").is_none_or(|text| text != "0"),
            offline: false,
            no_model: text("KEN_NO_MODEL").is_some_and(|text| text != "0" && text != "false"),
            embedder_url: text("KEN_EMBEDDER_URL"),
            embedder_key: text("KEN_EMBEDDER_KEY").map(Secret),
            openai_key: text("OPENAI_API_KEY").map(Secret),
        })
    }

    /// What a program says: a folder to start from, nothing of the environment.
    pub fn at(from: impl AsRef<Path>) -> Options {
        Options { from: from.as_ref().to_owned(), ..Options::default() }
    }

    /// The folder whose store is the global one.
    pub fn global_root(&self) -> PathBuf {
        if let Some(folder) = &self.global_folder {
            return folder.clone();
        }
        let data = env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let home =
            env::var_os("HOME").or_else(|| env::var_os("USERPROFILE")).map(PathBuf::from).unwrap_or_default();
        data.unwrap_or_else(|| home.join(".local/share")).join("kenning")
    }
}
