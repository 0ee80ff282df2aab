//! Matches findings.
use super::Finding;
use crate::entry::Entry;
/// known
pub struct Known<'a>(&'a Entry);
impl<'a> Known<'a> {
    /// of
    pub fn of(entry: &'a Entry) -> Self {
        Known(entry)
    }
}
/// match
pub struct Match {
    /// s
    pub is_same: bool,
    /// s
    pub score: f64,
    /// r
    pub reasons: Vec<String>,
}
/// m
pub fn matching(finding: &Finding, known: &Known<'_>, cosine: Option<f64>) -> Match {
    let same = known.0.fields.statement() == finding.statement();
    Match { is_same: same, score: cosine.unwrap_or(0.5), reasons: vec!["the same words".into()] }
}
