//! The words of Claude Code.

use serde_json::{Value, json};

use super::{HostMessage, Moment, Stop, exit_code};

/// Events whose `additionalContext` reaches the agent.
const HEARD: &[&str] =
    &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart"];

/// What it calls a moment.
pub(super) fn called(moment: Moment) -> &'static str {
    match moment {
        Moment::SessionStart => "SessionStart",
        Moment::Prompt => "UserPromptSubmit",
        Moment::Touch | Moment::Act => "PreToolUse",
        Moment::Ran => "PostToolUse",
        Moment::Compact => "PreCompact",
        Moment::Stop => "Stop",
        Moment::End => "SessionEnd",
    }
}

/// It calls one hook for what succeeded and another for what failed.
pub(super) fn succeeded(said: &HostMessage<'_>) -> Option<bool> {
    let answer = said.0.get("tool_response");
    let flag = |key: &str| answer.and_then(|answer| answer.get(key)).and_then(Value::as_bool);
    let started_only = said.input().is_some_and(|input| HostMessage(input).is("run_in_background"));
    if said.is("is_interrupt") || flag("interrupted") == Some(true) || started_only {
        return None;
    }
    match said.text("hook_event_name") {
        "PostToolUseFailure" => Some(false),
        _ => Some(answer.and_then(exit_code).is_none_or(|code| code == 0)),
    }
}

/// A text for the context.
pub(super) fn answer(name: &str, text: &str) -> Option<Value> {
    let answer = json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}});
    HEARD.contains(&name).then_some(answer)
}

/// A deed that is held back.
pub(super) fn hold_back(name: &str, stop: Stop, text: &str) -> Option<Value> {
    let decision = match stop {
        Stop::Ask => "ask",
        Stop::Deny => "deny",
    };
    let answer = json!({"hookSpecificOutput": {
        "hookEventName": name,
        "permissionDecision": decision,
        "permissionDecisionReason": text,
    }});
    (name == "PreToolUse").then_some(answer)
}
