//! Transcripts as agent hosts keep them on disk, read into turns: what the person said, what the agent said, ran, edited and looked at.
//!
//! Lines in, turns out; no file is opened here. A line that cannot be read is counted and skipped. What tools printed is data: it is kept in
//! the turn of the tool, cut to a bound, and never becomes the words of a person.

mod claude_code;
mod codex;
mod gemini;
mod opencode;
mod patch;
mod spoken;

use std::collections::{HashMap, HashSet};

use ken_shell::{SHELLS, ScriptSource, program_name};
use serde_json::Value;

pub use patch::edits_of as patch_edits;
pub use spoken::{Spoken, spoken};

use crate::limits::transcript::{
    EDIT_BYTES_MAX, KEPT_BYTES_MAX, OUTPUT_BYTES_MAX, TEXT_BYTES_MAX, TURN_BYTES, TURNS_MAX, WAITING_MAX,
};

/// A host whose transcripts can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    ClaudeCode,
    Codex,
    Gemini,
    OpenCode,
}

impl Source {
    pub const ALL: [Source; 4] = [Source::ClaudeCode, Source::Codex, Source::Gemini, Source::OpenCode];

    /// The name of the host, the same as hooks use.
    pub fn word(self) -> &'static str {
        match self {
            Source::ClaudeCode => "claude-code",
            Source::Codex => "codex",
            Source::Gemini => "gemini",
            Source::OpenCode => "opencode",
        }
    }

    /// The name of the agent that the host runs.
    pub fn agent(self) -> &'static str {
        match self {
            Source::ClaudeCode | Source::Codex | Source::OpenCode => self.word(),
            Source::Gemini => "gemini-cli",
        }
    }

    /// The host that a word means.
    pub fn from_word(word: &str) -> Option<Source> {
        let word = word.trim().to_lowercase().replace('_', "-");
        Source::ALL.into_iter().find(|source| word == source.word() || word == source.agent())
    }

    /// The host that writes lines or documents of this form; none where it cannot be told.
    pub fn guess(line: &Value) -> Option<Source> {
        let has = |key: &str| line.get(key).is_some();
        let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
        if codex::is_line(line) {
            return Some(Source::Codex);
        }
        if opencode::is_line(line) {
            return Some(Source::OpenCode);
        }
        if has("projectHash") || has("$set") || has("$rewindTo") || kind == "gemini" {
            return Some(Source::Gemini);
        }
        if has("sessionId") && (has("message") || has("uuid") || has("isSidechain")) {
            return Some(Source::ClaudeCode);
        }
        match kind {
            "summary" | "file-history-snapshot" | "queue-operation" => Some(Source::ClaudeCode),
            "user" | "assistant" if line.get("message").is_some_and(Value::is_object) => {
                Some(Source::ClaudeCode)
            }
            "user" | "info" | "warning" | "error" if has("content") && has("id") => Some(Source::Gemini),
            _ => None,
        }
    }
}

/// A transcript, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    pub source: Source,
    /// What the host calls the session; empty where the transcript does not say.
    pub session: String,
    /// The folder that the session began in, as the host wrote it.
    pub folder: Option<String>,
    /// The session is one of a sub-agent: nobody in it is a person.
    pub is_sub_agent: bool,
    pub turns: Vec<Turn>,
    /// Lines that could not be read.
    pub unreadable: usize,
    /// There was more than the bounds allow; the rest was left unread.
    pub is_cut: bool,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The first and last line it stands in, from 1. In a document of one JSON value these are the numbers of its messages.
    pub lines: (u32, u32),
    /// Who acts: none for the agent that the person talks to, the name of a sub-agent otherwise.
    pub agent: Option<String>,
    pub act: Act,
}

/// What happened in a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The person said this, in a turn of their own.
    Asked(String),
    /// Somebody else put this before the agent: the host, or the agent that started it.
    Tasked(String),
    /// The agent said this.
    Said(String),
    /// A command line was run.
    Ran {
        command: String,
        /// Whether it succeeded; none where the host does not say.
        succeeded: Option<bool>,
        /// What it printed, cut to a bound.
        output: String,
    },
    /// A part of a file was replaced.
    Edited {
        path: String,
        old: String,
        new: String,
        /// Whether it was done; a failed edit changed nothing.
        done: bool,
    },
    /// A file was written whole.
    Wrote { path: String, content: String, done: bool },
    /// Something was looked up: a file read, a search, a page.
    Looked {
        how: Look,
        /// The file, the pattern, the question or the address.
        subject: String,
        /// Where it was looked for, if that was narrowed.
        within: Option<String>,
        output: String,
    },
    /// Another tool was used.
    Used { tool: String, succeeded: Option<bool>, output: String },
    /// The context was compacted: what follows continues from a summary.
    Compacted,
}

