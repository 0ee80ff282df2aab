//! Reads findings.
use super::Finding;
use crate::refusal::{Code, Refusal};
/// What was read.
pub struct Report {
    /// findings
    pub findings: Vec<Finding>,
    /// verdict
    pub verdict: Option<String>,
    /// format
    pub format: &'static str,
    /// notes
    pub notes: Vec<String>,
}
/// Reads.
pub fn read(text: &str) -> Result<Report, Refusal> {
    let findings = serde_json::from_str(text).map_err(|e| Refusal::new(Code::Invalid, e.to_string()))?;
    Ok(Report { findings, verdict: None, format: "JSON", notes: Vec::new() })
}
