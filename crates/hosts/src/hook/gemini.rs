//! The words of Gemini CLI.

use serde_json::{Value, json};

use super::{HostMessage, Moment, exit_code, told_code};

/// Events that no other host has.
pub(super) const NAMES: &[&str] =
    &["BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeTool", "AfterTool", "PreCompress"];

/// Events whose `additionalContext` reaches the agent.
const HEARD: &[&str] = &["SessionStart", "BeforeAgent", "AfterTool"];

/// What it calls a moment.
pub(super) fn called(moment: Moment) -> &'static str {
    match moment {
        Moment::SessionStart => "SessionStart",
        Moment::Prompt => "BeforeAgent",
        Moment::Act => "BeforeTool",
        Moment::Touch | Moment::Ran => "AfterTool",
        Moment::Compact => "PreCompress",
        Moment::Stop => "AfterAgent",
        Moment::End => "SessionEnd",
    }
}

/// The exit code stands below what was printed, and newer versions leave a zero out.
pub(super) fn succeeded(said: &HostMessage<'_>) -> Option<bool> {
    let answer = said.0.get("tool_response")?;
    if let Some(code) = exit_code(answer) {
        return Some(code == 0);
    }
    let text = match answer.get("llmContent") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    let failed = answer.get("error").is_some_and(|error| !error.is_null());
    match told_code(text.lines().rev()) {
        Some(code) => Some(code == 0),
        None if failed => Some(false),
        None => (!text.is_empty()).then_some(true),
    }
}

/// A text for the context.
pub(super) fn answer(name: &str, text: &str) -> Option<Value> {
    let answer = json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}});
    HEARD.contains(&name).then_some(answer)
}

/// A deed that is held back.
pub(super) fn hold_back(name: &str, text: &str) -> Option<Value> {
    (name == "BeforeTool").then(|| json!({"decision": "deny", "reason": text}))
}
