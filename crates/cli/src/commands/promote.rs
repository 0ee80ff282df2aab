//! `promote`: further reach, or authority; and the answers to proposals.

use kenning::core::{Code, Memory, Refusal, Type, flow, norm};
use kenning::{Kenning, PromotionView, ProposeInput, Result};
use serde_json::Value;

use super::knowledge::read_memory;
use super::{Session, word};
use crate::args::{ContentArgs, PromoteArgs, PromoteVerb, ProposeArgs};
use crate::output::{bold, dim, exit, flat, println, table};
use crate::terminal;

pub(super) fn promote(session: &Session, args: PromoteArgs) -> Result<u8> {
    match args.verb {
        Some(PromoteVerb::Propose(args)) => propose(session, *args),
        Some(PromoteVerb::List(args)) => list(session, args.all),
        Some(PromoteVerb::Show(args)) => {
            let view = session.open()?.promotion(&args.promotion)?;
            session.output.answer(&view, || {
                println!("{} {}", bold(&view.id), view.state);
                say(&view);
            })?;
            Ok(exit::OK)
        }
        Some(PromoteVerb::Approve(args)) => approve(session, &args.promotion),
        Some(PromoteVerb::Reject(args)) => {
            let mut ken = session.open()?;
            let view = ken.reject_promotion(&args.promotion, &args.reason)?;
            session.notes(&mut ken);
            session.output.answer(&view, || println!("{} rejected", bold(&view.id)))?;
            Ok(exit::OK)
        }
        None => climb(session, args),
    }
}

/// One verb for three ladders: where it leads decides which.
fn climb(session: &Session, args: PromoteArgs) -> Result<u8> {
    enum Ladder {
        Project,
        Global,
        Memory,
    }
    let to = args.to.unwrap_or_default();
    if let Some(from) = &args.from {
        return all_of(from, &to);
    }
    let ladder =
        word("to", "reach", &to, &["project", "global", "semantic", "procedural"], |word| match word {
            "project" => Some(Ladder::Project),
            "global" => Some(Ladder::Global),
            "semantic" | "procedural" => Some(Ladder::Memory),
            _ => None,
        })?;
    let id = args.id.unwrap_or_default();
    match ladder {
        Ladder::Project => super::change::simple(session, |ken| ken.promote_to_project(&id, &args.reason)),
        Ladder::Global => super::change::simple(session, |ken| {
            ken.promote_to_global(&id, &args.seen_in, args.statement.as_deref(), &args.reason)
        }),
        Ladder::Memory => {
            let mut content = serde_json::Map::new();
            content.extend(args.statement.map(|text| ("statement".to_owned(), Value::from(text))));
            let input = ProposeInput {
                sources: vec![id],
                to,
                kind: args.kind,
                content,
                evidence: args.evidence,
                unverified: false,
                reason: args.reason,
            };
            ask(session, input)
        }
    }
}

/// GAT-2: what has no artifact does not flow.
pub(super) fn all_of(from: &str, to: &str) -> Result<u8> {
    let (memory, _) = from.split_once('/').unwrap_or((from, ""));
    let from_memory = read_memory(memory)?;
    let to_memory = read_memory(to)?;
    let message = match (from_memory, to_memory) {
        (Memory::Episodic, _) => format!("{from} cannot enter {to} without an approved promotion"),
        (_, Memory::Procedural) => format!("{from} gains authority in {to} only by an approved promotion"),
        _ => format!("knowledge does not move from {from} to {to}"),
    };
    let to = match to_memory {
        Memory::Procedural => "procedural",
        Memory::Semantic | Memory::Episodic => "semantic",
    };
    let hint = format!(
        "name what should be promoted, and a person may approve it: ken promote propose ID --to {to} --evidence REF --reason '...'"
    );
    Err(flow::violation(message).hint(hint).into())
}

fn propose(session: &Session, args: ProposeArgs) -> Result<u8> {
    let content = ContentArgs {
        statement: args.statement,
        title: args.title,
        id: args.id,
        anchor: args.anchor,
        verify: args.verify,
        tag: args.tag,
        enforcement: args.enforcement,
        example: args.example,
        exception: args.exception,
        content: args.content,
        ..ContentArgs::default()
    };
    let content = content.into_input(None)?.content;
    let (evidence, unverified, reason) = (args.evidence, args.unverified, args.reason);
    ask(
        session,
        ProposeInput {
            sources: args.sources,
            to: args.to,
            kind: args.kind,
            content,
            evidence,
            unverified,
            reason,
        },
    )
}

fn ask(session: &Session, input: ProposeInput) -> Result<u8> {
    let mut ken = session.open()?;
    let view = ken.propose(input)?;
    session.notes(&mut ken);
    session.output.answer(&view, || {
        println!("{} proposed", bold(&view.id));
        say(&view);
    })?;
    Ok(exit::OK)
}

