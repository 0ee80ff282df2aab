//! Setting hosts up and taking it away again, on files as people have them (DOO-5).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use expect_test::{expect, expect_file};
use ken_hosts::setup::{
    Action, Change, Configured, HOSTS, Host, Part, Places, Problem, SERVER, Scope, State, System, configured,
    hook_commands, hook_program, plan, sample, state,
};

/// A project and a home.
struct World {
    folder: tempfile::TempDir,
    places: Places,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let (project, home) = (folder.path().join("project"), folder.path().join("home"));
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(&home).unwrap();
        let mut places = Places::new(project, home, "ken".to_owned(), "/opt/ken".to_owned(), |_| None);
        places.system = System::Linux;
        World { folder, places }
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).unwrap()
    }

    fn act(&self, host: &str, scope: Scope, action: Action) -> Result<Vec<Change>, Problem> {
        let host = named(host);
        let plan = plan(host, host.scope(scope), action, &self.places)?;
        plan.write()?;
        Ok(plan.changes)
    }

    fn install(&self, host: &str) -> Vec<Change> {
        self.act(host, Scope::Project, Action::Install).unwrap()
    }

    fn remove(&self, host: &str) -> Vec<Change> {
        self.act(host, Scope::Project, Action::Remove).unwrap()
    }

    fn states(&self, host: &str) -> Vec<(Part, State)> {
        let standings = state(named(host), named(host).scope(Scope::Project), &self.places).unwrap();
        standings.into_iter().map(|standing| (standing.part, standing.state)).collect()
    }

    /// Every file with its bytes, and every folder.
    fn all(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        fn walk(folder: &Path, all: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    if !path.is_symlink() {
                        walk(&path, all);
                    }
                    all.insert(path, None);
                } else {
                    let bytes = fs::read(&path).ok();
                    all.insert(path, bytes);
                }
            }
        }
        let mut all = BTreeMap::new();
        walk(self.folder.path(), &mut all);
        all
    }

    /// What is said about a file that is not touched, without the folder of this test.
    fn refuses(&self, host: &str) -> String {
        let before = self.all();
        let problem = self.act(host, Scope::Project, Action::Install).unwrap_err().to_string();
        assert_eq!(self.all(), before, "{problem}");
        let folder = fs::canonicalize(self.folder.path()).unwrap();
        problem
            .replace(&format!("{}/", folder.display()), "")
            .replace(&format!("{}/", self.folder.path().display()), "")
    }
}

fn named(host: &str) -> &'static Host {
    Host::named(host).unwrap()
}

