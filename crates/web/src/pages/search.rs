//! Search: entries by a question, narrowed by what they are; without a question, the list of them.

use std::collections::BTreeSet;

use askama::Template;
use serde_json::{Value, json};

use super::{Page, render};
use crate::answers::{Belief, Check, List, Listed, Match, Named, Overlay, Part, Search};
use crate::ask::ask;
use crate::layout::{Layout, Notice};
use crate::limits::{CHECKED_MAX, PAGE_LEN, RECENT_MAX, RESULTS_MAX};
use crate::parts::{Meter, day};
use crate::visit::{Problem, Visit};

/// Words to choose from: what is asked, and what people read.
type Words = &'static [(&'static str, &'static str)];

/// What entries can be narrowed by, and the words it has; none: any word.
const FACETS: &[(&str, &str, Words)] = &[
    ("memory", "Memory", &[("semantic", "semantic"), ("procedural", "procedural"), ("episodic", "episodic")]),
    (
        "type",
        "Type",
        &[
            ("lesson", "lesson"),
            ("pattern", "pattern"),
            ("experience", "experience"),
            ("skill", "skill"),
            ("spike", "spike"),
            ("incident", "incident"),
            ("entity", "entity"),
            ("relationship", "relationship"),
            ("false_positive", "false positive"),
            ("commit_norm", "commit norm"),
            ("pr_expectation", "PR expectation"),
            ("user_expectation", "user expectation"),
            ("risk_tier", "risk tier"),
            ("signal", "signal"),
            ("friction", "friction"),
            ("observation", "observation"),
        ],
    ),
    (
        "subtype",
        "Sub-type",
        &[
            ("decision", "decision"),
            ("convention", "convention"),
            ("learning", "learning"),
            ("bug", "bug"),
            ("technique", "technique"),
            ("pattern", "pattern"),
            ("anti_pattern", "anti-pattern"),
            ("trajectory", "trajectory"),
            ("tool_error", "tool error"),
            ("redo", "redo"),
            ("validation_fail", "failed validation"),
        ],
    ),
    (
        "status",
        "Status",
        &[
            ("candidate", "candidate"),
            ("active", "active"),
            ("verified", "verified"),
            ("stale", "stale"),
            ("archived", "archived"),
            ("superseded", "superseded"),
            ("retracted", "retracted"),
            ("rejected", "quarantined"),
            ("all", "every status"),
        ],
    ),
    (
        "verdict",
        "Verdict",
        &[
            ("fresh", "fresh"),
            ("moved", "moved"),
            ("drifted", "drifted"),
            ("broken", "broken"),
            ("unverifiable", "unverifiable"),
        ],
    ),
    ("scope", "Scope", &[("thread", "thread"), ("project", "project"), ("global", "global")]),
    (
        "age",
        "Changed within",
        &[("1d", "a day"), ("7d", "a week"), ("4w", "four weeks"), ("13w", "a quarter")],
    ),
    ("domain", "Domain", &[]),
    ("tag", "Tag", &[]),
    ("reviewer", "Reviewer", &[]),
];

/// A choice among what entries are.
struct Facet {
    name: &'static str,
    label: &'static str,
    words: Vec<Word>,
    /// What is chosen.
    value: String,
    /// Words to offer where any may be typed.
    offered: Vec<String>,
}

struct Word {
    value: &'static str,
    label: &'static str,
    chosen: bool,
}

/// A domain or a tag, and the filter that finds more of it.
struct Label {
    facet: &'static str,
    name: String,
}

/// Domains, then the tags that say something else.
fn labels(domains: Vec<String>, tags: Vec<String>) -> Vec<Label> {
    let mut labels: Vec<Label> = domains.into_iter().map(|name| Label { facet: "domain", name }).collect();
    for name in tags {
        if !labels.iter().any(|label| label.name == name) {
            labels.push(Label { facet: "tag", name });
        }
    }
    labels
}

