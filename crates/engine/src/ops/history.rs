//! The verbs that explain: `log` tells what happened, `why` tells what that amounts to.

use ken_core::belief::Side;
use ken_core::event::Confirmed;
use ken_core::forage::{Completed, ForageEvent, Requested};
use ken_core::limits::ACTOR_CHARS_MAX;
use ken_core::words::{one_line, with_article};
use ken_core::{
    BeliefEvent, Body, Clock, Confirmation, DocumentEvent, EntryEvent, GateEvent, LinkEvent, Millis,
    PromotionEvent, RunEvent, Serviced, SettingEvent, Status, Uncounted, Verdict,
};
use serde::Serialize;
use serde_json::Value;

use super::find;
use crate::deliver;
use crate::error::Result;
use crate::intake;
use crate::ports::{CodeTree, Effort, Placed, Stored};
use crate::projection::Projection;
use crate::validity::{self, Validity};
use crate::view::{self, EntryView};

/// One event, told.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Happening {
    /// The event's hash.
    pub hash: String,
    /// The key of the entry it is about.
    pub entry: Option<String>,
    /// When, as the event says.
    pub at: String,
    /// What people are shown instead, where a wrong clock dated it (COR-4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong_clock: Option<String>,
    pub actor: String,
    /// Its family and name.
    #[serde(rename = "type")]
    pub kind: String,
    pub summary: String,
    /// The clone that wrote it, and its running number there.
    pub replica: String,
    /// The running number.
    pub seq: u64,
    /// Whether this branch's ledger files hold it.
    pub on_this_branch: bool,
    /// The ledger file that holds it.
    pub file: Option<String>,
    /// The branch it was written on, where this clone knows it.
    pub branch: Option<String>,
    /// What the event says.
    pub data: Value,
    /// It waits in the journal until it is flushed, if it is not in a file yet.
    #[serde(skip)]
    pub deferred: bool,
}

/// The history of an entry, oldest first.
pub fn log(ledger: &dyn Projection, name: &str) -> Result<Vec<Happening>> {
    let stored = find(ledger, name)?;
    told(ledger, &stored)
}

/// What happened to an entry. Of one that was kept out, the words stay out of this, too.
fn told(ledger: &dyn Projection, stored: &Stored) -> Result<Vec<Happening>> {
    let mut happenings = Vec::new();
    for placed in ledger.history(stored.entry.key)? {
        let mut happening = tell(&placed);
        // What this clone's journal does not have was not scanned when it was written; and not every part of it is in the entry.
        let poisoned = !placed.is_in_journal() && stored.entry.released.is_none() && is_poisoned(&happening);
        if stored.entry.status == Status::Rejected || poisoned {
            withhold(&mut happening);
        }
        happenings.push(happening);
    }
    Ok(happenings)
}

/// Whether an event says what would be kept out.
fn is_poisoned(happening: &Happening) -> bool {
    let mut scan = intake::unsullied();
    intake::clean_value("event", "", &mut happening.data.clone(), &mut scan);
    scan.tier.is_rejected() || ken_guard::scan(&happening.actor).tier >= ken_guard::Tier::High
}

/// Leaves of an event what is no text of whoever wrote it.
fn withhold(happening: &mut Happening) {
    let harmless = |text: &str| ken_guard::scan(text).findings.is_empty();
    if happening.kind != "entry.rejected" {
        happening.data = Value::from("[hidden: it is quarantined]");
        happening.summary = happening.kind.replace("entry.", "");
    } else if !harmless(&happening.summary) {
        happening.data = Value::from("[withheld]");
        happening.summary = "quarantined".to_owned();
    }
    if !harmless(&happening.actor) {
        happening.actor = "[withheld]".to_owned();
    }
}

/// Names the events that a wrong clock dated.
pub fn name_wrong_clocks(events: &mut [Happening], now: Millis) {
    for event in events {
        let clock = Millis::parse(&event.at).ok().map(Clock::at).filter(|clock| clock.is_wrong_at(now));
        event.wrong_clock = clock.map(Clock::told_wrong);
    }
}

