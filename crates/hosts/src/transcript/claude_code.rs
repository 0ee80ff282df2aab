//! Claude Code: a line for each message, tool calls and their answers as parts of messages, sub-agents as side chains.

use serde_json::Value;

use super::{Act, Builder, text_of};

pub(super) fn read(builder: &mut Builder, line: u32, value: &Value) {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let is = |key: &str| value.get(key).and_then(Value::as_bool) == Some(true);
    builder.session(text("sessionId"));
    builder.folder(text("cwd"));
    let agent = agent(builder, value);
    let message = value.get("message");
    let content = message.and_then(|message| message.get("content")).unwrap_or(&Value::Null);
    match text("type") {
        "assistant" if is("isApiErrorMessage") => {}
        "assistant" => said(builder, line, agent, content),
        "user" => answered(builder, line, agent, value, content),
        "system" if text("subtype") == "compact_boundary" => builder.push(line, agent, Act::Compacted),
        _ => {}
    }
}

/// The sub-agent that a line belongs to. Older versions name none: then it is the chain of lines that the line continues.
fn agent(builder: &mut Builder, value: &Value) -> Option<String> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    if value.get("isSidechain").and_then(Value::as_bool) != Some(true) {
        return None;
    }
    let above = text("parentUuid").and_then(|parent| builder.chains.get(parent).cloned());
    let agent = text("agentId").map(str::to_owned).or(above);
    let agent = agent.or_else(|| text("uuid").map(str::to_owned)).unwrap_or_else(|| "side".to_owned());
    if let Some(id) = text("uuid") {
        builder.chains.insert(id.to_owned(), agent.clone());
    }
    Some(agent)
}

fn said(builder: &mut Builder, line: u32, agent: Option<String>, content: &Value) {
    let Value::Array(parts) = content else {
        return builder.say(line, agent, &text_of(content), Act::Said);
    };
    for part in parts {
        let text = |key: &str| part.get(key).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "text" => builder.say(line, agent.clone(), text("text"), Act::Said),
            "tool_use" => {
                let input = part.get("input").cloned().unwrap_or_default();
                builder.call(line, agent.clone(), text("id"), text("name"), input);
            }
            _ => {}
        }
    }
}

fn answered(builder: &mut Builder, line: u32, agent: Option<String>, value: &Value, content: &Value) {
    let is = |key: &str| value.get(key).and_then(Value::as_bool) == Some(true);
    if is("isCompactSummary") {
        return builder.push(line, agent, Act::Compacted);
    }
    let results = content.as_array().into_iter().flatten();
    for part in results.filter(|part| part.get("type").and_then(Value::as_str) == Some("tool_result")) {
        let id = part.get("tool_use_id").and_then(Value::as_str).unwrap_or_default();
        let output = part.get("content").map(text_of).unwrap_or_default();
        let failed = part.get("is_error").and_then(Value::as_bool);
        let (succeeded, output) = outcome(value.get("toolUseResult"), failed, output);
        builder.answer(line, id, succeeded, &output);
    }
    if is("isMeta") || is("isVisibleInTranscriptOnly") {
        return;
    }
    let said = super::own_words(&text_of(content));
    // Newer versions say who a message is by: the person, a task that ended, a channel.
    let origin = value.pointer("/origin/kind").and_then(Value::as_str);
    let is_person = agent.is_none() && origin.is_none_or(|kind| kind == "human");
    let act = if is_person { Act::Asked } else { Act::Tasked };
    builder.say(line, agent, &said, act);
}

/// How a tool ended, and what it printed. A command that failed says so in its first line.
fn outcome(result: Option<&Value>, failed: Option<bool>, output: String) -> (Option<bool>, String) {
    let code = super::told_code(output.lines().take(1).map(|line| line.trim_start_matches("Error: ")));
    let told = result.and_then(|result| {
        ["exitCode", "exit_code", "code"].iter().find_map(|key| result.get(key)?.as_i64())
    });
    let interrupted = result.and_then(|result| result.get("interrupted")?.as_bool()) == Some(true);
    let succeeded = match (code.or(told), failed) {
        _ if interrupted => None,
        (Some(code), _) => Some(code == 0),
        (None, Some(failed)) => Some(!failed),
        // A command that was moved to the background has no end yet.
        (None, None) if output.starts_with("Command running in background") => None,
        (None, None) => Some(true),
    };
    let output = match code {
        Some(_) => output.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default(),
        None => output,
    };
    (succeeded, output)
}
