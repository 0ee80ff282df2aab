//! How entries are handed over: as one line, as a paragraph, or whole (OUT-3). Every form says when, how far, by whom and whether it
//! still holds: a reader misjudges an undated snippet.

use std::collections::HashMap;

use ken_core::answer::ConditionVerdict;
use ken_core::belief::{Mark, Moved, Side};
use ken_core::event::BeliefEvent;
use ken_core::kinds::{EvidenceType, SpikeOutcome};
use ken_core::limits::ACTOR_CHARS_MAX;
use ken_core::run::RunOutcome;
use ken_core::words::{first_sentences, one_line};
use ken_core::{Body, Citation, EntryKey, Millis, Relation, Tier as CoreTier, Type};
use serde::Serialize;

use crate::error::Result;
use crate::limits::deliver::{
    HANDED_CHARS_MAX, PREVIEW_CHARS_MAX, REASON_CHARS_MAX, SUMMARY_CHARS_MAX, TITLE_CHARS_MAX,
};
use crate::opposed::{Compared, are_opposed};
use crate::ports::Stored;
use crate::projection::Projection;
use crate::validity::Validity;
use crate::view;

/// How much of each entry is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    Summary,
    Standard,
    Full,
}

impl Tier {
    /// The word people use.
    pub fn word(self) -> &'static str {
        match self {
            Tier::Summary => "summary",
            Tier::Standard => "standard",
            Tier::Full => "full",
        }
    }
}

/// Heads what is injected (REV-5).
pub const HEADER: &str = "## Knowledge Context";

/// Stands where a text is shortened.
pub const SHORTENED: &str = "[…]";
/// How to get what an answer shortens. The same words at every door, so that the same answer has the same bytes.
pub const REST: &str =
    "[…] marks shortened text: `ken show ID`, or the tool `show_entry`, shows the whole entry.";

/// Says how to get the rest of a text, where it is shortened.
pub fn rest_of(text: &str) -> Option<&'static str> {
    text.contains(SHORTENED).then_some(REST)
}

/// A text as it may stand before an agent: nothing hidden in it, no marker of a conversation alive in it, and not endless. What
/// was done to it can be seen.
pub fn safe(text: &str) -> String {
    ken_guard::fence::fenced(text, HANDED_CHARS_MAX).text
}

/// A name as it may stand in a line: events that came from elsewhere may hold anything.
pub fn credited(actor: &str) -> String {
    one_line(&safe(actor), ACTOR_CHARS_MAX)
}

/// What is handed over unasked stands in a fence: it is data, whatever it says.
pub fn block(body: &str) -> String {
    ken_guard::fence::block("Kenning", body)
}

/// COR-26: whether a draft still waits for somebody to look at it. An agent's conversation alone says it, by a mark of the agent or by what a
/// machine made of some lines, and since then nobody completed, reworded or confirmed it, or stated it on other evidence.
pub fn is_unreviewed_draft(stored: &Stored) -> bool {
    let entry = &stored.entry;
    // `said:` is what a person said.
    let is_conversation = |citation: &Citation| {
        citation.evidence_type == EvidenceType::Transcript && !citation.evidence_ref.starts_with("said:")
    };
    entry.is_draft()
        && entry.confirmation.is_none()
        && entry.revised.is_none()
        && entry.created_by.starts_with("agent:")
        && rests_only_on(stored, is_conversation)
}

/// Whether an entry was stated in a run, and nobody else has stated it since.
pub fn is_stated_in(stored: &Stored, run: &str) -> bool {
    let is_source =
        stored.entry.fields.source.as_ref().is_some_and(|source| source.run.as_deref() == Some(run));
    let is_of_run = |citation: &Citation| {
        let session = citation.evidence_ref.split('#').next();
        citation.evidence_type == EvidenceType::Transcript && session == Some(run)
    };
    is_source || rests_only_on(stored, is_of_run)
}

