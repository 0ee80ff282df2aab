//! The scene in which an agent host is connected, and the loop closes by itself.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use super::stage::{ADA, Expect, Play, Stage, failed};
use crate::output::{bold, dim};

/// The conversation that is played.
const SESSION: &str = "demo";

pub(super) fn play(stage: &mut Stage) -> Play {
    let set_up = stage.ask_ken(&["setup", "claude-code", "--yes"])?;
    stage.say(&format!("{}{}", dim("$ "), bold("ken setup claude-code --yes")))?;
    for file in set_up["files"].as_array().into_iter().flatten() {
        let path = file["file"].as_str().unwrap_or_default();
        let name = path.rsplit_once("/ferry/").map_or(path, |(_, name)| name);
        stage.say(&format!("{} {name}", file["change"].as_str().unwrap_or_default()))?;
    }
    stage.say("")?;

    stage.say("A conversation begins, and the hook briefs the agent:\n")?;
    hook(stage, "session-start", json!({"hook_event_name": "SessionStart", "source": "startup"}))?;
    stage.say("It is about to change a file that something is known about:\n")?;
    let file = stage.folder.join(ADA).join("src/booking.py").display().to_string();
    let touching =
        json!({"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": file}});
    hook(stage, "touch", touching)?;

    stage.say("It asks through the server that the host started, `ken mcp`:\n")?;
    let recalled = ask_server(
        stage,
        "recall",
        json!({"query": "how long may a client wait between two tries?", "limit": 1}),
    )?;
    stage.say(&format!("{}{}", dim("> "), bold("recall: how long may a client wait between two tries?")))?;
    stage.say(&format!("{}\n", recalled["content"][0]["text"].as_str().unwrap_or_default()))?;

    stage.say("It stops, and one line of what it said is worth keeping:\n")?;
    let said =
        "The tests pass now.\nLesson: The booking service answers 429 before it answers 503; both mean wait.";
    hook(stage, "stop", json!({"hook_event_name": "Stop", "last_assistant_message": said}))?;
    hook(stage, "end", json!({"hook_event_name": "SessionEnd", "reason": "exit"}))?;
    stage.ken(&["search", "status code that means wait", "--limit", "1"])?;
    stage.ken(&["stats"])?;

    stage.say("`--remove` undoes the setup completely:\n")?;
    let removed = stage.ask_ken(&["setup", "claude-code", "--remove", "--yes"])?;
    stage.say(&format!("{}{}", dim("$ "), bold("ken setup claude-code --remove --yes")))?;
    let left = stage.ask(ADA, "git", &["status", "--short", "--", ".mcp.json", ".claude", "CLAUDE.md"])?;
    let files = removed["files"].as_array().map_or(0, Vec::len);
    stage.say(&format!("{files} files removed, {} left\n", left.lines().count()))?;
    if !left.is_empty() {
        return Err(failed("taking away what was set up")(left));
    }
    let stats = stage.ask_ken(&["stats"])?;
    stage
        .numbers
        .push(format!("{} tokens handed to the agent in one conversation", stats["total"]["tokens"]));
    Ok(())
}

/// Lets a hook hear what the host would say, and shows what the agent gets to read.
pub(super) fn hook(stage: &Stage, event: &str, mut said: Value) -> Play {
    said["session_id"] = json!(SESSION);
    said["cwd"] = json!(stage.folder.join(ADA).display().to_string());
    let args = ["hook", event, "--host", "claude-code"];
    stage.say(&format!("{}{}", dim("host$ "), bold(&super::stage::spelled("ken", &args))))?;
    let heard = tell(stage, &args, &said.to_string())?;
    let answer: Value = serde_json::from_str(&heard).unwrap_or(Value::Null);
    if let Some(context) = answer["hookSpecificOutput"]["additionalContext"].as_str() {
        stage.say(context)?;
    }
    stage.say("")
}

/// Calls a tool of the server, as a client would.
fn ask_server(stage: &Stage, tool: &str, arguments: Value) -> Play<Value> {
    let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "claude-code", "version": "1"}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}),
    ];
    let said: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let args = ["mcp", "--host", "claude-code"];
    let heard = tell(stage, &args, &said)?;
    let answers = heard.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let answer = answers.into_iter().find(|answer| answer["id"] == json!(2)).unwrap_or_default();
    if answer["result"]["content"].is_null() {
        return Err(failed(stage.doing("ken", &args))(format!("there was no answer: {heard}")));
    }
    Ok(answer["result"].clone())
}

/// Runs `ken` with something on its standard input, and gives what it writes.
fn tell(stage: &Stage, args: &[&str], said: &str) -> Play<String> {
    let doing = || stage.doing("ken", args);
    let mut command = stage.command(ADA, "ken", args);
    command.env("CLAUDE_CODE_SESSION_ID", SESSION);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed(doing()))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(said.as_bytes()).map_err(failed(doing()))?;
    }
    let output = child.wait_with_output().map_err(failed(doing()))?;
    stage.judge(output.status, Expect::Success, "ken", args)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