/// Every host has a file for its servers somewhere, and its name is its own.
#[test]
fn the_list_of_hosts() {
    let world = World::new();
    let mut lines = String::new();
    for host in HOSTS {
        for scope in [Scope::Project, Scope::Global] {
            for part in Part::ALL {
                if let Some((file, _)) = sample(host, part, scope, &world.places) {
                    let file = file.strip_prefix(world.folder.path()).unwrap().display().to_string();
                    lines.push_str(&format!("{} {} {file}\n", host.name, part.word()));
                }
            }
        }
    }
    expect![[r#"
        claude-code server project/.mcp.json
        claude-code hooks project/.claude/settings.json
        claude-code instructions project/CLAUDE.md
        claude-code server home/.claude.json
        claude-code hooks home/.claude/settings.json
        claude-code instructions home/.claude/CLAUDE.md
        codex server project/.codex/config.toml
        codex hooks project/.codex/hooks.json
        codex instructions project/AGENTS.md
        codex server home/.codex/config.toml
        codex hooks home/.codex/hooks.json
        codex instructions home/.codex/AGENTS.md
        cursor server project/.cursor/mcp.json
        cursor hooks project/.cursor/hooks.json
        cursor instructions project/AGENTS.md
        cursor server home/.cursor/mcp.json
        cursor hooks home/.cursor/hooks.json
        gemini server project/.gemini/settings.json
        gemini hooks project/.gemini/settings.json
        gemini instructions project/GEMINI.md
        gemini server home/.gemini/settings.json
        gemini hooks home/.gemini/settings.json
        gemini instructions home/.gemini/GEMINI.md
        vscode server project/.vscode/mcp.json
        vscode instructions project/AGENTS.md
        vscode server home/.config/Code/User/mcp.json
        claude-desktop server home/.config/Claude/claude_desktop_config.json
        windsurf server home/.codeium/windsurf/mcp_config.json
        zed server project/.zed/settings.json
        zed instructions project/AGENTS.md
        zed server home/.config/zed/settings.json
        opencode server project/opencode.json
        opencode instructions project/AGENTS.md
        opencode server home/.config/opencode/opencode.json
        opencode instructions home/.config/opencode/AGENTS.md
    "#]]
    .assert_eq(&lines);
}

#[test]
fn what_is_written_into_empty_places() {
    let world = World::new();
    let mut all = String::new();
    for host in ["claude-code", "codex", "cursor", "vscode", "opencode"] {
        let (file, text) = sample(named(host), Part::Server, Scope::Project, &world.places).unwrap();
        all.push_str(&format!("{}\n{text}", file.file_name().unwrap().to_string_lossy()));
    }
    for host in ["gemini", "cursor"] {
        let (_, text) = sample(named(host), Part::Hooks, Scope::Project, &world.places).unwrap();
        let text: Vec<&str> = text.lines().take(40).collect();
        all.push_str(&format!("{host}\n{}\n", text.join("\n")));
    }
    expect![[r#"
        .mcp.json
        {
          "mcpServers": {
            "kenning": {
              "type": "stdio",
              "command": "ken",
              "args": ["mcp", "--host", "claude-code"]
            }
          }
        }
        config.toml
        [mcp_servers.kenning]
        command = "ken"
        args = ["mcp", "--host", "codex"]
        mcp.json
        {
          "mcpServers": {
            "kenning": {
              "command": "ken",
              "args": ["mcp", "--host", "cursor"]
            }
          }
        }
        mcp.json
        {
          "servers": {
            "kenning": {
              "type": "stdio",
              "command": "ken",
              "args": ["mcp", "--host", "vscode"]
            }
          }
        }
        opencode.json
        {
          "mcp": {
            "kenning": {
              "type": "local",
              "command": ["ken", "mcp", "--host", "opencode"],
              "enabled": true
            }
          }
        }
        gemini
        {
          "hooks": {
            "SessionStart": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "! command -v ken >/dev/null 2>&1 || ken hook session-start --host gemini",
                    "timeout": 3000
                  }
                ]
              }
            ],
            "BeforeAgent": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "! command -v ken >/dev/null 2>&1 || ken hook prompt --host gemini",
                    "timeout": 3000
                  }
                ]
              }
            ],
            "BeforeTool": [
              {
                "matcher": "write_file|replace|run_shell_command",
                "hooks": [
                  {
                    "type": "command",
                    "command": "! command -v ken >/dev/null 2>&1 || ken hook act --host gemini",
                    "timeout": 3000
                  }
                ]
              }
            ],
            "AfterTool": [
              {
                "matcher": "read_file|write_file|replace|run_shell_command",
                "hooks": [
        cursor
        {
          "hooks": {
            "sessionStart": [
              {
                "command": "! command -v ken >/dev/null 2>&1 || ken hook session-start --host cursor",
                "timeout": 3
              }
            ],
            "beforeSubmitPrompt": [
              {
                "command": "! command -v ken >/dev/null 2>&1 || ken hook prompt --host cursor",
                "timeout": 3
              }
            ],
            "preToolUse": [
              {
                "command": "! command -v ken >/dev/null 2>&1 || ken hook touch --host cursor",
                "matcher": "Read|Write|Edit|StrReplace|Shell",
                "timeout": 3
              }
            ],
            "postToolUse": [
              {
                "command": "! command -v ken >/dev/null 2>&1 || ken hook ran --host cursor",
                "matcher": "Shell",
                "timeout": 3
              }
            ],
            "postToolUseFailure": [
              {
                "command": "! command -v ken >/dev/null 2>&1 || ken hook ran --host cursor",
                "matcher": "Shell",
                "timeout": 3
              }
            ],
            "preCompact": [
              {
                "command": "! command -v ken >/dev/null 2>&1 || ken hook compact --host cursor",
                "timeout": 3
              }
    "#]]
    .assert_eq(&all);
}

#[test]
fn a_part_is_missing_then_current_then_stale() {
    for host in HOSTS {
        let world = World::new();
        let missing = world.states(host.name);
        assert!(missing.iter().all(|(_, state)| *state == State::Missing), "{missing:?}");
        assert!(!world.install(host.name).is_empty());
        let current = world.states(host.name);
        assert!(current.iter().all(|(_, state)| *state == State::Current), "{} {current:?}", host.name);
        // Twice is once.
        assert_eq!(world.install(host.name), vec![]);
        let mut moved = World::new();
        moved.install(host.name);
        (moved.places.program, moved.places.program_path) =
            ("/usr/local/my tools/ken".into(), "/new/ken".into());
        let stale = moved.states(host.name);
        let is = |part: Part| stale.iter().find(|(there, _)| *there == part).map(|(_, state)| *state);
        assert_eq!(is(Part::Server), Some(State::Stale), "{}", host.name);
        assert_ne!(is(Part::Hooks), Some(State::Current), "{}", host.name);
        moved.install(host.name);
        assert!(moved.states(host.name).iter().all(|(_, state)| *state == State::Current), "{}", host.name);
        moved.remove(host.name);
        assert_eq!(moved.all().len(), 2, "{}: {:?}", host.name, moved.all());
    }
}

/// Files as people have them, with what they are for.
const SHAPES: &[(&str, &str, &str)] = &[
    (
        "claude-code",
        "project/.mcp.json",
        "{\n  \"mcpServers\": {\n    \"other\": { \"command\": \"npx\" }\n  }\n}\n",
    ),
    ("claude-code", "project/.mcp.json", "{\"mcpServers\":{\"other\":{\"command\":\"npx\"}}}"),
    ("claude-code", "project/.mcp.json", "{\"mcpServers\":{}}"),
    ("claude-code", "project/.mcp.json", "{ \"mcpServers\": {\n  }\n}\n"),
    ("claude-code", "project/.mcp.json", "{}"),
    ("claude-code", "project/.mcp.json", "{}\n"),
    ("claude-code", "project/.mcp.json", "{\n}\n"),
    ("claude-code", "project/.mcp.json", ""),
    ("claude-code", "project/.mcp.json", "\n"),
    ("claude-code", "project/.mcp.json", "\u{feff}{\r\n\t\"a\": 1\r\n}"),
    ("claude-code", "project/CLAUDE.md", "# Notes\r\n\r\nText without an end"),
    ("claude-code", "project/CLAUDE.md", ""),
    (
        "claude-code",
        "project/.claude/settings.json",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }\n    ],\n    \"SessionStart\": []\n  },\n  \"model\": \"x\"\n}\n",
    ),
    (
        "zed",
        "project/.zed/settings.json",
        "// Mine.\n{\n  // The theme.\n  \"theme\": \"One\", // dark\n  /* none yet */\n}\n",
    ),
    ("zed", "project/.zed/settings.json", "{\n\t\"context_servers\": { // none\n\t},\n}\n"),
    ("zed", "project/.zed/settings.json", "// Nothing but this"),
    (
        "vscode",
        "project/.vscode/mcp.json",
        "{\n    \"inputs\": [],\n    \"servers\": {\n        \"a\": {},\n    },\n}",
    ),
    (
        "opencode",
        "project/opencode.jsonc",
        "{\n  \"mcp\": { \"servers\": { \"a\": {\"type\": \"local\", \"command\": [\"b\"]} } } // deep\n}\n",
    ),
    ("cursor", "project/.cursor/hooks.json", "{\n  \"version\": 1\n}\n"),
    ("cursor", "project/.cursor/hooks.json", "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"x\"}]}}"),
    ("cursor", "project/.cursor/hooks.json", "{\"hooks\":{},\"version\":1}"),
    (
        "gemini",
        "project/.gemini/settings.json",
        "{\n  \"hooks\": {\"BeforeTool\": [{\"matcher\": \"x\", \"hooks\": []}]},\n  \"mcpServers\": {}\n}\n",
    ),
    ("codex", "project/.codex/config.toml", "# Mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"a\""),
    ("codex", "project/.codex/config.toml", "model = \"x\"\r\n[mcp_servers]\r\n"),
    ("codex", "project/.codex/config.toml", ""),
    ("codex", "project/.codex/config.toml", "\u{feff}a = 1\n\n\n"),
    ("codex", "project/.codex/config.toml", "mcp_servers.a.command = \"x\"\n"),
];

#[test]
fn every_shape_comes_back_to_the_byte() {
    for (host, path, text) in SHAPES {
        let world = World::new();
        world.write(path, text);
        let before = world.all();
        world.install(host);
        let with = world.read(path);
        assert!(world.states(host).iter().all(|(_, state)| *state == State::Current), "{with}");
        assert_eq!(world.install(host), vec![], "{with}");
        world.remove(host);
        assert_eq!(world.all(), before, "{host} {path} {text:?} became\n{with}");
    }
}

#[test]
fn what_is_around_stays_where_it_was() {
    let shown = |host: &str, path: &str, text: &str| {
        let world = World::new();
        world.write(path, text);
        world.install(host);
        world.read(path)
    };
    let mut all = String::new();
    for (host, path, text) in SHAPES.iter().filter(|(host, path, _)| {
        !path.ends_with(".md") && matches!(*host, "claude-code" | "zed" | "codex" | "vscode" | "opencode")
    }) {
        if !path.contains("settings.json") || path.contains(".zed") {
            all.push_str(&format!("== {host}\n{}\n", shown(host, path, text).replace('\r', "<CR>")));
        }
    }
    expect![[r#"
        == claude-code
        {
          "mcpServers": {
            "other": { "command": "npx" },
            "kenning": {
              "type": "stdio",
              "command": "ken",
              "args": ["mcp", "--host", "claude-code"]
            }
          }
        }

        == claude-code
        {"mcpServers":{"other":{"command":"npx"},"kenning":{"type":"stdio","command":"ken","args":["mcp","--host","claude-code"]}}}
        == claude-code
        {"mcpServers":{ "kenning":{"type":"stdio","command":"ken","args":["mcp","--host","claude-code"]}}}
        == claude-code
        { "mcpServers": {  
          "kenning": {
            "type": "stdio",
            "command": "ken",
            "args": ["mcp", "--host", "claude-code"]
          }
          }
        }

        == claude-code
        { 
          "mcpServers": {
            "kenning": {
              "type": "stdio",
              "command": "ken",
              "args": ["mcp", "--host", "claude-code"]
            }
          }
        }
        == claude-code
        { 
          "mcpServers": {
            "kenning": {
              "type": "stdio",
              "command": "ken",
              "args": ["mcp", "--host", "claude-code"]
            }
          }
        }

        == claude-code
        {  
          "mcpServers": {
            "kenning": {
              "type": "stdio",
              "command": "ken",
              "args": ["mcp", "--host", "claude-code"]
            }
          }
        }

        == claude-code
        {
          "mcpServers": {
            "kenning": {
              "type": "stdio",
              "command": "ken",
              "args": ["mcp", "--host", "claude-code"]
            }
          }
        }
        == claude-code

        {
          "mcpServers": {
            "kenning": {
              "type": "stdio",
              "command": "ken",
              "args": ["mcp", "--host", "claude-code"]
            }
          }
        }
        == claude-code
        ﻿{<CR>
        	"a": 1,<CR>
        	"mcpServers": {<CR>
        		"kenning": {<CR>
        			"type": "stdio",<CR>
        			"command": "ken",<CR>
        			"args": ["mcp", "--host", "claude-code"]<CR>
        		}<CR>
        	}<CR>
        }
        == zed
        // Mine.
        {
          // The theme.
          "theme": "One", // dark
          /* none yet */
          "context_servers": {
            "kenning": {
              "source": "custom",
              "command": "ken",
              "args": ["mcp", "--host", "zed"]
            }
          },
        }

        == zed
        {
        	"context_servers": { "kenning": {
        			"source": "custom",
        			"command": "ken",
        			"args": ["mcp", "--host", "zed"]
        		} // none
        	},
        }

        == zed
        {
          "context_servers": {
            "kenning": {
              "source": "custom",
              "command": "ken",
              "args": ["mcp", "--host", "zed"]
            }
          }
        } // Nothing but this
        == vscode
        {
            "inputs": [],
            "servers": {
                "a": {},
                "kenning": {
                    "type": "stdio",
                    "command": "ken",
                    "args": ["mcp", "--host", "vscode"]
                },
            },
        }
        == opencode
        {
          "mcp": { "servers": { "a": {"type": "local", "command": ["b"]}, "kenning": {"type": "local", "command": ["ken", "mcp", "--host", "opencode"], "enabled": true} } } // deep
        }

        == codex
        # Mine
        model = "x"

        [mcp_servers.other]
        command = "a"

        [mcp_servers.kenning]
        command = "ken"
        args = ["mcp", "--host", "codex"]
        == codex
        model = "x"<CR>
        [mcp_servers]<CR>
        <CR>
        [mcp_servers.kenning]<CR>
        command = "ken"<CR>
        args = ["mcp", "--host", "codex"]<CR>

        == codex

        [mcp_servers.kenning]
        command = "ken"
        args = ["mcp", "--host", "codex"]

        == codex
        ﻿a = 1



        [mcp_servers.kenning]
        command = "ken"
        args = ["mcp", "--host", "codex"]

        == codex
        mcp_servers.a.command = "x"

        [mcp_servers.kenning]
        command = "ken"
        args = ["mcp", "--host", "codex"]

    "#]].assert_eq(&all);
}

#[test]
fn a_file_that_cannot_be_understood_is_not_touched() {
    let said = |host: &str, path: &str, text: &[u8]| {
        let world = World::new();
        world.write(path, text);
        // Another file of the host that could be written is not, either.
        format!("{}\n", world.refuses(host))
    };
    let mut all = String::new();
    let json = "project/.mcp.json";
    for text in [
        "{\n  \"mcpServers\": {\n",
        "{\n  \"mcpServers\": []\n}",
        "[]",
        "{\"a\": 1,\n \"a\": 2}",
        "{\"mcpServers\": {}}\ntrailing",
        "{'a': 1}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": nope}",
        "{ /* open",
        "{\"mcpServers\": {\"kenning\": \"x\"}}",
        "{\"mcpServers\": {\"kenning\": {\"type\": \"http\", \"url\": \"https://example.org\"}}}",
    ] {
        all.push_str(&said("claude-code", json, text.as_bytes()));
    }
    all.push_str(&said("claude-code", json, b"{\n\"a\": \"\xff\"}"));
    all.push_str(&said("claude-code", "project/.claude/settings.json", b"{\"hooks\": []}"));
    all.push_str(&said("claude-code", "project/.claude/settings.json", b"{\"hooks\": {\"Stop\": {}}}"));
    all.push_str(&said("claude-code", "project/CLAUDE.md", b"a\n<!-- BEGIN KENNING x -->\n"));
    all.push_str(&said("claude-code", "project/CLAUDE.md", b"<!-- END KENNING -->\n"));
    all.push_str(&said("cursor", "project/.cursor/hooks.json", b"{\"hooks\": {}}"));
    all.push_str(&said("cursor", "project/.cursor/hooks.json", b"{\"version\": 2}"));
    all.push_str(&said("codex", "project/.codex/config.toml", b"a = 1\n[mcp_servers\n"));
    all.push_str(&said("codex", "project/.codex/config.toml", b"a = 1\na = 2\n"));
    all.push_str(&said("codex", "project/.codex/config.toml", b"mcp_servers = 3\n"));
    all.push_str(&said("codex", "project/.codex/config.toml", b"mcp_servers = { a = { command = 'x' } }\n"));
    all.push_str(&said(
        "codex",
        "project/.codex/config.toml",
        b"[mcp_servers]\nkenning = { command = 'ken', args = ['mcp'] }\n",
    ));
    all.push_str(&said("claude-code", "project/.mcp.json/file", b""));
    all.push_str(&said("claude-code", "project/.claude", b"a file where a folder should be"));
    let deep = format!("{{\"a\": {}", "[".repeat(100_000));
    all.push_str(&said("claude-code", json, deep.as_bytes()));
    expect![[r#"
        project/.mcp.json, line 3: unexpected end of the document; nothing was written
        project/.mcp.json, line 2: expected an object of servers by name; nothing was written
        project/.mcp.json, line 1: expected an object; nothing was written
        project/.mcp.json, line 2: duplicate key "a"; nothing was written
        project/.mcp.json, line 2: unexpected text after the end of the document; nothing was written
        project/.mcp.json, line 1: expected a name in double quotes; nothing was written
        project/.mcp.json, line 1: missing comma before this; nothing was written
        project/.mcp.json, line 1: invalid JSON value; nothing was written
        project/.mcp.json, line 1: unterminated comment; nothing was written
        project/.mcp.json, line 1: another server named kenning; rename it first; nothing was written
        project/.mcp.json, line 1: another server named kenning; rename it first; nothing was written
        project/.mcp.json, line 2: this is not UTF-8; nothing was written
        project/.claude/settings.json, line 1: `hooks` is not an object; nothing was written
        project/.claude/settings.json, line 1: the hooks of "Stop" are not a list; nothing was written
        project/CLAUDE.md, line 2: this section has no closing `<!-- END KENNING -->`; nothing was written
        project/CLAUDE.md, line 1: this has no opening `<!-- BEGIN KENNING ...`; nothing was written
        project/.cursor/hooks.json, line 1: hooks without "version": 1; add it first; nothing was written
        project/.cursor/hooks.json, line 1: unsupported version of the hooks format; supported: 1; nothing was written
        project/.codex/config.toml, line 2: unclosed table, expected `]`; nothing was written
        project/.codex/config.toml, line 2: duplicate key; nothing was written
        project/.codex/config.toml, line 1: `mcp_servers` is no table; nothing was written
        project/.codex/config.toml, line 1: `mcp_servers` has a form that cannot be added to; write `[mcp_servers.NAME]` tables; nothing was written
        project/.codex/config.toml, line 2: `mcp_servers.kenning` is not written as a table of its own; change it by hand; nothing was written
        project/.mcp.json is a folder; nothing was written
        project/.claude/settings.json is under a file, expected a folder; nothing was written
        project/.mcp.json, line 1: this is nested too deeply; nothing was written
    "#]].assert_eq(&all);
}

#[cfg(unix)]
#[test]
fn links_are_written_through_and_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let world = World::new();
    world.write("project/AGENTS.md", "# All agents\n");
    symlink("AGENTS.md", world.folder.path().join("project/CLAUDE.md")).unwrap();
    fs::set_permissions(world.folder.path().join("project/AGENTS.md"), fs::Permissions::from_mode(0o640))
        .unwrap();
    let before = world.all();
    let told = plan(named("claude-code"), Scope::Project, Action::Install, &world.places).unwrap().notes;
    assert!(told.len() == 1 && told[0].contains("project/CLAUDE.md is a link to "), "{told:?}");
    assert!(told[0].ends_with("project/AGENTS.md, which is changed"), "{told:?}");
    world.install("claude-code");
    assert!(world.folder.path().join("project/CLAUDE.md").is_symlink());
    assert!(world.read("project/AGENTS.md").contains("BEGIN KENNING"));
    let mode = fs::metadata(world.folder.path().join("project/AGENTS.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    world.remove("claude-code");
    assert_eq!(world.all(), before);
    // A stranger's repository must not lead us out of it.
    world.write("home/.bashrc", "mine\n");
    for (link, target) in [("project/.mcp.json", "../home/.bashrc"), ("project/.cursor", "../home")] {
        symlink(target, world.folder.path().join(link)).unwrap();
        let host = if link.ends_with("json") { "claude-code" } else { "cursor" };
        assert!(world.refuses(host).contains("outside"), "{link}");
    }
    // Nor into what is inside the .git folder, where a file can be a program.
    let inside = World::new();
    inside.write("project/.git/config", "[core]\n");
    inside.write("project/.git/hooks/x", "");
    inside.write("home/.git/config", "[core]\n");
    for (link, target) in [("project/CLAUDE.md", ".git/config"), ("project/.claude", ".git/hooks")] {
        symlink(target, inside.folder.path().join(link)).unwrap();
        let said = inside.refuses("claude-code");
        assert!(
            said.contains(&format!("points to project/{target}")) && said.contains("inside .git"),
            "{said}"
        );
        fs::remove_file(inside.folder.path().join(link)).unwrap();
    }
    symlink(".git/config", inside.folder.path().join("home/.claude.json")).unwrap();
    let said = inside.act("claude-code", Scope::Global, Action::Install).unwrap_err();
    assert!(matches!(said, Problem::GitsOwn { .. }), "{said}");
    fs::remove_file(world.folder.path().join("project/.mcp.json")).unwrap();
    symlink("nowhere", world.folder.path().join("project/.mcp.json")).unwrap();
    assert!(world.refuses("claude-code").contains("a broken link"));
}

#[test]
fn a_read_only_file_is_not_touched() {
    let world = World::new();
    world.write("project/CLAUDE.md", "mine\n");
    let file = world.folder.path().join("project/CLAUDE.md");
    let mut permissions = fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).unwrap();
    expect!["project/CLAUDE.md is read-only; nothing was written"].assert_eq(&world.refuses("claude-code"));
}

#[test]
fn a_file_that_changes_meanwhile_is_not_overwritten() {
    let world = World::new();
    world.write("project/.mcp.json", "{}");
    let plan = plan(named("claude-code"), Scope::Project, Action::Install, &world.places).unwrap();
    world.write("project/.mcp.json", "{\"a\": 1}");
    let before = world.all();
    let problem = plan.write().unwrap_err();
    assert!(matches!(problem, Problem::Changed { .. }), "{problem}");
    assert_eq!(world.all(), before);
}

#[test]
fn two_hosts_share_a_section() {
    let world = World::new();
    world.write("project/AGENTS.md", "# Mine\n");
    let before = world.all();
    world.install("codex");
    let short = world.read("project/AGENTS.md");
    world.install("zed");
    let full = world.read("project/AGENTS.md");
    assert!(full.len() > short.len());
    // The full one is enough for a host with hooks.
    assert!(world.states("codex").iter().all(|(_, state)| *state == State::Current));
    world.remove("zed");
    assert_eq!(world.read("project/AGENTS.md"), full);
    world.remove("codex");
    assert_eq!(world.all(), before);
}

#[test]
fn a_claude_md_that_imports_agents_md_stays() {
    let world = World::new();
    world.write("project/CLAUDE.md", "@AGENTS.md\n");
    world.write("project/AGENTS.md", "# Mine\n");
    let before = world.all();
    world.install("claude-code");
    assert_eq!(world.read("project/CLAUDE.md"), "@AGENTS.md\n");
    assert!(world.read("project/AGENTS.md").contains("BEGIN KENNING"));
    world.remove("claude-code");
    assert_eq!(world.all(), before);
    // An AGENTS.md that is not there yet is made, since that is what will be read.
    fs::remove_file(world.folder.path().join("project/AGENTS.md")).unwrap();
    let before = world.all();
    world.install("claude-code");
    assert_eq!(world.read("project/CLAUDE.md"), "@AGENTS.md\n");
    assert!(world.read("project/AGENTS.md").starts_with("<!-- BEGIN KENNING"));
    assert_eq!(world.install("claude-code"), vec![]);
    world.remove("claude-code");
    assert_eq!(world.all(), before);
}

/// Marks that a text shows as an example are no section of ours.
#[test]
fn marks_in_a_fence_are_words() {
    let marks = "<!-- BEGIN KENNING short hash:0 -->\nx\n<!-- END KENNING -->\n";
    for text in [
        format!("```\n{marks}```\n"),
        format!("# Mine\n\n~~~ text\n```\n{marks}~~~\nmore"),
        format!("````md\n```\n{marks}```\n````\n"),
        "```\n<!-- BEGIN KENNING -->\n```\n".to_owned(),
        // A fence that never ends is none, or nothing could be put after it.
        "a\n```\nb\n".to_owned(),
    ] {
        let world = World::new();
        world.write("project/CLAUDE.md", &text);
        assert_eq!(world.states("claude-code")[2].1, State::Missing, "{text}");
        world.install("claude-code");
        assert_eq!(world.states("claude-code")[2].1, State::Current, "{text}");
        assert!(world.read("project/CLAUDE.md").starts_with(&text), "{text}");
        world.remove("claude-code");
        assert_eq!(world.read("project/CLAUDE.md"), text);
    }
}

/// What is left to do in a host speaks of a project only where one was set up.
#[test]
fn what_is_next_fits_where_it_was_written() {
    for host in HOSTS {
        let told = host.then(Scope::Global).unwrap_or_default();
        assert!(!told.contains("project ") && !told.contains("this project"), "{}: {told}", host.name);
    }
    assert!(named("claude-code").then(Scope::Project).is_some_and(|told| told.contains("in this project")));
}

/// What a person added to our entry is theirs while it is there, and goes with it; what stands beside it stays.
#[test]
fn an_entry_that_a_person_edited() {
    let world = World::new();
    world.write(
        "project/.gemini/settings.json",
        "{\n  \"mcpServers\": {\n    \"kenning\": {\n      \"command\": \"/old/ken\",\n      \"args\": [\"mcp\"],\n      \"trust\": true\n    },\n    \"b\": {}\n  }\n}\n",
    );
    world.write(
        "project/.codex/config.toml",
        "[mcp_servers.kenning]\ncommand = \"/old/ken\"\nargs = [\"mcp\"] # mine\nstartup_timeout_sec = 3\n\n[mcp_servers.kenning.env]\nA = \"b\"\n\n# other\n[mcp_servers.other]\ncommand = \"x\"\n",
    );
    world.install("gemini");
    world.install("codex");
    expect![[r#"
        [mcp_servers.kenning]
        command = "ken"
        args = ["mcp", "--host", "codex"] # mine
        startup_timeout_sec = 3

        [mcp_servers.kenning.env]
        A = "b"

        # other
        [mcp_servers.other]
        command = "x"
    "#]]
    .assert_eq(&world.read("project/.codex/config.toml"));
    let text = world.read("project/.gemini/settings.json");
    assert!(text.contains("\"args\": [\"mcp\", \"--host\", \"gemini\"],\n      \"trust\": true"), "{text}");
    let told = plan(named("gemini"), Scope::Project, Action::Remove, &world.places).unwrap();
    assert!(told.notes.iter().any(|note| note.contains("was changed since")), "{:?}", told.notes);
    world.remove("gemini");
    world.remove("codex");
    assert_eq!(
        world.read("project/.gemini/settings.json"),
        "{\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n"
    );
    assert_eq!(world.read("project/.codex/config.toml"), "\n# other\n[mcp_servers.other]\ncommand = \"x\"\n");
}

/// A settings file is shared, and not everybody who gets it has a `ken`: what is written does nothing then, and says nothing. With one,
/// it answers and ends as that one does.
#[cfg(unix)]
#[test]
fn a_written_hook_succeeds_without_ken_and_ends_as_ken_ends() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};
    let tools = tempfile::tempdir().unwrap();
    let sh = |path: &std::path::Path, command: &str| {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", command]).env("PATH", path).stdin(Stdio::null()).output().unwrap()
    };
    let ken = tools.path().join("ken");
    std::fs::write(&ken, "#!/bin/sh\necho \"asked: $*\"\nexit 2\n").unwrap();
    std::fs::set_permissions(&ken, std::fs::Permissions::from_mode(0o755)).unwrap();
    let nothing = tempfile::tempdir().unwrap();
    let mut hosts = Vec::new();
    for host in HOSTS {
        let world = World::new();
        world.install(host.name);
        let commands = hook_commands(host, host.scope(Scope::Project), &world.places).unwrap();
        hosts.extend((!commands.is_empty()).then_some(host.name));
        for command in commands {
            let without = sh(nothing.path(), &command);
            assert!(without.status.success(), "{command}");
            assert!(without.stdout.is_empty() && without.stderr.is_empty(), "{command}: {without:?}");
            let with = sh(tools.path(), &command);
            assert_eq!(with.status.code(), Some(2), "{command}");
            assert!(String::from_utf8_lossy(&with.stdout).starts_with("asked: hook "), "{command}");
        }
    }
    assert_eq!(hosts.len(), 4, "{hosts:?}");
}

/// However a person dressed our command, it is ours: written anew in its place, and taken away whole.
#[test]
fn a_hook_that_a_person_edited_is_still_ours() {
    for (command, ours) in [
        ("ken hook stop", true),
        ("ken hook stop --host claude-code || true", true),
        ("KEN_HOOK_TIMEOUT_MS=900 /opt/ken hook stop --host claude-code", true),
        ("env A=b ken --quiet hook stop", true),
        ("\"/my tools/ken\" hook stop --host claude-code;true", true),
        ("'C:\\my tools\\ken.exe' hook stop", true),
        ("sh -c 'exec ken hook stop --host claude-code'", true),
        ("(cd /x && ken hook stop) &", true),
        ("ken hook retired --host claude-code", true),
        ("ken hook retired", false),
        ("kenning hook stop", false),
        ("ken stop", false),
        ("ken list; other hook stop", false),
        ("other hook stop --host claude-code", false),
        ("echo hook stop ken", false),
    ] {
        let world = World::new();
        let quoted = serde_json::Value::from(command).to_string();
        let text = format!(
            "{{\n  \"hooks\": {{\n    \"Stop\": [\n      {{ \"hooks\": [{{ \"type\": \"command\", \"command\": {quoted} }}] }}\n    ],\n    \"Mine\": []\n  }}\n}}\n"
        );
        world.write("project/.claude/settings.json", &text);
        let before = world.states("claude-code")[1].1;
        assert_eq!(before, if ours { State::Stale } else { State::Missing }, "{command}");
        let commands = hook_commands(named("claude-code"), Scope::Project, &world.places).unwrap();
        let program = commands.first().and_then(|command| hook_program(command));
        assert_eq!(program.is_some(), ours, "{command}");
        world.install("claude-code");
        let with = world.read("project/.claude/settings.json");
        assert_eq!(with.contains(&quoted), !ours, "{command} in {with}");
        assert_eq!(with.matches("ken hook stop --host claude-code\"").count(), 1, "{command} in {with}");
        assert_eq!(world.states("claude-code")[1].1, State::Current, "{command}");
        world.remove("claude-code");
        let left = world.read("project/.claude/settings.json");
        match ours {
            true => assert_eq!(left, "{\n  \"hooks\": {\n    \"Mine\": []\n  }\n}\n", "{command}"),
            false => assert_eq!(left, text, "{command}"),
        }
    }
}

/// A server of somebody else that has our name is neither changed nor taken away, and the line is named.
#[test]
fn a_server_of_somebody_else_is_left_alone() {
    for (host, path, text, line) in [
        (
            "claude-code",
            "project/.mcp.json",
            "{\"mcpServers\": {\n\"kenning\": {\"command\": \"node\", \"args\": [\"mcp\"]}}}",
            2,
        ),
        (
            "gemini",
            "project/.gemini/settings.json",
            "{\"mcpServers\": {\"kenning\": {\"httpUrl\": \"https://example.org\"}}}",
            1,
        ),
        (
            "cursor",
            "project/.cursor/mcp.json",
            "{\"mcpServers\": {\"kenning\": {\"command\": \"ken\", \"args\": [\"serve\"]}}}",
            1,
        ),
        (
            "windsurf",
            "home/.codeium/windsurf/mcp_config.json",
            "{\"mcpServers\": {\"kenning\": {\"serverUrl\": \"x\"}}}",
            1,
        ),
        (
            "opencode",
            "project/opencode.json",
            "{\"mcp\": {\n\n\"kenning\": {\"type\": \"local\", \"command\": [\"npx\", \"ken\", \"mcp\"]}}}",
            3,
        ),
        (
            "codex",
            "project/.codex/config.toml",
            "a = 1\n\n[mcp_servers.kenning]\ncommand = \"/opt/kenning\"\nargs = [\"mcp\"]\n",
            3,
        ),
        (
            "codex",
            "project/.codex/config.toml",
            "[mcp_servers]\nkenning = { url = \"https://example.org\" }\n",
            2,
        ),
        ("codex", "project/.codex/config.toml", "\n[mcp_servers.kenning.env]\nA = \"b\"\n", 2),
    ] {
        let world = World::new();
        world.write(path, text);
        assert_eq!(world.states(host)[0], (Part::Server, State::Taken), "{text}");
        let said = world.refuses(host);
        assert!(said.contains(&format!("line {line}: another server named kenning")), "{said}");
        let host = named(host);
        let away = plan(host, host.scope(Scope::Project), Action::Remove, &world.places).unwrap();
        assert_eq!(away.changes, vec![], "{text}");
        assert!(
            away.notes[0].ends_with("another server named kenning exists and is kept"),
            "{:?}",
            away.notes
        );
    }
}

/// What a stranger's project may not say with our entry goes, and is named; what else a person set stays.
#[test]
fn variables_that_are_not_for_a_file_to_set() {
    let json = "{\"mcpServers\": {\"kenning\": {\"type\": \"stdio\", \"command\": \"ken\", \"args\": [\"mcp\", \"--host\", \"HOST\"]ENV}}}";
    let list = "{\"mcp\": {\"kenning\": {\"type\": \"local\", \"command\": [\"ken\", \"mcp\", \"--host\", \"opencode\"]ENV}}}";
    let toml = "[mcp_servers.kenning]\ncommand = \"ken\"\nargs = [\"mcp\", \"--host\", \"codex\"]\nENV";
    for (host, path, text, before, after) in [
        ("claude-code", "project/.mcp.json", json, ", \"env\": {\"KEN_ACTOR\": \"human:Ada\"}", ""),
        (
            "claude-code",
            "project/.mcp.json",
            json,
            ", \"env\": {\"KEN_STORE\": \"/x\", \"A\": \"b\", \"LD_PRELOAD\": \"/x.so\", \"PATH\": \"/x\"}",
            ", \"env\": {\"A\": \"b\"}",
        ),
        (
            "opencode",
            "project/opencode.json",
            list,
            ", \"environment\": {\"KEN_NO_MODEL\": \"1\", \"KEN_GLOBAL\": \"1\"}",
            ", \"environment\": {\"KEN_NO_MODEL\": \"1\"}",
        ),
        (
            "codex",
            "project/.codex/config.toml",
            toml,
            "\n[mcp_servers.kenning.env]\nA = \"b\" # mine\nKEN_ACTOR = \"human:Ada\"\nKEN_STORE = \"/x\"\n\n[other]\n",
            "\n[mcp_servers.kenning.env]\nA = \"b\" # mine\n\n[other]\n",
        ),
        (
            "codex",
            "project/.codex/config.toml",
            toml,
            "env = { KEN_ACTOR = \"human:Ada\", A = 'b', LD_PRELOAD = \"x\" } # mine\n",
            "env = { A = 'b' } # mine\n",
        ),
    ] {
        let (text, world) = (text.replace("HOST", host), World::new());
        world.write(path, text.replace("ENV", before));
        let standing = state(named(host), Scope::Project, &world.places).unwrap().remove(0);
        assert_eq!(standing.state, State::Stale, "{before}");
        assert!(standing.why.is_some_and(|why| why.starts_with("it sets ")), "{before}");
        let plan = plan(named(host), Scope::Project, Action::Install, &world.places).unwrap();
        assert!(plan.notes.iter().any(|note| note.contains("is removed from the entry")), "{:?}", plan.notes);
        plan.write().unwrap();
        assert_eq!(world.read(path), text.replace("ENV", after));
        assert_eq!(world.states(host)[0].1, State::Current, "{after}");
    }
    // A user's own files are the user's word, but for who acts.
    let world = World::new();
    let env = ", \"env\": {\"KEN_STORE\": \"/mine\", \"KEN_ACTOR\": \"human:Ada\"}";
    let text = json.replace("HOST", "claude-code");
    world.write("home/.claude.json", text.replace("ENV", env));
    world.act("claude-code", Scope::Global, Action::Install).unwrap();
    assert_eq!(world.read("home/.claude.json"), text.replace("ENV", ", \"env\": {\"KEN_STORE\": \"/mine\"}"));
}

/// Whoever asked for the path keeps it: it counts as current, and what is written beside it names it, too.
#[test]
fn the_path_of_this_program_lasts() {
    for host in HOSTS {
        let mut world = World::new();
        let path = world.folder.path().join("bin/ken").display().to_string();
        world.places.program_path = path.clone();
        world.places.program = path.clone();
        world.install(host.name);
        world.places.program = "ken".to_owned();
        assert!(world.states(host.name).iter().all(|(_, state)| *state == State::Current), "{}", host.name);
        assert_eq!(world.install(host.name), vec![], "{}", host.name);
    }
    let mut world = World::new();
    world.places.program = "/opt/ken".to_owned();
    world.install("claude-code");
    world.places.program = "ken".to_owned();
    fs::remove_file(world.folder.path().join("project/.claude/settings.json")).unwrap();
    world.install("claude-code");
    assert!(
        world.read("project/.claude/settings.json").contains("|| /opt/ken hook stop --host claude-code\"")
    );
    // The path that is asked for is written over the name.
    let mut world = World::new();
    world.install("claude-code");
    world.places.program = "/opt/ken".to_owned();
    assert_eq!(world.states("claude-code")[0].1, State::Stale);
}

#[test]
fn a_hook_in_a_group_of_others_goes_alone() {
    let world = World::new();
    let theirs = "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say done\"}]}]}}";
    let shared = theirs.replace(
        "]}]}}",
        ",{\"type\":\"command\",\"command\":\"/old/ken hook stop --host claude-code\"}]}]}}",
    );
    world.write("project/.claude/settings.json", shared);
    world.remove("claude-code");
    assert_eq!(world.read("project/.claude/settings.json"), theirs);
}

#[test]
fn the_command_is_read_back() {
    for host in HOSTS {
        let world = World::new();
        let scope = host.scope(Scope::Project);
        assert_eq!(configured(host, scope, &world.places).unwrap(), None);
        world.install(host.name);
        let Configured { program, args, env, .. } = configured(host, scope, &world.places).unwrap().unwrap();
        assert!(matches!(program.as_str(), "ken" | "/opt/ken"), "{program}");
        assert_eq!(args, ["mcp", "--host", host.name]);
        assert_eq!(env, []);
        let commands = hook_commands(host, scope, &world.places).unwrap();
        let last = format!("ken hook end --host {}", host.name);
        assert!(commands.last().is_none_or(|command| command.ends_with(&last)), "{commands:?}");
    }
}

#[test]
fn variables_move_the_folders_of_a_user() {
    let mut world = World::new();
    let codex = world.folder.path().join("elsewhere");
    world.places.codex = Some(codex.clone());
    world.act("codex", Scope::Global, Action::Install).unwrap();
    assert!(codex.join("config.toml").is_file() && codex.join("hooks.json").is_file());
    world.act("codex", Scope::Global, Action::Remove).unwrap();
    assert_eq!(fs::read_dir(&codex).map_or(0, Iterator::count), 0);
}

/// The plugin's files are what setup writes.
#[test]
fn the_plugin_says_what_setup_writes() {
    let world = World::new();
    let written = |host, part| sample(named(host), part, Scope::Project, &world.places).unwrap().1;
    expect_file!["../../../plugins/kenning/.mcp.json"].assert_eq(&written("claude-code", Part::Server));
    expect_file!["../../../plugins/kenning/hooks/hooks.json"].assert_eq(&written("claude-code", Part::Hooks));
    expect_file!["../../../plugins/kenning/hooks/codex.json"].assert_eq(&written("codex", Part::Hooks));
    let for_codex = written("cursor", Part::Server).replace("cursor", "codex");
    expect_file!["../../../plugins/kenning/codex.mcp.json"].assert_eq(&for_codex);
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(top.join(path)).unwrap()).unwrap()
    };
    for manifest in [".claude-plugin/plugin.json", ".codex-plugin/plugin.json"] {
        let manifest = read(&format!("plugins/kenning/{manifest}"));
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(manifest["name"], SERVER);
        for path in ["skills", "mcpServers", "hooks"].iter().filter_map(|key| manifest[key].as_str()) {
            assert!(top.join("plugins/kenning").join(path).exists(), "{path}");
        }
    }
    let market = read(".claude-plugin/marketplace.json");
    assert_eq!(market["plugins"][0]["source"], "./plugins/kenning");
    let skill = fs::read_to_string(top.join("plugins/kenning/skills/kenning/SKILL.md")).unwrap();
    assert!(skill.starts_with("---\nname: kenning\ndescription: "));
}
