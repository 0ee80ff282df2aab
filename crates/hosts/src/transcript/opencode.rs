//! OpenCode: messages of parts, a tool's call and its result in one part; as an export, or a line for each message, part or event.

use serde_json::Value;

use super::{Act, Builder, own_words};

pub(super) fn is_line(value: &Value) -> bool {
    let is_message = value.get("parts").is_some_and(Value::is_array)
        && value
            .get("info")
            .is_some_and(|info| info.get("role").is_some() || info.get("sessionID").is_some());
    let is_export = value.get("info").is_some() && value.get("messages").is_some();
    is_message || is_export || value.get("sessionID").is_some()
}

pub(super) fn about(builder: &mut Builder, document: &Value) {
    let info = document.get("info").unwrap_or(document);
    let text = |key: &str| info.get(key).and_then(Value::as_str).unwrap_or_default();
    builder.session(text("id"));
    builder.folder(text("directory"));
    builder.is_sub_agent |= !text("parentID").is_empty() && text("role").is_empty();
}

pub(super) fn read(builder: &mut Builder, line: u32, value: &Value) {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    if let Some(parts) = value.get("parts").and_then(Value::as_array) {
        let info = value.get("info").unwrap_or(value);
        let is_person = role(builder, info);
        // The summary of a compaction repeats what was said.
        if info.get("summary").and_then(Value::as_bool) == Some(true) {
            return builder.push(line, None, Act::Compacted);
        }
        parts.iter().for_each(|part| self::part(builder, line, part, is_person));
        return;
    }
    // An event of `opencode run --format json`.
    if let Some(part) = value.get("part") {
        builder.session(text("sessionID"));
        return self::part(builder, line, part, false);
    }
    // The info of a message whose parts come by themselves, a part, or the session.
    let info = value.get("info").unwrap_or(value);
    if info.get("role").is_some() {
        role(builder, info);
    } else if let Some(message) = value.get("messageID").and_then(Value::as_str) {
        let is_person = builder.roles.get(message).copied().unwrap_or(false);
        part(builder, line, value, is_person);
    } else {
        about(builder, value);
    }
}

/// Whether a message is the person's; remembered for parts that come by themselves.
fn role(builder: &mut Builder, info: &Value) -> bool {
    let text = |key: &str| info.get(key).and_then(Value::as_str).unwrap_or_default();
    builder.session(text("sessionID"));
    let path = |key: &str| info.pointer(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    builder.folder(&path("/path/cwd"));
    let is_person = text("role") == "user";
    builder.roles.insert(text("id").to_owned(), is_person);
    is_person
}

fn part(builder: &mut Builder, line: u32, part: &Value, is_person: bool) {
    let text = |key: &str| part.get(key).and_then(Value::as_str).unwrap_or_default();
    let is = |key: &str| part.get(key).and_then(Value::as_bool) == Some(true);
    match text("type") {
        "text" if is("synthetic") || is("ignored") => {}
        "text" if is_person => builder.say(line, None, &own_words(text("text")), Act::Asked),
        "text" => builder.say(line, None, text("text"), Act::Said),
        "tool" => tool(builder, line, part),
        "compaction" => builder.push(line, None, Act::Compacted),
        _ => {}
    }
}

fn tool(builder: &mut Builder, line: u32, part: &Value) {
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let state = part.get("state").cloned().unwrap_or_default();
    let (status, id) = (text(&state, "status"), format!("{line} {}", text(part, "callID")));
    let input = state.get("input").cloned().unwrap_or_default();
    builder.call(line, None, &id, &text(part, "tool"), input);
    let code = ["/metadata/exit", "/metadata/exitCode", "/metadata/exit_code"]
        .iter()
        .find_map(|key| state.pointer(key)?.as_i64());
    let output = match text(&state, "output") {
        output if output.is_empty() => text(&state, "error"),
        output => output,
    };
    match status.as_str() {
        "completed" => builder.answer(line, &id, Some(code.is_none_or(|code| code == 0)), &output),
        "error" => builder.answer(line, &id, Some(false), &output),
        _ => {}
    }
}