/// An event, told.
pub fn tell(placed: &Placed) -> Happening {
    let event = &placed.event;
    let clean = |text: &str| ken_guard::redact(text).into_owned();
    Happening {
        hash: event.hash.to_string(),
        entry: event.entry.map(|key| key.to_string()),
        at: event.clock.millis().to_string(),
        wrong_clock: None,
        actor: one_line(&clean(&event.actor), ACTOR_CHARS_MAX),
        kind: clean(&event.type_name),
        summary: clean(&summary(event.body.as_ref(), &event.type_name)),
        replica: event.replica.to_string(),
        seq: event.seq,
        on_this_branch: placed.is_on_branch(),
        file: placed.line.as_ref().and_then(|line| line.file.as_deref()).map(clean),
        branch: placed.line.as_ref().and_then(|line| line.written_on.clone()),
        data: intake::redacted(event.data()),
        deferred: event.is_deferred(),
    }
}

/// How somebody confirmed an entry. Older versions recorded who made a confirmation, and not why it does not count.
fn how_confirmed(confirmed: &Confirmed) -> String {
    let is_person = |agent: &String| agent.starts_with("human:");
    let who = match confirmed.agents.as_slice() {
        [] => String::new(),
        agents => format!(" ({})", agents.join(", ")),
    };
    let how = match (confirmed.kind, confirmed.uncounted) {
        (Confirmation::Independent, _) => return format!("confirmed independently{who}"),
        (Confirmation::Primed, Some(Uncounted::Author)) => "its author",
        (Confirmation::Primed, Some(Uncounted::Unattended)) => {
            "somebody who may have seen it: there was no terminal"
        }
        (Confirmation::Primed, Some(Uncounted::PossibleAuthor)) => {
            return format!("confirmed by an agent that may have stated it (not counted){who}");
        }
        (Confirmation::Primed, None) if confirmed.run.is_none() && confirmed.agents.iter().all(is_person) => {
            "its author, or by somebody who may have seen it"
        }
        (Confirmation::Primed, Some(Uncounted::Shown)) if confirmed.agents.iter().all(is_person) => {
            "somebody who had seen it"
        }
        (Confirmation::Primed, Some(Uncounted::Shown) | None) => {
            return format!("repeated by an agent that had seen it{who}");
        }
    };
    format!("confirmed by {how} (not counted)")
}