/// How something was looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// A file was read.
    File,
    /// Files were searched for a pattern.
    Search,
    /// Names of files were listed.
    Names,
    /// The web was searched or a page fetched.
    Web,
}

/// Takes a transcript line by line.
#[derive(Debug)]
pub struct Reader {
    source: Option<Source>,
    builder: Builder,
    /// Lines before the first one that tells the host.
    waiting: Vec<(u32, Value)>,
    line: u32,
}

impl Reader {
    /// A reader for a host, or for whichever host the lines turn out to be of.
    pub fn new(source: Option<Source>) -> Reader {
        Reader { source, builder: Builder::default(), waiting: Vec::new(), line: 0 }
    }

    /// Takes the next line. Returns false once the bounds are reached: nothing more is kept then.
    pub fn push(&mut self, line: &str) -> bool {
        self.line = self.line.saturating_add(1);
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() {
            return true;
        }
        match serde_json::from_str::<Value>(line) {
            Ok(value @ Value::Object(_)) => self.take(value),
            Ok(_) | Err(_) => self.builder.unreadable += 1,
        }
        !self.builder.is_full()
    }

    /// Counts a line that was too long or no text.
    pub fn skip(&mut self) {
        self.line = self.line.saturating_add(1);
        self.builder.unreadable += 1;
    }

    fn take(&mut self, value: Value) {
        if let Some(source) = self.source {
            self.builder.line(source, self.line, &value);
            return;
        }
        self.source = Source::guess(&value);
        self.waiting.push((self.line, value));
        if let Some(source) = self.source {
            for (line, value) in std::mem::take(&mut self.waiting) {
                self.builder.line(source, line, &value);
            }
        } else if self.waiting.len() > WAITING_MAX {
            self.builder.unreadable += self.waiting.len();
            self.waiting.clear();
        }
    }

    /// What was read; none where no line tells which host wrote it.
    pub fn finish(self) -> Option<Transcript> {
        let source = self.source?;
        Some(self.builder.finish(source))
    }
}

/// Reads a transcript that is one JSON document: a session of Gemini CLI, an export of OpenCode, or a list of messages of either.
pub fn read_document(source: Option<Source>, document: &Value) -> Option<Transcript> {
    let messages = match document {
        Value::Array(list) => list.as_slice(),
        Value::Object(fields) => fields.get("messages")?.as_array()?.as_slice(),
        _ => return None,
    };
    let guess = || Source::guess(document).or_else(|| messages.iter().find_map(Source::guess));
    let source = source.or_else(guess)?;
    let mut builder = Builder::default();
    if document.is_object() {
        builder.about(source, document);
    }
    for (at, message) in messages.iter().enumerate() {
        builder.line(source, u32::try_from(at + 1).unwrap_or(u32::MAX), message);
        if builder.is_full() {
            break;
        }
    }
    Some(builder.finish(source))
}

/// A tool that was called and has not answered.
#[derive(Clone, Debug)]
struct Open {
    line: u32,
    agent: Option<String>,
    name: String,
    input: Value,
    /// The turn of it stands here, so that turns keep the order of calls.
    at: usize,
    /// How many turns it has.
    count: usize,
}

/// Turns while they are put together.
#[derive(Debug, Default)]
struct Builder {
    session: String,
    folder: Option<String>,
    is_sub_agent: bool,
    turns: Vec<Turn>,
    open: HashMap<String, Open>,
    /// Claude Code: the sub-agent that a line belongs to, by the line's id.
    chains: HashMap<String, String>,
    /// Codex: what people said comes twice; the first form seen counts.
    said_by: Option<codex::Form>,
    /// Codex: what the person typed, as its events tell. Where there are events, other messages in the person's name are the host's.
    typed: HashSet<String>,
    /// Gemini CLI: where each message's turns begin and end, by its id; a later line may replace them.
    messages: HashMap<String, (usize, usize)>,
    /// OpenCode: who a message is by, where parts come apart from it.
    roles: HashMap<String, bool>,
    bytes: usize,
    unreadable: usize,
    is_cut: bool,
}

