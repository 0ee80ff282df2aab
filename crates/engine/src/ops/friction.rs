//! `friction`: recording what gets in the way, adding it up, and writing the ledger out (FRI-1).

use std::fmt::Write as _;

use ken_core::friction::{self, CONTEXT_BYTES_MAX, Record, Report, Span, Thousandths};
use ken_core::{Code, EntryKey, Fault, Millis, Refusal, Type};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::add::{AddAnswer, AddInput, add};
use super::outcomes::Period;
use crate::deliver;
use crate::error::{Error, Result};
use crate::intake::Intake;
use crate::ledger::Ledger;
use crate::limits::ops_friction::{AGAIN_MAX, CONTEXT_CHARS_MAX};
use crate::ports::{Repository, Writer};
use crate::projection::Projection;
use crate::upkeep::Episode;

/// Something that got in the way. What is said here and in the context must agree.
#[derive(Clone, Debug, Default)]
pub struct FrictionInput {
    /// `tool_error`, `redo` or `validation_fail`.
    pub kind: String,
    /// Why it happened.
    pub cause: Option<String>,
    /// The tool it happened with.
    pub tool: Option<String>,
    /// How long it took.
    pub minutes: Option<f64>,
    pub tags: Vec<String>,
    /// What was going on.
    pub context: Map<String, Value>,
}

/// Records something in the way. The same met twice is two records: what sets them apart is when.
pub fn record(
    ledger: &mut Ledger,
    repository: &dyn Repository,
    input: FrictionInput,
    intake: &Intake<'_>,
    writer: &Writer,
) -> Result<AddAnswer> {
    let kind = input.kind.replace('-', "_");
    let tags = input.tags.clone();
    let context = context(input)?;
    let told = Value::Object(context.clone()).to_string();
    let cut: String = match told.chars().count() > CONTEXT_CHARS_MAX {
        true => told.chars().take(CONTEXT_CHARS_MAX - 1).chain(['…']).collect(),
        false => told,
    };
    let first = format!("{kind} at {}: {cut}", writer.now);
    let mut statement = first.clone();
    let is_taken = |statement: &str| {
        let key = EntryKey::derive(Type::Friction.word(), ken_core::Scope::Project.word(), statement);
        Ok::<bool, Error>(ledger.entry(key)?.is_some())
    };
    for again in 2..=AGAIN_MAX {
        if !is_taken(&statement)? {
            break;
        }
        statement = format!("{first} ({again})");
    }
    let mut content = Map::new();
    content.insert("statement".into(), Value::from(statement));
    content.insert("title".into(), Value::from(kind.replace('_', " ")));
    content.insert("subtype".into(), Value::from(kind));
    content.insert("context".into(), Value::Object(context));
    if !tags.is_empty() {
        content.insert("tags".into(), Value::from(tags));
    }
    let input = AddInput { kind: Some(Type::Friction.word().to_owned()), content, ..AddInput::default() };
    add(ledger, repository, input, intake, writer)
}

/// The context with what was said beside it; everything that is wrong with it at once.
fn context(input: FrictionInput) -> Result<Map<String, Value>> {
    let mut context = input.context;
    let mut faults = Vec::new();
    let minutes = input.minutes.map(|minutes| match Thousandths::read(minutes) {
        Some(_) if minutes.fract() == 0.0 => json!(minutes as i64),
        Some(_) => json!(minutes),
        None => {
            let problem = format!("is {minutes}; expected a number from 0 to {}", friction::MEASURE_MAX);
            faults.push(Fault { field: "minutes".to_owned(), problem });
            Value::Null
        }
    });
    let texts = [("cause", input.cause), ("tool", input.tool)];
    for (name, text) in texts {
        match text {
            Some(text) if text.trim().is_empty() => {
                let problem = "is empty; give a value or omit it".to_owned();
                faults.push(Fault { field: name.to_owned(), problem });
            }
            Some(text) => say(&mut context, name, Value::from(text.trim()), &mut faults),
            None => {}
        }
    }
    if let Some(minutes) = minutes.filter(|minutes| !minutes.is_null()) {
        say(&mut context, "minutes", minutes, &mut faults);
    }
    faults.extend(friction::faults(&context));
    let bytes = Value::Object(context.clone()).to_string().len();
    if bytes > CONTEXT_BYTES_MAX {
        let problem = format!(
            "has {bytes} bytes; at most {CONTEXT_BYTES_MAX} are allowed; summarise, and name the log file"
        );
        faults.push(Fault { field: "context".to_owned(), problem });
    }
    match Refusal::from_faults(Code::Invalid, faults) {
        Some(refusal) => Err(refusal.into()),
        None => Ok(context),
    }
}

fn say(context: &mut Map<String, Value>, name: &str, value: Value, faults: &mut Vec<Fault>) {
    match context.get(name) {
        Some(known) if !is_same(known, &value) => {
            let problem = format!("is given twice: --{name} and the context differ");
            faults.push(Fault { field: name.to_owned(), problem });
        }
        Some(_) | None => drop(context.insert(name.to_owned(), value)),
    }
}