fn list(session: &Session, all: bool) -> Result<u8> {
    let mut ken = session.open()?;
    let found = ken.promotions(all)?;
    let policy = ken.who_approves();
    let whole = serde_json::json!({ "promotions": found, "solo": policy.solo, "approvers": policy.approvers.iter().map(|one| &one.name).collect::<Vec<_>>() });
    session.output.answer(&whole, || {
        if found.is_empty() {
            println!("{}", if all { "nothing was ever proposed" } else { "nothing waits for an answer" });
            return;
        }
        let rows = found.iter().map(|view| {
            let (what, _) = words(view);
            let solo = if view.solo { "solo" } else { "" };
            let by = flat(&view.proposer);
            (
                vec![view.id.clone(), view.state.to_string(), view.to.to_string(), by, flat(&what)],
                solo.to_owned(),
            )
        });
        table(&["proposal", "state", "into", "by", "what"], rows.collect(), 4);
        if policy.solo {
            println!("{}", dim("approvals.solo: one person may propose and approve"));
        }
    })?;
    Ok(exit::OK)
}

/// What should count, in words, and what kind of entry that is.
fn words(view: &PromotionView) -> (String, String) {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    match &view.draft {
        Some(draft) => {
            let said =
                ["statement", "rule", "description", "title"].iter().find_map(|name| text(draft, name));
            (said.unwrap_or_default(), text(draft, "type").unwrap_or_default())
        }
        None => {
            let source = view.sources.first();
            (source.map(|source| source.title.clone()).unwrap_or_default(), "the entry itself".to_owned())
        }
    }
}

fn say(view: &PromotionView) {
    let (what, kind) = words(view);
    println!("  what      {} ({})", flat(&what), kind);
    if let Some(Value::Object(draft)) = view.draft.as_ref().or(view.says.as_ref()) {
        let kind = draft.get("type").and_then(Value::as_str).and_then(Type::from_word);
        if let Some(kind) = kind.filter(|kind| kind.memory() == Memory::Procedural) {
            println!("  asks      {}", flat(&norm::told(kind, draft.get("enforcement"))));
        }
        for name in ["enforcement", "exceptions", "examples", "detail", "scope"] {
            if let Some(value) = draft.get(name) {
                println!("  {name:<9} {}", flat(&value.to_string()));
            }
        }
    }
    println!("  into      {}", view.to);
    for source in &view.sources {
        println!("  from      {} ({}): {}", source.id, source.memory, flat(&source.title));
    }
    for evidence in &view.evidence {
        println!("  evidence  {}", flat(evidence));
    }
    println!("  reason    {}", flat(&view.reason));
    println!("  proposer  {} at {}", flat(&view.proposer), view.proposed_at);
    if let (Some(by), Some(at)) = (&view.answered_by, &view.answered_at) {
        let solo = if view.solo { ", who also proposed it (solo)" } else { "" };
        let why = view.answer.as_ref().map(|why| format!(": {}", flat(why))).unwrap_or_default();
        println!("  {:<9} by {}{solo} at {at}{why}", view.state.word(), flat(by));
    }
    if let Some(entry) = &view.entry {
        println!("  entry     {entry}");
    }
    for note in &view.notes {
        println!("  {}", dim(&flat(note)));
    }
}

fn approve(session: &Session, name: &str) -> Result<u8> {
    let mut ken = session.open()?;
    let view = ken.promotion(name)?;
    ken.approver(&format!("approving {}", view.id))?;
    let view = ken.approvable(&view.id)?;
    let what = format!("approve {}", view.id);
    needs_terminal(&ken, &what)?;
    if !session.output.json {
        say(&view);
    }
    let person = session.confirm(&ken, "approve", &format!("Type `approve` to {what}: "))?;
    let mut ken = ken.confirmed_by(person);
    let view = ken.approve_promotion(&view)?;
    session.notes(&mut ken);
    session.output.answer(&view, || say_approved(&view))?;
    Ok(exit::OK)
}

fn say_approved(view: &PromotionView) {
    let solo = if view.solo { ", solo: the same person proposed and approved it" } else { "" };
    let entry = view.entry.clone().unwrap_or_default();
    let counts = match view.to {
        Memory::Procedural => "is in force",
        Memory::Semantic | Memory::Episodic => "is knowledge now",
    };
    println!("{} approved: {entry} {counts}{solo}", bold(&view.id));
    for note in &view.notes {
        println!("  {}", dim(&flat(note)));
    }
}

/// Asks an approver who has just stated a norm whether it should count at once.
pub(super) fn accept_now(session: &Session, mut ken: Kenning, id: &str) -> Result<()> {
    if !terminal::is_there() || session.output.json || ken.approver("accepting a norm").is_err() {
        return Ok(());
    }
    let question = format!(
        "You may approve norms here. Type `accept` to put {id} in force, or press Enter to leave it a candidate: "
    );
    let Ok(person) = session.confirm(&ken, "accept", &question) else {
        println!(
            "{id} stays a candidate and blocks nothing: ken promote {id} --to procedural --reason '...'"
        );
        return Ok(());
    };
    // It was added, whatever becomes of this.
    let mut ken = ken.confirmed_by(person);
    match ken.accept_stated(id) {
        Ok(view) => say_approved(&view),
        Err(error) => println!("{id} stays a candidate: {error}"),
    }
    session.notes(&mut ken);
    Ok(())
}

/// Refuses where nobody sits who could type an answer, and says who could.
pub(super) fn needs_terminal(ken: &Kenning, what: &str) -> Result<()> {
    if terminal::is_there() {
        return Ok(());
    }
    let names = ken.who_approves().names();
    let who = if names.is_empty() { "an approver" } else { &names };
    let message = format!("to {what}, a person types it in a terminal, and there is none here");
    Err(Refusal::new(Code::NotAllowed, message)
        .hint(format!("{who} can run it in a terminal of their own"))
        .into())
}
