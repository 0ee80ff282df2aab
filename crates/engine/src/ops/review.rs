//! Reviews: what each agent is told at the start, what they report, and what is learned at the end (REV-4 to REV-8).
//!
//! A completion is planned from what the ledger holds and written in one append, so that it happens once and wholly or not at all.

use std::cell::RefCell;
use std::collections::hash_map::{Entry, HashMap};
use std::collections::{BTreeMap, BTreeSet};

use ken_core::answer::ReportOutcome;
use ken_core::decide::Outcome;
use ken_core::decide::{self, Context};
use ken_core::event::Confirmed;
use ken_core::finding::Finding;
use ken_core::finding::matching::{KnownEntry, Sought};
use ken_core::finding::merge::{self, convergence, is_durable, kind_of};
use ken_core::finding::read::Report;
use ken_core::finding::scale::Priority;
use ken_core::limits::{REPORT_FINDINGS_PER_EVENT, REVIEW_AGENTS_MIN};
use ken_core::run::{Exposure, Finished, INJECTED, Reported, Run, RunKind, RunOutcome};
use ken_core::words::{normalise_statement, one_line};
use ken_core::{
    Anchor, Body, Code, Confirmation, EntryEvent, EntryKey, Fault, Intent, Memory, Millis, Refusal, RunEvent,
    Spot, Status, Type, place,
};
use ken_recall::{Mode, Question};
use serde::Serialize;
use serde_json::{Value, json};

mod compare;

use self::compare::{Same, globally_known, is_seen_from, same_entry, worded_like};
use super::add::{AddInput, Decided, OnAbsent, decide_all};
use super::run::{
    RunLine, StartInput, begin, ended, find_run, injected_into, open_run, sweep, was_shown_outside,
};
use super::search::{self, AnswerStatus, Means, SearchInput};
use super::{context, support};
use crate::deliver;
use crate::error::{Error, Result};
use crate::exposure::{Exposures, Reader};
use crate::intake::{self, Intake};
use crate::limits::ops_review::{CONSIDERED_MAX, FAULTS_TOLD_MAX, MEANINGS_MAX, NEIGHBOURS_MAX};
use crate::ports::{Asked, Ledger, Recall, Repository, Runs, Stored, Writer};
use crate::project::ProjectStore;
use crate::query::{Overlaid, Query, Threads};
use crate::view;

/// What an agent looks for.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Words of its field.
    pub keywords: String,
    /// The reviewer whose entries it is served from; none is served from all.
    pub reviewer: Option<String>,
    /// What the global store has for it, each with its score.
    pub global: Vec<(f64, Stored)>,
}

impl Profile {
    /// What its knowledge is asked with.
    pub fn question(&self, words: &str) -> SearchInput {
        SearchInput {
            query: format!("{} {words}", self.keywords).trim().to_owned(),
            plain: true,
            limit: CONSIDERED_MAX,
            steady: true,
            similarity_min: Some(ken_recall::rank::SURFACE_MIN),
            ..SearchInput::default()
        }
    }

    /// Whether an entry is for it: its own, and what belongs to no reviewer.
    fn is_served(&self, stored: &Stored) -> bool {
        match (&stored.entry.fields.reviewer, &self.reviewer) {
            (Some(owner), Some(reviewer)) => owner == reviewer,
            (Some(_), None) | (None, _) => true,
        }
    }
}

/// A review that begins.
#[derive(Clone, Debug)]
pub struct ReviewInput {
    pub start: StartInput,
    /// What each of its agents looks for, in their order.
    pub profiles: Vec<Profile>,
    /// What is looked for beside the agents' own words.
    pub words: String,
    /// Entries that one agent is given, at most.
    pub cap: usize,
    /// REV-4: the debt in this project at which a global entry is no longer told here.
    pub limit: u32,
}

/// What `review start` answers.
#[derive(Clone, Debug, Serialize)]
pub struct ReviewStarted {
    pub run: String,
    /// What each agent is given.
    pub agents: BTreeMap<String, Served>,
    /// Runs that nobody came back to, closed on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub abandoned: Vec<String>,
    /// What went wrong; the review goes on without it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What one agent is given.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Served {
    pub entries: Vec<String>,
    /// Those of them that are known false positives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub false_positives: Vec<String>,
    /// The text for its prompt; empty when there is nothing to say.
    pub block: String,
    /// Entries that answer and found no room.
    pub more: usize,
    #[serde(skip)]
    keys: Vec<EntryKey>,
}

/// Begins a review: every agent gets what matters for it, and what it got is recorded.
pub fn start(
    recall: &mut dyn Recall,
    input: ReviewInput,
    means: &Means<'_>,
    writer: &Writer,
) -> Result<ReviewStarted> {
    let context = context(recall, writer)?;
    if input.start.agents.is_empty() {
        return Err(Refusal::new(Code::Invalid, "a review needs at least one agent")
            .hint("--agents security,correctness or --agents a=fd-safety,b=fd-quality")
            .field("agents")
            .into());
    }
    let (abandoned, mut intents) = sweep(recall, &context)?;
    let (agents, paths, thread) =
        (input.start.agents.clone(), input.start.paths.clone(), input.start.thread.clone());
    let (run, began) = begin(recall, input.start, &context)?;
    intents.push(began);
    let mut served = BTreeMap::new();
    let mut warnings = Vec::new();
    for (agent, profile) in agents.iter().zip(&input.profiles) {
        let ask = Asking {
            run: &run,
            agent: &agent.name,
            profile,
            words: &input.words,
            paths: &paths,
            thread: thread.as_deref(),
            cap: input.cap,
            limit: input.limit,
        };
        // REV-5: no search, no block; the review goes on and says so.
        let given = match serve(recall, &ask, means, &mut warnings) {
            Ok(given) => given,
            Err(error) => {
                warnings.push(format!("{} is given no entries: {error}", agent.name));
                Served::default()
            }
        };
        let reader = Reader { run: Some(&run), agent: Some(&agent.name) };
        let exposures = Exposures::new(reader, context.replica, context.now);
        intents.extend(exposures.shown(INJECTED, given.keys.clone()));
        served.insert(agent.name.clone(), given);
    }
    warnings.sort();
    warnings.dedup();
    recall.append(intents, writer)?;
    Ok(ReviewStarted { run, agents: served, abandoned, warnings })
}

