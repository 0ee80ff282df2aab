//! Knowledge that reaches beyond a project: `promote --to global` (DRI-2).

use ken_engine::{Caller, Ledger};
use std::collections::BTreeSet;
use std::path::PathBuf;

use ken_core::answer::ChangeOutcome;
use ken_core::decide::Change;
use ken_core::decide::Outcome;
use ken_core::entry::ORIGINS;
use ken_core::words::normalise_statement;
use ken_core::{Citation, Code, Entry, EntryKey, Refusal, Scope};
use ken_recall::Question;
use serde_json::{Map, Value, json};

use crate::limits::global::{LOOKED_AT_MAX, PROJECTS_MIN};
use crate::{
    Access, AddInput, ChangeAnswer, ModelsInUse, OnAbsent, Options, PromotionPlan, Query, Reach, Result,
    Site, Stored, ops,
};

/// Puts an entry into the global store as well. It keeps its origin and its evidence, and says nothing of this repository
/// outside of them (IN-4).
///
/// `seen_in` are folders of other projects that hold the same statement; `DIR#ID` is a person's word that another one is the same.
pub fn promote_to_global(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    name: &str,
    seen_in: &[PathBuf],
    statement: Option<&str>,
    reason: &str,
) -> Result<ChangeAnswer> {
    ledger.may_write()?;
    let (stored, origins) = may_become_global(ledger, site, caller, name, seen_in, statement)?;
    let global = site.workspace.global_or_make(caller.outside_of_runs())?;
    let mut global = global.ok_or_else(|| Refusal::new(Code::NotAllowed, "this is the global store"))?;
    let input = global_input(&stored.entry, statement, &origins, reason);
    let before = known_origins(&mut global.ledger, &global.site, &mut global.models, &global.caller, &input)?;
    let projects = enough_projects(&stored, &before, &origins)?;
    let added =
        crate::add::state(&mut global.ledger, &global.site, &mut global.models, &global.caller, input)?;
    if added.is_rejected() {
        let message = format!("the global store quarantined it: {}", added.reasons.join("; "));
        return Err(Refusal::new(Code::Rejected, message).into());
    }
    let mut reasons = vec![format!("in the global store now, from {}", projects.join(", "))];
    let is_new = matches!(added.outcome, Outcome::Added | Outcome::Held);
    let mut changed = is_new || added.outcome == Outcome::Restored;
    if !is_new {
        changed |= add_origins(
            &mut global.ledger,
            &global.site,
            &mut global.models,
            &global.caller,
            &added.id,
            &origins,
        )?;
    }
    reasons.extend(added.reasons.into_iter().filter(|_| is_new));
    let outcome = ChangeOutcome::from_changed(changed);
    let head = ken_engine::view::head(&ops::find(&*global.ledger, &added.id)?);
    Ok(ChangeAnswer { outcome, head, reasons, superseded_by: None, is_successor_new: false })
}

/// What [`promote_to_global`] would do. A global store that is not there is not made.
pub fn plan_promote_to_global(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    name: &str,
    seen_in: &[PathBuf],
    statement: Option<&str>,
    reason: &str,
) -> Result<PromotionPlan> {
    let (stored, origins) = may_become_global(ledger, site, caller, name, seen_in, statement)?;
    let input = global_input(&stored.entry, statement, &origins, reason);
    let outside = caller.outside_of_runs();
    // A decision is made in the name of a clone, which a store that is only read may not have.
    let global = site.workspace.global_on_behalf_of(outside, Access::Write)?;
    let (would, before) = match global {
        Some(mut global) => (
            Some(crate::add::would_add(
                &mut global.ledger,
                &global.site,
                &mut global.models,
                &global.caller,
                input.clone(),
            )?),
            known_origins(&mut global.ledger, &global.site, &mut global.models, &global.caller, &input)?,
        ),
        None => (None, Vec::new()),
    };
    let projects = enough_projects(&stored, &before, &origins)?.join(", ");
    let mut steps = Vec::new();
    match would {
        None => {
            steps.push("create the global store".to_owned());
            steps.push(format!("add it there, as learned in {projects}"));
        }
        Some(would) if would.is_rejected() => {
            let message = format!("the global store would reject it: {}", would.reasons.join("; "));
            return Err(Refusal::new(Code::Rejected, message).into());
        }
        Some(would) if matches!(would.outcome, Outcome::Added | Outcome::Held) => {
            steps.push(format!("add it to the global store, as learned in {projects}"));
        }
        Some(would) => {
            steps.push(format!("note at {} of the global store that {projects} learned it", would.id));
        }
    }
    Ok(PromotionPlan { dry_run: true, id: stored.id, to: "global".to_owned(), steps })
}

