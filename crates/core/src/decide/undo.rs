//! Undoing: saying the opposite of what was said last.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::authority::EntryAction;
use super::standing::may_move;
use super::{Context, about};
use crate::belief::{Mark, Moved, Side};
use crate::entry::{Entry, Link, fold};
use crate::event::{
    BeliefEvent, Body, Confirmed, EntryEvent, Event, Intent, LinkEvent, Merged, Reanchored, Revised,
};
use crate::fields::Citation;
use crate::forage::ForageEvent;
use crate::kinds::{Relation, Status};
use crate::limits::VERIFIED_CONFIRMATIONS;
use crate::refusal::{Code, Refusal};

/// The reason of what an undo says, by which it is known later.
const UNDONE: &str = "undone";
/// The same where a person undid the change of somebody else; a name follows.
const UNDONE_BY: &str = "undone by ";
/// The reason of what an undo says that takes back an earlier undo, and puts an entry away again; the reason it had before follows.
const REDONE: &str = "redone";

/// Whether an event was said by an undo. A link and new anchors have no reason: of those nobody can tell.
pub fn is_undo(event: &Event) -> bool {
    let reason = match &event.body {
        Some(Body::Entry(
            EntryEvent::Archived { reason }
            | EntryEvent::Retracted { reason }
            | EntryEvent::Superseded { reason, .. }
            | EntryEvent::Staled { reason }
            | EntryEvent::Unmerged { reason, .. }
            | EntryEvent::Restored { reason, .. },
        )) => Some(reason.as_str()),
        Some(Body::Entry(EntryEvent::Cited { citation })) if citation.withdrawn => return true,
        Some(Body::Entry(EntryEvent::Reinforced { withdrawn: true, .. })) => return true,
        Some(Body::Entry(EntryEvent::Confirmed(confirmed))) if confirmed.withdraws.is_some() => return true,
        Some(Body::Belief(BeliefEvent::Observed { weight: 0, .. })) => return true,
        Some(Body::Entry(EntryEvent::Merged(merged))) => Some(merged.reason.as_str()),
        Some(Body::Entry(EntryEvent::Revised(revised))) => revised.reason.as_deref(),
        _ => None,
    };
    reason.is_some_and(|reason| reason == UNDONE || reason.starts_with(UNDONE_BY) || is_redone(reason))
}

/// Whether an event moves an entry from one status to another by somebody's decision; to undo it is to move it back.
pub fn moves(event: &Event) -> bool {
    matches!(
        event.body,
        Some(Body::Entry(
            EntryEvent::Archived { .. }
                | EntryEvent::Retracted { .. }
                | EntryEvent::Superseded { .. }
                | EntryEvent::Staled { .. }
                | EntryEvent::Restored { .. }
        ))
    )
}

fn is_redone(reason: &str) -> bool {
    reason.strip_prefix(REDONE).is_some_and(|rest| rest.is_empty() || rest.starts_with(": "))
}

/// The reason of an entry that an undo of an undo puts away again. Somebody put it away deliberately, and that is not what was undone;
/// only where an undo had put it away in the first place, it is undone as before.
fn redone(reason: Option<&str>) -> String {
    match reason.unwrap_or_default() {
        "" => REDONE.to_owned(),
        known if known == UNDONE || known.starts_with(UNDONE_BY) || is_redone(known) => known.to_owned(),
        known => format!("{REDONE}: {known}"),
    }
}

/// Whether its author took back its addition with `undo` and nothing happened to it since: adding it again brings it back.
///
/// Where a person undid the change of somebody else, adding it again does not outvote that person.
pub fn was_undone(entry: &Entry) -> bool {
    entry.status == Status::Retracted && entry.status_reason.as_deref() == Some(UNDONE)
}

/// Whether its author put it away with `undo`, by which what had replaced it is back, and nothing happened to it since.
pub fn is_superseded_by_undo(entry: &Entry) -> bool {
    entry.status == Status::Superseded && entry.status_reason.as_deref() == Some(UNDONE)
}

/// Whether its author brought it back with `undo`, and nothing happened to it since.
pub fn is_back_by_undo(entry: &Entry) -> bool {
    entry.status.is_retrieved() && entry.status_reason.as_deref() == Some(UNDONE)
}

