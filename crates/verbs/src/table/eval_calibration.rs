//! `ken eval calibration`.

use crate::CalibrationAnswer;
use crate::verb::Call;
use crate::verb::Group;
use crate::verb::Nature;
use crate::verb::Verb;
use ken_engine::Result;

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