/// One sentence about an event.
pub fn summary(body: Option<&Body>, type_name: &str) -> String {
    let because = |reason: &str| if reason.is_empty() { String::new() } else { format!(": {reason}") };
    match body {
        Some(Body::Entry(EntryEvent::Added(added))) => {
            let what = with_article(&added.kind);
            match added.evidence.len() {
                0 => format!("added as {what}"),
                1 => format!("added as {what}, with 1 citation"),
                n => format!("added as {what}, with {n} citations"),
            }
        }
        Some(Body::Entry(EntryEvent::Revised(revised))) => {
            let mut parts: Vec<String> = Vec::new();
            for (word, gone) in [("set", false), ("took away", true)] {
                let names = revised.set.iter().filter(|(_, value)| value.is_null() == gone);
                let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
                if !names.is_empty() {
                    parts.push(format!("{word} {}", names.join(", ")));
                }
            }
            parts.extend(
                revised.add.iter().map(|(field, words)| format!("added {field} {}", words.join(", "))),
            );
            parts.extend(
                revised.remove.iter().map(|(field, words)| format!("removed {field} {}", words.join(", "))),
            );
            let reason = revised.reason.as_deref().filter(|reason| !reason.is_empty());
            let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
            format!("{}{reason}", parts.join("; "))
        }
        Some(Body::Entry(EntryEvent::Cited { citation })) if citation.withdrawn => {
            format!("withdrew {}:{}", citation.evidence_type, citation.evidence_ref)
        }
        Some(Body::Entry(EntryEvent::Cited { citation })) => {
            let mark = if citation.unverified { ", unverified" } else { "" };
            format!(
                "cited {}:{} by {}{mark}",
                citation.evidence_type, citation.evidence_ref, citation.cited_by
            )
        }
        Some(Body::Entry(EntryEvent::Rejected(rejected))) => format!("quarantined: {}", rejected.reason),
        Some(Body::Entry(EntryEvent::Released { reason, .. })) => {
            format!("released by a person{}", because(reason))
        }
        Some(Body::Entry(EntryEvent::Reinforced { statement, withdrawn: true, .. })) => {
            format!("withdrew the wording {statement:?}")
        }
        Some(Body::Entry(EntryEvent::Reinforced { statement, similarity, withdrawn: false })) => {
            format!("restated ({:.2}): {statement:?}", f64::from(*similarity) / 1000.0)
        }
        Some(Body::Link(LinkEvent::Proposed { to, similarity })) => {
            format!("likely duplicate of {to} ({:.2})", f64::from(*similarity) / 1000.0)
        }
        Some(Body::Link(LinkEvent::Dismissed { to, reason })) => {
            format!("not a duplicate of {to}{}", because(reason))
        }
        Some(Body::Entry(EntryEvent::Archived { reason })) => format!("archived{}", because(reason)),
        Some(Body::Entry(EntryEvent::Retracted { reason })) => format!("retracted{}", because(reason)),
        Some(Body::Entry(EntryEvent::Restored { status, reason })) => {
            format!("restored to {status}{}", because(reason))
        }
        Some(Body::Entry(EntryEvent::Superseded { by, reason })) => {
            format!("superseded by {by}{}", because(reason))
        }
        Some(Body::Entry(EntryEvent::Merged(merged))) => {
            format!("merged into {}{}", merged.into, because(&merged.reason))
        }
        Some(Body::Entry(EntryEvent::Unmerged { from, reason })) => {
            format!("unmerged from {from}{}", because(reason))
        }
        Some(Body::Entry(EntryEvent::Staled { reason })) => format!("stale{}", because(reason)),
        Some(Body::Entry(EntryEvent::Reanchored { anchors })) => {
            let told: Vec<String> = anchors
                .iter()
                .map(|change| match change.from == change.to.at {
                    true => format!("{} re-anchored", change.from),
                    false => format!("{} is now {}", change.from, change.to.at),
                })
                .collect();
            told.join("; ")
        }
        Some(Body::Entry(EntryEvent::Proved { steps, accepted })) => {
            let by = if *accepted { ", accepted by a person" } else { "" };
            format!("proved: {} passed{by}", steps.join("; "))
        }
        Some(Body::Entry(EntryEvent::Confirmed(confirmed))) if confirmed.withdraws.is_some() => {
            "withdrew the confirmation".to_owned()
        }
        Some(Body::Entry(EntryEvent::Confirmed(confirmed))) => {
            let run = confirmed.run.as_ref().map(|run| format!(" in run {run}")).unwrap_or_default();
            format!("{}{run}{}", how_confirmed(confirmed), because(&confirmed.reason))
        }
        Some(Body::Entry(EntryEvent::Promoted { status, reason, .. })) => {
            format!("now {status}{}", because(reason))
        }
        Some(Body::Entry(EntryEvent::Pinned { .. })) => {
            "earlier trust pinned to the words of that time".to_owned()
        }
        Some(Body::Entry(EntryEvent::Rescoped { scope, reason })) => {
            format!("promoted to the {scope}{}", because(reason))
        }
        Some(Body::Belief(BeliefEvent::Observed { weight: 0, .. })) => "took feedback back".to_owned(),
        Some(Body::Belief(BeliefEvent::Observed { side, weight, reason, .. })) => {
            let side = match side {
                Side::For => "for",
                Side::Against => "against",
            };
            format!("{:.3} {side} it{}", f64::from(*weight) / 1000.0, because(reason))
        }
        Some(Body::Belief(BeliefEvent::Reset { reason })) => {
            format!("belief reset{}", because(reason))
        }
        Some(Body::Belief(BeliefEvent::Widened { thread })) => {
            format!("belief decayed by a month: thread {thread} was archived")
        }
        Some(Body::Run(RunEvent::Started(started))) => {
            let about = because(&started.about);
            format!("{} {} began{about}", started.kind.word(), started.run)
        }
        Some(Body::Run(RunEvent::Reported(reported))) => {
            format!(
                "{} reported {} findings in run {}",
                reported.agent,
                reported.findings.len(),
                reported.run
            )
        }
        Some(Body::Run(RunEvent::Finished(finished))) => {
            format!("run {} {}", finished.run, finished.outcome.word())
        }
        Some(Body::Run(RunEvent::Cleared { run, agent })) => {
            format!("the context of {agent} in run {run} was compacted")
        }
        Some(Body::Run(RunEvent::Serviced(serviced))) => {
            let Serviced { service, outcome, changes, reason, judged } = &**serviced;
            let mut text = format!("{service} {}: {}", outcome.word(), counted(*changes, "change"));
            text += &reason.as_deref().map(because).unwrap_or_default();
            if let Some(judged) = judged {
                let tokens = judged.tokens_read + judged.tokens_written;
                let times = counted(judged.calls, "time");
                text += &format!("; {} was asked {times} ({tokens} tokens", judged.judge);
                text += &format!(", cost {:.4})", judged.cost_micros as f64 / 1e6);
            }
            text
        }
        Some(Body::Entry(EntryEvent::Purged { hashes, reason })) => {
            format!("purged {} events{}", hashes.len(), because(reason))
        }
        Some(Body::Link(LinkEvent::Linked { relation, to })) => format!("{relation} {to}"),
        Some(Body::Link(LinkEvent::Unlinked { relation, to })) => format!("no longer {relation} {to}"),
        Some(Body::Run(RunEvent::Exposed { run, how, .. })) => {
            format!("{how}{}", run.as_ref().map(|run| format!(" in run {run}")).unwrap_or_default())
        }
        Some(Body::Run(RunEvent::Missed { query, similarity, .. })) => {
            format!("was the best result for {query:?}, but too weak ({})", f64::from(*similarity) / 1000.0)
        }
        Some(Body::Run(RunEvent::Unanswered { query, .. })) => format!("nothing was found for {query:?}"),
        Some(Body::Run(RunEvent::Exceeded { budget, tokens, .. })) => {
            format!("{tokens} tokens were delivered, over the budget of {budget}")
        }
        Some(Body::Promotion(PromotionEvent::Proposed(proposed))) => {
            format!("{} proposed for {}{}", proposed.promotion, proposed.to, because(&proposed.reason))
        }
        Some(Body::Promotion(PromotionEvent::Approved(approved))) => {
            format!("approved ({}, by {})", approved.promotion, approved.channel)
        }
        Some(Body::Promotion(PromotionEvent::Rejected { promotion, reason })) => {
            format!("{promotion} was rejected{}", because(reason))
        }
        Some(Body::Gate(GateEvent::Attested { change, note, .. })) => {
            format!("a person attested change {change}{}", because(note))
        }
        Some(Body::Setting(SettingEvent::Changed { name, value })) => format!("{name} is now {value}"),
        Some(Body::Document(DocumentEvent::Kept(kept))) => {
            format!("in sync with {} of {}", kept.document.path, kept.document.root)
        }
        Some(Body::Document(DocumentEvent::Seen(seen))) => {
            format!("in sync with {} of {}, unchanged", seen.document.path, seen.document.root)
        }
        Some(Body::Document(DocumentEvent::Left { document, reason })) => {
            format!("{} of {} is no longer followed{}", document.path, document.root, because(reason))
        }
        Some(Body::Forage(said)) => foraged(said),
        None => format!("{type_name}: an event of a newer version, kept unchanged"),
    }
}

