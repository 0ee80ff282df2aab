//! Reads a reviewer's report, in whichever of the known forms it comes, into findings (REV-6).
//!
//! A report is taken whole or not at all: everything that is wrong with it is told together, each fault with the finding it is about.

use serde_json::error::Category;
use serde_json::{Map, Value};

use super::Finding;
use super::scale;
use crate::fields::Anchor;
use crate::limits::finding_read::MADE_TITLE_CHARS_MAX;
pub use crate::limits::finding_read::{FAULTS_TOLD_MAX, FINDINGS_MAX};
use crate::limits::{
    LIST_LEN_MAX, STATEMENT_CHARS_MAX, TITLE_CHARS_MAX, VERIFICATION_STEPS_MAX, WORD_CHARS_MAX,
};
use crate::refusal::{Code, Fault, Refusal};
use crate::words::{nearest, one_line};

mod index;
mod json;

/// What a report says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The findings, in the order in which they stand there.
    pub findings: Vec<Finding>,
    /// What the reviewer makes of the whole: `safe`, `needs-changes`, `risky`, `error`.
    pub verdict: Option<String>,
    /// The form it came in: `json`, `flux-drive`, `wfc`, `peer-findings`, `findings-index`.
    pub format: &'static str,
    /// What was read otherwise than it was written, or left out, as sentences.
    pub notes: Vec<String>,
}

/// Reads a report. The form is told by its content.
pub fn read(text: &str) -> Result<Report, Refusal> {
    if text.starts_with('\u{feff}') {
        return Err(refused(vec![Fault {
            field: "report, line 1, column 1".to_owned(),
            problem: "starts with a byte order mark; write UTF-8 without one".to_owned(),
        }]));
    }
    let mut reader = Reader::default();
    match text.trim_start().chars().next() {
        None => reader.fault("report", "is empty; a reviewer that found nothing reports `[]`"),
        Some('[' | '{') => reader.json(text),
        Some(_) => index::read(text, &mut reader),
    }
    reader.done()
}

/// Reads a report that is a JSON value already.
pub fn read_value(value: &Value) -> Result<Report, Refusal> {
    let mut reader = Reader::default();
    reader.value(value);
    reader.done()
}

fn refused(faults: Vec<Fault>) -> Refusal {
    let count = faults.len();
    let told: Vec<Fault> = faults.into_iter().take(FAULTS_TOLD_MAX).collect();
    let mut refusal = Refusal::from_faults(Code::Invalid, told).expect("a refused report has a fault");
    if count > FAULTS_TOLD_MAX {
        let lines: Vec<String> =
            refusal.faults.iter().map(|fault| format!("{}: {}", fault.field, fault.problem)).collect();
        let more = count - FAULTS_TOLD_MAX;
        refusal.message = format!("{count} problems\n  - {}\n  - and {more} more", lines.join("\n  - "));
    }
    refusal.hint("the report was rejected as a whole; correct it and report it again")
}

/// A report while it is read.
#[derive(Default)]
struct Reader {
    report: Report,
    faults: Vec<Fault>,
    /// Names of fields that say nothing here.
    unknown: std::collections::BTreeSet<String>,
}

impl Reader {
    fn fault(&mut self, field: impl Into<String>, problem: impl Into<String>) {
        self.faults.push(Fault { field: field.into(), problem: problem.into() });
    }

    fn note(&mut self, note: impl Into<String>) {
        self.report.notes.push(note.into());
    }

    fn done(mut self) -> Result<Report, Refusal> {
        if self.report.findings.len() > FINDINGS_MAX {
            let problem = format!("has more than {FINDINGS_MAX} findings; report them in several parts");
            self.fault("report", problem);
        }
        if !self.faults.is_empty() {
            return Err(refused(self.faults));
        }
        if !self.unknown.is_empty() {
            let names: Vec<String> = self.unknown.iter().take(10).map(|name| format!("`{name}`")).collect();
            let more = if self.unknown.len() > 10 { ", …" } else { "" };
            self.note(format!("unknown fields were ignored: {}{more}", names.join(", ")));
        }
        if self.report.verdict.as_deref() == Some("error") {
            self.note(
                "the verdict is `error`: the reviewer itself failed, so its findings may be incomplete",
            );
        }
        Ok(self.report)
    }

