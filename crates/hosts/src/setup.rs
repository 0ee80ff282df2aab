//! What `ken setup` writes for a host, and how it is taken away again.
//!
//! Everything is planned before anything is written: `plan` reads the files of a host and says what would become of them, and
//! `Plan::write` does it. What is written can be taken away without a record, to the byte; how is said in `json` and `block`.

mod block;
mod diff;
mod disk;
mod hooks;
mod hosts;
mod json;
mod section;
mod servers;
#[cfg(test)]
mod tests;
mod toml;

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

pub use hosts::{HOSTS, Host};
use hosts::{Shape, Spot, Spots, Under};

/// What our server is called in a host's file.
pub const SERVER: &str = "kenning";

/// Whose files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The project's.
    Project,
    /// The user's.
    Global,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Write what is missing or stale.
    Install,
    /// Take away what is ours.
    Remove,
}

/// What is written for a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The entry of the MCP server.
    Server,
    /// The hooks.
    Hooks,
    /// The section in the instructions.
    Instructions,
}

impl Part {
    /// Every part.
    pub const ALL: [Part; 3] = [Part::Server, Part::Hooks, Part::Instructions];

    /// A word for it.
    pub fn word(self) -> &'static str {
        match self {
            Part::Server => "server",
            Part::Hooks => "hooks",
            Part::Instructions => "instructions",
        }
    }
}

/// How a part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is not there.
    Missing,
    /// It is there, but not as it would be written now.
    Stale,
    /// It is as it would be written now.
    Current,
}

impl State {
    /// A word for it.
    pub fn word(self) -> &'static str {
        match self {
            State::Missing => "missing",
            State::Stale => "stale",
            State::Current => "current",
        }
    }
}

/// How much instructions say: less where hooks hand entries over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Short,
    Full,
}

impl Level {
    const ALL: [Level; 2] = [Level::Short, Level::Full];

    fn name(self) -> &'static str {
        match self {
            Level::Short => "short",
            Level::Full => "full",
        }
    }
}

/// The system whose folders are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux and what is like it.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl System {
    /// The one this program runs on.
    pub fn here() -> System {
        match (cfg!(windows), cfg!(target_os = "macos")) {
            (true, _) => System::Windows,
            (false, true) => System::Mac,
            (false, false) => System::Linux,
        }
    }
}

/// Where files are, and which program they are to name.
#[derive(Clone, Debug)]
pub struct Places {
    /// The top of the project.
    pub project: PathBuf,
    /// The user's home.
    pub home: PathBuf,
    /// What starts `ken` where a shell says what PATH is: a name or a path.
    pub program: String,
    /// Its path, for hosts that are started from a desktop.
    pub program_path: String,
    /// The system.
    pub system: System,
    /// `CLAUDE_CONFIG_DIR`.
    pub claude: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub codex: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub config: Option<PathBuf>,
    /// `APPDATA`.
    pub app_data: Option<PathBuf>,
}

