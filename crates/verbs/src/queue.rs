//! `queue`: what waits for a judgement, and what the judgements do.

use ken_core::{Code, Fields, Refusal};
use ken_engine::Stored;
use ken_engine::ops::check;
use ken_engine::ops::find_any;
use ken_engine::ops::queue::{self, Act, Ruled, Rulings, Verdict, Worksheet};

use crate::{Accept, Error, Kenning, Result, Which};

impl Kenning {
    /// What waits for a judgement, as a worksheet.
    pub fn queue(&mut self, limit: usize) -> Result<Worksheet> {
        let mut ground = self.ground();
        let fallen = check::fallen(&*self.store, &mut ground)?;
        ground.save();
        self.note_check();
        let held = self.held_changes()?;
        let mut sheet = queue::worksheet(&*self.store, &fallen, &held, limit)?;
        // An agent that read what was kept out would have read it.
        if self.caller.is_human() {
            for one in &mut sheet.kept_out {
                one.statement = self.held(&one.head.id)?.and_then(|held| statement_of(&held));
            }
        }
        Ok(sheet)
    }

    /// Acts on a worksheet that was filled in. Each answer stands for itself: what cannot be done is said, and the rest is done.
    pub fn judge(&mut self, verdicts: &[Verdict], limit: usize) -> Result<Rulings> {
        let results = verdicts.iter().map(|verdict| self.judge_one(verdict)).collect::<Result<_>>()?;
        let Worksheet { items, open, .. } = self.queue(limit)?;
        Ok(Rulings { results, items, open })
    }

    /// Acts on one answer. What cannot be done is said; what somebody who can be asked has to confirm first is refused, so that they are
    /// asked.
    pub fn judge_one(&mut self, verdict: &Verdict) -> Result<Ruled> {
        self.store.may_write()?;
        let (accepted, done) = match self.rule(verdict) {
            Ok(done) => (true, done),
            Err(Error::Refused(refusal)) if refusal.confirm.is_none() || self.caller.is_unattended() => {
                let hint = refusal.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                (false, format!("{}{hint}", refusal.message))
            }
            Err(error) => return Err(error),
        };
        let clean = |text: &str| ken_guard::redact(text).into_owned();
        self.finish(Ruled { item: clean(&verdict.item), accepted, done: clean(&done) })
    }

    /// The name of the item that is meant: a single word names the entry that one item is about.
    fn named_item(&mut self, said: &str) -> Result<String> {
        let said = said.trim();
        if said.is_empty() || said.contains(char::is_whitespace) {
            return Ok(said.to_owned());
        }
        let Some(Stored { id, .. }) = find_any(&*self.store, said)? else {
            return Ok(said.to_owned());
        };
        let items = self.queue(usize::MAX)?.items;
        let about: Vec<&str> = items
            .iter()
            .filter(|item| item.entries.iter().any(|entry| entry.id == id))
            .map(|item| item.item.as_str())
            .collect();
        match about.as_slice() {
            [item] => Ok((*item).to_owned()),
            [] => Err(Refusal::new(Code::NotFound, format!("no item of the queue is about {id}"))
                .hint("`ken queue --list` lists the items")
                .field("item")
                .into()),
            several => {
                let names: Vec<String> = several.iter().map(|item| format!("'{item}'")).collect();
                let message = format!("{} items of the queue are about {id}", several.len());
                Err(Refusal::new(Code::Ambiguous, message)
                    .hint(format!("name one of them: {}", names.join(", ")))
                    .field("item")
                    .into())
            }
        }
    }

    fn rule(&mut self, verdict: &Verdict) -> Result<String> {
        let writer = crate::writer(&self.config, &self.caller);
        let verdict = &Verdict { item: self.named_item(&verdict.item)?, ..verdict.clone() };
        match queue::rule(&mut self.store, verdict, &writer)? {
            Act::Done(done) => Ok(done),
            Act::Confirm(id, reason) => {
                let answer = self.confirm(&id, &reason)?;
                Ok(format!("{id}: {}", answer.change.reasons.join("; ")))
            }
            Act::Retract(id, reason) => Ok(self.retract(&id, &reason)?.reasons.join("; ")),
            Act::RestoreFile(id) => self.restore_held_file(&id),
            Act::TakeEdit(id) => self.take_held_edit(&id),
            Act::Resolve(one, other, reason) => {
                self.may_hide(&one, "resolving a contradiction of")?;
                self.may_hide(&other, "resolving a contradiction of")?;
                let done = queue::resolve(&mut self.store, &one, &other, &reason, &writer)?;
                self.finish(done)
            }
            Act::Merge(newer, older, reason) => Ok(self.merge(&newer, &older, &reason)?.reasons.join("; ")),
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

/// What an entry in quarantine would have said.
fn statement_of(held: &serde_json::Value) -> Option<String> {
    let fields = Fields::read(held.get("fields")?);
    Some(ken_guard::redact(&fields.statement()).into_owned()).filter(|text| !text.is_empty())
}
