//! From words to a verb: the commands that the table makes, and running the one that was typed.

use std::ffi::OsString;

use clap::{ArgMatches, CommandFactory, FromArgMatches};
use kenning::request::{Request, fields_of, typed};
use kenning::table::FAMILIES;
use kenning::verb::{Family, Row, row};
use kenning::{Error, Part, Place, Result};

use crate::args::Cli;
use crate::commands::{CommandLine, Shown, database, help, status};
use crate::grammar;
use crate::output::{Output, on_terminal};
use crate::pager;
use crate::terminal;
use crate::words;

/// A verb of the command line.
pub(crate) struct Entry {
    pub(crate) row: Row,
    only_reads: fn(&ArgMatches) -> bool,
    start: fn(&CommandLine, &ArgMatches) -> Result<u8>,
}

fn entry<V: Shown>() -> Entry {
    Entry { row: row::<V>(), only_reads: only_reads::<V>, start: start::<V> }
}

fn request<R: Request>(matches: &ArgMatches) -> Result<R> {
    typed(grammar::given(matches, &fields_of::<R>()))
}

fn only_reads<V: Shown>(matches: &ArgMatches) -> bool {
    request::<V::Request>(matches).is_ok_and(|request| V::only_reads(&request))
}

fn start<V: Shown>(line: &CommandLine, matches: &ArgMatches) -> Result<u8> {
    V::start(line, request::<V::Request>(matches)?)
}

macro_rules! entries {
    ($($verb:ident),* $(,)?) => { vec![$(entry::<$verb>()),*] };
}

/// Every verb: those of the library, and after `init` those that are about this program alone.
pub(crate) fn entries() -> Vec<Entry> {
    use kenning::table::*;

    use crate::commands::local::*;
    let mut all: Vec<Entry> = kenning::for_each_verb!(entries);
    let local: Vec<Entry> = crate::for_each_local_verb!(entries);
    all.splice(1..1, local);
    #[cfg(feature = "postgres")]
    all.extend([entry::<AdminMigrate>(), entry::<AdminAudit>(), entry::<AdminWorkspace>()]);
    all
}

/// The command line as clap knows it.
pub(crate) fn command() -> clap::Command {
    command_of(&entries(), &|_| true)
}

/// The command line with what the `typed` verbs take. Of the others it knows the name and what they do: enough to list them, and a
/// command builds none of the flags that it does not need.
fn command_of(entries: &[Entry], typed: &dyn Fn(&Row) -> bool) -> clap::Command {
    let verb = |row: &Row| match typed(row) {
        true => with_example(with_modes(grammar::command(row), row, entries), row.example),
        false => grammar::outline(row),
    };
    // Parents come first: a verb with verbs below it is there before they are.
    let (below, above): (Vec<&Row>, Vec<&Row>) =
        entries.iter().map(|entry| &entry.row).partition(|row| row.path().len() > 1);
    let is_unlisted = |row: &Row| row.mode().is_some() || help::UNLISTED.contains(&row.name);
    let command = Cli::command().subcommands(above.into_iter().map(|row| verb(row).hide(is_unlisted(row))));
    below.into_iter().fold(command, |command, row| with_verb_below(command, row, verb(row)))
}

/// The flags of a verb that make another one of it. They are seen before anything else is read ([`words::read`]).
fn with_modes(command: clap::Command, row: &Row, entries: &[Entry]) -> clap::Command {
    let modes = entries.iter().filter_map(|entry| Some((entry.row.mode()?, entry.row.about)));
    let flags = modes.filter(|((base, _), _)| *base == row.name).map(|((_, flag), about)| {
        clap::Arg::new(flag).long(flag).help(about).action(clap::ArgAction::SetTrue).help_heading("Instead")
    });
    command.args(flags.collect::<Vec<_>>())
}

/// The help of a verb ends with an example.
fn with_example(command: clap::Command, example: &str) -> clap::Command {
    let example = format!("Example:\n  {example}");
    let text = match command.get_after_help() {
        Some(text) => format!("{text}\n\n{example}"),
        None => example,
    };
    command.after_help(text)
}

fn with_verb_below(command: clap::Command, row: &Row, verb: clap::Command) -> clap::Command {
    let parent = row.path()[0];
    let command = match command.find_subcommand(parent) {
        Some(_) => command,
        None => command.subcommand(family(parent)),
    };
    command.mut_subcommand(parent, |parent| {
        let acts_itself = !parent.is_subcommand_required_set();
        parent
            .subcommand(verb)
            .disable_help_subcommand(true)
            .args_conflicts_with_subcommands(acts_itself)
            .subcommand_negates_reqs(acts_itself)
    })
}

/// A word that only has verbs below it.
fn family(name: &str) -> clap::Command {
    let Family { name, about } = family_of(name);
    clap::Command::new(*name).about(*about).subcommand_required(true).arg_required_else_help(true)
}

#[cfg(feature = "postgres")]
static ADMIN: Family = Family::new("admin", "Look after a PostgreSQL database of workspaces");

/// The row of a word that only has verbs below it.
pub(crate) fn family_of(name: &str) -> &'static Family {
    #[cfg(feature = "postgres")]
    if name == ADMIN.name {
        return &ADMIN;
    }
    FAMILIES.iter().find(|family| family.name == name).expect("every family of verbs is in the table")
}