/// A line of the result.
struct Line {
    id: String,
    handle: String,
    kind: String,
    status: String,
    title: String,
    text: String,
    verdict: String,
    trouble: String,
    /// Entries that say the opposite.
    competing: Vec<Named>,
    meter: Option<Meter>,
    labels: Vec<Label>,
    facts: Vec<String>,
    gaps: Vec<String>,
    pinned: bool,
    hidden: bool,
    score: f64,
    parts: Vec<Part>,
    /// Why it comes after a line with a lower score.
    held_back: String,
}

#[derive(Template)]
#[template(path = "search.html")]
struct Results<'a> {
    layout: Layout<'a>,
    facets: Vec<Facet>,
    lines: Vec<Line>,
    query: String,
    /// One sentence above the result.
    summary: String,
    note: Option<String>,
    next: Option<String>,
    narrowed: bool,
    /// What is shown can be accepted at once: its code only moved.
    moved: bool,
    problem: Option<Problem>,
}

pub(crate) fn page(visit: &Visit<'_>, notice: Option<Notice>) -> Page {
    let query = visit.asked("q").unwrap_or_default().to_owned();
    let title = if query.is_empty() { "Search".to_owned() } else { format!("{query} · Search") };
    let mut layout = Layout::new(visit, "/search", title).noting(notice);
    layout.searches = true;
    let found = match (query.is_empty(), visit.asked("verdict")) {
        (false, _) => search(visit, &query),
        (true, Some(verdict)) => checked(visit, verdict),
        (true, None) => list(visit),
    };
    let (found, problem) = match found {
        Ok(found) => (found, None),
        // What cannot be asked so is said where the results would be: it may be half typed.
        Err(problem) if problem.status < 500 => (Found::default(), Some(problem)),
        Err(problem) => return Err(problem),
    };
    let narrowed = FACETS.iter().any(|(name, _, _)| visit.asked(name).is_some());
    let moved = query.is_empty() && visit.asked("verdict") == Some("moved") && layout.may_write();
    let Found { lines, summary, note, next, offered } = found;
    let next = next.map(|cursor| {
        let kept = visit.query.iter().filter(|(name, value)| name != "after" && !value.is_empty());
        let mut fields: Vec<String> = kept
            .map(|(name, value)| format!("{}={}", crate::parts::escaped(name), crate::parts::escaped(value)))
            .collect();
        fields.push(format!("after={}", crate::parts::escaped(&cursor)));
        format!("/search?{}", fields.join("&"))
    });
    render(&Results {
        layout,
        facets: facets(visit, &offered),
        lines,
        query,
        summary,
        note,
        next,
        narrowed,
        moved,
        problem,
    })
}

#[derive(Default)]
struct Found {
    lines: Vec<Line>,
    summary: String,
    note: Option<String>,
    next: Option<String>,
    /// Words of the entries themselves: domains, tags, reviewers.
    offered: [BTreeSet<String>; 3],
}

fn search(visit: &Visit<'_>, query: &str) -> Result<Found, Problem> {
    let mut words = vec![query.to_owned()];
    for name in ["domain", "tag", "scope", "reviewer", "status"] {
        match visit.asked(name) {
            Some("all") if name == "status" => {}
            Some(value) => words.push(format!("{name}:{}", value.replace(char::is_whitespace, "-"))),
            None => {}
        }
    }
    let given = json!({
        "query": [words.join(" ")],
        "limit": RESULTS_MAX,
        "tier": "standard",
        "no_explore": true,
        "all": visit.asked("status") == Some("all"),
        "memory": list_of(visit, "memory"),
        "type": list_of(visit, "type"),
        "subtype": list_of(visit, "subtype"),
    });
    let answer: Search = ask(visit, "search", given)?;
    let mut lines: Vec<Line> = answer.results.into_iter().map(Line::from_match).collect();
    if let Some(verdict) = visit.asked("verdict") {
        lines.retain(|line| line.verdict == verdict);
    }
    if let Some(age) = visit.asked("age") {
        let given = json!({"since": age, "all": true, "limit": RECENT_MAX});
        let recent: List = ask(visit, "list", given)?;
        let recent: BTreeSet<String> = recent.items.into_iter().map(|entry| entry.id).collect();
        lines.retain(|line| recent.contains(&line.id));
    }
    let summary = match lines.len() {
        0 => String::new(),
        RESULTS_MAX => format!("The best {RESULTS_MAX} results"),
        some => crate::parts::count(some as u64, "result", "results"),
    };
    let note = match answer.status.as_str() {
        "degraded" => Some(format!("A part of the search could not run: {}.", answer.fallback)),
        _ if !answer.fallback.is_empty() => Some(format!("Keyword search only: {}.", answer.fallback)),
        _ => None,
    };
    Ok(Found { lines, summary, note, ..Found::default() })
}

