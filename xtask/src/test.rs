//! `cargo xtask test`: everything a change must pass, in order, stopping at the first failure.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::context::{Context, Failure, Outcome, add_flags, capture, failed, show};
use crate::{api, browser, clients, deny, fuzz, links, torture};

/// One thing that must hold. The list is the order they run in: cheap and decisive first.
struct Step {
    name: &'static str,
    run: fn(&Context, &SkipLog) -> Outcome,
}

const STEPS: &[Step] = &[
    Step { name: "tools", run: |context, _| tools(context) },
    Step { name: "format", run: |context, _| show(&mut context.cargo(["fmt", "--all", "--check"])) },
    Step { name: "clippy", run: |context, _| clippy(context) },
    Step { name: "tests", run: tests },
    Step { name: "clients", run: clients::drive },
    Step { name: "api", run: api::drive },
    Step { name: "browser", run: browser::drive },
    Step { name: "docs", run: |context, _| docs(context) },
    Step { name: "links", run: |context, _| links::check_repository(context) },
    Step { name: "deny", run: |context, _| deny::check(context) },
    Step { name: "fuzz smoke", run: |context, _| fuzz::smoke(context) },
    Step { name: "mcp smoke", run: |context, _| torture::smoke(context) },
    // Last: the binary that it leaves has a few more words than the other steps expect.
    Step { name: "PostgreSQL", run: with_postgres },
];

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    let mut strict = false;
    for argument in arguments {
        match argument.as_str() {
            "--strict" => strict = true,
            other => {
                return Err(Failure::Usage(format!("`test` takes only `--strict`, but was given `{other}`")));
            }
        }
    }

    let skip_log = SkipLog::create()?;
    let mut taken: Vec<(&str, Duration)> = Vec::new();
    for (number, step) in STEPS.iter().enumerate() {
        println!("\n== {}/{} {}", number + 1, STEPS.len(), step.name);
        let begun = Instant::now();
        let outcome = (step.run)(context, &skip_log);
        let seconds = begun.elapsed();
        if let Err(failure) = outcome {
            return failed(format!(
                "step `{}` failed after {:.1} s: {failure}",
                step.name,
                seconds.as_secs_f64()
            ));
        }
        println!("== {}: {:.1} s", step.name, seconds.as_secs_f64());
        taken.push((step.name, seconds));
    }

    println!("\n{}", table(&taken));
    let skips = skip_log.read()?;
    println!("{}", skip_line(&skips));
    if strict && !skips.is_empty() {
        return failed("tests were skipped, and --strict allows none");
    }
    Ok(())
}

/// Makes sure that the programs which the other steps call are there.
fn tools(context: &Context) -> Outcome {
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        let present = || capture(&mut context.cargo([subcommand, "--version"]));
        if present().is_err() {
            println!("{component} is missing; trying `rustup component add {component}`");
            let added = show(&mut context.program("rustup", ["component", "add", component]));
            if added.is_err() || present().is_err() {
                return failed(format!(
                    "{component} is missing and could not be added; install it with `rustup component add {component}`, \
                     or take it from where your Rust toolchain came from"
                ));
            }
        }
    }
    match capture(&mut context.program("git", ["--version"])) {
        Ok(version) => {
            println!("rustfmt, clippy, {}", version.trim());
            Ok(())
        }
        Err(_) => failed("git is missing; tests create repositories with it. Install the package `git`"),
    }
}

