//! What a command line would start: each program with its words, where it runs, and what is known of its input.
//!
//! Variables, aliases, functions, `cd` and branches are followed through the line; programs that start others (`sudo`, `xargs`,
//! `bash -c`) are followed into them. What cannot be known is [`super::UNKNOWN`].

use std::collections::BTreeMap;
use std::rc::Rc;

use super::arguments::{Arguments, is_unknown, name};
use super::code::{self, Effect};
use super::path;
use super::shell::{self, Node, Piece, Redirect, RedirectKind, Script, Simple, Word};
use super::{Branch, Place, UNKNOWN};

use crate::limits::action_invocation::{
    BRACED_CHARS_MAX, DEPTH_MAX, EXPANDED_CHARS_MAX, INVOCATIONS_MAX, STEPS_MAX, VALUES_MAX, WORD_CHARS_MAX,
    WORDS_MAX,
};

/// A program that a line starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Invocation {
    /// The program and its words, expanded.
    pub(super) words: Vec<String>,
    /// Variables that it sees and that the line sets.
    pub(super) environment: Vec<(String, String)>,
    /// The folder that it runs in.
    pub(super) folder: String,
    /// What is checked out there.
    pub(super) branch: Branch,
    /// What it reads, if the line says.
    pub(super) input: Option<String>,
    /// Files that its output goes to.
    pub(super) outputs: Vec<Output>,
    /// Invocations whose output is what it runs, by their number in the list.
    pub(super) fed_by: Vec<usize>,
    pub(super) machine: Machine,
}

/// Where an invocation runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Machine {
    #[default]
    Here,
    /// In a container or on another host: its paths are not ours.
    Elsewhere,
}

/// A file that output goes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Output {
    pub(super) path: String,
    /// What is written, if the line says.
    pub(super) text: Option<String>,
    pub(super) mode: Mode,
}

/// Whether a file keeps what it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Replace,
    Append,
    Remove,
}

/// What a line starts, in the order of the line.
pub(super) fn invocations(line: &str, place: &Place<'_>) -> Walked {
    let mut walker = Walker {
        root: path::normal(place.root),
        folder: path::join(place.root, place.folder),
        branch: place.branch.clone(),
        ..Walker::default()
    };
    if !walker.is_inside() {
        walker.leave();
    }
    walker.script(&shell::read(line), &Input::default());
    Walked { cut_short: walker.cut_short || walker.is_exhausted(), started: walker.found }
}

/// What a line starts.
pub(super) struct Walked {
    pub(super) started: Vec<Invocation>,
    /// The line is too long or too deep to be read as a whole.
    pub(super) cut_short: bool,
}

#[derive(Default)]
struct Walker {
    /// Something was too deep to be read.
    cut_short: bool,
    root: String,
    folder: String,
    branch: Branch,
    /// What is checked out in the repository, while the line is outside of it.
    left: Branch,
    machine: Machine,
    variables: BTreeMap<String, Vec<String>>,
    exported: BTreeMap<String, String>,
    aliases: BTreeMap<String, String>,
    git_aliases: BTreeMap<String, String>,
    functions: BTreeMap<String, Function>,
    heredocs: Rc<Vec<Word>>,
    /// Files that the line writes, with what is in them and which invocation wrote them.
    files: BTreeMap<String, (Option<String>, usize)>,
    found: Vec<Invocation>,
    steps: usize,
    expanded_chars: usize,
    depth: usize,
}

/// A function of the shell, with the heredocs of the script that defines it.
#[derive(Clone)]
struct Function {
    body: Rc<Vec<Node>>,
    heredocs: Rc<Vec<Word>>,
}

/// What a command reads.
#[derive(Clone, Debug, Default)]
struct Input {
    text: Option<String>,
    /// Paths that a list of files consists of, as far as they are known.
    paths: Vec<String>,
    /// Invocations before it in the pipeline.
    from: Vec<usize>,
}

/// What a command writes to its output.
#[derive(Clone, Debug, Default)]
struct Printed {
    text: Option<String>,
    paths: Vec<String>,
}

/// A word after expansion.
#[derive(Default)]
struct Expanded {
    fields: Vec<String>,
    /// Invocations in its substitutions.
    from: Vec<usize>,
    /// Files that its substitutions list.
    paths: Vec<String>,
}

/// A program with everything that was said before it.
#[derive(Clone, Default)]
struct Call {
    words: Vec<String>,
    environment: Vec<(String, String)>,
    outputs: Vec<Output>,
    input: Input,
    /// Invocations in substitutions of its words.
    substituted: Vec<usize>,
}

/// Unquoted braces and commas until they are expanded: characters that nobody types.
const OPEN: char = '\u{e000}';
const COMMA: char = '\u{e001}';
const CLOSE: char = '\u{e002}';

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];

/// Programs that start the one that follows them.
struct Wrapper {
    name: &'static str,
    /// Its options with values.
    valued: &'static [&'static str],
    /// Operands of its own before the program.
    operands: usize,
    /// Words that have to stand after its name: `poetry run`.
    after: &'static [&'static str],
    machine: Machine,
}

const fn wrapper(name: &'static str, valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { name, valued, operands, after: &[], machine: Machine::Here }
}

const fn runner(
    name: &'static str,
    after: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { name, valued, operands, after, machine: Machine::Here }
}

const fn elsewhere(
    name: &'static str,
    after: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { name, valued, operands, after, machine: Machine::Elsewhere }
}

const CONTAINER: &[&str] = &[
    "-u",
    "--user",
    "-e",
    "--env",
    "-w",
    "--workdir",
    "--env-file",
    "--index",
    "-v",
    "--volume",
    "--name",
    "--network",
    "-p",
    "--publish",
    "--entrypoint",
    "--mount",
    "--platform",
    "-f",
    "--file",
    "--project-name",
    "--profile",
    "--memory",
    "-m",
    "--cpus",
    "-h",
    "--hostname",
];

