//! Codex: a line for each item of its rollout; what people and the agent say may stand there twice, as an item and as an event.

use serde_json::Value;

use super::{Act, Builder, own_words, text_of, told_code};
use crate::limits::transcript::HEAD_LINES;

/// In which form words come. One of them counts, else everything would be said twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Items,
    Events,
}

const KINDS: &[&str] = &["session_meta", "response_item", "event_msg", "turn_context", "compacted"];

pub(super) fn is_line(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_record = value.get("payload").is_some() && KINDS.contains(&kind);
    // Rollouts of older versions have the items themselves.
    let is_bare = value.get("record_type").is_some()
        || value.get("call_id").is_some() && matches!(kind, "function_call" | "function_call_output");
    is_record || is_bare
}

pub(super) fn read(builder: &mut Builder, line: u32, value: &Value) {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    let Some(payload) = value.get("payload").filter(|_| KINDS.contains(&kind)) else {
        if let Some(id) = value.get("id").and_then(Value::as_str).filter(|_| kind.is_empty()) {
            builder.session(id);
        }
        return item(builder, line, value);
    };
    let text = |key: &str| payload.get(key).and_then(Value::as_str).unwrap_or_default();
    match kind {
        "session_meta" => {
            builder.session(text("id"));
            builder.folder(text("cwd"));
            let source = payload.get("source");
            let is_sub = source.is_some_and(|source| {
                source.get("subagent").is_some()
                    || source.as_str().is_some_and(|word| word.contains("subagent"))
            });
            builder.is_sub_agent |= is_sub;
        }
        "turn_context" => builder.folder(text("cwd")),
        "compacted" => builder.push(line, None, Act::Compacted),
        "event_msg" => event(builder, line, payload),
        _ => item(builder, line, payload),
    }
}

fn event(builder: &mut Builder, line: u32, payload: &Value) {
    let text = |key: &str| payload.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "user_message" if matches!(text("kind"), "" | "plain") => {
            let said = own_words(text("message"));
            if !said.is_empty() {
                builder.typed.insert(said.clone());
            }
            if is_heard(builder, Form::Events) {
                builder.say(line, None, &said, Act::Asked);
            }
        }
        "agent_message" if is_heard(builder, Form::Events) => {
            builder.say(line, None, text("message"), Act::Said);
        }
        "exec_command_end" => {
            let code = payload.get("exit_code").and_then(Value::as_i64);
            let printed = match text("aggregated_output") {
                "" => format!("{}\n{}", text("stdout"), text("stderr")),
                printed => printed.to_owned(),
            };
            builder.answer(line, text("call_id"), code.map(|code| code == 0), &printed);
        }
        _ => {}
    }
}

/// Whether words in this form count. The form of the first words is the form of all.
fn is_heard(builder: &mut Builder, form: Form) -> bool {
    *builder.said_by.get_or_insert(form) == form
}

fn item(builder: &mut Builder, line: u32, item: &Value) {
    let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "message" => {
            let content = text_of(item.get("content").unwrap_or(&Value::Null));
            match text("role") {
                "user" => {
                    let said = own_words(&content);
                    if !said.is_empty() && is_heard(builder, Form::Items) {
                        builder.say(line, None, &said, Act::Asked);
                    }
                }
                "assistant" if is_heard(builder, Form::Items) => {
                    builder.say(line, None, &content, Act::Said);
                }
                _ => {}
            }
        }
        "function_call" => {
            let input = serde_json::from_str(text("arguments")).unwrap_or_default();
            builder.call(line, None, text("call_id"), text("name"), input);
        }
        "local_shell_call" => {
            let input = item.get("action").cloned().unwrap_or_default();
            builder.call(line, None, text("call_id"), "shell", input);
        }
        "custom_tool_call" => {
            let input = serde_json::json!({"input": text("input")});
            builder.call(line, None, text("call_id"), text("name"), input);
        }
        "web_search_call" => {
            let query = item.pointer("/action/query").cloned().unwrap_or_default();
            builder.call(line, None, text("id"), "web_search", serde_json::json!({"query": query}));
        }
        "function_call_output" | "custom_tool_call_output" => {
            let (succeeded, output) = outcome(item.get("output").unwrap_or(&Value::Null));
            builder.answer(line, text("call_id"), succeeded, &output);
        }
        _ => {}
    }
}

/// How a tool ended, and what it printed: as JSON with an exit code, or as text under a few lines of the host.
fn outcome(output: &Value) -> (Option<bool>, String) {
    match output {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ Value::Object(_)) => outcome(&inner),
            Ok(_) | Err(_) => {
                let code = told_code(text.lines().take(HEAD_LINES));
                let body = text
                    .split_once("\nOutput:\n")
                    .filter(|(head, _)| head.lines().count() <= HEAD_LINES && code.is_some())
                    .map_or(text.as_str(), |(_, body)| body);
                (code.map(|code| code == 0), body.to_owned())
            }
        },
        Value::Object(fields) => {
            let code = fields.get("exit_code").or_else(|| fields.get("metadata")?.get("exit_code"));
            let told = code.and_then(Value::as_i64).map(|code| code == 0);
            let told = told.or_else(|| fields.get("success").and_then(Value::as_bool));
            let printed = ["output", "content", "stdout"].iter().find_map(|key| fields.get(*key));
            (told, printed.map(text_of).unwrap_or_default())
        }
        Value::Array(_) => (None, text_of(output)),
        Value::Null | Value::Bool(_) | Value::Number(_) => (None, String::new()),
    }
}