/// Decides the opposite of one event of an entry, given all of the entry's events.
///
/// Citations are only ever added: one that came with an addition goes silently along with it, any other is marked as withdrawn.
pub fn undo(events: &[Event], last: &Event, context: &Context) -> Result<Vec<Intent>, Refusal> {
    let no =
        |why: &str| Err(Refusal::new(Code::NotAllowed, format!("the last change cannot be undone: {why}")));
    let Some(now) = fold(events, &|_| false) else { return no("its entry is gone") };
    let before_events: Vec<Event> =
        events.iter().filter(|event| event.order() < last.order()).cloned().collect();
    let before = fold(&before_events, &|_| false);
    let undone = || match last.actor == context.actor {
        true => UNDONE.to_owned(),
        false => format!("{UNDONE_BY}{}", context.actor),
    };
    // What stands beside the entry's words is taken back whatever else happened to it.
    let is_beside = matches!(
        last.body,
        Some(
            Body::Entry(EntryEvent::Cited { .. } | EntryEvent::Reinforced { .. } | EntryEvent::Confirmed(_))
                | Body::Belief(_)
        )
    );
    let since = events.iter().find(|event| {
        !is_beside
            && event.order() > last.order()
            && !matches!(
                event.body,
                Some(
                    Body::Entry(
                        EntryEvent::Cited { .. }
                            | EntryEvent::Reinforced { .. }
                            | EntryEvent::Proved { .. }
                            | EntryEvent::Confirmed(_)
                            | EntryEvent::Pinned { .. }
                    ) | Body::Link(LinkEvent::Proposed { .. })
                        | Body::Belief(_)
                        | Body::Run(_)
                        | Body::Gate(_)
                        | Body::Document(_)
                        | Body::Forage(_)
                ) | None
            )
    });
    if let Some(since) = since {
        let id = now.id();
        let why = format!("{id} was changed again since ({} by {})", deed(&since.type_name), since.actor);
        let hint = format!(
            "`ken edit {id}` changes it as it is now, and `ken retract {id} --reason '...'` takes it back"
        );
        return no(&why).map_err(|refusal| refusal.hint(hint));
    }
    let body = match &last.body {
        Some(Body::Entry(EntryEvent::Added(_))) if before.is_some() => {
            return no("somebody else added the same before, and citations cannot be removed");
        }
        Some(Body::Entry(EntryEvent::Added(_))) => EntryEvent::Retracted { reason: undone() }.into(),
        Some(Body::Entry(EntryEvent::Revised(revised))) => {
            let Some(before) = before else { return no("the previous value is unknown") };
            EntryEvent::Revised(opposite(&before, revised, undone())).into()
        }
        Some(Body::Entry(
            EntryEvent::Archived { .. }
            | EntryEvent::Retracted { .. }
            | EntryEvent::Superseded { .. }
            | EntryEvent::Staled { .. }
            | EntryEvent::Restored { .. },
        )) => {
            may_move(&now, EntryAction::UNDO, context)?;
            let away = before.as_ref().filter(|before| !before.status.is_retrieved());
            let reason = match away.filter(|_| is_undo(last) && last.actor == context.actor) {
                Some(away) => redone(away.status_reason.as_deref()),
                None => undone(),
            };
            stand_again(before.as_ref(), reason)
        }
        Some(Body::Link(LinkEvent::Linked { relation, to } | LinkEvent::Unlinked { relation, to })) => {
            let link = Link { relation: *relation, to: *to };
            let tied = |entry: &Entry| entry.links.contains(&link);
            let successor = before.as_ref().and_then(|before| before.superseded_by);
            match (before.as_ref().is_some_and(tied), tied(&now)) {
                // It took the place of its own successor, and was in use again.
                (false, true) if *relation == Relation::Supersedes && successor == Some(*to) => {
                    let unlinked = Body::Link(LinkEvent::Unlinked { relation: *relation, to: *to });
                    let bodies = [unlinked, stand_again(before.as_ref(), undone())];
                    return Ok(bodies.into_iter().map(|body| about(&now, body)).collect());
                }
                (true, false) => Body::Link(LinkEvent::Linked { relation: *relation, to: *to }),
                (false, true) => Body::Link(LinkEvent::Unlinked { relation: *relation, to: *to }),
                // Somebody else had said the same already.
                (true, true) | (false, false) => return Ok(Vec::new()),
            }
        }
        Some(Body::Link(LinkEvent::Proposed { .. })) => return no("it is a record of an observation"),
        Some(Body::Link(LinkEvent::Dismissed { .. })) => {
            return no("an answer cannot be undone; link the two entries if they are the same");
        }
        Some(Body::Entry(EntryEvent::Rejected(_))) => {
            return no(
                "it quarantined a text; `ken quarantine release` releases it, `ken purge` deletes it permanently",
            );
        }
        Some(Body::Entry(EntryEvent::Released { .. })) => {
            return no("it released an entry; retract the entry instead");
        }
        Some(Body::Entry(EntryEvent::Cited { citation })) => {
            // Somebody cited the same in the same words, or it was withdrawn already.
            if !now.citations.contains(citation) || before.is_some_and(|one| one.citations.contains(citation))
            {
                return Ok(Vec::new());
            }
            let citation = Citation { withdrawn: !citation.withdrawn, ..citation.clone() };
            EntryEvent::Cited { citation }.into()
        }
        Some(Body::Entry(EntryEvent::Reinforced { statement, similarity, withdrawn })) => {
            let says_so = |entry: &Entry| entry.wordings.contains(statement) != *withdrawn;
            if !says_so(&now) || before.as_ref().is_some_and(says_so) {
                return Ok(Vec::new());
            }
            let (statement, similarity) = (statement.clone(), *similarity);
            EntryEvent::Reinforced { statement, similarity, withdrawn: !withdrawn }.into()
        }
        Some(Body::Entry(EntryEvent::Reanchored { anchors })) => {
            let Some(before) = before else { return no("the previous value is unknown") };
            let was = |from: &str| before.fields.anchors.iter().find(|anchor| anchor.at == from);
            let back = anchors.iter().filter_map(|change| {
                Some(Reanchored { from: change.to.at.clone(), to: was(&change.from)?.clone() })
            });
            EntryEvent::Reanchored { anchors: back.collect() }.into()
        }
        Some(Body::Entry(EntryEvent::Merged(merged))) => {
            let Some(into) = now.merged_into.as_ref().filter(|into| into.key == merged.into) else {
                return Ok(Vec::new());
            };
            EntryEvent::Unmerged { from: into.key, reason: undone() }.into()
        }
        Some(Body::Entry(EntryEvent::Unmerged { .. })) => {
            let Some(into) = before.and_then(|before| before.merged_into) else { return Ok(Vec::new()) };
            let (key, words) = (into.key, into.words);
            let again = Merged { into: key, into_words: words, similarity: None, reason: undone() };
            EntryEvent::Merged(again).into()
        }
        Some(Body::Entry(EntryEvent::Proved { .. })) => return no("it is a record of a step that passed"),
        Some(Body::Entry(EntryEvent::Confirmed(confirmed))) => {
            let back = EntryEvent::Confirmed(Confirmed { withdraws: Some(last.hash), ..confirmed.clone() });
            let is_enough = now.confirmed_by.len() > VERIFIED_CONFIRMATIONS;
            let mut intents = vec![about(&now, back.into())];
            intents.extend(fall(events, last, &now, is_enough, undone()));
            return Ok(intents);
        }
        Some(Body::Entry(EntryEvent::Pinned { .. })) => return no("it records which words were trusted"),
        Some(Body::Entry(EntryEvent::Promoted { .. })) => stand_again(before.as_ref(), undone()),
        Some(Body::Entry(EntryEvent::Rescoped { .. })) => {
            let Some(before) = before else { return no("the previous value is unknown") };
            let old = serde_json::to_value(&before.fields).unwrap_or_default();
            let set = ["scope", "thread"]
                .map(|name| (name.to_owned(), old.get(name).cloned().unwrap_or(Value::Null)));
            EntryEvent::Revised(Revised {
                set: set.into_iter().collect(),
                reason: Some(undone()),
                ..Revised::default()
            })
            .into()
        }
        Some(Body::Belief(BeliefEvent::Observed { source, side, at, witnessed, .. }))
            if last.is_feedback() =>
        {
            let same = |event: &&Event| matches!(&event.body, Some(Body::Belief(BeliefEvent::Observed { source: of, .. })) if of == source);
            let word = before_events.iter().filter(same).max_by_key(|event| event.order());
            // What that voice said before counts again; where it had said nothing, it says nothing.
            let nothing = || {
                Body::Belief(BeliefEvent::Observed {
                    source: source.clone(),
                    side: *side,
                    weight: 0,
                    reason: undone(),
                    at: *at,
                    witnessed: *witnessed,
                })
            };
            let body = word.and_then(|word| word.body.clone()).unwrap_or_else(nothing);
            let mut intents = vec![Intent { entry: Some(now.key), body }];
            let speaks_for = |mark: &&Mark| matches!(mark.what, Moved::Observed(Side::For, _));
            let others = now.whole_record().0.iter().filter(speaks_for).count() > 1;
            intents.extend(fall(events, last, &now, others, undone()));
            return Ok(intents);
        }
        Some(Body::Belief(_)) => return no("it is a record of how well the entry worked"),
        Some(Body::Entry(EntryEvent::Purged { .. })) => return no("purged bytes are gone"),
        Some(Body::Forage(ForageEvent::Override { .. })) => {
            return no("it is about a domain; use `ken forage override DOMAIN reset`");
        }
        Some(Body::Run(_) | Body::Document(_) | Body::Forage(_)) | None => {
            return no("it is a record of what happened");
        }
        Some(Body::Setting(_)) => return no("it changed a setting; set it again with `ken config`"),
        Some(Body::Promotion(_)) => {
            return no("it is a decision about a promotion; use `ken promote reject` or `ken retract`");
        }
        Some(Body::Gate(_)) => return no("it is a person's attestation of a change"),
    };
    Ok(vec![about(&now, body)])
}

