//! `ken`: parse, call one operation, render.

mod args;
mod commands;
mod content;
mod demo;
mod output;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::args::Cli;
use crate::output::{Output, exit};

fn main() -> ExitCode {
    // A reader that goes away (`ken list | head`) ends the command quietly.
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(usage(&error)),
    };
    let output = Output { json: cli.json, quiet: cli.quiet };
    match commands::run(cli, output) {
        Ok(code) => ExitCode::from(code),
        Err(error) => ExitCode::from(output.error(&error)),
    }
}

/// Says what is wrong with the words of the command line; help and version are not wrong.
fn usage(error: &clap::Error) -> u8 {
    use clap::error::ErrorKind;
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            exit::OK
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            exit::USAGE
        }
        _ => {
            let json = std::env::args().any(|word| word == "--json");
            let _ = error.print();
            if json {
                let text = error.to_string();
                let message =
                    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
                let hint = text.lines().find_map(|line| line.trim().strip_prefix("tip: ")).map(str::to_owned);
                let body = serde_json::json!({"error": {"code": "usage", "message": message, "hint": hint, "field": null}});
                anstream::println!("{body:#}");
            }
            exit::USAGE
        }
    }
}

/// The command line as clap knows it, for help and completions.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}
