//! The list of hosts: which files they read, and in which shape.
//!
//! A host more is a value more. What was read in the hosts' own documents and what was tried in the hosts is said in
//! `docs/guide/setup.md`.

/// An agent host.
#[derive(Debug)]
pub struct Host {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    pub(super) servers: Servers,
    pub(super) hooks: Option<Hooks>,
    pub(super) instructions: Option<Spots>,
    /// Whether it is started from a desktop, where no shell says what PATH is.
    pub(super) desktop: bool,
    /// What a person has to do in the host afterwards.
    pub(super) then: Then,
}

/// What a person has to do, by whose files were written.
#[derive(Debug)]
pub(super) struct Then {
    pub(super) project: Option<&'static str>,
    pub(super) global: Option<&'static str>,
}

/// Where a part is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spots {
    pub(super) project: Option<Spot>,
    pub(super) global: Option<Spot>,
}

/// A file under some folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) under: Under,
    pub(super) path: &'static str,
    /// Another name that is taken instead where a file has it.
    pub(super) or: Option<&'static str>,
}

/// The folders that files are under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Under {
    Project,
    /// The user's home.
    Home,
    /// `CLAUDE_CONFIG_DIR`, or `.claude` in the home.
    Claude,
    /// `CLAUDE_CONFIG_DIR`, or the home itself: Claude Code's state lies beside its folder.
    ClaudeState,
    /// `CODEX_HOME`, or `.codex` in the home.
    Codex,
    /// `XDG_CONFIG_HOME`, or `.config` in the home, on every system.
    Config,
    /// Where the system keeps what applications are set to.
    Applications,
    /// The same, but as on Linux on a Mac.
    Zed,
}

/// How servers are written.
#[derive(Debug)]
pub(super) struct Servers {
    pub(super) spots: Spots,
    pub(super) shape: Shape,
}

/// The shape of a server's entry.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// A table of TOML.
    Toml,
    /// JSON under this path: command and args.
    Plain(&'static [&'static str]),
    /// JSON under this path: the same, with its type.
    Typed(&'static [&'static str]),
    /// JSON under this path: the same, with the word that it comes from no extension.
    Custom(&'static [&'static str]),
    /// JSON under this path: program and arguments in one list. OpenCode's later versions have it a level deeper.
    List(&'static [&'static str], &'static [&'static str]),
}

/// How hooks are written.
#[derive(Debug)]
pub(super) struct Hooks {
    pub(super) spots: Spots,
    pub(super) form: Form,
    pub(super) events: &'static [Event],
}

/// The form of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Groups with a matcher and a list of commands; their time limit in so many parts of a second.
    Groups { per_second: u64 },
    /// One object per command, in a file that states its version.
    Flat,
}

/// What a host calls an event, what we call it, and which tools it is about.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) theirs: &'static str,
    pub(super) ours: &'static str,
    pub(super) matcher: Option<&'static str>,
}

const fn on(theirs: &'static str, ours: &'static str, matcher: Option<&'static str>) -> Event {
    Event { theirs, ours, matcher }
}

/// The same, whoever's files they are.
const fn then(told: &'static str) -> Then {
    Then { project: Some(told), global: Some(told) }
}

const fn spot(under: Under, path: &'static str) -> Option<Spot> {
    Some(Spot { under, path, or: None })
}

