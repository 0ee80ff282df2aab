//! What was found in a review, merged (REV-6), and how it is shown.

use super::*;

/// What of a review was found, merged.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// What it comes to, once it is complete (COR-13).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<ReviewVerdict>,
}

/// An entry that an agent was shown.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShownView {
    pub id: String,
    /// Its short citation.
    pub handle: String,
    /// How it got there.
    pub how: String,
}

/// A run, with what was shown and found in it.
pub fn show(ledger: &dyn Projection, name: &str, now: Millis) -> Result<ReviewView> {
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
    let is_complete = run.started.kind == RunKind::Review && run.finished.is_some();
    let verdict = is_complete.then(|| ReviewVerdict::decide(&run, &groups));
    Ok(ReviewView { line: RunLine::new(&run, now), exposures, reported, created, findings, verdict })
}

/// A finding, merged, with who stands behind it.
pub(super) struct Group {
    pub(super) merged: merge::Group,
    /// The families of the agents' models, as far as they are known.
    pub(super) families: BTreeMap<String, String>,
    /// Agents that say themselves that they had been told.
    pub(super) say_primed: BTreeSet<String>,
    /// What its members were called, where there are several.
    pub(super) names: Vec<String>,
}

impl std::ops::Deref for Group {
    type Target = merge::Group;

    fn deref(&self) -> &merge::Group {
        &self.merged
    }
}

/// Everything that was reported, merged (REV-6). Reports of reviewers that failed do not count (COR-13).
pub(super) fn groups(run: &Run) -> Vec<Group> {
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

pub(super) fn found_view(group: &Group, all: &[Group]) -> FoundView {
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
pub(super) fn name_of(finding: &Finding) -> String {
    match &finding.id {
        Some(id) => deliver::safe(id),
        None => one_line(&deliver::safe(&finding.title), 100),
    }
}

/// How much the agreement of some agents of a group weighs.
pub(super) fn agreement<'a>(group: &'a Group, agents: impl Iterator<Item = &'a str>) -> f64 {
    let voices: Vec<(&str, Option<&str>)> =
        agents.map(|agent| (agent, group.families.get(agent).map(String::as_str))).collect();
    convergence(&voices)
}
