//! `adopt`: a hand edit of a ledger file becomes events by whoever made it (STO-4).

use ken_engine::{Caller, Ledger};
use std::path::Path;

use ken_core::decide::Change;
use ken_core::event::{Line, in_line, read_line};
use ken_core::{Body, Code, EntryEvent, Event, EventHash, Refusal};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{AddInput, Error, Layout, ModelsInUse, Result, STORE_FOLDER, Site};

/// What became of a hand-edited file.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Adopted {
    /// What was made of each edited line.
    pub done: Vec<String>,
    /// Lines that could not be understood, and were left as they are.
    pub left: Vec<String>,
}

/// What is to be done with one line.
enum Plan {
    Keep(String),
    Revise { original: Box<Event>, change: Change, line: usize },
    Add { input: AddInput, line: usize },
    Leave { raw: String, line: usize, why: String },
}

/// Turns the edited lines of a ledger file into events; the lines themselves go back to what was written.
pub fn adopt(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    file: &Path,
) -> Result<Adopted> {
    ledger.may_write()?;
    ledger.snapshot().git()?;
    let path = ledger_path(site, file)?;
    let full = site.layout.store.join(&path);
    let bytes = std::fs::read(&full).map_err(Error::failed(format!("reading {}", file.display())))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut plans = Vec::new();
    for (at, raw) in text.lines().enumerate() {
        plans.extend(plan(ledger, &site.layout, raw, at + 1, &path));
    }
    let raw = |line: usize| format!("{}\n", text.lines().nth(line - 1).unwrap_or_default());
    // First the lines as they were written, so that the entries they state are there to be revised.
    let whole: String = plans
        .iter()
        .map(|plan| match plan {
            Plan::Keep(line) | Plan::Leave { raw: line, .. } => format!("{line}\n"),
            Plan::Revise { original, .. } => format!("{}\n", original.line()),
            Plan::Add { .. } => String::new(),
        })
        .collect();
    let edited = plans.iter().any(|plan| matches!(plan, Plan::Revise { .. } | Plan::Add { .. }));
    let write = |bytes: &str| {
        std::fs::write(&full, bytes).map_err(Error::failed(format!("writing {}", file.display())))
    };
    if edited {
        write(&whole)?;
        ledger.snapshot_mut().rebuild()?;
    }
    let mut adopted = Adopted::default();
    let mut kept = String::new();
    for plan in plans {
        let (answer, original, line) = match plan {
            Plan::Keep(line) => {
                kept += &format!("{line}\n");
                continue;
            }
            Plan::Leave { raw, line, why } => {
                kept += &format!("{raw}\n");
                adopted.left.push(format!("line {line}: {why}"));
                continue;
            }
            Plan::Revise { original, change, line } => {
                let name = original.entry.map(|key| key.to_string()).unwrap_or_default();
                let answer = crate::edit::revise(ledger, site, models, caller, &name, change, &[], false)
                    .map(|answer| format!("revised {}", answer.id));
                (answer, format!("{}\n", original.line()), line)
            }
            Plan::Add { input, line } => {
                let answer = crate::add::add(ledger, site, models, caller, input)
                    .map(|answer| format!("{} {}", answer.outcome, answer.id));
                (answer, String::new(), line)
            }
        };
        match answer {
            Ok(done) => {
                kept += &original;
                adopted.done.push(format!("line {line}: {done}"));
            }
            Err(Error::Refused(refusal)) => {
                kept += &raw(line);
                adopted.left.push(format!("line {line}: {}", refusal.message));
            }
            Err(error) => {
                // Nothing that a person wrote may be lost on the way out.
                write(&text)?;
                return Err(error);
            }
        }
    }
    if !edited {
        return Ok(adopted);
    }
    // What the operations above appended to this very file stands behind what was there.
    let now = std::fs::read(&full).map_err(Error::failed(format!("reading {} again", file.display())))?;
    let now = String::from_utf8_lossy(&now);
    let appended = now.strip_prefix(whole.as_str()).unwrap_or("");
    write(&(kept + appended))?;
    ledger.snapshot_mut().rebuild()?;
    crate::writer::finish(ledger, site, models, caller, adopted)
}