    /// One JSON value, or one on each line.
    fn json(&mut self, text: &str) {
        match json::read(text) {
            Ok(value) => self.value(&value),
            Err(error) => match lines(text) {
                Some(lines) => self.json_lines(lines),
                None => self.unread(error.line(), &error),
            },
        }
    }

    fn unread(&mut self, line: usize, error: &serde_json::Error) {
        let problem = match error.classify() {
            Category::Data => plain(error),
            Category::Syntax | Category::Eof | Category::Io => format!("is no JSON: {}", plain(error)),
        };
        self.fault(format!("report, line {line}, column {}", error.column()), problem);
    }

    fn json_lines<'a>(&mut self, lines: impl Iterator<Item = (usize, &'a str)>) {
        self.report.format = "json";
        for (number, line) in lines {
            match json::read(line) {
                Ok(Value::Object(map)) => {
                    if map.contains_key("summary") || map.contains_key("file_refs") {
                        self.report.format = "peer-findings";
                    }
                    self.finding(&map, &Shared::default());
                }
                Ok(other) => {
                    self.fault(
                        format!("report, line {number}"),
                        format!("is {}, not a finding", shape(&other)),
                    );
                }
                Err(error) => self.unread(number, &error),
            }
        }
    }

    fn value(&mut self, value: &Value) {
        self.report.format = "json";
        match value {
            Value::Array(list) => self.list(list, &Shared::default()),
            Value::Object(map) => self.object(map),
            other => self.fault(
                "report",
                format!("is {}; it has to be a list of findings, or an object with `findings`", shape(other)),
            ),
        }
    }

    fn object(&mut self, map: &Map<String, Value>) {
        if let Some(findings) = map.get("findings") {
            if FLUX_DRIVE.iter().any(|name| map.contains_key(*name)) {
                self.report.format = "flux-drive";
            }
            match map.get("verdict") {
                None | Some(Value::Null) => {}
                Some(Value::String(verdict)) => self.verdict(verdict),
                Some(other) => self.fault("verdict", format!("is {}, not a word", shape(other))),
            }
            if let Some(improvements) = map.get("improvements").and_then(Value::as_array)
                && !improvements.is_empty()
            {
                self.note(format!("{} improvements are not findings and were ignored", improvements.len()));
            }
            match findings {
                Value::Array(list) => {
                    let mut report = Object { map, name: "report".to_owned(), reader: self };
                    let agent = report.text("agent", WORD_CHARS_MAX);
                    let project = report.text("project", WORD_CHARS_MAX);
                    self.list(list, &Shared { agent, project });
                }
                other => self.fault("findings", format!("is {}, not a list", shape(other))),
            }
        } else if SAYING.iter().chain(["severity"].iter()).any(|name| map.contains_key(*name)) {
            self.tell_form(map);
            self.finding(map, &Shared::default());
        } else if !map.is_empty() && map.values().all(Value::is_array) {
            // A list of findings for each reviewer.
            for (reviewer, list) in map {
                let shared = Shared { agent: Some(reviewer.clone()), project: None };
                self.list(list.as_array().expect("all of them are"), &shared);
            }
            if self.report.format == "json" {
                self.report.format = "wfc";
            }
        } else {
            self.fault(
                "report",
                "is an object without `findings`; write {\"findings\": [...]} or a list of findings",
            );
        }
    }

    fn list(&mut self, list: &[Value], shared: &Shared) {
        if self.report.findings.len() + list.len() > FINDINGS_MAX {
            let problem = format!("has more than {FINDINGS_MAX} findings; report them in several parts");
            return self.fault("report", problem);
        }
        if let Some(Value::Object(first)) = list.first() {
            self.tell_form(first);
        }
        for (at, value) in list.iter().enumerate() {
            match value {
                Value::Object(map) => self.finding(map, shared),
                other => {
                    self.fault(format!("finding {}", at + 1), format!("is {}, not an object", shape(other)));
                }
            }
        }
    }

    /// Which of the forms a list is in, by its first member. All are read alike; the word is for people.
    fn tell_form(&mut self, first: &Map<String, Value>) {
        if self.report.format != "json" {
            return;
        }
        let has = |name: &str| first.contains_key(name);
        self.report.format = if has("summary") && (has("file_refs") || has("timestamp")) {
            "peer-findings"
        } else if !has("title") && (has("line_start") || has("line_end") || has("description") || has("text"))
        {
            "wfc"
        } else {
            "json"
        };
    }

    fn verdict(&mut self, word: &str) {
        let lower = word.trim().trim_matches(['*', '`']).to_lowercase();
        if !VERDICTS.contains(&lower.as_str()) {
            self.note(format!("unknown verdict `{lower}`; allowed: {}", VERDICTS.join(", ")));
        }
        if let Some(before) = self.report.verdict.as_ref().filter(|before| **before != lower) {
            let note = format!("there are several verdicts; the last one counts: `{lower}`, not `{before}`");
            self.note(note);
        }
        self.report.verdict = Some(lower);
    }

    /// Takes a finding, or says what is wrong with it.
    fn finding(&mut self, map: &Map<String, Value>, shared: &Shared) {
        let number = self.report.findings.len() + 1;
        let mut object = Object { map, name: name_of(map, number), reader: self };
        let (finding, agents) = object.read();
        let finding = Finding {
            agent: finding.agent.or_else(|| shared.agent.clone()),
            project: finding.project.or_else(|| shared.project.clone()),
            ..finding
        };
        match agents.as_slice() {
            [] => self.report.findings.push(finding),
            several => {
                // What several agents found is theirs each: who agreed is counted later, and from findings alone.
                for agent in several {
                    let theirs = Finding { agent: Some(agent.clone()), ..finding.clone() };
                    self.report.findings.push(theirs);
                }
            }
        }
    }
}