/// The entry, and the projects that it is known from here, if it may reach every project.
fn may_become_global(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    name: &str,
    seen_in: &[PathBuf],
    statement: Option<&str>,
) -> Result<(Stored, Vec<Value>)> {
    if site.options.global {
        return Err(Refusal::new(Code::NotAllowed, "this is the global store").into());
    }
    let stored = ops::find(&**ledger, name)?;
    let entry = stored.entry.clone();
    if !entry.status.is_retrieved() {
        let message = format!(
            "{} is {}; only candidate, active and verified entries can be promoted",
            stored.id, entry.status
        );
        return Err(Refusal::new(Code::NotAllowed, message).into());
    }
    if entry.memory() != ken_core::Memory::Semantic {
        let message =
            format!("{} is {}; only semantic entries can become global", stored.id, entry.memory().word());
        return Err(
            Refusal::new(Code::DirectionalFlow, format!("directional flow violation: {message}")).into()
        );
    }
    if statement.is_some() {
        caller.require_human("saying it in other words for every project")?;
    }
    let here = crate::repository::project(site);
    let mut origins = vec![origin(&here, &stored)];
    for place in seen_in {
        origins.push(seen_elsewhere(ledger, site, caller, &entry, place)?);
    }
    Ok((stored, origins))
}

/// Names further projects that learned an entry of this, global, store. Says whether there were any.
fn add_origins(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    name: &str,
    origins: &[Value],
) -> Result<bool> {
    let stored = ops::find(&**ledger, name)?;
    let mut attributes = stored.entry.fields.attributes.clone();
    let known = attributes.entry(ORIGINS).or_insert_with(|| json!([]));
    let Value::Array(known) = known else { return Ok(false) };
    let project = |origin: &Value| origin.get("project").cloned();
    let before = known.len();
    for origin in origins {
        if known.iter().all(|other| project(other) != project(origin)) {
            known.push(origin.clone());
        }
    }
    if known.len() == before {
        return Ok(false);
    }
    let set = Map::from_iter([("attributes".to_owned(), Value::Object(attributes))]);
    crate::edit::revise(ledger, site, models, caller, name, Change { set, ..Change::default() }, &[], true)?;
    Ok(true)
}

/// The projects that an entry of this, global, store came from.
fn known_origins(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: &AddInput,
) -> Result<Vec<String>> {
    let would = crate::add::would_add(ledger, site, models, caller, input.clone())?;
    let Some(stored) = ops::find_any(&**ledger, &would.id)? else { return Ok(Vec::new()) };
    let origins = stored.entry.fields.attributes.get(ORIGINS).and_then(Value::as_array).cloned();
    let project = |origin: &Value| origin.get("project").and_then(Value::as_str).map(str::to_owned);
    Ok(origins.unwrap_or_default().iter().filter_map(project).collect())
}

/// What another project's store holds of the same.
fn seen_elsewhere(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    entry: &Entry,
    place: &std::path::Path,
) -> Result<Value> {
    let text = place.to_string_lossy();
    let (folder, id) = match text.rsplit_once('#') {
        Some((folder, id)) => (PathBuf::from(folder), Some(id.to_owned())),
        None => (place.to_owned(), None),
    };
    if id.is_some() {
        caller.require_human("saying that two entries are the same")?;
    }
    if !folder.is_dir() {
        let message = format!("{} is not a folder", folder.display());
        return Err(Refusal::new(Code::NotFound, message).field("seen-in").into());
    }
    let options = Options { from: folder.clone(), store: None, read_only: true, ..site.options.clone() };
    let other = Reach::open(site.workspace.adapters(), options, caller.clone())?;
    let real = |path: &std::path::Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if real(&other.site.layout.store) == real(&site.layout.store) {
        let message = format!("{} is this project", folder.display());
        return Err(Refusal::new(Code::Invalid, message).field("seen-in").into());
    }
    let found = match id {
        Some(id) => Some(ops::find(&*other.ledger, &id)?),
        None => says_the_same(&other.ledger, entry)?,
    };
    // A copy, or a clone, of this project has learned nothing on its own: it holds the very same events.
    if let Some(stored) = &found {
        let own: BTreeSet<_> =
            ledger.history(entry.key)?.into_iter().map(|placed| placed.event.hash).collect();
        let theirs = other.ledger.history(stored.entry.key)?;
        if theirs.iter().any(|placed| own.contains(&placed.event.hash)) {
            let message = format!("{} has only a copy of this project's entry", folder.display());
            return Err(Refusal::new(Code::NotAllowed, message).field("seen-in").into());
        }
    }
    match found {
        Some(stored) => Ok(origin(&crate::repository::project(&other.site), &stored)),
        None => Err(Refusal::new(
            Code::NotFound,
            format!("{} does not contain the same statement", folder.display()),
        )
        .hint("write DIR#ID to name the equivalent entry")
        .field("seen-in")
        .into()),
    }
}