/// Every host, in the order of lists.
pub const HOSTS: &[Host] = &[
    Host {
        name: "claude-code",
        title: "Claude Code",
        servers: Servers {
            spots: Spots {
                project: spot(Under::Project, ".mcp.json"),
                global: spot(Under::ClaudeState, ".claude.json"),
            },
            shape: Shape::Typed(&["mcpServers"]),
        },
        hooks: Some(Hooks {
            spots: Spots {
                project: spot(Under::Project, ".claude/settings.json"),
                global: spot(Under::Claude, "settings.json"),
            },
            form: Form::Groups { per_second: 1 },
            events: &[
                on("SessionStart", "session-start", None),
                on("UserPromptSubmit", "prompt", None),
                on("PreToolUse", "touch", Some("Read|Edit|Write|MultiEdit|NotebookEdit|Grep|Bash")),
                on("PostToolUse", "ran", Some("Bash")),
                on("PostToolUseFailure", "ran", Some("Bash")),
                on("PreCompact", "compact", None),
                on("Stop", "stop", None),
                on("SessionEnd", "end", None),
            ],
        }),
        instructions: Some(Spots {
            project: spot(Under::Project, "CLAUDE.md"),
            global: spot(Under::Claude, "CLAUDE.md"),
        }),
        desktop: false,
        then: Then {
            project: Some(
                "restart Claude Code in this project and approve the server `kenning`; `/mcp` and `/hooks` show both",
            ),
            global: Some("restart Claude Code; `/mcp` and `/hooks` show both"),
        },
    },
    Host {
        name: "codex",
        title: "Codex",
        servers: Servers {
            spots: Spots {
                project: spot(Under::Project, ".codex/config.toml"),
                global: spot(Under::Codex, "config.toml"),
            },
            shape: Shape::Toml,
        },
        hooks: Some(Hooks {
            spots: Spots {
                project: spot(Under::Project, ".codex/hooks.json"),
                global: spot(Under::Codex, "hooks.json"),
            },
            form: Form::Groups { per_second: 1 },
            events: &[
                on("SessionStart", "session-start", None),
                on("UserPromptSubmit", "prompt", None),
                on("PreToolUse", "touch", Some("Bash|apply_patch|Edit|Write")),
                on("PostToolUse", "ran", Some("Bash")),
                on("PreCompact", "compact", None),
                on("Stop", "stop", None),
                on("SessionEnd", "end", None),
            ],
        }),
        instructions: Some(Spots {
            project: spot(Under::Project, "AGENTS.md"),
            global: spot(Under::Codex, "AGENTS.md"),
        }),
        desktop: false,
        then: Then {
            project: Some(
                "Codex reads project files in trusted projects only, and asks once before it runs hooks (`/hooks`)",
            ),
            global: Some("restart Codex; it asks once before it runs hooks (`/hooks`)"),
        },
    },
    Host {
        name: "cursor",
        title: "Cursor",
        servers: Servers {
            spots: Spots {
                project: spot(Under::Project, ".cursor/mcp.json"),
                global: spot(Under::Home, ".cursor/mcp.json"),
            },
            shape: Shape::Plain(&["mcpServers"]),
        },
        hooks: Some(Hooks {
            spots: Spots {
                project: spot(Under::Project, ".cursor/hooks.json"),
                global: spot(Under::Home, ".cursor/hooks.json"),
            },
            form: Form::Flat,
            events: &[
                on("sessionStart", "session-start", None),
                on("beforeSubmitPrompt", "prompt", None),
                on("preToolUse", "touch", Some("Read|Write|Edit|StrReplace|Shell")),
                on("postToolUse", "ran", Some("Shell")),
                on("postToolUseFailure", "ran", Some("Shell")),
                on("preCompact", "compact", None),
                on("afterAgentResponse", "stop", None),
                on("sessionEnd", "end", None),
            ],
        }),
        instructions: Some(Spots { project: spot(Under::Project, "AGENTS.md"), global: None }),
        desktop: false,
        then: then("enable the server `kenning` in Cursor's settings, under MCP"),
    },
    Host {
        name: "gemini",
        title: "Gemini CLI",
        servers: Servers {
            spots: Spots {
                project: spot(Under::Project, ".gemini/settings.json"),
                global: spot(Under::Home, ".gemini/settings.json"),
            },
            shape: Shape::Plain(&["mcpServers"]),
        },
        hooks: Some(Hooks {
            spots: Spots {
                project: spot(Under::Project, ".gemini/settings.json"),
                global: spot(Under::Home, ".gemini/settings.json"),
            },
            form: Form::Groups { per_second: 1000 },
            events: &[
                on("SessionStart", "session-start", None),
                on("BeforeAgent", "prompt", None),
                // What a hook before a tool says, Gemini shows to nobody; but it can hold the tool back.
                on("BeforeTool", "act", Some("write_file|replace|run_shell_command")),
                on("AfterTool", "touch", Some("read_file|write_file|replace|run_shell_command")),
                on("AfterTool", "ran", Some("run_shell_command")),
                on("PreCompress", "compact", None),
                on("AfterAgent", "stop", None),
                on("SessionEnd", "end", None),
            ],
        }),
        instructions: Some(Spots {
            project: spot(Under::Project, "GEMINI.md"),
            global: spot(Under::Home, ".gemini/GEMINI.md"),
        }),
        desktop: false,
        then: then("Gemini CLI starts servers in trusted folders only"),
    },
    Host {
        name: "vscode",
        title: "VS Code",
        servers: Servers {
            spots: Spots {
                project: spot(Under::Project, ".vscode/mcp.json"),
                global: spot(Under::Applications, "Code/User/mcp.json"),
            },
            shape: Shape::Typed(&["servers"]),
        },
        hooks: None,
        instructions: Some(Spots { project: spot(Under::Project, "AGENTS.md"), global: None }),
        desktop: false,
        then: then("start the server `kenning` once from `MCP: List Servers`"),
    },
    Host {
        name: "claude-desktop",
        title: "Claude Desktop",
        servers: Servers {
            spots: Spots {
                project: None,
                global: spot(Under::Applications, "Claude/claude_desktop_config.json"),
            },
            shape: Shape::Plain(&["mcpServers"]),
        },
        hooks: None,
        instructions: None,
        desktop: true,
        then: then("restart Claude Desktop; it has no project, so it uses the global store"),
    },
    Host {
        name: "windsurf",
        title: "Windsurf",
        servers: Servers {
            spots: Spots { project: None, global: spot(Under::Home, ".codeium/windsurf/mcp_config.json") },
            shape: Shape::Plain(&["mcpServers"]),
        },
        hooks: None,
        instructions: None,
        desktop: true,
        then: then("refresh the servers in Windsurf's settings"),
    },
    Host {
        name: "zed",
        title: "Zed",
        servers: Servers {
            spots: Spots {
                project: spot(Under::Project, ".zed/settings.json"),
                global: spot(Under::Zed, "settings.json"),
            },
            shape: Shape::Custom(&["context_servers"]),
        },
        hooks: None,
        instructions: Some(Spots { project: spot(Under::Project, "AGENTS.md"), global: None }),
        desktop: false,
        then: Then { project: Some("trust the project in Zed, if it asks"), global: None },
    },
    Host {
        name: "opencode",
        title: "OpenCode",
        servers: Servers {
            spots: Spots {
                project: Some(Spot {
                    under: Under::Project,
                    path: "opencode.json",
                    or: Some("opencode.jsonc"),
                }),
                global: Some(Spot {
                    under: Under::Config,
                    path: "opencode/opencode.json",
                    or: Some("opencode/opencode.jsonc"),
                }),
            },
            shape: Shape::List(&["mcp"], &["mcp", "servers"]),
        },
        hooks: None,
        instructions: Some(Spots {
            project: spot(Under::Project, "AGENTS.md"),
            global: spot(Under::Config, "opencode/AGENTS.md"),
        }),
        desktop: false,
        then: Then { project: None, global: None },
    },
];

/// The names of the hosts, in the order of [`HOSTS`].
pub const HOST_NAMES: &[&str] = &{
    let mut names = [""; HOSTS.len()];
    let mut at = 0;
    while at < HOSTS.len() {
        names[at] = HOSTS[at].name;
        at += 1;
    }
    names
};

impl Host {
    /// The host of that name.
    pub fn named(name: &str) -> Option<&'static Host> {
        HOSTS.iter().find(|host| host.name == name)
    }
}