/// What the forager was asked, did or learned, in a sentence.
fn foraged(said: &ForageEvent) -> String {
    match said {
        ForageEvent::Requested(requested) => {
            let Requested { request, mode, query, pages, .. } = &**requested;
            match pages {
                0 => format!("{request} ({}): {query:?} should be looked up", mode.word()),
                pages => {
                    format!("{request} ({}): {query:?} is looked up, {pages} pages at most", mode.word())
                }
            }
        }
        ForageEvent::Completed(completed) => {
            let Completed { request, reason, pages, entries, .. } = &**completed;
            format!("{request} {reason}: {pages} pages, {entries} entries")
        }
        ForageEvent::Strategy { domain, level, successes, failures } => {
            format!("{domain} is read at level {level}: {successes} pages worked and {failures} did not")
        }
        ForageEvent::Override { domain, action, reason } => {
            let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            format!("{domain}: {}{why}", action.word())
        }
    }
}

/// What `why` answers: an entry that explains itself.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WhyAnswer {
    pub entry: EntryView,
    /// Sentences that say why it can or cannot be relied on.
    pub because: Vec<String>,
    /// What happened to it, oldest first.
    pub history: Vec<Happening>,
}

/// Explains an entry.
///
/// Without the code around, nobody can tell whether it still holds.
pub fn why(
    ledger: &dyn Projection,
    name: &str,
    ground: Option<&mut dyn CodeTree>,
    now: Millis,
) -> Result<WhyAnswer> {
    let mut stored = find(ledger, name)?;
    if let Some(ground) = ground {
        validity::judge_stored(ledger, ground, &mut [&mut stored], Effort::Thorough)?;
    }
    let entry = view::view(ledger, &stored, now)?;
    let mut history = told(ledger, &stored)?;
    name_wrong_clocks(&mut history, now);
    let mut because = stored.overlay.told();
    because.push(format!(
        "added by {} on {}",
        deliver::credited(&entry.created_by),
        stored.entry.stated_at().shown_date(now)
    ));
    if let Some(at) = &entry.imported {
        because.push(format!("it was imported on {}", &at[..10]));
    }
    for citation in &entry.provenance {
        let mark = match citation.unverified && !citation.withdrawn {
            true => ", which was not found (unverified)",
            false => citation.mark(),
        };
        because.push(format!("evidence: {}:{}{mark}", citation.evidence_type, citation.evidence_ref));
    }
    let reason = entry.status_reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    because.push(match entry.status {
        ken_core::Status::Candidate if reason.is_empty() => {
            "it is a candidate: not used or confirmed yet".to_owned()
        }
        status => format!("it is {status}{reason}"),
    });
    because.extend(entry.gaps.iter().map(|gap| format!("it is incomplete: no {}", gap.word())));
    because.extend(entry.failures.lines().map(str::to_owned));
    because.extend(entry.links.iter().map(|link| format!("it {} {}", said_of(link.relation), link.to)));
    because.extend(entry.linked_from.iter().map(|link| format!("{} {} it", link.to, said_of(link.relation))));
    because.extend(still(&entry.validity));
    because.extend(entry.proved.iter().map(|date| format!("a verification step passed on {date}")));
    because.extend(learned(&entry));
    because.extend(judged(&entry));
    if !entry.on_this_branch {
        because.push(
            "it is not on this branch: it was written on another branch or is no longer in its files"
                .to_owned(),
        );
    } else if entry.events_elsewhere > 0 {
        because.push(format!("{} of its events are not on this branch", entry.events_elsewhere));
    }
    Ok(WhyAnswer { entry, because, history })
}

