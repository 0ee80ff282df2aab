//! What the environment says: who acts, what time it is, which store is meant. Where the files of hosts are is asked in `connection`.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use ken_core::{Code, Millis, Refusal};
use ken_engine::{Error, Result, intake};
use ken_verbs::{Identity, Options, Parser, Secret};

/// Who acts, as the environment says.
pub fn identity() -> Result<Identity> {
    let now = match text_of("KEN_NOW") {
        None => None,
        Some(text) => Some(Millis::parse(&text).map_err(|problem| {
            Refusal::new(Code::Invalid, format!("KEN_NOW: {problem}")).field("KEN_NOW")
        })?),
    };
    // All three end up in the ledger, and the run in what others read.
    let (mut actor, mut run, mut agent) = (text_of("KEN_ACTOR"), text_of("KEN_RUN"), text_of("KEN_AGENT"));
    for (name, text) in [("KEN_ACTOR", &mut actor), ("KEN_RUN", &mut run), ("KEN_AGENT", &mut agent)] {
        if let Some(text) = text.as_mut().filter(|text| !is_plain_name(text)) {
            intake::clean_word(name, text)?;
        }
    }
    if let Some(actor) = &actor {
        let odd =
            actor.chars().any(char::is_control) || actor.chars().count() > ken_core::limits::WORD_CHARS_MAX;
        if odd {
            let message = "KEN_ACTOR is too long or contains control characters; expected a name on one line";
            return Err(Refusal::new(Code::Invalid, message).field("KEN_ACTOR").into());
        }
        // A name of no kind would count neither as a person's nor as an agent's.
        let named = actor.split_once(':').filter(|(kind, _)| matches!(*kind, "human" | "agent"));
        if named.is_none_or(|(_, name)| name.trim().is_empty()) {
            let message = format!("KEN_ACTOR: {actor:?} is not `human:NAME` or `agent:NAME`");
            return Err(Refusal::new(Code::Invalid, message).field("KEN_ACTOR").into());
        }
    }
    let host = agent_host().map(|agent| agent.trim_start_matches("agent:").to_owned());
    // Only an edge knows whether somebody sits at a terminal.
    let (at_terminal, git_author) = (false, text_of("GIT_AUTHOR_NAME"));
    Ok(Identity { actor, run, agent, host, git_author, at_terminal, now })
}

/// Whether a name is one short word of small letters, such as `human:ada`: no rule finds anything in such a name, and a command that only
/// reads then needs no scanner.
fn is_plain_name(text: &str) -> bool {
    let name = text.split_once(':').filter(|(kind, _)| matches!(*kind, "human" | "agent"));
    let name = name.map_or(text, |(_, name)| name);
    (1..=ken_core::limits::PLAIN_NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Which store is meant and how it is opened, as the environment says.
pub fn options() -> Result<Options> {
    let text = text_of;
    let is_on = |name: &str| text(name).is_some_and(|text| text != "0" && text != "false");
    let from = env::current_dir().map_err(Error::failed("finding the current folder"))?;
    Ok(Options {
        from,
        store: text("KEN_STORE").map(PathBuf::from),
        global: false,
        global_folder: text("KEN_GLOBAL").map(PathBuf::from),
        inside: is_on("KEN_INSIDE"),
        read_only: is_on("KEN_READONLY"),
        parser: Parser::Here,
        allowed_commands: text("KEN_CHECK_ALLOW"),
        background: text("KEN_BACKGROUND").is_none_or(|text| text != "0"),
        offline: false,
        no_model: is_on("KEN_NO_MODEL"),
        embedder_url: text("KEN_EMBEDDER_URL"),
        embedder_key: text("KEN_EMBEDDER_KEY").map(Secret::new),
        openai_key: text("OPENAI_API_KEY").map(Secret::new),
        judge_key: text("KEN_JUDGE_KEY").map(Secret::new),
        anthropic_key: text("ANTHROPIC_API_KEY").map(Secret::new),
        hooks_off: text("KEN_HOOKS").is_some_and(|text| is_no(&text)),
        hook_limit: hook_limit(),
        projects: projects(),
    })
}

fn text_of(name: &str) -> Option<String> {
    env::var(name).ok().filter(|text| !text.trim().is_empty())
}

fn is_no(text: &str) -> bool {
    matches!(text.trim().to_lowercase().as_str(), "0" | "off" | "false")
}

/// What cannot be read is not said: a hook has nobody to complain to.
fn hook_limit() -> Option<Duration> {
    let millis = text_of("KEN_HOOK_TIMEOUT_MS")?.trim().parse().ok().filter(|millis| *millis > 0)?;
    Some(Duration::from_millis(millis))
}

/// Environment variables in which hosts tell their hooks which project they were opened for.
const PROJECTS: &[&str] = &["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR"];

fn projects() -> Vec<PathBuf> {
    PROJECTS.iter().filter_map(|name| text_of(name)).map(PathBuf::from).collect()
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
