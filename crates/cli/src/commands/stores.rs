//! The verbs about stores themselves: init, where, config, migrate.

use kenning::core::weights::{Signals, Weights};
use kenning::core::{Code, Refusal, admission, score};
use kenning::{
    ADMISSION, Channel, Kenning, Layout, Options, Place, Result, SCORING, STORE_VERSION, SetUp, Workspace,
};
use serde_json::json;

use super::Session;
use crate::args::{ConfigArgs, InitArgs};
use crate::output::{bold, exit, println};

pub(super) fn init(session: &Session, args: &InitArgs) -> Result<u8> {
    if args.with_norms {
        super::norms::check(session)?;
    }
    let report = if args.remove {
        Workspace::remove(&session.options)?
    } else {
        Workspace::init(&session.options, SetUp { private: args.private, hooks: args.hooks })?
    };
    session.output.answer(&report, || {
        report.done.iter().for_each(|line| println!("{line}"));
        let made = report.done.iter().any(|line| line.ends_with("/VERSION"));
        match (args.remove, made) {
            // What comes next is told once the examples were offered.
            (false, true) if args.with_norms => println!("\nA store is ready."),
            (false, true) => {
                let shared = Workspace::place_for_new(&session.options).git.is_some() && !args.private;
                let ken = if session.options.global { "ken --global" } else { "ken" };
                println!("\nA store is ready. Next:");
                println!("  {ken} add lesson 'What you learned.' --evidence commit:HASH --anchor PATH --verify 'how to check it'");
                if shared {
                    println!("  ken commit");
                }
            }
            (false, false) if !report.changed => println!("the store is there already; nothing was changed"),
            (false, false) | (true, _) => {}
        }
    })?;
    if args.with_norms {
        super::norms::offer(session)?;
    }
    Ok(exit::OK)
}

pub(super) fn whereabouts(session: &Session) -> Result<u8> {
    let options = &session.options;
    let here = Workspace::find(&Options { global: false, ..options.clone() });
    let global = Workspace::find(&Options { global: true, ..options.clone() });
    let why = match (&options.store, &here) {
        (Some(_), _) => "named by --store or KEN_STORE",
        (None, Some(layout)) if layout.store.join("VERSION").is_file() => "found by walking up from here",
        (None, Some(_)) => "this branch has no store folder, but this clone has a journal",
        (None, None) => "none here or in any folder above; `ken init` makes one",
    };
    let describe = |layout: &Layout| {
        let git = layout.git.as_ref();
        json!({
            "store": layout.store.display().to_string(),
            "journal": layout.clone_home().join("journal").display().to_string(),
            "index": layout.tree_home().join("index").display().to_string(),
            "branch": git.map(|git| git.branch()),
            "worktree": git.map(|git| git.tree_name()),
        })
    };
    let place = here.clone().unwrap_or_else(|| Workspace::place_for_new(options));
    let around = Place { git: place.git.as_ref(), from: &options.from };
    let actor = session.identity.caller(&around, Channel::Cli)?.actor().to_owned();
    let hosts = super::setup::connected(session);
    // A store that cannot be opened is for `ken doctor`; this says where things are, and makes nothing.
    let has_index = |layout: &&Layout| layout.tree_home().join("index").is_dir();
    let handed_out =
        here.as_ref().filter(has_index).and_then(|_| session.open_quietly().ok()?.handed_out().ok());
    let answer = json!({
        "project": here.as_ref().map(describe),
        "why": why,
        "global": global.as_ref().map(describe),
        "global_folder": options.global_root().display().to_string(),
        "actor": actor,
        "read_only": options.read_only,
        "hosts": hosts,
        "handed_out": handed_out,
    });
    session.output.answer(&answer, || {
        match &here {
            Some(layout) => {
                println!("project  {}  ({why})", bold(&layout.store.display().to_string()));
                println!("journal  {}", layout.clone_home().join("journal").display());
                println!("index    {}", layout.tree_home().join("index").display());
                if let Some(git) = &layout.git {
                    let branch = git.branch();
                    println!("branch   {}", if branch.is_empty() { "none (detached)" } else { &branch });
                }
            }
            None => println!("project  {why}"),
        }
        match &global {
            Some(layout) => println!("global   {}", layout.store.display()),
            None => println!(
                "global   none yet; `ken --global init` makes one in {}",
                options.global_root().display()
            ),
        }
        println!("actor    {actor}");
        match hosts.as_slice() {
            [] => println!("hosts    none connected; `ken setup` lists them"),
            hosts => {
                let names: Vec<String> = hosts
                    .iter()
                    .map(|host| format!("{} ({}, {})", host.host, host.scope, host.state))
                    .collect();
                println!("hosts    {}", names.join(", "));
            }
        }
        if let Some(count) = handed_out {
            println!(
                "agents   see {}; `ken brief` is what they begin with, `ken stats` what they got",
                crate::output::count(count, "entry", "entries")
            );
        }
        if options.read_only {
            println!("KEN_READONLY is set: nothing is recorded");
        }
    })?;
    Ok(exit::OK)
}

