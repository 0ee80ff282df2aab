//! A glance at the code: whether files are as they were. No grammar is run and no git is started, since somebody waits.

use ken_core::condition::Condition;
use ken_core::validity::Answer;
use ken_core::{Anchor, Millis, PlaceVerdict};
use ken_engine::{Brief, CodeTree, Effort, Uncaptured};
use ken_worktree::Layout;

use crate::Parser;
use ken_worktree::CodeGround;

/// What is said of code that would have to be read.
const NOT_READ: &str = "hooks do not parse code; `ken check` does";

/// The files of a working tree.
pub(super) struct Glance(CodeGround);

impl Glance {
    /// The files around a store.
    pub(super) fn at(layout: &Layout) -> Glance {
        Glance(CodeGround::working(&layout.root, None, None, true, Parser::Here))
    }
}

impl CodeTree for Glance {
    fn remembered(&mut self, place: &Brief, effort: Effort) -> Option<PlaceVerdict> {
        self.0.remembered(place, effort)
    }

    fn judge(&mut self, anchors: &[Anchor], _: Effort) -> Vec<PlaceVerdict> {
        anchors.iter().map(|_| PlaceVerdict::unverifiable(NOT_READ)).collect()
    }

    fn condition(&mut self, _: &Condition) -> Answer {
        Answer::Unverifiable(NOT_READ.to_owned())
    }

    fn remembered_condition(&mut self, _: &Condition) -> Option<Answer> {
        None
    }

    fn capture(&mut self, _: &mut Anchor) -> Result<Option<String>, Uncaptured> {
        Err(Uncaptured::Unknown(NOT_READ.to_owned()))
    }

    fn since(&mut self, _: &str) -> Option<Millis> {
        None
    }
}
