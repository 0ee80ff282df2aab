//! `cargo xtask fuzz`: the coverage-guided targets, or with `--smoke` a short run on the stable compiler.

use crate::context::{Context, Failure, Outcome, capture, failed, show};

/// Long enough to notice a parser that panics on nearly anything, short enough to run with every change.
const SMOKE_SECONDS: &str = "30";
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
    show(&mut context.cargo([
        "run",
        "--quiet",
        "-p",
        "ken-testkit",
        "--bin",
        "fuzz-smoke",
        "--",
        "--seed",
        "1",
        "--seconds",
        SMOKE_SECONDS,
    ]))
}

fn guided(context: &Context) -> Outcome {
    let targets = targets(context)?;
    if targets.is_empty() {
        println!("fuzz: no targets in fuzz/fuzz_targets");
        return Ok(());
    }
    // Through `cargo` on the path, not the cargo that started us: only rustup's understands `+nightly`.
    if capture(&mut context.program("cargo", ["+nightly", "fuzz", "--version"])).is_err() {
        return failed(
            "the fuzz targets need a nightly compiler and cargo-fuzz: `rustup toolchain install nightly`, then \
             `cargo install cargo-fuzz`. `cargo xtask fuzz --smoke` needs neither",
        );
    }
    let limit = format!("-max_total_time={TARGET_SECONDS}");
    for target in targets {
        println!("== fuzz {target}, {TARGET_SECONDS} s");
        show(&mut context.program("cargo", ["+nightly", "fuzz", "run", &target, "--", &limit]))?;
    }
    Ok(())
}

/// The names of the files in `fuzz/fuzz_targets`, sorted; none when the folder is absent.
fn targets(context: &Context) -> Result<Vec<String>, Failure> {
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
