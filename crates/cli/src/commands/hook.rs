//! `ken hook`: answers an agent's host, which must never fail or wait because of it.

use std::io::Write;

use kenning::session::{HookOutcome, answer_hook};
use kenning::{Identity, Options, Result};

use super::local::Hook;
use super::{CommandLine, Shown};
use crate::args::HookArgs;
use crate::output::{eprintln, exit};

impl Shown for Hook {
    fn start(line: &CommandLine, request: HookArgs) -> Result<u8> {
        Ok(hook(&request, line.options(), kenning::environment::identity()))
    }
}

/// Answers a hook. Whatever happens, the host goes on: exit codes mean something to it.
fn hook(args: &HookArgs, options: Result<Options>, identity: Result<Identity>) -> u8 {
    if !args.debug {
        // Some hosts take what is said on standard error for an answer.
        std::panic::set_hook(Box::new(|_| {}));
    }
    let outcome = match options.and_then(|options| Ok((options, identity?))) {
        Ok((options, identity)) => answer_hook(
            &kenning::Product,
            options,
            identity,
            &args.event,
            args.host.as_deref(),
            std::io::stdin(),
        ),
        Err(error) => HookOutcome { said: None, did: vec![error.to_string()] },
    };
    if let Some(said) = &outcome.said {
        // A host that hung up has no use for the answer.
        let mut out = std::io::stdout().lock();
        drop(writeln!(out, "{said}").and_then(|()| out.flush()));
    }
    if args.debug {
        for line in &outcome.did {
            eprintln!("{line}");
        }
    }
    exit::OK
}
