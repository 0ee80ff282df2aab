//! `setup`: connects an agent host, says how it is connected, and takes it away again.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use ken_hosts::setup::{self, Action, Change, HOSTS, Host, Part, Places, Problem, Scope, Standing, State};
use kenning::connection::{named, on_path, overall, places, same, word};
use kenning::core::{Code, Refusal};
use kenning::{Error, Options, Result};
use serde_json::{Value, json};

use super::local::Setup;
use super::{Session, Shown};
use crate::args::SetupArgs;
use crate::output::{bold, dim, exit, on_terminal, println, table};
use crate::terminal;

impl Shown for Setup {
    fn execute(session: &Session, request: SetupArgs) -> Result<u8> {
        setup(session, &request)
    }
}

fn setup(session: &Session, args: &SetupArgs) -> Result<u8> {
    let places = places(&session.options, args.absolute)?;
    let wanted = if session.options.global { Scope::Global } else { Scope::Project };
    let Some(name) = args.host.as_deref().filter(|_| !args.list) else {
        if args.check || args.remove || args.print || args.yes {
            return Err(Refusal::new(Code::Invalid, "no host was given; `ken setup --list` lists them")
                .field("host")
                .into());
        }
        return list(session, &places);
    };
    let host = named(name)?;
    let scope = host.scope(wanted);
    if scope != wanted {
        session
            .output
            .note(&format!("{} has no project files; this applies to the user's files", host.title));
    }
    if args.check {
        return check(session, host, scope, &places);
    }
    if args.print {
        return print(session, host, scope, &places);
    }
    let action = if args.remove { Action::Remove } else { Action::Install };
    change(session, host, scope, action, args.yes, &places)
}

fn change(
    session: &Session,
    host: &Host,
    scope: Scope,
    action: Action,
    yes: bool,
    places: &Places,
) -> Result<u8> {
    let plan = setup::plan(host, scope, action, places).map_err(refused)?;
    let mut notes = plan.notes.clone();
    let program = Path::new(&places.program);
    let names_path = action == Action::Install && scope == Scope::Project && program.is_absolute();
    if names_path && !plan.changes.is_empty() {
        let why = match on_path().is_some_and(|found| same(&found, program)) {
            true => "",
            false => ", because it is not the `ken` in PATH",
        };
        let others = "it may not exist on other machines";
        notes.push(format!("the absolute path of `ken` was written{why}; {others}"));
    }
    notes.iter().for_each(|note| session.output.note(note));
    let nothing = plan.changes.is_empty();
    if !session.output.json {
        plan.changes.iter().for_each(|change| println!("{}", painted(&shown(change))));
    }
    let asks = !yes && !session.output.json && std::io::stdin().is_terminal() && on_terminal();
    let goes = nothing || yes || (asks && agreed(plan.changes.len())?);
    let hint = format!("pass --yes to write it: `ken {}`", again(host, scope, action));
    if goes && !nothing {
        if session.options.read_only {
            return Err(Refusal::new(Code::ReadOnly, "KEN_READONLY is set; nothing was written").into());
        }
        plan.write().map_err(refused)?;
    }
    let standings =
        if goes { setup::state(host, scope, places).map_err(unreadable)? } else { plan.standings };
    let installed = goes && action == Action::Install;
    let next = installed.then(|| host.then(scope)).flatten();
    let store = installed && scope == Scope::Project && here(session).find().is_none();
    let mut answer = json!({
        "host": host.name,
        "scope": word(scope),
        "action": match action { Action::Install => "install", Action::Remove => "remove" },
        "written": goes && !nothing,
        "parts": parts(&standings),
        "files": plan.changes.iter().map(file).collect::<Vec<_>>(),
        "notes": notes,
    });
    if let Some(next) = next {
        answer["next"] = json!(next);
    }
    if !goes {
        answer["hint"] = json!(hint);
    }
    session.output.answer(&answer, || {
        if nothing {
            println!(
                "{}",
                match action {
                    Action::Install => format!("{} is already set up; nothing to write", host.title),
                    Action::Remove => format!("the files of {} contain nothing written by setup", host.title),
                }
            );
        } else if goes {
            plan.changes.iter().for_each(|change| println!("{} {}", done(change), change.file.display()));
        }
        if let Some(next) = next.filter(|_| !nothing) {
            println!("\nNext: {next}");
        }
        if store {
            println!("There is no store here yet; create one with `ken init`.");
        }
    })?;
    if goes {
        return Ok(exit::OK);
    }
    if asks {
        return Err(terminal::not_confirmed("nothing was changed").into());
    } else if !session.output.json {
        let refusal = Refusal::new(
            Code::NotAllowed,
            "nothing was written: this is not a terminal, so confirmation is impossible",
        )
        .hint(hint);
        return Err(refusal.into());
    }
    Ok(exit::REFUSED)
}

fn check(session: &Session, host: &Host, scope: Scope, places: &Places) -> Result<u8> {
    let standings = setup::state(host, scope, places).map_err(unreadable)?;
    let current = standings.iter().all(|standing| standing.state == State::Current);
    let answer = json!({
        "host": host.name,
        "scope": word(scope),
        "current": current,
        "parts": parts(&standings),
    });
    session.output.answer(&answer, || {
        for standing in &standings {
            let why = standing.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            let (state, part) = (standing.state.word(), standing.part.word());
            println!("{state:<8} {part:<13} {}{why}", standing.file.display());
        }
    })?;
    Ok(if current { exit::OK } else { exit::FOUND })
}

