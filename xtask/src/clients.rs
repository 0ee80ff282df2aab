//! The step `clients`: the official MCP clients, the Inspector, the conformance suite and a client that is generated from the document of the
//! HTTP API drive the `ken` that was just built.
//!
//! They are installed below `target/clients`, in the versions that the lock files in `tests/clients` name, and stay there until
//! those change. Where they cannot be installed the step says so and is skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::context::{Context, Failure, Outcome, capture, failed, no_arguments};
use crate::test::SkipLog;

/// The scripts and lock files.
const SCRIPTS: &str = "tests/clients";
/// What Node runs, each a conversation of its own.
const NODE_SCRIPTS: &[&str] = &["sdk.ts", "client.ts", "inspector.ts", "conformance.ts"];
const PYTHON_SCRIPTS: &[&str] = &["client.py", "generated.py"];
/// A copy of the lock file that an installation was made from. It is written last, so a broken one is made anew.
const INSTALLED: &str = "installed.lock";
/// So much is told of why something could not be installed.
const REASON_CHARS_MAX: usize = 400;

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    no_arguments("clients", arguments)?;
    drive(context, &SkipLog::create()?)
}

pub(crate) fn drive(context: &Context, skip_log: &SkipLog) -> Outcome {
    let folder = target_folder(context)?.join("clients");
    let ken = build(context)?;
    let mut conversations = Vec::new();
    match node(context, SCRIPTS, &folder.join("node")) {
        Ok(node) => conversations.extend(NODE_SCRIPTS.iter().map(|script| {
            let mut command = Command::new(&node);
            command.arg(folder.join("node").join(script)).arg(&ken);
            (*script, command)
        })),
        Err(Failure::Failed(why) | Failure::Usage(why)) => {
            skip_log.note(&format!("the TypeScript clients are not installed: {why}"))?;
        }
    }
    match python(context, SCRIPTS, &folder.join("python")) {
        Ok(python) => conversations.extend(PYTHON_SCRIPTS.iter().map(|script| {
            let mut command = Command::new(&python);
            // Both import a third script, whose compiled form would lie among the sources.
            command.env("PYTHONDONTWRITEBYTECODE", "1");
            command.arg(context.root.join(SCRIPTS).join(script)).arg(&ken);
            (*script, command)
        })),
        Err(Failure::Failed(why) | Failure::Usage(why)) => {
            skip_log.note(&format!("the Python clients are not installed: {why}"))?;
        }
    }
    hold(conversations)
}

/// Holds all conversations at once, since they mostly wait; shows what each said, and which of them failed.
fn hold(conversations: Vec<(&str, Command)>) -> Outcome {
    let held: Vec<_> = conversations
        .into_iter()
        .map(|(name, mut command)| {
            command.stdin(Stdio::null());
            (name, std::thread::spawn(move || command.output()))
        })
        .collect();
    let mut wrong = Vec::new();
    for (name, conversation) in held {
        let output = match conversation.join() {
            Ok(Ok(output)) => output,
            Ok(Err(error)) => return failed(format!("cannot start {name}: {error}")),
            Err(_) => return failed(format!("{name} broke off")),
        };
        println!("{name}");
        String::from_utf8_lossy(&output.stdout).lines().for_each(|line| println!("  {line}"));
        if !output.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
            wrong.push(name);
        }
    }
    if wrong.is_empty() { Ok(()) } else { failed(format!("{} found something wrong", wrong.join(", "))) }
}

/// Builds `ken`; gives its path.
pub(crate) fn build(context: &Context) -> Result<PathBuf, Failure> {
    build_program(context, "ken")
}

/// Builds a program of the workspace as the tests have it, so that nothing which they compiled is compiled again; gives its path.
pub(crate) fn build_program(context: &Context, name: &str) -> Result<PathBuf, Failure> {
    capture(&mut context.cargo(["build", "-q", "--workspace", "--bins", "--tests"]))?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    Ok(target_folder(context)?.join("debug").join(name))
}

