//! The project's chores, run as `cargo xtask <command>`.
//!
//! A chore is a row of [`COMMANDS`]: a word, its arguments, one line of help and a function. To add one, write
//! a module and add a row. Nothing here ships with the product.

mod api;
mod bench;
mod browser;
mod clients;
mod context;
mod deny;
mod dist;
mod eval;
mod fuzz;
mod harness;
mod licence;
mod links;
mod nearest;
mod page;
mod pictures;
mod score;
mod test;
mod torture;
mod train;
mod train_harvest;
mod train_orders;

use std::process::ExitCode;

use context::{Context, Failure, Outcome};

struct Command {
    word: &'static str,
    arguments: &'static str,
    help: &'static str,
    run: fn(&Context, &[String]) -> Outcome,
}

/// Every chore, in the order `help` prints them.
const COMMANDS: &[Command] = &[
    Command {
        word: "test",
        arguments: "[--strict]",
        help: "everything a change must pass; --strict also fails on skipped tests",
        run: test::run,
    },
    Command {
        word: "clients",
        arguments: "",
        help: "the step of `test` in which the official MCP clients drive the server, alone",
        run: clients::run,
    },
    Command {
        word: "api",
        arguments: "[SECONDS]",
        help: "fuzz the HTTP API against its own document, with schemathesis",
        run: api::run,
    },
    Command {
        word: "browser",
        arguments: "",
        help: "the step of `test` in which Chromium drives the pages of `ken serve`, alone",
        run: browser::run,
    },
    Command {
        word: "torture",
        arguments: "[PART ...] [--hours H] [--seed N] [--write] | mcp --frames N [--seed N] [--ken FILE]",
        help: "the reliability programme: kills, simulated seeds, git histories, flipped bits, hostile entries, fuzzing; --write counts it on its page",
        run: torture::run,
    },
    Command {
        word: "fuzz",
        arguments: "[--smoke]",
        help: "every fuzz target for a minute; --smoke needs no nightly compiler",
        run: fuzz::run,
    },
    Command {
        word: "bench",
        arguments: "NAME [--quick] [--sizes N,N] [--ken PATH] [--write]",
        help: "time and room beside what the machine can do at best; --write keeps the table",
        run: bench::run,
    },
    Command {
        word: "eval",
        arguments: "NAME [--quick] [--write]",
        help: "how well entries are found, wrong texts stopped, changed code noticed, good entries believed; --write keeps the table",
        run: eval::run,
    },
    Command {
        word: "age",
        arguments: "[--quick] [--sizes N] [--to FOLDER] [--ken PATH] [--write]",
        help: "make a store as a busy team leaves it after five years, and say what it costs; --to keeps a clone of it",
        run: bench::age::chore,
    },
    Command {
        word: "score",
        arguments: "[--quick|--full] [--only NAME,...] [--ken PATH] [--check] [--write] | --build",
        help: "every bench and evaluation with its floor, on one page, and what got worse since the last one",
        run: score::run,
    },
    Command {
        word: "train",
        arguments: "guard [--folds] [--write]",
        help: "learn the weights of the scanner's model; --folds says how they do on what they never saw",
        run: train::run,
    },
    Command {
        word: "deny",
        arguments: "",
        help: "licences, banned crates and sources of all dependencies",
        run: deny::run,
    },
    Command {
        word: "links",
        arguments: "",
        help: "relative links and anchors of all Markdown files",
        run: links::run,
    },
    Command {
        word: "pictures",
        arguments: "[--check | --browser] [--ken FILE]",
        help: "make the pictures of docs/pictures from the output of `ken`; --check only compares, --browser makes the screenshots",
        run: pictures::run,
    },
    Command {
        word: "dist",
        arguments: "",
        help: "build the release binary, static on Linux, and print its size and checksum",
        run: dist::run,
    },
    Command { word: "help", arguments: "", help: "this list", run: help },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

fn dispatch(arguments: &[String]) -> Outcome {
    let (word, rest) = match arguments.split_first() {
        None => ("help", arguments),
        Some((first, rest)) if first == "--help" || first == "-h" => ("help", rest),
        Some((first, rest)) => (first.as_str(), rest),
    };
    match COMMANDS.iter().find(|command| command.word == word) {
        Some(command) => (command.run)(&Context::discover()?, rest),
        None => Err(Failure::Usage(unknown_command(word))),
    }
}

fn unknown_command(word: &str) -> String {
    let words: Vec<&str> = COMMANDS.iter().map(|command| command.word).collect();
    match nearest::nearest(word, &words) {
        Some(known) => {
            format!(
                "there is no command `{word}`; the nearest is `{known}`. `cargo xtask help` lists them all."
            )
        }
        None => format!("there is no command `{word}`; the commands are {}.", words.join(", ")),
    }
}

fn help(_context: &Context, _arguments: &[String]) -> Outcome {
    println!("usage: cargo xtask <command>\n");
    let calls: Vec<String> = COMMANDS
        .iter()
        .map(|command| format!("{} {}", command.word, command.arguments).trim_end().to_owned())
        .collect();
    let width = calls.iter().map(String::len).max().unwrap_or(0);
    for (call, command) in calls.iter().zip(COMMANDS) {
        println!("  {call:width$}  {}", command.help);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_command_names_the_nearest_known_one() {
        let message = unknown_command("tets");
        assert!(message.contains("the nearest is `test`"), "{message}");
        let message = unknown_command("zzzzzzzz");
        assert!(message.contains("the commands are test, "), "{message}");
    }

    #[test]
    fn an_unknown_command_exits_with_2() {
        let failure = dispatch(&["lnks".to_owned()]).unwrap_err();
        assert_eq!(failure.exit_code(), 2);
    }
}