struct Asking<'a> {
    run: &'a str,
    agent: &'a str,
    profile: &'a Profile,
    words: &'a str,
    paths: &'a [String],
    thread: Option<&'a str>,
    cap: usize,
    limit: u32,
}

/// What one agent is given: what is anchored where the change is, then what answers to its field and the summary.
fn serve(
    recall: &mut dyn Recall,
    ask: &Asking<'_>,
    means: &Means<'_>,
    warnings: &mut Vec<String>,
) -> Result<Served> {
    let input = SearchInput { thread: ask.thread.map(str::to_owned), ..ask.profile.question(ask.words) };
    let mut found = search::search(recall, &input, means)?;
    if found.hits.is_empty() && !ask.words.trim().is_empty() {
        // The words of a field can drown a short summary.
        found = search::search(recall, &SearchInput { query: ask.words.to_owned(), ..input.clone() }, means)?;
    }
    // Where nothing was found, that a part of the search could not run matters most.
    let degraded = found.status == AnswerStatus::Degraded || means.embedder.is_err();
    if let Some(why) = found.fallback.as_ref().filter(|_| degraded) {
        warnings.push(format!("entries were selected by keyword search only: {why}"));
    }
    let touching = touching(recall, ask.paths)?;
    let mut chosen: Vec<Stored> = Vec::new();
    let mut anchored: Vec<Stored> = Vec::new();
    for key in &touching {
        if let Some(stored) = recall.stored(*key)?.filter(|stored| may_be_served(stored, ask.thread)) {
            anchored.push(stored);
        }
    }
    search::judge(recall, anchored.iter_mut().collect(), means)?;
    let mut scored: Vec<(f64, &Stored)> = found
        .results
        .iter()
        .map(|result| result.score)
        .zip(found.hits.iter().map(|hit| &hit.stored))
        .collect();
    let said = |stored: &Stored| normalise_statement(&stored.entry.fields.statement());
    let here: BTreeSet<String> = found.hits.iter().map(|hit| said(&hit.stored)).collect();
    for (score, stored) in ask.profile.global.iter().filter(|(_, stored)| !here.contains(&said(stored))) {
        let debt = debt_here(recall, &stored.entry)?;
        if debt < ask.limit {
            scored.push((*score, stored));
        } else if ask.profile.is_served(stored) {
            let id = view::handle(stored);
            warnings.push(format!(
                "{id} of the global store is no longer injected here: {debt} reviews without independent confirmation; \
                 `ken --global confirm {id}` reactivates it"
            ));
        }
    }
    // The order of equals is that of the search.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let hits = scored.iter().map(|(_, stored)| *stored);
    // Of what is anchored here the most relevant first.
    for stored in hits.clone().filter(|stored| touching.contains(&stored.entry.key)) {
        chosen.push(stored.clone());
    }
    for stored in anchored.iter().chain(hits) {
        if chosen.iter().all(|known| known.entry.key != stored.entry.key) {
            chosen.push(stored.clone());
        }
    }
    let before = injected_into(recall, ask.run, ask.agent)?;
    chosen.retain(|stored| ask.profile.is_served(stored) && !before.contains(&stored.entry.key));
    // A pin lifts what is relevant above the rest (BEL-9).
    chosen.sort_by_key(|stored| stored.overlay.pinned.is_none());
    let total = chosen.len();
    chosen.truncate(ask.cap.saturating_sub(before.len()));
    let more = total - chosen.len();
    let (known, real): (Vec<&Stored>, Vec<&Stored>) =
        chosen.iter().partition(|stored| stored.entry.kind.known() == Some(Type::FalsePositive));
    let block = match chosen.is_empty() {
        true => String::new(),
        false => {
            let warned = warned(recall, &chosen, means.now)?;
            block(ask, &real, &known, more, &input.query, means.now, &warned)
        }
    };
    Ok(Served {
        entries: chosen.iter().map(|stored| stored.id.clone()).collect(),
        false_positives: known.iter().map(|stored| stored.id.clone()).collect(),
        block,
        more,
        keys: chosen.iter().map(|stored| stored.entry.key).collect(),
    })
}

/// REV-4: what an entry of the global store owes in this project: this ledger knows in which of its reviews it was injected.
fn debt_here(runs: &dyn Runs, entry: &ken_core::Entry) -> Result<u32> {
    let since = entry.last_confirmed.unwrap_or(ken_core::Clock::ZERO);
    let owed = runs.injected(entry.key)?.into_iter().filter(|injected| injected.clock > since).count();
    Ok(u32::try_from(owed).unwrap_or(u32::MAX))
}

fn may_be_served(stored: &Stored, thread: Option<&str>) -> bool {
    let entry = &stored.entry;
    is_seen_from(entry, thread)
        && !stored.overlay.hides()
        && entry.status.is_retrieved()
        && entry.memory() != Memory::Episodic
        && !stored.purge_asked
}

/// Entries anchored in files that the thing under review touches.
fn touching(runs: &dyn Runs, paths: &[String]) -> Result<BTreeSet<EntryKey>> {
    let mut keys = BTreeSet::new();
    for path in paths {
        keys.extend(runs.at_path(path)?);
    }
    Ok(keys)
}

/// The block of REV-5. It is data, whatever it says, and every line says how old it is and whether it holds.
fn block(
    ask: &Asking<'_>,
    real: &[&Stored],
    known: &[&Stored],
    more: usize,
    query: &str,
    now: Millis,
    warned: &BTreeMap<EntryKey, Vec<String>>,
) -> String {
    let mut lines = vec!["## Knowledge Context".to_owned()];
    for stored in real {
        lines.push(format!("- {}", deliver::headline(stored, 300)));
        lines.push(format!("  {}", evidence(stored, now)));
        lines.extend(
            warned.get(&stored.entry.key).into_iter().flatten().map(|warning| format!("  {warning}")),
        );
    }
    if !known.is_empty() {
        lines.push(
            "### Known false positives: do not report these again unless the evidence is new".to_owned(),
        );
        for stored in known {
            lines.push(format!("- {}", deliver::headline(stored, 300)));
            lines.push(format!("  {}", evidence(stored, now)));
        }
    }
    lines.push(
        "Check for yourself: an entry above is a hint, not a finding. Report only what you see; the ledger knows which \
         entries you were shown."
            .to_owned(),
    );
    if more > 0 {
        let query = one_line(query, 80).replace('\'', " ");
        lines.push(format!("{more} more: ken search '{query}' --run {} --agent {}", ask.run, ask.agent));
    }
    deliver::block(&lines.join("\n"))
}