impl From<EntryEvent> for Body {
    fn from(event: EntryEvent) -> Body {
        Body::Entry(event)
    }
}

/// Takes an entry down again that one event had raised, unless enough else speaks for it.
fn fall(events: &[Event], last: &Event, now: &Entry, is_enough: bool, reason: String) -> Option<Intent> {
    // They were written together: first the event, then perhaps that it is back, then how it rose.
    let together = last.seq + 1..=last.seq + 2;
    let risen = events.iter().find_map(|event| match &event.body {
        Some(Body::Entry(EntryEvent::Promoted { status, .. }))
            if event.replica == last.replica
                && event.actor == last.actor
                && together.contains(&event.seq) =>
        {
            Some(*status)
        }
        _ => None,
    })?;
    let before: Vec<Event> = events.iter().filter(|event| event.order() < last.order()).cloned().collect();
    let before = fold(&before, &|_| false);
    let is_raised = now.status == risen && before.as_ref().is_some_and(|before| before.standing != risen);
    (is_raised && !is_enough).then(|| about(now, stand_again(before.as_ref(), reason)))
}

/// What an event did, as a noun.
pub fn deed(type_name: &str) -> &str {
    match type_name {
        "entry.added" => "the addition",
        "entry.revised" => "the revision",
        "entry.archived" => "the archiving",
        "entry.retracted" => "the retraction",
        "entry.restored" => "the restoration",
        "entry.superseded" => "the supersession",
        "entry.merged" => "the merge",
        "entry.unmerged" => "the unmerge",
        "entry.staled" => "the marking as stale",
        "entry.reanchored" => "the new anchors",
        "entry.promoted" => "the promotion",
        "entry.rescoped" => "the new scope",
        "link.linked" => "the link",
        "link.unlinked" => "the removal of a link",
        other => other,
    }
}

