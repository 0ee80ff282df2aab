//! `queue`: what waits for a judgement, and what the judgements do.

use ken_engine::ops::queue::{self, Act, Ruled, Rulings, Verdict, Worksheet};

use crate::{Accept, Error, Kenning, Result, Which};

impl Kenning {
    /// What waits for a judgement, as a worksheet.
    pub fn queue(&mut self, limit: usize) -> Result<Worksheet> {
        let checked = self.check(&Which::All)?;
        queue::worksheet(&*self.store, &checked.entries, limit)
    }

    /// Acts on a worksheet that was filled in. Each answer stands for itself: what cannot be done is said, and the rest is done.
    pub fn judge(&mut self, verdicts: &[Verdict], limit: usize) -> Result<Rulings> {
        let results = verdicts.iter().map(|verdict| self.judge_one(verdict)).collect::<Result<_>>()?;
        let Worksheet { items, open, .. } = self.queue(limit)?;
        Ok(Rulings { results, items, open })
    }

    /// Acts on one answer. What cannot be done is said.
    pub fn judge_one(&mut self, verdict: &Verdict) -> Result<Ruled> {
        self.store.may_write()?;
        let (accepted, done) = match self.rule(verdict) {
            Ok(done) => (true, done),
            Err(Error::Refused(refusal)) => {
                let hint = refusal.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                (false, format!("{}{hint}", refusal.message))
            }
            Err(error) => return Err(error),
        };
        let clean = |text: &str| ken_guard::redact(text).into_owned();
        self.finish(Ruled { item: clean(&verdict.item), accepted, done: clean(&done) })
    }

    fn rule(&mut self, verdict: &Verdict) -> Result<String> {
        let writer = self.writer();
        match queue::rule(&mut *self.store, verdict, &writer)? {
            Act::Done(done) => Ok(done),
            Act::Confirm(id, reason) => {
                let answer = self.confirm(&id, &reason)?;
                Ok(format!("{id}: {}", answer.change.reasons.join("; ")))
            }
            Act::Retract(id, reason) => {
                self.may_hide(&id, "retracting")?;
                Ok(self.retract(&id, &reason)?.reasons.join("; "))
            }
            Act::Supersede(newer, older, reason) => {
                self.may_hide(&newer, "superseding")?;
                Ok(self.supersede(&newer, &older, &reason)?.reasons.join("; "))
            }
            Act::Reanchor(id) => {
                let checked = self.check(&Which::Named(vec![id.clone()]))?;
                let accepted = self.accept(&checked.entries, Accept::Drifted)?;
                Ok(match accepted.len() {
                    0 => format!("{id} is unchanged; none of its anchors could be updated"),
                    _ => format!("the anchors of {id} now match the current code"),
                })
            }
        }
    }
}