const WRAPPERS: &[Wrapper] = &[
    wrapper(
        "sudo",
        &["-u", "-g", "-h", "-p", "-C", "-T", "-U", "-D", "-R", "-r", "-t", "--user", "--group"],
        0,
    ),
    wrapper("doas", &["-u", "-C"], 0),
    wrapper("env", &["-u", "--unset", "-C", "--chdir"], 0),
    wrapper("time", &["-f", "-o", "--format", "--output"], 0),
    wrapper("nice", &["-n", "--adjustment"], 0),
    wrapper("ionice", &["-c", "-n", "-p", "--class", "--classdata"], 0),
    wrapper("chrt", &["-p"], 1),
    wrapper("taskset", &["-p"], 1),
    wrapper("nohup", &[], 0),
    wrapper("setsid", &[], 0),
    wrapper("stdbuf", &["-i", "-o", "-e"], 0),
    wrapper("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    wrapper("gtimeout", &["-k", "-s"], 1),
    wrapper("builtin", &[], 0),
    wrapper("busybox", &[], 0),
    wrapper("toybox", &[], 0),
    wrapper("exec", &["-a"], 0),
    wrapper("noglob", &[], 0),
    wrapper("unbuffer", &[], 0),
    wrapper("chronic", &[], 0),
    wrapper("caffeinate", &["-t", "-w"], 0),
    wrapper("strace", &["-o", "-e", "-p", "-s", "-E", "-u"], 0),
    wrapper("ltrace", &["-o", "-e", "-p", "-s"], 0),
    wrapper("faketime", &["-f"], 1),
    wrapper("flock", &["-w", "--timeout", "-E"], 1),
    wrapper("npx", &["-p", "--package"], 0),
    wrapper("bunx", &[], 0),
    wrapper("uvx", &["--from", "--with", "-p", "--python"], 0),
    wrapper("dotenv", &["-f", "-e"], 0),
    runner("npm", &["exec"], &["-w", "--workspace", "-p", "--package", "--prefix"], 0),
    runner("npm", &["x"], &["-w", "--workspace", "-p", "--package", "--prefix"], 0),
    runner("pnpm", &["exec"], &[], 0),
    runner("pnpm", &["dlx"], &["--package"], 0),
    runner("yarn", &["exec"], &[], 0),
    runner("yarn", &["dlx"], &["-p", "--package"], 0),
    runner("poetry", &["run"], &[], 0),
    runner("pipenv", &["run"], &[], 0),
    runner(
        "uv",
        &["run"],
        &[
            "--with",
            "-p",
            "--python",
            "--project",
            "--directory",
            "--package",
            "--group",
            "--extra",
            "--env-file",
        ],
        0,
    ),
    runner("bundle", &["exec"], &[], 0),
    runner("direnv", &["exec"], &[], 1),
    runner("doppler", &["run"], &["-p", "--project", "-c", "--config"], 0),
    runner("op", &["run"], &["--env-file"], 0),
    runner("aws-vault", &["exec"], &["-d"], 1),
    runner("mise", &["exec"], &[], 0),
    runner("git", &["bisect", "run"], &[], 0),
    elsewhere("docker", &["exec"], CONTAINER, 1),
    elsewhere("docker", &["run"], CONTAINER, 1),
    elsewhere("docker", &["compose", "exec"], CONTAINER, 1),
    elsewhere("docker", &["compose", "run"], CONTAINER, 1),
    elsewhere("docker-compose", &["exec"], CONTAINER, 1),
    elsewhere("docker-compose", &["run"], CONTAINER, 1),
    elsewhere("podman", &["exec"], CONTAINER, 1),
    elsewhere("podman", &["run"], CONTAINER, 1),
];

impl Walker {
    fn script(&mut self, script: &Script, input: &Input) -> Printed {
        if self.depth >= DEPTH_MAX {
            self.cut_short = true;
            return Printed::default();
        }
        self.depth += 1;
        self.cut_short |= script.cut_short;
        let outer = std::mem::replace(&mut self.heredocs, Rc::new(script.heredocs.clone()));
        let printed = self.nodes(&script.nodes, input);
        self.heredocs = outer;
        self.depth -= 1;
        printed
    }

    fn nodes(&mut self, nodes: &[Node], input: &Input) -> Printed {
        let mut printed: Option<Printed> = None;
        for node in nodes {
            if self.is_exhausted() {
                break;
            }
            let now = self.node(node, input);
            printed = Some(match printed {
                None => now,
                // What a list prints is what its parts print, one after the other.
                Some(before) => Printed {
                    text: before.text.zip(now.text).map(|(before, now)| before + &now),
                    paths: before.paths.into_iter().chain(now.paths).collect(),
                },
            });
        }
        printed.unwrap_or_default()
    }

    fn is_exhausted(&self) -> bool {
        self.steps >= STEPS_MAX || self.found.len() >= INVOCATIONS_MAX
    }

    fn node(&mut self, node: &Node, input: &Input) -> Printed {
        match node {
            Node::Simple(simple) => self.simple(simple, input),
            Node::Pipeline(stages) => self.pipeline(stages, input),
            Node::Group { nodes, redirects } => self.compound(nodes, redirects, input),
            Node::Subshell { nodes, redirects } => {
                let saved = (self.folder.clone(), self.branch.clone(), self.variables.clone());
                let printed = self.compound(nodes, redirects, input);
                // What is checked out stays checked out.
                (self.folder, _, self.variables) = saved;
                printed
            }
            Node::Loop { variable, values, nodes, redirects } => {
                let mut fields = Vec::new();
                for value in values {
                    fields.extend(self.expand(value).fields);
                }
                fields.truncate(VALUES_MAX);
                let mut printed = Printed::default();
                if fields.is_empty() {
                    fields.push(UNKNOWN.to_string());
                }
                for field in fields {
                    self.variables.insert(variable.clone(), vec![field]);
                    let now = self.compound(nodes, redirects, input);
                    printed.paths.extend(now.paths);
                }
                printed
            }
            Node::Function { name, body } => {
                let (body, heredocs) = (Rc::clone(body), Rc::clone(&self.heredocs));
                self.functions.insert(name.clone(), Function { body, heredocs });
                Printed::default()
            }
        }
    }

    fn compound(&mut self, nodes: &[Node], redirects: &[Redirect], input: &Input) -> Printed {
        let mut call = Call { input: input.clone(), ..Call::default() };
        self.redirect(redirects, &mut call);
        let printed = self.depth_checked(|walker| walker.nodes(nodes, &call.input));
        if !call.outputs.is_empty() {
            self.finish(call, &printed);
        }
        printed
    }

    fn depth_checked(&mut self, walk: impl FnOnce(&mut Walker) -> Printed) -> Printed {
        if self.depth >= DEPTH_MAX {
            self.cut_short = true;
            return Printed::default();
        }
        self.depth += 1;
        let printed = walk(self);
        self.depth -= 1;
        printed
    }

    fn pipeline(&mut self, stages: &[Node], input: &Input) -> Printed {
        let folder = self.folder.clone();
        let mut input = input.clone();
        let mut printed = Printed::default();
        for stage in stages {
            if self.is_exhausted() {
                break;
            }
            let begin = self.found.len();
            printed = self.node(stage, &input);
            let mut from = input.from;
            from.extend(begin..self.found.len());
            input = Input { text: printed.text.clone(), paths: printed.paths.clone(), from };
        }
        self.folder = folder;
        printed
    }

    fn simple(&mut self, simple: &Simple, input: &Input) -> Printed {
        self.steps += 1;
        if self.is_exhausted() {
            return Printed::default();
        }
        let mut call = Call { input: input.clone(), ..Call::default() };
        for assignment in &simple.assignments {
            let mut values = Vec::new();
            for value in &assignment.values {
                let expanded = self.expand(value);
                // One word, however many fields: an assignment does not split.
                values.push(expanded.fields.join(" "));
            }
            if simple.words.is_empty() {
                if let Some(known) = self.exported.get_mut(&assignment.name) {
                    *known = values.join(" ");
                }
                self.variables.insert(assignment.name.clone(), values);
            } else {
                call.environment.push((assignment.name.clone(), values.join(" ")));
            }
        }
        for word in &simple.words {
            let expanded = self.expand(word);
            call.words.extend(expanded.fields);
            call.substituted.extend(expanded.from);
        }
        call.words.truncate(WORDS_MAX);
        self.redirect(&simple.redirects, &mut call);
        if call.words.is_empty() {
            self.finish(call, &Printed { text: Some(String::new()), paths: Vec::new() });
            return Printed::default();
        }
        self.depth_checked(|walker| walker.call(call))
    }

    fn redirect(&mut self, redirects: &[Redirect], call: &mut Call) {
        for redirect in redirects {
            match &redirect.kind {
                RedirectKind::Write(word) | RedirectKind::Append(word) => {
                    let mode = match &redirect.kind {
                        RedirectKind::Append(_) => Mode::Append,
                        _ => Mode::Replace,
                    };
                    let expanded = self.expand(word);
                    call.outputs.extend(expanded.fields.into_iter().map(|path| Output {
                        path,
                        text: None,
                        mode,
                    }));
                }
                RedirectKind::Read(word) => {
                    let expanded = self.expand(word);
                    let text = expanded.fields.first().and_then(|file| self.file(file)?.0);
                    call.input = Input { text, paths: expanded.paths, from: expanded.from };
                }
                RedirectKind::HereDocument(number) => {
                    let heredocs = Rc::clone(&self.heredocs);
                    if let Some(body) = heredocs.get(*number) {
                        let expanded = self.expand_quoted(body);
                        call.input = Input { text: Some(expanded), ..Input::default() };
                    }
                }
                RedirectKind::HereString(word) => {
                    let expanded = self.expand(word);
                    call.input = Input {
                        text: Some(expanded.fields.join(" ") + "\n"),
                        from: expanded.from,
                        ..Input::default()
                    };
                }
                RedirectKind::Duplicate => {}
            }
        }
    }

    /// Notes an invocation, with what it prints.
    fn finish(&mut self, mut call: Call, printed: &Printed) -> usize {
        for output in &mut call.outputs {
            output.text = printed.text.clone();
        }
        let number = self.found.len();
        for output in &call.outputs {
            self.files.insert(path::join(&self.folder, &output.path), (output.text.clone(), number));
        }
        let fetched: &[&str] = match call.words.first().map(|program| name(program)) {
            Some("curl") => &["-o", "--output"],
            Some("wget") => &["-O", "--output-document"],
            Some(_) | None => &[],
        };
        if let Some(file) = Arguments::read_value(&call.words, fetched) {
            self.files.insert(path::join(&self.folder, &file), (None, number));
        }
        let mut environment: Vec<(String, String)> =
            self.exported.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        environment.extend(call.environment);
        self.found.push(Invocation {
            words: call.words,
            environment,
            folder: self.folder.clone(),
            branch: self.branch.clone(),
            input: call.input.text,
            outputs: call.outputs,
            fed_by: Vec::new(),
            machine: self.machine,
        });
        self.found.len() - 1
    }

    /// Follows a program, and what it starts.
    fn call(&mut self, call: Call) -> Printed {
        let Some(first) = call.words.first().cloned() else {
            self.finish(call, &Printed::default());
            return Printed::default();
        };
        if let Some(alias) = self.aliases.get(&first).cloned() {
            return self.aliased(&alias, call);
        }
        if let Some(Function { body, heredocs }) = self.functions.get(&first).cloned() {
            return self.function(&body, heredocs, call);
        }
        let program = name(&first).to_owned();
        if program == "env" || program == "sudo" || program == "doas" {
            return self.with_environment(call);
        }
        if let Some(wrapper) = self.wrapper(&program, &call.words) {
            return self.wrapped(wrapper, call);
        }
        let arguments = || Arguments::read(&call.words.iter().map(String::as_str).collect::<Vec<_>>());
        match program.as_str() {
            "cd" | "pushd" => {
                let target =
                    arguments().operands.first().map_or("~".to_owned(), |operand| operand.text.clone());
                self.change_folder(&target);
                Printed::default()
            }
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                for word in call.words.iter().skip(1) {
                    match word.split_once('=') {
                        Some((name, value)) => {
                            self.variables.insert(name.to_owned(), vec![value.to_owned()]);
                            if program == "export" {
                                self.exported.insert(name.to_owned(), value.to_owned());
                            }
                        }
                        None if program == "export" => {
                            let value = self.variables.get(word).map(|values| values.join(" "));
                            self.exported.insert(word.clone(), value.unwrap_or_default());
                        }
                        None => {}
                    }
                }
                Printed::default()
            }
            "unset" => {
                for word in call.words.iter().skip(1) {
                    self.variables.remove(word);
                    self.exported.remove(word);
                    self.functions.remove(word);
                }
                Printed::default()
            }
            "alias" => {
                for word in call.words.iter().skip(1) {
                    if let Some((name, value)) = word.split_once('=') {
                        self.aliases.insert(name.to_owned(), value.to_owned());
                    }
                }
                Printed::default()
            }
            "unalias" => {
                for word in call.words.iter().skip(1) {
                    self.aliases.remove(word);
                }
                Printed::default()
            }
            "echo" => {
                let text = echoed(&call.words[1..]);
                self.output_of(call, Some(text), Vec::new())
            }
            "printf" => {
                let text = formatted(&call.words[1..]);
                self.output_of(call, Some(text), Vec::new())
            }
            "cat" if call.words.iter().skip(1).all(|word| word == "-") => {
                let (text, paths) = (call.input.text.clone(), call.input.paths.clone());
                self.output_of(call, text, paths)
            }
            "tee" => {
                let (text, paths) = (call.input.text.clone(), call.input.paths.clone());
                self.output_of(call, text, paths)
            }
            "pwd" => {
                let folder = self.folder.clone() + "\n";
                self.output_of(call, Some(folder), Vec::new())
            }
            "command" => self.command(call),
            "eval" => {
                let text = call.words[1..].join(" ");
                self.run_text(call, &text)
            }
            "source" | "." => {
                let mut from = call.substituted.clone();
                let file = call.words.get(1).and_then(|file| self.file(file));
                from.extend(file.as_ref().map(|(_, writer)| *writer));
                let at = self.finish(call, &Printed::default());
                self.found[at].fed_by = from;
                match file.and_then(|(text, _)| text) {
                    Some(text) => self.script(&shell::read(&text), &Input::default()),
                    None => Printed::default(),
                }
            }
            "read" => {
                let names = after_options(&call.words[1..], &["-p", "-t", "-d", "-n", "-u", "-a"]).to_vec();
                let values = match (&call.input.text, call.input.paths.is_empty()) {
                    (Some(text), _) => text.lines().take(VALUES_MAX).map(str::to_owned).collect(),
                    (None, false) => call.input.paths.clone(),
                    (None, true) => vec![UNKNOWN.to_string()],
                };
                // A loop reads them all in turn, so the name stands for any of them.
                for name in names {
                    self.variables.insert(name, values.clone());
                }
                Printed::default()
            }
            "tmux" => {
                let keys = call.words.iter().skip_while(|word| !word.starts_with("send")).skip(1);
                let text = keys.filter(|word| word.contains(' ')).cloned().collect::<Vec<_>>().join("\n");
                let started =
                    call.words.iter().any(|word| word.starts_with("new") || word.starts_with("split"));
                let last = call.words.last().filter(|_| started).cloned();
                let text = last.unwrap_or(text);
                self.run_text(call, &text)
            }
            "trap" => {
                let text = call.words.iter().skip(1).find(|word| !word.starts_with('-')).cloned();
                match text {
                    Some(text) => self.run_text(call, &text),
                    None => Printed::default(),
                }
            }
            "xargs" | "parallel" => self.xargs(call),
            "find" => self.find(call),
            "ssh" => self.remote_shell(call),
            "su" | "script" => match Arguments::read_value(&call.words, &["-c", "--command"]) {
                Some(text) => self.run_text(call, &text),
                None => self.output_of(call, None, Vec::new()),
            },
            "watch" => {
                let rest = after_options(&call.words[1..], &["-n", "--interval"]);
                let text = rest.join(" ");
                self.run_text(call, &text)
            }
            "kubectl" | "oc" if call.words.iter().any(|word| word == "exec") => {
                match call.words.iter().position(|word| word == "--") {
                    Some(at) => {
                        let inner = Call {
                            words: call.words[at + 1..].to_vec(),
                            outputs: Vec::new(),
                            ..call.clone()
                        };
                        self.finish(call, &Printed::default());
                        self.on(Machine::Elsewhere, |walker| walker.call(inner))
                    }
                    None => self.output_of(call, None, Vec::new()),
                }
            }
            _ if first.contains('/') && self.file(&first).is_some() => {
                let words = std::iter::once("sh".to_owned()).chain(call.words.iter().cloned()).collect();
                self.shell(Call { words, ..call })
            }
            shell if SHELLS.contains(&shell) => self.shell(call),
            "git" => self.git(call),
            interpreter if code::is_interpreter(interpreter) => self.interpreter(call),
            _ => {
                let paths = listed(&arguments());
                self.output_of(call, None, paths)
            }
        }
    }

    /// Notes a call that prints this.
    fn output_of(&mut self, call: Call, text: Option<String>, paths: Vec<String>) -> Printed {
        let printed = Printed { text, paths };
        self.finish(call, &printed);
        printed
    }

    fn aliased(&mut self, alias: &str, mut call: Call) -> Printed {
        let script = shell::read(alias);
        let outer = std::mem::replace(&mut self.heredocs, Rc::new(script.heredocs));
        let mut words = Vec::new();
        for node in &script.nodes {
            match node {
                Node::Simple(simple) if script.nodes.len() == 1 => {
                    for word in &simple.words {
                        words.extend(self.expand(word).fields);
                    }
                    for assignment in &simple.assignments {
                        let values: Vec<String> =
                            assignment.values.iter().flat_map(|value| self.expand(value).fields).collect();
                        call.environment.push((assignment.name.clone(), values.join(" ")));
                    }
                }
                other => drop(self.node(other, &call.input)),
            }
        }
        self.heredocs = outer;
        let own = call.words.remove(0);
        words.append(&mut call.words);
        call.words = words;
        // `alias ls='ls -l'` means the program in the second place.
        let alias = self.aliases.remove(&own);
        let printed = self.depth_checked(|walker| walker.call(call));
        if let Some(alias) = alias {
            self.aliases.insert(own, alias);
        }
        printed
    }

    fn function(&mut self, body: &Rc<Vec<Node>>, heredocs: Rc<Vec<Word>>, call: Call) -> Printed {
        if self.depth >= DEPTH_MAX {
            self.cut_short = true;
            return Printed::default();
        }
        let outer = std::mem::replace(&mut self.heredocs, heredocs);
        let saved = self.variables.clone();
        let arguments: Vec<String> = call.words[1..].to_vec();
        for (at, argument) in arguments.iter().enumerate() {
            self.variables.insert((at + 1).to_string(), vec![argument.clone()]);
        }
        for all in ["@", "*"] {
            self.variables.insert(all.to_owned(), arguments.clone());
        }
        self.depth += 1;
        let printed = self.nodes(body, &call.input);
        self.depth -= 1;
        self.variables = saved;
        self.heredocs = outer;
        if !call.outputs.is_empty() {
            self.finish(Call { words: Vec::new(), ..call }, &printed);
        }
        printed
    }

    /// `env` and `sudo`: variables may stand before the program.
    fn with_environment(&mut self, mut call: Call) -> Printed {
        let program = name(&call.words[0]).to_owned();
        let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == program) else {
            return Printed::default();
        };
        let folder = Arguments::read_value(&call.words, &["-C", "--chdir", "-D"]);
        let split = Arguments::read_value(&call.words, &["-S", "--split-string"]);
        let mut rest: Vec<String> = after_options(&call.words[1..], wrapper.valued).to_vec();
        if let Some(text) = split.filter(|_| program == "env") {
            return self.run_text(call, &text);
        }
        while let Some((name, value)) = rest.first().and_then(|word| word.split_once('=')) {
            call.environment.push((name.to_owned(), value.to_owned()));
            rest.remove(0);
        }
        if rest.is_empty() {
            return self.output_of(call, None, Vec::new());
        }
        call.words = rest;
        let saved = self.folder.clone();
        if let Some(folder) = folder {
            self.change_folder(&folder);
        }
        let printed = self.depth_checked(|walker| walker.call(call));
        self.folder = saved;
        printed
    }

    fn wrapper(&self, program: &str, words: &[String]) -> Option<&'static Wrapper> {
        WRAPPERS.iter().find(|wrapper| {
            if wrapper.name != program {
                return false;
            }
            // Options of the program itself may stand between: `docker compose -f x.yml exec`.
            let mut rest = words[1..].iter();
            wrapper.after.iter().all(|wanted| {
                let mut skips_value = false;
                rest.by_ref()
                    .find(|word| {
                        let is_skipped = word.starts_with('-') || std::mem::take(&mut skips_value);
                        skips_value = wrapper.valued.contains(&word.as_str());
                        !is_skipped
                    })
                    .is_some_and(|word| word == wanted)
            })
        })
    }

    fn wrapped(&mut self, wrapper: &Wrapper, mut call: Call) -> Printed {
        let mut rest: &[String] = &call.words[1..];
        for wanted in wrapper.after {
            let at = rest.iter().position(|word| word == wanted).map_or(rest.len(), |at| at + 1);
            rest = &rest[at..];
        }
        let rest = after_options(rest, wrapper.valued);
        let rest = rest.get(wrapper.operands..).unwrap_or_default();
        let rest = after_options(rest, &[]);
        // `npx -c 'text'`, `flock file -c 'text'`.
        if let Some(text) = rest.is_empty().then(|| Arguments::read_value(&call.words, &["-c"])).flatten() {
            return self.run_text(call, &text);
        }
        if rest.is_empty() {
            return self.output_of(call, None, Vec::new());
        }
        if wrapper.after.is_empty() {
            call.words = rest.to_vec();
            return self.on(wrapper.machine, |walker| walker.call(call));
        }
        let inner = Call { words: rest.to_vec(), outputs: Vec::new(), ..call.clone() };
        self.finish(call, &Printed::default());
        self.on(wrapper.machine, |walker| walker.call(inner))
    }

    fn on(&mut self, machine: Machine, walk: impl FnOnce(&mut Walker) -> Printed) -> Printed {
        let before = self.machine;
        if machine == Machine::Elsewhere {
            self.machine = machine;
        }
        let printed = self.depth_checked(walk);
        self.machine = before;
        printed
    }

    /// `command git push` runs it; `command -v git` does not.
    fn command(&mut self, mut call: Call) -> Printed {
        if call.words.get(1).is_some_and(|word| word == "-v" || word == "-V") {
            return self.output_of(call, None, Vec::new());
        }
        let rest = after_options(&call.words[1..], &[]).to_vec();
        if rest.is_empty() {
            return Printed::default();
        }
        call.words = rest;
        self.call(call)
    }

    /// Runs a text as a script: `eval`, `su -c`, `trap`.
    fn run_text(&mut self, call: Call, text: &str) -> Printed {
        let input = call.input.clone();
        let from = call.substituted.clone();
        let at = self.finish(call, &Printed::default());
        self.found[at].fed_by = from;
        self.script(&shell::read(text), &input)
    }

    fn shell(&mut self, call: Call) -> Printed {
        let mut rest = call.words[1..].iter();
        let mut text = None;
        let mut script_file = None;
        let mut reads_input = true;
        let mut arguments: Vec<String> = Vec::new();
        while let Some(word) = rest.next() {
            match word.as_str() {
                "-" | "-s" => {
                    arguments.extend(rest.by_ref().cloned());
                }
                "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file" => drop(rest.next()),
                option if option.starts_with("--") => {}
                option if option.starts_with('-') || option.starts_with('+') => {
                    if option.contains('c') {
                        text = rest.next().cloned();
                        reads_input = false;
                        arguments = rest.by_ref().skip(1).cloned().collect();
                    }
                }
                file => {
                    script_file = Some(file.to_owned());
                    arguments.extend(rest.by_ref().cloned());
                }
            }
        }
        let reads_input = reads_input && script_file.is_none();
        let file = script_file.as_ref().and_then(|file| self.file(file));
        let fed = match (reads_input, &file) {
            (true, _) => call.input.from.clone(),
            (false, Some((_, writer))) => vec![*writer],
            (false, None) => call.substituted.clone(),
        };
        if reads_input {
            text = call.input.text.clone();
        } else if let Some((written, _)) = file {
            text = written;
        }
        let input = if reads_input { Input::default() } else { call.input.clone() };
        let at = self.finish(call, &Printed::default());
        self.found[at].fed_by = fed;
        let Some(text) = text else { return Printed::default() };
        let saved = (self.folder.clone(), self.variables.clone());
        for (at, argument) in arguments.iter().enumerate() {
            self.variables.insert((at + 1).to_string(), vec![argument.clone()]);
        }
        for all in ["@", "*"] {
            self.variables.insert(all.to_owned(), arguments.clone());
        }
        let printed = self.script(&shell::read(&text), &input);
        (self.folder, self.variables) = saved;
        printed
    }

    /// A file that the line has written before.
    fn file(&self, path: &str) -> Option<(Option<String>, usize)> {
        self.files.get(&path::join(&self.folder, path)).cloned()
    }

    fn remote_shell(&mut self, call: Call) -> Printed {
        const VALUED: &[&str] =
            &["-i", "-p", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-E", "-m", "-S", "-W"];
        let rest = after_options(&call.words[1..], VALUED);
        let text = match rest.get(1..) {
            Some(words) if !words.is_empty() => Some(words.join(" ")),
            Some(_) | None => call.input.text.clone(),
        };
        let input = call.input.clone();
        self.finish(call, &Printed::default());
        match text {
            Some(text) => self.on(Machine::Elsewhere, |walker| walker.script(&shell::read(&text), &input)),
            None => Printed::default(),
        }
    }

    fn xargs(&mut self, call: Call) -> Printed {
        const VALUED: &[&str] = &[
            "-I",
            "-n",
            "-P",
            "-L",
            "-d",
            "-a",
            "-E",
            "-s",
            "-j",
            "--max-args",
            "--max-procs",
            "--delimiter",
            "--arg-file",
            "--replace",
        ];
        let replaced = Arguments::read_value(&call.words, &["-I", "--replace"]);
        let rest = after_options(&call.words[1..], VALUED);
        let (rest, given) = match rest.iter().position(|word| word == ":::") {
            Some(at) => (&rest[..at], rest[at + 1..].to_vec()),
            None => (rest, Vec::new()),
        };
        let mut items = given;
        match &call.input.text {
            Some(text) => items.extend(text.split_whitespace().map(str::to_owned)),
            None => items.extend(call.input.paths.iter().cloned()),
        }
        items.truncate(VALUES_MAX);
        let words = rest.to_vec();
        let inner = Call {
            outputs: Vec::new(),
            input: Input { from: call.input.from.clone(), ..Input::default() },
            ..call.clone()
        };
        self.finish(call, &Printed::default());
        if words.is_empty() {
            let text = items.join(" ") + "\n";
            return Printed { text: Some(text), paths: Vec::new() };
        }
        let mark = replaced.or_else(|| words.iter().any(|word| word.contains("{}")).then(|| "{}".to_owned()));
        match mark {
            Some(mark) if !mark.is_empty() => {
                if items.is_empty() {
                    items.push(UNKNOWN.to_string());
                }
                for item in items {
                    let words = words.iter().map(|word| word.replace(&mark, &item)).collect();
                    self.depth_checked(|walker| walker.call(Call { words, ..inner.clone() }));
                }
            }
            Some(_) | None => {
                let words = words.into_iter().chain(items).collect();
                self.depth_checked(|walker| walker.call(Call { words, ..inner }));
            }
        }
        Printed::default()
    }

    fn find(&mut self, call: Call) -> Printed {
        let words = call.words.clone();
        let roots: Vec<&String> =
            words[1..].iter().take_while(|word| !word.starts_with(['-', '(', '!'])).collect();
        let mut names: Vec<&str> = Vec::new();
        let mut is_negated = false;
        for pair in words.windows(2) {
            match pair[0].as_str() {
                "!" | "-not" => is_negated = true,
                "-name" | "-iname" if !is_negated => names.push(&pair[1]),
                "-name" | "-iname" | "-path" | "-wholename" => is_negated = false,
                _ => {}
            }
        }
        let is_path = |at: usize| {
            matches!(words[at].as_str(), "-path" | "-wholename")
                && !matches!(words[at - 1].as_str(), "!" | "-not")
                && words.get(at + 2).is_none_or(|next| next != "-prune")
        };
        let named: Vec<String> =
            (1..words.len()).filter(|at| is_path(*at)).filter_map(|at| words.get(at + 1).cloned()).collect();
        let unknown = UNKNOWN.to_string();
        if names.is_empty() {
            names.push(&unknown);
        }
        let here = ".".to_owned();
        let roots = if roots.is_empty() { vec![&here] } else { roots };
        let mut paths = Vec::new();
        for root in roots {
            for name in &names {
                paths.push(format!("{}/{name}", root.trim_end_matches('/')));
            }
        }
        paths.extend(named);
        paths.truncate(VALUES_MAX);
        let inner = Call { outputs: Vec::new(), ..call.clone() };
        self.finish(call, &Printed::default());
        if words.iter().any(|word| word == "-delete") {
            let words = std::iter::once("rm".to_owned()).chain(paths.iter().cloned()).collect();
            self.finish(Call { words, ..inner.clone() }, &Printed::default());
        }
        let mut at = 0;
        while at < words.len() {
            if matches!(words[at].as_str(), "-exec" | "-execdir" | "-ok" | "-okdir") {
                let end = words[at + 1..]
                    .iter()
                    .position(|word| word == ";" || word == "+")
                    .map_or(words.len(), |length| at + 1 + length);
                let mut started = Vec::new();
                for word in &words[at + 1..end] {
                    match word.as_str() {
                        "{}" => started.extend(paths.iter().cloned()),
                        other => started.push(other.replace("{}", &paths[0])),
                    }
                }
                self.depth_checked(|walker| walker.call(Call { words: started, ..inner.clone() }));
                at = end;
            }
            at += 1;
        }
        Printed { text: None, paths }
    }

    fn git(&mut self, mut call: Call) -> Printed {
        let arguments = Arguments::read(&call.words.iter().map(String::as_str).collect::<Vec<_>>());
        for setting in arguments.values(&["-c"]) {
            if let Some((key, value)) = setting.split_once('=')
                && let Some(alias) = key.strip_prefix("alias.")
            {
                self.git_aliases.insert(alias.to_owned(), value.to_owned());
            }
        }
        let rest: Vec<String> = arguments.rest().map(str::to_owned).collect();
        let subcommand = arguments.subcommand().to_owned();
        let folders: Vec<String> = match subcommand.as_str() {
            // `-C` after these is another option.
            "commit" | "switch" | "apply" => Vec::from_iter(leading_folder(&call.words)),
            _ => arguments.values(&["-C"]).map(str::to_owned).collect(),
        };
        let saved = (self.folder.clone(), self.branch.clone());
        for folder in &folders {
            self.change_folder(folder);
        }
        if let Some(alias) = self.git_aliases.get(&subcommand).cloned() {
            let at = call.words.iter().position(|word| *word == subcommand).unwrap_or(call.words.len() - 1);
            let given = call.words.split_off(at + 1);
            let printed = match alias.strip_prefix('!') {
                Some(text) => {
                    let text = format!("{text} {}", given.join(" "));
                    self.run_text(call, &text)
                }
                None => {
                    let mut words: Vec<String> = vec!["git".to_owned()];
                    for node in shell::read(&alias).nodes {
                        if let Node::Simple(simple) = node {
                            words.extend(simple.words.iter().flat_map(|word| self.expand(word).fields));
                        }
                    }
                    words.extend(given);
                    self.git_aliases.remove(&subcommand);
                    let printed = self.depth_checked(|walker| walker.call(Call { words, ..call }));
                    self.git_aliases.insert(subcommand, alias);
                    printed
                }
            };
            (self.folder, self.branch) = saved;
            return printed;
        }
        let (mut text, mut paths, mut run) = (None, Vec::new(), None);
        let mut checked_out = None;
        match subcommand.as_str() {
            "config" => {
                if let [key, value] = rest.as_slice()
                    && let Some(alias) = key.strip_prefix("alias.")
                {
                    self.git_aliases.insert(alias.to_owned(), value.clone());
                }
            }
            "branch" if arguments.has(&["--show-current"]) => text = Some(self.branch_text()),
            "rev-parse" if arguments.has(&["--show-toplevel"]) => text = Some(self.root.clone() + "\n"),
            "rev-parse" if arguments.has(&["--abbrev-ref"]) && rest == ["HEAD"] => {
                text = Some(self.branch_text());
            }
            "symbolic-ref" if rest == ["HEAD"] => text = Some(self.branch_text()),
            // A refspec in a setting is pushed as if it were on the line.
            "push" if rest.len() < 2 => {
                let settings = arguments.values(&["-c"]);
                let refspecs: Vec<(String, String)> = settings
                    .filter_map(|setting| {
                        let (key, refspec) = setting.split_once('=')?;
                        let remote = key.strip_prefix("remote.")?.strip_suffix(".push")?;
                        Some((remote.to_owned(), refspec.to_owned()))
                    })
                    .filter(|(remote, _)| rest.first().is_none_or(|named| named == remote))
                    .collect();
                if let Some((remote, _)) = refspecs.first().filter(|_| rest.is_empty()) {
                    call.words.push(remote.clone());
                }
                call.words.extend(refspecs.into_iter().map(|(_, refspec)| refspec));
            }
            "ls-files" => paths = rest.iter().map(|folder| under(folder)).collect(),
            "grep" => paths = rest.iter().skip(1).map(|folder| under(folder)).collect(),
            "checkout" | "switch" => {
                const NEW: &[&str] = &["-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"];
                let is_path = call.words.iter().any(|word| word == "--");
                let created = if subcommand == "switch" && folders.is_empty() || subcommand == "checkout" {
                    arguments.options.iter().rev().find(|option| {
                        NEW.contains(&option.name.as_str())
                            && !(subcommand == "checkout" && option.name.to_lowercase() == "-c")
                    })
                } else {
                    None
                };
                checked_out = match (created.and_then(|option| option.value.clone()), rest.as_slice()) {
                    (Some(created), _) => Some(Branch::Known(created)),
                    (None, [one]) if !is_path && one != "." => Some(match one.as_str() {
                        "-" => Branch::Unknown,
                        unknown if unknown.contains(UNKNOWN) => Branch::Unknown,
                        known => Branch::Known(known.to_owned()),
                    }),
                    (None, _) => None,
                };
            }
            "submodule" if rest.first().is_some_and(|word| word == "foreach") => {
                run = Some(rest[1..].join(" "));
            }
            "rebase" => run = arguments.value(&["--exec", "-x"]).map(str::to_owned),
            "filter-branch" => run = arguments.value(&["--tree-filter"]).map(str::to_owned),
            _ => {}
        }
        let printed = Printed { text, paths };
        let input = call.input.clone();
        self.finish(call, &printed);
        if let Some(text) = run {
            self.script(&shell::read(&text), &input);
        }
        (self.folder, self.branch) = saved;
        if let Some(branch) = checked_out.filter(|_| folders.is_empty()) {
            self.branch = branch;
        }
        printed
    }

    fn branch_text(&self) -> String {
        match &self.branch {
            Branch::Known(branch) => format!("{branch}\n"),
            Branch::Unknown | Branch::Elsewhere => format!("{UNKNOWN}\n"),
        }
    }

    /// Python, Node and others that get their program on the line.
    fn interpreter(&mut self, mut call: Call) -> Printed {
        let program = name(&call.words[0]).to_owned();
        // `python -m pip` is `pip`.
        if let Some(module) = Arguments::read_value(&call.words, &["-m"])
            && program.starts_with("python")
        {
            let at = call.words.iter().position(|word| *word == module);
            if let Some(at) = at {
                call.words.drain(..at);
                return self.depth_checked(|walker| walker.call(call));
            }
        }
        let text = match code::inline(&program, &call.words[1..]) {
            code::Source::Text(text) => Some(text),
            code::Source::Input => call.input.text.clone(),
            code::Source::File => None,
        };
        let fed = match code::inline(&program, &call.words[1..]) {
            code::Source::Input => call.input.from.clone(),
            code::Source::Text(_) => call.substituted.clone(),
            code::Source::File => Vec::new(),
        };
        let at = self.finish(call, &Printed::default());
        self.found[at].fed_by = fed;
        let effects: Vec<Effect> = text.iter().flat_map(|text| code::effects(&program, text)).collect();
        let texts = effects.iter().filter_map(|effect| match effect {
            Effect::Text(text) => Some(text.as_str()),
            Effect::Shell(_) | Effect::Words(_) | Effect::File { .. } => None,
        });
        let written = texts.collect::<Vec<_>>().join("\n");
        for effect in effects {
            match effect {
                Effect::Shell(line) => drop(self.script(&shell::read(&line), &Input::default())),
                Effect::Words(words) => {
                    self.depth_checked(|walker| walker.call(Call { words, ..Call::default() }));
                }
                Effect::File { path, mode } => {
                    // What is replaced may be most of the file again, so only what is added says something.
                    let text = (mode == Mode::Append).then(|| written.clone());
                    self.found[at].outputs.push(Output { path, text, mode });
                }
                Effect::Text(_) => {}
            }
        }
        Printed::default()
    }

    fn change_folder(&mut self, target: &str) {
        if target == "-" {
            return;
        }
        let was_inside = self.is_inside();
        self.folder = path::join(&self.folder, target);
        match (was_inside, self.is_inside()) {
            (true, true) => {}
            (true, false) => self.leave(),
            (false, true) => self.branch = self.left.clone(),
            (false, false) => self.branch = Branch::Elsewhere,
        }
    }

    fn is_inside(&self) -> bool {
        path::relative(&self.root, &self.folder).is_some()
    }

    /// Keeps what is checked out in the repository for when the line comes there again.
    fn leave(&mut self) {
        self.left = std::mem::replace(&mut self.branch, Branch::Elsewhere);
    }

    fn expand_quoted(&mut self, word: &Word) -> String {
        let mut text = String::new();
        for piece in &word.pieces {
            match piece {
                Piece::Text { text: part, .. } => text.push_str(part),
                Piece::Variable { name, fallback, .. } => {
                    text.push_str(&self.variable(name, fallback.as_ref()).join(" "));
                }
                Piece::Output { nodes, .. } => {
                    let (printed, _) = self.substituted(nodes);
                    text.push_str(&printed);
                }
                Piece::Process(_) | Piece::Unknown => text.push(UNKNOWN),
            }
            truncate(&mut text);
        }
        text
    }

    fn expand(&mut self, word: &Word) -> Expanded {
        let begin = self.found.len();
        let mut fields: Vec<String> = Vec::new();
        let mut current = String::new();
        let mut is_open = false;
        let mut paths = Vec::new();
        for piece in &word.pieces {
            match piece {
                Piece::Text { text, quoted: true } => {
                    current.push_str(text);
                    is_open = true;
                }
                Piece::Text { text, quoted: false } => {
                    current.extend(text.chars().map(|char| match char {
                        '{' => OPEN,
                        ',' => COMMA,
                        '}' => CLOSE,
                        other => other,
                    }));
                    is_open = true;
                }
                Piece::Variable { name, fallback, quoted } => {
                    let values = self.variable(name, fallback.as_ref());
                    let is_list = values.len() > 1 || name == "@";
                    match (quoted, is_list) {
                        (true, false) => {
                            current.push_str(&values.join(" "));
                            is_open = true;
                        }
                        (true, true) => push_fields(&values, &mut fields, &mut current, &mut is_open),
                        (false, _) => {
                            let split: Vec<String> = values
                                .iter()
                                .flat_map(|value| value.split_whitespace())
                                .map(str::to_owned)
                                .collect();
                            push_fields(&split, &mut fields, &mut current, &mut is_open);
                        }
                    }
                }
                Piece::Output { nodes, quoted } => {
                    let (printed, listed) = self.substituted(nodes);
                    if *quoted {
                        current.push_str(&printed);
                        is_open = true;
                    } else {
                        let split: Vec<String> = match listed.is_empty() {
                            true => printed.split_whitespace().map(str::to_owned).collect(),
                            false => listed,
                        };
                        push_fields(&split, &mut fields, &mut current, &mut is_open);
                    }
                }
                Piece::Process(nodes) => {
                    let (printed, listed) = self.substituted(nodes);
                    paths.extend(listed);
                    match self.found.len().checked_sub(1) {
                        // A file that holds what the commands print, for whoever reads it: `bash <(echo ...)`.
                        Some(writer) if !is_unknown(&printed) => {
                            let file = format!("/dev/fd/{writer}");
                            current.push_str(&file);
                            self.files.insert(file, (Some(printed), writer));
                        }
                        Some(_) | None => current.push(UNKNOWN),
                    }
                    is_open = true;
                }
                Piece::Unknown => {
                    current.push(UNKNOWN);
                    is_open = true;
                }
            }
            truncate(&mut current);
        }
        if is_open {
            fields.push(current);
        }
        let fields: Vec<String> =
            fields.into_iter().flat_map(|field| braces(&field)).take(WORDS_MAX).collect();
        self.expanded_chars += fields.iter().map(String::len).sum::<usize>();
        Expanded { fields, from: (begin..self.found.len()).collect(), paths }
    }

    /// What a substitution prints, without the last line ends, and the files that it lists.
    fn substituted(&mut self, nodes: &[Node]) -> (String, Vec<String>) {
        let saved = (self.folder.clone(), self.variables.clone());
        let printed = self.depth_checked(|walker| walker.nodes(nodes, &Input::default()));
        (self.folder, self.variables) = saved;
        match printed.text {
            Some(text) => (text.trim_end_matches('\n').to_owned(), Vec::new()),
            None => (UNKNOWN.to_string(), printed.paths),
        }
    }

    fn variable(&mut self, name: &str, fallback: Option<&Word>) -> Vec<String> {
        if self.expanded_chars >= EXPANDED_CHARS_MAX {
            return vec![UNKNOWN.to_string()];
        }
        if let Some(values) = self.variables.get(name) {
            return values.clone();
        }
        match (name, fallback) {
            ("PWD", _) => vec![self.folder.clone()],
            ("HOME", _) => vec!["~".to_owned()],
            (_, Some(fallback)) => vec![self.expand_quoted(fallback)],
            ("@" | "*", None) => Vec::new(),
            (_, None) => vec![UNKNOWN.to_string()],
        }
    }
}