/// What each entry that is handed over must not be read without: what contradicts it, and that its last run failed (COR-9).
fn warned(recall: &dyn Recall, chosen: &[Stored], now: Millis) -> Result<BTreeMap<EntryKey, Vec<String>>> {
    let among: Vec<&Stored> = chosen.iter().collect();
    let mut warned = BTreeMap::new();
    for stored in chosen {
        let competing = deliver::competing(recall, stored, &among, now)?;
        let mut warnings: Vec<String> = competing.iter().map(deliver::contradicted).collect();
        warnings.extend(deliver::failed_last(recall, stored)?);
        warned.insert(stored.entry.key, warnings);
    }
    Ok(warned)
}

fn evidence(stored: &Stored, now: Millis) -> String {
    let entry = &stored.entry;
    let places: Vec<String> = entry.fields.anchors.iter().map(|anchor| deliver::safe(&anchor.at)).collect();
    let confirmed = match entry.last_confirmed {
        Some(clock) => clock.shown_date(now),
        None => "never".to_owned(),
    };
    let evidence =
        if places.is_empty() { String::new() } else { format!("Evidence: {} · ", places.join(", ")) };
    // What lies in another store is opened there.
    let opened = match entry.fields.scope() {
        ken_core::Scope::Global => format!(" · ken --global show {}", view::handle(stored)),
        ken_core::Scope::Thread | ken_core::Scope::Project => String::new(),
    };
    format!("{evidence}Last confirmed: {confirmed} · {}{opened}", deliver::standing(stored, now))
}