/// Whether all evidence of an entry is of some kind. Commits that followed a conversation say nothing about who looked at it.
fn rests_only_on(stored: &Stored, is_of_kind: impl Fn(&Citation) -> bool) -> bool {
    let mut others =
        stored.entry.evidence().filter(|citation| citation.evidence_type != EvidenceType::Commit).peekable();
    others.peek().is_some() && others.all(is_of_kind)
}

/// An entry that says the opposite.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Competing {
    pub id: String,
    pub title: String,
    /// How far it can be believed.
    pub mean: f64,
}

/// What an entry must not be handed over without.
#[derive(Clone, Debug, Default)]
pub struct Caveats {
    /// The entries that contradict it (OUT-4).
    pub competing: Vec<Competing>,
    pub failures: Failures,
}

impl Caveats {
    /// Each in a line, short enough to be read up to its colon.
    pub fn lines(&self) -> Vec<String> {
        self.competing.iter().map(contradicted).chain(self.failures.lines().map(str::to_owned)).collect()
    }
}

/// The runs that failed and that an entry has to do with (SUR-4, COR-9): whatever shows an entry says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Failures {
    /// That the run that stated it failed, and which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_source: Option<String>,
    /// That the last run that used it failed, and which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_last: Option<String>,
}

impl Failures {
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        [&self.failed_source, &self.failed_last].into_iter().flatten().map(String::as_str)
    }

    /// What follows an entry that is one line.
    fn appended(&self) -> String {
        self.lines().map(|line| format!(" · {line}")).collect()
    }
}

/// The failures of entries, in their order.
pub fn failures(ledger: &dyn Projection, entries: &[&Stored]) -> Result<Vec<Failures>> {
    let mut failed_runs: HashMap<&str, bool> = HashMap::new();
    let mut all = Vec::with_capacity(entries.len());
    for stored in entries {
        let mut failed_source = None;
        if let Some(run) = stored.entry.fields.source.as_ref().and_then(|source| source.run.as_deref()) {
            let failed = match failed_runs.get(run) {
                Some(failed) => *failed,
                None => {
                    let end = ledger.run(run)?.and_then(|run| run.finished);
                    let failed = end.is_some_and(|(end, _)| end.outcome == RunOutcome::Failed);
                    failed_runs.insert(run, failed);
                    failed
                }
            };
            failed_source = failed.then(|| format!("from failed work: {} failed", safe(run)));
        }
        all.push(Failures { failed_source, failed_last: failed_last(ledger, stored)? });
    }
    Ok(all)
}

/// The caveats of entries that are handed over together, in their order.
pub fn caveats(ledger: &dyn Projection, together: &[&Stored], now: Millis) -> Result<Vec<Caveats>> {
    let failures = failures(ledger, together)?;
    let opposed = opposed(together);
    let with_failures = together.iter().zip(opposed).zip(failures);
    with_failures
        .map(|((stored, opposed), failures)| {
            Ok(Caveats { competing: competing(ledger, stored, opposed, now)?, failures })
        })
        .collect()
}

/// Which of some entries say the opposite of each of them.
fn opposed(together: &[&Stored]) -> Vec<Vec<EntryKey>> {
    let statements: Vec<_> = together.iter().map(|stored| stored.entry.fields.statement()).collect();
    let pairs = together.iter().zip(&statements);
    let compared: Vec<Compared<'_>> =
        pairs.map(|(stored, statement)| Compared::new(stored, statement)).collect();
    let opposed_to = |one: &Compared<'_>| {
        let opposed = compared.iter().filter(|other| are_opposed(one, other));
        opposed.map(|other| other.stored.entry.key).collect()
    };
    compared.iter().map(opposed_to).collect()
}

