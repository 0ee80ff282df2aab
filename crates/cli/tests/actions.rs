//! Norms at the moment of action: what an agent is about to do is held against the norms in force, in the hook before its tools.

use serde_json::{Value, json};

use super::team::{AGENT, Team};
use super::world::Answer;

const PUSH: &str = r#"{"kind":"mechanical","check":"actions","rules":["command: git push --force main|master"],"instead":"open a pull request"}"#;
const GENERATED: &str =
    r#"{"kind":"mechanical","check":"actions","rules":["edit: src/generated/**","ask dependency: any"]}"#;

/// What a host says before a tool is used, and what it is answered.
fn before(team: &Team, host: &str, tool: &str, input: Value) -> Answer {
    let (event, name) = match host {
        "cursor" => ("touch", "preToolUse"),
        "gemini" => ("act", "BeforeTool"),
        _ => ("touch", "PreToolUse"),
    };
    let said = json!({
        "cwd": team.world.path(), "session_id": "s1", "conversation_id": "s1",
        "hook_event_name": name, "tool_name": tool, "tool_input": input,
    });
    let answer = team.world.ken_stdin(&["hook", event, "--host", host, "--debug"], &said.to_string());
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer
}

fn bash(team: &Team, line: &str) -> Answer {
    before(team, "claude-code", "Bash", json!({"command": line}))
}

