//! `cargo xtask fuzz`: the coverage-guided targets, or with `--smoke` a short run on the stable compiler.

use std::process::Command;

use crate::clients;
use crate::context::{Context, Failure, Outcome, capture, failed, show};

/// Long enough to notice a parser that panics on nearly anything, short enough to run with every change.
const SMOKE_SECONDS: &str = "15";
/// Inputs that once broke a target: tracked, and tried again by every smoke run.
pub(crate) const CRASHERS: &str = "fuzz/crashers";
/// Time for each coverage-guided target.
const TARGET_SECONDS: u32 = 60;

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    match arguments {
        [] => guided(context),
        [only] if only == "--smoke" => smoke(context),
        [first, ..] => Err(Failure::Usage(format!("`fuzz` takes only `--smoke`, but was given `{first}`"))),
    }
}

/// Random and mutated input through every parser, without a nightly compiler.
pub(crate) fn smoke(context: &Context) -> Outcome {
    if !context.root.join("crates/testkit/src/bin/fuzz-smoke.rs").is_file() {
        println!("fuzz: no smoke binary yet");
        return Ok(());
    }
    let program = clients::build_program(context, "fuzz-smoke")?;
    show(Command::new(program).args(["--seed", "1", "--seconds", SMOKE_SECONDS]).current_dir(&context.root))
}

/// A coverage-guided fuzzer: cargo-fuzz with a compiler that has the flags it needs.
pub(crate) struct Fuzzer {
    nightly: bool,
}

impl Fuzzer {
    /// The nightly compiler, else the one at hand with its unstable flags allowed.
    pub(crate) fn find(context: &Context) -> Result<Fuzzer, Failure> {
        let there = |fuzzer: &Fuzzer| capture(&mut fuzzer.command(context, ["--version"])).is_ok();
        match [Fuzzer { nightly: true }, Fuzzer { nightly: false }].into_iter().find(there) {
            Some(fuzzer) => Ok(fuzzer),
            None => failed(
                "the fuzz targets need cargo-fuzz: `cargo install cargo-fuzz`; a nightly compiler (`rustup toolchain install nightly`) is used \
                 where there is one. `cargo xtask fuzz --smoke` needs neither",
            ),
        }
    }

    /// `cargo fuzz` with some words.
    pub(crate) fn command<const N: usize>(&self, context: &Context, words: [&str; N]) -> Command {
        // Through `cargo` on the path, not the cargo that started us: only rustup's understands `+nightly`.
        let mut command = context
            .program("cargo", self.nightly.then_some("+nightly").into_iter().chain(["fuzz"]).chain(words));
        // The toolchain that started us must not decide for the one that is asked for.
        command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
        if !self.nightly {
            command.env("RUSTC_BOOTSTRAP", "1");
        }
        command
    }
}

fn guided(context: &Context) -> Outcome {
    let targets = targets(context)?;
    if targets.is_empty() {
        println!("fuzz: no targets in fuzz/fuzz_targets");
        return Ok(());
    }
    let fuzzer = Fuzzer::find(context)?;
    write_corpus(context)?;
    let limit = format!("-max_total_time={TARGET_SECONDS}");
    for target in targets {
        println!("== fuzz {target}, {TARGET_SECONDS} s");
        show(&mut fuzzer.command(context, ["run", &target, "--", &limit]))?;
    }
    Ok(())
}

/// Writes the inputs that the smoke run begins with where libFuzzer looks for a corpus.
pub(crate) fn write_corpus(context: &Context) -> Outcome {
    show(&mut context.cargo([
        "run",
        "--quiet",
        "-p",
        "ken-testkit",
        "--bin",
        "fuzz-smoke",
        "--",
        "--write-corpus",
        "fuzz/corpus",
    ]))
}

/// The names of the files in `fuzz/fuzz_targets`, sorted; none when the folder is absent.
pub(crate) fn targets(context: &Context) -> Result<Vec<String>, Failure> {
    let folder = context.root.join("fuzz/fuzz_targets");
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let unreadable = |error| Failure::Failed(format!("cannot read fuzz/fuzz_targets: {error}"));
    let mut names = Vec::new();
    for file in std::fs::read_dir(&folder).map_err(unreadable)? {
        let path = file.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "rs")
            && let Some(stem) = path.file_stem()
        {
            names.push(stem.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
