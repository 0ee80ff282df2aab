//! What hosts tell their hooks, in one form for all of them, and how each wants to be answered.

mod claude_code;
mod codex;
mod cursor;
mod gemini;
mod shell;
mod transcript;

use std::path::PathBuf;

use serde_json::Value;

pub use transcript::last_words;

/// Files that one call names, at most.
const PATHS_MAX: usize = 20;
/// A longer word is no path.
const PATH_CHARS_MAX: usize = 400;

/// What happened in a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub host: Host,
    /// What the host calls what happened; it wants to be answered by that name.
    pub name: String,
    /// What the host calls this conversation; empty where it does not say.
    pub session: String,
    /// The folder it works in.
    pub cwd: Option<PathBuf>,
    /// The folders of the projects it was opened for, where the host says so: it may work in another by now.
    pub projects: Vec<PathBuf>,
    /// Where the host keeps what was said, if it says so.
    pub transcript: Option<PathBuf>,
    /// A text in the answer would reach the agent.
    pub hears: bool,
    pub event: Event,
}

/// A program that runs agents and calls hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    ClaudeCode,
    Codex,
    Cursor,
    Gemini,
}

impl Host {
    pub const ALL: [Host; 4] = [Host::ClaudeCode, Host::Codex, Host::Cursor, Host::Gemini];

    pub fn word(self) -> &'static str {
        match self {
            Host::ClaudeCode => "claude-code",
            Host::Codex => "codex",
            Host::Cursor => "cursor",
            Host::Gemini => "gemini",
        }
    }

    /// The host that a word means.
    pub fn from_word(word: &str) -> Option<Host> {
        let word = word.trim().to_lowercase().replace('_', "-");
        Host::ALL.into_iter().find(|host| word == host.word() || word == host.agent())
    }

    /// The name of the agent that it runs, as commands started by it are known.
    pub fn agent(self) -> &'static str {
        match self {
            Host::ClaudeCode | Host::Codex | Host::Cursor => self.word(),
            Host::Gemini => "gemini-cli",
        }
    }

    /// Files and folders at the top of a repository that it reads into every conversation by itself.
    pub fn loads(self) -> &'static [&'static str] {
        match self {
            Host::ClaudeCode => &["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md"],
            Host::Codex => &["AGENTS.override.md", "AGENTS.md"],
            Host::Cursor => &[".cursor/rules", ".cursorrules", "AGENTS.md"],
            Host::Gemini => &["GEMINI.md", "AGENTS.md"],
        }
    }

    /// The host that speaks like this; none where several do.
    pub fn guess(said: &Value) -> Option<Host> {
        let said = HostMessage(said);
        let has = |key: &str| said.0.get(key).is_some();
        let name = said.text("hook_event_name");
        let kept = said.text("transcript_path").replace('\\', "/");
        if has("cursor_version") || has("workspace_roots") || has("conversation_id") {
            return Some(Host::Cursor);
        }
        if gemini::NAMES.contains(&name) || kept.contains("/.gemini/") {
            return Some(Host::Gemini);
        }
        if has("turn_id") || kept.contains("/.codex/") {
            return Some(Host::Codex);
        }
        kept.contains("/.claude/").then_some(Host::ClaudeCode)
    }
}

/// What a hook is there for: the word after `ken hook`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A conversation begins.
    SessionStart,
    /// A person asks for something.
    Prompt,
    /// A file is read or changed.
    Touch,
    /// Something is about to be done: the part of it that can be held back, for hosts that hear nothing else then.
    Act,
    /// A command ended.
    Ran,
    /// The context is about to be compacted.
    Compact,
    /// The agent stopped and waits.
    Stop,
    /// The conversation is over.
    End,
}