pub(super) fn config(session: &Session, args: &ConfigArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let value = match args.value.as_slice() {
        [] => None,
        words => Some(words.join(" ")),
    };
    match (&args.key, &value) {
        (Some(key), value) if key == SCORING => {
            return weights::<score::Signal>(session, &mut ken, SCORING, value.as_deref());
        }
        (Some(key), value) if key == ADMISSION => {
            return weights::<admission::Signal>(session, &mut ken, ADMISSION, value.as_deref());
        }
        (Some(key), Some(value)) => {
            ken.set_setting(key, value)?;
            if key.starts_with("embedder.") {
                // Another model makes its own vectors; until they are there, words answer for what lacks one.
                super::embed_in_background(session, &mut session.open()?);
            }
            session.output.answer(&json!({"key": key, "value": value}), || println!("{key} = {value}"))?;
        }
        (Some(key), None) => {
            let value = kenning::guard::redact(&ken.config().get(key)?).into_owned();
            session.output.answer(&json!({"key": key, "value": value}), || println!("{value}"))?;
        }
        (None, _) => {
            let mut all = ken.config().all();
            // The file may have been written by hand, or by somebody else.
            for setting in &mut all {
                setting.value = kenning::guard::redact(&setting.value).into_owned();
            }
            let wide = all.iter().map(|setting| setting.key.len()).max().unwrap_or(0);
            session.output.answer(&json!({"settings": all}), || {
                for setting in &all {
                    let mark = if setting.is_default { " (default)" } else { "" };
                    let value = format!("{}{mark}", setting.value);
                    println!("{:<wide$} {value:<18} {}", setting.key, setting.about);
                }
            })?;
        }
    }
    Ok(exit::OK)
}

/// Weights are everybody's: changing them is an event, not a line of the settings file (OUT-2, IN-5).
fn weights<S: Signals>(session: &Session, ken: &mut Kenning, name: &str, value: Option<&str>) -> Result<u8> {
    match value {
        None => {}
        Some("default") => ken.set_weights::<S>(name, None)?,
        Some(text) => {
            let mut weights = ken.weights::<S>(name)?.written();
            if text.trim_start().starts_with('{') {
                weights = kenning::read_content(text)?;
            } else {
                for pair in text.split([' ', ',']).filter(|pair| !pair.is_empty()) {
                    let number = pair
                        .split_once('=')
                        .and_then(|(name, number)| Some((name, number.parse::<f64>().ok()?)));
                    let Some((signal, number)) = number else {
                        let example = S::ALL[0].0.word();
                        let message =
                            format!("{pair:?} is no weight; NAME=NUMBER is wanted, such as {example}=0.5");
                        return Err(Refusal::new(Code::Invalid, message).field(name).into());
                    };
                    weights.insert(signal.to_owned(), number.into());
                }
            }
            let weights = Weights::<S>::read(&serde_json::Value::Object(weights)).map_err(|problem| {
                Refusal::new(Code::Invalid, problem)
                    .field(name)
                    .hint(format!("`ken config {name}` shows them; name every one that changes"))
            })?;
            ken.set_weights(name, Some(&weights))?;
        }
    }
    let weights = ken.weights::<S>(name)?;
    session.notes(ken);
    session.output.answer(&json!({ name: weights.written() }), || {
        let wide = weights.each().map(|(signal, _)| signal.len()).max().unwrap_or(0);
        for (signal, weight) in weights.each() {
            println!("{signal:<wide$} {weight}");
        }
    })?;
    Ok(exit::OK)
}

pub(super) fn migrate(session: &Session) -> Result<u8> {
    let mut ken = session.open()?;
    ken.store().may_write()?;
    let answer = json!({"version": STORE_VERSION, "migrated": false});
    session.output.answer(&answer, || {
        println!("the store is of version {STORE_VERSION}, the newest this ken knows; nothing to move")
    })?;
    Ok(exit::OK)
}
