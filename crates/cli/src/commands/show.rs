//! `show`, `why` and `log`: one entry, whole, explained, and told.

use kenning::core::promotion::Standing;
use kenning::core::{Overlay, Status};
use kenning::{EntryView, Happening, Kenning, Query, Result, guard, ops};
use serde_json::{Value, json};

use super::Session;
use crate::args::{LogArgs, NameArgs, ShowArgs};
use crate::output::{bold, cut, dim, exit, println, width, wrap};

pub(super) fn show(session: &Session, args: &ShowArgs) -> Result<u8> {
    let mut ken = session.open()?;
    if args.held {
        return held(session, &mut ken, &args.ids);
    }
    let mut views = Vec::new();
    for id in &args.ids {
        views.push(match &args.as_of {
            Some(when) => ken.show_as_of(when, id)?,
            None => ken.show(id)?,
        });
    }
    session.notes(&mut ken);
    if let [view] = views.as_slice() {
        session.output.answer(view, || say(view))?;
    } else {
        session.output.answer(&json!({"entries": views}), || views.iter().for_each(say))?;
    }
    Ok(exit::OK)
}

/// One entry by its id, for the alias group.
pub(super) fn one(session: &Session, id: &str) -> Result<u8> {
    show(
        session,
        &ShowArgs { ids: vec![id.to_owned()], held: false, as_of: None, in_run: Default::default() },
    )
}

/// The words of what was kept out. They are for a person, and stand in a fence all the same.
fn held(session: &Session, ken: &mut Kenning, ids: &[String]) -> Result<u8> {
    let mut all = Vec::new();
    for id in ids {
        all.push(json!({"id": id, "held": ken.held(id)?}));
    }
    session.notes(ken);
    session.output.answer(&json!({ "entries": all }), || {
        for one in &all {
            let text = match &one["held"] {
                Value::Null => "this clone's quarantine holds nothing of it".to_owned(),
                held => format!("{:#}", held["fields"]),
            };
            println!("{}", guard::fence::block(&format!("kept out: {}", words(&one["id"])), &text));
        }
    })?;
    Ok(exit::OK)
}

fn say(view: &EntryView) {
    let width = width();
    for sentence in view.overlay.told() {
        println!("{}", wrap(&sentence, 0, width));
    }
    let mark = if view.on_this_branch { "" } else { "  (not on this branch)" };
    let id = if view.handle == view.id { String::new() } else { format!("  {}", dim(&view.id)) };
    println!("{}  {}  {}{mark}{id}", bold(&view.handle), view.kind, view.status);
    let text = |name: &str| view.fields.get(name).and_then(Value::as_str);
    let title = text("title").unwrap_or_default();
    if view.status == Status::Rejected {
        println!("What it says was kept out. A person may look at it, and let it in:");
        println!("  ken show {0} --held\n  ken release {0} --reason '...'", view.id);
    } else {
        println!("{}", wrap(title, 0, width));
    }
    if let Some(statement) = text("statement").filter(|statement| *statement != title) {
        println!("\n{}", wrap(statement, 2, width));
    }
    if let Some(detail) = text("detail") {
        println!("\n{}", wrap(detail, 2, width));
    }
    println!();
    let row = |name: &str, value: &str| {
        if !value.is_empty() {
            println!("  {:<13} {}", name, wrap(value, 16, width).trim_start());
        }
    };
    if let Some(reason) = &view.status_reason {
        row("because", reason);
    }
    if let Some(authority) = &view.authority {
        let state = match authority.state {
            Standing::InForce if view.memory == "procedural" => "in force: ",
            Standing::InForce => "",
            Standing::Void => "not in force: ",
            Standing::None => "",
        };
        row("authority", &format!("{state}{}", authority.why));
    }
    for citation in &view.provenance {
        let mark = if citation.unverified { " (unverified)" } else { "" };
        row(
            "evidence",
            &format!("{}:{} by {}{mark}", citation.evidence_type, citation.evidence_ref, citation.cited_by),
        );
    }
    let shown = ["title", "statement", "detail"];
    for (name, value) in view.fields.iter().filter(|(name, _)| !shown.contains(&name.as_str())) {
        row(&name.replace('_', " "), &words(value));
    }
    let trouble = view.validity.trouble().map(|why| format!(": {why}")).unwrap_or_default();
    row("validity", &format!("{}{trouble}", view.validity.verdict));
    for anchor in view.validity.anchors.iter().filter(|anchor| anchor.found.now.is_some()) {
        row("now at", anchor.found.now.as_deref().unwrap_or_default());
    }
    row("proved", view.proved.as_deref().unwrap_or_default());
    let belief = &view.belief;
    let seen = match belief.observations {
        none if none < 0.005 => "nobody used it yet".to_owned(),
        some => format!("{some:.1} observations"),
    };
    row("belief", &format!("{}  {seen}", crate::chart::bar(belief.mean, belief.certainty)));
    let told = match view.confirmation {
        Some(kenning::core::Confirmation::Primed) => ", then repeated by who had been told",
        Some(kenning::core::Confirmation::Independent) | None => "",
    };
    row("confirmed", &view.last_confirmed.as_ref().map(|date| format!("{date}{told}")).unwrap_or_default());
    if view.review_debt > 0 {
        row(
            "review debt",
            &format!("{}: reviews in which it was injected and nobody found it", view.review_debt),
        );
    }
    if view.prediction_errors > 0 {
        row("prediction errors", &view.prediction_errors.to_string());
    }
    if !view.gaps.is_empty() {
        row("gaps", &view.gaps.iter().map(|gap| gap.word()).collect::<Vec<_>>().join(", "));
    }
    for link in &view.links {
        row(link.relation.word(), &format!("{} {}", link.to, link.title.as_deref().unwrap_or("(not here)")));
    }
    if let Some(by) = &view.superseded_by {
        row("superseded by", by);
    }
    if let Some(scan) = view.scan.as_ref().filter(|scan| !scan.findings.is_empty()) {
        row("scan", &format!("{}: {}", scan.tier.word(), scan.worst()));
    }
    for taint in &view.taint {
        row("tainted by", &format!("{} ({})", taint.from, taint.tier.word()));
    }
    for similar in &view.similar_to {
        row("similar to", &format!("{} ({:.2})", similar.id, similar.similarity));
    }
    for wording in &view.wordings {
        row("also said as", wording);
    }
    row("created", &format!("{} by {}", &view.created[..10], view.created_by));
    if view.updated != view.created {
        row("updated", &view.updated[..10]);
    }
    row("file", view.file.as_deref().unwrap_or(""));
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(words).collect::<Vec<_>>().join("; "),
        Value::Object(map) => match map.get("at").and_then(Value::as_str) {
            Some(at) => at.to_owned(),
            None => map
                .iter()
                .map(|(name, value)| format!("{name}: {}", words(value)))
                .collect::<Vec<_>>()
                .join(", "),
        },
        other => other.to_string(),
    }
}