impl Moment {
    pub const ALL: [Moment; 8] = [
        Moment::SessionStart,
        Moment::Prompt,
        Moment::Touch,
        Moment::Act,
        Moment::Ran,
        Moment::Compact,
        Moment::Stop,
        Moment::End,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Moment::SessionStart => "session-start",
            Moment::Prompt => "prompt",
            Moment::Touch => "touch",
            Moment::Act => "act",
            Moment::Ran => "ran",
            Moment::Compact => "compact",
            Moment::Stop => "stop",
            Moment::End => "end",
        }
    }

    /// The one that a word means.
    pub fn from_word(word: &str) -> Option<Moment> {
        let word = word.trim().to_lowercase().replace('_', "-");
        Moment::ALL.into_iter().find(|moment| moment.word() == word)
    }
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A conversation begins, goes on after a pause, or begins anew with an empty context.
    Started {
        /// The context was cleared or compacted: what was put there is gone.
        anew: bool,
        /// It goes on with what was said before.
        resumed: bool,
    },
    /// A person asks for something.
    Asked { prompt: String },
    /// Files are about to be read or changed, or just were.
    Touching {
        /// The files, as the host wrote them.
        paths: Vec<PathBuf>,
        /// Files, folders and patterns whose contents are shown, with everything below them.
        shown: Vec<PathBuf>,
        /// What the tool is about to do; empty where it was done already.
        deeds: Vec<Deed>,
    },
    /// A command ended.
    Ran {
        /// The command line.
        command: String,
        /// Whether it succeeded; none where the host does not say.
        succeeded: Option<bool>,
        /// What it printed, as far as the host hands it over.
        output: String,
    },
    /// The context is about to be compacted.
    Compacting,
    /// The agent stopped and waits.
    Stopped {
        /// Its last words, where the host hands them over.
        said: Option<String>,
    },
    /// The conversation is over.
    Ended,
    /// Something that nothing is done about.
    Other,
}

/// What a tool is about to do to the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Run a command line.
    Run(String),
    /// Change a part of a file.
    Edit {
        /// Which, as the host wrote it.
        path: String,
        /// The part as it is, where the host says so.
        old: Option<String>,
        /// The part as it will be.
        new: Option<String>,
    },
    /// Write a whole file.
    Write {
        /// Which, as the host wrote it.
        path: String,
        /// What it will hold.
        content: String,
    },
}

/// What is to become of a deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A person is asked first.
    Ask,
    /// It is not done.
    Deny,
}

/// Takes down what a host says.
pub fn read(host: Host, moment: Moment, said: &Value) -> Call {
    let said = HostMessage(said);
    let event = match (host, moment) {
        (_, Moment::SessionStart) => {
            let source = said.text("source");
            Event::Started {
                anew: matches!(source, "clear" | "compact"),
                resumed: matches!(source, "resume" | "fork"),
            }
        }
        (_, Moment::Prompt) => Event::Asked { prompt: said.text("prompt").to_owned() },
        (_, Moment::Touch | Moment::Act) => {
            let ((paths, shown), deeds) = (touched(&said), deeds(host, &said));
            match moment {
                // Nobody would hear what is said of these files here.
                Moment::Act if deeds.is_empty() => Event::Other,
                Moment::Act => Event::Touching { paths: Vec::new(), shown: Vec::new(), deeds },
                _ if paths.is_empty() && shown.is_empty() && deeds.is_empty() => Event::Other,
                _ => Event::Touching { paths, shown, deeds },
            }
        }
        (_, Moment::Compact) => Event::Compacting,
        (_, Moment::End) => Event::Ended,
        (_, Moment::Ran) => match said.command() {
            None => Event::Other,
            Some(command) => {
                let succeeded = match host {
                    Host::ClaudeCode => claude_code::succeeded(&said),
                    Host::Codex => codex::succeeded(&said),
                    Host::Cursor => cursor::succeeded(&said),
                    Host::Gemini => gemini::succeeded(&said),
                };
                Event::Ran { command, succeeded, output: said.output() }
            }
        },
        (Host::ClaudeCode | Host::Codex, Moment::Stop) => {
            Event::Stopped { said: said.owned("last_assistant_message") }
        }
        (Host::Cursor, Moment::Stop) => Event::Stopped { said: said.owned("text") },
        (Host::Gemini, Moment::Stop) => Event::Stopped { said: said.owned("prompt_response") },
    };
    let name = match said.text("hook_event_name") {
        "" => called(host, moment),
        name => name,
    };
    let projects = said.projects();
    let folder = said.owned("cwd").map(PathBuf::from).or_else(|| projects.first().cloned());
    let session = match host {
        Host::Cursor => said.owned("conversation_id").or_else(|| said.owned("session_id")),
        Host::ClaudeCode | Host::Codex | Host::Gemini => said.owned("session_id"),
    };
    Call {
        host,
        name: name.to_owned(),
        session: session.unwrap_or_default(),
        cwd: folder,
        projects,
        transcript: said.owned("transcript_path").map(PathBuf::from),
        hears: answer(host, name, "").is_some(),
        event,
    }
}

