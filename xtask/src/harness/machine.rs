//! The machine that numbers were measured on.

use std::fs;
use std::path::Path;

use super::scratch;
use crate::context::{Context, Failure, capture};

/// What the numbers depend on, without names of hosts, people or folders.
pub(crate) fn describe(context: &Context, folder: &Path) -> Result<Vec<String>, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let rustc = capture(&mut context.program("rustc", ["--version"]))?;
    let git = capture(&mut context.program("git", ["--version"]))?;
    let file_system = scratch::file_system(folder).unwrap_or_else(|| "unknown".to_owned());
    let mut lines = vec![
        format!(
            "{cores} cores, {} {}, file system {file_system}",
            std::env::consts::OS,
            std::env::consts::ARCH
        ),
        format!("{}, {}", rustc.trim(), git.trim()),
    ];
    lines.extend(load().map(|load| format!("load average of the last minute at the start: {load}")));
    Ok(lines)
}

pub(crate) fn load() -> Option<String> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next().map(str::to_owned)
}
