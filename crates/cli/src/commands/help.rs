//! Verbs that work without a store and in any environment: `help`, `completions`, `demo` and `parse-worker`.

use kenning::core::{Code, Refusal};
use kenning::verb::Group;
use kenning::{Error, Result};

use super::local::{Completions, Demo, Help, ParseWorker};
use super::{CommandLine, Shown};
use crate::args::{CompletionArgs, DemoArgs, HelpArgs};
use crate::output::{bold, exit, println};
use crate::suggestions;
use crate::{demo, dispatch};

impl Shown for Help {
    fn start(_: &CommandLine, request: HelpArgs) -> Result<u8> {
        help(request.verb.as_deref())
    }
}

impl Shown for Completions {
    fn start(_: &CommandLine, request: CompletionArgs) -> Result<u8> {
        let mut script = Vec::new();
        clap_complete::generate(request.shell, &mut crate::command(), "ken", &mut script);
        println!("{}", String::from_utf8_lossy(&script).trim_end());
        Ok(exit::OK)
    }
}

impl Shown for Demo {
    fn start(_: &CommandLine, request: DemoArgs) -> Result<u8> {
        demo::run(&request.chapter, request.keep)
    }
}

impl Shown for ParseWorker {
    fn start(_: &CommandLine, (): ()) -> Result<u8> {
        kenning::parse_worker().map(|()| exit::OK).map_err(Error::failed("reading code"))
    }
}

/// Started by `ken` itself; nobody types it.
const PARSE_WORKER: &str = "parse-worker";

/// The everyday verbs.
pub(crate) fn short() {
    let _ = crate::command().print_help();
    println!("\n`ken help all` lists every verb.");
}

fn help(verb: Option<&str>) -> Result<u8> {
    let mut command = crate::command();
    match verb {
        None => short(),
        Some("all") => {
            let entries = dispatch::entries();
            for group in Group::ALL {
                println!("{}", bold(group.title()));
                let mut named = Vec::new();
                for row in entries.iter().map(|entry| &entry.row).filter(|row| row.group == group) {
                    let verb = row.name.split(' ').next().unwrap_or_default();
                    if named.contains(&verb) || verb == PARSE_WORKER {
                        continue;
                    }
                    named.push(verb);
                    let about = command.find_subcommand(verb).and_then(|sub| sub.get_about());
                    println!("  {verb:<12} {}", about.map(ToString::to_string).unwrap_or_default());
                }
                println!();
            }
            println!("`ken VERB --help` says more about one of them.");
        }
        Some(word) => match command.find_subcommand_mut(word) {
            Some(sub) => {
                let mut sub = sub.clone().name("ken").bin_name(format!("ken {word}"));
                let _ = sub.print_long_help();
            }
            None => {
                let near = suggestions::proposed(word).unwrap_or_default();
                return Err(Refusal::new(Code::Invalid, format!("there is no verb {word:?}{near}"))
                    .hint("`ken help all` lists every verb")
                    .field("verb")
                    .into());
            }
        },
    }
    Ok(exit::OK)
}