/// Whether two values say the same: `5` and `5.0` are one number.
fn is_same(a: &Value, b: &Value) -> bool {
    let numbers = a.as_f64().zip(b.as_f64());
    numbers.map_or(a == b, |(a, b)| a == b)
}

/// What `friction report` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrictionReport {
    /// How far back was looked.
    pub period: String,
    /// From when on; left out where that is ever since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Millis>,
    /// What was found.
    #[serde(flatten)]
    pub report: Report,
}

/// Adds up what got in the way in some period, beside as long a time before.
pub fn report(
    ledger: &dyn Projection,
    period: &str,
    thread: Option<&str>,
    now: Millis,
) -> Result<FrictionReport> {
    let read =
        Period::parse(period).map_err(|problem| Refusal::new(Code::Invalid, problem).field("since"))?;
    let since = match read {
        Period::All => None,
        Period::Hours(hours) => Some(Millis(now.0 - hours * 3_600_000)),
    };
    let report = added_up(ledger, Span { since, now }, thread)?;
    Ok(FrictionReport { period: period.trim().to_owned(), since, report })
}

/// The same for a span of time.
pub fn added_up(ledger: &dyn Projection, span: Span, thread: Option<&str>) -> Result<Report> {
    let earliest = span.earliest().map(|earliest| Millis(earliest.0.max(0)));
    let records: Vec<Record> =
        ledger.episodes(Type::Friction, earliest, thread)?.into_iter().map(recorded).collect();
    let mut report = friction::report(&records, span);
    // Causes are the words of whoever met them.
    for cause in &mut report.causes {
        cause.cause = deliver::safe(&cause.cause);
    }
    for cause in report.costliest.iter_mut().flat_map(|costliest| &mut costliest.causes) {
        *cause = deliver::safe(cause);
    }
    Ok(report)
}

/// A record as far as it is added up.
pub(super) fn recorded(episode: Episode) -> Record {
    let kind = episode.subtype.unwrap_or_default();
    Record::new(episode.id, kind, &episode.context, episode.created.millis())
}

/// How the ledger is written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// One JSON object a line.
    Jsonl,
    /// A table for a spreadsheet.
    Csv,
}

impl ExportFormat {
    pub const WORDS: &'static [&'static str] = &["jsonl", "csv"];

    /// Reads a word.
    pub fn from_word(word: &str) -> Option<ExportFormat> {
        match word {
            "jsonl" => Some(ExportFormat::Jsonl),
            "csv" => Some(ExportFormat::Csv),
            _ => None,
        }
    }
}

/// Everything that got in the way, written out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrictionExport {
    pub format: ExportFormat,
    /// How many records.
    pub records: usize,
    pub content: String,
}

/// Writes the ledger out, oldest first.
pub fn export(ledger: &dyn Projection, format: ExportFormat, thread: Option<&str>) -> Result<FrictionExport> {
    let episodes = ledger.episodes(Type::Friction, None, thread)?;
    let content = match format {
        ExportFormat::Jsonl => jsonl(&episodes)?,
        ExportFormat::Csv => csv(&episodes),
    };
    Ok(FrictionExport { format, records: episodes.len(), content })
}

fn jsonl(episodes: &[Episode]) -> Result<String> {
    let mut text = String::new();
    for one in episodes {
        let told = friction::told(&one.context);
        let row = json!({
            "id": one.id,
            "type": one.subtype,
            "at": one.created.millis(),
            "by": one.created_by,
            "cause": told.cause,
            "tool": told.tool,
            "minutes": told.minutes,
            "cost": told.cost,
            "tags": one.tags,
            "context": one.context,
        });
        text.push_str(&serde_json::to_string(&row).map_err(Error::failed("writing a record"))?);
        text.push('\n');
    }
    Ok(text)
}

fn csv(episodes: &[Episode]) -> String {
    let mut text = "id,type,at,by,cause,tool,minutes,cost,tags,context\n".to_owned();
    for one in episodes {
        let told = friction::told(&one.context);
        let number =
            |number: Option<Thousandths>| number.map(|number| number.to_string()).unwrap_or_default();
        let tags: Vec<&str> = one.tags.iter().map(|tag| tag.as_str()).collect();
        let cells = [
            one.id.clone(),
            one.subtype.clone().unwrap_or_default(),
            one.created.millis().to_string(),
            one.created_by.clone(),
            told.cause.unwrap_or_default(),
            told.tool.unwrap_or_default(),
            number(told.minutes),
            number(told.cost),
            tags.join(" "),
            Value::Object(one.context.clone()).to_string(),
        ];
        let cells: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

/// A cell that no spreadsheet takes for a formula.
fn csv_cell(text: &str) -> String {
    let guarded = match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    };
    match guarded.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", guarded.replace('"', "\"\"")),
        false => guarded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_quoted_where_it_must_be_and_never_a_formula() {
        let table = [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("he said \"no\"", "\"he said \"\"no\"\"\""),
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("@sum,1", "\"'@sum,1\""),
            ("two\nlines", "\"two\nlines\""),
        ];
        for (text, cell) in table {
            assert_eq!(csv_cell(text), cell);
        }
    }
}
