//! The step `api`: schemathesis sends the HTTP API of the `ken` that was just built what its document says, and what it does not say.
//!
//! It is installed below `target/api`, in the versions that the lock file in `tests/api` names. Where it cannot be had the step says so and is
//! skipped.

use std::process::{Command, Stdio};

use crate::clients;
use crate::context::{Context, Failure, Outcome, failed, show};
use crate::test::SkipLog;

/// The script and the lock file.
pub(crate) const SCRIPTS: &str = "tests/api";

/// `cargo xtask api [SECONDS]`.
pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    let seconds = match arguments {
        [] => None,
        [seconds] if seconds.parse::<u32>().is_ok() => Some(seconds.as_str()),
        _ => return failed("`api` takes the seconds that it may take, and nothing else"),
    };
    fuzz(context, &SkipLog::create()?, seconds)
}

pub(crate) fn drive(context: &Context, skip_log: &SkipLog) -> Outcome {
    fuzz(context, skip_log, None)
}

fn fuzz(context: &Context, skip_log: &SkipLog, seconds: Option<&str>) -> Outcome {
    let ken = clients::build(context)?;
    let folder = clients::target_folder(context)?.join("api");
    match clients::python(context, SCRIPTS, &folder) {
        Ok(python) => {
            let mut command = Command::new(python);
            command
                .arg(context.root.join(SCRIPTS).join("fuzz.py"))
                .arg(&ken)
                .args(seconds)
                .stdin(Stdio::null());
            show(&mut command)
        }
        Err(Failure::Failed(why) | Failure::Usage(why)) => {
            skip_log.note(&format!("the HTTP API was not fuzzed: {why}"))
        }
    }
}
