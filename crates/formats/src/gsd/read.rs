//! A file of GSD as an entry of ours.

use ken_core::GivenId;
use ken_core::cluster::Severity;
use ken_core::finding::scale;
use ken_core::kinds::{Polarity, Relation, Scope, SpikeOutcome};
use ken_core::limits::{
    DETAIL_CHARS_MAX, LIST_LEN_MAX, STATEMENT_CHARS_MAX, VERIFICATION_STEPS_MAX, WORD_CHARS_MAX,
};
use ken_core::words::normalise_tag;
use serde_json::{Map, Value};

use super::body::Body;
use super::{GLOBAL, Kind, is_index, is_markdown, is_native_id, located, other};
use crate::front::Front;
use crate::plain::{PATH, plain};
use crate::words::decay_class;
use crate::{Document, Item, Role, Standing, content, prose, words};

/// Keys that GSD has, or had, and that are kept unchanged.
const KEPT: &[&str] = &[
    "durability",
    "project",
    "retrieval_count",
    "last_retrieved",
    "runtime",
    "model",
    "gsd_version",
    "provenance_schema",
    "provenance_status",
    "about_work",
    "detected_by",
    "written_by",
    "signal_category",
    "response_disposition",
    "phase",
    "plan",
    "occurrence_count",
    "detection_method",
    "origin",
    "source",
    "lifecycle_state",
    "lifecycle",
    "lifecycle_log",
    "evidence",
    "confidence_basis",
    "triage",
    "remediation",
    "verification",
    "mode",
    "category",
    "evidence_count",
    "evidence_snapshots",
    "scope",
    "depth",
    "drift_check",
    "environment",
    "related_issues",
    "status",
    "type",
];

pub(super) fn read(path: &str, text: &str) -> Document {
    if is_index(path) {
        return Document::opaque(Role::Derived, text, None);
    }
    if !is_markdown(path) {
        return other(text, None);
    }
    let front = Front::parse(text);
    let folder = located(path).map(|(_, kind)| kind);
    let said = front.as_ref().and_then(|front| front.str("type")).and_then(kind_of);
    let is_ours = front.as_ref().and_then(|front| front.word("id")).is_some_and(|id| is_native_id(&id));
    let Some(kind) = said.filter(|_| folder.is_some() || is_ours).or(folder) else {
        return other(text, None);
    };
    if front.is_none() && prose::stem(path).eq_ignore_ascii_case("readme") {
        return other(text, None);
    }
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let empty = Front { text, keys: Vec::new(), values: Map::new(), close: 0, body: bom, faults: Vec::new() };
    let mut reader = Reader {
        path,
        kind,
        front: front.as_ref().unwrap_or(&empty),
        content: Map::new(),
        attributes: Map::new(),
        notes: Vec::new(),
    };
    if front.is_none() {
        reader.notes.push("it has no front matter; its folder and its name say what it is".to_owned());
    }
    if let (Some(said), Some(folder)) = (said, folder.filter(|folder| Some(*folder) != said)) {
        reader.notes.push(format!(
            "`type` says {}, and its folder is {}/; it is read as a {}",
            said.word(),
            folder.folder(),
            said.word()
        ));
    }
    match reader.item() {
        Some(item) => Document::new(item, reader.notes),
        None => other(text, Some("it says nothing that could be an entry; it is kept unchanged".to_owned())),
    }
}

/// What a word after `type:` means. What was once written there for a signal is the type of the signal.
pub(super) fn kind_of(word: &str) -> Option<Kind> {
    let word = word.trim().to_lowercase().replace('_', "-");
    Kind::from_word(&word).or_else(|| signal_type(&word).map(|_| Kind::Signal))
}

/// The type of a signal whose `type` is a word of its own.
fn signal_type(word: &str) -> Option<&'static str> {
    match word {
        "observation" => Some("deviation"),
        "architecture" | "process-gap" => Some("capability-gap"),
        "positive-pattern" => Some("good-pattern"),
        _ => SIGNAL_TYPES.iter().copied().find(|known| *known == word),
    }
}