/// What Claude Code is told to do about a tool; empty where it goes on.
fn decision(answer: &Answer) -> String {
    if answer.out.is_empty() {
        return String::new();
    }
    answer.json()["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_norm_in_force_stops_the_command_and_says_what_to_do_instead() {
    let team = Team::new();
    team.norm("norm.push", "Never force-push to main.", &["--enforcement", PUSH]);
    for line in [
        "git push --force origin main",
        "cd sub && git -C .. push -f origin main",
        "bash -c 'git push origin +main'",
    ] {
        let answer = bash(&team, line);
        assert_eq!(decision(&answer), "deny", "{line}: {}", answer.err);
        let why =
            answer.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned();
        for part in ["Never force-push to main.", "Instead: open a pull request", "ken gate override "] {
            assert!(why.contains(part), "{part}: {why}");
        }
    }
    for line in [
        "git push origin feature",
        "git commit -m 'never git push --force origin main'",
        "echo git push --force origin main",
    ] {
        assert_eq!(decision(&bash(&team, line)), "", "{line}");
    }
}

/// What the host says after a command ended.
fn ended(team: &Team, line: &str, succeeded: bool) {
    let (name, response) = match succeeded {
        true => ("PostToolUse", json!({"stdout": "", "stderr": "", "interrupted": false})),
        false => ("PostToolUseFailure", json!({"stdout": "", "stderr": "error", "interrupted": false})),
    };
    let said = json!({
        "cwd": team.world.path(), "session_id": "s1", "hook_event_name": name, "tool_name": "Bash",
        "tool_input": {"command": line}, "tool_response": response, "error": "exit code 1",
    });
    team.world.ken_stdin(&["hook", "ran", "--host", "claude-code"], &said.to_string()).ok();
}

#[test]
fn a_commit_is_asked_about_until_its_command_succeeded_after_the_last_edit() {
    let team = Team::new();
    let enforcement = r#"{"kind":"mechanical","check":"before_commit","run":"make lint","files":["src/**"]}"#;
    team.norm("norm.lint", "Run `make lint` before you commit.", &["--enforcement", enforcement]);
    let edit = |path: &str| {
        before(&team, "claude-code", "Edit", json!({"file_path": path, "old_string": "a", "new_string": "b"}))
    };
    let commit = |line: &str| decision(&bash(&team, line));
    let asked = "git commit -am 'Do things'";
    assert_eq!(commit(asked), "", "nothing was edited");
    edit("README.md");
    assert_eq!(commit(asked), "", "no file of the norm was edited");
    edit("src/net.rs");
    let answer = bash(&team, asked);
    assert_eq!(decision(&answer), "ask");
    let why = answer.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned();
    for part in ["Run `make lint` before you commit.", "`make lint` has not succeeded"] {
        assert!(why.contains(part), "{part}: {why}");
    }
    assert_eq!(commit("git status"), "");
    assert_eq!(commit("make lint && git commit -am 'Do things'"), "", "the line runs it first");
    ended(&team, "make lint", false);
    assert_eq!(commit(asked), "ask", "it failed");
    ended(&team, "make test", true);
    assert_eq!(commit(asked), "ask", "another command succeeded");
    ended(&team, "cd . && make lint", true);
    assert_eq!(commit(asked), "");
    edit("src/net.rs");
    assert_eq!(commit(asked), "ask", "a file was edited since");
}

// A norm about messages of commits was silent until the gate judged the commit.
#[test]
fn a_commit_whose_message_fails_a_norm_is_not_made() {
    let team = Team::new();
    team.checked("norm.commits", "Subjects name their type.", r#"{"rule":"conventional_commits"}"#);
    team.world.write("notes.txt", "did things\n\nfix: not in the subject\n");
    team.world.write("good.txt", "fix: do things\n");
    let outside = team.world.path().join("../outside.txt");
    std::fs::write(&outside, "did things\nhidden words\n").unwrap();
    for line in [
        "git commit -m 'did things'",
        "git add -A && git commit -am 'did things'",
        "git commit --amend -m 'did things' -m \"$(date)\"",
        "git commit -F notes.txt",
        "echo did things > new.txt && git commit -F new.txt",
        "git commit -F - <<'EOF'\ndid things\nEOF",
        "git commit -m ''",
        "git commit -F ../outside.txt",
        "git commit -F - < notes.txt",
        "cat ../outside.txt | git commit -F -",
        "git commit -F /dev/stdin < notes.txt",
    ] {
        let answer = bash(&team, line);
        assert_eq!(decision(&answer), "deny", "{line}: {}", answer.err);
        for part in ["Subjects name their type.", "it has no type", "ken gate override "] {
            assert!(answer.out.contains(part), "{part}: {}", answer.out);
        }
        assert!(!answer.out.contains("hidden words"), "{}", answer.out);
    }
    for line in [
        "git commit -m 'fix: do things'",
        "git commit -F good.txt",
        "cat good.txt | git commit -F -",
        "git commit -C HEAD",
        "git log --grep 'did things'",
    ] {
        assert_eq!(bash(&team, line).out, "", "{line}");
    }
    // What cannot be known goes on, and the agent is told what the norm asks.
    for line in ["git commit -F gone.txt", "git commit", "./notes.sh | git commit -F -"] {
        let answer = bash(&team, line);
        assert_eq!(decision(&answer), "", "{line}");
        assert!(
            answer.out.contains("could not be read before") && answer.out.contains("Subjects name"),
            "{line}: {}",
            answer.out
        );
    }
    team.ken(&["gate", "override", "norm.commits", "--reason", "a release by hand"]).ok();
    assert_eq!(decision(&bash(&team, "git commit -m 'did things'")), "", "a person overrode it once");
    assert_eq!(decision(&bash(&team, "git commit -m 'did things'")), "deny");
}

#[test]
fn every_host_is_told_in_its_own_words() {
    let team = Team::new();
    team.norm("norm.push", "Never force-push to main.", &["--enforcement", PUSH]);
    team.norm("norm.generated", "Generated files are not edited.", &["--enforcement", GENERATED]);
    let push = || json!({"command": "git push --force origin main"});
    let codex = before(&team, "codex", "Bash", push());
    assert_eq!(codex.json()["hookSpecificOutput"]["permissionDecision"], "deny");
    let cursor = before(&team, "cursor", "Shell", push());
    assert_eq!(cursor.json()["permission"], "deny");
    assert!(cursor.json()["agent_message"].as_str().unwrap().contains("ken gate override"));
    let gemini = before(&team, "gemini", "run_shell_command", push());
    assert_eq!(gemini.json()["decision"], "deny");
    let patch = "*** Begin Patch\n*** Update File: src/generated/api.rs\n@@\n-a\n+b\n*** End Patch";
    let codex = before(&team, "codex", "apply_patch", json!({"command": patch}));
    assert_eq!(codex.json()["hookSpecificOutput"]["permissionDecision"], "deny");
    let edit = json!({"file_path": team.world.path().join("src/generated/api.rs"), "old_string": "a", "new_string": "b"});
    assert_eq!(decision(&before(&team, "claude-code", "Edit", edit.clone())), "deny");
    assert_eq!(before(&team, "gemini", "replace", edit).json()["decision"], "deny");
    // Where the host can ask, it asks; where it cannot, the tool waits for a person.
    let add = || json!({"command": "cargo add rand"});
    assert_eq!(decision(&before(&team, "claude-code", "Bash", add())), "ask");
    assert_eq!(
        before(&team, "codex", "Bash", add()).json()["hookSpecificOutput"]["permissionDecision"],
        "deny"
    );
    // Reading is no edit.
    let read = json!({"file_path": team.world.path().join("src/generated/api.rs")});
    assert_eq!(decision(&before(&team, "claude-code", "Read", read)), "");
}

// A link to a protected file was a file like any other.
#[cfg(unix)]
#[test]
fn a_write_through_a_link_to_a_protected_file_is_stopped() {
    use std::os::unix::fs::symlink;
    let team = Team::new();
    team.checked("norm.vendor", "Leave vendored code alone.", r#"{"check":"paths","forbid":["vendor/**"]}"#);
    team.world.write("vendor/a.js", "a\n");
    let at = |path: &str| team.world.path().join(path);
    symlink("vendor/a.js", at("notes.js")).unwrap();
    symlink("vendor/new.js", at("later.js")).unwrap();
    symlink("vendor", at("other")).unwrap();
    let outside = at("../door");
    symlink(at("vendor"), &outside).unwrap();
    for path in
        ["notes.js", "later.js", "other/b.js", "other/../other/c.js", outside.join("d.js").to_str().unwrap()]
    {
        let write = json!({"file_path": path, "content": "x"});
        assert_eq!(decision(&before(&team, "claude-code", "Write", write)), "deny", "{path}");
        let line = format!("echo x > {path}");
        assert_eq!(decision(&bash(&team, &line)), "deny", "{line}");
    }
    assert_eq!(decision(&bash(&team, "ln -s vendor v && echo x > v/e.js")), "deny");
    assert_eq!(decision(&bash(&team, "rm notes.js && echo x > free.js")), "");
}

#[test]
fn what_nobody_accepted_blocks_nothing() {
    let team = Team::new();
    team.candidate("norm.push", "Never force-push to main.", &["--enforcement", PUSH]);
    assert_eq!(decision(&bash(&team, "git push --force origin main")), "");
    // A norm that forbids paths binds at the moment of action, too.
    team.checked("norm.vendor", "Leave vendored code alone.", r#"{"check":"paths","forbid":["vendor/**"]}"#);
    let write = json!({"file_path": "vendor/a.js", "content": "x"});
    assert_eq!(decision(&before(&team, "claude-code", "Write", write)), "deny");
}

#[test]
fn a_person_lifts_a_norm_once_and_that_is_recorded() {
    let team = Team::new();
    team.norm("norm.push", "Never force-push to main.", &["--enforcement", PUSH]);
    let belief = || team.ken(&["show", "norm.push", "--json"]).ok().json()["belief"].clone();
    let (line, before) = ("git push --force origin main", belief());
    let refused = team.ken_by(AGENT, &["gate", "override", "norm.push"]).fails_with(4);
    assert!(refused.err.contains("requires a person"), "{}", refused.err);
    assert_eq!(decision(&bash(&team, line)), "deny");
    let lifted = team.ken(&["gate", "override", "norm.push", "--reason", "the history holds a key"]).ok();
    assert!(lifted.out.contains("is overridden for the next action"), "{}", lifted.out);
    let answer = bash(&team, line);
    assert_eq!(decision(&answer), "", "{}", answer.err);
    assert_eq!(decision(&bash(&team, line)), "deny", "it is lifted once");
    let notes = team.ken(&["list", "--memory", "episodic", "--tag", "override", "--json"]).ok().json();
    assert!(notes["items"][0]["title"].as_str().unwrap().contains("the history holds a key"), "{notes}");
    assert_eq!(belief(), before, "an exception is nothing against the rule");
    team.ken(&["gate", "override", "norm.push", "--wrong", "--reason", "a tag is no branch"]).ok();
    assert_ne!(belief(), before, "a rule that fires wrongly is believed less");
    let other = team.lesson("Retry with jitter.");
    let refused = team.ken(&["gate", "override", &other]).fails_with(4);
    assert!(refused.err.contains("is not a norm in force that blocks actions"), "{}", refused.err);
}

#[test]
fn a_rule_that_cannot_be_read_is_refused_when_the_norm_is_stated() {
    let team = Team::new();
    let bad = r#"{"check":"actions","rules":["comand: git push"]}"#;
    let args = ["add", "commit_norm", "Never push.", "--evidence", "doc:docs/guide.md", "--enforcement", bad];
    let refused = team.ken_by(AGENT, &args).fails_with(2);
    assert!(refused.err.contains("enforcement.rules"), "{}", refused.err);
    // A word that enforces nothing was kept, and nothing said so.
    let args =
        ["add", "commit_norm", "Never push.", "--evidence", "doc:docs/guide.md", "--enforcement", "strict"];
    let refused = team.ken(&args).fails_with(2);
    assert!(refused.err.contains("allowed: advisory, attested, or JSON"), "{}", refused.err);
    // Nothing at all was kept too, and so was a word that came with the lines of a file.
    for nothing in ["", "  "] {
        let args = [
            "add",
            "commit_norm",
            "Never push.",
            "--evidence",
            "doc:docs/guide.md",
            "--enforcement",
            nothing,
        ];
        let refused = team.ken(&args).fails_with(2);
        assert!(refused.err.contains("allowed: advisory, attested, or JSON"), "{}", refused.err);
    }
    let line = |rule: &str| {
        let said = json!({"type": "commit_norm", "rule": rule, "enforcement": "blocking"});
        format!("{said}\n")
    };
    let list = format!("[{}]", line("Rule three."));
    for lines in [line("Rule one."), line("Rule one.") + &line("Rule two."), list] {
        let refused =
            team.world.ken_stdin(&["add", "--file", "-", "--evidence", "doc:docs/guide.md"], &lines);
        let refused = refused.fails_with(2);
        assert!(refused.err.contains("allowed: advisory, attested, or JSON"), "{}", refused.err);
    }
}

#[test]
fn a_store_that_has_no_time_lifts_no_norm() {
    let mut team = Team::new();
    team.norm("norm.push", "Never force-push to main.", &["--enforcement", PUSH]);
    let line = "git push --force origin main";
    assert_eq!(decision(&bash(&team, line)), "deny");
    team.world.env.push(("KEN_HOOK_TIMEOUT_MS".to_owned(), "1".to_owned()));
    // Late again and again, until the store is left alone: the rules that were read last still count.
    for time in 0..6 {
        let answer = bash(&team, line);
        assert_eq!(decision(&answer), "deny", "{time}: {}", answer.err);
    }
    assert_eq!(decision(&bash(&team, "git push origin feature")), "");
    // An agent does not change how much time there is.
    let refused = team.ken_by(AGENT, &["config", "hooks.timeout_ms", "1"]).fails_with(4);
    assert!(refused.err.contains("requires a person"), "{}", refused.err);
}

#[test]
fn a_list_of_words_is_read_as_a_shell_reads_it() {
    let team = Team::new();
    team.norm("norm.push", "Never force-push to main.", &["--enforcement", PUSH]);
    for input in [
        json!({"command": ["bash", "-lc", "git push -f origin main"]}),
        json!({"command": ["git", "push", "-f", "origin", "main"]}),
        json!({"cmd": "git push -f origin main"}),
    ] {
        let answer = before(&team, "codex", "shell", input.clone());
        assert_eq!(decision(&answer), "deny", "{input}: {}", answer.err);
    }
    let said = json!({"command": ["git", "commit", "-m", "never git push -f origin main"]});
    assert_eq!(decision(&before(&team, "codex", "shell", said)), "");
}

// An agent that once did `cd /tmp` was free of every norm.
#[test]
fn the_norms_of_the_project_hold_wherever_the_agent_works() {
    let mut team = Team::new();
    team.norm("norm.push", "Never force-push to main.", &["--enforcement", PUSH]);
    team.norm("norm.generated", "Generated files are not edited.", &["--enforcement", GENERATED]);
    team.world.env.push(("KEN_HOOK_TIMEOUT_MS".to_owned(), "20000".to_owned()));
    let (outside, other) = (tempfile::tempdir().unwrap(), Team::new());
    let project = team.world.path().canonicalize().unwrap();
    let shown = project.display().to_string();
    let file = project.join("src/generated/api.rs");
    let deeds = [
        ("Bash", json!({"command": format!("git -C {shown} push -f origin main")}), "deny"),
        ("Bash", json!({"command": format!("cd {shown} && git push -f")}), "deny"),
        ("Bash", json!({"command": format!("echo y > {shown}/src/generated/api.rs")}), "deny"),
        ("Write", json!({"file_path": file, "content": "y"}), "deny"),
        ("Bash", json!({"command": format!("cd {shown} && cargo add rand")}), "ask"),
        ("Bash", json!({"command": "echo y > src/generated/api.rs"}), ""),
        ("Write", json!({"file_path": "src/generated/api.rs", "content": "y"}), ""),
    ];
    let said = |cwd: &std::path::Path, tool: &str, input: &Value| {
        json!({
            "cwd": cwd, "session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
        })
    };
    let hook = |team: &Team, said: &Value| {
        team.world.ken_stdin(&["hook", "touch", "--host", "claude-code", "--debug"], &said.to_string()).ok()
    };
    let (tool, push, _) = &deeds[0];
    let answer = hook(&team, &said(outside.path(), tool, push));
    assert!(answer.out.is_empty() && answer.err.contains("there is no store here"), "{}", answer.err);
    team.world.env.push(("CLAUDE_PROJECT_DIR".to_owned(), shown.clone()));
    // In a folder without a store, and in one of another project.
    for cwd in [outside.path(), &other.world.path()] {
        for (tool, input, wanted) in &deeds {
            let answer = hook(&team, &said(cwd, tool, input));
            assert_eq!(decision(&answer), *wanted, "{} {input}: {}", cwd.display(), answer.err);
        }
    }
    // A store that has no time lifts no norm there either.
    team.world.env.push(("KEN_HOOK_TIMEOUT_MS".to_owned(), "1".to_owned()));
    let answer = hook(&team, &said(&other.world.path(), tool, push));
    assert_eq!(decision(&answer), "deny", "{}", answer.err);
    team.world.env.truncate(team.world.env.len() - 2);
    // Cursor names its folders in what it says.
    let mut said = said(outside.path(), "Shell", push);
    said["workspace_roots"] = json!([other.world.path(), project]);
    said["hook_event_name"] = json!("preToolUse");
    let answer = team.world.ken_stdin(&["hook", "touch", "--host", "cursor"], &said.to_string()).ok();
    assert_eq!(answer.json()["permission"], "deny");
}