/// What a report says of all its findings. A finding's own word goes before it.
#[derive(Default)]
struct Shared {
    agent: Option<String>,
    project: Option<String>,
}

/// What tells the summary of a flux-drive review.
const FLUX_DRIVE: &[&str] =
    &["synthesis_protocol_version", "agents_launched", "agents_completed", "early_stop", "reviewed"];

/// The verdicts of a Findings Index.
pub const VERDICTS: &[&str] = &["safe", "needs-changes", "risky", "error"];

/// The fields of which one has to say what was found.
const SAYING: &[&str] = &["title", "text", "description", "summary"];

/// Every field that is read.
const READ: &[&str] = &[
    "agent",
    "agents",
    "anchor",
    "anchors",
    "category",
    "confidence",
    "description",
    "dismissed",
    "durable",
    "evidence",
    "family",
    "file",
    "file_refs",
    "id",
    "line",
    "line_end",
    "line_start",
    "model_family",
    "path",
    "place",
    "places",
    "primed",
    "project",
    "reviewer",
    "section",
    "severity",
    "severity_word",
    "summary",
    "text",
    "title",
    "verification",
    "verify",
];

/// Fields of the known forms that say nothing to us: agreement is counted here, and what was computed is not believed.
const PASSED_OVER: &[&str] = &["convergence", "model_id", "provider", "timestamp"];

/// What a finding is called in a fault: its number, and its id or title.
fn name_of(map: &Map<String, Value>, number: usize) -> String {
    let said = ["id", "title", "summary", "text", "description"]
        .iter()
        .find_map(|name| map.get(*name).and_then(Value::as_str))
        .filter(|said| !said.trim().is_empty());
    match said {
        Some(said) => format!("finding {number} ({})", one_line(said, 60)),
        None => format!("finding {number}"),
    }
}