const SIGNAL_TYPES: &[&str] = &[
    "deviation",
    "struggle",
    "config-mismatch",
    "capability-gap",
    "epistemic-gap",
    "baseline",
    "improvement",
    "good-pattern",
    "custom",
];

/// How bad a word of GSD is: `high`, `medium` and `low` are what early files say for the three that clusters know (7.4).
pub(super) fn severity(word: &str) -> Option<f64> {
    let known = match word.trim().to_lowercase().as_str() {
        "high" => Some(Severity::Critical),
        "medium" => Some(Severity::Notable),
        "low" => Some(Severity::Minor),
        _ => None,
    };
    words::severity(known.map(Severity::word).unwrap_or(word))
}

/// How sure somebody was, from 0 to 10: a word, or a number of which those up to 1 are shares.
fn confidence(word: &str) -> Option<f64> {
    let number = scale::confidence(word).ok()?;
    let is_share = word.trim().parse::<f64>().is_ok() && number <= 1.0;
    Some(if is_share { (number * 1e7).round() / 1e6 } else { number })
}

struct Reader<'a> {
    path: &'a str,
    kind: Kind,
    front: &'a Front<'a>,
    content: Map<String, Value>,
    attributes: Map<String, Value>,
    notes: Vec<String>,
}

impl Reader<'_> {
    fn item(&mut self) -> Option<Item> {
        let name = self.name();
        let body = Body::parse(self.front.body());
        self.say(&body);
        if !self.content.contains_key("statement") {
            return None;
        }
        self.notes.extend(self.front.faults.iter().map(|fault| format!("in the front matter, {fault}")));
        self.title(&name, &body);
        let mut item = Item::new(self.kind.entry(), name, self.front.text);
        for (key, value) in &self.front.values {
            self.key(key, value, &mut item);
        }
        if self.kind == Kind::Reflection {
            self.put("subtype", "reflection");
        }
        if self.kind == Kind::Lesson && !self.content.contains_key("verification") {
            self.steps(&body);
        }
        self.anchor(&body);
        item.standing = self.standing();
        item.evidence = self.evidence();
        if plain(self.front.text) != self.front.text {
            self.notes.push(format!(
                "a path of one machine or a control character in it is left out of the entry, as `{PATH}`"
            ));
        }
        let attributes = std::mem::take(&mut self.attributes);
        item.content = std::mem::take(&mut self.content);
        content::keep(&mut item.content, attributes, &mut self.notes);
        Some(item)
    }

    /// By its id, and never by the name of its file, which drops the prefix as often as not (trap 9).
    fn name(&mut self) -> String {
        let Some(id) = self.front.word("id") else {
            let stem = prose::stem(self.path).to_owned();
            content::identify(&mut self.content, &stem);
            return stem;
        };
        if GivenId::parse(&id).is_ok() {
            self.put("id", id.as_str());
        } else {
            self.notes.push(format!(
                "`id` is {:?}, which is no id here; it is found by what it says",
                prose::short(&id)
            ));
        }
        id
    }

    fn put(&mut self, field: &str, value: impl Into<Value>) {
        self.content.insert(field.to_owned(), value.into());
    }

    fn keep(&mut self, key: &str, value: &Value) {
        self.attributes.insert(key.to_owned(), value.clone());
    }

    fn odd(&mut self, key: &str, value: &Value, allowed: &str) {
        if !value.is_null() {
            self.notes.push(format!(
                "`{key}` is {}; GSD knows {allowed}; it is kept unchanged",
                prose::short(&value.to_string())
            ));
        }
        self.keep(key, value);
    }

    /// The claim and what is longer.
    fn say(&mut self, body: &Body<'_>) {
        let lead = &body.text[body.lead(self.kind)];
        let text = |key: &str| self.front.str(key).map(|text| cut(&plain(text), STATEMENT_CHARS_MAX));
        let mut statement = text("statement").unwrap_or_else(|| prose::claim(&plain(lead)).0);
        if statement.is_empty() {
            statement = text("hypothesis")
                .or_else(|| text("title"))
                .unwrap_or_else(|| prose::claim(&plain(body.text)).0);
        }
        if statement.is_empty() {
            return;
        }
        let detail = lines(&plain(body.text)).trim().to_owned();
        if !detail.is_empty() && detail != statement {
            self.put("detail", cut(&detail, DETAIL_CHARS_MAX));
        }
        if self.kind == Kind::Spike {
            let hypothesis = text("hypothesis").unwrap_or_else(|| statement.clone());
            self.put("hypothesis", hypothesis);
            let decided =
                body.section(|title| title == "decision").map(|range| lines(&plain(&body.text[range])));
            let decision = text("decision").or(decided.map(|text| cut(&text, STATEMENT_CHARS_MAX)));
            if let Some(decision) = decision.filter(|text| !text.is_empty()) {
                self.put("decision", decision);
            }
        }
        self.put("statement", statement);
    }

    fn title(&mut self, name: &str, body: &Body<'_>) {
        let said = self.front.str("title").map(|title| title.to_owned());
        let heading = said.or_else(|| body.title().map(|(title, _)| title.to_owned()));
        let title = heading.unwrap_or_else(|| prose::title_of(&format!("{}.md", undated(name))));
        let title = prose::title(&plain(&title));
        if !title.is_empty() {
            self.put("title", title);
        }
    }

    /// What one key says.
    fn key(&mut self, key: &str, value: &Value, item: &mut Item) {
        let word = self.front.word(key);
        let is_finding = matches!(self.kind, Kind::Signal | Kind::Lesson | Kind::Reflection);
        match key {
            // Said by the item itself, or by the entry's own dates.
            "id" | "title" | "statement" | "updated" => {}
            "hypothesis" | "decision" if self.kind == Kind::Spike && value.is_string() => {}
            "type" => self.kind_word(value, word.as_deref()),
            "created" | "date" => match word.as_deref().and_then(prose::time) {
                // `date` is what early files say for `created`; where both are there, the newer word counts.
                Some(time)
                    if key == "created"
                        || self.front.word("created").and_then(|at| prose::time(&at)).is_none() =>
                {
                    item.stated = Some(time);
                }
                Some(_) => self.keep(key, value),
                None => self.odd(key, value, "2026-02-11 or 2026-02-11T09:00:00Z"),
            },
            "tags" => self.tags(value),
            "durability" => match word.as_deref().and_then(decay_class) {
                Some(class) => {
                    self.put("decay_class", class.word());
                    self.keep(key, value);
                }
                None => self.odd(key, value, "workaround, convention and principle"),
            },
            "status" => match word.as_deref() {
                None if !value.is_string() => self.odd(key, value, "active and archived"),
                None | Some("active" | "archived") => {}
                Some("open" | "resolved" | "remediated" | "detected") => self.keep(key, value),
                Some(_) => self.odd(key, value, "active and archived"),
            },
            "severity" if is_finding => {
                match word.as_deref().and_then(|word| severity(word).map(|number| (word, number))) {
                    Some((word, number)) => {
                        self.put("severity", number);
                        self.put("severity_word", prose::short(word));
                    }
                    None => self.odd(key, value, "critical, notable, minor and trace"),
                }
            }
            "confidence" if is_finding => match word.as_deref().and_then(confidence) {
                Some(number) => self.put("confidence", number),
                None => self.odd(key, value, "high, medium and low"),
            },
            "signal_type" if self.kind == Kind::Signal => match word.as_deref().map(normalise_tag) {
                Some(Ok(subtype)) if subtype.chars().count() <= WORD_CHARS_MAX => {
                    self.put("subtype", subtype)
                }
                _ => self.odd(key, value, "one word for it, like deviation or good-pattern"),
            },
            "polarity" => match word.as_deref().and_then(Polarity::from_word) {
                Some(polarity) => self.put("polarity", polarity.word()),
                None => self.odd(key, value, "positive, negative and neutral"),
            },
            "signal_category" => {
                let polarity = word.as_deref().and_then(Polarity::from_word);
                if let Some(polarity) = polarity.filter(|_| self.front.word("polarity").is_none()) {
                    self.put("polarity", polarity.word());
                }
                self.keep(key, value);
            }
            "project" | "scope" => {
                if matches!(word.as_deref(), Some(GLOBAL | "global")) {
                    self.put("scope", Scope::Global.word());
                }
                self.keep(key, value);
            }
            "outcome" if self.kind == Kind::Spike => {
                match word.as_deref().and_then(SpikeOutcome::from_word) {
                    Some(outcome) => self.put("outcome", outcome.word()),
                    None => self.odd(key, value, "confirmed, rejected, partial and inconclusive"),
                }
            }
            "rounds" if self.kind == Kind::Spike => {
                match value.as_u64().and_then(|rounds| u32::try_from(rounds).ok()) {
                    Some(rounds) => self.put("rounds", rounds),
                    None => self.odd(key, value, "a number"),
                }
            }
            "depends_on" => self.conditions(key, value),
            "related_signals" | "qualified_by" | "recurrence_of" | "supersedes" | "superseded_by" => {
                let relation = match key {
                    // What comes back gives the first report weight.
                    "recurrence_of" => Some(Relation::Supports),
                    "supersedes" => Some(Relation::Supersedes),
                    "superseded_by" => None,
                    _ => Some(Relation::RelatesTo),
                };
                match names(value) {
                    Some(names) => {
                        let tied = names.into_iter().filter_map(|name| Some((relation?, name)));
                        item.ties.extend(tied);
                    }
                    None => self.odd(key, value, "ids"),
                }
            }
            "evidence" if self.kind == Kind::Lesson => {
                let ids = names(value).unwrap_or_default();
                item.ties.extend(
                    ids.into_iter().filter(|id| is_native_id(id)).map(|id| (Relation::RelatesTo, id)),
                );
                self.keep(key, value);
            }
            "verification" if matches!(self.kind, Kind::Lesson | Kind::Spike) => match names(value) {
                Some(steps) if (1..=VERIFICATION_STEPS_MAX).contains(&steps.len()) => {
                    self.put(
                        "verification",
                        steps
                            .iter()
                            .map(|step| prose::short(&plain(step)))
                            .filter(|step| !step.is_empty())
                            .collect::<Vec<_>>(),
                    );
                }
                _ => self.keep(key, value),
            },
            _ => {
                if !KEPT.contains(&key) {
                    self.notes.push(format!(
                        "`{}` is a key that a {} of GSD does not have; it is kept",
                        prose::short(&plain(key)),
                        self.kind.word()
                    ));
                }
                self.keep(key, value);
            }
        }
    }

    fn kind_word(&mut self, value: &Value, word: Option<&str>) {
        let lower = word.map(|word| word.to_lowercase().replace('_', "-"));
        match lower.as_deref() {
            Some(lower) if Kind::from_word(lower) == Some(self.kind) => {}
            Some(lower) if self.kind == Kind::Signal && signal_type(lower).is_some() => {
                if !self.content.contains_key("subtype") && self.front.word("signal_type").is_none() {
                    self.content.extend(
                        signal_type(lower)
                            .and_then(|kind| normalise_tag(kind).ok())
                            .map(|kind| ("subtype".to_owned(), Value::from(kind))),
                    );
                }
                self.keep("type", value);
            }
            _ => self.odd("type", value, "signal, spike, lesson and reflection"),
        }
    }

    fn tags(&mut self, value: &Value) {
        content::tag(&mut self.content, &self.front.words("tags"), &mut self.notes);
        let is_list = match value {
            Value::Array(items) => {
                items.iter().all(|item| !matches!(item, Value::Null | Value::Array(_) | Value::Object(_)))
            }
            Value::String(_) => true,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
        };
        if !is_list {
            self.odd("tags", value, "a list of words");
        }
    }

    /// Conditions as they are; whether they hold is for others to say.
    fn conditions(&mut self, key: &str, value: &Value) {
        match names(value) {
            Some(names) if names.len() <= LIST_LEN_MAX => {
                let said: Vec<String> = names
                    .iter()
                    .map(|name| prose::short(&plain(name)))
                    .filter(|name| !name.is_empty() && name != "none")
                    .collect();
                if !said.is_empty() {
                    self.put("depends_on", said);
                }
            }
            _ => self.odd(key, value, "a list of conditions"),
        }
    }

    /// What a lesson recommends shows whether it holds only where it says to look at something.
    fn steps(&mut self, body: &Body<'_>) {
        const LOOKS: &[&str] =
            &["run", "check", "verify", "grep", "confirm", "search", "inspect", "compare", "test"];
        let Some(range) = body.section(|title| title == "recommendation") else { return };
        let text = plain(&body.text[range]);
        let trimmed = text.lines().map(|line| {
            line.trim().trim_start_matches(|c: char| c.is_ascii_digit() || "-*.) ".contains(c)).trim()
        });
        let is_step = |line: &&str| {
            let first = line.split_whitespace().next().unwrap_or_default().to_lowercase();
            LOOKS.contains(&first.as_str()) && line.chars().count() <= WORD_CHARS_MAX
        };
        let steps: Vec<&str> = trimmed.filter(is_step).take(VERIFICATION_STEPS_MAX).collect();
        if !steps.is_empty() {
            self.put("verification", steps);
        }
    }

    fn anchor(&mut self, body: &Body<'_>) {
        let mut text = plain(body.text).into_owned();
        if let Some(evidence) = self.front.values.get("evidence") {
            strings(evidence, &mut |said| {
                text.push('\n');
                text.push_str(said);
            });
        }
        content::anchor(&mut self.content, prose::places(&text));
    }

    /// Put away where it says so; what was found to be wrong is put away as well (trap 10).
    fn standing(&mut self) -> Standing {
        let lifecycle = self.front.word("lifecycle_state").or_else(|| self.front.word("lifecycle"));
        let is_invalid = lifecycle.as_deref() == Some("invalidated");
        let by =
            self.front.values.get("superseded_by").and_then(names).and_then(|names| names.into_iter().next());
        if let Some(by) = by {
            return Standing::SupersededBy(by);
        }
        if self.front.word("status").as_deref() != Some("archived") && !is_invalid {
            return Standing::Current;
        }
        let logged =
            self.front.values.get("lifecycle_log").and_then(Value::as_array).and_then(|log| log.last());
        let why = logged.and_then(Value::as_str).and_then(|line| line.split_once("Z: ")).map(|(_, why)| why);
        let plainly =
            if is_invalid { "its file says it was invalidated" } else { "its file says it is archived" };
        Standing::Archived(why.map_or_else(|| plainly.to_owned(), |why| prose::short(&plain(why))))
    }

    /// Files of this repository that the work is about.
    fn evidence(&self) -> Vec<String> {
        let work = self.front.values.get("about_work").and_then(Value::as_array).into_iter().flatten();
        let files = work.filter_map(|work| work.get("source_file").and_then(Value::as_str));
        let mut cited: Vec<String> = Vec::new();
        for reference in files.map(|file| format!("doc:{}", file.trim())) {
            content::cite(&mut cited, &reference);
        }
        cited
    }
}

/// Ids, or one id; none where something else is among them. What is empty names nothing.
pub(super) fn names(value: &Value) -> Option<Vec<String>> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null => Some(String::new()),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let all: Option<Vec<String>> = match value {
        Value::Array(items) => items.iter().map(one).collect(),
        other => one(other).map(|one| vec![one]),
    };
    Some(all?.into_iter().filter(|name| !name.is_empty()).collect())
}

/// What an id says beside its kind and its date.
fn undated(name: &str) -> &str {
    static PREFIX: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
        regex::Regex::new(r"(?i)^(?:(?:sig|spk|les)-)?(?:\d{4}-\d\d-\d\d-|\d{6,8}-(?:\d{3}-)?)?")
            .expect("the pattern is right")
    });
    let rest = &name[PREFIX.find(name).map_or(0, |found| found.end())..];
    if rest.is_empty() { name } else { rest }
}

fn cut(text: &str, chars_max: usize) -> String {
    text.trim().chars().take(chars_max).collect::<String>().trim_end().to_owned()
}

/// A text with one kind of line break.
pub(super) fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn strings(value: &Value, each: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, each)),
        Value::Object(map) => map.values().for_each(|item| strings(item, each)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
