//! What agents report in a review.

use super::*;
use crate::ledger::Ledger;

/// What `review report` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    ledger: &mut Ledger,
    run: &str,
    agent: Option<&str>,
    report: Report,
    writer: &Writer,
) -> Result<ReportAnswer> {
    let run = open_run(ledger.projection(), run)?;
    let name = run.started.run.clone();
    review_only(&run)?;
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
            let body = Body::Run(RunEvent::Reported(Box::new(reported)));
            intents.push(Intent { entry: None, body });
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

pub(super) fn label(finding: &Finding, at: usize) -> String {
    match &finding.id {
        Some(id) => format!("finding {id}"),
        None if finding.title.is_empty() => format!("finding {}", at + 1),
        None => format!("finding {} ({})", at + 1, one_line(&finding.title, 60)),
    }
}

pub(super) fn review_only(run: &Run) -> Result<()> {
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