impl Builder {
    fn is_full(&self) -> bool {
        self.is_cut
    }

    fn line(&mut self, source: Source, line: u32, value: &Value) {
        match source {
            Source::ClaudeCode => claude_code::read(self, line, value),
            Source::Codex => codex::read(self, line, value),
            Source::Gemini => gemini::read(self, line, value),
            Source::OpenCode => opencode::read(self, line, value),
        }
    }

    fn about(&mut self, source: Source, document: &Value) {
        match source {
            Source::Gemini => gemini::about(self, document),
            Source::OpenCode => opencode::about(self, document),
            Source::ClaudeCode | Source::Codex => {}
        }
    }

    fn session(&mut self, name: &str) {
        if self.session.is_empty() {
            self.session = name.to_owned();
        }
    }

    fn folder(&mut self, path: &str) {
        if self.folder.is_none() && !path.is_empty() {
            self.folder = Some(path.to_owned());
        }
    }

    fn push(&mut self, line: u32, agent: Option<String>, act: Act) {
        let bytes = act.bytes();
        if self.turns.len() >= TURNS_MAX || self.bytes + bytes > KEPT_BYTES_MAX {
            self.is_cut = true;
            return;
        }
        self.bytes += bytes;
        self.turns.push(Turn { lines: (line, line), agent, act });
    }

    /// What somebody said; nothing where it is empty.
    fn say(&mut self, line: u32, agent: Option<String>, text: &str, act: fn(String) -> Act) {
        let text = cut(text.trim(), TEXT_BYTES_MAX);
        if !text.is_empty() {
            self.push(line, agent, act(text));
        }
    }

    /// A tool is called. Its turns stand here from now on, and are filled in by the answer.
    fn call(&mut self, line: u32, agent: Option<String>, id: &str, name: &str, input: Value) {
        let at = self.turns.len();
        for act in acts(name, &input, None, "") {
            self.push(line, agent.clone(), act);
        }
        let count = self.turns.len() - at;
        if !id.is_empty() {
            let open = Open { line, agent, name: name.to_owned(), input, at, count };
            self.open.insert(id.to_owned(), open);
        }
    }

    /// A tool answered.
    fn answer(&mut self, line: u32, id: &str, succeeded: Option<bool>, output: &str) {
        let Some(open) = self.open.remove(id) else { return };
        if succeeded == Some(false)
            && !open.name.starts_with("mcp_")
            && let Some(said) = rejection(output)
        {
            // The host asked the person, who said no and why. It was not run.
            let (said, agent) = (said.to_owned(), open.agent.clone());
            return self.say(line, agent, &said, Act::Asked);
        }
        let output = cut_middle(output, OUTPUT_BYTES_MAX);
        let acts = acts(&open.name, &open.input, Some(succeeded), &output);
        for (turn, act) in self.turns.iter_mut().skip(open.at).take(open.count).zip(acts) {
            self.bytes += act.bytes().saturating_sub(turn.act.bytes());
            *turn = Turn { lines: (open.line, line.max(open.line)), agent: open.agent.clone(), act };
        }
    }

    fn finish(mut self, source: Source) -> Transcript {
        if self.folder.is_none() {
            self.folder = folder_of(&self.turns);
        }
        let folder = self.folder.clone();
        let is_sub_agent = self.is_sub_agent;
        for turn in &mut self.turns {
            turn.act.relative_to(folder.as_deref());
            if let Act::Asked(text) = &mut turn.act {
                // An item may have pictures beside the words of its event, and long words are cut.
                let same = |typed: &String| text.contains(typed.as_str()) || typed.contains(text.as_str());
                let is_typed = self.typed.is_empty() || self.typed.iter().any(same);
                if is_sub_agent || !is_typed {
                    turn.act = Act::Tasked(std::mem::take(text));
                }
            }
        }
        Transcript {
            source,
            session: self.session,
            folder: self.folder,
            is_sub_agent: self.is_sub_agent,
            turns: self.turns,
            unreadable: self.unreadable,
            is_cut: self.is_cut,
        }
    }
}

