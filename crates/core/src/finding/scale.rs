//! How bad and how sure: the scales reviewers use, and what each word is between 0 and 10 (REV-6).

/// Every word for how bad something is, with its number.
///
/// `P0` to `P3` are of flux-drive; `critical`, `notable`, `minor`, `trace` of its prose; `blocking` of the peers' log. `high`,
/// `medium` and `low` are what others say for P1, P2 and P3.
pub const SEVERITY_WORDS: &[(&str, f64)] = &[
    ("p0", 9.5),
    ("p1", 8.0),
    ("p2", 5.0),
    ("p3", 2.0),
    ("critical", 9.5),
    ("notable", 7.0),
    ("minor", 4.0),
    ("trace", 1.0),
    ("blocking", 9.5),
    ("background", 2.0),
    ("high", 8.0),
    ("medium", 5.0),
    ("low", 2.0),
    ("info", 1.0),
];

/// Every word for how sure somebody is, with its number.
pub const CONFIDENCE_WORDS: &[(&str, f64)] = &[("high", 9.0), ("medium", 6.0), ("low", 3.0)];

/// The scales of severity, for messages.
pub const SEVERITIES: &str = "a number from 0 to 10, P0 to P3, critical/notable/minor/trace, blocking/notable/background and \
     high/medium/low/info";

/// The scales of confidence, for messages.
pub const CONFIDENCES: &str = "a number from 0 to 10 and high/medium/low";

/// Reads how bad something is: its number, and the word it was told with.
pub fn severity(said: &str) -> Result<(f64, Option<String>), String> {
    read(said, SEVERITY_WORDS)
}

/// Reads how sure somebody is.
pub fn confidence(said: &str) -> Result<f64, String> {
    read(said, CONFIDENCE_WORDS).map(|(value, _)| value)
}

/// How urgent a severity is: the nearest of P0 to P3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Barely worth a line.
    P3,
    /// Should be mended.
    P2,
    /// Must be mended.
    P1,
    /// Must not be shipped.
    P0,
}

impl Priority {
    /// The priority of a severity from 0 to 10, whatever the scale it was told in.
    pub fn from_severity(severity: f64) -> Priority {
        match severity {
            severity if severity >= 8.75 => Priority::P0,
            severity if severity >= 6.5 => Priority::P1,
            severity if severity >= 3.5 => Priority::P2,
            _ => Priority::P3,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Priority::P0 => "P0",
            Priority::P1 => "P1",
            Priority::P2 => "P2",
            Priority::P3 => "P3",
        }
    }
}

fn read(said: &str, words: &[(&str, f64)]) -> Result<(f64, Option<String>), String> {
    let said = said.trim();
    let lower = said.to_lowercase();
    if let Some((_, value)) = words.iter().find(|(word, _)| *word == lower) {
        return Ok((*value, Some(said.to_owned())));
    }
    // `nan` and `inf` are numbers to the parser, and none to us.
    match said.parse::<f64>() {
        Ok(value) => within(value).map(|value| (value, None)),
        Err(_) => Err(format!("is {:?}", crate::words::one_line(said, 40))),
    }
}

/// A number, if it is from 0 to 10.
pub fn within(value: f64) -> Result<f64, String> {
    if (0.0..=10.0).contains(&value) { Ok(value.abs()) } else { Err(format!("is {value}")) }
}
