//! Transcripts of four hosts, as they lie on disk: the same turns come out of each.

use ken_hosts::transcript::{Act, Look, Reader, Source, Transcript, Turn, read_document};
use serde_json::{Value, json};

fn read(lines: &[Value]) -> Transcript {
    let mut reader = Reader::new(None);
    for line in lines {
        assert!(reader.push(&line.to_string()));
    }
    reader.finish().unwrap()
}

/// A turn in a word or two.
fn shown(turn: &Turn) -> String {
    let agent = turn.agent.as_deref().map(|agent| format!("{agent}/")).unwrap_or_default();
    let act = match &turn.act {
        Act::Asked(text) => format!("asked {text}"),
        Act::Tasked(text) => format!("tasked {text}"),
        Act::Said(text) => format!("said {text}"),
        Act::Ran { command, succeeded, output } => {
            format!("ran {command} = {succeeded:?}: {}", output.trim().replace('\n', "|"))
        }
        Act::Edited { path, old, new, done } => {
            format!("edited {path} {:?} -> {:?} {done}", old.trim_end(), new.trim_end())
        }
        Act::Wrote { path, content, done } => format!("wrote {path} {content:?} {done}"),
        Act::Looked { how, subject, .. } => format!("looked {how:?} {subject}"),
        Act::Used { tool, .. } => format!("used {tool}"),
        Act::Compacted => "compacted".to_owned(),
    };
    format!("{}-{} {agent}{act}", turn.lines.0, turn.lines.1)
}

fn all(transcript: &Transcript) -> Vec<String> {
    transcript.turns.iter().map(shown).collect()
}

fn claude(kind: &str, content: Value) -> Value {
    json!({"type": kind, "sessionId": "s-1", "cwd": "/w/shop", "uuid": "u", "isSidechain": false, "message": {"role": kind, "content": content}})
}

#[test]
fn claude_code_is_read_with_its_tools_and_without_what_the_host_says() {
    let mut side = claude("user", json!("Find the pool"));
    side["isSidechain"] = json!(true);
    side["agentId"] = json!("a7");
    let mut summary = claude("user", json!("This session is being continued: Lesson: x"));
    summary["isCompactSummary"] = json!(true);
    let transcript = read(&[
        json!({"type": "summary", "summary": "x"}),
        claude("user", json!("fix it <system-reminder>Lesson: no</system-reminder>")),
        claude(
            "assistant",
            json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cargo test"}}]),
        ),
        claude(
            "user",
            json!([{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": "Exit code 101\nerror: x"}]),
        ),
        claude(
            "assistant",
            json!([{"type": "tool_use", "id": "t2", "name": "Edit",
            "input": {"file_path": "/w/shop/src/a.rs", "old_string": "a", "new_string": "b"}}]),
        ),
        claude(
            "user",
            json!([{"type": "tool_result", "tool_use_id": "t2", "content": "The file has been updated."}]),
        ),
        claude(
            "assistant",
            json!([{"type": "tool_use", "id": "t3", "name": "Read", "input": {"file_path": "/w/shop/src/a.rs"}}]),
        ),
        claude(
            "user",
            json!([{"type": "tool_result", "tool_use_id": "t3", "content": [{"type": "text", "text": "b"}]}]),
        ),
        side,
        claude(
            "assistant",
            json!([{"type": "tool_use", "id": "t4", "name": "Bash", "input": {"command": "rm -rf x"}}]),
        ),
        claude(
            "user",
            json!([{"type": "tool_result", "tool_use_id": "t4", "is_error": true,
            "content": "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nNever delete fixtures."}]),
        ),
        summary,
    ]);
    assert_eq!((transcript.source, transcript.session.as_str()), (Source::ClaudeCode, "s-1"));
    assert_eq!(
        all(&transcript),
        [
            "2-2 asked fix it",
            "3-3 said Looking.",
            "3-4 ran cargo test = Some(false): error: x",
            "5-6 edited src/a.rs \"a\" -> \"b\" true",
            "7-8 looked File src/a.rs",
            "9-9 a7/tasked Find the pool",
            "10-10 ran rm -rf x = None: ",
            "11-11 asked Never delete fixtures.",
            "12-12 compacted",
        ]
    );
}

#[test]
fn codex_says_things_once_and_edits_by_patches() {
    let item = |payload: Value| json!({"type": "response_item", "payload": payload});
    let event = |payload: Value| json!({"type": "event_msg", "payload": payload});
    let transcript = read(&[
        json!({"type": "session_meta", "payload": {"id": "c-1", "cwd": "/w/shop", "source": "cli"}}),
        item(
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>x</environment_context>"}]}),
        ),
        item(
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]}),
        ),
        event(json!({"type": "user_message", "message": "fix it"})),
        item(
            json!({"type": "function_call", "name": "shell", "call_id": "1", "arguments": "{\"command\":[\"bash\",\"-lc\",\"go test ./...\"]}"}),
        ),
        item(
            json!({"type": "function_call_output", "call_id": "1", "output": "{\"output\":\"FAIL\",\"metadata\":{\"exit_code\":1}}"}),
        ),
        item(json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "2",
            "input": "*** Begin Patch\n*** Update File: a.go\n@@\n-old\n+new\n*** End Patch"})),
        item(
            json!({"type": "custom_tool_call_output", "call_id": "2", "output": "{\"output\":\"Success\",\"metadata\":{\"exit_code\":0}}"}),
        ),
        item(
            json!({"type": "function_call", "name": "exec_command", "call_id": "3", "arguments": "{\"cmd\":\"go test ./...\"}"}),
        ),
        item(json!({"type": "function_call_output", "call_id": "3",
            "output": "Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\nok shop"})),
        event(json!({"type": "agent_message", "message": "Done."})),
        item(
            json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}),
        ),
    ]);
    assert_eq!(
        all(&transcript),
        [
            "3-3 asked fix it",
            "5-6 ran go test ./... = Some(false): FAIL",
            "7-8 edited a.go \"old\" -> \"new\" true",
            "9-10 ran go test ./... = Some(true): ok shop",
            "12-12 said Done.",
        ]
    );
    // In a session of a sub-agent nobody is a person.
    let sub = read(&[
        json!({"type": "session_meta", "payload": {"id": "c-2", "cwd": "/w", "source": {"subagent": "review"}}}),
        event(json!({"type": "user_message", "message": "we never use x here"})),
    ]);
    assert!(sub.is_sub_agent);
    assert_eq!(all(&sub), ["2-2 tasked we never use x here"]);
}

