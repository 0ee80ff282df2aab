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
        ! error: nothing was written: nobody is here to ask
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

        Next: start Claude Code anew in this project and approve the server `kenning`; `/mcp` and `/hooks` show both
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
        Claude Code is set up; nothing to write
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
    refuses(b"{\n  \"mcpServers\": {\n    \"a\": {\n", 4, "line 4: the document ends too early");
    refuses(b"{\"mcpServers\": [\n]}", 4, "line 1: an object with a server under each name is wanted here");
    refuses(b"{\"a\": 1,\n\"a\": 2}", 4, "line 2: the key \"a\" is there twice");
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
        ! error: "curser" is no host; did you mean `cursor`? allowed: claude-code, codex, cursor, gemini, vscode, claude-desktop, windsurf, zed, opencode
        [exit 2]
        $ ken setup --check
        ! error: which host? `ken setup` lists them
        [exit 2]
        $ ken setup zed --check --remove
        ! error: the argument '--check' cannot be used with '--remove'
        ! hint: `ken setup --help` lists what it takes
        [exit 2]
        $ KEN_READONLY=1 ken setup zed --yes > /dev/null
        ! error: KEN_READONLY is set; nothing was written
        [exit 5]
        $ ken setup windsurf --check
        missing  server        /scratch/home/.codeium/windsurf/mcp_config.json
        ! note: Windsurf reads no files of a project; this is about the user's
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
    assert_eq!(done["parts"][0]["state"], "missing");
    let check = shell(&world, "ken setup zed --check --json").ok().json();
    assert_eq!((&check["current"], &check["parts"][0]["state"]), (&json!(true), &json!("current")));
    let printed = shell(&world, "ken setup zed --print --json").ok().json();
    assert_eq!(printed["parts"][0]["text"], world.read(".zed/settings.json"));
}
