//! An entry: what it says, what it rests on, whether it holds, who was shown it, what happened to it.

use askama::Template;
use serde_json::{Value, json};

use super::{Page, render};
use crate::answers::{BeliefHistory, Code, Entries, Entry, Event, Excerpt, Quarantined, Shown, Why};
use crate::ask::ask;
use crate::layout::{Layout, Notice};
use crate::limits::{BELIEF_POINTS_MAX, CITATIONS_MAX, CONTRADICTIONS_MAX, EVENTS_SHOWN, EXPOSURES_SHOWN};
use crate::parts::{Meter, minute, shown};
use crate::visit::{Problem, Visit};
use crate::words::{self, Stretch};

#[derive(Template)]
#[template(path = "entry.html")]
struct EntryPage<'a> {
    layout: Layout<'a>,
    entry: Entry,
    because: Vec<String>,
    /// The runs that failed and that it has to do with.
    failures: Vec<String>,
    meter: Meter,
    belief: BeliefHistory,
    /// Changes of belief before those that are drawn.
    earlier: usize,
    /// Citations beyond those that are listed.
    citations_more: usize,
    code: Vec<Sides>,
    others: Vec<Contradiction>,
    events: Vec<Line>,
    events_total: usize,
    exposures_total: usize,
    fields: Vec<(String, String)>,
    /// What the quarantine of this clone holds of it.
    held: Vec<(String, String)>,
    /// Names that: a release is of these words.
    held_words: String,
    /// Why that is not shown.
    held_back: Option<Problem>,
    /// Its anchors and its verification steps, one on each line.
    anchors: String,
    steps: String,
    tags: String,
    /// Where it can be promoted to.
    reaches: Vec<(&'static str, &'static str)>,
    is_pinned: bool,
    is_muted: bool,
    is_norm: bool,
}

/// An entry that contradicts this one, beside it.
struct Contradiction {
    entry: Entry,
    meter: Meter,
    ours: Vec<Stretch>,
    theirs: Vec<Stretch>,
}

/// The code at an anchor, as it was captured and as it is now.
struct Sides {
    at: String,
    verdict: String,
    why: String,
    captured: Option<Side>,
    now: Option<Side>,
}

struct Side {
    title: String,
    lines: Vec<CodeLine>,
    cut: bool,
}

struct CodeLine {
    number: u64,
    text: String,
    /// The other side does not have this line.
    differs: bool,
}

/// An event of the history.
struct Line {
    at: String,
    actor: String,
    summary: String,
    /// What was changed, from and to.
    detail: String,
}

