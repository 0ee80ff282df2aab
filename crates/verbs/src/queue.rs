//! `queue`: what waits for a judgement, and what the judgements do.

use ken_core::{Code, Fields, Refusal};
use ken_engine::listing::Place;
use ken_engine::ops::check;
use ken_engine::ops::find_any;
use ken_engine::ops::queue::{self, Act, Ruled, Rulings, Verdict, Worksheet};
use ken_engine::{Caller, Ledger, Stored};

use crate::{Accept, Error, ModelsInUse, Result, Site, Which};

/// What waits for a judgement, as a worksheet.
pub fn queue(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    limit: usize,
) -> Result<Worksheet> {
    queue_page(ledger, site, models, caller, limit, None)
}

/// The part of it behind a cursor.
pub fn queue_page(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    limit: usize,
    cursor: Option<&str>,
) -> Result<Worksheet> {
    let before = cursor.map(Place::read).transpose()?.map_or(0, |last| last.at.saturating_add(1));
    // One more, which tells whether there is another page.
    let sheet = worksheet(ledger, site, models, caller, before.saturating_add(limit).saturating_add(1))?;
    sheet.page(limit, cursor)
}

/// The beginning of what waits.
fn worksheet(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    limit: usize,
) -> Result<Worksheet> {
    let mut ground = crate::ground::ground(ledger, site);
    let fallen = check::fallen(&**ledger, &mut ground)?;
    ground.save();
    crate::last_check::note_check(ledger, site.state(), caller);
    let held = crate::foreign::sync::held::held_changes(ledger, site, models, caller)?;
    let mut sheet = queue::worksheet(&**ledger, &fallen, &held, limit)?;
    // An agent that read what was kept out would have read it.
    if caller.is_human() {
        for one in &mut sheet.kept_out {
            one.statement =
                crate::quarantine::held(ledger, caller, &one.head.id)?.and_then(|held| statement_of(&held));
        }
    }
    Ok(sheet)
}

/// Acts on a worksheet that was filled in. Each answer stands for itself: what cannot be done is said, and the rest is done.
pub fn judge(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    verdicts: &[Verdict],
    limit: usize,
    cursor: Option<&str>,
) -> Result<Rulings> {
    let results = verdicts
        .iter()
        .map(|verdict| judge_one(ledger, site, models, caller, verdict))
        .collect::<Result<_>>()?;
    let Worksheet { items, total, cursor, .. } = queue_page(ledger, site, models, caller, limit, cursor)?;
    Ok(Rulings { results, items, total, cursor })
}

/// Acts on one answer. What cannot be done is said; what somebody who can be asked has to confirm first is refused, so that they are
/// asked.
pub fn judge_one(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    verdict: &Verdict,
) -> Result<Ruled> {
    ledger.may_write()?;
    let (accepted, done) = match rule(ledger, site, models, caller, verdict) {
        Ok(done) => (true, done),
        Err(Error::Refused(refusal)) if refusal.confirm.is_none() || caller.is_unattended() => {
            let hint = refusal.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            (false, format!("{}{hint}", refusal.message))
        }
        Err(error) => return Err(error),
    };
    let clean = |text: &str| ken_guard::redact(text).into_owned();
    crate::writer::finish(
        ledger,
        site,
        models,
        caller,
        Ruled { item: clean(&verdict.item), accepted, done: clean(&done) },
    )
}

/// The name of the item that is meant: a single word names the entry that one item is about.
fn named_item(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    said: &str,
) -> Result<String> {
    let said = said.trim();
    if said.is_empty() || said.contains(char::is_whitespace) {
        return Ok(said.to_owned());
    }
    let Some(Stored { id, .. }) = find_any(&**ledger, said)? else {
        return Ok(said.to_owned());
    };
    let items = queue(ledger, site, models, caller, usize::MAX)?.items;
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

fn rule(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    verdict: &Verdict,
) -> Result<String> {
    let writer = crate::writer::writer(&site.config, caller);
    let verdict =
        &Verdict { item: named_item(ledger, site, models, caller, &verdict.item)?, ..verdict.clone() };
    match queue::rule(ledger, verdict, &writer)? {
        Act::Done(done) => Ok(done),
        Act::Confirm(id, reason) => {
            let answer = crate::learn::confirm(ledger, site, models, caller, &id, &reason)?;
            Ok(format!("{id}: {}", answer.change.reasons.join("; ")))
        }
        Act::Retract(id, reason) => {
            Ok(crate::retract::retract(ledger, site, models, caller, &id, &reason)?.reasons.join("; "))
        }
        Act::RestoreFile(id) => {
            crate::foreign::sync::held::restore_held_file(ledger, site, models, caller, &id)
        }
        Act::TakeEdit(id) => crate::foreign::sync::held::take_held_edit(ledger, site, models, caller, &id),
        Act::Resolve(one, other, reason) => {
            crate::retract::may_hide(ledger, &site.workspace, caller, &one, "resolving a contradiction of")?;
            crate::retract::may_hide(
                ledger,
                &site.workspace,
                caller,
                &other,
                "resolving a contradiction of",
            )?;
            let done = queue::resolve(ledger, &one, &other, &reason, &writer)?;
            crate::writer::finish(ledger, site, models, caller, done)
        }
        Act::Merge(newer, older, reason) => {
            Ok(crate::merge::merge(ledger, site, models, caller, &newer, &older, &reason)?.reasons.join("; "))
        }
        Act::Reanchor(id) => {
            let checked = crate::check::check(ledger, site, caller, &Which::Named(vec![id.clone()]))?;
            let accepted =
                crate::check::accept(ledger, site, models, caller, &checked.entries, Accept::Drifted)?;
            Ok(match accepted.len() {
                0 => format!("{id} is unchanged; none of its anchors could be updated"),
                _ => format!("the anchors of {id} now match the current code"),
            })
        }
    }
}

/// What an entry in quarantine would have said.
fn statement_of(held: &serde_json::Value) -> Option<String> {
    let fields = Fields::read(held.get("fields")?);
    Some(ken_guard::redact(&fields.statement()).into_owned()).filter(|text| !text.is_empty())
}
