//! The part `fuzz`: every coverage-guided target for an equal time, on all cores; an input that breaks one is kept under `fuzz/crashers`.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::parts::Part;
use super::{Bench, Budget, FailedTry, Figures, Run};
use crate::context::{Context, Failure, Outcome, failed, show};
use crate::fuzz::{CRASHERS, Fuzzer, targets};

/// An input that takes longer than this hangs, in seconds.
const INPUT_SECONDS_MAX: u32 = 10;

pub(super) struct Fuzz;

impl Run for Fuzz {
    fn prepare(&self, bench: &Bench<'_>) -> Outcome {
        show(&mut Fuzzer::find(bench.context)?.command(bench.context, ["build"]))?;
        crate::fuzz::write_corpus(bench.context)
    }

    fn run(&self, bench: &Bench<'_>, _part: &Part, budget: &Budget) -> Result<Figures, Failure> {
        let fuzzer = Fuzzer::find(bench.context)?;
        let targets = targets(bench.context)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let rounds = targets.len().div_ceil(cores).max(1) as u32;
        let time = budget.time / rounds;
        let next = AtomicUsize::new(0);
        let figures = Mutex::new(Figures { next_seed: budget.first_seed + 1, ..Figures::default() });
        let problem = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    while let Some(target) = targets.get(next.fetch_add(1, Ordering::SeqCst)) {
                        match run_target(bench.context, &fuzzer, target, time, budget.first_seed) {
                            Ok((inputs, failures)) => {
                                let mut figures = figures.lock().expect("no thread panics with it");
                                figures.tries += inputs;
                                figures.failures.extend(failures);
                                println!("fuzz {target}: {inputs} inputs");
                            }
                            Err(failure) => {
                                *problem.lock().expect("no thread panics with it") = Some(failure);
                            }
                        }
                    }
                });
            }
        });
        match problem.into_inner().expect("no thread panics with it") {
            Some(failure) => Err(failure),
            None => Ok(figures.into_inner().expect("no thread panics with it")),
        }
    }

    fn repeat(&self, failed: &str) -> String {
        let target =
            failed.trim_start_matches(CRASHERS).trim_start_matches('/').split('/').next().unwrap_or_default();
        format!("cargo +nightly fuzz run {target} {failed}")
    }
}

/// Runs one target; answers how many inputs it took, and the inputs that broke it.
fn run_target(
    context: &Context,
    fuzzer: &Fuzzer,
    target: &str,
    time: Duration,
    seed: u64,
) -> Result<(u64, Vec<FailedTry>), Failure> {
    let limits = [
        format!("-max_total_time={}", time.as_secs().max(1)),
        format!("-timeout={INPUT_SECONDS_MAX}"),
        format!("-seed={}", seed % u64::from(u32::MAX)),
        "-print_final_stats=1".to_owned(),
    ];
    let mut command = fuzzer.command(context, ["run", target, "--"]);
    let output = command
        .args(&limits)
        .output()
        .map_err(|error| Failure::Failed(format!("cannot start cargo fuzz: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let Some(inputs) = executed(&said) else {
        return failed(format!(
            "`cargo fuzz run {target}` told no figures ({}): {}",
            output.status,
            tail(&said)
        ));
    };
    let kept = keep_crashers(&context.root, target)
        .map_err(|error| Failure::Failed(format!("cannot keep the crashers of {target}: {error}")))?;
    if !output.status.success() && kept.is_empty() {
        return failed(format!(
            "`cargo fuzz run {target}` failed without an input ({}): {}",
            output.status,
            tail(&said)
        ));
    }
    Ok((inputs, kept.into_iter().map(|name| FailedTry { name, message: tail(&said) }).collect()))
}

/// The number of inputs in the final statistics of libFuzzer.
fn executed(said: &str) -> Option<u64> {
    said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:")?.trim().parse().ok())
}

fn tail(said: &str) -> String {
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("panicked") || line.contains("ERROR") || line.contains("SUMMARY"))
        .collect();
    match lines.is_empty() {
        true => {
            said.lines().rev().take(3).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n")
        }
        false => lines.join("\n"),
    }
}

/// Moves what libFuzzer left in `fuzz/artifacts` to `fuzz/crashers`, which is tracked; answers the new paths.
fn keep_crashers(root: &Path, target: &str) -> std::io::Result<Vec<String>> {
    let from = root.join("fuzz/artifacts").join(target);
    let to = root.join(CRASHERS).join(target);
    let mut kept = Vec::new();
    for item in std::fs::read_dir(&from).into_iter().flatten() {
        let item = item?;
        let name = item.file_name().to_string_lossy().into_owned();
        // Slow units are no failures.
        if !["crash-", "timeout-", "oom-", "leak-"].iter().any(|kind| name.starts_with(kind)) {
            continue;
        }
        std::fs::create_dir_all(&to)?;
        std::fs::copy(item.path(), to.join(&name))?;
        std::fs::remove_file(item.path())?;
        kept.push(format!("{CRASHERS}/{target}/{name}"));
    }
    kept.sort();
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_libfuzzer_are_read() {
        assert_eq!(
            executed("Done\nstat::number_of_executed_units: 4711\nstat::peak_rss_mb: 40\n"),
            Some(4711)
        );
        assert_eq!(executed("thread panicked"), None);
    }

    #[test]
    fn a_crasher_is_repeated_by_its_file() {
        let repeat = Fuzz.repeat("fuzz/crashers/question/crash-1");
        assert_eq!(repeat, "cargo +nightly fuzz run question fuzz/crashers/question/crash-1");
    }

    #[test]
    fn crashers_are_moved_to_where_they_are_tracked() {
        let root = std::env::temp_dir().join(format!("ken-crashers-{}", std::process::id()));
        let artifacts = root.join("fuzz/artifacts/question");
        std::fs::create_dir_all(&artifacts).unwrap();
        std::fs::write(artifacts.join("crash-1"), "x").unwrap();
        std::fs::write(artifacts.join("slow-unit-1"), "x").unwrap();
        assert_eq!(keep_crashers(&root, "question").unwrap(), ["fuzz/crashers/question/crash-1"]);
        assert!(root.join("fuzz/crashers/question/crash-1").is_file());
        assert_eq!(keep_crashers(&root, "question").unwrap(), Vec::<String>::new());
        std::fs::remove_dir_all(&root).unwrap();
    }
}
