//! `ken`: parse, call one operation, render.

mod args;
#[allow(dead_code, reason = "plain strokes are drawn in tests alone")]
mod chart;
mod commands;
mod completion;
mod demo;
mod dispatch;
mod editor;
mod form;
mod grammar;
mod limits;
mod listing;
mod output;
mod pager;
mod suggestions;
mod terminal;
mod words;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::output::{Output, exit};

/// A quarter of what a command does is allocating: taking texts apart, reading JSON, folding events.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if completion::answer() {
        return ExitCode::SUCCESS;
    }
    outlive_file_limits();
    let code = dispatch::run(args::with_excluded_words(std::env::args_os()));
    pager::release();
    match output::lost() {
        None => ExitCode::from(code),
        Some(why) => {
            let message = format!("the output could not be written: {why}");
            Output { json: false, quiet: false }.say_error(
                "failed",
                &message,
                Some("the command itself completed; run it again to see its output"),
                None,
                &[],
            );
            ExitCode::from(exit::FAILED)
        }
    }
}

/// A file that may not grow (`ulimit -f`) ends a process without a word, unless it listens to that signal: then the write fails, and that
/// is told. Programs that are started from here get the signal as before.
fn outlive_file_limits() {
    #[cfg(unix)]
    drop(signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Default::default()));
}

/// Says what is wrong with the words of the command line; help and version are not wrong.
fn usage(error: &clap::Error) -> u8 {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            if std::env::args_os().all(|word| word != "--no-pager") {
                pager::hold();
            }
            output::print(format_args!("{}", error.render().ansi().to_string().trim_end()));
            exit::OK
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            exit::USAGE
        }
        kind => {
            let words: Vec<String> =
                std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
            let known = command();
            let verb = words.iter().find(|word| known.find_subcommand(word).is_some());
            let is_hook = verb.is_some_and(|verb| verb == "hook");
            let output = Output { json: !is_hook && words.iter().any(|word| word == "--json"), quiet: false };
            let context = |kind: ContextKind| match error.get(kind) {
                Some(ContextValue::String(text)) => Some(text.clone()),
                Some(ContextValue::Strings(texts)) => texts.first().cloned(),
                _ => None,
            };
            let more = match verb {
                Some(verb) => format!("`ken {verb} --help` lists its options"),
                None => "`ken help --all` lists every command".to_owned(),
            };
            let near = |kind: ContextKind| {
                context(kind).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
            };
            let field = context(ContextKind::InvalidArg).or(context(ContextKind::InvalidSubcommand));
            let plain = error.render().to_string();
            let plain =
                plain.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            let message = match (kind, &field) {
                (ErrorKind::InvalidSubcommand, Some(word)) => {
                    let near = suggestions::proposed(word, verb.map(String::as_str)).unwrap_or_default();
                    format!("unknown command `{word}`{near}")
                }
                (ErrorKind::UnknownArgument, Some(word)) => {
                    let what = if word.starts_with('-') { "flag" } else { "argument" };
                    format!("unknown {what} `{word}`{}", near(ContextKind::SuggestedArg))
                }
                _ => plain.split_whitespace().collect::<Vec<_>>().join(" "),
            };
            let message = without_typed_secrets(message, &words);
            // `--limit <LIMIT>` is the field `limit`, `<IDS>...` is `ids`, `<--helpful|--not-helpful>` is `helpful`.
            let typed = |field: &String| !kenning::guard::contains_secret(field.trim_start_matches('-'));
            let field = field.filter(typed).map(|field| {
                let name = field.split([' ', '|']).next().unwrap_or_default();
                name.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
            });
            output.say_error("usage", &message, Some(&more), field.as_deref(), &[]);
            // To a host an exit code of 2 is a veto: words that an older or newer `ken` would know must not be one.
            if is_hook { exit::OK } else { exit::USAGE }
        }
    }
}

/// A message without the secrets among the words it quotes: in `--ghp_...` the dashes hide what stands behind them.
fn without_typed_secrets(mut message: String, words: &[String]) -> String {
    for part in words.iter().flat_map(|word| word.split('=')) {
        let part = part.trim_start_matches('-');
        if let std::borrow::Cow::Owned(clean) = kenning::guard::redact(part) {
            message = message.replace(part, &clean);
        }
    }
    message
}

/// The command line as clap knows it, for help and completions.
pub(crate) fn command() -> clap::Command {
    dispatch::command()
}
