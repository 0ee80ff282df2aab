//! Parts that are tests of the workspace: built once in a release build, told their time by the environment, and read by the report they write.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::parts::Part;
use super::{Bench, Budget, FailedTry, Figures, Run};
use crate::context::{Context, Failure, failed};

/// A test that calls `ken_testkit::torture` under the name of its part.
pub(super) struct SeededTest {
    pub(super) package: &'static str,
    pub(super) binary: &'static str,
    pub(super) test: &'static str,
}

/// The test binaries, by package and name.
pub(super) type Tests = BTreeMap<(String, String), PathBuf>;

/// What is built: the packages of all seeded tests with their test binaries, and with them `ken`.
const BUILD: [&str; 14] = [
    "test",
    "--release",
    "--no-run",
    "--message-format=json",
    "-p",
    "ken-cli",
    "-p",
    "ken-core",
    "-p",
    "ken-log-git",
    "--test",
    "scenarios",
    "--test",
    "main",
];

/// Builds `ken` and the test binaries of all seeded parts.
pub(super) fn build(context: &Context) -> Result<(PathBuf, Tests), Failure> {
    println!("building the release binary and the test binaries");
    let mut command = context.cargo(BUILD);
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Failure::Failed(format!("cannot start cargo: {error}")))?;
    if !output.status.success() {
        return failed("the release build failed");
    }
    let built = artifacts(&String::from_utf8_lossy(&output.stdout));
    let tests: Tests = built
        .iter()
        .filter(|((_, _, kind), _)| kind == "test")
        .map(|((package, name, _), path)| ((package.clone(), name.clone()), path.clone()))
        .collect();
    let ken = built.into_iter().find(|((_, name, kind), _)| name == "ken" && kind == "bin");
    match ken {
        Some((_, ken)) => Ok((ken, tests)),
        None => failed("the build made no binary `ken`"),
    }
}

/// Executables of a build, by package, target and kind.
fn artifacts(messages: &str) -> BTreeMap<(String, String, String), PathBuf> {
    let read = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        let path = PathBuf::from(message["executable"].as_str()?);
        let target = &message["target"];
        let manifest = PathBuf::from(message["manifest_path"].as_str()?);
        let folder = manifest.parent()?.file_name()?.to_string_lossy().into_owned();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Some(((format!("ken-{folder}"), text(&target["name"]), text(&target["kind"][0])), path))
    };
    messages.lines().filter_map(read).collect()
}

impl SeededTest {
    fn command(&self, bench: &Bench<'_>) -> Result<Command, Failure> {
        let key = (self.package.to_owned(), self.binary.to_owned());
        let Some(path) = bench.tests.get(&key) else {
            return failed(format!("the build made no test `{}` of {}", self.binary, self.package));
        };
        let mut command = bench.context.program(path, ["--exact", self.test, "--nocapture"]);
        let folder = self.package.trim_start_matches("ken-");
        command.current_dir(bench.context.root.join("crates").join(folder)).stdin(Stdio::null());
        Ok(command)
    }
}

impl Run for SeededTest {
    fn run(&self, bench: &Bench<'_>, part: &Part, budget: &Budget) -> Result<Figures, Failure> {
        let report =
            std::env::temp_dir().join(format!("ken-torture-{}-{}.json", part.name, std::process::id()));
        let log = report.with_extension("log");
        let unwritable = |error| Failure::Failed(format!("cannot write {}: {error}", log.display()));
        let output = std::fs::File::create(&log).map_err(unwritable)?;
        let again = output.try_clone().map_err(unwritable)?;
        let mut command = self.command(bench)?;
        command
            .stdout(output)
            .stderr(again)
            .env("KEN_TORTURE", part.name)
            .env("KEN_TORTURE_SECONDS", budget.time.as_secs().max(1).to_string())
            .env("KEN_TORTURE_TRIES", budget.tries_max.to_string())
            .env("KEN_TORTURE_SEED", budget.first_seed.to_string())
            .env("KEN_TORTURE_AGAIN", budget.again.join(","))
            .env("KEN_TORTURE_REPORT", &report);
        let status = command
            .status()
            .map_err(|error| Failure::Failed(format!("cannot start {}: {error}", self.test)))?;
        let text = std::fs::read_to_string(&report);
        let _ = std::fs::remove_file(&report);
        match text.ok().and_then(|text| read_report(&text)) {
            Some(figures) => {
                let _ = std::fs::remove_file(&log);
                Ok(figures)
            }
            // A test that was renamed runs nothing, and that must not pass.
            None => failed(format!(
                "{} wrote no report ({status}); its output is in {}",
                self.test,
                log.display()
            )),
        }
    }

    fn repeat(&self, failed: &str) -> String {
        let SeededTest { package, binary, test } = self;
        format!(
            "KEN_SEED={failed} cargo test --release -p {package} --test {binary} -- --exact {test} --nocapture"
        )
    }
}

fn read_report(text: &str) -> Option<Figures> {
    let report: Value = serde_json::from_str(text).ok()?;
    let failure = |failure: &Value| {
        let name = failure["seed"].as_u64()?.to_string();
        Some(FailedTry { name, message: failure["message"].as_str()?.to_owned() })
    };
    Some(Figures {
        tries: report["tries"].as_u64()?,
        seconds: report["seconds"].as_f64()?,
        next_seed: report["next_seed"].as_u64()?,
        failures: report["failures"].as_array()?.iter().filter_map(failure).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_binaries_and_the_binary_are_found_among_what_cargo_says() {
        let messages = [
            r#"{"reason":"compiler-artifact","manifest_path":"/r/crates/core/Cargo.toml","target":{"kind":["test"],"name":"main"},"executable":"/t/main-1"}"#,
            r#"{"reason":"compiler-artifact","manifest_path":"/r/crates/cli/Cargo.toml","target":{"kind":["bin"],"name":"ken"},"executable":"/t/ken"}"#,
            r#"{"reason":"compiler-artifact","manifest_path":"/r/crates/core/Cargo.toml","target":{"kind":["lib"],"name":"ken_core"},"executable":null}"#,
        ];
        let found: Vec<String> = artifacts(&messages.join("\n"))
            .into_iter()
            .map(|((package, name, kind), path)| format!("{package} {name} {kind} {}", path.display()))
            .collect();
        assert_eq!(found, ["ken-cli ken bin /t/ken", "ken-core main test /t/main-1"]);
    }

    #[test]
    fn a_report_without_its_figures_is_none() {
        assert!(read_report("{}").is_none());
        let text = r#"{"tries":7,"seconds":1.5,"next_seed":8,"failures":[{"seed":3,"message":"lost"}]}"#;
        let figures = read_report(text).unwrap();
        assert_eq!((figures.tries, figures.next_seed, figures.failures[0].name.as_str()), (7, 8, "3"));
    }
}
