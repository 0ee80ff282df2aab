//! `ken setup` through the real binary, on files as people have them (DOO-5).

use std::fs;
use std::path::PathBuf;

use expect_test::expect;
use serde_json::json;

use crate::transcript::{play, shell};
use crate::world::World;

/// A Claude Code project with servers, keys and hooks of its own.
const SERVERS: &str = r#"{
  // Servers of this project.
  "mcpServers": {
    "github": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-github"],
      "env": { "GITHUB_TOKEN": "${GITHUB_TOKEN}" }
    }
  }
}
"#;
const SETTINGS: &str = "{\r\n\t\"permissions\": {\"allow\": [\"Bash(cargo test:*)\"]},\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\r\n\t\t]\r\n\t}\r\n}";

fn home(world: &World, path: &str) -> PathBuf {
    world.path().parent().unwrap().join("home").join(path)
}

// `setup` took `y`, and said something else than other prompts where it was refused.
#[cfg(unix)]
#[test]
fn one_word_confirms_setup_as_it_confirms_everything() {
    use crate::pty::ken_on_terminal;
    let world = World::with_store();
    let answer = |typed: &str| {
        let answer = ken_on_terminal(&world, &[], &["setup", "claude-code"], &[("Type `yes`", typed)]);
        (answer.code, world.path().join(".mcp.json").exists(), answer.out)
    };
    for typed in ["y\n", "\n", "yep\n"] {
        let (code, is_written, out) = answer(typed);
        assert_eq!((code, is_written), (4, false), "{typed:?}: {out}");
        assert!(out.contains("not confirmed; nothing was changed"), "{out}");
    }
    let (code, is_written, out) = answer("yes\n");
    assert_eq!((code, is_written), (0, true), "{out}");
}

#[test]
fn a_host_is_connected_in_one_command_and_leaves_no_trace() {
    let world = World::with_store();
    world.write(".mcp.json", SERVERS);
    world.write(".claude/settings.json", SETTINGS);
    world.write("CLAUDE.md", "# House rules\n\nBe brief.");
    world.git("add -A");
    world.git("commit -q -m config");
    expect![[r#"
        $ ken setup claude-code --check
        missing  server        /scratch/repo/.mcp.json
        missing  hooks         /scratch/repo/.claude/settings.json
        missing  instructions  /scratch/repo/CLAUDE.md
        [exit 1]
        $ ken setup claude-code > /dev/null
        ! error: nothing was written: this is not a terminal, so confirmation is impossible
        ! hint: pass --yes to write it: `ken setup claude-code --yes`
        [exit 4]
        $ git status --short
        $ ken setup claude-code --yes | grep -v '^[ +]'
        --- a/.mcp.json
        @@ -5,6 +5,11 @@
        --- a/.claude/settings.json
        @@ -2,7 +2,96 @@
        -			{"hooks": [{"type": "command", "command": "say done"}]}
        \ No newline at end of file
        --- a/CLAUDE.md
        @@ -1,3 +1,9 @@
        -Be brief.
        \ No newline at end of file
        \ No newline at end of file
        changed /scratch/repo/.mcp.json
        changed /scratch/repo/.claude/settings.json
        changed /scratch/repo/CLAUDE.md

        Next: restart Claude Code in this project and approve the server `kenning`; `/mcp` and `/hooks` show both
        $ git diff .mcp.json
        diff --git a/.mcp.json b/.mcp.json
        index 39ecc49..6a736cf 100644
        --- a/.mcp.json
        +++ b/.mcp.json
        @@ -5,6 +5,11 @@
               "command": "npx",
               "args": ["-y", "@modelcontextprotocol/server-github"],
               "env": { "GITHUB_TOKEN": "${GITHUB_TOKEN}" }
        +    },
        +    "kenning": {
        +      "type": "stdio",
        +      "command": "ken",
        +      "args": ["mcp", "--host", "claude-code"]
             }
           }
         }
        $ ken setup claude-code --check
        current  server        /scratch/repo/.mcp.json
        current  hooks         /scratch/repo/.claude/settings.json
        current  instructions  /scratch/repo/CLAUDE.md
        $ ken setup claude-code
        Claude Code is already set up; nothing to write
        $ ken setup claude-code --remove --yes | grep -v '^[ +-]'
        @@ -5,11 +5,6 @@
        @@ -2,96 +2,7 @@
        \ No newline at end of file
        @@ -1,9 +1,3 @@
        \ No newline at end of file
        \ No newline at end of file
        changed /scratch/repo/.mcp.json
        changed /scratch/repo/.claude/settings.json
        changed /scratch/repo/CLAUDE.md
        $ git status --short
    "#]].assert_eq(&play(
        &world,
        "ken setup claude-code --check
