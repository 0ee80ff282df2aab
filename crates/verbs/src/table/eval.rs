//! `eval calibration`: what was believed before each use, against how that use went (BEL-11).

use ken_engine::Result;

use crate::CalibrationAnswer;
use crate::verb::{Call, Group, Nature, Verb};

/// Compare belief with outcomes: do entries at 80 % hold four times out of five?.
pub struct EvalCalibration;

impl Verb for EvalCalibration {
    const NAME: &'static str = "eval calibration";
    const ABOUT: &'static str =
        "Compare belief with outcomes: do entries at 80 % hold four times out of five?";
    const GROUP: Group = Group::Measure;
    const NATURE: Nature = Nature::READS.at_terminal();
    type Request = ();
    type Answer = CalibrationAnswer;

    fn run(call: &mut Call, (): ()) -> Result<CalibrationAnswer> {
        call.ken()?.calibration()
    }
}