impl Act {
    fn bytes(&self) -> usize {
        TURN_BYTES
            + match self {
                Act::Asked(text) | Act::Tasked(text) | Act::Said(text) => text.len(),
                Act::Ran { command, output, .. } => command.len() + output.len(),
                Act::Edited { path, old, new, .. } => path.len() + old.len() + new.len(),
                Act::Wrote { path, content, .. } => path.len() + content.len(),
                Act::Looked { subject, output, .. } => subject.len() + output.len(),
                Act::Used { tool, output, .. } => tool.len() + output.len(),
                Act::Compacted => 0,
            }
    }

    /// Paths are told from the folder of the session where they lie below it.
    fn relative_to(&mut self, folder: Option<&str>) {
        let path = match self {
            Act::Edited { path, .. } | Act::Wrote { path, .. } => path,
            Act::Looked { how: Look::File, subject, .. } => subject,
            _ => return,
        };
        let clean = path.replace('\\', "/");
        let folder = folder.map(|folder| folder.replace('\\', "/"));
        let below = folder.as_deref().and_then(|folder| {
            clean.strip_prefix(folder.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'))
        });
        *path = below.unwrap_or(&clean).trim_start_matches("./").to_owned();
    }
}

/// The folder of a session that does not say it: what is in front of a path that somebody also wrote from there, else what all paths have in common.
fn folder_of(turns: &[Turn]) -> Option<String> {
    let mut paths: Vec<&str> = Vec::new();
    let mut said = String::new();
    for turn in turns {
        match &turn.act {
            Act::Edited { path, .. } | Act::Wrote { path, .. } => paths.push(path),
            Act::Looked { how: Look::File, subject, .. } => paths.push(subject),
            Act::Ran { command, .. } => {
                said.push(' ');
                said.push_str(command);
            }
            Act::Asked(text) | Act::Said(text) => {
                said.push(' ');
                said.push_str(text);
            }
            _ => {}
        }
    }
    let paths: Vec<&str> = paths.into_iter().filter(|path| path.starts_with('/')).collect();
    let is_written = |below: &str| {
        said.match_indices(below).any(|(at, _)| {
            let before = said[..at].chars().next_back();
            !before.is_some_and(|sign| sign.is_alphanumeric() || "/._-".contains(sign))
        })
    };
    for path in &paths {
        // The longest part that stands somewhere by itself.
        let cuts = path.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0);
        for cut in cuts {
            let below = &path[cut + 1..];
            if below.contains('/') && is_written(below) {
                return Some(path[..cut].to_owned());
            }
        }
    }
    let first = paths.first()?;
    let mut common = first.rsplit_once('/')?.0;
    while !paths.iter().all(|path| path.strip_prefix(common).is_some_and(|rest| rest.starts_with('/'))) {
        common = common.rsplit_once('/')?.0;
    }
    (!common.is_empty()).then(|| common.to_owned())
}