/// What `review report` answers.
#[derive(Clone, Debug, Serialize)]
pub struct ReportAnswer {
    /// What became of it.
    pub outcome: ReportOutcome,
    pub run: String,
    pub agents: Vec<String>,
    /// How many findings were taken.
    pub findings: usize,
    /// How the report was read.
    pub format: &'static str,
    /// What somebody should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Takes in what an agent found. Where a report names the agents itself, `agent` may be left out.
pub fn report(
    ledger: &mut dyn Ledger,
    run: &str,
    agent: Option<&str>,
    report: Report,
    writer: &Writer,
) -> Result<ReportAnswer> {
    let run = open_run(ledger, run)?;
    let name = run.started.run.clone();
    review_only(&run)?;
    let context = context(ledger, writer)?;
    let takes_part = |agent: &str| -> std::result::Result<(), Refusal> {
        if run.agent(agent).is_some() {
            return Ok(());
        }
        let names: Vec<&str> = run.started.agents.iter().map(|agent| agent.name.as_str()).collect();
        Err(Refusal::new(Code::NotFound, format!("{agent} is not an agent of run {name}"))
            .hint(format!("agents: {}", names.join(", ")))
            .field("agent"))
    };
    if let Some(agent) = agent {
        takes_part(agent)?;
    }
    let mut by_agent: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
    let mut faults = Vec::new();
    for (at, mut finding) in report.findings.into_iter().enumerate() {
        // What orders whoever reads it is withheld, as everywhere (IN-1).
        let texts = [
            Some(&mut finding.title),
            finding.text.as_mut(),
            finding.section.as_mut(),
            finding.category.as_mut(),
        ];
        for text in texts.into_iter().flatten().chain(&mut finding.verification) {
            *text = intake::recordable(text);
        }
        let label = label(&finding, at);
        if finding
            .project
            .as_ref()
            .is_some_and(|project| !run.started.project.is_empty() && *project != run.started.project)
        {
            let problem = format!(
                "{label} belongs to project {:?}, this review to {:?}",
                finding.project.as_deref().unwrap_or_default(),
                run.started.project
            );
            faults.push(Fault { field: "findings".to_owned(), problem });
            continue;
        }
        let said = finding.agent.clone();
        match (agent, said) {
            (Some(agent), Some(said)) if said != agent => {
                let problem = format!("{label} names the agent {said}, but the report is by {agent}");
                faults.push(Fault { field: "findings".to_owned(), problem });
            }
            (Some(agent), _) => by_agent.entry(agent.to_owned()).or_default().push(finding),
            (None, Some(said)) => match takes_part(&said) {
                Ok(()) => by_agent.entry(said).or_default().push(finding),
                Err(refusal) => faults.push(Fault {
                    field: "findings".to_owned(),
                    problem: format!("{label}: {}", refusal.message),
                }),
            },
            (None, None) => {
                let problem = format!("{label} does not name an agent; pass --agent NAME");
                faults.push(Fault { field: "findings".to_owned(), problem });
            }
        }
    }
    let more = faults.len().saturating_sub(FAULTS_TOLD_MAX);
    faults.truncate(FAULTS_TOLD_MAX);
    if more > 0 {
        faults.push(Fault { field: "findings".to_owned(), problem: format!("and {more} more") });
    }
    if let Some(refusal) = Refusal::from_faults(Code::Invalid, faults) {
        return Err(refusal.hint("the report was rejected as a whole; fix it and send it again").into());
    }
    // That an agent looked and found nothing is worth knowing, too.
    if let (true, Some(agent)) = (by_agent.is_empty(), agent) {
        by_agent.insert(agent.to_owned(), Vec::new());
    }
    let failed = report.verdict.as_deref() == Some("error");
    let mut intents = Vec::new();
    let mut taken = 0;
    for (agent, findings) in &by_agent {
        let text = serde_json::to_string(findings).unwrap_or_default();
        // The same findings of a reviewer that did not fail this time are another report.
        let text = if failed { format!("{text} failed") } else { text };
        let digest = blake3::hash(text.as_bytes()).to_hex()[..16].to_owned();
        if run.reports.iter().any(|known| known.agent == *agent && known.report == digest) {
            continue;
        }
        taken += findings.len();
        let chunks: Vec<&[Finding]> = match findings.is_empty() {
            true => vec![&[]],
            false => findings.chunks(REPORT_FINDINGS_PER_EVENT).collect(),
        };
        for chunk in chunks {
            let reported = Reported {
                run: name.clone(),
                agent: agent.clone(),
                report: digest.clone(),
                findings: chunk.to_vec(),
                failed,
            };
            let file = place::runs_file(context.replica, context.now);
            let body = Body::Run(RunEvent::Reported(Box::new(reported)));
            intents.push(Intent { entry: None, body, file });
        }
    }
    let unchanged = intents.is_empty();
    let mut notes = report.notes;
    if unchanged {
        notes.push("this report was already received; nothing was counted twice".to_owned());
    }
    ledger.append(intents, writer)?;
    Ok(ReportAnswer {
        outcome: if unchanged { ReportOutcome::Unchanged } else { ReportOutcome::Recorded },
        run: name,
        agents: by_agent.into_keys().collect(),
        findings: taken,
        format: report.format,
        notes,
    })
}

fn label(finding: &Finding, at: usize) -> String {
    match &finding.id {
        Some(id) => format!("finding {id}"),
        None if finding.title.is_empty() => format!("finding {}", at + 1),
        None => format!("finding {} ({})", at + 1, one_line(&finding.title, 60)),
    }
}

fn review_only(run: &Run) -> Result<()> {
    match run.started.kind {
        RunKind::Review => Ok(()),
        RunKind::Task | RunKind::Session => Err(Refusal::new(
            Code::NotAllowed,
            format!("run {} is a {} and takes no findings", run.started.run, run.started.kind.word()),
        )
        .hint("`ken review start --agents ...` starts a review")
        .field("run")
        .into()),
    }
}

/// What of a review was found, merged.
#[derive(Clone, Debug, Serialize)]
pub struct FoundView {
    /// The reporter's own name for it, or its title.
    pub finding: String,
    /// What it is.
    pub title: String,
    pub places: Vec<String>,
    /// How bad, 0 to 10.
    pub severity: f64,
    /// The word of the original scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity_word: Option<String>,
    /// Who found it.
    pub agents: Vec<String>,
    /// How much the agreement of those weighs who had not been told; families of models count apart. Known once it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convergence: Option<f64>,
    /// What its agents called it, where it was merged of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<String>,
    /// What each said of how bad it is, where they differ.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub severity_conflict: BTreeMap<String, f64>,
    /// Other findings at the same place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub co_located: Vec<String>,
    /// The same elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cross_references: Vec<String>,
    /// Agents that say that it is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dismissed_by: Vec<String>,
    /// A known false positive that it matches (REV-8).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_false_positive: Option<String>,
}

/// What `review show` answers.
#[derive(Clone, Debug, Serialize)]
pub struct ReviewView {
    #[serde(flatten)]
    pub line: RunLine,
    /// What each agent was shown, and how.
    pub exposures: BTreeMap<String, Vec<ShownView>>,
    pub reported: Vec<String>,
    /// Entries that came out of it.
    pub created: Vec<String>,
    /// What was found, merged.
    pub findings: Vec<FoundView>,
}

/// An entry that an agent was shown.
#[derive(Clone, Debug, Serialize)]
pub struct ShownView {
    pub id: String,
    /// Its short citation.
    pub handle: String,
    /// How it got there.
    pub how: String,
}

/// A run, with what was shown and found in it.
pub fn show(ledger: &dyn Ledger, name: &str, now: Millis) -> Result<ReviewView> {
    let run = find_run(ledger, name)?;
    let mut exposures: BTreeMap<String, Vec<ShownView>> = BTreeMap::new();
    for seen in ledger.exposures(&run.started.run)? {
        let (id, handle) = match ledger.stored(seen.entry)? {
            Some(stored) if !stored.purge_asked => (stored.id.clone(), view::handle(&stored)),
            _ => (seen.entry.to_string(), seen.entry.to_string()),
        };
        let shown = exposures.entry(seen.agent).or_default();
        if shown.iter().all(|known| known.id != id || known.how != seen.how) {
            shown.push(ShownView { id, handle, how: seen.how });
        }
    }
    let groups = groups(&run);
    let findings = groups.iter().map(|group| found_view(group, &groups)).collect();
    let reported: BTreeSet<String> = run.reports.iter().map(|report| report.agent.clone()).collect();
    let mut created = Vec::new();
    for key in ledger.made_in(&run.started.run)? {
        created.extend(ledger.stored(key)?.filter(|stored| !stored.purge_asked).map(|stored| stored.id));
    }
    let reported = reported.into_iter().collect();
    Ok(ReviewView { line: RunLine::new(&run, now), exposures, reported, created, findings })
}

/// A finding, merged, with who stands behind it.
struct Group {
    merged: merge::Group,
    /// The families of the agents' models, as far as they are known.
    families: BTreeMap<String, String>,
    /// Agents that say themselves that they had been told.
    say_primed: BTreeSet<String>,
    /// What its members were called, where there are several.
    names: Vec<String>,
}

impl std::ops::Deref for Group {
    type Target = merge::Group;

    fn deref(&self) -> &merge::Group {
        &self.merged
    }
}

/// Everything that was reported, merged (REV-6). Reports of reviewers that failed do not count (COR-13).
fn groups(run: &Run) -> Vec<Group> {
    let found: Vec<merge::ReportedFinding<'_>> = run
        .reports
        .iter()
        .filter(|report| !report.failed)
        .flat_map(|report| {
            let family = run.agent(&report.agent).and_then(|agent| agent.family.as_deref());
            report.findings.iter().map(move |finding| merge::ReportedFinding {
                agent: &report.agent,
                family: finding.family.as_deref().or(family),
                finding,
            })
        })
        .collect();
    let groups = merge::merge(&found).into_iter().map(|merged| {
        let members = || merged.members.iter().map(|at| &found[*at]);
        let families = members()
            .filter_map(|member| Some((member.agent.to_owned(), member.family?.to_owned())))
            .collect();
        // Who says so of one of several says it of all: an agent's word only downgrades.
        let say_primed =
            members().filter(|member| member.finding.primed).map(|member| member.agent.to_owned()).collect();
        let mut names: Vec<String> = members().map(|member| name_of(member.finding)).collect();
        names.sort();
        names.dedup();
        if names.len() < 2 {
            names.clear();
        }
        Group { families, say_primed, names, merged }
    });
    groups.collect()
}

fn found_view(group: &Group, all: &[Group]) -> FoundView {
    let named = |at: &usize| all.get(*at).map(|other| name_of(&other.finding));
    let finding = &group.finding;
    FoundView {
        finding: name_of(finding),
        title: one_line(&deliver::safe(&finding.title), 200),
        places: finding.places.iter().map(|place| deliver::safe(place)).collect(),
        severity: finding.severity,
        severity_word: finding.severity_word.clone(),
        agents: group.agents.clone(),
        convergence: None,
        merged_from: group.names.clone(),
        severity_conflict: group.severity_conflict.clone(),
        co_located: group.co_located.iter().filter_map(named).collect(),
        cross_references: group.cross_references.iter().filter_map(named).collect(),
        dismissed_by: group.dismissed_by.clone(),
        known_false_positive: None,
    }
}

/// What a finding is called in an answer.
fn name_of(finding: &Finding) -> String {
    match &finding.id {
        Some(id) => deliver::safe(id),
        None => one_line(&deliver::safe(&finding.title), 100),
    }
}

/// How much the agreement of some agents of a group weighs.
fn agreement<'a>(group: &'a Group, agents: impl Iterator<Item = &'a str>) -> f64 {
    let voices: Vec<(&str, Option<&str>)> =
        agents.map(|agent| (agent, group.families.get(agent).map(String::as_str))).collect();
    convergence(&voices)
}

