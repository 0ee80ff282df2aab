//! `doctor`: what is well with the store and with the hosts that use it, proven where it can be, and mended where that was asked for.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use ken_engine::{Result, SetUp};
use ken_hosts::prove::Started;
use ken_hosts::setup::{
    Action, Configured, HOST_NAMES, HOSTS, Host, Part, Places, Problem, Scope, State as Standing,
};
use ken_hosts::{prove, setup};
use serde::Serialize;

use crate::limits::table_doctor::ANSWER_WITHIN;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb, sorted};
use crate::{Check, Options, Reach, State, Workspace, connection};

/// Diagnose problems with the store and the connected hosts.
pub struct Doctor;

/// What `doctor` takes.
#[derive(Clone, Debug, Request)]
pub struct DoctorRequest {
    /// Test this host by starting the command in its configuration
    #[field(long, value_name = "HOST", words = HOST_NAMES)]
    pub host: Option<String>,
    /// Fix what can be fixed: git attributes, ledger files, embeddings, outdated host files
    #[field(long)]
    pub fix: bool,
}

/// What `doctor` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoctorAnswer {
    /// What was looked at, and how it is.
    #[serde(serialize_with = "sorted")]
    pub checks: Vec<Check>,
    /// What was mended, where that was asked for.
    pub mended: Vec<String>,
}

impl Verb for Doctor {
    const NAME: &'static str = "doctor";
    const ABOUT: &'static str = "Diagnose problems with the store and the connected hosts";
    const EXAMPLE: &'static str = "ken doctor --fix";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/doctor"), HttpPath::new("POST", "/doctor")];
    const GROUP: Group = Group::Begin;
    const NATURE: Nature = Nature::WRITES;
    type Request = DoctorRequest;
    type Answer = DoctorAnswer;

    fn run(call: &mut Call, request: DoctorRequest) -> Result<DoctorAnswer> {
        let named = request.host.as_deref().map(connection::named).transpose()?;
        let mut mended = Vec::new();
        let mut checks = Vec::new();
        if named.is_none() {
            if request.fix {
                mend_store(call, &mut mended)?;
            }
            checks.extend(store_checks(call)?);
        }
        let options = call.options();
        let places = connection::places(options, false)?;
        let chosen = HOSTS.iter().filter(|host| named.is_none_or(|named| named.name == host.name));
        let mut connected = 0;
        for host in chosen {
            for scope in [Scope::Project, Scope::Global] {
                if host.scope(scope) != scope {
                    continue;
                }
                if request.fix {
                    mend_host(host, scope, &places, &mut mended);
                }
                let found = host_checks(options, host, scope, &places, named.is_some());
                connected += usize::from(!found.is_empty());
                checks.extend(found);
            }
        }
        if connected == 0 {
            let (found, hint) = match named {
                Some(host) => (
                    format!("{} is not connected", host.title),
                    format!("`ken setup {}` connects it", host.name),
                ),
                None => (
                    "no agent host is connected".to_owned(),
                    "`ken setup --list` lists the supported hosts".to_owned(),
                ),
            };
            checks.push(Check { name: "hosts".into(), state: State::Ok, found, hint: Some(hint) });
        }
        Ok(DoctorAnswer { checks, mended })
    }

    fn only_reads(request: &DoctorRequest) -> bool {
        !request.fix
    }

    fn finds(answer: &DoctorAnswer) -> bool {
        answer.checks.iter().any(|check| check.state == State::Fail)
    }
}

fn store_checks(call: &mut Call) -> Result<Vec<Check>> {
    if !call.has_store() {
        let (found, hint) = ("there is no store in this folder or any parent", "`ken init` creates one");
        return Ok(vec![check("store", State::Warn, found, Some(hint))]);
    }
    let Reach { ledger, site, models, caller, .. } = call.reach()?;
    crate::doctor::doctor(ledger, site, models, caller)
}

/// What `init`, `verify --fix` and `embed` would put right.
fn mend_store(call: &mut Call, mended: &mut Vec<String>) -> Result<()> {
    if !call.has_store() {
        return Ok(());
    }
    let (adapters, options) = (call.adapters(), call.options().clone());
    let ken = call.reach()?;
    ken.ledger.may_write()?;
    let private = crate::doctor::is_private(&ken.site.layout)?;
    let report = Workspace::init(adapters, &options, SetUp { private, hooks: false })?;
    mended.extend(report.done.into_iter().filter(|_| report.changed));
    let before = ken.ledger.snapshot_mut().verify(false)?;
    if !before.errors.is_empty() {
        let after = ken.ledger.snapshot_mut().verify(true)?;
        if after.errors.len() < before.errors.len() {
            mended.push(format!(
                "{} of {} ledger errors",
                before.errors.len() - after.errors.len(),
                before.errors.len()
            ));
        }
    }
    if crate::embedding::embedder(&mut ken.ledger, &mut ken.models).is_ok()
        && crate::embedding::backlog(&mut ken.ledger, &mut ken.models)? > 0
    {
        let made = crate::embedding::embed(
            &mut ken.ledger,
            &ken.site.config,
            &mut ken.models,
            &ken.caller,
            &mut |_| true,
        )?;
        mended.push(format!("{} vectors made", made.made));
    }
    call.reopen().map(drop)
}

