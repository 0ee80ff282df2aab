//! `doctor`: what is well with the store and with the hosts that use it, proven where it can be, and mended where that was asked for.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use ken_hosts::prove::{self, Started};
use ken_hosts::setup::{self, Action, Configured, HOSTS, Host, Part, Places, Scope, State as Standing};
use kenning::{Check, Kenning, Result, SetUp, State};
use serde_json::json;

use super::{Session, setup as hosts};
use crate::args::DoctorArgs;
use crate::output::{exit, println};

/// How long a host's server has for one answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

pub(super) fn doctor(session: &Session, args: &DoctorArgs) -> Result<u8> {
    let named = args.host.as_deref().map(hosts::named).transpose()?;
    let mut mended = Vec::new();
    let mut checks = Vec::new();
    if named.is_none() {
        if args.fix {
            mend_store(session, &mut mended)?;
        }
        checks.extend(store_checks(session)?);
    }
    let places = hosts::places(session, false)?;
    let chosen = HOSTS.iter().filter(|host| named.is_none_or(|named| named.name == host.name));
    let mut connected = 0;
    for host in chosen {
        for scope in [Scope::Project, Scope::Global] {
            if host.scope(scope) != scope {
                continue;
            }
            if args.fix {
                mend_host(host, scope, &places, &mut mended);
            }
            let found = host_checks(session, host, scope, &places, named.is_some());
            connected += usize::from(!found.is_empty());
            checks.extend(found);
        }
    }
    if connected == 0 {
        let (found, hint) = match named {
            Some(host) => {
                (format!("{} is not connected", host.title), format!("`ken setup {}` connects it", host.name))
            }
            None => {
                ("no agent host is connected".to_owned(), "`ken setup` lists the hosts there are".to_owned())
            }
        };
        checks.push(Check { name: "hosts".into(), state: State::Ok, found, hint: Some(hint) });
    }
    session.output.answer(&json!({"checks": checks, "mended": mended}), || {
        mended.iter().for_each(|what| println!("mended: {what}"));
        let wide = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
        for check in &checks {
            let word = match check.state {
                State::Ok => "ok",
                State::Warn => "warn",
                State::Fail => "FAIL",
            };
            println!("{word:<5} {:<wide$} {}", check.name, check.found);
            if let Some(hint) = &check.hint {
                println!("{:>1$} {hint}", "", wide + 6);
            }
        }
    })?;
    Ok(if checks.iter().any(|check| check.state == State::Fail) { exit::FOUND } else { exit::OK })
}

fn store_checks(session: &Session) -> Result<Vec<Check>> {
    if Kenning::find(&session.options).is_none() {
        let (found, hint) = ("there is no store here or in any folder above", "`ken init` makes one");
        return Ok(vec![check("store", State::Warn, found, Some(hint))]);
    }
    let mut ken = session.open()?;
    let checks = ken.doctor()?;
    session.notes(&mut ken);
    Ok(checks)
}

/// What `init`, `verify --fix` and `embed` would put right.
fn mend_store(session: &Session, mended: &mut Vec<String>) -> Result<()> {
    if Kenning::find(&session.options).is_none() {
        return Ok(());
    }
    let mut ken = session.open()?;
    ken.store().may_write()?;
    let private = ken.doctor()?.iter().any(|check| check.found.contains("git ignores it"));
    let report = Kenning::init(&session.options, SetUp { private, hooks: false })?;
    mended.extend(report.done.into_iter().filter(|_| report.changed));
    let before = ken.store().verify(false)?;
    if !before.errors.is_empty() {
        let after = ken.store().verify(true)?;
        if after.errors.len() < before.errors.len() {
            mended.push(format!(
                "{} of {} errors of the ledger",
                before.errors.len() - after.errors.len(),
                before.errors.len()
            ));
        }
    }
    if ken.embedder().is_ok() && ken.backlog()? > 0 {
        let made = ken.embed(&mut |_| true)?;
        mended.push(format!("{} vectors made", made.made));
    }
    Ok(())
}

/// Writes the parts of a host anew that are there and are not as they should be. What was never set up is not set up here.
fn mend_host(host: &Host, scope: Scope, places: &Places, mended: &mut Vec<String>) {
    let Ok(standings) = setup::state(host, scope, places) else { return };
    let server = standings.iter().find(|standing| standing.part == Part::Server);
    if server.is_none_or(|server| server.state == Standing::Missing) {
        return;
    }
    if let Ok(plan) = setup::plan(host, scope, Action::Install, places)
        && !plan.changes.is_empty()
        && plan.write().is_ok()
    {
        mended.extend(
            plan.changes.iter().map(|change| format!("{} for {}", change.file.display(), host.title)),
        );
    }
}

