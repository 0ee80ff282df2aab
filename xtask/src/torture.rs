//! `cargo xtask torture`: the scenarios that kill the binary at random moments, in a release build, and frames that no client should
//! send to its server.

mod mcp;

use crate::context::{Context, Failure, Outcome, capture, failed, show};
use crate::dist;

/// What the test binary is asked for: every test with `torture` in its name.
const TESTS: [&str; 7] = ["test", "--release", "-p", "ken-cli", "--test", "scenarios", "torture"];

/// Two hundred checks of stores that four others write to.
const CHECKS: [&str; 9] =
    ["test", "--release", "-p", "ken-store", "--test", "main", "two_hundred_checks", "--", "--ignored"];

/// Frames of a run with every change.
const SMOKE_FRAMES: usize = 1_000;

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    if let Some((first, rest)) = arguments.split_first()
        && first == "mcp"
    {
        return mcp::run(context, rest);
    }
    let request = parse(arguments)?;
    mcp::run(context, &[])?;

    show(&mut context.cargo(TESTS.into_iter().chain(["--no-run"])))?;
    // A filter that matches nothing passes, so ask for the names first.
    let names = capture(&mut context.cargo(TESTS.into_iter().chain(["--", "--list"])))?;
    if !names.lines().any(|line| line.ends_with(": test")) {
        return failed("no test in crates/cli/tests/scenarios has `torture` in its name");
    }

    let mut command = context.cargo(TESTS.into_iter().chain(["--", "--nocapture"]));
    command.args(&request.passed_on).env("KEN_TORTURE", "1");
    if let Some(rounds) = request.rounds {
        command.env("KEN_TORTURE_ROUNDS", rounds.to_string());
    }
    show(&mut command)?;
    show(&mut context.cargo(CHECKS))
}

/// Enough frames to notice a server that cannot stand them, few enough to run with every change.
pub(crate) fn smoke(context: &Context) -> Outcome {
    show(&mut context.cargo(["build", "--quiet", "-p", "ken-cli"]))?;
    let ken = dist::target_folder(context)?.join(format!("debug/ken{}", std::env::consts::EXE_SUFFIX));
    mcp::run(context, &[format!("--frames={SMOKE_FRAMES}"), format!("--ken={}", ken.display())])
}

/// What was asked for. Without `rounds` the tests choose.
#[derive(Debug, PartialEq)]
struct Request {
    rounds: Option<u32>,
    passed_on: Vec<String>,
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let mut request = Request { rounds: None, passed_on: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let value = match argument.strip_prefix("--rounds") {
            Some("") => rest.next().map(String::as_str).unwrap_or(""),
            Some(value) if value.starts_with('=') => &value[1..],
            Some(_) | None => {
                request.passed_on.push(argument.clone());
                continue;
            }
        };
        match value.parse() {
            Ok(rounds) if rounds > 0 => request.rounds = Some(rounds),
            Ok(_) | Err(_) => {
                return Err(Failure::Usage(format!(
                    "`--rounds` takes a whole number above 0, but was given `{value}`"
                )));
            }
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Result<Request, Failure> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn rounds_are_read_and_the_rest_is_passed_on() {
        let request = asked("--rounds 200 --test-threads=1").unwrap();
        assert_eq!(request, Request { rounds: Some(200), passed_on: vec!["--test-threads=1".to_owned()] });
        assert_eq!(asked("--rounds=7").unwrap().rounds, Some(7));
        assert_eq!(asked("").unwrap().rounds, None);
    }

    #[test]
    fn rounds_that_are_no_number_are_refused() {
        for line in ["--rounds", "--rounds many", "--rounds 0"] {
            assert_eq!(asked(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }
}