fn print(session: &Session, host: &Host, scope: Scope, places: &Places) -> Result<u8> {
    let samples: Vec<(Part, PathBuf, String)> = Part::ALL
        .into_iter()
        .filter_map(|part| setup::sample(host, part, scope, places).map(|(file, text)| (part, file, text)))
        .collect();
    let part = |(part, file, text): &(Part, PathBuf, String)| json!({"part": part.word(), "file": file, "text": text});
    let answer = json!({
        "host": host.name,
        "scope": word(scope),
        "parts": samples.iter().map(part).collect::<Vec<_>>(),
    });
    session.output.answer(&answer, || {
        for (index, (part, file, text)) in samples.iter().enumerate() {
            println!(
                "{}{}",
                if index == 0 { "" } else { "\n" },
                dim(&format!("# {}: {}", part.word(), file.display()))
            );
            println!("{}", text.trim_end());
        }
    })?;
    Ok(exit::OK)
}

fn list(session: &Session, places: &Places) -> Result<u8> {
    let scopes = [Scope::Project, Scope::Global];
    let stands =
        |host: &Host, scope: Scope| match (host.scope(scope) == scope, setup::state(host, scope, places)) {
            (false, _) => (Value::Null, "-".to_owned()),
            (true, Ok(standings)) => (
                json!({"state": overall(&standings), "parts": parts(&standings)}),
                overall(&standings).to_owned(),
            ),
            (true, Err(problem)) => {
                (json!({"state": "unreadable", "problem": problem.what()}), "unreadable".to_owned())
            }
        };
    let all: Vec<(&Host, Vec<(Value, String)>)> =
        HOSTS.iter().map(|host| (host, scopes.map(|scope| stands(host, scope)).to_vec())).collect();
    let host = |(host, stands): &(&Host, Vec<(Value, String)>)| json!({"host": host.name, "title": host.title, "project": stands[0].0, "global": stands[1].0});
    session.output.answer(&json!({"hosts": all.iter().map(host).collect::<Vec<_>>()}), || {
        let row = |(host, stands): &(&Host, Vec<(Value, String)>)| {
            let cells =
                vec![host.name.to_owned(), stands[0].1.clone(), stands[1].1.clone(), host.title.to_owned()];
            (cells, String::new())
        };
        table(&["host", "project", "global", ""], all.iter().map(row).collect(), 3);
        if on_terminal() {
            println!("\n`ken setup HOST` connects one; it shows the changes and asks before writing.");
        }
    })?;
    Ok(exit::OK)
}

/// The options for this project, whatever `--global` says about hosts.
fn here(session: &Session) -> Options {
    Options { global: false, ..session.options.clone() }
}

fn agreed(files: usize) -> Result<bool> {
    let what = if files == 1 { "this file".to_owned() } else { format!("these {files} files") };
    terminal::agrees(&format!("Write {what}? Type `{}` to confirm: ", terminal::YES))
}

fn refused(problem: Problem) -> Error {
    let said = problem.to_string();
    error(problem, said)
}

/// For whoever only looked.
fn unreadable(problem: Problem) -> Error {
    let said = problem.what();
    error(problem, said)
}

fn error(problem: Problem, said: String) -> Error {
    match problem {
        Problem::Failed { doing, file, source } => {
            Error::failed(format!("{doing} {}", file.display()))(source)
        }
        Problem::ReadOnly { .. } => Refusal::new(Code::ReadOnly, said)
            .hint("make it writable, or edit it by hand with the output of `--print`")
            .into(),
        Problem::Changed { .. } => {
            Refusal::new(Code::NotAllowed, said).hint("run the same command again").into()
        }
        Problem::Malformed { .. }
        | Problem::NotAFile { .. }
        | Problem::Outside { .. }
        | Problem::GitsOwn { .. } => {
            let hint = "fix it, or edit it by hand with the output of `--print`";
            Refusal::new(Code::NotAllowed, said).hint(hint).into()
        }
    }
}

fn again(host: &Host, scope: Scope, action: Action) -> String {
    let remove = if action == Action::Remove { " --remove" } else { "" };
    let global = if scope == Scope::Global { " --global" } else { "" };
    format!("setup {}{remove}{global} --yes", host.name)
}

fn parts(standings: &[Standing]) -> Vec<Value> {
    let part = |standing: &Standing| {
        let mut part =
            json!({"part": standing.part.word(), "file": standing.file, "state": standing.state.word()});
        if let Some(why) = &standing.why {
            part["why"] = json!(why);
        }
        part
    };
    standings.iter().map(part).collect()
}

fn file(change: &Change) -> Value {
    json!({"file": change.file, "change": done(change), "diff": shown(change)})
}

/// The diff, without the keys of other servers that may stand around.
fn shown(change: &Change) -> String {
    kenning::guard::redact(&change.diff()).into_owned()
}

fn done(change: &Change) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "created",
        (Some(_), None) => "deleted",
        (Some(_), Some(_)) => "changed",
    }
}

/// A diff whose heads stand out on a terminal; signs carry the meaning.
fn painted(diff: &str) -> String {
    let line = |line: &str| match line.starts_with("--- ") || line.starts_with("+++ ") {
        true => bold(line),
        false if line.starts_with("@@") => dim(line),
        false => line.trim_end_matches('\r').to_owned(),
    };
    diff.lines().map(line).collect::<Vec<_>>().join("\n")
}
