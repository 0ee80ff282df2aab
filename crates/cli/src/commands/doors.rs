//! `mcp` and `serve`: the doors that stay open. What they offer beside their own tools is read off the verbs of this program.

use clap::{Arg, ArgAction, Command};
use ken_server::{Argument, Listen, Profile, Settings, Takes, Verb};
use kenning::core::{Code, Refusal};
use kenning::{Error, Result, Secret};
use serde_json::json;

use kenning::verb::Doors;

use super::local::{self, Mcp, Serve};
use super::{Session, Shown, word};
use crate::args::{McpArgs, ServeArgs};
use crate::output::{exit, println};

/// Verbs that are for a terminal, for programs of our own, or behind a tool of their own, beside those whose row says so.
const NOT_OFFERED: &[&str] = &[
    "edit",
    "embed",
    "init",
    "rebuild",
    "migrate",
    "schema",
    // Typed into a terminal, or not at all (GAT-2).
    "promote_approve",
    "promote_reject",
    "gate_attest",
];
/// Verbs that take something away, or change what others see.
const TAKE_AWAY: &[&str] =
    &["retract", "purge", "archive", "supersede", "mute", "invalidate", "reset", "undo", "adopt", "sync"];
/// Verbs that a person answers for.
const FOR_A_PERSON: &[&str] = &["release", "reset", "purge"];
/// Verbs that only read, whatever their flags.
const READ: &[&str] = &[
    "applied",
    "belief",
    "brief",
    "diff",
    "gate",
    "friction_report",
    "inject",
    "list",
    "log",
    "menu",
    "outcomes",
    "promote_list",
    "promote_show",
    "review_list",
    "review_show",
    "scan",
    "show",
    "signals",
    "staging_list",
    "staging_show",
    "stats",
    "surface",
    "task_list",
    "task_show",
    "thread_list",
    "where",
    "why",
];

/// Arguments that name a file on the command line. Over another door the text itself is given: no client reads files of this machine.
const CONTENT: &[(&str, &str)] = &[
    ("add", "file"),
    ("inject", "upstream"),
    ("review_report", "findings"),
    ("review_start", "diff"),
    ("scan", "files"),
    ("surface", "upstream"),
];
/// Arguments that lead out of the project, or start programs.
const NOT_TAKEN: &[(&str, &str)] = &[
    ("export", "overwrite"),
    ("friction_export", "force"),
    ("friction_export", "out"),
    // It only reads, and programs do more than that.
    ("gate", "run"),
    ("promote", "seen_in"),
    ("sync", "yes"),
    ("scan", "store"),
];

impl Shown for Mcp {
    fn execute(session: &Session, request: McpArgs) -> Result<u8> {
        mcp(session, &request)
    }
}

impl Shown for Serve {
    fn execute(session: &Session, request: ServeArgs) -> Result<u8> {
        serve(session, &request)
    }
}

fn mcp(session: &Session, args: &McpArgs) -> Result<u8> {
    let settings = settings(session, &args.profile, args.host.clone())?;
    if args.tools {
        println!("{:#}", json!({ "tools": ken_server::listing(&settings) }));
        return Ok(exit::OK);
    }
    ken_server::stdio(settings)?;
    Ok(exit::OK)
}

fn serve(session: &Session, args: &ServeArgs) -> Result<u8> {
    let token = match &args.token_file {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(Error::failed(format!("reading the token in {}", file.display())))?;
            Some(Secret::new(text.lines().next().unwrap_or_default().trim()))
        }
        None => std::env::var("KEN_TOKEN").ok().map(Secret::new),
    };
    let listen = Listen {
        address: args.listen,
        token: token.filter(|token| !token.reveal().is_empty()),
        hosts: args.host_name.clone(),
    };
    let settings = settings(session, &args.profile, None)?;
    ken_server::serve(settings, listen, |address| {
        println!("http://{address}/mcp");
        session.output.note("Ctrl-C ends it");
    })?;
    Ok(exit::OK)
}

