//! `list`: entries by what they are.

use kenning::core::{Code, Memory, Millis, Refusal, Scope, Status, Tag, Type, TypeName};
use kenning::{ListAnswer, Overlaid, Query, Result, Sort, Threads};

use super::{Session, word};
use crate::args::ListArgs;
use crate::output::{dim, exit, on_terminal, println, table};

pub(super) fn list(session: &Session, args: &ListArgs) -> Result<u8> {
    let mut query = Query {
        all: args.all,
        domain: args.domain.clone(),
        tags: args.tag.clone(),
        reviewer: args.reviewer.clone(),
        text: args.text.clone(),
        this_branch: args.this_branch,
        pinned_first: true,
        overlaid: match (args.pinned, args.muted) {
            (true, _) => Overlaid::Pinned,
            (false, true) => Overlaid::Hidden,
            (false, false) => Overlaid::Visible,
        },
        after: args.after.clone(),
        threads: args.thread.clone().map_or(Threads::Any, |thread| Threads::SeenFrom(Some(thread))),
        limit: args.limit.unwrap_or(usize::MAX),
        ..Query::default()
    };
    for text in &args.memory {
        query.memories.push(word("memory", "memory", text, Memory::WORDS, Memory::from_word)?);
    }
    for text in &args.kind {
        // A type of a newer version can be listed by its name; a slip of the pen gets the nearest known word.
        query.types.push(TypeName::Known(word("type", "type of entry", text, Type::WORDS, Type::from_word)?));
    }
    for text in &args.status {
        query.statuses.push(word("status", "status", text, Status::WORDS, Status::from_word)?);
    }
    if let Some(text) = &args.scope {
        query.scope = Some(word("scope", "scope", text, Scope::WORDS, Scope::from_word)?);
    }
    query.sort = word("sort", "order", &args.sort, &["updated", "created", "id"], |word| match word {
        "updated" => Some(Sort::Updated),
        "created" => Some(Sort::Created),
        "id" => Some(Sort::Id),
        _ => None,
    })?;
    if let Some(text) = &args.since {
        query.since = Some(since(text, session.identity.time())?);
    }
    if let Some(after) = &args.after
        && after.rsplit_once('.').is_none_or(|(_, key)| key.parse::<kenning::core::EntryKey>().is_err())
    {
        return Err(Refusal::new(Code::Invalid, format!("{after:?} is not the `next` of a page"))
            .field("after")
            .into());
    }
    let labels = args.tag.iter().map(|tag| ("tag", tag)).chain(args.domain.iter().map(|d| ("domain", d)));
    for (name, label) in labels {
        Tag::parse(label)
            .map_err(|problem| Refusal::new(Code::Invalid, format!("--{name}: {problem}")).field(name))?;
    }
    for (name, text) in [("text", &args.text), ("reviewer", &args.reviewer)] {
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(Refusal::new(
                Code::Invalid,
                format!("--{name} is empty; say what to look for, or leave it out"),
            )
            .field(name)
            .into());
        }
    }
    if args.mine {
        let ken = session.open()?;
        query.actor = Some(ken.actor());
    }
    run(session, &query, args.as_of.as_deref())
}

/// Lists what a query asks for; a limit of `usize::MAX` is the configured one.
pub(super) fn run(session: &Session, query: &Query, as_of: Option<&str>) -> Result<u8> {
    let mut ken = session.open()?;
    let mut query = query.clone();
    if query.limit == usize::MAX {
        query.limit = ken.config().number("list.limit");
    }
    let answer = match as_of {
        Some(when) => ken.list_as_of(when, &query)?,
        None => ken.list(&query)?,
    };
    session.notes(&mut ken);
    if let Some(reviewer) = query.reviewer.as_ref().filter(|_| answer.total == 0)
        && let Some(unknown) = ken.unknown_reviewer(reviewer)?
    {
        let there = unknown.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        session.output.note(&format!("{}{there}", unknown.message));
    }
    session.output.answer(&answer, || say(&answer))?;
    if let Some(next) = answer.next.as_ref().filter(|_| !session.output.json && !on_terminal()) {
        let (shown, total) = (answer.entries.len(), answer.total);
        session.output.note(&format!("{shown} of {total}; more: --after {next}, or --limit 0 for all"));
    }
    Ok(exit::OK)
}

fn say(answer: &ListAnswer) {
    if answer.entries.is_empty() {
        if on_terminal() {
            println!("no entries; `ken add` makes one, `ken list --all` shows every status");
        }
        return;
    }
    let rows = answer.entries.iter().map(|entry| {
        let mut marks = String::new();
        for (set, mark) in [
            (entry.overlay.pinned.is_some(), "pinned"),
            (entry.overlay.muted.is_some(), "muted"),
            (entry.overlay.invalidated.is_some(), "invalidated"),
            (entry.unverified, "unverified"),
            (!entry.gaps.is_empty(), "gaps"),
            (entry.approved.as_ref().is_some_and(|told| told.ends_with("(solo)")), "approved solo"),
            (!entry.on_this_branch, "not on this branch"),
        ] {
            if set {
                marks.push_str(if marks.is_empty() { "" } else { ", " });
                marks.push_str(mark);
            }
        }
        let row = vec![
            entry.handle.clone(),
            entry.kind.clone(),
            entry.status.to_string(),
            entry.title.clone(),
            entry.tags.join(" "),
            entry.updated[..10].to_owned(),
            format!("{:.0} %", entry.belief.mean * 100.0),
        ];
        (row, marks)
    });
    table(&["ID", "TYPE", "STATUS", "TITLE", "TAGS", "UPDATED", "BELIEF"], rows.collect(), 3);
    if on_terminal() {
        let more = answer.next.as_ref().map(|next| format!("; more: --after {next}")).unwrap_or_default();
        println!("{}", dim(&format!("{} of {}{more}", answer.entries.len(), answer.total)));
    }
}

/// A time, or how long ago: `7d`, `12h`, `2w`.
fn since(text: &str, now: Millis) -> Result<Millis> {
    let text = text.trim();
    let unit = match text.chars().last() {
        Some('h') => Some(3_600_000),
        Some('d') => Some(86_400_000),
        Some('w') => Some(7 * 86_400_000),
        _ => None,
    };
    if let Some(unit) = unit
        && let Ok(count) = text[..text.len() - 1].parse::<u32>()
    {
        return Ok(Millis((now.0 - i64::from(count) * unit).max(0)));
    }
    Millis::parse(text).map_err(|problem| {
        Refusal::new(Code::Invalid, format!("--since: {problem}, or an age like 7d")).field("since").into()
    })
}