/// What a call of a tool does. Hosts call the same things by different names. `answer` is none while it has not answered.
fn acts(name: &str, input: &Value, answer: Option<Option<bool>>, output: &str) -> Vec<Act> {
    let text = |keys: &[&str]| keys.iter().find_map(|key| input.get(key)?.as_str()).map(str::to_owned);
    let succeeded = answer.flatten();
    // A call that was never answered was interrupted: nobody knows that it changed anything.
    let done = answer.is_some_and(|succeeded| succeeded != Some(false));
    let tool = name.to_lowercase();
    let output = output.to_owned();
    const PATCH: &[&str] = &["input", "patch", "patchText", "command", "cmd"];
    if let Some(patch) = PATCH.iter().find_map(|key| patch::within(input.get(key)?)) {
        return patch::acts(&patch, done);
    }
    if let Some(patch) = patch::within(input) {
        return patch::acts(&patch, done);
    }
    const RUNNING: &[&str] = &["bash", "shell", "exec", "terminal", "command"];
    if RUNNING.iter().any(|word| tool.contains(word))
        && let Some(command) = command_line(input)
    {
        return vec![Act::Ran { command: cut(&command, TEXT_BYTES_MAX), succeeded, output }];
    }
    const PATHS: &[&str] =
        &["file_path", "filePath", "absolute_path", "notebook_path", "target_file", "path", "filename"];
    const OLD: &[&str] = &["old_string", "oldString", "old_str"];
    const NEW: &[&str] = &["new_string", "newString", "new_str", "new_source"];
    let path = text(PATHS);
    if let Some(path) = path.clone() {
        let edit = |holder: &Value| {
            let part = |keys: &[&str]| keys.iter().find_map(|key| holder.get(key)?.as_str());
            let (old, new) = (part(OLD), part(NEW));
            (old.is_some() || new.is_some()).then(|| Act::Edited {
                path: path.clone(),
                old: cut(old.unwrap_or_default(), EDIT_BYTES_MAX),
                new: cut(new.unwrap_or_default(), EDIT_BYTES_MAX),
                done,
            })
        };
        if let Some(edits) = input.get("edits").and_then(Value::as_array) {
            return edits.iter().filter_map(edit).collect();
        }
        if let Some(edit) = edit(input) {
            return vec![edit];
        }
        if let Some(content) = text(&["content", "contents", "file_text"]) {
            let content = cut(&content, EDIT_BYTES_MAX);
            return vec![Act::Wrote { path, content, done }];
        }
    }
    let looked = |how: Look, subject: Option<String>, within: Option<String>| {
        subject.map(|subject| vec![Act::Looked { how, subject, within, output: output.clone() }])
    };
    let found = if tool.contains("web") || tool.contains("fetch") {
        looked(Look::Web, text(&["query", "url", "prompt", "q"]), None)
    } else if tool.contains("grep") || tool.contains("search") {
        let within = text(&["path", "include", "glob", "dir_path", "file_pattern"]);
        looked(Look::Search, text(&["pattern", "query", "regex"]), within)
    } else if tool.contains("glob") || tool == "ls" || tool.contains("list") {
        looked(Look::Names, text(&["pattern", "path", "dir_path"]), None)
    } else if tool.contains("read") || tool == "view" || tool == "cat" {
        let page = ["offset", "limit", "start_line", "end_line"]
            .iter()
            .filter_map(|key| input.get(key)?.as_u64())
            .map(|number| number.to_string())
            .collect::<Vec<_>>();
        looked(Look::File, path, (!page.is_empty()).then(|| page.join("-")))
    } else {
        None
    };
    found.unwrap_or_else(|| vec![Act::Used { tool: name.to_owned(), succeeded, output }])
}

/// The command line of a shell. A list of words is written as a shell would read it, and what `bash -lc` is given is the line itself.
fn command_line(input: &Value) -> Option<String> {
    let command = ["command", "cmd", "script"].iter().find_map(|key| input.get(key))?;
    let line = match command {
        Value::String(line) => line.clone(),
        Value::Array(words) => {
            let words: Vec<String> = words.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            match ken_shell::script_source(&words) {
                (ScriptSource::Line, [line]) if SHELLS.contains(&program_name(&words[0])) => line.clone(),
                _ => ken_shell::quoted(words.iter().map(String::as_str)),
            }
        }
        _ => return None,
    };
    (!line.trim().is_empty()).then_some(line)
}

/// What is said in the content of a message: a text, or a list of parts of which only texts count.
fn text_of(content: &Value) -> String {
    const SPOKEN: &[&str] = &["text", "output_text", "input_text"];
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| match part {
                Value::String(text) => Some(text.as_str()),
                part => {
                    let kind = part.get("type").and_then(Value::as_str);
                    let text = part.get("text")?.as_str()?;
                    kind.is_none_or(|kind| SPOKEN.contains(&kind)).then_some(text)
                }
            })
            .collect::<Vec<_>>()
            .join("\n"),
        Value::Object(fields) => fields.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// The beginning of a text.
fn cut(text: &str, bytes_max: usize) -> String {
    text[..floor(text, bytes_max)].to_owned()
}