/// OUT-4: the entries that contradict this one, whichever of the two said so first. Beside those that somebody tied, those count that are
/// handed over together with it and say the opposite of the same (COR-9): nothing else is looked for.
fn competing(
    ledger: &dyn Projection,
    stored: &Stored,
    opposed: Vec<EntryKey>,
    now: Millis,
) -> Result<Vec<Competing>> {
    let own =
        stored.entry.links.iter().filter(|link| link.relation == Relation::Contradicts).map(|link| link.to);
    let mut keys: Vec<_> = own.collect();
    let others = ledger.tied_to(stored.entry.key)?;
    keys.extend(
        others.into_iter().filter(|(relation, _)| *relation == Relation::Contradicts).map(|(_, key)| key),
    );
    keys.extend(opposed);
    keys.sort();
    keys.dedup();
    let mut found = Vec::new();
    for key in keys {
        // Somebody said that both hold.
        let is_resolved = |other: &Stored| {
            stored.entry.unlike.contains(&key) || other.entry.unlike.contains(&stored.entry.key)
        };
        if let Some(other) = ledger
            .stored(key)?
            .filter(|other| !is_resolved(other))
            .filter(|other| other.entry.status.is_retrieved() && !other.purge_asked && !other.overlay.hides())
        {
            found.push(Competing {
                id: view::handle(&other),
                title: one_line(&safe(&other.entry.fields.title()), TITLE_CHARS_MAX),
                mean: view::belief(&other.entry, now).mean,
            });
        }
    }
    Ok(found)
}

/// What an entry whose last run failed says of it (COR-9); none where the last one succeeded, or nobody used it.
fn failed_last(ledger: &dyn Projection, stored: &Stored) -> Result<Option<String>> {
    let against = |mark: &Mark| matches!(mark.what, Moved::Observed(Side::Against, _));
    // Only what was ever held against it can be its last.
    if !stored.entry.record.0.iter().any(against) {
        return Ok(None);
    }
    let history = ledger.history(stored.entry.key)?;
    let runs = history.iter().filter_map(|placed| match &placed.event.body {
        Some(Body::Belief(BeliefEvent::Observed { source, side, reason, .. }))
            if source.starts_with("run:") =>
        {
            Some((placed.event.order(), *side, reason))
        }
        _ => None,
    });
    let last = runs.max_by(|one, other| one.0.cmp(&other.0)).filter(|(_, side, _)| *side == Side::Against);
    Ok(last.map(|(_, _, reason)| {
        format!("failed when last used: {}", one_line(&safe(reason), REASON_CHARS_MAX))
    }))
}

/// How sure one may be, in a word: what was never used is untested, whatever its prior.
pub fn confidence(stored: &Stored, now: Millis) -> &'static str {
    // SUR-8: an experiment is believed by how it ended.
    if stored.entry.kind.known() == Some(Type::Spike) {
        return match stored.entry.fields.outcome {
            Some(SpikeOutcome::Confirmed | SpikeOutcome::Rejected) => "high",
            Some(SpikeOutcome::Partial) => "moderate",
            Some(SpikeOutcome::Inconclusive) | None => "low",
        };
    }
    let belief = view::belief(&stored.entry, now);
    match (belief.observations, belief.mean) {
        (seen, _) if seen < 0.5 => "untested",
        (_, mean) if mean >= 0.75 => "high",
        (_, mean) if mean >= 0.5 => "moderate",
        _ => "low",
    }
}

/// The rate of success that is expected (BEL-10), where anything was seen of it.
fn rate(stored: &Stored, now: Millis) -> String {
    let belief = view::belief(&stored.entry, now);
    match belief.observations {
        none if none < 0.005 => String::new(),
        _ => format!(", belief {:.0} %", belief.mean * 100.0),
    }
}