fn list(visit: &Visit<'_>) -> Result<Found, Problem> {
    let status = visit.asked("status");
    let all = status == Some("all");
    // Raw records are listed for who asks for them, as in a search.
    let knowledge = || json!(["semantic", "procedural"]);
    let names_records = visit.asked("type").is_some() || visit.asked("subtype").is_some();
    let given = json!({
        "memory": list_of(visit, "memory").or_else(|| (!names_records).then(knowledge)),
        "type": list_of(visit, "type"),
        "subtype": list_of(visit, "subtype"),
        "status": status.filter(|_| !all).map(|status| vec![status]),
        "all": all,
        "domain": visit.asked("domain"),
        "tag": list_of(visit, "tag"),
        "scope": visit.asked("scope"),
        "reviewer": visit.asked("reviewer"),
        "since": visit.asked("age"),
        "limit": PAGE_LEN,
        "cursor": visit.asked("after"),
    });
    let answer: List = ask(visit, "list", given)?;
    let mut offered: [BTreeSet<String>; 3] = Default::default();
    for entry in &answer.items {
        offered[0].extend(entry.domains.iter().cloned());
        offered[1].extend(entry.tags.iter().cloned());
        offered[2].extend(Some(entry.reviewer.clone()).filter(|name| !name.is_empty()));
    }
    let lines: Vec<Line> = answer.items.into_iter().map(Line::from_listed).collect();
    let total = crate::parts::count(answer.total, "entry", "entries");
    let summary = match lines.len() as u64 {
        0 => String::new(),
        some if some == answer.total => total,
        some => format!("{some} of {total}"),
    };
    let next = Some(answer.cursor).filter(|cursor| !cursor.is_empty());
    Ok(Found { lines, summary, next, offered, ..Found::default() })
}

/// Entries with a verdict: what `check` says of all of them.
fn checked(visit: &Visit<'_>, verdict: &str) -> Result<Found, Problem> {
    let answer: Check = ask(visit, "check", json!({}))?;
    let wanted = |field: &str, value: &str| visit.asked(field).is_none_or(|wanted| wanted == value);
    let entries = answer.entries.into_iter().filter(|entry| {
        entry.verdict == verdict
            && wanted("memory", &entry.memory)
            && wanted("type", &entry.kind)
            && wanted("status", &entry.status)
    });
    let lines: Vec<Line> = entries
        .map(|entry| {
            let reasons = entry.conditions.iter().map(|one| (&one.verdict, &one.why));
            let reasons = reasons.chain(entry.anchors.iter().map(|one| (&one.verdict, &one.why)));
            let trouble: Vec<&str> =
                reasons.filter(|(verdict, _)| *verdict != "fresh").map(|(_, why)| why.as_str()).collect();
            Line {
                trouble: trouble.join("; "),
                verdict: entry.verdict,
                ..Line::new(entry.id, entry.handle, entry.kind, entry.status, entry.title)
            }
        })
        .collect();
    let found = lines.len();
    let lines: Vec<Line> = lines.into_iter().take(CHECKED_MAX).collect();
    let summary = match (found, lines.len()) {
        (0, _) => String::new(),
        (found, shown) if shown < found => format!("{shown} of {found} entries"),
        (found, _) => crate::parts::count(found as u64, "entry", "entries"),
    };
    let other = ["subtype", "domain", "tag", "scope", "reviewer", "age"]
        .iter()
        .any(|name| visit.asked(name).is_some());
    let note = other.then(|| {
        "Without words to search for, a verdict narrows by memory, type and status only.".to_owned()
    });
    Ok(Found { lines, summary, note, ..Found::default() })
}