pub(crate) fn page(visit: &Visit<'_>, id: &str, notice: Option<Notice>) -> Page {
    let given = json!({"ids": [id], "code": true, "exposures": true});
    let entry: Entry = ask(visit, "show", given)?;
    let why: Why = ask(visit, "why", json!({"id": entry.id}))?;
    let mut belief: BeliefHistory = ask(visit, "belief", json!({"id": entry.id}))?;
    let earlier = belief.history.len().saturating_sub(BELIEF_POINTS_MAX);
    belief.history.drain(..earlier);
    let (held, held_words, held_back) = match entry.status.as_str() {
        "rejected" => match quarantined(visit, &entry.id) {
            Ok((held, words)) => (held, words, None),
            // Its words are for a person: nobody else is shown them.
            Err(problem) if problem.status < 500 => (Vec::new(), String::new(), Some(problem)),
            Err(problem) => return Err(problem),
        },
        _ => (Vec::new(), String::new(), None),
    };
    let others = contradictions(visit, &entry)?;
    let code = entry.code.iter().map(|code| Sides::new(code, &entry)).collect();
    let events_total = why.history.len();
    let skipped = match visit.asked("history") {
        Some("all") => 0,
        _ => events_total.saturating_sub(EVENTS_SHOWN),
    };
    let events = why.history.iter().skip(skipped).rev().map(Line::new).collect();
    let title = if entry.title.is_empty() { entry.handle.clone() } else { entry.title.clone() };
    let mut entry = entry;
    entry.exposures = counted(std::mem::take(&mut entry.exposures));
    let exposures_total = entry.exposures.len();
    entry.exposures.reverse();
    entry.exposures.truncate(EXPOSURES_SHOWN);
    let citations_more = entry.provenance.len().saturating_sub(CITATIONS_MAX);
    entry.provenance.truncate(CITATIONS_MAX);
    let fields = entry.other.iter().filter(|(name, _)| !HIDDEN_FIELDS.contains(&name.as_str()));
    let fields = fields.map(|(name, value)| (name.replace('_', " "), shown(value)));
    // The rule of a norm is its statement.
    let fields = fields.filter(|(_, text)| entry.statement.is_empty() || *text != entry.statement).collect();
    render(&EntryPage {
        layout: Layout::new(visit, "/search", title).noting(notice).with_charts(),
        meter: Meter::new(&entry.belief),
        anchors: entry.anchors.iter().map(|anchor| anchor.at.as_str()).collect::<Vec<_>>().join("\n"),
        steps: entry.verification.iter().map(shown).collect::<Vec<_>>().join("\n"),
        tags: entry.tags.join(", "),
        reaches: reaches(&entry),
        is_pinned: entry.overlay.pinned.is_some(),
        is_muted: entry.overlay.muted.is_some() || entry.overlay.invalidated.is_some(),
        is_norm: entry.memory == "procedural",
        failures: [&entry.failed_source, &entry.failed_last]
            .into_iter()
            .filter(|failed| !failed.is_empty())
            .cloned()
            .collect(),
        because: why.because,
        belief,
        earlier,
        citations_more,
        code,
        others,
        events,
        events_total,
        exposures_total,
        fields,
        held,
        held_words,
        held_back,
        entry,
    })
}

/// How one entry can be linked to another.
const RELATIONS: &[(&str, &str)] = &[
    ("relates_to", "relates to"),
    ("supports", "supports"),
    ("contradicts", "contradicts"),
    ("depends_on", "depends on"),
    ("part_of", "part of"),
];
/// What a norm can be.
const NORM_TYPES: &[(&str, &str)] = &[
    ("commit_norm", "commit norm"),
    ("pr_expectation", "PR expectation"),
    ("user_expectation", "user expectation"),
    ("risk_tier", "risk tier"),
];

/// Where an entry can be promoted to.
fn reaches(entry: &Entry) -> Vec<(&'static str, &'static str)> {
    let all = [
        ("project", "the project", entry.scope == "thread"),
        ("global", "every repository of mine (global)", true),
        ("procedural", "a norm of the team (an approver decides)", true),
        ("semantic", "knowledge (an approver decides)", entry.memory == "episodic"),
    ];
    all.into_iter().filter(|(_, _, can)| *can).map(|(to, label, _)| (to, label)).collect()
}

/// The same exposure in the same run counts as one, with how often it happened.
fn counted(exposures: Vec<Shown>) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for one in exposures {
        let same =
            |known: &&mut Shown| (&known.run, &known.agent, &known.how) == (&one.run, &one.agent, &one.how);
        match all.iter_mut().find(same) {
            Some(known) => known.times += 1,
            None => all.push(Shown { times: 1, ..one }),
        }
    }
    all
}

/// Fields that the page shows elsewhere, or that are for programs.
const HIDDEN_FIELDS: &[&str] =
    &["key", "schema_version", "admission", "not_run", "events_elsewhere", "approved", "embedding", "origin"];

fn quarantined(visit: &Visit<'_>, id: &str) -> Result<(Vec<(String, String)>, String), Problem> {
    let answer: Quarantined = ask(visit, "show", json!({"ids": [id], "quarantined": true}))?;
    let words = answer.words();
    let mut fields = Vec::new();
    for held in answer.entries.into_iter().filter_map(|entry| entry.held) {
        for name in ["by", "at", "fields"] {
            flatten(&mut fields, if name == "fields" { "" } else { name }, &held[name]);
        }
    }
    Ok((fields, words))
}