impl Places {
    /// The places of a project and a home, with what the environment says. A variable that is no absolute path says nothing.
    pub fn new(
        project: PathBuf,
        home: PathBuf,
        program: String,
        program_path: String,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Places {
        let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        Places {
            project,
            home,
            program,
            program_path,
            system: System::here(),
            claude: folder("CLAUDE_CONFIG_DIR"),
            codex: folder("CODEX_HOME"),
            config: folder("XDG_CONFIG_HOME"),
            app_data: folder("APPDATA"),
        }
    }

    fn folder(&self, under: Under) -> PathBuf {
        let home = |path: &str| self.home.join(path);
        let or = |folder: &Option<PathBuf>, path: &str| folder.clone().unwrap_or_else(|| home(path));
        match (under, self.system) {
            (Under::Project, _) => self.project.clone(),
            (Under::Home, _) => self.home.clone(),
            (Under::Claude, _) => or(&self.claude, ".claude"),
            (Under::ClaudeState, _) => self.claude.clone().unwrap_or_else(|| self.home.clone()),
            (Under::Codex, _) => or(&self.codex, ".codex"),
            (Under::Config, _) => or(&self.config, ".config"),
            (Under::Applications, System::Linux) => or(&self.config, ".config"),
            (Under::Applications, System::Mac) => home("Library/Application Support"),
            (Under::Applications, System::Windows) => or(&self.app_data, "AppData/Roaming"),
            (Under::Zed, System::Linux | System::Mac) => or(&self.config, ".config").join("zed"),
            (Under::Zed, System::Windows) => or(&self.app_data, "AppData/Roaming").join("Zed"),
        }
    }

    /// The folders that nothing is written outside of.
    fn roots(&self, scope: Scope) -> Vec<PathBuf> {
        match scope {
            Scope::Project => vec![self.project.clone()],
            Scope::Global => {
                let named = [&self.claude, &self.codex, &self.config, &self.app_data];
                std::iter::once(&self.home).chain(named.into_iter().flatten()).cloned().collect()
            }
        }
    }

    fn file(&self, spot: Spot) -> PathBuf {
        let folder = self.folder(spot.under);
        let other = spot.or.map(|path| folder.join(path)).filter(|other| other.exists());
        match other {
            Some(other) if !folder.join(spot.path).exists() => other,
            Some(_) | None => folder.join(spot.path),
        }
    }
}

/// Why a file was not touched. No file is, then.
#[derive(Debug)]
pub enum Problem {
    /// It cannot be read as what it should be, or has another shape.
    Malformed {
        /// The file.
        file: PathBuf,
        /// What is wrong, and where.
        fault: Fault,
    },
    /// It is something else than a file.
    NotAFile {
        /// Where a file should be.
        file: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// It is marked as not to be written.
    ReadOnly {
        /// The file.
        file: PathBuf,
    },
    /// A link leads out of the project, or out of the home.
    Outside {
        /// The file.
        file: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// It changed after it was read.
    Changed {
        /// The file.
        file: PathBuf,
    },
    /// The world failed.
    Failed {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        file: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Malformed { file, fault } => {
                write!(f, "{}, line {}: {}; nothing was written", file.display(), fault.line, fault.what)
            }
            Problem::NotAFile { file, what } => {
                write!(f, "{} is {what}; nothing was written", file.display())
            }
            Problem::ReadOnly { file } => write!(f, "{} is read-only; nothing was written", file.display()),
            Problem::Outside { file, target } => write!(
                f,
                "{} leads to {}, which is outside; nothing was written",
                file.display(),
                target.display()
            ),
            Problem::Changed { file } => {
                write!(f, "{} changed while it was being looked at; nothing was written", file.display())
            }
            Problem::Failed { doing, file, source } => write!(f, "{doing} {}: {source}", file.display()),
        }
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Problem::Failed { source, .. } => Some(source),
            Problem::Malformed { .. }
            | Problem::NotAFile { .. }
            | Problem::ReadOnly { .. }
            | Problem::Outside { .. }
            | Problem::Changed { .. } => None,
        }
    }
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl Fault {
    fn at(text: &str, at: usize, what: &str) -> Fault {
        let line = text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1;
        Fault { line, what: what.to_owned() }
    }
}

/// How a part of a host stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The part.
    pub part: Part,
    /// The file it is in, or would be.
    pub file: PathBuf,
    /// How it stands there.
    pub state: State,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file, as the host knows it.
    pub file: PathBuf,
    /// What it holds; none where it is not there.
    pub before: Option<String>,
    /// What it will hold; none where it goes.
    pub after: Option<String>,
    /// The file behind whatever links lead to it.
    target: PathBuf,
    /// The folder that is not looked beyond when empty folders go.
    root: PathBuf,
}

impl Change {
    /// The change as a unified diff, with the file's path from the project or from the home.
    pub fn diff(&self) -> String {
        let name = self.file.strip_prefix(&self.root).unwrap_or(&self.file);
        diff::unified(
            &name.display().to_string().replace('\\', "/"),
            self.before.as_deref(),
            self.after.as_deref(),
        )
    }
}

/// What would be done for a host.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How each part stands before.
    pub standings: Vec<Standing>,
    /// What becomes of files; those that stay are not here.
    pub changes: Vec<Change>,
    /// What somebody should know.
    pub notes: Vec<String>,
}

impl Plan {
    /// Writes every change, or none.
    pub fn write(&self) -> Result<(), Problem> {
        disk::write(&self.changes)
    }
}

/// The command that a host's file says our server is started by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configured {
    /// The file that says so.
    pub file: PathBuf,
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables for it.
    pub env: Vec<(String, String)>,
}

