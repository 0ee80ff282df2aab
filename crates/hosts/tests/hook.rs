//! The words of each host, read and answered.

use ken_hosts::hook::{Call, Event, Host, Moment, last_words, read, reply};
use serde_json::{Value, json};

fn call(host: &str, moment: &str, said: Value) -> Call {
    read(Host::from_word(host).unwrap(), Moment::from_word(moment).unwrap(), &said)
}

fn ran(host: &str, said: Value) -> Option<bool> {
    match call(host, "ran", said).event {
        Event::Ran { command, succeeded, .. } => {
            assert_eq!(command, "cargo test", "{host}");
            succeeded
        }
        other => panic!("{host}: {other:?}"),
    }
}

fn touched(host: &str, said: Value) -> String {
    match call(host, "touch", said).event {
        Event::Touching { paths, .. } => {
            paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
        }
        Event::Other => String::new(),
        other => panic!("{host}: {other:?}"),
    }
}

#[test]
fn every_host_is_known_by_the_way_it_speaks() {
    for (said, host) in [
        (
            json!({"session_id": "a", "transcript_path": "/h/.claude/projects/p/a.jsonl"}),
            Some(Host::ClaudeCode),
        ),
        (json!({"session_id": "a", "turn_id": "t"}), Some(Host::Codex)),
        (json!({"conversation_id": "a", "cursor_version": "3.2"}), Some(Host::Cursor)),
        (json!({"session_id": "a", "hook_event_name": "BeforeAgent"}), Some(Host::Gemini)),
        (json!({"session_id": "a", "transcript_path": "/h/.gemini/tmp/x"}), Some(Host::Gemini)),
        (json!({"session_id": "a"}), None),
        (json!([1]), None),
    ] {
        assert_eq!(Host::guess(&said), host, "{said}");
    }
}

#[test]
fn whether_a_command_succeeded_is_what_the_host_says() {
    let input = json!({"command": "cargo test"});
    let with = |more: Value| {
        let mut said = json!({"tool_input": input});
        said.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        said
    };
    for (host, said, succeeded) in [
        (
            "claude-code",
            json!({"hook_event_name": "PostToolUse", "tool_response": {"stdout": "ok"}}),
            Some(true),
        ),
        (
            "claude-code",
            json!({"hook_event_name": "PostToolUseFailure", "error": "Exit code 1"}),
            Some(false),
        ),
        ("claude-code", json!({"hook_event_name": "PostToolUseFailure", "is_interrupt": true}), None),
        (
            "claude-code",
            json!({"hook_event_name": "PostToolUse", "tool_response": {"interrupted": true}}),
            None,
        ),
        ("codex", json!({"tool_response": {"output": "x", "metadata": {"exit_code": 1}}}), Some(false)),
        ("codex", json!({"tool_response": "{\"output\":\"x\",\"metadata\":{\"exit_code\":0}}"}), Some(true)),
        (
            "codex",
            json!({"tool_response": "Wall time: 1 s\nProcess exited with code 101\nOutput:\n"}),
            Some(false),
        ),
        ("codex", json!({"tool_response": "running 4 tests"}), None),
        ("cursor", json!({"hook_event_name": "postToolUse", "tool_output": "{\"exitCode\":0}"}), Some(true)),
        ("cursor", json!({"hook_event_name": "postToolUseFailure", "failure_type": "error"}), Some(false)),
        (
            "cursor",
            json!({"hook_event_name": "postToolUseFailure", "failure_type": "permission_denied"}),
            None,
        ),
        ("cursor", json!({"hook_event_name": "afterShellExecution", "output": "x"}), None),
        ("gemini", json!({"tool_response": {"llmContent": "Exit Code: 0\nout\nExit Code: 2"}}), Some(false)),
        ("gemini", json!({"tool_response": {"llmContent": "Output: fine"}}), Some(true)),
        ("gemini", json!({"tool_response": {"llmContent": "x", "error": {"message": "no"}}}), Some(false)),
    ] {
        assert_eq!(ran(host, with(said.clone())), succeeded, "{host} {said}");
    }
    let patch = json!({"tool_input": {"command": "*** Begin Patch\n*** Update File: a.rs\n"}});
    assert_eq!(call("codex", "ran", patch).event, Event::Other, "a patch is no command");
}

#[test]
fn what_a_command_printed_is_handed_on() {
    let input = json!({"command": "cargo test"});
    for (host, said) in [
        ("claude-code", json!({"tool_response": {"stdout": "1 failed", "stderr": "", "interrupted": false}})),
        ("claude-code", json!({"hook_event_name": "PostToolUseFailure", "error": "Exit code 1\n1 failed"})),
        ("codex", json!({"tool_response": "Exit code: 1\nOutput:\n1 failed"})),
        ("codex", json!({"tool_response": {"output": "1 failed", "metadata": {"exit_code": 1}}})),
        ("cursor", json!({"tool_output": "{\"output\":\"1 failed\",\"exitCode\":0}"})),
        ("cursor", json!({"hook_event_name": "postToolUseFailure", "error_message": "1 failed"})),
        (
            "gemini",
            json!({"tool_response": {"llmContent": [{"text": "Command: x\nOutput: 1 failed\nExit Code: 1"}]}}),
        ),
    ] {
        let mut said = said;
        said["tool_input"] = input.clone();
        match call(host, "ran", said.clone()).event {
            Event::Ran { output, .. } => {
                assert!(output.lines().any(|line| line == "1 failed"), "{host} {said}: {output:?}")
            }
            other => panic!("{host}: {other:?}"),
        }
    }
}

