//! The stage of the demo: a scratch repository, the commands that are run in it, and how they are shown.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kenning::Error;
use serde_json::Value;

use super::code::{BOOKING, CLIENT, CLIENT_BEFORE, OUTAGE, README, TESTS};
use crate::output::{bold, dim, on_terminal, own_colours_only};

/// Why a scene ended early.
pub(super) enum Stop {
    Failed(Error),
    Interrupted,
    Unheard,
}

pub(super) type Play<T = ()> = std::result::Result<T, Stop>;

pub(super) fn failed<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
    doing: impl Into<String>,
) -> impl FnOnce(E) -> Stop {
    |source| Stop::Failed(Error::failed(doing)(source))
}

/// Ada's clone, below the scratch folder.
pub(super) const ADA: &str = "ferry";
/// Ben's.
pub(super) const BEN: &str = "ferry-ben";

/// Where scenes are played: the scratch folder, the programs, and what later scenes need of earlier ones.
pub(super) struct Stage {
    pub(super) folder: PathBuf,
    ken: PathBuf,
    pub(super) stopped: Arc<AtomicBool>,
    pub(super) scene: &'static str,
    /// Commands run and nobody sees them: what a chapter needs before it begins.
    muted: bool,
    /// Written before each command once more than one person is on stage.
    pub(super) prompt: &'static str,
    /// The handle of the lesson about retrying.
    pub(super) retry: String,
    /// The commit on which the two branches began.
    pub(super) base: String,
    pub(super) numbers: Vec<String>,
}

/// The environment that commands see. All else, of git, of agents and of `ken` itself, is left behind.
pub(super) const KEPT_VARIABLES: &[&str] = &[
    "PATH",
    "PATHEXT",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "TEMP",
    "TMP",
    "TMPDIR",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
];

/// What a command's exit should be.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Expect {
    Success,
    Refusal,
}

impl Stage {
    pub(super) fn set(folder: &Path, stopped: Arc<AtomicBool>) -> Play<Stage> {
        let ken = std::env::current_exe().map_err(failed("finding this program's own file"))?;
        let stage = Stage {
            folder: folder.to_owned(),
            ken,
            stopped,
            scene: "preparing",
            muted: false,
            prompt: "",
            retry: String::new(),
            base: String::new(),
            numbers: Vec::new(),
        };
        fs::create_dir_all(folder.join("home")).map_err(failed("making a scratch home"))?;
        // No background work may outlive the demo, and no question may wait for an answer.
        let config = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[init]\n\tdefaultBranch = main\n[core]\n\tpager = cat\n";
        fs::write(folder.join("home/gitconfig"), config).map_err(failed("writing git's settings"))?;
        match Command::new("git").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status() {
            Ok(_) => Ok(stage),
            Err(error) => Err(failed("starting git, which the demo needs; install it and try again")(error)),
        }
    }

    /// Runs what a chapter needs before it begins, without showing it.
    pub(super) fn prepare(&mut self, scene: fn(&mut Stage) -> Play) -> Play {
        self.muted = true;
        let outcome = scene(self);
        self.muted = false;
        self.numbers.clear();
        outcome
    }