fn clippy(context: &Context) -> Outcome {
    show(&mut context.cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// Unit, integration and documentation tests. Plain `cargo test` covers all three; `--all-targets` would
/// leave the documentation tests out.
/// A change passes or fails for what it changed: properties try the same inputs each time here, unless a seed is given. `cargo test`
/// by itself tries others each time, and is how new failures are found.
fn tests(context: &Context, skip_log: &SkipLog) -> Outcome {
    let seed = std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| "20261117".to_owned());
    let mut command = context.cargo(["test", "--workspace", "--no-fail-fast"]);
    show(command.env("KEN_SKIP_LOG", skip_log.path()).env("PROPTEST_RNG_SEED", seed))
}

/// A `ken` with PostgreSQL: clippy sees what it adds, and its own tests run. Everything else is the same binary.
fn with_postgres(context: &Context, skip_log: &SkipLog) -> Outcome {
    let with = ["-p", "ken-cli", "--features", "postgres"];
    let mut clippy = context.cargo(["clippy", "--bin", "ken", "--test", "postgres"]);
    show(clippy.args(with).args(["--", "-D", "warnings"]))?;
    let mut tests = context.cargo(["test", "--test", "postgres"]);
    show(tests.args(with).env("KEN_SKIP_LOG", skip_log.path()))
}

fn docs(context: &Context) -> Outcome {
    let mut command = context.cargo(["doc", "--workspace", "--no-deps"]);
    add_flags(&mut command, "RUSTDOCFLAGS", "-D warnings");
    show(&mut command)
}

/// The file to which a test that cannot run here appends one line saying why. Removed when dropped.
pub(crate) struct SkipLog {
    path: PathBuf,
}

impl SkipLog {
    pub(crate) fn create() -> Result<SkipLog, Failure> {
        let path = std::env::temp_dir().join(format!("ken-skips-{}.log", std::process::id()));
        match std::fs::write(&path, "") {
            Ok(()) => Ok(SkipLog { path }),
            Err(error) => failed(format!("cannot create the skip log {}: {error}", path.display())),
        }
    }

    fn path(&self) -> &Path {
        &self.path
    }

    /// Says loudly that something was skipped, and keeps the reason for the end.
    pub(crate) fn note(&self, why: &str) -> Outcome {
        use std::io::Write;
        // The end says every reason in one line.
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        println!("SKIPPED: {why}");
        let file = std::fs::OpenOptions::new().append(true).open(&self.path);
        match file.and_then(|mut file| writeln!(file, "{why}")) {
            Ok(()) => Ok(()),
            Err(error) => failed(format!("cannot write the skip log {}: {error}", self.path.display())),
        }
    }

    fn read(&self) -> Result<Vec<String>, Failure> {
        match std::fs::read_to_string(&self.path) {
            Ok(text) => Ok(parse_skips(&text)),
            Err(error) => failed(format!("cannot read the skip log {}: {error}", self.path.display())),
        }
    }
}

impl Drop for SkipLog {
    fn drop(&mut self) {
        // A leftover empty file in the temporary folder is not worth failing for.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// One reason per non-blank line; the prefix that tests print for people is dropped.
fn parse_skips(text: &str) -> Vec<String> {
    text.lines()
        .map(|line| line.trim().trim_start_matches("SKIPPED:").trim().to_owned())
        .filter(|reason| !reason.is_empty())
        .collect()
}

/// `skipped: 3 (no corpus x2; no model)`, in order of reason, so that two equal runs print equal lines.
fn skip_line(skips: &[String]) -> String {
    if skips.is_empty() {
        return "skipped: 0".to_owned();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in skips {
        *counts.entry(reason).or_default() += 1;
    }
    let reasons: Vec<String> = counts
        .iter()
        .map(|(reason, count)| if *count == 1 { (*reason).to_owned() } else { format!("{reason} x{count}") })
        .collect();
    format!("skipped: {} ({})", skips.len(), reasons.join("; "))
}

fn table(taken: &[(&str, Duration)]) -> String {
    let width = taken.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max("total".len());
    let mut lines = vec![format!("{:width$}  seconds", "step")];
    for (name, seconds) in taken {
        lines.push(format!("{name:width$}  {:7.1}", seconds.as_secs_f64()));
    }
    let total: Duration = taken.iter().map(|(_, seconds)| *seconds).sum();
    lines.push(format!("{:width$}  {:7.1}", "total", total.as_secs_f64()));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_step_skips_is_told_at_the_end() {
        let log = SkipLog::create().unwrap();
        log.note("no network:\n  npm could not be reached").unwrap();
        assert_eq!(skip_line(&log.read().unwrap()), "skipped: 1 (no network: npm could not be reached)");
    }

    #[test]
    fn skips_are_counted_and_equal_reasons_are_said_once() {
        let skips = parse_skips("SKIPPED: no corpus\n\nno model\nno corpus\n");
        assert_eq!(skip_line(&skips), "skipped: 3 (no corpus x2; no model)");
        assert_eq!(skip_line(&[]), "skipped: 0");
    }

    #[test]
    fn the_table_ends_with_the_total() {
        let shown = table(&[("format", Duration::from_millis(500)), ("clippy", Duration::from_secs(12))]);
        assert_eq!(shown, "step    seconds\nformat      0.5\nclippy     12.0\ntotal      12.5",);
    }
}