/// The event that puts an entry where it stood before.
fn stand_again(before: Option<&Entry>, reason: String) -> Body {
    let event = match before.map(|entry| (entry.status, entry.superseded_by)) {
        Some((Status::Archived, _)) => EntryEvent::Archived { reason },
        Some((Status::Retracted, _)) => EntryEvent::Retracted { reason },
        Some((Status::Superseded, Some(by))) => EntryEvent::Superseded { by, reason },
        Some((status, _)) => EntryEvent::Restored { status, reason },
        None => EntryEvent::Restored { status: Status::Candidate, reason },
    };
    Body::Entry(event)
}

/// The revision that takes another one back. Members that were there, or not there, before it are left alone.
fn opposite(before: &Entry, revised: &Revised, reason: String) -> Revised {
    let old = serde_json::to_value(&before.fields).unwrap_or_default();
    let set: Map<String, Value> = revised
        .set
        .keys()
        .map(|name| (name.clone(), old.get(name).cloned().unwrap_or(Value::Null)))
        .collect();
    let had = |name: &str, member: &str| {
        let members = old.get(name).and_then(Value::as_array).into_iter().flatten();
        members.into_iter().any(|have| have.as_str() == Some(member))
    };
    let only = |members: &BTreeMap<String, Vec<String>>, there: bool| -> BTreeMap<String, Vec<String>> {
        let kept = members.iter().map(|(name, members)| {
            let kept = members.iter().filter(|member| had(name, member) == there).cloned().collect();
            (name.clone(), kept)
        });
        kept.filter(|(_, kept): &(String, Vec<String>)| !kept.is_empty()).collect()
    };
    let (add, remove) = (only(&revised.remove, true), only(&revised.add, false));
    Revised { set, add, remove, reason: Some(reason), scan: None }
}
