//! `gate`: the gates over this store, or over what a change does to it; and people's word about a change (GAT-1, GAT-3).

use std::collections::{BTreeMap, BTreeSet};

use ken_core::gate::{BadLine, Moved};
use ken_core::promotion::{Policy, Standing};
use ken_core::{Body, Citation, EntryEvent, EntryKey, EvidenceType, Status};
use ken_engine::ops::gate::{self, GateAnswer, Look};
use ken_engine::ops::promote::{authorities, norms};
use ken_engine::{Repository, Result};
use ken_store::{LedgerAt, Snapshot};

use crate::{Kenning, approvers, config};

/// A change between two trees, as far as knowledge is concerned.
struct Between {
    base: LedgerAt,
    head: LedgerAt,
    before: Snapshot,
    after: Snapshot,
}

impl Kenning {
    /// Looks at everything that this store holds.
    pub fn gate(&mut self) -> Result<GateAnswer> {
        let problems = self.store.problems()?;
        let lines: Vec<BadLine> = problems
            .into_iter()
            .map(|(file, problem)| BadLine {
                file,
                line: problem.line as u64,
                problem: format!("this line {}", problem.problem),
            })
            .collect();
        let around = self.repository();
        let policy = self.who_approves();
        let mut answer = gate::gate(
            &self.store,
            &Look {
                policy: &policy,
                verify: &approvers::verify,
                changed: None,
                lines: &lines,
                moved: &[],
                places: None,
                is_missing: &|citation| is_missing(citation, &|path| around.path_exists(path)),
                unjudged: policy.approvers.is_empty(),
                now: self.now(),
            },
        )?;
        answer.judged = "the store".to_owned();
        self.tell_policy(&policy, "here", &mut answer);
        Ok(answer)
    }

    /// Looks at what a change does, `BASE..HEAD`: to what is known, and by the norms in force at its base.
    pub fn gate_diff(&mut self, range: &str) -> Result<GateAnswer> {
        let (base, head) = self.ends(range)?;
        let base = self.commit_named(&base)?.1;
        let head = match head.is_empty() {
            true => None,
            false => Some(self.commit_named(&head)?.1),
        };
        let shown = head.as_deref().map_or("the working tree", short);
        let judged = format!("{}..{shown}", short(&base));
        self.gate_between(&base, head.as_deref(), judged)
    }

    fn gate_between(&mut self, base: &str, head: Option<&str>, judged: String) -> Result<GateAnswer> {
        let between = self.between(base, head)?;
        // Who may approve is read from the base: nobody lets themselves in (GAT-2).
        let policy = between.base.config.as_deref().map(config::policy_of).unwrap_or_default();
        let changed = between.changed();
        let lines = between.bad_lines(short(base));
        let moved = between.moved(&policy)?;
        let places = between.head.places();
        let around = self.repository();
        let there: Vec<String> = match head {
            Some(head) => self.store.git().map(|git| git.names_at(head)).unwrap_or_default(),
            None => Vec::new(),
        };
        let exists = |path: &str| match head {
            // The names are sorted: a folder's files follow where its own name would be.
            Some(_) => {
                let from = there.partition_point(|name| name.as_str() < path);
                there.get(from).is_some_and(|name| {
                    name == path || name.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
                })
            }
            None => around.path_exists(path),
        };
        let mut answer = gate::gate(
            &between.after,
            &Look {
                policy: &policy,
                verify: &approvers::verify,
                changed: Some(&changed),
                lines: &lines,
                moved: &moved,
                places: Some(&places),
                is_missing: &|citation| is_missing(citation, &exists),
                unjudged: policy.approvers.is_empty(),
                now: self.now(),
            },
        )?;
        answer.judged = judged;
        self.tell_policy(&policy, "at the base", &mut answer);
        let now = between.head.config.as_deref().map(config::policy_of).unwrap_or_default();
        if now != policy && !policy.approvers.is_empty() {
            answer.notes.push(
                "this change edits who may approve; it is judged by who may at its base, so look at that yourself".to_owned(),
            );
        }
        answer.count();
        Ok(answer)
    }

    fn between(&mut self, base: &str, head: Option<&str>) -> Result<Between> {
        let (base, head) = (self.store.ledger_at(Some(base))?, self.store.ledger_at(head)?);
        let (before, after) = (self.store.snapshot_of(&base)?, self.store.snapshot_of(&head)?);
        Ok(Between { base, head, before, after })
    }