#[test]
fn gemini_cli_replaces_messages_and_forgets_what_was_rewound() {
    let call = |name: &str, args: Value, output: &str| {
        json!({"id": name, "name": name, "args": args, "status": "success",
            "result": [{"functionResponse": {"response": {"output": output}}}]})
    };
    let transcript = read(&[
        json!({"sessionId": "g-1", "projectHash": "x", "kind": "main"}),
        json!({"id": "m0", "type": "user", "content": [{"text": "<session_context>\n- **Workspace Directories:**\n  - /w/shop\n</session_context>"}]}),
        json!({"id": "m1", "type": "user", "content": [{"text": "fix it"}]}),
        json!({"id": "m2", "type": "gemini", "content": "Looking."}),
        json!({"$set": {"lastUpdated": "x"}}),
        json!({"id": "m2", "type": "gemini", "content": "Looking.", "toolCalls": [
            call("run_shell_command", json!({"command": "make test"}), "Output: boom\nExit Code: 2\nProcess Group PGID: 7"),
            call("replace", json!({"file_path": "/w/shop/a.c", "old_string": "a", "new_string": "b"}), "ok")]}),
        json!({"id": "m3", "type": "user", "content": [{"text": "always use a job for that"}]}),
        json!({"$rewindTo": "m3"}),
        json!({"id": "m4", "type": "user", "content": "thanks"}),
    ]);
    assert_eq!(transcript.folder.as_deref(), Some("/w/shop"));
    assert_eq!(
        all(&transcript),
        [
            "3-3 asked fix it",
            "6-6 said Looking.",
            "6-6 ran make test = Some(false): boom",
            "6-6 edited a.c \"a\" -> \"b\" true",
            "9-9 asked thanks",
        ]
    );
    let document = json!({"sessionId": "g-2", "projectHash": "x", "messages": [
        {"id": "1", "type": "user", "content": "hello"},
        {"id": "2", "type": "gemini", "content": "", "toolCalls": [call("search_file_content", json!({"pattern": "x"}), "a.c:1:x")]}]});
    let transcript = read_document(None, &document).unwrap();
    assert_eq!(transcript.source, Source::Gemini);
    assert_eq!(all(&transcript), ["1-1 asked hello", "2-2 looked Search x"]);
}