/// A value as lines of names and texts.
fn flatten(fields: &mut Vec<(String, String)>, name: &str, value: &Value) {
    match value {
        Value::Object(members) => {
            for (member, value) in members {
                let name = if name.is_empty() { member.clone() } else { format!("{name} {member}") };
                flatten(fields, &name, value);
            }
        }
        Value::Array(values) if values.iter().any(Value::is_object) => {
            values.iter().for_each(|value| flatten(fields, name, value))
        }
        Value::Null => {}
        other => fields.push((name.replace('_', " "), shown(other))),
    }
}

fn contradictions(visit: &Visit<'_>, entry: &Entry) -> Result<Vec<Contradiction>, Problem> {
    let links = entry.links.iter().chain(&entry.linked_from);
    let mut ids: Vec<&str> =
        links.filter(|link| link.relation == "contradicts").map(|link| link.to.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(CONTRADICTIONS_MAX);
    let others: Vec<Entry> = match ids.as_slice() {
        [] => Vec::new(),
        [id] => ask(visit, "show", json!({"ids": [id]})).into_iter().collect(),
        ids => ask::<Entries>(visit, "show", json!({"ids": ids}))
            .map(|answer| answer.entries)
            .unwrap_or_default(),
    };
    let beside = |other: Entry| {
        let (ours, theirs) = words::compare(&entry.statement, &other.statement);
        Contradiction { meter: Meter::new(&other.belief), entry: other, ours, theirs }
    };
    Ok(others.into_iter().map(beside).collect())
}

impl Sides {
    fn new(code: &Code, entry: &Entry) -> Sides {
        let held = entry.validity.anchors.iter().find(|held| held.at == code.at);
        let text = |side: &Option<Excerpt>| side.as_ref().map(|one| one.text.clone());
        let (captured, now) = (text(&code.captured), text(&code.now));
        Sides {
            at: code.at.clone(),
            verdict: held.map(|held| held.verdict.clone()).unwrap_or_default(),
            why: match code.why.is_empty() {
                true => held.map(|held| held.why.clone()).unwrap_or_default(),
                false => code.why.clone(),
            },
            captured: code.captured.as_ref().map(|side| Side::new(side, now.as_deref())),
            now: code.now.as_ref().map(|side| Side::new(side, captured.as_deref())),
        }
    }
}

impl Side {
    /// A line that the other side has somewhere is taken to be the same. Without another side nothing is known to differ.
    fn new(excerpt: &Excerpt, other: Option<&str>) -> Side {
        let theirs: std::collections::BTreeSet<&str> =
            other.unwrap_or_default().lines().map(str::trim).collect();
        let line = |(at, text): (usize, &str)| CodeLine {
            number: excerpt.line + at as u64,
            text: text.to_owned(),
            differs: other.is_some() && !theirs.contains(text.trim()),
        };
        let lines: Vec<CodeLine> = excerpt.text.lines().enumerate().map(line).collect();
        Side { title: format!("{}:{}", excerpt.path, excerpt.line), lines, cut: excerpt.cut }
    }
}

impl Line {
    fn new(event: &Event) -> Line {
        let detail = match event.data.get("set").or(event.data.get("fields")) {
            Some(Value::Object(fields)) if event.kind == "entry.revised" => fields
                .iter()
                .map(|(name, value)| format!("{name}: {}", shown(value)))
                .collect::<Vec<_>>()
                .join("; "),
            _ => String::new(),
        };
        Line { at: minute(&event.at), actor: event.actor.clone(), summary: summary(event), detail }
    }
}

/// What happened. Of an entry in quarantine the answer says no more than the name of the event.
fn summary(event: &Event) -> String {
    let (group, name) = event.kind.split_once('.').unwrap_or(("", &event.kind));
    let is_name = event.summary == event.kind || group == "entry" && event.summary == name;
    match (is_name, event.kind.as_str()) {
        (false, _) => event.summary.clone(),
        (true, "run.exposed") => "shown".to_owned(),
        (true, "run.missed") => "was the best result, but too weak".to_owned(),
        (true, "belief.observed") => "used".to_owned(),
        (true, "belief.reset") => "belief reset".to_owned(),
        (true, "link.proposed") => "likely duplicate of another entry".to_owned(),
        (true, "link.dismissed") => "not a duplicate".to_owned(),
        (true, _) => name.replace('_', " "),
    }
}