/// A tie, as a sentence has it.
fn said_of(relation: ken_core::Relation) -> String {
    relation.word().replace('_', " ")
}

/// What became of what an entry speaks of, in sentences.
fn still(validity: &Validity) -> Vec<String> {
    let verdict = match validity.verdict {
        Verdict::Fresh => "unchanged",
        Verdict::Moved => "moved, and otherwise unchanged",
        Verdict::Drifted => "changed; it may still hold",
        Verdict::Broken => "changed, so that it no longer holds",
        Verdict::Unverifiable => "unverifiable",
    };
    let mut said = vec![format!("the code it describes is {verdict}")];
    said.extend(validity.anchors.iter().map(|anchor| {
        let now = anchor.found.now.as_ref().map(|now| format!(", now {now}")).unwrap_or_default();
        format!("{} is {}{now}: {}", anchor.at, anchor.found.verdict, anchor.found.why)
    }));
    let conditions = validity.conditions.iter();
    said.extend(
        conditions.map(|condition| format!("`{}` {}: {}", condition.text, condition.verdict, condition.why)),
    );
    if !validity.chain.is_empty() {
        let cause = validity.cause.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
        said.push(format!("it is broken because of {}{cause}", validity.chain.join(", which depends on ")));
    }
    said
}

/// What use and review came to, in sentences.
fn learned(entry: &EntryView) -> Vec<String> {
    let belief = &entry.belief;
    let mut said = vec![match belief.observations {
        none if none < 0.005 => {
            format!("belief is the prior, {:.0} %: no use was recorded", belief.mean * 100.0)
        }
        some => format!(
            "belief is {:.0} %, Beta({:.1}, {:.1}): {some:.1} observations of its use count now",
            belief.mean * 100.0,
            belief.alpha,
            belief.beta
        ),
    }];
    match (&entry.last_confirmed, entry.confirmation) {
        (Some(date), Some(Confirmation::Independent)) => {
            said.push(format!("it was confirmed independently on {date}"));
        }
        (Some(date), _) => {
            said.push(format!(
                "it was last confirmed independently on {date}; later confirmations do not count: they came from its author or from agents that had seen it"
            ));
        }
        (None, Some(Confirmation::Primed)) => {
            said.push(
                "nobody confirmed it independently: only its author or agents that had seen it did"
                    .to_owned(),
            );
        }
        (None, _) => {}
    }
    if entry.review_debt > 0 {
        let reviews = super::brief::count(entry.review_debt as usize, "review", "reviews");
        said.push(format!("it was injected in {reviews} without independent confirmation"));
    }
    if entry.prediction_errors > 0 {
        let errors =
            super::brief::count(entry.prediction_errors as usize, "prediction error", "prediction errors");
        said.push(format!("{errors}: it was the best result but not relevant, or did not help"));
    }
    said
}

