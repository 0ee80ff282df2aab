//! What `ken setup` writes for a host, and how it is taken away again.
//!
//! Everything is planned before anything is written: `plan` reads the files of a host and says what would become of them, and
//! `Plan::write` does it. What is written can be taken away without a record, to the byte; how is said in `json` and `block`.

mod block;
mod diff;
mod disk;
mod entry;
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

pub use entry::is_unwanted;
pub use hosts::{HOST_NAMES, HOSTS, Host};
use hosts::{Shape, Spot, Spots, Under};

/// What our server is called in a host's file.
pub const SERVER: &str = "kenning";

/// What is said of a server that has our name and is not ours.
const TAKEN: &str = "another server named kenning; rename it first";

/// Whose files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Project,
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
    Hooks,
    /// The section in the instructions.
    Instructions,
}

impl Part {
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
    /// Something of somebody else has its name, and is left alone.
    Taken,
}

impl State {
    /// A word for it.
    pub fn word(self) -> &'static str {
        match self {
            State::Missing => "missing",
            State::Stale => "stale",
            State::Current => "current",
            State::Taken => "taken",
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
    ReadOnly { file: PathBuf },
    /// A link leads out of the project, or out of the home.
    Outside {
        file: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A link leads to what is git's own.
    GitsOwn {
        file: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// It changed after it was read.
    Changed { file: PathBuf },
    /// The world failed.
    Failed {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        file: PathBuf,
        source: std::io::Error,
    },
}

impl Problem {
    /// What is wrong, for whoever only looks.
    pub fn what(&self) -> String {
        match self {
            Problem::Malformed { file, fault } => {
                format!("{}, line {}: {}", file.display(), fault.line, fault.what)
            }
            Problem::NotAFile { file, what } => format!("{} is {what}", file.display()),
            Problem::ReadOnly { file } => format!("{} is read-only", file.display()),
            Problem::Outside { file, target } => {
                format!("{} points to {}, which is outside", file.display(), target.display())
            }
            Problem::GitsOwn { file, target } => {
                format!("{} points to {}, which is inside .git", file.display(), target.display())
            }
            Problem::Changed { file } => format!("{} changed while it was read", file.display()),
            Problem::Failed { doing, file, source } => format!("{doing} {}: {source}", file.display()),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Malformed { .. }
            | Problem::NotAFile { .. }
            | Problem::ReadOnly { .. }
            | Problem::Outside { .. }
            | Problem::GitsOwn { .. }
            | Problem::Changed { .. } => write!(f, "{}; nothing was written", self.what()),
            Problem::Failed { .. } => f.write_str(&self.what()),
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
            | Problem::GitsOwn { .. }
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
    pub part: Part,
    /// The file it is in, or would be.
    pub file: PathBuf,
    /// How it stands there.
    pub state: State,
    /// Why it stands so, where that is not plain.
    pub why: Option<String>,
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
    pub program: String,
    pub args: Vec<String>,
    /// Variables for it.
    pub env: Vec<(String, String)>,
    /// Whether it is `ken mcp`, and not what somebody else calls by our name.
    pub is_ours: bool,
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
    pub fn then(&self, scope: Scope) -> Option<&'static str> {
        match scope {
            Scope::Project => self.then.project,
            Scope::Global => self.then.global,
        }
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

    /// Every way to name this very program that is as good as the one that would be written: its path was asked for once.
    fn programs(&self, places: &Places) -> Vec<String> {
        let behind = std::fs::canonicalize(&places.program_path).ok();
        let behind = behind.map(|path| path.display().to_string());
        [self.program(places).to_owned(), places.program_path.clone()].into_iter().chain(behind).collect()
    }

    fn toml_entry(&self, program: &str) -> toml::Entry {
        toml::Entry { program: program.to_owned(), args: self.args() }
    }

    fn json_entry(&self, program: &str) -> json::Json {
        servers::entry(self.servers.shape, program, &self.args())
    }

    /// What a text says of the server that has our name.
    fn server(&self, text: &str) -> Result<Option<Value>, Fault> {
        match self.servers.shape {
            Shape::Toml => toml::read(text),
            shape @ (Shape::Plain(_) | Shape::Typed(_) | Shape::Custom(_) | Shape::List(..)) => {
                servers::read(text, shape)
            }
        }
    }

    /// The variables of our entry that are not for it to set.
    fn unwanted(&self, scope: Scope, text: &str) -> Result<Vec<String>, Fault> {
        let there = self.server(text)?.filter(entry::is_ours);
        Ok(there.map(|there| entry::unwanted(&there, scope)).unwrap_or_default())
    }

    fn server_state(&self, scope: Scope, text: &str, places: &Places) -> Result<State, Fault> {
        let Some(there) = self.server(text)? else { return Ok(State::Missing) };
        if !entry::is_ours(&there) {
            return Ok(State::Taken);
        }
        let says = |program: &String| match self.servers.shape {
            Shape::Toml => self.toml_entry(program).is_said_by(&there),
            Shape::Plain(_) | Shape::Typed(_) | Shape::Custom(_) | Shape::List(..) => {
                servers::says(&there, &self.json_entry(program))
            }
        };
        let current = self.programs(places).iter().any(says) && entry::unwanted(&there, scope).is_empty();
        Ok(if current { State::Current } else { State::Stale })
    }

    fn state_of(&self, part: Part, scope: Scope, text: &str, places: &Places) -> Result<State, Fault> {
        match part {
            Part::Server => self.server_state(scope, text, places),
            Part::Hooks => match &self.hooks {
                Some(hooks) => {
                    let mut state = State::Missing;
                    for program in self.programs(places) {
                        state = hooks::state(text, hooks, self.name, &program)?;
                        if state == State::Current {
                            break;
                        }
                    }
                    Ok(state)
                }
                None => Ok(State::Missing),
            },
            Part::Instructions => section::state(text, self.level(scope)),
        }
    }

    fn standing(
        &self,
        part: Part,
        scope: Scope,
        file: &Path,
        text: Option<&str>,
        places: &Places,
    ) -> Result<Standing, Fault> {
        let state = match text {
            Some(text) => self.state_of(part, scope, text, places)?,
            None => State::Missing,
        };
        let why = match (part, state, text) {
            (Part::Server, State::Taken, _) => Some(TAKEN.to_owned()),
            (Part::Server, State::Stale, Some(text)) => {
                let names = self.unwanted(scope, text)?;
                (!names.is_empty()).then(|| format!("it sets {}", names.join(", ")))
            }
            (Part::Server | Part::Hooks | Part::Instructions, _, _) => None,
        };
        Ok(Standing { part, file: file.to_owned(), state, why })
    }

    fn install(
        &self,
        part: Part,
        scope: Scope,
        text: Option<&str>,
        places: &Places,
    ) -> Result<String, Fault> {
        match part {
            Part::Server => {
                let unwanted = text.map(|text| self.unwanted(scope, text)).transpose()?.unwrap_or_default();
                let program = self.program(places);
                match self.servers.shape {
                    Shape::Toml => {
                        let text = text.map(|text| toml::without_variables(text, &unwanted)).transpose()?;
                        toml::install(text.as_deref(), &self.toml_entry(program))
                    }
                    shape @ (Shape::Plain(_) | Shape::Typed(_) | Shape::Custom(_) | Shape::List(..)) => {
                        let text = text
                            .map(|text| servers::without_variables(text, shape, &unwanted))
                            .transpose()?;
                        servers::install(text.as_deref(), shape, &self.json_entry(program))
                    }
                }
            }
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
    fn draft(&mut self, host: &Host, part: Part) -> Result<Option<usize>, Problem> {
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
        match self.all[index].text.as_ref().is_some_and(imports) {
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
    let places = &keeping(host, scope, places)?;
    let mut drafts = Drafts { places, scope, all: Vec::new() };
    let mut standings = Vec::new();
    let mut notes = Vec::new();
    let mut parts = Part::ALL;
    if action == Action::Remove {
        // What came last goes first, so that each finds the file as it left it.
        parts.reverse();
    }
    for part in parts {
        let Some(index) = drafts.draft(host, part)? else { continue };
        let draft = &mut drafts.all[index];
        let (file, text) = (draft.file.clone(), draft.text.as_deref());
        let malformed = |fault| Problem::Malformed { file: file.clone(), fault };
        let standing = host.standing(part, scope, &file, text, places).map_err(malformed)?;
        let state = standing.state;
        standings.push(standing);
        match (action, state, text) {
            (Action::Install, State::Current, _) | (Action::Remove, State::Missing, _) => {}
            (Action::Remove, State::Taken, _) => {
                notes.push(format!("{}: another server named {SERVER} exists and is kept", file.display()));
            }
            (Action::Install, State::Missing | State::Stale | State::Taken, text) => {
                let unwanted = match (part, text) {
                    (Part::Server, Some(text)) => host.unwanted(scope, text).map_err(malformed)?,
                    (Part::Server | Part::Hooks | Part::Instructions, _) => Vec::new(),
                };
                if !unwanted.is_empty() {
                    let names = unwanted.join(", ");
                    let why = "this file must not set the actor, the store or the allowed commands";
                    notes.push(format!("{}: {names} is removed from the entry: {why}", file.display()));
                }
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
                        "{}: the {} was changed since, or by another version; only what setup wrote is removed",
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
        let plain = draft.file.strip_prefix(&draft.root).ok().zip(disk::real(&draft.root).ok());
        if plain.is_some_and(|(path, root)| root.join(path) != target) {
            let (file, target) = (draft.file.display(), target.display());
            notes.push(format!("{file} is a link to {target}, which is changed"));
        }
        changes.push(Change { file: draft.file, before, after: draft.text, target, root: draft.root });
    }
    if action == Action::Remove {
        changes.reverse();
    }
    Ok(Plan { standings, changes, notes })
}

/// The places with the program as our entry names it, where that is as good: whoever asked for the path once keeps it.
fn keeping(host: &Host, scope: Scope, places: &Places) -> Result<Places, Problem> {
    let there = configured(host, scope, places)?.map(|configured| configured.program);
    let kept = there.filter(|program| host.programs(places).contains(program));
    Ok(Places { program: kept.unwrap_or_else(|| places.program.clone()), ..places.clone() })
}

/// How each part of a host stands. Parts that the host does not have there are not listed.
pub fn state(host: &Host, scope: Scope, places: &Places) -> Result<Vec<Standing>, Problem> {
    let mut drafts = Drafts { places, scope, all: Vec::new() };
    let mut standings = Vec::new();
    for part in Part::ALL {
        let Some(index) = drafts.draft(host, part)? else { continue };
        let draft = &drafts.all[index];
        let standing = host.standing(part, scope, &draft.file, draft.text.as_deref(), places);
        let malformed = |fault| Problem::Malformed { file: draft.file.clone(), fault };
        standings.push(standing.map_err(malformed)?);
    }
    Ok(standings)
}

/// The very command that the host's file says, whoever wrote it.
pub fn configured(host: &Host, scope: Scope, places: &Places) -> Result<Option<Configured>, Problem> {
    let mut drafts = Drafts { places, scope, all: Vec::new() };
    let Some(index) = drafts.draft(host, Part::Server)? else { return Ok(None) };
    let draft = &drafts.all[index];
    let (file, Some(text)) = (draft.file.clone(), draft.text.as_deref()) else { return Ok(None) };
    let read = host.server(text).map_err(|fault| Problem::Malformed { file: file.clone(), fault })?;
    Ok(read.and_then(|entry| command(file, &entry)))
}

/// The command lines of our hooks that the host's file says.
pub fn hook_commands(host: &Host, scope: Scope, places: &Places) -> Result<Vec<String>, Problem> {
    let mut drafts = Drafts { places, scope, all: Vec::new() };
    let (Some(hooks), Some(index)) = (&host.hooks, drafts.draft(host, Part::Hooks)?) else {
        return Ok(Vec::new());
    };
    let draft = &drafts.all[index];
    let commands = draft.text.as_deref().map(|text| hooks::commands(text, hooks, host.name)).transpose();
    let commands = commands.map_err(|fault| Problem::Malformed { file: draft.file.clone(), fault })?;
    Ok(commands.unwrap_or_default())
}

/// The program that a command line of our hooks starts, whatever stands around it.
pub fn hook_program(command: &str) -> Option<String> {
    hooks::started(command).map(|started| started.program)
}

/// What a part would be in a file of its own, to be read or put in place by hand. None where the host has no such part there.
pub fn sample(host: &Host, part: Part, scope: Scope, places: &Places) -> Option<(PathBuf, String)> {
    let file = places.file(host.spot(part, scope)?);
    let text =
        host.install(part, scope, None, places).expect("nothing is in the way in a file that is not there");
    Some((file, text))
}

fn command(file: PathBuf, entry: &Value) -> Option<Configured> {
    let mut words = entry::words(entry).into_iter();
    let (is_ours, env) = (entry::is_ours(entry), entry::variables(entry));
    Some(Configured { file, program: words.next()?, args: words.collect(), env, is_ours })
}

/// Other hosts that are set up here and read the same instructions.
fn sharing(host: &Host, scope: Scope, target: &Path, places: &Places) -> Vec<&'static Host> {
    let shares = |other: &&Host| {
        let mut drafts = Drafts { places, scope, all: Vec::new() };
        let same = match drafts.draft(other, Part::Instructions) {
            Ok(Some(index)) => drafts.all[index].original.target == target,
            Ok(None) | Err(_) => false,
        };
        // Files of another host that cannot be read say nothing about this one.
        other.name != host.name
            && same
            && matches!(configured(other, scope, places), Ok(Some(found)) if found.is_ours)
    };
    HOSTS.iter().filter(shares).collect()
}

fn was_edited(host: &Host, part: Part, state: State, text: &str) -> Result<bool, Fault> {
    match part {
        Part::Server => {
            let read = host.server(text)?;
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