impl Host {
    /// The scope that is meant: a host that reads no project files has only the user's.
    pub fn scope(&self, wanted: Scope) -> Scope {
        match self.servers.spots.project {
            Some(_) => wanted,
            None => Scope::Global,
        }
    }

    /// What a person has to do in the host after it was set up.
    pub fn then(&self) -> Option<&'static str> {
        self.then
    }

    fn spot(&self, part: Part, scope: Scope) -> Option<Spot> {
        let spots = match part {
            Part::Server => Some(self.servers.spots),
            Part::Hooks => self.hooks.as_ref().map(|hooks| hooks.spots),
            Part::Instructions => self.instructions,
        };
        let at = |spots: Spots| match scope {
            Scope::Project => spots.project,
            Scope::Global => spots.global,
        };
        spots.and_then(at)
    }

    fn level(&self, scope: Scope) -> Level {
        match self.spot(Part::Hooks, scope) {
            Some(_) => Level::Short,
            None => Level::Full,
        }
    }

    fn program<'a>(&self, places: &'a Places) -> &'a str {
        if self.desktop { &places.program_path } else { &places.program }
    }

    fn args(&self) -> Vec<String> {
        ["mcp", "--host", self.name].map(str::to_owned).to_vec()
    }

    fn entry(&self, places: &Places) -> toml::Entry {
        toml::Entry { program: self.program(places).to_owned(), args: self.args() }
    }

    fn json_entry(&self, places: &Places) -> json::Json {
        servers::entry(self.servers.shape, self.program(places), &self.args())
    }

    fn state_of(&self, part: Part, scope: Scope, text: &str, places: &Places) -> Result<State, Fault> {
        match part {
            Part::Server => match self.servers.shape {
                Shape::Toml => toml::state(text, &self.entry(places)),
                shape @ (Shape::Plain(_) | Shape::Typed(_) | Shape::Custom(_) | Shape::List(..)) => {
                    servers::state(text, shape, &self.json_entry(places))
                }
            },
            Part::Hooks => match &self.hooks {
                Some(hooks) => hooks::state(text, hooks, self.name, self.program(places)),
                None => Ok(State::Missing),
            },
            Part::Instructions => section::state(text, self.level(scope)),
        }
    }

    fn install(
        &self,
        part: Part,
        scope: Scope,
        text: Option<&str>,
        places: &Places,
    ) -> Result<String, Fault> {
        match part {
            Part::Server => match self.servers.shape {
                Shape::Toml => toml::install(text, &self.entry(places)),
                shape @ (Shape::Plain(_) | Shape::Typed(_) | Shape::Custom(_) | Shape::List(..)) => {
                    servers::install(text, shape, &self.json_entry(places))
                }
            },
            Part::Hooks => match &self.hooks {
                Some(hooks) => hooks::install(text, hooks, self.name, self.program(places)),
                None => Ok(text.unwrap_or_default().to_owned()),
            },
            Part::Instructions => section::install(text, self.level(scope)),
        }
    }

    fn remove(&self, part: Part, text: &str) -> Result<Option<String>, Fault> {
        match part {
            Part::Server => match self.servers.shape {
                Shape::Toml => toml::remove(text),
                shape @ (Shape::Plain(_) | Shape::Typed(_) | Shape::Custom(_) | Shape::List(..)) => {
                    servers::remove(text, shape)
                }
            },
            Part::Hooks => match &self.hooks {
                Some(hooks) => hooks::remove(text, hooks, self.name),
                None => Ok(Some(text.to_owned())),
            },
            Part::Instructions => section::remove(text),
        }
    }
}

/// A file while it is being planned for.
struct Draft {
    file: PathBuf,
    original: disk::Original,
    text: Option<String>,
    root: PathBuf,
}

/// The files of a host, each once.
struct Drafts<'a> {
    places: &'a Places,
    scope: Scope,
    all: Vec<Draft>,
}

