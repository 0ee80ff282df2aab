//! The words of Cursor.

use serde_json::{Value, json};

use super::{HostMessage, Moment, exit_code};

/// What it calls a moment.
pub(super) fn called(moment: Moment) -> &'static str {
    match moment {
        Moment::SessionStart => "sessionStart",
        Moment::Prompt => "beforeSubmitPrompt",
        Moment::Touch | Moment::Act => "preToolUse",
        Moment::Ran => "postToolUse",
        Moment::Compact => "preCompact",
        Moment::Stop => "stop",
        Moment::End => "sessionEnd",
    }
}

/// A refused permission says nothing about the command.
pub(super) fn succeeded(said: &HostMessage<'_>) -> Option<bool> {
    let code = said.0.get("tool_output").and_then(exit_code);
    match said.text("hook_event_name") {
        "postToolUseFailure" => {
            let not_run = said.is("is_interrupt") || said.text("failure_type") == "permission_denied";
            (!not_run).then_some(false)
        }
        "postToolUse" => code.map(|code| code == 0),
        _ => None,
    }
}

/// A text for the context. A prompt is held back unless it is told to go on.
pub(super) fn answer(name: &str, text: &str) -> Option<Value> {
    match name {
        "sessionStart" | "preToolUse" | "postToolUse" => Some(json!({"additional_context": text})),
        "beforeSubmitPrompt" => Some(json!({"continue": true, "additional_context": text})),
        _ => None,
    }
}

/// A deed that is held back. Before a tool it knows `allow` and `deny` alone.
pub(super) fn hold_back(name: &str, text: &str) -> Option<Value> {
    let answer = json!({"permission": "deny", "user_message": text, "agent_message": text});
    (name == "preToolUse").then_some(answer)
}