impl Arguments {
    /// The value of an option as it is written, whatever the program: `-c text`, `--command=text`.
    pub(super) fn read_value(words: &[String], names: &[&str]) -> Option<String> {
        let mut words = words.iter().skip(1);
        while let Some(word) = words.next() {
            if names.contains(&word.as_str()) {
                return words.next().cloned();
            }
            if let Some((name, value)) = word.split_once('=')
                && word.starts_with("--")
                && names.contains(&name)
            {
                return Some(value.to_owned());
            }
        }
        None
    }
}

/// The folder of `git -C`, before its subcommand.
fn leading_folder(words: &[String]) -> Option<String> {
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "-C" => return words.next().cloned(),
            "-c" | "--git-dir" | "--work-tree" => drop(words.next()),
            option if option.starts_with('-') => {}
            _ => return None,
        }
    }
    None
}

fn truncate(text: &mut String) {
    if text.len() > WORD_CHARS_MAX {
        let end = (0..=WORD_CHARS_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
}

/// Adds the fields of an expansion: the first continues the word, the last is continued by it.
fn push_fields(values: &[String], fields: &mut Vec<String>, current: &mut String, is_open: &mut bool) {
    for (at, value) in values.iter().take(WORDS_MAX).enumerate() {
        if at > 0 {
            fields.push(std::mem::take(current));
        }
        current.push_str(value);
        *is_open = true;
    }
}

/// Expands the braces of a field.
fn braces(field: &str) -> Vec<String> {
    let mut open = vec![field.to_owned()];
    let mut done = Vec::new();
    while let Some(field) = open.pop() {
        let group = field.rfind(OPEN).and_then(|from| {
            let to = from + field[from..].find(CLOSE)?;
            field[from..to].contains(COMMA).then_some((from, to))
        });
        match group {
            Some((from, to)) if open.len() + done.len() < VALUES_MAX && field.len() <= BRACED_CHARS_MAX => {
                let inner = &field[from + OPEN.len_utf8()..to];
                for part in inner.split(COMMA).rev() {
                    open.push(format!("{}{part}{}", &field[..from], &field[to + CLOSE.len_utf8()..]));
                }
            }
            Some(_) | None => done.push(field),
        }
    }
    let plain = |field: String| {
        field
            .chars()
            .map(|char| match char {
                OPEN => '{',
                COMMA => ',',
                CLOSE => '}',
                other => other,
            })
            .collect()
    };
    done.into_iter().map(plain).collect()
}

/// What follows the options of a wrapper.
fn after_options<'a>(words: &'a [String], valued: &[&str]) -> &'a [String] {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word == "--" {
            return &words[at + 1..];
        }
        if !word.starts_with('-') || word == "-" {
            break;
        }
        at += if valued.contains(&word.as_str()) { 2 } else { 1 };
    }
    words.get(at..).unwrap_or_default()
}

