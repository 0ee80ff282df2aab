//! A scratch world: a git repository, a fixed clock, and `ken` in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder with a repository in it, gone when the test ends.
pub struct World {
    folder: tempfile::TempDir,
    /// Variables for every command.
    pub env: Vec<(String, String)>,
}

/// What a command answered.
pub struct Answer {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Answer {
    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("not JSON ({error}): {}\n{}", self.out, self.err))
    }

    /// Insists that it worked.
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "out: {}\nerr: {}", self.out, self.err);
        self
    }

    /// Insists on an exit code.
    pub fn fails_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "out: {}\nerr: {}", self.out, self.err);
        self
    }
}

impl From<Output> for Answer {
    fn from(output: Output) -> Answer {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Answer {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

impl World {
    /// An empty folder.
    pub fn bare() -> World {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(folder.path().join("repo")).unwrap();
        let text = |text: &str| text.to_owned();
        let env = vec![
            (text("HOME"), home.display().to_string()),
            (text("XDG_DATA_HOME"), home.join("data").display().to_string()),
            (text("KEN_NOW"), text("2026-01-02T03:04:05Z")),
            (text("GIT_CONFIG_NOSYSTEM"), text("1")),
            (text("GIT_AUTHOR_DATE"), text("2026-01-02T03:04:05Z")),
            (text("GIT_COMMITTER_DATE"), text("2026-01-02T03:04:05Z")),
            (text("NO_COLOR"), text("1")),
            (text("KEN_BACKGROUND"), text("0")),
        ];
        World { folder, env }
    }

    /// A repository with one commit and a source file.
    pub fn repository() -> World {
        let world = World::bare();
        world.git("init -q -b main");
        world.git("config user.name Ada");
        world.git("config user.email ada@example.org");
        world.write("src/net.rs", "fn retry() {\n    jitter();\n}\n");
        world.git("add -A");
        world.git("commit -q -m first");
        world
    }

    /// A repository with a store, committed.
    pub fn with_store() -> World {
        let world = World::repository();
        world.ken("init").ok();
        world.git("add -A");
        world.git("commit -q -m store");
        world
    }

    /// The repository's folder.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    /// Writes a file of the repository.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Reads a file of the repository.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// A command in the repository, with a clean environment of agents' variables.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).stdin(Stdio::null());
        for name in [
            "APPDATA",
            "CLAUDECODE",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_PROJECT_DIR",
            "CODEX_HOME",
            "CODEX_SANDBOX",
            "CODEX_THREAD_ID",
            "CURSOR_AGENT",
            "CURSOR_PROJECT_DIR",
            "CURSOR_TRACE_ID",
            "GEMINI_CLI",
            "GEMINI_PROJECT_DIR",
            "KEN_ACTOR",
            "KEN_STORE",
            "KEN_GLOBAL",
            "KEN_RUN",
            "KEN_AGENT",
            "KEN_HOOKS",
            "KEN_HOOK_TIMEOUT_MS",
            "KEN_READONLY",
            "KEN_NO_MODEL",
            "KEN_POSTGRES_URL",
            "KEN_POSTGRES_URL_FILE",
            "KEN_WORKSPACE",
            "PGPASSFILE",
            "KEN_SIMD",
            "GIT_AUTHOR_NAME",
            "GIT_DIR",
            "GIT_INDEX_FILE",
            "EDITOR",
            "VISUAL",
            "XDG_CONFIG_HOME",
        ] {
            command.env_remove(name);
        }
        // No test waits for somebody to close a pager.
        command.env("KEN_PAGER", "cat");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The path of the binary under test.
    pub fn binary() -> &'static Path {
        Path::new(env!("CARGO_BIN_EXE_ken"))
    }

    /// `ken` with words split at blanks.
    pub fn ken(&self, words: &str) -> Answer {
        self.ken_args(&words.split_whitespace().collect::<Vec<_>>())
    }

    /// `ken` with exactly these arguments.
    pub fn ken_args(&self, args: &[&str]) -> Answer {
        let mut command = self.command(&World::binary().display().to_string());
        command.args(args);
        self.answered(command, None)
    }

    /// What a command answers. Whoever plays here sits at a terminal: what is for a person is confirmed there.
    pub fn answered(&self, mut command: Command, input: Option<&str>) -> Answer {
        let answer: Answer = match input {
            None => command.output().unwrap().into(),
            Some(input) => with_input(&mut command, input),
        };
        let waits = |text: &str| {
            ["requires confirmation by a person", "needs confirmation in a terminal"]
                .iter()
                .any(|asks| text.contains(asks))
        };
        match waits(&answer.err) || waits(&answer.out) {
            #[cfg(unix)]
            true => crate::pty::confirmed(self, &command, input),
            _ => answer,
        }
    }

    /// `ken` with something on standard input.
    pub fn ken_stdin(&self, args: &[&str], input: &str) -> Answer {
        let mut command = self.command(&World::binary().display().to_string());
        command.args(args);
        self.answered(command, Some(input))
    }

    /// `git` with words split at blanks; insists that it works.
    pub fn git(&self, words: &str) -> String {
        let args: Vec<&str> = words.split_whitespace().collect();
        let output = self.command("git").args(&args).output().unwrap();
        assert!(
            output.status.success(),
            "git {words}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Adds a lesson that has everything a lesson needs; gives its handle.
    pub fn lesson(&self, statement: &str) -> String {
        let args = [
            "add",
            "lesson",
            statement,
            "--evidence",
            "pr:1",
            "--anchor",
            "src/net.rs",
            "--verify",
            "look",
            "--json",
        ];
        self.ken_args(&args).ok().json()["handle"].as_str().unwrap().to_owned()
    }
}

fn with_input(command: &mut Command, input: &str) -> Answer {
    use std::io::Write;
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let feeder = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output.into()
}