/// A confirmation, as it is told.
#[derive(Clone, Debug, Serialize)]
pub struct ConfirmedView {
    pub id: String,
    /// Whether somebody found it who had not been told.
    pub kind: Confirmation,
    pub finding: String,
    /// Who found it without having been told.
    pub independent: Vec<String>,
    /// Who found it after having been told.
    pub primed: Vec<String>,
    /// Why the finding is the entry.
    pub why: Vec<String>,
}

/// A finding that nothing came of.
#[derive(Clone, Debug, Serialize)]
pub struct Skipped {
    pub finding: String,
    pub why: String,
}

/// What a review comes to (COR-13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewVerdict {
    /// Nobody found a P0 or a P1.
    Safe,
    /// Somebody found a P1.
    NeedsChanges,
    /// Somebody found a P0.
    Risky,
    /// No report counts, so nothing is known.
    Error,
}

impl ReviewVerdict {
    /// The word that people and programs use.
    pub fn as_str(self) -> &'static str {
        match self {
            ReviewVerdict::Safe => "safe",
            ReviewVerdict::NeedsChanges => "needs-changes",
            ReviewVerdict::Risky => "risky",
            ReviewVerdict::Error => "error",
        }
    }

    fn decide(run: &Run, groups: &[Group]) -> ReviewVerdict {
        if run.reports.iter().all(|report| report.failed) {
            return ReviewVerdict::Error;
        }
        let standing = groups.iter().filter(|group| !group.finding.dismissed);
        match standing.map(|group| Priority::from_severity(group.finding.severity)).max() {
            Some(Priority::P0) => ReviewVerdict::Risky,
            Some(Priority::P1) => ReviewVerdict::NeedsChanges,
            Some(Priority::P2 | Priority::P3) | None => ReviewVerdict::Safe,
        }
    }
}

/// What the reports of a review come to; an error where there is no such review.
pub fn verdict(ledger: &dyn Ledger, name: &str) -> Result<ReviewVerdict> {
    let run = find_run(ledger, name)?;
    review_only(&run)?;
    Ok(ReviewVerdict::decide(&run, &groups(&run)))
}

/// A list of findings that is held against the reports of a review.
#[derive(Clone, Debug)]
pub struct Cited {
    /// What it names.
    pub findings: Vec<Finding>,
    /// Whether every finding of it has to be in a report, however minor.
    pub strict: bool,
}

/// COR-13: whether a report has what a list names. An invented P0 or P1 is refused, an invented P2 or P3 is a warning.
fn grounded(run: &Run, cited: &Cited) -> Result<Vec<String>> {
    let id_of = |finding: &Finding| finding.id.as_deref().map(|id| id.trim().to_uppercase());
    let counted = run.reports.iter().filter(|report| !report.failed);
    let reported: BTreeSet<String> =
        counted.flat_map(|report| report.findings.iter().filter_map(id_of)).collect();
    let (mut faults, mut warnings) = (Vec::new(), Vec::new());
    for (at, finding) in cited.findings.iter().enumerate() {
        let problem = match id_of(finding) {
            Some(id) if reported.contains(&id) => continue,
            Some(_) => "no agent reported it",
            None => "it has no id to find it in the reports",
        };
        let priority = Priority::from_severity(finding.severity);
        let told = format!("{} {}", priority.as_str(), deliver::safe(&label(finding, at)));
        if cited.strict || priority >= Priority::P1 {
            faults.push(Fault { field: told, problem: problem.to_owned() });
        } else {
            warnings.push(format!("{told}: {problem}"));
        }
    }
    let more = faults.len().saturating_sub(FAULTS_TOLD_MAX);
    faults.truncate(FAULTS_TOLD_MAX);
    if more > 0 {
        faults.push(Fault { field: "findings".to_owned(), problem: format!("and {more} more") });
    }
    match Refusal::from_faults(Code::NotFound, faults) {
        Some(refusal) => {
            let hint = format!(
                "`ken review show {}` lists the reports; the review was not completed",
                run.started.run
            );
            Err(refusal.hint(hint).into())
        }
        None => Ok(warnings),
    }
}

/// What `review complete` answers.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CompleteAnswer {
    pub run: String,
    /// What it comes to; left out where the reports could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<ReviewVerdict>,
    /// Entries that came out of it.
    pub created: Vec<String>,
    /// Entries that were found again.
    pub confirmed: Vec<ConfirmedView>,
    /// Entries that were put away, since nobody found them for too long.
    pub archived: Vec<String>,
    /// Entries that came back, since somebody did.
    pub restored: Vec<String>,
    /// Findings that nothing came of, and why.
    pub skipped: Vec<Skipped>,
    /// What was found, merged.
    pub findings: Vec<FoundView>,
    /// What went wrong; the review's own answer does not depend on it.
    pub warnings: Vec<String>,
}

/// What completing goes by.
pub struct Completing<'a> {
    /// The intake of what is created.
    pub intake: &'a Intake<'a>,
    /// The repository around.
    pub repository: &'a dyn Repository,
    /// REV-4: the debt at which an entry is archived.
    pub limit: u32,
    /// Means of comparing texts.
    pub means: &'a Means<'a>,
    /// The global store, where there is one: what is known there is found again there.
    pub global: Option<&'a RefCell<Box<dyn ProjectStore>>>,
    /// A list of findings that must come from the reports.
    pub cited: Option<&'a Cited>,
}