fn echoed(words: &[String]) -> String {
    let options = words.iter().take_while(|word| {
        word.len() > 1 && word.starts_with('-') && word[1..].chars().all(|char| "neE".contains(char))
    });
    let options: Vec<&String> = options.collect();
    let text = words[options.len()..].join(" ");
    let text = if options.iter().any(|option| option.contains('e')) { unescaped(&text) } else { text };
    text + "\n"
}

fn formatted(words: &[String]) -> String {
    let Some((format, arguments)) = words.split_first() else { return String::new() };
    let format = unescaped(format);
    let mut arguments = arguments.iter().take(VALUES_MAX).peekable();
    let mut text = String::new();
    loop {
        let mut used = false;
        let mut chars = format.chars().peekable();
        while let Some(char) = chars.next() {
            match (char, chars.peek()) {
                ('%', Some('%')) => {
                    text.push('%');
                    chars.next();
                }
                ('%', Some(_)) => {
                    // Width and precision are passed over.
                    while chars.next().is_some_and(|char| !char.is_ascii_alphabetic()) {}
                    text.push_str(arguments.next().map_or("", String::as_str));
                    used = true;
                }
                (other, _) => text.push(other),
            }
        }
        truncate(&mut text);
        if !used || arguments.peek().is_none() || text.len() >= WORD_CHARS_MAX {
            return text;
        }
    }
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some(other) => plain.push(other),
                None => plain.push('\\'),
            },
            other => plain.push(other),
        }
    }
    plain
}

