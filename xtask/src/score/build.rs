//! `cargo xtask score --build`: what a stranger's first `cargo build --release` costs.

use std::time::Instant;

use super::board::{Board, SuiteRun};
use crate::context::{Context, Failure, failed};
use crate::dist;
use crate::harness::figure::Figure;
use crate::harness::machine;
use crate::harness::measure;
use crate::harness::scratch::Scratch;

/// Builds everything in a target folder that is empty. What was downloaded before is not downloaded again.
pub(super) fn run(context: &Context, board: &Board) -> Result<SuiteRun, Failure> {
    println!("cargo build --release in an empty target folder; this takes minutes");
    let scratch = Scratch::below(&dist::target_folder(context)?)?;
    let load_before = machine::load().unwrap_or_default();
    let begun = Instant::now();
    let mut build = context.cargo(["build", "--release"]);
    let (sample, _) = measure::command(build.env("CARGO_TARGET_DIR", &scratch.folder))?;
    let binary = scratch.folder.join(format!("release/ken{}", std::env::consts::EXE_SUFFIX));
    let bytes = match std::fs::metadata(&binary) {
        Ok(looks) => looks.len(),
        Err(error) => return failed(format!("cannot find what was built: {error}")),
    };
    let mut figures =
        vec![Figure::new("build.wall", sample.wall.as_secs_f64()), Figure::new("build.binary", bytes as f64)];
    figures.extend(sample.cpu.map(|cpu| Figure::new("build.cpu", cpu.as_secs_f64())));
    Ok(SuiteRun {
        suite: "build".to_owned(),
        command: "cargo xtask score --build".to_owned(),
        commit: board.commit.clone(),
        seconds: begun.elapsed().as_secs_f64(),
        load: (load_before, machine::load().unwrap_or_default()),
        figures,
        ..SuiteRun::default()
    })
}