/// The entry of this store that makes the same claim. An entry that was born in a thread keeps that name, so the words decide.
fn says_the_same(ledger: &Ledger, entry: &Entry) -> Result<Option<Stored>> {
    let Some(kind) = entry.kind.known() else { return Ok(None) };
    let claim = entry.fields.claim(kind);
    let reaches =
        |stored: &Stored| stored.entry.status.is_retrieved() && stored.entry.fields.scope() != Scope::Thread;
    let in_project = EntryKey::derive(kind.word(), Scope::Project.word(), &claim);
    for key in [entry.key, in_project] {
        if let Some(stored) = ledger.stored(key)?.filter(reaches) {
            return Ok(Some(stored));
        }
    }
    let question = Question::plain(&entry.fields.statement());
    let near = ledger.worded_like(&[question], &Query::default(), LOOKED_AT_MAX)?;
    for key in near.into_iter().flatten() {
        let same = |stored: &Stored| {
            stored.entry.kind == entry.kind
                && normalise_statement(&stored.entry.fields.claim(kind)) == normalise_statement(&claim)
        };
        if let Some(stored) = ledger.stored(key)?.filter(|stored| reaches(stored) && same(stored)) {
            return Ok(Some(stored));
        }
    }
    Ok(None)
}

/// Where a global entry comes from: the only part of it that may speak of a repository.
fn origin(project: &str, stored: &Stored) -> Value {
    let anchors: Vec<&str> = stored.entry.fields.anchors.iter().map(|anchor| anchor.at.as_str()).collect();
    let evidence = |citation: &Citation| format!("{}:{}", citation.evidence_type, citation.evidence_ref);
    let evidence: Vec<String> = stored.entry.evidence().map(evidence).collect();
    json!({
        "project": project,
        "entry": stored.id,
        "anchors": anchors,
        "verification": stored.entry.fields.verification,
        "evidence": evidence,
    })
}

fn global_input(entry: &Entry, statement: Option<&str>, origins: &[Value], reason: &str) -> AddInput {
    let fields = serde_json::to_value(&entry.fields).unwrap_or_default();
    let mut content: Map<String, Value> = Map::new();
    for name in [
        "title",
        "statement",
        "summary",
        "tags",
        "domains",
        "polarity",
        "subtype",
        "decay_class",
        "reviewer",
        "role",
        "severity",
        "severity_word",
        "confidence",
        "subject",
    ] {
        if let Some(value) = fields.get(name) {
            content.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(statement) = statement {
        content.insert("statement".to_owned(), statement.into());
        content.remove("title");
    }
    content.insert("scope".to_owned(), Scope::Global.word().into());
    content.insert("attributes".to_owned(), json!({ ORIGINS: origins, "promoted_because": reason }));
    AddInput {
        kind: Some(entry.kind.word().to_owned()),
        content,
        evidence: entry
            .evidence()
            .map(|citation| format!("{}:{}", citation.evidence_type, citation.evidence_ref))
            .collect(),
        draft: true,
        // The project looked for it.
        on_absent: OnAbsent::Gap,
        ..AddInput::default()
    }
}

/// The projects that learned an entry; refused where they are too few for all.
fn enough_projects(stored: &Stored, before: &[String], origins: &[Value]) -> Result<Vec<String>> {
    let mut projects: Vec<String> = before.to_vec();
    projects.extend(origins.iter().filter_map(|origin| origin["project"].as_str()).map(str::to_owned));
    projects.sort_unstable();
    projects.dedup();
    if projects.len() < PROJECTS_MIN {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("{} was learned only in {}; at least {PROJECTS_MIN} projects are required", stored.id, projects.join(", ")),
        )
        .hint("name another project with the same statement: --seen-in DIR; or an equivalent entry, confirmed by a person: --seen-in DIR#ID")
        .field("seen-in")
        .into());
    }
    Ok(projects)
}
