//! Time: of a child process on the wall and on the processor, and of a piece of work in this one.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::context::{Failure, describe, failed};

/// One run of something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) wall: Duration,
    /// User and system time of the child; none for work in this process and where the system does not tell.
    pub(crate) cpu: Option<Duration>,
}

/// Several runs of the same thing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series(Vec<Sample>);

impl Series {
    pub(crate) fn push(&mut self, sample: Sample) {
        self.0.push(sample);
    }

    pub(crate) fn wall(&self) -> Duration {
        median(self.0.iter().map(|sample| sample.wall).collect())
    }

    /// What it takes when nothing else gets in the way.
    pub(crate) fn best(&self) -> Duration {
        self.0.iter().map(|sample| sample.wall).min().unwrap_or_default()
    }

    /// The time that so large a share of the runs stays within.
    pub(crate) fn within(&self, share: f64) -> Duration {
        let mut values: Vec<Duration> = self.0.iter().map(|sample| sample.wall).collect();
        values.sort_unstable();
        let at = (values.len() as f64 * share).ceil() as usize;
        values.get(at.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// Half of the distance between the quarters, as a share of the median; none for fewer than four runs.
    pub(crate) fn spread(&self) -> Option<f64> {
        let half = self.within(0.75).saturating_sub(self.within(0.25)).as_secs_f64() / 2.0;
        let middle = self.wall().as_secs_f64();
        (self.0.len() >= 4 && middle > 0.0).then(|| half / middle)
    }

    pub(crate) fn cpu(&self) -> Option<Duration> {
        let known: Vec<Duration> = self.0.iter().filter_map(|sample| sample.cpu).collect();
        (!known.is_empty()).then(|| median(known))
    }
}

impl From<Sample> for Series {
    fn from(sample: Sample) -> Series {
        Series(vec![sample])
    }
}

impl FromIterator<Duration> for Series {
    fn from_iter<I: IntoIterator<Item = Duration>>(walls: I) -> Series {
        Series(walls.into_iter().map(|wall| Sample { wall, cpu: None }).collect())
    }
}

/// Says what is under way.
pub(crate) fn progress(what: &str) {
    println!("measuring: {what}");
}

/// The middle one; of an even number the lower of the two.
fn median(mut values: Vec<Duration>) -> Duration {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// Runs a command to its end, with its time. A non-zero exit is a failure.
pub(crate) fn command(command: &mut Command) -> Result<(Sample, Output), Failure> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let before = children_cpu();
    let begun = Instant::now();
    let output = command.output();
    let wall = begun.elapsed();
    let cpu = children_cpu().zip(before).map(|(after, before)| after.saturating_sub(before));
    match output {
        Ok(output) if output.status.success() => Ok((Sample { wall, cpu }, output)),
        Ok(output) => failed(format!(
            "`{}` failed ({}): {}",
            describe(command),
            output.status,
            String::from_utf8_lossy(if output.stderr.is_empty() { &output.stdout } else { &output.stderr })
                .trim()
        )),
        Err(error) => failed(format!("cannot start `{}`: {error}", describe(command))),
    }
}

/// Does something in this process, with its time.
pub(crate) fn work<T>(
    doing: &str,
    work: impl FnOnce() -> std::io::Result<T>,
) -> Result<(Sample, T), Failure> {
    let begun = Instant::now();
    let done = work();
    let wall = begun.elapsed();
    match done {
        Ok(value) => Ok((Sample { wall, cpu: None }, value)),
        Err(error) => failed(format!("cannot {doing}: {error}")),
    }
}

/// User and system time of all children that have ended. The kernel counts it exactly, not in ticks.
#[cfg(unix)]
fn children_cpu() -> Option<Duration> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let duration = |time: nix::sys::time::TimeVal| {
        Some(Duration::new(u64::try_from(time.tv_sec()).ok()?, u32::try_from(time.tv_usec()).ok()? * 1000))
    };
    Some(duration(usage.user_time())? + duration(usage.system_time())?)
}

#[cfg(not(unix))]
fn children_cpu() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_run_does_not_move_the_middle() {
        let mut series = Series::default();
        for millis in [4, 900, 5] {
            series.push(Sample { wall: Duration::from_millis(millis), cpu: None });
        }
        assert_eq!(series.wall(), Duration::from_millis(5));
        assert_eq!(series.best(), Duration::from_millis(4));
        assert_eq!(series.cpu(), None);
        assert_eq!(series.spread(), None, "three runs say little about their spread");
        let hundred: Series = (1..=100).map(Duration::from_millis).collect();
        assert_eq!(hundred.within(0.99), Duration::from_millis(99));
        assert_eq!(hundred.within(0.5), hundred.wall());
        assert_eq!(hundred.spread(), Some(0.5));
    }
}