/// One finding as an object, while it is read.
struct Object<'a> {
    map: &'a Map<String, Value>,
    name: String,
    reader: &'a mut Reader,
}

impl Object<'_> {
    fn fault(&mut self, field: &str, problem: impl std::fmt::Display) {
        let name = self.name.clone();
        self.reader.fault(name, format!("`{field}` {problem}"));
    }

    fn read(&mut self) -> (Finding, Vec<String>) {
        self.names();
        let faults_before = self.reader.faults.len();
        let title = self.text("title", TITLE_CHARS_MAX);
        let summary = self.text("summary", STATEMENT_CHARS_MAX);
        let text = self.either(&["text", "description"], STATEMENT_CHARS_MAX);
        let (title, text) = match (title, text, summary) {
            (Some(title), text, summary) => (title, text.or(summary)),
            (None, Some(text), summary) => {
                (one_line(summary.as_deref().unwrap_or(&text), MADE_TITLE_CHARS_MAX), Some(text))
            }
            (None, None, Some(summary)) => {
                let title = one_line(&summary, MADE_TITLE_CHARS_MAX);
                let whole = (title != summary).then_some(summary);
                (title, whole)
            }
            (None, None, None) => {
                // A text that was refused has said something.
                if self.reader.faults.len() == faults_before {
                    let name = self.name.clone();
                    self.reader.fault(name, "is empty: it needs a `title` or a `text`");
                }
                (String::new(), None)
            }
        };
        let (severity, severity_word) = self.severity();
        let evidence = self.list("evidence");
        let finding = Finding {
            id: self.text("id", WORD_CHARS_MAX),
            title,
            text,
            places: self.places(),
            section: self.text("section", WORD_CHARS_MAX),
            severity,
            severity_word,
            confidence: self.confidence(),
            category: self.text("category", WORD_CHARS_MAX),
            dismissed: self.flag("dismissed").unwrap_or(false),
            primed: self.flag("primed").unwrap_or(false),
            durable: self.flag("durable"),
            verification: self.verification(),
            evidence,
            agent: self.either(&["agent", "reviewer"], WORD_CHARS_MAX),
            family: self.either(&["family", "model_family"], WORD_CHARS_MAX),
            project: self.text("project", WORD_CHARS_MAX),
        };
        let mut agents = self.list("agents");
        agents.sort();
        agents.dedup();
        (finding, agents)
    }

    /// A field whose name is nearly one of ours is a mistake; any other is somebody's own.
    fn names(&mut self) {
        let map = self.map;
        for name in map.keys() {
            if READ.contains(&name.as_str()) || PASSED_OVER.contains(&name.as_str()) {
                continue;
            }
            let lower = name.to_lowercase();
            if READ.contains(&lower.as_str()) {
                self.fault(name, format_args!("is written `{lower}`"));
            } else if let Some(near) =
                nearest(&lower, READ.iter().copied()).filter(|near| is_slip(&lower, near))
            {
                self.fault(name, format_args!("is not a field of a finding; did you mean `{near}`?"));
            } else {
                self.reader.unknown.insert(one_line(name, 40));
            }
        }
    }

    fn text(&mut self, field: &str, chars_max: usize) -> Option<String> {
        match self.map.get(field)? {
            Value::Null => None,
            Value::String(text) => {
                let text = text.trim();
                let chars = text.chars().count();
                if chars > chars_max {
                    self.fault(
                        field,
                        format_args!("has {chars} characters; at most {chars_max} are allowed"),
                    );
                    return None;
                }
                (!text.is_empty()).then(|| text.to_owned())
            }
            Value::Number(number) if field == "id" => Some(number.to_string()),
            other => {
                self.fault(field, format_args!("is {}, not a text", shape(other)));
                None
            }
        }
    }

    fn either(&mut self, fields: &[&str], chars_max: usize) -> Option<String> {
        let mut found = None;
        for field in fields {
            let text = self.text(field, chars_max);
            found = found.or(text);
        }
        found
    }

    fn flag(&mut self, field: &str) -> Option<bool> {
        match self.map.get(field)? {
            Value::Null => None,
            Value::Bool(flag) => Some(*flag),
            other => {
                self.fault(field, format_args!("is {}; write true or false", shape(other)));
                None
            }
        }
    }

    /// A list of texts; a single text is a list of one.
    fn list(&mut self, field: &str) -> Vec<String> {
        let list = match self.map.get(field) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(list)) => list.clone(),
            Some(one) => vec![one.clone()],
        };
        if list.len() > LIST_LEN_MAX {
            self.fault(field, format_args!("has {} members; at most {LIST_LEN_MAX} are allowed", list.len()));
            return Vec::new();
        }
        let mut texts = Vec::new();
        for value in &list {
            match value {
                Value::String(text) if text.trim().is_empty() => {}
                Value::String(text) if text.chars().count() > WORD_CHARS_MAX => {
                    let chars = text.chars().count();
                    self.fault(
                        field,
                        format_args!(
                            "has a member of {chars} characters; at most {WORD_CHARS_MAX} are allowed"
                        ),
                    );
                }
                Value::String(text) => texts.push(text.trim().to_owned()),
                Value::Object(map) if map.get("at").is_some_and(Value::is_string) => {
                    texts.extend(map["at"].as_str().map(str::to_owned));
                }
                other => self.fault(field, format_args!("contains {}, not a string", shape(other))),
            }
        }
        texts
    }

    fn verification(&mut self) -> Vec<String> {
        let mut steps = self.list("verification");
        steps.extend(self.list("verify"));
        if steps.len() > VERIFICATION_STEPS_MAX {
            self.fault(
                "verification",
                format_args!("has {} steps; at most {VERIFICATION_STEPS_MAX} are allowed", steps.len()),
            );
        }
        steps
    }

    fn severity(&mut self) -> (f64, Option<String>) {
        let word = self.text("severity_word", WORD_CHARS_MAX);
        let read = match self.map.get("severity") {
            None | Some(Value::Null) => Err("is missing".to_owned()),
            Some(Value::String(said)) => scale::severity(said),
            Some(Value::Number(number)) => {
                scale::within(number.as_f64().unwrap_or(f64::NAN)).map(|value| (value, None))
            }
            Some(other) => Err(format!("is {}", shape(other))),
        };
        match read {
            Ok((value, own)) => (value, word.or(own)),
            Err(problem) => {
                self.fault("severity", format_args!("{problem}; allowed are {}", scale::SEVERITIES));
                (0.0, None)
            }
        }
    }

    fn confidence(&mut self) -> Option<f64> {
        let read = match self.map.get("confidence")? {
            Value::Null => return None,
            Value::Number(number) => scale::within(number.as_f64().unwrap_or(f64::NAN)),
            Value::String(said) => scale::confidence(said),
            other => Err(format!("is {}", shape(other))),
        };
        match read {
            Ok(value) => Some(value),
            Err(problem) => {
                self.fault("confidence", format_args!("{problem}; allowed are {}", scale::CONFIDENCES));
                None
            }
        }
    }

    /// Where it is, from all fields that say so; the most exact one first in the order of the forms.
    fn places(&mut self) -> Vec<String> {
        let mut found = self.list("places");
        found.extend(self.list("place"));
        let file = self.text("file", WORD_CHARS_MAX).or_else(|| self.text("path", WORD_CHARS_MAX));
        let lines = self.lines();
        if let Some(file) = file {
            found.push(match lines {
                Some(lines) if crate::anchor::Spot::parse(&file).lines.is_none() => format!("{file}:{lines}"),
                Some(_) | None => file,
            });
        }
        found.extend(self.list("anchors"));
        found.extend(self.list("anchor"));
        found.extend(self.list("file_refs"));
        let mut places: Vec<String> = Vec::new();
        for place in found {
            match Anchor::parse(&place) {
                Ok(anchor) if places.contains(&anchor.at) => {}
                Ok(anchor) => places.push(anchor.at),
                Err(problem) => {
                    let name = self.name.clone();
                    self.reader.fault(name, problem);
                }
            }
        }
        // Evidence that is nothing but a place is one more of them.
        let evidence = self.map.get("evidence").map(|_| self.quiet_list("evidence")).unwrap_or_default();
        places.extend(evidence.into_iter().filter_map(|text| place_in(&text).filter(|place| *place == text)));
        let mut seen = std::collections::BTreeSet::new();
        places.retain(|place| seen.insert(place.clone()));
        places
    }

    /// A list that was read before: its faults are told already.
    fn quiet_list(&self, field: &str) -> Vec<String> {
        match self.map.get(field) {
            Some(Value::Array(list)) => {
                list.iter().filter_map(Value::as_str).map(|text| text.trim().to_owned()).collect()
            }
            Some(Value::String(text)) => vec![text.trim().to_owned()],
            _ => Vec::new(),
        }
    }

    /// `47` or `47-52`, from a number, a pair of numbers or a text.
    fn lines(&mut self) -> Option<String> {
        let (mut from, mut to) = (None, None);
        for (field, end) in [("line", false), ("line_start", false), ("line_end", true)] {
            let said = match self.map.get(field) {
                None | Some(Value::Null) => continue,
                Some(Value::Number(number)) => number.to_string(),
                Some(Value::String(text)) => text.trim().to_owned(),
                Some(other) => {
                    self.fault(field, format_args!("is {}, not a line", shape(other)));
                    continue;
                }
            };
            if end { to = Some(said) } else { from = from.or(Some(said)) }
        }
        match (from, to) {
            (Some(from), Some(to)) if from != to => Some(format!("{from}-{to}")),
            (Some(line), _) | (None, Some(line)) => Some(line),
            (None, None) => None,
        }
    }
}