    pub(super) fn say(&self, line: &str) -> Play {
        if self.stopped.load(Ordering::SeqCst) {
            return Err(Stop::Interrupted);
        }
        if self.muted {
            return Ok(());
        }
        let mut out = anstream::stdout().lock();
        match writeln!(out, "{}", own_colours_only(line)).and_then(|()| out.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Stop::Unheard),
            Err(error) => Err(failed("writing to standard output")(error)),
        }
    }

    /// Runs `ken` in Ada's clone, for everybody to see.
    pub(super) fn ken(&self, args: &[&str]) -> Play {
        self.show(ADA, "ken", args, Expect::Success)
    }

    /// Runs `git` in Ada's clone, for everybody to see.
    pub(super) fn git(&self, args: &[&str]) -> Play {
        self.show(ADA, "git", args, Expect::Success)
    }

    /// Prints a command and runs it. Its output goes straight to a terminal; elsewhere it passes through here to line up columns.
    pub(super) fn show(&self, place: &str, program: &str, args: &[&str], expect: Expect) -> Play {
        self.say(&format!("{}{}", dim(&format!("{}$ ", self.prompt)), bold(&spelled(program, args))))?;
        let mut command = self.command(place, program, args);
        let status = if on_terminal() && !self.muted {
            command.status().map_err(failed(self.doing(program, args)))?
        } else {
            let (status, text) = self.heard(&mut command, program, args)?;
            if !text.is_empty() {
                self.say(&lined_up(text.trim_end()))?;
            }
            status
        };
        self.judge(status, expect, program, args)?;
        if expect == Expect::Refusal {
            self.say(&dim(&format!("[exit code {}]", status.code().unwrap_or(-1))))?;
        }
        self.say("")
    }

    /// Runs a command for its output, which nobody sees.
    pub(super) fn ask(&self, place: &str, program: &str, args: &[&str]) -> Play<String> {
        let mut command = self.command(place, program, args);
        let output = command.output().map_err(failed(self.doing(program, args)))?;
        self.judge(output.status, Expect::Success, program, args)?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Runs `ken ... --json` in Ada's clone for its answer, which nobody sees.
    pub(super) fn ask_ken(&self, args: &[&str]) -> Play<Value> {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let text = self.ask(ADA, "ken", &args)?;
        serde_json::from_str(&text).map_err(failed(self.doing("ken", &args)))
    }

    /// Standard output and standard error in the order in which they were written.
    fn heard(&self, command: &mut Command, program: &str, args: &[&str]) -> Play<(ExitStatus, String)> {
        let doing = || self.doing(program, args);
        let (mut reader, writer) = io::pipe().map_err(failed(doing()))?;
        let second = writer.try_clone().map_err(failed(doing()))?;
        let mut child = command.stdout(writer).stderr(second).spawn().map_err(failed(doing()))?;
        // The command holds the writing ends; the pipe ends only when they are gone here too.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(failed(doing()))?;
        let status = child.wait().map_err(failed(doing()))?;
        Ok((status, String::from_utf8_lossy(&bytes).into_owned()))
    }

    pub(super) fn judge(&self, status: ExitStatus, expect: Expect, program: &str, args: &[&str]) -> Play {
        if self.stopped.load(Ordering::SeqCst) {
            return Err(Stop::Interrupted);
        }
        match (expect, status.success()) {
            (Expect::Success, true) | (Expect::Refusal, false) => Ok(()),
            (Expect::Success, false) => {
                Err(failed(self.doing(program, args))(format!("it ended with {status}")))
            }
            (Expect::Refusal, true) => {
                Err(failed(self.doing(program, args))("a refusal was expected, and it worked"))
            }
        }
    }

    pub(super) fn doing(&self, program: &str, args: &[&str]) -> String {
        format!("the demo stopped in `{}`, at `{program} {}`", self.scene, args.join(" "))
    }

    /// A command in a clean environment: no settings of the person who watches, no agent, no other store.
    pub(super) fn command(&self, place: &str, program: &str, args: &[&str]) -> Command {
        let program: &OsStr = if program == "ken" { self.ken.as_os_str() } else { program.as_ref() };
        let home = self.folder.join("home");
        let mut command = Command::new(program);
        command.args(args).current_dir(self.folder.join(place)).stdin(Stdio::null()).env_clear();
        for name in KEPT_VARIABLES {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .env("HOME", &home)
            .env("USERPROFILE", &home)
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("GIT_CONFIG_GLOBAL", home.join("gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_EDITOR", "true")
            .env("KEN_BACKGROUND", "0")
            .env("LC_ALL", "C");
        command
    }

    pub(super) fn write(&self, path: &str, text: &str) -> Play {
        let path = self.folder.join(path);
        let parent = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .map_err(failed("writing the code base"))
    }

    /// A small booking client with two commits, before anybody looks.
    pub(super) fn code_base(&self) -> Play {
        self.write(&format!("{ADA}/README.md"), README)?;
        self.write(&format!("{ADA}/src/client.py"), CLIENT_BEFORE)?;
        self.write(&format!("{ADA}/src/booking.py"), BOOKING)?;
        self.write(&format!("{ADA}/tests/test_client.py"), TESTS)?;
        let quiet = |args: &[&str]| self.ask(ADA, "git", args).map(drop);
        quiet(&["init", "-q", "-b", "main"])?;
        quiet(&["config", "user.name", "Ada"])?;
        quiet(&["config", "user.email", "ada@example.org"])?;
        quiet(&["add", "-A"])?;
        quiet(&["commit", "-q", "-m", "client: talk to the booking service"])?;
        self.write(&format!("{ADA}/src/client.py"), CLIENT)?;
        self.write(&format!("{ADA}/docs/outage.md"), OUTAGE)?;
        quiet(&["add", "-A"])?;
        quiet(&["commit", "-q", "-m", "client: retry with full jitter after the outage"])
    }
}

/// A command as a person would type it, long ones over several lines. A flag and its value stay together.
pub(super) fn spelled(program: &str, args: &[&str]) -> String {
    const LINE_CHARS_MAX: usize = 92;
    let mut parts: Vec<String> = vec![program.to_owned()];
    for word in args {
        match parts.last_mut() {
            Some(flag) if flag.starts_with("--") && !flag.contains(' ') && !word.starts_with("--") => {
                flag.push_str(&format!(" {}", quoted(word)));
            }
            _ => parts.push(quoted(word)),
        }
    }
    let mut lines = vec![String::new()];
    for part in parts {
        let line = lines.last_mut().expect("there is a first line");
        if line.is_empty() {
            *line = part;
        } else if line.chars().count() + 1 + part.chars().count() <= LINE_CHARS_MAX {
            line.push_str(&format!(" {part}"));
        } else {
            lines.push(format!("    {part}"));
        }
    }
    lines.join(" \\\n")
}

/// A word in quotes, if a shell would need them.
pub(super) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=@%+,#".contains(letter);
    if !word.is_empty() && !word.starts_with('#') && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Tab-separated lines with their columns under each other; other lines as they are.
pub(super) fn lined_up(text: &str) -> String {
    let cells: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    let width = |column: usize| {
        let of_column = cells.iter().filter(|row| row.len() > column + 1);
        of_column.map(|row| row[column].chars().count()).max().unwrap_or(0)
    };
    let rows = cells.iter().map(|row| match row.as_slice() {
        [whole] => (*whole).to_owned(),
        columns => {
            let padded = columns.iter().enumerate().map(|(at, cell)| format!("{cell:<w$}", w = width(at)));
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        }
    });
    rows.collect::<Vec<_>>().join("\n")
}