/// A text for the agent's context, in the words of the host; none where it would not pass them on.
pub fn reply(call: &Call, text: &str) -> Option<String> {
    answer(call.host, &call.name, text).map(|answer| answer.to_string())
}

/// Holds a deed back, in the words of the host. A host that cannot ask a person denies: the text says how a person lifts it.
pub fn hold_back(call: &Call, stop: Stop, text: &str) -> Option<String> {
    let answer = match call.host {
        Host::ClaudeCode => claude_code::hold_back(&call.name, stop, text),
        Host::Codex => claude_code::hold_back(&call.name, Stop::Deny, text),
        Host::Cursor => cursor::hold_back(&call.name, text),
        Host::Gemini => gemini::hold_back(&call.name, text),
    };
    answer.map(|answer| answer.to_string())
}

/// Whether a host asks a person itself when a hook says so.
pub fn asks(host: Host) -> bool {
    match host {
        Host::ClaudeCode => true,
        // Codex and Cursor read the word, and run the tool; Gemini does not know it.
        Host::Codex | Host::Cursor | Host::Gemini => false,
    }
}

fn answer(host: Host, name: &str, text: &str) -> Option<Value> {
    match host {
        Host::ClaudeCode => claude_code::answer(name, text),
        Host::Codex => codex::answer(name, text),
        Host::Cursor => cursor::answer(name, text),
        Host::Gemini => gemini::answer(name, text),
    }
}

/// What a host calls a moment, for one that does not say.
fn called(host: Host, moment: Moment) -> &'static str {
    match host {
        Host::ClaudeCode | Host::Codex => claude_code::called(moment),
        Host::Cursor => cursor::called(moment),
        Host::Gemini => gemini::called(moment),
    }
}

/// What a host said.
struct HostMessage<'a>(&'a Value);

impl<'a> HostMessage<'a> {
    fn text(&self, key: &str) -> &'a str {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    fn projects(&self) -> Vec<PathBuf> {
        let named = self.0.get("workspace_roots").and_then(Value::as_array);
        named.into_iter().flatten().filter_map(Value::as_str).map(PathBuf::from).collect()
    }

    fn owned(&self, key: &str) -> Option<String> {
        Some(self.text(key)).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn is(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// What a command printed.
    fn output(&self) -> String {
        const KEYS: &[&str] = &["tool_response", "tool_output", "error", "error_message"];
        let mut text = String::new();
        KEYS.iter().filter_map(|key| self.0.get(*key)).for_each(|part| printed(part, &mut text));
        // Gemini CLI writes a label in front of the first line.
        text.replace("\nOutput: ", "\nOutput:\n")
    }

    fn input(&self) -> Option<&'a Value> {
        self.0.get("tool_input")
    }

    /// Whether the tool looks through files and shows lines of them. One that lists names shows nothing.
    fn searches(&self) -> bool {
        let tool = self.text("tool_name").to_lowercase();
        let lists = self.input().and_then(|input| input.get("output_mode")).and_then(Value::as_str);
        (tool.contains("grep") || tool.contains("search_file")) && lists.is_none_or(|mode| mode == "content")
    }

    /// The command line of a shell, if that is what was used.
    fn command(&self) -> Option<String> {
        self.input().and_then(command_line).or_else(|| command_line(self.0))
    }
}

