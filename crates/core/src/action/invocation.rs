//! What a command line would start: each program with its words, where it runs, and what is known of its input.
//!
//! Variables, aliases, functions, `cd` and branches are followed through the line; programs that start others (`sudo`, `xargs`,
//! `bash -c`) are followed into them. What cannot be known is [`super::UNKNOWN`].

use std::collections::BTreeMap;
use std::rc::Rc;

mod expand;
mod programs;

use ken_shell::{
    Arguments, Machine, Node, Piece, Redirect, SHELLS, Script, Simple, Step, Word, Wrapper, after_options,
    program_name,
};

use self::expand::truncate;
use super::code::{self, Effect};
use super::{Branch, Place, UNKNOWN, is_unknown, path};

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
    /// The file that it reads, if the line does not say what is in it.
    pub(super) input_file: Option<String>,
    /// Files that its output goes to.
    pub(super) outputs: Vec<Output>,
    /// Invocations whose output is what it runs, by their number in the list.
    pub(super) fed_by: Vec<usize>,
    pub(super) machine: Machine,
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
    walker.script(&ken_shell::read(line), &Input::default());
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
    body: Rc<Vec<Step>>,
    heredocs: Rc<Vec<Word>>,
}

/// What a command reads.
#[derive(Clone, Debug, Default)]
struct Input {
    text: Option<String>,
    /// The file that holds it, where the text is not known.
    file: Option<String>,
    /// Paths that a list of files consists of, as far as they are known.
    paths: Vec<String>,
    /// Invocations before it in the pipeline.
    from: Vec<usize>,
}

/// What a command writes to its output.
#[derive(Clone, Debug, Default)]
struct Printed {
    text: Option<String>,
    /// The file whose text it is, where that is not known.
    file: Option<String>,
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

impl Walker {
    fn script(&mut self, script: &Script, input: &Input) -> Printed {
        if self.depth >= DEPTH_MAX {
            self.cut_short = true;
            return Printed::default();
        }
        self.depth += 1;
        self.cut_short |= script.cut_short;
        let outer = std::mem::replace(&mut self.heredocs, Rc::new(script.heredocs.clone()));
        let printed = self.steps(&script.steps, input);
        self.heredocs = outer;
        self.depth -= 1;
        printed
    }

    fn steps(&mut self, steps: &[Step], input: &Input) -> Printed {
        let mut printed: Option<Printed> = None;
        for Step { node, .. } in steps {
            if self.is_exhausted() {
                break;
            }
            let now = self.node(node, input);
            // It prints nothing.
            if matches!(node, Node::Test(_)) {
                continue;
            }
            printed = Some(match printed {
                None => now,
                // What a list prints is what its parts print, one after the other.
                Some(before) => Printed {
                    text: before.text.zip(now.text).map(|(before, now)| before + &now),
                    paths: before.paths.into_iter().chain(now.paths).collect(),
                    file: None,
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
            Node::Negated(node) => self.node(node, input),
            Node::Test(words) => {
                for word in words {
                    self.expand(word);
                }
                Printed::default()
            }
            Node::Group { steps, redirects } | Node::Branches { steps, redirects } => {
                self.compound(steps, redirects, input)
            }
            Node::Subshell { steps, redirects } => {
                let saved = (self.folder.clone(), self.branch.clone(), self.variables.clone());
                let printed = self.compound(steps, redirects, input);
                // What is checked out stays checked out.
                (self.folder, _, self.variables) = saved;
                printed
            }
            Node::Loop { variable, values, steps, redirects } => {
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
                    let now = self.compound(steps, redirects, input);
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

    fn compound(&mut self, steps: &[Step], redirects: &[Redirect], input: &Input) -> Printed {
        let mut call = Call { input: input.clone(), ..Call::default() };
        self.redirect(redirects, &mut call);
        let printed = self.depth_checked(|walker| walker.steps(steps, &call.input));
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
            let Printed { text, file, paths } = printed.clone();
            input = Input { text, file, paths, from };
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
            self.finish(call, &Printed { text: Some(String::new()), ..Printed::default() });
            return Printed::default();
        }
        self.depth_checked(|walker| walker.call(call))
    }

    fn redirect(&mut self, redirects: &[Redirect], call: &mut Call) {
        for redirect in redirects {
            match redirect {
                Redirect::Write(word) | Redirect::Append(word) => {
                    let mode = match redirect {
                        Redirect::Append(_) => Mode::Append,
                        _ => Mode::Replace,
                    };
                    let expanded = self.expand(word);
                    call.outputs.extend(expanded.fields.into_iter().map(|path| Output {
                        path,
                        text: None,
                        mode,
                    }));
                }
                Redirect::Read(word) => {
                    let expanded = self.expand(word);
                    let text = expanded.fields.first().and_then(|file| self.file(file)?.0);
                    let file = expanded.fields.first().map(|file| path::join(&self.folder, file));
                    call.input = Input { text, file, paths: expanded.paths, from: expanded.from };
                }
                Redirect::HereDocument(number) => {
                    let heredocs = Rc::clone(&self.heredocs);
                    if let Some(body) = heredocs.get(*number) {
                        let expanded = self.expand_quoted(body);
                        call.input = Input { text: Some(expanded), ..Input::default() };
                    }
                }
                Redirect::HereString(word) => {
                    let expanded = self.expand(word);
                    call.input = Input {
                        text: Some(expanded.fields.join(" ") + "\n"),
                        from: expanded.from,
                        ..Input::default()
                    };
                }
                Redirect::Duplicate => {}
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
        let fetched: &[&str] = match call.words.first().map(|program| program_name(program)) {
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
            input_file: call.input.file,
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
        let program = program_name(&first).to_owned();
        if program == "env" || program == "sudo" || program == "doas" {
            return self.with_environment(call);
        }
        if let Some(wrapper) = Wrapper::of(&call.words) {
            return self.wrapped(wrapper, call);
        }
        let arguments = || Arguments::read(&call.words);
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
                let Input { text, file, paths, from: _ } = call.input.clone();
                self.prints(call, Printed { text, file, paths })
            }
            "cat" if matches!(call.words.as_slice(), [_, file] if !file.starts_with('-')) => {
                let file = call.words.get(1).map(|file| path::join(&self.folder, file));
                self.prints(call, Printed { file, ..Printed::default() })
            }
            "tee" => {
                let Input { text, file, paths, from: _ } = call.input.clone();
                self.prints(call, Printed { text, file, paths })
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
                    Some(text) => self.script(&ken_shell::read(&text), &Input::default()),
                    None => Printed::default(),
                }
            }
            "read" => {
                let names = after_options(&call.words[1..], "-p -t -d -n -u -a").to_vec();
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
                let rest = after_options(&call.words[1..], "-n --interval");
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
        self.prints(call, Printed { text, paths, file: None })
    }

    fn prints(&mut self, call: Call, printed: Printed) -> Printed {
        self.finish(call, &printed);
        printed
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
            ("! a; [[ $(b) ]] && c \"$([[ x ]] && echo y)\"", "a ; b ; echo y ; c y"),
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
            ("bash -eo pipefail -c 'a b'", "bash -eo pipefail -c a b ; a b"),
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