fn settings(session: &Session, profile: &str, host: Option<String>) -> Result<Settings> {
    let words: Vec<&str> = Profile::WORDS.iter().map(|(word, _)| *word).collect();
    let profile = word("profile", "profile", profile, &words, |word| {
        Profile::WORDS.iter().find(|(known, _)| *known == word).map(|(_, profile)| *profile)
    })?;
    if let Some(host) = &host {
        kenning::check_name(host)
            .map_err(|problem| Refusal::new(Code::Invalid, format!("host {problem}")).field("host"))?;
    }
    let program = std::env::current_exe().map_err(Error::failed("finding this program"))?;
    let session_id = std::env::var("CLAUDE_CODE_SESSION_ID").ok().filter(|id| !id.trim().is_empty());
    Ok(Settings {
        options: session.options.clone(),
        identity: session.identity.clone(),
        profile,
        host: host.or_else(|| session_id.as_ref().map(|_| "claude-code".to_owned())),
        session: session_id,
        program,
        verbs,
    })
}

/// Every verb that another door offers, with what it takes.
fn verbs() -> Vec<Verb> {
    let mut all = Vec::new();
    for command in crate::command().get_subcommands() {
        if NOT_OFFERED.contains(&command.get_name()) {
            continue;
        }
        let nested: Vec<&Command> =
            command.get_subcommands().filter(|nested| nested.get_name() != "help").collect();
        if nested.is_empty() {
            all.push(verb(&[command]));
        }
        // Some verbs do something of their own beside what their sub-verbs do.
        if !nested.is_empty() && !command.is_subcommand_required_set() {
            all.push(verb(&[command]));
        }
        all.extend(nested.into_iter().map(|nested| verb(&[command, nested])));
    }
    let rows = || kenning::verbs::TABLE.iter().chain(local::TABLE);
    let is_at_terminal =
        |name: &str| rows().any(|row| row.name == name && row.nature.doors == Doors::Terminal);
    all.retain(|verb| !NOT_OFFERED.contains(&verb.tool.as_str()) && !is_at_terminal(&verb.words.join(" ")));
    all.sort_by(|one, other| one.tool.cmp(&other.tool));
    all
}

fn verb(commands: &[&Command]) -> Verb {
    let words: Vec<String> = commands.iter().map(|command| command.get_name().to_owned()).collect();
    let (tool, first) = (words.join("_").replace('-', "_"), words[0].as_str());
    let last = commands[commands.len() - 1];
    let arguments = last.get_arguments().filter(|argument| {
        let name = argument.get_id().as_str();
        !argument.is_global_set()
            && !matches!(name, "help" | "version" | "json" | "store" | "global" | "quiet" | "no_model")
    });
    Verb {
        about: last.get_about().map(ToString::to_string).unwrap_or_default(),
        reads: READ.contains(&tool.as_str()),
        takes_away: TAKE_AWAY.contains(&first),
        for_a_person: FOR_A_PERSON.contains(&first),
        arguments: arguments
            .map(argument)
            .filter(|argument| !NOT_TAKEN.contains(&(tool.as_str(), argument.name.as_str())))
            .map(|argument| match CONTENT.contains(&(tool.as_str(), argument.name.as_str())) {
                true => {
                    let about = format!("{}; the text itself, no file is read", argument.about);
                    Argument { takes: Takes::Content, about, ..argument }
                }
                false => argument,
            })
            .collect(),
        tool,
        words,
    }
}

fn argument(given: &Arg) -> Argument {
    let many = given.get_num_args().is_some_and(|range| range.max_values() > 1)
        || matches!(given.get_action(), ArgAction::Append);
    let takes = match given.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => Takes::Nothing,
        _ if many => Takes::Many,
        _ => Takes::One,
    };
    let name = given.get_long().map_or_else(|| given.get_id().to_string(), str::to_owned);
    Argument {
        name: name.replace('-', "_"),
        about: given.get_help().map(ToString::to_string).unwrap_or_default(),
        flag: given.get_long().map(|long| format!("--{long}")),
        takes,
        required: given.is_required_set(),
    }
}