fn ledger_path(site: &Site, file: &Path) -> Result<String> {
    let store = &site.layout.store;
    let candidates = [site.options.from.join(file), site.layout.root.join(file), store.join(file)];
    let canonical = store.canonicalize().unwrap_or_else(|_| store.clone());
    for candidate in candidates {
        let Ok(full) = candidate.canonicalize() else { continue };
        if let Ok(below) = full.strip_prefix(&canonical)
            && full.extension().is_some_and(|ending| ending == "jsonl")
        {
            return Ok(below.to_string_lossy().replace('\\', "/"));
        }
    }
    Err(Refusal::new(Code::NotFound, format!("{} is not a ledger file of this store", file.display()))
        .hint(format!("name a .jsonl file below {STORE_FOLDER}; `ken verify` lists the edited ones"))
        .field("file")
        .into())
}

fn plan(store: &Ledger, layout: &Layout, raw: &str, line: usize, path: &str) -> Option<Plan> {
    if raw.trim().is_empty() || ken_worktree::git::is_marker(raw.as_bytes()) {
        return None;
    }
    if read_line(raw).is_ok() {
        return Some(Plan::Keep(raw.to_owned()));
    }
    let leave = |why: String| Some(Plan::Leave { raw: raw.to_owned(), line, why });
    let value: Map<String, Value> = match serde_json::from_str(raw) {
        Ok(value) => value,
        Err(error) => return leave(format!("is not JSON ({}); fix or delete the line", in_line(&error))),
    };
    let Some(stated) = value.get("hash").and_then(Value::as_str) else {
        // A bare object is an entry somebody wrote by hand.
        return Some(Plan::Add { input: AddInput { content: value, ..AddInput::default() }, line });
    };
    let original = stated.parse::<EventHash>().ok().and_then(|hash| original(store, layout, hash, path));
    let data = value.get("data").cloned().unwrap_or_default();
    match original {
        Some(original) => match &original.body {
            Some(Body::Entry(EntryEvent::Added(added))) => {
                let change = difference(&added.fields, data.get("fields").unwrap_or(&Value::Null));
                Some(Plan::Revise { original: Box::new(original), change, line })
            }
            _ => leave(
                "only the fields of an entry can be edited by hand; use a `ken` command for other changes"
                    .to_owned(),
            ),
        },
        None => {
            let mut content: Map<String, Value> =
                data.get("fields").and_then(Value::as_object).cloned().unwrap_or_default();
            for name in ["type", "id"] {
                if let Some(value) = data.get(name) {
                    content.insert(name.to_owned(), value.clone());
                }
            }
            if let Some(evidence) = data.get("evidence") {
                content.insert("provenance".to_owned(), evidence.clone());
            }
            Some(Plan::Add { input: AddInput { content, ..AddInput::default() }, line })
        }
    }
}

/// The event as it was written, from the journal or from git.
fn original(store: &Ledger, layout: &Layout, hash: EventHash, path: &str) -> Option<Event> {
    if let Some(event) = store.snapshot().git().ok()?.journal_event(&hash) {
        return Some(event);
    }
    let git = layout.git.as_ref()?;
    let spec = format!("HEAD:{STORE_FOLDER}/{path}");
    let text = git.text(&["cat-file", "blob", &spec]).ok()?;
    text.lines().find_map(|line| match read_line(line) {
        Ok(Line::Event(event)) if event.hash == hash => Some(*event),
        _ => None,
    })
}

/// What a hand changed in the fields of an entry.
fn difference(before: &Value, after: &Value) -> Change {
    let empty = Map::new();
    let fields = |value: &Value| value.as_object().unwrap_or(&empty).clone();
    Change { reason: Some("edited by hand".to_owned()), ..Change::between(&fields(before), &fields(after)) }
}