/// A file somewhere under a folder.
fn under(folder: &str) -> String {
    format!("{}/{UNKNOWN}", folder.trim_end_matches('/'))
}

/// The files that a program lists, as far as its words say.
fn listed(arguments: &Arguments) -> Vec<String> {
    let all = || arguments.operands.iter().map(|operand| operand.text.as_str());
    match arguments.program.as_str() {
        "ls" => all().map(under).collect(),
        // The first operand is what is looked for.
        "grep" | "egrep" | "rg" | "ag" | "fd" | "fdfind" => {
            let skipped = usize::from(!arguments.has(&["-e", "--files"]));
            all().skip(skipped).map(under).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every program that a line starts, with the folder if it is not the top.
    fn started(line: &str) -> String {
        let place = Place { root: "/repo", folder: "", branch: Branch::Known("main".to_owned()) };
        let shown = |invocation: &Invocation| {
            let words = invocation.words.join(" ").replace(UNKNOWN, "?").replace('\n', "/");
            match invocation.folder.strip_prefix("/repo/") {
                Some(folder) => format!("{folder}: {words}"),
                None => words,
            }
        };
        invocations(line, &place).started.iter().map(shown).collect::<Vec<_>>().join(" ; ")
    }

    #[test]
    fn a_line_is_read_as_a_shell_reads_it() {
        for (line, expected) in [
            ("a b && c || d; e | f & g", "a b ; c ; d ; e ; f ; g"),
            ("a 'b c' \"d $e\" f\\ g # h", "a b c d ? f g"),
            ("a \\\n  b", "a b"),
            ("x=1 y=\"$x 2\"; a $x $y ${z:-3}", " ; a 1 1 2 3"),
            ("a $(b `c`) <(d)", "c ; b ? ; d ; a ? ?"),
            ("a $((1 + 2)) && ((x++)) && [[ a < b && c ]] && d", "a ? ; d"),
            ("if a; then b; elif c; then d; else e; fi > f", "a ; b ; c ; d ; e ; "),
            ("for i in 1 2; do a $i; done; while b; do c; done", "a 1 ; a 2 ; b ; c"),
            ("case a in b) c;; (d|e) f;; *) g;; esac", ": a ; c ; f ; g"),
            ("f() { a \"$1\" \"$@\"; }; f b c", "a b b c"),
            ("(cd x; a); b", "x: a ; b"),
            ("cd x && a && cd .. && b", "x: a ; b"),
            ("a <<E1 <<'E2'\n$x `b`\nE1\n$x\nE2\nc", "b ; a ; c"),
            ("cat <<-E\n\tx\n\tE\na", "cat ; a"),
            ("a 2>&1 >b &>c <d", "a"),
            ("a=(b c); d \"${a[@]}\" {e,f}g", " ; d b c eg fg"),
            ("echo $'a\\tb' !x", "echo a\tb !x"),
            ("a; ) b; fi; c 'unclosed", "a ; b ; c unclosed"),
        ] {
            assert_eq!(started(line), expected, "{line}");
        }
    }

    #[test]
    fn programs_that_start_others_are_followed() {
        for (line, expected) in [
            ("sudo -u x env A=1 timeout -k 5 9 nice -n 3 a b", "a b"),
            ("bash -lc 'a; b \"$1\"' name c", "bash -lc a; b \"$1\" name c ; a ; b c"),
            ("echo 'a b' | sh", "echo a b ; sh ; a b"),
            ("echo a b | xargs -n1 c", "echo a b ; xargs -n1 c ; c a b"),
            ("find x -name '*.y' -exec a {} +", "find x -name *.y -exec a {} + ; a x/*.y"),
            ("alias a='b c'; a d", "b c d"),
            ("git config alias.a 'b c'; git a d", "git config alias.a b c ; git b c d"),
            ("git -C x a", "x: git -C x a"),
            ("command -v a; command a b", "command -v a ; a b"),
            ("python3 -m pip install x", "pip install x"),
            ("npx -y a b", "a b"),
            ("echo 'a b' > c.sh; sh c.sh", "echo a b ; sh c.sh ; a b"),
            ("find x | while read -r f; do a \"$f\"; done", "find x ; a x/?"),
            ("trap 'a b' EXIT", "trap a b EXIT ; a b"),
        ] {
            assert_eq!(started(line), expected, "{line}");
        }
    }
}
