//! `eval calibration`: what was believed before each use, against how that use went (BEL-11).

use ken_engine::Result;

use crate::CalibrationAnswer;
use crate::verb::{Call, Group, Nature, Verb};

/// Whether what is believed at 80 % holds four times out of five, by what happened here.
pub struct EvalCalibration;

impl Verb for EvalCalibration {
    const NAME: &'static str = "eval calibration";
    const ABOUT: &'static str =
        "Whether what is believed at 80 % holds four times out of five, by what happened here";
    const GROUP: Group = Group::Measure;
    const NATURE: Nature = Nature::READS.at_terminal();
    type Request = ();
    type Answer = CalibrationAnswer;

    fn run(call: &mut Call, (): ()) -> Result<CalibrationAnswer> {
        call.ken()?.calibration()
    }
}
