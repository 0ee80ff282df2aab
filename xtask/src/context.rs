//! What every chore needs: where the repository is, how to start a program, and how a chore fails.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How a chore ends.
pub(crate) type Outcome = Result<(), Failure>;

/// Why a chore ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line was wrong. Exit code 2.
    Usage(String),
    /// The chore ran and something is not as it should be. Exit code 1.
    Failed(String),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Failed(_) => 1,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) | Failure::Failed(message) => f.write_str(message),
        }
    }
}

/// Shorthand for [`Failure::Failed`].
pub(crate) fn failed<T>(message: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Failed(message.into()))
}

/// The repository and the cargo that started us.
pub(crate) struct Context {
    pub(crate) root: PathBuf,
    cargo: OsString,
}

impl Context {
    /// Finds the repository root: the parent of this crate's folder when started by cargo, else the nearest
    /// folder upwards that holds both `Cargo.toml` and `xtask/`.
    pub(crate) fn discover() -> Result<Context, Failure> {
        let start = match std::env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => std::env::current_dir()
                .map_err(|error| Failure::Failed(format!("cannot read the working directory: {error}")))?,
        };
        let root = start
            .ancestors()
            .find(|folder| folder.join("Cargo.toml").is_file() && folder.join("xtask").is_dir());
        match root {
            Some(root) => Ok(Context {
                root: root.to_owned(),
                cargo: std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()),
            }),
            None => failed("cannot find the repository; run this inside it, as `cargo xtask <command>`"),
        }
    }

    /// A cargo command in the repository root.
    pub(crate) fn cargo<I: IntoIterator<Item = S>, S: Into<OsString>>(&self, arguments: I) -> Command {
        let mut command = self.program(&self.cargo, arguments);
        // Cargo started us with the variables of our own package. Build scripts that look at them would run again, and with them half of the build.
        let ours = |name: &OsString| {
            let name = name.to_string_lossy();
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        };
        for (name, _) in std::env::vars_os().filter(|(name, _)| ours(name)) {
            command.env_remove(name);
        }
        command
    }

    /// Any other command in the repository root.
    pub(crate) fn program<I: IntoIterator<Item = S>, S: Into<OsString>>(
        &self,
        program: impl Into<OsString>,
        arguments: I,
    ) -> Command {
        let mut command = Command::new(program.into());
        command.current_dir(&self.root).args(arguments.into_iter().map(Into::into));
        command
    }
}

/// Runs a command with its output shown live; a non-zero exit is a failure.
pub(crate) fn show(command: &mut Command) -> Outcome {
    let shown = describe(command);
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => failed(format!("`{shown}` failed ({status})")),
        Err(error) => failed(format!("cannot start `{shown}`: {error}")),
    }
}

/// Runs a command and returns its standard output; a non-zero exit is a failure that carries standard error.
pub(crate) fn capture(command: &mut Command) -> Result<String, Failure> {
    let shown = describe(command);
    match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(output) => failed(format!(
            "`{shown}` failed ({}): {}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(error) => failed(format!("cannot start `{shown}`: {error}")),
    }
}

/// Appends to a space-separated flags variable, keeping what the caller had set.
pub(crate) fn add_flags(command: &mut Command, variable: &str, flags: &str) {
    let value = match std::env::var(variable) {
        Ok(present) if !present.trim().is_empty() => format!("{present} {flags}"),
        _ => flags.to_owned(),
    };
    command.env(variable, value);
}

/// Refuses arguments for a chore that takes none.
pub(crate) fn no_arguments(word: &str, arguments: &[String]) -> Outcome {
    match arguments.first() {
        None => Ok(()),
        Some(extra) => Err(Failure::Usage(format!("`{word}` takes no arguments, but was given `{extra}`"))),
    }
}

/// The command as one would type it, without folders in front of the program.
pub(crate) fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut shown = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        shown.push(' ');
        shown.push_str(&argument.to_string_lossy());
    }
    shown
}