impl Drafts<'_> {
    /// The file of a part, read if it was not yet.
    fn of(&mut self, host: &Host, part: Part) -> Result<Option<usize>, Problem> {
        let Some(spot) = host.spot(part, self.scope) else { return Ok(None) };
        let file = self.places.file(spot);
        let index = self.open(file, spot.under)?;
        if part != Part::Instructions {
            return Ok(Some(index));
        }
        // A CLAUDE.md that only points at AGENTS.md is not what is to be written to.
        let imports = |text: &String| {
            text.lines().any(|line| line.trim() == "@AGENTS.md")
                && section::state(text, Level::Short) == Ok(State::Missing)
        };
        let other = self.all[index].file.with_file_name("AGENTS.md");
        match self.all[index].text.as_ref().is_some_and(imports) && other.is_file() {
            true => self.open(other, spot.under).map(Some),
            false => Ok(Some(index)),
        }
    }

    fn open(&mut self, file: PathBuf, under: Under) -> Result<usize, Problem> {
        let original = disk::read(&file, &self.places.roots(self.scope))?;
        if let Some(index) = self.all.iter().position(|draft| draft.original.target == original.target) {
            return Ok(index);
        }
        let root = match under {
            Under::Project => self.places.project.clone(),
            Under::Home
            | Under::Claude
            | Under::ClaudeState
            | Under::Codex
            | Under::Config
            | Under::Applications
            | Under::Zed => match file.starts_with(&self.places.home) {
                true => self.places.home.clone(),
                false => self.places.folder(under),
            },
        };
        let text = original.text.clone();
        self.all.push(Draft { file, original, text, root });
        Ok(self.all.len() - 1)
    }
}

/// What `action` would do to the files of a host. Nothing is written; a problem with one file is a problem of all.
pub fn plan(host: &Host, scope: Scope, action: Action, places: &Places) -> Result<Plan, Problem> {
    let mut drafts = Drafts { places, scope, all: Vec::new() };
    let mut standings = Vec::new();
    let mut notes = Vec::new();
    let mut parts = Part::ALL;
    if action == Action::Remove {
        // What came last goes first, so that each finds the file as it left it.
        parts.reverse();
    }
    for part in parts {
        let Some(index) = drafts.of(host, part)? else { continue };
        let draft = &mut drafts.all[index];
        let (file, text) = (draft.file.clone(), draft.text.as_deref());
        let malformed = |fault| Problem::Malformed { file: file.clone(), fault };
        let state = match text {
            Some(text) => host.state_of(part, scope, text, places).map_err(malformed)?,
            None => State::Missing,
        };
        standings.push(Standing { part, file: file.clone(), state });
        match (action, state, text) {
            (Action::Install, State::Current, _) | (Action::Remove, State::Missing, _) => {}
            (Action::Install, State::Missing | State::Stale, text) => {
                draft.text = Some(host.install(part, scope, text, places).map_err(malformed)?);
            }
            (Action::Remove, State::Stale | State::Current, None) => {}
            (Action::Remove, State::Stale | State::Current, Some(text)) => {
                let target = draft.original.target.clone();
                if part == Part::Instructions {
                    let others = sharing(host, scope, &target, places);
                    if let [first, ..] = others.as_slice() {
                        notes.push(format!("{} keeps its section: {} uses it", file.display(), first.title));
                        continue;
                    }
                }
                if was_edited(host, part, state, text).map_err(malformed)? {
                    notes.push(format!(
                        "{}: the {} had been changed since, or by another version; only what is ours goes",
                        file.display(),
                        part.word()
                    ));
                }
                draft.text = host.remove(part, text).map_err(malformed)?;
            }
        }
    }
    standings.sort_by_key(|standing: &Standing| Part::ALL.iter().position(|part| *part == standing.part));
    let mut changes = Vec::new();
    for draft in drafts.all {
        if draft.text == draft.original.text {
            continue;
        }
        if draft.original.read_only {
            return Err(Problem::ReadOnly { file: draft.file });
        }
        let (target, before) = (draft.original.target, draft.original.text);
        changes.push(Change { file: draft.file, before, after: draft.text, target, root: draft.root });
    }
    if action == Action::Remove {
        changes.reverse();
    }
    Ok(Plan { standings, changes, notes })
}

/// How each part of a host stands. Parts that the host does not have there are not listed.
pub fn state(host: &Host, scope: Scope, places: &Places) -> Result<Vec<Standing>, Problem> {
    let mut drafts = Drafts { places, scope, all: Vec::new() };
    let mut standings = Vec::new();
    for part in Part::ALL {
        let Some(index) = drafts.of(host, part)? else { continue };
        let draft = &drafts.all[index];
        let file = draft.file.clone();
        let state = match draft.text.as_deref() {
            Some(text) => host
                .state_of(part, scope, text, places)
                .map_err(|fault| Problem::Malformed { file: file.clone(), fault })?,
            None => State::Missing,
        };
        standings.push(Standing { part, file, state });
    }
    Ok(standings)
}

