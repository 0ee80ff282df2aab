//! `ken demo`: the main job, played on a scratch repository.

use kenning::Result;

pub(crate) fn run(_keep: bool) -> Result<u8> {
    Ok(0)
}