#[test]
fn opencode_is_read_from_an_export_and_from_lines() {
    let tool = |name: &str, input: Value, exit: i64| json!({"type": "tool", "callID": name, "tool": name, "state": {"status": "completed", "input": input, "output": "out", "metadata": {"exit": exit}}});
    let person = json!({"info": {"id": "m1", "role": "user", "sessionID": "o-1"}, "parts": [
        {"type": "text", "text": "fix it"}, {"type": "text", "text": "Called the Read tool", "synthetic": true}]});
    let agent = json!({"info": {"id": "m2", "role": "assistant", "sessionID": "o-1", "path": {"cwd": "/w/shop"}}, "parts": [
        {"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Looking."},
        tool("bash", json!({"command": "npm test"}), 1),
        tool("edit", json!({"filePath": "/w/shop/a.ts", "oldString": "a", "newString": "b"}), 0),
        {"type": "tool", "callID": "x", "tool": "bash", "state": {"status": "error", "input": {"command": "npm publish"},
            "error": "The user rejected permission to use this specific tool call with the following feedback: We never publish by hand."}}]});
    let wanted = [
        "1-1 asked fix it",
        "2-2 said Looking.",
        "2-2 ran npm test = Some(false): out",
        "2-2 edited a.ts \"a\" -> \"b\" true",
        "2-2 ran npm publish = None: ",
        "2-2 asked We never publish by hand.",
    ];
    let export = json!({"info": {"id": "o-1", "directory": "/w/shop"}, "messages": [person, agent]});
    let transcript = read_document(None, &export).unwrap();
    assert_eq!((transcript.source, transcript.session.as_str()), (Source::OpenCode, "o-1"));
    assert_eq!(all(&transcript), wanted);
    assert_eq!(all(&read(&[person, agent])), wanted);
}

#[test]
fn lines_that_cannot_be_read_are_counted_and_skipped() {
    let mut reader = Reader::new(None);
    let line = claude("user", json!("fix it")).to_string();
    for text in ["", "{\"type\":\"assis", &line, "[1]", "null", &line[..40]] {
        assert!(reader.push(text));
    }
    reader.skip();
    let transcript = reader.finish().unwrap();
    assert_eq!((transcript.turns.len(), transcript.unreadable), (1, 5));
    assert!(Reader::new(None).finish().is_none());
}

#[test]
fn a_long_output_keeps_its_beginning_and_its_end() {
    let long = format!("first\n{}\nlast ü", "ä".repeat(200_000));
    let transcript = read(&[
        claude(
            "assistant",
            json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "x"}}]),
        ),
        claude("user", json!([{"type": "tool_result", "tool_use_id": "t", "content": long}])),
    ]);
    let Act::Ran { output, .. } = &transcript.turns[0].act else { panic!("a command") };
    assert!(output.len() < 20_000 && output.starts_with("first") && output.ends_with("last ü"));
}

#[test]
fn the_folder_of_a_session_is_found_by_what_is_written_from_there() {
    let read_file = |path: &str| json!({"id": path, "name": "read_file", "args": {"absolute_path": path}, "status": "success", "result": []});
    let document = json!({"sessionId": "g", "projectHash": "x", "messages": [
        {"id": "1", "type": "user", "content": "see scripts/rotate.sh"},
        {"id": "2", "type": "gemini", "content": "", "toolCalls": [read_file("/home/v/night/scripts/rotate.sh")]}]});
    let transcript = read_document(None, &document).unwrap();
    assert_eq!(transcript.folder.as_deref(), Some("/home/v/night"));
    let looks = |turn: &Turn| matches!(&turn.act, Act::Looked { how: Look::File, subject, .. } if subject == "scripts/rotate.sh");
    assert!(transcript.turns.iter().any(looks), "{:?}", all(&transcript));
}

// COR-28: what a program writes in a person's name is nobody's word.
#[test]
fn what_programs_write_in_a_persons_name_is_not_what_a_person_said() {
    let user = |text: &str, kind: &str| {
        json!({"type": "user", "sessionId": "s-1", "cwd": "/w", "isSidechain": false, "origin": {"kind": kind},
            "message": {"role": "user", "content": text}})
    };
    let transcript = read(&[
        user("fix it", "human"),
        user("The task ended.", "task-notification"),
        user("<ci-monitor-event>the check failed</ci-monitor-event>", "human"),
        user("Implement the following plan:\n\n# Plan\nAlways add a test.", "human"),
        user(
            "## User Input\n\n```text\nadd a button\n```\n\nYou **MUST** consider the user input before proceeding (if not empty).",
            "human",
        ),
        user("You write titles. Return a JSON object with key: title.", "human"),
        user("use <my-button> in <b>bold</b>", "human"),
    ]);
    assert_eq!(
        all(&transcript),
        [
            "1-1 asked fix it",
            "2-2 tasked The task ended.",
            "5-5 asked add a button",
            "7-7 asked use <my-button> in <b>bold</b>",
        ]
    );
    let item = |text: &str| json!({"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}});
    let transcript = read(&[
        item("Always answer in German."),
        item("fix it"),
        json!({"type": "event_msg", "payload": {"type": "user_message", "message": "fix it"}}),
    ]);
    assert_eq!(all(&transcript), ["1-1 tasked Always answer in German.", "2-2 asked fix it"]);
}
