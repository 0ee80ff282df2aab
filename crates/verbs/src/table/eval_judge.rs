//! `ken eval judge`.

use ken_engine::Result;

use crate::Reach;
use crate::eval_judge::EvalJudgeAnswer;
use crate::request::Request;
use crate::verb::{Call, Group, Nature, Verb};

/// Compare a judge with people on labelled pairs: precision, recall and cost.
pub struct EvalJudge;

/// What `eval judge` takes.
#[derive(Clone, Debug, Request)]
pub struct EvalJudgeRequest {
    /// Judge to measure: rules, or model (the one that judge.kind and judge.model name)
    #[field(long, value_name = "NAME", default = "model")]
    pub judge: String,
    /// Pairs of each set, evenly spread; 0 for all
    #[field(long, short = 'n', value_name = "N", default = 40)]
    pub limit: usize,
}

impl Verb for EvalJudge {
    const NAME: &'static str = "eval judge";
    const ABOUT: &'static str = "Compare a judge with people on labelled pairs: precision, recall and cost";
    const EXAMPLE: &'static str = "ken eval judge --judge rules";
    const GROUP: Group = Group::Measure;
    const NATURE: Nature = Nature::READS.at_terminal();
    type Request = EvalJudgeRequest;
    type Answer = EvalJudgeAnswer;

    fn run(call: &mut Call, request: EvalJudgeRequest) -> Result<EvalJudgeAnswer> {
        let Reach { site, models, caller, .. } = call.reach()?;
        crate::eval_judge::eval_judge(site, models, caller, &request.judge, request.limit)
    }
}
