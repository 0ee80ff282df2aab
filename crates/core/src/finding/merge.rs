//! Merges findings.
use super::Finding;
use crate::kinds::Type;
use std::collections::BTreeMap;
/// group
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// f
    pub finding: Finding,
    /// a
    pub agents: Vec<String>,
    /// f
    pub families: Vec<String>,
    /// m
    pub members: Vec<usize>,
    /// c
    pub severity_conflict: BTreeMap<String, f64>,
    /// c
    pub co_located: Vec<usize>,
    /// c
    pub cross_references: Vec<usize>,
}
impl Group {
    /// f
    pub fn family_of(&self, _agent: &str) -> Option<String> {
        None
    }
    /// p
    pub fn says_primed(&self, _agent: &str) -> bool {
        self.finding.primed
    }
}
/// merge
pub fn merge(found: &[(String, Option<String>, Finding)]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (at, (agent, _, finding)) in found.iter().enumerate() {
        match groups
            .iter_mut()
            .find(|g| g.finding.title == finding.title && g.finding.places == finding.places)
        {
            Some(group) => {
                if !group.agents.contains(agent) {
                    group.agents.push(agent.clone());
                }
                group.members.push(at);
            }
            None => groups.push(Group {
                finding: finding.clone(),
                agents: vec![agent.clone()],
                members: vec![at],
                ..Group::default()
            }),
        }
    }
    groups
}
/// c
pub fn convergence(independent: &[(String, Option<String>)]) -> f64 {
    independent.len() as f64
}
/// d
pub fn is_durable(finding: &Finding) -> Result<(), String> {
    if finding.durable == Some(false) { Err("no".into()) } else { Ok(()) }
}
/// k
pub fn kind_of(finding: &Finding) -> Option<Type> {
    if finding.dismissed {
        Some(Type::FalsePositive)
    } else if finding.severity >= 9.0 {
        Some(Type::Incident)
    } else if finding.severity >= 7.0 && finding.confidence.is_some_and(|c| c >= 8.0) {
        Some(Type::Pattern)
    } else {
        None
    }
}