/// Keys under which hosts keep what a command printed.
const OUTPUT_KEYS: &[&str] = &["stdout", "stderr", "output", "llmContent", "error", "text", "message"];

/// What was printed, in whichever form a host hands it over.
fn printed(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ Value::Object(_)) => printed(&inner, into),
            Ok(_) | Err(_) => {
                into.push_str(text);
                into.push('\n');
            }
        },
        Value::Array(parts) => parts.iter().for_each(|part| printed(part, into)),
        Value::Object(fields) => {
            OUTPUT_KEYS.iter().filter_map(|key| fields.get(*key)).for_each(|part| printed(part, into));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What a command line shows of files: those, the folders and the patterns that its programs print from.
pub fn shown_by(line: &str) -> Vec<PathBuf> {
    let shown = shell::named(line).into_iter().filter(|named| named.shown);
    some(shown.map(|named| named.path))
}

/// Names of events before a tool is used.
const BEFORE: &[&str] = &["PreToolUse", "preToolUse", "BeforeTool"];

/// What a tool is about to do. Hosts call the same things by different names.
fn deeds(host: Host, said: &HostMessage<'_>) -> Vec<Deed> {
    let name = match said.text("hook_event_name") {
        "" => called(host, Moment::Act),
        name => name,
    };
    let Some(input) = said.input().filter(|_| BEFORE.contains(&name)) else { return Vec::new() };
    if let Some(line) = command_line(input) {
        return vec![Deed::Run(line)];
    }
    let text = |holder: &Value, keys: &[&str]| {
        keys.iter().find_map(|key| holder.get(key)?.as_str()).map(str::to_owned)
    };
    let patch = ["command", "input", "patch"].iter().find_map(|key| input.get(key)?.as_str());
    if let Some(patch) = patch.filter(|patch| patch.trim_start().starts_with("*** Begin Patch")) {
        return patch_deeds(patch);
    }
    const PATHS: &[&str] =
        &["file_path", "absolute_path", "notebook_path", "target_file", "filePath", "path"];
    const OLD: &[&str] = &["old_string", "oldString", "old_str"];
    const NEW: &[&str] = &["new_string", "newString", "new_str", "new_source", "code_edit"];
    let Some(path) = text(input, PATHS) else { return Vec::new() };
    let edit = |holder: &Value| {
        let (old, new) = (text(holder, OLD), text(holder, NEW));
        (old.is_some() || new.is_some()).then(|| Deed::Edit { path: path.clone(), old, new })
    };
    if let Some(edits) = input.get("edits").and_then(Value::as_array) {
        return edits.iter().filter_map(edit).collect();
    }
    if let Some(edit) = edit(input) {
        return vec![edit];
    }
    match text(input, &["content", "contents", "file_text"]) {
        Some(content) => vec![Deed::Write { path, content }],
        None => Vec::new(),
    }
}

/// The command line that a tool runs. Some hosts write it as a list of words: that is written as a shell would read it.
fn command_line(input: &Value) -> Option<String> {
    let command = ["command", "cmd", "script"].iter().find_map(|key| input.get(key))?;
    let line = match command {
        Value::String(line) => line.clone(),
        Value::Array(words) => ken_shell::quoted(words.iter().filter_map(Value::as_str)),
        _ => return None,
    };
    let is_patch = line.trim_start().starts_with("*** Begin Patch");
    (!line.trim().is_empty() && !is_patch).then_some(line)
}

/// What a patch in Codex's form does to each file.
fn patch_deeds(patch: &str) -> Vec<Deed> {
    const HEADS: &[&str] = &["*** Update File: ", "*** Delete File: ", "*** Add File: ", "*** Move to: "];
    let mut deeds: Vec<(String, String, String)> = Vec::new();
    for line in patch.lines() {
        if let Some(path) = HEADS.iter().find_map(|head| line.strip_prefix(head)) {
            deeds.push((path.trim().to_owned(), String::new(), String::new()));
        } else if let Some((_, old, new)) = deeds.last_mut() {
            let (into, rest) = match (line.strip_prefix('+'), line.strip_prefix('-')) {
                (Some(rest), _) => (new, rest),
                (None, Some(rest)) => (old, rest),
                (None, None) => continue,
            };
            into.push_str(rest);
            into.push('\n');
        }
    }
    deeds.into_iter().map(|(path, old, new)| Deed::Edit { path, old: Some(old), new: Some(new) }).collect()
}

/// The files that a tool is about, and what it shows the contents of.
fn touched(said: &HostMessage<'_>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    const ONE: &[&str] = &["file_path", "path", "absolute_path", "notebook_path", "target_file", "filePath"];
    const MANY: &[&str] = &["paths", "files", "file_paths"];
    let mut words: Vec<String> = Vec::new();
    for holder in [said.input(), Some(said.0)].into_iter().flatten() {
        words.extend(ONE.iter().filter_map(|key| holder.get(key)?.as_str()).map(str::to_owned));
        let lists = MANY.iter().filter_map(|key| holder.get(key)?.as_array());
        words.extend(lists.flatten().filter_map(Value::as_str).map(str::to_owned));
        let patches = ["command", "input", "patch"].iter().filter_map(|key| holder.get(key)?.as_str());
        words.extend(patches.flat_map(patched));
    }
    let searched = if said.searches() { words.clone() } else { Vec::new() };
    let line = said.command().unwrap_or_default();
    let named = shell::named(&line);
    words.extend(named.into_iter().filter(|named| !named.is_pattern()).map(|named| named.path));
    let mut shown = some(searched.into_iter());
    shown.extend(shown_by(&line));
    (some(words.into_iter()), shown)
}

/// The first of some words that could be paths, each once.
fn some(words: impl Iterator<Item = String>) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for word in words.filter(|word| !word.is_empty() && word.len() <= PATH_CHARS_MAX) {
        let path = PathBuf::from(word);
        if paths.len() < PATHS_MAX && !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// The files that a patch in Codex's form changes.
fn patched(text: &str) -> Vec<String> {
    let heads = ["*** Update File: ", "*** Delete File: ", "*** Add File: ", "*** Move to: "];
    text.lines()
        .filter_map(|line| heads.iter().find_map(|head| line.strip_prefix(head)))
        .map(|path| path.trim().to_owned())
        .collect()
}

/// The exit code in what a shell answered, in whichever form.
fn exit_code(answer: &Value) -> Option<i64> {
    const KEYS: &[&str] = &["exit_code", "exitCode", "returncode"];
    match answer {
        Value::Object(fields) => KEYS
            .iter()
            .find_map(|key| fields.get(*key)?.as_i64())
            .or_else(|| exit_code(fields.get("metadata")?)),
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ Value::Object(_)) => exit_code(&inner),
            _ => told_code(text.lines().take(HEAD_LINES)),
        },
        _ => None,
    }
}

/// Lines at the top of an answer in which a host tells the exit code.
const HEAD_LINES: usize = 8;

/// The exit code that a line tells.
fn told_code<'a>(mut lines: impl Iterator<Item = &'a str>) -> Option<i64> {
    const HEADS: &[&str] = &["Exit code:", "Exit Code:", "Process exited with code"];
    lines.find_map(|line| HEADS.iter().find_map(|head| line.trim().strip_prefix(head))?.trim().parse().ok())
}