/// Ends a review and learns from it, in one append. Doing it again creates nothing.
pub fn complete(
    recall: &mut dyn Recall,
    name: &str,
    by: &Completing<'_>,
    writer: &Writer,
) -> Result<CompleteAnswer> {
    let run = find_run(recall, name)?;
    review_only(&run)?;
    let name = run.started.run.clone();
    let mut warnings = match by.cited {
        Some(cited) => grounded(&run, cited)?,
        None => Vec::new(),
    };
    let groups = groups(&run);
    let verdict = Some(ReviewVerdict::decide(&run, &groups));
    if let Some((end, at)) = &run.finished
        && end.outcome != RunOutcome::Abandoned
    {
        warnings.push(format!("run {name} ended on {}; nothing was done", at.millis().date()));
        return Ok(CompleteAnswer { run: name, verdict, warnings, ..CompleteAnswer::default() });
    }
    let context = context(recall, writer)?;
    let exposures = recall.exposures(&name)?;
    let mut answer = CompleteAnswer { run: name.clone(), verdict, warnings, ..CompleteAnswer::default() };
    answer.findings = groups.iter().map(|group| found_view(group, &groups)).collect();
    if run.reports.is_empty() {
        answer.warnings.push("no agent reported anything".to_owned());
    } else {
        let missing = run
            .started
            .agents
            .iter()
            .filter(|agent| run.reports.iter().all(|report| report.agent != agent.name));
        let missing: Vec<&str> = missing.map(|agent| agent.name.as_str()).collect();
        if !missing.is_empty() {
            answer.warnings.push(format!("no report from {}", missing.join(", ")));
        }
        for report in run.reports.iter().filter(|report| report.failed) {
            let count = report.findings.len();
            let findings = if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") };
            answer
                .warnings
                .push(format!("the report of {} is invalid and does not count: {findings}", report.agent));
        }
    }
    let mut plan = Plan {
        run: &run,
        exposures: &exposures,
        outside: BTreeSet::new(),
        alike: worded_like(recall, &groups, run.started.thread.clone(), &mut answer.warnings),
        read: HashMap::new(),
        meanings: MEANINGS_MAX,
        found_again: BTreeMap::new(),
        wishes: Vec::new(),
    };
    let mut found_globally = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        plan.place(recall, at, group, by, &mut found_globally, &mut answer)?;
    }
    if plan.meanings == 0 {
        let told = format!(
            "only the first {MEANINGS_MAX} findings were compared by embedding; the others by keywords"
        );
        answer.warnings.push(told);
    }
    let mut decided = plan.create(recall, by, &context, &mut answer)?;
    plan.confirm(recall, &groups, &mut decided, &context, &mut answer)?;
    plan.archive(recall, by.limit, &mut decided, &context, &mut answer)?;
    decided.intents.push(ended(
        Finished {
            run: name,
            outcome: RunOutcome::Succeeded,
            quality: None,
            used: None,
            cost: None,
            rounds: None,
            strategy: run.started.strategy.clone(),
            extracted: u32::try_from(answer.created.len()).unwrap_or(u32::MAX),
            wrong: Vec::new(),
            ended: false,
        },
        &context,
    ));
    decided.write(recall, writer)?;
    if let (Some(global), false) = (by.global, found_globally.is_empty()) {
        let plan = Plan { found_again: found_globally, wishes: Vec::new(), ..plan };
        // The review is complete; what the global store could not be told is said.
        if let Err(error) = plan.confirm_globally(&mut **global.borrow_mut(), &groups, &mut answer, writer) {
            answer.warnings.push(format!("the global store was not updated: {error}"));
        }
    }
    Ok(answer)
}

/// A completion in the making.
struct Plan<'a> {
    run: &'a Run,
    exposures: &'a [Exposure],
    /// Agents that were shown an entry outside of the run.
    outside: BTreeSet<(EntryKey, String)>,
    /// For each group the entries that are worded most like it.
    alike: Vec<Vec<EntryKey>>,
    /// Entries that were compared: the next finding may be about the same file.
    read: Read,
    /// How many more findings may have their meaning taken: nobody waits for thousands.
    meanings: usize,
    /// Entries that were found again: by which groups, and why those are the same.
    found_again: FoundAgain,
    /// Findings that are to become entries.
    wishes: Vec<Wish>,
}

/// A finding that is to become an entry.
struct Wish {
    name: String,
    input: AddInput,
    /// Who found it without having been told.
    found_by: Vec<String>,
}

/// Entries that were found again: by which groups, and why those are the same.
type FoundAgain = BTreeMap<EntryKey, Vec<(usize, Vec<String>)>>;

/// Entries as they were read; none where nothing can be found again.
type Read = HashMap<EntryKey, Option<Stored>>;

