//! The end of a review: its verdict, and what is learned from it (REV-7, REV-8, COR-13).

use super::*;
use crate::ledger::Ledger;
use crate::ops::authority::is_or_was_verified;
use ken_core::decide::{Effect, EntryAction};

/// A confirmation, as it is told.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfirmedView {
    pub id: String,
    /// Whether a reviewer who had not been shown the entry found it, too.
    pub kind: Confirmation,
    pub finding: String,
    /// Reviewers who found it without having been shown it.
    pub independent: Vec<String>,
    /// Reviewers who found it after having been shown it.
    pub primed: Vec<String>,
    /// Why the finding is the entry.
    pub why: Vec<String>,
}

/// A finding that nothing came of.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Skipped {
    pub finding: String,
    pub why: String,
}

/// What a review comes to (COR-13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

    pub(super) fn decide(run: &Run, groups: &[Group]) -> ReviewVerdict {
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
pub fn verdict(ledger: &dyn Projection, name: &str) -> Result<ReviewVerdict> {
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
pub(super) fn grounded(run: &Run, cited: &Cited) -> Result<Vec<String>> {
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    pub global: Option<&'a RefCell<Ledger>>,
    /// A list of findings that must come from the reports.
    pub cited: Option<&'a Cited>,
}

/// Ends a review and learns from it, in one append. Doing it again creates nothing.
pub fn complete(
    recall: &mut Ledger,
    name: &str,
    by: &Completing<'_>,
    writer: &Writer,
) -> Result<CompleteAnswer> {
    let run = find_run(recall.projection(), name)?;
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
        read: Read::default(),
        meanings: MEANINGS_MAX,
        found_again: BTreeMap::new(),
        wishes: Vec::new(),
    };
    // What cannot be read is told of each finding that it matters to.
    read_ahead(recall.projection(), &groups, &plan.alike, &mut plan.read).ok();
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
    plan.confirm(recall.projection(), &groups, &mut decided, &context, &mut answer)?;
    plan.archive(recall.projection(), by.limit, &mut decided, &context, &mut answer)?;
    decided.intents.push(ended(Finished {
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
    }));
    decided.write(recall, writer)?;
    if let (Some(global), false) = (by.global, found_globally.is_empty()) {
        let plan = Plan { found_again: found_globally, wishes: Vec::new(), ..plan };
        // The review is complete; what the global store could not be told is said.
        if let Err(error) = plan.confirm_globally(&mut global.borrow_mut(), &groups, &mut answer, writer) {
            answer.warnings.push(format!("the global store was not updated: {error}"));
        }
    }
    Ok(answer)
}

/// A completion in the making.
pub(super) struct Plan<'a> {
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
pub(super) struct Wish {
    name: String,
    input: AddInput,
    /// Reviewers who found it without having been shown it.
    found_by: Vec<String>,
}

/// Entries that were found again: by which groups, and why those are the same.
type FoundAgain = BTreeMap<EntryKey, Vec<(usize, Vec<String>)>>;

impl Plan<'_> {
    /// Says what a finding is: an entry found again, a new one, or neither.
    fn place(
        &mut self,
        recall: &mut Ledger,
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
        self.note_outside(recall.projection(), group, key)?;
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
            && let Some((stored, why)) = globally_known(&mut global.borrow_mut(), group, by.means, answer)
        {
            self.note_outside(recall.projection(), group, Some(stored.entry.key))?;
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
    fn note_outside(&mut self, ledger: &dyn Projection, group: &Group, key: Option<EntryKey>) -> Result<()> {
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
        recall: &mut Ledger,
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
                    born.push(intent.entry);
                }
                Body::Entry(EntryEvent::Cited { citation }) => own(citation),
                _ => {}
            }
        }
        // It was just found, by who had not been told; or by who says that they had.
        for (entry, agents) in born.into_iter().zip(found_by) {
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
                uncounted: None,
                withdraws: None,
            };
            decided.intents.push(Intent { entry, body: Body::Entry(EntryEvent::Confirmed(confirmed)) });
        }
        Ok(decided)
    }

    /// REV-2, REV-3: who was shown an entry and found it repeats it; who was not confirms it. Independent wins.
    fn confirm(
        &self,
        recall: &dyn Projection,
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
                uncounted: None,
                withdraws: None,
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
        global: &mut Ledger,
        groups: &[Group],
        answer: &mut CompleteAnswer,
        writer: &Writer,
    ) -> Result<()> {
        let context = context(global, writer)?;
        let mut decided = Decided::default();
        self.confirm(global.projection(), groups, &mut decided, &context, answer)?;
        decided.write(global, writer).map(drop)
    }

    /// REV-4: what was injected once too often without anybody finding it is put away, whole.
    fn archive(
        &self,
        recall: &dyn Projection,
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
            if debt < limit {
                continue;
            }
            let was_verified = is_or_was_verified(recall, entry)?;
            if decide::may(Effect::Hides, entry, was_verified, EntryAction::ARCHIVE, &context.authority)
                .is_err()
            {
                answer.warnings.push(format!(
                    "{0} was injected in {debt} reviews since anybody found it independently; it is or was verified, so a person decides: ken archive {0}",
                    stored.id
                ));
            } else {
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