ken setup claude-code > /dev/null
git status --short
ken setup claude-code --yes | grep -v '^[ +]'
git diff .mcp.json
ken setup claude-code --check
ken setup claude-code
ken setup claude-code --remove --yes | grep -v '^[ +-]'
git status --short",
    ));
}

#[test]
fn every_host_there_and_back() {
    let world = World::with_store();
    world.write("AGENTS.md", "# Agents\n");
    world.git("add -A");
    world.git("commit -q -m config");
    let hosts = shell(&world, "ken setup --json").ok().json();
    let hosts: Vec<&str> =
        hosts["hosts"].as_array().unwrap().iter().map(|h| h["host"].as_str().unwrap()).collect();
    assert_eq!(hosts.len(), 9);
    for scope in ["", "--global"] {
        for host in &hosts {
            let answer = shell(&world, &format!("ken setup {host} {scope} --yes --json")).ok().json();
            assert_eq!(answer["written"], true, "{host}");
            shell(&world, &format!("ken setup {host} {scope} --check")).ok();
            if scope.is_empty() {
                // Hosts without project files are looked at below.
                assert!(answer["scope"] == "project" || ["claude-desktop", "windsurf"].contains(host));
            }
        }
        for host in &hosts {
            shell(&world, &format!("ken setup {host} {scope} --remove --yes")).ok();
            shell(&world, &format!("ken setup {host} {scope} --check")).fails_with(1);
        }
        assert_eq!(world.git("status --short"), "");
        let left: Vec<_> =
            fs::read_dir(home(&world, "")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name == "data"), "{left:?}");
    }
}

#[test]
fn nothing_is_touched_that_cannot_be_understood() {
    let world = World::repository();
    world.write("CLAUDE.md", "# Mine\n");
    let refuses = |text: &[u8], code: i32, line: &str| {
        fs::write(world.path().join(".mcp.json"), text).unwrap();
        for words in
            ["setup claude-code --yes", "setup claude-code --remove --yes", "setup claude-code --check"]
        {
            let answer = world.ken(words).fails_with(code);
            assert!(answer.err.contains(line), "{}", answer.err);
        }
        assert_eq!(fs::read(world.path().join(".mcp.json")).unwrap(), text);
        assert_eq!(world.read("CLAUDE.md"), "# Mine\n");
        assert!(!world.path().join(".claude").exists());
    };
    refuses(b"{\n  \"mcpServers\": {\n    \"a\": {\n", 4, "line 4: unexpected end of the document");
    refuses(b"{\"mcpServers\": [\n]}", 4, "line 1: expected an object of servers by name");
    refuses(b"{\"a\": 1,\n\"a\": 2}", 4, "line 2: duplicate key \"a\"");
    refuses(b"{\"a\": \"\xfe\"}", 4, "line 1: this is not UTF-8");
    // It can still be printed, for whoever puts it there by hand.
    assert!(world.ken("setup claude-code --print").ok().out.contains("\"mcpServers\""));
}

#[cfg(unix)]
#[test]
fn links_and_marks_of_files_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let world = World::repository();
    let at = |path: &str| world.path().join(path);
    world.write("AGENTS.md", "# Mine\n");
    symlink("AGENTS.md", at("CLAUDE.md")).unwrap();
    world.write(".mcp.json", "{}");
    fs::set_permissions(at(".mcp.json"), fs::Permissions::from_mode(0o600)).unwrap();
    world.ken("setup claude-code --yes").ok();
    assert!(at("CLAUDE.md").is_symlink());
    assert_eq!(fs::metadata(at(".mcp.json")).unwrap().permissions().mode() & 0o777, 0o600);
    world.ken("setup claude-code --remove --yes").ok();
    assert_eq!((world.read("AGENTS.md").as_str(), world.read(".mcp.json").as_str()), ("# Mine\n", "{}"));
    // A file that is not to be written is not, nor is any other.
    fs::set_permissions(at("AGENTS.md"), fs::Permissions::from_mode(0o444)).unwrap();
    let answer = world.ken("setup claude-code --yes").fails_with(5);
    assert!(answer.err.contains("is read-only"), "{}", answer.err);
    assert_eq!(world.read(".mcp.json"), "{}");
    // A link out of the repository is not followed.
    fs::remove_file(at(".mcp.json")).unwrap();
    fs::write(home(&world, ".bashrc"), "mine\n").unwrap();
    symlink(home(&world, ".bashrc"), at(".mcp.json")).unwrap();
    assert!(world.ken("setup claude-code --yes").fails_with(4).err.contains("outside"));
    assert_eq!(fs::read_to_string(home(&world, ".bashrc")).unwrap(), "mine\n");
}