/// Whether a name is a slip of the keyboard, and not another name.
fn is_slip(name: &str, near: &str) -> bool {
    near.len() >= 6 && strsim::osa_distance(name, near) == 1
}

/// A place that a text names: a word with a path and lines, or with folders and an ending.
fn place_in(text: &str) -> Option<String> {
    let edges = ['`', '"', '\'', '(', ')', '[', ']', '<', '>', ',', ';', '*', '!', '?'];
    text.split_whitespace().find_map(|word| {
        let word = word.trim_matches(edges).trim_end_matches(['.', ':']);
        let path = Anchor::parse(word).ok().filter(|_| !word.contains("://"))?;
        let name = path.path().rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit_once('.').filter(|(stem, ending)| {
            !stem.is_empty()
                && (1..=5).contains(&ending.len())
                && ending.chars().all(|c| c.is_ascii_alphanumeric())
        })?;
        let lettered = ending.1.chars().any(|c| c.is_ascii_alphabetic());
        let told = path.spot().lines.is_some() || path.path().contains('/');
        (lettered && told).then_some(path.at)
    })
}

/// The lines of a text that has an object on each: every line begins like one, or the first is a whole finding.
fn lines(text: &str) -> Option<impl Iterator<Item = (usize, &str)>> {
    let lines = || {
        text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())).filter(|(_, line)| !line.is_empty())
    };
    let objects = || lines().all(|(_, line)| line.starts_with('{'));
    let opened = || {
        let first =
            lines().next().and_then(|(_, line)| serde_json::from_str::<Map<String, Value>>(line).ok());
        first.is_some_and(|map| !map.contains_key("findings"))
    };
    (lines().nth(1).is_some() && (objects() || opened())).then(lines)
}

/// What the parser says, without the place, which is told before.
fn plain(error: &serde_json::Error) -> String {
    let said = error.to_string();
    said.rfind(" at line ").map_or(said.clone(), |at| said[..at].to_owned())
}

fn shape(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {:?}", one_line(text, 40)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests;