/// The very command that the host's file says, whoever wrote it.
pub fn configured(host: &Host, scope: Scope, places: &Places) -> Result<Option<Configured>, Problem> {
    let mut drafts = Drafts { places, scope, all: Vec::new() };
    let Some(index) = drafts.of(host, Part::Server)? else { return Ok(None) };
    let draft = &drafts.all[index];
    let (file, Some(text)) = (draft.file.clone(), draft.text.as_deref()) else { return Ok(None) };
    let read = match host.servers.shape {
        Shape::Toml => toml::read(text),
        shape @ (Shape::Plain(_) | Shape::Typed(_) | Shape::Custom(_) | Shape::List(..)) => {
            servers::read(text, shape)
        }
    };
    let read = read.map_err(|fault| Problem::Malformed { file: file.clone(), fault })?;
    Ok(read.and_then(|entry| command(file, &entry)))
}

/// The command lines of our hooks that the host's file says.
pub fn hook_commands(host: &Host, scope: Scope, places: &Places) -> Result<Vec<String>, Problem> {
    let mut drafts = Drafts { places, scope, all: Vec::new() };
    let (Some(hooks), Some(index)) = (&host.hooks, drafts.of(host, Part::Hooks)?) else {
        return Ok(Vec::new());
    };
    let draft = &drafts.all[index];
    let commands = draft.text.as_deref().map(|text| hooks::commands(text, hooks, host.name)).transpose();
    let commands = commands.map_err(|fault| Problem::Malformed { file: draft.file.clone(), fault })?;
    Ok(commands.unwrap_or_default())
}

/// What a part would be in a file of its own, to be read or put in place by hand. None where the host has no such part there.
pub fn sample(host: &Host, part: Part, scope: Scope, places: &Places) -> Option<(PathBuf, String)> {
    let file = places.file(host.spot(part, scope)?);
    let text =
        host.install(part, scope, None, places).expect("nothing is in the way in a file that is not there");
    Some((file, text))
}

fn command(file: PathBuf, entry: &Value) -> Option<Configured> {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let mut words = match entry.get("command")? {
        Value::String(program) => vec![program.clone()],
        list => texts(list),
    };
    words.extend(entry.get("args").map(texts).unwrap_or_default());
    let env = ["env", "environment"].iter().find_map(|key| entry.get(key)).and_then(Value::as_object);
    let text = |(key, value): (&String, &Value)| (key.clone(), value.as_str().unwrap_or_default().to_owned());
    let env = env.map(|env| env.iter().map(text).collect()).unwrap_or_default();
    let mut words = words.into_iter();
    Some(Configured { file, program: words.next()?, args: words.collect(), env })
}

/// Other hosts that are set up here and read the same instructions.
fn sharing(host: &Host, scope: Scope, target: &Path, places: &Places) -> Vec<&'static Host> {
    let shares = |other: &&Host| {
        let mut drafts = Drafts { places, scope, all: Vec::new() };
        let same = match drafts.of(other, Part::Instructions) {
            Ok(Some(index)) => drafts.all[index].original.target == target,
            Ok(None) | Err(_) => false,
        };
        // Files of another host that cannot be read say nothing about this one.
        other.name != host.name && same && matches!(configured(other, scope, places), Ok(Some(_)))
    };
    HOSTS.iter().filter(shares).collect()
}

fn was_edited(host: &Host, part: Part, state: State, text: &str) -> Result<bool, Fault> {
    match part {
        Part::Server => {
            let read = match host.servers.shape {
                Shape::Toml => toml::read(text)?,
                shape @ (Shape::Plain(_) | Shape::Typed(_) | Shape::Custom(_) | Shape::List(..)) => {
                    servers::read(text, shape)?
                }
            };
            let keys = ["type", "source", "command", "args", "enabled"];
            let more = |entry: &Value| {
                entry.as_object().is_none_or(|entry| entry.keys().any(|key| !keys.contains(&key.as_str())))
            };
            Ok(state == State::Stale || read.as_ref().is_some_and(more))
        }
        Part::Hooks => Ok(state == State::Stale),
        Part::Instructions => section::edited(text),
    }
}
