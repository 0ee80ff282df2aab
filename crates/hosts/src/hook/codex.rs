//! The words of Codex: those of Claude Code, but one hook hears of every command, however it ended.

use serde_json::Value;

use super::{HostMessage, claude_code, exit_code};

/// Events whose `additionalContext` reaches the agent.
const HEARD: &[&str] = &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"];

/// What is not said is not known.
pub(super) fn succeeded(said: &HostMessage<'_>) -> Option<bool> {
    let answer = said.0.get("tool_response")?;
    let told = || answer.get("success").and_then(Value::as_bool);
    exit_code(answer).map(|code| code == 0).or_else(told)
}

/// A text for the context.
pub(super) fn answer(name: &str, text: &str) -> Option<Value> {
    claude_code::answer(name, text).filter(|_| HEARD.contains(&name))
}