/// The beginning and the end of a text: an error stands at one of them.
fn cut_middle(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let head = floor(text, bytes_max / 2);
    let mut tail = text.len() - bytes_max / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{}\n...\n{}", &text[..head], &text[tail..])
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// What the person said when they turned down the call of a tool. Hosts write it in place of the tool's answer, behind words of their own.
fn rejection(output: &str) -> Option<&str> {
    const HEADS: &[&str] = &[
        "The user rejected permission to use this specific tool call with the following feedback:",
        "The user doesn't want to proceed with this tool use.",
    ];
    const SAID: &str = "the user said:";
    let output = output.trim();
    let after = HEADS.iter().find_map(|head| output.strip_prefix(head))?;
    let said = after
        .split_once(SAID)
        .map_or(if output.starts_with(HEADS[0]) { after } else { "" }, |(_, said)| said);
    Some(said.trim()).filter(|said| !said.is_empty())
}

/// The exit code in a line that hosts put around what a command printed: `Exit code: 1`, `Process exited with code 1`.
fn told_code<'a>(mut lines: impl Iterator<Item = &'a str>) -> Option<i64> {
    const HEADS: &[&str] = &["Exit code:", "Exit Code:", "Process exited with code", "Exit code"];
    lines.find_map(|line| HEADS.iter().find_map(|head| line.trim().strip_prefix(head))?.trim().parse().ok())
}

/// Words of the host in a person's turn are no words of the person: blocks between tags, and what is pasted by commands of the host.
fn own_words(text: &str) -> String {
    let mut text = text.to_owned();
    for tag in HOST_TAGS {
        let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
        while let Some(start) = text.find(&open) {
            // `<environment_context_x` is another tag.
            let after = text[start + open.len()..].chars().next();
            if after.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-') {
                break;
            }
            let end = text[start..].find(&close).map_or(text.len(), |at| start + at + close.len());
            text.replace_range(start..end, "\n");
        }
    }
    let text = without_blocks(text.trim());
    let text = text.trim();
    if HOST_HEADS.iter().any(|head| text.starts_with(head)) || is_order_for_json(text) {
        return String::new();
    }
    typed_in_template(text).unwrap_or(text).to_owned()
}

/// A text without blocks that a line such as `<ci-monitor-event>` begins: tags of several words are made by programs.
fn without_blocks(text: &str) -> String {
    let mut text = text.to_owned();
    let mut from = 0;
    while let Some(start) = text[from..].find('<').map(|at| from + at) {
        from = start + 1;
        let is_line =
            text[..start].trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|c| c == '\n');
        let name: String = text[from..]
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
            .collect();
        if !is_line || !name.trim_matches(['-', '_']).contains(['-', '_']) {
            continue;
        }
        let close = format!("</{name}>");
        if let Some(end) = text[from..].find(&close).map(|at| from + at + close.len()) {
            text.replace_range(start..end, "\n");
            from = start;
        }
    }
    text
}

/// Whether a text tells a model to answer in JSON: hosts ask so for titles, recaps and commit messages, in a session of their own.
fn is_order_for_json(text: &str) -> bool {
    let head = &text[..floor(text, 400)];
    head.starts_with("You ") && head.contains("Return a JSON object with key")
}

/// What the person typed into a prompt that a command of the host wrote around it.
fn typed_in_template(text: &str) -> Option<&str> {
    let (_, rest) = text.strip_prefix("## User Input")?.split_once("```text\n")?;
    let (typed, after) = rest.split_once("```")?;
    after.trim_start().starts_with("You **MUST** consider the user input").then(|| typed.trim())
}

/// Tags around what hosts add to a person's turn.
const HOST_TAGS: &[&str] = &[
    "system-reminder",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "command-name",
    "command-message",
    "command-args",
    "command-contents",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "task-notification",
    "user-prompt-submit-hook",
    "ide_opened_file",
    "ide_selection",
    "environment_context",
    "environment_details",
    "user_instructions",
    "permissions instructions",
    "collaboration_mode",
    "skill",
    "skills_instructions",
    "turn_aborted",
    "session_context",
    "state_snapshot",
    "hook_context",
    "subagent_notification",
    "user_action",
    "user_shell_command",
    "INSTRUCTIONS",
    "file",
    "attachment",
];

/// How messages begin that hosts write in a person's name.
const HOST_HEADS: &[&str] = &[
    "[Request interrupted by user",
    "Caveat: The messages below were generated by the user while running local commands",
    "This session is being continued from a previous conversation",
    "# AGENTS.md instructions",
    "This is the Gemini CLI. We are setting up the context",
    "Stop hook feedback:",
    "API Error",
    "Called the ",
    "Implement the following plan:",
];
