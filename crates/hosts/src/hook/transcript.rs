//! Where a host does not hand over the agent's last words: what they were, from the end of its transcript.

use serde_json::Value;

/// What the agent said since a person last spoke, from the tail of a transcript with one JSON object to a line. A first line that was
/// cut, and lines in any other form, are passed over.
pub fn last_words(tail: &str) -> Option<String> {
    let mut said: Vec<String> = Vec::new();
    for line in tail.lines().rev() {
        let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
        if line.get("isSidechain").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        // Claude Code and Cursor keep a message in `message`, Codex in `payload`.
        let message = ["message", "payload"].iter().find_map(|key| line.get(key)).unwrap_or(&line);
        let role = [&line, message]
            .iter()
            .find_map(|holder| holder.get("role").or_else(|| holder.get("type"))?.as_str().and_then(role));
        match role {
            Some(Role::Agent) => said.extend(text_of(message)),
            Some(Role::Person) if text_of(message).is_some() => break,
            Some(Role::Person) | None => {}
        }
    }
    said.reverse();
    (!said.is_empty()).then(|| said.join("\n"))
}

enum Role {
    Agent,
    Person,
}

fn role(word: &str) -> Option<Role> {
    match word {
        "assistant" => Some(Role::Agent),
        "user" => Some(Role::Person),
        _ => None,
    }
}

/// What is said in a message; none where there are only tools and their answers.
fn text_of(message: &Value) -> Option<String> {
    const SPOKEN: &[&str] = &["text", "output_text", "input_text"];
    let text = match message.get("content")? {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter(|part| {
                part.get("type").and_then(Value::as_str).is_some_and(|kind| SPOKEN.contains(&kind))
            })
            .filter_map(|part| part.get("text")?.as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}