/// Writes the parts of a host anew that are there and are not as they should be. What was never set up is not set up here.
fn mend_host(host: &Host, scope: Scope, places: &Places, mended: &mut Vec<String>) {
    let Ok(standings) = setup::state(host, scope, places) else { return };
    let server = standings.iter().find(|standing| standing.part == Part::Server);
    if server.is_none_or(|server| matches!(server.state, Standing::Missing | Standing::Taken)) {
        return;
    }
    if let Ok(plan) = setup::plan(host, scope, Action::Install, places)
        && !plan.changes.is_empty()
        && plan.write().is_ok()
    {
        mended.extend(
            plan.changes.iter().map(|change| format!("{} for {}", change.file.display(), host.title)),
        );
        mended.extend(plan.notes);
    }
}

/// How a host stands in a scope, proven as far as it goes; nothing where it is not connected there.
fn host_checks(options: &Options, host: &Host, scope: Scope, places: &Places, named: bool) -> Vec<Check> {
    let name = match scope {
        Scope::Project => host.name.to_owned(),
        Scope::Global => format!("{} (global)", host.name),
    };
    let standings = match setup::state(host, scope, places) {
        Ok(standings) => standings,
        Err(problem) => return vec![unreadable(&name, &problem)],
    };
    let is_connected = connection::is_connected(&standings);
    let mut checks = Vec::new();
    let global = if scope == Scope::Global { " --global" } else { "" };
    for standing in &standings {
        let why = standing.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        let (part, file) = (standing.part.word(), standing.file.display());
        let found = format!("{part} in {file} is {}{why}", standing.state.word());
        match standing.state {
            Standing::Current => {}
            Standing::Taken => {
                let hint = if named { "it was not changed" } else { "it was not started or changed" };
                checks.push(check(&name, State::Warn, &found, Some(hint)));
            }
            Standing::Missing | Standing::Stale if is_connected => {
                let hint = format!("`ken setup {}{global}` writes it, or `ken doctor --fix`", host.name);
                checks.push(check(&name, State::Warn, &found, Some(&hint)));
            }
            Standing::Missing | Standing::Stale => {}
        }
    }
    match setup::configured(host, scope, places) {
        Ok(Some(configured)) if configured.is_ours || named => {
            checks.extend(proofs(options, &name, &configured, named, host));
        }
        Ok(_) => {}
        Err(problem) => checks.push(unreadable(&name, &problem)),
    }
    if !is_connected {
        return checks;
    }
    let hooks: Vec<String> = setup::hook_commands(host, scope, places).unwrap_or_default();
    if !hooks.is_empty() {
        checks.push(hooks_check(options, &name, &hooks, named, host));
    }
    let unproven = format!("not verified: whether {} has read its files; ", host.title);
    let then = host.then(scope).unwrap_or("restart it and look for the tool `recall`");
    checks.push(check(&name, State::Ok, &format!("{unproven}{then}"), None));
    checks
}

/// A file that cannot be understood keeps the host from working; one that lies elsewhere may be meant.
fn unreadable(name: &str, problem: &Problem) -> Check {
    let state = match problem {
        Problem::Malformed { .. } | Problem::NotAFile { .. } | Problem::Failed { .. } => State::Fail,
        Problem::ReadOnly { .. }
        | Problem::Outside { .. }
        | Problem::GitsOwn { .. }
        | Problem::Changed { .. } => State::Warn,
    };
    check(name, state, &problem.what(), Some("fix it by hand; `ken` did not change it"))
}

/// Starts what the host's file says and speaks with it.
fn proofs(options: &Options, name: &str, configured: &Configured, named: bool, host: &Host) -> Vec<Check> {
    let anew = format!("`ken setup {}` rewrites the command", host.name);
    let file = configured.file.display();
    let mut checks = Vec::new();
    if !named {
        match stranger(options, &configured.program).or_else(|| oddity(configured)) {
            None => {}
            Some(Stranger::Missing) => {
                let found = format!("{file} starts `{}`, which does not exist", configured.program);
                return vec![check(name, State::Fail, &found, Some(&anew))];
            }
            Some(Stranger::Other(why)) => {
                let found = format!("{file} starts `{}`{why}; it was not started", configured.program);
                let hint = format!("check the command, then test it with `ken doctor --host {}`", host.name);
                return vec![check(name, State::Warn, &found, Some(&hint))];
            }
        }
    }
    let (left_out, env): (Vec<_>, Vec<_>) =
        configured.env.iter().cloned().partition(|(key, _)| is_left_out(key));
    if !left_out.is_empty() {
        let names: Vec<&str> = left_out.iter().map(|(key, _)| key.as_str()).collect();
        let found = format!("{file} sets {}; the test ran without it", names.join(", "));
        checks.push(check(name, State::Warn, &found, Some(&anew)));
    }
    let started = Started { program: configured.program.clone(), args: configured.args.clone(), env };
    let steps = prove::prove(&started, &options.from, env!("CARGO_PKG_VERSION"), ANSWER_WITHIN);
    checks.extend(steps.iter().map(|step| {
        // Another version works, and should be known of.
        let state = match (step.ok, step.name) {
            (true, _) => State::Ok,
            (false, "version") => State::Warn,
            (false, _) => State::Fail,
        };
        let found = format!("{}: {}", step.name, step.found);
        check(name, state, &found, (!step.ok).then_some(anew.as_str()))
    }));
    checks
}

