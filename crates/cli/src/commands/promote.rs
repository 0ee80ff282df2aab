//! `promote` and its answers, shown; and the questions that an approver is asked.

use kenning::core::{Code, Memory, Refusal, Type, norm};
use kenning::table::promote::PromoteAnswer;
use kenning::table::promote_approve::ApproveRequest;
use kenning::table::promote_list::PromotionListRequest;
use kenning::table::promote_list::PromotionsAnswer;
use kenning::table::{Promote, PromoteApprove, PromoteList, PromotePropose, PromoteReject, PromoteShow};
use kenning::{PromotionPlan, PromotionView, Reach, Result};
use serde_json::Value;

use super::{Session, Shown};
use crate::output::{bold, dim, exit, flat, println, say_more, table};
use crate::terminal;

impl Shown for Promote {
    fn say(answer: &PromoteAnswer) {
        match answer {
            PromoteAnswer::Reached(change) => super::learn::say(change),
            PromoteAnswer::Proposed(view) => say_proposed(view),
            PromoteAnswer::Planned(plan) => say_plan(plan),
        }
    }
}

fn say_plan(plan: &PromotionPlan) {
    println!("{} to {}, dry run: nothing was written", bold(&plan.id), plan.to);
    for step in &plan.steps {
        println!("  would {}", flat(step));
    }
}

impl Shown for PromotePropose {
    fn say(view: &PromotionView) {
        say_proposed(view);
    }
}

fn say_proposed(view: &PromotionView) {
    println!("{} proposed", bold(&view.id));
    say(view);
}

impl Shown for PromoteList {
    fn execute(session: &Session, request: PromotionListRequest) -> Result<u8> {
        let (mut call, all) = (session.call(None)?, request.all);
        let answer = Self::run_noting(session, &mut call, request)?;
        session.output.answer(&answer, || say_promotions(&answer, all))?;
        Ok(exit::OK)
    }
}

fn say_promotions(answer: &PromotionsAnswer, all: bool) {
    if answer.promotions.items.is_empty() {
        println!("{}", if all { "there are no proposals" } else { "there are no open proposals" });
        return;
    }
    let rows = answer.promotions.items.iter().map(|view| {
        let (what, _) = words(view);
        let solo = if view.solo { "solo" } else { "" };
        let by = flat(&view.proposer);
        (vec![view.id.clone(), view.state.to_string(), view.to.to_string(), by, flat(&what)], solo.to_owned())
    });
    table(&["proposal", "state", "into", "by", "what"], rows.collect(), 4);
    say_more(&answer.promotions);
    if answer.solo {
        println!("{}", dim("approvals.solo: one person may propose and approve"));
    }
}

impl Shown for PromoteShow {
    fn say(view: &PromotionView) {
        println!("{} {}", bold(&view.id), view.state);
        say(view);
    }
}

impl Shown for PromoteReject {
    fn say(view: &PromotionView) {
        println!("{} rejected", bold(&view.id));
    }
}

impl Shown for PromoteApprove {
    fn execute(session: &Session, request: ApproveRequest) -> Result<u8> {
        let mut ken = session.open()?;
        let view = PromoteApprove::approvable(&mut ken, &request)?;
        let what = format!("approve {}", view.id);
        needs_terminal(&ken, &what)?;
        if !session.output.json {
            say(&view);
        }
        let person = session.confirm(&ken, terminal::YES, &format!("Type `yes` to {what}: "))?;
        // What is approved are the words that were shown, even where others came meanwhile.
        let mut ken = ken.confirmed_by(person);
        let view = kenning::promote::approve_promotion(
            &mut ken.ledger,
            &ken.site,
            &mut ken.models,
            &ken.caller,
            &view,
        )?;
        session.notes(&mut ken);
        session.output.answer(&view, || Self::say(&view))?;
        Ok(exit::OK)
    }

    fn say(view: &PromotionView) {
        say_approved(view);
    }
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

fn say_approved(view: &PromotionView) {
    let solo = if view.solo { ", solo: the same person proposed and approved it" } else { "" };
    let entry = view.entry.clone().unwrap_or_default();
    let counts = match view.to {
        Memory::Procedural => "is in force",
        Memory::Semantic | Memory::Episodic => "is now knowledge",
    };
    println!("{} approved: {entry} {counts}{solo}", bold(&view.id));
    for note in &view.notes {
        println!("  {}", dim(&flat(note)));
    }
}

/// Asks an approver who has just stated a norm whether it should count at once.
pub(super) fn accept_now(session: &Session, ken: Reach, id: &str) -> Result<()> {
    if !terminal::is_there()
        || session.output.json
        || kenning::promote::approver(&ken.site.config, &ken.caller, "accepting a norm").is_err()
    {
        return Ok(());
    }
    let question = format!(
        "You are an approver. Type `yes` to put {id} in force, or press Enter to keep it a candidate: "
    );
    let unchanged = format!("{id} stays a candidate and blocks nothing");
    let Some(person) = session.offer(&ken, &question, &unchanged)? else {
        println!(
            "{id} stays a candidate and blocks nothing: ken promote {id} --to procedural --reason '...'"
        );
        return Ok(());
    };
    // It was added, whatever becomes of this.
    let mut ken = ken.confirmed_by(person);
    match kenning::promote::accept_stated(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, id) {
        Ok(view) => say_approved(&view),
        Err(error) => println!("{id} stays a candidate: {error}"),
    }
    session.notes(&mut ken);
    Ok(())
}

/// Refuses where nobody sits who could type an answer, and says who could.
pub(super) fn needs_terminal(ken: &Reach, what: &str) -> Result<()> {
    if terminal::is_there() {
        return Ok(());
    }
    let names = kenning::promote::who_approves(&ken.site.config).names();
    let who = if names.is_empty() { "an approver" } else { &names };
    let message = format!("to {what}, a person must confirm in a terminal, and this is not one");
    Err(Refusal::new(Code::NotAllowed, message)
        .hint(format!("{who} can run it in their own terminal"))
        .into())
}