/// When, how far, by whom, and whether it still holds.
pub fn standing(stored: &Stored, now: Millis) -> String {
    let entry = &stored.entry;
    let mut parts = vec![
        entry.changed_at().shown_date(now),
        entry.fields.scope().word().to_owned(),
        credited(&entry.created_by),
        safe(&stored.validity.told()),
    ];
    if stored.overlay.pinned.is_some() {
        parts.insert(0, "pinned".to_owned());
    }
    if !entry.status.is_retrieved() {
        parts.push(entry.status.word().to_owned());
    }
    parts.extend(entry.approvals.last().map(|approval| safe(&approval.told())));
    if entry.is_unverified() {
        parts.push("unverified".to_owned());
    }
    if !entry.gaps().is_empty() {
        parts.push("has gaps".to_owned());
    }
    if let Some(scan) = entry.scan.as_ref().filter(|scan| scan.tier >= CoreTier::Medium) {
        parts.push(format!("scanned {}", scan.tier.word()));
    }
    if !stored.is_on_branch() {
        parts.push("not on this branch".to_owned());
    }
    parts.join(", ")
}

/// The same, with the runs that failed: what stands behind an entry that is one line.
pub fn standing_with(failures: &Failures, stored: &Stored, now: Millis) -> String {
    standing(stored, now) + &failures.appended()
}

/// The claim, and for a spike how it ended: as many whole sentences as fit. A claim that would have to be cut is left to its title.
pub fn conclusion(stored: &Stored, chars_max: usize) -> String {
    match claim(stored, chars_max) {
        Some((claim, _)) => claim,
        None => title(stored),
    }
}

/// The sentences that begin the claim, and whether they are all of it.
fn claim(stored: &Stored, chars_max: usize) -> Option<(String, bool)> {
    let fields = &stored.entry.fields;
    let text = match (stored.entry.kind.known(), &fields.decision) {
        (Some(Type::Spike), Some(decision)) if !decision.trim().is_empty() => decision.clone(),
        _ => fields.statement().into_owned(),
    };
    first_sentences(&safe(&text), chars_max)
}

fn title(stored: &Stored) -> String {
    one_line(&safe(&stored.entry.fields.title()), TITLE_CHARS_MAX)
}

/// What names an entry and says no more: its short citation and its title (COR-6).
pub fn named(stored: &Stored) -> String {
    format!("[{}] {} {SHORTENED}", view::handle(stored), title(stored))
}

/// What sets an entry apart in a list: its short citation, its title, its claim. Ends at a sentence, and says if there are more.
pub fn headline(stored: &Stored, chars_max: usize) -> String {
    let title = title(stored);
    let cite = format!("[{}]", view::handle(stored));
    let Some((claim, is_whole)) = claim(stored, chars_max) else { return named(stored) };
    let more = if is_whole { String::new() } else { format!(" {SHORTENED}") };
    if claim.starts_with(title.trim_end_matches('…')) || title.starts_with(&claim) || title.is_empty() {
        return format!("{cite} {claim}{more}");
    }
    format!("{cite} {}: {claim}{more}", title.trim_end_matches(['.', ':', ' ']))
}

/// An entry as one line.
pub fn summary(stored: &Stored, caveats: &Caveats, now: Millis) -> String {
    let mark = if caveats.competing.is_empty() { "" } else { " · contradicted, see both" };
    format!(
        "{} · {}{mark} · {}",
        headline(stored, SUMMARY_CHARS_MAX),
        confidence(stored, now),
        standing_with(&caveats.failures, stored, now)
    )
}

/// An entry as a paragraph.
pub fn standard(stored: &Stored, caveats: &Caveats, now: Millis) -> String {
    let fields = &stored.entry.fields;
    let mut lines = vec![headline(stored, PREVIEW_CHARS_MAX)];
    let labels: Vec<&str> = fields.domains.iter().chain(&fields.tags).map(|label| label.as_str()).collect();
    let mut facts = vec![stored.entry.kind.word().to_owned()];
    if !labels.is_empty() {
        facts.push(labels.join(" "));
    }
    facts.push(format!("{} confidence{}", confidence(stored, now), rate(stored, now)));
    facts.push(fields.decay_class().word().to_owned());
    facts.push(standing(stored, now));
    lines.push(format!("  {}", facts.join(" · ")));
    lines.extend(against(caveats));
    lines.join("\n")
}