/// What the intake said of an entry, in sentences.
fn judged(entry: &EntryView) -> Vec<String> {
    let mut said = Vec::new();
    match &entry.scan {
        None => said.push("it was never scanned: it was added by a version without a scanner".to_owned()),
        Some(scan) if scan.findings.is_empty() => {
            said.push(format!("the scan (rules {}) found nothing", scan.scanner));
        }
        Some(scan) => {
            said.push(format!(
                "the scan (rules {}) reports {}: {}",
                scan.scanner,
                scan.tier.word(),
                scan.worst()
            ));
        }
    }
    if let Some(release) = &entry.released {
        said.push(format!("{} released it: {}", release.by, release.reason));
    }
    if let Some(admission) = &entry.admission {
        let signals: Vec<String> =
            admission.signals.iter().map(|(signal, value)| format!("{signal} {value:.2}")).collect();
        said.push(format!("admission {:.2}: {}", admission.score, signals.join(", ")));
        said.extend(admission.flags.iter().cloned());
    }
    said.extend(entry.taint.iter().map(|taint| {
        format!("it was derived from {}, for which the scan reports {}", taint.from, taint.tier.word())
    }));
    said.extend(entry.similar_to.iter().map(|similar| {
        format!(
            "its meaning is near that of {} ({:.2}); `ken queue` asks how they relate while that is open",
            similar.id, similar.similarity
        )
    }));
    if !entry.not_run.is_empty() {
        said.push(format!("checks not run when it was added: {}", entry.not_run.join(", ")));
    }
    said
}

/// `1 change`, `2 changes`.
fn counted(number: u32, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
