//! Memory that a short command takes for itself: anonymous pages, sampled as often as the system can be asked.

use std::fs;
use std::process::{Command, Stdio};

use crate::context::{Failure, describe, failed};

/// The most anonymous memory seen in a run of a command, in bytes; none where the system does not tell. Pages of files, the binary's
/// own among them, are shared with the page cache and do not count.
pub(crate) fn anonymous_peak(command: &mut Command) -> Result<Option<u64>, Failure> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return failed(format!("cannot start `{}`: {error}", describe(command))),
    };
    let path = format!("/proc/{}/smaps_rollup", child.id());
    let mut peak = None;
    loop {
        let seen = fs::read_to_string(&path).ok().as_deref().and_then(anonymous_in);
        peak = peak.max(seen);
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) if status.success() => return Ok(peak),
            Ok(Some(status)) => return failed(format!("`{}` failed ({status})", describe(command))),
            Err(error) => return failed(format!("cannot wait for `{}`: {error}", describe(command))),
        }
    }
}

/// The anonymous memory of a process that runs; none where the system does not tell.
pub(crate) fn anonymous_of(process: u32) -> Option<u64> {
    fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok().as_deref().and_then(anonymous_in)
}

fn anonymous_in(rollup: &str) -> Option<u64> {
    let line = rollup.lines().find_map(|line| line.strip_prefix("Anonymous:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_anonymous_pages_count() {
        let rollup =
            "5581-7ffd ---p 00000000 00:00 0 [rollup]\nRss:   9000 kB\nAnonymous:   2048 kB\nSwap: 0 kB\n";
        assert_eq!(anonymous_in(rollup), Some(2048 * 1024));
        assert_eq!(anonymous_in(""), None);
    }
}