#[test]
fn files_are_found_in_whatever_the_tool_is_called_with() {
    for (host, input, paths) in [
        ("claude-code", json!({"file_path": "/r/src/a.rs", "limit": 3}), "/r/src/a.rs"),
        ("claude-code", json!({"notebook_path": "/r/a.ipynb"}), "/r/a.ipynb"),
        ("claude-code", json!({"pattern": "x"}), ""),
        (
            "codex",
            json!({"command": "*** Begin Patch\n*** Update File: src/a.rs\n@@\n*** Add File: b.rs\n"}),
            "src/a.rs b.rs",
        ),
        ("codex", json!({"command": "sed -n '1,20p' src/a.rs | head"}), "src/a.rs"),
        ("codex", json!({"command": ["cat", "src/a.rs"]}), "src/a.rs"),
        ("cursor", json!({"target_file": "src/a.rs"}), "src/a.rs"),
        ("gemini", json!({"absolute_path": "/r/a.rs"}), "/r/a.rs"),
        ("gemini", json!({"paths": ["a.rs", "b.rs", "a.rs"]}), "a.rs b.rs"),
    ] {
        assert_eq!(touched(host, json!({"tool_input": input})), paths, "{host} {input}");
    }
    assert_eq!(
        touched("cursor", json!({"hook_event_name": "beforeReadFile", "file_path": "/r/a.rs"})),
        "/r/a.rs"
    );
    let many: Vec<String> = (0..99).map(|n| format!("f{n}.rs")).collect();
    assert_eq!(touched("gemini", json!({"tool_input": {"paths": many}})).split(' ').count(), 20);
}

#[test]
fn a_session_begins_goes_on_or_begins_anew() {
    for (source, anew, resumed) in [
        ("startup", false, false),
        ("resume", false, true),
        ("fork", false, true),
        ("clear", true, false),
        ("compact", true, false),
        ("", false, false),
    ] {
        let event = call("claude-code", "session-start", json!({"source": source})).event;
        assert_eq!(event, Event::Started { anew, resumed }, "{source}");
    }
}

#[test]
fn an_answer_goes_only_where_the_agent_hears_it() {
    let told = |host: &str, moment: &str, said: Value| {
        let call = call(host, moment, said);
        let reply = reply(&call, "text");
        assert_eq!(call.hears, reply.is_some());
        reply.map(|reply| serde_json::from_str::<Value>(&reply).unwrap())
    };
    let nested = |name: &str| {
        Some(json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": "text"}}))
    };
    for host in ["claude-code", "codex"] {
        assert_eq!(told(host, "session-start", json!({})), nested("SessionStart"));
        assert_eq!(
            told(host, "prompt", json!({"hook_event_name": "UserPromptSubmit"})),
            nested("UserPromptSubmit")
        );
        assert_eq!(told(host, "touch", json!({})), nested("PreToolUse"));
        for moment in ["compact", "stop", "end"] {
            assert_eq!(told(host, moment, json!({})), None, "{host} {moment}");
        }
    }
    assert_eq!(told("gemini", "prompt", json!({})), nested("BeforeAgent"));
    assert_eq!(told("gemini", "touch", json!({"hook_event_name": "BeforeTool"})), None);
    assert_eq!(told("gemini", "touch", json!({"hook_event_name": "AfterTool"})), nested("AfterTool"));
    assert_eq!(told("cursor", "session-start", json!({})), Some(json!({"additional_context": "text"})));
    assert_eq!(
        told("cursor", "prompt", json!({})),
        Some(json!({"continue": true, "additional_context": "text"}))
    );
    assert_eq!(told("cursor", "touch", json!({"hook_event_name": "beforeReadFile"})), None);
}

#[test]
fn the_last_words_are_those_of_this_turn() {
    let lines = [
        "ut off\":1}",
        r#"{"type":"user","message":{"role":"user","content":"first"}}"#,
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Lesson: old"}]}}"#,
        r#"{"type":"user","message":{"role":"user","content":"second"}}"#,
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"one"},{"type":"tool_use","input":{}}]}}"#,
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"Lesson: of a tool"}]}}"#,
        r#"{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"Lesson: of another"}]}}"#,
        r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"Lesson: thought"},{"type":"text","text":"two"}]}}"#,
        r#"{"type":"system","content":"Lesson: of the host"}"#,
    ];
    assert_eq!(last_words(&lines.join("\n")).as_deref(), Some("one\ntwo"));
    let codex = r#"{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"three"}]}}"#;
    assert_eq!(last_words(codex).as_deref(), Some("three"));
    assert_eq!(last_words("garbage\n[1]\n{}"), None);
}