/// Why a command is not started unasked.
enum Stranger {
    /// There is no such program.
    Missing,
    /// There is, and this is what is wrong with it.
    Other(String),
}

/// A stranger's repository may name any program: only ours is started unasked.
fn stranger(options: &Options, program: &str) -> Option<Stranger> {
    let found: Option<PathBuf> = match Path::new(program).components().count() {
        1 => connection::found_on_path(program)
            .or_else(|| connection::found_on_path(&format!("{program}{}", std::env::consts::EXE_SUFFIX))),
        _ => Some(options.from.join(program)).filter(|file| file.is_file()),
    };
    let Some(found) = found else { return Some(Stranger::Missing) };
    let ours = [std::env::current_exe().ok(), connection::on_path()];
    let is_ours = ours.iter().flatten().any(|own| connection::same(&found, own));
    (!is_ours).then(|| Stranger::Other(", which is neither this `ken` nor the one in PATH".to_owned()))
}

/// Our own program can be made to do anything by its arguments and variables: it is started as `ken mcp` alone.
fn oddity(configured: &Configured) -> Option<Stranger> {
    let mut words = configured.args.iter().map(String::as_str);
    let mut other = words.next().filter(|verb| *verb != "mcp");
    if configured.args.is_empty() {
        return Some(Stranger::Other(" without `mcp`".to_owned()));
    }
    while let (None, Some(word)) = (other, words.next()) {
        let is_name = |name: &str| !name.is_empty() && !name.starts_with('-');
        let fits = match word.split_once('=') {
            Some(("--host" | "--profile", name)) => is_name(name),
            None if matches!(word, "--host" | "--profile") => words.next().is_some_and(is_name),
            Some(_) | None => false,
        };
        other = (!fits).then_some(word);
    }
    if let Some(other) = other {
        return Some(Stranger::Other(format!(" with `{other}`, which `ken setup` does not write")));
    }
    let names = configured.env.iter().map(|(key, _)| key.as_str());
    let names: Vec<&str> = names.filter(|key| !key.starts_with("KEN_") || setup::is_unwanted(key)).collect();
    (!names.is_empty())
        .then(|| Stranger::Other(format!(" and sets {}, which can change what it does", names.join(", "))))
}

/// What is not handed on even to what a person asked to be started: what loads other code, and who acts.
fn is_left_out(key: &str) -> bool {
    let key = key.to_ascii_uppercase();
    key == "KEN_ACTOR" || key.starts_with("LD_") || key.starts_with("DYLD_")
}

/// Whether the programs of the hooks can be started. They are turned off for it, so that nothing is recorded.
fn hooks_check(options: &Options, name: &str, hooks: &[String], named: bool, host: &Host) -> Check {
    let anew = format!("`ken setup {}` rewrites them", host.name);
    let mut programs: Vec<String> = hooks.iter().filter_map(|hook| setup::hook_program(hook)).collect();
    programs.sort();
    programs.dedup();
    for program in &programs {
        let (state, found) = match (named, stranger(options, program)) {
            (_, Some(Stranger::Missing)) => {
                (State::Fail, format!("they start `{program}`, which does not exist"))
            }
            (false, Some(Stranger::Other(why))) => {
                (State::Warn, format!("they start `{program}`{why}; it was not started"))
            }
            (true, Some(Stranger::Other(_))) | (_, None) => match tried(program) {
                Ok(status) if status.success() => continue,
                Ok(status) => (State::Fail, format!("`{program}` ended with {status}")),
                Err(error) => (State::Fail, format!("`{program}` cannot be started: {error}")),
            },
        };
        return check(name, state, &format!("hooks: {found}"), Some(&anew));
    }
    check(name, State::Ok, &format!("{} hooks; their program starts", hooks.len()), None)
}

fn tried(program: &str) -> std::io::Result<ExitStatus> {
    let mut command = Command::new(program);
    command.args(["hook", "prompt"]).env("KEN_HOOKS", "0");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()
}

fn check(name: &str, state: State, found: &str, hint: Option<&str>) -> Check {
    Check {
        name: name.to_owned().into(),
        state,
        found: ken_guard::redact(found).into_owned(),
        hint: hint.map(str::to_owned),
    }
}
