//! What a shell completes: verbs and flags from the table, entries and labels from the store that is found from here.
//!
//! A shell starts `ken` with [`VARIABLE`] set and the words so far. Nothing is recorded then, and where the store cannot be read there is
//! nothing to offer.

use std::ffi::OsStr;

use clap::builder::ArgExt;
use clap::{Arg, Command, FromArgMatches};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use kenning::{Error, Result};

use crate::args::Cli;
use crate::commands::CommandLine;
use crate::limits::CANDIDATES_MAX;
use crate::output::{Output, cut};

/// The variable that a shell's completion script sets.
const VARIABLE: &str = "KEN_COMPLETE";
/// Characters of a title beside a candidate.
const TITLE_CHARS: usize = 60;

/// Answers a shell that asks what could come next. Says whether one did.
pub(crate) fn answer() -> bool {
    let words = std::env::args_os();
    let here = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(command).var(VARIABLE).try_complete(words, here.as_deref());
    // A shell shows errors in the middle of a line that somebody types: rather nothing.
    asked.unwrap_or(true)
}

/// The script that makes a shell ask.
pub(crate) fn script(name: &str) -> Result<String> {
    let doing = "writing the completion script";
    let shells = Shells::builtins();
    let shell =
        shells.completer(name).ok_or_else(|| Error::failed(doing)(format!("no script for {name}")))?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "ken", "ken", "ken", &mut script).map_err(Error::failed(doing))?;
    Ok(String::from_utf8_lossy(&script).trim().to_owned())
}

/// The command line, with what completes its entries and labels.
fn command() -> Command {
    with_candidates(crate::command(), "")
}

fn with_candidates(command: Command, path: &str) -> Command {
    let command = command.mut_args(|argument| match source(path, &argument) {
        Some(source) => argument.add(source.completer()),
        None => argument,
    });
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        with_candidates(below, path.trim_start())
    })
}

/// Where the values of an argument come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Entries,
    Tags,
    Domains,
}

/// What an argument of a verb takes, if it is something that the store knows.
fn source(verb: &str, argument: &Arg) -> Option<Source> {
    let name = argument.get_id().as_str();
    let names_id = argument.get_value_names().is_some_and(|names| names.iter().any(|name| name == "ID"));
    match (argument.is_positional(), name) {
        (true, "tags") | (false, "tag" | "untag") => Some(Source::Tags),
        (false, "remove") if verb == "tag" => Some(Source::Tags),
        (false, "domain") => Some(Source::Domains),
        (false, "entry" | "used" | "wrong") if names_id => Some(Source::Entries),
        (true, "from" | "to") if verb == "link" => Some(Source::Entries),
        (true, "other") if verb == "merge" => Some(Source::Entries),
        // Below some families an id is one of their own: of a proposal, a run, something staged.
        (true, "id" | "ids" | "entry" | "old" | "new" | "used") if !has_own_ids(verb) => {
            Some(Source::Entries)
        }
        _ => None,
    }
}

/// Whether the ids that a verb takes are no entries.
fn has_own_ids(verb: &str) -> bool {
    kenning::table::find(verb).is_some_and(|row| row.own_ids)
}

impl Source {
    fn completer(self) -> impl ArgExt + Into<ArgValueCompleter> {
        ArgValueCompleter::new(move |typed: &OsStr| {
            let typed = typed.to_string_lossy().into_owned();
            self.candidates(&typed).unwrap_or_default()
        })
    }

    /// What begins with the typed word. Entries are offered by their handles, and by their ids once those are typed.
    fn candidates(self, typed: &str) -> Result<Vec<CompletionCandidate>> {
        let ken = reader()?;
        let glances = ken.ledger.glances()?;
        let begins = |word: &str| word.to_lowercase().starts_with(&typed.to_lowercase());
        let mut found: Vec<(String, String)> = Vec::new();
        for glance in glances.iter().filter(|glance| !glance.hidden) {
            match self {
                Source::Entries => {
                    let title = cut(&glance.title, TITLE_CHARS);
                    let names = [&glance.handle, &glance.id];
                    found.extend(
                        names.into_iter().find(|name| begins(name)).map(|name| (name.clone(), title)),
                    );
                }
                Source::Tags => found.extend(glance.tags.iter().map(|tag| (tag.to_string(), String::new()))),
                Source::Domains => {
                    found.extend(glance.domains.iter().map(|tag| (tag.to_string(), String::new())));
                }
            }
        }
        found.retain(|(word, _)| begins(word));
        found.sort();
        found.dedup();
        found.truncate(CANDIDATES_MAX);
        let candidate = |(word, about): (String, String)| {
            CompletionCandidate::new(word).help((!about.is_empty()).then(|| about.into()))
        };
        Ok(found.into_iter().map(candidate).collect())
    }
}

/// The store that the words so far mean, for reading alone.
fn reader() -> Result<kenning::Reach> {
    use clap::CommandFactory;
    let matches = Cli::command().get_matches_from(["ken"]);
    let mut cli = Cli::from_arg_matches(&matches).map_err(Error::failed("reading the command line"))?;
    cli.global = std::env::args_os().any(|word| word == "--global");
    let line = CommandLine { cli, output: Output { json: false, quiet: true }, person: None };
    let mut session = line.session()?;
    session.options.read_only = true;
    session.open_quietly()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source_of(verb: &[&str], argument: &str) -> Option<Source> {
        let mut command = crate::command();
        for word in verb {
            command = command.find_subcommand(word).unwrap().clone();
        }
        let found = command.get_arguments().find(|known| known.get_id() == argument);
        let found = found.unwrap_or_else(|| panic!("{verb:?} has no {argument}")).clone();
        source(&verb.join(" "), &found)
    }

    #[test]
    fn arguments_that_take_entries_and_labels_are_known() {
        for (verb, argument, expected) in [
            (&["show"][..], "ids", Some(Source::Entries)),
            (&["supersede"], "new", Some(Source::Entries)),
            (&["link"], "to", Some(Source::Entries)),
            (&["merge"], "other", Some(Source::Entries)),
            (&["digest", "reweave"], "entry", Some(Source::Entries)),
            (&["task", "finish"], "used", Some(Source::Entries)),
            (&["tag"], "tags", Some(Source::Tags)),
            (&["list"], "tag", Some(Source::Tags)),
            (&["edit"], "untag", Some(Source::Tags)),
            (&["list"], "domain", Some(Source::Domains)),
            (&["promote", "approve"], "promotion", None),
            (&["add"], "from", None),
            (&["link"], "relation", None),
        ] {
            assert_eq!(source_of(verb, argument), expected, "{verb:?} {argument}");
        }
    }
}
