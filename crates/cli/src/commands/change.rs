//! The verbs that change an entry.

use kenning::core::decide::Change;
use kenning::core::{Code, Refusal};
use kenning::{ChangeAnswer, Kenning, Result};
use serde_json::{Value, json};

use super::Session;
use crate::args::{ArchiveArgs, ReviseArgs, SupersedeArgs, TagArgs};
use crate::output::{bold, exit, println};

/// A verb that changes one entry and says so.
pub(super) fn simple(
    session: &Session,
    act: impl FnOnce(&mut Kenning) -> Result<ChangeAnswer>,
) -> Result<u8> {
    let mut ken = session.open()?;
    let answer = act(&mut ken)?;
    session.notes(&mut ken);
    session.output.answer(&answer, || say(&answer))?;
    Ok(exit::OK)
}

fn say(answer: &ChangeAnswer) {
    println!("{} {}: {}", answer.outcome, bold(&answer.handle), answer.reasons.join("; "));
}

pub(super) fn revise(session: &Session, args: ReviseArgs) -> Result<u8> {
    let ReviseArgs { entry, mut content, untag, clear, reason } = args;
    if content.id.is_some() {
        return Err(Refusal::new(Code::NotAllowed, "an id is fixed when an entry is added")
            .hint("supersede the entry to give it another id")
            .field("id")
            .into());
    }
    let (tags, domains) = (std::mem::take(&mut content.tag), std::mem::take(&mut content.domain));
    let (evidence, unverified) = (std::mem::take(&mut content.evidence), content.unverified);
    let mut set = match content.content.take() {
        Some(text) => kenning::read_content(&text)?,
        None => Default::default(),
    };
    set.extend(content.into_fields()?);
    set.extend(clear.into_iter().map(|name| (name, Value::Null)));
    let change =
        Change { set, tags_add: tags, tags_remove: untag, domains_add: domains, reason, ..Change::default() };
    simple(session, |ken| ken.revise(&entry, change, &evidence, unverified))
}

pub(super) fn tag(session: &Session, args: TagArgs) -> Result<u8> {
    if args.tags.is_empty() && args.remove.is_empty() {
        return Err(Refusal::new(Code::Invalid, "no tag is named")
            .hint(format!("ken tag {} TAG..., or --remove TAG", args.id))
            .field("tags")
            .into());
    }
    let change = Change { tags_add: args.tags, tags_remove: args.remove, ..Change::default() };
    simple(session, |ken| ken.revise(&args.id, change, &[], false))
}

pub(super) fn supersede(session: &Session, args: SupersedeArgs) -> Result<u8> {
    let SupersedeArgs { old, new, content, reason } = args;
    match new {
        Some(new) => simple(session, |ken| ken.supersede(&old, &new, &reason)),
        None => {
            let input = content.into_input(None)?;
            if input.content.is_empty() {
                return Err(Refusal::new(
                    Code::Invalid,
                    format!("nothing is said that could take the place of {old}"),
                )
                .hint("name an entry, or say the new one: --statement '...' --evidence ...")
                .into());
            }
            let mut ken = session.open()?;
            let answer = ken.supersede_by_new(&old, input, &reason)?;
            session.notes(&mut ken);
            session.output.answer(&answer, || say(&answer))?;
            if let Some(new) = ken.waiting_successor(&old)? {
                super::promote::accept_now(session, ken, &new)?;
            }
            Ok(exit::OK)
        }
    }
}

pub(super) fn archive(session: &Session, args: &ArchiveArgs) -> Result<u8> {
    match (&args.id, &args.older_than) {
        (_, Some(days)) => archive_older(session, days),
        (Some(id), None) => simple(session, |ken| ken.archive(id, &args.reason)),
        (None, None) => Ok(exit::USAGE),
    }
}

/// `archive --older-than DAYS`.
pub(super) fn archive_older(session: &Session, days: &str) -> Result<u8> {
    let days: u32 = days.trim_end_matches('d').parse().map_err(|_| {
        Refusal::new(Code::Invalid, format!("{days:?} is not a number of days; write 90")).field("older-than")
    })?;
    let mut ken = session.open()?;
    let ids = ken.archive_older_than(days)?;
    session.notes(&mut ken);
    session.output.answer(&json!({"archived": ids}), || {
        println!("archived {}", ids.len());
        ids.iter().for_each(|id| println!("  {id}"));
    })?;
    Ok(exit::OK)
}

pub(super) fn undo(session: &Session) -> Result<u8> {
    let mut ken = session.open()?;
    let answers = ken.undo()?;
    session.notes(&mut ken);
    session.output.answer(&json!({"undone": answers}), || answers.iter().for_each(say))?;
    Ok(exit::OK)
}
