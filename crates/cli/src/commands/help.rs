//! Help: the dozen everyday verbs, every verb by what a person wants to do, or one verb.

use kenning::Result;
use kenning::core::words::nearest;
use kenning::core::{Code, Refusal};

use crate::args::GROUPS;
use crate::output::{Output, bold, exit, println};

/// The everyday verbs.
pub(crate) fn short() {
    let _ = crate::command().print_help();
    println!("\n`ken help all` lists every verb.");
}

pub(super) fn help(verb: Option<&str>, _output: Output) -> Result<u8> {
    let mut command = crate::command();
    match verb {
        None => short(),
        Some("all") => {
            for (title, verbs) in GROUPS {
                println!("{}", bold(title));
                for verb in *verbs {
                    let about = command
                        .find_subcommand(verb)
                        .and_then(|sub| sub.get_about())
                        .map(ToString::to_string)
                        .unwrap_or_default();
                    println!("  {verb:<12} {about}");
                }
                println!();
            }
            println!("`ken VERB --help` says more about one of them.");
        }
        Some(word) => {
            let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
            match command.find_subcommand_mut(word) {
                Some(sub) => {
                    let mut sub = sub.clone().name("ken").bin_name(format!("ken {word}"));
                    let _ = sub.print_long_help();
                }
                None => {
                    let near = nearest(word, names.iter().map(String::as_str))
                        .map(|near| format!("did you mean `{near}`? "))
                        .unwrap_or_default();
                    return Err(Refusal::new(
                        Code::Invalid,
                        format!("there is no verb {word:?}; {near}`ken help all` lists every one"),
                    )
                    .field("verb")
                    .into());
                }
            }
        }
    }
    Ok(exit::OK)
}