/// Runs the verb that was typed. What only a person may do is put to the person at the terminal, and then done in their name.
pub(crate) fn run(words: Vec<OsString>) -> u8 {
    let entries = entries();
    let rows: Vec<Row> = entries.iter().map(|entry| entry.row).collect();
    let words::Read { words, former } = words::read(words, &rows);
    let typed = |row: &Row| {
        let is_word = |part: &str| words.iter().any(|word| word == part);
        row.path().into_iter().any(is_word) || row.name.split(' ').any(is_word)
    };
    let mut command = command_of(&entries, &typed);
    if words.iter().any(|word| word == "-h" || word == "--help") {
        command = command.override_help(help::overview(&rows));
    }
    let matches = match command.try_get_matches_from(&words) {
        Ok(matches) => matches,
        Err(error) => return crate::usage(&error),
    };
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return crate::usage(&error),
    };
    let Some((name, typed)) = named(&matches) else {
        let output = Output { json: cli.json, quiet: cli.quiet };
        let line = CommandLine { cli, output, person: None };
        return status::alone(&line).unwrap_or_else(|error| output.error(&error));
    };
    // The alias group speaks JSON to everything that is not a terminal.
    let alias = name.starts_with("knowledge ") && !on_terminal();
    let output = Output { json: cli.json || alias, quiet: cli.quiet };
    if let Some(former) = former {
        output.note(&format!("`ken {former}` is now `ken {name}`"));
    }
    let line = CommandLine { cli, output, person: None };
    let entry = entries.iter().find(|entry| entry.row.name == name).expect("clap knows no other verb");
    // What writes may ask questions on the way, and programs read JSON.
    let is_read = name == "help" || (entry.only_reads)(typed);
    if is_read && !output.json && !line.cli.no_pager {
        pager::hold();
    }
    let done = started(entry, &line, typed);
    if !(entry.only_reads)(typed) {
        database::record(&line, &name, &done);
    }
    done.unwrap_or_else(|error| output.error(&error))
}

fn started(entry: &Entry, line: &CommandLine, typed: &ArgMatches) -> Result<u8> {
    match (entry.start)(line, typed) {
        Err(Error::Damaged(Part::Index, _)) if (entry.only_reads)(typed) => {
            line.output.note("the index was damaged and is being rebuilt");
            kenning::discard_index(&line.options()?);
            (entry.start)(line, typed)
        }
        Err(error) => {
            let (options, identity) = (line.options()?, kenning::environment::identity()?);
            let layout = options.find();
            let git = layout.as_ref().and_then(|layout| layout.git.as_ref());
            match terminal::confirm_refused(&identity, &Place { git, from: &options.from }, &error)? {
                Some(person) => (entry.start)(&CommandLine { person: Some(person), ..line.clone() }, typed),
                None => Err(error),
            }
        }
        answer => answer,
    }
}

/// The verb that was named, and what was typed of it.
fn named(matches: &ArgMatches) -> Option<(String, &ArgMatches)> {
    let (first, below) = matches.subcommand()?;
    Some(match below.subcommand() {
        Some((second, words)) => (format!("{first} {second}"), words),
        None => (first.to_owned(), below),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most characters that fit on a line of help beside the name of a command or flag.
    const HELP_CHARS_MAX: usize = 90;

    /// Why a help text is not one clear line; nothing where it is one.
    fn fault(help: &str) -> Option<&'static str> {
        match help.chars().next() {
            None => Some("is empty"),
            Some(first) if !(first.is_uppercase() || first == '`') => Some("starts without a capital letter"),
            _ if help.contains('\n') => Some("has several lines"),
            _ if help.ends_with(['.', ';', ':', ',']) && !help.ends_with(" ...") => {
                Some("ends with punctuation")
            }
            _ if help.chars().count() > HELP_CHARS_MAX => Some("is too long"),
            _ => None,
        }
    }

    fn faults(command: &clap::Command, path: &str, found: &mut Vec<String>) {
        let name = format!("{path} {}", command.get_name());
        let mut look = |what: &str, help: Option<&clap::builder::StyledStr>| {
            let help = help.map(ToString::to_string).unwrap_or_default();
            found.extend(fault(&help).map(|why| format!("{name}{what} {why}: {help:?}")));
        };
        look("", command.get_about());
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            look(&format!(" {}", argument.get_id()), argument.get_help());
            assert!(
                argument.get_long_help().is_none(),
                "{name} {}: one line of help is enough",
                argument.get_id()
            );
        }
        for below in command.get_subcommands() {
            faults(below, &name, found);
        }
    }

    #[test]
    fn every_verb_and_every_flag_has_help_of_one_clear_line() {
        for unclear in ["", "take no meanings", "Search.", "One.\nTwo", &"A".repeat(HELP_CHARS_MAX + 1)] {
            assert!(fault(unclear).is_some(), "{unclear:?}");
        }
        let mut found = Vec::new();
        faults(&command(), "", &mut found);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn every_setting_has_help_of_one_clear_line() {
        let settings = kenning::config::SETTINGS.iter().map(|setting| (setting.key, setting.about));
        let families = kenning::config::FAMILIES.iter().map(|family| (family.name, family.about));
        let found = settings.chain(families).filter_map(|(key, about)| Some((key, fault(about)?, about)));
        assert_eq!(found.collect::<Vec<_>>(), vec![]);
    }

    /// The words of an example, as a shell splits them.
    fn typed(example: &str) -> Vec<OsString> {
        let commands = ken_shell::commands(example);
        commands.into_iter().flat_map(|command| command.words).map(OsString::from).collect()
    }

    #[test]
    fn every_verb_has_an_example_that_parses() {
        let mut faults = Vec::new();
        for entry in entries() {
            let name = entry.row.name;
            let example = entry.row.example;
            let rows: Vec<Row> = entries().iter().map(|entry| entry.row).collect();
            let typed = words::read(typed(example), &rows).words;
            match command().try_get_matches_from(typed) {
                Ok(matches) if named(&matches).is_some_and(|(verb, _)| verb == name) => {}
                Ok(_) => faults.push(format!("`{example}` is not an example of `{name}`")),
                Err(error) => faults.push(format!("`{example}`: {error}")),
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