pub(crate) fn target_folder(context: &Context) -> Result<PathBuf, Failure> {
    let said = capture(&mut context.cargo(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&said)
        .map_err(|error| Failure::Failed(format!("`cargo metadata` said no JSON: {error}")))?;
    match metadata["target_directory"].as_str() {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => failed("`cargo metadata` names no target folder"),
    }
}

/// Installs what the `package-lock.json` of some scripts names, Node among it, with the scripts beside it; gives that Node.
pub(crate) fn node(context: &Context, scripts: &str, to: &Path) -> Result<PathBuf, Failure> {
    let from = context.root.join(scripts);
    let lock = from.join("package-lock.json");
    if !is_installed(&lock, to) {
        begin_anew(to)?;
        for name in ["package.json", "package-lock.json", ".npmrc"] {
            copy(&from.join(name), &to.join(name))?;
        }
        println!("installing what {scripts} needs below {}", shown(context, to));
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        // Not `npm ci`, which wants parts for every platform in the lock file; versions and checksums hold all the same.
        let quietly = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
        // Without a network it would wait ten seconds for each of two hundred packages.
        let soon = ["--fetch-retries=1", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=1000"];
        install(Command::new(npm).args(quietly).args(soon).current_dir(to))?;
        copy(&lock, &to.join(INSTALLED))?;
    }
    // Node finds packages from where a script lies, so the scripts lie beside them.
    let scripts = std::fs::read_dir(&from).map_err(|error| unreadable(&from, &error))?;
    for script in scripts.flatten().map(|entry| entry.path()) {
        let is_wanted = script.extension().is_some_and(|ending| ending == "ts" || ending == "yml");
        if let Some(name) = script.file_name().filter(|_| is_wanted) {
            copy(&script, &to.join(name))?;
        }
    }
    Ok(to.join("node_modules/node/bin").join(format!("node{}", std::env::consts::EXE_SUFFIX)))
}

/// Makes an environment with what the `requirements.txt` of some scripts names; gives its Python.
pub(crate) fn python(context: &Context, scripts: &str, to: &Path) -> Result<PathBuf, Failure> {
    let from = context.root.join(scripts);
    let lock = from.join("requirements.txt");
    let python = match cfg!(windows) {
        true => to.join("Scripts/python.exe"),
        false => to.join("bin/python"),
    };
    if !is_installed(&lock, to) {
        begin_anew(to)?;
        println!("installing what {scripts} needs below {}", shown(context, to));
        install(Command::new("python3").args(["-m", "venv"]).arg(to))?;
        let quietly = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--retries=1",
            "--no-deps",
            "-r",
        ];
        install(Command::new(&python).args(quietly).arg(&lock))?;
        copy(&lock, &to.join(INSTALLED))?;
    }
    Ok(python)
}

/// Runs what installs something; a failure is told in short.
fn install(command: &mut Command) -> Outcome {
    capture(command).map(drop).map_err(|failure| {
        let why = failure.to_string();
        let short: String = why.chars().take(REASON_CHARS_MAX).collect();
        Failure::Failed(if short == why { why } else { format!("{short} ...") })
    })
}

fn is_installed(lock: &Path, at: &Path) -> bool {
    match (std::fs::read(lock), std::fs::read(at.join(INSTALLED))) {
        (Ok(wanted), Ok(installed)) => wanted == installed,
        _ => false,
    }
}

fn begin_anew(folder: &Path) -> Outcome {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(|error| unreadable(folder, &error))?;
    }
    std::fs::create_dir_all(folder).map_err(|error| unreadable(folder, &error))
}

fn copy(from: &Path, to: &Path) -> Outcome {
    std::fs::copy(from, to).map(drop).map_err(|error| unreadable(from, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Failed(format!("{}: {error}", path.display()))
}

fn shown(context: &Context, path: &Path) -> String {
    path.strip_prefix(&context.root).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Addresses in a lock file would tie everybody to the registry of whoever wrote it.
    #[test]
    fn lock_files_pin_versions_and_name_no_registry() {
        let context = Context::discover().unwrap();
        let read = |name: &str| std::fs::read_to_string(context.root.join(name)).unwrap();
        for scripts in [SCRIPTS, crate::browser::SCRIPTS] {
            let lock: serde_json::Value =
                serde_json::from_str(&read(&format!("{scripts}/package-lock.json"))).unwrap();
            for (name, package) in lock["packages"].as_object().unwrap() {
                assert!(package.get("resolved").is_none(), "{name} says where it came from");
                assert!(name.is_empty() || package["integrity"].is_string(), "{name} has no checksum");
            }
            let wanted: serde_json::Value =
                serde_json::from_str(&read(&format!("{scripts}/package.json"))).unwrap();
            for (name, version) in wanted["dependencies"].as_object().unwrap() {
                let begins = version.as_str().unwrap().chars().next().unwrap();
                assert!(begins.is_ascii_digit(), "{name} is not pinned: {version}");
            }
        }
        let wanted =
            [SCRIPTS, crate::api::SCRIPTS].map(|scripts| read(&format!("{scripts}/requirements.txt")));
        for line in wanted.iter().flat_map(|text| text.lines()) {
            let (name, version) = line.split_once("==").unwrap_or_else(|| panic!("{line} is not pinned"));
            assert!(!name.is_empty() && !version.contains(['/', '@']), "{line}");
        }
    }
}