#[test]
fn words_that_do_not_fit() {
    let world = World::repository();
    expect![[r#"
        $ ken setup curser
        ! error: unknown host "curser"; did you mean `cursor`? allowed: claude-code, codex, cursor, gemini, vscode, claude-desktop, windsurf, zed, opencode
        [exit 2]
        $ ken setup --check
        ! error: no host was given; `ken setup --list` lists them
        [exit 2]
        $ ken setup zed --check --remove
        ! error: the argument '--check' cannot be used with '--remove'
        ! hint: `ken setup --help` lists its options
        [exit 2]
        $ KEN_READONLY=1 ken setup zed --yes > /dev/null
        ! error: KEN_READONLY is set; nothing was written
        [exit 5]
        $ ken setup windsurf --check
        missing  server        /scratch/home/.codeium/windsurf/mcp_config.json
        ! note: Windsurf has no project files; this applies to the user's files
        [exit 1]
        $ ken setup
        claude-code	missing	missing	Claude Code
        codex	missing	missing	Codex
        cursor	missing	missing	Cursor
        gemini	missing	missing	Gemini CLI
        vscode	missing	missing	VS Code
        claude-desktop	-	missing	Claude Desktop
        windsurf	-	missing	Windsurf
        zed	missing	missing	Zed
        opencode	missing	missing	OpenCode
    "#]].assert_eq(&play(
        &world,
        "ken setup curser
ken setup --check
ken setup zed --check --remove
KEN_READONLY=1 ken setup zed --yes > /dev/null
ken setup windsurf --check
ken setup",
    ));
}

/// Keys of other servers that stand around are not shown, and are still there.
#[test]
fn a_diff_shows_no_secrets() {
    let world = World::repository();
    let key = format!("ghp_{}", "Zk3v9QmT7xLw2RbY8sNc4HdF6jPa1GeU5oXi");
    world.write(
        ".cursor/mcp.json",
        &format!(
            "{{\n  \"mcpServers\": {{\n    \"a\": {{ \"env\": {{ \"TOKEN\": \"{key}\" }} }}\n  }}\n}}\n"
        ),
    );
    for words in ["setup cursor", "setup cursor --json", "setup cursor --yes"] {
        let answer = world.ken(words);
        assert!(!answer.out.contains(&key) && !answer.err.contains(&key), "{}", answer.out);
    }
    assert!(world.read(".cursor/mcp.json").contains(&key));
}

#[test]
fn the_answer_for_programs() {
    let world = World::repository();
    let waits = shell(&world, "ken setup zed --json").fails_with(4).json();
    assert_eq!(waits["written"], false);
    assert_eq!(waits["hint"], "pass --yes to write it: `ken setup zed --yes`");
    let done = shell(&world, "ken setup zed --yes --json").ok().json();
    let words: Vec<_> = done["files"].as_array().unwrap().iter().map(|file| file["change"].clone()).collect();
    assert_eq!(json!(words), json!(["created", "created"]));
    assert_eq!(done["parts"][0]["state"], "current");
    let check = shell(&world, "ken setup zed --check --json").ok().json();
    assert_eq!((&check["current"], &check["parts"][0]["state"]), (&json!(true), &json!("current")));
    let printed = shell(&world, "ken setup zed --print --json").ok().json();
    assert_eq!(printed["parts"][0]["text"], world.read(".zed/settings.json"));
    // What is told is how it stands now.
    let waits = shell(&world, "ken setup zed --remove --json").fails_with(4).json();
    assert_eq!((&waits["written"], &waits["parts"][0]["state"]), (&json!(false), &json!("current")));
    let gone = shell(&world, "ken setup zed --remove --yes --json").ok().json();
    assert_eq!((&gone["written"], &gone["parts"][0]["state"]), (&json!(true), &json!("missing")));
    let global = shell(&world, "ken setup claude-code --global --yes --json").ok().json();
    assert!(!global["next"].as_str().unwrap().contains("this project"), "{}", global["next"]);
}

