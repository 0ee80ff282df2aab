//! `ken eval calibration`.

use ken_engine::Result;

use crate::CalibrationAnswer;
use crate::verb::{Call, Group, Nature, Verb};

/// Compare belief with outcomes: do entries at 80 % hold four times out of five?.
pub struct EvalCalibration;

impl Verb for EvalCalibration {
    const NAME: &'static str = "eval calibration";
    const ABOUT: &'static str =
        "Compare belief with outcomes: do entries at 80 % hold four times out of five?";
    const EXAMPLE: &'static str = "ken eval calibration";
    const GROUP: Group = Group::Measure;
    const NATURE: Nature = Nature::READS.at_terminal();
    type Request = ();
    type Answer = CalibrationAnswer;

    fn run(call: &mut Call, (): ()) -> Result<CalibrationAnswer> {
        crate::learn::calibration(&call.reach()?.ledger)
    }
}