/// How a host stands in a scope, proven as far as it goes; nothing where it is not connected there.
fn host_checks(session: &Session, host: &Host, scope: Scope, places: &Places, named: bool) -> Vec<Check> {
    let name = match scope {
        Scope::Project => host.name.to_owned(),
        Scope::Global => format!("{} (global)", host.name),
    };
    let standings = match setup::state(host, scope, places) {
        Ok(standings) => standings,
        Err(problem) => {
            let hint = Some("put the file right; nothing was touched");
            return vec![check(&name, State::Warn, &problem.to_string(), hint)];
        }
    };
    if matches!(hosts::overall(&standings), "missing") {
        return Vec::new();
    }
    let mut checks = Vec::new();
    let global = if scope == Scope::Global { " --global" } else { "" };
    for standing in standings.iter().filter(|standing| standing.state != Standing::Current) {
        let found =
            format!("{} in {} is {}", standing.part.word(), standing.file.display(), standing.state.word());
        let hint = format!("`ken setup {}{global}` writes it, or `ken doctor --fix`", host.name);
        checks.push(check(&name, State::Warn, &found, Some(&hint)));
    }
    match setup::configured(host, scope, places) {
        Ok(Some(configured)) => checks.extend(proofs(session, &name, &configured, named, host)),
        Ok(None) => {}
        Err(problem) => checks.push(check(&name, State::Warn, &problem.to_string(), None)),
    }
    let hooks: Vec<String> = setup::hook_commands(host, scope, places).unwrap_or_default();
    if !hooks.is_empty() {
        checks.push(hooks_check(session, &name, &hooks, named));
    }
    let unproven = format!("not proven: whether {} has read its files; ", host.title);
    let then = host.then().unwrap_or("start it anew and look for the tool `recall`");
    checks.push(check(&name, State::Ok, &format!("{unproven}{then}"), None));
    checks
}

/// Starts what the host's file says and speaks with it.
fn proofs(session: &Session, name: &str, configured: &Configured, named: bool, host: &Host) -> Vec<Check> {
    let started = Started {
        program: configured.program.clone(),
        args: configured.args.clone(),
        env: configured.env.clone(),
    };
    if !named && !is_ours(session, &configured.program, &configured.env) {
        let found = format!(
            "{} starts `{}`, which is not this `ken` nor the one that PATH finds; it was not started",
            configured.file.display(),
            configured.program
        );
        let hint = format!("look at it; `ken doctor --host {}` starts it", host.name);
        return vec![check(name, State::Warn, &found, Some(&hint))];
    }
    let steps = prove::prove(&started, &session.options.from, env!("CARGO_PKG_VERSION"), ANSWER_WITHIN);
    let hint = format!("`ken setup {}` writes the command anew", host.name);
    steps
        .iter()
        .map(|step| {
            // Another version works, and should be known of.
            let state = match (step.ok, step.name) {
                (true, _) => State::Ok,
                (false, "version") => State::Warn,
                (false, _) => State::Fail,
            };
            let found = format!("{}: {}", step.name, step.found);
            check(name, state, &found, (!step.ok).then_some(hint.as_str()))
        })
        .collect()
}

/// A stranger's repository may name any program, and variables that change what a program does: only ours is started unasked.
fn is_ours(session: &Session, program: &str, env: &[(String, String)]) -> bool {
    let found = match Path::new(program).components().count() {
        1 => hosts::on_path().filter(|_| program == "ken" || program == "ken.exe"),
        _ => Some(session.options.from.join(program)),
    };
    let ours = [std::env::current_exe().ok(), hosts::on_path()];
    let is_ours = found.is_some_and(|found| ours.iter().flatten().any(|own| hosts::same(&found, own)));
    is_ours && env.iter().all(|(name, _)| name.starts_with("KEN_"))
}

/// Whether the program of the hooks can be started. They are turned off for it, so that nothing is recorded.
fn hooks_check(session: &Session, name: &str, hooks: &[String], named: bool) -> Check {
    let words: Vec<&str> = hooks[0].split_whitespace().collect();
    let program = words.first().copied().unwrap_or_default().trim_matches('"');
    if !named && !is_ours(session, program, &[]) {
        let found = format!("hooks: they start `{program}`, which is not this `ken`; it was not started");
        return check(name, State::Warn, &found, None);
    }
    let tried = Command::new(program)
        .args(["hook", "prompt"])
        .env("KEN_HOOKS", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match tried {
        Ok(status) if status.success() => {
            check(name, State::Ok, &format!("hooks: {} of them, and their program starts", hooks.len()), None)
        }
        Ok(status) => check(name, State::Fail, &format!("hooks: `{program}` ended with {status}"), None),
        Err(error) => {
            check(name, State::Fail, &format!("hooks: `{program}` cannot be started: {error}"), None)
        }
    }
}

fn check(name: &str, state: State, found: &str, hint: Option<&str>) -> Check {
    Check {
        name: name.to_owned().into(),
        state,
        found: kenning::guard::redact(found).into_owned(),
        hint: hint.map(str::to_owned),
    }
}