/// A file of Claude Code with our server in it, as somebody wrote it.
fn entry(program: &str, args: serde_json::Value, env: serde_json::Value) -> String {
    let entry = json!({"type": "stdio", "command": program, "args": args, "env": env});
    serde_json::to_string_pretty(&json!({"mcpServers": {"kenning": entry}})).unwrap()
}

/// DOO-5: what somebody else calls by our name stays theirs, whatever is asked for.
#[test]
fn a_server_of_somebody_else_stays() {
    let world = World::with_store();
    let theirs = entry("node", json!(["mcp"]), json!({}));
    world.write(".mcp.json", &theirs);
    expect![[r#"
        $ ken setup claude-code --check | head -1
        taken    server        /scratch/repo/.mcp.json: another server named kenning; rename it first
        $ ken setup claude-code --yes
        ! error: /scratch/repo/.mcp.json, line 3: another server named kenning; rename it first; nothing was written
        ! hint: fix it, or edit it by hand with the output of `--print`
        [exit 4]
        $ ken setup claude-code --remove --yes
        the files of Claude Code contain nothing written by setup
        ! note: /scratch/repo/.mcp.json: another server named kenning exists and is kept
        $ ken doctor --fix | grep claude-code -A 1
        warn  claude-code server in /scratch/repo/.mcp.json is taken: another server named kenning; rename it first
                          it was not started or changed
        $ ken setup | head -1
        claude-code	taken	missing	Claude Code
    "#]]
    .assert_eq(&play(
        &world,
        "ken setup claude-code --check | head -1
ken setup claude-code --yes
ken setup claude-code --remove --yes
ken doctor --fix | grep claude-code -A 1
ken setup | head -1",
    ));
    assert_eq!(world.read(".mcp.json"), theirs);
    assert!(!world.path().join("CLAUDE.md").exists());
}

/// A stranger's file may not say who acts or what is loaded; setting up takes that out and says so.
#[test]
fn variables_of_a_stranger_go() {
    let world = World::with_store();
    let env = json!({"KEN_ACTOR": "human:Ada", "LD_PRELOAD": "/x.so", "MINE": "1"});
    world.write(".mcp.json", &entry("ken", json!(["mcp", "--host", "claude-code"]), env));
    let check = shell(&world, "ken setup claude-code --check").fails_with(1);
    assert!(check.out.contains(".mcp.json: it sets KEN_ACTOR, LD_PRELOAD\n"), "{}", check.out);
    let parts = shell(&world, "ken setup claude-code --check --json").fails_with(1).json();
    assert_eq!(parts["parts"][0]["why"], "it sets KEN_ACTOR, LD_PRELOAD");
    let done = shell(&world, "ken setup claude-code").fails_with(4);
    assert!(done.err.contains("KEN_ACTOR, LD_PRELOAD is removed from the entry"), "{}", done.err);
    let mended = shell(&world, "ken doctor --fix").ok();
    assert!(mended.out.contains("KEN_ACTOR, LD_PRELOAD is removed from the entry"), "{}", mended.out);
    let entry: serde_json::Value = serde_json::from_str(&world.read(".mcp.json")).unwrap();
    assert_eq!(entry["mcpServers"]["kenning"]["env"], json!({"MINE": "1"}));
    shell(&world, "ken setup claude-code --check").ok();
}

/// `--absolute` is asked for once, and its reason is told only where it is one.
#[test]
fn a_path_that_was_asked_for_lasts() {
    let world = World::with_store();
    let asked = shell(&world, "ken setup claude-code --absolute --yes").ok();
    assert!(
        asked.err.contains("the absolute path of `ken`") && !asked.err.contains("in PATH"),
        "{}",
        asked.err
    );
    shell(&world, "ken setup claude-code --check").ok();
    let again = shell(&world, "ken setup claude-code --yes").ok();
    assert!(again.out.contains("nothing to write") && again.err.is_empty(), "{}{}", again.out, again.err);
    let doctor = shell(&world, "ken doctor --host claude-code").ok();
    assert!(!doctor.out.contains("stale"), "{}", doctor.out);
    // Without `ken` in PATH the path is written by itself.
    let other = World::with_store();
    let told = other.ken("setup claude-code --yes").ok();
    assert!(told.err.contains("because it is not the `ken` in PATH"), "{}", told.err);
}

/// DOO: `doctor` starts `ken mcp` and nothing else that a project's file may name, and says why not.
#[cfg(unix)]
#[test]
fn doctor_starts_only_what_is_ours() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::with_store();
    world.write("tools/ken", "#!/bin/sh\ntouch started\n");
    fs::set_permissions(world.path().join("tools/ken"), fs::Permissions::from_mode(0o755)).unwrap();
    let ours = json!(["mcp", "--host", "claude-code"]);
    let none = json!({});
    for (program, args, env, code, told) in [
        ("ken", ours.clone(), none.clone(), 0, "discover: "),
        (
            "ken",
            json!(["mcp", "--host=claude-code", "--profile", "full"]),
            json!({"KEN_NO_MODEL": "1"}),
            0,
            "discover: ",
        ),
        (
            "tools/ken",
            ours.clone(),
            none.clone(),
            0,
            "which is neither this `ken` nor the one in PATH; it was not started",
        ),
        ("/nowhere/ken", ours.clone(), none.clone(), 1, "starts `/nowhere/ken`, which does not exist"),
        (
            "ken",
            json!(["mcp", "--store", "/x"]),
            none.clone(),
            0,
            "with `--store`, which `ken setup` does not write; it was not started",
        ),
        (
            "ken",
            json!(["mcp", "--host", "--global"]),
            none.clone(),
            0,
            "with `--host`, which `ken setup` does not write; it was not started",
        ),
        (
            "ken",
            ours.clone(),
            json!({"LD_PRELOAD": "/x"}),
            0,
            "and sets LD_PRELOAD, which can change what it does; it was not started",
        ),
        (
            "ken",
            ours.clone(),
            json!({"KEN_ACTOR": "human:Ada"}),
            0,
            "and sets KEN_ACTOR, which can change what it does; it was not started",
        ),
        ("ken", json!(["list"]), none.clone(), 0, "is taken: another server named kenning"),
    ] {
        world.write(".mcp.json", &entry(program, args, env));
        let answer = shell(&world, "ken doctor").fails_with(code);
        assert!(answer.out.contains(told), "{program}: {}", answer.out);
        assert_eq!(
            answer.out.contains("; it was not started"),
            told.contains("not started"),
            "{}",
            answer.out
        );
        assert!(!world.path().join("started").exists(), "{told}");
    }
    // Whoever names the host has it started, without what would load other code or say who acts.
    world.write(
        ".mcp.json",
        &entry("ken", ours.clone(), json!({"KEN_ACTOR": "human:Ada", "LD_PRELOAD": "/x"})),
    );
    let asked = shell(&world, "ken doctor --host claude-code").ok();
    assert!(asked.out.contains("sets KEN_ACTOR, LD_PRELOAD; the test ran without it"), "{}", asked.out);
    assert!(asked.out.contains("discover: "), "{}", asked.out);
    world.write(".mcp.json", &entry("tools/ken", ours.clone(), none.clone()));
    shell(&world, "ken doctor --host claude-code").fails_with(1);
    assert!(world.path().join("started").exists());
    world.write(".mcp.json", &entry("/nowhere/ken", ours, none));
    let asked = shell(&world, "ken doctor --host claude-code").fails_with(1);
    assert!(asked.out.contains("`/nowhere/ken` does not exist"), "{}", asked.out);
    // A file that cannot be read keeps the host from working. Nobody wanted to write it.
    world.write(".mcp.json", "{\n");
    let answer = shell(&world, "ken doctor").fails_with(1);
    assert!(answer.out.contains("FAIL  claude-code"), "{}", answer.out);
    assert!(answer.out.contains(".mcp.json, line 2: unexpected end of the document\n"), "{}", answer.out);
    assert!(!answer.out.contains("nothing was written"), "{}", answer.out);
}