fn list_of(visit: &Visit<'_>, name: &str) -> Option<Value> {
    visit.asked(name).map(|value| json!([value]))
}

fn facets(visit: &Visit<'_>, offered: &[BTreeSet<String>; 3]) -> Vec<Facet> {
    let facet = |(name, label, words): &(&'static str, &'static str, Words)| {
        let value = visit.asked(name).unwrap_or_default().to_owned();
        let word = |(value, label): &(&'static str, &'static str)| Word {
            value,
            label,
            chosen: visit.asked(name) == Some(value),
        };
        let offered = match *name {
            "domain" => &offered[0],
            "tag" => &offered[1],
            _ => &offered[2],
        };
        Facet {
            name,
            label,
            words: words.iter().map(word).collect(),
            offered: offered.iter().cloned().collect(),
            value,
        }
    };
    FACETS.iter().map(facet).collect()
}

impl Line {
    fn new(id: String, handle: String, kind: String, status: String, title: String) -> Line {
        Line {
            id,
            handle,
            kind,
            status,
            title,
            text: String::new(),
            verdict: String::new(),
            trouble: String::new(),
            competing: Vec::new(),
            meter: None,
            labels: Vec::new(),
            facts: Vec::new(),
            gaps: Vec::new(),
            pinned: false,
            hidden: false,
            score: 0.0,
            parts: Vec::new(),
            held_back: String::new(),
        }
    }

    fn from_match(found: Match) -> Line {
        let line = Line::new(found.id, found.handle, found.kind, found.status, found.title);
        Line {
            text: different(&line.title, found.preview),
            verdict: found.validity,
            trouble: troubles([found.trouble, found.failed_source, found.failed_last]),
            competing: found.competing_with,
            meter: meter(&found.belief),
            labels: labels(found.domains, found.tags),
            facts: vec![found.date, found.scope, found.source],
            gaps: found.gaps,
            pinned: found.overlay.pinned.is_some(),
            hidden: is_hidden(&found.overlay),
            score: found.score,
            parts: found.parts,
            held_back: found.held_back,
            ..line
        }
    }

    fn from_listed(entry: Listed) -> Line {
        let line = Line::new(entry.id, entry.handle, entry.kind, entry.status, entry.title);
        Line {
            text: different(&line.title, entry.statement),
            trouble: troubles([entry.failed_source, entry.failed_last]),
            meter: meter(&entry.belief),
            labels: labels(entry.domains, entry.tags),
            facts: vec![day(&entry.updated).to_owned(), entry.scope, entry.created_by],
            gaps: entry.gaps,
            pinned: entry.overlay.pinned.is_some(),
            hidden: is_hidden(&entry.overlay),
            ..line
        }
    }
}

/// What speaks against an entry, on one line.
fn troubles<const N: usize>(all: [String; N]) -> String {
    all.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

fn meter(belief: &Belief) -> Option<Meter> {
    (belief.alpha > 0.0).then(|| Meter::new(belief))
}

fn is_hidden(overlay: &Overlay) -> bool {
    overlay.muted.is_some() || overlay.invalidated.is_some()
}

/// A text, unless it is the title once more.
fn different(title: &str, text: String) -> String {
    if text == title { String::new() } else { text }
}