/// An entry, whole: everything it says, what it rests on, and what speaks against it.
pub fn full(stored: &Stored, caveats: &Caveats, now: Millis) -> String {
    let entry = &stored.entry;
    let fields = &entry.fields;
    let title = title(stored);
    let mut lines = vec![format!("[{}] {title}", view::handle(stored))];
    let statement = safe(&fields.statement());
    if statement != title {
        lines.push(format!("  {}", statement.replace('\n', "\n  ")));
    }
    let mut say = |name: &str, text: &str| {
        if !text.trim().is_empty() {
            lines.push(format!("  {name}: {}", safe(text.trim()).replace('\n', "\n    ")));
        }
    };
    let labels = |labels: &std::collections::BTreeSet<ken_core::Tag>| {
        labels.iter().map(|label| label.as_str()).collect::<Vec<_>>().join(", ")
    };
    say("type", entry.kind.word());
    say("outcome", fields.outcome.map_or("", |outcome| outcome.word()));
    say("decision", fields.decision.as_deref().unwrap_or_default());
    say("summary", fields.summary.as_deref().unwrap_or_default());
    say("detail", fields.detail.as_deref().unwrap_or_default());
    say("domains", &labels(&fields.domains));
    say("tags", &labels(&fields.tags));
    let judged = &stored.validity;
    let anchors: Vec<String> = fields.anchors.iter().map(|anchor| place(&anchor.at, judged)).collect();
    say("anchors", &anchors.join(", "));
    let conditions: Vec<String> = fields.depends_on.iter().map(|text| condition(text, judged)).collect();
    say("depends on", &conditions.join(", "));
    say("broken because of", &judged.chain.join(", which depends on "));
    say("verify by", &fields.verification.join("; "));
    let evidence: Vec<String> = entry
        .shown_citations()
        .map(|citation| format!("{}:{}{}", citation.evidence_type, citation.evidence_ref, citation.mark()))
        .collect();
    say("evidence", &evidence.join(", "));
    say("confidence", &format!("{}{}", confidence(stored, now), rate(stored, now)));
    say("decay", fields.decay_class().word());
    say("standing", &format!("{}, {}", entry.status, standing(stored, now)));
    for note in &stored.overlay.notes {
        say("note", &note.told());
    }
    lines.extend(against(caveats));
    lines.join("\n")
}

/// A place, with what became of it.
fn place(at: &str, judged: &Validity) -> String {
    match judged.anchors.iter().find(|anchor| anchor.at == at) {
        None => at.to_owned(),
        Some(anchor) => match &anchor.found.now {
            Some(now) => format!("{at} ({}, now {now})", anchor.found.verdict),
            None => format!("{at} ({})", anchor.found.verdict),
        },
    }
}

/// A condition, with what it answers.
fn condition(text: &str, judged: &Validity) -> String {
    match judged.conditions.iter().find(|condition| condition.text == text) {
        None => text.to_owned(),
        Some(condition) if condition.verdict == ConditionVerdict::Holds => format!("{text} (holds)"),
        Some(condition) => format!("{text} ({}: {})", condition.verdict, condition.why),
    }
}

/// The lines of a form that has several.
fn against(caveats: &Caveats) -> impl Iterator<Item = String> {
    let in_conflict = |other: &Competing| {
        format!("  contradicted by [{}] {} (belief {:.0} %)", other.id, other.title, other.mean * 100.0)
    };
    caveats
        .competing
        .iter()
        .map(in_conflict)
        .chain(caveats.failures.lines().map(|failed| format!("  {failed}")))
}

/// The same as a mark, short enough for a line up to its colon.
fn contradicted(other: &Competing) -> String {
    format!("contradicted by [{}]: {} (belief {:.0} %)", other.id, other.title, other.mean * 100.0)
}

/// An entry in some tier.
pub fn render(tier: Tier, stored: &Stored, caveats: &Caveats, now: Millis) -> String {
    match tier {
        Tier::Summary => summary(stored, caveats, now),
        Tier::Standard => standard(stored, caveats, now),
        Tier::Full => full(stored, caveats, now),
    }
}
