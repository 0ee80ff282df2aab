//! The verbs about stores themselves, shown: init, where, config, migrate.

use kenning::Result;
use kenning::table::config::ConfigAnswer;
use kenning::table::init::InitRequest;
use kenning::table::migrate::MigrateAnswer;
use kenning::table::where_is::WhereAnswer;
use kenning::table::{Config, Init, Migrate, Where};

use super::{Session, Shown};
use crate::limits::{ABOUT_COLUMNS_MIN, VALUE_COLUMNS};
use crate::output::{bold, count, exit, on_terminal, print_hanging, print_wrapped, println, width};

impl Shown for Init {
    fn execute(session: &Session, request: InitRequest) -> Result<u8> {
        if request.with_norms {
            super::norms::check(session)?;
        }
        let InitRequest { private, with_norms, remove, hooks: _ } = request.clone();
        let report = Self::run_noting(session, &mut session.call(None)?, request)?;
        session.output.answer(&report, || {
            report.done.iter().for_each(|line| println!("{line}"));
            let made = report.done.iter().any(|line| line.ends_with("/VERSION"));
            match (remove, made) {
                // What comes next is told once the examples were offered.
                (false, true) if with_norms => println!("\nA store is ready."),
                (false, true) => {
                    let shared = session.options.place_for_new().git.is_some() && !private;
                    let ken = if session.options.global { "ken --global" } else { "ken" };
                    println!("\nA store is ready. Next:");
                    println!("  {ken} add lesson 'What you learned.' --evidence commit:HASH --anchor PATH --verify 'how to check it'");
                    if shared {
                        println!("  ken commit");
                    }
                }
                (false, false) if !report.changed => {
                    println!("the store already exists; nothing was changed");
                }
                (false, false) | (true, _) => {}
            }
        })?;
        if with_norms {
            super::norms::offer(session)?;
        }
        Ok(exit::OK)
    }
}

impl Shown for Where {
    fn say(answer: &WhereAnswer) {
        match &answer.project {
            Some(places) => {
                println!("project  {}  ({})", bold(&places.store), answer.why);
                println!("journal  {}", places.journal);
                println!("index    {}", places.index);
                if let Some(branch) = &places.branch {
                    println!("branch   {}", if branch.is_empty() { "none (detached)" } else { branch });
                }
            }
            None => println!("project  {}", answer.why),
        }
        match &answer.global {
            Some(places) => println!("global   {}", places.store),
            None => {
                println!("global   none yet; `ken --global init` creates one in {}", answer.global_folder);
            }
        }
        println!("actor    {}", answer.actor);
        match answer.hosts.as_slice() {
            [] => println!("hosts    none connected; `ken setup --list` lists them"),
            hosts => {
                let names: Vec<String> = hosts
                    .iter()
                    .map(|host| format!("{} ({}, {})", host.host, host.scope, host.state))
                    .collect();
                println!("hosts    {}", names.join(", "));
            }
        }
        if let Some(handed_out) = answer.handed_out {
            println!(
                "agents   see {}; `ken brief` prints their briefing, `ken stats` what they were given",
                count(handed_out, "entry", "entries")
            );
        }
        if answer.read_only {
            println!("KEN_READONLY is set: nothing is recorded");
        }
    }
}

impl Shown for Config {
    fn say(answer: &ConfigAnswer) {
        match answer {
            ConfigAnswer::Value { value, .. } => println!("{value}"),
            ConfigAnswer::Changed { key, value } => print_wrapped(&format!("{key} = {value}")),
            ConfigAnswer::All { settings } => {
                let wide = settings.iter().map(|setting| setting.key.len()).max().unwrap_or(0);
                for setting in settings {
                    let mark = if setting.is_default { " (default)" } else { "" };
                    let value = format!("{}{mark}", setting.value);
                    let about_at = wide + 1 + VALUE_COLUMNS + 1;
                    if on_terminal() && width() < about_at + ABOUT_COLUMNS_MIN {
                        print_wrapped(&format!("{:<wide$} {value}", setting.key));
                        print_hanging(&format!("    {}", setting.about), 4);
                    } else {
                        let line =
                            format!("{:<wide$} {value:<VALUE_COLUMNS$} {}", setting.key, setting.about);
                        print_hanging(&line, about_at);
                    }
                }
            }
            ConfigAnswer::Weights(named) => {
                let wide = named.weights.iter().map(|(signal, _)| signal.len()).max().unwrap_or(0);
                for (signal, weight) in &named.weights {
                    println!("{signal:<wide$} {weight}");
                }
            }
        }
    }
}

impl Shown for Migrate {
    fn say(answer: &MigrateAnswer) {
        if answer.index_page_untracked {
            println!("git no longer tracks .kenning/INDEX.md; `git commit` records that");
        }
        match answer.pinned {
            0 if answer.migrated => println!("the store has version {}, the latest", answer.version),
            0 => println!("the store has version {}, the latest; nothing to migrate", answer.version),
            1 => {
                println!("pinned the trust of 1 entry to its words; the store has version {}", answer.version)
            }
            count => {
                println!(
                    "pinned the trust of {count} entries to their words; the store has version {}",
                    answer.version
                );
            }
        }
    }
}