    fn tell_policy(&mut self, policy: &Policy, whence: &str, answer: &mut GateAnswer) {
        if policy.approvers.is_empty() {
            answer.notes.push(format!(
                "nobody is an approver {whence}, so no norm is in force: ken config approvers.NAME yes"
            ));
        }
        if policy.solo {
            answer.notes.push("approvals.solo: one person may propose and approve".to_owned());
        }
        if policy.signed {
            answer.notes.push("approvals.signed: only signed approvals count".to_owned());
        }
    }
}

impl Between {
    /// Entries about which the change says anything.
    fn changed(&self) -> BTreeSet<EntryKey> {
        let before = self.base.hashes();
        let new = self.head.events.iter().filter(|(event, _, _)| !before.contains(&event.hash));
        new.filter_map(|(event, _, _)| event.entry).collect()
    }

    /// Lines that the change damages or takes away.
    fn bad_lines(&self, base: &str) -> Vec<BadLine> {
        let known: BTreeSet<(&str, &str)> = self
            .base
            .problems
            .iter()
            .map(|(file, problem)| (file.as_str(), problem.problem.as_str()))
            .collect();
        let damaged = self
            .head
            .problems
            .iter()
            .filter(|(file, problem)| !known.contains(&(file.as_str(), problem.problem.as_str())));
        let mut lines: Vec<BadLine> = damaged
            .map(|(file, problem)| BadLine {
                file: file.clone(),
                line: problem.line as u64,
                problem: format!("this line {}", problem.problem),
            })
            .collect();
        let after = self.head.hashes();
        let mut gone: BTreeMap<&str, u64> = BTreeMap::new();
        for (_, file, _) in self.base.events.iter().filter(|(event, _, _)| !after.contains(&event.hash)) {
            *gone.entry(file).or_default() += 1;
        }
        lines.extend(gone.into_iter().map(|(file, count)| BadLine {
            file: file.to_owned(),
            line: 0,
            problem: match count {
                1 => format!("a line that {base} has is gone from {file}; a ledger only grows"),
                _ => format!("{count} lines that {base} has are gone from {file}; a ledger only grows"),
            },
        }));
        lines
    }

    /// Norms in force at the base that the change takes out of force.
    fn moved(&self, policy: &Policy) -> Result<Vec<Moved>> {
        let norms = norms(&self.before)?;
        let standing = authorities(&self.before, &norms, policy, &approvers::verify)?;
        let in_force: BTreeSet<EntryKey> = standing
            .iter()
            .filter(|(_, authority)| authority.state == Standing::InForce)
            .map(|(key, _)| *key)
            .collect();
        let before = self.base.hashes();
        let new = self.head.events.iter().filter(|(event, _, _)| !before.contains(&event.hash));
        let mut moved = Vec::new();
        for (event, _, _) in new {
            let Some(key) = event.entry.filter(|key| in_force.contains(key)) else { continue };
            let what = match &event.body {
                Some(Body::Entry(EntryEvent::Archived { .. })) => "archived",
                Some(Body::Entry(EntryEvent::Retracted { .. })) => "retracted",
                Some(Body::Entry(EntryEvent::Superseded { .. })) => "superseded",
                Some(Body::Entry(EntryEvent::Revised(_))) => "revised",
                Some(Body::Entry(EntryEvent::Rescoped { .. })) => "rescoped",
                Some(Body::Entry(EntryEvent::Purged { .. })) => "purged",
                Some(Body::Entry(EntryEvent::Restored { status, .. })) if *status == Status::Candidate => {
                    "demoted"
                }
                _ => continue,
            };
            let void = match policy.approver(&event.actor) {
                Some(_) => None,
                None => Some("who is no approver at the base".to_owned()),
            };
            moved.push(Moved { entry: key, what: what.to_owned(), by: event.actor.clone(), void });
        }
        Ok(moved)
    }
}

/// The file that a citation names, if it names one.
fn path_of(citation: &Citation) -> Option<&str> {
    let is_path = matches!(citation.evidence_type, EvidenceType::Doc | EvidenceType::Test);
    let path = citation.evidence_ref.split('#').next().unwrap_or_default();
    (is_path && !path.contains("://") && !path.is_empty()).then_some(path)
}

fn is_missing(citation: &Citation, exists: &dyn Fn(&str) -> bool) -> bool {
    // What nobody found when it was cited was accepted as such.
    !citation.unverified && path_of(citation).is_some_and(|path| !exists(path))
}

fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}
