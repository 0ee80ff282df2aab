//! Gemini CLI: messages with the calls of tools and their results in them, as one document or a line each.

use serde_json::Value;

use super::{Act, Builder, own_words, text_of, told_code};

pub(super) fn about(builder: &mut Builder, document: &Value) {
    let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default();
    builder.session(text("sessionId"));
    builder.folder(text("cwd"));
    builder.is_sub_agent |= text("kind") == "subagent";
    if let Some(folder) = document.pointer("/directories/0").and_then(Value::as_str) {
        builder.folder(folder);
    }
}

pub(super) fn read(builder: &mut Builder, line: u32, value: &Value) {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    about(builder, value);
    if let Some(set) = value.get("$set") {
        about(builder, set);
        let messages = set.get("messages").and_then(Value::as_array);
        messages.into_iter().flatten().for_each(|message| read(builder, line, message));
        return;
    }
    if let Some(id) = value.get("$rewindTo").and_then(Value::as_str) {
        // What was taken back was not said: the person went back to before it.
        if let Some((start, _)) = builder.messages.get(id).copied() {
            builder.turns.truncate(start);
            builder.messages.retain(|_, (from, _)| *from < start);
        }
        return;
    }
    let start = builder.turns.len();
    message(builder, line, value, text("type"));
    replace(builder, text("id"), start);
}

/// A message that comes again with the same id takes the place of the one before.
fn replace(builder: &mut Builder, id: &str, start: usize) {
    if id.is_empty() {
        return;
    }
    let end = builder.turns.len();
    let Some((from, to)) = builder.messages.get(id).copied() else {
        builder.messages.insert(id.to_owned(), (start, end));
        return;
    };
    if start == end {
        return;
    }
    let new: Vec<_> = builder.turns.drain(start..).collect();
    let more = new.len();
    builder.turns.splice(from..to, new);
    let grown = |at: &mut usize| {
        if *at >= to {
            *at = *at + more - (to - from);
        }
    };
    for (other, (first, last)) in &mut builder.messages {
        if other != id {
            grown(first);
            grown(last);
        }
    }
    builder.messages.insert(id.to_owned(), (from, from + more));
}

fn message(builder: &mut Builder, line: u32, value: &Value, kind: &str) {
    let content = value.get("content").or_else(|| value.get("parts")).unwrap_or(&Value::Null);
    match kind {
        "user" => {
            let said = text_of(content);
            // The first message tells where the session is held.
            if let Some(folder) = said.split_once("Workspace Directories:").and_then(|(_, rest)| {
                rest.lines()
                    .find_map(|line| line.trim().strip_prefix("- ").filter(|path| path.starts_with('/')))
            }) {
                builder.folder(folder.trim());
            }
            builder.say(line, None, &own_words(&said), Act::Asked);
        }
        "gemini" | "model" | "assistant" => {
            builder.say(line, None, &text_of(content), Act::Said);
            for call in value.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
                let text = |key: &str| call.get(key).and_then(Value::as_str).unwrap_or_default();
                let id = format!("{line} {}", text("id"));
                let input = call.get("args").cloned().unwrap_or_default();
                builder.call(line, None, &id, text("name"), input);
                let (succeeded, output) = outcome(call, text("status"), text("name"));
                if !matches!(text("status"), "cancelled" | "scheduled" | "executing" | "awaiting_approval") {
                    builder.answer(line, &id, succeeded, &output);
                }
            }
        }
        "compression" => builder.push(line, None, Act::Compacted),
        _ => {}
    }
}

/// How a tool ended, and what it printed. The exit code of a command stands below what it printed, and newer versions leave a zero out.
fn outcome(call: &Value, status: &str, name: &str) -> (Option<bool>, String) {
    let mut printed = String::new();
    let results = match call.get("result") {
        Some(Value::Array(results)) => results.as_slice(),
        _ => &[],
    };
    let mut failed = status == "error";
    for result in results {
        let response = result.pointer("/functionResponse/response").unwrap_or(result);
        for key in ["output", "error", "text"] {
            if let Some(text) = response.get(key).and_then(Value::as_str) {
                failed |= key == "error";
                printed.push_str(text);
                printed.push('\n');
            }
        }
    }
    if printed.is_empty() {
        printed = call.get("resultDisplay").map(text_of).unwrap_or_default();
    }
    if !name.contains("shell") {
        return (Some(!failed), printed);
    }
    let code = told_code(printed.lines().rev());
    let succeeded = code.map_or(!failed, |code| code == 0);
    (Some(succeeded), body(&printed))
}

/// What a command printed, without the labels around it.
fn body(printed: &str) -> String {
    const LABELS: &[&str] = &[
        "Command: ",
        "Directory: ",
        "Exit Code: ",
        "Signal: ",
        "Background PIDs: ",
        "Process Group PGID: ",
        "Error: (none)",
        "Stderr: (empty)",
    ];
    const INNER: &[&str] = &["Output: ", "Stdout: ", "Stderr: "];
    let said = |line: &&str| !LABELS.iter().any(|label| line.starts_with(label));
    let lines = printed.lines().filter(said);
    let plain = lines.map(|line| INNER.iter().find_map(|label| line.strip_prefix(label)).unwrap_or(line));
    plain.collect::<Vec<_>>().join("\n")
}