impl Plan<'_> {
    /// Says what a finding is: an entry found again, a new one, or neither.
    fn place(
        &mut self,
        recall: &mut dyn Recall,
        at: usize,
        group: &Group,
        by: &Completing<'_>,
        found_globally: &mut FoundAgain,
        answer: &mut CompleteAnswer,
    ) -> Result<()> {
        let finding = &group.finding;
        let name = name_of(finding);
        let thread = self.run.started.thread.as_deref();
        let alike = &self.alike[at];
        let found = same_entry(recall, finding, thread, alike, by.means, &mut self.meanings, &mut self.read);
        let found = found.unwrap_or_else(|error| {
            answer.warnings.push(format!("{name} could not be compared: {error}"));
            Same::default()
        });
        let Same { entry, false_positive, beside } = found;
        let key = entry.as_ref().map(|(stored, _)| stored.entry.key);
        self.note_outside(recall, group, key)?;
        let agents = group.agents.iter().map(String::as_str);
        let independent = agreement(group, agents.filter(|agent| !self.was_told(group, agent, key)));
        answer.findings[at].convergence = Some(independent);
        // REV-8: marked, and not dropped.
        if let Some((stored, _)) = false_positive.as_ref().filter(|_| !finding.dismissed) {
            answer.findings[at].known_false_positive = Some(view::handle(stored));
        }
        match (entry, false_positive, finding.dismissed) {
            (_, Some((stored, why)), true) | (Some((stored, why)), None, _) => {
                self.found_again.entry(stored.entry.key).or_default().push((at, why));
                return Ok(());
            }
            (Some((stored, why)), Some((false_positive, _)), false) => {
                answer.warnings.push(format!(
                    "{name} matches {}, but {} marks it as a false positive: one of the two is wrong",
                    view::handle(&stored),
                    view::handle(&false_positive)
                ));
                self.found_again.entry(stored.entry.key).or_default().push((at, why));
                return Ok(());
            }
            (None, Some((stored, why)), false) => {
                let id = view::handle(&stored);
                let why = format!("it matches {id}, a known false positive ({})", why.join("; "));
                answer.skipped.push(Skipped { finding: name, why });
                return Ok(());
            }
            (None, None, _) => {}
        }
        if let Some(global) = by.global
            && let Some((stored, why)) = globally_known(&mut **global.borrow_mut(), group, by.means, answer)
        {
            self.note_outside(recall, group, Some(stored.entry.key))?;
            found_globally.entry(stored.entry.key).or_default().push((at, why));
            return Ok(());
        }
        match self.wish(group) {
            Ok(input) => {
                let agents = group.agents.iter();
                let found_by = agents.filter(|agent| !self.was_told(group, agent, None)).cloned().collect();
                self.wishes.push(Wish { name, input, found_by });
            }
            Err(why) => {
                // Who looks at it sees what it was held against.
                let why = match beside {
                    Some((stored, reasons)) => {
                        format!("{why}; compared with {}: {}", view::handle(&stored), reasons.join("; "))
                    }
                    None => why,
                };
                answer.skipped.push(Skipped { finding: name, why });
            }
        }
        Ok(())
    }

    /// REV-7: a finding as an entry, or why it becomes none.
    fn wish(&self, group: &Group) -> std::result::Result<AddInput, String> {
        let finding = &group.finding;
        let agents = group.agents.iter().map(String::as_str);
        let independent: Vec<&str> = agents.filter(|agent| !self.was_told(group, agent, None)).collect();
        let rule = kind_of(finding);
        let agreed = independent.len() >= REVIEW_AGENTS_MIN;
        let kind = match (rule, agreed) {
            // A rule of reviewers, however many they are: what is missing is marked as a gap.
            (Some(kind), _) => kind,
            (None, true) => {
                is_durable(finding)?;
                if finding.places.is_empty() {
                    return Err("it names no location, so it cannot be checked".to_owned());
                }
                if finding.verification.is_empty() {
                    return Err("it has no verification step, so it cannot be checked".to_owned());
                }
                Type::Pattern
            }
            (None, false) => {
                let who = independent.join(", ");
                return Err(match independent.is_empty() {
                    true => "every agent that found it had seen the entry".to_owned(),
                    false => format!(
                        "only {who} found it, with severity {} and confidence {}; an entry needs two agents, or severity 9, or \
                         severity 7 with confidence 8",
                        finding.severity,
                        finding.confidence.map_or("unknown".to_owned(), |confidence| confidence.to_string())
                    ),
                });
            }
        };
        Ok(self.input(kind, group))
    }

    /// Takes down which agents of a group were shown an entry outside of the run.
    fn note_outside(&mut self, ledger: &dyn Ledger, group: &Group, key: Option<EntryKey>) -> Result<()> {
        let Some(key) = key else { return Ok(()) };
        for agent in &group.agents {
            if was_shown_outside(ledger, self.run, agent, key)? {
                self.outside.insert((key, agent.clone()));
            }
        }
        Ok(())
    }

    /// REV-2: whether an agent that found something says that it had been told, or was shown the entry that it is.
    fn was_told(&self, group: &Group, agent: &str, known: Option<EntryKey>) -> bool {
        let shown = |key| {
            self.outside.contains(&(key, agent.to_owned()))
                || self.run.was_exposed(self.exposures, agent, key)
        };
        group.say_primed.contains(agent) || known.is_some_and(shown)
    }

    fn input(&self, kind: Type, group: &Group) -> AddInput {
        let finding = &group.finding;
        let agents = group.agents.join(", ");
        let role = group.agents.iter().find_map(|agent| self.run.agent(agent)?.role.clone());
        let mut content = serde_json::Map::new();
        let mut say = |name: &str, value: Value| {
            if !value.is_null() {
                content.insert(name.to_owned(), value);
            }
        };
        say("statement", json!(finding.statement()));
        if finding.statement() != finding.title && !finding.title.trim().is_empty() {
            say("title", json!(finding.title));
        }
        if !finding.places.is_empty() {
            say("anchors", json!(finding.places));
        }
        if !finding.verification.is_empty() {
            let steps = finding.verification.iter().take(ken_core::limits::VERIFICATION_STEPS_MAX);
            say("verification", json!(steps.collect::<Vec<_>>()));
        }
        say("severity", json!(finding.severity));
        say("severity_word", json!(finding.severity_word));
        say("confidence", json!(finding.confidence));
        say("reviewer", json!(role));
        say("source", json!({ "agent": agents, "run": self.run.started.run, "reviewer": role }));
        if let Some(category) = finding.category.as_deref().filter(|word| ken_core::Tag::parse(word).is_ok())
        {
            say("tags", json!([category]));
        }
        AddInput {
            kind: Some(kind.word().to_owned()),
            content,
            evidence: vec![format!("transcript:{}", self.run.started.run)],
            draft: true,
            // A reviewer reads a change that may not be checked out here.
            on_absent: OnAbsent::Gap,
            ..AddInput::default()
        }
    }

    /// Sends what is new through the whole intake.
    fn create(
        &self,
        recall: &mut dyn Recall,
        by: &Completing<'_>,
        context: &Context,
        answer: &mut CompleteAnswer,
    ) -> Result<Decided> {
        let inputs = self.wishes.iter().map(|wish| wish.input.clone()).collect();
        let mut decided = decide_all(recall, by.repository, inputs, by.intake, context)?;
        let mut found_by = Vec::new();
        for (Wish { name, found_by: by, .. }, became) in self.wishes.iter().zip(&decided.answers) {
            match became {
                // With gaps it is an entry all the same.
                Ok(added) if matches!(added.outcome, Outcome::Added | Outcome::Held) => {
                    answer.created.push(added.id.clone());
                    found_by.push(by.clone());
                }
                Ok(added) => {
                    let why = format!("{}: {}", added.outcome, added.reasons.join("; "));
                    answer.skipped.push(Skipped { finding: name.clone(), why });
                }
                Err(refusal) => {
                    answer.skipped.push(Skipped { finding: name.clone(), why: refusal.to_string() });
                }
            }
        }
        // The transcript is this run, and it is here.
        let own = |citation: &mut ken_core::Citation| {
            if citation.evidence_ref == self.run.started.run {
                citation.unverified = false;
            }
        };
        let mut born = Vec::new();
        for intent in &mut decided.intents {
            match &mut intent.body {
                Body::Entry(EntryEvent::Added(added)) => {
                    added.evidence.iter_mut().for_each(own);
                    born.push((intent.entry, intent.file.clone()));
                }
                Body::Entry(EntryEvent::Cited { citation }) => own(citation),
                _ => {}
            }
        }
        // It was just found, by who had not been told; or by who says that they had.
        for ((entry, file), agents) in born.into_iter().zip(found_by) {
            let kind = match agents.is_empty() {
                true => Confirmation::Primed,
                false => Confirmation::Independent,
            };
            let confirmed = Confirmed {
                kind,
                run: Some(self.run.started.run.clone()),
                agents,
                reason: "found in a review".to_owned(),
                at: None,
            };
            decided.intents.push(Intent { entry, body: Body::Entry(EntryEvent::Confirmed(confirmed)), file });
        }
        Ok(decided)
    }

    /// REV-2, REV-3: who was shown an entry and found it repeats it; who was not confirms it. Independent wins.
    fn confirm(
        &self,
        recall: &dyn Recall,
        groups: &[Group],
        decided: &mut Decided,
        context: &Context,
        answer: &mut CompleteAnswer,
    ) -> Result<()> {
        for (key, found) in &self.found_again {
            let Some(stored) = recall.stored(*key)? else { continue };
            let mut independent = BTreeSet::new();
            let mut primed = BTreeSet::new();
            for (at, _) in found {
                let group = &groups[*at];
                for agent in &group.agents {
                    let told = self.was_told(group, agent, Some(*key));
                    let side = if told { &mut primed } else { &mut independent };
                    side.insert(agent.clone());
                }
            }
            primed.retain(|agent| !independent.contains(agent));
            let kind = match independent.is_empty() {
                true => Confirmation::Primed,
                false => Confirmation::Independent,
            };
            let why: Vec<String> = found.iter().flat_map(|(_, why)| why.clone()).collect();
            let names: Vec<String> = found.iter().map(|(at, _)| name_of(&groups[*at].finding)).collect();
            let agents: Vec<String> = match kind {
                Confirmation::Independent => independent.iter().cloned().collect(),
                Confirmation::Primed => primed.iter().cloned().collect(),
            };
            let confirmed = Confirmed {
                kind,
                run: Some(self.run.started.run.clone()),
                agents,
                reason: one_line(&names.join(", "), 300),
                at: None,
            };
            let support = support(recall, &stored.entry)?;
            match decide::confirm(&stored.entry, confirmed, &support, context) {
                Ok(intents) => {
                    let back = kind == Confirmation::Independent && !stored.entry.status.is_retrieved();
                    if back {
                        answer.restored.push(stored.id.clone());
                    }
                    decided.intents.extend(intents);
                    answer.confirmed.push(ConfirmedView {
                        id: stored.id.clone(),
                        kind,
                        finding: names.join(", "),
                        independent: independent.into_iter().collect(),
                        primed: primed.into_iter().collect(),
                        why,
                    });
                }
                Err(refusal) => {
                    answer.skipped.push(Skipped { finding: names.join(", "), why: refusal.to_string() })
                }
            }
        }
        Ok(())
    }

    /// The same for entries of the global store, which keeps its own ledger.
    fn confirm_globally(
        &self,
        global: &mut dyn Recall,
        groups: &[Group],
        answer: &mut CompleteAnswer,
        writer: &Writer,
    ) -> Result<()> {
        let context = context(global, writer)?;
        let mut decided = Decided::default();
        self.confirm(global, groups, &mut decided, &context, answer)?;
        decided.write(global, writer).map(drop)
    }

    /// REV-4: what was injected once too often without anybody finding it is put away, whole.
    fn archive(
        &self,
        recall: &dyn Recall,
        limit: u32,
        decided: &mut Decided,
        context: &Context,
        answer: &mut CompleteAnswer,
    ) -> Result<()> {
        let independent: BTreeSet<&str> = answer
            .confirmed
            .iter()
            .filter(|confirmed| confirmed.kind == Confirmation::Independent)
            .map(|confirmed| confirmed.id.as_str())
            .collect();
        let mut injected: BTreeMap<EntryKey, ken_core::Clock> = BTreeMap::new();
        for seen in self.exposures.iter().filter(|seen| seen.how == INJECTED) {
            let latest = injected.entry(seen.entry).or_insert(seen.clock);
            *latest = (*latest).max(seen.clock);
        }
        let mut archived = Vec::new();
        for (key, clock) in injected {
            let Some(stored) = recall.stored(key)? else { continue };
            let entry = &stored.entry;
            let since = entry.last_confirmed.unwrap_or(ken_core::Clock::ZERO);
            let spared = entry.memory() == Memory::Procedural
                || entry.kind.known() == Some(Type::FalsePositive)
                || !entry.status.is_retrieved()
                || stored.overlay.pinned.is_some()
                || independent.contains(stored.id.as_str())
                || clock <= since;
            if spared {
                continue;
            }
            let debt = view::review_debt_in(recall, entry, &self.run.started.project)? + 1;
            if debt >= limit {
                let reason = format!("injected in {debt} reviews since anybody found it independently");
                decided.intents.extend(decide::archive(entry, reason, context)?);
                archived.push(stored.id.clone());
            }
        }
        answer.archived = archived;
        Ok(())
    }
}

/// What a completion that could not be carried out answers: the review's own answer does not depend on it.
pub fn not_completed(run: &str, error: &Error) -> CompleteAnswer {
    CompleteAnswer {
        run: run.to_owned(),
        warnings: vec![format!(
            "nothing was learned from this review: {error}; retry with `ken review complete --run {run}`"
        )],
        ..CompleteAnswer::default()
    }
}