pub(super) fn why(session: &Session, args: &NameArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let answer = match &args.as_of {
        Some(when) => {
            let mut answer = ken.why_as_of(when, &args.id)?;
            answer.history = as_asked(answer.history);
            answer
        }
        None => ken.why(&args.id)?,
    };
    session.notes(&mut ken);
    session.output.answer(&answer, || {
        let title = match answer.entry.status {
            Status::Rejected => "(kept out)",
            _ => answer.entry.fields.get("title").and_then(Value::as_str).unwrap_or_default(),
        };
        let room = width().saturating_sub(answer.entry.handle.chars().count() + 2);
        println!("{}  {}", bold(&answer.entry.handle), cut(title, room));
        for sentence in &answer.because {
            println!("  - {}", wrap(sentence, 4, width()).trim_start());
        }
        println!();
        answer.history.iter().for_each(tell);
    })?;
    Ok(exit::OK)
}

pub(super) fn log(session: &Session, args: &LogArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let mut happenings: Vec<(String, Vec<Happening>)> = Vec::new();
    let mut overlay = Overlay::default();
    let snapshot = args.as_of.as_deref().map(|when| ken.as_of(when)).transpose()?;
    match &args.id {
        Some(id) => {
            let history = match &snapshot {
                Some(snapshot) => as_asked(ops::history::log(snapshot, id)?),
                None => ken.log(id)?,
            };
            if snapshot.is_none() {
                overlay = ken.overlay(id)?;
            }
            happenings.push((String::new(), history));
        }
        None => {
            let query = Query { all: true, limit: args.limit.max(1), ..Query::default() };
            let page = match &snapshot {
                Some(snapshot) => ops::read::list(snapshot, &query, ken.now())?,
                None => ken.list(&query)?,
            };
            for entry in page.entries {
                let history = match &snapshot {
                    Some(snapshot) => as_asked(ops::history::log(snapshot, &entry.id)?),
                    None => ken.log(&entry.id)?,
                };
                let room = width().saturating_sub(entry.handle.chars().count() + 2);
                happenings.push((format!("{}  {}", entry.handle, cut(&entry.title, room)), history));
            }
        }
    }
    session.notes(&mut ken);
    let events: Vec<&Happening> = happenings.iter().flat_map(|(_, history)| history).collect();
    let mut answer = json!({"events": events});
    if !overlay.is_empty() {
        answer["overlay"] = json!(overlay);
    }
    session.output.answer(&answer, || {
        for sentence in overlay.told() {
            println!("  {}", wrap(&sentence, 2, width()).trim_start());
        }
        for (title, history) in &happenings {
            if !title.is_empty() {
                println!("{}", bold(title));
            }
            history.iter().for_each(tell);
        }
    })?;
    Ok(exit::OK)
}

/// In an answer about the past every event is where it was asked for.
fn as_asked(mut history: Vec<Happening>) -> Vec<Happening> {
    history.iter_mut().for_each(|happening| happening.on_this_branch = true);
    history
}

fn tell(happening: &Happening) {
    let mark = match (happening.on_this_branch, happening.deferred) {
        (true, _) => "",
        (false, true) => " (waits in the journal)",
        (false, false) => " (not on this branch)",
    };
    let at = happening.at.get(..16).unwrap_or(&happening.at).replace('T', " ");
    let taken = 2 + 10 + 1 + 16 + 2 + happening.actor.chars().count() + 2 + mark.chars().count();
    let summary = cut(&happening.summary, width().saturating_sub(taken).max(20));
    println!("  {} {at}  {}  {summary}{mark}", dim(&happening.hash[..10]), happening.actor);
}
